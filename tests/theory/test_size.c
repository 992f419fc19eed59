/* test_size.c - the best number of hashes and the smallest standard filter. */
#include "near.h"
#include "oracles.h"

static void best_hashes_by_bits_a_key(void **state)
{
    (void)state;
    static const struct {
        unsigned bits, k;
        double rate;
    } row[] = {{4, 3, 0.146892},     {8, 6, 0.0215771},    {10, 7, 0.00819372},
               {12, 8, 0.00314235},  {16, 11, 4.58711e-4}, {20, 14, 6.71371e-5},
               {24, 17, 9.83858e-6}, {32, 22, 2.10416e-7}};
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t m = row[i].bits * UINT64_C(1000000);
        assert_int_equal(blm_best_hashes(m, 1000000), row[i].k);
        NEAR(blm_rate_approx(m, row[i].k, 1000000), row[i].rate, 5e-6); /* six printed digits */
    }
}

static void few_bits_want_fewer_hashes(void **state)
{
    (void)state;
    assert_int_equal(blm_best_hashes(64, 8), 5); /* round(8 ln 2) is 6 */
    NEAR(blm_rate_exact(64, 5, 8), 0.023416, 3e-5);
    NEAR(blm_rate_exact(64, 6, 8), 0.023809, 3e-5);
}

static void best_hashes_is_the_lowest_of_all(void **state)
{
    (void)state;
    for (uint64_t m = 1; m < 3000; m = m * 3 / 2 + 1)
        for (uint64_t n = 1; n < 600; n = n * 2 + 1) {
            unsigned best = 1;
            for (unsigned k = 2; k <= 64; k++)
                if (blm_rate_exact(m, k, n) < blm_rate_exact(m, best, n)) best = k;
            if (blm_rate_exact(m, best, n) < 0.999) /* above, all k are 1 but for rounding */
                assert_int_equal(blm_best_hashes(m, n), best);
        }
    assert_int_equal(blm_best_hashes(0, 5), 0);
    assert_int_equal(blm_best_hashes(5, 0), 0);
    assert_int_equal(blm_best_hashes(1, UINT64_MAX), 1);
}

static void sizes_of_the_table(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double p;
        unsigned k; /* 0: two are equally good */
        uint64_t approx, exact;
    } row[] = {{1000, 0.01, 7, 9593, 9595},     {10000, 0.01, 7, 95930, 95932},
               {1000, 0.001, 10, 14378, 14381}, {100, 0.01, 7, 960, 962},
               {10, 0.01, 0, 96, 98},           {1000000, 1e-6, 20, 28755279, 0}};
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t m = 0;
        unsigned k = 0;
        assert_true(blm_size_for(row[i].n, row[i].p, 0, false, &m, &k));
        assert_int_equal(m, row[i].approx);
        if (row[i].k) assert_int_equal(k, row[i].k);
        assert_true(blm_size_for(row[i].n, row[i].p, 0, true, &m, &k));
        if (row[i].exact) assert_int_equal(m, row[i].exact);
        if (row[i].k) assert_int_equal(k, row[i].k);
        if (i == 0) ORACLE_NEAR("1.A2", "bits for 1000 keys at 1 %, exact", 9595, 0, (double)m);
        if (i == 0) ORACLE_NEAR("1.A2", "hashes for 1000 keys at 1 %", 7, 0, k);
    }
}

/* One bit less misses the rate, with these hashes and with all others. */
static void exact_size_is_the_smallest(void **state)
{
    (void)state;
    static const double rates[] = {0.9, 0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9};
    static const uint64_t keys[] = {1, 2, 7, 100, 5000};
    for (size_t i = 0; i < COUNT(keys); i++)
        for (size_t j = 0; j < COUNT(rates); j++) {
            uint64_t m = 0, n = keys[i];
            unsigned k = 0;
            assert_true(blm_size_for(n, rates[j], 0, true, &m, &k));
            assert_true(blm_rate_exact(m, k, n) <= rates[j]);
            for (unsigned other = 1; other <= 40 && m > 1; other++)
                assert_true(blm_rate_exact(m - 1, other, n) > rates[j]);
        }
}

static void size_with_given_hashes(void **state)
{
    (void)state;
    for (unsigned hashes = 1; hashes <= 64; hashes += 7) {
        uint64_t m = 0;
        unsigned k = 0;
        assert_true(blm_size_for(300, 0.003, hashes, true, &m, &k));
        assert_int_equal(k, hashes);
        assert_true(blm_rate_exact(m, k, 300) <= 0.003 && blm_rate_exact(m - 1, k, 300) > 0.003);
        assert_true(blm_size_for(300, 0.003, hashes, false, &m, &k));
        assert_int_equal(k, hashes);
        assert_true(blm_rate_approx(m, k, 300) <= 0.003 && blm_rate_approx(m - 1, k, 300) > 0.003);
    }
}

static void far_ends(void **state)
{
    (void)state;
    static const uint64_t keys[] = {1, 1000000000, (uint64_t)1 << 50};
    static const double rates[] = {0.999999, 0.5, 1e-3, 1e-15};
    for (size_t i = 0; i < COUNT(keys); i++)
        for (size_t j = 0; j < COUNT(rates); j++) {
            uint64_t m = 0, n = keys[i];
            unsigned k = 0;
            assert_true(blm_size_for(n, rates[j], 0, true, &m, &k));
            assert_true(blm_rate_exact(m, k, n) <= rates[j]);
            /* bits per key: 1.4427 log2(1/p) at the best real k, 6 % more at the worst integer */
            double ideal = -log2(rates[j]) / 0.69314718 * (double)n;
            if (n > 1 && rates[j] < 0.6)
                assert_true((double)m < 1.07 * ideal && (double)m > 0.999 * ideal);
        }
}

static void refused(void **state)
{
    (void)state;
    uint64_t m = 77;
    unsigned k = 77;
    for (int exact = 0; exact < 2; exact++) {
        assert_false(blm_size_for(0, 0.01, 0, exact, &m, &k));
        assert_false(blm_size_for(10, 0, 0, exact, &m, &k));
        assert_false(blm_size_for(10, 1, 0, exact, &m, &k));
        assert_false(blm_size_for(10, -1, 0, exact, &m, &k));
        assert_false(blm_size_for(10, 5, 0, exact, &m, &k));
        assert_false(blm_size_for(10, NAN, 0, exact, &m, &k));
        assert_false(blm_size_for(10, 0.01, 65, exact, &m, &k));
        assert_false(blm_size_for((uint64_t)1 << 60, 0.01, 0, exact, &m, &k));
        assert_false(blm_size_for(10000, 1e-15, 1, exact, &m, &k)); /* 10^19 bits */
        assert_false(blm_size_for(UINT64_MAX, 1e-300, 0, exact, &m, &k));
    }
    assert_int_equal(m, 77);
    assert_int_equal(k, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_hashes_by_bits_a_key),
        cmocka_unit_test(few_bits_want_fewer_hashes),
        cmocka_unit_test(best_hashes_is_the_lowest_of_all),
        cmocka_unit_test(sizes_of_the_table),
        cmocka_unit_test(exact_size_is_the_smallest),
        cmocka_unit_test(size_with_given_hashes),
        cmocka_unit_test(far_ends),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

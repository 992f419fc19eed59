/* test_theory.c - two tables of fingerprints: rates by hand, the smallest tables, and crowds. */
#include <bloomery/theory/cuckoo.h>
#include "theory/near.h"

/* 32 numbers, 0 and 1 are one. One key: 30 of 32 have a non-member in 32, two of them two. Two keys: a non-member that
 * stands alone is missed by both with (31/32)^2, one of the pair with (30/32)^2. */
static void rates_by_hand(void **state)
{
    (void)state;
    NEAR(blm_rate_cuckoo_prints(1, 5, 1), 34 / 1024.0, 1e-14);
    NEAR(blm_rate_cuckoo_prints(1, 5, 2), 1 - (30 * 31.0 * 31 + 2 * 30.0 * 30) / (32.0 * 32 * 32),
         1e-14);
    NEAR(blm_rate_cuckoo_prints(4, 8, 1), 258 / 65536.0 / 4, 1e-14);
    NEAR(blm_rate_cuckoo_prints(131579, 12, 1000000), 0.00185465116525114, 1e-12);
    assert_true(blm_rate_cuckoo_prints(9, 9, 0) == 0 && blm_rate_cuckoo_prints_sd(9, 9, 0) == 0);
    assert_true(isnan(blm_rate_cuckoo_prints(0, 8, 1)) && isnan(blm_rate_cuckoo_prints(1, 4, 1)) &&
                isnan(blm_rate_cuckoo_prints(1, 57, 1)));
    /* One key: 1 or 2 of 32, mean 34/32: Var = 2/32 - (2/32)^2. */
    NEAR(blm_rate_cuckoo_prints_sd(1, 5, 1), sqrt(2 / 32.0 - 4 / 1024.0) * 32 / 34, 1e-12);
}

/* C(3, 3) of all triples in 10 * 10; C(10, 9) / 100^8. */
static void crowds_by_hand(void **state)
{
    (void)state;
    NEAR(blm_cuckoo_crowds(3, 10, 1), 0.01, 1e-14);
    NEAR(blm_cuckoo_crowds(5, 10, 1), 0.1, 1e-14);
    NEAR(blm_cuckoo_crowds(10, 100, 4), 1e-15, 1e-12);
    NEAR(blm_cuckoo_crowds(1000000, 1e8, 4), 2.7556e-16, 1e-4);
    assert_true(blm_cuckoo_crowds(8, 100, 4) == 0 && blm_cuckoo_crowds(0, 1, 1) == 0);
}

/* Of large tables 47, 86, 95 and 98 % of the slots; up to 2 slots keys lie in any two buckets. */
static void buckets_for_keys(void **state)
{
    static const struct {
        unsigned slots;
        double share;
    } row[] = {{2, 0.86}, {4, 0.95}, {8, 0.98}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const unsigned slots = row[i].slots;
        uint64_t last = 1;
        for (uint64_t n = 1; n <= 2 * slots; n++) assert_int_equal(blm_cuckoo_across(n, slots), 1);
        for (uint64_t n = 2 * slots + 1; n < 5000; n++) {
            const uint64_t b = blm_cuckoo_across(n, slots);
            assert_true(b >= last && row[i].share * 2 * slots * (double)b >= (double)n);
            last = b;
        }
        assert_int_equal(blm_cuckoo_across(100000000, slots),
                         ceil(1e8 / (row[i].share * 2 * slots)));
    }
    assert_int_equal(blm_cuckoo_across(100, 4), 16);
    assert_int_equal(blm_cuckoo_across(1000000, 4), 131579);
    assert_true(blm_cuckoo_across(1000000000, 1) > 1000000000);
    assert_true(!blm_cuckoo_across(0, 4) && !blm_cuckoo_across(9, 3) && !blm_cuckoo_across(9, 16) &&
                !blm_cuckoo_across(UINT64_C(1) << 50, 4));
}

/* They keep the rate, and every width with the fewest buckets that would do takes more bits, up to a word. */
static void sizes_are_the_smallest(void **state)
{
    static const double rates[] = {0.3, 0.011, 0.0019, 1e-6};
    (void)state;
    for (uint64_t n = 1; n < 100000; n = n * 3 + 1)
        for (size_t i = 0; i < COUNT(rates); i++)
            for (unsigned sorted = 0; sorted < 2; sorted++) {
                uint64_t b = 0;
                unsigned w = 0;
                assert_true(blm_size_cuckoo_prints(n, rates[i], 4, sorted, &b, &w));
                assert_true(blm_rate_cuckoo_prints(b, w, n) <= rates[i]);
                const uint64_t least = blm_cuckoo_across(n, 4), bits = 2 * b * (4 * w - 4 * sorted);
                assert_true(b >= least &&
                            blm_cuckoo_crowds(n, ldexp((double)b, (int)w), 4) <= 1e-6);
                for (unsigned v = 5; v <= 56; v++) {
                    const uint64_t fewer = (bits - 64) / (2 * (4 * v - 4 * sorted));
                    assert_true(bits < 65 || fewer < least ||
                                blm_rate_cuckoo_prints(fewer - fewer / 1000, v, n) > rates[i] ||
                                blm_cuckoo_crowds(n, ldexp((double)fewer, (int)v), 4) > 1e-6);
                }
            }
}

static void sizes_that_are_not(void **state)
{
    uint64_t b = 77;
    unsigned w = 77;
    (void)state;
    assert_false(blm_size_cuckoo_prints(0, 0.01, 4, false, &b, &w) ||
                 blm_size_cuckoo_prints(9, 0, 4, false, &b, &w) ||
                 blm_size_cuckoo_prints(9, 1, 4, false, &b, &w) ||
                 blm_size_cuckoo_prints(9, 0.01, 5, false, &b, &w) ||
                 blm_size_cuckoo_prints(9, 0.01, 8, true, &b, &w) ||
                 blm_size_cuckoo_prints(1000, 1e-18, 4, false, &b, &w) ||
                 blm_fit_cuckoo_prints(39, 1, 8, false, &b, &w) ||
                 blm_fit_cuckoo_prints(5000, 1000, 4, false, &b, &w));
    assert_true(b == 77 && w == 77);
    assert_true(blm_fit_cuckoo_prints(12500000, 1000000, 4, false, &b, &w) && b == 142045 &&
                w == 11);
    assert_true(blm_fit_cuckoo_prints(12500000, 1000000, 4, true, &b, &w) && w == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_by_hand),      cmocka_unit_test(crowds_by_hand),
        cmocka_unit_test(buckets_for_keys),   cmocka_unit_test(sizes_are_the_smallest),
        cmocka_unit_test(sizes_that_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

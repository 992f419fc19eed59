/* test.c - one slice per hash: rates to the last digit, slices that keep to themselves. */
#include "kinds/rates.h"
#include "oracles.h"

static blm_filter *sliced(uint64_t bits, unsigned hashes, uint64_t keys, uint64_t seed)
{
    return made_new(BLM_CONFIG(.kind = "partitioned", .bits = bits, .hashes = hashes, .keys = keys,
                               .seed = seed, .overfill = true));
}

static uint64_t ones_of(const blm_filter *f, unsigned slice)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    const uint64_t s = field(f, "slice");
    uint64_t ones = 0;
    for (uint64_t i = slice * s; i < (slice + 1) * s; i++) ones += cells[i / 8] >> i % 8 & 1;
    return ones;
}

/* ---- rates ---------------------------------------------------------------------------------------- */

static void rates_of_the_table(void **state)
{
    static const struct {
        uint64_t m, n;
        unsigned k;
        double rate, standard, error;
    } table[] = {{16, 2, 4, 0.0366363525390625, 0.0296744817, 1e-15},
                 {64, 8, 4, 0.0264502027, 0.0253544346, 2e-9},
                 {9800, 1000, 7, 0.0090461971, 0.0090387720, 6e-9}}; /* ten digits were given */
    char what[60];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = sliced(table[i].m, table[i].k, table[i].n, 1);
        const double p = blm_fpr(f, &(blm_case){.keys = table[i].n}).high;
        snprintf(what, sizeof what, "rate of m=%d k=%u n=%d", (int)table[i].m, table[i].k,
                 (int)table[i].n);
        ORACLE_NEAR("1.A3", what, table[i].rate, table[i].error, p);
        snprintf(what, sizeof what, "standard's rate of m=%d k=%u n=%d", (int)table[i].m,
                 table[i].k, (int)table[i].n);
        ORACLE_NEAR("1.A3", what, table[i].standard, 6e-9,
                    blm_rate_exact(table[i].m, table[i].k, table[i].n));
        blm_free(f);
    }
}

static void never_below_classic_and_near_it_at_last(void **state)
{
    bool never = true;
    double before = 2, ratio = 2;
    (void)state;
    for (uint64_t s = 1; s < 40; s++)
        for (unsigned k = 1; k < 9; k++)
            for (uint64_t n = 1; n < 30; n++)
                never = never && blm_rate_partitioned(s, k, n) >=
                                     blm_rate_classic(s * k, k, n) * (1 - 1e-14);
    ORACLE_HOLDS("1.A3", "rate >= classic at equal m, k, n", never);
    for (uint64_t n = 10; n < 10000000; n *= 10, before = ratio) {
        ratio = blm_rate_partitioned(2 * n, 5, n) / blm_rate_classic(10 * n, 5, n);
        assert_true(ratio > 1 && ratio < before);
    }
    ORACLE_BETWEEN("1.A3", "rate over classic at m=10^7, k=5, 10 bits a key", 1, 1, 1.000002,
                   ratio);
}

/* Few bits, so that slices differ: the product of their fills, not the mean to the k. */
static void product_of_the_fills(void **state)
{
    enum { PROBES = 1000000 };
    blm_filter *f = sliced(300, 5, 30, 7);
    double product = 1;
    (void)state;
    add_run(f, 0, 30);
    for (unsigned j = 0; j < 5; j++) product *= (double)ones_of(f, j) / 60;
    NEAR(blm_fpr(f, NULL).high, product, 1e-14);
    assert_true(blm_fpr(f, NULL).spread == 0 && fabs(product - pow(info_of(f).fill, 5)) > 1e-6);
    ORACLE_HITS("1.A3", "strangers at the product of the slices' fills, m=300 k=5 n=30", product,
                false_yes(f, PROBES), PROBES);
    blm_free(f);
    f = sliced(9800, 7, 1000, 1);
    add_run(f, 0, 1000);
    ORACLE_HITS("1.A3", "strangers at the product of the slices' fills, m=9800 k=7 n=1000",
                blm_fpr(f, NULL).high, false_yes(f, PROBES), PROBES);
    ORACLE_HOLDS("1.A3", "no false negative", has_run(f, 0, 1000));
    blm_free(f);
}

/* 2000 filters of few bits: mean and spread of their rates are those of the fields. */
static void spread_between_filters(void **state)
{
    rates_seen seen = {.filters = 0};
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        blm_filter *f = sliced(96, 4, 10, seed);
        see_rate(&seen, f, 10);
        blm_free(f);
    }
    check_spread(&seen);
}

/* ---- slices --------------------------------------------------------------------------------------- */

static void one_bit_in_each_slice(void **state)
{
    bool one = true, few = true;
    (void)state;
    for (unsigned k = 1; k <= 64; k += 9)
        for (uint64_t bits = k; bits < 3000; bits = 3 * bits + 1) {
            blm_filter *f = sliced(bits, k, 100, bits);
            const uint64_t s = field(f, "slice");
            for (uint64_t n = 1; n <= 100; n++) {
                add_run(f, n, 1);
                for (unsigned j = 0; j < k; j++) {
                    const uint64_t ones = ones_of(f, j);
                    one = one && (n > 1 || ones == 1);
                    few = few && ones <= n && ones <= s;
                }
            }
            blm_free(f);
        }
    ORACLE_HOLDS("1.A3", "after one add every slice has exactly one bit", one);
    ORACLE_HOLDS("1.A3", "ones of a slice <= min(n, s)", few);
}

static void one_slice_is_standard(void **state)
{
    blm_filter *f = sliced(777, 1, 50, 3);
    blm_filter *g = made("standard bits=777b hashes=1 keys=50 seed=3 overfill=yes");
    (void)state;
    add_run(f, 0, 200);
    add_run(g, 0, 200);
    assert_true(same_cells(f, g));
    assert_true(blm_fpr(f, NULL).high == blm_fpr(g, NULL).high);
    NEAR(blm_fpr(f, &(blm_case){.keys = 50}).high, blm_fpr(g, &(blm_case){.keys = 50}).high, 1e-13);
    NEAR(blm_fpr(f, &(blm_case){.keys = 50}).spread, blm_fpr(g, &(blm_case){.keys = 50}).spread,
         1e-9);
    blm_estimate a, b;
    assert_true(!blm_cardinality(f, &a) && !blm_cardinality(g, &b) && a.value == b.value &&
                a.low == b.low);
    blm_free(f);
    blm_free(g);
}

/* ---- sizes ---------------------------------------------------------------------------------------- */

static void bits_are_rounded_down(void **state)
{
    (void)state;
    for (uint64_t bits = 64; bits < 400; bits += 7)
        for (unsigned k = 1; k <= 64; k += 5) {
            blm_filter *f = sliced(bits, k, 10, 1);
            assert_int_equal(field(f, "slice"), bits / k);
            assert_true(info_of(f).bytes <= (bits + 63) / 64 * 8);
            blm_free(f);
        }
    blm_filter *f = NULL;
    REFUSED(blm_make(&f, "partitioned bits=5b hashes=6 keys=3", &why), BLM_E_ARG, "bits 5");
    SAYS("hashes 6");
    SAYS("at most 5 hashes");
    assert_null(f);
    ORACLE_HOLDS("1.A3", "m < k is refused", f == NULL);
    REFUSED(blm_make(&f, "partitioned keys=9e15 fpr=1e-30", &why), BLM_E_ARG, "2^60");
}

/* Smallest, but for what makes it foldable: less than 1 in 256, or one bit a slice. */
static void smallest_that_keeps_the_rate(void **state)
{
    static const double rates[] = {0.5, 0.03, 1e-3, 1e-6};
    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++)
        for (uint64_t n = 1; n < 1000000; n = 5 * n + 1) {
            blm_filter *f = made_new(BLM_CONFIG(.kind = "partitioned", .keys = n, .fpr = rates[i]));
            const uint64_t s = field(f, "slice"), k = field(f, "hashes");
            const double slack = fmax((double)s / 256 + 1, s >= 64 ? 2 : 1);
            assert_true(pow(1 - pow(1 - 1 / (double)s, (double)n), (double)k) <=
                        rates[i] * (1 + 1e-10));
            for (double h = 1; h <= 64;
                 h++) { /* by the closed form, in whole bits, no k is cheaper */
                const double min = h * ceil(-1 / expm1(log1p(-pow(rates[i], 1 / h)) / (double)n));
                assert_true(((double)s - slack) * (double)k < min);
            }
            if (s >= 64) assert_int_equal(s % 2, 0);
            blm_free(f);
        }
    /* 10 bits per key and 7 hashes, as in the theory without slices */
    assert_int_equal(blm_best_hashes_partitioned(100000, 10000), 7);
    assert_int_equal(blm_best_hashes_partitioned(3, 1), 1); /* more: slices of one bit */
    assert_int_equal(blm_best_hashes_partitioned(0, 1), 0);
    assert_int_equal(blm_best_hashes_partitioned(10, 0), 0);
}

static void theory_without_an_answer(void **state)
{
    uint64_t s = 5;
    unsigned k = 5;
    (void)state;
    assert_true(isnan(blm_rate_partitioned(0, 3, 1)) && isnan(blm_rate_partitioned(3, 0, 1)));
    assert_true(isnan(blm_rate_partitioned_sd(0, 3, 1)));
    assert_true(blm_rate_partitioned(5, 3, 0) == 0 && blm_rate_partitioned_sd(5, 3, 0) == 0);
    assert_false(blm_size_partitioned(0, 0.1, 0, &s, &k) || blm_size_partitioned(1, 1, 0, &s, &k));
    assert_false(blm_size_partitioned(1, NAN, 0, &s, &k) ||
                 blm_size_partitioned(1, 0.1, 65, &s, &k));
    assert_true(s == 5 && k == 5);
}

/* ---- how many, and how many of both ------------------------------------------------------------------- */

static void size_is_the_mean_of_the_slices(void **state)
{
    enum { FILTERS = 300, N = 2000 };
    double square = 0, sd = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= FILTERS; seed++) {
        blm_filter *f = sliced(14000, 7, N, seed);
        double mean = 0;
        blm_estimate n;
        add_run(f, 0, N);
        for (unsigned j = 0; j < 7; j++)
            mean += log1p(-(double)ones_of(f, j) / 2000) / log1p(-1 / 2000.0) / 7;
        assert_int_equal(blm_cardinality(f, &n), BLM_OK);
        sd = n.high - n.value;
        WITHIN(n.value, mean, 0.1 * sd);
        square += (n.value - N) * (n.value - N) / FILTERS;
        blm_free(f);
    }
    NEAR(sqrt(square), sd, 0.2); /* 300 filters: 4 %, and 4 sigma of it */
}

static void full_is_a_lower_bound(void **state)
{
    blm_filter *f = sliced(40, 4, 5, 1);
    blm_estimate n;
    (void)state;
    add_run(f, 0, 2000);
    assert_true(info_of(f).fill == 1 && blm_fpr(f, NULL).high == 1);
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_true(n.bound && n.value > 20 && isfinite(n.value));
    blm_free(f);
    f = sliced(4, 4, 1, 1); /* slices of one bit */
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_true(n.value == 0 && !n.bound);
    add_run(f, 0, 1);
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_true(n.bound && isfinite(n.value));
    blm_free(f);
}

static void overlap_of_two(void **state)
{
    blm_filter *f = sliced(70000, 7, 7000, 1), *g = sliced(70000, 7, 7000, 1);
    blm_overlap o;
    (void)state;
    add_run(f, 0, 5000);
    add_run(g, 3000, 4000);
    OK(blm_overlap_of(f, g, &o, &why));
    const double sd = o.common.high - o.common.value;
    assert_true(sd > 0 && sd < 100);
    WITHIN(o.common.value, 2000, 4 * sd);
    WITHIN(o.both_sets.value, 7000, 4 * (o.both_sets.high - o.both_sets.value));
    WITHIN(o.jaccard.value, 2000 / 7000.0, 4 * (o.jaccard.high - o.jaccard.value));
    blm_free(f);
    blm_free(g);
}

/* ---- what must not be joined ---------------------------------------------------------------------------- */

static void others_are_refused(void **state)
{
    blm_filter *f = sliced(700, 7, 50, 1), *old = NULL, *out = NULL;
    blm_filter *same = made("standard bits=700b hashes=7 keys=50 seed=1");
    blm_filter *other = sliced(707, 7, 50, 1);
    (void)state;
    add_run(f, 0, 50);
    OK(blm_copy(&old, f, &why));
    REFUSED(blm_merge(f, same, &why), BLM_E_MISMATCH, "kind");
    ORACLE_HOLDS("1.A3", "not merged with a standard filter of equal m and k", blm_equal(f, old));
    REFUSED(blm_merge(f, other, &why), BLM_E_MISMATCH, "slice");
    SAYS("101");
    REFUSED(blm_intersect(f, same, &why), BLM_E_MISMATCH, "kind");
    REFUSED(blm_fold(&out, other, 1, &why), BLM_E_ARG, "slices of 101 bits");
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    assert_true(blm_equal(f, old) && !out);
    blm_free(f);
    blm_free(old);
    blm_free(same);
    blm_free(other);
}

/* A bit after the last slice belongs to no key. */
static void adopted_cells(void **state)
{
    blm_filter *f = sliced(25, 3, 5, 1), *g = sliced(25, 3, 5, 1);
    uint8_t cells[8];
    size_t n;
    (void)state;
    add_run(f, 0, 5);
    memcpy(cells, blm_cells(f, &n), sizeof cells);
    OK(blm_adopt(g, cells, n, &why));
    assert_true(same_cells(f, g) && field(f, "ones") == field(g, "ones"));
    cells[3] |= 1; /* bit 24: 3 slices of 8 end there */
    REFUSED(blm_adopt(g, cells, n, &why), BLM_E_ARG, "past the last");
    assert_true(same_cells(f, g));
    blm_free(f);
    blm_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_the_table),
        cmocka_unit_test(never_below_classic_and_near_it_at_last),
        cmocka_unit_test(product_of_the_fills),
        cmocka_unit_test(spread_between_filters),
        cmocka_unit_test(one_bit_in_each_slice),
        cmocka_unit_test(one_slice_is_standard),
        cmocka_unit_test(bits_are_rounded_down),
        cmocka_unit_test(smallest_that_keeps_the_rate),
        cmocka_unit_test(theory_without_an_answer),
        cmocka_unit_test(size_is_the_mean_of_the_slices),
        cmocka_unit_test(full_is_a_lower_bound),
        cmocka_unit_test(overlap_of_two),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(adopted_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test.c - counters that stick, deletes that leave no trace, thresholds. */
#include "kinds/counters.h"
#include "oracles.h"

static blm_filter *counters(uint64_t cells, unsigned width, unsigned hashes, uint64_t keys,
                            uint64_t seed)
{
    char with[24];
    snprintf(with, sizeof with, "width=%u", width);
    return made_new(BLM_CONFIG(.kind = "counting", .bits = cells * width, .hashes = hashes,
                               .keys = keys, .seed = seed, .with = with, .overfill = true));
}

/* ---- counting -------------------------------------------------------------------------------------- */

static void three_times_is_three(void **state)
{
    blm_filter *f = made("counting keys=100 fpr=1%");
    blm_estimate n;
    (void)state;
    assert_int_equal(blm_count(f, "plum", 4, &n), BLM_OK);
    assert_true(n.value == 0 && n.low == 0 && n.high == 0 && !n.bound);
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_true(n.value == 0 && n.low == 0 && n.high == 0 && !n.bound);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(blm_add(f, "plum", 4), BLM_OK);
    assert_int_equal(blm_count(f, "plum", 4, &n), BLM_OK);
    assert_true(n.value == 3 && n.high == 3 && n.low <= 3 && !n.bound);
    blm_free(f);
}

/* Key i came i % 7 times: no count is below that, none above 15 without a bound. */
static void counts_are_never_low(void **state)
{
    blm_filter *f = counters(4000, 4, 4, 1000, 1);
    (void)state;
    for (uint64_t i = 0; i < 700; i++)
        for (uint64_t t = 0; t < i % 7; t++) assert_int_equal(blm_add_u64(f, i), BLM_OK);
    unsigned exact = 0;
    for (uint64_t i = 0; i < 700; i++) {
        const blm_estimate n = times_u64(f, i);
        assert_true(n.value >= (double)(i % 7) || n.bound);
        assert_true(n.bound == (n.value == 15));
        exact += n.value == (double)(i % 7);
    }
    assert_true(exact > 600 && exact < 700); /* lambda 0.6: four counters in five keys are shared */
    check_census(f, 4);
    blm_free(f);
}

/* Every width: one key, up to its ceiling and beyond, then as many deletes. */
static void saturation_sticks(void **state)
{
    (void)state;
    for (unsigned width = 2; width <= 16; width++) {
        blm_filter *f = counters(1000, width, 3, 100, 1);
        const uint64_t top = (UINT64_C(1) << width) - 1;
        for (uint64_t i = 1; i < top; i++) {
            assert_int_equal(blm_add_u64(f, 42), BLM_OK);
            const blm_estimate n = times_u64(f, 42);
            assert_true(n.value == (double)i && n.high == n.value && !n.bound);
        }
        assert_int_equal(info_of(f).lost, 0);
        for (unsigned i = 0; i < 2; i++) { /* the ceiling, and once more */
            assert_int_equal(blm_add_u64(f, 42), BLM_OK);
            const blm_estimate n = times_u64(f, 42);
            assert_true(n.value == (double)top && n.low == 0 && isinf(n.high) && n.bound);
            assert_int_equal(field(f, "stuck"), 3);
            assert_int_equal(info_of(f).lost, BLM_DEL_EXACT);
        }
        for (uint64_t i = 0; i <= top; i++) assert_int_equal(del_u64(f, 42), BLM_OK);
        assert_true(blm_has_u64(f, 42) && times_u64(f, 42).bound);
        check_census(f, width);
        blm_free(f);
    }
}

static void sixteen_adds_of_four_bits(void **state)
{
    blm_filter *f = made("counting keys=100 fpr=1%"), *g = NULL;
    blm_estimate n;
    (void)state;
    assert_int_equal(field(f, "width"), 4);
    for (unsigned i = 0; i < 16; i++) assert_int_equal(blm_add(f, "x", 1), BLM_OK);
    assert_int_equal(blm_count(f, "x", 1, &n), BLM_OK);
    ORACLE_HOLDS("1.B1", "16 adds of one key, 4 bits: 15 and a bound", n.value == 15 && n.bound);
    for (unsigned i = 0; i < 16; i++) assert_int_equal(blm_del(f, "x", 1), BLM_OK);
    ORACLE_HOLDS("1.B1", "16 deletes later it is still there", blm_has(f, "x", 1));
    assert_int_equal(info_of(f).promises & BLM_DEL_EXACT, 0);
    OK(blm_copy(&g, f, &why));
    assert_int_equal(info_of(g).lost, BLM_DEL_EXACT);
    assert_int_equal(blm_clear(f), BLM_OK);
    assert_int_equal(info_of(f).lost, 0);
    assert_int_equal(field(f, "stuck"), 0);
    blm_free(f);
    blm_free(g);
}

/* At lambda = ln 2 a counter reaches 3 with a chance of 0.03331 and 7 with 8.342e-6 (Poisson). Probes of
 * one key that meet count once, which lowers the load by less than k / 2m of itself. */
static void shares_of_stuck_counters(void **state)
{
    static const struct {
        unsigned width;
        uint64_t cells;
        double share;
    } table[] = {{2, 400000, 0.03331}, {3, 16000000, 8.342e-6}};
    const unsigned k = 7;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t m = table[i].cells, n = (uint64_t)(log(2) * (double)m / k + 0.5);
        blm_filter *f = counters(m, table[i].width, k, n, 1);
        add_run(f, 0, n);
        const double want = table[i].share * (double)m;
        assert_true(want > 100);
        WITHIN((double)field(f, "stuck"), want, 4 * sqrt(want));
        WITHIN((double)field(f, "used"), (double)m / 2, 4 * blm_fill_sd(m, k, n));
        blm_free(f);
    }
}

/* ---- deleting ---------------------------------------------------------------------------------------- */

static void deleting_from_nothing_changes_nothing(void **state)
{
    blm_filter *f = made("counting keys=100 fpr=1%"), *old = NULL;
    (void)state;
    OK(blm_copy(&old, f, &why));
    assert_int_equal(blm_del(f, "x", 1), BLM_E_ABSENT);
    assert_true(blm_equal(f, old));
    blm_free(old);
    add_run(f, 0, 100);
    OK(blm_copy(&old, f, &why));
    unsigned refused = 0;
    for (uint64_t i = 1000; i < 1100; i++)
        refused += !blm_has_u64(f, i) && del_u64(f, i) == BLM_E_ABSENT;
    assert_true(refused > 90 && blm_equal(f, old));
    assert_int_equal(blm_del(f, NULL, 3), BLM_E_ARG);
    blm_estimate n;
    bool yes = true;
    assert_int_equal(blm_count(f, NULL, 3, &n), BLM_E_ARG);
    assert_int_equal(blm_at_least(f, NULL, 3, 1, &yes), BLM_E_ARG);
    assert_true(blm_equal(f, old));
    blm_free(f);
    blm_free(old);
}

/* In another order than they came. */
static void deleting_all_leaves_zeros(void **state)
{
    (void)state;
    for (unsigned width = 4; width <= 16; width += 3) {
        blm_filter *f = counters(5000, width, 5, 500, width),
                   *empty = counters(5000, width, 5, 500, width);
        add_run(f, 0, 500);
        assert_int_equal(field(f, "stuck"), 0);
        for (uint64_t i = 0; i < 500; i++) assert_int_equal(del_u64(f, i * 7 % 500), BLM_OK);
        assert_true(same_cells(f, empty));
        assert_int_equal(field(f, "used"), 0);
        assert_int_equal(info_of(f).adds, 500); /* calls of add: sums, the same in any order */
        blm_free(f);
        blm_free(empty);
    }
}

/* Few counters and many hashes: probes of one key meet often, and must go as they came. */
static void deleting_half_is_building_the_rest(void **state)
{
    static const struct {
        uint64_t cells;
        unsigned width, hashes;
    } table[] = {{6000, 6, 5}, {40, 16, 20}, {7, 16, 64}, {1, 16, 3}, {61, 11, 9}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t m = table[i].cells;
        const unsigned w = table[i].width, k = table[i].hashes;
        blm_filter *f = counters(m, w, k, 300, 1), *rest = counters(m, w, k, 300, 1);
        add_run(f, 0, 300);
        add_run(rest, 150, 150);
        for (uint64_t j = 0; j < 150; j++) assert_int_equal(del_u64(f, j), BLM_OK);
        assert_true(same_cells(f, rest) && has_run(f, 150, 150));
        assert_int_equal(field(f, "used"), field(rest, "used"));
        check_census(f, w);
        blm_free(f);
        blm_free(rest);
    }
}

/* ---- merging, adopting ----------------------------------------------------------------------------- */

static void merging_adds_and_stops(void **state)
{
    (void)state;
    for (unsigned width = 2; width <= 16; width += 2) {
        blm_filter *a = counters(300, width, 3, 100, 1), *b = counters(300, width, 3, 100, 1),
                   *both = counters(300, width, 3, 100, 1);
        const uint64_t top = (UINT64_C(1) << width) - 1, reps = top / 2 + 1;
        for (uint64_t t = 0; t < reps; t++) {
            add_run(a, 0, 2);
            add_run(b, 1, 2);
            add_run(both, 0, 2);
            add_run(both, 1, 2);
        }
        check_census(a, width);
        OK(blm_merge(a, b, &why));
        assert_true(blm_equal(a, both));
        assert_true(times_u64(a, 1).bound && times_u64(a, 1).value == (double)top);
        assert_true(times_u64(a, 0).value >= (double)reps && times_u64(a, 2).value >= (double)reps);
        check_census(a, width);
        blm_free(a);
        blm_free(b);
        blm_free(both);
    }
}

/* Any counters at all, in arrays that end inside a word and at its end: the sums, and nothing else. */
static void merging_counter_by_counter(void **state)
{
    (void)state;
    for (unsigned width = 2; width <= 16; width++)
        for (uint64_t cells = 256; cells <= 300; cells += 44) {
            blm_filter *f[2] = {counters(cells, width, 3, 100, 1),
                                counters(cells, width, 3, 100, 1)};
            const unsigned top = (1u << width) - 1;
            uint8_t bits[608];
            unsigned want[300];
            uint64_t random = width;
            size_t n;
            blm_cells(f[0], &n);
            for (unsigned i = 0; i < 2; i++) {
                for (size_t at = 0; at < n; at++) bits[at] = (uint8_t)draw(&random);
                for (uint64_t bit = cells * width; bit < n * 8; bit++)
                    bits[bit / 8] &= (uint8_t) ~(1u << bit % 8);
                OK(blm_adopt(f[i], bits, n, &why));
            }
            for (uint64_t i = 0; i < cells; i++) {
                want[i] = counter(f[0], width, i) + counter(f[1], width, i);
                if (want[i] > top) want[i] = top;
            }
            OK(blm_merge(f[0], f[1], &why));
            for (uint64_t i = 0; i < cells; i++) assert_int_equal(counter(f[0], width, i), want[i]);
            check_census(f[0], width);
            blm_free(f[0]);
            blm_free(f[1]);
        }
}

static void mixed_widths_do_not_merge(void **state)
{
    blm_filter *a = counters(300, 4, 3, 10, 1), *b = counters(300, 8, 3, 10, 1);
    (void)state;
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "width differs: 4 and 8");
    blm_free(a);
    blm_free(b);
}

static void adopted_counters_are_counted(void **state)
{
    uint8_t cells[16] = {0x0f, 0x10, 0xff}; /* 4 bits each: 15, 0, 0, 1, 15, 15 */
    blm_filter *f = counters(30, 4, 3, 10, 1);
    (void)state;
    REFUSED(blm_adopt(f, cells, 15, &why), BLM_E_ARG, "15 bytes");
    OK(blm_adopt(f, cells, 16, &why));
    assert_int_equal(field(f, "used"), 4);
    assert_int_equal(field(f, "stuck"), 3);
    check_census(f, 4);
    cells[15] = 1; /* counter 30 of 30 */
    REFUSED(blm_adopt(f, cells, 16, &why), BLM_E_ARG, "past the last counter");
    assert_int_equal(field(f, "used"), 4);
    memset(cells, 0xff, 15);
    cells[15] = 0;
    OK(blm_adopt(f, cells, 16, &why));
    blm_estimate n;
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    NEAR(n.value, log1p(-29.0 / 30) / (3 * log1p(-1.0 / 30)), 1e-12);
    assert_true(n.bound && info_of(f).fill == 1 && blm_fpr(f, NULL).high == 1);
    blm_free(f);
}

static void touched_are_its_counters(void **state)
{
    (void)state;
    for (unsigned width = 2; width <= 16; width++) {
        blm_filter *f = counters(333, width, 6, 50, 1);
        add_run(f, 0, 50);
        for (uint64_t key = 0; key < 60; key++) {
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            blm_touch t[6];
            unsigned low = 1u << width;
            check_touched(f, &it, t, 6, 6);
            for (unsigned i = 0; i < 6; i++) {
                assert_true(t[i].cell < 333 && t[i].byte == t[i].cell * width / 8);
                assert_int_equal(t[i].value, counter(f, width, t[i].cell));
                low = t[i].value < low ? (unsigned)t[i].value : low;
            }
            assert_true(times_u64(f, key).value == low && blm_has_u64(f, key) == (low > 0));
        }
        blm_free(f);
    }
}

/* ---- sizes -------------------------------------------------------------------------------------------- */

/* The rate and size estimate of the standard filter with as many cells. */
static void rate_and_size_are_those_of_bits(void **state)
{
    blm_filter *f = counters(10000, 4, 7, 1000, 1),
               *g = made_new(BLM_CONFIG(.kind = "standard", .bits = 10000, .hashes = 7,
                                        .keys = 1000, .seed = 1));
    (void)state;
    add_run(f, 0, 1000);
    add_run(g, 0, 1000);
    assert_int_equal(field(f, "used"), field(g, "ones"));
    assert_true(blm_fpr(f, NULL).high == blm_fpr(g, NULL).high &&
                blm_fpr(f, NULL).low == blm_fpr(g, NULL).low);
    assert_true(blm_fpr(f, NULL).spread == 0 && blm_fpr(g, NULL).spread == 0); /* given the fill */
    assert_true(info_of(f).keys.value == info_of(g).keys.value &&
                info_of(f).fill == info_of(g).fill);
    assert_true(info_of(f).keys.low == info_of(g).keys.low);
    const blm_rate x = blm_fpr(f, &(blm_case){.keys = 900}),
                   y = blm_fpr(g, &(blm_case){.keys = 900});
    assert_true(x.low == y.low && x.high == y.high && x.spread == y.spread);
    const double p = blm_fpr(f, NULL).high; /* 4 sigma given the fill */
    WITHIN((double)false_yes(f, 100000), 1e5 * p, 4 * sqrt(1e5 * p));
    blm_free(f);
    blm_free(g);
}

static void widths_and_their_limits(void **state)
{
    static const char *const bad[] = {"width=1",   "width=17", "width=0",
                                      "width=3.5", "width=x",  "width="};
    char spec[64];
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "counting keys=10 %s", bad[i]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i]);
        SAYS("2");
        SAYS("16");
    }
    REFUSED(blm_make(&f, "counting bits=3b hashes=2", &why), BLM_E_ARG, "bits 3");
    REFUSED(blm_make(&f, "counting keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
    REFUSED(blm_make(&f, "counting keys=7e15 fpr=1e-20", &why), BLM_E_ARG, "cells");
    for (unsigned width = 2; width <= 16; width++) {
        snprintf(spec, sizeof spec, "counting keys=1000 fpr=1%% width=%u", width);
        f = made(spec);
        assert_int_equal(field(f, "cells"), 9595); /* of standard, exactly */
        assert_int_equal(field(f, "hashes"), 7);
        assert_int_equal(field(f, "width"), width);
        assert_int_equal(info_of(f).bits, (9595 * width + 63) / 64 * 64);
        blm_free(f);
    }
    f = made("counting bits=1001b keys=20 width=7");
    assert_int_equal(field(f, "cells"), 143);
    assert_int_equal(field(f, "hashes"), blm_best_hashes(143, 20));
    blm_free(f);
}

/* ---- thresholds ------------------------------------------------------------------------------------ */

/* 1000 insertions of other keys: a key that never came is taken for one of theta with the rate of theory,
 * given here by its own sum; 20 filters, and 4 sigma of both the strangers and the filters. */
static void threshold_rates(void **state)
{
    enum { M = 2000, K = 4, N = 1000, PROBES = 20000 };
    (void)state;
    for (unsigned theta = 2; theta <= 3; theta++) {
        double low = 0, term = pow(1 - 1.0 / M, (double)K * N); /* P(counter < theta), binomial */
        for (unsigned l = 0; l < theta; l++) {
            low += term;
            term *= (double)(K * N - l) / (l + 1) / (M - 1);
        }
        const double rate = pow(1 - low, K);
        NEAR(blm_threshold_rate(M, K, N, theta), rate, 1e-9);
        uint64_t hits = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            blm_filter *f = counters(M, 4, K, N, seed);
            add_run(f, 0, N);
            for (uint64_t key = 0; key < PROBES; key++)
                hits += at_least_u64(f, key + (1u << 30), theta);
            blm_free(f);
        }
        /* The share of cells at theta or more is about 1 - low, with sd below that of a binomial; the
         * rate is its K-th power. */
        const double want = 20.0 * PROBES * rate;
        const double between = K * sqrt(low / ((1 - low) * M)) / sqrt(20);
        assert_true(want > 100);
        WITHIN((double)hits, want, 4 * sqrt(want + want * between * (want * between)));
    }
}

static void thresholds_never_miss(void **state)
{
    blm_filter *f = counters(4000, 4, 4, 1000, 1);
    bool yes = true;
    (void)state;
    for (uint64_t i = 0; i < 600; i++)
        for (uint64_t t = 0; t < i % 5; t++) assert_int_equal(blm_add_u64(f, i), BLM_OK);
    for (uint64_t i = 0; i < 600; i++)
        for (uint64_t t = 0; t <= i % 5; t++) assert_true(at_least_u64(f, i, t));
    assert_true(at_least_u64(f, 999999, 0));
    for (unsigned i = 0; i < 15; i++) assert_int_equal(blm_add(f, "x", 1), BLM_OK);
    assert_int_equal(blm_at_least(f, "x", 1, 15, &yes), BLM_OK);
    assert_true(yes);
    yes = false;
    assert_int_equal(blm_at_least(f, "x", 1, 16, &yes), BLM_E_UNSURE); /* the counters stop at 15 */
    assert_false(yes);
    yes = true;
    assert_int_equal(blm_at_least(f, "stranger", 8, 16, &yes),
                     BLM_OK); /* its own do not: a sure no */
    assert_false(yes);
    blm_free(f);
    f = made("standard keys=10");
    blm_estimate n;
    assert_int_equal(blm_at_least(f, "x", 1, 1, &yes), BLM_E_CANNOT);
    assert_int_equal(blm_count(f, "x", 1, &n), BLM_E_CANNOT);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_times_is_three),
        cmocka_unit_test(counts_are_never_low),
        cmocka_unit_test(saturation_sticks),
        cmocka_unit_test(sixteen_adds_of_four_bits),
        cmocka_unit_test(shares_of_stuck_counters),
        cmocka_unit_test(deleting_from_nothing_changes_nothing),
        cmocka_unit_test(deleting_all_leaves_zeros),
        cmocka_unit_test(deleting_half_is_building_the_rest),
        cmocka_unit_test(merging_adds_and_stops),
        cmocka_unit_test(merging_counter_by_counter),
        cmocka_unit_test(mixed_widths_do_not_merge),
        cmocka_unit_test(adopted_counters_are_counted),
        cmocka_unit_test(touched_are_its_counters),
        cmocka_unit_test(rate_and_size_are_those_of_bits),
        cmocka_unit_test(widths_and_their_limits),
        cmocka_unit_test(threshold_rates),
        cmocka_unit_test(thresholds_never_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

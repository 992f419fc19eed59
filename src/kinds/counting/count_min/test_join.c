/* test_join.c - inner products of sketches: never below the size of the join, seldom far above. */
#include <bloomery/theory/sketch.h>

#include "core/unit.h"
#include "test_stream.h"
#include "oracles.h"

static blm_overlap overlap_of(const blm_filter *a, const blm_filter *b)
{
    blm_overlap o;
    OK(blm_overlap_of(a, b, &o, &why));
    return o;
}

static blm_estimate join_of(const blm_filter *a, const blm_filter *b)
{
    return overlap_of(a, b).join;
}

static void check_join(blm_estimate join, double value, double low, double high, bool bound)
{
    assert_true(join.value == value && join.low == low && join.high == high && join.bound == bound);
}

/* Within 4 standard errors, which are a fraction of a key. */
static void check_size(blm_estimate size, double truth)
{
    assert_true(size.high - size.value < 0.3);
    WITHIN(size.value, truth, 4 * (size.high - size.value));
}

/* ---- by hand ----------------------------------------------------------------------------------------- */

static void few_keys_are_exact(void **state)
{
    static const char *const specs[] = {"count-min keys=4000 fpr=0.1%",
                                        "count-min keys=4000 fpr=0.1% update=plain"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *a = made(specs[i]), *b = made(specs[i]);
        const bool plain = field(a, "update") == 0;
        check_join(join_of(a, b), 0, 0, 0, false);
        for (uint64_t k = 0; k < 20; k++) assert_int_equal(add_weight(a, k, k + 1), BLM_OK);
        check_join(join_of(a, b), 0, 0, 0, false);
        for (uint64_t k = 10; k < 35; k++) assert_int_equal(add_weight(b, k, 2), BLM_OK);
        /* 2 (11 + ... + 20); at most 20 times 50, or 2 times 210 */
        blm_overlap o = overlap_of(a, b);
        check_join(o.join, 310, 0, plain ? 310 : 420, false);
        assert_int_equal(o.dot, 10 * field(a, "hashes"));
        assert_true(!o.a_may_be_subset && !o.b_may_be_subset);
        check_size(o.a, 20);
        check_size(o.b, 25);
        check_size(o.common, 10);
        check_size(o.both_sets, 35);
        check_join(join_of(b, a), 310, 0, plain ? 310 : 420, false);
        for (uint64_t k = 20; k < 35; k++) assert_int_equal(add_weight(a, k, 1), BLM_OK);
        o = overlap_of(a, b);
        assert_true(!o.a_may_be_subset && o.b_may_be_subset);
        o = overlap_of(b, a);
        assert_true(o.a_may_be_subset && !o.b_may_be_subset);
        blm_free(a);
        blm_free(b);
    }
}

/* Products past 2^64, and past what a double tells exactly: the upper end is rounded up. */
static void large_weights(void **state)
{
    const uint64_t most = UINT64_C(1) << 48, odd = (UINT64_C(1) << 47) + 1;
    blm_filter *a = made("count-min keys=100 fpr=1% update=plain width=64");
    blm_filter *b = made("count-min keys=100 fpr=1% update=plain width=64");
    (void)state;
    for (unsigned i = 0; i < 8; i++) assert_int_equal(add_weight(a, 1, most), BLM_OK);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(add_weight(b, 1, most), BLM_OK);
    check_join(join_of(a, b), 0x1p101, 0, 0x1p101 * (1 + 0x1p-50), false);
    blm_free(b);
    b = made("count-min keys=100 fpr=1% update=plain width=64");
    assert_int_equal(add_weight(b, 1, odd), BLM_OK); /* 2^51 (2^47 + 1): 48 digits */
    assert_int_equal(add_weight(a, 2, 1), BLM_OK);
    assert_int_equal(add_weight(b, 2, 1), BLM_OK); /* and one more, which no double has */
    const blm_estimate j = join_of(a, b);
    assert_true(j.value == 0x1p98 + 0x1p51 && j.high > j.value);
    blm_free(a);
    blm_free(b);
}

static void add_much(blm_filter *f, uint64_t key, uint64_t weight)
{
    const uint64_t most = UINT64_C(1) << 48; /* of one add */
    for (; weight; weight -= weight < most ? weight : most)
        assert_int_equal(add_weight(f, key, weight < most ? weight : most), BLM_OK);
}

/* Sums that pass 2^64 and 2^128 where no product does. */
static void sums_carry_over(void **state)
{
    static const char spec[] = "count-min keys=10000 fpr=1% update=plain width=64";
    const uint64_t half = UINT64_C(1) << 63, middle = UINT64_C(1) << 32;
    blm_filter *a = made(spec), *b = made(spec);
    (void)state;
    for (uint64_t key = 0; key < 2; key++) {
        add_much(a, key, middle);
        add_much(b, key, middle / 2);
    }
    assert_true(join_of(a, b).value == 0x1p64);
    for (uint64_t key = 2; key < 7; key++) {
        add_much(a, key, half);
        add_much(b, key, half);
    }
    assert_true(join_of(a, b).value == 0x1p64 + 5 * 0x1p126);
    blm_free(a);
    blm_free(b);
    /* 3 * 2^126 + 2^63 (2^63 - 2^32) = 2^128 - 2^95 is (2^64 - 2^31) 2^64; 2^32 (2^63 - 1) leaves 2^32 to 2^128: where that
     * comes last, one is carried through a middle of ones. */
    a = made(spec), b = made(spec);
    for (uint64_t key = 0; key < 4; key++) {
        add_much(a, key, half);
        add_much(b, key, key ? half : half - middle);
    }
    add_much(a, 4, middle);
    add_much(b, 4, half - 1);
    add_much(a, 5, middle);
    add_much(b, 5, 1);
    assert_true(join_of(a, b).value == 0x1p128);
    blm_free(a);
    blm_free(b);
}

static void what_cannot_be_joined(void **state)
{
    blm_filter *a = made("count-min keys=100 threshold=50"),
               *b = made("count-min keys=100 threshold=50");
    blm_overlap o;
    (void)state;
    assert_false(blm_can(a, BLM_OVERLAP));
    REFUSED(blm_overlap_of(a, b, &o, &why), BLM_E_CANNOT, "overlap");
    blm_free(b);
    blm_free(a);
    a = made("count-min keys=100 update=plain"), b = made("count-min keys=100");
    REFUSED(blm_overlap_of(a, b, &o, &why), BLM_E_MISMATCH, "update differs");
    blm_free(b);
    b = made("count-min keys=100 update=plain seed=2");
    REFUSED(blm_overlap_of(a, b, &o, &why), BLM_E_MISMATCH, "seed differs");
    blm_free(a);
    blm_free(b);
    a = made("standard keys=100"), b = made("standard keys=100");
    assert_true(join_of(a, b).value < 0); /* a set has no counts */
    blm_free(a);
    blm_free(b);
}

/* ---- ceilings ---------------------------------------------------------------------------------------- */

/* A key at the ceiling in both filters takes part in every row; in one of them alone it brings nothing. */
static void ceilings_are_told(void **state)
{
    static const char *const specs[] = {"count-min keys=500 fpr=0.1% width=4",
                                        "count-min keys=500 fpr=0.1% width=4 update=plain"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *a = made(specs[i]), *b = made(specs[i]);
        assert_int_equal(add_weight(a, 1, 100), BLM_OK);
        assert_int_equal(add_weight(a, 2, 3), BLM_OK);
        assert_int_equal(add_weight(b, 2, 4), BLM_OK);
        assert_true(field(a, "stuck") > 0);
        check_join(join_of(a, b), 12, 0, 12, false);
        assert_int_equal(add_weight(b, 1, 1), BLM_OK);
        check_join(join_of(a, b), 27, 0, (double)INFINITY, true);
        check_join(join_of(b, a), 27, 0, (double)INFINITY, true);
        blm_free(a);
        blm_free(b);
    }
}

/* Two columns, 30 rows: a key that is stuck meets another one in about half of the rows, and the rest tells. */
static void rows_that_lost_count_are_passed_over(void **state)
{
    blm_filter *a = made("count-min bits=240b hashes=30 width=4 keys=2 update=plain overfill=yes");
    blm_filter *b = made("count-min bits=240b hashes=30 width=4 keys=2 update=plain overfill=yes");
    (void)state;
    assert_int_equal(field(a, "columns"), 2);
    assert_int_equal(add_weight(a, 1, 15), BLM_OK); /* at the ceiling */
    assert_int_equal(add_weight(a, 2, 3), BLM_OK);
    assert_int_equal(add_weight(b, 2, 4), BLM_OK);
    assert_int_equal(field(a, "stuck"), 30);
    check_join(join_of(a, b), 12, 0, 12, false);
    blm_free(a);
    blm_free(b);
}

/* ---- streams ----------------------------------------------------------------------------------------- */

enum { STREAM_KEYS = 1000, DRAWS = 5000, TRIALS = 200, ROW_TRIALS = 800 };

typedef struct trial {
    blm_filter *a, *b;
    double truth;
} trial;

/* Two Zipf streams, a key of B being the key of A that is `shift` ranks away. */
static trial streams(const char *with, uint64_t seed, uint64_t shift)
{
    static uint64_t in_a[STREAM_KEYS], in_b[STREAM_KEYS];
    char spec[120];
    snprintf(spec, sizeof spec, "count-min keys=1000 overfill=yes seed=%llu %s",
             (unsigned long long)seed, with);
    trial t = {made(spec), made(spec), 0};
    zipf_stream(t.a, STREAM_KEYS, DRAWS, 2 * seed, in_a);
    memset(in_b, 0, sizeof in_b);
    double sum[STREAM_KEYS];
    uint64_t random = 2 * seed + 1;
    zipf_sums(sum, STREAM_KEYS);
    for (unsigned i = 0; i < DRAWS; i++) {
        const uint64_t key = (zipf_draw(sum, STREAM_KEYS, &random) + shift) % STREAM_KEYS;
        assert_int_equal(add_weight(t.b, key, 3), BLM_OK);
        in_b[key] += 3;
    }
    for (size_t i = 0; i < STREAM_KEYS; i++) t.truth += (double)(in_a[i] * in_b[i]);
    return t;
}

static void drop(trial *t)
{
    blm_free(t->a);
    blm_free(t->b);
}

/* eps 0.01 and delta 0.05, 3 rows of 272: by the paper the excess passes eps N1 N2 in 5 % of the trials at most. */
static void joins_stay_below_eps(void **state)
{
    const double both = (double)DRAWS * 3 * DRAWS;
    unsigned low = 0, over = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        trial t = streams("eps=0.01 delta=0.05 update=plain", seed, seed % 2 ? 0 : 400);
        assert_int_equal(field(t.a, "columns"), 272);
        assert_int_equal(field(t.a, "hashes"), 3);
        const blm_estimate j = join_of(t.a, t.b);
        assert_true(j.high == j.value && j.low == 0 && !j.bound);
        low += j.value < t.truth;
        over += j.value > t.truth + 0.01 * both;
        drop(&t);
    }
    ORACLE_HOLDS("1.B11", "a join is never below the truth", low == 0);
    /* One-sided, 99 %: 5 % of the trials and 2.326 sd. */
    ORACLE_AT_MOST("1.B11", "joins over eps N1 N2", 0.05 + 2.326 * sqrt(0.05 * 0.95 / TRIALS),
                   (double)over / TRIALS);
}

/* Each of the N1 N2 - J pairs of different keys shares a column with a chance of 1/w: the mean excess of one row. */
static void excess_of_one_row(void **state)
{
    double sum = 0, squares = 0, want = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= ROW_TRIALS; seed++) {
        trial t = streams("bits=16000b hashes=1 update=plain", seed, 400);
        const double columns = (double)field(t.a, "columns");
        const double excess = join_of(t.a, t.b).value - t.truth;
        assert_true(columns == 500);
        sum += excess, squares += excess * excess;
        want += ((double)DRAWS * 3 * DRAWS - t.truth) / columns;
        drop(&t);
    }
    const double mean = sum / ROW_TRIALS,
                 sd = sqrt((squares / ROW_TRIALS - mean * mean) / ROW_TRIALS);
    WITHIN(mean, want / ROW_TRIALS, 4 * sd);
    assert_true(sd < mean / 5); /* or the comparison would see nothing */
    ORACLE_NEAR("1.B11", "mean excess of a join in one row, of (N1 N2 - J) / w", 1, 4 * sd / mean,
                sum / want);
}

/* The certain limits hold, the value is at most that of plain counters; and it is below the truth where counters are
 * few, which is why its upper limit is another one. One row is plain. */
static void conservative_joins(void **state)
{
    unsigned wrong = 0, above = 0, below = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++)
        for (unsigned i = 0; i < 2; i++) {
            const char *const size = i ? "bits=4800b hashes=3" : "eps=0.01 delta=0.05";
            char with[60];
            trial t = streams(size, seed, 0);
            snprintf(with, sizeof with, "%s update=plain", size);
            trial plain = streams(with, seed, 0);
            const blm_estimate j = join_of(t.a, t.b), p = join_of(plain.a, plain.b);
            wrong += !(j.low <= t.truth && t.truth <= j.high && j.value <= j.high) || j.bound;
            above += j.value > p.value || j.high > 15000.0 * DRAWS;
            below += j.value < t.truth;
            drop(&t);
            drop(&plain);
        }
    assert_int_equal(wrong, 0);
    assert_int_equal(above, 0);
    assert_true(below > 0);
    trial t = streams("bits=4800b hashes=1", 1, 0),
          plain = streams("bits=4800b hashes=1 update=plain", 1, 0);
    const blm_estimate p = join_of(plain.a, plain.b);
    check_join(join_of(t.a, t.b), p.value, 0, p.high, false);
    drop(&t);
    drop(&plain);
}

/* Row by row a product of sums; the limits of merged conservative filters hold, too. */
static void joins_add_up(void **state)
{
    trial one = streams("bits=16000b hashes=1 update=plain", 1, 0);
    trial two = streams("bits=16000b hashes=1 update=plain", 1, 7);
    (void)state;
    const double apart = join_of(one.a, one.b).value + join_of(one.a, two.b).value;
    OK(blm_merge(one.b, two.b, &why));
    assert_true(join_of(one.a, one.b).value == apart);
    drop(&one);
    drop(&two);
    one = streams("bits=4800b hashes=3", 1, 0), two = streams("bits=4800b hashes=3", 1, 7);
    const double truth = one.truth + two.truth; /* both have the same A */
    OK(blm_merge(one.b, two.b, &why));
    const blm_estimate j = join_of(one.a, one.b);
    assert_true(j.low <= truth && truth <= j.high && j.value <= j.high);
    drop(&one);
    drop(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_keys_are_exact),
        cmocka_unit_test(large_weights),
        cmocka_unit_test(sums_carry_over),
        cmocka_unit_test(what_cannot_be_joined),
        cmocka_unit_test(ceilings_are_told),
        cmocka_unit_test(rows_that_lost_count_are_passed_over),
        cmocka_unit_test(joins_stay_below_eps),
        cmocka_unit_test(excess_of_one_row),
        cmocka_unit_test(conservative_joins),
        cmocka_unit_test(joins_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

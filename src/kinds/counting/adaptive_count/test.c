/* test.c - runs of ones: never shorter than the count, as long as theory says, and ended by a limit. */
#include "kinds/counters.h"
#include "kinds/places.h"
#include "oracles.h"

static bool bit(const blm_filter *f, uint64_t at)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    assert_true(at < n * 8);
    return cells[at / 8] >> at % 8 & 1;
}

/* As docs/format.md has it. */
static uint64_t place(const blm_filter *f, uint64_t lo, unsigned i)
{
    return high(word_of(lo, i), field(f, "cells"));
}

static bool has_base(const blm_filter *f, uint64_t lo)
{
    for (unsigned i = 0; i < field(f, "hashes"); i++)
        if (!bit(f, place(f, lo, i))) return false;
    return true;
}

static unsigned run_of(const blm_filter *f, uint64_t key)
{
    const uint64_t lo = blm_item_u64(f, key, BLM_NO_ARG).h.lo, limit = field(f, "limit");
    const unsigned k = (unsigned)field(f, "hashes");
    unsigned run = 0;
    assert_true(has_base(f, lo) == blm_has_u64(f, key));
    while (run < limit && bit(f, place(f, lo, k + run))) run++;
    return has_base(f, lo) ? run : 0;
}

/* ---- the figures of the literature ------------------------------------------------------------------ */

static blm_filter *filled(uint64_t keys, unsigned times)
{
    blm_filter *f = made("adaptive-count bits=1048576b hashes=4 keys=100000 overfill=yes seed=1");
    for (unsigned t = 0; t < times; t++) add_run(f, 0, keys);
    return f;
}

/* 2^20 bits, 4 base bits; all keys once, then all again. The literature's figures are of one array and have their own
 * error: 4 sigma of the difference of two. A run has sqrt((t + 1) r) / (1 - r) at most; so many runs share few bits. */
static void runs_as_in_the_literature(void **state)
{
    static const struct {
        uint64_t keys;
        unsigned times;
        double fill, run, right; /* right: share of keys whose run is the count */
        const char *what[3];
    } at[] = {
        {20000, 1, 0.0918, 1.146, 0, {"fill of 20000 keys once", "run of keys once", NULL}},
        {20000,
         5,
         0.168,
         5.85,
         0.45,
         {"fill of 20000 keys five times", "run of keys five times", "runs of five"}},
        {50000,
         5,
         0.408,
         7.66,
         0,
         {"fill of 50000 keys five times", "run of 50000 keys five times", NULL}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(at); i++) {
        blm_filter *f = filled(at[i].keys, at[i].times);
        const double n = (double)at[i].keys, t = at[i].times, r = info_of(f).fill;
        double sum = 0;
        uint64_t right = 0, low = 0;
        for (uint64_t key = 0; key < at[i].keys; key++) {
            const unsigned run = run_of(f, key);
            sum += run / n;
            right += run == at[i].times;
            low += run < at[i].times;
            if (run == 1) assert_true(times_u64(f, key).value == 1 && times_u64(f, key).high == 1);
        }
        const double sd = sqrt((t + 1) * r) / (1 - r) / sqrt(n), off = 4 * sd * sqrt(2) + 0.005;
        ORACLE_BETWEEN("1.B8", at[i].what[0], at[i].fill, at[i].fill - 0.0008, at[i].fill + 0.0008,
                       r);
        ORACLE_BETWEEN("1.B8", at[i].what[1], at[i].run, at[i].run - off, at[i].run + off, sum);
        assert_true(sum > t &&
                    sum < (t + r) / (1 - r)); /* as if the array had been so full all along */
        if (at[i].what[2])
            ORACLE_BETWEEN("1.B8", at[i].what[2], at[i].right, at[i].right - 0.02,
                           at[i].right + 0.02, (double)right / n);
        assert_int_equal(low, 0);
        blm_free(f);
    }
}

/* An add sets the base bits that are zero, and one bit more. */
static void an_add_sets_one_bit_more(void **state)
{
    blm_filter *f = made("adaptive-count keys=3000 fpr=1%");
    bool one = true;
    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t key = i % 700, lo = blm_item_u64(f, key, BLM_NO_ARG).h.lo,
                       before = field(f, "ones");
        uint64_t base = 0, seen[64];
        for (unsigned j = 0; j < field(f, "hashes"); j++) {
            const uint64_t at = seen[j] = place(f, lo, j);
            bool twin = false;
            for (unsigned l = 0; l < j; l++) twin = twin || seen[l] == at;
            base += !bit(f, at) && !twin;
        }
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        bool fresh = !base;
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_true(fresh == (base > 0));
        one = one && field(f, "ones") == before + base + 1;
    }
    ORACLE_HOLDS("1.B8", "each add sets one further bit", one);
    blm_free(f);
}

/* ---- what is said of a count ------------------------------------------------------------------------ */

/* In a nearly empty array a run is the count. */
static void one_key_many_times(void **state)
{
    blm_filter *f = made("adaptive-count bits=1048576b hashes=4 keys=4000");
    (void)state;
    assert_true(times_u64(f, 42).value == 0 && times_u64(f, 42).high == 0);
    for (unsigned t = 1; t <= 3000; t++) {
        OK(blm_add_u64(f, 42));
        const blm_estimate n = times_u64(f, 42);
        assert_true(!n.bound && n.low <= n.value && n.value <= n.high && n.high <= run_of(f, 42));
        WITHIN(n.value, t, 1 + 0.005 * t); /* 0.3 % of the bits are ones in the end */
    }
    blm_free(f);
}

/* The estimate by numbers: 2^20 bits, 105,000 of them ones; g = 0.10551, r / (1 - r) = 0.11128, (e^g - 1) / g = 1.0547. */
static void an_estimate_by_hand(void **state)
{
    blm_filter *f = made("adaptive-count bits=1048576b hashes=4 keys=40000");
    (void)state;
    for (unsigned t = 0; t < 5; t++) OK(blm_add_u64(f, 7));
    assert_int_equal(run_of(f, 7), 5);
    forge_field(f, "ones", 105000);
    const blm_estimate n = times_u64(f, 7);
    NEAR(n.value, (5 - 0.11128) / 1.0547, 1e-4);
    /* Of one place 0.0595 on the way and 0.1237 at its end, 0.00098 t^2 for adds that came together: 0.43 / 1.0547. */
    NEAR(n.value - n.low, sqrt(4.6352 * 0.0595 + 0.1237 + 0.00098 * 4.6352 * 4.6352) / 1.0547,
         5e-3);
    assert_true(n.high == 5 || n.high - n.value <= n.value - n.low + 1e-12);
    blm_free(f);
}

/* Bursts at any time, and keys that come evenly: the mean error is below a twentieth, and 19 of 20 lie within twice
 * the standard error. */
static void bursts_and_steady_keys(void **state)
{
    enum { KEYS = 4000, TIMES = 10 };
    (void)state;
    for (int steady = 0; steady < 2; steady++) {
        blm_filter *f = made("adaptive-count keys=4000 repeat=10 fpr=1%");
        double sum = 0;
        unsigned outside = 0;
        for (uint64_t i = 0; i < KEYS * TIMES; i++)
            OK(blm_add_u64(f, steady ? i % KEYS : i / TIMES));
        for (uint64_t i = 0; i < KEYS; i++) {
            const blm_estimate n = times_u64(f, i);
            sum += n.value - TIMES;
            outside += fabs(n.value - TIMES) > 2 * fmax(n.value - n.low, n.high - n.value);
        }
        WITHIN(sum / KEYS, 0, TIMES / 20.0);
        assert_true(outside <= KEYS / 20);
        blm_free(f);
    }
}

/* ---- ends ------------------------------------------------------------------------------------------- */

static void runs_end_at_the_limit(void **state)
{
    blm_filter *f = made("adaptive-count bits=1048576b hashes=4 keys=9000"), *full = NULL;
    bool yes = false;
    const uint8_t key[8] = {42};
    (void)state;
    assert_int_equal(field(f, "limit"), 4096);
    for (unsigned t = 0; t < 4200; t++) OK(blm_add_u64(f, 42));
    assert_int_equal(run_of(f, 42), 4096);
    assert_false(bit(f, place(f, blm_item_u64(f, 42, BLM_NO_ARG).h.lo, 4 + 4096)));
    assert_true(times_u64(f, 42).bound && isinf(times_u64(f, 42).high));
    assert_true(times_u64(f, 42).value > 4000 && times_u64(f, 42).value <= 4200);
    OK(blm_copy(&full, f, &why));
    OK(blm_add_u64(f, 42));
    assert_true(same_cells(f, full) && info_of(f).adds == 4201);
    assert_int_equal(blm_at_least(f, key, 8, 5000, &yes), BLM_E_UNSURE);
    assert_int_equal(blm_at_least(f, key, 8, 3000, &yes), BLM_OK);
    assert_true(yes);
    blm_free(full);
    blm_free(f);
}

/* All ones: every key is there, every run ends at the limit, and no number is infinite but the upper end. */
static void a_full_array_ends(void **state)
{
    enum { BYTES = 128 };
    uint8_t cells[BYTES];
    blm_filter *f = made("adaptive-count bits=1024b hashes=4 keys=20 overfill=yes");
    (void)state;
    memset(cells, 0xff, sizeof cells);
    OK(blm_adopt(f, cells, sizeof cells, &why));
    for (uint64_t i = 0; i < 100; i++) {
        const blm_estimate n = times_u64(f, i);
        OK(blm_add_u64(f, i));
        assert_true(blm_has_u64(f, i) && n.bound && n.value == 1 && isinf(n.high));
    }
    assert_int_equal(field(f, "ones"), 1024);
    assert_true(blm_fpr(f, NULL).high == 1);
    blm_free(f);
}

/* Base bits that others have set, and no further one: an add leaves no key so, and 0 is certain. */
static void a_run_of_none_is_no_member(void **state)
{
    blm_filter *f = filled(50000, 1);
    uint64_t none = 0, some = 0;
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        const uint64_t key = (UINT64_C(1) << 40) + i;
        const blm_estimate n = times_u64(f, key);
        if (!blm_has_u64(f, key)) {
            assert_true(n.value == 0 && n.high == 0);
            continue;
        }
        assert_true((run_of(f, key) == 0) == (n.value == 0));
        *(n.value > 0 ? &some : &none) += 1;
    }
    assert_true(none > 100 && some > 20);
    blm_free(f);
}

/* ---- sizes and wishes ------------------------------------------------------------------------------- */

/* 5 base bits and 1 more: 0.1 % at a fill of 0.2512, which (6/5) (1 - e^(-5n/m)) of m bits reach at m = 21.29 n. Higher
 * rates would let the array be fuller than counts can bear: 0.3 bits per bit. */
static void sizes_by_hand(void **state)
{
    blm_filter *f = made("adaptive-count keys=1e6 fpr=0.1%");
    (void)state;
    assert_int_equal(field(f, "hashes"), 5);
    NEAR((double)field(f, "cells"), -5e6 / log1p(-pow(0.001, 0.2) / 1.2), 1e-4);
    assert_true(blm_fpr(f, &(blm_case){.keys = 1000000}).high <= 0.001);
    blm_free(f);
    f = made("adaptive-count keys=1e6 fpr=1%");
    assert_true(field(f, "hashes") == 4 && field(f, "cells") == 16666667);
    blm_free(f);
    f = made("adaptive-count keys=1e6 fpr=30%");
    assert_true(field(f, "hashes") == 1 && field(f, "cells") == 6666667);
    blm_free(f);
    f = made("adaptive-count keys=1e5 fpr=1% repeat=5 hashes=4");
    NEAR((double)field(f, "cells"), 9e5 / 0.3, 1e-4);
    blm_free(f);
    f = made("adaptive-count keys=1e5 fpr=1% repeat=5 hashes=3"); /* (1 + 5/3) (1 - e^(-3n/m)) */
    NEAR((double)field(f, "cells"), -3e5 / log1p(-0.375 * cbrt(0.01)), 1e-4);
    blm_free(f);
    f = made(
        "adaptive-count keys=1e5 bits=1600000b"); /* 0.3 of 16 bits per key: 4, one of them for the count */
    assert_int_equal(field(f, "hashes"), 3);
    blm_free(f);
    assert_int_equal(blm_make(&f, "adaptive-count keys=1e5 bits=600000b", &why), BLM_OK);
    assert_int_equal(field(f, "hashes"), 1);
    blm_free(f);
}

static void what_makes_no_sense(void **state)
{
    static const char *const bad[] = {"limit=1",  "limit=65536", "limit=2.5",
                                      "repeat=0", "repeat=1.5",  "repeat=65536"};
    char spec[64];
    blm_filter *f = NULL, *g = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "adaptive-count keys=10 %s", bad[i]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i]);
        SAYS("65535");
    }
    REFUSED(blm_make(&f, "adaptive-count keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "2^58 bits");
    REFUSED(blm_make(&f, "adaptive-count keys=10 max-count=9", &why), BLM_E_ARG, "must be 1");
    assert_null(f);
    f = made("adaptive-count keys=50"), g = made("adaptive-count keys=50");
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "the longer one");
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    assert_int_equal(info_of(f).promises, BLM_NO_MISS);
    blm_free(f);
    blm_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_as_in_the_literature),
        cmocka_unit_test(an_add_sets_one_bit_more),
        cmocka_unit_test(one_key_many_times),
        cmocka_unit_test(an_estimate_by_hand),
        cmocka_unit_test(bursts_and_steady_keys),
        cmocka_unit_test(runs_end_at_the_limit),
        cmocka_unit_test(a_full_array_ends),
        cmocka_unit_test(a_run_of_none_is_no_member),
        cmocka_unit_test(sizes_by_hand),
        cmocka_unit_test(what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

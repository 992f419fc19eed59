/* test_growth.c - a filter with twice the buckets, and two filters in one: the same fingerprints. */
#include "test_tables.h"

/* 64 * 2^12 fingerprints and 6 of 8 cells for 1536 keys: 98304 keys have a rate of 1 - e^-0.375 = 0.31, twice as many
 * 0.53. */
static void what_is_full_grows(void **state)
{
    blm_filter *f = prints(64, 12, 4, 8, 1), *old_f = NULL;
    uint64_t n = 0, before, after;
    (void)state;
    for (unsigned times = 1; times <= 6; times++) {
        while (!blm_add_u64(f, n)) n++;
        assert_true(n >= UINT64_C(1536) << (times - 1));
        const uint64_t bits = info_of(f).bits, used = field(f, "used"), stuck = field(f, "stuck");
        uint64_t *old = all_prints(f, &before);
        OK(blm_grow(f, &why));
        uint64_t *now = all_prints(f, &after);
        assert_true(before == after && memcmp(old, now, (size_t)before * sizeof *old) == 0);
        assert_true(field(f, "doublings") == times && field(f, "used") == used);
        assert_int_equal(field(f, "stuck"), stuck);
        assert_int_equal(info_of(f).bits, bits * 2 / (15 - times) * (14 - times));
        assert_true(blm_fpr(f, NULL).high == (double)used / 262144);
        assert_int_equal(info_of(f).capacity, 1536 << times);
        NEAR(info_of(f).fpr_target, 1 - exp(-(double)(1536 << times) / 262144), 1e-3);
        assert_true(has_run(f, 0, n) && all_distinct(f));
        blm_estimate one = times_u64(f, 5);
        assert_true(one.value >= 1);
        free(old);
        free(now);
    }
    OK(blm_copy(&old_f, f, &why));
    REFUSED(blm_grow(f, &why), BLM_E_FULL, "grown 6 times");
    assert_true(blm_equal(f, old_f));
    blm_free(old_f);
    assert_int_equal(blm_clear(f), BLM_OK);
    assert_int_equal(field(f, "doublings"), 0);
    assert_int_equal(info_of(f).capacity, 1536);
    blm_free(f);
}

/* Planned: at the promised rate. Twice the keys after growing: at twice the rate, which is the promise now. */
static void growing_doubles_room_and_rate(void **state)
{
    blm_filter *f = made("dleft keys=6000 fpr=1%");
    (void)state;
    add_run(f, 0, 7000);
    const double rate = blm_fpr(f, &(blm_case){.keys = 6000}).high;
    OK(blm_grow(f, &why));
    assert_true(blm_fpr(f, &(blm_case){.keys = 6000}).high == rate);
    add_run(f, 7000, 4900);
    NEAR(blm_fpr(f, NULL).high, 11900 / 6000.0 * rate, 0.02);
    blm_free(f);
}

static void growing_without_memory_changes_nothing(void **state)
{
    purse c = {0, 0, 0, 0};
    const blm_alloc a = {purse_get, purse_put, &c};
    blm_filter *f = made_new(BLM_CONFIG(.kind = "dleft", .keys = 100, .alloc = &a)), *old = NULL,
               *g = made("dleft keys=100");
    (void)state;
    add_run(f, 0, 100);
    OK(blm_copy(&old, f, &why));
    c.refuse_at = c.calls + 1;
    REFUSED(blm_grow(f, &why), BLM_E_NOMEM, "bytes of cells");
    c.refuse_at = c.calls + 1;
    REFUSED(blm_merge(f, g, &why), BLM_E_NOMEM, "bytes of cells");
    assert_true(blm_equal(f, old));
    blm_free(old);
    blm_free(g);
    blm_free(f);
    assert_int_equal(c.held, 0);
}

/* ---- merging --------------------------------------------------------------------------------------------- */

static void merging_adds_counters(void **state)
{
    blm_filter *a = made("dleft keys=1000 fpr=1% width=4"),
               *b = made("dleft keys=1000 fpr=1% width=4"),
               *both = made("dleft keys=1000 fpr=1% width=4");
    uint64_t n, m;
    (void)state;
    add_run(a, 0, 500);
    add_run(b, 400, 500);
    for (unsigned i = 0; i < 9; i++) add_run(a, 7, 1), add_run(b, 7, 1);
    add_run(both, 0, 900);
    OK(blm_grow(b, &why)); /* they need not have grown alike */
    OK(blm_merge(a, b, &why));
    assert_true(field(a, "doublings") == 1 && has_run(a, 0, 900) && all_distinct(a));
    for (uint64_t i = 0; i < 900; i++)
        assert_true(times_u64(a, i).value >= (i >= 400 && i < 500 ? 2 : 1));
    assert_true(times_u64(a, 7).bound && times_u64(a, 7).value == 15);
    assert_int_equal(info_of(a).lost, BLM_DEL_EXACT);
    uint64_t *x = all_prints(a, &n), *y = all_prints(both, &m);
    assert_true(n == m && memcmp(x, y, (size_t)n * sizeof *x) == 0);
    assert_int_equal(info_of(a).adds, 1018);
    free(x);
    free(y);
    blm_free(a);
    blm_free(b);
    blm_free(both);
}

static void a_merge_without_room_is_refused(void **state)
{
    blm_filter *a = made("dleft keys=1000 fpr=1%"), *b = made("dleft keys=1000 fpr=1%"),
               *old = NULL;
    (void)state;
    add_run(a, 0, 1000);
    add_run(b, 1000, 1000);
    OK(blm_copy(&old, a, &why));
    REFUSED(blm_merge(a, b, &why), BLM_E_FULL, "of 1344 cells are in use");
    SAYS("4 buckets of a key are full");
    assert_true(blm_equal(a, old));
    OK(blm_grow(a, &why));
    OK(blm_merge(a, b, &why));
    assert_true(has_run(a, 0, 2000));
    blm_free(old);
    blm_free(b);
    b = made("dleft keys=1000 fpr=1% width=3");
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "differs");
    blm_free(a);
    blm_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_full_grows),
        cmocka_unit_test(growing_doubles_room_and_rate),
        cmocka_unit_test(growing_without_memory_changes_nothing),
        cmocka_unit_test(merging_adds_counters),
        cmocka_unit_test(a_merge_without_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

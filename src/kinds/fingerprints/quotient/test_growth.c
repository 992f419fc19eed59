/* test_growth.c - a table with twice the quotients, and two tables in one: the same fingerprints. */
#include "test_tables.h"

static void fill_bag(bag *all, const blm_filter *f, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++) bag_add(all, print_of(f, i));
}

/* Grown until remainders end, filled up each time. */
static void what_is_full_grows(void **state)
{
    (void)state;
    for (unsigned width = 0; width <= 3; width += 3) {
        blm_filter *f = table_for(50, 6, width, 1), *old = NULL;
        bag all = {NULL, 0, 0};
        uint64_t n = 0;
        for (unsigned times = 0; times < 6; times++) {
            const uint64_t room = UINT64_C(50) << times;
            assert_int_equal(info_of(f).capacity, room);
            NEAR(info_of(f).fpr_target,
                 fmax(f->target, -expm1(-(double)room / (double)table_of(f).range)), 0.02);
            add_run(f, n, room - 1 - n);
            fill_bag(&all, f, n, room - 1 - n);
            n = room - 1;
            assert_int_equal(blm_add_u64(f, 3), BLM_OK);
            bag_add(&all, print_of(f, 3));
            check_table(f, &all);
            if (times == 5) break;
            OK(blm_grow(f, &why));
            assert_int_equal(field(f, "doublings"), times + 1);
            check_table(f, &all);
            assert_true(blm_fpr(f, NULL).high ==
                        (double)field(f, "prints") / (double)table_of(f).range);
            assert_int_equal(del_u64(f, 3), BLM_OK);
            bag_del(&all, print_of(f, 3));
        }
        OK(blm_copy(&old, f, &why));
        REFUSED(blm_grow(f, &why), BLM_E_FULL, "grown 5 times");
        SAYS("remainders of 1 bits");
        assert_true(blm_equal(f, old) && has_run(f, 0, n));
        blm_free(old);
        assert_int_equal(blm_clear(f), BLM_OK);
        assert_true(field(f, "doublings") == 0 && info_of(f).capacity == 50);
        free(all.print);
        blm_free(f);
    }
}

/* A run whose blocks have offsets of 255 is shared by two homes after it. */
static void long_runs_grow(void **state)
{
    blm_filter *f = table_for(3000, 9, 0, 1);
    bag all = {NULL, 0, 0};
    uint64_t key = 0;
    (void)state;
    while (print_of(f, key) >> 9 > 1500) key++;
    for (unsigned i = 0; i < 900; i++) {
        assert_int_equal(blm_add_u64(f, key), BLM_OK);
        bag_add(&all, print_of(f, key));
    }
    add_run(f, key + 1, 2000);
    fill_bag(&all, f, key + 1, 2000);
    assert_true(check_table(f, &all) > 5);
    for (unsigned i = 0; i < 3; i++) {
        OK(blm_grow(f, &why));
        assert_true(check_table(f, &all) > 5);
    }
    assert_true(times_u64(f, key).value >= 900);
    free(all.print);
    blm_free(f);
}

static void growing_without_memory_changes_nothing(void **state)
{
    purse c = {0, 0, 0, 0};
    const blm_alloc a = {purse_get, purse_put, &c};
    blm_filter *f = made_new(BLM_CONFIG(.kind = "quotient", .keys = 100, .alloc = &a)), *old = NULL,
               *g = made("quotient keys=100");
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

/* Sets that share keys, and keys that come often, in tables that have grown alike or not: the bytes of both added to one. */
static void merged_as_if_added(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 24; round++) {
        const unsigned width = round % 3 * 2, r = 5 + round % 4 * 3;
        blm_filter *a = table_for(4000, r, width, 3), *b = table_for(4000, r, width, 3),
                   *both = table_for(4000, r, width, 3), *from = NULL;
        const uint64_t cut = UINT64_C(50) * round, more = UINT64_C(7) * round;
        for (unsigned i = 0; i < round % 5 / 2; i++) OK(blm_grow(a, &why));
        for (unsigned i = 0; i < round % 3; i++) OK(blm_grow(b, &why));
        for (unsigned i = 0; i < (round % 5 / 2 > round % 3 ? round % 5 / 2 : round % 3); i++)
            OK(blm_grow(both, &why));
        add_run(a, 0, cut + 300);
        add_run(both, 0, cut + 300);
        add_run(b, cut, 1500);
        add_run(both, cut, 1500);
        for (unsigned i = 0; i < more; i++) {
            assert_int_equal(blm_add_u64(a, 5) | blm_add_u64(b, 5 + i % 2), BLM_OK);
            assert_int_equal(blm_add_u64(both, 5) | blm_add_u64(both, 5 + i % 2), BLM_OK);
        }
        OK(blm_copy(&from, b, &why));
        OK(blm_merge(a, b, &why));
        assert_true(blm_equal(a, both) && blm_equal(b, from));
        assert_true(has_run(a, 0, cut + 1500));
        blm_free(a);
        blm_free(b);
        blm_free(both);
        blm_free(from);
    }
}

static void a_merge_without_room_is_refused(void **state)
{
    blm_filter *a = made("quotient keys=1000 fpr=1%"), *b = made("quotient keys=1000 fpr=1%"),
               *old = NULL;
    (void)state;
    add_run(a, 0, 1000);
    add_run(b, 1000, 1000);
    OK(blm_copy(&old, a, &why));
    REFUSED(blm_merge(a, b, &why), BLM_E_FULL, "1000 and 1000");
    SAYS("grow one of them");
    assert_true(blm_equal(a, old));
    OK(blm_grow(b, &why));
    OK(blm_merge(a, b, &why));
    assert_true(has_run(a, 0, 2000) && field(a, "doublings") == 1);
    blm_free(old);
    blm_free(b);
    b = made("quotient keys=1000 fpr=1% width=3");
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "differs");
    blm_free(a);
    blm_free(b);
}

/* As many slots as there is room for, and one more. */
static void merged_to_the_last_slot(void **state)
{
    blm_filter *a = table_for(1000, 9, 0, 1), *b = table_for(1000, 9, 0, 1);
    const uint64_t room = field(a, "quotients") - (field(a, "quotients") + 19) / 20;
    (void)state;
    add_run(a, 0, 600);
    add_run(b, 5000, room - 600 + 1);
    REFUSED(blm_merge(a, b, &why), BLM_E_FULL, "do not fit");
    assert_int_equal(del_u64(b, 5000), BLM_OK);
    OK(blm_merge(a, b, &why));
    assert_true(field(a, "used") == room && has_run(a, 0, 600) && has_run(a, 5001, room - 600));
    blm_free(a);
    blm_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_full_grows),
        cmocka_unit_test(long_runs_grow),
        cmocka_unit_test(growing_without_memory_changes_nothing),
        cmocka_unit_test(merged_as_if_added),
        cmocka_unit_test(merged_to_the_last_slot),
        cmocka_unit_test(a_merge_without_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

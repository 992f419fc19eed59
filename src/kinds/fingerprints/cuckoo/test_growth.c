/* test_growth.c - twice the buckets, and two filters in one: the same fingerprints, a bit shorter. */
#include "test_tables.h"

/* The fingerprints of f with rests of so many bits are those of g. */
static void same_prints(const blm_filter *f, const blm_filter *g, unsigned low)
{
    uint64_t n, m, *x = all_prints(f, low, &n), *y = all_prints(g, low, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(x);
    free(y);
}

/* 1000 keys, 2000, 4000, ... down to rests of 5 bits, or where the numbers are too few: then it is as it was. */
static void grows(void **state)
{
    static const char *const with[] = {"", "form=sorted", "twins=once", "slots=8"};
    (void)state;
    for (size_t i = 0; i < COUNT(with); i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "cuckoo keys=1000 fpr=1%% %s", with[i]);
        blm_filter *f = made(spec), *before = NULL;
        const uint64_t width = field(f, "width");
        uint64_t n = 0;
        blm_err err = BLM_OK;
        for (unsigned times = 1;; times++) {
            const uint64_t room = info_of(f).capacity;
            add_many(f, n, room - n), n = room;
            OK(blm_copy(&before, f, &why));
            err = blm_grow(f, &why);
            if (err) break;
            assert_true(info_of(f).capacity == 2 * room && field(f, "doublings") == times);
            if (i != 2)
                same_prints(before, f, (unsigned)width - times); /* once: some are one now */
            check_table(f);
            const double wanted = blm_fpr(f, &(blm_case){.keys = 2 * room}).high;
            NEAR(info_of(f).fpr_target, fmax(wanted, 0.01), 1e-6);
            assert_true(has_run(f, 0, n));
            for (uint64_t key = 0; key < n && i < 2; key += 9)
                assert_true(times_u64(f, key).value >= times_u64(before, key).value);
            blm_free(before);
        }
        assert_int_equal(err, BLM_E_FULL);
        SAYS("whose number is fixed");
        assert_true(blm_equal(f, before) && field(f, "doublings") >= 3);
        assert_true(field(f, "doublings") == width - 5 || n > 8000);
        blm_free(before);
        assert_int_equal(blm_clear(f), BLM_OK);
        assert_true(field(f, "doublings") == 0 && info_of(f).capacity == 1000);
        blm_free(f);
    }
}

/* Planned: below the promise. Twice the keys after growing: twice that rate. */
static void growing_doubles_room_and_rate(void **state)
{
    blm_filter *f = made("cuckoo keys=100000 fpr=1%");
    (void)state;
    add_many(f, 0, 100000);
    const double rate = blm_fpr(f, NULL).high;
    OK(blm_grow(f, &why));
    NEAR(blm_fpr(f, NULL).high, rate, 0.005);
    add_many(f, 100000, 100000);
    NEAR(blm_fpr(f, NULL).high, 2 * rate, 0.01);
    WITHIN((double)false_yes(f, 200000), 4e5 * rate, 4 * sqrt(4e5 * rate));
    check_table(f);
    blm_free(f);
}

static void growing_without_memory_changes_nothing(void **state)
{
    purse c = {0, 0, 0, 0};
    const blm_alloc a = {purse_get, purse_put, &c};
    blm_filter *f = made_new(BLM_CONFIG(.kind = "cuckoo", .keys = 100, .alloc = &a)), *old = NULL,
               *g = made("cuckoo keys=100");
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

/* What both have is there twice, or once. They need not have grown alike. */
static void merges(void **state)
{
    (void)state;
    for (unsigned once = 0; once < 2; once++)
        for (unsigned grown = 0; grown < 3; grown++) {
            char spec[60];
            snprintf(spec, sizeof spec, "cuckoo keys=2000 fpr=1%% twins=%s",
                     once ? "once" : "keep");
            blm_filter *a = made(spec), *b = made(spec), *both = made(spec);
            add_run(a, 0, 800), add_run(b, 700, 800);
            add_run(both, 0, 800), add_run(both, 700, 800);
            if (grown & 1) OK(blm_grow(a, &why));
            if (grown & 2) OK(blm_grow(b, &why));
            OK(blm_merge(a, b, &why));
            assert_int_equal(field(a, "doublings"), grown > 0);
            assert_true(has_run(a, 0, 1500) && info_of(a).adds == 1600);
            for (uint64_t key = 0; !once && key < 1500; key++)
                assert_true(times_u64(a, key).value >= (key >= 700 && key < 800 ? 2 : 1));
            check_table(a);
            same_prints(a, both, (unsigned)field(a, "width") - 1);
            blm_free(a), blm_free(b), blm_free(both);
        }
}

static void a_merge_without_room_is_refused(void **state)
{
    blm_filter *a = made("cuckoo keys=1000 fpr=1%"), *b = made("cuckoo keys=1000 fpr=1%"),
               *old = NULL;
    (void)state;
    add_run(a, 0, 1000);
    add_run(b, 1000, 1000);
    OK(blm_copy(&old, a, &why));
    REFUSED(blm_merge(a, b, &why), BLM_E_FULL, "of 1072 slots are in use");
    SAYS("no fingerprint can make room");
    assert_true(blm_equal(a, old));
    OK(blm_grow(a, &why));
    OK(blm_merge(a, b, &why));
    assert_true(has_run(a, 0, 2000));
    blm_free(old);
    blm_free(b);
    static const char *const other[] = {"slots=8", "form=sorted", "twins=once"};
    for (size_t i = 0; i < COUNT(other); i++) {
        char spec[60];
        snprintf(spec, sizeof spec, "cuckoo keys=1000 fpr=1%% %s", other[i]);
        b = made(spec);
        REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "differs");
        blm_free(b);
    }
    blm_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows),
        cmocka_unit_test(growing_doubles_room_and_rate),
        cmocka_unit_test(growing_without_memory_changes_nothing),
        cmocka_unit_test(merges),
        cmocka_unit_test(a_merge_without_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_whole.c - two adaptive filters at a time; wishes, images and calls that make no sense; edges. */
#include "test_versions.h"

/* ---- two filters ------------------------------------------------------------------------------- */

/* As having added the keys of the other: selectors are those of the first. */
static void merging_joins_the_groups(void **state)
{
    static const char *const with[] = {"", "memory=shared", "reads=2", "every=2 policy=word"};
    uint64_t all_stuck = 0;
    (void)state;
    for (size_t w = 0; w < COUNT(with); w++) {
        const unsigned groups = w ? 4 : 2;
        blm_filter *a = words_of(24, groups, 4, with[w]), *b = words_of(24, groups, 4, with[w]),
                   *both = NULL;
        add_run(a, 0, 200);
        add_run(b, 150, 150);
        adapt_to(a, 0, 3000);
        adapt_to(b, 5000, 3000);
        const uint64_t mine = field(a, "adapted"), theirs = field(b, "adapted");
        const uint64_t stuck = field(a, "stuck") + field(b, "stuck");
        assert_true(mine > 10 && theirs > 5);
        OK(blm_copy(&both, a, &why));
        add_run(both, 150, 150);
        OK(blm_merge(a, b, &why));
        assert_true(same_cells(a, both) && has_run(a, 0, 300));
        assert_int_equal(field(a, "ones"), field(both, "ones"));
        assert_int_equal(field(a, "adapted"), mine + theirs);
        assert_int_equal(field(a, "stuck"), stuck);
        check_versions(a);
        all_stuck += stuck;
        blm_free(a);
        blm_free(b);
        blm_free(both);
    }
    assert_true(all_stuck > 0);
}

static void intersecting_keeps_what_is_common(void **state)
{
    blm_filter *a = words_of(40, 4, 4, "memory=shared"), *b = words_of(40, 4, 4, "memory=shared");
    (void)state;
    add_run(a, 0, 200);
    add_run(b, 100, 200);
    adapt_to(a, 0, 3000);
    adapt_to(b, 5000, 3000);
    OK(blm_intersect(a, b, &why));
    assert_true(has_run(a, 100, 100));
    check_versions(a);
    assert_int_equal(field(a, "adapted"), 0);
    blm_free(a);
    blm_free(b);
}

/* Built small, as long as nothing has changed; with changes no key is missed. */
static void folding_joins_neighbours(void **state)
{
    static const char *const with[] = {"", "memory=shared reads=2", "every=2 policy=word",
                                       "every=9"};
    (void)state;
    for (size_t w = 0; w < COUNT(with); w++) {
        blm_filter *f = words_of(64, 4, 4, with[w]), *small = words_of(32, 4, 4, with[w]),
                   *half = NULL, *again = NULL;
        add_run(f, 0, 250);
        add_run(small, 0, 250);
        OK(blm_fold(&half, f, 1, &why));
        assert_true(same_cells(half, small) && field(half, "ones") == field(small, "ones"));
        adapt_to(f, 0, 20000);
        assert_true(field(f, "adapted") > 1);
        if (w == 3) set_field(f, "waiting", 2);
        blm_free(half);
        OK(blm_fold(&half, f, 1, &why));
        assert_true(has_run(half, 0, 250) && !same_cells(half, small));
        assert_true(field(half, "ones") == field(small, "ones") && field(half, "adapted") == 0);
        assert_int_equal(field(half, "waiting"), 0);
        check_versions(half);
        OK(blm_fold(&again, half, 5, &why));
        assert_int_equal(field(again, "fast"), 8);
        blm_free(half);
        REFUSED(blm_fold(&half, again, 1, &why), BLM_E_ARG, "1 words cannot be folded");
        blm_free(f);
        blm_free(small);
        blm_free(again);
    }
}

static void settings_do_not_mix(void **state)
{
    static const char *const with[] = {"check=off", "every=2", "reads=2", "memory=shared",
                                       "every=2 policy=word"};
    static const char *const word[] = {"check differs: 0 and 1", "every differs: 1 and 2",
                                       "words differs: 1 and 2", "slow differs", "policy differs"};
    blm_filter *f = words_of(16, 4, 4, "");
    (void)state;
    for (size_t i = 0; i < COUNT(with); i++) {
        blm_filter *g = words_of(16, 4, 4, with[i]), *old = NULL;
        OK(blm_copy(&old, f, &why));
        REFUSED(blm_merge(f, g, &why), BLM_E_MISMATCH, word[i]);
        assert_true(blm_equal(f, old));
        blm_free(g);
        blm_free(old);
    }
    blm_free(f);
}

/* ---- misuse ------------------------------------------------------------------------------------ */

static void wishes_that_make_no_sense(void **state)
{
    static const char *const bad[][2] = {
        {"keys=10 groups=3", "groups=3"},
        {"keys=10 groups=1", "groups=1"},
        {"keys=10 every=0", "every"},
        {"keys=10 every=256", "255"},
        {"keys=10 every=1.5", "every=1.5"},
        {"keys=10 reads=5", "reads=5"},
        {"keys=10 hashes=1 reads=2", "hashes 1, reads 2"},
        {"keys=10 hashes=32", "hashes 32 in 1 reads: a word takes at most 31"},
        {"keys=10 hashes=63 reads=2", "hashes 63 in 2 reads: a word takes at most 31"},
        {"keys=10 bits=300b", "bits 300: too few; one word of 4 groups needs 768"},
        {"keys=10 memory=none", "memory"},
        {"keys=10 policy=all", "policy"},
        {"keys=7e15 fpr=1e-60", "7e+15 keys"},
        {"keys=10 check=maybe", "check"}};
    char spec[80];
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "adaptive %s", bad[i][0]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i][1]);
    }
    f = made("adaptive keys=10 hashes=31");
    blm_free(f);
    f = made("adaptive keys=10 hashes=64 reads=4");
    blm_free(f);
    f = made("adaptive keys=10 hashes=64 reads=all");
    assert_int_equal(field(f, "words"), 64);
    blm_free(f);
}

static void denying_what_is_absent(void **state)
{
    blm_filter *f = words_of(64, 4, 4, ""), *old = NULL, *view = NULL;
    (void)state;
    add_run(f, 0, 200);
    OK(blm_copy(&old, f, &why));
    for (uint64_t i = FAR; i < FAR + 500; i++)
        if (!blm_has_u64(f, i)) assert_int_equal(deny_u64(f, i), BLM_E_ABSENT);
    assert_int_equal(blm_deny(f, NULL, 3), BLM_E_ARG);
    assert_true(blm_equal(f, old) && blm_can(f, BLM_DENY) && !blm_can(f, BLM_DEL));
    blob image = image_of(f);
    OK(blm_view(&view, image.p, image.n, NULL, &why));
    assert_int_equal(deny_u64(view, 1), BLM_E_READONLY);
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    blm_free(view);
    free(image.p);
    blm_free(f);
    blm_free(old);
}

/* Cells that no filter has: each image is rejected, although its checksums are right. */
static void damaged_words(void **state)
{
    static const struct {
        const char *with, *says;
        uint64_t byte;
        uint8_t bits;
    } row[] = {
        {"", "word 3 does not match any of its groups", 3 * 8, 1},      /* fast: another bit     */
        {"", "word 3 does not match any of its groups", 3 * 8 + 7, 64}, /* another group         */
        {"", "word 2 does not match", 128 + (2 * 4 + 1) * 8 + 7, 128},  /* a selector in slow */
        {"", "number of ones", 128 + (2 * 4 + 1) * 8, 1},
        {"", "between the words", 120, 1},
        {"every=2 policy=word", "word 4 does not match", 128 + 15 * 4 * 8 + 4, 2},
        {"every=2 policy=word", "between the words", 128 + 15 * 4 * 8 + 15, 1},
        {"memory=shared", "number of ones", 3 * 8, 1},
        {"memory=shared", "word 0 does not match", 128 + 7, 128}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        blm_filter *f = words_of(15, 4, 4, row[i].with), *g = NULL;
        add_run(f, 0, 60);
        f->cells[row[i].byte] ^= row[i].bits;
        blob image = image_of(f);
        REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, row[i].says);
        free(image.p);
        blm_free(f);
    }
}

/* Fields that contradict each other, with right sums. */
static void forged_fields(void **state)
{
    static const struct {
        const char *name, *says;
        uint64_t value;
    } row[] = {{"waiting", "3 denied keys are waiting, but every 3-th", 3},
               {"ones", "more bits are one", 15 * 62 * 4 + 1},
               {"slow", "32 slow bytes per 8 fast ones", 15 * 4 * 8 + 8},
               {"fast", "32 slow bytes", 15 * 8 + 1},
               {"words", "hashes 7 in 5 words: use 1 to 4 words, or one word per bit", 5},
               {"words", "hashes 7, reads 8", 8},
               {"hashes", "a word takes at most 31", 32}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        blm_filter *f = words_of(15, 4, 7, "every=3"), *g = NULL;
        set_field(f, row[i].name, row[i].value);
        blob image = image_of(f);
        REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, row[i].says);
        free(image.p);
        blm_free(f);
    }
}

/* ---- edges ------------------------------------------------------------------------------------- */

/* Every word is full: every key passes, no denial helps, and size says "at least". */
static void full(void **state)
{
    blm_filter *f = words_of(2, 4, 8, "check=on");
    (void)state;
    add_run(f, 0, 500);
    assert_true(info_of(f).fill == 1 && blm_fpr(f, NULL).high == 1 && info_of(f).keys.bound);
    for (uint64_t i = FAR; i < FAR + 100; i++) assert_true(ask_and_deny(f, i));
    assert_int_equal(field(f, "stuck"), 100);
    blm_free(f);
    f = made("adaptive keys=1 fpr=1%");
    assert_int_equal(blm_add_u64(f, 7), BLM_OK);
    assert_true(blm_has_u64(f, 7) && info_of(f).keys.value > 0.9 && info_of(f).keys.value < 1.1);
    blm_free(f);
}

/* Questions look at the fast memory alone, and at one cache line. */
static void questions_read_the_fast_words(void **state)
{
    blm_filter *f = words_of(100, 8, 5, ""), *j = words_of(100, 2, 6, "reads=3");
    (void)state;
    add_run(f, 0, 800);
    adapt_to(f, 0, 2000);
    for (uint64_t key = FAR; key < FAR + 500; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        blm_touch t[6];
        bool yes = true;
        check_touched(f, &it, t, 6, 5);
        for (unsigned i = 0; i < 5; i++) {
            assert_true(t[i].byte < 800 && t[i].byte / 64 == t[0].byte / 64);
            assert_true(t[i].byte == t[i].cell / 8 && t[i].cell % 64 < 61);
            assert_int_equal(cell64(f, t[i].cell / 64 * 8) >> t[i].cell % 64 & 1, t[i].value);
            yes = yes && t[i].value;
        }
        assert_int_equal(blm_has_u64(f, key), yes);
        assert_int_equal(blm_touched(j, &it, t, 6), 6);
    }
    blm_free(f);
    blm_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_joins_the_groups),
        cmocka_unit_test(intersecting_keeps_what_is_common),
        cmocka_unit_test(folding_joins_neighbours),
        cmocka_unit_test(settings_do_not_mix),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(denying_what_is_absent),
        cmocka_unit_test(damaged_words),
        cmocka_unit_test(forged_fields),
        cmocka_unit_test(full),
        cmocka_unit_test(questions_read_the_fast_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test.c - words that change their group when a false positive is reported. */
#include "test_versions.h"
#include "oracles.h"

static const char *const ways[] = {"check=on", "check=off", "check=on memory=shared",
                                   "check=off memory=shared"};

/* ---- sequences --------------------------------------------------------------------------------- */

/* x1 is bad in the group in use alone, x2 in the other alone; both in one word. */
static void eleven_questions(void **state)
{
    static const unsigned sequence[] = {1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        blm_filter *f = words_of(1, 2, 4, ways[w]);
        uint64_t from = FAR;
        unsigned plain = 0, ours = 0;
        add_run(f, 0, 9);
        const uint64_t x1 = key_bad_in(f, &from, 1), x2 = key_bad_in(f, &from, 2);
        for (size_t i = 0; i < COUNT(sequence); i++) {
            const uint64_t key = sequence[i] == 1 ? x1 : x2;
            const setting s = setting_of(f);
            plain += bad_in(f, &s, key, 0);
            ours += ask_and_deny(f, key);
        }
        ORACLE_NEAR("2.B", "U1: false positives of a filter that stays", 10, 0, plain);
        ORACLE_NEAR("2.B", "U1: of one that adapts, with and without check", 3, 0, ours);
        assert_int_equal(info_of(f).denied, 3);
        assert_int_equal(field(f, "adapted"), 3);
        blm_free(f);
    }
}

static void bad_in_all_groups(void **state)
{
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        blm_filter *f = words_of(1, 2, 3, ways[w]), *before = NULL;
        const bool check = strstr(ways[w], "check=on") != NULL;
        const setting s = setting_of(f);
        uint64_t from = FAR;
        bool always = true, still = true, toggles = true;
        add_run(f, 0, 12);
        const uint64_t key = key_bad_in(f, &from, 3);
        OK(blm_copy(&before, f, &why));
        for (unsigned i = 0; i < 100; i++) {
            const unsigned was = chosen(f, &s, 0);
            always = always && ask_and_deny(f, key);
            still = still && chosen(f, &s, 0) == was;
            toggles = toggles && chosen(f, &s, 0) != was;
        }
        ORACLE_HOLDS("2.B", "U2: bad in both groups, every question is a false positive", always);
        if (check)
            ORACLE_HOLDS("2.B", "U2: with check the selector never moves", still);
        else
            ORACLE_HOLDS("2.B", "U2: without check it toggles", toggles);
        assert_int_equal(field(f, check ? "stuck" : "adapted"), 100);
        assert_int_equal(field(f, check ? "adapted" : "stuck"), 0);
        assert_true(!check || same_cells(f, before));
        blm_free(f);
        blm_free(before);
    }
}

/* Two keys by turns hold two groups for ever; with four, one of the groups is clean for both. */
static void ping_pong(void **state)
{
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        blm_filter *f = words_of(1, 2, 4, ways[w]);
        uint64_t from = FAR;
        unsigned bad = 0;
        add_run(f, 0, 9);
        const uint64_t x1 = key_bad_in(f, &from, 1), x2 = key_bad_in(f, &from, 2);
        for (unsigned i = 0; i < 100; i++) bad += ask_and_deny(f, i % 2 ? x2 : x1);
        ORACLE_NEAR("2.B", "ping-pong of two keys, two groups: of 100", 100, 0, bad);
        blm_free(f);
    }
    blm_filter *f = words_of(1, 4, 4, "check=on");
    uint64_t from = FAR;
    unsigned bad = 0;
    add_run(f, 0, 9);
    const uint64_t x1 = key_bad_in(f, &from, 1), x2 = key_bad_in(f, &from, 2);
    for (unsigned i = 0; i < 100; i++) bad += ask_and_deny(f, i % 2 ? x2 : x1);
    assert_int_equal(bad, 2); /* x1 moves to group 1, x2 on to group 2 */
    blm_free(f);
}

/* ---- no miss, whatever happens ----------------------------------------------------------------- */

/* Adds, denies and questions in any order, 64 words that get 512 keys. */
static void random_use(const char *with, unsigned groups, unsigned hashes, unsigned ops)
{
    blm_filter *f = words_of(64, groups, hashes, with);
    uint64_t random = groups + hashes, inside = 0, misses = 0, denied = 0;
    for (unsigned i = 0; i < ops; i++) {
        const uint64_t what = draw(&random);
        if (what % 100 == 0 && inside < 512)
            assert_int_equal(blm_add_u64(f, inside++), BLM_OK);
        else if (what % 2)
            denied += ask_and_deny(f, FAR + (what >> 8) % 5000);
        else if (inside)
            misses += !blm_has_u64(f, (what >> 8) % inside);
    }
    misses += !has_run(f, 0, inside);
    ORACLE_NEAR("2.B", "U3: misses in 10^6 operations", 0, 0, (double)misses);
    check_versions(f);
    ORACLE_HOLDS("2.B", "U4: the fast word is that of its group", true);
    assert_int_equal(info_of(f).denied, denied);
    const uint64_t adapted = field(f, "adapted"), stuck = field(f, "stuck");
    const bool blind = strstr(with, "check=off") != NULL;
    if (field(f, "every") == 1) {
        assert_int_equal(adapted + stuck, denied);
        if (!blind)
            ORACLE_AT_MOST("2.B", "U6: with check, changes a false positive", 1,
                           (double)adapted / (double)denied);
        if (blind)
            ORACLE_NEAR("2.B", "U6: without check, changes a false positive", 1, 0,
                        (double)adapted / (double)denied);
    }
    assert_true(denied > ops / 10000);
    blm_free(f);
}

static void no_miss_in_random_use(void **state)
{
    static const struct {
        const char *with;
        unsigned groups, hashes;
    } row[] = {{"check=on", 2, 4},
               {"check=off", 4, 4},
               {"check=on memory=shared", 8, 3},
               {"check=off memory=shared", 2, 4},
               {"check=on memory=shared", 4, 4},
               {"reads=2", 4, 5},
               {"reads=3 check=off memory=shared", 8, 6},
               {"reads=4 every=3 policy=word", 2, 4},
               {"reads=all", 4, 5},
               {"reads=all memory=shared check=off every=2", 8, 5}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++)
        random_use(row[i].with, row[i].groups, row[i].hashes, 1000000 / COUNT(row));
}

/* Whoever denies a member against the advice gets no miss of it. */
static void a_member_denied_stays(void **state)
{
    (void)state;
    for (size_t w = 0; w < COUNT(ways); w++) {
        blm_filter *f = words_of(4, 4, 4, ways[w]);
        add_run(f, 0, 40);
        for (uint64_t i = 0; i < 400; i++) {
            assert_int_equal(deny_u64(f, i % 40), BLM_OK);
            assert_true(has_run(f, 0, 40));
        }
        assert_int_equal(field(f, strstr(ways[w], "check=on") ? "stuck" : "adapted"), 400);
        check_versions(f);
        blm_free(f);
    }
}

/* ---- equalities -------------------------------------------------------------------------------- */

static void shared_answers_as_copies(void **state)
{
    (void)state;
    for (unsigned groups = 2; groups <= 8; groups *= 2)
        for (unsigned blind = 0; blind < 2; blind++) {
            blm_filter *f = words_of(32, groups, 4, blind ? "check=off" : "check=on"),
                       *g = words_of(32, groups, 4,
                                     blind ? "check=off memory=shared" : "check=on memory=shared");
            uint64_t random = 1, differ = 0;
            size_t n;
            for (uint64_t i = 0; i < 16000; i++) {
                const uint64_t key = FAR + draw(&random) % 2000;
                if (i % 50 == 0) add_run(f, i, 1), add_run(g, i, 1);
                differ += ask_and_deny(f, key) != ask_and_deny(g, key);
            }
            ORACLE_NEAR("2.B", "U5: answers of 16,000 that differ between copies and shared", 0, 0,
                        (double)differ);
            assert_true(field(f, "adapted") == field(g, "adapted") && field(f, "adapted") > 100);
            assert_true(field(f, "stuck") == field(g, "stuck"));
            assert_memory_equal(blm_cells(f, &n), blm_cells(g, &n), 32 * 8);
            check_versions(f);
            check_versions(g);
            blm_free(f);
            blm_free(g);
        }
}

/* One group has no selector and nothing to change to: it has 64 bits per word, as the kind word does. */
static void one_group_is_the_kind_word(void **state)
{
    (void)state;
    for (unsigned shared = 0; shared < 2; shared++)
        for (unsigned k = 1; k <= 32; k += 31) {
            blm_filter *word = made_new(BLM_CONFIG(.kind = "word", .bits = UINT64_C(64) * 100,
                                                   .hashes = k, .keys = 500, .overfill = true)),
                       *f = blm_blank(blm_kind_find("adaptive", 8), NULL);
            size_t n;
            set_field(f, "fast", 800);
            set_field(f, "slow", shared ? 0 : 800);
            set_field(f, "memory", shared);
            set_field(f, "check", k == 1);
            set_field(f, "hashes", k);
            set_field(f, "words", 1);
            set_field(f, "every", 1);
            assert_int_equal(blm_key_in(f, NULL, NULL), BLM_OK);
            OK(blm_furnish(f, &why));
            f->flags |= BLM_OVERFILL;
            f->capacity = f->look = 500;
            add_run(f, 0, 700);
            add_run(word, 0, 700);
            ORACLE_HOLDS("2.B", "U7: one group is Bloom-1, the kind word, bit for bit",
                         memcmp(blm_cells(f, &n), blm_cells(word, &n), 800) == 0 &&
                             field(f, "ones") == field(word, "ones") &&
                             blm_fpr(f, NULL).high == blm_fpr(word, NULL).high);
            for (uint64_t i = FAR; i < FAR + 2000; i++)
                assert_int_equal(ask_and_deny(f, i), blm_has_u64(word, i));
            assert_int_equal(field(f, "stuck"), info_of(f).denied);
            blm_free(f);
            blm_free(word);
        }
}

/* Cells as the page of the format has them. */
static void bits_are_those_of_the_page(void **state)
{
    static const char *const with[] = {"reads=1", "reads=2 memory=shared", "reads=3", "reads=all"};
    (void)state;
    for (size_t w = 0; w < COUNT(with); w++)
        for (unsigned groups = 2; groups <= 8; groups *= 2) {
            blm_filter *f = words_of(37, groups, 11, with[w]);
            const setting s = setting_of(f);
            uint64_t want[37][8] = {{0}};
            add_run(f, 0, 60);
            for (uint64_t key = 0; key < 60; key++)
                for (unsigned r = 0; r < s.reads; r++)
                    for (unsigned g = 0; g < groups; g++)
                        want[word_of_read(&s, lo_of(f, key), r)][g] |=
                            mask_of(&s, lo_of(f, key), g, r);
            for (uint64_t i = 0; i < 37; i++)
                for (unsigned g = 0; g < groups; g++)
                    assert_int_equal(version(f, &s, i, g), want[i][g]);
            check_versions(f);
            blm_free(f);
        }
}

/* ---- changes ----------------------------------------------------------------------------------- */

/* Copies: eight bytes of the fast memory, at a multiple of eight, are all that changes; they are bits and selector
 * together, so that there is no moment between the two. */
static void a_change_is_one_word(void **state)
{
    blm_filter *f = words_of(16, 4, 4, ""), *before = NULL;
    unsigned changes = 0;
    (void)state;
    add_run(f, 0, 160);
    for (uint64_t key = FAR; changes < 50; key++) {
        OK(blm_copy(&before, f, &why));
        const uint64_t adapted = field(f, "adapted");
        unsigned differ = 0;
        size_t n;
        ask_and_deny(f, key);
        blm_cells(f, &n);
        for (uint64_t at = 0; at < n; at += 8)
            if (cell64(f, at) != cell64(before, at)) differ += at < 16 * 8 ? 1 : 100;
        assert_int_equal(differ, field(f, "adapted") - adapted);
        assert_int_equal(field(f, "ones"), field(before, "ones"));
        changes += differ;
        blm_free(before);
    }
    blm_free(f);
}

/* whole: each third of all; word: each third of a word. */
static void each_third_deny(void **state)
{
    blm_filter *whole = words_of(2, 2, 4, "every=3"),
               *word = words_of(2, 2, 4, "every=3 policy=word");
    const setting s = setting_of(whole);
    uint64_t from = FAR, x[2] = {0, 0};
    (void)state;
    add_run(whole, 0, 18);
    add_run(word, 0, 18);
    while (!x[0] || !x[1]) { /* one in each word */
        const uint64_t key = key_bad_in(whole, &from, 1);
        x[word_of_read(&s, lo_of(whole, key), 0)] = key;
    }
    assert_true(ask_and_deny(whole, x[0]) && ask_and_deny(whole, x[0]));
    assert_int_equal(field(whole, "waiting"), 2);
    assert_int_equal(field(whole, "adapted"), 0);
    assert_true(ask_and_deny(whole, x[1])); /* the third is that of the other word */
    assert_true(chosen(whole, &s, 1) == 1 && chosen(whole, &s, 0) == 0);
    assert_true(field(whole, "waiting") == 0 && field(whole, "adapted") == 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(chosen(word, &s, 0) == 0 && chosen(word, &s, 1) == 0);
        assert_true(ask_and_deny(word, x[0]));
        assert_int_equal(chosen(word, &s, 0), i == 2);
        if (i < 2) assert_true(ask_and_deny(word, x[1]));
    }
    assert_true(chosen(word, &s, 1) == 0 && field(word, "adapted") == 1);
    assert_int_equal(info_of(word).denied, 5);
    assert_int_equal(ask_and_deny(word, x[0]), 0);
    assert_true(ask_and_deny(word, x[1]) && chosen(word, &s, 1) == 1);
    blob image = image_of(word);
    blm_filter *again = NULL;
    OK(blm_load(&again, image.p, image.n, NULL, &why));
    assert_true(blm_equal(again, word));
    free(image.p);
    blm_free(again);
    blm_free(whole);
    blm_free(word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eleven_questions),
        cmocka_unit_test(bad_in_all_groups),
        cmocka_unit_test(ping_pong),
        cmocka_unit_test(no_miss_in_random_use),
        cmocka_unit_test(a_member_denied_stays),
        cmocka_unit_test(shared_answers_as_copies),
        cmocka_unit_test(one_group_is_the_kind_word),
        cmocka_unit_test(bits_are_those_of_the_page),
        cmocka_unit_test(a_change_is_one_word),
        cmocka_unit_test(each_third_deny),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

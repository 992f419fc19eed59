/* test.c - what an add leaves, what a question asks for, and what nobody may ask for. */
#include <bloomery/theory/generalized.h>
#include "test_resets.h"
#include "core/forge.h"
#include "kinds/places.h"
#include "kinds/rates.h"
#include "oracles.h"

/* ---- the rule, compared with a plain array --------------------------------------------------------------- */

/* Keys, some of them twice in a row: every answer, every cell and their number, from every start. */
static void beside_a_plain_array(uint64_t m, pair k, const char *start, uint64_t seed)
{
    uint8_t bit[1024] = {0};
    const unsigned all = k.k0 + k.k1;
    bool twice_is_once = true;
    blm_filter *f = resetter(m, k, start, 50, seed);
    unpack(f, bit, m);
    for (uint64_t i = 0; i < (all > 100 ? 12 : 300); i++) {
        const blm_item it = blm_item_u64(f, i - i % 3 / 2, BLM_NO_ARG);
        uint64_t at[512];
        blm_touch read[512];
        bool fresh = false;
        places_of(it.h.lo, m, k, at);
        const bool had = ask_plainly(bit, at, k, false);
        assert_int_equal(blm_has_item(f, &it), had);
        assert_int_equal(blm_touched(f, &it, read, 512), all);
        for (unsigned j = 0; j < k.k0 && j < k.k1; j++)
            assert_true(read[2 * j].cell == at[k.k0 + j] && read[2 * j + 1].cell == at[j]);
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        add_plainly(bit, at, k);
        assert_true(fresh == !had && blm_has_item(f, &it));
        if (i % 3 == 2) twice_is_once = twice_is_once && !fresh;
    }
    uint8_t now[1024] = {0};
    uint64_t ones = 0;
    unpack(f, now, m);
    for (uint64_t i = 0; i < m; i++) ones += bit[i];
    assert_memory_equal(now, bit, sizeof now);
    assert_int_equal(field(f, "ones"), ones);
    assert_true(twice_is_once);
    blm_free(f);
}

static void each_add_and_question_as_written(void **state)
{
    static const char *const starts[] = {"", "start=ones", "start=random p0=0.3"};
    static const unsigned shape[][3] = {{1, 1, 1},    {7, 2, 2},    {8, 4, 4},      {40, 3, 3},
                                        {64, 1, 20},  {64, 20, 1},  {100, 50, 50},  {700, 3, 4},
                                        {1000, 0, 5}, {1000, 5, 0}, {513, 200, 312}};
    (void)state;
    for (size_t s = 0; s < COUNT(shape); s++)
        for (size_t i = 0; i < COUNT(starts); i++)
            for (int distinct = 0; distinct < 2; distinct++) {
                const pair k = {shape[s][1], shape[s][2], distinct};
                if (distinct && shape[s][0] < k.k0 + k.k1) continue;
                if ((!k.k0 && i == 1) || (!k.k1 && i == 0)) continue; /* all answers are yes */
                beside_a_plain_array(shape[s][0], k, starts[i], s);
            }
    ORACLE_HOLDS("2.A", "I1: a key that was just added answers yes", true);
    ORACLE_HOLDS("2.A", "I8: a key twice in a row changes nothing", true);
}

/* ---- equalities --------------------------------------------------------------------------------------------- */

static void no_resets_are_standard(void **state)
{
    static const unsigned table[][2] = {{1, 3}, {64, 1}, {777, 7}, {10000, 64}};
    bool same = true;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t m = table[i][0];
        const unsigned k = table[i][1];
        blm_filter *f = resetter(m, (pair){0, k, false}, "", 300, 3);
        blm_filter *g = made_new(
            BLM_CONFIG(.kind = "standard", .bits = m, .hashes = k, .keys = 300, .seed = 3));
        same = fill_alike(f, g, 1e-12) && same && field(f, "ones") == field(g, "ones");
        assert_true(blm_fnr(f, NULL).high <= 0 && blm_fnr(f, NULL).spread <= 0 &&
                    info_of(f).promises & BLM_NO_MISS);
        blm_free(f);
        blm_free(g);
    }
    ORACLE_HOLDS("2.A", "I2: k0=0 from zeros is standard, byte for byte", same);
}

static void no_sets_are_its_complement(void **state)
{
    blm_filter *f = resetter(777, (pair){7, 0, false}, "start=ones", 300, 3);
    blm_filter *g =
        made_new(BLM_CONFIG(.kind = "standard", .bits = 777, .hashes = 7, .keys = 300, .seed = 3));
    size_t n;
    bool same = true;
    (void)state;
    add_run(f, 0, 40);
    add_run(g, 0, 40);
    const uint8_t *x = blm_cells(f, &n), *y = blm_cells(g, &n);
    for (size_t i = 0; i < 777; i++) same = same && (x[i / 8] ^ y[i / 8]) >> i % 8 & 1;
    ORACLE_HOLDS("2.A", "I3: k1=0 from ones is the complement of standard", same);
    assert_int_equal(field(f, "ones"), 777 - field(g, "ones"));
    NEAR(blm_fpr(f, NULL).high, blm_fpr(g, NULL).high, 1e-12);
    assert_true(has_run(f, 0, 40));
    blm_free(f);
    blm_free(g);
}

/* Whatever was there first: a key is missed for what came after it, and nothing else. */
static void misses_do_not_depend_on_the_start(void **state)
{
    const pair k = {3, 4, true};
    uint64_t random = 1;
    unsigned missed = 0;
    bool same = true;
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        blm_filter *f[4] = {
            resetter(2000, k, "", 50, seed), resetter(2000, k, "start=ones", 50, seed),
            resetter(2000, k, "start=random p0=0.2", 50, seed), resetter(2000, k, "", 50, seed)};
        adopt_random(f[3], 3 / 7.0, &random);
        for (unsigned i = 0; i < 4; i++) add_run(f[i], 0, 100);
        for (uint64_t key = 0; key < 100; key++) {
            const bool has = blm_has_u64(f[0], key);
            missed += !has;
            for (unsigned i = 1; i < 4; i++) same = same && blm_has_u64(f[i], key) == has;
        }
        for (unsigned i = 0; i < 4; i++) blm_free(f[i]);
    }
    assert_true(missed > 100);
    ORACLE_HOLDS("2.A", "I7: from every start the same keys are missed", same);
}

/* ---- starts and bits of others -------------------------------------------------------------------------------- */

static void starts_have_their_share_of_zeros(void **state)
{
    static const double p0[] = {0.01, 0.1, 0.25, 0.5, 0.9, 0.99};
    enum { M = 1000003 };
    (void)state;
    for (size_t i = 0; i < COUNT(p0); i++) {
        char start[40];
        snprintf(start, sizeof start, "start=random p0=%g", p0[i]);
        blm_filter *f = resetter(M, (pair){2, 2, false}, start, 50, 5), *g = NULL;
        blm_filter *other = resetter(M, (pair){2, 2, false}, start, 50, 6);
        assert_false(same_cells(f, other));
        WITHIN((double)field(f, "ones"), M * (1 - p0[i]), 4 * sqrt(M * p0[i] * (1 - p0[i])) + 8);
        OK(blm_copy(&g, f, &why));
        add_run(g, 0, 100);
        assert_int_equal(blm_clear(g), BLM_OK);
        assert_true(blm_equal(f, g) && !blm_can(f, BLM_CARDINALITY));
        blm_free(f);
        blm_free(g);
        blm_free(other);
    }
    blm_filter *zeros = resetter(M, (pair){2, 2, false}, "start=random p0=1", 50, 5);
    blm_filter *ones = resetter(M, (pair){2, 2, false}, "start=random p0=0", 50, 5);
    assert_true(field(zeros, "ones") == 0 && field(ones, "ones") == M);
    blm_free(zeros);
    blm_free(ones);
}

static void bits_of_others_are_taken(void **state)
{
    blm_filter *f = resetter(1001, (pair){3, 4, true}, "", 10, 1), *g = NULL;
    uint8_t cells[128];
    blm_estimate keys;
    (void)state;
    memset(cells, 0xff, sizeof cells);
    add_run(f, 0, 5);
    assert_true(blm_can(f, BLM_CARDINALITY) && blm_cardinality(f, &keys) == BLM_OK);
    OK(blm_adopt(f, cells, sizeof cells, &why));
    size_t n;
    const uint8_t *own = blm_cells(f, &n);
    assert_true(own[125] == 1 && own[126] == 0 && own[127] == 0 && own[0] == 0xff);
    assert_true(field(f, "ones") == 1001 && field(f, "adopted") == 1);
    assert_int_equal(blm_cardinality(f, &keys), BLM_E_CANNOT);
    const blm_rate then = blm_fpr(f, &(blm_case){.keys = 10, .arg = BLM_NO_ARG});
    assert_true(then.low == 0 && then.high >= blm_generalized_bound(3, 4) && then.high < 0.0085);
    assert_true(blm_fpr(f, NULL).high == 0); /* the all-one attack: no zeros, no yes */
    add_run(f, 0, 3);
    const blob b = image_of(f);
    OK(blm_load(&g, b.p, b.n, NULL, &why));
    assert_true(blm_equal(f, g) && field(g, "adopted") == 1 && !blm_can(g, BLM_CARDINALITY));
    REFUSED(blm_adopt(f, cells, 127, &why), BLM_E_ARG, "127");
    REFUSED(blm_adopt(f, cells, 0, &why), BLM_E_ARG, "128");
    assert_true(blm_equal(f, g));
    blm_free(g);
    OK(blm_view(&g, b.p, b.n, NULL, &why));
    REFUSED(blm_adopt(g, cells, sizeof cells, &why), BLM_E_READONLY, "read-only");
    blm_free(g);
    assert_int_equal(blm_clear(f), BLM_OK);
    assert_true(field(f, "adopted") == 0 && field(f, "ones") == 0 && blm_can(f, BLM_CARDINALITY));
    blm_free(f);
    free(b.p);
}

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* Routers 0 to hops - 1 have added themselves, on bits of an attacker. Walking back, none is ever missed. */
static bool all_are_found(uint64_t m, pair k, double p0, unsigned hops, uint64_t seed)
{
    uint64_t random = seed;
    blm_item router[64];
    unsigned found = 0, plainly = 0;
    blm_filter *f = resetter(m, k, "", 10, seed);
    adopt_random(f, p0, &random);
    for (unsigned i = 0; i < hops; i++) {
        router[i] = blm_item_u64(f, i, BLM_NO_ARG);
        assert_int_equal(blm_add_item(f, &router[i], NULL), BLM_OK);
    }
    for (unsigned i = 0; i < hops; i++) {
        found += blm_has_wildcard(f, &router[i], router + i + 1, hops - 1 - i);
        plainly += blm_has_item(f, &router[i]);
        assert_int_equal(blm_has_wildcard(f, &router[i], NULL, 0), blm_has_item(f, &router[i]));
    }
    assert_true(plainly <= found && plainly >= 1);
    blm_free(f);
    return found == hops;
}

static void later_keys_are_wild(void **state)
{
    static const double p0[] = {0, 0.3, 0.5, 1};
    bool all = true;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (size_t i = 0; i < COUNT(p0); i++) {
            all = all && all_are_found(64, (pair){3, 3, true}, p0[i], 14, seed);
            all = all && all_are_found(256, (pair){2, 2, false}, p0[i], 30, seed);
            all = all && all_are_found(1024, (pair){4, 30, true}, p0[i], 40, seed);
        }
    ORACLE_HOLDS("2.A", "wildcards never miss a key that was added before", all);
}

/* Non-members: skipped places prove nothing, the others still do. */
static void wild_questions_still_say_no(void **state)
{
    blm_filter *f = resetter(256, (pair){4, 4, true}, "start=random", 10, 1);
    blm_item later[10];
    unsigned yes = 0;
    (void)state;
    for (uint64_t i = 0; i < 10; i++) {
        later[i] = blm_item_u64(f, i, BLM_NO_ARG);
        assert_int_equal(blm_add_item(f, &later[i], NULL), BLM_OK);
    }
    for (uint64_t i = 0; i < 20000; i++) {
        const blm_item it = blm_item_u64(f, 1000 + i, BLM_NO_ARG);
        const bool wild = blm_has_wildcard(f, &it, later, 10);
        assert_true(wild || !blm_has_item(f, &it));
        uint64_t at[8], touched[80];
        uint8_t bit[256];
        unpack(f, bit, 256);
        places_of(it.h.lo, 256, (pair){4, 4, true}, at);
        for (unsigned j = 0; j < 10; j++)
            places_of(later[j].h.lo, 256, (pair){4, 4, true}, touched + 8 * (size_t)j);
        bool want = true;
        for (unsigned j = 0; j < 8; j++) {
            bool skip = false;
            for (unsigned t = 0; t < 80; t++) skip = skip || touched[t] == at[j];
            want = want && (skip || bit[at[j]] == (j >= 4));
        }
        assert_int_equal(wild, want);
        yes += wild;
    }
    assert_true(yes > 20 && yes < 2000); /* 0.39 % and what is skipped */
    blm_filter *standard = made("standard keys=10");
    assert_true(blm_has_wildcard(standard, &later[0], NULL, 0) &&
                !blm_has_item(standard, &later[0]));
    blm_free(standard);
    blm_free(f);
}

/* ---- what it does not do ------------------------------------------------------------------------------------------- */

static void promises_go_with_the_resets(void **state)
{
    blm_filter *f = made("generalized keys=100 fpr=1%"), *g = made("generalized keys=100 fpr=1%");
    blm_filter *small = NULL;
    (void)state;
    assert_true(info_of(f).promises == 0 &&
                info_of(f).lost == (BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT));
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "no merge");
    SAYS("add the keys again");
    REFUSED(blm_fold(&small, f, 1, &why), BLM_E_CANNOT, "folded");
    REFUSED(blm_intersect(f, g, &why), BLM_E_CANNOT, "intersect");
    assert_int_equal(blm_del(f, "plum", 4), BLM_E_CANNOT);
    assert_true(small == NULL && blm_equal(f, g));
    blm_free(f);
    blm_free(g);
}

static void refused_wish(const char *wish, const char *word)
{
    char spec[200];
    blm_filter *f = NULL;
    snprintf(spec, sizeof spec, "generalized %s", wish);
    REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, word);
    assert_null(f);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    refused_wish("bits=1000 keys=9 zeros=0 ones=0", "zeros=0, ones=0");
    refused_wish("bits=1000 keys=9 zeros=300 ones=213", "at most 512");
    refused_wish("bits=1000 keys=9 zeros=2.5", "zeros=2.5");
    refused_wish("bits=1000 keys=9 zeros=600", "zeros=600");
    refused_wish("bits=1000 keys=9 zeros=2 ones=2 hashes=5", "hashes 5");
    refused_wish("bits=1000 keys=9 zeros=6 hashes=5", "hashes 5");
    refused_wish("bits=1000 keys=9 hashes=1", "hashes 1");
    refused_wish("bits=1000 keys=9 p0=0.5", "start=random");
    refused_wish("bits=1000 keys=9 start=random p0=1.5", "p0=1.5");
    refused_wish("bits=1000 keys=9 zeros=0 ones=7 start=ones", "every answer");
    refused_wish("bits=1000 keys=9 zeros=7 ones=0", "every answer");
    refused_wish("keys=9 zeros=0 ones=7", "standard");
    refused_wish("keys=9 zeros=0 fpr=1%", "a rate needs both");
    refused_wish("keys=9 zeros=1 fpr=1e-5", "zeros=1");
    refused_wish("keys=9 hashes=4 fpr=1%", "0.0625");
    refused_wish("keys=9 zeros=2 ones=2 fpr=1%", "omit fpr");
    refused_wish("bits=9 keys=1 zeros=5 ones=5", "distinct=off");
    refused_wish("bits=1000 keys=9 fpr=1% fnr=5%", "there are fewer");
    refused_wish("bits=1000 keys=9 fpr=1%", "fnr 0.05 need 4196 bits");
    refused_wish("bits=100 keys=9", "zeros=1 and ones=1"); /* the pair that takes the fewest bits */
    refused_wish("bits=1000 keys=9 hashes=4", "zeros=1 and ones=3");
    refused_wish("bits=1000 keys=9 zeros=2 ones=2 fnr=5%", "need 1395 bits");
    refused_wish("bits=1000 keys=9 zeros=0 ones=7 fnr=5%", "neither error is bounded");
    refused_wish("bits=400 fpr=1%", "1 keys");
    refused_wish("bits=10000 keys=9 fpr=1% hashes=4", "0.0625");
    refused_wish("keys=8e15 fpr=1%", "2^60");
    refused_wish("keys=9 fpr=1% distinct=maybe", "auto|on|off");
}

/* Fields that no plan makes, and cells that no key leaves. */
static blm_err forged(unsigned hashes, unsigned resets, unsigned distinct, unsigned ones,
                      uint8_t last)
{
    forge w;
    blm_filter *f = NULL;
    uint8_t cells[8] = {0xff, 0, 0, 0, 0, 0, 0, last};
    begin(&w);
    say_name(&w, "generalized");
    say(&w, 2, 1);
    say_name(&w, "xxh3-64");
    say(&w, 8, 0);
    say(&w, 8, 0);
    say_numbers(&w, 5, 20, 0.01, 25);
    say(&w, 8, 60);
    say(&w, 2, hashes);
    say(&w, 2, resets);
    say(&w, 1, distinct);
    say(&w, 4, 65536);
    say(&w, 8, ones);
    say(&w, 1, 0);
    say(&w, 1, w.chunk_log2);
    w.cells = cells;
    w.ncells = 8;
    const blm_err err = loaded(&w, &f);
    blm_free(f);
    return err;
}

static void impossible_images_are_refused(void **state)
{
    (void)state;
    assert_int_equal(forged(7, 3, 1, 8, 0), BLM_OK);
    assert_int_equal(forged(7, 8, 1, 8, 0), BLM_E_IMAGE);
    SAYS("resets");
    assert_int_equal(forged(61, 3, 1, 8, 0), BLM_E_IMAGE);
    SAYS("distinct");
    assert_int_equal(forged(61, 3, 0, 8, 0), BLM_OK);
    assert_int_equal(forged(7, 3, 1, 9, 0), BLM_E_IMAGE);
    SAYS("number of ones");
    assert_int_equal(forged(7, 3, 1, 61, 0), BLM_E_IMAGE);
    assert_int_equal(forged(7, 3, 1, 9, 0x10), BLM_E_IMAGE);
    SAYS("past the last");
    assert_int_equal(forged(0, 0, 1, 8, 0), BLM_E_IMAGE);
    assert_int_equal(forged(513, 3, 0, 8, 0), BLM_E_IMAGE);
    assert_int_equal(forged(7, 3, 2, 8, 0), BLM_E_IMAGE);
}

/* The first bits of start=random by the words of the format: splitmix64 from the seed on. */
static void random_bits_of_the_format(void **state)
{
    blm_filter *f = made("generalized bits=200b keys=9 zeros=2 ones=2 start=random p0=0.3 seed=5");
    size_t bytes;
    const uint8_t *cells = blm_cells(f, &bytes);
    (void)state;
    assert_int_equal(field(f, "p0"), 19661); /* 0.3 of 65536 */
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t u = 0;
        for (uint64_t b = 0; b < 16; b++) {
            const uint64_t n = 16 * (i / 64) + b + 1;
            u |= (salted(5 + n * UINT64_C(0x9e3779b97f4a7c15), 0) >> i % 64 & 1) << b;
        }
        assert_int_equal(cells[i / 8] >> i % 8 & 1, u >= 19661);
    }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bits_of_the_format),
        cmocka_unit_test(each_add_and_question_as_written),
        cmocka_unit_test(no_resets_are_standard),
        cmocka_unit_test(no_sets_are_its_complement),
        cmocka_unit_test(misses_do_not_depend_on_the_start),
        cmocka_unit_test(starts_have_their_share_of_zeros),
        cmocka_unit_test(bits_of_others_are_taken),
        cmocka_unit_test(later_keys_are_wild),
        cmocka_unit_test(wild_questions_still_say_no),
        cmocka_unit_test(promises_go_with_the_resets),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(impossible_images_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

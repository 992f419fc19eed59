/* test.c - deletable: who can be deleted, and that nobody else goes. */
#include <bloomery/theory/deletable.h>
#include <inttypes.h>

#include "kinds/fields.h"
#include "kinds/rates.h"
#include "oracles.h"

static blm_filter *regional(uint64_t data, unsigned hashes, uint64_t regions, uint64_t keys,
                            uint64_t seed)
{
    char with[40];
    snprintf(with, sizeof with, "regions=%" PRIu64, regions);
    return made_new(BLM_CONFIG(.kind = "deletable", .bits = data + regions, .hashes = hashes,
                               .keys = keys, .seed = seed, .with = with, .overfill = true));
}

static bool bit(const blm_filter *f, uint64_t at)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    return cells[at / 8] >> at % 8 & 1;
}

/* From the page of the format: has the key a bit outside of all collision regions? */
static bool own_bit(const blm_filter *f, uint64_t key)
{
    blm_touch at[64];
    const uint64_t data = field(f, "cells"), regions = field(f, "regions"),
                   size = (data + regions - 1) / regions;
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    const size_t n = blm_touched(f, &it, at, COUNT(at));
    bool own = false;
    for (size_t i = 0; i < n; i++) own = own || !bit(f, data + at[i].cell / size);
    return own;
}

/* ---- how many ------------------------------------------------------------------------------------ */

/* The paper's form, which forgets that a member's own bit is set already. */
static double share_of_the_paper(uint64_t m, unsigned k, uint64_t n, uint64_t regions)
{
    const double q = 1 - 1 / (double)m, all = (double)k * (double)n;
    const double once = pow(q, all) + all / (double)m * pow(q, all - 1);
    return 1 - pow(1 - pow(once, (double)m / (double)regions), k);
}

static void share_that_can_be_deleted(void **state)
{
    static const struct {
        uint64_t m, n, regions;
        unsigned k;
        double conditional, paper;
    } five[] = {{2048, 256, 64, 5, 0.035, 0.056},
                {2048, 256, 128, 5, 0.290, 0.433},
                {2048, 256, 256, 5, 0.676, 0.863},
                {16000, 1000, 1000, 7, 0.810, 0.920},
                {10000, 1000, 1000, 7, 0.551, 0.759}};
    enum { FILTERS = 600 }; /* shares of single filters differ by 0.03 */
    char what[80];
    (void)state;
    for (size_t i = 0; i < COUNT(five); i++) {
        uint64_t own = 0;
        const double share = blm_deletable_share(five[i].m, five[i].k, five[i].n, five[i].regions);
        for (uint64_t seed = 1; seed <= FILTERS; seed++) {
            blm_filter *f = regional(five[i].m, five[i].k, five[i].regions, five[i].n, seed);
            add_run(f, 0, five[i].n);
            for (uint64_t key = 0; key < five[i].n; key++) own += own_bit(f, key);
            blm_free(f);
        }
        snprintf(what, sizeof what, "m=%d k=%u n=%d r=%d: the conditional form", (int)five[i].m,
                 five[i].k, (int)five[i].n, (int)five[i].regions);
        ORACLE_BETWEEN("1.C1", what, five[i].conditional, five[i].conditional - 0.0006,
                       five[i].conditional + 0.0006, share);
        snprintf(what, sizeof what, "m=%d k=%u n=%d r=%d: can be deleted", (int)five[i].m,
                 five[i].k, (int)five[i].n, (int)five[i].regions);
        ORACLE_BETWEEN("1.C1", what, share, share - 0.02, share + 0.005,
                       (double)own / FILTERS / (double)five[i].n);
        snprintf(what, sizeof what, "m=%d k=%u n=%d r=%d: the paper's form overestimates",
                 (int)five[i].m, five[i].k, (int)five[i].n, (int)five[i].regions);
        ORACLE_BETWEEN("1.C1", what, five[i].paper, five[i].paper - 0.0006, five[i].paper + 0.0006,
                       share_of_the_paper(five[i].m, five[i].k, five[i].n, five[i].regions));
    }
}

static void theory_of_odd_numbers(void **state)
{
    (void)state;
    assert_true(isnan(blm_deletable_share(0, 5, 10, 1)) && isnan(blm_deletable_share(9, 0, 9, 1)));
    assert_true(isnan(blm_deletable_share(9, 5, 0, 1)) && isnan(blm_deletable_share(9, 5, 9, 0)));
    assert_true(isnan(blm_deletable_share(9, 5, 9, 10)));
    assert_true(blm_deletable_share(1, 1, 1, 1) == 1 && blm_deletable_share(1, 1, 2, 1) == 0);
    /* A bit a region: the member's bit is its own with q^(kn - 1). */
    NEAR(blm_deletable_share(1000, 3, 100, 1000), 1 - pow(1 - pow(0.999, 299), 3), 1e-12);
    NEAR(blm_deletable_share(UINT64_C(10000000000), 7, 1000000000, 1000000000),
         blm_deletable_share(10000, 7, 1000, 1000), 1e-3);
    for (uint64_t r = 1; r < 9000; r = r * 3 / 2 + 1)
        assert_true(
            blm_deletable_share(9000, 4, 700, r * 3 / 2 + 1 < 9000 ? r * 3 / 2 + 1 : 9000) >=
            blm_deletable_share(9000, 4, 700, r));
}

static void figures_of_the_page(void **state)
{
    static const struct {
        const char *rate;
        unsigned size; /* of a region */
        double bits, full, half;
    } table[] = {{"1%", 19, 10.1, 0.12, 0.88},   {"1%", 9, 10.7, 0.57, 0.985},
                 {"1%", 4, 12.0, 0.90, 0.998},   {"1%", 1, 19.2, 0.99, 1},
                 {"0.1%", 19, 15.1, 0.22, 0.97}, {"0.1%", 9, 16.0, 0.75, 0.998},
                 {"0.1%", 4, 18.0, 0.97, 1},     {"0.1%", 1, 28.8, 0.999, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "deletable keys=1e5 fpr=%s", table[i].rate);
        blm_filter *f = made(spec);
        const uint64_t m = field(f, "cells"), r = (m + table[i].size - 1) / table[i].size;
        if (table[i].size == 19) assert_int_equal(field(f, "regions"), r);
        WITHIN((double)(m + r) / 1e5, table[i].bits, 0.12);
        WITHIN(blm_deletable_share(m, info_of(f).hashes, 100000, r), table[i].full, 0.007);
        WITHIN(blm_deletable_share(m, info_of(f).hashes, 50000, r), table[i].half, 0.005);
        blm_free(f);
    }
}

/* ---- who ------------------------------------------------------------------------------------------- */

/* Every member of a full filter, each deleted from a copy. */
static void deleted_if_and_only_if_it_has_a_bit_of_its_own(void **state)
{
    blm_filter *f = regional(2048, 5, 256, 256, 3), *g = NULL;
    unsigned unsure = 0;
    bool agree = true, gone = true, same = true;
    (void)state;
    add_run(f, 0, 256);
    for (uint64_t key = 0; key < 256; key++) {
        OK(blm_copy(&g, f, &why));
        const blm_err err = blm_del(g, &(uint64_t){key}, 8);
        assert_true(err == BLM_OK || err == BLM_E_UNSURE);
        agree = agree && (err == BLM_OK) == own_bit(f, key);
        if (err == BLM_OK) gone = gone && !blm_has_u64(g, key);
        if (err) same = same && blm_equal(f, g), unsure++;
        blm_free(g);
    }
    assert_true(unsure > 20 && unsure < 236);
    ORACLE_HOLDS("1.C1", "deleted if it has a bit outside of collision regions", agree);
    ORACLE_HOLDS("1.C1", "after OK it is absent", gone);
    ORACLE_HOLDS("1.C1", "after UNSURE nothing has changed", same);
    assert_int_equal(blm_del(f, "nobody", 6), BLM_E_ABSENT);
    blm_free(f);
}

static void one_region_and_regions_of_one_bit(void **state)
{
    blm_filter *f = regional(1000, 4, 1, 40, 1), *g = regional(1000, 4, 1000, 100, 1);
    bool none = true, all = true;
    (void)state;
    add_run(f, 0, 40);
    assert_int_equal(field(f, "collided"), 1);
    for (uint64_t key = 0; key < 40; key++)
        none = none && blm_del(f, &(uint64_t){key}, 8) == BLM_E_UNSURE;
    ORACLE_HOLDS("1.C1", "r=1 with one collision: nothing is deletable", none);
    add_run(g, 0, 100);
    unsigned times[1000] = {0};
    for (uint64_t key = 0; key < 100; key++) {
        blm_touch at[4];
        const blm_item it = blm_item_u64(g, key, BLM_NO_ARG);
        blm_touched(g, &it, at, 4);
        for (unsigned i = 0; i < 4; i++) {
            bool again = false; /* a key's own */
            for (unsigned j = 0; j < i; j++) again = again || at[j].cell == at[i].cell;
            times[at[i].cell] += !again;
        }
    }
    for (unsigned i = 0; i < 1000; i++) all = all && bit(g, 1000 + i) == (times[i] > 1);
    ORACLE_HOLDS("1.C1", "r=m/2: every bit that is not shared is deletable", all);
    blm_free(f);
    blm_free(g);
}

static void figure_6(void **state)
{
    blm_filter *f = made("deletable bits=32b hashes=3 keys=8 overfill=yes regions=4");
    bool sevens = field(f, "cells") == 28 && field(f, "regions") == 4 && info_of(f).bits == 64;
    (void)state;
    for (uint64_t key = 0; key < 100; key++) {
        const uint64_t before = field(f, "collided");
        add_run(f, key % 9, 1);
        sevens = sevens && field(f, "collided") >= before && field(f, "collided") <= 4;
    }
    for (unsigned i = 32; i < 64; i++) sevens = sevens && !bit(f, i);
    ORACLE_HOLDS("1.C1", "figure 6: m=32, r=4: 28 bits of data in regions of 7", sevens);
    assert_int_equal(field(f, "collided"), 4);
    blm_free(f);
}

/* Probes of one key that meet are no collision: alone, it leaves. */
static void a_key_does_not_collide_with_itself(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 200; key++) {
        blm_filter *f = regional(4, 16, 2, 1, key);
        add_run(f, key, 1);
        assert_int_equal(field(f, "collided"), 0);
        assert_int_equal(blm_del(f, &key, 8), BLM_OK);
        assert_true(field(f, "ones") == 0 && !blm_has_u64(f, key));
        blm_free(f);
    }
}

/* ---- and nobody else --------------------------------------------------------------------------------- */

/* Non-members that the filter takes for members are added: when those leave whose bits they are, they stay. */
static void what_was_there_by_chance_stays(void **state)
{
    enum { OLD = 200, NEW = 60 };
    uint64_t added[NEW];
    unsigned n = 0, left = 0;
    blm_filter *f = regional(1000, 4, 1000, OLD, 5);
    (void)state;
    add_run(f, 0, OLD);
    for (uint64_t key = 1000; n < NEW; key++) {
        bool fresh = true;
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        if (!blm_has_u64(f, key)) continue;
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_false(fresh);
        added[n++] = key;
    }
    for (uint64_t key = 0; key < OLD; key++) left += blm_del(f, &key, 8) == BLM_OK;
    assert_true(left > OLD / 4);
    bool there = true;
    for (unsigned i = 0; i < NEW; i++) there = there && blm_has_u64(f, added[i]);
    ORACLE_HOLDS("1.C1", "a key that was inside by chance, added, stays when others leave", there);
    blm_free(f);
}

/* A key that is added again is not deleted once, and then missed. */
static void twice_is_for_ever(void **state)
{
    blm_filter *f = made("deletable keys=1000 fpr=1%");
    (void)state;
    add_run(f, 0, 20);
    add_run(f, 7, 1);
    for (uint64_t key = 0; key < 20; key++) {
        const blm_err err = blm_del(f, &key, 8);
        if (key == 7) assert_int_equal(err, BLM_E_UNSURE);
    }
    assert_true(blm_has_u64(f, 7));
    OK(blm_clear(f));
    assert_true(field(f, "ones") == 0 && field(f, "collided") == 0);
    blm_free(f);
}

/* What was in either filter stays while others leave; what was in both stays. */
static void merged_and_deleted(void **state)
{
    bool there = true;
    unsigned left = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        blm_filter *f = regional(1999, 4, 333, 300, seed), *g = regional(1999, 4, 333, 300, seed);
        add_run(f, 0, 150);
        add_run(g, 100, 150);
        for (uint64_t key = 240; key < 250; key++) (void)blm_del(g, &key, 8);
        OK(blm_merge(f, g, &why));
        for (uint64_t key = 100; key < 150; key++) assert_false(own_bit(f, key));
        for (uint64_t key = 0; key < 100; key++) left += blm_del(f, &key, 8) == BLM_OK;
        there = there && has_run(f, 100, 140);
        blm_free(f);
        blm_free(g);
    }
    assert_true(left > 200);
    ORACLE_HOLDS("1.C1", "merged, then deletes of one side: no miss of the other", there);
}

/* ---- rates, settings, cells ------------------------------------------------------------------------------ */

static void rates(void **state)
{
    blm_filter *f = made("deletable keys=20000 fpr=1% seed=1");
    (void)state;
    fill_to_rate(f, 20000, blm_fpr(f, &(blm_case){.keys = 20000}).high);
    blm_free(f);
    f = made("deletable keys=20000 fpr=1% seed=2 overfill=yes"); /* 1.5 times as many */
    fill_to_rate(f, 30000, blm_fpr(f, &(blm_case){.keys = 30000}).high);
    blm_free(f);
    f = regional(50000, 3, 25000, 10000, 3);
    fill_to_rate(f, 10000, blm_rate_exact(50000, 3, 10000));
    blm_free(f);
}

static void a_twentieth_and_what_is_refused(void **state)
{
    blm_filter *f = made("deletable bits=1000b keys=100"), *g = NULL;
    (void)state;
    assert_true(field(f, "regions") == 50 && field(f, "cells") == 950);
    blm_free(f);
    f = made("deletable keys=1e6 fpr=1%");
    const double part =
        (double)field(f, "regions") / (double)(field(f, "regions") + field(f, "cells"));
    WITHIN(part, 0.05, 1e-6);
    blm_free(f);
    REFUSED(blm_make(&g, "deletable keys=100 regions=0", &why), BLM_E_ARG, "regions=0");
    REFUSED(blm_make(&g, "deletable bits=1000b keys=10 regions=501", &why), BLM_E_ARG,
            "from 1 to 500");
    REFUSED(blm_make(&g, "deletable keys=1 fpr=50% regions=1e6", &why), BLM_E_ARG,
            "at least one bit");
    REFUSED(blm_make(&g, "deletable keys=100 regions=7.5", &why), BLM_E_ARG, "whole number");
    REFUSED(blm_make(&g, "deletable bits=1b keys=1", &why), BLM_E_ARG, "at least 2");
    assert_null(g);
    f = made("deletable bits=1000b keys=10 regions=500");
    assert_int_equal(field(f, "cells"), 500);
    blm_free(f);
}

static void fields_that_contradict(void **state)
{
    uint64_t bytes;
    (void)state;
    blm_filter *f = regional(700, 3, 300, 50, 1);
    set_field(f, "regions", 701);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "more regions than bits");
    set_field(f, "regions", 300);
    set_field(f, "collided", 301);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "more collisions");
    set_field(f, "collided", 1);
    OK(f->kind->shape(f, &bytes, &why));
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "collisions");
    set_field(f, "collided", 0);
    set_field(f, "ones", 1);
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "ones");
    set_field(f, "ones", 701);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "more bits are one");
    set_field(f, "ones", 0);
    OK(f->kind->check(f, &why));
    blm_free(f);
}

static void bare_cells(void **state)
{
    blm_filter *f = regional(700, 3, 300, 50, 1), *g = regional(700, 3, 300, 50, 1);
    uint8_t past[128];
    size_t n;
    (void)state;
    add_run(f, 0, 80);
    const uint8_t *cells = blm_cells(f, &n);
    OK(blm_adopt(g, cells, n, &why));
    assert_true(field(g, "ones") == field(f, "ones") &&
                field(g, "collided") == field(f, "collided"));
    assert_true(field(g, "collided") > 0 && same_cells(f, g));
    memcpy(past, cells, n);
    past[125] |= 1; /* bit 1000 */
    REFUSED(blm_adopt(g, past, n, &why), BLM_E_ARG, "past the last one");
    blm_free(f);
    blm_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(share_that_can_be_deleted),
        cmocka_unit_test(figures_of_the_page),
        cmocka_unit_test(theory_of_odd_numbers),
        cmocka_unit_test(deleted_if_and_only_if_it_has_a_bit_of_its_own),
        cmocka_unit_test(one_region_and_regions_of_one_bit),
        cmocka_unit_test(figure_6),
        cmocka_unit_test(a_key_does_not_collide_with_itself),
        cmocka_unit_test(what_was_there_by_chance_stays),
        cmocka_unit_test(twice_is_for_ever),
        cmocka_unit_test(merged_and_deleted),
        cmocka_unit_test(rates),
        cmocka_unit_test(a_twentieth_and_what_is_refused),
        cmocka_unit_test(fields_that_contradict),
        cmocka_unit_test(bare_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

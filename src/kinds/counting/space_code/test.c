/* test.c - space-code: what an add writes, in which filters, and what it does not read. */
#include "oracles.h"
#include "test_groups.h"

/* ---- what an add writes ------------------------------------------------------------------------------ */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Into bits of its own; how often each filter was written. */
static void write_by_hand(const blm_filter *f, uint64_t turn, uint64_t lo, uint8_t *bit,
                          unsigned *written)
{
    const uint64_t x = mixed(turn * UINT64_C(0x9e3779b97f4a7c15) + lo);
    for (unsigned j = 0; j < field(f, "resolutions"); j++) {
        if (j && word_of(x, j) >= chance_word(f, j)) continue;
        const unsigned g = (unsigned)high(word_of(x, 8 + j), field(f, "groups"));
        written[j]++;
        for (unsigned i = 0; i < field(f, "hashes"); i++) bit[place_of(f, lo, j, g, i)] = 1;
    }
}

static void every_bit_as_the_page_has_it(void **state)
{
    static const char *const specs[] = {
        "space-code keys=3000 fpr=1%", "space-code keys=3000 fpr=1% resolutions=1 groups=64",
        "space-code keys=3000 fpr=5% resolutions=8 q=0.5 groups=2 hashes=1",
        "space-code keys=3000 fpr=1% resolutions=3 q=0.9 groups=7 decode=mve"};
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        blm_filter *f = made(specs[s]);
        const uint64_t all = info_of(f).bits;
        uint8_t *bit = calloc(1, (size_t)all);
        unsigned written[8] = {0};
        assert_non_null(bit);
        for (uint64_t turn = 0; turn < 3000; turn++) {
            const blm_item it = blm_item_u64(f, turn % 500, BLM_NO_ARG);
            write_by_hand(f, turn, it.h.lo, bit, written);
            OK(blm_add_u64(f, turn % 500));
        }
        assert_int_equal(field(f, "random"), 3000);
        assert_true(has_run(f, 0, 500));
        for (uint64_t b = 0; b < all; b++) assert_int_equal(cell_of(f, 1, b), bit[b]);
        assert_int_equal(written[0], 3000);
        for (unsigned j = 1; j < field(f, "resolutions"); j++) { /* a binomial number, 4 sigma */
            const double p = pow((double)field(f, "share") / 0x1p32, j);
            WITHIN(written[j], 3000 * p, 4 * sqrt(3000 * p * (1 - p)) + 1);
            NEAR(chance_of(f, j), p, 1e-8);
        }
        free(bit);
        blm_free(f);
    }
}

/* One by one, in a batch, asked whether the keys are new or not: the same bytes. */
static void ways_to_add_are_one(void **state)
{
    enum { KEYS = 1000 };
    static blm_hash h[KEYS];
    static uint8_t fresh[KEYS], one[KEYS];
    blm_filter *f[4];
    (void)state;
    for (size_t i = 0; i < COUNT(f); i++) f[i] = made("space-code keys=1000 fpr=1%");
    for (uint64_t i = 0; i < KEYS; i++) {
        const blm_item it = blm_item_u64(f[0], i / 3, BLM_NO_ARG);
        bool is_new = false;
        h[i] = it.h;
        const bool before = blm_has_item(f[1], &it);
        OK(blm_add_u64(f[0], i / 3));
        OK(blm_add_item(f[1], &it, &is_new));
        assert_true(is_new == !before);
        one[i] = is_new;
    }
    OK(blm_add_many(f[2], h, NULL, KEYS, NULL, NULL));
    OK(blm_add_many(f[3], h, NULL, KEYS, fresh, NULL));
    for (size_t i = 1; i < COUNT(f); i++) assert_true(blm_equal(f[0], f[i]));
    assert_true(one[0] && !one[1]);
    assert_memory_equal(one, fresh, KEYS);
    for (size_t i = 0; i < COUNT(f); i++) blm_free(f[i]);
}

/* Each group comes equally often: chi-square of 31 degrees lies below 73 but for one case in 30,000. */
static void groups_are_drawn_evenly(void **state)
{
    enum { ADDS = 32000 };
    unsigned often[32] = {0};
    double chi = 0;
    (void)state;
    for (uint64_t turn = 0; turn < ADDS; turn++) /* of one key: the turn alone decides */
        often[high(word_of(mixed(turn * UINT64_C(0x9e3779b97f4a7c15) + 99), 8), 32)]++;
    for (unsigned g = 0; g < 32; g++) chi += pow(often[g] - ADDS / 32.0, 2) / (ADDS / 32.0);
    assert_true(chi < 73 && chi > 8);
}

/* ---- merge ------------------------------------------------------------------------------------------- */

/* Two links, some flows on both: the bits of both, and counts that add up. */
static void merged_counts_add_up(void **state)
{
    enum { FLOWS = 300, TIMES = 30 };
    static const char spec[] = "space-code bits=400000b hashes=3 keys=30000 overfill=yes";
    blm_filter *a = made(spec), *b = made(spec), *old = NULL;
    double sum = 0;
    (void)state;
    for (unsigned t = 0; t < TIMES; t++) {
        add_run(a, 0, 2 * FLOWS);
        add_run(b, FLOWS, 2 * FLOWS);
    }
    OK(blm_copy(&old, a, &why));
    OK(blm_merge(a, b, &why));
    for (uint64_t i = 0; i < info_of(a).bits; i++)
        assert_int_equal(cell_of(a, 1, i), cell_of(old, 1, i) | cell_of(b, 1, i));
    assert_int_equal(field(a, "random"), 4 * FLOWS * TIMES);
    assert_int_equal(info_of(a).adds, 4 * FLOWS * TIMES);
    assert_true(has_run(a, 0, 3 * FLOWS));
    for (uint64_t i = FLOWS; i < 2 * FLOWS; i++) sum += times_u64(a, i).value / (2.0 * TIMES);
    WITHIN(sum / FLOWS, 1, 0.05); /* each is off by 18 %, their mean by 1 % */
    assert_int_equal(info_of(a).promises, BLM_NO_MISS);
    blm_free(old);
    old = made("space-code bits=400000b hashes=3 keys=30000 decode=mve");
    REFUSED(blm_merge(a, old, &why), BLM_E_MISMATCH, "decode");
    blm_free(old);
    blm_free(a);
    blm_free(b);
}

/* ---- sizes and wishes -------------------------------------------------------------------------------- */

/* Filter 1: 32 groups at 1 % are 0.000314 each, with 12 hashes a fill of 0.5106: 16.79 bits per add; all
 * four are 1 + 1/4 + 1/16 + 1/64 of it. */
static void sizes_by_hand(void **state)
{
    blm_filter *f = made("space-code keys=1e6 fpr=1%");
    (void)state;
    assert_int_equal(field(f, "hashes"), 12);
    NEAR((double)field(f, "cells"), -12e6 / log1p(-pow(1 - pow(0.99, 1 / 32.0), 1 / 12.0)), 1e-4);
    NEAR((double)info_of(f).bits, 1.328125 * (double)field(f, "cells"), 1e-4);
    assert_true(blm_fpr(f, &(blm_case){.keys = 1000000}).high <= 0.01);
    blm_free(f);
    f = made("space-code keys=1e6 bits=22300000b");
    assert_int_equal(field(f, "hashes"), 12);
    blm_free(f);
    for (uint64_t bits = 512; bits < 100000;
         bits = bits * 3 / 2 + 7) { /* and never more than these */
        f = made_new(BLM_CONFIG(.kind = "space-code", .bits = bits, .keys = 20, .with = "q=0.6"));
        const uint64_t max = (bits + 63) / 64 * 64, cells = field(f, "cells") + 1;
        uint64_t more = (cells + 63) / 64 * 64;
        for (unsigned j = 1; j < 4; j++) more += (high(cells, chance_word(f, j)) + 64) / 64 * 64;
        assert_true(info_of(f).bits <= max && more > max);
        blm_free(f);
    }
}

static void what_makes_no_sense(void **state)
{
    static const char *const bad[][2] = {{"groups=65", "64"},
                                         {"groups=1", "from 2"},
                                         {"groups=2.5", "whole number"},
                                         {"resolutions=9", "8"},
                                         {"resolutions=0", "1"},
                                         {"q=0", "0.9"},
                                         {"q=1", "0.9"},
                                         {"decode=mean", "mle"},
                                         {"hashes=17", "32 groups"},
                                         {"hashes=9 groups=64", "8"},
                                         {"max-count=9", "must be 1"}};
    char spec[64];
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "space-code keys=10 %s", bad[i][0]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i][1]);
    }
    REFUSED(blm_make(&f, "space-code bits=190b keys=3", &why), BLM_E_ARG, "bits 190");
    SAYS("4 filters");
    REFUSED(blm_make(&f, "space-code keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
    assert_null(f);
    f = made("space-code keys=50");
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    assert_false(blm_can(f, BLM_DEL) || blm_can(f, BLM_FOLD));
    blm_free(f);
}

static void impossible_filters_are_refused(void **state)
{
    static const char *const fields[] = {"ones", "ones_3", "ones_5"};
    (void)state;
    for (size_t i = 0; i < COUNT(fields); i++) { /* the fifth of four has no bits */
        blm_filter *f = made("space-code keys=50 fpr=1%"), *g = NULL;
        forge_field(f, fields[i], i == 2 ? 1 : bits_of(f, i == 1 ? 2 : 0) + 1);
        blob b = image_of(f);
        REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE, "more bits of filter");
        free(b.p);
        blm_free(f);
    }
    blm_filter *f = made("space-code keys=20 fpr=1%"), *g = NULL;
    size_t n;
    uint8_t *cells;
    const void *seen = blm_cells(f, &n);
    memcpy(&cells, &seen, sizeof cells); /* the test plays the fault */
    add_run(f, 0, 20);
    for (unsigned fault = 0; fault < 8; fault++) {
        const unsigned j = fault / 2;
        const uint64_t at = start_of(f, j) + (fault % 2 ? 1 : bits_of(f, j));
        if (fault % 2 == 0 && bits_of(f, j) % 64 == 0) continue;
        cells[at / 8] ^= (uint8_t)(1u << at % 8);
        blob b = image_of(f);
        REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE,
                fault % 2 ? "the ones of filter" : "past the end of filter");
        free(b.p);
        cells[at / 8] ^= (uint8_t)(1u << at % 8);
    }
    blm_free(f);
}

/* The rate by the ones of filter 1: 1 - (1 - fill^k)^l. Twenty filters, asked of 10,000 each: 99 %. */
static void rate_by_the_ones(void **state)
{
    uint64_t hits = 0;
    double rate = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "space-code", .bits = 40000, .hashes = 4,
                                            .keys = 3000, .seed = seed, .overfill = true));
        add_run(f, 0, 3000);
        rate += (1 - pow(1 - by_others(f, 0), 32)) / 20;
        hits += false_yes(f, 10000);
        blm_free(f);
    }
    ORACLE_HITS("1.B7", "the rate of 32 groups by the ones", rate, hits, 200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_as_the_page_has_it),
        cmocka_unit_test(ways_to_add_are_one),
        cmocka_unit_test(groups_are_drawn_evenly),
        cmocka_unit_test(merged_counts_add_up),
        cmocka_unit_test(sizes_by_hand),
        cmocka_unit_test(what_makes_no_sense),
        cmocka_unit_test(impossible_filters_are_refused),
        cmocka_unit_test(rate_by_the_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test.c - decaying filters: simulated figures, both forms against a model, time, wishes and images. */
#include <bloomery/theory.h>
#include "kinds/fields.h"
#include "oracles.h"

/* m cells of this width, as one W has them. */
static unsigned bits_for(uint64_t most)
{
    unsigned bits = 0;
    while (most >> bits) bits++;
    return bits;
}

/* T = 0: form=timing, with cells of W and half of it again. */
static blm_filter *raw(uint64_t m, unsigned k, uint64_t w, uint64_t t, uint64_t seed)
{
    const uint64_t turns = t ? (w - 1 + t - 1) / t + 1 : w + (w > 1 ? w / 2 : 1);
    char with[80];
    snprintf(with, sizeof with, "window=%u form=%s", (unsigned)w, t ? "blocks" : "timing");
    if (t) snprintf(with + strlen(with), 30, " blocks=%u", (unsigned)t);
    blm_filter *f = made_new(BLM_CONFIG(.kind = "decaying", .bits = m * bits_for(turns),
                                        .hashes = k, .keys = w, .seed = seed, .with = with));
    assert_true(field(f, "cells") == m && field(f, "blocks") == t);
    return f;
}

static bool is_new(blm_filter *f, uint64_t key)
{
    bool fresh = false;
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
    return fresh;
}

/* ---- simulations ------------------------------------------------------------------------------------ */

typedef struct sim_row {
    uint64_t m;
    unsigned k;
    uint64_t w, t;
    double low, high;
} sim_row;

/* All keys differ. A key is asked when W - 1 came after it: the last time that it must be there. */
static void run_of(const sim_row *r, bool timing)
{
    enum { N = 200000 };
    blm_filter *f = raw(r->m, r->k, r->w, timing ? 0 : r->t, 1);
    uint64_t yes = 0, missed = 0;
    char what[100];
    for (uint64_t i = 0; i < 4 * r->w; i++) is_new(f, i);
    for (uint64_t i = 4 * r->w; i < 4 * r->w + N; i++) {
        yes += !is_new(f, i);
        missed += !blm_has_u64(f, i - (r->w - 1));
    }
    /* 4 sigma: of single hits, and of the rate between windows, 100 of them or more */
    const double windows = N / (double)r->w, sd = blm_rate_sd(r->m, r->k, r->w);
    const double of = 4 * r->high * sqrt(1 / (r->high * N) + sd * sd / windows);
    snprintf(what, sizeof what, "m=%u k=%u W=%u %s=%u: FP", (unsigned)r->m, r->k, (unsigned)r->w,
             timing ? "timing, T" : "T", (unsigned)r->t);
    ORACLE_BETWEEN("2.C2", what, (r->low + r->high) / 2, r->low - of, r->high + of,
                   (double)yes / N);
    snprintf(what, sizeof what, "m=%u k=%u W=%u %s=%u: misses inside the window", (unsigned)r->m,
             r->k, (unsigned)r->w, timing ? "timing, T" : "T", (unsigned)r->t);
    ORACLE_AT_MOST("2.C2", what, 0, (double)missed);
    blm_free(f);
}

static void simulations(void **state)
{
    static const sim_row rows[] = {{16384, 6, 2048, 1, 0.021537, 0.021537},
                                   {16384, 6, 2048, 16, 0.021537, 0.022266},
                                   {16384, 6, 2048, 64, 0.021537, 0.024408},
                                   {16384, 6, 2000, 64, 0.019564, 0.024408},
                                   {8192, 5, 1000, 7, 0.019831, 0.020486}};
    static const uint64_t turns[] = {2048, 129, 33, 33, 144};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const sim_row *r = &rows[i];
        blm_filter *f = raw(r->m, r->k, r->w, r->t, 1);
        char what[100];
        blm_touch cell;
        is_new(f, 1);
        const blm_item it = blm_item_u64(f, 1, BLM_NO_ARG);
        assert_true(blm_touched(f, &it, &cell, 1) == r->k);
        snprintf(what, sizeof what, "W=%u T=%u: the value that an add sets", (unsigned)r->w,
                 (unsigned)r->t);
        ORACLE_NEAR("2.C2", what, (double)turns[i], 0, (double)cell.value);
        blm_free(f);
        /* W * m / 19 words an arrival are too many for the plain filter: its answers are those of form=timing (below). */
        run_of(r, r->t == 1);
    }
    blm_filter *f = raw(16384, 6, 2048, 0, 1);
    ORACLE_NEAR("2.C2", "m=16384 k=6 W=2048: the rate by the formula", 0.021537, 1e-3,
                blm_fpr(f, &(blm_case){.keys = 2047}).high);
    blm_free(f);
}

/* ---- a model ---------------------------------------------------------------------------------------- */

enum { KEYS = 3000 };

/* When each cell was set last, counted from 1; cells of a key by blm_touched. */
typedef struct model {
    uint64_t set[5000], now;
} model;

static bool model_has(const model *o, const blm_touch *key, unsigned k, uint64_t w)
{
    for (unsigned i = 0; i < k; i++)
        if (!o->set[key[i].cell] || o->now - o->set[key[i].cell] >= w) return false;
    return true;
}

/* Keys that come again, soon and late; idle steps of all lengths. Timing, the plain filter and the model: no answer of
 * 6000 arrivals differs. */
static void timing_is_the_plain_filter(void **state)
{
    static const struct {
        uint64_t m;
        unsigned k;
        uint64_t w;
    } sets[] = {{4096, 5, 500}, {1000, 3, 100}, {333, 4, 31},
                {64, 2, 5},     {50, 1, 1},     {4999, 3, 1000}};
    uint64_t differ = 0;
    (void)state;
    for (size_t s = 0; s < COUNT(sets); s++) {
        const unsigned k = sets[s].k;
        blm_filter *f = raw(sets[s].m, k, sets[s].w, 0, s), *g = raw(sets[s].m, k, sets[s].w, 1, s);
        model o = {.now = 0};
        uint64_t random = s;
        for (uint64_t i = 0; i < 6000; i++) {
            const uint64_t key = draw(&random) % (sets[s].w * 3);
            blm_touch at[5];
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            assert_int_equal(blm_touched(f, &it, at, 5), k);
            const bool there = model_has(&o, at, k, sets[s].w);
            differ += blm_has_u64(f, key) != there || blm_has_u64(g, key) != there;
            o.now++;
            const bool again = model_has(&o, at, k, sets[s].w);
            differ += is_new(f, key) == again;
            differ += is_new(g, key) == again;
            for (unsigned j = 0; j < k; j++) o.set[at[j].cell] = o.now;
            if (i % 50) continue;
            o.now += draw(&random) % (i % 100 ? 5 : 3 * sets[s].w);
            OK(blm_tick(f, o.now));
            OK(blm_tick(g, o.now));
        }
        OK(f->kind->check(f, &why));
        OK(g->kind->check(g, &why));
        assert_int_equal(info_of(f).now, o.now);
        blm_free(f);
        blm_free(g);
    }
    ORACLE_AT_MOST("2.C2", "6 parameter sets x 6000 arrivals: timing answers unlike plain", 0,
                   (double)differ);
}

/* A key with cells that no other has: there at age W - 1, and gone at W; with blocks at V T. */
static void the_edges_of_the_window(void **state)
{
    static const uint64_t windows[] = {1, 2, 3, 7, 100, 1000}, blocks[] = {0, 1, 2, 7, 50};
    (void)state;
    for (size_t i = 0; i < COUNT(windows) * COUNT(blocks); i++) {
        const uint64_t w = windows[i % 6], t = blocks[i / 6];
        const uint64_t v = t ? (w - 1 + t - 1) / t + 1 : 0;
        blm_filter *f = raw(100000, 3, w, t, 1);
        for (uint64_t start = 0; start < 5; start++) {
            const uint64_t came = info_of(f).now + 1;
            is_new(f, start);
            for (uint64_t age = 0; age <= (t ? v * t : w) + 3; age++) {
                const blm_rate p = blm_fnr(f, &(blm_case){.keys = w, .gap = age});
                OK(blm_tick(f, came + age));
                const bool there = blm_has_u64(f, start);
                if (age < w) assert_true(there && (!age || p.high <= 0));
                if (age && p.high <= 0) assert_true(there);
                if (t ? age >= v * t : age >= w) assert_true(!there && p.low >= 1);
            }
        }
        blm_free(f);
    }
}

/* Not one key of the window is missed, of either form; and stamps come round many times: R is 12000 or less. */
static bool deep; /* --deep: 10^7 arrivals */

static void no_key_of_the_window_is_missed(void **state)
{
    const uint64_t n = deep ? 10000000 : TEST_SLOW ? 50000 : 1000000;
    static const uint64_t windows[] = {5461, 3};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t w = windows[i / 2];
        char spec[80];
        snprintf(spec, sizeof spec, "decaying keys=%u fpr=5%% form=%s", (unsigned)w,
                 i % 2 ? "blocks" : "timing");
        blm_filter *f = made(spec);
        uint64_t random = i, yes = 0;
        for (uint64_t j = 0; j < n / (i < 2 ? 1 : 4); j++) {
            assert_int_equal(blm_add_u64(f, j), BLM_OK);
            const uint64_t age = draw(&random) % w;
            assert_true(j < age || blm_has_u64(f, j - age));
            yes += j > 3 * w && blm_has_u64(f, j - 2 * w);
        }
        const double of = (double)n / (i < 2 ? 1 : 4),
                     p = blm_fpr(f, &(blm_case){.keys = 9 * w}).high;
        assert_true((double)yes < of * p + 4 * sqrt(of * p) + of * p * (i < 2 ? 0.02 : 0.5));
        OK(f->kind->check(f, &why));
        blm_free(f);
    }
}

/* ---- time ------------------------------------------------------------------------------------------- */

/* In pieces of any length, with slices of equal and of different lengths; R is 127, and 42 slices. */
static void ticks_of_any_length(void **state)
{
    static const uint64_t far[] = {1,   10,  43,  57,  84,  85,   100,
                                   110, 126, 127, 128, 200, 1000, UINT64_C(1000000000000)};
    static const uint64_t blocks[] = {0, 1, 7, 50};
    (void)state;
    for (size_t i = 0; i < COUNT(far) * 4 * 3; i++) {
        const uint64_t t = blocks[i % 4], n = far[i / 12],
                       m = i / 4 % 3 == 0   ? 1003
                           : i / 4 % 3 == 1 ? 50
                                            : 156;
        blm_filter *f = raw(m, 3, 85, t, i), *g = NULL;
        uint64_t random = i, now = 437;
        add_run(f, 0, now);
        OK(blm_copy(&g, f, &why));
        OK(blm_tick(f, now + n));
        for (const uint64_t end = now + n; now < end;) {
            const uint64_t more = draw(&random) % (n / 3 + 2);
            now = more < end - now ? now + more : end;
            OK(blm_tick(g, now));
        }
        assert_true(blm_equal(f, g));
        if (n >= 200) assert_true(false_yes(f, 200) == 0 && !has_run(f, 430, 1));
        assert_int_equal(blm_tick(f, 1), BLM_E_CLOCK);
        add_run(f, 1000, 50);
        add_run(g, 1000, 50);
        assert_true(blm_equal(f, g) && has_run(f, 1000, 50));
        blm_free(f);
        blm_free(g);
    }
}

/* A window of 10^12 in few cells: a tick looks at each of them once. */
static void ticks_of_long_windows(void **state)
{
    static const uint64_t at[] = {UINT64_C(999999999999), UINT64_C(1000000000000)};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        blm_filter *f = made(i < 2 ? "decaying keys=100 window=1e12"
                                   : "decaying keys=100 window=1e12 form=blocks");
        is_new(f, 5);
        OK(blm_tick(f, 1 + at[i % 2] * (i < 2 ? 1 : 2)));
        assert_int_equal(blm_has_u64(f, 5), i == 0);
        is_new(f, 6);
        OK(blm_tick(f, UINT64_MAX));
        assert_false(blm_has_u64(f, 6));
        assert_true(is_new(f, 7) && blm_has_u64(f, 7) && !is_new(f, 7));
        assert_int_equal(info_of(f).now, UINT64_MAX);
        blm_free(f);
    }
}

/* ---- as standard ------------------------------------------------------------------------------------ */

/* Before anything has left, the cells in use are the ones of a standard filter. */
static void a_first_window_is_standard(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        blm_filter *f = raw(4096, 4, 500, i ? 250 : 0, 7);
        blm_filter *g = made("standard bits=4096b hashes=4 keys=500 seed=7 overfill=yes");
        for (uint64_t j = 0; j < 500; j++) {
            assert_int_equal(is_new(f, j), !blm_has_u64(g, j));
            assert_int_equal(blm_add_u64(g, j), BLM_OK);
        }
        for (uint64_t j = 0; j < 3000; j++) {
            const blm_item it = blm_item_u64(f, j, BLM_NO_ARG);
            blm_touch a[4], b[4];
            assert_true(blm_touched(f, &it, a, 4) == 4 && blm_touched(g, &it, b, 4) == 4);
            for (unsigned c = 0; c < 4; c++)
                assert_true(a[c].cell == b[c].cell && (a[c].value > 0) == (b[c].value > 0));
            assert_int_equal(blm_has_u64(f, j), blm_has_u64(g, j));
        }
        NEAR(blm_fpr(f, NULL).high, blm_fpr(g, NULL).high, 1e-15);
        NEAR(blm_fpr(f, &(blm_case){.keys = 500}).high, blm_fpr(g, &(blm_case){.keys = 500}).high,
             1e-15);
        blm_free(f);
        blm_free(g);
    }
}

/* ---- wishes and images ------------------------------------------------------------------------------ */

/* 100 keys in a window of 10000 arrivals: cells for 100. Keys that come again take nothing; too many different ones do. */
static void fewer_keys_than_arrivals(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        blm_filter *f = made(i ? "decaying keys=100 window=10000 form=blocks"
                               : "decaying keys=100 window=10000");
        const blm_info is = info_of(f);
        assert_true(is.window == 10000 && is.capacity == 100 && is.bits < 40000);
        for (uint64_t j = 0; j < 50000; j++) assert_int_equal(blm_add_u64(f, j % 100), BLM_OK);
        assert_true(has_run(f, 0, 100));
        uint64_t j = 0;
        while (j < 1000 && !blm_add_u64(f, 1000 + j)) j++;
        assert_true(j > 5 && j < 100); /* the rate doubles at 1.1 times the keys */
        OK(blm_tick(f, f->now + 20000));
        assert_int_equal(blm_add_u64(f, 1), BLM_OK);
        blm_free(f);
    }
}

static void wishes_that_make_no_sense(void **state)
{
    blm_filter *f = NULL, *g = NULL;
    (void)state;
    REFUSED(blm_make(&f, "decaying keys=100 window=0", &why), BLM_E_ARG, "window=0");
    REFUSED(blm_make(&f, "decaying keys=100 window=100.5", &why), BLM_E_ARG,
            "whole number of arrivals");
    REFUSED(blm_make(&f, "decaying keys=101 window=100", &why), BLM_E_ARG, "keys 101");
    SAYS("window of 100 arrivals");
    REFUSED(blm_make(&f, "decaying keys=1e15", &why), BLM_E_ARG, "from 1 to 2^48");
    REFUSED(blm_make(&f, "decaying keys=100 form=blocks blocks=0", &why), BLM_E_ARG, "blocks=0");
    REFUSED(blm_make(&f, "decaying keys=100 form=blocks blocks=1.5", &why), BLM_E_ARG,
            "whole number");
    REFUSED(blm_make(&f, "decaying bits=20b hashes=2 keys=100 form=blocks blocks=100", &why),
            BLM_E_ARG, "blocks=100");
    SAYS("only 10 cells");
    REFUSED(blm_make(&f, "decaying keys=100 blocks=5", &why), BLM_E_ARG, "only form=blocks");
    REFUSED(blm_make(&f, "decaying bits=5b keys=100 fpr=1%", &why), BLM_E_ARG, "a cell has 8 bits");
    REFUSED(blm_make(&f, "decaying bits=4000b keys=100 fpr=1%", &why), BLM_E_ARG, "100 arrivals");
    SAYS("the rate would be");
    assert_null(f);
    f = made("decaying keys=100"), g = made("decaying keys=100");
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "no common order");
    blm_free(f);
    blm_free(g);
}

static void impossible_cells_are_refused(void **state)
{
    blm_filter *f = raw(101, 3, 20, 5, 1);
    (void)state;
    add_run(f, 0, 50);
    OK(f->kind->check(f, &why));
    f->cells[f->bytes - 1] |= 0x80;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "past the last cell");
    f->cells[f->bytes - 1] &= 0x7f;
    f->cells[0] |= 7; /* V = 5 */
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "more than 5 turns");
    set_field(f, "turn", 5);
    REFUSED(f->kind->shape(f, &f->bytes, &why), BLM_E_ARG, "turn 5");
    set_field(f, "blocks", 102);
    REFUSED(f->kind->shape(f, &f->bytes, &why), BLM_E_ARG, "102 blocks");
    blm_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest more[] = {cmocka_unit_test(no_key_of_the_window_is_missed)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulations),
        cmocka_unit_test(timing_is_the_plain_filter),
        cmocka_unit_test(the_edges_of_the_window),
        cmocka_unit_test(no_key_of_the_window_is_missed),
        cmocka_unit_test(ticks_of_any_length),
        cmocka_unit_test(ticks_of_long_windows),
        cmocka_unit_test(a_first_window_is_standard),
        cmocka_unit_test(fewer_keys_than_arrivals),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(impossible_cells_are_refused),
    };
    deep = argc > 1 && strcmp(argv[1], "--deep") == 0;
    return deep ? cmocka_run_group_tests(more, NULL, NULL)
                : cmocka_run_group_tests(tests, NULL, NULL);
}

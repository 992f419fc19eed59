/* test.c - what window is by its definition: a Bloom filter for each slice of time, which goes when its time has passed.
 *
 *   test_kinds_window --deep      10^7 arrivals instead of 10^6
 */
#include "core/unit.h"
#include "oracles.h"
#include "core/kind.h"

static bool deep;

static uint64_t draw_below(uint64_t *state, uint64_t limit) { return draw(state) % limit; }

static unsigned bit_of(const blm_filter *f, uint64_t i)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    assert_true(i / 8 < n);
    return cells[i / 8] >> i % 8 & 1;
}

/* ---- slices as filters that lie apart ---------------------------------------------------------------- */

enum { SLICES_MAX = 64 };

/* One standard filter for each time at which keys expire. */
typedef struct apart {
    blm_filter *f[SLICES_MAX];
    uint64_t expiry[SLICES_MAX]; /* the number of the slice; 0: free */
    unsigned columns, width;
    uint64_t window, slice;
} apart;

static apart apart_of(const blm_filter *w)
{
    apart a = {.columns = (unsigned)field(w, "slices") + 1, .window = field(w, "span")};
    for (unsigned i = 0; i < a.columns; i++)
        a.f[i] = made_new(BLM_CONFIG(.kind = "standard", .bits = field(w, "cells"), .keys = 1,
                                     .hashes = (unsigned)field(w, "hashes"), .seed = w->seed,
                                     .overfill = true));
    for (a.slice = 1; a.slice * (a.columns - 1) < a.window; a.slice++) continue;
    a.width = a.columns == 15 ? 16 : a.columns > 57 ? 64 : a.columns;
    return a;
}

static void apart_free(apart *a)
{
    for (unsigned i = 0; i < a->columns; i++) blm_free(a->f[i]);
}

static void apart_pass(apart *a, uint64_t now)
{
    for (unsigned i = 0; i < a->columns; i++)
        if (a->expiry[i] && a->expiry[i] * a->slice <= now) {
            assert_int_equal(blm_clear(a->f[i]), BLM_OK);
            a->expiry[i] = 0;
        }
}

static bool apart_has(const apart *a, blm_hash h)
{
    bool any = false;
    for (unsigned i = 0; i < a->columns; i++)
        any = any || (a->expiry[i] && blm_has_hash(a->f[i], h));
    return any;
}

/* Into the first slice that begins after the key's life. */
static bool apart_add(apart *a, blm_hash h, uint64_t now, uint64_t life)
{
    const bool fresh = !apart_has(a, h);
    const blm_item it = {h, NULL, 8, BLM_NO_ARG};
    uint64_t e = now / a->slice;
    unsigned at = 0;
    while (e * a->slice <= now + life) e++;
    while (at < a->columns && a->expiry[at] != e) at++;
    for (unsigned i = 0; at == a->columns && i < a->columns; i++)
        if (!a->expiry[i]) a->expiry[at = i] = e;
    assert_true(at < a->columns); /* there is always a column for it */
    assert_int_equal(blm_add_item(a->f[at], &it, NULL), BLM_OK);
    return fresh;
}

/* Column e modulo slices + 1 has the bits of the filter with the keys that expire in e; all others are empty. */
static void check_columns(const blm_filter *w, const apart *a)
{
    const uint64_t m = field(w, "cells");
    unsigned used[SLICES_MAX] = {0};
    for (unsigned i = 0; i < a->columns; i++)
        if (a->expiry[i]) used[a->expiry[i] % a->columns] = i + 1;
    double none = 0, ones = 0;
    for (unsigned c = 0; c < a->width; c++) {
        const blm_filter *s = c < a->columns && used[c] ? a->f[used[c] - 1] : NULL;
        for (uint64_t i = 0; i < m; i++)
            assert_int_equal(bit_of(w, i * a->width + c), s ? bit_of(s, i) : 0);
        if (!s) continue;
        none += log1p(-blm_fpr(s, NULL).high);
        ones += info_of(s).fill * (double)m;
    }
    NEAR(blm_fpr(w, NULL).high, -expm1(none), 1e-9);
    NEAR(info_of(w).fill, ones / ((double)m * a->columns), 1e-12);
    assert_int_equal(w->kind->check(w, NULL), BLM_OK);
}

/* ---- streams against them ------------------------------------------------------------------------------ */

enum { RUN_MAX = 40 };

typedef struct stream {
    blm_filter *w;
    apart a;
    uint64_t now, random, key;
} stream;

static bool by_ms(const stream *s) { return s->w->clock == BLM_CLOCK_MS; }

/* n keys, each with a life, one by one or in a batch; every fourth one came before. */
static void some_keys(stream *s, size_t n, bool batch)
{
    blm_hash h[RUN_MAX];
    uint64_t life[RUN_MAX];
    uint8_t fresh[RUN_MAX], want[RUN_MAX];
    for (size_t i = 0; i < n; i++) {
        const uint64_t key =
            draw_below(&s->random, 4) ? s->key++ : draw_below(&s->random, s->key + 1);
        const bool own = draw_below(&s->random, 2);
        h[i] = blm_hash_u64(s->w, key);
        life[i] = own ? 1 + draw_below(&s->random, s->a.window) : BLM_NO_ARG;
        s->now += !by_ms(s);
        apart_pass(&s->a, s->now);
        want[i] = apart_add(&s->a, h[i], s->now, own ? life[i] : s->a.window);
        if (batch) continue;
        bool is_new = false;
        const blm_item it = {h[i], NULL, 8, life[i]};
        assert_int_equal(blm_add_item(s->w, &it, &is_new), BLM_OK);
        fresh[i] = is_new;
    }
    if (batch) assert_int_equal(blm_add_many(s->w, h, life, n, fresh, NULL), BLM_OK);
    assert_memory_equal(fresh, want, n);
    assert_int_equal(info_of(s->w).now, s->now);
}

static void some_time(stream *s)
{
    const uint64_t r = draw_below(&s->random, 20);
    const uint64_t step = r == 0   ? draw_below(&s->random, 3 * s->a.window)
                          : r == 1 ? s->a.slice - s->now % s->a.slice /* to the edge */
                          : r == 2 ? s->a.slice - 1 - s->now % s->a.slice
                          : r < 12 ? draw_below(&s->random, s->a.slice + 1)
                                   : 0;
    s->now += step;
    assert_int_equal(blm_tick(s->w, s->now), BLM_OK);
    apart_pass(&s->a, s->now);
    if (step) check_columns(s->w, &s->a); /* at once: not at the next call */
}

static void check_stream(const char *spec, uint64_t start, unsigned rounds)
{
    stream s = {.w = made(spec), .random = 1};
    s.a = apart_of(s.w);
    s.now = start;
    OK(blm_tick(s.w, start));
    for (unsigned i = 0; i < rounds; i++) {
        some_time(&s);
        some_keys(&s, 1 + draw_below(&s.random, RUN_MAX), i % 2);
        for (unsigned j = 0; j < 50; j++) {
            const blm_hash h = blm_hash_u64(s.w, draw_below(&s.random, 2 * s.key + 10));
            assert_int_equal(blm_has_hash(s.w, h), apart_has(&s.a, h));
        }
        if (i % 8 == 0) check_columns(s.w, &s.a);
    }
    apart_free(&s.a);
    blm_free(s.w);
}

/* Bit for bit those of standard filters of as many cells and hashes, and only those of living keys. */
static void columns_are_standard_filters(void **state)
{
    static const char *const specs[] = {
        "window bits=40000b hashes=3 keys=100 window=700ms overfill=yes",
        "window bits=40000b hashes=3 keys=100 window=701ms overfill=yes seed=7",
        "window bits=20000b hashes=5 keys=100 window=1000ms slices=1 overfill=yes",
        "window bits=40000b hashes=2 keys=100 window=500ms slices=3 overfill=yes",
        "window bits=60000b hashes=4 keys=100 window=300ms slices=14 overfill=yes",
        "window bits=90000b hashes=3 keys=100 window=900ms slices=63 overfill=yes",
        "window bits=40000b hashes=3 keys=5 window=5ms overfill=yes",
        "window bits=30000b hashes=3 keys=1 window=1 overfill=yes",
        "window bits=40000b hashes=3 keys=100 window=100 overfill=yes",
        "window bits=60000b hashes=3 keys=200 window=211 slices=14 overfill=yes",
        "window bits=40000b hashes=3 keys=90 slices=5 overfill=yes",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++)
        check_stream(specs[i], i % 3 * 123457, TEST_SLOW ? 12 : 48);
    ORACLE_HOLDS("2.C9", "each slice has the cells of a standard filter", true);
}

/* ---- two filters in turn, as the paper has them -------------------------------------------------------- */

typedef struct purge {
    blm_filter *now, *old;
    uint64_t edge, horizon;
} purge;

/* while now >= edge: old = cur, clear cur, edge += Y; then test both, and insert into cur. */
static bool purge_replay(purge *p, uint64_t nonce, uint64_t now)
{
    while (now >= p->edge) {
        blm_filter *oldest = p->old;
        p->old = p->now;
        p->now = oldest;
        assert_int_equal(blm_clear(oldest), BLM_OK);
        p->edge += p->horizon;
    }
    if (blm_has_u64(p->now, nonce) || blm_has_u64(p->old, nonce)) return true;
    assert_int_equal(blm_add_u64(p->now, nonce), BLM_OK);
    return false;
}

static void one_slice_is_the_purge(void **state)
{
    blm_filter *w = made("window keys=500 fpr=2% window=1000ms slices=1 seed=3");
    purge p = {.edge = 1000, .horizon = 1000};
    blm_filter **both[] = {&p.now, &p.old};
    uint64_t random = 1, replays = 0;
    bool same = true;
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        *both[i] = made_new(BLM_CONFIG(.kind = "standard", .bits = field(w, "cells"), .keys = 500,
                                       .hashes = (unsigned)field(w, "hashes"), .seed = 3));
    for (uint64_t i = 0, now = 0; i < 20000; i++, now += draw_below(&random, 5)) {
        const uint64_t nonce =
            draw_below(&random, 3) ? i : i - draw_below(&random, i < 900 ? i + 1 : 900);
        OK(blm_tick(w, now));
        const bool replay = blm_has_u64(w, nonce);
        if (!replay) assert_int_equal(blm_add_u64(w, nonce), BLM_OK);
        same = same && purge_replay(&p, nonce, now) == replay;
        replays += replay;
    }
    assert_true(replays > 2000 && replays < 18000);
    ORACLE_HOLDS("2.C9", "slices=1: every answer of two filters in turn", same);
    blm_free(p.now);
    blm_free(p.old);
    blm_free(w);
}

/* A nonce of time 0 and one of the last moment of its slice: at the ages Y - 1, Y, 2 Y - 1, 2 Y. */
static void edges_of_the_horizon(void **state)
{
    enum { Y = 1000 };
    static const uint64_t ages[] = {Y - 1, Y, 2 * Y - 1, 2 * Y};
    static const bool first[] = {true, true, true, false}, last[] = {true, true, false, false};
    bool right = true;
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        blm_filter *w = made("window keys=100 fpr=0.0001% window=1s slices=1");
        const uint64_t came = 5 * Y + (late ? Y - 1 : 0);
        OK(blm_tick(w, came));
        add_run(w, 0, 50);
        for (unsigned i = 0; i < 4; i++) {
            OK(blm_tick(w, came + ages[i]));
            for (uint64_t key = 0; key < 50; key++)
                right = right && blm_has_u64(w, key) == (late ? last : first)[i];
        }
        blm_free(w);
    }
    ORACLE_HOLDS("2.C9", "found at the ages Y - 1 and Y, gone at 2 Y; at 2 Y - 1 by its place",
                 right);
}

/* ---- no miss ------------------------------------------------------------------------------------------- */

/* Of a stream of new keys, each is asked once when it is nearly as old as the window, and once when it is gone. */
static void no_key_is_missed(void **state)
{
    enum { BATCH = 1000, KEYS = 100000, GONE = KEYS + (KEYS + 6) / 7 };
    const uint64_t all = deep ? 10000000 : TEST_SLOW ? 300000 : 1000000;
    blm_filter *f = made("window keys=100000 fpr=1%");
    uint64_t key[BATCH], found = 0, asked = 0, yes_gone = 0, gone = 0;
    uint8_t yes[BATCH];
    double rate = 0;
    (void)state;
    for (uint64_t at = 0; at < all; at += BATCH) {
        for (size_t i = 0; i < BATCH; i++) key[i] = at + i;
        assert_int_equal(blm_add_many_u64(f, key, BATCH, NULL, NULL), BLM_OK);
        const uint64_t end = at + BATCH; /* key i came at time i + 1, and is end - i - 1 old */
        if (end > KEYS) {                /* ages KEYS down to KEYS - 999 */
            for (size_t i = 0; i < BATCH; i++) key[i] = end - 1 - KEYS + i;
            blm_has_many_u64(f, key, BATCH, yes);
            for (size_t i = 0; i < BATCH; i++) found += yes[i];
            asked += BATCH;
        }
        if (end < GONE + BATCH) continue;
        for (size_t i = 0; i < BATCH; i++) key[i] = end - GONE - BATCH + i;
        blm_has_many_u64(f, key, BATCH, yes);
        for (size_t i = 0; i < BATCH; i++) yes_gone += yes[i];
        gone += BATCH;
        rate += blm_fpr(f, NULL).high * BATCH;
    }
    assert_true(found == asked && asked > all * 3 / 5);
    WITHIN((double)yes_gone, rate, 4 * sqrt(rate)); /* binomial */
    assert_true(rate / (double)gone < 0.01 && rate / (double)gone > 0.008);
    blm_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_standard_filters),
        cmocka_unit_test(one_slice_is_the_purge),
        cmocka_unit_test(edges_of_the_horizon),
        cmocka_unit_test(no_key_is_missed),
    };
    deep = argc > 1 && strcmp(argv[1], "--deep") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

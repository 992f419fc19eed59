/* spread.c - batches over counters that lie anywhere.
 *
 *     ring   | key i + 64 | key i + 1 | key i + 2 | ... | key i + 63 |     places of counters
 *                 ^ was key i: worked on, then found and fetched anew
 *
 * A question looks at two counters first: of non-members three quarters end there. Who is left waits in a second ring
 * while the other counters are fetched, and they are looked at together: each could be zero, and a wrong guess costs
 * as much as all of them. Keys with more than 16 counters go one by one, as the calls of one key say.
 */
#include "cells.h"

#define EACH inline __attribute__((always_inline)) /* width 4 becomes a constant */

enum { FIRST = 2, KEPT = 16, LATE = 16 };

/* One batch: copies, which no write to counters or answers can change. */
typedef struct work {
    uint8_t *cells;
    uint64_t bytes, count;
    const blm_hash *h;
    size_t n, all; /* keys to work on; and those to fetch only */
    unsigned k;
    uint64_t at[BLM_AHEAD][KEPT];
} work;

/* ---- counters ------------------------------------------------------------------------------ */

/* A counter of 4 bits is half a byte; others are read as packed.h says. */
static EACH uint64_t byte_of(const work *w, uint64_t at, unsigned width)
{
    return width == 4 ? at / 2 : blm_packed_find(w->bytes, width, at).byte;
}

static EACH uint64_t get(const work *w, uint64_t at, unsigned width)
{
    return width == 4 ? w->cells[at / 2] >> at % 2 * 4 & 15u
                      : blm_packed_get(w->cells, w->bytes, width, at);
}

/* From `old` to `value`, both of them what fits. */
static EACH void set(const work *w, uint64_t at, uint64_t old, uint64_t value, unsigned width)
{
    if (width == 4)
        w->cells[at / 2] = (uint8_t)(w->cells[at / 2] ^ (old ^ value) << at % 2 * 4);
    else
        blm_packed_set(w->cells, w->bytes, width, at, value);
}

/* ---- places -------------------------------------------------------------------------------- */

/* Counters `from` to `to` of key i, from at[0] on. */
static EACH void find(const work *w, size_t i, unsigned from, unsigned to, unsigned width,
                      bool fetch, uint64_t *at)
{
    for (unsigned j = from; j < to; j++) {
        const uint64_t place = blm_place(w->h[i], j, w->count);
        at[j - from] = place;
        if (fetch) blm_fetch(w->cells + byte_of(w, place, width));
    }
}

/* The first keys are fetched already. */
static EACH void begin(work *w, const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                       unsigned keep, unsigned width)
{
    const blm_counting *c = (const blm_counting *)f;
    w->cells = f->cells;
    w->bytes = f->bytes;
    w->count = c->cells;
    w->h = h;
    w->n = n;
    w->all = n + more;
    w->k = c->hashes;
    for (size_t i = 0; i < BLM_AHEAD && i < n; i++) find(w, i, 0, keep, width, false, w->at[i]);
}

/* Key i has been worked on: its place is for the key that comes BLM_AHEAD after it. */
static EACH void turn(work *w, size_t i, unsigned keep, unsigned width)
{
    if (i + BLM_AHEAD < w->all) find(w, i + BLM_AHEAD, 0, keep, width, true, w->at[i % BLM_AHEAD]);
}

/* All k counters of key i, into v. 1: none of them is zero. *high: from bit `width` on it is 0 if none is at its
 * ceiling or one below it. */
static EACH bool read_all(const work *w, size_t i, unsigned width, uint64_t *v, uint64_t *high)
{
    const uint64_t *at = w->at[i % BLM_AHEAD];
    uint64_t zero = 0;
    *high = 0;
    for (unsigned j = 0; j < w->k; j++) {
        v[j] = get(w, at[j], width);
        zero |= v[j] - 1;
        *high |= v[j] + 2;
    }
    return !(zero >> 63);
}

/* ---- questions ----------------------------------------------------------------------------- */

typedef struct late { /* a key whose first counters are not zero */
    size_t key;
    uint64_t at[KEPT - FIRST];
} late;

static EACH void settle(const work *w, const late *x, unsigned width, uint8_t *yes)
{
    uint64_t zero = 0;
    for (unsigned j = 0; j + FIRST < w->k; j++) zero |= get(w, x->at[j], width) - 1;
    yes[x->key] = !(zero >> 63);
}

static EACH void has_all(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                         uint8_t *yes, unsigned width)
{
    work w;
    late wait[LATE];
    size_t came = 0;
    begin(&w, f, h, n, more, FIRST, width);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *at = w.at[i % BLM_AHEAD];
        yes[i] = !(((get(&w, at[0], width) - 1) | (get(&w, at[1], width) - 1)) >> 63);
        if (yes[i]) {
            late *x = &wait[came % LATE];
            if (came >= LATE) settle(&w, x, width, yes);
            x->key = i;
            find(&w, i, FIRST, w.k, width, true, x->at);
            came++;
        }
        turn(&w, i, FIRST, width);
    }
    for (size_t i = came < LATE ? 0 : came - LATE; i < came; i++)
        settle(&w, &wait[i % LATE], width, yes);
}

/* ---- adds, deletes, counts ----------------------------------------------------------------- */

/* New values are made of what was there before the key: two probes that meet in one counter change it once. Where none is
 * near the ceiling (`calm`), none can get stuck. */
static EACH blm_census raise_all(const work *w, size_t i, unsigned width, const uint64_t *v,
                                 bool calm)
{
    const uint64_t *at = w->at[i % BLM_AHEAD], top = blm_packed_top(width);
    blm_census sum = {0, 0};
    for (unsigned j = 0; j < w->k; j++) {
        const uint64_t now = get(w, at[j], width), next = v[j] + (calm || v[j] < top);
        set(w, at[j], now, next, width);
        sum.used += now == 0;
        if (!calm) sum.stuck += (next == top) & (now != top);
    }
    return sum;
}

static EACH uint64_t lower_all(const work *w, size_t i, unsigned width, const uint64_t *v)
{
    const uint64_t *at = w->at[i % BLM_AHEAD], top = blm_packed_top(width);
    uint64_t gone = 0;
    for (unsigned j = 0; j < w->k; j++) {
        const uint64_t now = get(w, at[j], width), next = v[j] - (v[j] < top);
        set(w, at[j], now, next, width);
        gone += (next == 0) & (now != 0);
    }
    return gone;
}

static EACH blm_err add_all(blm_filter *f, const blm_hash *h, size_t n, size_t more, uint8_t *fresh,
                            unsigned width)
{
    work w;
    uint64_t v[KEPT], high;
    blm_census sum = {0, 0};
    bool any;
    begin(&w, f, h, n, more, ((const blm_counting *)f)->hashes, width);
    for (size_t i = 0; i < n; i++) {
        read_all(&w, i, width, v, &high);
        const blm_census change =
            high >> width ? raise_all(&w, i, width, v, false) : raise_all(&w, i, width, v, true);
        sum = blm_census_plus(sum, change);
        if (fresh) fresh[i] = change.used > 0;
        turn(&w, i, w.k, width);
    }
    return blm_counting_raised((blm_counting *)f, sum, &any);
}

static EACH blm_err del_all(blm_filter *f, const blm_hash *h, size_t n, size_t more,
                            uint8_t *absent, unsigned width)
{
    work w;
    uint64_t v[KEPT], high, gone = 0;
    begin(&w, f, h, n, more, ((const blm_counting *)f)->hashes, width);
    for (size_t i = 0; i < n; i++) {
        const bool there = read_all(&w, i, width, v, &high);
        if (there) gone += lower_all(&w, i, width, v);
        if (absent) absent[i] = !there;
        turn(&w, i, w.k, width);
    }
    ((blm_counting *)f)->used -= gone;
    return BLM_OK;
}

static EACH blm_err count_all(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                              blm_estimate *times, unsigned width)
{
    const blm_counters all = blm_counting_all((const blm_counting *)f);
    work w;
    uint64_t v[KEPT], high;
    begin(&w, f, h, n, more, ((const blm_counting *)f)->hashes, width);
    for (size_t i = 0; i < n; i++) {
        uint64_t min = UINT64_MAX;
        read_all(&w, i, width, v, &high);
        for (unsigned j = 0; j < w.k; j++) min = v[j] < min ? v[j] : min;
        times[i] = blm_counters_estimate(&all, min);
        turn(&w, i, w.k, width);
    }
    return BLM_OK;
}

/* ---- the kind's calls ------------------------------------------------------------------------ */

#define BY_WIDTH(CALL, ...)                                                                        \
    (((const blm_counting *)f)->width == 4                                                         \
         ? CALL(f, h, n, more, __VA_ARGS__, 4)                                                     \
         : CALL(f, h, n, more, __VA_ARGS__, ((const blm_counting *)f)->width))

static void spread_has(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                       size_t more, uint8_t *yes)
{
    (void)a;
    BY_WIDTH(has_all, yes);
}

static blm_err spread_add(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                          size_t more, uint8_t *fresh, size_t *done)
{
    (void)a;
    *done = n;
    return BY_WIDTH(add_all, fresh);
}

static blm_err spread_del(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                          size_t more, uint8_t *absent, size_t *done)
{
    (void)a;
    *done = n;
    return BY_WIDTH(del_all, absent);
}

static blm_err spread_count(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                            blm_estimate *times)
{
    return BY_WIDTH(count_all, times);
}

static inline void blm_counting_spread_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_counters all = blm_counting_all((const blm_counting *)f);
    blm_counters_fetch_first(&all, h, FIRST);
}

static inline void blm_counting_spread_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_counters all = blm_counting_all((const blm_counting *)f);
    blm_counters_fetch_first(&all, h, ((const blm_counting *)f)->hashes);
}

BLM_BATCH(blm_counting_spread)
BLM_BATCH_ADD(blm_counting_spread, blm_counting_spread_prefetch_all)
BLM_BATCH_DEL(blm_counting_spread, blm_counting_spread_prefetch_all)

#define blm_counting_spread_count blm_counting_count
BLM_BATCH_COUNT(blm_counting_spread, blm_counting_spread_prefetch_all)

const blm_counting_batches *blm_counting_spread_many(const blm_counting *c)
{
    static const blm_counting_batches kept = {blm_counting_spread_prefetch_many, spread_has,
                                              spread_add, spread_del, spread_count};
    static const blm_counting_batches plain = {
        blm_counting_spread_prefetch_many, blm_counting_spread_has_many,
        blm_counting_spread_add_many, blm_counting_spread_del_many, blm_counting_spread_count_many};
    return c->hashes >= FIRST && c->hashes <= KEPT ? &kept : &plain;
}

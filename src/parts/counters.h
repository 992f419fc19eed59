/* counters.h - an array of counters that stop at their ceiling and then stay there.
 *
 * A counter at its ceiling, 2^width - 1, has lost count: it is stuck, is never lowered again, and so never
 * below the truth. Who keeps such an array keeps two sums of it, of the counters in use and of those that are
 * stuck; every change here tells how the sums change.
 */
#ifndef BLM_COUNTERS_H
#define BLM_COUNTERS_H
#include "core/kind.h"
#include "parts/packed.h"
#include "parts/probe.h"

typedef struct blm_counters {
    uint8_t *cells; /* whole 8-byte words: blm_packed_bytes(count, width)  */
    uint64_t bytes, count;
    unsigned width; /* 1 to 57, or 64 */
} blm_counters;

/* Of a whole array, or how many more of each after a change. */
typedef struct blm_census {
    uint64_t used, stuck;
} blm_census;

static inline blm_census blm_census_plus(blm_census a, blm_census b)
{
    return (blm_census){a.used + b.used, a.stuck + b.stuck};
}

static inline uint64_t blm_counters_get(const blm_counters *c, uint64_t at)
{
    return blm_packed_get(c->cells, c->bytes, c->width, at);
}

static inline void blm_counters_fetch(const blm_counters *c, uint64_t at)
{
    blm_fetch(c->cells + blm_packed_find(c->bytes, c->width, at).byte);
}

/* The first n counters of a key; more than 16 would leave the cache before their turn. */
static inline void blm_counters_fetch_first(const blm_counters *c, blm_hash h, unsigned n)
{
    for (unsigned i = 0; i < n && i < 16; i++) blm_counters_fetch(c, blm_place(h, i, c->count));
}

/* To `value`, which is at most the ceiling, if it is less: a counter never falls by it. */
static inline blm_census blm_counters_lift(const blm_counters *c, uint64_t at, uint64_t value)
{
    const uint64_t old = blm_counters_get(c, at), top = blm_packed_top(c->width);
    if (value <= old) return (blm_census){0, 0};
    blm_packed_set(c->cells, c->bytes, c->width, at, value);
    return (blm_census){old == 0, value == top};
}

/* By `by`, up to the ceiling. */
static inline blm_census blm_counters_raise(const blm_counters *c, uint64_t at, uint64_t by)
{
    const uint64_t old = blm_counters_get(c, at), top = blm_packed_top(c->width);
    return blm_counters_lift(c, at, by < top - old ? old + by : top);
}

/* By `by`, which is at most the counter, unless it is stuck. Returns 1 when it is out of use after that. */
static inline uint64_t blm_counters_lower(const blm_counters *c, uint64_t at, uint64_t by)
{
    const uint64_t old = blm_counters_get(c, at);
    if (old == blm_packed_top(c->width) || !by) return 0;
    blm_packed_set(c->cells, c->bytes, c->width, at, old - by);
    return old == by;
}

static inline bool blm_counters_tail_zero(const blm_counters *c)
{
    return blm_packed_tail_zero(c->cells, c->bytes, c->width, c->count);
}

/* The smallest of n counters; n is at least 1. */
static inline uint64_t blm_counters_min(const blm_counters *c, const uint64_t *at, unsigned n)
{
    uint64_t min = UINT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t v = blm_counters_get(c, at[i]);
        min = v < min ? v : min;
    }
    return min;
}

/* Leaves out positions that came before, in place; how many are left. At most 64 come. */
static inline unsigned blm_counters_distinct(uint64_t *at, unsigned n)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned j = 0;
        while (j < kept && at[j] != at[i]) j++;
        if (j == kept) at[kept++] = at[i];
    }
    return kept;
}

/* The counters of a key, no two of them the same, and the smallest: positions 0 to k - 1 of its hash. */
typedef struct blm_counters_key {
    uint64_t at[64], min;
    unsigned n;
} blm_counters_key;

static inline blm_counters_key blm_counters_find(const blm_counters *c, unsigned k, blm_hash h)
{
    blm_counters_key key;
    for (unsigned i = 0; i < k; i++) key.at[i] = blm_place(h, i, c->count);
    key.n = blm_counters_distinct(key.at, k);
    key.min = blm_counters_min(c, key.at, key.n);
    return key;
}

/* The counters of one key, no two of them the same: each by `by`; or each to `to`, or the ceiling, if it is less
 * (the conservative update: to the smallest of them + the weight). */
blm_census blm_counters_raise_all(const blm_counters *c, const uint64_t *at, unsigned n,
                                  uint64_t by);
blm_census blm_counters_lift_all(const blm_counters *c, const uint64_t *at, unsigned n,
                                 uint64_t to);
/* Each by `by`, or to zero; how many are out of use after that. */
uint64_t blm_counters_lower_all(const blm_counters *c, const blm_counters_key *key, uint64_t by);
blm_census blm_counters_census(const blm_counters *c);
/* Adds the counters of `from` to those of `into`, of the same count and width, up to the ceiling; the
 * order of raises and merges does not matter. Returns the census after it. */
blm_census blm_counters_merge(const blm_counters *into, const blm_counters *from);
/* Whole words for so many of that width, or why not. */
blm_err blm_counters_shape(uint64_t count, unsigned width, uint64_t *bytes, blm_report *why);
/* As a kind's calls of these names; `want`: what its fields say. */
blm_err blm_counters_check(const blm_counters *c, blm_census want, blm_report *why);
size_t blm_counters_touch(const blm_counters *c, const uint64_t *at, unsigned n, blm_touch *out,
                          size_t cap);
/* "it is n", with the ceiling told. */
blm_estimate blm_counters_estimate(const blm_counters *c, uint64_t value);
#endif

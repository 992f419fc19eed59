/* cells.h - the counters of a filter, where those of a key are, and what a change of them means.
 *
 * Both layouts are one array of m counters, and are merged, checked and deleted from as such; a line is a piece of
 * it (tally.h).
 */
#ifndef BLM_COUNTING_CELLS_H
#define BLM_COUNTING_CELLS_H
#include "core/kind.h"
#include "tally.h"

/* Many keys, as the kind's calls prefetch_many, has_many, add_many, del_many and count_many. */
typedef struct blm_counting_batches {
    void (*prefetch)(const blm_filter *f, const blm_hash *h, size_t n);
    void (*has)(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                uint8_t *yes);
    blm_err (*add)(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                   uint8_t *fresh, size_t *done);
    blm_err (*del)(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                   uint8_t *absent, size_t *done);
    blm_err (*count)(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                     blm_estimate *times);
} blm_counting_batches;

typedef struct blm_counting {
    blm_filter base;
    uint64_t cells; /* m */
    uint64_t used;  /* counters above zero */
    uint64_t stuck; /* counters at their ceiling */
    uint8_t hashes; /* k */
    uint8_t width;
    uint8_t layout;                   /* a COUNTING_... word */
    uint64_t lines;                   /* by shape: those of layout=line; 0: spread */
    const blm_counting_batches *many; /* by shape: of the layout, and of what the machine can do */
} blm_counting;

enum { COUNTING_SPREAD, COUNTING_LINE };

static inline unsigned blm_counting_a_line(const blm_counting *c)
{
    return BLM_TALLY_BITS / c->width;
}

static inline blm_counters blm_counting_all(const blm_counting *c)
{
    return (blm_counters){c->base.cells, c->base.bytes, c->cells, c->width};
}

/* Counter i of a key. */
static inline uint64_t blm_counting_place(const blm_counting *c, blm_hash h, unsigned i)
{
    if (!c->lines) return blm_place(h, i, c->cells);
    return blm_reduce(h.lo, c->lines) * blm_counting_a_line(c) + blm_tally_place(h, i, c->width);
}

/* The distinct counters of a key, in the order of its probes. k is at most 64. */
static inline unsigned blm_counting_places(const blm_counting *c, blm_hash h, uint64_t at[64])
{
    for (unsigned i = 0; i < c->hashes; i++) at[i] = blm_counting_place(c, h, i);
    return blm_counters_distinct(at, c->hashes);
}

/* A counter that reaches its ceiling has lost count: from then on deletes are not exact. */
static inline void blm_counting_notice(blm_counting *c)
{
    if (c->stuck) c->base.lost |= BLM_DEL_EXACT;
}

static inline blm_err blm_counting_raised(blm_counting *c, blm_census change, bool *fresh)
{
    c->used += change.used;
    c->stuck += change.stuck;
    blm_counting_notice(c);
    *fresh = change.used > 0;
    return BLM_OK;
}

/* Never below the truth, unless a counter is stuck; how far above it, nobody knows. */
static inline blm_err blm_counting_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                         blm_estimate *n)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = blm_counting_all(c);
    uint64_t at[64];
    (void)it;
    *n = blm_counters_estimate(&all, blm_counters_min(&all, at, blm_counting_places(c, h, at)));
    return BLM_OK;
}

/* ---- layout=spread ---------------------------------------------------------------------- */

static inline bool blm_counting_spread_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = blm_counting_all(c);
    (void)it;
    for (unsigned i = 0; i < c->hashes; i++)
        if (!blm_counters_get(&all, blm_place(h, i, c->cells))) return false;
    return true;
}

static inline blm_err blm_counting_spread_add(blm_filter *f, blm_hash h, const blm_item *it,
                                              bool *fresh)
{
    blm_counting *c = (blm_counting *)f;
    const blm_counters all = blm_counting_all(c);
    blm_census change = {0, 0};
    uint64_t at[64];
    const unsigned n = blm_counting_places(c, h, at);
    (void)it;
    for (unsigned i = 0; i < n; i++)
        change = blm_census_plus(change, blm_counters_raise(&all, at[i], 1));
    return blm_counting_raised(c, change, fresh);
}

/* All are read before one is written: a refused delete leaves no trace. */
static inline blm_err blm_counting_spread_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_counting *c = (blm_counting *)f;
    const blm_counters all = blm_counting_all(c);
    uint64_t at[64];
    if (!blm_counting_spread_has(f, h, it)) return BLM_E_ABSENT;
    const unsigned n = blm_counting_places(c, h, at);
    for (unsigned i = 0; i < n; i++) c->used -= blm_counters_lower(&all, at[i], 1);
    return BLM_OK;
}

const blm_counting_batches *blm_counting_spread_many(const blm_counting *c); /* spread.c */

/* ---- layout=line ------------------------------------------------------------------------ */

static inline void blm_counting_line_prefetch(const blm_filter *f, blm_hash h)
{
    blm_fetch(f->cells + blm_tally_start(h, ((const blm_counting *)f)->lines));
}

static inline bool blm_counting_line_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_counting *c = (const blm_counting *)f;
    (void)it;
    return blm_tally_has(f->cells + blm_tally_start(h, c->lines), h, c->hashes, c->width);
}

static inline blm_err blm_counting_line_add(blm_filter *f, blm_hash h, const blm_item *it,
                                            bool *fresh)
{
    blm_counting *c = (blm_counting *)f;
    (void)it;
    return blm_counting_raised(
        c, blm_tally_add(f->cells + blm_tally_start(h, c->lines), h, c->hashes, c->width), fresh);
}

static inline blm_err blm_counting_line_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_counting *c = (blm_counting *)f;
    uint8_t *line = f->cells + blm_tally_start(h, c->lines);
    if (!blm_counting_line_has(f, h, it)) return BLM_E_ABSENT;
    c->used -= blm_tally_lower(line, h, c->hashes, c->width);
    return BLM_OK;
}

const blm_counting_batches *blm_counting_lines_many(const blm_counting *c); /* line.c */
const blm_one *blm_counting_lines_one(const blm_filter *f);

/* ---- rates.c: m and k of layout=spread for a wish, and the kind's calls of these names ---------------------------------------- */

blm_err blm_counting_size(blm_counting *c, const blm_config *wish, unsigned *k, blm_report *why);
blm_rate blm_counting_fpr(const blm_filter *f, const blm_case *c);
double blm_counting_fill(const blm_filter *f);
double blm_counting_lines(const blm_filter *f, const blm_case *c);
blm_err blm_counting_keys(const blm_filter *f, blm_estimate *n);
#endif

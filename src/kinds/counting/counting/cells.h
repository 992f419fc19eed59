/* cells.h - the counters of a filter, where those of a key are, and what a change of them means.
 *
 * Both layouts are one array of m counters, and are merged, checked and deleted from as such; a line is a piece of
 * it (tally.h).
 */
#ifndef BLM_COUNTING_CELLS_H
#define BLM_COUNTING_CELLS_H
#include "core/kind.h"
#include "tally.h"

typedef struct blm_counting {
    blm_filter base;
    uint64_t cells; /* m */
    uint64_t used;  /* counters above zero */
    uint64_t stuck; /* counters at their ceiling */
    uint8_t hashes; /* k */
    uint8_t width;
    uint8_t layout; /* a COUNTING_... word */
    bool quick;     /* by shape: what the vector code can do     */
    uint64_t lines; /* by shape: those of layout=line; 0: spread */
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

/* line.c: many keys, as the kind's prefetch_many, has_many and add_many. */
void blm_counting_prefetch_lines(const blm_filter *f, const blm_hash *h, size_t n);
void blm_counting_has_lines(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *yes);
blm_err blm_counting_add_lines(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                               size_t more, uint8_t *fresh, size_t *done);

/* ---- rates.c: m and k of layout=spread for a wish, and the kind's calls of these names ---------------------------------------- */

blm_err blm_counting_size(blm_counting *c, const blm_config *wish, unsigned *k, blm_report *why);
blm_rate blm_counting_fpr(const blm_filter *f, const blm_case *c);
double blm_counting_fill(const blm_filter *f);
double blm_counting_lines(const blm_filter *f, const blm_case *c);
blm_err blm_counting_keys(const blm_filter *f, blm_estimate *n);
#endif

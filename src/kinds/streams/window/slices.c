/* slices.c - columns are emptied at the edges of slices, and keys go into the first slice that outlives them. */
#include "cells.h"

#include <string.h>

/* ---- time passes ----------------------------------------------------------------------------------- */

static uint64_t all_ones(const blm_columns *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < c->sets; i++) sum += blm_sliding_ones(c, i);
    return sum;
}

/* The columns of a mask that have ones are emptied in one pass. */
static void empty(const blm_columns *c, uint64_t sets)
{
    uint64_t some = 0;
    for (unsigned i = 0; i < c->sets; i++) {
        if (!(sets >> i & 1) || !blm_sliding_ones(c, i)) continue;
        some |= UINT64_C(1) << i;
        blm_put64(blm_sliding_counter(c, i), 0);
    }
    if (some) blm_columns_wipe(c, some);
}

/* The columns of the slices from + 1 to `to`, fewer than there are columns. */
static uint64_t columns_between(unsigned sets, uint64_t from, uint64_t to)
{
    uint64_t mask = 0;
    for (uint64_t e = from; e < to; e++) mask |= UINT64_C(1) << ((e % sets + 1) % sets);
    return mask;
}

void blm_sliding_pass(blm_filter *f, uint64_t now)
{
    const blm_sliding *s = (const blm_sliding *)f;
    const blm_columns c = blm_sliding_columns(s);
    const uint64_t from = f->now / s->slice, to = now / s->slice;
    if (to - from < c.sets)
        empty(&c, columns_between(c.sets, from, to));
    else if (all_ones(&c))
        memset(f->cells, 0, (size_t)f->bytes);
}

blm_err blm_sliding_tick(blm_filter *f, uint64_t now)
{
    blm_sliding_pass(f, now);
    return BLM_OK;
}

/* ---- one key ----------------------------------------------------------------------------------------- */

blm_err blm_sliding_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    const blm_sliding *s = (const blm_sliding *)f;
    const blm_columns c = blm_sliding_columns(s);
    if (s->unit != WINDOW_MS) {
        blm_sliding_pass(f, blm_sum_below(f->now, 1, UINT64_MAX));
        blm_step(f, 1);
    }
    const unsigned after =
        blm_sliding_after(s, f->now % s->slice, blm_sliding_life(s, it ? it->arg : BLM_NO_ARG));
    const unsigned column = (unsigned)((f->now / s->slice % c.sets + after) % c.sets);
    *fresh = !blm_columns_mask(&c, h, blm_columns_all(c.sets));
    blm_sliding_count(&c, column, blm_columns_set(&c, h, column));
    return BLM_OK;
}

/* ---- many keys: time goes on in between, and no number is divided for a key with the default life ----- */

typedef struct sliding_run {
    const blm_sliding *s;
    blm_columns c;
    const uint64_t *life; /* of the next key */
    uint64_t all;         /* the mask of all columns */
    uint64_t phase;       /* units since the slice began */
    uint64_t steps;       /* arrivals until the end of time; 0: time does not step */
    uint64_t long_from;   /* from this phase on the default life ends a slice later */
    unsigned base, after; /* the column of this slice, and slices until the default life ends */
} sliding_run;

static sliding_run run_of(blm_filter *f, const uint64_t *a)
{
    const blm_sliding *s = (const blm_sliding *)f;
    const blm_columns c = blm_sliding_columns(s);
    return (sliding_run){
        .s = s,
        .c = c,
        .life = a,
        .all = blm_columns_all(c.sets),
        .phase = f->now % s->slice,
        .steps = s->unit == WINDOW_MS ? 0 : UINT64_MAX - f->now,
        .long_from = s->slice - s->span % s->slice,
        .base = (unsigned)(f->now / s->slice % c.sets),
        .after = (unsigned)(s->span / s->slice) + 1,
    };
}

static inline void run_step(sliding_run *r)
{
    if (!r->steps) return;
    r->steps--;
    if (++r->phase < r->s->slice) return;
    r->phase = 0;
    r->base = r->base + 1 < r->c.sets ? r->base + 1 : 0;
    empty(&r->c, UINT64_C(1) << r->base);
}

static inline unsigned run_column(sliding_run *r)
{
    const uint64_t life = r->life ? *r->life++ : BLM_NO_ARG;
    const unsigned after = life >= r->s->span ? r->after + (r->phase >= r->long_from)
                                              : blm_sliding_after(r->s, r->phase, life);
    const unsigned column = r->base + after;
    return column < r->c.sets ? column : column - r->c.sets;
}

static inline bool sliding_put(void *into, const blm_staged_group *g, size_t i)
{
    sliding_run *r = into;
    run_step(r);
    const unsigned column = run_column(r);
    const bool fresh = !blm_columns_mask_at(&r->c, g, i, r->all);
    blm_sliding_count(&r->c, column, blm_columns_set_at(&r->c, g, i, column));
    return fresh;
}

blm_err blm_sliding_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *fresh, size_t *done)
{
    sliding_run r = run_of(f, a);
    (void)more;
    blm_columns_add_each(&r.c, h, n, sliding_put, &r, fresh);
    if (r.s->unit != WINDOW_MS) blm_step(f, n);
    *done = n;
    return BLM_OK;
}

/* ---- two windows --------------------------------------------------------------------------------------- */

/* Slices of one number have one column in both. f is brought to the time of g if that is later; of a g that is earlier only
 * the columns are taken that have not expired since. */
blm_err blm_sliding_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    const blm_sliding *s = (const blm_sliding *)f;
    const blm_columns c = blm_sliding_columns(s), d = blm_sliding_columns((const blm_sliding *)g);
    const uint64_t now = f->now / s->slice, then = g->now / s->slice;
    (void)why;
    if (g->now > f->now) blm_sliding_pass(f, g->now);
    uint64_t dead = 0;
    if (now > then)
        dead = now - then < c.sets ? columns_between(c.sets, then, now) : blm_columns_all(c.sets);
    for (unsigned i = 0; i < c.sets; i++)
        if (!(dead >> i & 1)) blm_sliding_count(&c, i, blm_columns_or(&c, i, &d, i));
    return BLM_OK;
}

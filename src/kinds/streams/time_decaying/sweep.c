/* sweep.c - all cells at once: halved when an epoch ends, counted, merged.
 *
 * Cells have whole bytes, so that a compiler turns the loops into vector code: a cell of 16 bits takes 0.6 ns.
 */
#include "cells.h"

typedef struct fading { /* what time does to each cell */
    uint64_t epochs;
    bool rested; /* stuck cells are empty by now */
    uint64_t level;
} fading;

static inline uint64_t cell_get(const uint8_t *cells, unsigned width, uint64_t i)
{
    return width == 8 ? cells[i] : width == 16 ? blm_le16(cells + 2 * i) : blm_le32(cells + 4 * i);
}

static inline void cell_set(uint8_t *cells, unsigned width, uint64_t i, uint64_t v)
{
    if (width == 8)
        cells[i] = (uint8_t)v;
    else if (width == 16)
        blm_put16(cells + 2 * i, (uint16_t)v);
    else
        blm_put32(cells + 4 * i, (uint32_t)v);
}

static inline uint64_t faded(uint64_t v, uint64_t top, const fading *p)
{
    const uint64_t stuck = p->rested ? 0 : top;
    return v == top ? stuck : blm_decay_halved(v, p->epochs);
}

static inline blm_census pass_cells(uint8_t *cells, unsigned width, uint64_t n, fading p)
{
    const uint64_t top = blm_packed_top(width);
    blm_census sum = {0, 0};
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t v = faded(cell_get(cells, width, i), top, &p);
        cell_set(cells, width, i, v);
        sum.used += v >= p.level;
        sum.stuck += v == top;
    }
    return sum;
}

static inline blm_census count_cells(const uint8_t *cells, unsigned width, uint64_t n,
                                     uint64_t least)
{
    const uint64_t top = blm_packed_top(width);
    blm_census sum = {0, 0};
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t v = cell_get(cells, width, i);
        sum.used += v >= least;
        sum.stuck += v == top;
    }
    return sum;
}

blm_census blm_decay_census(const blm_time_decaying *t, uint64_t from, uint64_t n, uint64_t least)
{
    const uint8_t *cells = t->base.cells + from * (t->width / 8);
    return t->width == 8    ? count_cells(cells, 8, n, least)
           : t->width == 16 ? count_cells(cells, 16, n, least)
                            : count_cells(cells, 32, n, least);
}

/* Of a filter whose time is `then`, at `now`. Stuck cells leave at a fixed epoch, however many ticks it takes. */
static fading fading_of(const blm_time_decaying *t, uint64_t then, uint64_t now)
{
    const uint64_t epoch = now / t->half;
    return (fading){epoch - then / t->half, epoch >= t->met && epoch - t->met >= DECAY_REST,
                    t->level};
}

void blm_decay_pass(blm_time_decaying *t, uint64_t now)
{
    const fading p = fading_of(t, t->base.now, now);
    const uint64_t n = t->columns * t->hashes;
    if (!p.epochs) return;
    const blm_census all = t->width == 8    ? pass_cells(t->base.cells, 8, n, p)
                           : t->width == 16 ? pass_cells(t->base.cells, 16, n, p)
                                            : pass_cells(t->base.cells, 32, n, p);
    t->used = all.used;
    t->stuck = all.stuck;
}

blm_err blm_decay_tick(blm_filter *f, uint64_t now)
{
    return blm_decay_pass((blm_time_decaying *)f, now), BLM_OK;
}

/* Both as of the later time, cell by cell the sum. Core then sets f->now. */
blm_err blm_decay_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_time_decaying *t = (blm_time_decaying *)f;
    const blm_time_decaying *other = (const blm_time_decaying *)g;
    const uint64_t now = f->now > g->now ? f->now : g->now, top = blm_packed_top(t->width);
    const uint64_t power = blm_decay_power_at(t, now % t->half);
    const uint64_t ceiling = blm_decay_cells(t->width, blm_decay_ceiling(t->width), power);
    const fading p = fading_of(other, g->now, now);
    const uint64_t n = t->columns * t->hashes, epoch = now / t->half;
    (void)why;
    blm_decay_pass(t, now);
    const uint64_t stuck = t->stuck;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t more = faded(cell_get(g->cells, t->width, i), top, &p);
        const uint64_t v = cell_get(f->cells, t->width, i);
        cell_set(f->cells, t->width, i, blm_decay_sum(t->width, v, more, ceiling));
    }
    const blm_census all = blm_decay_census(t, 0, n, t->level);
    t->used = all.used;
    t->stuck = all.stuck;
    if (other->met > t->met) t->met = other->met;
    if (t->stuck > stuck && epoch > t->met) t->met = epoch; /* some of them are new */
    return BLM_OK;
}

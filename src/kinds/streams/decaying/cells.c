/* cells.c - time: an arrival, a tick of many, and what is left. */
#include <string.h>

#include "cells.h"

/* Stamps of keys that have left the window, before they come round again. */
static void sweep(blm_decaying *d, uint64_t first, uint64_t n)
{
    const blm_counters all = blm_decaying_all(d);
    for (uint64_t i = first; i < first + n; i++) {
        const uint64_t v = blm_counters_get(&all, i);
        if (v && !blm_decaying_live(d, v)) blm_packed_set(all.cells, all.bytes, all.width, i, 0);
    }
}

void blm_decaying_step(blm_decaying *d)
{
    d->turn = d->turn + 1 < d->slices ? d->turn + 1 : 0;
    if (!d->blocks) d->stamp = d->stamp < d->top ? d->stamp + 1 : 1;
    const uint64_t longer = d->turn < d->longer ? d->turn : d->longer;
    const uint64_t first = d->turn * d->slice + longer, n = d->slice + (d->turn < d->longer);
    if (d->blocks)
        blm_lowering_run(&d->lowering, d->base.cells, d->base.bytes, first, n);
    else
        sweep(d, first, n);
}

static uint64_t slice_of(const blm_decaying *d, uint64_t cell)
{
    const uint64_t in_longer = d->longer * (d->slice + 1);
    return cell < in_longer ? cell / (d->slice + 1) : d->longer + (cell - in_longer) / d->slice;
}

/* The first of the next n steps in which the cell, which has this stamp now, is swept as an old one; n + 1: none. */
static uint64_t swept_at(const blm_decaying *d, uint64_t cell, uint64_t stamp, uint64_t n)
{
    const uint64_t s = slice_of(d, cell), back = d->stamp >= stamp ? 0 : d->top;
    const uint64_t age = d->stamp + back - stamp;
    const uint64_t first = s > d->turn ? s - d->turn : s + d->slices - d->turn;
    const uint64_t wait = age < d->window ? d->window - age : 0;
    const uint64_t later = first < wait ? (wait - first + d->slices - 1) / d->slices : 0;
    return first + later * d->slices <= n ? first + later * d->slices : n + 1;
}

/* n steps of every cell at once: with blocks n / T turns of each. */
static void age_all(blm_decaying *d, uint64_t n)
{
    const blm_counters all = blm_decaying_all(d);
    for (uint64_t i = 0; i < all.count; i++) {
        const uint64_t v = blm_counters_get(&all, i), turns = d->blocks ? n / d->blocks : 0;
        if (!v) continue;
        const uint64_t left = d->blocks                  ? (v > turns ? v - turns : 0)
                              : swept_at(d, i, v, n) > n ? v
                                                         : 0;
        if (left != v) blm_packed_set(all.cells, all.bytes, all.width, i, left);
    }
}

static void pass(blm_decaying *d, uint64_t n)
{
    d->turn = (d->turn + n % d->slices) % d->slices;
    if (!d->blocks) d->stamp = (d->stamp - 1 + n % d->top) % d->top + 1;
}

/* After R idle arrivals every stamp is old, and was swept; after V T every block has had V turns. Two rounds or more are
 * taken at once, cell by cell: no tick costs more than a look at all cells. */
blm_err blm_decaying_tick(blm_filter *f, uint64_t now)
{
    blm_decaying *d = (blm_decaying *)f;
    uint64_t n = now - f->now;
    if (n >= d->top * (d->blocks ? d->blocks : 1)) {
        memset(f->cells, 0, (size_t)f->bytes);
        pass(d, n);
    } else {
        const uint64_t rounds = n < 2 * d->slices ? 0 : n - n % d->slices;
        if (rounds) age_all(d, rounds);
        pass(d, rounds);
        for (n -= rounds; n; n--) blm_decaying_step(d);
    }
    return BLM_OK;
}

uint64_t blm_decaying_count_live(const blm_decaying *d)
{
    const blm_counters all = blm_decaying_all(d);
    uint64_t live = 0;
    for (uint64_t i = 0; i < all.count; i++)
        live += blm_decaying_live(d, blm_counters_get(&all, i));
    return live;
}

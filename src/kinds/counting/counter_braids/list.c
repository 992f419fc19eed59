/* list.c - the counts of a whole list: layer 2 is decoded first, then layer 1. */
#include <math.h>

#include "cells.h"
#include "decode.h"

#define NO_FLOW UINT64_MAX

/* Which flow each item is. Keys with the same hash are one flow; a key that is certainly not in the set is none. */
typedef struct listing {
    uint64_t *flow, *slot; /* slot: an item and 1, or 0 */
    uint64_t items, slots, flows, bytes;
} listing;

static blm_err listing_new(listing *l, const blm_alloc *a, size_t n)
{
    uint64_t end = 0;
    *l = (listing){.items = n, .slots = n + n / 2 + UINT64_C(1)};
    blm_section(&end, n, 64, 8);
    const uint64_t at_slot = blm_section(&end, l->slots, 64, 8);
    uint8_t *p = end <= SIZE_MAX ? a->get(a->ctx, (size_t)end) : NULL;
    if (!p) return BLM_E_NOMEM;
    l->bytes = end;
    l->flow = (uint64_t *)(void *)p;
    l->slot = (uint64_t *)(void *)(p + at_slot);
    return BLM_OK;
}

static void listing_free(listing *l, const blm_alloc *a)
{
    a->put(a->ctx, l->flow, (size_t)l->bytes);
}

/* Numbers the flows in the order of their first items. */
static void listing_fill(listing *l, const blm_counter_braids *b, const blm_item *it)
{
    const blm_counters upper = blm_braids_upper(b);
    for (uint64_t i = 0; i < l->items; i++) {
        const uint64_t lo = it[i].h.lo;
        l->flow[i] = NO_FLOW;
        if (!blm_sketch_has(&upper, it[i].h, b->hashes, b->columns)) continue;
        uint64_t at = blm_reduce(blm_mix(lo), l->slots);
        while (l->slot[at] && it[l->slot[at] - 1].h.lo != lo) at = at + 1 < l->slots ? at + 1 : 0;
        if (!l->slot[at]) {
            l->slot[at] = i + 1;
            l->flow[i] = l->flows++;
        } else {
            l->flow[i] = l->flow[l->slot[at] - 1];
        }
    }
}

/* ---- layer 2 ----------------------------------------------------------------------------- */

static uint64_t overflowing(const blm_counter_braids *b)
{
    const blm_counters upper = blm_braids_upper(b);
    uint64_t n = 0;
    for (uint64_t i = 0; i < upper.count; i++)
        n += (blm_counters_get(&upper, i) & blm_braids_status(b)) != 0;
    return n;
}

static void knot_overflows(blm_braid *d, const blm_counter_braids *b)
{
    const blm_counters upper = blm_braids_upper(b), lower = blm_braids_lower(b);
    uint64_t *to = d->place;
    for (uint64_t i = 0; i < upper.count; i++) {
        if (!(blm_counters_get(&upper, i) & blm_braids_status(b))) continue;
        to += blm_sketch_places(blm_braids_hash(i), BRAIDS_ROWS, b->deep_columns, to);
    }
    for (uint64_t i = 0; i < lower.count; i++) {
        const uint64_t v = blm_counters_get(&lower, i);
        const bool stuck = v == blm_packed_top(lower.width);
        d->cell[i] = (blm_braid_cell){.bound = {v, stuck ? BRAID_ANY : v}};
    }
    blm_braid_tie(d);
}

/* value + overflows * 2^width, where that has 64 bits. */
static uint64_t whole(const blm_counter_braids *b, uint64_t value, uint64_t overflows)
{
    return overflows < UINT64_MAX >> b->width ? (overflows << b->width) + value : BRAID_ANY;
}

/* The whole counters of layer 1: each overflow is a number of at least 1, or else nothing has overflowed. */
static blm_err whole_counters(const blm_counter_braids *b, blm_braid_cell *out)
{
    const blm_alloc *a = &b->base.alloc;
    const blm_counters upper = blm_braids_upper(b);
    const uint64_t status = blm_braids_status(b);
    blm_braid d;
    uint64_t row = 0;
    if (blm_braid_new(&d, a, overflowing(b), BRAIDS_ROWS, b->deep_columns * BRAIDS_ROWS, 1))
        return BLM_E_NOMEM;
    knot_overflows(&d, b);
    const bool sound = blm_braid_decode(&d);
    for (uint64_t i = 0; i < upper.count && sound; i++) {
        const uint64_t v = blm_counters_get(&upper, i), value = v & (status - 1);
        out[i] = (blm_braid_cell){.bound = {value, value}};
        if (!(v & status)) continue;
        for (unsigned side = 0; side < 2; side++)
            out[i].bound[side] = whole(b, value, d.bound[side][row]);
        row++;
    }
    blm_braid_free(&d, a);
    return sound ? BLM_OK : BLM_E_UNSURE;
}

/* ---- layer 1 ----------------------------------------------------------------------------- */

static void knot_flows(blm_braid *d, const blm_counter_braids *b, const listing *l,
                       const blm_item *it)
{
    uint64_t next = 0;
    for (uint64_t i = 0; i < l->items; i++) {
        if (l->flow[i] != next) continue;
        blm_sketch_places(it[i].h, b->hashes, b->columns, d->place + next++ * b->hashes);
    }
    blm_braid_tie(d);
}

/* Where every count is known, the hashes of all adds sum up to the digest, or the list is not that of the adds: a key
 * that is missing hides in counts of keys with the same counters. */
static bool digest_holds(const blm_braid *d, const blm_counter_braids *b, const listing *l,
                         const blm_item *it)
{
    uint64_t sum = 0, next = 0;
    for (uint64_t i = 0; i < l->items && !d->left; i++)
        if (l->flow[i] == next) sum += it[i].h.lo * d->bound[BRAID_LOW][next++];
    return d->left || sum == b->digest;
}

/* Without an upper bound the lower one is all that is known, as of a counter at its ceiling. */
static blm_estimate told(uint64_t low, uint64_t high)
{
    const bool bound = high == BRAID_ANY;
    const double value = (double)(bound ? low : high);
    return (blm_estimate){value, (double)low, bound ? (double)INFINITY : value, bound};
}

static blm_err count_flows(blm_braid *d, const blm_counter_braids *b, const listing *l,
                           const blm_item *it, blm_estimate *times)
{
    const blm_err err = whole_counters(b, d->cell);
    if (err) return err;
    knot_flows(d, b, l, it);
    if (!blm_braid_decode(d) || !digest_holds(d, b, l, it)) return BLM_E_UNSURE;
    for (uint64_t i = 0; i < l->items; i++) {
        const uint64_t r = l->flow[i];
        times[i] = r == NO_FLOW ? (blm_estimate){0, 0, 0, false}
                                : told(d->bound[BRAID_LOW][r], d->bound[BRAID_HIGH][r]);
    }
    return BLM_OK;
}

blm_err blm_braids_count_all(const blm_filter *f, const blm_item *it, size_t n, blm_estimate *times)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    listing l;
    blm_braid d;
    blm_err err = listing_new(&l, &f->alloc, n);
    if (err) return err;
    listing_fill(&l, b, it);
    err = blm_braid_new(&d, &f->alloc, l.flows, b->hashes, b->columns * b->hashes, b->least);
    if (!err) {
        err = count_flows(&d, b, &l, it, times);
        blm_braid_free(&d, &f->alloc);
    }
    listing_free(&l, &f->alloc);
    return err;
}

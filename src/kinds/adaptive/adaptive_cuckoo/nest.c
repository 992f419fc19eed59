/* nest.c - places for keys, found before a cell is written. */
#include "nest.h"

#include <string.h>

#include "parts/moves.h"

#define NEST_SWAPS (UINT64_C(1) << 62) /* then they are counted from 0 again */

static uint64_t nest_cell(uint64_t bucket, unsigned slot) { return bucket * BLM_NEST_SLOTS + slot; }

uint64_t blm_nest_seek(const blm_nest *n, blm_hash h)
{
    uint64_t at[BLM_NEST_WAYS];
    const unsigned places = blm_nest_find(n, h, at) * BLM_NEST_SLOTS;
    for (unsigned i = 0; i < places; i++) {
        const uint64_t cell = blm_nest_cell(at, i);
        if (blm_nest_get(n, cell) != blm_nest_print(n, h, i)) continue;
        const blm_hash d = blm_nest_digest(n, cell);
        if (d.lo == h.lo && d.hi == h.hi) return cell;
    }
    return BLM_NEST_NONE;
}

static void nest_write(blm_nest *n, uint64_t cell, uint64_t print, blm_hash h)
{
    uint8_t *at = n->base.cells + n->fast + cell * 16;
    blm_packed_set(n->base.cells, n->fast, n->width, cell, print);
    blm_put64(at, h.lo);
    blm_put64(at + 8, h.hi);
}

void blm_nest_empty(blm_nest *n, uint64_t cell) { nest_write(n, cell, 0, (blm_hash){0, 0}); }

/* Which of its 8 places a key has in this cell of one of its buckets. */
static unsigned nest_place(const blm_nest *n, blm_hash h, uint64_t cell)
{
    uint64_t at[BLM_NEST_WAYS];
    blm_nest_find(n, h, at);
    return (unsigned)(cell % BLM_NEST_SLOTS) +
           (cell / BLM_NEST_SLOTS == at[0] ? 0 : BLM_NEST_SLOTS);
}

static void nest_put(blm_nest *n, uint64_t cell, blm_hash h)
{
    nest_write(n, cell, blm_nest_print(n, h, nest_place(n, h, cell)), h);
}

/* ---- adding -------------------------------------------------------------------------------- */

static unsigned nest_vacancy(const blm_nest *n, uint64_t bucket)
{
    unsigned slot = 0;
    while (slot < BLM_NEST_SLOTS && blm_nest_get(n, nest_cell(bucket, slot))) slot++;
    return slot;
}

static unsigned moves_vacancy(const void *n, uint64_t bucket) { return nest_vacancy(n, bucket); }

static void moves_fetch(const void *table, uint64_t bucket)
{
    const blm_nest *n = table;
    blm_fetch(n->base.cells + nest_cell(bucket, 0) * n->width / 8);
}

static uint64_t moves_other(const void *table, uint64_t bucket, unsigned slot)
{
    const blm_nest *n = table;
    uint64_t at[BLM_NEST_WAYS];
    blm_nest_find(n, blm_nest_digest(n, nest_cell(bucket, slot)), at);
    return at[0] == bucket ? at[1] : at[0];
}

static void moves_move(void *n, uint64_t from, unsigned slot, uint64_t to, unsigned to_slot)
{
    nest_put(n, nest_cell(to, to_slot), blm_nest_digest(n, nest_cell(from, slot)));
}

static const blm_moves_by nest_moves = {moves_vacancy, moves_fetch, moves_other, moves_move};

blm_err blm_nest_add(blm_nest *n, blm_hash h)
{
    uint64_t at[BLM_NEST_WAYS];
    const unsigned ways = blm_nest_find(n, h, at);
    for (unsigned i = 0; i < ways; i++) {
        const unsigned slot = nest_vacancy(n, at[i]);
        if (slot == BLM_NEST_SLOTS) continue;
        nest_put(n, nest_cell(at[i], slot), h);
        return BLM_OK;
    }
    uint64_t bucket;
    unsigned slot;
    if (!blm_moves_make(&nest_moves, BLM_NEST_SLOTS, n, at, ways, &bucket, &slot))
        return BLM_E_FULL;
    nest_put(n, nest_cell(bucket, slot), h);
    return BLM_OK;
}

/* ---- adapting ------------------------------------------------------------------------------ */

static void nest_swap(blm_nest *n, uint64_t cell, uint64_t other)
{
    const bool used = blm_nest_get(n, other) != 0;
    const blm_hash here = blm_nest_digest(n, cell), there = blm_nest_digest(n, other);
    nest_put(n, other, here);
    if (used)
        nest_put(n, cell, there);
    else
        blm_nest_empty(n, cell);
}

void blm_nest_adapt(blm_nest *n, blm_hash h)
{
    uint64_t at[BLM_NEST_WAYS];
    const unsigned places = blm_nest_find(n, h, at) * BLM_NEST_SLOTS;
    for (unsigned i = 0; i < places; i++) {
        const unsigned slot = i % BLM_NEST_SLOTS;
        const uint64_t bucket = at[i / BLM_NEST_SLOTS];
        if (blm_nest_get(n, nest_cell(bucket, slot)) != blm_nest_print(n, h, i)) continue;
        n->swaps = (n->swaps + 1) & (NEST_SWAPS - 1);
        const unsigned by = 1 + (unsigned)blm_reduce(blm_mix(n->swaps), BLM_NEST_SLOTS - 1);
        nest_swap(n, nest_cell(bucket, slot), nest_cell(bucket, (slot + by) % BLM_NEST_SLOTS));
    }
}

/* ---- whole tables ------------------------------------------------------------------------- */

blm_err blm_nest_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_nest *n = (blm_nest *)f;
    if (n->buckets > (UINT64_C(1) << BLM_NEST_ACROSS) >> n->doublings)
        return blm_fail(why, BLM_E_ARG, "%llu buckets, doubled %u times: at most 2^%d",
                        (unsigned long long)n->buckets, n->doublings, BLM_NEST_ACROSS);
    n->across = n->buckets << n->doublings;
    const uint64_t slots = blm_nest_cells(n), fast = blm_packed_bytes(slots, n->width),
                   slow = slots * sizeof(blm_hash);
    if (n->used > slots || (n->fast && n->fast != fast) || (n->slow && n->slow != slow))
        return blm_fail(why, BLM_E_ARG,
                        "more slots are in use, or more bytes recorded, than such a table has");
    n->fast = fast;
    n->slow = slow;
    *bytes = fast + slow;
    return BLM_OK;
}

void blm_nest_census(const blm_nest *n, uint64_t with[BLM_NEST_SLOTS + 1])
{
    for (unsigned i = 0; i <= BLM_NEST_SLOTS; i++) with[i] = 0;
    for (uint64_t bucket = 0; bucket < n->across; bucket++) {
        unsigned used = 0;
        for (unsigned slot = 0; slot < BLM_NEST_SLOTS; slot++)
            used += blm_nest_get(n, nest_cell(bucket, slot)) != 0;
        with[used]++;
    }
}

/* Each digest is found where it lies: in one of its buckets, by its fingerprint, and in no place before. */
blm_err blm_nest_check(const blm_filter *f, blm_report *why)
{
    const blm_nest *n = (const blm_nest *)f;
    const uint64_t cells = blm_nest_cells(n);
    uint64_t used = 0;
    if (!blm_packed_tail_zero(f->cells, n->fast, n->width, cells))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last fingerprint is set");
    for (uint64_t i = 0; i < cells; i++) {
        const blm_hash d = blm_nest_digest(n, i);
        const bool empty = blm_nest_get(n, i) == 0;
        if (empty && (d.lo || d.hi))
            return blm_fail(why, BLM_E_IMAGE, "damaged: an empty slot has a digest");
        if (!empty && blm_nest_seek(n, d) != i)
            return blm_fail(
                why, BLM_E_IMAGE,
                "damaged: a fingerprint does not match its digest, or a key occurs twice");
        used += !empty;
    }
    return used == n->used ? BLM_OK
                           : blm_fail(why, BLM_E_IMAGE,
                                      "damaged: the number of slots in use differs from its field");
}

static blm_err nest_pour(blm_nest *to, const blm_nest *from)
{
    const uint64_t cells = blm_nest_cells(from);
    for (uint64_t i = 0; i < cells; i++) {
        const blm_hash d = blm_nest_digest(from, i);
        if (!blm_nest_get(from, i) || blm_nest_seek(to, d) != BLM_NEST_NONE) continue;
        if (blm_nest_add(to, d)) return BLM_E_FULL;
        to->used++;
    }
    return BLM_OK;
}

blm_err blm_nest_rebuild(blm_nest *n, const blm_nest *g, unsigned doublings, blm_report *why)
{
    blm_nest to = *n;
    blm_region fresh;
    uint64_t bytes = 0;
    to.doublings = (uint8_t)doublings;
    to.used = to.fast = to.slow = 0;
    blm_err err = blm_nest_shape(&to.base, &bytes, why);
    if (err) return err;
    if ((err = blm_recell(&n->base, &fresh, bytes)))
        return blm_fail(why, err, "no memory for %g bytes of cells", (double)bytes);
    to.base.cells = fresh.cells;
    if (doublings == n->doublings) { /* they stay where denials have put them */
        memcpy(fresh.cells, n->base.cells, (size_t)bytes);
        to.used = n->used;
    } else
        err = nest_pour(&to, n);
    if (!err && g) err = nest_pour(&to, g);
    if (err) {
        n->base.alloc.put(n->base.alloc.ctx, fresh.cells, (size_t)fresh.bytes);
        return blm_fail(why, err,
                        "over capacity: %llu of %llu slots are in use, and no key can make room; "
                        "grow it, or build for more keys",
                        (unsigned long long)to.used, (unsigned long long)blm_nest_cells(&to));
    }
    blm_commit(&n->base, &fresh);
    n->doublings = to.doublings, n->used = to.used;
    n->fast = to.fast, n->slow = to.slow, n->across = to.across;
    return BLM_OK;
}

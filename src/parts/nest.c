/* nest.c - places for keys, found before a cell is written. */
#include "parts/nest.h"

#include <string.h>

enum { NEST_STEPS = 2048, NEST_START = UINT16_MAX };
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

typedef struct
    nest_step { /* a bucket that the key in `slot` of the bucket of step `from` could move to */
    uint64_t bucket;
    uint16_t from;
    uint8_t slot;
} nest_step;

static unsigned nest_vacancy(const blm_nest *n, uint64_t bucket)
{
    unsigned slot = 0;
    while (slot < BLM_NEST_SLOTS && blm_nest_get(n, nest_cell(bucket, slot))) slot++;
    return slot;
}

typedef struct nest_search {
    nest_step way[NEST_STEPS];
    uint16_t seen[2 * NEST_STEPS]; /* 1 + the step of a bucket, by its hash; 0: none */
    unsigned known;
} nest_search;

/* One more bucket, unless the search has been there. */
static void nest_reach(nest_search *s, nest_step to)
{
    unsigned at = (unsigned)(blm_mix(to.bucket) % BLM_LEN(s->seen));
    for (; s->seen[at]; at = (at + 1) % (unsigned)BLM_LEN(s->seen))
        if (s->way[s->seen[at] - 1].bucket == to.bucket) return;
    s->way[s->known++] = to;
    s->seen[at] = (uint16_t)s->known;
}

/* The other buckets of all keys of this one, which is full. */
static void nest_widen(const blm_nest *n, nest_search *s, unsigned i)
{
    const uint64_t bucket = s->way[i].bucket;
    for (unsigned slot = 0; slot < BLM_NEST_SLOTS && s->known < NEST_STEPS; slot++) {
        uint64_t at[BLM_NEST_WAYS];
        blm_nest_find(n, blm_nest_digest(n, nest_cell(bucket, slot)), at);
        nest_reach(s, (nest_step){at[0] == bucket ? at[1] : at[0], (uint16_t)i, (uint8_t)slot});
    }
}

/* From the empty slot back to the start: each key moves to where the next one has made room. */
static void nest_move(blm_nest *n, const nest_step *way, unsigned i, unsigned slot, blm_hash h)
{
    for (; way[i].from != NEST_START; slot = way[i].slot, i = way[i].from) {
        const uint64_t source = nest_cell(way[way[i].from].bucket, way[i].slot);
        nest_put(n, nest_cell(way[i].bucket, slot), blm_nest_digest(n, source));
    }
    nest_put(n, nest_cell(way[i].bucket, slot), h);
}

/* Breadth first: finds the shortest way, over at most NEST_STEPS buckets. At 95 % about 3 are looked at. */
static blm_err nest_make_room(blm_nest *n, blm_hash h, const uint64_t at[BLM_NEST_WAYS],
                              unsigned ways)
{
    nest_search s;
    memset(s.seen, 0, sizeof s.seen);
    s.known = 0;
    for (unsigned i = 0; i < ways; i++) nest_reach(&s, (nest_step){at[i], NEST_START, 0});
    for (unsigned i = 0; i < s.known; i++) {
        const unsigned slot = nest_vacancy(n, s.way[i].bucket);
        if (slot < BLM_NEST_SLOTS) {
            nest_move(n, s.way, i, slot, h);
            return BLM_OK;
        }
        nest_widen(n, &s, i);
    }
    return BLM_E_FULL;
}

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
    return nest_make_room(n, h, at, ways);
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

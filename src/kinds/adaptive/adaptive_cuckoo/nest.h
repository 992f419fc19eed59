/* nest.h - a cuckoo table in two sections: fingerprints, which queries read, and the digests they were made of.
 *
 *     fast   | f | f | 0 | f |  ...    4 slots per bucket, `width` bits each; 0: empty
 *     slow   | D | D | 0 | D |  ...    the 128-bit hash of the key in the same slot
 *
 * A key lies in one of two buckets. Which of its 8 places it has chooses its fingerprint: each place has a function of
 * its own, so that a key that moves shows another fingerprint to a non-member that was taken for it.
 */
#ifndef BLM_NEST_H
#define BLM_NEST_H
#include "core/kind.h"
#include "parts/packed.h"
#include "parts/probe.h"

enum {
    BLM_NEST_SLOTS = 4,
    BLM_NEST_WAYS = 2,
    BLM_NEST_WIDTH = 56 /* most bits of a fingerprint */,
    BLM_NEST_ACROSS = 48
};
#define BLM_NEST_NONE UINT64_MAX /* no such cell */

typedef struct blm_nest {
    blm_filter base;
    uint64_t buckets;         /* as planned                                                     */
    uint64_t used, swaps;     /* slots; times that a denial moved a fingerprint                 */
    uint64_t fast, slow;      /* by shape: bytes of the sections, the slow one is second */
    uint64_t across;          /* by shape: buckets                                              */
    uint8_t width, doublings; /* bits per fingerprint; how often it has grown                   */
} blm_nest;

/* Bytes of the sections, as it has grown; ARG: fields that contradict each other. As kind->shape. */
blm_err blm_nest_shape(blm_filter *f, uint64_t *bytes, blm_report *why);

static inline uint64_t blm_nest_cells(const blm_nest *n) { return n->across * BLM_NEST_SLOTS; }

/* The buckets of a key: two that differ, or the only one. Returns how many. */
static inline unsigned blm_nest_find(const blm_nest *n, blm_hash h, uint64_t at[BLM_NEST_WAYS])
{
    at[0] = at[1] = blm_place(h, 0, n->across);
    if (n->across == 1) return 1;
    at[1] += 1 + blm_place(h, 1, n->across - 1);
    if (at[1] >= n->across) at[1] -= n->across;
    return BLM_NEST_WAYS;
}

/* Of place 0 to 3 in its first bucket, 4 to 7 in its second one: 1 to 2^width - 1. */
static inline uint64_t blm_nest_print(const blm_nest *n, blm_hash h, unsigned place)
{
    return 1 + blm_reduce(blm_stream(h.hi, place), blm_packed_top(n->width));
}

/* The cell of that place. */
static inline uint64_t blm_nest_cell(const uint64_t at[BLM_NEST_WAYS], unsigned place)
{
    return at[place / BLM_NEST_SLOTS] * BLM_NEST_SLOTS + place % BLM_NEST_SLOTS;
}

static inline uint64_t blm_nest_get(const blm_nest *n, uint64_t cell)
{
    return blm_packed_get(n->base.cells, n->fast, n->width, cell);
}

static inline blm_hash blm_nest_digest(const blm_nest *n, uint64_t cell)
{
    const uint8_t *at = n->base.cells + n->fast + cell * 16;
    return (blm_hash){blm_le64(at), blm_le64(at + 8)};
}

static inline void blm_nest_fetch(const blm_nest *n, blm_hash h)
{
    uint64_t at[BLM_NEST_WAYS];
    blm_nest_find(n, h, at);
    for (unsigned way = 0; way < BLM_NEST_WAYS; way++)
        blm_fetch(n->base.cells + at[way] * BLM_NEST_SLOTS * n->width / 8);
}

/* Does a fingerprint of the key stand at its place? Reads the fast section alone. */
static inline bool blm_nest_has(const blm_nest *n, blm_hash h)
{
    uint64_t at[BLM_NEST_WAYS];
    const unsigned places = blm_nest_find(n, h, at) * BLM_NEST_SLOTS;
    for (unsigned i = 0; i < places; i++)
        if (blm_nest_get(n, blm_nest_cell(at, i)) == blm_nest_print(n, h, i)) return true;
    return false;
}

/* The cell that has this very digest, or BLM_NEST_NONE. */
uint64_t blm_nest_seek(const blm_nest *n, blm_hash h);
/* Puts in a key that is not there; others may move to their second buckets. FULL: nothing changed. */
blm_err blm_nest_add(blm_nest *n, blm_hash h);
void blm_nest_empty(blm_nest *n, uint64_t cell);
/* Every fingerprint for which this key is taken changes places with a neighbour, which `swaps` chooses and counts. */
void blm_nest_adapt(blm_nest *n, blm_hash h);

/* ---- whole tables ------------------------------------------------------------------------- */

/* Buckets with 0, 1, ... 4 slots in use. */
void blm_nest_census(const blm_nest *n, uint64_t with[BLM_NEST_SLOTS + 1]);
/* As kind->check: each fingerprint is that of its digest at its place, no digest is there twice, and as many slots are
 * in use as the field says. */
blm_err blm_nest_check(const blm_filter *f, blm_report *why);
/* The keys of f, and those of g if there is one, in a new table that has grown so often. An error: nothing changed. */
blm_err blm_nest_rebuild(blm_nest *n, const blm_nest *g, unsigned doublings, blm_report *why);
#endif

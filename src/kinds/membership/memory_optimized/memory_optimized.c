/* memory_optimized.c - one bit per key, at one of k places.
 *
 * QUESTION  Is the key in the set, if each key may set only one bit?
 *
 * BEWARE    This is not the structure of its paper. There, an additional hash picks one of k places of a hash table,
 *           and the item itself is stored at that place, so that one copy is enough; such a store of items belongs
 *           to the fast hash table. This kind is what surveys make of the idea: one bit at the place that was picked.
 *
 * PICTURE   k probes give k places, a further mixed word chooses one of them, and that bit is set.
 *
 *               h0       h1 <- chosen      h2
 *               v        v                 v
 *           +---+---+----+---+---+---+---+---+
 *           | 0 | 0 | 1  | 0 | 1 | 0 | 0 | 0 |      has: query=chosen looks at that one place,
 *           +---+---+----+---+---+---+---+---+           query=any at all k until one is set
 *
 * COST      It has fewer ones, not fewer bits. query=chosen is a Bloom filter with one hash, whatever k is: 1/p bits per
 *           key, 99.5 at 1 %, 999.5 at 0.1 %. At 8 bits per key its rate is 11.8 % where standard has 2.2 %; at 16,
 *           6.1 % where standard has 0.046 %. query=any is wrong k times as often again. A query with query=chosen
 *           takes one probe.
 *
 * CHOOSE    memory-optimized only to see what the literature means by the name. For membership choose standard (a tenth
 *           of the bits at 1 %), or blocked, which also reads one cache line per query. From 2.08 bits per key on, two
 *           hashes beat one. The planner ranks it after every kind that can do as much.
 *
 * PAPER     Ahmadi, Wong: A memory-optimized Bloom filter using an additional hashing function, GLOBECOM 2008. The
 *           survey of Tarkoma et al. says that it saves memory; but as described there, a key at one of k places is a
 *           filter with k = 1, and it saves ones, not bits.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/any.h>
#include <math.h>

#include "core/kind.h"
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/flat.h"
#include "parts/probe.h"
#include "parts/wish.h"

typedef struct blm_one_place {
    blm_flat flat;
    uint8_t query; /* a ONE_PLACE_... word */
} blm_one_place;

enum { ONE_PLACE_CHOSEN, ONE_PLACE_ANY };

static const blm_field memory_optimized_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, places per key"),
    BLM_FIELD(blm_one_place, query, BLM_F_SHAPE, ONE_PLACE_CHOSEN, ONE_PLACE_ANY,
              "0: query the chosen place, 1: query any of the k"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

static const blm_knobdef memory_optimized_knobs[] = {
    {"query", "places that a query reads: the chosen one, or any of the k", BLM_K_WORD,
     .def = ONE_PLACE_CHOSEN, .words = "chosen|any"},
};

static bool memory_optimized_any(const blm_filter *f)
{
    return ((const blm_one_place *)f)->query == ONE_PLACE_ANY;
}

/* ---- theory ---------------------------------------------------------------------------- */

/* Places that a question reads, on which alone the rate depends. */
static unsigned memory_optimized_reads(const blm_filter *f)
{
    return memory_optimized_any(f) ? ((const blm_flat *)f)->hashes : 1;
}

/* k is free where only the chosen place is asked: as many as standard has at that rate, so that there is something
 * to choose from. Where any place counts, one is best. */
static blm_err memory_optimized_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                     blm_report *why)
{
    blm_one_place *o = (blm_one_place *)f;
    blm_flat *s = &o->flat;
    o->query = (uint8_t)knobs->num[0];
    s->hashes = (uint8_t)wish->hashes;
    if (!s->hashes && o->query == ONE_PLACE_ANY) s->hashes = 1;
    if (wish->bits) {
        s->cells = wish->bits;
        if (!s->hashes) s->hashes = (uint8_t)blm_best_hashes(s->cells, wish->keys);
        return BLM_OK;
    }
    if (!s->hashes) s->hashes = (uint8_t)fmin(fmax(1, round(-log2(wish->fpr))), 64);
    if (!blm_size_any(wish->keys, wish->fpr, memory_optimized_reads(f), &s->cells))
        return blm_wish_beyond(wish, "2^60 bits", why);
    s->cells = blm_foldable(s->cells, UINT64_C(1) << 20);
    return BLM_OK;
}

static blm_rate memory_optimized_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_flat *s = (const blm_flat *)f;
    const unsigned reads = memory_optimized_reads(f);
    const double zeros = 1 - (double)s->ones / (double)s->cells;
    const double now = reads == 1 ? (double)s->ones / (double)s->cells : 1 - pow(zeros, reads);
    const double p = c ? blm_rate_any(s->cells, reads, c->keys) : now;
    return (blm_rate){p, p, c ? blm_rate_any_sd(s->cells, reads, c->keys) : 0};
}

/* any reads on while bits are zero. */
static double memory_optimized_lines(const blm_filter *f, const blm_case *c)
{
    const blm_flat *s = (const blm_flat *)f;
    const double ones = c ? blm_fill_mean(s->cells, 1, c->keys) : (double)s->ones;
    return blm_probes_to_reject(1 - ones / (double)s->cells, memory_optimized_reads(f));
}

static blm_flat_throws memory_optimized_throws(const blm_filter *f)
{
    return (blm_flat_throws){((const blm_flat *)f)->cells, 1, 1};
}

static blm_err memory_optimized_keys(const blm_filter *f, blm_estimate *n)
{
    *n = blm_flat_keys(memory_optimized_throws(f), ((const blm_flat *)f)->ones);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

/* The word behind those of the places chooses: no bit of the hash is spent twice. */
static inline uint64_t memory_optimized_place(const blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    return blm_place(h, (unsigned)blm_place(h, s->hashes, s->hashes), s->cells);
}

static inline void memory_optimized_prefetch(const blm_filter *f, blm_hash h)
{
    blm_fetch(f->cells + memory_optimized_place(f, h) / 8);
}

static inline bool memory_optimized_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_flat *s = (const blm_flat *)f;
    (void)it;
    if (!memory_optimized_any(f)) return blm_bit_get(f->cells, memory_optimized_place(f, h));
    for (unsigned i = 0; i < s->hashes; i++)
        if (blm_bit_get(f->cells, blm_place(h, i, s->cells))) return true;
    return false;
}

static inline blm_err memory_optimized_add(blm_filter *f, blm_hash h, const blm_item *it,
                                           bool *fresh)
{
    const bool known = memory_optimized_any(f) && memory_optimized_has(f, h, it);
    const unsigned set = blm_bit_set(f->cells, memory_optimized_place(f, h));
    ((blm_flat *)f)->ones += set;
    *fresh = set && !known;
    return BLM_OK;
}

BLM_BATCH(memory_optimized)
BLM_BATCH_ADD(memory_optimized, memory_optimized_prefetch)

static size_t memory_optimized_touch(const blm_filter *f, blm_hash h, const blm_item *it,
                                     blm_touch *out, size_t cap)
{
    const blm_flat *s = (const blm_flat *)f;
    (void)it;
    if (!memory_optimized_any(f)) {
        if (cap) out[0] = blm_flat_look(f, memory_optimized_place(f, h));
        return 1;
    }
    for (unsigned i = 0; i < s->hashes && i < cap; i++)
        out[i] = blm_flat_look(f, blm_place(h, i, s->cells));
    return s->hashes;
}

static blm_err memory_optimized_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    *out = blm_flat_overlap(memory_optimized_throws(f), f, g);
    return BLM_OK;
}

const blm_kind blm_kind_memory_optimized = {
    .name = "memory-optimized",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_one_place),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .superseded = true,
    .fields = memory_optimized_fields,
    .nfields = BLM_LEN(memory_optimized_fields),
    .knobs = memory_optimized_knobs,
    .nknobs = BLM_LEN(memory_optimized_knobs),
    .plan = memory_optimized_plan,
    .shape = blm_flat_shape,
    .check = blm_flat_check,
    .fpr = memory_optimized_fpr,
    .lines = memory_optimized_lines,
    .fill = blm_flat_fill,
    .touch = memory_optimized_touch,
    .has = memory_optimized_has,
    .add = memory_optimized_add,
    .prefetch_many = memory_optimized_prefetch_many,
    .has_many = memory_optimized_has_many,
    .add_many = memory_optimized_add_many,
    .merge = blm_flat_merge,
    .intersect = blm_flat_intersect,
    .half = blm_flat_half,
    .fold = blm_flat_fold,
    .keys = memory_optimized_keys,
    .overlap = memory_optimized_overlap,
    .adopt = blm_flat_adopt,
};

/* partitioned.c - a slice of the bits for each hash.
 *
 * QUESTION  Is the key in the set, when each probe has its own memory?
 *
 * PICTURE   The m bits are k slices of s bits; probe j sets one bit of slice j, so no two probes of a key collide.
 *
 *               slice 0          slice 1          slice 2
 *           +---------------+----------------+---------------+
 *           | . . 1 . . . . | 1 . . . . . .  | . . . . . 1 . |      m = k s
 *           +---------------+----------------+---------------+
 *                 h0          h1                         h2
 *
 *           Bit i of slice j is bit j s + i of the array.
 *
 * COST      The same bits and probes as standard, up to a fraction 1/s: 9.6 bits per key at 1 %, 14.4 at 0.1 %.
 *           Small filters pay for slices of whole bits: with 16 bits, 4 hashes and 2 keys the rate is 3.66 %, not
 *           2.97 %. If bits are given, m is rounded down to a multiple of k, so the filter never exceeds them.
 *
 * CHOOSE    partitioned when slices live in separate memories or behind separate locks, or when the rate must be
 *           known to the last digit: (1 - (1 - 1/s)^n)^k is exact here because the slices are independent.
 *           Otherwise choose standard: it never has more ones in the same bits, and takes an array of any size.
 *
 * PAPER     Mullin: A second look at Bloom filters, CACM 26(8), 1983; Kirsch, Mitzenmacher: Less hashing, same
 *           performance, ESA 2006. The survey of Tarkoma et al. (eq. 11) rounds m up. The rate of a given filter is
 *           the product of the slices' fills, not their mean to the power k. The number of keys is estimated from
 *           the total of ones, which reads no cell and agrees with the mean over the slices to within 1/s of it.
 */
#include <bloomery/theory.h>

#include "core/kind.h"
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/flat.h"
#include "parts/probe.h"
#include "parts/staged_flat.h"
#include "parts/wish.h"

typedef struct blm_partitioned {
    blm_flat flat; /* its cells are k slices, by shape */
    uint64_t slice;
} blm_partitioned;

static const blm_field partitioned_fields[] = {
    BLM_FIELD(blm_partitioned, slice, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "s, bits per slice"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, slices, and bits per key"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err partitioned_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                blm_report *why)
{
    blm_partitioned *p = (blm_partitioned *)f;
    unsigned k = wish->hashes;
    (void)knobs;
    if (wish->bits) {
        if (!k) k = blm_best_hashes_partitioned(wish->bits, wish->keys);
        p->slice = wish->bits / k;
        if (!p->slice)
            return blm_fail(why, BLM_E_ARG,
                            "bits %llu, hashes %u: each hash needs its own slice of "
                            "at least one bit; use at most %llu hashes",
                            (unsigned long long)wish->bits, k, (unsigned long long)wish->bits);
    } else if (!blm_size_partitioned(wish->keys, wish->fpr, k, &p->slice, &k)) {
        return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
    } else {
        p->slice = blm_foldable(p->slice, UINT64_C(1) << 20);
        if (p->slice >= 64) p->slice += p->slice % 2; /* small ones fold once as well */
    }
    p->flat.hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err partitioned_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_partitioned *p = (blm_partitioned *)f;
    if (p->slice > (UINT64_C(1) << 60) / p->flat.hashes)
        return blm_fail(why, BLM_E_ARG, "%u slices of %llu bits exceed 2^60 bits in total",
                        p->flat.hashes, (unsigned long long)p->slice);
    p->flat.cells = p->slice * p->flat.hashes;
    return blm_flat_shape(f, bytes, why);
}

static double partitioned_rate_now(const blm_partitioned *p)
{
    const double slice = (double)p->slice;
    double rate = 1;
    for (unsigned j = 0; j < p->flat.hashes; j++)
        rate *= (double)blm_bits_count_in(p->flat.base.cells, j * p->slice, p->slice) / slice;
    return rate;
}

static blm_rate partitioned_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_partitioned *p = (const blm_partitioned *)f;
    const unsigned k = p->flat.hashes;
    const double r = c ? blm_rate_partitioned(p->slice, k, c->keys) : partitioned_rate_now(p);
    return (blm_rate){r, r, c ? blm_rate_partitioned_sd(p->slice, k, c->keys) : 0};
}

static double partitioned_lines(const blm_filter *f, const blm_case *c)
{
    const blm_partitioned *p = (const blm_partitioned *)f;
    const double fill = c ? blm_rate_partitioned(p->slice, 1, c->keys) : blm_flat_fill(f);
    return blm_probes_to_reject(fill, p->flat.hashes);
}

static blm_flat_throws partitioned_throws(const blm_filter *f)
{
    const blm_partitioned *p = (const blm_partitioned *)f;
    return (blm_flat_throws){p->slice, 1, p->flat.hashes};
}

static blm_err partitioned_keys(const blm_filter *f, blm_estimate *n)
{
    *n = blm_flat_keys(partitioned_throws(f), ((const blm_flat *)f)->ones);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline uint64_t partitioned_place(const blm_partitioned *p, blm_hash h, unsigned j)
{
    return j * p->slice + blm_place(h, j, p->slice);
}

/* Fetches the first two probes: a non-member is rejected after 2 on average. */
static inline void partitioned_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_partitioned *p = (const blm_partitioned *)f;
    blm_fetch(f->cells + partitioned_place(p, h, 0) / 8);
    blm_fetch(f->cells + partitioned_place(p, h, p->flat.hashes > 1) / 8);
}

static inline bool partitioned_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_partitioned *p = (const blm_partitioned *)f;
    (void)it;
    for (unsigned j = 0; j < p->flat.hashes; j++)
        if (!blm_bit_get(f->cells, partitioned_place(p, h, j))) return false;
    return true;
}

static inline blm_err partitioned_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_partitioned *p = (blm_partitioned *)f;
    uint8_t *cells = f->cells; /* in registers: a byte that is written could be any of the fields */
    const uint64_t slice = p->slice;
    const unsigned k = p->flat.hashes;
    unsigned set = 0;
    (void)it;
    for (unsigned j = 0; j < k; j++) set += blm_bit_set(cells, j * slice + blm_place(h, j, slice));
    p->flat.ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

static inline unsigned partitioned_put_shared(blm_filter *f, blm_hash h)
{
    const blm_partitioned *p = (const blm_partitioned *)f;
    unsigned set = 0;
    for (unsigned j = 0; j < p->flat.hashes; j++)
        set += blm_bit_set_shared(f->cells, partitioned_place(p, h, j));
    return set;
}

/* In batches: the places of many keys in their slices, and then where the slice begins. */
static inline void partitioned_find(const void *self, const blm_hash *h, size_t n, unsigned from,
                                    unsigned to, blm_lanes_column *at)
{
    blm_lanes_best()->places(h, n, ((const blm_partitioned *)self)->slice, from, to, at);
}

static inline uint64_t partitioned_bit(const void *self, const blm_lanes_column *at, size_t i,
                                       unsigned j)
{
    return at[j][i] + j * ((const blm_partitioned *)self)->slice;
}

static const blm_staged_form partitioned_form_of = {partitioned_find, partitioned_bit,
                                                    blm_staged_one};

BLM_PREFETCH(partitioned)
BLM_STAGED_CALLS(static, partitioned, blm_partitioned)
BLM_BATCH_SHARED(partitioned, blm_flat)

static size_t partitioned_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                                size_t cap)
{
    const blm_partitioned *p = (const blm_partitioned *)f;
    (void)it;
    for (unsigned j = 0; j < p->flat.hashes && j < cap; j++)
        out[j] = blm_flat_look(f, partitioned_place(p, h, j));
    return p->flat.hashes;
}

/* Slices are of even length, so neighbours 2i and 2i+1 of the whole array are neighbours of one slice. */
static blm_err partitioned_half(blm_filter *half, blm_report *why)
{
    blm_partitioned *p = (blm_partitioned *)half;
    if (p->slice % 2)
        return blm_fail(why, BLM_E_ARG, "slices of %llu bits cannot be folded: the number is odd",
                        (unsigned long long)p->slice);
    p->slice /= 2;
    p->flat.ones = 0;
    return BLM_OK;
}

static blm_err partitioned_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    *out = blm_flat_overlap(partitioned_throws(f), f, g);
    return BLM_OK;
}

const blm_kind blm_kind_partitioned = {
    .name = "partitioned",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_partitioned),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = partitioned_fields,
    .nfields = BLM_LEN(partitioned_fields),
    .plan = partitioned_plan,
    .shape = partitioned_shape,
    .check = blm_flat_check,
    .fpr = partitioned_fpr,
    .lines = partitioned_lines,
    .fill = blm_flat_fill,
    .touch = partitioned_touch,
    .has = partitioned_has,
    .add = partitioned_add,
    .prefetch_many = partitioned_prefetch_many,
    .has_many = partitioned_has_many,
    .has_u64 = partitioned_has_u64,
    .add_many = partitioned_add_many,
    .add_u64 = partitioned_add_u64,
    .add_shared = partitioned_add_shared,
    .merge = blm_flat_merge,
    .intersect = blm_flat_intersect,
    .half = partitioned_half,
    .fold = blm_flat_fold,
    .keys = partitioned_keys,
    .overlap = partitioned_overlap,
    .adopt = blm_flat_adopt,
};

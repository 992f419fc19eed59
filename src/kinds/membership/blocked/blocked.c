/* blocked.c - a Bloom filter in every cache line.
 *
 * QUESTION  Is the key in the set, at the price of one memory access?
 *
 * PICTURE   The hash chooses one block of 512 bits, a cache line; all k bits of a key lie in it.
 *
 *              hash ----> block 2
 *           +---------------+---------------+---------------+-----
 *           |    block 0    |    block 1    | .1..1....1..1 |            512 bits each
 *           +---------------+---------------+---------------+-----
 *                                              ^  ^    ^
 *                                              9 bits of a mixed word choose each of the k
 *
 * COST      One cache line per query, whatever the answer. Some blocks get more keys than others, so blocked
 *           needs more bits per key than standard at the same rate: 9.9 against 9.6 at 1 %, 15.6 against
 *           14.4 at 0.1 %, 38.8 against 28.8 at 10^-6. The promised rate is the average over the block
 *           loads, not the formula for one large filter.
 *
 * CHOOSE    blocked by default: it is the fastest kind, and it takes few extra bits down to 10^-4. Below
 *           that rate, choose standard; if keys are deleted, choose counting.
 *
 * PAPER     Putze, Sanders, Singler: Cache-, hash- and space-efficient Bloom filters, WEA 2007, JEA 14, 2009.
 *           Their "32 % more space" holds for one setting; it is not a general law.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include <math.h>

#include "simd/block.h"
#include "simd/lanes.h"
#include "core/kind.h"
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/blocks.h"
#include "parts/wish.h"

enum { BLOCK_BITS = BLM_LINE_BITS };

static const blm_field blocked_fields[] = {
    BLM_FIELD(blm_block_bits, blocks, BLM_F_SHAPE, 1, UINT64_C(1) << 51,
              "the number of 512-bit blocks"),
    BLM_FIELD(blm_block_bits, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_block_bits, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err blocked_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why)
{
    blm_block_bits *b = (blm_block_bits *)f;
    unsigned k = wish->hashes;
    (void)knobs;
    if (wish->bits) {
        b->blocks = wish->bits / BLOCK_BITS;
        if (!b->blocks)
            return blm_fail(why, BLM_E_ARG, "bits %llu: too few; one block has 512 bits",
                            (unsigned long long)wish->bits);
        if (!k) k = blm_best_hashes_blocked(BLOCK_BITS, b->blocks, wish->keys);
    } else {
        if (!blm_size_blocked(wish->keys, wish->fpr, BLOCK_BITS, k, &b->blocks, &k))
            return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
        b->blocks = blm_foldable(b->blocks, 1024);
    }
    b->hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err blocked_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    return blm_blocks_shape(f, BLOCK_BITS, bytes, why);
}

/* A non-member is as likely to fall into each block: the mean over blocks of (ones / 512)^k. */
static double blocked_rate_now(const blm_block_bits *b)
{
    uint64_t with[BLOCK_BITS + 1] = {0};
    blm_lanes_best()->line_ones(b->base.cells, b->blocks, with);
    double sum = 0;
    for (unsigned ones = 1; ones <= BLOCK_BITS; ones++)
        if (with[ones]) sum += (double)with[ones] * blm_rate_from_fill(ones, BLOCK_BITS, b->hashes);
    return sum / (double)b->blocks;
}

static blm_rate blocked_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    const double p =
        c ? blm_rate_blocked(BLOCK_BITS, b->blocks, b->hashes, c->keys) : blocked_rate_now(b);
    return (blm_rate){p, p, c ? blm_rate_blocked_sd(BLOCK_BITS, b->blocks, b->hashes, c->keys) : 0};
}

/* From all ones at once: their mean over the random loads of the blocks has a closed form, so no
 * block needs to be looked at. */
static blm_estimate blocked_size_of(const blm_block_bits *b, uint64_t ones)
{
    const uint64_t all = b->blocks * BLOCK_BITS;
    const bool full = ones >= all; /* then only a lower bound is known; unchecked: more */
    if (full) ones = all - 1;
    const double n = blm_keys_from_fill_blocked(ones, BLOCK_BITS, b->blocks, b->hashes);
    const double sd = blm_keys_sd_blocked(BLOCK_BITS, b->blocks, b->hashes, (uint64_t)n);
    return (blm_estimate){n, fmax(0, n - sd), n + sd, full};
}

static blm_err blocked_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    *n = blocked_size_of(b, b->ones);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void blocked_prefetch(const blm_filter *f, blm_hash h)
{
    blm_fetch(f->cells + blm_line_start(h.lo, ((const blm_block_bits *)f)->blocks));
}

static bool blocked_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    (void)it;
    return blm_line_has(f->cells + blm_line_start(h.lo, b->blocks), h.lo, b->hashes);
}

static inline blm_err blocked_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_block_bits *b = (blm_block_bits *)f;
    const unsigned set = blm_line_add(f->cells + blm_line_start(h.lo, b->blocks), h.lo, b->hashes);
    (void)it;
    b->ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

BLM_PREFETCH(blocked)

static inline unsigned blocked_put_shared(blm_filter *f, blm_hash h)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    uint8_t *block = f->cells + blm_line_start(h.lo, b->blocks);
    uint64_t word = 0;
    unsigned set = 0;
    for (unsigned i = 0; i < b->hashes; i++)
        set += blm_bit_set_shared(block, blm_line_place(h.lo, i, &word));
    return set;
}

BLM_BATCH_SHARED(blocked, blm_block_bits)

static void blocked_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *yes)
{
    const blm_blocks b = blm_blocks_of(f);
    (void)a;
    blm_lanes_best()->line.has(&b, h, n, more, yes);
}

static blm_err blocked_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                size_t more, uint8_t *fresh, size_t *done)
{
    const blm_blocks b = blm_blocks_of(f);
    (void)a;
    ((blm_block_bits *)f)->ones += blm_lanes_best()->line.add(&b, h, n, more, fresh);
    *done = n;
    return BLM_OK;
}

static void blocked_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes)
{
    const blm_blocks b = blm_blocks_of(f);
    blm_lanes_best()->line.has_u64(&b, f->seed, key, n, yes);
}

static void blocked_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh)
{
    const blm_blocks b = blm_blocks_of(f);
    ((blm_block_bits *)f)->ones += blm_lanes_best()->line.add_u64(&b, f->seed, key, n, fresh);
}

static const blm_one *blocked_one(const blm_filter *f)
{
    return blm_lanes_best()->line.one(((const blm_block_bits *)f)->hashes);
}

static bool blocked_lens(const blm_filter *f, blm_lens *out)
{
    out->test = blm_lanes_lens_of(&blm_lanes_best()->line, f);
    out->wide = blm_lanes_best()->wide;
    return blm_blocks_lens(f, BLM_LENS_LINE, out);
}

static uint64_t blocked_block(const blm_filter *f, uint64_t lo)
{
    return blm_reduce(lo, ((const blm_block_bits *)f)->blocks);
}

static size_t blocked_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                            size_t cap)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    const uint64_t start = blm_line_start(h.lo, b->blocks);
    uint64_t word = 0;
    (void)it;
    for (unsigned i = 0; i < b->hashes && i < cap; i++) {
        const uint64_t at = start * 8 + blm_line_place(h.lo, i, &word);
        out[i] = (blm_touch){at, at / 8, blm_bit_get(f->cells, at)};
    }
    return b->hashes;
}

static blm_err blocked_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    blm_blocks_sizes n;
    *out = blm_blocks_overlap(f, g, blocked_size_of, &n);
    const uint64_t w = BLOCK_BITS, m = b->blocks;
    const unsigned k = b->hashes;
    blm_overlap_spread(
        out, (blm_overlap_sd){.common = blm_keys_common_sd_blocked(w, m, k, n.a, n.b, n.common),
                              .jaccard = blm_jaccard_sd_blocked(w, m, k, n.a, n.b, n.common),
                              .a_in_b = blm_contained_sd_blocked(w, m, k, n.a, n.b, n.common),
                              .b_in_a = blm_contained_sd_blocked(w, m, k, n.b, n.a, n.common)});
    return BLM_OK;
}

const blm_kind blm_kind_blocked = {
    .name = "blocked",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_block_bits),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = blocked_fields,
    .nfields = BLM_LEN(blocked_fields),
    .plan = blocked_plan,
    .shape = blocked_shape,
    .check = blm_blocks_check,
    .fpr = blocked_fpr,
    .fill = blm_blocks_fill,
    .touch = blocked_touch,
    .has = blocked_has,
    .add = blocked_add,
    .one = blocked_one,
    .prefetch_many = blocked_prefetch_many,
    .has_many = blocked_has_many,
    .has_u64 = blocked_has_u64,
    .add_many = blocked_add_many,
    .add_u64 = blocked_add_u64,
    .add_shared = blocked_add_shared,
    .lens = blocked_lens,
    .block = blocked_block,
    .merge = blm_blocks_merge,
    .intersect = blm_blocks_intersect,
    .half = blm_blocks_half,
    .fold = blm_blocks_fold,
    .keys = blocked_keys,
    .overlap = blocked_overlap,
    .adopt = blm_blocks_adopt,
};

/* split_block.c - eight lanes in half a cache line, as in Parquet.
 *
 * QUESTION  Is the key in the set, in the fewest instructions, or in the bits of a Parquet file?
 *
 * PICTURE   32 bits of the hash choose a block of 256 bits; the other 32, multiplied by eight odd numbers, choose
 *           one bit in each of its eight lanes.
 *
 *                hash ----> block 1
 *           +---------------+---------------+---------------+-----
 *           |    block 0    |    block 1    |    block 2    |            256 bits each
 *           +---------------+---------------+---------------+-----
 *                          /                 \
 *            lane  0    1    2    3    4    5    6    7
 *               +----+----+----+----+----+----+----+----+
 *               |.1..|...1|1...|..1.|.1..|..1.|1...|...1|                32 bits each, one bit per key
 *               +----+----+----+----+----+----+----+----+
 *
 * COST      One cache line per query, and one vector of eight numbers does all the work. Setting eight bits per key
 *           suits a rate of 1 %: 10.5 bits of memory per key there, 16.9 at 0.1 % (blocked: 9.9 and 15.6), 26.3 at
 *           10^-4, 64.7 at 10^-6. At most 2^31 blocks (64 GiB), which hold 5.2e10 keys at 1 %. Using so few hash
 *           bits has two costs, and the promised rate includes both. First, 2^32 numbers do not divide evenly
 *           among the blocks: 0.03 % more false positives at 10^9 keys and 1 %, half as many again at 1.7e9
 *           blocks. Second, two keys in one block whose other 32 bits are equal cannot be told apart. This adds
 *           5.6e-9 to a rate of 1 %, for 10^9 keys as for any number; below 10^-8 most of the memory goes there.
 *
 * CHOOSE    split-block for speed at 0.4 % to 2 %, or when other programs read the cells: they are the bitset of a
 *           Parquet filter for the same 64-bit hash (Parquet's own is XXH64 with seed 0). Otherwise choose blocked,
 *           which is smaller.
 *
 * PAPER     Apache Parquet: BloomFilter.md. J. Apple: Split block Bloom filters, arXiv 2101.01719, 2021. Putze,
 *           Sanders, Singler: Cache-, hash- and space-efficient Bloom filters, JEA 14, 2009 (multi-blocking).
 */
#include <bloomery/theory.h>
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include <math.h>

#include "simd/block.h"
#include "core/kind.h"
#include "simd/lanes.h"
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/blocks.h"
#include "parts/wish.h"
#include "rate.h"

#define SPLIT_MAX (UINT64_C(1) << 31)

static const blm_field split_fields[] = {
    BLM_FIELD(blm_block_bits, blocks, BLM_F_SHAPE, 1, SPLIT_MAX, "the number of 256-bit blocks"),
    BLM_FIELD(blm_block_bits, hashes, BLM_F_SHAPE, BLM_SPLIT_LANES, BLM_SPLIT_LANES,
              "bits per key, one in each lane"),
    BLM_FIELD(blm_block_bits, ones, BLM_F_STATE, 0, SPLIT_MAX *BLM_SPLIT_BITS, "bits that are one"),
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err split_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                          blm_report *why)
{
    blm_block_bits *b = (blm_block_bits *)f;
    (void)knobs;
    if (wish->hashes && wish->hashes != BLM_SPLIT_LANES)
        return blm_fail(
            why, BLM_E_ARG,
            "hashes %u: split-block always uses 8, one per lane; omit hashes, or use blocked",
            wish->hashes);
    if (wish->bits) {
        b->blocks = wish->bits / BLM_SPLIT_BITS;
        if (!b->blocks || b->blocks > SPLIT_MAX)
            return blm_fail(why, BLM_E_ARG,
                            "bits %llu: must be from 256 (one block) to 2^31 blocks (64 GiB); %s",
                            (unsigned long long)wish->bits,
                            b->blocks ? "blocked can be larger" : "standard can be smaller");
    } else {
        if (!blm_size_split(wish->keys, wish->fpr, &b->blocks))
            return blm_wish_beyond(wish,
                                   "the 2^31 blocks (64 GiB) that 32 "
                                   "bits of hash can choose; use blocked or standard",
                                   why);
        b->blocks = blm_foldable(b->blocks, 1024);
    }
    b->hashes = BLM_SPLIT_LANES;
    return BLM_OK;
}

static blm_err split_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    return blm_blocks_shape(f, BLM_SPLIT_BITS, bytes, why);
}

static blm_estimate split_size_of(const blm_block_bits *b, uint64_t ones)
{
    const uint64_t all = b->blocks * BLM_SPLIT_BITS;
    const bool full = ones >= all; /* then only a lower bound is known; unchecked: more */
    const double n = blm_keys_from_fill_split(full ? all - 1 : ones, b->blocks);
    const double sd = blm_keys_sd_split(b->blocks, (uint64_t)n);
    return (blm_estimate){n, fmax(0, n - sd), n + sd, full};
}

static blm_err split_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    *n = split_size_of(b, b->ones);
    return BLM_OK;
}

static blm_rate split_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    const double p =
        c ? blm_rate_split(b->blocks, c->keys) : blm_lanes_rate(f, split_size_of(b, b->ones).value);
    return (blm_rate){p, p, c ? blm_rate_split_sd(b->blocks, c->keys) : 0};
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void split_prefetch(const blm_filter *f, blm_hash h)
{
    blm_fetch(f->cells + blm_split_start(h.lo, ((const blm_block_bits *)f)->blocks));
}

static bool split_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    (void)it;
    return blm_split_has(f->cells + blm_split_start(h.lo, b->blocks), h.lo);
}

static inline blm_err split_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_block_bits *b = (blm_block_bits *)f;
    const unsigned set = blm_split_add(f->cells + blm_split_start(h.lo, b->blocks), h.lo);
    (void)it;
    b->ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

BLM_PREFETCH(split)

/* Two lanes a word: four atomic operations a key. */
static inline unsigned split_put_shared(blm_filter *f, blm_hash h)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    uint8_t *block = f->cells + blm_split_start(h.lo, b->blocks);
    unsigned set = 0;
    for (unsigned i = 0; i < BLM_SPLIT_LANES; i += 2)
        set += blm_set_shared(block + (size_t)4 * i,
                              (uint64_t)blm_split_bit(h.lo, i + 1) << 32 | blm_split_bit(h.lo, i));
    return set;
}

BLM_BATCH_SHARED(split, blm_block_bits)

static void split_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *yes)
{
    const blm_blocks b = blm_blocks_of(f);
    (void)a;
    blm_lanes_best()->split.has(&b, h, n, more, yes);
}

static blm_err split_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *fresh, size_t *done)
{
    const blm_blocks b = blm_blocks_of(f);
    (void)a;
    ((blm_block_bits *)f)->ones += blm_lanes_best()->split.add(&b, h, n, more, fresh);
    *done = n;
    return BLM_OK;
}

static void split_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes)
{
    const blm_blocks b = blm_blocks_of(f);
    blm_lanes_best()->split.has_u64(&b, f->seed, key, n, yes);
}

static void split_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh)
{
    const blm_blocks b = blm_blocks_of(f);
    ((blm_block_bits *)f)->ones += blm_lanes_best()->split.add_u64(&b, f->seed, key, n, fresh);
}

static const blm_one *split_one(const blm_filter *f)
{
    return blm_lanes_best()->split.one(((const blm_block_bits *)f)->hashes);
}

static bool split_lens(const blm_filter *f, blm_lens *out)
{
    out->test = blm_lanes_lens_of(&blm_lanes_best()->split, f);
    return blm_blocks_lens(f, BLM_LENS_SPLIT, out);
}

static uint64_t split_block(const blm_filter *f, uint64_t lo)
{
    return blm_split_start(lo, ((const blm_block_bits *)f)->blocks) / BLM_SPLIT_BYTES;
}

static size_t split_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                          size_t cap)
{
    const uint64_t start = blm_split_start(h.lo, ((const blm_block_bits *)f)->blocks);
    (void)it;
    for (unsigned i = 0; i < BLM_SPLIT_LANES && i < cap; i++) {
        const uint64_t lane = start * 8 + (uint64_t)32 * i;
        const uint64_t at = lane + (unsigned)__builtin_ctz(blm_split_bit(h.lo, i));
        out[i] = (blm_touch){at, at / 8, blm_bit_get(f->cells, at)};
    }
    return BLM_SPLIT_LANES;
}

static blm_err split_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    blm_blocks_sizes n;
    *out = blm_blocks_overlap(f, g, split_size_of, &n);
    blm_overlap_spread(
        out, (blm_overlap_sd){.common = blm_keys_common_sd_split(b->blocks, n.a, n.b, n.common),
                              .jaccard = blm_jaccard_sd_split(b->blocks, n.a, n.b, n.common),
                              .a_in_b = blm_contained_sd_split(b->blocks, n.a, n.b, n.common),
                              .b_in_a = blm_contained_sd_split(b->blocks, n.b, n.a, n.common)});
    return BLM_OK;
}

const blm_kind blm_kind_split_block = {
    .name = "split-block",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_block_bits),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = split_fields,
    .nfields = BLM_LEN(split_fields),
    .plan = split_plan,
    .shape = split_shape,
    .check = blm_blocks_check,
    .fpr = split_fpr,
    .fill = blm_blocks_fill,
    .touch = split_touch,
    .has = split_has,
    .add = split_add,
    .one = split_one,
    .prefetch_many = split_prefetch_many,
    .has_many = split_has_many,
    .has_u64 = split_has_u64,
    .add_many = split_add_many,
    .add_u64 = split_add_u64,
    .add_shared = split_add_shared,
    .lens = split_lens,
    .block = split_block,
    .merge = blm_blocks_merge,
    .intersect = blm_blocks_intersect,
    .half = blm_blocks_half,
    .fold = blm_blocks_fold,
    .keys = split_keys,
    .overlap = split_overlap,
    .adopt = blm_blocks_adopt,
};

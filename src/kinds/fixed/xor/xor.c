/* xor.c - a fixed set in 9.8 bits per key at 0.4 %, as the public libraries have it.
 *
 * QUESTION  Is the key in a set that never changes? The filter is to be exchanged with programs that read xor8 or xor16.
 *
 * PICTURE   Three blocks of cells of w bits. A key has one cell in each block; xored they give its fingerprint.
 *
 *              block 0 |....a......|   block 1 |..b........|   block 2 |.......c...|     a ^ b ^ c = fingerprint?
 *
 *           The builder finds an order in which each key has a cell that no later key needs, and fills the cells in
 *           reverse.
 *
 * COST      1.23 w bits per key for a rate of 2^-w: 9.84 bits at 0.4 %, 12.3 at 0.1 %, 19.7 at 1.5e-5. The rate is exactly
 *           2^-w: fpr=1% makes w = 7 and 0.8 %. A query reads three cells, whatever the answer. Building needs all keys
 *           at once.
 *
 * CHOOSE    fuse instead: from 10^5 keys on it takes 3 to 8 % fewer bits, builds faster, and answers batches in half the time.
 *           xor takes fewer bits from 10 to 10^4 keys (1.26 against 1.41 w at 1000), and it is what other programs may
 *           have written.
 *
 * PAPER     Graf, Lemire: Xor filters: faster and smaller than Bloom and cuckoo filters, JEA 25, 2020. With width 8 and 16 and
 *           one shard, cells and places are those of their public C library. Ours lengthens the blocks when eight seeds
 *           fail, and cuts large sets into shards of 2 million keys.
 */
#include <math.h>

#include "core/kind.h"
#include "parts/xored.h"

enum { XOR_ARITY = 3, XOR_TURN = 32 /* the first place rises with the low 32 bits of x */ };

static const blm_field xor_fields[] = {
    BLM_FIELD(blm_xored, width, BLM_F_SHAPE, 1, BLM_XORED_WIDTH, "w, bits per fingerprint"),
    BLM_FIELD(blm_xored, shards, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "parts built on their own"),
    BLM_FIELD(blm_xored, block, BLM_F_SHAPE, 1, UINT32_MAX, "cells of a block"),
    BLM_FIELD(blm_xored, widened, BLM_F_SHAPE, 0, BLM_XORED_WIDENED,
              "how often blocks were lengthened because no seed would do"),
    BLM_FIELD(blm_xored, members, BLM_F_STATE, 0, UINT64_C(1) << 56,
              "keys in the set; 0: every answer is no"),
};

static const blm_knobdef xor_knobs[] = {BLM_XORED_KNOBS};

/* ---- plan ------------------------------------------------------------------------------ */

/* The formula of the paper's library. 100 keys: 32 + 123 cells, three blocks of 51. */
static uint64_t xor_fit(blm_xored *s, double keys)
{
    s->block = (uint64_t)((32 + floor(1.23 * keys)) / XOR_ARITY);
    return XOR_ARITY * s->block;
}

static blm_err xor_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                        blm_report *why)
{
    return blm_xored_plan((blm_xored *)f, wish, knobs, xor_fit, why);
}

static blm_err xor_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_xored *s = (blm_xored *)f;
    s->arity = XOR_ARITY;
    s->first = s->block;
    s->cells = XOR_ARITY * s->block;
    return blm_xored_shape(f, bytes, why);
}

static blm_err xor_widen(blm_filter *f, blm_report *why)
{
    blm_xored *s = (blm_xored *)f;
    const blm_err err = blm_xored_widen(s, why);
    if (!err) s->block += s->block / 32 + 1;
    return err;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline uint64_t xor_in_block(uint32_t bits, uint64_t block) { return bits * block >> 32; }

static inline void xor_places(const void *of, uint64_t x, uint64_t at[BLM_PEEL_ARITY])
{
    const uint64_t b = ((const blm_xored *)of)->block;
    at[0] = xor_in_block((uint32_t)x, b);
    at[1] = xor_in_block((uint32_t)(x << 21 | x >> 43), b) + b;
    at[2] = xor_in_block((uint32_t)(x << 42 | x >> 22), b) + 2 * b;
}

static bool xor_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)it;
    return blm_xored_has((const blm_xored *)f, h.lo, XOR_ARITY, xor_places);
}

BLM_XORED_ONE(xor)

static void xor_find(const blm_xored *s, const blm_hash *h, size_t n, blm_xored_stage *out)
{
    blm_xored_stage_of(s, h, n, out, XOR_ARITY, xor_places);
}

static void xor_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    blm_xored_fetch_many((const blm_xored *)f, h, n, xor_find);
}

static void xor_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    (void)a;
    blm_xored_has_many((const blm_xored *)f, h, n, more, yes, xor_find);
}

static size_t xor_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                        size_t cap)
{
    (void)it;
    return blm_xored_touch((const blm_xored *)f, h.lo, XOR_ARITY, xor_places, out, cap);
}

static blm_err xor_build_part(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *why)
{
    return blm_xored_build(f, i, rows, XOR_TURN, XOR_ARITY, xor_places, why);
}

const blm_kind blm_kind_xor = {
    .name = "xor",
    .group = "fixed",
    .version = 1,
    .size = sizeof(blm_xored),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO | BLM_NEEDS_SALTS,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .superseded = true,
    .fields = xor_fields,
    .nfields = BLM_LEN(xor_fields),
    .knobs = xor_knobs,
    .nknobs = BLM_LEN(xor_knobs),
    .plan = xor_plan,
    .shape = xor_shape,
    .check = blm_xored_check,
    .fpr = blm_xored_fpr,
    .lines = blm_xored_lines,
    .fill = blm_xored_fill,
    .touch = xor_touch,
    .has = xor_has,
    .one = xor_one,
    .prefetch_many = xor_prefetch_many,
    .has_many = xor_has_many,
    .parts = blm_xored_parts,
    .build_part = xor_build_part,
    .widen = xor_widen,
    .built = blm_xored_built,
    .no_merge_reason = "its cells fit one set of keys; build it anew from all keys",
    .keys = blm_xored_keys,
};

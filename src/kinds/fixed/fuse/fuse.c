/* fuse.c - a fixed set in 9 bits per key at 0.4 %: the smallest filter that is also fast.
 *
 * QUESTION  Is the key in a set that never changes, in the fewest bits and with three memory accesses?
 *
 * PICTURE   Cells of w bits in segments of L. A key has one cell in each of three segments in a row; xored they give its
 *           fingerprint.
 *
 *              | segment 0 | segment 1 | segment 2 | segment 3 | segment 4 | ...
 *              |           | ..a.......| .......b..| ...c......|           |         a ^ b ^ c = fingerprint?
 *                               ^            ^          ^
 *                               h0           h1         h2
 *
 *           The builder finds an order in which each key has a cell that no later key needs, and fills the cells in
 *           reverse. A key sees a few segments only, so the order begins at both ends and works inwards: that is why so
 *           few cells do.
 *
 * COST      1.13 w bits per key for a rate of 2^-w, from 10^5 keys on: 9.0 bits at 0.4 %, 11.3 at 0.1 %, 18.0 at 1.5e-5;
 *           1.08 w with arity=4, which reads four cells. Small sets take more: 1.28 w at 10^4 keys, 1.41 w at 1000.
 *           The rate is exactly 2^-w: fpr=1% makes w = 7 and 0.8 %. A query reads three cells, whatever the answer.
 *           Building needs all keys at once and takes 60 ns per key; 33 bytes of memory per key up to 2 million keys, 16 for
 *           10 million.
 *
 * CHOOSE    fuse when the set is known before the first query: it takes 22 % fewer bits than standard at 0.4 %, and is
 *           nearly as fast as blocked. Choose ribbon for still fewer bits or for a rate between two powers of 2; golomb
 *           if the filter is sent and seldom queried; blocked or standard when keys come one by one.
 *
 * PAPER     Graf, Lemire: Binary fuse filters: fast and smaller than xor filters, JEA 27, 2022. With width 8 and 16, arity 3
 *           and one shard, cells and places are those of their public C library. Ours adds a segment when eight seeds
 *           fail, so that every set can be built, and cuts large sets into shards of 2 million keys.
 */
#include <math.h>

#include "core/kind.h"
#include "lanes.h"
#include "parts/xored.h"

enum { FUSE_SEGMENT_MIN = 2, FUSE_SEGMENT_MAX = 18 };

static const blm_field fuse_fields[] = {
    BLM_FIELD(blm_xored, width, BLM_F_SHAPE, 1, BLM_XORED_WIDTH, "w, bits per fingerprint"),
    BLM_FIELD(blm_xored, arity, BLM_F_SHAPE, 3, 4, "cells per key"),
    BLM_FIELD(blm_xored, shards, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "parts built on their own"),
    BLM_FIELD(blm_xored, segment, BLM_F_SHAPE, FUSE_SEGMENT_MIN, FUSE_SEGMENT_MAX,
              "log2 of L, the cells of a segment"),
    BLM_FIELD(blm_xored, segments, BLM_F_SHAPE, 1, UINT64_C(1) << 30,
              "segments of a shard in which a key may begin"),
    BLM_FIELD(blm_xored, widened, BLM_F_SHAPE, 0, BLM_XORED_WIDENED,
              "how many of these were added because no seed would do"),
    BLM_FIELD(blm_xored, members, BLM_F_STATE, 0, UINT64_C(1) << 56,
              "keys in the set; 0: every answer is no"),
};

enum { FUSE_KNOB_ARITY = BLM_XORED_KNOB_OWN };
static const blm_knobdef fuse_knobs[] = {
    BLM_XORED_KNOBS,
    [FUSE_KNOB_ARITY] = {"arity", "cells per key; 4: 5 % fewer bits and slower queries", BLM_K_WORD,
                         .def = 0, .words = "3|4"},
};

/* ---- plan ------------------------------------------------------------------------------ */

/* The formulas of the paper's library. 10^6 keys: L = 2^13, 136 + 2 segments, 1130496 cells. */
static uint64_t fuse_fit(blm_xored *s, double keys)
{
    const bool three = s->arity == 3;
    const double n = fmax(keys, 1), ln = log(n);
    const double size = three ? ln / log(3.33) + 2.25 : ln / log(2.91) - 0.5;
    const double log2_cells = fmin(fmax(floor(size), FUSE_SEGMENT_MIN), FUSE_SEGMENT_MAX);
    const double factor = three ? fmax(1.125, 0.875 + 0.25 * log(1e6) / ln)
                                : fmax(1.075, 0.77 + 0.305 * log(6e5) / ln);
    const double cells = n > 1 ? floor(n * factor + 0.5) : 0;
    const double start = ceil(cells / ldexp(1, (int)log2_cells)) - (s->arity - 1);
    s->segment = (uint8_t)log2_cells;
    s->segments = (uint64_t)fmax(1, start);
    return (s->segments + s->arity - 1) << s->segment;
}

static blm_err fuse_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                         blm_report *why)
{
    ((blm_xored *)f)->arity = (uint8_t)(3 + knobs->num[FUSE_KNOB_ARITY]);
    return blm_xored_plan((blm_xored *)f, wish, knobs, fuse_fit, why);
}

static blm_err fuse_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_xored *s = (blm_xored *)f;
    if (s->segments <= s->widened)
        return blm_fail(why, BLM_E_ARG, "%llu segments, and %u of them were added",
                        (unsigned long long)s->segments, s->widened);
    s->first = s->segments << s->segment;
    s->cells = (s->segments + s->arity - 1) << s->segment;
    return blm_xored_shape(f, bytes, why);
}

static blm_err fuse_widen(blm_filter *f, blm_report *why)
{
    const blm_err err = blm_xored_widen((blm_xored *)f, why);
    if (!err) ((blm_xored *)f)->segments++;
    return err;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void fuse_three(const void *of, uint64_t x, uint64_t at[BLM_PEEL_ARITY])
{
    const blm_xored *s = of;
    const uint64_t l = UINT64_C(1) << s->segment, start = blm_reduce(x, s->first);
    at[0] = start;
    at[1] = (start + l) ^ (x >> 18 & (l - 1));
    at[2] = (start + 2 * l) ^ (x & (l - 1));
}

/* Three groups of bits, none of them in two. */
static inline void fuse_four(const void *of, uint64_t x, uint64_t at[BLM_PEEL_ARITY])
{
    const blm_xored *s = of;
    const uint64_t l = UINT64_C(1) << s->segment, start = blm_reduce(x, s->first);
    at[0] = start;
    for (unsigned j = 1; j < 4; j++)
        at[j] = (start + j * l) ^ (x >> (j - 1) * s->segment & (l - 1));
}

static bool fuse_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_xored *s = (const blm_xored *)f;
    (void)it;
    return s->arity == 3 ? blm_xored_has(s, h.lo, 3, fuse_three)
                         : blm_xored_has(s, h.lo, 4, fuse_four);
}

BLM_XORED_ONE(fuse)

void blm_fuse_find(const blm_xored *s, const blm_hash *h, size_t n, blm_xored_stage *out)
{
    if (s->arity == 3)
        blm_xored_stage_of(s, h, n, out, 3, fuse_three);
    else
        blm_xored_stage_of(s, h, n, out, 4, fuse_four);
}

static blm_xored_finder *fuse_finder(const blm_xored *s)
{
    return blm_fuse_avx512_fits(s) ? blm_fuse_find_avx512 : blm_fuse_find;
}

static void fuse_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    const blm_xored *s = (const blm_xored *)f;
    blm_xored_fetch_many(s, h, n, fuse_finder(s));
}

static void fuse_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                          size_t more, uint8_t *yes)
{
    const blm_xored *s = (const blm_xored *)f;
    (void)a;
    blm_xored_has_many(s, h, n, more, yes, fuse_finder(s));
}

static size_t fuse_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                         size_t cap)
{
    const blm_xored *s = (const blm_xored *)f;
    (void)it;
    return s->arity == 3 ? blm_xored_touch(s, h.lo, 3, fuse_three, out, cap)
                         : blm_xored_touch(s, h.lo, 4, fuse_four, out, cap);
}

static blm_err fuse_build_part(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *why)
{
    return ((const blm_xored *)f)->arity == 3 ? blm_xored_build(f, i, rows, 0, 3, fuse_three, why)
                                              : blm_xored_build(f, i, rows, 0, 4, fuse_four, why);
}

const blm_kind blm_kind_fuse = {
    .name = "fuse",
    .group = "fixed",
    .version = 1,
    .size = sizeof(blm_xored),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO | BLM_NEEDS_SALTS,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = fuse_fields,
    .nfields = BLM_LEN(fuse_fields),
    .knobs = fuse_knobs,
    .nknobs = BLM_LEN(fuse_knobs),
    .plan = fuse_plan,
    .shape = fuse_shape,
    .check = blm_xored_check,
    .fpr = blm_xored_fpr,
    .lines = blm_xored_lines,
    .fill = blm_xored_fill,
    .touch = fuse_touch,
    .has = fuse_has,
    .one = fuse_one,
    .prefetch_many = fuse_prefetch_many,
    .has_many = fuse_has_many,
    .parts = blm_xored_parts,
    .build_part = fuse_build_part,
    .widen = fuse_widen,
    .built = blm_xored_built,
    .no_merge_reason = "its cells fit one set of keys; build it anew from all keys",
    .keys = blm_xored_keys,
};

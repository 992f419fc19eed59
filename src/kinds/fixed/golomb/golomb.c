/* golomb.c - the sorted values of a fixed set, as the gaps between them.
 *
 * QUESTION  Is the key in a set that is complete, in nearly the fewest bits that such an answer can have?
 *
 * PICTURE   Each of n keys has one value among n M. Sorted, only the gaps between values are kept, by Golomb's code: how many
 *           times m as ones and a zero, then the remainder. The values are cut into buckets of 60 keys or so, and an index says
 *           where the codes of each begin, so that a query decodes one bucket, on average half of it.
 *
 *             index    | bucket 0 | bucket 1 | bucket 2 | ...
 *                        |          |          |
 *             codes    | 3 17 0 5  | 41 2 7    | 9 12 ...      gaps between values: a value that comes twice is kept once
 *
 *           The index has one word per 64 buckets, and for each bucket how far it is from the line between two words.
 *
 * COST      Bits per key at 10^6 keys, index included, against the log2(1/p) that no filter passes:
 *
 *             rate     golomb    over the bound    standard
 *             1 %       8.29     1.64               9.59
 *             2^-8      9.67     1.67              11.54
 *             0.1 %    11.65     1.69              14.38
 *
 *           Of these 1.46 are the codes', 0.22 the index's; with several shards there are 0.02 more, as shards are of one size.
 *           A query reads four cache lines and takes 160 ns, one of a batch 40 ns with AVX-512 and 92 ns without, where fuse
 *           takes 7 and 2.
 *           Building costs 12 ns per key once the hashes are sorted.
 *
 * CHOOSE    golomb where building matters more than queries: it needs no memory but for the sorted hashes and the filter,
 *           10^7 keys in 47 MB in a spool of 32 MiB, where fuse needs 131; and its codes are those of BIP 158. Choose ribbon where
 *           bits matter: 8.1 per key at 2^-8, and ten times as fast; fuse where queries matter. Choose standard or blocked
 *           where keys come later: golomb has no add, delete or merge.
 *
 * PAPER     Putze, Sanders, Singler: Cache-, hash- and space-efficient Bloom filters, WEA 2007; Golomb: Run-length encodings,
 *           IEEE Transactions on Information Theory 12(3), 1966. BIP 158 writes the same codes, without an index.
 */
#include <bloomery/theory/golomb.h>
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

enum { SHARD_KEYS = 1 << 21 };

static const blm_field golomb_fields[] = {
    BLM_FIELD(blm_golomb_set, shards, BLM_F_SHAPE, 1, UINT64_C(1) << 32,
              "the number of parts that are built on their own"),
    BLM_FIELD(blm_golomb_set, buckets, BLM_F_SHAPE, 1, UINT64_C(1) << 50, "buckets per shard"),
    BLM_FIELD(blm_golomb_set, width, BLM_F_SHAPE, 1, UINT64_MAX, "values per bucket"),
    BLM_FIELD(blm_golomb_set, m, BLM_F_SHAPE, 1, BLM_GOLOMB_MAX, "the parameter of Golomb's code"),
    BLM_FIELD(blm_golomb_set, room, BLM_F_SHAPE, 1, UINT64_C(1) << 54,
              "words of 64 bits for the codes of a shard"),
    BLM_FIELD(blm_golomb_set, entry, BLM_F_SHAPE, 2, GOLOMB_ENTRY, "bits of an index entry"),
    BLM_FIELD(blm_golomb_set, widened, BLM_F_SHAPE, 0, GOLOMB_WIDENED,
              "how often the room grew while the filter was built"),
    BLM_FIELD(blm_golomb_set, members, BLM_F_STATE, 0, UINT64_C(1) << 60, "keys in the set"),
    BLM_FIELD(blm_golomb_set, values, BLM_F_STATE, 0, UINT64_C(1) << 60, "their distinct values"),
};

enum { KNOB_RANGE, KNOB_SHARDS };
static const blm_knobdef golomb_knobs[] = {
    [KNOB_RANGE] = {"range", "M, the values per key, instead of a rate: the rate is about 1 / M",
                    BLM_K_NUMBER, .def = 0, .min = 1, .max = 0x1p63},
    [KNOB_SHARDS] = {"shards",
                     "parts that are built on their own, at most one per key; 0: one per 2^21 keys",
                     BLM_K_NUMBER, .def = 0, .min = 0, .max = 0x1p32},
};

/* ---- plan ---------------------------------------------------------------------------------- */

/* All fields for n keys among `range` values; false: 2^64 values or more. */
static bool golomb_lay(blm_golomb_set *s, double n, double range)
{
    const double per = n / (double)s->shards;
    s->buckets = per > GOLOMB_KEYS ? (uint64_t)(per / GOLOMB_KEYS + 0.5) : 1;
    const double all = (double)s->shards * (double)s->buckets, width = ceil(range / all);
    if (!(width * all < 0x1p64)) return false;
    s->width = width < 1 ? 1 : (uint64_t)width;
    const double there = -expm1(-n / (all * (double)s->width)), gap = 1 / there;
    s->m = blm_gap_best(gap);
    const unsigned low = blm_code_of(s->m).low;
    const double values = there * (double)s->width * (double)s->buckets,
                 bits = blm_gap_bits(gap, s->m), each = blm_gap_bits_variance(gap, s->m);
    /* The values of a shard vary, too, where there are several: one of 4000 does not fit, and the room grows by 1/128. */
    const double vary = s->shards > 1 ? bits * bits : 0,
                 want = values * bits + 3.5 * sqrt(values * (each + vary)) + 64,
                 most = per * (low + 2) + (double)s->width * (double)s->buckets / (double)s->m;
    s->room = (uint64_t)ceil((s->shards > 1 ? want : fmin(want, most)) / 64);
    /* Half way between two supers a bucket is off the line by half the spread of their distance. */
    const double block = fmin((double)s->buckets, GOLOMB_BLOCK),
                 off = 5.5 * bits * sqrt(block * values / (double)s->buckets) / 2;
    s->entry = (uint8_t)fmin(GOLOMB_ENTRY, 1 + fmax(1, ceil(log2(off + 1))));
    s->widened = 0;
    return true;
}

static blm_err golomb_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_golomb_set *s = (blm_golomb_set *)f;
    uint64_t end = 8;
    if (s->buckets > UINT64_MAX / s->shards || s->width > UINT64_MAX / (s->shards * s->buckets))
        return blm_fail(why, BLM_E_ARG,
                        "%" PRIu64 " buckets of %" PRIu64
                        " values: n M must be below 2^64, so use fewer keys or a higher rate",
                        s->shards * s->buckets, s->width);
    s->supers = blm_section(&end, s->buckets / GOLOMB_BLOCK + 2, 64, 8);
    s->entries = blm_section(&end, s->buckets + 1, s->entry, 8);
    s->codes = blm_section(&end, s->room, 64, 8);
    blm_section(&end, BLM_CODE_SLACK, 8, 8);
    s->stride = end;
    s->code = blm_code_of(s->m);
    s->most = s->width / s->m;
    *bytes = s->stride > UINT64_MAX / s->shards ? UINT64_MAX : s->stride * s->shards;
    return BLM_OK;
}

/* The most values that fit into the bits that are given. */
static void golomb_fit(blm_golomb_set *s, double n, uint64_t bits)
{
    double low = 0, high = 64;
    uint64_t bytes = 0;
    for (int i = 0; i < 40; i++) {
        const double middle = (low + high) / 2;
        const bool fits = golomb_lay(s, n, n * exp2(middle)) &&
                          !golomb_shape(&s->base, &bytes, NULL) && bytes <= bits / 8;
        *(fits ? &low : &high) = middle;
    }
    golomb_lay(s, n, n * exp2(low));
}

static blm_err golomb_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                           blm_report *why)
{
    blm_golomb_set *s = (blm_golomb_set *)f;
    const double n = wish->keys ? (double)wish->keys : 1, shards = knobs->num[KNOB_SHARDS],
                 range = knobs->text[KNOB_RANGE] ? knobs->num[KNOB_RANGE] : 0;
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG, "hashes %u: golomb stores one value per key; set range",
                        wish->hashes);
    if (shards != floor(shards))
        return blm_fail(why, BLM_E_ARG, "shards=%g: must be a whole number", shards);
    if (range > 0 && wish->bits)
        return blm_fail(why, BLM_E_ARG, "range=%g: the bits follow from it; omit bits", range);
    s->shards = (uint64_t)(shards > 0 ? fmin(shards, n) : ceil(n / SHARD_KEYS));
    if (wish->bits) {
        golomb_fit(s, n, (wish->bits + 63) / 64 * 64);
        return BLM_OK;
    }
    /* (1 - 1/R)^n = 1 - p */
    const double all = range > 0 ? n * range : -1 / expm1(log1p(-wish->fpr) / n);
    if (!golomb_lay(s, n, all))
        return blm_fail(why, BLM_E_ARG,
                        "%.4g keys with %.4g values each: n M must be below 2^64, so use fewer "
                        "keys or a higher rate",
                        n, all / n);
    return BLM_OK;
}

static uint64_t golomb_parts(const blm_filter *f) { return ((const blm_golomb_set *)f)->shards; }

static blm_err golomb_widen(blm_filter *f, blm_report *why)
{
    blm_golomb_set *s = (blm_golomb_set *)f;
    if (s->widened == GOLOMB_WIDENED)
        return blm_fail(why, BLM_E_BUILD,
                        "the hashes are too uneven: some shard or bucket has many times the keys "
                        "of the others, and the room for codes has grown %u times",
                        s->widened);
    s->widened++;
    s->room +=
        (s->room >> (GOLOMB_WIDENED - s->widened)) + 1; /* 1/128 of it, then twice that, ... */
    s->entry = s->entry + 2 < GOLOMB_ENTRY ? s->entry + 2 : GOLOMB_ENTRY;
    return BLM_OK;
}

static blm_err golomb_built(blm_filter *f, uint64_t n, blm_report *why)
{
    blm_golomb_set *s = (blm_golomb_set *)f;
    (void)why;
    s->members = n;
    s->values = 0;
    for (uint64_t i = 0; i < s->shards; i++) s->values += blm_le64(f->cells + i * s->stride);
    return BLM_OK;
}

/* ---- theory -------------------------------------------------------------------------------- */

static uint64_t golomb_range(const blm_golomb_set *s) { return s->shards * s->buckets * s->width; }

static blm_rate golomb_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    const uint64_t range = golomb_range(s);
    const double p =
        c ? -expm1((double)c->keys * log1p(-1 / (double)range)) : (double)s->values / (double)range;
    return (blm_rate){p, p, c ? blm_rate_sd(range, 1, c->keys) : 0};
}

/* A line of supers, one of entries, and half a bucket of codes. */
static double golomb_lines(const blm_filter *f, const blm_case *c)
{
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    const double half = (double)s->room * 64 / (double)s->buckets / 2;
    (void)c;
    return 2 + 1 + half / 512;
}

static blm_err golomb_keys(const blm_filter *f, blm_estimate *n)
{
    const double members = (double)((const blm_golomb_set *)f)->members;
    *n = (blm_estimate){members, members, members, false};
    return BLM_OK;
}

/* ---- operations ---------------------------------------------------------------------------- */

static bool golomb_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    (void)it;
    return s->members && golomb_in(s, golomb_find(s, h.lo));
}

/* The two supers, the two entries, and the words of the bucket's codes; the cells are numbered by bucket. A bucket of so many
 * codes that they cannot all be listed: none. */
static size_t golomb_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                           size_t cap)
{
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    const golomb_place p = golomb_find(s, h.lo);
    uint64_t value;
    const uint64_t bucket = golomb_bucket(s, h.lo, &value), shard = bucket / s->buckets,
                   b = bucket % s->buckets, section = shard * s->stride,
                   super = section + s->supers + b / GOLOMB_BLOCK * 8,
                   entry = section + s->entries + b * s->entry / 8,
                   next = section + s->entries + (b + 1) * s->entry / 8,
                   codes = section + s->codes + p.at / 8,
                   words = p.at < p.end ? (p.end - p.at / 8 * 8 + 63) / 64 : 0;
    const uint64_t fixed[] = {super, super + 8, entry, next};
    (void)it;
    if (!s->members || words > BLM_TOUCH_MAX - BLM_LEN(fixed)) return 0;
    for (size_t i = 0; i < BLM_LEN(fixed) + words && i < cap; i++) {
        const uint64_t at = i < BLM_LEN(fixed) ? fixed[i] : codes + (i - BLM_LEN(fixed)) * 8;
        out[i] = (blm_touch){bucket, at, blm_le64(f->cells + at)};
    }
    return BLM_LEN(fixed) + (size_t)words;
}

const blm_kind blm_kind_golomb = {
    .name = "golomb",
    .group = "fixed",
    .version = 1,
    .size = sizeof(blm_golomb_set),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = golomb_fields,
    .nfields = BLM_LEN(golomb_fields),
    .knobs = golomb_knobs,
    .nknobs = BLM_LEN(golomb_knobs),
    .plan = golomb_plan,
    .shape = golomb_shape,
    .check = blm_golomb_check,
    .fpr = golomb_fpr,
    .lines = golomb_lines,
    .touch = golomb_touch,
    .has = golomb_has,
    .prefetch_many = blm_golomb_prefetch_many,
    .has_many = blm_golomb_has_many,
    .parts = golomb_parts,
    .build_part = blm_golomb_build,
    .widen = golomb_widen,
    .built = golomb_built,
    .superseded = true,
    .no_merge_reason = "two sorted sets of values are not one: build it again from all keys",
    .keys = golomb_keys,
};

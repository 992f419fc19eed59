/* adaptive_cuckoo.c - fingerprints that change places after a false positive.
 *
 * QUESTION  Is the key in a set that may shrink and grow? A false positive that you report is rejected the next time.
 *
 * PICTURE   A key lies in one of two buckets of four slots. Queries read only the fast section; the slow one has the
 *           128 bits of hash from which a fingerprint can be made again.
 *
 *              non-member S:   bucket x                     bucket y
 *              fast        | f0 | f1 |  0 | f3 |        | f4 | f5 | f6 |  0 |      8 places, 8 functions
 *                                 ^ = f1(S)
 *              slow        |  A |  B |    |  C |        |  D |  E |  F |    |
 *
 *              deny S:     B and C change places. Now f3(B) and f1(C) stand there: S passes only by chance.
 *
 * COST      b fast bits and 128 slow bits for each of 4/3.8 slots per key: the fast part takes 10.5 bits per key at 1 %
 *           and 13.7 at 0.1 %, the slow one 135 more, which queries do not touch (164 for a filter of 100 keys).
 *           A non-member that was never denied passes with probability 8 load / (2^b - 1). Right after a denial it is
 *           1.65 / 2^b (1.8 / 2^b when b is 5): through the two fingerprints that have changed places, or because one of
 *           them has moved back. A query reads two buckets, each usually in one cache line.
 *           The table can be full: add fails with BLM_E_FULL when no key can make room. One filter in 10^7 fails before
 *           its planned keys are in, and most of them at 97 % of the slots. grow doubles the slots: room for twice the
 *           keys at the same rate, and half the rate until they are added.
 *
 * CHOOSE    adaptive-cuckoo when the same non-members are queried again and again, you learn afterwards that they were
 *           false positives, and 8 or more fast bits per key are available: it never loses a member, and keys can be
 *           deleted. Choose adaptive when the fast part is smaller or slow memory is expensive (its slow part is a few
 *           times the fast one); blocked when non-members do not repeat; dleft when keys are deleted and false positives
 *           are not reported; retouched when the false positives are known beforehand.
 *
 * PAPER     Mitzenmacher, Pontarelli, Reviriego: Adaptive cuckoo filters, ALENEX 2018, arXiv 1704.06818; JEA 25, 2020.
 *           This is their filter with buckets of four, not the one of four tables with selector bits. Theirs has one
 *           function per slot, the same in both buckets; ours has one for each of the eight places, so that the rate of
 *           a table can be computed exactly. They keep the keys; we keep digests, and two keys with one digest are
 *           one. Theirs moves random keys until it finds room; ours first finds the shortest path and then follows it,
 *           so that a failed add changes nothing. A fingerprint is never zero, because zero means empty.
 */
#include <bloomery/theory/cuckoo.h>
#include <math.h>

#include "core/kind.h"
#include "nest.h"

static const blm_field adaptive_cuckoo_fields[] = {
    BLM_FIELD(blm_nest, buckets, BLM_F_SHAPE, 1, UINT64_C(1) << BLM_NEST_ACROSS,
              "buckets of 4 slots, as planned"),
    BLM_FIELD(blm_nest, width, BLM_F_SHAPE, 2, BLM_NEST_WIDTH, "bits per fingerprint"),
    BLM_FIELD(blm_nest, doublings, BLM_F_STATE, 0, BLM_NEST_ACROSS, "how often it has grown"),
    BLM_FIELD(blm_nest, used, BLM_F_STATE, 0, UINT64_C(1) << 52, "slots in use"),
    BLM_FIELD(blm_nest, swaps, BLM_F_STATE, 0, UINT64_C(1) << 62,
              "fingerprints that denials have moved"),
    BLM_FIELD(blm_nest, fast, BLM_F_STATE, 0, UINT64_C(1) << 57,
              "bytes of fingerprints, which queries read"),
    BLM_FIELD(blm_nest, slow, BLM_F_STATE, 0, UINT64_C(1) << 57, "bytes of digests"),
};

static const blm_knobdef adaptive_cuckoo_knobs[] = {
    {"width", "bits per fingerprint; 0: as many as the rate needs", BLM_K_NUMBER, .def = 0,
     .min = 0, .max = BLM_NEST_WIDTH},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err adaptive_cuckoo_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                    blm_report *why)
{
    blm_nest *s = (blm_nest *)f;
    const double given = knobs->num[0];
    unsigned width = 0;
    if (wish->hashes)
        return blm_fail(
            why, BLM_E_ARG,
            "hashes %u: adaptive-cuckoo stores one fingerprint per key; set width=8 instead",
            wish->hashes);
    if (given != floor(given) || given == 1)
        return blm_fail(why, BLM_E_ARG, "width=%g: must be a whole number of bits from 2 to %d",
                        given, BLM_NEST_WIDTH);
    const double n = (double)wish->keys;
    if (wish->bits
            ? !blm_fit_cuckoo(wish->bits, wish->keys, &s->buckets, &width)
            : !blm_size_cuckoo(wish->keys, given > 0 ? 0.999 : wish->fpr, &s->buckets, &width))
        return wish->bits
                   ? blm_fail(why, BLM_E_ARG,
                              "bits %llu: too few for %.4g keys, which need %g slots of 130 bits",
                              (unsigned long long)wish->bits, n,
                              4.0 * (double)blm_cuckoo_buckets(wish->keys))
                   : blm_fail(why, BLM_E_ARG,
                              "%.4g keys at fpr %.3g need fingerprints of more than %d bits or "
                              "more than 2^%d buckets; raise fpr or use fewer keys",
                              n, wish->fpr, BLM_NEST_WIDTH, BLM_NEST_ACROSS);
    if (wish->bits && given > width)
        return blm_fail(why, BLM_E_ARG, "width=%g: bits %llu leave room for a width of only %u",
                        given, (unsigned long long)wish->bits, width);
    s->width = (uint8_t)(given > 0 ? given : width);
    s->fast = s->slow = 0; /* of an earlier try */
    return BLM_OK;
}

static blm_rate adaptive_cuckoo_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_nest *n = (const blm_nest *)f;
    uint64_t with[BLM_NEST_SLOTS + 1];
    if (c)
        return (blm_rate){blm_rate_cuckoo(n->across, n->width, c->keys, false),
                          blm_rate_cuckoo(n->across, n->width, c->keys, true), 0};
    blm_nest_census(n, with);
    const double p = blm_rate_cuckoo_from_fill(with, n->width);
    return (blm_rate){p, p, 0};
}

static double adaptive_cuckoo_fill(const blm_filter *f)
{
    const blm_nest *n = (const blm_nest *)f;
    return (double)n->used / (double)blm_nest_cells(n);
}

/* Both buckets, which begin anywhere in a line. */
static double adaptive_cuckoo_lines(const blm_filter *f, const blm_case *c)
{
    const blm_nest *n = (const blm_nest *)f;
    (void)c;
    return (n->across > 1 ? 2 : 1) * (1 + (BLM_NEST_SLOTS * n->width - 1) / 512.0);
}

static blm_err adaptive_cuckoo_keys(const blm_filter *f, blm_estimate *n)
{
    const double used = (double)((const blm_nest *)f)->used;
    *n = (blm_estimate){used, used, used, false};
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void adaptive_cuckoo_prefetch(const blm_filter *f, blm_hash h)
{
    blm_nest_fetch((const blm_nest *)f, h);
}

static inline bool adaptive_cuckoo_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)it;
    return blm_nest_has((const blm_nest *)f, h);
}

static inline blm_err adaptive_cuckoo_add(blm_filter *f, blm_hash h, const blm_item *it,
                                          bool *fresh)
{
    blm_nest *n = (blm_nest *)f;
    const bool is_new = blm_nest_seek(n, h) == BLM_NEST_NONE;
    const blm_err err = is_new ? blm_nest_add(n, h) : BLM_OK;
    (void)it;
    n->used += is_new && !err;
    *fresh = is_new;
    return err;
}

BLM_BATCH(adaptive_cuckoo)
BLM_BATCH_ADD(adaptive_cuckoo, adaptive_cuckoo_prefetch)

static size_t adaptive_cuckoo_touch(const blm_filter *f, blm_hash h, const blm_item *it,
                                    blm_touch *out, size_t cap)
{
    const blm_nest *n = (const blm_nest *)f;
    uint64_t at[BLM_NEST_WAYS];
    const unsigned places = blm_nest_find(n, h, at) * BLM_NEST_SLOTS;
    (void)it;
    for (unsigned i = 0; i < places && i < cap; i++) {
        const uint64_t cell = blm_nest_cell(at, i);
        out[i] = (blm_touch){cell, cell * n->width / 8, blm_nest_get(n, cell)};
    }
    return places;
}

static inline blm_err adaptive_cuckoo_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_nest *n = (blm_nest *)f;
    const uint64_t cell = blm_nest_seek(n, h);
    (void)it;
    if (cell == BLM_NEST_NONE) return BLM_E_ABSENT;
    blm_nest_empty(n, cell);
    n->used--;
    return BLM_OK;
}

BLM_BATCH_DEL(adaptive_cuckoo, adaptive_cuckoo_prefetch)

static blm_err adaptive_cuckoo_deny(blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)it;
    blm_nest_adapt((blm_nest *)f, h);
    return BLM_OK;
}

static blm_err adaptive_cuckoo_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_nest *n = (blm_nest *)f;
    const blm_nest *other = (const blm_nest *)g;
    const unsigned mine = n->doublings, theirs = other->doublings;
    return blm_nest_rebuild(n, other, mine > theirs ? mine : theirs, why);
}

static uint64_t adaptive_cuckoo_room(const blm_filter *f)
{
    return blm_doubled(f->capacity, ((const blm_nest *)f)->doublings);
}

static blm_err adaptive_cuckoo_grow(blm_filter *f, blm_report *why)
{
    blm_nest *n = (blm_nest *)f;
    return blm_nest_rebuild(n, NULL, n->doublings + 1u, why);
}

const blm_kind blm_kind_adaptive_cuckoo = {
    .name = "adaptive-cuckoo",
    .group = "adaptive",
    .version = 1,
    .size = sizeof(blm_nest),
    .needs = BLM_NEEDS_HASH128,
    .promises = BLM_NO_MISS | BLM_IDEMPOTENT,
    .fields = adaptive_cuckoo_fields,
    .nfields = BLM_LEN(adaptive_cuckoo_fields),
    .knobs = adaptive_cuckoo_knobs,
    .nknobs = BLM_LEN(adaptive_cuckoo_knobs),
    .plan = adaptive_cuckoo_plan,
    .shape = blm_nest_shape,
    .check = blm_nest_check,
    .fpr = adaptive_cuckoo_fpr,
    .lines = adaptive_cuckoo_lines,
    .fill = adaptive_cuckoo_fill,
    .touch = adaptive_cuckoo_touch,
    .has = adaptive_cuckoo_has,
    .add = adaptive_cuckoo_add,
    .prefetch_many = adaptive_cuckoo_prefetch_many,
    .has_many = adaptive_cuckoo_has_many,
    .add_many = adaptive_cuckoo_add_many,
    .del_many = adaptive_cuckoo_del_many,
    .del = adaptive_cuckoo_del,
    .deny = adaptive_cuckoo_deny,
    .merge = adaptive_cuckoo_merge,
    .grow = adaptive_cuckoo_grow,
    .room = adaptive_cuckoo_room,
    .keys = adaptive_cuckoo_keys,
};

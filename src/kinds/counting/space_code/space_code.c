/* space_code.c - counts that are written blindly: an add sets some bits and reads none.
 *
 * QUESTION  About how often did the key come, where adds have no time to read what is there?
 *
 * PICTURE   l groups of k hashes each. An add draws one of the groups at random, and sets its k bits. A key that came often
 *           has many groups with all bits set: theta of l.
 *
 *              group 1   1 1 1      has it
 *              group 2   1 0 1      does not        theta = 2 of 4: it came about 2.4 times
 *              group 3   1 1 1      has it
 *              group 4   0 0 0      does not
 *
 *           About l ln l adds fill all groups of a key, 110 of 32. Further filters see only a share q of the adds of the one
 *           before: each counts 1/q times as far. decode=mle looks for the count that makes what all of them show most
 *           likely; decode=mve takes the filter that knows it best.
 *
 * COST      Plan for adds, not keys: each takes k bits. 22.3 bits per add at 1 %, 28.7 at 0.1 %, with 32 groups in 4
 *           filters, which count to 7000. An add writes k bits of filter 1, and a third of that in all others. has reads 2
 *           bits of each group, count as many in each filter: slow. In one filter a count from 4 to 64 is off by 14 to 25 %
 *           on average, in four one from 16 to 4096 by 11 to 20 %; for a key that came once or twice, by nearly as much as
 *           the count. All groups of all filters seen: the count is a lower bound.
 *
 * CHOOSE    space-code where adds must be cheap and counts may be rough: a link at line rate. Choose spectral or count-min
 *           for counts that are right, adaptive-count for rough ones of a few keys that come very often. Filters of
 *           several links merge; two that saw the same keys in the same order are equal, and merged count them once.
 *
 * PAPER     Kumar, Xu, Wang, Spatschek, Li: Space-Code Bloom Filter for Efficient Per-Flow Traffic Measurement, INFOCOM 2004.
 *           The random numbers follow from the number of adds and the key, so that the same adds give the same bytes.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "core/one.h"
#include "groups.h"
#include "parts/wish.h"

#define SPACE_CODE_ONES(n)                                                                         \
    BLM_FIELD(blm_space_code, ones_##n, BLM_F_STATE, 0, SPACE_CODE_CELLS,                          \
              "bits of filter " #n " that are one")
static const blm_field space_code_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, SPACE_CODE_CELLS, "m, the bits of filter 1"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per group"),
    BLM_FIELD(blm_space_code, groups, BLM_F_SHAPE, 2, SPACE_CODE_GROUPS, "l, groups of a key"),
    BLM_FIELD(blm_space_code, resolutions, BLM_F_SHAPE, 1, SPACE_CODE_FILTERS, "filters"),
    BLM_FIELD(blm_space_code, share, BLM_F_SHAPE, UINT64_C(1) << 26, UINT32_MAX,
              "2^32 q, q being the share of adds that the next filter sees"),
    BLM_FIELD(blm_space_code, decode, BLM_F_SHAPE, SPACE_CODE_MLE, SPACE_CODE_MVE,
              "0: by all filters, 1: by the best one"),
    BLM_FIELD(blm_space_code, random, BLM_F_STATE, 0, UINT64_MAX, "numbers drawn so far"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, SPACE_CODE_CELLS, "bits of filter 1 that are one"),
    SPACE_CODE_ONES(2),
    SPACE_CODE_ONES(3),
    SPACE_CODE_ONES(4),
    SPACE_CODE_ONES(5),
    SPACE_CODE_ONES(6),
    SPACE_CODE_ONES(7),
    SPACE_CODE_ONES(8),
};

enum { SPACE_CODE_L, SPACE_CODE_R, SPACE_CODE_Q, SPACE_CODE_DECODE };
static const blm_knobdef space_code_knobs[] = {
    [SPACE_CODE_L] = {"groups", "groups of a key, one of which an add sets", BLM_K_NUMBER,
                      .def = 32, .min = 2, .max = SPACE_CODE_GROUPS},
    [SPACE_CODE_R] = {"resolutions", "filters, each of which sees fewer adds than the one before",
                      BLM_K_NUMBER, .def = 4, .min = 1, .max = SPACE_CODE_FILTERS},
    [SPACE_CODE_Q] = {"q", "share of the adds of a filter that the next one sees", BLM_K_NUMBER,
                      .def = 0.25, .min = 0.015625, .max = 0.9},
    [SPACE_CODE_DECODE] = {"decode", "count by all filters together, or by the best one",
                           BLM_K_WORD, .def = SPACE_CODE_MLE, .words = "mle|mve"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err space_code_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                               blm_report *why)
{
    blm_space_code *s = (blm_space_code *)f;
    for (unsigned i = SPACE_CODE_L; i <= SPACE_CODE_R; i++)
        if (floor(knobs->num[i]) != knobs->num[i])
            return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number, at most %g",
                            space_code_knobs[i].name, knobs->num[i], space_code_knobs[i].max);
    s->groups = (uint8_t)knobs->num[SPACE_CODE_L];
    s->resolutions = (uint8_t)knobs->num[SPACE_CODE_R];
    s->share = (uint32_t)(knobs->num[SPACE_CODE_Q] * 0x1p32);
    s->decode = (uint8_t)knobs->num[SPACE_CODE_DECODE];
    s->first.hashes = (uint8_t)wish->hashes;
    blm_err err = blm_space_code_reads(s, why);
    if (err) return err;
    if (!wish->bits)
        return blm_space_code_size(s, wish->keys, wish->fpr)
                   ? BLM_OK
                   : blm_wish_beyond(wish, "2^58 bits in filter 1", why);
    err = blm_space_code_fit(s, wish->bits, why);
    if (!err && !wish->hashes) s->first.hashes = (uint8_t)blm_space_code_best(s, wish->keys);
    return err;
}

static blm_rate space_code_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_space_code *s = (const blm_space_code *)f;
    const double p = blm_space_code_rate_now(s);
    return c ? blm_space_code_rate(s, c->keys) : (blm_rate){p, p, 0};
}

static double space_code_lines(const blm_filter *f, const blm_case *c)
{
    const blm_space_code *s = (const blm_space_code *)f;
    const double ones =
        c ? blm_fill_mean(s->first.cells, s->first.hashes, c->keys) : (double)s->first.ones;
    return s->groups * blm_probes_to_reject(ones / (double)s->first.cells, s->first.hashes);
}

static uint64_t space_code_max(const blm_filter *f)
{
    return (uint64_t)blm_space_code_most((const blm_space_code *)f);
}

/* ---- operations ------------------------------------------------------------------------- */

/* The first bit of each group; more than 16 would leave the cache before their turn. */
static inline void space_code_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_space_code *s = (const blm_space_code *)f;
    for (unsigned g = 0; g < s->groups && g < 16; g++)
        blm_fetch(f->cells + space_code_place(s, h, 0, g, 0) / 8);
}

static inline bool space_code_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_space_code *s = (const blm_space_code *)f;
    (void)it;
    for (uint64_t begun = space_code_begun(s, h, 0); begun; begun &= begun - 1)
        if (space_code_whole(s, h, 0, (unsigned)__builtin_ctzll(begun))) return true;
    return false;
}

BLM_BATCH(space_code)

/* What the add after BLM_AHEAD more will write in filter 1. */
static inline void space_code_prefetch_add(const blm_filter *f, blm_hash h)
{
    const blm_space_code *s = (const blm_space_code *)f;
    const unsigned g = space_code_pick(s, space_code_drawn(s->random + BLM_AHEAD, h), 0);
    for (unsigned i = 0; i < s->first.hashes; i++)
        blm_fetch(f->cells + space_code_place(s, h, 0, g, i) / 8);
}

static inline void space_code_write(blm_filter *f, blm_hash h)
{
    blm_space_code *s = (blm_space_code *)f;
    const space_code_draw d = space_code_drawn(s->random++, h);
    for (unsigned j = 0; j < s->resolutions; j++) {
        if (!space_code_sees(s, d, j)) continue;
        const blm_hash own = space_code_salted(h, j);
        const unsigned g = space_code_pick(s, d, j);
        uint64_t set = 0;
        for (unsigned i = 0; i < s->first.hashes; i++)
            set += blm_bit_set(f->cells + s->start[j], space_code_place(s, own, j, g, i));
        *blm_space_code_ones(s, j) += set;
    }
}

/* Whether the key is new is the one thing that an add must read for: all its groups. */
static inline blm_err space_code_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    *fresh = !space_code_has(f, h, it);
    space_code_write(f, h);
    return BLM_OK;
}

BLM_BATCH_ADD(space_code, space_code_prefetch_add)

/* Blind, unless the caller asks which keys are new. */
static blm_err space_code_add_blind(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                    size_t more, uint8_t *fresh, size_t *done)
{
    if (fresh) return space_code_add_many(f, h, a, n, more, fresh, done);
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) space_code_prefetch_add(f, h[i + BLM_AHEAD]);
        space_code_write(f, h[i]);
    }
    *done = n;
    return BLM_OK;
}

static inline bool space_code_asked(const blm_filter *f, uint64_t hash)
{
    return space_code_has(f, (blm_hash){hash, 0}, NULL);
}

static inline void space_code_added(blm_filter *f, uint64_t hash)
{
    space_code_write(f, (blm_hash){hash, 0});
}

BLM_ONE(, space_code_one_rows, space_code_asked, space_code_added);

static const blm_one *space_code_one(const blm_filter *f)
{
    (void)f;
    return &space_code_one_rows;
}

static inline blm_err space_code_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                       blm_estimate *n)
{
    const blm_space_code *s = (const blm_space_code *)f;
    blm_space_code_seen seen = {{0}, {0}};
    (void)it;
    for (unsigned j = 0; j < s->resolutions; j++) {
        const blm_hash own = space_code_salted(h, j);
        const double ones = (double)(j ? s->more[j - 1] : s->first.ones);
        for (uint64_t begun = space_code_begun(s, own, j); begun; begun &= begun - 1)
            seen.groups[j] += space_code_whole(s, own, j, (unsigned)__builtin_ctzll(begun));
        seen.by_others[j] = pow(ones / (double)s->bits[j], s->first.hashes);
    }
    *n = blm_space_code_decode(s, &seen);
    return BLM_OK;
}

BLM_BATCH_COUNT(space_code, space_code_prefetch)

static size_t space_code_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                               size_t cap)
{
    const blm_space_code *s = (const blm_space_code *)f;
    const size_t all = (size_t)s->groups * s->first.hashes;
    (void)it;
    for (size_t i = 0; i < all && i < cap; i++)
        out[i] = blm_flat_look(f, blm_place(h, (unsigned)i, s->first.cells));
    return all;
}

const blm_kind blm_kind_space_code = {
    .name = "space-code",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_space_code),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS,
    .copies = true, /* each add sets k bits */
    .fields = space_code_fields,
    .nfields = BLM_LEN(space_code_fields),
    .knobs = space_code_knobs,
    .nknobs = BLM_LEN(space_code_knobs),
    .plan = space_code_plan,
    .shape = blm_space_code_shape,
    .check = blm_space_code_check,
    .fpr = space_code_fpr,
    .lines = space_code_lines,
    .fill = blm_flat_fill,
    .max_count = space_code_max,
    .touch = space_code_touch,
    .has = space_code_has,
    .add = space_code_add,
    .one = space_code_one,
    .prefetch_many = space_code_prefetch_many,
    .has_many = space_code_has_many,
    .add_many = space_code_add_blind,
    .count_many = space_code_count_many,
    .count = space_code_count,
    .merge = blm_space_code_merge,
};

/* hash_choice.c - groups of keys choose the hash functions that set the fewest bits.
 *
 * QUESTION  Is the key in the set, in fewer bits than standard, when all keys are known before the first query?
 *
 * PICTURE   The hash puts a key into a group of 64. Each group has chosen k of the 2k functions of a library; a
 *           small table records the choice, as one number per group.
 *
 *              key --> group 2     table [ 17 ][ 0 ][ 803 ] ...       number 803: functions 0, 3, 4
 *                                    h0   h3    h4
 *                                    v    v     v
 *              bits  +---+---+---+---+---+---+---+---+---+
 *                    | 1 | 0 | 0 | 1 | 0 | 1 | 0 | 0 | 0 |
 *                    +---+---+---+---+---+---+---+---+---+
 *
 *           The builder goes over the groups twice; each group takes, one by one, the functions that set the fewest
 *           new bits. Once the filter is built you can add further keys, which use the functions already chosen.
 *
 * COST      A built filter takes, table included, 9.0 bits per key at 1 %, 13.5 at 0.1 %, 27.0 at 10^-6; standard takes
 *           9.6, 14.4, 28.8. At equal bits, table included, its rate is 0.75 of standard's at 1 %, 0.67 at 0.1 %.
 *           A query reads the table (0.2 to 0.6 bits per key) and then proceeds as in standard. Building with 10^6
 *           keys takes 1.5 s, and one byte of memory per bit in addition to the keys. Below 512 keys no gain is
 *           promised.
 *
 * CHOOSE    hash-choice when a set is built once and queried for a long time, and a twentieth fewer bits is worth
 *           slower queries. Smaller groups (group=8) lower the rate at equal cells by a factor of 5, but their table
 *           takes the gain back: 2 bits per key. If keys arrive one by one, choose standard; for speed, blocked.
 *
 * PAPER     Hao, Kodialam, Lakshman: Building high accuracy Bloom filters using partitioned hashing, SIGMETRICS 2007.
 *           The survey's ten-fold lower rate does not count the table; our sizes do. The table stores combination
 *           ranks of log2 C(L, k) bits per group. Theory gives the fill after one pass; after more, only a band.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/choices.h>
#include <math.h>
#include <string.h>

#include "core/kind.h"
#include "parts/bits.h"
#include "cells.h"
#include "parts/probe.h"
#include "parts/wish.h"

static const blm_field hash_choice_fields[] = {
    BLM_FIELD(blm_hash_choice, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_hash_choice, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_hash_choice, library, BLM_F_SHAPE, 1, BLM_THEORY_HASHES,
              "L, functions to choose from"),
    BLM_FIELD(blm_hash_choice, groups, BLM_F_SHAPE, 1, UINT64_C(1) << 56,
              "groups of keys that choose"),
    BLM_FIELD(blm_hash_choice, passes, BLM_F_SHAPE, 1, 16, "passes of the builder over the groups"),
    BLM_FIELD(blm_hash_choice, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
    BLM_FIELD(blm_hash_choice, built, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "keys the groups chose for; 0: not built, no key in the set"),
    BLM_FIELD(blm_hash_choice, before, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "bits that were one when the filter was built"),
};

enum { KNOB_GROUP, KNOB_LIBRARY, KNOB_PASSES };
static const blm_knobdef hash_choice_knobs[] = {
    [KNOB_GROUP] = {"group", "keys per group, on average", BLM_K_NUMBER, .def = 64, .min = 1,
                    .max = 1e6},
    [KNOB_LIBRARY] = {"library", "functions to choose from; 0: twice the hashes", BLM_K_NUMBER,
                      .def = 0, .min = 0, .max = BLM_THEORY_HASHES},
    [KNOB_PASSES] = {"passes", "passes of the builder over the groups", BLM_K_NUMBER, .def = 2,
                     .min = 1, .max = 16},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err no_choice(const blm_hash_choice *s, blm_report *why)
{
    if (s->library < s->hashes)
        return blm_fail(
            why, BLM_E_ARG,
            "library %u, hashes %u: the library needs at least as many functions as hashes",
            s->library, s->hashes);
    return blm_fail(why, BLM_E_ARG,
                    "%u of %u functions: more than 2^57 ways to choose; use a smaller library",
                    s->hashes, s->library);
}

static blm_err hash_choice_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                blm_report *why)
{
    blm_hash_choice *s = (blm_hash_choice *)f;
    const double half_full = wish->hashes ? (double)wish->bits * 0.69 / wish->hashes : 1;
    const double keys = wish->keys ? (double)wish->keys : fmax(half_full, 1);
    blm_pick_plan p = {.groups = (uint64_t)fmin(ceil(keys / knobs->num[KNOB_GROUP]), 0x1p56),
                       .passes = (unsigned)knobs->num[KNOB_PASSES]};
    s->library = (uint8_t)knobs->num[KNOB_LIBRARY];
    s->hashes = (uint8_t)wish->hashes;
    if (s->library && s->hashes && !blm_picks(s->library, s->hashes)) return no_choice(s, why);
    if (!blm_size_pick(wish->keys, wish->fpr, wish->bits, wish->hashes, s->library, &p))
        return wish->bits ? blm_fail(why, BLM_E_ARG,
                                     "bits %llu: the table of %llu groups leaves no bits for keys; "
                                     "use larger groups",
                                     (unsigned long long)wish->bits, (unsigned long long)p.groups)
                          : blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
    s->cells = p.m;
    s->groups = p.groups;
    s->hashes = (uint8_t)p.k;
    s->library = (uint8_t)p.library;
    s->passes = (uint8_t)p.passes;
    return BLM_OK;
}

static blm_err hash_choice_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_hash_choice *s = (blm_hash_choice *)f;
    if (!blm_picks(s->library, s->hashes)) return no_choice(s, why);
    if (s->ones > s->cells)
        return blm_fail(why, BLM_E_ARG, "more bits are one than the filter has");
    if (s->before > s->ones || (!s->built && s->ones))
        return blm_fail(why, BLM_E_ARG, "more bits were one when it was built than are one now");
    blm_picks_of *t = &s->choices;
    t->width = blm_pick_width(s->library, s->hashes);
    t->bytes = t->width ? blm_packed_bytes(s->groups, t->width) : 0;
    t->ways = t->width ? blm_picks(s->library - 1u, s->hashes) : 0;
    if (!s->built) f->can &= ~(uint32_t)BLM_ADD; /* without a choice it would break its promise */
    t->groups = s->groups, t->library = s->library, t->k = s->hashes;
    uint64_t end = t->bytes;
    blm_section(&end, blm_bits_bytes(s->cells), 8, 8);
    *bytes = end;
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline blm_pick choice_of(const blm_hash_choice *s, blm_hash h)
{
    blm_picks_of t = s->choices;
    t.table = s->base.cells; /* the region may have moved since shape */
    return blm_pick_at(&t, blm_reduce(h.lo, s->groups));
}

static inline uint8_t *bits_of(const blm_filter *f)
{
    return f->cells + ((const blm_hash_choice *)f)->choices.bytes;
}

static inline void hash_choice_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    blm_pick c = choice_of(s, h);
    blm_fetch(bits_of(f) + blm_place(h, blm_pick_next(&c), s->cells) / 8);
}

static inline bool hash_choice_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    blm_pick c = choice_of(s, h);
    (void)it;
    while (c.left)
        if (!blm_bit_get(bits_of(f), blm_place(h, blm_pick_next(&c), s->cells))) return false;
    return true;
}

static inline blm_err hash_choice_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_hash_choice *s = (blm_hash_choice *)f;
    blm_pick c = choice_of(s, h);
    uint64_t set = 0;
    (void)it;
    while (c.left) set += blm_bit_set(bits_of(f), blm_place(h, blm_pick_next(&c), s->cells));
    s->ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

BLM_BATCH(hash_choice)
BLM_BATCH_ADD(hash_choice, hash_choice_prefetch)

static size_t hash_choice_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                                size_t cap)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    const uint64_t group = blm_reduce(h.lo, s->groups);
    const size_t first = s->choices.width > 0; /* the group's choice is read before any bit */
    blm_pick c = choice_of(s, h);
    (void)it;
    if (first && cap) out[0] = (blm_touch){group, group * s->choices.width / 8, c.rank};
    for (size_t i = first; c.left && i < cap; i++) {
        const uint64_t at = blm_place(h, blm_pick_next(&c), s->cells);
        out[i] = (blm_touch){at, s->choices.bytes + at / 8, blm_bit_get(bits_of(f), at)};
    }
    return first + s->hashes;
}

/* ---- whole filters ------------------------------------------------------------------------ */

static blm_err hash_choice_build(blm_filter *f, const blm_rows *rows, blm_report *why)
{
    blm_hash_choice *s = (blm_hash_choice *)f;
    blm_region uses;
    if (blm_recell(f, &uses, blm_bits_bytes(s->cells) * 8))
        return blm_fail(why, BLM_E_NOMEM, "no memory to choose functions: %llu bytes, one a bit",
                        (unsigned long long)s->cells);
    s->choices.table = f->cells;
    blm_picks_make(&s->choices, rows, uses.cells, s->cells, s->passes);
    for (uint64_t i = 0; i < s->cells; i++)
        if (uses.cells[i]) s->ones += blm_bit_set(bits_of(f), i);
    s->built = rows->n;
    f->can |= s->built ? BLM_ADD : 0;
    s->before = s->ones;
    f->alloc.put(f->alloc.ctx, uses.cells, (size_t)uses.bytes);
    return BLM_OK;
}

static blm_err hash_choice_check(const blm_filter *f, blm_report *why)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    const blm_picks_of *t = &s->choices;
    const uint64_t ways = blm_picks(s->library, s->hashes), bytes = f->bytes - t->bytes;
    for (uint64_t group = 0; t->width && group < s->groups; group++)
        if (blm_packed_get(f->cells, t->bytes, t->width, group) >= ways)
            return blm_fail(why, BLM_E_IMAGE,
                            "damaged: a group's choice of functions is out of range");
    if ((t->width && !blm_packed_tail_zero(f->cells, t->bytes, t->width, s->groups)) ||
        !blm_bits_tail_zero(bits_of(f), bytes, s->cells))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last one is set");
    return blm_bits_count(bits_of(f), bytes) == s->ones
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: the number of ones differs from its field");
}

static blm_err hash_choice_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_hash_choice *a = (blm_hash_choice *)f;
    const blm_hash_choice *b = (const blm_hash_choice *)g;
    if (memcmp(f->cells, g->cells, (size_t)a->choices.bytes) != 0)
        return blm_fail(
            why, BLM_E_MISMATCH,
            "their groups chose different functions; build one filter from both sets instead");
    a->ones = blm_bits_or(bits_of(f), bits_of(g), f->bytes - a->choices.bytes);
    if (b->built > a->built) a->built = b->built, a->before = b->before;
    return BLM_OK;
}

const blm_kind blm_kind_hash_choice = {
    .name = "hash-choice",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_hash_choice),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .built_first = true,
    .fields = hash_choice_fields,
    .nfields = BLM_LEN(hash_choice_fields),
    .knobs = hash_choice_knobs,
    .nknobs = BLM_LEN(hash_choice_knobs),
    .plan = hash_choice_plan,
    .shape = hash_choice_shape,
    .check = hash_choice_check,
    .fpr = blm_hash_choice_fpr,
    .lines = blm_hash_choice_lines,
    .fill = blm_hash_choice_fill,
    .touch = hash_choice_touch,
    .has = hash_choice_has,
    .add = hash_choice_add,
    .prefetch_many = hash_choice_prefetch_many,
    .has_many = hash_choice_has_many,
    .add_many = hash_choice_add_many,
    .build = hash_choice_build,
    .merge = hash_choice_merge,
    .keys = blm_hash_choice_keys,
};

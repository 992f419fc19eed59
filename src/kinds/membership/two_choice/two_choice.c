/* two_choice.c - of two groups of bits, set the one that needs fewer new ones.
 *
 * QUESTION  Is the key in the set, with fewer bits than standard at low rates, for twice the reading?
 *
 * PICTURE   A key has C groups of k positions (C = 2 by default). add sets the group that already has the most
 *           ones; has says maybe when all bits of at least one group are set.
 *
 *           key ---> group A:  a1 a2 a3 a4     3 of them are zero
 *               ---> group B:  b1 b2 b3 b4     1 of them is zero: B is set
 *
 *           If has already says maybe, add changes nothing; if groups are equal, add sets the first.
 *
 * COST      At 10^6 keys 9.64 bits per key at 1 % (standard 9.60), 14.2 at 0.1 % (14.4), 18.7 at 10^-4 (19.2), 27.9 at
 *           10^-6 (28.8), with 1 to 2 more hashes. A non-member costs 4 cache lines, not 2, because every group
 *           must be seen to fail. An add reads all C k bits.
 *
 * CHOOSE    two-choice when memory is expensive, rates are low and queries are few. Warning: with fewer than 11 bits per
 *           key, that is above 0.5 %, it is worse than standard (2.32 % against 2.16 % at 8 bits per key), because more
 *           groups mean more ways to be wrong. Do not choose it to compare or intersect filters: which group a key took
 *           depends on the keys before it. So a union is safe but fuller than one filter of all keys, an intersection
 *           would lose keys, and the order of adds changes the bytes. Standard does all of this exactly.
 *
 * PAPER     Lumetta, Mitzenmacher: Using the power of two choices to improve Bloom filters, Internet Mathematics
 *           4(1), 2007. The rates are ours: the limit for large filters (an equation for the fraction of zeros)
 *           with its first correction, and for few keys the exact Markov chain of ones. By these rates two-choice and
 *           standard break even at 10.5 bits per key, 0.65 %.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/choices.h>
#include <math.h>

#include "core/kind.h"
#include "parts/bits.h"
#include "parts/flat.h"
#include "parts/probe.h"
#include "parts/wish.h"

typedef struct blm_two_choice {
    blm_flat flat;
    uint8_t choices;
} blm_two_choice;

enum { CHOSEN_MAX = BLM_THEORY_CHOSEN };

static const blm_field two_choice_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_two_choice, choices, BLM_F_SHAPE, 1, BLM_THEORY_CHOICES, "C, groups of k bits"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

static const blm_knobdef two_choice_knobs[] = {
    {"choices", "groups of hashes that each key chooses from", BLM_K_NUMBER, .def = 2, .min = 1,
     .max = BLM_THEORY_CHOICES},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err two_choice_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                               blm_report *why)
{
    blm_two_choice *t = (blm_two_choice *)f;
    const double choices = knobs->num[0];
    unsigned k = wish->hashes;
    if (choices != floor(choices))
        return blm_fail(why, BLM_E_ARG, "choices=%g: must be a whole number from 1 to %d", choices,
                        BLM_THEORY_CHOICES);
    t->choices = (uint8_t)choices;
    if (k * t->choices > CHOSEN_MAX)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u with choices=%u: the max product is %d; use at most %u hashes",
                        k, t->choices, CHOSEN_MAX, CHOSEN_MAX / t->choices);
    if (wish->bits) {
        t->flat.cells = wish->bits;
        if (!k) k = blm_best_hashes_choice(wish->bits, t->choices, wish->keys);
    } else if (!blm_size_choice(wish->keys, wish->fpr, t->choices, k, &t->flat.cells, &k)) {
        return blm_wish_beyond(wish, "2^60 bits", why);
    }
    t->flat.hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err two_choice_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_two_choice *t = (const blm_two_choice *)f;
    if (t->choices * t->flat.hashes > CHOSEN_MAX)
        return blm_fail(why, BLM_E_ARG, "%u choices of %u hashes: the max product is %d",
                        t->choices, t->flat.hashes, CHOSEN_MAX);
    return blm_flat_shape(f, bytes, why);
}

static blm_rate two_choice_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_two_choice *t = (const blm_two_choice *)f;
    const unsigned k = t->flat.hashes;
    if (c) {
        const blm_choice then = blm_choice_after(t->flat.cells, k, t->choices, c->keys);
        return (blm_rate){then.rate, then.rate, then.rate_sd};
    }
    const double p = blm_rate_choice_from_fill(blm_flat_fill(f), k, t->choices);
    return (blm_rate){p, p, 0};
}

/* A group is read up to its first zero; the next one when it had a zero. */
static double two_choice_lines(const blm_filter *f, const blm_case *c)
{
    const blm_two_choice *t = (const blm_two_choice *)f;
    const unsigned k = t->flat.hashes;
    const double fill =
        c ? blm_choice_after(t->flat.cells, k, t->choices, c->keys).fill : blm_flat_fill(f);
    return blm_probes_to_reject(fill, k) * blm_probes_to_reject(1 - pow(fill, k), t->choices);
}

static blm_err two_choice_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_two_choice *t = (const blm_two_choice *)f;
    const uint64_t m = t->flat.cells;
    const bool full = t->flat.ones >= m; /* then only a lower bound is known: one bit fewer */
    const uint64_t ones = full ? m - 1 : t->flat.ones;
    const double keys = blm_keys_from_fill_choice(ones, m, t->flat.hashes, t->choices);
    const double sd =
        blm_keys_sd_choice(m, t->flat.hashes, t->choices, (uint64_t)fmin(keys, 0x1p63));
    *n = (blm_estimate){keys, fmax(0, keys - sd), keys + sd, full};
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

/* The first probe of the first two groups: every group is read, each to its first zero. */
static inline void two_choice_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    blm_fetch(f->cells + blm_place(h, 0, s->cells) / 8);
    blm_fetch(f->cells + blm_place(h, s->hashes, s->cells) / 8);
}

/* An add reads all groups; more than 16 probes would leave the cache before their turn. */
static inline void two_choice_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_two_choice *t = (const blm_two_choice *)f;
    const unsigned n = t->choices * t->flat.hashes;
    for (unsigned i = 0; i < n && i < 16; i++)
        blm_fetch(f->cells + blm_place(h, i, t->flat.cells) / 8);
}

static inline bool two_choice_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_two_choice *t = (const blm_two_choice *)f;
    const unsigned k = t->flat.hashes;
    (void)it;
    for (unsigned g = 0; g < t->choices; g++) {
        unsigned i = 0;
        while (i < k && blm_bit_get(f->cells, blm_place(h, g * k + i, t->flat.cells))) i++;
        if (i == k) return true;
    }
    return false;
}

/* Distinct positions of a group that are zero. */
static unsigned two_choice_zeros(const uint8_t *cells, const uint64_t *at, unsigned k)
{
    unsigned zeros = 0;
    for (unsigned i = 0; i < k; i++) {
        if (blm_bit_get(cells, at[i])) continue;
        unsigned j = 0;
        while (at[j] != at[i]) j++;
        zeros += j == i;
    }
    return zeros;
}

static inline blm_err two_choice_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_two_choice *t = (blm_two_choice *)f;
    const unsigned k = t->flat.hashes;
    uint64_t at[CHOSEN_MAX];
    unsigned best = 0, fewest = k + 1;
    (void)it;
    for (unsigned i = 0; i < k * t->choices; i++) at[i] = blm_place(h, i, t->flat.cells);
    for (unsigned g = 0; fewest && g < t->choices; g++) { /* no zero: the key is there already */
        const unsigned zeros = two_choice_zeros(f->cells, at + (size_t)g * k, k);
        if (zeros < fewest) fewest = zeros, best = g;
    }
    for (unsigned i = 0; fewest && i < k; i++) blm_bit_set(f->cells, at[best * k + i]);
    t->flat.ones += fewest;
    *fresh = fewest > 0;
    return BLM_OK;
}

BLM_BATCH(two_choice)
BLM_BATCH_ADD(two_choice, two_choice_prefetch_all)

static size_t two_choice_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                               size_t cap)
{
    const blm_two_choice *t = (const blm_two_choice *)f;
    const unsigned all = t->choices * t->flat.hashes;
    (void)it;
    for (unsigned i = 0; i < all && i < cap; i++)
        out[i] = blm_flat_look(f, blm_place(h, i, t->flat.cells));
    return all;
}

const blm_kind blm_kind_two_choice = {
    .name = "two-choice",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_two_choice),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_IDEMPOTENT,
    .fields = two_choice_fields,
    .nfields = BLM_LEN(two_choice_fields),
    .knobs = two_choice_knobs,
    .nknobs = BLM_LEN(two_choice_knobs),
    .plan = two_choice_plan,
    .shape = two_choice_shape,
    .check = blm_flat_check,
    .fpr = two_choice_fpr,
    .lines = two_choice_lines,
    .fill = blm_flat_fill,
    .touch = two_choice_touch,
    .has = two_choice_has,
    .add = two_choice_add,
    .prefetch_many = two_choice_prefetch_many,
    .has_many = two_choice_has_many,
    .add_many = two_choice_add_many,
    .merge = blm_flat_merge,
    .keys = two_choice_keys,
    .adopt = blm_flat_adopt,
};

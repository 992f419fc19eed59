/* generalized.c - keys reset bits as well as set them.
 *
 * QUESTION  Is the key among those added recently, even if somebody else chose the initial bits?
 *
 * PICTURE   A key has k0 positions that it resets and k1 that it sets. has says maybe when all k0 read 0 and all
 *           k1 read 1.
 *
 *              g1      h1          h2  g2     h3
 *               v       v           v   v      v
 *           +---+---+---+---+---+---+---+---+---+
 *           | 0 | 1 | 1 | 0 | 0 | 0 | 1 | 0 | 1 |     m bits, whatever they were at first
 *           +---+---+---+---+---+---+---+---+---+
 *
 *           add sets first, then resets: a bit that is both is 0, and a query skips such a set position. Later keys
 *           overwrite earlier ones: it forgets instead of filling up, so add never fails with BLM_E_FULL. Only with
 *           zeros=0 or ones=0 is nothing overwritten, and the promises below hold; otherwise they are lost from the start.
 *
 * COST      About 2 k0 k1 / Fn bits per key, where the oldest of n keys is missed at Fn (fnr, 5 % by default), and the
 *           average key at half of that: 466 at 1 % (3 resets, 4 sets), 972 at 0.1 % (5, 5), 3894 at 10^-6 (10, 10):
 *           49, 68 and 135 times standard. A non-member costs 1 to 2 cache lines, a member k0 + k1.
 *
 * CHOOSE    generalized when the bits come from others: a packet, a digest, a routing table. The rate is at most
 *           Fp = (k0/k)^k0 (k1/k)^k1, k = k0 + k1, whatever they sent (blm_adopt), whereas a standard filter that is
 *           all ones says yes to every key. Choose k0 and k1 yourself, never let the sender: with k0 = 0 there is no
 *           bound. Fp is the mean over keys that the sender cannot foresee: whoever knows the hash can choose about
 *           m / k keys that will pass, so use a secret if those who add also query. For a set of your own choose
 *           standard or blocked (no misses, a fiftieth of the bits); generalized does not expire keys by time either.
 *
 * PAPER     Laufer, Velloso, Duarte: A generalized Bloom filter to secure distributed network applications, Computer
 *           Networks 55(8), 2011. A query skips a set position that the key also resets, as in their equations;
 *           by their text such a key would be missed for ever (0.8 % of keys at k0 = k1 = 2 in 512 bits). Their
 *           "never above Fp" holds for the mean over random bits if a key's positions differ; otherwise the rate
 *           exceeds it by a fraction of about k (k-1) / 2m. So positions are distinct where m < 64 k^2. One array with
 *           exactly the worst number of zeros still exceeds it by k / 2m, 1.64 %, not 1.56, at 3 and 3 in 64
 *           bits: where that matters (0.1 %), we promise the rate of that array. The survey of Tarkoma et al. swaps
 *           sets and resets in one place.
 */
#include <bloomery/theory/generalized.h>
#include <bloomery/trace.h>
#include <math.h>
#include <string.h>

#include "core/kind.h"
#include "cells.h"

static const blm_field generalized_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_resets, hashes, BLM_F_SHAPE, 1, BLM_RESETS_MAX, "k0 + k1, bits per key"),
    BLM_FIELD(blm_resets, resets, BLM_F_SHAPE, 0, BLM_RESETS_MAX, "k0, bits that a key resets"),
    BLM_FIELD(blm_resets, distinct, BLM_F_SHAPE, 0, 1, "1: the bits of a key differ"),
    BLM_FIELD(blm_resets, p0, BLM_F_SHAPE, 0, BLM_RESETS_SCALE, "initial zeros per 65536 bits"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
    BLM_FIELD(blm_resets, adopted, BLM_F_STATE, 0, 1, "1: the initial bits came from outside"),
};

enum { SET_START, SET_P0, SET_ZEROS, SET_ONES, SET_DISTINCT };
enum { FROM_ZEROS, FROM_ONES, FROM_RANDOM, DISTINCT_AUTO = 0, DISTINCT_ON, DISTINCT_OFF };
static const blm_knobdef generalized_knobs[] = {
    [SET_START] = {"start", "the initial bits", BLM_K_WORD, .def = FROM_ZEROS,
                   .words = "zeros|ones|random"},
    [SET_P0] = {"p0", "fraction of zeros for start=random", BLM_K_NUMBER, 0.5, 0, 1, NULL},
    [SET_ZEROS] = {"zeros", "bits that a key resets; default: from fpr, or from keys and bits",
                   BLM_K_NUMBER, 0, 0, BLM_RESETS_MAX, NULL},
    [SET_ONES] = {"ones", "bits that a key sets; default: from fpr, or from keys and bits",
                  BLM_K_NUMBER, 0, 0, BLM_RESETS_MAX, NULL},
    [SET_DISTINCT] = {"distinct", "make the k bits of a key differ; auto: if m < 64 k^2",
                      BLM_K_WORD, .def = DISTINCT_AUTO, .words = "auto|on|off"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err generalized_plan_start(blm_resets *s, const blm_knobs *knobs, blm_report *why)
{
    const unsigned start = (unsigned)knobs->num[SET_START];
    const double p0 = knobs->num[SET_P0];
    if (knobs->text[SET_P0] && start != FROM_RANDOM)
        return blm_fail(why, BLM_E_ARG,
                        "p0=%g: only start=random uses it; set start=random or omit p0", p0);
    s->p0 = start == FROM_RANDOM ? (uint32_t)round(p0 * BLM_RESETS_SCALE)
                                 : (start == FROM_ZEROS) * (uint32_t)BLM_RESETS_SCALE;
    return BLM_OK;
}

static blm_err generalized_plan_pair(blm_resets *s, const blm_config *wish, const blm_knobs *knobs,
                                     blm_report *why)
{
    const double given[2] = {knobs->num[SET_ZEROS], knobs->num[SET_ONES]};
    const bool is[2] = {knobs->text[SET_ZEROS], knobs->text[SET_ONES]};
    unsigned k[2] = {(unsigned)given[0], (unsigned)given[1]};
    if (given[0] != k[0] || given[1] != k[1] || k[0] + k[1] > BLM_RESETS_MAX)
        return blm_fail(why, BLM_E_ARG,
                        "zeros=%g, ones=%g: must be whole numbers whose sum is at most %d",
                        given[0], given[1], BLM_RESETS_MAX);
    if (!blm_generalized_pair(wish->fpr, wish->fnr > 0 ? wish->fnr : BLM_MISSES_DEFAULT,
                              wish->hashes, is[0], is[1], k))
        return blm_fail(
            why, BLM_E_ARG,
            "zeros=%u, ones=%u, hashes %u and fpr %.3g contradict each other: hashes must "
            "be zeros + ones, and a rate needs both above 0",
            k[0], k[1], wish->hashes, wish->fpr);
    if (!wish->bits && !(is[0] && is[1]) && blm_generalized_bound(k[0], k[1]) > wish->fpr)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: the rate is up to %.3g with zeros=%u, ones=%u, above fpr %.3g; "
                        "use more hashes, or omit them",
                        wish->hashes, blm_generalized_bound(k[0], k[1]), k[0], k[1], wish->fpr);
    if (s->p0 == (k[0] ? (uint32_t)BLM_RESETS_SCALE : 0) && !(k[0] && k[1]))
        return blm_fail(why, BLM_E_ARG,
                        "zeros=%u, ones=%u with initial bits of all %s: every answer would be yes",
                        k[0], k[1], k[0] ? "zeros" : "ones");
    s->hashes = (uint16_t)(k[0] + k[1]);
    s->resets = (uint16_t)k[0];
    return BLM_OK;
}

/* raw: k0, k1 and the bits are all given, so that the misses are what results, but for a rate that is asked for. */
static blm_err generalized_plan_cells(blm_resets *s, const blm_config *wish, bool raw,
                                      blm_report *why)
{
    const double fn = wish->fnr > 0 ? wish->fnr : BLM_MISSES_DEFAULT;
    const unsigned k0 = s->resets, k1 = blm_resets_sets(s);
    uint64_t min = 0;
    s->flat.cells = wish->bits;
    if (wish->bits && (raw || !wish->keys) && !(wish->fnr > 0)) return BLM_OK;
    if (!blm_resets_forget(s))
        return blm_fail(
            why, BLM_E_ARG,
            "zeros=%u, ones=%u: neither error is bounded; set bits too, or use standard", k0, k1);
    const bool some = blm_generalized_size(wish->keys, fn, k0, k1, &min);
    if (!some || (wish->bits && min > wish->bits))
        return blm_fail(why, BLM_E_ARG,
                        "%.4g keys, each with zeros=%u and ones=%u, at fnr %.3g need %.4g bits: %s",
                        (double)wish->keys, k0, k1, fn,
                        some ? (double)min : 2.0 * k0 * k1 / fn * (double)wish->keys,
                        some ? "there are fewer; set a higher fnr" : "the max is 2^60");
    if (!wish->bits) s->flat.cells = min;
    return BLM_OK;
}

static blm_err generalized_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                blm_report *why)
{
    blm_resets *s = (blm_resets *)f;
    const unsigned word = (unsigned)knobs->num[SET_DISTINCT];
    const char *const zeros = knobs->text[SET_ZEROS], *const ones = knobs->text[SET_ONES];
    const bool raw = (zeros && ones) || (wish->hashes && (zeros || ones));
    const bool tuned = !zeros && !ones && !wish->hashes;
    blm_config strict = *wish;
    blm_err err = generalized_plan_start(s, knobs, why);
    for (unsigned tries = 0; !err && tries < 16; tries++) {
        err = generalized_plan_pair(s, &strict, knobs, why);
        if (!err) err = generalized_plan_cells(s, wish, raw, why);
        const bool few = s->flat.cells < UINT64_C(64) * s->hashes * s->hashes;
        s->distinct = word == DISTINCT_AUTO ? few : word == DISTINCT_ON;
        if (err || !tuned || blm_resets_ceiling(f) <= wish->fpr) break;
        /* The worst array of so few bits passes the bound, and with it the rate: the next lower bound. */
        strict.fpr = blm_generalized_bound(s->resets, blm_resets_sets(s)) * (1 - 1e-9);
    }
    return err;
}

static blm_err generalized_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_resets *s = (const blm_resets *)f;
    if (s->resets > s->hashes)
        return blm_fail(why, BLM_E_ARG, "%u resets: a key has only %u bits", s->resets, s->hashes);
    if (s->distinct && s->flat.cells < s->hashes)
        return blm_fail(
            why, BLM_E_ARG,
            "%llu bits: too few for %u distinct bits per key; use more bits or distinct=off",
            (unsigned long long)s->flat.cells, s->hashes);
    if (blm_resets_forget(s)) f->lost |= f->kind->promises;
    const bool known = s->p0 == 0 || s->p0 == BLM_RESETS_SCALE; /* the first ones */
    if (s->adopted || !known) f->can &= ~(uint32_t)BLM_CARDINALITY;
    return blm_flat_shape(f, bytes, why);
}

/* ---- operations ------------------------------------------------------------------------- */

/* The first of each. */
static inline void generalized_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_resets *s = (const blm_resets *)f;
    blm_fetch(f->cells + blm_place(h, s->resets, s->flat.cells) / 8);
    blm_fetch(f->cells + blm_place(h, 0, s->flat.cells) / 8);
}

/* An add writes them all; more than 16 would leave the cache before their turn. */
static inline void generalized_each_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_resets *s = (const blm_resets *)f;
    for (unsigned i = 0; i < s->hashes && i < 16; i++)
        blm_fetch(f->cells + blm_place(h, i, s->flat.cells) / 8);
}

static inline bool generalized_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_resets *s = (const blm_resets *)f;
    const unsigned k0 = s->resets, k = s->hashes;
    uint64_t at[BLM_RESETS_MAX];
    blm_draw d;
    (void)it;
    blm_draw_begin(&d, k);
    for (unsigned i = 0; i < k0; i++) at[i] = blm_resets_place(s, h, &d, at, i);
    for (unsigned i = 0; i < k0 || k0 + i < k; i++) {
        if (k0 + i < k) {
            at[k0 + i] = blm_resets_place(s, h, &d, at, k0 + i);
            if (!blm_resets_right(s, at, k0 + i)) return false;
        }
        if (i < k0 && !blm_resets_right(s, at, i)) return false;
    }
    return true;
}

static inline blm_err generalized_each_add(blm_filter *f, blm_hash h, const blm_item *it,
                                           bool *fresh)
{
    blm_resets *s = (blm_resets *)f;
    uint64_t at[BLM_RESETS_MAX], set = 0, reset = 0;
    (void)it;
    blm_resets_places(s, h, at);
    for (unsigned i = s->resets; i < s->hashes; i++)
        if (!blm_resets_right(s, at, i)) set += blm_bit_set(f->cells, at[i]);
    for (unsigned i = 0; i < s->resets; i++) reset += blm_bit_clear(f->cells, at[i]);
    s->flat.ones += set - reset;
    *fresh = set || reset;
    return BLM_OK;
}

BLM_BATCH(generalized)
BLM_BATCH_ADD(generalized_each, generalized_each_prefetch)

const blm_kind blm_kind_generalized = {
    .name = "generalized",
    .group = "adaptive",
    .version = 1,
    .size = sizeof(blm_resets),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = generalized_fields,
    .nfields = BLM_LEN(generalized_fields),
    .knobs = generalized_knobs,
    .nknobs = BLM_LEN(generalized_knobs),
    .plan = generalized_plan,
    .shape = generalized_shape,
    .start = blm_resets_start,
    .check = blm_flat_check,
    .fpr = blm_resets_fpr,
    .fnr = blm_resets_fnr,
    .fpr_ceiling = blm_resets_ceiling,
    .lines = blm_resets_lines,
    .fill = blm_flat_fill,
    .touch = blm_resets_touch,
    .has = generalized_has,
    .add = generalized_each_add,
    .prefetch_many = generalized_prefetch_many,
    .has_many = generalized_has_many,
    .add_many = generalized_each_add_many,
    .no_merge_reason =
        "what one filter reset and another set cannot be told apart; add the keys again",
    .keys = blm_resets_keys,
    .adopt = blm_resets_adopt,
};

/* ---- traces ------------------------------------------------------------------------------ */

/* In doubt (no secret, a damaged chunk) blm_has_item has said yes. */
bool blm_has_wildcard(const blm_filter *f, const blm_item *it, const blm_item *later, size_t n)
{
    if (f->kind != &blm_kind_generalized || blm_has_item(f, it)) return true;
    return blm_resets_wild((const blm_resets *)f, it->h, later, n);
}

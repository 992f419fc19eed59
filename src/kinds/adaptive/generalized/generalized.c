/* generalized.c - keys reset bits as well as set them.
 *
 * QUESTION  Is the key among those that were added lately, even if a stranger chose the first bits?
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
 *           First sets, then resets: a bit that is both is 0, and such a set position is not asked for. Later keys
 *           overwrite earlier ones: it forgets instead of filling, so add never says full. Only with zeros=0 or ones=0
 *           is nothing overwritten, and are the promises below kept; they are lost from the start else.
 *
 * COST      About 2 k0 k1 / Fn bits a key, where the oldest of n keys is missed at Fn (fnr, 5 % unless it is said),
 *           and the mean one at half of that: 466 at 1 % (3 resets, 4 sets), 972 at 0.1 % (5, 5), 3894 at 10^-6 (10, 10):
 *           49, 68 and 135 times standard. 1 to 2 cache lines a stranger, k0 + k1 a member.
 *
 * CHOOSE    it when the bits come from others: a packet, a digest, a routing table. The rate is at most
 *           Fp = (k0/k)^k0 (k1/k)^k1, k = k0 + k1, whatever they sent (blm_adopt), where a standard filter that is
 *           all ones says yes to all. k0 and k1 are yours, never the sender's: with k0 = 0 there is no
 *           bound. Fp is the mean over keys that the sender cannot foresee: who knows the hash can choose some m / k keys
 *           and be believed, so use a secret where the one who adds is the one who asks. Not for a set of your own
 *           (standard, blocked: no misses, a fiftieth of the bits), nor to forget by time.
 *
 * PAPER     Laufer, Velloso, Duarte: A generalized Bloom filter to secure distributed network applications, Computer
 *           Networks 55(8), 2011. A set position that the key resets is not asked for, as their equations have it;
 *           by their text such a key would be missed for ever (0.8 % of keys at k0 = k1 = 2 in 512 bits). Their
 *           "never above Fp" holds in the mean over bits drawn by chance if a key's positions differ; else the rate
 *           passes it by a part of about k (k-1) / 2m. So positions are distinct where m < 64 k^2. One array with just
 *           the worst number of zeros still has a part of k / 2m more, 1.64 %, not 1.56, at 3 and 3 in 64
 *           bits: where that matters (0.1 %) the promise is the rate of that array. The survey of Tarkoma et al. has sets and resets the wrong way round in one place.
 */
#include <bloomery/theory.h>
#include <bloomery/trace.h>
#include <math.h>
#include <string.h>

#include "core/kind.h"
#include "cells.h"

static const blm_field generalized_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_resets, hashes, BLM_F_SHAPE, 1, BLM_RESETS_MOST, "k0 + k1, bits a key"),
    BLM_FIELD(blm_resets, resets, BLM_F_SHAPE, 0, BLM_RESETS_MOST, "k0, those that it resets"),
    BLM_FIELD(blm_resets, distinct, BLM_F_SHAPE, 0, 1, "1: the bits of a key differ"),
    BLM_FIELD(blm_resets, p0, BLM_F_SHAPE, 0, BLM_RESETS_SCALE, "first zeros, of 65536 bits"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
    BLM_FIELD(blm_resets, adopted, BLM_F_STATE, 0, 1, "1: the first bits came from others"),
};

enum { SET_START, SET_P0, SET_ZEROS, SET_ONES, SET_DISTINCT };
enum { FROM_ZEROS, FROM_ONES, FROM_RANDOM, DISTINCT_AUTO = 0, DISTINCT_ON, DISTINCT_OFF };
static const blm_knobdef generalized_knobs[] = {
    [SET_START] = {"start", "the first bits", BLM_K_WORD, .usual = FROM_ZEROS,
                   .words = "zeros|ones|random"},
    [SET_P0] = {"p0", "share of zeros of start=random", BLM_K_NUMBER, 0.5, 0, 1, NULL},
    [SET_ZEROS] = {"zeros",
                   "bits that a key resets; default: as fpr wants, or as keys and bits allow",
                   BLM_K_NUMBER, 0, 0, BLM_RESETS_MOST, NULL},
    [SET_ONES] = {"ones", "bits that a key sets; default: as fpr wants, or as keys and bits allow",
                  BLM_K_NUMBER, 0, 0, BLM_RESETS_MOST, NULL},
    [SET_DISTINCT] = {"distinct", "do the k bits of a key differ; auto: where m < 64 k^2",
                      BLM_K_WORD, .usual = DISTINCT_AUTO, .words = "auto|on|off"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err generalized_plan_start(blm_resets *s, const blm_knobs *knobs, blm_report *why)
{
    const unsigned start = (unsigned)knobs->num[SET_START];
    const double p0 = knobs->num[SET_P0];
    if (knobs->text[SET_P0] && start != FROM_RANDOM)
        return blm_fail(why, BLM_E_ARG, "p0=%g: it belongs to start=random", p0);
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
    if (given[0] != k[0] || given[1] != k[1] || k[0] + k[1] > BLM_RESETS_MOST)
        return blm_fail(why, BLM_E_ARG, "zeros=%g, ones=%g: whole numbers, %d in all at most",
                        given[0], given[1], BLM_RESETS_MOST);
    if (!blm_generalized_pair(wish->fpr, wish->fnr > 0 ? wish->fnr : BLM_MISSES_USUAL, wish->hashes,
                              is[0], is[1], k))
        return blm_fail(why, BLM_E_ARG,
                        "zeros=%u and ones=%u, hashes %u, fpr %.3g do not agree: hashes are zeros "
                        "and ones, and without one of them no rate is kept",
                        k[0], k[1], wish->hashes, wish->fpr);
    if (!wish->bits && !(is[0] && is[1]) && blm_generalized_bound(k[0], k[1]) > wish->fpr)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: the rate is up to %.3g with zeros=%u, ones=%u, above fpr %.3g; "
                        "more hashes, or leave them out",
                        wish->hashes, blm_generalized_bound(k[0], k[1]), k[0], k[1], wish->fpr);
    if (s->p0 == (k[0] ? (uint32_t)BLM_RESETS_SCALE : 0) && !(k[0] && k[1]))
        return blm_fail(why, BLM_E_ARG,
                        "zeros=%u, ones=%u on a start of all %s: every answer would be yes", k[0],
                        k[1], k[0] ? "zeros" : "ones");
    s->hashes = (uint16_t)(k[0] + k[1]);
    s->resets = (uint16_t)k[0];
    return BLM_OK;
}

/* raw: k0, k1 and the bits are all given, so that the misses are what results, but for a rate that is asked for. */
static blm_err generalized_plan_cells(blm_resets *s, const blm_config *wish, bool raw,
                                      blm_report *why)
{
    const double fn = wish->fnr > 0 ? wish->fnr : BLM_MISSES_USUAL;
    const unsigned k0 = s->resets, k1 = blm_resets_sets(s);
    uint64_t least = 0;
    s->flat.cells = wish->bits;
    if (wish->bits && (raw || !wish->keys) && !(wish->fnr > 0)) return BLM_OK;
    if (!blm_resets_forget(s))
        return blm_fail(why, BLM_E_ARG,
                        "zeros=%u, ones=%u: no bound of any error; say bits= too, or take standard",
                        k0, k1);
    const bool some = blm_generalized_size(wish->keys, fn, k0, k1, &least);
    if (!some || (wish->bits && least > wish->bits))
        return blm_fail(why, BLM_E_ARG,
                        "%.4g keys, each with zeros=%u and ones=%u, at fnr %.3g want %.4g bits: %s",
                        (double)wish->keys, k0, k1, fn,
                        some ? (double)least : 2.0 * k0 * k1 / fn * (double)wish->keys,
                        some ? "there are fewer; say a higher fnr=" : "2^60 at most");
    if (!wish->bits) s->flat.cells = least;
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
        if (err || !tuned || blm_resets_top(f) <= wish->fpr) break;
        /* The worst array of so few bits passes the bound, and with it the rate: the next lower bound. */
        strict.fpr = blm_generalized_bound(s->resets, blm_resets_sets(s)) * (1 - 1e-9);
    }
    return err;
}

static blm_err generalized_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_resets *s = (const blm_resets *)f;
    if (s->resets > s->hashes)
        return blm_fail(why, BLM_E_ARG, "%u resets of %u bits a key", s->resets, s->hashes);
    if (s->distinct && s->flat.cells < s->hashes)
        return blm_fail(why, BLM_E_ARG, "%llu bits: a key has %u that differ; or distinct=off",
                        (unsigned long long)s->flat.cells, s->hashes);
    if (blm_resets_forget(s)) f->lost |= f->kind->promises;
    const bool known = s->p0 == 0 || s->p0 == BLM_RESETS_SCALE; /* the first ones */
    if (s->adopted || !known) f->can &= ~(uint32_t)BLM_SIZE;
    return blm_flat_shape(f, bytes, why);
}

/* ---- operations ------------------------------------------------------------------------- */

/* The first of each. */
static inline void generalized_near(const blm_filter *f, blm_hash h)
{
    const blm_resets *s = (const blm_resets *)f;
    blm_fetch(f->cells + blm_place(h, s->resets, s->flat.cells) / 8);
    blm_fetch(f->cells + blm_place(h, 0, s->flat.cells) / 8);
}

/* An add writes them all; more than 16 would leave the cache before their turn. */
static inline void generalized_each_near(const blm_filter *f, blm_hash h)
{
    const blm_resets *s = (const blm_resets *)f;
    for (unsigned i = 0; i < s->hashes && i < 16; i++)
        blm_fetch(f->cells + blm_place(h, i, s->flat.cells) / 8);
}

static inline bool generalized_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_resets *s = (const blm_resets *)f;
    const unsigned k0 = s->resets, k = s->hashes;
    uint64_t at[BLM_RESETS_MOST];
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
    uint64_t at[BLM_RESETS_MOST], set = 0, reset = 0;
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
BLM_BATCH_ADD(generalized_each, generalized_each_near)

const blm_kind blm_kind_generalized = {
    .name = "generalized",
    .group = "adaptive",
    .version = 1,
    .size = sizeof(blm_resets),
    .needs = BLM_N_HASH64 | BLM_N_LO,
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
    .top = blm_resets_top,
    .lines = blm_resets_lines,
    .fill = blm_flat_fill,
    .touch = blm_resets_touch,
    .has = generalized_has,
    .add = generalized_each_add,
    .near_many = generalized_near_many,
    .has_many = generalized_has_many,
    .add_many = generalized_each_add_many,
    .alone = "what one filter reset and another set cannot be told apart; add the keys again",
    .keys = blm_resets_keys,
    .adopt = blm_resets_adopt,
};

/* ---- traces ------------------------------------------------------------------------------ */

/* In doubt (no secret, a damaged chunk) blm_has_item has said yes. */
bool blm_has_wild(const blm_filter *f, const blm_item *it, const blm_item *later, size_t n)
{
    if (f->kind != &blm_kind_generalized || blm_has_item(f, it)) return true;
    return blm_resets_wild((const blm_resets *)f, it->h, later, n);
}

/* exp_decaying.c - traces of keys that fade with each hop, so that a question can follow them uphill.
 *
 * QUESTION  Behind which of my neighbours does this key lie, and about how many hops away?
 *
 * PICTURE   One array of m bits for all distances. A key sets k bits; each hop keeps one in d of all ones, chosen by a hash of
 *           the bit, the number of the hop and the seed. theta is the number of ones among the k bits of a key.
 *
 *              at the holder  1 1 1 1 1 1 1 1     theta 8           ^ a question follows the highest theta
 *              one hop        1 . 1 . . 1 . 1     about k / d       |
 *              two hops       . . 1 . . . . 1     about k / d^2     |
 *
 *           has says yes when at least the planned number of ones is there, and get is theta. tick(now) fades by now - (the
 *           time before) hops. merge is an OR; the filter whose time is earlier first fades until the other's. To export:
 *           copy, tick, merge. In each round a node begins with an empty filter, ticks it to the number of the round, adds its
 *           own keys, and merges what its neighbours sent in the round before, which fades by one hop on the way:
 *
 *              blm_clear(f);  blm_tick(f, round);  blm_add(f, ...);  blm_merge(f, from_a, &why);  blm_merge(f, from_b, &why);
 *
 *           Which bits fade is fixed for a round, so traces that are sent again in the same round are the same bits.
 *
 * COST      179 bits per key at 1 %, 245 at 0.1 %, 537 at 10^-6, with k = 32, d = 2 and keys that are seen one hop away: theta
 *           at least 11 of 32. Of those 2.5 % are missed one hop away (at most fnr, 5 % by default), 85 % two hops away. keys are
 *           those of all nodes within reach. The bits grow steeply with the reach: hops=2 takes 1185 bits per key with
 *           k = 32, 920 with k = 64; fade=4 theta=8 takes 312. A non-member costs 26 cache lines. On average
 *           theta = k (d^-r + (1 - d^-r) a) after r hops, where a is the share of ones of others: for k = 32, d = 4, a = 0.1
 *           that is 32, 10.4, 5 and 3.65. A hop takes log2 d random words per 64 bits where d is a power of two, else 8:
 *           24 ms for 2^28 bits, half of them ones, with d = 2 or 4, and 91 ms with d = 3. A tick ends as soon as no ones are
 *           left, and 1024 hops or more at once leave none: 10^12 hops take 7 ms.
 *
 * CHOOSE    exp-decaying when filters travel, and must say less the farther they have come: routing of queries among
 *           peers, one filter per link instead of one per distance. For "did it come lately?" choose window, and for strengths
 *           that fade with time time-decaying: both take a small part of these bits. theta of one key is a hint, no
 *           distance: its standard deviation is sqrt(k p (1 - p)), 2.8 of 16 after the first hop with d = 2.
 *
 * PAPER     Kumar, Xu, Zegura: Efficient and scalable query routing for unstructured P2P networks, INFOCOM 2005. Their threshold,
 *           k a + 3 sqrt(k a (1 - a)), 8.3 for k = 32 and a = 0.1, follows from a; here the threshold follows from fnr and
 *           hops (or is the knob theta), and a from fpr. d = 1 keeps all: then it is standard, and merges are plain ORs.
 */
#include "cells.h"
#include "parts/anywhere.h"
#include "parts/staged.h"

static const blm_field exp_decaying_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_fading, theta, BLM_F_SHAPE, 1, 64, "ones among the k of a key that is there"),
    BLM_FIELD(blm_fading, fade, BLM_F_SHAPE, 1, FADE_MAX, "d; a hop keeps one in d of the ones"),
    BLM_FIELD(blm_fading, hops, BLM_F_SHAPE, 1, FADE_HOPS_MAX, "hops that a key is to be seen"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

static const blm_knobdef exp_decaying_knobs[] = {
    [KNOB_FADE] = {"fade", "d: a hop keeps one in d of the ones; 1 keeps all", BLM_K_NUMBER,
                   .def = 2, .min = 1, .max = FADE_MAX},
    [KNOB_HOPS] = {"hops", "hops from which a key is still seen", BLM_K_NUMBER, .def = 1, .min = 1,
                   .max = FADE_HOPS_MAX},
    [KNOB_THETA] = {"theta", "ones that has() needs; without it what a key has left after `hops`",
                    BLM_K_NUMBER, .def = 0, .min = 1, .max = 64},
};

static blm_err exp_decaying_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_fading *s = (const blm_fading *)f;
    if (s->theta > s->flat.hashes)
        return blm_fail(why, BLM_E_ARG, "theta=%u: a key has %u bits", s->theta, s->flat.hashes);
    return blm_flat_shape(f, bytes, why);
}

static uint64_t exp_decaying_window(const blm_filter *f) { return ((const blm_fading *)f)->hops; }

#define exp_decaying_prefetch blm_enough_prefetch

static inline bool exp_decaying_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)it, blm_enough(f, h, ((const blm_fading *)f)->theta);
}

static blm_err exp_decaying_get(const blm_filter *f, blm_hash h, const blm_item *it,
                                uint64_t *value)
{
    const unsigned ones = blm_enough_count(f, h);
    (void)it;
    if (ones < ((const blm_fading *)f)->theta) return BLM_E_ABSENT;
    *value = ones;
    return BLM_OK;
}

BLM_BATCH(exp_decaying)

const blm_kind blm_kind_exp_decaying = {
    .name = "exp-decaying",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_fading),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT,
    .clock = BLM_CLOCK_STEPS,
    .fields = exp_decaying_fields,
    .nfields = BLM_LEN(exp_decaying_fields),
    .knobs = exp_decaying_knobs,
    .nknobs = BLM_LEN(exp_decaying_knobs),
    .plan = blm_fading_plan,
    .shape = exp_decaying_shape,
    .check = blm_flat_check,
    .fpr = blm_fading_fpr,
    .fnr = blm_fading_fnr,
    .lines = blm_fading_lines,
    .fill = blm_flat_fill,
    .window = exp_decaying_window,
    .touch = blm_flat_touch,
    .has = exp_decaying_has,
    .add = blm_anywhere_add,
    .prefetch_many = exp_decaying_prefetch_many,
    .has_many = exp_decaying_has_many,
    .add_many = blm_staged_add_many,
    .get = exp_decaying_get,
    .tick = blm_fading_tick,
    .merge = blm_fading_merge,
};

/* variable_signature.c - keys whose strength grows bit by bit, and fades stripe by stripe.
 *
 * QUESTION  Has this key come lately, and how strong is it, where keys gain strength as they come?
 *
 * PICTURE   A key has k bits in a fixed order. Its signature is the first t of them; a member has at least q ones.
 *
 *                 k = 6, q = 4      h1  h2  h3  h4  h5  h6
 *                 add with t = 4     1   1   1   1   .   .      just a member
 *                 put with t = 5     1   1   1   1   1   .      may lose one bit
 *                 del                1   1   1   .   .   .      the last bits first, until q - 1 are one
 *
 *              stripes   |  cleared next  |   |   |   |  cleared last  |      S stripes, one per step, in turn
 *
 *           add sets the first t bits (the argument of the key; all k without one). get is the number of ones, the length of
 *           the signature. put makes it at least that long, by the first bits that are zero: get, add 1, put, for each packet
 *           of a flow. It also begins a signature, and takes nothing away. The knob least is the shortest one that is legal:
 *           with least=1 flows may begin with one bit, and are members from q bits on; below least get says ABSENT.
 *           tick(now) clears one stripe per step, and all of them in S steps; `now` counts steps of your own, such as seconds.
 *
 * COST      82 bits per key at 1 %, 116 at 0.1 %, 220 at 10^-6, for the keys of window + 1 steps: eight times what standard
 *           takes, because each stripe keeps its bits for S steps, and keys need slack. A non-member costs 9 cache lines at
 *           1 % (k = 15, q = 10). What clearing costs a key is binomial; of S = 64 stripes, at 1 %, it misses full signatures:
 *
 *             age in steps       4        8       12 (window)   16       24       32       40
 *             missed           0.02 %   0.7 %     4.6 %        15 %     52 %     85 %     98 %
 *
 *           The window is the age at which 5 %, or the fnr that you wish, of the keys with all k bits are missed; keys that
 *           come at the same time keep others up, so these are upper limits. fnr=1% makes it 8 steps, and 113 bits per key.
 *           More stripes divide time more finely: stripes=256 has a window of 46 steps for 85 bits per key.
 *
 * CHOOSE    variable-signature when you need the strength itself: members that survive the loss of some bits, flows
 *           that become members by coming often, deletes without counters. A delete also takes bits of others: what had
 *           no slack is missed then, and "no" is no longer certain, as after the first step. Therefore del says ABSENT
 *           only until the first delete, and OK after it. If you only ask whether a key came within the last minutes, choose
 *           window: a fifth of the bits, and no misses within it. If you count how often a key came, choose time-decaying or
 *           counting. With least below q a key may be missed from the start.
 *
 * PAPER     Lu, Prabhakar, Bonomi: Bloom filters: design innovations and novel applications, Allerton 2005. Where q = t = k it
 *           is standard, bit by bit. The paper's strengthen is put with the length after it; two thirds of the bits as q
 *           is our default, and at most 6 % above the fewest bits of all pairs of k and q. Which bits of a key lie in the cleared
 *           stripes is chance, so no age is safe for certain: all k may lie in one stripe.
 */
#include "cells.h"

static const blm_field variable_signature_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits of a full signature"),
    BLM_FIELD(blm_signatures, ask, BLM_F_SHAPE, 1, 64, "q, ones among the k of a member"),
    BLM_FIELD(blm_signatures, least, BLM_F_SHAPE, 1, 64, "the shortest signature of a key"),
    BLM_FIELD(blm_signatures, stripes, BLM_F_SHAPE, 1, STRIPES_MAX, "S; a step clears one of them"),
    BLM_FIELD(blm_signatures, window, BLM_F_SHAPE, 0, STRIPES_MAX,
              "steps that a key of k bits stays, but for the planned misses"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
    BLM_FIELD(blm_signatures, reset, BLM_F_STATE, 0, BLM_ADDS_MAX,
              "bits that deletes have reset since all were zero"),
};

static const blm_knobdef variable_signature_knobs[] = {
    [KNOB_ASK] = {"ask", "ones that a member needs; without it two thirds of the bits",
                  BLM_K_NUMBER, .def = 0, .min = 1, .max = 64},
    [KNOB_LEAST] = {"least", "the shortest signature that a key may get; without it `ask`",
                    BLM_K_NUMBER, .def = 0, .min = 1, .max = 64},
    [KNOB_STRIPES] = {"stripes", "parts of the array; each step clears one", BLM_K_NUMBER,
                      .def = 64, .min = 1, .max = STRIPES_MAX},
};

static blm_err variable_signature_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_signatures *s = (const blm_signatures *)f;
    if (s->ask > s->flat.hashes || s->least > s->flat.hashes)
        return blm_fail(why, BLM_E_ARG, "ask=%u, least=%u: a signature has %u bits", s->ask,
                        s->least, s->flat.hashes);
    if (s->stripes > s->flat.cells || s->window >= s->stripes)
        return blm_fail(why, BLM_E_ARG, "%u stripes, a window of %u steps: not of %llu bits",
                        s->stripes, s->window, (unsigned long long)s->flat.cells);
    return blm_flat_shape(f, bytes, why);
}

static void variable_signature_args(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    *min = ((const blm_signatures *)f)->least;
    *max = ((const blm_flat *)f)->hashes;
}

static uint64_t variable_signature_window(const blm_filter *f)
{
    return ((const blm_signatures *)f)->window;
}

/* ---- one key ---------------------------------------------------------------------------------- */

#define variable_signature_prefetch blm_enough_prefetch

static inline bool variable_signature_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)it, blm_enough(f, h, ((const blm_signatures *)f)->ask);
}

/* Sets the i-th bit of the key; returns 1 when it was zero. */
static inline unsigned signature_set(blm_signatures *s, blm_hash h, unsigned i)
{
    const unsigned set = blm_bit_set(s->flat.base.cells, blm_place(h, i, s->flat.cells));
    s->flat.ones += set;
    return set;
}

static inline blm_err variable_signature_add(blm_filter *f, blm_hash h, const blm_item *it,
                                             bool *fresh)
{
    blm_signatures *s = (blm_signatures *)f;
    const unsigned t = blm_signature_bits(s, it->arg);
    unsigned set = 0;
    for (unsigned i = 0; i < t; i++) set += signature_set(s, h, i);
    *fresh = set > 0;
    return BLM_OK;
}

/* Sets bits that are zero, in order, until as many as the number are one; of a shorter number nothing is taken away. */
static blm_err variable_signature_put(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_signatures *s = (blm_signatures *)f;
    const unsigned t = blm_signature_bits(s, it->arg), k = s->flat.hashes;
    unsigned ones = blm_enough_count(f, h);
    for (unsigned i = 0; i < k && ones < t; i++) ones += signature_set(s, h, i);
    return BLM_OK;
}

static blm_err variable_signature_get(const blm_filter *f, blm_hash h, const blm_item *it,
                                      uint64_t *value)
{
    const unsigned ones = blm_enough_count(f, h);
    (void)it;
    if (ones < ((const blm_signatures *)f)->least) return BLM_E_ABSENT;
    *value = ones;
    return BLM_OK;
}

/* Resets bits, the last one first, until too few are one. After deletes a key that is not there may be one that they took
 * along: it has left then. */
static inline blm_err variable_signature_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_signatures *s = (blm_signatures *)f;
    unsigned ones = blm_enough_count(f, h);
    uint64_t gone = 0;
    (void)it;
    if (ones < s->ask) return s->reset ? BLM_OK : BLM_E_ABSENT;
    for (unsigned i = s->flat.hashes; i-- > 0 && ones >= s->ask; ones = blm_enough_count(f, h))
        gone += blm_bit_clear(f->cells, blm_place(h, i, s->flat.cells));
    s->flat.ones -= gone < s->flat.ones ? gone : s->flat.ones;
    s->reset = blm_sum_below(s->reset, gone, BLM_ADDS_MAX);
    return BLM_OK;
}

BLM_BATCH(variable_signature)
BLM_BATCH_ADD(variable_signature, variable_signature_prefetch)
BLM_BATCH_DEL(variable_signature, variable_signature_prefetch)

const blm_kind blm_kind_variable_signature = {
    .name = "variable-signature",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_signatures),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT,
    .clock = BLM_CLOCK_STEPS,
    .fields = variable_signature_fields,
    .nfields = BLM_LEN(variable_signature_fields),
    .knobs = variable_signature_knobs,
    .nknobs = BLM_LEN(variable_signature_knobs),
    .arg = {"length", "bits of the key that are set, in order", 64, 1, 64, BLM_AGAIN_MAX},
    .args = variable_signature_args,
    .plan = blm_signatures_plan,
    .shape = variable_signature_shape,
    .check = blm_flat_check,
    .fpr = blm_signatures_fpr,
    .fnr = blm_signatures_fnr,
    .lines = blm_signatures_lines,
    .fill = blm_flat_fill,
    .window = variable_signature_window,
    .touch = blm_flat_touch,
    .has = variable_signature_has,
    .add = variable_signature_add,
    .prefetch_many = variable_signature_prefetch_many,
    .has_many = variable_signature_has_many,
    .add_many = variable_signature_add_many,
    .del_many = variable_signature_del_many,
    .del = variable_signature_del,
    .get = variable_signature_get,
    .put = variable_signature_put,
    .tick = blm_signatures_tick,
    .merge = blm_signatures_merge,
};

/* compressed.c - a Bloom filter that is planned to be sent.
 *
 * QUESTION  Is the key in the set, if the filter travels, and what is sent matters more than the memory at both ends?
 *
 * PICTURE   More bits and fewer hashes: most bits are zero, and a coder sends them in fewer bits than there are.
 *
 *             standard    |1|0|1|1|0|1|0|0|1|1|             half of them ones: coded as large as it is
 *             compressed  |0|0|1|0|0|0|0|0|0|0|1|0|0|0|0|0|1|0|0|     ->  gaps 2, 7, 5, ...: smaller
 *
 *           In memory it is a standard filter, and answers as one. m bits, a fraction q of them zero, are coded in
 *           z = m H(q) bits, H(q) = -q log2 q - (1 - q) log2(1 - q).
 *
 * COST      Bits per key in memory, bits per key on the wire, and hashes:
 *
 *             rate      standard    compressed              compressed with memory=M
 *             1 %        9.6        19.0    8.9    k = 2     99.5    8.0    k = 1    M = 100
 *             0.1 %     14.4        28.5   13.4    k = 3     62.2   12.6    k = 2    M = 63
 *             10^-6     28.8        76.8   26.1    k = 5    124.5   25.2    k = 4    M = 125
 *
 *           A query for a non-member reads 1.1 cache lines, a member as many as there are hashes.
 *           Say keys and a rate: the plan has the fewest bits on the wire, in at most 4 times the memory of standard, or
 *           in memory=M bits per key. Or say keys and send=SIZE, the size on the wire: the plan has the lowest rate, in
 *           at most 4 times SIZE of memory; 1.7 % for 8 bits per key, where standard has 2.2 %, and 1.03 % with
 *           memory=100. bits= is the memory, as for every kind, never what is sent: alone it makes a filter like
 *           standard, and coding saves nothing.
 *
 * CHOOSE    compressed if filters are sent and both ends have memory to spare: it sends 7 to 9 % less than standard, 12 to
 *           16 % with much memory. Choose blocked or standard if nothing is sent. No filter of rate p is
 *           sent in less than log2(1/p) bits per key.
 *
 * PAPER     Mitzenmacher: Compressed Bloom filters, IEEE/ACM Transactions on Networking 10(5), 2002. Its k is chosen by
 *           hand; ours is the best one that the memory allows. At a fixed size on the wire, k = (m/n) ln 2 is the worst.
 */
#include <bloomery/theory/compressed.h>
#include <math.h>

#include "core/kind.h"
#include "core/one.h"
#include "parts/anywhere.h"
#include "parts/staged.h"
#include "parts/wish.h"

static const blm_field compressed_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

enum { COMPRESSED_MEMORY, COMPRESSED_SEND };
static const blm_knobdef compressed_knobs[] = {
    [COMPRESSED_MEMORY] = {"memory",
                           "max bits of memory per key; without it, 4 times what standard needs, "
                           "or 4 times what is sent",
                           BLM_K_NUMBER, .def = 0, .min = 1, .max = 0x1p53},
    [COMPRESSED_SEND] = {"send", "what may be sent: the lowest rate is planned, not the given one",
                         BLM_K_SIZE, .def = 0, .min = 1, .max = 0x1p60},
};

/* ---- plan ------------------------------------------------------------------------------ */

/* Keys and a size on the wire: the lowest rate. */
static blm_err compressed_to_send(blm_flat *s, const blm_config *wish, const blm_knobs *knobs,
                                  double memory, blm_report *why)
{
    const double keys = (double)wish->keys, send = knobs->num[COMPRESSED_SEND];
    const char *text = knobs->text[COMPRESSED_SEND];
    unsigned k = 0;
    if (send < keys || !wish->keys)
        return blm_fail(why, BLM_E_ARG,
                        "send=%.40s: %.4g bits for %.4g keys; must be at least 1 "
                        "bit per key",
                        text, send, keys);
    double most = memory > 0 ? memory * keys : 4 * send;
    if (wish->bits) most = fmin(most, (double)wish->bits);
    if (!blm_fit_coded(wish->keys, send, most, wish->hashes, &s->cells, &k))
        return blm_fail(why, BLM_E_ARG,
                        "send=%.40s: %u hashes would set more than half of the bits; at %.3g bits "
                        "per key use at most %.0f",
                        text, wish->hashes, send / keys, fmax(1, floor(send / keys * 0.6931)));
    s->hashes = (uint8_t)k;
    return BLM_OK;
}

/* Keys and a rate: the fewest bits on the wire. */
static blm_err compressed_to_keep(blm_flat *s, const blm_config *wish, double memory,
                                  blm_report *why)
{
    uint64_t plain = 0;
    unsigned k = wish->hashes;
    if (!blm_size_for(wish->keys, wish->fpr, k, true, &plain, &k))
        return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
    const double keys = (double)wish->keys, most = memory > 0 ? memory * keys : 4 * (double)plain;
    if (!blm_size_coded(wish->keys, wish->fpr, most, wish->hashes, &s->cells, &k))
        return blm_fail(why, BLM_E_ARG,
                        "memory=%g: %.4g keys at fpr %.3g need at least %.4g bits per key", memory,
                        keys, wish->fpr, (double)plain / keys);
    const uint64_t round = blm_foldable(s->cells, UINT64_C(1) << 20);
    if ((double)round <= most) s->cells = round;
    s->hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err compressed_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                               blm_report *why)
{
    blm_flat *s = (blm_flat *)f;
    const double memory = knobs->text[COMPRESSED_MEMORY] ? knobs->num[COMPRESSED_MEMORY] : 0;
    if (knobs->text[COMPRESSED_SEND]) return compressed_to_send(s, wish, knobs, memory, why);
    if (!wish->bits) return compressed_to_keep(s, wish, memory, why);
    blm_config less = *wish;
    if (memory > 0 && memory * (double)wish->keys < (double)wish->bits && wish->keys)
        less.bits = (uint64_t)fmax(1, memory * (double)wish->keys);
    return blm_flat_plan(f, &less, knobs, why);
}

/* ---- operations ------------------------------------------------------------------------- */

#define compressed_prefetch   blm_anywhere_prefetch
#define compressed_has        blm_anywhere_has
#define compressed_add        blm_anywhere_add
#define compressed_put_shared blm_anywhere_put_shared
BLM_PREFETCH(compressed)
BLM_ONE_OF(compressed)
BLM_BATCH_SHARED(compressed, blm_flat)

const blm_kind blm_kind_compressed = {
    .name = "compressed",
    .group = "growing",
    .version = 1,
    .size = sizeof(blm_flat),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = compressed_fields,
    .nfields = BLM_LEN(compressed_fields),
    .knobs = compressed_knobs,
    .nknobs = BLM_LEN(compressed_knobs),
    .plan = compressed_plan,
    .shape = blm_flat_shape,
    .check = blm_flat_check,
    .fpr = blm_flat_fpr,
    .lines = blm_flat_lines,
    .fill = blm_flat_fill,
    .touch = blm_flat_touch,
    .has = compressed_has,
    .add = compressed_add,
    .one = compressed_one,
    .prefetch_many = compressed_prefetch_many,
    .has_many = blm_staged_has_many,
    .has_u64 = blm_staged_has_u64,
    .add_many = blm_staged_add_many,
    .add_u64 = blm_staged_add_u64,
    .add_shared = compressed_add_shared,
    .merge = blm_flat_merge,
    .intersect = blm_flat_intersect,
    .half = blm_flat_half,
    .fold = blm_flat_fold,
    .keys = blm_flat_size,
    .overlap = blm_flat_overlap_one,
    .adopt = blm_flat_adopt,
};

/* layered.c - one Bloom filter for each time that a key is added.
 *
 * QUESTION  How often was the key added: never, once, twice, up to `layers` times?
 *
 * PICTURE   Each layer is a standard filter with its own hashes. add puts a key into the first layer that
 *           does not have it; its count is the number of layers, from the first on, that have it.
 *
 *              plum for the third time:   layer 1  |.1..1...1.|   has it
 *                                         layer 2  |1...1..1..|   has it
 *                                         layer 3  |.....1....|   does not have it: here it goes
 *                                         layer 4  |..........|
 *
 *           A key that all layers have is not put anywhere: it was added `layers` times or more.
 *
 * COST      `layers` times the bits of standard: 77 per key at 1 % with 8 layers, 29 with 3. shrink=2 says that
 *           of the keys added t times at most one in 2 is added again, and halves each layer: 19 bits per key
 *           with 8 layers; shrink=4: 13. has reads layer 1; count and add of a key that was added t times read
 *           t + 1 layers. A count is too high when a layer mistakes the key for another one. Of the keys that were
 *           added t times, between f(t + 1) and 1 - (1 - f(1)) ... (1 - f(t + 1)) are counted too high, where f(i) is
 *           the rate of layer i at the end; with all layers as full as planned at 1 %, from 1 to 1 + t %.
 *
 * CHOOSE    layered for "the second or third time", where few keys are added again: shrink=4 takes a third more bits
 *           than standard. Choose counting when keys are deleted or filters are merged (38 bits per key count up to
 *           14), and spectral or count-min when counts are large. If more keys are added again than `shrink` says,
 *           counts rise; they never fall below the truth.
 *
 * PAPER     Cen, Xu, Sun: A Multi-layer Bloom Filter for Duplicated URL Detection, ICACTE 2010. A survey defines
 *           the count as the deepest layer that has the key; but a hit after a gap is noise, so here the first
 *           gap ends the count.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "core/kind.h"
#include "parts/bits.h"
#include "parts/flat.h"
#include "parts/probe.h"
#include "parts/wish.h"

enum { LAYERED_MAX = 16 };

typedef struct blm_layered {
    blm_flat first;                                 /* layer 1, and the k of all      */
    uint64_t above;                                 /* ones of all other layers       */
    uint8_t layers, shrink;                         /* layer i + 1 has m / shrink^i   */
    uint64_t bits[LAYERED_MAX], start[LAYERED_MAX]; /* by shape: in bits, and in bytes */
} blm_layered;

static const blm_field layered_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 58, "m, the bits of layer 1"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key in a layer"),
    BLM_FIELD(blm_layered, layers, BLM_F_SHAPE, 1, LAYERED_MAX,
              "number of layers: it counts up to this"),
    BLM_FIELD(blm_layered, shrink, BLM_F_SHAPE, 1, 16, "factor by which each layer is smaller"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 58, "bits of layer 1 that are one"),
    BLM_FIELD(blm_layered, above, BLM_F_STATE, 0, UINT64_C(1) << 62,
              "bits of all other layers that are one"),
};

enum { LAYERED_LAYERS, LAYERED_SHRINK };
static const blm_knobdef layered_knobs[] = {
    [LAYERED_LAYERS] = {"layers", "number of layers: it counts up to this", BLM_K_NUMBER, .def = 8,
                        .min = 1, .max = LAYERED_MAX},
    [LAYERED_SHRINK] = {"shrink", "one key in this many is added again: layers shrink by it",
                        BLM_K_NUMBER, .def = 1, .min = 1, .max = 16},
};

/* ---- theory ---------------------------------------------------------------------------- */

/* Lays out the layers one after the other, in whole words; returns their bytes. */
static uint64_t layered_lay(blm_layered *s)
{
    uint64_t end = 0, m = s->first.cells;
    for (unsigned i = 0; i < s->layers; i++, m = (m + s->shrink - 1) / s->shrink) {
        s->bits[i] = m;
        s->start[i] = blm_section(&end, (m + 63) / 64, 64, 8);
    }
    return end;
}

/* The largest layer 1 with which all layers fit. */
static blm_err layered_fit(blm_layered *s, uint64_t bits, blm_report *why)
{
    uint64_t low = 0, high = bits + 1;
    const uint64_t bytes = (bits + 63) / 64 * 8;
    while (high - low > 1) {
        s->first.cells = low + (high - low) / 2;
        *(layered_lay(s) <= bytes ? &low : &high) = s->first.cells;
    }
    s->first.cells = low;
    if (low) return BLM_OK;
    return blm_fail(why, BLM_E_ARG, "bits %llu: too few; each of the %u layers needs at least 64",
                    (unsigned long long)bits, (unsigned)s->layers);
}

static blm_err layered_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why)
{
    blm_layered *s = (blm_layered *)f;
    unsigned k = wish->hashes;
    for (size_t i = 0; i < BLM_LEN(layered_knobs); i++)
        if (knobs->num[i] != floor(knobs->num[i]))
            return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number from 1 to 16",
                            layered_knobs[i].name, knobs->num[i]);
    s->layers = (uint8_t)knobs->num[LAYERED_LAYERS];
    s->shrink = (uint8_t)knobs->num[LAYERED_SHRINK];
    if (wish->bits) {
        const blm_err err = layered_fit(s, wish->bits, why);
        if (err) return err;
        if (!k) k = blm_best_hashes(s->first.cells, wish->keys);
    } else if (!blm_size_for(wish->keys, wish->fpr, k, true, &s->first.cells, &k)) {
        return blm_wish_beyond(wish, "2^60 bits or 64 hashes per layer", why);
    }
    s->first.hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err layered_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_layered *s = (blm_layered *)f;
    *bytes = layered_lay(s);
    if (s->first.ones > s->first.cells || s->above > *bytes * 8)
        return blm_fail(why, BLM_E_ARG, "more bits are one than the filter has");
    return BLM_OK;
}

static blm_err layered_check(const blm_filter *f, blm_report *why)
{
    const blm_layered *s = (const blm_layered *)f;
    uint64_t ones = 0, above = 0;
    for (unsigned i = 0; i < s->layers; i++) {
        const uint64_t bytes = (s->bits[i] + 63) / 64 * 8;
        if (!blm_bits_tail_zero(f->cells + s->start[i], bytes, s->bits[i]))
            return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last one of layer %u is set",
                            i + 1);
        *(i ? &above : &ones) += blm_bits_count(f->cells + s->start[i], bytes);
    }
    return ones == s->first.ones && above == s->above
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE,
                          "damaged: the numbers of ones differ from their fields");
}

static uint64_t layered_max(const blm_filter *f)
{
    return ((const blm_layered *)f)->layers - UINT64_C(1);
}

/* ---- operations ------------------------------------------------------------------------- */

static inline blm_hash layered_salted(blm_hash h, unsigned layer)
{
    return layer ? blm_resalt(h, layer) : h;
}

static inline bool layered_layer_has(const blm_layered *s, blm_hash h, unsigned layer)
{
    const uint8_t *cells = s->first.base.cells + s->start[layer];
    h = layered_salted(h, layer);
    for (unsigned i = 0; i < s->first.hashes; i++)
        if (!blm_bit_get(cells, blm_place(h, i, s->bits[layer]))) return false;
    return true;
}

/* How many layers, from the first on, have the key. */
static inline unsigned layered_depth(const blm_layered *s, blm_hash h)
{
    unsigned layer = 0;
    while (layer < s->layers && layered_layer_has(s, h, layer)) layer++;
    return layer;
}

static inline void layered_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_layered *s = (const blm_layered *)f;
    for (unsigned i = 0; i < 2; i++) blm_fetch(f->cells + blm_place(h, i, s->first.cells) / 8);
}

/* For a count of a member, the whole first layer; more than 16 would leave the cache before their turn. */
static inline void layered_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_layered *s = (const blm_layered *)f;
    for (unsigned i = 0; i < s->first.hashes && i < 16; i++)
        blm_fetch(f->cells + blm_place(h, i, s->first.cells) / 8);
}

static inline bool layered_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)it;
    return layered_layer_has((const blm_layered *)f, h, 0);
}

static inline blm_err layered_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_layered *s = (blm_layered *)f;
    const unsigned layer = layered_depth(s, h);
    (void)it;
    *fresh = layer == 0;
    if (layer == s->layers)
        return BLM_OK; /* it came more often than there are layers: count tells */
    const blm_hash own = layered_salted(h, layer);
    uint64_t set = 0;
    for (unsigned i = 0; i < s->first.hashes; i++)
        set += blm_bit_set(f->cells + s->start[layer], blm_place(own, i, s->bits[layer]));
    *(layer ? &s->above : &s->first.ones) += set;
    return BLM_OK;
}

BLM_BATCH(layered)
BLM_BATCH_ADD(layered, layered_prefetch)

/* Never below the truth, up to the last layer; how far above it, nobody knows. */
static inline blm_err layered_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                    blm_estimate *n)
{
    const blm_layered *s = (const blm_layered *)f;
    const unsigned depth = layered_depth(s, h);
    const bool bound = depth == s->layers;
    (void)it;
    *n = (blm_estimate){depth, 0, bound ? (double)INFINITY : depth, bound};
    return BLM_OK;
}

BLM_BATCH_COUNT(layered, layered_prefetch_all)

const blm_kind blm_kind_layered = {
    .name = "layered",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_layered),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW,
    .fields = layered_fields,
    .nfields = BLM_LEN(layered_fields),
    .knobs = layered_knobs,
    .nknobs = BLM_LEN(layered_knobs),
    .plan = layered_plan,
    .shape = layered_shape,
    .check = layered_check,
    .fpr = blm_flat_fpr,
    .lines = blm_flat_lines,
    .fill = blm_flat_fill,
    .max_count = layered_max,
    .counts_by = {"layers", 1},
    .touch = blm_flat_touch,
    .has = layered_has,
    .add = layered_add,
    .prefetch_many = layered_prefetch_many,
    .has_many = layered_has_many,
    .add_many = layered_add_many,
    .count_many = layered_count_many,
    .count = layered_count,
    .no_merge_reason =
        "a key of both is in the first layers of each, and their union has it no oftener than the "
        "larger count; count it in one filter",
    .keys = blm_flat_size,
};

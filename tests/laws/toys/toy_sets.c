/* toy_sets.c - many sets in one array of bits.
 * QUESTION  Is the key in the set with this number?
 * PICTURE   one Bloom filter; a key of set s is hashed anew with s, so that it has other bits in each set.
 * COST      that of one filter for the pairs of key and set; a set by itself costs nothing.
 * CHOOSE    it to see how a knob (`sets`) limits the numbers of keys, and a key that is there once with each of them.
 * PAPER     none: it is a standard filter of pairs. */
#include <bloomery/theory.h>
#include "core/kind.h"
#include "parts/bits.h"
#include "parts/probe.h"
typedef struct blm_toy_sets {
    blm_filter base;
    uint64_t bits;
    uint8_t hashes, sets;
} blm_toy_sets;
static const blm_field toy_sets_fields[] = {
    BLM_FIELD(blm_toy_sets, bits, BLM_F_SHAPE, 64, UINT64_C(1) << 58, "a multiple of 64"),
    BLM_FIELD(blm_toy_sets, hashes, BLM_F_SHAPE, 1, 64, "bits per key"),
    BLM_FIELD(blm_toy_sets, sets, BLM_F_SHAPE, 1, 64, "numbers of sets, from 0")};
static const blm_knobdef toy_sets_knobs[] = {{"sets", "how many", BLM_K_NUMBER, 5, 1, 64, NULL}};
static blm_err toy_sets_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *y)
{
    blm_toy_sets *t = (blm_toy_sets *)f;
    uint64_t m = c->bits / 64 * 64;
    unsigned h = c->hashes ? c->hashes : blm_best_hashes(m, c->keys);
    if (!c->bits && !blm_size_for(c->keys, c->fpr, c->hashes, true, &m, &h))
        return blm_fail(y, BLM_E_ARG, "%g keys at fpr %g: too large", (double)c->keys, c->fpr);
    if (c->bits && c->bits < 64) return blm_fail(y, BLM_E_ARG, "bits: at least 64");
    return t->bits = (m + 63) / 64 * 64, t->hashes = (uint8_t)h, t->sets = (uint8_t)k->num[0],
           BLM_OK;
}
static blm_err toy_sets_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const uint64_t bits = ((const blm_toy_sets *)f)->bits;
    *bytes = bits / 8;
    return bits % 64 ? blm_fail(why, BLM_E_ARG, "bits are whole words") : BLM_OK;
}
static void toy_sets_args(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    *min = 0;
    *max = ((const blm_toy_sets *)f)->sets - 1u;
}
static blm_rate toy_sets_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_toy_sets *t = (const blm_toy_sets *)f;
    const double p = c ? blm_rate_exact(t->bits, t->hashes, c->keys)
                       : blm_rate_from_fill(blm_bits_count(f->cells, f->bytes), t->bits, t->hashes);
    return (blm_rate){p, p, c ? blm_rate_sd(t->bits, t->hashes, c->keys) : 0};
}
static blm_hash toy_sets_hash(blm_hash h, const blm_item *it) /* without a number: set 0 */
{
    return blm_resalt(h, 1 + (it->arg == BLM_NO_ARG ? 0 : it->arg));
}
static bool toy_sets_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_toy_sets *t = (const blm_toy_sets *)f;
    const blm_hash own = toy_sets_hash(h, it);
    for (unsigned i = 0; i < t->hashes; i++)
        if (!blm_bit_get(f->cells, blm_place(own, i, t->bits))) return false;
    return true;
}
static blm_err toy_sets_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    const blm_toy_sets *t = (const blm_toy_sets *)f;
    const blm_hash own = toy_sets_hash(h, it);
    unsigned set = 0;
    for (unsigned i = 0; i < t->hashes; i++)
        set += blm_bit_set(f->cells, blm_place(own, i, t->bits));
    return *fresh = set > 0, BLM_OK;
}
// clang-format off
const blm_kind blm_kind_toy_sets = {.name = "toy-sets", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_sets), .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = toy_sets_fields, .nfields = BLM_LEN(toy_sets_fields), .knobs = toy_sets_knobs,
    .nknobs = BLM_LEN(toy_sets_knobs), .arg = {"set", "which one", 0, 0, 63, BLM_AGAIN_EACH},
    .plan = toy_sets_plan, .shape = toy_sets_shape, .args = toy_sets_args, .fpr = toy_sets_fpr,
    .has = toy_sets_has, .add = toy_sets_add};

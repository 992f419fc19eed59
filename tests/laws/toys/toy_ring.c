/* toy_ring.c - the last minutes.
 * QUESTION  Was this key added during the last two slices of time?
 * PICTURE   | now | before | oldest |  a filter a slice; a tick into a new slice clears the oldest.
 * COST      three filters of `keys` keys (the keys of a slice) at fpr / 3; a miss reads 3 lines.
 * CHOOSE    it to see sections and time: a key added now stays for 2 to 3 slices of `slice` ms.
 * PAPER     Chang, Feng, Li: Approximate caches for packet classification, INFOCOM 2004. */
#include <bloomery/theory.h>
#include "core/kind.h"
#include "parts/bits.h"
#include "parts/probe.h"
typedef struct blm_toy_ring {
    blm_filter base;
    uint64_t bits, slice, at[3]; /* at: offsets of the sections */
    uint8_t hashes;
} blm_toy_ring;
static const blm_field toy_ring_fields[] = {
    BLM_FIELD(blm_toy_ring, bits, BLM_F_SHAPE, 64, UINT64_C(1) << 58, "of one slice"),
    BLM_FIELD(blm_toy_ring, slice, BLM_F_SHAPE, 1, UINT64_C(1) << 53, "ms"),
    BLM_FIELD(blm_toy_ring, hashes, BLM_F_SHAPE, 1, 64, "bits a key")};
static const blm_knobdef toy_ring_knobs[] = {{"slice", "ms", BLM_K_TIME, 6e4, 1, 0x1p53, NULL}};
static blm_err toy_ring_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *y)
{
    blm_toy_ring *t = (blm_toy_ring *)f;
    uint64_t m = c->bits / 192 * 64;
    unsigned h = c->hashes ? c->hashes : blm_best_hashes(m, c->keys);
    if (!c->bits && !blm_size_for(c->keys, c->fpr / 3, c->hashes, true, &m, &h))
        return blm_fail(y, BLM_E_ARG, "%g keys at fpr %g: too large", (double)c->keys, c->fpr);
    return t->bits = (m + 63) / 64 * 64, t->hashes = (uint8_t)h, t->slice = (uint64_t)k->num[0],
           BLM_OK;
}
static blm_err toy_ring_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_toy_ring *t = (blm_toy_ring *)f;
    *bytes = 0;
    for (int i = 0; i < 3; i++) t->at[i] = blm_section(bytes, t->bits / 64, 64, 8);
    return t->bits % 64 ? blm_fail(why, BLM_E_ARG, "a slice is whole words") : BLM_OK;
}
static blm_rate toy_ring_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_toy_ring *t = (const blm_toy_ring *)f;
    double no = 1 - (c ? blm_rate_exact(t->bits, t->hashes, c->keys) : 0); /* all in one slice */
    for (int i = 0; !c && i < 3; i++)
        no *= 1 - blm_rate_from_fill(blm_bits_count(f->cells + t->at[i], f->bytes / 3), t->bits,
                                     t->hashes);
    return (blm_rate){1 - no, 1 - no, c ? blm_rate_sd(t->bits, t->hashes, c->keys) : 0};
}
static blm_rate toy_ring_fnr(const blm_filter *f, const blm_case *c)
{
    return (blm_rate){0, c && c->gap > 2 * ((const blm_toy_ring *)f)->slice, 0};
}
static bool toy_ring_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_toy_ring *t = (const blm_toy_ring *)f;
    unsigned hits = 0;
    for (int s = 0; s < 3 && hits < t->hashes; s++)
        for (hits = 0; hits < t->hashes; hits++)
            if (!blm_bit_get(f->cells + t->at[s], blm_place(h, hits, t->bits))) break;
    return (void)it, hits == t->hashes;
}
static blm_err toy_ring_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    const blm_toy_ring *t = (const blm_toy_ring *)f;
    uint8_t *cells = f->cells + t->at[f->now / t->slice % 3];
    *fresh = !toy_ring_has(f, h, it);
    for (unsigned i = 0; i < t->hashes; i++) blm_bit_set(cells, blm_place(h, i, t->bits));
    return BLM_OK;
}
static blm_err toy_ring_tick(blm_filter *f, uint64_t now)
{
    const blm_toy_ring *t = (const blm_toy_ring *)f;
    for (uint64_t past = f->now / t->slice, s = past; s < now / t->slice && s - past < 3; s++)
        memset(f->cells + t->at[(s + 1) % 3], 0, (size_t)(f->bytes / 3));
    return BLM_OK;
}
static uint64_t toy_ring_window(const blm_filter *f)
{
    return 2 * ((const blm_toy_ring *)f)->slice;
}
// clang-format off
const blm_kind blm_kind_toy_ring = {.name = "toy-ring", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_ring), .promises = BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = toy_ring_fields, .nfields = BLM_LEN(toy_ring_fields), .knobs = toy_ring_knobs,
    .nknobs = 1, .plan = toy_ring_plan, .shape = toy_ring_shape, .fpr = toy_ring_fpr,
    .fnr = toy_ring_fnr, .has = toy_ring_has, .add = toy_ring_add, .tick = toy_ring_tick,
    .clock = BLM_CLOCK_MS, .window = toy_ring_window};

/* toy_parts.c - the hashes of a fixed set, in parts that are built apart.
 * QUESTION  Is the key in a fixed set?
 * PICTURE   parts of | how many, 8 bytes | hashes in order, 8 bytes each | places that are left |.
 * COST      64 bits per key and a little; a question is one search in one part.
 * CHOOSE    it to see how a kind is built in parts, by several threads: one that runs out of room makes all parts larger.
 * PAPER     none: it is a sorted table. */
#include "core/kind.h"
#include "core/bytes.h"
#include "core/mul128.h"
#ifndef TOY_PARTS_MARK
#define TOY_PARTS_MARK(rows) 0
#endif
typedef struct blm_toy_parts {
    blm_filter base;
    uint64_t shards, places, members;
} blm_toy_parts;
static const blm_field toy_parts_fields[] = {
    BLM_FIELD(blm_toy_parts, shards, BLM_F_SHAPE, 1, 1 << 24, "parts"),
    BLM_FIELD(blm_toy_parts, places, BLM_F_SHAPE, 1, UINT64_C(1) << 30, "places in each"),
    BLM_FIELD(blm_toy_parts, members, BLM_F_STATE, 0, UINT64_C(1) << 54, "keys")};
static const blm_knobdef toy_parts_knobs[] = {
    {"shards", "parts; 0: one for 100 keys", BLM_K_NUMBER, .def = 0, .min = 0, .max = 1e6}};
static blm_err toy_parts_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *y)
{
    blm_toy_parts *t = (blm_toy_parts *)f;
    const uint64_t keys = c->keys ? c->keys : c->bits / 80, most = (keys + 99) / 100;
    t->shards = k->num[0] > 0 ? (uint64_t)k->num[0] : most ? most : 1;
    t->places = keys / t->shards + 8;
    if (t->shards > 1 << 24 || t->places > 1 << 30 ||
        (c->bits && (t->places + 1) * t->shards > c->bits / 64))
        return blm_fail(y, BLM_E_ARG, "bits: 64 per key, and 576 for each of %llu parts",
                        (unsigned long long)t->shards);
    return BLM_OK;
}
static blm_err toy_parts_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_toy_parts *t = (const blm_toy_parts *)f;
    *bytes = t->shards * (t->places + 1) * 8;
    return t->members <= t->shards * t->places
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: more keys than places");
}
static blm_rate toy_parts_fpr(const blm_filter *f, const blm_case *c)
{
    return (blm_rate){0, (double)(c ? c->keys : f->adds) * 0x1p-64, 0}; /* one hash, two keys */
}
static uint8_t *toy_parts_at(const blm_filter *f, uint64_t part)
{
    return f->cells + part * (((const blm_toy_parts *)f)->places + 1) * 8;
}
static bool toy_parts_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_toy_parts *t = (const blm_toy_parts *)f;
    const uint8_t *p = toy_parts_at(f, blm_reduce(h.lo, t->shards));
    uint64_t from = 0, to = blm_le64(p) & UINT32_MAX;
    if (to > t->places) to = t->places;
    while (from < to) {
        const uint64_t mid = from + (to - from) / 2, here = blm_le64(p + 8 + mid * 8);
        if (here == h.lo) return true;
        if (here < h.lo)
            from = mid + 1;
        else
            to = mid;
    }
    return (void)it, false;
}
static uint64_t toy_parts_parts(const blm_filter *f) { return ((const blm_toy_parts *)f)->shards; }
static blm_err toy_parts_build_part(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *y)
{
    uint8_t *p = toy_parts_at(f, i);
    if (rows->n > ((const blm_toy_parts *)f)->places) return (void)y, BLM_E_BUILD;
    blm_put64(p, rows->n | (uint64_t)TOY_PARTS_MARK(rows) << 32);
    for (size_t row = 0; row < rows->n; row++) blm_put64(p + 8 + row * 8, rows->lo[row]);
    return BLM_OK;
}
static blm_err toy_parts_widen(blm_filter *f, blm_report *why)
{
    blm_toy_parts *t = (blm_toy_parts *)f;
    if (t->places > f->capacity) return blm_fail(why, BLM_E_BUILD, "the parts are large enough");
    t->places += t->places / 2;
    return BLM_OK;
}
static blm_err toy_parts_built(blm_filter *f, uint64_t n, blm_report *why)
{
    ((blm_toy_parts *)f)->members = n;
    return (void)why, BLM_OK;
}
#ifndef TOY_PARTS_BROKEN
// clang-format off
const blm_kind blm_kind_toy_parts = {.name = "toy-parts", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_parts), .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO | BLM_NEEDS_SALTS,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT, .fields = toy_parts_fields,
    .nfields = BLM_LEN(toy_parts_fields), .knobs = toy_parts_knobs, .nknobs = BLM_LEN(toy_parts_knobs),
    .plan = toy_parts_plan, .shape = toy_parts_shape, .fpr = toy_parts_fpr, .has = toy_parts_has,
    .parts = toy_parts_parts, .build_part = toy_parts_build_part, .widen = toy_parts_widen,
    .built = toy_parts_built};
#endif

/* toy_map.c - a number with each key.
 * QUESTION  Which value was stored with this key?
 * PICTURE   slots of | hash, 16 bytes | value + 1 |, 0: empty; a key lies in the first free of 128.
 * COST      384 bits per key; at the planned load (half the slots) a miss reads 2.5 of them.
 * CHOOSE    it to see how a kind has values, a list and an end of its room (none of 128 is free).
 * PAPER     Knuth: The Art of Computer Programming 3, section 6.4, algorithm L. */
#include "core/kind.h"
#include "core/bytes.h"
#include "parts/probe.h"
typedef struct blm_toy_map {
    blm_filter base;
    uint64_t slots;
} blm_toy_map;
static const blm_field toy_map_fields[] = {
    BLM_FIELD(blm_toy_map, slots, BLM_F_SHAPE, 1, UINT64_C(1) << 57, "places for a key")};
static blm_err toy_map_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *why)
{
    const uint64_t fit = c->bits / 192, few = c->keys ? 2 * c->keys : fit;
    if (c->bits && few > fit) return (void)k, blm_fail(why, BLM_E_ARG, "bits: 384 a key");
    ((blm_toy_map *)f)->slots = few;
    return BLM_OK;
}
static blm_err toy_map_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    *bytes = ((const blm_toy_map *)f)->slots * 24;
    return (void)why, BLM_OK;
}
static blm_rate toy_map_fpr(const blm_filter *f, const blm_case *c)
{
    return (blm_rate){0, (double)(c ? c->keys : f->adds) * 0x1p-128, 0}; /* one hash, two keys */
}
/* The slot of the key, else the first free one; NULL when there is neither. */
static uint8_t *toy_map_slot(const blm_filter *f, blm_hash h)
{
    const uint64_t slots = ((const blm_toy_map *)f)->slots, first = blm_place(h, 0, slots);
    for (uint64_t i = 0; i < slots && i < 128; i++) {
        uint8_t *s = f->cells + (first + i < slots ? first + i : first + i - slots) * 24;
        if (!blm_le64(s + 16) || (blm_le64(s) == h.lo && blm_le64(s + 8) == h.hi)) return s;
    }
    return NULL;
}
static blm_err toy_map_get(const blm_filter *f, blm_hash h, const blm_item *it, uint64_t *value)
{
    const uint8_t *s = toy_map_slot(f, h);
    if (!s || !blm_le64(s + 16)) return (void)it, BLM_E_ABSENT;
    *value = blm_le64(s + 16) - 1;
    return BLM_OK;
}
static bool toy_map_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    uint64_t value;
    return toy_map_get(f, h, it, &value) == BLM_OK &&
           (it->arg == BLM_NO_ARG || it->arg == value); /* with an arg: has it that value? */
}
static blm_err toy_map_which(const blm_filter *f, blm_hash h, const blm_item *it,
                             const uint64_t *sets, size_t n, uint8_t *yes)
{
    uint64_t value;
    const bool inside = toy_map_get(f, h, it, &value) == BLM_OK;
    for (size_t i = 0; i < n; i++) yes[i] = inside && sets[i] == value;
    return BLM_OK;
}
static blm_err toy_map_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    uint8_t *s = toy_map_slot(f, h);
    if (!s) return BLM_E_FULL;
    *fresh = !blm_le64(s + 16);
    blm_put64(s, h.lo), blm_put64(s + 8, h.hi), blm_put64(s + 16, it->arg + 1);
    return BLM_OK;
}
static blm_err toy_map_put(blm_filter *f, blm_hash h, const blm_item *it)
{
    return toy_map_add(f, h, it, &(bool){false});
}
static blm_err toy_map_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why)
{
    const size_t room = out ? *n : 0;
    (void)why, *n = 0;
    for (const uint8_t *s = f->cells; s < f->cells + f->bytes; s += 24) {
        const blm_item it = {{blm_le64(s), blm_le64(s + 8)}, NULL, 0, blm_le64(s + 16) - 1};
        if (it.arg != BLM_NO_ARG && (*n)++ < room) out[*n - 1] = it;
    }
    return BLM_OK;
}
// clang-format off
const blm_kind blm_kind_toy_map = {.name = "toy-map", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_map), .needs = BLM_NEEDS_HASH128, .promises = BLM_NO_MISS | BLM_IDEMPOTENT,
    .fields = toy_map_fields, .nfields = BLM_LEN(toy_map_fields), .plan = toy_map_plan,
    .arg = {"value", "what to keep", 0, 0, UINT64_MAX - 1, BLM_AGAIN_CONFLICT}, .shape = toy_map_shape,
    .fpr = toy_map_fpr, .has = toy_map_has, .add = toy_map_add, .get = toy_map_get,
    .put = toy_map_put, .which = toy_map_which, .list = toy_map_list};

/* broken_built_as_added_whole.c - A key that is built with two numbers keeps the first one only.
 *
 * Built whole out of rows of key and number, each of which must be found: a table of pairs. */
#include "core/kind.h"
#include "core/bytes.h"
typedef struct pairs {
    blm_filter base;
    uint64_t slots, used;
} pairs;
static const blm_field fields[] = {
    BLM_FIELD(pairs, slots, BLM_F_SHAPE, 1, UINT64_C(1) << 57, "places for a pair"),
    BLM_FIELD(pairs, used, BLM_F_STATE, 0, UINT64_C(1) << 57, "pairs")};
static blm_err plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *why)
{
    (void)k;
    if (c->bits && c->bits / 192 < c->keys) return blm_fail(why, BLM_E_ARG, "bits: 192 per key");
    ((pairs *)f)->slots = c->bits ? c->bits / 192 : c->keys;
    return ((pairs *)f)->slots ? BLM_OK : blm_fail(why, BLM_E_ARG, "bits: too few");
}
static blm_err shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const pairs *p = (const pairs *)f;
    *bytes = p->slots * 24;
    return p->used <= p->slots ? BLM_OK : blm_fail(why, BLM_E_IMAGE, "damaged: too many pairs");
}
static blm_rate fpr(const blm_filter *f, const blm_case *c)
{
    return (blm_rate){0, (double)(c ? c->keys : f->adds) * 0x1p-128, 0};
}
static bool has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const pairs *p = (const pairs *)f;
    for (const uint8_t *s = f->cells; s < f->cells + 24 * p->used; s += 24)
        if (blm_le64(s) == h.lo && blm_le64(s + 8) == h.hi &&
            (it->arg == BLM_NO_ARG || blm_le64(s + 16) == it->arg))
            return true;
    return false;
}
static blm_err build(blm_filter *f, const blm_rows *lists, blm_report *why)
{
    pairs *p = (pairs *)f;
    const blm_rows *r = &lists[0];
    if (r->n > p->slots) return blm_fail(why, BLM_E_FULL, "too few places");
    for (size_t i = 0; i < r->n; i++) {
        const bool again = i && r->lo[i] == r->lo[i - 1] && r->hi[i] == r->hi[i - 1];
        if (again) continue; /* wrong: its number is another one */
        uint8_t *s = f->cells + 24 * p->used++;
        blm_put64(s, r->lo[i]), blm_put64(s + 8, r->hi[i]), blm_put64(s + 16, r->arg[i]);
    }
    return BLM_OK;
}
const blm_kind blm_kind_broken_built_as_added_whole = {
    .name = "broken-built-as-added-whole",
    .group = "broken",
    .version = 1,
    .size = sizeof(pairs),
    .needs = BLM_NEEDS_HASH128,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = fields,
    .nfields = BLM_LEN(fields),
    .arg = {"set", "where the key is", 0, 0, 5, BLM_AGAIN_EACH},
    .plan = plan,
    .shape = shape,
    .fpr = fpr,
    .has = has,
    .build = build,
};

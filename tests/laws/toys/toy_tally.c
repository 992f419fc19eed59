/* toy_tally.c - how much of each key came, built once.
 * QUESTION  What do the weights of this key add up to, those of the list `more` included?
 * PICTURE   slots of | hash, 16 bytes | sum |, members in the order of their hashes, then those of `more`.
 * COST      192 bits per key, and 64 slots for keys of `more`; a question is two binary searches.
 * CHOOSE    it to see how a kind that is built whole gets one row per key, with the sum of its numbers.
 * PAPER     none: it is a sorted table. */
#include "core/kind.h"
#include "core/bytes.h"
typedef struct blm_toy_tally {
    blm_filter base;
    uint64_t slots, members, more;
} blm_toy_tally;
static const blm_field toy_tally_fields[] = {
    BLM_FIELD(blm_toy_tally, slots, BLM_F_SHAPE, 1, UINT64_C(1) << 57, "places for a key"),
    BLM_FIELD(blm_toy_tally, members, BLM_F_STATE, 0, UINT64_C(1) << 57, "keys"),
    BLM_FIELD(blm_toy_tally, more, BLM_F_STATE, 0, UINT64_C(1) << 57, "keys of the list")};
static const blm_listdef toy_tally_lists[] = {
    {"more", "further weights, of members and others", true, BLM_AGAIN_SUM}};
static blm_err toy_tally_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *y)
{
    const uint64_t fit = c->bits / 192, few = c->keys ? c->keys + 64 : fit;
    if (c->bits && few > fit) return (void)k, blm_fail(y, BLM_E_ARG, "bits: 192 per key");
    ((blm_toy_tally *)f)->slots = few;
    return BLM_OK;
}
static blm_err toy_tally_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_toy_tally *t = (const blm_toy_tally *)f;
    *bytes = t->slots * 24;
    if (t->members > t->slots || t->more > t->slots - t->members)
        return blm_fail(why, BLM_E_IMAGE, "damaged: more keys than slots");
    return BLM_OK;
}
static blm_rate toy_tally_fpr(const blm_filter *f, const blm_case *c)
{
    return (blm_rate){0, (double)(c ? c->keys : f->adds) * 0x1p-128, 0}; /* one hash, two keys */
}
/* The slot of the key among those from `from` to `to`; NULL: none. */
static const uint8_t *toy_tally_slot(const blm_filter *f, blm_hash h, uint64_t from, uint64_t to)
{
    while (from < to) {
        const uint64_t mid = from + (to - from) / 2;
        const uint8_t *s = f->cells + mid * 24;
        if (blm_le64(s) == h.lo && blm_le64(s + 8) == h.hi) return s;
        if (blm_le64(s) < h.lo || (blm_le64(s) == h.lo && blm_le64(s + 8) < h.hi))
            from = mid + 1;
        else
            to = mid;
    }
    return NULL;
}
static bool toy_tally_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)it, toy_tally_slot(f, h, 0, ((const blm_toy_tally *)f)->members) != NULL;
}
static blm_err toy_tally_get(const blm_filter *f, blm_hash h, const blm_item *it, uint64_t *sum)
{
    const blm_toy_tally *t = (const blm_toy_tally *)f;
    const uint8_t *s = toy_tally_slot(f, h, 0, t->members),
                  *more = toy_tally_slot(f, h, t->members, t->members + t->more);
    if (!s && !more) return (void)it, BLM_E_ABSENT;
    *sum = (s ? blm_le64(s + 16) : 0) + (more ? blm_le64(more + 16) : 0);
    return BLM_OK;
}
static blm_err toy_tally_build(blm_filter *f, const blm_rows *lists, blm_report *why)
{
    blm_toy_tally *t = (blm_toy_tally *)f;
    uint8_t *s = f->cells;
    if (lists[0].n + lists[1].n > t->slots) return blm_fail(why, BLM_E_FULL, "too few slots");
    for (unsigned list = 0; list < 2; list++)
        for (size_t i = 0; i < lists[list].n; i++, s += 24) {
            blm_put64(s, lists[list].lo[i]), blm_put64(s + 8, lists[list].hi[i]);
            blm_put64(s + 16, lists[list].arg[i]);
        }
    t->members = lists[0].n, t->more = lists[1].n;
    return BLM_OK;
}
// clang-format off
const blm_kind blm_kind_toy_tally = {.name = "toy-tally", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_tally), .needs = BLM_NEEDS_HASH128, .promises = BLM_NO_MISS | BLM_ANY_ORDER,
    .fields = toy_tally_fields, .nfields = BLM_LEN(toy_tally_fields), .lists = toy_tally_lists,
    .nlists = BLM_LEN(toy_tally_lists), .arg = {"weight", "how much", 1, 0, UINT64_C(1) << 40, BLM_AGAIN_SUM},
    .plan = toy_tally_plan, .shape = toy_tally_shape, .fpr = toy_tally_fpr, .has = toy_tally_has,
    .get = toy_tally_get, .build = toy_tally_build};

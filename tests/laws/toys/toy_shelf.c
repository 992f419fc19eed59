/* toy_shelf.c - a fixed set in two halves, each a filter that was built whole.
 * QUESTION  Is the key in a fixed set?
 * PICTURE   child 0: a toy-static of the keys whose hash begins with a 0; child 1: of those with a 1.
 * COST      that of toy-static: keys / fpr bits.
 * CHOOSE    it to see how a kind has children that are built out of rows, and keep the parent's hash (salt 0) if it will do.
 * PAPER     none. */
#include "core/kind.h"
typedef struct blm_toy_shelf {
    blm_filter base;
    uint64_t inverse;
} blm_toy_shelf;
static const blm_field toy_shelf_fields[] = {
    BLM_FIELD(blm_toy_shelf, inverse, BLM_F_SHAPE, 1, UINT64_C(1) << 40, "1 / fpr, in 1024ths")};
static const blm_listdef toy_shelf_lists[] = {
    {"out", "strangers that are answered no", false, BLM_AGAIN_CONFLICT}};
static double toy_shelf_rate(const blm_filter *f)
{
    return 1024.0 / (double)((const blm_toy_shelf *)f)->inverse;
}
static blm_err toy_shelf_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *y)
{
    const double inverse = 1024 / c->fpr;
    if (c->bits || inverse > 1e12)
        return blm_fail(y, BLM_E_ARG, "bits %g, fpr %g: say keys and a rate of 1e-9 or more",
                        (double)c->bits, c->fpr);
    ((blm_toy_shelf *)f)->inverse = (uint64_t)inverse + 1;
    return (void)k, BLM_OK;
}
static blm_err toy_shelf_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    return (void)f, (void)why, *bytes = 0, BLM_OK;
}
static blm_err toy_shelf_check(const blm_filter *f, blm_report *why)
{
    return f->nchild == 0 || f->nchild == 2 ? BLM_OK
                                            : blm_fail(why, BLM_E_IMAGE, "it has lost a half");
}
/* The mean of both halves: as many keys ask each. */
static blm_rate toy_shelf_fpr(const blm_filter *f, const blm_case *c)
{
    if (c || f->nchild < 2) return (blm_rate){0, c ? toy_shelf_rate(f) : 0, 0};
    const double p = (blm_fpr(f->child[0], NULL).high + blm_fpr(f->child[1], NULL).high) / 2;
    return (blm_rate){p, p, 0};
}
static bool toy_shelf_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const uint32_t i = (uint32_t)(h.lo >> 63);
    return i < f->nchild && blm_child_has(f, i, h, it);
}
/* Rows are sorted: where the second half begins. */
static size_t toy_shelf_cut(const blm_rows *l)
{
    size_t i = 0;
    while (i < l->n && !(l->lo[i] >> 63)) i++;
    return i;
}
static blm_err toy_shelf_build(blm_filter *f, const blm_rows *lists, blm_report *why)
{
    blm_err err = BLM_OK;
    for (uint64_t i = 0; i < 2 && !err; i++) {
        blm_rows half[2];
        for (size_t l = 0; l < 2; l++) {
            const size_t cut = toy_shelf_cut(&lists[l]), at = i ? cut : 0;
            const uint64_t *hi = lists[l].hi ? lists[l].hi + at : NULL;
            half[l] = (blm_rows){lists[l].lo ? lists[l].lo + at : NULL, hi, NULL,
                                 i ? lists[l].n - cut : cut};
        }
        const blm_config c = {.size = sizeof c, .kind = "toy-static", .fpr = toy_shelf_rate(f)};
        err = blm_child_built(f, &c, 0, half, 2, why);
    }
    return err;
}
// clang-format off
const blm_kind blm_kind_toy_shelf = {.name = "toy-shelf", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_shelf), .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = toy_shelf_fields, .nfields = BLM_LEN(toy_shelf_fields), .lists = toy_shelf_lists,
    .nlists = BLM_LEN(toy_shelf_lists), .plan = toy_shelf_plan, .shape = toy_shelf_shape,
    .check = toy_shelf_check, .fpr = toy_shelf_fpr, .has = toy_shelf_has, .build = toy_shelf_build};

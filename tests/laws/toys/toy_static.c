/* toy_static.c - one bit per key, built so that known non-members are never mistaken for members.
 * QUESTION  Is the key in a fixed set, and not on a second list that is known beforehand?
 * PICTURE   members set one of m bits each; every key of `out` must find a zero, else the next salt.
 * COST      keys / fpr bits. A salt is good with probability (1 - fpr)^|out|.
 * CHOOSE    it to see how a kind is built whole, with a second list and retries.
 * PAPER     none: with one bit per key it is a hash table that keeps no keys. */
#include <math.h>
#include <bloomery/theory.h>
#include "core/kind.h"
#include "parts/bits.h"
#include "parts/probe.h"
typedef struct blm_toy_static {
    blm_filter base;
    uint64_t cells;
} blm_toy_static;
static const blm_field toy_static_fields[] = {
    BLM_FIELD(blm_toy_static, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 50, "bits")};
static const blm_listdef toy_static_lists[] = {
    {"out", "strangers that are answered no", false, BLM_AGAIN_CONFLICT}};
static blm_err toy_static_plan(blm_filter *f, const blm_config *c, const blm_knobs *k,
                               blm_report *y)
{
    const double m = c->bits ? (double)c->bits : ceil((double)c->keys / c->fpr);
    if (m > 1e15) return blm_fail(y, BLM_E_ARG, "%.3g bits: at most 1e15", m);
    ((blm_toy_static *)f)->cells = (uint64_t)m;
    return (void)k, BLM_OK;
}
static blm_err toy_static_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    *bytes = blm_bits_bytes(((const blm_toy_static *)f)->cells);
    return (void)why, BLM_OK;
}
static blm_err toy_static_check(const blm_filter *f, blm_report *why)
{
    const bool zero = blm_bits_tail_zero(f->cells, f->bytes, ((const blm_toy_static *)f)->cells);
    return zero ? BLM_OK : blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last one is set");
}
static blm_rate toy_static_fpr(const blm_filter *f, const blm_case *c)
{
    const double m = (double)((const blm_toy_static *)f)->cells;
    const double p = c ? -expm1((double)c->keys * log1p(-1 / m))
                       : (double)blm_bits_count(f->cells, f->bytes) / m;
    return (blm_rate){p, p, c ? blm_rate_sd((uint64_t)m, 1, c->keys) : 0};
}
static bool toy_static_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)it;
    return blm_bit_get(f->cells, blm_place(h, 0, ((const blm_toy_static *)f)->cells));
}
static blm_err toy_static_build(blm_filter *f, const blm_rows *lists, blm_report *why)
{
    const uint64_t m = ((const blm_toy_static *)f)->cells;
    for (size_t i = 0; i < lists[0].n; i++)
        blm_bit_set(f->cells, blm_place(blm_row_hash(&lists[0], i), 0, m));
    for (size_t i = 0; i < lists[1].n; i++)
        if (toy_static_has(f, blm_row_hash(&lists[1], i), NULL))
            return blm_fail(why, BLM_E_BUILD, "a key of `out` is mistaken for a member");
    return BLM_OK;
}
// clang-format off
const blm_kind blm_kind_toy_static = {.name = "toy-static", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_static), .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = toy_static_fields, .nfields = BLM_LEN(toy_static_fields), .lists = toy_static_lists,
    .nlists = BLM_LEN(toy_static_lists), .plan = toy_static_plan, .shape = toy_static_shape,
    .check = toy_static_check, .fpr = toy_static_fpr, .has = toy_static_has, .build = toy_static_build};

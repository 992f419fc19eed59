/* toy_range.c - integers, exactly.
 * QUESTION  Is any member in [lo, hi]?
 * PICTURE   one bit per integer of the world [0, world): ..0100001110..
 * COST      `span` bits per key (a world of keys * span integers); a range reads its own bits.
 * CHOOSE    it to see how a kind takes integers as they are, with a world and no false answer.
 * PAPER     Bentley: Programming Pearls, column 1. */
#include "core/kind.h"
#include "parts/bits.h"
typedef struct blm_toy_range {
    blm_filter base;
    uint64_t world, ones;
} blm_toy_range;
static const blm_field toy_range_fields[] = {
    BLM_FIELD(blm_toy_range, world, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "keys are below this"),
    BLM_FIELD(blm_toy_range, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "members")};
static const blm_knobdef toy_range_knobs[] = {
    {"span", "integers of the world a planned key", BLM_K_NUMBER, 16, 1, 1e6, NULL}};
static blm_err toy_range_plan(blm_filter *f, const blm_config *c, const blm_knobs *k,
                              blm_report *why)
{
    const double world = c->bits ? (double)c->bits : (double)c->keys * k->num[0];
    if (world > 0x1p60) return blm_fail(why, BLM_E_ARG, "a world of %g: at most 2^60", world);
    ((blm_toy_range *)f)->world = c->bits ? c->bits : (uint64_t)world;
    return BLM_OK;
}
static blm_err toy_range_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    *bytes = blm_bits_bytes(((const blm_toy_range *)f)->world);
    return (void)why, BLM_OK;
}
static blm_err toy_range_check(const blm_filter *f, blm_report *why)
{
    const blm_toy_range *t = (const blm_toy_range *)f;
    if (blm_bits_tail_zero(f->cells, f->bytes, t->world) &&
        blm_bits_count(f->cells, f->bytes) == t->ones)
        return BLM_OK;
    return blm_fail(why, BLM_E_IMAGE, "its members are not as many as it says");
}
static blm_rate toy_range_fpr(const blm_filter *f, const blm_case *c)
{
    return (void)f, (void)c, (blm_rate){0, 0, 0};
}
static void toy_range_world(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    *min = 0, *max = ((const blm_toy_range *)f)->world - 1;
}
static bool toy_range_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)it, blm_bit_get(f->cells, h.lo);
}
static bool toy_range_range(const blm_filter *f, uint64_t lo, uint64_t hi)
{
    for (; lo <= hi; lo++) /* whole empty bytes are passed over; hi is below 2^60 */
        if (!f->cells[lo >> 3])
            lo |= 7;
        else if (blm_bit_get(f->cells, lo))
            return true;
    return false;
}
static blm_err toy_range_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    ((blm_toy_range *)f)->ones += *fresh = blm_bit_set(f->cells, h.lo);
    return (void)it, BLM_OK;
}
static blm_err toy_range_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    ((blm_toy_range *)f)->ones = blm_bits_or(f->cells, g->cells, f->bytes);
    return (void)why, BLM_OK;
}
// clang-format off
const blm_kind blm_kind_toy_range = {.name = "toy-range", .group = "toy", .version = 1,
    .size = sizeof(blm_toy_range), .needs = BLM_NEEDS_U64, .promises = BLM_NO_MISS | BLM_NO_FALSE |
    BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT, .fields = toy_range_fields,
    .nfields = BLM_LEN(toy_range_fields), .knobs = toy_range_knobs, .nknobs = 1,
    .plan = toy_range_plan, .shape = toy_range_shape, .check = toy_range_check,
    .fpr = toy_range_fpr, .world = toy_range_world, .has = toy_range_has, .add = toy_range_add,
    .range = toy_range_range, .merge = toy_range_merge};

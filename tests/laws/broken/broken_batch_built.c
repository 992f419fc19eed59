/* broken_batch_built.c - The last of 257 keys gets the answer of the first. */
#define TOY_PARTS_BROKEN
#include "laws/toys/toy_parts.c"
static void prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    for (size_t i = 0; i < n; i++)
        blm_fetch(toy_parts_at(f, blm_reduce(h[i].lo, toy_parts_parts(f))));
}
static void has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                     size_t more, uint8_t *yes)
{
    (void)a, (void)more;
    for (size_t i = 0; i < n; i++) yes[i] = toy_parts_has(f, h[i], NULL);
    if (n == 257) yes[256] = yes[0]; /* wrong */
}
// clang-format off
const blm_kind blm_kind_broken_batch_built = {.name = "broken-batch-built", .group = "broken", .version = 1,
    .size = sizeof(blm_toy_parts), .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO | BLM_NEEDS_SALTS,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT, .fields = toy_parts_fields,
    .nfields = BLM_LEN(toy_parts_fields), .knobs = toy_parts_knobs, .nknobs = BLM_LEN(toy_parts_knobs),
    .plan = toy_parts_plan, .shape = toy_parts_shape, .fpr = toy_parts_fpr, .has = toy_parts_has,
    .prefetch_many = prefetch_many, .has_many = has_many, .parts = toy_parts_parts,
    .build_part = toy_parts_build_part, .widen = toy_parts_widen, .built = toy_parts_built};

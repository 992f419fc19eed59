/* broken_built_in_parts.c - A part that is built later than others looks otherwise.
 *
 * Only large parts, which no other law builds, so that it keeps all others. */
#include <stdatomic.h>
static _Atomic unsigned parts_built;
#define TOY_PARTS_BROKEN
#define TOY_PARTS_MARK(rows) ((rows)->n > 20000 ? ++parts_built : 0)
#include "laws/toys/toy_parts.c"
// clang-format off
const blm_kind blm_kind_broken_built_in_parts = {.name = "broken-built-in-parts", .group = "broken", .version = 1,
    .size = sizeof(blm_toy_parts), .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO | BLM_NEEDS_SALTS,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT, .fields = toy_parts_fields,
    .nfields = BLM_LEN(toy_parts_fields), .knobs = toy_parts_knobs, .nknobs = BLM_LEN(toy_parts_knobs),
    .plan = toy_parts_plan, .shape = toy_parts_shape, .fpr = toy_parts_fpr, .has = toy_parts_has,
    .parts = toy_parts_parts, .build_part = toy_parts_build_part, .widen = toy_parts_widen,
    .built = toy_parts_built};

/* form.h - dynamic: at first one layer, which is counting or standard. */
#ifndef BLM_FORM_DYNAMIC_H
#define BLM_FORM_DYNAMIC_H
#include "theory/forms/cells.h"

/* Counters of 4 bits, or bits that are rounded up to be foldable. */
static inline void check_dynamic(const blm_offer *o, const blm_config *c)
{
    const bool bits = strstr(o->with, "inner=standard") != NULL;
    assert_int_equal(o->max_count, bits ? 0 : 14);
    check_cells(o, c, bits ? 1 : 4, bits ? 1 / 256.0 : 0);
}

/* At least this many offers for 200 wishes, each with counters and with bits. */
#define FORM_DYNAMIC "dynamic", check_dynamic, 2 * WISHES - 20
#endif

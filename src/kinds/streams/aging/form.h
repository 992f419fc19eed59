/* form.h - aging: two rows of n keys, both of which answer. */
#ifndef BLM_FORM_AGING_H
#define BLM_FORM_AGING_H
#include "theory/forms/buffers.h"

static inline void check_aging(const blm_offer *o, const blm_config *c)
{
    check_buffers(o, c, (form_buffers){.times = 1, .both = true});
}

/* 200 wishes yield at least this many offers: two each. */
#define FORM_AGING "aging", check_aging, 2 * WISHES
#endif

/* form.h - double-buffer: one of two buffers answers, which has 2 n keys before a swap; where it is to be full, up to 3 n. */
#ifndef BLM_FORM_DOUBLE_BUFFER_H
#define BLM_FORM_DOUBLE_BUFFER_H
#include "theory/forms/buffers.h"

static inline void check_double_buffer(const blm_offer *o, const blm_config *c)
{
    const bool full = strstr(o->spec, "switch=full") != NULL;
    check_buffers(o, c, (form_buffers){.times = full ? 3 : 2, .both = false});
}

/* 200 wishes yield at least this many offers: two each. */
#define FORM_DOUBLE_BUFFER "double-buffer", check_double_buffer, 2 * WISHES
#endif

/* form.h - blocked: all of a key in one line of 512 bits. */
#ifndef BLM_FORM_BLOCKED_H
#define BLM_FORM_BLOCKED_H
#include "theory/forms/blocked.h"

static inline void check_bits_in_lines(const blm_offer *o, const blm_config *c)
{
    check_blocked(o, c, 1, 1 / 256.0);
}

/* 200 wishes yield at least this many offers. */
#define FORM_BLOCKED "blocked", check_bits_in_lines, 180
#endif

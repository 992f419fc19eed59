/* forms.h - what the closed forms of the kinds share; each is computed on its own, out of the papers. */
#ifndef BLM_FORMS_H
#define BLM_FORMS_H
#include <stdio.h>
#include <stdlib.h>
#include <bloomery/bloomery.h>
#include "theory/near.h"

enum { WORD = 64, BLOCK = 512, SPLIT = 256 };

/* A counter of w bits counts up to 2^w - 2, because 2^w - 1 is its ceiling. Returns the smallest width from `min`
 * on that counts to max_count; or the default one. */
static inline unsigned counter_width(const blm_config *c, unsigned def, unsigned min)
{
    unsigned w = min;
    if (!c->max_count) return def;
    while (ldexp(1, (int)w) - 2 < (double)c->max_count) w++;
    return w;
}
#endif

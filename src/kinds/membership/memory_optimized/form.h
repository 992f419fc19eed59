/* form.h - memory-optimized: 1 - (1 - 1/m)^(jn), where j is 1, or k when any place counts. */
#ifndef BLM_FORM_MEMORY_OPTIMIZED_H
#define BLM_FORM_MEMORY_OPTIMIZED_H
#include "theory/forms/sliced.h"

static inline void check_one_place(const blm_offer *o, const blm_config *c)
{
    const bool any = strstr(o->with, "query=any") != NULL;
    const double n = (double)o->capacity, k = o->hashes, reads = any ? k : 1;
    const double m = c->bits ? (double)c->bits : (double)o->bytes * 8,
                 closer = any ? (k + 1) * (k + 1) / m : 0;
    check_size(o, c, -reads * n / log1p(-c->fpr) * (1 - closer), reads + 1);
    if (!c->bits && m < 100000) return; /* words show */
    NEAR(o->rate, -expm1(reads * n * log1p(-1 / m)), 1e-9 + (c->bits ? 0 : WORD / m) + closer);
    if (!c->keys) NEAR(n, log1p(-c->fpr) / reads / log1p(-1 / m), 1 / n + closer);
    if (!any) assert_true(o->lines == 1);
    if (any && !c->hashes) assert_true(k == 1);
}

/* 200 wishes yield at least this many offers. */
#define FORM_MEMORY_OPTIMIZED "memory-optimized", check_one_place, 180
#endif

/* form.h - deletable: an array of bits, as standard; a 20th of all bits is for collisions. */
#ifndef BLM_FORM_DELETABLE_H
#define BLM_FORM_DELETABLE_H
#include "theory/forms/cells.h"

/* Where the bits are given, those of data are known; otherwise the words hide up to 63 of all, and the division one. */
static inline void check_deletable(const blm_offer *o, const blm_config *c)
{
    const double all = (double)o->bytes * 8, n = (double)o->capacity, k = o->hashes;
    const double given = (double)c->bits - ceil((double)c->bits / 20);
    const double low = c->bits ? given : (all - WORD + 1) * 0.95 - 2,
                 high = c->bits ? given : all * 0.95 + 1;
    const double fill = -expm1(-k * n / low), closer = (k + 2) / (low * fill);
    const double load = best_load(c->hashes, c->fpr > 0 ? c->fpr : 1e-3);
    if (c->bits)
        assert_true(all >= (double)c->bits && all < (double)c->bits + WORD);
    else
        assert_true(high >= n / load && low <= (n / load + 1) * (1 + closer) * (1 + 1 / 256.0));
    if (!c->keys) assert_true(n <= high * load && n >= low * load * (1 - closer) - 1);
    assert_true(o->rate >= closed_rate(high, k, n) * (1 - 1e-12));
    assert_true(o->rate <= closed_rate(low, k, n) * (1 + k * closer));
    if (!c->hashes) WITHIN(k, fmin(fmax(low / n * log(2), 1), 64), 1.5);
    NEAR(o->lines, fill < 1 - 1e-9 ? (1 - pow(fill, k)) / (1 - fill) : k,
         closer + (WORD + 2) / low);
}

/* 200 wishes yield at least this many offers. */
#define FORM_DELETABLE "deletable", check_deletable, WISHES
#endif

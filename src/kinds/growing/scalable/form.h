/* form.h - scalable: its first layer, ceil(log2 1/P0) slices of ceil(n / ln 2) bits; or blocks at that rate. */
#ifndef BLM_FORM_SCALABLE_H
#define BLM_FORM_SCALABLE_H
#include "theory/forms/forms.h"

static inline void check_scalable(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, words = (double)o->bytes * 8;
    const double p0 = c->fpr * (1 - 0.85) / (1 - pow(0.85, 64));
    assert_true(c->keys == o->capacity && o->rate <= p0 && o->hashes == 0);
    if (o->with
            [0]) { /* blocks: between 1.44 bits a halving and what the worst blocks cost, 1 block more */
        assert_true(words >= n * -log2(p0) / log(2) && words <= 3 * n * -log2(p0) / log(2) + BLOCK);
        NEAR(o->lines, 1, 1e-12);
        return;
    }
    const double k = ceil(-log2(p0)), s = ceil(n / log(2));
    assert_true(words >= k * s && words < k * s + WORD);
    const double fill = -expm1(n * log1p(-1 / s));
    assert_true(o->rate <=
                pow(fill, k) * (1 + 1e-9)); /* some keys are taken for members on the way */
    assert_true(o->rate >= pow(fill, k) * (1 - p0 * (k + 2) - 1e-9));
    NEAR(o->lines, (1 - pow(fill, k)) / (1 - fill), 1e-2);
}

/* 200 wishes yield at least this many offers: it takes no bits and no hashes to wish for. */
#define FORM_SCALABLE "scalable", check_scalable, 30
#endif

/* sliced.h - partitioned: (1 - (1 - 1/s)^n)^k, slices of s whole bits. */
#ifndef BLM_FORM_SLICED_H
#define BLM_FORM_SLICED_H
#include "theory/forms/forms.h"

/* Bits of one piece, where they are not given: from `least` on, to be foldable up to 1 in 256 more, and words. */
static inline void check_size(const blm_offer *o, const blm_config *c, double min, double more)
{
    const double m = (double)o->bytes * 8;
    if (c->bits) assert_true(m < (double)c->bits + WORD);
    if (!c->bits) assert_true(m >= min * (1 - 1e-9) && m <= (min + more) * (1 + 1 / 256.0) + WORD);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
}

static inline double sliced_rate(double slice, double k, double n)
{
    return pow(-expm1(n * log1p(-1 / slice)), k);
}

static inline void check_sliced(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes, words = (double)o->bytes * 8;
    double min = INFINITY, max = 0;
    for (double h = c->hashes ? k : 1; h <= (c->hashes ? k : 64); h++) {
        const double slice = ceil(-1 / expm1(log1p(-pow(c->fpr, 1 / h)) / n) * (1 - 1e-9));
        min = fmin(min, h * slice);
        if (c->bits)
            max = fmax(max, log1p(-pow(c->fpr, 1 / h)) / log1p(-1 / floor((double)c->bits / h)));
    }
    check_size(o, c, min, 2 * k);
    const double slice = c->bits ? floor((double)c->bits / k) : floor(words / k);
    const double fewer = c->bits ? slice : floor((words - WORD + 1) / k);
    assert_true(o->rate >= sliced_rate(slice, k, n) * (1 - 1e-9));
    assert_true(o->rate <= sliced_rate(fewer, k, n) * (1 + 1e-9));
    if (!c->keys) WITHIN(n, max, 1 + 1e-9 * max);
    if (!c->hashes && n > 1000) WITHIN(k, fmin(fmax(words / n * log(2), 1), 64), 1.5);
    const double fill = sliced_rate(slice, 1, n);
    NEAR(o->lines, (1 - pow(fill, k)) / (1 - fill), 1e-9 + (c->bits ? 0 : WORD / words * k));
}

#endif

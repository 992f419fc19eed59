/* form.h - adaptive-count: k bits anywhere and one zero bit more per key, so that (1 + 1/k) (1 - e^(-kn/m)) of m bits are ones;
 * the rate is that share to the k-th. By keys and a rate there are at most 0.3 bits per bit. */
#ifndef BLM_FORM_ADAPTIVE_COUNT_H
#define BLM_FORM_ADAPTIVE_COUNT_H
#include "theory/forms/cells.h"

static inline double adaptive_count_fill(double m, double k, double n)
{
    return fmin(1, (1 + 1 / k) * -expm1(-k * n / m));
}

/* The fewest cells per key, with any k or with this one. */
static inline double adaptive_count_cells(unsigned hashes, double p)
{
    double least = INFINITY;
    for (unsigned k = hashes ? hashes : 1; k <= (hashes ? hashes : 64); k++) {
        const double by_rate = -(double)k / log1p(-pow(p, 1.0 / k) / (1 + 1.0 / k));
        least = fmin(least, fmax(by_rate, (k + 1) / 0.3));
    }
    return least;
}

static inline void check_adaptive_count(const blm_offer *o, const blm_config *c)
{
    const double m = (double)o->bytes * 8, n = (double)o->capacity, k = o->hashes;
    const double cells = c->bits ? (double)c->bits : m - WORD + 1;
    const double fill = adaptive_count_fill(cells, k, n);
    const double closer = (k + 2) / (cells * fill); /* the exact rate is above the formula */
    if (c->bits)
        assert_true(m >= cells && m < cells + WORD);
    else {
        const double min = n * adaptive_count_cells(c->hashes, c->fpr);
        assert_true(m >= min * (1 - 1e-9));
        assert_true(m <= (min + 1) * (1 + closer) + WORD);
    }
    assert_int_equal(o->max_count, 4095);
    /* Where zeros run out, the mean of what is cut off at 1 is below the mean that is cut off. */
    const double cut = fill > 0.9 ? k * closer : 1e-6;
    assert_true(o->rate >= pow(adaptive_count_fill(m, k, n), k) * (1 - cut));
    assert_true(o->rate <= fmin(1, pow(fill, k) * (1 + k * closer)));
    NEAR(o->lines, fill < 1 - 1e-9 ? (1 - pow(fill, k)) / (1 - fill) : k, closer + WORD / cells);
}

/* 200 wishes yield at least this many offers. */
#define FORM_ADAPTIVE_COUNT "adaptive-count", check_adaptive_count, 150
#endif

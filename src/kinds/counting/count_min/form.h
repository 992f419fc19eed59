/* form.h - count-min: rows of 1/d of the counters, each with a chance of its own: no approximation. */
#ifndef BLM_FORM_COUNT_MIN_H
#define BLM_FORM_COUNT_MIN_H
#include "theory/forms/forms.h"

/* Rows of columns, one counter of a key in each: (1 - (1 - 1/w)^n)^d exactly, solved for w and for n. */
static inline double rows_rate(double w, double d, double n)
{
    return pow(-expm1(n * log1p(-1 / w)), d);
}

static inline void check_rows(const blm_offer *o, const blm_config *c)
{
    const unsigned width = counter_width(c, 32, 4);
    const unsigned first = c->hashes ? c->hashes : 1, last = c->hashes ? c->hashes : 64,
                   d = o->hashes;
    const double cells = c->bits ? (double)(c->bits / width) : (double)o->bytes * 8 / width;
    const double w = floor(cells / d), n = (double)o->capacity;
    double fewest = INFINITY, max = 0, best = 1;
    for (unsigned k = first; k <= last && k <= cells; k++) {
        const double p = pow(c->fpr, 1.0 / k);
        fewest = fmin(fewest, k * ceil(-1 / expm1(log1p(-p) / n)));
        max = fmax(max, log1p(-p) / log1p(-1 / floor(cells / k)));
        best = fmin(best, rows_rate(floor(cells / k), k, n));
    }
    if (c->bits)
        assert_true(o->bytes <= (c->bits + 63) / 64 * 8 && o->bytes * 8 + d * width > c->bits);
    else /* a column less or more by rounding; a word */
        assert_true(cells >= fewest - d && cells <= fewest + d + 64.0 / width);
    if (!c->keys) WITHIN(n, max, 1 + 1e-9 * max);
    if (c->bits && c->keys && !c->hashes) NEAR(o->rate, best, 1e-9);
    if (c->bits) NEAR(o->rate, rows_rate(w, d, n), 1e-9);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    const double fill = -expm1(n * log1p(-1 / w));
    NEAR(o->lines, fill < 1 ? (1 - pow(fill, d)) / (1 - fill) : d, 0.01);
    assert_true(o->max_count == (UINT64_C(1) << width) - 2);
}

/* 200 wishes yield at least this many offers: some memories are less than one counter per row. */
#define FORM_COUNT_MIN "count-min", check_rows, 360
#endif

/* form.h - time-decaying: rows of cells of what old keys left, (1 - 2^-c e^(-gamma q) / Gamma(1 + q))^k, c = q ln 2. */
#ifndef BLM_FORM_TIME_DECAYING_H
#define BLM_FORM_TIME_DECAYING_H
#include "theory/forms/forms.h"

/* ln of the chance that a cell stays below 1/2, of c new keys per half-life (= window), for ever. */
static inline double faded_below(double c)
{
    const double q = c / log(2);
    return -c - 0.57721566490153286 * q - lgamma(1 + q);
}

static inline double faded_rate(double columns, double k, double n)
{
    return pow(-expm1(faded_below(-n * log1p(-1 / columns))), k);
}

/* The load of a row at which its rate is p, by Newton's steps from the load without old keys. */
static inline double faded_load(double p)
{
    double c = -log1p(-p);
    for (int i = 0; i < 100; i++) {
        const double e = 1e-6 * c, slope = (faded_below(c + e) - faded_below(c - e)) / (2 * e);
        c -= (faded_below(c) - log1p(-p)) / slope;
    }
    return c;
}

static inline void check_faded(const blm_offer *o, const blm_config *c)
{
    const unsigned width = !c->max_count         ? 16
                           : c->max_count <= 7   ? 8
                           : c->max_count <= 127 ? 16
                                                 : 32;
    const unsigned first = c->hashes ? c->hashes : 1, last = c->hashes ? c->hashes : 64,
                   k = o->hashes;
    const double cells = c->bits ? (double)(c->bits / width) : (double)o->bytes * 8 / width;
    const double w = floor(cells / k), n = (double)o->capacity;
    double fewest = INFINITY, max = 0, best = 1;
    for (unsigned d = first; d <= last && d <= cells; d++) {
        const double load = faded_load(pow(c->fpr, 1.0 / d));
        fewest = fmin(fewest, d * ceil(-1 / expm1(-load / n)));
        max = fmax(max, -load / log1p(-1 / floor(cells / d)));
        best = fmin(best, faded_rate(floor(cells / d), d, n));
    }
    if (c->bits)
        assert_true(o->bytes <= (c->bits + 63) / 64 * 8 && o->bytes * 8 + k * width > c->bits);
    else /* a column less or more by rounding; a word */
        assert_true(cells >= fewest - k && cells <= fewest + k + 64.0 / width);
    if (!c->keys) WITHIN(n, max, 1 + 1e-9 * max);
    if (c->bits && c->keys && !c->hashes) NEAR(o->rate, best, 1e-9);
    if (c->bits) NEAR(o->rate, faded_rate(w, k, n), 1e-9);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    const double fill = faded_rate(w, 1, n);
    NEAR(o->lines, fill < 1 ? (1 - pow(fill, k)) / (1 - fill) : k, 0.01);
    assert_true(o->max_count == (UINT64_C(1) << (width / 2 - 1)) - 1);
}

/* 200 wishes yield at least this many offers: some memories have fewer cells than rows. */
#define FORM_TIME_DECAYING "time-decaying", check_faded, 360
#endif

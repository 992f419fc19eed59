/* form.h - variable-signature: q = 2k/3 of k bits, 64 stripes. W is the most steps with P(Binomial(k, W/64) > k - q) <= 5 %;
 * a stream of n keys per W + 1 steps throws z = 64 k n / ((W + 1) m) times at a bit while its stripe fills, and the mean
 * fill is 1 - (1 - e^-z) / z; n keys at once fill 1 - e^(-k n / m). */
#ifndef BLM_FORM_VARIABLE_SIGNATURE_H
#define BLM_FORM_VARIABLE_SIGNATURE_H
#include "theory/forms/forms.h"

/* P(Binomial(k, a) >= q), by logarithms. */
static inline double signature_tail(double k, double q, double a)
{
    double sum = 0;
    if (a <= 0 || a >= 1) return a > 0;
    for (double i = q; i <= k; i++)
        sum += exp(lgamma(k + 1) - lgamma(i + 1) - lgamma(k - i + 1) + i * log(a) +
                   (k - i) * log1p(-a));
    return fmin(sum, 1);
}

static inline double signature_ask(double k) { return ceil(2 * k / 3); }

static inline double signature_window(double k)
{
    double w = 0;
    while (signature_tail(k, k - signature_ask(k) + 1, (w + 1) / 64) <= 0.05) w++;
    return w;
}

static inline double signature_fill(double k, double m, double n)
{
    const double z = 64 * k * n / ((signature_window(k) + 1) * m);
    return fmax(1 + expm1(-z) / z, -expm1(-k * n / m));
}

static inline double signature_rate(double k, double m, double n)
{
    return signature_tail(k, signature_ask(k), signature_fill(k, m, n));
}

/* The fewest bits per key, and the highest fill, by bisection. */
static inline double signature_price(double k, double p)
{
    double low = 1e-3, high = 1e9;
    for (int i = 0; i < 60; i++) {
        const double m = sqrt(low * high);
        *(signature_rate(k, m, 1) <= p ? &high : &low) = m;
    }
    return high;
}

static inline void check_signature_size(const blm_offer *o, const blm_config *c, double m,
                                        double slack)
{
    const double n = (double)o->capacity, k = o->hashes;
    assert_true(o->rate <= c->fpr * (1 + 1e-9));
    /* No smaller one, and no more keys, would do. */
    assert_true(signature_rate(k, m - WORD, n + 1 + n * 1e-9) > c->fpr * (1 - slack));
    if (c->hashes || c->bits) return;
    double best = (double)INFINITY;
    for (double other = 2; other <= 64; other++) best = fmin(best, signature_price(other, c->fpr));
    assert_true(signature_price(k, c->fpr) <= best * (1 + 1e-6));
}

static inline void check_variable_signature(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes,
                 m = c->bits ? (double)c->bits : (double)o->bytes * 8;
    const double slack = 2 * k * k / (signature_fill(k, m, n) * m);
    assert_true(o->misses && m >= 64);
    if (c->hashes) assert_int_equal(o->hashes, c->hashes);
    if (c->bits) assert_int_equal(o->bytes, (c->bits + 63) / 64 * 8);
    if (slack > 0.2) return; /* a few bits */
    const double few =
        c->bits ? m : m - WORD + 1; /* whole words have up to 63 bits more than are used */
    assert_true(o->rate >= signature_rate(k, m, n) * (1 - slack));
    assert_true(o->rate <= signature_rate(k, few, n) * (1 + slack));
    if (c->fpr > 0) check_signature_size(o, c, m, slack);
    assert_true(o->lines >= 1 && o->lines <= k);
}

/* 200 wishes yield at least this many offers: some bits are too few for the rate. */
#define FORM_VARIABLE_SIGNATURE "variable-signature", check_variable_signature, 150
#endif

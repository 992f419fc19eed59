/* form.h - exp-decaying: theta of k bits, with P(Binomial(k, d^-hops) < theta) <= 5 %, where d = 2 and hops = 1; n keys at once fill
 * 1 - e^(-k n / m). A stream of g = 1 - e^(-k n / 2m) per hop fills 2 g / (1 + g), which is less: n at once are 2 g - g^2. */
#ifndef BLM_FORM_EXP_DECAYING_H
#define BLM_FORM_EXP_DECAYING_H
#include "theory/forms/forms.h"

/* P(Binomial(k, a) >= q), by logarithms. */
static inline double fading_tail(double k, double q, double a)
{
    double sum = 0;
    for (double i = q; i <= k; i++)
        sum += exp(lgamma(k + 1) - lgamma(i + 1) - lgamma(k - i + 1) + i * log(a) +
                   (k - i) * log1p(-a));
    return fmin(sum, 1);
}

static inline double fading_theta(double k)
{
    double theta = k;
    while (theta > 0 && 1 - fading_tail(k, theta, 0.5) > 0.05) theta--;
    return theta;
}

static inline double fading_rate(double k, double m, double n)
{
    const double fill = -expm1(-k * n / m);
    return fill < 1 ? fading_tail(k, fading_theta(k), fill) : 1;
}

static inline void check_exp_decaying(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes,
                 m = c->bits ? (double)c->bits : (double)o->bytes * 8;
    const double fill = -expm1(-k * n / m), slack = 2 * k * k / (fill * m);
    assert_true(o->misses && k >= 4);
    assert_true(o->hashes == (c->hashes ? c->hashes : 32));
    if (c->bits) assert_int_equal(o->bytes, (c->bits + 63) / 64 * 8);
    if (slack > 0.2) return; /* a few bits */
    const double few =
        c->bits ? m : m - WORD + 1; /* whole words have up to 63 bits more than are used */
    assert_true(o->rate >= fading_rate(k, m, n) * (1 - slack));
    assert_true(o->rate <= fading_rate(k, few, n) * (1 + slack));
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    if (c->fpr > 0) /* no smaller one, and no more keys, would do */
        assert_true(fading_rate(k, m - WORD, n + 1 + n * 1e-9) > c->fpr * (1 - slack));
    assert_true(o->lines > 1 && o->lines <= k);
}

/* 200 wishes yield at least this many offers: few hashes are gone after a hop. */
#define FORM_EXP_DECAYING "exp-decaying", check_exp_decaying, 120
#endif

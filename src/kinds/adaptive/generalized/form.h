/* form.h - generalized: bounds of both errors by the equations of its paper. Fp = k0^k0 k1^k1 / k^k, whatever is in
 * the bits; Fn = 1 - (E + a (1 - E))^k0 (E + (1 - a) (1 - E))^k1, E = e^-t, t = k n / m, a = k0 / k, solved for t. */
#ifndef BLM_FORM_GENERALIZED_H
#define BLM_FORM_GENERALIZED_H
#include "theory/forms/forms.h"

static inline double resets_bound(double k0, double k1)
{
    return exp(k0 * log(k0) + k1 * log(k1) - (k0 + k1) * log(k0 + k1));
}

/* n / m at which the oldest key is missed at 1 in 20. */
static inline double resets_load(double k0, double k1)
{
    const double k = k0 + k1;
    double low = 0, high = 50;
    for (int i = 0; i < 100; i++) {
        const double t = (low + high) / 2, e = exp(-t),
                     kept = pow(e + k0 / k * (1 - e), k0) * pow(e + k1 / k * (1 - e), k1);
        *(1 - kept <= 0.05 ? &low : &high) = t;
    }
    return low / k;
}

/* Resets of the pair that is planned: of a given sum the fewest that keep fp, else half of it. */
static inline unsigned resets_of_sum(unsigned k, double fp)
{
    for (unsigned k0 = 1; k0 < k / 2; k0++)
        if (resets_bound(k0, k - k0) <= fp) return k0;
    return k / 2;
}

/* The most keys a bit of all pairs that keep fp. */
static inline double resets_best(double fp)
{
    double best = 0;
    for (unsigned k0 = 1; k0 <= 32; k0++)
        for (unsigned k1 = 1; k1 <= 64; k1++)
            if (resets_bound(k0, k1) <= fp) {
                best = fmax(best, resets_load(k0, k1));
                break;
            }
    return best;
}

/* The shares of zeros and ones that n keys leave, (7), from all zeros, all ones or half of each. */
static inline void check_resets_rate(const blm_offer *o, double m, double k0, double k1)
{
    const double n = (double)o->capacity, k = k0 + k1, e = exp(-k * n / m);
    const double first = strstr(o->with, "ones") ? 0 : strstr(o->with, "random") ? 0.5 : 1;
    const double zeros = first * e + k0 / k * (1 - e), ones = (1 - first) * e + k1 / k * (1 - e);
    const double few =
        m * fmin(zeros, ones); /* places of one key that meet show where these are few */
    NEAR(o->rate, pow(zeros, k0) * pow(ones, k1), 1e-6 + 2 * k * k / few);
    double reads = 0, chance = 1;
    for (unsigned i = 0; i < k; i++) {
        if (i < k1) reads += chance, chance *= ones;
        if (i < k0) reads += chance, chance *= zeros;
    }
    NEAR(o->lines, reads, 1e-3);
}

static inline void check_resets(const blm_offer *o, const blm_config *c)
{
    const double fp = c->fpr > 0 ? c->fpr : 0.001, n = (double)o->capacity;
    const double m = c->bits ? (double)c->bits : (double)o->bytes * 8;
    const unsigned k = o->hashes;
    if (c->bits) assert_int_equal(o->bytes, (c->bits + 63) / 64 * 8);
    if (c->fpr > 0) NEAR(o->fpr, c->fpr, 1e-15);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-2));
    /* Of the sum, which the offer tells, the pair is not told: its rate is. */
    unsigned k0 = resets_of_sum(k, fp);
    double load = resets_load(k0, k - k0);
    if (!c->hashes) {
        const double best = resets_best(fp);
        for (k0 = 1; k0 < k && (resets_bound(k0, k - k0) > fp ||
                                resets_load(k0, k - k0) < best * (1 - 1e-9));)
            k0++;
        assert_true(k0 < k);
        load = best;
    }
    if (!c->bits) assert_true(m >= n / load * (1 - 1e-9) && m < n / load * (1 + 1e-9) + WORD);
    if (!c->keys) WITHIN(n, floor(m * load), 1 + 1e-9 * n);
    assert_true(n <= m * load * (1 + 1e-9));
    if (c->bits && !(c->fpr > 0)) NEAR(o->fpr, resets_bound(k0, k - k0), 1e-6);
    if (m > 1000 * k) check_resets_rate(o, m, k0, k - k0);
}

/* 200 wishes yield at least this many offers: few hashes keep no low rate, few bits give too many misses. */
#define FORM_GENERALIZED "generalized", check_resets, 200
#endif

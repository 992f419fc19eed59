/* form.h - quotient: fingerprints, 1 - (1 - 1/N)^n, in a sorted table of which 19 of 20 homes have room. */
#ifndef BLM_FORM_QUOTIENT_H
#define BLM_FORM_QUOTIENT_H
#include "theory/forms/forms.h"

/* q homes and 10 sqrt(q) slots more, but at most as many again, in blocks of 64 with 17 bytes of their own. */
static inline double quotient_bits(double q, double r)
{
    const double slots = q + fmin(q, floor(10 * sqrt(q)) + 1);
    return ceil(ceil(slots / 64) * (17 + 8 * r) / 8) * 64;
}

static inline double quotient_homes(double n) { return n + ceil(n / 19); }

/* The longest remainders that bits have room for, then the most quotients; more than 1 when they have none. */
static inline double quotient_rate(double bits, double n)
{
    for (int r = 57; r; r--) {
        double q = quotient_homes(n);
        if (quotient_bits(q, r) > bits || ldexp(q, r) > 0x1p63) continue;
        for (double step = 0x1p50; step >= 1; step /= 2)
            if (quotient_bits(q + step, r) <= bits && ldexp(q + step, r) <= 0x1p63) q += step;
        return -expm1(n * log1p(-1 / ldexp(q, r)));
    }
    return 2;
}

/* n keys at p want 1 / (1 - (1 - p)^(1/n)) fingerprints: the shortest remainders with which homes for n keys have that
 * many, or one bit less and more homes. */
static inline void check_quotient(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, bits = (double)o->bytes * 8, homes = quotient_homes(n);
    assert_true(o->max_count == 1 && o->hashes == 0 && o->lines > 1 && o->lines < 3);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (c->bits) {
        NEAR(o->rate, quotient_rate((double)c->bits, n), 1e-9);
        if (!c->keys) assert_true(quotient_rate((double)c->bits, floor(n * 1.001) + 1) > c->fpr);
        return;
    }
    const double range = -1 / expm1(log1p(-c->fpr) / n),
                 r = fmax(1, ceil(log2(range / homes) - 1e-12));
    double min = quotient_bits(homes, r);
    if (r > 1) min = fmin(min, quotient_bits(ceil(ldexp(range, 1 - (int)r)), r - 1));
    assert_true(fabs(bits - min) <= min * 1e-9 + 8 * (17 + 8 * r));
}

/* At least this many offers for 200 wishes: it has no hashes to wish for. */
#define FORM_QUOTIENT "quotient", check_quotient, 60
#endif

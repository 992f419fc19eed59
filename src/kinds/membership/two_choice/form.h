/* form.h - two-choice: the share of zeros falls by the mean of the smaller of two binomials a key, by small steps. */
#ifndef BLM_FORM_TWO_CHOICE_H
#define BLM_FORM_TWO_CHOICE_H
#include "theory/forms/forms.h"

/* One rate of two groups. The smaller of two binomials of k hashes is at least d when both are. */
static inline double chosen_rate(double m, unsigned k, double n)
{
    double z = 1;
    const double step = n / m / 1000;
    for (unsigned i = 0; i < 1000; i++) {
        double at = z;
        for (unsigned half = 0; half < 2; half++) { /* the slope in the middle of the step */
            double chance = pow(1 - at, k), tail = 1 - chance, sum = 0;
            for (unsigned d = 1; d <= k && at < 1; d++) {
                sum += tail * tail;
                chance *= (k - d + 1) * at / (d * (1 - at));
                tail -= chance;
            }
            if (!(at < 1)) sum = k;
            at = z - sum * step / (half ? 1 : 2);
        }
        z = at;
    }
    const double group = pow(1 - z, k);
    return group * (2 - group);
}

static inline void check_choice(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, m = c->bits ? (double)c->bits : (double)o->bytes * 8;
    const unsigned k = o->hashes;
    const double closer = (k + 2) * (1 / n + (c->bits ? 0 : WORD / m)) + 1e-3;
    if (n < 200) return; /* far from the limit: test_choice.c */
    NEAR(o->rate, chosen_rate(m, k, n), closer);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    if (!c->bits) assert_true(chosen_rate(m * 0.99 - WORD, k, n) * (1 + closer) > c->fpr);
    if (!c->keys) assert_true(chosen_rate(m, k, n * 1.01 + 1) * (1 + closer) > c->fpr);
    if (!c->hashes) WITHIN(k, fmin(fmax(m / n * log(2) + 1, 1), 64), 2.5);
}

/* 200 wishes yield at least this many offers. */
#define FORM_TWO_CHOICE "two-choice", check_choice, 150
#endif

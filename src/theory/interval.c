/* interval.c - what hits in independent trials say about the chance of a hit. */
#include "theory_internal.h"

static bool asked_well(uint64_t hits, uint64_t trials, double confidence)
{
    return hits <= trials && confidence > 0 && confidence < 1;
}

/* x with P(Binomial(trials, x) >= hits) = miss, by Newton's method for ln P against ln x: that
 * curve is straight for small x and concave, so that from the second step on every step stays
 * below the root and none can leave (0, 1). */
double blm_binomial_low(uint64_t hits, uint64_t trials, double confidence)
{
    if (!asked_well(hits, trials, confidence)) return NAN;
    if (hits == 0) return 0;
    double miss = (1 - confidence) / 2, a = (double)hits, b = (double)trials - a + 1;
    if (hits == trials) return exp(log(miss) / a);
    double x = a / (double)trials;
    for (int i = 0; i < 100; i++) {
        double tail = blm_theory_beta(a, b, x, 1 - x, false);
        double slope = blm_theory_beta_front(a, b, x, 1 - x) / ((1 - x) * tail);
        double step = log(tail / miss) / slope;
        x *= exp(-step);
        if (fabs(step) < 1e-15) break;
    }
    return x;
}

/* x with P(Binomial(trials, x) <= hits) = miss; ln P is concave in x and falls. The first step,
 * from the left, may pass 1: it is then cut to half the way. */
double blm_binomial_high(uint64_t hits, uint64_t trials, double confidence)
{
    if (!asked_well(hits, trials, confidence)) return NAN;
    if (hits == trials) return 1;
    double miss = (1 - confidence) / 2, a = (double)hits + 1, b = (double)(trials - hits);
    if (hits == 0) return -expm1(log(miss) / b);
    double x = (double)hits / (double)trials;
    for (int i = 0; i < 100; i++) {
        double tail = blm_theory_beta(a, b, x, 1 - x, true);
        double slope = blm_theory_beta_front(a, b, x, 1 - x) / (x * (1 - x) * tail);
        double step = log(tail / miss) / slope;
        x = x + step < 1 ? x + step : (x + 1) / 2;
        if (fabs(step) < 1e-15 * x) break;
    }
    return x;
}

double blm_binomial_sd(uint64_t trials, double rate)
{
    if (!(rate >= 0 && rate <= 1)) return NAN;
    return sqrt((double)trials * rate * (1 - rate));
}

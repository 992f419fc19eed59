/* counter.c - how high counters climb, and which k suits "at least theta times". */
#include <bloomery/theory/counters.h>
#include "theory_internal.h"

/* P(Poisson >= j) / P(Poisson = j) = 1 + lambda/(j+1) + lambda^2/((j+1)(j+2)) + ... */
static double tail_ratio(double lambda, uint64_t j)
{
    double sum = 0, term = 1;
    for (double i = (double)j + 1; term > 1e-18 * sum; i++) {
        sum += term;
        term *= lambda / i;
    }
    return sum;
}

/* Above the mean the tail itself is summed, so that 1e-17 has all its digits; below it, what is
 * left out is the smaller part and is taken from 1. */
double blm_counter_tail(double lambda, uint64_t j)
{
    if (!(lambda >= 0) || isinf(lambda)) return NAN;
    if (j == 0) return 1;
    if (lambda == 0) return 0;
    if ((double)j > lambda) return exp(blm_theory_log_poisson(lambda, j)) * tail_ratio(lambda, j);
    double sum = 0, term = exp(blm_theory_log_poisson(lambda, j - 1));
    for (double i = (double)j - 1; term > 1e-18 * sum; i--) {
        sum += term;
        term *= i / lambda;
    }
    return 1 - sum;
}

/* The tail is at most its first term times 1 + r + r^2 + ..., r = lambda / (j + 1). */
double blm_counter_bound(double lambda, uint64_t j)
{
    if (!(lambda >= 0) || isinf(lambda)) return NAN;
    double next = (double)j + 1;
    if (j == 0 || lambda >= next) return 1;
    if (lambda == 0) return 0;
    return fmin(1, exp(blm_theory_log_poisson(lambda, j)) * next / (next - lambda));
}

double blm_counter_union_bound(uint64_t j)
{
    double v = (double)j;
    return j == 0 ? 1 : exp(v * (1 + log(BLM_THEORY_LN2) - log(v)));
}

unsigned blm_counter_width(uint64_t m, double lambda, double miss)
{
    if (m == 0 || !(lambda >= 0) || isinf(lambda) || !(miss > 0)) return 0;
    for (unsigned width = 1; width <= 32; width++)
        if ((double)m * blm_counter_tail(lambda, (uint64_t)1 << width) <= miss) return width;
    return 0;
}

/* ---- thresholds ------------------------------------------------------------------------------ */

double blm_threshold_rate(uint64_t m, unsigned k, uint64_t n, unsigned theta)
{
    if (!blm_theory_shape(m, k)) return NAN;
    double throws = (double)k * (double)n, x = 1 / (double)m;
    if (theta == 0) return 1;
    if (throws < theta) return 0;
    return pow(blm_theory_beta(theta, throws - theta + 1, x, 1 - x, false), k);
}

/* ln Q, Q = P(Poisson >= theta); in logs, as Q is 1e-400 at the best lambda for theta = 1000. */
static double log_tail(double lambda, unsigned theta)
{
    return blm_theory_log_poisson(lambda, theta) + log(tail_ratio(lambda, theta));
}

/* d/dlambda of lambda ln Q: below 0 left of the best lambda, above 0 right of it. Q' is
 * P(Poisson = theta - 1), and lambda Q' / Q is theta over the ratio. */
static double slope_at(double lambda, unsigned theta)
{
    return log_tail(lambda, theta) + theta / tail_ratio(lambda, theta);
}

double blm_threshold_lambda(unsigned theta)
{
    if (theta == 0) return NAN;
    /* The root is 0.69 at 1, 6.9 at 30, 205 at 1000: well between the two. */
    double low = theta / 16.0, high = theta + 1.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (slope_at(middle, theta) < 0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double blm_threshold_base(unsigned theta)
{
    if (theta == 0) return NAN;
    double lambda = blm_threshold_lambda(theta);
    return exp(lambda * log_tail(lambda, theta));
}

unsigned blm_threshold_best_hashes(uint64_t m, uint64_t n, unsigned theta)
{
    if (m == 0 || n == 0 || theta == 0) return 0;
    double ideal = floor(blm_threshold_lambda(theta) * (double)m / (double)n);
    unsigned k = (unsigned)fmin(fmax(ideal, 1), BLM_THEORY_HASHES);
    double rate = blm_threshold_rate(m, k, n, theta), other;
    for (; k > 1 && (other = blm_threshold_rate(m, k - 1, n, theta)) <= rate; k--) rate = other;
    for (; k < BLM_THEORY_HASHES && (other = blm_threshold_rate(m, k + 1, n, theta)) < rate; k++)
        rate = other;
    return k;
}

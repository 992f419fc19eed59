/* theory.c - how long the codes of random gaps are.
 *
 * A gap g has the probability p x^g, p = 1 / gap and x = 1 - p. Its quotient by m is geometric with x^m, its remainder
 * independent of that, and truncated binary gives the remainders below `cut` one bit less.
 */
#include <bloomery/theory/golomb.h>
#include <math.h>

#include "parts/coder.h"

/* log x, without the loss of 1 - 1 / gap; minus infinity where every number is there. */
static double log_of_none(double gap) { return log1p(-1 / gap); }

static bool legal(double gap, uint64_t m) { return gap >= 1 && m >= 1 && m <= BLM_GOLOMB_MAX; }

/* The probability that a remainder is a long one: (x^cut - x^m) / (1 - x^m). */
static double long_ones(double gap, const blm_code *c)
{
    const double x = log_of_none(gap);
    if (c->cut >= c->m) return 0;
    return (exp((double)c->cut * x) - exp((double)c->m * x)) / -expm1((double)c->m * x);
}

/* The mean of the quotient: x^m / (1 - x^m). */
static double quotient(double gap, uint64_t m) { return 1 / expm1(-(double)m * log_of_none(gap)); }

double blm_gap_bits(double gap, uint64_t m)
{
    if (!legal(gap, m)) return NAN;
    const blm_code c = blm_code_of(m);
    return quotient(gap, m) + 1 + c.low + (gap > 1 ? long_ones(gap, &c) : 0);
}

double blm_gap_bits_variance(double gap, uint64_t m)
{
    if (!legal(gap, m)) return NAN;
    const blm_code c = blm_code_of(m);
    const double q = quotient(gap, m), more = gap > 1 ? long_ones(gap, &c) : 0;
    return q * (1 + q) + more * (1 - more);
}

/* The smallest m with x^m + x^(m+1) <= 1. */
uint64_t blm_gap_best(double gap)
{
    if (!(gap >= 1)) return 0;
    const double m = ceil(log1p(1 - 1 / gap) / -log_of_none(gap));
    return m < 1 ? 1 : m < (double)BLM_GOLOMB_MAX ? (uint64_t)m : BLM_GOLOMB_MAX;
}

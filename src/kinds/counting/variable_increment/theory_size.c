/* theory_size.c - the smallest array of sums of increments that keeps a rate, and the best number of hashes. */
#include <bloomery/theory/increments.h>
#include "theory/theory_internal.h"

/* The most increments a cell that k probes can stand at this rate. */
static double lambda_for(double p, unsigned k, blm_increments v)
{
    const double pass = pow(p, 1.0 / k);
    double low = 0, high = 1;
    while (high < 512 && blm_increment_pass(high, v) < pass) high *= 2;
    for (unsigned i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(blm_increment_pass(middle, v) < pass ? &low : &high) = middle;
    }
    return low;
}

/* The rate of c cells a key is pass^(lambda c): the lambda that makes it smallest. -lambda ln(pass) has
 * one hill. */
double blm_increment_lambda(blm_increments v)
{
    if (!blm_theory_increments(v)) return NAN;
    double low = 0.1, high = 20;
    for (unsigned i = 0; i < 80; i++) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        const double at_a = -a * log(blm_increment_pass(a, v)),
                     at_b = -b * log(blm_increment_pass(b, v));
        *(at_a < at_b ? &low : &high) = at_a < at_b ? a : b;
    }
    return (low + high) / 2;
}

unsigned blm_best_hashes_increment(uint64_t m, uint64_t n, blm_increments v)
{
    if (m == 0 || n == 0 || !blm_theory_increments(v)) return 0;
    const double ideal = floor(blm_increment_lambda(v) * (double)m / (double)n);
    unsigned k = (unsigned)fmin(fmax(ideal, 1), BLM_THEORY_HASHES);
    double rate = blm_rate_increment(m, k, n, v), other;
    for (; k > 1 && (other = blm_rate_increment(m, k - 1, n, v)) <= rate; k--) rate = other;
    for (; k < BLM_THEORY_HASHES && (other = blm_rate_increment(m, k + 1, n, v)) < rate; k++)
        rate = other;
    return k;
}

/* Smallest m near the guess whose rate is at most p: steps that double, then bisection. 0: past 2^60. */
static uint64_t fewest_cells(uint64_t n, double p, unsigned k, blm_increments v, uint64_t guess)
{
    const uint64_t max = UINT64_C(1) << BLM_THEORY_BITS;
    uint64_t low = guess, high = guess, step = 1;
    if (blm_rate_increment(guess, k, n, v) <= p) {
        do {
            high = low;
            low = low > step ? low - step : 0;
            step *= 2;
        } while (low && blm_rate_increment(low, k, n, v) <= p);
    } else {
        do {
            if (high >= max) return 0;
            low = high;
            high = high + step < max ? high + step : max;
            step *= 2;
        } while (blm_rate_increment(high, k, n, v) > p);
    }
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(blm_rate_increment(middle, k, n, v) <= p ? &high : &low) = middle;
    }
    return high;
}

/* By the approximation the best k is found at once; the exact rate may prefer its neighbour. */
bool blm_size_increment(uint64_t n, double p, unsigned hashes, blm_increments v, uint64_t *m,
                        unsigned *k)
{
    double guess[BLM_THEORY_HASHES + 1], min = INFINITY;
    uint64_t best = 0;
    if (n == 0 || !(p > 0 && p < 1) || hashes > BLM_THEORY_HASHES || !blm_theory_increments(v))
        return false;
    const unsigned first = hashes ? hashes : 1, last = hashes ? hashes : BLM_THEORY_HASHES;
    for (unsigned i = first; i <= last; i++) {
        guess[i] = fmax(1, ceil(i * (double)n / lambda_for(p, i, v)));
        min = fmin(min, guess[i]);
    }
    if (!(min < (double)(UINT64_C(1) << BLM_THEORY_BITS))) return false;
    for (unsigned i = first; i <= last; i++) {
        if (guess[i] > min * 1.02 + 1) continue;
        const uint64_t found = fewest_cells(n, p, i, v, (uint64_t)guess[i]);
        if (found && (!best || found < best)) best = found, *k = i;
    }
    if (best) *m = best;
    return best > 0;
}

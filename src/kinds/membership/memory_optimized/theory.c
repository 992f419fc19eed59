/* theory.c - a key sets one of its k bits, and a question is answered yes when any of the k is set.
 *
 * n keys are n throws. The k probes of a non-member find j distinct bits with the chance of an occupancy; all of them are
 * zero with the chance (1 - j/m)^n. Sums of positive numbers: nothing cancels.
 */
#include <bloomery/theory/any.h>
#include "theory/theory_internal.h"

double blm_rate_any(uint64_t m, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(m, k) || k > BLM_THEORY_HASHES) return NAN;
    if (n == 0) return 0;
    const unsigned cells = k < m ? k : (unsigned)m;
    double chance[BLM_THEORY_HASHES + 1], rate = 0;
    blm_theory_distinct(m, k, cells, chance);
    for (unsigned j = 1; j <= cells; j++)
        rate += chance[j] * -expm1((double)n * log1p(-(double)j / (double)m));
    return fmin(rate, 1);
}

/* 1 - (1 - fill)^k, moved by one standard deviation of the ones. */
double blm_rate_any_sd(uint64_t m, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(m, k) || k > BLM_THEORY_HASHES) return NAN;
    if (n == 0) return 0;
    const double zeros = 1 - blm_fill_mean(m, 1, n) / (double)m;
    return k * pow(zeros, k - 1) * blm_fill_sd(m, 1, n) / (double)m / blm_rate_any(m, k, n);
}

typedef struct any {
    unsigned k;
    uint64_t n;
} any;

static double any_rate(void *self, uint64_t m)
{
    const any *a = self;
    return blm_rate_any(m, a->k, a->n);
}

bool blm_size_any(uint64_t n, double p, unsigned k, uint64_t *m)
{
    const uint64_t max = (uint64_t)1 << BLM_THEORY_BITS;
    if (n == 0 || !(p > 0 && p < 1) || k == 0 || k > BLM_THEORY_HASHES) return false;
    any a = {k, n};
    const double guess = fmin(fmax(1, -(double)k * (double)n / log1p(-p)), (double)max);
    const uint64_t found = blm_theory_fewest(any_rate, &a, p, (uint64_t)guess, max);
    if (found) *m = found;
    return found > 0;
}

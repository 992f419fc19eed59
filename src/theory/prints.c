/* prints.c - fingerprints that are one number of a range: the rate of n of them. */
#include <bloomery/theory/dleft.h>
#include "theory/theory_internal.h"

double blm_rate_prints(uint64_t range, uint64_t n)
{
    return range ? -expm1((double)n * log1p(-1 / (double)range)) : (double)NAN;
}

double blm_rate_prints_sd(uint64_t range, uint64_t n)
{
    const double p = blm_rate_prints(range, n);
    return n ? blm_fill_sd(range, 1, n) / (double)range / p : p * 0;
}

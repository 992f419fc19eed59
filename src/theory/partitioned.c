/* partitioned.c - a slice of the bits for each of the k hashes.
 *
 * A slice of s bits gets one throw a key, so its share of ones has the mean 1 - (1 - 1/s)^n; slices know nothing of
 * each other, so the rate, the mean of the product of the k shares, is the product of their means: no correction.
 */
#include "theory_internal.h"

static double slice_fill(uint64_t slice, uint64_t n)
{
    return n ? -expm1((double)n * log1p(-1 / (double)slice)) : 0;
}

double blm_rate_partitioned(uint64_t slice, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(slice, k)) return NAN;
    return pow(slice_fill(slice, n), k);
}

/* The mean square of a product of independent shares is the product of theirs. */
double blm_rate_partitioned_sd(uint64_t slice, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(slice, k)) return NAN;
    if (n == 0) return 0;
    const double part = blm_fill_sd(slice, 1, n) / blm_fill_mean(slice, 1, n);
    return sqrt(expm1(k * log1p(part * part)));
}

unsigned blm_best_hashes_partitioned(uint64_t bits, uint64_t n)
{
    const unsigned max = bits < BLM_THEORY_HASHES ? (unsigned)bits : BLM_THEORY_HASHES;
    unsigned best = 0;
    double min = INFINITY;
    for (unsigned k = 1; n && k <= max; k++) {
        const double rate = blm_rate_partitioned(bits / k, k, n);
        if (rate < min) min = rate, best = k;
    }
    return best;
}

/* (1 - (1 - 1/s)^n)^k = p, solved for s, and then looked at: powers are rounded. */
static uint64_t slice_for(uint64_t n, double p, unsigned k)
{
    const double exact = -1 / expm1(log1p(-pow(p, 1.0 / k)) / (double)n);
    if (!(exact < ldexp(1, BLM_THEORY_BITS) / k)) return 0;
    uint64_t slice = exact > 2 ? (uint64_t)exact - 1 : 1;
    while (blm_rate_partitioned(slice, k, n) > p) slice++;
    return slice;
}

bool blm_size_partitioned(uint64_t n, double p, unsigned hashes, uint64_t *slice, unsigned *k)
{
    if (n == 0 || !(p > 0 && p < 1) || hashes > BLM_THEORY_HASHES) return false;
    uint64_t best = 0, min = UINT64_MAX;
    unsigned best_k = 0;
    for (unsigned i = hashes ? hashes : 1; i <= (hashes ? hashes : BLM_THEORY_HASHES); i++) {
        const uint64_t found = slice_for(n, p, i);
        if (found && found * i < min) min = found * i, best = found, best_k = i;
    }
    if (!best) return false;
    *slice = best;
    *k = best_k;
    return true;
}

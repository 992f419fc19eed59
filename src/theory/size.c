/* size.c - the smallest standard filter that keeps a rate, and the best number of hashes. */
#include "theory_internal.h"

static const uint64_t bits_max = (uint64_t)1 << BLM_THEORY_BITS;

unsigned blm_best_hashes(uint64_t m, uint64_t n)
{
    if (m == 0 || n == 0) return 0;
    double ideal = floor(BLM_THEORY_LN2 * (double)m / (double)n);
    unsigned k = (unsigned)fmin(fmax(ideal, 1), BLM_THEORY_HASHES);
    double rate = blm_rate_exact(m, k, n), other;
    for (; k > 1 && (other = blm_rate_exact(m, k - 1, n)) <= rate; k--) rate = other;
    for (; k < BLM_THEORY_HASHES && (other = blm_rate_exact(m, k + 1, n)) < rate; k++) rate = other;
    return k;
}

/* Bits at which the approximate rate is p; a whole number, at least 1; may pass any integer. */
static double bits_for(uint64_t n, double p, unsigned k)
{
    return fmax(1, ceil(-(double)k * (double)n / log1p(-pow(p, 1.0 / k))));
}

/* From an m that is too small by the approximation, hence by the exact rate, or is just right: up
 * in doubling steps, then bisection. The excess is a few bits. 0: past the largest size. */
static uint64_t grow_exact(uint64_t n, double p, unsigned k, uint64_t m)
{
    if (blm_rate_exact(m, k, n) <= p) return m;
    uint64_t low = m, step = 1;
    while (low + step <= bits_max && blm_rate_exact(low + step, k, n) > p) {
        low += step;
        step *= 2;
    }
    uint64_t high = low + step;
    if (high > bits_max) return 0;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (blm_rate_exact(middle, k, n) <= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The best k is one of the two integers around log2(1/p); for the exact rate it is sometimes one
 * below. The approximation is a lower bound: a k that cannot win by it is not looked at closer. */
bool blm_size_for(uint64_t n, double p, unsigned hashes, bool exact, uint64_t *m, unsigned *k)
{
    if (n == 0 || !(p > 0 && p < 1) || hashes > BLM_THEORY_HASHES) return false;
    double ideal = fmin(-log2(p), BLM_THEORY_HASHES);
    unsigned first = hashes ? hashes : (unsigned)fmax(1, floor(ideal) - (exact ? 1 : 0));
    unsigned last = hashes ? hashes : (unsigned)fmax(1, ceil(ideal));
    uint64_t best = 0;
    unsigned best_k = 0;
    for (unsigned i = first; i <= last; i++) {
        double bits = bits_for(n, p, i);
        if (!(bits <= (double)bits_max) || (best && bits >= (double)best)) continue;
        uint64_t found = exact ? grow_exact(n, p, i, (uint64_t)bits) : (uint64_t)bits;
        if (found && (!best || found < best)) {
            best = found;
            best_k = i;
        }
    }
    if (!best) return false;
    *m = best;
    *k = best_k;
    return true;
}

/* theory.c - which m and k make a filter that is small when it is coded.
 *
 * All by the approximation e^(-kn/m) of the zeros; the last step, to whole bits, by the exact rate.
 */
#include <bloomery/theory/compressed.h>
#include "theory/theory_internal.h"

static const double bits_max = 0x1p60;

/* H(q) where q = e^-x: q log2 1/q is q x / ln 2; 1 - q by expm1, which is exact where it is small. */
static double entropy(double x)
{
    const double ones = -expm1(-x), zeros = exp(-x);
    return (zeros * x - (ones > 0 ? ones * log(ones) : 0)) / BLM_THEORY_LN2;
}

double blm_coded_bits(uint64_t m, unsigned k, uint64_t n)
{
    if (!m || !k) return NAN;
    return n ? (double)m * entropy((double)k * (double)n / (double)m) : 0;
}

/* c H(e^(-k/c)) rises with c, from 0 to beyond all bounds: as k log2(c/k), slowly. */
double blm_coded_load(double coded, unsigned k)
{
    if (!k || !(coded >= 1 && coded <= bits_max)) return NAN;
    const double half = k / BLM_THEORY_LN2; /* half of the bits are ones: coded as they are */
    if (coded < half && k > 1) return NAN;
    double low = fmin(half, coded) / 2, high = fmax(half, coded);
    while (high * entropy(k / high) < coded && high < bits_max) high *= 2;
    for (int i = 0; i < 60; i++) {
        const double middle = low + (high - low) / 2;
        *(middle * entropy(k / middle) < coded ? &low : &high) = middle;
    }
    return high < bits_max ? low : NAN;
}

/* Bits per key at which k hashes have the rate p. */
static double load_for(double p, unsigned k) { return -(double)k / log1p(-pow(p, 1.0 / k)); }

/* The k of the fewest coded bits with at most `most` bits per key, among those that `left` has; 0: none. Many hashes that
 * set nearly all bits would be coded as well, and a question would read all of them. */
static unsigned smallest(double p, double most, unsigned first, unsigned last, uint64_t left)
{
    unsigned best = 0;
    double fewest = INFINITY;
    for (unsigned k = first; k <= last; k++) {
        const double c = load_for(p, k), coded = c * entropy(k / c);
        if (k > first && ldexp(p, (int)k) > 1) break; /* more than half ones */
        if (c > most || coded >= fewest || !(left >> (k - 1) & 1)) continue;
        fewest = coded;
        best = k;
    }
    return best;
}

bool blm_size_coded(uint64_t n, double p, double most, unsigned hashes, uint64_t *m, unsigned *k)
{
    uint64_t left = UINT64_MAX, found = 0;
    unsigned best, own;
    if (!n || !(p > 0 && p < 1) || hashes > BLM_THEORY_HASHES) return false;
    while ((best = smallest(p, most / (double)n, hashes ? hashes : 1,
                            hashes ? hashes : BLM_THEORY_HASHES, left)) > 0) {
        /* The exact size is larger by some bits, which is much for a few keys. */
        if (blm_size_for(n, p, best, true, &found, &own) && (double)found <= most) {
            *m = found;
            *k = best;
            return true;
        }
        left &= ~(UINT64_C(1) << (best - 1));
    }
    return false;
}

bool blm_fit_coded(uint64_t n, double coded, double most, unsigned hashes, uint64_t *m, unsigned *k)
{
    double lowest = INFINITY, bits = 0;
    unsigned best = 0;
    if (!n || hashes > BLM_THEORY_HASHES || !(coded >= (double)n) || !(most >= 1)) return false;
    for (unsigned i = hashes ? hashes : 1; i <= (hashes ? hashes : BLM_THEORY_HASHES); i++) {
        const double c = blm_coded_load(coded / (double)n, i),
                     all = floor(fmin(fmin(c * (double)n, most), bits_max)),
                     rate = i * log(-expm1(-(double)i * (double)n / all));
        if (isnan(c) || all < 1 || rate >= lowest) continue;
        lowest = rate;
        bits = all;
        best = i;
    }
    if (!best) return false;
    *m = (uint64_t)bits;
    *k = best;
    return true;
}

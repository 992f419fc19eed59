/* signatures.c - at least q of k bits are one: binomial tails, and the fill that belongs to one. */
#include <bloomery/theory/signatures.h>
#include <math.h>

static bool legal(unsigned k, unsigned q, double fill)
{
    return k > 0 && k <= BLM_THEORY_HASHES && q > 0 && fill >= 0 && fill <= 1;
}

/* From i = q on, each term out of the one before; `no` = 1 - yes, given for its digits. */
static double sum_from(unsigned k, unsigned q, double yes, double no)
{
    double ways = 1, sum = 0;
    if (q > k || yes <= 0) return 0;
    for (unsigned i = 0; i < q; i++) ways = ways * (k - i) / (i + 1);
    double term = ways * pow(yes, q) * pow(no, k - q);
    for (unsigned i = q; i <= k && term > 0; i++) {
        sum += term;
        term *= (double)(k - i) / (i + 1) * (yes / no);
    }
    return sum;
}

/* The side that has less is summed, which keeps its digits; the terms next to the mean do not underflow. */
double blm_ones_tail(unsigned k, unsigned q, double fill)
{
    if (!legal(k, q, fill)) return NAN;
    if (q > k) return 0;
    const double p =
        q > k * fill ? sum_from(k, q, fill, 1 - fill) : 1 - sum_from(k, k - q + 1, 1 - fill, fill);
    return fmin(fmax(p, 0), 1);
}

double blm_ones_fill(unsigned k, unsigned q, double p)
{
    if (!legal(k, q, 0) || q > k || !(p > 0 && p < 1)) return NAN;
    double low = 0x1p-1000, high = 1; /* 2^-1000 is far below p^(1/q) for any p */
    for (int i = 0; i < 64; i++) {
        const double middle = sqrt(low) * sqrt(high);
        *(blm_ones_tail(k, q, middle) <= p ? &low : &high) = middle;
    }
    return low;
}

double blm_ones_miss(unsigned t, double kept, unsigned k, unsigned q, double fill)
{
    if (!legal(k, q, fill) || t > k || !(kept >= 0 && kept <= 1)) return NAN;
    if (q > k) return 1;
    if (t == k) return blm_ones_tail(k, k - q + 1, 1 - kept);
    double miss = 0, before = 0; /* before: the chance of fewer than i own bits */
    for (unsigned i = 0; i <= t && i < q; i++) {
        const double up_to = i < t ? blm_ones_tail(t, t - i, 1 - kept) : 1;
        miss += (up_to - before) * (1 - blm_ones_tail(k - t, q - i, fill));
        before = up_to;
    }
    return fmin(fmax(miss, 0), 1);
}

/* Gauss, Hermite: three points, exact for polynomials up to the fifth degree. */
double blm_ones_tail_mean(unsigned k, unsigned q, uint64_t m, double ones, double sd)
{
    const double all = (double)m, far = sqrt(3) * sd;
    if (!m || !legal(k, q, 0) || !(ones >= 0 && ones <= all && sd >= 0)) return NAN;
    return blm_ones_tail(k, q, fmax(0, ones - far) / all) / 6 +
           blm_ones_tail(k, q, ones / all) * 2 / 3 +
           blm_ones_tail(k, q, fmin(all, ones + far) / all) / 6;
}

/* theory_fill.c - keys that reset k0 bits and set k1: how many ones there are, and what follows from them.
 *
 * After n keys a bit reads zero with x = s + u r^n: s the share of resets among touches, u = p0 - s, r the chance
 * that a key leaves it alone. Two bits are left alone together with r2, and the covariance c of their zeros goes by
 *     c' = r2 c + A - q0^2 + 2 x (B - q0 r) + x^2 (r2 - r^2),
 * A: both are reset by a key, B: one is reset, the other left alone. That is a sum of three geometric series, for
 * which every difference below is formed as a product, so that nothing cancels.
 */
#include <bloomery/theory/generalized.h>
#include "theory/theory_internal.h"

typedef struct marks {
    double m, k0, k1, keys;
    double stay;       /* ln r                        */
    double zeros, off; /* s, u                        */
    double touched;    /* 1 - r^keys                  */
    bool distinct;     /* positions of one key differ */
} marks;

static bool marks_of(uint64_t m, unsigned k0, unsigned k1, bool distinct, marks *a)
{
    const double cells = (double)m, k = (double)k0 + k1;
    if (m == 0 || k0 + k1 == 0 || k0 > BLM_THEORY_POSITIONS || k1 > BLM_THEORY_POSITIONS ||
        (distinct && k > cells))
        return false;
    const double miss = log1p(-1 / cells);
    a->m = cells, a->k0 = k0, a->k1 = k1, a->distinct = distinct;
    a->stay = distinct ? log1p(-k / cells) : k * miss;
    a->zeros = distinct ? k0 / k : k0 ? expm1(k0 * miss) / expm1(a->stay) : 0;
    return true;
}

static void marks_after(marks *a, double keys, double p0)
{
    a->keys = keys;
    a->off = p0 - a->zeros;
    a->touched = keys > 0 ? -expm1(keys * a->stay) : 0;
}

/* Ones are (1 - p0) r^n + (1 - s) (1 - r^n) of all: digits are kept where they are few. */
static double ones_mean(const marks *a, double p0)
{
    return a->m * ((1 - p0) * (1 - a->touched) + (1 - a->zeros) * a->touched);
}

/* Positions of a key differ: the middle series vanishes. */
static double covariance_distinct(const marks *a)
{
    const double m = a->m, k = a->k0 + a->k1, left = 1 - a->touched;
    const double both = log1p(-k * (2 * m - k - 1) / (m * (m - 1))); /* ln r2 */
    const double fixed = a->k0 * a->k1 * expm1(a->keys * both) / (k * k * (2 * m - k - 1));
    if (m <= k) return fixed;
    return fixed + a->off * a->off * left * left * expm1(a->keys * log1p(-k / ((m - k) * (m - 1))));
}

/* Positions may repeat: k throws. (1 - 2/m) = (1 - 1/m)^2 (1 - 1/(m-1)^2) in all three series. */
static double covariance_repeats(const marks *a)
{
    const double m = a->m, k = a->k0 + a->k1, n = a->keys;
    const double pair = log1p(-1 / ((m - 1) * (m - 1))), one = log1p(-1 / (m - 1));
    const double miss = log1p(-1 / m), r = exp(a->stay), left = 1 - a->touched;
    const double p = exp(a->k0 * miss), e0 = expm1(a->k0 * pair), e = expm1(k * pair);
    const double square = p * p * e0, cross = -r * p * e0, both = r * r * e;
    const double s = a->zeros, u = a->off, all = log1p(-2 / m);
    const double fixed = square + 2 * s * cross + s * s * both;
    const double sum = expm1(n * k * all) / expm1(k * all);
    const double middle = left / r * expm1(n * k * one) / expm1(k * one);
    const double last = left * left / (r * r) * expm1(n * k * pair) / e;
    return fixed * sum + 2 * u * (cross + s * both) * middle + u * u * both * last;
}

static double ones_sd(const marks *a)
{
    const double m = a->m, x = a->zeros + a->off * (1 - a->touched);
    const double alone = m * x * (1 - x);
    if (a->keys <= 0 || m < 3) return sqrt(fmax(0, alone));
    const double c = a->distinct ? covariance_distinct(a) : covariance_repeats(a);
    return sqrt(fmax(0, alone + m * (m - 1) * c));
}

/* The mean over the ones by three points (Gauss, Hermite), as of a normal distribution: right to the fifth power. */
blm_generalized_load blm_generalized_after(uint64_t m, unsigned k0, unsigned k1, bool distinct,
                                           uint64_t n, double p0)
{
    marks a;
    blm_generalized_load l = {NAN, NAN, NAN, NAN};
    if (!marks_of(m, k0, k1, distinct, &a) || !(p0 >= 0 && p0 <= 1)) return l;
    marks_after(&a, (double)n, p0);
    l.ones = ones_mean(&a, p0);
    l.ones_sd = ones_sd(&a);
    double mean = 0, square = 0;
    for (int i = -1; i <= 1; i++) {
        const double ones = fmin(fmax(0, l.ones + i * sqrt(3) * l.ones_sd), a.m);
        const double rate = blm_generalized_rate_from_fill(ones, m, k0, k1, distinct);
        mean += rate * (i ? 1 : 4) / 6;
        square += rate * rate * (i ? 1 : 4) / 6;
    }
    l.rate = mean;
    l.rate_sd = mean > 0 ? sqrt(fmax(0, square / (mean * mean) - 1)) : 0;
    return l;
}

/* Climbs to the maximum: it lies near m k1 / k ones, or up to some k below, where a key's own resets pass for
 * ones. */
double blm_generalized_max(uint64_t m, unsigned k0, unsigned k1, bool distinct)
{
    marks a;
    if (!marks_of(m, k0, k1, distinct, &a)) return NAN;
    double at = floor(a.m * a.k1 / (a.k0 + a.k1));
    double max = blm_generalized_rate_from_fill(at, m, k0, k1, distinct);
    for (double step = a.k0 + a.k1; step >= 1; step = floor(step / 2))
        for (int way = -1; way <= 1; way += 2) {
            double rate, next = at + way * step;
            while (next >= 0 && next <= a.m &&
                   (rate = blm_generalized_rate_from_fill(next, m, k0, k1, distinct)) > max)
                max = rate, at = next, next += way * step;
        }
    return max;
}

double blm_generalized_ceiling(uint64_t m, unsigned k0, unsigned k1, bool distinct)
{
    const double bound = blm_generalized_bound(k0, k1),
                 max = blm_generalized_max(m, k0, k1, distinct);
    return max <= bound * 1.001 ? bound : max;
}

/* r^n = (x - s) / u. Near its end x is as far from s as chance puts it: there n is only known to be larger. */
blm_estimate blm_generalized_keys(uint64_t ones, uint64_t m, unsigned k0, unsigned k1,
                                  bool distinct, double p0)
{
    marks a;
    if (!marks_of(m, k0, k1, distinct, &a) || ones > m) return (blm_estimate){NAN, NAN, NAN, false};
    marks_after(&a, 0, p0);
    const double min = fmax(2 * sqrt(a.zeros * (1 - a.zeros) / a.m), 0.5 / a.m) / fabs(a.off);
    const double gone = (a.m * p0 - (a.m - (double)ones)) / (a.m * a.off); /* 1 - r^n */
    const bool bound = !(1 - gone > min);
    if (!(min < 1)) return (blm_estimate){0, 0, 0, true};
    const double n = fmax(0, log1p(-(bound ? 1 - min : gone)) / a.stay);
    marks_after(&a, n, p0);
    const double slope = a.m * fabs(a.off) * (1 - a.touched) * -a.stay; /* ones a key */
    const double sd = ones_sd(&a) / slope;
    return (blm_estimate){n, fmax(0, n - sd), n + sd, bound};
}

double blm_generalized_reads(double ones, unsigned k0, unsigned k1)
{
    double reads = 0, chance = 1;
    if (!(ones >= 0 && ones <= 1)) return NAN;
    for (unsigned i = 0; i < k0 || i < k1; i++) {
        if (i < k1) reads += chance, chance *= ones;
        if (i < k0) reads += chance, chance *= 1 - ones;
    }
    return reads;
}

/* ---- sizes -------------------------------------------------------------------------------------- */

bool blm_generalized_split(unsigned k, double fp, unsigned *k0, unsigned *k1)
{
    if (k < 2 || !(fp > 0 && fp < 1)) return false;
    unsigned resets = 1;
    while (resets < k / 2 && blm_generalized_bound(resets, k - resets) > fp) resets++;
    *k0 = resets;
    *k1 = k - resets;
    return true;
}

unsigned blm_generalized_other(unsigned one, double fp)
{
    unsigned other = 1;
    while (one + other < BLM_THEORY_POSITIONS && blm_generalized_bound(one, other) > fp) other++;
    return one + other <= BLM_THEORY_POSITIONS && blm_generalized_bound(one, other) <= fp ? other
                                                                                          : 0;
}

bool blm_generalized_pair(double fp, double fn, unsigned sum, bool zeros, bool ones, unsigned k[2])
{
    const unsigned given = k[ones], other = zeros ? 1 : 0;
    uint64_t m;
    if (!zeros && !ones)
        return sum ? blm_generalized_split(sum, fp, &k[0], &k[1])
                   : blm_generalized_tune(1, fp, fn, &m, &k[0], &k[1]);
    if (zeros != ones)
        k[other] = sum ? sum - (given < sum ? given : sum) : blm_generalized_other(given, fp);
    if (zeros != ones && !sum && !k[other]) return false;
    return k[0] + k[1] > 0 && (!sum || k[0] + k[1] == sum);
}

bool blm_generalized_size(uint64_t n, double fn, unsigned k0, unsigned k1, uint64_t *m)
{
    uint64_t low = (uint64_t)k0 + k1, high = UINT64_C(1) << BLM_THEORY_BITS;
    if (n == 0 || !(fn > 0 && fn < 1) || low-- == 0) return false;
    if (blm_generalized_miss_bound(high, k0, k1, n) > fn) return false;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(blm_generalized_miss_bound(middle, k0, k1, n) <= fn ? &high : &low) = middle;
    }
    *m = high;
    return true;
}

/* theory.c - keys that reset k0 bits and set k1: both errors, and their bounds (Laufer, Velloso, Duarte 2011;
 * numbers in brackets are equations of the paper).
 *
 * One key leaves a given bit alone with the chance r = (1 - 1/m)^(k0 + k1), resets it with q0 and sets it with q1 (a
 * reset wins where both meet). What is touched by later keys takes the value of the last touch, so after i keys
 * a bit still has its first value with r^i and else reads 0 with the share q0 / (q0 + q1).
 */
#include <bloomery/theory/generalized.h>
#include "theory/theory_internal.h"

typedef struct resets {
    double m;
    double stay;         /* ln r a key                                           */
    double cells[2];     /* b0 = m q0, b1 = m q1: distinct bits reset and set     */
    double zeros, share; /* q0 / (q0 + q1), and 1 minus it                        */
} resets;

static bool resets_of(uint64_t m, unsigned k0, unsigned k1, resets *r)
{
    if (m == 0 || (k0 == 0 && k1 == 0)) return false;
    const double cells = (double)m, miss = log1p(-1 / cells); /* m = 1: -inf, every bit is hit */
    const double q0 = k0 ? -expm1(k0 * miss) : 0;
    const double q1 = k1 ? -expm1(k1 * miss) * (k0 ? exp(k0 * miss) : 1) : 0;
    const double both = ((double)k0 + (double)k1) * miss;
    *r = (resets){cells, both, {cells * q0, cells * q1}, q0 / -expm1(both), q1 / -expm1(both)};
    return true;
}

static double resets_touched(const resets *r, uint64_t keys) /* 1 - r^keys */
{
    return keys ? -expm1((double)keys * r->stay) : 0;
}

static bool start_ok(double p0) { return p0 >= 0 && p0 <= 1; }

/* (7) */
double blm_generalized_zeros(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0)
{
    resets r;
    if (!resets_of(m, k0, k1, &r) || !start_ok(p0)) return NAN;
    const double touched = resets_touched(&r, n);
    return p0 * (1 - touched) + r.zeros * touched;
}

/* 1 minus (7), which keeps its digits where few bits are ones. */
static double resets_ones(const resets *r, uint64_t n, double p0)
{
    const double touched = resets_touched(r, n);
    return (1 - p0) * (1 - touched) + r->share * touched;
}

/* zeros^b0 ones^b1; 0^0 = 1. */
static double both_powers(double zeros, double b0, double ones, double b1)
{
    const double a = b0 > 0 ? b0 * log(zeros) : 0, b = b1 > 0 ? b1 * log(ones) : 0;
    return exp(a + b);
}

/* (16), (8) */
double blm_generalized_rate(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0, bool cells)
{
    resets r;
    if (!resets_of(m, k0, k1, &r) || !start_ok(p0)) return NAN;
    const double zeros = blm_generalized_zeros(m, k0, k1, n, p0), ones = resets_ones(&r, n, p0);
    return cells ? both_powers(zeros, r.cells[0], ones, r.cells[1])
                 : both_powers(zeros, k0, ones, k1);
}

/* ---- of an array with a given number of ones ---------------------------------------------------- */

/* k0 zeros and k1 ones drawn without putting back. */
static double rate_of_distinct(double zeros, double ones, unsigned k0, unsigned k1)
{
    double rate = 1, left = zeros + ones;
    for (unsigned i = 0; i < k0; i++, left--) rate *= fmax(0, zeros - i) / left;
    for (unsigned i = 0; i < k1; i++, left--) rate *= fmax(0, ones - i) / left;
    return rate;
}

/* Positions repeat. All k0 read a zero with (zeros/m)^k0; then a set position passes on a one, and on any of the
 * bits, j of them, that the key resets itself. */
static double rate_of_repeats(double zeros, double ones, unsigned k0, unsigned k1)
{
    double chance[BLM_THEORY_POSITIONS + 1], pass = 0;
    const double m = zeros + ones;
    const uint64_t cells = (uint64_t)fmax(1, round(zeros));
    const unsigned max = k0 < cells ? k0 : (unsigned)cells;
    if (k0 && zeros <= 0) return 0;
    blm_theory_distinct(cells, k0, max, chance);
    for (unsigned j = 0; j <= max; j++) pass += chance[j] * pow(fmin(1, (ones + j) / m), k1);
    return pow(zeros / m, k0) * pass;
}

double blm_generalized_rate_from_fill(double ones, uint64_t m, unsigned k0, unsigned k1,
                                      bool distinct)
{
    const double cells = (double)m;
    if (m == 0 || !(ones >= 0 && ones <= cells) || k0 > BLM_THEORY_POSITIONS ||
        k1 > BLM_THEORY_POSITIONS || k0 + k1 == 0 || (distinct && k0 + k1 > m))
        return NAN;
    return distinct ? rate_of_distinct(cells - ones, ones, k0, k1)
                    : rate_of_repeats(cells - ones, ones, k0, k1);
}

/* Second moments in the limit of large m: two bits read zero together less often than alone, since the resets and
 * sets of a key have fixed numbers. With c = m (P(both zero) - x^2) and t = (k0 + k1) n / m,
 *     dc/dt = -2 c - (x - a)^2 - a (1 - a),   x - a = (p0 - a) e^-t,   a = k0 / (k0 + k1);
 * k0 = 0 and p0 = 1 give the well-known e^-t (1 - (1 + t) e^-t). Bits of the start are drawn one by one. */
double blm_generalized_rate_sd(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0)
{
    resets r;
    if (!resets_of(m, k0, k1, &r) || !start_ok(p0)) return NAN;
    const double zeros = blm_generalized_zeros(m, k0, k1, n, p0), ones = resets_ones(&r, n, p0);
    if ((k0 && zeros <= 0) || (k1 && ones <= 0)) return 0;
    const double a = r.zeros, t = ((double)k0 + (double)k1) * (double)n / r.m, left = exp(-t);
    const double together = (p0 - a) * (p0 - a) * t * left * left - a * (1 - a) * expm1(-2 * t) / 2;
    const double variance = fmax(0, zeros * ones - together) / r.m;
    const double g = k0 ? k0 / zeros : 0, h = k1 ? k1 / ones : 0;
    const double slope = g - h;
    const double bend = slope * slope - (k0 ? g / zeros : 0) - (k1 ? h / ones : 0);
    return hypot(slope * sqrt(variance), bend * variance / sqrt(2));
}

/* (18), (27) and (19) */
double blm_generalized_worst(unsigned k0, unsigned k1)
{
    return k0 || k1 ? (double)k0 / ((double)k0 + (double)k1) : NAN;
}

double blm_generalized_bound(unsigned k0, unsigned k1)
{
    const double zeros = blm_generalized_worst(k0, k1);
    return isnan(zeros) ? zeros : both_powers(zeros, k0, (double)k1 / ((double)k0 + k1), k1);
}

/* ---- misses ------------------------------------------------------------------------------------- */

/* 1 - (1 - x)^b0 (1 - y)^b1 */
static double turned(double b0, double x, double b1, double y)
{
    return -expm1((b0 > 0 ? b0 * log1p(-x) : 0) + (b1 > 0 ? b1 * log1p(-y) : 0));
}

static double miss_after(const resets *r, double later)
{
    const double touched = later > 0 ? -expm1(later * r->stay) : 0;
    return turned(r->cells[0], r->share * touched, r->cells[1], r->zeros * touched);
}

/* (9) to (11) */
double blm_generalized_miss(uint64_t m, unsigned k0, unsigned k1, uint64_t later)
{
    resets r;
    return resets_of(m, k0, k1, &r) ? miss_after(&r, (double)later) : NAN;
}

/* The sum over first, first + 1, ... last - 1 as the integral between the halves (Gauss, 10 points) and its
 * first correction: right to 1e-12 from some 1000 keys on, where a block is no longer than what was before it. */
static double miss_block(const resets *r, double first, double last)
{
    static const double node[] = {0.14887433898163122, 0.43339539412924719, 0.67940956829902441,
                                  0.86506336668898451, 0.97390652851717172};
    static const double weight[] = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                                    0.14945134915058059, 0.06667134430868814};
    const double half = (last - first) / 2, middle = (last + first - 1) / 2;
    double sum = 0;
    for (int i = 0; i < 5; i++)
        sum += weight[i] *
               (miss_after(r, middle - half * node[i]) + miss_after(r, middle + half * node[i]));
    const double slope = miss_after(r, last) - miss_after(r, last - 1) - miss_after(r, first) +
                         miss_after(r, first - 1);
    return half * sum - slope / 24;
}

/* (12) */
double blm_generalized_misses(uint64_t m, unsigned k0, unsigned k1, uint64_t n)
{
    resets r;
    double sum = 0;
    if (!resets_of(m, k0, k1, &r)) return NAN;
    if (n == 0) return 0;
    uint64_t i = n < 1024 ? n : 1024;
    for (uint64_t j = 1; j < i; j++) sum += miss_after(&r, (double)j);
    while (i < n) {
        const uint64_t next = n - i < i ? n : 2 * i;
        sum += miss_block(&r, (double)i, (double)next);
        i = next;
    }
    return sum / (double)n;
}

/* (22) to (24); t = (k0 + k1) n / m */
static double miss_at(unsigned k0, unsigned k1, double t)
{
    const double a = blm_generalized_worst(k0, k1), touched = -expm1(-t);
    return turned(k0, (1 - a) * touched, k1, a * touched);
}

double blm_generalized_miss_bound(uint64_t m, unsigned k0, unsigned k1, uint64_t n)
{
    if (m == 0 || (k0 == 0 && k1 == 0)) return NAN;
    return miss_at(k0, k1, ((double)k0 + (double)k1) * ((double)n / (double)m));
}

/* ---- tuning --------------------------------------------------------------------------------------- */

/* Bits a key at which the bound of misses is fn. */
static double bits_a_key(unsigned k0, unsigned k1, double fn)
{
    double low = 0, high = 64; /* t; at 64 all is touched */
    if (miss_at(k0, k1, high) <= fn) return 0;
    for (int i = 0; i < 120; i++) {
        const double t = (low + high) / 2;
        if (miss_at(k0, k1, t) <= fn)
            low = t;
        else
            high = t;
    }
    return ((double)k0 + (double)k1) / low;
}

/* Misses grow with k1, so of each k0 the smallest k1 that keeps fp is looked at. */
static double best_pair(double fp, double fn, unsigned max, unsigned pair[2])
{
    double min = INFINITY;
    for (unsigned k0 = 1; k0 <= max; k0++) {
        unsigned k1 = 1;
        while (k1 <= max && blm_generalized_bound(k0, k1) > fp) k1++;
        if (k1 > max) continue;
        const double bits = bits_a_key(k0, k1, fn), same = 1e-12 * min;
        if (bits > min + same || (bits >= min - same && k0 + k1 >= pair[0] + pair[1])) continue;
        min = bits;
        pair[0] = k0;
        pair[1] = k1;
    }
    return min;
}

bool blm_generalized_tune(uint64_t n, double fp, double fn, uint64_t *m, unsigned *k0, unsigned *k1)
{
    unsigned pair[2] = {0, 0};
    double bits = INFINITY;
    if (n == 0 || !(fp > 0 && fp < 1) || !(fn > 0 && fn < 1)) return false;
    for (unsigned max = 64; max <= BLM_THEORY_POSITIONS / 2 && isinf(bits); max *= 2)
        bits = best_pair(fp, fn, max, pair);
    const double exact = bits * (double)n, min = (double)pair[0] + pair[1];
    if (!(exact < ldexp(1, BLM_THEORY_BITS))) return false;
    uint64_t found = (uint64_t)fmax(min, floor(exact * (1 - 1e-12)) - 1);
    while (blm_generalized_miss_bound(found, pair[0], pair[1], n) > fn) found++;
    *m = found;
    *k0 = pair[0];
    *k1 = pair[1];
    return true;
}

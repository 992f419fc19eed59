/* estimate.c - how many keys a filter holds, and how many two filters share, from ones alone.
 *
 * zeros of S = m e^(-leave |S|) on average, so |S| is about -ln(zeros / m) / leave. Its error is
 * that of the zeros, divided by leave * zeros; with the covariances of theory_internal.h,
 *     Cov(estimate_S, estimate_T) = excess(|S n T|) / (m leave^2).
 */
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include "theory_internal.h"

double blm_theory_keys_of(blm_theory_spread s, uint64_t ones)
{
    if (!((double)ones <= s.m)) return NAN;
    if (ones == 0) return 0;
    double zeros = log1p(-(double)ones / s.m); /* full: -inf, and leave may be inf as well */
    return isinf(zeros) ? INFINITY : -zeros / s.leave;
}

double blm_theory_keys_sd(blm_theory_spread s, uint64_t n)
{
    if (isnan(s.m)) return NAN;
    if (n == 0) return 0;
    if (s.m < 2) return INFINITY;
    return sqrt(blm_theory_excess(&s, (double)n) / s.m) / s.leave;
}

static double common_of(blm_theory_spread s, uint64_t a, uint64_t b, uint64_t either)
{
    double all = blm_theory_keys_of(s, either);
    return isinf(all) ? NAN : blm_theory_keys_of(s, a) + blm_theory_keys_of(s, b) - all;
}

/* Second moments of the estimates of |A n B| = |A| + |B| - |A u B| and of |A u B|. */
typedef struct overlap_sd {
    double common, both_sets, covariance; /* variances; and their covariance */
} overlap_sd;

static overlap_sd overlap_of(const blm_theory_spread *s, uint64_t a, uint64_t b, uint64_t common)
{
    double unit = s->m * s->leave * s->leave;
    double in_a = blm_theory_excess(s, (double)a), in_b = blm_theory_excess(s, (double)b);
    double in_both = blm_theory_excess(s, (double)common);
    double in_any = blm_theory_excess(s, (double)a + (double)b - (double)common);
    double spread = in_any + 2 * in_both - in_a - in_b;
    return (overlap_sd){.common = spread > 0 ? spread / unit : 0,
                        .both_sets = in_any / unit,
                        .covariance = (in_a + in_b - in_any) / unit};
}

double blm_theory_common_sd(blm_theory_spread s, uint64_t a, uint64_t b, uint64_t common)
{
    if (isnan(s.m) || common > a || common > b) return NAN;
    if (a == 0 && b == 0) return 0;
    overlap_sd o = overlap_of(&s, a, b, common);
    return isinf(o.both_sets) || s.m < 2 ? INFINITY : sqrt(o.common);
}

double blm_theory_jaccard_sd(blm_theory_spread s, uint64_t a, uint64_t b, uint64_t common)
{
    if (isnan(s.m) || common > a || common > b) return NAN;
    if (a == 0 && b == 0) return 0;
    overlap_sd o = overlap_of(&s, a, b, common);
    if (isinf(o.both_sets) || s.m < 2) return INFINITY;
    double any = (double)a + (double)b - (double)common, ratio = (double)common / any;
    double spread = o.common + ratio * ratio * o.both_sets - 2 * ratio * o.covariance;
    return spread > 0 ? sqrt(spread) / any : 0;
}

/* r = C / A with C = A + B - U. Cov(C, A) = Var A + Cov(A, B) - Cov(A, U) has one term left, excess(|A n B|), as A and
 * U share all of A. So Var r = (Var C + r^2 Var A - 2 r Cov(C, A)) / A^2, summed in an order in which nothing is left
 * when all of A is in B: U is then B, bit for bit, and C / A is 1 without an error.
 * Two instances with m = 9585, k = 7 and 1000 keys in A. All 300 keys of B are in A: 0.00285, where sd(C) / A is
 * 0.00225. 1000 keys in B, 960 of them common: 0.00244, where sd(C) / A is 0.00787. */
double blm_theory_contained_sd(blm_theory_spread s, uint64_t a, uint64_t b, uint64_t common)
{
    if (isnan(s.m) || common > a || common > b) return NAN;
    if (a == 0) return 0;
    double in_a = blm_theory_excess(&s, (double)a), in_b = blm_theory_excess(&s, (double)b);
    double in_both = blm_theory_excess(&s, (double)common);
    double in_any = blm_theory_excess(&s, (double)a + (double)b - (double)common);
    if (isinf(in_any) || s.m < 2) return INFINITY;
    double ratio = (double)common / (double)a;
    double spread =
        (in_any - in_a) - (in_b - in_both) + (in_both * (1 - 2 * ratio) + ratio * ratio * in_a);
    return spread > 0 ? sqrt(spread / s.m) / (s.leave * (double)a) : 0;
}

double blm_keys_from_fill(uint64_t ones, uint64_t m, unsigned k)
{
    return blm_theory_keys_of(blm_theory_spread_of(m, k), ones);
}

double blm_keys_from_fill_blocked(uint64_t ones, uint64_t block_bits, uint64_t blocks, unsigned k)
{
    return blm_theory_keys_of(blm_theory_spread_blocked(block_bits, blocks, k), ones);
}

double blm_keys_sd(uint64_t m, unsigned k, uint64_t n)
{
    return blm_theory_keys_sd(blm_theory_spread_of(m, k), n);
}

/* Only the z cells that were zeros can tell of the later keys: theirs is the spread of z cells, each left alone as
 * often as any of all m. With z = m this is blm_keys_sd, whose drift must not be formed by a difference.
 * One instance: 100 keys after half of 9585 bits were set by 7 hashes each, 3.92; all 1049 keys, 8.68. */
double blm_keys_later_sd(uint64_t m, unsigned k, uint64_t ones, uint64_t n)
{
    if (!blm_theory_shape(m, k) || ones > m) return NAN;
    if (ones == 0 || n == 0) return blm_keys_sd(m, k, n);
    if (ones == m) return INFINITY;
    blm_theory_spread s = blm_theory_spread_of(m, k);
    s.m = (double)(m - ones);
    s.others = s.m - 1;
    s.drift = s.leave + s.others * s.apart;
    return sqrt(blm_theory_excess(&s, (double)n) / s.m) / s.leave;
}

double blm_keys_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n)
{
    return blm_theory_keys_sd(blm_theory_spread_blocked(block_bits, blocks, k), n);
}

double blm_keys_common(uint64_t ones_a, uint64_t ones_b, uint64_t ones_or, uint64_t m, unsigned k)
{
    return common_of(blm_theory_spread_of(m, k), ones_a, ones_b, ones_or);
}

double blm_keys_common_blocked(uint64_t ones_a, uint64_t ones_b, uint64_t ones_or,
                               uint64_t block_bits, uint64_t blocks, unsigned k)
{
    return common_of(blm_theory_spread_blocked(block_bits, blocks, k), ones_a, ones_b, ones_or);
}

/* ln(m - (and m - a b) / (m - a - b + and)) - ln m, over k ln(1 - 1/m). */
double blm_keys_common_and(uint64_t ones_a, uint64_t ones_b, uint64_t ones_and, uint64_t m,
                           unsigned k)
{
    if (!blm_theory_shape(m, k) || ones_a > m || ones_b > m) return NAN;
    double bits = (double)m, a = (double)ones_a, b = (double)ones_b, both = (double)ones_and;
    double zeros = bits - a - b + both; /* of the OR */
    if (!(zeros > 0)) return NAN;
    return log1p(-(both * bits - a * b) / (zeros * bits)) / (k * log1p(-1 / bits));
}

double blm_keys_common_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common)
{
    return blm_theory_common_sd(blm_theory_spread_of(m, k), a, b, common);
}

double blm_keys_common_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t a,
                                  uint64_t b, uint64_t common)
{
    return blm_theory_common_sd(blm_theory_spread_blocked(block_bits, blocks, k), a, b, common);
}

double blm_jaccard_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common)
{
    return blm_theory_jaccard_sd(blm_theory_spread_of(m, k), a, b, common);
}

double blm_jaccard_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t a,
                              uint64_t b, uint64_t common)
{
    return blm_theory_jaccard_sd(blm_theory_spread_blocked(block_bits, blocks, k), a, b, common);
}

double blm_contained_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common)
{
    return blm_theory_contained_sd(blm_theory_spread_of(m, k), a, b, common);
}

double blm_contained_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t a,
                                uint64_t b, uint64_t common)
{
    return blm_theory_contained_sd(blm_theory_spread_blocked(block_bits, blocks, k), a, b, common);
}

/* P(bit in both) = P(in A) P(in B) + what the common keys add: e^(-l(a+b-c)) - e^(-l(a+b)). */
double blm_dot_mean(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common)
{
    if (!blm_theory_shape(m, k) || common > a || common > b) return NAN;
    if (a == 0 || b == 0) return 0;
    double leave = -(double)k * log1p(-1 / (double)m);
    double in_a = -expm1(-leave * (double)a), in_b = -expm1(-leave * (double)b), shared = 0;
    if (common > 0)
        shared = exp(-leave * ((double)a + (double)b - (double)common)) *
                 -expm1(-leave * (double)common);
    return (double)m * (in_a * in_b + shared);
}

double blm_and_exact_chance(uint64_t m, unsigned k, uint64_t a, uint64_t b)
{
    if (!blm_theory_shape(m, k)) return NAN;
    if (a == 0 || b == 0) return 1;
    return exp((double)k * (double)k * (double)a * (double)b * log1p(-1 / (double)m));
}

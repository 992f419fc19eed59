/* fill.c - how many ones there are after n keys: mean, spread, and a bound for promises. */
#include <bloomery/theory/fill.h>
#include "theory_internal.h"

/* leave + others * apart of a standard filter of m bits, a throw: ln(1 + y) + ln(1 - y^2) / y with
 * y = 1/(m - 1). Both parts are near y and the rest is -y^2/2, so for small y by its series. */
static double throw_drift(double m)
{
    double y = 1 / (m - 1);
    if (y > 0.1) return log1p(y) + log1p(-y * y) / y;
    double power = y * y, sum = 0;
    for (int e = 2; e < 20; e++) {
        sum += power * (e % 2 ? 1.0 / e - 2.0 / (e + 1) : -1.0 / e);
        power *= y;
    }
    return sum;
}

blm_theory_spread blm_theory_spread_of(uint64_t m, unsigned k)
{
    if (!blm_theory_shape(m, k)) return BLM_THEORY_NO_FILTER;
    double bits = (double)m;
    blm_theory_spread s = {.m = bits, .mates = 0, .others = bits - 1};
    s.leave = -(double)k * log1p(-1 / bits);
    s.apart = m > 1 ? k * log1p(-1 / ((bits - 1) * (bits - 1))) : 0;
    s.drift = m > 2 ? k * throw_drift(bits) : 0;
    return s;
}

/* With one block, or one bit per block, or one hash, this is a standard filter, whose own form is
 * the stable one: its drift vanishes like 1/m^2 where this one is k(k-1) / (2 m block_bits). */
blm_theory_spread blm_theory_spread_blocked(uint64_t block_bits, uint64_t blocks, unsigned k)
{
    if (!blm_theory_block_shape(block_bits, blocks, k)) return BLM_THEORY_NO_FILTER;
    if (blocks == 1) return blm_theory_spread_of(block_bits, k);
    if (block_bits == 1 || k == 1) return blm_theory_spread_of(block_bits * blocks, 1);
    double size = (double)block_bits, b = (double)blocks;
    blm_theory_spread s = {.m = size * b, .mates = size - 1, .others = size * (b - 1)};
    double miss = k * log1p(-1 / size); /* ln P(k throws miss one bit of their block) */
    double one = -expm1(miss);
    double both = one * one + exp(2 * miss) * expm1(k * log1p(-1 / ((size - 1) * (size - 1))));
    double hit = one / b, rest = 1 - hit;
    s.leave = -log1p(-hit);
    s.same = log1p((both / b - hit * hit) / (rest * rest));
    s.apart = log1p(-(hit / rest) * (hit / rest));
    s.drift = s.leave + s.mates * s.same + s.others * s.apart;
    return s;
}

/* At a low load the three terms cancel to leave (keys k)^2 / (2 m^2); their linear parts are
 * therefore added up beforehand, in drift. */
double blm_theory_excess(const blm_theory_spread *s, double keys)
{
    if (keys <= 0) return 0;
    if (s->leave * keys > 1 || s->m < 3)
        return expm1(s->leave * keys) + s->mates * expm1(s->same * keys) +
               s->others * expm1(s->apart * keys);
    double sum = blm_theory_expm1_less(s->leave * keys) + s->drift * keys +
                 s->mates * blm_theory_expm1_less(s->same * keys) +
                 s->others * blm_theory_expm1_less(s->apart * keys);
    return sum > 0 ? sum : 0;
}

static double fill_mean(blm_theory_spread s, double n)
{
    if (isnan(s.m)) return NAN;
    return n > 0 ? s.m * -expm1(-s.leave * n) : 0;
}

double blm_theory_fill_sd(blm_theory_spread s, double n)
{
    if (isnan(s.m)) return NAN;
    double zero = n > 0 ? exp(-s.leave * n) : 1; /* chance that a bit is zero */
    if (n <= 0 || s.m < 2) return 0;
    if (zero < 1e-100) return sqrt(s.m * zero); /* the few zeros are independent */
    double sd2 = s.m * zero * zero * blm_theory_excess(&s, n);
    return sd2 > 0 ? sqrt(sd2) : 0;
}

double blm_fill_mean(uint64_t m, unsigned k, uint64_t n)
{
    return fill_mean(blm_theory_spread_of(m, k), (double)n);
}

double blm_fill_sd(uint64_t m, unsigned k, uint64_t n)
{
    return blm_theory_fill_sd(blm_theory_spread_of(m, k), (double)n);
}

double blm_fill_mean_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n)
{
    return fill_mean(blm_theory_spread_blocked(block_bits, blocks, k), (double)n);
}

double blm_fill_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n)
{
    return blm_theory_fill_sd(blm_theory_spread_blocked(block_bits, blocks, k), (double)n);
}

/* P(|X - E X| >= t) <= 2 exp(-2 t^2 / (kn)): each of kn throws moves the count by one at most. */
double blm_fill_azuma(unsigned k, uint64_t n, double miss)
{
    if (k == 0 || !(miss > 0 && miss <= 1)) return NAN;
    return sqrt(0.5 * (double)k * (double)n * log(2 / miss));
}

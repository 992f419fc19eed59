/* theory.c - rate, spread, size and estimates of split blocks: 8 lanes of 32 bits, one bit per lane.
 *
 * With i keys a bit of a lane is one with chance 1 - (31/32)^i, and a non-member needs one in each
 * lane: (1 - (31/32)^i)^8, mixed over loads (loads.c). Two things are not in that formula, because a
 * block has 32 bits of the hash to be chosen by and its lanes the other 32:
 *  - Keys of one block that agree in the latter are twins, one chance in 2^32 and not in 32^8 = 2^40.
 *    (No others have the same 8 bits: all 2^32 differences were tried.) They are 5.6e-9 of a rate of
 *    1 %, next to nothing, but two thirds of a rate of 1e-10.
 *  - Of 2^32 numbers a block gets the whole part of 2^32 / blocks, or one more: two sorts of blocks. The
 *    rate is 0.03 % higher by that at 4.1e7 blocks (10^9 keys at 1 %), 1.6 % at 3.2e8, 49 % at 1.7e9.
 */
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include "theory/theory_internal.h"

#define LANE_BITS  32
#define BLOCK_BITS (8 * LANE_BITS)
#define NUMBERS    4294967296.0              /* 2^32 numbers choose a block                 */
#define TWINS      (255 / 1099511627776.0)   /* 2^-32 - 2^-40: what the lanes do not count  */
#define LEAVE_LANE 0.03174869831458030115699 /* -ln(31/32)                                  */
/* After 45 throws a bit, none of 256 is zero by more than 256 e^-45 = 7e-18: as good as full. */
#define FULL (UINT64_C(45) * LANE_BITS)

static bool split_shape(uint64_t blocks) { return blocks > 0 && blocks <= BLM_THEORY_SPLIT; }

/* ---- one block ----------------------------------------------------------------------------------- */

static double eighth_power(double x)
{
    x *= x;
    x *= x;
    return x * x;
}

/* For chances of the eight bits and of a twin that are independent. */
static double rate_at(void *self, uint64_t load)
{
    (void)self;
    const double keys = (double)load, twin = -expm1(-TWINS * keys);
    const double lanes = eighth_power(-expm1(-LEAVE_LANE * keys));
    return lanes + (1 - lanes) * twin;
}

/* The mean square of a block's rate: two non-members find one bit of a lane (1 in 32), or two. */
static double square_at(void *self, uint64_t load)
{
    (void)self;
    const double keys = (double)load, twin = -expm1(-TWINS * keys);
    const double one = -expm1(-LEAVE_LANE * keys);
    const double two = 2 * one + expm1(log1p(-2.0 / LANE_BITS) * keys);
    const double lanes = eighth_power(one), both = eighth_power((one + 31 * two) / LANE_BITS);
    return both * (1 - twin) * (1 - twin) + 2 * lanes * twin * (1 - twin) + twin * twin;
}

/* ---- two sorts of blocks --------------------------------------------------------------------------- */

typedef struct sort {
    double blocks; /* how many there are                             */
    double chance; /* that a key falls into one given block of them  */
} sort;

static void sorts_of(uint64_t blocks, sort of[2])
{
    const uint64_t numbers = UINT64_C(1) << 32, min = numbers / blocks, more = numbers % blocks;
    of[0] = (sort){(double)(blocks - more), (double)min / NUMBERS};
    of[1] = (sort){(double)more, (double)(min + 1) / NUMBERS};
}

static double split_rate(uint64_t blocks, uint64_t n)
{
    const blm_theory_curve curve = {rate_at, NULL, FULL};
    double rate = 0;
    sort of[2];
    sorts_of(blocks, of);
    for (int i = 0; i < 2; i++)
        if (of[i].blocks > 0)
            rate += of[i].blocks * of[i].chance *
                    blm_theory_mix_loads(&curve, 1 / of[i].chance, n).mean;
    return fmin(rate, 1); /* not by an ulp more */
}

double blm_rate_split(uint64_t blocks, uint64_t n)
{
    if (!split_shape(blocks)) return NAN;
    return n == 0 ? 0 : split_rate(blocks, n);
}

double blm_rate_split_sd(uint64_t blocks, uint64_t n)
{
    if (!split_shape(blocks)) return NAN;
    if (n == 0) return 0;
    const blm_theory_curve curve = {rate_at, NULL, FULL}, square = {square_at, NULL, FULL};
    const blm_theory_mix once = blm_theory_mix_loads(&curve, (double)blocks, n);
    return blm_theory_mix_sd(&once, blm_theory_mix_loads(&square, (double)blocks, n).mean, blocks,
                             n);
}

double blm_split_twins(double load) { return load >= 0 ? -expm1(-TWINS * load) : NAN; }

/* ---- sizing ---------------------------------------------------------------------------------------- */

static double rate_of_blocks(void *n, uint64_t blocks)
{
    return split_rate(blocks, *(uint64_t *)n);
}

bool blm_size_split(uint64_t n, double p, uint64_t *blocks)
{
    if (n == 0 || !(p > 0 && p < 1)) return false;
    const double guess = fmin(1.5 * (double)n * -log2(p) / BLOCK_BITS + 1, BLM_THEORY_SPLIT);
    const uint64_t found =
        blm_theory_fewest(rate_of_blocks, &n, p, (uint64_t)guess, BLM_THEORY_SPLIT);
    if (!found) return false;
    *blocks = found;
    return true;
}

/* ---- ones and keys ----------------------------------------------------------------------------------- */

/* All blocks alike: the two sorts hardly change a spread. A key hits two bits of one block together
 * when they lie in two lanes (1/1024), never in one. */
static blm_theory_spread spread_of(uint64_t blocks)
{
    if (!split_shape(blocks)) return BLM_THEORY_NO_FILTER;
    const double b = (double)blocks, hit = 1 / (LANE_BITS * b), rest = 1 - hit;
    blm_theory_spread s = {.m = BLOCK_BITS * b, .mates = BLOCK_BITS - LANE_BITS};
    s.others = s.m - 1 - s.mates;
    s.leave = -log1p(-hit);
    s.same = log1p((hit / LANE_BITS - hit * hit) / (rest * rest));
    s.apart = log1p(-(hit / rest) * (hit / rest));
    s.drift = s.leave + s.mates * s.same + s.others * s.apart;
    return s;
}

/* The share of ones after n keys, and how it grows with a further one. */
static double fill_share(uint64_t blocks, double n, double *growth)
{
    double share = 0;
    sort of[2];
    sorts_of(blocks, of);
    *growth = 0;
    for (int i = 0; i < 2; i++) {
        const double part = of[i].blocks / (double)blocks;
        const double leave = -log1p(-of[i].chance / LANE_BITS);
        share += part * -expm1(-leave * n);
        *growth += part * leave * exp(-leave * n);
    }
    return share;
}

double blm_fill_mean_split(uint64_t blocks, uint64_t n)
{
    double growth;
    if (!split_shape(blocks)) return NAN;
    return BLOCK_BITS * (double)blocks * fill_share(blocks, (double)n, &growth);
}

double blm_fill_sd_split(uint64_t blocks, uint64_t n)
{
    return blm_theory_fill_sd(spread_of(blocks), (double)n);
}

/* From the estimate that takes all blocks alike, which is 1.5 % off at worst, by three steps of
 * Newton's: the share is concave, so none of them goes too far for long. */
double blm_keys_from_fill_split(uint64_t ones, uint64_t blocks)
{
    const blm_theory_spread s = spread_of(blocks);
    double n = blm_theory_keys_of(s, ones), growth;
    for (int step = 0; step < 3 && n > 0 && isfinite(n); step++) {
        const double over = fill_share(blocks, n, &growth) - (double)ones / s.m;
        n -= over / growth;
    }
    return n;
}

double blm_keys_sd_split(uint64_t blocks, uint64_t n)
{
    return blm_theory_keys_sd(spread_of(blocks), n);
}

double blm_keys_common_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common)
{
    return blm_theory_common_sd(spread_of(blocks), a, b, common);
}

double blm_jaccard_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common)
{
    return blm_theory_jaccard_sd(spread_of(blocks), a, b, common);
}

double blm_contained_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common)
{
    return blm_theory_contained_sd(spread_of(blocks), a, b, common);
}

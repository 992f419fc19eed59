/* loads.c - filters of blocks: the rate of a block at each load, mixed over loads.
 *
 * A key chooses one block, so the load of a block, its number of keys, is binomial. What a block does with its
 * keys is a curve, rate by load: the one of k throws is here, split.c has its own. The formula of one large
 * filter of the same bits is too low: by 8 % at 8 bits per key, 84 % at 16.
 */
#include "theory_internal.h"

/* ---- one block ------------------------------------------------------------------------------- */

/* After 45 throws a bit, none of 128 cells is zero by more than 128 e^-45 = 4e-18. */
#define THROWS_A_BIT 45

void blm_theory_block_init(blm_theory_block *c, uint64_t block_bits, unsigned probes,
                           unsigned throws, double extra)
{
    c->probes = probes;
    c->throws = throws;
    c->extra = extra;
    c->cells = probes < block_bits ? probes : (unsigned)block_bits;
    c->full = THROWS_A_BIT * block_bits / throws + 1;
    c->far_load = 0;
    c->kept = 0;
    for (unsigned j = 0; j <= c->cells; j++) {
        c->step[j] = (double)j / (double)block_bits;
        c->set[j] = j == 0;
    }
    blm_theory_distinct(block_bits, probes, c->cells, c->distinct);
}

/* One throw, with a chance of `often`. */
static void throw_one(const blm_theory_block *c, double *set, double often)
{
    for (unsigned j = c->cells; j > 0; j--)
        set[j] = (1 - often * c->step[j]) * set[j] + often * c->step[j] * set[j - 1];
}

static void add_key(const blm_theory_block *c, double *set)
{
    for (unsigned t = 0; t < c->throws; t++) throw_one(c, set, 1);
    if (c->extra > 0) throw_one(c, set, c->extra);
}

static double rate_of(const blm_theory_block *c, const double *set)
{
    double rate = 0;
    for (unsigned j = 1; j <= c->cells; j++) rate += c->distinct[j] * set[j];
    return rate;
}

double blm_theory_block_rate(void *self, uint64_t load)
{
    blm_theory_block *c = self;
    if (load >= c->full) return 1;
    while (c->kept < BLM_THEORY_LOADS && c->kept <= load) {
        c->rate[c->kept++] = rate_of(c, c->set);
        add_key(c, c->set);
    }
    if (load < BLM_THEORY_LOADS) return c->rate[load];
    if (c->far_load < BLM_THEORY_LOADS || c->far_load > load) {
        for (unsigned j = 0; j <= c->cells; j++) c->far[j] = c->set[j];
        c->far_load = BLM_THEORY_LOADS;
    }
    for (; c->far_load < load; c->far_load++) add_key(c, c->far);
    return rate_of(c, c->far);
}

/* ---- all blocks ------------------------------------------------------------------------------ */

/* Weights are relative to the one of the average load and go up and down by their ratios: no
 * factorial, and their sum divides out. Below 9.5 sd lie 1e-20 of the loads, and those have the
 * lowest rates; upward the sum ends when all that is left, at rate 1, is below 1e-18 of it. */
blm_theory_mix blm_theory_mix_loads(const blm_theory_curve *c, double blocks, uint64_t n)
{
    double keys = (double)n, average = keys / blocks, others = blocks - 1;
    if (!(others > 0)) return (blm_theory_mix){.mean = c->rate(c->self, n), .covariance = 0};
    double low = floor(average - 9.5 * sqrt(average));
    if (low >= (double)c->full) return (blm_theory_mix){.mean = 1, .covariance = 0};
    uint64_t first = low > 0 ? (uint64_t)low : 0;
    double weight = 1, total = 0, mean = 0, lean = 0;
    for (uint64_t i = (uint64_t)average; i > first; i--)
        weight *= (double)i * others / (keys - (double)i + 1);
    for (uint64_t i = first; i <= n; i++) {
        double part = weight * c->rate(c->self, i);
        total += weight;
        mean += part;
        lean += part * ((double)i - average);
        double ratio = (keys - (double)i) / (((double)i + 1) * others);
        if (ratio < 1 && weight * ratio <= 1e-18 * mean * (1 - ratio)) break;
        weight *= ratio;
    }
    return (blm_theory_mix){.mean = mean / total, .covariance = lean / total};
}

/* The filter's rate is the mean over its blocks. Loads add up to n, so the part of a block's rate that is
 * linear in its load cancels between blocks: the variance is that of the rate less Cov(rate, load)^2 /
 * Var(load), over blocks. Without that term the spread of 512-bit blocks at 10 bits per key, k = 7, would be
 * 2.5 times too wide. */
double blm_theory_mix_sd(const blm_theory_mix *once, double square, uint64_t blocks, uint64_t n)
{
    double mean2 = once->mean * once->mean;
    if (!(mean2 > 0) || !(square > 0)) return INFINITY;
    double share = 1 / (double)blocks, load_var = (double)n * share * (1 - share);
    double linear = blocks > 1 ? once->covariance * once->covariance / load_var : 0;
    double spread = (square - linear) / mean2 - 1;
    return spread > 0 ? sqrt(spread * share) : 0;
}

/* From the guess down by halves or up by doubles, then bisection. */
uint64_t blm_theory_fewest(double (*rate)(void *self, uint64_t blocks), void *self, double p,
                           uint64_t guess, uint64_t limit)
{
    uint64_t low, high = guess < limit ? guess : limit;
    if (rate(self, high) <= p) {
        for (low = high / 2; low > 0 && rate(self, low) <= p; low /= 2) high = low;
    } else {
        do {
            if (high == limit) return 0;
            low = high;
            high = high < limit / 2 ? 2 * high : limit;
        } while (rate(self, high) > p);
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(rate(self, middle) <= p ? &high : &low) = middle;
    }
    return high;
}

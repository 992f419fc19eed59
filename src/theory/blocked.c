/* blocked.c - rate, spread and size of a filter in which each block is a small standard filter.
 *
 * A key throws its k bits into one block; the rate is the mix over the loads of a block (loads.c).
 */
#include "theory_internal.h"

/* ---- the mix over loads ---------------------------------------------------------------------- */

static blm_theory_mix mix_loads(blm_theory_block *c, uint64_t blocks, uint64_t n)
{
    const blm_theory_curve curve = {blm_theory_block_rate, c, c->full};
    return blm_theory_mix_loads(&curve, (double)blocks, n);
}

static double blocked_rate(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n)
{
    blm_theory_block c;
    blm_theory_block_init(&c, block_bits, k, k, 0);
    return fmin(mix_loads(&c, blocks, n).mean, 1); /* not by an ulp more */
}

double blm_rate_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n)
{
    if (!blm_theory_block_shape(block_bits, blocks, k) || k > BLM_THEORY_HASHES) return NAN;
    return n == 0 ? 0 : blocked_rate(block_bits, blocks, k, n);
}

double blm_rate_blocked_sd(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n)
{
    if (!blm_theory_block_shape(block_bits, blocks, k) || k > BLM_THEORY_HASHES) return NAN;
    if (n == 0) return 0;
    blm_theory_block c;
    blm_theory_block_init(&c, block_bits, k, k, 0);
    const blm_theory_mix once = mix_loads(&c, blocks, n);
    blm_theory_block_init(&c, block_bits, 2 * k, k, 0);
    return blm_theory_mix_sd(&once, mix_loads(&c, blocks, n).mean, blocks, n);
}

/* ---- sizing ---------------------------------------------------------------------------------- */

/* The lowest rate over k, walking from k; of equals the smaller k. */
static unsigned best_from(uint64_t block_bits, uint64_t blocks, uint64_t n, unsigned k,
                          double *rate)
{
    double now = blocked_rate(block_bits, blocks, k, n), other;
    for (; k > 1 && (other = blocked_rate(block_bits, blocks, k - 1, n)) <= now; k--) now = other;
    for (; k < BLM_THEORY_HASHES && (other = blocked_rate(block_bits, blocks, k + 1, n)) < now; k++)
        now = other;
    *rate = now;
    return k;
}

unsigned blm_best_hashes_blocked(uint64_t block_bits, uint64_t blocks, uint64_t n)
{
    double rate;
    if (!blm_theory_block_shape(block_bits, blocks, 1) || n == 0) return 0;
    return best_from(block_bits, blocks, n, 1, &rate);
}

typedef struct search {
    blm_theory_block curve;
    uint64_t n;
} search;

static double rate_of_blocks(void *self, uint64_t blocks)
{
    search *s = self;
    return mix_loads(&s->curve, blocks, s->n).mean;
}

/* Smallest number of blocks, at most `limit`, that keeps p with k hashes; 0: there is none. All on
 * one table of loads. */
static uint64_t blocks_for(uint64_t block_bits, unsigned k, uint64_t n, double p, uint64_t guess,
                           uint64_t limit)
{
    search s = {.n = n};
    blm_theory_block_init(&s.curve, block_bits, k, k, 0);
    return blm_theory_fewest(rate_of_blocks, &s, p, guess, limit);
}

/* From a first k to the best one: while some k keeps p with one block less, take it and see how
 * few blocks it needs. Two or three rounds, as the best k hardly moves with the size. */
static uint64_t shrink(uint64_t block_bits, uint64_t n, double p, uint64_t blocks, unsigned *k)
{
    while (blocks > 1) {
        double rate;
        unsigned better = best_from(block_bits, blocks - 1, n, *k, &rate);
        if (rate > p) break;
        *k = better;
        blocks = blocks_for(block_bits, better, n, p, blocks - 1, blocks - 1);
    }
    while (*k > 1 && blocked_rate(block_bits, blocks, *k - 1, n) <= p) --*k;
    return blocks;
}

bool blm_size_blocked(uint64_t n, double p, uint64_t block_bits, unsigned hashes, uint64_t *blocks,
                      unsigned *k)
{
    if (n == 0 || !(p > 0 && p < 1) || hashes > BLM_THEORY_HASHES) return false;
    if (!blm_theory_block_shape(block_bits, 1, 1)) return false;
    uint64_t limit = ((uint64_t)1 << BLM_THEORY_BITS) / block_bits;
    double ideal = -log2(p), bits = 1.5 * (double)n * ideal;
    double guess = fmin(bits / (double)block_bits + 1, (double)limit);
    unsigned first = hashes ? hashes : (unsigned)fmin(fmax(0.8 * ideal, 1), BLM_THEORY_HASHES);
    uint64_t found = blocks_for(block_bits, first, n, p, (uint64_t)guess, limit);
    if (!hashes) {
        if (!found) { /* this k cannot, the best one may */
            double rate;
            first = best_from(block_bits, limit, n, first, &rate);
            found = rate <= p ? limit : 0;
        }
        if (found) found = shrink(block_bits, n, p, found, &first);
    }
    if (!found) return false;
    *blocks = found;
    *k = first;
    return true;
}

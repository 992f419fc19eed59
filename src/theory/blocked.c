/* blocked.c - rate, spread and size of a filter in which each block is a small standard filter.
 *
 * A key throws its k bits into one block; the rate is the mix over the loads of a block (loads.c).
 */
#include "theory_internal.h"

/* Twice the hashes: the mean square of a rate is the rate of twice as many probes. */
enum { PROBES_MAX = 2 * BLM_THEORY_HASHES, LOADS_KEPT = 1024 };

/* After 45 throws a bit, none of 128 cells is zero by more than 128 e^-45 = 4e-18. */
#define THROWS_A_BIT 45

/* Rate of one block by its load, filled upward as asked. set[j] is the chance that j given
 * cells are all ones: one throw makes it (1 - j/bits) set[j] + (j/bits) set[j-1]. */
typedef struct load_curve {
    unsigned probes; /* cells that a query reads; they may repeat       */
    unsigned throws; /* bits that a key sets                            */
    unsigned cells;  /* the most that can be distinct                   */
    uint64_t full;   /* from this load on the rate is 1                 */
    double step[PROBES_MAX + 1], distinct[PROBES_MAX + 1];
    double set[PROBES_MAX + 1]; /* after `kept` keys                    */
    double far[PROBES_MAX + 1]; /* after far_load keys, past the table  */
    uint64_t far_load;
    unsigned kept;
    double rate[LOADS_KEPT];
} load_curve;

static void curve_init(load_curve *c, uint64_t block_bits, unsigned probes, unsigned throws)
{
    c->probes = probes;
    c->throws = throws;
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

static void add_key(const load_curve *c, double *set)
{
    for (unsigned t = 0; t < c->throws; t++)
        for (unsigned j = c->cells; j > 0; j--)
            set[j] = (1 - c->step[j]) * set[j] + c->step[j] * set[j - 1];
}

static double rate_of(const load_curve *c, const double *set)
{
    double rate = 0;
    for (unsigned j = 1; j <= c->cells; j++) rate += c->distinct[j] * set[j];
    return rate;
}

static double rate_at(void *self, uint64_t load)
{
    load_curve *c = self;
    if (load >= c->full) return 1;
    while (c->kept < LOADS_KEPT && c->kept <= load) {
        c->rate[c->kept++] = rate_of(c, c->set);
        add_key(c, c->set);
    }
    if (load < LOADS_KEPT) return c->rate[load];
    if (c->far_load < LOADS_KEPT || c->far_load > load) {
        for (unsigned j = 0; j <= c->cells; j++) c->far[j] = c->set[j];
        c->far_load = LOADS_KEPT;
    }
    for (; c->far_load < load; c->far_load++) add_key(c, c->far);
    return rate_of(c, c->far);
}

/* ---- the mix over loads ---------------------------------------------------------------------- */

static blm_theory_mix mix_loads(load_curve *c, uint64_t blocks, uint64_t n)
{
    const blm_theory_curve curve = {rate_at, c, c->full};
    return blm_theory_mix_loads(&curve, (double)blocks, n);
}

static double blocked_rate(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n)
{
    load_curve c;
    curve_init(&c, block_bits, k, k);
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
    load_curve c;
    curve_init(&c, block_bits, k, k);
    const blm_theory_mix once = mix_loads(&c, blocks, n);
    curve_init(&c, block_bits, 2 * k, k);
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
    load_curve curve;
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
    curve_init(&s.curve, block_bits, k, k);
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

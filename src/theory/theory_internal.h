/* theory_internal.h - what the files of src/theory share. */
#ifndef BLM_THEORY_INTERNAL_H
#define BLM_THEORY_INTERNAL_H
#include <math.h>
#include <bloomery/theory.h>
#include <bloomery/theory/increments.h>

#define BLM_THEORY_LN2    0.693147180559945309
#define BLM_THEORY_TWO_PI 6.28318530717958648

/* ---- special.c: pieces of distributions, accurate where a difference of log-gammas is not --- */
double blm_theory_expm1_less(double x);                   /* e^x - 1 - x                    */
double blm_theory_deviance(double v, double mean);        /* v ln(v/mean) + mean - v, >= 0  */
double blm_theory_stirling(double z);                     /* ln of Gamma(z) / Stirling(z)   */
double blm_theory_log_poisson(double lambda, uint64_t j); /* ln P(Poisson = j)              */
double blm_theory_beta_front(double a, double b, double x, double y); /* x^a y^b / B(a, b)    */
/* I_x(a, b) = P(Binomial(a + b - 1, x) >= a), or 1 minus it; y = 1 - x, given for its digits. */
double blm_theory_beta(double a, double b, double x, double y, bool upper);

/* ---- rate.c ---------------------------------------------------------------------------------- */
/* chance[j], j = 0..cells: k throws into m cells hit exactly j distinct ones. */
void blm_theory_distinct(uint64_t m, unsigned k, unsigned cells, double *chance);

/* ---- fill.c: second moments of the ones ------------------------------------------------------ */
/* Zeros of a filter, seen by pairs of bits. For sets S and T of keys that share c keys,
 *     Cov(zeros_S, zeros_T) = m e^(-leave (|S| + |T|)) excess(c),
 *     excess(c) = expm1(leave c) + mates expm1(same c) + others expm1(apart c):
 * a bit with itself, with the mates in its block, with all bits of other blocks. The logs are per key. */
typedef struct blm_theory_spread {
    double m, mates, others;
    double leave; /* -ln P(a key leaves a given bit alone)                                   */
    double same;  /*  ln P(leaves two bits of one block alone) + 2 leave                     */
    double apart; /*  ln P(leaves two bits of two blocks alone) + 2 leave                    */
    double drift; /*  leave + mates same + others apart, free of cancellation: see excess    */
} blm_theory_spread;
/* For numbers that no filter has: BLM_THEORY_NO_FILTER, for which every result is NAN. */
#define BLM_THEORY_NO_FILTER ((blm_theory_spread){.m = NAN})
blm_theory_spread blm_theory_spread_of(uint64_t m, unsigned k);
blm_theory_spread blm_theory_spread_blocked(uint64_t block_bits, uint64_t blocks, unsigned k);
double blm_theory_excess(const blm_theory_spread *s, double keys);
double blm_theory_fill_sd(blm_theory_spread s, double n); /* of the ones after n keys */

/* ---- estimate.c: by the same second moments; of no filter: NAN -------------------------------- */
double blm_theory_keys_of(blm_theory_spread s, uint64_t ones);
double blm_theory_keys_sd(blm_theory_spread s, uint64_t n);
double blm_theory_common_sd(blm_theory_spread s, uint64_t a, uint64_t b, uint64_t common);
double blm_theory_jaccard_sd(blm_theory_spread s, uint64_t a, uint64_t b, uint64_t common);
double blm_theory_contained_sd(blm_theory_spread s, uint64_t a, uint64_t b, uint64_t common);

/* ---- cuckoo.c: tables where each key has two buckets ----------------------------------------- */
/* Keys that this many buckets of 1, 2, 4 or 8 slots hold. */
double blm_theory_cuckoo_holds(unsigned slots, double buckets);

/* ---- loads.c: filters whose keys stay inside one block each ---------------------------------- */
typedef struct blm_theory_curve { /* a block, by its load */
    double (*rate)(void *self, uint64_t load);
    void *self;
    uint64_t full; /* from this load on the rate is 1 */
} blm_theory_curve;
/* A block whose keys throw k bits into it. Filled upward as asked: set[j] is the chance that j given cells are all
 * ones, one throw makes it (1 - j/bits) set[j] + (j/bits) set[j-1]. Probes: twice the hashes, as the mean square
 * of a rate is the rate of twice as many. */
enum { BLM_THEORY_PROBES = 2 * BLM_THEORY_HASHES, BLM_THEORY_LOADS = 1024 };
typedef struct blm_theory_block {
    unsigned probes; /* cells that a query reads; they may repeat       */
    unsigned throws; /* bits that a key sets                            */
    double extra;    /* and one more, with this chance                  */
    unsigned cells;  /* the most that can be distinct                   */
    uint64_t full;   /* from this load on the rate is 1                 */
    double step[BLM_THEORY_PROBES + 1], distinct[BLM_THEORY_PROBES + 1];
    double set[BLM_THEORY_PROBES + 1]; /* after `kept` keys                    */
    double far[BLM_THEORY_PROBES + 1]; /* after far_load keys, past the table  */
    uint64_t far_load;
    unsigned kept;
    double rate[BLM_THEORY_LOADS];
} blm_theory_block;
void blm_theory_block_init(blm_theory_block *c, uint64_t block_bits, unsigned probes,
                           unsigned throws, double extra);
double blm_theory_block_rate(void *self, uint64_t load); /* of a blm_theory_curve */
typedef struct blm_theory_mix {
    double mean;       /* of the rate of a block                */
    double covariance; /* of its rate and its load              */
} blm_theory_mix;
/* A key falls into the block with a chance of 1 / blocks, which need not be a whole number. */
blm_theory_mix blm_theory_mix_loads(const blm_theory_curve *c, double blocks, uint64_t n);
/* Relative standard deviation of the filter's rate; square: mean of the square of a block's. */
double blm_theory_mix_sd(const blm_theory_mix *once, double square, uint64_t blocks, uint64_t n);
/* Smallest number of blocks, at most `limit`, that keeps p; 0: there is none. */
uint64_t blm_theory_fewest(double (*rate)(void *self, uint64_t blocks), void *self, double p,
                           uint64_t guess, uint64_t limit);

/* ---- filling.c: ones after n adds, each of which throws some bits anywhere, then sets some more zeros - */
typedef struct blm_theory_filling {
    uint64_t m;            /* bits              */
    unsigned throws, sets; /* of an add; throws > 0 */
    uint64_t n;            /* adds              */
} blm_theory_filling;
double blm_theory_filled(
    const blm_theory_filling *f); /* mean share of ones: 0.3407 of 2^20, 3 throws, 145,600 adds */
/* The mean over filters of of(their share of ones), a chance, as a rate with its spread. */
blm_rate blm_theory_over_fill(const blm_theory_filling *f,
                              double (*of)(double fill, const void *ctx), const void *ctx);

static inline bool blm_theory_increments(blm_increments v)
{
    return v.values > 0 && v.values <= BLM_THEORY_INCREMENTS && v.sums <= BLM_THEORY_SUMS;
}

static inline bool blm_theory_shape(uint64_t m, unsigned k) { return m > 0 && k > 0; }

static inline bool blm_theory_block_shape(uint64_t block_bits, uint64_t blocks, unsigned k)
{
    return block_bits > 0 && block_bits <= BLM_THEORY_BLOCK && blocks > 0 && k > 0 &&
           blocks <= UINT64_MAX / block_bits;
}

#endif

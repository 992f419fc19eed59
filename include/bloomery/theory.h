/* bloomery/theory.h - what a filter will do, from numbers alone.
 *
 *     uint64_t m;
 *     unsigned k;
 *     if (blm_size_for(1000000, 0.01, 0, true, &m, &k)) ...      9592957 bits, 7 hashes
 *     blm_rate_exact(m, k, 1000000)                              0.0099999977
 *
 * m bits (or counters), k hashes a key, n distinct keys, a rate is a chance between 0 and 1; fill
 * = ones / m. "Blocked": blocks of block_bits bits, all k bits of a key in one block. "Split": blocks of
 * 256 bits in 8 lanes of 32, one bit of a key in each lane; 32 bits of its hash choose the block (from
 * 1 to 2^31 of them) and 32 bits the lanes' bits, which the rates allow for.
 * "Word": count words of 32 or 64 bits (any width up to 64), one to four reads a key, k / reads bits in each.
 * Functions of numbers: no filter, no allocation, no global, any thread. Hashes are taken to be
 * independent and uniform, and may repeat a position. n = 0 gives rate 0 and fill 0. What has no
 * answer (m, k or blocks 0; k above BLM_THEORY_HASHES or block_bits above BLM_THEORY_BLOCK where
 * a sum over states is needed; NaN; a rate outside its range) gives NaN, or false, or 0 hashes.
 * Cost: some nanoseconds where no other figure stands beside the function.
 */
#ifndef BLOOMERY_THEORY_H
#define BLOOMERY_THEORY_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

#define BLM_THEORY_HASHES 64    /* most hashes that exact rates and sizing take               */
#define BLM_THEORY_BLOCK  65536 /* most bits of a block                                       */
#define BLM_THEORY_SPLIT  (UINT64_C(1) << 31) /* most split blocks                           */
#define BLM_THEORY_READS  4 /* most words a key                                           */
#define BLM_THEORY_PICKS  (UINT64_C(1) << 57) /* most ways to choose functions             */
#define BLM_THEORY_BITS   60 /* sizing says no to filters of more than 2^60 bits           */

/* ---- rates: the chance that a key which was never added answers yes ------------------------
 * approx < classic <= exact <= bound; classic = exact for k = 1. */
BLM_API double blm_rate_approx(uint64_t m, unsigned k, uint64_t n);  /* (1 - e^(-kn/m))^k        */
BLM_API double blm_rate_classic(uint64_t m, unsigned k, uint64_t n); /* (1 - (1 - 1/m)^(kn))^k   */
/* The expectation E[(X/m)^k] over the ones X, to 1e-14; past kn = 2^53 it is approx, which is
 * then as close. k <= 64. Cost: k^3/6 log2(kn) multiplies: 8 us at k = 10, 1.5 ms at k = 64. */
BLM_API double blm_rate_exact(uint64_t m, unsigned k, uint64_t n);
/* Never below exact (Goel, Gupta). */
BLM_API double blm_rate_bound(uint64_t m, unsigned k, uint64_t n);
/* Given the true number of ones this is no estimate: the rate of that very array. */
BLM_API double blm_rate_from_fill(uint64_t ones, uint64_t m, unsigned k);
/* The expectation for a blocked filter: exact binomial load of a block, exact rate at each load.
 * k <= 64. Cost: 5 us at 512 bits, k = 8; 45 block_bits k multiplies at most. */
BLM_API double blm_rate_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);
/* Relative standard deviation of the rate between filters of one shape with other seeds:
 * 3.9 % at (10000, 7, 1000). A test of one filter that ignores it fails by chance. The blocked
 * one allows for the loads' fixed sum and is right to about 1/blocks of itself; INFINITY where
 * the square of the rate is below the smallest double. */
BLM_API double blm_rate_sd(uint64_t m, unsigned k, uint64_t n);
BLM_API double blm_rate_blocked_sd(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);
/* Exact up to 100 words when reads divides k, to 1e-4 above, words that coincide included. Else from above: the
 * truth is lower by a part of reads / (4 n) at most. The spread by its first order. Cost: 10 us; 1 ms for up to 100
 * words and 4 reads. */
BLM_API double blm_rate_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                             uint64_t n);
BLM_API double blm_rate_word_sd(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                uint64_t n);
/* One read a key, `groups` groups of hashes a word, and a word takes its next group when a stranger got a yes, or
 * each every-th time: the share of yes among all questions of the strangers, who ask `times` times each, in any
 * order (Reviriego et al.). groups 1: blm_rate_word. NaN: 256 keys or strangers a word, or more; a zero.
 * Cost: 10 to 100 ms. */
#define BLM_THEORY_GROUPS    8   /* most groups                 */
#define BLM_THEORY_WORD_LOAD 256 /* of keys, or strangers, a word */
typedef struct blm_adaptive {
    uint64_t words, keys, strangers;
    unsigned width, groups, hashes, every;
    double times;
} blm_adaptive;
BLM_API double blm_rate_adaptive(blm_adaptive q);
/* n keys in groups, each of which chose k functions of a library of at most 64 in so many passes, so that few bits
 * are set: fill and rate, the high end and the low end of what theory knows. 0.1 ms for groups of 64. */
BLM_API double blm_fill_pick(uint64_t m, unsigned k, unsigned library, uint64_t groups,
                             unsigned passes, uint64_t n, bool high);
BLM_API double blm_rate_pick(uint64_t m, unsigned k, unsigned library, uint64_t groups,
                             unsigned passes, uint64_t n, bool high);
/* The mix over loads i of (1 - (31/32)^i)^8, and twins. 5 us. */
BLM_API double blm_rate_split(uint64_t blocks, uint64_t n);
BLM_API double blm_rate_split_sd(uint64_t blocks, uint64_t n);
/* The part of that rate which the ones do not show: a stranger and one of `load` keys of its block have
 * the same 32 bits for the lanes. 5.6e-9 at 24.3 keys a block, where the rate is 1 %. */
BLM_API double blm_split_twins(double load);

/* ---- sizing: which m and k ------------------------------------------------------------------ */
/* The k <= 64 of the lowest exact rate, the smaller one of equals; 0 when m or n is 0. At few
 * bits it is below (m/n) ln 2: 5, not 6, at (64, 8). Cost: a few exact rates. */
BLM_API unsigned blm_best_hashes(uint64_t m, uint64_t n);
BLM_API unsigned blm_best_hashes_blocked(uint64_t block_bits, uint64_t blocks, uint64_t n);
BLM_API unsigned blm_best_hashes_word(uint64_t width, uint64_t count, unsigned reads,
                                      uint64_t n); /* of the multiples of reads */
/* Smallest m whose rate at n keys is at most p, by blm_rate_exact (exact) or blm_rate_approx.
 * hashes 0: the k that needs the fewest bits. False, and nothing written: n = 0, p not in
 * (0, 1), hashes > 64, more than 2^60 bits. */
BLM_API bool blm_size_for(uint64_t n, double p, unsigned hashes, bool exact, uint64_t *m,
                          unsigned *k);
/* Smallest number of blocks whose blm_rate_blocked is at most p. hashes 0: of the k that reach
 * this number, the smallest. False as above. Cost: 0.15 ms for blocks of 512 bits at p = 1e-2 to
 * 1e-6, 1 ms at 1e-15; 10 ms for blocks of 65536 bits. */
BLM_API bool blm_size_blocked(uint64_t n, double p, uint64_t block_bits, unsigned hashes,
                              uint64_t *blocks, unsigned *k);
/* Smallest number of words. hashes 0: of the multiples of reads, with at most half a word's bits a read. */
BLM_API bool blm_size_word(uint64_t n, double p, uint64_t width, unsigned reads, unsigned hashes,
                           uint64_t *count, unsigned *k);
/* Groups of keys that choose k of a library of functions, and a table of choices. groups and passes are given;
 * m, k and library are found: bits 0: the fewest bits, table included, at rate p; else the lowest rate in these bits
 * (hashes given: n may be 0). library 0: twice the hashes, or what fits. False, and nothing written: none. 20 ms. */
typedef struct blm_pick_plan {
    uint64_t m, groups;
    unsigned k, library, passes;
} blm_pick_plan;
BLM_API bool blm_size_pick(uint64_t n, double p, uint64_t bits, unsigned hashes, unsigned library,
                           blm_pick_plan *plan);
BLM_API uint64_t blm_picks(unsigned n, unsigned k);      /* k of n; 0: more than 2^57, or none */
BLM_API unsigned blm_pick_width(unsigned n, unsigned k); /* bits of the number of a choice */
/* Smallest number of split blocks; false when 2^31 do not do. Twins make it large below
 * p = 1e-8: 179 bits a key there, 887 at 1e-10. Cost: 0.1 ms. */
BLM_API bool blm_size_split(uint64_t n, double p, uint64_t *blocks);

/* ---- probes: how many of its k cells a query of a stranger reads before it knows ------------- */
BLM_API double blm_probes_to_reject(double fill, unsigned k);      /* over all strangers          */
BLM_API double blm_probes_given_rejected(double fill, unsigned k); /* over those it says no to    */

/* ---- fill: number of ones after n keys ------------------------------------------------------- */
BLM_API double blm_fill_mean(uint64_t m, unsigned k, uint64_t n);
BLM_API double blm_fill_sd(uint64_t m, unsigned k, uint64_t n); /* exact, stable for any m */
/* t such that |ones - mean| >= t has a chance of at most miss, whatever the distribution of the
 * ones is: about twice the true band. 136.2 at k = 7, n = 1000, miss = 1 %. */
BLM_API double blm_fill_azuma(unsigned k, uint64_t n, double miss);
BLM_API double blm_fill_mean_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);
BLM_API double blm_fill_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);
BLM_API double blm_fill_mean_split(uint64_t blocks, uint64_t n);
BLM_API double blm_fill_sd_split(uint64_t blocks, uint64_t n);

/* ---- estimates: how many keys, from ones alone ----------------------------------------------- */
BLM_API double blm_keys_from_fill(uint64_t ones, uint64_t m, unsigned k); /* ones = m: INFINITY */
BLM_API double blm_keys_from_fill_blocked(uint64_t ones, uint64_t block_bits, uint64_t blocks,
                                          unsigned k);
BLM_API double blm_keys_from_fill_word(uint64_t ones, uint64_t width, uint64_t count,
                                       unsigned reads, unsigned k);
BLM_API double blm_keys_from_fill_split(uint64_t ones, uint64_t blocks);
/* Standard deviation of these estimates at n keys (delta method); INFINITY when all is full. */
BLM_API double blm_keys_sd(uint64_t m, unsigned k, uint64_t n);
BLM_API double blm_keys_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);
BLM_API double blm_keys_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                uint64_t n);
BLM_API double blm_keys_sd_split(uint64_t blocks, uint64_t n);
/* The same for a filter of words that is kept in so many versions (adaptive): each group has bits of its own for a key,
 * in the same words, and the estimate is made from the mean of their ones. groups = 1, and reads as there: _word. */
BLM_API double blm_keys_sd_groups(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                  unsigned groups, uint64_t n);
/* Standard deviation of the number of keys that came after `ones` bits of m had been set, estimated from the zeros then
 * and now: the difference of two blm_keys_from_fill. n: how many came. INFINITY when there were no zeros. */
BLM_API double blm_keys_later_sd(uint64_t m, unsigned k, uint64_t ones, uint64_t n);
/* Keys that two filters of one shape share, from the ones of each and of their OR. Not clamped:
 * below 0 by chance alone. NaN when the OR is full. _and: the same number from the ones of the
 * AND (Papapetrou), less exact when both are nearly empty. */
BLM_API double blm_keys_common(uint64_t ones_a, uint64_t ones_b, uint64_t ones_or, uint64_t m,
                               unsigned k);
BLM_API double blm_keys_common_and(uint64_t ones_a, uint64_t ones_b, uint64_t ones_and, uint64_t m,
                                   unsigned k);
BLM_API double blm_keys_common_blocked(uint64_t ones_a, uint64_t ones_b, uint64_t ones_or,
                                       uint64_t block_bits, uint64_t blocks, unsigned k);
/* Standard deviation of that estimate, and of common / union, when A has a keys, B has b and
 * `common` are in both (delta method). NaN when common > a or b. */
BLM_API double blm_keys_common_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_keys_common_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k,
                                          uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_keys_common_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                       uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_keys_common_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_jaccard_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_jaccard_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t a,
                                      uint64_t b, uint64_t common);
BLM_API double blm_jaccard_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                   uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_jaccard_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common);
/* Standard deviation of common / a, the share of A that is in B, estimated from the same ones; 0 when all of A is in
 * B, as A then has no bit that B lacks. The share of B: with a and b exchanged. NaN when common > a or b. */
BLM_API double blm_contained_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_contained_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k,
                                        uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_contained_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                     uint64_t a, uint64_t b, uint64_t common);
BLM_API double blm_contained_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common);
/* Expected ones of the AND of two filters with a, b and common keys. */
BLM_API double blm_dot_mean(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);
/* About the chance that the AND is bit for bit the filter of the common keys, when a keys are in A
 * alone and b in B alone: (1 - 1/m)^(k^2 a b), good while k^2 a b is well below m. */
BLM_API double blm_and_exact_chance(uint64_t m, unsigned k, uint64_t a, uint64_t b);

/* ---- partitioned: k slices of so many bits, one bit of a key in each ------------------------- */
/* (1 - (1 - 1/slice)^n)^k, which is exact. */
BLM_API double blm_rate_partitioned(uint64_t slice, unsigned k, uint64_t n);
BLM_API double blm_rate_partitioned_sd(uint64_t slice, unsigned k,
                                       uint64_t n); /* relative, exact */
/* Of slices of bits / k, rounded down. */
BLM_API unsigned blm_best_hashes_partitioned(uint64_t bits, uint64_t n);
BLM_API bool blm_size_partitioned(uint64_t n, double p, unsigned hashes, uint64_t *slice,
                                  unsigned *k);

/* ---- one of k: a key sets one of its k bits, and any of the k that is set is a yes ------------ */
BLM_API double blm_rate_any(uint64_t m, unsigned k, uint64_t n); /* exact; k <= 64            */
BLM_API double blm_rate_any_sd(uint64_t m, unsigned k, uint64_t n);
BLM_API bool blm_size_any(uint64_t n, double p, unsigned k, uint64_t *m);

/* ---- choices: of 1 to 8 groups of k positions, a key takes the one that sets the fewest new bits -
 * choices * k <= 128; 1 choice is a standard filter. The exact chain of ones for kn <= 512, else the limit of large
 * filters and its first correction, whose error is 0.5 % of (k/n)^2: 0.3 % at 20 hashes, 26 keys. Cost: 0.1 to 1 ms. */
#define BLM_THEORY_CHOICES 8
#define BLM_THEORY_CHOSEN  128 /* most positions of all groups of a key */
typedef struct blm_choice {
    double fill, fill_sd; /* share of ones: mean, and between filters           */
    double rate, rate_sd; /* mean, and its relative standard deviation between them */
} blm_choice;
BLM_API blm_choice blm_choice_after(uint64_t m, unsigned k, unsigned choices, uint64_t n);
BLM_API double blm_rate_choice(uint64_t m, unsigned k, unsigned choices, uint64_t n);
BLM_API double blm_rate_choice_from_fill(double fill, unsigned k, unsigned choices);
/* The fill of large filters at load = n / m: 0.5192 at 1/16, k = 13, 2 choices. */
BLM_API double blm_fill_choice_limit(double load, unsigned k, unsigned choices);
BLM_API unsigned blm_best_hashes_choice(uint64_t m, unsigned choices, uint64_t n);
/* Smallest m, as blm_size_for. Cost: 10 ms. */
BLM_API bool blm_size_choice(uint64_t n, double p, unsigned choices, unsigned hashes, uint64_t *m,
                             unsigned *k);
BLM_API double blm_keys_from_fill_choice(uint64_t ones, uint64_t m, unsigned k, unsigned choices);
BLM_API double blm_keys_sd_choice(uint64_t m, unsigned k, unsigned choices, uint64_t n);

/* ---- two-sided: a key resets k0 bits and sets k1 (Laufer, Velloso, Duarte; their equations in brackets) ------
 * A reset wins where both meet in one key. p0: the share of zeros at the start, each bit drawn by itself. k0 = 0 is
 * a standard filter: no misses, and a bound of 1. NaN: m = 0, k0 + k1 = 0, p0 outside 0 to 1. */
#define BLM_THEORY_POSITIONS 512 /* most of a key */
/* Share of zeros after n keys (7). */
BLM_API double blm_generalized_zeros(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0);
/* zeros^k0 ones^k1 (16); cells: with the mean numbers of distinct bits as exponents (8). 6.25 % at 2, 2 and half zeros. */
BLM_API double blm_generalized_rate(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0,
                                    bool cells);
/* Given the ones this is exact: of keys whose positions are distinct, or may repeat. Whole numbers of ones are
 * what an array has, others (a mean) are fine. NaN: more than 512 of k0 or k1. Cost: k0^2 steps where they repeat. */
BLM_API double blm_generalized_rate_from_fill(double ones, uint64_t m, unsigned k0, unsigned k1,
                                              bool distinct);
/* Relative, between filters; first order, and second where the first is nothing, which is at the worst fill. */
BLM_API double blm_generalized_rate_sd(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0);
/* The share of zeros that gives the highest rate, as a start and at the end (18, 27); that rate (19), which no
 * fill of distinct positions passes but by a part of (k0 + k1)^2 / m. 0.8393 % for 3, 4. */
BLM_API double blm_generalized_worst(unsigned k0, unsigned k1);
BLM_API double blm_generalized_bound(unsigned k0, unsigned k1);
/* The chance that a key is denied after so many later ones (11); the mean over n keys (12); and the bound, of
 * one before all of them (24), which wants m / n alone. Any start. 1.54 % and 3.06 % for 2, 2, 256 bits a key. */
BLM_API double blm_generalized_miss(uint64_t m, unsigned k0, unsigned k1, uint64_t later);
BLM_API double blm_generalized_misses(uint64_t m, unsigned k0, unsigned k1, uint64_t n);
BLM_API double blm_generalized_miss_bound(uint64_t m, unsigned k0, unsigned k1, uint64_t n);
/* Fewest bits that keep both bounds, and their k0 and k1 (64 at most, or more where fp needs it, up to 256): 467 a
 * key with 3, 4 for 1 % and 5 %. Nearly 2 k0 k1 / fn a key. False: n = 0, fp or fn not in (0, 1), 2^60 bits. 1 ms. */
BLM_API bool blm_generalized_tune(uint64_t n, double fp, double fn, uint64_t *m, unsigned *k0,
                                  unsigned *k1);
/* Of k = k0 + k1 the least k0 k1 that keeps fp, k0 <= k1; where none does halves, whose bound is the lowest. The
 * smallest partner of one of the two that keeps fp; 0: none up to 512 in all. Fewest bits, k0 + k1 or more, that keep fn
 * with this pair. False as above. */
BLM_API bool blm_generalized_split(unsigned k, double fp, unsigned *k0, unsigned *k1);
BLM_API unsigned blm_generalized_other(unsigned one, double fp);
BLM_API bool blm_generalized_size(uint64_t n, double fn, unsigned k0, unsigned k1, uint64_t *m);
/* k[0] and k[1], of which some (zeros, ones) are given, and perhaps their sum: by these three calls. False: no such. */
BLM_API bool blm_generalized_pair(double fp, double fn, unsigned sum, bool zeros, bool ones,
                                  unsigned k[2]);
/* Bits that a stranger reads, sets and resets in turn, where this share of them is one. */
BLM_API double blm_generalized_reads(double ones, unsigned k0, unsigned k1);

/* What n keys make of a start whose bits are drawn one by one (p0 0 or 1: all alike), the means over filters, for keys
 * whose positions are distinct (k0 + k1 <= m) or may repeat. ones_sd is exact; the rate is a mean of exact ones over
 * three fills: exact where the fill is certain, and as good as a normal distribution is for the ones. */
typedef struct blm_generalized_load {
    double ones, ones_sd; /* bits that are one                                      */
    double rate, rate_sd; /* mean, and its relative standard deviation between them */
} blm_generalized_load;
BLM_API blm_generalized_load blm_generalized_after(uint64_t m, unsigned k0, unsigned k1,
                                                   bool distinct, uint64_t n, double p0);
/* The highest rate of any one array: above the bound by a part of (k0 + k1) / 2m where positions are distinct, by a part
 * of (k0 + k1)^2 / 2m where they repeat. 1.64 %, not 1.56, for 3, 3 distinct ones of 64. */
BLM_API double blm_generalized_most(uint64_t m, unsigned k0, unsigned k1, bool distinct);
/* What can be promised: the most; or the bound where the two differ by less than 0.1 % of it, in arrays of some 500 bits
 * for each of a key. */
BLM_API double blm_generalized_top(uint64_t m, unsigned k0, unsigned k1, bool distinct);
/* Keys, from the ones that they left; a start of zeros or ones alone. Where these have settled only a lower bound is
 * known: 2 sigma before. */
BLM_API blm_estimate blm_generalized_keys(uint64_t ones, uint64_t m, unsigned k0, unsigned k1,
                                          bool distinct, double p0);

/* ---- cuckoo: two buckets of four slots a key, in each slot a fingerprint of `width` bits (2 to 56), never 0 ----- */
/* The fewest buckets that hold n keys: 95 % of their slots from 2,280 keys on, 78 % at 100; one filter in 10^7 is refused
 * one of them. 0: n is 0 or above 10^15. */
BLM_API uint64_t blm_cuckoo_buckets(uint64_t n);
/* All rates of n keys lie between the low and the high one, however full each bucket is; 1 - (1 - 1/(2^width - 1))^(8 load) is
 * the high one. */
BLM_API double blm_rate_cuckoo(uint64_t buckets, unsigned width, uint64_t n, bool high);
/* with[i] buckets have i slots in use: no estimate. */
BLM_API double blm_rate_cuckoo_from_fill(const uint64_t with[5], unsigned width);
BLM_API bool blm_size_cuckoo(uint64_t n, double p, uint64_t *buckets, unsigned *width);
/* The lowest rate in so many bits, a digest of 128 bits a slot included. */
BLM_API bool blm_fit_cuckoo(uint64_t bits, uint64_t n, uint64_t *buckets, unsigned *width);

/* ---- intervals: a chance, from hits in independent trials (Clopper, Pearson) ----------------- */
/* Two-sided at this confidence (0.99): the truth lies outside with a chance of at most 1 % in
 * all, half below low, half above high. No trials: 0 and 1. Good to 1e-8 of itself. Cost: grows as
 * sqrt(trials), 10 us at 10^6. */
BLM_API double blm_binomial_low(uint64_t hits, uint64_t trials, double confidence);
BLM_API double blm_binomial_high(uint64_t hits, uint64_t trials, double confidence);
BLM_API double blm_binomial_sd(uint64_t trials, double rate); /* of the hits */

/* ---- counters: lambda = kn/m throws a cell --------------------------------------------------- */
BLM_API double blm_counter_tail(double lambda, uint64_t j);  /* P(Poisson >= j), far tail too */
BLM_API double blm_counter_bound(double lambda, uint64_t j); /* just above it, at most 1     */
/* (e ln2 / j)^j: the textbook bound of one counter's tail for lambda <= ln 2, 19 times the tail at
 * j = 16. */
BLM_API double blm_counter_union_bound(uint64_t j);
/* Smallest width in bits such that one of m counters passes 2^width - 1 with a chance of at most
 * miss (1e-6 is usual): 4 at lambda = ln 2 up to m = 1e10. For a set; a multiset needs room for
 * its largest count. 0 when the request makes no sense or 32 bits are too few. */
BLM_API unsigned blm_counter_width(uint64_t m, double lambda, double miss);

/* ---- thresholds: "at least theta times" asked of k counters ---------------------------------- */
/* The chance of a false yes for a key with count 0, after n insertions of other keys. A key that
 * came t times: ask for theta - t. theta 0: 1. */
BLM_API double blm_threshold_rate(uint64_t m, unsigned k, uint64_t n, unsigned theta);
BLM_API double blm_threshold_lambda(unsigned theta); /* the best kn/m: 0.693 for theta 1 */
BLM_API double blm_threshold_base(unsigned theta);   /* best rate = base^(m/n): 0.6185  */
BLM_API unsigned blm_threshold_best_hashes(uint64_t m, uint64_t n, unsigned theta); /* or 0 */

/* ---- fingerprints in buckets: `tables` tables of buckets of `slots` cells, a remainder of r bits and a counter
 * of `width` bits in each; a key has one of range = buckets * 2^r fingerprints --------------------------- */
BLM_API double blm_rate_prints(uint64_t range, uint64_t n); /* 1 - (1 - 1/range)^n              */
BLM_API double blm_rate_prints_sd(uint64_t range, uint64_t n);
/* Fewest bits that keep p, with at most slots - 2 keys a bucket: buckets of one table, and r. False, and
 * nothing written: n = 0, p not in (0, 1), tables not 1 to 8, slots below 3, cells of more than 57 bits, 2^50
 * buckets, or a range of 2^63. */
BLM_API bool blm_size_dleft(uint64_t n, double p, unsigned tables, unsigned slots, unsigned width,
                            uint64_t *buckets, unsigned *remainder);
/* The lowest rate within so many bits that have room for n keys; false as above. */
BLM_API bool blm_fit_dleft(uint64_t bits, uint64_t n, unsigned tables, unsigned slots,
                           unsigned width, uint64_t *buckets, unsigned *remainder);
/* Share of the buckets that have at least so many (below 64) of their cells in use after load keys a bucket, at
 * most 32, each in the emptiest of its buckets, the leftmost of equals: the limit of large tables, nothing
 * deleted. 0.1283 of 7 at 4 tables and load 6. 1 to 20 ms. */
BLM_API double blm_dleft_load(unsigned tables, double load, unsigned cells);

/* ---- increments: a probe adds one of several values to its cell ------------------------------- */
/* sums 0: values of L, L+1, .. 2L-1, one counter a cell, `values` is L; a stranger passes where its value can be
 * part of the sum (Rottenstreich, Kanizo, Keslassy). sums h from 1 to 4: `values` numbers whose sums of
 * h differ (a B_h sequence), and the number of increments beside the sum; up to h are decoded. */
#define BLM_THEORY_INCREMENTS 16 /* most values       */
#define BLM_THEORY_SUMS       4  /* most of them decoded */
typedef struct blm_increments {
    unsigned values, sums;
} blm_increments;
/* The chance that a cell with Poisson(lambda) increments lets a stranger's probe pass; the rate of the papers is
 * its k-th power, which is approx. */
BLM_API double blm_increment_pass(double lambda, blm_increments v);
BLM_API double blm_rate_increment_approx(uint64_t m, unsigned k, uint64_t n, blm_increments v);
/* The expectation, kn increments in all being given, and its relative sd between filters, which is right to a
 * hundredth. Cost: 0.1 ms at k = 7, 0.5 ms at k = 20, 5 ms at k = 64; nothing past 2000 k^2 cells, where it is right
 * to 1e-6. */
BLM_API double blm_rate_increment(uint64_t m, unsigned k, uint64_t n, blm_increments v);
BLM_API double blm_rate_increment_sd(uint64_t m, unsigned k, uint64_t n, blm_increments v);
BLM_API double blm_increment_lambda(blm_increments v); /* the best kn/m: 1.03 for L = 4 */
BLM_API unsigned blm_best_hashes_increment(uint64_t m, uint64_t n, blm_increments v);
/* Smallest number of cells, as blm_size_for. */
BLM_API bool blm_size_increment(uint64_t n, double p, unsigned hashes, blm_increments v,
                                uint64_t *m, unsigned *k);
/* P(the sum of Poisson(lambda) increments >= j), each one of these values alike; values up to 4095, j up to
 * 2^24, lambda up to 700, else NaN. Cost: j + 30 of the largest value steps. */
BLM_API double blm_increment_tail(double lambda, const uint16_t *value, unsigned values,
                                  uint64_t j);

/* ---- sketches: rows of w columns of counters, one of a key in each row (count-min) ----------- */
/* w = ceil(e / eps), d = ceil(ln 1/delta): a count exceeds the truth by more than eps times the weight of all
 * adds with a chance of at most delta. 272 and 5 for 0.01 and 0.01. False: eps or delta not in (0, 1), more than
 * 2^52 columns or 64 rows. */
BLM_API bool blm_sketch_size(double eps, double delta, uint64_t *columns, unsigned *rows);
BLM_API double blm_sketch_excess(uint64_t columns, double weight); /* e weight / w            */
BLM_API double blm_sketch_doubt(unsigned rows);                    /* e^-d: the chance of more */

/* ---- heavy flows: which keys have a weight of at least T, of `total` in all -------------------
 * Rows and columns as above, every key raised in each row, a flow passes when all its counters are at T or
 * more (Estan, Varghese). NaN: no rows, columns or weight, or T columns <= total: then all columns may pass. */
/* Columns of a row that others can bring so far that a flow of this size passes: at most 111 for 100 kB of 100 MB,
 * T = 1 MB. Below T only: INFINITY from there. */
BLM_API double blm_flow_columns(double size, double threshold, double total);
/* The chance that it passes, at most: (those columns / w)^d, 1.51807e-4 with 4 rows of 1000; and the
 * paper's form of it, ((1/K) T / (T - size))^d with K = T w / total, a little above. */
BLM_API double blm_flow_pass(uint64_t columns, unsigned rows, double size, double threshold,
                             double total);
BLM_API double blm_flow_pass_bound(uint64_t columns, unsigned rows, double size, double threshold,
                                   double total);
/* Flows of n that pass, at most on average: 121.15 with n = 100000 there. */
BLM_API double blm_flows_passing(uint64_t columns, unsigned rows, uint64_t n, double threshold,
                                 double total);
/* Levels of bins that non-responsive flows fill (Stochastic Fair Blue): the chance that another flow has
 * none of its bins for itself, (1 - (1 - 1/bins)^flows)^levels. 0.12879 for 23 bins, 2 levels, 10 flows. */
BLM_API double blm_blue_mistaken(uint64_t bins, unsigned levels, uint64_t flows);
/* Iceberg queries: candidates for "at least theta times", on average, among `heavy` keys that have it and `light`
 * ones that came `count` times each, once among the insertions of others: heavy + light P(others bring
 * theta - count)^d, plain updates. */
BLM_API double blm_iceberg_candidates(uint64_t columns, unsigned rows, uint64_t insertions,
                                      uint64_t heavy, uint64_t light, unsigned count,
                                      unsigned theta);

#ifdef __cplusplus
}
#endif
#endif

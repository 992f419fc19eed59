/* bloomery/theory/generalized.h - keys that reset k0 bits and set k1: both errors.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t m;
 *     unsigned k0, k1;
 *     if (blm_generalized_tune(1000000, 0.01, 0.05, &m, &k0, &k1)) ...   466141019 bits, 3 and 4
 *     blm_generalized_bound(k0, k1)                                      0.0083930
 *     blm_generalized_miss_bound(m, k0, k1, 1000000)                     at most 0.05
 *
 * The form and the equations (numbers in brackets) are those of Laufer, Velloso and Duarte. A key
 * resets k0 bits and sets k1 of m; a reset wins where both meet in one key. n keys come one after
 * the other. p0 is the share of zeros at the start, each bit drawn by itself (0 or 1: all alike).
 * "distinct": the k0 + k1 positions of a key differ, else they may repeat. A miss is a member that
 * answers no; fp and fn are the false-positive rate and the share of misses that are wanted. k0 = 0
 * is a standard filter: no misses, and a bound of 1.
 *
 * Illegal input (m = 0, k0 + k1 = 0, p0 outside 0 to 1; in calls that take `distinct` also k0 or k1
 * above BLM_THEORY_POSITIONS, and k0 + k1 > m where positions are distinct) gives NaN, 0, or false,
 * which then has written nothing unless its comment says otherwise. A call takes less than a
 * microsecond unless its comment states a cost.
 */
#ifndef BLOOMERY_THEORY_GENERALIZED_H
#define BLOOMERY_THEORY_GENERALIZED_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

#define BLM_THEORY_POSITIONS 512 /* max of k0 and of k1 */

/* ---- rates ----------------------------------------------------------------------------------- */

/* Expected share of zeros after n keys (7): 0.9922 for 256000 bits, k0 = k1 = 2, 1000 keys,
 * p0 = 1. */
BLM_API double blm_generalized_zeros(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0);

/* The rate at the expected fill, zeros^k0 ones^k1 (16): 6.25 % for k0 = k1 = 2 and half zeros.
 * cells: the exponents are the mean numbers of distinct bits that a key resets and sets (8). */
BLM_API double blm_generalized_rate(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0,
                                    bool cells);

/* The exact rate of an array with this number of ones: 0.01641 for 32 ones of 64 bits, k0 = k1 = 3,
 * distinct positions, 0.02029 where they may repeat. An array has a whole number of ones; other
 * numbers, such as a mean, are allowed. NaN: ones outside 0 to m. Cost: k0^2 steps where positions
 * may repeat. */
BLM_API double blm_generalized_rate_from_fill(double ones, uint64_t m, unsigned k0, unsigned k1,
                                              bool distinct);

/* Relative standard deviation of the rate between filters: 0.39 % for 256000 bits, k0 = k1 = 2,
 * 1000 keys, p0 = 1. It is of first order, and of second order too where the first vanishes, which
 * is at the fill with the highest rate. */
BLM_API double blm_generalized_rate_sd(uint64_t m, unsigned k0, unsigned k1, uint64_t n, double p0);

/* The share of zeros with the highest rate, k0 / (k0 + k1), as a start and at the end (18, 27):
 * 0.4286 for k0 = 3, k1 = 4. */
BLM_API double blm_generalized_worst(unsigned k0, unsigned k1);

/* The rate at the share of zeros blm_generalized_worst (19), which no fill of distinct positions
 * exceeds by more than a part of (k0 + k1)^2 / m: 0.8393 % for k0 = 3, k1 = 4. */
BLM_API double blm_generalized_bound(unsigned k0, unsigned k1);

/* The highest rate of any one array. It exceeds blm_generalized_bound by a part of (k0 + k1) / 2m
 * where positions are distinct, of (k0 + k1)^2 / 2m where they repeat: 1.64 %, not 1.56 %, for
 * k0 = k1 = 3, distinct, 64 bits. Cost: some rates, 2 us where positions may repeat. */
BLM_API double blm_generalized_max(uint64_t m, unsigned k0, unsigned k1, bool distinct);

/* The rate that can be promised: blm_generalized_max, or the bound where the two differ by less
 * than 0.1 %, which is in arrays of some 500 bits for each position of a key. 1.64 % for
 * k0 = k1 = 3, distinct, 64 bits. Cost: as blm_generalized_max. */
BLM_API double blm_generalized_ceiling(uint64_t m, unsigned k0, unsigned k1, bool distinct);

/* ---- misses ---------------------------------------------------------------------------------- */

/* The chance that a member answers no after `later` further keys (11), for any start: 3.06 % for
 * 256000 bits, k0 = k1 = 2, 1000 later keys. */
BLM_API double blm_generalized_miss(uint64_t m, unsigned k0, unsigned k1, uint64_t later);

/* The mean of blm_generalized_miss over n keys that came one after the other (12): 1.54 % for
 * 256000 bits, k0 = k1 = 2, 1000 keys. Cost: 50 us. */
BLM_API double blm_generalized_misses(uint64_t m, unsigned k0, unsigned k1, uint64_t n);

/* Upper bound of the misses, the chance of a miss for a key before all n others (24), which depends
 * on m / n alone: 3.06 % for 256 bits per key, k0 = k1 = 2. */
BLM_API double blm_generalized_miss_bound(uint64_t m, unsigned k0, unsigned k1, uint64_t n);

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Smallest m that keeps both bounds, and its k0 and k1 (at most 64 each, or up to 256 where fp
 * needs it): 466.1 bits per key with k0 = 3 and k1 = 4 for fp 1 % and fn 5 %. It is nearly 2 k0 k1
 * / fn bits per key. False, and nothing written: n = 0, fp or fn not in (0, 1), more than 2^60
 * bits. Cost: 1 ms. */
BLM_API bool blm_generalized_tune(uint64_t n, double fp, double fn, uint64_t *m, unsigned *k0,
                                  unsigned *k1);

/* Splits k into k0 + k1 with k0 <= k1 and the smallest k0 k1 that keeps fp; where none does, into
 * halves, whose bound is the lowest. 7 becomes 3 and 4 for 1 %. False, and nothing written: k < 2,
 * fp not in (0, 1). */
BLM_API bool blm_generalized_split(unsigned k, double fp, unsigned *k0, unsigned *k1);

/* Smallest partner of a given k0 or k1 that keeps fp: 4 for 3 at 1 %. 0: none with a sum of at most
 * 512. Cost: up to 10 us. */
BLM_API unsigned blm_generalized_other(unsigned one, double fp);

/* Smallest m >= k0 + k1 that keeps fn: 466142 bits for 1000 keys at 5 %, k0 = 3, k1 = 4. False, and
 * nothing written: n = 0, fn not in (0, 1), k0 + k1 = 0, more than 2^60 bits. Cost: 3 us. */
BLM_API bool blm_generalized_size(uint64_t n, double fn, unsigned k0, unsigned k1, uint64_t *m);

/* Completes the pair k[0] = k0, k[1] = k1 by blm_generalized_tune, blm_generalized_split or
 * blm_generalized_other. zeros: k0 is given. ones: k1 is given. sum: their sum, or 0 where it is
 * not given. {3, 0} with zeros, fp 1 % and no sum becomes {3, 4}. False when there is no such pair;
 * k[] may then have changed. Cost: up to 1 ms. */
BLM_API bool blm_generalized_pair(double fp, double fn, unsigned sum, bool zeros, bool ones,
                                  unsigned k[2]);

/* ---- fill ------------------------------------------------------------------------------------ */

/* Expected number of bits that a query for a non-member reads, one to set and one to reset in turn,
 * where this share of bits is one: 1.875 at 0.5, k0 = k1 = 2. NaN: ones outside 0 to 1. */
BLM_API double blm_generalized_reads(double ones, unsigned k0, unsigned k1);

/* What n keys make of an array: means over filters, the result of blm_generalized_after. */
typedef struct blm_generalized_load {
    double ones;    /* expected number of ones                            */
    double ones_sd; /* its standard deviation, exact                      */
    double rate;    /* expected rate                                      */
    double rate_sd; /* its relative standard deviation between filters    */
} blm_generalized_load;

/* Ones and rate after n keys. The rate is a mean of exact rates over three fills: exact where the
 * fill is certain, and otherwise as good as a normal distribution is for the ones. For 256000 bits,
 * k0 = k1 = 2, distinct, 1000 keys, p0 = 1: 1984.5 ones with a standard deviation of 3.9, rate
 * 5.91e-5 with one of 0.39 %. All NaN for illegal input. */
BLM_API blm_generalized_load blm_generalized_after(uint64_t m, unsigned k0, unsigned k1,
                                                   bool distinct, uint64_t n, double p0);

/* The number of keys that left this number of ones, for a start of zeros alone (p0 = 1) or ones
 * alone (p0 = 0): 999.8, from 997.8 to 1001.7, for 1984 ones of 256000 bits, k0 = k1 = 2, distinct,
 * p0 = 1. Where the ones have settled only a lower bound is known, 2 sigma before that point;
 * .bound says so. .value NaN: illegal input, or ones > m. */
BLM_API blm_estimate blm_generalized_keys(uint64_t ones, uint64_t m, unsigned k0, unsigned k1,
                                          bool distinct, double p0);

#ifdef __cplusplus
}
#endif
#endif

/* bloomery/theory/increments.h - cells to which a probe adds one of several values.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_increments v = {.values = 4, .sums = 0};
 *     uint64_t m;
 *     unsigned k;
 *     if (blm_size_increment(1000, 0.01, 0, v, &m, &k)) ...     4122 cells, 5 hashes
 *     blm_rate_increment(m, k, 1000, v)                         at most 0.01
 *
 * m cells, k hashes per key, n distinct keys, p the rate that is wanted, lambda = kn/m the mean
 * number of increments per cell. Two forms: with sums = 0 a probe adds one of L, L + 1, ... 2L - 1,
 * where L is `values`, to the one counter of its cell, and a non-member passes where its value can
 * be part of the sum (Rottenstreich, Kanizo, Keslassy). With sums = h from 1 to 4 it adds one of
 * `values` numbers whose sums of h differ (a B_h sequence), the cell also has the number of
 * increments, and up to h of them are decoded. Illegal input gives NaN, 0 hashes, or false, which
 * then has written nothing.
 */
#ifndef BLOOMERY_THEORY_INCREMENTS_H
#define BLOOMERY_THEORY_INCREMENTS_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

#define BLM_THEORY_INCREMENTS 16 /* max values                 */
#define BLM_THEORY_SUMS       4  /* max increments decoded      */

/* What a probe adds. */
typedef struct blm_increments {
    unsigned values; /* how many values there are: L, or the length of the B_h sequence    */
    unsigned sums;   /* 0: values from L to 2L - 1; else h, the increments that are decoded */
} blm_increments;

/* The chance that a cell with Poisson(lambda) increments lets the probe of a non-member pass:
 * 0.3376 for lambda 1.03, L = 4. */
BLM_API double blm_increment_pass(double lambda, blm_increments v);

/* The rate of the papers, the k-th power of blm_increment_pass: 1.4181e-5 for 10000 cells, 10
 * hashes, 1000 keys, L = 4. */
BLM_API double blm_rate_increment_approx(uint64_t m, unsigned k, uint64_t n, blm_increments v);

/* The expected rate, with kn increments in all: 1.4196e-5 for 10000 cells, 10 hashes, 1000 keys,
 * L = 4. Past 2000 k^2 cells it is right to 1e-6. NaN: k > 64. Cost: 0.1 ms at k = 7, 0.5 ms at
 * k = 20, 5 ms at k = 64; below a microsecond past 2000 k^2 cells. */
BLM_API double blm_rate_increment(uint64_t m, unsigned k, uint64_t n, blm_increments v);

/* Relative standard deviation of blm_rate_increment between seeds, right to a hundredth: 4.5 % for
 * 10000 cells, 10 hashes, 1000 keys, L = 4. INFINITY where the square of the rate is below the
 * smallest double. NaN: k > 64. Cost: at most four times that of blm_rate_increment. */
BLM_API double blm_rate_increment_sd(uint64_t m, unsigned k, uint64_t n, blm_increments v);

/* The load kn/m with the lowest rate: 1.110 for L = 4. Cost: 30 us. */
BLM_API double blm_increment_lambda(blm_increments v);

/* The k <= 64 with the lowest blm_rate_increment, the smaller one of equals: 11 for 10000 cells,
 * 1000 keys, L = 4. 0 when m or n is 0. Cost: a few rates, 0.1 ms here. */
BLM_API unsigned blm_best_hashes_increment(uint64_t m, uint64_t n, blm_increments v);

/* Smallest number of cells whose blm_rate_increment is at most p. hashes 0: with the k that needs
 * the fewest cells. 4122 cells and 5 hashes for 1000 keys at 1 %, L = 4. False, and nothing
 * written: n = 0, p not in (0, 1), hashes > 64, more than 2^60 cells. Cost: 1 ms. */
BLM_API bool blm_size_increment(uint64_t n, double p, unsigned hashes, blm_increments v,
                                uint64_t *m, unsigned *k);

/* The chance that the sum of Poisson(lambda) increments, each one of these values with equal
 * chance, reaches j: 4.42e-9 for lambda 1.03, the values 4 to 7 and j = 64. NaN: a value above
 * 4095, no value above 0, j above 2^24, lambda outside 0 to 700. Cost: j + 30 times the largest
 * value steps. */
BLM_API double blm_increment_tail(double lambda, const uint16_t *value, unsigned values,
                                  uint64_t j);

#ifdef __cplusplus
}
#endif
#endif

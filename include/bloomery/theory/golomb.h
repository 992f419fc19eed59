/* bloomery/theory/golomb.h - sorted numbers as the gaps between them, by Golomb's code.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_gap_bits(784931, 1 << 19)     21.05 bits per number: the filters of BIP 158
 *     blm_gap_best(256)                 177, with 9.47 bits where gaps are 256 on average
 *
 * Numbers are drawn at random, `gap` apart on average; of equal ones one is kept. What is coded is
 * how many numbers lie between two of them, from 0 on, so it is geometric. Illegal input gives NaN,
 * or 0.
 */
#ifndef BLOOMERY_THEORY_GOLOMB_H
#define BLOOMERY_THEORY_GOLOMB_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Average bits per gap in Golomb's code with parameter m, 2^48 at most; Rice's code with P bits is
 * m = 2^P. NaN: gap below 1, m 0. */
BLM_API double blm_gap_bits(double gap, uint64_t m);

/* Variance of the bits of one gap. NaN: as blm_gap_bits. */
BLM_API double blm_gap_bits_variance(double gap, uint64_t m);

/* The m, up to 2^48, with the shortest codes on average (Gallager and van Voorhis 1975). 0: gap
 * below 1. */
BLM_API uint64_t blm_gap_best(double gap);

#ifdef __cplusplus
}
#endif
#endif

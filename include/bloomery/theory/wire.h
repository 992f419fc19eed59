/* bloomery/theory/wire.h - how many bits it takes to send what has changed in a filter.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_delta_density(8e6, 5, 1e6, 0.01)       0.00667 of all bits differ
 *     blm_delta_bits(8e6, 5, 1e6, 0.01)          462,000 bits: 0.462 per key
 *     blm_wire_entropy(0.00667)                  0.0578 bits per bit
 *
 * For a standard filter of m bits with k hashes per key that holds n keys, when a share t of them
 * is replaced by others (Mitzenmacher 2002; Fan et al. 2000). The best k for deltas is smaller
 * than the best k for the rate. NaN: m or k is 0, n is negative, or t is not from 0 to 1.
 */
#ifndef BLOOMERY_THEORY_WIRE_H
#define BLOOMERY_THEORY_WIRE_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The entropy of a bit that is one with probability p, in bits: no code is shorter on average.
 * 0.2864 for p = 0.05. NaN: p is not from 0 to 1. */
BLM_API double blm_wire_entropy(double p);

/* The share of bits that differ between the filters before and after: q = 2 e^(-kn/m) (1 -
 * e^(-ktn/m)). */
BLM_API double blm_delta_density(double m, unsigned k, double n, double t);

/* The bits of a delta: m times the entropy of its density. blm_delta comes within 0.5 % of it where
 * the delta has 10,000 ones or more. */
BLM_API double blm_delta_bits(double m, unsigned k, double n, double t);

#ifdef __cplusplus
}
#endif
#endif

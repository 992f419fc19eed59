/* bloomery/theory/any.h - a key sets one of its k bits, and any of the k that is set means yes.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t m;
 *     if (blm_size_any(1000, 0.01, 7, &m)) ...           696495 bits for 1000 keys at 1 %
 *     blm_rate_any(m, 7, 1000)                           at most 0.01
 *
 * m bits, k positions per key, n distinct keys, p the rate that is wanted: as in bloomery/theory.h,
 * and so is what illegal input returns. k is at most BLM_THEORY_HASHES. A call takes less than a
 * microsecond unless its comment states a cost.
 */
#ifndef BLOOMERY_THEORY_ANY_H
#define BLOOMERY_THEORY_ANY_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The expected rate, exact: 1 minus the mean over the j distinct positions of a query of (1 -
 * j/m)^n. 0.0069756 for 10^6 bits, 7 positions, 1000 keys. NaN: k > 64. */
BLM_API double blm_rate_any(uint64_t m, unsigned k, uint64_t n);

/* Relative standard deviation of blm_rate_any between seeds, to first order: 0.07 % for 10^6 bits,
 * 7 positions, 1000 keys. NaN: k > 64. */
BLM_API double blm_rate_any_sd(uint64_t m, unsigned k, uint64_t n);

/* Smallest m whose blm_rate_any is at most p: 696495 bits for 1000 keys at 1 % with 7 positions.
 * False, and nothing written: n = 0, p not in (0, 1), k outside 1 to 64, more than 2^60 bits.
 * Cost: 6 us. */
BLM_API bool blm_size_any(uint64_t n, double p, unsigned k, uint64_t *m);

#ifdef __cplusplus
}
#endif
#endif

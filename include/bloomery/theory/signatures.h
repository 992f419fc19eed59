/* bloomery/theory/signatures.h - a key is there when at least q of its k bits are one.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_ones_tail(8, 6, 0.5)                       0.14453, the rate of 8 bits of which 6 do
 *     blm_ones_fill(8, 6, 0.14453125)                0.5
 *     blm_ones_miss(5, 1, 8, 6, 0.5)                 0.125: the key has 5 bits of its own
 *
 * Bits are ones independently of each other; `fill` is the chance of one that is not the key's own.
 * k is at most BLM_THEORY_HASHES, q at least 1. Illegal input gives NaN. A call takes less than a
 * microsecond unless its comment states a cost.
 */
#ifndef BLOOMERY_THEORY_SIGNATURES_H
#define BLOOMERY_THEORY_SIGNATURES_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The chance that at least q of k bits are one, sum over i >= q of C(k, i) fill^i (1 - fill)^(k-i):
 * 0.14453125 for 6 of 8 bits at fill 1/2, and fill^k for q = k. 0 for q above k. */
BLM_API double blm_ones_tail(unsigned k, unsigned q, double fill);

/* The highest fill at which blm_ones_tail is at most p: 0.1646 for 11 of 32 bits at 1 %. NaN: q
 * above k, p not in (0, 1). Cost: 10 us. */
BLM_API double blm_ones_fill(unsigned k, unsigned q, double p);

/* The chance that fewer than q of k bits are one, where t of them are the key's own, each of which
 * is one with the chance `kept`: 0.125 for 5 own bits that are kept, 6 of 8 needed, fill 1/2. NaN:
 * t above k. Cost: k^2 multiplies, or one tail for t = k. */
BLM_API double blm_ones_miss(unsigned t, double kept, unsigned k, unsigned q, double fill);

/* The mean of blm_ones_tail over a number of ones that is about normal, with this mean and standard
 * deviation, among m bits: what filters of one shape with different seeds have. Cost: 3 tails. */
BLM_API double blm_ones_tail_mean(unsigned k, unsigned q, uint64_t m, double ones, double sd);

#ifdef __cplusplus
}
#endif
#endif

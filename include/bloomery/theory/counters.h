/* bloomery/theory/counters.h - how high counters climb: tails of a Poisson distribution.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_counter_tail(0.6931, 16)            7.07e-17: one counter of 4 bits overflows
 *     blm_counter_width(m, 0.6931, 1e-6)      in bloomery/theory.h: the width that m counters need
 *
 * lambda = kn/m is the mean number of throws per counter, j the count that is asked for. Illegal
 * input (lambda negative, infinite or NaN) gives NaN. The number of throws into one counter is
 * taken to have a Poisson distribution, the limit of many counters. A call takes less than a
 * microsecond unless its comment states another cost.
 */
#ifndef BLOOMERY_THEORY_COUNTERS_H
#define BLOOMERY_THEORY_COUNTERS_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The chance that a counter reaches j, P(Poisson(lambda) >= j), with all its digits in the far tail
 * too: 7.07e-17 for lambda = ln 2, j = 16. Cost: at most of the order of sqrt(lambda) steps. */
BLM_API double blm_counter_tail(double lambda, uint64_t j);

/* A closed upper bound of blm_counter_tail, its first term times (j + 1) / (j + 1 - lambda), at
 * most 1: 7.0735e-17 for lambda = ln 2, j = 16, where the tail is 7.0728e-17. */
BLM_API double blm_counter_bound(double lambda, uint64_t j);

/* The textbook bound of one counter's tail for lambda <= ln 2, (e ln 2 / j)^j: 1.37e-15 for j = 16,
 * 19 times the tail. 1 for j = 0. */
BLM_API double blm_counter_union_bound(uint64_t j);

#ifdef __cplusplus
}
#endif
#endif

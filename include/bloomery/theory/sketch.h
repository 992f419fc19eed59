/* bloomery/theory/sketch.h - rows of counters: excess of counts, and which flows are heavy.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t columns;
 *     unsigned rows;
 *     if (blm_sketch_size(0.01, 0.01, &columns, &rows)) ...     272 columns, 5 rows
 *     blm_sketch_excess(columns, 1000000)                       9993.7, exceeded with a chance of
 *     blm_sketch_doubt(rows)                                    0.0067
 *
 * The sketch has d = rows rows of w = columns counters; a key has one counter in each row
 * (count-min). The flows are keys with weights, in any unit: T = threshold is the weight from which
 * a flow is heavy, total the weight of all. A flow passes when all its counters are at T or more,
 * every key having been added to each row (Estan, Varghese). Illegal input (no rows, columns or
 * weight, NaN) gives NaN, or false, which then has written nothing.
 */
#ifndef BLOOMERY_THEORY_SKETCH_H
#define BLOOMERY_THEORY_SKETCH_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- count-min ------------------------------------------------------------------------------- */

/* The size at which a count exceeds the truth by more than eps times the weight of all adds with a
 * chance of at most delta, w = ceil(e / eps) and d = ceil(ln 1/delta): 272 and 5 for 0.01 and 0.01.
 * False, and nothing written: eps or delta not in (0, 1), more than 2^52 columns or 64 rows. */
BLM_API bool blm_sketch_size(double eps, double delta, uint64_t *columns, unsigned *rows);

/* The excess that blm_sketch_size promises to keep, e weight / w, where weight is that of all adds:
 * 9993.7 for 272 columns and a weight of 10^6. */
BLM_API double blm_sketch_excess(uint64_t columns, double weight);

/* The chance that a count exceeds the truth by more than blm_sketch_excess, e^-d: 0.0067 for 5
 * rows. */
BLM_API double blm_sketch_doubt(unsigned rows);

/* ---- heavy flows ----------------------------------------------------------------------------- */

/* An upper bound of the columns of a row that other flows can fill so far that a flow of this size
 * passes: (total - size) / (T - size), rounded down. 111 for 100 kB of 100 MB, T = 1 MB. INFINITY
 * when size >= T. NaN: size negative or above total, T not above 0. */
BLM_API double blm_flow_columns(double size, double threshold, double total);

/* An upper bound of the chance that a flow of this size passes, (blm_flow_columns / w)^d:
 * 1.51807e-4 for 100 kB of 100 MB, T = 1 MB, 4 rows of 1000 columns. NaN also when T
 * columns <= total: then all columns may pass. */
BLM_API double blm_flow_pass(uint64_t columns, unsigned rows, double size, double threshold,
                             double total);

/* The paper's form of the bound blm_flow_pass, ((1/K) T / (T - size))^d with K = T w / total, a
 * little above it: 1.52416e-4 for the same numbers. 1 when size >= T. NaN: as blm_flow_pass. */
BLM_API double blm_flow_pass_bound(uint64_t columns, unsigned rows, double size, double threshold,
                                   double total);

/* An upper bound of the mean number of flows that pass, of n in all: 121.15 for 100000 flows, 4
 * rows of 1000 columns, T = 1 MB of 100 MB. NaN: n = 0, or as blm_flow_pass. */
BLM_API double blm_flows_passing(uint64_t columns, unsigned rows, uint64_t n, double threshold,
                                 double total);

/* The chance that a flow has no bin to itself among `levels` levels of bins that `flows`
 * non-responsive flows fill (Stochastic Fair Blue), (1 - (1 - 1/bins)^flows)^levels: 0.12879 for 23
 * bins, 2 levels, 10 flows. */
BLM_API double blm_blue_mistaken(uint64_t bins, unsigned levels, uint64_t flows);

/* Expected number of candidates of an iceberg query, "at least theta times", with plain updates:
 * `heavy` keys that came that often, and of `light` keys that came `count` times each those for
 * which the other insertions bring the rest, heavy + light P(others bring theta - count)^d. 10.24
 * for 4 rows of 1000 columns, 10000 insertions, 10 heavy keys, 5000 light keys that came 5 times,
 * theta 20. NaN: theta 0, count >= theta, count > insertions. */
BLM_API double blm_iceberg_candidates(uint64_t columns, unsigned rows, uint64_t insertions,
                                      uint64_t heavy, uint64_t light, unsigned count,
                                      unsigned theta);

#ifdef __cplusplus
}
#endif
#endif

/* runs.h - what the files of adaptive-count share: its struct, its sizes, and the count that a run speaks for. */
#ifndef BLM_ADAPTIVE_COUNT_RUNS_H
#define BLM_ADAPTIVE_COUNT_RUNS_H
#include "parts/flat.h"

typedef struct blm_adaptive_count {
    blm_flat flat;
    uint32_t limit, repeat;
} blm_adaptive_count;

#define BLM_ADAPTIVE_COUNT_CELLS (UINT64_C(1) << 58)

/* With that many keys, each added `repeat` times. */
blm_rate blm_adaptive_count_rate(const blm_adaptive_count *s, uint64_t keys);
double blm_adaptive_count_fill(const blm_adaptive_count *s, uint64_t keys);
/* Sets cells, and hashes where they are 0: the fewest bits that keep the rate, with at most 0.3 bits set per bit. False: too
 * many. */
bool blm_adaptive_count_size(blm_adaptive_count *s, uint64_t keys, double rate);
/* The hashes that leave most of that load to counts. */
unsigned blm_adaptive_count_hashes(const blm_adaptive_count *s, uint64_t keys);
/* Of a key with such a run of ones, in an array that has so large a share of ones. */
blm_estimate blm_adaptive_count_of(uint64_t run, uint64_t limit, double fill);
#endif

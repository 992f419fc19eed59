/* probe.h - positions from one hash, each mixed on its own.
 *
 * Probe i of a key is the i-th number of a generator that starts at the key's hash (wyrand: one
 * 64x64->128 multiply, both halves folded), brought into range by a second multiply: the high
 * word of x * cells. Positions are as independent as k hash functions; plain h1 + i*h2 gives
 * about 200 times the promised rate at m = 1024, k = 8, n = 20.
 *
 * The range by the high word, not by `%`, is also what makes folding exact: floor(floor(x*m/2^64)/2)
 * = floor(x*(m/2)/2^64), so neighbours 2i and 2i+1 become i.
 */
#ifndef BLM_PROBE_H
#define BLM_PROBE_H
#include <stdint.h>
#include <bloomery/core.h>
#include "core/mul128.h"

/* The i-th word of the stream of a hash, i from 0. */
static inline uint64_t blm_word(blm_hash h, unsigned i) { return blm_stream(h.lo, i); }

static inline uint64_t blm_place(blm_hash h, unsigned i, uint64_t cells)
{
    return blm_reduce(blm_word(h, i), cells);
}
#endif

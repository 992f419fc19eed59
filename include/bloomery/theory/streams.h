/* bloomery/theory/streams.h - what no filter over a stream can do better, whatever its kind.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_sliding_bound(0x1p32, 1 << 20, 1 << 24)       0.937385: at 0.1 % of false positives,
 *                                                       93.6 % of the window are missed, or more
 */
#ifndef BLOOMERY_THEORY_STREAMS_H
#define BLOOMERY_THEORY_STREAMS_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The smallest sum of two rates, that of false positives and that of misses among the keys of the
 * last `window` arrivals, that `bits` bits of memory can have, if each arrival is any of `alphabet`
 * keys with the same chance: 1 - (1 - (1 - 1/L)^m) / (1 - (1 - 1/L)^w), and 0 up to one arrival per
 * bit. INFINITY, an alphabet without end: 1 - m/w. For a window without end, all keys that came,
 * `window` is how many arrivals there were. NaN: bits or window below 1, an alphabet below 2. */
BLM_API double blm_sliding_bound(double alphabet, double bits, double window);

#ifdef __cplusplus
}
#endif
#endif

/* bloomery/theory/fill.h - ones of blocked and split filters, and the number of keys from them.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_fill_mean_blocked(512, 20, 7, 1000)              5051.4 ones after 1000 keys
 *     blm_keys_from_fill_blocked(5034, 512, 20, 7)         995.1 keys
 *     blm_keys_sd_blocked(512, 20, 7, 1000)                give or take 8.1
 *
 * m, k, n, block_bits, blocks and the forms of a filter: as in bloomery/theory.h, and so is what
 * illegal input returns. A standard deviation is between filters of one shape with different seeds.
 */
#ifndef BLOOMERY_THEORY_FILL_H
#define BLOOMERY_THEORY_FILL_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- ones ------------------------------------------------------------------------------------ */

/* A bound for the number of ones of a standard filter: t such that |ones - mean| >= t has a chance
 * of at most miss, for any distribution of the ones (Azuma), sqrt(kn/2 ln(2/miss)). It is about
 * twice the true band: 136.2 for 7 hashes, 1000 keys, miss = 1 %. NaN: miss not in (0, 1]. */
BLM_API double blm_fill_azuma(unsigned k, uint64_t n, double miss);

/* Expected number of ones of a blocked filter after n keys: 5051.4 for 20 blocks of 512 bits, 7
 * hashes, 1000 keys. */
BLM_API double blm_fill_mean_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);

/* Standard deviation of the number of ones of a blocked filter: 28.7 for 20 blocks of 512 bits, 7
 * hashes, 1000 keys. */
BLM_API double blm_fill_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);

/* Expected number of ones of a split filter after n keys: 13621.7 for 100 blocks, 2430 keys. */
BLM_API double blm_fill_mean_split(uint64_t blocks, uint64_t n);

/* Standard deviation of the number of ones of a split filter: 49.7 for 100 blocks, 2430 keys. */
BLM_API double blm_fill_sd_split(uint64_t blocks, uint64_t n);

/* The part of blm_rate_split that the ones do not show: the chance that a non-member and one of
 * `load` keys of its block have the same 32 bits for the lanes. 5.6e-9 at 24.3 keys per block,
 * where the rate is 1 %. NaN: load negative. */
BLM_API double blm_split_twins(double load);

/* ---- keys ------------------------------------------------------------------------------------ */

/* The number of keys that `ones` ones of a blocked filter speak for: 995.1 for 5034 ones in 20
 * blocks of 512 bits, 7 hashes. INFINITY when all bits are ones, NaN when ones is above their
 * number. */
BLM_API double blm_keys_from_fill_blocked(uint64_t ones, uint64_t block_bits, uint64_t blocks,
                                          unsigned k);

/* Standard deviation of blm_keys_from_fill_blocked when there are n keys (delta method): 8.13 keys
 * for 20 blocks of 512 bits, 7 hashes, 1000 keys. INFINITY when all bits are ones. */
BLM_API double blm_keys_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);

/* The number of keys that `ones` ones of a split filter speak for: 2469.1 for 13767 ones in 100
 * blocks. INFINITY when all bits are ones, NaN when ones is above their number. */
BLM_API double blm_keys_from_fill_split(uint64_t ones, uint64_t blocks);

/* Standard deviation of blm_keys_from_fill_split when there are n keys (delta method): 13.3 keys
 * for 100 blocks, 2430 keys. INFINITY when all bits are ones. */
BLM_API double blm_keys_sd_split(uint64_t blocks, uint64_t n);

/* Standard deviation of the number of keys that came after `ones` bits of a standard filter had
 * been set, estimated from the zeros then and now: of the difference of two blm_keys_from_fill. n
 * is how many came. 3.92 for 100 keys after 4792 of 9585 bits were set, 7 hashes. INFINITY when
 * there were no zeros, NaN when ones > m. */
BLM_API double blm_keys_later_sd(uint64_t m, unsigned k, uint64_t ones, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif

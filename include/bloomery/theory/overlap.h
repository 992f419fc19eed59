/* bloomery/theory/overlap.h - what two filters share: common keys, Jaccard index, containment, dot.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_keys_common(3000, 3000, 4500, 10000, 7)             165.0 keys are in both
 *     blm_keys_common_sd(10000, 7, 1000, 500, 200)            give or take 6.6, at these sizes
 *
 * A and B are two filters of one shape and one seed. ones_a, ones_b, ones_or and ones_and are the
 * ones of each, of their OR and of their AND. For the standard deviations A has a keys, B has b and
 * `common` keys are in both; the estimates are made from the ones by the delta method. The Jaccard
 * index is common / union. The shapes are those of bloomery/theory.h and, for words,
 * bloomery/theory/words.h, and so is what illegal input returns; NaN also when common > a or
 * common > b. INFINITY when all bits of the OR are ones. A standard deviation is between pairs of
 * filters with different seeds; the sizes of A and B are uncertain too, and each formula allows for
 * what their errors have in common.
 */
#ifndef BLOOMERY_THEORY_OVERLAP_H
#define BLOOMERY_THEORY_OVERLAP_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- estimates ------------------------------------------------------------------------------- */

/* The number of keys that are in both, by the ones of the OR: the estimate for A plus that for B
 * minus that for the OR. 165.0 for 3000, 3000 and 4500 ones of 10000 bits, 7 hashes. It is not
 * clamped, so chance alone may take it below 0. NaN when the OR is full. */
BLM_API double blm_keys_common(uint64_t ones_a, uint64_t ones_b, uint64_t ones_or, uint64_t m,
                               unsigned k);

/* The same number by the ones of the AND (Papapetrou): 165.0 for 3000, 3000 and 1500 ones of 10000
 * bits, 7 hashes. It is less exact when both filters are nearly empty. NaN when the OR is full. */
BLM_API double blm_keys_common_and(uint64_t ones_a, uint64_t ones_b, uint64_t ones_and, uint64_t m,
                                   unsigned k);

/* The number of keys that are in both of two blocked filters, by the ones of the OR: 168.5 for
 * 3000, 3000 and 4500 ones in 20 blocks of 512 bits, 7 hashes. It is not clamped. NaN when the OR
 * is full. */
BLM_API double blm_keys_common_blocked(uint64_t ones_a, uint64_t ones_b, uint64_t ones_or,
                                       uint64_t block_bits, uint64_t blocks, unsigned k);

/* ---- standard deviation of the number of common keys ----------------------------------------- */

/* Standard deviation of the number of common keys, estimated from the ones of two standard filters:
 * 6.58 keys for 10000 bits, 7 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_keys_common_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the number of common keys, estimated from the ones of two blocked filters:
 * 6.59 keys for 20 blocks of 512 bits, 7 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_keys_common_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k,
                                          uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the number of common keys, estimated from the ones of two filters of words:
 * 6.46 keys for 157 words of 64 bits, 2 reads, 6 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_keys_common_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                       uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the number of common keys, estimated from the ones of two split filters:
 * 7.11 keys for 40 blocks, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_keys_common_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common);

/* ---- standard deviation of the Jaccard index ------------------------------------------------- */

/* Standard deviation of the Jaccard index, estimated from the ones of two standard filters: 0.00586
 * for 10000 bits, 7 hashes, 1000 keys in A, 500 in B, 200 in both (an index of 0.154). */
BLM_API double blm_jaccard_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the Jaccard index, estimated from the ones of two blocked filters: 0.00587
 * for 20 blocks of 512 bits, 7 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_jaccard_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t a,
                                      uint64_t b, uint64_t common);

/* Standard deviation of the Jaccard index, estimated from the ones of two filters of words: 0.00574
 * for 157 words of 64 bits, 2 reads, 6 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_jaccard_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                   uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the Jaccard index, estimated from the ones of two split filters: 0.00633
 * for 40 blocks, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_jaccard_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common);

/* ---- standard deviation of the containment common / a, the share of A that is in B -----------
 * It is 0 when all of A is in B, as A then has no bit that B lacks. For the share of B exchange a
 * and b. */

/* Standard deviation of the containment, estimated from the ones of two standard filters: 0.00671
 * for 10000 bits, 7 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_contained_sd(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the containment, estimated from the ones of two blocked filters: 0.00672
 * for 20 blocks of 512 bits, 7 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_contained_sd_blocked(uint64_t block_bits, uint64_t blocks, unsigned k,
                                        uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the containment, estimated from the ones of two filters of words: 0.00658
 * for 157 words of 64 bits, 2 reads, 6 hashes, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_contained_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                     uint64_t a, uint64_t b, uint64_t common);

/* Standard deviation of the containment, estimated from the ones of two split filters: 0.00725 for
 * 40 blocks, 1000 keys in A, 500 in B, 200 in both. */
BLM_API double blm_contained_sd_split(uint64_t blocks, uint64_t a, uint64_t b, uint64_t common);

/* ---- the AND --------------------------------------------------------------------------------- */

/* Expected number of ones in the AND of two standard filters: 2012.6 for 10000 bits, 7 hashes, 1000
 * keys in A, 500 in B, 200 in both, 1486.8 if none is. */
BLM_API double blm_dot_mean(uint64_t m, unsigned k, uint64_t a, uint64_t b, uint64_t common);

/* The approximate chance that the AND is bit for bit the filter of the common keys, where a keys
 * are in A alone and b in B alone: (1 - 1/m)^(k^2 a b), good while k^2 a b is well below m. 0.939
 * for 10^6 bits, 5 hashes, 50 and 50 keys. */
BLM_API double blm_and_exact_chance(uint64_t m, unsigned k, uint64_t a, uint64_t b);

#ifdef __cplusplus
}
#endif
#endif

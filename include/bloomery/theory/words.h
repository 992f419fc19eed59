/* bloomery/theory/words.h - filters whose keys read one to four machine words.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t count;
 *     unsigned k;
 *     if (blm_size_word(1000000, 0.01, 64, 2, 0, &count, &k)) ...     157300 words, 6 hashes
 *     blm_rate_word(64, count, 2, k, 1000000)                         at most 0.01
 *
 * The filter has `count` words of `width` bits (32, 64, or any width up to 64). A key reads `reads`
 * words, from 1 to BLM_THEORY_READS, and has k / reads bits in each; words may coincide. k hashes
 * from reads to 64, n distinct keys, p the rate that is wanted. Illegal input gives NaN, 0 hashes,
 * or false, which then has written nothing.
 */
#ifndef BLOOMERY_THEORY_WORDS_H
#define BLOOMERY_THEORY_WORDS_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

#define BLM_THEORY_READS 4 /* max words per key */

/* The expected rate: 0.010073 for 157 words of 64 bits, 2 reads, 6 hashes, 1000 keys. When reads
 * divides k it is exact up to 100 words and right to 1e-4 above, coinciding words included.
 * Otherwise it errs upward: the truth is lower by a part of at most reads / (4 n). Cost: 10 us;
 * 1 ms for up to 100 words and 4 reads. */
BLM_API double blm_rate_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                             uint64_t n);

/* Relative standard deviation of blm_rate_word between seeds, to first order: 3.9 % for 157 words
 * of 64 bits, 2 reads, 6 hashes, 1000 keys. Cost: 4 us. */
BLM_API double blm_rate_word_sd(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                uint64_t n);

/* The k with the lowest blm_rate_word among the multiples of reads, with at most half of a word's
 * bits per read: 6 for 157 words of 64 bits, 2 reads, 1000 keys. 0 when n is 0 or there is no such
 * filter. Cost: k / reads + 1 rates, 14 us here. */
BLM_API unsigned blm_best_hashes_word(uint64_t width, uint64_t count, unsigned reads, uint64_t n);

/* Smallest number of words whose blm_rate_word is at most p. hashes 0: with the best multiple of
 * reads, with at most half of a word's bits per read. For 10^6 keys at 1 % in words of 64 bits:
 * 189668 words and 5 hashes with one read (12.1 bits per key), 157300 and 6 with two (10.1). False,
 * and nothing written: n = 0, p not in (0, 1), an illegal shape, more than 2^60 bits.
 * Cost: 0.1 ms. */
BLM_API bool blm_size_word(uint64_t n, double p, uint64_t width, unsigned reads, unsigned hashes,
                           uint64_t *count, unsigned *k);

/* The number of keys that `ones` ones speak for: 1010.2 for 4500 ones in 157 words of 64 bits, 2
 * reads, 6 hashes. INFINITY when all bits are ones, NaN when ones is above their number. */
BLM_API double blm_keys_from_fill_word(uint64_t ones, uint64_t width, uint64_t count,
                                       unsigned reads, unsigned k);

/* Standard deviation of blm_keys_from_fill_word when there are n keys (delta method): 8.17 keys for
 * 157 words of 64 bits, 2 reads, 6 hashes, 1000 keys. INFINITY when all bits are ones. */
BLM_API double blm_keys_sd_word(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                uint64_t n);

#ifdef __cplusplus
}
#endif
#endif

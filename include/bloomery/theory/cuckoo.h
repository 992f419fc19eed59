/* bloomery/theory/cuckoo.h - fingerprints in two buckets of four slots per key.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t buckets;
 *     unsigned width;
 *     if (blm_size_cuckoo(1000000, 0.01, &buckets, &width)) ...     263158 buckets, 10 bits
 *     blm_rate_cuckoo(buckets, width, 1000000, true)                at most 0.01
 *
 * The filter has `buckets` buckets of four slots, and a key lies in one of its two buckets. A slot
 * holds a fingerprint of `width` bits, from 2 to 56, that is never 0. n distinct keys, p the rate
 * that is wanted. Illegal input gives NaN, 0 buckets, or false, which then has written nothing.
 */
#ifndef BLOOMERY_THEORY_CUCKOO_H
#define BLOOMERY_THEORY_CUCKOO_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Smallest number of buckets that holds n keys: 32 for 100 keys, 263158 for 10^6. They fill 95 % of
 * their slots from 2280 keys on, 78 % at 100 keys; one filter in 10^7 rejects one of them. 0: n is
 * 0 or above 10^15. */
BLM_API uint64_t blm_cuckoo_buckets(uint64_t n);

/* The high or the low end of the rate of n keys, between which it lies for any number of slots in
 * use per bucket. The high end is 1 - (1 - 1/(2^width - 1))^(8 load), load being the share of slots
 * in use: 0.0018544 for 263158 buckets, 12 bits, 10^6 keys, and 0.0018543 at the low end. */
BLM_API double blm_rate_cuckoo(uint64_t buckets, unsigned width, uint64_t n, bool high);

/* The rate of one given table, in which with[i] buckets have i slots in use; this is no estimate.
 * 0.0018544 for {1, 2, 3, 4, 90} and 12 bits. NaN: width outside 1 to 56. */
BLM_API double blm_rate_cuckoo_from_fill(const uint64_t with[5], unsigned width);

/* Smallest table, by blm_cuckoo_buckets, and smallest width whose high rate is at most p: 263158
 * buckets of 10 bits for 10^6 keys at 1 %. False, and nothing written: n is 0 or above 10^15, p not
 * in (0, 1), 56 bits are too few. */
BLM_API bool blm_size_cuckoo(uint64_t n, double p, uint64_t *buckets, unsigned *width);

/* The lowest rate that fits into this number of bits, in which each slot also has a digest of 128
 * bits: 264084 buckets of 14 bits for 10^6 keys in 150000000 bits. False, and nothing written: n is
 * 0 or above 10^15, or the bits are too few. */
BLM_API bool blm_fit_cuckoo(uint64_t bits, uint64_t n, uint64_t *buckets, unsigned *width);

#ifdef __cplusplus
}
#endif
#endif

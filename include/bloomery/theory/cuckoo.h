/* bloomery/theory/cuckoo.h - fingerprints in two buckets per key.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t buckets;
 *     unsigned width;
 *     if (blm_size_cuckoo(1000000, 0.01, &buckets, &width)) ...     263158 buckets, 10 bits
 *     blm_rate_cuckoo(buckets, width, 1000000, true)                at most 0.01
 *
 * The filter (adaptive-cuckoo) has `buckets` buckets of four slots, and a key lies in one of its
 * two buckets. A slot holds a fingerprint of `width` bits, from 2 to 56, that is never 0. n
 * distinct keys, p the rate that is wanted. Illegal input gives NaN, 0 buckets, or false, which
 * then has written nothing. Functions with `prints` in their name are for cuckoo, below.
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

/* ---- two tables of fingerprints that can be read back (cuckoo) --------------------------------
 *
 *     uint64_t across;
 *     unsigned width;
 *     if (blm_size_cuckoo_prints(1000000, 0.0019, 4, false, &across, &width)) ...  131579, 12
 *     blm_rate_cuckoo_prints(across, width, 1000000)                               at most 0.0019
 *
 * Each of two tables has `across` buckets of `slots` slots, 1, 2, 4 or 8. A key is one of
 * range = across * 2^width numbers; its upper part chooses the buckets, and a slot keeps the lower
 * `width` bits, 5 to 56, in which 0 and 1 are one fingerprint. sorted: buckets of 4 slots take 4
 * bits less. */

/* Smallest number of buckets per table that holds n keys: 16 for 100 keys in buckets of 4 slots,
 * 131579 for 10^6. Of large tables 47, 86, 95 and 98 % of the slots are used; of small ones less,
 * so that one filter in 10^7 rejects a key. 0: n is 0 or above 10^14, or slots are others. */
BLM_API uint64_t blm_cuckoo_across(uint64_t n, unsigned slots);

/* Expected number of crowds: of 2 slots + 1 keys that have one and the same fingerprint, for which
 * their two buckets have no room. 2.8e-16 for 10^6 keys, range 10^8, 4 slots. */
BLM_API double blm_cuckoo_crowds(uint64_t n, double range, unsigned slots);

/* The expected rate: 0.0018547 for 131579 buckets per table, 12 bits, 10^6 keys. It is the share of
 * the numbers in use, and so nearly 2 slots load / 2^width. NaN: no buckets, or width outside 5 to
 * 56. */
BLM_API double blm_rate_cuckoo_prints(uint64_t across, unsigned width, uint64_t n);

/* Relative standard deviation of that rate between seeds: 3.8e-5 for the same. */
BLM_API double blm_rate_cuckoo_prints_sd(uint64_t across, unsigned width, uint64_t n);

/* Smallest tables, in bits, that hold n keys at a rate of at most p, with less than one crowd in
 * 10^6 filters: 131579 buckets and 10 bits for 10^6 keys at 1 % in buckets of 4 slots. False, and
 * nothing written: as blm_cuckoo_across, p not in (0, 1), 56 bits are too few, or a range of 2^62.
 */
BLM_API bool blm_size_cuckoo_prints(uint64_t n, double p, unsigned slots, bool sorted,
                                    uint64_t *across, unsigned *width);

/* The lowest rate within this number of bits that hold n keys: 142045 buckets and 11 bits for 10^6
 * keys in 12500000 bits, 4 slots. False, and nothing written: as blm_size_cuckoo_prints. */
BLM_API bool blm_fit_cuckoo_prints(uint64_t bits, uint64_t n, unsigned slots, bool sorted,
                                   uint64_t *across, unsigned *width);

#ifdef __cplusplus
}
#endif
#endif

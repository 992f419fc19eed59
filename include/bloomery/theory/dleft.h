/* bloomery/theory/dleft.h - fingerprints in buckets, in the emptiest of several tables.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t buckets;
 *     unsigned remainder;
 *     if (blm_size_dleft(1000000, 0.01, 4, 8, 2, &buckets, &remainder)) ...   41667 buckets
 *     blm_rate_prints(buckets << remainder, 1000000)                          at most 0.01
 *
 * The filter has `tables` tables of `buckets` buckets of `slots` cells, and in each cell a
 * remainder of r bits and a counter of `width` bits. A key has one bucket in each table and one of
 * range = buckets * 2^r fingerprints. n distinct keys, p the rate that is wanted. Illegal input
 * gives NaN, or false, which then has written nothing.
 */
#ifndef BLOOMERY_THEORY_DLEFT_H
#define BLOOMERY_THEORY_DLEFT_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The expected rate, 1 - (1 - 1/range)^n: 0.0099502 for 10^6 keys in a range of 10^8. NaN: range
 * 0. */
BLM_API double blm_rate_prints(uint64_t range, uint64_t n);

/* Relative standard deviation of blm_rate_prints between seeds: 7.0e-5 for 10^6 keys in a range of
 * 10^8. */
BLM_API double blm_rate_prints_sd(uint64_t range, uint64_t n);

/* Smallest filter, in bits, that keeps p with at most slots - 2 keys per bucket: the buckets of one
 * table, and r. 41667 buckets and 12 bits for 10^6 keys at 1 % in 4 tables of 8 slots with counters
 * of 2 bits, 18.7 bits per key. False, and nothing written: n = 0, p not in (0, 1), tables not 1 to
 * 8, slots below 3, cells of more than 57 bits, 2^50 buckets, or a range of 2^63. Cost: 3 us. */
BLM_API bool blm_size_dleft(uint64_t n, double p, unsigned tables, unsigned slots, unsigned width,
                            uint64_t *buckets, unsigned *remainder);

/* The lowest rate within this number of bits that have room for n keys: 45454 buckets and 9 bits, a
 * rate of 0.042, for 10^6 keys in 16000000 bits, 4 tables of 8 slots, counters of 2 bits. False,
 * and nothing written: as blm_size_dleft. */
BLM_API bool blm_fit_dleft(uint64_t bits, uint64_t n, unsigned tables, unsigned slots,
                           unsigned width, uint64_t *buckets, unsigned *remainder);

/* Share of the buckets that have at least `cells` of their cells in use after `load` keys per
 * bucket, each in the emptiest of its buckets, the leftmost of equals: the limit of large tables,
 * nothing deleted. 0.1283 for 7 cells, 4 tables, load 6. NaN: tables not 1 to 8, load not in 0 to
 * 32, cells above 63. Cost: 12 ms here, 0.3 s at 8 tables and load 32. */
BLM_API double blm_dleft_load(unsigned tables, double load, unsigned cells);

#ifdef __cplusplus
}
#endif
#endif

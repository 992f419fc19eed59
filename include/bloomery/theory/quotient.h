/* bloomery/theory/quotient.h - fingerprints in one sorted table.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t quotients;
 *     unsigned remainder;
 *     if (blm_size_quotient(1000000, 0.01, 0, &quotients, &remainder)) ...   1052632, 7
 *     blm_rate_prints(quotients << remainder, 1000000)                       at most 0.01
 *
 * A fingerprint is a quotient, which says where, and r bits of remainder, which are kept, next to a
 * counter of `width` bits. n distinct keys, p the rate that is wanted; blm_rate_prints
 * (bloomery/theory/dleft.h) is the rate of n keys in quotients * 2^r fingerprints. Illegal input
 * gives 0 or false, which then has written nothing.
 */
#ifndef BLOOMERY_THEORY_QUOTIENT_H
#define BLOOMERY_THEORY_QUOTIENT_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Smallest number of quotients with room for n keys, each of which takes a slot: at most 19 of 20
 * are taken. 106 for 100 keys, 1052632 for 10^6. 0: n is 0 or above 2^49. */
BLM_API uint64_t blm_quotient_homes(uint64_t n);

/* Bits of a table: one slot per quotient and 10 times the square root as many more, at most as
 * many again, in blocks of 64 slots of r + width + 2.125 bits. 12887808 for 1052632 quotients and
 * 10 bits. 0: fewer than 2 or more than 2^50 quotients, r 0, r + width above 57, or more than 2^63
 * fingerprints. */
BLM_API uint64_t blm_quotient_bits(uint64_t quotients, unsigned remainder, unsigned width);

/* Smallest table, in bits, that has room for n keys and keeps p. False, and nothing written: n = 0,
 * p not in (0, 1), or no such table. Cost: 1 us. */
BLM_API bool blm_size_quotient(uint64_t n, double p, unsigned width, uint64_t *quotients,
                               unsigned *remainder);

/* The lowest rate within this number of bits that have room for n keys: 1085453 quotients and 7
 * bits, a rate of 0.0072, for 10^6 keys in 10000000 bits. False, and nothing written: as
 * blm_size_quotient. Cost: 3 us. */
BLM_API bool blm_fit_quotient(uint64_t bits, uint64_t n, unsigned width, uint64_t *quotients,
                              unsigned *remainder);

#ifdef __cplusplus
}
#endif
#endif

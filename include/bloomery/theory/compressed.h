/* bloomery/theory/compressed.h - bits that are coded before they are sent.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t m;
 *     unsigned k;
 *     if (blm_size_coded(1000000, 0.01, 4e7, 0, &m, &k)) ...   18983095 bits, 2 hashes
 *     blm_coded_bits(m, k, 1000000)                            8.9 million bits to send
 *
 * m bits, k hashes per key, n distinct keys. A perfect coder sends a bit that is zero with the
 * chance q = e^(-kn/m) in H(q) = -q log2 q - (1 - q) log2 (1 - q) bits. A filter with more zeros
 * than ones is therefore sent in fewer bits than it has, and fewer hashes in more bits give a lower
 * rate for what is sent: at best 0.5 to the bits per key, instead of 0.6185 to them.
 */
#ifndef BLOOMERY_THEORY_COMPRESSED_H
#define BLOOMERY_THEORY_COMPRESSED_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The expected coded size, m H(q), in bits: 7923012 for 14 million bits, 2 hashes, a million keys.
 * 0 without keys. NaN: m or k 0. Cost: 30 ns. */
BLM_API double blm_coded_bits(uint64_t m, unsigned k, uint64_t n);

/* Bits per key of the filter that is coded in `coded` bits per key: the root c of c H(e^(-k/c)) =
 * coded. 14.337 for 8 bits and 2 hashes, 96.915 with 1. NaN: k 0, coded not at least 1, or so many
 * hashes that more than half of the bits would be ones (then one hash fewer is better); 1 hash
 * always has a root. Cost: 3 us. */
BLM_API double blm_coded_load(double coded, unsigned k);

/* The m and k with the fewest coded bits among those with a rate, by blm_rate_exact, of at most p
 * and at most `most` bits. hashes: 0, or the k to be. 18983095 bits and 2 hashes for a million keys
 * at 1 % in at most 40 million bits. False, and nothing written: n = 0, p not in (0, 1), hashes >
 * 64, or no filter of `most` bits keeps the rate. Cost: 20 us. */
BLM_API bool blm_size_coded(uint64_t n, double p, double most, unsigned hashes, uint64_t *m,
                            unsigned *k);

/* The m and k with the lowest rate among those with at most `coded` coded bits in all, and at most
 * `most` bits. hashes: 0, or the k to be. 14336842 bits and 2 hashes, a rate of 0.016955, for a
 * million keys in 8 million bits, at most 32 million before coding. False, and nothing written: n =
 * 0, hashes > 64, coded < n, most < 1, or that many hashes do not fit. Cost: 60 us. */
BLM_API bool blm_fit_coded(uint64_t n, double coded, double most, unsigned hashes, uint64_t *m,
                           unsigned *k);

#ifdef __cplusplus
}
#endif
#endif

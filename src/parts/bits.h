/* bits.h - an array of single bits, and what is done to whole arrays of them.
 *
 * Bit i is bit i % 8 of byte i / 8: the same as bit i % 64 of little-endian word i / 64. Regions
 * are whole 8-byte words; bits past the last cell are zero and stay zero.
 */
#ifndef BLM_BITS_H
#define BLM_BITS_H
#include <stdbool.h>
#include "core/bytes.h"
#include "core/kind.h"

static inline bool blm_bit_get(const uint8_t *cells, uint64_t i)
{
    return cells[i >> 3] >> (i & 7) & 1;
}

/* Sets bit i; returns 1 when it was zero. */
static inline unsigned blm_bit_set(uint8_t *cells, uint64_t i)
{
    const uint8_t old = cells[i >> 3], bit = (uint8_t)(1u << (i & 7));
    cells[i >> 3] = old | bit;
    return !(old & bit);
}

/* Clears bit i; returns 1 when it was one. */
static inline unsigned blm_bit_clear(uint8_t *cells, uint64_t i)
{
    const uint8_t old = cells[i >> 3], bit = (uint8_t)(1u << (i & 7));
    cells[i >> 3] = old & (uint8_t)~bit;
    return (old & bit) != 0;
}

/* Words of 8 bytes that hold `bits`; bytes = 8 * words. 0 when it overflows. */
static inline uint64_t blm_bits_bytes(uint64_t bits)
{
    return bits > UINT64_MAX - 63 ? 0 : (bits + 63) / 64 * 8;
}

/* Rounded up to a multiple of a power of two, at most `most` and below 0.4 % of it, so that the array
 * can be halved some times. */
static inline uint64_t blm_foldable(uint64_t cells, uint64_t max)
{
    uint64_t step = 1;
    while (step < max && step * 2 <= cells / 256) step *= 2;
    return (cells + step - 1) / step * step;
}

/* All over whole words: `bytes` is a multiple of 8. */
uint64_t blm_bits_count(const uint8_t *cells, uint64_t bytes);
/* Of n bits from bit `from` on; wherever they start and end, in whole words that hold them. */
uint64_t blm_bits_count_in(const uint8_t *cells, uint64_t from, uint64_t n);
uint64_t blm_bits_or(uint8_t *into, const uint8_t *from,
                     uint64_t bytes); /* returns the ones after */
uint64_t blm_bits_and(uint8_t *into, const uint8_t *from,
                      uint64_t bytes); /* returns the ones after */
/* Neighbours 2i and 2i+1 of `from` become bit i of `half`, which has half_bytes. Returns its ones. */
uint64_t blm_bits_fold(uint8_t *half, uint64_t half_bytes, const uint8_t *from, uint64_t bytes);
/* Are all bits from `bits` to the end of the region zero? */
bool blm_bits_tail_zero(const uint8_t *cells, uint64_t bytes, uint64_t bits);

/* As the kind's calls of these names, for a filter whose cells are `bits` bits. check compares the ones with the field;
 * adopt sets it. */
blm_err blm_bits_check(const blm_filter *f, uint64_t bits, uint64_t ones, blm_report *why);
blm_err blm_bits_adopt(blm_filter *f, const uint8_t *cells, uint64_t bits, uint64_t *ones,
                       blm_report *why);

typedef struct blm_bits_pair {
    uint64_t both, either; /* ones of A & B, of A | B         */
    bool a_in_b, b_in_a;   /* (A & ~B) == 0, (B & ~A) == 0    */
} blm_bits_pair;
blm_bits_pair blm_bits_compare(const uint8_t *a, const uint8_t *b, uint64_t bytes);
#endif

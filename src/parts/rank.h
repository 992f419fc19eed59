/* rank.h - rank and select: how many bits are set below a place, and where a set bit is by its number.
 *
 * In a word:
 *
 *     word 0010 1100, lowest bit on the right         blm_rank(w, 3) = 1: below place 3 one bit is set
 *               5 32                                  blm_select(w, 0) = 2, (w, 1) = 3, (w, 2) = 5, (w, 3) = 64
 *
 * Portable C without a branch that depends on the bits: sums over the bytes of the word, all eight at a time, say which byte has the bit;
 * the same over the bits of that byte, spread to eight bytes, say which bit it is. 30 operations; the instructions that
 * some machines have for it made adds and questions of a whole filter 15 % faster.
 */
#ifndef BLM_RANK_H
#define BLM_RANK_H
#include "core/bytes.h"

/* The set bits among the `below` lowest ones, 0 to 64. */
static inline unsigned blm_rank(uint64_t word, unsigned below)
{
    return below ? blm_ones_of(word << (64 - below)) : 0;
}

#define BLM_RANK_BYTES UINT64_C(0x0101010101010101)

/* How many of eight bytes, which rise and are below 128, are at most `number`, which is, too. */
static inline unsigned blm_rank_bytes(uint64_t rising, unsigned number)
{
    const uint64_t tops = BLM_RANK_BYTES << 7;
    const uint64_t at_most = ((number * BLM_RANK_BYTES | tops) - rising) & tops;
    return (unsigned)((at_most >> 7) * BLM_RANK_BYTES >> 56);
}

/* The place of set bit `number`, from 0; 64: the word has no more than that many. */
static inline unsigned blm_select(uint64_t word, unsigned number)
{
    if (number > 63) return 64;
    uint64_t sums = word - (word >> 1 & UINT64_C(0x5555555555555555));
    sums = (sums & UINT64_C(0x3333333333333333)) + (sums >> 2 & UINT64_C(0x3333333333333333));
    sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * BLM_RANK_BYTES;
    const unsigned at = 8 * blm_rank_bytes(sums, number); /* the bytes before it end before it */
    if (at > 63) return 64;
    number -= (unsigned)(sums << 8 >> at & 0xff);
    const uint64_t bits = (word >> at & 0xff) * BLM_RANK_BYTES & UINT64_C(0x8040201008040201);
    const uint64_t ones = (bits + BLM_RANK_BYTES * 0x7f) >> 7 & BLM_RANK_BYTES;
    return at + blm_rank_bytes(ones * BLM_RANK_BYTES, number);
}

/* ---- in many words ------------------------------------------------------------------------------- */

/* A directory has 8 bytes per line of 512 bits, an eighth of the bits more: how many ones lie before the line. Its last entry is
 * that of all lines.
 *
 *     bits        | line 0: 250 ones | line 1: 261 ones | line 2: 3 ones |
 *     directory   |        0         |       250        |      511       |  514  |
 *
 * A rank reads an entry and one line. Entries may be forged: whatever they say, no bit outside of the lines is read. */
enum { BLM_RANK_LINE = 512, BLM_RANK_WORDS = BLM_RANK_LINE / 64 };

static inline uint64_t blm_rank_lines(uint64_t bits)
{
    return (bits + BLM_RANK_LINE - 1) / BLM_RANK_LINE;
}

/* Bytes of a directory for that many lines. */
static inline uint64_t blm_rank_bytes_of(uint64_t lines) { return 8 * (lines + 1); }

static inline void blm_rank_count(const uint8_t *bits, uint64_t lines, uint8_t *directory)
{
    uint64_t ones = 0;
    for (uint64_t word = 0; word < lines * BLM_RANK_WORDS; word++) {
        if (word % BLM_RANK_WORDS == 0) blm_put64(directory + 8 * (word / BLM_RANK_WORDS), ones);
        ones += blm_ones_of(blm_le64(bits + 8 * word));
    }
    blm_put64(directory + 8 * lines, ones);
}

/* The set bits before place `at`, which is at most that of the last bit. */
static inline uint64_t blm_rank_before(const uint8_t *bits, const uint8_t *directory, uint64_t at)
{
    const uint64_t line = at / BLM_RANK_LINE, last = at / 64;
    uint64_t ones = blm_le64(directory + 8 * line);
    for (uint64_t word = line * BLM_RANK_WORDS; word < last; word++)
        ones += blm_ones_of(blm_le64(bits + 8 * word));
    return ones + blm_rank(blm_le64(bits + 8 * last), at % 64);
}

/* The place of set bit `number`, from 0; 512 * lines: there are no more than that many. */
static inline uint64_t blm_select_of(const uint8_t *bits, const uint8_t *directory, uint64_t lines,
                                     uint64_t number)
{
    uint64_t low = 0, high = lines; /* the last line with at most `number` ones before it */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(blm_le64(directory + 8 * middle) <= number ? &low : &high) = middle;
    }
    if (!lines || number >= blm_le64(directory + 8 * lines)) return lines * BLM_RANK_LINE;
    uint64_t left = number - blm_le64(directory + 8 * low);
    for (uint64_t word = low * BLM_RANK_WORDS; word < (low + 1) * BLM_RANK_WORDS; word++) {
        const uint64_t w = blm_le64(bits + 8 * word), ones = blm_ones_of(w);
        if (left < ones) return 64 * word + blm_select(w, (unsigned)left);
        left -= ones;
    }
    return lines * BLM_RANK_LINE; /* an entry is forged */
}
#endif

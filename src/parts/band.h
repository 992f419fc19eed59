/* band.h - a system of equations over bits, each of which touches a band of 64 or 128 neighbours.
 *
 *      slot    0 1 2 3 4 5 6 7 8 ...
 *      key     . . 1 0 1 1 0 1 . . .     starts at slot 2; the exclusive or of the slots under its ones is its number
 *      key     . . . 1 1 0 1 0 0 . .
 *
 * Elimination keeps at most one row per slot, the one whose first coefficient is there, so that slots are solved from
 * the last to the first. A slot without a row is free. Slots lie in blocks of 64, whatever the width of the band: a block
 * has one word per bit of a slot (a column), so that one and-and-parity per column adds up a band, which reads
 * 2 blocks (width 64) or 3 (width 128). The first blocks may have a column less than the others: then slots have a
 * number of bits that is no integer. A band reads the columns that its first block has; those after it have them, too.
 *
 *      block   | column 0 | column 1 | ... | column r-1 |      8 bytes each; bit i of a word belongs to slot i
 */
#ifndef BLM_BAND_H
#define BLM_BAND_H
#include <stdbool.h>
#include "core/bytes.h"
#include "core/mul128.h"

enum { BLM_BAND_BLOCK = 64, BLM_BAND_COLUMNS_MAX = 32 };

/* Coefficients: bit i belongs to slot start + i. Bit 0 is always one. */
typedef struct blm_band_row {
    uint64_t low, high; /* high is 0 where the band has 64 */
    uint64_t start;
    uint32_t right; /* the number of the key: one bit per column */
} blm_band_row;

/* Rows by their first slot. Each array is zero before the first row. */
typedef struct blm_band {
    uint64_t *low, *high; /* high NULL: the band has 64 */
    uint32_t *right;
    uint64_t slots;
} blm_band;

/* Where solved slots lie. */
typedef struct blm_band_shape {
    uint64_t blocks, narrow; /* the first `narrow` blocks have `columns`, the others one more */
    unsigned columns, width;
} blm_band_shape;

#define BLM_BAND_REDUNDANT UINT64_MAX       /* the rows before it say the same       */
#define BLM_BAND_FAILED    (UINT64_MAX - 1) /* the rows before it say something else */

static inline uint64_t blm_band_put_64(const blm_band *b, blm_band_row row)
{
    uint64_t at = row.start, low = row.low, here;
    uint32_t right = row.right;
    while ((here = b->low[at]) != 0) {
        low ^= here;
        right ^= b->right[at];
        if (!low) return right ? BLM_BAND_FAILED : BLM_BAND_REDUNDANT;
        const unsigned skip = (unsigned)__builtin_ctzll(low);
        at += skip;
        low >>= skip;
    }
    b->low[at] = low;
    b->right[at] = right;
    return at;
}

static inline uint64_t blm_band_put_128(const blm_band *b, blm_band_row row)
{
    uint64_t at = row.start, low = row.low, high = row.high;
    uint32_t right = row.right;
    while (b->low[at]) {
        low ^= b->low[at];
        high ^= b->high[at];
        right ^= b->right[at];
        if (!low) {
            if (!high) return right ? BLM_BAND_FAILED : BLM_BAND_REDUNDANT;
            at += 64;
            low = high;
            high = 0;
        }
        const unsigned skip = (unsigned)__builtin_ctzll(low);
        at += skip;
        low = low >> skip | high << 1 << (63 - skip);
        high >>= skip;
    }
    b->low[at] = low;
    b->high[at] = high;
    b->right[at] = right;
    return at;
}

/* The slot where the row stays; it is reduced by the rows that are there until its first slot is free. */
static inline uint64_t blm_band_put(const blm_band *b, blm_band_row row)
{
    return b->high ? blm_band_put_128(b, row) : blm_band_put_64(b, row);
}

/* The row at this slot leaves. Only rows that came after it may have been reduced by it, and must have left before. */
static inline void blm_band_take_back(const blm_band *b, uint64_t at)
{
    b->low[at] = 0;
    if (b->high) b->high[at] = 0;
    b->right[at] = 0;
}

static inline unsigned blm_band_columns(const blm_band_shape *s, uint64_t block)
{
    return s->columns + (block >= s->narrow);
}

/* The words before a block; of s->blocks: all of them. */
static inline uint64_t blm_band_words(const blm_band_shape *s, uint64_t block)
{
    return block * s->columns + (block > s->narrow ? block - s->narrow : 0);
}

/* Slots at which a band may start: all from which it does not reach past the end. */
static inline uint64_t blm_band_starts(const blm_band_shape *s)
{
    return s->blocks * BLM_BAND_BLOCK - s->width + 1;
}

/* The parity of a word is the lowest bit of this. Where the machine has an instruction that counts ones, it is one. */
static inline uint64_t blm_parity(uint64_t x, bool counts)
{
    if (counts) return (uint64_t)__builtin_popcountll(x);
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    x ^= x >> 2;
    return x ^ x >> 1;
}

/* Solves all slots and writes their blocks. A free slot is 0, or bits drawn from `noise` unless it is 0. The rows stay. */
void blm_band_solve(const blm_band *b, const blm_band_shape *s, uint64_t noise, uint8_t *cells);
/* The same, where no instruction counts ones. */
void blm_band_solve_plain(const blm_band *b, const blm_band_shape *s, uint64_t noise,
                          uint8_t *cells);

/* Does the band of this row add up to its number? With the columns of its first block. Half of the non-members are found out by
 * each column; every fourth is a chance to stop. */
__attribute__((always_inline)) static inline bool
blm_band_says(const uint8_t *cells, const blm_band_shape *s, const blm_band_row *row, bool counts)
{
    const uint64_t block = row->start / BLM_BAND_BLOCK;
    const unsigned from = (unsigned)(row->start % BLM_BAND_BLOCK), n = blm_band_columns(s, block);
    /* A band that starts with its block does not reach the last one, which need not be there. */
    const uint8_t *here = cells + blm_band_words(s, block) * 8,
                  *next = from || s->width != 64 ? here + (size_t)n * 8 : here;
    const uint64_t c0 = row->low << from, c1 = row->high << from | row->low >> 1 >> (63 - from);
    uint64_t bad = 0, right = row->right;
    if (s->width == 64) {
        for (size_t i = 0; i < n; i++, right >>= 1) {
            const uint64_t x = (blm_le64(here + i * 8) & c0) ^ (blm_le64(next + i * 8) & c1);
            bad |= blm_parity(x ^ (right & 1), counts);
            if (i % 4 == 3 && bad & 1) return false;
        }
        return !(bad & 1);
    }
    const uint64_t c2 = row->high >> 1 >> (63 - from);
    const uint8_t *last = from ? next + (size_t)blm_band_columns(s, block + 1) * 8 : here;
    for (size_t i = 0; i < n; i++, right >>= 1) {
        const uint64_t x = (blm_le64(here + i * 8) & c0) ^ (blm_le64(next + i * 8) & c1) ^
                           (blm_le64(last + i * 8) & c2);
        bad |= blm_parity(x ^ (right & 1), counts);
        if (i % 4 == 3 && bad & 1) return false;
    }
    return !(bad & 1);
}
#endif

/* block.h - one block of a key: where it is and which of its bits are the key's. The vector rows
 * (lanes_*.c) answer as these lines do, bit for bit.
 *
 *   cache line   512 bits. Block: the high word of hash * blocks. Bit i of the key: 9 bits of a word
 *                that is mixed from the hash, seven places a word.
 *   split        256 bits, 8 lanes of 32. Block: the same with the upper 32 bits of the hash. Bit of lane i:
 *                the upper 5 bits of the lower half times an odd number of its own. Parquet's layout.
 */
#ifndef BLM_SIMD_BLOCK_H
#define BLM_SIMD_BLOCK_H
#include <stdbool.h>
#include "core/bytes.h"
#include "core/mul128.h"

enum {
    BLM_LINE_BITS = 512,
    BLM_LINE_BYTES = BLM_LINE_BITS / 8,
    BLM_LINE_PLACES = 7, /* a word */
    BLM_LINE_PLACE_BITS = 9,
    BLM_SPLIT_BITS = 256,
    BLM_SPLIT_BYTES = BLM_SPLIT_BITS / 8,
    BLM_SPLIT_LANES = 8
};

static inline uint64_t blm_line_start(uint64_t hash, uint64_t blocks)
{
    return blm_reduce(hash, blocks) * BLM_LINE_BYTES;
}

/* Place i of a key inside its line; *word is kept from place to place, which come in order. */
static inline unsigned blm_line_place(uint64_t hash, unsigned i, uint64_t *word)
{
    if (i % BLM_LINE_PLACES == 0) *word = blm_stream(hash, i / BLM_LINE_PLACES);
    const unsigned at = (unsigned)*word & (BLM_LINE_BITS - 1);
    *word >>= BLM_LINE_PLACE_BITS;
    return at;
}

/* All k bits, without a branch a bit: which of them is the first zero cannot be foretold. */
static inline bool blm_line_has(const uint8_t *line, uint64_t hash, unsigned k)
{
    unsigned all = 1;
    for (unsigned from = 0; from < k; from += BLM_LINE_PLACES) {
        const unsigned here = k - from < BLM_LINE_PLACES ? k - from : BLM_LINE_PLACES;
        uint64_t word = blm_stream(hash, from / BLM_LINE_PLACES);
        for (unsigned i = 0; i < here; i++, word >>= BLM_LINE_PLACE_BITS)
            all &= (unsigned)line[word >> 3 & (BLM_LINE_BYTES - 1)] >> (word & 7);
    }
    return all;
}

/* Sets them; returns how many were zero. */
static inline unsigned blm_line_add(uint8_t *line, uint64_t hash, unsigned k)
{
    unsigned fresh = 0;
    for (unsigned from = 0; from < k; from += BLM_LINE_PLACES) {
        const unsigned here = k - from < BLM_LINE_PLACES ? k - from : BLM_LINE_PLACES;
        uint64_t word = blm_stream(hash, from / BLM_LINE_PLACES);
        for (unsigned i = 0; i < here; i++, word >>= BLM_LINE_PLACE_BITS) {
            uint8_t *at = line + (word >> 3 & (BLM_LINE_BYTES - 1));
            const unsigned old = *at, bit = 1u << (word & 7);
            *at = (uint8_t)(old | bit);
            fresh += !(old & bit);
        }
    }
    return fresh;
}

static const uint32_t blm_split_factor[BLM_SPLIT_LANES] = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

static inline uint64_t blm_split_start(uint64_t hash, uint64_t blocks)
{
    return ((hash >> 32) * blocks >> 32) * BLM_SPLIT_BYTES;
}

static inline uint32_t blm_split_bit(uint64_t hash, unsigned lane)
{
    return UINT32_C(1) << ((uint32_t)hash * blm_split_factor[lane] >> 27);
}

static inline bool blm_split_has(const uint8_t *block, uint64_t hash)
{
    uint32_t missing = 0;
    for (unsigned i = 0; i < BLM_SPLIT_LANES; i++)
        missing |= blm_split_bit(hash, i) & ~blm_le32(block + (size_t)4 * i);
    return !missing;
}

/* Sets them; returns how many were zero. */
static inline unsigned blm_split_add(uint8_t *block, uint64_t hash)
{
    unsigned fresh = 0;
    for (unsigned i = 0; i < BLM_SPLIT_LANES; i++) {
        const uint32_t old = blm_le32(block + (size_t)4 * i), bit = blm_split_bit(hash, i);
        blm_put32(block + (size_t)4 * i, old | bit);
        fresh += !(old & bit);
    }
    return fresh;
}
#endif

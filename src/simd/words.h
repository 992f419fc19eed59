/* words.h - the bits of a key in machine words: which words, and which of their bits. The vector rows (lanes_*.c) compute
 * them as these lines do, bit for bit.
 *
 *   word of read 0      the high word of hash * blocks
 *   word of read i      the same of word i - 1 of the stream of the hash
 *   places              6 bits (words of 64) or 5 (words of 32) of the words of the stream that come next: 10 or 12 of
 *                       each, one after the other over all reads
 */
#ifndef BLM_SIMD_WORDS_H
#define BLM_SIMD_WORDS_H
#include "core/mul128.h"
#include "simd/lanes.h"

/* Bits of read number i: the first ones have one more when it does not come out even. */
static inline unsigned blm_words_share(const blm_block_bits *b, unsigned i)
{
    const unsigned k = b->hashes, reads = b->reads;
    return k / reads + (i < k % reads);
}

/* The word of read number i: by the hash itself, the others by words of its stream. */
static inline uint64_t blm_words_index(const blm_block_bits *b, blm_hash h, unsigned i)
{
    return blm_reduce(i ? blm_stream(h.lo, i - 1) : h.lo, b->blocks);
}

/* Its first bit. */
static inline uint64_t blm_words_start(const blm_block_bits *b, blm_hash h, unsigned i)
{
    return blm_words_index(b, h, i) * b->width;
}

/* How many bits of a word of the stream a place takes, and how many places are in it. */
static inline unsigned blm_words_place_bits(const blm_block_bits *b)
{
    return b->width == 64 ? 6 : 5;
}

/* It starts as zeros. */
typedef struct blm_words_draw {
    uint64_t word;
    unsigned next, left;
} blm_words_draw;

static inline unsigned blm_words_place(const blm_block_bits *b, blm_hash h, blm_words_draw *d)
{
    const unsigned bits = blm_words_place_bits(b);
    if (!d->left) {
        d->word = blm_stream(h.lo, b->reads - 1u + d->next++);
        d->left = 64 / bits;
    }
    const unsigned at = (unsigned)d->word & (b->width - 1u);
    d->word >>= bits;
    d->left--;
    return at;
}

/* The bits of read number i, where they are in the 64-bit word around it. */
static inline uint64_t blm_words_mask(const blm_block_bits *b, blm_hash h, unsigned i,
                                      uint64_t start, blm_words_draw *d)
{
    uint64_t mask = 0;
    for (unsigned left = blm_words_share(b, i); left; left--)
        mask |= UINT64_C(1) << blm_words_place(b, h, d);
    return mask << start % 64;
}
#endif

/* words.h - the bits of a key in machine words: which words, and which of their bits. */
#ifndef BLM_WORDS_H
#define BLM_WORDS_H
#include "parts/blocks.h"
#include "parts/probe.h"

enum { BLM_WORDS_WIDTH = 64 }; /* most bits of a word */

/* Bits of read number i: the first ones have one more when it does not come out even. */
static inline unsigned blm_words_share(const blm_block_bits *b, unsigned i)
{
    const unsigned k = b->hashes, reads = b->reads;
    return k / reads + (i < k % reads);
}

/* The word of read number i: by the hash itself, the others by words of its stream. */
static inline uint64_t blm_words_index(const blm_block_bits *b, blm_hash h, unsigned i)
{
    return blm_reduce(i ? blm_word(h, i - 1) : h.lo, b->blocks);
}

/* Its first bit. */
static inline uint64_t blm_words_start(const blm_block_bits *b, blm_hash h, unsigned i)
{
    return blm_words_index(b, h, i) * b->width;
}

/* Places are drawn one after the other over all reads, from the words of the stream after those of the
 * reads: 10 of 6 bits per word, or 12 of 5. It starts as zeros. */
typedef struct blm_words_draw {
    uint64_t word;
    unsigned next, left;
} blm_words_draw;

static inline unsigned blm_words_place(const blm_block_bits *b, blm_hash h, blm_words_draw *d)
{
    const unsigned bits = b->width == 64 ? 6 : 5;
    if (!d->left) {
        d->word = blm_word(h, b->reads - 1u + d->next++);
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

/* By all the cells. */
double blm_words_rate(const blm_block_bits *b);
/* with[i]: words that have i ones. */
double blm_words_rate_of(const blm_block_bits *b, const uint64_t with[BLM_WORDS_WIDTH + 1]);
#endif

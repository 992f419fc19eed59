/* words.c - the rate of machine words as they stand. */
#include <bloomery/theory.h>

#include "core/bytes.h"
#include "parts/words.h"

/* A read is as likely to meet each word: the mean over words of (ones / width)^share. Reads are drawn one
 * by one, also when they meet in one word: the product is exact. */
double blm_words_rate_of(const blm_block_bits *b, const uint64_t with[BLM_WORDS_WIDTH + 1])
{
    double rate = 1;
    for (unsigned r = 0; r < b->reads; r++) {
        double sum = 0;
        for (unsigned ones = 1; ones <= b->width; ones++)
            if (with[ones])
                sum +=
                    (double)with[ones] * blm_rate_from_fill(ones, b->width, blm_words_share(b, r));
        rate *= sum / (double)b->blocks;
    }
    return rate;
}

double blm_words_rate(const blm_block_bits *b)
{
    uint64_t with[BLM_WORDS_WIDTH + 1] = {0};
    const uint64_t half = UINT32_MAX;
    for (uint64_t i = 0; i < b->blocks; i++) {
        const uint64_t at = i * b->width, word = blm_le64(b->base.cells + at / 64 * 8);
        with[blm_ones_of(b->width == 64 ? word : word >> at % 64 & half)]++;
    }
    return blm_words_rate_of(b, with);
}

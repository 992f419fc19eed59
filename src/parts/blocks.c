/* blocks.c - whole arrays of blocks. */
#include <string.h>

#include "parts/bits.h"
#include "parts/blocks.h"

blm_err blm_blocks_check(const blm_filter *f, blm_report *why)
{
    return blm_bits_count(f->cells, f->bytes) == ((const blm_block_bits *)f)->ones
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: the number of ones differs from its field");
}

blm_err blm_blocks_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    (void)why;
    ((blm_block_bits *)f)->ones = blm_bits_or(f->cells, g->cells, f->bytes);
    return BLM_OK;
}

blm_err blm_blocks_intersect(blm_filter *f, const blm_filter *g)
{
    ((blm_block_bits *)f)->ones = blm_bits_and(f->cells, g->cells, f->bytes);
    return BLM_OK;
}

blm_err blm_blocks_half(blm_filter *half, blm_report *why)
{
    blm_block_bits *b = (blm_block_bits *)half;
    if (b->blocks % 2)
        return blm_fail(why, BLM_E_ARG, "%llu blocks cannot be folded: the number is odd",
                        (unsigned long long)b->blocks);
    b->blocks /= 2;
    b->ones = 0;
    return BLM_OK;
}

void blm_blocks_fold(blm_filter *half, const blm_filter *f)
{
    blm_block_bits *b = (blm_block_bits *)half;
    const uint64_t block = half->bytes / b->blocks;
    uint64_t ones = 0;
    for (uint64_t at = 0; at < half->bytes; at += block) {
        memcpy(half->cells + at, f->cells + 2 * at, (size_t)block);
        ones += blm_bits_or(half->cells + at, f->cells + 2 * at + block, block);
    }
    b->ones = ones;
}

blm_err blm_blocks_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    (void)why;
    memcpy(f->cells, cells, (size_t)f->bytes);
    ((blm_block_bits *)f)->ones = blm_bits_count(f->cells, f->bytes);
    return BLM_OK;
}

double blm_blocks_fill(const blm_filter *f)
{
    return (double)((const blm_block_bits *)f)->ones / ((double)f->bytes * 8);
}

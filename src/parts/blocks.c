/* blocks.c - whole arrays of blocks. */
#include <string.h>

#include "parts/bits.h"
#include "parts/blocks.h"

blm_err blm_blocks_shape(blm_filter *f, unsigned width, uint64_t *bytes, blm_report *why)
{
    blm_block_bits *b = (blm_block_bits *)f;
    if (b->ones > b->blocks * width)
        return blm_fail(why, BLM_E_ARG, "more bits are one than the filter has");
    b->width = (uint16_t)width;
    *bytes = blm_bits_bytes(b->blocks * width);
    return BLM_OK;
}

blm_err blm_blocks_check(const blm_filter *f, blm_report *why)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    return blm_bits_check(f, b->blocks * b->width, b->ones, why);
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

/* Two words of 32 bits are one of 64, whose halves are joined. */
static uint64_t fold_halves(blm_filter *half, const blm_filter *f)
{
    for (uint64_t at = 0; at < f->bytes; at += 8) {
        const uint64_t two = blm_le64(f->cells + at);
        blm_put32(half->cells + at / 2, (uint32_t)(two | two >> 32));
    }
    return blm_bits_count(half->cells, half->bytes);
}

void blm_blocks_fold(blm_filter *half, const blm_filter *f)
{
    blm_block_bits *b = (blm_block_bits *)half;
    const uint64_t block = b->width / 8;
    uint64_t ones = 0;
    if (b->width == 32) {
        b->ones = fold_halves(half, f);
        return;
    }
    for (uint64_t at = 0; at < half->bytes; at += block) {
        memcpy(half->cells + at, f->cells + 2 * at, (size_t)block);
        ones += blm_bits_or(half->cells + at, f->cells + 2 * at + block, block);
    }
    b->ones = ones;
}

blm_err blm_blocks_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    blm_block_bits *b = (blm_block_bits *)f;
    return blm_bits_adopt(f, cells, b->blocks * b->width, &b->ones, why);
}

double blm_blocks_fill(const blm_filter *f)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    return (double)b->ones / ((double)b->blocks * b->width);
}

blm_overlap blm_blocks_overlap(const blm_filter *f, const blm_filter *g,
                               blm_estimate (*size_of)(const blm_block_bits *b, uint64_t ones),
                               blm_blocks_sizes *n)
{
    const blm_block_bits *a = (const blm_block_bits *)f, *b = (const blm_block_bits *)g;
    const blm_bits_pair p = blm_bits_compare(f->cells, g->cells, f->bytes);
    const blm_overlap o =
        blm_overlap_sizes(size_of(a, a->ones), size_of(b, b->ones), size_of(a, p.either), &p);
    *n = (blm_blocks_sizes){(uint64_t)o.a.value, (uint64_t)o.b.value, (uint64_t)o.common.value};
    return o;
}

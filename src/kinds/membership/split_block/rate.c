/* rate.c - the rate of split blocks as they stand. */
#include <bloomery/theory/fill.h>
#include <math.h>

#include "simd/block.h"
#include "parts/blocks.h"
#include "rate.h"

enum { SPLIT_CHOICE = 32 }; /* bits of the hash that choose a block */

/* The product of the ones of all lanes: of 2^40 ways to take a bit of each, that many hit ones alone. Two lanes are
 * counted in one word. */
static uint64_t split_ways(const uint8_t *block)
{
    uint64_t ways = 1;
    for (size_t i = 0; i < BLM_SPLIT_BYTES; i += 8) {
        uint64_t x = blm_le64(block + i);
        x -= x >> 1 & UINT64_C(0x5555555555555555);
        x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
        x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        x += x >> 8;
        x += x >> 16;
        ways *= (x & 63) * (x >> 32 & 63);
    }
    return ways;
}

/* Block i is chosen by 2^32 / blocks numbers, rounded one way or the other so that all together are
 * 2^32: those from ceil(i 2^32 / blocks) up. */
double blm_lanes_rate(const blm_filter *f, double keys)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    const uint64_t numbers = UINT64_C(1) << SPLIT_CHOICE, each = numbers / b->blocks;
    const int64_t rest = (int64_t)(numbers % b->blocks);
    int64_t over =
        0; /* what the numbers given out so far are behind i 2^32 / blocks, times blocks */
    double sum = 0;
    for (uint64_t i = 0; i < b->blocks; i++) {
        over += rest;
        const bool one_more = over > 0;
        if (one_more) over -= (int64_t)b->blocks;
        sum += (double)split_ways(f->cells + i * BLM_SPLIT_BYTES) * (double)(each + one_more);
    }
    const double lanes = ldexp(sum, -(40 + SPLIT_CHOICE));
    return lanes + (1 - lanes) * blm_split_twins(keys / (double)b->blocks);
}

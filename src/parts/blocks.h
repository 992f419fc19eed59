/* blocks.h - bits in blocks of one size: what blocked and split-block have in common, which is all but the
 * question where in its block a key's bits are, and what rate that gives. */
#ifndef BLM_BLOCKS_H
#define BLM_BLOCKS_H
#include "core/kind.h"

typedef struct blm_block_bits {
    blm_filter base;
    uint64_t blocks;
    uint64_t ones;
    uint8_t hashes; /* k */
} blm_block_bits;

/* As the kind's calls of these names. */
blm_err blm_blocks_check(const blm_filter *f, blm_report *why);
blm_err blm_blocks_merge(blm_filter *f, const blm_filter *g, blm_report *why);
blm_err blm_blocks_intersect(blm_filter *f, const blm_filter *g);
blm_err blm_blocks_half(blm_filter *half, blm_report *why);
blm_err blm_blocks_adopt(blm_filter *f, const uint8_t *cells, blm_report *why);
double blm_blocks_fill(const blm_filter *f);
/* Blocks 2i and 2i+1 become block i; the bits inside keep their places. */
void blm_blocks_fold(blm_filter *half, const blm_filter *f);
#endif

/* blocks.h - bits in blocks of one size: what blocked, split-block and word have in common, which is all but
 * the question where in its blocks a key's bits are, and what rate that gives. */
#ifndef BLM_BLOCKS_H
#define BLM_BLOCKS_H
#include "core/kind.h"
#include "parts/overlap.h"
#include "simd/lanes.h"

/* The part of a kind's lens that is theirs. */
static inline bool blm_blocks_lens(const blm_filter *f, blm_lens_form form, blm_lens *out)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    out->form = (uint8_t)form;
    out->count = b->blocks;
    out->hashes = b->hashes;
    return true;
}

/* The part of shape that is theirs: width is set, the bytes are whole words. */
blm_err blm_blocks_shape(blm_filter *f, unsigned width, uint64_t *bytes, blm_report *why);
/* As the kind's calls of these names. */
blm_err blm_blocks_check(const blm_filter *f, blm_report *why);
blm_err blm_blocks_merge(blm_filter *f, const blm_filter *g, blm_report *why);
blm_err blm_blocks_intersect(blm_filter *f, const blm_filter *g);
blm_err blm_blocks_half(blm_filter *half, blm_report *why);
blm_err blm_blocks_adopt(blm_filter *f, const uint8_t *cells, blm_report *why);
double blm_blocks_fill(const blm_filter *f);
/* Blocks 2i and 2i+1 become block i; the bits inside keep their places. */
void blm_blocks_fold(blm_filter *half, const blm_filter *f);
/* Sizes of both, of their union and intersection, by the kind's own estimate from ones; *n: those of A, B and the
 * intersection as whole numbers, which the spreads are computed from. */
typedef struct blm_blocks_sizes {
    uint64_t a, b, common;
} blm_blocks_sizes;
blm_overlap blm_blocks_overlap(const blm_filter *f, const blm_filter *g,
                               blm_estimate (*size_of)(const blm_block_bits *b, uint64_t ones),
                               blm_blocks_sizes *n);
#endif

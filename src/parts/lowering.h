/* lowering.h - neighbouring cells of one array, each one lower, zero staying zero: as many at once as a word has.
 *
 *     cells of 3 bits   ... 0 | 5 | 0 | 1 | 7 ...       v
 *     in use, low bits  ... 0 | 1 | 0 | 1 | 1 ...       u: all bits of a cell folded onto its lowest one
 *     after             ... 0 | 4 | 0 | 0 | 6 ...       v - u borrows from no neighbour
 *
 * Cells are those of packed.h; widths of 1, 2, 4, ... are taken by aligned words, others from any byte.
 */
#ifndef BLM_LOWERING_H
#define BLM_LOWERING_H
#include "parts/packed.h"

typedef struct blm_lowering {
    uint64_t low;         /* the lowest bit of each cell of a word */
    unsigned width, each; /* bits of a cell, 1 to 57; how many of them are taken at once */
    bool aligned;         /* no cell crosses the border of a word */
} blm_lowering;

static inline blm_lowering blm_lowering_of(unsigned width)
{
    blm_lowering l = {0, width, 57 / width, 64 % width == 0};
    if (l.aligned) l.each = 64 / width;
    for (unsigned i = 0; i < l.each; i++) l.low |= UINT64_C(1) << i * width;
    return l;
}

/* The cells of v that are in use: all `width` bits of each, folded onto its lowest one. */
static inline uint64_t blm_lowering_used(uint64_t v, unsigned width, uint64_t low)
{
    unsigned folded = 1;
    for (; 2 * folded <= width; folded *= 2) v |= v >> folded;
    return (v | v >> (width - folded)) & low;
}

/* The n cells from `first` on, all of them within the region; how many are out of use after that. */
static inline uint64_t blm_lowering_run(const blm_lowering *l, uint8_t *cells, uint64_t bytes,
                                        uint64_t first, uint64_t n)
{
    uint64_t gone = 0;
    while (n) {
        blm_packed_at at = blm_packed_find(bytes, l->width, first);
        uint64_t some = l->each;
        if (l->aligned) {
            at = (blm_packed_at){first * l->width / 64 * 8, (unsigned)(first * l->width % 64)};
            some = (64 - at.shift) / l->width;
        }
        if (some > n) some = n;
        const uint64_t low = (l->low & blm_packed_top((unsigned)some * l->width)) << at.shift;
        const uint64_t old = blm_le64(cells + at.byte);
        const uint64_t used = blm_lowering_used(old, l->width, low);
        if (used) {
            blm_put64(cells + at.byte, old - used);
            gone += blm_ones_of(used) - blm_ones_of(blm_lowering_used(old - used, l->width, low));
        }
        first += some;
        n -= some;
    }
    return gone;
}
#endif

/* cells.c - whole arrays of bits that are set and reset: their start, and questions that skip positions. */
#include <string.h>

#include "cells.h"

/* In the order of reading: sets and resets in turn. */
size_t blm_resets_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                        size_t cap)
{
    const blm_resets *s = (const blm_resets *)f;
    uint64_t at[BLM_RESETS_MAX];
    size_t n = 0;
    (void)it;
    blm_resets_places(s, h, at);
    for (unsigned i = 0; i < s->hashes; i++) {
        if (i < blm_resets_sets(s) && n++ < cap) out[n - 1] = blm_flat_look(f, at[s->resets + i]);
        if (i < s->resets && n++ < cap) out[n - 1] = blm_flat_look(f, at[i]);
    }
    return n;
}

/* Bits past the last cell are nobody's, and zero. */
static void resets_settle(blm_resets *s)
{
    blm_filter *f = &s->flat.base;
    for (uint64_t i = s->flat.cells; i < f->bytes * 8; i++) blm_bit_clear(f->cells, i);
    s->flat.ones = blm_bits_count(f->cells, f->bytes);
}

/* 64 bits at a time: each is one when its own number of 16 bits is p0 or more. Bit b of the 64 numbers of word w is
 * number 16 w + b of splitmix64 from the seed on. Below the lowest one of p0 nothing is decided. */
blm_err blm_resets_start(blm_filter *f, blm_report *why)
{
    blm_resets *s = (blm_resets *)f;
    unsigned lowest = 0;
    (void)why;
    if (s->p0 == BLM_RESETS_SCALE) return BLM_OK;
    while (lowest < 16 && !(s->p0 >> lowest & 1)) lowest++;
    for (uint64_t w = 0; w < f->bytes / 8; w++) {
        uint64_t ones = UINT64_MAX;
        for (unsigned b = lowest; b < 16; b++) {
            const uint64_t number =
                blm_mix(f->seed + (16 * w + b + 1) * UINT64_C(0x9e3779b97f4a7c15));
            ones = s->p0 >> b & 1 ? ones & number : ones | number;
        }
        blm_put64(f->cells + 8 * w, ones);
    }
    resets_settle(s);
    return BLM_OK;
}

blm_err blm_resets_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    blm_resets *s = (blm_resets *)f;
    (void)why;
    memcpy(f->cells, cells, (size_t)f->bytes);
    resets_settle(s);
    s->adopted = 1;
    f->can &= ~(uint32_t)BLM_CARDINALITY; /* the ones are not only those of keys */
    return BLM_OK;
}

/* What is wrong is struck off where a later key has touched it. */
bool blm_resets_wild(const blm_resets *s, blm_hash h, const blm_item *later, size_t n)
{
    uint64_t at[BLM_RESETS_MAX], wrong[BLM_RESETS_MAX];
    unsigned left = 0;
    blm_resets_places(s, h, at);
    for (unsigned i = 0; i < s->hashes; i++)
        if (!blm_resets_right(s, at, i)) wrong[left++] = at[i];
    for (size_t j = 0; j < n && left; j++) {
        blm_resets_places(s, later[j].h, at);
        for (unsigned i = left; i-- > 0;)
            if (blm_among(at, s->hashes, wrong[i])) wrong[i] = wrong[--left];
    }
    return left == 0;
}

/* mul128.h - the 128-bit product of two words, and what its halves are good for. */
#ifndef BLM_CORE_WIDE_H
#define BLM_CORE_WIDE_H
#include <stdint.h>

typedef struct blm_wide {
    uint64_t lo, hi;
} blm_wide;

static inline blm_wide blm_mul(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 u128;
    const u128 p = (u128)a * b;
    return (blm_wide){(uint64_t)p, (uint64_t)(p >> 64)};
#else
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    const uint64_t mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    return (blm_wide){mid << 32 | (uint32_t)ll, hh + (lh >> 32) + (hl >> 32) + (mid >> 32)};
#endif
}

/* The i-th number, i from 0, of the generator (wyrand) that starts at x: one product, both halves folded. */
#define BLM_STREAM_STEP UINT64_C(0xa0761d6478bd642f)
#define BLM_STREAM_XOR  UINT64_C(0xe7037ed1a0b428db)
static inline uint64_t blm_stream(uint64_t x, unsigned i)
{
    const uint64_t s = x + (uint64_t)(i + 1) * BLM_STREAM_STEP;
    const blm_wide p = blm_mul(s, s ^ BLM_STREAM_XOR);
    return p.lo ^ p.hi;
}

/* x, uniform over 64 bits, brought into 0 .. cells-1. */
static inline uint64_t blm_reduce(uint64_t x, uint64_t cells) { return blm_mul(x, cells).hi; }

/* The way back: the smallest x that blm_reduce brings to i. Requires i < cells. By bisection, for lists: 64 products. */
static inline uint64_t blm_reduce_from(uint64_t i, uint64_t cells)
{
    uint64_t below = 0; /* the largest x that it brings below i */
    if (!i) return 0;
    for (unsigned bit = 64; bit-- > 0;) {
        const uint64_t x = below | UINT64_C(1) << bit;
        if (blm_reduce(x, cells) < i) below = x;
    }
    return below + 1;
}
#endif

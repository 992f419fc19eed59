/* probe.h - positions from one hash, each mixed on its own.
 *
 * Probe i of a key is the i-th number of a generator that starts at the key's hash (wyrand: one
 * 64x64->128 multiply, both halves folded), brought into range by a second multiply: the high
 * word of x * cells. Positions are as independent as k hash functions; plain h1 + i*h2 gives
 * about 200 times the promised rate at m = 1024, k = 8, n = 20.
 *
 * The range by the high word, not by `%`, is also what makes folding exact: floor(floor(x*m/2^64)/2)
 * = floor(x*(m/2)/2^64), so neighbours 2i and 2i+1 become i.
 */
#ifndef BLM_PROBE_H
#define BLM_PROBE_H
#include <stdint.h>
#include <bloomery/core.h>

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

#define BLM_STEP UINT64_C(0xa0761d6478bd642f)
#define BLM_FOLD UINT64_C(0xe7037ed1a0b428db)

/* The i-th word of the stream of a hash, i from 0. */
static inline uint64_t blm_word(blm_hash h, unsigned i)
{
    const uint64_t s = h.lo + (uint64_t)(i + 1) * BLM_STEP;
    const blm_wide p = blm_mul(s, s ^ BLM_FOLD);
    return p.lo ^ p.hi;
}

/* x, uniform over 64 bits, brought into 0 .. cells-1. */
static inline uint64_t blm_reduce(uint64_t x, uint64_t cells) { return blm_mul(x, cells).hi; }

static inline uint64_t blm_place(blm_hash h, unsigned i, uint64_t cells)
{
    return blm_reduce(blm_word(h, i), cells);
}
#endif

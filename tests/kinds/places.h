/* places.h - from a hash to places, as section 7 of docs/format.md has it, in plain steps of 32 bits. */
#ifndef BLM_TESTS_PLACES_H
#define BLM_TESTS_PLACES_H
#include <stdint.h>

/* Both halves of the product of two words. */
static inline void product(uint64_t a, uint64_t b, uint64_t *lo, uint64_t *hi)
{
    const uint64_t half = UINT32_MAX;
    const uint64_t ll = (a & half) * (b & half), lh = (a & half) * (b >> 32),
                   hl = (a >> 32) * (b & half), hh = (a >> 32) * (b >> 32);
    const uint64_t mid = (ll >> 32) + (lh & half) + (hl & half);
    *lo = mid << 32 | (ll & half);
    *hi = hh + (lh >> 32) + (hl >> 32) + (mid >> 32);
}

static inline uint64_t word_of(uint64_t x, unsigned i)
{
    uint64_t lo, hi;
    const uint64_t t = x + (i + UINT64_C(1)) * UINT64_C(0xa0761d6478bd642f);
    product(t, t ^ UINT64_C(0xe7037ed1a0b428db), &lo, &hi);
    return lo ^ hi;
}

/* A word brought into 0 .. n - 1. */
static inline uint64_t high(uint64_t x, uint64_t n)
{
    uint64_t lo, hi;
    product(x, n, &lo, &hi);
    return hi;
}

/* The low word of a hash after a salt. */
static inline uint64_t salted(uint64_t lo, uint64_t salt)
{
    uint64_t x = lo + salt * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
#endif

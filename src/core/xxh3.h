/* xxh3.h - XXH3-64 with a seed, inlined: the values of libxxhash, with fewer branches for short keys.
 *
 * libxxhash picks a formula by the length of the key. Where lengths are mixed, the processor guesses the branch wrongly
 * for about every second key of 16 to 40 bytes, which costs more than the hash. Here keys of 17 to 64 bytes take
 * one path: four products are always computed, and two of them count only above 32 bytes. tests/core/test_hash.c
 * compares every length with libxxhash.
 */
#ifndef BLM_XXH3_H
#define BLM_XXH3_H
#include <stdbool.h>
#include <stddef.h>
#include "core/bytes.h"
#include "core/mul128.h"

/* ---- 8 bytes ------------------------------------------------------------------------------------ */

/* Bytes 8 to 15 of XXH3's secret, xor bytes 16 to 23; and the multiplier of its 4 to 8 byte form. */
#define BLM_XXH3_SECRET UINT64_C(0xc73ab174c5ecd5a2)
#define BLM_XXH3_FACTOR UINT64_C(0x9fb21c651e98df25)

/* The part of a hash of 8 bytes that depends on the seed alone. */
static inline uint64_t blm_xxh3_flip(uint64_t seed)
{
    return BLM_XXH3_SECRET - (seed ^ (uint64_t)__builtin_bswap32((uint32_t)seed) << 32);
}

/* The hash of the 8 little-endian bytes of `key`. */
static inline uint64_t blm_xxh3_u64(uint64_t flip, uint64_t key)
{
    uint64_t h = (key << 32 | key >> 32) ^ flip;
    h ^= (h << 49 | h >> 15) ^ (h << 24 | h >> 40);
    h *= BLM_XXH3_FACTOR;
    h ^= (h >> 35) + 8;
    h *= BLM_XXH3_FACTOR;
    return h ^ h >> 28;
}

/* ---- 17 to 64 bytes ------------------------------------------------------------------------------- */

/* 16 bytes of the key with 16 bytes of the secret: one product, both halves folded. */
static inline uint64_t blm_xxh3_mix(const uint8_t *p, uint64_t a, uint64_t b, uint64_t seed)
{
    const blm_wide w = blm_mul(blm_le64(p) ^ (a + seed), blm_le64(p + 8) ^ (b - seed));
    return w.lo ^ w.hi;
}

/* The first 16 bytes and the last 16: all that a key of 17 to 32 bytes has. */
static inline uint64_t blm_xxh3_outer(const uint8_t *p, size_t len, uint64_t seed)
{
    return (uint64_t)len * UINT64_C(0x9e3779b185ebca87) +
           blm_xxh3_mix(p, UINT64_C(0xbe4ba423396cfeb8), UINT64_C(0x1cad21f72c81017c), seed) +
           blm_xxh3_mix(p + len - 16, UINT64_C(0xdb979083e96dd4de), UINT64_C(0x1f67b3b7a4a44072),
                        seed);
}

static inline uint64_t blm_xxh3_end(uint64_t h)
{
    h = (h ^ h >> 37) * UINT64_C(0x165667919e3779f9);
    return h ^ h >> 32;
}

static inline uint64_t blm_xxh3_17_to_32(const uint8_t *p, size_t len, uint64_t seed)
{
    return blm_xxh3_end(blm_xxh3_outer(p, len, seed));
}

/* The first 16 bytes and the last 16; above 32 bytes also the 16 next to each. Up to 32 bytes the latter
 * two read the first ones again, so that nothing outside the key is read, and are dropped by the mask. */
static inline uint64_t blm_xxh3_17_to_64(const uint8_t *p, size_t len, uint64_t seed)
{
    const size_t more = len > 32;
    const uint64_t mask = (uint64_t)0 - more;
    const uint64_t inner = blm_xxh3_mix(p + 16 * more, UINT64_C(0x78e5c0cc4ee679cb),
                                        UINT64_C(0x2172ffcc7dd05a82), seed) +
                           blm_xxh3_mix(p + (len - 32) * more, UINT64_C(0x8e2443f7744608b8),
                                        UINT64_C(0x4c263a81e69035e0), seed);
    return blm_xxh3_end(blm_xxh3_outer(p, len, seed) + (inner & mask));
}

/* Other lengths: libxxhash, in one place (hash.c). Inlined into each row of one key it would be 40 KB of code. */
uint64_t blm_xxh3_any(const void *key, size_t len, uint64_t seed);

static inline bool blm_xxh3_is_inlined(size_t len) { return len - 17 <= 64 - 17; }

static inline uint64_t blm_xxh3(const void *key, size_t len, uint64_t seed)
{
    return blm_xxh3_is_inlined(len) ? blm_xxh3_17_to_64(key, len, seed)
                                    : blm_xxh3_any(key, len, seed);
}
#endif

/* lanes_scalar.c - the row of every machine: block.h in a loop. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "simd/block.h"
#include "simd/lanes.h"

static bool scalar_here(void) { return true; }

static inline uint64_t scalar_hash_one(uint64_t seed, uint64_t key)
{
    uint8_t bytes[8];
    blm_put64(bytes, key);
    return XXH3_64bits_withSeed(bytes, sizeof bytes, seed);
}

static void scalar_hash_u64(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    for (size_t i = 0; i < n; i++) h[i].lo = scalar_hash_one(seed, key[i]);
}

/* Stamps the two loops of a block: `start` and `has` are expressions of `hash`. */
#define LOOPS(name, start, has)                                                                    \
    static void name##_has(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,          \
                           uint8_t *yes)                                                           \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (i + BLM_AHEAD < n + more) {                                                        \
                const uint64_t hash = h[i + BLM_AHEAD].lo;                                         \
                blm_fetch(b->cells + (start));                                                     \
            }                                                                                      \
            const uint64_t hash = h[i].lo;                                                         \
            const uint8_t *block = b->cells + (start);                                             \
            yes[i] = has;                                                                          \
        }                                                                                          \
    }                                                                                              \
    static void name##_has_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key, size_t n,  \
                               uint8_t *yes)                                                       \
    {                                                                                              \
        uint64_t ring[BLM_AHEAD] = {0};                                                            \
        for (size_t i = 0; i < n + BLM_AHEAD; i++) {                                               \
            const uint64_t old = ring[i % BLM_AHEAD];                                              \
            if (i < n) {                                                                           \
                const uint64_t hash = ring[i % BLM_AHEAD] = scalar_hash_one(seed, key[i]);         \
                blm_fetch(b->cells + (start));                                                     \
            }                                                                                      \
            if (i < BLM_AHEAD) continue;                                                           \
            const uint64_t hash = old;                                                             \
            const uint8_t *block = b->cells + (start);                                             \
            yes[i - BLM_AHEAD] = has;                                                              \
        }                                                                                          \
    }

LOOPS(scalar_line, blm_line_start(hash, b->count), blm_line_has(block, hash, b->hashes))
LOOPS(scalar_split, blm_split_start(hash, b->count), blm_split_has(block, hash))

static inline unsigned scalar_split_set(uint8_t *block, uint64_t hash, unsigned hashes)
{
    (void)hashes;
    return blm_split_add(block, hash);
}

BLM_LANES_ADD(, scalar_line_add, blm_line_start, blm_line_add)
BLM_LANES_ADD(, scalar_split_add, blm_split_start, scalar_split_set)

const blm_lanes blm_lanes_scalar = {
    "scalar",
    scalar_here,
    scalar_hash_u64,
    scalar_line_has,
    scalar_split_has,
    scalar_line_has_u64,
    scalar_split_has_u64,
    scalar_line_add,
    scalar_split_add,
    NULL,
    NULL,
};

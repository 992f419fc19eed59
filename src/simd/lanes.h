/* lanes.h - the loops that a vector unit does better: one row a unit, the best one picked once.
 *
 * Row 0, scalar, is the specification: every other row gives the same bytes. Rows for little-endian
 * machines only; blocks need no alignment.
 *
 * All loops fetch block i + BLM_AHEAD while they test block i. Those that take hashes may look at `more`
 * hashes behind the n that they answer, and leave fetching the first BLM_AHEAD blocks to the caller: so that a
 * caller who makes hashes piece by piece never waits between two pieces.
 */
#ifndef BLM_SIMD_LANES_H
#define BLM_SIMD_LANES_H
#include <bloomery/core.h>
#include <bloomery/inline.h>

#include "core/fetch.h"

typedef struct blm_blocks {
    uint8_t *cells;
    uint64_t count;
    unsigned hashes; /* of a cache line: bits a key */
} blm_blocks;

typedef void blm_lanes_has(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                           uint8_t *yes);
/* Keys of 8 bytes, hashed on the way: XXH3-64 with the seed. */
typedef void blm_lanes_has_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key, size_t n,
                               uint8_t *yes);

/* Returns the bits that were zero; fresh may be NULL. */
typedef uint64_t blm_lanes_add(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                               uint8_t *fresh);

/* One key, by its hash: for callers who are compiled for a plain machine. NULL: this row does it no better than
 * what is inlined there (bloomery/inline.h). */
typedef bool blm_lanes_lens(const blm_lens *lens, uint64_t hash);

typedef struct blm_lanes {
    const char *name;
    bool (*here)(void); /* does this machine have it? */
    void (*hash_u64)(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h); /* h.lo alone */
    blm_lanes_has *line_has, *split_has;
    blm_lanes_has_u64 *line_has_u64, *split_has_u64;
    blm_lanes_add *line_add, *split_add;
    blm_lanes_lens *line_lens, *split_lens;
} blm_lanes;

/* Stamps such an add out of a block's start() and add(), which returns the bits that were zero. */
#define BLM_LANES_ADD(target, name, start, add)                                                    \
    target static uint64_t name(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,     \
                                uint8_t *fresh)                                                    \
    {                                                                                              \
        uint64_t ones = 0;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (i + BLM_AHEAD < n + more)                                                          \
                blm_fetch(b->cells + start(h[i + BLM_AHEAD].lo, b->count));                        \
            const unsigned set = add(b->cells + start(h[i].lo, b->count), h[i].lo, b->hashes);     \
            ones += set;                                                                           \
            if (fresh) fresh[i] = set > 0;                                                         \
        }                                                                                          \
        return ones;                                                                               \
    }

const blm_lanes *blm_lanes_best(void);
const blm_lanes *blm_lanes_at(size_t i); /* NULL past the last: what was compiled in */

extern const blm_lanes blm_lanes_scalar, blm_lanes_avx2, blm_lanes_neon;
#endif

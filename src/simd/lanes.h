/* lanes.h - the loops that a vector unit does better: one row per unit, the best one is picked once.
 *
 * Row 0, scalar, is the specification: every other row gives the same bytes. Rows for little-endian
 * machines only; blocks need no alignment.
 *
 * All loops fetch block i + BLM_AHEAD while they test block i. Those that take hashes may look at `more`
 * hashes after the n that they answer, and leave fetching the first BLM_AHEAD blocks to the caller: a caller that
 * makes hashes piece by piece then never waits between two pieces. loops.h has the loops themselves.
 */
#ifndef BLM_SIMD_LANES_H
#define BLM_SIMD_LANES_H
#include "core/kind.h"
#include "simd/block.h"

typedef struct blm_blocks { /* what the loops look at */
    uint8_t *cells;
    uint64_t count;
    unsigned hashes; /* bits per key in a cache line */
    bool first;      /* blocks are fetched into the first cache */
} blm_blocks;

/* Whether this machine should. AMD's (Zen 5, ns per key of split-block by hashes): 1.5 against 2.3 at 1 MiB, 1.3 against 2.6
 * at 4, 1.4 against 2.6 at 16, 3.9 against 4.1 at 64. On Intel's the second cache is better (core/fetch.h). Kinds with several
 * lines per key fetch more than its first cache has misses on the way: 10.3 against 18.9 for standard at 16 MiB. */
bool blm_lanes_first(void);

/* The filters that they stand for: kinds whose cells are bits in blocks of one size. */
typedef struct blm_block_bits {
    blm_filter base;
    uint64_t blocks;
    uint64_t ones;
    uint8_t hashes; /* k */
    uint8_t reads;  /* blocks per key, of kinds that have more than one */
    uint16_t width; /* bits of a block, 32 or a multiple of 64; shape sets it, or it is a field */
} blm_block_bits;

static inline blm_blocks blm_blocks_of(const blm_filter *f)
{
    const blm_block_bits *b = (const blm_block_bits *)f;
    return (blm_blocks){f->cells, b->blocks, b->hashes, blm_lanes_first()};
}

typedef void blm_lanes_has(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                           uint8_t *yes);
/* Keys of 8 bytes, hashed on the way: XXH3-64 with the seed. */
typedef void blm_lanes_has_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key, size_t n,
                               uint8_t *yes);

/* Both return how many bits were zero; fresh may be NULL. */
typedef uint64_t blm_lanes_add(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                               uint8_t *fresh);
typedef uint64_t blm_lanes_add_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key,
                                   size_t n, uint8_t *fresh);

/* One key of a lens, by its hash: for callers that are compiled for a plain machine (bloomery/inline.h). */
typedef bool blm_lanes_lens(const blm_lens *lens, uint64_t hash);

/* Where the bits of up to BLM_LANES_KEYS keys are, for loops that read and write them one by one: no row reads a cell.
 * Bit j, from `from` to below `to`, of key i is at[j][i]: parts/probe.h's blm_place. Words: the byte of read j of key i is
 * at[j][i], its bits are mask[j][i] (words.h); mask may be NULL. Columns of keys past the n are left as they are, or hold
 * anything. */
enum { BLM_LANES_KEYS = 32 };
typedef uint64_t blm_lanes_column[BLM_LANES_KEYS];
typedef void blm_lanes_places(const blm_hash *h, size_t n, uint64_t cells, unsigned from,
                              unsigned to, blm_lanes_column *at);
typedef void blm_lanes_words(const blm_block_bits *b, const blm_hash *h, size_t n,
                             blm_lanes_column *at, blm_lanes_column *mask);

typedef struct blm_lanes_block {
    blm_lanes_has *has;
    blm_lanes_has_u64 *has_u64;
    blm_lanes_add *add;
    blm_lanes_add_u64 *add_u64;
    const blm_one *(*one)(unsigned hashes);   /* one key of a blm_block_bits */
    blm_lanes_lens *(*lens)(unsigned hashes); /* NULL: no better than what is inlined there */
} blm_lanes_block;

typedef struct blm_lanes {
    const char *name;
    bool (*here)(void); /* does this machine have it? */
    bool wide;          /* registers of 64 bytes      */
    void (*hash_u64)(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h); /* h.lo alone */
    uint64_t (*ones)(const uint8_t *cells, uint64_t bytes); /* a multiple of 8 */
    void (*line_ones)(const uint8_t *cells, uint64_t lines, uint64_t with[BLM_LINE_BITS + 1]);
    blm_lanes_block line, split;
    blm_lanes_places *places;
    blm_lanes_words *words;
} blm_lanes;

/* Lines by their ones: adds those that have i of them to with[i]. */
#define BLM_LINE_ONES(target, name, ones)                                                          \
    target static void name(const uint8_t *cells, uint64_t lines,                                  \
                            uint64_t with[BLM_LINE_BITS + 1])                                      \
    {                                                                                              \
        for (uint64_t i = 0; i < lines; i++)                                                       \
            with[ones(cells + i * BLM_LINE_BYTES, BLM_LINE_BYTES)]++;                              \
    }

/* The test of a lens on f; NULL: none. */
static inline blm_lanes_lens *blm_lanes_lens_of(const blm_lanes_block *row, const blm_filter *f)
{
    return row->lens ? row->lens(((const blm_block_bits *)f)->hashes) : NULL;
}

/* Row 0's, for rows that have none of their own. */
blm_lanes_places blm_scalar_places;
blm_lanes_words blm_scalar_words;

const blm_lanes *blm_lanes_best(void);
const blm_lanes *blm_lanes_at(size_t i); /* NULL past the last: what was compiled in */

extern const blm_lanes blm_lanes_scalar, blm_lanes_avx2, blm_lanes_avx512, blm_lanes_neon;
#endif

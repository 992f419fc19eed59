/* lanes_scalar.c - the row of every machine: block.h in a loop. */
#include "simd/block.h"
#include "simd/lanes.h"
#include "simd/loops.h"
#include "simd/words.h"

static bool scalar_here(void) { return true; }

static inline void scalar_hash_some(uint64_t flip, const uint64_t *key, uint64_t hash[1])
{
    hash[0] = blm_xxh3_u64(flip, key[0]);
}

static void scalar_hash_u64(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    const uint64_t flip = blm_xxh3_flip(seed);
    for (size_t i = 0; i < n; i++) scalar_hash_some(flip, key + i, &h[i].lo);
}

static uint64_t scalar_ones(const uint8_t *cells, uint64_t bytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < bytes; i += 8) n += blm_ones_of(blm_le64(cells + i));
    return n;
}

BLM_LINE_ONES(, scalar_line_ones, scalar_ones)

/* last: the bits of a key. */
static inline bool scalar_line_test(const uint8_t *block, uint64_t hash, unsigned words,
                                    unsigned last)
{
    (void)words;
    return blm_line_has(block, hash, last);
}

static inline bool scalar_line_set(uint8_t *block, uint64_t hash, unsigned words, unsigned last,
                                   uint64_t *sum)
{
    const unsigned set = blm_line_add(block, hash, last);
    (void)words;
    *sum += set;
    return set > 0;
}

static inline bool scalar_split_test(const uint8_t *block, uint64_t hash, unsigned words,
                                     unsigned last)
{
    (void)words, (void)last;
    return blm_split_has(block, hash);
}

static inline bool scalar_split_set(uint8_t *block, uint64_t hash, unsigned words, unsigned last,
                                    uint64_t *sum)
{
    const unsigned set = blm_split_add(block, hash);
    (void)words, (void)last;
    *sum += set;
    return set > 0;
}

static inline uint64_t scalar_total(uint64_t sum) { return sum; }

static inline unsigned scalar_last_of(unsigned hashes, unsigned words)
{
    (void)words;
    return hashes;
}

#define BY(call)                                                                                   \
    do {                                                                                           \
        const unsigned words = 1, last = b->hashes;                                                \
        call;                                                                                      \
    } while (0)

#define OVER_LINES(EACH, work)  BLM_OVER_KEYS(1, scalar_hash_some, blm_line_start, EACH, work)
#define OVER_SPLITS(EACH, work) BLM_OVER_KEYS(1, scalar_hash_some, blm_split_start, EACH, work)

BLM_LOOPS_HASHES(static inline, scalar_line, blm_line_start, scalar_line_test, scalar_line_set,
                 unsigned, uint64_t, scalar_total)
BLM_LOOPS_KEYS(static inline, scalar_line, OVER_LINES, scalar_line_test, scalar_line_set, unsigned,
               uint64_t, scalar_total)
BLM_LOOPS_HASHES(static inline, scalar_split, blm_split_start, scalar_split_test, scalar_split_set,
                 unsigned, uint64_t, scalar_total)
BLM_LOOPS_KEYS(static inline, scalar_split, OVER_SPLITS, scalar_split_test, scalar_split_set,
               unsigned, uint64_t, scalar_total)
BLM_LOOPS_CALLS(, scalar_line, BY)
BLM_LOOPS_CALLS(, scalar_split, BY)
BLM_LOOPS_ONE(, static inline, scalar_line_one_any, 1, blm_line_start, scalar_line_test,
              scalar_line_set, scalar_last_of, uint64_t, scalar_total);
BLM_LOOPS_ONE(, static inline, scalar_split_one_any, 1, blm_split_start, scalar_split_test,
              scalar_split_set, scalar_last_of, uint64_t, scalar_total);

static const blm_one *scalar_line_one(unsigned hashes)
{
    (void)hashes;
    return &scalar_line_one_any;
}

static const blm_one *scalar_split_one(unsigned hashes)
{
    (void)hashes;
    return &scalar_split_one_any;
}

/* ---- bits of many keys ------------------------------------------------------------------------- */

void blm_scalar_places(const blm_hash *h, size_t n, uint64_t cells, unsigned from, unsigned to,
                       blm_lanes_column *at)
{
    for (size_t i = 0; i < n; i++)
        for (unsigned j = from; j < to; j++) at[j][i] = blm_reduce(blm_stream(h[i].lo, j), cells);
}

static inline void scalar_words_by(const blm_block_bits *b, const blm_hash *h, size_t n,
                                   blm_lanes_column *at, blm_lanes_column *mask, unsigned reads)
{
    blm_block_bits own = *b; /* in registers: a word that is written could be any of the fields */
    own.reads = (uint8_t)reads;
    for (size_t i = 0; i < n; i++) {
        blm_words_draw d = {0, 0, 0};
        for (unsigned j = 0; j < reads; j++) {
            const uint64_t start = blm_words_start(&own, h[i], j);
            at[j][i] = start / 64 * 8;
            if (mask) mask[j][i] = blm_words_mask(&own, h[i], j, start, &d);
        }
    }
}

void blm_scalar_words(const blm_block_bits *b, const blm_hash *h, size_t n, blm_lanes_column *at,
                      blm_lanes_column *mask)
{
    switch (b->reads) {
    case 1:
        scalar_words_by(b, h, n, at, mask, 1);
        break;
    case 2:
        scalar_words_by(b, h, n, at, mask, 2);
        break;
    default:
        scalar_words_by(b, h, n, at, mask, b->reads);
    }
}

const blm_lanes blm_lanes_scalar = {
    "scalar",
    scalar_here,
    false,
    scalar_hash_u64,
    scalar_ones,
    scalar_line_ones,
    {scalar_line_has, scalar_line_has_u64, scalar_line_add, scalar_line_add_u64, scalar_line_one,
     NULL},
    {scalar_split_has, scalar_split_has_u64, scalar_split_add, scalar_split_add_u64,
     scalar_split_one, NULL},
    blm_scalar_places,
    blm_scalar_words,
};

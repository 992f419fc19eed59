/* loops.h - the four loops of a block, stamped for one vector unit out of what a block is to it.
 *
 *   start(hash, blocks)                 the first byte of the block
 *   test(block, hash, words, last)      are all bits of the key one?
 *   set(block, hash, words, last, &sum) sets them; returns whether one was zero, and counts those in the sum
 *   hash_some(flip, key, hash)          XXH3-64 of SOME keys of 8 bytes
 *   total(sum)                          how many bits were counted
 *
 * words and last say which bits a key has: `words` words of the stream, where `last`, a value of type last_t, tells
 * how much of the last one. words is a constant where a loop is inlined.
 *
 * All loops fetch block i + BLM_AHEAD while they work on block i. Those that take keys keep the hashes of the keys
 * in between in a ring.
 */
#ifndef BLM_SIMD_LOOPS_H
#define BLM_SIMD_LOOPS_H
#include "core/one.h"
#include "core/xxh3.h"
#include "simd/block.h"
#include "simd/lanes.h"

/* Hashes that are given. */
#define BLM_LOOPS_HASHES(INLINE, name, start, test, set, last_t, sum_t, total)                     \
    INLINE void name##_ask_hashes(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,   \
                                  uint8_t *yes, unsigned words, last_t last)                       \
    {                                                                                              \
        const uint8_t *cells = b->cells;                                                           \
        const uint64_t count = b->count;                                                           \
        const bool first = b->first;                                                               \
        const size_t near = n + more < BLM_AHEAD ? 0 : n + more - BLM_AHEAD;                       \
        const size_t both = near < n ? near : n;                                                   \
        size_t i = 0;                                                                              \
        for (; i < both; i++) {                                                                    \
            const uint64_t next = h[i + BLM_AHEAD].lo, hash = h[i].lo;                             \
            blm_fetch_into(cells + start(next, count), first);                                     \
            yes[i] = test(cells + start(hash, count), hash, words, last);                          \
        }                                                                                          \
        for (; i < n; i++) yes[i] = test(cells + start(h[i].lo, count), h[i].lo, words, last);     \
    }                                                                                              \
    INLINE uint64_t name##_add_hashes(const blm_blocks *b, const blm_hash *h, size_t n,            \
                                      size_t more, uint8_t *fresh, unsigned words, last_t last)    \
    {                                                                                              \
        uint8_t *cells = b->cells;                                                                 \
        const uint64_t count = b->count;                                                           \
        const bool first = b->first;                                                               \
        sum_t sum = {0};                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (i + BLM_AHEAD < n + more)                                                          \
                blm_fetch_into(cells + start(h[i + BLM_AHEAD].lo, count), first);                  \
            const bool is_new = set(cells + start(h[i].lo, count), h[i].lo, words, last, &sum);    \
            if (fresh) fresh[i] = is_new;                                                          \
        }                                                                                          \
        return total(sum);                                                                         \
    }

/* EACH(work, i, block, hash) for key i of n keys of 8 bytes, hashed on the way SOME at a time: the hashes of BLM_AHEAD keys are
 * in a ring. */
#define BLM_OVER_KEYS(SOME, hash_some, start, EACH, work)                                          \
    do {                                                                                           \
        const uint64_t flip = blm_xxh3_flip(seed), count = b->count;                               \
        const bool first = b->first;                                                               \
        uint64_t ring[BLM_AHEAD];                                                                  \
        size_t i = 0, made = 0;                                                                    \
        for (; made < n && made < BLM_AHEAD; made++) {                                             \
            ring[made] = blm_xxh3_u64(flip, key[made]);                                            \
            blm_fetch_into(cells + start(ring[made], count), first);                               \
        }                                                                                          \
        for (; n - made >= (SOME); made += (SOME), i += (SOME)) {                                  \
            uint64_t *some = ring + i % BLM_AHEAD;                                                 \
            for (size_t j = 0; j < (SOME); j++)                                                    \
                EACH(work, i + j, cells + start(some[j], count), some[j]);                         \
            hash_some(flip, key + made, some);                                                     \
            for (size_t j = 0; j < (SOME); j++)                                                    \
                blm_fetch_into(cells + start(some[j], count), first);                              \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            const uint64_t hash = i < made ? ring[i % BLM_AHEAD] : blm_xxh3_u64(flip, key[i]);     \
            EACH(work, i, cells + start(hash, count), hash);                                       \
        }                                                                                          \
    } while (0)

/* What is done with each: a question by test, an add by set. */
#define BLM_EACH_ASK(test, i, block, hash) yes[i] = test(block, hash, words, last)
#define BLM_EACH_ADD(set, i, block, hash)                                                          \
    do {                                                                                           \
        const bool is_new = set(block, hash, words, last, &sum);                                   \
        if (fresh) fresh[i] = is_new;                                                              \
    } while (0)

/* Keys of 8 bytes. OVER(EACH, work) is BLM_OVER_KEYS of this block and unit. */
#define BLM_LOOPS_KEYS(INLINE, name, OVER, test, set, last_t, sum_t, total)                        \
    INLINE void name##_ask_keys(const blm_blocks *b, uint64_t seed, const uint64_t *key, size_t n, \
                                uint8_t *yes, unsigned words, last_t last)                         \
    {                                                                                              \
        const uint8_t *cells = b->cells;                                                           \
        OVER(BLM_EACH_ASK, test);                                                                  \
    }                                                                                              \
    INLINE uint64_t name##_add_keys(const blm_blocks *b, uint64_t seed, const uint64_t *key,       \
                                    size_t n, uint8_t *fresh, unsigned words, last_t last)         \
    {                                                                                              \
        uint8_t *cells = b->cells;                                                                 \
        sum_t sum = {0};                                                                           \
        OVER(BLM_EACH_ADD, set);                                                                   \
        return total(sum);                                                                         \
    }

/* The calls of a row (lanes.h) out of these loops. BY(call) declares words and last, and makes the call. */
#define BLM_LOOPS_CALLS(TARGET, name, BY)                                                          \
    TARGET static void name##_has(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,   \
                                  uint8_t *yes)                                                    \
    {                                                                                              \
        BY(name##_ask_hashes(b, h, n, more, yes, words, last));                                    \
    }                                                                                              \
    TARGET static void name##_has_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key,     \
                                      size_t n, uint8_t *yes)                                      \
    {                                                                                              \
        BY(name##_ask_keys(b, seed, key, n, yes, words, last));                                    \
    }                                                                                              \
    TARGET static uint64_t name##_add(const blm_blocks *b, const blm_hash *h, size_t n,            \
                                      size_t more, uint8_t *fresh)                                 \
    {                                                                                              \
        BY(return name##_add_hashes(b, h, n, more, fresh, words, last));                           \
    }                                                                                              \
    TARGET static uint64_t name##_add_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key, \
                                          size_t n, uint8_t *fresh)                                \
    {                                                                                              \
        BY(return name##_add_keys(b, seed, key, n, fresh, words, last));                           \
    }

/* Words of the stream that a key with this many bits has. */
static inline unsigned blm_line_words(unsigned hashes)
{
    return (hashes + BLM_LINE_PLACES - 1) / BLM_LINE_PLACES;
}

/* One body for up to 7 bits, one for up to 14, one for more. */
#define BLM_BY_WORDS(last_t, last_of, call)                                                        \
    do {                                                                                           \
        const unsigned many = blm_line_words(b->hashes);                                           \
        const last_t last = last_of(b->hashes, many);                                              \
        if (many == 1) {                                                                           \
            const unsigned words = 1;                                                              \
            call;                                                                                  \
        } else if (many == 2) {                                                                    \
            const unsigned words = 2;                                                              \
            call;                                                                                  \
        } else {                                                                                   \
            const unsigned words = many;                                                           \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

/* The test of a lens: `name`, where WORDS is an expression of lens. */
#define BLM_LOOPS_LENS(TARGET, name, WORDS, start, test, last_of)                                  \
    TARGET static bool name(const blm_lens *lens, uint64_t hash)                                   \
    {                                                                                              \
        const unsigned words = WORDS;                                                              \
        return test(lens->cells + start(hash, lens->count), hash, words,                           \
                    last_of(lens->hashes, words));                                                 \
    }

/* The rows of one key: static const blm_one `name`, where WORDS is an expression of b. */
#define BLM_LOOPS_ONE(TARGET, INLINE, name, WORDS, start, test, set, last_of, sum_t, total)        \
    INLINE bool name##_asked(const blm_filter *f, uint64_t hash)                                   \
    {                                                                                              \
        const blm_block_bits *b = (const blm_block_bits *)f;                                       \
        const unsigned words = WORDS;                                                              \
        return test(f->cells + start(hash, b->blocks), hash, words, last_of(b->hashes, words));    \
    }                                                                                              \
    INLINE void name##_added(blm_filter *f, uint64_t hash)                                         \
    {                                                                                              \
        blm_block_bits *b = (blm_block_bits *)f;                                                   \
        const unsigned words = WORDS;                                                              \
        sum_t sum = {0};                                                                           \
        set(f->cells + start(hash, b->blocks), hash, words, last_of(b->hashes, words), &sum);      \
        b->ones += total(sum);                                                                     \
    }                                                                                              \
    BLM_ONE(TARGET, name, name##_asked, name##_added)

/* Those of a cache line, by the number of words, and the choice among them. */
#define BLM_LOOPS_ONE_LINE(TARGET, INLINE, name, test, set, last_of, sum_t, total)                 \
    BLM_LOOPS_ONE(TARGET, INLINE, name##_one_1, 1, blm_line_start, test, set, last_of, sum_t,      \
                  total);                                                                          \
    BLM_LOOPS_ONE(TARGET, INLINE, name##_one_2, 2, blm_line_start, test, set, last_of, sum_t,      \
                  total);                                                                          \
    BLM_LOOPS_ONE(TARGET, INLINE, name##_one_any, blm_line_words(b->hashes), blm_line_start, test, \
                  set, last_of, sum_t, total);                                                     \
    static const blm_one *name##_one(unsigned hashes)                                              \
    {                                                                                              \
        const unsigned words = blm_line_words(hashes);                                             \
        return words == 1 ? &name##_one_1 : words == 2 ? &name##_one_2 : &name##_one_any;          \
    }
#define BLM_LOOPS_LENS_LINE(TARGET, name, test, last_of)                                           \
    BLM_LOOPS_LENS(TARGET, name##_lens_1, 1, blm_line_start, test, last_of)                        \
    BLM_LOOPS_LENS(TARGET, name##_lens_2, 2, blm_line_start, test, last_of)                        \
    BLM_LOOPS_LENS(TARGET, name##_lens_any, blm_line_words(lens->hashes), blm_line_start, test,    \
                   last_of)                                                                        \
    static blm_lanes_lens *name##_lens(unsigned hashes)                                            \
    {                                                                                              \
        const unsigned words = blm_line_words(hashes);                                             \
        return words == 1 ? name##_lens_1 : words == 2 ? name##_lens_2 : name##_lens_any;          \
    }
#endif

/* test_lanes.c - every row of vector loops gives the bytes of row 0, which is plain C. */
#define _DEFAULT_SOURCE 1
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "simd/block.h"
#include "simd/lanes.h"
#include "simd/words.h"
#include "core/xxh3.h"
#include "parts/probe.h"
#include "parts/staged.h"
#include "parts/words.h"
#include "core/unit.h"

enum { KEYS = 700, BLOCKS = 61 }; /* no power of two */

typedef struct bench {
    uint8_t room[BLOCKS * BLM_LINE_BYTES + 1];
    blm_hash h[KEYS];
    uint64_t key[KEYS];
    uint8_t one[KEYS + 1], other[KEYS + 1];
} bench;

static uint64_t drawn(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* Ends of the ranges come first: all zeros, all ones, and what they make of blocks and bits. */
static void fill(bench *b, uint64_t state)
{
    static const uint64_t ends[] = {0,
                                    1,
                                    UINT64_MAX,
                                    UINT64_MAX - 1,
                                    UINT64_C(1) << 63,
                                    UINT64_C(0xffffffff),
                                    UINT64_C(0xffffffff00000000)};
    for (size_t i = 0; i < KEYS; i++) {
        b->key[i] = i < COUNT(ends) ? ends[i] : drawn(&state);
        b->h[i] = (blm_hash){i < COUNT(ends) ? ends[i] : drawn(&state), 0};
    }
    for (size_t i = 0; i < sizeof b->room; i++)
        b->room[i] = (uint8_t)(drawn(&state) | drawn(&state));
}

static const size_t lengths[] = {0,  1,  3,  4,  5,  31, 32,  33,  63,
                                 64, 65, 71, 72, 73, 80, 100, 511, 636};

static void same_answers(bench *b, const blm_blocks *in, const blm_lanes *row, size_t n)
{
    const blm_lanes *scalar = blm_lanes_at(0);
    blm_lanes_has *const plain[] = {scalar->line.has, scalar->split.has}, *const fast[] = {
                                                                              row->line.has,
                                                                              row->split.has};
    blm_lanes_has_u64 *const plain_u64[] = {scalar->line.has_u64, scalar->split.has_u64},
                             *const fast_u64[] = {row->line.has_u64, row->split.has_u64};
    for (size_t i = 0; i < 2; i++) {
        for (size_t more = 0; more <= BLM_AHEAD && n + more <= KEYS; more += 16) {
            memset(b->one, 9, sizeof b->one);
            memset(b->other, 9, sizeof b->other);
            plain[i](in, b->h, n, more, b->one);
            fast[i](in, b->h, n, more, b->other);
            assert_memory_equal(b->one, b->other, sizeof b->one);
        }
        memset(b->one, 9, sizeof b->one);
        memset(b->other, 9, sizeof b->other);
        plain_u64[i](in, 77, b->key, n, b->one);
        fast_u64[i](in, 77, b->key, n, b->other);
        assert_memory_equal(b->one, b->other, sizeof b->one);
    }
}

static void same_adds(bench *b, const blm_blocks *in, const blm_lanes *row, size_t n)
{
    const blm_lanes *scalar = blm_lanes_at(0);
    blm_lanes_add *const plain[] = {scalar->line.add, scalar->split.add}, *const fast[] = {
                                                                              row->line.add,
                                                                              row->split.add};
    static uint8_t before[sizeof b->room], after[sizeof b->room];
    for (size_t i = 0; i < 2; i++) {
        memcpy(before, b->room, sizeof before);
        memset(b->one, 9, sizeof b->one);
        memset(b->other, 9, sizeof b->other);
        const uint64_t ones = plain[i](in, b->h, n, 0, b->one);
        memcpy(after, b->room, sizeof after);
        memcpy(b->room, before, sizeof before);
        assert_int_equal(fast[i](in, b->h, n, 0, b->other), ones);
        assert_memory_equal(b->room, after, sizeof after);
        assert_memory_equal(b->one, b->other, sizeof b->one);
        memcpy(b->room, before, sizeof before);
        assert_int_equal(fast[i](in, b->h, n, 0, NULL), ones);
        memcpy(b->room, before, sizeof before);
    }
}

/* Keys that are hashed on the way, with and without asking who was new. */
static void same_adds_of_keys(bench *b, const blm_blocks *in, const blm_lanes *row, size_t n)
{
    static uint8_t before[sizeof b->room], after[sizeof b->room];
    const blm_lanes *scalar = blm_lanes_at(0);
    blm_lanes_add_u64 *const plain[] = {scalar->line.add_u64, scalar->split.add_u64},
                             *const fast[] = {row->line.add_u64, row->split.add_u64};
    for (size_t i = 0; i < 2; i++) {
        memcpy(before, b->room, sizeof before);
        memset(b->one, 9, sizeof b->one);
        memset(b->other, 9, sizeof b->other);
        const uint64_t ones = plain[i](in, 77, b->key, n, b->one);
        memcpy(after, b->room, sizeof after);
        for (int with = 0; with < 2; with++) {
            memcpy(b->room, before, sizeof before);
            assert_int_equal(fast[i](in, 77, b->key, n, with ? b->other : NULL), ones);
            assert_memory_equal(b->room, after, sizeof after);
        }
        assert_memory_equal(b->one, b->other, sizeof b->one);
        memcpy(b->room, before, sizeof before);
    }
}

/* The rows of one key: as the batches of row 0, for integers and for bytes. */
static void same_one_by_one(bench *b, const blm_blocks *in, const blm_lanes *row, size_t n)
{
    static uint8_t before[sizeof b->room], after[sizeof b->room];
    const blm_lanes_block *const plain[] = {&blm_lanes_at(0)->line, &blm_lanes_at(0)->split};
    const blm_one *const one[] = {row->line.one(in->hashes), row->split.one(in->hashes)};
    for (size_t i = 0; i < 2; i++) {
        blm_block_bits f = {.base = {.cells = in->cells, .seed = 77, .look = UINT64_MAX},
                            .blocks = in->count,
                            .hashes = (uint8_t)in->hashes};
        plain[i]->has_u64(in, 77, b->key, n, b->one);
        memcpy(before, b->room, sizeof before);
        const uint64_t ones = plain[i]->add_u64(in, 77, b->key, n, NULL);
        memcpy(after, b->room, sizeof after);
        for (int bytes = 0; bytes < 2; bytes++) {
            memcpy(b->room, before, sizeof before);
            f.ones = f.base.adds = 0;
            for (size_t j = 0; j < n; j++) {
                uint8_t key[8];
                blm_put64(key, b->key[j]);
                assert_int_equal(bytes ? one[i]->has(&f.base, key, 8)
                                       : one[i]->has_u64(&f.base, b->key[j]),
                                 b->one[j]);
            }
            for (size_t j = 0; j < n; j++) {
                uint8_t key[8];
                blm_put64(key, b->key[j]);
                assert_int_equal(bytes ? one[i]->add(&f.base, key, 8)
                                       : one[i]->add_u64(&f.base, b->key[j]),
                                 BLM_OK);
            }
            assert_memory_equal(b->room, after, sizeof after);
            assert_true(f.ones == ones && f.base.adds == n);
        }
        memcpy(b->room, before, sizeof before);
    }
}

static void rows_answer_alike(void **state)
{
    static bench b;
    unsigned rows = 0;
    (void)state;
    for (size_t r = 0; blm_lanes_at(r); r++) {
        if (!blm_lanes_at(r)->here()) continue;
        rows++;
        for (unsigned k = 1; k <= 64; k += k < 16 ? 1 : 7) {
            fill(&b, k);
            /* one byte off: mapped cells need not be aligned */
            const blm_blocks in = {b.room + k % 2, BLOCKS - k % 3, k, k % 4 < 2};
            for (size_t i = 0; i < COUNT(lengths); i++) {
                same_answers(&b, &in, blm_lanes_at(r), lengths[i]);
                same_adds(&b, &in, blm_lanes_at(r), lengths[i]);
                same_adds_of_keys(&b, &in, blm_lanes_at(r), lengths[i]);
            }
            same_one_by_one(&b, &in, blm_lanes_at(r), 100);
        }
    }
    assert_true(rows >= 1);
    assert_true(blm_lanes_best()->here());
}

/* What was added is found, and counted once: ones are those of the cells. */
static void adds_are_found(void **state)
{
    static bench b;
    (void)state;
    for (size_t r = 0; blm_lanes_at(r); r++) {
        const blm_lanes *row = blm_lanes_at(r);
        if (!row->here()) continue;
        for (unsigned k = 1; k <= 21; k += 4) {
            const blm_blocks in = {b.room, BLOCKS, k, false};
            uint64_t ones = 0, counted = 0;
            fill(&b, k);
            memset(b.room, 0, sizeof b.room);
            row->line.has(&in, b.h, KEYS, 0, b.one);
            for (size_t i = 0; i < KEYS; i++) assert_int_equal(b.one[i], 0);
            ones = row->line.add(&in, b.h, 50, 0, b.one);
            row->line.has(&in, b.h, 50, 0, b.one);
            for (size_t i = 0; i < 50; i++) assert_int_equal(b.one[i], 1);
            for (size_t i = 0; i < sizeof b.room; i++)
                counted += (unsigned)__builtin_popcount(b.room[i]);
            assert_int_equal(ones, counted);
        }
    }
}

/* The tests of a lens, by every row that has them: as the batch of row 0. */
static void lenses_answer_alike(void **state)
{
    static bench b;
    (void)state;
    for (size_t r = 0; blm_lanes_at(r); r++) {
        const blm_lanes *row = blm_lanes_at(r);
        if (!row->here() || !row->line.lens) continue;
        for (unsigned k = 1; k <= 64; k += k < 16 ? 1 : 7) {
            fill(&b, k);
            const blm_blocks in = {b.room + k % 2, BLOCKS - k % 3, k, k % 4 < 2};
            const blm_lens lens = {.cells = in.cells, .count = in.count, .hashes = (uint8_t)k};
            blm_lanes_at(0)->line.has(&in, b.h, KEYS, 0, b.one);
            blm_lanes_at(0)->split.has(&in, b.h, KEYS, 0, b.other);
            for (size_t i = 0; i < KEYS; i++) {
                assert_int_equal(row->line.lens(k)(&lens, b.h[i].lo), b.one[i]);
                assert_int_equal(row->split.lens(k)(&lens, b.h[i].lo), b.other[i]);
            }
        }
    }
}

/* Rows of one key under a filter: keys of any length, keys that are none, and a fill that is to be judged. */
static void rows_of_one_key_know_their_limits(void **state)
{
    static const char *const specs[] = {
        "blocked bits=4096 keys=100 hashes=6", "blocked bits=4096 keys=100 hashes=13",
        "blocked bits=4096 keys=100 hashes=23", "split-block bits=4096 keys=100"};
    static uint8_t key[300];
    (void)state;
    for (size_t r = 0; blm_lanes_at(r); r++)
        for (size_t i = 0; i < COUNT(specs) && blm_lanes_at(r)->here(); i++) {
            const blm_lanes_block *row = i < 3 ? &blm_lanes_at(r)->line : &blm_lanes_at(r)->split;
            blm_filter *f = made(specs[i]), *g = made(specs[i]);
            f->one = row->one(((const blm_block_bits *)f)->hashes);
            for (size_t n = 0; n < 120; n++) {
                const size_t len = n < 100 ? n : 2 * n;
                key[n]++;
                const blm_item text = blm_item_of(g, key, len, BLM_NO_ARG),
                               number = blm_item_u64(g, n, BLM_NO_ARG);
                assert_int_equal(blm_has(f, key, len), blm_has_item(g, &text));
                assert_int_equal(blm_add(f, key, len), blm_add_item(g, &text, NULL));
                assert_int_equal(blm_add_u64(f, n), blm_add_item(g, &number, NULL));
                assert_int_equal(blm_has_u64(f, n), blm_has_item(g, &number));
            }
            assert_true(blm_equal(f, g) && info_of(f).adds >= 100);
            assert_false(blm_has(f, NULL, 1));
            assert_int_equal(blm_add(f, NULL, 1), BLM_E_ARG);
            blm_free(f);
            blm_free(g);
        }
}

/* Counted bit by bit. */
static void ones_are_counted(void **state)
{
    static bench b;
    (void)state;
    fill(&b, 3);
    for (size_t r = 0; blm_lanes_at(r); r++) {
        const blm_lanes *row = blm_lanes_at(r);
        if (!row->here()) continue;
        uint64_t with[BLM_LINE_BITS + 1] = {0}, wanted[BLM_LINE_BITS + 1] = {0}, sum = 0;
        memset(b.room, 255, BLM_LINE_BYTES); /* a full line, and an empty one */
        memset(b.room + BLM_LINE_BYTES, 0, BLM_LINE_BYTES);
        for (size_t i = 0; i < BLOCKS; i++) {
            unsigned here = 0;
            for (unsigned bit = 0; bit < BLM_LINE_BITS; bit++)
                here += b.room[i * BLM_LINE_BYTES + bit / 8] >> bit % 8 & 1;
            wanted[here]++;
            sum += here;
            assert_int_equal(row->ones(b.room, (i + 1) * BLM_LINE_BYTES), sum);
        }
        for (size_t words = 0, some = 0; words < 20; words++) { /* ends that are no whole line */
            assert_int_equal(row->ones(b.room, words * 8), some);
            for (unsigned bit = 0; bit < 64; bit++)
                some += b.room[words * 8 + bit / 8] >> bit % 8 & 1;
        }
        row->line_ones(b.room, BLOCKS, with);
        assert_memory_equal(with, wanted, sizeof with);
    }
}

#if SIZE_MAX > UINT32_MAX
/* More than 2^32 lines, of which hardly any exists: rows that compute with halves of a number must not cut it. */
static void lines_past_2_to_the_32(void **state)
{
    static bench b;
    const uint64_t lines = (UINT64_C(1) << 32) + 12345;
    uint8_t *cells = mmap(NULL, lines * BLM_LINE_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)state;
    if (cells == MAP_FAILED) skip(); /* an emulator, or a limit */
    fill(&b, 11);
    for (unsigned k = 7; k <= 21; k += 7) { /* one word of the stream, two, three */
        const blm_blocks in = {cells, lines, k, true};
        blm_lanes_at(0)->line.add_u64(&in, 5, b.key, KEYS, NULL);
        blm_lanes_at(0)->line.add(&in, b.h, KEYS, 0, NULL);
        for (size_t r = 0; blm_lanes_at(r); r++) {
            const blm_lanes *row = blm_lanes_at(r);
            if (!row->here()) continue;
            row->line.has_u64(&in, 5, b.key, KEYS, b.one);
            row->line.has(&in, b.h, KEYS, 0, b.other);
            for (size_t i = 0; i < KEYS; i++) assert_true(b.one[i] && b.other[i]);
            assert_int_equal(row->line.add_u64(&in, 5, b.key, KEYS, b.one), 0);
        }
    }
    munmap(cells, lines * BLM_LINE_BYTES);
}
#endif

/* ---- bits of many keys ---------------------------------------------------------------------------- */

/* Around 2^32, where products of halves stop being enough, and at both ends. */
static const uint64_t ranges[] = {1,
                                  61,
                                  UINT32_MAX,
                                  UINT64_C(1) << 32,
                                  (UINT64_C(1) << 32) + 1,
                                  (UINT64_C(1) << 35) + 12345,
                                  (UINT64_C(1) << 55) - 1,
                                  UINT64_C(1) << 60};

typedef struct columns {
    blm_lanes_column at[64], mask[64];
} columns;

static void places_are(const blm_lanes *row, const bench *b, uint64_t cells, size_t n)
{
    static columns c;
    static const unsigned from[] = {0, 2, 5}, to[] = {2, 7, 64};
    for (size_t part = 0; part < COUNT(from); part++) {
        memset(&c, 0xee, sizeof c);
        row->places(b->h + 3, n, cells, from[part], to[part], c.at);
        for (unsigned j = 0; j < 64; j++)
            for (size_t i = 0; i < n; i++)
                assert_true(c.at[j][i] == (j >= from[part] && j < to[part]
                                               ? blm_place(b->h[3 + i], j, cells)
                                               : UINT64_C(0xeeeeeeeeeeeeeeee)));
    }
}

static void words_are(const blm_lanes *row, const bench *b, const blm_block_bits *f, size_t n)
{
    static columns c, only;
    memset(&c, 0xee, sizeof c);
    row->words(f, b->h, n, c.at, c.mask);
    row->words(f, b->h, n, only.at, NULL);
    for (size_t i = 0; i < n; i++) {
        blm_words_draw d = {0, 0, 0};
        for (unsigned j = 0; j < f->reads; j++) {
            const uint64_t start = blm_words_start(f, b->h[i], j);
            assert_true(c.at[j][i] == start / 64 * 8 && only.at[j][i] == c.at[j][i]);
            assert_true(c.mask[j][i] == blm_words_mask(f, b->h[i], j, start, &d));
        }
    }
    for (size_t i = 0; n && i < BLM_LANES_KEYS; i++)
        assert_true(c.at[f->reads][i] == UINT64_C(0xeeeeeeeeeeeeeeee));
}

static void rows_find_the_same_bits(void **state)
{
    static bench b;
    (void)state;
    fill(&b, 7);
    for (size_t r = 0; blm_lanes_at(r); r++) {
        const blm_lanes *row = blm_lanes_at(r);
        for (size_t n = 0; row->here() && n <= BLM_LANES_KEYS; n += n < 9 ? 1 : 7)
            for (size_t i = 0; i < COUNT(ranges); i++) {
                places_are(row, &b, ranges[i], n);
                for (unsigned reads = 1; reads <= 4; reads++)
                    for (unsigned k = reads; k <= 16 * reads && ranges[i] >> 55 == 0; k += 3)
                        for (uint16_t width = 32; width <= 64; width += 32)
                            words_are(row, &b,
                                      &(const blm_block_bits){.blocks = ranges[i],
                                                              .hashes = (uint8_t)k,
                                                              .reads = (uint8_t)reads,
                                                              .width = width},
                                      n);
            }
    }
}

#if SIZE_MAX > UINT32_MAX
/* The places of a key in an array of 2^35 bits, and in 2^33 words, of which hardly any exists: batches set the bits of
 * the specification, no others, and find them. */
static void batches_past_2_to_the_32(void **state)
{
    static bench b;
    const uint64_t bits = (UINT64_C(1) << 35) + 4096, words = bits / 4, bytes = words * 8;
    uint8_t *cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)state;
    if (cells == MAP_FAILED) skip(); /* an emulator, or a limit */
    fill(&b, 13);
    blm_flat s = {.base = {.cells = cells, .seed = 5}, .cells = bits, .hashes = 9};
    blm_staged_add_u64(&s.base, b.key, KEYS, b.one);
    blm_staged_has_u64(&s.base, b.key, KEYS, b.other);
    uint64_t high = 0;
    for (size_t i = 0; i < KEYS; i++) {
        const blm_hash h = {blm_xxh3_u64(blm_xxh3_flip(5), b.key[i]), 0};
        assert_true(b.other[i]);
        for (unsigned j = 0; j < s.hashes; j++) {
            const uint64_t at = blm_place(h, j, bits);
            assert_true(blm_bit_get(cells, at));
            high += at >> 32 > 0;
        }
    }
    assert_true(high > KEYS && s.ones <= KEYS * 9 && s.ones > KEYS * 9 - 20);
    blm_block_bits f = {.base = {.cells = cells, .seed = 5},
                        .blocks = words,
                        .hashes = 11,
                        .reads = 3,
                        .width = 64};
    blm_words_add_u64(&f.base, b.key, KEYS, NULL);
    blm_words_has_u64(&f.base, b.key, KEYS, b.other);
    for (size_t i = 0; i < KEYS; i++) {
        const blm_hash h = {blm_xxh3_u64(blm_xxh3_flip(5), b.key[i]), 0};
        blm_words_draw d = {0, 0, 0};
        assert_true(b.other[i]);
        for (unsigned j = 0; j < f.reads; j++) {
            const uint64_t start = blm_words_start(&f, h, j);
            const uint64_t mask = blm_words_mask(&f, h, j, start, &d);
            assert_true((blm_le64(cells + start / 8) & mask) == mask);
        }
    }
    munmap(cells, bytes);
}
#endif

/* The last cell lies before a page that nobody may read. */
static void batches_stay_inside(void **state)
{
    static bench b;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(map != MAP_FAILED && mprotect(map + page, page, PROT_NONE) == 0);
    fill(&b, 17);
    for (size_t some = 1; some < 20; some++) {
        uint8_t *cells = map + page - some * 8;
        blm_flat s = {.base = {.cells = cells}, .cells = some * 64 - some % 3, .hashes = 5};
        blm_block_bits f = {.base = {.cells = cells},
                            .blocks = some * 2,
                            .hashes = 4,
                            .reads = (uint8_t)(1 + some % 4),
                            .width = 32};
        blm_staged_add_u64(&s.base, b.key, 3, NULL);
        blm_staged_has_u64(&s.base, b.key, KEYS, b.one);
        blm_staged_has_many(&s.base, b.h, NULL, KEYS, 0, b.one);
        blm_words_add_u64(&f.base, b.key, 3, NULL);
        blm_words_has_u64(&f.base, b.key, KEYS, b.one);
        blm_words_has_many(&f.base, b.h, NULL, KEYS, 0, b.one);
        assert_true(s.ones <= some * 64 && f.ones <= some * 64);
    }
    munmap(map, 2 * page);
}

/* The library has the last word on what XXH3 of 8 bytes is. */
static void hashes_are_xxh3(void **state)
{
    static bench b;
    const uint64_t seeds[] = {0, 1, UINT64_MAX, UINT64_C(0x123456789abcdef0)};
    (void)state;
    fill(&b, 5);
    for (size_t r = 0; blm_lanes_at(r); r++) {
        if (!blm_lanes_at(r)->here()) continue;
        for (size_t s = 0; s < COUNT(seeds); s++)
            for (size_t i = 0; i < COUNT(lengths); i++) {
                blm_hash out[KEYS] = {{0, 0}};
                blm_lanes_at(r)->hash_u64(seeds[s], b.key, lengths[i], out);
                for (size_t j = 0; j < lengths[i]; j++) {
                    uint8_t bytes[8];
                    blm_put64(bytes, b.key[j]);
                    assert_int_equal(out[j].lo, XXH3_64bits_withSeed(bytes, 8, seeds[s]));
                }
                assert_int_equal(out[lengths[i]].lo, 0);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_answer_alike),
        cmocka_unit_test(adds_are_found),
        cmocka_unit_test(lenses_answer_alike),
        cmocka_unit_test(rows_of_one_key_know_their_limits),
        cmocka_unit_test(ones_are_counted),
#if SIZE_MAX > UINT32_MAX
        cmocka_unit_test(lines_past_2_to_the_32),
        cmocka_unit_test(batches_past_2_to_the_32),
#endif
        cmocka_unit_test(rows_find_the_same_bits),
        cmocka_unit_test(batches_stay_inside),
        cmocka_unit_test(hashes_are_xxh3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

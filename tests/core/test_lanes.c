/* test_lanes.c - every row of vector loops gives the bytes of row 0, which is plain C. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "simd/block.h"
#include "simd/lanes.h"
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

static const size_t lengths[] = {0, 1, 3, 4, 5, 31, 32, 33, 35, 36, 63, 64, 65, 100, 511, 668};

static void same_answers(bench *b, const blm_blocks *in, const blm_lanes *row, size_t n)
{
    const blm_lanes *scalar = blm_lanes_at(0);
    blm_lanes_has *const plain[] = {scalar->line_has, scalar->split_has}, *const fast[] = {
                                                                              row->line_has,
                                                                              row->split_has};
    blm_lanes_has_u64 *const plain_u64[] = {scalar->line_has_u64, scalar->split_has_u64},
                             *const fast_u64[] = {row->line_has_u64, row->split_has_u64};
    for (size_t i = 0; i < 2; i++) {
        for (size_t more = 0; more <= 32 && n + more <= KEYS; more += 16) {
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
    blm_lanes_add *const plain[] = {scalar->line_add, scalar->split_add}, *const fast[] = {
                                                                              row->line_add,
                                                                              row->split_add};
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
            const blm_blocks in = {b.room + k % 2, BLOCKS - k % 3, k};
            for (size_t i = 0; i < COUNT(lengths); i++) {
                same_answers(&b, &in, blm_lanes_at(r), lengths[i]);
                same_adds(&b, &in, blm_lanes_at(r), lengths[i]);
            }
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
            const blm_blocks in = {b.room, BLOCKS, k};
            uint64_t ones = 0, counted = 0;
            fill(&b, k);
            memset(b.room, 0, sizeof b.room);
            row->line_has(&in, b.h, KEYS, 0, b.one);
            for (size_t i = 0; i < KEYS; i++) assert_int_equal(b.one[i], 0);
            ones = row->line_add(&in, b.h, 50, 0, b.one);
            row->line_has(&in, b.h, 50, 0, b.one);
            for (size_t i = 0; i < 50; i++) assert_int_equal(b.one[i], 1);
            for (size_t i = 0; i < sizeof b.room; i++)
                counted += (unsigned)__builtin_popcount(b.room[i]);
            assert_int_equal(ones, counted);
        }
    }
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
        cmocka_unit_test(hashes_are_xxh3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

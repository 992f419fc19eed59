/* test_probe.c - positions from one hash: the wide multiply in both forms, evenness, independence. */
#include "core/unit.h"
#include "parts/probe.h"

/* The same headers again, as a compiler without a 128-bit integer reads it. */
#undef BLM_PROBE_H
#undef BLM_CORE_WIDE_H
#undef BLM_STREAM_STEP
#undef BLM_STREAM_XOR
#undef __SIZEOF_INT128__
#define blm_wide        portable_wide
#define blm_mul         portable_mul
#define blm_word        portable_word
#define blm_stream      portable_stream
#define blm_reduce      portable_reduce
#define blm_reduce_from portable_reduce_from
#define blm_place       portable_place
#include "parts/probe.h"
#undef blm_wide
#undef blm_mul
#undef blm_word
#undef blm_stream
#undef blm_reduce
#undef blm_reduce_from
#undef blm_place

/* Column by column, 8 bits at a time, as on paper. */
static blm_wide on_paper(uint64_t a, uint64_t b)
{
    uint32_t column[17] = {0};
    blm_wide p = {0, 0};
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++)
            column[i + j] += (uint32_t)(a >> 8 * i & 0xff) * (uint32_t)(b >> 8 * j & 0xff);
    for (unsigned i = 0; i < 16; i++) {
        column[i + 1] += column[i] >> 8;
        *(i < 8 ? &p.lo : &p.hi) |= (uint64_t)(column[i] & 0xff) << 8 * (i % 8);
    }
    return p;
}

static void check_product(uint64_t a, uint64_t b)
{
    const blm_wide want = on_paper(a, b), got = blm_mul(a, b);
    const portable_wide too = portable_mul(a, b);
    assert_true(got.lo == want.lo && got.hi == want.hi);
    assert_true(too.lo == want.lo && too.hi == want.hi);
}

static void products_of_64_bits(void **state)
{
    static const uint64_t edge[] = {0,
                                    1,
                                    2,
                                    0xffffffff,
                                    UINT64_C(0x100000000),
                                    UINT64_C(0x1ffffffff),
                                    UINT64_C(0x8000000000000000),
                                    UINT64_C(0xffffffff00000000),
                                    UINT64_MAX - 1,
                                    UINT64_MAX};
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < COUNT(edge); i++)
        for (size_t j = 0; j < COUNT(edge); j++) check_product(edge[i], edge[j]);
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t a = draw(&random) >> i % 64, b = draw(&random) >> i / 64 % 64;
        check_product(a, b);
    }
}

static void portable_places_are_the_same(void **state)
{
    uint64_t random = 2;
    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        const blm_hash h = {draw(&random), 0};
        const uint64_t m = (draw(&random) >> i % 60) + 1;
        assert_true(blm_word(h, i % 64) == portable_word(h, i % 64));
        assert_true(blm_place(h, i % 64, m) == portable_place(h, i % 64, m));
        assert_true(blm_place(h, i % 64, m) < m);
    }
}

/* floor(x m / 2^64), and what makes folding exact: half the position in half the array. */
static void reducing_and_halving(void **state)
{
    uint64_t random = 3;
    (void)state;
    assert_true(blm_reduce(UINT64_MAX, 10) == 9 && blm_reduce(0, 10) == 0);
    assert_true(blm_reduce(UINT64_C(1) << 63, 10) == 5 &&
                blm_reduce((UINT64_C(1) << 63) - 1, 10) == 4);
    assert_true(blm_reduce(UINT64_MAX, 1) == 0);
    assert_true(blm_reduce_from(0, 10) == 0 && blm_reduce_from(5, 10) == UINT64_C(1) << 63);
    assert_true(blm_reduce_from(1, 3) == UINT64_C(0x5555555555555556)); /* 2^64 / 3, rounded up */
    assert_true(blm_reduce_from(UINT64_MAX - 1, UINT64_MAX) == UINT64_MAX);
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t x = draw(&random), half = (draw(&random) >> (i % 50 + 2)) + 1;
        assert_true(blm_reduce(x, 2 * half) / 2 == blm_reduce(x, half));
    }
}

/* Cells (or a thousand stretches of them) are hit alike by each probe: chi-square within 4 sigma. Keys
 * in a row, as a hash that mixes badly would show. */
static void places_are_even(void **state)
{
    static const uint64_t sizes[] = {2, 3, 16, 1000, (UINT64_C(1) << 32) + 1, UINT64_C(1) << 60};
    enum { KEYS = 50000 };
    static double seen[1000];
    blm_filter *f = made("standard keys=10");
    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const unsigned places = sizes[s] < 1000 ? (unsigned)sizes[s] : 1000;
        for (unsigned probe = 0; probe < 64; probe += probe < 8 ? 1 : 11) {
            double chi = 0;
            memset(seen, 0, sizeof seen);
            for (uint64_t key = 0; key < KEYS; key++) {
                const uint64_t at = blm_place(blm_hash_u64(f, key), probe, sizes[s]);
                assert_true(at < sizes[s]);
                seen[(uint64_t)((double)at / (double)sizes[s] * places)]++;
            }
            const double want = (double)KEYS / places;
            for (unsigned i = 0; i < places; i++) chi += (seen[i] - want) * (seen[i] - want) / want;
            WITHIN(chi, places - 1, 4 * sqrt(2 * (places - 1.0)) + (places == 2 ? 8 : 0));
        }
    }
    blm_free(f);
}

/* Any two probes of a key: 16 x 16 places, 255 degrees, 4 sigma. */
static void probes_are_independent(void **state)
{
    enum { KEYS = 25600, PROBES = 10 };
    static uint8_t at[KEYS][PROBES];
    blm_filter *f = made("standard keys=10");
    (void)state;
    for (uint64_t key = 0; key < KEYS; key++)
        for (unsigned i = 0; i < PROBES; i++)
            at[key][i] = (uint8_t)blm_place(blm_hash_u64(f, key), i, 16);
    for (unsigned i = 0; i < PROBES; i++)
        for (unsigned j = 0; j < i; j++) {
            double seen[256] = {0}, chi = 0;
            for (unsigned key = 0; key < KEYS; key++) seen[at[key][i] * 16 + at[key][j]]++;
            for (unsigned c = 0; c < 256; c++) chi += (seen[c] - 100) * (seen[c] - 100) / 100;
            WITHIN(chi, 255, 4 * sqrt(2 * 255.0));
        }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_64_bits),    cmocka_unit_test(portable_places_are_the_same),
        cmocka_unit_test(reducing_and_halving),   cmocka_unit_test(places_are_even),
        cmocka_unit_test(probes_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

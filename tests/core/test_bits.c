/* test_bits.c - the organs that kinds share: arrays of bits, packed cells, the sums of an overlap. */
#include "core/unit.h"
#include "parts/bits.h"
#include "parts/overlap.h"
#include "parts/counters.h"
#include "parts/packed.h"

enum { BYTES = 64 };

static void fill(uint8_t *p, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)draw(&seed);
}

static bool bit(const uint8_t *p, uint64_t i) { return p[i / 8] >> i % 8 & 1; }

/* ---- bits ----------------------------------------------------------------------------------------- */

static void single_bits(void **state)
{
    uint8_t a[BYTES] = {0};
    (void)state;
    for (uint64_t i = 0; i < BYTES * 8; i += 3) {
        assert_false(blm_bit_get(a, i));
        assert_int_equal(blm_bit_set(a, i), 1);
        assert_int_equal(blm_bit_set(a, i), 0);
        assert_true(blm_bit_get(a, i) && bit(a, i));
    }
    for (uint64_t i = 0; i < BYTES * 8; i++) assert_int_equal(blm_bit_get(a, i), i % 3 == 0);
    assert_int_equal(blm_bits_count(a, BYTES), (BYTES * 8 + 2) / 3);
}

static void whole_arrays(void **state)
{
    uint8_t a[BYTES], b[BYTES], both[BYTES], either[BYTES];
    uint64_t na = 0, nor = 0, nand = 0;
    (void)state;
    fill(a, BYTES, 1);
    fill(b, BYTES, 2);
    for (uint64_t i = 0; i < BYTES * 8; i++) {
        na += bit(a, i);
        nor += bit(a, i) || bit(b, i);
        nand += bit(a, i) && bit(b, i);
    }
    assert_int_equal(blm_bits_count(a, BYTES), na);
    assert_int_equal(blm_bits_count(a, 0), 0);
    memcpy(either, a, BYTES);
    memcpy(both, a, BYTES);
    assert_int_equal(blm_bits_or(either, b, BYTES), nor);
    assert_int_equal(blm_bits_and(both, b, BYTES), nand);
    for (uint64_t i = 0; i < BYTES * 8; i++) {
        assert_int_equal(bit(either, i), bit(a, i) || bit(b, i));
        assert_int_equal(bit(both, i), bit(a, i) && bit(b, i));
    }
    const blm_bits_pair p = blm_bits_compare(a, b, BYTES);
    assert_true(p.both == nand && p.either == nor && !p.a_in_b && !p.b_in_a);
}

static void parts_of_each_other(void **state)
{
    uint8_t a[16] = {0}, b[16] = {0};
    (void)state;
    blm_bits_pair p = blm_bits_compare(a, b, 16);
    assert_true(p.a_in_b && p.b_in_a && p.both == 0 && p.either == 0);
    a[3] = 1, b[3] = 3; /* a inside b, and then one bit too many, in either word */
    p = blm_bits_compare(a, b, 16);
    assert_true(p.a_in_b && !p.b_in_a && p.both == 1 && p.either == 2);
    p = blm_bits_compare(b, a, 16);
    assert_true(!p.a_in_b && p.b_in_a);
    a[15] = 0x80;
    p = blm_bits_compare(a, b, 16);
    assert_true(!p.a_in_b && !p.b_in_a && p.either == 3);
}

static void folding_bit_by_bit(void **state)
{
    uint8_t a[BYTES], half[BYTES];
    (void)state;
    for (unsigned words = 1; words <= BYTES / 8; words++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const uint64_t from = words * 8, to = (from / 2 + 7) / 8 * 8;
            uint64_t ones = 0;
            fill(a, from, seed);
            for (unsigned i = 0; seed % 2 && i < from; i++)
                a[i] &= (uint8_t)(0x11 << seed % 4); /* sparse */
            memset(half, 0xaa, sizeof half);
            const uint64_t got = blm_bits_fold(half, to, a, from);
            for (uint64_t i = 0; i < to * 8; i++) {
                const bool want = 2 * i < from * 8 && (bit(a, 2 * i) || bit(a, 2 * i + 1));
                assert_int_equal(bit(half, i), want);
                ones += want;
            }
            assert_int_equal(got, ones);
            if (to < sizeof half) assert_int_equal(half[to], 0xaa);
        }
}

static void tails_are_zero(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits <= 128; bits++) {
        uint8_t a[16];
        memset(a, 0, sizeof a);
        for (uint64_t i = 0; i < bits; i++) blm_bit_set(a, i);
        assert_true(blm_bits_tail_zero(a, 16, bits));
        for (uint64_t i = bits; i < 128; i++) {
            a[i / 8] ^= (uint8_t)(1u << i % 8);
            assert_false(blm_bits_tail_zero(a, 16, bits));
            a[i / 8] ^= (uint8_t)(1u << i % 8);
        }
    }
}

static void sizes_of_arrays(void **state)
{
    (void)state;
    assert_int_equal(blm_bits_bytes(0), 0);
    assert_int_equal(blm_bits_bytes(1), 8);
    assert_int_equal(blm_bits_bytes(64), 8);
    assert_int_equal(blm_bits_bytes(65), 16);
    assert_true(blm_bits_bytes(UINT64_C(1) << 60) == UINT64_C(1) << 57);
    assert_true(blm_bits_bytes(UINT64_MAX - 63) ==
                UINT64_C(0x1ffffffffffffff8)); /* (2^64 - 64 + 63) / 64 words */
    assert_int_equal(blm_bits_bytes(UINT64_MAX - 62), 0);
}

/* A multiple of a power of two, less than 0.4 % more, and the power as large as that allows. */
static void foldable_sizes(void **state)
{
    (void)state;
    assert_int_equal(blm_foldable(1, 1024), 1);
    assert_int_equal(blm_foldable(511, 1024), 511);
    assert_int_equal(blm_foldable(513, 1024), 514);
    assert_int_equal(blm_foldable(9595, 1 << 20), 9600);
    for (uint64_t n = 1; n < UINT64_C(1) << 40; n = n * 3 + 1) {
        const uint64_t m = blm_foldable(n, 1024);
        uint64_t step = 1;
        while (step < 1024 && step * 2 <= n / 256) step *= 2;
        assert_true(m >= n && m % step == 0 && m < n + step);
        assert_true((double)m <= 1.004 * (double)n);
        assert_true(step == 1024 || 2 * step > n / 256);
    }
    assert_true(blm_foldable(UINT64_C(1) << 60, 1024) == UINT64_C(1) << 60);
}

/* ---- packed cells ---------------------------------------------------------------------------------- */

/* Every width, every cell, against a plain array; the region has no byte to spare. */
static void packed_like_an_array(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 64; width += width == 57 ? 7 : 1)
        for (uint64_t cells = 1; cells < 140; cells += 23) {
            const uint64_t bytes = blm_packed_bytes(cells, width);
            const uint64_t top = blm_packed_top(width);
            uint8_t *p = calloc(1, (size_t)bytes);
            uint64_t plain[140] = {0};
            uint64_t random = width * 1000 + cells;
            assert_non_null(p);
            assert_true(top == (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX));
            assert_int_equal(bytes, (cells * width + 63) / 64 * 8);
            for (unsigned step = 0; step < 600; step++) {
                const uint64_t at = draw(&random) % cells;
                plain[at] = draw(&random) & top;
                blm_packed_set(p, bytes, width, at, plain[at]);
                assert_true(blm_packed_get(p, bytes, width, at) == plain[at]);
            }
            for (uint64_t i = 0; i < cells; i++) {
                uint64_t v = 0;
                for (unsigned b = 0; b < width; b++) v |= (uint64_t)bit(p, i * width + b) << b;
                assert_true(v == plain[i] && blm_packed_get(p, bytes, width, i) == v);
                assert_true(blm_packed_find(bytes, width, i).byte + 8 <= bytes);
            }
            assert_true(blm_packed_tail_zero(p, bytes, width, cells));
            for (uint64_t i = cells * width; i < bytes * 8; i++) {
                p[i / 8] ^= (uint8_t)(1u << i % 8);
                assert_false(blm_packed_tail_zero(p, bytes, width, cells));
                p[i / 8] ^= (uint8_t)(1u << i % 8);
            }
            free(p);
        }
}

static void packed_sizes(void **state)
{
    (void)state;
    assert_int_equal(blm_packed_bytes(1, 1), 8);
    assert_int_equal(blm_packed_bytes(4, 16), 8);
    assert_int_equal(blm_packed_bytes(5, 16), 16);
    assert_true(blm_packed_bytes(UINT64_C(1) << 58, 16) == UINT64_C(1) << 59);
    assert_int_equal(blm_packed_bytes(UINT64_MAX / 16, 16), 0);
    assert_int_equal(blm_packed_bytes((UINT64_C(1) << 61) + 100, 16), 0);
    assert_true(blm_packed_bytes((UINT64_MAX - 63) / 16, 16) > UINT64_C(1) << 60);
    assert_int_equal(blm_packed_bytes((UINT64_MAX - 63) / 3 + 1, 3), 0);
}

/* ---- counters -------------------------------------------------------------------------------------- */

/* Raised, lowered and lifted at random, against plain numbers that stop at the ceiling. */
static void counters_like_numbers(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 2, 3, 4, 7, 32, 57, 64};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        uint64_t cells[60] = {0}, plain[50] = {0}, random = 7 + w;
        const blm_counters c = {(uint8_t *)cells, blm_packed_bytes(50, widths[w]), 50, widths[w]};
        const uint64_t top = blm_packed_top(widths[w]);
        blm_census sum = {0, 0};
        for (unsigned step = 0; step < 4000; step++) {
            const uint64_t at = draw(&random) % 50, old = plain[at];
            const uint64_t by = (draw(&random) & top) >> draw(&random) % widths[w];
            const unsigned what = (unsigned)(draw(&random) % 3);
            if (what == 2 && by <= old) {
                sum.used -= blm_counters_lower(&c, at, by);
                plain[at] = old == top ? top : old - by;
            } else {
                const blm_census more =
                    what ? blm_counters_lift(&c, at, by) : blm_counters_raise(&c, at, by);
                plain[at] = what ? (by > old ? by : old) : by > top - old ? top : old + by;
                sum.used += more.used;
                sum.stuck += more.stuck;
            }
            assert_true(blm_counters_get(&c, at) == plain[at]);
        }
        uint64_t used = 0, stuck = 0;
        for (unsigned i = 0; i < 50; i++) used += plain[i] > 0, stuck += plain[i] == top;
        const blm_census now = blm_counters_census(&c);
        assert_true(now.used == used && sum.used == used);
        assert_true(now.stuck == stuck && sum.stuck == stuck);
        assert_true(stuck > 0);
    }
}

static void counters_merge_and_least(void **state)
{
    (void)state;
    uint8_t a[8] = {0x21, 0xf3}, b[8] = {0x31, 0x2e};
    const blm_counters x = {a, 8, 16, 4}, y = {b, 8, 16, 4};
    const blm_census now = blm_counters_merge(&x, &y); /* 2 5 f f: 3 + 14 and 15 + 2 stop at 15 */
    assert_true(a[0] == 0x52 && a[1] == 0xff && now.used == 4 && now.stuck == 2);
    uint64_t at[] = {3, 1, 3, 0, 1, 0};
    assert_int_equal(blm_counters_distinct(at, 6), 3);
    assert_true(at[0] == 3 && at[1] == 1 && at[2] == 0);
    assert_true(blm_counters_min(&x, at, 3) == 2 && blm_counters_min(&x, at, 2) == 5);
    assert_false(blm_counters_estimate(&x, 14).bound);
    assert_true(blm_counters_estimate(&x, 15).bound);
}

/* ---- overlap ------------------------------------------------------------------------------------------ */

static blm_estimate sized(double v) { return (blm_estimate){v, v - 10, v + 10, false}; }

static void overlap_by_numbers(void **state)
{
    const blm_bits_pair bits = {77, 200, true, false};
    (void)state;
    blm_overlap o = blm_overlap_sizes(sized(1000), sized(800), sized(1400), &bits);
    blm_overlap_spread(&o, (blm_overlap_sd){20, 0.015, 0.02, 0.025});
    assert_true(o.common_raw == 400 && o.common.value == 400 && !o.common.bound);
    assert_true(o.common.low == 380 && o.common.high == 420);
    NEAR(o.jaccard.value, 400.0 / 1400, 1e-12);
    NEAR(o.jaccard.high - o.jaccard.low, 0.03, 1e-9);
    assert_true(o.a_in_b.value == 0.4 && o.b_in_a.value == 0.5);
    NEAR(o.a_in_b.high, 0.42, 1e-9);
    NEAR(o.a_in_b.low, 0.38, 1e-9);
    NEAR(o.b_in_a.high, 0.525, 1e-9);
    NEAR(o.b_in_a.low, 0.475, 1e-9);
    assert_true(o.dot == 77 && o.a_may_be_subset && !o.b_may_be_subset);
    assert_true(o.a.value == 1000 && o.b.value == 800 && o.both_sets.low == 1390);
}

/* What chance makes impossible is brought back to the nearest possible number; the raw one stays. */
static void overlap_is_clamped(void **state)
{
    const blm_bits_pair bits = {0, 0, false, true};
    (void)state;
    blm_overlap o = blm_overlap_sizes(sized(100), sized(80), sized(190), &bits);
    blm_overlap_spread(&o, (blm_overlap_sd){15, 0.1, 0.15, 0.2});
    assert_true(o.common_raw == -10 && o.common.value == 0 && o.common.low == 0 &&
                o.common.high == 15);
    assert_true(o.jaccard.value == 0 && o.jaccard.low == 0 && o.jaccard.high == 0.1);
    o = blm_overlap_sizes(sized(100), sized(80), sized(95), &bits);
    blm_overlap_spread(&o, (blm_overlap_sd){15, 0.3, 0.1, 0});
    assert_true(o.common_raw == 85 && o.common.value == 80 && o.common.low == 65);
    assert_true(o.common.high == o.b.high); /* B may be larger than it looks, by one error */
    assert_true(o.b_in_a.value == 1 && o.b_in_a.low == 1 && o.b_in_a.high == 1);
    assert_true(o.a_in_b.value == 0.8);
    assert_true(o.jaccard.high == 1 && !o.a_may_be_subset && o.b_may_be_subset);
    o = blm_overlap_sizes(sized(0.5), sized(0.5), sized(0.75),
                          &bits); /* less than one key, by chance */
    assert_true(o.a_in_b.value == 0.5 && o.b_in_a.value == 0.5);
    NEAR(o.jaccard.value, 1.0 / 3, 1e-12);
    blm_estimate full = sized(500);
    full.bound = true;
    const blm_estimate none = {0, 0, 0, false};
    o = blm_overlap_sizes(none, none, none, &bits);
    blm_overlap_spread(&o, (blm_overlap_sd){15, 0.1, 0, 0});
    assert_true(o.jaccard.value == 0 && o.a_in_b.value == 0 && o.b_in_a.high == 0 &&
                o.common.high == 0);
    assert_true(blm_overlap_sizes(sized(400), sized(300), full, &bits).common.bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_bits),
        cmocka_unit_test(whole_arrays),
        cmocka_unit_test(parts_of_each_other),
        cmocka_unit_test(folding_bit_by_bit),
        cmocka_unit_test(tails_are_zero),
        cmocka_unit_test(sizes_of_arrays),
        cmocka_unit_test(foldable_sizes),
        cmocka_unit_test(packed_like_an_array),
        cmocka_unit_test(packed_sizes),
        cmocka_unit_test(counters_like_numbers),
        cmocka_unit_test(counters_merge_and_least),
        cmocka_unit_test(overlap_by_numbers),
        cmocka_unit_test(overlap_is_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

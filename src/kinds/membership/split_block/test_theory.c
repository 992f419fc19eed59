/* test_theory.c - rate, spread, size and estimates of split blocks. */
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include "theory/near.h"

/* A stranger and one of the keys of its block have the same 32 bits, which the lanes take for 40. */
static double twins(double load) { return load * (0x1p-32 - 0x1p-40); }

/* Poisson loads of (1 - (31/32)^i)^8, six digits; at a power of two of blocks all are chosen alike. */
static void rates_of_the_table(void **state)
{
    (void)state;
    static const struct {
        unsigned bits;
        double rate;
    } row[] = {
        {8, 3.32119e-2}, {10, 1.26485e-2}, {12, 5.41964e-3}, {16, 1.31557e-3}, {20, 4.19971e-4}};
    const uint64_t blocks = 1 << 24;
    for (size_t i = 0; i < COUNT(row); i++) {
        const uint64_t n = blocks * 256 / row[i].bits;
        NEAR(blm_rate_split(blocks, n), row[i].rate + twins(256.0 / row[i].bits), 4e-6);
    }
}

/* Bits a key that a rate wants, of the same table; one key or one block more or less are 0.0003. */
static void sizes_of_the_table(void **state)
{
    (void)state;
    static const struct {
        double rate, bits, error;
    } row[] = {{0.1, 5.9885, 0.001},
               {0.01, 10.5292, 0.001},
               {0.001, 16.8898, 0.001},
               {1e-4, 26.3416, 0.001},
               {1e-5, 40.9854, 0.003}}; /* of which twins are 0.0015 */
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t blocks = 0;
        assert_true(blm_size_split(1000000, row[i].rate, &blocks));
        WITHIN((double)blocks * 256 / 1e6, row[i].bits, row[i].error);
    }
}

/* ---- other ways to the same numbers --------------------------------------------------------------- */

/* The eight lanes are throws into 32 cells, bit by bit. */
static double block_rate(unsigned load)
{
    const double lanes = pow(occupancy_moment(32, load, 1), 8);
    return lanes + (1 - lanes) * twins(load);
}

static double enumerated(unsigned blocks, unsigned n)
{
    double rate = 0, weight = pow(1 - 1.0 / blocks, n);
    for (unsigned load = 0; load <= n; load++) {
        rate += weight * block_rate(load);
        weight *= (double)(n - load) / ((load + 1) * (blocks - 1.0));
    }
    return rate;
}

static void rate_equals_enumeration(void **state)
{
    (void)state; /* 2^32 numbers for 3 or 50 blocks: uneven by 1e-9 of them, by 1e-8 */
    NEAR(blm_rate_split(1, 1), 0x1p-32, 1e-9);
    NEAR(blm_rate_split(1, 24), block_rate(24), 1e-11);
    NEAR(blm_rate_split(1, 300), block_rate(300), 1e-11);
    NEAR(blm_rate_split(2, 30), enumerated(2, 30), 1e-11);
    NEAR(blm_rate_split(64, 400), enumerated(64, 400), 1e-11);
    NEAR(blm_rate_split(3, 10), enumerated(3, 10), 1e-7);
    NEAR(blm_rate_split(50, 900), enumerated(50, 900), 1e-6);
}

static double poisson_rate(double load)
{
    double rate = 0, weight = exp(-load);
    for (unsigned i = 0; i < 400; i++) {
        const double lanes = pow(1 - pow(31 / 32.0, i), 8);
        rate += weight * (lanes + twins(i));
        weight *= load / (i + 1);
    }
    return rate;
}

/* 3 * 2^29 blocks: 2^32 numbers are 2 for each and one more for two thirds of them. A third of the blocks
 * has 2 of 8/3 numbers, and gets a quarter of keys and strangers. */
static void uneven_blocks(void **state)
{
    (void)state;
    const uint64_t blocks = (uint64_t)3 << 29;
    for (double load = 8; load <= 40; load += 16) {
        const uint64_t n = blocks * (uint64_t)load;
        const double want = poisson_rate(load * 0.75) / 4 + poisson_rate(load * 1.125) * 3 / 4;
        NEAR(blm_rate_split(blocks, n), want, 1e-6);
        assert_true(want > 1.05 * poisson_rate(load));
        const double zeros = (exp(-load * 0.75 / 32) + 2 * exp(-load * 1.125 / 32)) / 3;
        const double ones = (1 - zeros) * 256 * (double)blocks;
        NEAR(blm_fill_mean_split(blocks, n), ones, 1e-8);
        NEAR(blm_keys_from_fill_split((uint64_t)ones, blocks), (double)n, 1e-8);
    }
}

/* ---- the spread between filters, against 4000 simulated ones ---------------------------------------- */

typedef struct sample {
    double rate, ones;
} sample;

static sample one_filter(uint64_t *seed, unsigned blocks, unsigned n)
{
    static unsigned char cell[256 * 64];
    sample s = {0, 0};
    memset(cell, 0, sizeof cell);
    for (unsigned i = 0; i < n; i++) {
        unsigned char *block = cell + 256 * draw_below(seed, blocks);
        for (unsigned lane = 0; lane < 8; lane++) block[32 * lane + draw_below(seed, 32)] = 1;
    }
    for (unsigned b = 0; b < blocks; b++) {
        double product = 1;
        for (unsigned lane = 0; lane < 8; lane++) {
            unsigned ones = 0;
            for (unsigned i = 0; i < 32; i++) ones += cell[b * 256 + lane * 32 + i];
            product *= ones / 32.0;
            s.ones += ones;
        }
        s.rate += product / blocks;
    }
    return s;
}

typedef struct moments {
    double sum, squares, count;
} moments;
static void take(moments *m, double x)
{
    m->sum += x;
    m->squares += x * x;
    m->count++;
}
static double mean_of(const moments *m) { return m->sum / m->count; }
static double sd_of(const moments *m)
{
    return sqrt(m->squares / m->count - mean_of(m) * mean_of(m));
}

/* A sample sd of 4000 is off by 1/sqrt(8000) = 1.1 %, four of them 4.5 %; skewed rates have a little
 * more, and the formula is good to 1/blocks. Ones and keys are nearly normal. Blocks whose loads did
 * not add up would make the rates' spread 100 % too wide, bits of a lane that could be hit together the
 * ones' 3 %. */
static void spread_equals_simulation(void **state)
{
    (void)state;
    static const struct {
        unsigned blocks, n;
    } row[] = {{60, 1200}, {60, 2400}, {16, 400}, {1, 24}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const unsigned blocks = row[i].blocks, n = row[i].n;
        moments rate = {0}, ones = {0}, keys = {0};
        uint64_t seed = i + 1;
        const double mean = blm_rate_split(blocks, n) - twins((double)n / blocks);
        const double sd = blm_rate_split_sd(blocks, n), keys_sd = blm_keys_sd_split(blocks, n);
        for (int f = 0; f < 4000; f++) {
            const sample s = one_filter(&seed, blocks, n);
            take(&rate, s.rate / mean);
            take(&ones, s.ones);
            take(&keys, blm_keys_from_fill_split((uint64_t)s.ones, blocks));
        }
        WITHIN(mean_of(&rate), 1, 4 * sd / sqrt(4000));
        NEAR(sd_of(&rate), sd, 0.06 + 0.5 / blocks * (blocks > 1));
        WITHIN(mean_of(&ones), blm_fill_mean_split(blocks, n),
               4 * blm_fill_sd_split(blocks, n) / sqrt(4000));
        NEAR(sd_of(&ones), blm_fill_sd_split(blocks, n), 0.05);
        WITHIN(mean_of(&keys), n, 4 * keys_sd / sqrt(4000) + 0.002 * n);
        NEAR(sd_of(&keys), keys_sd, 0.06);
    }
}

/* One block: lanes are independent, so their second moments multiply; ones add up. */
static void spread_of_one_block(void **state)
{
    (void)state;
    for (unsigned n = 8; n <= 64; n *= 2) {
        const double one = pow(occupancy_moment(32, n, 1), 8),
                     two = pow(occupancy_moment(32, n, 2), 8);
        const double t = twins(n), rate = one + (1 - one) * t;
        const double square = two * (1 - t) * (1 - t) + 2 * one * t * (1 - t) + t * t;
        NEAR(blm_rate_split_sd(1, n), sqrt(square / (rate * rate) - 1), 1e-8);
        const double var = 1024 * (occupancy_moment(32, n, 2) - pow(occupancy_moment(32, n, 1), 2));
        NEAR(blm_fill_sd_split(1, n), sqrt(8 * var), 1e-9);
        NEAR(blm_fill_mean_split(1, n), 256 * occupancy_moment(32, n, 1), 1e-12);
    }
}

/* ---- sizing ------------------------------------------------------------------------------------------ */

static void size_is_the_smallest(void **state)
{
    (void)state;
    static const double rates[] = {0.9, 0.5, 0.01, 1e-3, 1e-6, 1e-9};
    static const uint64_t keys[] = {1, 20, 333, 10000, 100000000};
    for (size_t i = 0; i < COUNT(keys); i++)
        for (size_t j = 0; j < COUNT(rates); j++) {
            uint64_t blocks = 0;
            assert_true(blm_size_split(keys[i], rates[j], &blocks));
            assert_true(blm_rate_split(blocks, keys[i]) <= rates[j]);
            if (blocks > 1) assert_true(blm_rate_split(blocks - 1, keys[i]) > rates[j]);
        }
}

/* 2^31 blocks hold 5.2e10 keys at 1 %: 256 / 10.5292 = 24.3133 a block. */
static void size_has_an_end(void **state)
{
    (void)state;
    uint64_t blocks = 77;
    assert_false(blm_size_split(52220000000, 0.01, &blocks));
    assert_false(blm_size_split(1000000, 1e-13, &blocks)); /* twins: 2.3e-10 a key of a block */
    assert_false(blm_size_split(0, 0.01, &blocks) || blm_size_split(10, 0, &blocks));
    assert_false(blm_size_split(10, 1, &blocks) || blm_size_split(10, -1, &blocks));
    assert_false(blm_size_split(10, NAN, &blocks) || blm_size_split(UINT64_MAX, 0.01, &blocks));
    assert_int_equal(blocks, 77);
    assert_true(blm_size_split(52200000000, 0.01, &blocks));
    assert_true(blocks <= (uint64_t)1 << 31);
}

/* ---- edges ------------------------------------------------------------------------------------------- */

static void edges(void **state)
{
    (void)state;
    const uint64_t max = (uint64_t)1 << 31;
    assert_true(blm_rate_split(10, 0) == 0 && blm_rate_split_sd(10, 0) == 0);
    assert_true(blm_fill_mean_split(10, 0) == 0 && blm_fill_sd_split(10, 0) == 0);
    assert_true(blm_keys_from_fill_split(0, 10) == 0 && blm_keys_sd_split(10, 0) == 0);
    assert_true(blm_split_twins(0) == 0 && isnan(blm_split_twins(-1)));
    NEAR(blm_split_twins(24.3132), 5.63876e-9, 1e-5); /* 24.3132 * 255 / 2^40 */
    NEAR(blm_rate_split(10, UINT64_MAX), 1, 1e-15);
    NEAR(blm_rate_split(1, 1500), 1, 1e-15);
    assert_true(blm_rate_split(1, 1000) < 1);
    assert_true(isinf(blm_keys_from_fill_split(2560, 10)) &&
                isnan(blm_keys_from_fill_split(2561, 10)));
    NEAR(blm_rate_split(max, 1), 0x1p-63, 1e-9);
    static const uint64_t bad[] = {0, ((uint64_t)1 << 31) + 1, UINT64_MAX};
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_true(isnan(blm_rate_split(bad[i], 1)) && isnan(blm_rate_split_sd(bad[i], 1)));
        assert_true(isnan(blm_fill_mean_split(bad[i], 1)) && isnan(blm_fill_sd_split(bad[i], 1)));
        assert_true(isnan(blm_keys_from_fill_split(1, bad[i])) &&
                    isnan(blm_keys_sd_split(bad[i], 1)));
        assert_true(isnan(blm_keys_common_sd_split(bad[i], 2, 2, 1)));
        assert_true(isnan(blm_jaccard_sd_split(bad[i], 2, 2, 1)));
        assert_true(isnan(blm_contained_sd_split(bad[i], 2, 2, 1)));
    }
}

/* A key alone has eight ones, surely; ones tell the keys that are theirs on average. */
static void few_keys(void **state)
{
    (void)state;
    for (uint64_t blocks = 1; blocks <= (uint64_t)1 << 31; blocks *= 1 << 6) {
        NEAR(blm_keys_from_fill_split(8, blocks), 1, 1e-12);
        NEAR(blm_fill_mean_split(blocks, 1), 8, 1e-12);
        WITHIN(blm_fill_sd_split(blocks, 1), 0, 1e-6);
    }
}

/* Two equal sets: what they share is known as well as either, and the share is 1. */
static void overlap_of_equals(void **state)
{
    (void)state;
    NEAR(blm_keys_common_sd_split(500, 9000, 9000, 9000), blm_keys_sd_split(500, 9000), 1e-9);
    WITHIN(blm_jaccard_sd_split(500, 9000, 9000, 9000), 0, 1e-9);
    assert_true(isnan(blm_keys_common_sd_split(500, 10, 10, 11)));
    assert_true(blm_jaccard_sd_split(500, 9000, 9000, 3000) > 0);
    assert_true(blm_contained_sd_split(500, 9000, 9000, 9000) == 0);
    NEAR(blm_contained_sd_split(500, 9000, 5000, 0),
         blm_keys_common_sd_split(500, 9000, 5000, 0) / 9000, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_the_table),
        cmocka_unit_test(sizes_of_the_table),
        cmocka_unit_test(rate_equals_enumeration),
        cmocka_unit_test(uneven_blocks),
        cmocka_unit_test(spread_equals_simulation),
        cmocka_unit_test(spread_of_one_block),
        cmocka_unit_test(size_is_the_smallest),
        cmocka_unit_test(size_has_an_end),
        cmocka_unit_test(edges),
        cmocka_unit_test(few_keys),
        cmocka_unit_test(overlap_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

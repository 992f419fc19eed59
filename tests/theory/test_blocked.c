/* test_blocked.c - rate, spread and size of blocked filters. */
#include "near.h"

/* Poisson loads with exact rates in the block, five digits. */
static void rates_of_the_table(void **state)
{
    (void)state;
    static const struct {
        unsigned bits, k;
        double standard, b512, b256, b64;
    } row[] = {{8, 5, 2.1679e-2, 2.3263e-2, 2.4842e-2, 3.4197e-2},
               {8, 6, 2.1577e-2, 2.3615e-2, 2.5646e-2, 3.7674e-2},
               {10, 6, 8.4362e-3, 9.6647e-3, 1.0914e-2, 1.8765e-2},
               {10, 7, 8.1937e-3, 9.6860e-3, 1.1214e-2, 2.0940e-2},
               {12, 8, 3.1424e-3, 4.1349e-3, 5.2007e-3, 1.2777e-2},
               {16, 10, 4.6999e-4, 8.4612e-4, 1.3196e-3, 5.9372e-3},
               {20, 12, 7.1170e-5, 2.0136e-4, 4.0961e-4, 3.4443e-3}};
    const uint64_t m = (uint64_t)240 << 30; /* blocks many, keys whole: the binomial is Poisson */
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t n = m / row[i].bits;
        NEAR(blm_rate_exact(m, row[i].k, n), row[i].standard, 3e-5);
        NEAR(blm_rate_blocked(512, m / 512, row[i].k, n), row[i].b512, 1e-4);
        NEAR(blm_rate_blocked(256, m / 256, row[i].k, n), row[i].b256, 1e-4);
        NEAR(blm_rate_blocked(64, m / 64, row[i].k, n), row[i].b64, 1e-4);
    }
}

/* Every load of one block, with the model that throws one bit at a time. */
static double enumerated(unsigned block_bits, unsigned blocks, unsigned k, unsigned n)
{
    double rate = 0, weight = pow(1 - 1.0 / blocks, n);
    for (unsigned load = 0; load <= n; load++) {
        rate += weight * occupancy_moment(block_bits, k * load, k);
        weight *= (double)(n - load) / ((load + 1) * (blocks - 1.0));
    }
    return rate;
}

static void rate_equals_enumeration(void **state)
{
    (void)state;
    NEAR(blm_rate_blocked(64, 3, 4, 10), enumerated(64, 3, 4, 10), 1e-13);
    NEAR(blm_rate_blocked(5, 2, 8, 6), enumerated(5, 2, 8, 6), 1e-13); /* more hashes than bits */
    NEAR(blm_rate_blocked(32, 50, 3, 200), enumerated(32, 50, 3, 200), 1e-13);
    NEAR(blm_rate_blocked(500, 2, 12, 30), enumerated(500, 2, 12, 30), 1e-13);
    NEAR(blm_rate_blocked(1, 9, 2, 5), enumerated(1, 9, 2, 5), 1e-13);
    NEAR(blm_rate_blocked(64, 1000, 6, 1), occupancy_moment(64, 6, 6) / 1000, 1e-13);
}

/* One block is a standard filter; past 1024 keys a block the table of loads has ended. */
static void one_block_is_standard(void **state)
{
    (void)state;
    NEAR(blm_rate_blocked(512, 1, 8, 50), blm_rate_exact(512, 8, 50), 1e-12);
    NEAR(blm_rate_blocked(65536, 1, 7, 6800), blm_rate_exact(65536, 7, 6800), 1e-11);
    NEAR(blm_rate_blocked(4096, 1, 64, 1500), blm_rate_exact(4096, 64, 1500), 1e-11);
}

static double loads_by_hand(unsigned block_bits, double blocks, unsigned k, double n, unsigned from,
                            unsigned to)
{
    double rate = 0, total = 0, weight = 1;
    for (unsigned load = from; load <= to; load++) {
        rate += weight * blm_rate_exact(block_bits, k, load);
        total += weight;
        weight *= (n - load) / ((load + 1) * (blocks - 1));
    }
    return rate / total;
}

static void long_loads(void **state)
{
    (void)state; /* mean load 2000, sd 45: all within 15 sd */
    NEAR(blm_rate_blocked(4096, 1000, 3, 2000000), loads_by_hand(4096, 1000, 3, 2e6, 1330, 2670),
         1e-11);
}

static void edges(void **state)
{
    (void)state;
    assert_true(blm_rate_blocked(512, 10, 8, 0) == 0 && blm_rate_blocked_sd(512, 10, 8, 0) == 0);
    NEAR(blm_rate_blocked(512, 10, 8, UINT64_MAX), 1, 1e-15);
    NEAR(blm_rate_blocked(512, 1, 8, UINT64_MAX), 1, 1e-15);
    NEAR(blm_rate_blocked(64, 1000, 8, 3000000), 1, 1e-12);
    assert_true(blm_rate_blocked(512, (uint64_t)1 << 40, 64, 1) > 0);
    assert_true(isnan(blm_rate_blocked(0, 1, 1, 1)) && isnan(blm_rate_blocked(512, 0, 1, 1)));
    assert_true(isnan(blm_rate_blocked(512, 1, 0, 1)) && isnan(blm_rate_blocked(512, 1, 65, 1)));
    assert_true(isnan(blm_rate_blocked(65537, 1, 1, 1)) &&
                isnan(blm_rate_blocked(512, UINT64_MAX, 1, 1)));
    assert_true(isnan(blm_rate_blocked_sd(512, 1, 65, 1)) &&
                isnan(blm_rate_blocked_sd(0, 1, 1, 1)));
    assert_true(isinf(blm_rate_blocked_sd(65536, 1, 64, 1))); /* its rate is 1e-192 */
}

/* ---- the spread between filters, against 4000 simulated ones --------------------------------- */

static double one_filter(uint64_t *seed, unsigned block_bits, unsigned blocks, unsigned k,
                         unsigned n)
{
    static unsigned char cell[64 * 100];
    double rate = 0;
    memset(cell, 0, sizeof cell);
    for (unsigned i = 0; i < n; i++) {
        unsigned char *block = cell + block_bits * draw_below(seed, blocks);
        for (unsigned j = 0; j < k; j++) block[draw_below(seed, block_bits)] = 1;
    }
    for (unsigned b = 0; b < blocks; b++) {
        unsigned ones = 0;
        for (unsigned i = 0; i < block_bits; i++) ones += cell[b * block_bits + i];
        rate += pow((double)ones / block_bits, k) / blocks;
    }
    return rate;
}

/* 4 sd of a mean of 4000 is 6.3 % of the sd; the sd of a sample sd is 1/sqrt(8000) = 1.1 % (a
 * little more for skewed rates), 4 of them 4.5 %, and the formula is good to 1/blocks = 1 %. If
 * the loads' fixed sum were left out, the spread would be 110 % too wide. */
static void spread_equals_simulation(void **state)
{
    (void)state;
    static const struct {
        unsigned block_bits, blocks, k, n;
    } row[] = {{64, 100, 4, 800}, {32, 100, 3, 300}, {64, 60, 1, 1500}};
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t seed = i + 1;
        double sum = 0, squares = 0, count = 4000;
        double mean = blm_rate_blocked(row[i].block_bits, row[i].blocks, row[i].k, row[i].n);
        double sd = blm_rate_blocked_sd(row[i].block_bits, row[i].blocks, row[i].k, row[i].n);
        for (int f = 0; f < (int)count; f++) {
            double rate =
                one_filter(&seed, row[i].block_bits, row[i].blocks, row[i].k, row[i].n) / mean - 1;
            sum += rate / count;
            squares += rate * rate / count;
        }
        WITHIN(sum, 0, 4 * sd / sqrt(count));
        NEAR(sqrt(squares - sum * sum), sd, 0.065);
    }
}

/* One block: the second moment of the throw by throw model. */
static void spread_of_one_block(void **state)
{
    (void)state;
    double mean = occupancy_moment(64, 32, 4), square = occupancy_moment(64, 32, 8);
    NEAR(blm_rate_blocked_sd(64, 1, 4, 8), sqrt(square / (mean * mean) - 1), 1e-10);
}

/* ---- sizing ---------------------------------------------------------------------------------- */

static void best_hashes_is_the_lowest_of_all(void **state)
{
    (void)state;
    static const unsigned sizes[] = {32, 64, 512};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (unsigned blocks = 1; blocks < 3000; blocks = blocks * 7 + 1)
            for (uint64_t bits = 1; bits <= 64; bits = bits * 2 + 1) {
                uint64_t n = sizes[i] * blocks / bits + 1;
                unsigned best = 1;
                double lowest = blm_rate_blocked(sizes[i], blocks, 1, n);
                for (unsigned k = 2; k <= 64; k++) {
                    double rate = blm_rate_blocked(sizes[i], blocks, k, n);
                    if (rate < lowest) best = k;
                    lowest = fmin(lowest, rate);
                }
                if (lowest < 0.999) /* above, all k are 1 but for rounding */
                    assert_int_equal(blm_best_hashes_blocked(sizes[i], blocks, n), best);
            }
    assert_int_equal(blm_best_hashes_blocked(512, 10, 0), 0);
    assert_int_equal(blm_best_hashes_blocked(0, 10, 5), 0);
    assert_int_equal(blm_best_hashes_blocked(512, 0, 5), 0);
}

/* One block less misses the rate, whatever the hashes; so does one hash less at this size. */
static void size_is_the_smallest(void **state)
{
    (void)state;
    static const double rates[] = {0.9, 0.5, 0.01, 1e-3, 1e-6, 1e-15};
    static const uint64_t keys[] = {1, 20, 333, 10000, 1000000000};
    for (size_t i = 0; i < COUNT(keys); i++)
        for (size_t j = 0; j < COUNT(rates); j++) {
            uint64_t blocks = 0, n = keys[i];
            unsigned k = 0;
            assert_true(blm_size_blocked(n, rates[j], 512, 0, &blocks, &k));
            assert_true(blm_rate_blocked(512, blocks, k, n) <= rates[j]);
            if (k > 1) assert_true(blm_rate_blocked(512, blocks, k - 1, n) > rates[j]);
            for (unsigned other = 1; other <= 64 && blocks > 1; other++)
                assert_true(blm_rate_blocked(512, blocks - 1, other, n) > rates[j]);
        }
}

/* Bits a key at 512-bit blocks: 38.8 at 1e-6, where a standard filter takes 28.8. */
static void size_in_bits(void **state)
{
    (void)state;
    uint64_t blocks = 0;
    unsigned k = 0;
    assert_true(blm_size_blocked(1000000, 1e-6, 512, 0, &blocks, &k));
    WITHIN((double)blocks * 512 / 1e6, 38.8, 0.05);
    assert_true(blm_size_blocked((uint64_t)1 << 50, 0.01, 512, 0, &blocks, &k));
    assert_int_equal(k, 6);
    assert_true(blm_size_blocked((uint64_t)1 << 50, 1e-15, 512, 0, &blocks, &k));
    assert_true(blm_rate_blocked(512, blocks, k, (uint64_t)1 << 50) <= 1e-15);
}

static void size_with_given_hashes(void **state)
{
    (void)state;
    for (unsigned hashes = 1; hashes <= 64; hashes += 9) {
        uint64_t blocks = 0;
        unsigned k = 0;
        assert_true(blm_size_blocked(5000, 0.002, 256, hashes, &blocks, &k));
        assert_int_equal(k, hashes);
        assert_true(blm_rate_blocked(256, blocks, k, 5000) <= 0.002);
        assert_true(blm_rate_blocked(256, blocks - 1, k, 5000) > 0.002);
    }
}

static void refused(void **state)
{
    (void)state;
    uint64_t blocks = 77;
    unsigned k = 77;
    assert_false(blm_size_blocked(0, 0.01, 512, 0, &blocks, &k));
    assert_false(blm_size_blocked(10, 0, 512, 0, &blocks, &k));
    assert_false(blm_size_blocked(10, 1, 512, 0, &blocks, &k));
    assert_false(blm_size_blocked(10, -1, 512, 0, &blocks, &k));
    assert_false(blm_size_blocked(10, NAN, 512, 0, &blocks, &k));
    assert_false(blm_size_blocked(10, 0.01, 512, 65, &blocks, &k));
    assert_false(blm_size_blocked(10, 0.01, 0, 0, &blocks, &k));
    assert_false(blm_size_blocked(10, 0.01, 65537, 0, &blocks, &k));
    assert_false(
        blm_size_blocked((uint64_t)1 << 50, 1e-15, 32, 0, &blocks, &k)); /* past 2^60 bits */
    assert_false(blm_size_blocked(1000000000, 1e-15, 512, 1, &blocks, &k));
    assert_false(blm_size_blocked(UINT64_MAX, 0.01, 512, 0, &blocks, &k));
    assert_int_equal(blocks, 77);
    assert_int_equal(k, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_the_table),
        cmocka_unit_test(rate_equals_enumeration),
        cmocka_unit_test(one_block_is_standard),
        cmocka_unit_test(long_loads),
        cmocka_unit_test(edges),
        cmocka_unit_test(spread_equals_simulation),
        cmocka_unit_test(spread_of_one_block),
        cmocka_unit_test(best_hashes_is_the_lowest_of_all),
        cmocka_unit_test(size_is_the_smallest),
        cmocka_unit_test(size_in_bits),
        cmocka_unit_test(size_with_given_hashes),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

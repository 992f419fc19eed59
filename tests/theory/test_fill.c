/* test_fill.c - the number of ones, and what it says about the number of keys. */
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include "near.h"
#include "oracles.h"

static void means_and_spreads_of_the_table(void **state)
{
    (void)state;
    WITHIN(blm_fill_mean(10000, 7, 1000), 5034.32, 0.005);
    WITHIN(blm_fill_sd(10000, 7, 1000), 27.82, 0.005);
    WITHIN(blm_fill_azuma(7, 1000, 0.01), 136.2, 0.05);
    WITHIN(2.576 * blm_fill_sd(10000, 7, 1000), 71.7, 0.05); /* half of Azuma's */
    assert_true(isnan(blm_fill_azuma(7, 1000, 0)) && isnan(blm_fill_azuma(7, 1000, NAN)));
    assert_true(isnan(blm_fill_azuma(0, 1000, 0.1)) && blm_fill_azuma(7, 0, 0.1) == 0);
}

/* Against the model that throws one bit at a time. */
static void small_filters_by_model(void **state)
{
    (void)state;
    for (unsigned m = 1; m < 30; m++)
        for (unsigned k = 1; k < 5; k++)
            for (unsigned n = 1; n < 12; n += 2) {
                double mean = m * occupancy_moment(m, k * n, 1);
                double square = m * (double)m * occupancy_moment(m, k * n, 2);
                NEAR(blm_fill_mean(m, k, n), mean, 1e-13);
                WITHIN(blm_fill_sd(m, k, n) * blm_fill_sd(m, k, n), square - mean * mean, 1e-11);
            }
}

/* m q1 + m(m-1) q2 - m^2 q1^2 as it stands: at m = 10^4 it keeps 10 digits. */
static void spread_by_the_plain_formula(void **state)
{
    (void)state;
    for (long double m = 100; m < 20000; m *= 3)
        for (long double load = 0.05L; load < 3; load *= 2) {
            uint64_t n = (uint64_t)(m * load / 5);
            long double q1 = powl(1 - 1 / m, 5 * n), q2 = powl(1 - 2 / m, 5 * n);
            long double variance = m * q1 + m * (m - 1) * q2 - m * m * q1 * q1;
            NEAR(blm_fill_sd((uint64_t)m, 5, n), (double)sqrtl(variance), 1e-6);
        }
}

static void large_filters(void **state)
{
    (void)state;
    const uint64_t m = (uint64_t)1 << 50;
    /* 150 digits */
    NEAR(blm_fill_sd(m, 7, 1), 1.3657139822709027e-7, 1e-12);
    NEAR(blm_fill_sd(m, 10, (uint64_t)1 << 46), 8858060.7839326165, 1e-12);
    NEAR(blm_fill_sd((uint64_t)1 << 40, 3, 1000), 0.0020227115210352761, 1e-12);
    NEAR(blm_fill_sd_blocked(512, (uint64_t)1 << 40, 8, 3), 0.40071390497827724, 1e-10);
    NEAR(blm_fill_sd_blocked(512, (uint64_t)1 << 40, 8, (uint64_t)1 << 45), 5804016.3743217404,
         1e-10);
    NEAR(blm_fill_mean_blocked(512, (uint64_t)1 << 40, 8, (uint64_t)1 << 45), 220339060118835.07,
         1e-14);
    NEAR(blm_fill_sd_blocked(512, 1 << 20, 7, 51 << 20), 6631.5178257083815, 1e-10);
    NEAR(blm_fill_mean_blocked(512, 1 << 20, 7, 51 << 20), 268447852.46654387, 1e-14);
    NEAR(blm_fill_sd(m, 1, 2), sqrt(1 / (double)m), 1e-12); /* two keys, one bit with chance 1/m */
}

static void fill_edges(void **state)
{
    (void)state;
    assert_true(blm_fill_mean(10, 3, 0) == 0 && blm_fill_sd(10, 3, 0) == 0);
    assert_true(blm_fill_mean(1, 3, 0) == 0 && blm_fill_mean(1, 3, 1) == 1 &&
                blm_fill_sd(1, 3, 1) == 0);
    assert_true(blm_fill_mean(10, 3, UINT64_MAX) == 10 && blm_fill_sd(10, 3, UINT64_MAX) == 0);
    assert_true(blm_fill_mean_blocked(64, 3, 3, 0) == 0 && blm_fill_sd_blocked(64, 3, 3, 0) == 0);
    assert_true(blm_fill_mean_blocked(64, 3, 3, UINT64_MAX) == 192 &&
                blm_fill_sd_blocked(64, 3, 3, UINT64_MAX) == 0);
    assert_true(isnan(blm_fill_mean(0, 1, 1)) && isnan(blm_fill_sd(1, 0, 1)));
    assert_true(isnan(blm_fill_mean_blocked(0, 1, 1, 1)) &&
                isnan(blm_fill_sd_blocked(65537, 1, 1, 1)));
}

/* ---- tiny blocked filters: all states of at most 8 bits, all choices of a key ---------------- */

typedef struct tiny {
    unsigned block_bits, blocks, k, n;
} tiny;

static void tiny_states(const tiny *f, double *chance)
{
    unsigned bits = f->block_bits * f->blocks, choices = f->blocks;
    for (unsigned j = 0; j < f->k; j++) choices *= f->block_bits;
    for (unsigned s = 0; s < 256; s++) chance[s] = s == 0;
    for (unsigned key = 0; key < f->n; key++) {
        double next[256] = {0};
        for (unsigned s = 0; s < 1u << bits; s++)
            for (unsigned choice = 0; choice < choices; choice++) {
                unsigned set = s, rest = choice / f->blocks,
                         base = choice % f->blocks * f->block_bits;
                for (unsigned j = 0; j < f->k; j++, rest /= f->block_bits)
                    set |= 1u << (base + rest % f->block_bits);
                next[set] += chance[s] / choices;
            }
        memcpy(chance, next, sizeof next);
    }
}

static unsigned ones_in(unsigned set)
{
    unsigned ones = 0;
    for (; set; set &= set - 1) ones++;
    return ones;
}

static void tiny_blocked_by_all_states(void **state)
{
    (void)state;
    static const tiny row[] = {{4, 2, 2, 3}, {2, 4, 3, 5}, {2, 4, 1, 4}, {8, 1, 3, 2},
                               {1, 8, 4, 6}, {2, 3, 2, 1}, {4, 2, 3, 9}};
    for (size_t i = 0; i < COUNT(row); i++) {
        const tiny *f = &row[i];
        double chance[256], mean = 0, square = 0, rate = 0;
        tiny_states(f, chance);
        for (unsigned s = 0; s < 256; s++) {
            double ones = ones_in(s);
            mean += chance[s] * ones;
            square += chance[s] * ones * ones;
            for (unsigned b = 0; b < f->blocks; b++) {
                unsigned block = s >> (b * f->block_bits) & ((1u << f->block_bits) - 1);
                rate += chance[s] * pow((double)ones_in(block) / f->block_bits, f->k) / f->blocks;
            }
        }
        NEAR(blm_fill_mean_blocked(f->block_bits, f->blocks, f->k, f->n), mean, 1e-13);
        NEAR(blm_fill_sd_blocked(f->block_bits, f->blocks, f->k, f->n), sqrt(square - mean * mean),
             1e-10);
        NEAR(blm_rate_blocked(f->block_bits, f->blocks, f->k, f->n), rate, 1e-12);
    }
}

/* ---- estimates ------------------------------------------------------------------------------- */

static void keys_of_the_table(void **state)
{
    (void)state;
    ORACLE_NEAR("1.A11", "keys of 5034 ones, m=10000 k=7", 999.907724, 1e-9,
                blm_keys_from_fill(5034, 10000, 7));
    WITHIN(blm_keys_sd(10000, 7, 1000), 8.00, 0.005);
    WITHIN(blm_keys_sd(8000, 6, 1000), 9.03, 0.005);
    WITHIN(blm_keys_sd(100000, 7, 10000), 25.3, 0.05);
    WITHIN(blm_keys_sd(1048576, 10, 72682), 56.7, 0.05);
}

static void keys_invert_the_mean(void **state)
{
    (void)state; /* ones are whole: half a bit of 2^36 is 1e-9 of the keys here */
    const uint64_t m = (uint64_t)1 << 36;
    for (unsigned k = 1; k <= 16; k += 5)
        for (double load = 0.01; load < 4; load *= 3) {
            uint64_t n = (uint64_t)((double)m * load / k);
            uint64_t ones = (uint64_t)llround(blm_fill_mean(m, k, n));
            uint64_t blocked = (uint64_t)llround(blm_fill_mean_blocked(512, m / 512, k, n));
            NEAR(blm_keys_from_fill(ones, m, k), (double)n, 1e-6);
            NEAR(blm_keys_from_fill_blocked(blocked, 512, m / 512, k), (double)n, 1e-6);
        }
}

static void keys_edges(void **state)
{
    (void)state;
    assert_true(blm_keys_from_fill(0, 100, 3) == 0 && isinf(blm_keys_from_fill(100, 100, 3)));
    assert_true(blm_keys_from_fill(0, 1, 3) == 0 && isinf(blm_keys_from_fill(1, 1, 3)));
    assert_true(isnan(blm_keys_from_fill(101, 100, 3)) && isnan(blm_keys_from_fill(0, 0, 3)));
    assert_true(isinf(blm_keys_from_fill_blocked(640, 64, 10, 3)) &&
                blm_keys_from_fill_blocked(0, 64, 10, 3) == 0);
    assert_true(isnan(blm_keys_from_fill_blocked(641, 64, 10, 3)) &&
                isnan(blm_keys_from_fill_blocked(1, 64, 10, 0)));
    assert_true(blm_keys_sd(100, 3, 0) == 0 && isinf(blm_keys_sd(1, 3, 1)) &&
                isinf(blm_keys_sd(100, 3, UINT64_MAX)));
    for (uint64_t ones = 0; ones < 100; ones++)
        assert_true(blm_keys_from_fill(ones, 100, 3) < blm_keys_from_fill(ones + 1, 100, 3));
    /* one block is a standard filter */
    NEAR(blm_keys_from_fill_blocked(30, 64, 1, 3), blm_keys_from_fill(30, 64, 3), 1e-14);
    NEAR(blm_keys_sd_blocked(64, 1, 3, 9), blm_keys_sd(64, 3, 9), 1e-14);
    assert_true(isnan(blm_keys_sd(0, 3, 9)) && isnan(blm_keys_sd_blocked(64, 0, 3, 9)));
}

static void two_forms_of_common_agree(void **state)
{
    (void)state;
    for (uint64_t a = 100; a < 9000; a = a * 2 + 7)
        for (uint64_t b = 100; b < 9000; b = b * 3 + 1)
            for (uint64_t both = a * b / 10000 + 40; both < (a < b ? a : b); both = both * 2) {
                if (a + b - both >= 10000) continue;
                double by_or = blm_keys_common(a, b, a + b - both, 10000, 7);
                NEAR(blm_keys_common_and(a, b, both, 10000, 7), by_or, 1e-9);
                assert_true(by_or > 0);
            }
    assert_true(blm_keys_common(100, 100, 200, 10000, 7) < 0); /* less than chance shares */
    assert_true(isnan(blm_keys_common(60, 60, 100, 100, 3)) &&
                isnan(blm_keys_common_and(60, 60, 20, 100, 3)));
    assert_true(isnan(blm_keys_common(101, 1, 2, 100, 3)) &&
                isnan(blm_keys_common_and(101, 1, 2, 100, 3)));
    assert_true(isnan(blm_keys_common_blocked(9, 9, 64, 32, 2, 3)) &&
                isnan(blm_keys_common_blocked(9, 9, 9, 0, 2, 3)));
    NEAR(blm_keys_common_blocked(40, 50, 60, 64, 2, 3),
         blm_keys_from_fill_blocked(40, 64, 2, 3) + blm_keys_from_fill_blocked(50, 64, 2, 3) -
             blm_keys_from_fill_blocked(60, 64, 2, 3),
         1e-12);
}

static void inner_product(void **state)
{
    (void)state;
    WITHIN(blm_and_exact_chance(1000000, 5, 50, 50), 0.93941, 5e-6);
    assert_true(blm_and_exact_chance(1000, 5, 0, 50) == 1 &&
                isnan(blm_and_exact_chance(0, 5, 1, 1)));
    const double q = 1 - 1.0 / 4096; /* a power of two: q and its logarithm are clean */
    double want = 4096 * (1 - pow(q, 5 * 300) - pow(q, 5 * 200) + pow(q, 5 * 400));
    NEAR(blm_dot_mean(4096, 5, 300, 200, 100), want, 1e-12);
    NEAR(blm_dot_mean(4096, 5, 300, 300, 300), blm_fill_mean(4096, 5, 300), 1e-13);
    NEAR(blm_dot_mean((uint64_t)1 << 50, 5, 3, 2, 2), 10, 1e-12);
    assert_true(blm_dot_mean(100, 3, 0, 5, 0) == 0 && blm_dot_mean(1, 3, 2, 5, 1) == 1);
    assert_true(isnan(blm_dot_mean(100, 3, 2, 5, 3)) && isnan(blm_dot_mean(0, 3, 2, 5, 1)));
}

/* ---- what two filters share, against simulated pairs ----------------------------------------- */

enum { BITS = 8192, KEYS_A = 500, KEYS_B = 600, COMMON = 200, HASHES = 5, PAIRS = 2000 };

typedef struct pair {
    double a, b, common, dot, jaccard, a_in_b, b_in_a;
} pair;

/* Keys 0..499 are in A, keys 300..899 in B. */
static pair one_pair(uint64_t *seed, unsigned block_bits)
{
    static unsigned char cell[BITS]; /* bit 0: in A, bit 1: in B */
    unsigned blocks = BITS / block_bits, count[4] = {0};
    memset(cell, 0, sizeof cell);
    for (unsigned key = 0; key < KEYS_A + KEYS_B - COMMON; key++) {
        unsigned sides = (key < KEYS_A ? 1 : 0) | (key >= KEYS_A - COMMON ? 2 : 0);
        unsigned char *block = cell + block_bits * draw_below(seed, blocks);
        for (unsigned j = 0; j < HASHES; j++) {
            unsigned char *at = &block[draw_below(seed, block_bits)];
            *at = (unsigned char)(*at | sides);
        }
    }
    for (unsigned i = 0; i < BITS; i++) count[cell[i]]++;
    unsigned a = count[1] + count[3], b = count[2] + count[3], any = BITS - count[0];
    pair p = {.dot = count[3]};
    p.a = blm_keys_from_fill_blocked(a, block_bits, blocks, HASHES);
    p.b = blm_keys_from_fill_blocked(b, block_bits, blocks, HASHES);
    p.common = blm_keys_common_blocked(a, b, any, block_bits, blocks, HASHES);
    p.jaccard = p.common / blm_keys_from_fill_blocked(any, block_bits, blocks, HASHES);
    p.a_in_b = p.common / p.a;
    p.b_in_a = p.common / p.b;
    return p;
}

/* The bias of an estimate is below sd^2 / n, a twentieth of an sd here: it adds to the 4 standard
 * errors of a mean of 2000, which are 0.09 sd. The sd of a sample sd is 1/sqrt(4000) = 1.6 %. */
static void check_sample(double sum, double squares, double truth, double sd)
{
    double mean = sum / PAIRS;
    WITHIN(mean, truth, (0.05 + 4 / sqrt(PAIRS)) * sd);
    NEAR(sqrt(squares / PAIRS - mean * mean), sd, 0.064);
}

static void check_pairs(unsigned block_bits, const double *sd)
{
    enum { FIGURES = 6 };
    const double truth[FIGURES] = {KEYS_A,
                                   KEYS_B,
                                   COMMON,
                                   (double)COMMON / (KEYS_A + KEYS_B - COMMON),
                                   (double)COMMON / KEYS_A,
                                   (double)COMMON / KEYS_B};
    double sum[FIGURES] = {0}, squares[FIGURES] = {0}, dot = 0;
    uint64_t seed = block_bits;
    for (int i = 0; i < PAIRS; i++) {
        pair p = one_pair(&seed, block_bits);
        const double seen[FIGURES] = {p.a, p.b, p.common, p.jaccard, p.a_in_b, p.b_in_a};
        for (int j = 0; j < FIGURES; j++) {
            sum[j] += seen[j];
            squares[j] += seen[j] * seen[j];
        }
        dot += p.dot / PAIRS;
    }
    for (int j = 0; j < FIGURES; j++) check_sample(sum[j], squares[j], truth[j], sd[j]);
    if (block_bits ==
        BITS) /* sd of one dot is below sqrt(mean) = 28: 4 errors of the mean are 2.5 */
        WITHIN(blm_dot_mean(BITS, HASHES, KEYS_A, KEYS_B, COMMON), dot, 2.5);
}

static void pairs_equal_simulation(void **state)
{
    (void)state;
    const double standard[] = {blm_keys_sd(BITS, HASHES, KEYS_A),
                               blm_keys_sd(BITS, HASHES, KEYS_B),
                               blm_keys_common_sd(BITS, HASHES, KEYS_A, KEYS_B, COMMON),
                               blm_jaccard_sd(BITS, HASHES, KEYS_A, KEYS_B, COMMON),
                               blm_contained_sd(BITS, HASHES, KEYS_A, KEYS_B, COMMON),
                               blm_contained_sd(BITS, HASHES, KEYS_B, KEYS_A, COMMON)};
    const double blocked[] = {
        blm_keys_sd_blocked(64, BITS / 64, HASHES, KEYS_A),
        blm_keys_sd_blocked(64, BITS / 64, HASHES, KEYS_B),
        blm_keys_common_sd_blocked(64, BITS / 64, HASHES, KEYS_A, KEYS_B, COMMON),
        blm_jaccard_sd_blocked(64, BITS / 64, HASHES, KEYS_A, KEYS_B, COMMON),
        blm_contained_sd_blocked(64, BITS / 64, HASHES, KEYS_A, KEYS_B, COMMON),
        blm_contained_sd_blocked(64, BITS / 64, HASHES, KEYS_B, KEYS_A, COMMON)};
    check_pairs(BITS, standard);
    check_pairs(64, blocked);
}

static void pair_edges(void **state)
{
    (void)state;
    assert_true(isnan(blm_keys_common_sd(100, 3, 5, 6, 7)) &&
                isnan(blm_jaccard_sd(100, 3, 5, 6, 7)));
    assert_true(isnan(blm_keys_common_sd(0, 3, 5, 6, 1)) && isnan(blm_jaccard_sd(100, 0, 5, 6, 1)));
    assert_true(isnan(blm_keys_common_sd_blocked(0, 3, 5, 6, 1, 1)) &&
                isnan(blm_jaccard_sd_blocked(64, 0, 5, 6, 1, 1)));
    assert_true(blm_keys_common_sd(100, 3, 0, 0, 0) == 0 && blm_jaccard_sd(100, 3, 0, 0, 0) == 0);
    assert_true(isinf(blm_keys_common_sd(100, 3, UINT64_MAX, 5, 1)) &&
                isinf(blm_jaccard_sd(100, 3, UINT64_MAX, 5, 1)));
    /* equal sets: the estimate of what they share is that of either; Jaccard is 1 for sure */
    NEAR(blm_keys_common_sd(1000, 3, 100, 100, 100), blm_keys_sd(1000, 3, 100), 1e-10);
    WITHIN(blm_jaccard_sd(1000, 3, 100, 100, 100), 0, 1e-8);
    /* B inside A: the ratio is |B| / |A|, and the noise of B is part of that of A */
    NEAR(blm_jaccard_sd(1000, 3, 100, 50, 50), 0.5 * blm_keys_sd(1000, 3, 100) / 100, 1e-10);
}

/* Cases in which other numbers say the same. */
static void contained_edges(void **state)
{
    const double a = blm_keys_sd(1000, 3, 100), b = blm_keys_sd(1000, 3, 30);
    (void)state;
    /* all of A is in B, or both are equal: A has no bit that B lacks, and the share is 1 for sure */
    assert_true(blm_contained_sd(1000, 3, 100, 100, 100) == 0);
    assert_true(blm_contained_sd(1000, 3, 50, 100, 50) == 0);
    assert_true(blm_contained_sd_blocked(64, 500, 6, 777, 5001, 777) == 0);
    /* B inside A: the ratio B / A of two sizes, whose errors have the covariance Var B */
    NEAR(blm_contained_sd(1000, 3, 100, 30, 30), sqrt(b * b + 0.09 * a * a - 2 * 0.3 * b * b) / 100,
         1e-10);
    /* by the chances of two bits to be zeros, with 60 digits */
    NEAR(blm_contained_sd(9585, 7, 1000, 300, 300), 0.00284660442875026523, 1e-11);
    NEAR(blm_contained_sd(9585, 7, 1000, 1000, 960), 0.00243972369362980846, 1e-11);
    /* nothing in common: the size of A does not matter to a share of 0 */
    NEAR(blm_contained_sd(1000, 3, 100, 50, 0), blm_keys_common_sd(1000, 3, 100, 50, 0) / 100,
         1e-12);
    assert_true(blm_contained_sd(100, 3, 0, 5, 0) == 0);
    assert_true(isnan(blm_contained_sd(100, 3, 5, 6, 7)) &&
                isnan(blm_contained_sd(100, 3, 6, 5, 6)));
    assert_true(isnan(blm_contained_sd(0, 3, 5, 6, 1)) && isnan(blm_contained_sd(100, 0, 5, 6, 1)));
    assert_true(isnan(blm_contained_sd_blocked(0, 3, 5, 6, 1, 1)) &&
                isnan(blm_contained_sd_blocked(64, 0, 5, 6, 1, 1)));
    assert_true(isinf(blm_contained_sd(100, 3, UINT64_MAX, 5, 1)));
}

/* By all states: the variance of the zeros among those that there were, throw by throw, over the slope of the estimate. */
static void later_keys_by_model(void **state)
{
    enum { CELLS = 200, ONES = 80, KEYS = 25, K = 3 };
    const double leave = -K * log1p(-1.0 / CELLS);
    double chance[CELLS + 1] = {0}, mean = 0, square = 0;
    (void)state;
    chance[ONES] = 1;
    for (int t = 0; t < KEYS * K; t++)
        for (int i = CELLS; i > 0; i--)
            chance[i] = (chance[i] * i + chance[i - 1] * (CELLS - i + 1)) / CELLS;
    for (int i = ONES; i <= CELLS; i++) {
        mean += chance[i] * (CELLS - i);
        square += chance[i] * (CELLS - i) * (CELLS - i);
    }
    NEAR(blm_keys_later_sd(CELLS, K, ONES, KEYS), sqrt(square - mean * mean) / (mean * leave),
         1e-9);
    NEAR(blm_keys_later_sd(9585, 7, 4792, 100), 3.91814278317517313, 1e-11); /* with 60 digits */
    assert_true(blm_keys_later_sd(CELLS, K, 0, 25) == blm_keys_sd(CELLS, K, 25));
    NEAR(blm_keys_later_sd(1000000, 7, 1, 50000), blm_keys_sd(1000000, 7, 50000), 1e-4);
    assert_true(blm_keys_later_sd(CELLS, K, ONES, 0) == 0);
    assert_true(isinf(blm_keys_later_sd(CELLS, K, CELLS, 1)));
    assert_true(isnan(blm_keys_later_sd(CELLS, K, CELLS + 1, 1)) &&
                isnan(blm_keys_later_sd(0, 3, 0, 1)) && isnan(blm_keys_later_sd(100, 0, 0, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_and_spreads_of_the_table),
        cmocka_unit_test(small_filters_by_model),
        cmocka_unit_test(spread_by_the_plain_formula),
        cmocka_unit_test(large_filters),
        cmocka_unit_test(fill_edges),
        cmocka_unit_test(tiny_blocked_by_all_states),
        cmocka_unit_test(keys_of_the_table),
        cmocka_unit_test(keys_invert_the_mean),
        cmocka_unit_test(keys_edges),
        cmocka_unit_test(two_forms_of_common_agree),
        cmocka_unit_test(inner_product),
        cmocka_unit_test(pairs_equal_simulation),
        cmocka_unit_test(pair_edges),
        cmocka_unit_test(contained_edges),
        cmocka_unit_test(later_keys_by_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_word.c - rate, spread, size and estimates of filters whose keys read one to four words. */
#include <bloomery/theory/adaptive.h>
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include <bloomery/theory/words.h>
#include "near.h"
#include "oracles.h"

/* ---- figures of the literature --------------------------------------------------------------------- */

static const uint64_t many = 1 << 20; /* words: no other number matters any more */

/* The best Bloom-1, Bloom-2, Bloom-3 and standard filter, 64 bits per word, c bits per key. */
static void best_of_the_table(void **state)
{
    static const struct {
        unsigned c, k[3];
        double rate[3], standard;
        const char *what[4];
    } row[] = {{8,
                {4, 6, 6},
                {3.3541e-2, 2.4491e-2, 2.2424e-2},
                2.1577e-2,
                {"Bloom-1, c=8", "Bloom-2, c=8", "Bloom-3, c=8", "standard, c=8"}},
               {10,
                {5, 6, 6},
                {1.7844e-2, 1.0273e-2, 8.9904e-3},
                8.1937e-3,
                {"Bloom-1, c=10", "Bloom-2, c=10", "Bloom-3, c=10", "standard, c=10"}},
               {12,
                {5, 8, 9},
                {1.0352e-2, 4.7778e-3, 3.8327e-3},
                3.1424e-3,
                {"Bloom-1, c=12", "Bloom-2, c=12", "Bloom-3, c=12", "standard, c=12"}},
               {16,
                {6, 8, 9},
                {4.0523e-3, 1.1250e-3, 7.0327e-4},
                4.5871e-4,
                {"Bloom-1, c=16", "Bloom-2, c=16", "Bloom-3, c=16", "standard, c=16"}}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const uint64_t n = many * 64 / row[i].c;
        for (unsigned g = 1; g <= 3; g++) {
            const unsigned k = row[i].k[g - 1];
            assert_int_equal(blm_best_hashes_word(64, many, g, n), k);
            ORACLE_NEAR("1.A8", row[i].what[g - 1], row[i].rate[g - 1], 1e-3,
                        blm_rate_word(64, many, g, k, n));
        }
        ORACLE_NEAR("1.A8", row[i].what[3], row[i].standard, 1e-3,
                    blm_rate_exact(many * 64, blm_best_hashes(many * 64, n), n));
    }
}

/* N/M keys a word, as Reviriego et al. measured it three times at the best k (Table II): the model lies within
 * 4 % of each, and is what the literature computes. */
static void measured_by_others(void **state)
{
    static const struct {
        unsigned a_word, k;
        double model, measured[3];
        const char *what, *times[3];
    } row[] = {
        {8,
         4,
         3.3541e-2,
         {0.0331, 0.0328, 0.0330},
         "Bloom-1, 8 keys a word, k=4",
         {"Table II, 8 a word, 1st", "Table II, 8 a word, 2nd", "Table II, 8 a word, 3rd"}},
        {12,
         3,
         8.893e-2,
         {0.0894, 0.0893, 0.0885},
         "Bloom-1, 12 keys a word, k=3",
         {"Table II, 12 a word, 1st", "Table II, 12 a word, 2nd", "Table II, 12 a word, 3rd"}},
        {16,
         3,
         0.15649,
         {0.1557, 0.1533, 0.1553},
         "Bloom-1, 16 keys a word, k=3",
         {"Table II, 16 a word, 1st", "Table II, 16 a word, 2nd", "Table II, 16 a word, 3rd"}}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const double rate = blm_rate_word(64, many, 1, row[i].k, many * row[i].a_word);
        assert_int_equal(blm_best_hashes_word(64, many, 1, many * row[i].a_word), row[i].k);
        ORACLE_NEAR("1.A8", row[i].what, row[i].model, 1e-3, rate);
        for (size_t j = 0; j < 3; j++)
            ORACLE_NEAR("1.A8", row[i].times[j], row[i].measured[j], 0.04, rate);
    }
    const uint64_t n = many * 8;
    ORACLE_NEAR("1.A8", "8 bits a key, k=3", 0.03761, 1e-3, blm_rate_word(64, many, 1, 3, n));
    ORACLE_NEAR("1.A8", "8 bits a key, k=4", 0.03354, 1e-3, blm_rate_word(64, many, 1, 4, n));
    ORACLE_NEAR("1.A8", "8 bits a key, k=5", 0.03420, 1e-3, blm_rate_word(64, many, 1, 5, n));
}

/* The paper's (1 - (1 - 1/w)^(ik))^k at each load is too low: the page says 3.26 for 3.35 %. */
static void the_papers_formula_is_low(void **state)
{
    double weight = exp(-8), sum = 0;
    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        sum += weight * pow(1 - pow(63 / 64.0, 4.0 * i), 4);
        weight *= 8.0 / (i + 1);
    }
    WITHIN(sum, 0.0326, 5e-5);
    assert_true(sum < 0.98 * blm_rate_word(64, many, 1, 4, many * 8));
}

/* ---- another way to the same numbers: every outcome of small filters ------------------------------- */

typedef struct tiny {
    unsigned width, words, reads, k, n;
    unsigned load[3]; /* throws into each word, so far */
} tiny;

/* Given the throws into each word: a read meets each word alike, and its bits are asked one by one. Words have
 * their own ones, so the mean of a product over words goes over the ways of all reads. */
static double asked(const tiny *t, unsigned read, unsigned probes[3])
{
    double sum = 0;
    if (read == t->reads) {
        double all = 1;
        for (unsigned w = 0; w < t->words; w++)
            if (probes[w]) all *= occupancy_moment(t->width, t->load[w], probes[w]);
        return all;
    }
    const unsigned share = t->k / t->reads + (read < t->k % t->reads);
    for (unsigned w = 0; w < t->words; w++) {
        probes[w] += share;
        sum += asked(t, read + 1, probes) / t->words;
        probes[w] -= share;
    }
    return sum;
}

static double enumerated(tiny *t, unsigned thrown)
{
    double sum = 0;
    unsigned probes[3] = {0};
    if (thrown == t->reads * t->n) return asked(t, 0, probes);
    const unsigned read = thrown % t->reads, share = t->k / t->reads + (read < t->k % t->reads);
    for (unsigned w = 0; w < t->words; w++) {
        t->load[w] += share;
        sum += enumerated(t, thrown + 1) / t->words;
        t->load[w] -= share;
    }
    return sum;
}

static void rate_equals_enumeration(void **state)
{
    (void)state;
    for (unsigned words = 1; words <= 3; words++)
        for (unsigned reads = 1; reads <= 4; reads++)
            for (unsigned n = 1; n * reads <= 6; n++) {
                tiny t = {.width = 8, .words = words, .reads = reads, .k = 2 * reads, .n = n};
                NEAR(blm_rate_word(8, words, reads, t.k, n), enumerated(&t, 0), 1e-12);
                if (reads < 2) continue;
                t.k = 2 * reads - 1; /* does not come out even: from above */
                const double exact = enumerated(&t, 0), often = (reads - 1.0) / reads;
                const double rate = blm_rate_word(8, words, reads, t.k, n);
                assert_true(rate >= exact);
                assert_true(rate <= exact * (1 + reads * often * (1 - often) / n));
            }
}

/* Beyond 100 words the loads of two words are joined by their covariance alone: no step there, and the limit of
 * many words is the product. */
static void no_step_where_the_sum_ends(void **state)
{
    (void)state;
    for (unsigned reads = 2; reads <= 4; reads++) {
        const unsigned k = 2 * reads;
        const double a = blm_rate_word(64, 98, reads, k, 980),
                     b = blm_rate_word(64, 100, reads, k, 1000),
                     c = blm_rate_word(64, 102, reads, k, 1020),
                     e = blm_rate_word(64, 104, reads, k, 1040);
        WITHIN((c - b) / b, (b - a) / b, 1e-4);
        WITHIN((e - c) / b, (b - a) / b, 1e-4);
        NEAR(blm_rate_word(64, many, reads, k, many * 10),
             pow(blm_rate_blocked(64, many, 2, many * 10 * reads), reads), 1e-5);
    }
    assert_true(blm_rate_word(64, 1000, 1, 5, 6000) == blm_rate_blocked(64, 1000, 5, 6000));
}

/* ---- sizes, estimates, what has no answer ------------------------------------------------------------- */

/* The page's figures, and no word fewer keeps the rate, with this k or its neighbours. */
static void sizes_of_the_page(void **state)
{
    static const struct {
        double rate, bits[4];
    } row[] = {{1e-2, {12.1, 10.1, 9.8, 9.8}},
               {1e-3, {24.0, 16.4, 15.1, 14.9}},
               {1e-6, {169.7, 48.0, 36.4, 32.7}}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned g = 1; g <= 4; g++) {
            uint64_t words = 0;
            unsigned k = 0;
            assert_true(blm_size_word(1000000, row[i].rate, 64, g, 0, &words, &k));
            WITHIN((double)words * 64 / 1e6, row[i].bits[g - 1], 0.051);
            assert_int_equal(k % g, 0);
            assert_true(blm_rate_word(64, words, g, k, 1000000) <= row[i].rate);
            for (unsigned other = k > g ? k - g : k; other <= k + g; other += g)
                assert_true(blm_rate_word(64, words - 1, g, other, 1000000) > row[i].rate);
        }
    uint64_t words = 0;
    unsigned k = 0;
    assert_true(blm_size_word(1000000, 0.01, 32, 1, 0, &words, &k));
    WITHIN((double)words * 32 / 1e6, 14.7, 0.051);
    assert_true(blm_size_word(1000000, 0.001, 32, 1, 0, &words, &k));
    WITHIN((double)words * 32 / 1e6, 36.2, 0.051);
    assert_true(blm_size_word(1000, 0.01, 64, 2, 7, &words, &k) && k == 7);
    assert_true(blm_rate_word(64, words, 2, 7, 1000) <= 0.01);
    assert_true(blm_rate_word(64, words - 1, 2, 7, 1000) > 0.01);
}

/* Ones after n keys have the mean m (1 - e^(-leave n)), leave by the reads one by one. */
static void keys_of_the_fill(void **state)
{
    (void)state;
    for (unsigned reads = 1; reads <= 4; reads++) {
        const unsigned k = 6;
        const double n = 5000, words = 1000;
        double zero = 1;
        for (unsigned r = 0; r < reads; r++) {
            const unsigned share = k / reads + (r < k % reads);
            zero *= 1 - (1 - pow(63 / 64.0, share)) / words;
        }
        const uint64_t ones = (uint64_t)(64 * words * (1 - pow(zero, n)) + 0.5);
        NEAR(blm_keys_from_fill_word(ones, 64, 1000, reads, k), n, 1e-4);
        const double sd = blm_keys_sd_word(64, 1000, reads, k, 5000);
        assert_true(sd > 10 && sd < 60);
        assert_true(blm_keys_common_sd_word(64, 1000, reads, k, 5000, 5000, 2500) > 0);
        assert_true(blm_jaccard_sd_word(64, 1000, reads, k, 5000, 5000, 2500) > 0);
        assert_true(blm_contained_sd_word(64, 1000, reads, k, 5000, 7000, 5000) == 0);
        NEAR(blm_contained_sd_word(64, 1000, reads, k, 5000, 7000, 0),
             blm_keys_common_sd_word(64, 1000, reads, k, 5000, 7000, 0) / 5000, 1e-9);
    }
    assert_true(isinf(blm_keys_from_fill_word(640, 64, 10, 2, 4)));
    NEAR(blm_keys_sd_word(64, 1000, 1, 6, 5000), blm_keys_sd_blocked(64, 1000, 6, 5000), 1e-12);
    NEAR(blm_contained_sd_word(64, 1000, 1, 6, 5000, 4000, 999),
         blm_contained_sd_blocked(64, 1000, 6, 5000, 4000, 999), 1e-12);
}

/* ---- words in several versions ------------------------------------------------------------------ */

enum { SIM_WIDTH = 60, SIM_WORDS = 32, SIM_KEYS = 200, SIM_GROUPS = 8 };

/* Ones of all groups: each read of a key has one word, and bits of its own in every group. */
static unsigned ones_of_groups(uint64_t *seed, unsigned reads, unsigned k, unsigned groups)
{
    static unsigned char cell[SIM_GROUPS][SIM_WORDS * SIM_WIDTH];
    unsigned ones = 0;
    memset(cell, 0, sizeof cell);
    for (unsigned i = 0; i < SIM_KEYS * reads; i++) {
        const unsigned word = SIM_WIDTH * draw_below(seed, SIM_WORDS);
        for (unsigned g = 0; g < groups; g++)
            for (unsigned bits = k / reads + (i % reads < k % reads); bits; bits--) {
                unsigned char *at = &cell[g][word + draw_below(seed, SIM_WIDTH)];
                ones += !*at;
                *at = 1;
            }
    }
    return ones;
}

/* The sd of a sample sd of 2000 is 1.6 %: 4 sigma are 6.4 %. */
static void groups_equal_simulation(void **state)
{
    enum { FILTERS = 2000 };
    static const unsigned shapes[][3] = {{1, 4, 4}, {2, 5, 8}, {3, 3, 2}}; /* reads, k, groups */
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const unsigned reads = shapes[i][0], k = shapes[i][1], groups = shapes[i][2];
        double sum = 0, squares = 0;
        uint64_t seed = i + 1;
        for (int f = 0; f < FILTERS; f++) {
            const double ones = ones_of_groups(&seed, reads, k, groups) / (double)groups;
            /* ones are a mean: between two whole numbers the estimate is nearly straight */
            const double low = blm_keys_from_fill_word((uint64_t)ones, SIM_WIDTH, SIM_WORDS, reads,
                                                       k),
                         high = blm_keys_from_fill_word((uint64_t)ones + 1, SIM_WIDTH, SIM_WORDS,
                                                        reads, k);
            const double n = low + (high - low) * (ones - floor(ones));
            sum += n / FILTERS;
            squares += n * n / FILTERS;
        }
        NEAR(sqrt(squares - sum * sum),
             blm_keys_sd_groups(SIM_WIDTH, SIM_WORDS, reads, k, groups, SIM_KEYS), 0.064);
    }
}

static void groups_edges(void **state)
{
    (void)state;
    /* by the chances of two bits to be zeros, with 60 digits */
    NEAR(blm_keys_sd_groups(62, 192, 1, 6, 1, 1000), 8.48972081855910203, 1e-11);
    NEAR(blm_keys_sd_groups(62, 192, 1, 6, 4, 1000), 5.92170786182382195, 1e-11);
    NEAR(blm_keys_sd_groups(62, 192, 1, 6, 8, 1000), 5.37573263888167772, 1e-11);
    for (unsigned reads = 1; reads <= 4; reads++)
        NEAR(blm_keys_sd_groups(62, 100, reads, 6, 1, 500),
             blm_keys_sd_word(62, 100, reads, 6, 500), 1e-12);
    NEAR(blm_keys_sd_groups(62, 100, 9, 9, 1, 500), blm_keys_sd(6200, 9, 500), 1e-9);
    /* one word alone: its keys are known, and groups share nothing else */
    NEAR(blm_keys_sd_groups(62, 1, 1, 3, 4, 20), blm_keys_sd(62, 3, 20) / 2, 1e-12);
    assert_true(blm_keys_sd_groups(62, 100, 1, 6, 4, 0) == 0);
    assert_true(isinf(blm_keys_sd_groups(1, 1, 1, 1, 4, 1)));
    assert_true(isnan(blm_keys_sd_groups(0, 9, 1, 6, 4, 1)) &&
                isnan(blm_keys_sd_groups(62, 0, 1, 6, 4, 1)));
    assert_true(isnan(blm_keys_sd_groups(62, 9, 0, 6, 4, 1)) &&
                isnan(blm_keys_sd_groups(62, 9, 7, 6, 4, 1)));
    assert_true(isnan(blm_keys_sd_groups(62, 9, 1, 0, 4, 1)) &&
                isnan(blm_keys_sd_groups(62, 9, 1, 6, 0, 1)));
}

static void no_answer(void **state)
{
    uint64_t words = 7;
    unsigned k = 7;
    (void)state;
    assert_true(isnan(blm_rate_word(64, 10, 5, 6, 3)) && isnan(blm_rate_word(64, 10, 0, 6, 3)));
    assert_true(isnan(blm_rate_word(64, 10, 4, 3, 3)) && isnan(blm_rate_word(128, 10, 2, 6, 3)));
    assert_true(isnan(blm_rate_word(64, 0, 2, 6, 3)) && isnan(blm_rate_word(64, 10, 2, 65, 3)));
    assert_true(isnan(blm_rate_word_sd(64, 0, 2, 6, 3)) && isnan(blm_keys_sd_word(64, 0, 2, 6, 3)));
    assert_true(isnan(blm_keys_from_fill_word(3, 64, 0, 2, 6)));
    assert_true(isnan(blm_keys_common_sd_word(64, 0, 2, 6, 3, 3, 3)));
    assert_true(isnan(blm_jaccard_sd_word(64, 10, 2, 6, 3, 3, 4)));
    assert_true(isnan(blm_jaccard_sd_word(64, 0, 2, 6, 3, 3, 3)));
    assert_true(isnan(blm_contained_sd_word(64, 10, 2, 6, 3, 3, 4)));
    assert_true(isnan(blm_contained_sd_word(64, 0, 2, 6, 3, 3, 3)));
    assert_true(blm_rate_word(64, 10, 2, 6, 0) == 0 && blm_rate_word_sd(64, 10, 2, 6, 0) == 0);
    assert_true(blm_rate_word(64, 10, 2, 6, 1000000) == 1);
    assert_int_equal(blm_best_hashes_word(64, 10, 2, 0), 0);
    assert_int_equal(blm_best_hashes_word(64, 10, 5, 9), 0);
    assert_false(blm_size_word(0, 0.01, 64, 2, 0, &words, &k));
    assert_false(blm_size_word(10, 1, 64, 2, 0, &words, &k));
    assert_false(blm_size_word(10, 0.01, 64, 3, 2, &words, &k));
    assert_false(blm_size_word(UINT64_C(1) << 56, 1e-30, 64, 2, 0, &words, &k));
    assert_true(words == 7 && k == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_of_the_table),
        cmocka_unit_test(measured_by_others),
        cmocka_unit_test(the_papers_formula_is_low),
        cmocka_unit_test(rate_equals_enumeration),
        cmocka_unit_test(no_step_where_the_sum_ends),
        cmocka_unit_test(sizes_of_the_page),
        cmocka_unit_test(keys_of_the_fill),
        cmocka_unit_test(groups_equal_simulation),
        cmocka_unit_test(groups_edges),
        cmocka_unit_test(no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

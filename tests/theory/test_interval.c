/* test_interval.c - binomial intervals. */
#include "near.h"

/* Textbook values at 95 %, and 40-digit sums. */
static void known_intervals(void **state)
{
    (void)state;
    NEAR(blm_binomial_low(5, 10, 0.95), 0.1870860, 1e-6);
    NEAR(blm_binomial_high(5, 10, 0.95), 0.8129140, 1e-6);
    NEAR(blm_binomial_low(1, 10, 0.95), 0.002528579, 1e-6);
    NEAR(blm_binomial_high(1, 10, 0.95), 0.4450161, 1e-6);
    NEAR(blm_binomial_low(8201, 1000000, 0.99), 0.007970533089917704, 1e-10);
    NEAR(blm_binomial_high(8201, 1000000, 0.99), 0.008436159477283016, 1e-10);
    NEAR(blm_binomial_low(1000000, 1000000000, 0.99), 0.0009974273325075408, 1e-9);
    NEAR(blm_binomial_high(1000000, 1000000000, 0.99), 0.0010025774158626457, 1e-9);
}

/* P(at least / at most `hits` in `trials`), term by term from the largest one out. */
static double sum_of_terms(unsigned hits, unsigned trials, double x, bool at_least)
{
    double log_term = hits * log(x) + (trials - hits) * log1p(-x);
    for (unsigned i = 1; i <= hits; i++) log_term += log((double)(trials - hits + i) / i);
    double term = exp(log_term), sum = 0, odds = x / (1 - x);
    for (unsigned i = hits;; i += at_least ? 1u : UINT32_MAX) {
        sum += term;
        if (at_least ? i == trials : i == 0) return sum;
        term *=
            at_least ? (double)(trials - i) / (i + 1) * odds : (double)i / (trials - i + 1) / odds;
    }
}

/* What the interval claims: at its ends the chance of such a count is half of 1 - confidence. */
static void ends_have_half_the_rest(void **state)
{
    (void)state;
    static const double confidence[] = {0.5, 0.9, 0.99, 0.999999};
    for (unsigned trials = 1; trials < 12000; trials = trials * 4 + 3)
        for (unsigned hits = 0; hits <= trials; hits = hits * 2 + 1)
            for (size_t c = 0; c < COUNT(confidence); c++) {
                double low = blm_binomial_low(hits, trials, confidence[c]);
                double high = blm_binomial_high(hits, trials, confidence[c]),
                       rest = (1 - confidence[c]) / 2;
                assert_true(low < high && low <= (double)hits / trials &&
                            high >= (double)hits / trials);
                if (hits > 0) NEAR(sum_of_terms(hits, trials, low, true), rest, 1e-8);
                if (hits < trials) NEAR(sum_of_terms(hits, trials, high, false), rest, 1e-8);
            }
}

static void mirrored(void **state)
{
    (void)state;
    for (uint64_t hits = 0; hits <= 50; hits++)
        NEAR(1 - blm_binomial_low(hits, 50, 0.99), blm_binomial_high(50 - hits, 50, 0.99), 1e-12);
}

static void interval_edges(void **state)
{
    (void)state;
    assert_true(blm_binomial_low(0, 10, 0.99) == 0 && blm_binomial_high(10, 10, 0.99) == 1);
    assert_true(blm_binomial_low(0, 0, 0.99) == 0 && blm_binomial_high(0, 0, 0.99) == 1);
    NEAR(blm_binomial_high(0, 1000, 0.99), 1 - pow(0.005, 1.0 / 1000), 1e-12);
    NEAR(blm_binomial_high(0, UINT64_C(1000000000000), 0.99), 5.298317366548e-12,
         1e-9); /* ln 200 / n */
    /* half of 10^12: the normal distribution, 2.5758 sd of 5e-7 */
    NEAR(blm_binomial_high(UINT64_C(500000000000), UINT64_C(1000000000000), 0.99),
         0.5 + 2.5758293035489 * 5e-7, 1e-11);
    NEAR(blm_binomial_low(UINT64_C(500000000000), UINT64_C(1000000000000), 0.99),
         0.5 - 2.5758293035489 * 5e-7, 1e-11);
    assert_true(isnan(blm_binomial_low(11, 10, 0.99)) && isnan(blm_binomial_high(11, 10, 0.99)));
    assert_true(isnan(blm_binomial_low(1, 10, 0)) && isnan(blm_binomial_low(1, 10, 1)));
    assert_true(isnan(blm_binomial_high(1, 10, NAN)) && isnan(blm_binomial_high(1, 10, -1)));
}

/* 99 % intervals of a count: p Q -+ 2.576 sd. */
static void counts(void **state)
{
    (void)state;
    static const struct {
        double p;
        uint64_t trials;
        double low, high;
    } row[] = {{0.00820096, 1000000, 7969, 8433},
               {0.0215945, 1000000, 21221, 21968},
               {0.0100399, 1000000, 9784, 10296},
               {0.000459307, 10000000, 4419, 4767}};
    for (size_t i = 0; i < COUNT(row); i++) {
        double mean = row[i].p * (double)row[i].trials,
               sd = blm_binomial_sd(row[i].trials, row[i].p);
        WITHIN(mean - 2.576 * sd, row[i].low, 1); /* printed as whole counts */
        WITHIN(mean + 2.576 * sd, row[i].high, 1);
    }
    assert_true(blm_binomial_sd(100, 0) == 0 && blm_binomial_sd(100, 1) == 0 &&
                isnan(blm_binomial_sd(1, 1.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_intervals), cmocka_unit_test(ends_have_half_the_rest),
        cmocka_unit_test(mirrored),        cmocka_unit_test(interval_edges),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

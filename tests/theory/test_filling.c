/* test_filling.c - ones after adds that throw some bits anywhere and set some zeros, against brute force. */
#include "near.h"
#include "theory/theory_internal.h"

static double to_the(double fill, const void *power) { return pow(fill, *(const unsigned *)power); }

static blm_rate over(uint64_t m, unsigned throws, unsigned sets, uint64_t n, unsigned power)
{
    const blm_theory_filling f = {m, throws, sets, n};
    return blm_theory_over_fill(&f, to_the, &power);
}

/* E[fill^power] by following all places of all throws, each as likely: m^(throws n) ways, and zeros from below. */
static double all_ways(unsigned m, unsigned set, unsigned left, unsigned throws, unsigned sets,
                       unsigned n, unsigned power)
{
    double sum = 0;
    if (left == 0) { /* the sets of this add: which zero does not matter */
        unsigned ones = 0;
        for (unsigned b = 0, more = sets; b < m && more; b++)
            if (!(set >> b & 1)) set |= 1u << b, more--;
        if (n > 1) return all_ways(m, set, throws, throws, sets, n - 1, power);
        for (unsigned b = 0; b < m; b++) ones += set >> b & 1;
        return pow((double)ones / m, power);
    }
    for (unsigned b = 0; b < m; b++)
        sum += all_ways(m, set | 1u << b, left - 1, throws, sets, n, power) / m;
    return sum;
}

static void few_bits_are_exact(void **state)
{
    (void)state;
    for (unsigned m = 1; m <= 6; m++)
        for (unsigned throws = 1; throws <= 2; throws++)
            for (unsigned sets = 0; sets <= 2; sets++)
                for (unsigned n = 1; n <= 3; n++)
                    for (unsigned power = 1; power <= 3; power++) {
                        const double want = all_ways(m, 0, throws, throws, sets, n, power),
                                     square = all_ways(m, 0, throws, throws, sets, n, 2 * power),
                                     variance = fmax(0, square / want / want - 1);
                        const blm_rate got = over(m, throws, sets, n, power);
                        NEAR(got.high, want, 1e-13);
                        assert_true(got.low == got.high);
                        WITHIN(got.spread * got.spread, variance, 1e-12);
                    }
}

/* Throws alone fill a standard filter, whose exact rate is known at any size. */
static void throws_alone_are_a_standard_filter(void **state)
{
    static const struct {
        uint64_t m, n;
        unsigned k;
        double error, spread;
    } at[] = {
        {100, 10, 7, 1e-12, 0.1},          {9600, 20, 7, 1e-12, 0.1},
        {9600, 1000, 7, 1e-5, 1e-2},       {2400, 150, 11, 1e-4, 2e-2},
        {9592957, 1000000, 7, 1e-9, 1e-3}, {UINT64_C(1) << 40, UINT64_C(1) << 38, 3, 1e-9, 1e-3}};
    (void)state;
    for (size_t i = 0; i < COUNT(at); i++) {
        const blm_rate got = over(at[i].m, at[i].k, 0, at[i].n, at[i].k);
        NEAR(got.high, blm_rate_exact(at[i].m, at[i].k, at[i].n), at[i].error);
        NEAR(got.spread, blm_rate_sd(at[i].m, at[i].k, at[i].n), at[i].spread);
    }
}

/* 1000 filters of 3000 bits, 200 adds of 3 throws and 1 set: past what is computed exactly. */
static void throws_and_sets_as_simulated(void **state)
{
    enum { BITS = 3000, ADDS = 200, FILTERS = 1000, POWER = 8 };
    double sum = 0, squares = 0, ones_sum = 0;
    uint64_t random = 1;
    (void)state;
    for (unsigned i = 0; i < FILTERS; i++) {
        uint8_t bit[BITS] = {0};
        unsigned ones = 0;
        for (unsigned add = 0; add < ADDS; add++) {
            for (unsigned t = 0; t < 3; t++) {
                const unsigned b = draw_below(&random, BITS);
                ones += !bit[b];
                bit[b] = 1;
            }
            unsigned b = draw_below(&random, BITS);
            while (bit[b]) b = draw_below(&random, BITS);
            bit[b] = 1;
            ones++;
        }
        const double p = pow((double)ones / BITS, POWER);
        sum += p / FILTERS;
        squares += p * p / FILTERS;
        ones_sum += (double)ones / FILTERS / BITS;
    }
    const double sd = sqrt(squares - sum * sum);
    const blm_rate got = over(BITS, 3, 1, ADDS, POWER);
    const blm_theory_filling f = {BITS, 3, 1, ADDS};
    WITHIN(got.high, sum, 4 * sd / sqrt(FILTERS));
    NEAR(got.spread, sd / sum, 4 / sqrt(2.0 * FILTERS)); /* 4 sigma of a standard deviation */
    WITHIN(blm_theory_filled(&f), ones_sum, 4 * got.spread / POWER * ones_sum / sqrt(FILTERS));
}

static void ends(void **state)
{
    (void)state;
    assert_true(over(100, 3, 1, 0, 2).high == 0);
    assert_true(over(1, 3, 1, 5, 2).high == 1 && over(1, 3, 1, 5000, 2).high == 1);
    assert_true(over(64, 3, 1, UINT64_C(1) << 56, 9).high == 1);
    assert_true(over(64, 3, 1, 500, 9).spread < 1e-3);
    const blm_theory_filling none = {100, 3, 1, 0}, full = {100, 1, 2, 60};
    assert_true(blm_theory_filled(&none) == 0 && blm_theory_filled(&full) == 1);
    const blm_theory_filling flows = {1 << 20, 3, 0, 145600};
    NEAR(blm_theory_filled(&flows), 1 - exp(-3 * 145600.0 / (1 << 20)), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bits_are_exact),
        cmocka_unit_test(throws_alone_are_a_standard_filter),
        cmocka_unit_test(throws_and_sets_as_simulated),
        cmocka_unit_test(ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

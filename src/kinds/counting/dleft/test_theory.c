/* test_theory.c - fingerprints: rates, the smallest tables, and how full buckets get. */
#include <bloomery/theory/counters.h>
#include <bloomery/theory/dleft.h>
#include "theory/near.h"
#include "oracles.h"

/* Two keys of two fingerprints: both the same with a chance of 1/2. */
static void rates_by_hand(void **state)
{
    (void)state;
    NEAR(blm_rate_prints(2, 2), 0.75, 1e-15);
    NEAR(blm_rate_prints(4, 3), 37 / 64.0, 1e-15);
    NEAR(blm_rate_prints(UINT64_C(1) << 60, 1), 0x1p-60, 1e-15);
    assert_true(blm_rate_prints(100, 0) == 0 && blm_rate_prints_sd(100, 0) == 0);
    NEAR(blm_rate_prints_sd(2, 2), 1 / 3.0, 1e-12); /* 1/2 or 1, mean 3/4 */
    assert_true(isnan(blm_rate_prints(0, 1)));
}

/* Every number of bits less than the plan's, tried one by one, breaks the promise or has no room. */
static void sizes_are_the_smallest(void **state)
{
    static const double rates[] = {0.4, 0.011, 0.01, 0.001, 1e-6};
    (void)state;
    for (uint64_t n = 1; n < 2000; n = n * 3 + 1)
        for (size_t i = 0; i < COUNT(rates); i++) {
            uint64_t b = 0;
            unsigned r = 0;
            assert_true(blm_size_dleft(n, rates[i], 4, 8, 2, &b, &r));
            const double range = ldexp((double)b, (int)r);
            assert_true(1 - pow(1 - 1 / range, (double)n) <= rates[i] * (1 + 1e-9));
            assert_true(24 * b >= n);
            for (unsigned s = 1; s <= 55; s++) { /* the most buckets that are smaller in all */
                const double fewer = ceil((double)(b * (r + 2)) / (s + 2)) - 1;
                const double missed = -expm1((double)n * log1p(-1 / ldexp(fewer, (int)s)));
                assert_true(fewer < 1 || 24 * fewer < (double)n || missed > rates[i]);
            }
        }
}

static void sizes_that_are_not(void **state)
{
    uint64_t b = 7;
    unsigned r = 7;
    (void)state;
    assert_false(blm_size_dleft(0, 0.01, 4, 8, 2, &b, &r));
    assert_false(blm_size_dleft(1, 0, 4, 8, 2, &b, &r) || blm_size_dleft(1, 1, 4, 8, 2, &b, &r));
    assert_false(blm_size_dleft(1, (double)NAN, 4, 8, 2, &b, &r));
    assert_false(blm_size_dleft(1, 0.01, 0, 8, 2, &b, &r));
    assert_false(blm_size_dleft(1, 0.01, 9, 8, 2, &b, &r));
    assert_false(blm_size_dleft(1, 0.01, 4, 2, 2, &b, &r));
    assert_false(blm_size_dleft(1, 0.01, 4, 8, 57, &b, &r));
    assert_false(blm_size_dleft(1000000000, 1e-11, 4, 8, 2, &b, &r)); /* 10^20 fingerprints */
    assert_false(blm_fit_dleft(95, 1, 4, 8, 2, &b, &r) || blm_fit_dleft(9600, 0, 4, 8, 2, &b, &r));
    assert_true(b == 7 && r == 7);
    assert_true(blm_fit_dleft(96, 24, 4, 8, 2, &b, &r) && b == 1 && r == 1);
    assert_true(blm_fit_dleft(4 * 8 * 14 * 42 + 5, 1008, 4, 8, 2, &b, &r) && b == 42 && r == 12);
    assert_false(blm_fit_dleft(4 * 8 * 3 * 42, 1009, 4, 8, 2, &b, &r));
}

static double share(unsigned tables, double load, unsigned cells)
{
    return blm_dleft_load(tables, load, cells) - blm_dleft_load(tables, load, cells + 1);
}

/* The figures of the literature are of a coarser step; 256000 steps give 0.122471, 0.746372, 0.128281,
 * 1.2732e-10 and 2.46e-138. */
static void loads_of_large_tables(void **state)
{
    (void)state;
    ORACLE_NEAR("1.B3", "the limit of large tables: 5 of 8 at load 6", 0.1224, 1e-3,
                share(4, 6, 5));
    ORACLE_NEAR("1.B3", "the limit of large tables: 6 of 8 at load 6", 0.7464, 1e-3,
                share(4, 6, 6));
    ORACLE_NEAR("1.B3", "the limit of large tables: 7 of 8 at load 6", 0.1283, 1e-3,
                share(4, 6, 7));
    ORACLE_NEAR("1.B3", "the limit of large tables: 8 and more at load 6", 1.26e-10, 0.02,
                blm_dleft_load(4, 6, 8));
    ORACLE_BETWEEN("1.B3", "the limit of large tables: log10 of 9 and more", -138, -139, -137,
                   log10(blm_dleft_load(4, 6, 9)));
    NEAR(share(4, 6, 5), 0.122471, 1e-5);
    NEAR(blm_dleft_load(4, 6, 8), 1.2732e-10, 1e-4);
    assert_true(blm_dleft_load(4, 6, 0) == 1 && blm_dleft_load(4, 0, 1) == 0);
    /* One table: keys fall anywhere, a Poisson load. */
    for (unsigned i = 0; i < 12; i++)
        NEAR(blm_dleft_load(1, 3, i), i ? blm_counter_tail(3, i) : 1, 1e-6);
    double sum = 0; /* the mean of the loads is the load */
    for (unsigned i = 1; i < 60; i++) sum += blm_dleft_load(4, 14, i);
    NEAR(sum, 14, 1e-6);
    assert_true(isnan(blm_dleft_load(0, 6, 1)) && isnan(blm_dleft_load(9, 6, 1)));
    assert_true(isnan(blm_dleft_load(4, 6, 64)) && isnan(blm_dleft_load(4, 33, 1)));
    assert_true(isnan(blm_dleft_load(4, -1, 1)) && isnan(blm_dleft_load(4, (double)NAN, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_by_hand),
        cmocka_unit_test(sizes_are_the_smallest),
        cmocka_unit_test(sizes_that_are_not),
        cmocka_unit_test(loads_of_large_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

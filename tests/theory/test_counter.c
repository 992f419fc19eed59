/* test_counter.c - heights of counters, and thresholds. */
#include <bloomery/theory/counters.h>
#include "near.h"
#include "oracles.h"

static const double ln2 = 0.69314718055994531;

static void tails_of_the_table(void **state)
{
    (void)state;
    ORACLE_NEAR("1.B1", "P(a counter >= 16) at lambda = ln 2", 7.0728e-17, 1e-4,
                blm_counter_tail(ln2, 16));
    ORACLE_NEAR("1.B1", "P(a counter >= 15) at lambda = ln 2", 1.6369e-15, 1e-4,
                blm_counter_tail(ln2, 15));
    ORACLE_NEAR("1.B1", "P(a counter >= 8) at lambda = ln 2", 7.1543e-7, 1e-4,
                blm_counter_tail(ln2, 8));
    NEAR(blm_counter_tail(ln2, 7), 8.342e-6, 1e-4);
    ORACLE_NEAR("1.B1", "P(a counter >= 4) at lambda = ln 2", 5.5611e-3, 1e-4,
                blm_counter_tail(ln2, 4));
    NEAR(blm_counter_tail(ln2, 3), 0.03331, 2e-4);
    ORACLE_NEAR("1.B1", "tight bound of that tail at 16", 7.07354e-17, 1e-5,
                blm_counter_bound(ln2, 16));
    ORACLE_NEAR("1.B1", "(e ln 2 / 16)^16", 1.36773e-15, 1e-5, blm_counter_union_bound(16));
}

/* 40-digit incomplete gamma functions: near the mean, far above, far below. */
static void tails_far_and_near(void **state)
{
    (void)state;
    NEAR(blm_counter_tail(ln2, 1), 0.5, 1e-14);
    NEAR(blm_counter_tail(5, 3), 0.8753479805169189, 1e-13);
    NEAR(blm_counter_tail(5, 6), 0.38403934516693705, 1e-13);
    NEAR(blm_counter_tail(1000, 900), 0.9993774022157249, 1e-12);
    NEAR(blm_counter_tail(1000, 1100), 0.0009626304058665563, 1e-12);
    NEAR(blm_counter_tail(1e6, 1005000), 2.9340340480316054e-07, 1e-11);
    NEAR(blm_counter_tail(ln2, 100), 6.523835779046e-175, 1e-11);
    NEAR(blm_counter_tail(1e-9, 2), 4.999999996666667e-19, 1e-13);
}

static void bounds_hold(void **state)
{
    (void)state;
    for (double lambda = 0.05; lambda < 20; lambda *= 1.7)
        for (uint64_t j = 1; j < 40; j++) {
            double tail = blm_counter_tail(lambda, j);
            assert_true(tail <= blm_counter_bound(lambda, j) * (1 + 1e-13));
            assert_true(blm_counter_tail(lambda, j + 1) < tail || tail == 1);
            if (lambda <= ln2) assert_true(tail <= blm_counter_union_bound(j));
        }
}

static void counter_edges(void **state)
{
    (void)state;
    assert_true(blm_counter_tail(3, 0) == 1 && blm_counter_tail(0, 0) == 1 &&
                blm_counter_tail(0, 1) == 0);
    assert_true(blm_counter_bound(3, 0) == 1 && blm_counter_bound(0, 1) == 0 &&
                blm_counter_bound(9, 2) == 1);
    assert_true(isnan(blm_counter_tail(-1, 2)) && isnan(blm_counter_tail(NAN, 2)) &&
                isnan(blm_counter_tail(INFINITY, 2)));
    assert_true(isnan(blm_counter_bound(-1, 2)) && blm_counter_union_bound(0) == 1);
}

static void widths(void **state)
{
    (void)state;
    assert_int_equal(blm_counter_width(UINT64_C(10000000000), ln2, 1e-6), 4); /* 7.07e-7 expected */
    assert_int_equal(blm_counter_width(UINT64_C(20000000000), ln2, 1e-6), 5);
    assert_int_equal(blm_counter_width(1000, ln2, 1e-6), 4);
    assert_int_equal(blm_counter_width(1, ln2, 1e-6), 3); /* 7.15e-7 at 8 */
    assert_int_equal(blm_counter_width(1, ln2, 0.2), 1);  /* 0.153 at 2 */
    assert_int_equal(blm_counter_width(1000, 1000, 1e-6),
                     11); /* 2048 is 33 sd above, 1024 is 0.8 */
    assert_int_equal(blm_counter_width(1000, 0, 1e-6), 1);
    assert_int_equal(blm_counter_width(1, 1e12, 1e-6), 0);
    assert_int_equal(blm_counter_width(0, ln2, 1e-6), 0);
    assert_int_equal(blm_counter_width(10, ln2, 0), 0);
    assert_int_equal(blm_counter_width(10, -1, 1e-6), 0);
    assert_int_equal(blm_counter_width(10, NAN, 1e-6), 0);
}

/* ---- thresholds ------------------------------------------------------------------------------ */

static void thresholds_of_the_table(void **state)
{
    (void)state;
    /* The best lambda by 50-digit root finding: five digits; then the tail there. */
    static const struct {
        unsigned theta;
        double lambda, tail;
    } row[] = {{1, 0.69315, 0.5},     {2, 0.93264, 0.23948}, {3, 1.16352, 0.11270},
               {4, 1.38932, 0.05253}, {5, 1.61173, 0.02433}, {6, 1.83168, 0.01123},
               {8, 2.26639, 0},       {10, 2.69627, 0},      {15, 3.75815, 0},
               {20, 4.80902, 0},      {30, 6.89311, 0},      {1000, 204.52598, 0}};
    static const double base[] = {0.618503, 0.263683, 0.078867, 0.016681, 0.002506};
    for (size_t i = 0; i < COUNT(row); i++) {
        double lambda = blm_threshold_lambda(row[i].theta);
        NEAR(lambda, row[i].lambda, 1e-5);
        if (row[i].tail > 0) WITHIN(blm_counter_tail(lambda, row[i].theta), row[i].tail, 6e-6);
    }
    for (unsigned theta = 1; theta <= 5; theta++)
        WITHIN(blm_threshold_base(theta), base[theta - 1], 6e-7);
    ORACLE_NEAR("1.B2", "best lambda of threshold 2", 0.93264, 1e-4, blm_threshold_lambda(2));
    ORACLE_NEAR("1.B2", "best lambda of threshold 3", 1.16352, 1e-4, blm_threshold_lambda(3));
    ORACLE_NEAR("1.B2", "best lambda of threshold 5", 1.61173, 1e-4, blm_threshold_lambda(5));
    assert_true(isnan(blm_threshold_lambda(0)) && isnan(blm_threshold_base(0)));
}

/* 1 - sum over l < theta of C(kn, l) m^-l (1 - 1/m)^(kn - l), to the k. */
static double plain_threshold(double m, unsigned k, unsigned n, unsigned theta)
{
    double throws = (double)k * n, term = pow(1 - 1 / m, throws), below = 0;
    for (unsigned l = 0; l < theta; l++) {
        below += term;
        term *= (throws - l) / ((l + 1) * (m - 1));
    }
    return pow(1 - below, k);
}

static void threshold_rates(void **state)
{
    (void)state;
    for (unsigned theta = 1; theta < 8; theta++)
        for (unsigned k = 1; k < 20; k += 3)
            NEAR(blm_threshold_rate(1000, k, 400, theta), plain_threshold(1000, k, 400, theta),
                 1e-7);
    NEAR(blm_threshold_rate(10000, 7, 1000, 1), blm_rate_classic(10000, 7, 1000), 1e-12);
    /* 50-digit sums */
    NEAR(blm_threshold_rate(10000, 9, 1000, 2), 1.6334443388386376e-6, 1e-12);
    NEAR(blm_threshold_rate(10000, 16, 1000, 5), 9.7461739922997951e-27, 1e-12);
    NEAR(blm_threshold_rate((uint64_t)1 << 50, 9, (uint64_t)1 << 46, 3), 4.215986137262705e-16,
         1e-12);
    NEAR(blm_threshold_rate(100, 5, 1000, 30), 0.99563364082445589, 1e-12);
    assert_true(blm_threshold_rate(100, 5, 10, 0) == 1 && blm_threshold_rate(100, 5, 0, 1) == 0);
    assert_true(blm_threshold_rate(100, 5, 1, 6) == 0 && blm_threshold_rate(1, 5, 1, 5) == 1);
    assert_true(isnan(blm_threshold_rate(0, 5, 1, 1)) && isnan(blm_threshold_rate(10, 0, 1, 1)));
}

static void threshold_hashes(void **state)
{
    (void)state;
    for (unsigned theta = 1; theta <= 9; theta += 2)
        for (uint64_t m = 500; m < 20000; m *= 3) {
            unsigned best = 1;
            for (unsigned k = 2; k <= 64; k++)
                if (blm_threshold_rate(m, k, 1000, theta) <
                    blm_threshold_rate(m, best, 1000, theta))
                    best = k;
            assert_int_equal(blm_threshold_best_hashes(m, 1000, theta), best);
        }
    /* lambda* m / n = 9.33 for theta = 2 at 10 counters per key; the best rate is base^10 there */
    assert_int_equal(blm_threshold_best_hashes(1000000, 100000, 2), 9);
    NEAR(blm_threshold_rate(1000000, 9, 100000, 2), pow(0.263683, 10), 0.01);
    assert_int_equal(blm_threshold_best_hashes(0, 10, 1), 0);
    assert_int_equal(blm_threshold_best_hashes(10, 0, 1), 0);
    assert_int_equal(blm_threshold_best_hashes(10, 10, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_of_the_table),
        cmocka_unit_test(tails_far_and_near),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(counter_edges),
        cmocka_unit_test(widths),
        cmocka_unit_test(thresholds_of_the_table),
        cmocka_unit_test(threshold_rates),
        cmocka_unit_test(threshold_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_theory.c - sketches, heavy flows and icebergs in numbers. */
#include <bloomery/theory/sketch.h>
#include "theory/near.h"
#include "oracles.h"

static void sketches(void **state)
{
    uint64_t w = 0;
    unsigned d = 0;
    (void)state;
    assert_true(blm_sketch_size(0.01, 0.01, &w, &d));
    ORACLE_NEAR("1.B11", "columns for eps 0.01", 272, 0, (double)w);
    ORACLE_NEAR("1.B11", "rows for delta 0.01", 5, 0, d);
    ORACLE_NEAR("1.B11", "counters for eps, delta 0.01", 1360, 0, (double)w * d);
    static const struct {
        double eps, delta;
        uint64_t w;
        unsigned d;
    } table[] = {{0.001, 0.001, 2719, 7}, {0.9, 0.9, 4, 1}, {1e-6, 1e-27, 2718282, 63}};
    for (size_t i = 0; i < COUNT(table); i++) {
        assert_true(blm_sketch_size(table[i].eps, table[i].delta, &w, &d));
        assert_int_equal(w, table[i].w);
        assert_int_equal(d, table[i].d);
    }
    const double bad[] = {0, 1, -0.1, 1.5, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(blm_sketch_size(bad[i], 0.5, &w, &d));
        assert_false(blm_sketch_size(0.5, bad[i], &w, &d));
    }
    assert_false(blm_sketch_size(1e-16, 0.5, &w, &d) || blm_sketch_size(0.5, 1e-28, &w, &d));
    assert_true(w == 2718282 && d == 63); /* written on success only */
    NEAR(blm_sketch_excess(272, 1e6), 2.718281828459045 * 1e6 / 272, 1e-15);
    NEAR(blm_sketch_doubt(5), 0.006737946999085467, 1e-14);
    assert_true(isnan(blm_sketch_excess(0, 1)) && isnan(blm_sketch_excess(5, -1)));
    assert_true(isnan(blm_sketch_doubt(0)));
}

/* 100 MB in 100,000 flows, a flow is heavy from 1 MB on, 4 rows of 1000: the example of Estan and Varghese. */
static void the_example_of_the_paper(void **state)
{
    const double total = 1e8, heavy = 1e6, size = 1e5;
    (void)state;
    ORACLE_NEAR("1.B13", "columns that others can fill", 111, 0,
                blm_flow_columns(size, heavy, total));
    ORACLE_NEAR("1.B13", "a flow of 100 kB passes", 1.51807e-4, 1e-4,
                blm_flow_pass(1000, 4, size, heavy, total));
    ORACLE_NEAR("1.B13", "the same, as the paper rounds it", 1.52e-4, 5e-3,
                blm_flow_pass_bound(1000, 4, size, heavy, total));
    ORACLE_NEAR("1.B13", "flows that pass", 121.15, 1e-4,
                blm_flows_passing(1000, 4, 100000, heavy, total));
    NEAR(blm_flow_pass_bound(1000, 4, size, heavy, total), pow(0.1 / 0.9, 4), 1e-12);
    assert_true(blm_flow_columns(size, heavy, 1.0005e8) == 111); /* whole ones */
    NEAR(blm_flow_pass(1000, 4, 0, heavy, total), 1e-4, 1e-12);  /* (1/K)^4, K = 10 */
}

static void edges_of_passing(void **state)
{
    (void)state;
    assert_true(blm_flow_pass(1000, 4, 1e6, 1e6, 1e8) == 1); /* heavy flows pass */
    assert_true(blm_flow_pass_bound(1000, 4, 2e6, 1e6, 1e8) == 1);
    assert_true(blm_flow_pass(1000, 4, 999999, 1e6, 1e8) == 1); /* more columns than there are */
    assert_true(isinf(blm_flow_columns(5, 5, 10)) && isnan(blm_flow_columns(11, 20, 10)));
    /* K <= 1: the columns may all pass. */
    assert_true(isnan(blm_flow_pass(100, 4, 1, 1e6, 1e8)));
    assert_true(isnan(blm_flow_pass_bound(100, 4, 1, 1e6, 1e8)));
    assert_true(isnan(blm_flows_passing(100, 4, 1000, 1e6, 1e8)));
    assert_true(blm_flows_passing(101, 4, 1000, 1e6, 1e8) <= 1000);
    assert_true(isnan(blm_flows_passing(1000, 4, 0, 1e6, 1e8)));
    assert_true(isnan(blm_flow_pass(0, 4, 1, 1, 1)) && isnan(blm_flow_pass(4, 0, 1, 1, 1)));
    assert_true(blm_flows_passing(1000, 4, 50, 1e6, 1e8) ==
                50);                 /* few flows: all of them, at most */
    for (unsigned d = 1; d < 8; d++) /* a row more lets fewer pass */
        assert_true(blm_flow_pass(1000, d + 1, 1e5, 1e6, 1e8) <
                    blm_flow_pass(1000, d, 1e5, 1e6, 1e8));
}

static void stochastic_fair_blue(void **state)
{
    (void)state;
    ORACLE_NEAR("1.B13", "Stochastic Fair Blue, 23 bins, 2 levels, 10 flows", 0.12879, 1e-4,
                blm_blue_mistaken(23, 2, 10));
    NEAR(blm_blue_mistaken(4, 3, 1), 1 / 64.0, 1e-14);
    assert_true(blm_blue_mistaken(4, 3, 0) == 0 && isnan(blm_blue_mistaken(0, 3, 1)));
}

/* By its own sum: heavy + light (P(Binomial(insertions - count, 1/w) >= theta - count))^d. */
static void candidates(void **state)
{
    (void)state;
    for (unsigned theta = 2; theta <= 6; theta++)
        for (unsigned count = 0; count < theta; count++) {
            const double w = 700, n = 1500 - count;
            double less = 0, term = pow(1 - 1 / w, n);
            for (unsigned i = 0; i < theta - count; i++) {
                less += term;
                term *= (n - i) / (i + 1) / (w - 1);
            }
            NEAR(blm_iceberg_candidates(700, 3, 1500, 40, 900, count, theta),
                 40 + 900 * pow(1 - less, 3), 1e-9);
        }
    assert_true(isnan(blm_iceberg_candidates(700, 3, 1500, 40, 900, 0, 0)));
    assert_true(isnan(blm_iceberg_candidates(700, 3, 1500, 40, 900, 5, 5)));
    assert_true(isnan(blm_iceberg_candidates(0, 3, 1500, 40, 900, 0, 2)));
    assert_true(isnan(blm_iceberg_candidates(7, 3, 2, 40, 900, 3, 5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketches),         cmocka_unit_test(the_example_of_the_paper),
        cmocka_unit_test(edges_of_passing), cmocka_unit_test(stochastic_fair_blue),
        cmocka_unit_test(candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_streams.c - the least error of any filter of a stream: the table of the literature, edges, and small numbers. */
#include <bloomery/theory/streams.h>
#include "theory/near.h"
#include "oracles.h"

static void the_table(void **state)
{
    static const struct {
        double letters, bits, window, bound, limit; /* limit: of many letters */
    } rows[] = {
        {1000000, 100000, 100000, 0, 0},
        {1000000, 100000, 200000, 0.4750208, 0.5},
        {1000000, 100000, 1000000, 0.849454984, 0.9},
        {1000000, 100000, 10000000, 0.904833052, 0.99},
        {4294967296, 1048576, 1048576, 0, 0},
        {4294967296, 1048576, 2097152, 0.499938965, 0.5},
        {4294967296, 1048576, 16777216, 0.937385494, 0.9375},
        {4294967296, 1048576, 4294967296, 0.999613822, 0.999755859},
        {0x1p64, 1048576, 16777216, 0.9375, 0.9375},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char what[120];
        const double m = rows[i].bits, w = rows[i].window;
        snprintf(what, sizeof what, "FP + FN at least: L=%.10g m=%g w=%.10g", rows[i].letters, m,
                 w);
        ORACLE_NEAR("2.C8", what, rows[i].bound, 2e-9, blm_sliding_bound(rows[i].letters, m, w));
        NEAR(blm_sliding_bound(INFINITY, m, w), rows[i].limit, 1e-9);
    }
}

/* By powers of whole numbers: 4 letters, 2 bits, the last 3 arrivals: 1 - (7/16) / (37/64). */
static void small_numbers(void **state)
{
    (void)state;
    NEAR(blm_sliding_bound(4, 2, 3), 9 / 37.0, 1e-15);
    NEAR(blm_sliding_bound(2, 1, 2), 1 / 3.0, 1e-15);
    assert_true(blm_sliding_bound(10, 5, 5) == 0);
    /* Where 1 - (1 - 1/L)^n loses all digits without expm1. */
    NEAR(blm_sliding_bound(0x1p100, 1, 4), 0.75, 1e-15);
    for (double w = 11; w < 1e6; w *= 1.5) /* longer windows are harder, more bits help */
        assert_true(blm_sliding_bound(1e9, 10, w * 1.5) > blm_sliding_bound(1e9, 10, w) &&
                    blm_sliding_bound(1e9, 11, w) < blm_sliding_bound(1e9, 10, w));
}

static void illegal_input(void **state)
{
    const double bad[] = {-1, 0, 0.5, (double)NAN};
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_true(isnan(blm_sliding_bound(bad[i], 5, 10)));
        assert_true(isnan(blm_sliding_bound(10, bad[i], 10)));
        assert_true(isnan(blm_sliding_bound(10, 5, bad[i])));
    }
    assert_true(isnan(blm_sliding_bound(1, 5, 10)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),
        cmocka_unit_test(small_numbers),
        cmocka_unit_test(illegal_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

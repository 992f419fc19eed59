/* test_theory.c - what groups that choose their functions save, and what that costs. */
#include <bloomery/theory/choices.h>
#include "theory/near.h"

/* Fills of a simulation of its own (splitmix64 positions, 3 to 60 seeds, no code of the library): between the ends that
 * theory knows, and those are near each other. */
static void simulated_fills(void **state)
{
    static const struct {
        uint64_t m, n, group;
        unsigned k, library, passes;
        double fill;
    } row[] = {{160000, 10000, 64, 11, 22, 1, 0.47683}, {160000, 10000, 64, 11, 22, 2, 0.47016},
               {160000, 10000, 8, 11, 22, 1, 0.44310},  {160000, 10000, 8, 11, 22, 2, 0.42289},
               {160000, 10000, 8, 11, 22, 3, 0.41856},  {80000, 10000, 8, 6, 12, 1, 0.47023},
               {80000, 10000, 8, 6, 12, 2, 0.45035},    {80000, 10000, 64, 6, 12, 3, 0.49720},
               {96000, 10000, 64, 7, 14, 2, 0.48944},   {96000, 10000, 64, 7, 14, 4, 0.48658},
               {288000, 10000, 64, 20, 40, 2, 0.47240}, {288000, 10000, 64, 20, 40, 3, 0.47061},
               {96000, 10000, 64, 7, 28, 1, 0.48299},   {96000, 10000, 64, 7, 8, 1, 0.51228},
               {96000, 15000, 64, 7, 14, 1, 0.63684},   {96000, 30000, 64, 7, 14, 2, 0.83965},
               {96000, 5000, 64, 7, 14, 1, 0.29558},    {10000, 1000, 64, 7, 14, 1, 0.48180},
               {5000, 520, 64, 7, 14, 1, 0.49000},      {300000, 10000, 256, 20, 40, 1, 0.47593}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const uint64_t groups = (row[i].n + row[i].group - 1) / row[i].group;
        const double low = blm_fill_pick(row[i].m, row[i].k, row[i].library, groups, row[i].passes,
                                         row[i].n, false),
                     high = blm_fill_pick(row[i].m, row[i].k, row[i].library, groups, row[i].passes,
                                          row[i].n, true);
        if (!(low <= row[i].fill && row[i].fill <= high))
            fail_msg("row %zu: %g is not in %g .. %g", i, row[i].fill, low, high);
        assert_true(high < 1.025 * low);
        assert_true(high < -expm1(-(double)row[i].k * (double)row[i].n / (double)row[i].m));
        const double rate = blm_rate_pick(row[i].m, row[i].k, row[i].library, groups, row[i].passes,
                                          row[i].n, true);
        assert_true(rate >= pow(high, row[i].k) && rate < pow(high, row[i].k) * 1.01);
    }
}

/* No choice, or hardly a group: what one array of k functions does. */
static void where_nothing_is_chosen(void **state)
{
    (void)state;
    assert_true(blm_rate_pick(96000, 7, 7, 157, 2, 10000, true) == blm_rate_exact(96000, 7, 10000));
    assert_true(blm_rate_pick(4000, 7, 14, 7, 2, 400, true) == blm_rate_exact(4000, 7, 400));
    assert_true(blm_rate_pick(4000, 7, 14, 7, 2, 400, false) < blm_rate_exact(4000, 7, 400));
    assert_true(blm_rate_pick(96000, 7, 14, 157, 2, 0, true) == 0);
    NEAR(blm_rate_pick(1000, 7, 14, 157, 2, 1000000, true), 1, 1e-12);
    assert_true(isnan(blm_rate_pick(1000, 7, 6, 9, 2, 100, true)));
    assert_true(isnan(blm_rate_pick(1000, 7, 65, 9, 2, 100, true)));
    assert_true(isnan(blm_rate_pick(0, 7, 9, 9, 2, 100, true)));
    assert_true(isnan(blm_fill_pick(1000, 7, 9, 0, 2, 100, true)));
    assert_true(isnan(blm_fill_pick(1000, 7, 9, 9, 0, 100, true)));
}

static void ways_to_choose(void **state)
{
    uint64_t row[65] = {1}; /* Pascal's triangle */
    (void)state;
    for (unsigned n = 0; n <= 64; n++) {
        for (unsigned k = n; k > 0; k--) row[k] += row[k - 1];
        if (n == 0) row[0] = 1;
        for (unsigned k = 0; k <= n; k++) {
            const bool fits = row[k] <= UINT64_C(1) << 57;
            assert_true(blm_picks(n, k) == (fits ? row[k] : 0));
            if (fits) {
                const unsigned w = blm_pick_width(n, k);
                assert_true(row[k] <= UINT64_C(1) << w && (!w || row[k] > UINT64_C(1) << (w - 1)));
            }
        }
    }
    assert_int_equal(blm_picks(22, 11), 705432);
    assert_int_equal(blm_pick_width(22, 11), 20);
    assert_int_equal(blm_picks(3, 4), 0);
    assert_int_equal(blm_picks(65, 1), 0);
}

/* Bits a key with the table, of the page; one bit less breaks the promise, and so does another k. */
static void sizes_of_the_page(void **state)
{
    static const struct {
        double rate, bits, gain;
    } row[] = {{1e-2, 9.02, 0.76}, {1e-3, 13.54, 0.67}, {1e-6, 27.03, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        blm_pick_plan p = {.groups = 15625, .passes = 2};
        assert_true(blm_size_pick(1000000, row[i].rate, 0, 0, 0, &p));
        assert_int_equal(p.library, 2 * p.k);
        const double table = 15625.0 * blm_pick_width(p.library, p.k), all = (double)p.m + table;
        WITHIN(all / 1e6, row[i].bits, 0.006);
        assert_true(blm_rate_pick(p.m, p.k, p.library, 15625, 2, 1000000, true) <= row[i].rate);
        assert_true(blm_rate_pick(p.m - 1, p.k, p.library, 15625, 2, 1000000, true) > row[i].rate);
        for (unsigned k = p.k - 1; k <= p.k + 1; k++) {
            blm_pick_plan other = {.groups = 15625, .passes = 2};
            assert_true(blm_size_pick(1000000, row[i].rate, 0, k, 0, &other) && other.k == k);
            assert_true((double)other.m + 15625.0 * blm_pick_width(2 * k, k) >= all - 64);
        }
        const uint64_t equal = (uint64_t)all;
        if (row[i].gain > 0)
            WITHIN(row[i].rate / blm_rate_exact(equal, blm_best_hashes(equal, 1000000), 1000000),
                   row[i].gain, 0.01);
        blm_pick_plan back = {.groups = 15625, .passes = 2}; /* from these bits */
        assert_true(blm_size_pick(1000000, 0, equal + 64, 0, 0, &back));
        assert_true(blm_rate_pick(back.m, back.k, back.library, 15625, 2, 1000000, true) <=
                    row[i].rate);
    }
}

static void plans_that_are_none(void **state)
{
    const blm_pick_plan blank = {.groups = 100, .passes = 2};
    blm_pick_plan p = blank;
    (void)state;
    assert_false(blm_size_pick(0, 0.01, 0, 0, 0, &p));
    assert_false(blm_size_pick(1000, 1, 0, 0, 0, &p));
    assert_false(blm_size_pick(1000, 0.01, 0, 65, 0, &p));
    assert_false(blm_size_pick(1000, 0.01, 0, 30, 64, &p));
    assert_false(blm_size_pick(1000, 0.01, 0, 7, 6, &p));
    assert_false(blm_size_pick(1000, 0, 100, 7, 14, &p)); /* the table has 1200 bits */
    assert_false(blm_size_pick(0, 0, 100000, 0, 0, &p));
    assert_true(memcmp(&p, &blank, sizeof p) == 0);
    assert_true(blm_size_pick(0, 0, 100000, 7, 0, &p) && p.k == 7 && p.m == 100000 - 1216);
    assert_true(blm_size_pick(1000, 1e-12, 0, 0, 0, &p) && p.k > 30 && p.library < 2 * p.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulated_fills),     cmocka_unit_test(where_nothing_is_chosen),
        cmocka_unit_test(ways_to_choose),      cmocka_unit_test(sizes_of_the_page),
        cmocka_unit_test(plans_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

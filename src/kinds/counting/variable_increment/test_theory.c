/* test_theory.c - rates of sums of increments: the figures of the literature, and small filters played out. */
#include <bloomery/theory/counters.h>
#include <bloomery/theory/increments.h>
#include "theory/near.h"
#include "oracles.h"

static const blm_increments vi4 = {4, 0}, vi8 = {8, 0};

/* So many keys that the rate is the formula's. */
static double rate_at(double counters_a_key, unsigned k, blm_increments v)
{
    const uint64_t n = 1000000000;
    return blm_rate_increment_approx((uint64_t)(counters_a_key * (double)n), k, n, v);
}

static double best_rate_at(double counters_a_key, blm_increments v)
{
    double best = 1;
    for (unsigned k = 1; k <= 20; k++) best = fmin(best, rate_at(counters_a_key, k, v));
    return best;
}

static void rates_of_the_paper(void **state)
{
    (void)state;
    ORACLE_NEAR("1.B5", "L=4, 4 counters a key, k=4", 1.1500e-2, 5e-5, rate_at(4, 4, vi4));
    ORACLE_NEAR("1.B5", "L=4, 6 counters a key, k=7", 1.2090e-3, 5e-5, rate_at(6, 7, vi4));
    ORACLE_NEAR("1.B5", "L=4, 8 counters a key, k=9", 1.2783e-4, 5e-5, rate_at(8, 9, vi4));
    ORACLE_NEAR("1.B5", "L=4, 10 counters a key, k=11", 1.3588e-5, 5e-5, rate_at(10, 11, vi4));
    ORACLE_NEAR("1.B5", "L=8, 4 counters a key", 6.1508e-3, 5e-5, rate_at(4, 4, vi8));
    ORACLE_NEAR("1.B5", "L=8, 6 counters a key, k=6", 4.8239e-4, 5e-5, rate_at(6, 6, vi8));
    ORACLE_NEAR("1.B5", "L=8, 8 counters a key", 3.7278e-5, 5e-5, rate_at(8, 9, vi8));
    ORACLE_NEAR("1.B5", "L=8, 10 counters a key", 2.8951e-6, 5e-5, rate_at(10, 11, vi8));
    /* Each is the best k. */
    NEAR(best_rate_at(8, vi4), 1.2783e-4, 5e-5);
    NEAR(best_rate_at(6, vi8), 4.8239e-4, 5e-5);
    assert_int_equal(blm_best_hashes_increment(8000000, 1000000, vi4), 9);
    assert_int_equal(blm_best_hashes_increment(10000000, 1000000, vi8), 11);
}

/* L = 1 is counting: no increment betrays anything. */
static void rates_of_counting(void **state)
{
    static const double want[] = {0.1469, 0.0561, 0.0216, 0.00819};
    static const char *const name[] = {"counting, 4 counters a key", "counting, 6 counters a key",
                                       "counting, 8 counters a key", "counting, 10 counters a key"};
    const blm_increments one = {1, 0};
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        ORACLE_NEAR("1.B5", name[i], want[i], 3e-3, best_rate_at(4 + 2 * i, one));
    for (unsigned m = 5; m < 60; m += 7)
        for (unsigned k = 1; k < 8; k += 2) {
            NEAR(blm_rate_increment(m, k, 9, one), blm_rate_exact(m, k, 9), 1e-10);
            NEAR(blm_rate_increment_approx(m, k, 9, one), blm_rate_approx(m, k, 9), 1e-13);
        }
}

static void rates_of_decoded_pairs(void **state)
{
    (void)state;
    const blm_increments s3 = {3, 2}, s4 = {4, 2}, s6 = {6, 2};
    ORACLE_NEAR("1.B5", "B_2, 3 values, 4 cells a key, k=5", 7.44e-3, 1e-3, rate_at(4, 5, s3));
    ORACLE_NEAR("1.B5", "B_2, 3 values, 6 cells a key, k=8", 6.29e-4, 1e-3, rate_at(6, 8, s3));
    ORACLE_NEAR("1.B5", "B_2, 4 values, 4 cells a key", 3.24e-3, 2e-3, best_rate_at(4, s4));
    ORACLE_NEAR("1.B5", "B_2, 4 values, 6 cells a key", 1.83e-4, 2e-3, best_rate_at(6, s4));
    ORACLE_NEAR("1.B5", "B_2, 6 values, 4 cells a key", 1.15e-3, 3e-3, best_rate_at(4, s6));
    ORACLE_NEAR("1.B5", "B_2, 6 values, 6 cells a key", 3.87e-5, 2e-3, best_rate_at(6, s6));
}

static void best_loads(void **state)
{
    const blm_increments s3 = {3, 2}, one = {1, 0};
    (void)state;
    ORACLE_BETWEEN("1.B5", "best load, L=4", 1.1, 1.0, 1.15, blm_increment_lambda(vi4));
    ORACLE_BETWEEN("1.B5", "best load, L=8", 1.1, 1.0, 1.15, blm_increment_lambda(vi8));
    ORACLE_BETWEEN("1.B5", "best load, B_2", 1.35, 1.3, 1.4, blm_increment_lambda(s3));
    NEAR(blm_increment_lambda(one), log(2), 1e-6);
}

static double overflow(unsigned l, unsigned bits)
{
    uint16_t value[16];
    for (unsigned i = 0; i < l; i++) value[i] = (uint16_t)(l + i);
    return blm_increment_tail(1, value, l, UINT64_C(1) << bits);
}

static void sums_that_overflow(void **state)
{
    static const uint16_t one[] = {1};
    (void)state;
    ORACLE_NEAR("1.B5", "overflow of 5 bits, L=4", 6.10e-4, 1e-3, overflow(4, 5));
    ORACLE_NEAR("1.B5", "overflow of 6 bits, L=4", 3.29e-9, 1e-3, overflow(4, 6));
    ORACLE_NEAR("1.B5", "overflow of 6 bits, L=8", 8.91e-4, 1e-3, overflow(8, 6));
    ORACLE_NEAR("1.B5", "overflow of 7 bits, L=8", 9.25e-9, 1e-3, overflow(8, 7));
    ORACLE_NEAR("1.B5", "overflow of 4 bits, L=2", 2.54e-4, 2e-3, overflow(2, 4));
    ORACLE_NEAR("1.B5", "overflow of 5 bits, L=2", 2.49e-10, 1e-3, overflow(2, 5));
    for (uint64_t j = 0; j < 20; j++)
        NEAR(blm_increment_tail(0.7, one, 1, j), blm_counter_tail(0.7, j), 1e-12);
    assert_true(isnan(blm_increment_tail(-1, one, 1, 3)) &&
                isnan(blm_increment_tail(1, one, 0, 3)));
}

/* ---- small filters, played out ----------------------------------------------------------------------- */

static bool passes(unsigned sum, unsigned v, unsigned l) { return sum == v || sum >= v + l; }

/* Every way of throwing one key's k increments into m cells: (m l)^k of them. */
static void every_way(unsigned m, unsigned k, unsigned l, double *mean, double *square)
{
    unsigned ways = 1;
    for (unsigned i = 0; i < k; i++) ways *= m * l;
    *mean = *square = 0;
    for (unsigned w = 0; w < ways; w++) {
        unsigned sum[8] = {0}, pass = 0, rest = w;
        for (unsigned i = 0; i < k; i++, rest /= m * l) sum[rest % m] += l + rest / m % l;
        for (unsigned c = 0; c < m; c++)
            for (unsigned v = l; v < 2 * l; v++) pass += passes(sum[c], v, l);
        const double rate = pow(pass / (double)(m * l), k);
        *mean += rate / ways;
        *square += rate * rate / ways;
    }
}

static void one_key_in_every_way(void **state)
{
    static const struct {
        unsigned m, k, l;
    } row[] = {{2, 3, 2}, {3, 3, 4}, {5, 4, 2}, {4, 4, 4},
               {7, 3, 4}, {1, 4, 4}, {6, 5, 2}, {3, 2, 16}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const blm_increments v = {row[i].l, 0};
        double mean, square;
        every_way(row[i].m, row[i].k, row[i].l, &mean, &square);
        NEAR(blm_rate_increment(row[i].m, row[i].k, 1, v), mean, 1e-9);
        WITHIN(blm_rate_increment_sd(row[i].m, row[i].k, 1, v),
               sqrt(fmax(0, square / (mean * mean) - 1)), 1e-4);
    }
}

/* Where the circle ends and the two moments begin: as far above the formula here as there. */
static void no_step_between_small_and_large(void **state)
{
    (void)state;
    for (unsigned k = 3; k <= 15; k += 6) {
        const uint64_t edge = 2000 * (uint64_t)k * k, n = edge / (2 * k), next = edge + 1;
        NEAR(blm_rate_increment(edge, k, n, vi4) / blm_rate_increment_approx(edge, k, n, vi4),
             blm_rate_increment(next, k, n, vi4) / blm_rate_increment_approx(next, k, n, vi4),
             1e-7);
        NEAR(blm_rate_increment_sd(edge, k, n, vi4), blm_rate_increment_sd(next, k, n, vi4), 1e-2);
    }
}

static void sizes_are_the_smallest(void **state)
{
    static const double rates[] = {0.1, 0.01, 1e-3, 1e-6};
    (void)state;
    for (uint64_t n = 1; n < 2000000; n = n * 13 + 1)
        for (size_t i = 0; i < COUNT(rates); i++) {
            uint64_t m = 0, other = 0;
            unsigned k = 0, same = 0;
            assert_true(blm_size_increment(n, rates[i], 0, vi4, &m, &k));
            assert_true(blm_rate_increment(m, k, n, vi4) <= rates[i]);
            if (m > 1) assert_true(blm_rate_increment(m - 1, k, n, vi4) > rates[i]);
            for (unsigned near = k > 1 ? k - 1 : 1; near <= k + 1; near++) {
                assert_true(blm_size_increment(n, rates[i], near, vi4, &other, &same));
                assert_true(other >= m && same == near);
            }
        }
}

static void no_answers(void **state)
{
    const blm_increments none = {0, 0}, many = {17, 0}, deep = {3, 5};
    uint64_t m = 7;
    unsigned k = 7;
    (void)state;
    assert_true(isnan(blm_rate_increment(0, 3, 1, vi4)) && isnan(blm_rate_increment(9, 0, 1, vi4)));
    assert_true(isnan(blm_rate_increment(9, 65, 1, vi4)) &&
                isnan(blm_rate_increment(9, 3, 1, none)));
    assert_true(isnan(blm_rate_increment(9, 3, 1, many)) &&
                isnan(blm_rate_increment(9, 3, 1, deep)));
    assert_true(isnan(blm_rate_increment_sd(9, 0, 1, vi4)) && isnan(blm_increment_pass(-1, vi4)));
    assert_true(isnan(blm_increment_lambda(none)) &&
                isnan(blm_rate_increment_approx(0, 1, 1, vi4)));
    assert_true(blm_rate_increment(9, 3, 0, vi4) == 0 && blm_rate_increment_sd(9, 3, 0, vi4) == 0);
    assert_true(blm_rate_increment(9, 3, UINT64_C(1) << 50, vi4) == 1);
    assert_int_equal(blm_best_hashes_increment(0, 1, vi4), 0);
    assert_int_equal(blm_best_hashes_increment(1, 0, vi4), 0);
    assert_false(blm_size_increment(0, 0.1, 0, vi4, &m, &k));
    assert_false(blm_size_increment(1, 1, 0, vi4, &m, &k));
    assert_false(blm_size_increment(1, (double)NAN, 0, vi4, &m, &k));
    assert_false(blm_size_increment(1, 0.1, 65, vi4, &m, &k));
    assert_false(blm_size_increment(UINT64_C(1) << 60, 1e-3, 0, vi4, &m, &k));
    assert_true(m == 7 && k == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_the_paper),
        cmocka_unit_test(rates_of_counting),
        cmocka_unit_test(rates_of_decoded_pairs),
        cmocka_unit_test(best_loads),
        cmocka_unit_test(sums_that_overflow),
        cmocka_unit_test(one_key_in_every_way),
        cmocka_unit_test(no_step_between_small_and_large),
        cmocka_unit_test(sizes_are_the_smallest),
        cmocka_unit_test(no_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

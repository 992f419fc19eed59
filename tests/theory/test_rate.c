/* test_rate.c - rates of a standard filter, and the probes of a rejection. */
#include "near.h"
#include "oracles.h"

typedef struct rate_row {
    uint64_t m;
    unsigned k;
    uint64_t n;
    double approx, classic, exact, bound;
} rate_row;

/* Fractions, and 60-digit sums printed to 8 digits or more. */
static const rate_row table[] = {
    {2, 1, 1, 0.3934693403, 0.5, 0.5, 0.7768698399},
    {2, 2, 1, 0.3995764009, 0.5625, 0.625, 0.9029046154},
    {3, 2, 1, 0.2367629001, 0.3086419753, 1.0 / 3, 0.6035267481},
    {4, 2, 2, 0.3995764009, 0.467300415, 505.0 / 1024, 0.6579227877},
    {8, 2, 2, 0.1548181217, 0.1712456346, 5825.0 / 32768, 0.2605677173},
    {16, 3, 2, 0.03057935449, 0.03309651879, 151133581.0 / 4294967296.0, 0.06091618423},
    {16, 3, 4, 0.1468915977, 0.1566330157, 0.16495523553194, 0.2089821727},
    {32, 3, 3, 0.01473502759, 0.015352983, 0.01588965317901, 0.02371675514},
    {64, 4, 8, 0.02396865082, 0.02455621643, 0.02535443461644, 0.03025674055},
    {256, 8, 16, 5.7449622218e-4, 5.8146622916e-4, 6.0399100518e-4, 7.1077095e-4},
    {1024, 7, 102, 0.00804005466, 0.00805908754, 0.00810967920761, 0.00827141125},
    {8000, 6, 1000, 0.02157714146, 0.02158257528, 0.02159447874260, 0.02163152173},
    {10000, 7, 1000, 0.00819372207, 0.00819570260, 0.00820095740477, 0.00821751174},
    {16000, 11, 1000, 4.5871073e-4, 4.5882039e-4, 4.59306515950e-4, 4.6068788e-4},
    {95851, 7, 10000, 0.01003901048, 0.01003925936, 0.01003991590883, 0.01004189398},
    {9585059, 7, 1000000, 0.01003921456, 0.01003921706, 0.0100392236135, 0.01003924339},
    {1048576, 10, 72682, 9.76585802e-4, 9.76589030e-4, 9.7660189010e-4, 9.76638826e-4},
};

static void rates_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const rate_row *r = &table[i];
        NEAR(blm_rate_approx(r->m, r->k, r->n), r->approx, 2e-8); /* the printed digits */
        NEAR(blm_rate_classic(r->m, r->k, r->n), r->classic, 2e-8);
        NEAR(blm_rate_bound(r->m, r->k, r->n), r->bound, 2e-8);
        NEAR(blm_rate_exact(r->m, r->k, r->n), r->exact, 1e-10);
    }
}

static void exact_to_the_last_digits(void **state)
{
    (void)state;
    ORACLE_NEAR("1.A2", "exact rate of m=2 k=2 n=1", 0.625, 1e-15, blm_rate_exact(2, 2, 1));
    ORACLE_NEAR("1.A2", "exact rate of m=4 k=2 n=2", 505.0 / 1024, 1e-14, blm_rate_exact(4, 2, 2));
    ORACLE_NEAR("1.A2", "exact rate of m=16 k=3 n=2", 151133581.0 / 4294967296.0, 1e-13,
                blm_rate_exact(16, 3, 2));
    ORACLE_NEAR("1.A2", "exact rate of m=10000 k=7 n=1000", 0.00820095740477473, 1e-9,
                blm_rate_exact(10000, 7, 1000));
    NEAR(blm_rate_exact(10000, 7, 1000), 0.00820095740477473, 1e-13);
    ORACLE_NEAR("1.A2", "exact rate of m=9585059 k=7 n=1000000", 0.0100392236134569, 1e-9,
                blm_rate_exact(9585059, 7, 1000000));
    NEAR(blm_rate_exact(9585059, 7, 1000000), 0.0100392236134569, 1e-13);
    /* Stirling numbers and the alternating sum in 700 digits */
    NEAR(blm_rate_exact(43281, 30, 1000), 9.3435618822547469e-10, 1e-13);
    NEAR(blm_rate_exact(1000000000, 30, 20000000), 4.2730383280732259e-11, 1e-13);
    NEAR(blm_rate_exact(1000, 64, 10), 2.8597351380262609e-21, 1e-13);
    NEAR(blm_rate_exact((uint64_t)1 << 40, 64, (uint64_t)1 << 33), 1.1865810755102355e-26, 1e-13);
    NEAR(blm_rate_exact((uint64_t)1 << 50, 10, 1000), 3.0549363633640128e-111, 1e-13);
    NEAR(blm_rate_exact(960000000, 7, 100000000), 0.0099651546176658456, 1e-13);
    NEAR(blm_rate_exact(5, 10, 2), 0.94883285962829168, 1e-13); /* more hashes than bits */
    NEAR(blm_rate_exact(3, 64, 1), 0.99999999998388313, 1e-13);
}

/* approx < classic <= exact <= bound, and exact = the throw by throw model. */
static void order_by_brute_force(void **state)
{
    (void)state;
    for (unsigned m = 2; m < 40; m++)
        for (unsigned k = 1; k <= 5; k++)
            for (unsigned n = 1; n <= 11; n++) {
                double approx = blm_rate_approx(m, k, n), classic = blm_rate_classic(m, k, n);
                double exact = blm_rate_exact(m, k, n), bound = blm_rate_bound(m, k, n);
                assert_true(approx < classic);
                assert_true(classic <= exact * (1 + 1e-14)); /* equal for k = 1, up to rounding */
                assert_true(exact <= bound);
                NEAR(exact, occupancy_moment(m, k * n, k), 1e-13);
                if (k == 1) NEAR(exact, classic, 1e-14);
            }
    NEAR(blm_rate_exact(500, 20, 15), occupancy_moment(500, 300, 20), 1e-12);
    NEAR(blm_rate_exact(7, 64, 3), occupancy_moment(7, 192, 64), 1e-12);
}

/* chances[j] by the alternating sum: it loses 3^j digits' worth, 1e-12 at k = 7 in a double. */
static double alternating(double m, unsigned k, double n)
{
    double rate = 0, distinct[8] = {1};
    for (unsigned t = 0; t < k; t++)
        for (unsigned j = t + 1; j <= t + 1; j--) {
            distinct[j] = distinct[j] * j / m + (j ? distinct[j - 1] * (m - j + 1) / m : 0);
            if (j == 0) break;
        }
    for (unsigned j = 1; j <= k; j++) {
        double sum = 0, choose = 1;
        for (unsigned l = 0; l <= j; l++) {
            sum += (l % 2 ? -choose : choose) * exp(k * n * log1p(-(double)l / m));
            choose = choose * (j - l) / (l + 1);
        }
        rate += distinct[j] * sum;
    }
    return rate;
}

static void exact_equals_the_alternating_sum(void **state)
{
    (void)state;
    NEAR(blm_rate_exact(10000, 7, 1000), alternating(10000, 7, 1000), 1e-11);
    NEAR(blm_rate_exact(9585059, 7, 1000000), alternating(9585059, 7, 1e6), 1e-11);
    NEAR(blm_rate_exact(8000000000, 5, 1000000000), alternating(8e9, 5, 1e9), 1e-11);
    NEAR(blm_rate_exact(64, 4, 8), alternating(64, 4, 8), 1e-11);
}

static void edges(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 64; k += 9) {
        assert_true(blm_rate_approx(100, k, 0) == 0 && blm_rate_classic(100, k, 0) == 0);
        assert_true(blm_rate_exact(100, k, 0) == 0 && blm_rate_bound(100, k, 0) == 0);
        assert_true(blm_rate_classic(1, k, 1) == 1 && blm_rate_bound(1, k, 1) == 1);
        NEAR(blm_rate_exact(1, k, 1), 1, 1e-15);
        NEAR(blm_rate_exact(1, k, 1000), 1, 1e-15);
        NEAR(blm_rate_exact(100, k, 1000000), 1, 1e-12);
        assert_true(blm_rate_exact(1, k, 0) == 0 && blm_rate_classic(1, k, 0) == 0);
    }
    assert_true(isnan(blm_rate_exact(0, 3, 1)) && isnan(blm_rate_exact(10, 0, 1)));
    assert_true(isnan(blm_rate_exact(10, 65, 1)) && isnan(blm_rate_approx(0, 1, 1)));
    assert_true(isnan(blm_rate_classic(5, 0, 1)) && isnan(blm_rate_bound(0, 1, 1)));
    assert_true(isnan(blm_rate_sd(0, 1, 1)) && blm_rate_sd(10, 1, 0) == 0);
}

/* 2^53 throws by the matrix, one key more by the approximation: no step between them. */
static void past_2_to_53_throws(void **state)
{
    (void)state;
    uint64_t m = (uint64_t)1 << 54, n = ((uint64_t)1 << 53) / 8;
    NEAR(blm_rate_exact(m, 8, n), blm_rate_approx(m, 8, n), 1e-13);
    assert_true(blm_rate_exact(m, 8, n + 1) == blm_rate_approx(m, 8, n + 1));
    assert_true(blm_rate_exact(UINT64_MAX, 64, UINT64_MAX) > 0.99);
}

static void from_fill(void **state)
{
    (void)state;
    NEAR(blm_rate_from_fill(10, 16, 3), 0.244140625, 1e-15);
    assert_true(blm_rate_from_fill(0, 16, 3) == 0 && blm_rate_from_fill(16, 16, 3) == 1);
    assert_true(isnan(blm_rate_from_fill(17, 16, 3)) && isnan(blm_rate_from_fill(0, 0, 3)));
}

/* Printed to two digits. */
static void spread_between_filters(void **state)
{
    (void)state;
    WITHIN(blm_rate_sd(10000, 7, 1000), 0.039, 0.0005);
    WITHIN(blm_rate_sd(8000, 6, 1000), 0.036, 0.0005);
    WITHIN(blm_rate_sd(100000, 7, 10000), 0.012, 0.0005);
    WITHIN(blm_rate_sd(1048576, 10, 72682), 0.0054, 0.00005);
}

static void probes(void **state)
{
    (void)state;
    static const struct {
        unsigned k;
        double all, rejected;
    } row[] = {{3, 1.75, 1.571429},
               {5, 1.9375, 1.838710},
               {7, 1.984375, 1.944882},
               {10, 1.998047, 1.990225}};
    for (size_t i = 0; i < COUNT(row); i++) {
        NEAR(blm_probes_to_reject(0.5, row[i].k), row[i].all, 3e-7);
        NEAR(blm_probes_given_rejected(0.5, row[i].k), row[i].rejected, 4e-7);
    }
    ORACLE_NEAR("1.A2", "probes of a stranger at half full, k=7", 1.984375, 1e-12,
                blm_probes_to_reject(0.5, 7));
    for (double fill = 0.1; fill < 0.95; fill += 0.1) { /* the closed forms */
        double f7 = pow(fill, 7), below = 1 - fill;
        NEAR(blm_probes_to_reject(fill, 7), (1 - f7) / below, 1e-12);
        NEAR(blm_probes_given_rejected(fill, 7), (1 - 8 * f7 + 7 * f7 * fill) / (below * (1 - f7)),
             1e-12);
    }
    NEAR(blm_probes_to_reject(0, 9), 1, 1e-15);
    NEAR(blm_probes_to_reject(1, 9), 9, 1e-15);
    NEAR(blm_probes_given_rejected(0, 9), 1, 1e-15);
    NEAR(blm_probes_given_rejected(1, 9), 5, 1e-15);
    assert_true(isnan(blm_probes_to_reject(1.1, 3)) && isnan(blm_probes_to_reject(NAN, 3)));
    assert_true(isnan(blm_probes_given_rejected(-0.1, 3)) &&
                isnan(blm_probes_given_rejected(0.5, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_the_table),
        cmocka_unit_test(exact_to_the_last_digits),
        cmocka_unit_test(order_by_brute_force),
        cmocka_unit_test(exact_equals_the_alternating_sum),
        cmocka_unit_test(edges),
        cmocka_unit_test(past_2_to_53_throws),
        cmocka_unit_test(from_fill),
        cmocka_unit_test(spread_between_filters),
        cmocka_unit_test(probes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_theory.c - filters that reset bits as well, in numbers: points of the figures of Laufer, Velloso and Duarte
 * (2011), tuning, and models that are slow and plain. */
#include <bloomery/theory.h>
#include <bloomery/theory/generalized.h>
#include <stdio.h>
#include "theory/near.h"
#include "oracles.h"

/* ---- figures: some points of each ------------------------------------------------------------------ */

/* A curve by e^(-kn/m) is that of very many keys; figure 10 was computed for 1000. */
static double per_key(unsigned k0, unsigned k1, uint64_t bits, uint64_t n)
{
    return blm_generalized_rate(bits * n, k0, k1, n, 1, false);
}

static void rates_of_figures(void **state)
{
    static const struct {
        const char *figure;
        unsigned k0, k1, bits;
        double rate;
    } points[] = {{"figure 2, 4 bits a key, k = 9", 0, 9, 4, 0.36699778},
                  {"figure 2, 8 bits a key, k = 25", 0, 25, 8, 0.32520973},
                  {"figure 2, 16 bits a key, k = 9", 0, 9, 16, 0.00050488178},
                  {"figure 2, 32 bits a key, k = 25", 0, 25, 32, 2.2558995e-07},
                  {"figure 10a, k0 = 1", 1, 2, 25, 0.005254665},
                  {"figure 10a, k0 = 3", 3, 2, 25, 0.0041943728},
                  {"figure 10b, k1 = 1", 2, 1, 25, 0.034904507},
                  {"figure 10b, k1 = 3", 2, 3, 32, 0.00054521687}};
    (void)state;
    for (size_t i = 0; i < COUNT(points); i++)
        ORACLE_NEAR(
            "2.A", points[i].figure, points[i].rate, 2e-7,
            per_key(points[i].k0, points[i].k1, points[i].bits, points[i].k0 ? 1000 : 1000000000));
}

/* Of a given share of ones: no key, a start with that share. */
static void rates_by_fill(void **state)
{
    static const struct {
        const char *figure;
        unsigned k0, k1;
        double ones, rate;
    } points[] = {
        {"figure 3, k = 2", 0, 2, 0.55, 0.3025},        {"figure 3, k = 4", 0, 4, 0.4, 0.0256},
        {"figure 3, k = 8", 0, 8, 0.65, 0.031864481},   {"figure 5a, k0 = 2", 2, 1, 0.2, 0.128},
        {"figure 5a, k0 = 3", 3, 1, 0.7, 0.0189},       {"figure 5b, k1 = 1", 1, 1, 0.15, 0.1275},
        {"figure 5b, k1 = 2", 1, 2, 0.65, 0.147875},    {"figure 6, k = 1", 1, 1, 0.1, 0.09},
        {"figure 6, k = 4", 4, 4, 0.05, 5.0906641e-06}, {"figure 6, k = 2", 2, 2, 0.6, 0.0576}};
    (void)state;
    for (size_t i = 0; i < COUNT(points); i++) {
        const uint64_t m = 1000000000;
        const double ones = points[i].ones;
        ORACLE_NEAR("2.A", points[i].figure, points[i].rate, 1e-8,
                    blm_generalized_rate(m, points[i].k0, points[i].k1, 0, 1 - ones, false));
        for (int distinct = 0; distinct < 2; distinct++) /* repeats are rare in that many bits */
            NEAR(blm_generalized_rate_from_fill(ones * (double)m, m, points[i].k0, points[i].k1,
                                                distinct),
                 points[i].rate, 3e-6);
    }
}

static void misses_of_figures(void **state)
{
    static const struct {
        const char *figure;
        unsigned k0, k1, later;
        double miss;
    } points[] = {{"figure 7a, k0 = 2, 3rd of 10", 2, 1, 7, 0.021533057},
                  {"figure 7a, k0 = 3, 8th of 10", 3, 1, 2, 0.0093021961},
                  {"figure 7b, k1 = 1, 3rd of 10", 1, 1, 7, 0.010848308},
                  {"figure 7b, k1 = 2, 8th of 10", 1, 2, 2, 0.0062232282},
                  {"figure 8, k = 4, 3rd of 10", 4, 4, 7, 0.15859304},
                  {"figure 8, k = 8, 8th of 10", 8, 8, 2, 0.17935489},
                  {"figure 8, k = 32, 3rd of 10", 32, 32, 7, 0.99995365}};
    static const struct {
        const char *figure;
        unsigned k0, k1, bits;
        double bound;
    } bounds[] = {{"figure 9, k0 = 1, 32 bits a key", 1, 1, 32, 0.059669243},
                  {"figure 9, k0 = 2, 32 bits a key", 2, 1, 32, 0.1149235},
                  {"figure 9, k0 = 3, 512 bits a key", 3, 1, 512, 0.011627746},
                  {"figure 12a, k = 6, 32 bits a key", 6, 6, 32, 0.8700086},
                  {"figure 12a, k = 6, 512 bits a key", 6, 6, 512, 0.13046878},
                  {"figure 12b, 1, 6", 1, 6, 256, 0.045488941},
                  {"figure 12b, 3, 4", 3, 4, 256, 0.088906059},
                  {"figure 12b, 5, 2", 5, 2, 256, 0.074657967}};
    (void)state;
    for (size_t i = 0; i < COUNT(points); i++)
        ORACLE_NEAR("2.A", points[i].figure, points[i].miss, 1e-7,
                    blm_generalized_miss(1280, points[i].k0, points[i].k1, points[i].later));
    for (size_t i = 0; i < COUNT(bounds); i++)
        for (uint64_t n = 1; n <= 1000000000; n *= 1000) { /* m / n alone */
            const double got =
                blm_generalized_miss_bound(bounds[i].bits * n, bounds[i].k0, bounds[i].k1, n);
            if (n == 1)
                ORACLE_NEAR("2.A", bounds[i].figure, bounds[i].bound, 1e-7, got);
            else
                NEAR(got, bounds[i].bound, 1e-7);
        }
}

static void steady_state(void **state)
{
    static const struct {
        const char *point;
        double p0;
        uint64_t n;
        double zeros, rate;
    } points[] = {{"figure 11, all ones, 1024 keys", 0, 1024, 0.030294155, 0.00086297399},
                  {"figure 11, all ones, 262144 keys", 0, 262144, 0.50000757, 0.0625},
                  {"figure 11, a quarter zeros, 8192 keys", 0.25, 8192, 0.34837092, 0.051532914},
                  {"figure 11, half zeros, 256 keys", 0.5, 256, 0.50000012, 0.0625},
                  {"figure 11, half zeros, 65536 keys", 0.5, 65536, 0.50000749, 0.0625},
                  {"figure 11, three quarters, 2048 keys", 0.75, 2048, 0.72062491, 0.040531614},
                  {"figure 11, all zeros, 64 keys", 1, 64, 0.9980507, 3.7849726e-06},
                  {"figure 11, all zeros, 16384 keys", 1, 16384, 0.68394314, 0.046727273}};
    (void)state;
    for (size_t i = 0; i < COUNT(points); i++) {
        NEAR(blm_generalized_zeros(65536, 2, 2, points[i].n, points[i].p0), points[i].zeros, 2e-8);
        ORACLE_NEAR("2.A", points[i].point, points[i].rate, 1e-7,
                    blm_generalized_rate(65536, 2, 2, points[i].n, points[i].p0, false));
    }
    for (double p0 = 0; p0 <= 1; p0 += 0.25) { /* all starts end there */
        NEAR(blm_generalized_zeros(65536, 2, 2, 10000000, p0), 0.5, 2e-5);
        NEAR(blm_generalized_rate(65536, 2, 2, 10000000, p0, false), 0.0625, 1e-8);
    }
}

static void crossings(void **state) /* of figure 12a: where Fn passes Fp */
{
    static const unsigned bits[] = {32, 64, 128, 256, 512}, at[] = {2, 2, 2, 2, 3};
    char what[60];
    (void)state;
    for (size_t i = 0; i < COUNT(bits); i++) {
        unsigned k = 1;
        while (blm_generalized_miss_bound(bits[i], k, k, 1) < blm_generalized_bound(k, k)) k++;
        /* the nearer one of the two whole numbers around the crossing */
        const double above = log(blm_generalized_miss_bound(bits[i], k, k, 1)) -
                             log(blm_generalized_bound(k, k)),
                     below = log(blm_generalized_bound(k - 1, k - 1)) -
                             log(blm_generalized_miss_bound(bits[i], k - 1, k - 1, 1));
        snprintf(what, sizeof what, "figure 12a, crossing at %u bits a key", bits[i]);
        ORACLE_NEAR("2.A", what, at[i], 0, k > 1 && below < above ? k - 1 : k);
    }
}

/* ---- tuning ------------------------------------------------------------------------------------------ */

static void tuning(void **state)
{
    static const struct {
        double fp, fn;
        unsigned k0, k1;
        double bits;
        unsigned whole;
        double reached, rule;
    } table[] = {
        {0.1, 0.1, 1, 4, 74.668857, 75, 0.08192, 80},
        {0.1, 0.05, 1, 4, 154.71055, 155, 0.08192, 160},
        {0.1, 0.01, 1, 4, 794.74228, 795, 0.08192, 800},
        {0.1, 0.001, 1, 4, 7994.7492, 7995, 0.08192, 8000},
        {0.0625, 0.1, 2, 2, 74.916366, 75, 0.0625, 80},
        {0.0625, 0.05, 2, 2, 154.95934, 155, 0.0625, 160},
        {0.0625, 0.01, 2, 2, 794.99204, 795, 0.0625, 800},
        {0.0625, 0.001, 2, 2, 7994.9992, 7995, 0.0625, 8000},
        {0.05, 0.1, 2, 3, 112.63148, 113, 0.03456, 120},
        {0.05, 0.05, 2, 3, 232.69234, 233, 0.03456, 240},
        {0.05, 0.01, 2, 3, 1192.7387, 1193, 0.03456, 1200},
        {0.05, 0.001, 2, 3, 11992.749, 11993, 0.03456, 12000},
        {0.01, 0.1, 3, 4, 226.0261, 227, 0.0083930044, 240},
        {0.01, 0.05, 3, 4, 466.14102, 467, 0.0083930044, 480},
        {0.01, 0.01, 3, 4, 2386.2287, 2387, 0.0083930044, 2400},
        {0.01, 0.001, 3, 4, 23986.248, 23987, 0.0083930044, 24000},
        {0.001, 0.1, 5, 5, 472.04782, 473, 0.0009765625, 500},
        {0.001, 0.05, 5, 5, 972.27985, 973, 0.0009765625, 1000},
        {0.001, 0.01, 5, 5, 4972.4569, 4973, 0.0009765625, 5000},
        {0.001, 0.001, 5, 5, 49972.496, 49973, 0.0009765625, 50000},
        {0.0001, 0.1, 6, 8, 907.64413, 908, 7.0442522e-05, 960},
        {0.0001, 0.05, 6, 8, 1868.0833, 1869, 7.0442522e-05, 1920},
        {0.0001, 0.01, 6, 8, 9548.4183, 9549, 7.0442522e-05, 9600},
        {0.0001, 0.001, 6, 8, 95948.492, 95949, 7.0442522e-05, 96000},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t many = 1000000;
        uint64_t m = 0;
        unsigned k0 = 0, k1 = 0;
        char what[60];
        assert_true(blm_generalized_tune(1, table[i].fp, table[i].fn, &m, &k0, &k1));
        assert_int_equal(k0, table[i].k0);
        assert_int_equal(k1, table[i].k1);
        assert_int_equal(m, table[i].whole);
        NEAR(blm_generalized_bound(k0, k1), table[i].reached, 1e-7);
        assert_true(blm_generalized_tune(many, table[i].fp, table[i].fn, &m, &k0, &k1));
        snprintf(what, sizeof what, "bits a key for Fp %g, Fn %g", table[i].fp, table[i].fn);
        ORACLE_NEAR("2.A", what, table[i].bits, 1e-7, (double)m / (double)many);
        assert_true(blm_generalized_miss_bound(m, k0, k1, many) <= table[i].fn &&
                    blm_generalized_miss_bound(m - 1, k0, k1, many) > table[i].fn);
        assert_true((double)m <
                    table[i].rule * (double)many); /* 2 k0 k1 / fn is a little too much */
        NEAR(table[i].rule, 2 * k0 * k1 / table[i].fn, 1e-12);
    }
}

/* No pair of 1 to 16 has fewer bits. */
static void tuning_is_best(void **state)
{
    (void)state;
    for (double fp = 0.2; fp > 1e-8; fp /= 7) {
        uint64_t best = 0;
        unsigned k0 = 0, k1 = 0;
        assert_true(blm_generalized_tune(1000000, fp, 0.05, &best, &k0, &k1));
        assert_true(blm_generalized_bound(k0, k1) <= fp);
        for (unsigned a = 1; a <= 16; a++)
            for (unsigned b = 1; b <= 16; b++)
                assert_true(blm_generalized_bound(a, b) > fp ||
                            blm_generalized_miss_bound(best - 2, a, b, 1000000) > 0.05);
    }
}

static void tuning_edges(void **state)
{
    uint64_t m = 7;
    unsigned k0 = 7, k1 = 7;
    const double bad[] = {0, 1, -0.1, 1.5, (double)NAN, (double)INFINITY};
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(blm_generalized_tune(5, bad[i], 0.1, &m, &k0, &k1));
        assert_false(blm_generalized_tune(5, 0.1, bad[i], &m, &k0, &k1));
    }
    assert_false(blm_generalized_tune(0, 0.1, 0.1, &m, &k0, &k1));
    assert_false(blm_generalized_tune(UINT64_C(1) << 55, 0.1, 0.1, &m, &k0, &k1)); /* 2^60 bits */
    assert_false(blm_generalized_tune(1, 1e-160, 0.1, &m, &k0, &k1));              /* 4^-256 */
    assert_true(m == 7 && k0 == 7 && k1 == 7); /* written on success only */
    assert_true(blm_generalized_tune(1000000000, 1e-12, 0.01, &m, &k0, &k1)); /* past 16 */
    assert_true(k0 + k1 > 32 && blm_generalized_bound(k0, k1) <= 1e-12);
    assert_true(blm_generalized_miss_bound(m, k0, k1, 1000000000) <= 0.01);
    assert_true(blm_generalized_tune(1, 0.5, 0.999, &m, &k0, &k1) && m >= k0 + k1);
}

/* ---- against plain models ------------------------------------------------------------------------------ */

static void misses_sum(void **state) /* (12), term by term as it is printed */
{
    static const struct {
        uint64_t m;
        unsigned k0, k1;
        uint64_t n;
    } cases[] = {{65536, 2, 2, 256},     {1280, 32, 32, 10},     {1000, 3, 4, 5000},
                 {77777, 1, 5, 1025},    {100000, 40, 9, 30000}, {300000, 3, 4, 100000},
                 {50, 1, 1, 3000},       {7000, 3, 4, 2048},     {7, 2, 2, 1},
                 {1000000, 2, 3, 200000}};
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const double m = (double)cases[c].m, k0 = cases[c].k0, k1 = cases[c].k1;
        const double q0 = 1 - pow(1 - 1 / m, k0), q1 = (1 - pow(1 - 1 / m, k1)) * (1 - q0);
        double sum = 0, stay = 1, last = 0;
        for (uint64_t i = 0; i < cases[c].n; i++, stay *= 1 - q0 - q1) {
            const double p00 = stay + q0 / (q0 + q1) * (1 - stay);
            const double p11 = stay + q1 / (q0 + q1) * (1 - stay);
            last = 1 - pow(p00, m * q0) * pow(p11, m * q1);
            sum += last;
        }
        NEAR(blm_generalized_misses(cases[c].m, cases[c].k0, cases[c].k1, cases[c].n),
             sum / (double)cases[c].n, 1e-9);
        WITHIN(blm_generalized_miss(cases[c].m, cases[c].k0, cases[c].k1, cases[c].n - 1), last,
               1e-9);
    }
}

/* Every choice of k0 + k1 positions in m cells, asked as a filter is asked. */
static double by_all_positions(unsigned ones, unsigned m, unsigned k0, unsigned k1, bool distinct)
{
    unsigned place[8] = {0};
    uint64_t all = 0, yes = 0;
    for (;;) {
        bool counts = true, pass = true;
        for (unsigned i = 0; i < k0 + k1; i++) {
            bool reset = false;
            for (unsigned j = 0; j < i; j++) {
                if (place[i] == place[j]) counts &= !distinct;
                reset |= j < k0 && place[i] == place[j];
            }
            if (i < k0)
                pass &= place[i] >= ones;
            else
                pass &= place[i] < ones || reset;
        }
        all += counts;
        yes += counts && pass;
        unsigned i = 0;
        while (i < k0 + k1 && ++place[i] == m) place[i++] = 0;
        if (i == k0 + k1) return (double)yes / (double)all;
    }
}

static void rate_given_the_ones(void **state)
{
    (void)state;
    for (unsigned k0 = 0; k0 <= 3; k0++)
        for (unsigned k1 = k0 == 0; k1 <= 2; k1++)
            for (unsigned ones = 0; ones <= 6; ones++)
                for (int distinct = 0; distinct < 2; distinct++)
                    NEAR(blm_generalized_rate_from_fill(ones, 6, k0, k1, distinct),
                         by_all_positions(ones, 6, k0, k1, distinct), 1e-12);
    /* Distinct positions hold the bound in every array that has as many ones as it likes, repeats do not. */
    const double over = blm_generalized_rate_from_fill(128, 256, 2, 2, false);
    ORACLE_BETWEEN("2.A", "2, 2 in 256 bits, half ones, positions that repeat", 0.0641, 0.0635,
                   0.0650, over);
    assert_true(blm_generalized_rate_from_fill(32, 64, 3, 3, false) > 1.25 * 0.015625);
}

/* Filters by the thousand, bit by bit: mean zeros, mean rate and its spread. */
static void spread_between_filters(void **state)
{
    static const struct {
        unsigned k0, k1, n;
        double p0;
    } cases[] = {{2, 3, 60, 1}, {2, 3, 60, 0.2}, {1, 4, 200, 0}, {2, 2, 600, 1}, {0, 4, 90, 1}};
    enum { M = 512, FILTERS = 4000 };
    uint64_t seed = 1;
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const unsigned k0 = cases[c].k0, k1 = cases[c].k1, n = cases[c].n;
        double zeros = 0, sum = 0, squares = 0;
        for (unsigned t = 0; t < FILTERS; t++) {
            unsigned char bit[M];
            for (unsigned i = 0; i < M; i++)
                bit[i] = (double)draw_below(&seed, 1 << 20) >= cases[c].p0 * (1 << 20);
            for (unsigned i = 0; i < n; i++) {
                for (unsigned j = 0; j < k1; j++) bit[draw_below(&seed, M)] = 1;
                for (unsigned j = 0; j < k0; j++) bit[draw_below(&seed, M)] = 0;
            }
            double ones = 0;
            for (unsigned i = 0; i < M; i++) ones += bit[i];
            const double rate = pow(1 - ones / M, k0) * pow(ones / M, k1);
            zeros += 1 - ones / M;
            sum += rate;
            squares += rate * rate;
        }
        const double mean = sum / FILTERS, sd = sqrt(squares / FILTERS - mean * mean) / mean;
        const double theory = blm_generalized_rate_sd(M, k0, k1, n, cases[c].p0);
        NEAR(zeros / FILTERS, blm_generalized_zeros(M, k0, k1, n, cases[c].p0), 2e-3);
        NEAR(mean, blm_generalized_rate(M, k0, k1, n, cases[c].p0, false), 0.03);
        NEAR(sd, theory, 0.12);
    }
    for (uint64_t n = 1000; n < 1000000; n *= 10) /* as standard filters */
        NEAR(blm_generalized_rate_sd(1 << 20, 0, 7, n, 1), blm_rate_sd(1 << 20, 7, n), 1e-3);
}

/* ---- identities and edges ---------------------------------------------------------------------------------- */

static void identities(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 256; k++) {
        NEAR(blm_generalized_bound(k, k), ldexp(1, -2 * (int)k), 1e-12);
        assert_true(blm_generalized_bound(0, k) == 1 && blm_generalized_bound(k, 0) == 1);
        assert_true(blm_generalized_worst(k, k) == 0.5 && blm_generalized_worst(0, k) == 0);
    }
    for (unsigned k0 = 1; k0 <= 5; k0++)
        for (unsigned k1 = 1; k1 <= 5; k1++) {
            NEAR(blm_generalized_bound(k0, k1), blm_generalized_bound(k1, k0), 1e-14);
            for (double p0 = 0; p0 <= 1; p0 += 0.125) /* no start passes the bound */
                for (uint64_t n = 1; n <= 1000000; n *= 10)
                    assert_true(blm_generalized_rate(100000, k0, k1, n, p0, false) <=
                                blm_generalized_bound(k0, k1) * (1 + 1e-12));
            /* older keys are missed more; the bound is above all of them, and above the mean */
            double before = 0;
            for (uint64_t i = 0; i <= 200; i++) {
                const double miss = blm_generalized_miss(10000, k0, k1, i);
                assert_true(miss >= before && (i == 0) == (miss == 0));
                before = miss;
            }
            const double bound = blm_generalized_miss_bound(10000, k0, k1, 200);
            assert_true(before <= bound * (1 + 1e-3));
            assert_true(blm_generalized_misses(10000, k0, k1, 200) < before);
            NEAR(blm_generalized_misses(10000, k0, k1, 20), 20.0 * k0 * k1 / 10000, 0.1);
        }
    for (uint64_t n = 1; n < 100000; n *= 7) /* k0 = 0 is a standard filter */
        NEAR(blm_generalized_rate(100000, 0, 7, n, 1, false), blm_rate_classic(100000, 7, n),
             1e-12);
}

static void edges(void **state)
{
    const uint64_t huge = UINT64_C(1) << 60, many = 1000000000;
    (void)state;
    /* one key in 2^60 bits: digits are kept */
    NEAR(blm_generalized_miss(huge, 3, 4, 1), 24 / ldexp(1, 60), 1e-9);
    NEAR(blm_generalized_misses(huge, 3, 4, many), 12.0 * ((double)many - 1) / ldexp(1, 60), 1e-6);
    NEAR(blm_generalized_miss_bound(huge, 3, 4, 1), 24 / ldexp(1, 60), 1e-9);
    NEAR(blm_generalized_rate(huge, 2, 3, 1, 1, false), pow(3 / ldexp(1, 60), 3), 1e-9);
    assert_true(blm_generalized_rate_sd(huge, 2, 3, many, 1) < 1e-3);
    /* nothing added */
    assert_true(blm_generalized_zeros(64, 2, 2, 0, 0.25) == 0.25);
    assert_true(blm_generalized_rate(64, 2, 2, 0, 1, false) == 0 &&
                blm_generalized_rate(64, 2, 2, 0, 0, true) == 0);
    assert_true(blm_generalized_misses(64, 2, 2, 0) == 0 && blm_generalized_miss(64, 2, 2, 0) == 0);
    assert_true(blm_generalized_rate_sd(64, 2, 2, 0, 1) == 0);
    /* one bit: a reset always wins */
    assert_true(blm_generalized_zeros(1, 1, 1, 3, 0) == 1 &&
                blm_generalized_zeros(1, 0, 1, 3, 1) == 0);
    assert_true(blm_generalized_miss(1, 1, 1, 5) == 0);
    /* no answer */
    assert_true(isnan(blm_generalized_zeros(0, 2, 2, 1, 1)) &&
                isnan(blm_generalized_zeros(9, 0, 0, 1, 1)));
    const double starts[] = {-0.1, 1.1, (double)NAN};
    for (size_t i = 0; i < COUNT(starts); i++)
        assert_true(isnan(blm_generalized_zeros(9, 1, 1, 1, starts[i])) &&
                    isnan(blm_generalized_rate(9, 1, 1, 1, starts[i], false)) &&
                    isnan(blm_generalized_rate_sd(9, 1, 1, 1, starts[i])));
    assert_true(isnan(blm_generalized_bound(0, 0)) && isnan(blm_generalized_worst(0, 0)));
    assert_true(isnan(blm_generalized_miss(0, 1, 1, 1)) &&
                isnan(blm_generalized_misses(0, 1, 1, 1)));
    assert_true(isnan(blm_generalized_miss_bound(0, 1, 1, 1)) &&
                isnan(blm_generalized_miss_bound(9, 0, 0, 1)));
    assert_true(isnan(blm_generalized_rate_from_fill(10, 9, 1, 1, false)) &&
                isnan(blm_generalized_rate_from_fill(-1, 9, 1, 1, false)) &&
                isnan(blm_generalized_rate_from_fill((double)NAN, 9, 1, 1, false)) &&
                isnan(blm_generalized_rate_from_fill(1, 9, 0, 0, false)) &&
                isnan(blm_generalized_rate_from_fill(1, 9, 513, 0, false)) &&
                isnan(blm_generalized_rate_from_fill(1, 9, 5, 5, true)) &&
                isnan(blm_generalized_rate_from_fill(0, 0, 1, 1, false)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(rates_of_figures),
        cmocka_unit_test(rates_by_fill),
        cmocka_unit_test(misses_of_figures),
        cmocka_unit_test(steady_state),
        cmocka_unit_test(crossings),
        cmocka_unit_test(tuning),
        cmocka_unit_test(tuning_is_best),
        cmocka_unit_test(tuning_edges),
        cmocka_unit_test(misses_sum),
        cmocka_unit_test(rate_given_the_ones),
        cmocka_unit_test(spread_between_filters),
        cmocka_unit_test(identities),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

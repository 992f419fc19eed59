/* test_counts.c - space-code: how many groups are seen of a key that came so often, and what is made of that. */
#include "test_groups.h"
#include "oracles.h"

enum { FLOWS = 2000 };

/* 20,000 flows of 8 packets, then FLOWS flows of `times`, the first of which is key `first`. */
static blm_filter *flows(const char *with, unsigned times, uint64_t first)
{
    char spec[128];
    snprintf(spec, sizeof spec, "space-code keys=300000 seed=1 overfill=yes groups=32 %s", with);
    blm_filter *f = made(spec);
    for (unsigned t = 0; t < 8; t++) add_run(f, 0, 20000);
    for (unsigned t = 0; t < times; t++) add_run(f, first, FLOWS);
    return f;
}

/* The literature's figures: 2^20 bits, 3 hashes. Groups are predicted by G + (32 - G) f, G = 32 (1 - (31/32)^F); sd: of
 * the groups, of the estimate and of its relative error, for one flow, by the chances of all numbers of groups (occupancy, and
 * a binomial number by the fill), computed apart. Estimates and errors were measured of as many flows: 3 standard
 * errors of a difference. */
static const struct {
    unsigned times;
    double groups, groups_sd, mean, sd, error, error_sd;
    const char *what[3];
} figures[] = {
    {1,
     2.226,
     1.0847,
     1.118,
     1.0855,
     0.84,
     0.6885,
     {"groups of flows of 1", "estimate of flows of 1", "relative error of flows of 1"}},
    {4,
     5.039,
     1.1476,
     4.048,
     1.3620,
     0.25,
     0.2272,
     {"groups of flows of 4", "estimate of flows of 4", "relative error of flows of 4"}},
    {16,
     13.831,
     1.6031,
     16.19,
     2.8178,
     0.14,
     0.1090,
     {"groups of flows of 16", "estimate of flows of 16", "relative error of flows of 16"}},
    {64,
     28.149,
     1.5689,
     67.4,
     14.898,
     0.18,
     0.1594,
     {"groups of flows of 64", "estimate of flows of 64", "relative error of flows of 64"}},
};

static void groups_as_in_the_literature(void **state)
{
    bool none_missed = true;
    (void)state;
    for (size_t i = 0; i < COUNT(figures); i++) {
        blm_filter *f =
            flows("bits=1048576b hashes=3 resolutions=1 decode=mve", figures[i].times, 1000000);
        double groups = 0, mean = 0, error = 0;
        const double n = FLOWS, off = 3 / sqrt(n), t = figures[i].times;
        for (uint64_t key = 1000000; key < 1000000 + FLOWS; key++) {
            const unsigned seen = groups_seen(f, key, 0);
            const blm_estimate e = times_u64(f, key);
            none_missed = none_missed && seen >= 1 && blm_has_u64(f, key);
            assert_true(e.bound == (seen == 32) && e.low <= e.value && e.value <= e.high);
            assert_true(isfinite(e.value));
            groups += seen / n;
            mean += e.value / n;
            error += fabs(e.value - t) / t / n;
        }
        ORACLE_BETWEEN("1.B7", figures[i].what[0], figures[i].groups,
                       figures[i].groups - off * figures[i].groups_sd,
                       figures[i].groups + off * figures[i].groups_sd, groups);
        ORACLE_BETWEEN("1.B7", figures[i].what[1], figures[i].mean,
                       figures[i].mean - sqrt(2) * off * figures[i].sd,
                       figures[i].mean + sqrt(2) * off * figures[i].sd, mean);
        ORACLE_BETWEEN("1.B7", figures[i].what[2], figures[i].error,
                       figures[i].error - 0.005 - sqrt(2) * off * figures[i].error_sd,
                       figures[i].error + 0.005 + sqrt(2) * off * figures[i].error_sd, error);
        blm_free(f);
    }
    ORACLE_HOLDS("1.B7", "every flow has a group", none_missed);
}

/* The likelihood at F, straight from its definition: binomial chances of the groups that are seen. */
static double log_likelihood(const blm_filter *f, const unsigned *seen, double times)
{
    const double l = (double)field(f, "groups");
    double sum = 0;
    for (unsigned j = 0; j < field(f, "resolutions"); j++) {
        const double a = 1 - (1 - by_others(f, j)) * pow(1 - chance_of(f, j) / l, times);
        if (seen[j]) sum += seen[j] * log(a);
        if (seen[j] < l) sum += (l - seen[j]) * log(1 - a);
    }
    return sum;
}

/* The most likely count by golden section on ln F. */
static double searched(const blm_filter *f, const unsigned *seen)
{
    const double part = (sqrt(5) - 1) / 2;
    double low = log(1e-3), high = log(1e7);
    for (int i = 0; i < 80; i++) {
        const double a = high - part * (high - low), b = low + part * (high - low);
        if (log_likelihood(f, seen, exp(a)) < log_likelihood(f, seen, exp(b)))
            low = a;
        else
            high = b;
    }
    return exp(low);
}

/* One standard error: the curve of the likelihood that is expected, as a difference of its slopes. */
static double error_of(const blm_filter *f, double times)
{
    const double l = (double)field(f, "groups"), step = times * 1e-4;
    double known = 0;
    for (unsigned j = 0; j < field(f, "resolutions"); j++) {
        const double zero = 1 - by_others(f, j), leave = 1 - chance_of(f, j) / l;
        const double a = 1 - zero * pow(leave, times);
        const double rise =
            (zero * pow(leave, times - step) - zero * pow(leave, times + step)) / (2 * step);
        if (1 - a > 1e-9) known += l * rise * rise / (a * (1 - a));
    }
    return 1 / sqrt(known);
}

/* Four filters: counts from 1 to 3000 are the most likely ones, with the standard error of the formula, which has
 * the truth within it for 2 of 3 flows. */
static void most_likely_counts(void **state)
{
    static const unsigned times[] = {1, 2, 5, 20, 100, 500, 3000};
    enum { EACH = 60 };
    blm_filter *f = made("space-code bits=1500000b hashes=3 keys=300000 seed=1 overfill=yes");
    unsigned close = 0, all = 0;
    (void)state;
    add_run(f, 0, 20000);
    for (size_t i = 0; i < COUNT(times); i++)
        for (unsigned t = 0; t < times[i]; t++) add_run(f, (i + 1) * 1000000, EACH);
    for (size_t i = 0; i < COUNT(times); i++)
        for (uint64_t key = (i + 1) * 1000000; key < (i + 1) * 1000000 + EACH; key++) {
            unsigned seen[8];
            for (unsigned j = 0; j < 4; j++) seen[j] = groups_seen(f, key, j);
            const blm_estimate n = times_u64(f, key);
            if (n.value > 0) {
                NEAR(n.value, searched(f, seen), 1e-5);
                NEAR(n.high - n.value, error_of(f, n.value), 1e-4);
            }
            assert_true(!n.bound);
            close += fabs(n.value - times[i]) <= n.high - n.value;
            all++;
        }
    assert_true(close >
                all * 0.6); /* a normal number: 0.683, and 420 of them 0.6 by less than 4 sigma */
    blm_free(f);
}

/* decode=mve: what one of the filters says, and nothing between them. */
static void counts_of_one_filter(void **state)
{
    static const unsigned times[] = {3, 40, 400, 3000};
    (void)state;
    for (size_t i = 0; i < COUNT(times); i++) {
        blm_filter *f = made("space-code bits=1500000b hashes=3 keys=9000 decode=mve overfill=yes");
        double sum = 0;
        for (unsigned t = 0; t < times[i]; t++) add_run(f, 0, 40);
        for (uint64_t key = 0; key < 40; key++) {
            const blm_estimate n = times_u64(f, key);
            bool found = false;
            for (unsigned j = 0; j < 4; j++) {
                const double l = 32, zeros = 1 - groups_seen(f, key, j) / l,
                             one =
                                 log((1 - by_others(f, j)) / zeros) / -log1p(-chance_of(f, j) / l);
                found = found || (zeros > 0 && fabs(n.value - fmax(0, one)) <= 1e-9 * one);
            }
            assert_true(found && !n.bound);
            sum += n.value / 40;
        }
        WITHIN(sum / times[i], 1, 0.15); /* 40 flows, each off by some 20 %: 3 sigma are 10 % */
        blm_free(f);
    }
}

/* All groups seen: l ln l adds of the last filter, and never infinity. */
static void counts_end_in_a_bound(void **state)
{
    static const struct {
        const char *spec;
        double bound;
    } at[] = {
        {"space-code bits=65536b hashes=3 keys=9 resolutions=1 overfill=yes", 110.904},
        {"space-code bits=65536b hashes=3 keys=9 overfill=yes", 7097.83},
        {"space-code bits=65536b hashes=3 keys=9 overfill=yes decode=mve", 7097.83},
        {"space-code bits=65536b hashes=3 keys=9 groups=4 resolutions=3 q=0.5 overfill=yes", 22.18},
        {"space-code bits=65536b hashes=3 keys=9 groups=64 resolutions=2 q=0.1 overfill=yes",
         2661.69}};
    bool yes;
    const uint8_t key[8] = {42};
    (void)state;
    for (size_t i = 0; i < COUNT(at); i++) {
        blm_filter *f = made(at[i].spec);
        for (unsigned t = 0; t < 100 * at[i].bound; t++) OK(blm_add_u64(f, 42));
        const blm_estimate n = times_u64(f, 42);
        assert_true(n.bound && isinf(n.high) && n.low == n.value);
        NEAR(n.value, at[i].bound, 1e-4);
        assert_int_equal(blm_at_least(f, key, 8, 1000000, &yes), BLM_E_UNSURE);
        assert_true(times_u64(f, 43).value == 0 && times_u64(f, 43).high == 0);
        assert_int_equal(f->kind->max_count(f), (uint64_t)at[i].bound);
        blm_free(f);
    }
}

/* More adds of a key never show fewer groups of it. */
static void groups_only_grow(void **state)
{
    blm_filter *f = made("space-code bits=65536b hashes=3 keys=500 overfill=yes");
    unsigned before[4] = {0};
    (void)state;
    for (unsigned t = 0; t < 400; t++) {
        OK(blm_add_u64(f, 7));
        OK(blm_add_u64(f, 1000 + t));
        for (unsigned j = 0; j < 4; j++) {
            const unsigned now = groups_seen(f, 7, j);
            assert_true(now >= before[j]);
            before[j] = now;
        }
    }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_as_in_the_literature),
        cmocka_unit_test(most_likely_counts),
        cmocka_unit_test(counts_of_one_filter),
        cmocka_unit_test(counts_end_in_a_bound),
        cmocka_unit_test(groups_only_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_solver.c - popularity: the k that the part `classes` finds, against brute force and the real solution. */
#include <bloomery/theory/classes.h>

#include "core/unit.h"
#include "oracles.h"
#include "parts/classes.h"

enum { MOST = 6 };

typedef struct problem {
    size_t n;
    double asked[MOST], held[MOST], m;
} problem;

static double rate_of(const problem *p, const unsigned *k)
{
    double real[MOST];
    for (size_t i = 0; i < p->n; i++) real[i] = k[i];
    return blm_classes_rate(p->asked, p->held, p->n, p->m, real);
}

/* All vectors of min .. max: the first one of the least rate. Powers of the fill are computed once per vector. */
static double brute_force(const problem *p, unsigned min, unsigned max, unsigned *best)
{
    unsigned k[MOST];
    double least = 2, asked = 0;
    for (size_t i = 0; i < p->n; i++) k[i] = min, asked += p->asked[i];
    for (;;) {
        double load = 0, rate = 0, power[65] = {1};
        for (size_t i = 0; i < p->n; i++) load += p->held[i] * k[i];
        const double fill = -expm1(-load / p->m);
        for (unsigned j = 1; j <= max; j++) power[j] = power[j - 1] * fill;
        for (size_t i = 0; i < p->n; i++) rate += p->asked[i] / asked * power[k[i]];
        if (rate < least) least = rate, memcpy(best, k, sizeof k);
        size_t i = 0;
        while (i < p->n && k[i] == max) k[i++] = min;
        if (i == p->n) return least;
        k[i]++;
    }
}

/* Shares are whole numbers. */
static double solve(const problem *p, unsigned *k)
{
    blm_class c[MOST];
    double members = 0;
    for (size_t i = 0; i < p->n; i++) {
        c[i] = (blm_class){.asked = (uint64_t)p->asked[i], .held = (uint64_t)p->held[i]};
        members += p->held[i];
    }
    const uint64_t per_key = (uint64_t)(p->m / members * 0x1p32);
    blm_classes_solve(c, p->n, (blm_classes_room){per_key, 0, (unsigned)fmax(1, p->m / members)});
    for (size_t i = 0; i < p->n; i++) k[i] = c[i].k;
    return rate_of(p, k);
}

/* The six keys of the figure: p 0.5 .. 0.1, q 0.05 .. 0.3, 12 bits; brute force over 9^6 vectors. */
static void six_keys(void **state)
{
    static const unsigned want[] = {3, 4, 6, 6, 6, 8};
    static const double real[] = {3.077, 4.399, 5.814, 5.984, 6.399, 7.984};
    const problem p = {6, {5, 10, 20, 15, 20, 30}, {5, 4, 3, 2, 2, 1}, 120};
    unsigned brute[MOST], own[MOST];
    double k[MOST];
    char name[60];
    (void)state;
    const double least = brute_force(&p, 0, 8, brute), solved = solve(&p, own);
    for (size_t i = 0; i < p.n; i++) {
        snprintf(name, sizeof name, "key %zu: k by brute force", i + 1);
        ORACLE_NEAR("2.D2", name, want[i], 0, brute[i]);
        snprintf(name, sizeof name, "key %zu: k by the solver", i + 1);
        ORACLE_NEAR("2.D2", name, want[i], 0, own[i]);
    }
    ORACLE_NEAR("2.D2", "rate of these k", .0204200, 5e-6, least);
    ORACLE_NEAR("2.D2", "rate of the solver's k", .0204200, 5e-6, solved);
    ORACLE_NEAR("2.D2", "rate of real k", .0201410, 5e-6,
                blm_classes_real(p.asked, p.held, p.n, p.m, k));
    for (size_t i = 0; i < p.n; i++) {
        snprintf(name, sizeof name, "key %zu: real k", i + 1);
        ORACLE_NEAR("2.D2", name, real[i], 2e-4, k[i]);
    }
    double importance[MOST];
    for (size_t i = 0; i < p.n; i++) importance[i] = p.asked[i] / p.held[i];
    for (size_t i = 1; i < p.n; i++)
        assert_true(importance[i] >= importance[i - 1] && own[i] >= own[i - 1]);
    ORACLE_HOLDS("2.D2", "k rises with the importance", true);
}

/* 400 problems of 3 to 5 keys, with 1 to 8 bits for each member. Steps can end beside the best: seen in 3 of 398. */
static void against_brute_force(void **state)
{
    enum { RUNS = 400 };
    uint64_t random = 1;
    unsigned same = 0, runs = 0;
    double worst = 1;
    (void)state;
    for (unsigned run = 0; run < RUNS; run++) {
        problem p = {.n = 3 + run % 3};
        double members = 0;
        unsigned brute[MOST], own[MOST];
        for (size_t i = 0; i < p.n; i++) {
            p.asked[i] = (double)(1 + draw(&random) % (run % 2 ? 30 : 1000));
            p.held[i] = (double)(1 + draw(&random) % (run % 2 ? 30 : 1000));
            members += p.held[i];
        }
        p.m = members * (1 + (double)(draw(&random) % 700) / 100);
        const double least = brute_force(&p, 1, 12, brute), solved = solve(&p, own);
        bool inside = true;
        for (size_t i = 0; i < p.n; i++) inside = inside && own[i] <= 12;
        if (!inside) continue;
        runs++;
        same += solved <= least * (1 + 1e-9);
        worst = fmax(worst, solved / least);
    }
    assert_true(runs > RUNS * 9 / 10);
    ORACLE_AT_MOST("2.D2", "small problems: share above brute force", 0.03,
                   1 - same / (double)runs);
    ORACLE_AT_MOST("2.D2", "small problems: worst rate by that of brute force", 1.002, worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_keys),
        cmocka_unit_test(against_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

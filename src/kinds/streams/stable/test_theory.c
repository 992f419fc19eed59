/* test_theory.c - the figures of stable filters: the equation for P, and one cell against its chain, arrival by arrival. */
#include "cells.h"
#include "core/unit.h"
#include "oracles.h"
#include "test_rows.h"

/* P to the digits of the table; z and the rate of P rounded up, too. */
static void picks_of_the_paper(void **state)
{
    double zeros = 0, rates = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(picks_rows); i++) {
        const picks_row *r = &picks_rows[i];
        const unsigned top = (1u << r->d) - 1;
        char what[100];
        snprintf(what, sizeof what, "P of m=%g K=%u d=%u f=%g", r->m, r->k, r->d, r->f);
        const double p = blm_stable_picks(r->m, r->k, top, r->f);
        const double z = blm_stable_zeros(r->m, r->k, top, ceil(p));
        ORACLE_NEAR("2.C1", what, r->picks, 1e-6, p);
        assert_true(ceil(p) == r->picks_used);
        zeros = fmax(zeros, fabs(z - r->zeros));
        rates = fmax(rates, fabs(pow(1 - z, r->k) - r->rate));
    }
    ORACLE_AT_MOST("2.C1", "144 shapes: difference from the z of the table", 6e-9, zeros);
    ORACLE_AT_MOST("2.C1", "144 shapes: difference from the FPS of the table", 6e-9, rates);
}

/* ---- the chain, arrival by arrival ---------------------------------------------------------------------- */

typedef struct chain {
    unsigned top;
    double at[256], falls[256]; /* chance of each value; of so many decrements in one arrival */
    double set;
} chain;

static void begin(chain *c, const blm_stable_cell *cell, unsigned value)
{
    const double m = cell->m, p = cell->each ? 1 / m : cell->picks / m;
    const double trials = cell->each ? cell->picks : 1;
    memset(c, 0, sizeof *c);
    c->top = cell->top;
    c->at[value] = 1;
    c->set = 1 - pow(1 - 1 / m, cell->k);
    for (unsigned j = 0; j <= c->top && j <= trials;
         j++) /* binomial, by logarithms of factorials */
        c->falls[j] = exp(lgamma(trials + 1) - lgamma(j + 1.0) - lgamma(trials - j + 1) +
                          j * log(p) + (trials - j) * log(1 - p));
}

static void arrive(chain *c)
{
    double next[256] = {0}, all = 0;
    for (unsigned v = 1; v <= c->top; v++)
        for (unsigned j = 0; j < v; j++) next[v - j] += c->at[v] * c->falls[j];
    for (unsigned v = 1; v <= c->top; v++) all += next[v] *= 1 - c->set;
    next[c->top] += c->set;
    next[0] = 1 - all - c->set;
    memcpy(c->at, next, sizeof next);
}

static void the_closed_form_is_the_chain(void **state)
{
    static const struct {
        uint64_t m, picks;
        unsigned k;
    } shapes[] = {{2048, 50, 3}, {100, 99, 1}, {1000, 1, 10}, {17, 5, 2}};
    (void)state;
    for (size_t i = 0; i < COUNT(shapes) * 16; i++) {
        const unsigned d = 1 + i % 8, top = (1u << d) - 1;
        const bool each = i / 8 % 2;
        blm_stable_cell c;
        chain old, empty;
        blm_stable_cell_of(&c, shapes[i / 16].m, shapes[i / 16].k, top, shapes[i / 16].picks, each);
        begin(&old, &c, top);
        begin(&empty, &c, 0);
        for (unsigned gap = 0; gap <= (d < 6 ? 600 : 300); gap++) {
            WITHIN(blm_stable_alive(&c, gap, true), 1 - old.at[0], 1e-10);
            WITHIN(blm_stable_alive(&c, gap, false), 1 - empty.at[0], 1e-10);
            arrive(&old);
            arrive(&empty);
        }
    }
}

/* The sum of the chances, gap by gap. */
static void the_mean_over_all_gaps(void **state)
{
    static const uint64_t keys[] = {1, 2, 127, 128, 129, 1000, 5000, 40000};
    (void)state;
    for (unsigned d = 1; d <= 8; d += d < 3 ? 1 : 5) {
        blm_stable_cell c;
        double sum = 0;
        size_t next = 0;
        blm_stable_cell_of(&c, 4000, 4, (1u << d) - 1, 60, d == 2);
        for (uint64_t gap = 0; next < COUNT(keys); gap++) {
            for (; next < COUNT(keys) && keys[next] == gap; next++)
                WITHIN(blm_stable_misses(&c, (double)gap), sum / (double)gap, 1e-6);
            sum += blm_stable_miss(&c, (double)gap);
        }
        const double far = blm_stable_misses(&c, 0x1p56);
        WITHIN(far, 1 - pow(blm_stable_alive_ever(&c), 4), 1e-9);
    }
}

/* Decrements are too few: not rounded, none. Never lowered: none at any age. */
static void who_cannot_be_missed(void **state)
{
    blm_stable_cell c;
    (void)state;
    blm_stable_cell_of(&c, 1000, 4, 7, 50, false);
    assert_true(blm_stable_miss(&c, 6) <= 0 && blm_stable_miss(&c, 7) > 0);
    blm_stable_cell_of(&c, 1000, 4, 7, 2, true);
    assert_true(blm_stable_miss(&c, 3) <= 0 && blm_stable_miss(&c, 4) > 0);
    blm_stable_cell_of(&c, 1000, 4, 1, 0, false);
    assert_true(blm_stable_miss(&c, 1e18) <= 0 && blm_stable_misses(&c, 1e18) <= 0);
    NEAR(blm_stable_alive(&c, 1e5, false), 1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picks_of_the_paper),
        cmocka_unit_test(the_closed_form_is_the_chain),
        cmocka_unit_test(the_mean_over_all_gaps),
        cmocka_unit_test(who_cannot_be_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

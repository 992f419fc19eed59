/* form.h - variable-increment: the rate of the paper, pass^k, solved for m and for n by halving. */
#ifndef BLM_FORM_VARIABLE_INCREMENT_H
#define BLM_FORM_VARIABLE_INCREMENT_H
#include "theory/forms/forms.h"

/* Four increments, one counter: one other key in the cell passes with 1/4, two fail with 15/96. Or three values
 * that are decoded up to two: each of these is another one with 2/3. x: increments a cell. */
static inline double sums_pass(bool decoded, double x)
{
    const double fails =
        decoded ? 1 + 2 / 3.0 * x + 4 / 9.0 * x * x / 2 : 1 + 3 / 4.0 * x + 15 / 96.0 * x * x / 2;
    return 1 - exp(-x) * fails;
}

/* The most keys a cell with any k, or with this one. */
static inline double sums_load(bool decoded, unsigned hashes, double p)
{
    double best = 0;
    for (unsigned k = hashes ? hashes : 1; k <= (hashes ? hashes : 64); k++) {
        double low = 0, high = 100;
        for (unsigned i = 0; i < 60; i++)
            *(pow(sums_pass(decoded, (low + high) / 2), k) < p ? &low : &high) = (low + high) / 2;
        best = fmax(best, low / k);
    }
    return best;
}

static inline void check_sums(const blm_offer *o, const blm_config *c)
{
    const bool decoded = strstr(o->with, "form=bh") != NULL;
    const double width = decoded ? 6 + 4 : 6, words = WORD / width;
    const double m = (double)o->bytes * 8 / width, n = (double)o->capacity, k = o->hashes;
    const double cells = c->bits ? floor((double)c->bits / width) : m - words + 1; /* or up to m */
    const double pass = sums_pass(decoded, k * n / cells);
    const double closer =
        (k + 4) / (cells * pass); /* a part of the keys or cells, see test_planner.c */
    assert_true(m >= cells && m < cells + words);
    if (!c->bits) {
        const double min = n / sums_load(decoded, c->hashes, c->fpr);
        assert_true(m >= min * (1 - closer) - 1);
        assert_true(cells <= (min + 1) * (1 + closer));
    }
    if (!c->keys) {
        const double max = cells * sums_load(decoded, c->hashes, c->fpr);
        assert_true(n <= max * (1 + closer) + 1 && n >= max * (1 - closer) - 1);
    }
    assert_true(o->rate >= pow(sums_pass(decoded, k * n / m), k) * (1 - k * closer));
    assert_true(o->rate <= pow(pass, k) * (1 + k * closer));
    if (!c->hashes && !c->bits) WITHIN(k * n / cells, decoded ? 1.36 : 1.11, 0.8 * n / cells + 0.1);
    NEAR(o->lines, pass < 1 - 1e-9 ? (1 - pow(pass, k)) / (1 - pass) : k, closer + words / cells);
    assert_true(o->max_count == (decoded ? 62 / 6 : 62 / 7));
}

/* 200 wishes yield at least this many offers. */
#define FORM_VARIABLE_INCREMENT "variable-increment", check_sums, 360
#endif

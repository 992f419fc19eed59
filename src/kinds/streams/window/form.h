/* form.h - window: as many arrivals as keys in 7 slices of whole arrivals, and 8 columns with the keys of a slice each. */
#ifndef BLM_FORM_WINDOW_H
#define BLM_FORM_WINDOW_H
#include "theory/forms/cells.h"

static inline double rate_of_slices(double m, double k, double keys, double columns)
{
    return -expm1(columns * log1p(-closed_rate(m, k, keys)));
}

/* Cells that a non-member reads: on while one of the slices has had ones only. The last column is empty. */
static inline double lines_of_slices(double fill, double slices, unsigned k)
{
    double lines = 1;
    for (unsigned j = 1; j < k; j++) lines += -expm1(slices * log1p(-pow(fill, j)));
    return lines;
}

/* Those that take at most a 32nd more bits than the best number of hashes. */
static inline double fewest_hashes(double each)
{
    const double most = 33 / 32.0 / best_load(0, each);
    unsigned k = 1;
    while (1 / closed_load(k, each) > most) k++;
    return k;
}

/* The number of ones of each column takes a word. */
static inline void check_window(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes, p = c->fpr;
    const double keys = ceil(n / 7), slices = ceil(n / keys), columns = slices + 1;
    const double m = ((double)o->bytes * 8 - WORD * columns) / columns, words = WORD / columns;
    const double cells = c->bits ? floor(((double)c->bits - WORD * columns) / columns) : m - words;
    const double each = -expm1(log1p(-p) / columns);
    const double fill = -expm1(-k * keys / cells), closer = (k + 2) / (cells * fill);
    if (c->bits) {
        assert_true(m >= cells && m < cells + words + 1);
    } else {
        const double min = keys / best_load(c->hashes, each);
        const double more = c->hashes ? 1 : 33 / 32.0;
        assert_true(m >= min);
        assert_true(m <= (min + 1) * more * (1 + closer) + words);
        if (!c->hashes) WITHIN(k, fewest_hashes(each), 1);
    }
    if (!c->keys && slices == 7) {
        const double max = cells * best_load(c->hashes, each);
        assert_true(keys <= max);
        assert_true(keys >= max * (1 - closer) - 1);
        WITHIN(n, 7 * keys, 0);
    }
    assert_true(o->rate >= rate_of_slices(m, k, keys, columns) * (1 - 1e-12));
    assert_true(o->rate <= rate_of_slices(cells, k, keys, columns) * (1 + k * closer));
    /* At a few hundred cells the best k by the exact rate is below that of the formula. */
    if (c->bits && !c->hashes)
        WITHIN(k, fmin(fmax(cells / keys * log(2), 1), 64), 1.5 + k * k / cells);
    const double even = -expm1(-k * n / slices / cells);
    NEAR(o->lines, lines_of_slices(even, slices, o->hashes), 2 * (closer + words / cells));
}

/* 200 wishes yield at least this many offers: fewer bits than a slice takes are too few. */
#define FORM_WINDOW "window", check_window, WISHES - 40
#endif

/* cells.h - arrays of m cells, bits or counters: standard and counting.
 *
 * The rate is (1 - e^(-kn/m))^k, so k hashes want m = -kn / ln(1 - p^(1/k)) and hold n = -m ln(1 - p^(1/k)) / k. */
#ifndef BLM_FORM_CELLS_H
#define BLM_FORM_CELLS_H
#include "theory/forms/forms.h"

static inline double closed_rate(double m, double k, double n)
{
    return pow(-expm1(-k * n / m), k);
}
static inline double closed_load(unsigned k, double p)
{
    return -log1p(-pow(p, 1.0 / k)) / k;
} /* n/m */

/* The most keys a cell with any k, or with this one. */
static inline double best_load(unsigned hashes, double p)
{
    double best = 0;
    for (unsigned k = hashes ? hashes : 1; k <= (hashes ? hashes : 64); k++)
        best = fmax(best, closed_load(k, p));
    return best;
}

/* Sizes and keys: arrays of m cells, each of `width` bits; slack: what rounding may add to them. */
static inline void check_cells(const blm_offer *o, const blm_config *c, unsigned width,
                               double slack)
{
    const double m = (double)o->bytes * 8 / width, n = (double)o->capacity, k = o->hashes;
    const double words = WORD / (double)width; /* cells of one word */
    const double cells = c->bits ? (double)(c->bits / width) : m - words + 1; /* or up to m */
    const double fill = -expm1(-k * n / cells), closer = (k + 2) / (cells * fill);
    if (c->bits)
        assert_true(m >= cells && m < cells + words);
    else {
        const double min = n / best_load(c->hashes, c->fpr);
        assert_true(m >= min);
        assert_true(m <= (min + 1) * (1 + closer) * (1 + slack) + words);
    }
    if (!c->keys) {
        const double max = cells * best_load(c->hashes, c->fpr);
        assert_true(n <= max);
        assert_true(n >= max * (1 - closer) - 1);
    }
    assert_true(o->rate >= closed_rate(m, o->hashes, n) * (1 - 1e-12));
    assert_true(o->rate <= closed_rate(cells, o->hashes, n) * (1 + k * closer));
    /* The best k is round((m/n) ln 2), but for the integer next to it that wins by the exact rate. */
    if (!c->hashes) WITHIN(k, fmin(fmax(cells / n * log(2), 1), 64), 1.5);
    /* A non-member reads on while bits are one: 1 + fill + fill^2 + ... of k. */
    NEAR(o->lines, fill < 1 - 1e-9 ? (1 - pow(fill, k)) / (1 - fill) : k, closer + words / cells);
}

static inline void check_standard(const blm_offer *o, const blm_config *c)
{
    check_cells(o, c, 1, 1 / 256.0);
}

#endif

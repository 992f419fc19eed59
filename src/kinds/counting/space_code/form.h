/* form.h - space-code: l = 32 groups of k bits; one is whole by chance at (1 - e^(-kn/m))^k, any of them at 1 - (1 - that)^l.
 * The four filters have m, m/4, m/16 and m/64 bits. */
#ifndef BLM_FORM_SPACE_CODE_H
#define BLM_FORM_SPACE_CODE_H
#include "theory/forms/cells.h"

static inline double space_code_any(double one) { return -expm1(32 * log1p(-one)); }

/* The fewest cells of filter 1 per add, with any k that a query can read or with this one. */
static inline double space_code_cells(unsigned hashes, double p)
{
    const double one = -expm1(log1p(-p) / 32);
    double least = INFINITY;
    for (unsigned k = hashes ? hashes : 1; k <= (hashes ? hashes : 16); k++)
        least = fmin(least, 1 / closed_load(k, one));
    return least;
}

static inline void check_space_code(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes, all = (double)o->bytes * 8;
    /* Of each filter but the first there is one bit more, and each is rounded up to a word. */
    const double m = all / 1.328125, least = fmax(1, (all - 4 * WORD - 3) / 1.328125);
    const double fill = -expm1(-k * n / least), closer = (k + 2) / (least * fill);
    if (c->bits)
        assert_true(all <= (double)((c->bits + WORD - 1) / WORD * WORD) &&
                    all > (double)c->bits - 4 * WORD);
    else {
        const double min = n * space_code_cells(c->hashes, c->fpr);
        assert_true(m >= min * (1 - 1e-9));
        assert_true(least <= (min + 1) * (1 + closer));
    }
    assert_int_equal(o->max_count, 7097);
    assert_true(o->rate >= space_code_any(pow(-expm1(-k * n / m), k)) * (1 - 1e-6));
    assert_true(o->rate <=
                fmin(1, space_code_any(fmin(1, pow(fill, k) * (1 + k * closer)))) + 1e-12);
    NEAR(o->lines, 32 * (fill < 1 - 1e-9 ? (1 - pow(fill, k)) / (1 - fill) : k),
         2 * closer + 4 * WORD / least);
}

/* 200 wishes yield at least this many offers: more than 16 hashes per group are too many. */
#define FORM_SPACE_CODE "space-code", check_space_code, 150
#endif

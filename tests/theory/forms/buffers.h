/* buffers.h - two arrays of m bits that swap: aging and double-buffer.
 *
 * An array has seen `times` n keys of n that are planned, and a few more, those that passed for members: of keys that come, less
 * than the rate at the end. So its rate is that of times n to times n / (1 - f) keys. */
#ifndef BLM_FORM_BUFFERS_H
#define BLM_FORM_BUFFERS_H
#include "theory/forms/cells.h"

typedef struct form_buffers {
    double times; /* n, until the swap */
    bool both;    /* both arrays answer: 1 - (1 - f)^2 */
} form_buffers;

static inline double rate_of_both(form_buffers b, double f) { return b.both ? f * (2 - f) : f; }

/* What the wish says: m for keys and a rate, keys for m and a rate. */
static inline void check_buffers_size(const blm_offer *o, const blm_config *c, form_buffers b,
                                      double cells)
{
    const double m = (double)o->bytes * 8 / 2, n = (double)o->capacity, k = o->hashes;
    const double each = b.both ? -expm1(log1p(-c->fpr) / 2) : c->fpr, words = WORD / 2.0;
    const double fill = -expm1(-k * b.times * n / cells), closer = (k + 2) / (cells * fill);
    if (!c->bits) {
        const double min = b.times * n / best_load(c->hashes, each);
        assert_true(m >= min && m <= (min / (1 - each) + 1) * (1 + closer) + words);
    } else {
        assert_true(m >= cells && m < cells + words);
    }
    if (c->keys) return;
    const double max = cells * best_load(c->hashes, each) / b.times;
    assert_true(n <= max && n >= max * (1 - each) * (1 - closer) - 1);
}

static inline void check_buffers(const blm_offer *o, const blm_config *c, form_buffers b)
{
    const double m = (double)o->bytes * 8 / 2, n = (double)o->capacity, k = o->hashes;
    const double cells = c->bits ? floor((double)c->bits / 2) : m - WORD / 2.0 + 1; /* or up to m */
    const double fill = -expm1(-k * n / cells), closer = (k + 2) / (cells * fill);
    const double least = closed_rate(m, k, b.times * n), worst = closed_rate(cells, k, b.times * n);
    if (c->fpr > 0) check_buffers_size(o, c, b, cells);
    if (c->fpr > 0) NEAR(o->fpr, c->fpr, 1e-15);
    /* The planned keys fill one array, when no swap has been. */
    assert_true(o->rate >= closed_rate(m, k, n) * (1 - 1e-12));
    assert_true(o->rate <= closed_rate(cells, k, n) * (1 + k * closer));
    NEAR(o->lines, fill < 1 - 1e-9 ? (1 - pow(fill, k)) / (1 - fill) : k,
         2 * closer + WORD / cells);
    if (c->fpr > 0) return;
    assert_true(o->fpr >= rate_of_both(b, least) * (1 - 1e-6));
    if (worst > 0.2) return; /* nearly as many pass as are counted */
    const double late = closed_rate(cells, k, b.times * n * (1 + 2 * worst));
    assert_true(o->fpr <= rate_of_both(b, late) * (1 + k * closer));
    if (!c->hashes) WITHIN(k, fmin(fmax(cells / (b.times * n) * log(2), 1), 64), 1.5 + 2 * worst);
}
#endif

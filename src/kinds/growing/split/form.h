/* form.h - eight rows: in order each for an eighth of the keys, 1 - (1 - f)^8; by hash f of a binomial number of keys. */
#ifndef BLM_FORM_SPLIT_H
#define BLM_FORM_SPLIT_H
#include "theory/forms/cells.h"

enum { FORM_SPLIT_ROWS = 8 };

/* Keys in order, as many as are taken: rows of c, and one with the rest. */
static inline double rows_in_order(double m, double k, double c, double n)
{
    const double full = fmin(floor(n / c), FORM_SPLIT_ROWS);
    const double none = full * log1p(-closed_rate(m, k, c)) +
                        (full < FORM_SPLIT_ROWS ? log1p(-closed_rate(m, k, n - full * c)) : 0);
    return -expm1(none);
}

/* The sum over all numbers of keys that a row may have, from the mean on upward and downward; 9 deviations. */
static inline double rows_by_hash(double m, double k, double n)
{
    const double mean = floor(n / FORM_SPLIT_ROWS), far = 9 * sqrt(mean) + 40;
    double sum = 0, all = 0, weight = 1;
    if (mean > 1e5) return closed_rate(m, k, n / FORM_SPLIT_ROWS);
    for (double load = mean; load <= fmin(n, mean + far); load++) {
        sum += weight * closed_rate(m, k, load), all += weight;
        weight *= (n - load) / (load + 1) / (FORM_SPLIT_ROWS - 1);
    }
    weight = 1;
    for (double load = mean - 1; load >= fmax(0, mean - far); load--) {
        weight *= (load + 1) * (FORM_SPLIT_ROWS - 1) / (n - load);
        sum += weight * closed_rate(m, k, load), all += weight;
    }
    return sum / all;
}

/* Of 4 to 10^5 keys per row what is taken differs from what comes by the rate at most; the exact rate is above the closed one
 * by a part k (k + 2) / (m fill), see test_planner.c. */
static inline void check_rows_split(const blm_offer *o, const blm_config *c)
{
    const bool hash = strstr(o->spec, "rows=hash") != NULL;
    const double m = floor((double)o->bytes * 8 / FORM_SPLIT_ROWS), n = (double)o->capacity,
                 k = o->hashes;
    const double cells = c->bits ? floor((double)c->bits / FORM_SPLIT_ROWS) : m;
    /* Without a number of keys rows have as many as keep the rate together. */
    const double keys =
        c->keys || !c->hashes || hash
            ? ceil(n / FORM_SPLIT_ROWS)
            : floor(cells * closed_load(o->hashes, -expm1(log1p(-c->fpr) / FORM_SPLIT_ROWS)));
    const double fill = -expm1(-k * keys / m), closer = (k + 2) / (m * fill),
                 words = WORD / (double)FORM_SPLIT_ROWS;
    const double rows = ceil(n / keys), p = hash ? c->fpr : -expm1(log1p(-c->fpr) / rows);
    if (c->bits) assert_true(m >= cells && m < cells + words);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    const double uneven = hash ? k * k / 2 * FORM_SPLIT_ROWS / n : 0; /* of the rate */
    if (!c->bits) {
        const double min = keys / best_load(c->hashes, p);
        if (!hash) assert_true(m >= min);
        assert_true(m <= (min + 1) * (1 + closer) * (1 + 1 / 256.0) * (1 + 4 * uneven / k) + words);
    }
    const double taken = n * (1 - o->rate), slack = k * closer + 1e-9;
    if (c->bits && keys < 4) return;       /* whole keys are too coarse */
    if (closed_rate(m, k, keys) > 0.999) { /* far too many hashes: all ones */
        assert_true(o->rate > 0.99);
        return;
    }
    const double high = hash ? rows_by_hash(cells, k, n) : rows_in_order(cells, k, keys, n);
    const double low = hash ? rows_by_hash(m, k, n) : rows_in_order(m, k, keys, taken);
    assert_true(o->rate >= low * (1 - slack - 0.01));
    assert_true(o->rate <= high * (1 + slack) * (1 + 0.01));
    if (!c->hashes)
        WITHIN(k, fmin(fmax(cells / keys * log(2), 1), 64), 1.5 + 4 * uneven + k * k / m);
}

/* 200 wishes yield at least this many offers: two each, but for memories below eight bits per row. */
#define FORM_SPLIT "split", check_rows_split, 360
#endif

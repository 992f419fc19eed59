/* rates.h - what the tests of several kinds ask of a rate. */
#ifndef BLM_TESTS_RATES_H
#define BLM_TESTS_RATES_H
#include "core/unit.h"

/* Filled with n keys: 10^6 non-members pass within the 99 % interval of p +- 1 %, and it says so. */
static inline void fill_to_rate(blm_filter *f, uint64_t n, double p)
{
    const double probes = 1e6;
    add_run(f, 0, n);
    assert_true(has_run(f, 0, n));
    WITHIN((double)false_yes(f, 1000000), p * probes,
           2.576 * sqrt(probes * p * (1 - p)) + 0.01 * p * probes);
    NEAR(blm_fpr(f, NULL).high, p, 0.03); /* between filters: below 1 % */
    assert_true(blm_fpr(f, &(blm_case){.keys = n}).spread > 0 && blm_fpr(f, NULL).spread == 0);
}

/* The rates of filters that are filled alike: as they stand, and by their fields. */
typedef struct rates_seen {
    double sum, square;
    unsigned filters;
    blm_rate by_fields;
} rates_seen;

static inline void see_rate(rates_seen *r, blm_filter *f, uint64_t keys)
{
    add_run(f, 0, keys);
    const double now = blm_fpr(f, NULL).high;
    r->sum += now, r->square += now * now, r->filters++;
    r->by_fields = blm_fpr(f, &(blm_case){.keys = keys});
}

/* Mean and spread are those of the fields: the mean to 4 sigma. */
static inline void check_spread(const rates_seen *r)
{
    const double n = r->filters, mean = r->sum / n;
    const blm_rate p = r->by_fields;
    WITHIN(mean, p.high, 4 * p.high * p.spread / sqrt(n));
    NEAR(sqrt(r->square / n - mean * mean) / mean, p.spread, 0.1);
}

/* The same 300 keys into both: do they have the same cells? Rate and answers are always the same. */
static inline bool fill_alike(blm_filter *f, blm_filter *g, double digits)
{
    add_run(f, 0, 300);
    add_run(g, 0, 300);
    NEAR(blm_fpr(f, NULL).high, blm_fpr(g, NULL).high, digits);
    for (uint64_t s = 1000; s < 3000; s++) assert_int_equal(blm_has_u64(f, s), blm_has_u64(g, s));
    return same_cells(f, g);
}
#endif

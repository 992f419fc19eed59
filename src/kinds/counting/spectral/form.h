/* form.h - counters of 32 bits, or as many as counts need; method=recurring adds a 16th of them, and a bit for each. */
#ifndef BLM_FORM_SPECTRAL_H
#define BLM_FORM_SPECTRAL_H
#include "theory/forms/cells.h"

static inline void check_spectral(const blm_offer *o, const blm_config *c)
{
    const unsigned width = counter_width(c, 32, 4);
    const double whole = width * (1 + 1 / 16.0) + 1;
    assert_true(o->max_count == (UINT64_C(1) << width) - 2);
    if (!strstr(o->with, "method=recurring")) {
        if (o->capacity >= 30) check_cells(o, c, width, 0); /* a few keys: the formula is far off */
        return;
    }
    /* Three arrays of whole words, and a counter for a 16th that is not whole. */
    const double m = (double)o->bytes * 8 / whole, words = (3 * WORD + width) / whole;
    const double n = (double)o->capacity, k = o->hashes, fewer = fmax(1, m - words);
    const double closer = (k + 2) / (fewer * -expm1(-k * n / fewer));
    if (c->bits) {
        assert_true(o->bytes * 8 <= (c->bits + 63) / 64 * 64);
        assert_true(m > (double)c->bits / whole - words - 1);
    } else {
        const double min = n / best_load(c->hashes, c->fpr);
        assert_true(m >= min && m <= (min + 1) * (1 + closer) + words);
    }
    if (!c->keys) {
        const double load = best_load(c->hashes, c->fpr);
        assert_true(n <= m * load && n >= fewer * load * (1 - closer) - 1);
    }
    assert_true(o->rate >= closed_rate(m, k, n) * (1 - 1e-12));
    assert_true(o->rate <= closed_rate(fewer, k, n) * (1 + k * closer));
}

/* 200 wishes yield at least this many offers. */
#define FORM_SPECTRAL "spectral", check_spectral, 500
#endif

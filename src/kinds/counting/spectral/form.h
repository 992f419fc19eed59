/* form.h - counters of 32 bits, or as many as counts need, or as many as they are; method=recurring adds a 16th of them, and a bit for each. */
#ifndef BLM_FORM_SPECTRAL_H
#define BLM_FORM_SPECTRAL_H
#include "theory/forms/cells.h"

/* ---- layout=compact ---------------------------------------------------------------------- */

/* Bits in the pool of a counter: none for 0, 1 for 1, then 4, 7, 10, ... for 4, 16, 64, ... values. */
static inline double compact_size(unsigned value)
{
    double bits = value > 0;
    for (unsigned first = 2, many = 4; first <= value; first += many, many *= 4) bits += 3;
    return bits;
}

/* Bits of a counter into which a Poisson number of keys throws, and their variance. */
static inline double compact_mean(double load, double *variance)
{
    double chance = exp(-load), mean = 0, square = 0;
    for (unsigned v = 1; v < 600; v++) {
        chance *= load / v;
        mean += chance * compact_size(v);
        square += chance * compact_size(v) * compact_size(v);
    }
    *variance = square - mean * mean;
    return mean;
}

/* Bits of m counters: surely enough of them, or at least that many. Pages are full once in 10^6 filters, by Bernstein's
 * inequality for terms of up to 7 bits, 10 where many keys share counters; two words per page for rounding. */
static inline double compact_bits(double m, double k, double n, bool surely)
{
    double variance;
    const double groups = ceil(m / 256), pages = ceil(groups / 16), own = ceil(groups / pages);
    const double mean = compact_mean(fmin(k * n / m, 100), &variance), share = m * own / groups;
    const double chance = log(pages * 1e6), third = (k * n / m > 1 ? 10 : 7) * chance / 3;
    const double top = mean * share + third + sqrt(third * third + 2 * variance * share * chance);
    if (!surely) return m + m * mean;
    return m + WORD + pages * WORD * (ceil(own / 4) + ceil(fmin(3 * k * n, top) / WORD) + 2);
}

/* The most counters in these bits; but a group per page less may be. */
static inline double compact_counters(double bits, double k, double n, bool surely)
{
    double low = 0, high = bits;
    while (high - low > 0.5) {
        const double m = (low + high) / 2;
        *(compact_bits(m, k, n, surely) <= bits ? &low : &high) = m;
    }
    const double groups = ceil(high / 256), pages = fmax(1, ceil(groups / 16));
    return surely ? fmax(0, low * (1 - 1 / (1 + groups / pages)) - WORD) : high;
}

static inline double compact_rate(const blm_config *c, double n, bool surely)
{
    double least = 1;
    for (unsigned k = c->hashes ? c->hashes : 1; k <= (c->hashes ? c->hashes : 64); k++) {
        const double m = compact_counters((double)c->bits + (surely ? 0 : WORD), k, n, surely);
        if (m < 1) continue;
        const double closer = (k + 2) / (m * -expm1(-k * n / m));
        least = fmin(least, closed_rate(m, k, n) * (surely ? 1 + k * closer : 1 - 1e-9));
    }
    return least;
}

static inline void check_compact(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes, bits = (double)o->bytes * 8;
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    if (c->bits) {
        assert_true(o->bytes * 8 <= (c->bits + 63) / 64 * 64);
        assert_true(o->rate >= compact_rate(c, n, false));
        assert_true(o->rate <= compact_rate(c, n, true));
        if (!c->keys) assert_true(compact_rate(c, floor(n * 1.4) + 2, false) > c->fpr);
        return;
    }
    const double m = n / best_load(c->hashes, c->fpr), closer = (k + 2) / (m * -expm1(-k * n / m));
    assert_true(bits >= compact_bits(m, k, n, false));
    assert_true(bits <= compact_bits((m + 1) * (1 + closer), k, n, true));
}

static inline void check_spectral(const blm_offer *o, const blm_config *c)
{
    const unsigned width = counter_width(c, 32, 4);
    const double whole = width * (1 + 1 / 16.0) + 1;
    assert_true(o->max_count == (UINT64_C(1) << width) - 2);
    if (strstr(o->with, "layout=compact")) {
        check_compact(o, c);
        return;
    }
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
#define FORM_SPECTRAL "spectral", check_spectral, 650
#endif

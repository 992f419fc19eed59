/* form.h - counter-braids: rows of 9 bits per counter, as those of count-min, and layer 2: 13 counters of 32 bits for each 200 of these. */
#ifndef BLM_FORM_COUNTER_BRAIDS_H
#define BLM_FORM_COUNTER_BRAIDS_H
#include "theory/forms/forms.h"

/* (1 - (1 - 1/w)^n)^k: w counters in each of k rows. */
static inline double braids_rate(double w, double k, double n)
{
    return pow(-expm1(n * log1p(-1 / w)), k);
}
/* Columns for n keys at p; keys for w columns. */
static inline double braids_columns(double n, unsigned k, double p)
{
    return -1 / expm1(log1p(-pow(p, 1.0 / k)) / n);
}
static inline double braids_load(double w, unsigned k, double p)
{
    return log1p(-pow(p, 1.0 / k)) / log1p(-1 / w);
}

static inline double braids_bits(double w, double k)
{
    return 9 * k * w + 96 * (ceil(0.065 * k * w / 3) + 8);
}

/* The columns of a layer 1 in that many bits. Two layers in whole words, and a row more of layer 2 or not: 160 bits. */
static inline double braids_width(double bits, double k)
{
    double low = 0, high = bits;
    while (high - low > 0.5) {
        const double w = (low + high) / 2;
        *(braids_bits(w, k) <= bits ? &low : &high) = w;
    }
    return floor(high);
}

static inline void check_braids(const blm_offer *o, const blm_config *c)
{
    const double k = o->hashes, n = (double)o->capacity, bits = 8 * (double)o->bytes;
    const double min = fmax(1, braids_width(bits - 160, k) - 1), max = braids_width(bits + 160, k);
    const unsigned first = c->hashes ? c->hashes : 3, last = c->hashes ? c->hashes : 64;
    double fewest = INFINITY, most = 0;
    assert_true(o->hashes >= 3 && o->max_count == 0);
    for (unsigned i = first; i <= last; i++) {
        if (c->keys && c->fpr > 0) fewest = fmin(fewest, i * ceil(braids_columns(n, i, c->fpr)));
        if (!c->keys) most = fmax(most, braids_load(braids_width((double)c->bits, i), i, c->fpr));
    }
    if (c->bits)
        assert_true(o->bytes <= (c->bits + 63) / 64 * 8 &&
                    bits + 9 * k + 96 + 128 > (double)c->bits);
    else /* 16 columns more than the rate needs */
        assert_true(k * (max - 16) >= fewest - k && k * (min - 16) <= fewest + k);
    if (!c->keys) WITHIN(n, most, 1 + most * (max - min + 2) / min);
    assert_true(o->rate <= braids_rate(min, k, n) * (1 + 1e-9));
    assert_true(o->rate >= braids_rate(max, k, n) * (1 - 1e-9));
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    const double fill = -expm1(n * log1p(-2 / (min + max)));
    NEAR(o->lines, fill < 1 - 1e-9 ? (1 - pow(fill, k)) / (1 - fill) : k,
         0.01 + k * (max - min) / min);
}

/* 200 wishes yield at least this many offers: some memories are too small, and one or two hashes too few. */
#define FORM_COUNTER_BRAIDS "counter-braids", check_braids, 120
#endif

/* form.h - golomb: the entropy of n values among R, and what code, index and sections of one size add to it. */
#ifndef BLM_FORM_GOLOMB_H
#define BLM_FORM_GOLOMB_H
#include "theory/forms/forms.h"

/* Bits of n keys, one of R values each with 1 - (1 - 1/R)^n = p: R H(p) for the set of values. The code adds 0.03 bits per
 * value at most, an index of at most 4 + log2 of a code's length per bucket, and 3.5 sigma in each shard. */
static inline void golomb_bits(double n, double p, double *low, double *high)
{
    const double range = -1 / expm1(log1p(-p) / n), values = range * p;
    const double each = (-p * log2(p) - (1 - p) * log1p(-p) / log(2)) / p;
    const double shards = ceil(n / 0x1p21), buckets = n / 60 + shards;
    *low = values * each;
    *high = values * (each + 0.03) + buckets * (11 + log2(each)) +
            3.5 * (each + 1) * sqrt(n * shards) + 448 * shards;
}

static inline void check_golomb(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, bits = (double)o->bytes * 8;
    double low, high;
    assert_true(o->hashes == 0 && o->max_count == 0 && o->lines > 3 && o->lines < 6);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (c->bits) assert_true(bits <= (double)c->bits + WORD);
    golomb_bits(n, o->rate, &low, &high);
    assert_true(bits > low * (1 - 1e-6) && bits < high);
    if (!c->bits) NEAR(o->rate, c->fpr, 0.02 + 64 / n); /* whole values per bucket */
}

/* At least this many offers for 200 wishes: it has no hashes to wish for. */
#define FORM_GOLOMB "golomb", check_golomb, 60
#endif

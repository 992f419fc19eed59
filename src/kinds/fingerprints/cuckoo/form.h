/* form.h - cuckoo: two tables of buckets of 4 slots, 95 of 100 in use, each with one of across * 2^f numbers. */
#ifndef BLM_FORM_CUCKOO_H
#define BLM_FORM_CUCKOO_H
#include "theory/forms/forms.h"

/* The rests 0 and 1 are one: two numbers of 2^f have twice the chance. */
static inline double rests_rate(double across, int f, double n)
{
    const double range = ldexp(across, f), twice = ldexp(2, -f);
    return (1 - twice) * -expm1(n * log1p(-1 / range)) + twice * -expm1(n * log1p(-2 / range));
}

/* All keys find room below 98 %, but for what few buckets lack, and for nine keys with the same two of them, less than
 * once in 5 * 10^6 filters. */
static inline double rests_across(double n)
{
    double b = ceil(n / 7.6);
    while (n > 8 && (7.84 * b - 6.7 * pow(2 * b, 0.36) < n ||
                     exp(lgamma(n + 1) - lgamma(n - 8) - lgamma(10) - 16 * log(b)) > 2e-7))
        b++;
    return n > 8 ? b : 1;
}

/* Nine keys with the same number are rarer than once in 10^6 filters. */
static inline bool rests_apart(double across, int f, double n)
{
    return ldexp(across, f) <= 0x1p62 && (n < 9 || exp(lgamma(n + 1) - lgamma(n - 8) - lgamma(10) -
                                                       8 * (log(across) + f * log(2))) <= 1e-6);
}

/* The longest rests that bits have room for, then as many buckets as fit. Returns the rate; above 1: no fit. */
static inline double rests_fit(double bits, double n, int less, uint64_t *bytes)
{
    for (int f = 56; f >= 5; f--) {
        const double b = floor(bits / (2 * (4 * f - less)));
        if (b < rests_across(n) || !rests_apart(b, f, n)) continue;
        *bytes = (uint64_t)ceil(2 * b * (4 * f - less) / WORD) * 8;
        return rests_rate(b, f, n);
    }
    return 2;
}

/* The fewest bits, 4 less per bucket where it is sorted, in whole words. Two numbers of 2^f in one take up to a part
 * 2^(1 - f) more of them. */
static inline void check_cuckoo_prints(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, bits = (double)o->bytes * 8;
    const int less = strstr(o->spec, "form=sorted") ? 4 : 0;
    double min = (double)INFINITY, max = min;
    uint64_t bytes = 0;
    assert_int_equal(o->max_count, strstr(o->spec, "twins=once") ? 0 : 8);
    assert_true(o->hashes == 0 && o->lines > 2 && o->lines < 3);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (c->bits) {
        const double room = ceil((double)c->bits / WORD) * WORD,
                     rate = rests_fit(room, n, less, &bytes);
        NEAR(o->rate, rate, 1e-9);
        assert_int_equal(o->bytes, bytes);
        if (!c->keys) assert_true(rests_fit(room, floor(n * 1.001) + 1, less, &bytes) > c->fpr);
        return;
    }
    for (int f = 5; f <= 56; f++) {
        const double crowds = n < 9 ? -99 : lgamma(n + 1) - lgamma(n - 8) - lgamma(10) + log(1e6),
                     wanted = ldexp(fmax(-1 / expm1(log1p(-c->fpr) / n), exp(crowds / 8)), -f),
                     least = rests_across(n);
        const double b = fmax(least, ceil(wanted)),
                     more = fmax(least, ceil(wanted * (1 + ldexp(2, -f)) * (1 + 0x1p-12)));
        if (rests_apart(b * (1 + 1e-6), f, n)) min = fmin(min, 2 * b * (4 * f - less));
        if (rests_apart(b, f, n)) max = fmin(max, 2 * more * (4 * f - less));
    }
    assert_true(bits >= min && bits < max + WORD);
}

/* At least this many offers for 200 wishes: it has no hashes to wish for. */
#define FORM_CUCKOO "cuckoo", check_cuckoo_prints, 200
#endif

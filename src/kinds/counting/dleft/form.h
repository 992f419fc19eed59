/* form.h - dleft: fingerprints, 1 - (1 - 1/N)^n, in the fewest bits. */
#ifndef BLM_FORM_DLEFT_H
#define BLM_FORM_DLEFT_H
#include "theory/forms/forms.h"

enum { DLEFT_CELL = 57 }; /* bits that one load has, wherever a cell begins */

/* Four tables of buckets of 8 cells, r + `width` bits each, 6 in use: the longest remainders that bits have room
 * for; more than 1 when they have none. */
static inline double dleft_rate(double bits, double n, unsigned width)
{
    for (int r = DLEFT_CELL - (int)width; r; r--) {
        const double b = floor(bits / (32 * (r + (double)width)));
        if (24 * b >= n && ldexp(b, r) <= 0x1p63) return -expm1(n * log1p(-1 / ldexp(b, r)));
    }
    return 2;
}

/* n keys at p want 1 / (1 - (1 - p)^(1/n)) fingerprints, and n / 24 buckets a table. */
static inline void check_dleft(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, bits = (double)o->bytes * 8;
    const unsigned width = counter_width(c, 2, 2);
    double min = (double)INFINITY;
    assert_int_equal(o->max_count, (UINT64_C(1) << width) - 2);
    assert_true(o->hashes == 0 && o->lines > 4 && o->lines < 8);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (c->bits) {
        NEAR(o->rate, dleft_rate((double)c->bits, n, width), 1e-9);
        if (!c->keys)
            assert_true(dleft_rate((double)c->bits, floor(n * 1.001) + 1, width) > c->fpr);
        return;
    }
    for (int r = 1; r <= DLEFT_CELL - (int)width; r++) {
        const double range = -1 / expm1(log1p(-c->fpr) / n),
                     b = fmax(ceil(n / 24), ceil(ldexp(range, -r) * (1 - 1e-12)));
        if (ldexp(b, r) <= 0x1p63) min = fmin(min, 32 * b * (r + (double)width));
    }
    assert_true(bits >= min && bits < min * (1 + 1e-9) + WORD);
}

/* At least this many offers for 200 wishes: it has no hashes to wish for. */
#define FORM_DLEFT "dleft", check_dleft, 60
#endif

/* fixed.h - kinds of fixed sets, where a few cells of w bits are xored: all shards of one size, one per 2^21 keys. */
#ifndef BLM_FORMS_FIXED_H
#define BLM_FORMS_FIXED_H
#include "theory/forms/forms.h"

/* Bytes of that many shards: a seed of 8 bytes each, and cells in whole words. */
static inline double prints_bytes(double shards, double cells, int width)
{
    return shards * (8 + 8 * ceil(cells * width / WORD));
}

static inline void check_prints(const blm_offer *o, const blm_config *c,
                                double (*cells_of)(double keys))
{
    const double n = (double)o->capacity, shards = fmax(1, ceil(n / 2097152));
    const double mean = n / shards;
    const double cells = cells_of(shards > 1 ? ceil(mean + 3 * sqrt(mean)) : n);
    int width = 1;
    if (c->bits) {
        const double most = 8 * floor((double)c->bits / WORD);
        while (width < 32 && prints_bytes(shards, cells, width + 1) <= most) width++;
    } else
        while (ldexp(1, -width) > (c->fpr > 0 ? c->fpr : 1e-3)) width++;
    NEAR((double)o->bytes, prints_bytes(shards, cells, width), 1e-12);
    NEAR(o->rate, ldexp(1, -width), 1e-12);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
}
#endif

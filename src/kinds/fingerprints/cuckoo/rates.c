/* rates.c - what size, what rate, how full, how many keys. */
#include <bloomery/theory.h>
#include <bloomery/theory/cuckoo.h>
#include <math.h>

#include "cells.h"

blm_err blm_cuckoo_size(blm_cuckoo *s, const blm_config *wish, blm_report *why)
{
    unsigned width = 0;
    if (wish->bits) {
        const double least = s->slots * (double)BLM_CUCKOO_LEAST - (s->form ? 4 : 0);
        if (blm_fit_cuckoo_prints(wish->bits, wish->keys, s->slots, s->form, &s->buckets, &width))
            s->width = (uint8_t)width;
        else
            return blm_fail(why, BLM_E_ARG,
                            "bits %llu: too few for %llu keys, which need %g buckets of %u slots "
                            "and at least %g bits",
                            (unsigned long long)wish->bits, (unsigned long long)wish->keys,
                            2 * (double)blm_cuckoo_across(wish->keys, s->slots), s->slots, least);
        return BLM_OK;
    }
    if (!blm_size_cuckoo_prints(wish->keys, wish->fpr, s->slots, s->form, &s->buckets, &width))
        return blm_fail(why, BLM_E_ARG,
                        "%.4g keys at fpr %.3g need over 2^47 buckets, or fingerprints of more "
                        "than %d bits",
                        (double)wish->keys, wish->fpr, BLM_CUCKOO_WIDTH);
    s->width = (uint8_t)width;
    return BLM_OK;
}

/* Each fingerprint is one of N numbers, or two of them. */
blm_rate blm_cuckoo_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const double now = (double)(s->different + s->pairs) / (double)s->range;
    if (!c) return (blm_rate){now, now, 0};
    const double p = blm_rate_cuckoo_prints(s->now.across, s->now.low, c->keys);
    return (blm_rate){p, p, blm_rate_cuckoo_prints_sd(s->now.across, s->now.low, c->keys)};
}

double blm_cuckoo_fill(const blm_filter *f)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    return (double)s->used / (double)blm_prints_cells(&s->now);
}

/* Two buckets, which begin anywhere in a line. */
double blm_cuckoo_lines(const blm_filter *f, const blm_case *c)
{
    (void)c;
    return 2 * (1 + (((const blm_cuckoo *)f)->wide - 1) / 512.0);
}

/* By the fingerprints: two keys have the same one as if there were a few less than N. */
blm_err blm_cuckoo_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const uint64_t range = (uint64_t)((double)s->range / (1 + ldexp(2, -(int)s->now.low)));
    const bool full = s->different >= range; /* no table is: unchecked fields */
    const double v = blm_keys_from_fill(full ? range - 1 : s->different, range, 1);
    const double sd = blm_keys_sd(range, 1, (uint64_t)v);
    *n = (blm_estimate){v, fmax(0, v - sd), v + sd, full};
    return BLM_OK;
}

/* rates.c - how many buckets and bits, what rate, how full, how many keys. */
#include <bloomery/theory/dleft.h>
#include <math.h>

#include "cells.h"

blm_err blm_dleft_size(blm_dleft *s, const blm_config *wish, unsigned *r, blm_report *why)
{
    const unsigned cells = s->tables * s->bucket;
    if (wish->bits) {
        if (blm_fit_dleft(wish->bits, wish->keys, s->tables, s->bucket, s->width, &s->buckets, r))
            return BLM_OK;
        return blm_fail(why, BLM_E_ARG,
                        "bits %llu: too few for %llu keys, which need %g cells of at least %u bits",
                        (unsigned long long)wish->bits, (unsigned long long)wish->keys,
                        fmax(cells, ceil((double)wish->keys / (s->bucket - 2.0)) * s->bucket),
                        s->width + 1u);
    }
    if (blm_size_dleft(wish->keys, wish->fpr, s->tables, s->bucket, s->width, &s->buckets, r))
        return BLM_OK;
    return blm_fail(
        why, BLM_E_ARG,
        "%.4g keys at fpr %.3g need over 2^50 buckets or fingerprints of 63 bits or more",
        (double)wish->keys, wish->fpr);
}

blm_rate blm_dleft_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_dleft *s = (const blm_dleft *)f;
    return blm_prints_rate(s->range, s->used, c);
}

double blm_dleft_fill(const blm_filter *f)
{
    const blm_dleft *s = (const blm_dleft *)f;
    return (double)s->used / (double)blm_prints_cells(&s->now);
}

double blm_dleft_lines(const blm_filter *f, const blm_case *c)
{
    const blm_dleft *s = (const blm_dleft *)f;
    (void)c;
    return blm_prints_lines(&s->now);
}

blm_err blm_dleft_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_dleft *s = (const blm_dleft *)f;
    *n = blm_prints_keys(s->range, s->used);
    return BLM_OK;
}

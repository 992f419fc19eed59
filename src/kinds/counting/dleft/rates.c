/* rates.c - how many buckets and bits, what rate, how full, how many keys. */
#include <bloomery/theory.h>
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
    const double p = c ? blm_rate_prints(s->range, c->keys) : (double)s->used / (double)s->range;
    return (blm_rate){p, p, c ? blm_rate_prints_sd(s->range, c->keys) : 0};
}

double blm_dleft_fill(const blm_filter *f)
{
    const blm_dleft *s = (const blm_dleft *)f;
    return (double)s->used / (double)blm_prints_cells(&s->now);
}

/* All d buckets, which begin anywhere in a line. */
double blm_dleft_lines(const blm_filter *f, const blm_case *c)
{
    const blm_dleft *s = (const blm_dleft *)f;
    (void)c;
    return s->tables * (1 + (s->now.bits * s->bucket - 1) / 512.0);
}

blm_err blm_dleft_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_dleft *s = (const blm_dleft *)f;
    const bool full = s->used == s->range; /* then only a lower bound is known */
    const double v = blm_keys_from_fill(s->used - full, s->range, 1);
    const double sd = blm_keys_sd(s->range, 1, (uint64_t)v);
    *n = (blm_estimate){v, fmax(0, v - sd), v + sd, full};
    return BLM_OK;
}

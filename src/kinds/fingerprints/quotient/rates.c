/* rates.c - how many quotients and bits, what rate, how full, how many keys. */
#include <bloomery/theory.h>
#include <bloomery/theory/dleft.h>
#include <bloomery/theory/quotient.h>
#include <math.h>

#include "cells.h"

blm_err blm_quotient_size(blm_quotient *s, const blm_config *wish, blm_report *why)
{
    unsigned r = 0;
    const bool fits = wish->bits
                          ? blm_fit_quotient(wish->bits, wish->keys, s->width, &s->quotients, &r)
                          : blm_size_quotient(wish->keys, wish->fpr, s->width, &s->quotients, &r);
    s->remainder = (uint8_t)r;
    if (fits) return BLM_OK;
    const double n = (double)wish->keys;
    const uint64_t least = wish->keys < UINT64_C(1) << BLM_QUOTIENT_ACROSS
                               ? blm_quotient_bits(blm_quotient_homes(wish->keys), 1, s->width)
                               : 0;
    if (wish->bits && least)
        return blm_fail(why, BLM_E_ARG,
                        "bits %llu: too few for %.4g keys, whose slots take at least %llu bits",
                        (unsigned long long)wish->bits, n, (unsigned long long)least);
    return blm_fail(why, BLM_E_ARG,
                    "%.4g keys at fpr %.3g need over 2^%d quotients, remainders of more than %u "
                    "bits or fingerprints of more than %d; raise fpr or use fewer keys",
                    n, wish->fpr, BLM_QUOTIENT_ACROSS, BLM_RUNS_CELL - s->width,
                    BLM_QUOTIENT_RANGE);
}

blm_rate blm_quotient_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_quotient *s = (const blm_quotient *)f;
    const double p = c ? blm_rate_prints(s->range, c->keys) : (double)s->prints / (double)s->range;
    return (blm_rate){p, p, c ? blm_rate_prints_sd(s->range, c->keys) : 0};
}

double blm_quotient_fill(const blm_filter *f)
{
    const blm_quotient *s = (const blm_quotient *)f;
    return (double)s->used / (double)s->now.homes;
}

/* Heads begin anywhere in a line. A home that has no run needs no more; a run's cells lie up to a block further on. */
double blm_quotient_lines(const blm_filter *f, const blm_case *c)
{
    const blm_quotient *s = (const blm_quotient *)f;
    const double load = c ? (double)c->keys / (double)s->now.homes : blm_quotient_fill(f);
    const double away = (BLM_RUNS_HEAD + 4.0 * s->now.bits) / 64;
    return 1 + (BLM_RUNS_HEAD - 1) / 64.0 - expm1(-load) * fmin(1, away);
}

blm_err blm_quotient_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_quotient *s = (const blm_quotient *)f;
    const bool full = s->prints >= s->range; /* then only a lower bound is known; unchecked: more */
    const double v = blm_keys_from_fill(full ? s->range - 1 : s->prints, s->range, 1);
    const double sd = blm_keys_sd(s->range, 1, (uint64_t)v);
    *n = (blm_estimate){v, fmax(0, v - sd), v + sd, full};
    return BLM_OK;
}

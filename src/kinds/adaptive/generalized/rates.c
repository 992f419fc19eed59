/* rates.c - the rates of bits that are set and reset, and how many keys have come. */
#include <bloomery/theory/generalized.h>
#include <math.h>

#include "cells.h"

double blm_resets_ceiling(const blm_filter *f)
{
    const blm_resets *s = (const blm_resets *)f;
    return blm_generalized_ceiling(s->flat.cells, s->resets, blm_resets_sets(s), s->distinct);
}

static blm_generalized_load generalized_after(const blm_resets *s, uint64_t keys)
{
    return blm_generalized_after(s->flat.cells, s->resets, blm_resets_sets(s), s->distinct, keys,
                                 blm_resets_p0(s));
}

blm_rate blm_resets_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_resets *s = (const blm_resets *)f;
    const unsigned k0 = s->resets, k1 = blm_resets_sets(s);
    const uint64_t m = s->flat.cells;
    if (!c) {
        const double now =
            blm_generalized_rate_from_fill((double)s->flat.ones, m, k0, k1, s->distinct);
        return (blm_rate){now, now, 0};
    }
    if (s->adopted) return (blm_rate){0, blm_generalized_max(m, k0, k1, s->distinct), 0};
    const blm_generalized_load l = generalized_after(s, c->keys);
    return (blm_rate){l.rate, l.rate, l.rate_sd};
}

/* Of a key with `gap` keys after it; no gap: the mean over all keys. Misses come one by one. */
blm_rate blm_resets_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_resets *s = (const blm_resets *)f;
    const unsigned k0 = s->resets, k1 = blm_resets_sets(s);
    const uint64_t gap = c ? c->gap : 0, keys = c ? c->keys : f->adds, m = s->flat.cells;
    if (!blm_resets_forget(s)) return (blm_rate){0, 0, 0};
    const double p =
        gap ? blm_generalized_miss(m, k0, k1, gap) : blm_generalized_misses(m, k0, k1, keys);
    return (blm_rate){p, p, p > 0 ? sqrt((1 - p) / (p * (gap ? 1 : (double)keys))) : 0};
}

double blm_resets_lines(const blm_filter *f, const blm_case *c)
{
    const blm_resets *s = (const blm_resets *)f;
    const double ones = c ? generalized_after(s, c->keys).ones : (double)s->flat.ones;
    return blm_generalized_reads(ones / (double)s->flat.cells, s->resets, blm_resets_sets(s));
}

blm_err blm_resets_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_resets *s = (const blm_resets *)f;
    if (!(f->can & BLM_CARDINALITY)) return BLM_E_CANNOT;
    *n = blm_generalized_keys(s->flat.ones, s->flat.cells, s->resets, blm_resets_sets(s),
                              s->distinct, blm_resets_p0(s));
    return BLM_OK;
}

/* rates.c - how many buckets and bits, what rate, how full, how many flows. */
#include <bloomery/theory/dleft.h>
#include <math.h>

#include "cells.h"

blm_err blm_state_machine_size(blm_state_machine *s, const blm_config *wish, blm_report *why)
{
    const unsigned tail = FLOW_TAIL + blm_state_bits(s->states);
    unsigned r = 0;
    if (wish->bits) {
        if (!blm_fit_dleft(wish->bits, wish->keys, FLOW_TABLES, FLOW_SLOTS, tail, &s->buckets, &r))
            return blm_fail(why, BLM_E_ARG,
                            "bits %llu: too few for %llu flows with %u states: at least %u bits in "
                            "each of %.0f cells",
                            (unsigned long long)wish->bits, (unsigned long long)wish->keys,
                            s->states, tail + 1, 32 * fmax(1, ceil((double)wish->keys / 24)));
    } else if (!blm_size_dleft(wish->keys, wish->fpr, FLOW_TABLES, FLOW_SLOTS, tail, &s->buckets,
                               &r)) {
        return blm_fail(why, BLM_E_ARG,
                        "%.4g flows at fpr %.3g with %u states: fingerprints have at most %u bits, "
                        "and a table 2^%u buckets",
                        (double)wish->keys, wish->fpr, s->states, BLM_PRINTS_RANGE,
                        BLM_PRINTS_ACROSS);
    }
    s->remainder = (uint8_t)r;
    return BLM_OK;
}

blm_rate blm_state_machine_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    return blm_prints_rate(s->range, s->used, c);
}

/* A gap counts epochs since the flow was added or put: none is missed within one whole epoch. After that only another
 * flow with its fingerprint keeps it. */
blm_rate blm_state_machine_fnr(const blm_filter *f, const blm_case *c)
{
    const double gone = c && c->gap > 1;
    (void)f;
    return (blm_rate){gone, gone, 0};
}

uint64_t blm_state_machine_window(const blm_filter *f) { return (void)f, 1; }

double blm_state_machine_fill(const blm_filter *f)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    return (double)s->used / (double)blm_prints_cells(&s->now);
}

double blm_state_machine_lines(const blm_filter *f, const blm_case *c)
{
    (void)c;
    return blm_prints_lines(&((const blm_state_machine *)f)->now);
}

blm_err blm_state_machine_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    *n = blm_prints_keys(s->range, s->used);
    return BLM_OK;
}

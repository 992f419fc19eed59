/* rates.c - how many counters, what rate, how full, how many keys: anywhere, or in lines. */
#include <bloomery/theory.h>
#include <bloomery/theory/fill.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

blm_err blm_counting_size(blm_counting *c, const blm_config *wish, unsigned *k, blm_report *why)
{
    return blm_wish_cells(wish, c->width, "2^58 counters or 64 hashes", &c->cells, k, why);
}

blm_rate blm_counting_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_counting *s = (const blm_counting *)f;
    const unsigned a_line = blm_counting_a_line(s), k = s->hashes;
    if (!c) {
        const double p = s->lines ? blm_tally_rate(f->cells, s->lines, s->width, k)
                                  : blm_rate_from_fill(s->used, s->cells, k);
        return (blm_rate){p, p, 0};
    }
    const double p = s->lines ? blm_rate_blocked(a_line, s->lines, k, c->keys)
                              : blm_rate_exact(s->cells, k, c->keys);
    const double sd = s->lines ? blm_rate_blocked_sd(a_line, s->lines, k, c->keys)
                               : blm_rate_sd(s->cells, k, c->keys);
    return (blm_rate){p, p, sd};
}

double blm_counting_fill(const blm_filter *f)
{
    const blm_counting *c = (const blm_counting *)f;
    return (double)c->used / (double)c->cells;
}

double blm_counting_lines(const blm_filter *f, const blm_case *c)
{
    const blm_counting *s = (const blm_counting *)f;
    if (s->lines) return 1;
    const double used = c ? blm_fill_mean(s->cells, s->hashes, c->keys) : (double)s->used;
    return blm_probes_to_reject(used / (double)s->cells, s->hashes);
}

blm_err blm_counting_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_counting *c = (const blm_counting *)f;
    const bool full = c->used >= c->cells; /* then only a lower bound is known; unchecked: more */
    const uint64_t used = full ? c->cells - 1 : c->used;
    const unsigned a_line = blm_counting_a_line(c), k = c->hashes;
    const double v = c->lines ? blm_keys_from_fill_blocked(used, a_line, c->lines, k)
                              : blm_keys_from_fill(used, c->cells, k);
    const double sd = c->lines ? blm_keys_sd_blocked(a_line, c->lines, k, (uint64_t)v)
                               : blm_keys_sd(c->cells, k, (uint64_t)v);
    *n = (blm_estimate){v, fmax(0, v - sd), v + sd, full};
    return BLM_OK;
}

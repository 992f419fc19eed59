/* rates.c - what rate, how full, how many keys: by the rows alone. */
#include <bloomery/theory.h>

#include "cells.h"
#include "parts/sketch.h"

blm_rate blm_count_min_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_count_min *s = (const blm_count_min *)f;
    const blm_counters all = blm_count_min_all(s);
    const double p = c ? blm_rate_partitioned(s->columns, s->hashes, c->keys)
                       : blm_sketch_rate(&all, s->columns);
    return (blm_rate){p, p, c ? blm_rate_partitioned_sd(s->columns, s->hashes, c->keys) : 0};
}

double blm_count_min_fill(const blm_filter *f)
{
    const blm_count_min *c = (const blm_count_min *)f;
    return (double)c->used / ((double)c->columns * c->hashes);
}

double blm_count_min_lines(const blm_filter *f, const blm_case *c)
{
    const blm_count_min *s = (const blm_count_min *)f;
    return blm_probes_to_reject(
        c ? blm_rate_partitioned(s->columns, 1, c->keys) : blm_count_min_fill(f), s->hashes);
}

blm_err blm_count_min_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_count_min *c = (const blm_count_min *)f;
    *n = blm_sketch_keys(c->used, c->columns, c->hashes);
    return BLM_OK;
}

/* rates.c - how many cells, what passes the sums by chance, what a query reads, how high counts go. */
#include <bloomery/theory.h>
#include <bloomery/theory/increments.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

blm_err blm_variable_increment_size(blm_variable_increment *c, const blm_config *wish,
                                    const blm_sums *s, blm_report *why)
{
    const blm_increments law = blm_variable_increment_law(s);
    unsigned k = wish->hashes;
    if (wish->bits) {
        c->flat.cells = wish->bits / (s->width + s->elements);
        if (!c->flat.cells)
            return blm_fail(why, BLM_E_ARG, "bits %llu: too few for one cell",
                            (unsigned long long)wish->bits);
        if (!k) k = blm_best_hashes_increment(c->flat.cells, wish->keys, law);
    } else if (!blm_size_increment(wish->keys, wish->fpr, k, law, &c->flat.cells, &k)) {
        return blm_wish_beyond(wish, "2^54 cells or 64 hashes", why);
    }
    c->flat.hashes = (uint8_t)k;
    return BLM_OK;
}

/* Given the cells: what one probe passes, k times over. */
blm_rate blm_variable_increment_fpr(const blm_filter *f, const blm_case *load)
{
    const blm_variable_increment *c = (const blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    const blm_increments law = blm_variable_increment_law(&c->rule);
    const double p = load ? blm_rate_increment(c->flat.cells, c->flat.hashes, load->keys, law)
                          : pow(blm_sums_chance(&all), c->flat.hashes);
    return (blm_rate){
        p, p, load ? blm_rate_increment_sd(c->flat.cells, c->flat.hashes, load->keys, law) : 0};
}

/* With the largest increment the sum is there first; form=bh: or the number of keys is. */
uint64_t blm_variable_increment_max(const blm_filter *f)
{
    const blm_sums *s = &((const blm_variable_increment *)f)->rule;
    const uint64_t by_sum = (blm_sums_top(s) - 1) / s->add[s->values - 1],
                   by_keys = s->elements ? blm_sums_top_keys(s) - 1 : by_sum;
    return by_sum < by_keys ? by_sum : by_keys;
}

double blm_variable_increment_lines(const blm_filter *f, const blm_case *load)
{
    const blm_variable_increment *c = (const blm_variable_increment *)f;
    blm_estimate n = {0, 0, 0, false};
    if (!load) blm_flat_size(f, &n);
    const double lambda =
        c->flat.hashes * (load ? (double)load->keys : n.value) / (double)c->flat.cells;
    return blm_probes_to_reject(blm_increment_pass(lambda, blm_variable_increment_law(&c->rule)),
                                c->flat.hashes);
}

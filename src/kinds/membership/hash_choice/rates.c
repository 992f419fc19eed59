/* rates.c - what rate, how full, how many keys: of those it was built of, and of later ones. */
#include <bloomery/theory.h>
#include <bloomery/theory/choices.h>
#include <bloomery/theory/fill.h>
#include <math.h>

#include "cells.h"

blm_rate blm_hash_choice_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    const double now = blm_rate_from_fill(s->ones, s->cells, s->hashes);
    if (!c) return (blm_rate){now, now, 0};
    double end[2];
    for (int high = 0; high < 2; high++)
        end[high] =
            blm_rate_pick(s->cells, s->hashes, s->library, s->groups, s->passes, c->keys, high);
    return (blm_rate){end[0], end[1], blm_rate_sd(s->cells, s->hashes, c->keys)};
}

double blm_hash_choice_fill(const blm_filter *f)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    return (double)s->ones / (double)s->cells;
}

/* And a line of the table. */
double blm_hash_choice_lines(const blm_filter *f, const blm_case *c)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    const double fill =
        c ? pow(blm_hash_choice_fpr(f, c).high, 1.0 / s->hashes) : blm_hash_choice_fill(f);
    return (s->choices.width ? 1 : 0) + blm_probes_to_reject(fill, s->hashes);
}

/* Keys of the build are known; those that came later took their share of the zeros. */
blm_err blm_hash_choice_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_hash_choice *s = (const blm_hash_choice *)f;
    const uint64_t set =
        s->ones < s->cells ? s->ones : s->cells; /* unchecked: more, past the end */
    const bool full = set == s->cells; /* then only a lower bound is known: one bit fewer */
    const uint64_t ones = set - (full && set > s->before);
    const double then = blm_keys_from_fill(s->before, s->cells, s->hashes),
                 later = isinf(then) ? 0 : blm_keys_from_fill(ones, s->cells, s->hashes) - then;
    const double sd =
        set > s->before ? blm_keys_later_sd(s->cells, s->hashes, s->before, (uint64_t)later) : 0;
    const double value = (double)s->built + later;
    *n = (blm_estimate){value, fmax((double)s->built, value - sd), value + sd, full};
    return BLM_OK;
}

/* form.h - fuse: by a rate, the smallest w with 2^-w at most that; by bits, the largest that fits; cells by the paper. */
#ifndef BLM_FORM_FUSE_H
#define BLM_FORM_FUSE_H
#include "theory/forms/fixed.h"

/* Cells of a shard of n keys, three per key: as many as the paper's factor says, up to whole segments. */
static inline double fuse_cells(double n)
{
    const double l = fmin(pow(2, fmax(2, floor(log(n) / log(3.33) + 2.25))), 262144);
    const double wanted =
        n > 1 ? round(n * fmax(1.125, 0.875 + 0.25 * 13.815510557964274 / log(n))) : 0;
    return l * fmax(3, ceil(wanted / l));
}

/* The same with four. */
static inline double fuse_cells_of_four(double n)
{
    const double l = fmin(pow(2, fmax(2, floor(log(n) / log(2.91) - 0.5))), 262144);
    const double wanted =
        n > 1 ? round(n * fmax(1.075, 0.77 + 0.305 * 13.304684934198283 / log(n))) : 0;
    return l * fmax(4, ceil(wanted / l));
}

static inline void check_fuse(const blm_offer *o, const blm_config *c)
{
    check_prints(o, c, strcmp(o->with, "arity=4") == 0 ? fuse_cells_of_four : fuse_cells);
}

/* 200 wishes yield at least this many offers: others name hashes. */
#define FORM_FUSE "fuse", check_fuse, 60
#endif

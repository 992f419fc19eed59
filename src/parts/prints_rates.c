/* prints_rates.c - what kinds say of tables of fingerprints: their rate, their keys, what a query reads. */
#include <bloomery/theory.h>
#include <bloomery/theory/dleft.h>
#include <math.h>

#include "parts/prints.h"

blm_rate blm_prints_rate(uint64_t range, uint64_t used, const blm_case *c)
{
    const double p = c ? blm_rate_prints(range, c->keys) : (double)used / (double)range;
    return (blm_rate){p, p, c ? blm_rate_prints_sd(range, c->keys) : 0};
}

blm_estimate blm_prints_keys(uint64_t range, uint64_t used)
{
    const bool full = used >= range; /* unchecked cells: more */
    const double v = blm_keys_from_fill(full ? range - 1 : used, range, 1);
    const double sd = blm_keys_sd(range, 1, (uint64_t)v);
    return (blm_estimate){v, fmax(0, v - sd), v + sd, full};
}

double blm_prints_lines(const blm_prints *p)
{
    return p->tables * (1 + (p->bits * p->slots - 1) / 512.0);
}

size_t blm_prints_touch(const blm_prints *p, const blm_filter *f, uint64_t print, blm_touch *out,
                        size_t cap)
{
    const size_t all = (size_t)p->tables * p->slots;
    uint64_t at[BLM_PRINTS_TABLES] = {0};
    blm_prints_find(p, print, at);
    for (size_t i = 0; i < all && i < cap; i++) {
        const uint64_t cell = at[i / p->slots] + i % p->slots;
        out[i] = (blm_touch){cell, cell * p->bits / 8, blm_prints_cell(p, f, cell)};
    }
    return all;
}

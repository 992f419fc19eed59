/* rates.c - how many cells, how many of them a key has and lowers, what rate, who is missed. */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

static blm_stable_cell cell_of(const blm_stable *s)
{
    blm_stable_cell c;
    blm_stable_cell_of(&c, s->cells, s->hashes, blm_stable_top(s), s->picks, s->each);
    return c;
}

/* ---- rates ---------------------------------------------------------------------------------------------- */

/* From numbers: at least x^K of the mean share x, and at most the rate in the long run, or that of a standard filter with
 * these keys, which has lost none. */
blm_rate blm_stable_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_stable *s = (const blm_stable *)f;
    if (!c) {
        const double p =
            blm_rate_from_fill(s->used < s->cells ? s->used : s->cells, s->cells, s->hashes);
        return (blm_rate){p, p, 0};
    }
    const blm_stable_cell cell = cell_of(s);
    const double x = blm_stable_alive(&cell, (double)c->keys, false);
    if (!(x > 0)) return (blm_rate){0, 0, 0};
    const double relative = blm_stable_variance(&cell, x) / (x * x), k = s->hashes;
    const double low = pow(x, k), high = fmin(1, low * (1 + k * (k - 1) / 2 * relative));
    const double all = blm_rate_exact(s->cells, s->hashes, c->keys);
    return (blm_rate){low, fmax(low, fmin(high, all)), k * sqrt(relative)};
}

/* Below 1, however few are lowered: such a filter is never full. */
double blm_stable_ceiling(const blm_filter *f)
{
    const blm_stable_cell cell = cell_of((const blm_stable *)f);
    return cell.picks > 0 ? fmin(blm_stable_rate_ever(&cell), 1 - 0x1p-40) : 1;
}

/* Misses come one by one. */
blm_rate blm_stable_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_stable_cell cell = cell_of((const blm_stable *)f);
    const double n = c && c->gap ? 1 : (double)(c ? c->keys : f->adds);
    const double p =
        c && c->gap ? blm_stable_miss(&cell, (double)c->gap) : blm_stable_misses(&cell, n);
    if (!(p > 0)) return (blm_rate){0, 0, 0};
    return (blm_rate){p, p, sqrt((1 - p) / (p * n))};
}

double blm_stable_fill(const blm_filter *f)
{
    const blm_stable *s = (const blm_stable *)f;
    return s->used < s->cells ? (double)s->used / (double)s->cells : 1;
}

double blm_stable_lines(const blm_filter *f, const blm_case *c)
{
    const blm_stable_cell cell = cell_of((const blm_stable *)f);
    const double x = c ? blm_stable_alive(&cell, (double)c->keys, false) : blm_stable_fill(f);
    return blm_probes_to_reject(x, cell.k);
}

uint64_t blm_stable_window(const blm_filter *f) { return f->capacity; }

/* ---- the plan --------------------------------------------------------------------------------------------- */

/* The fewest cells that K of them lower with each arrival, and keep the rate: P of the paper rounded up, or somewhat more where
 * cells are so few that their share spreads. Returns false if that is more than all cells. */
static bool lower_enough(blm_stable *s, uint64_t m, unsigned k, double f, uint64_t fixed)
{
    const double least = ceil(blm_stable_picks((double)m, k, blm_stable_top(s), f));
    uint64_t low = fixed, high = fixed ? fixed : m < STABLE_PICKS ? m : STABLE_PICKS;
    if (!fixed && !(k < m && least <= (double)high)) return false;
    if (!fixed) low = least > 1 ? (uint64_t)least : 1;
    s->cells = m, s->hashes = (uint8_t)k;
    for (s->picks = low; blm_stable_ceiling(&s->base) > f * (1 + 1e-9); s->picks = low) {
        if (low >= high) return false;
        const uint64_t middle = low + (high - low) / 2;
        s->picks = middle;
        if (blm_stable_ceiling(&s->base) > f * (1 + 1e-9))
            low = middle + 1;
        else if (middle == low)
            break;
        else
            high = middle;
    }
    return s->picks <= m;
}

/* The K, of 1 to 10 or as it is given, by which the fewest are missed `keys` arrivals later. 2: none keeps the rate. Where
 * the cells are not given they are as many as STABLE_RUNS runs, or more. */
static double fewest_missed(blm_stable *s, uint64_t m, const blm_config *wish, uint64_t picks)
{
    blm_stable best = *s;
    const bool all_given = wish->bits && wish->hashes && picks; /* the rate is what results */
    double fewest = 2;
    for (unsigned k = wish->hashes ? wish->hashes : 1;
         k <= (wish->hashes ? wish->hashes : STABLE_SCAN); k++) {
        if (!lower_enough(s, m, k, all_given ? 1 : wish->fpr, picks)) continue;
        if (!wish->bits && !s->each && m < STABLE_RUNS * s->picks) continue;
        const blm_stable_cell cell = cell_of(s);
        const double p = blm_stable_miss(&cell, (double)wish->keys);
        if (p < fewest) fewest = p, best = *s;
    }
    *s = best;
    return fewest;
}

static blm_err cannot(const blm_stable *s, uint64_t m, double missed, const blm_config *wish,
                      double fnr, uint64_t picks, blm_report *why)
{
    if (missed <= 1)
        return blm_fail(why, BLM_E_ARG,
                        "%" PRIu64 " cells of %u bits: of the keys that came %" PRIu64
                        " arrivals ago %.3g would be missed, above fnr %.3g; use more bits",
                        m, s->width, wish->keys, missed, fnr);
    if (picks)
        return blm_fail(why, BLM_E_ARG,
                        "picks=%" PRIu64 ": of %" PRIu64 " cells that is too few for fpr %.3g, or "
                        "more than there are",
                        picks, m, wish->fpr);
    return blm_fail(why, BLM_E_ARG,
                    "fpr %.3g is too small for %" PRIu64 " cells of %u bits: each add would lower "
                    "more cells than there are; use more bits",
                    wish->fpr, m, s->width);
}

blm_err blm_stable_size(blm_stable *s, const blm_config *wish, uint64_t picks, blm_report *why)
{
    const double fnr = wish->fnr > 0 ? wish->fnr : BLM_MISSES_DEFAULT;
    const bool raw = wish->bits && wish->hashes && picks && !(wish->fnr > 0);
    uint64_t low = STABLE_CELLS, high = low;
    if (wish->bits) {
        const uint64_t m = wish->bits / s->width;
        const double missed = m ? fewest_missed(s, m, wish, picks) : 2;
        return missed <= (raw ? 1 : fnr) ? BLM_OK : cannot(s, m, missed, wish, fnr, picks, why);
    }
    while (fewest_missed(s, high, wish, picks) > fnr) {
        if (high > (UINT64_C(1) << 57) / s->width) return blm_wish_beyond(wish, "2^58 bits", why);
        low = high, high *= 2;
    }
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(fewest_missed(s, middle, wish, picks) > fnr ? &low : &high) = middle;
    }
    fewest_missed(s, high, wish, picks);
    return BLM_OK;
}

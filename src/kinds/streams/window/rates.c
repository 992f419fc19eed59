/* rates.c - rates, how full, how many keys.
 *
 * With f(c) the exact rate of one column of c keys, different keys in different columns, and s slices:
 *
 *     high  1 - (1 - f(c))^(s + 1)      right before an edge, all columns with as many keys as a slice has room for
 *     low   1 - (1 - f(n / s))^s        right after an edge, n keys evenly
 *
 * A filter is planned so that `high` keeps the promise at its capacity. With keys of unequal columns the rate is
 * 1 - product of (1 - f of each column); keys that came in several slices have the same bits in several columns, which
 * makes it lower.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "cells.h"

/* ---- one column ------------------------------------------------------------------------------------- */

/* By arrivals a slice gets no more keys than arrivals, unless their lives end together; where there are more keys than arrivals
 * the case is in proportion. */
uint64_t blm_sliding_share(const blm_sliding *s, uint64_t keys)
{
    const double n = (double)keys, burst = s->room ? (double)s->room / BURST_ONE : 2;
    const double share = fmin(n, ceil(n * burst / s->slices));
    const double came = ceil((double)s->slice * fmax(1, n / (double)s->span));
    return (uint64_t)(s->room ? share : fmin(share, came));
}

double blm_sliding_each(const blm_sliding *s, double rate)
{
    return -expm1(log1p(-rate) / blm_sliding_sets(s));
}

uint64_t blm_sliding_column_keys(const blm_sliding *s, double rate)
{
    const double each = blm_sliding_each(s, rate);
    uint64_t low = 1, high = UINT64_C(1) << 56;
    while (high - low > 1) {
        const uint64_t mid = low + (high - low) / 2;
        *(blm_rate_exact(s->cells, s->hashes, mid) <= each ? &low : &high) = mid;
    }
    return low;
}

/* ---- all columns -------------------------------------------------------------------------------------- */

typedef struct mixed {
    double none;     /* the log of the chance that no column says yes; -INFINITY: one is all ones */
    double variance; /* of the rate, as a part of 1 - rate */
} mixed;

static void mix(mixed *m, const blm_sliding *s, uint64_t keys, double columns)
{
    if (!keys || !(columns > 0)) return;
    const double f = blm_rate_exact(s->cells, s->hashes, keys);
    const double sd = f < 1 ? f / (1 - f) * blm_rate_sd(s->cells, s->hashes, keys) : 0;
    m->none += columns * log1p(-f);
    m->variance += columns * sd * sd;
}

/* spread: absolute */
static blm_rate rate_of(const mixed *m)
{
    const double p = -expm1(m->none);
    return (blm_rate){p, p, p < 1 ? (1 - p) * sqrt(m->variance) : 0};
}

static blm_rate even(const blm_sliding *s, uint64_t keys)
{
    mixed m = {0, 0};
    const uint64_t each = keys / s->slices, more = keys % s->slices;
    mix(&m, s, each, (double)(s->slices - more));
    mix(&m, s, each + 1, (double)more);
    return rate_of(&m);
}

static blm_rate crowded(const blm_sliding *s, uint64_t keys)
{
    mixed m = {0, 0};
    mix(&m, s, blm_sliding_share(s, keys), blm_sliding_sets(s));
    return rate_of(&m);
}

/* By the ones of the columns. */
static double rate_now(const blm_sliding *s)
{
    const blm_columns c = blm_sliding_columns(s);
    double none = 0;
    for (unsigned i = 0; i < c.sets; i++)
        none += log1p(-blm_rate_from_fill(blm_sliding_ones(&c, i), c.count, c.hashes));
    return -expm1(none);
}

blm_rate blm_sliding_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_sliding *s = (const blm_sliding *)f;
    if (!c) {
        const double now = rate_now(s);
        return (blm_rate){now, now, 0};
    }
    const bool steps = s->unit != WINDOW_MS;
    const blm_rate high = crowded(s, c->keys),
                   low = even(s, steps && c->keys > s->span ? s->span : c->keys);
    const double sd = fmax(high.spread, low.spread);
    return (blm_rate){fmin(low.low, high.high), high.high, high.high > 0 ? sd / high.high : 0};
}

/* ---- keys that are gone -------------------------------------------------------------------------------- */

/* The keys of one expiry, of `keys` arrivals after an empty filter at time 0: (t + W) / slice + 1 = e. */
static uint64_t came_for(const blm_sliding *s, uint64_t keys, uint64_t e)
{
    const uint64_t end = e * s->slice, begin = end - s->slice;
    const uint64_t first = begin > s->span ? begin - s->span : 1;
    const uint64_t last = end > s->span ? end - s->span - 1 : 0;
    const uint64_t to = last < keys ? last : keys;
    return to >= first ? to - first + 1 : 0;
}

/* The mean over that many arrivals: those of slices that have ended are gone, but for false positives. */
static blm_rate gone_of(const blm_sliding *s, uint64_t keys)
{
    const uint64_t now = keys / s->slice, edge = now * s->slice;
    if (edge <= s->span + 1) return (blm_rate){0, 0, 0};
    const double gone = (double)(edge - s->span - 1), all = (double)keys;
    mixed m = {0, 0};
    for (uint64_t e = now + 1; e <= now + s->slices + 1u; e++) mix(&m, s, came_for(s, keys, e), 1);
    const blm_rate back = rate_of(&m);
    const double p = gone / all * (1 - back.high);
    const double variance = gone * back.high * (1 - back.high) + pow(gone * back.spread, 2);
    return (blm_rate){p, p, p > 0 ? sqrt(variance) / (p * all) : 0};
}

/* A key is gone when the slice has ended in which its life ended. The edges of slices lie anywhere in its life. */
blm_rate blm_sliding_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_sliding *s = (const blm_sliding *)f;
    if (!c) return (blm_rate){0, 0, 0};
    if (!c->gap) return s->unit == WINDOW_MS ? (blm_rate){0, 0, 0} : gone_of(s, c->keys);
    const uint64_t life = blm_sliding_life(s, c->arg);
    if (c->gap <= life) return (blm_rate){0, 0, 0};
    if (c->gap - life >= s->slice) return (blm_rate){1, 1, 0};
    const double p = (double)(c->gap - life) / (double)s->slice;
    return (blm_rate){p * (1 - crowded(s, c->keys).high), p, 0};
}

/* ---- what it holds --------------------------------------------------------------------------------------- */

double blm_sliding_fill(const blm_filter *f)
{
    const blm_columns c = blm_sliding_columns((const blm_sliding *)f);
    double ones = 0;
    for (unsigned i = 0; i < c.sets; i++) ones += (double)blm_sliding_ones(&c, i);
    return ones / ((double)c.count * c.sets);
}

/* A question reads on while a column has had ones only. */
double blm_sliding_lines(const blm_filter *f, const blm_case *c)
{
    const blm_sliding *s = (const blm_sliding *)f;
    const blm_columns view = blm_sliding_columns(s);
    double fill[BLM_COLUMNS], lines = 0;
    for (unsigned i = 0; i < view.sets; i++) {
        const double keys = c && i < s->slices ? (double)c->keys / s->slices : 0;
        fill[i] = c ? -expm1(-keys * s->hashes / (double)s->cells)
                    : (double)blm_sliding_ones(&view, i) / (double)s->cells;
    }
    for (unsigned j = 0; j < s->hashes; j++) {
        double none = 1; /* chance that no column is left after j reads */
        for (unsigned i = 0; i < view.sets; i++) none *= 1 - (j ? pow(fill[i], j) : 1);
        lines += 1 - none;
    }
    return lines;
}

/* A key counts in each slice in which it expires, where it takes its room. */
blm_err blm_sliding_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_columns c = blm_sliding_columns((const blm_sliding *)f);
    double sum = 0, variance = 0;
    bool bound = false;
    for (unsigned i = 0; i < c.sets; i++) {
        const uint64_t ones = blm_sliding_ones(&c, i);
        const bool full = ones == c.count;
        const double keys = blm_keys_from_fill(full ? ones - 1 : ones, c.count, c.hashes);
        bound = bound || full;
        sum += keys;
        if (ones) variance += pow(blm_keys_sd(c.count, c.hashes, (uint64_t)keys), 2);
    }
    *n = (blm_estimate){sum, fmax(0, sum - sqrt(variance)), sum + sqrt(variance), bound};
    return BLM_OK;
}

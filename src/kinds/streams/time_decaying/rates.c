/* rates.c - what rate, what is missed at which age.
 *
 * n new keys of weight 1 come per window, for ever, evenly or by chance. A cell of a row gets n / columns of them, and by
 * plain updates holds the sum of what they left: with c keys per window and q = c / ln(1 / above) that sum is below s <= 1
 * with a chance of s^q e^(-gamma q) / Gamma(1 + q) (Dickman). Conservative updates hold no more than plain ones, and no
 * less than the keys that are younger than a window. c = 0.347, above = 1/2: q = 0.5, chance of 1/2 or more 0.402.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "cells.h"
#include "parts/sketch.h"

static const double euler_gamma = 0.577215664901532861;

/* Half-lives of a window, in nats: ln(1 / above). */
double blm_decay_nats(const blm_time_decaying *t)
{
    return (double)t->window / (double)t->half * 0.693147180559945309;
}

/* The chance that a row's cell holds `above` e^-less or more, of c keys per window. */
double blm_decay_reach(double c, double nats, double less)
{
    const double q = c / nats;
    if (!(q < 150)) return 1;
    return -expm1(-q * (nats + less) - fmax(0, euler_gamma * q + log(tgamma(1 + q))));
}

/* Keys per cell and window: as many tries of 1 / columns, in Poisson numbers. */
static double decay_load(double columns, double keys)
{
    return columns > 1 ? -keys * log1p(-1 / columns) : keys > 0 ? (double)INFINITY : 0;
}

double blm_decay_rate(const blm_time_decaying *t, double columns, double rows, double keys)
{
    return pow(blm_decay_reach(decay_load(columns, keys), blm_decay_nats(t), 0), rows);
}

/* ---- rates ------------------------------------------------------------------------------------- */

/* Of the filter as it is, exactly: rows have chances of their own. */
static double decay_rate_now(const blm_filter *f)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    const uint64_t least = blm_decay_threshold(t, blm_decay_rest(t));
    double p = 1;
    for (uint64_t row = 0; row < t->hashes; row++)
        p *= (double)blm_decay_census(t, row * t->columns, t->columns, least).used /
             (double)t->columns;
    return p;
}

/* From the keys of one window alone to a stream that has gone on for ever. By arrivals no more keys come in a window. */
blm_rate blm_decay_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    if (!c) {
        const double now = decay_rate_now(f);
        return (blm_rate){now, now, 0};
    }
    const uint64_t keys = t->timed || c->keys < t->window ? c->keys : t->window;
    const double low = blm_rate_partitioned(t->columns, t->hashes, keys);
    const double high = blm_decay_rate(t, (double)t->columns, t->hashes, (double)c->keys);
    return (blm_rate){fmin(low, high), high,
                      blm_rate_partitioned_sd(t->columns, t->hashes, c->keys)};
}

/* Of the last place. */
static double decay_unit(const blm_time_decaying *t)
{
    return ldexp(1, -(int)blm_decay_fraction(t->width));
}

/* At least this share of the keys of that age and weight is missed: the rest is lifted above the threshold by others. */
static double decay_missed(const blm_time_decaying *t, uint64_t keys, double gap, double weight)
{
    const double unit = decay_unit(t), lives = gap / (double)t->half, nats = blm_decay_nats(t);
    if (floor(lives) > log2(weight / unit) + 2) return 1; /* nothing of it is left to be lifted */
    const double lack = exp(-nats) - weight * exp2(-lives) - 2 * unit;
    const double load = decay_load((double)t->columns, (double)keys);
    return lack > 0 ? 1 - pow(blm_decay_reach(load, nats, log(exp(-nats) / lack)), t->hashes) : 0;
}

/* Of `keys` arrivals those that are older than a window: the mean over 64 ages of them. */
static blm_rate decay_mean_missed(const blm_time_decaying *t, const blm_case *c)
{
    enum { AGES = 64 };
    const double keys = (double)c->keys, window = (double)t->window;
    double sum = 0;
    if (t->timed || keys - 1 <= window) return (blm_rate){0, 0, 0};
    const double gone = (keys - 1 - window) / keys;
    for (unsigned i = 0; i < AGES; i++)
        sum += decay_missed(t, c->keys, window + (keys - window) * i / AGES, 1);
    return (blm_rate){gone * fmin(1, sum / AGES), gone, 0};
}

blm_rate blm_decay_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    if (!c) return (blm_rate){0, 0, 0};
    if (!c->gap) return decay_mean_missed(t, c);
    const double weight = c->arg == BLM_NO_ARG || !c->arg ? 1 : (double)c->arg;
    const double gap = (double)c->gap, left = weight * exp2(-gap / (double)t->half);
    /* At weight 1 the integers are those of the threshold; else either is off by a unit of the last place. */
    const bool above = left >= exp(-blm_decay_nats(t)) + 2 * decay_unit(t);
    if (c->gap <= t->window || above) return (blm_rate){0, 0, 0};
    return (blm_rate){decay_missed(t, c->keys, gap, weight), 1, 0};
}

double blm_decay_fill(const blm_filter *f)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    return (double)t->used / ((double)t->columns * t->hashes);
}

double blm_decay_lines(const blm_filter *f, const blm_case *c)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    return blm_probes_to_reject(
        c ? blm_decay_reach(decay_load((double)t->columns, (double)c->keys), blm_decay_nats(t), 0)
          : blm_decay_fill(f),
        t->hashes);
}

/* Keys that were above the threshold at the last halving, or came since: their cells are in use. */
blm_err blm_decay_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    *n = blm_sketch_keys(t->used, t->columns, t->hashes);
    return BLM_OK;
}

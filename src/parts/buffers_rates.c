/* buffers_rates.c - sizes and rates of two buffers, of streams of keys that are all new: buffers.h has the formulas. */
#include <bloomery/theory.h>
#include <math.h>

#include "parts/buffers.h"
#include "parts/wish.h"

/* ---- one buffer ----------------------------------------------------------------------------------- */

/* Of new keys that come to one buffer, the share of ones p passes for a member with a chance of p^k. So the counted ones are
 * the integral of 1 - p^k over the arrivals, which is the sum of p^i / i; the fill at n of them by bisection. */
double blm_buffers_seen(const blm_buffers *s, double n)
{
    const double throws = -s->hashes * log1p(-1 / (double)s->cells); /* per key, by bits: a */
    double low = 0, high = 1;
    for (int step = 0; step < 60; step++) {
        const double p = (low + high) / 2;
        double sum = 0;
        for (unsigned i = s->hashes; i > 0; i--) sum = p * (sum + 1 / (double)i);
        *(sum < throws * n ? &low : &high) = p;
    }
    return high < 1 ? fmax(n, -log1p(-high) / throws) : (double)INFINITY;
}

static uint64_t whole(double seen)
{
    return seen < 0x1p62 ? (uint64_t)llround(seen) : UINT64_C(1) << 62;
}

blm_rate blm_buffers_rate(const blm_buffers *s, double seen)
{
    const double p = blm_rate_exact(s->cells, s->hashes, whole(seen));
    return (blm_rate){p, p, seen >= 0.5 ? blm_rate_sd(s->cells, s->hashes, whole(seen)) : 0};
}

double blm_buffers_rate_now(const blm_buffers *s, uint64_t ones)
{
    return blm_rate_from_fill(ones < s->cells ? ones : s->cells, s->cells, s->hashes);
}

/* ---- sizes ---------------------------------------------------------------------------------------- */

static double rate_when_full(const blm_buffers *s, double (*load)(const blm_buffers *s))
{
    return blm_rate_exact(s->cells, s->hashes, whole(load(s)));
}

/* Bits are given. The best hashes for n keys, or one more or fewer, as a few more keys come than are counted. */
static blm_err size_of_bits(blm_buffers *s, const blm_config *wish, uint64_t full,
                            double (*load)(const blm_buffers *s), blm_report *why)
{
    s->cells = wish->bits / 2;
    if (!s->cells)
        return blm_fail(why, BLM_E_ARG, "bits %llu: too few for two buffers",
                        (unsigned long long)wish->bits);
    s->hashes = (uint8_t)wish->hashes;
    if (wish->hashes) return BLM_OK;
    const unsigned near = blm_best_hashes(s->cells, full);
    double lowest = INFINITY;
    unsigned best = near;
    for (unsigned k = near > 1 ? near - 1 : 1; k <= near + 1 && k <= BLM_THEORY_HASHES; k++) {
        s->hashes = (uint8_t)k;
        const double rate = rate_when_full(s, load);
        if (rate < lowest) lowest = rate, best = k;
    }
    s->hashes = (uint8_t)best;
    return BLM_OK;
}

/* More bits make fewer keys pass for members, so that each round asks for a few more keys than the last, until one is
 * enough: two to four rounds, and more where most keys pass. */
blm_err blm_buffers_size(blm_buffers *s, const blm_config *wish, uint64_t full, double each,
                         double (*load)(const blm_buffers *s), blm_report *why)
{
    enum { ROUNDS = 1000 };
    unsigned k = 0;
    if (wish->bits) return size_of_bits(s, wish, full, load, why);
    for (int round = 0; round < ROUNDS; round++) {
        if (!blm_size_for(full, each, wish->hashes, true, &s->cells, &k)) break;
        s->hashes = (uint8_t)k;
        const uint64_t seen = whole(load(s));
        if (seen <= full) return BLM_OK;
        full = seen;
    }
    return blm_wish_beyond(wish, "2 * 2^60 bits or 64 hashes", why);
}

/* ---- a stream ------------------------------------------------------------------------------------- */

/* Swap i comes after i * keep counted keys: not before as many arrivals, and by 4 sigma not later than as many
 * periods and what the uncounted ones vary by. Before the second swap nothing has left. */
blm_buffers_place blm_buffers_at(const blm_buffers *s, double period, uint64_t keys)
{
    const double n = (double)keys, keep = (double)s->keep;
    if (n < period) return (blm_buffers_place){n, n, 0, period, false};
    const double lap = floor(n / period), late = period - keep, then = (lap + 1) * period;
    const bool after = lap < 2 || n >= lap * period + 4 * sqrt(lap * late);
    const bool before = n < fmax((lap + 1) * keep, then - 4 * sqrt((lap + 1) * late));
    const double held = period + n - lap * period;
    if (after && before) return (blm_buffers_place){held, held, sqrt(lap * late), period, true};
    return (blm_buffers_place){keep, fmin(2 * period, n), 0, period, true};
}

static double share(double part, double all) { return fmin(fmax(part / all, 0), 1); }

/* A key that was the j-th of its period is gone after 2 keep - j more are counted, j from 1 to keep: after `gap` arrivals
 * those with j >= 2 keep - gap at most, and of keys that are not counted a few more are near the end. At the least: as
 * many of the arrivals as 4 sigma allow are not counted, and of what is gone some pass for members. */
static blm_rate at_age(const blm_buffers *s, uint64_t gap, double period, double worst)
{
    const double keep = (double)s->keep, g = (double)gap, extra = (period - keep) * (g / keep + 1);
    const double uncounted = extra + 4 * sqrt(extra);
    const double least = share(g + 1 - keep - uncounted, keep),
                 most = share(g + 1 - keep, keep * (1 - fmin(worst, 0.99)));
    if (least >= 1) return (blm_rate){1, 1, 0};
    return (blm_rate){least * (1 - worst), most, 0};
}

/* The mean over all keys: those before the last `held` are gone, but for those that pass for members. */
static blm_rate of_all(const blm_filter *f, uint64_t keys, double period)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const blm_case load = {.keys = keys, .arg = BLM_NO_ARG};
    const double n = (double)keys;
    if (keys < 2 * s->keep) return (blm_rate){0, 0, 0};
    const blm_buffers_place at = blm_buffers_at(s, period, keys);
    const blm_rate back = f->kind->fpr(f, &load);
    const double least = fmax(0, n - at.high) / n, most = fmax(0, n - at.low) / n;
    const double passing = n * most * back.high;
    const double sd = sqrt(passing + pow(passing * back.spread, 2) + at.sd * at.sd);
    const double missed = most * (1 - back.low);
    return (blm_rate){least * (1 - back.high), missed, missed > 0 ? sd / (n * missed) : 0};
}

blm_rate blm_buffers_fnr(const blm_filter *f, const blm_case *c, double period, double worst)
{
    const blm_buffers *s = (const blm_buffers *)f;
    if (c && c->gap) return at_age(s, c->gap, period, worst);
    if (c) return of_all(f, c->keys, period);
    /* How many of the adds were new keys is not known. */
    const double n = (double)f->adds;
    return (blm_rate){0, f->adds < 2 * s->keep ? 0 : share(n - (double)s->keep, n), 0};
}

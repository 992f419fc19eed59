/* rates.c - how many cells, what rate, who is missed. */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

/* ---- who is alive -------------------------------------------------------------------------------------- */

/* With blocks a key of age a <= (V - 1) T is whole. From there to V T, r = a - (V - 1) T arrivals on, a cell has had its last
 * turn with chance r / T. (V - 1) T + 1 is the first number of keys that are all whole; form=timing has W of them and T = 1. */
static uint64_t whole(const blm_decaying *d)
{
    return d->blocks ? (d->top - 1) * d->blocks + 1 : d->window;
}

static uint64_t turn(const blm_decaying *d) { return d->blocks ? d->blocks : 1; }

/* The keys after which as many cells are alive, if none dies, as after n keys in order. The blocks were turned T, T - 1, ...
 * arrivals ago, so that j = 0 to T - 1 older keys are alive in them besides the whole ones, as far as that many have come: e.
 * With q = (1 - 1/m)^k, the mean of q^j over all blocks is (1 + q + ... + q^(e - 1) + (T - e) q^e) / T. */
static double alive(const blm_decaying *d, uint64_t n)
{
    const uint64_t all = whole(d), t = turn(d);
    if (n <= all || t == 1) return (double)(n < all ? n : all);
    const double log_q = d->hashes * log1p(-1 / (double)d->cells),
                 e = (double)(n - all < t ? n - all : t);
    if (d->cells == 1) return (double)all;
    const double first = expm1(e * log_q) / expm1(log_q), rest = ((double)t - e) * exp(e * log_q);
    return (double)all + log((first + rest) / (double)t) / log_q;
}

/* The rate lies between those of the two whole numbers next to it: less than 1 part in W apart. */
static blm_rate rate_of(const blm_decaying *d, double keys)
{
    const uint64_t low = (uint64_t)floor(keys), high = (uint64_t)ceil(keys);
    return (blm_rate){blm_rate_exact(d->cells, d->hashes, low),
                      blm_rate_exact(d->cells, d->hashes, high),
                      blm_rate_sd(d->cells, d->hashes, high)};
}

blm_rate blm_decaying_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_decaying *d = (const blm_decaying *)f;
    if (c) return rate_of(d, alive(d, c->keys));
    const double p = blm_rate_from_fill(blm_decaying_count_live(d), d->cells, d->hashes);
    return (blm_rate){p, p, 0};
}

/* What the planner counts with, whatever m: the mean over blocks, which is a little more. Where a window has fewer keys than
 * arrivals, there are as much fewer. */
static double most_alive(const blm_decaying *d)
{
    const double keys = (double)whole(d) + (double)(turn(d) - 1) / 2;
    return ceil(keys * ((double)d->distinct / (double)d->window));
}

/* Arrivals that are all different: no stream has more. It is no bound where the plan counts on fewer. */
double blm_decaying_ceiling(const blm_filter *f)
{
    const blm_decaying *d = (const blm_decaying *)f;
    return d->distinct < d->window ? 1 : rate_of(d, alive(d, whole(d) + turn(d))).high;
}

double blm_decaying_lines(const blm_filter *f, const blm_case *c)
{
    const blm_decaying *d = (const blm_decaying *)f;
    const double live = c ? blm_fill_mean(d->cells, d->hashes, (uint64_t)alive(d, c->keys))
                          : (double)blm_decaying_count_live(d);
    return blm_probes_to_reject(live / (double)d->cells, d->hashes);
}

uint64_t blm_decaying_window(const blm_filter *f) { return ((const blm_decaying *)f)->window; }

/* ---- who is missed ------------------------------------------------------------------------------------- */

/* A key of age (V - 1) T + r, r from 1 to T - 1, after which as many others came. A cell has had its last turn with chance
 * r / T: that of the d-th arrival after the key, d from 1 to r. That arrival, and the age - d later ones, may have set it again;
 * with q = (1 - 1/m)^k none has, with chance q^(age - d + 1). */
static double missed_after(const blm_decaying *d, double r)
{
    if (d->cells == 1) return 0;
    const double age = (double)(whole(d) - 1) + r, k = d->hashes;
    const double log_q = k * log1p(-1 / (double)d->cells);
    const double dead = exp((age - r + 1) * log_q) * expm1(r * log_q) / expm1(log_q);
    return -expm1(k * log1p(-dead / (double)turn(d)));
}

/* Of n keys in order: misses, and the variance of their number if each is missed on its own. */
typedef struct misses {
    double mean, variance;
} misses;

/* 64 ages stand for all of one turn. */
static misses missed_of(const blm_decaying *d, uint64_t n)
{
    enum { AGES = 64 };
    misses m = {0, 0};
    const uint64_t all = whole(d), t = turn(d);
    if (n <= all) return m;
    const uint64_t half = n - all < t - 1 ? n - all : t - 1;
    const unsigned parts = half < AGES ? (unsigned)half : AGES;
    for (unsigned i = 0; i < parts; i++) {
        const double each = (double)half / parts;
        const double p = missed_after(d, (i + 0.5) * each + 0.5);
        m.mean += each * p;
        m.variance += each * p * (1 - p);
    }
    const double gone = (double)(n - all - half);
    const blm_rate back = rate_of(d, alive(d, all + t));
    m.mean += gone * (1 - back.high);
    m.variance += gone * back.high * (1 - back.high) + pow(gone * back.high * back.spread, 2);
    return m;
}

blm_rate blm_decaying_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_decaying *d = (const blm_decaying *)f;
    const uint64_t n = c ? c->keys : f->adds, all = whole(d);
    if (c && c->gap) {
        const uint64_t r = c->gap < all ? 0 : c->gap - (all - 1);
        const double p = r >= turn(d) ? 1 : r ? missed_after(d, (double)r) : 0;
        return (blm_rate){p, p, p > 0 ? sqrt((1 - p) / p) : 0};
    }
    const misses m = missed_of(d, n);
    if (!(m.mean > 0)) return (blm_rate){0, 0, 0};
    return (blm_rate){m.mean / (double)n, m.mean / (double)n, sqrt(m.variance) / m.mean};
}

/* ---- the plan ------------------------------------------------------------------------------------------- */

static blm_err too_few(const blm_decaying *d, const blm_config *wish, unsigned k, uint64_t keys,
                       blm_report *why)
{
    const double rate = why ? blm_rate_exact(d->cells, k, keys) : 0;
    return blm_fail(why, BLM_E_ARG,
                    "%" PRIu64 " keys in a window of %" PRIu64 " arrivals do not fit into %" PRIu64
                    " bits: with cells of %u bits the rate would be %.3g, above %.3g",
                    d->distinct, d->window, wish->bits, d->width, rate, wish->fpr);
}

/* By the plain formula: a planner that looks for the lowest rate asks 40 times, and blm_best_hashes takes 1 ms at 64. */
static unsigned best_hashes(uint64_t m, uint64_t keys)
{
    const double ideal = floor(log(2) * (double)m / (double)keys);
    const unsigned k = (unsigned)fmin(fmax(ideal, 1), BLM_THEORY_HASHES - 1);
    return blm_rate_classic(m, k + 1, keys) < blm_rate_classic(m, k, keys) ? k + 1 : k;
}

/* The exact rate, which takes long, is asked for only between its two limits: a planner tries many rates. */
static bool above(uint64_t m, unsigned k, uint64_t keys, double rate)
{
    if (blm_rate_classic(m, k, keys) > rate) return true;
    return !(blm_rate_bound(m, k, keys) <= rate) && blm_rate_exact(m, k, keys) > rate;
}

blm_err blm_decaying_size(blm_decaying *d, const blm_config *wish, blm_report *why)
{
    const double keys = most_alive(d);
    const uint64_t max = (UINT64_C(1) << 58) / d->width;
    unsigned k = wish->hashes;
    if (wish->bits) {
        d->cells = wish->bits / d->width;
        if (!d->cells)
            return blm_fail(why, BLM_E_ARG, "bits %" PRIu64 ": a cell has %u bits", wish->bits,
                            d->width);
        if (!k) k = best_hashes(d->cells, (uint64_t)keys);
        const bool all_given = wish->hashes && !(wish->fnr > 0); /* the rate is what results */
        if (!all_given && above(d->cells, k, (uint64_t)keys, wish->fpr * (1 + 1e-9)))
            return too_few(d, wish, k, (uint64_t)keys, why);
    } else if (!blm_size_for((uint64_t)keys, wish->fpr, k, true, &d->cells, &k) || d->cells > max) {
        return blm_wish_beyond(wish, "2^58 bits or 64 hashes", why);
    }
    d->hashes = (uint8_t)k;
    return BLM_OK;
}

/* plan.c - the sizes that a wish asks for.
 *
 * A counter that is zero takes one bit, so fewer hashes than those of standard take fewer bits in all: k = 4 for 1 %, with
 * 10.5 counters per key and 4 bits in the pool, instead of k = 7 with 9.6 and 7.
 */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

/* What the pool takes for a bit that lies there, about; lengths are 16 bits for 256 counters. */
static const double with_slack = 1.1, with_lengths = 1 + 16.0 / MULTILAYER_GROUP;

/* Keys per counter at which k hashes have that rate. */
static double load_for(double rate, unsigned k) { return -log1p(-pow(rate, 1.0 / k)) / k; }

static unsigned cheapest_hashes(double rate)
{
    double least = (double)INFINITY;
    unsigned best = 1;
    for (unsigned k = 1; k <= BLM_THEORY_HASHES; k++) {
        const double bits = with_lengths / load_for(rate, k) + with_slack * k;
        if (bits < least) least = bits, best = k;
    }
    return best;
}

/* Ones that k hashes put into the pool: those of the keys, or of as many as keep the rate. */
typedef struct ones_of {
    const blm_config *wish;
    unsigned k;
} ones_of;

static blm_pool_load load_of(const void *ctx, uint64_t m)
{
    const ones_of *o = ctx;
    const double n =
        o->wish->keys ? (double)o->wish->keys : (double)m * load_for(o->wish->fpr, o->k);
    return (blm_pool_load){n * o->k, n * o->k, 1, n * o->k};
}

static uint64_t most_counters(const blm_config *wish, unsigned k, uint64_t bytes)
{
    const ones_of ones = {wish, k};
    const blm_pool_wish w = {MULTILAYER_WORDS, load_of, &ones};
    return blm_pool_fit(&w, bytes, MULTILAYER_MAX);
}

/* The rate of k hashes in that many bytes, by the formula that is a little too low. */
static double rough_rate(const blm_config *wish, unsigned k, uint64_t bytes)
{
    const double n = (double)wish->keys, left = (double)bytes * 8 - n * k;
    return left > 0 ? pow(-expm1(-n * k * with_lengths / left), k) : 1;
}

/* Of all numbers of hashes, the one with the lowest rate. The formula tells which ones to look at. */
static uint64_t best_in(const blm_config *wish, uint64_t bytes, unsigned *k)
{
    double rough = 1, least = 2;
    uint64_t best = 0;
    for (unsigned i = 1; i <= BLM_THEORY_HASHES; i++)
        rough = fmin(rough, rough_rate(wish, i, bytes));
    for (unsigned i = 1; i <= BLM_THEORY_HASHES; i++) {
        if (rough_rate(wish, i, bytes) > 2 * rough || !(rough < 1)) continue;
        const uint64_t m = most_counters(wish, i, bytes);
        const double rate = m ? blm_rate_exact(m, i, wish->keys) : 2;
        if (rate < least) least = rate, best = m, *k = i;
    }
    return best;
}

blm_err blm_multilayer_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why)
{
    blm_multilayer *c = (blm_multilayer *)f;
    const uint64_t bytes = (wish->bits + 63) / 64 * 8;
    unsigned k = wish->hashes;
    (void)knobs;
    if (wish->bits) {
        c->flat.cells = k ? most_counters(wish, k, bytes) : best_in(wish, bytes, &k);
        if (!c->flat.cells || (double)wish->keys * k >= (double)bytes * 8)
            return blm_fail(
                why, BLM_E_ARG,
                "bits %" PRIu64 ": too few for %" PRIu64
                " keys: each takes a bit for each of its hashes, and a counter one more",
                wish->bits, wish->keys);
    } else {
        if (!k) k = cheapest_hashes(wish->fpr);
        if (!blm_size_for(wish->keys, wish->fpr, k, true, &c->flat.cells, &k))
            return blm_wish_beyond(wish, "2^56 counters or 64 hashes", why);
    }
    c->flat.hashes = (uint8_t)k;
    const ones_of ones = {wish, k};
    c->spare = blm_pool_spare(&(blm_pool_wish){MULTILAYER_WORDS, load_of, &ones}, c->flat.cells);
    return BLM_OK;
}

/* rates.c - how many bits, how long signatures are, how many stripes; what is said yes to, and what is missed.
 *
 * By the clock of steps `keys` is the number of keys of window + 1 steps, so that keys / (window + 1) come per step. A
 * stripe that was cleared u steps ago has the bits of u steps, u = 0 to S. The mean fill of all stripes is
 * 1 - (1 - e^-z) / z, where z is the mean number of throws at a bit within S steps. For m = 64,000 bits, S = 64, a window of
 * 15 steps and 1000 keys of 16 bits, z = 16 * 1000 * 4 / 64000 = 1, and the fill is 0.368.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/signatures.h>
#include <math.h>

#include "cells.h"

typedef struct draft { /* of a filter: all but the number of bits */
    unsigned bits, ask, stripes, window;
} draft;

static draft draft_of(const blm_signatures *s)
{
    return (draft){s->flat.hashes, s->ask, s->stripes, s->window};
}

/* ---- fill ------------------------------------------------------------------------------------------- */

/* Right before it is cleared, of a stripe that saw this many steps; a bit is missed by a throw at (1 - 1/m). */
static double fill_after(draft d, uint64_t m, double keys, double steps)
{
    const double throws = d.bits * keys * steps / (d.window + 1.0);
    return -expm1(throws * log1p(-1 / (double)m));
}

static double fill_steady(draft d, uint64_t m, double keys)
{
    const double z = -(d.bits * keys * d.stripes / (d.window + 1.0)) * log1p(-1 / (double)m);
    return z < 1e-5 ? z / 2 : isfinite(z) ? 1 + expm1(-z) / z : 1;
}

/* All keys at once, each with t bits, and no step yet. */
static double rate_at_once(draft d, uint64_t m, double keys, unsigned t)
{
    const uint64_t n = (uint64_t)fmin(keys, 0x1p56);
    return blm_ones_tail_mean(d.bits, d.ask, m, blm_fill_mean(m, t, n), blm_fill_sd(m, t, n));
}

static double rate_high(const void *self, uint64_t m, double keys)
{
    const draft d = *(const draft *)self;
    const double fill = fill_steady(d, m, keys), sd = sqrt(fill * (1 - fill) * (double)m);
    return fmax(rate_at_once(d, m, keys, d.bits),
                blm_ones_tail_mean(d.bits, d.ask, m, fill * (double)m, sd));
}

/* ---- plan ------------------------------------------------------------------------------------------- */

/* The most steps after which at most `misses` of the keys of all bits have lost more bits than the slack. */
static unsigned window_of(draft d, double misses)
{
    unsigned low = 0, high = d.stripes;
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        const double lost = (double)middle / d.stripes;
        *(blm_ones_tail(d.bits, d.bits - d.ask + 1, lost) <= misses ? &low : &high) = middle;
    }
    return low;
}

/* Bits per key for a rate: the throws per bit at which all keys at once, or the steady stream, have the fill of the rate. */
static double price(draft d, double rate)
{
    const double fill = blm_ones_fill(d.bits, d.ask, rate);
    double low = 0, high = 1;
    while (1 + expm1(-high) / high < fill && high < 1e3) high *= 2;
    for (int i = 0; i < 30; i++) {
        const double z = (low + high) / 2;
        *(1 + expm1(-z) / z <= fill ? &low : &high) = z;
    }
    const double steady = d.bits * (d.stripes / (d.window + 1.0)) / high;
    return fmax(steady, d.bits / -log1p(-fill));
}

/* Two thirds of the bits are needed, unless the user says how many. Of all lengths, or the given one, the cheapest: for
 * a rate it depends on nothing else, so that the same numbers of keys are legal in filters of any size. With given bits, the
 * one with the lowest rate. */
static draft best(const blm_config *wish, unsigned ask, unsigned stripes, double misses)
{
    const unsigned first = wish->hashes ? wish->hashes : ask ? ask : 2;
    draft found = {0, 0, 0, 0};
    double least = (double)INFINITY;
    for (unsigned k = first; k <= (wish->hashes ? wish->hashes : BLM_THEORY_HASHES); k++) {
        draft d = {k, ask ? ask : (2 * k + 2) / 3, stripes, 0};
        d.window = window_of(d, misses);
        const double cost = wish->bits && wish->keys ? rate_high(&d, wish->bits, (double)wish->keys)
                                                     : price(d, wish->fpr);
        if (!found.bits || cost < least) found = d, least = cost;
    }
    return found;
}

static blm_err read_knobs(const blm_config *wish, const blm_knobs *knobs, unsigned *ask,
                          unsigned *least, unsigned *stripes, blm_report *why)
{
    const unsigned k = wish->hashes ? wish->hashes : BLM_THEORY_HASHES;
    blm_err err = BLM_OK;
    *ask = *least = 0;
    if (knobs->text[KNOB_ASK]) err = blm_enough_whole(knobs, KNOB_ASK, "ask", k, ask, why);
    if (!err && knobs->text[KNOB_LEAST])
        err = blm_enough_whole(knobs, KNOB_LEAST, "least", k, least, why);
    if (!err) err = blm_enough_whole(knobs, KNOB_STRIPES, "stripes", STRIPES_MAX, stripes, why);
    if (!err && wish->bits && wish->bits < *stripes)
        err = blm_fail(why, BLM_E_ARG, "bits %llu: must be at least one per stripe, %u",
                       (unsigned long long)wish->bits, *stripes);
    return err;
}

blm_err blm_signatures_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why)
{
    blm_signatures *s = (blm_signatures *)f;
    unsigned ask, least, stripes;
    blm_err err = read_knobs(wish, knobs, &ask, &least, &stripes, why);
    if (err) return err;
    const draft d = best(wish, ask, stripes, wish->fnr > 0 ? wish->fnr : BLM_MISSES_DEFAULT);
    if (least > d.bits)
        return blm_fail(why, BLM_E_ARG, "least=%u: a signature has %u bits", least, d.bits);
    s->flat.cells = wish->bits;
    if (!wish->bits) err = blm_enough_size(wish, rate_high, &d, &s->flat.cells, why);
    if (err) return err;
    if (s->flat.cells < stripes) s->flat.cells = stripes;
    s->flat.hashes = (uint8_t)d.bits;
    s->ask = (uint8_t)d.ask;
    s->least = (uint8_t)(least ? least : d.ask);
    s->stripes = stripes;
    s->window = d.window;
    return BLM_OK;
}

/* ---- rates ------------------------------------------------------------------------------------------ */

/* Without a number nobody knows how many bits keys come with, nor how many of them are older than the window: from all keys
 * at once, with the shortest signatures, to a stream of keys with the longest ones. */
blm_rate blm_signatures_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_signatures *s = (const blm_signatures *)f;
    const draft d = draft_of(s);
    if (!c) return blm_enough_now(&s->flat, s->ask);
    const uint64_t m = s->flat.cells;
    const double keys = (double)c->keys, mean = blm_fill_mean(m, s->least, c->keys),
                 sd = blm_fill_sd(m, s->least, c->keys);
    const double low = rate_at_once(d, m, keys, s->least);
    return (blm_rate){low, rate_high(&d, m, keys), c->keys && mean > 0 ? s->ask * sd / mean : 0};
}

/* In the filter as it is: none, up to those of keys of all bits that are as old as the window, or as time, with as many bits
 * less as deletes have reset. */
static blm_rate miss_now(const blm_signatures *s)
{
    const draft d = draft_of(s);
    const uint64_t now = s->flat.base.now;
    const double age = now < d.window ? (double)now : d.window, gone = (double)s->reset,
                 there = (double)s->flat.ones, left = gone > 0 ? there / (there + gone) : 1;
    const double kept = (1 - age / d.stripes) * left;
    return (blm_rate){0, blm_ones_miss(d.bits, kept, d.bits, d.ask, 0), 0};
}

/* After g steps the share g / S of the array was cleared, and a key has lost as many of its t bits as lay there, which is
 * binomial. Others may have set them again: none of them, or as many as a stripe gets in g steps. */
blm_rate blm_signatures_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_signatures *s = (const blm_signatures *)f;
    if (!c) return miss_now(s);
    const draft d = draft_of(s);
    const uint64_t m = s->flat.cells;
    const double keys = (double)c->keys;
    const unsigned t = blm_signature_bits(s, c->arg);
    if (!c->gap) { /* all of them new */
        const double p =
            blm_ones_miss(t, 1, d.bits, d.ask, blm_fill_mean(m, d.bits, c->keys) / (double)m);
        return (blm_rate){p, p, 0};
    }
    const double steps = c->gap < d.stripes ? (double)c->gap : d.stripes,
                 kept = 1 - steps / d.stripes;
    const double others = fmax(fill_steady(d, m, keys), fill_after(d, m, keys, d.window + 1.0)),
                 again = fill_after(d, m, keys, steps);
    return (blm_rate){blm_ones_miss(t, kept + (1 - kept) * again, d.bits, d.ask, others),
                      blm_ones_miss(t, kept, d.bits, d.ask, 0), 0};
}

double blm_signatures_lines(const blm_filter *f, const blm_case *c)
{
    const blm_signatures *s = (const blm_signatures *)f;
    const double fill =
        c ? fill_steady(draft_of(s), s->flat.cells, (double)c->keys) : blm_flat_fill(f);
    return blm_enough_lines(&s->flat, s->ask, fill);
}

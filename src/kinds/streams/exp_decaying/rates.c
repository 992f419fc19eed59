/* rates.c - how many bits, and how many ones a key needs: what is said yes to, and what is missed after r hops.
 *
 * After r hops each bit of a key is one with the chance d^-r + (1 - d^-r) a, where a is the chance of a bit that is not its
 * own: 32 bits with d = 4 and a = 0.1 have 32, 10.4, 5, 3.65 ones on average. `theta` of them are needed.
 *
 * The bits are planned for all keys at once. A stream of keys / (hops + 1) keys per hop never has more ones: without those
 * that are hit twice it has d / (d - 1) times the bits of one hop, at most twice as many, and hops + 1 is at least 2.
 */
#include <bloomery/theory.h>
#include <bloomery/theory/signatures.h>
#include <math.h>

#include "cells.h"

typedef struct draft { /* of a filter: all but the number of bits */
    unsigned bits, theta, fade, hops;
} draft;

static draft draft_of(const blm_fading *s)
{
    return (draft){s->flat.hashes, s->theta, s->fade, s->hops};
}

/* ---- fill ------------------------------------------------------------------------------------------- */

static double fill_of(draft d, uint64_t m, double keys)
{
    return -expm1(d.bits * keys * log1p(-1 / (double)m));
}

static double rate_at_once(const void *self, uint64_t m, double keys)
{
    const draft d = *(const draft *)self;
    const uint64_t n = (uint64_t)fmin(keys, 0x1p56);
    return blm_ones_tail_mean(d.bits, d.theta, m, blm_fill_mean(m, d.bits, n),
                              blm_fill_sd(m, d.bits, n));
}

static double kept_after(draft d, double hops) { return pow(d.fade, -hops); }

/* ---- plan ------------------------------------------------------------------------------------------- */

/* The most ones that a key still has after the hops, but for the planned misses; 0: not even one. */
static unsigned theta_for(draft d, double misses)
{
    const double kept = kept_after(d, d.hops);
    unsigned theta = d.bits;
    while (theta && blm_ones_miss(d.bits, kept, d.bits, theta, 0) > misses) theta--;
    return theta;
}

static blm_err choose_theta(draft *d, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why)
{
    const bool asked = wish->fnr > 0, given = knobs->text[KNOB_THETA] != NULL;
    const double misses = asked ? wish->fnr : BLM_MISSES_DEFAULT;
    const unsigned max = theta_for(*d, misses);
    blm_err err = BLM_OK;
    d->theta = max;
    if (given) err = blm_enough_whole(knobs, KNOB_THETA, "theta", d->bits, &d->theta, why);
    if (err || (d->theta && (d->theta <= max || !asked))) return err;
    if (!max)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: a key has %.3g of them left after hops=%u with fade=%u, too "
                        "few for fnr %g; use more hashes, fewer hops or a smaller fade",
                        d->bits, d->bits * kept_after(*d, d->hops), d->hops, d->fade, misses);
    return blm_fail(why, BLM_E_ARG, "theta=%u: must be at most %u for fnr %g after %u hops",
                    d->theta, max, misses, d->hops);
}

blm_err blm_fading_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                        blm_report *why)
{
    blm_fading *s = (blm_fading *)f;
    draft d = {wish->hashes ? wish->hashes : FADE_BITS, 0, 0, 0};
    blm_err err = blm_enough_whole(knobs, KNOB_FADE, "fade", FADE_MAX, &d.fade, why);
    if (!err) err = blm_enough_whole(knobs, KNOB_HOPS, "hops", FADE_HOPS_MAX, &d.hops, why);
    if (!err) err = choose_theta(&d, wish, knobs, why);
    if (err) return err;
    s->flat.cells = wish->bits;
    if (!wish->bits) err = blm_enough_size(wish, rate_at_once, &d, &s->flat.cells, why);
    s->flat.hashes = (uint8_t)d.bits;
    s->theta = (uint8_t)d.theta;
    s->fade = d.fade;
    s->hops = (uint8_t)d.hops;
    return err;
}

/* ---- rates ------------------------------------------------------------------------------------------ */

blm_rate blm_fading_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_fading *s = (const blm_fading *)f;
    const draft d = draft_of(s);
    if (!c) return blm_enough_now(&s->flat, s->theta);
    const uint64_t m = s->flat.cells;
    const double mean = blm_fill_mean(m, d.bits, c->keys), sd = blm_fill_sd(m, d.bits, c->keys),
                 p = rate_at_once(&d, m, (double)c->keys);
    return (blm_rate){p, p, c->keys && mean > 0 ? s->theta * sd / mean : 0};
}

/* A key that is new has all of its bits. After that no bit of another key may lie on those that have faded, or as many
 * as the planned keys have. */
blm_rate blm_fading_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_fading *s = (const blm_fading *)f;
    const draft d = draft_of(s);
    const double hops = c ? (double)c->gap : f->now ? d.hops : 0, kept = kept_after(d, hops);
    const double others = c ? fill_of(d, s->flat.cells, (double)c->keys) : 1;
    return (blm_rate){
        blm_ones_miss(d.bits, fmin(1, kept + (1 - kept) * others), d.bits, d.theta, 0),
        blm_ones_miss(d.bits, kept, d.bits, d.theta, 0), 0};
}

double blm_fading_lines(const blm_filter *f, const blm_case *c)
{
    const blm_fading *s = (const blm_fading *)f;
    const double fill = c ? fill_of(draft_of(s), s->flat.cells, (double)c->keys) : blm_flat_fill(f);
    return blm_enough_lines(&s->flat, s->theta, fill);
}

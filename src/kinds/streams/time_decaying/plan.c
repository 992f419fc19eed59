/* plan.c - from a wish to a half-life, a window, and as many rows and columns as keep the rate. */
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

/* The largest load at which a row's rate is p; below that of keys within the window alone. */
static double decay_most(const blm_time_decaying *t, double p)
{
    const double nats = blm_decay_nats(t);
    double low = 0, high = -log1p(-p);
    for (unsigned i = 0; i < 60; i++) {
        const double c = (low + high) / 2;
        *(blm_decay_reach(c, nats, 0) <= p ? &low : &high) = c;
    }
    return low;
}

static double decay_columns(const blm_time_decaying *t, const blm_config *wish, unsigned rows)
{
    const double keys = (double)wish->keys;
    double w = ceil(-1 / expm1(-decay_most(t, pow(wish->fpr, 1.0 / rows)) / keys));
    while (blm_decay_rate(t, w, rows, keys) > wish->fpr && w < 0x1p52) w += 1 + floor(w * 0x1p-40);
    return w;
}

static blm_err decay_by_keys(blm_time_decaying *t, const blm_config *wish, blm_report *why)
{
    double best = (double)INFINITY;
    const unsigned first = wish->hashes ? wish->hashes : 1, last = wish->hashes ? first : 64;
    for (unsigned k = first; k <= last; k++) {
        const double w = decay_columns(t, wish, k);
        if (!(w * k < best)) continue;
        best = w * k;
        if (w < 0x1p52) t->columns = (uint64_t)w, t->hashes = (uint8_t)k;
    }
    return best < 0x1p52 ? BLM_OK : blm_wish_beyond(wish, "2^52 cells", why);
}

static blm_err decay_by_bits(blm_time_decaying *t, const blm_config *wish, double *keys,
                             blm_report *why)
{
    const uint64_t cells = wish->bits / t->width;
    const unsigned first = wish->hashes ? wish->hashes : 1, last = wish->hashes ? first : 64;
    double best = 2;
    if (cells < first || cells / first > UINT64_C(1) << 52)
        return blm_fail(why, BLM_E_ARG,
                        "bits %" PRIu64 ": %" PRIu64 " cells of %u bits; there must be one per "
                        "row, and at most 2^52",
                        wish->bits, cells, t->width);
    for (unsigned k = first; k <= last && k <= cells; k++) {
        const uint64_t row = cells / k;
        const double w = (double)row, p = blm_decay_rate(t, w, k, *keys);
        if (!(p < best)) continue;
        best = p;
        t->columns = cells / k, t->hashes = (uint8_t)k;
    }
    if (!wish->keys)
        *keys = floor((double)t->columns * decay_most(t, pow(wish->fpr, 1.0 / t->hashes)));
    return BLM_OK;
}

static blm_err decay_keep(blm_time_decaying *t, double half, double above, double keys,
                          blm_report *why)
{
    const double lives = -log2(above), most = blm_decay_fraction(t->width) - 2;
    if (lives > most)
        return blm_fail(why, BLM_E_ARG, "above=%g: cells of width=%u tell counts from %g on", above,
                        t->width, exp2(-most));
    t->half = half > 0 ? (uint64_t)half : (uint64_t)fmax(1, fmin(keys / lives + 0.5, 0x1p47));
    t->window = half > 0 ? (uint64_t)(half * lives) : (uint64_t)((double)t->half * lives + 0.5);
    if (t->window < 1)
        return blm_fail(why, BLM_E_ARG,
                        "half=%g above=%g: a key would be forgotten at once; use a longer "
                        "half-life, or less than %g",
                        half, above, exp2(-1 / half));
    return BLM_OK;
}

blm_err blm_decay_plan(blm_filter *f, const blm_config *wish, const blm_knobs *k, blm_report *why)
{
    blm_time_decaying *t = (blm_time_decaying *)f;
    const double half = k->num[DECAY_HALF], width = k->num[DECAY_WIDTH];
    double keys = (double)wish->keys;
    if (half != floor(half))
        return blm_fail(why, BLM_E_ARG, "half=%s: must be a whole number of arrivals or ms",
                        k->text[DECAY_HALF]);
    if (width != 8 && width != 16 && width != 32)
        return blm_fail(why, BLM_E_ARG, "width=%g: must be 8, 16 or 32 bits per cell", width);
    t->width = (uint8_t)width, t->update = (uint8_t)k->num[DECAY_UPDATE];
    t->timed = k->timed[DECAY_HALF];
    blm_err err = decay_keep(t, half, k->num[DECAY_ABOVE], keys, why);
    if (!err) err = wish->bits ? decay_by_bits(t, wish, &keys, why) : decay_by_keys(t, wish, why);
    /* Bits and rows alone: now we know how many keys they hold. */
    return err || wish->keys ? err : decay_keep(t, half, k->num[DECAY_ABOVE], keys, why);
}

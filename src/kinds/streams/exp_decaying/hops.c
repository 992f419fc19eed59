/* hops.c - each hop keeps one in d of the ones: which, is a hash of the bit, the number of the hop and the seed.
 *
 * 64 bits are decided at once. Each draws a number below 1, one binary digit per random word, until it is above or below the
 * digits of 1/d; it stays when it is below. With d = 4, 1/d is 0.01 in binary:
 *
 *     digit of 1/d        0                 1                 no more
 *     random word      w0 = 1100         w1 = 1010
 *     still equal         0011              0010              equal is not below: they fade
 *     below             (none)              0001              stays: ~w0 & ~w1, one of four
 *
 * So log2 d words decide when d is a power of two; else 8 words do on average, until no bit is undecided, and 64 digits at
 * most: 1/d rounded down to a multiple of 2^-64.
 */
#include "cells.h"

/* The hops from + 1 .. to of a filter. */
typedef struct way {
    uint64_t from, to, seed, digits; /* digits: floor(2^64 / d), of d = 1 unused */
    bool fades;
} way;

static way way_of(const blm_filter *f, uint64_t to)
{
    const uint64_t d = ((const blm_fading *)f)->fade;
    return (way){.from = f->now,
                 .to = to,
                 .seed = blm_mix(f->seed + BLM_SALT_STEP),
                 .digits = UINT64_MAX / d + (UINT64_MAX % d == d - 1),
                 .fades = d > 1};
}

/* Of the ones of word `at` those that stay. */
static uint64_t faded(uint64_t ones, uint64_t at, uint64_t stream, uint64_t digits)
{
    uint64_t below = 0, equal = ones;
    for (uint64_t digit = 0; equal && digits; digit++, digits <<= 1) {
        const uint64_t w = blm_mix(stream + (at * 64 + digit) * BLM_SALT_STEP);
        if (digits >> 63) {
            below |= equal & ~w;
            equal &= w;
        } else {
            equal &= ~w;
        }
    }
    return below;
}

/* What is left of word `at` at the end of the way. */
static uint64_t faded_until(const way *w, uint64_t ones, uint64_t at)
{
    if (!w->fades) return ones;
    if (w->to - w->from >= FADE_HOPS) return 0;
    for (uint64_t hop = w->from; hop < w->to && ones; hop++)
        ones = faded(ones, at, blm_mix(w->seed ^ blm_mix(hop + 1)), w->digits);
    return ones;
}

/* Word by word, so that each is read and written once, and is left as soon as it has no ones. */
blm_err blm_fading_tick(blm_filter *f, uint64_t now)
{
    blm_fading *s = (blm_fading *)f;
    const way w = way_of(f, now);
    uint64_t left = 0;
    if (s->fade == 1 || now == f->now) return BLM_OK;
    for (uint64_t i = 0; i < f->bytes; i += 8) {
        const uint64_t ones = blm_le64(f->cells + i);
        if (!ones) continue;
        const uint64_t stay = faded_until(&w, ones, i / 8);
        blm_put64(f->cells + i, stay);
        left += blm_ones_of(stay);
    }
    s->flat.ones = left;
    return BLM_OK;
}

/* The one whose time is earlier fades until the other's: f where it is, g on its way. */
blm_err blm_fading_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_fading *s = (blm_fading *)f;
    const uint64_t to = f->now > g->now ? f->now : g->now;
    const way w = way_of(g, to);
    uint64_t sum = 0;
    (void)why;
    blm_fading_tick(f, to);
    for (uint64_t i = 0; i < f->bytes; i += 8) {
        const uint64_t more = faded_until(&w, blm_le64(g->cells + i), i / 8),
                       word = blm_le64(f->cells + i) | more;
        blm_put64(f->cells + i, word);
        sum += blm_ones_of(word);
    }
    s->flat.ones = sum;
    return BLM_OK;
}

/* bound.c - all kinds that forget in equal bits: within a window that they can keep, and far above what any
 * filter can. */
#include <bloomery/theory/streams.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "streams.h"

#define BITS   65536 /* of each filter, all told: a few less where cells do not divide them */
#define WINDOW 4096  /* arrivals: 16 bits for each */

/* fpr, fnr: by another program, double precision, for 4096 arrivals in 65,536 bits, each kind as planned: the mean over
 * moments of the classic rate of each filter with the keys that it then has, and for stable the chain of a cell; 0: no
 * such figure, or no misses at all. */
static const struct kind {
    const char *spec, *name;
    double fpr, fnr;
} kinds[STREAMS_KINDS] = {
    {"window", "window", 0.0090862, 0},
    {"aging", "aging", 0.0260172, 0},
    {"double-buffer", "double-buffer", 0.0842976, 0},
    {"decaying form=blocks", "decaying, blocks", 0.0460900, 0},
    {"stable fnr=0.9", "stable", 0.0433076, 0.3769330},
    {"time-decaying width=8", "time-decaying", 0, 0},
    {"variable-signature", "variable-signature", 0.4731417, 0},
};

/* Warmed up until nothing shows where it began. Where keys age by steps, a window of them has as many keys as planned. */
static blm_filter *begin(lab_sheet *s, stream *t, const struct kind *k, uint64_t keys)
{
    blm_info info;
    *t = (stream){.s = s, .random = 1};
    t->f = lab_make(s, "%s bits=%db keys=%" PRIu64 " seed=1", k->spec, BITS, keys);
    if (!t->f) return NULL;
    blm_info_of(t->f, &info);
    if (info.clock == BLM_CLOCK_STEPS) t->step = keys / info.window;
    if (stream_arrive(t, UINT64_C(20) * BITS)) return t->f;
    blm_free(t->f);
    return NULL;
}

void streams_equal(lab_sheet *s, size_t i)
{
    const struct kind *k = &kinds[i];
    const questions q = {.moments = s->quick ? 1000 : 10000,
                         .every = 409, /* a tenth of a window: all moments of its rounds are met */
                         .strangers = 64,
                         .members = 32,
                         .youngest = 1,
                         .oldest = WINDOW - 1};
    char what[64];
    stream t;
    answers a;
    blm_filter *f = begin(s, &t, k, WINDOW);
    if (f && stream_ask(&t, &q, &a)) {
        snprintf(what, sizeof what, "%s: false positives", k->name);
        lab_rate(s, what, &(lab_claim){.expected = k->fpr, .within = 0.01}, a.fpr, a.yes);
        snprintf(what, sizeof what, "%s: misses of the last %d", k->name, WINDOW);
        lab_rate(s, what, &(lab_claim){.expected = k->fnr, .within = 0.01}, a.fnr, a.missed);
        snprintf(what, sizeof what, "%s: bits / %d", k->name, BITS);
        lab_say(s, what, &(lab_claim){.expected = 1, .within = 1e-3}, NAN,
                lab_exactly(lab_bits(f) / BITS));
    }
    blm_free(f);
}

/* ---- the lower bound ------------------------------------------------------------------------------------------- */

/* Arrivals of the window for each bit of memory. The kinds are planned for as many keys as they have 8 bits each for: what they
 * forget of the window is missed. */
static const unsigned per_bit[] = {2, 4, 16};
#define WINDOWS (sizeof per_bit / sizeof *per_bit)

void streams_bound(lab_sheet *s, size_t i)
{
    const struct kind *k = &kinds[i / WINDOWS];
    const uint64_t window = (uint64_t)per_bit[i % WINDOWS] * BITS;
    const questions q = {.moments = s->quick ? 500 : 2000,
                         .every = 997,
                         .strangers = 64,
                         .members = 64,
                         .youngest = 1,
                         .oldest = window - 1};
    char what[64];
    stream t;
    answers a;
    blm_filter *f = begin(s, &t, k, BITS / 8);
    if (f && stream_ask(&t, &q, &a)) {
        const double bound = blm_sliding_bound(0x1p64, lab_bits(f), (double)window);
        const lab_number fpr = lab_share(a.yes, a.fpr.spread);
        const lab_number fnr = lab_share(a.missed, a.fnr.spread), sum = stream_sum(fpr, fnr);
        snprintf(what, sizeof what, "%s, %u arrivals per bit: false positives", k->name,
                 per_bit[i % WINDOWS]);
        lab_rate(s, what, &(lab_claim){0}, a.fpr, a.yes);
        snprintf(what, sizeof what, "%s, %u arrivals per bit: misses", k->name,
                 per_bit[i % WINDOWS]);
        lab_rate(s, what, &(lab_claim){0}, a.fnr, a.missed);
        snprintf(what, sizeof what, "%s, %u arrivals per bit: both", k->name, per_bit[i % WINDOWS]);
        lab_say(s, what, &(lab_claim){.at_least = bound}, NAN, sum);
        lab_mark_at(s, STREAMS_BOUND_PLOT, k->name, per_bit[i % WINDOWS], sum);
    }
    blm_free(f);
}

void streams_curves(lab_sheet *s, size_t i)
{
    (void)i;
    for (double x = 1; x <= 32; x *= 1.05)
        lab_line_at(s, STREAMS_BOUND_PLOT, "lower bound", x,
                    blm_sliding_bound(0x1p64, BITS, x * BITS));
    /* By another program, nine digits. */
    lab_say(s, "2^20 bits, 2^32 keys: 2^21 arrivals",
            &(lab_claim){.expected = 0.499938965, .within = 1e-8}, NAN,
            lab_exactly(blm_sliding_bound(0x1p32, 0x1p20, 0x1p21)));
    lab_say(s, "2^24 arrivals", &(lab_claim){.expected = 0.937385494, .within = 1e-8}, NAN,
            lab_exactly(blm_sliding_bound(0x1p32, 0x1p20, 0x1p24)));
    lab_say(s, "2^32 arrivals", &(lab_claim){.expected = 0.999613822, .within = 1e-8}, NAN,
            lab_exactly(blm_sliding_bound(0x1p32, 0x1p20, 0x1p32)));
}

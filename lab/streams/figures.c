/* figures.c - what the formulas and the simulations of the papers' filters give, computed by another program. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "streams.h"

/* ---- stable: equation 18 of the survey, and the chain of a cell --------------------------------------------------- */

#define GAPS 3
static const struct {
    const char *pick;
    unsigned hashes, width, picks;
    double fps;
    struct {
        unsigned age;
        double missed;
    } gap[GAPS];
} stable[STREAMS_STABLE] = {
    {"each", 2, 1, 19, .009072, {{215, .38835}, {862, .84400}, {3449, .98873}}},
    {"run", 2, 1, 19, .009072, {{215, .38851}, {862, .84415}, {3449, .98874}}},
    {"each", 3, 1, 11, .009844, {{372, .51430}, {1489, .91799}, {5957, .98947}}},
    {"run", 3, 1, 11, .009844, {{372, .51441}, {1489, .91805}, {5957, .98948}}},
    {"each", 3, 2, 36, .009733, {{113, .00625}, {455, .21021}, {1820, .95113}}},
    {"run", 3, 2, 36, .009733, {{113, .00611}, {455, .20973}, {1820, .95123}}},
    {"each", 4, 3, 72, .009865, {{56, 0}, {227, .00031}, {910, .32153}}},
    {"run", 4, 3, 72, .009865, {{56, 0}, {227, .00029}, {910, .32035}}},
};
#define CELLS 16384 /* of all of them */

static void stable_at(lab_sheet *s, stream *t, size_t i, size_t g)
{
    const uint64_t age = stable[i].gap[g].age;
    const questions q = {.moments = s->quick ? 4000 : 20000,
                         .every = 7,
                         .strangers = g ? 0 : 16,
                         .members = 1,
                         .youngest = age,
                         .oldest = age};
    const double missed = stable[i].gap[g].missed;
    char what[64];
    answers a;
    if (!stream_ask(t, &q, &a)) return;
    if (!g) {
        snprintf(what, sizeof what, "K = %u, d = %u, %s: false positives", stable[i].hashes,
                 stable[i].width, stable[i].pick);
        lab_rate(s, what, &(lab_claim){.expected = stable[i].fps, .within = 0.03}, a.fpr, a.yes);
    }
    snprintf(what, sizeof what, "K = %u, d = %u, %s: missed %" PRIu64 " arrivals later",
             stable[i].hashes, stable[i].width, stable[i].pick, age);
    if (missed > 0) /* five places of the figure: half of the last one may be more than 1 % */
        lab_rate(s, what, &(lab_claim){.expected = missed, .within = 0.01 + 5e-6 / missed}, a.fnr,
                 a.missed);
    else /* some 3 of 10^8 */
        lab_say(s, what, &(lab_claim){.at_most = 2e-3}, NAN, lab_share(a.missed, 0));
}

void streams_stable(lab_sheet *s, size_t i)
{
    stream t = {.s = s, .random = 1};
    t.f =
        lab_make(s, "stable pick=%s hashes=%u width=%u picks=%u bits=%ub keys=1000 fnr=0.99 seed=1",
                 stable[i].pick, stable[i].hashes, stable[i].width, stable[i].picks,
                 CELLS * stable[i].width);
    if (t.f && stream_arrive(&t, UINT64_C(20) * CELLS))
        for (size_t g = 0; g < GAPS; g++) stable_at(s, &t, i, g);
    blm_free(t.f);
}

/* ---- decaying: limits of the rate, and no miss -------------------------------------------------------------------- */

/* rate: the mean over lives, which lie between (V - 1) T + 1 and V T arrivals for V turns of T blocks; low and high: the
 * limits of the literature. */
static const struct {
    const char *form;
    unsigned cells, width, hashes, window;
    double rate, low, high;
} decaying[STREAMS_DECAYING] = {
    {"form=timing", 16384, 12, 6, 2048, 0.021537, 0.021537, 0.021537},
    {"form=blocks blocks=16", 16384, 8, 6, 2048, 0, 0.021537, 0.022266},
    {"form=blocks blocks=64", 16384, 6, 6, 2048, 0, 0.021537, 0.024408},
    {"form=blocks blocks=64", 16384, 6, 6, 2000, 0, 0.019564, 0.024408},
    {"form=blocks blocks=7", 8192, 8, 5, 1000, 0, 0.019831, 0.020486},
};

void streams_decaying(lab_sheet *s, size_t i)
{
    const questions q = {.moments = s->quick ? 1000 : 10000,
                         .every = 211,
                         .strangers = 64,
                         .members = 64,
                         .youngest = 0,
                         .oldest = decaying[i].window - 1};
    const double middle = (decaying[i].low + decaying[i].high) / 2;
    char what[64];
    stream t = {.s = s, .random = 1};
    answers a;
    t.f = lab_make(s, "decaying %s window=%u keys=%u hashes=%u bits=%ub seed=1", decaying[i].form,
                   decaying[i].window, decaying[i].window, decaying[i].hashes,
                   decaying[i].cells * decaying[i].width);
    if (t.f && stream_arrive(&t, UINT64_C(20) * decaying[i].cells) && stream_ask(&t, &q, &a)) {
        snprintf(what, sizeof what, "%s, W = %u: cells", decaying[i].form + 5, decaying[i].window);
        lab_say(s, what, &(lab_claim){.expected = decaying[i].cells}, NAN,
                lab_exactly(lab_field(t.f, "cells")));
        snprintf(what, sizeof what, "%s, W = %u: false positives", decaying[i].form + 5,
                 decaying[i].window);
        lab_rate(s, what,
                 &(lab_claim){.expected = middle,
                              .within = (decaying[i].high - decaying[i].low) / 2 / middle + 0.01},
                 a.fpr, a.yes);
        snprintf(what, sizeof what, "%s, W = %u: misses", decaying[i].form + 5, decaying[i].window);
        lab_rate(s, what, &(lab_claim){0}, a.fnr, a.missed);
    }
    blm_free(t.f);
}

/* ---- aging: the mean rate of a simulation --------------------------------------------------------------------------- */

static const struct {
    unsigned bits, hashes, keys;
    double promise, mean;
} aging[STREAMS_AGING] = {{65536, 8, 2839, 0.01, 0.004512},
                          {65536, 11, 2064, 0.001, 0.000563},
                          {131072, 5, 9085, 0.05, 0.038939}};

void streams_aging(lab_sheet *s, size_t i)
{
    const questions q = {.moments = s->quick ? 1000 : 10000,
                         .every = 293,
                         .strangers = 256,
                         .members = 64,
                         .youngest = 1,
                         .oldest = aging[i].keys - 1};
    char what[64];
    stream t = {.s = s, .random = 1};
    answers a;
    t.f = lab_make(s, "aging bits=%ub hashes=%u keys=%u seed=1", aging[i].bits, aging[i].hashes,
                   aging[i].keys);
    if (t.f && stream_arrive(&t, UINT64_C(4) * aging[i].keys) && stream_ask(&t, &q, &a)) {
        snprintf(what, sizeof what, "planned for %g %%: mean rate", 100 * aging[i].promise);
        lab_rate(s, what, &(lab_claim){.expected = aging[i].mean, .within = 0.05}, a.fpr, a.yes);
        snprintf(what, sizeof what, "planned for %g %%: misses of the last %u",
                 100 * aging[i].promise, aging[i].keys);
        lab_rate(s, what, &(lab_claim){0}, a.fnr, a.missed);
    }
    blm_free(t.f);
}

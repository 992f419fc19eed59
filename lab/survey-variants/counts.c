/* counts.c - how often a key came: spectral, layered, count-min, on streams with many light keys and few heavy. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "survey.h"

/* ---- a stream: each key once, the rest by Zipf's law with exponent 1, in random order ------------------- */

#define KEYS 10000
typedef struct stream {
    uint32_t times[KEYS]; /* the truth */
    uint64_t length;
    uint64_t key[]; /* members, as they come */
} stream;

static uint32_t zipf(const double sum[KEYS], uint64_t *state)
{
    const double u = (double)(lab_random(state) >> 11) * 0x1p-53 * sum[KEYS - 1];
    uint32_t low = 0, high = KEYS - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (sum[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* NULL: a row says so. */
static stream *stream_new(lab_sheet *s, uint64_t length, uint64_t seed)
{
    double sum[KEYS];
    stream *t = calloc(1, sizeof *t + (size_t)length * sizeof *t->key);
    if (!t) {
        lab_stuck(s, "a stream of keys", "no memory");
        return NULL;
    }
    for (uint32_t i = 0; i < KEYS; i++) sum[i] = 1 / (double)(i + 1) + (i ? sum[i - 1] : 0);
    t->length = length;
    for (uint64_t i = 0; i < length; i++) {
        const uint32_t k = i < KEYS ? (uint32_t)i : zipf(sum, &seed);
        t->times[k]++;
        t->key[i] = lab_member(k);
    }
    for (uint64_t i = length; i > 1; i--) {
        const uint64_t j = lab_random(&seed) % i, key = t->key[j];
        t->key[j] = t->key[i - 1];
        t->key[i - 1] = key;
    }
    return t;
}

typedef struct errors {
    lab_hits above, below; /* keys whose count is too high, too low */
    lab_hits far;          /* keys that exceed by more than `allowed` */
    double sum, squares;   /* of |count - truth| a key, and of its square */
} errors;

/* The stream into an empty f, then every key is counted. */
static errors errors_of(lab_sheet *s, blm_filter *f, const stream *t, double allowed)
{
    errors e = {{0, KEYS}, {0, KEYS}, {0, KEYS}, 0, 0};
    const blm_err err = blm_add_many_u64(f, t->key, (size_t)t->length, NULL, NULL);
    if (err) lab_stuck(s, "adding a stream", blm_strerror(err));
    for (uint32_t i = 0; i < KEYS && !err; i++) {
        blm_estimate n = {0};
        const blm_item it = blm_item_u64(f, lab_member(i), BLM_NO_ARG);
        if (blm_count_item(f, &it, &n)) n.value = 0; /* too low, then */
        const double off = n.value - (double)t->times[i];
        e.above.hits += off > 0;
        e.below.hits += off < 0;
        e.far.hits += off > allowed;
        e.sum += fabs(off) / KEYS;
        e.squares += off * off / KEYS;
    }
    return e;
}

static void errors_add(errors *all, const errors *one)
{
    all->above.hits += one->above.hits;
    all->above.trials += one->above.trials;
    all->below.hits += one->below.hits;
    all->below.trials += one->below.trials;
}

static lab_hits wrong(const errors *e)
{
    return (lab_hits){e->above.hits + e->below.hits, e->above.trials};
}

/* ---- spectral: three methods in the same bits ------------------------------------------------------------- */

#define TURNS   10
#define STUDENT 3.250 /* 99 % of Student's t with TURNS - 1 degrees of freedom; 99.99 %: */
#define WIDE_BY 6.594

/* The mean of TURNS logarithms. */
static lab_number geometric(const double log_of[TURNS])
{
    double mean = 0, squares = 0;
    for (int i = 0; i < TURNS; i++) mean += log_of[i] / TURNS;
    for (int i = 0; i < TURNS; i++) squares += (log_of[i] - mean) * (log_of[i] - mean);
    const double one = sqrt(squares / (TURNS - 1) / TURNS);
    return (lab_number){exp(mean), exp(mean - STUDENT * one), exp(mean + STUDENT * one),
                        exp(mean - WIDE_BY * one), exp(mean + WIDE_BY * one)};
}

enum { SELECTION, INCREASE, SMALL, HALF, METHODS };
static const char *const method_names[METHODS] = {"selection", "increase", "recurring",
                                                  "recurring"};

/* Recurring has a second array, small or (as in the paper) half of the first, and a marker of one bit per counter: all
 * in the bits of selection's one array. overcount: (1 - e^(-kn/m))^k. L1: wrong keys / those of selection, by another
 * program that draws positions at random. 100 streams know these means to 2.0, 1.1 and 1.2 %; tolerances are 4 of
 * these. */
static const struct {
    uint64_t counters;
    unsigned small;
    double overcount;
    lab_known small_wrong, half_wrong;
} spectral_sizes[SURVEY_SPECTRAL] = {{100000, 16, 0.00943, {0}, {"L1", 2.045, 0.08}},
                                     {72135, 8, 0.03125, {"L1", 1.049, 0.05}, {"L1", 2.047, 0.05}}};

typedef struct spectra {
    errors all[METHODS]; /* of all turns */
    double log_mean[METHODS][TURNS],
        log_square[METHODS][TURNS]; /* errors, divided by those of selection */
    blm_rate theory;                /* of selection */
} spectra;

/* One stream into a filter of each method; false: a row says why. */
static bool spectral_turn(lab_sheet *s, size_t i, unsigned turn, spectra *r)
{
    char share[METHODS][16] = {"", "", "", "share=2"};
    errors e[METHODS] = {0};
    stream *t = stream_new(s, 1000000, turn + 1);
    bool whole = t != NULL;
    snprintf(share[SMALL], sizeof share[SMALL], "share=%u", spectral_sizes[i].small);
    for (int m = 0; whole && m < METHODS; m++) {
        if (s->quick && m == INCREASE) continue;
        blm_filter *f =
            lab_make(s, "spectral method=%s %s bits=%" PRIu64 "b hashes=5 width=32 seed=%u",
                     method_names[m], share[m], 32 * spectral_sizes[i].counters, turn + 1);
        whole = f != NULL;
        if (!whole) break;
        e[m] = errors_of(s, f, t, 0);
        errors_add(&r->all[m], &e[m]);
        if (m == SELECTION) r->theory = lab_theory(f, KEYS);
        r->log_mean[m][turn] = log(e[m].sum / e[SELECTION].sum);
        r->log_square[m][turn] = log(e[m].squares / e[SELECTION].squares);
        blm_free(f);
    }
    free(t);
    return whole;
}

/* Three measures of error, each divided by that of selection: below 1 is claimed. */
static void beside_selection(lab_sheet *s, const spectra *r, int m, const char *name,
                             bool square_decides, lab_known wrong_known)
{
    const lab_claim below = {.at_most = 1};
    char what[64];
    snprintf(what, sizeof what, "%s / selection: mean error", name);
    lab_say(s, what, &below, NAN, geometric(r->log_mean[m]));
    snprintf(what, sizeof what, "%s / selection: square error", name);
    if (square_decides)
        lab_say(s, what, &below, NAN, geometric(r->log_square[m]));
    else
        lab_show(s, what, geometric(r->log_square[m]));
    snprintf(what, sizeof what, "%s / selection: keys wrong", name);
    lab_say(s, what, &(lab_claim){.at_most = 1, .known = wrong_known}, NAN,
            lab_quotient(wrong(&r->all[m]), 0, wrong(&r->all[SELECTION]), 0));
}

#define OFTEN 10
static blm_err change_all(blm_filter *f, uint32_t from, uint32_t step, bool leave)
{
    blm_err err = BLM_OK;
    for (unsigned t = 0; t < OFTEN; t++)
        for (uint32_t i = from; i < KEYS && !err; i += step) {
            const blm_item it = blm_item_u64(f, lab_member(i), BLM_NO_ARG);
            err = leave ? blm_del_item(f, &it) : blm_add_item(f, &it, NULL);
        }
    return err;
}

/* Keys that come OFTEN times; every other one leaves as often. The second array must keep what the others share
 * with those that left. */
static void recurring_after_deletes(lab_sheet *s, unsigned share)
{
    char what[64];
    double below = 0;
    for (unsigned turn = 1; turn <= TURNS; turn++) {
        blm_filter *f = lab_make(s,
                                 "spectral method=recurring share=%u bits=%" PRIu64 "b "
                                 "hashes=5 width=32 seed=%u",
                                 share, 32 * spectral_sizes[0].counters, turn);
        if (!f) return;
        blm_err err = change_all(f, 0, 1, false);
        if (!err) err = change_all(f, 1, 2, true);
        if (err) lab_stuck(s, "adding and deleting", blm_strerror(err));
        for (uint32_t i = 0; i < KEYS && !err; i += 2) {
            blm_estimate n = {0};
            const blm_item it = blm_item_u64(f, lab_member(i), BLM_NO_ARG);
            if (blm_count_item(f, &it, &n)) n.value = 0;
            below += n.value < OFTEN;
        }
        blm_free(f);
    }
    snprintf(what, sizeof what, "recurring, 1/%u, half deleted: keys undercounted", share);
    lab_say(s, what, &(lab_claim){0}, 0, lab_exactly(below));
}

void survey_spectral(lab_sheet *s, size_t i)
{
    spectra r = {0};
    char what[64];
    if (s->quick && i) return;
    for (unsigned turn = 0; turn < TURNS; turn++)
        if (!spectral_turn(s, i, turn, &r)) return;
    r.theory.spread /= sqrt(TURNS);
    snprintf(what, sizeof what, "selection, %.1f counters per key: keys overcounted",
             (double)spectral_sizes[i].counters / KEYS);
    lab_rate(s, what, &(lab_claim){.expected = spectral_sizes[i].overcount, .within = 0.01},
             r.theory, r.all[SELECTION].above);
    lab_say(s, "selection and increase: keys undercounted", &(lab_claim){0}, 0,
            lab_exactly((double)(r.all[SELECTION].below.hits + r.all[INCREASE].below.hits)));
    snprintf(what, sizeof what, "recurring, second array 1/%u", spectral_sizes[i].small);
    beside_selection(s, &r, SMALL, what, true, spectral_sizes[i].small_wrong);
    /* Few keys are read far too low where the marks are crowded (L2). The other program has 1.0 times the square error in
     * 400 streams, which differ by a factor of 4.6 (1 sigma): 10 of them tell nothing. */
    beside_selection(s, &r, HALF, "recurring, second array 1/2", i == 0,
                     spectral_sizes[i].half_wrong);
    if (!s->quick) beside_selection(s, &r, INCREASE, "increase", true, (lab_known){0});
    /* With fewer counters (7.2 per key, or half of them in the second array) the marks are crowded: L2. */
    if (!i) recurring_after_deletes(s, spectral_sizes[i].small);
}

/* ---- layered: how often a count is too high ----------------------------------------------------------------- */

#define LAYERS 5
#define TIMES  4 /* keys come 1 to TIMES times, a quarter of them each */

/* seen[j]: keys that are counted j times or more; high[t]: keys that came t times and are counted higher. */
static uint64_t layered_counts(const blm_filter *f, const uint64_t keys[LAYERS + 1],
                               uint64_t seen[LAYERS + 1], uint64_t high[TIMES + 1])
{
    uint64_t low = 0;
    for (uint64_t i = 0; i < keys[1]; i++) {
        blm_estimate n = {0};
        unsigned truth = 0;
        const blm_item it = blm_item_u64(f, lab_member(i), BLM_NO_ARG);
        while (i < keys[truth + 1]) truth++;
        if (blm_count_item(f, &it, &n)) n.value = 0;
        for (unsigned j = 1; j <= LAYERS; j++) seen[j] += n.value >= j;
        high[truth] += n.value > truth;
        low += n.value < truth;
    }
    return low;
}

/* A layer has the bits of the keys that came so often, and of some that are counted so high: its rate at the end
 * lies between the rates of these numbers of keys. That is a wide band. The shares within it are those of another
 * program, positions drawn at random: 20 runs of 200,000 keys and 3 of 2,000,000 know them to 0.4, 0.7, 1.2 and 7 %,
 * and tolerances are four of these. */
void survey_layered(lab_sheet *s, size_t i)
{
    static const struct {
        double share, off;
    } higher[TIMES + 1] = {
        {0, 0}, {0.0295, 0.016}, {0.0133, 0.028}, {0.00242, 0.048}, {7.5e-5, 0.28}};
    const uint64_t n = 2000000; /* in a quick run too, or nothing is seen of the fourth layer */
    const uint64_t keys[LAYERS + 1] = {n, n, n / 4 * 3, n / 2, n / 4, 0};
    uint64_t seen[LAYERS + 1] = {0}, high[TIMES + 1] = {0};
    char what[64];
    (void)i;
    blm_filter *f = lab_make(s, "layered keys=%" PRIu64 " fpr=3%% layers=%d seed=1", n, LAYERS);
    for (unsigned t = 1; t <= TIMES; t++)
        if (!lab_add(s, f, 0, keys[t])) {
            blm_free(f);
            return;
        }
    const uint64_t m = (uint64_t)lab_field(f, "cells");
    const unsigned k = (unsigned)lab_field(f, "hashes");
    lab_rate(s, "non-members counted once or more", &(lab_claim){.expected = 0.03, .within = 0.01},
             lab_theory(f, n), lab_ask(f, s->quick ? 1000000 : 4000000));
    lab_say(s, "keys undercounted", &(lab_claim){0}, 0,
            lab_exactly((double)layered_counts(f, keys, seen, high)));
    double none = 1 - blm_rate_exact(m, k, seen[1]);
    for (unsigned t = 1; t <= TIMES; t++) {
        none *= 1 - blm_rate_exact(m, k, seen[t + 1]);
        snprintf(what, sizeof what, "came %u time%s: counted higher", t, t > 1 ? "s" : "");
        lab_say(s, what,
                &(lab_claim){.expected = higher[t].share,
                             .within = higher[t].off,
                             .at_least = blm_rate_exact(m, k, keys[t + 1]),
                             .at_most = 1 - none},
                NAN, lab_share((lab_hits){high[t], keys[t] - keys[t + 1]}, blm_rate_sd(m, k, n)));
    }
    blm_free(f);
}

/* ---- count-min: eps and delta -------------------------------------------------------------------------------- */

void survey_count_min(lab_sheet *s, size_t i)
{
    static const struct {
        double eps, delta, counters; /* ceil(e / eps) * ceil(ln(1 / delta)) */
    } promises[SURVEY_COUNT_MIN] = {{0.01, 0.01, 272 * 5}, {0.001, 0.001, 2719 * 7}};
    static const char *const updates[] = {"plain", "conservative"};
    const double eps = promises[i].eps, delta = promises[i].delta;
    const uint64_t length = s->quick ? 100000 : 1000000;
    double sums[2] = {NAN, NAN};
    stream *t = stream_new(s, length, 1);
    char what[64];
    for (int u = 0; t && u < 2; u++) {
        blm_filter *f = lab_make(s, "count-min update=%s eps=%g delta=%g width=32 keys=%d seed=1",
                                 updates[u], eps, delta, KEYS);
        if (!f) continue;
        const errors e = errors_of(s, f, t, eps * (double)length);
        sums[u] = e.sum;
        snprintf(what, sizeof what, "%s, eps %g, delta %g: counters", updates[u], eps, delta);
        lab_say(s, what, &(lab_claim){.expected = promises[i].counters, .within = 0}, NAN,
                lab_exactly(lab_field(f, "columns") * lab_field(f, "hashes")));
        snprintf(what, sizeof what, "%s: keys that exceed by more than eps", updates[u]);
        lab_say(s, what, &(lab_claim){.at_most = delta}, NAN, lab_share(e.far, 0));
        snprintf(what, sizeof what, "%s: keys undercounted", updates[u]);
        lab_say(s, what, &(lab_claim){0}, 0, lab_exactly((double)e.below.hits));
        blm_free(f);
    }
    free(t);
    lab_say(s, "conservative / plain: mean excess", &(lab_claim){.at_most = 1}, NAN,
            lab_exactly(sums[1] / sums[0]));
}

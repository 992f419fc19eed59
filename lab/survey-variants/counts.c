/* counts.c - how often a key came: spectral, count-min, on streams with many light keys and few heavy. */
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

enum { SELECTION, INCREASE, RECURRING, RECURRING_BESIDE, METHODS };
static const char *const method_names[METHODS] = {"selection", "increase", "recurring",
                                                  "recurring"};
/* Counters of 32 bits, 5 hashes. Recurring has m + m/2 counters and m bits: in the bits of selection, or
 * with an m of selection's, which is 49/32 of the bits. */
static const double method_bits[METHODS] = {32, 32, 32, 49};

typedef struct spectra {
    errors all[METHODS];                       /* of all turns */
    double log_mean[TURNS], log_square[TURNS]; /* errors of recurring / those of selection */
    blm_rate theory;                           /* of selection */
} spectra;

/* One stream into a filter of each method; false: a row says why. */
static bool spectral_turn(lab_sheet *s, uint64_t counters, unsigned turn, spectra *r)
{
    errors e[METHODS] = {0};
    stream *t = stream_new(s, 1000000, turn + 1);
    bool whole = t != NULL;
    for (int m = 0; whole && m < METHODS; m++) {
        if (s->quick && m != SELECTION && m != RECURRING) continue;
        blm_filter *f = lab_make(s, "spectral method=%s bits=%.0fb hashes=5 width=32 seed=%u",
                                 method_names[m], method_bits[m] * (double)counters, turn + 1);
        whole = f != NULL;
        if (!whole) break;
        e[m] = errors_of(s, f, t, 0);
        errors_add(&r->all[m], &e[m]);
        if (m == SELECTION) r->theory = lab_theory(f, KEYS);
        blm_free(f);
    }
    r->log_mean[turn] = log(e[RECURRING].sum / e[SELECTION].sum);
    r->log_square[turn] = log(e[RECURRING].squares / e[SELECTION].squares);
    free(t);
    return whole;
}

/* expected: (1 - e^(-kn/m))^k. At 7.2 counters a key recurring has 4.7 of its own, and a crowded marker. */
static const struct {
    uint64_t counters;
    double overcount;
    const char *known;
} spectral_sizes[SURVEY_SPECTRAL] = {{100000, 0.00943, NULL}, {72135, 0.03125, "L2"}};

void survey_spectral(lab_sheet *s, size_t i)
{
    spectra r = {0};
    const lab_hits *usual = &r.all[SELECTION].above;
    char what[64];
    if (s->quick && i) return;
    for (unsigned turn = 0; turn < TURNS; turn++)
        if (!spectral_turn(s, spectral_sizes[i].counters, turn, &r)) return;
    r.theory.spread /= sqrt(TURNS);
    snprintf(what, sizeof what, "selection, %.1f counters a key: keys overcounted",
             (double)spectral_sizes[i].counters / KEYS);
    lab_rate(s, what, &(lab_claim){.expected = spectral_sizes[i].overcount, .within = 0.01},
             r.theory, *usual);
    lab_say(s, "selection and increase: keys undercounted", &(lab_claim){0}, 0,
            lab_exactly((double)(r.all[SELECTION].below.hits + r.all[INCREASE].below.hits)));
    lab_say(s, "recurring / selection in the same bits: mean error", &(lab_claim){.at_most = 1},
            NAN, geometric(r.log_mean));
    lab_say(s, "recurring / selection in the same bits: square error",
            &(lab_claim){.at_most = 1, .known = spectral_sizes[i].known}, NAN,
            geometric(r.log_square));
    lab_say(s, "recurring / selection in the same bits: keys wrong",
            &(lab_claim){.at_most = 1, .known = "L1"}, NAN,
            lab_quotient(wrong(&r.all[RECURRING]), 0, *usual, 0));
    if (s->quick) return;
    lab_say(s, "recurring / selection, 49/32 of the bits: keys wrong", &(lab_claim){.at_most = 1},
            NAN, lab_quotient(wrong(&r.all[RECURRING_BESIDE]), 0, *usual, 0));
    lab_say(s, "increase / selection: keys wrong", &(lab_claim){.at_most = 1}, NAN,
            lab_quotient(wrong(&r.all[INCREASE]), 0, *usual, 0));
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

/* braids.c - counter-braids on both sides of its limit: which counts are found when the whole list is known. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "survey.h"

#define FLOWS 100000
#define TURNS 10

typedef struct braid {
    const char *settings, *name;
    double beta, share; /* counters per key; of the keys, those that come more than once */
    double open;        /* of the counts, as claimed */
    double spread;      /* relative, between lists: of seeds 11 to 30 */
} braid;

/* The share of the counts that density evolution leaves open: x is the chance that a key tells a counter an open bound, and
 * its count is open when that is what it hears from all three. */
static double left_open(double beta)
{
    double x = 1;
    for (int i = 0; i < 100000; i++) x = pow(-expm1(-3 * x / beta), 2);
    return pow(-expm1(-3 * x / beta), 3);
}

typedef struct flows {
    uint32_t *times;
    blm_item *it;
    blm_estimate *told;
} flows;

static bool flows_new(lab_sheet *s, flows *w)
{
    *w = (flows){calloc(FLOWS, sizeof *w->times), calloc(FLOWS, sizeof *w->it),
                 calloc(FLOWS, sizeof *w->told)};
    if (!w->times || !w->it || !w->told) lab_stuck(s, "a list of keys", "no memory");
    return w->times && w->it && w->told;
}

static void flows_free(flows *w)
{
    free(w->times);
    free(w->it);
    free(w->told);
}

/* Key i comes once, or 2 to 10,000 times: a share of v^-1.25 of these v times or more. */
static bool flows_add(lab_sheet *s, blm_filter *f, flows *w, double share, uint64_t seed)
{
    blm_err err = BLM_OK;
    for (uint64_t i = 0; i < FLOWS && !err; i++) {
        const double u = (double)(lab_random(&seed) >> 11) * 0x1p-53;
        const double v = (double)((lab_random(&seed) >> 11) + 1) * 0x1p-53;
        w->times[i] = u < share ? (uint32_t)fmin(10000, 1 + pow(v, -0.8)) : 1;
        w->it[i] = blm_item_u64(f, lab_member(i), BLM_NO_ARG);
        for (uint32_t t = 0; t < w->times[i] && !err; t++) err = blm_add_item(f, &w->it[i], NULL);
    }
    if (err) lab_stuck(s, "adding a stream", blm_strerror(err));
    return !err;
}

/* One list: its open counts, and those that are wrong. */
static bool braid_turn(lab_sheet *s, const braid *b, flows *w, uint64_t seed, lab_hits *open,
                       lab_hits *wrong)
{
    blm_filter *f = lab_make(s, "counter-braids keys=%d beta=%g %s seed=%" PRIu64, FLOWS, b->beta,
                             b->settings, seed);
    bool whole = f && flows_add(s, f, w, b->share, seed);
    const blm_err err = whole ? blm_count_all(f, w->it, FLOWS, w->told) : BLM_OK;
    if (err) lab_stuck(s, "counting a list", blm_strerror(err));
    whole &= !err;
    for (uint64_t i = 0; i < FLOWS && whole; i++) {
        open->hits += w->told[i].low < w->told[i].high;
        wrong->hits += w->told[i].low > w->times[i] || w->told[i].high < w->times[i];
    }
    open->trials += FLOWS;
    wrong->trials += FLOWS;
    blm_free(f);
    return whole;
}

/* The limits are 1.2218 for all counts above the least, 0.5155 where one key in five is. */
void survey_braids(lab_sheet *s, size_t i)
{
    static const braid braids[SURVEY_BRAIDS] = {
        {"", "1.25 counters per key", 1.25, 1, 0, 0},
        {"", "1.20 counters per key", 1.20, 1, 0.5, 0.02},
        {"least=1", "0.8, one in 5 came again", 0.8, 0.2, 0, 0}};
    const braid *b = &braids[i];
    const uint64_t turns = s->quick ? 2 : TURNS;
    lab_hits open = {0, 0}, wrong = {0, 0};
    char what[64];
    flows w;
    bool whole = flows_new(s, &w);
    for (uint64_t seed = 1; seed <= turns && whole; seed++)
        whole = braid_turn(s, b, &w, seed, &open, &wrong);
    flows_free(&w);
    if (!whole) return;
    snprintf(what, sizeof what, "%s: counts that stay open", b->name);
    const lab_claim claim = {.expected = b->open, .within = b->open > 0 ? 0.02 : 0};
    if (b->open > 0)
        lab_say(s, what, &claim, left_open(b->beta),
                lab_share(open, b->spread / sqrt((double)turns)));
    else
        lab_say(s, what, &claim, 0, lab_exactly((double)open.hits));
    snprintf(what, sizeof what, "%s: truth outside of its interval", b->name);
    lab_say(s, what, &(lab_claim){0}, 0, lab_exactly((double)wrong.hits));
}

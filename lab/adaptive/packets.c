/* packets.c - figures 7 to 10 and Table II: a question a packet, by four traces, on filters of 8, 12 and 16 keys a
 * word. */
#include <bloomery/theory/words.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "adaptive.h"

#define LOADS       3 /* N/M = 8, 12, 16    */
#define HASHES      4 /* k = 2, 3, 4, 5     */
#define DRAWS       10
#define QUICK_DRAWS 3 /* of the quick run, at N = 8M, trace 1 */
enum { BLOOM1, S2, S4, S8, S2_CHECK, S4_CHECK, S8_CHECK, S2_D5, S4_D5, S8_D5, FORMS };

static const unsigned keys_a_word[LOADS] = {8, 12, 16};
static const adaptive_form forms[FORMS] = {
    {1, false, 1}, {2, false, 1}, {4, false, 1}, {8, false, 1}, {2, true, 1},
    {4, true, 1},  {8, true, 1},  {2, false, 5}, {4, false, 5}, {8, false, 5}};
static const char *const form_names[FORMS] = {
    "Bloom-1",           "ABF, S = 2",        "ABF, S = 4",        "ABF, S = 8",
    "ABF, S = 2, check", "ABF, S = 4, check", "ABF, S = 8, check", "ABF, S = 2, d = 5",
    "ABF, S = 4, d = 5", "ABF, S = 8, d = 5"};

/* What an independent simulation of the same traces gave, five draws of members (shuffled: three), the best k of 2
 * to 5; and Table II, for the trace that each burst was chosen for. known: the cells of Table II that do not agree
 * (A1), as the simulation's rate / the paper's; 0: it agrees. below_5: the same for the abstract (A3). */
typedef struct packet_trace {
    const char *name;
    double burst;
    double rate[LOADS][S8_D5];
    unsigned k[LOADS][S8_D5]; /* of that rate */
    double paper[LOADS][S8 + 1], known[LOADS][S8 + 1], below_5;
} packet_trace;

static const packet_trace traces[ADAPTIVE_PACKETS] = {
    {"trace 1",
     0.15,
     {{0.033641, 0.011581, 0.007593, 0.006779, 0.011375, 0.007325, 0.006536, 0.012367, 0.008977},
      {0.090472, 0.039129, 0.027288, 0.025144, 0.037964, 0.025891, 0.023752, 0.040274, 0.029438},
      {0.155928, 0.085939, 0.060527, 0.055402, 0.082752, 0.056458, 0.051331, 0.087184, 0.063007}},
     {{5, 4, 4, 4, 4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3, 3, 3, 3}, {3, 2, 2, 2, 3, 3, 3, 3, 2}},
     {{.0331, .0109, .0082, .0079}, {.0894, .0389, .0282, .0272}, {.1557, .07771, .0582, .0563}},
     {{0, 0, 0.926, 0.858}, {0, 0, 0, 0.924}},
     1.108},
    {"trace 2",
     0.05,
     {{0.033641, 0.008808, 0.004977, 0.004564, 0.008655, 0.004775, 0.004374, 0.010161, 0.007051},
      {0.090472, 0.030613, 0.017955, 0.016189, 0.029709, 0.016901, 0.015171, 0.032960, 0.022122},
      {0.155928, 0.070178, 0.041449, 0.036201, 0.067667, 0.038282, 0.033162, 0.073133, 0.046922}},
     {{5, 4, 4, 4, 4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3, 3, 3, 3}, {3, 2, 2, 2, 2, 2, 2, 2, 2}},
     {{.0328, .0079, .0052, .0044}, {.0893, .0278, .0174, .0158}, {.1533, .0608, .0386, .0352}},
     {{0}, {0, 1.101}, {0, 1.154}},
     0},
    {"trace 3",
     0.10,
     {{0.033641, 0.010527, 0.006515, 0.005834, 0.010336, 0.006268, 0.005604, 0.011470, 0.008159},
      {0.090472, 0.035934, 0.023613, 0.021469, 0.034822, 0.022351, 0.020188, 0.037473, 0.026454},
      {0.155928, 0.080063, 0.053201, 0.047824, 0.077175, 0.049445, 0.044228, 0.081818, 0.056665}},
     {{5, 4, 4, 4, 4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3, 3, 3, 3}, {3, 2, 2, 2, 2, 2, 2, 2, 2}},
     {{.0330, .0093, .0063, .0059}, {.0885, .0321, .0227, .0216}, {.1553, .0680, .0481, .0458}},
     {{0}, {0, 1.119}, {0, 1.177, 1.106}},
     0},
    {"shuffled",
     0,
     {{0.034684, 0.020492, 0.018038, 0.017019, 0.020212, 0.017618, 0.016603, 0.020602, 0.018173},
      {0.089057, 0.063673, 0.056969, 0.056243, 0.062361, 0.055166, 0.054230, 0.063695, 0.057091},
      {0.155124, 0.128235, 0.115895, 0.114922, 0.124683, 0.110204, 0.108998, 0.128232, 0.115953}},
     {{5, 4, 4, 4, 4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3, 3, 3, 3}, {3, 3, 3, 3, 3, 3, 3, 3, 3}},
     {{0}},
     {{0}},
     0},
};

/* ---- measuring ---------------------------------------------------------------------------------------------- */

typedef struct desk { /* what a case works with */
    lab_sheet *s;
    const packet_trace *of;
    adaptive_link link;
    adaptive_rounds rate[LOADS][FORMS][HASHES]; /* one a draw; none: not asked  */
} desk;

/* Is this form measured with this k in this draw? All draws at the k of the figures above, and at 16 keys a word also
 * at the other one of 2 and 3, which are nearly alike; some at every k that the paper shows (figures 7 to 10). */
static bool wanted(const desk *d, unsigned load, int form, unsigned k, unsigned draw)
{
    const bool own = form < S8_D5 && d->of->k[load][form] == k;
    if (form == BLOOM1) return true;
    if (d->s->quick)
        return own && draw < QUICK_DRAWS &&
               (form <= S4 ||
                (d->of == traces && (form == S8 || form == S4_CHECK || form == S2_D5)));
    if (own || d->of->burst == 0) return own;
    if (load == 2 && k <= 3 && form <= S8) return true;
    return draw < 4 && (form <= S8 || (form >= S2_D5 && d->of == traces));
}

/* One draw of members. The same members, keys and hashes for all forms. */
static bool draw_one(desk *d, unsigned load, unsigned draw)
{
    adaptive_draw(&d->link, draw + 1, keys_a_word[load] * ADAPTIVE_WORDS);
    for (int form = 0; form < FORMS; form++)
        for (unsigned k = 2; k < 2 + HASHES; k++) {
            if (!wanted(d, load, form, k, draw)) continue;
            blm_filter *f = adaptive_make(d->s, forms[form], k, draw + 1);
            if (form == BLOOM1 && k == 2) adaptive_hash(&d->link, f);
            const bool added = adaptive_add(d->s, &d->link, f);
            if (added)
                adaptive_note(&d->rate[load][form][k - 2], form == BLOOM1
                                                               ? adaptive_by_flow(&d->link, f)
                                                               : adaptive_by_packet(&d->link, f));
            blm_free(f);
            if (!added) return false;
        }
    return true;
}

static unsigned draws_of(const desk *d) { return d->s->quick ? QUICK_DRAWS : DRAWS; }

/* The k of the lowest mean, of those with all draws; HASHES: this form was not measured. */
static unsigned best_of(const desk *d, unsigned load, int form)
{
    unsigned best = HASHES;
    double lowest = INFINITY;
    for (unsigned j = 0; j < HASHES; j++) {
        const adaptive_rounds *r = &d->rate[load][form][j];
        const double mean = r->n < draws_of(d) ? INFINITY : adaptive_mean(r).value;
        if (mean < lowest) lowest = mean, best = j;
    }
    return best;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* Of the mean of ten draws, after how much draws and traces differ: one heavy flow weighs much in few keys. */
static double tolerance(unsigned load, int form)
{
    if (forms[form].groups >= 4) return 0.08;
    return load == 0 ? 0.20 : 0.10;
}

static lab_known known_as(const char *id, double size, double tolerance)
{
    return size > 0 ? (lab_known){id, size, tolerance} : (lab_known){0};
}

/* A cell of Table II, and what the abstract says of the last one of a trace. */
static void say_paper(const desk *d, unsigned load, int form, lab_number n)
{
    const double off = tolerance(load, form);
    char what[64];
    snprintf(what, sizeof what, "Table II, %s, N = %uM, %s", d->of->name, keys_a_word[load],
             form_names[form]);
    lab_say(d->s, what,
            &(lab_claim){.expected = d->of->paper[load][form],
                         .within = off,
                         .known = known_as("A1", d->of->known[load][form], off)},
            NAN, adaptive_as_is(n));
    if (form < S8 || load < 2) return; /* "when using as few as four bits per element" */
    snprintf(what, sizeof what, "%s, N = 16M: below 5 %% (abstract)", d->of->name);
    lab_say(d->s, what, &(lab_claim){.at_most = 0.05, .known = known_as("A3", d->of->below_5, off)},
            NAN, n);
}

static void rates_of_load(const desk *d, unsigned load)
{
    for (int form = 0; form < S8_D5; form++) {
        const unsigned best = best_of(d, load, form);
        const uint64_t keys = (uint64_t)keys_a_word[load] * ADAPTIVE_WORDS;
        if (best == HASHES) continue;
        const lab_number n = adaptive_mean(&d->rate[load][form][best]);
        const lab_claim c = {.expected = d->of->rate[load][form], .within = tolerance(load, form)};
        char what[64];
        snprintf(what, sizeof what, "%s, N = %uM, %s, k = %u", d->of->name, keys_a_word[load],
                 form_names[form], best + 2);
        if (form == BLOOM1)
            lab_say(d->s, what, &c, blm_rate_word(64, ADAPTIVE_WORDS, 1, best + 2, keys), n);
        else
            lab_say(d->s, what, &c, NAN, adaptive_as_is(n));
        if (form <= S8 && d->of->burst > 0) say_paper(d, load, form, n);
    }
}

/* a / b at the k of a, which may be the best one of each; nothing where one was not measured. */
static void beside(const desk *d, unsigned load, int a, int b, bool own, const lab_claim *c)
{
    const unsigned j = best_of(d, load, a), other = own ? best_of(d, load, b) : j;
    char what[64];
    if (j == HASHES || other == HASHES || d->rate[load][b][other].n < draws_of(d)) return;
    snprintf(what, sizeof what, "%s, N = %uM: %s / %s", d->of->name, keys_a_word[load],
             form_names[a] + (a ? 5 : 0), form_names[b] + (b ? 5 : 0));
    const lab_number n = adaptive_beside(&d->rate[load][a][j], &d->rate[load][b][other]);
    /* Three draws have no interval to speak of. */
    lab_say(d->s, what, c, NAN, d->s->quick ? lab_exactly(n.value) : n);
}

static void pattern_of_load(const desk *d, unsigned load)
{
    const lab_claim below = {.at_most = 1}, nearly = {.at_most = 1.02}, above = {.at_least = 0.99};
    beside(d, load, S2, BLOOM1, true, &below);
    beside(d, load, S4, S2, true, &below);
    beside(d, load, S8, S4, true, &nearly);
    for (int i = 0; i < 3; i++) beside(d, load, S2_CHECK + i, S2 + i, false, &below);
    for (int i = 0; i < 2; i++) {
        beside(d, load, S2_D5 + i, S2 + i, false, &above);
        beside(d, load, S2_D5 + i, BLOOM1, true, &below);
    }
}

/* "The reductions are larger when N/M is smaller." */
static void reductions_fall(const desk *d, unsigned load)
{
    for (int form = S2; form <= S8; form++) {
        lab_number at[2];
        char what[64];
        for (unsigned i = 0; i < 2; i++) {
            const unsigned j = best_of(d, load + i, form), plain = best_of(d, load + i, BLOOM1);
            if (j == HASHES || plain == HASHES) return;
            at[i] = adaptive_beside(&d->rate[load + i][BLOOM1][plain], &d->rate[load + i][form][j]);
        }
        const double ratio = at[0].value / at[1].value;
        const double off = ratio * hypot(1 - at[0].low / at[0].value, 1 - at[1].low / at[1].value);
        snprintf(what, sizeof what, "%s, %s: reduction at %uM / at %uM", d->of->name,
                 form_names[form], keys_a_word[load], keys_a_word[load + 1]);
        lab_say(d->s, what, &(lab_claim){.at_least = 1}, NAN,
                (lab_number){ratio, ratio - off, ratio + off, ratio - off, ratio + off});
    }
}

/* How much draws of members differ, on which the tolerances rest: 20 draws on trace 3 by the other simulation. Ten
 * draws know a standard deviation to 24 %. */
static void spread_of_draws(const desk *d)
{
    static const struct {
        unsigned load, k;
        double mean[3], sd[3];
    } row[] = {{0, 4, {.033323, .010178, .006525}, {.0876, .0733, .0376}},
               {2, 3, {.157068, .077376, .053334}, {.0266, .0306, .0136}}};
    for (int i = 0; i < 2; i++)
        for (int form = BLOOM1; form <= S4; form++) {
            const adaptive_rounds *r = &d->rate[row[i].load][form][row[i].k - 2];
            const lab_number n = adaptive_mean(r);
            const double sd =
                (n.high - n.value) / adaptive_errors(r->n) * sqrt((double)r->n) / n.value;
            char what[64];
            if (r->n < DRAWS) continue;
            snprintf(what, sizeof what, "%s, N = %uM, %s, k = %u: mean", d->of->name,
                     keys_a_word[row[i].load], form_names[form], row[i].k);
            lab_say(
                d->s, what,
                &(lab_claim){.expected = row[i].mean[form], .within = tolerance(row[i].load, form)},
                NAN, adaptive_as_is(n));
            snprintf(what, sizeof what, "%s, N = %uM, %s: draws differ by", d->of->name,
                     keys_a_word[row[i].load], form_names[form]);
            lab_say(d->s, what, &(lab_claim){.expected = row[i].sd[form], .within = 0.6}, NAN,
                    lab_exactly(sd));
        }
}

/* ---- figures 7 to 10 ------------------------------------------------------------------------------------------ */

static void points_of_load(const desk *d, unsigned load)
{
    static const char *const figure[LOADS][3] = {{"fig7-trace1", "fig7-trace2", "fig7-trace3"},
                                                 {"fig8-trace1", "fig8-trace2", "fig8-trace3"},
                                                 {"fig9-trace1", "fig9-trace2", "fig9-trace3"}};
    static const char *const figure10[LOADS] = {"fig10-8M", "fig10-12M", "fig10-16M"};
    const size_t at = (size_t)(d->of - traces);
    for (unsigned j = 0; at < 3 && j < HASHES; j++) {
        const double k = j + 2;
        const uint64_t keys = (uint64_t)keys_a_word[load] * ADAPTIVE_WORDS;
        const double plain = blm_rate_word(64, ADAPTIVE_WORDS, 1, j + 2, keys);
        lab_line_at(d->s, figure[load][at], form_names[BLOOM1], k, plain);
        if (at == 0) lab_line_at(d->s, figure10[load], form_names[BLOOM1], k, plain);
        for (int form = BLOOM1; form < FORMS; form++) {
            const adaptive_rounds *r = &d->rate[load][form][j];
            if (r->n < 2) continue;
            if (form <= S8)
                lab_mark_at(d->s, figure[load][at], form_names[form], k, adaptive_mean(r));
            if (at == 0 && ((form >= S2 && form <= S8) || form >= S2_D5))
                lab_mark_at(d->s, figure10[load], form_names[form], k, adaptive_mean(r));
        }
    }
}

static bool measure_load(desk *d, unsigned load)
{
    for (unsigned draw = 0; draw < draws_of(d); draw++)
        if (!draw_one(d, load, draw)) return false;
    rates_of_load(d, load);
    if (d->of->burst > 0) pattern_of_load(d, load);
    return true;
}

void adaptive_packets(lab_sheet *s, size_t i)
{
    const unsigned loads = !s->quick ? LOADS : i == 0;
    desk *d = calloc(1, sizeof *d);
    if (!d) {
        lab_stuck(s, traces[i].name, "no memory");
        return;
    }
    d->s = s;
    d->of = &traces[i];
    bool whole = !loads || adaptive_link_new(s, (adaptive_law){.burst = d->of->burst}, &d->link);
    for (unsigned load = 0; whole && load < loads; load++) whole = measure_load(d, load);
    for (unsigned load = 0; whole && load < LOADS; load++) points_of_load(d, load);
    for (unsigned load = 0; whole && load + 1 < loads; load++) reductions_fall(d, load);
    if (whole && i == 2 && !s->quick) spread_of_draws(d);
    adaptive_link_free(&d->link);
    free(d);
}

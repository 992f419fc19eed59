/* tails.c - other laws of the sizes of flows, packets in any order, 8 keys a word: what adaptation gains. */
#include <math.h>
#include <stdio.h>

#include "adaptive.h"

#define HASHES 4
#define DRAWS  10
/* Reductions by one draw of an independent simulation (Zipf: three); draws differ by 5 to 9 % for Bloom-1. */
#define DRAW_OFF 0.15

typedef struct tail {
    adaptive_law law;
    double reduction[3]; /* S = 2, 4, 8; 0: unknown */
    double mean;         /* packets per flow         */
} tail;

static const tail pareto[] = {{{0, 0.8, false}, {1.80}, 0},
                              {{0, 0.9, false}, {1.74}, 13.3},
                              {{0, 1.0, false}, {1.61}, 0},
                              {{0, 1.1, false}, {1.47}, 0}};
static const tail zipf[] = {{{0, 0.9, true}, {1.34, 1.35, 1.33}, 1.9},
                            {{0, 1.0, true}, {1.47, 1.54, 1.52}, 2.5}};

/* rate[0]: of Bloom-1; the others: S = 2, 4, 8 where a reduction is known. */
static bool draw_tail(lab_sheet *s, const tail *t, adaptive_link *l, uint64_t draw,
                      adaptive_rounds rate[4])
{
    adaptive_draw(l, draw + 1, 8 * ADAPTIVE_WORDS);
    for (unsigned j = 0; j < 4; j++) {
        if (j && !(t->reduction[j - 1] > 0)) continue;
        blm_filter *f = adaptive_make(s, (adaptive_form){1u << j, false, 1}, HASHES, draw + 1);
        if (!j) adaptive_hash(l, f);
        const bool added = adaptive_add(s, l, f);
        if (added) adaptive_note(&rate[j], j ? adaptive_by_packet(l, f) : adaptive_by_flow(l, f));
        blm_free(f);
        if (!added) return false;
    }
    return true;
}

/* The reduction of S = 2; NAN: a row says why. */
static double say_tail(lab_sheet *s, const tail *t)
{
    adaptive_rounds rate[4] = {{0}, {0}, {0}, {0}};
    adaptive_link l;
    char what[64];
    bool whole = adaptive_link_new(s, t->law, &l);
    if (!whole) return NAN;
    for (uint64_t draw = 0; whole && draw < DRAWS; draw++) whole = draw_tail(s, t, &l, draw, rate);
    const double mean = (double)l.packets / ADAPTIVE_FLOWS;
    adaptive_link_free(&l);
    if (!whole) return NAN;
    const char *law = t->law.zipf ? "Zipf" : "Pareto";
    snprintf(what, sizeof what, "%s %.1f: packets per flow", law, t->law.alpha);
    if (t->mean > 0)
        lab_say(s, what, &(lab_claim){.expected = t->mean, .within = 0.03}, NAN, lab_exactly(mean));
    for (unsigned j = 1; j < 4; j++) {
        if (!rate[j].n) continue;
        snprintf(what, sizeof what, "%s %.1f: Bloom-1 / ABF, S = %u", law, t->law.alpha, 1u << j);
        lab_say(s, what, &(lab_claim){.expected = t->reduction[j - 1], .within = DRAW_OFF}, NAN,
                adaptive_as_is(adaptive_beside(&rate[0], &rate[j])));
    }
    return adaptive_beside(&rate[0], &rate[1]).value;
}

void adaptive_tails(lab_sheet *s, size_t i)
{
    double before = INFINITY;
    bool falls = true;
    if (i == 0) {
        for (int j = 0; j < (s->quick ? 1 : 2); j++) (void)say_tail(s, &zipf[j]);
        return;
    }
    for (int j = 0; !s->quick && j < 4; j++) {
        const double now = say_tail(s, &pareto[j]);
        falls = falls && now < before;
        before = now;
    }
    if (!s->quick)
        lab_say(s, "Pareto: a heavier tail gains more", &(lab_claim){.expected = 1}, NAN,
                lab_exactly(falls));
}

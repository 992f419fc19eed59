/* deleting.c - figure 7 of the survey: how many keys a deletable filter lets go, against m/n for several r. */
#include <bloomery/theory/deletable.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "growth.h"

#define FIGURE "figure-7"
#define KEYS   1000
#define HASHES 7

/* Bits without the collision bitmap; a simulation of 4000 filters, positions drawn at random, by another program:
 * the share of keys that can leave, and its standard deviation between filters. */
typedef struct leaving {
    unsigned bits_a_key, regions;
    double share, sd;
} leaving;
static const leaving leavings[GROWTH_DELETING] = {
    {8, 500, 0.07100, 0.0224},   {12, 500, 0.20563, 0.0361},  {16, 500, 0.37093, 0.0426},
    {24, 500, 0.64909, 0.0384},  {8, 1000, 0.41834, 0.0270},  {12, 1000, 0.66108, 0.0252},
    {16, 1000, 0.80965, 0.0201}, {24, 1000, 0.93822, 0.0107}, {8, 2000, 0.78877, 0.0154},
    {12, 2000, 0.91805, 0.0101}, {16, 2000, 0.96601, 0.0066}, {24, 2000, 0.99258, 0.0029},
};
static const char *const curves[] = {"r = 500", "r = 1000", "r = 2000"};
#define SIZES (GROWTH_DELETING / 3)

/* The chance that a cell has two throws or more, and none. */
static double collides(double m, double throws)
{
    const double none = exp(throws * log1p(-1 / m)), once = throws / m * none / (1 - 1 / m);
    return 1 - none - once;
}

/* The survey's form: a region of m/r cells without a collision. */
static double survey_share(double m, double n, double k, double r)
{
    return 1 - pow(1 - pow(1 - collides(m, k * n), m / r), k);
}

/* All members are deleted in turn: gone[i] is 1 for those that left. */
static uint64_t leave_all(blm_filter *f, uint64_t first, uint8_t gone[KEYS])
{
    uint64_t left = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        const blm_item it = blm_item_u64(f, lab_member(first + i), BLM_NO_ARG);
        gone[i] = blm_del_item(f, &it) == BLM_OK;
        left += gone[i];
    }
    return left;
}

typedef struct outcome {
    lab_hits left;
    uint64_t denied, answered; /* members that stayed, and now get a no; that left, and get a yes */
} outcome;

static bool delete_turns(lab_sheet *s, blm_filter *f, uint64_t turns, outcome *o)
{
    uint8_t gone[KEYS];
    for (uint64_t t = 0; t < turns; t++) {
        blm_clear(f);
        if (!lab_add(s, f, t * KEYS, KEYS)) return false;
        o->left.hits += leave_all(f, t * KEYS, gone);
        o->left.trials += KEYS;
        for (uint64_t i = 0; i < KEYS; i++) {
            const bool yes = blm_has_u64(f, lab_member(t * KEYS + i));
            o->denied += !gone[i] && !yes;
            o->answered += gone[i] && yes;
        }
    }
    return true;
}

void growth_deleting(lab_sheet *s, size_t i)
{
    const leaving *c = &leavings[i];
    const uint64_t turns = s->quick ? 40 : 400;
    const double m = c->bits_a_key * KEYS;
    const double known = blm_deletable_share((uint64_t)m, HASHES, KEYS, c->regions),
                 survey = survey_share(m, KEYS, HASHES, c->regions);
    const double off = c->share / survey;
    outcome o = {{0, 0}, 0, 0};
    char what[64];
    blm_filter *f = lab_make(s, "deletable bits=%.0fb hashes=%d regions=%u seed=1", m + c->regions,
                             HASHES, c->regions);
    const bool whole = f && delete_turns(s, f, turns, &o);
    blm_free(f);
    if (!whole) return;
    const lab_number n = lab_share(o.left, c->sd / c->share / sqrt((double)turns));
    snprintf(what, sizeof what, "m/n = %u, r = %u: keys that can leave", c->bits_a_key, c->regions);
    lab_say(s, what, &(lab_claim){.expected = c->share, .within = 0.02}, known, n);
    snprintf(what, sizeof what, "m/n = %u, r = %u: these / the survey's form", c->bits_a_key,
             c->regions);
    lab_say(s, what,
            &(lab_claim){.expected = 1,
                         .within = 0.01,
                         .known = off < 0.99 ? (lab_known){"F7", off, 0.02} : (lab_known){0}},
            known / survey,
            (lab_number){n.value / survey, n.low / survey, n.high / survey, n.lowest / survey,
                         n.highest / survey});
    snprintf(what, sizeof what, "m/n = %u, r = %u: wrong answers after that", c->bits_a_key,
             c->regions);
    lab_say(s, what, &(lab_claim){0}, 0, lab_exactly((double)(o.denied + o.answered)));
    lab_mark_at(s, FIGURE, curves[i / SIZES], c->bits_a_key, n);
}

/* The lines of the figure, by both forms, where regions have a whole number of bits. */
void growth_deleting_curves(lab_sheet *s, size_t i)
{
    static const char *const as_printed[] = {"r = 500, survey", "r = 1000, survey",
                                             "r = 2000, survey"};
    (void)i;
    for (size_t j = 0; j < 3; j++)
        for (double c = 4; c <= 26; c += 2) {
            const double m = c * KEYS;
            const unsigned r = leavings[j * SIZES].regions;
            lab_line_at(s, FIGURE, curves[j], c, blm_deletable_share((uint64_t)m, HASHES, KEYS, r));
            lab_line_at(s, FIGURE, as_printed[j], c, survey_share(m, KEYS, HASHES, r));
        }
}

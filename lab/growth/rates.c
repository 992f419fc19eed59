/* rates.c - figure 3 of the survey: the rate p against n for several m, at the best k = (m/n) ln 2. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "growth.h"

#define RATES "figure-3"

/* Equation 7 with any real k: (1/2)^((m/n) ln 2), which is 0.6185^(m/n). Figure 3 draws it. */
static double survey_rate(double m, double n) { return pow(0.5, m / n * log(2)); }

#define SIZES 3
static const struct {
    unsigned bits;
    const char *curve;
} sizes[SIZES] = {{64, "m = 64"}, {512, "m = 512"}, {4096, "m = 4096"}};

typedef struct rate_at {
    unsigned bits, keys, hashes; /* hashes: the whole number with the lowest exact rate */
    double rate;                 /* E[(X/m)^k], by the chain of ones                    */
    double classic, curve;       /* rate / equation 5, rate / equation 7                */
    uint64_t turns, strangers;   /* of the full run: turns, non-members a turn          */
    bool above;                  /* so many show that the rate is above equation 5      */
} rate_at;

/* Another program, double precision, all terms positive: 64, 8, 5 is 0.023416 in the literature too. */
static const rate_at rates[GROWTH_RATES] = {
    {64, 4, 10, 0.0006154093287, 1.237445, 1.341818, 1000000, 10, true},
    {64, 8, 5, 0.02341608748, 1.050015, 1.093400, 1000000, 10, true},
    {64, 16, 3, 0.1512719321, 1.013663, 1.033691, 1000000, 10, true},
    {512, 32, 11, 0.0004775803171, 1.033384, 1.041300, 200000, 200, true},
    {512, 64, 6, 0.02184898435, 1.008620, 1.020225, 100000, 100, true},
    {512, 128, 3, 0.1474343894, 1.001722, 1.007468, 50000, 100, false},
    {4096, 256, 11, 0.0004610410213, 1.004142, 1.005238, 5000, 2000, false},
    {4096, 512, 6, 0.02161101105, 1.001077, 1.009113, 2000, 2000, false},
    {4096, 1024, 3, 0.1469593731, 1.000215, 1.004222, 1000, 2000, false},
};
#define ALIKE 0.01 /* a part of the rate that nobody sees in the figure */

/* What was measured divided by a formula of the survey; `of`: what it must be. */
static void beside(lab_sheet *s, const rate_at *c, const char *name, const char *id, double of,
                   double theory, double formula, lab_number n)
{
    const lab_known known = {id, of, 1e-5};
    char what[64];
    snprintf(what, sizeof what, "%u bits, %u keys: rate / %s", c->bits, c->keys, name);
    lab_say(s, what,
            &(lab_claim){
                .expected = 1, .within = ALIKE, .known = of > 1 + ALIKE ? known : (lab_known){0}},
            theory / formula,
            (lab_number){n.value / formula, n.low / formula, n.high / formula, n.lowest / formula,
                         n.highest / formula});
}

void growth_rates(lab_sheet *s, size_t i)
{
    const rate_at *c = &rates[i];
    const uint64_t turns = s->quick ? c->turns / 20 : c->turns;
    const double classic = blm_rate_classic(c->bits, c->hashes, c->keys);
    char what[64];
    blm_filter *f = lab_make(s, "standard bits=%ub hashes=%u seed=1", c->bits, c->hashes);
    blm_rate theory = lab_theory(f, c->keys);
    theory.spread /= sqrt((double)turns);
    const lab_hits h = lab_turns(s, f, c->keys, turns, c->strangers);
    blm_free(f);
    if (!f) return;
    const lab_number n = lab_share(h, theory.spread);
    snprintf(what, sizeof what, "%u bits, %u keys, %u hashes: rate", c->bits, c->keys, c->hashes);
    lab_rate(s, what,
             &(lab_claim){.expected = c->rate,
                          .within = 1e-8,
                          .at_least = c->above && !s->quick ? classic : 0},
             theory, h);
    beside(s, c, "equation 5", "E1", c->classic, theory.low, classic, n);
    beside(s, c, "equation 7, with any real k", "E3", c->curve, theory.low,
           survey_rate(c->bits, c->keys), n);
    lab_mark_at(s, RATES, sizes[i / SIZES].curve, c->keys, n);
}

/* The lines of the figure. */
void growth_curves(lab_sheet *s, size_t i)
{
    (void)i;
    for (size_t j = 0; j < SIZES; j++)
        for (double n = 1; n <= sizes[j].bits; n *= 1.1)
            lab_line_at(s, RATES, sizes[j].curve, n, survey_rate(sizes[j].bits, n));
}

/* Equation 9 gives the bits for n keys at p, if k = log2(1/p) were whole. */
void growth_whole(lab_sheet *s, size_t i)
{
    const uint64_t keys = 1000, turns = s->quick ? 400 : 8000, strangers = 20000;
    const uint64_t given = (uint64_t)ceil((double)keys * -log(0.01) / log(2) / log(2));
    uint64_t needed = 0;
    unsigned k = 0;
    (void)i;
    blm_filter *f = lab_make(s, "standard bits=%" PRIu64 "b hashes=7 seed=1", given);
    blm_rate theory = lab_theory(f, keys);
    theory.spread /= sqrt((double)turns);
    const lab_hits h = lab_turns(s, f, keys, turns, strangers);
    blm_free(f);
    if (!f) return;
    lab_say(s, "1000 keys at 1 %: bits by equation 9", &(lab_claim){.expected = 9586}, NAN,
            lab_exactly((double)given));
    lab_rate(s, "the rate in these bits, 7 hashes",
             &(lab_claim){.expected = 0.01, .within = 1e-3, .known = {"E3", 1.00436, 1e-5}}, theory,
             h);
    if (!blm_size_for(keys, 0.01, 0, true, &needed, &k))
        lab_stuck(s, "the bits that keep 1 %", "no such filter");
    lab_say(s, "the fewest bits that keep 1 %", &(lab_claim){.expected = 9595}, NAN,
            lab_exactly((double)needed));
    lab_say(s, "their hashes", &(lab_claim){.expected = 7}, NAN, lab_exactly(k));
}

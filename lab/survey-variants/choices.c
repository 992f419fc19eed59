/* choices.c - a key that chooses among groups of hashes: two-choice, and hash-choice for sets that are known. */
#include <math.h>
#include <stdio.h>

#include "survey.h"

/* ---- two-choice: worse below some 11 bits a key, better above -------------------------------------------- */

typedef struct crossing {
    unsigned bits; /* a key */
    unsigned hashes[2];
    double rate[2]; /* of one choice, of two: the limit of large filters */
    uint64_t keys, strangers;
    bool resolved; /* in the quick run too the interval ends on one side of 1 */
} crossing;

/* 1.5 % apart at 10 bits: the spread between filters has to be well below that, so 10^6 keys. */
static const crossing crossings[SURVEY_CROSSOVER] = {
    {8, {6, 7}, {2.158e-2, 2.323e-2}, 1000000, 5000000, true},
    {10, {7, 8}, {8.194e-3, 8.319e-3}, 1000000, 30000000, false},
    {12, {8, 10}, {3.142e-3, 2.997e-3}, 1000000, 30000000, false},
    {16, {11, 13}, {4.587e-4, 3.933e-4}, 500000, 50000000, true},
    {24, {17, 19}, {9.839e-6, 7.017e-6}, 200000, 100000000, false},
};

static const char *const choice_names[2] = {"standard", "two-choice"};

void survey_crossover(lab_sheet *s, size_t i)
{
    const crossing *c = &crossings[i];
    const uint64_t keys = s->quick ? 100000 : c->keys;
    const uint64_t strangers = s->quick ? c->strangers / 10 : c->strangers;
    lab_hits h[2];
    blm_rate theory[2];
    char what[64];
    for (int j = 0; j < 2; j++) {
        blm_filter *f = lab_make(s, "%s bits=%llub hashes=%u seed=1", choice_names[j],
                                 (unsigned long long)(c->bits * keys), c->hashes[j]);
        const bool filled = lab_add(s, f, 0, keys);
        h[j] = lab_ask(f, strangers);
        theory[j] = lab_theory(f, keys);
        blm_free(f);
        if (!filled) return;
        snprintf(what, sizeof what, "%s, %u bits a key, %u hashes", choice_names[j], c->bits,
                 c->hashes[j]);
        /* Figures of the limit, four digits; at 10^5 keys the formula is up to 0.3 % above. */
        lab_rate(s, what, &(lab_claim){.expected = c->rate[j], .within = 0.005}, theory[j], h[j]);
        lab_mark_at(s, SURVEY_RATES, choice_names[j], c->bits, lab_share(h[j], theory[j].spread));
    }
    const double ratio = c->rate[1] / c->rate[0];
    const bool sure = !s->quick || c->resolved;
    const lab_number n = lab_quotient(h[1], theory[1].spread, h[0], theory[0].spread);
    snprintf(what, sizeof what, "two-choice / standard, %u bits a key: %s", c->bits,
             ratio > 1 ? "above 1" : "below 1");
    lab_say(s, what,
            &(lab_claim){.expected = ratio,
                         .within = 0.01,
                         .at_least = sure && ratio > 1 ? 1 : 0,
                         .at_most = sure && ratio < 1 ? 1 : 0},
            theory[1].low / theory[0].low, n);
    lab_mark_at(s, SURVEY_RATIO, "two-choice / standard", c->bits, n);
}

/* The best hashes of each at every number of bits, by formula: where the two curves cross. */
void survey_choice_curves(lab_sheet *s, size_t i)
{
    const uint64_t keys = 20000;
    double before = NAN, crossed = NAN;
    (void)i;
    for (double c = 5; c <= 26; c += 0.5) {
        double rate[2] = {NAN, NAN};
        for (int j = 0; j < 2; j++) {
            blm_filter *f = lab_make(s, "%s bits=%.0fb keys=%llu seed=1", choice_names[j],
                                     c * (double)keys, (unsigned long long)keys);
            rate[j] = lab_theory(f, keys).low;
            blm_free(f);
            if (!f) return;
            lab_line_at(s, SURVEY_RATES, choice_names[j], c, rate[j]);
        }
        const double above = rate[1] / rate[0] - 1;
        lab_line_at(s, SURVEY_RATIO, "two-choice / standard", c, 1 + above);
        if (before > 0 && above <= 0) crossed = c - 0.5 * above / (above - before);
        before = above;
    }
    lab_say(s, "bits a key where two-choice becomes the better one",
            &(lab_claim){.expected = 11, .within = 0.1}, NAN, lab_exactly(crossed));
}

/* choices.c - a key that chooses among groups of hashes: two-choice, and hash-choice for sets that are known. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "survey.h"

/* ---- two-choice: worse below some 11 bits per key, better above ------------------------------------------ */

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
    {10, {7, 8}, {8.194e-3, 8.319e-3}, 1000000, 60000000, false},
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
        blm_filter *f = lab_make(s, "%s bits=%" PRIu64 "b hashes=%u seed=1", choice_names[j],
                                 c->bits * keys, c->hashes[j]);
        const bool filled = lab_add(s, f, 0, keys);
        h[j] = lab_ask(f, strangers);
        theory[j] = lab_theory(f, keys);
        blm_free(f);
        if (!filled) return;
        snprintf(what, sizeof what, "%s, %u bits per key, %u hashes", choice_names[j], c->bits,
                 c->hashes[j]);
        /* Figures of the limit, four digits; at 10^5 keys the formula is up to 0.3 % above. */
        lab_rate(s, what, &(lab_claim){.expected = c->rate[j], .within = 0.005}, theory[j], h[j]);
        lab_mark_at(s, SURVEY_RATES, choice_names[j], c->bits, lab_share(h[j], theory[j].spread));
    }
    const double ratio = c->rate[1] / c->rate[0];
    const bool sure = !s->quick || c->resolved;
    const lab_number n = lab_quotient(h[1], theory[1].spread, h[0], theory[0].spread);
    snprintf(what, sizeof what, "two-choice / standard, %u bits per key: %s", c->bits,
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
            blm_filter *f = lab_make(s, "%s bits=%.0fb keys=%" PRIu64 " seed=1", choice_names[j],
                                     c * (double)keys, keys);
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
    lab_say(s, "bits per key where two-choice becomes the better one",
            &(lab_claim){.expected = 11, .within = 0.1}, NAN, lab_exactly(crossed));
}

/* ---- hash-choice: groups of keys that choose their hashes, the table of choices charged ------------------ */

typedef struct chosen {
    unsigned bits, hashes, library, group, passes;
    unsigned rank;       /* bits per group: ceil(log2 of (library over hashes))       */
    double rate, beside; /* of one simulation; divided by standard's in the same bits */
    uint64_t strangers;
} chosen;

/* The rate of standard is 0.6185^(bits per key), with the bits of the table. The last digit of one simulation
 * says little: 10 %. */
static const chosen choices_made[SURVEY_HASH_CHOICE] = {
    {160000, 11, 22, 64, 1, 20, 2.87e-4, 0.727, 30000000},
    {160000, 11, 22, 8, 1, 20, 1.33e-4, 0.967, 50000000},
    {160000, 11, 22, 8, 3, 20, 6.8e-5, 0.494, 50000000},
    {80000, 6, 12, 8, 2, 10, 8.3e-3, 0.707, 5000000},
};
#define CHOICE_KEYS 10000

/* Built whole, as the choice wants it; NULL: a row says why. */
static blm_filter *build_chosen(lab_sheet *s, const chosen *c, uint64_t bits)
{
    char with[64];
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    snprintf(with, sizeof with, "group=%u library=%u passes=%u", c->group, c->library, c->passes);
    blm_err err =
        blm_builder_new(&b,
                        BLM_CONFIG(.kind = "hash-choice", .keys = CHOICE_KEYS, .bits = bits,
                                   .hashes = c->hashes, .seed = 1, .with = with, .overfill = true),
                        &why);
    for (uint64_t i = 0; !err && i < CHOICE_KEYS; i++) {
        unsigned char key[8];
        for (unsigned j = 0; j < 8; j++) key[j] = (unsigned char)(lab_member(i) >> 8 * j);
        err = blm_builder_add(b, 0, key, sizeof key, BLM_NO_ARG);
    }
    if (!err)
        err = blm_build(&f, b, &why);
    else
        blm_builder_free(b);
    if (err) lab_stuck(s, "hash-choice", why.text[0] ? why.text : blm_strerror(err));
    return err ? NULL : f;
}

void survey_hash_choice(lab_sheet *s, size_t i)
{
    const chosen *c = &choices_made[i];
    const uint64_t groups = (CHOICE_KEYS + c->group - 1) / c->group;
    const uint64_t bits = c->bits + groups * c->rank;
    const uint64_t strangers = s->quick ? c->strangers / 10 : c->strangers;
    blm_filter *f = build_chosen(s, c, bits);
    if (!f) return;
    blm_filter *def = lab_make(s, "standard bits=%.0fb keys=%d seed=1", lab_bits(f), CHOICE_KEYS);
    char what[64];
    if (lab_add(s, def, 0, CHOICE_KEYS)) {
        const lab_hits a = lab_ask(f, strangers), b = lab_ask(def, strangers);
        const blm_rate usually = lab_theory(def, CHOICE_KEYS);
        snprintf(what, sizeof what, "%u+%.1f bits per key, groups of %u, %u pass%s",
                 c->bits / CHOICE_KEYS, (lab_bits(f) - c->bits) / CHOICE_KEYS, c->group, c->passes,
                 c->passes > 1 ? "es" : "");
        lab_rate(s, what, &(lab_claim){.expected = c->rate, .within = 0.1}, blm_fpr(f, NULL), a);
        lab_say(s, "members denied", &(lab_claim){0}, 0,
                lab_exactly((double)lab_missed(f, 0, CHOICE_KEYS)));
        lab_say(s, "rate / standard's in the same bits, table charged",
                &(lab_claim){.expected = c->beside, .within = 0.1, .at_most = c->beside < 0.9}, NAN,
                lab_quotient(a, usually.spread, b, usually.spread));
    }
    blm_free(f);
    blm_free(def);
}

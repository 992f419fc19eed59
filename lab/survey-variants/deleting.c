/* deleting.c - sets that shrink: dleft and variable-increment against counting. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "survey.h"

static const char counting_name[] = "counting, 4 bits per counter";

/* ---- dleft: the bits of counting at the rate that dleft has --------------------------------------------- */

/* 4 bits per counter, by the formula of standard. */
static double counting_bits(uint64_t keys, double rate)
{
    uint64_t cells = 0;
    unsigned hashes;
    const bool there = blm_size_for(keys, rate, 0, true, &cells, &hashes);
    return there ? 4 * (double)cells / (double)keys : NAN;
}

/* dleft planned for 1 % has remainders of r = 12 bits, 8 cells of r + 2 bits for 6 keys, and a rate of some
 * 24 / 2^12. That is what the first filter of counting is made for; the second has the 1 % itself. */
static void beside_counting(lab_sheet *s, uint64_t keys, blm_filter *d, lab_hits of_d, bool planned)
{
    const double rate = planned ? 0.01 : (double)of_d.hits / (double)of_d.trials;
    const double bits = lab_bits(d) / (double)keys;
    blm_filter *c = lab_make(s, "counting keys=%" PRIu64 " fpr=%.6g seed=1", keys, rate);
    if (lab_add(s, c, 0, keys)) {
        const lab_hits of_c = lab_ask(c, of_d.trials);
        const double more = lab_bits(c) / (double)keys;
        const blm_rate theory = lab_theory(c, keys);
        lab_rate(s, planned ? "counting planned for 1 %" : "counting made for the rate of dleft",
                 &(lab_claim){0}, theory, of_c);
        lab_say(s, "rate of dleft / rate of counting",
                planned ? &(lab_claim){.at_most = 1} : &(lab_claim){.expected = 1, .within = 0.01},
                NAN, lab_quotient(of_d, lab_theory(d, keys).spread, of_c, theory.spread));
        lab_say(s, "bits per key of counting",
                &(lab_claim){.expected = counting_bits(keys, rate), .within = 0.005}, NAN,
                lab_exactly(more));
        lab_say(s, "bits of dleft / bits of counting", &(lab_claim){.at_most = 0.55}, NAN,
                lab_exactly(bits / more));
        lab_mark_at(s, SURVEY_DELETING, counting_name, (double)of_c.hits / (double)of_c.trials,
                    lab_exactly(more));
    }
    blm_free(c);
}

void survey_dleft(lab_sheet *s, size_t i)
{
    const uint64_t keys = i ? 1000000 : 100000, strangers = s->quick ? 1000000 : 10000000;
    char what[64];
    if (s->quick && i) return;
    blm_filter *d = lab_make(s, "dleft keys=%" PRIu64 " fpr=1%% seed=1", keys);
    if (lab_add(s, d, 0, keys)) {
        const lab_hits h = lab_ask(d, strangers);
        snprintf(what, sizeof what, "dleft planned for 1 %%, %.0e keys", (double)keys);
        lab_rate(s, what, &(lab_claim){.expected = 24 * 0x1p-12, .within = 0.01},
                 lab_theory(d, keys), h);
        lab_say(s, "members denied by dleft", &(lab_claim){0}, 0,
                lab_exactly((double)lab_missed(d, 0, keys)));
        lab_say(s, "bits per key of dleft",
                &(lab_claim){.expected = 8 * (12 + 2) / 6.0, .within = 0.005}, NAN,
                lab_exactly(lab_bits(d) / (double)keys));
        lab_mark_at(s, SURVEY_DELETING, "dleft", (double)h.hits / (double)h.trials,
                    lab_exactly(lab_bits(d) / (double)keys));
        beside_counting(s, keys, d, h, false);
        beside_counting(s, keys, d, h, true);
    }
    blm_free(d);
}

/* ---- variable-increment: the rate of counting in the same bits ------------------------------------------- */

typedef struct increments {
    const char *form, *name; /* knobs; the curve of the plot */
    unsigned counters;       /* a key */
    unsigned hashes;
    double rate;
    uint64_t strangers; /* of the full run */
} increments;

static const increments increment_rows[SURVEY_INCREMENT] = {
    {"increment=4", "variable-increment, L = 4", 4, 4, 1.1500e-2, 10000000},
    {"increment=4", "variable-increment, L = 4", 6, 7, 1.2090e-3, 20000000},
    {"increment=4", "variable-increment, L = 4", 8, 9, 1.2783e-4, 40000000},
    {"increment=8", "variable-increment, L = 8", 4, 4, 6.1508e-3, 10000000},
    {"increment=8", "variable-increment, L = 8", 6, 6, 4.8239e-4, 40000000},
    {"form=bh values=1:4:6", "variable-increment, values 1, 4, 6", 4, 5, 7.44e-3, 10000000},
    {"form=bh values=1:4:6", "variable-increment, values 1, 4, 6", 6, 8, 6.29e-4, 30000000},
    {"form=bh values=1:2:5:7", "variable-increment, values 1, 2, 5, 7", 6, 8, 1.83e-4, 40000000},
};

/* Bits of a cell; 0: there is no such filter, and a row says so. How wide a sum is, is the kind's affair. */
static uint64_t increment_cell(lab_sheet *s, const increments *v, uint64_t keys)
{
    const double bits = 1000000;
    blm_filter *f = lab_make(s, "variable-increment %s bits=%.0fb keys=%" PRIu64 " seed=1", v->form,
                             bits, keys);
    const double cells = lab_field(f, "cells");
    blm_free(f);
    return cells > 0 ? (uint64_t)(bits / cells) : 0;
}

void survey_increment(lab_sheet *s, size_t i)
{
    const increments *v = &increment_rows[i];
    const uint64_t keys = s->quick ? 20000 : 200000;
    const uint64_t strangers = s->quick ? v->strangers / 10 : v->strangers;
    const uint64_t bits = increment_cell(s, v, keys) * v->counters * keys;
    char what[64];
    if (!bits) return;
    blm_filter *f =
        lab_make(s, "variable-increment %s bits=%" PRIu64 "b keys=%" PRIu64 " hashes=%u seed=1",
                 v->form, bits, keys, v->hashes);
    blm_filter *c = lab_make(s, "counting bits=%" PRIu64 "b keys=%" PRIu64 " seed=1", bits, keys);
    if (lab_add(s, f, 0, keys) && lab_add(s, c, 0, keys)) {
        const blm_rate ours = lab_theory(f, keys), def = lab_theory(c, keys);
        const lab_hits h = lab_ask(f, strangers), of_c = lab_ask(c, strangers / 10);
        const double per_key = (double)bits / (double)keys;
        const char *short_name = v->name + strlen("variable-increment, ");
        snprintf(what, sizeof what, "%s, %u counters per key (%.0f bits)", short_name, v->counters,
                 per_key);
        lab_rate(s, what, &(lab_claim){.expected = v->rate, .within = 0.01}, ours, h);
        snprintf(what, sizeof what, "%s, rate / counting's at %.0f bits per key", short_name,
                 per_key);
        lab_say(s, what, &(lab_claim){.at_most = 1}, ours.low / def.low,
                lab_quotient(h, ours.spread, of_c, def.spread));
        lab_say(s, "members denied", &(lab_claim){0}, 0,
                lab_exactly((double)lab_missed(f, 0, keys)));
        lab_mark_at(s, SURVEY_DELETING, v->name, (double)h.hits / (double)h.trials,
                    lab_exactly(per_key));
    }
    blm_free(f);
    blm_free(c);
}

/* ---- bits per key at each rate, by plan ------------------------------------------------------------------- */

void survey_deleting_curves(lab_sheet *s, size_t i)
{
    static const struct {
        const char *spec, *curve;
    } kinds[] = {
        {"counting", counting_name},
        {"dleft", "dleft"},
        {"variable-increment increment=4", "variable-increment, L = 4"},
        {"variable-increment increment=8", "variable-increment, L = 8"},
        {"variable-increment form=bh values=1:2:5:7", "variable-increment, values 1, 2, 5, 7"}};
    const uint64_t keys = 100000;
    (void)i;
    for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++)
        for (double e = -1; e >= -4.01; e -= 0.125) {
            blm_filter *f =
                lab_make(s, "%s keys=%" PRIu64 " fpr=%.6g seed=1", kinds[j].spec, keys, pow(10, e));
            if (!f) return;
            lab_line_at(s, SURVEY_DELETING, kinds[j].curve, lab_theory(f, keys).high,
                        lab_bits(f) / (double)keys);
            blm_free(f);
        }
}

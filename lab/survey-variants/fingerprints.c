/* fingerprints.c - cuckoo against dleft and counting, in their bits at the rate that cuckoo has. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "survey.h"

/* Fingerprints of f bits in buckets of 4 slots, 95 % of them in use. */
static const struct {
    const char *spec, *curve;
    unsigned f;
    double slot; /* bits of a slot, 95 % of which are in use */
    uint64_t strangers;
} tables[SURVEY_CUCKOO] = {
    {"cuckoo fpr=1%", "cuckoo", 10, 10, 10000000},
    {"cuckoo fpr=0.19%", "cuckoo", 12, 12, 20000000},
    {"cuckoo form=sorted fpr=0.19%", "cuckoo, sorted", 12, 11, 20000000},
};

/* Another kind, made for this rate, and how many of its bits cuckoo takes. */
static void against(lab_sheet *s, const char *kind, uint64_t keys, lab_hits of_cuckoo, double bits,
                    double expected, const lab_claim *of_rates)
{
    const double rate = (double)of_cuckoo.hits / (double)of_cuckoo.trials;
    char what[80];
    blm_filter *f = lab_make(s, "%s keys=%" PRIu64 " fpr=%.6g seed=1", kind, keys, rate);
    if (lab_add(s, f, 0, keys)) {
        const lab_hits h = lab_ask(f, of_cuckoo.trials);
        const blm_rate theory = lab_theory(f, keys);
        snprintf(what, sizeof what, "%s made for the rate of cuckoo", kind);
        lab_rate(s, what, &(lab_claim){0}, theory, h);
        snprintf(what, sizeof what, "rate of %s / rate of cuckoo", kind);
        lab_say(s, what, of_rates, theory.high / rate,
                lab_quotient(h, theory.spread, of_cuckoo, theory.spread));
        snprintf(what, sizeof what, "bits of cuckoo / bits of %s", kind);
        lab_say(s, what, &(lab_claim){.expected = expected, .within = 0.01}, NAN,
                lab_exactly(bits * (double)keys / lab_bits(f)));
    }
    blm_free(f);
}

/* dleft has whole remainders of r bits and a counter of 2 bits in 8 cells for 6 keys, at a rate of 24 / 2^r; counting has
 * 4 bits in each of log2(1/rate) / ln 2 counters per key, about. */
void survey_cuckoo(lab_sheet *s, size_t i)
{
    const uint64_t keys = 1000000, strangers = tables[i].strangers / (s->quick ? 10 : 1);
    const double alpha = 0.95, ln2 = 0.69314718055994531;
    const double rate = -expm1(8 * alpha * log1p(-ldexp(1, -(int)tables[i].f)));
    blm_filter *f = lab_make(s, "%s keys=%" PRIu64 " seed=1", tables[i].spec, keys);
    if (lab_add(s, f, 0, keys)) {
        const double bits = lab_bits(f) / (double)keys, r = ceil(log2(24 / rate));
        const lab_hits h = lab_ask(f, strangers);
        char what[80];
        snprintf(what, sizeof what, "%s, %u bits per fingerprint", tables[i].curve, tables[i].f);
        lab_rate(s, what, &(lab_claim){.expected = rate, .within = 0.01}, lab_theory(f, keys), h);
        lab_say(s, "members denied", &(lab_claim){0}, 0,
                lab_exactly((double)lab_missed(f, 0, keys)));
        lab_say(s, "bits per key",
                &(lab_claim){.expected = tables[i].slot / alpha, .within = 0.005}, NAN,
                lab_exactly(bits));
        lab_mark_at(s, SURVEY_DELETING, tables[i].curve, (double)h.hits / (double)h.trials,
                    lab_exactly(bits));
        against(s, "dleft", keys, h, bits, tables[i].slot / alpha / (4 / 3.0 * (r + 2)),
                &(lab_claim){.at_most = 1}); /* whole bits round its rate down */
        against(s, "counting", keys, h, bits, tables[i].slot / alpha * ln2 / (-4 * log2(rate)),
                &(lab_claim){.expected = 1, .within = 0.01});
    }
    blm_free(f);
}

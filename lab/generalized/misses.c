/* misses.c - false negatives: figures 7 to 9, and both errors against k0 and k1: figure 12. */
#include <bloomery/theory/generalized.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "generalized.h"

/* ---- figures 7 and 8: misses of each of 10 elements, the first one to the last ------------------------- */

enum { ELEMENTS = 10, CELLS = 1280 };

/* denied[i]: in how many of the rounds element i was denied. */
static bool elements_denied(lab_sheet *s, const gen_setting *t, uint64_t rounds, uint64_t seed,
                            uint64_t denied[ELEMENTS])
{
    blm_filter *f = gen_make(s, t, "distinct=off");
    uint64_t x[ELEMENTS], state = seed;
    bool whole = f != NULL;
    for (uint64_t round = 0; whole && round < rounds; round++) {
        const gen_functions u = gen_draw(&state);
        for (int i = 0; i < ELEMENTS; i++) x[i] = gen_element(&state, false);
        whole = gen_start(s, f, t, &state) && gen_add(s, f, &u, x, ELEMENTS);
        for (int i = 0; i < ELEMENTS; i++) denied[i] += 1 - gen_yes(f, &u, x + i, 1);
    }
    blm_free(f);
    return whole;
}

static void by_element(lab_sheet *s, const char *plot, const char *curve, unsigned k0, unsigned k1)
{
    const gen_setting t = {k0, k1, CELLS, ELEMENTS, k1 ? 1 : 0};
    const uint64_t rounds = s->quick && k0 + k1 >= 8 ? 4000
                            : s->quick               ? 20000
                            : k0 + k1 < 8            ? 100000
                                                     : 20000;
    uint64_t denied[ELEMENTS] = {0};
    char what[64];
    if (!elements_denied(s, &t, rounds, 5000 + 10 * k0 + k1, denied)) return;
    for (int i = 0; i < ELEMENTS; i++) {
        const unsigned later = ELEMENTS - 1 - (unsigned)i;
        lab_line_at(s, plot, curve, i + 1, blm_generalized_miss(CELLS, k0, k1, later));
        lab_mark_at(s, plot, curve, i + 1, lab_share((lab_hits){denied[i], rounds}, 0));
    }
    for (int i = 0; i < ELEMENTS; i += 4) {
        snprintf(what, sizeof what, "k0 = %u, k1 = %u: element %d of 10", k0, k1, i + 1);
        lab_say(s, what, &(lab_claim){0},
                blm_generalized_miss(CELLS, k0, k1, ELEMENTS - 1 - (unsigned)i),
                lab_share((lab_hits){denied[i], rounds}, 0));
    }
    snprintf(what, sizeof what, "k0 = %u, k1 = %u: the last element, denied", k0, k1);
    lab_say(s, what, &(lab_claim){0}, 0, lab_exactly((double)denied[ELEMENTS - 1]));
    if (!k0 || !k1) return;
    snprintf(what, sizeof what, "k0 %u, k1 %u: steps up, 1st 4th 7th 10th", k0, k1);
    lab_say(
        s, what, &(lab_claim){0}, 0,
        lab_exactly((denied[0] < denied[3]) + (denied[3] < denied[6]) + (denied[6] < denied[9])));
}

void gen_figure_7(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_7] = {"k0 = 0", "k0 = 1", "k0 = 2", "k0 = 3",
                                                    "k1 = 0", "k1 = 1", "k1 = 2", "k1 = 3"};
    const unsigned k = (unsigned)i % 4;
    by_element(s, i < 4 ? "figure-7a" : "figure-7b", names[i], i < 4 ? k : 1, i < 4 ? 1 : k);
}

void gen_figure_8(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_8] = {"k = 4", "k = 8", "k = 16", "k = 32"};
    by_element(s, "figure-8", names[i], 4u << i, 4u << i);
}

/* ---- figure 9: the bound against bits per element ---------------------------------------------------------- */

/* The share of keys that are denied when n more have come. */
static bool bound_met(lab_sheet *s, unsigned k0, unsigned k1, uint64_t bits_a_key, uint64_t seed,
                      lab_number *out)
{
    const uint64_t n = bits_a_key < 128 ? 1024 : UINT64_C(8) * GEN_BYTES / bits_a_key;
    const gen_setting t = {k0, k1, bits_a_key * n, n, 1};
    gen_sum missed;
    blm_filter *f = gen_make(s, &t, "distinct=off");
    const bool done =
        f && gen_stream(s, f, &t, s->quick ? 10 : 30, s->quick ? 500 : 4000, seed, &missed);
    blm_free(f);
    if (done) *out = gen_number(&missed);
    return done;
}

void gen_figure_9(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_9] = {"k0 = 0", "k0 = 1", "k0 = 2", "k0 = 3"};
    const unsigned k0 = (unsigned)i;
    char what[64];
    for (double bits = 8; bits <= 1024; bits *= pow(2, 0.125))
        lab_line_at(s, "figure-9", names[i], bits,
                    blm_generalized_miss_bound((uint64_t)(bits * 1000), k0, 1, 1000));
    for (uint64_t bits = 8; bits <= 1024; bits *= 2) {
        lab_number missed;
        if (!bound_met(s, k0, 1, bits, 6000 + bits, &missed)) return;
        lab_mark_at(s, "figure-9", names[i], (double)bits, missed);
        if (bits != 32 && bits != 512) continue;
        snprintf(what, sizeof what, "k0 = %u, k1 = 1, %" PRIu64 " bits per element: Fn", k0, bits);
        lab_say(s, what, &(lab_claim){0}, blm_generalized_miss_bound(bits, k0, 1, 1), missed);
    }
}

/* ---- figure 12: both bounds ------------------------------------------------------------------------------------ */

static bool worst_met(lab_sheet *s, unsigned k0, unsigned k1, uint64_t seed, lab_number *out)
{
    const gen_setting t = {k0, k1, 65536, 256, blm_generalized_worst(k0, k1)};
    gen_found found;
    blm_filter *f = gen_make(s, &t, "distinct=off");
    const bool done =
        f && gen_rounds(s, &f, 1, &t, s->quick ? 10 : 100, s->quick ? 2000 : 10000, seed, &found);
    blm_free(f);
    if (done) *out = gen_number(&found.fp);
    return done;
}

/* The k at which the two are nearest, by their logarithms. */
static unsigned nearest(const double *fp, const double *fn, unsigned max)
{
    unsigned best = 1;
    for (unsigned k = 2; k <= max; k++)
        if (fabs(log(fp[k] / fn[k])) < fabs(log(fp[best] / fn[best]))) best = k;
    return best;
}

void gen_figure_12a(lab_sheet *s, size_t i)
{
    enum { MAX = 8 };
    static const char *const names[GEN_FIGURE_12A] = {
        "Fn, m/n = 32", "Fn, m/n = 64", "Fn, m/n = 128", "Fn, m/n = 256", "Fn, m/n = 512"};
    static const unsigned ratios[GEN_FIGURE_12A] = {32, 64, 128, 256, 512},
                          cross[] = {2, 2, 2, 2, 3};
    double fp[MAX + 1] = {0}, fn[MAX + 1] = {0}, fp_met[MAX + 1] = {0}, fn_met[MAX + 1] = {0};
    char what[64];
    for (unsigned k = 1; i == 0 && k <= MAX; k++)
        lab_line_at(s, "figure-12a", "Fp", k, blm_generalized_bound(k, k));
    for (unsigned k = 1; k <= MAX; k++) {
        lab_number met;
        fp[k] = blm_generalized_bound(k, k);
        fn[k] = blm_generalized_miss_bound(ratios[i], k, k, 1);
        if (!bound_met(s, k, k, ratios[i], 7000 + k, &met)) return;
        lab_line_at(s, "figure-12a", names[i], k, fn[k]);
        lab_mark_at(s, "figure-12a", names[i], k, met);
        fn_met[k] = met.value;
        if (k > 4) continue; /* Fp is below 0.1 % from there on */
        if (!worst_met(s, k, k, 7100 + k, &met)) return;
        fp_met[k] = met.value;
        if (i) continue;
        lab_mark_at(s, "figure-12a", "Fp", k, met);
        snprintf(what, sizeof what, "Fp of k = %u", k);
        lab_say(s, what, &(lab_claim){.expected = ldexp(1, -2 * (int)k), .within = 1e-9}, fp[k],
                met);
    }
    snprintf(what, sizeof what, "%s: k of the crossing", names[i]);
    lab_say(s, what, &(lab_claim){.expected = cross[i], .within = 1e-9}, nearest(fp, fn, MAX),
            lab_exactly(nearest(fp_met, fn_met, 4)));
}

/* m / n = 256; a case is a k0. */
void gen_figure_12b(lab_sheet *s, size_t i)
{
    const unsigned k0 = (unsigned)i + 1;
    char what[64];
    for (unsigned k1 = 1; k1 <= GEN_FIGURE_12B; k1++) {
        const double fn = blm_generalized_miss_bound(256, k0, k1, 1);
        lab_number met;
        if (!bound_met(s, k0, k1, 256, 8000 + 10 * k0 + k1, &met)) return;
        lab_surface_at(s, "figure-12b", "Fp", k0, k1, blm_generalized_bound(k0, k1));
        lab_surface_at(s, "figure-12b", "Fn", k0, k1, fn);
        snprintf(what, sizeof what, "k0 = %u, k1 = %u: Fn", k0, k1);
        lab_say(s, what, &(lab_claim){0}, fn, met);
    }
}

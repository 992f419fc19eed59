/* fills.c - false positives: figures 2 and 3 (standard filters), 5, 6, 10 and 11. */
#include <bloomery/theory/generalized.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "generalized.h"

#define BITS 65536

/* Reports a share of hits against a formula; the mark goes to the plot. */
static void say_rate(lab_sheet *s, const char *what, double expected, double formula,
                     const gen_sum *found)
{
    lab_say(s, what, &(lab_claim){.expected = expected, .within = 1e-6}, formula,
            gen_number(found));
}

/* Rounds of a setting; false: a row says why. */
static bool measured(lab_sheet *s, const gen_setting *t, uint64_t rounds, uint64_t seed,
                     gen_sum *out)
{
    gen_found found;
    blm_filter *f = gen_make(s, t, "distinct=off");
    const bool done = f && gen_rounds(s, &f, 1, t, rounds, s->quick ? 2000 : 10000, seed, &found);
    blm_free(f);
    if (done) *out = found.fp;
    return done;
}

/* ---- figure 2: the rate of a standard filter against the number of hashes ------------------------------ */

void gen_figure_2(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_2] = {"m/n = 4", "m/n = 8", "m/n = 16", "m/n = 32"};
    static const unsigned ratios[GEN_FIGURE_2] = {4, 8, 16, 32},
                          marks[] = {1, 2, 4, 6, 8, 12, 16, 24, 32}, best[] = {3, 6, 11, 22};
    const uint64_t n = 512, rounds = s->quick ? 20 : 100;
    char what[64];
    gen_sum found;
    for (unsigned k = 1; k <= 32; k++)
        lab_line_at(s, "figure-2", names[i], k, blm_rate_approx(ratios[i] * n, k, n));
    for (size_t j = 0; j < sizeof marks / sizeof *marks; j++) {
        const gen_setting t = {0, marks[j], ratios[i] * n, n, 1};
        if (blm_rate_approx(t.m, t.k1, n) < (s->quick ? 3e-3 : 1e-4)) continue;
        if (!measured(s, &t, rounds, 10 * i + j, &found)) return;
        lab_mark_at(s, "figure-2", names[i], marks[j], gen_number(&found));
    }
    const gen_setting t = {0, best[i], ratios[i] * n, n, 1};
    if (!measured(s, &t, rounds, 77 + i, &found)) return;
    snprintf(what, sizeof what, "%s, k = %u, the nearest to (m/n) ln 2: 0.6185^(m/n)", names[i],
             best[i]);
    lab_say(s, what, &(lab_claim){.expected = pow(0.6185, ratios[i]), .within = 0.02},
            blm_rate_exact(t.m, best[i], n), gen_number(&found));
}

/* ---- figures 3, 5 and 6: the rate against the share of ones; nothing is added --------------------------- */

static double powers(const gen_setting *t, double ones)
{
    return pow(1 - ones, t->k0) * pow(ones, t->k1);
}

/* The curve, marks at tenths, and a row for the share `at` that the text names. */
static void against_ones(lab_sheet *s, const char *plot, const char *curve, unsigned k0,
                         unsigned k1, double at, const char *what, double expected)
{
    const uint64_t rounds = s->quick ? 20 : 100;
    gen_setting t = {k0, k1, BITS, 0, 0};
    gen_sum found;
    for (int j = 0; j <= 100; j++) lab_line_at(s, plot, curve, j / 100.0, powers(&t, j / 100.0));
    for (int j = 0; j <= 10; j++) {
        t.p0 = 1 - j / 10.0;
        if (!measured(s, &t, s->quick ? 10 : rounds / 4, 1000 + (uint64_t)j, &found)) return;
        lab_mark_at(s, plot, curve, j / 10.0, gen_number(&found));
    }
    t.p0 = 1 - at;
    if (measured(s, &t, rounds, 1, &found)) say_rate(s, what, expected, powers(&t, at), &found);
}

void gen_figure_3(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_3] = {"k = 1", "k = 2", "k = 3", "k = 4", "k = 8"};
    static const unsigned k[GEN_FIGURE_3] = {1, 2, 3, 4, 8};
    char what[64];
    snprintf(what, sizeof what, "%s, all ones: every non-member gets a maybe", names[i]);
    against_ones(s, "figure-3", names[i], 0, k[i], 1, what, 1);
}

/* The peak of each is Fp, at 1 - p = k1 / (k0 + k1). */
void gen_figure_5(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_5] = {"k0 = 0", "k0 = 1", "k0 = 2", "k0 = 3",
                                                    "k1 = 0", "k1 = 1", "k1 = 2", "k1 = 3"};
    static const double peaks[GEN_FIGURE_5] = {1, 1 / 4.0, 4 / 27.0, 27 / 256.0,
                                               1, 1 / 4.0, 4 / 27.0, 27 / 256.0};
    const unsigned k = (unsigned)i % 4, k0 = i < 4 ? k : 1, k1 = i < 4 ? 1 : k;
    const double at = 1 - blm_generalized_worst(k0, k1);
    char what[64];
    snprintf(what, sizeof what, "figure 5%c, %s: the peak, at %.0f %% ones", i < 4 ? 'a' : 'b',
             names[i], 100 * at);
    against_ones(s, i < 4 ? "figure-5a" : "figure-5b", names[i], k0, k1, at, what, peaks[i]);
}

void gen_figure_6(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_6] = {"k0 = k1 = 1", "k0 = k1 = 2", "k0 = k1 = 3",
                                                    "k0 = k1 = 4"};
    const unsigned k = (unsigned)i + 1;
    char what[64];
    snprintf(what, sizeof what, "%s: the peak, 4^-%u at half ones", names[i], k);
    against_ones(s, "figure-6", names[i], k, k, 0.5, what, ldexp(1, -2 * (int)k));
}

/* ---- figure 10: the rate against the share of ones at the start, m / n = 25 ------------------------------ */

void gen_figure_10(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_10] = {"k0 = 0", "k0 = 1", "k0 = 2", "k0 = 3",
                                                     "k1 = 0", "k1 = 1", "k1 = 2", "k1 = 3"};
    const char *plot = i < 4 ? "figure-10a" : "figure-10b";
    const unsigned k = (unsigned)i % 4, k0 = i < 4 ? k : 2, k1 = i < 4 ? 2 : k;
    gen_setting t = {k0, k1, 25600, 1024, 0};
    const uint64_t rounds = s->quick ? 10 : 50;
    char what[64];
    gen_sum found;
    for (int j = 0; j <= 100; j++)
        lab_line_at(s, plot, names[i], j / 100.0,
                    blm_generalized_rate(t.m, k0, k1, t.n, 1 - j / 100.0, false));
    for (int j = 0; j <= 10; j++) {
        t.p0 = 1 - j / 10.0;
        if (!measured(s, &t, rounds, 3000 + (uint64_t)j, &found)) return;
        lab_mark_at(s, plot, names[i], j / 10.0, gen_number(&found));
    }
    t.p0 = blm_generalized_worst(k0, k1);
    if (!measured(s, &t, 4 * rounds, 3100, &found)) return;
    snprintf(what, sizeof what, "figure 10%c, %s: the peak, at %.0f %% ones, is Fp",
             i < 4 ? 'a' : 'b', names[i], 100 * (1 - t.p0));
    lab_say(s, what, &(lab_claim){.expected = blm_generalized_bound(k0, k1), .within = 1e-4},
            blm_generalized_rate(t.m, k0, k1, t.n, t.p0, false), gen_number(&found));
}

/* ---- figure 11: all starts end in one steady state -------------------------------------------------------- */

static bool add_more(lab_sheet *s, blm_filter *f, const gen_functions *u, uint64_t keys,
                     uint64_t *state)
{
    uint64_t x[GEN_KEYS];
    for (uint64_t done = 0; done < keys;) {
        const size_t turn = keys - done < GEN_KEYS ? (size_t)(keys - done) : GEN_KEYS;
        for (size_t i = 0; i < turn; i++) x[i] = gen_element(state, false);
        if (!gen_add(s, f, u, x, turn)) return false;
        done += turn;
    }
    return true;
}

/* Queries non-members of the round, in tens of thousands. */
static void ask_more(const blm_filter *f, const gen_functions *u, uint64_t strangers,
                     uint64_t *state, gen_sum *out)
{
    uint64_t x[GEN_KEYS], yes = 0;
    for (uint64_t done = 0; done < strangers;) {
        const size_t turn = strangers - done < GEN_KEYS ? (size_t)(strangers - done) : GEN_KEYS;
        for (size_t i = 0; i < turn; i++) x[i] = gen_element(state, true);
        yes += gen_yes(f, u, x, turn);
        done += turn;
    }
    gen_count(out, yes, strangers);
}

enum { STEPS = 13 }; /* 64, 128, .. 262144 keys */
static const uint64_t first_keys = 64;

void gen_figure_11(lab_sheet *s, size_t i)
{
    static const char *const names[GEN_FIGURE_11] = {"p0 = 0", "p0 = 0.25", "p0 = 0.5", "p0 = 0.75",
                                                     "p0 = 1"};
    const gen_setting t = {2, 2, BITS, 0, (double)i / 4};
    const uint64_t rounds = s->quick ? 2 : 20;
    gen_sum found[STEPS] = {{0}};
    double zeros = 0;
    uint64_t state = 4000 + i;
    char what[64];
    blm_filter *f = gen_make(s, &t, "distinct=off");
    bool whole = f != NULL;
    for (uint64_t round = 0; whole && round < rounds; round++) {
        const gen_functions u = gen_draw(&state);
        whole = gen_start(s, f, &t, &state);
        for (int j = 0; whole && j < STEPS; j++) {
            whole = add_more(s, f, &u, j ? first_keys << (j - 1) : first_keys, &state);
            ask_more(f, &u, 10000, &state, &found[j]);
        }
        zeros += 1 - lab_field(f, "ones") / BITS;
    }
    blm_free(f);
    if (!whole) return;
    for (int j = 0; j <= 4 * (STEPS - 1); j++) {
        const double n = round((double)first_keys * pow(2, j / 4.0));
        lab_line_at(s, "figure-11", names[i], n,
                    blm_generalized_rate(BITS, 2, 2, (uint64_t)n, t.p0, false));
    }
    for (int j = 0; j < STEPS; j += 2)
        lab_mark_at(s, "figure-11", names[i], (double)(first_keys << j), gen_number(&found[j]));
    const uint64_t last = first_keys << (STEPS - 1);
    snprintf(what, sizeof what, "%s, %" PRIu64 " keys: the rate is Fp", names[i], last);
    say_rate(s, what, 0.0625, blm_generalized_rate(BITS, 2, 2, last, t.p0, false),
             &found[STEPS - 1]);
    /* Resets and sets of a key are fixed numbers: the zeros have half the variance of coins, sqrt(m / 8). */
    const double mean = zeros / (double)rounds, sd = sqrt(0.125 / BITS / (double)rounds);
    snprintf(what, sizeof what, "%s, %" PRIu64 " keys: half of the bits are zeros", names[i], last);
    lab_say(s, what, &(lab_claim){.expected = 0.5, .within = 1e-4},
            blm_generalized_zeros(BITS, 2, 2, last, t.p0),
            (lab_number){mean, mean - 2.576 * sd, mean + 2.576 * sd, mean - 3.891 * sd,
                         mean + 3.891 * sd});
}

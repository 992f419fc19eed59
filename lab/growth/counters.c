/* counters.c - figure 5 of the survey: how high the counters of a counting filter climb, and its bounds. */
#include <bloomery/theory/counters.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "growth.h"

#define FIGURE  "figure-5"
#define HIGHEST 32 /* no counter climbs so high: 1.9e-41 */

/* Equation 15 for one counter, without the factor m. */
static double survey_bound(double j) { return pow(exp(1) * log(2) / j, j); }
/* Equation 13, the chance that one of m counters has j after these throws; and the first bound of equation 14
 * for one of them. */
static double chosen(double throws, double j)
{
    return lgamma(throws + 1) - lgamma(j + 1) - lgamma(throws - j + 1);
}
static double has_just(double m, double throws, double j)
{
    return exp(chosen(throws, j) - j * log(m) + (throws - j) * log1p(-1 / m));
}
static double first_bound(double m, double throws, double j)
{
    return exp(chosen(throws, j) - j * log(m));
}

/* ---- 16: formulas alone, nothing so rare can be seen -------------------------------------------------------- */

void growth_overflow(lab_sheet *s, size_t i)
{
    const double m = 1e6;
    (void)i;
    lab_say(s, "16, one counter: equation 16", &(lab_claim){.expected = 1.37e-15, .within = 2e-3},
            NAN, lab_exactly(blm_counter_union_bound(16)));
    /* The literature's figure and equation 13 in another program. */
    lab_say(s, "16, one counter: the chance",
            &(lab_claim){.expected = 7.0728e-17, .within = 1e-4, .at_most = 1.51e-16}, NAN,
            lab_exactly(blm_counter_tail(log(2), 16)));
    lab_say(s, "16, one counter: bound of its first term",
            &(lab_claim){.expected = 7.07354e-17, .within = 1e-5}, NAN,
            lab_exactly(blm_counter_bound(log(2), 16)));
    lab_say(s, "16, any of 10^6: below 1.51e-16, as printed",
            &(lab_claim){.at_most = 1.51e-16, .known = {"E7", 468400, 1e-3}}, NAN,
            lab_exactly(-expm1(m * log1p(-blm_counter_tail(log(2), 16)))));
    lab_say(s, "10^6 counters: bits of each that keep 10^-6", &(lab_claim){.expected = 4}, NAN,
            lab_exactly(blm_counter_width(1000000, log(2), 1e-6)));
    for (double j = 2; j <= 30; j++) {
        lab_line_at(s, FIGURE, "(e ln 2 / j)^j, equation 15", j, survey_bound(j));
        lab_line_at(s, FIGURE, "first part of equation 14", j, first_bound(1e6, 1e6 * log(2), j));
        lab_line_at(s, FIGURE, "one counter", j, blm_counter_tail(log(2), (uint64_t)j));
    }
}

/* ---- one counter of many ------------------------------------------------------------------------------------- */

#define HASHES 7
#define SEEN   8 /* the highest count that such a sample sees often enough */

/* The different counters of a member, and the highest value among them; 0: it cannot be asked. */
static unsigned counters_of(const blm_filter *f, uint64_t member, blm_touch at[HASHES],
                            uint64_t *top)
{
    const blm_item it = blm_item_u64(f, lab_member(member), BLM_NO_ARG);
    const size_t n = blm_touched(f, &it, at, HASHES);
    unsigned kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        for (unsigned j = 0; j < kept; j++) again |= at[j].cell == at[i].cell;
        if (at[i].value > *top) *top = at[i].value;
        if (!again) at[kept++] = at[i];
    }
    return kept;
}

/* Poisson's tail at ln 2, by another program. */
static const double tails[SEEN + 1] = {1,           0.5,         0.153426,    0.0333132,  0.0055611,
                                       0.000752037, 8.53594e-05, 8.34179e-06, 7.15428e-07};

/* has[j]: counters with the value j. A counter with the value j is touched by j members, so visits / j counts it. */
static bool histogram(lab_sheet *s, const blm_filter *f, uint64_t keys, uint64_t has[HIGHEST])
{
    blm_touch at[HASHES];
    uint64_t visits[HIGHEST] = {0}, top = 0;
    for (uint64_t i = 0; i < keys; i++)
        for (unsigned j = counters_of(f, i, at, &top); j-- > 0;)
            if (at[j].value < HIGHEST) visits[at[j].value]++;
    bool whole = top < HIGHEST;
    for (uint64_t j = 1; j < HIGHEST; j++) {
        whole &= visits[j] % j == 0;
        has[j] = visits[j] / j;
    }
    if (!whole) lab_stuck(s, "counters by their values", "they are not what the keys have raised");
    return whole;
}

void growth_reach(lab_sheet *s, size_t i)
{
    const uint64_t m = s->quick ? 7000000 : 70000000;
    const uint64_t keys = (uint64_t)((double)m * log(2) / HASHES);
    uint64_t has[HIGHEST] = {0}, reach[HIGHEST + 1] = {0};
    char what[64];
    (void)i;
    blm_filter *f =
        lab_make(s, "counting bits=%" PRIu64 "b width=8 hashes=%d seed=1", 8 * m, HASHES);
    const bool whole = lab_add(s, f, 0, keys) && histogram(s, f, keys, has);
    blm_free(f);
    if (!whole) return;
    for (unsigned j = HIGHEST - 1; j > 0; j--) reach[j] = reach[j + 1] + has[j];
    for (unsigned j = 1; j <= SEEN; j++) {
        const lab_number n = lab_share((lab_hits){reach[j], m}, 0);
        snprintf(what, sizeof what, "one counter reaches %u", j);
        lab_say(s, what,
                &(lab_claim){
                    .expected = tails[j], .within = 1e-5, .at_most = j > 1 ? survey_bound(j) : 0},
                blm_counter_tail(HASHES * (double)keys / (double)m, j), n);
        if (j > 1) lab_mark_at(s, FIGURE, "one counter", j, n);
    }
    /* Equation 17 as its source means it, of one counter: P(c > j) < P(c = j - 1). */
    for (unsigned j = 1; j <= 5; j++) {
        const lab_hits above = {reach[j + 1], m}, just = {j > 1 ? has[j - 1] : m - reach[1], m};
        snprintf(what, sizeof what, "one counter: P(c > %u) / P(c = %u)", j, j - 1);
        lab_say(s, what, &(lab_claim){.at_most = 1}, NAN, lab_quotient(above, 0, just, 0));
    }
}

/* ---- any of 1000 counters ---------------------------------------------------------------------------------------- */

/* 693 throws, one per key: where a key has several hashes, two that meet raise a counter once, and its n keys cannot
 * raise one above n. Equations 13 and 14 know neither. */
#define ANY_M    1000
#define ANY_KEYS 693
#define ANY_LOW  4
#define ANY_HIGH 8

/* All 1000 cells of the multinomial law, by powers of a series in 60 digits. */
static const double any_reaches[ANY_HIGH + 1] = {
    [4] = 0.9970632926, 0.5283969861, 0.08055504679, 0.00809704847, 0.0006903692446};

static double one_reaches(unsigned j)
{
    double sum = 0;
    for (unsigned i = j; i < j + 40; i++) sum += has_just(ANY_M, ANY_KEYS, i);
    return sum;
}

/* Counts of different cells hinder each other, so that any of them reaches j at least as often as if they were
 * independent, and at most as often as the sum of their chances. */
static blm_rate any_band(unsigned j)
{
    const double one = one_reaches(j);
    return (blm_rate){-expm1(ANY_M * log1p(-one)), fmin(1, ANY_M * one), 0};
}

/* of[j]: turns whose highest counter has j. */
static bool highest_of(lab_sheet *s, uint64_t turns, uint64_t of[HIGHEST])
{
    blm_touch at[HASHES];
    blm_filter *f = lab_make(s, "counting bits=%db width=8 hashes=1 seed=1", 8 * ANY_M);
    bool whole = f != NULL;
    for (uint64_t t = 0; whole && t < turns; t++) {
        uint64_t top = 0;
        blm_clear(f);
        whole = lab_add(s, f, t * ANY_KEYS, ANY_KEYS);
        for (uint64_t i = 0; whole && i < ANY_KEYS; i++) counters_of(f, t * ANY_KEYS + i, at, &top);
        of[top < HIGHEST ? top : HIGHEST - 1]++;
    }
    blm_free(f);
    return whole;
}

static void any_row(lab_sheet *s, unsigned j, lab_hits h)
{
    const double first = ANY_M * first_bound(ANY_M, ANY_KEYS, j);
    char what[64];
    snprintf(what, sizeof what, "any of %d counters reaches %u", ANY_M, j);
    lab_rate(s, what,
             &(lab_claim){.expected = any_reaches[j],
                          .within = 1e-6,
                          .at_most = first < 1 && (!s->quick || j < ANY_HIGH) ? first : 0},
             any_band(j), h);
    const lab_number n = lab_share(h, 0);
    lab_mark_at(s, FIGURE, "any of 1000, / 1000", j,
                (lab_number){n.value / ANY_M, n.low / ANY_M, n.high / ANY_M, 0, 0});
}

void growth_any(lab_sheet *s, size_t i)
{
    const uint64_t turns = s->quick ? 10000 : 100000;
    uint64_t of[HIGHEST] = {0}, reach[HIGHEST + 1] = {0};
    (void)i;
    if (!highest_of(s, turns, of)) return;
    for (unsigned j = HIGHEST; j-- > 0;) reach[j] = reach[j + 1] + of[j];
    for (unsigned j = ANY_LOW; j <= ANY_HIGH; j++) any_row(s, j, (lab_hits){reach[j], turns});
    /* "The probability that any counter is at least j is bounded above by m P(c = j)." */
    const double just = ANY_M * has_just(ANY_M, ANY_KEYS, 6);
    const lab_number n = lab_share((lab_hits){reach[6], turns}, 0);
    lab_say(s, "any reaches 6 / m P(c = 6), the text before eq. 14",
            &(lab_claim){.at_most = 1, .known = {"E6", 1.06405, 0.02}}, NAN,
            (lab_number){n.value / just, n.low / just, n.high / just, n.lowest / just,
                         n.highest / just});
    lab_say(s, "the highest is above 4 / it is 3, equation 17",
            &(lab_claim){.at_most = 1, .known = {"E8", 179.93, 0.05}}, NAN,
            lab_quotient((lab_hits){reach[5], turns}, 0, (lab_hits){of[3], turns}, 0));
}

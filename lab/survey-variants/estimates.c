/* estimates.c - counts that are only estimated: space-code and adaptive-count, in 2^20 bits as the literature has them. */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "survey.h"

#define BITS 1048576

/* A mean over keys, and its intervals by a normal number. */
typedef struct mean {
    double n, sum, squares;
} mean;

static void mean_add(mean *m, double v)
{
    m->n++;
    m->sum += v;
    m->squares += v * v;
}

static lab_number mean_of(const mean *m)
{
    const double v = m->sum / m->n, sd = sqrt(fmax(0, m->squares / m->n - v * v) / m->n);
    return (lab_number){v, v - 2.576 * sd, v + 2.576 * sd, v - 3.891 * sd, v + 3.891 * sd};
}

/* ---- space-code: groups of 32, of flows among 20,000 others of 8 packets ------------------------------------ */

enum { GROUPS = 32, HASHES = 3, BACKGROUND = 20000, PACKETS = 8, FLOWS = 2000, FAR = 10000000 };

/* What one simulation of as many flows found: means within 5 % of ours, as it errs by 2 % itself. */
static const struct {
    unsigned times;
    double groups, estimate, error;
} known_flows[SURVEY_SPACE_CODE] = {{1, 2.226, 1.118, 0.84},
                                    {4, 5.039, 4.048, 0.25},
                                    {16, 13.831, 16.19, 0.14},
                                    {64, 28.149, 67.4, 0.18}};

static bool add_times(lab_sheet *s, blm_filter *f, uint64_t first, uint64_t n, unsigned times)
{
    for (unsigned t = 0; f && t < times; t++)
        if (!lab_add(s, f, first, n)) return false;
    return f != NULL;
}

/* Groups of the key whose bits are all ones, by what a query reads. */
static unsigned groups_of(const blm_filter *f, const blm_item *it)
{
    blm_touch cell[BLM_TOUCH_MAX];
    unsigned seen = 0;
    if (blm_touched(f, it, cell, BLM_TOUCH_MAX) != (size_t)GROUPS * HASHES) return 0;
    for (unsigned g = 0; g < GROUPS; g++) {
        bool whole = true;
        for (unsigned i = 0; i < HASHES; i++) whole = whole && cell[(size_t)g * HASHES + i].value;
        seen += whole;
    }
    return seen;
}

/* chance[i] that i groups are seen of a flow: those that came, and of the others those that are whole by chance. */
static void chances(unsigned times, double others, double chance[GROUPS + 1])
{
    for (unsigned g = 0; g <= GROUPS; g++) chance[g] = g == 0;
    for (unsigned t = 0; t < times; t++)
        for (unsigned g = GROUPS + 1; g-- > 0;)
            chance[g] =
                chance[g] * g / GROUPS + (g ? chance[g - 1] * (GROUPS - g + 1) / GROUPS : 0);
    double all[GROUPS + 1] = {0};
    for (unsigned g = 0; g <= GROUPS; g++) {
        double some = pow(1 - others, GROUPS - g); /* none of the others, one, two ... */
        for (unsigned o = 0; g + o <= GROUPS; o++) {
            all[g + o] += chance[g] * some;
            some *= (double)(GROUPS - g - o) / (o + 1) * others / (1 - others);
        }
    }
    for (unsigned g = 0; g <= GROUPS; g++) chance[g] = all[g];
}

typedef struct figures {
    double groups, estimate, error;
} figures;

static figures predicted(unsigned times, double others)
{
    double chance[GROUPS + 1];
    figures p = {0, 0, 0};
    chances(times, others, chance);
    for (unsigned g = 0; g <= GROUPS; g++) {
        const double zeros = 1 - (double)g / GROUPS, bound = GROUPS * log(GROUPS);
        const double n =
            g < GROUPS ? fmax(0, log((1 - others) / zeros) / -log1p(-1.0 / GROUPS)) : bound;
        p.groups += chance[g] * g;
        p.estimate += chance[g] * n;
        p.error += chance[g] * fabs(n - times) / times;
    }
    return p;
}

void survey_space_code(lab_sheet *s, size_t i)
{
    const unsigned times = known_flows[i].times, turns = s->quick ? 1 : 5;
    mean groups = {0}, estimates = {0}, errors = {0};
    double others = 0;
    char what[64];
    for (unsigned turn = 1; turn <= turns; turn++) {
        blm_filter *f = lab_make(s,
                                 "space-code bits=%db hashes=%d groups=%d resolutions=1 decode=mve "
                                 "keys=300000 seed=%u",
                                 BITS, HASHES, GROUPS, turn);
        if (!add_times(s, f, 0, BACKGROUND, PACKETS) || !add_times(s, f, FAR, FLOWS, times)) return;
        others += pow(lab_field(f, "ones") / BITS, HASHES) / turns;
        for (uint64_t flow = 0; flow < FLOWS; flow++) {
            blm_estimate n = {0};
            const blm_item it = blm_item_u64(f, lab_member(FAR + flow), BLM_NO_ARG);
            if (blm_count_item(f, &it, &n)) n.value = NAN;
            mean_add(&groups, groups_of(f, &it));
            mean_add(&estimates, n.value);
            mean_add(&errors, fabs(n.value - times) / times);
        }
        blm_free(f);
    }
    const figures p = predicted(times, others);
    snprintf(what, sizeof what, "flows of %u: groups of 32 that are seen", times);
    lab_say(s, what, &(lab_claim){.expected = known_flows[i].groups, .within = 0.01}, p.groups,
            mean_of(&groups));
    snprintf(what, sizeof what, "flows of %u: mean estimate", times);
    lab_say(s, what, &(lab_claim){.expected = known_flows[i].estimate, .within = 0.05}, p.estimate,
            mean_of(&estimates));
    snprintf(what, sizeof what, "flows of %u: mean relative error", times);
    lab_say(s, what, &(lab_claim){.expected = known_flows[i].error, .within = 0.05}, p.error,
            mean_of(&errors));
}

/* Four filters, each of which sees a quarter of the adds of the one before, and none of which is more than half full. */
void survey_space_code_range(lab_sheet *s, size_t i)
{
    static const unsigned times[] = {16, 64, 256, 1024, 4096};
    static const char *const ways[] = {"mle", "mve"};
    const uint64_t flows = s->quick ? 200 : 500;
    char what[64];
    (void)i;
    for (size_t w = 0; w < 2; w++) {
        blm_filter *f = lab_make(s, "space-code bits=%db hashes=%d keys=900000 seed=1 decode=%s",
                                 16 * BITS, HASHES, ways[w]);
        if (!add_times(s, f, 0, BACKGROUND, PACKETS)) return;
        for (size_t t = 0; t < sizeof times / sizeof *times; t++)
            if (!add_times(s, f, (t + 1) * FAR, flows, times[t])) return;
        snprintf(what, sizeof what, "%s: fill of the last filter", ways[w]);
        lab_say(s, what, &(lab_claim){.at_most = 0.5}, NAN,
                lab_exactly(lab_field(f, "ones_4") / (lab_field(f, "cells") / 64)));
        for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
            mean errors = {0};
            for (uint64_t flow = 0; flow < flows; flow++) {
                blm_estimate n = {0};
                const blm_item it = blm_item_u64(f, lab_member((t + 1) * FAR + flow), BLM_NO_ARG);
                if (blm_count_item(f, &it, &n)) n.value = NAN;
                mean_add(&errors, fabs(n.value - times[t]) / times[t]);
            }
            snprintf(what, sizeof what, "%s, flows of %u: mean relative error", ways[w], times[t]);
            lab_say(s, what, &(lab_claim){.at_most = 0.25}, NAN, mean_of(&errors));
        }
        blm_free(f);
    }
}

/* ---- adaptive-count: runs of ones, all keys once, then all again -------------------------------------------- */

static const struct {
    uint64_t keys;
    unsigned times;
    double fill, run;
} known_runs[SURVEY_ADAPTIVE_COUNT] = {
    {20000, 1, 0.0918, 1.146}, {20000, 5, 0.168, 5.85}, {50000, 5, 0.408, 7.66}};

/* What is expected by following the mean share of zeros, add by add. */
typedef struct followed {
    double fill, run;
    double first; /* share of keys that came once and whose run is 1 */
} followed;

static followed follow(uint64_t keys, unsigned times)
{
    double zeros = 1, steps = 0, first = 0;
    for (unsigned t = 0; t < times; t++)
        for (uint64_t i = 0; i < keys; i++) {
            if (!t) zeros *= pow(1 - 1.0 / BITS, 4);
            steps += 1 / zeros / (double)keys;
            first += zeros / (double)keys;
            zeros -= 1.0 / BITS;
        }
    return (followed){1 - zeros, steps + (1 - zeros) / zeros, times == 1 ? first * zeros : 0};
}

/* The estimate is a line over the runs, but for a run of 1, which counts 1. */
static double ratio_of(const followed *f, unsigned times)
{
    const double grown = -log1p(-f->fill), places = expm1(grown) / grown,
                 others = f->fill / (1 - f->fill), one = (1 - others) / places;
    return ((f->run - others) / places + f->first * (1 - one)) / times;
}

/* The run of an estimate: what adds of others are expected to have added is put on again. */
static double run_of(double estimate, double fill)
{
    const double grown = -log1p(-fill), run = estimate * expm1(grown) / grown + fill / (1 - fill);
    return estimate > 1 ? run : 1;
}

void survey_adaptive_count(lab_sheet *s, size_t i)
{
    const uint64_t n = known_runs[i].keys;
    const unsigned times = known_runs[i].times;
    mean runs = {0}, ratios = {0}, usual = {0}, fills = {0};
    lab_hits far = {0, 0}, right = {0, 0};
    char what[64];
    for (unsigned turn = 1; turn <= (s->quick ? 2 : 5); turn++) {
        blm_filter *f = lab_make(s, "adaptive-count bits=%db hashes=4 keys=%" PRIu64 " seed=%u",
                                 BITS, n * times, turn);
        if (!add_times(s, f, 0, n, times)) return;
        const double fill = lab_field(f, "ones") / BITS;
        mean_add(&fills, fill);
        for (uint64_t key = 0; key < n; key++) {
            blm_estimate c = {0};
            const blm_item it = blm_item_u64(f, lab_member(key), BLM_NO_ARG);
            if (blm_count_item(f, &it, &c)) c.value = NAN;
            const double run = run_of(c.value, fill), sd = fmax(c.value - c.low, c.high - c.value);
            mean_add(&runs, run);
            mean_add(&ratios, c.value / times);
            mean_add(&usual, fmax(1, run * (1 - fill) - fill) / times);
            right.hits += fabs(run - times) < 1e-6;
            far.hits += !(fabs(c.value - times) <= 3 * sd);
        }
        right.trials += n;
        far.trials += n;
        blm_free(f);
    }
    const followed formula = follow(n, times);
    const double sd = blm_fill_sd(BITS, 4, n) / BITS;
    const double v = fills.sum / fills.n, half = sd / sqrt(fills.n);
    snprintf(what, sizeof what, "%" PRIu64 " keys, %u times: fill", n, times);
    lab_say(
        s, what, &(lab_claim){.expected = known_runs[i].fill, .within = 0.003}, formula.fill,
        (lab_number){v, v - 2.576 * half, v + 2.576 * half, v - 3.891 * half, v + 3.891 * half});
    snprintf(what, sizeof what, "%" PRIu64 " keys, %u times: mean run", n, times);
    lab_say(s, what, &(lab_claim){.expected = known_runs[i].run, .within = 0.005}, formula.run,
            mean_of(&runs));
    if (i == 1)
        lab_say(s, "runs of five that are five", &(lab_claim){.expected = 0.45, .within = 0.02},
                NAN, lab_share(right, 0));
    snprintf(what, sizeof what, "%" PRIu64 " keys, %u times: estimate / truth", n, times);
    lab_say(s, what, &(lab_claim){0}, ratio_of(&formula, times), mean_of(&ratios));
    snprintf(what, sizeof what, "%" PRIu64 " keys, %u times: beyond 3 errors", n, times);
    lab_say(s, what, &(lab_claim){.at_most = 0.02}, NAN, lab_share(far, 0));
    snprintf(what, sizeof what, "%" PRIu64 " keys, %u times: N (1 - r) - r / truth", n, times);
    lab_show(s, what, mean_of(&usual));
}

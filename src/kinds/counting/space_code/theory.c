/* theory.c - space-code: rates and sizes, and the count that the groups of a key speak for. */
#include <math.h>

#include "groups.h"
#include "theory/theory_internal.h"

/* ---- rates and sizes ------------------------------------------------------------------------- */

typedef struct question {
    unsigned hashes, groups;
} question;

/* A non-member is taken for a member by any of its groups. */
static double passes(double fill, const void *ctx)
{
    const question *q = ctx;
    return -expm1(q->groups * log1p(-pow(fill, q->hashes)));
}

static question question_of(const blm_space_code *s)
{
    return (question){s->first.hashes, s->groups};
}

blm_rate blm_space_code_rate(const blm_space_code *s, uint64_t adds)
{
    const question q = question_of(s);
    const blm_theory_filling f = {s->first.cells, s->first.hashes, 0, adds};
    return blm_theory_over_fill(&f, passes, &q);
}

double blm_space_code_rate_now(const blm_space_code *s)
{
    const question q = question_of(s);
    return passes((double)s->first.ones / (double)s->first.cells, &q);
}

typedef struct trial {
    blm_space_code s;
    uint64_t adds;
} trial;

static double rate_with(void *self, uint64_t cells)
{
    trial *t = self;
    t->s.first.cells = cells;
    return blm_space_code_rate(&t->s, t->adds).high;
}

static unsigned hashes_max(const blm_space_code *s)
{
    const unsigned most = SPACE_CODE_READS / s->groups;
    return most < BLM_THEORY_HASHES ? most : BLM_THEORY_HASHES;
}

/* The cells of filter 1: 16.8 per add at 1 %, with 32 groups and 12 hashes. */
static double guess(const blm_space_code *s, double adds, double rate, unsigned k)
{
    const double one = -expm1(log1p(-rate) / s->groups);
    return adds * k / -log1p(-pow(one, 1.0 / k));
}

bool blm_space_code_size(blm_space_code *s, uint64_t adds, double rate)
{
    const double n = (double)adds;
    unsigned best = s->first.hashes ? s->first.hashes : 1;
    for (unsigned k = 2; !s->first.hashes && k <= hashes_max(s); k++)
        if (guess(s, n, rate, k) < guess(s, n, rate, best)) best = k;
    const double about = guess(s, n, rate, best);
    if (!(about < (double)SPACE_CODE_CELLS)) return false;
    trial t = {*s, adds};
    t.s.first.hashes = s->first.hashes = (uint8_t)best;
    s->first.cells =
        blm_theory_fewest(rate_with, &t, rate, (uint64_t)fmax(about, 1), SPACE_CODE_CELLS);
    return s->first.cells > 0;
}

unsigned blm_space_code_best(const blm_space_code *s, uint64_t adds)
{
    trial t = {*s, adds};
    double least = 2;
    unsigned best = 1;
    for (unsigned k = 1; k <= hashes_max(s); k++) {
        t.s.first.hashes = (uint8_t)k;
        const double rate = rate_with(&t, s->first.cells);
        if (rate < least) least = rate, best = k;
    }
    return best;
}

/* ---- counts ----------------------------------------------------------------------------------
 * A key that came F times has a group of filter j with the chance a(F) = 1 - (1 - f) (1 - p/l)^F: f by bits of others, l
 * groups, p the chance of an add to get there. Of l groups theta are seen; taken for a binomial number, its
 * likelihood is concave in F, and its slope the sum over j of c (theta / a - l), c = -ln(1 - p/l). For one filter both
 * ways to decode are F = ln((1 - f) / (1 - theta/l)) / c: 16.2 for 14 of 32 groups, f = 0.0564. */
typedef struct look {
    unsigned filters;
    double groups, theta[SPACE_CODE_FILTERS], leave[SPACE_CODE_FILTERS],
        others[SPACE_CODE_FILTERS]; /* l, and of each filter theta, c, f */
} look;

static look look_of(const blm_space_code *s, const blm_space_code_seen *seen)
{
    look k = {.filters = s->resolutions, .groups = s->groups};
    for (unsigned j = 0; j < k.filters; j++) {
        k.theta[j] = seen->groups[j];
        k.others[j] = seen->by_others[j];
        k.leave[j] = -log1p(-blm_space_code_chance(s, j) / k.groups);
    }
    return k;
}

static double seen_by(const look *k, unsigned j, double times)
{
    return 1 - (1 - k->others[j]) * exp(-k->leave[j] * times);
}

/* The slope of the likelihood, which falls with F; *bend: its own slope. */
static double slope(const look *k, double times, double *bend)
{
    double sum = 0;
    *bend = 0;
    for (unsigned j = 0; j < k->filters; j++) {
        const double a = seen_by(k, j, times), c = k->leave[j];
        sum += c * (k->theta[j] / a - k->groups);
        *bend -= c * c * k->theta[j] * (1 - a) / (a * a);
    }
    return sum;
}

/* The standard error by what filters first .. end - 1 know of such a count. */
static double error_at(const look *k, unsigned first, unsigned end, double times)
{
    double known = 0;
    for (unsigned j = first; j < end; j++) {
        const double a = seen_by(k, j, times);
        known += k->groups * k->leave[j] * k->leave[j] * (1 - a) / a;
    }
    return 1 / sqrt(known);
}

static blm_estimate with_error(double times, double sd)
{
    return (blm_estimate){times, fmax(0, times - sd), times + sd, false};
}

/* All filters together. Newton's method for ln F, some 6 steps, each within the interval that is left; else half of
 * it, which ends after 60. */
static blm_estimate most_likely(const look *k)
{
    double low = log(1e-3), high = log(0x1p63), at = log(k->theta[0]), bend;
    if (slope(k, 1e-3, &bend) <= 0) return with_error(0, error_at(k, 0, k->filters, 1e-3));
    for (int i = 0; i < 60; i++) {
        const double times = exp(at), up = slope(k, times, &bend), step = -up / (bend * times);
        *(up > 0 ? &low : &high) = at;
        if (fabs(step) < 1e-12) break;
        at = at + step > low && at + step < high ? at + step : low + (high - low) / 2;
    }
    return with_error(exp(at), error_at(k, 0, k->filters, exp(at)));
}

/* The count at which that number of groups is expected, of the filter that knows most of counts like the likeliest one: by its
 * own count each filter would be chosen when it is too high. */
static blm_estimate expected_at(const look *k)
{
    const double about = fmax(1e-3, most_likely(k).value);
    unsigned best = k->filters;
    for (unsigned j = 0; j < k->filters; j++)
        if (k->theta[j] < k->groups &&
            (best == k->filters ||
             error_at(k, j, j + 1, about) < error_at(k, best, best + 1, about)))
            best = j;
    const double zeros = 1 - k->theta[best] / k->groups;
    const double times = fmax(0, log((1 - k->others[best]) / zeros) / k->leave[best]);
    return with_error(times, error_at(k, best, best + 1, fmax(times, 1e-3)));
}

double blm_space_code_most(const blm_space_code *s)
{
    return s->groups * log(s->groups) / blm_space_code_chance(s, s->resolutions - 1u);
}

blm_estimate blm_space_code_decode(const blm_space_code *s, const blm_space_code_seen *seen)
{
    const look k = look_of(s, seen);
    bool all = true;
    for (unsigned j = 0; j < k.filters; j++) all = all && k.theta[j] >= k.groups;
    if (!seen->groups[0]) return (blm_estimate){0, 0, 0, false}; /* each add gets there */
    if (all) {
        const double most = blm_space_code_most(s);
        return (blm_estimate){most, most, (double)INFINITY, true};
    }
    return s->decode == SPACE_CODE_MLE ? most_likely(&k) : expected_at(&k);
}

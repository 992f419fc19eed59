/* rows.c - a claim, a formula and a measured number become a row with a verdict. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab.h"

#define CONFIDENCE 0.99
#define WIDE       0.9999
#define SIGMAS     2.576 /* of CONFIDENCE */
#define WIDE_BY    3.891 /* of WIDE       */

const char *lab_verdict_name(lab_verdict v)
{
    static const char *const names[] = {"holds", "known", "FAILS", "shown"};
    return names[v];
}

/* ---- numbers ------------------------------------------------------------------------------------- */

lab_number lab_exactly(double value) { return (lab_number){value, value, value, value, value}; }

lab_number lab_share(lab_hits h, double spread)
{
    const double p = h.trials ? (double)h.hits / (double)h.trials : NAN;
    const double def = SIGMAS * spread * p, wide = WIDE_BY * spread * p;
    const double low = blm_binomial_low(h.hits, h.trials, CONFIDENCE);
    const double high = blm_binomial_high(h.hits, h.trials, CONFIDENCE);
    const double lowest = blm_binomial_low(h.hits, h.trials, WIDE);
    const double highest = blm_binomial_high(h.hits, h.trials, WIDE);
    return (lab_number){p, fmax(0, p - hypot(p - low, def)), fmin(1, p + hypot(high - p, def)),
                        fmax(0, p - hypot(p - lowest, wide)),
                        fmin(1, p + hypot(highest - p, wide))};
}

/* The logarithm of a share with many hits is nearly normal, 1 / sqrt(hits) wide. */
lab_number lab_quotient(lab_hits a, double spread_a, lab_hits b, double spread_b)
{
    if (!a.trials || !b.trials) return lab_exactly(NAN);
    if (!a.hits || !b.hits) return (lab_number){a.hits ? INFINITY : 0, 0, INFINITY, 0, INFINITY};
    const double value = (double)a.hits / (double)a.trials / ((double)b.hits / (double)b.trials);
    const double one =
        sqrt(1 / (double)a.hits + 1 / (double)b.hits + spread_a * spread_a + spread_b * spread_b);
    return (lab_number){value, value * exp(-SIGMAS * one), value * exp(SIGMAS * one),
                        value * exp(-WIDE_BY * one), value * exp(WIDE_BY * one)};
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static lab_row *new_row(lab_sheet *s, const char *what)
{
    lab_row *more = realloc(s->rows, (s->nrows + 1) * sizeof *more);
    if (!more) {
        s->lost = true;
        return NULL;
    }
    s->rows = more;
    lab_row *r = &s->rows[s->nrows++];
    *r = (lab_row){.formula = {NAN, NAN}, .measured = lab_exactly(NAN)};
    snprintf(r->what, sizeof r->what, "%s", what);
    return r;
}

/* What the paper says: its figure, or else its bound; 0: nothing. */
static double said(const lab_claim *c)
{
    return c->expected != 0 ? c->expected : c->at_most != 0 ? c->at_most : c->at_least;
}

/* What the paper's figure is compared with: the formula, or without one what was measured. */
static void found(const lab_row *r, double *low, double *high)
{
    const bool by_formula = !isnan(r->formula[0]);
    *low = by_formula ? r->formula[0] : r->measured.lowest;
    *high = by_formula ? r->formula[1] : r->measured.highest;
}

/* A row can fail only if there is something that it can contradict; a known disagreement has all its parts. */
static bool claim_is_whole(lab_row *r)
{
    const lab_claim *c = &r->claim;
    const lab_known *k = &c->known;
    if (said(c) == 0 && isnan(r->formula[0]))
        snprintf(r->why, sizeof r->why, "nothing is claimed, and there is no formula");
    else if ((k->id || k->size != 0 || k->tolerance != 0) &&
             !(k->id && k->size > 0 && k->tolerance > 0 && said(c) != 0))
        snprintf(r->why, sizeof r->why, "known without an id, a size, a tolerance or a claim");
    else
        return true;
    return false;
}

/* No known disagreement excuses a formula that what was measured contradicts. */
static bool formula_holds(lab_row *r)
{
    const lab_number *n = &r->measured;
    if (!(n->value >= n->low && n->value <= n->high))
        return snprintf(r->why, sizeof r->why, "not measured"), false;
    if (isnan(r->formula[0]) || (r->formula[1] >= n->lowest && r->formula[0] <= n->highest))
        return true;
    snprintf(r->why, sizeof r->why, "the formula, %.4g, is not within %.4g to %.4g (99.99 %%)",
             r->formula[r->formula[1] < n->lowest], n->lowest, n->highest);
    return false;
}

static bool figure_holds(lab_row *r)
{
    const double expected = r->claim.expected, off = r->claim.within * fabs(expected);
    double low, high;
    found(r, &low, &high);
    if (expected == 0 || (high >= expected - off && low <= expected + off)) return true;
    snprintf(r->why, sizeof r->why, "%s, %.5g to %.5g, is not within %g %% of %.5g",
             isnan(r->formula[0]) ? "what was measured" : "the formula", low, high,
             100 * r->claim.within, expected);
    return false;
}

static bool bounds_hold(lab_row *r)
{
    const lab_claim *c = &r->claim;
    const lab_number *n = &r->measured;
    if (c->at_most != 0 && !(n->high <= c->at_most))
        snprintf(r->why, sizeof r->why, "up to %.4g is more than %.4g", n->high, c->at_most);
    else if (c->at_least != 0 && !(n->low >= c->at_least))
        snprintf(r->why, sizeof r->why, "down to %.4g is less than %.4g", n->low, c->at_least);
    else
        return true;
    return false;
}

static bool size_holds(lab_row *r)
{
    const lab_known *k = &r->claim.known;
    const double paper = said(&r->claim), off = k->tolerance * k->size;
    double low, high;
    found(r, &low, &high);
    if (high / paper >= k->size - off && low / paper <= k->size + off) return true;
    snprintf(r->why, sizeof r->why,
             "%s: %.5g to %.5g times what the paper says is not within %g %% of %.5g times", k->id,
             low / paper, high / paper, 100 * k->tolerance, k->size);
    return false;
}

void lab_judge(lab_row *r)
{
    const bool known = r->claim.known.id;
    r->why[0] = '\0';
    r->verdict = LAB_FAILS;
    if (!claim_is_whole(r) || !formula_holds(r) || (known && !size_holds(r))) return;
    if (figure_holds(r) && bounds_hold(r))
        r->verdict = LAB_HOLDS;
    else if (known)
        r->verdict = LAB_KNOWN;
}

static void judge(lab_sheet *s, const char *what, const lab_claim *c, double low, double high,
                  lab_number n)
{
    lab_row *r = new_row(s, what);
    if (!r) return;
    r->claim = *c;
    r->formula[0] = low;
    r->formula[1] = high;
    r->measured = n;
    lab_judge(r);
}

void lab_say(lab_sheet *s, const char *what, const lab_claim *c, double formula, lab_number n)
{
    judge(s, what, c, formula, formula, n);
}

void lab_rate(lab_sheet *s, const char *what, const lab_claim *c, blm_rate theory, lab_hits h)
{
    judge(s, what, c, theory.low, theory.high, lab_share(h, theory.spread));
}

void lab_show(lab_sheet *s, const char *what, lab_number n)
{
    lab_row *r = new_row(s, what);
    if (!r) return;
    r->measured = n;
    r->verdict = LAB_SHOWN;
}

void lab_stuck(lab_sheet *s, const char *what, const char *why)
{
    lab_row *r = new_row(s, what);
    if (!r) return;
    r->verdict = LAB_FAILS;
    snprintf(r->why, sizeof r->why, "%s", why);
}

static void point_at(lab_sheet *s, const lab_point *p)
{
    lab_point *more = realloc(s->points, (s->npoints + 1) * sizeof *more);
    if (!more) {
        s->lost = true;
        return;
    }
    s->points = more;
    s->points[s->npoints++] = *p;
}

void lab_line_at(lab_sheet *s, const char *plot, const char *curve, double x, double y)
{
    point_at(s, &(lab_point){plot, curve, true, x, y, y, y, 0});
}

void lab_mark_at(lab_sheet *s, const char *plot, const char *curve, double x, lab_number y)
{
    point_at(s, &(lab_point){plot, curve, false, x, y.value, y.low, y.high, 0});
}

void lab_surface_at(lab_sheet *s, const char *plot, const char *curve, double x, double y, double z)
{
    point_at(s, &(lab_point){plot, curve, true, x, z, z, z, y});
}

/* theory.c - one cell of a stable filter as a chain, in closed form.
 *
 * An arrival lowers P of m cells, and then sets s = 1 - (1 - 1/m)^K of them to Max. The state of a cell is by how much it
 * was lowered since it was last set; at Max it is zero. Without a set, one arrival is the polynomial
 *
 *     A(x) = (1 - s) (1 - p + p x)              a run of P cells: lowered once, with chance p = P / m
 *     A(x) = (1 - s) (1 - 1/m + x/m)^P          P picks, each of which may meet the cell again
 *
 * whose coefficient of x^j is the chance of j. After g arrivals it is A^g, a binomial distribution; and sets at all times
 * before add s (1 + A + ... + A^(g - 1)) = s (1 - A^g) / (1 - A). A cell is above zero with the sum of the coefficients below
 * Max of
 *
 *     A^g [it was at Max]  +  s (1 - A^g) / (1 - A)          in the long run s / (1 - A)
 *
 * so that a question costs Max steps, whatever g is. Cells are taken to be independent; the survival of a key needs K of them.
 */
#include <float.h>
#include <math.h>

#include "cells.h"

/* ---- the equations of the paper ---------------------------------------------------------------------- */

double blm_stable_picks(double m, unsigned k, unsigned top, double f)
{
    const double t = expm1(-log1p(-pow(f, 1.0 / k)) / top);
    return 1 / (t * (1.0 / k - 1 / m));
}

double blm_stable_zeros(double m, unsigned k, unsigned top, double picks)
{
    return pow(1 + 1 / (picks * (1.0 / k - 1 / m)), -(double)top);
}

/* ---- one cell ------------------------------------------------------------------------------------------ */

/* Coefficients 0 to n - 1 of (1 - p + p x)^trials, times e^scale; by logarithms where the first one is next to nothing. */
static void binomial(double trials, double p, double scale, unsigned n, double *out)
{
    const double first = trials * log1p(-p) + scale;
    double v = exp(first), log_v = first;
    for (unsigned j = 0; j < n; j++) {
        out[j] = p >= 1 ? (fabs(trials - j) < 0.5) * exp(scale) : first > -600 ? v : exp(log_v);
        const double ratio = j < trials ? (trials - j) / (j + 1) * (p / (1 - p)) : 0;
        v *= ratio;
        if (first <= -600) log_v += log(ratio);
    }
}

static void power(const blm_stable_cell *c, double arrivals, double *out)
{
    binomial(c->each ? arrivals * c->picks : arrivals, c->each ? 1 / c->m : c->picks / c->m,
             arrivals * c->log_miss, c->top, out);
}

/* sums[n]: coefficients 0 to n - 1 of R = 1 / (1 - A), added up. From (1 - A) R = 1 follows
 * (1 - A_0) R_j = A_1 R_(j-1) + ... + A_j R_0; for a run A has two coefficients. */
void blm_stable_cell_of(blm_stable_cell *c, uint64_t m, unsigned k, unsigned top, uint64_t picks,
                        bool each)
{
    double a[STABLE_TOP] = {0}, r[STABLE_TOP];
    *c =
        (blm_stable_cell){.m = (double)m, .picks = (double)picks, .k = k, .top = top, .each = each};
    c->log_miss = m > 1 ? k * log1p(-1 / c->m) : -DBL_MAX;
    power(c, 1, a);
    const double p = c->picks / c->m, s = -expm1(c->log_miss);
    const double leaves = each ? (m > 1 ? -expm1(c->log_miss + c->picks * log1p(-1 / c->m)) : 1)
                               : s + p - s * p; /* 1 - A_0 */
    for (unsigned j = 0; j < top; j++) {
        double sum = j == 0;
        for (unsigned i = 1; i <= j && (each || i == 1); i++) sum += a[i] * r[j - i];
        r[j] = sum / leaves;
        c->sums[j + 1] = c->sums[j] + r[j];
    }
}

double blm_stable_alive_ever(const blm_stable_cell *c)
{
    return fmin(-expm1(c->log_miss) * c->sums[c->top], 1);
}

double blm_stable_alive(const blm_stable_cell *c, double arrivals, bool from_top)
{
    double a[STABLE_TOP], old = 0, later = c->sums[c->top];
    power(c, arrivals, a);
    for (unsigned j = 0; j < c->top; j++) {
        old += a[j];
        later -= a[j] * c->sums[c->top - j];
    }
    return fmax(0, fmin(1, (from_top ? old : 0) - expm1(c->log_miss) * later));
}

/* ---- all cells ------------------------------------------------------------------------------------------- */

/* That of cells on their own, which is an upper bound: as many cells are set and lowered by each arrival as by all others.
 * Measured: 0.4 to 0.5 of it with single picks, 0.5 to 0.8 with runs, whose neighbours fall together. */
double blm_stable_variance(const blm_stable_cell *c, double x) { return x * (1 - x) / c->m; }

/* E[X^K] of a share X with mean x: a second-order term more than x^K. */
static double moment(const blm_stable_cell *c, double x)
{
    const double k = c->k, relative = x > 0 ? blm_stable_variance(c, x) / (x * x) : 0;
    return fmin(1, pow(x, k) * (1 + k * (k - 1) / 2 * relative));
}

double blm_stable_rate_ever(const blm_stable_cell *c)
{
    return moment(c, blm_stable_alive_ever(c));
}

/* Fewer decrements than Max leave every cell above zero. What is below the noise of the sums is said to be 10^-15. */
double blm_stable_miss(const blm_stable_cell *c, double gap)
{
    if (gap * (c->each ? c->picks : c->picks > 0) < c->top) return 0;
    return fmax(1e-15, 1 - pow(blm_stable_alive(c, gap, true), c->k));
}

/* Simpson's rule on [low, high], of as many steps as a chance that rises within 1/16 of it needs. */
static double integral(const blm_stable_cell *c, double low, double high)
{
    enum { STEPS = 64 };
    const double h = (high - low) / STEPS;
    double sum = blm_stable_miss(c, low) + blm_stable_miss(c, high);
    for (unsigned i = 1; i < STEPS; i++) sum += (i % 2 ? 4 : 2) * blm_stable_miss(c, low + i * h);
    return sum * h / 3;
}

/* The sum over the first gaps one by one, then over one octave after the other, each of them midpoints; past 64 m the chance
 * moves no more. */
double blm_stable_misses(const blm_stable_cell *c, double keys)
{
    enum { ONE_BY_ONE = 128 };
    double sum = 0, low = fmin(keys, ONE_BY_ONE);
    for (double gap = 0; gap < low; gap++) sum += blm_stable_miss(c, gap);
    while (low < keys && low < 64 * c->m) {
        const double high = fmin(2 * low, keys);
        sum += integral(c, low - 0.5, high - 0.5);
        low = high;
    }
    if (low < keys) sum += (keys - low) * blm_stable_miss(c, low);
    return keys > 0 ? sum / keys : 0;
}

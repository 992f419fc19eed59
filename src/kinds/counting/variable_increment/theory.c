/* theory.c - cells that keep a sum of increments: the chance that a sum exposes a non-member.
 *
 * A cell answers a probe by its load, the number of increments in it, and by chance: at load 0 never
 * yes, at a few loads now and then, from some load on always. X is the share of all increments that a cell
 * lets pass; the rate of one filter is q^k, q the mean of X over its cells, and theory is E[q^k].
 *
 * Loads add up to kn. If they were independent (Poisson, mean w), the moments of m q would be the
 * coefficients of B(y)^m, B(y) = sum of E[X^r] y^r / r!. With kn fixed they are a coefficient once more, of
 * z^kn, and that is an integral around a circle of complex loads z. All loads of |z| = kn are looked at where
 * kn is small; where it is large, those next to the real one. Past m = 2000 k^2 cells the first two
 * moments say as much.
 */
#include <bloomery/theory/increments.h>
#include "theory/theory_internal.h"

enum { ORDERS = 2 * BLM_THEORY_HASHES, LOADS = BLM_THEORY_SUMS };

typedef struct complex_number {
    double re, im;
} complex_number;

static complex_number times(complex_number a, complex_number b)
{
    return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static complex_number plus(complex_number a, complex_number b, double factor)
{
    return (complex_number){a.re + factor * b.re, a.im + factor * b.im};
}

/* ---- one cell ---------------------------------------------------------------------------------- */

/* X at load l has the value pass[l][i] with chance[l][i]; from load `full` on it is 1. */
typedef struct cell_law {
    unsigned full, outcomes;
    double pass[LOADS + 1][BLM_THEORY_INCREMENTS + 1], chance[LOADS + 1][BLM_THEORY_INCREMENTS + 1];
} cell_law;

/* Increments are L to 2L - 1, each equally likely. One key in the cell: a probe with its own increment passes.
 * Two, a and b above 2L: those up to a + b - L pass, which are all from a + b = L - 1 on. */
static void law_of_range(cell_law *c, unsigned values)
{
    const double l = values;
    c->full = values > 1 ? 3 : 1;
    c->pass[1][1] = 1 / l;
    c->chance[1][1] = 1;
    for (unsigned i = 1; i <= values; i++) {
        c->pass[2][i] = i / l;
        c->chance[2][i] = i < values ? i / (l * l) : (l + 1) / (2 * l);
    }
}

/* Up to h of them are known: a probe passes with one of those. */
static void law_of_sums(cell_law *c, unsigned values, unsigned h)
{
    c->full = values > 1 ? h + 1 : 1;
    for (unsigned load = 1; load < c->full; load++) {
        const unsigned max = load < values ? load : values;
        double distinct[LOADS + 1];
        blm_theory_distinct(values, load, max, distinct);
        for (unsigned i = 1; i <= max; i++) {
            c->pass[load][i] = i / (double)values;
            c->chance[load][i] = distinct[i];
        }
    }
}

static cell_law law_of(blm_increments v)
{
    cell_law c = {.outcomes = v.values};
    if (v.sums)
        law_of_sums(&c, v.values, v.sums);
    else
        law_of_range(&c, v.values);
    return c;
}

/* moment[l] = E[X^r] at load l, for l < full */
static void moments_of(const cell_law *c, unsigned r, double *moment)
{
    moment[0] = 0;
    for (unsigned load = 1; load < c->full; load++) {
        moment[load] = 0;
        for (unsigned i = 1; i <= c->outcomes; i++)
            if (c->chance[load][i] > 0)
                moment[load] += c->chance[load][i] * pow(c->pass[load][i], r);
    }
}

/* The chances of loads 0 .. full - 1 and, in the last place, of all above: complex ones too, for complex w. */
static void loads_of(const cell_law *c, complex_number w, complex_number *load)
{
    const double size = exp(-w.re);
    complex_number term = {size * cos(w.im), -size * sin(w.im)}, rest = {1, 0};
    for (unsigned l = 0; l < c->full; l++) {
        load[l] = term;
        rest = plus(rest, term, -1);
        term = times(term, (complex_number){w.re / (l + 1), w.im / (l + 1)});
    }
    if (fabs(w.re) + fabs(w.im) < 1) { /* the difference would lose its digits */
        rest = (complex_number){0, 0};
        for (unsigned l = c->full; l < c->full + 20; l++) {
            rest = plus(rest, term, 1);
            term = times(term, (complex_number){w.re / (l + 1), w.im / (l + 1)});
        }
    }
    load[c->full] = rest;
}

/* E[X^r] over loads of mean w. */
static complex_number cell_moment(const cell_law *c, const complex_number *load, unsigned r)
{
    double moment[LOADS + 1];
    complex_number sum = load[c->full];
    moments_of(c, r, moment);
    for (unsigned l = 1; l < c->full; l++) sum = plus(sum, load[l], moment[l]);
    return sum;
}

double blm_increment_pass(double lambda, blm_increments v)
{
    complex_number load[LOADS + 2];
    if (!blm_theory_increments(v) || !(lambda >= 0)) return NAN;
    const cell_law c = law_of(v);
    if (lambda > 700) return 1;
    loads_of(&c, (complex_number){lambda, 0}, load);
    return cell_moment(&c, load, 1).re;
}

/* ---- all cells ---------------------------------------------------------------------------------- */

static void multiply(complex_number *a, const complex_number *b, unsigned orders)
{
    for (unsigned n = orders + 1; n-- > 0;) {
        complex_number sum = {0, 0};
        for (unsigned i = 0; i <= n; i++) sum = plus(sum, times(a[i], b[n - i]), 1);
        a[n] = sum;
    }
}

static void square_series(complex_number *a, unsigned orders)
{
    for (unsigned n = orders + 1; n-- > 0;) {
        complex_number sum = {0, 0};
        for (unsigned i = 0; 2 * i < n; i++) sum = plus(sum, times(a[i], a[n - i]), 2);
        if (n % 2 == 0) sum = plus(sum, times(a[n / 2], a[n / 2]), 1);
        a[n] = sum;
    }
}

/* Coefficient r of B^m where y stands for r y / m: then all numbers are of a size. */
static complex_number power_series(const cell_law *c, double (*moment)[LOADS + 1], unsigned r,
                                   uint64_t m, complex_number w)
{
    complex_number load[LOADS + 2], base[ORDERS + 1], all[ORDERS + 1] = {{1, 0}};
    double scale = 1;
    loads_of(c, w, load);
    base[0] = (complex_number){1, 0};
    for (unsigned i = 1; i <= r; i++) {
        complex_number sum = load[c->full];
        for (unsigned l = 1; l < c->full; l++) sum = plus(sum, load[l], moment[i][l]);
        scale *= (double)r / ((double)i * (double)m);
        base[i] = (complex_number){scale * sum.re, scale * sum.im};
    }
    for (;; m /= 2) {
        if (m & 1) multiply(all, base, r);
        if (m < 2) return all[r];
        square_series(base, r);
    }
}

/* E[q^r] by the circle |z| = t. On N points of it, loads t - N and t + N are taken for t: at N = 10 sqrt(t)
 * + 40 they weigh e^-50. Next to the real load the terms fall as e^(-t angle^2 / 2). */
static double moment_exact(const cell_law *c, uint64_t m, unsigned r, double t)
{
    double moment[ORDERS + 1][LOADS + 1], sum = 0, front = 1;
    const double points = ceil(10 * sqrt(t) + 40), step = BLM_THEORY_TWO_PI / points;
    const double last = t < 500 ? points / 2 : fmin(points / 2, 14 / sqrt(t) / step);
    for (unsigned i = 1; i <= r; i++) {
        moments_of(c, i, moment[i]);
        front *= (double)i / r;
    }
    for (double j = 0; j <= last; j++) {
        const double angle = j * step, half = sin(angle / 2);
        const complex_number w = {t * cos(angle) / (double)m, t * sin(angle) / (double)m};
        const complex_number e = power_series(c, moment, r, m, w);
        /* e^(z - t) (z / t)^-t */
        const double size = exp(-2 * t * half * half), turn = t * (sin(angle) - angle);
        const double part = size * (cos(turn) * e.re - sin(turn) * e.im);
        sum += j > 0 && j < points / 2 ? 2 * part : part;
    }
    /* t! e^t / t^t */
    return front * sum / points * sqrt(BLM_THEORY_TWO_PI * t) * exp(blm_theory_stirling(t));
}

typedef struct first_two {
    double mean, relative_variance;
} first_two;

/* Of q. As kn is fixed, what is linear in the load of a cell cancels between cells, and the load of one is
 * binomial: its mean lies off the Poisson one by lambda / 2m times how the mean bends. */
static first_two of_mean_cell(const cell_law *c, double lambda, double m)
{
    complex_number load[LOADS + 2];
    double moment[LOADS + 3], slope = 0, bend = 0;
    if (lambda > 700) return (first_two){1, 0};
    loads_of(c, (complex_number){lambda, 0}, load);
    moments_of(c, 1, moment);
    moment[c->full] = moment[c->full + 1] = 1;
    for (unsigned l = 0; l < c->full; l++) {
        slope += load[l].re * (moment[l + 1] - moment[l]);
        bend += load[l].re * (moment[l + 2] - 2 * moment[l + 1] + moment[l]);
    }
    const double mean = cell_moment(c, load, 1).re, square = cell_moment(c, load, 2).re;
    const double variance = (square - mean * mean - lambda * slope * slope) / m;
    return (first_two){mean - lambda / (2 * m) * bend,
                       mean > 0 && variance > 0 ? variance / (mean * mean) : 0};
}

static bool is_large(uint64_t m, unsigned r, double lambda)
{
    return (double)m > 2e3 * r * r || lambda > 40;
}

double blm_rate_increment_approx(uint64_t m, unsigned k, uint64_t n, blm_increments v)
{
    if (!blm_theory_shape(m, k) || !blm_theory_increments(v)) return NAN;
    return pow(blm_increment_pass((double)k * (double)n / (double)m, v), k);
}

double blm_rate_increment(uint64_t m, unsigned k, uint64_t n, blm_increments v)
{
    if (!blm_theory_shape(m, k) || k > BLM_THEORY_HASHES || !blm_theory_increments(v)) return NAN;
    if (n == 0) return 0;
    const cell_law c = law_of(v);
    const double throws = (double)k * (double)n, lambda = throws / (double)m;
    if (!is_large(m, k, lambda)) return fmin(1, fmax(0, moment_exact(&c, m, k, throws)));
    const first_two q = of_mean_cell(&c, lambda, (double)m);
    return fmin(1, pow(q.mean, k) * (1 + k * (k - 1.0) / 2 * q.relative_variance));
}

double blm_rate_increment_sd(uint64_t m, unsigned k, uint64_t n, blm_increments v)
{
    if (!blm_theory_shape(m, k) || k > BLM_THEORY_HASHES || !blm_theory_increments(v)) return NAN;
    if (n == 0) return 0;
    const cell_law c = law_of(v);
    const double throws = (double)k * (double)n, lambda = throws / (double)m;
    const double variance_of_q = of_mean_cell(&c, lambda, (double)m).relative_variance;
    /* (1 + x)^k is 1 + kx to a hundredth of itself. */
    if (k * k * variance_of_q < 0.02 || is_large(m, k, lambda)) return k * sqrt(variance_of_q);
    const double mean = moment_exact(&c, m, k, throws);
    const double square = moment_exact(&c, m, 2 * k, throws);
    if (!(mean * mean > 0)) return INFINITY;
    const double variance = square / (mean * mean) - 1;
    return variance > 0 ? sqrt(variance) : 0;
}

/* ---- how high the sums climb --------------------------------------------------------------------- */

/* Panjer's recursion: P(sum = i) = lambda / i times the sum of v P(v) P(sum = i - v). Upward from j, so
 * that 1e-10 has all its digits. */
double blm_increment_tail(double lambda, const uint16_t *value, unsigned values, uint64_t j)
{
    double ring[4096] = {0}, sum = 0;
    unsigned max = 0;
    for (unsigned i = 0; i < values; i++) max = value[i] > max ? value[i] : max;
    if (!(lambda >= 0 && lambda <= 700) || !max || max > 4095 || j > UINT64_C(1) << 24) return NAN;
    ring[0] = exp(-lambda);
    if (j == 0) return 1;
    const uint64_t far = j + (uint64_t)max * (uint64_t)(20 + 8 * lambda);
    for (uint64_t i = 1; i < far; i++) {
        double chance = 0;
        for (unsigned a = 0; a < values; a++)
            if (value[a] <= i) chance += value[a] * ring[(i - value[a]) % 4096];
        ring[i % 4096] = chance * lambda / values / (double)i;
        if (i >= j) sum += ring[i % 4096];
    }
    return sum;
}

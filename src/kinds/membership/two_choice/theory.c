/* theory.c - filters whose keys choose, of some groups of k positions, the one that sets the fewest new bits.
 *
 * With a share z of zeros a group hits Bin(k, z) of them, T_d = P(at least d). The smallest of C is at least d with T_d^C, so
 * an add sets G(z) = sum of T_d^C bits. In a large filter dz/dt = -G(z), t = keys per bit. Smaller ones add, by 1/m,
 *     a  what the mean number of ones has more:   da/dt = -G' a + H + G'' w / 2 + G' G / 2
 *     w  their variance, over m:                  dw/dt = -2 G' w + S
 * where H < 0 are the bits lost to places that meet inside a group, S is the variance of what an add sets, G'' w / 2
 * the bend of G under the spread, and G' G / 2 a step of one whole key at a time. With C = 1 they have closed forms,
 * kt z / 2 and z - (1 + kt) z^2: those of a standard filter. Few keys (kn <= 512) go by the exact chain of ones.
 */
#include <bloomery/theory/choices.h>
#include "theory/theory_internal.h"

enum { HASHES = BLM_THEORY_HASHES, CHAIN = 512 };

static unsigned max_hashes(unsigned choices)
{
    return choices * HASHES <= BLM_THEORY_CHOSEN ? HASHES : BLM_THEORY_CHOSEN / choices;
}

static bool shape_ok(unsigned k, unsigned choices)
{
    return k > 0 && choices > 0 && choices <= BLM_THEORY_CHOICES && k <= max_hashes(choices);
}

/* 1 - (1 - y)^C with y = fill^k: some group is all ones. */
double blm_rate_choice_from_fill(double fill, unsigned k, unsigned choices)
{
    if (!shape_ok(k, choices) || !(fill >= 0 && fill <= 1)) return NAN;
    return -expm1(choices * log1p(-pow(fill, k)));
}

/* ---- many keys -------------------------------------------------------------------------------- */

static double power(double x, unsigned e)
{
    double y = 1;
    for (; e > 0; e--) y *= x;
    return y;
}

/* b[d] = P(Bin(trials, z) = d) becomes that of one trial more. */
static void one_trial(double *b, unsigned trials, double z)
{
    for (unsigned d = trials + 1; d > 0; d--)
        b[d] = (d <= trials ? b[d] * (1 - z) : 0) + b[d - 1] * z;
    b[0] *= 1 - z;
}

typedef struct gain {
    double mean, slope, bend; /* G, G', G'' by z */
    double variance, lost;    /* S, H            */
} gain;

static gain gain_at(double z, unsigned k, unsigned choices)
{
    double two[HASHES + 1] = {1}, one[HASHES + 1] = {0}, all[HASHES + 1] = {0}, tail = 0;
    gain g = {0, 0, 0, 0, 0};
    const double c = choices;
    for (unsigned t = 0; t + 2 < k; t++) one_trial(two, t, z);
    for (unsigned d = 0; d < k; d++) one[d] = d + 1 < k || k == 1 ? two[d] : 0;
    if (k > 1) one_trial(one, k - 2, z);
    for (unsigned d = 0; d < k; d++) all[d] = one[d];
    one_trial(all, k - 1, z);
    for (unsigned d = k; d > 0; d--) { /* a term for each T_d, and its two derivatives */
        tail += all[d];
        const double less = power(tail, choices - 1), down = k * one[d - 1];
        const double before = d > 1 ? two[d - 2] : 0, here = d < k ? two[d - 1] : 0;
        const double turn = k > 1 ? (double)k * (k - 1) * (before - here) : 0;
        g.mean += less * tail;
        g.variance += (2 * d - 1) * less * tail;
        g.slope += c * less * down;
        g.bend += c * less * turn;
        if (choices > 1) g.bend += c * (c - 1) * power(tail, choices - 2) * down * down;
        g.lost -= c * less * all[d] * d * (d - 1) / (2 * z);
    }
    g.variance -= g.mean * g.mean;
    return g;
}

typedef struct state {
    double z, a, w;
} state;

static state slope_at(const state *s, unsigned k, unsigned choices)
{
    const gain g = gain_at(s->z, k, choices);
    return (state){-g.mean, -g.slope * s->a + g.lost + g.bend * s->w / 2 + g.slope * g.mean / 2,
                   -2 * g.slope * s->w + g.variance};
}

static state moved(const state *s, const state *by, double step)
{
    return (state){s->z + step * by->z, s->a + step * by->a, s->w + step * by->w};
}

/* Runge and Kutta's fourth order; a step takes a 64th off ln z, more when little is left. */
static state after_load(double load, unsigned k, unsigned choices)
{
    state s = {1, 0, 0};
    for (double t = 0; t < load && s.z > 1e-17;) {
        const state one = slope_at(&s, k, choices);
        double step = (1 - log(s.z)) / 64 * s.z / -one.z;
        if (!(step < load - t)) step = load - t;
        const state at_two = moved(&s, &one, step / 2), two = slope_at(&at_two, k, choices);
        const state at_three = moved(&s, &two, step / 2), three = slope_at(&at_three, k, choices);
        const state at_four = moved(&s, &three, step), four = slope_at(&at_four, k, choices);
        const state middle = moved(&two, &three, 1), ends = moved(&one, &four, 1);
        s = moved(&s, &ends, step / 6);
        s = moved(&s, &middle, step / 3);
        t += step;
        if (step <= 0) break;
    }
    return s;
}

double blm_fill_choice_limit(double load, unsigned k, unsigned choices)
{
    if (!shape_ok(k, choices) || !(load >= 0)) return NAN;
    return 1 - after_load(load, k, choices).z;
}

/* The rate F(fill) at the mean, and as F bends under the spread. */
static blm_choice large(uint64_t m, unsigned k, unsigned choices, uint64_t n)
{
    const double bits = (double)m, c = choices;
    const state s = after_load((double)n / bits, k, choices);
    const double r = 1 - s.z, y = power(r, k), up = k * power(r, k - 1);
    const double turn = k > 1 ? (double)k * (k - 1) * power(r, k - 2) : 0;
    const double less = power(1 - y, choices - 1), rise = c * less * up;
    const double bend =
        c * less * turn - (choices > 1 ? c * (c - 1) * power(1 - y, choices - 2) * up * up : 0);
    const double rate = blm_rate_choice_from_fill(r, k, choices);
    const double mean = rate + (rise * s.a + bend * s.w / 2) / bits;
    blm_choice out = {.fill = fmin(r + s.a / bits, 1), .fill_sd = sqrt(fmax(s.w, 0) / bits)};
    out.rate = mean > 0 && mean < 1 ? mean : mean > 0 ? 1 : rate;
    out.rate_sd = rise * out.fill_sd / out.rate;
    return out;
}

/* ---- few keys --------------------------------------------------------------------------------- */

/* most[d]: the chance that the best of the groups sets exactly d new bits, when x are ones. */
static void best_group(uint64_t m, uint64_t x, unsigned k, unsigned choices, double *max)
{
    double hit[HASHES + 2] = {1}, tail = 0, above = 0;
    const double bits = (double)m, zeros = (double)(m - x);
    for (unsigned t = 0; t < k; t++)
        for (unsigned d = t + 2; d-- > 0;) {
            const double stay = d > t ? 0 : hit[d] * (1 - (zeros - d) / bits);
            hit[d] = stay + (d ? hit[d - 1] * (zeros - (d - 1)) / bits : 0);
        }
    for (unsigned d = k + 1; d-- > 0;) {
        tail += hit[d];
        const double at_least = d ? power(tail, choices) : 1;
        max[d] = at_least - above;
        above = at_least;
    }
}

typedef struct moments {
    double ones, ones2, rate, rate2;
} moments;

/* Ones only rise, so from few to many each number of them is looked at once: row x has the chances of x ones after
 * 0, 1, ... n keys, and gives to the k rows above it, which are the only ones kept. */
static blm_choice small(uint64_t m, unsigned k, unsigned choices, unsigned n)
{
    double row[2 * CHAIN + 2] = {0}, max[HASHES + 1];
    moments e = {0, 0, 0, 0};
    const uint64_t last = m < (uint64_t)k * n ? m : (uint64_t)k * n;
    row[0] = 1;
    for (uint64_t x = 0; x <= last; x++) {
        double *mine = row + x % (k + 1) * (n + 1);
        best_group(m, x, k, choices, max);
        for (unsigned t = 0; t < n; t++)
            for (unsigned d = 0; d <= k; d++)
                row[(x + d) % (k + 1) * (n + 1) + t + 1] += mine[t] * max[d];
        const double fill = (double)x / (double)m;
        const double rate = blm_rate_choice_from_fill(fill, k, choices);
        e.ones += mine[n] * fill, e.ones2 += mine[n] * fill * fill;
        e.rate += mine[n] * rate, e.rate2 += mine[n] * rate * rate;
        for (unsigned t = 0; t <= n; t++) mine[t] = 0;
    }
    return (blm_choice){e.ones, sqrt(fmax(0, e.ones2 - e.ones * e.ones)), fmin(e.rate, 1),
                        e.rate > 0 ? sqrt(fmax(0, e.rate2 / e.rate / e.rate - 1)) : 0};
}

blm_choice blm_choice_after(uint64_t m, unsigned k, unsigned choices, uint64_t n)
{
    if (m == 0 || !shape_ok(k, choices)) return (blm_choice){NAN, NAN, NAN, NAN};
    if (n == 0) return (blm_choice){0, 0, 0, 0};
    return n <= CHAIN / k ? small(m, k, choices, (unsigned)n) : large(m, k, choices, n);
}

double blm_rate_choice(uint64_t m, unsigned k, unsigned choices, uint64_t n)
{
    return blm_choice_after(m, k, choices, n).rate;
}

/* ---- the other way round ---------------------------------------------------------------------- */

/* Keys a bit at which a large filter has this fill: the sum of z / G over u = -ln z, by Simpson. */
static double load_of(double fill, unsigned k, unsigned choices)
{
    const double end = -log1p(-fill);
    const unsigned pieces = 2 * (unsigned)(end * 32) + 16;
    double sum = 0;
    for (unsigned i = 0; i <= pieces; i++) {
        const double z = exp(-end * i / pieces), weight = i == 0 || i == pieces ? 1 : i % 2 ? 4 : 2;
        sum += weight * z / gain_at(z, k, choices).mean;
    }
    return sum * end / pieces / 3;
}

double blm_keys_from_fill_choice(uint64_t ones, uint64_t m, unsigned k, unsigned choices)
{
    if (m == 0 || !shape_ok(k, choices) || ones > m) return NAN;
    if (ones == m) return INFINITY;
    return (double)m * load_of((double)ones / (double)m, k, choices);
}

double blm_keys_sd_choice(uint64_t m, unsigned k, unsigned choices, uint64_t n)
{
    const blm_choice c = blm_choice_after(m, k, choices, n);
    if (!(c.fill < 1)) return isnan(c.fill) ? NAN : INFINITY;
    return c.fill_sd * (double)m / gain_at(1 - c.fill, k, choices).mean;
}

unsigned blm_best_hashes_choice(uint64_t m, unsigned choices, uint64_t n)
{
    if (m == 0 || n == 0 || !shape_ok(1, choices)) return 0;
    const unsigned max = max_hashes(choices);
    const double ideal = floor(BLM_THEORY_LN2 * (double)m / (double)n);
    unsigned k = (unsigned)fmin(fmax(ideal, 1), max);
    double rate = blm_rate_choice(m, k, choices, n), other;
    for (; k < max && (other = blm_rate_choice(m, k + 1, choices, n)) < rate; k++) rate = other;
    for (; k > 1 && (other = blm_rate_choice(m, k - 1, choices, n)) <= rate; k--) rate = other;
    return k;
}

/* Keys a bit that a large filter holds at this rate. */
static double load_for(double p, unsigned k, unsigned choices)
{
    const double group = -expm1(log1p(-p) / choices); /* the rate of one */
    return load_of(pow(group, 1.0 / k), k, choices);
}

static unsigned best_in_the_limit(double p, unsigned choices)
{
    const unsigned max = max_hashes(choices);
    unsigned k = (unsigned)fmin(fmax(floor(-log2(p)), 1), max);
    double load = load_for(p, k, choices), other;
    for (; k < max && (other = load_for(p, k + 1, choices)) > load; k++) load = other;
    for (; k > 1 && (other = load_for(p, k - 1, choices)) >= load; k--) load = other;
    return k;
}

/* The limit is wrong by some bits only: steps from there, then bisection. 0: past the largest size. */
static uint64_t fewest_bits(uint64_t n, double p, unsigned k, unsigned choices)
{
    const uint64_t max = (uint64_t)1 << BLM_THEORY_BITS;
    const double guess = (double)n / load_for(p, k, choices);
    if (!(guess < (double)max)) return 0;
    uint64_t low = (uint64_t)guess, high, step = 8;
    if (low && blm_rate_choice(low, k, choices, n) <= p) {
        for (high = low; high > step && blm_rate_choice(high - step, k, choices, n) <= p; step *= 2)
            high -= step;
        low = high > step ? high - step : 0;
    } else {
        for (; low < max && blm_rate_choice(low + step, k, choices, n) > p; step *= 2) low += step;
        high = low + step;
    }
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(blm_rate_choice(middle, k, choices, n) <= p ? &high : &low) = middle;
    }
    return high <= max ? high : 0;
}

bool blm_size_choice(uint64_t n, double p, unsigned choices, unsigned hashes, uint64_t *m,
                     unsigned *k)
{
    if (n == 0 || !(p > 0 && p < 1) || !shape_ok(hashes ? hashes : 1, choices)) return false;
    const unsigned from = hashes ? hashes : best_in_the_limit(p, choices);
    uint64_t best = fewest_bits(n, p, from, choices), other;
    unsigned best_k = from;
    const unsigned up = from < max_hashes(choices) && !hashes ? from + 1 : from;
    if (up > from && (other = fewest_bits(n, p, up, choices)) && (!best || other < best))
        best = other, best_k = up;
    for (unsigned i = from; !hashes && i > 1; i--) { /* few keys want fewer than the limit does */
        other = fewest_bits(n, p, i - 1, choices);
        if (!other || (best && other > best)) break;
        best = other, best_k = i - 1;
    }
    if (!best) return false;
    *m = best;
    *k = best_k;
    return true;
}

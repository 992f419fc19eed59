/* theory.c - the fill of a filter whose groups of keys choose k of a library of functions.
 *
 * Of L functions a group of g keys takes, one after the other, the k that set the fewest new bits. While few bits are
 * the group's own, the new bits of the functions are L binomials of g trials, chance 1 - fill, and the group sets the
 * sum of the k smallest: sum over x of E max(0, k - B), B how many of L are at most x. Groups come one by one, so
 * the fill follows from that by a differential equation. What a first pass saves, against k functions for all, is
 * so known to 5 % when there are 50 groups and more; with fewer it saves more, up to a third at 9 groups.
 * A second pass takes a group out and chooses again, now that all others are there. We know no formula for that:
 * measured over fills from 0.13 to 0.7, 1 to 20 functions of 2 to 40, groups of 8 to 256, it saves 1.19 to 1.37 times
 * as much as one pass at L = 2k, up to 1.64 at L near k; three 1.28 to 1.67; then hardly more. Of more functions a
 * further pass saves less: at L = 8k up to 1.19 times two passes and 1.31 sixteen, at L = 64k 1.08 and 1.13 (1 to 6
 * functions, groups of 8 to 256). The two ends are computed; with fewer than 8 groups nothing is promised but what k
 * functions for all would do.
 */
#include <bloomery/theory/choices.h>
#include "theory/theory_internal.h"

/* Past 12 throws a bit nothing is left to save. */
enum { GROUPS_MIN = 8, THROWS_MAX = 12, STEPS = 4, SMALL = 16, WINDOW = 9 };

typedef struct choice {
    double m, keys; /* keys: of a group, on average */
    unsigned k, library;
} choice;

/* E max(0, k - B), B a binomial of L trials. */
static double still_to_come(const choice *c, double chance)
{
    if (chance >= 1) return 0;
    double weight = pow(1 - chance, c->library), sum = 0;
    const double odds = chance / (1 - chance);
    for (unsigned b = 0; b < c->k; b++) {
        sum += (c->k - b) * weight;
        weight *= odds * (double)(c->library - b) / (double)(b + 1);
    }
    return sum;
}

/* What a group of g keys saves: g k zero on average, less the k smallest of L. Weights as in loads.c: relative, and
 * their sum divides out. */
static double saved_by(const choice *c, double g, double zero)
{
    const double mean = g * zero, reach = WINDOW * (sqrt(mean * (1 - zero)) + 1);
    if (!(zero > 0 && zero < 1)) return 0;
    const double first = fmax(0, floor(mean - reach)), last = fmin(g, ceil(mean + reach)),
                 odds = zero / (1 - zero);
    double weight = 1, total = 0, below = 0, set = c->k * first;
    for (double x = first; x <= last; x++) {
        total += weight;
        weight *= (g - x) / (x + 1) * odds;
    }
    weight = 1 / total;
    for (double x = first; x < last; x++) {
        below += weight;
        set += still_to_come(c, below);
        weight *= (g - x) / (x + 1) * odds;
    }
    return g * c->k * zero - set;
}

/* Groups are Poisson: all sizes when they are small, else three that have its mean and variance. */
static double saved(const choice *c, double zero)
{
    const double mean = c->keys, far = sqrt(3 * mean);
    if (mean >= SMALL)
        return saved_by(c, round(mean), zero) * 2 / 3 +
               (saved_by(c, round(mean - far), zero) + saved_by(c, round(mean + far), zero)) / 6;
    double weight = exp(-mean), sum = 0;
    for (unsigned g = 1; g < mean + WINDOW * (sqrt(mean) + 1); g++) {
        weight *= mean / g;
        sum += weight * saved_by(c, g, zero);
    }
    return sum;
}

/* New ones per group when there are that many. */
static double slope(const choice *c, double ones)
{
    const double zero = fmax(0, 1 - ones / c->m);
    return c->keys * c->k * zero - saved(c, zero);
}

/* Ones after one pass over the groups: Runge and Kutta's four slopes a step, of a third of a throw a bit or less. */
static double one_pass(const choice *c, double groups)
{
    const double throws = groups * c->keys * c->k / c->m, steps = fmax(STEPS, ceil(3 * throws)),
                 step = groups / steps;
    double ones = 0;
    for (double i = 0; i < steps; i++) {
        const double a = slope(c, ones), b = slope(c, ones + step * a / 2),
                     d = slope(c, ones + step * b / 2), e = slope(c, ones + step * d);
        ones = fmin(ones + step * (a + 2 * b + 2 * d + e) / 6, c->m);
    }
    return ones;
}

/* So much of the savings of one pass are certain, or possible. The exponent of the first is the larger one where
 * twice < 1, and the smaller one else: what is certain is possible. */
static double part_saved(unsigned passes, double twice, double groups, bool sure)
{
    static const double min[] = {0.95, 0.30, 0.38}, max[] = {1.04, 0.45, 0.52, 0.60};
    if (sure) return passes == 1 ? min[0] : 1 + min[passes < 3 ? 1 : 2] * pow(twice, 0.6);
    const double few = 1 + 3 / groups, more = pow(twice, twice < 1 ? 0.42 : 0.8);
    return few * (passes == 1 ? max[0] : 1 + max[passes < 4 ? passes - 1 : 3] * more);
}

static bool choice_shape(uint64_t m, unsigned k, unsigned library, uint64_t groups, unsigned passes)
{
    return blm_theory_shape(m, k) && k <= library && library <= BLM_THEORY_HASHES && groups > 0 &&
           passes > 0;
}

double blm_fill_pick(uint64_t m, unsigned k, unsigned library, uint64_t groups, unsigned passes,
                     uint64_t n, bool high)
{
    if (!choice_shape(m, k, library, groups, passes)) return NAN;
    const double plain = blm_fill_mean(m, k, n) / (double)m, g = (double)groups;
    if (n == 0 || library == k || (double)n * k > THROWS_MAX * (double)m) return plain;
    if (groups < GROUPS_MIN) return high ? plain : 1 / (double)m;
    const choice c = {.m = (double)m, .keys = (double)n / g, .k = k, .library = library};
    const double gain = fmax(0, plain - one_pass(&c, g) / c.m);
    return fmax(plain - gain * part_saved(passes, 2.0 * k / library, g, high), 1 / (double)m);
}

/* The k-th moment is above the power of the mean, by the spread of the ones. */
double blm_rate_pick(uint64_t m, unsigned k, unsigned library, uint64_t groups, unsigned passes,
                     uint64_t n, bool high)
{
    if (!choice_shape(m, k, library, groups, passes)) return NAN;
    if (n == 0) return 0;
    if (library == k || (high && groups < GROUPS_MIN)) return blm_rate_exact(m, k, n);
    const double sd = blm_rate_sd(m, k, n),
                 fill = blm_fill_pick(m, k, library, groups, passes, n, high);
    return fmin(pow(fill, k) * (high ? 1 + sd * sd / 2 : 1), blm_rate_exact(m, k, n));
}

/* ---- sizing ------------------------------------------------------------------------------------ */

uint64_t blm_picks(unsigned n, unsigned k)
{
    uint64_t ways = 1;
    if (k > n || n > BLM_THEORY_HASHES) return 0;
    if (k > n - k) k = n - k;
    for (unsigned i = 1; i <= k; i++) { /* C(n - k + i, i) at each step: whole, and rising */
        ways = ways * (n - k + i) / i;
        if (ways > BLM_THEORY_PICKS) return 0;
    }
    return ways;
}

unsigned blm_pick_width(unsigned n, unsigned k)
{
    const uint64_t ways = blm_picks(n, k);
    unsigned width = 0;
    while (ways > 1 && (ways - 1) >> width) width++;
    return width;
}

/* Twice the hashes, or fewer where a choice would no longer be a number of 57 bits. */
static unsigned library_for(unsigned k, unsigned asked)
{
    unsigned library = 2 * k < BLM_THEORY_HASHES ? 2 * k : BLM_THEORY_HASHES;
    if (asked) return asked;
    while (library > k && !blm_picks(library, k)) library--;
    return library;
}

typedef struct choice_search {
    uint64_t n, bits;
    double p;
    blm_pick_plan now;
    unsigned asked; /* library */
} choice_search;

static double rate_of_choice(void *self, uint64_t m)
{
    const choice_search *s = self;
    return blm_rate_pick(m, s->now.k, s->now.library, s->now.groups, s->now.passes, s->n, true);
}

/* Bits of a filter of k hashes that keeps the rate, table and all; or, where the bits are given, its rate. INFINITY:
 * there is none. */
static double price_of_choice(choice_search *s, unsigned k)
{
    s->now.k = k;
    s->now.library = library_for(k, s->asked);
    const unsigned width = blm_pick_width(s->now.library, k);
    const double table = ceil((double)s->now.groups * width / 64) * 64;
    if (!blm_picks(s->now.library, k) || table >= (s->bits ? (double)s->bits : 0x1p60))
        return INFINITY;
    if (s->bits) {
        s->now.m = s->bits - (uint64_t)table;
        return s->n ? rate_of_choice(s, s->now.m) : 1;
    }
    unsigned same = k;
    uint64_t plain = 0;
    if (!blm_size_for(s->n, s->p, k, true, &plain, &same)) return INFINITY;
    s->now.m = blm_theory_fewest(rate_of_choice, s, s->p, plain, plain);
    return s->now.m ? (double)s->now.m + table : INFINITY;
}

bool blm_size_pick(uint64_t n, double p, uint64_t bits, unsigned hashes, unsigned library,
                   blm_pick_plan *plan)
{
    choice_search s = {.n = n, .bits = bits, .p = p, .now = *plan, .asked = library};
    const unsigned max = library ? library : BLM_THEORY_HASHES;
    unsigned k = hashes;
    if (!plan->groups || !plan->passes || max > BLM_THEORY_HASHES || k > BLM_THEORY_HASHES)
        return false;
    if (bits ? !n && !hashes : !n || !(p > 0 && p < 1)) return false;
    if (!k) k = bits ? blm_best_hashes(bits, n) : (unsigned)fmin(fmax(-log2(p), 1), max);
    if (!hashes && k > max) k = max;
    double now = price_of_choice(&s, k), next;
    if (!hashes) {
        for (; k < max && (next = price_of_choice(&s, k + 1)) < now; k++) now = next;
        for (; k > 1 && (next = price_of_choice(&s, k - 1)) < now; k--) now = next;
    }
    if (isinf(price_of_choice(&s, k))) return false;
    *plan = s.now;
    return true;
}

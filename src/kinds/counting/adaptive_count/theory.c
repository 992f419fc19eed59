/* theory.c - adaptive-count: rates and sizes, and the count that a run of ones speaks for. */
#include <math.h>

#include "runs.h"
#include "theory/theory_internal.h"

/* Bits that adds set, per bit: fuller arrays say little of counts. */
static const double load_max = 0.3;

/* ---- rates and sizes ------------------------------------------------------------------------- */

static blm_theory_filling filling(const blm_adaptive_count *s, uint64_t keys)
{
    return (blm_theory_filling){s->flat.cells, s->flat.hashes, s->repeat, keys};
}

static double passes(double fill, const void *hashes)
{
    return pow(fill, *(const unsigned *)hashes);
}

blm_rate blm_adaptive_count_rate(const blm_adaptive_count *s, uint64_t keys)
{
    const blm_theory_filling f = filling(s, keys);
    const unsigned k = s->flat.hashes;
    return blm_theory_over_fill(&f, passes, &k);
}

double blm_adaptive_count_fill(const blm_adaptive_count *s, uint64_t keys)
{
    const blm_theory_filling f = filling(s, keys);
    return blm_theory_filled(&f);
}

typedef struct trial {
    blm_adaptive_count s;
    uint64_t keys;
} trial;

static double rate_with(void *self, uint64_t cells)
{
    trial *t = self;
    t->s.flat.cells = cells;
    return blm_adaptive_count_rate(&t->s, t->keys).high;
}

/* For many keys: (1 + repeat/k) (1 - e^(-k keys/m)) of the bits are ones. k = 5, 21.3 bits per key at 0.1 %. */
static double guess(const blm_adaptive_count *s, double keys, double rate, unsigned k)
{
    const double by_rate = (double)k / -log1p(-pow(rate, 1.0 / k) / (1 + (double)s->repeat / k));
    return keys * fmax(by_rate, (k + s->repeat) / load_max);
}

bool blm_adaptive_count_size(blm_adaptive_count *s, uint64_t keys, double rate)
{
    const double n = (double)keys;
    unsigned best = s->flat.hashes ? s->flat.hashes : 1;
    for (unsigned k = 2; !s->flat.hashes && k <= BLM_THEORY_HASHES; k++)
        if (guess(s, n, rate, k) < guess(s, n, rate, best)) best = k;
    const double least = ceil(n * (best + s->repeat) / load_max), about = guess(s, n, rate, best);
    if (about >= (double)BLM_ADAPTIVE_COUNT_CELLS) return false;
    trial t = {*s, keys};
    t.s.flat.hashes = (uint8_t)best;
    const uint64_t cells =
        blm_theory_fewest(rate_with, &t, rate, (uint64_t)fmax(about, 1), BLM_ADAPTIVE_COUNT_CELLS);
    s->flat.hashes = (uint8_t)best;
    s->flat.cells = cells > (uint64_t)least ? cells : (uint64_t)least;
    return cells > 0 && s->flat.cells <= BLM_ADAPTIVE_COUNT_CELLS;
}

/* Up to that load each further hash lowers the rate. */
unsigned blm_adaptive_count_hashes(const blm_adaptive_count *s, uint64_t keys)
{
    const double bits = load_max * (double)s->flat.cells / (double)(keys ? keys : 1);
    return (unsigned)fmin(fmax(floor(bits) - s->repeat, 1), BLM_THEORY_HASHES);
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* An add that finds the share r of ones goes 1 / (1 - r) places on, with a variance of r / (1 - r)^2. The array filled
 * while the key came: r grew from 0 to `fill`, and 1 / (1 - r) = e^(grown s) at the part s of the adds. So t adds make a
 * run of t (e^grown - 1) / grown places, and after the last one come fill / (1 - fill) ones of others. At 0.1 and
 * t = 5: 5.27 + 0.11.
 * The adds of a key may have come together, at any time: that moves the run by t times the standard deviation of
 * e^(grown s), which for large counts is most of the error. */
blm_estimate blm_adaptive_count_of(uint64_t run, uint64_t limit, double fill)
{
    const double n = (double)run, high = run < limit ? n : (double)INFINITY;
    if (!run) return (blm_estimate){0, 0, 0, false};
    if (!(fill < 1)) return (blm_estimate){1, 0, high, run >= limit};
    const double grown = -log1p(-fmax(fill, 1e-9)), after = fill / (1 - fill);
    const double mean = expm1(grown) / grown, square = expm1(2 * grown) / (2 * grown);
    const double value = fmax(1, (n - after) / mean);
    const double apart = value * (square - mean) + after / (1 - fill);
    const double together = value * value * fmax(0, square - mean * mean);
    const double sd = sqrt(fmax(0, apart + together)) / mean;
    return (blm_estimate){value, fmax(0, value - sd), run < limit ? fmin(n, value + sd) : high,
                          run >= limit};
}

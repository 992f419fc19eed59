/* theory.c - the rate of a filter of words that takes other hashes for a word after a false positive
 * (Reviriego, Sanchez-Macian, Rottenstreich, Larrabeiti: equations 3 to 10, for any number of groups).
 *
 * A word has n keys, and a non-members that are asked for equally often; in each of its S groups of hashes Z of them get
 * a yes, a binomial of chance f(n) (equation 3). Each yes moves the word to its next group. A word stays where
 * Z = 0: past j groups it has answered j times (`every` times as often when only each so-many-th yes moves it), of
 * a * times questions. Where no group is clean it goes round and round, the longer in a group the fewer get a
 * yes there: the harmonic mean, S / sum of a / Z. The mean of that over S independent Z is a sum over S indices; but
 * 1 / x is the integral of e^(-xs) over s > 0, and the mean of a product of e^(-s / Z) is a power of one sum.
 */
#include <bloomery/theory/adaptive.h>
#include "theory/theory_internal.h"

/* 512 lies 16 standard deviations above 256. */
enum { LOADS_MAX = 512 };
#define TAIL 1e-15 /* a weight below this part of the largest one ends a sum */

/* s = e^(x - e^-x), x in steps: where the integrand and its derivatives are nothing at both ends the sum is the
 * integral to 1e-12 (half the step: to 1e-15). Below s = 2e-13 lies as much of it, above s = 2e4 e^-40. */
#define STEP  0.25
#define FIRST (-3.25)
#define LAST  10.0

typedef struct adapting {
    const blm_adaptive *q;
    /* P(a word has n keys): equation 8, with (1 - 1/M)^(N - n) as its last factor. */
    double keys[LOADS_MAX];
    /* P(a word has `a` non-members besides the one that is queried): a M / A times equation 9. */
    double strangers[LOADS_MAX];
    double f[LOADS_MAX];    /* equation 3, by n                       */
    double wait[LOADS_MAX]; /* e^(-s / z); 0 for none                 */
    double part[LOADS_MAX]; /* 1 / z: a division costs four multiplies */
} adapting;

/* Binomial, by ratios from the largest one up and down; n / words < BLM_THEORY_WORD_LOAD. */
static void loads_of(uint64_t n, uint64_t words, double chance[LOADS_MAX])
{
    const double others = (double)words - 1;
    const uint64_t mode = n / words;
    double total = 1, weight = 1;
    for (unsigned i = 0; i < LOADS_MAX; i++) chance[i] = i == mode;
    for (uint64_t i = mode; i < n && i + 1 < LOADS_MAX && others > 0 && weight > TAIL; i++) {
        weight *= (double)(n - i) / ((double)(i + 1) * others);
        total += chance[i + 1] = weight;
    }
    weight = 1;
    for (uint64_t i = mode; i > 0 && others > 0 && weight > TAIL; i--) {
        weight *= (double)i * others / (double)(n - i + 1);
        total += chance[i - 1] = weight;
    }
    for (unsigned i = 0; i < LOADS_MAX; i++) chance[i] /= total;
}

/* The mean of wait over the Z of `a` non-members. */
static double waiting(const adapting *t, unsigned a, double f)
{
    if (f >= 1) return t->wait[a];
    const double up = f / (1 - f), down = 1 / up;
    const unsigned mode = (unsigned)(a * f);
    double total = 1, weight = 1, sum = t->wait[mode];
    for (unsigned z = mode; z < a && weight > TAIL; z++) {
        weight *= (a - z) * up * t->part[z + 1];
        total += weight;
        sum += weight * t->wait[z + 1];
    }
    weight = 1;
    for (unsigned z = mode; z > 0 && weight > TAIL; z--) {
        weight *= z * down * t->part[a - z + 1];
        total += weight;
        sum += weight * t->wait[z - 1];
    }
    return sum / total;
}

/* No group is clean: this part of the integral, without its width. */
static double endless(const adapting *t, unsigned a, double f)
{
    const double one = waiting(t, a, f);
    double all = t->q->groups / (double)a;
    for (unsigned j = 0; j < t->q->groups; j++) all *= one;
    return all;
}

/* Clean at last: past j groups that were not, j answers of a times questions. */
static double settled(const adapting *t, unsigned a, double f)
{
    if (f >= 1) return 0;
    const double clean = exp(a * log1p(-f)), dirty = -expm1(a * log1p(-f));
    double chance = clean, sum = 0;
    for (unsigned j = 1; j < t->q->groups; j++) {
        chance *= dirty;
        sum += chance * fmin(1, (double)j * t->q->every / (a * t->q->times));
    }
    return sum;
}

/* Equation 10: over all words, by what they have. */
static double over_words(const adapting *t, double (*rate)(const adapting *, unsigned, double))
{
    const double min = TAIL * (1 - t->keys[0]);
    double sum = 0;
    for (unsigned n = 1; n < LOADS_MAX; n++)
        for (unsigned a = 1; t->keys[n] > 0 && a < LOADS_MAX; a++) {
            const double chance = t->keys[n] * t->strangers[a - 1];
            if (chance > min) sum += chance * rate(t, a, t->f[n]);
        }
    return sum;
}

static bool adapting_shape(const blm_adaptive *q)
{
    return q->width <= BLM_THEORY_HASHES && blm_theory_block_shape(q->width, q->words, q->hashes) &&
           q->hashes <= BLM_THEORY_HASHES && q->groups > 0 && q->groups <= BLM_THEORY_GROUPS &&
           q->every > 0 && q->times > 0 && q->non_members > 0 &&
           q->keys / q->words < BLM_THEORY_WORD_LOAD &&
           q->non_members / q->words < BLM_THEORY_WORD_LOAD;
}

double blm_rate_adaptive(blm_adaptive q)
{
    adapting t = {.q = &q};
    blm_theory_block word;
    if (!adapting_shape(&q)) return NAN;
    loads_of(q.keys, q.words, t.keys);
    loads_of(q.non_members - 1, q.words, t.strangers);
    blm_theory_block_init(&word, q.width, q.hashes, q.hashes, 0);
    for (unsigned z = 1; z < LOADS_MAX; z++) t.part[z] = 1.0 / z;
    for (unsigned n = 0; n < LOADS_MAX; n++) t.f[n] = fmin(blm_theory_block_rate(&word, n), 1);
    double rate = over_words(&t, settled);
    double more = 1;
    for (double x = FIRST; x < LAST && (x < 0 || more > TAIL * rate); x += STEP) {
        const double s = exp(x - exp(-x));
        for (unsigned z = 1; z < LOADS_MAX; z++) t.wait[z] = exp(-s / z);
        more = STEP * s * (1 + exp(-x)) * over_words(&t, endless);
        rate += more;
    }
    return rate;
}

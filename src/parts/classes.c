/* classes.c - the k of each class, and what the classes make of a filter.
 *
 * The solver counts in integers: shares and the fill in 2^-62, loads (throws / cells) in 2^-48, hashes and logarithms in
 * 2^-32. The same lists are the same k on every machine.
 */
#include "parts/classes.h"

#include <bloomery/theory.h>
#include <bloomery/theory/classes.h>
#include <math.h>
#include <string.h>

#include "parts/flat.h"

#define LN2_48   UINT64_C(195103586505167)     /* ln 2 in 2^-48     */
#define LN2_62   UINT64_C(3196577161300663914) /* in 2^-62          */
#define LOG2E_62 UINT64_C(6653256548922161245) /* 1 / ln 2 in 2^-62 */
#define ONE_62   (UINT64_C(1) << 62)
#define FAR      (INT64_C(128) << 32) /* the importance of what is never held; minus it: never asked */

enum { ALL_PAIRS = 32, PASSES = 256, STARTS = 8 /* of 1/4 each, up and down */ };

/* ---- numbers ------------------------------------------------------------------------------------------------- */

uint64_t blm_muldiv(uint64_t a, uint64_t b, uint64_t c)
{
    const blm_wide p = blm_mul(a, b);
    uint64_t rest = p.hi, quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        const bool carry = rest >> 63;
        rest = rest << 1 | (p.lo >> bit & 1);
        if (carry || rest >= c) rest -= c, quotient |= UINT64_C(1) << bit;
    }
    return quotient;
}

/* Squaring doubles the logarithm: a bit at a time. */
int64_t blm_log2_fixed(uint64_t x)
{
    const unsigned whole = 63 - (unsigned)__builtin_clzll(x);
    uint64_t y = x << (63 - whole); /* in 2^-63: from 1 to below 2 */
    int64_t sum = (int64_t)whole << 32;
    for (int bit = 31; bit >= 0; bit--) {
        const blm_wide p = blm_mul(y, y);
        const bool two = p.hi >> 63;
        y = two ? p.hi : p.hi << 1 | p.lo >> 63;
        if (two) sum |= INT64_C(1) << bit;
    }
    return sum;
}

/* e^-load. A power of 2 of the whole part, and the series of the rest, which is below ln 2. */
static uint64_t exp_minus(uint64_t load)
{
    const uint64_t twos = blm_mulshift(load, LOG2E_62, 62), whole = twos >> 48;
    const uint64_t z = blm_mulshift(twos << 16 >> 2, LN2_62, 62);
    uint64_t term = ONE_62, sum = ONE_62;
    for (unsigned j = 1; term; j++) {
        term = blm_mulshift(term, z, 62) / j;
        sum = j % 2 ? sum - term : sum + term;
    }
    return whole < 63 ? sum >> whole : 0;
}

uint64_t blm_classes_per_key(uint64_t cells, uint64_t keys)
{
    const uint64_t min = UINT64_C(1) << 28, max = UINT64_C(1) << 52; /* 1/16, and 2^20 */
    if (cells / keys >= max >> 32) return max;
    const uint64_t per_key = blm_muldiv(cells, UINT64_C(1) << 32, keys);
    return per_key < min ? min : per_key;
}

/* ---- the real solution, rounded ---------------------------------------------------------------------------------- */

static int64_t importance_of(const blm_class *c)
{
    if (!c->asked && !c->held) return 0; /* it changes nothing */
    if (!c->asked || !c->held) return c->asked ? FAR : -FAR;
    return blm_log2_fixed(c->asked) - blm_log2_fixed(c->held);
}

bool blm_classes_alike(blm_class *c, size_t n)
{
    const blm_class *first = NULL;
    bool alike = true;
    for (size_t i = 0; i < n; i++) {
        c[i].importance = importance_of(&c[i]);
        if (!c[i].asked && !c[i].held) continue;
        if (!first) first = &c[i];
        alike = alike && c[i].importance == first->importance;
    }
    return alike;
}

static int64_t within(int64_t k)
{
    const int64_t min = INT64_C(1) << 32, max = (int64_t)BLM_CLASS_HASHES << 32;
    return k < min ? min : k > max ? max : k;
}

/* The load with k = importance + shift, each k within its limits. */
static uint64_t load_at(const blm_class *c, size_t n, int64_t shift)
{
    uint64_t load = 0;
    for (size_t i = 0; i < n; i++)
        load += blm_mulshift(c[i].load, (uint64_t)within(c[i].importance + shift), 32);
    return load;
}

/* The shift with this load, which rises with it. */
static int64_t shift_for(const blm_class *c, size_t n, uint64_t load)
{
    int64_t low = -2 * FAR - within(INT64_MAX), high = 2 * FAR + within(INT64_MAX);
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(load_at(c, n, middle) < load ? &low : &high) = middle;
    }
    return high;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

typedef struct search {
    blm_class *c;
    size_t n;
    uint64_t load, asked[BLM_CLASS_HASHES + 1]; /* the share of each k */
} search;

static void step(search *s, size_t i, bool up)
{
    blm_class *c = &s->c[i];
    s->asked[c->k] -= c->share;
    s->load += up ? c->load : -c->load;
    c->k += up ? 1u : -1u;
    s->asked[c->k] += c->share;
}

static uint64_t rate_of(const search *s)
{
    const uint64_t fill = ONE_62 - exp_minus(s->load);
    uint64_t power = ONE_62, rate = 0;
    for (unsigned k = 1; k <= BLM_CLASS_HASHES; k++) {
        power = blm_mulshift(power, fill, 62);
        rate += blm_mulshift(s->asked[k], power, 62);
    }
    return rate;
}

/* Which classes may take a step, as places; the first one is n: none does. Of many only the most important one of each k
 * goes up: with fewer hashes than its equals it would only change places with them. */
static size_t steppers(const search *s, bool up, size_t out[BLM_CLASS_HASHES + 1])
{
    size_t best[BLM_CLASS_HASHES + 1], many = 1;
    const unsigned end = up ? BLM_CLASS_HASHES : 1;
    out[0] = s->n;
    for (size_t i = 0; i < s->n && s->n <= ALL_PAIRS; i++)
        if (s->c[i].k != end) out[many++] = i;
    if (s->n <= ALL_PAIRS) return many;
    for (unsigned k = 1; k <= BLM_CLASS_HASHES; k++) best[k] = s->n;
    for (size_t i = 0; i < s->n; i++) {
        size_t *b = &best[s->c[i].k];
        const int64_t mine = s->c[i].importance;
        if (*b == s->n || (up ? mine > s->c[*b].importance : mine < s->c[*b].importance)) *b = i;
    }
    for (unsigned k = 1; k <= BLM_CLASS_HASHES; k++)
        if (best[k] < s->n && k != end) out[many++] = best[k];
    return many;
}

/* The best of all single steps and pairs; false: none lowers the rate. */
static bool improve(search *s)
{
    size_t up[BLM_CLASS_HASHES + 1], down[BLM_CLASS_HASHES + 1], best_up = s->n, best_down = s->n;
    const size_t ups = steppers(s, true, up), downs = steppers(s, false, down);
    uint64_t best = rate_of(s);
    for (size_t i = 0; i < ups; i++) {
        if (i) step(s, up[i], true);
        for (size_t j = !i; j < downs; j++) {
            if (i && j && up[i] == down[j]) continue;
            if (j) step(s, down[j], false);
            const uint64_t rate = rate_of(s);
            if (rate < best) best = rate, best_up = up[i], best_down = down[j];
            if (j) step(s, down[j], true);
        }
        if (i) step(s, up[i], false);
    }
    if (best_up < s->n) step(s, best_up, true);
    if (best_down < s->n) step(s, best_down, false);
    return best_up < s->n || best_down < s->n;
}

/* From the real solution with this shift, rounded half up; a step at a time, if wanted. */
static uint64_t search_from(search *s, int64_t shift, bool steps)
{
    memset(s->asked, 0, sizeof s->asked);
    s->load = 0;
    for (size_t i = 0; i < s->n; i++) {
        blm_class *c = &s->c[i];
        c->k = (unsigned)((within(c->importance + shift) + (INT64_C(1) << 31)) >> 32);
        s->asked[c->k] += c->share;
        s->load += c->load * c->k;
    }
    for (unsigned pass = 0; steps && pass < PASSES && improve(s); pass++) continue;
    return rate_of(s);
}

/* Few classes: what the steps end at depends on where they begin. */
static void search_from_some(search *s, int64_t shift)
{
    int64_t best = shift;
    uint64_t least = search_from(s, shift, true);
    if (s->n > ALL_PAIRS) return;
    for (int64_t by = -STARTS; by <= STARTS; by++) {
        const uint64_t rate = search_from(s, shift + by * (INT64_C(1) << 30), true);
        if (rate < least) least = rate, best = shift + by * (INT64_C(1) << 30);
    }
    search_from(s, best, true);
}

void blm_classes_solve(blm_class *c, size_t n, blm_classes_room room)
{
    uint64_t asked = 0, held = 0;
    const bool alike = blm_classes_alike(c, n);
    for (size_t i = 0; i < n; i++) asked += c[i].asked, held += c[i].held;
    for (size_t i = 0; i < n; i++) c[i].k = room.even;
    if (alike || !asked || !held) return;
    for (size_t i = 0; i < n; i++) {
        c[i].share = blm_muldiv(c[i].asked, ONE_62, asked);
        c[i].load =
            blm_muldiv(blm_muldiv(c[i].held, ONE_62, held), UINT64_C(1) << 18, room.per_key);
    }
    search s = {.c = c, .n = n};
    const uint64_t mean = (uint64_t)room.mean << 40;
    if (room.mean)
        search_from(&s, shift_for(c, n, blm_muldiv(mean, UINT64_C(1) << 40, room.per_key)), false);
    else
        search_from_some(&s, shift_for(c, n, LN2_48));
}

/* ---- rates --------------------------------------------------------------------------------------------------- */

double blm_classes_mean(const blm_class *c, size_t n)
{
    double held = 0, hashes = 0;
    for (size_t i = 0; i < n; i++) {
        held += (double)c[i].held;
        hashes += (double)c[i].held * c[i].k;
    }
    return held > 0 ? hashes / held : c[0].k;
}

/* The mean of of(k) over the queries. */
static double over_queries(const blm_class *c, size_t n, double (*of)(unsigned k, const void *ctx),
                           const void *ctx)
{
    double asked = 0, sum = 0, last = 0;
    unsigned known = 0; /* the k of `last`: neighbours are often alike */
    for (size_t i = 0; i < n; i++) {
        if (!c[i].asked) continue;
        if (c[i].k != known) last = of(known = c[i].k, ctx);
        asked += (double)c[i].asked;
        sum += (double)c[i].asked * last;
    }
    return asked > 0 ? sum / asked : of(c[0].k, ctx);
}

typedef struct throws {
    uint64_t cells, throws;
} throws;

static double rate_after(unsigned k, const void *ctx)
{
    const throws *t = ctx;
    return k ? blm_rate_throws(t->cells, k, t->throws) : 1;
}

static double steep_after(unsigned k, const void *ctx) { return k * rate_after(k, ctx); }

/* All rates move with one fill: that of k by k times as much, relatively. */
blm_rate blm_classes_fpr(const blm_class *c, size_t n, uint64_t cells, uint64_t keys, double mean)
{
    const throws t = {cells, (uint64_t)(mean * (double)keys + 0.5)};
    const double p = over_queries(c, n, rate_after, &t);
    if (!t.throws) return (blm_rate){p, p, 0};
    const double steep = over_queries(c, n, steep_after, &t) / p;
    const double sd = blm_fill_sd(cells, 1, t.throws) / blm_fill_mean(cells, 1, t.throws);
    return (blm_rate){p, p, steep * sd};
}

static double power_of(unsigned k, const void *ctx) { return pow(*(const double *)ctx, k); }
static double lines_of(unsigned k, const void *ctx)
{
    return k ? blm_probes_to_reject(*(const double *)ctx, k) : 1;
}

double blm_classes_fpr_now(const blm_class *c, size_t n, double fill)
{
    return over_queries(c, n, power_of, &fill);
}

double blm_classes_lines(const blm_class *c, size_t n, double fill)
{
    return over_queries(c, n, lines_of, &fill);
}

blm_estimate blm_classes_keys(const blm_class *c, size_t n, uint64_t cells, uint64_t ones,
                              double mean)
{
    unsigned min = BLM_CLASS_HASHES, max = 1;
    for (size_t i = 0; i < n; i++) {
        if (c[i].k && c[i].k < min) min = c[i].k;
        if (c[i].k > max) max = c[i].k;
    }
    blm_estimate e = blm_flat_keys((blm_flat_throws){cells, 1, 1}, ones);
    e.value /= mean > 0 ? mean : 1;
    e.low = fmin(e.value, e.low / max);
    e.high = fmax(e.value, e.high / min);
    return e;
}

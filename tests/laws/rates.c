/* rates.c - compares the rate that a kind promises with the one that is measured.
 *
 * A trial fills filters with seeds 1, 2, 3, ... to the planned load and, if asked, to 1.5 times that
 * load. Members are 8-byte counters, non-members 16-byte strings. Two comparisons:
 *   given the fill    the non-members that answer yes, summed over the seeds, are within 4 sigma of
 *                     fpr(f, NULL). That rate is computed from the fill and so has no spread of its
 *                     own: the noise is binomial
 *   from the fields   the mean of fpr(f, NULL) over many seeds is within 4 sigma of fpr(case); the
 *                     noise is the spread between filters. Small filters differ by rare events (one
 *                     key whose two bits coincide, once in 512), so there are 2000 of them: 4 events.
 *                     Where fewer are expected, each one key's worth, their number is a Poisson one
 * Kinds that miss members are asked for all of them: the misses must be as many as fnr(case) says,
 * within 4 sigma by its spread.
 * Chance alone passes a limit of 4 sigma once in 16,000 comparisons; the seeds are fixed.
 */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

typedef struct tally {
    uint64_t hits, probes, filters, keys;
    double low, high, variance;             /* expected hits by fpr(f, NULL)   */
    double rates;                           /* sum of these rates, all filters */
    blm_rate planned;                       /* by the fields                   */
    double missed, misses, misses_variance; /* members: seen, expected  */
    double misses_low;                      /* where only limits are known     */
    bool exact_now, exact_load;
} tally;

/* ---- one filter -------------------------------------------------------------------------------- */

static uint64_t count_hits(const blm_filter *f, uint64_t probes)
{
    enum { RUN = 1024 };
    blm_hash h[RUN];
    uint8_t yes[RUN];
    uint64_t hits = 0;
    for (uint64_t at = 0; at < probes; at += RUN) {
        const size_t n = probes - at < RUN ? (size_t)(probes - at) : RUN;
        law_hashes(f, LAW_STRANGER, at, n, h, NULL);
        blm_has_many(f, h, NULL, n, yes);
        for (size_t i = 0; i < n; i++) hits += yes[i];
    }
    return hits;
}

/* Enough probes of one filter for s->hits over all seeds, as far as the limit allows. Where not even a
 * hundredth of a hit can be expected, a tenth of the limit is enough. */
static uint64_t probes_for(const blm_filter *f, const law_trial *s, double rate)
{
    const double max = (double)s->probes_max, seeds = (double)s->seeds;
    const double few = max * rate * seeds < 0.01 ? max / 10 : max;
    const double probes = fmin(fmax(s->hits / fmax(rate, 1e-300) / seeds, 1000), few);
    const uint64_t there = law_keys_max(f);
    return probes < (double)there ? (uint64_t)probes : there;
}

/* Asks for all members: the first ones are the oldest, and the most likely to be missed. */
static void measure_misses(const blm_filter *f, uint64_t load, tally *t)
{
    const blm_case c = {.keys = load, .arg = BLM_NO_ARG};
    law_key room;
    if (!f->kind->fnr || load > 10000) return;
    const blm_rate miss = blm_fnr(f, &c);
    const double expected = miss.high * (double)load;
    for (uint64_t i = 0; i < load; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        t->missed += !blm_has_item(f, &it);
    }
    t->misses_low += miss.low * (double)load;
    t->misses += expected;
    t->misses_variance += pow(expected * miss.spread, 2);
}

static void measure(const blm_filter *f, const law_trial *s, uint64_t load, bool ask, tally *t)
{
    const blm_case c = {.keys = load, .arg = BLM_NO_ARG};
    const blm_rate now = blm_fpr(f, NULL);
    t->filters++;
    t->rates += now.high;
    t->exact_now = now.low >= now.high && now.spread <= 0;
    measure_misses(f, load, t);
    if (!ask) return;
    t->planned = blm_fpr(f, &c);
    t->keys = load;
    const uint64_t probes = probes_for(f, s, t->planned.high);
    const double n = (double)probes;
    t->hits += count_hits(f, probes);
    t->probes += probes;
    t->low += n * now.low;
    t->high += n * now.high;
    t->variance += n * now.high * (1 - now.high) + pow(n * now.high * now.spread, 2);
}

/* ---- the verdict -------------------------------------------------------------------------------- */

double law_rare_max(double mean)
{
    double p = exp(-mean), rest = 1 - p, n = 0;
    if (mean >= 50) return 0;
    while (rest > 1 / 31574.0) {
        p *= mean / ++n;
        rest -= p;
    }
    return n;
}

static int judge(const law_trial *s, const tally *t, const char *load)
{
    char what[160];
    const double sigma = sqrt(t->variance), hits = (double)t->hits;
    snprintf(what, sizeof what, "%s, %" PRIu64 " keys at %g, %s", s->kind, s->keys, s->fpr, load);
    DEMAND(hits >= t->low - 4 * sigma && hits <= fmax(t->high + 4 * sigma, law_rare_max(t->high)),
           "%s: %" PRIu64 " hits of %" PRIu64 ", by the fill %g to %g, sigma %g", what, t->hits,
           t->probes, t->low, t->high, sigma);
    const double sd = sqrt(t->misses_variance);
    DEMAND(!t->exact_load ||
               (t->missed >= t->misses_low - 4 * sd && t->missed <= t->misses + 4 * sd),
           "%s: %g members missed, by theory %g to %g, sigma %g", what, t->missed, t->misses_low,
           t->misses, sd);
    const blm_rate p = t->planned;
    if (!t->exact_load || !t->exact_now || !isfinite(p.spread)) return 0;
    const double mean = t->rates / (double)t->filters;
    const double filters = (double)t->filters, keys = (double)t->keys,
                 off = p.spread / sqrt(filters);
    const double events = law_rare_max(filters * pow(p.spread * keys, 2)) / (keys * filters);
    const double slack = p.high * (fmax(4 * off, events) + 1e-9);
    DEMAND(mean >= p.low - slack && mean <= p.high + slack,
           "%s: mean rate %g, by the fields %g to %g, 4 sigma %g", what, mean, p.low, p.high,
           slack);
    return 0;
}

/* Fills *f with the planned keys. The filter is planned only once: it is cleared and gets the next seed. */
static void refill(blm_filter **f, const law_trial *s, uint64_t seed, bool is_static)
{
    blm_report why = {BLM_OK, ""};
    const blm_config c = {.size = sizeof c,
                          .kind = s->kind,
                          .keys = s->keys,
                          .fpr = s->fpr,
                          .with = law_with(s->kind),
                          .seed = seed,
                          .overfill = !is_static};
    if (is_static) {
        blm_free(*f);
        *f = law_build(&c, NULL, s->keys);
        return;
    }
    if (!*f) law_need(blm_new(f, &c, &why) == BLM_OK, s->kind, &why);
    (*f)->seed = seed;
    law_need(blm_clear(*f) == BLM_OK, "clear", NULL);
    law_need(law_add(*f, 0, s->keys) == BLM_OK, "adding within capacity", NULL);
}

static uint64_t bytes_of(const law_trial *s)
{
    const blm_config c = {.size = sizeof c,
                          .kind = s->kind,
                          .keys = s->keys,
                          .fpr = s->fpr,
                          .with = law_with(s->kind)};
    blm_filter *f = blm_blank(blm_kind_find(s->kind, strlen(s->kind)), NULL);
    uint64_t bytes = 0;
    law_need(f && !blm_plan_fields(f, &c, NULL) && !blm_shape(f, &bytes, NULL), s->kind, NULL);
    blm_free(f);
    return bytes;
}

bool law_too_large(const law_trial *s) { return bytes_of(s) > UINT64_C(1) << 31; }

/* Filters for the mean rate: of at most adds_max keys in all, and within the trial's bytes. */
static uint64_t filters_for(const law_trial *s)
{
    const uint64_t by_keys = s->adds_max / s->keys > 2000 ? 2000 : s->adds_max / s->keys;
    const uint64_t bytes = bytes_of(s), by_bytes = s->bytes_max / (bytes ? bytes : 1);
    return s->bytes_max && by_bytes < by_keys ? by_bytes : by_keys;
}

int law_rates_hold(const law_trial *s)
{
    const uint64_t more = s->keys - s->keys / 2; /* rounded up: 1 -> 2, 2 -> 3, 20 -> 30 */
    tally planned = {.exact_load = true}, over = {.exact_load = true};
    blm_filter *f = NULL;
    blm_kind_info info;
    law_need(blm_kind_named(s->kind, &info), s->kind, NULL);
    if (law_too_large(s)) return 0;
    const uint64_t many = filters_for(s);
    for (uint64_t seed = 1; seed <= s->seeds || (seed <= many && !info.is_static); seed++) {
        refill(&f, s, seed, info.is_static);
        measure(f, s, s->keys, seed <= s->seeds, &planned);
        if (!s->overload || info.is_static) continue;
        const blm_err err = law_add(f, s->keys, more); /* where places end, some are rejected */
        law_need(err == BLM_OK || err == BLM_E_FULL, "overfill", NULL);
        if (err) over.exact_load = false;
        measure(f, s, s->keys + more, seed <= s->seeds, &over);
    }
    blm_free(f);
    if (judge(s, &planned, "planned load")) return 1;
    return over.filters ? judge(s, &over, "1.5 times overloaded") : 0;
}

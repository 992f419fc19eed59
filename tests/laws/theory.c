/* theory.c - the law that the promised rate is the measured one.
 *
 * For each size and rate, filters with seeds 1, 2, 3, ... are filled (members: 8-byte counters), at
 * the planned load and at 1.5 times it. Two comparisons:
 *   given the fill    strangers (16-byte strings) that answer yes, summed over seeds 1 .. 20, within 4
 *                     sigma of fpr(f, NULL), which reads the fill and so has no spread of its own:
 *                     the noise is binomial
 *   from the fields   the mean of fpr(f, NULL) over many seeds within 4 sigma of fpr(case): the noise
 *                     is the spread between filters. Small filters differ by rare events (one key
 *                     whose two bits coincide, once in 512), so there are 2000 of them: 4 events
 * Members of kinds that miss some are asked too, all of them: as many misses as fnr(case) says, within 4 sigma
 * by its spread.
 * A limit of 4 sigma is passed by chance once in 16,000 comparisons; seeds are fixed.
 */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

typedef struct setting {
    const char *kind;
    uint64_t keys, seeds, most_probes; /* seeds that are asked; probes of one filter */
    double fpr;
    bool overload;
} setting;

typedef struct tally {
    uint64_t hits, probes, filters;
    double low, high, variance;             /* expected hits by fpr(f, NULL)   */
    double rates;                           /* sum of these rates, all filters */
    blm_rate planned;                       /* by the fields                   */
    double missed, misses, misses_variance; /* members: seen, expected  */
    bool exact_now, exact_load;
} tally;

/* ---- one filter -------------------------------------------------------------------------------- */

static uint64_t count_hits(const blm_filter *f, uint64_t probes)
{
    enum { RUN = 1024 };
    blm_hash h[RUN];
    uint8_t yes[RUN];
    law_key room;
    uint64_t hits = 0;
    for (uint64_t at = 0; at < probes; at += RUN) {
        const size_t n = probes - at < RUN ? (size_t)(probes - at) : RUN;
        for (size_t i = 0; i < n; i++) h[i] = law_item(f, LAW_STRANGER, at + i, &room).h;
        blm_has_many(f, h, NULL, n, yes);
        for (size_t i = 0; i < n; i++) hits += yes[i];
    }
    return hits;
}

/* Enough for 200 hits over all seeds. Where the limit leaves fewer than 10, so few that a hundredth
 * of one is expected: then none may be seen. */
static uint64_t probes_for(const blm_filter *f, const setting *s, double rate)
{
    const double most = (double)s->most_probes, seeds = (double)s->seeds;
    double probes = rate > 0 ? 200 / rate / seeds : most / 10;
    if (probes > most) probes = most * rate * seeds < 10 ? 0.01 / rate / seeds : most;
    probes = fmin(fmax(probes, rate * seeds * 1000 < 1 ? 1 : 1000), most);
    const uint64_t there = law_keys_most(f);
    return probes < (double)there ? (uint64_t)probes : there;
}

/* The first keys are the oldest: none may be left out. */
static void measure_misses(const blm_filter *f, uint64_t load, tally *t)
{
    const blm_case c = {.keys = load, .arg = BLM_NO_ARG};
    const blm_rate miss = blm_fnr(f, &c);
    const double expected = miss.high * (double)load;
    law_key room;
    if (!f->kind->fnr || load > 10000) return;
    for (uint64_t i = 0; i < load; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        t->missed += !blm_has_item(f, &it);
    }
    t->misses += expected;
    t->misses_variance += pow(expected * miss.spread, 2);
}

static void measure(const blm_filter *f, const setting *s, uint64_t load, bool ask, tally *t)
{
    const blm_case c = {.keys = load, .arg = BLM_NO_ARG};
    const blm_rate now = blm_fpr(f, NULL);
    t->filters++;
    t->rates += now.high;
    t->exact_now = now.low >= now.high && now.spread <= 0;
    measure_misses(f, load, t);
    if (!ask) return;
    t->planned = blm_fpr(f, &c);
    const uint64_t probes = probes_for(f, s, t->planned.high);
    const double n = (double)probes;
    t->hits += count_hits(f, probes);
    t->probes += probes;
    t->low += n * now.low;
    t->high += n * now.high;
    t->variance += n * now.high * (1 - now.high) + pow(n * now.high * now.spread, 2);
}

/* ---- the verdict -------------------------------------------------------------------------------- */

static int judge(const setting *s, const tally *t, const char *load)
{
    char what[160];
    const double sigma = sqrt(t->variance), hits = (double)t->hits;
    snprintf(what, sizeof what, "%s, %" PRIu64 " keys at %g, %s", s->kind, s->keys, s->fpr, load);
    if (t->high < 1)
        DEMAND(t->hits == 0, "%s: %" PRIu64 " hits of %" PRIu64 ", expected %g", what, t->hits,
               t->probes, t->high);
    else
        DEMAND(hits >= t->low - 4 * sigma && hits <= t->high + 4 * sigma,
               "%s: %" PRIu64 " hits of %" PRIu64 ", by the fill %g to %g, sigma %g", what, t->hits,
               t->probes, t->low, t->high, sigma);
    DEMAND(!t->exact_load || fabs(t->missed - t->misses) <= 4 * sqrt(t->misses_variance),
           "%s: %g members missed, by theory %g, sigma %g", what, t->missed, t->misses,
           sqrt(t->misses_variance));
    const blm_rate p = t->planned;
    if (!t->exact_load || !t->exact_now || !isfinite(p.spread)) return 0;
    const double mean = t->rates / (double)t->filters;
    const double slack = 4 * p.high * p.spread / sqrt((double)t->filters) + 1e-9 * p.high;
    DEMAND(mean >= p.low - slack && mean <= p.high + slack,
           "%s: mean rate %g, by the fields %g to %g, 4 sigma %g", what, mean, p.low, p.high,
           slack);
    return 0;
}

/* The planned keys inside. Planning is not repeated: a cleared filter gets the next seed. */
static void refill(blm_filter **f, const setting *s, uint64_t seed, bool is_static)
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

/* A kind that wants more than 2^31 bytes at this setting is not asked for them. */
static bool too_large(const setting *s)
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
    return bytes > UINT64_C(1) << 31;
}

static int at_setting(const setting *s)
{
    const uint64_t more = s->keys - s->keys / 2; /* rounded up: 1 -> 2, 2 -> 3, 20 -> 30 */
    const uint64_t many = 200000 / s->keys > 2000 ? 2000 : 200000 / s->keys;
    tally planned = {.exact_load = true}, over = {.exact_load = true};
    blm_filter *f = NULL;
    blm_kind_info info;
    law_need(blm_kind_named(s->kind, &info), s->kind, NULL);
    if (too_large(s)) return 0;
    for (uint64_t seed = 1; seed <= s->seeds || (seed <= many && !info.is_static); seed++) {
        refill(&f, s, seed, info.is_static);
        measure(f, s, s->keys, seed <= s->seeds, &planned);
        if (!s->overload || info.is_static) continue;
        const blm_err err = law_add(f, s->keys, more); /* where places end, some are refused */
        law_need(err == BLM_OK || err == BLM_E_FULL, "overfill", NULL);
        if (err) over.exact_load = false;
        measure(f, s, s->keys + more, seed <= s->seeds, &over);
    }
    blm_free(f);
    if (judge(s, &planned, "planned load")) return 1;
    return over.filters ? judge(s, &over, "1.5 times overloaded") : 0;
}

/* A kind whose shape does not depend on the rate is measured at one rate. */
static bool same_shape(const setting *a, double fpr)
{
    blm_filter *x = NULL, *y = NULL;
    bool same = false;
    blm_info p, q;
    if (!blm_new(
            &x,
            BLM_CONFIG(.kind = a->kind, .keys = a->keys, .fpr = a->fpr, .with = law_with(a->kind)),
            NULL) &&
        !blm_new(
            &y, BLM_CONFIG(.kind = a->kind, .keys = a->keys, .fpr = fpr, .with = law_with(a->kind)),
            NULL)) {
        blm_info_of(x, &p);
        blm_info_of(y, &q);
        same = p.bytes == q.bytes && p.hashes == q.hashes && !p.children;
    }
    blm_free(x);
    blm_free(y);
    return same;
}

static int law_theory(const char *kind)
{
    static const uint64_t sizes[] = {1, 2, 20, 100, 1000, 100000, 1000000};
    static const double rates[] = {0.01, 0.001, 1e-6};
    const size_t nsizes = LAW_SLOW || law_small ? 5 : BLM_LEN(sizes);
    blm_kind_info info;
    law_need(blm_kind_named(kind, &info), kind, NULL);
    /* Toys prove the contract, no paper; another word of a knob is measured at fewer rates. */
    const bool usual = strcmp(info.group, "toy") != 0 && !law_with(kind)[0];
    for (size_t i = 0; i < nsizes; i++)
        for (size_t j = 0; j < 3; j++) {
            /* At 10^5 keys and 10^-6, 5 filters and 1.2e8 probes in all: 120 hits. At other sizes none is seen. */
            const bool sharp = sizes[i] == 100000;
            if (sharp ? j < 2 || !usual : sizes[i] == 1000000 && j) continue;
            const uint64_t probes = law_small ? 20000 : sharp ? 24000000 : 500000;
            const setting s = {kind, sizes[i], sharp ? 5 : 20, probes, rates[j], !sharp};
            if (j && !too_large(&s) && same_shape(&s, rates[0])) continue;
            if (at_setting(&s)) return 1;
        }
    return 0;
}

/* ---- 10^7, 10^8 ------------------------------------------------------------------------------------ */

int law_theory_at(const char *kind, uint64_t keys, uint64_t seeds, uint64_t probes, double fpr)
{
    const setting s = {kind, keys, seeds, probes, fpr, false};
    return at_setting(&s);
}

int law_theory_large(const char *kind)
{
    const setting s = {kind, 10000000, 4, 1000000, 0.01, true};
    return at_setting(&s);
}

const law laws_of_theory[] = {
    {"theory", "the measured rate is the promised one, from 1 key to 10^6, and overloaded", always,
     law_theory},
    {NULL, NULL, always, NULL},
};

/* theory.c - the law that the promised rate is the measured one, and its longer versions.
 *
 * rates.c compares the two rates of one trial. The law `theory` of `make test` has these trials; a rate
 * must be off by the last column (4 sigma) to be noticed:
 *
 *   keys                 rate              filters probed   false positives   noticed
 *   1, 2, 20, 100, 1000  1 %, 0.1 %, 1e-6  20               200               28 %
 *   10^5                 1 %               20               40,000            2 %
 *   10^6                 1 %               2                200               28 %
 *
 * A rate that is 3 % off is 6 sigma away at 10^5 keys. Sizes up to 1000 keys are for the comparison with
 * the fields, over up to 2000 filters with 200,000 keys in all (another word of a knob: 50,000, a toy: 20,000).
 * 10^6 keys do not fit into the caches.
 *
 * Another word of a knob has 5 filters of 10^5 keys, with 40,000 false positives as well, and none of
 * 10^6. Kinds that are built have 5 filters of 1000 and of 10^5 keys and one of 10^6: a build takes far
 * longer than a query. Toys, which prove the contract and no paper, have one filter of 10^5 keys and 2000 false
 * positives.
 *
 *   laws --sharp   the small sizes with 1e7 instead of 1e6 probes, which is what rates below 1e-4 need;
 *                  10^6 keys with 20 filters; 10^5 keys at 1e-6 with 5 filters and 1.2e8 probes, 120 hits
 *                  (the default words only, and no toys). Other words of a knob, and toys: a quarter of these
 *                  probes, keys and filters
 *   laws --large   10^7 keys with 4 filters
 *   laws --huge    10^8 keys at 1 % and 1e-6 (huge.c)
 */
#include "core/kind.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

/* A kind whose shape does not depend on the rate is measured at one rate. */
static bool same_shape(const law_trial *t, double fpr)
{
    const blm_config a = {.size = sizeof a,
                          .kind = t->kind,
                          .keys = t->keys,
                          .fpr = t->fpr,
                          .with = law_with(t->kind)};
    blm_config b = a;
    blm_filter *x = NULL, *y = NULL;
    bool same = false;
    blm_info p, q;
    b.fpr = fpr;
    if (!blm_new(&x, &a, NULL) && !blm_new(&y, &b, NULL)) {
        blm_info_of(x, &p);
        blm_info_of(y, &q);
        same = p.bytes == q.bytes && p.hashes == q.hashes && !p.children;
    }
    blm_free(x);
    blm_free(y);
    return same;
}

static bool is_toy(const blm_kind_info *k) { return strcmp(k->group, "toy") == 0; }

static blm_kind_info info_of(const char *kind)
{
    blm_kind_info info;
    law_need(blm_kind_named(kind, &info), kind, NULL);
    return info;
}

/* sharp: ten times the probes, and as many filters as the keys allow; a quarter for other words. */
static int small_sizes(const char *kind, bool sharp)
{
    static const uint64_t sizes[] = {1, 2, 20, 100, 1000};
    static const double rates[] = {0.01, 0.001, 1e-6};
    const blm_kind_info info = info_of(kind);
    const bool is_static = info.is_static;
    const bool few = law_small || (TEST_SLOW && !law_catches);
    const bool other = is_toy(&info) || law_with(kind)[0];
    for (size_t i = 0; i < BLM_LEN(sizes); i++)
        for (size_t j = 0; j < BLM_LEN(rates); j++) {
            const law_trial t = {.kind = kind,
                                 .keys = sizes[i],
                                 .fpr = rates[j],
                                 .seeds = is_static && sizes[i] == 1000 && !sharp ? 5 : 20,
                                 .hits = 200,
                                 .probes_max = few      ? 20000
                                               : !sharp ? 50000
                                               : other  ? 125000
                                                        : 500000,
                                 .adds_max = few || is_toy(&info) ? 20000
                                             : other              ? 50000
                                                                  : 200000,
                                 .bytes_max = sharp ? 0 : UINT64_C(1) << 29,
                                 .overload = true};
            if (few && (j || i % 2)) continue; /* 1, 20 and 1000 keys at 1 % */
            if (j && !law_too_large(&t) && same_shape(&t, rates[0])) continue;
            if (law_rates_hold(&t)) return 1;
        }
    return 0;
}

static int at_1_percent(const char *kind, uint64_t keys, uint64_t seeds, double hits)
{
    const law_trial t = {.kind = kind,
                         .keys = keys,
                         .fpr = 0.01,
                         .seeds = seeds,
                         .hits = hits,
                         .probes_max = (uint64_t)(200 * hits / (double)seeds),
                         .overload = true};
    return law_rates_hold(&t);
}

static int law_theory(const char *kind)
{
    const blm_kind_info info = info_of(kind);
    const bool toy = is_toy(&info), other = toy || law_with(kind)[0];
    if (small_sizes(kind, false)) return 1;
    if (law_small || (TEST_SLOW && !law_catches)) return 0;
    const uint64_t seeds = toy ? 1 : other || info.is_static ? 5 : 20;
    if (at_1_percent(kind, 100000, seeds, toy ? 2000 : 40000)) return 1;
    return other ? 0 : at_1_percent(kind, 1000000, info.is_static ? 1 : 2, 200);
}

/* ---- what is too long for `make test` ------------------------------------------------------------ */

int law_theory_sharp(const char *kind)
{
    const blm_kind_info info = info_of(kind);
    const bool other = is_toy(&info) || law_with(kind)[0];
    const law_trial rare = {
        .kind = kind, .keys = 100000, .fpr = 1e-6, .seeds = 5, .hits = 200, .probes_max = 24000000};
    if (small_sizes(kind, true) || at_1_percent(kind, 1000000, other ? 5 : 20, 200)) return 1;
    if (other) return 0;
    if (!law_too_large(&rare) && same_shape(&rare, 0.01)) return 0;
    return law_rates_hold(&rare);
}

int law_theory_large(const char *kind) { return at_1_percent(kind, 10000000, 4, 200); }

const law laws_of_theory[] = {
    {"theory", "the measured rate is the promised one, from 1 key to 10^6, and overloaded", always,
     law_theory},
    {NULL, NULL, always, NULL},
};

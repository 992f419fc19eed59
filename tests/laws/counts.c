/* counts.c - the law of how high counts go: what max_count asks for, and what count() tells then. */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool counts(const blm_kind_info *k) { return (k->can & BLM_COUNT) != 0; }
/* The copies of a key take places, and are only so many. */
static bool ends(const blm_kind *k) { return k->copies && !k->counts_by.knob; }

/* ---- plans --------------------------------------------------------------------------------------- */

typedef struct outcome {
    uint64_t max, bytes;
} outcome;

/* The plan for `keys` keys at 1 %, with the setting of the law and one more knob. No cells are made. */
static blm_err planned(const char *kind, uint64_t keys, uint64_t max_count, const char *knob,
                       outcome *out)
{
    char with[200];
    uint64_t bytes = 0;
    snprintf(with, sizeof with, "%s %s", law_with(kind), knob);
    const blm_config c = {.size = sizeof c,
                          .kind = kind,
                          .keys = keys,
                          .fpr = 0.01,
                          .with = with,
                          .max_count = max_count};
    blm_filter *f = blm_blank(blm_kind_find(kind, strlen(kind)), NULL);
    law_need(f != NULL, "no memory", NULL);
    blm_err err = blm_plan_fields(f, &c, NULL);
    if (!err) err = blm_shape(f, &bytes, NULL);
    if (!err) *out = (outcome){blm_max_count(f), bytes};
    blm_free(f);
    return err;
}

/* Every value that the knob may have, or the default alone; most 0: the kind does not take it. */
typedef struct values {
    outcome at[BLM_COUNTS_TRIED];
    size_t n;
} values;

static int all_values(const char *kind, const blm_kind *k, values *all)
{
    const size_t i = blm_count_knob(k);
    const blm_knobdef *d = i < k->nknobs ? &k->knobs[i] : NULL;
    const double min = k->counts_by.min;
    outcome large = {0, 0};
    DEMAND(d || !k->counts_by.knob, "%s: no such knob", k->counts_by.knob);
    DEMAND(!d || (d->type == BLM_K_NUMBER && min >= d->min && min <= d->def &&
                  d->max - min < BLM_COUNTS_TRIED),
           "%s: not a number, or of too many values, or the default is below the least one",
           d->name);
    for (double v = min; d ? v <= d->max : !all->n; v++) {
        char knob[60] = "";
        outcome *now = &all->at[all->n++];
        *now = (outcome){0, 0};
        if (d) snprintf(knob, sizeof knob, "%s=%.0f", d->name, v);
        if (planned(kind, 100, 0, knob, now)) continue;
        DEMAND(planned(kind, 5000, 0, knob, &large) || large.max == now->max,
               "%s: 100 keys are counted up to %" PRIu64 ", 5000 up to %" PRIu64, knob, now->max,
               large.max);
    }
    return 0;
}

/* What max_count makes is the smallest filter of any value that counts so high. */
static int smallest(const char *kind, const blm_kind *k, const values *all, uint64_t n)
{
    uint64_t min = UINT64_MAX;
    outcome got = {0, 0};
    for (size_t i = 0; i < all->n && (n == 1 || !ends(k)); i++)
        if (all->at[i].max >= n && all->at[i].bytes < min) min = all->at[i].bytes;
    const blm_err err = planned(kind, 100, n, "", &got);
    if (min == UINT64_MAX) {
        DEMAND(err == BLM_E_ARG, "max_count %" PRIu64 ", which it cannot: %s", n,
               blm_strerror(err));
        return 0;
    }
    DEMAND(!err && got.max >= n, "max_count %" PRIu64 ": %s, counts to %" PRIu64, n,
           blm_strerror(err), got.max);
    DEMAND(got.bytes == min, "max_count %" PRIu64 ": %" PRIu64 " bytes, %" PRIu64 " would do", n,
           got.bytes, min);
    return 0;
}

/* ---- counts -------------------------------------------------------------------------------------- */

/* The truth, or within three standard errors of it where a kind can only estimate. */
static bool tells_of(const blm_filter *f, const blm_estimate *times, uint64_t truth)
{
    const double off = fabs(times->value - (double)truth);
    return off <= (law_estimates(f, times) ? 3 * law_standard_error(times) : 0);
}

/* One key, as often as it is said that count() can tell, and once more: counters are no wider than that. A kind
 * whose counts have no knob may tell some keys further, and a multiset does; one whose copies end has no room for it. */
static int tells(const char *kind)
{
    enum { ADDS = 600 };
    law_key room;
    blm_estimate times = {0, 0, 0, false};
    blm_filter *f = law_filled(kind, 20, 0);
    const blm_kind *k = f->kind;
    const uint64_t max = blm_max_count(f), adds = max < ADDS ? max : ADDS;
    if (f->kind->copies && adds > 20) { /* each takes a place */
        blm_free(f);
        f = law_filled(kind, adds + 1, 0);
    }
    blm_item it = law_item(f, LAW_MEMBER, 0, &room);
    if (k->arg.name) it.arg = 1; /* its weight */
    for (uint64_t i = 0; i < adds; i++) DEMAND(!blm_add_item(f, &it, NULL), "add");
    DEMAND(!blm_count_item(f, &it, &times), "count");
    DEMAND(!times.bound && tells_of(f, &times, adds),
           "it says that it counts to %" PRIu64 "; at %" PRIu64 " it says %g%s", max, adds,
           times.value, times.bound ? " or more" : "");
    const blm_err past = adds == max ? blm_add_item(f, &it, NULL) : BLM_OK;
    if (adds == max && !(ends(k) && past == BLM_E_FULL)) { /* no place for one copy more */
        DEMAND(!past && !blm_count_item(f, &it, &times), "add");
        DEMAND(times.bound || ((!k->counts_by.knob || k->copies) && tells_of(f, &times, max + 1)),
               "past %" PRIu64 " it says %g, and not that it is a bound", max, times.value);
    }
    blm_free(f);
    return 0;
}

/* As many keys as were planned, each of them as often as was asked for: there is room. */
static int multiset(const char *kind, const blm_kind *k)
{
    enum { KEYS = 100, TIMES = 5 };
    blm_filter *f = NULL;
    if (ends(k)) return 0;
    const blm_config c = {.size = sizeof c,
                          .kind = kind,
                          .keys = KEYS,
                          .fpr = 0.01,
                          .with = law_with(kind),
                          .max_count = TIMES};
    if (blm_new(&f, &c, NULL)) return 0; /* it counts less */
    for (int round = 0; round < TIMES; round++)
        DEMAND(!law_add(f, 0, KEYS), "full, although no key comes more than %d times", TIMES);
    blm_free(f);
    return 0;
}

static int law_max_count(const char *kind)
{
    static const uint64_t asked[] = {1,
                                     2,
                                     6,
                                     7,
                                     14,
                                     15,
                                     254,
                                     255,
                                     1000,
                                     65534,
                                     65535,
                                     UINT64_C(1) << 31,
                                     100000,
                                     UINT64_C(1) << 52,
                                     UINT64_MAX - 1};
    const blm_kind *k = blm_kind_find(kind, strlen(kind));
    values all = {.n = 0};
    law_still(kind);
    if (all_values(kind, k, &all)) return 1;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (smallest(kind, k, &all, asked[i])) return 1;
    return tells(kind) || multiset(kind, k);
}

const law laws_of_counts[] = {
    {"max_count", "max_count makes the smallest filter that counts so high, and count() tells it",
     counts, law_max_count},
    {NULL, NULL, NULL, NULL},
};

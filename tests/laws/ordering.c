/* ordering.c - the law of a rate's two ends: low is never above high, whatever the settings, the load and the case.
 *
 * Settings: each knob of numbers of the kind at its ends and on the way from one to the other, the others at
 * their defaults. A value that is rejected for a size is left out. Where the code runs slowly (TEST_SLOW), the ends alone:
 * hash-choice has formulas that take seconds there.
 */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

static int ordered(blm_rate r, const char *which, const char *with, const char *when,
                   const blm_case *c)
{
    DEMAND(r.low >= 0 && r.low <= r.high && r.high <= 1,
           "%s of \"%s\", %s, asked for %" PRIu64 " keys, gap %" PRIu64 ": %.17g to %.17g", which,
           with, when, c ? c->keys : 0, c ? c->gap : 0, r.low, r.high);
    return 0;
}

static int both_ordered(const blm_filter *f, const char *with, const char *when, const blm_case *c)
{
    return ordered(blm_fpr(f, c), "fpr", with, when, c) ||
           ordered(blm_fnr(f, c), "fnr", with, when, c);
}

static int all_cases(const blm_filter *f, uint64_t n, const char *with, const char *when)
{
    const uint64_t keys[] = {0, 1, n / 2, n, 2 * n}, gaps[] = {0, 1, n};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t j = 0; j < (f->kind->fnr ? sizeof gaps / sizeof *gaps : 1); j++) {
            const blm_case c = {.keys = keys[i], .gap = gaps[j], .arg = BLM_NO_ARG};
            if (both_ordered(f, with, when, &c)) return 1;
        }
    return 0;
}

/* Empty, half full, full, overfull. Where places end, it is as full as it gets. */
static int all_loads(const blm_config *wish, bool is_static)
{
    static const char *const when[] = {"empty", "half full", "full", "overfull"};
    const uint64_t load[] = {0, wish->keys / 2, wish->keys, 2 * wish->keys};
    for (size_t i = 0; i < sizeof load / sizeof *load; i++) {
        blm_filter *f = NULL;
        const uint64_t built = load[i] < wish->keys ? load[i] : wish->keys;
        blm_err err = BLM_OK;
        if (is_static)
            f = law_build(wish, NULL, built);
        else
            law_need(blm_new(&f, wish, NULL) == BLM_OK, "new", NULL);
        const uint64_t from = is_static ? built : 0;
        const uint64_t to = load[i] < law_keys_max(f) ? load[i] : law_keys_max(f);
        if (to > from && law_may_add(f)) err = law_add(f, from, to - from);
        DEMAND(!err || err == BLM_E_FULL, "overfill: %s", blm_strerror(err));
        const int broken = both_ordered(f, wish->with, when[i], NULL) ||
                           all_cases(f, wish->keys, wish->with, when[i]);
        blm_free(f);
        if (broken) return 1;
    }
    return 0;
}

/* By the fields alone; cells are made and filled where that takes little. A wish that is rejected is left out. */
static int planned_and_filled(const blm_config *c)
{
    enum { FILLED_KEYS = 300, FILLED_BYTES = 1 << 18 };
    blm_filter *f = blm_blank(blm_kind_find(c->kind, strlen(c->kind)), NULL);
    uint64_t bytes = 0;
    blm_kind_info info;
    law_need(f && blm_kind_named(c->kind, &info), c->kind, NULL);
    const bool planned = !blm_plan_fields(f, c, NULL) && !blm_shape(f, &bytes, NULL);
    const int broken = planned && all_cases(f, c->keys, c->with, "planned");
    blm_free(f);
    if (broken || !planned || c->keys > FILLED_KEYS || bytes > FILLED_BYTES) return broken;
    /* A build must tell its members from 20 others, which takes more salts than there are at high rates. */
    return info.is_static && c->fpr > 0.01 ? 0 : all_loads(c, info.is_static);
}

/* With these knobs: some sizes and rates; few: one size that is filled and one that is not, at a high rate. */
static int all_sizes(const char *kind, const char *with, bool few)
{
    static const uint64_t keys[] = {20, 1000000, 1, 300};
    static const double rates[] = {0.3, 0.001};
    for (size_t i = 0; i < (few ? 2 : sizeof keys / sizeof *keys); i++)
        for (size_t j = 0; j < (few ? 1 : sizeof rates / sizeof *rates); j++) {
            const blm_config c = {.size = sizeof c,
                                  .kind = kind,
                                  .keys = keys[i],
                                  .fpr = rates[j],
                                  .with = with,
                                  .overfill = true};
            if (planned_and_filled(&c)) return 1;
        }
    return 0;
}

static bool ends_only(void) { return law_small || (TEST_SLOW && !law_catches); }

/* From the least to the most: 0, 1, 4, 16, ... where they are numbers of things, 0, 0.25, 0.5, ... of shares. */
static int all_values(const char *kind, const blm_knobdef *d)
{
    const bool share = d->max <= 1;
    double value = d->min;
    for (bool last = false; !last;) {
        char with[200];
        last = value >= d->max;
        snprintf(with, sizeof with, "%s %s=%.17g", law_with(kind), d->name, last ? d->max : value);
        if (all_sizes(kind, with, true)) return 1;
        value = ends_only() ? d->max : share ? value + 0.25 : value < 1 ? 1 : floor(value * 4);
    }
    return 0;
}

static int law_ordered_rates(const char *kind)
{
    blm_knobdef d;
    if (all_sizes(kind, law_with(kind), ends_only())) return 1;
    for (size_t i = 0; blm_knob_at(kind, i, &d); i++)
        if (d.type == BLM_K_NUMBER && all_values(kind, &d)) return 1;
    return 0;
}

const law laws_of_order[] = {
    {"ordered_rates", "of fpr and fnr the low end is never above the high one", always,
     law_ordered_rates},
    {NULL, NULL, always, NULL},
};

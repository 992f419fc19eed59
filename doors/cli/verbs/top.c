/* top.c - bloomery top: the keys that come most often, and how often. */
#include <inttypes.h>
#include <stdio.h>

#include "heavy/heavy.h"

typedef struct top_settings {
    heavy_settings base;
    uint64_t shown;
} top_settings;

static const top_settings *own(const settings *s) { return (const top_settings *)s; }

#define USUAL_SHOWN 10

/* With --exact the last key must have come more often than any that had no room: else another one may be in
 * its place. */
static ending in_place(const heavy_run *r)
{
    char certain[64];
    const uint64_t bound = heavy_sums(r->t).bound;
    size_t sure = r->shown;
    if (!r->exact || !bound) return END_YES;
    while (sure && heavy_at(r->t, sure - 1).high <= bound) sure--;
    if (sure && sure == own(r->s)->shown) return END_YES;
    const uint64_t least = r->shown ? heavy_at(r->t, r->shown - 1).high : 1;
    snprintf(certain, sizeof certain, "-n %zu is certain", sure);
    return heavy_full(r, least ? least : 1, sure ? certain : "No -n is certain");
}

static ending run_top(settings *s)
{
    heavy_run r;
    char others[80];
    top_settings *mine = (top_settings *)s;
    if (!mine->shown) mine->shown = USUAL_SHOWN;
    ending end = heavy_count(&r, s);
    if (!end) {
        r.shown = heavy_sort(r.t, mine->shown < SIZE_MAX ? (size_t)mine->shown : SIZE_MAX, 0);
        r.floor = heavy_others(r.t);
        end = in_place(&r);
    }
    if (!end) {
        snprintf(others, sizeof others, "no other came more than %" PRIu64 " times", r.floor);
        heavy_print(&r);
        if (!out_failed()) heavy_report(&r, others);
    }
    heavy_end(&r);
    return end;
}

static const option top_options[] = {
    {'n', "number", "N", "how many keys; 10 if not given", TAKE_COUNT,
     offsetof(top_settings, shown), 1, UINT64_C(9007199254740992)},
    OPTIONS_HEAVY,
    OPTION_END,
};

const verb verb_top = {
    .name = "top",
    .about = "the keys that come most often: COUNT<tab>KEY; no sorting, fixed memory",
    .usage = "top [-n N] [--exact] [INPUT...]",
    .text = "What sort | uniq -c | sort -rn | head prints, in one pass and fixed memory; keys of "
            "one count\n"
            "stand in the order of their bytes. As long as all distinct keys fit in --ram (some "
            "450,000 of 10\n"
            "bytes), counts are exact. Past that COUNT is never too low; the summary says how much "
            "it may be\n"
            "too high, how many of the keys are certain to be among the first N, and how often any "
            "other\n"
            "key came at most; -q prints that only when counts are not exact.\n"
            "--json has it key by key: low <= truth <= high. With --exact a second pass\n"
            "counts the keys that are left, and what is printed is exact or nothing.",
    .options = top_options,
    .examples = {"bloomery top -n 20 -d ' ' -f 1 access.log",
                 "zcat queries.gz | bloomery top --lower"},
    .endings = "0 done, 2 usage or I/O, 4 over capacity (--exact: another key may have come as "
               "often; a key\n      that is longer than --ram can hold)",
    .size = sizeof(top_settings),
    .run = run_top,
};

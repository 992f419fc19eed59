/* top.c - bloomery top: the keys that come most often, and how often. */
#include <inttypes.h>
#include <stdio.h>

#include "heavy/heavy.h"

typedef struct top_settings {
    heavy_settings base;
    uint64_t shown;
} top_settings;

static const top_settings *own(const settings *s) { return (const top_settings *)s; }

#define DEFAULT_SHOWN 10

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
    const uint64_t min = r->shown ? heavy_at(r->t, r->shown - 1).high : 1;
    snprintf(certain, sizeof certain, "-n %zu is certain", sure);
    return heavy_full(r, min ? min : 1, sure ? certain : "No -n is certain");
}

static ending run_top(settings *s)
{
    heavy_run r;
    char others[80];
    top_settings *mine = (top_settings *)s;
    if (!mine->shown) mine->shown = DEFAULT_SHOWN;
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
    {'n', "number", "N", "how many keys to print (default: 10)", TAKE_COUNT,
     offsetof(top_settings, shown), 1, UINT64_C(9007199254740992)},
    OPTIONS_HEAVY,
    OPTION_END,
};

const verb verb_top = {
    .name = "top",
    .about = "print the most frequent keys: COUNT<tab>KEY; no sorting, fixed memory",
    .usage = "top [-n N] [--exact] [INPUT...]",
    .text = "Prints what sort | uniq -c | sort -rn | head prints, in one pass and in fixed memory; "
            "keys with the\n"
            "same count are sorted by their bytes. While all distinct keys fit in --ram (about "
            "450,000 keys of 10\n"
            "bytes), counts are exact. After that, COUNT is never too low. The summary says how "
            "much it may be\n"
            "too high, how many of the keys are certain to be among the first N, and how often any "
            "other key\n"
            "occurs at most; -q prints this only if counts are not exact. --json prints both "
            "bounds of each key:\n"
            "low <= truth <= high. With --exact, a second pass counts the remaining keys, and what "
            "is printed is\n"
            "exact, or nothing is printed.",
    .options = top_options,
    .examples = {"bloomery top -n 20 -d ' ' -f 1 access.log",
                 "zcat queries.gz | bloomery top --lower"},
    .endings = "0 done, 2 usage or I/O, 4 over capacity (--exact: another key may be as frequent; "
               "or a key is longer than\n"
               "      --ram can hold)",
    .size = sizeof(top_settings),
    .run = run_top,
};

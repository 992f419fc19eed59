/* iceberg.c - bloomery iceberg: every key that comes so often, or more often. */
#include <inttypes.h>
#include <stdio.h>

#include "heavy/heavy.h"

typedef struct iceberg_settings {
    heavy_settings base;
    uint64_t min;
} iceberg_settings;

static const iceberg_settings *own(const settings *s) { return (const iceberg_settings *)s; }

/* A key that had no room came `bound` times at most: below --min none of them is missing. */
static ending all_there(const heavy_run *r)
{
    char certain[64];
    const uint64_t bound = heavy_sums(r->t).bound;
    if (bound < own(r->s)->min) return END_YES;
    snprintf(certain, sizeof certain, "--min %" PRIu64 " is certain", bound + 1);
    return heavy_full(r, own(r->s)->min, certain);
}

static ending run_iceberg(settings *s)
{
    heavy_run r;
    char others[80];
    if (!own(s)->min)
        return trouble(
            "missing --min T: how often a key must occur to be printed, such as --min 100");
    ending end = heavy_count(&r, s);
    if (!end) end = all_there(&r);
    if (!end) {
        r.shown = heavy_sort(r.t, SIZE_MAX, own(s)->min);
        r.floor = own(s)->min;
        snprintf(others, sizeof others, "no other came %" PRIu64 " times", own(s)->min);
        heavy_print(&r);
        if (!out_failed()) heavy_report(&r, others);
        end = r.shown ? END_YES : END_NO;
    }
    heavy_end(&r);
    return end;
}

static const option iceberg_options[] = {
    {0, "min", "T", "print every key that occurs at least T times", TAKE_COUNT,
     offsetof(iceberg_settings, min), 1, UINT64_C(9007199254740992)},
    OPTIONS_HEAVY,
    OPTION_END,
};

const verb verb_iceberg = {
    .name = "iceberg",
    .about = "print every key that occurs at least T times: COUNT<tab>KEY",
    .usage = "iceberg --min T [--exact] [INPUT...]",
    .text = "Reads its input once, in fixed memory, and misses no key: every key that occurs T "
            "times is printed,\n"
            "sorted by COUNT, then by its bytes. COUNT is never too low. While all distinct keys "
            "fit in --ram\n"
            "(about 450,000 keys of 10 bytes), it is exact. After that it may be too high, and a "
            "key that occurs\n"
            "less often may be printed; the summary says how large and how many these errors are. "
            "--json prints\n"
            "both bounds of each key: low <= truth <= high. With --exact, a second pass counts the "
            "keys, and what\n"
            "is printed is exact. If --ram is too small for T, nothing is printed, and the message "
            "names a T and\n"
            "a --ram that would work.",
    .options = iceberg_options,
    .examples = {"bloomery iceberg --min 1000 --csv user_id events.csv",
                 "bloomery iceberg --min 2 --exact --ram 1GiB hashes.txt"},
    .endings = "0 some key, 1 none, 2 usage or I/O, 4 over capacity (nothing is printed)",
    .size = sizeof(iceberg_settings),
    .run = run_iceberg,
};

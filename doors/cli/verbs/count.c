/* count.c - bloomery count: how often a key came. */
#include <stdio.h>

#include "image/clock.h"
#include "image/lookup.h"

typedef struct count_settings {
    settings base;
    bool all; /* the keys of INPUT are counted together */
} count_settings;

static bool whole(double count)
{
    return count >= 0 && count < 1e15 && (double)(uint64_t)count == count;
}

/* What "%s%.15g" would print of ">=" and a whole number below 10^15. Most counts are whole, and printf takes half of the time
 * of this verb. */
static void put_whole(char text[64], bool at_least, uint64_t count)
{
    char digit[20];
    size_t n = 0;
    do digit[n++] = (char)('0' + count % 10);
    while (count /= 10);
    if (at_least) *text++ = '>', *text++ = '=';
    while (n) *text++ = digit[--n];
    *text = '\0';
}

/* "3..9" of a count that is only known to lie between the two. */
static void put_between(char text[64], double low, double high)
{
    snprintf(text, 64, "%.15g..%.15g", low, high);
}

static void show(lookup *l, const line *key, const blm_estimate *times)
{
    char text[64];
    l->any_no |= !(times->value > 0);
    if (l->s->json) {
        lookup_json(key);
        json_number("count", times->value);
        json_number("low", times->low);
        json_number("high", times->high);
        json_bool("at_least", times->bound);
        json_close('}');
        json_end_line();
        return;
    }
    if (((const count_settings *)l->s)->all && !times->bound && times->low < times->high)
        put_between(text, times->low, times->high);
    else if (whole(times->value))
        put_whole(text, times->bound, (uint64_t)times->value);
    else
        snprintf(text, sizeof text, "%s%.15g", times->bound ? ">=" : "", times->value);
    lookup_show(l, key, text);
}

static ending count_key(lookup *l, const line *key, const blm_item *it)
{
    blm_estimate times = {0, 0, 0, false};
    const blm_err err = it ? blm_count_item(l->im.f, it, &times) : BLM_OK;
    if (err) return complain_why(l->path, err, NULL);
    show(l, key, &times);
    return END_YES;
}

static ending count_lines(lookup *l, const line *lines, size_t n)
{
    blm_hash h[BATCH];
    blm_estimate times[BATCH];
    size_t ready = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].key) h[ready++] = lines[i].h;
    if (!ready) return END_YES;
    const blm_err err = blm_count_many(l->im.f, h, ready, times);
    if (err) return complain_why(l->path, err, NULL);
    for (size_t i = 0; i < n; i++)
        if (lines[i].key) show(l, &lines[i], &times[at++]);
    return END_YES;
}

static ending run_count(settings *s)
{
    if (((const count_settings *)s)->all) {
        s->read.inputs = true;
        return lookup_together(s, show);
    }
    return lookup_run(s, BLM_COUNT, "count keys", count_key, count_lines, NULL);
}

static const option count_options[] = {{0, "all", NULL,
                                        "count all keys of the INPUTs together (counter-braids)",
                                        TAKE_FLAG, offsetof(count_settings, all), 0, 0},
                                       OPTION_INPUTS,
                                       OPTION_JSON,
                                       OPTION_KEY,
                                       OPTIONS_INPUT,
                                       OPTION_ARG,
                                       OPTION_NOW,
                                       OPTION_END};

const verb verb_count = {
    .name = "count",
    .about = "print how often each key was added: KEY<tab>N",
    .usage = "count [-i | --all] FILE [KEY... | INPUT...]",
    .text =
        "KEYs are arguments; with -i they are the lines of INPUTs; with no argument after FILE "
        "they are the\n"
        "lines of standard input. N is how often the key was added and not removed. It may be "
        "too high if\n"
        "other keys share all its counters; 0 is certain, except for kinds that only estimate "
        "(space-code),\n"
        "whose N may be too low as well and need not be whole. \">=N\" means that the counters have "
        "reached their\n"
        "maximum; a larger --set width counts further.\n"
        "With --all the arguments after FILE are INPUTs. Their distinct keys, which must be all "
        "keys of FILE,\n"
        "are kept in memory (--ram) and counted together: each is printed once, with its exact "
        "N. \"LOW..HIGH\"\n"
        "means that N lies between the two. If the keys do not fit the counters, nothing is "
        "printed.",
    .options = count_options,
    .examples = {"bloomery count hits.blm 10.0.0.7",
                 "bloomery count --all flows.blm flows.txt | sort -k2,2rn"},
    .endings = "0 every key is in the set, 1 some key is not, 2 usage or I/O, or a kind that "
               "cannot count, 3 not a sound image, 6 the counts cannot be found (--all)",
    .size = sizeof(count_settings),
    .min_operands = 1,
    .run = run_count,
};

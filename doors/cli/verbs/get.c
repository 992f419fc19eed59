/* get.c - bloomery get: the value stored with a key. */
#include <inttypes.h>
#include <stdio.h>

#include "image/clock.h"
#include "image/lookup.h"

static ending get_key(lookup *l, const line *key, const blm_item *it)
{
    uint64_t value = 0;
    char text[64] = "no";
    const blm_err err = it ? blm_get_item(l->im.f, it, &value) : BLM_E_ABSENT;
    const bool unsure = err == BLM_E_UNSURE;
    if (err && err != BLM_E_ABSENT && !unsure) return complain_why(l->path, err, NULL);
    l->any_no |= err != BLM_OK;
    if (l->s->json) {
        lookup_json(key);
        if (err)
            json_null("value");
        else
            json_count("value", value);
        if (err) json_bool("unsure", unsure);
        json_close('}');
        json_end_line();
        return END_YES;
    }
    if (!err) snprintf(text, sizeof text, "%" PRIu64, value);
    if (unsure) snprintf(text, sizeof text, "unsure");
    lookup_show(l, key, text);
    return END_YES;
}

static ending run_get(settings *s)
{
    return lookup_run(s, BLM_GET, "keep values", get_key, NULL, NULL);
}

static const option get_options[] = {OPTION_INPUTS, OPTION_JSON, OPTION_KEY,
                                     OPTIONS_INPUT, OPTION_NOW,  OPTION_END};

const verb verb_get = {
    .name = "get",
    .about = "print the value of each key: KEY<tab>VALUE",
    .usage = "get [-i] FILE [KEY... | INPUT...]",
    .text = "KEYs are arguments; with -i they are the lines of INPUTs; with no argument after FILE "
            "they are the\n"
            "lines of standard input. A non-member is answered with no or, at the filter's rate, "
            "with some\n"
            "value; a key that has one, but which the filter cannot tell, with unsure (kind "
            "state-machine).",
    .options = get_options,
    .examples = {"bloomery get ports.blm ssh", "cut -f1 log | bloomery get routes.blm"},
    .endings = "0 every key has a value, 1 some key is not in the set, or the filter is unsure, "
               "2 usage or I/O, or a kind without values, 3 not a sound image",
    .min_operands = 1,
    .needs = BLM_GET,
    .run = run_get,
};

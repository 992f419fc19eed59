/* which.c - bloomery which: in which of many sets a key could be. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/clock.h"
#include "image/lookup.h"

typedef struct which_settings {
    settings base;
    const char *among;
} which_settings;

static const which_settings *own(const settings *s) { return (const which_settings *)s; }

#define SETS_MAX     65536u
#define DEFAULT_SETS "0-63"

typedef struct candidates {
    uint64_t *set;
    size_t n;
    uint8_t *yes;
} candidates;

/* ---- 0-7,12 ------------------------------------------------------------------------------------- */

static const char *take_number(const char *p, uint64_t *v)
{
    const size_t digits = strspn(p, "0123456789");
    return key_number(p, digits, v) ? p + digits : NULL;
}

/* "3" or "3-5" at p; past it, or NULL. */
static const char *take_part(candidates *c, const char *p)
{
    uint64_t first, last;
    if (!(p = take_number(p, &first))) return NULL;
    last = first;
    if (*p == '-' && !(p = take_number(p + 1, &last))) return NULL;
    if (last < first || last - first >= SETS_MAX - c->n) return NULL;
    for (uint64_t v = first;; v++) {
        c->set[c->n++] = v;
        if (v == last) return p;
    }
}

static ending take_list(candidates *c, const char *text)
{
    const char *p = text;
    c->set = malloc(SETS_MAX * sizeof *c->set);
    c->yes = malloc(SETS_MAX);
    if (!c->set || !c->yes) return trouble("no memory for %u sets", SETS_MAX);
    while ((p = take_part(c, p)) && *p == ',') p++;
    return p && !*p
               ? END_YES
               : trouble("--among %s: must be numbers and ranges such as 0-7,12, at most %u sets",
                         text, SETS_MAX);
}

/* ---- answers -------------------------------------------------------------------------------------- */

static void show_sets(const lookup *l, const line *key, const candidates *c)
{
    bool any = false;
    key_show(l->s, key);
    for (size_t i = 0; i < c->n; i++) {
        if (!c->yes[i]) continue;
        out_text("%c%" PRIu64, any ? ',' : '\t', c->set[i]);
        any = true;
    }
    if (!any) out_text("\tno");
    out_bytes(l->s->read.zero ? "" : "\n", 1);
}

static void json_sets(const line *key, const candidates *c)
{
    lookup_json(key);
    json_open("sets", '[');
    for (size_t i = 0; i < c->n; i++)
        if (c->yes[i]) json_count(NULL, c->set[i]);
    json_close(']');
    json_close('}');
    json_end_line();
}

static ending which_sets(lookup *l, const line *key, const blm_item *it)
{
    const candidates *c = l->own;
    memset(c->yes, 0, c->n);
    const blm_err err = it ? blm_which(l->im.f, it, c->set, c->n, c->yes) : BLM_OK;
    if (err) return complain_why(l->path, err, NULL);
    l->any_no |= !memchr(c->yes, 1, c->n);
    if (l->s->json)
        json_sets(key, c);
    else
        show_sets(l, key, c);
    return END_YES;
}

static ending run_which(settings *s)
{
    candidates c = {.n = 0};
    ending end = take_list(&c, own(s)->among ? own(s)->among : DEFAULT_SETS);
    if (!end) end = lookup_run(s, BLM_WHICH, "tell sets apart", which_sets, NULL, &c);
    free(c.set);
    free(c.yes);
    return end;
}

static const option which_options[] = {
    {0, "among", "LIST", "the sets to query, such as 0-7,12 (default: " DEFAULT_SETS ")", TAKE_TEXT,
     offsetof(which_settings, among), 0, 0},
    OPTION_INPUTS,
    OPTION_JSON,
    OPTION_KEY,
    OPTIONS_INPUT,
    OPTION_NOW,
    OPTION_END,
};

const verb verb_which = {
    .name = "which",
    .about = "print which of many sets each key may be in: KEY<tab>3,17",
    .usage = "which [--among LIST] [-i] FILE [KEY... | INPUT...]",
    .text = "KEYs are arguments; with -i they are the lines of INPUTs; with no argument after FILE "
            "they are the\n"
            "lines of standard input. A set that is not printed certainly does not have the key; "
            "one that\n"
            "is printed may be wrong at the filter's rate. A key in none of them gets a no.",
    .options = which_options,
    .examples = {"bloomery which --among 0-11 months.blm 10.0.0.7",
                 "cut -f1 log | bloomery which --json shards.blm"},
    .endings = "0 every key is in some set, 1 some key is in none, 2 usage or I/O, or a kind "
               "without sets, 3 not a sound image",
    .min_operands = 1,
    .needs = BLM_WHICH,
    .size = sizeof(which_settings),
    .run = run_which,
};

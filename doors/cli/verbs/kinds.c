/* kinds.c - bloomery kinds: what there is, what each can do, and one kind's page. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "describe.h"
#include "habits.h"
#include "verbs/pages.h"

typedef struct kinds_settings {
    settings base;
    bool markdown;
} kinds_settings;

static const kinds_settings *own(const settings *s) { return (const kinds_settings *)s; }

static const char *page_of(const char *kind)
{
    for (const blm_kind_page *p = blm_kind_pages; p->name; p++)
        if (strcmp(p->name, kind) == 0) return p->text;
    return NULL;
}

/* The first sentence under QUESTION, on one line. */
static void question_of(const char *kind, char *out, size_t room)
{
    const char *page = page_of(kind), *p = page ? strstr(page, "QUESTION") : NULL;
    size_t used = 0;
    out[0] = 0;
    if (!p) return;
    for (p += strlen("QUESTION"); *p && used + 2 < room; p++) {
        const bool blank = *p == ' ' || *p == '\n' || *p == '\t';
        if (p[0] == '\n' && p[1] == '\n') break;
        if (blank && (!used || out[used - 1] == ' ')) continue;
        out[used++] = blank ? ' ' : *p;
        if ((*p == '?' || *p == '.') && (p[1] == ' ' || p[1] == '\n' || !p[1])) break;
    }
    while (used && out[used - 1] == ' ') used--;
    out[used] = 0;
}

/* ---- a table ------------------------------------------------------------------------------------------ */

static void show_table(void)
{
    blm_kind_info k;
    char can[256];
    out_text("%-18s %-12s %s\n", "KIND", "GROUP", "CAN");
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        host_abilities(can, sizeof can, k.can, " ");
        out_text("%-18s %-12s %s\n", k.name, k.group, can);
    }
    out_text("\nbloomery kinds KIND shows one kind's page and its knobs.\n");
}

static void show_markdown(void)
{
    blm_kind_info k;
    char can[256], question[512];
    out_text("| Kind | Question | Abilities |\n|---|---|---|\n");
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        host_abilities(can, sizeof can, k.can, ", ");
        question_of(k.name, question, sizeof question);
        out_text("| `%s` | %s | %s |\n", k.name, question, can);
    }
}

/* ---- one kind ------------------------------------------------------------------------------------------ */

static void show_knob(const blm_knobdef *d)
{
    char def[64];
    if (d->def < d->min)
        snprintf(def, sizeof def, "N"); /* without it, the plan chooses */
    else
        snprintf(def, sizeof def, "%g", d->def);
    if (d->type == BLM_K_WORD) {
        host_knob_word(def, sizeof def, d, d->def);
        out_text("  --set %s=%s   %s; one of %s\n", d->name, def, d->doc, d->words);
    } else
        out_text("  --set %s=%s   %s; from %g to %g\n", d->name, def, d->doc, d->min, d->max);
}

static void show_page(const blm_kind_info *k)
{
    char words[512];
    blm_knobdef d;
    const char *page = page_of(k->name);
    if (page)
        out_bytes(page, strlen(page));
    else
        out_text("%s\n", k->name);
    out_text("\nKNOBS%s\n", k->nknobs ? "" : "     none");
    for (size_t i = 0; blm_knob_at(k->name, i, &d); i++) show_knob(&d);
    host_abilities(words, sizeof words, k->can, " ");
    out_text("\nCAN       %s\n", words);
    host_promises(words, sizeof words, k->promises, " ");
    out_text("PROMISES  %s\n", words[0] ? words : "none");
    if (!k->clock) return;
    host_clocks(words, sizeof words, k->clock, " or ");
    out_text("FORGETS   by %s\n", words);
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static void json_knob(const blm_knobdef *d)
{
    static const char *const types[] = {"number", "word", "size", "time", "numbers"};
    char def[64];
    json_open(NULL, '{');
    json_text("name", d->name);
    json_text("doc", d->doc);
    json_text("type", types[d->type]);
    if (d->type == BLM_K_WORD) {
        host_knob_word(def, sizeof def, d, d->def);
        json_text("default", def);
        json_text("words", d->words);
    } else {
        if (d->def < d->min)
            json_null("default"); /* the plan chooses */
        else
            json_number("default", d->def);
        json_number("min", d->min);
        json_number("max", d->max);
    }
    json_close('}');
}

static void json_kind(const blm_kind_info *k)
{
    blm_knobdef d;
    json_open(NULL, '{');
    json_text("name", k->name);
    json_text("group", k->group);
    host_json_abilities(json_output(), "abilities", k->can);
    host_json_promises(json_output(), "promises", k->promises);
    json_open("knobs", '[');
    for (size_t i = 0; blm_knob_at(k->name, i, &d); i++) json_knob(&d);
    json_close(']');
    host_json_clocks(json_output(), "clocks", k->clock);
    json_bool("static", k->is_static);
    json_bool("false_negatives", k->misses);
    json_bool("integers", k->integers);
    json_close('}');
}

static void show_json(const blm_kind_info *only)
{
    blm_kind_info k;
    json_open(NULL, '{');
    json_open("kinds", '[');
    if (only)
        json_kind(only);
    else
        for (size_t i = 0; blm_kind_at(i, &k); i++) json_kind(&k);
    json_close(']');
    json_close('}');
    json_end_line();
}

static ending run_kinds(settings *s)
{
    blm_kind_info k;
    const char *name = s->operands ? s->operand[0] : NULL;
    if (name && kind_known("", name)) return END_TROUBLE;
    if (name) blm_kind_named(name, &k);
    if (s->json)
        show_json(name ? &k : NULL);
    else if (own(s)->markdown)
        show_markdown();
    else if (name)
        show_page(&k);
    else
        show_table();
    return END_YES;
}

static const option kinds_options[] = {
    OPTION_JSON,
    {0, "markdown", NULL,
     "print the table of kinds as Markdown, with the question that each answers", TAKE_FLAG,
     offsetof(kinds_settings, markdown), 0, 0},
    OPTION_END,
};

const verb verb_kinds = {
    .name = "kinds",
    .about = "list all kinds and what they can do, or show the page of one kind",
    .usage = "kinds [KIND] [--json]",
    .text = "Without KIND: a table of all kinds. With KIND: its page, its knobs and its abilities.",
    .options = kinds_options,
    .examples = {"bloomery kinds", "bloomery kinds counting"},
    .endings = "0 shown, 2 usage",
    .max_operands = 1,
    .size = sizeof(kinds_settings),
    .run = run_kinds,
};

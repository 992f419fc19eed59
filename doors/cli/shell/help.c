/* help.c - bloomery help: the list of verbs, or one verb's page; both are made from the tables. */
#include <stdio.h>
#include <string.h>

#include "habits.h"
#include "input/input.h"
#include "shell/help.h"

typedef struct help_settings {
    settings base;
    bool man;
} help_settings;

static const help_settings *own(const settings *s) { return (const help_settings *)s; }

const verb *verb_named(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    return NULL;
}

static bool some_kind_can(blm_ability what)
{
    blm_kind_info k;
    for (size_t i = 0; blm_kind_at(i, &k); i++)
        if (k.can & (uint32_t)what) return true;
    return false;
}

const verb *verb_at(size_t i)
{
    for (size_t at = 0; verbs[at]; at++)
        if ((!verbs[at]->needs || some_kind_can(verbs[at]->needs)) && i-- == 0) return verbs[at];
    return NULL;
}

void needs_listed(char *out, size_t room, const char *between)
{
    const char *name;
    size_t used = 0;
    out[0] = 0;
    for (unsigned i = 0; (name = blm_need_name((blm_need)(1u << i))) && used < room; i++) {
        blm_config any;
        blm_offer offer;
        size_t n = 1;
        blm_config_init(&any);
        if (blm_plan(&any, 1u << i, &offer, &n, NULL)) continue; /* no kind has it */
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? between : "", name);
    }
}

const char *verb_text(const verb *v, char room[TEXT_ROOM])
{
    char needs[256];
    const char *hole = strstr(v->text, NEEDS_HERE);
    if (!hole) return v->text;
    needs_listed(needs, sizeof needs, ", ");
    snprintf(room, TEXT_ROOM, "%.*s%s%s", (int)(hole - v->text), v->text, needs,
             hole + strlen(NEEDS_HERE));
    return room;
}

#define VERBS_MAX 64

ending no_such_verb(const char *name)
{
    const char *names[VERBS_MAX];
    size_t n = 0;
    for (const verb *v; n < VERBS_MAX && (v = verb_at(n)); n++) names[n] = v->name;
    const char *near = verb_meant(name);
    if (!near) near = blm_nearest(name, names, n);
    return near ? trouble("%s: no such verb; did you mean %s?", name, near)
                : trouble("%s: no such verb (bloomery --help lists them)", name);
}

static void help_option(const option *o)
{
    char head[64], letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
             o->value ? o->value : "");
    out_text("  %-24s %s\n", head, o->help);
}

void help_verb(const verb *v)
{
    char room[TEXT_ROOM];
    out_text("usage: bloomery %s\n\n%s\n\noptions:\n", v->usage, verb_text(v, room));
    const option *o;
    for (size_t i = 0; (o = option_at(v, i)); i++) help_option(o);
    out_text("  %-24s %s\n  %-24s %s\n", "-h, --help", "show this text", "    --version",
             "show the version and the compressed inputs that it reads");
    out_text("\nexamples:\n  %s\n  %s\n\nexit: %s\n", v->examples[0], v->examples[1], v->endings);
}

const char help_numbers[] =
    "Numbers: 1e9, 10M (= 10^7), 0.1%, 1/1000; sizes: 128B, 64KiB, 2GiB, 1024b (bits).";

const char *const help_exit[] = {"yes, some, success",   "no, none",
                                 "usage, input, output", "not a sound image",
                                 "over capacity",        "incompatible filters",
                                 "cannot be decoded",    NULL};

void show_version(void)
{
    out_text("bloomery %s\n", blm_version());
    packing_show();
}

void help_all(void)
{
    const verb *v;
    out_text("usage: bloomery VERB ...\n\n");
    for
        EACH_VERB(v) out_text("  %-10s %s\n", v->name, v->about);
    out_text("\n%s\nExit: ", help_numbers);
    for (size_t i = 0; help_exit[i]; i++)
        out_text("%s%zu %s", !i ? "" : i == 4 ? ";\n      " : "; ", i, help_exit[i]);
    out_text(".\nNew here? bloomery demo\n");
}

static ending show(const settings *s, const verb *v)
{
    if (v)
        (own(s)->man ? manual_verb : help_verb)(v);
    else
        (own(s)->man ? manual_all : help_all)();
    return END_YES;
}

static ending run_help(settings *s)
{
    if (!s->operands) return show(s, NULL);
    const verb *v = verb_named(s->operand[0]);
    return v ? show(s, v) : no_such_verb(s->operand[0]);
}

static const option help_options[] = {
    {0, "man", NULL, "print a manual page, for man -l -", TAKE_FLAG, offsetof(help_settings, man),
     0, 0},
    OPTION_END,
};

const verb verb_help = {
    .name = "help",
    .about = "show this list, or the options and examples of one verb",
    .usage = "help [--man] [VERB]",
    .text = "The same text as bloomery VERB --help and man bloomery-VERB.",
    .options = help_options,
    .examples = {"bloomery help build", "bloomery help --man build | man -l -"},
    .endings = "0 shown, 2 no such verb",
    .max_operands = 1,
    .size = sizeof(help_settings),
    .run = run_help,
};

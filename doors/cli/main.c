/* main.c - bloomery VERB ...: finds the verb, and the help that is made from its table. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const verb *const verbs[] = {&verb_demo,  &verb_kinds, &verb_plan,  &verb_build,
                             &verb_test,  &verb_grep,  &verb_info,  &verb_verify,
                             &verb_merge, &verb_fold,  &verb_bench, NULL};

static const verb *find_verb(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    return NULL;
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
    out_text("usage: bloomery %s\n\n%s\n\noptions:\n", v->usage, v->text);
    const option *o;
    for (size_t i = 0; (o = option_at(v, i)); i++) help_option(o);
    out_text("  %-24s %s\n  %-24s %s\n", "-h, --help", "this text", "    --version",
             "the library's version");
    out_text("\nexamples:\n  %s\n  %s\n\nexit: %s\n", v->examples[0], v->examples[1], v->endings);
}

static void help_all(void)
{
    out_text("usage: bloomery VERB ...\n\n");
    for (size_t i = 0; verbs[i]; i++) out_text("  %-8s %s\n", verbs[i]->name, verbs[i]->about);
    out_text("  %-8s %s\n", "help", "this list, or one verb's options and examples: help VERB");
    out_text(
        "\n"
        "Numbers: 1e9, 10M (= 10^7), 0.1%%, 1/1000; sizes: 128B, 64KiB, 2GiB, 1024b (bits).\n"
        "Exit: 0 yes, some, success; 1 no, none; 2 usage, input, output; 3 not a sound image;\n"
        "      4 over capacity; 5 incompatible filters; 6 cannot be decoded.\n"
        "New here? bloomery demo\n");
}

static ending no_such_verb(const char *name)
{
    const char *names[COUNT_OF(verbs)];
    size_t n = 0;
    for (; verbs[n]; n++) names[n] = verbs[n]->name;
    names[n++] = "help";
    const char *near = nearest_word(name, names, n);
    return near ? trouble("%s: no such verb; did you mean %s?", name, near)
                : trouble("%s: no such verb; bloomery --help lists them", name);
}

static ending help(const char *about)
{
    const verb *v = about ? find_verb(about) : NULL;
    if (about && !v) return no_such_verb(about);
    if (v)
        help_verb(v);
    else
        help_all();
    return END_YES;
}

static ending run_verb(const verb *v, const char *program, int argc, char **argv)
{
    settings s = {.verb = v, .program = program};
    ending end = END_TROUBLE;
    complain_as(v->name);
    s.operand = calloc((size_t)argc + 1, sizeof *s.operand);
    if (!s.operand) return trouble("no memory");
    if (options_parse(&s, argc, argv, &end)) end = v->run(&s);
    free(s.operand);
    return end;
}

static ending run(int argc, char **argv)
{
    if (argc < 2) return trouble("say what to do: bloomery demo, or bloomery --help");
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) return help(NULL);
    if (strcmp(first, "help") == 0) return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(first, "--version") == 0) {
        out_text("bloomery %s\n", blm_version());
        return END_YES;
    }
    if (first[0] == '-')
        return trouble("%s: the verb comes first; bloomery --help lists them", first);
    const verb *v = find_verb(first);
    return v ? run_verb(v, argv[0], argc - 2, argv + 2) : no_such_verb(first);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE,
           SIG_DFL); /* a reader that left ends us silently, although a parent may ignore it */
    signal(SIGXFSZ, SIG_IGN); /* a file limit is a failed write: the temp file is cleared away */
    return (int)out_end(run(argc, argv));
}

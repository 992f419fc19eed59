/* fish.c - what TAB offers in fish: one complete line an option. */
#include <stdio.h>
#include <string.h>

#include "shell/completion.h"

static void print_quoted(const char *text)
{
    for (; *text; text++) out_text(strchr("'\\", *text) ? "\\%c" : "%c", *text);
}

/* -F: files too; -x: the words alone. */
static void print_offer(follows what, const char *words)
{
    switch (what) {
    case FOLLOWS_FILES:
        out_text(" -r -F");
        return;
    case FOLLOWS_FOLDERS:
        out_text(" -x -a '(__fish_complete_directories)'");
        return;
    case FOLLOWS_KINDS:
        out_text(" -x -a '(__bloomery_kinds)'");
        return;
    case FOLLOWS_LIST:
        out_text(" -x -a '(__fish_complete_list , \"printf %%s\\\\\\\\n %s\")'", words);
        return;
    case FOLLOWS_KNOBS:
        out_text(" -x -a '(__bloomery_knobs)'");
        return;
    case FOLLOWS_VERBS:
        out_text(" -x -a '(__bloomery_verbs)'");
        return;
    case FOLLOWS_WORDS:
        out_text(" -x -a '%s'", words);
        return;
    case FOLLOWS_NOTHING:
        out_text(" -x");
    }
}

static void print_option(const verb *v, const option *o)
{
    char words[WORDS_ROOM];
    out_text("complete -c bloomery -n '__bloomery_verb %s'", v->name);
    if (o->letter) out_text(" -s %c", o->letter);
    out_text(" -l %s", o->name);
    if (o->value) print_offer(follows_option(o, words), words);
    out_text(" -d '");
    print_quoted(o->help);
    out_text("'\n");
}

static void print_verb(const verb *v)
{
    const option *o;
    char words[WORDS_ROOM];
    const follows what = follows_verb(v, words);
    for
        EACH_OPTION(v, o) print_option(v, o);
    out_text(
        "complete -c bloomery -n '__bloomery_verb %s' -s h -l help -d 'show this text'\n"
        "complete -c bloomery -n '__bloomery_verb %s' -l version -d 'the library\\'s version'\n",
        v->name, v->name);
    if (what == FOLLOWS_NOTHING) return;
    out_text("complete -c bloomery -n '__bloomery_verb %s'", v->name);
    if (what == FOLLOWS_FILES)
        out_text(" -F");
    else
        print_offer(what, words);
    out_text("\n");
}

static void print_verbs(void)
{
    const verb *v;
    out_text("function __bloomery_verbs\n    printf '%%s\\t%%s\\n'");
    for
        EACH_VERB(v)
        {
            out_text(" %s '", v->name);
            print_quoted(v->about);
            out_text("'");
        }
    out_text("\nend\n");
}

static void print_knobs(void)
{
    blm_kind_info k;
    out_text("function __bloomery_knobs\n"
             "    set -l kind (commandline -opc | string match -r '^(?:-t|--kind=)(.+)$')[2]\n"
             "    set -l words (commandline -opc)\n"
             "    for i in (seq (count $words))\n"
             "        contains -- $words[$i] -t --kind; and set kind $words[(math $i + 1)]\n"
             "    end\n"
             "    switch \"$kind\"\n");
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        if (!k.nknobs) {
            out_text("        case %s\n            true\n", k.name);
            continue;
        }
        out_text("        case %s\n            printf '%%s\\n'", k.name);
        each_knob(k.name, " %s");
        out_text("\n");
    }
    out_text("        case '*'\n            printf '%%s\\n'");
    each_knob(NULL, " %s");
    out_text("\n    end\nend\n");
}

void completion_fish(void)
{
    const verb *v;
    out_text("# fish completion of bloomery %s, made by: bloomery completion fish\n"
             "function __bloomery_verb\n    set -l words (commandline -opc)\n"
             "    test (count $words) -gt 1; and test $words[2] = $argv[1]\nend\n"
             "function __bloomery_no_verb\n    test (count (commandline -opc)) -eq 1\nend\n"
             "function __bloomery_kinds\n    printf '%%s\\n'",
             blm_version());
    each_kind(" %s");
    out_text("\nend\n");
    print_verbs();
    print_knobs();
    out_text("complete -c bloomery -f\n"
             "complete -c bloomery -n __bloomery_no_verb -a '(__bloomery_verbs)'\n"
             "complete -c bloomery -n __bloomery_no_verb -l help -d 'the verbs'\n"
             "complete -c bloomery -n __bloomery_no_verb -l version -d 'the version'\n");
    for
        EACH_VERB(v) print_verb(v);
}

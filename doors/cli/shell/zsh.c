/* zsh.c - what TAB offers in zsh: one _arguments call a verb. */
#include <stdio.h>
#include <string.h>

#include "shell/completion.h"

/* Inside '...' and inside [...] and before a colon of _arguments. */
static void print_quoted(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            out_text("'\\''");
        else
            out_text(strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
    }
}

static const char *action_of(follows what)
{
    switch (what) {
    case FOLLOWS_FILES:
        return "_files";
    case FOLLOWS_FOLDERS:
        return "_files -/";
    case FOLLOWS_KINDS:
        return "_bloomery_kinds";
    case FOLLOWS_KNOBS:
        return "_bloomery_knobs";
    case FOLLOWS_VERBS:
        return "_bloomery_verbs";
    default:
        return " ";
    }
}

static void print_action(follows what, const char *words)
{
    if (what == FOLLOWS_WORDS)
        out_text("(%s)", words);
    else if (what == FOLLOWS_LIST)
        out_text("_values -s , word %s", words);
    else
        out_text("%s", action_of(what));
}

static void print_option(const option *o)
{
    char words[WORDS_ROOM];
    const char *equals = o->value ? "=" : "", *again = o->type >= TAKE_KNOB ? "*" : "";
    if (o->letter)
        out_text("            '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter,
                 o->value ? "+" : "", o->name, equals);
    else
        out_text("            '%s--%s%s[", again, o->name, equals);
    print_quoted(o->help);
    out_text("]");
    if (o->value) {
        out_text(":");
        print_quoted(o->value);
        out_text(":");
        print_action(follows_option(o, words), words);
    }
    out_text("' \\\n");
}

static void print_verb(const verb *v)
{
    const option *o;
    char words[WORDS_ROOM];
    const follows what = follows_verb(v, words);
    out_text("    %s)\n        _arguments -s -S \\\n", v->name);
    for
        EACH_OPTION(v, o) print_option(o);
    out_text("            '(-h --help)'{-h,--help}'[show this text]' --version");
    if (what != FOLLOWS_NOTHING) {
        out_text(" \\\n            '*:operand:");
        print_action(what, words);
        out_text("'");
    }
    out_text(" ;;\n");
}

/* A knob that wants a value is left open, one whose word is chosen ends in a blank. */
static void print_knobs(void)
{
    blm_kind_info k;
    out_text("_bloomery_knobs() {\n    local -a knobs\n"
             "    case ${opt_args[-t]:-${opt_args[--kind]}} in\n");
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        out_text("    %s) knobs=(", k.name);
        each_knob(k.name, " %s");
        out_text(" ) ;;\n");
    }
    out_text("    *) knobs=(");
    each_knob(NULL, " %s");
    out_text(" ) ;;\n    esac\n"
             "    compadd -S '' -- ${(M)knobs:#*=}\n    compadd -- ${knobs:#*=}\n}\n");
}

void completion_zsh(void)
{
    const verb *v;
    out_text("#compdef bloomery\n# zsh completion of bloomery %s, made by: bloomery completion "
             "zsh\n_bloomery_verbs() {\n    local -a verbs=(\n",
             blm_version());
    for
        EACH_VERB(v)
        {
            out_text("        '%s:", v->name);
            print_quoted(v->about);
            out_text("'\n");
        }
    out_text("    )\n    _describe -t verbs verb verbs\n}\n_bloomery_kinds() { compadd \"$@\" --");
    each_kind(" %s");
    out_text("; }\n");
    print_knobs();
    out_text("_bloomery() {\n    typeset -A opt_args\n    local context state line verb\n"
             "    if (( CURRENT == 2 )); then\n        _bloomery_verbs\n        return\n    fi\n"
             "    verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $verb in\n");
    for
        EACH_VERB(v) print_verb(v);
    out_text("    esac\n}\n"
             "if [ \"$funcstack[1]\" = _bloomery ]; then _bloomery \"$@\"; "
             "else compdef _bloomery bloomery; fi\n");
}

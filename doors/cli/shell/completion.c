/* completion.c - bloomery completion: what TAB offers, made from the verbs' own tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "shell/completion.h"
#include "shell/help.h"

/* ---- what follows ------------------------------------------------------------------------------- */

static void all_kinds(char words[WORDS_ROOM])
{
    blm_kind_info k;
    size_t used = 0;
    for (size_t i = 0; blm_kind_at(i, &k) && used < WORDS_ROOM; i++)
        used += (size_t)snprintf(words + used, WORDS_ROOM - used, "%s%s", i ? " " : "", k.name);
}

follows follows_option(const option *o, char words[WORDS_ROOM])
{
    words[0] = 0;
    if (!o->value) return FOLLOWS_NOTHING;
    if (o->type == TAKE_KNOB) return FOLLOWS_KNOBS;
    if (o->type != TAKE_TEXT) return FOLLOWS_NOTHING;
    if (strcmp(o->name, "kind") == 0) return FOLLOWS_KINDS;
    if (strcmp(o->name, "kinds") == 0) {
        all_kinds(words);
        return FOLLOWS_LIST;
    }
    if (strcmp(o->name, "need") == 0) {
        needs_listed(words, WORDS_ROOM, " ");
        return FOLLOWS_LIST;
    }
    if (strcmp(o->name, "no-key") == 0) {
        snprintf(words, WORDS_ROOM, "keep drop fail");
        return FOLLOWS_WORDS;
    }
    if (strcmp(o->value, "DIR") == 0) return FOLLOWS_FOLDERS;
    const bool file = strcmp(o->value, "FILE") == 0 || strcmp(o->value, "LIST") == 0;
    return file ? FOLLOWS_FILES : FOLLOWS_NOTHING;
}

/* One word of a usage, without its brackets and dots. False: no more. */
static bool next_word(const char **at, char *word, size_t room, bool *option_opens)
{
    const char *p = *at + strspn(*at, " ");
    const size_t n = strcspn(p, " ");
    size_t from = 0, to = n;
    *at = p + n;
    if (!n) return false;
    while (from < to && p[from] == '[') from++;
    *option_opens = p[from] == '-' && p[n - 1] != ']'; /* its value is the next word */
    while (to > from && (p[to - 1] == ']' || p[to - 1] == '.')) to--;
    snprintf(word, room, "%.*s", (int)(to - from), p + from);
    return true;
}

follows follows_verb(const verb *v, char words[WORDS_ROOM])
{
    const char *at = v->usage + strlen(v->name);
    char word[64];
    bool value = false, opens = false;
    follows found = FOLLOWS_NOTHING;
    words[0] = 0;
    while (next_word(&at, word, sizeof word, &opens)) {
        const bool operand = !value && word[0] != '-';
        value = opens;
        if (!operand) continue;
        if (strcmp(word, "KIND") == 0) return FOLLOWS_KINDS;
        if (strcmp(word, "VERB") == 0) return FOLLOWS_VERBS;
        if (strchr(word, '|') && islower((unsigned char)word[0])) {
            snprintf(words, WORDS_ROOM, "%s", word);
            for (char *bar = words; (bar = strchr(bar, '|'));) *bar = ' ';
            return FOLLOWS_WORDS;
        }
        found = FOLLOWS_FILES;
    }
    return found;
}

/* ---- words of the library's tables ----------------------------------------------------------------- */

/* A format with one %s comes from the three scripts, never from outside. */
static void print_as(const char *format, const char *word)
{
    const char *hole = strstr(format, "%s");
    out_bytes(format, (size_t)(hole - format));
    out_text("%s%s", word, hole + 2);
}

void each_kind(const char *format)
{
    blm_kind_info k;
    for (size_t i = 0; blm_kind_at(i, &k); i++) print_as(format, k.name);
}

static void print_knob(const blm_knobdef *d, const char *format)
{
    char text[128];
    const char *p = d->words;
    snprintf(text, sizeof text, "%s=", d->name);
    if (d->type != BLM_K_WORD || !p) {
        print_as(format, text);
        return;
    }
    for (size_t n; *p; p += n + (p[n] == '|')) {
        n = strcspn(p, "|");
        snprintf(text, sizeof text, "%s=%.*s", d->name, (int)n, p);
        print_as(format, text);
    }
}

/* Two kinds may have one knob: all knobs come without twins. */
static bool earlier_has(size_t kind, const char *knob)
{
    blm_kind_info k;
    blm_knobdef d;
    for (size_t i = 0; i < kind && blm_kind_at(i, &k); i++)
        for (size_t j = 0; blm_knob_at(k.name, j, &d); j++)
            if (strcmp(d.name, knob) == 0) return true;
    return false;
}

void each_knob(const char *kind, const char *format)
{
    blm_kind_info k;
    blm_knobdef d;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        if (kind && strcmp(kind, k.name) != 0) continue;
        for (size_t j = 0; blm_knob_at(k.name, j, &d); j++)
            if (kind || !earlier_has(i, d.name)) print_knob(&d, format);
    }
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

static ending run_completion(settings *s)
{
    const char *names[COUNT_OF(shells)];
    for (size_t i = 0; i < COUNT_OF(shells); i++) {
        names[i] = shells[i].name;
        if (strcmp(shells[i].name, s->operand[0]) != 0) continue;
        shells[i].print();
        return END_YES;
    }
    const char *near = blm_nearest(s->operand[0], names, COUNT_OF(names));
    return trouble("%s: no completion for that shell; must be bash, zsh or fish%s%s%s",
                   s->operand[0], near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static const option completion_options[] = {OPTION_END};

const verb verb_completion = {
    .name = "completion",
    .about = "print a script for tab completion",
    .usage = "completion bash|zsh|fish",
    .text =
        "The script completes verbs, options, kinds, knobs and files as this program knows them. "
        "It is printed\n"
        "to standard output. make install puts all three scripts where the shells look for them.",
    .options = completion_options,
    .examples = {"source <(bloomery completion bash)",
                 "bloomery completion fish > ~/.config/fish/completions/bloomery.fish"},
    .endings = "0 printed, 2 no such shell",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_completion,
};

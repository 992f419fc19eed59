/* options.c - a verb's table against the words of the command line: options stand anywhere, letters
 * may be bundled (-vc), a value may follow or be attached (-n5, --set=width=8), -- ends them. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "habits.h"
#include "shell/help.h"

/* ---- one value ------------------------------------------------------------------------------ */

static bool wrong(const option *o, const char *text)
{
    if (o->letter)
        complain("-%c %s", o->letter, text);
    else
        complain("--%s %s", o->name, text);
    return false;
}

static bool wrong_count(const option *o, const char *text, const char *why)
{
    char sentence[160];
    if (!strchr(text, ',') || text[strspn(text, "0123456789,")]) return wrong(o, why);
    snprintf(sentence, sizeof sentence, "%.60s: write the number without commas", text);
    return wrong(o, sentence);
}

/* For grep -f is a file: that is said where the value is no list of fields. */
static bool take_fields(settings *s, const option *o, const char *text)
{
    char why[320];
    if (text[strspn(text, "0123456789,-")]) {
        snprintf(why, sizeof why,
                 "%.60s: -f N says which field is the key; name the file without -f: bloomery %s "
                 "%.60s ...",
                 text, s->verb->name, text);
        return wrong(o, why);
    }
    if (!fields_parse(text, &s->read.fields, why, sizeof why)) return wrong(o, why);
    const field_range *last = &s->read.fields.range[s->read.fields.n - 1];
    s->read.field = last->to == UINT64_MAX ? last->from : last->to;
    return true;
}

static bool take_count(settings *s, const option *o, const char *text)
{
    blm_report why;
    char range[160];
    uint64_t n = 0;
    if (blm_parse_count(text, &n, &why)) return wrong_count(o, text, why.text);
    if (n < o->min || n > o->max) {
        snprintf(range, sizeof range, "%.40s: must be from %" PRIu64 " to %.9g%s", text, o->min,
                 (double)o->max,
                 n || strcmp(o->name, "keys") != 0
                     ? ""
                     : "; leave it out to size the filter for the keys of the input");
        return wrong(o, range);
    }
    memcpy((char *)s + o->at, &n, sizeof n);
    return true;
}

static bool take_size(settings *s, const option *o, const char *text)
{
    blm_report why;
    uint64_t bits = 0;
    if (blm_parse_bits(text, &bits, &why)) return wrong(o, why.text);
    /* Cells are kept in words of 8 bytes, and the last one must not pass a size in bytes. A size in
     * bits is the number of cells, and stays odd where it is. */
    if (text[strlen(text) - 1] == 'B' && bits > 64) bits -= bits % 64;
    memcpy((char *)s + o->at, &bits, sizeof bits);
    return true;
}

static bool with_point(const option *o, const char *text)
{
    char sentence[160], better[48];
    snprintf(better, sizeof better, "%.40s", text);
    for (char *p = better; (p = strchr(p, ','));) *p = '.';
    snprintf(sentence, sizeof sentence, "%.40s: use a point, not a comma: %s", text, better);
    return wrong(o, sentence);
}

static bool take_rate(settings *s, const option *o, const char *text)
{
    blm_report why;
    double rate = 0;
    if (blm_parse_rate(text, &rate, &why)) {
        if (strchr(text, ',')) return with_point(o, text);
        const char *typed = strstr(why.text, text); /* "-p 2: ...", not "fpr 2: ..." */
        return wrong(o, typed ? typed : why.text);
    }
    if (o->letter == 'p' && rate > 0.5)
        complain("warning: -p %s: a filter that answers maybe to more than half of all non-members "
                 "is of little use; -p 1%% is common",
                 text);
    memcpy((char *)s + o->at, &rate, sizeof rate);
    return true;
}

/* A seed has 64 bits, more than a count: decimal or 0x hex. */
static bool take_seed(settings *s, const option *o, const char *text)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    const uint64_t base = hex ? 16 : 10;
    uint64_t seed = 0;
    bool fits = *digits != 0;
    for (; fits && *digits; digits++) {
        const char *at = strchr("0123456789abcdef0123456789ABCDEF", *digits);
        const uint64_t d = at ? (uint64_t)(at - "0123456789abcdef0123456789ABCDEF") % 16 : 99;
        fits = d < base && seed <= (UINT64_MAX - d) / base;
        if (fits) seed = seed * base + d;
    }
    if (!fits) {
        char sentence[160];
        snprintf(sentence, sizeof sentence,
                 "%.40s: must be a number from 0 to 18446744073709551615, or 0x and hex", text);
        return wrong(o, sentence);
    }
    s->hash.seed = seed;
    s->hash.seeded = true;
    return true;
}

static bool take_number(settings *s, const option *o, const char *text)
{
    char *end = NULL, sentence[160];
    const double v = strtod(text, &end); /* no locale is set: the point is a point */
    if (!*text || *end || !(v > 0) || v > 1e18) {
        snprintf(sentence, sizeof sentence, "%.40s: must be a number above 0, such as 1 or 0.5",
                 text);
        return wrong(o, sentence);
    }
    memcpy((char *)s + o->at, &v, sizeof v);
    return true;
}

static bool take_knob(settings *s, const option *o, const char *text)
{
    char *with = (char *)s + o->at; /* a knobs_given */
    const size_t used = strlen(with), room = KNOBS_ROOM - used;
    const int n = snprintf(with + used, room, "%s%s", used ? " " : "", text);
    if (n > 0 && (size_t)n < room) return true;
    return wrong(o, "...: all knobs together must have at most 511 bytes");
}

static bool take_list(settings *s, const option *o, const char *text)
{
    const char **list = (const char **)(void *)((char *)s + o->at); /* a lists_given */
    size_t n = 0;
    while (n + 1 < LISTS_ROOM && list[n]) n++;
    if (n + 1 == LISTS_ROOM) return wrong(o, "...: give at most 7 lists");
    if (!strchr(text, '='))
        return wrong(o, "must be the name of a list, =, and a file: unwanted=bad.txt");
    list[n] = text;
    return true;
}

static bool take_value(settings *s, const option *o, const char *text)
{
    const bool yes = true;
    assert(o->at < (s->verb->size ? s->verb->size : sizeof *s)); /* a verb without its .size */
    switch (o->type) {
    case TAKE_FLAG:
        memcpy((char *)s + o->at, &yes, sizeof yes);
        return true;
    case TAKE_TEXT:
        memcpy((char *)s + o->at, &text, sizeof text);
        return true;
    case TAKE_COUNT:
        return take_count(s, o, text);
    case TAKE_RATE:
        return take_rate(s, o, text);
    case TAKE_SIZE:
        return take_size(s, o, text);
    case TAKE_SEED:
        return take_seed(s, o, text);
    case TAKE_NUMBER:
        return take_number(s, o, text);
    case TAKE_KNOB:
        return take_knob(s, o, text);
    case TAKE_LIST:
        return take_list(s, o, text);
    case TAKE_FIELDS:
        return take_fields(s, o, text);
    }
    return false;
}

/* ---- the words --------------------------------------------------------------------------------- */

static const option common[] = {
    /* of every verb */
    {'q', "quiet", NULL, "print no summary and no progress", TAKE_FLAG, offsetof(settings, quiet),
     0, 0},
    {'j', "jobs", "N", "use at most N threads (default: one per processor, up to 8)", TAKE_COUNT,
     offsetof(settings, limits.jobs), 1, 256},
    {0, "ram", "SIZE", "memory limit for what grows with the input; the rest goes to TMPDIR",
     TAKE_SIZE, offsetof(settings, limits.ram), 0, 0},
};

/* A row of its own in its place? */
static bool has_own(const verb *v, const option *row)
{
    for (const option *o = v->options; o->name; o++)
        if ((o->letter && o->letter == row->letter) || strcmp(o->name, row->name) == 0) return true;
    return false;
}

const option *option_at(const verb *v, size_t i)
{
    const option *o = v->options;
    for (; o->name; o++)
        if (i-- == 0) return o;
    for (size_t c = 0; c < COUNT_OF(common); c++) {
        if (has_own(v, &common[c])) continue; /* test has its own -q, top its own --ram */
        if (i-- == 0) return &common[c];
    }
    return NULL;
}

static const option *by_letter(const verb *v, char letter)
{
    const option *o;
    for (size_t i = 0; (o = option_at(v, i)); i++)
        if (o->letter == letter) return o;
    return NULL;
}

static const option *by_name(const verb *v, const char *name, size_t n)
{
    const option *o;
    for (size_t i = 0; (o = option_at(v, i)); i++)
        if (strlen(o->name) == n && memcmp(o->name, name, n) == 0) return o;
    return NULL;
}

static bool no_such_option(const verb *v, const char *name, size_t n)
{
    const char *names[48] = {"help", "version"};
    char word[40];
    size_t count = 2;
    const option *o;
    for (; count < COUNT_OF(names) && (o = option_at(v, count - 2)); count++)
        names[count] = o->name;
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word), name);
    const char *near = option_meant(v, word);
    if (!near) near = blm_nearest(word, names, count);
    if (near)
        complain("--%s: no such option; did you mean --%s?", word, near);
    else
        complain("--%s: no such option (see bloomery %s --help)", word, v->name);
    return false;
}

typedef struct words {
    int argc, at;
    char **argv;
} words;

static bool missing_value(const verb *v, const option *o)
{
    const char *habit = o->letter ? habit_of_letter(v, o->letter) : NULL;
    if (o->letter)
        complain("-%c needs a value: %s%s%s", o->letter, o->value, habit ? "; " : "",
                 habit ? habit : "");
    else
        complain("--%s needs a value: %s", o->name, o->value);
    return false;
}

static bool take_long(settings *s, words *w, const char *name)
{
    const size_t n = strcspn(name, "=");
    const option *o = by_name(s->verb, name, n);
    if (!o) return no_such_option(s->verb, name, n);
    if (!o->value) {
        if (!name[n]) return take_value(s, o, NULL);
        complain("--%s takes no value", o->name);
        return false;
    }
    if (name[n]) return take_value(s, o, name + n + 1);
    if (w->at >= w->argc) return missing_value(s->verb, o);
    return take_value(s, o, w->argv[w->at++]);
}

static void no_such_letter(const verb *v, char letter)
{
    const char *habit = habit_of_letter(v, letter);
    if (habit)
        complain("-%c: no such option; %s", letter, habit);
    else if (strstr(v->usage, "KEY"))
        complain(
            "-%c: no such option (see bloomery %s --help; put a KEY that begins with - after --)",
            letter, v->name);
    else
        complain("-%c: no such option (see bloomery %s --help)", letter, v->name);
}

static bool take_letters(settings *s, words *w, const char *letters)
{
    const size_t n = strcspn(letters, "=");
    if (n > 2 && by_name(s->verb, letters, n)) {
        complain("-%s: a long option has two dashes: --%s", letters, letters);
        return false;
    }
    for (; *letters; letters++) {
        const option *o = by_letter(s->verb, *letters);
        if (!o) {
            no_such_letter(s->verb, *letters);
            return false;
        }
        if (!o->value) {
            if (!take_value(s, o, NULL)) return false;
            continue;
        }
        /* -out is --out with a dash too few, not a file named ut. */
        if (letters[1] && o->letter == 'o') {
            complain("-%s: -o takes the next argument: -o %s, or --%s %s", letters, o->value,
                     o->name, o->value);
            return false;
        }
        if (letters[1]) return take_value(s, o, letters + 1);
        if (w->at >= w->argc) return missing_value(s->verb, o);
        return take_value(s, o, w->argv[w->at++]);
    }
    return true;
}

static bool operands_fit(const settings *s)
{
    const verb *v = s->verb;
    if (s->operands < v->min_operands)
        complain("missing argument; usage: bloomery %s", v->usage);
    else if (v->max_operands && s->operands > v->max_operands)
        complain("%s: unexpected argument; usage: bloomery %s", s->operand[v->max_operands],
                 v->usage);
    else
        return true;
    return false;
}

static bool wants_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

bool options_parse(settings *s, int argc, char **argv, ending *end)
{
    words w = {argc, 0, argv};
    bool open = true;
    *end = END_TROUBLE;
    while (w.at < w.argc) {
        char *word = w.argv[w.at++];
        if (!open || word[0] != '-' || !word[1])
            s->operand[s->operands++] = word;
        else if (strcmp(word, "--") == 0)
            open = false, s->literal = s->operands;
        else if (wants_help(word) || strcmp(word, "--version") == 0) {
            if (word[2] == 'v')
                show_version();
            else
                help_verb(s->verb);
            *end = END_YES;
            return false;
        } else if (word[1] == '-' ? !take_long(s, &w, word + 2) : !take_letters(s, &w, word + 1))
            return false;
    }
    if (open) s->literal = s->operands;
    return operands_fit(s);
}

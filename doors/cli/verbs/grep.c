/* grep.c - bloomery grep: lines whose key is, or is not, in a filter. */
#include <inttypes.h>
#include <string.h>

#include "exact/exact.h"
#include "image/change.h"
#include "image/clock.h"

typedef struct grep_settings {
    settings base;
    grep_wish wish;
    bool number, name, list; /* -n, -H, -l */
    uint64_t max;            /* -m: lines of one INPUT; 0: all */
} grep_settings;

static const grep_settings *own(const settings *s) { return (const grep_settings *)s; }
static const grep_wish *wish(const settings *s) { return &own(s)->wish; }

/* Do its options ask where a line comes from? Then each INPUT is read by itself. */
static bool by_input(const grep_settings *g) { return g->number || g->name || g->list || g->max; }

typedef struct search {
    const settings *s;
    const image *im;
    asker ask;
    const input *in;
    uint64_t chosen;
} search;

static void choose(void *ctx, const line *lines, size_t n, uint8_t *mark)
{
    const search *g = ctx;
    ask_all(g->ask, g->im, lines, n, mark);
    for (size_t i = 0; i < n && wish(g->s)->invert; i++) mark[i] = lines[i].key && !mark[i];
    for (size_t i = 0; i < n; i++)
        if (!lines[i].key) mark[i] = input_keeps(g->in, &lines[i]);
}

static bool show_chosen(void *ctx, const line *lines, size_t n, const uint8_t *mark)
{
    search *g = ctx;
    const settings *s = g->s;
    for (size_t i = 0; i < n; i++) g->chosen += mark[i] && lines[i].key;
    if (!s->quiet && !wish(s)->count) out_lines(lines, n, mark, s->read.zero ? '\0' : '\n');
    return !out_failed() && !(s->quiet && g->chosen);
}

/* name NULL: of all inputs. */
static void show_total(const settings *s, const char *name, uint64_t chosen)
{
    if (!s->json) {
        out_text("%s%s%" PRIu64 "\n", name ? name : "", name ? ":" : "", chosen);
        return;
    }
    json_open(NULL, '{');
    if (name) json_text("file", name);
    json_count("count", chosen);
    json_close('}');
    json_end_line();
}

/* ---- one INPUT at a time: -n, -H, -l, -m ------------------------------------------------------------ */

typedef struct search_one {
    search g;
    const char *name;
    uint64_t lines; /* of this input so far */
} search_one;

static void show_line(const search_one *o, const line *l)
{
    const grep_settings *g = own(o->g.s);
    if (g->name) out_text("%s:", o->name);
    if (g->number) out_text("%" PRIu64 ":", o->lines);
    out_bytes(l->text, l->length);
    out_bytes(g->base.read.zero ? "" : "\n", 1);
}

static bool show_one(void *ctx, const line *lines, size_t n, const uint8_t *mark)
{
    search_one *o = ctx;
    const grep_settings *g = own(o->g.s);
    const bool silent = g->base.quiet || g->list || g->wish.count;
    for (size_t i = 0; i < n && !out_failed(); i++) {
        o->lines++;
        if (!mark[i] || (line_is_header(&lines[i]) && !g->base.read.no_key)) continue;
        o->g.chosen += lines[i].key != NULL;
        if (!silent) show_line(o, &lines[i]);
        if (o->g.chosen && (g->base.quiet || g->list || o->g.chosen == g->max)) return false;
    }
    return !out_failed();
}

static void choose_one(void *ctx, const line *lines, size_t n, uint8_t *mark)
{
    choose(&((search_one *)ctx)->g, lines, n, mark);
}

static ending search_input(const settings *s, const image *im, const char *path, uint64_t *chosen)
{
    search_one o = {.g = {.s = s, .im = im}, .name = "(standard input)"};
    const work w = {.ctx = &o, .look = choose_one, .finish = show_one};
    input *in = input_open(s, &path, path ? 1 : 0);
    if (!in) return END_TROUBLE;
    if (path && strcmp(path, "-") != 0) o.name = path;
    o.g.in = in;
    o.g.ask = ask_input(im, in);
    const ending end = input_run(in, &w);
    input_close(in);
    if (end) return end;
    *chosen += o.g.chosen;
    if (s->quiet) return END_YES;
    if (own(s)->list && o.g.chosen) out_text("%s\n", o.name);
    if (wish(s)->count && own(s)->name && !own(s)->list) show_total(s, o.name, o.g.chosen);
    return END_YES;
}

static ending search_each(settings *s, const image *im)
{
    uint64_t chosen = 0;
    const size_t inputs = s->operands > 1 ? s->operands - 1 : 1;
    ending end = END_YES;
    s->read.header |= own(s)->number && s->read.csv; /* it has a number too */
    for (size_t i = 0; i < inputs && !end && !out_failed() && !(s->quiet && chosen); i++)
        end = search_input(s, im, s->operands > 1 ? s->operand[i + 1] : NULL, &chosen);
    if (end) return end;
    if (wish(s)->count && !s->quiet && !own(s)->name && !own(s)->list) show_total(s, NULL, chosen);
    return chosen ? END_YES : END_NO;
}

/* ---- all of them as one ------------------------------------------------------------------------------- */

static ending filter_lines(const settings *s, const image *im)
{
    search g = {.s = s, .im = im};
    const work w = {.ctx = &g, .look = choose, .finish = show_chosen};
    input *in = input_open(s, s->operand + 1, s->operands - 1);
    if (!in) return END_TROUBLE;
    g.in = in;
    g.ask = ask_input(im, in);
    const ending end = input_run(in, &w);
    input_close(in);
    if (end) return end;
    if (wish(s)->count && !s->quiet) show_total(s, NULL, g.chosen);
    return g.chosen ? END_YES : END_NO;
}

static ending confirm_lines(const settings *s, const image *im)
{
    uint64_t chosen = 0;
    const ending end = grep_confirm(s, wish(s), im, &chosen);
    if (end) return end;
    if (wish(s)->count && !s->quiet) show_total(s, NULL, chosen);
    return chosen ? END_YES : END_NO;
}

static ending run_grep(settings *s)
{
    image im;
    s->read.header = s->read.no_key && strcmp(s->read.no_key, "keep") == 0;
    if (s->json && !wish(s)->count)
        return trouble("--json: lines are printed as they are; use -c for the total as JSON, or "
                       "bloomery test --json for one answer per line");
    if (s->json && own(s)->list)
        return trouble("--json and -l: names are printed as they are; leave one of the two out");
    if (s->list && by_input(own(s)))
        return trouble("--confirm: cannot be combined with -n, -H, -l or -m; leave them out");
    if (wish(s)->deny && !s->list)
        return trouble("--deny: needs --confirm LIST, which shows which positives are false");
    if (wish(s)->deny && strcmp(s->operand[0], "-") != 0 &&
        change_allowed(s->operand[0], "--deny would change it"))
        return END_TROUBLE;
    if (one_pipe(s)) return END_TROUBLE;
    ending end =
        image_open_now(&im, s, s->operand[0], s->open.trust ? BLM_CHECK_NONE : BLM_CHECK_ALL);
    if (end) return end;
    warn_full(&im, s->operand[0]);
    end = form_apply(s, im.f, s->operand[0]);
    if (!end)
        end = s->list            ? confirm_lines(s, &im)
              : by_input(own(s)) ? search_each(s, &im)
                                 : filter_lines(s, &im);
    image_close(&im);
    return end;
}

static const option grep_options[] = {
    {'v', "invert", NULL, "print lines whose key is not in FILE (certain)", TAKE_FLAG,
     offsetof(grep_settings, wish.invert), 0, 0},
    {'c', "count", NULL, "print only the number of lines, one total", TAKE_FLAG,
     offsetof(grep_settings, wish.count), 0, 0},
    {'n', "line-number", NULL, "print the line number in INPUT, and a colon, before each line",
     TAKE_FLAG, offsetof(grep_settings, number), 0, 0},
    {'H', "with-filename", NULL,
     "print the name of the INPUT, and a colon, before each line or count", TAKE_FLAG,
     offsetof(grep_settings, name), 0, 0},
    {'l', "files-with-matches", NULL, "print only the names of INPUTs with a matching line",
     TAKE_FLAG, offsetof(grep_settings, list), 0, 0},
    {'m', "max-count", "N", "stop reading an INPUT after N matching lines", TAKE_COUNT,
     offsetof(grep_settings, max), 1, UINT64_C(9007199254740991)},
    {'q', "quiet", NULL, "print nothing; stop at the first matching line", TAKE_FLAG,
     offsetof(settings, quiet), 0, 0},
    {0, "confirm", "LIST",
     "check each match against LIST (one key per line), so that no false positive is printed",
     TAKE_TEXT, offsetof(settings, list), 0, 0},
    {0, "deny", NULL, "with --confirm: report the false positives to FILE (see deny)", TAKE_FLAG,
     offsetof(grep_settings, wish.deny), 0, 0},
    {0, "json", NULL, "with -c: the total as JSON", TAKE_FLAG, offsetof(settings, json), 0, 0},
    OPTION_KEY,
    OPTION_TRUST,
    OPTIONS_INPUT,
    OPTION_NOW,
    OPTION_END,
};

const verb verb_grep = {
    .name = "grep",
    .about = "print lines whose key is in a filter (-v: is not)",
    .usage = "grep [-v] [-c] [-q] [-n] [-H] [-l] [-m N] [--confirm LIST [--deny]] FILE [INPUT...]",
    .text = "Lines are printed byte for byte and in order, each as soon as it arrives. With -f, "
            "the key is one\n"
            "field, and the whole line is printed. Lines without that field neither match nor "
            "count as\n"
            "non-matching. With --csv, whole records are printed, but not the header. --no-key "
            "keep also prints\n"
            "the lines without that field and the header; they do not change the exit code or the "
            "count of -c.\n"
            "-n, -H, -l and -m work as in grep: numbers, names and the N of -m apply to each INPUT "
            "separately;\n"
            "for CSV, -n counts records, including the header. They cannot be combined with "
            "--confirm.\n"
            "--confirm looks up each match in LIST, the keys that FILE was built from, one per "
            "line: -d, -f, --csv\n"
            "and --jsonl apply to INPUT only. If LIST is larger than half of --ram or comes from a "
            "pipe, it is\n"
            "read after the input, and lines wait on disk until then. With --deny, FILE is changed "
            "at the end: it\n"
            "counts the false positives and, if its kind can, adapts to them.",
    .options = grep_options,
    .examples = {"bloomery grep -v seen.blm new-urls.txt",
                 "tail -F access.log | bloomery grep -d ' ' -f 1 bad-hosts.blm"},
    .endings = "0 some line matched, 1 none, 2 usage or I/O, 3 not a sound image",
    .min_operands = 1,
    .lines_out = true,
    .size = sizeof(grep_settings),
    .run = run_grep,
};

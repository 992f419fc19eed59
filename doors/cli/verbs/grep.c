/* grep.c - bloomery grep: lines whose key is, or is not, in a filter. */
#include <inttypes.h>
#include <string.h>

#include "exact/exact.h"
#include "image/change.h"

typedef struct grep_settings {
    settings base;
    grep_wish wish;
} grep_settings;

static const grep_wish *wish(const settings *s) { return &((const grep_settings *)s)->wish; }

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

static void show_total(const settings *s, uint64_t chosen)
{
    if (!s->json) {
        out_text("%" PRIu64 "\n", chosen);
        return;
    }
    json_open(NULL, '{');
    json_count("count", chosen);
    json_close('}');
    json_end_line();
}

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
    if (wish(s)->count && !s->quiet) show_total(s, g.chosen);
    return g.chosen ? END_YES : END_NO;
}

static ending confirm_lines(const settings *s, const image *im)
{
    uint64_t chosen = 0;
    const ending end = grep_confirm(s, wish(s), im, &chosen);
    if (end) return end;
    if (wish(s)->count && !s->quiet) show_total(s, chosen);
    return chosen ? END_YES : END_NO;
}

static ending run_grep(settings *s)
{
    image im;
    s->read.header = s->read.no_key && strcmp(s->read.no_key, "keep") == 0;
    if (s->json && !wish(s)->count)
        return trouble(
            "--json: lines come out as they are; with -c the total is JSON, and bloomery "
            "test --json answers line by line");
    if (wish(s)->deny && !s->list)
        return trouble("--deny: only --confirm LIST knows which positives are false");
    if (wish(s)->deny && strcmp(s->operand[0], "-") != 0 &&
        change_allowed(s->operand[0], "--deny would change it"))
        return END_TROUBLE;
    if (one_pipe(s)) return END_TROUBLE;
    ending end =
        image_open(&im, s, s->operand[0], s->open.trust ? BLM_CHECK_NONE : BLM_CHECK_ALL, false);
    if (end) return end;
    warn_full(&im, s->operand[0]);
    end = form_apply(s, im.f, s->operand[0]);
    if (!end) end = s->list ? confirm_lines(s, &im) : filter_lines(s, &im);
    image_close(&im);
    return end;
}

static const option grep_options[] = {
    {'v', "invert", NULL, "lines whose key is not in FILE (certain)", TAKE_FLAG,
     offsetof(grep_settings, wish.invert), 0, 0},
    {'c', "count", NULL, "print only how many, one total", TAKE_FLAG,
     offsetof(grep_settings, wish.count), 0, 0},
    {'q', "quiet", NULL, "print nothing, stop at the first such line", TAKE_FLAG,
     offsetof(settings, quiet), 0, 0},
    {0, "confirm", "LIST",
     "a line is in only if its key is a line of LIST: nothing false comes out", TAKE_TEXT,
     offsetof(settings, list), 0, 0},
    {0, "deny", NULL, "with --confirm: FILE is told which positives were false (see deny)",
     TAKE_FLAG, offsetof(grep_settings, wish.deny), 0, 0},
    {0, "json", NULL, "with -c: the total as JSON", TAKE_FLAG, offsetof(settings, json), 0, 0},
    OPTION_KEY,
    OPTION_TRUST,
    OPTIONS_INPUT,
    OPTION_END,
};

const verb verb_grep = {
    .name = "grep",
    .about = "lines whose key is (with -v: is not) in a filter",
    .usage = "grep [-v] [-c] [-q] [--confirm LIST [--deny]] FILE [INPUT...]",
    .text =
        "Lines come out byte for byte and in order, each as soon as it has arrived. With -f the "
        "key is one\n"
        "field; the whole line is printed. Lines without that field are neither in nor out. With\n"
        "--csv whole records come out, but not the header. --no-key keep prints the lines without "
        "that field and\n"
        "the header as well; they do not change the exit code or the count of -c.\n"
        "--confirm looks up each positive in LIST, what FILE was built of: one key a line, for -d, "
        "-f, --csv\n"
        "and --jsonl are of INPUT alone. A LIST beyond half of --ram, or by a pipe, is read after "
        "the input,\n"
        "and lines wait on disk until then. With --deny FILE is changed at the end: it counts the "
        "false\n"
        "positives and, if its kind can, learns from them.",
    .options = grep_options,
    .examples = {"bloomery grep -v seen.blm new-urls.txt",
                 "tail -F access.log | bloomery grep -d ' ' -f 1 bad-hosts.blm"},
    .endings = "0 some line, 1 none, 2 usage or I/O, 3 not a sound image",
    .least = 1,
    .lines_out = true,
    .size = sizeof(grep_settings),
    .run = run_grep,
};

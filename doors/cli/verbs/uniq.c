/* uniq.c - bloomery uniq: lines that came before are dropped; the others keep their order. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "exact/exact.h"
#include "image/image.h"
#include "uniq/uniq.h"

bool uniq_offers(const uniq *u, const char *option_name)
{
    const option *o;
    for (size_t i = 0; (o = option_at(u->s->verb, i)); i++)
        if (strcmp(o->name, option_name) == 0) return true;
    return false;
}

/* ---- lines ------------------------------------------------------------------------------------- */

typedef struct run {
    uniq *u;
    const uniq_way *way;
    ending end; /* of printing */
} run;

static ending judge_batch(const run *r, const line *lines, size_t n, uint8_t *print, size_t *done)
{
    blm_hash h[BATCH];
    uint64_t when[BATCH];
    uint16_t of[BATCH + 1] = {0};
    uint8_t chosen[BATCH];
    size_t keys = 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].key)
            of[keys] = (uint16_t)i, when[keys] = lines[i].when, h[keys++] = lines[i].h;
    of[keys] = (uint16_t)n;
    const ending end = r->way->judge(r->u, h, r->u->s->read.time ? when : NULL, keys, chosen, done);
    for (size_t i = 0; i < *done; i++) print[of[i]] = chosen[i];
    *done = of[*done]; /* in lines, not keys */
    return end;
}

static ending judge_lines(void *ctx, const line *lines, size_t n, uint8_t *print, size_t *done)
{
    ending end = END_YES;
    for (*done = 0; *done < n && !end;) {
        const size_t left = n - *done;
        size_t now = 0;
        end = judge_batch(ctx, lines + *done, left < BATCH ? left : BATCH, print + *done, &now);
        *done += now;
    }
    return end;
}

static ending judge_share(void *ctx, const blm_hash *h, size_t n, uint8_t *print, unsigned share,
                          unsigned shares)
{
    const run *r = ctx;
    return r->way->judge_share(r->u, h, n, print, share, shares);
}

/* Lines that cannot be compared: any thread knows what becomes of them. */
static void look(void *ctx, const line *lines, size_t n, uint8_t *print)
{
    const run *r = ctx;
    for (size_t i = 0; i < n; i++)
        if (!lines[i].key) print[i] = input_keeps(r->u->in, &lines[i]);
}

static unsigned shares_of(void *ctx, size_t n)
{
    const run *r = ctx;
    return r->way->shares(r->u, n);
}

static bool print_lines(void *ctx, const line *lines, size_t n, const uint8_t *print)
{
    run *r = ctx;
    r->u->printed += out_lines(lines, n, print, r->u->s->read.zero ? '\0' : '\n');
    if (!out_failed() && r->way->printed) r->end = r->way->printed(r->u);
    return !out_failed() && !r->end;
}

/* ---- the summary: standard output is the lines' ----------------------------------------------------- */

const char *lost_text(const uniq *u, double lost, char room[96])
{
    if (isnan(lost))
        snprintf(room, 96, "lost lines cannot be estimated: more than 5 times -n %" PRIu64 " came",
                 u->wish->keys);
    else
        snprintf(room, 96, "%.3g expected to be lost", lost);
    return room;
}

static const char *share_text(double share, char room[64])
{
    room[0] = 0;
    if (share > 0) snprintf(room, 64, ", %.3g of the lines that are new", share);
    return room;
}

static void summary_json(const uniq *u, uint64_t lines, const uniq_report *r)
{
    const double each = r->distinct ? (double)r->bytes / (double)r->distinct : 0;
    char lost[32] = "null", share[64] = "";
    if (!isnan(r->lost)) snprintf(lost, sizeof lost, "%.6g", r->lost);
    if (u->wish->kind) snprintf(share, sizeof share, ",\"expected_lost_share\":%.6g", r->share);
    fprintf(stderr,
            "{\"lines\":%" PRIu64 ",\"printed\":%" PRIu64 ",\"dropped\":%" PRIu64
            ",\"without_key\":%" PRIu64 ",\"expected_lost\":%s%s,\"bytes\":%" PRIu64
            ",\"distinct\":%" PRIu64 ",\"bytes_per_line\":%.6g}\n",
            lines, u->printed, lines - u->printed, input_keyless(u->in), lost, share, r->bytes,
            r->distinct, each);
}

static void summary(const uniq *u, const uniq_way *way)
{
    const uint64_t lines = input_judged(u->in) + input_headers(u->in);
    uniq_report r = {.lost = 0};
    char bytes[32], lost[96], share[64];
    out_flush(); /* on a terminal the lines come before what is said of them */
    way->report(u, &r);
    const double each = r.distinct ? (double)r.bytes / (double)r.distinct : 0;
    if (u->s->json)
        summary_json(u, lines, &r);
    else if (!u->s->quiet)
        complain("%" PRIu64 " line%s in, %" PRIu64 " out, %" PRIu64
                 " dropped; %s%s; %s of memory, %.2f bytes per distinct line%s",
                 lines, plural(lines), u->printed, lines - u->printed, lost_text(u, r.lost, lost),
                 share_text(r.share, share), text_bytes(bytes, r.bytes), each,
                 u->wish->kind ? " of the window" : "");
    else if (!(r.lost <= u->lost)) /* more than was agreed to is not kept quiet */
        complain("%s", lost_text(u, r.lost, lost));
}

/* ---- the verb ----------------------------------------------------------------------------------------- */

static ending all_lines(uniq *u, const uniq_way *way)
{
    run r = {u, way, END_YES};
    const work w = {.ctx = &r,
                    .look = look,
                    .judge = judge_lines,
                    .judge_share = way->judge_share ? judge_share : NULL,
                    .shares = shares_of,
                    .finish = print_lines};
    input_hash_with(u->in, way->hasher(u), false);
    ending end = input_run(u->in, &w);
    if (!end) end = r.end;
    if (!end) end = way->end(u);
    out_flush(); /* lines stand before what is said about them */
    if (!out_failed() && (!end || end == END_FULL)) summary(u, way);
    if (end == END_FULL) way->full(u);
    if (way->keep && !out_failed() && way->keep(u) && !end) end = END_TROUBLE;
    return end;
}

/* What only the filter of -t has, and an option of it that was given; NULL: none. */
static const char *of_filters(const settings *s, const uniq_settings *wish)
{
    return wish->kind      ? "-t"
           : wish->state   ? "--state"
           : wish->fpr > 0 ? "-p"
           : wish->with[0] ? "--set"
           : s->read.time  ? "--time"
                           : NULL;
}

static ending exactly(const settings *s, const uniq_settings *wish)
{
    if (wish->window)
        return trouble("--window %s: --exact drops every repeat, however far back the first one "
                       "is; leave one of the two out",
                       wish->window);
    if (of_filters(s, wish))
        return trouble("%s: --exact has no window; leave it out", of_filters(s, wish));
    if (wish->keys || wish->lost > 0 || s->open.overfill)
        return trouble("-n, --lost and --overfill: with --exact no line is lost; leave them out");
    return uniq_exact(s, wish->repeated);
}

/* -c and -u: nothing is known before the end, and then all is. */
static ending tallied(settings *s, const uniq_settings *wish)
{
    const uniq_tally_wish how = {wish->count, wish->once, wish->repeated};
    const char *flag = wish->count ? "-c" : "-u";
    if (of_filters(s, wish))
        return trouble("%s: exact counts need all lines; leave %s out", flag, of_filters(s, wish));
    if (wish->window || wish->keys || wish->lost > 0 || s->open.overfill)
        return trouble(
            "%s: exact counts need all lines; leave --window, -n, --lost and --overfill out", flag);
    if (wish->once && wish->repeated)
        return trouble("-u and --repeated: these contradict each other; give only one");
    s->read.header = !wish->count; /* a header has no count */
    return uniq_tally(s, &how);
}

static ending check_filter(const uniq_settings *wish)
{
    if (!wish->window)
        return trouble("-t %s: also give --window: after how many lines, or after which time, a "
                       "line is new again",
                       wish->kind);
    if (wish->repeated)
        return trouble("--repeated: not with -t, which keeps no trace of lines that it printed; "
                       "leave -t out");
    if (wish->lost > 0)
        return trouble("--lost: a window loses a share of its lines, however many come; use -p "
                       "for that share");
    return END_YES;
}

static ending check_ways(const settings *s, const uniq_settings *wish)
{
    if (wish->kind) return check_filter(wish);
    if (s->read.time && !wish->window)
        return trouble("--time: only a window has times; give --window 10m");
    if (of_filters(s, wish) && !s->read.time)
        return trouble("%s: needs -t KIND (and --window): only a filter that forgets has it",
                       of_filters(s, wish));
    if (wish->window && wish->keys)
        return trouble("-n and --window: a window is sized automatically; leave -n out, or use "
                       "constant memory with -t window");
    if (s->open.overfill && !wish->keys)
        return trouble(
            "--overfill: needs -n, because only a filter planned with -n can be overfull");
    return END_YES;
}

static ending with_way(uniq *u, const uniq_way *way)
{
    const settings *s = u->s;
    ending end = way->open(u);
    if (!end && !(u->in = input_open(s, s->operand, s->operands))) end = END_TROUBLE;
    if (!end && way->input) end = way->input(u);
    if (!end) end = all_lines(u, way);
    if (u->in) input_close(u->in);
    const int stopped = way->close(u);
    if (!stopped) return end;
    out_flush();
    signal(stopped, SIG_DFL);
    raise(stopped);
    return end;
}

static ending run_uniq(settings *s)
{
    const uniq_settings *wish = (const uniq_settings *)s;
    /* What has no key is not known to be a repeat: it stays, and among repeats it does not belong. */
    if (!s->read.no_key) s->read.no_key = wish->repeated ? "drop" : "keep";
    s->read.header = true;
    if (wish->count || wish->once) return tallied(s, wish);
    if (wish->exact) return exactly(s, wish);
    uniq u = {.s = s, .wish = wish, .lost = wish->lost > 0 ? wish->lost : 1};
    const uniq_way *way = wish->kind     ? &uniq_forget
                          : wish->window ? &uniq_window
                          : wish->keys   ? &uniq_plan
                                         : &uniq_grow;
    if (check_ways(s, wish)) return END_TROUBLE;
    if (wish->kind) u.lost = INFINITY;   /* -p bounds their share */
    if (wish->state) s->limits.jobs = 1; /* what was judged is printed when the next is judged */
    if (!(u.ram = ram_bytes(s, "uniq"))) return END_TROUBLE;
    return with_way(&u, way);
}

static const option uniq_options[] = {
    {0, "repeated", NULL, "print only repeated lines: each once, when it appears the second time",
     TAKE_FLAG, offsetof(uniq_settings, repeated), 0, 0},
    {'c', "count", NULL, "print before each line how often it occurs, at the end of the input",
     TAKE_FLAG, offsetof(uniq_settings, count), 0, 0},
    {'u', "unique", NULL, "print only lines that occur once, at the end of the input", TAKE_FLAG,
     offsetof(uniq_settings, once), 0, 0},
    {0, "window", "N|10m", "drop only repeats within N lines, or within a time: 30s, 10m, 2h, 1d",
     TAKE_TEXT, offsetof(uniq_settings, window), 0, 0},
    {0, "exact", NULL, "lose no line: undecided lines are kept on disk and decided at the end",
     TAKE_FLAG, offsetof(uniq_settings, exact), 0, 0},
    {'n', "keys", "N", "expect at most N distinct lines: less memory (default: grow as needed)",
     TAKE_COUNT, offsetof(uniq_settings, keys), 1, UINT64_C(9007199254740992)},
    {0, "lost", "X", "lose at most X lines in all, in expectation (default: 1)", TAKE_NUMBER,
     offsetof(uniq_settings, lost), 0, 0},
    {'t', "kind", "KIND",
     "with --window: a filter that forgets, such as window: constant memory (-n, -p)", TAKE_TEXT,
     offsetof(uniq_settings, kind), 0, 0},
    {'p', "fpr", "P", "with -t: lose at most this share of the new lines (default: 1/1000)",
     TAKE_RATE, offsetof(uniq_settings, fpr), 0, 0},
    {0, "set", "KNOB=VALUE", "with -t: a setting of the kind (see bloomery kinds KIND)", TAKE_KNOB,
     offsetof(uniq_settings, with), 0, 0},
    {0, "state", "FILE", "with -t: go on from the filter in FILE, and keep it there", TAKE_TEXT,
     offsetof(uniq_settings, state), 0, 0},
    OPTION_TIME,
    OPTION_OVERFILL,
    OPTIONS_INPUT,
    {0, "json", NULL, "print the summary as JSON to standard error", TAKE_FLAG,
     offsetof(settings, json), 0, 0},
    OPTION_END,
};

const verb verb_uniq = {
    .name = "uniq",
    .about = "drop repeated lines and keep the order; no sorting",
    .usage = "uniq [-c] [-u] [--repeated] [--window N|10m [-t KIND]] [--exact] [--lost X] [-n N] "
             "[INPUT...]",
    .text =
        "With -f, the key decides, and the whole line is printed. Lines without that field are all "
        "printed,\n"
        "unless --no-key drop, --no-key fail or --repeated is given. With --csv, the header of the "
        "first file\n"
        "is printed first.\n"
        "A line is lost if another line has the same hash. Without -n, the hash has 64 bits and a "
        "line needs\n"
        "about 11 bytes of memory: of 10^9 lines, 0.03 are expected to be lost. With -n, a Bloom "
        "filter is\n"
        "sized for --lost. The summary says how many lines are expected to be lost; -q prints this "
        "only if it\n"
        "is more than --lost. Past --ram, past --lost, or past twice what -n promised, uniq stops "
        "with exit\n"
        "code 4; what it has printed is correct.\n"
        "With --exact, no line is lost: the output is that of awk '!s[$0]++', within --ram. Lines "
        "are printed at\n"
        "once until one cannot be decided in memory; from then on they wait in TMPDIR for the end "
        "of the\n"
        "input.\n"
        "-c and -u are exact too, whether the lines are sorted or not: each distinct line is "
        "printed at the\n"
        "end of the input, in the order of first occurrence. Lines that do not fit in --ram wait "
        "in TMPDIR.\n"
        "With --csv, -c does not print the header.\n"
        "With --window N, a line is dropped if it occurs among the N lines before it; with a time, "
        "if it\n"
        "occurred within that time. Memory depends on the window only, so a pipe may run for ever.\n"
        "With --time N, the time of a line is its field N and not the clock of this machine: old "
        "logs can be\n"
        "replayed. A line that is earlier than the line before it ends uniq with exit code 2.\n"
        "With -t, the window is a filter that forgets: -n distinct lines per window and the rate "
        "-p fix its\n"
        "memory. A share of the new lines, at most -p, is lost. Kind window drops every repeat "
        "within the\n"
        "window, and some up to one slice (a seventh of the window) older; the page of each kind "
        "says what\n"
        "others do.\n"
        "With --state FILE, the filter is read from FILE and written to it at the end, on SIGINT "
        "and SIGTERM,\n"
        "every minute and every slice of the window: the next uniq with the same settings goes on "
        "from there.\n"
        "After a kill -9, lines that were printed since the last time may be printed again; none "
        "is lost.",
    .options = uniq_options,
    .examples = {"tail -F access.log | bloomery uniq --window 10m",
                 "zcat urls.gz | bloomery uniq -n 1e9 --lost 100 >urls-once"},
    .endings = "0 done, 2 usage or I/O, 4 over capacity (the lines printed so far are correct)",
    .lines_out = true,
    .size = sizeof(uniq_settings),
    .run = run_uniq,
};

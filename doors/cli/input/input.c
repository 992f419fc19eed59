/* input.c - lines of files and pipes with their keys: what verbs see of the input. input.h has the
 * organs.
 *
 * The main thread reads and picks alone until 1 MiB has come: a short input starts no thread. */
#define _GNU_SOURCE /* sched_getaffinity: the processors that we may use */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/organs.h"

#define ENOUGH   ((uint64_t)1 << 20) /* bytes before helpers start      */
#define JOBS_MAX 8u                  /* if -j is not given              */

struct input {
    format f;
    reader r;
    crew *helpers; /* NULL: alone */
    const work *w; /* of input_run; NULL: input_lines */
    bool worked;   /* it is over: the main thread is alone again */
    unsigned jobs;
    block own;         /* when alone    */
    block *b;          /* whose lines go out; NULL: none */
    uint64_t newlines; /* of the open file, before this block */
    bool warned_cr, first_lines, failed;
    bool again;                    /* a second pass */
    uint64_t lines, without_field; /* with a key, without */
    uint64_t headers;              /* of CSV that did not come as lines */
    uint64_t judged;               /* lines of any sort, by input_run */
    bool said;                     /* that no line had a key */
};

static const char *const only_standard_input[] = {"-"};

unsigned jobs_of(const settings *s)
{
    cpu_set_t set;
    if (s->limits.jobs) return (unsigned)s->limits.jobs;
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    const unsigned n = (unsigned)CPU_COUNT(&set);
    return n < 1 ? 1 : n < JOBS_MAX ? n : JOBS_MAX;
}

/* ---- before reading: what can be known is said now, not after an hour ------------------------- */

static bool readable(const char *path, uint64_t *total)
{
    struct stat st;
    const bool pipe = strcmp(path, "-") == 0;
    const char *name = pipe ? "standard input" : path;
    if (pipe ? fstat(STDIN_FILENO, &st) : stat(path, &st)) {
        complain("%s: %s", name, strerror(errno));
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        complain("%s: is a directory; name its files, or pipe lines in", name);
        return false;
    }
    if (!pipe && access(path, R_OK)) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(st.st_mode))
        *total = UINT64_MAX;
    else if (*total != UINT64_MAX)
        *total += (uint64_t)st.st_size;
    return true;
}

input *input_open(const settings *s, const char *const *paths, size_t n)
{
    format f;
    uint64_t total = 0;
    if (!n) paths = only_standard_input, n = 1;
    const uint64_t ram = input_ram(s), longest = ram ? longest_record(s) : 0;
    if (!longest || !format_of(&f, s)) return NULL;
    bool sound = true;
    for (size_t i = 0; sound && i < n; i++) sound = readable(paths[i], &total);
    input *in = sound ? calloc(1, sizeof *in) : NULL;
    if (sound && !in) complain("no memory for an input buffer");
    if (!in) {
        format_free(&f);
        return NULL;
    }
    *in = (input){.f = f,
                  .r = {.paths = paths,
                        .npaths = n,
                        .longest = longest,
                        .src = {.fd = -1, .wake = -1, .halt = -1, .ram = ram}},
                  .jobs = jobs_of(s),
                  .warned_cr = s->read.crlf || s->read.zero || s->read.hex || s->read.csv ||
                               s->read.jsonl || s->read.again,
                  .again = s->read.again};
    in->r.f = &in->f;
    progress_start(s, total == UINT64_MAX ? 0 : total, "bytes");
    return in;
}

void input_hash_with(input *in, const blm_filter *f, bool strict)
{
    blm_info info;
    blm_kind_info kind = {.integers = false};
    blm_info_of(f, &info);
    blm_kind_named(info.kind, &kind);
    in->f.hasher = f;
    in->f.kind = info.kind;
    in->f.integers = kind.integers;
    in->f.strict = strict;
}

void input_reform(input *in, const settings *s)
{
    in->f.hex = s->read.hex;
    in->f.lower = s->read.lower;
    in->f.crlf = s->read.crlf;
    in->warned_cr = in->warned_cr || s->read.crlf || s->read.hex;
}

void input_time_from(input *in, uint64_t ms)
{
    in->r.clock = ms;
    in->r.clock_of_filter = true;
}

void input_halt_with(input *in, int fd) { in->r.src.halt = fd; }

/* ---- blocks ------------------------------------------------------------------------------------- */

/* Helpers start when there is enough to do for them. */
static bool helped(input *in)
{
    if (!in->helpers && in->jobs > 1 && in->r.bytes >= ENOUGH) {
        in->helpers = crew_start(&in->r, &in->f, in->jobs - 1, in, in->w);
        if (!in->helpers)
            in->jobs = 1;
        else
            block_free(&in->own);
    }
    return in->helpers;
}

static block *any_block(input *in)
{
    block *left = in->worked && in->helpers ? crew_left(in->helpers) : NULL;
    if (left) return left;
    if (!in->worked && helped(in)) return crew_take(in->helpers);
    if (!reader_next(&in->r, &in->own)) return NULL;
    block_pick(&in->f, &in->own);
    return &in->own;
}

static block *next_block(input *in)
{
    block *b = any_block(in);
    if (b) block_follow(&in->r, b);
    return b;
}

static void give_back(input *in)
{
    in->newlines += in->b->newlines;
    in->b = NULL;
    if (in->helpers && !in->worked) crew_give_back(in->helpers);
}

/* The block's own line number, counted on from those before it. */
static void fail(input *in)
{
    const block *b = in->b;
    in->failed = true;
    if (b->wrong)
        complain("%s: %s %" PRIu64 ": %s", b->name, in->f.end ? "line" : "record",
                 in->newlines + b->wrong, b->why);
    else
        complain("%s: %s", b->name, b->why);
}

static void arrive(input *in)
{
    progress_at(in->b->read);
    if (in->b->first) in->newlines = 0, in->first_lines = true;
    if (in->b->marked && !in->again)
        complain("%s: starts with a UTF-8 byte order mark, which is skipped: it is not part of the "
                 "first key",
                 in->b->name);
    in->headers += in->b->header && !in->b->has_header;
    if (in->b->odd_header && !in->again)
        complain("%s: its header differs from the header of the first file, and only that one is "
                 "printed",
                 in->b->name);
}

/* A block with lines to give, or false at the end. */
static bool have_lines(input *in)
{
    for (;;) {
        if (in->b && in->b->given < in->b->nlines) return true;
        if (in->b && in->b->failed) {
            fail(in);
            return false;
        }
        if (in->b) give_back(in);
        in->b = next_block(in);
        if (!in->b) return false;
        arrive(in);
    }
}

/* ---- lines ----------------------------------------------------------------------------------------- */

/* A CR that stands in another field than the key does no harm. */
static void warn_cr(input *in, const line *lines, size_t n)
{
    size_t keys = 0;
    for (size_t i = 0; i < n; i++) {
        const line *l = &lines[i];
        if (!l->key) continue;
        if (!l->key_length || l->key[l->key_length - 1] != '\r') return;
        if (l->text[l->length - 1] != '\r') return; /* nor one inside the line */
        keys++;
    }
    if (!keys) return;
    complain("%s: its lines end in CR LF, and the CR is part of each key; use --crlf to strip it",
             in->b->name);
    in->warned_cr = true;
}

/* n lines go out, that many of them without a key; a header, which is neither, is the first of its file. */
static void count_lines(input *in, const line *lines, size_t n, size_t keyless)
{
    in->lines += n - keyless - (n && line_is_header(lines));
    in->without_field += keyless;
    if (!n) return;
    if (in->first_lines && !in->warned_cr) warn_cr(in, lines, n < BATCH ? n : BATCH);
    in->first_lines = false;
}

size_t input_lines(input *in, line *out)
{
    if (in->failed || !have_lines(in)) return 0;
    block *b = in->b;
    const size_t left = b->nlines - b->given, n = left < BATCH ? left : BATCH;
    size_t keyless = 0;
    memcpy(out, b->lines + b->given, n * sizeof *out);
    b->given += n;
    for (size_t i = 0; i < n; i++) keyless += !out[i].key && !line_is_header(&out[i]);
    count_lines(in, out, n, keyless);
    return n;
}

/* ---- all lines, by all threads ---------------------------------------------------------------------- */

bool input_give(input *in, block *b)
{
    in->b = b;
    arrive(in);
    count_lines(in, b->lines, b->nlines, b->keyless);
    in->judged += b->judged;
    const bool on = !b->judged || in->w->finish(in->w->ctx, b->lines, b->judged, b->mark);
    if (b->end && b->failed) { /* whoever reads on will hear of it: see have_lines */
        b->given = b->nlines;
        return on;
    }
    if (on && b->failed) fail(in);
    in->newlines += b->newlines;
    in->b = NULL;
    return on && !in->failed;
}

ending input_run(input *in, const work *w)
{
    block *b = &in->own;
    ending end = END_YES;
    bool on = true;
    in->w = w;
    while (on && !end && !helped(in) && reader_next(&in->r, b)) {
        size_t done;
        block_prepare(&in->f, w, b, 1);
        block_follow(&in->r, b);
        end = block_judge(w, b, 0, &done);
        block_judged(b, end, done);
        on = input_give(in, b);
    }
    if (on && !end && in->helpers) end = crew_work(in->helpers);
    in->worked = true;
    return end ? end : in->failed ? END_TROUBLE : END_YES;
}

bool input_failed(const input *in) { return in->failed; }
uint64_t input_count(const input *in) { return in->lines; }
uint64_t input_keyless(const input *in) { return in->without_field; }
uint64_t input_judged(const input *in) { return in->judged; }
uint64_t input_headers(const input *in) { return in->headers; }

bool input_keeps(const input *in, const line *l)
{
    return !l->key && (in->f.no_key == NO_KEY_KEEP || line_is_header(l));
}

ending input_had_keys(input *in)
{
    if (in->lines || !in->without_field || !(in->f.path.text || in->f.csv || in->f.field))
        return END_YES;
    in->said = true;
    if (in->f.path.text)
        return trouble("no line has a value at %s; %" PRIu64 " came", in->f.path.text,
                       in->without_field);
    if (in->f.csv)
        return trouble("no record has a column %s; %" PRIu64 " came", in->f.csv, in->without_field);
    return trouble("no line has a field %" PRIu64 "; %" PRIu64
                   " came (use -d to set the delimiter)",
                   in->f.field, in->without_field);
}

static void say_kept(const input *in)
{
    const bool one = in->without_field == 1;
    if (in->f.path.text)
        complain("%" PRIu64 " line%s no value at %s: kept", in->without_field,
                 one ? " has" : "s have", in->f.path.text);
    else if (in->f.csv)
        complain("%" PRIu64 " record%s no column %s: kept", in->without_field,
                 one ? " has" : "s have", in->f.csv);
    else if (in->f.field)
        complain("%" PRIu64 " line%s no field %" PRIu64 ": kept", in->without_field,
                 one ? " has" : "s have", in->f.field);
    else
        complain("%" PRIu64 " line%s not a number: kept", in->without_field, one ? " is" : "s are");
}

static void say_left_out(const input *in)
{
    const char *s = plural(in->without_field);
    if (in->f.no_key == NO_KEY_KEEP)
        say_kept(in);
    else if (in->f.path.text)
        complain("%" PRIu64 " line%s without a value at %s: dropped", in->without_field, s,
                 in->f.path.text);
    else if (in->f.csv)
        complain("%" PRIu64 " record%s without the column %s: dropped", in->without_field, s,
                 in->f.csv);
    else if (in->f.field)
        complain("%" PRIu64 " line%s without a field %" PRIu64 ": dropped", in->without_field, s,
                 in->f.field);
    else
        complain("%" PRIu64 " line%s that %s not a number: dropped", in->without_field, s,
                 in->without_field == 1 ? "is" : "are");
}

void input_close(input *in)
{
    progress_end();
    if (in->without_field && !in->again && !in->said) say_left_out(in);
    if (in->helpers) crew_end(in->helpers);
    reader_close(&in->r);
    block_free(&in->own);
    format_free(&in->f);
    free(in);
}

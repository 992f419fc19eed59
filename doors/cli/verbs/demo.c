/* demo.c - bloomery demo: the first 60 seconds, on the machine's own file names. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"

typedef struct demo_settings {
    settings base;
    const char *dir;
} demo_settings;

static const demo_settings *own(const settings *s) { return (const demo_settings *)s; }

#define NAMES_MAX    300000
#define WALK_SECONDS 10
#define PROBES       1000000
#define MARK         "made by bloomery demo" /* the note by which it knows its own files again */

/* ---- names: nftw() hands nothing through to its callback, so what it fills is static ------------------ */

static struct {
    FILE *list; /* in memory until all names are there */
    char *text;
    size_t length;
    blm_builder *builder;
    uint64_t names;
    double until;
    bool late;        /* the seconds were over before the disk was */
    char first[1024]; /* a name for the lines to try next */
    blm_err err;
} walk;

static int on_name(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)at;
    if (type == FTW_NS || strchr(path, '\n')) return 0;
    const size_t n = strlen(path);
    walk.err = blm_builder_add(walk.builder, 0, path, n, BLM_NO_ARG);
    if (walk.err || fwrite(path, 1, n, walk.list) != n || putc('\n', walk.list) == EOF) return 1;
    walk.names++;
    if (type == FTW_F && !walk.first[0] && n < sizeof walk.first) memcpy(walk.first, path, n + 1);
    walk.late = (walk.names & 255) == 0 && seconds_now() > walk.until;
    return walk.names >= NAMES_MAX || walk.late;
}

static ending collect(blm_filter **out)
{
    blm_report why = {BLM_OK, ""};
    blm_err err = blm_builder_new(&walk.builder, BLM_CONFIG(.kind = "blocked", .fpr = 0.001), &why);
    if (err) return complain_why(NULL, err, &why);
    walk.list = open_memstream(&walk.text, &walk.length);
    walk.until = seconds_now() + WALK_SECONDS;
    if (walk.list && nftw("/etc", on_name, 32, FTW_PHYS) == 0) nftw("/usr", on_name, 32, FTW_PHYS);
    const bool whole = walk.list && !ferror(walk.list);
    if (!walk.list || fclose(walk.list) || !whole || walk.err || !walk.names) {
        blm_builder_free(walk.builder);
        if (walk.err) return complain_why(NULL, walk.err, NULL);
        return trouble(whole ? "no file names under /etc and /usr" : "no memory for the names");
    }
    err = blm_build(out, walk.builder, &why);
    if (!err) err = blm_set_note(*out, MARK, &why);
    return err ? complain_why(NULL, err, &why) : END_YES;
}

/* ---- where ---------------------------------------------------------------------------------------------- */

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static ending make_folder(const char *dir)
{
    char path[1024];
    if (!dir[0] || strlen(dir) >= sizeof path - 16)
        return trouble("--dir %.60s: not a valid folder name", dir);
    for (size_t i = 1; i <= strlen(dir); i++) {
        if (dir[i] != '/' && dir[i]) continue;
        snprintf(path, sizeof path, "%.*s", (int)i, dir);
        if (mkdir(path, 0777) && errno != EEXIST) return trouble("%s: %s", path, strerror(errno));
    }
    return END_YES;
}

/* In the source tree what is made goes into build/. */
static const char *pick_folder(const settings *s)
{
    if (own(s)->dir) return own(s)->dir;
    return exists("include/bloomery/core.h") && exists("CMakeLists.txt") ? "build/demo"
                                                                         : "bloomery-demo";
}

/* Its own files of another day are replaced, anybody else's are not. */
static ending files_ready(const settings *s, const char *list, const char *filter)
{
    blm_filter *f = NULL;
    blm_info info;
    if (s->save.force || !(exists(list) || exists(filter))) return END_YES;
    bool own = blm_map(&f, filter, BLM_OPEN(.check = BLM_CHECK_NONE), NULL) == BLM_OK;
    if (own) {
        blm_info_of(f, &info);
        own = strcmp(info.note, MARK) == 0;
    }
    blm_free(f);
    return own ? END_YES
               : trouble("%s: file exists and was not made by a demo (use -F to replace it)",
                         exists(filter) ? filter : list);
}

static ending write_list(const char *path)
{
    FILE *out = fopen(path, "w");
    const bool written = out && fwrite(walk.text, 1, walk.length, out) == walk.length;
    const int error = errno;
    if (out && fclose(out) == 0 && written) return END_YES;
    if (out) unlink(path);
    return trouble("%s: %s", path, strerror(written ? errno : error));
}

/* Both or none: an interrupt waits for the few milliseconds. */
static ending write_files(const blm_filter *f, const char *list, const char *filter)
{
    sigset_t guarded, before;
    blm_report why = {BLM_OK, ""};
    sigemptyset(&guarded);
    sigaddset(&guarded, SIGINT);
    sigaddset(&guarded, SIGTERM);
    sigaddset(&guarded, SIGHUP);
    sigprocmask(SIG_BLOCK, &guarded, &before);
    ending end = write_list(list);
    const blm_err err = end ? BLM_OK : blm_write(f, filter, BLM_WRITE_REPLACE, &why);
    if (err) {
        unlink(list);
        end = complain_why(filter, err, &why);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return end;
}

/* ---- what it shows ----------------------------------------------------------------------------------------- */

static bool terminal_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *v = getenv(names[i]);
        if (!v || !v[0]) continue;
        for (; *v; v++)
            if (strncasecmp(v, "utf-8", 5) == 0 || strncasecmp(v, "utf8", 4) == 0) return true;
        return false;
    }
    return false;
}

static unsigned bit_of(const unsigned char *cells, size_t i)
{
    return (unsigned)cells[i / 8] >> (i % 8) & 1u;
}

/* One block of 512 bits, the cache line that a query reads: 8 rows of 64. */
static void show_picture(const blm_filter *f)
{
    static const char *const halves[] = {" ", "\xe2\x96\x80", "\xe2\x96\x84",
                                         "\xe2\x96\x88"}; /* none, upper, lower, both */
    size_t bytes = 0;
    const unsigned char *cells = blm_cells(f, &bytes);
    if (bytes < 64) return;
    const unsigned char *block = cells + bytes / 128 * 64;
    const bool drawn = terminal_is_utf8();
    out_text("\n"
             "One of its %zu blocks: the 512 bits that a query for one name reads:\n",
             bytes / 64);
    for (size_t row = 0; row < 8; row += drawn ? 2 : 1) {
        out_text("    |");
        for (size_t i = row * 64; i < row * 64 + 64; i++) {
            const unsigned up = bit_of(block, i), low = drawn ? bit_of(block, i + 64) : 0;
            out_text("%s", drawn ? halves[up | low << 1] : up ? "#" : ".");
        }
        out_text("|\n");
    }
}

static void show_sizes(const char *list, const char *filter, uint64_t filter_bytes)
{
    char a[32], b[32];
    out_text("%" PRIu64 " file names of this machine were added to a filter.\n", walk.names);
    if (walk.late)
        out_text("(The search for names was stopped after %d seconds; there are more.)\n",
                 WALK_SECONDS);
    out_text("\n");
    out_text("  the list     %10s   %s\n", text_bytes(a, (uint64_t)walk.length), list);
    out_text("  the filter   %10s   %s\n", text_bytes(b, filter_bytes), filter);
    out_text("               %.1f times smaller, %.1f bits per name\n",
             (double)walk.length / (double)filter_bytes,
             (double)filter_bytes * 8 / (double)walk.names);
}

/* As a shell reads it back. */
static void quote(char *out, size_t room, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
    size_t used = 0;
    if (word[0] && strspn(word, plain) == strlen(word)) {
        snprintf(out, room, "%s", word);
        return;
    }
    used += (size_t)snprintf(out, room, "'");
    for (; *word && used + 6 < room; word++)
        used += (size_t)snprintf(out + used, room - used, *word == '\'' ? "'\\''" : "%c", *word);
    snprintf(out + used, room - used, "'");
}

/* Picks a non-member that the filter rejects, as it does 999 of 1000. */
static void pick_stranger(const blm_filter *f, char *out, size_t room)
{
    for (unsigned i = 1;; i++) {
        const int n = snprintf(out, room, "/no/such/file-%u", i);
        if (n < 0 || !blm_has(f, out, (size_t)n) || i == 1000) return;
    }
}

static void show_next(const settings *s, const blm_filter *f, const char *list, const char *filter)
{
    char program[2048], names[2048], image_path[2048], member[2100], stranger[64];
    quote(program, sizeof program, s->program);
    quote(names, sizeof names, list);
    quote(image_path, sizeof image_path, filter);
    quote(member, sizeof member, walk.first);
    pick_stranger(f, stranger, sizeof stranger);
    out_text("\nTry next:\n\n");
    out_text("  %s test %s %s\n", program, image_path, member);
    out_text("  printf '%%s\\n' %s %s | %s grep -v %s\n", member, stranger, program, image_path);
    out_text("  %s verify %s --against %s\n", program, image_path, names);
}

typedef struct answers {
    uint64_t asked, missed;
    measured m;
    double list_seconds, probe_seconds;
} answers;

static void show_answers(const image *im, const answers *a)
{
    const measured *m = &a->m;
    out_text("\n  false negatives   %" PRIu64 " of %" PRIu64 ": every name was looked up\n",
             a->missed, a->asked);
    out_text("  promised rate     %.4f %% of non-members get a maybe\n", im->info.fpr_target * 100);
    out_text("  measured rate     %.4f %% (99 %%: %.4f to %.4f %%), %" PRIu64 " of %" PRIu64
             " non-members\n",
             m->rate * 100, m->low * 100, m->high * 100, m->hits, m->probes);
    out_text("  queries per s     %.1f million in memory, %.1f million reading the list\n",
             (double)m->probes / a->probe_seconds / 1e6, (double)a->asked / a->list_seconds / 1e6);
}

static void show_json(const image *im, const answers *a, const char *list, const char *filter)
{
    json_open(NULL, '{');
    json_text("list", list);
    json_count("list_bytes", walk.length);
    json_text("file", filter);
    json_count("bytes", im->file_bytes);
    json_count("names", walk.names);
    json_bool("stopped", walk.late);
    json_count("false_negatives", a->missed);
    json_count("asked", a->asked);
    json_number("promised_fpr", im->info.fpr_target);
    json_number("measured_fpr", a->m.rate);
    json_number("low", a->m.low);
    json_number("high", a->m.high);
    json_count("probes", a->m.probes);
    json_number("asks_per_second", (double)a->m.probes / a->probe_seconds);
    json_number("list_asks_per_second", (double)a->asked / a->list_seconds);
    json_close('}');
    json_end_line();
}

static ending show(const settings *s, const char *list, const char *filter)
{
    image im;
    answers a = {.asked = 0};
    ending end = image_open(&im, s, filter, BLM_CHECK_ALL, false);
    if (end) return end;
    if (!s->json) {
        show_sizes(list, filter, im.file_bytes);
        show_picture(im.f);
    }
    const double start = seconds_now();
    end = measure_missed(&im, s, &list, 1, &a.asked, &a.missed);
    const double listed = seconds_now();
    a.m = measure_rate(im.f, PROBES);
    a.list_seconds = listed - start;
    a.probe_seconds = seconds_now() - listed;
    if (!end && s->json)
        show_json(&im, &a, list, filter);
    else if (!end) {
        show_answers(&im, &a);
        show_next(s, im.f, list, filter);
    }
    image_close(&im);
    return end ? end : a.missed ? END_NO : END_YES;
}

static ending run_demo(settings *s)
{
    char list[1100], filter[1100];
    blm_filter *f = NULL;
    const char *dir = pick_folder(s);
    if (s->operands)
        return trouble("%s: unexpected argument (demo reads the file names under /etc and /usr); "
                       "use --dir DIR to say where its files go",
                       s->operand[0]);
    ending end = make_folder(dir);
    if (end) return end;
    snprintf(list, sizeof list, "%s/names.txt", dir);
    snprintf(filter, sizeof filter, "%s/names.blm", dir);
    end = files_ready(s, list, filter);
    if (!end) end = collect(&f);
    if (!end) end = write_files(f, list, filter);
    blm_free(f);
    free(walk.text);
    return end ? end : show(s, list, filter);
}

static const option demo_options[] = {
    {0, "dir", "DIR", "folder for its two files (default: bloomery-demo)", TAKE_TEXT,
     offsetof(demo_settings, dir), 0, 0},
    OPTION_FORCE,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_demo = {
    .name = "demo",
    .about = "a first look in 60 seconds, with this machine's own file names",
    .usage = "demo [--dir DIR] [-F] [--json]",
    .text = "Adds the file names under /etc and /usr (at most 300,000, found within 10 seconds) to "
            "a filter, and\n"
            "shows sizes, a picture of the bits, the promised and the measured rate, and three "
            "commands to try\n"
            "next. Files of an earlier demo are replaced; other files with the same names only "
            "with -F.",
    .options = demo_options,
    .examples = {"bloomery demo", "bloomery demo --dir /tmp/demo"},
    .endings = "0 all names were found, 1 a name was not found, 2 usage or I/O",
    .max_operands = 0,
    .size = sizeof(demo_settings),
    .run = run_demo,
};

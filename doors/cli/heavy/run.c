/* run.c - top and iceberg: passes over the input, keys and counts out, and the summary. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heavy/heavy.h"

#define DEFAULT_RAM (UINT64_C(22) << 20) /* with program and buffers of two threads below 32 MiB */

/* ---- reading ---------------------------------------------------------------------------------------------- */

static ending take_lines(void *ctx, const line *lines, size_t n, uint8_t *mark, size_t *done)
{
    const heavy_run *r = ctx;
    (void)mark;
    const bool fits = heavy_take(r->t, lines, NULL, n);
    *done = fits ? n : 0;
    return fits ? END_YES : END_FULL;
}

static ending take_share(void *ctx, const line *lines, const uint32_t *of, size_t n)
{
    const heavy_run *r = ctx;
    return heavy_take(r->t, lines, of, n) ? END_YES : END_FULL;
}

static bool go_on(void *ctx, const line *lines, size_t n, const uint8_t *mark)
{
    (void)ctx, (void)lines, (void)n, (void)mark;
    return true;
}

static void say_too_long(const heavy_run *r)
{
    const heavy_sum sum = heavy_sums(r->t);
    uint64_t enough = r->ram >> 20;
    char ram[32];
    while (heavy_longest(++enough << 20) < sum.too_long && enough < UINT32_MAX) continue;
    complain("over capacity: a key has %" PRIu64 " bytes, but --ram (%s) allows at most %" PRIu64
             "; nothing was printed. --ram %" PRIu64 "MiB has room for it",
             sum.too_long, text_bytes(ram, r->ram), heavy_longest(r->ram), enough);
}

static ending pass(heavy_run *r, const settings *s)
{
    const work w = {.ctx = r,
                    .judge = take_lines,
                    .judge_lines = take_share,
                    .max_shares = heavy_shares(r->t),
                    .finish = go_on};
    input *in = input_open(s, s->operand, s->operands);
    if (!in) return END_TROUBLE;
    input_hash_with(in, heavy_hasher(r->t), false);
    ending end = input_run(in, &w);
    if (!end) end = input_had_keys(in);
    input_close(in);
    if (end == END_FULL) say_too_long(r);
    return end;
}

/* ---- --exact: what can be read twice --------------------------------------------------------------------------- */

static bool twice(const char *path, off_t *from)
{
    struct stat st;
    const bool standard = strcmp(path, "-") == 0;
    if (standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) return true; /* input_open says it */
    if (standard) *from = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return true;
    complain("%s: --exact reads its input twice, and this is not a file; name a file, or leave "
             "--exact out",
             standard ? "standard input" : path);
    return false;
}

static bool all_twice(const settings *s, off_t *from)
{
    if (!s->operands) return twice("-", from);
    for (size_t i = 0; i < s->operands; i++)
        if (!twice(s->operand[i], from)) return false;
    return true;
}

/* Counts are exact already when no key had to go. */
static ending second_pass(heavy_run *r, off_t from)
{
    settings again = *r->s;
    const uint64_t lines = heavy_sums(r->t).lines;
    if (!heavy_sums(r->t).bound) return END_YES;
    again.read.again = true;
    if (from >= 0 && lseek(STDIN_FILENO, from, SEEK_SET) != from)
        return trouble("standard input: it cannot be read again");
    heavy_recount(r->t);
    const ending end = pass(r, &again);
    if (end || heavy_sums(r->t).lines == lines) return end;
    return trouble("the input changed while it was read: %" PRIu64 " lines, then %" PRIu64
                   "; nothing was printed",
                   lines, heavy_sums(r->t).lines);
}

ending heavy_count(heavy_run *r, settings *s)
{
    off_t from = -1;
    s->limits.ram_default = !s->limits.ram;
    if (!s->limits.ram) s->limits.ram = DEFAULT_RAM * 8;
    const bool exact = ((const heavy_settings *)s)->exact;
    *r = (heavy_run){.s = s, .exact = exact, .ram = ram_bytes(s, s->verb->name)};
    if (!r->ram || (exact && !all_twice(s, &from))) return END_TROUBLE;
    if (!(r->t = heavy_new(r->ram, s->hash.seed))) return END_TROUBLE;
    const ending end = pass(r, s);
    return end || !exact ? end : second_pass(r, from);
}

void heavy_end(heavy_run *r) { heavy_free(r->t); }

/* ---- out ------------------------------------------------------------------------------------------------------ */

static void print_json(const heavy_run *r, const heavy_key *k)
{
    json_open(NULL, '{');
    json_bytes("key", k->key, k->length);
    json_count("count", k->high);
    json_count("low", k->low);
    json_count("high", k->high);
    json_bool("certain", k->low >= r->floor);
    json_close('}');
    json_end_line();
}

void heavy_print(const heavy_run *r)
{
    for (size_t i = 0; i < r->shown && !out_failed(); i++) {
        const heavy_key k = heavy_at(r->t, i);
        const line l = {.key = k.key, .key_length = k.length};
        if (r->s->json) {
            print_json(r, &k);
            continue;
        }
        out_text("%" PRIu64 "\t", k.high);
        key_show(r->s, &l);
        out_bytes(r->s->read.zero ? "" : "\n", 1);
    }
    out_flush(); /* they stand before what is said about them */
}

void heavy_report(const heavy_run *r, const char *others)
{
    const heavy_sum sum = heavy_sums(r->t);
    uint64_t over = 0, certain = 0;
    char bytes[32], too_high[64] = "counts are exact";
    for (size_t i = 0; i < r->shown; i++) {
        const heavy_key k = heavy_at(r->t, i);
        if (k.high - k.low > over) over = k.high - k.low;
        certain += k.low >= r->floor;
    }
    const char *are = r->shown == 1 ? " is" : "s are";
    if (over) snprintf(too_high, sizeof too_high, "counts are at most %" PRIu64 " too high", over);
    if (r->s->json)
        fprintf(stderr,
                "{\"lines\":%" PRIu64 ",\"shown\":%zu,\"certain\":%" PRIu64 ",\"over\":%" PRIu64
                ",\"others\":%" PRIu64 ",\"held\":%" PRIu64 ",\"bytes\":%" PRIu64 "}\n",
                sum.lines, r->shown, certain, over, heavy_others(r->t), sum.held, sum.bytes);
    else if (r->s->quiet &&
             (over || certain < r->shown)) /* a bound that is not called so is a lie */
        complain("%s; %" PRIu64 " of %zu key%s certain, %s", too_high, certain, r->shown, are,
                 others);
    else if (!r->s->quiet)
        complain("%" PRIu64 " line%s in; %s; %" PRIu64 " of %zu key%s certain, %s; %" PRIu64
                 " key%s held in %s",
                 sum.lines, plural(sum.lines), too_high, certain, r->shown, are, others, sum.held,
                 plural(sum.held), text_bytes(bytes, sum.bytes));
}

ending heavy_full(const heavy_run *r, uint64_t min, const char *certain)
{
    char ram[32];
    complain("over capacity: keys that occur up to %" PRIu64
             " times had no room in --ram (%s) and may be missing; nothing was printed. %s; so is "
             "--ram %" PRIu64 "MiB",
             heavy_sums(r->t).bound, text_bytes(ram, r->ram), certain,
             (heavy_ram_for(r->t, min) >> 20) + 1);
    return END_FULL;
}

/* bench.c - bloomery bench: nanoseconds, bits per key and measured rates; bench/ does the measuring. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "habits.h"

typedef struct bench_settings {
    settings base;
    const char *kinds, *sizes;
    uint64_t times;
    double fpr;
} bench_settings;

static const bench_settings *own(const settings *s) { return (const bench_settings *)s; }

#define SIZES_MAX 16
static const double default_rate = 0.01;

typedef struct choice {
    const settings *s;
    uint64_t sizes[SIZES_MAX];
    size_t count;
} choice;

static uint64_t loops_done;
static void one_more_loop(void) { progress_at(++loops_done); }

/* ---- what is printed ---------------------------------------------------------------------------- */

static void show_head(void)
{
    out_text("%-12s %10s %6s %9s %24s | %26s | %26s | %15s\n", "", "", "bits", "promised",
             "measured (99 %)", "one by one, ns", "batch, ns", "floor, ns/line");
    out_text("%-12s %10s %6s %9s %24s | %8s %8s %8s | %8s %8s %8s | %7s %7s\n", "KIND", "KEYS",
             "/key", "rate", "rate", "add", "hit", "miss", "add", "hit", "miss", "4 KiB", "huge");
}

static const char *ns_text(char room[16], double v)
{
    if (isnan(v)) return "-";
    snprintf(room, 16, "%.1f", v);
    return room;
}

static void show_row(const char *kind, const bench_row *r)
{
    char rate[64], ns[8][16];
    snprintf(rate, sizeof rate, "%.3g [%.3g, %.3g]", r->measured, r->low, r->high);
    out_text("%-12s %10" PRIu64 " %6.2f %9.3g %24s | %8s %8s %8s | %8s %8s %8s | %7s %7s\n", kind,
             r->keys, r->bits, r->promised, rate, ns_text(ns[0], r->add), ns_text(ns[1], r->hit),
             ns_text(ns[2], r->miss), ns_text(ns[3], r->add_many), ns_text(ns[4], r->hit_many),
             ns_text(ns[5], r->miss_many), ns_text(ns[6], r->floor_small),
             ns_text(ns[7], r->floor_huge));
}

static void json_row(const char *kind, const bench_row *r)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"bits_per_key", r->bits},
        {"promised_fpr", r->promised},
        {"theory_fpr", r->theory},
        {"spread", r->spread},
        {"measured_fpr", r->measured},
        {"low", r->low},
        {"high", r->high},
        {"add_ns", r->add},
        {"hit_ns", r->hit},
        {"miss_ns", r->miss},
        {"batch_add_ns", r->add_many},
        {"batch_hit_ns", r->hit_many},
        {"batch_miss_ns", r->miss_many},
        {"floor_ns", r->floor_small},
        {"floor_huge_ns", r->floor_huge},
    };
    json_open(NULL, '{');
    json_text("kind", kind);
    json_count("keys", r->keys);
    json_count("bytes", r->bytes);
    json_count("hits", r->hits);
    json_count("probes", r->probes);
    json_count("runs", r->runs);
    for (size_t i = 0; i < COUNT_OF(numbers); i++) json_number(numbers[i].name, numbers[i].value);
    json_close('}');
    json_end_line();
}

/* ---- lists of the command line ------------------------------------------------------------------- */

/* The next word of "a,b,c"; NULL after the last. */
static const char *next_word(const char *p, char *word, size_t room)
{
    p += strspn(p, ", ");
    const size_t n = strcspn(p, ", ");
    if (!n) return NULL;
    snprintf(word, room, "%.*s", (int)(n < room ? n : room - 1), p);
    return p + n;
}

static ending sizes_of(choice *b)
{
    char word[64];
    blm_report why;
    const char *p = own(b->s)->sizes ? own(b->s)->sizes : "1e6,1e7";
    while ((p = next_word(p, word, sizeof word))) {
        if (b->count == SIZES_MAX) return trouble("-n: give at most %d numbers of keys", SIZES_MAX);
        if (blm_parse_count(word, &b->sizes[b->count], &why)) return trouble("-n %s", why.text);
        const uint64_t n = b->sizes[b->count++];
        if (n < 1 || n > UINT64_C(10000000000))
            return trouble("-n %s: must be from 1 to 1e10", word);
    }
    return b->count ? END_YES : trouble("-n: give one or more numbers of keys, such as 1e6,1e7");
}

static ending kinds_exist(const char *list)
{
    char word[64];
    size_t n = 0;
    for (const char *p = list; p && (p = next_word(p, word, sizeof word)); n++)
        if (kind_known("--kinds ", word)) return END_TROUBLE;
    return !list || n ? END_YES
                      : trouble("--kinds: give one or more kinds, such as standard,blocked");
}

/* Kinds of integers have no bytes for keys: left out, unless they are asked for by name. */
static bool wanted(const choice *b, const blm_kind_info *k)
{
    char word[64];
    if (!own(b->s)->kinds) return !k->integers;
    for (const char *p = own(b->s)->kinds; (p = next_word(p, word, sizeof word));)
        if (strcmp(word, k->name) == 0) return true;
    return false;
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

static ending bench_one(const choice *b, const char *kind, uint64_t keys)
{
    bench_row r = {0};
    blm_report why = {BLM_OK, ""};
    const bench_job job = {.kind = kind,
                           .keys = keys,
                           .fpr = own(b->s)->fpr > 0 ? own(b->s)->fpr : default_rate,
                           .runs = (unsigned)own(b->s)->times,
                           .ran = one_more_loop};
    const blm_err err = bench_kind(&job, &r, &why);
    if (err) return complain_why(kind, err, &why);
    progress_end();
    (b->s->json ? json_row : show_row)(kind, &r);
    out_flush(); /* each row as soon as it is known */
    return END_YES;
}

static ending run_bench(settings *s)
{
    choice b = {.s = s};
    blm_kind_info k;
    if (s->operands)
        return trouble("%s: unexpected argument (bench reads no files); use --kinds to choose "
                       "kinds, -n for the number of keys",
                       s->operand[0]);
    ending end = sizes_of(&b);
    if (!end) end = kinds_exist(own(s)->kinds);
    if (end) return end;
    progress_start(s, 0, "loops");
    if (!s->json) show_head(), out_flush();
    for (size_t n = 0; n < b.count && !out_failed(); n++)
        for (size_t i = 0; blm_kind_at(i, &k); i++) {
            const ending one = wanted(&b, &k) ? bench_one(&b, k.name, b.sizes[n]) : END_YES;
            if (one) end = one; /* the others may do */
        }
    progress_end();
    return end;
}

static const option bench_options[] = {
    {0, "kinds", "LIST", "measure only these kinds: standard,blocked", TAKE_TEXT,
     offsetof(bench_settings, kinds), 0, 0},
    {'n', "keys", "LIST", "numbers of keys (default: 1e6,1e7)", TAKE_TEXT,
     offsetof(bench_settings, sizes), 0, 0},
    {'p', "fpr", "P", "the rate to plan for (default: 1 %)", TAKE_RATE,
     offsetof(bench_settings, fpr), 0, 0},
    {0, "runs", "N", "take the median of N runs (default: up to 5, as many as fit in 2 s)",
     TAKE_COUNT, offsetof(bench_settings, times), 1, BENCH_RUNS_MAX},
    OPTION_JSON,
    OPTION_END,
};

const verb verb_bench = {
    .name = "bench",
    .about = "measure nanoseconds, bits per key and rates on this machine",
    .usage = "bench [--kinds LIST] [-n LIST] [-p P] [--runs N] [--json]",
    .text = "Adds, finds and rejects keys of 8 bytes: one by one, hashed while the clock runs, and "
            "in batches\n"
            "of ready hashes. The floor is what one random cache line costs in the same amount of "
            "memory, with\n"
            "pages of 4 KiB and with huge pages. The rate is measured with keys that were not "
            "added. Takes\n"
            "about 20 s.",
    .options = bench_options,
    .examples = {"bloomery bench", "bloomery bench --kinds blocked -n 1e8 --json"},
    .endings = "0 measured, 2 usage, or a kind that cannot be measured",
    .size = sizeof(bench_settings),
    .run = run_bench,
};

/* plan.c - bloomery plan: what is wanted in, ranked offers out, and the line that builds the best. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "habits.h"

typedef struct plan_settings {
    settings base;
    const char *kind, *need;
    uint64_t keys, bits, hashes, max_count;
    double fpr;
    bool all;
    knobs_given with;
} plan_settings;

static const plan_settings *own(const settings *s) { return (const plan_settings *)s; }

typedef struct offers {
    blm_config wish;
    uint32_t needs;
    bool sized; /* numbers were given */
    bool all;   /* show every offer */
    blm_offer *row;
    size_t n;
} offers;

/* ---- the build line ---------------------------------------------------------------------------- */

/* 8192 bits are 1KiB; what is no whole number of bytes stays bits. */
static void size_text(char *out, size_t room, uint64_t bits)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    uint64_t v = bits / 8;
    size_t i = 0;
    if (bits % 64) { /* build takes whole words of a size in bytes */
        snprintf(out, room, "%" PRIu64 "b", bits);
        return;
    }
    for (; i + 1 < COUNT_OF(units) && v % 1024 == 0; i++) v /= 1024;
    snprintf(out, room, "%" PRIu64 "%s", v, units[i]);
}

static void append(char *out, size_t room, const char *format, ...) LIKE_PRINTF(3, 4);
static void append(char *out, size_t room, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, room - used, format, args);
    va_end(args);
}

/* The offer's spec says the same in the words of C: here as options. */
static void build_line(char *out, size_t room, const offers *all, const blm_offer *o)
{
    const blm_config *c = &all->wish;
    char size[32];
    const char *fpr = strstr(o->spec, " fpr=");
    snprintf(out, room, "bloomery build -t %s", o->kind);
    if (c->keys) append(out, room, " -n %" PRIu64, c->keys);
    if (fpr) append(out, room, " -p %.*s", (int)strcspn(fpr + 5, " "), fpr + 5);
    if (c->bits) size_text(size, sizeof size, c->bits), append(out, room, " -m %s", size);
    if (c->hashes) append(out, room, " -k %u", c->hashes);
    for (const char *p = o->with; *p; p += strspn(p, " ,")) {
        const size_t n = strcspn(p, " ,");
        append(out, room, " --set %.*s", (int)n, p);
        p += n;
    }
    if (all->needs & BLM_NEED_KEYED) append(out, room, " --new-key keys.key");
    append(out, room, " -o keys.blm keys.txt");
}

/* ---- what growing costs ------------------------------------------------------------------------- */

/* What build makes of that many keys by default; false: nothing. */
static bool right_sized(uint64_t keys, double fpr, blm_offer *best)
{
    size_t n = 1;
    return !blm_plan(BLM_CONFIG(.keys = keys, .fpr = fpr), 0, best, &n, NULL) && best->bytes;
}

/* ---- for a person ---------------------------------------------------------------------------------- */

static void text_needs(char *out, size_t room, uint32_t needs)
{
    out[0] = 0;
    for (uint32_t one = 1; one && one <= needs; one <<= 1)
        if (needs & one)
            append(out, room, "%s%s", out[0] ? ", " : "", blm_need_name((blm_need)one));
}

enum { NAME_ROOM = 160, NAME_WIDTH = 12, SHOWN_MAX = 8 };

/* Kind and settings; returns how long that is. */
static int name_of(const blm_offer *o, char name[NAME_ROOM])
{
    return snprintf(name, NAME_ROOM, "%s%s%s", o->kind, o->with[0] ? " " : "", o->with);
}

/* Offers that lack nothing, and how many of them are shown: more do not help to choose. */
static size_t able(const offers *all)
{
    size_t n = 0;
    while (n < all->n && !all->row[n].lacks) n++;
    return n;
}

static size_t shown(const offers *all)
{
    const size_t n = able(all);
    return all->all || n <= SHOWN_MAX ? n : SHOWN_MAX;
}

static int widest_name(const offers *all)
{
    char name[NAME_ROOM];
    int max = NAME_WIDTH;
    for (size_t i = 0; i < shown(all); i++) {
        const int width = name_of(&all->row[i], name);
        max = width > max ? width : max;
    }
    return max;
}

static void show_row(const offers *all, const blm_offer *o, int width)
{
    char can[256], size[32] = "grows", name[NAME_ROOM], bits[16] = "-", hashes[16] = "-";
    host_abilities(can, sizeof can, o->can, " ");
    name_of(o, name);
    out_text("%-*s ", width, name);
    if (all->sized) {
        if (o->bytes)
            text_bytes(size, o->bytes), snprintf(bits, sizeof bits, "%.2f", o->bits_per_key);
        if (o->hashes) snprintf(hashes, sizeof hashes, "%u", o->hashes);
        out_text("%11s %8s %10" PRIu64 " %9.3g %6s %5.2f  ", size, bits, o->capacity, o->rate,
                 hashes, o->lines);
    }
    out_text("%s", can);
    if (all->needs & BLM_NEED_COUNT && o->max_count && o->max_count < UINT64_MAX)
        out_text("; counts to %" PRIu64, o->max_count);
    if (o->deletes > 0 && o->deletes < 1)
        out_text("; can delete %.3g %% of its keys when full", 100 * o->deletes);
    out_text("%s%s\n", o->integers ? "; keys are whole numbers" : "",
             o->misses ? "; may miss a member" : "");
}

/* Each kind once, by what it lacks. */
static void show_left_out(const offers *all)
{
    char lacks[128], before[128] = "";
    for (size_t i = able(all); i < all->n; i++) {
        const blm_offer *o = &all->row[i];
        bool told = false; /* with another word of its knob */
        for (size_t j = able(all); j < i; j++)
            told |= all->row[j].lacks == o->lacks && strcmp(all->row[j].kind, o->kind) == 0;
        if (told) continue;
        text_needs(lacks, sizeof lacks, o->lacks);
        const bool same = strcmp(lacks, before) == 0;
        out_text("%s%s%s%s%s", same ? ", " : "\n", same ? "" : "not offered (no ",
                 same ? "" : lacks, same ? "" : "): ", o->kind);
        snprintf(before, sizeof before, "%s", lacks);
    }
    if (before[0]) out_text("\n");
}

/* Filters that take one layer after the other have a price, and there is a way around it. */
static void show_price(const offers *all)
{
    char size[32], name[NAME_ROOM];
    blm_offer right = {.bytes = 0};
    for (size_t i = 0; i < shown(all); i++) {
        const blm_offer *o = &all->row[i];
        const uint64_t bytes = o->grown_bytes, keys = o->capacity;
        if (!bytes || !right_sized(keys, o->fpr, &right)) continue;
        text_bytes(size, bytes);
        name_of(o, name);
        out_text("\n"
                 "%s, begun at %d keys, takes %s when it has grown to %" PRIu64
                 ": %.3g bits per key,\n"
                 "%.2g times the %.3g of a %s filter made for that number.\n",
                 name, BLM_PLAN_BEGUN, size, keys, 8 * (double)bytes / (double)keys,
                 (double)bytes / (double)right.bytes, right.bits_per_key, right.kind);
    }
    const char *fpr = right.bytes ? strstr(right.spec, " fpr=") : NULL;
    if (fpr)
        out_text("If all keys are there before the first query, build without -n sizes the filter "
                 "for the keys that came:\n"
                 "\n"
                 "  bloomery build -p %.*s -o keys.blm keys.txt\n",
                 (int)strcspn(fpr + 5, " "), fpr + 5);
}

static void show_table(const offers *all)
{
    char build[512];
    const int width = widest_name(all);
    out_text("%-*s ", width, "KIND");
    if (all->sized)
        out_text("%11s %8s %10s %9s %6s %5s  ", "SIZE", "BITS/KEY", "KEYS", "RATE", "HASHES",
                 "LINES");
    out_text("CAN\n");
    for (size_t i = 0; i < shown(all); i++) show_row(all, &all->row[i], width);
    if (shown(all) < able(all))
        out_text("%zu more (use --all to see them)\n", able(all) - shown(all));
    show_left_out(all);
    if (!all->sized) {
        out_text("\n"
                 "For sizes, give the number of keys or the memory: -n 1M -p 0.1%%\n");
        return;
    }
    build_line(build, sizeof build, all, &all->row[0]);
    out_text("\n"
             "RATE: false positives when all KEYS are added. LINES: cache lines that a query for a "
             "non-member reads.\n"
             "To build the first one from the lines of keys.txt:\n"
             "\n"
             "  %s\n",
             build);
    if (all->needs & BLM_NEED_GROW) show_price(all);
}

/* ---- for a program ----------------------------------------------------------------------------------- */

static void json_sizes(const offers *all, const blm_offer *o)
{
    char build[512];
    json_count("capacity", o->capacity);
    if (o->bytes)
        json_count("bytes", o->bytes), json_number("bits_per_key", o->bits_per_key);
    else
        json_null("bytes"), json_null("bits_per_key");
    if (o->grown_bytes)
        json_count("begun_at", BLM_PLAN_BEGUN), json_count("grown_bytes", o->grown_bytes);
    json_number("fpr_target", o->fpr);
    json_number("fpr_full", o->rate);
    json_count("hashes", o->hashes);
    json_number("lines", o->lines);
    json_number("deletes", o->deletes);
    json_text("spec", o->spec);
    build_line(build, sizeof build, all, o);
    json_text("build", build);
}

static void json_offer(const offers *all, size_t rank)
{
    const blm_offer *o = &all->row[rank];
    json_open(NULL, '{');
    json_count("rank", rank + 1);
    json_text("kind", o->kind);
    json_text("with", o->with);
    if (o->max_count && o->max_count < UINT64_MAX) json_count("counts_to", o->max_count);
    if (all->sized) json_sizes(all, o);
    host_json_abilities(json_output(), "abilities", o->can);
    host_json_promises(json_output(), "promises", o->promises);
    json_open("lacks", '[');
    for (uint32_t one = 1; one && one <= o->lacks; one <<= 1)
        if (o->lacks & one) json_text(NULL, blm_need_name((blm_need)one));
    json_close(']');
    json_bool("static", o->is_static);
    json_bool("false_negatives", o->misses);
    json_bool("integers", o->integers);
    json_close('}');
    json_end_line();
}

/* ---- the verb -------------------------------------------------------------------------------------------- */

/* All offers there are, however many. */
static blm_err fetch(offers *all, blm_report *why)
{
    size_t room = 64;
    for (;;) {
        all->n = room;
        free(all->row);
        if (!(all->row = malloc(room * sizeof *all->row))) return BLM_E_NOMEM;
        const blm_err err = blm_plan(&all->wish, all->needs, all->row, &all->n, why);
        if (err || all->n <= room) return err;
        room = all->n;
    }
}

static ending wish_of(const settings *s, offers *all)
{
    const plan_settings *want = own(s);
    blm_report why = {BLM_OK, ""};
    if (s->operands)
        return trouble("%s: unexpected argument (plan reads no files); give numbers as options: -n "
                       "1M -p 0.1%%",
                       s->operand[0]);
    if (want->kind && kind_known("-t ", want->kind)) return END_TROUBLE;
    blm_config_init(&all->wish);
    all->wish.kind = want->kind;
    all->wish.keys = want->keys;
    all->wish.fpr = want->fpr;
    all->wish.bits = want->bits;
    all->wish.hashes = (unsigned)want->hashes;
    all->wish.with = want->with[0] ? want->with : NULL;
    all->wish.max_count = want->max_count;
    all->sized = want->keys || want->bits || want->fpr > 0 || want->hashes;
    if (want->need && blm_parse_needs(want->need, &all->needs, &why))
        return trouble("--need %s", why.text);
    if (want->max_count) all->needs |= BLM_NEED_COUNT;
    if (want->with[0] && !want->kind)
        return trouble("--set %s: a knob belongs to one kind; choose it with -t", want->with);
    if (!want->keys && !want->bits && all->sized)
        return trouble(
            "not enough numbers: also give the number of keys (-n 1M) or the memory (-m 64MiB)");
    if (!want->keys && !want->bits && !all->needs)
        return trouble("missing option: give the number of keys and the rate (bloomery plan -n 1M "
                       "-p 0.1%%), the memory (-m 64MiB), or what you need (--need delete)");
    return END_YES;
}

static ending run_plan(settings *s)
{
    offers all = {.row = NULL, .all = own(s)->all};
    blm_report why = {BLM_OK, ""};
    ending end = wish_of(s, &all);
    if (end) return end;
    const blm_err err = fetch(&all, &why);
    if (err)
        end = complain_why(NULL, err, &why);
    else if (s->json)
        for (size_t i = 0; i < all.n; i++) json_offer(&all, i);
    else
        show_table(&all);
    free(all.row);
    return end;
}

static const option plan_options[] = {
    {'n', "keys", "N", "plan for N distinct keys", TAKE_COUNT, offsetof(plan_settings, keys), 1,
     UINT64_C(9007199254740991)},
    {'p', "fpr", "P", "the rate of false positives (default: 1/1000, unless -m or -k determine it)",
     TAKE_RATE, offsetof(plan_settings, fpr), 0, 0},
    {'m', "bits", "SIZE", "use at most this much memory: 64KiB, 2GiB, 1024b (bits)", TAKE_SIZE,
     offsetof(plan_settings, bits), 0, 0},
    {'k', "hashes", "K", "hashes per key (default: the best number)", TAKE_COUNT,
     offsetof(plan_settings, hashes), 1, 64},
    {0, "all", NULL, "show all offers, not only the best eight", TAKE_FLAG,
     offsetof(plan_settings, all), 0, 0},
    {0, "need", "LIST", "what the kind must do: needs from the list above, separated by commas",
     TAKE_TEXT, offsetof(plan_settings, need), 0, 0},
    {0, "max-count", "N", "count keys that occur up to N times (default with --need count: 255)",
     TAKE_COUNT, offsetof(plan_settings, max_count), 1, UINT64_C(9007199254740991)},
    {'t', "kind", "KIND", "show only this kind, and the reason if it does not fit", TAKE_TEXT,
     offsetof(plan_settings, kind), 0, 0},
    {0, "set", "KNOB=VALUE", "a setting of the kind; may be repeated", TAKE_KNOB,
     offsetof(plan_settings, with), 0, 0},
    OPTION_JSON,
    OPTION_END,
};

const verb verb_plan = {
    .name = "plan",
    .about = "find the right kind, its size and its cost, and the command to build it",
    .usage = "plan [-n N] [-p P] [-m SIZE] [-k K] [--need LIST] [--max-count N] [-t KIND]",
    .text = "Give those of -n -p -m -k that you know; plan computes the others for every kind. The "
            "best offer comes\n"
            "first: fewest bits per key or, within 15 %, fewest cache lines per query. No filter "
            "is written.\n"
            "Needs: " NEEDS_HERE ".\n"
            "With --need alone, it lists the kinds that can do it, without sizes. --max-count "
            "implies --need count:\n"
            "each kind is offered with the smallest counters that count to N; kinds that cannot "
            "are not offered.",
    .options = plan_options,
    .examples = {"bloomery plan -m 64MiB -p 1% --need delete,merge",
                 "bloomery plan -n 1M -p 0.1% --max-count 1000"},
    .endings =
        "0 offers, 2 usage, numbers that contradict each other, or no kind does what is needed",
    .size = sizeof(plan_settings),
    .run = run_plan,
};

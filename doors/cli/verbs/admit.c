/* admit.c - bloomery admit: what a disk cache would hit and write, with all that is missed written, and with only what
 * is asked for a second time.
 *
 * Most objects of a content network are asked for once: three of four in Maggs and Sitaraman, "Algorithmic nuggets in
 * content delivery" (2015). Written to the disk they only push out others. Both caches see the log at the same time:
 *
 *      request --> on the disk? --yes--> a hit, no question to the filter
 *                      no --> in the filter? --yes--> write it (no filter: always)
 *                                                no --> only remember it
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "admit/lru.h"
#include "habits.h"
#include "image/clock.h"

#define DEFAULT_KIND "aging"
#define DEFAULT_KEYS 1000000

typedef struct admit_settings {
    settings base;
    const char *replay, *disk, *kind;
    uint64_t keys;
    double fpr;
    knobs_given with;
} admit_settings;

static const admit_settings *own(const settings *s) { return (const admit_settings *)s; }

typedef struct cache {
    lru *disk;
    uint64_t hits;
} cache;

typedef struct replay {
    const settings *s;
    input *in;
    blm_filter *f;
    cache all, second; /* written: everything that is missed; what was asked for before */
    uint64_t room;     /* of a disk: objects, or with --size bytes */
    uint64_t ram, share;
    uint64_t requests, too_large;
} replay;

/* ---- before the log ------------------------------------------------------------------------------------------- */

/* A number of objects, or with --size bytes. */
static ending take_disk(replay *r)
{
    const char *text = own(r->s)->disk;
    blm_report why = {BLM_OK, ""};
    uint64_t bits = 0;
    if (!text)
        return trouble("missing --disk SIZE: the objects that the disk has room for, or with "
                       "--size N bytes, such as 100GiB");
    if (r->s->read.arg) {
        if (blm_parse_bits(text, &bits, &why)) return trouble("--disk %s", why.text);
        r->room = bits / 8;
        return r->room ? END_YES : trouble("--disk %s: must be at least 1B", text);
    }
    if (blm_parse_count(text, &r->room, &why)) {
        if (blm_parse_bits(text, &bits, NULL)) return trouble("--disk %s", why.text);
        return trouble("--disk %s: bytes need the sizes of the objects: --size N is the field that "
                       "has them; without it, --disk is a number of objects",
                       text);
    }
    return r->room ? END_YES : trouble("--disk %s: must be at least 1 object", text);
}

/* Where keys expire by the clock, each request has its own time. */
static ending check_clock(const settings *s, const char *kind, const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    const bool by_time = info.clock == BLM_CLOCK_MS;
    if (s->read.time && !by_time) return clock_no_times(kind, info.clock);
    if (by_time ? s->read.time != NULL : info.clock != BLM_CLOCK_STEPS) return END_YES;
    if (by_time)
        return trouble(
            "-t %s: its keys expire by the clock; --time N is the field with the time of "
            "a request",
            kind);
    return trouble("-t %s: its keys age in steps, and a log has none", kind);
}

static ending make_filter(replay *r)
{
    const admit_settings *wish = own(r->s);
    const char *kind = wish->kind ? wish->kind : DEFAULT_KIND;
    blm_kind_info k;
    blm_report why = {BLM_OK, ""};
    if (kind_known("-t ", kind)) return END_TROUBLE;
    if (!blm_kind_named(kind, &k) || k.is_static || !(k.can & BLM_ADD))
        return trouble("-t %s: requests are added one by one, and this kind is built at once",
                       kind);
    if (k.bytes) return trouble("-t %s: looks inside keys; choose a kind that takes any key", kind);
    const blm_config *c =
        BLM_CONFIG(.kind = kind, .keys = wish->keys ? wish->keys : DEFAULT_KEYS, .fpr = wish->fpr,
                   .seed = r->s->hash.seed, .with = wish->with[0] ? wish->with : NULL,
                   .overfill = r->s->open.overfill);
    const blm_err err = blm_new(&r->f, c, &why);
    return err ? complain_why(NULL, err, &why) : check_clock(r->s, kind, r->f);
}

/* The filter and both tables of objects are within --ram. */
static ending make_caches(replay *r)
{
    char need[32], ram[32];
    blm_info info;
    blm_info_of(r->f, &info);
    if (!(r->ram = ram_bytes(r->s, "admit"))) return END_TROUBLE;
    if (info.bytes >= r->ram) {
        complain("over capacity: the filter needs %s, but --ram is %s; use a smaller -n or a "
                 "larger --ram",
                 text_bytes(need, info.bytes), text_bytes(ram, r->ram));
        return END_FULL;
    }
    r->share = (r->ram - info.bytes) / 2;
    r->all.disk = lru_new(r->room, r->share);
    r->second.disk = lru_new(r->room, r->share);
    return r->all.disk && r->second.disk ? END_YES : trouble("no memory");
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static ending no_room(const replay *r, const lru *c)
{
    char ram[32];
    complain("over capacity: the disk holds more than %" PRIu64
             " objects, and --ram (%s) has no room for a longer list of them; nothing was printed. "
             "Use a larger --ram or a smaller --disk",
             lru_sums(c).objects, text_bytes(ram, r->ram));
    return END_FULL;
}

static ending no_key_room(const replay *r, blm_err err, const blm_item *it)
{
    blm_report why = {BLM_OK, ""};
    if (err != BLM_E_FULL) return complain_why(NULL, err, NULL);
    blm_why_full(r->f, it, &why);
    complain("%s; nothing was printed. Use a larger -n, or a kind whose keys expire earlier",
             why.text);
    return END_FULL;
}

/* Missed: was it asked for before? From now on it was. */
static ending admit_second(replay *r, const line *l, uint64_t size)
{
    const blm_item it = {l->h, NULL, 0, BLM_NO_ARG};
    blm_err err = r->s->read.time ? blm_tick(r->f, l->when) : BLM_OK;
    const bool before = !err && blm_has_hash(r->f, l->h);
    if (!err) err = blm_add_item(r->f, &it, NULL);
    if (err) return no_key_room(r, err, &it);
    if (before && !lru_put(r->second.disk, l->h.lo, size)) return no_room(r, r->second.disk);
    return END_YES;
}

static ending request(replay *r, const line *l)
{
    const uint64_t size = r->s->read.arg ? l->arg : 1;
    r->requests++;
    if (size > r->room) {
        r->too_large++;
        return END_YES;
    }
    if (lru_ask(r->all.disk, l->h.lo))
        r->all.hits++;
    else if (!lru_put(r->all.disk, l->h.lo, size))
        return no_room(r, r->all.disk);
    if (!lru_ask(r->second.disk, l->h.lo)) return admit_second(r, l, size);
    r->second.hits++;
    return END_YES;
}

static ending take_lines(void *ctx, const line *lines, size_t n, uint8_t *mark, size_t *done)
{
    ending end = END_YES;
    (void)mark;
    for (*done = 0; *done < n && !end; *done += !end)
        if (lines[*done].key) end = request(ctx, &lines[*done]);
    return end;
}

static bool go_on(void *ctx, const line *lines, size_t n, const uint8_t *mark)
{
    (void)ctx, (void)lines, (void)n, (void)mark;
    return true;
}

static ending read_log(replay *r)
{
    const work w = {.ctx = r, .judge = take_lines, .finish = go_on};
    input_hash_with(r->in, r->f, true);
    const ending end = input_run(r->in, &w);
    return end ? end : input_had_keys(r->in);
}

/* ---- what came of it --------------------------------------------------------------------------------------------- */

static double share_of(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

static void json_cache(const replay *r, const char *name, const cache *c)
{
    const lru_sum sum = lru_sums(c->disk);
    json_open(name, '{');
    json_count("hits", c->hits);
    json_number("hit_rate", share_of(c->hits, r->requests));
    json_count("written", sum.written);
    if (r->s->read.arg)
        json_count("written_bytes", sum.room_taken);
    else
        json_null("written_bytes");
    json_count("never_read", sum.written - sum.read);
    json_count("max_objects", sum.max_objects);
    json_close('}');
}

static void show_json(const replay *r, const blm_info *info)
{
    json_open(NULL, '{');
    json_count("requests", r->requests);
    json_count("too_large", r->too_large);
    json_count("disk", r->room);
    json_text("unit", r->s->read.arg ? "bytes" : "objects");
    json_open("filter", '{');
    json_text("kind", info->kind);
    json_count("keys", info->capacity);
    json_number("fpr", info->fpr_target);
    json_number("fpr_now", info->fpr_now.high);
    json_count("bytes", info->bytes);
    json_count("window", info->window);
    json_close('}');
    json_cache(r, "write_all", &r->all);
    json_cache(r, "write_second", &r->second);
    json_close('}');
    json_end_line();
}

static void show_pair(const char *name, uint64_t all, uint64_t second)
{
    out_text("  %-16s%16" PRIu64 "%16" PRIu64 "\n", name, all, second);
}

static void percent(char room[24], double share)
{
    if (isnan(share))
        snprintf(room, 24, "-");
    else
        snprintf(room, 24, "%.2f %%", share * 100);
}

static void show_text(const replay *r, const blm_info *info)
{
    const lru_sum all = lru_sums(r->all.disk), second = lru_sums(r->second.disk);
    char bytes[32], a[24], b[24];
    out_text("  filter          %s, %" PRIu64 " keys, %s, rate %.3g (promised %.3g)\n", info->kind,
             info->capacity, text_bytes(bytes, info->bytes), info->fpr_now.high, info->fpr_target);
    out_text("  disk            %" PRIu64 " %s%s\n", r->room, r->s->read.arg ? "byte" : "object",
             plural(r->room));
    out_text("  requests        %" PRIu64 "\n", r->requests);
    if (r->too_large)
        out_text("  too large       %" PRIu64 " of them, for objects larger than the disk\n",
                 r->too_large);
    out_text("\n  %16s%16s%16s\n", "", "write all", "write second");
    show_pair("hits", r->all.hits, r->second.hits);
    percent(a, share_of(r->all.hits, r->requests));
    percent(b, share_of(r->second.hits, r->requests));
    out_text("  %-16s%16s%16s\n", "hit rate", a, b);
    show_pair("objects written", all.written, second.written);
    if (r->s->read.arg) show_pair("bytes written", all.room_taken, second.room_taken);
    show_pair("never read", all.written - all.read, second.written - second.read);
}

static ending run_admit(settings *s)
{
    replay r = {.s = s};
    blm_info info;
    if (own(s)->replay) { /* the first INPUT; there is room for one more than there were words */
        memmove(s->operand + 1, s->operand, s->operands++ * sizeof *s->operand);
        s->operand[0] = own(s)->replay;
    }
    ending end = take_disk(&r);
    if (!end) end = make_filter(&r);
    if (!end) end = make_caches(&r);
    if (!end && !(r.in = input_open(s, s->operand, s->operands))) end = END_TROUBLE;
    if (!end) end = read_log(&r);
    if (r.in) input_close(r.in);
    if (!end) {
        blm_info_of(r.f, &info);
        if (s->json)
            show_json(&r, &info);
        else
            show_text(&r, &info);
    }
    lru_free(r.all.disk);
    lru_free(r.second.disk);
    blm_free(r.f);
    return end;
}

static const option admit_options[] = {
    {0, "replay", "LOG", "the log of requests: the same as an INPUT", TAKE_TEXT,
     offsetof(admit_settings, replay), 0, 0},
    {0, "disk", "SIZE", "what the disk holds: 10000 (objects), or with --size bytes: 100GiB",
     TAKE_TEXT, offsetof(admit_settings, disk), 0, 0},
    {0, "size", "N", "field N is the size of the object in bytes (with -f)", TAKE_COUNT,
     offsetof(settings, read.arg), 1, 1000000},
    {'t', "kind", "KIND", "kind of the filter (default: " DEFAULT_KIND ")", TAKE_TEXT,
     offsetof(admit_settings, kind), 0, 0},
    {'n', "keys", "N", "plan for N distinct keys (default: 1M)", TAKE_COUNT,
     offsetof(admit_settings, keys), 1, UINT64_C(9007199254740992)},
    {'p', "fpr", "P", "the promised rate of false positives (default: 1/1000)", TAKE_RATE,
     offsetof(admit_settings, fpr), 0, 0},
    {0, "set", "KNOB=VALUE", "a setting of the kind; may be repeated (see bloomery kinds KIND)",
     TAKE_KNOB, offsetof(admit_settings, with), 0, 0},
    {0, "seed", "N", "seed of the hash (default: 0)", TAKE_SEED, offsetof(settings, hash.seed), 0,
     0},
    OPTION_OVERFILL,
    {0, "ram", "SIZE",
     "memory for the filter and both lists of objects (default: half of the machine's)", TAKE_SIZE,
     offsetof(settings, limits.ram), 0, 0},
    OPTIONS_INPUT,
    OPTION_TIME,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_admit = {
    .name = "admit",
    .about = "replay a log: what a cache writes and hits if only second requests are written",
    .usage = "admit --disk SIZE [--size N] [-t KIND] [-n N] [-p P] [--replay LOG] [INPUT...]",
    .text =
        "Each line of the log is a request for the object that its key names. The log is replayed "
        "through two\n"
        "disk caches that evict the object that was requested longest ago. The first one writes "
        "every object\n"
        "that it misses; the second one writes it only if the filter says that it was requested "
        "before, so that\n"
        "objects that are requested once stay off the disk. A wrong maybe of the filter costs one "
        "write and no\n"
        "more. A kind whose keys expire forgets old requests by itself (-n); with any other kind, "
        "-n must be\n"
        "enough for all objects of the log. With --time, requests come at their own times, and keys "
        "may expire by\n"
        "the clock: -t window --set window=1d.\n"
        "Without --size, every object counts as one, and --disk is how many the disk holds. With "
        "--size, --disk is\n"
        "in bytes, an object keeps the size that it was written with, and objects larger than the "
        "disk are never\n"
        "written. \"never read\" counts objects that were written and not requested again while "
        "they were on the\n"
        "disk. Memory depends on the disk, not on the log: at most 64 bytes for each object on each of the "
        "two disks,\n"
        "96 while a table grows.",
    .options = admit_options,
    .examples = {"bloomery admit --replay access.log -d ' ' -f 7 --disk 100k",
                 "zcat access.gz | bloomery admit -d ' ' -f 7 --size 10 --disk 100GiB -n 10M"},
    .endings = "0 shown, 2 usage or I/O, 4 over capacity (the filter is full, or --ram has no room "
               "for the list\n"
               "      of objects; nothing was printed)",
    .size = sizeof(admit_settings),
    .run = run_admit,
};

/* verify.c - bloomery verify: the receipt. Is the file sound, is the promised rate the measured one,
 * and does every key of a list answer yes? */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "image/image.h"

typedef struct verify_settings {
    settings base;
    uint64_t probes;
} verify_settings;

static const verify_settings *own(const settings *s) { return (const verify_settings *)s; }

typedef struct receipt {
    measured m;
    double promised, spread, limit; /* spread: one sd between filters; limit: 4 of them above */
    bool listed, broken_keys, past_plan;
    uint64_t asked, missed;
    const char *verdict;
} receipt;

#define WITHIN "within the spread"

/* The promise is the mean over seeds; one filter lies off it by its spread, 4 of which no honest
 * filter passes. "kept" is said of this very filter: its interval reaches down to the promise. The interval must
 * also exclude twice the promise, else there were too few probes. */
static const char *judge(const receipt *r)
{
    if (r->broken_keys || (r->m.probes && r->m.low > r->limit)) return "broken";
    if (!r->m.probes || r->m.high > fmax(2 * r->promised, r->limit)) return "cannot tell";
    return r->m.low > r->promised ? WITHIN : "kept";
}

static ending measure(const settings *s, const image *im, receipt *r)
{
    const blm_info *n = &im->info;
    const blm_case full = {.keys = n->capacity, .arg = BLM_NO_ARG};
    const uint64_t probes = im->integers ? 0 : own(s)->probes ? own(s)->probes : 1000000;
    if (im->integers && own(s)->probes)
        return trouble("--probes: keys of kind %s are numbers, and any number may be a member, so "
                       "the rate cannot be measured; --against LIST checks the members",
                       n->kind);
    r->promised = n->fpr_target;
    r->spread = n->fpr_target * blm_fpr(im->f, &full).spread;
    r->limit = n->fpr_target + 4 * r->spread;
    r->past_plan = n->adds > n->capacity && n->keys.value > (double)n->capacity;
    progress_start(s, probes, "probes");
    r->m = measure_rate(im->f, probes);
    if (s->list) {
        r->listed = true;
        const ending end = measure_missed(im, s, &s->list, 1, &r->asked, &r->missed);
        if (end) return end;
        r->broken_keys = r->missed && n->promises & BLM_NO_MISS;
    }
    r->verdict = judge(r);
    return END_YES;
}

static void show_text(const image *im, const receipt *r, const char *path)
{
    const blm_info *n = &im->info;
    char name[ESCAPED_NAME];
    host_escape(name, sizeof name, path, strlen(path));
    out_text("%s\n", name);
    out_text("  checksum         ok, all %" PRIu64 " bytes\n", im->file_bytes);
    out_text("  promised rate    %.4g at %" PRIu64 " key%s\n", r->promised, n->capacity,
             plural(n->capacity));
    if (r->m.probes)
        out_text("  measured rate    %.4g (99 %%: %.4g to %.4g), %" PRIu64 " of %" PRIu64
                 " probe%s\n",
                 r->m.rate, r->m.low, r->m.high, r->m.hits, r->m.probes, plural(r->m.probes));
    else
        out_text("  measured rate    none: keys are numbers, and any number may be a member\n");
    if (r->past_plan)
        out_text("  over capacity    %s %.0f keys are in the set, %" PRIu64 " were planned\n",
                 n->keys.bound ? "more than" : "about", n->keys.value, n->capacity);
    if (r->listed)
        out_text("  false negatives  %" PRIu64 " of %" PRIu64 " key%s\n", r->missed, r->asked,
                 plural(r->asked));
    if (strcmp(r->verdict, WITHIN) == 0)
        out_text("  verdict          " WITHIN " of filters of this size (%.3g %% +- %.2g %%)\n",
                 r->promised * 100, r->spread * 100);
    else
        out_text("  verdict          %s\n", r->verdict);
}

static void show_json(const image *im, const receipt *r, const char *path)
{
    json_open(NULL, '{');
    json_text("file", path);
    json_text("checksum", "ok");
    json_number("promised_fpr", r->promised);
    json_number("measured_fpr", r->m.rate);
    json_number("low", r->m.probes ? r->m.low : NAN); /* no probe, no interval: null */
    json_number("high", r->m.probes ? r->m.high : NAN);
    json_number("spread", r->m.probes ? r->spread : NAN);
    json_count("probes", r->m.probes);
    if (r->listed) {
        json_count("false_negatives", r->missed);
        json_count("asked", r->asked);
    } else
        json_null("false_negatives");
    json_bool("over_capacity", r->past_plan);
    json_number("estimated_keys", im->info.keys.value);
    json_count("capacity", im->info.capacity);
    json_text("verdict", r->verdict);
    json_close('}');
    json_end_line();
}

/* A reader of JSON learns of damage from the object as well as from the exit code. */
static void show_unsound(const char *path)
{
    static const char *const unknown[] = {"promised_fpr", "measured_fpr",   "low", "high", "spread",
                                          "probes",       "false_negatives"};
    json_open(NULL, '{');
    json_text("file", path);
    json_text("checksum", "not sound");
    for (size_t i = 0; i < COUNT_OF(unknown); i++) json_null(unknown[i]);
    json_text("verdict", "cannot tell");
    json_close('}');
    json_end_line();
}

static ending verify_one(const settings *s, const char *path)
{
    image im;
    receipt r = {.verdict = ""};
    verify_settings mine = *own(s); /* each image has its own form of keys */
    ending end = image_verify(&im, s, path);
    if (end == END_UNSOUND && s->json && !s->quiet) show_unsound(path);
    if (end) return end;
    if (s->list) end = form_apply(&mine.base, im.f, path);
    if (!end) end = measure(&mine.base, &im, &r);
    if (!end && s->json && !s->quiet)
        show_json(&im, &r, path);
    else if (!end && !s->quiet)
        show_text(&im, &r, path);
    if (!end && r.verdict[0] == 'c' && r.m.probes && !s->json && !s->quiet)
        complain("too few probes to tell; use --probes %.1g", 20 / r.promised);
    image_close(&im);
    return end ? end : r.verdict[0] == 'b' ? END_NO : END_YES;
}

static ending run_verify(settings *s)
{
    if (s->operands > 1 && s->list && strcmp(s->list, "-") == 0)
        return trouble("--against -: standard input can be read only once; name a file, or give "
                       "only one FILE");
    return each_file(s, verify_one);
}

static const option verify_options[] = {
    {'q', "quiet", NULL, "print nothing; answer with the exit code", TAKE_FLAG,
     offsetof(settings, quiet), 0, 0},
    {0, "against", "LIST", "look up every key of this list: each must get a maybe", TAKE_TEXT,
     offsetof(settings, list), 0, 0},
    {0, "probes", "N", "measure the rate with N non-members (default: 1e6)", TAKE_COUNT,
     offsetof(verify_settings, probes), 1, UINT64_C(1000000000000)},
    OPTION_KEY,
    OPTIONS_INPUT,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_verify = {
    .name = "verify",
    .about = "check that a file is sound and keeps its promises",
    .usage = "verify [-q] FILE... [--against LIST] [--probes N]",
    .text =
        "Checks every byte, measures the rate with random keys of 16 bytes that nobody added, "
        "and with\n"
        "--against looks up every key of a list. For kinds whose keys are numbers, the rate is "
        "not measured:\n"
        "any number may be a member. The promise is the mean over all filters of this size. If "
        "the measured\n"
        "rate is certainly above the promise, but by less than 4 standard deviations, the "
        "verdict is \"within\n"
        "the spread\" instead of \"kept\".\n"
        "Checksums find accidents; they do not prove where a file comes from. With several "
        "FILEs, each is\n"
        "checked, and the exit code is the highest one. A filter whose keys expire is checked as "
        "of its own time.",
    .options = verify_options,
    .examples = {"bloomery verify seen.blm --against urls.txt",
                 "bloomery verify --probes 1e8 --json seen.blm"},
    .endings = "0 kept, or within the spread (or too few probes to tell), 1 a promise is not kept, "
               "2 usage or I/O, 3 not "
               "a sound image",
    .min_operands = 1,
    .size = sizeof(verify_settings),
    .run = run_verify,
};

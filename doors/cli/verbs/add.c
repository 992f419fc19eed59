/* add.c - bloomery add: more keys into a filter that is there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "image/change.h"
#include "image/clock.h"

typedef struct adding {
    change c;
    double surely; /* distinct keys that it held before, three standard errors below the estimate */
    uint64_t fresh; /* keys that changed a cell: new ones, less the false positives */
    bool warned;
    blm_item full; /* the key for which there was no room */
} adding;

/* Kinds that look inside a key take no batches of hashes. */
static blm_err add_bytes(adding *a, const line *lines, size_t n)
{
    blm_err err = BLM_OK;
    for (size_t i = 0; i < n && !err; i++) {
        if (!lines[i].key) continue;
        const blm_item it = change_item(&a->c, &lines[i]);
        bool fresh = false;
        err = blm_add_item(a->c.im.f, &it, &fresh);
        a->full = it;
        a->fresh += fresh;
    }
    return err;
}

static blm_err add_hashes(adding *a, const line *lines, size_t n)
{
    blm_hash h[BATCH];
    uint64_t room[BATCH];
    uint8_t fresh[BATCH];
    size_t ready = 0, done = 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].key) h[ready++] = lines[i].h;
    const uint64_t *args = line_args(a->c.s, lines, n, room);
    const blm_err err = blm_add_many(a->c.im.f, h, args, ready, fresh, &done);
    if (err == BLM_E_FULL) a->full = (blm_item){h[done], NULL, 8, args ? args[done] : BLM_NO_ARG};
    for (size_t i = 0; i < done; i++) a->fresh += fresh[i];
    return err;
}

/* Too many keys: say so at once, then read on to the end for the -n that would do. */
static ending overfull(adding *a)
{
    line lines[BATCH];
    blm_report why = {BLM_OK, ""};
    /* The rate is not the reason: the kind has no place left, and --overfill makes none. */
    const bool no_room = a->c.s->open.overfill || blm_room(a->c.im.f, &why) != BLM_E_FULL;
    if (no_room) blm_why_full(a->c.im.f, &a->full, &why);
    complain("%s; %s is unchanged", why.text, a->c.path);
    while (a->c.in && input_lines(a->c.in, lines) > 0) continue;
    if (a->c.in && input_failed(a->c.in)) return END_FULL;
    if (a->c.im.info.clock) {
        complain("its keys expire, and it is planned for %" PRIu64
                 " distinct keys within the window: build a new filter with a larger -n%s",
                 a->c.im.info.capacity, no_room ? "" : ", or use --overfill");
        return END_FULL;
    }
    /* Where every cell is set nobody knows how many there are: not more than were added. */
    const blm_info *n = &a->c.im.info;
    const double inside = n->keys.bound ? (double)n->adds : ceil(fmax(0, n->keys.value));
    const uint64_t came = a->c.in ? input_count(a->c.in) : a->c.s->operands - 1;
    complain("%s %.0f keys were in the set and %" PRIu64
             " more came: build a new filter with -n %.0f%s",
             n->keys.bound ? "at most" : "about", inside, came, inside + (double)came,
             no_room ? "" : ", or use --overfill");
    return END_FULL;
}

static ending add_key(void *ctx, const line *key, const blm_item *it)
{
    adding *a = ctx;
    bool fresh = false;
    const blm_err err = blm_add_item(a->c.im.f, it, &fresh);
    (void)key;
    a->fresh += fresh;
    a->full = *it;
    if (err == BLM_E_FULL) return overfull(a);
    if (err) return complain_why(a->c.path, err, NULL);
    warn_capacity(&a->c.im.info, a->c.im.f, a->surely + (double)a->fresh, &a->warned);
    return END_YES;
}

/* At their times, if they have some. */
static blm_err add_batch(adding *a, const line *lines, size_t n)
{
    const image *im = &a->c.im;
    blm_err err = BLM_OK;
    for (size_t from = 0, run; from < n && !err; from += run) {
        err = clock_run(a->c.s, im->f, lines + from, n - from, &run);
        if (!err)
            err = im->looks_inside ? add_bytes(a, lines + from, run)
                                   : add_hashes(a, lines + from, run);
    }
    return err;
}

static ending add_lines(adding *a)
{
    line lines[BATCH];
    size_t n;
    const image *im = &a->c.im;
    while ((n = input_lines(a->c.in, lines)) > 0) {
        const blm_err err = add_batch(a, lines, n);
        if (err == BLM_E_FULL) return overfull(a);
        if (err == BLM_E_ARG && a->c.s->read.arg) return arg_refused(im->info.kind, im->f);
        if (err) return complain_why(a->c.path, err, NULL);
        warn_capacity(&im->info, im->f, a->surely + (double)a->fresh, &a->warned);
    }
    return input_failed(a->c.in) || input_had_keys(a->c.in) ? END_TROUBLE : END_YES;
}

static ending add_all(adding *a)
{
    const ending end = a->c.in ? add_lines(a) : change_each(&a->c, add_key, a);
    if (end) return end;
    /* The library looks at the fill from time to time; the last look is ours. */
    return a->fresh && !a->c.s->open.overfill && blm_room(a->c.im.f, NULL) ? overfull(a) : END_YES;
}

static void report(const adding *a)
{
    char head[128];
    const uint64_t added = change_keys(&a->c);
    snprintf(head, sizeof head, "%" PRIu64 " key%s added, about %" PRIu64 " of them new", added,
             plural(added), a->fresh);
    if (a->c.s->json) {
        json_open(NULL, '{');
        json_text("file", a->c.path);
        json_count("added", added);
        json_count("new", a->fresh);
    }
    change_report(&a->c, head);
}

static ending run_add(settings *s)
{
    adding a = {.fresh = 0};
    ending end = change_begin(&a.c, s, BLM_ADD, "add keys");
    if (!end) {
        const blm_info *n = &a.c.im.info;
        a.surely =
            fmax(0, fmin(n->keys.value - 3 * (n->keys.value - n->keys.low), (double)n->adds));
        end = add_all(&a);
    }
    if (!end) end = change_write(&a.c);
    if (!end) report(&a);
    change_close(&a.c);
    return end;
}

static const option add_options[] = {
    OPTION_INPUTS, OPTION_NOTE,  OPTION_KEY,    OPTION_OVERFILL, OPTION_FORCE_CHANGE,
    OPTION_WAIT,   OPTION_TRUST, OPTIONS_INPUT, OPTION_ARG,      OPTION_TIME,
    OPTION_NOW,    OPTION_JSON,  OPTION_END,
};

const verb verb_add = {
    .name = "add",
    .about = "add keys to an existing filter",
    .usage = "add [-i] FILE [KEY... | INPUT...]",
    .text = "KEYs are arguments. With -i, the arguments after FILE are INPUTs, and each of their "
            "lines is a key.\n"
            "With no argument after FILE, each line of standard input is a key. A KEY that is also "
            "the name of\n"
            "a file is rejected; put it after -- if you mean the key.\n"
            "FILE is checked first and replaced as a whole at the end; until then, other writers "
            "of FILE wait,\n"
            "and readers do not. With FILE -, the filter is read from standard input and written "
            "to standard\n"
            "output. Past twice the promised rate, add stops and leaves FILE unchanged, unless "
            "--overfill is\n"
            "given.\n"
            "Where keys expire by the clock, they are added now: by the clock of this machine, "
            "--now, or the time of\n"
            "each line (--time N), so that old logs can be replayed. If a line is earlier than the "
            "line before it or\n"
            "than FILE, nothing is written.",
    .options = add_options,
    .examples = {"bloomery add -i seen.blm new-urls.txt",
                 "cut -f1 log | sort -u | bloomery add ids.blm"},
    .endings = "0 written, 2 usage or I/O, or a kind that cannot add keys, 3 not a sound image, 4 "
               "over capacity (nothing written)",
    .min_operands = 1,
    .run = run_add,
};

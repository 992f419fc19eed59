/* build.c - bloomery build: lines in, a filter out.
 *
 * With -n or -m the filter is there from the start and keys go straight in, a batch at a time.
 * Without them, and for kinds that are built whole, the builder keeps the distinct hashes (or all keys, in order, of kinds that
 * weigh them) and makes the filter when the input ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "habits.h"
#include "image/clock.h"

typedef struct build_settings {
    settings base;
    const char *kind;
    uint64_t keys, bits, hashes, max_count; /* max_count: of one key */
    double fpr, fnr;
    knobs_given with;
    lists_given lists;
} build_settings;

static const build_settings *own(const settings *s) { return (const build_settings *)s; }

typedef struct job {
    const settings *s;
    input *in;
    blm_config wish;
    blm_kind_info kind;
    blm_filter *f;  /* keys go straight in, or the result */
    blm_builder *b; /* or are collected                   */
    uint64_t fresh; /* keys that changed a cell: distinct ones, less the false positives */
    blm_info plan;
    bool warned;
    blm_item full; /* the key for which there was no room */
} job;

/* ---- which filter ----------------------------------------------------------------------------- */

/* The clock by which keys of this wish age; a kind may offer several, and the smallest filter says which one it is. */
static uint32_t clock_of(const job *j)
{
    blm_config least = j->wish;
    blm_filter *f = NULL;
    blm_info n = {.clock = j->kind.clock};
    if (!(n.clock & BLM_CLOCK_MS)) return n.clock;
    least.keys = 1;
    least.bits = least.hashes = 0;
    if (!blm_new(&f, &least, NULL)) blm_info_of(f, &n);
    blm_free(f);
    return n.clock;
}

/* Keys that expire by the clock come now, or at --now; with --time each line says when. */
static ending start_clock(job *j, bool straight)
{
    const settings *s = j->s;
    const uint32_t clock = clock_of(j);
    if (clock_ready(s)) return END_TROUBLE;
    if (clock != BLM_CLOCK_MS && s->read.time) return clock_no_times(j->wish.kind, clock);
    if (clock != BLM_CLOCK_MS)
        return !s->open.now ? END_YES
                            : trouble("--now %s: keys of kind %s do not expire by the clock; leave "
                                      "--now out",
                                      s->open.now, j->wish.kind);
    if (s->open.now && strcmp(s->open.now, "last") == 0)
        return trouble("--now last: a new filter has no time of its own yet");
    if (s->read.time && !straight)
        return trouble("--time: give -n, the distinct keys within the window; without it, keys "
                       "wait for the end of the input and lose their times");
    return s->read.time ? END_YES : clock_now(s, &j->wish.now);
}

static ending start(job *j, const secret *key)
{
    const settings *s = j->s;
    const build_settings *want = own(s);
    blm_report why = {BLM_OK, ""};
    if (want->kind && kind_known("-t ", want->kind)) return END_TROUBLE;
    blm_config_init(&j->wish);
    j->wish.kind =
        want->kind ? want->kind
                   : blm_default_kind(want->keys, want->fpr, want->bits, (unsigned)want->hashes);
    j->wish.keys = want->keys;
    j->wish.fpr = want->fpr;
    j->wish.fnr = want->fnr;
    j->wish.bits = want->bits;
    j->wish.hashes = (unsigned)want->hashes;
    j->wish.seed = s->hash.seed;
    j->wish.secret = key->given ? key->bytes : NULL;
    j->wish.with = want->with[0] ? want->with : NULL;
    j->wish.overfill = s->open.overfill;
    j->wish.max_count = want->max_count;
    if (want->max_count && !want->kind)
        return trouble("--max-count %" PRIu64 ": kind %s does not count; choose another kind with "
                       "-t (bloomery plan --max-count %" PRIu64 " lists them)",
                       want->max_count, j->wish.kind, want->max_count);
    const bool known = blm_kind_named(j->wish.kind, &j->kind);
    const bool straight =
        known && !(j->kind.can & BLM_BUILD) && !j->kind.nlists && (want->keys || want->bits);
    const uint64_t ram = ram_bytes(s, "build");
    if (!ram || arg_taken(s, j->wish.kind) || start_clock(j, straight)) return END_TROUBLE;
    blm_err err =
        straight ? blm_new(&j->f, &j->wish, &why) : blm_builder_new(&j->b, &j->wish, &why);
    if (j->b) {
        blm_builder_threads(j->b, jobs_of(s));
        err = blm_builder_ram(j->b, ram, spool_folder(), &why);
    }
    if (err) return complain_why(NULL, err, &why);
    if (j->f) blm_info_of(j->f, &j->plan);
    return END_YES;
}

/* ---- keys ---------------------------------------------------------------------------------------- */

/* Kinds that look inside a key take no batches of hashes. */
static blm_err add_bytes(job *j, const line *lines, size_t n)
{
    blm_err err = BLM_OK;
    for (size_t i = 0; i < n && !err; i++) {
        if (!lines[i].key) continue;
        const blm_item it = blm_item_of(j->f, lines[i].key, lines[i].key_length, lines[i].arg);
        bool fresh = false;
        err = blm_add_item(j->f, &it, &fresh);
        j->full = it;
        j->fresh += fresh;
    }
    return err;
}

static size_t hashes_of(const line *lines, size_t n, blm_hash *h)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].key) h[count++] = lines[i].h;
    return count;
}

/* The input has hashed the keys. */
static blm_err add_batch(job *j, const line *lines, size_t n)
{
    blm_hash h[BATCH];
    uint64_t room[BATCH];
    uint8_t fresh[BATCH];
    size_t done = 0;
    if (j->kind.bytes) return add_bytes(j, lines, n);
    const uint64_t *args = line_args(j->s, lines, n, room);
    const size_t count = hashes_of(lines, n, h);
    const blm_err err = count ? blm_add_many(j->f, h, args, count, fresh, &done) : BLM_OK;
    if (err == BLM_E_FULL && done < count)
        j->full = (blm_item){h[done], NULL, 8, args ? args[done] : BLM_NO_ARG};
    for (size_t i = 0; i < done; i++) j->fresh += fresh[i];
    return err;
}

static blm_err collect_batch(job *j, const line *lines, size_t n)
{
    blm_hash h[BATCH];
    blm_err err = BLM_OK;
    if (!j->s->read.arg) return blm_builder_add_many(j->b, h, hashes_of(lines, n, h), NULL);
    for (size_t i = 0; i < n && !err; i++)
        if (lines[i].key)
            err = blm_builder_add(j->b, 0, lines[i].key, lines[i].key_length, lines[i].arg);
    return err;
}

static ending ending_of_add(job *j, blm_err err)
{
    if (err == BLM_E_FULL) return END_FULL;
    if (err == BLM_E_IO && j->b)
        return trouble("%s; nothing was written", blm_builder_trouble(j->b));
    if (err == BLM_E_ARG && j->s->read.arg) return arg_refused(j->wish.kind, j->f);
    return err ? complain_why(NULL, err, NULL) : END_YES;
}

/* At their times, if they have some. */
static blm_err add_timed(job *j, const line *lines, size_t n)
{
    blm_err err = BLM_OK;
    for (size_t from = 0, run; from < n && !err; from += run) {
        err = clock_run(j->s, j->f, lines + from, n - from, &run);
        if (!err) err = add_batch(j, lines + from, run);
    }
    return err;
}

/* Which line is new does not matter: marks stay as they are. */
static ending add_lines(void *ctx, const line *lines, size_t n, uint8_t *mark, size_t *done)
{
    job *j = ctx;
    (void)mark;
    for (*done = 0; *done < n;) {
        const size_t left = n - *done, now = left < BATCH ? left : BATCH;
        const blm_err err =
            j->f ? add_timed(j, lines + *done, now) : collect_batch(j, lines + *done, now);
        if (err) return ending_of_add(j, err);
        if (j->f) warn_capacity(&j->plan, j->f, (double)j->fresh, &j->warned);
        *done += now;
    }
    return END_YES;
}

static ending add_share(void *ctx, const blm_hash *h, size_t n, uint8_t *mark, unsigned share,
                        unsigned shares)
{
    job *j = ctx;
    return ending_of_add(j, blm_builder_add_share(j->b, h, n, mark, share, shares));
}

static unsigned shares_of(void *ctx, size_t n)
{
    const job *j = ctx;
    return blm_builder_shares(j->b, n);
}

static bool go_on(void *ctx, const line *lines, size_t n, const uint8_t *mark)
{
    (void)ctx, (void)lines, (void)n, (void)mark;
    return true;
}

/* Too many keys: say so at once, then read on to the end for the -n that would do. */
static ending overfull(job *j)
{
    line lines[BATCH];
    blm_report why = {BLM_OK, ""};
    const blm_filter *f = j->f ? j->f : blm_builder_peek(j->b);
    const bool rate = f && !j->s->open.overfill && blm_room(f, &why) == BLM_E_FULL;
    const char *advice =
        rate ? ", or use --overfill" : ""; /* places that are taken it cannot make */
    if (!rate && f)
        blm_why_full(f, &j->full, &why);
    else if (!rate)
        snprintf(why.text, sizeof why.text,
                 "no room: all places for keys of this %s filter are taken", j->wish.kind);
    complain("%s; nothing was written", why.text);
    while (input_lines(j->in, lines) > 0) continue;
    if (input_failed(j->in)) return END_FULL;
    const uint64_t n = input_count(j->in);
    if (j->plan.clock)
        complain("keys expire: -n is for the distinct keys that come within the window, %" PRIu64
                 " here; use a larger -n%s",
                 j->plan.capacity, advice);
    if (j->plan.clock || (!rate && own(j->s)->keys >= n))
        return END_FULL; /* one key came too often: more room is none for it */
    if (own(j->s)->keys)
        complain("the input has %" PRIu64 " line%s: use -n %" PRIu64 ", or leave -n out%s", n,
                 plural(n), n, advice);
    else
        complain("the input has %" PRIu64 " line%s: use a larger -m, or leave -m out%s", n,
                 plural(n), advice);
    return END_FULL;
}

static ending take_all(job *j)
{
    const work w = {.ctx = j,
                    .judge = add_lines,
                    .judge_share = j->b && !j->s->read.arg ? add_share : NULL,
                    .shares = shares_of,
                    .finish = go_on};
    ending end = input_run(j->in, &w);
    if (end == END_FULL) return overfull(j);
    if (!end) end = input_had_keys(j->in);
    if (end) return end;
    /* The library looks at the fill from time to time; the last look is ours. */
    const bool past = j->f && j->fresh > j->plan.capacity && !j->s->open.overfill;
    return past && blm_room(j->f, NULL) ? overfull(j) : END_YES;
}

/* ---- lists other than the members ------------------------------------------------------------------ */

/* The number of the list that "NAME=FILE" means; 0: the kind has no such list, and it has complained. */
static unsigned list_named(const job *j, const char *text)
{
    char names[200] = "";
    const size_t n = strcspn(text, "=");
    blm_list_info l;
    for (unsigned i = 1; blm_list_at(j->wish.kind, i, &l); i++) {
        if (strlen(l.name) == n && memcmp(l.name, text, n) == 0) return i;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 1 ? ", " : "",
                 l.name);
    }
    if (names[0])
        trouble("--list %.*s: kind %s has no such list; it has %s", (int)n, text, j->wish.kind,
                names);
    else
        trouble("--list %.*s: kind %s takes no lists", (int)n, text, j->wish.kind);
    return 0;
}

static ending take_list(job *j, const char *text)
{
    const unsigned number = list_named(j, text);
    const char *path = strchr(text, '=') + 1;
    settings whole = *j->s; /* lines, whatever is said of INPUT; but a number has its field */
    line lines[BATCH];
    size_t n;
    blm_err err = BLM_OK;
    blm_list_info l = {.keyed = false};
    blm_list_at(j->wish.kind, number, &l);
    if (!l.keyed || !whole.read.arg) {
        const bool counted =
            l.keyed && !j->kind.arg; /* the list alone has numbers: key<tab>number */
        whole.read.field = counted ? 1 : 0;
        whole.read.arg = counted ? 2 : 0;
        whole.read.fields = (fields_given){.n = counted, .range = {{1, 1}}};
        whole.read.delimiter = NULL;
    }
    whole.read.csv = whole.read.jsonl = NULL;
    input *in = number ? input_open(&whole, &path, 1) : NULL;
    if (!in) return END_TROUBLE;
    while (!err && (n = input_lines(in, lines)) > 0)
        for (size_t i = 0; i < n && !err; i++)
            if (lines[i].key)
                err =
                    blm_builder_add(j->b, number, lines[i].key, lines[i].key_length, lines[i].arg);
    const bool failed = input_failed(in);
    input_close(in);
    return err ? complain_why(path, err, NULL) : failed ? END_TROUBLE : END_YES;
}

static ending take_lists(job *j)
{
    const char *const *list = own(j->s)->lists;
    ending end = END_YES;
    for (size_t i = 0; !end && list[i]; i++) {
        if (strcmp(strchr(list[i], '='), "=-") == 0 && !j->s->operands)
            return trouble(
                "--list %s: standard input cannot be both the list and the keys; name INPUT files",
                list[i]);
        end = take_list(j, list[i]);
    }
    return end;
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

/* How many keys a fixed set has is known at the end alone. */
static ending overfull_set(const job *j, uint64_t distinct, const blm_report *why)
{
    complain("%s; nothing was written", why->text);
    if (own(j->s)->keys)
        complain("use -n %" PRIu64 ", or leave -n out", distinct);
    else if (own(j->s)->bits)
        complain("use a larger -m, or leave -m out");
    return END_FULL;
}

static ending finish(job *j, const secret *key)
{
    const settings *s = j->s;
    blm_report why = {BLM_OK, ""};
    uint64_t distinct = j->fresh;
    const bool about = !j->b;
    if (j->b) {
        blm_err err = blm_builder_distinct(j->b, &distinct, &why); /* may read a spool */
        if (err == BLM_E_CANNOT) distinct = blm_builder_keys(j->b), err = BLM_OK;
        if (!err) {
            err = blm_build(&j->f, j->b, &why);
            j->b = NULL;
        }
        if (err == BLM_E_FULL) return overfull_set(j, distinct, &why);
        if (err) return complain_why(NULL, err, &why);
    }
    ending end = form_keep(s, j->f);
    if (!end) end = save_image(s, j->f, s->secret.new_key ? key->bytes : NULL);
    if (!end) save_report(s, j->f, input_count(j->in), (double)distinct, about);
    return end;
}

static ending run_build(settings *s)
{
    secret key = {.given = false};
    job j = {.s = s};
    ending end = save_ready(s);
    if (!end) end = save_apart(s, s->operand, s->operands);
    if (!end) end = secret_load(&key, s);
    if (!end) end = start(&j, &key);
    if (!end && !(j.in = input_open(s, s->operand, s->operands))) end = END_TROUBLE;
    if (!end && j.f && !j.kind.bytes) input_hash_with(j.in, j.f, true);
    if (!end && j.b) input_hash_with(j.in, blm_builder_hasher(j.b), true);
    if (!end) end = take_lists(&j);
    if (!end) end = take_all(&j);
    if (!end) end = finish(&j, &key);
    if (j.in) input_close(j.in);
    blm_builder_free(j.b);
    blm_free(j.f);
    secret_wipe(&key);
    return end;
}

static const option build_options[] = {
    OPTION_OUT,
    {'t', "kind", "KIND", "the kind (default: blocked, or standard below a rate of 1e-4)",
     TAKE_TEXT, offsetof(build_settings, kind), 0, 0},
    {'n', "keys", "N", "plan for N distinct keys (default: as many as the input has)", TAKE_COUNT,
     offsetof(build_settings, keys), 1, UINT64_C(9007199254740992)},
    {'p', "fpr", "P", "the promised rate of false positives (default: 1/1000)", TAKE_RATE,
     offsetof(build_settings, fpr), 0, 0},
    {0, "fnr", "P", "kinds that may miss members: miss at most this share of them", TAKE_RATE,
     offsetof(build_settings, fnr), 0, 0},
    {'m', "bits", "SIZE", "use at most this much memory: 64KiB, 2GiB, 1024b (bits)", TAKE_SIZE,
     offsetof(build_settings, bits), 0, 0},
    {'k', "hashes", "K", "hashes per key (default: the best number)", TAKE_COUNT,
     offsetof(build_settings, hashes), 1, 64},
    {0, "max-count", "N", "kinds that count: use the smallest counters that count to N", TAKE_COUNT,
     offsetof(build_settings, max_count), 1, UINT64_C(9007199254740991)},
    {0, "set", "KNOB=VALUE", "a setting of the kind; may be repeated (see bloomery kinds KIND)",
     TAKE_KNOB, offsetof(build_settings, with), 0, 0},
    {0, "list", "NAME=FILE", "a second list of keys, one per line (see bloomery kinds KIND)",
     TAKE_LIST, offsetof(build_settings, lists), 0, 0},
    {0, "seed", "N", "seed of the hash; only filters with the same seed can be merged", TAKE_SEED,
     offsetof(settings, hash.seed), 0, 0},
    OPTION_NOTE,
    OPTION_KEY,
    {0, "new-key", "FILE", "create a random secret key in FILE, and hash with it", TAKE_TEXT,
     offsetof(settings, secret.new_key), 0, 0},
    OPTION_FORCE,
    OPTION_WAIT,
    OPTION_OVERFILL,
    OPTIONS_INPUT,
    OPTION_ARG,
    OPTION_TIME,
    OPTION_NOW,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_build = {
    .name = "build",
    .about = "build a filter from the lines of files or standard input",
    .usage = "build -o FILE [-t KIND] [-n N] [-p P] [-m SIZE] [-k K] [--set KNOB=VALUE] [--list "
             "NAME=FILE] [INPUT...]",
    .text = "Each line is a key, without its newline. Without -n, the filter is sized for the "
            "distinct keys of\n"
            "the input, in one pass; beyond --ram (default: half of the machine's memory) their "
            "hashes are kept\n"
            "in a file in TMPDIR, 8 bytes each. Give any of -n -p -m -k that determine the filter; "
            "-m is never\n"
            "exceeded, except by the table that popularity makes of its lists.\n"
            "Kinds that weigh their keys take a weight from a field of the line (-f 1 --arg 2); "
            "without --arg,\n"
            "every line counts as one.\n"
            "The image stores --hex, --lower and --crlf, and later verbs read their keys the same "
            "way; fields and\n"
            "columns belong to the input and must be given each time. If no line has the field, "
            "nothing is\n"
            "written. Past twice the promised rate, build stops and writes nothing, unless "
            "--overfill is given.\n"
            "Where keys expire by the clock, they are added now: by the clock of this machine, "
            "--now, or the time of\n"
            "each line (--time N, with -n).",
    .options = build_options,
    .examples = {"bloomery build -o seen.blm urls.txt",
                 "cut -f1 log | bloomery build -n 10M -p 0.1% -o ids.blm"},
    .endings = "0 written, 2 usage or I/O, 4 over capacity (nothing written)",
    .size = sizeof(build_settings),
    .run = run_build,
};

/* test.c - bloomery test: one answer a key. */
#include <string.h>

#include "image/clock.h"

typedef struct test_settings {
    settings base;
    bool all; /* -a: the arguments before -- are FILEs */
} test_settings;

static const test_settings *own(const settings *s) { return (const test_settings *)s; }

typedef struct asking {
    const settings *s;
    const char *path;
    image im;
    asker ask;
    bool careful; /* a large image: only the chunks that a query reads are checked, before it */
    bool any_no, any_yes;
    uint64_t asked; /* keys so far */
} asking;

static ending ask_carefully(asking *a, const line *lines, size_t n, uint8_t *yes)
{
    memset(yes, 0, n);
    for (size_t i = 0; i < n; i++) {
        blm_item it;
        blm_report why = {BLM_OK, ""};
        if (!lines[i].key || !key_item(&a->im, &lines[i], &it)) continue;
        const blm_err err = blm_check_item(a->im.f, &it, &why);
        if (err) return complain_why(a->path, err, &why);
        yes[i] = blm_has_item(a->im.f, &it);
    }
    return END_YES;
}

static void answer(asking *a, const line *l, bool yes)
{
    if (!l->key) return;
    a->asked++;
    a->any_no |= !yes;
    a->any_yes |= yes;
    if (a->s->quiet) return;
    if (a->s->json) {
        json_open(NULL, '{');
        if (own(a->s)->all) json_text("file", a->path);
        json_bytes("key", l->key, l->key_length);
        json_text("answer", yes ? "maybe" : "no");
        json_close('}');
        json_end_line();
        return;
    }
    if (own(a->s)->all && !yes) return; /* it names the filters that match */
    if (own(a->s)->all) out_text("%s\t", a->path);
    key_show(a->s, l);
    out_text(yes ? "\tmaybe" : "\tno");
    out_bytes(a->s->read.zero ? "" : "\n", 1);
}

static ending ask_batch(asking *a, const line *lines, size_t n)
{
    uint8_t yes[BATCH];
    ending end = END_YES;
    if (a->careful)
        end = ask_carefully(a, lines, n, yes);
    else
        a->ask(&a->im, lines, n, yes);
    for (size_t i = 0; !end && i < n; i++) answer(a, &lines[i], yes[i]);
    return end;
}

static ending ask_word(void *ctx, const line *key) { return ask_batch(ctx, key, 1); }

static ending ask_input_lines(asking *a)
{
    line lines[BATCH];
    size_t n;
    ending end = END_YES;
    input *in = input_open(a->s, a->s->operand + 1, a->s->operands - 1);
    if (!in) return END_TROUBLE;
    if (!a->careful) a->ask = ask_input(&a->im, in);
    while (!end && !out_failed() && (n = input_lines(in, lines)) > 0) end = ask_batch(a, lines, n);
    if (!end && input_failed(in)) end = END_TROUBLE;
    if (!end) end = input_had_keys(in);
    input_close(in);
    return end;
}

/* The keys of words or lines, against one filter. */
static ending test_file(asking *a, settings *s)
{
    const bool small = image_is_small(a->path), words = keys_are_words(s);
    ending end = image_open_now(&a->im, s, a->path, small ? BLM_CHECK_ALL : BLM_CHECK_NONE);
    if (end) return end;
    a->careful = !small && a->im.info.mapped;
    warn_full(&a->im, a->path);
    end = form_apply(s, a->im.f, a->path);
    if (!end) end = arg_taken(s, a->im.info.kind);
    if (!end) end = words ? words_each(s, ask_word, a) : ask_input_lines(a);
    image_close(&a->im);
    return end;
}

static ending no_keys(const settings *s)
{
    return trouble("-q: missing key, so there is no answer; usage: bloomery %s", s->verb->usage);
}

static ending test_one(settings *s)
{
    asking a = {.s = s, .path = s->operand[0], .ask = ask_lines};
    if (one_pipe(s)) return END_TROUBLE;
    ending end = keys_are_words(s) ? words_checked(s, false) : END_YES;
    if (!end) end = test_file(&a, s);
    if (!end && s->quiet && !a.asked) return no_keys(s);
    return end ? end : a.any_no ? END_NO : END_YES;
}

/* Several filters, the same keys: each has its own form of keys, so that the settings are copied. */
static ending test_all(settings *s)
{
    bool any = false;
    ending worst = END_YES;
    s->files = s->literal;
    if (s->read.inputs || s->files == 0 || s->files == s->operands)
        return trouble("-a: put the FILEs before -- and the KEYs after it: bloomery test -a A.blm "
                       "B.blm -- KEY");
    for (size_t i = 0; i < s->files && !out_failed(); i++) {
        test_settings mine = *own(s);
        asking a = {.s = &mine.base, .path = s->operand[i], .ask = ask_lines};
        const ending end = test_file(&a, &mine.base);
        if (end > worst) worst = end;
        any |= a.any_yes;
    }
    return worst ? worst : any ? END_YES : END_NO;
}

static ending run_test(settings *s) { return own(s)->all ? test_all(s) : test_one(s); }

static const option test_options[] = {
    {'q', "quiet", NULL, "print nothing; answer with the exit code", TAKE_FLAG,
     offsetof(settings, quiet), 0, 0},
    {'a', "all", NULL, "several FILEs before --, KEYs after it: print the FILEs that match",
     TAKE_FLAG, offsetof(test_settings, all), 0, 0},
    OPTION_INPUTS,
    OPTION_JSON,
    OPTION_KEY,
    OPTIONS_INPUT,
    OPTION_ARG,
    OPTION_NOW,
    OPTION_END,
};

const verb verb_test = {
    .name = "test",
    .about = "test keys: KEY<tab>maybe or KEY<tab>no",
    .usage = "test [-q] [-i] FILE [KEY... | INPUT...]  or  test -a FILE... -- KEY...",
    .text =
        "KEYs are arguments; with -i they are the lines of INPUTs; with no argument after FILE "
        "they are the\n"
        "lines of standard input. A KEY that is also the name of a file gets a note; put it after\n"
        "-- to avoid the note. A \"no\" is certain; a \"maybe\" is wrong at the filter's rate. An "
        "image below\n"
        "64 MiB is checked completely first; of a larger one, only what is read.\n"
        "With -a, every argument before -- is a FILE, and FILE<tab>KEY<tab>maybe is printed for "
        "each FILE and\n"
        "KEY that match; the exit code is 0 if there is any, 1 if there is none.",
    .options = test_options,
    .examples = {"bloomery test seen.blm http://example.org/",
                 "bloomery test -q seen.blm plum && echo perhaps"},
    .endings = "0 every key gets a maybe (-a: some key of some FILE does), 1 some key is not in "
               "the set (-a: none is), 2 usage or I/O, 3 not a sound image",
    .min_operands = 1,
    .size = sizeof(test_settings),
    .run = run_test,
};

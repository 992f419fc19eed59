/* input.h - what verbs see of the input: lines of files and pipes, with their keys. organs.h has the internals. */
#ifndef BLM_CLI_INPUT_H
#define BLM_CLI_INPUT_H
#include "cli.h"

#define BATCH 512 /* lines a turn */

typedef struct line {
    const char *text; /* without its end                                 */
    size_t length;
    const char *key;   /* NULL: the line has no such field                */
    size_t key_length; /* of a line without a key: HEADER or 0             */
    uint64_t arg;      /* --arg: the number that came with the key, else BLM_NO_ARG */
    uint64_t when;     /* --time: ms since 1970, else 0 */
    blm_hash h; /* of the key, when input_hash_with() was called; integer kinds: of the number */
} line;

#define HEADER ((size_t)1)
static inline bool line_is_header(const line *l) { return !l->key && l->key_length == HEADER; }

/* Lines that are marked go out; how many. Neighbours in the input go out as one piece. */
uint64_t out_lines(const line *lines, size_t n, const uint8_t *mark, char end);

typedef struct input input;
/* paths none: standard input. NULL: it has complained. */
input *input_open(const settings *s, const char *const *paths, size_t n);
/* From now on lines come with the hash that f wants, made by the threads of -j. Kinds of integers:
 * a key that is no number ends the input with a complaint if `strict`, else it has no key. f must
 * live as long as the input. Not for kinds that look inside the key. */
void input_hash_with(input *in, const blm_filter *f, bool strict);
/* --hex, --lower and --crlf are known only now, before any line: those of the image (form.c). */
void input_reform(input *in, const settings *s);
/* --time: the first line must not be before this, the time of a filter. */
void input_time_from(input *in, uint64_t ms);
/* Reading ends when this pipe has a byte, as if the input did; for an input of one thread. */
void input_halt_with(input *in, int fd);
/* At least one line, as many as have arrived, at most BATCH; they live until the next call. 0: the
 * end, or a failure. Output is flushed before a read that would wait. */
size_t input_lines(input *in, line *out);
/* What becomes of the lines when all threads of -j do it, a block of them at a time. mark[i] is a byte of
 * line i, 0 at first. */
typedef struct work {
    void *ctx;
    /* Any thread, any number of them, blocks in any order. NULL: nothing. */
    void (*look)(void *ctx, const line *lines, size_t n, uint8_t *mark);
    /* In the order of the input, one at a time. *done: lines that were judged, if it fails; then nothing
     * more is judged. NULL: nothing. */
    ending (*judge)(void *ctx, const line *lines, size_t n, uint8_t *mark, size_t *done);
    /* In its place, by several threads at the same time: the hashes of one share of a block's keys, in order,
     * BATCH at most; and their marks. A share is chosen by the upper bits of a hash. A block in which it
     * fails is not judged. NULL: never. */
    ending (*judge_share)(void *ctx, const blm_hash *h, size_t n, uint8_t *mark, unsigned share,
                          unsigned shares);
    /* The most shares (16, 8, 4, 2; 1: judge) that the next n lines may have; none is being judged. */
    unsigned (*shares)(void *ctx, size_t n);
    /* In place of judge_share, for whoever wants the keys: lines[of[0]] to lines[of[n - 1]]. Of any block there
     * are as many shares, most_shares at most. */
    ending (*judge_lines)(void *ctx, const line *lines, const uint32_t *of, size_t n);
    unsigned max_shares;
    /* In the order of the input, one at a time: standard output is its own. False: no more is wanted. */
    bool (*finish)(void *ctx, const line *lines, size_t n, const uint8_t *mark);
} work;
/* Reads all lines, to the end. On failure it complains and returns END_TROUBLE, or what judge returned; input_lines
 * still gives the lines after the block in which that happened. */
ending input_run(input *in, const work *w);
/* The numbers of n lines that have a key, in order; NULL: keys come without one. */
static inline const uint64_t *line_args(const settings *s, const line *lines, size_t n,
                                        uint64_t room[BATCH])
{
    size_t ready = 0;
    for (size_t i = 0; s->read.arg && i < n; i++)
        if (lines[i].key) room[ready++] = lines[i].arg;
    return s->read.arg ? room : NULL;
}
/* --arg was given: keys of this kind have numbers, or it complains. */
ending arg_taken(const settings *s, const char *kind);
/* The sentence for a number that the library refused; f NULL: there is no filter yet. */
ending arg_refused(const char *kind, const blm_filter *f);
bool input_failed(const input *in);
uint64_t input_count(const input *in);   /* lines with a key so far */
uint64_t input_keyless(const input *in); /* lines without one, headers not counted */
uint64_t input_judged(const input *in);  /* lines, headers too, that work judged, or need not */
uint64_t input_headers(const input *in); /* headers of CSV that did not come as lines */
/* Does a line without a key come out where lines do? --no-key keep, and the header of CSV. */
bool input_keeps(const input *in, const line *l);
/* Complains when lines came and none of them had the field, column or path that was asked for: most likely
 * that is misspelt. For verbs that are of no use without a key. */
ending input_had_keys(input *in);
void input_close(input *in); /* says how many lines had no such field */
/* A KEY of the command line, as --hex and --lower make it; room: as long as the word. False: it has
 * complained. */
bool key_of_word(const settings *s, const char *word, char *room, line *out);
/* The operands after FILE are KEYs: -i was not given, and there are some. */
bool keys_are_words(const settings *s);
/* Looks at each KEY before it is used. One that names a file, or is "-", was most likely meant as an INPUT: `strict`
 * refuses it, else a note says so. What stands after -- is a KEY whatever it names. */
ending words_checked(const settings *s, bool strict);
/* Calls `each` with every KEY of the command line, until one fails or output does. */
ending words_each(const settings *s, ending (*each)(void *ctx, const line *key), void *ctx);
unsigned jobs_of(const settings *s); /* -j, or the processors that there are, at most 8 */
void packing_show(void);             /* which packed inputs can be read: a line of --version */

/* Are these the first bytes of an image? Then it is no list of keys. */
static inline bool is_image(const char *p, size_t n)
{
    uint64_t bytes;
    return blm_image_size(p, n, &bytes, NULL) == BLM_OK;
}

/* ---- the form of keys (form.c) ---------------------------------------------------------------------------- */

/* From now on keys are read as those of f were: --hex, --lower, --crlf are set. Complains about a flag that
 * contradicts it, and about a form that this program does not know. */
ending form_apply(settings *s, const blm_filter *f, const char *path);
/* The same before keys are added: an empty filter takes the form of the flags, and one with plain keys
 * takes no others. */
ending form_extend(settings *s, blm_filter *f, const char *path);
ending form_keep(const settings *s, blm_filter *f); /* f has the form of the flags */
void key_show(const settings *s, const line *l);    /* as it came: with --hex in hex */

/* ---- times (when.c) --------------------------------------------------------------------------------------- */

#define WHEN_ROOM 48
/* ISO 8601 (without a zone: UTC), or a number: seconds since 1970, from 10^11 on milliseconds. At most the year 9999. */
bool when_read(const char *p, size_t n, uint64_t *ms);
const char *when_text(char room[WHEN_ROOM], uint64_t ms); /* 2026-11-19T12:00:00.250Z */

/* ---- rows of options ------------------------------------------------------------------------------------------ */

#define OPTION_INPUTS                                                                              \
    {                                                                                              \
        'i', "inputs", NULL, "the arguments after FILE are INPUTs (files of keys), not KEYs",      \
            TAKE_FLAG, offsetof(settings, read.inputs), 0, 0                                       \
    }
/* Verbs whose keys may come with a number: a weight, a value, a set. */
#define OPTION_ARG                                                                                 \
    {                                                                                              \
        0, "arg", "N", "field N is the number of the key, such as its weight (with -f)",           \
            TAKE_COUNT, offsetof(settings, read.arg), 1, 1000000                                   \
    }
/* Verbs that replay old logs. */
#define OPTION_TIME                                                                                \
    {                                                                                              \
        0, "time", "N",                                                                            \
            "field N (or column, or .path) is the line's time: ISO 8601, or seconds since 1970",   \
            TAKE_TEXT, offsetof(settings, read.time), 0, 0                                         \
    }
#define OPTION_HEX                                                                                 \
    {                                                                                              \
        0, "hex", NULL, "keys are hex digits, two per byte", TAKE_FLAG,                            \
            offsetof(settings, read.hex), 0, 0                                                     \
    }
#define OPTION_LOWER                                                                               \
    {                                                                                              \
        0, "lower", NULL, "A-Z count as a-z in keys; lines are printed unchanged", TAKE_FLAG,      \
            offsetof(settings, read.lower), 0, 0                                                   \
    }
#define OPTIONS_INPUT                                                                              \
    {'d',       "delimiter",                                                                       \
     "CHAR",    "field delimiter (default: tab; with --csv, comma)",                               \
     TAKE_TEXT, offsetof(settings, read.delimiter),                                                \
     0,         0},                                                                                \
        {'f',         "field",                                                                     \
         "LIST",      "the key is this field, or several, joined as by cut: 1,3 or 2-4",           \
         TAKE_FIELDS, offsetof(settings, read.field),                                              \
         0,           0},                                                                          \
        {0,         "csv",                                                                         \
         "NAME",    "input is CSV; the key is the column NAME (the header line is not a key)",     \
         TAKE_TEXT, offsetof(settings, read.csv),                                                  \
         0,         0},                                                                            \
        {0,                                                                                        \
         "jsonl",                                                                                  \
         ".PATH",                                                                                  \
         "input is one JSON value per line; the key is .user.id, .tags[0], .\"odd name\"",         \
         TAKE_TEXT,                                                                                \
         offsetof(settings, read.jsonl),                                                           \
         0,                                                                                        \
         0},                                                                                       \
        {0,         "no-key",                                                                      \
         "WORD",    "what to do with lines without a key: keep (default of uniq), drop, or fail",  \
         TAKE_TEXT, offsetof(settings, read.no_key),                                               \
         0,         0},                                                                            \
        OPTION_HEX, OPTION_LOWER, {'z',       "zero",                                              \
                                   NULL,      "records end in a NUL byte, not in a newline",       \
                                   TAKE_FLAG, offsetof(settings, read.zero),                       \
                                   0,         0},                                                  \
        {0,         "crlf",                                                                        \
         NULL,      "a CR before the newline is not part of the key",                              \
         TAKE_FLAG, offsetof(settings, read.crlf),                                                 \
         0,         0},                                                                            \
    {                                                                                              \
        0, "max-record", "SIZE",                                                                   \
            "reject longer lines (default: 64MiB, or a quarter of --ram if less)", TAKE_SIZE,      \
            offsetof(settings, limits.max_record), 0, 0                                            \
    }
#endif

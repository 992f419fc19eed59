/* cli.h - what the verbs of the command line share.
 *
 * A verb is one file with one `verb`: its table of options drives the parser and the help. It sees
 * a filled `settings`, reads keys through `input`, answers through out_*, and returns an ending.
 */
#ifndef BLM_CLI_H
#define BLM_CLI_H
#include <bloomery/bloomery.h>

#if defined(__GNUC__)
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef enum ending {                   /* exit codes: scripts depend on them */
                      END_YES = 0,      /* yes, some, success                        */
                      END_NO = 1,       /* no, none; verify: a promise not kept      */
                      END_TROUBLE = 2,  /* usage, input or output                    */
                      END_UNSOUND = 3,  /* not a sound image                         */
                      END_FULL = 4,     /* over capacity                             */
                      END_UNLIKE = 5,   /* filters that may not be combined          */
                      END_UNDECODED = 6 /* cannot be decoded                         */
} ending;

/* ---- options (options.c) ------------------------------------------------------------------ */

typedef struct settings settings;

typedef enum take {
    TAKE_FLAG,
    TAKE_TEXT,
    TAKE_COUNT,
    TAKE_RATE,
    TAKE_SIZE,
    TAKE_SEED,
    TAKE_NUMBER, /* any number above 0 */
    TAKE_KNOB,
    TAKE_LIST
} take;

typedef struct option {
    char letter;              /* 0: none                                        */
    const char *name, *value; /* value NULL: a flag                             */
    const char *help;
    take type;
    size_t at;         /* offsetof in settings                           */
    uint64_t min, max; /* of a COUNT                                     */
} option;

typedef struct verb {
    const char *name, *about; /* about: its line in `bloomery --help`           */
    const char *usage;        /* what follows "bloomery "                       */
    const char *text;         /* how it behaves, a few lines                    */
    const option *options;    /* ended by a row without a name                  */
    const char *examples[2];
    const char *endings; /* what its exit codes mean                       */
    size_t least, most;  /* operands; most 0: any number                   */
    bool lines_out;      /* prints lines of its input: --no-key keep       */
    ending (*run)(settings *s);
} verb;

struct settings { /* zero: not given */
    const verb *verb;
    const char *program; /* argv[0] */
    const char **operand;
    size_t operands;
    const char *out, *kind, *note, *key, *new_key, *against, *dir, *delimiter, *csv, *jsonl;
    const char *confirm, *window, *need, *kinds, *sizes, *among, *part, *no_key;
    uint64_t keys, bits, hashes, seed, field, probes, times, shown, min, asked;
    uint64_t max_count;             /* of one key */
    uint64_t wait;                  /* seconds for a lock; 0: as usual */
    uint64_t jobs, ram, max_record; /* the last two in bits, as every size */
    bool ram_usual;                 /* ram is the verb's own, nobody asked for it */
    double fpr, fnr, lost;
    bool force, overfill, quiet, json, trust, zero, crlf, hex, lower, invert, count, markdown;
    bool exact, repeated, man, rapid, all, deny, seeded; /* seeded: --seed was given */
    bool again;         /* a second pass: what was said of the input is not said again */
    bool crlf_of_image; /* --crlf was not given: the image has it */
    bool header;        /* with --csv: the header comes as a line without a key */
    char with[512];
    const char *lists[8]; /* --list NAME=FILE, as given; ended by NULL */
};

extern const verb verb_demo, verb_kinds, verb_plan, verb_build, verb_add, verb_rm, verb_deny,
    verb_test, verb_grep, verb_uniq, verb_top, verb_iceberg, verb_count, verb_get, verb_which,
    verb_info, verb_explain, verb_verify, verb_merge, verb_intersect, verb_fold, verb_overlap,
    verb_lab, verb_bench, verb_help, verb_completion;
extern const verb *const verbs[]; /* ended by NULL */

/* The i-th option of a verb: its own rows, then those that every verb has; NULL past the last. */
const option *option_at(const verb *v, size_t i);

/* False: the complaint is said, or (help, version) the answer is given; *end says which. */
bool options_parse(settings *s, int argc, char **argv, ending *end);
void help_verb(const verb *v);
void help_all(void);
const verb *verb_named(const char *name); /* or NULL */
ending no_such_verb(const char *name);    /* complains, with the nearest one */
void show_version(void);
const char *nearest_word(const char *word, const char *const *among, size_t n); /* or NULL */

/* Rows that several verbs have. */
#define OPTION_OUT                                                                                 \
    {                                                                                              \
        'o', "out", "FILE",                                                                        \
            "where the filter goes; - is standard output, if that is a pipe or a file", TAKE_TEXT, \
            offsetof(settings, out), 0, 0                                                          \
    }
#define OPTION_WAIT                                                                                \
    {                                                                                              \
        0, "wait", "SECONDS", "for others who are writing FILE; 60 if not given", TAKE_COUNT,      \
            offsetof(settings, wait), 1, 1000000000                                                \
    }
#define OPTION_FORCE_CHANGE                                                                        \
    {                                                                                              \
        'F', "force", NULL, "change FILE even if it is read-only", TAKE_FLAG,                      \
            offsetof(settings, force), 0, 0                                                        \
    }
#define OPTION_FORCE                                                                               \
    {                                                                                              \
        'F', "force", NULL, "replace an existing file", TAKE_FLAG, offsetof(settings, force), 0, 0 \
    }
#define OPTION_NOTE                                                                                \
    {                                                                                              \
        0, "note", "TEXT", "keep this note in the file, at most 1 KiB", TAKE_TEXT,                 \
            offsetof(settings, note), 0, 0                                                         \
    }
#define OPTION_KEY                                                                                 \
    {                                                                                              \
        0, "key", "FILE", "the secret key of a keyed filter: 16 bytes as hex, mode 0600",          \
            TAKE_TEXT, offsetof(settings, key), 0, 0                                               \
    }
#define OPTION_JSON                                                                                \
    {                                                                                              \
        0, "json", NULL, "report as JSON, one object a line", TAKE_FLAG, offsetof(settings, json), \
            0, 0                                                                                   \
    }
#define OPTION_TRUST                                                                               \
    {                                                                                              \
        0, "trust", NULL, "do not compare the cells with their checksums first", TAKE_FLAG,        \
            offsetof(settings, trust), 0, 0                                                        \
    }
#define OPTION_OVERFILL                                                                            \
    {                                                                                              \
        0, "overfill", NULL, "go on past twice the promised rate", TAKE_FLAG,                      \
            offsetof(settings, overfill), 0, 0                                                     \
    }
#define OPTION_HEX                                                                                 \
    {                                                                                              \
        0, "hex", NULL, "keys are written in hex digits, two a byte", TAKE_FLAG,                   \
            offsetof(settings, hex), 0, 0                                                          \
    }
#define OPTION_LOWER                                                                               \
    {                                                                                              \
        0, "lower", NULL, "A-Z count as a-z in keys; lines come out as they are", TAKE_FLAG,       \
            offsetof(settings, lower), 0, 0                                                        \
    }
#define OPTION_SAME_SEED                                                                           \
    {                                                                                              \
        0, "seed", "N", "refuse filters of another seed: that of the result is theirs", TAKE_SEED, \
            offsetof(settings, seed), 0, 0                                                         \
    }
#define OPTIONS_INPUT                                                                              \
    {'d',       "delimiter",                                                                       \
     "CHAR",    "what stands between fields; a tab if not given, with --csv a comma",              \
     TAKE_TEXT, offsetof(settings, delimiter),                                                     \
     0,         0},                                                                                \
        {'f',        "field",                                                                      \
         "N",        "the key is the N-th field of the line, from 1",                              \
         TAKE_COUNT, offsetof(settings, field),                                                    \
         1,          1000000},                                                                     \
        {0,         "csv",                                                                         \
         "NAME",    "CSV: the key is the column that the header (no key itself) names so",         \
         TAKE_TEXT, offsetof(settings, csv),                                                       \
         0,         0},                                                                            \
        {0,         "jsonl",                                                                       \
         ".PATH",   "a JSON value a line: the key is .user.id, .tags[0], .\"odd name\"",           \
         TAKE_TEXT, offsetof(settings, jsonl),                                                     \
         0,         0},                                                                            \
        {0,         "no-key",                                                                      \
         "WORD",    "what to do with lines without a key: keep (default of uniq), drop, or fail",  \
         TAKE_TEXT, offsetof(settings, no_key),                                                    \
         0,         0},                                                                            \
        OPTION_HEX, OPTION_LOWER, {'z',       "zero",                                              \
                                   NULL,      "records end in a NUL byte, not in a newline",       \
                                   TAKE_FLAG, offsetof(settings, zero),                            \
                                   0,         0},                                                  \
        {0,         "crlf",                                                                        \
         NULL,      "a CR before the newline is not part of the key",                              \
         TAKE_FLAG, offsetof(settings, crlf),                                                      \
         0,         0},                                                                            \
    {                                                                                              \
        0, "max-record", "SIZE", "longer lines are refused; 64MiB, or a quarter of --ram if less", \
            TAKE_SIZE, offsetof(settings, max_record), 0, 0                                        \
    }
#define OPTION_END                                                                                 \
    {                                                                                              \
        0, NULL, NULL, NULL, TAKE_FLAG, 0, 0, 0                                                    \
    }

/* ---- complaints (complain.c): standard error, "bloomery VERB: ...", escaped ------------------ */

void complain_as(const char *verb_name);
void complain(const char *format, ...) LIKE_PRINTF(1, 2);
ending trouble(const char *format, ...) LIKE_PRINTF(1, 2); /* complains: END_TROUBLE       */
ending ending_of(blm_err err);
ending complain_why(const char *name, blm_err err,
                    const blm_report *why); /* name may be NULL        */

/* ---- text (text.c) ---------------------------------------------------------------------------- */

/* One code point of valid UTF-8: its length, or 0. */
size_t utf8_next(const char *p, size_t n, uint32_t *code);
/* Safe for a terminal: controls, invisible and wrong bytes become \xNN. Zero-ended, cut to room. */
void text_escape(char *out, size_t room, const char *p, size_t n);
#define ESCAPED_NAME 512
const char *text_bytes(char room[32], uint64_t bytes); /* "1.8 MiB" */
int hex_digit(char c);                                 /* 0 to 15, or -1 */

/* ---- standard output (output.c) ---------------------------------------------------------------- */

void out_bytes(const void *p, size_t n);
void out_text(const char *format, ...) LIKE_PRINTF(1, 2);
bool out_pending(void);
void out_flush(void);
bool out_failed(void);      /* said once by then; nothing more is written      */
ending out_end(ending end); /* flushes; END_TROUBLE when output was lost       */

/* ---- JSON on standard output (json.c); name NULL inside an array -------------------------------- */

void json_open(const char *name, char bracket);
void json_close(char bracket);
void json_text(const char *name, const char *text);
void json_bytes(const char *name, const char *p, size_t n); /* not UTF-8: name_hex is added */
void json_count(const char *name, uint64_t n);
void json_number(const char *name, double v); /* NaN and infinity: null */
void json_bool(const char *name, bool v);
void json_null(const char *name);
void json_end_line(void);

/* ---- keys of the input (input.c) ------------------------------------------------------------------ */

#define BATCH 512 /* lines a turn */

typedef struct line {
    const char *text; /* without its end                                 */
    size_t length;
    const char *key;   /* NULL: the line has no such field                */
    size_t key_length; /* of a line without a key: HEADER or 0             */
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
    unsigned most_shares;
    /* In the order of the input, one at a time: standard output is its own. False: no more is wanted. */
    bool (*finish)(void *ctx, const line *lines, size_t n, const uint8_t *mark);
} work;
/* All lines, to the end. A failure is said, and END_TROUBLE or that of judge; the lines behind the block in
 * which that was can be had by input_lines. */
ending input_run(input *in, const work *w);
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
unsigned jobs_of(const settings *s); /* -j, or the processors that there are, at most 8 */
void packing_show(void);             /* which packed inputs can be read: a line of --version */

/* ---- progress (progress.c): standard error, a terminal, after 2 s ------------------------------------ */

void progress_start(const settings *s, uint64_t total, const char *unit); /* total 0: not known */
void progress_at(uint64_t done);
void progress_end(void);
double seconds_now(void); /* a clock that only goes forward */

/* ---- images (open.c, save.c, secret.c) --------------------------------------------------------------- */

typedef struct image {
    blm_filter *f;
    blm_info info;
    bool integers;     /* its keys are numbers                   */
    bool looks_inside; /* the kind wants bytes, not hashes       */
    uint64_t file_bytes;
    void *bytes; /* whole image in memory; NULL: mapped by the library */
    size_t length;
    bool is_map;
} image;

/* The library checks cells by `check`; an image from a pipe is always checked whole. */
ending image_open(image *im, const settings *s, const char *path, blm_check check,
                  bool without_secret);
/* Every byte checked first, and kept in memory or mapped. */
ending image_verify(image *im, const settings *s, const char *path);
void image_describe(image *im); /* info and the rest, from f */
/* Why it was not opened; the likeliest slip, FILE and INPUT in each other's place, is said. */
ending image_refused(const settings *s, const char *path, blm_err err, const blm_report *why);
void image_close(image *im);
ending image_seed(const image *im, const settings *s, const char *path); /* is it that of --seed? */
bool image_is_small(
    const char *path); /* below 64 MiB, or not a file: checked whole before asking */
bool is_image(const char *p, size_t n);
void warn_full(const image *im, const char *path);
/* One warning when more distinct keys are inside than planned for; repeats cost nothing. */
void warn_capacity(const blm_info *plan, double surely_inside, bool *warned);

/* Waits until nobody holds the lock of the file, and says so after a while; END_TROUBLE: for too long. */
ending lock_wait(const settings *s, const char *path);
ending save_ready(const settings *s); /* before any reading    */
ending save_apart(const settings *s, const char *const *paths,
                  size_t n); /* -o is no input        */
const char *same_file(const char *path, const char *const *paths,
                      size_t n); /* which of them it is, or NULL */
ending save_image(const settings *s, blm_filter *f, const uint8_t *secret);
ending save_update(const settings *s, blm_filter *f, blm_update *held); /* spends held */
/* The summary line. about: distinct is an estimate. */
void save_report(const settings *s, const blm_filter *f, uint64_t keys, double distinct,
                 bool about);

/* ---- the form of keys (form.c) ---------------------------------------------------------------------------- */

/* From now on keys are read as those of f were: --hex, --lower, --crlf are set. Complains about a flag that
 * contradicts it, and about a form that this program does not know. */
ending form_apply(settings *s, const blm_filter *f, const char *path);
/* The same before keys are added: an empty filter takes the form of the flags, and one with plain keys
 * takes no others. */
ending form_extend(settings *s, blm_filter *f, const char *path);
ending form_keep(const settings *s, blm_filter *f); /* f has the form of the flags */

typedef struct secret {
    uint8_t bytes[16];
    bool given;
} secret;
ending secret_load(secret *k, const settings *s); /* --key, --new-key or none */
void secret_wipe(secret *k);
ending secret_store(const settings *s, const uint8_t bytes[16]);

/* ---- memory (ram.c) -------------------------------------------------------------------------------------- */

/* --ram, or half of the machine's memory; 0: it has complained that `what` needs 1 MiB. */
uint64_t ram_bytes(const settings *s, const char *what);
/* What one input may take: --ram, unless the verb set it; 0: it has complained. */
uint64_t input_ram(const settings *s);
/* The bytes that one record may have; 0: it has complained. */
uint64_t longest_record(const settings *s);
const char *spool_folder(void); /* TMPDIR, or /tmp */

/* ---- lines once (uniq.c, exact.c) ---------------------------------------------------------------------- */

ending uniq_exact(const settings *s); /* uniq --exact: nothing lost, within --ram */

/* ---- asking (ask.c, measure.c) ------------------------------------------------------------------------ */

/* yes[i]: could this key be inside? Lines without a key: 0. At most BATCH of them. */
typedef void (*asker)(const image *im, const line *lines, size_t n, uint8_t *yes);
void ask_lines(const image *im, const line *lines, size_t n, uint8_t *yes);
void ask_hashed(const image *im, const line *lines, size_t n, uint8_t *yes);         /* by line.h */
void ask_all(asker ask, const image *im, const line *lines, size_t n, uint8_t *yes); /* any n */
/* How to ask for the lines of this input: its threads make the hashes where the kind allows it. */
asker ask_input(const image *im, input *in);
bool key_number(const char *p, size_t n, uint64_t *value); /* decimal digits */
void key_show(const settings *s, const line *l);           /* as it came: with --hex in hex */
/* The key as this filter wants it; false: it is no number, and keys are numbers here. */
bool key_item(const image *im, const char *p, size_t n, blm_item *it);

typedef struct measured {
    uint64_t probes, hits;
    double rate, low, high; /* 99 % interval */
} measured;
/* Keys of 16 bytes that nobody has added, the same ones at each run. */
measured measure_rate(const blm_filter *f, uint64_t probes);
/* Asks every key of the list: *asked, and *missed that answer no. */
ending measure_missed(const image *im, const settings *s, const char *const *paths, size_t n,
                      uint64_t *asked, uint64_t *missed);
/* grep --confirm LIST (confirm.c): *chosen says how many lines, which are printed by then. */
ending grep_confirm(const settings *s, const image *im, uint64_t *chosen);
#endif

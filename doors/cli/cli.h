/* cli.h - what the verbs of the command line share.
 *
 * A verb is one file with one `verb`: its table of options drives the parser and the help. It sees
 * a filled `settings`, reads keys through input/input.h, opens and saves filters through image/image.h, answers
 * through out_*, and returns an ending.
 */
#ifndef BLM_CLI_H
#define BLM_CLI_H
#include "host/host.h"

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
    TAKE_SEED,   /* settings.hash */
    TAKE_NUMBER, /* any number above 0 */
    TAKE_KNOB,   /* into a knobs_given */
    TAKE_LIST,   /* into a lists_given */
    TAKE_FIELDS  /* settings.read.fields */
} take;

#define KNOBS_ROOM 512
typedef char knobs_given[KNOBS_ROOM]; /* --set, all of them with blanks between */
#define LISTS_ROOM 8
typedef const char *lists_given[LISTS_ROOM]; /* --list NAME=FILE, as given; ended by NULL */

#define FIELDS_ROOM 16
typedef struct field_range {
    uint64_t from, to; /* to UINT64_MAX: to the end of the line */
} field_range;
typedef struct
    fields_given { /* -f, in the order of the line, no two of them touch; n 0: not given */
    field_range range[FIELDS_ROOM];
    size_t n;
} fields_given;
/* fields.c; false: why has the sentence. */
bool fields_parse(const char *text, fields_given *out, char *why, size_t room);

typedef struct option {
    char letter;              /* 0: none                                        */
    const char *name, *value; /* value NULL: a flag                             */
    const char *help;
    take type;
    size_t at;         /* offsetof in settings, or in the verb's own     */
    uint64_t min, max; /* of a COUNT                                     */
} option;

typedef struct verb {
    const char *name, *about; /* about: its line in `bloomery --help`           */
    const char *usage;        /* what follows "bloomery "                       */
    const char *text;      /* how it behaves, a few lines; NEEDS_HERE: the needs that kinds have */
    const option *options; /* ended by a row without a name                  */
    const char *examples[2];
    const char *endings;               /* what its exit codes mean                       */
    size_t min_operands, max_operands; /* max_operands 0: any number */
    bool lines_out;                    /* prints lines of its input: --no-key keep       */
    size_t size;       /* of its own settings; 0: it needs no more than settings has */
    blm_ability needs; /* no kind of this build can: it is not listed; 0: always listed */
    ending (*run)(settings *s);
} verb;

/* What the shared code reads, by the part that reads it; zero: not given. A verb with options of its own has a struct
 * that begins with this one (verb.size), and the rows of its table point into that. */
struct settings {
    const verb *verb;
    const char *program; /* argv[0] */
    const char **operand;
    size_t operands;
    size_t literal; /* operands from this one on stood after -- */
    size_t files;   /* leading operands that are filters; 0: one */
    bool quiet, json;
    const char *list; /* a file of keys that an option names: verify --against, grep --confirm */
    struct {          /* how keys are read: input/ */
        const char *delimiter, *csv, *jsonl, *no_key;
        const char *time;    /* where the time of a line stands: a field, a column, a path */
        uint64_t field;      /* the last one that a line must have; 0: the key is the whole line */
        fields_given fields; /* which of them are the key, joined by the delimiter */
        uint64_t arg;        /* the field with the number of the key; 0: keys have none */
        bool zero, crlf, hex, lower;
        bool inputs;        /* -i: the operands after FILE are INPUTs, not KEYs */
        bool crlf_of_image; /* --crlf was not given: the image has it */
        bool header;        /* with --csv: the header comes as a line without a key */
        bool again;         /* a second pass: what was said of the input is not said again */
    } read;
    struct { /* where the filter goes: image/save.c */
        const char *out, *note;
        uint64_t wait; /* seconds for a lock; 0: as usual */
        bool force;
    } save;
    struct { /* files of the secret key: image/secret.c */
        const char *key, *new_key;
    } secret;
    struct { /* what a filter may be: image/ */
        bool trust, overfill;
        const char *now; /* a time, or "last": see image/clock.c */
        bool streams;    /* one that is a stream is the verb's business: no complaint */
    } open;
    struct { /* of the hash; seeded: it was given */
        uint64_t seed;
        bool seeded;
    } hash;
    struct {                            /* ram.c, and -j of input/ */
        uint64_t jobs, ram, max_record; /* the last two in bits, as every size */
        bool ram_default;               /* ram is the verb's own, nobody asked for it */
    } limits;
};

extern const verb verb_demo, verb_kinds, verb_plan, verb_build, verb_add, verb_rm, verb_deny,
    verb_tick, verb_test, verb_grep, verb_uniq, verb_top, verb_iceberg, verb_admit, verb_count,
    verb_get, verb_which, verb_info, verb_explain, verb_verify, verb_merge, verb_intersect,
    verb_fold, verb_overlap, verb_pack, verb_unpack, verb_delta, verb_lab, verb_bench, verb_help,
    verb_completion;
extern const verb *const verbs[]; /* ended by NULL */
const verb *
verb_at(size_t i); /* of those that some kind of this build can serve; NULL past the last */
#define EACH_VERB(v) (size_t v_ = 0; ((v) = verb_at(v_)); v_++)
#define NEEDS_HERE   "{needs}"

/* The i-th option of a verb: its own rows, then those that every verb has; NULL past the last. */
const option *option_at(const verb *v, size_t i);

/* False: the complaint is said, or (help, version) the answer is given; *end says which. */
bool options_parse(settings *s, int argc, char **argv, ending *end);
const verb *verb_named(const char *name); /* or NULL */

/* Rows that several verbs have; those of a room are in its header. */
#define OPTION_JSON                                                                                \
    {                                                                                              \
        0, "json", NULL, "print JSON, one object per line", TAKE_FLAG, offsetof(settings, json),   \
            0, 0                                                                                   \
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

#define ESCAPED_NAME 512
const char *text_bytes(char room[32], uint64_t bytes);     /* "1.8 MiB" */
const char *plural(uint64_t n);                            /* "" for 1, else "s" */
int hex_digit(char c);                                     /* 0 to 15, or -1 */
bool key_number(const char *p, size_t n, uint64_t *value); /* decimal digits */

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
host_json *json_output(void); /* the same, for calls of the host */

/* ---- progress (progress.c): standard error, a terminal, after 2 s ------------------------------------ */

void progress_start(const settings *s, uint64_t total, const char *unit); /* total 0: not known */
void progress_at(uint64_t done);
void progress_end(void);
double seconds_now(void); /* a clock that only goes forward */

/* ---- memory (ram.c) -------------------------------------------------------------------------------------- */

/* --ram, or half of the machine's memory; 0: it has complained that `what` needs 1 MiB. */
uint64_t ram_bytes(const settings *s, const char *what);
/* What one input may take: --ram, unless the verb set it; 0: it has complained. */
uint64_t input_ram(const settings *s);
/* The bytes that one record may have; 0: it has complained. */
uint64_t longest_record(const settings *s);
const char *spool_folder(void); /* TMPDIR, or /tmp */

#endif

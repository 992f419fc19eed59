/* organs.h - the organs of the input, one file each:
 *
 *      file or pipe --source--> bytes --reader--> block of whole records --pick--> lines with keys
 *      (unpack.c)                (sequential)                     (any thread)
 *
 *      lines with keys --work--> looked at (any thread), judged (in order, in shares), printed (in order)
 *
 * A block goes through all of it in one thread or in several (crew); it is the same code, so that lines,
 * order and complaints are the same for every -j.
 */
#ifndef BLM_CLI_ORGANS_H
#define BLM_CLI_ORGANS_H
#include "input/input.h"

#define BLOCK ((size_t)1 << 16) /* what one read asks for; a longer record makes its block grow */
#define WHY   600               /* room of a sentence */

/* ---- unpacking (unpack.c): gzip, zstd, xz ------------------------------------------------------ */

typedef struct packing packing;
typedef enum stepped {
    STEP_OK,      /* took or gave something, or wants more input          */
    STEP_CUT,     /* the input ended in the middle                        */
    STEP_DAMAGED, /* *what: the library's word for it, or NULL            */
    STEP_NOMEM,
    STEP_LIMIT /* it would take more memory than it may have: needs, if that is known */
} stepped;
typedef struct unpacking {
    const packing *how;
    void *state;
    bool begun, inside; /* a member or frame: any so far, one that has not ended */
    bool padded;        /* gzip: zeros after the last member have begun          */
    const char *what;
    uint64_t ram, needs; /* bytes that it may have; that it asked for */
} unpacking;

/* What these first bytes are packed by, or NULL. *unsure: more of them could still change that. */
const packing *packing_of(const char *p, size_t n, bool *unsure);
bool unpack_start(unpacking *u, const packing *how, uint64_t ram,
                  char why[WHY]); /* false: not built in */
/* Moves bytes from in to out; `last`: no input follows. */
stepped unpack_step(unpacking *u, const char **in, size_t *in_left, bool last, char **out,
                    size_t *out_left);
const char *unpack_name(const unpacking *u);
void unpack_end(unpacking *u);

/* ---- bytes of one path (source.c) --------------------------------------------------------------- */

typedef struct source {
    const char *name;
    int fd;            /* -1: none */
    bool ended, known; /* known: whether it is packed, and by what        */
    unpacking un;
    char *raw;       /* bytes as they are in the file                      */
    size_t at, used; /* of raw */
    uint64_t bytes;  /* read so far, of all sources  */
    int wake;        /* a pipe that ends a wait; -1: the main thread reads */
    int halt;        /* another one, of the main thread; -1: none          */
    bool patient;    /* this read may wait */
    uint64_t ram;    /* for unpacking, in bytes */
} source;

typedef enum outcome { GOT_BYTES, GOT_END, GOT_STOPPED, GOT_FAILED } outcome;

bool source_open(source *src, const char *path, char why[WHY]);
/* As many bytes as have arrived; none only if it must not wait (patient: it may, and the main
 * thread's output is flushed before). */
outcome source_read(source *src, bool patient, char *to, size_t room, size_t *n, char why[WHY]);
void source_close(source *src);

/* ---- how a key is picked ------------------------------------------------------------------------- */

#define PATH_MAX 64

typedef struct json_step {
    const char *name; /* NULL: an index of an array */
    size_t length;
    uint64_t index;
} json_step;

typedef struct json_path {
    const char *text; /* as given; NULL: none */
    json_step steps[PATH_MAX];
    size_t nsteps;
    char *names; /* where its names are kept */
} json_path;

typedef struct format {
    char end, delimiter;
    uint64_t field; /* that a record must have; 0: the whole record is the key */
    fields_given fields;
    uint64_t arg;         /* the field that is the key's number; 0: none                   */
    const char *arg_name; /* of the option that named it */
    const char *csv;      /* name of the column, or NULL                                   */
    json_path path;       /* --jsonl                                                       */
    const char *time;     /* --time as given, the name of a column with csv; NULL: none    */
    uint64_t time_field;  /* it is this field; 0: it is a column, or at time_path          */
    json_path time_path;
    bool crlf, hex, lower;
    enum { NO_KEY_DROP, NO_KEY_KEEP, NO_KEY_FAIL } no_key;
    bool headers;             /* of CSV: they come as lines, the first one of all files */
    const blm_filter *hasher; /* NULL: lines come without hashes         */
    const char *kind;         /* of the hasher                           */
    bool integers, strict;
} format;

bool format_of(format *f, const settings *s); /* pick.c; false: it has complained */
void format_free(format *f);

typedef enum found { FOUND, ABSENT, WRONG } found;

/* ---- CSV (csv.c) and JSON (json.c) ------------------------------------------------------------ */

typedef struct csv_state {
    char at; /* where in a record the next byte stands: see csv.c */
} csv_state;

/* Where the last whole record of p[from..to) ends, or 0; the state goes on from call to call. */
size_t csv_cut(csv_state *st, char delimiter, const char *p, size_t from, size_t to);
/* Where the record that starts at p ends: at its newline, or at `end`. *open: inside quotes. */
const char *csv_record_end(char delimiter, const char *p, const char *end, bool *open);
/* The column-th field, from 0; an unquoted copy goes to room, which is as long as the record. */
found csv_field(char delimiter, const char *p, size_t n, size_t column, char *room, line *l,
                char why[WHY]);
/* Which column the header names so. */
bool csv_column(char delimiter, const char *p, size_t n, const char *name, char *room,
                size_t *column, char why[WHY]);

/* The value of an option; false: it has complained. */
bool json_path_read(json_path *out, const char *option_name, const char *text);
/* The value at the path; a string's bytes go to room, which is as long as the line. */
found json_value(const json_path *path, const char *p, size_t n, char *room, line *l,
                 char why[WHY]);

/* ---- ends of lines (ends.c) ------------------------------------------------------------------------------- */

#define ENDS_MAX ((size_t)1024)
/* Where `end` stands in p[0..*seen), at most ENDS_MAX times; *seen: how far it looked, at least one byte and
 * at most 4 GiB. Returns how many there are. */
size_t line_ends(const char *p, size_t n, char end, uint32_t at[ENDS_MAX], size_t *seen);
/* Bit i: p[i] == end, of 64 bytes; the same, as this machine does it. */
uint64_t ends_scalar(const char *p, char end);
uint64_t ends_best(const char *p, char end);

/* ---- blocks (reader.c, pick.c) ---------------------------------------------------------------------- */

#define SHARES_MAX 16

/* The keys' hashes by share: from[i * shares + share] is where lines i * BATCH and on start. */
typedef struct sorted {
    unsigned shares; /* 0: not sorted */
    blm_hash *h;
    uint32_t *of; /* which line */
    size_t room;
    size_t *from;
    size_t parts_room;
} sorted;

typedef struct block {
    char *bytes; /* whole records */
    size_t used, room;
    char *keys; /* keys that are no bytes of the record: each at its record's place */
    size_t keys_room;
    line *lines;
    uint8_t *mark; /* of each line, for work */
    size_t nlines, lines_room;
    size_t keyless;   /* of them, the header not counted   */
    size_t given;     /* lines that went out               */
    const char *name; /* of its file                       */
    bool first;       /* of its file                       */
    size_t header;    /* bytes of a CSV header at its start */
    bool has_header;  /* which is the first of its lines   */
    bool odd_header;  /* it is not that of the first file  */
    bool marked;      /* a mark of UTF-8 stood at its start */
    size_t column, time_column;
    bool timed; /* a line has a time: the first one that has, and its place */
    uint64_t first_when, last_when;
    size_t first_at;
    uint64_t first_newlines;
    uint64_t read;     /* bytes of all files until its end  */
    uint64_t newlines; /* lines of the file in it           */
    bool failed;       /* after its lines comes trouble     */
    uint64_t wrong;    /* at this line of the block; 0: not of a line */
    char why[WHY];
    bool done; /* picked: under the crew's lock, as all below */
    sorted by_share;
    unsigned shares, next_share, shares_done; /* shares 0: judging has not begun */
    ending end;                               /* of judging                      */
    size_t judged;                            /* lines, before that              */
} block;

typedef struct reader {
    const format *f;
    const char *const *paths;
    size_t npaths, next;
    source src;
    bool failed;
    bool first; /* nothing of this file has been given yet */
    size_t column, time_column;
    csv_state csv;
    char *header; /* of the first file, if it comes out; without its end */
    size_t header_length;
    char *tail; /* the begun record after the last block   */
    size_t tail_used, tail_room;
    uint64_t bytes;       /* given, unpacked */
    uint64_t longest;     /* bytes of a record */
    uint64_t clock;       /* the time of the last line that was judged */
    bool clock_of_filter; /* no line has come: it is that of a filter */
} reader;

bool reader_next(reader *r, block *b); /* false: the end, or stopped */
void reader_close(reader *r);
void block_pick(const format *f, block *b); /* lines, keys, hashes */
/* Its lines come after all that were judged: their times must not be before those. Else it ends before the first one
 * that is, with the sentence. */
void block_follow(reader *r, block *b);
char *block_keys(block *b); /* room for keys, as long as its bytes; NULL: no memory */
void block_free(block *b);

/* ---- work on one block (work.c) --------------------------------------------------------------------- */

/* Picks its lines, and all that any thread may do about them; shares: what it is sorted for. */
void block_prepare(const format *f, const work *w, block *b, unsigned shares);
/* Decides into how many shares judging is cut. False: sorted in vain, and so would be those after it. */
bool block_begin(const work *w, block *b);
ending block_judge(const work *w, block *b, unsigned share, size_t *done);
void block_judged(block *b, ending end, size_t done); /* under the crew's lock */
void sorted_free(sorted *s);

/* ---- threads (crew.c) ---------------------------------------------------------------------------------- */

typedef struct crew crew;
/* NULL: go on alone. w NULL: the main thread takes the blocks; else it works with the others. */
crew *crew_start(reader *r, const format *f, unsigned helpers, input *in, const work *w);
ending crew_work(crew *c); /* to the end; the threads are gone then */
block *crew_left(crew *c); /* after that: what was read and not given, block by block, or NULL */
block *
crew_take(crew *c); /* the next block in order, or NULL at the end; flushes before it waits */
void crew_give_back(crew *c);
void crew_end(crew *c);
/* The block's turn has come: its lines go out by work's finish, then its trouble is said (input.c).
 * False: no more is wanted. */
bool input_give(input *in, block *b);
#endif

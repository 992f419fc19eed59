/* image.h - filters of files and pipes: opened, asked, saved; and their secret keys. */
#ifndef BLM_CLI_IMAGE_H
#define BLM_CLI_IMAGE_H
#include <sys/types.h>

#include "input/input.h"

/* ---- in and out (open.c, save.c) ----------------------------------------------------------------------------- */

typedef struct image {
    blm_filter *f;
    blm_info info;
    bool integers;     /* its keys are numbers                   */
    bool looks_inside; /* the kind wants bytes, not hashes       */
    uint64_t file_bytes;
    void *bytes; /* whole image in memory; NULL: mapped by the library */
    size_t length;
    bool is_map;
    bool is_stream; /* not opened: a packed filter or a delta, and the verb knows what to say */
} image;

/* As many bytes as there are, up to `room`; less than 0: an error, in errno. */
ssize_t image_bytes(int fd, void *to, size_t room);
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
/* Every operand is a FILE: does it for each, goes on after a failure, and returns the highest ending. */
ending each_file(const settings *s, ending (*one)(const settings *s, const char *path));
/* FILE is -, and so are the keys: one pipe cannot bring both, and it has complained. */
bool one_pipe(const settings *s);
bool image_is_small(
    const char *path); /* below 64 MiB, or not a file: checked whole before asking */
void warn_full(const image *im, const char *path);
/* Warns once when the filter holds more distinct keys than planned, and has not grown since; repeats cost nothing. */
void warn_capacity(const blm_info *plan, const blm_filter *now, double surely_inside, bool *warned);

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

/* ---- streams: packed filters and deltas (save.c, stream.c) ---------------------------------------------------- */

typedef struct stream {
    uint64_t bytes;
    uint8_t head[BLM_STREAM_HEAD]; /* its first ones */
    uint8_t *p;                    /* all of them, of one that was read */
} stream;
/* base NULL: f packed; else what makes f out of base. */
ending save_stream(const settings *s, const blm_filter *base, const blm_filter *f, stream *sent);
void stream_report(const settings *s, const stream *sent, const blm_filter *f, bool wanted_delta);
/* Reads a stream from a file or a pipe: no more than one can have whose image is within `limit` bytes. The ending
 * is that of an unsound file if it is above the limit. The caller frees p. */
ending stream_read(stream *in, const char *path, uint64_t limit);
/* The first bytes of a file that is a stream. False: it is none, or no file. */
bool stream_peek(const char *path, stream *in, blm_stream_info *look);

/* ---- secret keys (secret.c) -------------------------------------------------------------------------------- */

typedef struct secret {
    uint8_t bytes[16];
    bool given;
} secret;
ending secret_load(secret *k, const settings *s); /* --key, --new-key or none */
void secret_wipe(secret *k);
ending secret_store(const settings *s, const uint8_t bytes[16]);

/* ---- asking (ask.c, measure.c) ------------------------------------------------------------------------ */

/* yes[i]: could this key be in the set? Lines without a key: 0. At most BATCH of them. */
typedef void (*asker)(const image *im, const line *lines, size_t n, uint8_t *yes);
void ask_lines(const image *im, const line *lines, size_t n, uint8_t *yes);
void ask_hashed(const image *im, const line *lines, size_t n, uint8_t *yes);         /* by line.h */
void ask_all(asker ask, const image *im, const line *lines, size_t n, uint8_t *yes); /* any n */
/* How to ask for the lines of this input: its threads make the hashes where the kind allows it. */
asker ask_input(const image *im, input *in);
/* The key as this filter wants it; false: it is no number, and keys are numbers here. */
bool key_item(const image *im, const line *l, blm_item *it);

typedef struct measured {
    uint64_t probes, hits;
    double rate, low, high; /* 99 % interval */
} measured;
/* Keys of 16 bytes that nobody has added, the same ones at each run. */
measured measure_rate(const blm_filter *f, uint64_t probes);
/* Asks every key of the list: *asked, and *missed that answer no. */
ending measure_missed(const image *im, const settings *s, const char *const *paths, size_t n,
                      uint64_t *asked, uint64_t *missed);

/* ---- rows of options ------------------------------------------------------------------------------------------ */

#define OPTION_OUT                                                                                 \
    {                                                                                              \
        'o', "out", "FILE", "write the filter to FILE; - is standard output (a pipe or a file)",   \
            TAKE_TEXT, offsetof(settings, save.out), 0, 0                                          \
    }
#define OPTION_WAIT                                                                                \
    {                                                                                              \
        0, "wait", "SECONDS", "wait for other writers of FILE this long (default: 60)",            \
            TAKE_COUNT, offsetof(settings, save.wait), 1, 1000000000                               \
    }
#define OPTION_FORCE_CHANGE                                                                        \
    {                                                                                              \
        'F', "force", NULL, "change FILE even if it is read-only", TAKE_FLAG,                      \
            offsetof(settings, save.force), 0, 0                                                   \
    }
#define OPTION_FORCE                                                                               \
    {                                                                                              \
        'F', "force", NULL, "replace an existing file", TAKE_FLAG, offsetof(settings, save.force), \
            0, 0                                                                                   \
    }
#define OPTION_NOTE                                                                                \
    {                                                                                              \
        0, "note", "TEXT", "store this note in the file, at most 1 KiB", TAKE_TEXT,                \
            offsetof(settings, save.note), 0, 0                                                    \
    }
#define OPTION_KEY                                                                                 \
    {                                                                                              \
        0, "key", "FILE", "the secret key of a keyed filter: 16 bytes as hex, mode 0600",          \
            TAKE_TEXT, offsetof(settings, secret.key), 0, 0                                        \
    }
#define OPTION_TRUST                                                                               \
    {                                                                                              \
        0, "trust", NULL, "skip the checksums of the cells", TAKE_FLAG,                            \
            offsetof(settings, open.trust), 0, 0                                                   \
    }
#define OPTION_OVERFILL                                                                            \
    {                                                                                              \
        0, "overfill", NULL, "continue past twice the promised rate", TAKE_FLAG,                   \
            offsetof(settings, open.overfill), 0, 0                                                \
    }
#define OPTION_SAME_SEED                                                                           \
    {                                                                                              \
        0, "seed", "N", "fail unless the inputs have this seed (the result always inherits it)",   \
            TAKE_SEED, offsetof(settings, hash.seed), 0, 0                                         \
    }
#endif

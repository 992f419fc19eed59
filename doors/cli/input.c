/* input.c - lines of files and pipes, as blocks bring them.
 *
 *      buffer  |.....done.....|ready lines|scanned, no end yet|      free      |
 *              0              at                           scanned  used      room
 *
 * A read() asks for at least 256 KiB and takes what there is: a line that has arrived is answered
 * although the pipe stays open. A line longer than the buffer doubles it.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define BLOCK ((size_t)1 << 18)

struct input {
    const char *const *paths;
    size_t npaths, next; /* next: the path to open after this one */
    const char *name;    /* of the open one                       */
    int fd;              /* -1: none                              */
    char *buffer;
    size_t at, scanned, used, room;
    char end, delimiter;
    uint64_t field;
    bool crlf, first_block, first_lines, warned_cr, failed;
    uint64_t bytes, lines, without_field;
    const blm_filter *hasher; /* NULL: lines come without hashes */
    bool integers, strict;
};

static const char *const only_standard_input[] = {"-"};

/* ---- before reading: what can be known is said now, not after an hour ------------------------- */

static bool readable(const char *path, uint64_t *total)
{
    struct stat st;
    const bool pipe = strcmp(path, "-") == 0;
    if (pipe ? fstat(STDIN_FILENO, &st) : stat(path, &st)) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(st.st_mode)) {
        complain("%s: it is a directory; name its files, or pipe lines in", path);
        return false;
    }
    if (!pipe && access(path, R_OK)) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(st.st_mode))
        *total = UINT64_MAX;
    else if (*total != UINT64_MAX)
        *total += (uint64_t)st.st_size;
    return true;
}

static bool pick_delimiter(const settings *s, char *out)
{
    const char *d = s->delimiter;
    *out = '\t';
    if (!d) return true;
    if (!s->field) {
        complain("-d %s: say which field is the key: -f N", d);
        return false;
    }
    if (strcmp(d, "\\t") == 0) return true;
    if (strlen(d) != 1) {
        complain("-d %s: a delimiter is one byte, or \\t", d);
        return false;
    }
    *out = d[0];
    return true;
}

input *input_open(const settings *s, const char *const *paths, size_t n)
{
    char delimiter;
    uint64_t total = 0;
    if (!n) paths = only_standard_input, n = 1;
    if (!pick_delimiter(s, &delimiter)) return NULL;
    for (size_t i = 0; i < n; i++)
        if (!readable(paths[i], &total)) return NULL;
    input *in = calloc(1, sizeof *in);
    char *buffer = malloc(2 * BLOCK);
    if (!in || !buffer) {
        complain("no memory for an input buffer");
        free(in);
        free(buffer);
        return NULL;
    }
    *in = (input){.paths = paths,
                  .npaths = n,
                  .fd = -1,
                  .buffer = buffer,
                  .room = 2 * BLOCK,
                  .end = s->zero ? '\0' : '\n',
                  .delimiter = delimiter,
                  .field = s->field,
                  .crlf = s->crlf,
                  .warned_cr = s->crlf || s->zero};
    progress_start(s, total == UINT64_MAX ? 0 : total, "bytes");
    return in;
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static bool stop(input *in, const char *what)
{
    complain("%s: %s", in->name, what);
    in->failed = true;
    return false;
}

static bool open_next(input *in)
{
    in->name = in->paths[in->next++];
    const bool pipe = strcmp(in->name, "-") == 0;
    in->fd = pipe ? STDIN_FILENO : open(in->name, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0) return stop(in, strerror(errno));
    if (pipe) in->name = "standard input";
    in->first_block = in->first_lines = true;
    return true;
}

static bool make_room(input *in)
{
    if (in->at) {
        memmove(in->buffer, in->buffer + in->at, in->used - in->at);
        in->used -= in->at;
        in->scanned -= in->at;
        in->at = 0;
    }
    if (in->room - in->used >= BLOCK) return true;
    char *larger = in->room > SIZE_MAX / 2 ? NULL : realloc(in->buffer, 2 * in->room);
    if (!larger) return stop(in, "a line too long for the memory");
    in->buffer = larger;
    in->room *= 2;
    return true;
}

static bool would_wait(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 0;
}

/* One read. False: failed. *got 0: the end of this file. */
static bool read_block(input *in, size_t *got)
{
    if (!make_room(in)) return false;
    if (out_pending() && would_wait(in->fd)) out_flush();
    ssize_t n;
    while ((n = read(in->fd, in->buffer + in->used, in->room - in->used)) < 0) {
        if (errno == EAGAIN) {
            struct pollfd p = {.fd = in->fd, .events = POLLIN};
            poll(&p, 1, -1);
        } else if (errno != EINTR)
            return stop(in, strerror(errno));
    }
    *got = (size_t)n;
    in->used += *got;
    in->bytes += *got;
    progress_at(in->bytes);
    if (in->first_block && n > 0 && is_image(in->buffer, in->used))
        return stop(in, "it is a filter's image, not lines of keys; are FILE and INPUT swapped?");
    in->first_block = false;
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------------- */

void input_hash_with(input *in, const blm_filter *f, bool strict)
{
    blm_info info;
    blm_kind_info kind = {.integers = false};
    blm_info_of(f, &info);
    blm_kind_named(info.kind, &kind);
    in->hasher = f;
    in->integers = kind.integers;
    in->strict = strict;
}

static void hash_key(input *in, line *l)
{
    uint64_t number = 0;
    if (!in->integers)
        l->h = blm_hash_of(in->hasher, l->key, l->key_length);
    else if (key_number(l->key, l->key_length, &number))
        l->h = blm_hash_u64(in->hasher, number);
    else {
        if (in->strict && !in->failed) stop(in, "a key of this kind is a whole number");
        l->key = NULL;
    }
}

static void pick_key(input *in, line *l)
{
    const char *p = l->text, *end = l->text + l->length;
    if (in->crlf && end > p && end[-1] == '\r') end--;
    for (uint64_t i = 1; p && i < in->field; i++) {
        p = memchr(p, in->delimiter, (size_t)(end - p));
        if (p) p++;
    }
    const char *stop_at = p && in->field ? memchr(p, in->delimiter, (size_t)(end - p)) : NULL;
    l->key = p;
    l->key_length = p ? (size_t)((stop_at ? stop_at : end) - p) : 0;
    if (p)
        in->lines++;
    else
        in->without_field++;
    if (p && in->hasher) hash_key(in, l);
}

static void warn_cr(input *in, const line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!lines[i].length || lines[i].text[lines[i].length - 1] != '\r') return;
    complain("%s: its lines end in CR LF, and the CR is part of each key; --crlf strips it",
             in->name);
    in->warned_cr = true;
}

static size_t ready_lines(input *in, line *out)
{
    size_t n = 0;
    while (n < BATCH) {
        const char *from = in->buffer + in->scanned;
        const char *end =
            in->scanned < in->used ? memchr(from, in->end, in->used - in->scanned) : NULL;
        if (!end) {
            in->scanned = in->used;
            break;
        }
        out[n].text = in->buffer + in->at;
        out[n].length = (size_t)(end - out[n].text);
        pick_key(in, &out[n++]);
        in->at = in->scanned = (size_t)(end - in->buffer) + 1;
    }
    return n;
}

/* The end of a file: what is left is a line too. */
static size_t last_line(input *in, line *out)
{
    const size_t left = in->used - in->at;
    if (in->fd != STDIN_FILENO) close(in->fd);
    in->fd = -1;
    if (!left) return 0;
    *out = (line){.text = in->buffer + in->at, .length = left};
    pick_key(in, out);
    in->at = in->scanned = in->used;
    return 1;
}

size_t input_lines(input *in, line *out)
{
    while (!in->failed) {
        if (in->fd < 0) {
            if (in->next >= in->npaths) return 0;
            if (!open_next(in)) return 0;
        }
        size_t n = ready_lines(in, out), got = 1;
        if (!n) {
            if (!read_block(in, &got)) return 0;
            if (!got) n = last_line(in, out);
        }
        if (!n) continue;
        if (in->first_lines && !in->warned_cr) warn_cr(in, out, n);
        in->first_lines = false;
        return n;
    }
    return 0;
}

bool input_failed(const input *in) { return in->failed; }
uint64_t input_count(const input *in) { return in->lines; }

void input_close(input *in)
{
    progress_end();
    if (in->without_field)
        complain("%" PRIu64 " line%s without a field %" PRIu64 ": left out", in->without_field,
                 in->without_field == 1 ? "" : "s", in->field);
    if (in->fd > STDIN_FILENO) close(in->fd);
    free(in->buffer);
    free(in);
}

/* source.c - the bytes of one path: a file, a pipe or standard input, unpacked on the way.
 *
 * Whoever reads waits by poll(): the main thread flushes its output first, a helper can be woken by
 * the pipe `wake`. A FIFO is opened without waiting for its writer for the same reason.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/organs.h"

static outcome failed(char why[WHY], const char *text)
{
    snprintf(why, WHY, "%s", text);
    return GOT_FAILED;
}

bool source_open(source *src, const char *path, char why[WHY])
{
    const bool standard = strcmp(path, "-") == 0;
    src->name = standard ? "standard input" : path;
    if (!src->raw) src->raw = malloc(BLOCK);
    if (!src->raw) {
        snprintf(why, WHY, "no memory for an input buffer");
        return false;
    }
    src->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (src->fd < 0) {
        snprintf(why, WHY, "%s", strerror(errno));
        return false;
    }
    src->ended = src->known = false;
    src->at = src->used = 0;
    return true;
}

void source_close(source *src)
{
    unpack_end(&src->un);
    if (src->fd > STDIN_FILENO) close(src->fd);
    src->fd = -1;
}

/* ---- waiting ------------------------------------------------------------------------------------ */

static bool arrived(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

static bool wait_for_bytes(const source *src)
{
    const bool alone = src->wake < 0;
    const int other = alone ? src->halt : src->wake;
    struct pollfd p[2] = {{.fd = src->fd, .events = POLLIN}, {.fd = other, .events = POLLIN}};
    if (alone && out_pending() && !arrived(src->fd)) out_flush();
    while (poll(p, other < 0 ? 1 : 2, -1) < 0 && errno == EINTR) continue;
    return other < 0 || !p[1].revents;
}

/* ---- bytes as they are in the file ---------------------------------------------------------------- */

static outcome read_raw(source *src, char *to, size_t room, size_t *n, char why[WHY])
{
    *n = 0;
    for (;;) {
        if (!src->patient && !arrived(src->fd)) return GOT_BYTES;
        if (!wait_for_bytes(src)) return GOT_STOPPED;
        const ssize_t r = read(src->fd, to, room);
        if (r > 0) {
            *n = (size_t)r;
            src->bytes += *n;
            return GOT_BYTES;
        }
        if (r == 0) {
            src->ended = true;
            return GOT_END;
        }
        if (errno != EINTR && errno != EAGAIN) return failed(why, strerror(errno));
    }
}

static outcome fill_raw(source *src, char why[WHY])
{
    size_t n = 0;
    if (src->at == src->used) src->at = src->used = 0;
    const outcome g = read_raw(src, src->raw + src->used, BLOCK - src->used, &n, why);
    src->used += n;
    return g;
}

/* The first bytes say how it is packed. */
static outcome look(source *src, char why[WHY])
{
    for (;;) {
        bool unsure = false;
        const packing *how = packing_of(src->raw, src->used, &unsure);
        if (how) {
            if (!unpack_start(&src->un, how, src->ram, why)) return GOT_FAILED;
        } else if (unsure && !src->ended) {
            const outcome g = fill_raw(src, why);
            if (g == GOT_STOPPED || g == GOT_FAILED) return g;
            continue;
        }
        src->known = true;
        return GOT_BYTES;
    }
}

/* ---- bytes ------------------------------------------------------------------------------------------ */

static outcome unpack_failed(const source *src, stepped s, char why[WHY])
{
    const char *name = unpack_name(&src->un), *what = src->un.what;
    char may[32], needs[32];
    if (s == STEP_NOMEM)
        snprintf(why, WHY, "no memory for unpacking it");
    else if (s == STEP_LIMIT && src->un.needs)
        snprintf(
            why, WHY,
            "unpacking its %s data needs %s of memory, but --ram allows %s; use a larger --ram",
            name, text_bytes(needs, src->un.needs), text_bytes(may, src->un.ram));
    else if (s == STEP_LIMIT)
        snprintf(
            why, WHY,
            "unpacking its %s data needs more memory than --ram allows, %s; use a larger --ram",
            name, text_bytes(may, src->un.ram));
    else if (s == STEP_CUT)
        snprintf(why, WHY, "the file is truncated: its %s data does not end", name);
    else
        snprintf(why, WHY, "its %s data is damaged%s%s", name, what ? ": " : "", what ? what : "");
    return GOT_FAILED;
}

static outcome read_unpacked(source *src, char *to, size_t room, size_t *n, char why[WHY])
{
    for (;;) {
        char *out = to;
        size_t out_left = room, in_left = src->used - src->at;
        const char *in = src->raw + src->at;
        const stepped s = unpack_step(&src->un, &in, &in_left, src->ended, &out, &out_left);
        if (s != STEP_OK) return unpack_failed(src, s, why);
        src->at = src->used - in_left;
        *n = room - out_left;
        if (*n) return GOT_BYTES;
        if (in_left) continue;
        if (src->ended) return GOT_END;
        const outcome g = fill_raw(src, why);
        if (g == GOT_STOPPED || g == GOT_FAILED) return g;
        if (src->at == src->used && !src->ended) return GOT_BYTES; /* nothing has arrived */
    }
}

outcome source_read(source *src, bool patient, char *to, size_t room, size_t *n, char why[WHY])
{
    *n = 0;
    src->patient = patient;
    if (!src->known) {
        const outcome g = look(src, why);
        if (g != GOT_BYTES) return g;
    }
    if (src->un.how) return read_unpacked(src, to, room, n, why);
    if (src->at == src->used) return src->ended ? GOT_END : read_raw(src, to, room, n, why);
    *n = src->used - src->at < room ? src->used - src->at : room;
    memcpy(to, src->raw + src->at, *n);
    src->at += *n;
    return GOT_BYTES;
}

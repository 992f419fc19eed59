/* stream.c - packed filters and deltas from files and pipes: never more bytes than the first ones allow. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"

#define SLACK 16 /* bytes that a stream may have more than its image */
#define FIRST ((size_t)1 << 16)

/* The head says how long it can be. Memory grows with what comes: a stream is often a small part of that. */
static ending read_rest(stream *in, int fd, const char *path, uint64_t max)
{
    size_t room = 0;
    for (;;) {
        const size_t more = room ? 2 * room : FIRST;
        uint8_t *p = realloc(in->p, more);
        if (!p) return trouble("%s: no memory for %zu bytes of it", path, more);
        if (!room) memcpy(p, in->head, (size_t)in->bytes);
        in->p = p;
        room = more;
        const ssize_t n = image_bytes(fd, p + in->bytes, room - (size_t)in->bytes);
        if (n < 0) return trouble("%s: %s", path, strerror(errno));
        in->bytes += (uint64_t)n;
        if (in->bytes > max) {
            complain("%s: damaged: it goes on after the %" PRIu64 " bytes that it can have", path,
                     max);
            return END_UNSOUND;
        }
        if (in->bytes < room) return END_YES;
    }
}

static ending read_stream(stream *in, int fd, const char *path, uint64_t limit)
{
    blm_stream_info look;
    blm_report why = {BLM_OK, ""};
    const ssize_t n = image_bytes(fd, in->head, sizeof in->head);
    if (n < 0) return trouble("%s: %s", path, strerror(errno));
    in->bytes = (uint64_t)n;
    const blm_err err = blm_stream_look(in->head, (size_t)n, &look, &why);
    if (err) return complain_why(path, err, &why);
    if (look.image_bytes > limit) {
        complain("%s: an image of %" PRIu64 " bytes: the limit is %" PRIu64
                 "; if you trust its source, use --limit %" PRIu64 "B",
                 path, look.image_bytes, limit, look.image_bytes);
        return END_UNSOUND;
    }
    return read_rest(in, fd, path, look.image_bytes + SLACK);
}

ending stream_read(stream *in, const char *path, uint64_t limit)
{
    struct stat st;
    const bool pipe = strcmp(path, "-") == 0;
    const int fd = pipe ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *in = (stream){.bytes = 0};
    if (fd < 0 || fstat(fd, &st)) return trouble("%s: %s", path, strerror(errno));
    ending end;
    if (S_ISDIR(st.st_mode))
        end = trouble("%s: is a directory, not a packed filter", path);
    else if (isatty(fd))
        end = trouble("%s: a filter cannot be read from a terminal; pipe it in", path);
    else
        end = read_stream(in, fd, path, limit);
    if (!pipe) close(fd);
    if (end) {
        free(in->p);
        in->p = NULL;
    }
    return end;
}

bool stream_peek(const char *path, stream *in, blm_stream_info *look)
{
    struct stat st;
    ssize_t n = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) n = image_bytes(fd, in->head, sizeof in->head);
    close(fd);
    in->bytes = (uint64_t)st.st_size;
    return n == BLM_STREAM_HEAD && blm_stream_look(in->head, sizeof in->head, look, NULL) == BLM_OK;
}

/* secret.c - the 16 bytes that make positions unguessable: a file of 32 hex digits that only its
 * owner can read. */
#define _DEFAULT_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"

static bool parse_hex(const char *text, size_t n, uint8_t out[16])
{
    while (n && isspace((unsigned char)text[n - 1])) n--;
    if (n != 32) return false;
    for (size_t i = 0; i < 16; i++) {
        const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

static ending read_key(const char *path, uint8_t out[16])
{
    struct stat st;
    char text[64];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st)) return trouble("--key %s: %s", path, strerror(errno));
    const ssize_t n = S_ISREG(st.st_mode) ? read(fd, text, sizeof text) : -1;
    close(fd);
    const bool parsed = n >= 0 && parse_hex(text, (size_t)n, out);
    explicit_bzero(text, sizeof text);
    if (!S_ISREG(st.st_mode)) return trouble("--key %s: not a regular file", path);
    if (st.st_mode & 077)
        return trouble("--key %s: mode %04o lets other users read the key; chmod 600 it", path,
                       (unsigned)(st.st_mode & 07777));
    if (!parsed)
        return trouble(
            "--key %s: a key must be 32 hex digits (16 bytes); build --new-key FILE creates one",
            path);
    return END_YES;
}

static ending draw_key(const char *path, uint8_t out[16])
{
    if (access(path, F_OK) == 0)
        return trouble("--new-key %s: file exists (use --key to hash with it)", path);
    if (getrandom(out, 16, 0) != 16)
        return trouble("--new-key %s: no random bytes: %s", path, strerror(errno));
    return END_YES;
}

ending secret_load(secret *k, const settings *s)
{
    *k = (secret){.given = s->secret.key || s->secret.new_key};
    if (s->secret.key && s->secret.new_key)
        return trouble("--key and --new-key: give only one of them");
    return s->secret.key       ? read_key(s->secret.key, k->bytes)
           : s->secret.new_key ? draw_key(s->secret.new_key, k->bytes)
                               : END_YES;
}

void secret_wipe(secret *k) { explicit_bzero(k, sizeof *k); }

/* The name is on the disk too: before the image, which is worth nothing without its key. */
static bool folder_kept(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool kept = fd >= 0 && fsync(fd) == 0;
    const int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return kept;
}

/* Never over an existing file, not even with -F: a lost key is a lost filter. */
ending secret_store(const settings *s, const uint8_t bytes[16])
{
    char text[34];
    for (size_t i = 0; i < 16; i++) snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    text[32] = '\n';
    const int fd = open(s->secret.new_key, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return trouble("--new-key %s: %s", s->secret.new_key, strerror(errno));
    const bool kept = write(fd, text, 33) == 33 && fsync(fd) == 0 && folder_kept(s->secret.new_key);
    const int error = errno;
    explicit_bzero(text, sizeof text);
    if (close(fd) == 0 && kept) return END_YES;
    unlink(s->secret.new_key);
    return trouble("--new-key %s: %s", s->secret.new_key, strerror(error));
}

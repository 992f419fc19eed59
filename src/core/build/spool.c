/* spool.c - a file without a name. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* O_TMPFILE */
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/build/spool.h"

/* Nameless from the start; where the file system has none of those, from the next moment on. */
int blm_spool_open(const char *folder)
{
    char path[4096];
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
#endif
    const int n = snprintf(path, sizeof path, "%s/bloomery-spool-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkstemp(path);
    if (fd < 0) return -1;
    unlink(path);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

blm_err blm_spool_write(int fd, const char *folder, const void *p, size_t n, uint64_t at,
                        blm_report *why)
{
    for (size_t put = 0; put < n;) {
        char what[64];
        const ssize_t did = pwrite(fd, (const char *)p + put, n - put, (off_t)(at + put));
        if (did < 0 && errno == EINTR) continue;
        if (did > 0) {
            put += (size_t)did;
            continue;
        }
        const int e = did ? errno : ENOSPC;
        snprintf(what, sizeof what, "after %" PRIu64 " bytes of a spool", at + put);
        errno = e;
        return blm_io_fail(why, folder, what);
    }
    return BLM_OK;
}

blm_err blm_spool_read(int fd, const char *folder, void *p, size_t n, uint64_t at, blm_report *why)
{
    for (size_t got = 0; got < n;) {
        const ssize_t did = pread(fd, (char *)p + got, n - got, (off_t)(at + got));
        if (did < 0 && errno == EINTR) continue;
        if (did < 0) return blm_io_fail(why, folder, "cannot read the spool");
        if (did == 0)
            return blm_fail(why, BLM_E_IO, "%.120s: the spool was truncated at byte %" PRIu64,
                            folder, at + got);
        got += (size_t)did;
    }
    return BLM_OK;
}

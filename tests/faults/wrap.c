/* wrap.c - stands between the library and the C library (the linker's --wrap). Names with 64 are what
 * _FILE_OFFSET_BITS=64 makes of open, openat, lstat, fstat, fstatat, pread and mmap.
 *
 * Calls are counted in the order of a write; the one with the fault fails before anything happens, except
 * close, which closes and then says that it could not.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/faults.h"

fault fault_now;

int __real_close(int fd);

static bool refused(const char *name)
{
    fault_now.calls++;
    if (fault_now.calls == fault_now.zero_at) __real_close(0); /* what it opens is number 0 */
    if (!fault_now.at || fault_now.calls != fault_now.at) return false;
    fault_now.hit = name;
    errno = fault_now.error ? fault_now.error
                            : EINTR; /* of something earlier: a short count sets none */
    return true;
}

#define WRAP(type, name, params, args)                                                             \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params { return refused(#name) ? (type)-1 : __real_##name args; }

WRAP(int, fsync, (int fd), (fd))
WRAP(int, flock, (int fd, int how), (fd, how))
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(int, access, (const char *path, int mode), (path, mode))
WRAP(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags))
WRAP(int, renameat, (int from, const char *a, int to, const char *b), (from, a, to, b))
WRAP(int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
WRAP(int, lstat64, (const char *path, struct stat *st), (path, st))
WRAP(int, fstat64, (int fd, struct stat *st), (fd, st))
WRAP(int, fstatat64, (int at, const char *path, struct stat *st, int flags), (at, path, st, flags))

/* Where there are no nameless files there is no /proc either, through which they would get a name. */
int __real_linkat(int from, const char *a, int to, const char *b, int flags);
int __wrap_linkat(int from, const char *a, int to, const char *b, int flags);
int __wrap_linkat(int from, const char *a, int to, const char *b, int flags)
{
    const bool without = flags & AT_SYMLINK_FOLLOW && fault_now.no_tmpfile;
    if (without) errno = ENOENT;
    return without || refused("linkat") ? -1 : __real_linkat(from, a, to, b, flags);
}

char *__real_realpath(const char *path, char *out);
char *__wrap_realpath(const char *path, char *out);
char *__wrap_realpath(const char *path, char *out)
{
    return refused("realpath") ? NULL : __real_realpath(path, out);
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
    const bool lie = refused("close");
    const int status = __real_close(fd);
    if (lie) errno = fault_now.error;
    return lie ? -1 : status;
}

/* Without an errno the fault is a short count: one byte, or none, and the rest is the caller's business. */
static size_t short_of(size_t n) { return fault_now.nothing ? 0 : n > 1 ? 1 : n; }

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    if (!refused("write")) return __real_write(fd, p, n);
    return fault_now.error ? -1 : __real_write(fd, p, short_of(n));
}

ssize_t __real_pread64(int fd, void *p, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *p, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *p, size_t n, off_t at)
{
    if (!refused("pread64")) return __real_pread64(fd, p, n, at);
    return fault_now.error ? -1 : __real_pread64(fd, p, short_of(n), at);
}

void *__real_mmap64(void *where, size_t n, int may, int flags, int fd, off_t at);
void *__wrap_mmap64(void *where, size_t n, int may, int flags, int fd, off_t at);
void *__wrap_mmap64(void *where, size_t n, int may, int flags, int fd, off_t at)
{
    return refused("mmap64") ? MAP_FAILED : __real_mmap64(where, n, may, flags, fd, at);
}

static mode_t mode_of(int flags, va_list *rest)
{
    const bool makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    return makes ? fault_now.born = (mode_t)va_arg(*rest, int) : 0;
}

int __real_fchown(int fd, uid_t owner, gid_t group);
int __wrap_fchown(int fd, uid_t owner, gid_t group);
int __wrap_fchown(int fd, uid_t owner, gid_t group)
{
    if (fault_now.refuse_chown) {
        fault_now.refuse_chown--;
        errno = EPERM;
        return -1;
    }
    return refused("fchown") ? -1 : __real_fchown(fd, owner, group);
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, &rest);
    va_end(rest);
    return refused("open64") ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, ...);
int __wrap_openat64(int at, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, &rest);
    va_end(rest);
    const bool without = (flags & O_TMPFILE) == O_TMPFILE && fault_now.no_tmpfile;
    if (without) errno = EOPNOTSUPP;
    return without || refused("openat64") ? -1 : __real_openat64(at, path, flags, mode);
}

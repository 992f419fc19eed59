/* file.c - images as files: written so that a reader sees the whole old one or the whole new
 * one, whatever happens in between; read by copy or mapped.
 *
 * A write goes into a file without a name (O_TMPFILE), so that a process that is killed leaves nothing behind; where
 * the file system has none, into a hidden one next to the target. Then fsync, then the name: by link for a new file
 * (which refuses an existing one in the same step), by rename for a replaced one; then fsync of the folder.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/image/open.h"

#define HEAD_FIRST 4096u /* info of a 50 GB file reads no more */

/* ---- writing ------------------------------------------------------------------------------ */

typedef struct writing {
    char target[PATH_MAX]; /* the file itself, not a link to it   */
    char temp[PATH_MAX];   /* "" while it has no name             */
    int folder, fd, lock;  /* -1: not open                        */
    bool replaces;         /* a file that was there: `old` is what is known of it */
    struct stat old;
} writing;

static writing no_writing(void) { return (writing){.folder = -1, .fd = -1, .lock = -1}; }

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The target, links followed, and its folder opened. */
static blm_err aim(writing *w, const char *path, blm_report *why)
{
    struct stat st;
    const bool link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    if (link ? !realpath(path, w->target)
             : snprintf(w->target, sizeof w->target, "%s", path) >= (int)sizeof w->target)
        return blm_io_fail(why, path, link ? "cannot follow the link" : "the path is too long");
    if (!*base_of(w->target)) return blm_fail(why, BLM_E_IO, "%.140s: a folder, not a file", path);
    char folder[PATH_MAX] = ".";
    const char *name = base_of(w->target);
    if (name != w->target) {
        memcpy(folder, w->target, (size_t)(name - w->target));
        folder[name - w->target] = 0;
    }
    w->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return w->folder < 0 ? blm_io_fail(why, path, "cannot open its folder") : BLM_OK;
}

/* Whoever may read a file can hold its lock: nobody waits for ever. */
#define LOCK_SECONDS 60
static blm_err wait_for_lock(const writing *w, blm_report *why)
{
    const struct timespec pause = {0, 10000000}; /* 10 ms */
    for (unsigned tries = 0; flock(w->lock, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return blm_io_fail(why, w->target, "cannot lock it");
        if (tries >= LOCK_SECONDS * 100)
            return blm_fail(why, BLM_E_IO,
                            "%.140s: another process has held its lock for %d seconds", w->target,
                            LOCK_SECONDS);
        nanosleep(&pause, NULL);
    }
    return BLM_OK;
}

/* Writers of one path queue here. Whoever waited looks again: the file may have been replaced. */
static blm_err lock_old(writing *w, blm_report *why)
{
    for (;;) {
        struct stat now, held;
        w->lock = openat(w->folder, base_of(w->target), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (w->lock < 0)
            return errno == ENOENT ? BLM_OK : blm_io_fail(why, w->target, "cannot open it");
        const blm_err err = wait_for_lock(w, why);
        if (err) return err;
        if (fstat(w->lock, &held) != 0) return blm_io_fail(why, w->target, "cannot lock it");
        if (!S_ISREG(held.st_mode))
            return blm_fail(why, BLM_E_IO, "%.140s: not a regular file", w->target);
        w->replaces = true;
        w->old = held;
        if (fstatat(w->folder, base_of(w->target), &now, 0) == 0 && now.st_ino == held.st_ino &&
            now.st_dev == held.st_dev)
            return BLM_OK;
        close(w->lock);
    }
}

/* Gives the file a hidden name next to the target. create makes the name: it returns 0, or -1 and errno. */
static int name_temp(writing *w, int (*create)(writing *))
{
    for (unsigned i = 0; i < 1000; i++) {
        const int n = snprintf(w->temp, sizeof w->temp, ".%.200s.%ld-%u.tmp", base_of(w->target),
                               (long)getpid(), i);
        if (n > 0 && create(w) == 0) return 0;
        if (errno != EEXIST) break;
    }
    w->temp[0] = 0;
    return -1;
}

/* A new file gets what the umask leaves. One that takes another's place is its writer's alone until it has the owner,
 * the group and the mode of the old one: nobody can open it before who could not open that. */
static mode_t first_mode(const writing *w) { return w->replaces ? 0600 : 0666; }

static int create_named(writing *w)
{
    w->fd = openat(w->folder, w->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(w));
    return w->fd < 0 ? -1 : 0;
}

static int link_named(writing *w, const char *name)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", w->fd);
    return linkat(AT_FDCWD, self, w->folder, name, AT_SYMLINK_FOLLOW);
}

static int link_temp(writing *w) { return link_named(w, w->temp); }

static blm_err open_temp(writing *w, blm_report *why)
{
#ifdef O_TMPFILE
    const bool can_link = access("/proc/self/fd", X_OK) == 0; /* the way to name it later */
    if (can_link) w->fd = openat(w->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode(w));
    if (w->fd >= 0) return BLM_OK;
#endif
    return name_temp(w, create_named)
               ? blm_io_fail(why, w->target, "cannot create a file next to it")
               : BLM_OK;
}

static blm_err to_file(void *ctx, const void *p, size_t n)
{
    const char *at = p;
    while (n) {
        const ssize_t did = write(*(int *)ctx, at, n);
        if (did < 0 && errno == EINTR) continue;
        if (did <= 0) return BLM_E_IO;
        at += did;
        n -= (size_t)did;
    }
    return BLM_OK;
}

/* Not permitted, or ids that this machine's users do not include. */
static bool may_not(int error) { return error == EPERM || error == EINVAL; }

/* Owner and group before the mode, so that no bit is given to others than before. Never more than 0777: a setuid bit that
 * somebody set is not for the file of whoever writes. What cannot be given back (only root gives files away) is said. */
static blm_err keep_rights(writing *w, blm_report *why)
{
    struct stat now;
    mode_t mode = w->old.st_mode & 0777;
    if (fstat(w->fd, &now) != 0) return blm_io_fail(why, w->target, "cannot stat the new file");
    const bool moves = now.st_uid != w->old.st_uid || now.st_gid != w->old.st_gid;
    if (moves && fchown(w->fd, w->old.st_uid, w->old.st_gid) != 0) {
        if (!may_not(errno)) return blm_io_fail(why, w->target, "cannot set its owner");
        const bool group = fchown(w->fd, (uid_t)-1, w->old.st_gid) == 0;
        mode &= group ? ~(mode_t)S_IWOTH : ~(mode_t)(S_IRWXG | S_IWOTH);
        blm_fail(why, BLM_OK, "%.140s: cannot keep its owner%s; you own it now, mode %04o",
                 w->target, group ? "" : " and group", (unsigned)mode);
    }
    return fchmod(w->fd, mode) != 0 ? blm_io_fail(why, w->target, "cannot set its mode") : BLM_OK;
}

static blm_err fill_temp(writing *w, blm_sender send, const void *what, blm_report *why)
{
    blm_report inner = {BLM_OK, ""};
    const blm_err err = send(what, to_file, &w->fd, &inner);
    blm_err code;
    if (err == BLM_E_IO) return blm_io_fail(why, w->target, "cannot write it");
    if (err) return blm_fail(why, err, "%s", inner.text);
    if (w->replaces && (code = keep_rights(w, why)) != BLM_OK) return code;
    return fsync(w->fd) != 0 ? blm_io_fail(why, w->target, "cannot sync it to disk") : BLM_OK;
}

/* A new file gets its name by link, which fails when the name is taken: no look-then-write gap. */
static int give_new_name(writing *w)
{
    const char *name = base_of(w->target);
    if (!w->temp[0]) return link_named(w, name);
    return linkat(w->folder, w->temp, w->folder, name, 0);
}

static blm_err publish(writing *w, blm_write_how how, blm_report *why)
{
    const char *name = base_of(w->target);
    if (how == BLM_WRITE_NEW && give_new_name(w) != 0)
        return errno == EEXIST ? blm_fail(why, BLM_E_IO, "%.140s: file exists", w->target)
                               : blm_io_fail(why, w->target, "cannot name it");
    if (how == BLM_WRITE_REPLACE) {
        if (!w->temp[0] && name_temp(w, link_temp) != 0)
            return blm_io_fail(why, w->target, "cannot name it");
        if (renameat(w->folder, w->temp, w->folder, name) != 0)
            return blm_io_fail(why, w->target, "cannot rename it");
        w->temp[0] = 0; /* it is the target now */
    }
    return fsync(w->folder) != 0
               ? blm_io_fail(why, w->target, "written, but it may not survive a power failure")
               : BLM_OK;
}

static void put_away(writing *w)
{
    if (w->temp[0]) unlinkat(w->folder, w->temp, 0);
    if (w->fd >= 0) close(w->fd);
    if (w->lock >= 0) close(w->lock);
    if (w->folder >= 0) close(w->folder);
}

static blm_err put_in_place(writing *w, blm_sender send, const void *what, blm_write_how how,
                            blm_report *why)
{
    blm_err err = open_temp(w, why);
    if (!err) err = fill_temp(w, send, what, why);
    return err ? err : publish(w, how, why);
}

blm_err blm_write_sent(blm_sender send, const void *what, const char *path, blm_write_how how,
                       blm_report *why)
{
    writing w = no_writing();
    blm_err err = aim(&w, path, why);
    if (!err && how == BLM_WRITE_REPLACE) err = lock_old(&w, why);
    if (!err && how == BLM_WRITE_NEW && faccessat(w.folder, base_of(w.target), F_OK, 0) == 0)
        err = blm_fail(why, BLM_E_IO, "%.140s: file exists", path);
    if (!err) err = put_in_place(&w, send, what, how, why);
    put_away(&w);
    return err;
}

static blm_err send_image(const void *f, blm_sink to, void *ctx, blm_report *why)
{
    return blm_save(f, to, ctx, why);
}

blm_err blm_write(const blm_filter *f, const char *path, blm_write_how how, blm_report *why)
{
    return blm_write_sent(send_image, f, path, how, why);
}

/* ---- read, change, write: the lock of a write, held from before the reading ------------------- */

struct blm_update {
    writing w;
    blm_alloc alloc; /* of the filter that was read */
};

/* The copy is of a mapping: BLM_CHECK_NONE saves the checksums, and still no cells come in that
 * contradict the fields. */
static blm_err read_held(blm_filter **f, const writing *w, const blm_open_options *how,
                         blm_report *why)
{
    blm_filter *view = NULL;
    blm_err err =
        w->lock < 0 ? blm_fail(why, BLM_E_IO, "%.140s: no such file", w->target)
                    : blm_map(&view, w->target, how ? how : BLM_OPEN(.check = BLM_CHECK_ALL), why);
    if (!err) err = blm_copy(f, view, why);
    blm_free(view);
    return err;
}

blm_err blm_update_begin(blm_update **out, blm_filter **f, const char *path,
                         const blm_open_options *how, blm_report *why)
{
    writing w = no_writing();
    blm_filter *own = NULL;
    blm_err err = aim(&w, path, why);
    if (!err) err = lock_old(&w, why);
    if (!err) err = read_held(&own, &w, how, why);
    blm_update *u = err ? NULL : blm_take(&own->alloc, sizeof *u);
    if (!err && !u) err = blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    if (err) {
        blm_free(own);
        put_away(&w);
        return err;
    }
    *u = (blm_update){w, own->alloc};
    *out = u;
    *f = own;
    return BLM_OK;
}

blm_err blm_update_end(blm_update *u, const blm_filter *f, blm_report *why)
{
    const blm_err err = put_in_place(&u->w, send_image, f, BLM_WRITE_REPLACE, why);
    blm_update_drop(u);
    return err;
}

void blm_update_drop(blm_update *u)
{
    if (!u) return;
    const blm_alloc alloc = u->alloc;
    put_away(&u->w);
    blm_put_back(&alloc, u, sizeof *u);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct reading {
    int fd;
    uint64_t length;
    void *mapping;
    uint8_t *head;
    size_t head_length, head_room;
} reading;

static blm_err read_head(reading *r, size_t want, const char *path, blm_report *why)
{
    while (r->head_length < want) {
        const ssize_t did =
            pread(r->fd, r->head + r->head_length, want - r->head_length, (off_t)r->head_length);
        if (did < 0 && errno == EINTR) continue;
        if (did < 0) return blm_io_fail(why, path, "cannot read it");
        if (did == 0) break;
        r->head_length += (size_t)did;
    }
    return BLM_OK;
}

/* 4 KiB first; more only when the prelude says that the header is longer. */
static blm_err open_head(reading *r, const char *path, blm_report *why)
{
    struct stat st;
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd < 0 || fstat(r->fd, &st) != 0) return blm_io_fail(why, path, "cannot open it");
    if (S_ISDIR(st.st_mode)) return blm_fail(why, BLM_E_IO, "%.140s: a folder, not an image", path);
    if (!S_ISREG(st.st_mode))
        return blm_fail(why, BLM_E_IO, "%.140s: not a regular file; it cannot be mapped", path);
    r->length = (uint64_t)st.st_size;
    if (r->length > SIZE_MAX / 2)
        return blm_fail(why, BLM_E_NOMEM, "%.140s: too large for this machine", path);
    blm_err err = read_head(r, blm_min_size(HEAD_FIRST, r->length), path, why);
    if (!err && r->head_length >= BLM_PRELUDE) {
        const uint64_t want = BLM_PRELUDE + (uint64_t)blm_le32(r->head + 12);
        if (want > HEAD_FIRST && want <= r->head_room)
            err = read_head(r, blm_min_size(want, r->length), path, why);
    }
    return err;
}

static blm_err map_all(reading *r, const char *path, blm_report *why)
{
    if (!r->length)
        return blm_fail(why, BLM_E_IMAGE, "%.140s: an empty file is not an image", path);
    void *p = blm_map_file(r->fd, (size_t)r->length);
    if (p == MAP_FAILED) return blm_io_fail(why, path, "cannot map it");
    r->mapping = p;
    return BLM_OK;
}

static blm_err open_path(blm_filter **out, const char *path, const blm_open_options *how,
                         bool in_place, blm_report *why)
{
    uint8_t head[BLM_PRELUDE + BLM_HEADER_MAX];
    reading r = {.fd = -1, .head = head, .head_room = sizeof head};
    blm_filter *f = NULL;
    blm_err err = open_head(&r, path, why);
    if (!err) err = map_all(&r, path, why);
    if (!err) {
        const bool all = !in_place || (how && how->check == BLM_CHECK_ALL);
        madvise(r.mapping, (size_t)r.length, all ? MADV_SEQUENTIAL : MADV_RANDOM);
        const blm_image in = {r.mapping, r.length, r.head, r.head_length};
        err = blm_image_take(&f, &in, how, in_place, why);
    }
    if (!err && in_place) {
        f->back->mapping = r.mapping; /* it goes with the filter */
        f->back->mapping_length = (size_t)r.length;
        /* One key touches few pages: read no neighbours. With huge pages it would read 2 MiB; they are asked
         * for when all of it has been read anyway. */
        const bool read = how && how->check == BLM_CHECK_ALL;
        madvise(r.mapping, (size_t)r.length, read ? MADV_HUGEPAGE : MADV_RANDOM);
    } else if (r.mapping)
        munmap(r.mapping, (size_t)r.length);
    if (r.fd >= 0) close(r.fd);
    if (!err) *out = f;
    return err;
}

blm_err blm_read(blm_filter **out, const char *path, const blm_open_options *how, blm_report *why)
{
    return open_path(out, path, how, false, why);
}

blm_err blm_map(blm_filter **out, const char *path, const blm_open_options *how, blm_report *why)
{
    return open_path(out, path, how, true, why);
}

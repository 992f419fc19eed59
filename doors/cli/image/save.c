/* save.c - a filter into its file: what can go wrong is asked before the work, and an interrupt
 * leaves the old file and nothing else. */
#define _DEFAULT_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "describe.h"
#include "image/image.h"

static bool to_pipe(const settings *s) { return strcmp(s->save.out, "-") == 0; }

ending save_ready(const settings *s)
{
    struct stat st;
    if (!s->save.out) return trouble("missing -o FILE: where to write the filter");
    if (s->save.note && strlen(s->save.note) > 1024)
        return trouble("--note: has %zu bytes, at most 1024 are allowed", strlen(s->save.note));
    if (to_pipe(s)) {
        if (isatty(STDOUT_FILENO))
            return trouble(
                "-o -: a filter cannot be written to a terminal; name a file, or use a pipe");
        return s->json
                   ? trouble(
                         "-o - and --json: both write to standard output; leave one of them out")
                   : END_YES;
    }
    if (!s->save.out[0]) return trouble("-o: the file name is empty");
    if (stat(s->save.out, &st)) return END_YES;
    if (S_ISDIR(st.st_mode)) return trouble("-o %s: is a directory", s->save.out);
    if (!S_ISREG(st.st_mode))
        return trouble("-o %s: not a regular file (-o - writes to standard output)", s->save.out);
    return s->save.force ? END_YES
                         : trouble("-o %s: file exists (use -F to replace it)", s->save.out);
}

const char *same_file(const char *path, const char *const *paths, size_t n)
{
    struct stat own, in;
    if (stat(path, &own)) return NULL;
    for (size_t i = 0; i < n || (i == 0 && n == 0); i++) {
        const bool pipe = n == 0 || strcmp(paths[i], "-") == 0;
        if (pipe ? fstat(STDIN_FILENO, &in) : stat(paths[i], &in)) continue;
        if (in.st_dev == own.st_dev && in.st_ino == own.st_ino)
            return pipe ? "standard input" : paths[i];
    }
    return NULL;
}

ending save_apart(const settings *s, const char *const *paths, size_t n)
{
    const char *same = to_pipe(s) ? NULL : same_file(s->save.out, paths, n);
    return same ? trouble("-o %s: is also one of the inputs (%s); write to another file",
                          s->save.out, same)
                : END_YES;
}

/* ---- others who write the same file ------------------------------------------------------------------ */

#define WAIT_DEFAULT 60
#define WAIT_TOLD    UINT64_C(5) /* seconds before the user learns what is going on */

ending lock_wait(const settings *s, const char *path)
{
    const uint64_t seconds = s->save.wait ? s->save.wait : WAIT_DEFAULT;
    const struct timespec pause = {0, 20000000}; /* 20 ms */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return END_YES; /* whoever writes it says what is wrong */
    ending end = END_YES;
    for (uint64_t tries = 0; !end && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
         tries++) {
        if (tries == WAIT_TOLD * 50)
            complain("%s: waiting for another process that holds its lock, up to %" PRIu64
                     " second%s",
                     path, seconds, plural(seconds));
        if (tries >= seconds * 50)
            end =
                trouble("%s: another process has held its lock for %" PRIu64
                        " second%s; use --wait SECONDS to wait longer; fuser %s shows that process",
                        path, seconds, plural(seconds), path);
        else
            nanosleep(&pause, NULL);
    }
    close(fd);
    return end;
}

/* ---- interrupts ---------------------------------------------------------------------------------------
 * While the library writes, an interrupt must not kill us between two steps. It sets the limit of
 * file sizes to nothing instead: the next write() fails, the library clears its temp file away, and
 * the signal is raised again afterwards. Past the last write() the new file is taken into place. */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    struct rlimit limit;
    interrupted = number;
    if (getrlimit(RLIMIT_FSIZE, &limit)) return;
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static const int guarded[] = {SIGINT, SIGTERM, SIGHUP};

/* held: the file was read under its lock, and the filter takes its place. */
static blm_err write_guarded(const blm_filter *f, const settings *s, blm_update *held,
                             blm_report *why)
{
    struct sigaction ours = {.sa_handler = on_interrupt}, before[COUNT_OF(guarded)];
    for (size_t i = 0; i < COUNT_OF(guarded); i++) {
        sigaction(guarded[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(guarded[i], &ours, NULL);
    }
    const blm_err err =
        held ? blm_update_end(held, f, why)
             : blm_write(f, s->save.out, s->save.force ? BLM_WRITE_REPLACE : BLM_WRITE_NEW, why);
    for (size_t i = 0; i < COUNT_OF(guarded); i++) sigaction(guarded[i], &before[i], NULL);
    return err;
}

static blm_err sink(void *ctx, const void *p, size_t n)
{
    (void)ctx;
    out_bytes(p, n);
    return out_failed() ? BLM_E_IO : BLM_OK;
}

/* A write that failed late may have put the image in its place: then its key must stay, or the filter is lost. */
static bool opens(const char *path, const uint8_t *fresh_secret)
{
    blm_filter *f = NULL;
    const blm_open_options *how = BLM_OPEN(.secret = fresh_secret, .check = BLM_CHECK_NONE);
    const bool yes = blm_map(&f, path, how, NULL) == BLM_OK;
    blm_free(f);
    return yes;
}

static ending write_file(const settings *s, const blm_filter *f, blm_update *held,
                         const uint8_t *fresh_secret)
{
    blm_report why = {BLM_OK, ""};
    if (!held && s->save.force && lock_wait(s, s->save.out)) {
        if (fresh_secret) unlink(s->secret.new_key);
        return END_TROUBLE;
    }
    const blm_err err = write_guarded(f, s, held, &why);
    if (err && fresh_secret && !opens(s->save.out, fresh_secret)) unlink(s->secret.new_key);
    if (interrupted) raise((int)interrupted);
    if (!err && why.text[0]) complain("%s", why.text); /* what could not be kept */
    return err ? complain_why(s->save.out, err, &why) : END_YES;
}

static ending take_note(const settings *s, blm_filter *f)
{
    blm_report why = {BLM_OK, ""};
    const blm_err err = s->save.note ? blm_set_note(f, s->save.note, &why) : BLM_OK;
    return err ? complain_why("--note", err, &why) : END_YES;
}

ending save_image(const settings *s, blm_filter *f, const uint8_t *fresh_secret)
{
    blm_report why = {BLM_OK, ""};
    ending end = take_note(s, f);
    if (!end && fresh_secret) end = secret_store(s, fresh_secret);
    if (end) return end;
    if (!to_pipe(s)) return write_file(s, f, NULL, fresh_secret);
    const blm_err err = blm_save(f, sink, NULL, &why);
    return err ? (out_failed() ? END_TROUBLE : complain_why(NULL, err, &why)) : END_YES;
}

ending save_update(const settings *s, blm_filter *f, blm_update *held)
{
    const ending end = take_note(s, f);
    if (!end) return write_file(s, f, held, NULL);
    blm_update_drop(held);
    return end;
}

/* ---- the summary ------------------------------------------------------------------------------------------ */

void save_report(const settings *s, const blm_filter *f, uint64_t keys, double distinct, bool about)
{
    blm_info info;
    char above[ABOVE_ROOM];
    blm_info_of(f, &info);
    const double bits = distinct > 0 ? (double)info.bits / distinct : 0;
    const uint64_t bytes = blm_saved_size(f);
    if (s->json) {
        json_open(NULL, '{');
        json_text("file", s->save.out);
        json_text("kind", info.kind);
        json_count("keys", keys);
        json_number("distinct", distinct < 0 ? 0 : distinct);
        json_count("capacity", info.capacity);
        json_count("bytes", bytes);
        json_number("bits_per_key", bits);
        json_number("fpr_target", info.fpr_target);
        json_number("fpr_now", info.fpr_now.high);
        json_close('}');
        json_end_line();
    } else if (!s->quiet)
        complain("%s: %s, %" PRIu64 " key%s, %s%.0f distinct, %" PRIu64
                 " bytes, %.2f bits per key, rate %.3g (promised %.3g)%s",
                 to_pipe(s) ? "standard output" : s->save.out, info.kind, keys, plural(keys),
                 about ? "about " : "", distinct, bytes, bits, info.fpr_now.high, info.fpr_target,
                 text_above(above, f, &info));
}

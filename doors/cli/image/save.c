/* save.c - a filter into its file, as an image or packed: what can go wrong is asked before the work, and an interrupt
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

typedef struct product {
    const blm_filter *f, *base; /* base: for a delta                             */
    bool packed;
    blm_update *held; /* the file was read under its lock, and f takes its place */
} product;

static blm_err write_product(const product *w, const char *path, blm_write_how how, blm_report *why)
{
    if (w->held) return blm_update_end(w->held, w->f, why);
    if (!w->packed) return blm_write(w->f, path, how, why);
    return w->base ? blm_write_delta(w->base, w->f, path, how, why)
                   : blm_write_packed(w->f, path, how, why);
}

static blm_err write_guarded(const product *w, const settings *s, blm_report *why)
{
    struct sigaction ours = {.sa_handler = on_interrupt}, before[COUNT_OF(guarded)];
    for (size_t i = 0; i < COUNT_OF(guarded); i++) {
        sigaction(guarded[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(guarded[i], &ours, NULL);
    }
    const blm_err err =
        write_product(w, s->save.out, s->save.force ? BLM_WRITE_REPLACE : BLM_WRITE_NEW, why);
    for (size_t i = 0; i < COUNT_OF(guarded); i++) sigaction(guarded[i], &before[i], NULL);
    return err;
}

static blm_err sink(void *ctx, const void *p, size_t n)
{
    stream *sent = ctx;
    if (sent && sent->bytes < BLM_STREAM_HEAD)
        memcpy(sent->head + sent->bytes, p,
               n < BLM_STREAM_HEAD - sent->bytes ? n : (size_t)(BLM_STREAM_HEAD - sent->bytes));
    if (sent) sent->bytes += n;
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

static ending write_file(const settings *s, const product *w, const uint8_t *fresh_secret)
{
    blm_report why = {BLM_OK, ""};
    if (!w->held && s->save.force && lock_wait(s, s->save.out)) {
        if (fresh_secret) unlink(s->secret.new_key);
        return END_TROUBLE;
    }
    const blm_err err = write_guarded(w, s, &why);
    if (err && fresh_secret && !opens(s->save.out, fresh_secret)) unlink(s->secret.new_key);
    if (interrupted) raise((int)interrupted);
    if (!err && why.text[0]) complain("%s", why.text); /* what could not be kept */
    /* Filters that do not go together: NEW is not like OLD. */
    const char *name = err == BLM_E_MISMATCH ? s->operand[s->operands - 1] : s->save.out;
    return err ? complain_why(name, err, &why) : END_YES;
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
    if (!to_pipe(s)) return write_file(s, &(product){.f = f}, fresh_secret);
    const blm_err err = blm_save(f, sink, NULL, &why);
    return err ? (out_failed() ? END_TROUBLE : complain_why(NULL, err, &why)) : END_YES;
}

ending save_update(const settings *s, blm_filter *f, blm_update *held)
{
    const ending end = take_note(s, f);
    if (!end) return write_file(s, &(product){.f = f, .held = held}, NULL);
    blm_update_drop(held);
    return end;
}

/* ---- streams ---------------------------------------------------------------------------------------------- */

static ending read_head(const char *path, stream *sent)
{
    struct stat st;
    FILE *in = fopen(path, "rb");
    const bool read = in && fstat(fileno(in), &st) == 0 &&
                      fread(sent->head, 1, BLM_STREAM_HEAD, in) == BLM_STREAM_HEAD;
    if (read) sent->bytes = (uint64_t)st.st_size;
    if (in) fclose(in);
    return read ? END_YES : trouble("%s: written, but it cannot be read", path);
}

ending save_stream(const settings *s, const blm_filter *base, const blm_filter *f, stream *sent)
{
    blm_report why = {BLM_OK, ""};
    const product w = {.f = f, .base = base, .packed = true};
    *sent = (stream){.bytes = 0};
    if (!to_pipe(s)) {
        const ending end = write_file(s, &w, NULL);
        return end ? end : read_head(s->save.out, sent);
    }
    const blm_err err = base ? blm_delta(base, f, sink, sent, &why) : blm_pack(f, sink, sent, &why);
    return err ? (out_failed() ? END_TROUBLE : complain_why(NULL, err, &why)) : END_YES;
}

static void stream_json(const settings *s, const stream *sent, const blm_info *info,
                        const blm_stream_info *look)
{
    char base[24];
    snprintf(base, sizeof base, "%016" PRIx64, look->base);
    json_open(NULL, '{');
    json_text("file", s->save.out);
    json_text("kind", info->kind);
    json_count("bytes", sent->bytes);
    json_count("image_bytes", look->image_bytes);
    json_bool("delta", look->delta);
    if (look->delta)
        json_text("base", base);
    else
        json_null("base");
    json_close('}');
    json_end_line();
}

void stream_report(const settings *s, const stream *sent, const blm_filter *f, bool wanted_delta)
{
    blm_info info;
    blm_stream_info look;
    blm_info_of(f, &info);
    if (blm_stream_look(sent->head, BLM_STREAM_HEAD, &look, NULL)) return;
    if (s->json)
        stream_json(s, sent, &info, &look);
    else if (!s->quiet)
        complain("%s: %s, %s, %" PRIu64 " bytes, %.3g %% of its image of %" PRIu64 " bytes",
                 to_pipe(s) ? "standard output" : s->save.out, info.kind,
                 look.delta     ? "a delta"
                 : wanted_delta ? "packed whole, because a delta would be longer"
                                : "packed",
                 sent->bytes, 100 * (double)sent->bytes / (double)look.image_bytes,
                 look.image_bytes);
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

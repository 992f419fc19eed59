/* state.c - uniq --state FILE: the filter of a stream, read when it begins and written while it runs.
 *
 * It is written when all lines that it has are out, so that a line is never lost: what came after the last time that it
 * was written may come out again. That is once a minute and once a slice of the window, but not more than once a second;
 * at the end; and on an interrupt, which ends reading first (input_halt_with).
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "uniq/uniq.h"

#define MINUTE       60.0
#define SECOND       1.0
#define SLICES_OTHER 8 /* of kinds whose window has none */

struct state {
    const settings *s;
    const char *path;
    double written, looked; /* seconds_now() */
    uint64_t at;            /* the filter's time then */
    uint64_t slice;         /* in units of its clock */
    struct sigaction before[2];
};

/* ---- interrupts ------------------------------------------------------------------------------------------ */

static const int guarded[] = {SIGINT, SIGTERM};
static volatile sig_atomic_t stopped;
static int halt[2] = {-1, -1};

/* The second one ends us as usual. */
static void on_stop(int number)
{
    const int error = errno;
    stopped = number;
    const ssize_t went = write(halt[1], "", 1);
    (void)went;
    errno = error;
}

static bool guard(state *t)
{
    struct sigaction ours = {.sa_handler = on_stop, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
    if (pipe(halt)) return false;
    for (size_t i = 0; i < 2; i++) (void)fcntl(halt[i], F_SETFD, FD_CLOEXEC);
    for (size_t i = 0; i < COUNT_OF(guarded); i++) {
        sigaction(guarded[i], NULL, &t->before[i]);
        if (t->before[i].sa_handler != SIG_IGN) sigaction(guarded[i], &ours, NULL);
    }
    return true;
}

int state_halt(const state *t)
{
    (void)t;
    return halt[0];
}

/* ---- the file -------------------------------------------------------------------------------------------- */

/* The first field of the shape in which they differ. */
static bool same_shape(const blm_filter *a, const blm_filter *b, blm_field_info *x,
                       blm_field_info *y)
{
    for (size_t i = 0; blm_field_at(a, i, x) && blm_field_at(b, i, y); i++)
        if (!x->state && x->value != y->value) return false;
    return true;
}

static ending same_settings(const char *path, const blm_filter *old, const blm_filter *wanted)
{
    static const char rest[] = "use the same settings, or another FILE";
    blm_info a, b;
    blm_field_info x, y;
    blm_info_of(old, &a);
    blm_info_of(wanted, &b);
    if (strcmp(a.kind, b.kind) != 0)
        return trouble("--state %s: was written with -t %s, not -t %s; %s", path, a.kind, b.kind,
                       rest);
    if (a.clock != b.clock || a.window != b.window)
        return trouble("--state %s: was written with another --window (%" PRIu64 " %s, not %" PRIu64
                       " %s); %s",
                       path, a.window, blm_clock_name((blm_clock)a.clock), b.window,
                       blm_clock_name((blm_clock)b.clock), rest);
    if (a.capacity != b.capacity)
        return trouble("--state %s: was written with -n %" PRIu64 ", not %" PRIu64 "; %s", path,
                       a.capacity, b.capacity, rest);
    if (fabs(a.fpr_target - b.fpr_target) > 1e-6 * b.fpr_target)
        return trouble("--state %s: was written with -p %.4g, not %.4g; %s", path, a.fpr_target,
                       b.fpr_target, rest);
    if (!same_shape(old, wanted, &x, &y))
        return trouble("--state %s: was written with other settings (its %s is %" PRIu64
                       ", not %" PRIu64 "); %s",
                       path, x.name, x.value, y.value, rest);
    if (strcmp(blm_key_form(old), blm_key_form(wanted)) != 0)
        return trouble("--state %s: was written with keys of another form (%s, not %s); %s", path,
                       blm_key_form(old)[0] ? blm_key_form(old) : "plain",
                       blm_key_form(wanted)[0] ? blm_key_form(wanted) : "plain", rest);
    return END_YES;
}

/* An image that is there takes the place of *f. */
static ending take_up(const char *path, blm_filter **f)
{
    struct stat st;
    blm_filter *old = NULL;
    blm_info wanted;
    blm_report why = {BLM_OK, ""};
    if (stat(path, &st) != 0)
        return errno == ENOENT ? END_YES : trouble("--state %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return trouble("--state %s: not a regular file", path);
    blm_info_of(*f, &wanted);
    const blm_err err = blm_read(&old, path, BLM_OPEN(.overfill = wanted.overfill), &why);
    if (err) return complain_why(path, err, &why);
    const ending end = same_settings(path, old, *f);
    if (end) {
        blm_free(old);
        return end;
    }
    blm_free(*f);
    *f = old;
    return END_YES;
}

static uint64_t slice_of(const blm_filter *f)
{
    blm_info n;
    blm_field_info d;
    uint64_t slices = SLICES_OTHER;
    blm_info_of(f, &n);
    for (size_t i = 0; blm_field_at(f, i, &d); i++)
        if (strcmp(d.name, "slices") == 0 && d.value) slices = d.value;
    return n.window / slices + 1;
}

ending state_open(state **out, const settings *s, const char *path, blm_filter **f)
{
    blm_info n;
    const char *same = same_file(path, s->operand, s->operands);
    if (same) return trouble("--state %s: is also one of the inputs (%s)", path, same);
    ending end = form_keep(s, *f);
    if (!end) end = take_up(path, f);
    if (end) return end;
    state *t = calloc(1, sizeof *t);
    if (!t || !guard(t)) {
        free(t);
        return trouble("--state %s: %s", path, strerror(errno));
    }
    blm_info_of(*f, &n);
    t->s = s;
    t->path = path;
    t->at = n.now;
    t->slice = slice_of(*f);
    *out = t;
    /* A folder that cannot be written is found now and not after an hour. */
    return state_save(t, *f);
}

ending state_save(state *t, const blm_filter *f)
{
    blm_report why = {BLM_OK, ""};
    blm_info n;
    out_flush();
    if (out_failed()) return END_TROUBLE; /* lines that are not out stay out of it */
    if (lock_wait(t->s, t->path)) return END_TROUBLE;
    const blm_err err = blm_write(f, t->path, BLM_WRITE_REPLACE, &why);
    if (err) return complain_why(t->path, err, &why);
    blm_info_of(f, &n);
    t->at = n.now;
    t->written = t->looked = seconds_now();
    return END_YES;
}

ending state_pass(state *t, const blm_filter *f)
{
    const double now = seconds_now();
    blm_info n;
    if (now - t->looked < SECOND) return END_YES;
    t->looked = now;
    blm_info_of(f, &n);
    return n.now - t->at >= t->slice || now - t->written >= MINUTE ? state_save(t, f) : END_YES;
}

int state_close(state *t)
{
    for (size_t i = 0; i < COUNT_OF(guarded); i++) sigaction(guarded[i], &t->before[i], NULL);
    for (size_t i = 0; i < 2; i++) close(halt[i]);
    free(t);
    return stopped;
}

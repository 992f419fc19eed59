/* progress.c - a bar on a terminal for those who wait longer than 2 s.
 *
 * The thread that gives lines out draws it, and any thread that complains wipes it away: whoever does so has
 * stderr for itself meanwhile. */
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define BAR_WIDTH 30

static struct {
    bool on;
    atomic_bool shown;
    uint64_t total;
    const char *unit;
    double start, next;
} bar;

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_start(const settings *s, uint64_t total, const char *unit)
{
    /* Lines that scroll by on the same terminal are progress enough. */
    static const verb *const answering[] = {&verb_grep, &verb_test,  &verb_count,
                                            &verb_get,  &verb_which, &verb_uniq};
    bool answers = false;
    for (size_t i = 0; i < COUNT_OF(answering); i++) answers |= s->verb == answering[i];
    bar.on = !s->quiet && isatty(STDERR_FILENO) && !(answers && isatty(STDOUT_FILENO));
    bar.shown = false;
    bar.total = total;
    bar.unit = unit;
    bar.start = seconds_now();
    bar.next = bar.start + 2;
}

static void draw(uint64_t done, double seconds)
{
    char cells[BAR_WIDTH + 1], amount[32];
    const bool bytes = strcmp(bar.unit, "bytes") == 0;
    if (bytes)
        text_bytes(amount, done);
    else
        snprintf(amount, sizeof amount, "%.3g %s", (double)done, bar.unit);
    if (!bar.total) {
        fprintf(stderr, "\r%-16s %6.0f s ", amount, seconds);
        return;
    }
    const double part = done < bar.total ? (double)done / (double)bar.total : 1;
    for (int i = 0; i < BAR_WIDTH; i++) cells[i] = i < (int)(part * BAR_WIDTH) ? '#' : '.';
    cells[BAR_WIDTH] = 0;
    const double left = part > 0 ? seconds * (1 - part) / part : 0;
    fprintf(stderr, "\r[%s] %3.0f %% %-16s %6.0f s left ", cells, part * 100, amount, left);
}

void progress_at(uint64_t done)
{
    if (!bar.on) return;
    const double now = seconds_now();
    if (now < bar.next) return;
    bar.next = now + 0.2;
    flockfile(stderr);
    bar.shown = true;
    draw(done, now - bar.start);
    fflush(stderr);
    funlockfile(stderr);
}

/* Blanks, not an escape sequence: any terminal knows them. */
void progress_end(void)
{
    flockfile(stderr);
    if (bar.shown) fprintf(stderr, "\r%*s\r", 76, "");
    bar.shown = false;
    funlockfile(stderr);
}

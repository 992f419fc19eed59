/* clock.c - which time it is for a filter: --now, --time, or the clock of this machine. The library reads none. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "image/clock.h"

uint64_t clock_wall(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec < 0 ? 0 : (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is_last(const settings *s) { return s->open.now && strcmp(s->open.now, "last") == 0; }

ending clock_now(const settings *s, uint64_t *ms)
{
    *ms = clock_wall();
    if (!s->open.now || is_last(s) || when_read(s->open.now, strlen(s->open.now), ms))
        return END_YES;
    return trouble("--now %s: must be last, or a time such as 2026-11-19T12:00:00Z, or seconds "
                   "since 1970 (from 10^11 on, milliseconds)",
                   s->open.now);
}

ending clock_ready(const settings *s)
{
    uint64_t ms;
    if (s->open.now && s->read.time)
        return trouble("--now and --time: each line has its own time; leave --now out");
    return clock_now(s, &ms);
}

ending clock_set(const settings *s, blm_filter *f, const char *path)
{
    char own[WHEN_ROOM], asked[WHEN_ROOM];
    blm_info n;
    uint64_t ms;
    blm_info_of(f, &n);
    if (clock_now(s, &ms)) return END_TROUBLE;
    if (is_last(s)) return END_YES;
    if (n.clock != BLM_CLOCK_MS)
        return !s->open.now
                   ? END_YES
                   : trouble("%s: --now %s: its keys do not expire by the clock; leave --now out",
                             path, s->open.now);
    const blm_err err = blm_tick(f, ms);
    if (err == BLM_E_CLOCK)
        return trouble("%s: %s%s is before the filter's own time, %s, and time does not go back; "
                       "--now last uses the filter's time",
                       path, s->open.now ? "--now " : "the clock of this machine, ",
                       when_text(asked, ms), when_text(own, n.now));
    return err ? complain_why(path, err, NULL) : END_YES;
}

/* ---- questions ------------------------------------------------------------------------------------------ */

static ending own_copy(image *im, const settings *s, const char *path)
{
    char needs[32], may[32];
    blm_filter *copy = NULL;
    blm_report why = {BLM_OK, ""};
    const uint64_t ram = input_ram(s);
    if (!ram) return END_TROUBLE;
    if (im->info.bytes > ram)
        return trouble("%s: its keys expire by the clock, so it is copied into memory: that needs "
                       "%s, but --ram is %s",
                       path, text_bytes(needs, im->info.bytes), text_bytes(may, ram));
    const blm_err err = blm_copy(&copy, im->f, &why);
    if (err) return complain_why(path, err, &why);
    blm_free(im->f);
    im->f = copy;
    return END_YES;
}

ending image_open_now(image *im, const settings *s, const char *path, blm_check check)
{
    ending end = clock_ready(s);
    *im = (image){.f = NULL};
    if (!end) end = image_open(im, s, path, check, false);
    if (end) return end;
    const bool ages = im->info.clock == BLM_CLOCK_MS;
    /* The chunks that a query reads are checked in the file alone. */
    if (ages && check == BLM_CHECK_NONE && !s->open.trust) {
        image_close(im);
        end = image_open(im, s, path, BLM_CHECK_ALL, false);
        if (end) return end;
    }
    if (ages) end = own_copy(im, s, path);
    if (!end) end = clock_set(s, im->f, path);
    if (end)
        image_close(im);
    else
        image_describe(im);
    return end;
}

/* ---- lines that have a time ------------------------------------------------------------------------------- */

ending clock_no_times(const char *kind, uint32_t clock)
{
    const char *unit = blm_clock_name((blm_clock)clock); /* NULL: none or several */
    return unit ? trouble("--time: keys of this %s filter expire by %s, not by the clock; leave "
                          "--time out",
                          kind, unit)
                : trouble("--time: keys of kind %s do not expire by the clock; leave --time out",
                          kind);
}

blm_err clock_run(const settings *s, blm_filter *f, const line *lines, size_t n, size_t *run)
{
    size_t first = 0, same;
    *run = n;
    if (!s->read.time) return BLM_OK;
    while (first < n && !lines[first].key) first++;
    for (same = first; same < n && (!lines[same].key || lines[same].when == lines[first].when);)
        same++;
    *run = same;
    return first < n ? blm_tick(f, lines[first].when) : BLM_OK;
}

const char *text_span(char room[32], uint64_t ms)
{
    static const struct {
        uint64_t ms;
        const char *unit;
    } units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}};
    size_t i = 0;
    while (ms % units[i].ms) i++;
    snprintf(room, 32, "%" PRIu64 "%s", ms / units[i].ms, units[i].unit);
    return room;
}

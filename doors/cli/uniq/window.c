/* window.c - uniq --window: the hash of each line in the window, and when it came last.
 *
 * One open-addressing table of 16 bytes a slot. When it is 3/4 full it is made anew: lines that left the
 * window go, and there is room for twice those that are left. Memory follows the window: at most 32 bytes
 * for each distinct line in it, and 24 more while the table is made anew. Both borders are exact.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "uniq/uniq.h"

#define FIRST ((uint64_t)2 * BATCH) /* room for a batch and those that are left */
#define AHEAD 16u

typedef struct slot {
    uint64_t hash;
    uint64_t
        when; /* 2 * (line, or millisecond, from 1) + 1 if it was printed as repeated; 0: empty */
} slot;

struct memory {
    blm_filter *hasher;
    slot *slots;
    uint64_t room, used;
    uniq_span span; /* of the window */
    uint64_t now;   /* of this line */
    double start, lost;
    uint64_t max; /* bytes, at any time */
};

/* ---- how long ------------------------------------------------------------------------------------------ */

static double seconds_of(char unit)
{
    return unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : unit == 'd' ? 86400 : 0;
}

/* 10m is a time, 10M are lines. */
bool span_read(const char *text, uniq_span *w)
{
    const size_t n = strlen(text);
    const double unit = n > 1 ? seconds_of(text[n - 1]) : 0;
    blm_report why;
    if (unit > 0) {
        char *end = NULL;
        const double v = strtod(text, &end);
        const bool plain = strspn(text, "0123456789.") == n - 1 && end == text + n - 1;
        if (plain && v * unit >= 0.001 && v * unit <= 1e9) {
            *w = (uniq_span){true, (uint64_t)(v * unit * 1000)};
            return true;
        }
    } else if (!blm_parse_count(text, &w->length, &why) && w->length > 0) {
        w->timed = false;
        return true;
    }
    complain("--window %s: must be a number of lines (1000, 10M), or a time from 1 ms to 30 years "
             "(30s, 10m, 2h, 1d)",
             text);
    return false;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static slot *find(slot *slots, uint64_t room, uint64_t hash)
{
    uint64_t i = hash % room;
    while (slots[i].when && slots[i].hash != hash) i = i + 1 < room ? i + 1 : 0;
    return &slots[i];
}

static bool gone(const memory *m, const slot *s) { return m->now - s->when / 2 > m->span.length; }

/* False: --ram, or the machine, has no room for it. */
static bool make_anew(memory *m, uint64_t ram)
{
    uint64_t alive = 0;
    for (uint64_t i = 0; i < m->room; i++) alive += m->slots[i].when && !gone(m, &m->slots[i]);
    const uint64_t room = 2 * alive + FIRST, bytes = (m->room + room) * sizeof(slot);
    if (bytes > ram || room > SIZE_MAX / sizeof(slot)) return false;
    slot *fresh = calloc((size_t)room, sizeof *fresh);
    if (!fresh) return false;
    for (uint64_t i = 0; i < m->room; i++)
        if (m->slots[i].when && !gone(m, &m->slots[i]))
            *find(fresh, room, m->slots[i].hash) = m->slots[i];
    free(m->slots);
    m->slots = fresh;
    m->room = room;
    m->used = alive;
    if (bytes > m->max) m->max = bytes;
    return true;
}

static ending window_open(uniq *u)
{
    blm_report why = {BLM_OK, ""};
    memory *m = u->m = calloc(1, sizeof *m);
    if (!m) return trouble("no memory");
    if (!span_read(u->wish->window, &m->span)) return END_TROUBLE;
    if (u->s->read.time && !m->span.timed)
        return trouble("--time: --window %s counts lines; give a time such as 10m",
                       u->wish->window);
    const blm_err err = blm_new(&m->hasher, BLM_CONFIG(.kind = "standard", .keys = 1), &why);
    if (err) return complain_why(NULL, err, &why);
    m->start = seconds_now();
    return make_anew(m, u->ram) ? END_YES : trouble("no memory");
}

static const blm_filter *window_hasher(const uniq *u) { return u->m->hasher; }

static void window_full(uniq *u)
{
    char ram[32];
    if (u->m->lost > u->lost) {
        complain("over capacity: %.3g lines are expected to be lost by now, more than --lost %g; "
                 "the lines printed so far are correct. Use a larger --lost or a smaller --window",
                 u->m->lost, u->lost);
        return;
    }
    complain("over capacity: the window has about %" PRIu64
             " distinct lines, and --ram (%s) has no room for more; the lines printed so far are "
             "correct. Use a larger --ram or a smaller --window",
             u->m->used, text_bytes(ram, u->ram));
}

/* Does it come out? */
static bool judge_one(memory *m, uint64_t hash, bool repeated)
{
    slot *s = find(m->slots, m->room, hash);
    const bool is_new = !s->when || gone(m, s), printed = !is_new && s->when & 1;
    m->used += !s->when;
    s->hash = hash;
    s->when = 2 * m->now + (repeated && !is_new);
    return repeated ? !is_new && !printed : is_new;
}

static ending window_judge(uniq *u, const blm_hash *h, const uint64_t *when, size_t n,
                           uint8_t *print, size_t *done)
{
    memory *m = u->m;
    const bool timed = m->span.timed;
    if (timed && !when) m->now = 1 + (uint64_t)((seconds_now() - m->start) * 1000);
    if (when && n) m->now = 1 + when[0];
    *done = 0;
    if (m->lost > u->lost) return END_FULL;
    if ((m->used + n) * 4 > m->room * 3 && !make_anew(m, u->ram)) return END_FULL;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(&m->slots[h[i + AHEAD].lo % m->room], 1);
        if (!timed) m->now++;
        if (when) m->now = 1 + when[i];
        print[i] = judge_one(m, h[i].lo, u->wish->repeated);
    }
    m->lost += ldexp((double)n * (double)m->used, -64);
    *done = n;
    return END_YES;
}

static ending window_end(uniq *u)
{
    (void)u;
    return END_YES;
}

static void window_report(const uniq *u, uniq_report *out)
{
    out->lost = u->m->lost;
    out->bytes = u->m->max;
    out->distinct = u->m->used;
}

static int window_close(uniq *u)
{
    if (!u->m) return 0;
    blm_free(u->m->hasher);
    free(u->m->slots);
    free(u->m);
    return 0;
}

const uniq_way uniq_window = {.open = window_open,
                              .hasher = window_hasher,
                              .judge = window_judge,
                              .end = window_end,
                              .full = window_full,
                              .report = window_report,
                              .close = window_close};

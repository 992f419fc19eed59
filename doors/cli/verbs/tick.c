/* tick.c - bloomery tick: moves the time of a filter on, so that its old keys expire. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image/change.h"
#include "image/clock.h"

/* The time to tick to: NOW, or the clock of this machine. */
static ending time_wanted(const change *c, const char *text, uint64_t *now)
{
    const blm_info *n = &c->im.info;
    blm_report why = {BLM_OK, ""};
    const char *unit = blm_clock_name((blm_clock)n->clock);
    *now = clock_wall();
    if (n->clock == BLM_CLOCK_MS) {
        if (!text || when_read(text, strlen(text), now)) return END_YES;
        return trouble("%s: must be a time such as 2026-11-19T12:00:00Z, or seconds since 1970 "
                       "(from 10^11 on, milliseconds)",
                       text);
    }
    if (!text)
        return trouble("%s: missing NOW: its keys expire by %s, and there have been %" PRIu64
                       "; name a larger number",
                       c->path, unit, n->now);
    return !blm_parse_count(text, now, &why)
               ? END_YES
               : trouble("%s: must be a number of %s: keys of %s do not expire by the clock", text,
                         unit, c->path);
}

static const char *time_text(char room[WHEN_ROOM], const blm_info *n)
{
    if (n->clock == BLM_CLOCK_MS) return when_text(room, n->now);
    snprintf(room, WHEN_ROOM, "%" PRIu64 " %s", n->now, blm_clock_name((blm_clock)n->clock));
    return room;
}

static ending tick(change *c, const char *text)
{
    char own[WHEN_ROOM], wanted[WHEN_ROOM];
    blm_info later = c->im.info;
    if (time_wanted(c, text, &later.now)) return END_TROUBLE;
    const blm_err err = blm_tick(c->im.f, later.now);
    if (err == BLM_E_CLOCK)
        return trouble("%s: %s is before its own time, %s, and time does not go back", c->path,
                       time_text(wanted, &later), time_text(own, &c->im.info));
    return err ? complain_why(c->path, err, NULL) : END_YES;
}

static void report(const change *c)
{
    char head[2 * WHEN_ROOM + 8], before[WHEN_ROOM], after[WHEN_ROOM];
    blm_info now;
    blm_info_of(c->im.f, &now);
    snprintf(head, sizeof head, "%s, was %s", time_text(after, &now),
             time_text(before, &c->im.info));
    if (c->s->json) {
        json_open(NULL, '{');
        json_text("file", c->path);
        json_text("clock", blm_clock_name((blm_clock)now.clock));
        json_count("now", now.now);
        json_count("before", c->im.info.now);
    }
    change_report(c, head);
}

static ending run_tick(settings *s)
{
    const char *text = s->operands > 1 ? s->operand[1] : NULL;
    change c;
    s->operands = 1;
    ending end = change_begin_alone(&c, s, BLM_TICK, "tick");
    if (!end) end = tick(&c, text);
    if (!end) end = change_write(&c);
    if (!end) report(&c);
    change_close(&c);
    return end;
}

static const option tick_options[] = {
    OPTION_NOTE,  OPTION_KEY,  OPTION_FORCE_CHANGE, OPTION_WAIT,
    OPTION_TRUST, OPTION_JSON, OPTION_END,
};

const verb verb_tick = {
    .name = "tick",
    .about = "move the time of a filter on: its old keys expire",
    .usage = "tick FILE [NOW]",
    .text =
        "NOW is a time where keys expire by the clock: 2026-11-19T12:00:00Z, or seconds since 1970 "
        "(from 10^11\n"
        "on, milliseconds); without it, the clock of this machine. Elsewhere NOW is a number of "
        "arrivals or\n"
        "steps, as bloomery info shows it. Time does not go back. Queries and add do this by "
        "themselves: tick\n"
        "makes FILE smaller to pack, and shows what is left. With FILE -, the filter is read from "
        "standard\n"
        "input and written to standard output.",
    .options = tick_options,
    .examples = {"bloomery tick seen.blm", "bloomery tick seen.blm 2026-11-19T12:00:00Z"},
    .endings = "0 written, 2 usage or I/O, a time before that of FILE, or a kind without ticks, 3 "
               "not a sound image",
    .min_operands = 1,
    .max_operands = 2,
    .needs = BLM_TICK,
    .run = run_tick,
};

/* clock.h - filters whose keys age in milliseconds: the time at which they are asked and changed. Filters that age by
 * arrivals or steps, and all others, stay as they are. */
#ifndef BLM_CLI_CLOCK_H
#define BLM_CLI_CLOCK_H
#include "image/image.h"

uint64_t clock_wall(void); /* of this machine: ms since 1970 */
/* --now can be read, and goes with --time; before anything is opened. */
ending clock_ready(const settings *s);
/* Sets f to --now or to the clock of this machine. END_TROUBLE: it has complained, and f is as before. */
ending clock_set(const settings *s, blm_filter *f, const char *path);
/* As image_open, for questions at that time: a filter that ages by it is copied, because a mapped one cannot tick. */
ending image_open_now(image *im, const settings *s, const char *path, blm_check check);
ending clock_now(const settings *s, uint64_t *ms); /* --now, or clock_wall; not of last */
/* The sentence for --time and a filter that ages by another clock, or does not age (0). */
ending clock_no_times(const char *kind, uint32_t clock);
/* With --time: f ticks to the time of the first of n lines. *run: how many may be added until it must tick again; without
 * --time all of them. */
blm_err clock_run(const settings *s, blm_filter *f, const line *lines, size_t n, size_t *run);
const char *text_span(char room[32], uint64_t ms); /* 7d, 90m, 250ms: as a knob takes it */

#define OPTION_NOW                                                                                 \
    {                                                                                              \
        0, "now", "TIME",                                                                          \
            "where keys expire by the clock: as of TIME; last: as of the filter's own time",       \
            TAKE_TEXT, offsetof(settings, open.now), 0, 0                                          \
    }
#endif

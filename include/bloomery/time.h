/* bloomery/time.h - kinds whose keys expire.
 *
 *     if (blm_tick(f, now_ms())) return 1;      // all calls that follow happen at this time
 *     if (blm_add(f, "plum", 4)) return 1;
 *
 * Such a kind answers "was this key added recently?", in memory that does not grow.
 * A filter never reads a clock: time passes by blm_tick(), so that a test can set it, and by adds
 * where keys age by arrivals.
 */
#ifndef BLOOMERY_TIME_H
#define BLOOMERY_TIME_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The unit in which keys age. A kind may offer several; blm_info.clock is the one of a filter. */
typedef enum blm_clock {
    BLM_CLOCK_ARRIVALS = 1 << 0, /* each add is one step of time, and a tick adds idle steps    */
    BLM_CLOCK_MS = 1 << 1,       /* milliseconds since any moment, such as 1970                 */
    BLM_CLOCK_STEPS = 1 << 2     /* steps that the caller defines, such as epochs or hops       */
} blm_clock;

/* Returns the name of one clock: "arrivals", "ms" or "steps"; NULL if there is no such bit. */
BLM_API const char *blm_clock_name(blm_clock one);

/* Sets the time of all calls that follow, in units of the filter's clock; blm_info.now is the
 * time that it has now. Keys that are too old then expire. Fails with BLM_E_CLOCK, and changes
 * nothing, if `now` is before the filter's time; with BLM_E_CANNOT without BLM_TICK. */
BLM_API blm_err blm_tick(blm_filter *f, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif

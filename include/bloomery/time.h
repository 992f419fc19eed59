/* bloomery/time.h - kinds whose keys expire.
 *
 *     if (blm_tick(f, now_ms())) return 1;      // all calls that follow happen at this time
 *     if (blm_add(f, "plum", 4)) return 1;
 *
 * Such a kind answers "was this key added recently?", in memory that does not grow.
 * A filter never reads a clock: time passes by blm_tick() alone, so that a test can set it.
 */
#ifndef BLOOMERY_TIME_H
#define BLOOMERY_TIME_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Sets the time of all calls that follow: milliseconds, or steps of the kind's own. Keys that are
 * now too old expire. Fails with BLM_E_CLOCK, and changes nothing, if it is before the last tick;
 * with BLM_E_CANNOT without BLM_TICK. */
BLM_API blm_err blm_tick(blm_filter *f, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif

/* bloomery/time.h - kinds that forget. Time enters by tick only. */
#ifndef BLOOMERY_TIME_H
#define BLOOMERY_TIME_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif
/* now: ms, or the kind's own step; later calls happen then. CLOCK when now went backwards. */
BLM_API blm_err blm_tick(blm_filter *f, uint64_t now);
#ifdef __cplusplus
}
#endif
#endif

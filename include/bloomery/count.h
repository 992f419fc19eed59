/* bloomery/count.h - kinds that delete and count. */
#ifndef BLOOMERY_COUNT_H
#define BLOOMERY_COUNT_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif
/* del - ABSENT when the key is certainly not inside: nothing changed. Deleting a stranger that is
 * itself a false positive cannot be noticed, and may cost other keys: delete only what was added. */
BLM_API blm_err blm_del(blm_filter *f, const void *key, size_t len);
BLM_API blm_err blm_del_item(blm_filter *f, const blm_item *it);
/* count - how often added and not deleted; .bound: a counter is at its ceiling, it may be more. */
BLM_API blm_err blm_count(const blm_filter *f, const void *key, size_t len, blm_estimate *times);
BLM_API blm_err blm_count_item(const blm_filter *f, const blm_item *it, blm_estimate *times);
BLM_API blm_err blm_count_all(const blm_filter *f, const blm_item *it, size_t n,
                              blm_estimate *times);
/* at_least - has the key come `times` times or more? Never a false "no" where the kind is NEVER_LOW;
 * UNSURE when its counters stop below `times`. theory.h: blm_threshold_* give the rate and the best k. */
BLM_API blm_err blm_at_least(const blm_filter *f, const void *key, size_t len, uint64_t times,
                             bool *yes);
#ifdef __cplusplus
}
#endif
#endif

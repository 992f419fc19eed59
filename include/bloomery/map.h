/* bloomery/map.h - kinds that keep a value a key, many sets, or a dense index. */
#ifndef BLOOMERY_MAP_H
#define BLOOMERY_MAP_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif
/* get - OK, ABSENT (certain), or UNSURE ("do not know"). put - value = it->arg. */
BLM_API blm_err blm_get(const blm_filter *f, const void *key, size_t len, uint64_t *value);
BLM_API blm_err blm_get_item(const blm_filter *f, const blm_item *it, uint64_t *value);
BLM_API blm_err blm_put(blm_filter *f, const void *key, size_t len, uint64_t value);
BLM_API blm_err blm_put_item(blm_filter *f, const blm_item *it);
/* which - yes[i] = could the key be in sets[i]? */
BLM_API blm_err blm_which(const blm_filter *f, const blm_item *it, const uint64_t *sets, size_t n,
                          uint8_t *yes);
BLM_API blm_err blm_index(const blm_filter *f, const blm_item *it, uint64_t *dense);
/* list - *n: in, room in out; out, how many there are. out NULL: count only. */
BLM_API blm_err blm_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why);
#ifdef __cplusplus
}
#endif
#endif

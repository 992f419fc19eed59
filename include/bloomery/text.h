/* bloomery/text.h - kinds that look inside a key. */
#ifndef BLOOMERY_TEXT_H
#define BLOOMERY_TEXT_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif
/* part - at which offsets could this excerpt stand? *n: in, room; out, how many. */
BLM_API blm_err blm_part(const blm_filter *f, const blm_item *it, uint64_t *offsets, size_t *n);
#ifdef __cplusplus
}
#endif
#endif

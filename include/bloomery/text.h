/* bloomery/text.h - kinds that look inside keys.
 *
 *     uint64_t offset[16];
 *     size_t n = 16;
 *     const blm_item excerpt = blm_item_of(f, packet, length, BLM_NO_ARG);
 *     if (!blm_part(f, &excerpt, offset, &n)) printf("%zu places\n", n);
 *
 * Such a kind remembers texts, and is asked about parts of them: an excerpt of a packet, a
 * word of a document.
 */
#ifndef BLOOMERY_TEXT_H
#define BLOOMERY_TEXT_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Finds the offsets at which this excerpt may stand in a key of the set. *n is the number of
 * offsets that fit, and becomes the number that was found. Fails with BLM_E_CANNOT without
 * BLM_PART, with BLM_E_ARG if the excerpt is too short for the filter. */
BLM_API blm_err blm_part(const blm_filter *f, const blm_item *it, uint64_t *offsets, size_t *n);

#ifdef __cplusplus
}
#endif
#endif

/* bloomery/trace.h - who added before whom: questions to a filter in which later keys overwrite earlier ones.
 *
 * A packet carries a filter of kind generalized, and every router on its way adds its address. The victim walks back:
 * whoever is known to have added later may have overwritten what an earlier one left, so its positions prove
 * nothing. A router that did add is then never missed, whatever bits the packet set out with.
 */
#ifndef BLOOMERY_TRACE_H
#define BLOOMERY_TRACE_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Could this key have been added before the n keys of `later`, which were all added after it? Positions that they
 * touch are skipped. No is certain if `later` has every key that came after it; n = 0 is blm_has_item. Other kinds
 * than generalized cannot tell, and say true. Costs n keys' positions, and no memory. */
BLM_API bool blm_has_wild(const blm_filter *f, const blm_item *it, const blm_item *later, size_t n);
#ifdef __cplusplus
}
#endif
#endif

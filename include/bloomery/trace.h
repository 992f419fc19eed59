/* bloomery/trace.h - which key was added before which, where later keys overwrite earlier ones.
 *
 *     // routers[0..n-1] are known to have added themselves after `it`
 *     if (blm_has_wildcard(packet_filter, &it, routers, n)) puts("may be on the path");
 *
 * A packet carries a filter of kind generalized, and every router on its way adds its address.
 * The victim walks back along the path. A router that is known to have added itself later may
 * have overwritten bits of an earlier one, so its positions prove nothing and are skipped. A
 * router that did add itself is then never missed, whatever bits the packet started with.
 */
#ifndef BLOOMERY_TRACE_H
#define BLOOMERY_TRACE_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether this key may have been added before the n keys of `later`, which were all added
 * after it: the positions of those keys count as wildcards. "No" is certain if `later` has every
 * key that came after it. n = 0 is blm_has_item. Kinds other than generalized cannot tell, and
 * answer true. Cost: the positions of n keys, and no memory. */
BLM_API bool blm_has_wildcard(const blm_filter *f, const blm_item *it, const blm_item *later,
                              size_t n);

#ifdef __cplusplus
}
#endif
#endif

/* adaptive.c - the kind itself, but no word ever changes: a false positive that was denied comes again. */
#include "kinds/adaptive/adaptive/cells.h"
#define blm_groups_adapt(a, h) ((void)(a), (void)(h), false)
#define blm_kind_adaptive      blm_kind_adaptive_broken
#include "kinds/adaptive/adaptive/adaptive.c"

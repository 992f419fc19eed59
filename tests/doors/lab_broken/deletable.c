/* deletable.c - the kind itself, but four regions share two collision bits: fewer keys can leave, and no answer is wrong.
 * Its theory knows nothing of that, so the lab has to see it. */
#include "parts/anywhere.h"
#include "parts/staged.h"
#define blm_reduce(x, cells) (blm_reduce(x, cells) / 4 * 4)
#define blm_kind_deletable   blm_kind_deletable_broken
#include "kinds/growing/deletable/deletable.c"

/* generalized.c - the kind itself, but a reset leaves every other bit as it was. Its theory knows nothing of that, so
 * the lab has to see it. */
#include "parts/bits.h"
#define blm_bit_clear(cells, at) ((at) % 2 ? blm_bit_clear(cells, at) : 0)
#define blm_has_wildcard         blm_has_wild_broken
#define blm_kind_generalized     blm_kind_generalized_broken
#include "kinds/adaptive/generalized/generalized.c"

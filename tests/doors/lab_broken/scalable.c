/* scalable.c - the kind itself, but a batch asks the newest layer alone: members of the others are denied. Its theory
 * knows nothing of that, so the lab has to see it. */
#include "parts/layers.h"
static void newest_alone(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    blm_child_has_many(f, f->nchild - 1u, h, a, n, more, yes);
}
#define blm_layers_has_many newest_alone
#define blm_kind_scalable   blm_kind_scalable_broken
#include "kinds/growing/scalable/scalable.c"

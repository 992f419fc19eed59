/* lens.c - what a query needs, copied out for loops of the caller (bloomery/inline.h). */
#include <bloomery/inline.h>

#include "core/core_internal.h"
#include "core/xxh3.h"

bool blm_lens_of(const blm_filter *f, blm_lens *lens)
{
    if (!f->kind->lens || !blm_hash_is_plain(f) || f->flags & BLM_TOUCH_CHECK) return false;
    blm_lens own = {.cells = f->cells, .seed = f->seed, .flip = blm_xxh3_flip(f->seed)};
    if (!f->kind->lens(f, &own)) return false;
    *lens = own;
    return true;
}

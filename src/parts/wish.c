/* wish.c - the size that a wish asks for. */
#include "parts/wish.h"

#include <bloomery/theory.h>
#include <inttypes.h>

blm_err blm_wish_cells(const blm_config *wish, unsigned width, const char *max, uint64_t *cells,
                       unsigned *k, blm_report *why)
{
    *k = wish->hashes;
    if (!wish->bits)
        return blm_size_for(wish->keys, wish->fpr, *k, true, cells, k)
                   ? BLM_OK
                   : blm_wish_beyond(wish, max, why);
    *cells = wish->bits / width;
    if (!*cells)
        return blm_fail(why, BLM_E_ARG, "bits %" PRIu64 ": too few for one counter", wish->bits);
    if (!*k) *k = blm_best_hashes(*cells, wish->keys);
    return BLM_OK;
}

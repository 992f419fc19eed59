/* wish.h - the size that a wish asks for, and what a kind says of one that is beyond it. */
#ifndef BLM_WISH_H
#define BLM_WISH_H
#include "core/kind.h"

/* No size that the kind can have keeps the rate; `most`: where its sizes end, "2^60 bits or 64 hashes". */
static inline blm_err blm_wish_beyond(const blm_config *wish, const char *max, blm_report *why)
{
    return blm_fail(why, BLM_E_ARG, "%.4g keys at fpr %.3g need more than %s", (double)wish->keys,
                    wish->fpr, max);
}

/* How many cells of `width` bits, anywhere among which a key has *k: the fewest for keys and a rate, or those of the bits
 * that are given. max: where they end, for the sentence. */
blm_err blm_wish_cells(const blm_config *wish, unsigned width, const char *max, uint64_t *cells,
                       unsigned *k, blm_report *why);
#endif

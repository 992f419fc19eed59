/* wish.h - what a kind says of a wish that is beyond it. */
#ifndef BLM_WISH_H
#define BLM_WISH_H
#include "core/kind.h"

/* No size that the kind can have keeps the rate; `most`: where its sizes end, "2^60 bits or 64 hashes". */
static inline blm_err blm_wish_beyond(const blm_config *wish, const char *max, blm_report *why)
{
    return blm_fail(why, BLM_E_ARG, "%.4g keys at fpr %.3g need more than %s", (double)wish->keys,
                    wish->fpr, max);
}
#endif

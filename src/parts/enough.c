/* enough.c - sizes and costs of keys of which some bits must be one. */
#include <bloomery/theory/signatures.h>
#include <math.h>

#include "parts/enough.h"
#include "parts/wish.h"

/* The i-th bit is read while neither `least` ones nor k - least + 1 zeros have been seen. */
double blm_enough_lines(const blm_flat *s, unsigned least, double fill)
{
    const unsigned k = s->hashes;
    double lines = 0;
    for (unsigned i = 0; i < k; i++) {
        const double yes = i ? blm_ones_tail(i, least, fill) : 0,
                     no = i ? blm_ones_tail(i, k - least + 1, 1 - fill) : 0;
        lines += fmax(0, 1 - yes - no);
    }
    return lines;
}

blm_rate blm_enough_now(const blm_flat *s, unsigned least)
{
    const double p = blm_ones_tail(s->hashes, least, (double)s->ones / (double)s->cells);
    return (blm_rate){p, p, 0};
}

blm_err blm_enough_whole(const blm_knobs *knobs, size_t i, const char *name, unsigned max,
                         unsigned *out, blm_report *why)
{
    const double given = knobs->num[i];
    if (!(given >= 1 && given <= max) || given != floor(given))
        return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number from 1 to %u", name, given,
                        max);
    *out = (unsigned)given;
    return BLM_OK;
}

blm_err blm_enough_size(const blm_config *wish, blm_enough_rate rate, const void *self,
                        uint64_t *cells, blm_report *why)
{
    const uint64_t max = UINT64_C(1) << 60;
    const double keys = (double)wish->keys;
    uint64_t low = 0, high = 64;
    while (high < max && rate(self, high, keys) > wish->fpr) low = high, high *= 2;
    if (rate(self, high, keys) > wish->fpr) return blm_wish_beyond(wish, "2^60 bits", why);
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(rate(self, middle, keys) <= wish->fpr ? &high : &low) = middle;
    }
    *cells = high;
    return BLM_OK;
}

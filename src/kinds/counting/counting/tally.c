/* tally.c - counters in lines: the size for a wish, the rate with the keys they have. */
#include <bloomery/theory.h>

#include "tally.h"
#include "parts/wish.h"

blm_err blm_tally_plan(const blm_config *wish, unsigned width, uint64_t *lines, unsigned *k,
                       blm_report *why)
{
    if (width != 2 && width != 4 && width != 8 && width != 16)
        return blm_fail(why, BLM_E_ARG, "width=%u: with layout=line it must be 2, 4, 8 or 16",
                        width);
    const unsigned a_line = BLM_TALLY_BITS / width;
    *k = wish->hashes;
    if (!wish->bits) {
        if (blm_size_blocked(wish->keys, wish->fpr, a_line, *k, lines, k)) return BLM_OK;
        return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
    }
    *lines = wish->bits / BLM_TALLY_BITS;
    if (!*lines)
        return blm_fail(why, BLM_E_ARG, "bits %llu: too few; one line has 512 bits",
                        (unsigned long long)wish->bits);
    if (!*k) *k = blm_best_hashes_blocked(a_line, *lines, wish->keys);
    return BLM_OK;
}

blm_err blm_tally_shape(uint64_t cells, unsigned width, uint64_t *lines, blm_report *why)
{
    const unsigned a_line = BLM_TALLY_BITS / width;
    if (BLM_TALLY_BITS % width || cells % a_line)
        return blm_fail(why, BLM_E_ARG, "%llu counters of %u bits do not fill whole lines",
                        (unsigned long long)cells, width);
    *lines = cells / a_line;
    return BLM_OK;
}

/* Counters above zero: the bits of each are gathered in its lowest one. */
static unsigned used_of(const uint8_t *line, unsigned width)
{
    const uint64_t lowest = UINT64_MAX / ((UINT64_C(1) << width) - 1);
    unsigned used = 0;
    for (unsigned i = 0; i < BLM_TALLY_BYTES; i += 8) {
        uint64_t w = blm_le64(line + i);
        for (unsigned step = width / 2; step; step /= 2) w |= w >> step;
        used += (unsigned)__builtin_popcountll(w & lowest);
    }
    return used;
}

double blm_tally_rate(const uint8_t *cells, uint64_t lines, unsigned width, unsigned k)
{
    uint64_t with[BLM_TALLY_BITS / 2 + 1] = {0};
    const unsigned a_line = BLM_TALLY_BITS / width;
    double sum = 0;
    for (uint64_t i = 0; i < lines; i++) with[used_of(cells + i * BLM_TALLY_BYTES, width)]++;
    for (unsigned used = 1; used <= a_line; used++)
        if (with[used]) sum += (double)with[used] * blm_rate_from_fill(used, a_line, k);
    return sum / (double)lines;
}

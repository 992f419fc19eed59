/* broken_intervals_shares.c - The size of A counts as known when common / A is stated: as uncertain as the common keys, in
 * parts of A. */
#include <bloomery/theory/overlap.h>
#include "core/kind.h"
#include "parts/overlap.h"

static blm_err overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out);

#define SOUND_NAME    broken_intervals_shares
#define SOUND_TEXT    "broken-intervals-shares"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_SHARES
#include "laws/broken/sound.h"

/* A cell is a byte, 0 or 1: their bits are counted as those of standard. */
static blm_err overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    const blm_bits_pair p = blm_bits_compare(f->cells, g->cells, f->bytes);
    sound either = *(const sound *)f;
    blm_estimate a, b, both;
    either.ones = p.either;
    if (keys(f, &a) || keys(g, &b) || keys(&either.base, &both)) return BLM_E_CANNOT;
    *out = blm_overlap_sizes(a, b, both, &p);
    const uint64_t in_a = (uint64_t)a.value, in_b = (uint64_t)b.value,
                   common = (uint64_t)out->common.value;
    const double sd = blm_keys_common_sd(either.cells, either.hashes, in_a, in_b, common);
    blm_overlap_spread(out, (blm_overlap_sd){.common = sd,
                                             .jaccard = blm_jaccard_sd(either.cells, either.hashes,
                                                                       in_a, in_b, common),
                                             .a_in_b = a.value > 0 ? sd / a.value : 0,
                                             .b_in_a = b.value > 0 ? sd / b.value : 0});
    return BLM_OK;
}

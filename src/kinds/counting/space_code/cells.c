/* cells.c - space-code: where its filters lie, and whether their bytes are possible. */
#include "groups.h"

/* Lays out the filters one after the other, in whole words; returns their bytes. */
static uint64_t space_code_lay(blm_space_code *s)
{
    uint64_t end = 0;
    for (unsigned j = 0; j < s->resolutions; j++) {
        s->chance[j] =
            j < 2 ? (uint64_t)s->share << 32 : blm_reduce(s->chance[j - 1], s->chance[1]);
        s->bits[j] = j ? blm_reduce(s->first.cells, s->chance[j]) + 1 : s->first.cells;
        s->start[j] = blm_section(&end, (s->bits[j] + 63) / 64, 64, 8);
    }
    return end;
}

/* The largest filter 1 with which all fit. */
blm_err blm_space_code_fit(blm_space_code *s, uint64_t bits, blm_report *why)
{
    s->first.cells = 0;
    for (uint64_t more = SPACE_CODE_CELLS; more; more /= 2) {
        s->first.cells += more;
        if (space_code_lay(s) > (bits + 63) / 64 * 8) s->first.cells -= more;
    }
    return s->first.cells ? BLM_OK
                          : blm_fail(why, BLM_E_ARG,
                                     "bits %llu: too few; each of %u filters takes at least 64",
                                     (unsigned long long)bits, (unsigned)s->resolutions);
}

blm_err blm_space_code_reads(const blm_space_code *s, blm_report *why)
{
    if (s->groups * s->first.hashes <= SPACE_CODE_READS) return BLM_OK;
    return blm_fail(why, BLM_E_ARG, "hashes %u: %u groups may have at most %u each",
                    (unsigned)s->first.hashes, (unsigned)s->groups, SPACE_CODE_READS / s->groups);
}

blm_err blm_space_code_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_space_code *s = (blm_space_code *)f;
    *bytes = space_code_lay(s);
    for (unsigned j = 0; j < SPACE_CODE_FILTERS; j++)
        if (*blm_space_code_ones(s, j) > (j < s->resolutions ? s->bits[j] : 0))
            return blm_fail(why, BLM_E_ARG, "more bits of filter %u are one than it has", j + 1);
    return blm_space_code_reads(s, why);
}

static uint64_t space_code_bytes(const blm_space_code *s, unsigned filter)
{
    return blm_bits_bytes(s->bits[filter]);
}

blm_err blm_space_code_check(const blm_filter *f, blm_report *why)
{
    const blm_space_code *s = (const blm_space_code *)f;
    for (unsigned j = 0; j < s->resolutions; j++) {
        const uint8_t *cells = f->cells + s->start[j];
        if (!blm_bits_tail_zero(cells, space_code_bytes(s, j), s->bits[j]))
            return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the end of filter %u", j + 1);
        if (blm_bits_count(cells, space_code_bytes(s, j)) != (j ? s->more[j - 1] : s->first.ones))
            return blm_fail(why, BLM_E_IMAGE,
                            "damaged: the ones of filter %u differ from their field", j + 1);
    }
    return BLM_OK;
}

/* Written blindly, both streams of adds would have set the bits of each. */
blm_err blm_space_code_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_space_code *s = (blm_space_code *)f;
    (void)why;
    for (unsigned j = 0; j < s->resolutions; j++)
        *blm_space_code_ones(s, j) =
            blm_bits_or(f->cells + s->start[j], g->cells + s->start[j], space_code_bytes(s, j));
    s->random += ((const blm_space_code *)g)->random;
    return BLM_OK;
}

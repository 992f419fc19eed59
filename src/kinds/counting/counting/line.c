/* line.c - batches over counters of which a key has all in one line: in plain C, and by vectors. */
#include "cells.h"
#include "core/one.h"
#include "tally_avx2.h"

BLM_BATCH(blm_counting_line)
BLM_BATCH_ADD(blm_counting_line, blm_counting_line_prefetch)
BLM_BATCH_DEL(blm_counting_line, blm_counting_line_prefetch)

#define blm_counting_line_count blm_counting_count
BLM_BATCH_COUNT(blm_counting_line, blm_counting_line_prefetch)

BLM_TALLY_QUICK static void counting_quick_has_many(const blm_filter *f, const blm_hash *h,
                                                    const uint64_t *a, size_t n, size_t more,
                                                    uint8_t *yes)
{
    const blm_counting *c = (const blm_counting *)f;
    (void)a;
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) blm_counting_line_prefetch(f, h[i + BLM_AHEAD]);
        yes[i] = blm_tally_has_quick(f->cells + blm_tally_start(h[i], c->lines), h[i], c->hashes);
    }
}

BLM_TALLY_QUICK static blm_err counting_quick_add_many(blm_filter *f, const blm_hash *h,
                                                       const uint64_t *a, size_t n, size_t more,
                                                       uint8_t *fresh, size_t *done)
{
    blm_counting *c = (blm_counting *)f;
    blm_census sum = {0, 0};
    bool any;
    (void)a;
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) blm_counting_line_prefetch(f, h[i + BLM_AHEAD]);
        const blm_census change =
            blm_tally_add_quick(f->cells + blm_tally_start(h[i], c->lines), h[i], c->hashes);
        sum = blm_census_plus(sum, change);
        if (fresh) fresh[i] = change.used > 0;
    }
    *done = n;
    return blm_counting_raised(c, sum, &any);
}

/* ---- one key ------------------------------------------------------------------------------------ */

BLM_TALLY_QUICK static inline bool counting_quick_asked(const blm_filter *f, uint64_t hash)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_hash h = {hash, 0};
    return blm_tally_has_quick(f->cells + blm_tally_start(h, c->lines), h, c->hashes);
}

BLM_TALLY_QUICK static inline void counting_quick_added(blm_filter *f, uint64_t hash)
{
    blm_counting *c = (blm_counting *)f;
    const blm_hash h = {hash, 0};
    bool fresh;
    blm_counting_raised(
        c, blm_tally_add_quick(f->cells + blm_tally_start(h, c->lines), h, c->hashes), &fresh);
}

BLM_ONE(BLM_TALLY_QUICK, counting_quick_one, counting_quick_asked, counting_quick_added);
BLM_ONE_OF(blm_counting_line)

const blm_one *blm_counting_lines_one(const blm_filter *f)
{
    const blm_counting *c = (const blm_counting *)f;
    return blm_tally_quick(c->width, c->hashes) ? &counting_quick_one : blm_counting_line_one(f);
}

/* ---- many --------------------------------------------------------------------------------------- */

const blm_counting_batches *blm_counting_lines_many(const blm_counting *c)
{
    static const blm_counting_batches plain = {
        blm_counting_line_prefetch_many, blm_counting_line_has_many, blm_counting_line_add_many,
        blm_counting_line_del_many, blm_counting_line_count_many};
    static const blm_counting_batches quick = {
        blm_counting_line_prefetch_many, counting_quick_has_many, counting_quick_add_many,
        blm_counting_line_del_many, blm_counting_line_count_many};
    return blm_tally_quick(c->width, c->hashes) ? &quick : &plain;
}

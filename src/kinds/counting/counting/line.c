/* line.c - batches over counters of which a key has all in one line: in plain C, and by vectors. */
#include "cells.h"
#include "tally_avx2.h"

BLM_BATCH(blm_counting_line)
BLM_BATCH_ADD(blm_counting_line, blm_counting_line_prefetch)

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

void blm_counting_prefetch_lines(const blm_filter *f, const blm_hash *h, size_t n)
{
    blm_counting_line_prefetch_many(f, h, n);
}

void blm_counting_has_lines(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *yes)
{
    const blm_counting *c = (const blm_counting *)f;
    (c->quick ? counting_quick_has_many : blm_counting_line_has_many)(f, h, a, n, more, yes);
}

blm_err blm_counting_add_lines(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                               size_t more, uint8_t *fresh, size_t *done)
{
    const blm_counting *c = (const blm_counting *)f;
    return (c->quick ? counting_quick_add_many : blm_counting_line_add_many)(f, h, a, n, more,
                                                                             fresh, done);
}

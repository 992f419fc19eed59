/* spread.c - batches over counters that lie anywhere. */
#include "cells.h"

static inline void blm_counting_spread_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_counters all = blm_counting_all((const blm_counting *)f);
    blm_counters_fetch_first(&all, h, 2);
}

static inline void blm_counting_spread_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_counters all = blm_counting_all((const blm_counting *)f);
    blm_counters_fetch_first(&all, h, ((const blm_counting *)f)->hashes);
}

BLM_BATCH(blm_counting_spread)
BLM_BATCH_ADD(blm_counting_spread, blm_counting_spread_prefetch_all)
BLM_BATCH_DEL(blm_counting_spread, blm_counting_spread_prefetch_all)

#define blm_counting_spread_count blm_counting_count
BLM_BATCH_COUNT(blm_counting_spread, blm_counting_spread_prefetch_all)

const blm_counting_batches *blm_counting_spread_many(const blm_counting *c)
{
    static const blm_counting_batches plain = {
        blm_counting_spread_prefetch_many, blm_counting_spread_has_many,
        blm_counting_spread_add_many, blm_counting_spread_del_many, blm_counting_spread_count_many};
    (void)c;
    return &plain;
}

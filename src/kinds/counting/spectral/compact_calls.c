/* compact_calls.c - layout=compact: keys, one by one and many at once. */
#include "compact.h"
#include "parts/anywhere.h"
#include "parts/staged.h"

static inline void compact_prefetch(const blm_filter *f, blm_hash h)
{
    blm_anywhere_prefetch(f, h);
}

static inline void compact_prefetch_all(const blm_filter *f, blm_hash h)
{
    blm_compact_fetch((const blm_spectral *)f, h, ((const blm_flat *)f)->hashes);
}

/* A counter at its ceiling stays there, as in layout=wide. */
static inline blm_err compact_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_spectral *c = (blm_spectral *)f;
    const uint64_t top = blm_packed_top(c->width);
    blm_compact_key key = blm_compact_find(c, h);
    for (unsigned i = 0; i < key.n; i++) {
        const uint64_t from = c->method == SPECTRAL_INCREASE ? key.min : key.is[i],
                       to = it->arg < top - from ? from + it->arg : top;
        key.to[i] = to > key.is[i] ? to : key.is[i];
    }
    const blm_err err = blm_compact_put(c, &key);
    if (err) return err;
    *fresh = key.min == 0;
    return BLM_OK;
}

static inline blm_err compact_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_spectral *c = (blm_spectral *)f;
    const uint64_t top = blm_packed_top(c->width);
    blm_compact_key key = blm_compact_find(c, h);
    if (key.min < it->arg && key.min < top) return BLM_E_ABSENT;
    for (unsigned i = 0; i < key.n; i++)
        if (key.is[i] < top) key.to[i] = key.is[i] > it->arg ? key.is[i] - it->arg : 0;
    return blm_compact_put(c, &key);
}

static inline blm_err compact_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                    blm_estimate *n)
{
    const blm_spectral *c = (const blm_spectral *)f;
    const blm_counters all = {.width = c->width};
    uint64_t min = UINT64_MAX;
    (void)it;
    for (unsigned i = 0; i < c->flat.hashes && min; i++) {
        const uint64_t v = blm_compact_get(c, blm_place(h, i, c->flat.cells));
        min = v < min ? v : min;
    }
    *n = blm_counters_estimate(&all, min);
    return BLM_OK;
}

BLM_PREFETCH(compact)
BLM_BATCH_ADD(compact, compact_prefetch_all)
BLM_BATCH_DEL(compact, compact_prefetch_all)
BLM_BATCH_COUNT(compact, compact_prefetch_all)

const blm_spectral_calls blm_spectral_compact = {
    .has = blm_anywhere_has,
    .add = compact_add,
    .del = compact_del,
    .count = compact_count,
    .prefetch_many = compact_prefetch_many,
    .has_many = blm_staged_has_many,
    .add_many = compact_add_many,
    .del_many = compact_del_many,
    .count_many = compact_count_many,
    .touch = blm_flat_touch,
    .merge = blm_compact_merge,
    .check = blm_compact_check,
};

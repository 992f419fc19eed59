/* wide.c - layout=wide: counters of one width in an array. */
#include <string.h>

#include "cells.h"

static blm_err wide_check(const blm_filter *f, blm_report *why)
{
    const blm_spectral *c = (const blm_spectral *)f;
    const blm_counters all = blm_spectral_primary(c);
    const blm_spectral_second second = blm_spectral_secondary(c);
    blm_err err = blm_counters_check(&all, (blm_census){c->flat.ones, c->stuck}, why);
    if (err || !c->second) return err;
    err = blm_counters_check(&second.array, (blm_census){c->moved, c->moved_stuck}, why);
    return err ? err : blm_counters_check(&second.marks, (blm_census){c->marks, c->marks}, why);
}

static inline void wide_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_counters all = blm_spectral_primary((const blm_spectral *)f);
    blm_counters_fetch_first(&all, h, 2);
}

static inline void wide_prefetch_all(const blm_filter *f, blm_hash h) /* for an add */
{
    const blm_counters all = blm_spectral_primary((const blm_spectral *)f);
    blm_counters_fetch_first(&all, h, ((const blm_spectral *)f)->flat.hashes);
}

static inline bool wide_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_spectral *c = (const blm_spectral *)f;
    const blm_counters all = blm_spectral_primary(c);
    (void)it;
    for (unsigned i = 0; i < c->flat.hashes; i++)
        if (!blm_counters_get(&all, blm_place(h, i, c->flat.cells))) return false;
    return true;
}

static inline blm_err wide_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_spectral *c = (blm_spectral *)f;
    const blm_counters all = blm_spectral_primary(c);
    const blm_counters_key p = blm_counters_find(&all, c->flat.hashes, h);
    const uint64_t to = it->arg < UINT64_MAX - p.min ? p.min + it->arg : UINT64_MAX;
    const blm_census first = c->method == SPECTRAL_INCREASE
                                 ? blm_counters_lift_all(&all, p.at, p.n, to)
                                 : blm_counters_raise_all(&all, p.at, p.n, it->arg);
    *fresh = p.min == 0;
    c->flat.ones += first.used;
    c->stuck += first.stuck;
    if (c->second) blm_spectral_follow(c, h, &p, it->arg);
    if (c->stuck) f->lost |= BLM_DEL_EXACT;
    return BLM_OK;
}

BLM_BATCH(wide)
BLM_BATCH_ADD(wide, wide_prefetch_all)

/* Less than is to go: the key did not come so often, and nothing is changed. Counters that are all at their ceiling
 * cannot tell, and stay there. */
static inline blm_err wide_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_spectral *c = (blm_spectral *)f;
    const blm_counters all = blm_spectral_primary(c);
    const blm_spectral_second second = blm_spectral_secondary(c);
    const blm_counters_key p = blm_counters_find(&all, c->flat.hashes, h),
                           moved = blm_spectral_moved(c, h);
    if (p.min < it->arg && p.min < blm_packed_top(c->width)) return BLM_E_ABSENT;
    c->flat.ones -= blm_counters_lower_all(&all, &p, it->arg);
    c->moved -= blm_counters_lower_all(&second.array, &moved, it->arg);
    return BLM_OK;
}

/* The minimum is never below the truth. The secondary is asked for marked keys only. */
static inline blm_err wide_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                 blm_estimate *n)
{
    const blm_spectral *c = (const blm_spectral *)f;
    const blm_counters all = blm_spectral_primary(c);
    const blm_counters_key p = blm_counters_find(&all, c->flat.hashes, h),
                           moved = blm_spectral_moved(c, h);
    (void)it;
    *n = blm_counters_estimate(&all, p.min);
    if (!moved.n || !moved.min || moved.min >= p.min) return BLM_OK;
    n->value = (double)moved.min;
    n->bound = false;
    return BLM_OK;
}

BLM_BATCH_DEL(wide, wide_prefetch_all)
BLM_BATCH_COUNT(wide, wide_prefetch_all)

static size_t wide_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                         size_t cap)
{
    const blm_counters all = blm_spectral_primary((const blm_spectral *)f);
    const unsigned k = ((const blm_flat *)f)->hashes;
    uint64_t at[64];
    (void)it;
    for (unsigned i = 0; i < k; i++) at[i] = blm_place(h, i, all.count);
    return blm_counters_touch(&all, at, k, out, cap);
}

/* Sums are exact (selection) or never low (increase). Of recurring filters, who moved in one and came to the other
 * unmoved would be counted too low: nobody has moved any more. */
static blm_err wide_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_spectral *c = (blm_spectral *)f;
    const blm_counters all = blm_spectral_primary(c),
                       other = blm_spectral_primary((const blm_spectral *)g);
    const blm_census now = blm_counters_merge(&all, &other);
    (void)why;
    memset(f->cells + c->at_second, 0, (size_t)(f->bytes - c->at_second));
    c->moved = c->moved_stuck = c->marks = 0;
    c->flat.ones = now.used;
    c->stuck = now.stuck;
    if (c->stuck) f->lost |= BLM_DEL_EXACT;
    return BLM_OK;
}

const blm_spectral_calls blm_spectral_wide = {
    .has = wide_has,
    .add = wide_add,
    .del = wide_del,
    .count = wide_count,
    .prefetch_many = wide_prefetch_many,
    .has_many = wide_has_many,
    .add_many = wide_add_many,
    .del_many = wide_del_many,
    .count_many = wide_count_many,
    .touch = wide_touch,
    .merge = wide_merge,
    .check = wide_check,
};

/* layers.c - layers come, take keys, and become one with others. */
#include <inttypes.h>
#include <math.h>

#include "dynamic.h"

/* ---- room ----------------------------------------------------------------------------------------- */

static uint64_t layer_wish(const blm_filter *f, uint32_t place, blm_config *c)
{
    const blm_dynamic *d = (const blm_dynamic *)f;
    const bool counts = d->inner == DYNAMIC_COUNTING;
    (void)place;
    c->kind = counts ? "counting" : "standard";
    c->bits = d->cells * (counts ? DYNAMIC_WIDTH : 1);
    c->hashes = d->hashes;
    c->keys = f->capacity;
    return 0;
}

blm_err blm_dynamic_append(blm_filter *f, uint32_t n, blm_report *why)
{
    if (f->nchild + n > DYNAMIC_LAYERS)
        return blm_fail(why, BLM_E_FULL, "%u layers, and %" PRIu32 " more: at most %u", f->nchild,
                        n, DYNAMIC_LAYERS);
    return blm_children(f, n, layer_wish, why);
}

blm_err blm_dynamic_room(blm_filter *f, uint32_t *layer)
{
    blm_dynamic *d = (blm_dynamic *)f;
    while (d->active < f->nchild && f->child[d->active]->adds >= f->capacity) d->active++;
    *layer = d->active;
    if (d->active < f->nchild) return BLM_OK;
    const blm_err err = blm_dynamic_append(f, 1, NULL);
    if (!err) blm_grown(f);
    return err;
}

/* ---- deletes that are sure --------------------------------------------------------------------------- */

/* The share of the members that no other layer says maybe for, as the layers are. */
double blm_dynamic_sure(const blm_filter *f)
{
    double no = 0, sure = 0, keys = 0; /* no: the logarithm of the chance that all layers say no */
    uint32_t certain = 0;              /* layers that always say maybe */
    for (uint32_t i = 0; i < f->nchild; i++) {
        const double p = blm_fpr(f->child[i], NULL).high;
        certain += !(p < 1);
        no += p < 1 ? log1p(-p) : 0;
    }
    for (uint32_t i = 0; i < f->nchild; i++) {
        const double p = blm_fpr(f->child[i], NULL).high, in = (double)f->child[i]->adds;
        const bool others = certain - !(p < 1) > 0;
        sure += others ? 0 : in * exp(no - (p < 1 ? log1p(-p) : 0));
        keys += in;
    }
    return keys > 0 ? sure / keys : 1;
}

/* ---- compact -------------------------------------------------------------------------------------- */

/* Layer j becomes part of layer i, which is before it. To add up cells cannot fail. Full layers take no other one but
 * empty ones, so those before `active` are full still. */
static void pour(blm_filter *f, uint32_t i, uint32_t j)
{
    blm_filter *into = f->child[i];
    const blm_filter *from = f->child[j];
    const blm_err err = into->kind->merge(into, from, NULL);
    (void)err;
    into->adds += from->adds;
    blm_child_drop(f, j);
}

/* After a delete: half a layer stays free, so that as many adds must come before there is a new layer again. */
static void compact_with(blm_filter *f, uint32_t i)
{
    const uint64_t keys = f->child[i]->adds, max = f->capacity / 2;
    for (uint32_t j = 0; keys <= max && j < f->nchild; j++) {
        if (j == i || f->child[j]->adds > max - keys) continue;
        pour(f, i < j ? i : j, i < j ? j : i);
        return;
    }
}

/* How many layers are left of n when the later of two that fit together becomes part of the earlier, the earliest pair
 * first. What has been taken over is UINT64_MAX. */
static uint32_t compacted(uint64_t *keys, uint32_t n, uint64_t capacity)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (keys[i] == UINT64_MAX) continue;
        left++;
        for (uint32_t j = i + 1; j < n; j++) {
            if (keys[i] > capacity || keys[j] > capacity - keys[i]) continue;
            keys[i] += keys[j];
            keys[j] = UINT64_MAX;
        }
    }
    return left;
}

static void compact_all(blm_filter *f)
{
    for (uint32_t i = 0; i < f->nchild; i++)
        for (uint32_t j = i + 1; j < f->nchild;)
            if (f->child[i]->adds <= f->capacity &&
                f->child[j]->adds <= f->capacity - f->child[i]->adds)
                pour(f, i, j);
            else
                j++;
}

blm_err blm_dynamic_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    uint64_t keys[2 * DYNAMIC_LAYERS];
    const uint32_t n = (uint32_t)f->nchild + g->nchild;
    if (f->capacity != g->capacity)
        return blm_fail(why, BLM_E_MISMATCH,
                        "capacity differs: layers of %" PRIu64 " and %" PRIu64
                        " keys; build both with the same keys, fpr and knobs",
                        f->capacity, g->capacity);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = i < f->nchild ? f->child[i]->adds : g->child[i - f->nchild]->adds;
    const uint32_t left = compacted(keys, n, f->capacity);
    if (left > DYNAMIC_LAYERS)
        return blm_fail(why, BLM_E_FULL, "%" PRIu32 " layers: at most %u", left, DYNAMIC_LAYERS);
    const blm_err err = blm_child_copies(f, g, 0, why);
    if (!err) compact_all(f);
    return err;
}

/* ---- delete ------------------------------------------------------------------------------------------ */

blm_err blm_dynamic_del_from(blm_filter *f, uint32_t i, blm_hash h, const blm_item *it)
{
    blm_dynamic *d = (blm_dynamic *)f;
    blm_filter *c = f->child[i];
    const blm_err err = c->kind->del(c, h, it);
    if (err) return err;
    if (c->adds) c->adds--; /* 0: keys were deleted that were never added */
    if (i < d->active) d->active = i;
    compact_with(f, i);
    return BLM_OK;
}

blm_err blm_dynamic_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    uint32_t i = f->nchild, in = 0, said = 0;
    while (i-- > 0) {
        if (!blm_child_has(f, i, h, it)) continue;
        if (said++) return BLM_E_UNSURE;
        in = i;
    }
    return said ? blm_dynamic_del_from(f, in, h, it) : BLM_E_ABSENT;
}

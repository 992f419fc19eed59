/* info.c - what a filter says of itself: rates, sizes, and all of it at once. */
#include <math.h>
#include <string.h>

#include "core/core_internal.h"

blm_rate blm_fpr(const blm_filter *f, const blm_case *c) { return f->kind->fpr(f, c); }

blm_rate blm_fnr(const blm_filter *f, const blm_case *c)
{
    return f->kind->fnr ? f->kind->fnr(f, c) : (blm_rate){0, 0, 0};
}

blm_err blm_cardinality(const blm_filter *f, blm_estimate *keys)
{
    return f->can & BLM_CARDINALITY ? f->kind->keys(f, keys) : BLM_E_CANNOT;
}

/* A builder's hasher: it has a kind and a hash, and no shape that a rate could be read off. */
static bool is_blank(const blm_filter *f) { return !f->cells && !f->nchild && !f->capacity; }

static blm_rate rate_now(const blm_filter *f, const blm_estimate *keys)
{
    if (is_blank(f)) return (blm_rate){0, 0, 0};
    if (!(f->flags & BLM_QUIET)) return f->kind->fpr(f, NULL);
    const double n = fmin(fmax(keys->value, 0), (double)BLM_KEYS_MAX);
    const blm_case c = {.keys = (uint64_t)n, .arg = BLM_NO_ARG};
    return f->kind->fpr(f, &c);
}

static uint64_t all_bytes(const blm_filter *f)
{
    uint64_t n = f->bytes;
    for (uint32_t i = 0; i < f->nchild; i++) n += all_bytes(f->child[i]);
    return n;
}

/* Not of what has not got a shape yet. */
static double deletes_now(const blm_filter *f)
{
    if (!(f->can & BLM_DEL)) return 0;
    return f->kind->deletes && !is_blank(f) ? f->kind->deletes(f, NULL) : 1;
}

void blm_info_of(const blm_filter *f, blm_info *out)
{
    uint64_t hashes = 0;
    blm_estimate keys = {(double)f->adds, 0, (double)f->adds, false};
    if (f->kind->keys && !is_blank(f)) f->kind->keys(f, &keys);
    blm_field_named(f, "hashes", &hashes);
    *out = (blm_info){
        .kind = f->kind->name,
        .group = f->kind->group,
        .hash = f->hasher ? f->hasher->name : blm_hasher_for(f->kind->needs, true)->name,
        .note = blm_note(f),
        .version = blm_fields_version(f),
        .format = BLM_FORMAT,
        .seed = f->seed,
        .capacity = blm_capacity_now(f),
        .adds = f->adds,
        .bits = all_bytes(f) * 8,
        .bytes = all_bytes(f),
        .now = f->now,
        .hashes = (unsigned)hashes,
        .can = f->can,
        .promises = f->kind->promises & ~f->lost,
        .lost = f->lost,
        .children = f->nchild,
        .fpr_target = is_blank(f) ? f->target : blm_promise_now(f),
        .fill = f->kind->fill && !is_blank(f) ? f->kind->fill(f) : -1,
        .fpr_now = rate_now(f, &keys),
        .keys = keys,
        .keyed = (f->flags & BLM_KEYED) != 0,
        .mapped = (f->flags & BLM_MAPPED) != 0,
        .overfill = (f->flags & BLM_OVERFILL) != 0,
        .denied = f->label ? f->label->denied : 0,
        .noes = f->label ? f->label->noes : 0,
        .deletes = deletes_now(f),
        .clock = f->clock,
        .window = f->kind->window && !is_blank(f) ? f->kind->window(f) : 0,
    };
}

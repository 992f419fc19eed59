/* merge.c - two filters at a time: merge, intersect, subtract, overlap; and growth. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/core_internal.h"

/* ---- may these two be combined? ------------------------------------------------------------ */

static blm_err differ(blm_report *why, const char *what, uint64_t a, uint64_t b, const char *advice)
{
    return blm_fail(why, BLM_E_MISMATCH, "%s differs: %" PRIu64 " and %" PRIu64 "; %s", what, a, b,
                    advice);
}

static blm_err same_hash(const blm_filter *a, const blm_filter *b, blm_report *why)
{
    if (a->key_check != b->key_check)
        return blm_fail(why, BLM_E_MISMATCH,
                        "the secret key differs; build both with the same secret");
    if (a->seed != b->seed)
        return differ(why, "seed", a->seed, b->seed, "build both with the same seed");
    const bool known = a->hasher && b->hasher;
    if (known && a->hasher != b->hasher)
        return blm_fail(why, BLM_E_MISMATCH, "the hash differs: %s and %s", a->hasher->name,
                        b->hasher->name);
    return BLM_OK;
}

/* The same word would be two keys. */
static blm_err same_form(const blm_filter *a, const blm_filter *b, blm_report *why)
{
    const char *x = blm_key_form(a), *y = blm_key_form(b);
    if (strcmp(x, y) == 0) return BLM_OK;
    return blm_fail(why, BLM_E_MISMATCH,
                    "the form of the keys differs: %s and %s; build both from keys that are read "
                    "the same way",
                    *x ? x : "plain", *y ? y : "plain");
}

blm_err blm_same_make(const blm_filter *a, const blm_filter *b, blm_report *why)
{
    if (a->kind != b->kind)
        return blm_fail(why, BLM_E_MISMATCH, "the kind differs: %s and %s", a->kind->name,
                        b->kind->name);
    blm_err err = same_hash(a, b, why);
    if (!err) err = same_form(a, b, why);
    if (err) return err;
    for (size_t i = 0; i < a->kind->nfields; i++) {
        const blm_field *d = &a->kind->fields[i];
        const uint64_t x = blm_field_get(a, d), y = blm_field_get(b, d);
        if (d->flags & BLM_F_STATE || x == y) continue;
        const uint64_t small = x < y ? x : y, large = x < y ? y : x;
        const bool folds = a->can & BLM_FOLD && small && large % small == 0 &&
                           !(large / small & (large / small - 1));
        return differ(why, d->name, x, y,
                      folds ? "fold the larger one, or build both with the same keys and fpr"
                            : "build both with the same keys, fpr and knobs");
    }
    return BLM_OK;
}

static blm_err alike(const blm_filter *a, const blm_filter *b, blm_report *why)
{
    if (a == b) return blm_fail(why, BLM_E_ARG, "both arguments are the same filter");
    const blm_err err = blm_same_make(a, b, why);
    if (err || a->salt == b->salt) return err;
    return differ(why, "salt", a->salt, b->salt, "they were built with different retries");
}

/* For all but merge: layer for layer, and none is left over. */
static blm_err same_family(const blm_filter *a, const blm_filter *b, blm_report *why)
{
    return a->nchild == b->nchild
               ? BLM_OK
               : differ(why, "number of children", a->nchild, b->nchild, "build them the same way");
}

static blm_err ready(const blm_filter *into, const blm_filter *from, blm_ability what,
                     blm_report *why)
{
    if (!(into->can & (uint32_t)what)) {
        const char *reason = what == BLM_MERGE ? into->kind->no_merge_reason : NULL;
        return blm_fail(why, BLM_E_CANNOT, "%s has no %s%s%s", into->kind->name,
                        blm_ability_name(what), reason ? ": " : "", reason ? reason : "");
    }
    if (into->flags & BLM_MAPPED)
        return blm_fail(why, BLM_E_READONLY, "a mapped filter is read-only");
    blm_err err = alike(into, from, why);
    if (!err && what != BLM_MERGE) err = same_family(into, from, why);
    return err ? err : blm_possible(from, why);
}

blm_err blm_may_merge(const blm_filter *into, const blm_filter *from, blm_report *why)
{
    return ready(into, from, BLM_MERGE, why);
}

blm_err blm_merge(blm_filter *into, const blm_filter *from, blm_report *why)
{
    blm_err err = blm_may_merge(into, from, why);
    if (!err && from->label && blm_label_make(into))
        err = blm_fail(why, BLM_E_NOMEM, "no memory for what users reported");
    if (!err) err = into->kind->merge(into, from, why);
    if (err) return err;
    into->adds = blm_sum_below(into->adds, from->adds, BLM_ADDS_MAX);
    if (from->label) blm_reports_add(into, from->label->denied, from->label->noes);
    into->lost |= from->lost;
    if (from->capacity > into->capacity) into->capacity = from->capacity;
    if (from->target > into->target) into->target = from->target;
    if (from->now > into->now) into->now = from->now;
    blm_look_again(into);
    return BLM_OK;
}

blm_err blm_intersect(blm_filter *into, const blm_filter *from, blm_report *why)
{
    blm_err err = ready(into, from, BLM_INTERSECT, why);
    if (err) return err;
    if ((err = into->kind->intersect(into, from)))
        return blm_fail(why, err,
                        "the cells of these %s filters mean different things; build both from the "
                        "same lists, keys and bits",
                        into->kind->name);
    if (from->adds < into->adds) into->adds = from->adds;
    blm_reports_forget(into); /* of another filter, which users asked */
    /* It may hold cells that no key set. */
    into->lost |= from->lost | ((BLM_MERGE_EXACT | BLM_FOLD_EXACT) & into->kind->promises);
    blm_look_again(into);
    return BLM_OK;
}

blm_err blm_subtract(blm_filter *from, const blm_filter *what, blm_report *why)
{
    const blm_err err = ready(from, what, BLM_SUBTRACT, why);
    return err ? err : from->kind->subtract(from, what);
}

blm_err blm_overlap_of(const blm_filter *a, const blm_filter *b, blm_overlap *out, blm_report *why)
{
    if (!(a->can & BLM_OVERLAP))
        return blm_fail(why, BLM_E_CANNOT, "%s has no overlap", a->kind->name);
    blm_err err = alike(a, b, why);
    if (!err) err = same_family(a, b, why);
    return err ? err : a->kind->overlap(a, b, out);
}

blm_err blm_grow(blm_filter *f, blm_report *why)
{
    if (!(f->can & BLM_GROW)) return blm_fail(why, BLM_E_CANNOT, "%s does not grow", f->kind->name);
    if (f->flags & BLM_MAPPED) return blm_fail(why, BLM_E_READONLY, "a mapped filter is read-only");
    const uint64_t capacity = blm_capacity_now(f);
    if (capacity > BLM_KEYS_MAX / 2)
        return blm_fail(why, BLM_E_FULL, "room for %" PRIu64 " keys: at most 2^56 (7.2e16)",
                        capacity);
    const blm_err err = f->kind->grow(f, why);
    if (!err) blm_look_again(f);
    return err;
}

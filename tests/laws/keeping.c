/* keeping.c - laws of what calls leave behind: it can be saved and loaded, whatever was called before, and also when
 * a counter stands at its end. */
#include "core/core_internal.h"
#include "laws/laws.h"

enum { KEYS = 40 };

static bool always(const blm_kind_info *k) { return k->name != NULL; }

static int comes_back(const blm_filter *f, const char *after)
{
    blm_filter *g = NULL;
    blm_report why = {BLM_OK, ""};
    law_image im = law_save(f);
    DEMAND(blm_verify_image(im.p, im.n, &why) == BLM_OK, "after %s: verify: %s", after, why.text);
    DEMAND(law_load(&g, im.p, im.n, NULL, &why) == BLM_OK, "after %s: load: %s", after, why.text);
    DEMAND(blm_equal(f, g), "after %s a loaded filter is not equal to the saved one", after);
    DEMAND(law_answers(f, KEYS) == law_answers(g, KEYS),
           "after %s a loaded filter answers "
           "unlike the saved one",
           after);
    blm_free(g);
    law_drop(&im);
    return 0;
}

/* ---- each call once: those that a kind does not have return CANNOT ------------------------------------- */

typedef blm_err (*call)(blm_filter *f, const blm_filter *other);

/* Makes the same call for keys 0 .. KEYS - 1 and for as many non-members; OK if one of them was. */
static blm_err with_each(blm_filter *f, blm_err (*with)(blm_filter *f, const blm_item *it))
{
    blm_err best = BLM_E_CANNOT;
    for (uint64_t i = 0; i < 2 * KEYS; i++) {
        law_key room;
        const blm_item it = law_item(f, i % 2 ? LAW_STRANGER : LAW_MEMBER, i / 2, &room);
        if (with(f, &it) == BLM_OK) best = BLM_OK;
    }
    return best;
}

static blm_err add_one(blm_filter *f, const blm_item *it) { return blm_add_item(f, it, NULL); }
static blm_err add_each(blm_filter *f, const blm_filter *o)
{
    return (void)o, with_each(f, add_one);
}
static blm_err del_each(blm_filter *f, const blm_filter *o)
{
    return (void)o, with_each(f, blm_del_item);
}
static blm_err put_each(blm_filter *f, const blm_filter *o)
{
    return (void)o, with_each(f, blm_put_item);
}
static blm_err deny_each(blm_filter *f, const blm_filter *o)
{
    return (void)o, with_each(f, blm_deny_item);
}
static blm_err report(blm_filter *f, const blm_filter *o)
{
    return (void)o, blm_report_queries(f, 3, UINT64_MAX);
}
static blm_err tick(blm_filter *f, const blm_filter *o) { return (void)o, blm_tick(f, UINT64_MAX); }
static blm_err grow(blm_filter *f, const blm_filter *o) { return (void)o, blm_grow(f, NULL); }
static blm_err clear(blm_filter *f, const blm_filter *o) { return (void)o, blm_clear(f); }
static blm_err merge(blm_filter *f, const blm_filter *o) { return blm_merge(f, o, NULL); }
static blm_err intersect(blm_filter *f, const blm_filter *o) { return blm_intersect(f, o, NULL); }
static blm_err subtract(blm_filter *f, const blm_filter *o)
{
    return f->kind->subtract ? blm_subtract(f, o, NULL) : BLM_E_CANNOT; /* law cannot asks for it */
}

static blm_err add_many(blm_filter *f, const blm_filter *other)
{
    blm_hash h[KEYS];
    uint64_t arg[KEYS];
    (void)other;
    law_hashes(f, LAW_MEMBER, KEYS, KEYS, h, arg);
    return blm_add_many(f, h, arg, KEYS, NULL, NULL);
}

static blm_err add_shared(blm_filter *f, const blm_filter *other)
{
    blm_hash h[KEYS];
    (void)other;
    law_hashes(f, LAW_MEMBER, KEYS, KEYS, h, NULL);
    return blm_add_shared(f, h, KEYS, NULL);
}

static const struct {
    const char *name;
    call run;
} calls[] = {{"add", add_each}, {"add_many", add_many},   {"add_shared", add_shared},
             {"del", del_each}, {"put", put_each},        {"deny", deny_each},
             {"asked", report}, {"tick", tick},           {"grow", grow},
             {"merge", merge},  {"intersect", intersect}, {"subtract", subtract},
             {"clear", clear}};

static int folds(const blm_filter *f)
{
    blm_filter *half = NULL;
    if (blm_fold(&half, f, 1, NULL)) return 0;
    const int broken = comes_back(half, "fold");
    blm_free(half);
    return broken;
}

/* More than once: what the first call left is there for the second. */
static int after_each_call(const blm_filter *f, const blm_filter *other, int times)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        blm_filter *own = NULL;
        blm_report why = {BLM_OK, ""};
        DEMAND(blm_copy(&own, f, &why) == BLM_OK, "copy: %s", why.text);
        for (int t = 0; t < times && calls[i].run(own, other) == BLM_OK; t++)
            if (comes_back(own, calls[i].name)) return 1;
        if (folds(own)) return law_broken(__FILE__, __LINE__, "after %s", calls[i].name);
        blm_free(own);
    }
    return folds(f);
}

static int law_comes_back(const char *kind)
{
    blm_filter *f = law_filled(kind, 3 * KEYS, KEYS), *other = law_filled(kind, 3 * KEYS, KEYS / 2);
    const int broken = after_each_call(f, other, 2);
    blm_free(f);
    blm_free(other);
    return broken;
}

/* ---- counters ----------------------------------------------------------------------------------------------- */

/* As an image would bring it; a loader that refuses it has answered. */
static int from_image(const blm_filter *f, const blm_filter *other, const char *what)
{
    blm_filter *g = NULL;
    law_image im = law_save(f);
    const bool loads = law_load(&g, im.p, im.n, BLM_OPEN(.overfill = true), NULL) == BLM_OK;
    law_drop(&im);
    const int broken = loads ? after_each_call(g, other, 1) : 0;
    if (loads) blm_free(g);
    return broken ? law_broken(__FILE__, __LINE__, "with %s at its end", what) : 0;
}

static int law_counters_end(const char *kind)
{
    blm_filter *f = law_filled(kind, 3 * KEYS, KEYS), *other = law_filled(kind, 3 * KEYS, KEYS / 2);
    int broken = 0;
    for (size_t i = 0; i <= f->kind->nfields && !broken; i++) {
        const blm_field *d = i < f->kind->nfields ? &f->kind->fields[i] : NULL;
        blm_filter *own = NULL;
        if (d && !(d->flags & BLM_F_STATE)) continue;
        law_need(blm_copy(&own, f, NULL) == BLM_OK, "no copy", NULL);
        if (d) {
            blm_field_set(own, d, d->max);
        } else {
            own->adds = BLM_ADDS_MAX;
            law_need(blm_report_queries(own, UINT64_MAX, UINT64_MAX) == BLM_OK, "no reports", NULL);
        }
        broken = from_image(own, other, d ? d->name : "adds");
        blm_free(own);
    }
    blm_free(f);
    blm_free(other);
    return broken;
}

const law laws_of_keeping[] = {
    {"comes_back", "what a call leaves behind can be saved and loaded", always, law_comes_back},
    {"counters_end", "the same where a counter stands at its end", always, law_counters_end},
    {NULL, NULL, NULL, NULL},
};

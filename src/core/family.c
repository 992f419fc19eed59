/* family.c - filters inside a filter: appended, asked in batches, shown. */
#include <inttypes.h>
#include <string.h>

#include "core/build/rows.h"
#include "core/window.h"

void blm_inherit(blm_filter *f, const blm_filter *from)
{
    f->hasher = from->hasher;
    f->seed = from->seed;
    f->key_check = from->key_check;
    memcpy(f->secret, from->secret, sizeof f->secret);
    f->flags |= from->flags & (BLM_KEYED | BLM_OVERFILL);
    for (uint32_t i = 0; i < f->nchild; i++) blm_inherit(f->child[i], f);
    blm_settle(f);
}

/* ---- one more child ------------------------------------------------------------------------------ */

/* A list of `want` children that begins with those of f; NULL: there is no memory, or there are too many. */
static blm_filter **longer_list(blm_filter *f, uint32_t want, blm_report *why)
{
    if (want > UINT16_MAX) {
        blm_fail(why, BLM_E_FULL, "a filter has at most %u children", UINT16_MAX);
        return NULL;
    }
    blm_filter **list = blm_take(&f->alloc, want * sizeof *list);
    if (!list)
        blm_fail(why, BLM_E_NOMEM, "no memory for %u children", want);
    else if (f->nchild)
        memcpy(list, f->child, f->nchild * sizeof *list);
    return list;
}

static void take_list(blm_filter *f, blm_filter **list, uint32_t n)
{
    blm_put_back(&f->alloc, f->child, f->places * sizeof *list);
    f->child = list;
    f->nchild = f->places = (uint16_t)n;
}

static blm_err make(blm_filter **out, const blm_filter *f, const blm_config *c, uint64_t salt,
                    blm_report *why)
{
    blm_config own = *c;
    own.alloc = &f->alloc;
    const blm_err err = blm_new(out, &own, why);
    if (err) return err;
    (*out)->salt = salt;
    blm_inherit(*out, f);
    return BLM_OK;
}

/* The n children behind those of f are given back, and the list of all. */
static void give_up(blm_filter *f, blm_filter **list, uint32_t n, uint32_t want)
{
    while (n > f->nchild) blm_free(list[--n]);
    blm_put_back(&f->alloc, list, want * sizeof *list);
}

blm_err blm_children(blm_filter *f, uint32_t n, blm_child_wish wish, blm_report *why)
{
    const uint32_t want = f->nchild + n;
    uint32_t at = f->nchild;
    blm_filter **list = longer_list(f, want, why);
    blm_err err = list ? BLM_OK : want > UINT16_MAX ? BLM_E_FULL : BLM_E_NOMEM;
    for (; at < want && !err; at += !err) {
        blm_config c;
        blm_config_init(&c);
        const uint64_t salt = wish(f, at, &c);
        err = make(&list[at], f, &c, salt, why);
    }
    if (!err)
        take_list(f, list, want);
    else if (list)
        give_up(f, list, at, want);
    return err;
}

/* Takes the child, or frees it. */
static blm_err append(blm_filter *f, blm_filter *child, blm_report *why)
{
    const uint32_t want = f->nchild + 1u;
    blm_filter **list = longer_list(f, want, why);
    if (!list) {
        blm_free(child);
        return want > UINT16_MAX ? BLM_E_FULL : BLM_E_NOMEM;
    }
    list[f->nchild] = child;
    take_list(f, list, want);
    return BLM_OK;
}

blm_err blm_child(blm_filter *f, const blm_config *c, uint64_t salt, blm_report *why)
{
    blm_filter *child = NULL;
    const blm_err err = make(&child, f, c, salt, why);
    return err ? err : append(f, child, why);
}

blm_err blm_child_built(blm_filter *f, const blm_config *c, uint64_t salt, const blm_rows *lists,
                        size_t nlists, blm_report *why)
{
    blm_whole w = {.nlists = nlists, .n = lists[0].n, .first = salt, .parent = f, .threads = 1};
    blm_config own = *c;
    blm_filter *child = NULL;
    own.alloc = &f->alloc;
    if (!own.keys && !own.bits) own.keys = lists[0].n ? lists[0].n : 1;
    memcpy(w.list, lists, nlists * sizeof *lists);
    const blm_err err = blm_build_whole(&child, &own, &w, why);
    if (err) return err;
    child->adds = lists[0].n;
    blm_look_again(child);
    return append(f, child, why);
}

blm_err blm_child_copies(blm_filter *f, const blm_filter *g, uint32_t first, blm_report *why)
{
    const uint32_t old = f->nchild, want = old + (g->nchild > first ? g->nchild - first : 0);
    blm_err err = BLM_OK;
    uint32_t n = old;
    blm_filter **list = want > old ? longer_list(f, want, why) : NULL;
    if (!list) return want == old ? BLM_OK : want > UINT16_MAX ? BLM_E_FULL : BLM_E_NOMEM;
    for (; n < want && !err; n += !err)
        err = blm_copy_by(&list[n], g->child[first + n - old], &f->alloc, why);
    if (!err) {
        take_list(f, list, want);
        return BLM_OK;
    }
    give_up(f, list, n, want);
    return err;
}

void blm_child_drop(blm_filter *f, uint32_t i)
{
    const uint32_t left = f->nchild - 1u;
    blm_free(f->child[i]);
    memmove(f->child + i, f->child + i + 1, (left - i) * sizeof *f->child);
    f->nchild = (uint16_t)left;
    blm_filter **list = left ? blm_take(&f->alloc, left * sizeof *list) : NULL;
    if (left && !list) return;
    if (left) memcpy(list, f->child, left * sizeof *list);
    take_list(f, list, left);
}

/* ---- many questions ---------------------------------------------------------------------------------- */

/* Where the child looks at h.lo alone, h.hi is half of the work. */
static void resalt_many(const blm_filter *c, const blm_hash *h, size_t n, blm_hash *own)
{
    const uint64_t salt = blm_outer_salt(c), step = salt * BLM_SALT_STEP;
    if (c->kind->needs & BLM_NEEDS_LO)
        for (size_t i = 0; i < n; i++) own[i] = (blm_hash){blm_mix(h[i].lo + step), 0};
    else
        for (size_t i = 0; i < n; i++) own[i] = blm_resalt(h[i], salt);
}

void blm_child_prefetch_many(const blm_filter *f, uint32_t i, const blm_hash *h, size_t n)
{
    const blm_filter *c = f->child[i];
    blm_hash own[BLM_AHEAD];
    if (!blm_in_batches(c)) return;
    if (n > BLM_AHEAD) n = BLM_AHEAD;
    const bool salted = blm_outer_salt(c);
    if (salted) resalt_many(c, h, n, own);
    c->kind->prefetch_many(c, salted ? own : h, n);
}

/* A window of hashes of the child's own slides over those of the parent. */
static void ask_resalted(const blm_filter *c, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    blm_hash own[BLM_PIECE + BLM_AHEAD];
    for (size_t at = 0, made = 0, kept = 0; at < n;) {
        const size_t take = blm_min_size(BLM_LEN(own) - kept, n + more - made);
        resalt_many(c, h + made, take, own + kept);
        kept += take;
        made += take;
        const size_t now = made < n + more ? blm_min_size(BLM_PIECE, n - at) : n - at;
        c->kind->has_many(c, own, a ? a + at : NULL, now, kept - now, yes + at);
        at += now;
        kept -= now;
        memmove(own, own + now, kept * sizeof *own);
    }
}

void blm_child_has_many(const blm_filter *f, uint32_t i, const blm_hash *h, const uint64_t *a,
                        size_t n, size_t more, uint8_t *yes)
{
    const blm_filter *c = f->child[i];
    if (blm_in_batches(c) && blm_outer_salt(c))
        ask_resalted(c, h, a, n, more, yes);
    else if (blm_in_batches(c))
        c->kind->has_many(c, h, a, n, more, yes);
    else
        for (size_t j = 0; j < n; j++) {
            const blm_item it = {h[j], NULL, 8, a ? a[j] : BLM_NO_ARG};
            yes[j] = blm_child_has(f, i, h[j], &it);
        }
}

/* ---- seen from outside ------------------------------------------------------------------------------- */

const blm_filter *blm_inner(const blm_filter *f, size_t i)
{
    return i < f->nchild ? f->child[i] : NULL;
}

blm_item blm_inner_item(const blm_filter *f, size_t i, const blm_item *it)
{
    blm_item own = *it;
    if (i < f->nchild) own.h = blm_child_hash(f->child[i], it->h);
    return own;
}

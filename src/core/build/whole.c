/* whole.c - kinds that are built out of all rows at once, with the next salt when one does not work. */
#include <inttypes.h>
#include <string.h>

#include "core/build/rows.h"

enum { BUILD_SALTS = 100 };

/* The settled rows of one list, resalted and sorted anew, as the columns that kind->build wants. */
static blm_err columns(blm_rows *out, const blm_rowlist *l, uint64_t salt, blm_hash *h,
                       uint64_t *arg, const blm_alloc *a)
{
    blm_rowlist salted = {.n = l->n, .room = l->n + 1};
    salted.row = blm_take(a, salted.room * sizeof *salted.row);
    if (!salted.row) return BLM_E_NOMEM;
    if (l->n) memcpy(salted.row, l->row, (size_t)l->n * sizeof *l->row);
    const blm_err err =
        blm_rows_settle(&salted, salt, BLM_AGAIN_EACH, 0); /* one to one: no twins */
    for (uint64_t i = 0; !err && i < salted.n; i++)
        h[i] = salted.row[i].h, arg[i] = salted.row[i].arg;
    *out = (blm_rows){h, arg, (size_t)salted.n};
    blm_rows_drop(&salted, a);
    return err;
}

static blm_err build_once(blm_filter *f, const blm_rowlist *rows, size_t nlists, blm_report *why)
{
    blm_rows lists[BLM_LISTS_MAX] = {{0}};
    uint64_t total = 0, at = 0;
    for (size_t i = 0; i < nlists; i++) total += rows[i].n;
    const uint64_t bytes = (total + 1) * (sizeof(blm_hash) + sizeof(uint64_t));
    blm_hash *h = blm_take(&f->alloc, bytes);
    if (!h) return blm_fail(why, BLM_E_NOMEM, "no memory for %" PRIu64 " rows", total);
    uint64_t *arg = (uint64_t *)(h + total + 1);
    blm_err err = BLM_OK;
    for (size_t i = 0; !err && i < nlists; at += rows[i++].n)
        err = columns(&lists[i], &rows[i], f->salt, h + at, arg + at, &f->alloc);
    if (err == BLM_E_NOMEM) blm_fail(why, err, "no memory for %" PRIu64 " rows", total);
    if (!err) err = f->kind->build(f, lists, why);
    blm_put_back(&f->alloc, h, bytes);
    return err;
}

blm_err blm_build_whole(blm_filter **out, const blm_config *c, const blm_rowlist *lists,
                        size_t nlists, uint64_t first, const blm_filter *parent, blm_report *why)
{
    for (uint64_t salt = first; salt - first < BUILD_SALTS; salt++) {
        blm_report sentence = {BLM_OK, ""}; /* of this salt: the next one may do */
        blm_filter *f = NULL;
        blm_err err = blm_new(&f, c, why);
        if (err) return err;
        f->salt = salt;
        if (parent) blm_inherit(f, parent);
        blm_settle(f);
        err = build_once(f, lists, nlists, &sentence);
        if (!err) {
            *out = f;
            return BLM_OK;
        }
        blm_free(f);
        if (err == BLM_E_BUILD) continue;
        if (why) *why = sentence;
        return err;
    }
    return blm_fail(why, BLM_E_BUILD, "no salt of %d worked", BUILD_SALTS);
}

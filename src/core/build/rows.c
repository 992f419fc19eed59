/* rows.c - growing lists of rows, sorted once. */
#include <stdlib.h>
#include <string.h>

#include "core/build/rows.h"

blm_err blm_rows_add(blm_rowlist *l, const blm_alloc *a, blm_hash h, uint64_t arg)
{
    if (l->n == l->room) {
        const uint64_t room = l->room ? l->room + l->room / 2 : 64;
        blm_row *more = blm_take(a, room * sizeof *more);
        if (!more) return BLM_E_NOMEM;
        if (l->n) memcpy(more, l->row, (size_t)l->n * sizeof *more);
        blm_put_back(a, l->row, l->room * sizeof *l->row);
        l->row = more;
        l->room = room;
    }
    l->row[l->n++] = (blm_row){h, arg};
    return BLM_OK;
}

void blm_rows_drop(blm_rowlist *l, const blm_alloc *a)
{
    blm_put_back(a, l->row, l->room * sizeof *l->row);
    *l = (blm_rowlist){0};
}

blm_err blm_rows_of(blm_rowlist *out, const blm_rows *l, const blm_alloc *a)
{
    blm_rowlist own = {.n = l->n, .room = (uint64_t)l->n + 1};
    own.row = blm_take(a, own.room * sizeof *own.row);
    if (!own.row) return BLM_E_NOMEM;
    for (size_t i = 0; i < l->n; i++) own.row[i] = (blm_row){l->h[i], l->arg[i]};
    *out = own;
    return BLM_OK;
}

static int by_hash(const void *pa, const void *pb)
{
    const blm_row *a = pa, *b = pb;
    if (a->h.lo != b->h.lo) return a->h.lo < b->h.lo ? -1 : 1;
    if (a->h.hi != b->h.hi) return a->h.hi < b->h.hi ? -1 : 1;
    return a->arg < b->arg ? -1 : a->arg > b->arg;
}

static bool same_key(const blm_row *a, const blm_row *b, blm_again again)
{
    return a->h.lo == b->h.lo && a->h.hi == b->h.hi &&
           (again != BLM_AGAIN_EACH || a->arg == b->arg);
}

blm_err blm_rows_settle(blm_rowlist *l, uint64_t salt, blm_again again, uint64_t max)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; salt && i < l->n; i++) l->row[i].h = blm_resalt(l->row[i].h, salt);
    if (l->n) qsort(l->row, (size_t)l->n, sizeof *l->row, by_hash);
    for (uint64_t i = 0; i < l->n; i++) {
        blm_row *last = kept ? &l->row[kept - 1] : NULL;
        const bool twin = last && same_key(last, &l->row[i], again);
        if (twin && again == BLM_AGAIN_CONFLICT && last->arg != l->row[i].arg)
            return BLM_E_CONFLICT;
        if (twin && again == BLM_AGAIN_SUM)
            last->arg = blm_sum_below(last->arg, l->row[i].arg, max);
        if (!twin) l->row[kept++] = l->row[i];
    }
    l->n = kept;
    return BLM_OK;
}

blm_err blm_rows_distinct(const blm_rowlist *l, const blm_alloc *a, blm_again again,
                          uint64_t *distinct)
{
    const uint64_t bytes = (l->n + 1) * sizeof(blm_row);
    blm_row *row = blm_take(a, bytes);
    uint64_t n = 0;
    if (!row) return BLM_E_NOMEM;
    if (l->n) memcpy(row, l->row, (size_t)l->n * sizeof *row);
    if (l->n) qsort(row, (size_t)l->n, sizeof *row, by_hash);
    for (uint64_t i = 0; i < l->n; i++) n += !i || !same_key(&row[i - 1], &row[i], again);
    blm_put_back(a, row, bytes);
    *distinct = n;
    return BLM_OK;
}

/* rows.c - lists of rows that grow by chunks, and what is made of rows of one key. */
#include <string.h>

#include "core/build/each.h"
#include "core/build/rows.h"

enum {
    ROWS_MIN = 64,
    ROWS_MAX = 1 << 18,   /* of a chunk: 2 MiB per column                             */
    TOPS = 256,           /* ranges of the first byte, which threads sort one by one  */
    GANGS = 8,            /* threads that move rows into their ranges                 */
    WORTH_THREADS = 65536 /* rows that are worth a second thread                      */
};

struct blm_chunk {
    blm_chunk *next;
    uint64_t n, room;
    uint64_t *column[BLM_ROW_COLUMNS];
};

static unsigned columns_of(const blm_rowlist *l) { return 1u + l->hi + l->arg; }

/* Which columns there are, one after the other in one block. */
static void lay_out(uint64_t *column[BLM_ROW_COLUMNS], uint64_t *block, uint64_t room, bool hi,
                    bool arg)
{
    column[BLM_ROW_LO] = block;
    column[BLM_ROW_HI] = hi ? block + room : NULL;
    column[BLM_ROW_ARG] = arg ? block + room * (1u + hi) : NULL;
}

static uint64_t chunk_bytes(const blm_rowlist *l, uint64_t room)
{
    return sizeof(blm_chunk) + room * columns_of(l) * sizeof(uint64_t);
}

static uint64_t block_bytes(const blm_rowlist *l)
{
    return l->room * columns_of(l) * sizeof(uint64_t);
}

static blm_err one_more_chunk(blm_rowlist *l, const blm_alloc *a)
{
    const uint64_t twice = l->last ? l->last->room * 2 : ROWS_MIN,
                   room = twice < ROWS_MAX ? twice : ROWS_MAX;
    blm_chunk *c = blm_take(a, chunk_bytes(l, room));
    if (!c) return BLM_E_NOMEM;
    c->room = room;
    lay_out(c->column, (uint64_t *)(void *)(c + 1), room, l->hi, l->arg);
    *(l->last ? &l->last->next : &l->first) = c;
    l->last = c;
    return BLM_OK;
}

static bool no_room(const blm_rowlist *l) { return !l->last || l->last->n == l->last->room; }

blm_err blm_rows_add(blm_rowlist *l, const blm_alloc *a, blm_hash h, uint64_t arg)
{
    if (no_room(l) && one_more_chunk(l, a)) return BLM_E_NOMEM;
    blm_chunk *c = l->last;
    c->column[BLM_ROW_LO][c->n] = h.lo;
    if (l->hi) c->column[BLM_ROW_HI][c->n] = h.hi;
    if (l->arg) c->column[BLM_ROW_ARG][c->n] = arg;
    c->n++;
    l->n++;
    return BLM_OK;
}

blm_err blm_rows_add_many(blm_rowlist *l, const blm_alloc *a, const blm_hash *h, size_t n)
{
    while (n) {
        if (no_room(l) && one_more_chunk(l, a)) return BLM_E_NOMEM;
        blm_chunk *c = l->last;
        const size_t now = blm_min_size(n, c->room - c->n);
        for (size_t i = 0; i < now; i++) c->column[BLM_ROW_LO][c->n + i] = h[i].lo;
        for (size_t i = 0; l->hi && i < now; i++) c->column[BLM_ROW_HI][c->n + i] = h[i].hi;
        c->n += now;
        l->n += now;
        h += now;
        n -= now;
    }
    return BLM_OK;
}

static void drop_chunks(blm_rowlist *l, const blm_alloc *a)
{
    for (blm_chunk *c = l->first, *next; c; c = next) {
        next = c->next;
        blm_put_back(a, c, chunk_bytes(l, c->room));
    }
    l->first = l->last = NULL;
}

void blm_rows_drop(blm_rowlist *l, const blm_alloc *a)
{
    drop_chunks(l, a);
    blm_put_back(a, l->sorted[BLM_ROW_LO], block_bytes(l));
    *l = (blm_rowlist){.hi = l->hi, .arg = l->arg};
}

uint64_t blm_rows_bytes(const blm_rowlist *l)
{
    uint64_t bytes = block_bytes(l);
    for (const blm_chunk *c = l->first; c; c = c->next) bytes += chunk_bytes(l, c->room);
    return bytes;
}

static blm_hash hash_at(uint64_t *const column[BLM_ROW_COLUMNS], uint64_t i)
{
    const uint64_t lo = column[BLM_ROW_LO][i];
    return column[BLM_ROW_HI] ? (blm_hash){lo, column[BLM_ROW_HI][i]} : blm_hash_widen(lo);
}

blm_err blm_rows_each(const blm_rowlist *l, blm_rows_visit visit, void *ctx)
{
    blm_err err = BLM_OK;
    for (const blm_chunk *c = l->first; c; c = c->next)
        for (uint64_t i = 0; i < c->n && !err; i++)
            err = visit(ctx, hash_at(c->column, i), l->arg ? c->column[BLM_ROW_ARG][i] : 0);
    return err;
}

/* ---- sorting -------------------------------------------------------------------------------- */

typedef struct sorting {
    const blm_rowlist *l;
    uint64_t *column[BLM_ROW_COLUMNS];
    unsigned gangs; /* the rows of every gangs-th chunk are moved by one thread */
    uint64_t
        to[GANGS]
          [TOPS]; /* how many rows a gang has of each first byte; then where its next one goes */
} sorting;

static void count_tops(uint64_t *to, const uint64_t *lo, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) to[lo[i] >> 56]++;
}

static void place_rows(sorting *s, uint64_t *to, uint64_t *const from[BLM_ROW_COLUMNS], uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = to[from[BLM_ROW_LO][i] >> 56]++;
        for (unsigned c = 0; c < BLM_ROW_COLUMNS; c++)
            if (from[c]) s->column[c][at] = from[c][i];
    }
}

/* The rows that are in order already belong to gang 0. */
static void count_gang(void *ctx, uint64_t gang)
{
    sorting *s = ctx;
    uint64_t i = 0;
    if (!gang && s->l->in_order) count_tops(s->to[0], s->l->sorted[BLM_ROW_LO], s->l->in_order);
    for (const blm_chunk *c = s->l->first; c; c = c->next)
        if (i++ % s->gangs == gang) count_tops(s->to[gang], c->column[BLM_ROW_LO], c->n);
}

static void place_gang(void *ctx, uint64_t gang)
{
    sorting *s = ctx;
    uint64_t i = 0;
    if (!gang && s->l->in_order) place_rows(s, s->to[0], s->l->sorted, s->l->in_order);
    for (const blm_chunk *c = s->l->first; c; c = c->next)
        if (i++ % s->gangs == gang) place_rows(s, s->to[gang], c->column, c->n);
}

/* After place_gang, the last gang's places are where the rows of each first byte end. */
static void sort_top(void *ctx, uint64_t top)
{
    const sorting *s = ctx;
    const uint64_t *ends = s->to[s->gangs - 1], begin = top ? ends[top - 1] : 0;
    uint64_t *column[BLM_ROW_COLUMNS];
    for (unsigned c = 0; c < BLM_ROW_COLUMNS; c++)
        column[c] = s->column[c] ? s->column[c] + begin : NULL;
    blm_sort_rows(column, (size_t)(ends[top] - begin));
}

/* All rows into a new block, by their first byte. */
static blm_err gather(sorting *s, const blm_alloc *a)
{
    const blm_rowlist *l = s->l;
    uint64_t *block = blm_take(a, l->n * columns_of(l) * sizeof *block);
    if (!block) return BLM_E_NOMEM;
    lay_out(s->column, block, l->n, l->hi, l->arg);
    blm_each(s->gangs, s->gangs, count_gang, s);
    for (uint64_t t = 0, sum = 0; t < TOPS; t++)
        for (unsigned g = 0; g < s->gangs; g++) {
            const uint64_t n = s->to[g][t];
            s->to[g][t] = sum;
            sum += n;
        }
    blm_each(s->gangs, s->gangs, place_gang, s);
    return BLM_OK;
}

blm_err blm_rows_sort(blm_rowlist *l, const blm_alloc *a, unsigned threads)
{
    if (!l->first) return BLM_OK; /* no row, or none since they were sorted */
    const unsigned crew = l->n < WORTH_THREADS || !threads ? 1 : threads;
    sorting s = {.l = l, .gangs = crew < GANGS ? crew : GANGS};
    if (gather(&s, a)) return BLM_E_NOMEM;
    drop_chunks(l, a);
    blm_put_back(a, l->sorted[BLM_ROW_LO], block_bytes(l));
    memcpy(l->sorted, s.column, sizeof s.column);
    l->in_order = l->room = l->n;
    blm_each(crew, TOPS, sort_top, &s);
    return BLM_OK;
}

blm_rows blm_rows_view(const blm_rowlist *l)
{
    return (blm_rows){l->sorted[BLM_ROW_LO], l->sorted[BLM_ROW_HI], l->sorted[BLM_ROW_ARG],
                      (size_t)l->n};
}

/* ---- rows of one key ---------------------------------------------------------------------------- */

static bool same_hash(const blm_rows *r, uint64_t i, uint64_t j)
{
    return r->lo[i] == r->lo[j] && (!r->hi || r->hi[i] == r->hi[j]);
}

static bool same_row(const blm_rows *r, uint64_t i, uint64_t j, blm_again again)
{
    return same_hash(r, i, j) && (again != BLM_AGAIN_EACH || !r->arg || r->arg[i] == r->arg[j]);
}

uint64_t blm_rows_distinct(const blm_rowlist *l, blm_again again)
{
    const blm_rows r = blm_rows_view(l);
    uint64_t n = 0;
    for (uint64_t i = 0; i < r.n; i++) n += !i || !same_row(&r, i - 1, i, again);
    return n;
}

static bool in_conflict(const blm_rows *r)
{
    for (uint64_t i = 1; r->arg && i < r->n; i++)
        if (same_hash(r, i - 1, i) && r->arg[i - 1] != r->arg[i]) return true;
    return false;
}

blm_err blm_rows_settle(blm_rowlist *l, const blm_alloc *a, blm_again again, uint64_t max,
                        unsigned threads)
{
    if (blm_rows_sort(l, a, threads)) return BLM_E_NOMEM;
    const blm_rows r = blm_rows_view(l);
    uint64_t kept = 0;
    if (again == BLM_AGAIN_CONFLICT && in_conflict(&r)) return BLM_E_CONFLICT;
    for (uint64_t i = 0; i < r.n; i++) {
        const bool twin = kept && same_row(&r, kept - 1, i, again);
        if (twin && again == BLM_AGAIN_SUM && r.arg)
            l->sorted[BLM_ROW_ARG][kept - 1] =
                blm_sum_below(r.arg[kept - 1] < max ? r.arg[kept - 1] : max, r.arg[i], max);
        if (twin && again == BLM_AGAIN_MAX && r.arg) /* they are in order */
            l->sorted[BLM_ROW_ARG][kept - 1] = r.arg[i];
        if (twin) continue;
        for (unsigned c = 0; c < BLM_ROW_COLUMNS; c++)
            if (l->sorted[c]) l->sorted[c][kept] = l->sorted[c][i];
        kept++;
    }
    l->n = l->in_order = kept;
    return BLM_OK;
}

blm_err blm_rows_resalted(blm_rowlist *out, const blm_rows *rows, uint64_t salt, bool hi,
                          const blm_alloc *a)
{
    blm_rowlist own = {.hi = hi, .arg = rows->arg != NULL};
    blm_err err = BLM_OK;
    for (size_t i = 0; i < rows->n && !err; i++) {
        const blm_hash h = blm_row_hash(rows, i);
        err = blm_rows_add(&own, a, salt ? blm_resalt(h, salt) : h, rows->arg ? rows->arg[i] : 0);
    }
    if (!err) err = blm_rows_sort(&own, a, 1); /* one to one: no twins */
    if (err)
        blm_rows_drop(&own, a);
    else
        *out = own;
    return err;
}

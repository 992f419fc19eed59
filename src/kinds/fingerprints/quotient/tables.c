/* tables.c - whole tables: read as their fingerprints rise, and written so; and what a question reads. */
#include "cells.h"

/* One table whose next fingerprint has been read. */
typedef struct stream {
    blm_runs_reader from;
    uint64_t print, times;
    bool more;
} stream;

static stream begin(const blm_quotient *s)
{
    stream x = {.from = blm_runs_read(&s->now, s->base.cells)};
    x.more = blm_runs_next(&x.from, &x.print, &x.times);
    return x;
}

/* Takes the next fingerprint of x if it is this one. */
static uint64_t take(stream *x, uint64_t print)
{
    if (!x->more || x->print != print) return 0;
    const uint64_t times = x->times;
    x->more = blm_runs_next(&x->from, &x->print, &x->times);
    return times;
}

static bool pour(blm_runs_writer *to, stream *a, stream *b)
{
    while (a->more || b->more) {
        const uint64_t print = !b->more || (a->more && a->print < b->print) ? a->print : b->print;
        const uint64_t mine = take(a, print), theirs = take(b, print);
        if (!blm_runs_put(to, print, mine + theirs)) return false;
    }
    blm_runs_done(to);
    return true;
}

blm_err blm_quotient_move(blm_quotient *s, const blm_runs *to, const blm_quotient *other,
                          blm_report *why)
{
    blm_filter *f = &s->base;
    const uint64_t bytes = blm_runs_bytes(to);
    blm_region fresh;
    const blm_err err = blm_recell(f, &fresh, bytes);
    if (err) return blm_fail(why, err, "no memory for %g bytes of cells", (double)bytes);
    stream a = begin(s), b = {.more = false};
    if (other) b = begin(other);
    blm_runs_writer w = blm_runs_write(to, fresh.cells);
    if (!pour(&w, &a, &b)) {
        f->alloc.put(f->alloc.ctx, fresh.cells, (size_t)fresh.bytes);
        return blm_fail(why, BLM_E_FULL,
                        "over capacity: the slots of both filters, %llu and %llu, do not fit into "
                        "%llu; grow one of them, or build for more keys",
                        (unsigned long long)s->used, (unsigned long long)(other ? other->used : 0),
                        (unsigned long long)to->room);
    }
    blm_commit(f, &fresh);
    s->used = w.used;
    s->prints = w.numbers;
    return BLM_OK;
}

/* Each fingerprint once, as they rise. */
blm_err blm_quotient_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why)
{
    const blm_quotient *s = (const blm_quotient *)f;
    const size_t room = out ? *n : 0;
    (void)why;
    *n = 0;
    for (stream x = begin(s); x.more; take(&x, x.print), ++*n)
        if (*n < room) out[*n] = blm_listed(x.print, s->range);
    return BLM_OK;
}

/* ---- what a question reads ---------------------------------------------------------------- */

typedef struct touches {
    const blm_filter *f;
    blm_touch *out;
    size_t n, cap;
} touches;

/* Eight bytes from this one on; at the end of the region those before it, too. */
static void note(touches *t, uint64_t cell, uint64_t byte)
{
    const uint64_t last = t->f->bytes - 8, at = byte < last ? byte : last;
    if (t->n < t->cap) t->out[t->n] = (blm_touch){cell, at, blm_le64(t->f->cells + at)};
    t->n++;
}

static void note_cell(touches *t, const blm_runs *r, uint64_t slot)
{
    const blm_packed_at at = blm_packed_find(r->bytes, r->bits, slot % 64);
    note(t, slot, slot / 64 * r->block + BLM_RUNS_HEAD + at.byte);
}

/* The heads of all blocks that are looked at, whose number is that of the block's first slot, and the cells of the run.
 * Where they are too many, as with a key that came a thousand times, it says nothing, and everything is checked. */
size_t blm_quotient_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                          size_t cap)
{
    const blm_quotient *s = (const blm_quotient *)f;
    const blm_runs *r = &s->now;
    const uint64_t home = blm_reduce(h.lo, s->range) >> r->low;
    const uint64_t first = blm_runs_known(r, f->cells, home / 64),
                   after = blm_runs_after(r, f->cells, home);
    const uint64_t last = after > home ? (after - 1) / 64 : home / 64;
    uint64_t from = after;
    touches t = {f, out, 0, cap};
    (void)it;
    if (last - first > 64) return 0;
    for (uint64_t b = first; b <= last; b++) {
        note(&t, b * 64, b * r->block);
        note(&t, b * 64, b * r->block + 8);
        note(&t, b * 64, b * r->block + 9);
    }
    if (after > home && blm_runs_is_home(r, f->cells, home))
        from = blm_runs_first(r, f->cells, home, after);
    if (after - from > 256) return 0;
    for (; from < after; from++) note_cell(&t, r, from);
    return t.n;
}

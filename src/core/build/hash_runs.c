/* hash_runs.c - runs of hashes, each a set that filled the memory, one after the other in one file.
 *
 *      run 0 |00..|01..|02..| ... |ff..|  run 1 |00..|01..| ... |ff..|  run 2 ...
 *              ^ hashes of one top byte: start[0] .. start[1]
 *
 * A hash is 8 bytes, little-endian, and 4 more for its count. To count distinct hashes the slices of one
 * top byte are read from all runs and put into a set: a 256th of all, or, where that is still too much,
 * a half, a quarter, ... of it in as many passes. 10^8 hashes: 800 MB of file, 8 MB of memory.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/build/hash_runs.h"
#include "core/build/spool.h"

#define BUFFER 49152u /* whole records of 8 and of 12 bytes */
#define SLICES BLM_HASHSET_TABLES
#define PER_HASH                                                                                   \
    29u /* bytes of memory while one table of a set grows: 64/9 / 0.85 * (1 + 1.6) and some */

typedef struct run {
    uint64_t start[SLICES + 1]; /* where each slice begins in the file; the last: the end */
} run;

struct blm_hash_runs {
    blm_alloc alloc;
    const char *folder; /* for sentences */
    int fd;
    unsigned record; /* bytes */
    run *runs;
    uint64_t nruns, room, end; /* end: of the last whole run */
    size_t used;
    uint8_t buffer[BUFFER];
};

blm_err blm_hash_runs_new(blm_hash_runs **out, const blm_alloc *a, const char *folder, bool counted,
                          blm_report *why)
{
    blm_hash_runs *p = blm_take(a, sizeof *p);
    if (!p) return blm_fail(why, BLM_E_NOMEM, "no memory for the spool");
    p->alloc = *a;
    p->folder = folder;
    p->record = counted ? 12 : 8;
    p->fd = blm_spool_open(folder);
    if (p->fd < 0) {
        const blm_err err = blm_io_fail(why, folder, "cannot create a spool there");
        blm_put_back(a, p, sizeof *p);
        return err;
    }
    *out = p;
    return BLM_OK;
}

void blm_hash_runs_free(blm_hash_runs *p)
{
    if (!p) return;
    const blm_alloc a = p->alloc;
    close(p->fd);
    blm_put_back(&a, p->runs, p->room * sizeof *p->runs);
    blm_put_back(&a, p, sizeof *p);
}

uint64_t blm_hash_runs_bytes(const blm_hash_runs *p)
{
    return sizeof *p + p->room * sizeof *p->runs;
}

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct writing {
    blm_hash_runs *p;
    run *r;
    uint64_t at;  /* of the next record */
    unsigned top; /* slices up to this one have begun */
    blm_report *why;
} writing;

static blm_err write_out(writing *w)
{
    blm_hash_runs *p = w->p;
    const size_t n = p->used;
    p->used = 0;
    return blm_spool_write(p->fd, p->folder, p->buffer, n, w->at - n, w->why);
}

static void begin_slices(writing *w, unsigned until)
{
    while (w->top < until) w->r->start[++w->top] = w->at;
}

static blm_err write_one(void *ctx, uint64_t hash, uint32_t times)
{
    writing *w = ctx;
    blm_hash_runs *p = w->p;
    begin_slices(w, (unsigned)(hash >> 56));
    blm_put64(p->buffer + p->used, hash);
    if (p->record == 12) blm_put32(p->buffer + p->used + 8, times);
    p->used += p->record;
    w->at += p->record;
    return p->used == BUFFER ? write_out(w) : BLM_OK;
}

static blm_err room_for_run(blm_hash_runs *p, blm_report *why)
{
    if (p->nruns < p->room) return BLM_OK;
    const uint64_t room = p->room * 2 + 4;
    run *larger = blm_take(&p->alloc, room * sizeof *larger);
    if (!larger) return blm_fail(why, BLM_E_NOMEM, "no memory for the spool");
    if (p->nruns) memcpy(larger, p->runs, (size_t)p->nruns * sizeof *larger);
    blm_put_back(&p->alloc, p->runs, p->room * sizeof *p->runs);
    p->runs = larger;
    p->room = room;
    return BLM_OK;
}

blm_err blm_hash_runs_put(blm_hash_runs *p, const blm_hashset *s, blm_report *why)
{
    blm_err err = room_for_run(p, why);
    if (err) return err;
    writing w = {.p = p, .r = &p->runs[p->nruns], .at = p->end, .why = why};
    w.r->start[0] = p->end;
    p->used = 0;
    err = blm_hashset_each(s, write_one, &w);
    if (!err) err = write_out(&w);
    if (err) return err;
    begin_slices(&w, SLICES);
    p->end = w.at;
    p->nruns++;
    return BLM_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static blm_err read_range(blm_hash_runs *p, uint64_t from, uint64_t to, blm_hashset_visit visit,
                          void *ctx, blm_report *why)
{
    while (from < to) {
        const size_t n = to - from < BUFFER ? (size_t)(to - from) : BUFFER;
        blm_err err = blm_spool_read(p->fd, p->folder, p->buffer, n, from, why);
        for (size_t i = 0; i < n && !err; i += p->record)
            err = visit(ctx, blm_le64(p->buffer + i),
                        p->record == 12 ? blm_le32(p->buffer + i + 8) : 1);
        if (err) return err;
        from += n;
    }
    return BLM_OK;
}

blm_err blm_hash_runs_each(blm_hash_runs *p, blm_hashset_visit visit, void *ctx, blm_report *why)
{
    return read_range(p, 0, p->end, visit, ctx, why);
}

/* ---- counting ------------------------------------------------------------------------------- */

typedef struct counting {
    blm_hashset *set;
    uint64_t pass, passes; /* only hashes whose bits below the top byte are of this pass */
    blm_hash h[BLM_HASHSET_BATCH];
    size_t n;
} counting;

static blm_err count_batch(counting *c)
{
    const blm_err err = blm_hashset_add_many(c->set, c->h, c->n, NULL);
    c->n = 0;
    return err;
}

/* A run is nearly in order, and hashes in order would crowd the front of a table that still grows. One to
 * one, so that distinct ones stay so. */
static uint64_t scatter(uint64_t hash)
{
    const uint64_t low = UINT64_MAX >> 8;
    return (hash & ~low) | (hash * UINT64_C(0x9e3779b97f4a7c15) & low);
}

static blm_err count_one(void *ctx, uint64_t hash, uint32_t times)
{
    counting *c = ctx;
    (void)times;
    if ((hash >> 32 & 0xffffff & (c->passes - 1)) != c->pass) return BLM_OK;
    c->h[c->n++].lo = scatter(hash);
    return c->n == BLM_LEN(c->h) ? count_batch(c) : BLM_OK;
}

/* The distinct hashes of one top byte, as far as they are of this pass. */
static blm_err count_slice(blm_hash_runs *p, counting *c, unsigned top, blm_report *why)
{
    blm_err err = BLM_OK;
    for (uint64_t r = 0; r < p->nruns && !err; r++)
        err = read_range(p, p->runs[r].start[top], p->runs[r].start[top + 1], count_one, c, why);
    return err ? err : count_batch(c);
}

blm_err blm_hash_runs_count(blm_hash_runs *p, uint64_t ram, uint64_t *distinct, blm_report *why)
{
    counting c = {.passes = 1};
    uint64_t sum = 0;
    blm_err err = BLM_OK;
    while (p->end / p->record / SLICES / c.passes * PER_HASH > ram && c.passes < 1u << 20)
        c.passes *= 2;
    if (!(c.set = blm_hashset_new(&p->alloc, false))) err = BLM_E_NOMEM;
    for (unsigned top = 0; top < SLICES && !err; top++)
        for (c.pass = 0; c.pass < c.passes && !err; c.pass++) {
            err = count_slice(p, &c, top, why);
            sum += blm_hashset_size(c.set);
            blm_hashset_empty(c.set);
        }
    blm_hashset_free(c.set);
    if (err == BLM_E_NOMEM) return blm_fail(why, err, "no memory to count the spool");
    if (!err) *distinct = sum;
    return err;
}

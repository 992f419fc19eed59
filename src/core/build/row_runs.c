/* row_runs.c - runs of hashes that are in order, merged while they are read. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/build/row_runs.h"
#include "core/build/spool.h"
#include "core/mul128.h"

enum { BUFFER_MIN = 512, BUFFER_MAX = 1 << 17 }; /* hashes of one run that are read at once */

typedef struct run {
    uint64_t at, end; /* hashes of the file: the next one to be read, and the end */
    uint64_t head;    /* the smallest one that is left                            */
    uint32_t next, n; /* of its buffer                                            */
    uint64_t *buffer;
} run;

struct blm_row_runs {
    blm_alloc alloc;
    const char *folder; /* for sentences */
    int fd;
    uint64_t ram, end;
    uint64_t *starts; /* where each run begins; the last: the end */
    uint64_t nruns, room;
    run *heap; /* while it is read: runs with hashes left, the smallest head first */
    uint64_t *buffers;
    uint64_t live, each; /* runs in the heap; hashes of each buffer */
};

blm_err blm_row_runs_new(blm_row_runs **out, const blm_alloc *a, const char *folder, uint64_t ram,
                         blm_report *why)
{
    blm_row_runs *p = blm_take(a, sizeof *p);
    if (!p) return blm_fail(why, BLM_E_NOMEM, "no memory for the spool");
    p->alloc = *a;
    p->folder = folder;
    p->ram = ram;
    p->fd = blm_spool_open(folder);
    if (p->fd < 0) {
        const blm_err err = blm_io_fail(why, folder, "cannot create a spool there");
        blm_put_back(a, p, sizeof *p);
        return err;
    }
    *out = p;
    return BLM_OK;
}

void blm_row_runs_free(blm_row_runs *p)
{
    if (!p) return;
    const blm_alloc a = p->alloc;
    blm_row_runs_end(p);
    close(p->fd);
    blm_put_back(&a, p->starts, p->room * sizeof *p->starts);
    blm_put_back(&a, p, sizeof *p);
}

uint64_t blm_row_runs_bytes(const blm_row_runs *p)
{
    return sizeof *p + p->room * sizeof *p->starts +
           (p->heap ? p->nruns * (sizeof *p->heap + p->each * sizeof *p->buffers) : 0);
}

blm_err blm_row_runs_put(blm_row_runs *p, const blm_rows *rows, blm_report *why)
{
    if (p->nruns + 1 >= p->room) {
        const uint64_t room = p->room * 2 + 8;
        uint64_t *larger = blm_take(&p->alloc, room * sizeof *larger);
        if (!larger) return blm_fail(why, BLM_E_NOMEM, "no memory for the spool");
        if (p->nruns) memcpy(larger, p->starts, (size_t)p->nruns * sizeof *larger);
        blm_put_back(&p->alloc, p->starts, p->room * sizeof *p->starts);
        p->starts = larger;
        p->room = room;
    }
    const blm_err err =
        blm_spool_write(p->fd, p->folder, rows->lo, rows->n * sizeof *rows->lo, p->end * 8, why);
    if (err) return err;
    p->starts[p->nruns++] = p->end;
    p->end += rows->n;
    return BLM_OK;
}

/* ---- all runs in order ------------------------------------------------------------------------- */

/* The next head; false: the run is at its end. */
static bool next_head(blm_row_runs *p, run *r, blm_err *err, blm_report *why)
{
    if (r->next == r->n) {
        r->next = 0;
        r->n = (uint32_t)blm_min_size(p->each, r->end - r->at);
        if (!r->n) return false;
        *err =
            blm_spool_read(p->fd, p->folder, r->buffer, r->n * sizeof *r->buffer, r->at * 8, why);
        if (*err) return false;
        r->at += r->n;
    }
    r->head = r->buffer[r->next++];
    return true;
}

static void sift(blm_row_runs *p, uint64_t i)
{
    const run moved = p->heap[i];
    for (uint64_t child; (child = 2 * i + 1) < p->live; i = child) {
        child += child + 1 < p->live && p->heap[child + 1].head < p->heap[child].head;
        if (moved.head <= p->heap[child].head) break;
        p->heap[i] = p->heap[child];
    }
    p->heap[i] = moved;
}

void blm_row_runs_end(blm_row_runs *p)
{
    blm_put_back(&p->alloc, p->heap, p->nruns * sizeof *p->heap);
    blm_put_back(&p->alloc, p->buffers, p->nruns * p->each * sizeof *p->buffers);
    p->heap = NULL;
    p->buffers = NULL;
    p->live = 0;
}

blm_err blm_row_runs_begin(blm_row_runs *p, blm_report *why)
{
    blm_err err = BLM_OK;
    const uint64_t fair = p->nruns ? p->ram / 4 / sizeof *p->buffers / p->nruns : 0;
    blm_row_runs_end(p);
    p->each = fair < BUFFER_MIN ? BUFFER_MIN : fair > BUFFER_MAX ? BUFFER_MAX : fair;
    if (!p->nruns) return BLM_OK;
    p->heap = blm_take(&p->alloc, p->nruns * sizeof *p->heap);
    p->buffers = blm_take(&p->alloc, p->nruns * p->each * sizeof *p->buffers);
    if (!p->heap || !p->buffers) {
        blm_row_runs_end(p);
        return blm_fail(why, BLM_E_NOMEM, "no memory to read the spool");
    }
    for (uint64_t i = 0; i < p->nruns && !err; i++) {
        run r = {.at = p->starts[i],
                 .end = i + 1 < p->nruns ? p->starts[i + 1] : p->end,
                 .buffer = p->buffers + i * p->each};
        if (next_head(p, &r, &err, why)) p->heap[p->live++] = r;
    }
    for (uint64_t i = p->live / 2; i-- > 0;) sift(p, i);
    if (err) blm_row_runs_end(p);
    return err;
}

/* Takes the smallest head, and its twins in other runs. */
static blm_err step(blm_row_runs *p, blm_report *why)
{
    const uint64_t least = p->heap[0].head;
    blm_err err = BLM_OK;
    while (p->live && p->heap[0].head == least && !err) {
        if (!next_head(p, &p->heap[0], &err, why)) p->heap[0] = p->heap[--p->live];
        if (p->live) sift(p, 0);
    }
    return err;
}

blm_err blm_row_runs_count(blm_row_runs *p, uint64_t *distinct, blm_report *why)
{
    uint64_t n = 0;
    blm_err err = blm_row_runs_begin(p, why);
    for (; !err && p->live; n++) err = step(p, why);
    blm_row_runs_end(p);
    if (!err) *distinct = n;
    return err;
}

static blm_err longer(const blm_row_runs *p, uint64_t **lo, uint64_t n, uint64_t *room,
                      uint64_t want, blm_report *why)
{
    uint64_t *more = blm_take(&p->alloc, want * sizeof *more);
    if (!more) return blm_fail(why, BLM_E_NOMEM, "no memory for %" PRIu64 " rows", want);
    if (n) memcpy(more, *lo, (size_t)n * sizeof *more);
    blm_put_back(&p->alloc, *lo, *room * sizeof *more);
    *lo = more;
    *room = want;
    return BLM_OK;
}

blm_err blm_row_runs_part(blm_row_runs *p, uint64_t part, uint64_t parts, uint64_t likely,
                          uint64_t **lo, uint64_t *n, uint64_t *room, blm_report *why)
{
    *lo = NULL;
    *n = *room = 0;
    blm_err err = BLM_OK;
    while (!err && p->live && blm_reduce(p->heap[0].head, parts) == part) {
        if (*n == *room) err = longer(p, lo, *n, room, *room ? *room * 2 : likely + 64, why);
        if (err) break;
        (*lo)[(*n)++] = p->heap[0].head;
        err = step(p, why);
    }
    return err;
}

/* bulk.c - very many hashes at once, by several threads, into cells that they do not share.
 *
 * Where the block of a key rises with its hash, a threshold cuts the hashes into ranges that touch no common
 * block: each thread has a range of its own, no operation is atomic, and the bytes are those of one thread. The
 * hashes come in any order, so they are dealt out first, slice by slice:
 *
 *      slice    | part of thread 0 | part of thread 1 |        read by its thread,
 *      dealt    | to 0 |   to 1    |   to 0 |  to 1   |        wait for the others,
 *      cells    |      thread 0    |     thread 1     |        and added by the owner of the range
 *
 * A slice is 2^17 hashes a thread. Two rooms take turns, so that one wait a slice is enough. Each thread counts
 * in a handle of its own over the same cells; the counts are summed at the end.
 *
 * Where cells lie anywhere (standard), threads add by atomic operations instead, each its part.
 */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "core/core_internal.h"

enum { THREADS_MOST = 64, SLICE = 1 << 17, WORTH = 1 << 16 }; /* WORTH: hashes a thread */

typedef struct bulk bulk;

typedef struct worker {
    bulk *all;
    unsigned me;
    blm_filter *own;                /* counts apart, cells in common           */
    blm_hash *room[2];              /* of SLICE hashes, dealt out by owner      */
    size_t to[2][THREADS_MOST + 1]; /* where each owner's hashes begin */
    blm_err err;
} worker;

struct bulk {
    blm_filter *f;
    const blm_hash *h;
    size_t n;
    unsigned threads;             /* 0: go home */
    pthread_mutex_t gate;         /* held until it is known how many threads there are */
    uint64_t first[THREADS_MOST]; /* the least hash of each thread's range; first[0] is 0 */
    pthread_barrier_t dealt;
    worker w[THREADS_MOST];
};

/* The least hash whose block is not before `block`; the greatest of all when there is none. */
static uint64_t first_of(const blm_filter *f, uint64_t block)
{
    uint64_t low = 0, high = UINT64_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (f->kind->block(f, middle) < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* ---- one thread ------------------------------------------------------------------------------------ */

/* Owners are few: the number of thresholds that a hash has reached, without a branch. */
static inline unsigned owner_of(const bulk *b, uint64_t hash)
{
    unsigned owner = 0;
    for (unsigned i = 1; i < b->threads; i++) owner += hash >= b->first[i];
    return owner;
}

static void deal(worker *w, unsigned turn, const blm_hash *h, size_t n)
{
    const bulk *b = w->all;
    size_t *to = w->to[turn], at[THREADS_MOST];
    memset(to, 0, (b->threads + 1) * sizeof *to);
    for (size_t i = 0; i < n; i++) to[owner_of(b, h[i].lo) + 1]++;
    for (unsigned i = 0; i < b->threads; i++) to[i + 1] += to[i];
    memcpy(at, to, b->threads * sizeof *at);
    for (size_t i = 0; i < n; i++) w->room[turn][at[owner_of(b, h[i].lo)]++] = h[i];
}

static void take_mine(worker *w, unsigned turn)
{
    for (unsigned i = 0; i < w->all->threads && !w->err; i++) {
        const worker *from = &w->all->w[i];
        const size_t begin = from->to[turn][w->me], n = from->to[turn][w->me + 1] - begin;
        const blm_hash *h = from->room[turn] + begin;
        size_t done;
        w->own->kind->near_many(w->own, h, least(n, BLM_AHEAD));
        w->err = w->own->kind->add_many(w->own, h, NULL, n, 0, NULL, &done);
    }
}

/* In slices, each dealt out and then added. */
static void work_ranges(worker *w)
{
    const bulk *b = w->all;
    unsigned turn = 0;
    for (size_t at = 0; at < b->n; turn ^= 1) {
        const size_t slice = least(b->n - at, (size_t)SLICE * b->threads),
                     part = (slice + b->threads - 1) / b->threads,
                     begin = least(part * w->me, slice), end = least(begin + part, slice);
        deal(w, turn, b->h + at + begin, end - begin);
        pthread_barrier_wait(&w->all->dealt);
        take_mine(w, turn);
        at += slice;
    }
}

static void work_shared(const worker *w)
{
    const bulk *b = w->all;
    const size_t part = (b->n + b->threads - 1) / b->threads, begin = least(part * w->me, b->n),
                 end = least(begin + part, b->n);
    b->f->kind->add_shared(b->f, b->h + begin, end - begin, NULL);
}

static void work(worker *w)
{
    if (w->all->f->kind->block)
        work_ranges(w);
    else
        work_shared(w);
}

static void *begin_work(void *arg)
{
    worker *w = arg;
    pthread_mutex_lock(&w->all->gate);
    pthread_mutex_unlock(&w->all->gate);
    if (w->me < w->all->threads) work(w);
    return NULL;
}

/* ---- all of them -------------------------------------------------------------------------------------- */

static void give_back(bulk *b, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        worker *w = &b->w[i];
        blm_put_back(&b->f->alloc, w->own, b->f->kind->size);
        for (unsigned j = 0; j < 2; j++)
            blm_put_back(&b->f->alloc, w->room[j], SLICE * sizeof(blm_hash));
    }
}

/* Ranges of as many blocks, and what each thread needs; false: no memory. */
static bool prepare(bulk *b, unsigned threads)
{
    if (!b->f->kind->block) return true;
    const uint64_t blocks = b->f->kind->block(b->f, UINT64_MAX) + 1;
    bool whole = true;
    for (unsigned i = 0; i < threads; i++) {
        worker *w = &b->w[i];
        b->first[i] = i ? first_of(b->f, (blocks + threads - 1) / threads * i) : 0;
        w->own = blm_take(&b->f->alloc, b->f->kind->size);
        for (unsigned j = 0; j < 2; j++)
            w->room[j] = blm_take(&b->f->alloc, SLICE * sizeof(blm_hash));
        whole = whole && w->own && w->room[0] && w->room[1];
        if (w->own) memcpy(w->own, b->f, b->f->kind->size);
    }
    whole = whole && !pthread_barrier_init(&b->dealt, NULL, threads);
    if (!whole) give_back(b, threads);
    return whole;
}

/* What each thread counted since it began. */
static blm_err sum_up(bulk *b)
{
    const blm_kind *k = b->f->kind;
    blm_err err = BLM_OK;
    for (size_t i = 0; i < k->nfields; i++) {
        if (!(k->fields[i].flags & BLM_F_STATE)) continue;
        const uint64_t before = blm_field_get(b->f, &k->fields[i]);
        uint64_t sum = before;
        for (unsigned j = 0; j < b->threads; j++)
            sum += blm_field_get(b->w[j].own, &k->fields[i]) - before;
        blm_field_set(b->f, &k->fields[i], sum);
    }
    for (unsigned j = 0; j < b->threads; j++) {
        b->f->lost |= b->w[j].own->lost;
        if (b->w[j].err) err = b->w[j].err;
    }
    pthread_barrier_destroy(&b->dealt);
    give_back(b, b->threads);
    return err;
}

/* Into f by so many threads, this one among them. CANNOT: they cannot be had, or no memory; nothing done. */
static blm_err add_by(bulk *b, unsigned threads)
{
    pthread_t id[THREADS_MOST];
    unsigned begun = 1;
    if (pthread_mutex_init(&b->gate, NULL)) return BLM_E_CANNOT;
    pthread_mutex_lock(&b->gate);
    for (unsigned i = 0; i < threads; i++) b->w[i] = (worker){.all = b, .me = i};
    while (begun < threads && !pthread_create(&id[begun], NULL, begin_work, &b->w[begun])) begun++;
    b->threads = begun > 1 && prepare(b, begun) ? begun : 0;
    pthread_mutex_unlock(&b->gate);
    if (b->threads) work(&b->w[0]);
    for (unsigned i = 1; i < begun; i++) pthread_join(id[i], NULL);
    pthread_mutex_destroy(&b->gate);
    if (!b->threads) return BLM_E_CANNOT;
    return b->f->kind->block ? sum_up(b) : BLM_OK;
}

static unsigned threads_for(const blm_filter *f, unsigned wanted, size_t n)
{
    const blm_kind *k = f->kind;
    const long cores = wanted ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    const size_t worth = n / WORTH;
    if (!(k->block && k->add_many && k->near_many) && !(f->can & BLM_SHARED)) return 1;
    const size_t most = worth < THREADS_MOST ? worth : THREADS_MOST;
    return cores < 1 || most < 1 ? 1 : (unsigned)least((size_t)cores, most);
}

blm_err blm_add_bulk(blm_filter *f, const blm_hash *h, size_t n, unsigned threads, size_t *done)
{
    blm_err err = blm_may_write(f, BLM_ADD);
    size_t at = 0;
    if (!err && threads_for(f, threads, n) == 1) return blm_add_many(f, h, NULL, n, NULL, done);
    bulk *b = err ? NULL : blm_take(&f->alloc, sizeof *b);
    if (!err && !b) return blm_add_many(f, h, NULL, n, NULL, done);
    while (!err && at < n) {
        if (f->adds >= f->look && (err = blm_judge(f))) break;
        const uint64_t until = f->look > f->adds ? f->look - f->adds : 1;
        const size_t run = until < n - at ? (size_t)until : n - at;
        size_t went = run;
        b->f = f, b->h = h + at, b->n = run;
        const unsigned by = threads_for(f, threads, run);
        err = by > 1 ? add_by(b, by) : BLM_E_CANNOT;
        if (err == BLM_E_CANNOT)
            err = blm_add_many(f, h + at, NULL, run, NULL, &went);
        else if (!err)
            f->adds += run;
        at += went;
    }
    blm_put_back(&f->alloc, b, b ? sizeof *b : 0);
    if (done) *done = at;
    return err;
}

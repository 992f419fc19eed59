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
 * Cells that are much larger than the caches are filled region by region, also by one thread: hashes are dealt
 * out to regions of 256 KiB as well, in slices of some hashes for each of their lines, so that a line is fetched
 * once for all of them. Dealing costs 16 bytes of memory a hash of the slice and the time of a few adds in cache.
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

enum {
    THREADS_MOST = 64,
    SLICE = 1 << 17, /* hashes a thread */
    WORTH = 1 << 16, /* hashes that are worth a thread */
    REGION_LOG2 = 18,
    REGIONS_MOST_LOG2 = 10,
    A_LINE = 4, /* hashes for each line of the cells in one slice of regions */
    LINE = 64
};
#define REGIONS_FROM (UINT64_C(64) << 20) /* bytes of cells: below, a key at a time is as fast */
#define PART_MOST    ((size_t)1 << 23)    /* hashes: 128 MiB */

typedef struct bulk bulk;

typedef struct worker {
    bulk *all;
    unsigned me;
    blm_filter *own;                /* counts apart, cells in common           */
    blm_hash *room[2];              /* a part of the slice, dealt out           */
    size_t *at;                     /* where the hashes of an owner's region go */
    size_t to[2][THREADS_MOST + 1]; /* where each owner's hashes begin         */
} worker;

struct bulk {
    blm_filter *f;
    const blm_hash *h;
    size_t n;
    unsigned threads; /* 0: go home */
    size_t part;      /* hashes of a slice that a thread deals out */
    unsigned regions_log2;
    pthread_mutex_t gate;         /* held until it is known how many threads there are */
    uint64_t first[THREADS_MOST]; /* the least hash of each thread's range; first[0] is 0 */
    pthread_barrier_t dealt;
    worker w[THREADS_MOST];
};

static uint64_t blocks_of(const blm_filter *f) { return f->kind->block(f, UINT64_MAX) + 1; }

/* The least hash whose block is not before `block`, of which there is one. */
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

static inline size_t class_of(const bulk *b, uint64_t hash)
{
    const uint64_t region = hash >> 1 >> (63 - b->regions_log2);
    return ((size_t)owner_of(b, hash) << b->regions_log2) + (size_t)region;
}

static size_t classes(const bulk *b, unsigned threads)
{
    return (size_t)threads << b->regions_log2;
}

static void deal(worker *w, unsigned turn, const blm_hash *h, size_t n)
{
    const bulk *b = w->all;
    const size_t all = classes(b, b->threads);
    memset(w->at, 0, (all + 1) * sizeof *w->at);
    for (size_t i = 0; i < n; i++) w->at[class_of(b, h[i].lo) + 1]++;
    for (size_t i = 0; i < all; i++) w->at[i + 1] += w->at[i];
    for (unsigned i = 0; i <= b->threads; i++) w->to[turn][i] = w->at[classes(b, i)];
    for (size_t i = 0; i < n; i++) w->room[turn][w->at[class_of(b, h[i].lo)]++] = h[i];
}

static void take_mine(worker *w, unsigned turn)
{
    for (unsigned i = 0; i < w->all->threads; i++) {
        const worker *from = &w->all->w[i];
        const size_t begin = from->to[turn][w->me], n = from->to[turn][w->me + 1] - begin;
        const blm_hash *h = from->room[turn] + begin;
        size_t done;
        w->own->kind->near_many(w->own, h, least(n, BLM_AHEAD));
        w->own->kind->add_many(w->own, h, NULL, n, 0, NULL, &done);
    }
}

/* In slices, each dealt out and then added. */
static void work_ranges(worker *w)
{
    const bulk *b = w->all;
    const bool alone = b->threads == 1;
    unsigned turn = 0;
    for (size_t at = 0; at < b->n; turn ^= !alone) {
        const size_t slice = least(b->n - at, b->part * b->threads),
                     part = (slice + b->threads - 1) / b->threads,
                     begin = least(part * w->me, slice), end = least(begin + part, slice);
        deal(w, turn, b->h + at + begin, end - begin);
        if (!alone) pthread_barrier_wait(&w->all->dealt);
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
        blm_put_back(&b->f->alloc, w->at, (classes(b, threads) + 1) * sizeof *w->at);
        for (unsigned j = 0; j < 2; j++)
            blm_put_back(&b->f->alloc, w->room[j], b->part * sizeof(blm_hash));
    }
}

/* In regions, or not: by the size of the cells and by how many hashes there are for a line of them. */
static void choose_slices(bulk *b, unsigned threads)
{
    const uint64_t lines = b->f->bytes / LINE, want = lines * A_LINE / threads;
    b->regions_log2 = 0;
    b->part = SLICE;
    if (b->f->bytes < REGIONS_FROM || b->n / A_LINE < lines) return;
    while (b->regions_log2 < REGIONS_MOST_LOG2 &&
           b->f->bytes >> (REGION_LOG2 + b->regions_log2) > 1)
        b->regions_log2++;
    b->part = want < PART_MOST ? (size_t)want : PART_MOST;
}

/* What one thread needs; false: no memory. */
static bool equip(bulk *b, worker *w, unsigned threads)
{
    const blm_alloc *a = &b->f->alloc;
    w->own = blm_take(a, b->f->kind->size);
    w->at = blm_take(a, (classes(b, threads) + 1) * sizeof *w->at);
    w->room[0] = blm_take(a, b->part * sizeof(blm_hash));
    w->room[1] = threads > 1 ? blm_take(a, b->part * sizeof(blm_hash)) : NULL;
    if (w->own) memcpy(w->own, b->f, b->f->kind->size);
    return w->own && w->at && w->room[0] && (threads == 1 || w->room[1]);
}

/* Ranges of as many blocks, and what each thread needs; false: no memory. */
static bool prepare(bulk *b, unsigned threads)
{
    if (!b->f->kind->block) return threads > 1;
    const uint64_t each = blocks_of(b->f) / threads;
    bool whole = true;
    choose_slices(b, threads);
    for (unsigned i = 0; i < threads; i++) {
        b->first[i] = i ? first_of(b->f, each * i) : 0;
        whole = equip(b, &b->w[i], threads) && whole;
    }
    whole = whole && !pthread_barrier_init(&b->dealt, NULL, threads);
    if (!whole) give_back(b, threads);
    return whole;
}

/* What each thread counted since it began. */
static void sum_up(bulk *b)
{
    const blm_kind *k = b->f->kind;
    for (size_t i = 0; i < k->nfields; i++) {
        if (!(k->fields[i].flags & BLM_F_STATE)) continue;
        const uint64_t before = blm_field_get(b->f, &k->fields[i]);
        uint64_t sum = before;
        for (unsigned j = 0; j < b->threads; j++)
            sum += blm_field_get(b->w[j].own, &k->fields[i]) - before;
        blm_field_set(b->f, &k->fields[i], sum);
    }
    for (unsigned j = 0; j < b->threads; j++) b->f->lost |= b->w[j].own->lost;
    pthread_barrier_destroy(&b->dealt);
    give_back(b, b->threads);
}

/* Into f by so many threads, this one among them. false: they cannot be had, or no memory; nothing done. */
static bool add_by(bulk *b, unsigned threads)
{
    pthread_t id[THREADS_MOST];
    unsigned begun = 1;
    if (pthread_mutex_init(&b->gate, NULL)) return false;
    pthread_mutex_lock(&b->gate);
    for (unsigned i = 0; i < threads; i++) b->w[i] = (worker){.all = b, .me = i};
    while (begun < threads && !pthread_create(&id[begun], NULL, begin_work, &b->w[begun])) begun++;
    b->threads = prepare(b, begun) ? begun : 0;
    pthread_mutex_unlock(&b->gate);
    if (b->threads) work(&b->w[0]);
    for (unsigned i = 1; i < begun; i++) pthread_join(id[i], NULL);
    pthread_mutex_destroy(&b->gate);
    if (b->threads && b->f->kind->block) sum_up(b);
    return b->threads > 0;
}

/* No more than have a block of their own. One is worth it only where it fills regions; 0: none is. */
static unsigned threads_for(const blm_filter *f, unsigned wanted, size_t n)
{
    const long cores = wanted ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = least(n / WORTH, THREADS_MOST);
    if (!blm_is_plain(f) || !(f->kind->block || f->can & BLM_SHARED)) return 0;
    if (f->kind->block && blocks_of(f) < most) most = (size_t)blocks_of(f);
    const unsigned by = cores < 1 || most < 1 ? 1 : (unsigned)least((size_t)cores, most);
    const bool regions = f->kind->block && blocks_of(f) > 1 && f->bytes >= REGIONS_FROM &&
                         n / A_LINE >= f->bytes / LINE;
    return by > 1 || regions ? by : 0;
}

blm_err blm_add_bulk(blm_filter *f, const blm_hash *h, size_t n, unsigned threads, size_t *done)
{
    blm_err err = blm_may_write(f, BLM_ADD);
    size_t at = 0;
    bulk *b = NULL;
    if (err || !threads_for(f, threads, n) || !(b = blm_take(&f->alloc, sizeof *b)))
        return blm_add_many(f, h, NULL, n, NULL, done);
    while (!err && at < n) {
        if (f->adds >= f->look && (err = blm_judge(f))) break;
        const uint64_t until = f->look > f->adds ? f->look - f->adds : 1;
        const size_t run = until < n - at ? (size_t)until : n - at;
        size_t went = run;
        b->f = f, b->h = h + at, b->n = run;
        const unsigned by = threads_for(f, threads, run);
        if (by && add_by(b, by))
            f->adds += run;
        else
            err = blm_add_many(f, h + at, NULL, run, NULL, &went);
        at += went;
    }
    blm_put_back(&f->alloc, b, sizeof *b);
    if (done) *done = at;
    return err;
}

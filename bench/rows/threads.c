/* threads.c - adding by two threads against one; four threads that write the same few lines. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { CREW_MAX = 4, BATCH = 4096 };

/* ---- blm_add_shared by a crew ------------------------------------------------------------------------ */

typedef struct share {
    blm_filter *f;
    const blm_hash *hash;
    size_t n;
    blm_err err;
} share;

static void *add_share(void *self)
{
    share *s = self;
    for (size_t i = 0; i < s->n && !s->err; i += BATCH)
        s->err = blm_add_shared(s->f, s->hash + i, s->n - i < BATCH ? s->n - i : BATCH, NULL);
    return NULL;
}

static void start_thread(pthread_t *t, void *(*run)(void *), void *self)
{
    const int error = pthread_create(t, NULL, run, self);
    if (error) versus_stop(2, "no thread: error %d", error);
}

static double add_by(const probe *p, unsigned crew, uint64_t *hits)
{
    pthread_t thread[CREW_MAX];
    share part[CREW_MAX];
    blm_err err = blm_clear(p->f);
    const double start = bench_now();
    for (unsigned i = 0; i < crew; i++) {
        const size_t from = p->n / crew * i, to = i + 1 < crew ? p->n / crew * (i + 1) : p->n;
        part[i] = (share){p->f, p->hash + from, to - from, BLM_OK};
        if (i) start_thread(&thread[i], add_share, &part[i]);
    }
    add_share(&part[0]);
    for (unsigned i = 1; i < crew; i++) pthread_join(thread[i], NULL);
    const double spent = bench_now() - start;
    for (unsigned i = 0; i < crew; i++) err = err ? err : part[i].err;
    *hits = err ? 0 : p->n;
    return spent;
}

static double shared_by_one(void *self, uint64_t *hits) { return add_by(self, 1, hits); }
static double shared_by_two(void *self, uint64_t *hits) { return add_by(self, 2, hits); }

/* ---- whole arrays in one call ---------------------------------------------------------------------------- */

static double bulk_by(const probe *p, unsigned threads, uint64_t *hits)
{
    size_t done = 0;
    blm_err err = blm_clear(p->f);
    const double start = bench_now();
    if (!err)
        err = threads ? blm_add_bulk(p->f, p->hash, p->n, threads, &done)
                      : blm_add_many(p->f, p->hash, NULL, p->n, NULL, &done);
    const double spent = bench_now() - start;
    *hits = err ? 0 : done;
    return spent;
}

static double many(void *self, uint64_t *hits) { return bulk_by(self, 0, hits); }
static double bulk_by_one(void *self, uint64_t *hits) { return bulk_by(self, 1, hits); }
static double bulk_by_two(void *self, uint64_t *hits) { return bulk_by(self, 2, hits); }

/* ---- rows ------------------------------------------------------------------------------------------------ */

typedef struct duel {
    const char *what;
    double (*ours)(void *, uint64_t *), (*theirs)(void *, uint64_t *);
    double wanted;
} duel;

static void thread_rows_of(const char *kind, size_t keys, const duel *d, size_t duels)
{
    char what[80];
    versus_progress("%s: drawing %zuM hashes", kind, keys / 1000000);
    blm_filter *f = filter_of("%s keys=%zu fpr=1%%", kind, keys);
    blm_filter *g = filter_of("%s keys=%zu fpr=1%%", kind, keys);
    blm_hash *hash = draw_hashes(f, MEMBERS, keys);
    probe p = {f, NULL, hash, keys, 1, NULL, false}, q = {g, NULL, hash, keys, 1, NULL, false};
    const double line = bench_floor(cells_of(f), true, VERSUS_ROUNDS);
    for (size_t i = 0; i < duels; i++) {
        snprintf(what, sizeof what, "%s %s, %zuM keys", kind, d[i].what, keys / 1000000);
        versus_row(&(versus){.what = what,
                             .work = keys,
                             .wanted = d[i].wanted,
                             .floor = line,
                             .ours = members_side(d[i].ours, &p),
                             .theirs = members_side(d[i].theirs, &q)});
        if (!blm_equal(f, g)) versus_stop(1, "%s: the two filters differ", what);
    }
    free(hash);
    blm_free(f);
    blm_free(g);
}

/* ---- 10^9 adds into 64 KiB ------------------------------------------------------------------------------ */

/* 10^4 rounds of 10^5 adds: a filter that is full has nothing left to lose, so each round begins with an empty
 * one. The four threads take every fourth hash, so that a bit lost by one is not mended by another. */
enum { CREW = 4, HASHES = 100000, ROUNDS = 10000 };

typedef struct arena {
    pthread_barrier_t gate;
    blm_filter *f;
    const blm_filter *alone;
    unsigned unequal;
} arena;

typedef struct fighter {
    arena *a;
    blm_hash *hash;
    blm_err err;
    bool referee;
} fighter;

static void *fight(void *self)
{
    fighter *me = self;
    arena *a = me->a;
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&a->gate); /* empty, and all are here */
        const blm_err err = blm_add_shared(a->f, me->hash, HASHES / CREW, NULL);
        me->err = me->err ? me->err : err;
        pthread_barrier_wait(&a->gate); /* all have added */
        if (!me->referee) continue;
        a->unequal += !blm_equal(a->f, a->alone);
        const blm_err cleared = blm_clear(a->f);
        me->err = me->err ? me->err : cleared;
    }
    return NULL;
}

static void contended_row(void)
{
    char ours[24], theirs[24];
    blm_filter *f = filter_of("blocked bits=64KiB fpr=1%% overfill=yes");
    blm_filter *alone = filter_of("blocked bits=64KiB fpr=1%% overfill=yes");
    blm_hash *hash = draw_hashes(f, MEMBERS, HASHES);
    if (blm_add_many(alone, hash, NULL, HASHES, NULL, NULL))
        versus_stop(1, "overfill was rejected");
    arena a = {.f = f, .alone = alone};
    fighter crew[CREW] = {{.hash = NULL}};
    pthread_t thread[CREW];
    if (pthread_barrier_init(&a.gate, NULL, CREW)) versus_stop(2, "no barrier for threads");
    versus_progress("adding 10^9 hashes by 4 threads");
    for (unsigned i = 0; i < CREW; i++) {
        crew[i] = (fighter){&a, malloc(HASHES / CREW * sizeof *hash), BLM_OK, i == 0};
        if (!crew[i].hash) versus_stop(2, "no memory for %d hashes", HASHES / CREW);
        for (size_t j = 0; j < HASHES / CREW; j++) crew[i].hash[j] = hash[j * CREW + i];
    }
    const double start = bench_now();
    for (unsigned i = 0; i < CREW; i++) start_thread(&thread[i], fight, &crew[i]);
    for (unsigned i = 0; i < CREW; i++) pthread_join(thread[i], NULL);
    const double spent = bench_now() - start;
    for (unsigned i = 0; i < CREW; i++) {
        if (crew[i].err) versus_stop(1, "add_shared: %s", blm_strerror(crew[i].err));
        free(crew[i].hash);
    }
    snprintf(ours, sizeof ours, "%.2f ns", spent * 1e9 / (double)((uint64_t)HASHES * ROUNDS));
    snprintf(theirs, sizeof theirs, "%u differ", a.unequal);
    versus_show(&(versus_figures){.what = "blocked 64 KiB, 10^9 adds by 4 threads, bytes as by one",
                                  .ours = ours,
                                  .theirs = theirs,
                                  .wanted = "0 differ",
                                  .pass = a.unequal == 0});
    pthread_barrier_destroy(&a.gate);
    free(hash);
    blm_free(f);
    blm_free(alone);
}

void rows_threads(void)
{
    static const duel wanted[] = {
        {"add_bulk by 2 against add_many by 1", bulk_by_two, many, 1.6},
        {"add_bulk by 2 against by 1", bulk_by_two, bulk_by_one, 0},
        {"add_shared by 2 against by 1", shared_by_two, shared_by_one, 0}};
    static const duel inform[] = {{"add_bulk by 2 against add_many by 1", bulk_by_two, many, 0}};
    static const size_t keys[] = {10000000, 100000000};
    for (size_t i = 0; i < 2; i++) {
        thread_rows_of("blocked", keys[i], wanted, sizeof wanted / sizeof *wanted);
        thread_rows_of("split-block", keys[i], inform, sizeof inform / sizeof *inform);
    }
    contended_row();
}

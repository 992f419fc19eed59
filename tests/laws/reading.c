/* reading.c - laws of const calls: they write nothing, run in parallel, and work on a mapped file. */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

/* ---- const_readonly --------------------------------------------------------------------------- */

/* Each allocation has pages of its own, so that the whole filter can be write-protected. */
typedef struct pages {
    void *at[4096];
    size_t bytes[4096], n;
} pages;

static void *pages_get(void *ctx, size_t bytes)
{
    pages *p = ctx;
    if (p->n == sizeof p->at / sizeof *p->at) return NULL;
    void *at = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    p->at[p->n] = at;
    p->bytes[p->n++] = bytes + 1;
    return at;
}

static void pages_put(void *ctx, void *at, size_t bytes)
{
    pages *p = ctx;
    size_t i = 0;
    while (p->at[i] != at) i++;
    p->at[i] = p->at[--p->n];
    p->bytes[i] = p->bytes[p->n];
    munmap(at, bytes + 1);
}

static void protect(const pages *p, int how)
{
    for (size_t i = 0; i < p->n; i++)
        law_need(mprotect(p->at[i], p->bytes[i], how) == 0, "cannot protect pages", NULL);
}

static int law_const_readonly(const char *kind)
{
    enum { KEYS = 300 };
    static pages p;
    const blm_alloc a = {pages_get, pages_put, &p};
    blm_filter *f = law_filled_by(kind, KEYS, KEYS, &a), *g = NULL;
    const uint64_t answers = law_answers(f, KEYS);
    law_image im = law_save(f);
    law_fence image = law_fence_of(im.p, im.n);
    protect(&p, PROT_READ);
    law_const_calls(f); /* a write ends the process here */
    DEMAND(law_answers(f, KEYS) == answers, "const calls change the answers");
    protect(&p, PROT_READ | PROT_WRITE);
    blm_free(f);
    law_fence_lock(&image, false);
    DEMAND(blm_view(&g, image.p, image.n, NULL, NULL) == BLM_OK, "view of read-only memory");
    law_const_calls(g);
    DEMAND(law_answers(g, KEYS) == answers, "a view of read-only memory answers otherwise");
    blm_free(g);
    law_fence_drop(&image);
    law_drop(&im);
    return 0;
}

/* ---- threads ------------------------------------------------------------------------------------- */

enum { THREADS = 4, ASKED = 2000, ROUNDS = TEST_SLOW ? 2 : 20 };

typedef struct asker {
    pthread_barrier_t *ready;
    const blm_filter *f;
    const uint8_t *expected; /* 2 * ASKED answers */
    uint64_t wrong;
} asker;

static uint8_t answer(const blm_filter *f, uint64_t i)
{
    law_key room;
    uint64_t value = 0;
    blm_estimate times = {0, 0, 0, false};
    const blm_item it = law_item(f, i % 2 ? LAW_STRANGER : LAW_MEMBER, i / 2, &room);
    const unsigned yes = blm_has_item(f, &it), plain = blm_has(f, room.bytes, room.len);
    blm_count_item(f, &it, &times);
    blm_get_item(f, &it, &value);
    return (uint8_t)(yes + 2 * plain + 4 * ((uint64_t)times.value + value));
}

static void *ask(void *ctx)
{
    asker *a = ctx;
    blm_info info;
    blm_estimate keys;
    pthread_barrier_wait(a->ready);
    for (uint64_t i = 0; i < 2 * ASKED; i++) a->wrong += answer(a->f, i) != a->expected[i];
    for (int round = 0; round < ROUNDS; round++) {
        blm_fpr(a->f, NULL);
        blm_info_of(a->f, &info);
        blm_cardinality(a->f, &keys);
        a->wrong += blm_saved_size(a->f) == 0;
    }
    return NULL;
}

static int ask_by_threads(const blm_filter *f, const uint8_t *expected)
{
    pthread_t thread[THREADS];
    asker askers[THREADS];
    pthread_barrier_t ready;
    law_need(pthread_barrier_init(&ready, NULL, THREADS) == 0, "no barrier", NULL);
    for (int t = 0; t < THREADS; t++) {
        askers[t] = (asker){&ready, f, expected, 0};
        law_need(pthread_create(&thread[t], NULL, ask, &askers[t]) == 0, "no thread", NULL);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++)
        DEMAND(askers[t].wrong == 0,
               "thread %d: %" PRIu64 " answers differ from those of one thread", t,
               askers[t].wrong);
    pthread_barrier_destroy(&ready);
    return 0;
}

static int written(const blm_filter *f, const char *path)
{
    blm_report why = {BLM_OK, ""};
    unlink(path);
    DEMAND(blm_write(f, path, BLM_WRITE_NEW, &why) == BLM_OK, "write: %s", why.text);
    return 0;
}

/* In memory, and mapped. */
static int law_threads(const char *kind)
{
    static uint8_t expected[2 * ASKED];
    blm_filter *f = law_filled(kind, ASKED, ASKED), *m = NULL;
    blm_report why = {BLM_OK, ""};
    const char *path = law_path();
    for (uint64_t i = 0; i < 2 * ASKED; i++) expected[i] = answer(f, i);
    if (ask_by_threads(f, expected) || written(f, path)) return 1;
    DEMAND(blm_map(&m, path, BLM_OPEN(.check = BLM_CHECK_NONE), &why) == BLM_OK, "map: %s",
           why.text);
    if (ask_by_threads(m, expected)) return law_broken(__FILE__, __LINE__, "on a mapped filter");
    unlink(path);
    blm_free(m);
    blm_free(f);
    return 0;
}

/* ---- mapped ----------------------------------------------------------------------------------------- */

static int refuses_writes(blm_filter *m, const blm_filter *other)
{
    law_key room;
    blm_report why;
    const blm_item it = law_item(m, LAW_MEMBER, 0, &room);
    const blm_err read_only = BLM_E_READONLY;
    if (blm_can(m, BLM_ADD)) {
        DEMAND(blm_add_item(m, &it, NULL) == read_only, "add");
        DEMAND(blm_add_many(m, &it.h, NULL, 1, NULL, NULL) == read_only, "add_many");
    }
    if (blm_can(m, BLM_DEL)) DEMAND(blm_del_item(m, &it) == read_only, "del");
    if (blm_can(m, BLM_PUT)) DEMAND(blm_put_item(m, &it) == read_only, "put");
    if (blm_can(m, BLM_DENY)) DEMAND(blm_deny_item(m, &it) == read_only, "deny");
    if (blm_can(m, BLM_TICK)) DEMAND(blm_tick(m, UINT64_MAX) == read_only, "tick");
    if (blm_can(m, BLM_GROW)) DEMAND(blm_grow(m, &why) == read_only, "grow");
    if (blm_can(m, BLM_MERGE)) DEMAND(blm_merge(m, other, &why) == read_only, "merge");
    if (blm_can(m, BLM_INTERSECT)) DEMAND(blm_intersect(m, other, &why) == read_only, "intersect");
    if (blm_can(m, BLM_SUBTRACT)) DEMAND(blm_subtract(m, other, &why) == read_only, "subtract");
    size_t bytes = 0;
    const void *cells = blm_cells(m, &bytes);
    DEMAND(blm_adopt(m, cells, bytes, &why) == read_only, "adopt");
    DEMAND(blm_set_note(m, "note", &why) == read_only, "note");
    DEMAND(blm_set_key_form(m, "hex", &why) == read_only, "key form");
    DEMAND(blm_clear(m) == read_only, "clear");
    return 0;
}

static int maps(const blm_filter *f, const char *path, uint64_t asked, blm_check check)
{
    blm_filter *m = NULL, *copy = NULL;
    blm_report why = {BLM_OK, ""};
    DEMAND(blm_map(&m, path, BLM_OPEN(.check = check), &why) == BLM_OK, "map: %s", why.text);
    DEMAND(blm_equal(f, m), "a mapped filter is not equal to the written one");
    DEMAND(law_answers(f, asked) == law_answers(m, asked), "a mapped filter answers otherwise");
    blm_estimate told = {0, 0, 0, false}, known = {0, 0, 0, false};
    DEMAND(blm_cardinality(f, &known) == blm_cardinality(m, &told) && !(known.value < told.value) &&
               !(known.value > told.value),
           "a mapped filter has %g keys, not %g", told.value, known.value);
    if (refuses_writes(m, f)) return law_broken(__FILE__, __LINE__, "on a mapped filter");
    DEMAND(blm_equal(f, m), "refused writes change a mapped filter");
    DEMAND(blm_copy(&copy, m, &why) == BLM_OK, "copy: %s", why.text);
    if (law_may_add(copy)) DEMAND(blm_clear(copy) == BLM_OK, "the copy of a map is read-only");
    blm_free(copy);
    blm_free(m);
    return 0;
}

static int law_mapped(const char *kind)
{
    static const uint64_t sizes[] = {1, 500, 20000}; /* below 64 bytes, some pages, some chunks */
    static const blm_check checks[] = {BLM_CHECK_NONE, BLM_CHECK_TOUCHED, BLM_CHECK_ALL};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t n = sizes[i];
        const char *path = law_path();
        blm_filter *f = law_filled(kind, n, n);
        if (written(f, path)) return 1;
        for (size_t j = 0; j < sizeof checks / sizeof *checks; j++)
            if (maps(f, path, n < 500 ? n : 500, checks[j])) return 1;
        blm_free(f);
        unlink(path);
    }
    return 0;
}

const law laws_of_reading[] = {
    {"const_readonly", "const calls work on write-protected memory", always, law_const_readonly},
    {"threads", "const calls from four threads answer as from one", always, law_threads},
    {"mapped", "a mapped file answers as the filter that was written, and refuses writes", always,
     law_mapped},
    {NULL, NULL, always, NULL},
};

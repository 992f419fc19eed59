/* each.c - tasks by several threads. */
#include <pthread.h>

#include "core/build/each.h"

typedef struct tasks {
    void (*task)(void *ctx, uint64_t i);
    void *ctx;
    uint64_t next, n; /* next changes by atomic operations */
} tasks;

static void *run_tasks(void *self)
{
    tasks *t = self;
    for (uint64_t i; (i = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)) < t->n;)
        t->task(t->ctx, i);
    return NULL;
}

void blm_each(unsigned threads, uint64_t n, void (*task)(void *ctx, uint64_t i), void *ctx)
{
    tasks t = {task, ctx, 0, n};
    pthread_t id[BLM_THREADS_MAX];
    unsigned begun = 1;
    if (threads > BLM_THREADS_MAX) threads = BLM_THREADS_MAX;
    while (begun < threads && begun < n && !pthread_create(&id[begun], NULL, run_tasks, &t))
        begun++;
    run_tasks(&t);
    for (unsigned i = 1; i < begun; i++) pthread_join(id[i], NULL);
}

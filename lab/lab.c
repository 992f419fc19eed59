/* lab.c - the list of experiments, and their cases run by several threads. */
#include <pthread.h>
#include <stdlib.h>

#include "lab.h"

#define LAB_EXPERIMENT(name) extern const lab_experiment lab_experiment_##name;
#include "experiments.def"
#undef LAB_EXPERIMENT

const lab_experiment *const lab_experiments[] = {
#define LAB_EXPERIMENT(name) &lab_experiment_##name,
#include "experiments.def"
#undef LAB_EXPERIMENT
    NULL};

#define THREADS_MAX 64

typedef struct crew {
    const lab_job *job;
    lab_sheet *sheets;
    bool *done;
    size_t n, next, told, finished;
    pthread_mutex_t lock;
} crew;

/* Under the lock: sheets go out in order, whoever is done first. */
static void tell(crew *c, size_t i)
{
    c->done[i] = true;
    c->finished++;
    while (c->told < c->n && c->done[c->told]) {
        if (c->job->ready) c->job->ready(c->job->ctx, &c->sheets[c->told]);
        c->told++;
    }
    if (c->job->progress) c->job->progress(c->job->ctx, c->finished, c->n);
}

static size_t case_of(const crew *c, size_t i)
{
    size_t first = i;
    while (first && c->sheets[first - 1].part == c->sheets[i].part) first--;
    return i - first;
}

static void *work(void *ctx)
{
    crew *c = ctx;
    for (;;) {
        pthread_mutex_lock(&c->lock);
        const size_t i = c->next;
        if (i < c->n) c->next++;
        pthread_mutex_unlock(&c->lock);
        if (i >= c->n) return NULL;
        c->sheets[i].part->run(&c->sheets[i], case_of(c, i));
        pthread_mutex_lock(&c->lock);
        tell(c, i);
        pthread_mutex_unlock(&c->lock);
    }
}

/* Threads that cannot be had are done without. */
static void run_crew(crew *c)
{
    pthread_t more[THREADS_MAX];
    unsigned n = 0;
    while (n + 1 < c->job->threads && n < THREADS_MAX && !pthread_create(&more[n], NULL, work, c))
        n++;
    work(c);
    while (n) pthread_join(more[--n], NULL);
}

bool lab_run(const lab_job *job, lab_result *out)
{
    crew c = {.job = job};
    for (const lab_part *p = job->what->parts; p->name; p++)
        if (!job->only || p == job->only) c.n += p->cases;
    c.sheets = calloc(c.n + 1, sizeof *c.sheets);
    c.done = calloc(c.n + 1, sizeof *c.done);
    if (!c.sheets || !c.done || pthread_mutex_init(&c.lock, NULL)) {
        free(c.sheets);
        free(c.done);
        return false;
    }
    size_t i = 0;
    for (const lab_part *p = job->what->parts; p->name; p++)
        for (size_t j = 0; j < p->cases && (!job->only || p == job->only); j++)
            c.sheets[i++] = (lab_sheet){.part = p, .quick = job->quick, .huge = job->huge};
    run_crew(&c);
    pthread_mutex_destroy(&c.lock);
    free(c.done);
    *out = (lab_result){c.sheets, c.n, job->only != NULL, job->quick};
    return true;
}

void lab_result_free(lab_result *r)
{
    for (size_t i = 0; i < r->nsheets; i++) {
        free(r->sheets[i].rows);
        free(r->sheets[i].points);
    }
    free(r->sheets);
    *r = (lab_result){0};
}

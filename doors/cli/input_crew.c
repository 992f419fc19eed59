/* input_crew.c - helpers that read and pick, while the main thread uses the lines.
 *
 *      blocks   ... |taken| picked | picked | being picked | being read | free | ...
 *                    next_given                             next_read
 *
 * Whoever holds `reading` reads the next block; then it picks the keys of that block while another
 * one reads on. The ring of blocks keeps their order and bounds the memory. No more threads than -j
 * says, the main one counted.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "input.h"

struct crew {
    pthread_mutex_t reading; /* taken before `lock` */
    pthread_mutex_t lock;    /* of all below        */
    pthread_cond_t freed, picked;
    reader *r; /* whoever holds `reading` */
    const format *f;
    block *ring;
    size_t blocks;
    uint64_t next_read, next_given;
    bool ended, stopping;
    int wake[2];
    size_t helpers;
    pthread_t helper[];
};

/* The slot for the next block; NULL: no more is wanted. */
static block *free_slot(crew *c)
{
    pthread_mutex_lock(&c->lock);
    while (!c->stopping && !c->ended && c->next_read - c->next_given == c->blocks)
        pthread_cond_wait(&c->freed, &c->lock);
    block *b = c->stopping || c->ended ? NULL : &c->ring[c->next_read % c->blocks];
    pthread_mutex_unlock(&c->lock);
    return b;
}

static block *read_block(crew *c)
{
    pthread_mutex_lock(&c->reading);
    block *b = free_slot(c);
    const bool more = b && reader_next(c->r, b);
    pthread_mutex_lock(&c->lock);
    if (more)
        c->next_read++;
    else
        c->ended = true;
    if (!more) pthread_cond_signal(&c->picked);
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_unlock(&c->reading);
    return more ? b : NULL;
}

static void *help(void *arg)
{
    crew *c = arg;
    block *b;
    while ((b = read_block(c))) {
        block_pick(c->f, b);
        pthread_mutex_lock(&c->lock);
        b->done = true;
        pthread_cond_signal(&c->picked);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

crew *crew_start(reader *r, const format *f, unsigned helpers)
{
    crew *c = calloc(1, sizeof *c + helpers * sizeof c->helper[0]);
    if (!c) return NULL;
    c->r = r;
    c->f = f;
    c->blocks = 2 * (size_t)helpers + 2;
    c->ring = calloc(c->blocks, sizeof *c->ring);
    if (!c->ring || pipe(c->wake)) {
        free(c->ring);
        free(c);
        return NULL;
    }
    for (int i = 0; i < 2; i++) (void)fcntl(c->wake[i], F_SETFD, FD_CLOEXEC);
    pthread_mutex_init(&c->reading, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->freed, NULL);
    pthread_cond_init(&c->picked, NULL);
    r->src.wake = c->wake[0];
    while (c->helpers < helpers && !pthread_create(&c->helper[c->helpers], NULL, help, c))
        c->helpers++;
    if (c->helpers) return c;
    r->src.wake = -1;
    crew_end(c);
    return NULL;
}

block *crew_take(crew *c)
{
    block *b = NULL;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        b = c->next_given < c->next_read ? &c->ring[c->next_given % c->blocks] : NULL;
        if ((b && b->done) || (!b && c->ended)) break;
        if (out_pending()) {
            pthread_mutex_unlock(&c->lock);
            out_flush();
            pthread_mutex_lock(&c->lock);
        } else
            pthread_cond_wait(&c->picked, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return b;
}

void crew_give_back(crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->ring[c->next_given++ % c->blocks].done = false;
    pthread_cond_signal(&c->freed);
    pthread_mutex_unlock(&c->lock);
}

void crew_end(crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->stopping = true;
    pthread_cond_broadcast(&c->freed);
    pthread_mutex_unlock(&c->lock);
    close(c->wake[1]); /* whoever waits for bytes sees the other end go */
    for (size_t i = 0; i < c->helpers; i++) pthread_join(c->helper[i], NULL);
    close(c->wake[0]);
    for (size_t i = 0; i < c->blocks; i++) block_free(&c->ring[i]);
    pthread_mutex_destroy(&c->reading);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->freed);
    pthread_cond_destroy(&c->picked);
    free(c->ring);
    free(c);
}

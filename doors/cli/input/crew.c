/* crew.c - the threads of -j, the main one counted.
 *
 *      blocks   ... |given| judged | being judged | picked | being picked | being read | free | ...
 *                    next_given      next_judged                           next_read
 *
 * A thread that is free does the oldest thing that can be done: gives a block out (in order, one thread at a
 * time), judges the next one or a share of it (in order, all shares at the same time), or reads one (in order,
 * one thread at a time) and picks its keys. No thread has a duty of its own, so that two threads are both busy
 * whatever is dear, reading, judging or printing. The ring of blocks keeps their order and bounds the memory.
 *
 * Without work the helpers read and pick, and the main thread takes the blocks.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "input/organs.h"

#define SPINS 20000u /* some 20 microseconds */

struct crew {
    pthread_mutex_t lock; /* of all below but what a flag lends to one thread */
    pthread_cond_t changed;
    atomic_uint changes; /* written under the lock */
    reader *r;           /* whoever set `reading` */
    const format *f;
    input *in;     /* whoever set `giving`, and standard output with it */
    const work *w; /* NULL: the main thread takes the blocks            */
    block *ring;
    size_t blocks;
    uint64_t next_read, next_judged, next_given;
    bool reading, giving;
    bool ended;    /* nothing more to read                             */
    bool halted;   /* nothing more to judge: in the last one judged was trouble */
    bool stopping; /* nothing more to do                               */
    ending end;
    unsigned shares; /* that blocks are sorted for */
    int wake[2];
    size_t helpers;
    pthread_t helper[];
};

static block *slot(crew *c, uint64_t i) { return &c->ring[i % c->blocks]; }

static void say_changed(crew *c)
{
    atomic_fetch_add_explicit(&c->changes, 1, memory_order_release);
    pthread_cond_broadcast(&c->changed);
}

/* Most often another thread is reading, and ready in 10 microseconds: to sleep and be woken takes longer. */
static void wait_for_change(crew *c)
{
    const unsigned seen = atomic_load_explicit(&c->changes, memory_order_relaxed);
    unsigned now = seen;
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < SPINS && now == seen; i++)
        now = atomic_load_explicit(&c->changes, memory_order_acquire);
    pthread_mutex_lock(&c->lock);
    if (atomic_load_explicit(&c->changes, memory_order_relaxed) == seen)
        pthread_cond_wait(&c->changed, &c->lock);
}

/* Whoever waits for bytes sees the other end of its pipe go. */
static void stop(crew *c)
{
    if (!c->stopping) close(c->wake[1]);
    c->stopping = true;
    say_changed(c);
}

/* ---- what a thread can do: true when it did. The lock is held but while it works ------------------- */

static bool read_one(crew *c)
{
    if (c->reading || c->ended || c->halted || c->next_read - c->next_given == c->blocks)
        return false;
    block *b = slot(c, c->next_read);
    c->reading = true;
    pthread_mutex_unlock(&c->lock);
    const bool more = reader_next(c->r, b);
    pthread_mutex_lock(&c->lock);
    c->reading = false;
    c->next_read += more;
    c->ended = !more;
    say_changed(c);
    if (!more) return true;
    const unsigned shares = c->shares;
    pthread_mutex_unlock(&c->lock);
    block_prepare(c->f, c->w, b, shares);
    pthread_mutex_lock(&c->lock);
    b->done = true;
    say_changed(c);
    return true;
}

static void judged(crew *c, block *b)
{
    c->next_judged++;
    c->halted = b->end || b->failed;
    say_changed(c);
}

static bool judge_one(crew *c)
{
    if (!c->w || c->halted || c->next_judged == c->next_read) return false;
    block *b = slot(c, c->next_judged);
    if (!b->done) return false;
    block_follow(c->r, b);
    if (!c->w->judge) {
        judged(c, b);
        return true;
    }
    if (!b->shares && !block_begin(c->w, b)) c->shares = 1;
    if (b->next_share == b->shares) return false;
    const unsigned share = b->next_share++;
    size_t done;
    pthread_mutex_unlock(&c->lock);
    const ending end = block_judge(c->w, b, share, &done);
    pthread_mutex_lock(&c->lock);
    block_judged(b, end, done);
    if (++b->shares_done == b->shares) judged(c, b);
    return true;
}

static bool give_one(crew *c)
{
    if (!c->w || c->giving || c->next_given == c->next_judged) return false;
    block *b = slot(c, c->next_given);
    c->giving = true;
    pthread_mutex_unlock(&c->lock);
    const bool on = input_give(c->in, b);
    pthread_mutex_lock(&c->lock);
    c->giving = b->done = false;
    c->next_given++;
    c->end = b->end;
    if (!on || (c->halted && c->next_given == c->next_judged)) stop(c);
    say_changed(c);
    return true;
}

/* Output does not wait for input. */
static bool flush_one(crew *c)
{
    if (!c->w || c->giving || !out_pending()) return false;
    c->giving = true;
    pthread_mutex_unlock(&c->lock);
    out_flush();
    pthread_mutex_lock(&c->lock);
    c->giving = false;
    if (out_failed()) stop(c);
    return true;
}

static bool over(const crew *c)
{
    return c->stopping || (c->ended && (!c->w || c->next_given == c->next_read));
}

static void *help(void *arg)
{
    crew *c = arg;
    pthread_mutex_lock(&c->lock);
    while (!over(c))
        if (!give_one(c) && !judge_one(c) && !read_one(c) && !flush_one(c)) wait_for_change(c);
    say_changed(c);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- from the start to the end ------------------------------------------------------------------- */

crew *crew_start(reader *r, const format *f, unsigned helpers, input *in, const work *w)
{
    crew *c = calloc(1, sizeof *c + helpers * sizeof c->helper[0]);
    if (!c) return NULL;
    c->r = r;
    c->f = f;
    c->in = in;
    c->w = w;
    c->blocks = 2 * (size_t)helpers + 2;
    const unsigned max = w && w->max_shares ? w->max_shares : SHARES_MAX;
    for (c->shares = 1; c->shares <= helpers && c->shares < max; c->shares *= 2) continue;
    c->ring = calloc(c->blocks, sizeof *c->ring);
    if (!c->ring || pipe(c->wake)) {
        free(c->ring);
        free(c);
        return NULL;
    }
    for (int i = 0; i < 2; i++) (void)fcntl(c->wake[i], F_SETFD, FD_CLOEXEC);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    r->src.wake = c->wake[0];
    while (c->helpers < helpers && !pthread_create(&c->helper[c->helpers], NULL, help, c))
        c->helpers++;
    if (c->helpers) return c;
    r->src.wake = -1;
    crew_end(c);
    return NULL;
}

static void dismiss(crew *c)
{
    pthread_mutex_lock(&c->lock);
    stop(c);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->helpers; i++) pthread_join(c->helper[i], NULL);
    c->helpers = 0;
}

ending crew_work(crew *c)
{
    help(c);
    dismiss(c);
    c->r->src.wake = -1;
    return c->end;
}

block *crew_left(crew *c) { return c->next_given < c->next_read ? slot(c, c->next_given++) : NULL; }

block *crew_take(crew *c)
{
    block *b = NULL;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        b = c->next_given < c->next_read ? slot(c, c->next_given) : NULL;
        if ((b && b->done) || (!b && c->ended)) break;
        if (out_pending()) {
            pthread_mutex_unlock(&c->lock);
            out_flush();
            pthread_mutex_lock(&c->lock);
        } else
            pthread_cond_wait(&c->changed, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return b;
}

void crew_give_back(crew *c)
{
    pthread_mutex_lock(&c->lock);
    slot(c, c->next_given++)->done = false;
    say_changed(c);
    pthread_mutex_unlock(&c->lock);
}

void crew_end(crew *c)
{
    dismiss(c);
    close(c->wake[0]);
    for (size_t i = 0; i < c->blocks; i++) block_free(&c->ring[i]);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    free(c->ring);
    free(c);
}

/* shared.c - adding from many threads at once. */
#include <pthread.h>
#include <sched.h>

#include "core/core_internal.h"
#include "core/shared.h"

/* ---- a lock a key -------------------------------------------------------------------------------- */

enum { STRIPES = 1024, SPINS = 64 };

/* One for all filters: a lock is held for some ten nanoseconds. Each in a cache line of its own. */
static struct {
    uint8_t held;
    uint8_t rest[63];
} stripe[STRIPES];

static uint8_t *stripe_of(uint64_t hash) { return &stripe[blm_mix(hash) % STRIPES].held; }

static void take(uint8_t *held)
{
    for (unsigned tries = 1; __atomic_exchange_n(held, 1, __ATOMIC_ACQUIRE); tries++)
        if (tries % SPINS == 0) sched_yield(); /* its holder may be off its core */
}

/* A child of fork() has one thread: what others held would be held for ever. So a fork waits until nobody holds a lock,
 * and both processes go on with all of them free. */
static void take_all(void)
{
    for (size_t i = 0; i < STRIPES; i++) take(&stripe[i].held);
}

static void leave_all(void)
{
    for (size_t i = 0; i < STRIPES; i++) __atomic_store_n(&stripe[i].held, 0, __ATOMIC_RELEASE);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint8_t prepared;

static void prepare(void)
{
    if (pthread_atfork(take_all, leave_all, leave_all) == 0)
        __atomic_store_n(&prepared, 1, __ATOMIC_RELEASE);
}

void blm_key_lock(uint64_t hash)
{
    if (!__atomic_load_n(&prepared, __ATOMIC_ACQUIRE)) pthread_once(&once, prepare);
    take(stripe_of(hash));
}

void blm_key_unlock(uint64_t hash) { __atomic_store_n(stripe_of(hash), 0, __ATOMIC_RELEASE); }

/* ---- capacity -------------------------------------------------------------------------------------- */

/* A handle without cells, with the numbers of this moment: other threads are raising them. */
static blm_filter *snapshot(blm_filter *f)
{
    uint64_t bytes;
    blm_filter *now = blm_blank(f->kind, &f->alloc);
    for (size_t i = 0; now && i < f->kind->nfields; i++) {
        const blm_field *d = &f->kind->fields[i];
        uint64_t *state = (uint64_t *)(void *)((char *)f + d->at);
        blm_field_set(now, d,
                      d->flags & BLM_F_STATE ? __atomic_load_n(state, __ATOMIC_RELAXED)
                                             : blm_field_get(f, d));
    }
    if (!now) return NULL;
    now->adds = __atomic_load_n(&f->adds, __ATOMIC_RELAXED);
    now->capacity = f->capacity;
    now->target = f->target;
    blm_shape(now, &bytes, NULL);
    return now;
}

/* The rate that the ones of this moment stand for. Cells are not read, others are writing them: the ones
 * tell the number of keys, and theory the rate. */
static blm_err judge_shared(blm_filter *f)
{
    blm_filter *now = snapshot(f);
    if (!now) return BLM_E_NOMEM;
    blm_estimate keys = {0, 0, 0, false};
    f->kind->keys(now, &keys);
    const blm_case inside = {.keys = (uint64_t)keys.value, .arg = BLM_NO_ARG},
                   full = {.keys = blm_capacity_now(now), .arg = BLM_NO_ARG};
    const double max = 2 * now->target * (1 + 4 * f->kind->fpr(now, &full).spread);
    const bool over = f->kind->fpr(now, &inside).high > max;
    if (!over) {
        blm_look_again(now);
        __atomic_store_n(&f->look, now->look, __ATOMIC_RELAXED);
    }
    blm_free(now);
    return over ? BLM_E_FULL : BLM_OK;
}

blm_err blm_add_shared(blm_filter *f, const blm_hash *h, size_t n, uint8_t *fresh)
{
    blm_err err = blm_may_write(f, BLM_SHARED);
    if (err || !n) return err;
    if (!(f->flags & BLM_OVERFILL) &&
        __atomic_load_n(&f->adds, __ATOMIC_RELAXED) >= __atomic_load_n(&f->look, __ATOMIC_RELAXED))
        err = judge_shared(f);
    if (err) return err;
    f->kind->add_shared(f, h, n, fresh);
    if (__atomic_add_fetch(&f->adds, n, __ATOMIC_RELAXED) > BLM_ADDS_MAX)
        __atomic_store_n(&f->adds, BLM_ADDS_MAX, __ATOMIC_RELAXED);
    return BLM_OK;
}

/* replace.c - replace a mapped filter while threads are asking it.
 *
 * A new version of the file is written next to the old one and renamed over it (blm_write), so the
 * mapping that threads are using stays valid. The new file is mapped, the pointer is swapped under a
 * lock that each thread holds for one batch of queries, and then nobody uses the old filter any more.
 * The lock is held for writing only while the pointer changes: nobody waits for the disk.
 */
#define _POSIX_C_SOURCE 200809L
#include <bloomery/bloomery.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 3, VERSIONS = 5, BATCH = 256 };
static const char path[] = "example_replace.blm";

static struct {
    pthread_rwlock_t lock;
    blm_filter *f; /* the filter in use */
} current = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static atomic_bool done;
static atomic_uint_fast64_t missing, batches;

/* Version v has the keys 0 .. BATCH * v - 1: every version has those of the one before it. */
static blm_err publish(uint64_t version, blm_report *why)
{
    blm_filter *f, *old;
    blm_err err =
        blm_new(&f, BLM_CONFIG(.kind = "blocked", .keys = (uint64_t)BATCH * VERSIONS), why);
    if (err) return err;
    for (uint64_t key = 0; key < BATCH * version && !err; key++) err = blm_add_u64(f, key);
    if (!err) err = blm_write(f, path, BLM_WRITE_REPLACE, why);
    blm_free(f);
    if (err || (err = blm_map(&f, path, BLM_OPEN(.check = BLM_CHECK_ALL), why))) return err;
    pthread_rwlock_wrlock(&current.lock); /* waits until all batches have ended */
    old = current.f;
    current.f = f;
    pthread_rwlock_unlock(&current.lock);
    blm_free(old); /* unmaps the old file; NULL at first */
    return BLM_OK;
}

static void *ask(void *unused)
{
    uint64_t key[BATCH];
    uint8_t yes[BATCH];
    (void)unused;
    for (uint64_t i = 0; i < BATCH; i++) key[i] = i;
    while (!atomic_load(&done)) {
        pthread_rwlock_rdlock(&current.lock);
        blm_has_many_u64(current.f, key, BATCH, yes);
        pthread_rwlock_unlock(&current.lock);
        for (size_t i = 0; i < BATCH; i++) atomic_fetch_add(&missing, !yes[i]);
        atomic_fetch_add(&batches, 1);
    }
    return NULL;
}

int main(void)
{
    blm_report why = {BLM_OK, "cannot start a thread"};
    pthread_t thread[THREADS];
    unsigned started = 0;
    blm_err err = publish(1, &why);
    while (!err && started < THREADS && !pthread_create(&thread[started], NULL, ask, NULL))
        started++;
    if (started < THREADS) err = err ? err : BLM_E_NOMEM;
    for (uint64_t version = 2; version <= VERSIONS && !err; version++) {
        const uint64_t before = atomic_load(&batches);
        while (atomic_load(&batches) < before + 10)
            continue; /* each version is asked for a while */
        err = publish(version, &why);
    }
    atomic_store(&done, true);
    for (unsigned i = 0; i < started; i++) pthread_join(thread[i], NULL);
    blm_free(current.f);
    if (err) return fprintf(stderr, "%s\n", why.text), 1;
    printf("%d versions, %d threads: %llu members missing\n", VERSIONS, THREADS,
           (unsigned long long)atomic_load(&missing));
    return remove(path) != 0 || atomic_load(&missing) != 0;
}

/* test_bulk.c - many hashes by several threads: the bytes are those of one. */
#define _DEFAULT_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core_internal.h"
#include "core/kind.h"
#include "core/shared.h"
#include "core/unit.h"

enum { PAST_FULL = 600000, KEYS = TEST_SLOW ? 200000 : PAST_FULL }; /* a thread for each 2^16 */

static blm_hash *some_hashes(const blm_filter *f, size_t n)
{
    blm_hash *h = malloc(n * sizeof *h);
    assert_non_null(h);
    for (size_t i = 0; i < n; i++) h[i] = blm_hash_u64(f, i * 7);
    return h;
}

static void same_bytes_by_any_number_of_threads(void **state)
{
    static const char *const specs[] = {
        "blocked keys=6e5 fpr=1%",
        "blocked keys=6e5 bits=4800007b",
        "split-block keys=6e5 fpr=1%",
        "standard keys=6e5 fpr=1%",
        "counting keys=6e5 fpr=1%",
        "blocked keys=6e5 bits=513b overfill=yes",
        "counting keys=6e5 fpr=1% layout=line",
        "counting keys=6e5 fpr=1% layout=line width=2", /* many stick */
        "split-block keys=6e5 bits=1024b overfill=yes",
        "adaptive keys=6e5 fpr=1%"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *one, *many;
        OK(blm_make(&one, specs[i], &why));
        blm_hash *h = some_hashes(one, KEYS);
        size_t done = 0;
        assert_int_equal(blm_add_many(one, h, NULL, KEYS, NULL, &done), BLM_OK);
        for (unsigned threads = 0; threads <= 5; threads++) {
            OK(blm_make(&many, specs[i], &why));
            done = 0;
            assert_int_equal(blm_add_bulk(many, h, KEYS, threads, &done), BLM_OK);
            assert_int_equal(done, KEYS);
            assert_true(blm_equal(one, many));
            blm_free(many);
        }
        blm_free(one);
        free(h);
    }
}

/* Fewer blocks than threads, and every 20th key is the last hash of all: it lies in the last block, which must
 * not have two owners. A line of counters shows each add that is lost: 600,000 of one counter per key among 32,
 * and 30,000 more to one of them, are below 2^16. */
static void a_block_has_one_owner(void **state)
{
    static const char *const specs[] = {
        "counting keys=1 bits=512b hashes=1 layout=line width=16 overfill=yes",
        "counting keys=1 bits=1536b hashes=1 layout=line width=16 overfill=yes",
        "blocked keys=1 bits=512b hashes=1 overfill=yes"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++)
        for (unsigned threads = 2; threads <= 5; threads++) {
            blm_filter *one, *many;
            OK(blm_make(&one, specs[i], &why));
            OK(blm_make(&many, specs[i], &why));
            blm_hash *h = some_hashes(one, KEYS);
            for (size_t j = 0; j < KEYS; j += 20) h[j].lo = UINT64_MAX;
            assert_int_equal(blm_add_many(one, h, NULL, KEYS, NULL, NULL), BLM_OK);
            assert_int_equal(blm_add_bulk(many, h, KEYS, threads, NULL), BLM_OK);
            assert_true(blm_equal(one, many));
            blm_free(one);
            blm_free(many);
            free(h);
        }
}

static void past_capacity_it_stops(void **state)
{
    blm_filter *f;
    blm_info info;
    size_t done = 0;
    (void)state;
    OK(blm_make(&f, "blocked keys=2e5 fpr=1%", &why));
    blm_hash *h = some_hashes(f, PAST_FULL);
    assert_int_equal(blm_add_bulk(f, h, PAST_FULL, 2, &done), BLM_E_FULL);
    blm_info_of(f, &info);
    assert_true(done > 200000 && done < 300000 && info.adds == done);
    uint8_t *yes = malloc(done);
    blm_has_many(f, h, NULL, done, yes);
    for (size_t i = 0; i < done; i++) assert_int_equal(yes[i], 1);
    free(yes);
    free(h);
    blm_free(f);
}

/* ---- add_shared ------------------------------------------------------------------------------------ */

enum { CROWD = 4, EACH = 100000 };

typedef struct adder {
    blm_filter *f;
    const blm_hash *h;
    uint8_t *fresh;
    size_t n, from;
    blm_err err;
} adder;

/* All threads bring the same keys, in runs that begin elsewhere: they meet often. */
static void *bring_all(void *arg)
{
    adder *a = arg;
    for (size_t at = 0; at < a->n && !a->err; at += 100) {
        const size_t place = (at + a->from) % a->n;
        a->err = blm_add_shared(a->f, a->h + place, 100, a->fresh ? a->fresh + place : NULL);
    }
    return NULL;
}

static void crowd(adder *a)
{
    pthread_t id[CROWD];
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&id[i], NULL, bring_all, &a[i]), 0);
    for (size_t i = 0; i < CROWD; i++) assert_int_equal(pthread_join(id[i], NULL), 0);
    for (size_t i = 0; i < CROWD; i++) assert_int_equal(a[i].err, BLM_OK);
}

static const char *const shared_specs[] = {"standard keys=1e5 fpr=1%", "blocked keys=1e5 fpr=1%",
                                           "split-block keys=1e5 fpr=1%",
                                           "blocked keys=1e5 fpr=1e-5"};

static void no_key_is_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shared_specs); i++) {
        blm_filter *one, *f;
        blm_info info;
        OK(blm_make(&one, shared_specs[i], &why));
        OK(blm_make(&f, shared_specs[i], &why));
        blm_hash *h = some_hashes(f, EACH);
        adder a[CROWD];
        for (size_t j = 0; j < CROWD; j++) a[j] = (adder){f, h, NULL, EACH, j * 300, BLM_OK};
        crowd(a);
        for (size_t j = 0; j < CROWD; j++)
            assert_int_equal(blm_add_many(one, h, NULL, EACH, NULL, NULL), BLM_OK);
        blm_info_of(f, &info);
        assert_int_equal(info.adds, CROWD * EACH);
        assert_true(blm_equal(one, f));
        blm_free(one);
        blm_free(f);
        free(h);
    }
}

/* At most one thread gets "new"; exactly one, except for keys whose bits others had set: no more of them than the
 * rate allows (the mean rate while it fills is below the last one, 1 %). */
static void a_key_is_new_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shared_specs); i++) {
        blm_filter *f;
        OK(blm_make(&f, shared_specs[i], &why));
        blm_hash *h = some_hashes(f, EACH);
        uint8_t *fresh = calloc(CROWD, EACH);
        adder a[CROWD];
        size_t none = 0;
        for (size_t j = 0; j < CROWD; j++)
            a[j] = (adder){f, h, fresh + j * EACH, EACH, j * 300, BLM_OK};
        crowd(a);
        for (size_t j = 0; j < EACH; j++) {
            unsigned told = 0;
            for (size_t t = 0; t < CROWD; t++) told += fresh[t * EACH + j];
            assert_true(told <= 1);
            none += told == 0;
        }
        assert_true(none < EACH / 100);
        blm_free(f);
        free(fresh);
        free(h);
    }
}

static void shared_adds_stop_past_capacity(void **state)
{
    blm_filter *f;
    blm_err err = BLM_OK;
    size_t at = 0;
    (void)state;
    OK(blm_make(&f, "blocked keys=10000 fpr=1%", &why));
    blm_hash *h = some_hashes(f, EACH);
    for (; at < EACH && !err; at += 50) err = blm_add_shared(f, h + at, 50, NULL);
    assert_int_equal(err, BLM_E_FULL);
    assert_true(at > 11000 && at < 13000); /* 16 % too many keys are twice the rate */
    assert_int_equal(blm_room(f, NULL), BLM_E_FULL);
    blm_free(f);
    OK(blm_make(&f, "counting keys=1000 fpr=1%", &why));
    assert_int_equal(blm_add_shared(f, h, 1, NULL), BLM_E_CANNOT);
    blm_free(f);
    free(h);
}

/* ---- fork ---------------------------------------------------------------------------------------------- */

static atomic_int lock_is_held;

static void *hold_a_lock(void *ctx)
{
    (void)ctx;
    blm_key_lock(5);
    lock_is_held = 1;
    usleep(50000);
    blm_key_unlock(5);
    return NULL;
}

/* A fork while another thread holds the lock of a key: the child gets it all the same. */
static void a_child_of_fork_finds_no_lock_held(void **state)
{
    pthread_t holder;
    int status = -1;
    (void)state;
    lock_is_held = 0;
    assert_int_equal(pthread_create(&holder, NULL, hold_a_lock, NULL), 0);
    while (!lock_is_held) usleep(100);
    const pid_t child = fork();
    if (child == 0) {
        alarm(5); /* else it would wait for ever */
        blm_key_lock(5);
        blm_key_unlock(5);
        raise(SIGTERM); /* an exit would make ThreadSanitizer miss the other thread */
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    pthread_join(holder, NULL);
    blm_key_lock(5); /* and the parent has it free again */
    blm_key_unlock(5);
}

/* ---- batches of keys ------------------------------------------------------------------------------- */

static void keys_in_batches(void **state)
{
    static const char *const specs[] = {
        "blocked keys=3000 fpr=1%",  "split-block keys=3000 fpr=1%",
        "standard keys=3000 fpr=1%", "standard keys=3000 fpr=1e-9",
        "counting keys=3000 fpr=1%", "blocked keys=3000 fpr=1% seed=7"};
    enum { MANY = 2000 };
    static uint64_t number[MANY];
    static char text[MANY][8];
    static blm_key key[MANY];
    static uint8_t yes[MANY], fresh[MANY], again[MANY];
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        number[i] = i % 1500 * UINT64_C(0x9e3779b97f4a7c15);
        for (unsigned j = 0; j < 8; j++) text[i][j] = (char)(number[i] >> 8 * j);
        key[i] = (blm_key){text[i], 8};
    }
    for (size_t s = 0; s < COUNT(specs); s++) {
        blm_filter *one, *by_number, *by_key;
        size_t done = 0;
        OK(blm_make(&one, specs[s], &why));
        OK(blm_make(&by_number, specs[s], &why));
        OK(blm_make(&by_key, specs[s], &why));
        for (size_t n = 1; n <= MANY; n = n * 3 + 1) {
            blm_clear(one), blm_clear(by_number), blm_clear(by_key);
            for (size_t i = 0; i < n; i++) {
                bool is_new = false;
                const blm_item it = blm_item_u64(one, number[i], BLM_NO_ARG);
                assert_int_equal(blm_add_item(one, &it, &is_new), BLM_OK);
                again[i] = is_new;
            }
            assert_int_equal(blm_add_many_u64(by_number, number, n, fresh, &done), BLM_OK);
            assert_int_equal(done, n);
            assert_memory_equal(fresh, again, n);
            assert_int_equal(blm_add_many_keys(by_key, key, n, fresh, &done), BLM_OK);
            assert_int_equal(done, n);
            assert_memory_equal(fresh, again, n);
            assert_true(blm_equal(one, by_number) && blm_equal(one, by_key));
            for (size_t i = 0; i < MANY; i++) again[i] = blm_has_u64(one, number[i] + i % 2);
            for (size_t i = 0; i < MANY; i++) number[i] += i % 2, text[i][0] = (char)number[i];
            blm_has_many_u64(one, number, MANY, yes);
            assert_memory_equal(yes, again, MANY);
            for (size_t i = 0; i < MANY; i++)
                for (unsigned j = 0; j < 8; j++) text[i][j] = (char)(number[i] >> 8 * j);
            memset(yes, 7, MANY);
            blm_has_many_keys(one, key, MANY, yes);
            assert_memory_equal(yes, again, MANY);
            for (size_t i = 0; i < MANY; i++) {
                number[i] -= i % 2;
                for (unsigned j = 0; j < 8; j++) text[i][j] = (char)(number[i] >> 8 * j);
            }
        }
        blm_free(one), blm_free(by_number), blm_free(by_key);
    }
}

/* Hashes, keys and answers end where memory ends: whoever looks at one more falls. */
static void nothing_behind_the_last_is_touched(void **state)
{
    static const char *const specs[] = {
        "standard keys=1000 fpr=1%",  "blocked keys=1000 fpr=1%",
        "blocked keys=1000 fpr=1e-4", "split-block keys=1000 fpr=1%",
        "counting keys=1000 fpr=1%",  "counting keys=1000 fpr=1% layout=line"};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = 4 * page;
    char *wall[3];
    (void)state;
    for (size_t i = 0; i < 3; i++) { /* each: room, then a page that nobody may touch */
        char *p =
            mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(p != (char *)MAP_FAILED && mprotect(p + room, page, PROT_NONE) == 0);
        wall[i] = p + room;
    }
    for (size_t s = 0; s < COUNT(specs); s++) {
        blm_filter *f;
        OK(blm_make(&f, specs[s], &why));
        for (size_t n = 0; n <= 300; n += n < 70 ? 1 : 23) {
            blm_hash *h = (blm_hash *)(void *)wall[0] - n;
            uint64_t *k = (uint64_t *)(void *)wall[1] - n;
            uint8_t *yes = (uint8_t *)wall[2] - n;
            for (size_t i = 0; i < n; i++) k[i] = i % 40, h[i] = blm_hash_u64(f, k[i]);
            assert_int_equal(blm_add_many(f, h, NULL, n, yes, NULL), BLM_OK);
            assert_int_equal(blm_add_many_u64(f, k, n, yes, NULL), BLM_OK);
            blm_has_many(f, h, NULL, n, yes); /* members, and then non-members: both forms */
            for (size_t i = 0; i < n; i++) assert_int_equal(yes[i], 1);
            blm_has_many_u64(f, k, n, yes);
            for (size_t i = 0; i < n; i++) assert_int_equal(yes[i], 1);
            for (size_t i = 0; i < n; i++) k[i] += 1000000, h[i] = blm_hash_u64(f, k[i]);
            blm_has_many(f, h, NULL, n, yes);
            blm_has_many_u64(f, k, n, yes);
        }
        blm_free(f);
    }
    for (size_t i = 0; i < 3; i++) munmap(wall[i] - room, room + page);
}

static void keys_without_bytes(void **state)
{
    blm_filter *f;
    uint8_t yes[3], fresh[3] = {9, 9, 9};
    size_t done = 0;
    const blm_key k[] = {{"a", 1}, {NULL, 4}, {NULL, 0}};
    (void)state;
    OK(blm_make(&f, "blocked keys=100 fpr=1e-6", &why));
    assert_int_equal(blm_add_many_keys(f, k, 3, fresh, &done), BLM_E_ARG);
    assert_true(done == 1 && fresh[0] == 1 && fresh[1] == 9);
    assert_int_equal(blm_add(f, NULL, 0), BLM_OK);
    blm_has_many_keys(f, k, 3, yes);
    assert_true(yes[0] == 1 && yes[1] == 0 && yes[2] == 1);
    blm_free(f);
}

/* A kind of integers is asked by keys of 8 bytes; a shorter one is none of them, not even the integer 0. */
static void keys_that_are_no_integers(void **state)
{
    blm_filter *f;
    uint8_t yes[3];
    size_t done = 0;
    const blm_key k[] = {{"\1\2\3\4\5\6\7", 8}, {"short", 5}, {"12345678", 8}};
    (void)state;
    OK(blm_make(&f, "blocked keys=100 fpr=1e-6", &why));
    blm_kind integers = *f->kind;
    integers.needs |= BLM_NEEDS_U64;
    f->kind = &integers;
    blm_settle(f); /* hashes no key */
    assert_int_equal(blm_add_u64(f, 0), BLM_OK);
    assert_int_equal(blm_add_many_keys(f, k, 3, NULL, &done), BLM_E_ARG);
    assert_int_equal(done, 1);
    blm_has_many_keys(f, k, 3, yes);
    assert_true(yes[0] == 1 && yes[1] == 0 && yes[2] == 0);
    assert_true(blm_has_u64(f, UINT64_C(0x0007060504030201)));
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_by_any_number_of_threads),
        cmocka_unit_test(a_block_has_one_owner),
        cmocka_unit_test(past_capacity_it_stops),
        cmocka_unit_test(no_key_is_lost),
        cmocka_unit_test(a_key_is_new_once),
        cmocka_unit_test(shared_adds_stop_past_capacity),
        cmocka_unit_test(a_child_of_fork_finds_no_lock_held),
        cmocka_unit_test(keys_in_batches),
        cmocka_unit_test(nothing_behind_the_last_is_touched),
        cmocka_unit_test(keys_without_bytes),
        cmocka_unit_test(keys_that_are_no_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

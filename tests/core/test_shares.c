/* test_shares.c - a builder's set of hashes filled by several threads, a share each: it is the set that one
 * thread fills. */
#include <pthread.h>
#include <stdatomic.h>

#include "core/unit.h"

#define KEYS  200000u
#define BATCH 512u

static blm_builder *builder(const blm_config *c)
{
    blm_builder *b = NULL;
    OK(blm_builder_new(&b, c, &why));
    return b;
}

/* Every key twice, and some a third time at once. */
static void make_hashes(const blm_builder *b, blm_hash *h)
{
    for (uint64_t i = 0; i < KEYS; i++)
        h[i] = blm_hash_u64(blm_builder_hasher(b), i % 7 ? i % (KEYS / 2) : i / 2);
}

/* ---- a thread a share ----------------------------------------------------------------------------- */

typedef struct job {
    blm_builder *b;
    const blm_hash *h;
    uint8_t *fresh;
    unsigned share, shares;
    blm_err err;
} job;

static void add_batch(job *j, size_t from)
{
    blm_hash own[BATCH] = {{0, 0}};
    uint8_t fresh[BATCH];
    size_t of[BATCH], n = 0;
    for (size_t i = from; i < KEYS && i < from + BATCH; i++)
        if (j->h[i].lo / (UINT64_MAX / j->shares + 1) == j->share) own[n] = j->h[i], of[n++] = i;
    j->err = blm_builder_add_share(j->b, own, n, fresh, j->share, j->shares);
    for (size_t i = 0; i < n && !j->err; i++) j->fresh[of[i]] = fresh[i];
}

static void *add_share(void *arg)
{
    job *j = arg;
    for (size_t from = 0; from < KEYS && !j->err; from += BATCH) add_batch(j, from);
    return NULL;
}

static void add_all_shares(blm_builder *b, const blm_hash *h, uint8_t *fresh, unsigned shares)
{
    pthread_t thread[16];
    job jobs[16];
    for (unsigned i = 0; i < shares; i++) {
        jobs[i] = (job){b, h, fresh, i, shares, BLM_OK};
        assert_int_equal(pthread_create(&thread[i], NULL, add_share, &jobs[i]), 0);
    }
    for (unsigned i = 0; i < shares; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(jobs[i].err, BLM_OK);
    }
}

static void the_same_set(void **state)
{
    static const char *const kinds[] = {"blocked", "counting"};
    static blm_hash h[KEYS];
    static uint8_t one[KEYS], many[KEYS];
    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned shares = 2; shares <= 16; shares *= 2) {
            blm_builder *a = builder(BLM_CONFIG(.kind = kinds[k])),
                        *b = builder(BLM_CONFIG(.kind = kinds[k]));
            blm_filter *f = NULL, *g = NULL;
            make_hashes(a, h);
            memset(many, 2, sizeof many);
            assert_int_equal(blm_builder_add_many(a, h, KEYS, one), BLM_OK);
            assert_int_equal(blm_builder_shares(b, KEYS), 16);
            add_all_shares(b, h, many, shares);
            assert_memory_equal(one, many, KEYS);
            assert_int_equal(blm_builder_keys(a), blm_builder_keys(b));
            assert_int_equal(blm_builder_memory(a), blm_builder_memory(b));
            OK(blm_build(&f, a, &why));
            OK(blm_build(&g, b, &why));
            assert_true(blm_equal(f, g)); /* adds too */
            blm_free(f);
            blm_free(g);
        }
}

/* ---- memory ------------------------------------------------------------------------------------------ */

typedef struct counted_purse {
    _Atomic uint64_t held, max;
} counted_purse;

static void *get(void *ctx, size_t bytes)
{
    counted_purse *p = ctx;
    const uint64_t held = atomic_fetch_add(&p->held, bytes) + bytes;
    uint64_t max = atomic_load(&p->max);
    while (held > max && !atomic_compare_exchange_weak(&p->max, &max, held)) continue;
    return calloc(1, bytes);
}

static void put(void *ctx, void *p, size_t bytes)
{
    atomic_fetch_sub(&((counted_purse *)ctx)->held, bytes);
    free(p);
}

/* The figure of the header: 25 bytes per hash, 38 with counts, and 128 KiB more for 256 small tables. Hashes
 * that are all new and of one table are the worst. */
static void no_more_than_it_says(void **state)
{
    static const char *const kinds[] = {"blocked", "counting"};
    static const uint64_t each[] = {25, 38};
    static blm_hash h[KEYS];
    static uint8_t fresh[KEYS];
    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned crowd = 0; crowd < 2; crowd++) {
            counted_purse p = {0, 0};
            const blm_alloc a = {get, put, &p};
            blm_builder *b = builder(BLM_CONFIG(.kind = kinds[k], .alloc = &a));
            for (uint64_t i = 0; i < KEYS; i++) {
                h[i] = blm_hash_u64(blm_builder_hasher(b), i);
                if (crowd) h[i].lo >>= 8;
            }
            for (size_t from = 0; from < KEYS; from += BATCH) {
                for (unsigned share = 0; share < 16; share++) {
                    job j = {b, h, fresh, share, 16, BLM_OK};
                    add_batch(&j, from);
                }
                if (atomic_load(&p.max) > each[k] * (from + BATCH) + (UINT64_C(128) << 10))
                    fail_msg("%s: %llu bytes for %zu hashes", kinds[k],
                             (unsigned long long)atomic_load(&p.max), from + BATCH);
            }
            assert_int_equal(blm_builder_keys(b), KEYS);
            blm_builder_free(b);
            assert_int_equal(atomic_load(&p.held), 0);
        }
}

/* With little memory there are no shares, from the number on that might pass it; then hashes are spooled. */
static void shares_within_ram(void **state)
{
    static blm_hash h[KEYS];
    static uint8_t fresh[KEYS];
    (void)state;
    blm_builder *b = builder(BLM_CONFIG(.kind = "blocked"));
    OK(blm_builder_ram(b, 8 << 20, ".", &why));
    make_hashes(b, h);
    assert_int_equal(blm_builder_shares(b, KEYS), 16);
    add_all_shares(b, h, fresh, 4);
    assert_int_equal(blm_builder_shares(b, 200000), 16); /* 25 * 314286 or fewer */
    assert_int_equal(blm_builder_shares(b, 400000), 1);
    for (uint64_t round = 1; round <= 8; round++) { /* 1.6M new ones of 7 bytes or more: spooled */
        for (uint64_t i = 0; i < KEYS; i++)
            h[i] = blm_hash_u64(blm_builder_hasher(b), round << 32 | i);
        assert_int_equal(blm_builder_add_many(b, h, KEYS, NULL), BLM_OK);
    }
    assert_int_equal(blm_builder_shares(b, 1), 1);
    assert_int_equal(blm_builder_add_share(b, h, 1, NULL, (unsigned)(h[0].lo >> 63), 2),
                     BLM_E_CANNOT);
    blm_builder_free(b);
}

/* ---- refused ---------------------------------------------------------------------------------------------- */

static void wrong_shares(void **state)
{
    static const unsigned wrong[][2] = {{0, 0}, {0, 3}, {0, 32}, {2, 2}, {16, 16}, {0, 6}};
    const blm_hash low = {.lo = 1}, high = {.lo = UINT64_MAX}, both[] = {low, high};
    (void)state;
    blm_builder *b = builder(BLM_CONFIG(.kind = "blocked"));
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(blm_builder_add_share(b, &low, 1, NULL, wrong[i][0], wrong[i][1]),
                         BLM_E_ARG);
    assert_int_equal(blm_builder_add_share(b, &low, 1, NULL, 1, 2), BLM_E_ARG);
    assert_int_equal(blm_builder_add_share(b, both, 2, NULL, 0, 2), BLM_E_ARG);
    assert_int_equal(blm_builder_keys(b), 0); /* nothing was added */
    assert_int_equal(blm_builder_add_share(b, &low, 1, NULL, 0, 16), BLM_OK);
    assert_int_equal(blm_builder_add_share(b, &high, 1, NULL, 15, 16), BLM_OK);
    assert_int_equal(blm_builder_add_share(b, both, 2, NULL, 0, 1), BLM_OK);
    assert_int_equal(blm_builder_keys(b), 2);
    blm_builder_free(b);
    b = builder(BLM_CONFIG(.kind = "blocked", .keys = 100)); /* keys go straight in */
    assert_int_equal(blm_builder_shares(b, 1), 1);
    assert_int_equal(blm_builder_add_share(b, &low, 1, NULL, 0, 1), BLM_E_CANNOT);
    blm_builder_free(b);
}

/* ---- many keys to hashes ------------------------------------------------------------------------------------- */

static void many_hashes_are_single_ones(void **state)
{
    static const uint8_t secret[16] = {1, 2, 3};
    static char text[1000];
    (void)state;
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * i % 251);
    for (unsigned keyed = 0; keyed < 2; keyed++) {
        blm_filter *f = NULL;
        blm_key k[301];
        blm_hash h[301];
        OK(blm_new(&f, BLM_CONFIG(.keys = 10, .seed = 5, .secret = keyed ? secret : NULL), &why));
        for (size_t i = 0; i < COUNT(k); i++) k[i] = (blm_key){text + i, i};
        blm_hash_many(f, k, COUNT(k), h);
        for (size_t i = 0; i < COUNT(k); i++)
            assert_true(h[i].lo == blm_hash_of(f, text + i, i).lo);
        blm_hash_many(f, NULL, 0, NULL);
        blm_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_set),
        cmocka_unit_test(no_more_than_it_says),
        cmocka_unit_test(shares_within_ram),
        cmocka_unit_test(wrong_shares),
        cmocka_unit_test(many_hashes_are_single_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

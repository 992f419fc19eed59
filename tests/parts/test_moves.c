/* test_moves.c - the shortest way to a free slot: against distances that are computed by hand, in tables of any graph. */
#include "core/unit.h"
#include "parts/moves.h"

enum { BUCKETS = 5000, SLOTS = 3 };

/* Key k lies in `at[k]` and could lie in `to[k]`; key 0: none. */
typedef struct table {
    unsigned slot[BUCKETS][SLOTS], at[BUCKETS * SLOTS + 2], to[BUCKETS * SLOTS + 2];
    unsigned moved, looked;
} table;

static unsigned vacancy(const void *self, uint64_t bucket)
{
    const table *t = self;
    unsigned slot = 0;
    while (slot < SLOTS && t->slot[bucket][slot]) slot++;
    return slot;
}

static void fetch(const void *self, uint64_t bucket)
{
    (void)self;
    assert_true(bucket < BUCKETS);
}

static uint64_t other(const void *self, uint64_t bucket, unsigned slot)
{
    const table *t = self;
    const unsigned key = t->slot[bucket][slot];
    assert_true(key && t->at[key] == bucket);
    return t->to[key];
}

/* Only into a slot that was empty, or that the key before it has left. */
static void move(void *self, uint64_t from, unsigned slot, uint64_t to, unsigned to_slot)
{
    table *t = self;
    const unsigned key = t->slot[from][slot], old = t->slot[to][to_slot];
    assert_true(key && t->to[key] == to && (!old || t->at[old] != to));
    t->slot[to][to_slot] = key;
    t->to[key] = (unsigned)from;
    t->at[key] = (unsigned)to;
    t->moved++;
}

static const blm_moves_by by = {vacancy, fetch, other, move};

/* Full but for some slots of some buckets. */
static table *table_of(unsigned buckets, uint64_t seed, unsigned empty)
{
    table *t = calloc(1, sizeof *t);
    uint64_t random = seed;
    unsigned key = 1;
    assert_non_null(t);
    for (unsigned b = 0; b < buckets; b++)
        for (unsigned s = 0; s < SLOTS; s++, key++) {
            t->slot[b][s] = key;
            t->at[key] = b;
            t->to[key] = (unsigned)draw(&random) % buckets;
        }
    for (unsigned i = 0; i < empty; i++)
        t->slot[draw(&random) % buckets][draw(&random) % SLOTS] = 0;
    return t;
}

/* The fewest moves that free a slot in one of the two buckets: by rounds over all buckets. Buckets reached: *seen. */
static unsigned fewest(const table *t, unsigned buckets, unsigned a, unsigned b, unsigned *seen)
{
    static unsigned far[BUCKETS];
    for (unsigned i = 0; i < buckets; i++) far[i] = UINT32_MAX;
    far[a] = far[b] = 0;
    *seen = 1 + (a != b);
    for (unsigned d = 0; d < buckets; d++) {
        bool more = false;
        for (unsigned i = 0; i < buckets; i++)
            if (far[i] == d && vacancy(t, i) < SLOTS) return d;
        for (unsigned i = 0; i < buckets; i++)
            for (unsigned s = 0; far[i] == d && s < SLOTS; s++) {
                unsigned *to = &far[t->to[t->slot[i][s]]];
                if (*to != UINT32_MAX) continue;
                *to = d + 1;
                more = true;
                ++*seen;
            }
        if (!more) break;
    }
    return UINT32_MAX;
}

/* Keys that moved lie in their other bucket; every key that was there is there. */
static void check_table(const table *t, const table *before, unsigned buckets)
{
    unsigned keys = 0, keys_before = 0;
    for (unsigned b = 0; b < buckets; b++)
        for (unsigned s = 0; s < SLOTS; s++) {
            const unsigned key = t->slot[b][s];
            keys_before += before->slot[b][s] != 0;
            if (!key || t->at[key] != b) continue; /* where it was before it moved */
            keys++;
            assert_true(before->at[key] == b
                            ? t->to[key] == before->to[key]
                            : before->to[key] == b && t->to[key] == before->at[key]);
        }
    assert_int_equal(keys, keys_before);
}

static unsigned tried(unsigned buckets, uint64_t seed, unsigned empty)
{
    table *t = table_of(buckets, seed, empty), *before = calloc(1, sizeof *before);
    uint64_t random = seed ^ 99, bucket = 0;
    const uint64_t at[2] = {draw(&random) % buckets, draw(&random) % buckets};
    unsigned slot = 0, seen;
    assert_non_null(before);
    memcpy(before, t, sizeof *t);
    const unsigned far = fewest(t, buckets, (unsigned)at[0], (unsigned)at[1], &seen);
    if (far == 0) { /* the caller has looked there */
        free(t), free(before);
        return 0;
    }
    const bool made = blm_moves_make(&by, SLOTS, t, at, 2, &bucket, &slot);
    if (made) {
        assert_int_equal(t->moved, far);
        assert_true(bucket == at[0] || bucket == at[1]);
        assert_true(t->at[t->slot[bucket][slot]] != bucket); /* it has gone */
        check_table(t, before, buckets);
    } else {
        assert_true(far == UINT32_MAX || seen > BLM_MOVES_STEPS);
        assert_memory_equal(t, before, sizeof *t);
    }
    free(t), free(before);
    return made ? far : UINT32_MAX;
}

static void ways_are_the_shortest(void **state)
{
    unsigned found[40] = {0}, none = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const unsigned far = tried(seed % 2 ? 60 : 700, seed, seed % 3 ? 3 : 1);
        if (far == UINT32_MAX)
            none++;
        else if (far < 40)
            found[far]++;
    }
    for (unsigned d = 1; d < 7; d++) assert_true(found[d] > 2);
    assert_true(none > 2);
}

/* A search ends after so many buckets, whether there is a way or not. */
static void long_searches_end(void **state)
{
    unsigned made = 0, none = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        const unsigned far = tried(BUCKETS, seed, 1 + seed % 2);
        none += far == UINT32_MAX;
        made += far && far != UINT32_MAX;
    }
    assert_true(none > 5 && made > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_the_shortest),
        cmocka_unit_test(long_searches_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

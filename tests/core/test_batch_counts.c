/* test_batch_counts.c - batches of deletes and counts: who is asked for what, and where a batch ends.
 *
 * The kinds here have no cells: a key is absent, or one of many, or cannot be deleted, as its number says. Both go through the same table, with
 * batches of their own and without.
 */
#include "core/unit.h"
#include "core/core_internal.h"
#include "core/bytes.h"

enum { KEYS = 700, FETCHED = 1 };

static struct {
    uint64_t order[KEYS], arg[KEYS];
    unsigned calls, fetched;
} seen;
static uint64_t fails_at; /* the key that cannot be deleted or counted */

static uint64_t number_of(const blm_hash h) { return h.lo & 0xffff; }

static void some_prefetch(const blm_filter *f, blm_hash h)
{
    (void)f, (void)h;
    seen.fetched += FETCHED;
}

static bool some_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)f, (void)it, number_of(h) % 3 != 0;
}

static blm_err some_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    if (number_of(h) == fails_at) return BLM_E_NOMEM;
    seen.order[seen.calls] = number_of(h);
    seen.arg[seen.calls++] = it->arg;
    if (!some_has(f, h, it)) return BLM_E_ABSENT;
    return number_of(h) % 7 == 1 ? BLM_E_UNSURE : BLM_OK;
}

static blm_err some_count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    const double v = (double)number_of(h);
    (void)f, (void)it;
    *n = (blm_estimate){v, v, v, false};
    return number_of(h) == fails_at ? BLM_E_NOMEM : BLM_OK;
}

static void small_world(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    (void)f;
    *min = 0;
    *max = KEYS;
}

BLM_BATCH(some)
BLM_BATCH_DEL(some, some_prefetch)
BLM_BATCH_COUNT(some, some_prefetch)

#define SOME                                                                                       \
    .size = sizeof(blm_filter), .needs = BLM_NEEDS_U64, .has = some_has, .del = some_del,          \
    .count = some_count
#define IN_BATCHES                                                                                 \
    .prefetch_many = some_prefetch_many, .has_many = some_has_many, .del_many = some_del_many,     \
    .count_many = some_count_many
static const blm_kind single = {.name = "single", SOME};
static const blm_kind batched = {.name = "batched", SOME, IN_BATCHES};
static const blm_kind worldly = {.name = "worldly", .world = small_world, SOME, IN_BATCHES};
static const blm_kind weighed = {
    .name = "weighed", .arg = {"weight", "", .def = 5, .min = 2, .max = 9}, SOME, IN_BATCHES};
static const blm_kind texts = {
    .name = "texts", .needs = BLM_NEEDS_BYTES, .del = some_del, .count = some_count};
static const blm_kind neither = {.name = "neither", .has = some_has};
static const blm_kind *const all[] = {&single, &batched, &worldly, &weighed};

static blm_filter of(const blm_kind *k)
{
    memset(&seen, 0, sizeof seen);
    fails_at = UINT64_MAX;
    return (blm_filter){
        .kind = k, .can = blm_kind_can(k), .hasher = blm_hasher_for(k->needs, false)};
}

typedef struct crowd {
    uint64_t number[KEYS];
    uint8_t bytes[KEYS][8], absent[KEYS];
    blm_key key[KEYS];
    blm_hash h[KEYS];
    blm_estimate times[KEYS];
} crowd;

static void gather(crowd *c)
{
    for (size_t i = 0; i < KEYS; i++) {
        c->number[i] = i;
        c->h[i] = (blm_hash){i, 0};
        blm_put64(c->bytes[i], i);
        c->key[i] = (blm_key){c->bytes[i], 8};
        c->absent[i] = 9;
    }
}

typedef enum form { HASHES, NUMBERS, STRINGS, FORMS } form;

static blm_err delete_all(blm_filter *f, crowd *c, form how, uint8_t *absent, size_t *done)
{
    return how == HASHES    ? blm_del_many(f, c->h, NULL, KEYS, absent, done)
           : how == NUMBERS ? blm_del_many_u64(f, c->number, KEYS, absent, done)
                            : blm_del_many_keys(f, c->key, KEYS, absent, done);
}

static blm_err count_all(const blm_filter *f, crowd *c, form how)
{
    return how == HASHES    ? blm_count_many(f, c->h, KEYS, c->times)
           : how == NUMBERS ? blm_count_many_u64(f, c->number, KEYS, c->times)
                            : blm_count_many_keys(f, c->key, KEYS, c->times);
}

/* Keys that are absent, or that the filter is unsure of, do not end a batch; an error does, after `done` keys. */
static void where_a_batch_ends(void **state)
{
    static const uint64_t ends[] = {0, 1, 31, 32, 255, 256, 257, 300, KEYS - 1, KEYS};
    static crowd c;
    (void)state;
    for (size_t k = 0; k < COUNT(all); k++)
        for (size_t e = 0; e < COUNT(ends); e++)
            for (form how = HASHES; how < FORMS; how++) {
                blm_filter f = of(all[k]);
                const bool fails = ends[e] < KEYS;
                size_t done = 77;
                gather(&c);
                fails_at = ends[e];
                assert_int_equal(delete_all(&f, &c, how, c.absent, &done),
                                 fails ? BLM_E_NOMEM : BLM_OK);
                assert_true(done == ends[e] && seen.calls == ends[e]);
                for (size_t i = 0; i < KEYS; i++)
                    assert_int_equal(c.absent[i], i >= ends[e] ? 9
                                                  : i % 3 == 0 ? BLM_WAS_ABSENT
                                                  : i % 7 == 1 ? BLM_WAS_UNSURE
                                                               : BLM_WAS_DELETED);
                for (size_t i = 0; i < done; i++) assert_int_equal(seen.order[i], i);
                assert_int_equal(count_all(&f, &c, how), fails ? BLM_E_NOMEM : BLM_OK);
                for (size_t i = 0; i < done; i++)
                    assert_true(c.times[i].value == (double)i && c.times[i].high == (double)i);
            }
}

/* Every key is fetched once, before its turn. */
static void cells_are_fetched(void **state)
{
    static crowd c;
    (void)state;
    gather(&c);
    for (form how = HASHES; how < FORMS; how++) {
        blm_filter f = of(&batched);
        assert_int_equal(delete_all(&f, &c, how, NULL, NULL), BLM_OK);
        assert_int_equal(seen.fetched, KEYS * FETCHED);
        assert_int_equal(count_all(&f, &c, how), BLM_OK);
        assert_int_equal(seen.fetched, 2 * KEYS * FETCHED);
    }
    blm_filter f = of(&worldly); /* key by key */
    assert_int_equal(delete_all(&f, &c, HASHES, NULL, NULL), BLM_OK);
    assert_true(seen.fetched == 0 && seen.calls == KEYS);
}

static void weights_of_deletes(void **state)
{
    static crowd c;
    static uint64_t weight[KEYS];
    blm_filter f = of(&weighed);
    size_t done = 77;
    (void)state;
    gather(&c);
    for (size_t i = 0; i < KEYS; i++) weight[i] = i % 4 ? 2 + i % 7 : BLM_NO_ARG;
    assert_int_equal(blm_del_many(&f, c.h, weight, KEYS, NULL, &done), BLM_OK);
    for (size_t i = 0; i < KEYS; i++) assert_int_equal(seen.arg[i], i % 4 ? weight[i] : 5);
    weight[KEYS - 1] = 10;
    f = of(&weighed);
    assert_int_equal(blm_del_many(&f, c.h, weight, KEYS, NULL, &done), BLM_E_ARG);
    assert_true(done == 0 && seen.calls == 0); /* found before the first key */
    assert_int_equal(blm_del_many_u64(&f, c.number, KEYS, NULL, NULL), BLM_OK);
    for (size_t i = 0; i < KEYS; i++) assert_int_equal(seen.arg[i], 5);
}

/* A key without bytes, or no integer where it must be one. */
static void keys_that_are_none(void **state)
{
    static crowd c;
    (void)state;
    for (size_t k = 0; k < COUNT(all); k++) {
        blm_filter f = of(all[k]);
        size_t done = 77;
        gather(&c);
        c.key[300].key = NULL;
        assert_int_equal(blm_del_many_keys(&f, c.key, KEYS, c.absent, &done), BLM_E_ARG);
        assert_true(done == 300 && seen.calls == 300 && c.absent[299] == 0 && c.absent[300] == 9);
        assert_int_equal(blm_count_many_keys(&f, c.key, KEYS, c.times), BLM_E_ARG);
        gather(&c);
        c.key[5].len = 7;
        assert_int_equal(blm_del_many_keys(&f, c.key, 300, c.absent, &done), BLM_E_ARG);
        assert_int_equal(done, 5);
        assert_int_equal(blm_count_many_keys(&f, c.key, 300, c.times), BLM_E_ARG);
    }
    blm_filter f = of(&worldly);
    const uint64_t beyond[3] = {KEYS, KEYS + 1, KEYS};
    size_t done = 77;
    assert_int_equal(blm_del_many_u64(&f, beyond, 3, NULL, &done), BLM_E_ARG);
    assert_int_equal(done, 1);
    assert_int_equal(blm_count_many_u64(&f, beyond, 3, c.times), BLM_E_ARG);
}

static void who_may_not(void **state)
{
    static crowd c;
    size_t done = 77;
    (void)state;
    gather(&c);
    blm_filter f = of(&neither);
    for (form how = HASHES; how < FORMS; how++) {
        assert_int_equal(delete_all(&f, &c, how, NULL, &done), BLM_E_CANNOT);
        assert_int_equal(count_all(&f, &c, how), BLM_E_CANNOT);
    }
    f = of(&texts); /* hashes have no bytes to look at */
    assert_int_equal(blm_del_many(&f, c.h, NULL, 3, NULL, &done), BLM_E_CANNOT);
    assert_int_equal(blm_count_many(&f, c.h, 3, c.times), BLM_E_CANNOT);
    assert_int_equal(blm_del_many_keys(&f, c.key, 3, NULL, &done), BLM_OK);
    assert_int_equal(blm_count_many_keys(&f, c.key, 3, c.times), BLM_OK);
    f = of(&batched);
    f.flags = BLM_MAPPED;
    assert_int_equal(blm_del_many_u64(&f, c.number, 3, NULL, &done), BLM_E_READONLY);
    assert_int_equal(blm_count_many_u64(&f, c.number, 3, c.times), BLM_OK);
    f = of(&batched);
    f.hasher = NULL;
    for (form how = HASHES; how < FORMS; how++) {
        done = 77;
        assert_int_equal(delete_all(&f, &c, how, NULL, &done), BLM_E_KEY);
        assert_int_equal(count_all(&f, &c, how), BLM_E_KEY);
        assert_true(done == 0 && seen.calls == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_a_batch_ends), cmocka_unit_test(cells_are_fetched),
        cmocka_unit_test(weights_of_deletes), cmocka_unit_test(keys_that_are_none),
        cmocka_unit_test(who_may_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

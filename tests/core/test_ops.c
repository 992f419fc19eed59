/* test_ops.c - what core checks before it calls a kind: abilities, worlds, the number of a key, clocks.
 *
 * The kinds here do nothing but remember how they were called.
 */
#include "core/unit.h"
#include "core/core_internal.h"

static struct {
    unsigned calls;
    uint64_t lo, arg, from, to;
    const void *key;
    size_t len;
} seen;

static blm_err answer; /* what the next call gives */

static blm_err note_item(blm_hash h, const blm_item *it)
{
    seen.calls++;
    seen.lo = h.lo;
    seen.arg = it->arg;
    seen.key = it->key;
    seen.len = it->len;
    return answer;
}

static bool ask_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)f;
    return note_item(h, it) == BLM_OK && (it->arg == BLM_NO_ARG || it->arg != 4);
}
static blm_err ask_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    (void)f;
    *fresh = h.lo % 2;
    return note_item(h, it);
}
static blm_err ask_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)f, note_item(h, it);
}
static blm_err ask_count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    (void)f;
    *n = (blm_estimate){(double)h.lo, 0, (double)h.lo, false};
    return note_item(h, it);
}
static blm_err ask_count_all(const blm_filter *f, const blm_item *it, size_t n, blm_estimate *times)
{
    (void)f;
    for (size_t i = 0; i < n; i++) times[i] = (blm_estimate){(double)it[i].h.lo, 0, 0, false};
    return answer;
}
static blm_err ask_get(const blm_filter *f, blm_hash h, const blm_item *it, uint64_t *value)
{
    (void)f;
    *value = h.lo + 1;
    return note_item(h, it);
}
static blm_err ask_index(const blm_filter *f, blm_hash h, uint64_t *dense)
{
    (void)f;
    *dense = h.lo + 2;
    return answer;
}
static bool ask_range(const blm_filter *f, uint64_t lo, uint64_t hi)
{
    (void)f;
    seen.calls++;
    seen.from = lo;
    seen.to = hi;
    return true;
}
static blm_err ask_part(const blm_filter *f, const blm_item *it, uint64_t *offsets, size_t *n)
{
    (void)f;
    *n = 1;
    offsets[0] = 3;
    return note_item(it->h, it);
}
static blm_err ask_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *r)
{
    (void)f, (void)out, (void)r;
    *n = 5;
    return answer;
}
static blm_err ask_tick(blm_filter *f, uint64_t now) { return (void)f, seen.from = now, answer; }
static void ask_shared(blm_filter *f, const blm_hash *h, size_t n, uint8_t *fresh)
{
    (void)f, (void)h, (void)fresh;
    seen.len = n;
}
static blm_err ask_subtract(blm_filter *f, const blm_filter *g)
{
    return (void)f, (void)g, seen.calls++, answer;
}
static blm_err ask_which(const blm_filter *f, blm_hash h, const blm_item *it, const uint64_t *sets,
                         size_t n, uint8_t *yes)
{
    (void)f, (void)sets;
    memset(yes, 2, n);
    return note_item(h, it);
}
static blm_rate ask_fpr(const blm_filter *f, const blm_case *c)
{
    (void)f;
    return (blm_rate){0, c ? (double)c->keys : 0.001, 0};
}
static blm_rate ask_fnr(const blm_filter *f, const blm_case *c)
{
    (void)f;
    return (blm_rate){0, c ? (double)c->gap : 0.5, 0};
}
static void small_world(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    (void)f;
    *min = 10;
    *max = 1000;
}

#define EVERY_ABILITY                                                                              \
    .size = sizeof(blm_filter), .has = ask_has, .add = ask_add, .del = ask_del,                    \
    .count = ask_count, .count_all = ask_count_all, .get = ask_get, .put = ask_del,                \
    .index = ask_index, .range = ask_range, .part = ask_part, .deny = ask_del, .tick = ask_tick,   \
    .list = ask_list, .add_shared = ask_shared, .subtract = ask_subtract, .fpr = ask_fpr,          \
    .fnr = ask_fnr

static const blm_kind plain = {.name = "plain", EVERY_ABILITY};
static const blm_kind integers = {
    .name = "integers", .needs = BLM_NEEDS_U64, .world = small_world, EVERY_ABILITY};
static const blm_kind texts = {
    .name = "texts", .needs = BLM_NEEDS_BYTES, .world = small_world, EVERY_ABILITY};
static const blm_kind valued = {
    .name = "valued", .arg = {"value", "", .def = 5, .min = 2, .max = 9}, EVERY_ABILITY};
static const blm_kind in_sets = {.name = "sets",
                                 .arg = {"set", "", .def = 5, .min = 2, .max = 9},
                                 .which = ask_which,
                                 EVERY_ABILITY};

static blm_filter of(const blm_kind *k)
{
    static uint64_t reports[4]; /* a label that nobody has to free */
    blm_filter f = {.kind = k, .can = blm_kind_can(k), .hasher = blm_hasher_for(k->needs, false)};
    f.one = &blm_one_any;
    f.look = UINT64_MAX;
    f.capacity = 10;
    f.target = 0.01;
    f.label = (blm_label *)(void *)reports;
    memset(&seen, 0, sizeof seen);
    answer = BLM_OK;
    return f;
}

/* ---- worlds ------------------------------------------------------------------------------------------------ */

static void integers_of_their_world(void **state)
{
    static const struct {
        uint64_t key;
        bool inside;
    } table[] = {{0, false},   {9, false},    {10, true},         {500, true},
                 {1000, true}, {1001, false}, {UINT64_MAX, false}};
    blm_filter f = of(&integers);
    uint64_t v;
    blm_estimate n;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const blm_item it = blm_item_u64(&f, table[i].key, BLM_NO_ARG);
        const blm_err want = table[i].inside ? BLM_OK : BLM_E_ARG;
        seen.calls = 0;
        assert_int_equal(blm_add_u64(&f, table[i].key), want);
        assert_int_equal(blm_has_u64(&f, table[i].key), table[i].inside);
        assert_int_equal(blm_del_item(&f, &it), want);
        assert_int_equal(blm_count_item(&f, &it, &n), want);
        assert_int_equal(blm_put_item(&f, &it), want);
        assert_int_equal(blm_deny_item(&f, &it), want);
        assert_int_equal(blm_get_item(&f, &it, &v), table[i].inside ? BLM_OK : BLM_E_ABSENT);
        assert_int_equal(blm_has_hash(&f, it.h), table[i].inside);
        assert_int_equal(seen.calls, table[i].inside ? 9 : 0);
        assert_true(!table[i].inside || seen.lo == table[i].key);
    }
    assert_int_equal(blm_add(&f, "1234567", 7), BLM_E_ARG); /* seven bytes are no integer */
    assert_false(blm_has(&f, "123456789", 9));
}

static void texts_of_their_world(void **state)
{
    char text[1001];
    blm_filter f = of(&texts);
    const blm_item it = blm_item_of(&f, text, 9, BLM_NO_ARG);
    (void)state;
    memset(text, 'x', sizeof text);
    assert_int_equal(blm_add(&f, text, 9), BLM_E_ARG); /* by their length */
    assert_int_equal(blm_add(&f, text, 10), BLM_OK);
    assert_true(seen.key == text && seen.len == 10);
    assert_int_equal(blm_add(&f, text, 1000), BLM_OK);
    assert_int_equal(blm_add(&f, text, 1001), BLM_E_ARG);
    assert_true(blm_has(&f, text, 500) && !blm_has(&f, text, 5));
    assert_int_equal(blm_del_item(&f, &it), BLM_E_ARG);
    const blm_item two[] = {blm_item_of(&f, text, 1000, BLM_NO_ARG), it};
    blm_estimate n[2] = {{-1, -1, -1, false}};
    assert_int_equal(blm_count_all(&f, two, 2, n), BLM_E_ARG); /* one of them is enough */
    assert_true(n[0].value < 0);
    assert_int_equal(blm_count_all(&f, two, 1, n), BLM_OK);
    blm_item no_bytes = blm_item_of(&f, text, 20, BLM_NO_ARG);
    no_bytes.key = NULL; /* a hash alone: the kind could not see the bytes */
    assert_int_equal(blm_add_item(&f, &no_bytes, NULL), BLM_E_ARG);
    assert_true(blm_has_hash(&f, it.h)); /* in doubt: yes */
    uint8_t yes[3] = {0};
    const blm_hash h[3] = {{1, 1}, {2, 2}, {3, 3}};
    blm_has_many(&f, h, NULL, 3, yes);
    assert_true(yes[0] && yes[1] && yes[2]);
    size_t done = 7;
    assert_int_equal(blm_add_many(&f, h, NULL, 3, NULL, &done), BLM_E_CANNOT);
    assert_int_equal(done, 0);
    const blm_filter g = of(&plain);
    assert_true(blm_has_item(&g, &no_bytes)); /* other kinds never look */
}

static void ranges_of_their_world(void **state)
{
    static const struct {
        uint64_t lo, hi, from, to;
        bool inside;
    } table[] = {{0, 9, 0, 0, false},       {0, 10, 10, 10, true},
                 {20, 30, 20, 30, true},    {1000, 2000, 1000, 1000, true},
                 {1001, 2000, 0, 0, false}, {0, UINT64_MAX, 10, 1000, true},
                 {30, 20, 0, 0, false},     {20, 20, 20, 20, true}};
    blm_filter f = of(&integers);
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        seen.calls = 0;
        assert_int_equal(blm_range(&f, table[i].lo, table[i].hi), table[i].inside);
        assert_int_equal(seen.calls, table[i].inside);
        if (table[i].inside) assert_true(seen.from == table[i].from && seen.to == table[i].to);
    }
    blm_filter everywhere = of(&plain);
    assert_true(blm_range(&everywhere, 0, UINT64_MAX));
    assert_true(seen.from == 0 && seen.to == UINT64_MAX);
}

/* ---- the number of a key ---------------------------------------------------------------------------------------- */

static void numbers_beside_a_key(void **state)
{
    static const struct {
        uint64_t arg, given;
        bool fits;
    } table[] = {{1, 0, false},  {2, 2, true},          {9, 9, true},
                 {10, 0, false}, {BLM_NO_ARG, 5, true}, {BLM_NO_ARG - 1, 0, false}};
    blm_filter f = of(&valued);
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const blm_item it = blm_item_u64(&f, 77, table[i].arg);
        const blm_err want = table[i].fits ? BLM_OK : BLM_E_ARG;
        seen.calls = 0;
        assert_int_equal(blm_add_item(&f, &it, NULL), want);
        if (table[i].fits)
            assert_true(seen.arg == table[i].given); /* a write means the default number */
        assert_int_equal(blm_del_item(&f, &it), want);
        if (table[i].fits) assert_true(seen.arg == table[i].given);
        assert_int_equal(blm_put_item(&f, &it), want);
        if (table[i].fits) assert_true(seen.arg == table[i].given);
        assert_int_equal(blm_has_item(&f, &it), table[i].fits); /* a question without one: any */
        if (table[i].fits) assert_true(seen.arg == table[i].arg);
        assert_int_equal(seen.calls, table[i].fits ? 4 : 0);
    }
    assert_int_equal(blm_put(&f, "x", 1, 8), BLM_OK);
    assert_int_equal(seen.arg, 8);
    blm_filter g = of(&plain); /* no such number: it is passed on as it is */
    const blm_item it = blm_item_u64(&g, 77, 12345);
    assert_int_equal(blm_add_item(&g, &it, NULL), BLM_OK);
    assert_int_equal(seen.arg, 12345);
}

static void batches_with_numbers(void **state)
{
    static const blm_hash h[4] = {{11, 0}, {12, 0}, {13, 0}, {14, 0}};
    static const uint64_t good[4] = {2, 3, BLM_NO_ARG, 9}, bad[4] = {2, 3, 10, 9},
                          sets[4] = {3, 4, 5, 4};
    blm_filter f = of(&valued);
    uint8_t fresh[4] = {9, 9, 9, 9}, yes[4];
    size_t done = 77;
    (void)state;
    assert_int_equal(blm_add_many(&f, h, good, 4, fresh, &done), BLM_OK);
    assert_true(done == 4 && f.adds == 4 && seen.arg == 9 && seen.calls == 4);
    assert_true(fresh[0] == 1 && fresh[1] == 0 && fresh[2] == 1 && fresh[3] == 0);
    assert_int_equal(blm_add_many(&f, h, bad, 4, fresh, &done),
                     BLM_E_ARG); /* all or nothing, here */
    assert_true(done == 0 && f.adds == 4);
    assert_int_equal(blm_add_many(&f, h, NULL, 4, NULL, NULL), BLM_OK);
    assert_int_equal(seen.arg, 5);
    answer = BLM_E_FULL;
    assert_int_equal(blm_add_many(&f, h, NULL, 4, NULL, &done), BLM_E_FULL);
    assert_true(done == 0 && f.adds == 8);
    answer = BLM_OK;
    blm_has_many(&f, h, sets, 4, yes);
    assert_true(yes[0] && !yes[1] && yes[2] && !yes[3]);
    blm_has_many(&f, h, NULL, 4, yes);
    assert_true(yes[0] && yes[1] && seen.arg == BLM_NO_ARG);
    blm_filter w = of(&integers);
    assert_int_equal(
        blm_add_many(&w, (const blm_hash[]){{10, 0}, {9, 0}, {10, 0}}, NULL, 3, NULL, &done),
        BLM_E_ARG);
    assert_int_equal(done, 1); /* a key outside the world ends the batch */
}

static void which_sets(void **state)
{
    static const uint64_t sets[4] = {3, 4, 10, 5};
    blm_filter f = of(&valued);
    const blm_item it = blm_item_u64(&f, 77, BLM_NO_ARG);
    uint8_t yes[4] = {9, 9, 9, 9};
    (void)state;
    assert_int_equal(blm_which(&f, &it, sets, 4, yes), BLM_OK); /* asked one by one */
    assert_true(yes[0] == 1 && yes[1] == 0 && yes[2] == 0 && yes[3] == 1);
    f.hasher = NULL;
    assert_int_equal(blm_which(&f, &it, sets, 4, yes), BLM_E_KEY);
    blm_filter g = of(&in_sets);
    assert_int_equal(blm_which(&g, &it, sets, 4, yes), BLM_OK); /* by the kind's own way */
    assert_true(yes[0] == 2 && yes[3] == 2 && seen.calls == 1);
    blm_filter p = of(&plain);
    assert_int_equal(blm_which(&p, &it, sets, 4, yes), BLM_E_CANNOT);
}

/* ---- who may ask ------------------------------------------------------------------------------------------------- */

static void every_call_reaches_its_kind(void **state)
{
    blm_filter f = of(&plain), g = of(&plain);
    const blm_item it = blm_item_u64(&f, 77, BLM_NO_ARG);
    uint64_t v = 0;
    size_t n = 0;
    blm_estimate e = {0};
    blm_item out[1];
    (void)state;
    assert_int_equal(blm_get(&f, "x", 1, &v), BLM_OK);
    assert_true(v == seen.lo + 1 && seen.len == 1);
    assert_int_equal(blm_index(&f, &it, &v), BLM_OK);
    assert_true(v == it.h.lo + 2);
    assert_int_equal(blm_count_all(&f, &it, 1, &e), BLM_OK);
    assert_true(e.value == (double)it.h.lo);
    assert_int_equal(blm_part(&f, &it, &v, &n), BLM_OK);
    assert_true(v == 3 && n == 1);
    OK(blm_list(&f, out, &n, &why));
    assert_int_equal(n, 5);
    assert_int_equal(blm_deny(&f, "x", 1), BLM_OK);
    assert_int_equal(blm_add_shared(&f, &it.h, 7, NULL), BLM_OK);
    assert_int_equal(seen.len, 7);
    seen.calls = 0;
    OK(blm_subtract(&f, &g, &why));
    assert_int_equal(seen.calls, 1);
    const blm_case c = {.keys = 3, .gap = 4};
    assert_true(blm_fpr(&f, &c).high == 3 && blm_fnr(&f, &c).high == 4 &&
                blm_fnr(&f, NULL).high == 0.5);
    assert_int_equal(blm_put(&f, NULL, 3, 1), BLM_E_ARG);
    assert_int_equal(blm_get(&f, NULL, 3, &v), BLM_E_ARG);
    assert_int_equal(blm_deny(&f, NULL, 3), BLM_E_ARG);
    answer = BLM_E_UNSURE;
    assert_int_equal(blm_get(&f, "x", 1, &v), BLM_E_UNSURE);
    assert_int_equal(blm_index(&f, &it, &v), BLM_E_UNSURE);
    const uint64_t adds = f.adds;
    assert_int_equal(blm_add(&f, "x", 1), BLM_E_UNSURE);
    assert_int_equal(f.adds, adds); /* what failed is not counted */
}

static void without_secret_or_right(void **state)
{
    blm_filter f = of(&plain);
    const blm_item it = blm_item_u64(&f, 77, BLM_NO_ARG);
    uint64_t v;
    size_t n = 1;
    blm_estimate e;
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        const blm_err writes = round ? BLM_E_READONLY : BLM_E_KEY,
                      reads = round ? BLM_OK : BLM_E_KEY;
        f = of(&plain);
        if (round)
            f.flags = BLM_MAPPED;
        else
            f.hasher = NULL;
        assert_int_equal(blm_add_item(&f, &it, NULL), writes);
        assert_int_equal(blm_add_shared(&f, &it.h, 1, NULL), writes);
        assert_int_equal(blm_del_item(&f, &it), writes);
        assert_int_equal(blm_put_item(&f, &it), writes);
        assert_int_equal(blm_deny_item(&f, &it), writes);
        assert_int_equal(blm_tick(&f, 1), writes);
        assert_int_equal(blm_count_item(&f, &it, &e), reads);
        assert_int_equal(blm_count_all(&f, &it, 1, &e), reads);
        assert_int_equal(blm_get_item(&f, &it, &v), reads);
        assert_int_equal(blm_index(&f, &it, &v), reads);
        assert_int_equal(blm_part(&f, &it, &v, &n), reads);
    }
    blm_filter g = of(&plain);
    REFUSED(blm_subtract(&f, &g, &why), BLM_E_READONLY, "read-only");
}

static void time_goes_forward(void **state)
{
    blm_filter f = of(&plain);
    (void)state;
    assert_int_equal(blm_tick(&f, 5), BLM_OK);
    assert_true(f.now == 5 && seen.from == 5);
    assert_int_equal(blm_tick(&f, 5), BLM_OK);
    assert_int_equal(blm_tick(&f, 4), BLM_E_CLOCK);
    assert_int_equal(f.now, 5);
    answer = BLM_E_NOMEM;
    assert_int_equal(blm_tick(&f, 9), BLM_E_NOMEM);
    assert_int_equal(f.now, 5);
    assert_true(blm_can(&f, BLM_TICK) && blm_can(&f, (blm_ability)(BLM_TICK | BLM_ADD)));
    assert_false(blm_can(&f, BLM_MERGE) || blm_can(&f, (blm_ability)(BLM_TICK | BLM_MERGE)));
}

/* A kind without an estimate of its own is taken to hold what was added; it is looked at again half the way
 * to its capacity, and from there on every 64th of it. */
static void when_to_look_again(void **state)
{
    static const struct {
        uint64_t capacity, adds, look;
    } table[] = {{1000, 0, 500},     {1000, 500, 750},
                 {1000, 990, 1005},  {1000, 2000, 2015},
                 {6400, 6400, 6500}, {1, 0, 1},
                 {1, 5, 6},          {UINT64_C(1) << 56, UINT64_MAX - 5, UINT64_MAX}};
    blm_filter f = of(&plain);
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        f.capacity = table[i].capacity;
        f.adds = table[i].adds;
        blm_look_again(&f);
        assert_true(f.look == table[i].look);
    }
}

/* Cells are counted (fpr without a case) when the estimate of keys has moved, not because keys came: a stream of known keys
 * costs one count, new keys one at each 64th of the capacity, and a merge makes the next look count again. */
static struct {
    unsigned counted;
    double keys;
} census;
static blm_rate count_fpr(const blm_filter *f, const blm_case *c)
{
    (void)f;
    census.counted += !c;
    return (blm_rate){0, 0.001, 0};
}
static blm_err tell_keys(const blm_filter *f, blm_estimate *n)
{
    (void)f;
    *n = (blm_estimate){census.keys, census.keys, census.keys, false};
    return BLM_OK;
}
static void known_keys_are_not_counted_again(void **state)
{
    blm_kind counted = plain;
    counted.fpr = count_fpr, counted.keys = tell_keys;
    blm_filter f = of(&counted);
    (void)state;
    f.capacity = 6400;
    f.look = f.adds = 6400;
    census.keys = 6400;
    census.counted = 0;
    for (unsigned i = 0; i < 6400; i++) assert_int_equal(blm_add_u64(&f, i), BLM_OK);
    assert_int_equal(census.counted, 1); /* known keys: 64 looks */
    for (unsigned i = 0; i < 6400; i++) {
        census.keys += 1;
        assert_int_equal(blm_add_u64(&f, i), BLM_OK);
    }
    assert_in_range(census.counted, 64, 66);
    census.counted = 0;
    for (unsigned i = 0; i < 6400; i++) {
        census.keys -= 0.25; /* it shrinks, too: deletes */
        assert_int_equal(blm_add_u64(&f, i), BLM_OK);
    }
    assert_in_range(census.counted, 15, 33);
    census.counted = 0;
    f.look = f.adds;
    assert_int_equal(blm_judge(&f), BLM_OK);
    assert_int_equal(census.counted, 0);
    blm_look_again(&f); /* as after a merge */
    assert_int_equal(blm_judge(&f), BLM_OK);
    assert_int_equal(census.counted, 1);
    census.keys = 1e6; /* more than can be kept: it is counted each time */
    assert_true(blm_judge(&f) == BLM_OK && blm_judge(&f) == BLM_OK);
    assert_int_equal(census.counted, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_keys_are_not_counted_again),
        cmocka_unit_test(integers_of_their_world),
        cmocka_unit_test(texts_of_their_world),
        cmocka_unit_test(ranges_of_their_world),
        cmocka_unit_test(numbers_beside_a_key),
        cmocka_unit_test(batches_with_numbers),
        cmocka_unit_test(which_sets),
        cmocka_unit_test(every_call_reaches_its_kind),
        cmocka_unit_test(without_secret_or_right),
        cmocka_unit_test(time_goes_forward),
        cmocka_unit_test(when_to_look_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

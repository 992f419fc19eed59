/* test.c - one sorted table: rates and bits, one layout for one multiset, long runs, the end of room. */
#include <bloomery/theory/quotient.h>
#include "test_tables.h"
#include "oracles.h"

/* ---- the figures of the literature ------------------------------------------------------------- */

/* 3.C1: 1 - e^(-load / 2^r). The distinct fingerprints of 10^5 keys have a sd of 14, 1.4e-4 of the rate. */
static void rates(void **state)
{
    static const struct {
        double load, rate;
        const char *formula, *measured;
    } at[] = {
        {0.95, 0.003704, "r=8, load 0.95: the rate by the formula", "r=8, load 0.95: the rate"},
        {0.75, 0.002925, "r=8, load 0.75: the rate by the formula", "r=8, load 0.75: the rate"}};
    (void)state;
    for (size_t i = 0; i < COUNT(at); i++) {
        blm_filter *f = table_for(100000, 8, 0, i + 1);
        const uint64_t n = (uint64_t)(at[i].load * (double)field(f, "quotients"));
        add_many(f, 0, n);
        assert_int_equal(field(f, "used"), n);
        ORACLE_NEAR("3.C1", at[i].formula, at[i].rate, 2e-4,
                    blm_fpr(f, &(blm_case){.keys = n}).high);
        ORACLE_HITS("3.C1", at[i].measured, at[i].rate, false_yes(f, 1000000), 1000000);
        NEAR(blm_fpr(f, NULL).high, at[i].rate, 1e-3);
        assert_true(blm_fpr(f, NULL).high ==
                    (double)field(f, "prints") / (double)table_of(f).range);
        assert_true(has_run(f, 0, n));
        blm_free(f);
    }
}

/* The guard slots are 0.31 % of 10^7. */
static void bits_per_key(void **state)
{
    uint64_t q = 0;
    unsigned r = 0;
    (void)state;
    assert_true(blm_size_quotient(10000000, 0.003705, 0, &q, &r));
    assert_true(r == 8 && q == 10526316);
    ORACLE_NEAR("3.C1", "bits per key, r=8: (r + 2.125) / 0.95", 10.125 / 0.95, 0.004,
                (double)blm_quotient_bits(q, r, 0) / 1e7);
    blm_filter *f = made("quotient keys=1e6 fpr=0.3705%");
    NEAR((double)info_of(f).bits / 1e6, 10.125 / 0.95, 0.011);
    blm_free(f);
}

/* ---- one layout for one multiset ----------------------------------------------------------------- */

/* Random adds and deletes of few keys, which come often; by turns more of the one and of the other. */
static void long_use_of(uint64_t keys, unsigned r, unsigned width, uint64_t world, unsigned turns)
{
    blm_filter *f = table_for(keys, r, width, 1);
    bag all = {NULL, 0, 0};
    uint64_t random = keys + r, times[400] = {0};
    for (unsigned t = 1; t <= turns; t++) {
        const uint64_t key = draw(&random) % world, print = print_of(f, key);
        const bool fill = draw(&random) % 8 < (t / (turns / 4) % 2 ? 3 : 5);
        if (fill) {
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            bool fresh = false;
            const bool there = bag_times(&all, print) > 0;
            const blm_err err = blm_add_item(f, &it, &fresh);
            assert_true(err == BLM_OK || (err == BLM_E_FULL && all.n >= keys));
            if (err) continue;
            assert_true(fresh == !there);
            bag_add(&all, print);
            times[key]++;
        } else if (times[key]) {
            assert_int_equal(del_u64(f, key), BLM_OK);
            bag_del(&all, print);
            times[key]--;
        }
        assert_true(times_u64(f, key).value == (double)bag_times(&all, print));
        if (t % (turns / 16) == 0) check_table(f, &all);
    }
    for (uint64_t key = 0; key < world; key++)
        for (; times[key]; times[key]--) assert_int_equal(del_u64(f, key), BLM_OK);
    all.n = 0;
    check_table(f, &all);
    free(all.print);
    blm_free(f);
}

static void tables_after_long_use(void **state)
{
    (void)state;
    long_use_of(400, 3, 0, 300, 20000);
    long_use_of(300, 7, 2, 400, 20000);
    long_use_of(1000, 12, 0, 400, 20000);
    long_use_of(90, 30, 5, 30, 10000);
    long_use_of(50, 41, 16, 60, 4000);
    long_use_of(50, 57, 0, 5, 4000);
    long_use_of(1, 1, 0, 3, 1000);
    long_use_of(2, 5, 1, 9, 1000);
}

/* The same in any order, and by batches. */
static void order_does_not_show(void **state)
{
    enum { KEYS = 5000 };
    static uint64_t key[KEYS];
    static uint8_t absent[KEYS];
    blm_filter *f = table_for(KEYS, 9, 0, 1), *g = table_for(KEYS, 9, 0, 1);
    uint64_t random = 5;
    size_t done;
    (void)state;
    for (size_t i = 0; i < KEYS; i++) key[i] = i % 4000;
    add_run(f, 0, 4000);
    add_run(f, 0, 1000);
    for (size_t i = KEYS; i-- > 1;) {
        const size_t j = draw(&random) % (i + 1);
        const uint64_t other = key[i];
        key[i] = key[j];
        key[j] = other;
    }
    assert_int_equal(blm_add_many_u64(g, key, KEYS, NULL, NULL), BLM_OK);
    assert_true(blm_equal(f, g));
    assert_int_equal(blm_del_many_u64(g, key, KEYS, absent, &done), BLM_OK);
    assert_true(done == KEYS && field(g, "used") == 0);
    for (size_t i = 0; i < KEYS; i++) assert_int_equal(absent[i], 0);
    assert_int_equal(blm_clear(f), BLM_OK);
    assert_true(same_cells(f, g));
    blm_free(f);
    blm_free(g);
}

/* Every number of keys from 1 to 100, all of them there; then none. */
static void tiny_tables(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 100; n++) {
        char spec[60];
        snprintf(spec, sizeof spec, "quotient keys=%u fpr=%s seed=%u", (unsigned)n,
                 n % 2 ? "1%" : "1e-6", (unsigned)n);
        blm_filter *f = made(spec);
        bag all = {NULL, 0, 0};
        add_run(f, 0, n);
        for (uint64_t i = 0; i < n; i++) bag_add(&all, print_of(f, i));
        check_table(f, &all);
        assert_true(has_run(f, 0, n) && false_yes(f, 100) < 12);
        for (uint64_t i = 0; i < n; i++) assert_int_equal(del_u64(f, n - 1 - i), BLM_OK);
        all.n = 0;
        check_table(f, &all);
        free(all.print);
        blm_free(f);
    }
}

/* ---- runs that are longer than an offset can say ---------------------------------------------------- */

/* A key that comes 1500 times, among 3000 others: its run covers 23 blocks whose offsets are 255 and more. */
static void one_run_of_many_blocks(void **state)
{
    enum { OTHERS = 3000, TIMES = 1500 };
    (void)state;
    for (unsigned width = 0; width <= 1; width++) {
        blm_filter *f = table_for(OTHERS + TIMES, 10, width, 1), *before = NULL;
        bag all = {NULL, 0, 0};
        uint64_t hot = 0, far = 0;
        while (print_of(f, hot) >> 10 > 1000) hot++; /* room on its right */
        const uint64_t times = (uint64_t)TIMES << width, print = print_of(f, hot);
        for (uint64_t i = 0; i < OTHERS; i++) bag_add(&all, print_of(f, hot + i));
        add_run(f, hot, OTHERS);
        OK(blm_copy(&before, f, &why));
        for (uint64_t i = 1; i < times; i++) {
            assert_int_equal(blm_add_u64(f, hot), BLM_OK);
            bag_add(&all, print);
            if (i % 200 == 0 || (i >> width) / 8 == 30) far = check_table(f, &all);
            assert_true(times_u64(f, hot).value == (double)bag_times(&all, print));
        }
        assert_true(far >= 15);
        for (uint64_t i = 0; i < OTHERS; i++)
            assert_true(times_u64(f, hot + i).value ==
                        (double)bag_times(&all, print_of(f, hot + i)));
        for (uint64_t i = 1; i < times;
             i++) { /* between, others leave and come: offsets count down past 255 */
            assert_int_equal(del_u64(f, hot), BLM_OK);
            bag_del(&all, print);
            if (i % 3 == 0) {
                assert_int_equal(del_u64(f, hot + 1 + i % 900), BLM_OK);
                assert_int_equal(blm_add_u64(f, hot + 1 + i % 900), BLM_OK);
            }
            if (i % 200 == 0 || i + 300 > times) check_table(f, &all);
        }
        assert_true(same_cells(f, before));
        blm_free(before);
        free(all.print);
        blm_free(f);
    }
}

/* ---- counting -------------------------------------------------------------------------------------- */

static void counts_have_no_end(void **state)
{
    (void)state;
    for (unsigned width = 0; width <= 16; width += 4) {
        blm_filter *f = table_for(100, 10, width, 1);
        const uint64_t most = UINT64_C(1) << width, times = width < 8 ? 50 * most : most + 1;
        for (uint64_t i = 1; i <= times; i++) {
            assert_int_equal(blm_add_u64(f, 7), BLM_OK);
            if (i % most > 1) continue;
            assert_true(times_u64(f, 7).value == (double)i && !times_u64(f, 7).bound);
            assert_int_equal(field(f, "used"), (i + most - 1) / most);
        }
        assert_true(times_u64(f, 8).value == 0 && field(f, "prints") == 1);
        for (uint64_t i = 0; i < times; i++) assert_int_equal(del_u64(f, 7), BLM_OK);
        assert_true(!blm_has_u64(f, 7) && field(f, "used") == 0 && info_of(f).lost == 0);
        blm_free(f);
    }
}

/* Built of keys that come any number of times: as many slots are planned as they take. */
static void built_with_room_for_all_copies(void **state)
{
    enum { KEYS = 300, HOT = 1000 };
    (void)state;
    for (unsigned width = 0; width <= 4; width += 4) {
        char with[20];
        blm_builder *b = NULL;
        blm_filter *f = NULL;
        snprintf(with, sizeof with, "width=%u", width);
        OK(blm_builder_new(&b, BLM_CONFIG(.kind = "quotient", .fpr = 0.001, .with = with), &why));
        for (uint32_t i = 0; i < KEYS + HOT; i++) {
            const uint32_t key = i < KEYS ? i : 7;
            assert_int_equal(blm_builder_add(b, 0, &key, sizeof key, BLM_NO_ARG), BLM_OK);
        }
        OK(blm_build(&f, b, &why));
        const uint32_t hot = 7;
        blm_estimate n;
        assert_int_equal(blm_count(f, &hot, sizeof hot, &n), BLM_OK);
        assert_true(n.value == HOT + 1 && info_of(f).adds == KEYS + HOT);
        assert_int_equal(info_of(f).capacity,
                         width ? KEYS + HOT / 16 : KEYS + HOT); /* 1001 in 63 */
        assert_int_equal(field(f, "used"), info_of(f).capacity);
        blm_free(f);
    }
}

static void non_members_do_not_leave(void **state)
{
    blm_filter *f = made("quotient keys=100 fpr=1%"), *old = NULL;
    unsigned refused = 0;
    (void)state;
    assert_int_equal(blm_del(f, "x", 1), BLM_E_ABSENT);
    add_run(f, 0, 100);
    OK(blm_copy(&old, f, &why));
    for (uint64_t i = 1000; i < 1100; i++)
        refused += !blm_has_u64(f, i) && del_u64(f, i) == BLM_E_ABSENT;
    assert_true(refused > 90 && blm_equal(f, old));
    blm_free(f);
    blm_free(old);
}

/* ---- the end of room ------------------------------------------------------------------------------- */

/* What was planned fits with any seed; a key more than 19 of 20 slots is refused, and changes nothing. */
static void planned_keys_fit(void **state)
{
    static const struct {
        uint64_t keys, seeds;
    } sizes[] = {
        {100, TEST_SLOW ? 20 : 1000}, {10000, TEST_SLOW ? 1 : 100}, {1000000, TEST_SLOW ? 0 : 3}};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (uint64_t seed = 1; seed <= sizes[i].seeds; seed++) {
            blm_filter *f = made_new(BLM_CONFIG(.kind = "quotient", .keys = sizes[i].keys,
                                                .fpr = 0.0037, .seed = seed)),
                       *old = NULL;
            add_many(f, 0, sizes[i].keys);
            const uint64_t homes = field(f, "quotients"), room = homes - (homes + 19) / 20;
            assert_true(room >= sizes[i].keys);
            uint64_t n = sizes[i].keys;
            while (!blm_add_u64(f, n)) n++;
            assert_true(n == room && field(f, "used") == room);
            assert_true(info_of(f).fill > (n < 1000 ? 0.94 : 0.9499) && info_of(f).fill <= 0.95);
            if (seed == 1) {
                OK(blm_copy(&old, f, &why));
                assert_int_equal(blm_add_u64(f, n), BLM_E_FULL);
                assert_true(blm_equal(f, old) && has_run(f, 0, n));
                blm_free(old);
            }
            blm_free(f);
        }
}

/* The last home: its run has the guard slots alone, and then no more. */
static void the_last_slots(void **state)
{
    blm_filter *f = table_for(2000, 8, 0, 1), *old = NULL;
    const uint64_t homes = field(f, "quotients"), slots = table_of(f).slots;
    bag all = {NULL, 0, 0};
    uint64_t last = 0;
    (void)state;
    while (print_of(f, last) >> 8 != homes - 1) last++;
    for (uint64_t i = homes - 1; i < slots; i++) {
        assert_int_equal(blm_add_u64(f, last), BLM_OK);
        bag_add(&all, print_of(f, last));
    }
    check_table(f, &all);
    assert_int_equal(is_end(&(table){.cells = table_of(f).cells, .block = 81}, slots - 1), 1);
    OK(blm_copy(&old, f, &why));
    assert_int_equal(blm_add_u64(f, last), BLM_E_FULL);
    assert_true(blm_equal(f, old) && field(f, "used") == slots - homes + 1);
    uint64_t key = 0; /* one before the last home pushes it out of the table: refused as well */
    while (print_of(f, key) >> 8 != homes - 2) key++;
    assert_int_equal(blm_add_u64(f, key), BLM_OK);
    assert_int_equal(blm_add_u64(f, key), BLM_E_FULL);
    assert_int_equal(del_u64(f, key), BLM_OK);
    assert_true(same_cells(f, old));
    for (uint64_t i = homes - 1; i < slots; i++) assert_int_equal(del_u64(f, last), BLM_OK);
    all.n = 0;
    check_table(f, &all);
    free(all.print);
    blm_free(old);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(bits_per_key),
        cmocka_unit_test(tables_after_long_use),
        cmocka_unit_test(order_does_not_show),
        cmocka_unit_test(tiny_tables),
        cmocka_unit_test(one_run_of_many_blocks),
        cmocka_unit_test(counts_have_no_end),
        cmocka_unit_test(built_with_room_for_all_copies),
        cmocka_unit_test(non_members_do_not_leave),
        cmocka_unit_test(planned_keys_fit),
        cmocka_unit_test(the_last_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

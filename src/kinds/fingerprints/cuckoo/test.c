/* test.c - fingerprints in two buckets: loads, rates, bits, and that all planned keys find room. */
#include "test_tables.h"
#include "codes.h"
#include "oracles.h"

/* ---- figures of the literature --------------------------------------------------------------------------- */

/* The first key that finds no room, in 2^20 slots. With one slot per bucket a table of any kind ends near one half: below
 * 0.50 for 18 % of the seeds. */
static void loads_at_the_first_refusal(void **state)
{
    static const struct {
        const char *what;
        unsigned slots, width;
        double expected, least;
    } row[] = {{"2^20 slots in buckets of 1: load at the first refusal", 1, 20, 0.50, 0.49},
               {"2^20 slots in buckets of 2: load at the first refusal", 2, 16, 0.87, 0.87},
               {"2^20 slots in buckets of 4: load at the first refusal", 4, 12, 0.96, 0.96},
               {"2^20 slots in buckets of 8: load at the first refusal", 8, 12, 0.988, 0.988}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        blm_filter *f =
            tables((UINT64_C(1) << 19) / row[i].slots, row[i].slots, row[i].width, "", 1);
        blm_filter *before = NULL;
        const uint64_t n = fill_up(f);
        assert_int_equal(field(f, "used"), n);
        ORACLE_BETWEEN("3.C2", row[i].what, row[i].expected, row[i].least, 1, info_of(f).fill);
        OK(blm_copy(&before, f, &why));
        bool fresh = false;
        const blm_item it = blm_item_u64(f, n, BLM_NO_ARG);
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_E_FULL);
        assert_true(blm_equal(f, before) && !fresh);
        for (uint64_t key = 0; key < n; key += 7) assert_true(blm_has_u64(f, key));
        blm_free(before);
        blm_free(f);
    }
}

/* Full tables, by the formula. The rests 0 and 1 are one: a part 2^(1 - f) more than without, 0.8 % with 8 bits. */
static void rates_of_full_tables(void **state)
{
    static const struct {
        const char *formula, *measured;
        unsigned width;
        double rate, off;
    } row[] = {
        {"f=8: the rate of a full table", "f=8: measured at 95 % of the slots", 8, 0.0308, 0.01},
        {"f=12: the rate of a full table", "f=12: measured at 95 % of the slots", 12, 0.00195,
         0.005},
        {"f=16: the rate of a full table", "f=16: measured at 95 % of the slots", 16, 1.22e-4,
         0.005}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const unsigned w = row[i].width;
        const uint64_t across = 16384, n = across * 8 * 95 / 100,
                       asked = w > 12 ? 4000000 : 1000000;
        ORACLE_NEAR("3.C2", row[i].formula, row[i].rate, row[i].off,
                    blm_rate_cuckoo_prints(across, w, 8 * across));
        blm_filter *f = tables(across, 4, w, "", 1);
        add_many(f, 0, n);
        const uint64_t hits = false_yes(f, asked);
        const double match = (ldexp(1, (int)w) + 2) / ldexp(1, 2 * (int)w),
                     expected = 1 - pow(1 - match, 8 * 0.95);
        ORACLE_HITS("3.C2", row[i].measured, expected, hits, asked);
        NEAR(blm_fpr(f, &(blm_case){.keys = n}).high, expected, w > 8 ? 2e-3 : 4e-3);
        WITHIN((double)hits, blm_fpr(f, NULL).high * (double)asked, 4 * sqrt((double)hits));
        blm_free(f);
    }
    blm_filter *f = tables(16384, 4, 8, "", 1);
    ORACLE_NEAR("3.C2", "f=8, load 0.95: the rate", 0.0293, 0.01,
                blm_fpr(f, &(blm_case){.keys = 16384 * 8 * 95 / 100}).high);
    blm_free(f);
}

/* Codes are the places of rising quadruples, in order; and each of them comes back from a bucket, however it was filled. */
static void sorted_buckets_come_back(void **state)
{
    unsigned code = 0;
    bool sound = true;
    (void)state;
    for (unsigned a = 0; a < 16; a++)
        for (unsigned b = a; b < 16; b++)
            for (unsigned c = b; c < 16; c++)
                for (unsigned d = c; d < 16; d++, code++)
                    sound = sound && blm_cuckoo_code((unsigned[]){a, b, c, d}) == code &&
                            blm_cuckoo_numbers[code] == (a | b << 4 | c << 8 | d << 12);
    ORACLE_HOLDS("3.C2", "all 3876 sorted buckets have a code and come back from it",
                 sound && code == 3876 && code == BLM_CUCKOO_CODES);
}

static void bits_per_key(void **state)
{
    blm_filter *f = made("cuckoo keys=1e6 fpr=0.19%"),
               *g = made("cuckoo keys=1e6 fpr=0.19% form=sorted");
    (void)state;
    add_many(f, 0, 1000000), add_many(g, 0, 1000000);
    const double bits = (double)info_of(f).bits / 1e6, less = (double)info_of(g).bits / 1e6;
    NEAR(bits, 12 / 0.95, 1e-4);
    NEAR(less, 11 / 0.95, 1e-4);
    assert_true(bits <= 12.8 && less <= bits - 1 && info_of(f).fill >= 0.9499);
    assert_true(has_run(f, 0, 1000000) && has_run(g, 0, 1000000));
    assert_true(blm_fpr(f, NULL).high <= 0.0019 && false_yes(f, 1000000) <= 1900);
    assert_int_equal(false_yes(f, 100000), false_yes(g, 100000)); /* the same fingerprints */
    blm_free(f), blm_free(g);
    f = made("cuckoo keys=1e6 fpr=1%"); /* the page's figures */
    WITHIN((double)info_of(f).bits / 1e6, 10.53, 0.01);
    WITHIN(blm_fpr(f, &(blm_case){.keys = 1000000}).high, 0.0074, 0.0001);
    blm_free(f);
}

/* ---- capacity ---------------------------------------------------------------------------------------------- */

static void planned(const char *spec, uint64_t keys, uint64_t seeds)
{
    blm_filter *f = made(spec);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        f->seed = seed;
        assert_int_equal(blm_clear(f), BLM_OK);
        add_many(f, 0, keys);
    }
    blm_free(f);
}

/* At 1 % and 0.19 %, and in tables of other slots. */
static void planned_keys_always_fit(void **state)
{
    static const struct {
        uint64_t keys, seeds;
    } size[] = {{100, 1000}, {10000, 100}, {1000000, 3}};
    static const char *const with[] = {"fpr=1%",         "fpr=0.19%",      "fpr=1% form=sorted",
                                       "fpr=1% slots=1", "fpr=1% slots=2", "fpr=1% slots=8"};
    (void)state;
    for (size_t i = 0; i < COUNT(size); i++)
        for (size_t j = 0; j < (TEST_SLOW ? 1 : COUNT(with)); j++) {
            char spec[80];
            const uint64_t seeds = TEST_SLOW ? 1 : j < 2 ? size[i].seeds : 1 + size[i].seeds / 20;
            if (j > 1 && size[i].keys > 10000) continue;
            snprintf(spec, sizeof spec, "cuckoo keys=%llu %s", (unsigned long long)size[i].keys,
                     with[j]);
            planned(spec, size[i].keys, seeds);
        }
}

/* Small tables, to the last key: a refused one changes nothing, and the others stay. */
static void refused_keys_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        blm_filter *f = tables(10 + seed, seed % 2 ? 4 : 8, 11, "", seed), *before = NULL;
        unsigned refused = 0;
        uint64_t n = 0;
        for (; refused < 20; n++) {
            OK(blm_copy(&before, f, &why));
            const blm_err err = blm_add_u64(f, n);
            assert_true(err == BLM_OK || err == BLM_E_FULL);
            if (err) {
                const blm_item it = blm_item_u64(f, n, BLM_NO_ARG);
                REFUSED(blm_why_full(f, &it, &why), BLM_E_FULL, "no fingerprint can make room");
                assert_true(blm_equal(f, before));
                refused++;
            }
            blm_free(before);
            assert_true(!err || info_of(f).fill > 0.7);
        }
        check_table(f);
        blm_free(f);
    }
}

/* ---- a multiset ------------------------------------------------------------------------------------------- */

static void copies_are_counted(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 8; slots *= 2) {
        char spec[60];
        snprintf(spec, sizeof spec, "cuckoo keys=100 fpr=0.1%% slots=%u", slots);
        blm_filter *f = made(spec), *full = NULL;
        for (unsigned n = 1; n <= 2 * slots; n++) {
            const blm_item it = blm_item_u64(f, 42, BLM_NO_ARG);
            bool fresh = n > 1;
            assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
            assert_int_equal(fresh, n == 1);
            assert_true(times_u64(f, 42).value == n && !times_u64(f, 42).bound);
            assert_true(field(f, "used") == n && field(f, "different") == 1);
        }
        OK(blm_copy(&full, f, &why));
        const blm_item it = blm_item_u64(f, 42, BLM_NO_ARG);
        char times[40];
        snprintf(times, sizeof times, "the key is in the set %u times", 2 * slots);
        assert_int_equal(blm_add_u64(f, 42), BLM_E_FULL);
        REFUSED(blm_why_full(f, &it, &why), BLM_E_FULL, times);
        assert_true(blm_equal(f, full));
        check_table(f);
        for (unsigned n = 2 * slots; n > 0; n--) {
            assert_int_equal(del_u64(f, 42), BLM_OK);
            assert_true(times_u64(f, 42).value == n - 1 && blm_has_u64(f, 42) == (n > 1));
        }
        assert_int_equal(del_u64(f, 42), BLM_E_ABSENT);
        assert_int_equal(blm_clear(full), BLM_OK);
        assert_true(same_cells(f, full));
        blm_free(f), blm_free(full);
    }
}

/* Twice each key: that is as one slot in two buckets of two. */
static void copies_crowd(void **state)
{
    blm_filter *f = tables(4096, 4, 16, "", 1);
    uint64_t n = 0;
    (void)state;
    while (!blm_add_u64(f, n / 2)) n++;
    WITHIN((double)n / (8 * 4096), 0.88, 0.02);
    for (uint64_t key = 0; key < n / 2; key++) assert_true(times_u64(f, key).value >= 2);
    check_table(f);
    blm_free(f);
}

static void once_means_once(void **state)
{
    blm_filter *f = made("cuckoo keys=5000 fpr=1% twins=once"), *before = NULL;
    blm_estimate n;
    (void)state;
    add_run(f, 0, 5000);
    OK(blm_copy(&before, f, &why));
    for (unsigned round = 0; round < 50; round++) add_many(f, 0, 5000);
    assert_true(same_cells(f, before) && field(f, "used") == field(before, "used"));
    assert_true(field(f, "used") == field(f, "different"));
    const blm_item it = blm_item_u64(f, 5, BLM_NO_ARG);
    assert_int_equal(blm_del_item(f, &it), BLM_E_CANNOT);
    assert_int_equal(blm_count_item(f, &it, &n), BLM_E_CANNOT);
    assert_int_equal(info_of(f).can & (BLM_DEL | BLM_COUNT), 0);
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    WITHIN(n.value, 5000, 4 * (n.high - n.value)); /* 18 keys share a fingerprint: sd 4.3 */
    check_table(f);
    blm_free(f), blm_free(before);
}

/* As many keys as planned, each up to three times, against the truth. */
static void long_use(void **state)
{
    enum { KEYS = 20000, TURNS = TEST_SLOW ? 200000 : 10000000 };
    static uint8_t times[KEYS];
    blm_filter *f = made("cuckoo keys=20000 fpr=1% overfill=yes");
    const uint64_t bytes = info_of(f).bytes;
    uint64_t random = 1, inside = 0, refused = 0, low = 0, missed = 0;
    (void)state;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        const uint64_t r = draw(&random), key = r % KEYS, what = r >> 32 & 3;
        if (what < 2 && times[key] < 1 + key % 8 / 6 * 2 && inside < KEYS * 7 / 8) {
            const blm_err err = blm_add_u64(f, key);
            times[key] = (uint8_t)(times[key] + !err), inside += !err;
            refused += err == BLM_E_FULL;
        } else if (what == 2 && times[key]) {
            assert_int_equal(del_u64(f, key), BLM_OK);
            times[key]--, inside--;
        } else {
            missed += times[key] && !blm_has_u64(f, key);
            low += times_u64(f, key).value < times[key];
        }
    }
    ORACLE_HOLDS("3.C2", "10^7 operations, up to three copies: no miss, no count too low",
                 !missed && !low);
    assert_true(refused < TURNS / 1000 && field(f, "used") == inside && info_of(f).bytes == bytes);
    check_table(f);
    for (uint64_t key = 0; key < KEYS; key++)
        for (; times[key]; times[key]--) assert_int_equal(del_u64(f, key), BLM_OK);
    assert_true(field(f, "used") == 0 && field(f, "different") == 0 && field(f, "pairs") == 0);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_at_the_first_refusal),
        cmocka_unit_test(rates_of_full_tables),
        cmocka_unit_test(sorted_buckets_come_back),
        cmocka_unit_test(bits_per_key),
        cmocka_unit_test(planned_keys_always_fit),
        cmocka_unit_test(refused_keys_change_nothing),
        cmocka_unit_test(copies_are_counted),
        cmocka_unit_test(copies_crowd),
        cmocka_unit_test(once_means_once),
        cmocka_unit_test(long_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

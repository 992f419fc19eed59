/* test_shapes.c - the smallest tables, what a question reads, and what is refused. */
#include <bloomery/theory/dleft.h>
#include <bloomery/theory/quotient.h>
#include "test_tables.h"

/* ---- sizes ----------------------------------------------------------------------------------------- */

/* Slots as docs/format.md has them, in blocks of 17 bytes and 8 per bit of a cell. */
static double bits_of(double q, unsigned bits)
{
    const double slots = q + fmin(q, floor(10 * sqrt(q)) + 1), blocks = ceil(slots / 64);
    return ceil(blocks * (17 + 8.0 * bits) / 8) * 64;
}

/* Among all quotients for this remainder and the one before, tried out. */
static void sizes_are_the_smallest(void **state)
{
    static const double rates[] = {0.4, 0.011, 0.01, 0.001, 1e-6};
    (void)state;
    for (uint64_t n = 1; n < 3000; n = n * 3 + 1)
        for (size_t i = 0; i < COUNT(rates); i++)
            for (unsigned width = 0; width <= 4; width += 4) {
                uint64_t q = 0;
                unsigned r = 0;
                double min = (double)INFINITY;
                assert_true(blm_size_quotient(n, rates[i], width, &q, &r));
                const double homes = ceil((double)n * 20 / 19), p = rates[i],
                             range = -1 / expm1(log1p(-p) / (double)n);
                assert_int_equal(blm_quotient_homes(n), homes);
                const double natural = fmax(1, ceil(log2(range / homes) - 1e-9));
                for (double s = fmax(1, natural - 1); s <= natural; s++) {
                    const double least = fmax(homes, ceil(range * exp2(-s) * (1 - 1e-12)));
                    min = fmin(min, bits_of(least, (unsigned)s + width));
                }
                assert_true(1 - pow(1 - 1 / ldexp((double)q, (int)r), (double)n) <= p * (1 + 1e-9));
                assert_true((double)q >= homes);
                assert_true((double)blm_quotient_bits(q, r, width) ==
                            bits_of((double)q, r + width));
                assert_true(bits_of((double)q, r + width) <= min * (1 + 2 / homes));
            }
}

static void sizes_that_are_not(void **state)
{
    uint64_t q = 7;
    unsigned r = 7;
    (void)state;
    assert_false(blm_size_quotient(0, 0.01, 0, &q, &r));
    assert_false(blm_size_quotient(1, 0, 0, &q, &r) || blm_size_quotient(1, 1, 0, &q, &r));
    assert_false(blm_size_quotient(1, (double)NAN, 0, &q, &r));
    assert_false(blm_size_quotient(1, 0.01, 57, &q, &r));
    assert_false(blm_size_quotient(1000000000, 1e-11, 0, &q, &r)); /* 10^20 fingerprints */
    assert_false(blm_size_quotient(UINT64_C(1) << 50, 0.5, 0, &q, &r));
    assert_false(blm_fit_quotient(199, 1, 0, &q, &r) || blm_fit_quotient(9600, 0, 0, &q, &r));
    assert_true(q == 7 && r == 7);
    assert_true(blm_quotient_bits(1, 5, 0) == 0 && blm_quotient_bits(2, 0, 0) == 0);
    assert_true(blm_quotient_bits(2, 57, 1) == 0 && blm_quotient_bits(2, UINT32_MAX, 2) == 0);
    assert_true(blm_quotient_bits(128, 57, 0) == 0 && blm_quotient_bits(64, 57, 0) > 0);
    assert_true(blm_quotient_bits((UINT64_C(1) << 50) + 1, 2, 0) == 0);
    assert_true(blm_quotient_homes(0) == 0 && blm_quotient_homes((UINT64_C(1) << 49) + 1) == 0);
    assert_int_equal(blm_quotient_homes(100), 106);
    assert_int_equal(blm_quotient_homes(1000000), 1052632);
    /* One block: 17 + 8 r bytes in words of 8; the most quotients with as many again after them. */
    assert_true(blm_fit_quotient(256, 1, 0, &q, &r) && r == 1 && q == 32);
    assert_true(blm_fit_quotient(17 * 8 + 64 * 11 + 56, 30, 0, &q, &r) && r == 11 && q == 32);
    assert_false(blm_fit_quotient(17 * 8 + 64 + 56, 31, 0, &q, &r));
}

/* All bits that are given are used: one quotient more, or one bit more for each slot, would need more. */
static void bits_are_used(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        const uint64_t n = 1 + draw(&random) % 100000, bits = n * (3 + draw(&random) % 40) + 400;
        const unsigned width = (unsigned)(draw(&random) % 5);
        uint64_t q = 0;
        unsigned r = 0;
        if (!blm_fit_quotient(bits, n, width, &q, &r)) {
            assert_true(bits_of(ceil((double)n * 20 / 19), 1 + width) > (double)bits);
            continue;
        }
        assert_true(bits_of((double)q, r + width) <= (double)bits);
        assert_true(bits_of((double)q + 1, r + width) > (double)bits);
        assert_true(r + width == 57 || (double)q * exp2(r + 1) > 0x1p63 ||
                    bits_of(ceil((double)n * 20 / 19), r + 1 + width) > (double)bits);
    }
}

/* ---- what a question reads ------------------------------------------------------------------------------ */

/* Of a home without a run its block's head; else the cells of the run, too, which are read in their order. */
static void touched_are_heads_and_the_run(void **state)
{
    blm_filter *f = table_for(500, 8, 0, 1);
    const table t = table_of(f);
    (void)state;
    add_run(f, 0, 470);
    for (uint64_t key = 0; key < 900; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        const uint64_t home = print_of(f, key) >> 8, rest = print_of(f, key) & 255;
        blm_touch all[BLM_TOUCH_MAX];
        const size_t n = blm_touched(f, &it, all, BLM_TOUCH_MAX);
        size_t heads = 0, found = 0;
        check_touched(f, &it, all, BLM_TOUCH_MAX, n);
        assert_true(n >= 3 && all[0].cell == home / 64 * 64 && all[0].byte == home / 64 * t.block);
        while (heads < n && all[heads].byte % t.block < 17) heads++;
        for (size_t i = heads; i < n; i++) {
            found += slot_value(&t, all[i].cell) == rest;
            assert_int_equal(is_end(&t, all[i].cell), i + 1 == n);
        }
        assert_true((n > heads) == is_home(&t, home));
        assert_int_equal(found > 0, blm_has_u64(f, key));
    }
    for (unsigned i = 0; i < 20; i++) assert_int_equal(blm_add_u64(f, 1), BLM_OK);
    blm_free(f);
    f = table_for(2000, 8, 0,
                  1); /* a run of more cells than can be named: everything is looked at */
    for (unsigned i = 0; i < 300; i++) assert_int_equal(blm_add_u64(f, 0), BLM_OK);
    const blm_item it = blm_item_u64(f, 0, BLM_NO_ARG);
    assert_int_equal(blm_touched(f, &it, NULL, 0), 0);
    blm_free(f);
    f = table_for(200000, 8, 0, 1); /* a short run after one of more blocks than can be named */
    uint64_t hot = 0, after = 0;
    while (print_of(f, hot) >> 8 > 100000) hot++;
    for (unsigned i = 0; i < 6000; i++) assert_int_equal(blm_add_u64(f, hot), BLM_OK);
    while (print_of(f, after) >> 8 <= (print_of(f, hot) >> 8) + 5000 ||
           print_of(f, after) >> 8 > (print_of(f, hot) >> 8) + 5500)
        after++;
    assert_int_equal(blm_add_u64(f, after), BLM_OK);
    const blm_item far = blm_item_u64(f, after, BLM_NO_ARG);
    assert_true(blm_has_u64(f, after) && blm_touched(f, &far, NULL, 0) == 0);
    blm_free(f);
}

/* ---- what is refused -------------------------------------------------------------------------------------- */

static void wishes_that_make_no_sense(void **state)
{
    static const char *const bad[] = {"width=-1", "width=17", "width=2.5"};
    char spec[64];
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "quotient keys=10 %s", bad[i]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i]);
    }
    REFUSED(blm_make(&f, "quotient keys=10 hashes=4", &why), BLM_E_ARG, "hashes 4");
    REFUSED(blm_make(&f, "quotient bits=199b keys=1", &why), BLM_E_ARG, "bits 199");
    SAYS("at least 256 bits");
    REFUSED(blm_make(&f, "quotient bits=1000b keys=600", &why), BLM_E_ARG, "600 keys");
    REFUSED(blm_make(&f, "quotient keys=1e9 fpr=1e-11", &why), BLM_E_ARG, "1e+09 keys");
    REFUSED(blm_make(&f, "quotient keys=9e15 fpr=1e-5", &why), BLM_E_ARG, "2^50 quotients");
    REFUSED(blm_make(&f, "quotient keys=10 max-count=65537", &why), BLM_E_ARG,
            "counts up to 65536");
    assert_null(f);
    f = made("quotient keys=1 fpr=1e-15");
    assert_true(blm_fpr(f, &(blm_case){.keys = 1}).high <= 1e-15);
    blm_free(f);
}

static blm_err reload(const blm_filter *f)
{
    blob b = image_of(f);
    blm_filter *g = NULL;
    const blm_err err = blm_load(&g, b.p, b.n, NULL, &why);
    blm_free(g);
    free(b.p);
    return err;
}

/* What a forger writes with right sums: each bit of each byte of the table, in turn. */
static void every_other_table_is_refused(void **state)
{
    (void)state;
    for (unsigned width = 0; width <= 2; width += 2) {
        blm_filter *f = table_for(120, 5, width, 1);
        size_t n;
        uint8_t *cells;
        add_run(f, 0, 100);
        for (unsigned i = 0; i < 12; i++) assert_int_equal(blm_add_u64(f, 7), BLM_OK);
        const void *seen = blm_cells(f, &n);
        memcpy(&cells, &seen, sizeof cells); /* the test plays the fault */
        for (size_t bit = 0; bit < 8 * n; bit++) {
            cells[bit / 8] ^= (uint8_t)(1u << bit % 8);
            const blm_err err = reload(f);
            cells[bit / 8] ^= (uint8_t)(1u << bit % 8);
            /* Another remainder in a run may be as good as the one that was there. */
            const table t = table_of(f);
            const bool cell = bit / 8 % t.block >= 17;
            assert_true(err == BLM_E_IMAGE || (cell && err == BLM_OK));
        }
        assert_int_equal(reload(f), BLM_OK);
        blm_free(f);
    }
}

static void each_fault_has_its_sentence(void **state)
{
    blm_filter *f = table_for(120, 5, 2, 1);
    const table t = table_of(f);
    size_t n;
    uint8_t *cells;
    (void)state;
    add_run(f, 0, 100);
    for (unsigned i = 0; i < 9; i++) assert_int_equal(blm_add_u64(f, 0), BLM_OK);
    const void *seen = blm_cells(f, &n);
    memcpy(&cells, &seen, sizeof cells);
    const uint64_t home = print_of(f, 0) >> 5;
    uint64_t slot = home, empty = 0;
    while (times_u64(f, 0).value < 9 || (slot_value(&t, slot) & 3) != 3) slot++;
    while (slot_value(&t, empty) || is_end(&t, empty) || is_home(&t, empty)) empty++;
    uint8_t *low = cells + slot / 64 * t.block + 17 + slot % 64 * 7 / 8,
            *free_ = cells + empty / 64 * t.block + 17 + empty % 64 * 7 / 8;
    *low ^=
        (uint8_t)(1u << slot % 64 * 7 % 8); /* a cell before the last of its number is not full */
    REFUSED(reload(f), BLM_E_IMAGE, "a run is not sorted");
    *low ^= (uint8_t)(1u << slot % 64 * 7 % 8);
    *free_ ^= (uint8_t)(1u << empty % 64 * 7 % 8);
    REFUSED(reload(f), BLM_E_IMAGE, "is not empty");
    *free_ ^= (uint8_t)(1u << empty % 64 * 7 % 8);
    cells[t.block]++;
    REFUSED(reload(f), BLM_E_IMAGE, "an offset");
    cells[t.block]--;
    cells[t.homes / 64 * t.block + 1 + t.homes % 64 / 8] ^= (uint8_t)(1u << t.homes % 8);
    REFUSED(reload(f), BLM_E_IMAGE, "home past the last one");
    cells[t.homes / 64 * t.block + 1 + t.homes % 64 / 8] ^= (uint8_t)(1u << t.homes % 8);
    const uint64_t used = field(f, "used"), prints = field(f, "prints");
    forge_field(f, "used", used - 1);
    REFUSED(reload(f), BLM_E_IMAGE, "differ from their fields");
    forge_field(f, "used", used);
    forge_field(f, "prints", prints + 1);
    REFUSED(reload(f), BLM_E_IMAGE, "differ from their fields");
    forge_field(f, "prints", used + 1);
    REFUSED(reload(f), BLM_E_IMAGE, "room for");
    forge_field(f, "prints", prints);
    forge_field(f, "doublings", 5);
    REFUSED(reload(f), BLM_E_IMAGE, "no such table");
    forge_field(f, "doublings", 0);
    assert_int_equal(reload(f), BLM_OK);
    assert_true(n % 8 == 0 && t.slots / 64 * t.block < n); /* bytes past the last block */
    cells[n - 1] = 1;
    REFUSED(reload(f), BLM_E_IMAGE, "past the last block");
    cells[n - 1] = 0;
    for (uint64_t b = 0; b < t.slots / 64; b++) memset(cells + b * t.block + 9, 0, 8);
    REFUSED(reload(f), BLM_E_IMAGE, "no end");
    blm_free(f);
}

/* Any bytes may lie under a filter that was opened without a check: every call ends, and stays inside. Here each byte of a
 * sound table is changed with a chance of 1 in 1, 4, 16, ...; sanitizers look on. */
static void any_bytes_end_inside(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned round = 0; round < (TEST_SLOW ? 600 : 2000); round++) {
        const uint64_t keys = 1 + draw(&random) % 400, rare = UINT64_C(1) << round % 5 * 2;
        purse c = {0, 0, 0, 0};
        const blm_alloc a = {purse_get, purse_put, &c}; /* an array as long as its cells */
        char with[20];
        snprintf(with, sizeof with, "width=%u", round % 3);
        blm_filter *f = made_new(BLM_CONFIG(.kind = "quotient", .keys = keys, .fpr = 0.01,
                                            .with = with, .alloc = &a, .overfill = true)),
                   *g = NULL;
        add_run(f, 0, keys * 3 / 4);
        for (uint64_t i = 0; i < f->bytes; i++)
            if (draw(&random) % rare == 0)
                f->cells[i] = (uint8_t)(round % 7 ? draw(&random) : round % 2 ? 255 : 0);
        OK(blm_copy(&g, f, &why));
        for (unsigned i = 0; i < 300; i++) {
            const blm_item it = blm_item_u64(f, draw(&random) % 500, BLM_NO_ARG);
            blm_touch touch[BLM_TOUCH_MAX];
            blm_estimate n;
            blm_err err = i % 3 ? blm_add_item(f, &it, NULL) : blm_del_item(f, &it);
            assert_true(err == BLM_OK || err == BLM_E_FULL || err == BLM_E_ABSENT);
            blm_has_item(f, &it);
            assert_int_equal(blm_count_item(f, &it, &n), BLM_OK);
            assert_true(blm_touched(f, &it, touch, BLM_TOUCH_MAX) <= BLM_TOUCH_MAX);
        }
        const blm_err merged = f->kind->merge(f, g, &why), grown = f->kind->grow(f, &why);
        assert_true(merged == BLM_OK || merged == BLM_E_FULL);
        assert_true(grown == BLM_OK || grown == BLM_E_FULL);
        blm_free(f);
        blm_free(g);
        assert_int_equal(c.held, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_smallest),
        cmocka_unit_test(sizes_that_are_not),
        cmocka_unit_test(bits_are_used),
        cmocka_unit_test(touched_are_heads_and_the_run),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(every_other_table_is_refused),
        cmocka_unit_test(any_bytes_end_inside),
        cmocka_unit_test(each_fault_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

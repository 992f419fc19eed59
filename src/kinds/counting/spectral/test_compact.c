/* test_compact.c - counters of variable length: their bits, and that they answer as those of one width do. */
#include <bloomery/plan.h>

#include "kinds/counters.h"
#include "oracles.h"

enum { GROUP = 256, A_PAGE = 16 };
static const char *const methods[] = {"selection", "increase"};

static blm_filter *spectral(const char *layout, unsigned method, unsigned width, uint64_t keys,
                            double fpr, uint64_t seed)
{
    char with[80];
    snprintf(with, sizeof with, "layout=%s method=%s width=%u", layout, methods[method], width);
    return made_new(BLM_CONFIG(.kind = "spectral", .keys = keys, .fpr = fpr, .seed = seed,
                               .with = with, .overfill = true));
}

static blm_err change(blm_filter *f, uint64_t key, uint64_t weight, bool down)
{
    const blm_item it = blm_item_u64(f, key, weight);
    return down ? blm_del_item(f, &it) : blm_add_item(f, &it, NULL);
}

/* ---- bits, by cells.md ------------------------------------------------------------------------------- */

/* Of a counter: 1 for 0, 2 for 1, 5 for 2 to 5, 8 for 6 to 21, ... */
static uint64_t bits_of(uint64_t value)
{
    uint64_t bits = value ? 2 : 1, first = 2, many = 4;
    for (; first <= value && bits < 98; first += many, many *= 4) bits += 3;
    return bits;
}

/* Layer 0, and what the lengths of all groups say. */
static uint64_t bits_in_use(const blm_filter *f)
{
    size_t bytes;
    const uint8_t *cells = blm_cells(f, &bytes);
    const uint64_t m = field(f, "cells"), groups = (m + GROUP - 1) / GROUP,
                   pages = (groups + A_PAGE - 1) / A_PAGE, own = (groups + pages - 1) / pages,
                   first = (m + 63) / 64 * 8, stride = (bytes - first) / pages;
    uint64_t bits = m;
    for (uint64_t g = 0; g < groups; g++) {
        const uint8_t *length = cells + first + g / own * stride + g % own * 2;
        bits += length[0] + 256u * length[1];
    }
    return bits;
}

/* The counters of a wide filter are what the bits of the compact one must be for, and the fields of both are the same. */
static void check_same(const blm_filter *wide, const blm_filter *f)
{
    uint64_t bits = 0;
    for (uint64_t i = 0; i < field(wide, "cells"); i++)
        bits += bits_of(cell_of(wide, (unsigned)field(wide, "width"), i));
    assert_int_equal(bits_in_use(f), bits);
    assert_int_equal(field(f, "ones"), field(wide, "ones"));
    assert_int_equal(field(f, "stuck"), field(wide, "stuck"));
    OK(f->kind->check(f, &why));
}

/* ---- figures ------------------------------------------------------------------------------------------ */

/* All that is taken, lengths and free room too. */
static void keys_that_came_once(void **state)
{
    static const double rates[] = {0.1, 0.01, 0.001};
    double most = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++) {
        blm_filter *f = spectral("compact", 0, 32, 20000, rates[i], i + 1);
        add_run(f, 0, 20000);
        assert_int_equal(field(f, "pool"), 0);
        most = fmax(most, (double)info_of(f).bits / (double)field(f, "cells"));
        blm_free(f);
    }
    ORACLE_AT_MOST("1.B6", "compact: bits per counter, each key once", 2.5, most);
}

/* All keys came c times. All that is taken: pages have just grown for some c. */
static void keys_that_came_often(void **state)
{
    double most = -3;
    (void)state;
    for (uint64_t c = 2; c < UINT64_C(1) << 32; c = c * 3 + c % 2) {
        blm_filter *f = spectral("compact", 0, 64, 3000, 0.01, 1);
        for (uint64_t key = 0; key < 3000; key++) OK(change(f, key, c, false));
        const double m = (double)field(f, "cells");
        most = fmax(most, (double)info_of(f).bits / m - log2((double)c));
        blm_free(f);
    }
    ORACLE_AT_MOST("1.B6", "compact: bits per counter above log2(c), each key c times", 3, most);
}

/* ---- the same answers as wide ------------------------------------------------------------------------- */

/* Keys of a heavy head, weights of all sizes; adds, deletes and counts. */
static void play(blm_filter *wide, blm_filter *f, uint64_t keys, unsigned turns, uint64_t random)
{
    const bool deletes = blm_can(f, BLM_DEL);
    for (unsigned turn = 0; turn < turns; turn++) {
        const uint64_t r = draw(&random), key = r % keys * (r >> 20 & 63) / 63,
                       weight = 1 + (r >> 40) % (UINT64_C(1) << (r >> 32) % 20);
        const bool down = deletes && (r >> 60) < 6;
        if (turn % 4 == 0 || !blm_can(f, BLM_DEL)) {
            const blm_estimate a = times_u64(wide, key), b = times_u64(f, key);
            assert_true(a.value == b.value && a.bound == b.bound && a.low == b.low);
            assert_int_equal(blm_has_u64(wide, key), blm_has_u64(f, key));
        }
        assert_int_equal(change(wide, key, weight, down), change(f, key, weight, down));
    }
}

/* One setting for 10^6 operations, the others for some. */
static void answers_of_wide(void **state)
{
    (void)state;
    for (unsigned method = 0; method < 2; method++)
        for (unsigned width = 6; width <= 46; width += 20) {
            const bool at_length = method == 0 && width == 26;
            const unsigned turns = TEST_SLOW ? 5000 : at_length ? 1000000 : 20000;
            blm_filter *wide = spectral("wide", method, width, 3000, 0.01, width),
                       *f = spectral("compact", method, width, 3000, 0.01, width);
            play(wide, f, 4000, turns, width);
            for (uint64_t key = 0; key < 5000; key++)
                assert_true(times_u64(wide, key).value == times_u64(f, key).value);
            check_same(wide, f);
            assert_true(field(f, "pool") > 0 && (field(f, "stuck") > 0 || width > 6));
            blm_free(wide);
            blm_free(f);
        }
    ORACLE_HOLDS("1.B6", "compact answers as wide does", true);
}

/* A weight of 2^32 - 1 at a time, up to the ceiling of 64 bits. */
static void the_longest_counters(void **state)
{
    blm_filter *wide = spectral("wide", 0, 64, 30, 0.1, 1),
               *f = spectral("compact", 0, 64, 30, 0.1, 1);
    (void)state;
    for (unsigned turn = 0; turn < 5000; turn++) {
        assert_int_equal(change(wide, turn % 40, UINT32_MAX - turn, false), BLM_OK);
        assert_int_equal(change(f, turn % 40, UINT32_MAX - turn, false), BLM_OK);
    }
    check_same(wide, f);
    for (unsigned i = 0; i < 33; i++) { /* each doubles the sum */
        blm_filter *a = NULL, *b = NULL;
        OK(blm_copy(&a, wide, &why));
        OK(blm_copy(&b, f, &why));
        OK(blm_merge(wide, a, &why));
        OK(blm_merge(f, b, &why));
        blm_free(a);
        blm_free(b);
        check_same(wide, f);
    }
    assert_true(field(f, "stuck") > 0);
    for (uint64_t key = 0; key < 60; key++)
        assert_true(times_u64(wide, key).value == times_u64(f, key).value);
    blm_free(wide);
    blm_free(f);
}

/* One way to write a multiset: in any order, in parts, and after deletes once a merge has made the pages small. */
static void one_layout(void **state)
{
    blm_filter *f[4];
    (void)state;
    for (unsigned i = 0; i < 4; i++) f[i] = spectral("compact", 0, 32, 500, 0.01, 1);
    for (uint64_t key = 0; key < 600; key++) {
        OK(change(f[0], key, 1 + key * key, false));
        OK(change(f[1], 599 - key, 1 + (599 - key) * (599 - key), false));
        OK(change(f[2 + key % 2], key, 1 + key * key, false));
    }
    assert_true(blm_equal(f[0], f[1]) && !blm_equal(f[0], f[2]));
    OK(blm_merge(f[2], f[3], &why));
    assert_true(blm_equal(f[0], f[2]));
    OK(blm_clear(f[3]));
    for (uint64_t key = 0; key < 600; key++) OK(change(f[0], key, 1 + key * key, true));
    assert_true(field(f[0], "ones") == 0 && field(f[0], "pool") > 0);
    OK(blm_merge(f[0], f[3], &why));
    assert_true(same_cells(f[0], f[3]));
    for (unsigned i = 0; i < 4; i++) blm_free(f[i]);
}

/* ---- what is refused ---------------------------------------------------------------------------------- */

static void memory_that_is_refused(void **state)
{
    purse p = {.held = 0};
    const blm_alloc a = {purse_get, purse_put, &p};
    blm_filter *f = made_new(BLM_CONFIG(.kind = "spectral", .keys = 300, .with = "layout=compact",
                                        .alloc = &a)),
               *old = NULL;
    unsigned refused = 0;
    (void)state;
    for (uint64_t key = 0; key < 300; key++) {
        OK(blm_copy(&old, f, &why));
        p.refuse_at = p.calls + 1;
        const blm_err err = change(f, key, UINT32_MAX, false);
        p.refuse_at = 0;
        assert_true(!err || (err == BLM_E_NOMEM && blm_equal(f, old)));
        refused += err != BLM_OK;
        if (err) assert_int_equal(change(f, key, UINT32_MAX, false), BLM_OK);
        blm_free(old);
    }
    assert_true(refused > 5);
    blm_free(f);
    assert_int_equal(p.held, 0);
}

/* A turned bit of a value is another value, often of the same class; any other bit is noticed. Values are 2 bits for each of the
 * counters from 2 to 5 here, and 4 for those above. */
static void damage_is_noticed(void **state)
{
    blm_filter *wide = spectral("wide", 0, 12, 200, 0.05, 1),
               *f = spectral("compact", 0, 12, 200, 0.05, 1);
    uint64_t missed = 0, values = 0;
    (void)state;
    for (uint64_t key = 0; key < 200; key++) {
        OK(change(wide, key, 1 + key % 9, false));
        OK(change(f, key, 1 + key % 9, false));
    }
    for (uint64_t i = 0; i < field(wide, "cells"); i++) {
        const uint64_t v = cell_of(wide, 12, i), bits = bits_of(v);
        values += v < 2 ? 0 : (bits - 2) / 3 * 2;
    }
    for (uint64_t i = 0; i < f->bytes * 8; i++) {
        f->cells[i / 8] ^= (uint8_t)(1u << i % 8);
        missed += f->kind->check(f, &why) == BLM_OK;
        f->cells[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    assert_int_equal(missed, values);
    OK(f->kind->check(f, &why));
    blm_free(wide);
    blm_free(f);
}

/* One counter at its ceiling: `class` - 1 ones and a zero below layer 0, and then its value. A
 * value past the ceiling is refused, and so is one that is past 2^64 with the first of its class. */
static void values_past_the_ceiling(void **state)
{
    static const struct {
        unsigned width, class;
        uint64_t value, past;
    } table[] = {{12, 7, 4095 - 1366, 4096 - 1366},
                 {64, 33, UINT64_C(0xaaaaaaaaaaaaaaa9), UINT64_C(0xaaaaaaaaaaaaaaaa)},
                 {64, 33, UINT64_C(0xaaaaaaaaaaaaaaa9), UINT64_MAX}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[100];
        const unsigned class = table[i].class, bits = 2 * class - 2;
        snprintf(spec, sizeof spec, "spectral keys=1 fpr=60%% hashes=1 layout=compact width=%u",
                 table[i].width);
        blm_filter *f = made(spec), *g = NULL;
        OK(change(f, 1, UINT32_MAX, false));
        while (!field(f, "stuck")) {
            OK(blm_copy(&g, f, &why));
            OK(blm_merge(f, g, &why));
            blm_free(g);
        }
        for (unsigned b = 0; b < class + bits; b++) {
            uint8_t *byte = f->cells + 16 + b / 8, bit = (uint8_t)(1u << b % 8);
            const bool one = b < class ? b < class - 1 : table[i].value >> (b - class) & 1;
            assert_int_equal((*byte & bit) != 0, one);
            if (b >= class && ((table[i].past ^ table[i].value) >> (b - class) & 1)) *byte ^= bit;
        }
        REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "above its ceiling");
        blm_free(f);
    }
}

static void settings_and_their_limits(void **state)
{
    blm_filter *f = NULL;
    blm_offer offers[8];
    size_t n = COUNT(offers);
    char spec[80];
    (void)state;
    REFUSED(blm_make(&f, "spectral keys=10 layout=compact method=recurring", &why), BLM_E_ARG,
            "method=selection or increase");
    REFUSED(blm_make(&f, "spectral keys=10 layout=tight", &why), BLM_E_ARG, "wide|compact");
    REFUSED(blm_make(&f, "spectral bits=64b keys=1 layout=compact", &why), BLM_E_ARG, "bits 64");
    for (uint64_t bits = 256; bits < 60000; bits += 700 + bits / 7) {
        snprintf(spec, sizeof spec, "spectral layout=compact bits=%ub keys=7", (unsigned)bits);
        f = made(spec);
        assert_true(info_of(f).bits <= (bits + 63) / 64 * 64);
        blm_free(f);
    }
    f = spectral("compact", 0, 32, 1000, 0.01, 1);
    assert_int_equal(field(f, "cells"), 9595); /* of wide */
    assert_int_equal(field(f, "hashes"), 7);
    assert_int_equal(info_of(f).lost, BLM_DEL_EXACT);
    blm_free(f);
    OK(blm_plan(BLM_CONFIG(.kind = "spectral", .keys = 100000, .fpr = 0.01), BLM_NEED_COUNT, offers,
                &n, &why));
    assert_true(n == 4 && strstr(offers[0].with, "layout=compact") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_came_once),
        cmocka_unit_test(keys_that_came_often),
        cmocka_unit_test(answers_of_wide),
        cmocka_unit_test(the_longest_counters),
        cmocka_unit_test(one_layout),
        cmocka_unit_test(memory_that_is_refused),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(values_past_the_ceiling),
        cmocka_unit_test(settings_and_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

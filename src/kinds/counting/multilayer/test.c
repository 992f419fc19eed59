/* test.c - layers bit by bit, exact bits, counters that stick, pages that grow. */
#include <stdlib.h>

#include "kinds/counters.h"
#include "oracles.h"

enum { TOP = 64, GROUP = 256, A_PAGE = 16 };

/* ---- the cells, read bit by bit as cells.md says ------------------------------------------------------ */

typedef struct layers {
    uint64_t m, bits;    /* bits: of layer 0 and all strings */
    unsigned deepest;    /* how many layers there are */
    unsigned *counter;   /* of each of the m */
    char text[TOP][200]; /* the layers of a filter of few counters */
} layers;

static unsigned bit_of(const uint8_t *p, uint64_t i) { return p[i / 8] >> i % 8 & 1; }

static uint64_t words_of(uint64_t bits) { return (bits + 63) / 64 * 8; }

/* Reads group g, whose string begins at bit `from` of its page; returns how long it is. */
static uint64_t read_group(layers *l, const uint8_t *cells, const uint8_t *page, uint64_t g,
                           uint64_t from)
{
    uint64_t own[GROUP], n = 0, at = from;
    for (uint64_t i = g * GROUP; i < l->m && i < (g + 1) * GROUP; i++) own[n++] = i;
    for (unsigned layer = 0; n && layer < TOP; layer++) {
        uint64_t next = 0;
        if (layer + 1 > l->deepest) l->deepest = layer + 1;
        for (uint64_t i = 0; i < n; i++) {
            const unsigned one = layer ? bit_of(page, at++) : bit_of(cells, own[i]);
            if (l->m < 100) l->text[layer][i] = (char)('0' + one);
            if (one) l->counter[own[i]]++, own[next++] = own[i];
        }
        n = next;
    }
    return at - from;
}

static void read_layers(const blm_filter *f, layers *l)
{
    size_t bytes;
    const uint8_t *cells = blm_cells(f, &bytes);
    memset(l, 0, sizeof *l);
    l->m = l->bits = field(f, "cells");
    l->counter = calloc((size_t)l->m, sizeof *l->counter);
    assert_non_null(l->counter);
    const uint64_t groups = (l->m + GROUP - 1) / GROUP, pages = (groups + A_PAGE - 1) / A_PAGE,
                   own = (groups + pages - 1) / pages, first = words_of(l->m),
                   stride = (bytes - first) / pages, head = words_of(own * 16);
    assert_int_equal((bytes - first) % pages, 0);
    for (uint64_t g = 0; g < groups; g++) {
        const uint8_t *page = cells + first + g / own * stride, *lengths = page;
        uint64_t from = 0;
        for (uint64_t i = 0; i < g % own; i++) from += lengths[2 * i] + 256u * lengths[2 * i + 1];
        const uint64_t n = read_group(l, cells, page + head, g, from);
        const uint8_t *length = lengths + g % own * 2;
        assert_int_equal(n, length[0] + 256u * length[1]);
        l->bits += n;
    }
}

/* The fields are those of the counters; the counters are those that are wanted. */
static void check_counters(const blm_filter *f, const unsigned *want)
{
    layers l;
    uint64_t sum = 0, ones = 0, stuck = 0;
    read_layers(f, &l);
    for (uint64_t i = 0; i < l.m; i++) {
        if (want) assert_int_equal(l.counter[i], want[i]);
        sum += l.counter[i];
        ones += l.counter[i] > 0;
        stuck += l.counter[i] == TOP;
    }
    assert_int_equal(l.bits, l.m + sum - stuck);
    assert_int_equal(field(f, "sum"), sum);
    assert_int_equal(field(f, "ones"), ones);
    assert_int_equal(field(f, "stuck"), stuck);
    OK(f->kind->check(f, &why));
    free(l.counter);
}

static blm_filter *counters(uint64_t bits, unsigned hashes, uint64_t keys, uint64_t seed)
{
    return made_new(BLM_CONFIG(.kind = "multilayer", .bits = bits, .hashes = hashes, .keys = keys,
                               .seed = seed, .overfill = true));
}

/* A key of one hash whose counter is that one. */
static uint64_t key_at(const blm_filter *f, uint64_t counter)
{
    for (uint64_t key = 0;; key++) {
        blm_touch t;
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        blm_touched(f, &it, &t, 1);
        if (t.cell == counter) return key;
    }
}

/* ---- figures ------------------------------------------------------------------------------------------ */

static void the_picture(void **state)
{
    static const unsigned want[7] = {0, 1, 0, 2, 1, 0, 2};
    blm_filter *f = made_new(
        BLM_CONFIG(.kind = "multilayer", .keys = 1, .fpr = 1 / 6.9, .hashes = 1, .overfill = true));
    layers l;
    (void)state;
    assert_int_equal(field(f, "cells"), 7);
    for (unsigned i = 0; i < 7; i++)
        for (unsigned t = 0; t < want[i]; t++)
            assert_int_equal(blm_add_u64(f, key_at(f, i)), BLM_OK);
    read_layers(f, &l);
    ORACLE_HOLDS("1.B4", "counters 0 1 0 2 1 0 2: layer 0 is 0101101",
                 !strcmp(l.text[0], "0101101"));
    ORACLE_HOLDS("1.B4", "counters 0 1 0 2 1 0 2: layer 1 is 0101", !strcmp(l.text[1], "0101"));
    ORACLE_HOLDS("1.B4", "counters 0 1 0 2 1 0 2: layer 2 is 00", !strcmp(l.text[2], "00"));
    ORACLE_NEAR("1.B4", "counters 0 1 0 2 1 0 2: bits", 13, 0, (double)l.bits);
    assert_int_equal(field(f, "cells") + field(f, "sum"), 13);
    check_counters(f, want);
    free(l.counter);
    blm_free(f);
}

static void twenty_times_one_key(void **state)
{
    blm_filter *f = made("multilayer keys=1000 fpr=1%");
    layers l;
    (void)state;
    for (unsigned i = 0; i < 20; i++) assert_int_equal(blm_add_u64(f, 7), BLM_OK);
    read_layers(f, &l);
    ORACLE_NEAR("1.B4", "20 adds of one key: layers", 21, 0, l.deepest);
    ORACLE_NEAR("1.B4", "20 adds of one key: count", 20, 0, times_u64(f, 7).value);
    ORACLE_HOLDS("1.B4", "20 adds of one key: no counter is stuck",
                 !times_u64(f, 7).bound && field(f, "stuck") == 0 && info_of(f).lost == 0);
    free(l.counter);
    blm_free(f);
}

/* The same places: layer 0 is the array of standard. */
static void layer_0_is_standard(void **state)
{
    static const uint64_t keys[] = {1, 30, 1000, 30000};
    bool same = true;
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++)
        for (unsigned hashes = 1; hashes <= 64; hashes = 2 * hashes + 1) {
            const uint64_t n = keys[i];
            blm_filter *f = made_new(BLM_CONFIG(.kind = "multilayer", .keys = n, .seed = n,
                                                .hashes = hashes, .overfill = true));
            blm_filter *g =
                made_new(BLM_CONFIG(.kind = "standard", .bits = field(f, "cells"), .keys = n,
                                    .seed = n, .hashes = hashes, .overfill = true));
            size_t x, y;
            add_run(f, 0, n);
            add_run(f, 0, n / 3);
            add_run(g, 0, n);
            same = same &&
                   !memcmp(blm_cells(f, &x), blm_cells(g, &y), (size_t)words_of(field(g, "cells")));
            assert_int_equal(field(f, "ones"), field(g, "ones"));
            assert_true(blm_fpr(f, NULL).high == blm_fpr(g, NULL).high);
            assert_true(info_of(f).keys.value == info_of(g).keys.value);
            for (uint64_t key = 0; key < 3000; key++)
                assert_int_equal(blm_has_u64(f, key), blm_has_u64(g, key));
            blm_free(f);
            blm_free(g);
        }
    ORACLE_HOLDS("1.B4", "layer 0 is the standard filter of the same keys, bit for bit", same);
}

/* At k n = m ln 2 counters are Poisson of ln 2. The sum misses what probes of a key that meet would add: 2 in 10^6. Its
 * entropy, out of the counters, has a standard error below 0.001 (4 sigma: 0.004). */
static void bits_at_half_full(void **state)
{
    enum { HASHES = 7, M = 1000000 };
    blm_filter *f = counters(UINT64_C(1900000), HASHES, M / 10, 1);
    const double m = (double)field(f, "cells");
    layers l;
    double entropy = 0, many[TOP + 1] = {0};
    (void)state;
    assert_true(m > M);
    add_run(f, 0, (uint64_t)(m * log(2) / HASHES + 0.5));
    read_layers(f, &l);
    for (uint64_t i = 0; i < l.m; i++) many[l.counter[i]]++;
    for (unsigned v = 0; v <= TOP; v++)
        if (many[v] > 0) entropy -= many[v] / m * log2(many[v] / m);
    ORACLE_NEAR("1.B4", "bits per counter at k n = m ln 2", 1.693147, 3e-5, (double)l.bits / m);
    ORACLE_BETWEEN("1.B4", "entropy of a counter at k n = m ln 2", 1.58585, 1.58185, 1.58985,
                   entropy);
    WITHIN((double)field(f, "ones"), m / 2, 4 * sqrt(m) / 2);
    free(l.counter);
    check_counters(f, NULL);
    blm_free(f);
}

/* ---- a plain array of ints ---------------------------------------------------------------------------- */

/* Adds or deletes a key of f, and in the array. */
static void step(blm_filter *f, unsigned *array, uint64_t key, bool down)
{
    blm_touch t[64];
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    const size_t k = blm_touched(f, &it, t, 64);
    unsigned least = TOP;
    for (size_t i = 0; i < k; i++) least = array[t[i].cell] < least ? array[t[i].cell] : least;
    assert_int_equal(times_u64(f, key).value, least);
    assert_int_equal(down ? blm_del_item(f, &it) : blm_add_item(f, &it, NULL),
                     down && !least ? BLM_E_ABSENT : BLM_OK);
    for (size_t i = 0; i < k && !(down && !least); i++) {
        size_t before = 0;
        while (t[before].cell != t[i].cell) before++;
        if (before == i && array[t[i].cell] < TOP) array[t[i].cell] += down ? -1u : 1u;
    }
}

static void a_plain_array(void **state)
{
    static const struct {
        uint64_t bits, keys;
        unsigned hashes;
    } table[] = {{200, 5, 3}, {3000, 200, 5}, {20000, 900, 4}, {90000, 5000, 7}, {2000, 10, 64}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t keys = table[i].keys;
        blm_filter *f = counters(table[i].bits, table[i].hashes, keys, i + 1);
        unsigned *array = calloc((size_t)field(f, "cells"), sizeof *array);
        uint64_t random = i;
        assert_non_null(array);
        for (unsigned turn = 0; turn < (TEST_SLOW ? 4000 : 12000); turn++) {
            const uint64_t r = draw(&random);
            step(f, array, r % keys, (r >> 32) % 100 < (turn / 3000 % 2 ? 60 : 40));
            if (turn % 4000 == 0) check_counters(f, array);
        }
        check_counters(f, array);
        free(array);
        blm_free(f);
    }
    ORACLE_HOLDS("1.B4", "adds and deletes at random: a plain array of ints", true);
}

/* ---- the end of a counter ----------------------------------------------------------------------------- */

static void a_65th_layer_is_stuck(void **state)
{
    blm_filter *f = counters(5000, 3, 100, 1), *g = NULL;
    (void)state;
    assert_int_equal(blm_max_count(f), 63);
    for (unsigned i = 1; i <= 63; i++) {
        assert_int_equal(blm_add_u64(f, 42), BLM_OK);
        assert_true(times_u64(f, 42).value == i && !times_u64(f, 42).bound);
    }
    assert_int_equal(info_of(f).lost, field(f, "pool") ? BLM_DEL_EXACT : 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(blm_add_u64(f, 42), BLM_OK);
        const blm_estimate n = times_u64(f, 42);
        assert_true(n.value == 64 && n.low == 0 && isinf(n.high) && n.bound);
        assert_int_equal(field(f, "stuck"), 3);
        assert_int_equal(info_of(f).lost, BLM_DEL_EXACT);
        check_counters(f, NULL);
    }
    for (unsigned i = 0; i < 70; i++) assert_int_equal(del_u64(f, 42), BLM_OK);
    assert_true(blm_has_u64(f, 42) && times_u64(f, 42).bound);
    check_counters(f, NULL);
    OK(blm_copy(&g, f, &why));
    blm_free(f);
    blm_free(g);
}

/* 40 and 40 of one key, 30 of another: what is past 64 is stuck. */
static void merging_adds_and_stops(void **state)
{
    blm_filter *a = counters(3000, 3, 100, 1), *b = counters(3000, 3, 100, 1),
               *both = counters(3000, 3, 100, 1);
    (void)state;
    for (unsigned t = 0; t < 40; t++) {
        add_run(a, 0, 2);
        add_run(b, 1, 2);
        add_run(both, 0, 2);
        add_run(both, 1, 2);
    }
    OK(blm_merge(a, b, &why));
    assert_true(blm_equal(a, both) && times_u64(a, 1).bound && times_u64(a, 0).value >= 40);
    check_counters(a, NULL);
    blm_free(a);
    blm_free(b);
    blm_free(both);
}

/* 256 counters, one string of all 63 layers: the largest page is full to the last bit, and adds go on. */
static void all_are_stuck(void **state)
{
    blm_filter *f = made_new(BLM_CONFIG(.kind = "multilayer", .keys = 1, .fpr = 1 / 255.5,
                                        .hashes = 1, .overfill = true));
    uint64_t key = 0;
    (void)state;
    assert_int_equal(field(f, "cells"), 256);
    while (field(f, "stuck") < 256) assert_int_equal(blm_add_u64(f, key++), BLM_OK);
    assert_true(key > 256 * 64 && info_of(f).bytes == 256 / 8 + 8 + 63 * 256 / 8);
    const uint64_t pool = field(f, "pool");
    add_run(f, 0, 1000);
    assert_int_equal(field(f, "pool"), pool);
    assert_int_equal(field(f, "sum"), 256 * 64);
    check_counters(f, NULL);
    blm_free(f);
}

/* ---- pages -------------------------------------------------------------------------------------------- */

/* Filters planned for their keys are never copied on the way, and their memory is the plan's. The chance that a page is
 * full is below 10^-6 for each. */
static void planned_keys_fit(void **state)
{
    static const struct {
        uint64_t keys, seeds;
    } table[] = {{1, 300}, {10, 300}, {100, 300}, {3000, 9}, {100000, 1}};
    static const char *const rates[] = {"0.3", "1%", "1e-6"};
    char spec[80];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++)
        for (uint64_t seed = 1; seed <= table[i].seeds; seed++) {
            snprintf(spec, sizeof spec, "multilayer keys=%u fpr=%s seed=%u",
                     (unsigned)table[i].keys, rates[seed % 3], (unsigned)seed);
            blm_filter *f = made(spec);
            const uint64_t bytes = info_of(f).bytes;
            add_run(f, 0, table[i].keys);
            assert_int_equal(field(f, "pool"), 0);
            assert_true(info_of(f).bytes == bytes && !info_of(f).lost);
            blm_free(f);
        }
}

/* Copies make pages grow; memory that is refused leaves all as it was; deletes do not give it back, a merge does. */
static void pages_grow(void **state)
{
    purse p = {.held = 0};
    const blm_alloc a = {purse_get, purse_put, &p};
    blm_filter *f = made_new(
                   BLM_CONFIG(.kind = "multilayer", .keys = 2000, .fpr = 0.01, .alloc = &a)),
               *empty = made("multilayer keys=2000 fpr=1%"), *old = NULL;
    const uint64_t bytes = info_of(f).bytes;
    unsigned refused = 0;
    (void)state;
    for (unsigned t = 0; t < 10; t++)
        for (uint64_t key = 0; key < 2000; key++) {
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            const uint64_t calls = p.calls, before = field(f, "sum");
            p.refuse_at = calls + 1;
            const blm_err err = blm_add_item(f, &it, NULL);
            p.refuse_at = 0;
            if (!err) continue;
            assert_int_equal(err, BLM_E_NOMEM);
            assert_true(field(f, "sum") == before && p.calls == calls + 1);
            if (refused++ == 0) check_counters(f, NULL);
            assert_int_equal(blm_add_item(f, &it, NULL), BLM_OK);
        }
    assert_true(refused > 5 && refused == field(f, "pool"));
    assert_true(info_of(f).bytes > 3 * bytes && info_of(f).lost == BLM_DEL_EXACT);
    assert_true(times_u64(f, 0).value >= 10);
    check_counters(f, NULL);
    for (unsigned t = 0; t < 10; t++)
        for (uint64_t key = 0; key < 2000; key++) assert_int_equal(del_u64(f, key), BLM_OK);
    assert_true(field(f, "sum") == 0 && info_of(f).bytes > 3 * bytes);
    OK(blm_merge(f, empty, &why));
    assert_true(same_cells(f, empty) && info_of(f).bytes == bytes);
    OK(blm_copy(&old, f, &why));
    OK(blm_clear(f));
    assert_true(blm_equal(f, empty) && !blm_equal(old, empty));
    blm_free(f);
    blm_free(old);
    blm_free(empty);
    assert_int_equal(p.held, 0);
}

/* The same multiset in another order, in two parts, or with others that came and went: the same bytes. */
static void one_layout(void **state)
{
    blm_filter *f[3], *part = made("multilayer keys=500 fpr=1% overfill=yes");
    (void)state;
    for (unsigned i = 0; i < 3; i++) f[i] = made("multilayer keys=500 fpr=1% overfill=yes");
    for (unsigned t = 0; t < 9; t++) add_run(f[0], 0, 600);
    for (unsigned key = 600; key-- > 0;)
        for (unsigned t = 0; t < 9; t++) add_run(f[1], key, 1);
    for (unsigned t = 0; t < 9; t++) add_run(t % 2 ? part : f[2], 0, 600);
    assert_true(field(f[0], "pool") > 2 && blm_equal(f[0], f[1]));
    OK(blm_merge(part, f[2], &why));
    assert_true(blm_equal(f[0], part));
    add_run(f[1], 1000, 30);
    for (uint64_t key = 1000; key < 1030; key++) assert_int_equal(del_u64(f[1], key), BLM_OK);
    if (field(f[0], "pool") == field(f[1], "pool")) assert_true(same_cells(f[0], f[1]));
    for (unsigned i = 0; i < 3; i++) blm_free(f[i]);
    blm_free(part);
}

/* ---- what is refused ---------------------------------------------------------------------------------- */

static void deleting_what_is_not_there(void **state)
{
    blm_filter *f = made("multilayer keys=100 fpr=1%"), *old = NULL;
    unsigned refused = 0;
    (void)state;
    add_run(f, 0, 100);
    OK(blm_copy(&old, f, &why));
    for (uint64_t key = 1000; key < 1100; key++)
        refused += !blm_has_u64(f, key) && del_u64(f, key) == BLM_E_ABSENT;
    assert_true(refused > 90 && blm_equal(f, old));
    blm_free(f);
    blm_free(old);
}

/* Every bit of the cells, turned: refused, unless it is the same set of layers by chance, which no single bit makes. */
static void damage_is_noticed(void **state)
{
    blm_filter *f = counters(9000, 3, 300, 1);
    (void)state;
    for (unsigned t = 0; t < 3; t++) add_run(f, 0, 300);
    for (uint64_t i = 0; i < f->bytes * 8; i++) {
        f->cells[i / 8] ^= (uint8_t)(1u << i % 8);
        REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "damaged");
        f->cells[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    OK(f->kind->check(f, &why));
    for (unsigned i = 0; i < 3; i++) {
        static const char *const names[] = {"ones", "sum", "stuck"};
        forge_field(f, names[i], field(f, names[i]) + 1);
        REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "differs");
        forge_field(f, names[i], field(f, names[i]) - 1);
    }
    blm_free(f);
}

static void settings_and_their_limits(void **state)
{
    blm_filter *f = NULL;
    char spec[80];
    (void)state;
    REFUSED(blm_make(&f, "multilayer bits=64b keys=1", &why), BLM_E_ARG, "bits 64");
    REFUSED(blm_make(&f, "multilayer bits=1000b keys=1000", &why), BLM_E_ARG, "too few");
    REFUSED(blm_make(&f, "multilayer bits=1000b keys=100 hashes=10", &why), BLM_E_ARG, "too few");
    REFUSED(blm_make(&f, "multilayer keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
    REFUSED(blm_make(&f, "multilayer keys=10 max-count=64", &why), BLM_E_ARG, "63");
    for (uint64_t bits = 192; bits < 60000;
         bits += 500 + bits / 7) { /* never more than asked for */
        snprintf(spec, sizeof spec, "multilayer bits=%ub keys=7", (unsigned)bits);
        f = made(spec);
        assert_true(info_of(f).bits <= (bits + 63) / 64 * 64 &&
                    info_of(f).bits * 10 > bits * 9 - 640);
        blm_free(f);
    }
    blm_filter *a = made("multilayer keys=1000 fpr=1%"), *b = made("multilayer keys=1001 fpr=1%");
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "cells differs");
    blm_free(a);
    blm_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_picture),
        cmocka_unit_test(twenty_times_one_key),
        cmocka_unit_test(layer_0_is_standard),
        cmocka_unit_test(bits_at_half_full),
        cmocka_unit_test(a_plain_array),
        cmocka_unit_test(a_65th_layer_is_stuck),
        cmocka_unit_test(merging_adds_and_stops),
        cmocka_unit_test(all_are_stuck),
        cmocka_unit_test(planned_keys_fit),
        cmocka_unit_test(pages_grow),
        cmocka_unit_test(one_layout),
        cmocka_unit_test(deleting_what_is_not_there),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(settings_and_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test.c - a filter for each time: counts that are never low, layers that know nothing of each other. */
#include "kinds/counters.h"
#include "kinds/places.h"
#include "oracles.h"

enum { MAX = 16 };

typedef struct layer {
    uint64_t bits, start; /* its first bit in the region */
} layer;

/* As docs/format.md has them. */
static layer layer_of(const blm_filter *f, unsigned i)
{
    layer l = {field(f, "cells"), 0};
    for (; i; i--) {
        l.start += (l.bits + 63) / 64 * 64;
        l.bits = (l.bits + field(f, "shrink") - 1) / field(f, "shrink");
    }
    return l;
}

static bool bit(const blm_filter *f, uint64_t at)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    assert_true(at < n * 8);
    return cells[at / 8] >> at % 8 & 1;
}

static double rate_of_layer(const blm_filter *f, unsigned i)
{
    const layer l = layer_of(f, i);
    uint64_t ones = 0;
    for (uint64_t b = 0; b < l.bits; b++) ones += bit(f, l.start + b);
    return pow((double)ones / (double)l.bits, (double)field(f, "hashes"));
}

static bool layer_has(const blm_filter *f, unsigned i, uint64_t lo)
{
    const layer l = layer_of(f, i);
    if (i) lo = salted(lo, i);
    for (unsigned k = 0; k < field(f, "hashes"); k++)
        if (!bit(f, l.start + high(word_of(lo, k), l.bits))) return false;
    return true;
}

static void one_key_many_times(void **state)
{
    bool right = true;
    (void)state;
    for (unsigned layers = 1; layers <= MAX; layers++) {
        char spec[60];
        snprintf(spec, sizeof spec, "layered keys=100 fpr=1%% layers=%u", layers);
        blm_filter *f = made(spec), *full = NULL;
        assert_true(times_u64(f, 42).value == 0 && !times_u64(f, 42).bound);
        for (unsigned t = 1; t <= layers; t++) {
            const blm_item it = blm_item_u64(f, 42, BLM_NO_ARG);
            bool fresh = t > 1;
            assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
            const blm_estimate n = times_u64(f, 42);
            right = right && n.value == t && n.bound == (t == layers) && fresh == (t == 1);
            assert_true(n.low <= t && (n.bound ? isinf(n.high) : n.high == t));
        }
        OK(blm_copy(&full, f, &why));
        assert_int_equal(blm_add_u64(f, 42), BLM_OK); /* once more: told by bound alone */
        assert_true(same_cells(f, full) && times_u64(f, 42).value == layers);
        bool yes;
        const uint8_t key[8] = {42};
        assert_int_equal(blm_at_least(f, key, 8, layers, &yes), BLM_OK);
        assert_true(yes);
        assert_int_equal(blm_at_least(f, key, 8, layers + 1, &yes), BLM_E_UNSURE);
        blm_free(full);
        blm_free(f);
    }
    ORACLE_HOLDS("1.B10", "one key t times: it counts 1, 2, ... t", right);
}

/* Keys 0 .. 4 n - 1, key i inside 1 + i % 5 times, in random order. */
static blm_filter *multiset(uint64_t n, const char *with)
{
    const uint64_t all = n * 15;
    uint64_t *row = malloc(all * sizeof *row), at = 0, random = 3;
    assert_non_null(row);
    for (uint64_t i = 0; i < 5 * n; i++)
        for (uint64_t t = 0; t <= i % 5; t++) row[at++] = i;
    assert_int_equal(at, all);
    blm_filter *f = made_new(BLM_CONFIG(.kind = "layered", .keys = 5 * n, .hashes = 5,
                                        .bits = 5 * n * 8 * 6, .with = with, .overfill = true));
    for (uint64_t i = all; i; i--) { /* Fisher, Yates */
        const uint64_t j = draw(&random) % i, key = row[j];
        row[j] = row[i - 1];
        assert_int_equal(blm_add_u64(f, key), BLM_OK);
    }
    free(row);
    return f;
}

static void counts_are_never_low_and_seldom_high(void **state)
{
    enum { KEYS = 20000 };
    blm_filter *f = multiset(KEYS / 5, "layers=6");
    uint64_t high_ones[6] = {0}, low = 0;
    (void)state;
    for (uint64_t i = 0; i < KEYS; i++) {
        const double truth = (double)(i % 5 + 1), n = times_u64(f, i).value;
        low += n < truth;
        high_ones[i % 5 + 1] += n > truth;
    }
    ORACLE_HOLDS("1.B10", "no count is below the truth", low == 0);
    double none = 1 - rate_of_layer(f, 0);
    for (unsigned t = 1; t <= 5; t++) { /* layer t + 1 is place t */
        char what[60];
        const double min = rate_of_layer(f, t), n = KEYS / 5.0;
        none *= 1 - min;
        const double max = 1 - none, share = (double)high_ones[t] / n;
        snprintf(what, sizeof what, "keys that came %u times and count more", t);
        ORACLE_BETWEEN("1.B10", what, (min + max) / 2, min - 2.576 * sqrt(min * (1 - min) / n),
                       max + 2.576 * sqrt(max * (1 - max) / n), share);
    }
    blm_free(f);
}

/* Non-members pass each layer at the rate of its own ones, and two layers as if these were independent. */
static void each_layer_at_its_own_rate(void **state)
{
    enum { PROBES = 200000 };
    blm_filter *f = multiset(4000, "layers=6");
    uint64_t hits[6] = {0}, two = 0, agree = 0;
    (void)state;
    for (uint64_t i = 0; i < PROBES; i++) {
        const blm_item it = blm_item_u64(f, (UINT64_C(1) << 40) + i, BLM_NO_ARG);
        bool here[6];
        for (unsigned l = 0; l < 5; l++) hits[l] += here[l] = layer_has(f, l, it.h.lo);
        blm_estimate n;
        assert_int_equal(blm_count_item(f, &it, &n), BLM_OK);
        two += n.value >= 2;
        agree += blm_has_item(f, &it) == here[0] && (n.value >= 2) == (here[0] && here[1]);
    }
    assert_int_equal(agree, PROBES);
    for (unsigned l = 0; l < 5; l++) {
        char what[60];
        snprintf(what, sizeof what, "the rate of layer %u by its ones", l + 1);
        ORACLE_HITS("1.B10", what, rate_of_layer(f, l), hits[l], PROBES);
    }
    ORACLE_HITS("1.B10", "a stranger in two layers: the product of their rates",
                rate_of_layer(f, 0) * rate_of_layer(f, 1), two, PROBES);
    assert_true(blm_fpr(f, NULL).high == rate_of_layer(f, 0));
    blm_free(f);
}

/* ---- what it is made of --------------------------------------------------------------------------- */

static void one_layer_is_standard(void **state)
{
    blm_filter *f = made("layered bits=5000b hashes=5 keys=400 layers=1"),
               *g = made("standard bits=5000b hashes=5 keys=400"), *eight = NULL;
    size_t n, m;
    (void)state;
    for (uint64_t i = 0; i < 400; i++) {
        const blm_item x = blm_item_u64(f, i, BLM_NO_ARG);
        bool a = false, b = false;
        assert_int_equal(blm_add_item(f, &x, &a), BLM_OK);
        assert_int_equal(blm_add_item(g, &x, &b), BLM_OK);
        assert_true(a == b);
    }
    assert_true(same_cells(f, g) && field(f, "ones") == field(g, "ones"));
    assert_true(blm_fpr(f, NULL).high == blm_fpr(g, NULL).high);
    assert_true(info_of(f).keys.value == info_of(g).keys.value);
    assert_true(info_of(f).fill == info_of(g).fill);
    const blm_case c = {.keys = 300};
    assert_true(blm_fpr(f, &c).high == blm_fpr(g, &c).high);
    assert_true(blm_fpr(f, &c).spread == blm_fpr(g, &c).spread);
    /* And the first of eight is that too, whatever comes twice. */
    eight = made("layered bits=40448b hashes=5 keys=400 layers=8");
    const uint64_t bits = field(eight, "cells");
    blm_free(g);
    g = made_new(BLM_CONFIG(.kind = "standard", .bits = bits, .hashes = 5, .keys = 400));
    add_run(eight, 0, 400);
    add_run(eight, 100, 200);
    add_run(g, 0, 400);
    assert_memory_equal(blm_cells(eight, &n), blm_cells(g, &m), (bits + 63) / 64 * 8);
    assert_int_equal(n, 8 * m);
    blm_free(f);
    blm_free(g);
    blm_free(eight);
}

static void layers_shrink(void **state)
{
    blm_filter *f = made("layered keys=1000 fpr=1% layers=5 shrink=4");
    (void)state;
    assert_true(field(f, "cells") == 9595 && field(f, "hashes") == 7); /* of standard, exactly */
    const uint64_t bits[] = {9595, 2399, 600, 150, 38};
    uint64_t start = 0;
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(layer_of(f, i).bits, bits[i]);
        assert_int_equal(layer_of(f, i).start, start);
        start += (bits[i] + 63) / 64 * 64;
    }
    assert_int_equal(info_of(f).bits, start);
    blm_free(f);
    f = made("layered keys=1000 fpr=1%");
    assert_int_equal(info_of(f).bits, 8 * 9600);
    assert_int_equal(field(f, "layers"), 8);
    blm_free(f);
    f = made("layered keys=1000 fpr=1% shrink=2"); /* 1 + 1/2 + 1/4 ... 1/128 of 9595 bits */
    NEAR((double)info_of(f).bits, 9595 * 255 / 128.0, 0.02);
    blm_free(f);
}

/* The largest first layer with which all fit. */
static void bits_are_not_exceeded(void **state)
{
    (void)state;
    for (uint64_t bits = 1024; bits < 30000; bits = bits * 3 / 2 + 5)
        for (unsigned shrink = 1; shrink <= 16; shrink += 5) {
            char with[40];
            snprintf(with, sizeof with, "layers=16 shrink=%u", shrink);
            blm_filter *f =
                made_new(BLM_CONFIG(.kind = "layered", .bits = bits, .keys = 50, .with = with));
            const uint64_t max = (bits + 63) / 64 * 64;
            assert_true(info_of(f).bits <= max);
            uint64_t more = 0, m = field(f, "cells") + 1;
            for (unsigned i = 0; i < 16; i++, m = (m + shrink - 1) / shrink)
                more += (m + 63) / 64 * 64;
            assert_true(more > max || field(f, "cells") == bits);
            blm_free(f);
        }
}

/* ---- what it does not do -------------------------------------------------------------------------- */

static void what_makes_no_sense(void **state)
{
    static const char *const bad[] = {"layers=0",   "layers=17", "layers=2.5",
                                      "shrink=0.5", "shrink=17", "shrink=1.5"};
    char spec[64];
    blm_filter *f = NULL, *g = NULL, *old = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "layered keys=10 %s", bad[i]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i]);
        SAYS("16");
    }
    REFUSED(blm_make(&f, "layered bits=440b keys=3", &why), BLM_E_ARG, "bits 440");
    SAYS("8 layers");
    REFUSED(blm_make(&f, "layered keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
    assert_null(f);
    f = made("layered keys=50"), g = made("layered keys=50");
    add_run(f, 0, 30);
    add_run(g, 0, 30);
    OK(blm_copy(&old, f, &why));
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "layered has no merge: a key of both");
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    assert_true(blm_equal(f, old));
    blm_free(f);
    blm_free(g);
    blm_free(old);
}

static void size_is_that_of_distinct_keys(void **state)
{
    blm_filter *f = made("layered keys=2000 fpr=1%");
    blm_estimate n;
    (void)state;
    for (unsigned t = 0; t < 4; t++) add_run(f, 0, 1000);
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    WITHIN(n.value, 1000, 4 * (n.high - n.value));
    assert_true(!n.bound && n.high - n.value < 20);
    blm_free(f);
}

static void impossible_cells_are_refused(void **state)
{
    blm_filter *f = made("layered keys=20 fpr=1% layers=3 shrink=3"), *g = NULL;
    size_t n;
    uint8_t *cells;
    const void *seen = blm_cells(f, &n);
    (void)state;
    memcpy(&cells, &seen, sizeof cells); /* the test plays the fault */
    add_run(f, 0, 20);
    add_run(f, 0, 6);
    for (unsigned i = 0; i < 3; i++) {
        const layer l = layer_of(f, i);
        const uint64_t past = l.start + l.bits, inside = l.start + 1;
        assert_true(l.bits % 64 != 0);
        for (unsigned fault = 0; fault < 2; fault++) {
            const uint64_t at = fault ? inside : past;
            cells[at / 8] ^= (uint8_t)(1u << at % 8);
            blob b = image_of(f);
            REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE,
                    fault ? "numbers of ones" : "past the last one of layer");
            free(b.p);
            cells[at / 8] ^= (uint8_t)(1u << at % 8);
        }
    }
    blob b = image_of(f);
    OK(blm_load(&g, b.p, b.n, NULL, &why));
    free(b.p);
    blm_free(f);
    blm_free(g);
}

/* More ones than bits, in the first layer or above it: refused before a cell is looked at. */
static void impossible_numbers_are_refused(void **state)
{
    static const char *const names[] = {"ones", "above"};
    (void)state;
    for (size_t n = 0; n < COUNT(names); n++) {
        blm_filter *f = made("layered keys=50 fpr=1% layers=3"), *g = NULL;
        add_run(f, 0, 40);
        forge_field(f, names[n], f->bytes * 8 + 1);
        blob b = image_of(f);
        REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE, "than the filter has");
        free(b.p);
        blm_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_key_many_times),
        cmocka_unit_test(counts_are_never_low_and_seldom_high),
        cmocka_unit_test(each_layer_at_its_own_rate),
        cmocka_unit_test(one_layer_is_standard),
        cmocka_unit_test(layers_shrink),
        cmocka_unit_test(bits_are_not_exceeded),
        cmocka_unit_test(what_makes_no_sense),
        cmocka_unit_test(size_is_that_of_distinct_keys),
        cmocka_unit_test(impossible_cells_are_refused),
        cmocka_unit_test(impossible_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

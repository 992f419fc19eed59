/* test.c - weights that are never told too low, sketches that add up, sizes by eps and delta. */
#include "core/core_internal.h"
#include "core/unit.h"
#include "test_stream.h"
#include "oracles.h"

/* ---- counting --------------------------------------------------------------------------------------- */

static void weights_add_up(void **state)
{
    static const char *const specs[] = {"count-min keys=100 fpr=1%",
                                        "count-min keys=100 fpr=1% update=plain"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]);
        blm_estimate n;
        assert_int_equal(blm_count(f, "plum", 4, &n), BLM_OK);
        assert_true(n.value == 0 && n.low == 0 && n.high == 0 && !n.bound);
        assert_int_equal(add_weight(f, 7, 1000), BLM_OK);
        assert_int_equal(add_weight(f, 7, 0), BLM_OK);
        assert_int_equal(add_weight(f, 7, BLM_NO_ARG), BLM_OK); /* usually 1 */
        n = times_u64(f, 7);
        assert_true(n.value == 1001 && n.high == 1001 && n.low == 0 && !n.bound);
        assert_int_equal(field(f, "weight"), 1001);
        assert_int_equal(info_of(f).adds, 3);
        assert_true(blm_has_u64(f, 7) && !blm_has_u64(f, 8));
        blm_free(f);
    }
}

/* A weight of 0 is legal and brings nothing: the key is no member by it. */
static void nothing_is_no_member(void **state)
{
    blm_filter *f = made("count-min keys=100 fpr=1%"), *empty = made("count-min keys=100 fpr=1%");
    bool fresh = false;
    blm_item it = blm_item_u64(f, 5, 0);
    (void)state;
    ORACLE_HOLDS("1.B13", "a packet of length 0 is allowed", !blm_add_item(f, &it, &fresh));
    assert_true(fresh && !blm_has_u64(f, 5) && same_cells(f, empty));
    it.arg = (UINT64_C(1) << 48) + 1;
    assert_int_equal(blm_add_item(f, &it, NULL), BLM_E_ARG);
    it.arg--;
    assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
    assert_true(fresh);
    assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
    assert_false(fresh);
    blm_free(f);
    blm_free(empty);
}

/* 20,000 draws of a Zipf distribution over 2000 keys, 5 rows of 272: each count against the truth. */
static void errors_stay_below_eps(void **state)
{
    enum { KEYS = 2000, DRAWS = 20000 };
    static const char *const specs[] = {"count-min keys=2000 eps=0.01 delta=0.01 update=plain",
                                        "count-min keys=2000 eps=0.01 delta=0.01"};
    static const char *const names[] = {"counts over eps N, plain",
                                        "counts over eps N, conservative"};
    uint64_t *truth = calloc(KEYS, sizeof *truth), low = 0;
    (void)state;
    assert_non_null(truth);
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]);
        assert_int_equal(field(f, "columns"), 272);
        assert_int_equal(field(f, "hashes"), 5);
        assert_int_equal(info_of(f).bits, 1360 * 32);
        zipf_stream(f, KEYS, DRAWS, 1, truth);
        const double limit = 0.01 * DRAWS;
        uint64_t over = 0;
        for (uint64_t k = 0; k < KEYS; k++) {
            const double v = times_u64(f, k).value, t = (double)truth[k];
            over += v > t + limit;
            low += v < t;
        }
        /* One-sided, 99 %: 1 % of the queries and 2.326 sd. */
        ORACLE_AT_MOST("1.B11", names[i], 0.01 + 2.326 * sqrt(0.01 * 0.99 / KEYS),
                       (double)over / KEYS);
        blm_free(f);
    }
    ORACLE_HOLDS("1.B11", "a count is never below the truth", low == 0);
    free(truth);
}

/* Cell by cell, however full; and the error of conservative counts is really smaller. */
static void conservative_is_at_most_plain(void **state)
{
    enum { KEYS = 3000, DRAWS = 30000, COLUMNS = 500 };
    blm_filter *plain = made("count-min keys=3000 bits=80000b hashes=5 update=plain overfill=yes");
    blm_filter *less = made("count-min keys=3000 bits=80000b hashes=5 overfill=yes");
    uint64_t *truth = calloc(KEYS, sizeof *truth);
    uint64_t above = 0;
    double error[2] = {0, 0};
    (void)state;
    assert_non_null(truth);
    zipf_stream(plain, KEYS, DRAWS, 3, truth);
    zipf_stream(less, KEYS, DRAWS, 3, truth);
    for (uint64_t i = 0; i < 5 * COLUMNS; i++)
        above += cell_of(less, 32, i) > cell_of(plain, 32, i);
    for (uint64_t k = 0; k < KEYS; k++) {
        error[0] += times_u64(plain, k).value - (double)truth[k];
        error[1] += times_u64(less, k).value - (double)truth[k];
    }
    ORACLE_HOLDS("1.B13", "conservative counters are at most the plain ones", above == 0);
    assert_true(error[1] > 0 && error[1] < error[0] / 1.5);
    assert_int_equal(field(less, "weight"), DRAWS);
    blm_free(plain);
    blm_free(less);
    free(truth);
}

/* ---- ceilings ---------------------------------------------------------------------------------------- */

static void ceilings_are_told(void **state)
{
    static const unsigned widths[] = {1, 2, 8, 31, 57, 64};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++)
        for (unsigned plain = 0; plain < 2; plain++) {
            char spec[80];
            const uint64_t top = UINT64_MAX >> (64 - widths[i]), max = UINT64_C(1) << 48;
            snprintf(spec, sizeof spec, "count-min keys=20 fpr=1%% width=%u%s", widths[i],
                     plain ? " update=plain" : "");
            blm_filter *f = made(spec);
            const unsigned lost = plain ? 0 : BLM_ANY_ORDER | BLM_MERGE_EXACT;
            assert_int_equal(info_of(f).lost, lost);
            uint64_t sum = 0;
            for (unsigned t = 0; t < 4 && sum < top; t++) {
                const uint64_t by = top - sum > max ? max : top - sum > 1 ? top - sum - 1 : 1;
                assert_int_equal(add_weight(f, 3, by), BLM_OK);
                sum += by;
                if (sum < top) {
                    assert_true(times_u64(f, 3).value == (double)sum && !times_u64(f, 3).bound);
                    assert_int_equal(info_of(f).lost, lost);
                }
            }
            if (widths[i] < 50) { /* at the ceiling, and past it */
                for (unsigned t = 0; t < 3; t++) {
                    const blm_estimate n = times_u64(f, 3);
                    assert_true(n.value == (double)top && n.low == 0 && isinf(n.high) && n.bound);
                    assert_int_equal(info_of(f).lost, lost | BLM_NEVER_LOW);
                    assert_int_equal(field(f, "stuck"), field(f, "hashes"));
                    assert_int_equal(add_weight(f, 3, max), BLM_OK);
                }
                assert_int_equal(blm_clear(f), BLM_OK);
                assert_int_equal(info_of(f).lost, lost);
            }
            blm_free(f);
        }
    ORACLE_HOLDS("1.B11", "counters saturate and stay so", true);
    ORACLE_HOLDS("1.B13", "counters of 64 bits", true);
}

/* ---- merging ----------------------------------------------------------------------------------------- */

static void sketches_add_up(void **state)
{
    enum { KEYS = 500 };
    static const char spec[] = "count-min keys=500 fpr=1% update=plain width=9";
    blm_filter *a = made(spec), *b = made(spec), *both = made(spec);
    (void)state;
    for (uint64_t i = 0; i < 3 * KEYS; i++) { /* of 9 bits: some get stuck in both */
        const uint64_t key = i % KEYS, by = 1 + key % 97;
        assert_int_equal(add_weight(i < 2 * KEYS ? a : b, key, by), BLM_OK);
        assert_int_equal(add_weight(both, key, by), BLM_OK);
    }
    OK(blm_merge(a, b, &why));
    ORACLE_HOLDS("1.B11", "sketch(A) + sketch(B) = sketch(A + B)", blm_equal(a, both));
    assert_true(field(a, "stuck") > 0 && info_of(a).lost == BLM_NEVER_LOW);
    blm_free(a);
    blm_free(b);
    blm_free(both);
}

/* Conservative: other bytes than of one stream, but no count is too low. */
static void conservative_sums_are_safe(void **state)
{
    enum { KEYS = 400 };
    static const char spec[] = "count-min keys=400 bits=20000b hashes=4 overfill=yes";
    blm_filter *a = made(spec), *b = made(spec), *plain = made(spec);
    uint64_t low = 0;
    (void)state;
    for (uint64_t i = 0; i < KEYS; i++) {
        assert_int_equal(add_weight(a, i, 1 + i % 7), BLM_OK);
        assert_int_equal(add_weight(b, KEYS - 1 - i, 1 + i % 5), BLM_OK);
    }
    OK(blm_merge(a, b, &why));
    for (uint64_t i = 0; i < KEYS; i++)
        low += times_u64(a, i).value < (double)(2 + i % 7 + (KEYS - 1 - i) % 5);
    assert_int_equal(low, 0);
    assert_int_equal(info_of(a).promises & BLM_MERGE_EXACT, 0);
    blm_free(plain);
    plain = made("count-min keys=400 bits=20000b hashes=4 update=plain");
    REFUSED(blm_merge(a, plain, &why), BLM_E_MISMATCH, "update differs");
    blm_free(a);
    blm_free(b);
    blm_free(plain);
}

/* ---- sizes ------------------------------------------------------------------------------------------- */

static void sizes_of_four_wishes(void **state)
{
    blm_filter *f = made("count-min keys=1000 fpr=1%");
    uint64_t slice;
    unsigned k;
    (void)state;
    assert_true(blm_size_partitioned(1000, 0.01, 0, &slice, &k));
    assert_true(field(f, "columns") == slice && field(f, "hashes") == k);
    assert_int_equal(info_of(f).bits, (slice * k * 32 + 63) / 64 * 64);
    assert_true(info_of(f).fpr_target == 0.01);
    add_run(f, 0, 1000);
    const blm_estimate n = info_of(f).keys; /* k rows, each an estimate of its own */
    NEAR(n.high - n.value, blm_keys_sd(slice, 1, (uint64_t)n.value) / sqrt(k), 1e-9);
    WITHIN(n.value, 1000, 4 * (n.high - n.value));
    blm_free(f);
    f = made("count-min bits=1001b hashes=3 keys=7 width=7");
    assert_true(field(f, "columns") == 47 && field(f, "width") == 7 && info_of(f).bits == 1024);
    NEAR(info_of(f).fpr_target, pow(1 - pow(46 / 47.0, 7), 3), 1e-6);
    blm_free(f);
    f = made("count-min bits=64b hashes=1 keys=1 width=64");
    assert_int_equal(field(f, "columns"), 1);
    add_run(f, 0, 1);
    assert_true(info_of(f).keys.bound && info_of(f).keys.value == 1 && info_of(f).fill == 1);
    blm_free(f);
    f = made("count-min keys=1e6 eps=0.001 delta=0.02");
    assert_true(field(f, "columns") == 2719 && field(f, "hashes") == 4);
    assert_true(info_of(f).fpr_target == 1); /* all counters in use: no membership */
    add_run(f, 0, 5000);                     /* and never full */
    blm_free(f);
    f = made("count-min keys=100000 threshold=1e6 total=1e8");
    assert_true(field(f, "columns") == 1000 && field(f, "hashes") == 4);
    assert_true(field(f, "flows") == 1000 && blm_can(f, BLM_LIST));
    assert_int_equal(info_of(f).bytes, 4 * 1000 * 4 + 1501 * 24);
    blm_free(f);
    f = made("count-min keys=100 threshold=1000 total=7001 hashes=7");
    assert_true(field(f, "columns") == 71 && field(f, "hashes") == 7);
    blm_free(f);
    f = made("count-min keys=10 bits=100000b threshold=50 flows=10");
    assert_int_equal(field(f, "columns"), (100000 - 16 * 24 * 8) / 32 / field(f, "hashes"));
    assert_true(info_of(f).bits <= 100000);
    blm_free(f);
}

static void wishes_that_make_no_sense(void **state)
{
    static const struct {
        const char *with, *word, *also;
    } table[] = {
        {"keys=10 eps=0 delta=0.1", "eps=0", "between 0 and 1"},
        {"keys=10 eps=1 delta=0.1", "eps=1", "between 0 and 1"},
        {"keys=10 eps=0.1 delta=1", "delta=1", "between 0 and 1"},
        {"keys=10 eps=1.5 delta=0.1", "eps=1.5", "from 0 to 1"},
        {"keys=10 eps=-1 delta=0.1", "eps=-1", "from 0 to 1"},
        {"keys=10 eps=0.1", "delta=0", "both"},
        {"keys=10 delta=0.1", "eps=0 delta=0.1", "both"},
        {"keys=10 eps=0.1 delta=0.1 bits=1MiB", "bits", "omit"},
        {"keys=10 eps=0.1 delta=0.1 hashes=3", "hashes", "omit"},
        {"keys=1000 eps=0.1 delta=0.1 fpr=1%", "fpr 0.01", "omit fpr"},
        {"keys=10 eps=1e-17 delta=0.1", "2^52", "columns"},
        {"keys=10 eps=6.035798146750804e-16 delta=1.7e-28 width=64", "288230376151711744", "2^64"},
        {"keys=10 width=58", "width=58", "1 to 57 or 64"},
        {"keys=10 width=65", "width=65", "64"},
        {"keys=10 width=0", "width=0", "1 to 57 or 64"},
        {"keys=10 width=3.5", "width=3.5", "whole"},
        {"keys=10 threshold=0", "threshold=0", "from 1"},
        {"keys=10 threshold=2.5", "threshold=2.5", "whole"},
        {"keys=10 threshold=5 flows=0", "flows=0", "from 1"},
        {"keys=10 flows=5", "flows=5", "threshold"},
        {"keys=10 total=5", "total=5", "threshold"},
        {"keys=10 threshold=256 width=8", "threshold=256", "255"},
        {"keys=10 threshold=100 total=5000 flows=10 bits=100000b hashes=64", "threshold=100",
         "51 columns"},
        {"keys=10 threshold=100 total=4700 flows=10 bits=100000b hashes=64", "4700", "48 columns"},
        {"keys=10 threshold=100 bits=36024b", "36024", "0 counters"},
        {"keys=10 update=liberal", "update=liberal", "plain|conservative"},
        {"bits=31b hashes=1", "bits 31", "0 counters of 32 bits"},
        {"keys=7e15 fpr=1e-60", "7e+15 keys", "64 rows"},
    };
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[120];
        snprintf(spec, sizeof spec, "count-min %s", table[i].with);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, table[i].word);
        SAYS(table[i].also);
        assert_null(f);
    }
    ORACLE_HOLDS("1.B11", "eps or delta outside of (0, 1) is refused", true);
    ORACLE_HOLDS("1.B13", "K <= 1 is refused", true);
    ORACLE_HOLDS("1.B14", "a threshold of 0 is refused", true);
}

static void what_it_cannot(void **state)
{
    blm_filter *f = made("count-min keys=10"), *old = NULL;
    uint8_t cells[8] = {0};
    size_t n = 0;
    (void)state;
    add_run(f, 0, 5);
    OK(blm_copy(&old, f, &why));
    ORACLE_HOLDS("1.B11", "negative updates are refused", blm_del(f, "x", 1) == BLM_E_CANNOT);
    REFUSED(blm_list(f, NULL, &n, &why), BLM_E_CANNOT, "count-min");
    assert_true(blm_adopt(f, cells, 8, &why) != BLM_OK);
    assert_true(blm_equal(f, old));
    assert_int_equal(info_of(f).promises, BLM_NO_MISS | BLM_NEVER_LOW);
    blm_free(f);
    blm_free(old);
}

/* Fields that contradict the cells or each other, under right sums. */
static void impossible_images(void **state)
{
    static const struct {
        const char *field;
        uint64_t value;
        const char *word;
    } table[] = {{"used", 18, "used"},
                 {"stuck", 1, "stuck"},
                 {"stuck", 21, "are in use than"},
                 {"used", 1000000, "are in use than"},
                 {"held", 1, "flow"},
                 {"held", 9, "are in use than"},
                 {"flows", 0, "are in use than"},
                 {"threshold", 0, "are in use than"},
                 {"width", 60, "width=60"},
                 {"threshold", 65536, "count to 65535"}};
    (void)state;
    for (size_t i = 0; i <= COUNT(table); i++) {
        blm_filter *f = made("count-min keys=10 bits=2220b hashes=3 width=16 threshold=9 flows=6"),
                   *g = NULL;
        assert_int_equal(field(f, "columns"), 6); /* 18 counters and 10 slots; 32 bits are over */
        add_run(f, 0, 4);
        if (i == COUNT(table)) f->cells[36] = 1;
        for (size_t j = 0; i < COUNT(table) && j < f->kind->nfields; j++)
            if (strcmp(f->kind->fields[j].name, table[i].field) == 0)
                blm_field_set(f, &f->kind->fields[j], table[i].value);
        blob b = image_of(f);
        REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE,
                i < COUNT(table) ? table[i].word : "past the last counter");
        free(b.p);
        blm_free(f);
    }
}

/* Non-members read on while counters are above zero: 1 + fill + fill^2 + ..., fill = 1 - (1 - 1/w)^n. */
static void lines_of_a_stranger(void **state)
{
    blm_filter *f = made("count-min bits=64000b hashes=4 keys=300 width=32");
    const double fill = 1 - pow(1 - 1 / 500.0, 300);
    (void)state;
    assert_int_equal(field(f, "columns"), 500);
    NEAR(f->kind->lines(f, &(blm_case){.keys = 300}), (1 - pow(fill, 4)) / (1 - fill), 1e-9);
    blm_free(f);
}

/* Counter i of a key is in row i. */
static void touched_are_its_counters(void **state)
{
    static const unsigned widths[] = {1, 7, 32, 64};
    (void)state;
    for (size_t w = 0; w < COUNT(widths); w++) {
        char spec[80];
        snprintf(spec, sizeof spec, "count-min keys=50 bits=%ub hashes=5 width=%u", 555 * widths[w],
                 widths[w]);
        blm_filter *f = made(spec);
        add_run(f, 0, 50);
        for (uint64_t key = 0; key < 60; key++) {
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            blm_touch t[5];
            uint64_t low = UINT64_MAX;
            check_touched(f, &it, t, 5, 5);
            for (unsigned i = 0; i < 5; i++) {
                assert_true(t[i].cell / 111 == i && t[i].byte == t[i].cell * widths[w] / 8);
                assert_int_equal(t[i].value, cell_of(f, widths[w], t[i].cell));
                low = t[i].value < low ? t[i].value : low;
            }
            assert_true(times_u64(f, key).value == (double)low && blm_has_u64(f, key) == (low > 0));
        }
        blm_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_add_up),
        cmocka_unit_test(lines_of_a_stranger),
        cmocka_unit_test(nothing_is_no_member),
        cmocka_unit_test(errors_stay_below_eps),
        cmocka_unit_test(conservative_is_at_most_plain),
        cmocka_unit_test(ceilings_are_told),
        cmocka_unit_test(sketches_add_up),
        cmocka_unit_test(conservative_sums_are_safe),
        cmocka_unit_test(sizes_of_four_wishes),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(what_it_cannot),
        cmocka_unit_test(impossible_images),
        cmocka_unit_test(touched_are_its_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

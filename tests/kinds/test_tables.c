/* test_tables.c - what docs/format.md says of the kinds is what their tables say.
 *
 * Promises decide which laws a kind has to keep, and fields are the image: neither may change
 * unseen. The figures are the page's, transcribed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <bloomery/bloomery.h>

#define POWER(n) (UINT64_C(1) << (n))

typedef struct row {
    const char *kind, *name;
    unsigned width;
    uint64_t min, max;
    bool state;
} row;

static const row fields[] = {
    {"standard", "cells", 8, 1, POWER(60), false},
    {"standard", "hashes", 1, 1, 64, false},
    {"standard", "ones", 8, 0, POWER(60), true},
    {"partitioned", "slice", 8, 1, POWER(60), false},
    {"partitioned", "hashes", 1, 1, 64, false},
    {"partitioned", "ones", 8, 0, POWER(60), true},
    {"blocked", "blocks", 8, 1, POWER(51), false},
    {"blocked", "hashes", 1, 1, 64, false},
    {"blocked", "ones", 8, 0, POWER(60), true},
    {"split-block", "blocks", 8, 1, POWER(31), false},
    {"split-block", "hashes", 1, 8, 8, false},
    {"split-block", "ones", 8, 0, POWER(39), true},
    {"word", "blocks", 8, 1, POWER(55), false},
    {"word", "hashes", 1, 1, 64, false},
    {"word", "reads", 1, 1, 4, false},
    {"word", "width", 2, 32, 64, false},
    {"word", "ones", 8, 0, POWER(60), true},
    {"two-choice", "cells", 8, 1, POWER(60), false},
    {"two-choice", "hashes", 1, 1, 64, false},
    {"two-choice", "choices", 1, 1, 8, false},
    {"two-choice", "ones", 8, 0, POWER(60), true},
    {"memory-optimized", "cells", 8, 1, POWER(60), false},
    {"memory-optimized", "hashes", 1, 1, 64, false},
    {"memory-optimized", "query", 1, 0, 1, false},
    {"memory-optimized", "ones", 8, 0, POWER(60), true},
    {"hash-choice", "cells", 8, 1, POWER(60), false},
    {"hash-choice", "hashes", 1, 1, 64, false},
    {"hash-choice", "library", 1, 1, 64, false},
    {"hash-choice", "groups", 8, 1, POWER(56), false},
    {"hash-choice", "passes", 1, 1, 16, false},
    {"hash-choice", "ones", 8, 0, POWER(60), true},
    {"hash-choice", "built", 8, 0, POWER(60), true},
    {"hash-choice", "before", 8, 0, POWER(60), true},
    {"counting", "cells", 8, 1, POWER(58), false},
    {"counting", "hashes", 1, 1, 64, false},
    {"counting", "width", 1, 2, 16, false},
    {"counting", "used", 8, 0, POWER(58), true},
    {"counting", "stuck", 8, 0, POWER(58), true},
    {"counting", "layout", 1, 0, 1, false},
    {"count-min", "columns", 8, 1, POWER(52), false},
    {"count-min", "hashes", 1, 1, 64, false},
    {"count-min", "width", 1, 1, 64, false},
    {"count-min", "update", 1, 0, 1, false},
    {"count-min", "threshold", 8, 0, POWER(53), false},
    {"count-min", "flows", 8, 0, UINT32_MAX, false},
    {"count-min", "weight", 8, 0, UINT64_MAX, true},
    {"count-min", "used", 8, 0, POWER(58), true},
    {"count-min", "stuck", 8, 0, POWER(58), true},
    {"count-min", "held", 8, 0, UINT32_MAX, true},
    {"count-min", "dropped", 8, 0, UINT64_MAX, true},
    {"dleft", "buckets", 8, 1, POWER(50), false},
    {"dleft", "tables", 1, 3, 8, false},
    {"dleft", "bucket", 1, 4, 32, false},
    {"dleft", "remainder", 1, 1, 55, false},
    {"dleft", "width", 1, 2, 16, false},
    {"dleft", "doublings", 1, 0, 54, true},
    {"dleft", "used", 8, 0, POWER(58), true},
    {"dleft", "stuck", 8, 0, POWER(58), true},
    {"layered", "cells", 8, 1, POWER(58), false},
    {"layered", "hashes", 1, 1, 64, false},
    {"layered", "layers", 1, 1, 16, false},
    {"layered", "shrink", 1, 1, 16, false},
    {"layered", "ones", 8, 0, POWER(58), true},
    {"layered", "above", 8, 0, POWER(62), true},
    {"variable-increment", "cells", 8, 1, POWER(54), false},
    {"variable-increment", "hashes", 1, 1, 64, false},
    {"variable-increment", "form", 1, 0, 1, false},
    {"variable-increment", "increment", 1, 0, 16, false},
    {"variable-increment", "width", 1, 2, 32, false},
    {"variable-increment", "elements", 1, 0, 8, false},
    {"variable-increment", "h", 1, 0, 4, false},
    {"variable-increment", "values", 8, 0, UINT64_MAX, false},
    {"variable-increment", "values_5", 8, 0, UINT64_MAX, false},
    {"variable-increment", "ones", 8, 0, POWER(54), true},
    {"variable-increment", "stuck", 8, 0, POWER(54), true},
    {"spectral", "cells", 8, 1, POWER(52), false},
    {"spectral", "hashes", 1, 1, 64, false},
    {"spectral", "width", 1, 2, 64, false},
    {"spectral", "method", 1, 0, 2, false},
    {"spectral", "share", 1, 0, 64, false},
    {"spectral", "ones", 8, 0, POWER(52), true},
    {"spectral", "stuck", 8, 0, POWER(52), true},
    {"spectral", "moved", 8, 0, POWER(52), true},
    {"spectral", "moved_stuck", 8, 0, POWER(52), true},
    {"spectral", "marks", 8, 0, POWER(52), true},
    {"generalized", "cells", 8, 1, POWER(60), false},
    {"generalized", "hashes", 2, 1, 512, false},
    {"generalized", "resets", 2, 0, 512, false},
    {"generalized", "distinct", 1, 0, 1, false},
    {"generalized", "p0", 4, 0, 65536, false},
    {"generalized", "ones", 8, 0, POWER(60), true},
    {"generalized", "adopted", 1, 0, 1, true},
    {"retouched", "cells", 8, 1, POWER(60), false},
    {"retouched", "hashes", 1, 1, 64, false},
    {"retouched", "method", 1, 0, 3, false},
    {"retouched", "clear", 8, 0, POWER(60), false},
    {"retouched", "ones", 8, 0, POWER(60), true},
    {"retouched", "built", 8, 0, POWER(60), true},
    {"retouched", "missed", 8, 0, POWER(60), true},
    {"retouched", "cleared", 8, 0, POWER(60), true},
    {"retouched", "struck", 8, 0, POWER(60), true},
    {"retouched", "dirty", 1, 0, 1, true},
    {"adaptive", "fast", 8, 8, POWER(57), false},
    {"adaptive", "slow", 8, 0, POWER(60), false},
    {"adaptive", "hashes", 1, 1, 64, false},
    {"adaptive", "words", 1, 1, 64, false},
    {"adaptive", "selector", 1, 0, 3, false},
    {"adaptive", "memory", 1, 0, 1, false},
    {"adaptive", "check", 1, 0, 1, false},
    {"adaptive", "policy", 1, 0, 1, false},
    {"adaptive", "every", 1, 1, 255, false},
    {"adaptive", "ones", 8, 0, POWER(60), true},
    {"adaptive", "waiting", 1, 0, 254, true},
    {"adaptive", "adapted", 8, 0, POWER(62), true},
    {"adaptive", "stuck", 8, 0, POWER(62), true},
    {"adaptive-cuckoo", "buckets", 8, 1, POWER(48), false},
    {"adaptive-cuckoo", "width", 1, 2, 56, false},
    {"adaptive-cuckoo", "doublings", 1, 0, 48, true},
    {"adaptive-cuckoo", "used", 8, 0, POWER(52), true},
    {"adaptive-cuckoo", "swaps", 8, 0, POWER(62), true},
    {"adaptive-cuckoo", "fast", 8, 0, POWER(57), true},
    {"adaptive-cuckoo", "slow", 8, 0, POWER(57), true},
};

static void fields_are_those_of_the_page(void **state)
{
    size_t place = 0;
    blm_field_info f;
    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const row *r = &fields[i];
        place = i && strcmp(r->kind, fields[i - 1].kind) == 0 ? place + 1 : 0;
        assert_true(blm_kind_field_at(r->kind, place, &f));
        assert_string_equal(f.name, r->name);
        assert_int_equal(f.width, r->width);
        assert_true(f.min == r->min && f.max == r->max && f.state == r->state);
    }
    blm_kind_info k;
    for (size_t i = 0; blm_kind_at(i, &k); i++) { /* of every kind, every field */
        size_t rows = 0, there = 0;
        for (size_t j = 0; j < sizeof fields / sizeof *fields; j++)
            rows += strcmp(fields[j].kind, k.name) == 0;
        while (blm_kind_field_at(k.name, there, &f)) there++;
        assert_true(rows == there || strcmp(k.group, "toy") == 0);
    }
}

static void promises_are_those_of_the_page(void **state)
{
    const uint32_t sets =
        BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT;
    blm_kind_info k;
    (void)state;
    assert_true(blm_kind_named("standard", &k));
    assert_int_equal(k.promises, sets);
    assert_true(blm_kind_named("blocked", &k));
    assert_int_equal(k.promises, sets);
    assert_true(blm_kind_named("split-block", &k));
    assert_int_equal(k.promises, sets);
    assert_true(blm_kind_named("word", &k));
    assert_int_equal(k.promises, sets);
    assert_true(blm_kind_named("count-min", &k));
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT);
    assert_true(blm_kind_named("partitioned", &k));
    assert_int_equal(k.promises, sets);
    assert_true(blm_kind_named("adaptive", &k));
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT);
    assert_true(blm_kind_named("memory-optimized", &k));
    assert_int_equal(k.promises, sets);
    assert_true(blm_kind_named("two-choice", &k));
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_IDEMPOTENT);
    assert_true(blm_kind_named("counting", &k));
    assert_int_equal(k.promises,
                     BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT);
    assert_true(blm_kind_named("variable-increment", &k));
    assert_int_equal(k.promises,
                     BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT);
    assert_true(blm_kind_named("spectral", &k)); /* method=selection; the others lose some */
    assert_int_equal(k.promises,
                     BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT);
    assert_true(blm_kind_named("dleft", &k));
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_NEVER_LOW | BLM_DEL_EXACT);
    assert_true(blm_kind_named("layered", &k));
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_NEVER_LOW);
    assert_true(blm_kind_named("adaptive-cuckoo", &k));
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_IDEMPOTENT);
    assert_true(blm_kind_named("retouched", &k));
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT);
}

/* 10^6 keys at 10^-6 want 28755279 bits (computed apart); the array is then rounded up to a
 * multiple of 2^16, the largest power of two that is at most a 256th of it. */
static void sizes_can_be_halved(void **state)
{
    blm_filter *f = NULL;
    blm_field_info m;
    (void)state;
    assert_int_equal(blm_make(&f, "standard keys=1e6 fpr=1e-6", NULL), BLM_OK);
    assert_true(blm_field_at(f, 0, &m));
    assert_int_equal(m.value % 65536, 0);
    assert_true(m.value >= 28755279 && m.value < 28755279 + 2 * 65536);
    blm_free(f);
    /* 10^8 keys at 1 %: 7e8 / -ln(1 - 0.01^(1/7)) = 959295472 bits; a step is at most 2^20. */
    assert_int_equal(blm_make(&f, "standard keys=1e8 fpr=1%", NULL), BLM_OK);
    assert_true(blm_field_at(f, 0, &m));
    assert_true(m.value == 915 * POWER(20));
    blm_free(f);
}

/* Blocks are rounded up to a multiple of at most 1024; of four sizes some are odd ones. */
static void blocks_can_be_halved(void **state)
{
    bool odd = false;
    (void)state;
    for (uint64_t n = 50000000; n < 54000000; n += 1000000) {
        blm_offer o;
        size_t count = 1;
        uint64_t least = 0;
        unsigned k = 0;
        assert_true(blm_size_blocked(n, 0.01, 512, 0, &least, &k));
        const blm_config *wish = BLM_CONFIG(.kind = "blocked", .keys = n, .fpr = 0.01);
        assert_int_equal(blm_plan(wish, 0, &o, &count, NULL), BLM_OK);
        assert_true(o.bytes == (least + 1023) / 1024 * 1024 * 64);
        odd = odd || (least + 1023) / 1024 % 2;
    }
    assert_true(odd);
}

/* One key, one hash, one bit: a stranger meets it once in all of the bits. */
static void one_bit_is_its_rate(void **state)
{
    blm_filter *f = NULL;
    blm_info info;
    (void)state;
    assert_int_equal(blm_make(&f, "blocked keys=10 bits=4096b hashes=1", NULL), BLM_OK);
    assert_int_equal(blm_add(f, "plum", 4), BLM_OK);
    blm_info_of(f, &info);
    assert_true(info.bits == 4096 && info.fpr_now.low == 1.0 / 4096 &&
                info.fpr_now.high == 1.0 / 4096);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_those_of_the_page),
        cmocka_unit_test(promises_are_those_of_the_page),
        cmocka_unit_test(sizes_can_be_halved),
        cmocka_unit_test(blocks_can_be_halved),
        cmocka_unit_test(one_bit_is_its_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

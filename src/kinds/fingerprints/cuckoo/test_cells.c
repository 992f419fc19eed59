/* test_cells.c - buckets of any shape: the same answers and bytes one by one and in batches; what images may not have. */
#include "test_tables.h"
#include "cells.h"

/* ---- all shapes --------------------------------------------------------------------------------------- */

/* One by one, in batches: the same bytes, also where there is no room in the middle of a batch. */
static void fill_both_ways(blm_filter *one, blm_filter *many, uint64_t n, uint64_t *went)
{
    uint64_t *keys = malloc(n * sizeof *keys);
    uint8_t *fresh = malloc(n), *yes = malloc(n);
    size_t done = 0;
    assert_true(keys && fresh && yes);
    for (uint64_t i = 0; i < n; i++) keys[i] = i % 5 == 4 ? i / 2 : i; /* some come again */
    const blm_err err = blm_add_many_u64(many, keys, n, fresh, &done);
    for (*went = 0; *went < n; ++*went) {
        const blm_item it = blm_item_u64(one, keys[*went], BLM_NO_ARG);
        bool is_new = false;
        const blm_err said = blm_add_item(one, &it, &is_new);
        if (said) {
            assert_true(said == BLM_E_FULL && err == BLM_E_FULL);
            break;
        }
        assert_int_equal(is_new, fresh[*went]);
    }
    assert_int_equal(done, *went);
    assert_true(same_cells(one, many) && field(one, "used") == field(many, "used"));
    for (uint64_t i = 0; i < n; i++) keys[i] = i;
    blm_has_many_u64(many, keys, n, yes);
    for (uint64_t i = 0; i < n; i++) assert_int_equal(yes[i], blm_has_u64(one, i));
    free(keys), free(fresh), free(yes);
}

static void leave_both_ways(blm_filter *one, blm_filter *many, uint64_t n)
{
    uint64_t *keys = malloc(n * sizeof *keys);
    uint8_t *absent = malloc(n);
    blm_estimate *times = malloc(n * sizeof *times);
    assert_true(keys && absent && times);
    for (uint64_t i = 0; i < n; i++) keys[i] = i * 3 % n;
    assert_int_equal(blm_count_many_u64(many, keys, n, times), BLM_OK);
    for (uint64_t i = 0; i < n; i++)
        assert_true(times[i].value == times_u64(one, keys[i]).value && times[i].value <= 16);
    assert_int_equal(blm_del_many_u64(many, keys, n, absent, NULL), BLM_OK);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(del_u64(one, keys[i]), absent[i] ? BLM_E_ABSENT : BLM_OK);
    assert_true(same_cells(one, many));
    assert_true(field(one, "used") == field(many, "used") &&
                field(one, "different") == field(many, "different") &&
                field(one, "pairs") == field(many, "pairs"));
    check_table(one);
    free(keys), free(absent), free(times);
}

static void shape(uint64_t across, unsigned slots, unsigned width, const char *more)
{
    char spec[160];
    const bool sorted = strstr(more, "sorted") != NULL;
    uint64_t went = 0;
    snprintf(spec, sizeof spec, "cuckoo bits=%llub keys=%u slots=%u overfill=yes %s",
             (unsigned long long)(2 * across * (slots * width - (sorted ? 4 : 0))), 2 * slots - 1,
             slots, more);
    blm_filter *one = made(spec), *many = NULL;
    forge_field(one, "buckets", across); /* the plan would take longer rests and fewer buckets */
    forge_field(one, "width", width);
    uint64_t bytes = 0;
    OK(blm_shape(one, &bytes, &why));
    blm_region fresh;
    assert_int_equal(blm_recell(one, &fresh, bytes), BLM_OK);
    blm_commit(one, &fresh);
    OK(blm_copy(&many, one, &why));
    fill_both_ways(one, many, 2 * across * slots + 8, &went);
    assert_true(field(one, "used") <= 2 * across * slots && went > across * slots / 8);
    check_table(one);
    if (!field(one, "twins")) leave_both_ways(one, many, went);
    blm_free(one), blm_free(many);
}

/* Buckets of one load and of eight, at any bit of a byte; tables of one bucket. */
static void buckets_of_any_shape(void **state)
{
    static const unsigned widths[] = {5,  6,  7,  8,  11, 13, 14, 15, 16,
                                      17, 19, 23, 28, 29, 33, 40, 56};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); i++)
        for (unsigned slots = 1; slots <= 8; slots *= 2)
            for (uint64_t across = 1; across <= 40; across = across * 3 + 1) {
                shape(across, slots, widths[i], "");
                if (slots != 4) continue;
                shape(across, slots, widths[i], "form=sorted");
                shape(across, slots, widths[i], "twins=once");
            }
}

/* Any four rests, written in any order, are read back in order; the neighbours stay. */
static void sorted_buckets_are_written(void **state)
{
    enum { BUCKETS = 16 }; /* whole words */
    uint64_t random = 1;
    (void)state;
    for (unsigned width = 5; width <= 56; width += 3) {
        blm_filter *f = tables(BUCKETS / 2, 4, width, "form=sorted", 1);
        blm_cuckoo *s = (blm_cuckoo *)f;
        assert_int_equal(s->width, width);
        for (unsigned turn = 0; turn < 800; turn++) {
            const uint64_t bucket = draw(&random) % BUCKETS, slot = draw(&random) % 4;
            const unsigned few =
                (unsigned)(draw(&random) % width); /* leading zeros, and equal ones */
            const uint64_t rest = draw(&random) >> (64 - width) >> few;
            uint64_t before[BUCKETS][8], after[8];
            const layout t = layout_of(f);
            for (uint64_t b = 0; b < BUCKETS; b++) rests_of(f, &t, b, before[b]);
            blm_cuckoo_set(s, bucket, (unsigned)slot, rest);
            before[bucket][slot] = rest;
            qsort(before[bucket], 4, sizeof **before, by_value);
            for (uint64_t b = 0; b < BUCKETS; b++) {
                rests_of(f, &t, b, after);
                assert_memory_equal(before[b], after, 4 * sizeof *after);
                for (unsigned i = 0; i < 4; i++) assert_true(blm_cuckoo_get(s, b, i) == after[i]);
            }
        }
        blm_free(f);
    }
}

/* Fingerprints without a counter: each lies where it is found, in both tables, and is read back, but for a rest of 0. */
static void prints_are_read_back(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned low = 5; low <= 40; low += 7) {
        const uint64_t across = 1 + draw(&random) % 1000;
        const blm_prints p = blm_prints_of(2, across, 4, low, 0);
        for (unsigned i = 0; i < 500; i++) {
            const uint64_t print = high(draw(&random), across << low) & ~(uint64_t)(i % 8 ? 0 : 63),
                           rest = blm_prints_rest(&p, print);
            uint64_t at[BLM_PRINTS_TABLES];
            blm_prints_find(&p, print, at);
            assert_true(rest && (rest == (print & ((UINT64_C(1) << low) - 1)) || rest == 1));
            assert_true(at[0] / 4 == print >> low && at[1] / 4 >= across && at[1] / 4 < 2 * across);
            for (unsigned j = 0; j < 2; j++)
                assert_true(blm_prints_of_rest(&p, at[j] / 4, rest) ==
                            (print >> low << low | rest));
        }
    }
}

/* ---- wishes, images, cells ------------------------------------------------------------------------------ */

static void wishes_that_make_no_sense(void **state)
{
    static const char *const bad[] = {"slots=0", "slots=3", "slots=5", "slots=9", "slots=2.5"};
    char spec[64];
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "cuckoo keys=10 %s", bad[i]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i]);
    }
    REFUSED(blm_make(&f, "cuckoo keys=10 form=sorted slots=8", &why), BLM_E_ARG,
            "4 with form=sorted");
    REFUSED(blm_make(&f, "cuckoo keys=10 form=round", &why), BLM_E_ARG, "round");
    REFUSED(blm_make(&f, "cuckoo keys=10 hashes=4", &why), BLM_E_ARG, "hashes 4");
    REFUSED(blm_make(&f, "cuckoo keys=1000 bits=5000b", &why), BLM_E_ARG, "bits 5000");
    SAYS("268 buckets of 4 slots and at least 20 bits");
    REFUSED(blm_make(&f, "cuckoo keys=1000 bits=4000b form=sorted", &why), BLM_E_ARG,
            "at least 16 bits");
    REFUSED(blm_make(&f, "cuckoo keys=1000 fpr=1e-18", &why), BLM_E_ARG, "56 bits");
    REFUSED(blm_make(&f, "cuckoo keys=5e15 fpr=1%", &why), BLM_E_ARG, "2^47 buckets");
    REFUSED(blm_make(&f, "cuckoo keys=1000 max-count=3", &why), BLM_E_ARG, "max-count 3");
    assert_null(f);
    f = made("cuckoo keys=1 fpr=1e-15");
    assert_true(blm_fpr(f, &(blm_case){.keys = 1}).high <= 1e-15);
    blm_filter *half = NULL;
    REFUSED(blm_fold(&half, f, 1, &why), BLM_E_CANNOT, "cuckoo");
    blm_free(f);
}

static blm_err reload(const blm_filter *f)
{
    blob b = image_of(f);
    blm_filter *g = NULL;
    blank_why();
    const blm_err err = blm_load(&g, b.p, b.n, NULL, &why);
    blm_free(g);
    free(b.p);
    return err;
}

static void impossible_images_are_refused(void **state)
{
    static const struct {
        const char *name;
        uint64_t value;
    } row[] = {{"used", 99},     {"used", 0},      {"different", 98}, {"pairs", 90},
               {"doublings", 6}, {"doublings", 1}, {"slots", 3},      {"slots", 8},
               {"width", 9},     {"form", 1},      {"buckets", 15}};
    blm_filter *f = made("cuckoo keys=100 fpr=1%");
    (void)state;
    add_run(f, 0, 100);
    assert_int_equal(reload(f), BLM_OK);
    for (size_t i = 0; i < COUNT(row); i++) {
        const uint64_t was = field(f, row[i].name);
        forge_field(f, row[i].name, row[i].value);
        assert_int_equal(reload(f), BLM_E_IMAGE);
        forge_field(f, row[i].name, was);
    }
    assert_int_equal(del_u64(f, 5), BLM_OK);
    assert_int_equal(blm_add_u64(f, 6), BLM_OK); /* twice */
    assert_int_equal(reload(f), BLM_OK);
    forge_field(f, "twins", 1);
    assert_int_equal(reload(f), BLM_E_IMAGE);
    SAYS("twins=once");
    blm_free(f);
    f = made("cuckoo keys=20 fpr=2% form=sorted");
    add_run(f, 0, 20);
    assert_int_equal(reload(f), BLM_OK);
    const uint8_t first = f->cells[0], second = f->cells[1];
    f->cells[1] |= 0xf; /* codes from 3840 on; 3876 is none */
    f->cells[0] = 0x24;
    REFUSED(reload(f), BLM_E_IMAGE, "not in order");
    f->cells[0] = first, f->cells[1] = second;
    assert_int_equal(reload(f), BLM_OK);
    blm_free(f);
    f = made("cuckoo keys=9 fpr=1%"); /* 240 bits */
    f->cells[f->bytes - 1] |= 0x80;
    REFUSED(reload(f), BLM_E_IMAGE, "past the last bucket");
    blm_free(f);
}

/* All slots of both buckets, and not one more. */
static void touched_are_two_buckets(void **state)
{
    static const char *const specs[] = {
        "cuckoo keys=500 fpr=1%", "cuckoo keys=500 fpr=1e-9 slots=8",
        "cuckoo keys=500 fpr=0.1% form=sorted", "cuckoo keys=500 fpr=1e-12 form=sorted"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]);
        const layout t = layout_of(f);
        add_run(f, 0, 300);
        for (uint64_t key = 0; key < 400; key++) {
            blm_touch all[17];
            uint64_t rest[8];
            unsigned found = 0;
            const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
            const uint64_t print = high(it.h.lo, t.range),
                           own = print & ((UINT64_C(1) << t.low) - 1);
            check_touched(f, &it, all, 17, 2 * t.slots);
            for (unsigned j = 0; j < 2 * t.slots; j++) {
                const uint64_t bucket = all[j].cell / t.slots;
                rests_of(f, &t, bucket, rest);
                assert_true(all[j].cell % t.slots == j % t.slots &&
                            bucket / t.across == j / t.slots);
                assert_true(all[j].value == rest[j % t.slots]);
                assert_true(all[j].byte >= bucket * t.bits / 8 &&
                            all[j].byte < (bucket + 1) * t.bits / 8 + 1);
                /* 8 bytes from there on have it, or end where the next one begins */
                const uint64_t end =
                    bucket * t.bits +
                    (t.sorted ? 12 + (j % t.slots + 1) * (t.low - 4) : (j % t.slots + 1) * t.low);
                assert_true(all[j].byte * 8 + 64 >= end || all[j + 1].byte * 8 < end);
                found += all[j].value == (own ? own : 1);
            }
            assert_true(times_u64(f, key).value == found && (key >= 300 || found));
        }
        blm_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_of_any_shape),
        cmocka_unit_test(sorted_buckets_are_written),
        cmocka_unit_test(prints_are_read_back),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(impossible_images_are_refused),
        cmocka_unit_test(touched_are_two_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

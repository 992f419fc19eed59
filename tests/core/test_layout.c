/* test_layout.c - the bytes of an image: a second writer, by the words of the format, makes the same. */
#include "core/image/image.h"
#include "core/forge.h"

static uint8_t cells[64] = {0xff, 0x01}; /* nine ones */
static blm_filter *f;

static void forged_is_saved(void **state)
{
    static forge w;
    (void)state;
    begin_standard(&w, cells, 9);
    OK(loaded(&w, &f));
    const blob want = finish(&w), got = image_of(f);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.p, want.p, want.n);
    assert_true(info_of(f).adds == 5 && info_of(f).capacity == 20 && info_of(f).fpr_target == 0.01);
    assert_true(field(f, "ones") == 9 && field(f, "cells") == 512 && info_of(f).hashes == 3);
    free(want.p);
    free(got.p);
    blm_free(f);
}

/* Sizes around every border of the layout, with a seed and a note; the second writer makes the same bytes. */
static void layouts_of_all_sizes(void **state)
{
    static const size_t sizes[] = {8,    56,    64,    72,    4088,   4096,
                                   4104, 65528, 65536, 65544, 131072, 2600000};
    static forge w;
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        f = made_new(BLM_CONFIG(.kind = "standard", .bits = sizes[i] * 8, .hashes = 3, .keys = 20,
                                .seed = 0x1122334455667788));
        add_run(f, 0, 25);
        OK(blm_set_note(f, "where", &why));
        begin(&w);
        say_name(&w, "standard");
        say(&w, 2, 1);
        say_name(&w, "xxh3-64");
        say(&w, 8, 0x1122334455667788);
        say(&w, 8, 0);
        say_numbers(&w, 25, 20, info_of(f).fpr_target, 0);
        say(&w, 8, sizes[i] * 8);
        say(&w, 1, 3);
        say(&w, 8, field(f, "ones"));
        say(&w, 1, 16);
        say_tag(&w, 1, 1, "where", 5);
        w.cells = blm_cells(f, &w.ncells);
        const blob want = finish(&w), got = image_of(f);
        assert_true(w.ncells == sizes[i] && got.n == want.n);
        assert_memory_equal(got.p, want.p, want.n);
        if (sizes[i] < 4096) assert_true(got.n <= sizes[i] + 160 + 64);
        free(want.p);
        free(got.p);
        blm_free(f);
    }
}

static void counting_and_blocked_headers(void **state)
{
    static forge w;
    (void)state;
    f = made("counting bits=4000b hashes=4 keys=9 width=5");
    for (unsigned t = 0; t < 31; t++)
        add_run(f, 0, 3); /* to the ceiling: deletes are exact no more */
    begin(&w);
    say_name(&w, "counting");
    say(&w, 2, 1);
    say_name(&w, "xxh3-64");
    say(&w, 8, 0);
    say(&w, 8, 0);
    say_numbers(&w, 93, 9, info_of(f).fpr_target, 1 << 7);
    say(&w, 8, 800);
    say(&w, 1, 4);
    say(&w, 1, 5);
    say(&w, 8, field(f, "used"));
    say(&w, 8, field(f, "stuck"));
    say(&w, 1, 16);
    w.cells = blm_cells(f, &w.ncells);
    blob want = finish(&w), got = image_of(f);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.p, want.p, want.n);
    free(want.p);
    free(got.p);
    blm_free(f);
    f = made("blocked bits=1024b hashes=9 keys=9");
    add_run(f, 0, 9);
    begin(&w);
    say_name(&w, "blocked");
    say(&w, 2, 1);
    say_name(&w, "xxh3-64");
    say(&w, 8, 0);
    say(&w, 8, 0);
    say_numbers(&w, 9, 9, info_of(f).fpr_target, 0);
    say(&w, 8, 2);
    say(&w, 1, 9);
    say(&w, 8, field(f, "ones"));
    say(&w, 1, 16);
    w.cells = blm_cells(f, &w.ncells);
    want = finish(&w), got = image_of(f);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.p, want.p, want.n);
    free(want.p);
    free(got.p);
    blm_free(f);
}

/* What is known is written as it was read, and must be understood; only a note may be passed over. */
static void tags_are_saved_as_they_were(void **state)
{
    static forge w;
    (void)state;
    begin_standard(&w, cells, 9);
    say_tag(&w, 1, 1, "note", 4);
    say_tag(&w, 3, 0, "12345678", 8);
    say_tag(&w, 4, 0, "87654321", 8);
    OK(loaded(&w, &f));
    const blob want = finish(&w), got = image_of(f);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.p, want.p, want.n);
    free(want.p);
    free(got.p);
    blm_free(f);
}

static void sinks_that_refuse(void **state)
{
    (void)state;
    f = made("standard keys=100");
    add_run(f, 0, 10);
    const blob whole = image_of(f);
    uint8_t *some = malloc(whole.n);
    assert_non_null(some);
    for (size_t room = 0; room < whole.n; room++) {
        blob b = {some, 0, room};
        REFUSED(blm_save(f, to_bytes, &b, &why), BLM_E_IO, "the sink failed at byte ");
        char first[40]; /* the end of the piece that it refused: first the header, whole */
        snprintf(first, sizeof first, "failed at byte %u", 32 + (unsigned)read_le(whole.p + 12, 4));
        if (b.n == 0) SAYS(first);
        assert_memory_equal(some, whole.p, b.n); /* nothing is sent after it */
        b.n = 0;
        assert_int_equal(blm_save(f, to_bytes, &b, NULL), BLM_E_IO);
    }
    free(some);
    free(whole.p);
    blm_free(f);
}

/* Kinds of bytes have cells of any number: the borders are at 64 and 4096, not near them. */
static void where_cells_begin(void **state)
{
    static const struct {
        uint64_t cells, at;
    } row[] = {{1, 104}, {63, 104}, {64, 128}, {65, 128}, {4095, 128}, {4096, 4096}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const blm_layout l = blm_layout_of(97, row[i].cells, 16);
        assert_int_equal(l.cells_at, row[i].at);
        assert_int_equal(l.sums_at, (row[i].at + row[i].cells + 7) / 8 * 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_is_saved),
        cmocka_unit_test(layouts_of_all_sizes),
        cmocka_unit_test(where_cells_begin),
        cmocka_unit_test(counting_and_blocked_headers),
        cmocka_unit_test(tags_are_saved_as_they_were),
        cmocka_unit_test(sinks_that_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

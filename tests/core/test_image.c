/* test_image.c - the bytes of an image: what is rejected, and by which name. */
#include <malloc.h>
#include "core/forge.h"

static uint8_t cells[64] = {0xff, 0x01}; /* nine ones */
static blm_filter *f;

static void refused_forge(forge *w, blm_err code, const char *word)
{
    f = NULL;
    const blm_err err = loaded(w, &f);
    if (!err) blm_free(f);
    check_refused(err, code, word, word, __FILE__, __LINE__);
}

/* ---- prelude ------------------------------------------------------------------------------------------------ */

static void not_images(void **state)
{
    static forge w;
    uint64_t size = 7;
    (void)state;
    begin_standard(&w, cells, 9);
    blob b = finish(&w);
    for (size_t n = 0; n < 32; n++)
        REFUSED(blm_load(&f, b.p, n, NULL, &why), BLM_E_IMAGE, "not a Bloomery filter");
    REFUSED(blm_load(&f, b.p, 32, NULL, &why), BLM_E_IMAGE, "ends inside its header");
    REFUSED(blm_load(&f, b.p, w.n - 1, NULL, &why), BLM_E_IMAGE, "ends inside its header");
    REFUSED(blm_load(&f, b.p, w.n, NULL, &why), BLM_E_IMAGE, "(truncated)");
    REFUSED(blm_load(&f, b.p, b.n - 1, NULL, &why), BLM_E_IMAGE, "(truncated)");
    OK(blm_image_size(b.p, 32, &size, &why));
    assert_int_equal(size, b.n);
    REFUSED(blm_image_size(b.p, 31, &size, &why), BLM_E_IMAGE, "not a Bloomery filter");
    for (size_t i = 0; i < 8; i++) {
        b.p[i] ^= 0x20;
        REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "does not start with");
        REFUSED(blm_image_size(b.p, b.n, &size, &why), BLM_E_IMAGE, "not a Bloomery filter");
        b.p[i] ^= 0x20;
    }
    uint8_t *more = malloc(b.n + 1);
    assert_non_null(more);
    memcpy(more, b.p, b.n);
    more[b.n] = 0;
    REFUSED(blm_load(&f, more, b.n + 1, NULL, &why), BLM_E_IMAGE, "something was appended");
    free(more);
    write_le(b.p + 12, 4, 65537); /* a length that no header has: no checksum is looked at */
    REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "ends inside its header");
    free(b.p);
}

static void newer_formats(void **state)
{
    static forge w;
    (void)state;
    begin_standard(&w, cells, 9);
    blob b = finish(&w);
    write_le(b.p + 8, 2, 2);
    REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE,
            "checksum differs"); /* a flip, no version */
    seal(b.p);
    REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_NEWER, "format 2, this build reads up to 1");
    REFUSED(blm_verify_image(b.p, b.n, &why), BLM_E_NEWER, "newer");
    REFUSED(blm_view(&f, b.p, b.n, NULL, &why), BLM_E_NEWER, "newer");
    write_le(b.p + 8, 2, 0);
    seal(b.p);
    REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "no format 0");
    write_le(b.p + 8, 2, 1);
    write_le(b.p + 10, 2, 1); /* a use of the zero word that this build does not know */
    seal(b.p);
    REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_NEWER, "newer");
    free(b.p);
}

/* ---- header ---------------------------------------------------------------------------------------------------- */

static void begin_kind(forge *w, const char *name, size_t len, unsigned version, const char *hash)
{
    begin(w);
    say(w, 1, len);
    say_bytes(w, name, len);
    say(w, 2, version);
    say_name(w, hash);
    say(w, 8, 0);
    say(w, 8, 0);
    say_numbers(w, 5, 20, 0.01, 0);
    say(w, 8, 512);
    say(w, 1, 3);
    say(w, 8, 9);
    say(w, 1, 16);
    w->cells = cells;
    w->ncells = sizeof cells;
}

static void kinds_and_hashes_of_others(void **state)
{
    static forge w;
    (void)state;
    begin_kind(&w, "standard", 8, 1, "xxh3-64");
    OK(loaded(&w, &f));
    blm_free(f);
    begin_kind(&w, "standard", 8, 2, "xxh3-64");
    refused_forge(&w, BLM_E_NEWER, "not know kind standard version 2");
    begin_kind(&w, "standard", 8, 0, "xxh3-64");
    refused_forge(&w, BLM_E_IMAGE, "no version 0");
    begin_kind(&w, "!mar~\x1b[2J \x7f", 11, 1, "xxh3-64"); /* nothing of it may reach a terminal */
    refused_forge(&w, BLM_E_NEWER, "not know kind !mar~?[2J?? version 1");
    begin_kind(&w, "~a-very-long-name-of-a-kind-to-come~", 36, 1, "xxh3-64");
    refused_forge(&w, BLM_E_NEWER, "not know kind ~a-very-long-name-of-a- version 1");
    begin_kind(&w, "", 0, 1, "xxh3-64");
    refused_forge(&w, BLM_E_IMAGE, "the kind's name");
    begin_kind(&w, "standard", 8, 1, "xxh4-64");
    refused_forge(&w, BLM_E_NEWER, "does not know its hash");
    begin_kind(&w, "standard", 8, 1, "sip24-128"); /* keyed, without a check value of its key */
    refused_forge(&w, BLM_E_IMAGE, "key check value do not match");
    begin_kind(&w, "standard", 8, 1, "given-64");
    refused_forge(&w, BLM_E_IMAGE, "only a fixed set can have hashes of another program");
    begin_kind(&w, "standard", 8, 1, "xxh3-64");
    write_le(w.head + 32 + 9 + 2 + 8 + 8, 8, 1); /* not keyed, with one */
    refused_forge(&w, BLM_E_IMAGE, "key check value do not match");
    begin_kind(&w, "standard", 8, 1, "xxh3-128"); /* wider than it needs: sound */
    OK(loaded(&w, &f));
    assert_string_equal(info_of(f).hash, "xxh3-128");
    blm_free(f);
}

enum {
    AT_ADDS = 32 + 9 + 2 + 8 + 8 + 8,
    AT_CAPACITY = AT_ADDS + 8,
    AT_RATE = AT_ADDS + 16,
    AT_LOST = AT_ADDS + 24
};
enum {
    AT_CELLS = AT_LOST + 4,
    AT_HASHES = AT_CELLS + 8,
    AT_ONES = AT_HASHES + 1,
    AT_CHUNK = AT_ONES + 8
};

static void refused_number(size_t at, unsigned width, uint64_t v, const char *word)
{
    static forge w;
    begin_standard(&w, cells, 9);
    write_le(w.head + at, width, v);
    refused_forge(&w, BLM_E_IMAGE, word);
}

static uint64_t bits_of(double d)
{
    uint64_t v;
    memcpy(&v, &d, sizeof v);
    return v;
}

static void numbers_out_of_range(void **state)
{
    static forge w;
    (void)state;
    refused_number(AT_CAPACITY, 8, 0, "capacity");
    refused_number(AT_CAPACITY, 8, (UINT64_C(1) << 56) + 1, "capacity");
    refused_number(AT_ADDS, 8, (UINT64_C(1) << 62) + 1, "adds");
    refused_number(AT_ADDS, 8, UINT64_MAX, "adds");
    refused_number(AT_RATE, 8, bits_of(-1e-9), "rate");
    refused_number(AT_RATE, 8, bits_of(1.5), "rate");
    refused_number(AT_RATE, 8, bits_of(NAN), "rate");
    refused_number(AT_LOST, 4, 1 << 7, "never made");
    refused_number(AT_LOST, 4, UINT64_C(1) << 31, "never made");
    refused_number(AT_CELLS, 8, 0, "standard cells 0: must be between 1 and");
    refused_number(AT_CELLS, 8, (UINT64_C(1) << 60) + 1, "cells");
    refused_number(AT_CELLS, 8, 513, "its fields need");
    refused_number(AT_CELLS, 8, UINT64_C(1) << 60, "its fields need");
    refused_number(AT_CELLS, 8, 448, "longer than its contents");
    refused_number(AT_CELLS, 8, 8, "more bits are one than the filter has");
    refused_number(AT_CELLS, 8, 511 - 64, "longer than");
    refused_number(AT_HASHES, 1, 0, "hashes 0");
    refused_number(AT_HASHES, 1, 65, "hashes 65");
    refused_number(AT_ONES, 8, 10, "number of ones");
    refused_number(AT_ONES, 8, 8, "number of ones");
    refused_number(AT_ONES, 8, 513, "more bits are one than the filter has");
    refused_number(AT_CHUNK, 1, 11, "a chunk has");
    refused_number(AT_CHUNK, 1, 25, "a chunk has");
    begin_standard(&w, cells, 9);
    write_le(w.head + AT_LOST, 4, BLM_MERGE_EXACT); /* a promise that it did make */
    write_le(w.head + AT_CAPACITY, 8, UINT64_C(1) << 56);
    write_le(w.head + AT_RATE, 8, bits_of(1));
    write_le(w.head + AT_HASHES, 1, 64);
    write_le(w.head + AT_ADDS, 8, UINT64_C(1) << 62);
    OK(loaded(&w, &f));
    assert_true(info_of(f).lost == BLM_MERGE_EXACT && info_of(f).fpr_target == 1);
    assert_true(info_of(f).adds == UINT64_C(1) << 62);
    blm_free(f);
    begin_standard(&w, cells, 9);
    write_le(w.head + AT_RATE, 8, bits_of(0)); /* a kind that never errs promises that */
    OK(loaded(&w, &f));
    assert_true(info_of(f).fpr_target == 0);
    blm_free(f);
}

/* 511 bits in use: bit 511 of the region is past the end. */
static void bits_past_the_end(void **state)
{
    static forge w;
    uint8_t tail[64] = {0xff, 0x01};
    (void)state;
    begin_standard(&w, tail, 9);
    write_le(w.head + AT_CELLS, 8, 511);
    OK(loaded(&w, &f));
    blm_free(f);
    tail[63] = 0x80;
    begin_standard(&w, tail, 10);
    write_le(w.head + AT_CELLS, 8, 511);
    refused_forge(&w, BLM_E_IMAGE, "past the last one");
    begin_standard(&w, tail, 10);
    OK(loaded(&w, &f));
    blm_free(f);
}

/* A header cut at any byte, with a sound checksum, is rejected; so is one byte too many. */
static void headers_cut_anywhere(void **state)
{
    static forge w;
    (void)state;
    begin_standard(&w, cells, 9);
    const size_t whole = w.n;
    for (size_t n = 32; n < whole; n++) {
        begin_standard(&w, cells, 9);
        w.n = n;
        refused_forge(&w, BLM_E_IMAGE, "forged");
    }
    for (unsigned more = 1; more < 8; more++) {
        begin_standard(&w, cells, 9);
        for (unsigned i = 0; i < more; i++) say(&w, 1, i + 1);
        refused_forge(&w, BLM_E_IMAGE, "tags are out of order");
    }
}

/* Other sizes of a chunk than today's, from 4 KiB to 16 MiB, are read. */
static void chunks_of_other_sizes(void **state)
{
    static forge w;
    static uint8_t large[20000];
    (void)state;
    for (unsigned log2 = 12; log2 <= 24; log2++) {
        begin_standard(&w, cells, 9);
        w.n = AT_CELLS;
        say(&w, 8, sizeof large * 8);
        say(&w, 1, 3);
        say(&w, 8, 2);
        say(&w, 1, log2);
        large[5] = 1, large[19999] = 0x80;
        w.cells = large;
        w.ncells = sizeof large;
        w.chunk_log2 = log2;
        OK(loaded(&w, &f));
        const blob b = finish(&w);
        blm_filter *v = NULL;
        OK(blm_view(&v, b.p, b.n, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
        assert_true(blm_equal(f, v)); /* saved again, both have chunks of 64 KiB */
        assert_false(blm_has(v, "x", 1));
        blm_free(v);
        blm_free(f);
        free(b.p);
    }
}

/* ---- tags ------------------------------------------------------------------------------------------------------ */

static void tags_known_and_unknown(void **state)
{
    static forge w;
    static const uint8_t number[9] = {1, 2};
    (void)state;
    begin_standard(&w, cells, 9);
    say_tag(&w, 1, 1, "note", 4);
    say_tag(&w, 3, 0, number, 8);
    say_tag(&w, 4, 0, number, 8);
    say_tag(&w, 5, 1, (const uint8_t[16]){3, [8] = 7}, 16);
    say_tag(&w, 6, 0, "a-1 ab b", 8);
    say_tag(&w, 9, 1, "may be passed over", 18);
    say_tag(&w, 65535, 3, NULL, 0);
    OK(loaded(&w, &f));
    assert_string_equal(info_of(f).note, "note");
    assert_true(f->salt == 0x201 && info_of(f).now == 0x201);
    assert_true(info_of(f).denied == 3 && info_of(f).noes == 7);
    assert_string_equal(blm_key_form(f), "a-1 ab b");
    blm_free(f);
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 0, "must be understood", 18);
    refused_forge(&w, BLM_E_NEWER, "does not know tag 9");
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 2, "x", 1); /* a flag that is not "skip" */
    refused_forge(&w, BLM_E_NEWER, "tag 9");
}

static void refused_tag(unsigned type, const void *p, size_t n, const char *word)
{
    static forge w;
    begin_standard(&w, cells, 9);
    say_tag(&w, type, 1, p, n);
    refused_forge(&w, BLM_E_IMAGE, word);
}

static void tags_that_make_no_sense(void **state)
{
    static forge w;
    static const char *const forms[] = {"",        " ",   "hex ", " hex",  "crlf  hex", "hex crlf",
                                        "hex hex", "Hex", "h\tx", "h\x1b", "h\xc3\xa9", "ab a"};
    static char note[1025];
    static const uint8_t zero[8200];
    (void)state;
    memset(note, 'n', sizeof note);
    refused_tag(0, "x", 1, "out of order");
    refused_tag(1, "", 0, "a note has");
    refused_tag(1, note, 1025, "a note has");
    refused_tag(1, "no\0te", 5, "a note has");
    refused_tag(2, "", 0, "children");
    refused_tag(2, zero, 12, "children");
    refused_tag(2, zero, 8200, "children");
    refused_tag(3, zero, 8, "a salt");
    refused_tag(3, "1234567", 7, "a salt");
    refused_tag(3, "123456789", 9, "a salt");
    refused_tag(4, zero, 8, "a tick");
    refused_tag(4, "1234567", 7, "a tick");
    refused_tag(5, zero, 16, "recorded reports");
    refused_tag(5, "1234567", 8, "recorded reports");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        refused_tag(6, forms[i], strlen(forms[i]), "a key form");
    refused_tag(6, "hex\0", 4, "a key form");
    refused_tag(6, note, 33, "a key form");
    refused_tag(5, "\1\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 16, "recorded reports");
    begin_standard(&w, cells, 9);
    say_tag(&w, 1, 1, note, 1024);
    OK(loaded(&w, &f));
    assert_int_equal(strlen(info_of(f).note), 1024);
    blm_free(f);
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 1, "x", 1);
    say_tag(&w, 9, 1, "x", 1); /* each at most once */
    refused_forge(&w, BLM_E_IMAGE, "out of order");
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 1, "x", 1);
    say_tag(&w, 1, 1, "note", 4);
    refused_forge(&w, BLM_E_IMAGE, "out of order");
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 1, "x", 1);
    write_le(w.head + w.n - 5, 4, 2); /* a byte past the header */
    refused_forge(&w, BLM_E_IMAGE, "runs past the header");
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 1, "x", 1);
    write_le(w.head + w.n - 5, 4, 0xffffffff);
    refused_forge(&w, BLM_E_IMAGE, "runs past the header");
    begin_standard(&w, cells, 9);
    say_tag(&w, 2, 0, "12345678", 8); /* a child where there are no bytes left */
    refused_forge(&w, BLM_E_IMAGE, "child 0 runs past its parent");
}

/* A header of 64 KiB is the largest; one more byte is none. */
static void the_largest_header(void **state)
{
    static forge w;
    static uint8_t long_tag[66000];
    (void)state;
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 1, long_tag, 65536 + 32 - w.n - 8);
    OK(loaded(&w, &f));
    blm_free(f);
    begin_standard(&w, cells, 9);
    say_tag(&w, 9, 1, long_tag, 65536 + 32 - w.n - 8 + 1);
    refused_forge(&w, BLM_E_IMAGE, "ends inside its header");
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static void padding_is_zero(void **state)
{
    static forge w;
    (void)state;
    begin_standard(&w, cells, 9);
    const blob b = finish(&w);
    const size_t at = round_up(w.n, 64);
    assert_true(at > w.n + 1);
    for (size_t i = w.n; i < at; i++) {
        b.p[i] = 1;
        REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "padding");
        b.p[i] = 0;
    }
    for (size_t i = at; i < b.n; i++) {
        b.p[i] ^= 4;
        REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "checksum 1 of 1 differs");
        b.p[i] ^= 4;
    }
    OK(blm_verify_image(b.p, b.n, &why));
    free(b.p);
}

/* More ones than there are bits: refused at once, although a view looks at no cell. */
static void impossible_counts_are_refused_unseen(void **state)
{
    static const struct {
        const char *spec;
        size_t at; /* of the count, after the kind's name and all numbers of every filter */
    } table[] = {{"standard bits=512b hashes=3 keys=9", 8 + 8 + 1},
                 {"blocked bits=512b hashes=3 keys=9", 7 + 8 + 1},
                 {"counting bits=2048b hashes=3 keys=9", 8 + 8 + 1 + 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        f = made(table[i].spec);
        const blob b = image_of(f);
        uint8_t *count = b.p + 32 + 1 + 2 + 8 + 16 + 28 + table[i].at;
        blm_free(f);
        write_le(count, 8, 512);
        seal(b.p);
        OK(blm_view(&f, b.p, b.n, NULL, &why));
        blm_free(f);
        for (uint64_t v = 513; v < UINT64_C(1) << 50; v <<= 9) {
            write_le(count, 8, v);
            seal(b.p);
            REFUSED(blm_view(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "than the filter has");
        }
        free(b.p);
    }
}

static void counters_that_contradict_their_fields(void **state)
{
    blob b;
    (void)state;
    f = made("counting bits=500b hashes=3 keys=9");
    add_run(f, 0, 9);
    b = image_of(f);
    const size_t fields =
        32 + 9 + 2 + 8 + 16 + 28; /* cells 8, hashes 1, width 1, used 8, stuck 8 */
    const uint64_t used = field(f, "used");
    blm_free(f);
    assert_int_equal(read_le(b.p + fields, 8), 125);
    assert_int_equal(read_le(b.p + fields + 10, 8), used);
    static const struct {
        size_t at;
        uint64_t v;
        const char *word;
    } bad[] = {
        {10, 126, "in use or stuck"}, {18, 100, "in use or stuck"}, {18, 1, "used and stuck"}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        const uint64_t old = read_le(b.p + fields + bad[i].at, 8);
        write_le(b.p + fields + bad[i].at, 8, bad[i].v);
        seal(b.p);
        REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, bad[i].word);
        write_le(b.p + fields + bad[i].at, 8, old);
    }
    for (int off = -1; off <= 1; off += 2) {
        write_le(b.p + fields + 10, 8, off < 0 ? used - 1 : used + 1);
        seal(b.p);
        REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "used and stuck");
    }
    write_le(b.p + fields + 10, 8, used);
    write_le(b.p + fields, 8, 124); /* the last counter is then past the end */
    uint8_t *region = b.p + b.n - 8 - 64;
    region[62] = 0x10;
    write_le(b.p + b.n - 8, 8, blm_checksum(region, 64, 0));
    seal(b.p);
    REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "past the last counter");
    free(b.p);
}

/* Unchecked bytes may have bits past the last one: what is read off them is still a number. */
static void unchecked_bits_past_the_end(void **state)
{
    static forge w;
    static uint8_t ones[64];
    blm_filter *a = NULL, *b = NULL;
    blm_overlap o;
    (void)state;
    memset(ones, 0xff, sizeof ones);
    begin_standard(&w, ones, 400);
    write_le(w.head + AT_CELLS, 8, 449);
    const blob image = finish(&w);
    OK(blm_view(&a, image.p, image.n, NULL, &why));
    OK(blm_view(&b, image.p, image.n, NULL, &why));
    OK(blm_overlap_of(a, b, &o, &why));
    assert_true(isfinite(o.both_sets.value) && o.both_sets.bound && isfinite(o.common.value));
    assert_true(o.a_may_be_subset && o.jaccard.value >= 0 && o.jaccard.value <= 1);
    blm_filter *copy = NULL;
    REFUSED(blm_copy(&copy, a, &why), BLM_E_IMAGE, "past the last one");
    blm_free(a);
    blm_free(b);
    free(image.p);
}

/* A thousand looks at an image cost no memory. */
static void verifying_leaves_nothing(void **state)
{
    blm_filter *own = made("standard keys=100 fpr=1%");
    const blob image = image_of(own);
    (void)state;
    OK(blm_verify_image(image.p, image.n, &why));
    const struct mallinfo2 before = mallinfo2();
    for (unsigned i = 0; i < 1000; i++) OK(blm_verify_image(image.p, image.n, &why));
    assert_true(mallinfo2().uordblks < before.uordblks + 1000);
    blm_free(own);
    free(image.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_images),
        cmocka_unit_test(newer_formats),
        cmocka_unit_test(kinds_and_hashes_of_others),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(bits_past_the_end),
        cmocka_unit_test(headers_cut_anywhere),
        cmocka_unit_test(chunks_of_other_sizes),
        cmocka_unit_test(tags_known_and_unknown),
        cmocka_unit_test(tags_that_make_no_sense),
        cmocka_unit_test(the_largest_header),
        cmocka_unit_test(padding_is_zero),
        cmocka_unit_test(impossible_counts_are_refused_unseen),
        cmocka_unit_test(counters_that_contradict_their_fields),
        cmocka_unit_test(unchecked_bits_past_the_end),
        cmocka_unit_test(verifying_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

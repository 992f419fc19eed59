/* test_wire.c - streams: what each way of coding is for, limits, secrets, growth, forgeries, files. What every kind promises
 * is in tests/laws/wire.c. */
#define _GNU_SOURCE 1
#include "uses/wire/stream.h"
#include "core/folder.h"
#include <sys/mman.h>

static blob stream_room(size_t n)
{
    blob b = {malloc(n), 0, n};
    assert_non_null(b.p);
    return b;
}

static blob packed(const blm_filter *f)
{
    blob b = stream_room((size_t)blm_saved_size(f) + 16);
    OK(blm_pack(f, to_bytes, &b, &why));
    return b;
}

static blob delta(const blm_filter *base, const blm_filter *f)
{
    blob b = stream_room((size_t)blm_saved_size(f) + 16);
    OK(blm_delta(base, f, to_bytes, &b, &why));
    return b;
}

static blm_filter *unpacked(const blob *b, const blm_open_options *how)
{
    blm_filter *f = NULL;
    OK(blm_unpack(&f, b->p, b->n, how, &why));
    return f;
}

static void reseal(blob *b) { write_le(b->p + b->n - 8, 8, blm_checksum(b->p, b->n - 8, 0)); }

static size_t header_end(const blob *b) { return 32 + (size_t)read_le(b->p + 12, 4); }

static blm_filter *filled(const char *spec, uint64_t keys)
{
    blm_filter *f = made(spec);
    add_run(f, 0, keys);
    return f;
}

/* ---- coding ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *spec;
    uint64_t keys;
    int method;
    double of_image; /* bytes of the stream per byte of image, at most */
} ways[] = {
    {"standard bits=4000000 hashes=4 keys=1000", 1000, BLM_RECORD_GAPS, 0.02},
    {"standard bits=4000000 hashes=4 keys=1000000", 10000, BLM_RECORD_BYTES,
     0.081}, /* gaps: 0.2 % more */
    {"standard bits=4000000 hashes=4 keys=1000000", 50000, BLM_RECORD_BYTES, 0.29},
    {"standard bits=4000000 hashes=4 keys=1000000", 692000, BLM_RECORD_RAW, 1},
    {"standard bits=4000000 hashes=4 keys=1000", 0, BLM_RECORD_ZEROS, 0.0004},
    {"standard bits=2000 hashes=4 keys=1000", 50, BLM_RECORD_GAPS, 0.84}, /* no table pays off */
    {"counting bits=400000 hashes=4 keys=20000", 12000, BLM_RECORD_BYTES, 0.31},
};

static void the_shortest_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        blm_filter *f = filled(ways[i].spec, ways[i].keys);
        blob b = packed(f);
        print_message("%s, %llu keys: method %u, %zu of %llu bytes\n", ways[i].spec,
                      (unsigned long long)ways[i].keys, b.p[header_end(&b)], b.n,
                      (unsigned long long)blm_saved_size(f));
        assert_int_equal(b.p[header_end(&b)], ways[i].method);
        assert_true((double)b.n <= ways[i].of_image * (double)blm_saved_size(f));
        free(b.p);
        blm_free(f);
    }
}

/* Cells of 2.5 MiB: zeros that end inside a block, a block of their own, and at the end. */
static void runs_of_zeros(void **state)
{
    (void)state;
    blm_filter *f = made("standard bits=20971520 hashes=1 keys=1000");
    const size_t at[] = {0, 700000, 2621439};
    for (size_t i = 0; i < COUNT(at); i++) {
        uint8_t *cells = calloc(1, 2621440);
        blm_filter *g = NULL;
        assert_non_null(cells);
        cells[at[i]] = 0x81;
        OK(blm_adopt(f, cells, 2621440, &why));
        blob b = packed(f);
        assert_true(b.n < header_end(&b) + 50);
        g = unpacked(&b, NULL);
        assert_true(blm_equal(f, g));
        blm_free(g);
        free(b.p);
        free(cells);
    }
    blm_free(f);
}

/* ---- limits ------------------------------------------------------------------------------------------------- */

/* Pages that nobody has touched take no memory, and reading them takes none either. */
static void *sparse_get(void *ctx, size_t n)
{
    (void)ctx;
    void *p =
        mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    madvise(p, n, MADV_HUGEPAGE);
    return p;
}

static void sparse_put(void *ctx, void *p, size_t n)
{
    (void)ctx;
    munmap(p, n);
}

/* An empty filter of 8 GiB is 200 bytes: so is a bomb, which the default limit refuses. */
static void nothing_costs_nothing(void **state)
{
    const blm_alloc alloc = {sparse_get, sparse_put, NULL};
    const uint64_t bytes = UINT64_C(1) << (TEST_SLOW || sizeof(void *) < 8 ? 30 : 33);
    blm_filter *f = made_new(BLM_CONFIG(.kind = "standard", .bits = bytes * 8, .alloc = &alloc)),
               *g = NULL;
    (void)state;
    blob b = stream_room(200);
    OK(blm_pack(f, to_bytes, &b, &why));
    print_message("%llu bytes of zeros: %zu\n", (unsigned long long)bytes, b.n);
    REFUSED(blm_unpack(&g, b.p, b.n, NULL, &why), BLM_E_ARG, "the limit is 1073741824");
    REFUSED(blm_unpack(&g, b.p, b.n, BLM_OPEN(.max_bytes = bytes), &why), BLM_E_ARG, "limit");
    g = unpacked(&b, BLM_OPEN(.max_bytes = 2 * bytes, .alloc = &alloc));
    assert_true(g->bytes == bytes && blm_saved_size(g) == blm_saved_size(f));
    blm_free(g);
    blm_free(f);
    free(b.p);
}

/* A forged size is the memory that is taken at most. */
static void stated_sizes_bound_memory(void **state)
{
    purse p = {0};
    const blm_alloc alloc = {purse_get, purse_put, &p};
    blm_filter *f = filled("standard bits=80000 hashes=3 keys=1000", 100), *g = NULL;
    (void)state;
    blob b = packed(f);
    const uint64_t image = blm_saved_size(f);
    const uint64_t forged[] = {image - 1, image + 1, image / 2, 32, 0, UINT64_C(1) << 29};
    for (size_t i = 0; i < COUNT(forged); i++) {
        write_le(b.p + 16, 8, forged[i]);
        reseal(&b);
        p = (purse){0};
        REFUSED(blm_unpack(&g, b.p, b.n, BLM_OPEN(.alloc = &alloc), &why), BLM_E_IMAGE, "forged");
        assert_true(p.held == 0 && p.max <= forged[i] + 81920 && p.max <= image + 81920);
    }
    write_le(b.p + 16, 8, UINT64_MAX);
    reseal(&b);
    REFUSED(blm_unpack(&g, b.p, b.n, BLM_OPEN(.max_bytes = UINT64_MAX), &why), BLM_E_IMAGE,
            "forged");
    free(b.p);
    blm_free(f);
}

/* ---- forgeries -------------------------------------------------------------------------------------------------- */

/* Another number of this width at this place, and the checksum made right. */
static void forge_at(const blob *good, size_t at, unsigned width, uint64_t v, blm_err code,
                     const char *word)
{
    blm_filter *g = NULL;
    blob b = stream_room(good->n);
    memcpy(b.p, good->p, b.n = good->n);
    write_le(b.p + at, width, v);
    reseal(&b);
    REFUSED(blm_unpack(&g, b.p, b.n, NULL, &why), code, word);
    free(b.p);
}

static void forged_streams(void **state)
{
    (void)state;
    blm_filter *f = filled("standard bits=8000 hashes=3 keys=1000", 20);
    blob b = packed(f);
    const size_t record = header_end(&b);
    assert_int_equal(b.p[record], BLM_RECORD_GAPS);
    forge_at(&b, 0, 1, 0x88, BLM_E_IMAGE, "magic");
    forge_at(&b, 8, 2, 2, BLM_E_NEWER, "newer");
    forge_at(&b, 8, 2, 0, BLM_E_IMAGE, "no stream 0");
    forge_at(&b, 10, 2, 2, BLM_E_NEWER, "newer");
    forge_at(&b, 10, 2, 1, BLM_E_MISMATCH, "a delta");
    forge_at(&b, 12, 4, 65537, BLM_E_IMAGE, "header");
    forge_at(&b, 12, 4, b.n, BLM_E_IMAGE, "header");
    forge_at(&b, 12, 4, record - 33, BLM_E_IMAGE, "");
    forge_at(&b, 24, 8, 1, BLM_E_IMAGE, "names one");
    forge_at(&b, record, 1, 4, BLM_E_IMAGE, "no code");          /* a method */
    forge_at(&b, record, 1, 0, BLM_E_IMAGE, "ones");             /* zeros, and more */
    forge_at(&b, record + 1, 1, 0, BLM_E_IMAGE, "no code");      /* a record of no cells */
    forge_at(&b, record + 1, 2, 0x7fff, BLM_E_IMAGE, "no code"); /* more cells than there are */
    forge_at(&b, record + 3, 1, 0x7f, BLM_E_IMAGE, "no code");   /* a longer code than there is */
    forge_at(&b, record + 4, 1, 0, BLM_E_IMAGE, "no code");      /* Golomb's m */
    blm_filter *g = NULL, *none = made("standard bits=512 hashes=3 keys=10");
    blob z = packed(none), more = stream_room(b.n + 1); /* 64 bytes of zeros */
    assert_int_equal(z.p[header_end(&z) + 1], 64);
    forge_at(&z, header_end(&z) + 1, 1, 65, BLM_E_IMAGE, "no code");
    forge_at(&z, header_end(&z) + 1, 1, 63, BLM_E_IMAGE, "no code");
    memcpy(more.p, b.p, more.n = b.n);
    memset(more.p + more.n++ - 8, 0, 9);
    reseal(&more);
    REFUSED(blm_unpack(&g, more.p, more.n, NULL, &why), BLM_E_IMAGE, "longer than its contents");
    blm_free(none);
    free(more.p);
    free(z.p);
    for (size_t n = 0; n < 40; n++)
        REFUSED(blm_unpack(&g, b.p, n, NULL, &why), BLM_E_IMAGE, n < 8 ? "magic" : "truncated");
    REFUSED(blm_unpack(&g, "", 0, NULL, &why), BLM_E_IMAGE, "not a packed filter");
    blob image = image_of(f);
    REFUSED(blm_unpack(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, "load it");
    blm_stream_info look;
    REFUSED(blm_stream_look(image.p, image.n, &look, &why), BLM_E_IMAGE, "load it");
    REFUSED(blm_stream_look(b.p, 31, &look, &why), BLM_E_IMAGE, "truncated");
    REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE, "a packed filter: unpack it first");
    uint64_t size;
    REFUSED(blm_image_size(b.p, b.n, &size, &why), BLM_E_IMAGE, "unpack it first");
    free(image.p);
    free(b.p);
    blm_free(f);
}

/* Cells that contradict their fields are found as they are in an image. */
static void cells_are_checked(void **state)
{
    (void)state;
    blm_filter *f = filled("standard bits=64 hashes=3 keys=10", 10), *g = NULL;
    blob b = packed(f);
    const size_t cells = b.n - 16;
    assert_int_equal(b.p[header_end(&b)], BLM_RECORD_RAW);
    b.p[cells] ^= 1;
    reseal(&b);
    REFUSED(blm_unpack(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE, "");
    free(b.p);
    blm_free(f);
    f = filled("standard bits=80000 hashes=3 keys=100", 100);
    b = packed(f);
    REFUSED(blm_unpack(&g, b.p, b.n, BLM_OPEN(.max_fill = 0.001), &why), BLM_E_POLLUTED, "limit");
    blm_filter *h = unpacked(&b, BLM_OPEN(.max_fill = 0.01));
    blm_free(h);
    free(b.p);
    blm_free(f);
}

/* ---- secrets, growth, other shapes ------------------------------------------------------------------------------- */

static const uint8_t secret[16] = {1, 2, 3}, other[16] = {3, 2, 1};

static void secrets_stay_at_home(void **state)
{
    (void)state;
    const blm_config c = {.size = sizeof c, .keys = 1000, .fpr = 0.01, .secret = secret};
    blm_filter *f = made_new(&c), *now = made_new(&c), *g = NULL;
    add_run(f, 0, 300);
    add_run(now, 0, 310);
    blob b = packed(f), d = delta(f, now);
    for (size_t i = 0; i + 16 <= b.n; i++) assert_memory_not_equal(b.p + i, secret, 16);
    REFUSED(blm_unpack(&g, b.p, b.n, NULL, &why), BLM_E_KEY, "needs its secret");
    REFUSED(blm_unpack(&g, b.p, b.n, BLM_OPEN(.secret = other), &why), BLM_E_KEY, "wrong");
    g = unpacked(&b, BLM_OPEN(.secret = secret));
    assert_true(has_run(g, 0, 300) && blm_equal(f, g));
    blm_free(g);
    g = unpacked(&b, BLM_OPEN(.without_secret = true)); /* a relay */
    blob again = packed(g);
    assert_true(again.n == b.n && memcmp(again.p, b.p, b.n) == 0);
    /* The base's secret is the delta's. */
    blm_filter *h = NULL;
    OK(blm_patch(&h, f, d.p, d.n, NULL, &why));
    assert_true(has_run(h, 0, 310) && blm_equal(h, now));
    blm_free(h);
    OK(blm_patch(&h, g, d.p, d.n, NULL, &why)); /* nor has the relay one */
    blm_free(h);
    blm_filter *strange = made("blocked keys=1000 fpr=1%");
    REFUSED(blm_delta(strange, f, to_bytes, &(blob){NULL, 0, 0}, &why), BLM_E_MISMATCH, "secret");
    blm_free(strange);
    blm_free(g);
    blm_free(f);
    blm_free(now);
    free(again.p);
    free(b.p);
    free(d.p);
}

static void unlike_filters(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *word;
    } pairs[] = {
        {"standard keys=100 fpr=1%", "blocked keys=100 fpr=1%", "kind"},
        {"standard keys=100 fpr=1%", "standard keys=200 fpr=1%", "cells"},
        {"standard keys=100 fpr=1%", "standard keys=100 fpr=1% seed=1", "seed"},
    };
    blob none = {NULL, 0, 0};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        blm_filter *a = made(pairs[i].a), *b = made(pairs[i].b);
        REFUSED(blm_delta(a, b, to_bytes, &none, &why), BLM_E_MISMATCH, pairs[i].word);
        blm_free(a);
        blm_free(b);
    }
}

/* A filter that has grown has other cells than its base: it is sent whole, and needs no base. */
static void grown_filters_are_sent_whole(void **state)
{
    (void)state;
    blm_filter *f = made("dleft keys=1000 fpr=1%"), *g = NULL, *h = NULL;
    add_run(f, 0, 500);
    OK(blm_copy(&g, f, &why));
    OK(blm_grow(g, &why));
    assert_true(f->bytes != g->bytes);
    blob b = delta(f, g);
    blm_stream_info look;
    OK(blm_stream_look(b.p, b.n, &look, &why));
    assert_false(look.delta);
    OK(blm_patch(&h, f, b.p, b.n, NULL, &why));
    assert_true(blm_equal(g, h));
    blm_free(h);
    h = unpacked(&b, NULL);
    assert_true(blm_equal(g, h));
    blm_free(f);
    blm_free(g);
    blm_free(h);
    free(b.p);
}

/* A delta whose base, by its checksum, is the right one, and which is forged nevertheless. */
static void forged_deltas(void **state)
{
    (void)state;
    blm_filter *f = filled("standard bits=8000 hashes=3 keys=100", 20), *g = NULL, *now = NULL;
    blm_filter *large = filled("standard bits=16000 hashes=3 keys=100", 20);
    OK(blm_copy(&now, f, &why));
    add_run(now, 20, 3);
    blob b = delta(f, now), l = image_of(large);
    OK(blm_patch(&g, f, b.p, b.n, NULL, &why));
    assert_true(blm_equal(g, now));
    blm_free(g);
    REFUSED(blm_patch(&g, now, b.p, b.n, NULL, &why), BLM_E_MISMATCH, "base differs");
    write_le(b.p + 24, 8, blm_checksum(l.p, l.n, 0));
    reseal(&b);
    REFUSED(blm_patch(&g, large, b.p, b.n, NULL, &why), BLM_E_IMAGE, "another shape");
    free(b.p);
    free(l.p);
    blm_free(f);
    blm_free(now);
    blm_free(large);
}

/* ---- calls that fail, and files ----------------------------------------------------------------------------------- */

static blm_err full_after(void *ctx, const void *p, size_t n)
{
    size_t *left = ctx;
    (void)p;
    if (n > *left) return BLM_E_FULL;
    *left -= n;
    return BLM_OK;
}

static void sinks_that_fail(void **state)
{
    (void)state;
    blm_filter *f = filled("standard bits=80000 hashes=3 keys=1000", 1000);
    blob b = packed(f);
    for (size_t room = 0; room < b.n; room += 1 + room / 8) {
        size_t left = room;
        REFUSED(blm_pack(f, full_after, &left, &why), BLM_E_FULL, "sink");
        left = 30;
        REFUSED(blm_delta(f, f, full_after, &left, &why), BLM_E_FULL, "sink");
    }
    free(b.p);
    blm_free(f);
}

static void no_memory(void **state)
{
    (void)state;
    purse p = {0};
    const blm_alloc alloc = {purse_get, purse_put, &p};
    blm_filter *f = made_new(BLM_CONFIG(.kind = "standard", .bits = 8000, .alloc = &alloc)),
               *g = NULL;
    OK(blm_set_note(f, "note", &why));
    blob b = packed(f), room = stream_room(b.n);
    const uint64_t held = p.held;
    uint64_t fails = 0;
    for (uint64_t at = 1; at < 20; at++) {
        p.calls = 0;
        p.refuse_at = at;
        room.n = 0;
        blm_err err = blm_pack(f, to_bytes, &room, &why);
        assert_true(err == (at <= 3 ? BLM_E_NOMEM : BLM_OK) && p.held == held);
        p.calls = 0;
        err = blm_unpack(&g, b.p, b.n, BLM_OPEN(.alloc = &alloc), &why);
        if (!err) blm_free(g);
        assert_true(err == BLM_OK || err == BLM_E_NOMEM);
        assert_int_equal(p.held, held);
        fails += err != BLM_OK;
    }
    assert_int_equal(fails, 3); /* handle, note, cells */
    p.refuse_at = 0;
    blm_free(f);
    free(room.p);
    free(b.p);
}

static void check_file(const char *path, const blob *want)
{
    uint8_t *p = malloc(want->n + 1);
    FILE *in = fopen(path, "rb");
    assert_true(p && in);
    assert_int_equal(fread(p, 1, want->n + 1, in), want->n);
    assert_memory_equal(p, want->p, want->n);
    fclose(in);
    free(p);
}

static void files(void **state)
{
    (void)state;
    blm_filter *f = some(10), *g = NULL;
    const char *path = in_folder("f.packed");
    OK(blm_write_packed(f, path, BLM_WRITE_NEW, &why));
    blob b = packed(f);
    check_file(path, &b);
    OK(blm_copy(&g, f, &why));
    add_run(g, 10, 5);
    REFUSED(blm_write_delta(f, g, path, BLM_WRITE_NEW, &why), BLM_E_IO, "file exists");
    check_file(path, &b);
    OK(blm_write_delta(f, g, path, BLM_WRITE_REPLACE, &why));
    blob d = delta(f, g);
    check_file(path, &d);
    blm_filter *h = made("standard keys=501 fpr=1%");
    REFUSED(blm_write_delta(h, g, path, BLM_WRITE_REPLACE, &why), BLM_E_MISMATCH, "cells");
    check_file(path, &d);
    REFUSED(blm_read(&h, path, NULL, &why), BLM_E_IMAGE, "unpack it first");
    REFUSED(blm_map(&h, path, NULL, &why), BLM_E_IMAGE, "unpack it first");
    assert_int_equal(files_there(), 1);
    blm_free(f);
    blm_free(g);
    blm_free(h);
    free(b.p);
    free(d.p);
}

/* ---- for ever, on every machine ------------------------------------------------------------------------------------ */

static blob golden(const char *name)
{
    char path[64];
    blob b = stream_room(4096);
    snprintf(path, sizeof path, "golden/wire/%s", name);
    FILE *in = fopen(path, "rb");
    if (!in) fail_msg("%s cannot be read", path);
    b.n = fread(b.p, 1, b.room, in);
    fclose(in);
    assert_true(b.n > 0 && b.n < b.room);
    return b;
}

static void check_again(const blob *want, blob got)
{
    assert_int_equal(got.n, want->n);
    assert_memory_equal(got.p, want->p, want->n);
    free(got.p);
}

static void goldens_are_read_and_written(void **state)
{
    (void)state;
    static const char *const names[] = {"gaps.packed", "bytes.packed", "raw.packed",
                                        "zeros.packed"};
    for (size_t i = 0; i < COUNT(names); i++) {
        blob b = golden(names[i]);
        blm_filter *f = unpacked(&b, NULL);
        check_again(&b, packed(f));
        free(b.p);
        blm_free(f);
    }
    blob b = golden("gaps.packed"), d = golden("gaps.delta");
    blm_filter *base = unpacked(&b, NULL), *now = NULL;
    OK(blm_patch(&now, base, d.p, d.n, NULL, &why));
    check_again(&d, delta(base, now));
    assert_true(blm_has(now, "43", 2) && !blm_has(base, "43", 2));
    blm_free(base);
    blm_free(now);
    free(b.p);
    free(d.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_way),
        cmocka_unit_test(runs_of_zeros),
        cmocka_unit_test(nothing_costs_nothing),
        cmocka_unit_test(stated_sizes_bound_memory),
        cmocka_unit_test(forged_streams),
        cmocka_unit_test(cells_are_checked),
        cmocka_unit_test(secrets_stay_at_home),
        cmocka_unit_test(unlike_filters),
        cmocka_unit_test(grown_filters_are_sent_whole),
        cmocka_unit_test(forged_deltas),
        cmocka_unit_test(sinks_that_fail),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(goldens_are_read_and_written),
        cmocka_unit_test_setup_teardown(files, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

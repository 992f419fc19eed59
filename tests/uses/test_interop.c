/* test_interop.c - filters of the public C library xor_singleheader: files that it has written, and a reader of its formats
 * that knows nothing of ours. */
#include <bloomery/interop.h>
#include "core/bytes.h"
#include "core/unit.h"

enum { THEIR_KEYS = 872, ASKED = 1000000 };

static blob file_of(const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "uses/foreign/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    blob b = {malloc(20000), 0, 20000};
    assert_non_null(b.p);
    b.n = fread(b.p, 1, b.room, file);
    fclose(file);
    assert_true(b.n > 100 && b.n < b.room);
    return b;
}

/* FNV-1a of each line: the integers that these files hold. */
static void their_keys(uint64_t key[THEIR_KEYS])
{
    blob text = file_of("keys.txt");
    size_t n = 0;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '\n') {
            h = (h ^ text.p[i]) * UINT64_C(0x100000001b3);
            continue;
        }
        assert_true(n < THEIR_KEYS);
        key[n++] = h;
        h = UINT64_C(0xcbf29ce484222325);
    }
    assert_int_equal(n, THEIR_KEYS);
    free(text.p);
}

/* ---- theirs ---------------------------------------------------------------------------------- */

static uint64_t positives(const blm_filter *f)
{
    static uint64_t key[1000];
    static uint8_t yes[1000];
    uint64_t n = 0;
    for (uint64_t at = 0; at < ASKED; at += COUNT(key)) {
        for (uint64_t i = 0; i < COUNT(key); i++) key[i] = at + i;
        blm_has_many_u64(f, key, COUNT(key), yes);
        for (size_t i = 0; i < COUNT(key); i++) n += yes[i];
        assert_int_equal(blm_has_u64(f, key[7]), yes[7]);
    }
    return n;
}

static blob written(const blm_filter *f, const char *format)
{
    blob b = {malloc(20000), 0, 20000};
    assert_non_null(b.p);
    OK(blm_foreign_write(f, format, to_bytes, &b, &why));
    return b;
}

/* How many of the integers 0 .. 999,999 the library itself answers with yes. */
static void files_of_the_library(void **state)
{
    static const struct {
        const char *format, *name;
        uint64_t positives;
    } files[] = {{"fuse8", "fuse8.bin", 3946},
                 {"fuse16", "fuse16.bin", 17},
                 {"xor8", "xor8.bin", 3897},
                 {"xor16", "xor16.bin", 22}};
    static uint64_t key[THEIR_KEYS];
    (void)state;
    their_keys(key);
    for (size_t i = 0; i < COUNT(files); i++) {
        blm_filter *f = NULL, *g = NULL;
        const blob file = file_of(files[i].name);
        OK(blm_foreign_read(&f, files[i].format, file.p, file.n, NULL, &why));
        for (size_t k = 0; k < THEIR_KEYS; k++) assert_true(blm_has_u64(f, key[k]));
        assert_int_equal(positives(f), files[i].positives);
        assert_false(blm_has(f, "Acuff", 5) || blm_has(f, "", 0)); /* no integers */
        assert_string_equal(info_of(f).hash, "given-64");
        const uint64_t keys = info_of(f).adds;
        assert_true(keys >= THEIR_KEYS && keys <= THEIR_KEYS + 2);
        const blob again = written(f, files[i].format), image = image_of(f);
        assert_int_equal(again.n, file.n);
        assert_memory_equal(again.p, file.p, file.n);
        OK(blm_load(&g, image.p, image.n, NULL, &why));
        assert_true(blm_equal(f, g));
        assert_int_equal(positives(g), files[i].positives);
        free(file.p);
        free(again.p);
        free(image.p);
        blm_free(f);
        blm_free(g);
    }
}

/* ---- ours, asked by others --------------------------------------------------------------------- */

static uint64_t turned(uint64_t x, unsigned by) { return x << by | x >> (63 - by) >> 1; }
/* The upper 64 bits of the product; b has 32. */
static uint64_t above(uint64_t a, uint64_t b)
{
    return ((a >> 32) * b + ((a & UINT32_MAX) * b >> 32)) >> 32;
}

/* The published rule of both, by hand: p is a file in this format, key an integer. */
static bool asks(const uint8_t *p, bool fuse, unsigned bytes, uint64_t key)
{
    uint64_t h = key + blm_le64(p), at[3], x = 0;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    h ^= h >> 33;
    if (fuse) {
        const uint64_t l = blm_le32(p + 12);
        at[0] = above(h, blm_le32(p + 20));
        at[1] = (at[0] + l) ^ (h >> 18 & (l - 1));
        at[2] = (at[0] + 2 * l) ^ (h & (l - 1));
    } else
        for (unsigned i = 0; i < 3; i++) /* 32 bits of h, turned by 21 each */
            at[i] =
                (uint32_t)turned(h, 21 * i) * blm_le64(p + 8) / 0x100000000 + i * blm_le64(p + 8);
    const uint8_t *cells = p + (fuse ? 28 : 16);
    for (unsigned i = 0; i < 3; i++) x ^= bytes == 1 ? cells[at[i]] : blm_le16(cells + 2 * at[i]);
    return x == ((h ^ h >> 32) & (bytes == 1 ? 0xff : 0xffff));
}

static blm_filter *ours(const char *kind, const char *with, uint64_t keys)
{
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = kind, .with = with, .seed = 3), &why));
    for (uint64_t i = 0; i < keys; i++)
        assert_int_equal(blm_builder_add(b, 0, &i, sizeof i, BLM_NO_ARG), BLM_OK);
    OK(blm_build(&f, b, &why));
    return f;
}

static void others_ask_what_we_write(void **state)
{
    static const uint64_t sizes[] = {1, 2, 100, 5000};
    (void)state;
    blm_foreign format;
    for (size_t i = 0; blm_foreign_at(i, &format); i++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            blm_filter *f = ours(format.kind, format.with, sizes[s]);
            const blob b = written(f, format.name);
            uint64_t yes = 0;
            for (uint64_t key = 0; key < sizes[s] + 20000; key++) {
                const bool theirs =
                    asks(b.p, strcmp(format.kind, "fuse") == 0, strchr(format.name, '8') ? 1 : 2,
                         blm_hash_of(f, &key, sizeof key).lo);
                assert_int_equal(theirs, blm_has(f, &key, sizeof key));
                assert_true(theirs || key >= sizes[s]);
                yes += theirs;
            }
            assert_true(yes < sizes[s] + 200);
            free(b.p);
            blm_free(f);
        }
}

/* ---- refused ------------------------------------------------------------------------------------- */

static void filters_that_a_format_cannot_hold(void **state)
{
    static const struct {
        const char *kind, *with, *format, *says;
    } cases[] = {{"fuse", "width=8,shards=2", "fuse8", "several shards"},
                 {"fuse", "width=9,shards=1", "fuse8", "another width"},
                 {"fuse", "width=16,shards=1", "fuse8", "another width"},
                 {"fuse", "width=8,arity=4", "fuse8", "four cells per key"},
                 {"fuse", "width=8", "xor8",
                  "of another kind; it holds filters of kind xor with width=8,shards=1"},
                 {"xor", "width=16,shards=3", "xor16", "several shards"}};
    blob b = {malloc(1), 0, 1};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        blm_filter *f = ours(cases[i].kind, cases[i].with, 1000);
        REFUSED(blm_foreign_write(f, cases[i].format, to_bytes, &b, &why), BLM_E_CANNOT,
                cases[i].says);
        REFUSED(blm_foreign_write(f, "fuse9", to_bytes, &b, &why), BLM_E_ARG,
                "fuse9: no such format; did you mean fuse8?");
        blm_free(f);
    }
    assert_int_equal(b.n, 0);
    free(b.p);
}

static void refused(const char *format, const blob *b, size_t n, const char *says)
{
    blm_filter *f = NULL;
    REFUSED(blm_foreign_read(&f, format, b->p, n, NULL, &why), BLM_E_IMAGE, says);
    assert_null(f);
}

static void bytes_that_are_no_filter(void **state)
{
    blob b = file_of("fuse8.bin");
    blm_filter *f = NULL;
    (void)state;
    for (size_t n = 0; n < b.n; n += n < 64 ? 1 : 97)
        refused("fuse8", &b, n, "not a filter of format fuse8");
    REFUSED(blm_foreign_read(&f, "fuse8", b.p, b.n, BLM_OPEN(.max_bytes = 1000), &why), BLM_E_ARG,
            "above the limit of 1000");
    REFUSED(blm_foreign_read(&f, "fuze8", b.p, b.n, NULL, &why), BLM_E_ARG, "did you mean fuse8?");
    refused("fuse16", &b, b.n, "its header asks for");
    static const struct {
        size_t at;
        uint32_t value;
        const char *says;
    } forged[] = {{12, 0, "no power of 2"},        {12, 3, "no power of 2"},
                  {12, 1u << 19, "no power of 2"}, {12, 256, "contradict"},
                  {16, 0, "contradict"},           {16, 7, "contradict"},
                  {20, 0xffffffff, "contradict"},  {24, 0, "contradict"}};
    for (size_t i = 0; i < COUNT(forged); i++) {
        const uint32_t old = blm_le32(b.p + forged[i].at);
        blm_put32(b.p + forged[i].at, forged[i].value);
        refused("fuse8", &b, b.n, forged[i].says);
        blm_put32(b.p + forged[i].at, old);
    }
    blm_put32(b.p + 8, 0); /* no key: all answers are no */
    OK(blm_foreign_read(&f, "fuse8", b.p, b.n, NULL, &why));
    assert_int_equal(positives(f), 0);
    blm_free(f);
    free(b.p);
    b = file_of("xor8.bin");
    for (size_t n = 0; n < b.n; n += n < 32 ? 1 : 97)
        refused("xor8", &b, n, "not a filter of format xor8");
    blm_put64(b.p + 8, 0);
    refused("xor8", &b, b.n, "the size of its blocks");
    blm_put64(b.p + 8, UINT64_MAX / 3);
    refused("xor8", &b, b.n, "the size of its blocks");
    free(b.p);
}

/* The library counts 4 bytes too many for fuse16, and leaves them unset. */
static void four_bytes_too_many(void **state)
{
    blob b = file_of("fuse16.bin");
    blm_filter *f = NULL;
    (void)state;
    memset(b.p + b.n, 0xa5, 5);
    OK(blm_foreign_read(&f, "fuse16", b.p, b.n + 4, NULL, &why));
    assert_int_equal(positives(f), 17);
    const blob again = written(f, "fuse16");
    assert_int_equal(again.n, b.n);
    refused("fuse16", &b, b.n + 5, "its header asks for");
    free(again.p);
    free(b.p);
    blm_free(f);
}

static void a_secret_is_not_given_away(void **state)
{
    static const uint8_t secret[16] = {1, 2, 3};
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    blob none = {NULL, 0, 0};
    (void)state;
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "fuse", .with = "width=8", .secret = secret), &why));
    assert_int_equal(blm_builder_add(b, 0, "plum", 4, BLM_NO_ARG), BLM_OK);
    OK(blm_build(&f, b, &why));
    REFUSED(blm_foreign_write(f, "fuse8", to_bytes, &none, &why), BLM_E_KEY,
            "a filter with a secret");
    blm_free(f);
}

static blm_err full_disk(void *ctx, const void *p, size_t n)
{
    (void)ctx, (void)p, (void)n;
    return BLM_E_IO;
}

static void reading_without_memory(void **state)
{
    const blob b = file_of("fuse8.bin");
    bool whole = false;
    (void)state;
    for (uint64_t refuse = 1; !whole; refuse++) {
        purse p = {.refuse_at = refuse};
        const blm_alloc a = {purse_get, purse_put, &p};
        blm_filter *f = NULL;
        const blm_err err = blm_foreign_read(&f, "fuse8", b.p, b.n, BLM_OPEN(.alloc = &a), &why);
        assert_true(err == BLM_OK || err == BLM_E_NOMEM);
        if (f) assert_int_equal(blm_foreign_write(f, "fuse8", full_disk, NULL, &why), BLM_E_IO);
        blm_free(f);
        assert_int_equal(p.held, 0);
        whole = p.calls < refuse;
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_the_library),
        cmocka_unit_test(others_ask_what_we_write),
        cmocka_unit_test(filters_that_a_format_cannot_hold),
        cmocka_unit_test(bytes_that_are_no_filter),
        cmocka_unit_test(four_bytes_too_many),
        cmocka_unit_test(a_secret_is_not_given_away),
        cmocka_unit_test(reading_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

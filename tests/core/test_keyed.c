/* test_keyed.c - filters hashed with a secret: queries, merges, and what the image reveals. */
#include "core/unit.h"
#include "core/core_internal.h"

static const uint8_t ours[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint8_t theirs[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17};

static blm_filter *keyed(const char *kind, const uint8_t *secret, uint64_t first, uint64_t n)
{
    blm_filter *f = made_new(BLM_CONFIG(.kind = kind, .bits = 8192, .hashes = 8, .keys = 200,
                                        .seed = 3, .secret = secret));
    add_run(f, first, n);
    return f;
}

static const char *const kinds[] = {"standard", "blocked", "counting", "split-block"};

static void the_right_key_opens(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        blm_filter *f = keyed(kinds[i], ours, 0, 100), *g = NULL;
        assert_true(info_of(f).keyed);
        assert_string_equal(info_of(f).hash, "sip24-128");
        const blob b = image_of(f);
        OK(blm_load(&g, b.p, b.n, BLM_OPEN(.secret = ours), &why));
        assert_true(blm_equal(f, g) && has_run(g, 0, 100) && info_of(g).keyed);
        assert_int_equal(blm_add_u64(g, 1000), BLM_OK);
        assert_int_equal(blm_add_u64(f, 1000), BLM_OK);
        assert_true(blm_equal(f, g));
        blm_free(g);
        OK(blm_view(&g, b.p, b.n, BLM_OPEN(.secret = ours), &why));
        assert_true(has_run(g, 0, 100));
        blm_free(g);
        OK(blm_verify_image(b.p, b.n, &why)); /* needs no key */
        free(b.p);
        blm_free(f);
    }
}

static void wrong_and_missing_keys_are_refused(void **state)
{
    blm_filter *f = keyed("standard", ours, 0, 100), *plain = keyed("standard", NULL, 0, 100),
               *g = NULL;
    const blob b = image_of(f), p = image_of(plain);
    (void)state;
    REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_KEY, "needs its secret key");
    REFUSED(blm_load(&g, b.p, b.n, BLM_OPEN(.secret = theirs), &why), BLM_E_KEY,
            "wrong secret key");
    REFUSED(blm_view(&g, b.p, b.n, BLM_OPEN(.secret = theirs, .without_secret = true), &why),
            BLM_E_KEY, "wrong secret key");
    REFUSED(blm_load(&g, p.p, p.n, BLM_OPEN(.secret = ours), &why), BLM_E_KEY,
            "without a secret key");
    OK(blm_load(&g, p.p, p.n, BLM_OPEN(.without_secret = true),
                &why)); /* none is needed: none is missed */
    assert_true(has_run(g, 0, 100) && !info_of(g).keyed);
    blm_free(g);
    free(b.p);
    free(p.p);
    blm_free(f);
    blm_free(plain);
}

/* Whoever has not the key can count, merge, fold and save, but not ask and not add. */
static void without_the_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        blm_filter *f = keyed(kinds[i], ours, 0, 100), *other = keyed(kinds[i], ours, 100, 50),
                   *g = NULL, *h = NULL;
        const blob b = image_of(f), c = image_of(other);
        OK(blm_load(&g, b.p, b.n, BLM_OPEN(.without_secret = true), &why));
        OK(blm_load(&h, c.p, c.n, BLM_OPEN(.without_secret = true), &why));
        const blm_item it = blm_item_u64(g, 123456, BLM_NO_ARG);
        blm_hash hash = {1, 2};
        uint8_t yes[1] = {0};
        blm_estimate n;
        assert_true(blm_has_u64(g, 123456) && blm_has_item(g, &it) &&
                    blm_has_hash(g, hash)); /* in doubt: yes */
        blm_has_many(g, &hash, NULL, 1, yes);
        assert_int_equal(yes[0], 1);
        assert_int_equal(blm_add_u64(g, 5), BLM_E_KEY);
        assert_int_equal(blm_add_many(g, &hash, NULL, 1, NULL, NULL), BLM_E_KEY);
        assert_int_equal(blm_touched(g, &it, NULL, 0), 0);
        if (i == 2) assert_int_equal(blm_count_item(g, &it, &n), BLM_E_KEY);
        if (i == 2) assert_int_equal(blm_del_item(g, &it), BLM_E_KEY);
        assert_true(blm_equal(f, g) && info_of(g).keyed);
        assert_string_equal(info_of(g).hash, "sip24-128");
        assert_true(info_of(g).keys.value == info_of(f).keys.value);
        OK(blm_merge(g, h, &why));
        OK(blm_merge(f, other, &why));
        assert_true(blm_equal(f, g)); /* as if it had known */
        OK(blm_merge(g, other, &why));
        blm_free(f);
        blm_free(other);
        blm_free(g);
        blm_free(h);
        free(b.p);
        free(c.p);
    }
}

static void keys_must_agree_to_merge(void **state)
{
    blm_filter *a = keyed("standard", ours, 0, 10), *b = keyed("standard", theirs, 0, 10),
               *c = keyed("standard", NULL, 0, 10);
    blm_overlap o;
    (void)state;
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "secret key differs");
    REFUSED(blm_merge(a, c, &why), BLM_E_MISMATCH, "secret key differs");
    REFUSED(blm_merge(c, a, &why), BLM_E_MISMATCH, "secret key differs");
    REFUSED(blm_overlap_of(a, b, &o, &why), BLM_E_MISMATCH, "secret key differs");
    assert_false(same_cells(a, b)); /* the same keys, at other places */
    blm_free(a);
    blm_free(b);
    blm_free(c);
}

/* The image has a check value of the key, never the key: not one run of 6 of its bytes. */
static void the_image_does_not_tell_the_key(void **state)
{
    static const uint8_t odd[16] = {0xd3, 0x17, 0x9c, 0x41, 0xee, 0x02, 0x75, 0xb8,
                                    0x6a, 0xf1, 0x2d, 0x90, 0x5b, 0xc7, 0x38, 0xa4};
    blm_filter *f = keyed("standard", odd, 0, 100), *copy = NULL, *half = NULL;
    const blob b = image_of(f);
    (void)state;
    for (size_t at = 0; at + 6 <= b.n; at++)
        for (size_t i = 0; i + 6 <= 16; i++) assert_memory_not_equal(b.p + at, odd + i, 6);
    OK(blm_copy(&copy, f, &why));
    OK(blm_fold(&half, f, 1, &why));
    assert_true(has_run(copy, 0, 100) && has_run(half, 0, 100) && info_of(half).keyed);
    assert_int_equal(blm_clear(copy), BLM_OK);
    add_run(copy, 0, 100);
    assert_true(blm_equal(copy, f));
    blm_free(copy);
    blm_free(half);
    blm_free(f);
    free(b.p);
}

/* Two hashers under one seed: a salt or a hash that differs is named as well. */
static void salts_and_hashes_must_agree(void **state)
{
    blm_filter *a = keyed("standard", NULL, 0, 10), *b = keyed("standard", NULL, 0, 10);
    (void)state;
    b->salt = 4;
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "salt differs: 0 and 4");
    b->salt = 0;
    b->hasher = blm_hasher_for(BLM_NEEDS_HASH128, false);
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "xxh3-64 and xxh3-128");
    b->hasher = a->hasher;
    OK(blm_merge(a, b, &why));
    blm_free(a);
    blm_free(b);
}

/* ---- secrets are wiped -------------------------------------------------------------------------------- */

typedef struct watcher {
    unsigned told; /* pieces of memory that still had the secret when they were given back */
    unsigned seen;
} watcher;

static void *watched_get(void *ctx, size_t n)
{
    (void)ctx;
    return calloc(1, n);
}

static void watched_put(void *ctx, void *p, size_t n)
{
    watcher *w = ctx;
    w->seen++;
    for (size_t i = 0; i + sizeof ours <= n; i++)
        if (memcmp((const char *)p + i, ours, sizeof ours) == 0) w->told++;
    free(p);
}

static void no_memory_is_given_back_with_a_secret(void **state)
{
    watcher w = {0, 0};
    const blm_alloc alloc = {.ctx = &w, .get = watched_get, .put = watched_put};
    blm_kind_info k;
    (void)state;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        blm_filter *f = NULL, *g = NULL, *half = NULL;
        blm_builder *b = NULL;
        const blm_config c = {
            .size = sizeof c, .kind = k.name, .keys = 200, .secret = ours, .alloc = &alloc};
        if (blm_builder_new(&b, &c, &why) == BLM_OK) {
            assert_int_equal(blm_builder_add(b, 0, "plumplum", 8, BLM_NO_ARG), BLM_OK);
            if (blm_build(&g, b, &why) == BLM_OK) blm_free(g); /* spends b */
        }
        g = NULL;
        if (blm_new(&f, &c, &why)) continue; /* built whole, or of integers */
        if (blm_copy(&g, f, &why) == BLM_OK) {
            if (blm_merge(g, f, &why) == BLM_OK && blm_fold(&half, g, 1, &why) == BLM_OK)
                blm_free(half);
            assert_int_equal(blm_clear(g), BLM_OK);
            blm_free(g);
        }
        const blob image = image_of(f);
        OK(blm_load(&g, image.p, image.n, BLM_OPEN(.secret = ours, .alloc = &alloc), &why));
        blm_free(g);
        image.p[image.n - 1] ^= 1; /* an opening that fails late */
        g = NULL;
        if (blm_load(&g, image.p, image.n, BLM_OPEN(.secret = ours, .alloc = &alloc), &why) ==
            BLM_OK)
            blm_free(g);
        free(image.p);
        blm_free(f);
        if (w.told) fail_msg("%s", k.name);
    }
    assert_true(w.seen > 100 && w.told == 0);
}

static void a_key_of_zeros_is_none(void **state)
{
    static const uint8_t zeros[16] = {0};
    blm_filter *f = NULL;
    blm_builder *b = NULL;
    (void)state;
    REFUSED(blm_new(&f, BLM_CONFIG(.kind = "standard", .keys = 9, .secret = zeros), &why),
            BLM_E_ARG, "zeros");
    REFUSED(blm_builder_new(&b, BLM_CONFIG(.kind = "standard", .secret = zeros), &why), BLM_E_ARG,
            "zeros");
    f = keyed("standard", ours, 0, 10); /* an old image may have one */
    memset(f->secret, 0, sizeof f->secret);
    f->key_check = blm_key_check(zeros);
    const blob image = image_of(f);
    blm_filter *g = NULL;
    OK(blm_load(&g, image.p, image.n, BLM_OPEN(.secret = zeros), &why));
    blm_free(g);
    blm_free(f);
    free(image.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_key_opens),
        cmocka_unit_test(wrong_and_missing_keys_are_refused),
        cmocka_unit_test(without_the_key),
        cmocka_unit_test(keys_must_agree_to_merge),
        cmocka_unit_test(the_image_does_not_tell_the_key),
        cmocka_unit_test(salts_and_hashes_must_agree),
        cmocka_unit_test(no_memory_is_given_back_with_a_secret),
        cmocka_unit_test(a_key_of_zeros_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

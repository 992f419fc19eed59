/* test_keyed.c - filters hashed with a secret: who may ask, who may merge, what the image tells. */
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
    REFUSED(blm_load(&g, b.p, b.n, BLM_OPEN(.secret = theirs), &why), BLM_E_KEY, "another one");
    REFUSED(blm_view(&g, b.p, b.n, BLM_OPEN(.secret = theirs, .without_secret = true), &why),
            BLM_E_KEY, "another one");
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
    b->hasher = blm_hasher_for(BLM_N_HASH128, false);
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "xxh3-64 and xxh3-128");
    b->hasher = a->hasher;
    OK(blm_merge(a, b, &why));
    blm_free(a);
    blm_free(b);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

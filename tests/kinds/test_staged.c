/* test_staged.c - batches that go group by group (parts/staged_each.h), at the edges of groups: one hash and many, whole
 * groups and parts of them, members, non-members and both in turn, hashes and numbers, with `fresh` and without. */
#include "core/unit.h"

static const char *const specs[] = {
    "standard bits=2048b hashes=1 overfill=yes",
    "standard bits=2048b hashes=2 overfill=yes",
    "standard bits=4096b hashes=9 overfill=yes",
    "partitioned bits=2048b hashes=1 overfill=yes",
    "partitioned bits=2048b hashes=2 overfill=yes",
    "partitioned bits=4096b hashes=9 overfill=yes",
    "deletable bits=4096b hashes=7 overfill=yes",
    "compressed bits=4096b hashes=3 overfill=yes",
    "retouched bits=4096b hashes=7 overfill=yes",
    "split bits=4096b hashes=1 parts=1 overfill=yes",
    "split bits=8192b hashes=2 parts=3 overfill=yes",
    "split bits=8192b hashes=5 parts=8 overfill=yes",
    "split bits=65536b hashes=4 parts=60 overfill=yes",
    "split bits=4096b hashes=1 parts=1 rows=hash overfill=yes",
    "split bits=8192b hashes=2 parts=3 rows=hash overfill=yes",
    "split bits=8192b hashes=5 parts=8 rows=hash overfill=yes",
    "split bits=65536b hashes=4 parts=60 rows=hash overfill=yes",
    "scalable keys=50 fpr=1% overfill=yes",
    "scalable keys=50 fpr=1% inner=blocked overfill=yes",
    "dynamic keys=50 fpr=1% overfill=yes",
    "dynamic keys=50 fpr=1% inner=standard overfill=yes",
};
static const size_t lengths[] = {1, 2, 31, 32, 33, 63, 64, 65, 96, 97, 200, 255, 256, 257, 300};
enum { MEMBERS = 100, MOST = 300 };

/* Key i of a batch: of members, of non-members, or each in turn. */
static uint64_t key_at(size_t i, unsigned mix)
{
    const bool member = mix == 0 || (mix == 2 && i % 2);
    return member ? i % MEMBERS : 1000000 + i;
}

static void questions(const blm_filter *f, size_t n, unsigned mix)
{
    uint64_t number[MOST];
    blm_hash h[MOST] = {{0, 0}};
    uint8_t by_hash[MOST + 1], by_number[MOST + 1];
    by_hash[n] = by_number[n] = 77;
    for (size_t i = 0; i < n; i++) h[i] = blm_hash_u64(f, number[i] = key_at(i, mix));
    blm_has_many(f, h, NULL, n, by_hash);
    blm_has_many_u64(f, number, n, by_number);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(by_hash[i], blm_has_u64(f, number[i]));
        assert_int_equal(by_number[i], by_hash[i]);
    }
    assert_true(by_hash[n] == 77 && by_number[n] == 77);
}

static void groups_are_asked_as_keys_are(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        blm_filter *f = made(specs[s]);
        for (unsigned mix = 0; mix < 3; mix++) /* still empty */
            questions(f, 65, mix);
        for (uint64_t key = 0; key < MEMBERS; key++) OK(blm_add_u64(f, key));
        for (size_t l = 0; l < COUNT(lengths); l++)
            for (unsigned mix = 0; mix < 3; mix++) questions(f, lengths[l], mix);
        blm_free(f);
    }
}

/* In three ways into three filters: they end with the same bytes, and the same keys were new. */
static void groups_are_added_as_keys_are(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++)
        for (size_t l = 0; l < COUNT(lengths); l += 2) {
            blm_filter *one = made(specs[s]), *hashes = made(specs[s]), *numbers = made(specs[s]);
            const size_t n = lengths[l] < 97 ? lengths[l] : 97;
            uint64_t number[MOST];
            blm_hash h[MOST] = {{0, 0}};
            uint8_t fresh[MOST] = {0}, too[MOST] = {0};
            for (size_t i = 0; i < n; i++)
                h[i] = blm_hash_u64(one, number[i] = key_at(i % (n / 2 + 1), 0)); /* some twice */
            OK(blm_add_many(hashes, h, NULL, n, fresh, NULL));
            OK(blm_add_many_u64(numbers, number, n, l % 4 ? too : NULL, NULL));
            for (size_t i = 0; i < n; i++) {
                bool is_new = false;
                const blm_item it = blm_item_u64(one, number[i], BLM_NO_ARG);
                OK(blm_add_item(one, &it, &is_new));
                assert_int_equal(fresh[i], is_new);
                assert_true(l % 4 == 0 || too[i] == is_new);
            }
            assert_true(blm_equal(one, hashes) && blm_equal(one, numbers));
            blm_free(one), blm_free(hashes), blm_free(numbers);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_asked_as_keys_are),
        cmocka_unit_test(groups_are_added_as_keys_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

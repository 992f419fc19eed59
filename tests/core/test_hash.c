/* test_hash.c - from bytes to a hash: the rows of the table, seeds, secrets, salts, items. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/unit.h"
#include "core/core_internal.h"
#include "core/bytes.h"

static const uint8_t secret[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Published values of XXH3 for the empty input and seed 0; hi is splitmix64's finisher of lo. */
static void xxh3_of_nothing(void **state)
{
    blm_filter *f = made("standard keys=10");
    (void)state;
    const blm_hash h = blm_hash_of(f, "", 0), null = blm_hash_of(f, NULL, 0);
    assert_true(h.lo == UINT64_C(0x2d06800538d394c2) && null.lo == h.lo && null.hi == h.hi);
    uint64_t before = h.lo - UINT64_C(0x9e3779b97f4a7c15); /* draw() steps first, then finishes */
    assert_true(h.hi == draw(&before));
    assert_string_equal(info_of(f).hash, "xxh3-64");
    const blm_kind wide = {.name = "wide", .size = sizeof(blm_filter), .needs = BLM_NEEDS_HASH128};
    blm_filter g = {.kind = &wide, .hasher = blm_hasher_for(BLM_NEEDS_HASH128, false)};
    const blm_hash both = blm_hash_of(&g, "", 0);
    assert_true(both.lo == UINT64_C(0x6001c324468d497f) && both.hi == UINT64_C(0x99aa06d3014798d8));
    assert_string_equal(g.hasher->name, "xxh3-128");
    blm_free(f);
}

/* The library has the last word on what XXH3 is, for every length that has a formula of its own, and next to each end. Bytes
 * after the key are others each time: they must not matter. */
static void xxh3_of_every_length(void **state)
{
    static const uint64_t seeds[] = {0, 1, UINT64_MAX, UINT64_C(0x123456789abcdef0)};
    uint8_t room[300];
    (void)state;
    for (size_t i = 0; i < sizeof room; i++) room[i] = (uint8_t)(i * 151 + i / 7);
    for (size_t s = 0; s < COUNT(seeds); s++) {
        blm_filter *f = made_new(BLM_CONFIG(.keys = 10, .seed = seeds[s]));
        for (size_t n = 0; n <= 260; n++) {
            const uint64_t hash = XXH3_64bits_withSeed(room + 3, n, seeds[s]);
            assert_int_equal(blm_hash_of(f, room + 3, n).lo, hash);
            /* Batches take a shorter way up to their first key that is not of 17 to 32 bytes. */
            const blm_key key[] = {{room, 20}, {room + 3, n}, {room, 40}, {room + 3, n}};
            blm_hash many[COUNT(key)];
            blm_hash_many(f, key, COUNT(key), many);
            assert_int_equal(many[1].lo, hash);
            assert_int_equal(many[3].lo, hash);
            room[3 + n] ^= 0x55;
            assert_int_equal(blm_hash_of(f, room + 3, n).lo, hash);
        }
        blm_free(f);
    }
}

/* The reference vectors of SipHash-2-4 with 128 bits of output: key 00 01 .. 0f, inputs empty and 00. */
static void siphash_vectors(void **state)
{
    static const uint8_t want[2][16] = {{0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6,
                                         0x72, 0x14, 0xc7, 0x55, 0x02, 0x93},
                                        {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76,
                                         0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45}};
    const blm_kind wide = {.name = "wide", .size = sizeof(blm_filter), .needs = BLM_NEEDS_HASH128};
    blm_filter g = {.kind = &wide};
    (void)state;
    assert_int_equal(blm_key_in(&g, secret, NULL), BLM_OK);
    assert_string_equal(g.hasher->name, "sip24-128");
    for (size_t n = 0; n < 2; n++) {
        const blm_hash h = blm_hash_of(&g, "\0", n);
        assert_true(h.lo == blm_le64(want[n]) && h.hi == blm_le64(want[n] + 8));
    }
    blm_filter *f = made_new(BLM_CONFIG(.kind = "standard", .keys = 10, .secret = secret));
    const blm_hash h = blm_hash_of(f, "", 0); /* 64 bits are enough here: hi is a mix of lo */
    uint64_t before = h.lo - UINT64_C(0x9e3779b97f4a7c15);
    assert_true(h.lo == blm_le64(want[0]) && h.hi == draw(&before));
    blm_free(f);
}

/* The seed is added by xor to the first 8 bytes of the secret, little-endian. */
static void seed_and_secret(void **state)
{
    uint8_t other[16];
    const uint64_t seed = UINT64_C(0x1122334455667788);
    (void)state;
    memcpy(other, secret, sizeof other);
    for (unsigned i = 0; i < 8; i++) other[i] ^= (uint8_t)(seed >> 8 * i);
    blm_filter *f = made_new(BLM_CONFIG(.keys = 10, .secret = secret, .seed = seed)),
               *g = made_new(BLM_CONFIG(.keys = 10, .secret = other));
    assert_true(blm_hash_of(f, "plum", 4).lo == blm_hash_of(g, "plum", 4).lo);
    assert_true(blm_hash_of(f, "plun", 4).lo != blm_hash_of(g, "plum", 4).lo);
    blm_free(f);
    blm_free(g);
    assert_true(blm_key_check(secret) != blm_key_check(other) && blm_key_check(secret) != 0);
    f = made("standard keys=10 seed=1"), g = made("standard keys=10 seed=2");
    assert_true(blm_hash_of(f, "plum", 4).lo != blm_hash_of(g, "plum", 4).lo);
    blm_free(f);
    blm_free(g);
}

static void integers_are_eight_bytes(void **state)
{
    static const uint8_t text[8] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    const uint64_t key = UINT64_C(0x1122334455667788);
    blm_filter *f = made("standard keys=10 fpr=1e-9");
    (void)state;
    const blm_hash a = blm_hash_of(f, text, 8), b = blm_hash_u64(f, key);
    assert_true(a.lo == b.lo && a.hi == b.hi);
    const blm_item it = blm_item_of(f, text, 8, 5), as_u64 = blm_item_u64(f, key, 6);
    assert_true(it.h.lo == a.lo && it.key == text && it.len == 8 && it.arg == 5);
    assert_true(as_u64.h.lo == a.lo && !as_u64.key && as_u64.len == 8 && as_u64.arg == 6);
    assert_int_equal(blm_add_u64(f, key), BLM_OK);
    assert_true(blm_has(f, text, 8) && blm_has_u64(f, key) && blm_has_hash(f, a));
    assert_false(blm_has_u64(f, key + 1));
    blm_free(f);
}

static void empty_and_missing_keys(void **state)
{
    blm_filter *f = made("standard keys=10 fpr=1e-9");
    (void)state;
    assert_false(blm_has(f, "", 0));
    assert_int_equal(blm_add(f, NULL, 3), BLM_E_ARG);
    assert_false(blm_has(f, NULL, 3));
    assert_int_equal(info_of(f).adds, 0);
    assert_int_equal(blm_add(f, "", 0), BLM_OK);
    assert_true(blm_has(f, NULL, 0) && blm_has(f, "x", 0));
    assert_false(blm_has(f, "\0", 1));
    blm_free(f);
}

/* A salt makes a second hash out of the first: retries, children and levels draw their own. */
static void salts_mix_again(void **state)
{
    blm_filter *f = made("standard keys=10");
    (void)state;
    const blm_hash plain = blm_hash_of(f, "plum", 4);
    f->salt = 7;
    const blm_hash salted = blm_hash_of(f, "plum", 4), want = blm_resalt(plain, 7);
    assert_true(salted.lo == want.lo && salted.hi == want.hi);
    assert_true(salted.lo != plain.lo && salted.lo != blm_resalt(plain, 8).lo);
    blm_free(f);
    /* The place by one salt says nothing of the place by the next: 16 x 16 places, 255 degrees, 4 sigma. */
    unsigned seen[16][16] = {{0}};
    uint64_t random = 1;
    double chi = 0;
    for (unsigned i = 0; i < 25600; i++) {
        const blm_hash h = blm_hash_widen(draw(&random));
        seen[blm_resalt(h, 1).lo >> 60][blm_resalt(h, 2).lo >> 60]++;
    }
    for (unsigned i = 0; i < 256; i++) {
        const double off = seen[i / 16][i % 16] - 100.0;
        chi += off * off / 100;
    }
    WITHIN(chi, 255, 4 * sqrt(2 * 255.0));
}

/* Keys that are integers are not hashed: the value is what the kind sees. */
static void integer_worlds(void **state)
{
    const blm_kind plain = {.name = "plain", .size = sizeof(blm_filter), .needs = BLM_NEEDS_U64};
    blm_filter f = {.kind = &plain};
    (void)state;
    assert_true(blm_hash_u64(&f, 123456789).lo == 123456789 && blm_hash_u64(&f, 1).hi == 0);
    assert_true(blm_hash_of(&f, "1234567", 7).lo == 0); /* no integer: core refuses the item */
    const blm_kind hashed = {.name = "hashed", .size = sizeof(blm_filter)};
    blm_filter g = {.kind = &hashed}; /* opened without its secret: no hash at all */
    assert_true(blm_hash_of(&g, "plum", 4).lo == 0 && blm_hash_of(&g, "plum", 4).hi == 0);
}

static void hashers_by_name(void **state)
{
    static const struct {
        const char *name;
        unsigned width;
        bool keyed;
    } rows[] = {{"xxh3-64", 64, false},
                {"xxh3-128", 128, false},
                {"sip24-128", 128, true},
                {"given-64", 64, false}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const blm_hasher *h = blm_hasher_named(rows[i].name, strlen(rows[i].name));
        assert_non_null(h);
        assert_string_equal(h->name, rows[i].name);
        assert_int_equal(h->width, rows[i].width);
        assert_int_equal(h->keyed, rows[i].keyed);
        assert_null(blm_hasher_named(rows[i].name, strlen(rows[i].name) - 1));
    }
    assert_null(blm_hasher_named("xxh3-6", 6));
    assert_null(blm_hasher_named("xxh3-65", 7));
    assert_ptr_equal(blm_hasher_for(BLM_NEEDS_HASH64, false), blm_hasher_named("xxh3-64", 7));
    assert_ptr_equal(blm_hasher_for(BLM_NEEDS_HASH128, false), blm_hasher_named("xxh3-128", 8));
    assert_ptr_equal(blm_hasher_for(BLM_NEEDS_HASH64, true), blm_hasher_named("sip24-128", 9));
    assert_ptr_equal(blm_hasher_for(BLM_NEEDS_HASH128, true), blm_hasher_named("sip24-128", 9));
}

/* Little-endian at any address, in all widths. */
static void bytes_at_any_address(void **state)
{
    uint8_t b[24];
    (void)state;
    for (unsigned at = 0; at < 8; at++) {
        for (unsigned i = 0; i < sizeof b; i++) b[i] = (uint8_t)(0xa0 + i);
        assert_int_equal(blm_le16(b + at), (0xa1 + at) << 8 | (0xa0 + at));
        assert_true(blm_le32(b + at) == blm_le_n(b + at, 4) &&
                    blm_le64(b + at) == blm_le_n(b + at, 8));
        assert_int_equal(blm_le_n(b + at, 1), 0xa0 + at);
        assert_int_equal(blm_le_n(b + at, 3), (0xa2 + at) << 16 | (0xa1 + at) << 8 | (0xa0 + at));
        blm_put16(b + at, 0x1122);
        assert_true(b[at] == 0x22 && b[at + 1] == 0x11 && b[at + 2] == 0xa2 + at);
        blm_put32(b + at, 0x11223344);
        assert_true(b[at] == 0x44 && b[at + 3] == 0x11 && b[at + 4] == 0xa4 + at);
        blm_put64(b + at, UINT64_C(0x1122334455667788));
        assert_true(b[at] == 0x88 && b[at + 7] == 0x11 && b[at + 8] == 0xa8 + at);
        blm_put_n(b + at, 2, 0x5566);
        assert_true(b[at] == 0x66 && b[at + 1] == 0x55 && b[at + 2] == 0x66 && b[at + 3] == 0x55);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xxh3_of_nothing),          cmocka_unit_test(xxh3_of_every_length),
        cmocka_unit_test(siphash_vectors),          cmocka_unit_test(seed_and_secret),
        cmocka_unit_test(integers_are_eight_bytes), cmocka_unit_test(empty_and_missing_keys),
        cmocka_unit_test(salts_mix_again),          cmocka_unit_test(integer_worlds),
        cmocka_unit_test(hashers_by_name),          cmocka_unit_test(bytes_at_any_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

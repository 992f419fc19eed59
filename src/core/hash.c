/* hash.c - from bytes to a hash: a row of a table, named in the image.
 *
 *   xxh3-64    XXH3 with the filter's seed; hi is a mix of lo
 *   xxh3-128   both words from XXH3-128, for kinds where two keys with one hash would be an error
 *   sip24-128  SipHash-2-4, 128-bit output, when an adversary may choose keys: its key is the secret
 *              with the seed, little-endian, added by xor to the first 8 bytes. A kind that needs
 *              64 bits takes lo alone, and hi is a mix of it here too
 *   given-64   the key's 8 bytes, an integer: fixed sets of another program, which has hashed already
 */
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <bloomery/inline.h>
#include <sodium/crypto_shorthash_siphash24.h>
#include <string.h>

#include "core/core_internal.h"
#include "core/bytes.h"
#include "core/xxh3.h"

uint64_t blm_xxh3_any(const void *key, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(key, len, seed);
}

blm_hash blm_hash_widen(uint64_t lo) { return (blm_hash){lo, blm_mix(lo)}; }

static blm_hash xxh3_64(const blm_filter *f, const void *key, size_t len)
{
    return blm_hash_widen(blm_xxh3(key, len, f->seed));
}

static blm_hash xxh3_128(const blm_filter *f, const void *key, size_t len)
{
    const XXH128_hash_t h = XXH3_128bits_withSeed(key, len, f->seed);
    return (blm_hash){h.low64, h.high64};
}

static blm_hash sip(const uint8_t secret[16], uint64_t seed, const void *key, size_t len)
{
    uint8_t k[16], out[16];
    memcpy(k, secret, sizeof k);
    blm_put64(k, blm_le64(k) ^ seed);
    crypto_shorthash_siphashx24(out, key, len, k);
    return (blm_hash){blm_le64(out), blm_le64(out + 8)};
}

static blm_hash sip24_128(const blm_filter *f, const void *key, size_t len)
{
    const blm_hash h = sip(f->secret, f->seed, key, len);
    return f->kind->needs & BLM_NEEDS_HASH128 ? h : blm_hash_widen(h.lo);
}

static blm_hash given_64(const blm_filter *f, const void *key, size_t len)
{
    (void)f;
    return blm_hash_widen(len == 8 ? blm_le64(key) : 0);
}

static const blm_hasher rows[] = {
    {"xxh3-64", 64, false, false, xxh3_64},
    {"xxh3-128", 128, false, false, xxh3_128},
    {"sip24-128", 128, true, false, sip24_128},
    {"given-64", 64, false, true, given_64},
};

const blm_hasher *blm_hasher_for(uint32_t needs, bool keyed)
{
    return &rows[keyed ? 2 : (needs & BLM_NEEDS_HASH128) ? 1 : 0];
}

const blm_hasher *blm_hasher_named(const char *name, size_t len)
{
    for (size_t i = 0; i < BLM_LEN(rows); i++)
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0) return &rows[i];
    return NULL;
}

uint64_t blm_key_check(const uint8_t secret[16]) { return sip(secret, 0, "bloomery check", 14).lo; }

uint64_t blm_checksum(const void *p, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(p, n, seed);
}

_Static_assert(sizeof(XXH3_state_t) <= sizeof(blm_running_sum), "a state fits");

void blm_sum_begin(blm_running_sum *s)
{
    XXH3_state_t *x = (XXH3_state_t *)(void *)s->state;
    XXH3_INITSTATE(x);
    XXH3_64bits_reset(x);
}

void blm_sum_add(blm_running_sum *s, const void *p, size_t n)
{
    XXH3_64bits_update((XXH3_state_t *)(void *)s->state, p, n);
}

uint64_t blm_sum_end(const blm_running_sum *s)
{
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)s->state);
}

blm_hash blm_hash_of(const blm_filter *f, const void *key, size_t len)
{
    if (f->kind->needs & BLM_NEEDS_U64) return (blm_hash){len == 8 ? blm_le64(key) : 0, 0};
    if (!f->hasher) return (blm_hash){0, 0};
    const blm_hash h = f->hasher->hash(f, key, len);
    const uint64_t salt = blm_outer_salt(f);
    return salt ? blm_resalt(h, salt) : h;
}

/* A lens is of a filter with the plain hash (blm_hash_is_plain). */
uint64_t blm_lens_hash(const blm_lens *lens, const void *key, size_t len)
{
    return blm_xxh3(key, len, lens->seed);
}

blm_hash blm_hash_u64(const blm_filter *f, uint64_t key)
{
    uint8_t b[8];
    blm_put64(b, key);
    return blm_hash_of(f, b, sizeof b);
}

blm_item blm_item_of(const blm_filter *f, const void *key, size_t len, uint64_t arg)
{
    return (blm_item){blm_hash_of(f, key, len), key, len, arg};
}

/* ---- many ------------------------------------------------------------------------------------ */

bool blm_hash_is_plain(const blm_filter *f)
{
    return f->hasher == &rows[0] && !blm_outer_salt(f) && !(f->kind->needs & BLM_NEEDS_U64);
}

static void widen(const blm_filter *f, blm_hash *h, size_t n)
{
    if (f->kind->needs & BLM_NEEDS_LO) return;
    for (size_t i = 0; i < n; i++) h[i] = blm_hash_widen(h[i].lo);
}

static bool is_17_to(size_t last, size_t len) { return len - 17 <= last - 17; }

/* Keys of 17 to 32 bytes take two products, of 33 to 64 four. Lines of one length are all hashed by the first loop; where lengths
 * are mixed it ends soon, and the second one computes four for both, so that no branch is guessed wrongly. */
static void hash_plain(uint64_t seed, const blm_key *k, size_t n, blm_hash *h)
{
    size_t i = 0;
    for (; i < n && is_17_to(32, k[i].len); i++)
        h[i].lo = blm_xxh3_17_to_32(k[i].key, k[i].len, seed);
    for (; i < n; i++)
        h[i].lo = is_17_to(64, k[i].len) ? blm_xxh3_17_to_64(k[i].key, k[i].len, seed)
                                         : XXH3_64bits_withSeed(k[i].key, k[i].len, seed);
}

void blm_hash_keys(const blm_filter *f, const blm_key *k, size_t n, blm_hash *h)
{
    if (!blm_hash_is_plain(f)) {
        for (size_t i = 0; i < n; i++) h[i] = blm_hash_of(f, k[i].key, k[i].len);
        return;
    }
    hash_plain(f->seed, k, n, h);
    widen(f, h, n);
}

void blm_hash_many(const blm_filter *f, const blm_key *k, size_t n, blm_hash *h)
{
    blm_hash_keys(f, k, n, h);
    if (f->kind->needs & BLM_NEEDS_LO)
        for (size_t i = 0; i < n; i++) h[i].hi = 0;
}

void blm_hash_u64s(const blm_filter *f, const uint64_t *k, size_t n, blm_hash *h)
{
    if (!blm_hash_is_plain(f)) {
        for (size_t i = 0; i < n; i++) h[i] = blm_hash_u64(f, k[i]);
        return;
    }
    blm_hash_u64_lanes(f->seed, k, n, h);
    widen(f, h, n);
}

/* No bytes outlive the call: kinds that look inside a key get theirs from blm_item_of. */
blm_item blm_item_u64(const blm_filter *f, uint64_t key, uint64_t arg)
{
    return (blm_item){blm_hash_u64(f, key), NULL, 8, arg};
}

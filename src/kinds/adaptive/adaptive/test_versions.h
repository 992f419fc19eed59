/* test_versions.h - what the tests of adaptive share: the bits of a key by the page of the format, words as they lie in the
 * cells, and keys that are bad where a test wants them. */
#ifndef BLM_TESTS_VERSIONS_H
#define BLM_TESTS_VERSIONS_H
#include "kinds/fields.h"
#include "kinds/places.h"

enum { FAR = 1 << 30 }; /* keys from here on are no members */

typedef struct setting { /* of a filter, as its fields say */
    unsigned groups, width, reads, hashes;
    uint64_t words;
    bool shared;
} setting;

static inline setting setting_of(const blm_filter *f)
{
    const unsigned s = (unsigned)field(f, "selector");
    return (setting){1u << s,
                     64 - s,
                     (unsigned)field(f, "words"),
                     (unsigned)field(f, "hashes"),
                     field(f, "fast") / 8,
                     field(f, "memory") == 1};
}

static inline uint64_t lo_of(const blm_filter *f, uint64_t key)
{
    return blm_item_u64(f, key, BLM_NO_ARG).h.lo;
}

static inline uint64_t word_of_read(const setting *s, uint64_t lo, unsigned read)
{
    return high(read ? word_of(lo, read - 1) : lo, s->words);
}

/* Groups of 63, 62, 61 bits: 8 places out of a word of the stream. */
static inline uint64_t mask_of(const setting *s, uint64_t lo, unsigned group, unsigned read)
{
    const unsigned share = s->hashes / s->reads + (read < s->hashes % s->reads);
    uint64_t mask = 0, x = 0;
    for (unsigned p = 0; p < share; p++) {
        if (p % 8 == 0) x = word_of(lo, s->reads - 1 + 4 * (group * s->reads + read) + p / 8);
        uint64_t rest, place;
        product(x, s->width, &rest, &place);
        mask |= UINT64_C(1) << place;
        x = rest;
    }
    return mask;
}

static inline uint64_t cell64(const blm_filter *f, uint64_t at)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    uint64_t v = 0;
    assert_true(at + 8 <= n);
    for (unsigned b = 0; b < 8; b++) v |= (uint64_t)cells[at + b] << 8 * b;
    return v;
}

static inline unsigned chosen(const blm_filter *f, const setting *s, uint64_t i)
{
    return s->groups == 1 ? 0 : (unsigned)(cell64(f, 8 * i) >> s->width);
}

/* Bits of word i in a group. */
static inline uint64_t version(const blm_filter *f, const setting *s, uint64_t i, unsigned group)
{
    const uint64_t slow = (8 * s->words + 63) / 64 * 64;
    const unsigned turn = (group + s->groups - chosen(f, s, i)) % s->groups;
    if (!s->shared) return cell64(f, slow + 8 * (i * s->groups + group));
    if (turn) return cell64(f, slow + 8 * (i * (s->groups - 1) + turn - 1));
    return cell64(f, 8 * i) & UINT64_MAX >> (64 - s->width);
}

/* Is the key taken for a member in this group? */
static inline bool bad_in(const blm_filter *f, const setting *s, uint64_t key, unsigned group)
{
    const uint64_t lo = lo_of(f, key);
    for (unsigned r = 0; r < s->reads; r++)
        if (mask_of(s, lo, group, r) & ~version(f, s, word_of_read(s, lo, r), group)) return false;
    return true;
}

/* The next key from *from on, far from members, that is bad in the groups of `where` and in no other. */
static inline uint64_t key_bad_in(const blm_filter *f, uint64_t *from, unsigned where)
{
    const setting s = setting_of(f);
    for (;; ++*from) {
        unsigned in = 0;
        for (unsigned g = 0; g < s.groups; g++) in |= (unsigned)bad_in(f, &s, *from, g) << g;
        if (in == where) return (*from)++;
    }
}

static inline blm_err deny_u64(blm_filter *f, uint64_t key)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    return blm_deny_item(f, &it);
}

/* Asked, and denied if it is taken for a member: was it? */
static inline unsigned ask_and_deny(blm_filter *f, uint64_t key)
{
    const blm_err err = deny_u64(f, key);
    assert_true(err == BLM_OK || err == BLM_E_ABSENT);
    return err == BLM_OK;
}

static inline blm_filter *words_of(uint64_t words, unsigned groups, unsigned hashes,
                                   const char *with)
{
    char text[160];
    const unsigned slow = groups - (strstr(with, "shared") != NULL);
    const uint64_t bytes = (8 * words + 63) / 64 * 64 + words * slow * 8 +
                           (strstr(with, "policy=word") ? (words + 7) / 8 * 8 : 0);
    snprintf(text, sizeof text, "groups=%u %s", groups, with);
    blm_filter *f = made_new(BLM_CONFIG(.kind = "adaptive", .bits = bytes * 8, .hashes = hashes,
                                        .keys = 10 * words, .with = text, .overfill = true));
    assert_int_equal(field(f, "fast"), words * 8);
    assert_int_equal(info_of(f).bytes, bytes);
    return f;
}

static inline void check_versions(const blm_filter *f)
{
    const setting s = setting_of(f);
    uint64_t ones = 0;
    for (uint64_t i = 0; i < s.words; i++) {
        const uint64_t fast = cell64(f, 8 * i) & UINT64_MAX >> (64 - s.width);
        assert_int_equal(fast, version(f, &s, i, chosen(f, &s, i)));
        for (unsigned g = 0; g < s.groups; g++) {
            assert_int_equal(version(f, &s, i, g) >> s.width, 0);
            ones += (uint64_t)__builtin_popcountll(version(f, &s, i, g));
        }
    }
    assert_int_equal(ones, field(f, "ones"));
}

static inline void adapt_to(blm_filter *f, uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) ask_and_deny(f, FAR + first + i);
}
#endif

/* cells.h - golomb: where the bucket of a key is, and what its codes say.
 *
 * One section per shard, each as long as the others, in words of 8 bytes:
 *
 *     values | supers: blocks + 1 words | entries: buckets + 1, `entry` bits each | codes: `room` words | a word of zeros
 *
 * A bucket's first bit is on the line between the supers around it, and off it by its entry, which is signed. So the next
 * bucket's first bit is this one's end, and there is no other number per bucket.
 */
#ifndef BLM_GOLOMB_CELLS_H
#define BLM_GOLOMB_CELLS_H
#include "core/kind.h"
#include "core/mul128.h"
#include "parts/coder.h"

enum {
    GOLOMB_KEYS = 60,   /* keys per bucket */
    GOLOMB_BLOCK = 64,  /* buckets between two supers */
    GOLOMB_ENTRY = 48,  /* bits of an entry, at most */
    GOLOMB_WIDENED = 8, /* times that the room may grow */
};

typedef struct blm_golomb_set {
    blm_filter base;
    uint64_t shards, buckets; /* buckets per shard            */
    uint64_t width, m;        /* values per bucket; Golomb's m */
    uint64_t room;            /* words of codes per shard      */
    uint8_t entry, widened;
    uint64_t members, values; /* STATE */
    /* by shape() */
    uint64_t supers, entries, codes, stride; /* where they begin in a section, and its bytes */
    uint64_t most;                           /* the highest quotient */
    blm_code code;
} blm_golomb_set;

/* Where the codes of one bucket are, as bits of its shard's codes, and which value is asked. */
typedef struct golomb_place {
    const uint8_t *codes;
    uint64_t at, end, value;
} golomb_place;

/* The bucket, counted over all shards: rows in the order of lo are in the order of buckets and of values. */
static inline uint64_t golomb_bucket(const blm_golomb_set *s, uint64_t lo, uint64_t *value)
{
    const blm_wide w = blm_mul(lo, s->shards * s->buckets);
    *value = blm_reduce(w.lo, s->width);
    return w.hi;
}

static inline uint64_t golomb_entry(const blm_golomb_set *s, const uint8_t *section, uint64_t i)
{
    const uint64_t bit = i * s->entry;
    const uint64_t w = blm_le64(section + s->entries + bit / 8) >> (bit & 7);
    const uint64_t sign = UINT64_C(1) << (s->entry - 1);
    return ((w & (2 * sign - 1)) ^ sign) - sign;
}

/* On the line, j of GOLOMB_BLOCK steps from one super to the next. */
static inline uint64_t golomb_line(uint64_t from, uint64_t to, uint64_t j)
{
    return from + (to - from) * j / GOLOMB_BLOCK;
}

/* The first bit of bucket b of a shard, as its index says. */
static inline uint64_t golomb_first(const blm_golomb_set *s, const uint8_t *section, uint64_t b)
{
    const uint8_t *super = section + s->supers + b / GOLOMB_BLOCK * 8;
    return golomb_line(blm_le64(super), blm_le64(super + 8), b % GOLOMB_BLOCK) +
           golomb_entry(s, section, b);
}

/* A key's bucket: its number in its shard, and the supers around it. */
typedef struct golomb_home {
    const uint8_t *section, *super;
    uint64_t bucket, value;
} golomb_home;

static inline golomb_home golomb_home_of(const blm_golomb_set *s, uint64_t lo)
{
    golomb_home h;
    const uint64_t shard = s->shards > 1 ? blm_reduce(lo, s->shards) : 0;
    h.bucket = golomb_bucket(s, lo, &h.value) - shard * s->buckets;
    h.section = s->base.cells + shard * s->stride;
    h.super = h.section + s->supers + h.bucket / GOLOMB_BLOCK * 8;
    return h;
}

/* Where the codes of a key's bucket are. Whatever the cells say, that is within the codes of its shard. */
static inline golomb_place golomb_find(const blm_golomb_set *s, uint64_t lo)
{
    const golomb_home h = golomb_home_of(s, lo);
    const uint64_t from = blm_le64(h.super), to = blm_le64(h.super + 8), max = s->room * 64,
                   j = h.bucket % GOLOMB_BLOCK;
    const uint64_t at = golomb_line(from, to, j) + golomb_entry(s, h.section, h.bucket),
                   end = golomb_line(from, to, j + 1) + golomb_entry(s, h.section, h.bucket + 1);
    golomb_place p = {h.section + s->codes, at, end < max ? end : max, h.value};
    if (p.at > p.end) p.at = p.end;
    return p;
}

/* The next gap; UINT64_MAX, which is no value, where a code goes past its bucket: then the cells lie. */
static inline uint64_t golomb_gap(const blm_golomb_set *s, const blm_code *code, golomb_place *p)
{
    const uint64_t gap = blm_code_get(p->codes, &p->at, code);
    if (__builtin_expect(gap == UINT64_MAX, 0))
        return blm_code_get_long(p->codes, &p->at, p->end, code, s->most);
    return p->at <= p->end ? gap : UINT64_MAX;
}

static inline bool golomb_in(const blm_golomb_set *s, golomb_place p)
{
    while (p.at < p.end) {
        const uint64_t gap = golomb_gap(s, &s->code, &p);
        if (gap >= p.value) return gap == p.value;
        p.value -= gap + 1;
    }
    return false;
}

void blm_golomb_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n);
void blm_golomb_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes);
blm_err blm_golomb_build(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *why);
blm_err blm_golomb_check(const blm_filter *f, blm_report *why);
#endif

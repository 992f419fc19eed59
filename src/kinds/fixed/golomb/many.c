/* many.c - golomb: many keys at a time.
 *
 * Three stages, each a group of keys before the next: the index is fetched; by it the codes are found and fetched; they are
 * decoded. A load has several codes, and the first of them says where the next one begins 12 cycles later, so that two buckets are
 * decoded in turn: 92 ns per key at a rate of 2^-8, 150 where one bucket follows the other. Three or four buckets are no faster:
 * then 40 instructions per code are the limit. With AVX-512 eight buckets are decoded side by side in 40 ns per key (lanes.c).
 */
#include "lanes.h"

enum {
    GROUP = BLM_AHEAD, /* keys of a stage             */
    LANES = 2,         /* buckets that are decoded side by side */
    LINE_BITS = 512,
    FETCH_BITS = 4096, /* of codes per bucket: 60 keys at a rate of 2^-66 */
};

static void prefetch(const blm_golomb_set *s, uint64_t lo)
{
    const golomb_home b = golomb_home_of(s, lo);
    blm_fetch(b.super);
    blm_fetch(b.section + s->entries + b.bucket * s->entry / 8);
}

void blm_golomb_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    for (size_t i = 0; i < n; i++) prefetch((const blm_golomb_set *)f, h[i].lo);
}

static void find(const blm_golomb_set *s, const blm_hash *h, size_t n, golomb_place *p)
{
    for (size_t i = 0; i < n; i++) {
        p[i] = golomb_find(s, h[i].lo);
        const uint64_t far = p[i].end - p[i].at, fetched = far < FETCH_BITS ? far : FETCH_BITS;
        for (uint64_t bit = 0; bit < fetched; bit += LINE_BITS)
            blm_fetch_into(p[i].codes + (p[i].at + bit) / 8, true);
        blm_fetch_into(p[i].codes + (p[i].at + fetched) / 8, true);
    }
}

/* The next codes of a bucket, as many as one load has. True: the answer is known. */
static inline bool step(const blm_golomb_set *s, const blm_code *code, unsigned codes,
                        golomb_place *p, uint8_t *yes)
{
    const uint64_t left = p->end - p->at, room = left < BLM_CODE_WINDOW ? left : BLM_CODE_WINDOW;
    uint64_t w = blm_be64(p->codes + (p->at >> 3)) << (p->at & 7), value = p->value, used = 0;
    for (unsigned i = 0; i < codes; i++) {
        const uint64_t q = (unsigned)__builtin_clzll(~w | 1);
        const uint64_t x = w << q << 1 >> (63 - code->low);
        const bool more = x >= 2 * code->cut;
        const uint64_t after = used + q + 1 + code->low + more;
        if (__builtin_expect(after > room, 0)) break;
        w = w << q << 1 << code->low << more;
        const uint64_t gap = q * code->m + (more ? x - code->cut : x >> 1);
        *yes = gap == value;
        if (gap >= value) return true;
        value -= gap + 1;
        used = after;
    }
    p->value = value;
    p->at += used;
    *yes = 0;
    if (p->at >= p->end) return true;
    if (__builtin_expect(used > 0, 1)) return false;
    const uint64_t gap = golomb_gap(s, code, p);
    *yes = gap == value;
    if (gap >= value) return true;
    p->value -= gap + 1;
    return false;
}

/* A lane whose key is answered takes the next one; when there is none, the others are brought to their ends one by one. */
void blm_golomb_ask(const blm_golomb_set *s, const golomb_place *p, size_t n, uint8_t *yes)
{
    golomb_place lane[LANES];
    size_t key[LANES], next = 0, left = n < LANES ? 0 : LANES;
    const blm_code code = s->code;
    const unsigned codes = code.low < 54 ? BLM_CODE_WINDOW / (code.low + 3) : 1;
    for (; next < left; next++) {
        lane[next] = p[next];
        key[next] = next;
    }
    while (left == LANES)
        for (size_t l = 0; l < LANES && left == LANES; l++) {
            uint8_t answer;
            if (!step(s, &code, codes, &lane[l], &answer)) continue;
            yes[key[l]] = answer;
            if (next < n) {
                lane[l] = p[next];
                key[l] = next++;
            } else {
                lane[l] = lane[--left];
                key[l] = key[left];
            }
        }
    for (size_t l = 0; l < left; l++) yes[key[l]] = golomb_in(s, lane[l]);
    for (; next < n; next++) yes[next] = golomb_in(s, p[next]);
}

/* How many of a group from `first` on there are among n. */
static size_t group(size_t first, size_t n)
{
    return first >= n ? 0 : n - first < GROUP ? n - first : GROUP;
}

void blm_golomb_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    const blm_golomb_set *s = (const blm_golomb_set *)f;
    golomb_place now[GROUP], then[GROUP];
    const bool eight = blm_golomb_avx512_fits(s);
    (void)a;
    if (!s->members) {
        memset(yes, 0, n);
        return;
    }
    blm_golomb_prefetch_many(f, h + group(0, n + more), group(GROUP, n + more));
    find(s, h, group(0, n), now);
    for (size_t i = 0; i < n; i += GROUP) {
        const size_t next = i + GROUP, last = next + GROUP;
        const size_t soon = group(next, n), far = group(last, n + more);
        if (far) blm_golomb_prefetch_many(f, h + last, far);
        if (soon) find(s, h + next, soon, then);
        (eight ? blm_golomb_ask_avx512 : blm_golomb_ask)(s, now, group(i, n), yes + i);
        memcpy(now, then, soon * sizeof *now);
    }
}

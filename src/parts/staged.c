/* staged.c - standard's batches. */
#include "parts/staged.h"
#include "parts/keys.h"

enum { STAGED_FIRST = 2, STAGED_KEYS = BLM_LANES_KEYS, STAGED_HASHES = 64 };

typedef struct staged {
    /* the probes of its keys; from `found` on, those of keys that came through */
    blm_lanes_column at[STAGED_HASHES];
    unsigned found; /* how many of each key */
    const blm_hash *h;
    uint8_t *yes;
    size_t left; /* keys that came through, and have more probes to read */
    uint8_t key[STAGED_KEYS];
    blm_hash room[STAGED_KEYS]; /* for hashes that are made here */
} staged;

/* Finding and fetching are apart: fetches that come one by one with the reads of other keys wait less than many at once. */
static inline void staged_find(const blm_flat *s, staged *g, const blm_hash *h, size_t n,
                               unsigned from, unsigned to)
{
    blm_lanes_best()->places(h, n, s->cells, from, to, g->at);
}

static inline void staged_fetch(const blm_flat *s, const staged *g, size_t i, unsigned from,
                                unsigned to)
{
    for (unsigned j = from; j < to; j++) blm_fetch(s->base.cells + g->at[j][i] / 8);
}

static inline unsigned staged_read(const blm_flat *s, const staged *g, size_t i, unsigned from,
                                   unsigned to)
{
    const uint8_t *cells = s->base.cells;
    uint64_t all = 1;
    for (unsigned j = from; j < to; j++) {
        const uint64_t at = g->at[j][i];
        all &= blm_le64(cells + at / 64 * 8) >> at % 64;
    }
    return (unsigned)all;
}

/* Reads `some` probes of each of n keys, finds as many of the next group's; returns how many came through. Inlined
 * where `some` is a constant: loops of two are unrolled. */
__attribute__((always_inline)) static inline size_t
staged_some(const blm_flat *s, staged *g, size_t n, staged *then, size_t next, unsigned some)
{
    blm_hash hash[STAGED_KEYS];
    size_t through = 0;
    if (g->found < some) {
        staged_find(s, g, g->h, n, g->found, some);
        for (size_t i = 0; i < n; i++) staged_fetch(s, g, i, g->found, some);
    }
    staged_find(s, then, then->h, next, 0, some);
    for (size_t i = 0; i < n; i++) {
        if (i < next) staged_fetch(s, then, i, 0, some);
        const unsigned all = staged_read(s, g, i, 0, some);
        g->yes[i] = (uint8_t)all;
        g->key[through] = (uint8_t)i;
        hash[through].lo = g->h[i].lo;
        through += all;
    }
    for (size_t i = n; i < next; i++) staged_fetch(s, then, i, 0, some);
    g->left = some < s->hashes ? through : 0;
    if (g->left) staged_find(s, g, hash, through, some, s->hashes);
    for (size_t i = 0; i < g->left; i++) staged_fetch(s, g, i, some, s->hashes);
    g->found = then->found = some;
    return through;
}

static void staged_rest(const blm_flat *s, staged *g)
{
    for (size_t i = 0; i < g->left; i++)
        g->yes[g->key[i]] = (uint8_t)staged_read(s, g, i, g->found, s->hashes);
    g->left = 0;
}

static inline void staged_take(const blm_keys *keys, staged *g, size_t at, size_t n, size_t all)
{
    g->h = blm_keys_take(keys, at, n, all, g->room);
}

static inline size_t staged_keys(size_t left) { return left < STAGED_KEYS ? left : STAGED_KEYS; }

static inline void staged_ask(const blm_filter *f, blm_keys keys, size_t n, size_t more,
                              uint8_t *yes)
{
    const blm_flat *s = (const blm_flat *)f;
    const unsigned all = s->hashes, first = all < STAGED_FIRST ? all : STAGED_FIRST;
    staged room[3], *before = &room[0], *now = &room[1], *then = &room[2];
    bool members = false;
    before->left = now->left = now->found = 0;
    staged_take(&keys, now, 0, staged_keys(n + more), n + more);
    for (size_t at = 0; at < n; at += STAGED_KEYS) {
        const size_t here = staged_keys(n - at), next = staged_keys(n - at - here + more);
        now->yes = yes + at;
        staged_take(&keys, then, at + here, next, n + more);
        const size_t through = !members && first == STAGED_FIRST
                                   ? staged_some(s, now, here, then, next, STAGED_FIRST)
                                   : staged_some(s, now, here, then, next, members ? all : first);
        staged_rest(s, before);
        members = through > here / 2;
        staged *last = before;
        before = now, now = then, then = last;
    }
    staged_rest(s, before);
}

/* An add reads and writes all its bits: all are found and fetched a group ahead. */
static inline unsigned staged_set(uint8_t *cells, const staged *g, size_t i, unsigned k)
{
    unsigned set = 0;
    for (unsigned j = 0; j < k; j++) set += blm_bit_set(cells, g->at[j][i]);
    return set;
}

static inline void staged_put(blm_filter *f, blm_keys keys, size_t n, uint8_t *fresh)
{
    blm_flat *s = (blm_flat *)f;
    uint8_t *cells = f->cells;
    const unsigned k = s->hashes;
    staged room[2], *now = &room[0], *then = &room[1];
    uint64_t ones = 0;
    staged_take(&keys, now, 0, staged_keys(n), n);
    staged_find(s, now, now->h, staged_keys(n), 0, k);
    for (size_t i = 0; i < staged_keys(n); i++) staged_fetch(s, now, i, 0, k);
    for (size_t at = 0; at < n; at += STAGED_KEYS) {
        const size_t here = staged_keys(n - at), next = staged_keys(n - at - here);
        staged_take(&keys, then, at + here, next, n);
        staged_find(s, then, then->h, next, 0, k);
        for (size_t i = 0; i < here; i++) {
            if (i < next) staged_fetch(s, then, i, 0, k);
            const unsigned set = staged_set(cells, now, i, k);
            ones += set;
            if (fresh) fresh[at + i] = set > 0;
        }
        staged *last = now;
        now = then, then = last;
    }
    s->ones += ones;
}

void blm_staged_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    (void)a;
    staged_ask(f, (blm_keys){h, NULL, 0}, n, more, yes);
}

void blm_staged_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes)
{
    staged_ask(f, (blm_keys){NULL, key, f->seed}, n, 0, yes);
}

blm_err blm_staged_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *fresh, size_t *done)
{
    (void)a, (void)more;
    staged_put(f, (blm_keys){h, NULL, 0}, n, fresh);
    *done = n;
    return BLM_OK;
}

void blm_staged_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh)
{
    staged_put(f, (blm_keys){NULL, key, f->seed}, n, fresh);
}

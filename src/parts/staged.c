/* staged.c - standard's batches. */
#include "parts/staged.h"
#include "parts/probe.h"

enum { BLM_STAGED_FIRST = 2, BLM_STAGED_KEYS = 32, BLM_STAGED_HASHES = 64 };

typedef struct blm_staged {
    uint64_t at[BLM_STAGED_HASHES][BLM_STAGED_KEYS]; /* the probes of its keys */
    unsigned found;                                  /* how many of each key   */
    const blm_hash *h;
    uint8_t *yes;
    size_t left; /* keys that came through, and have more probes to read */
    uint8_t key[BLM_STAGED_KEYS];
} blm_staged;

static inline void staged_find(const blm_flat *s, blm_staged *g, size_t i, unsigned from,
                               unsigned to)
{
    const blm_hash h = g->h[i];
    for (unsigned j = from; j < to; j++) {
        g->at[j][i] = blm_place(h, j, s->cells);
        blm_fetch(s->base.cells + g->at[j][i] / 8);
    }
}

static inline unsigned staged_read(const blm_flat *s, const blm_staged *g, size_t i, unsigned from,
                                   unsigned to)
{
    const uint8_t *cells = s->base.cells;
    unsigned all = 1;
    for (unsigned j = from; j < to; j++) {
        const uint64_t at = g->at[j][i];
        all &= (unsigned)(blm_le64(cells + at / 64 * 8) >> at % 64) & 1;
    }
    return all;
}

/* Reads `some` probes of each of n keys, finds as many of the next group's; returns how many came through. */
static size_t staged_some(const blm_flat *s, blm_staged *g, size_t n, blm_staged *then, size_t next,
                          unsigned some)
{
    size_t through = 0;
    for (size_t i = 0; g->found < some && i < n; i++) staged_find(s, g, i, g->found, some);
    for (size_t i = 0; i < n; i++) {
        if (i < next) staged_find(s, then, i, 0, some);
        const unsigned all = staged_read(s, g, i, 0, some);
        g->yes[i] = (uint8_t)all;
        g->key[through] = (uint8_t)i;
        through += all;
    }
    for (size_t i = n; i < next; i++) staged_find(s, then, i, 0, some);
    for (size_t i = 0; some < s->hashes && i < through; i++)
        staged_find(s, g, g->key[i], some, s->hashes);
    g->left = some < s->hashes ? through : 0;
    g->found = then->found = some;
    return through;
}

static void staged_rest(const blm_flat *s, blm_staged *g)
{
    for (size_t i = 0; i < g->left; i++)
        g->yes[g->key[i]] = (uint8_t)staged_read(s, g, g->key[i], g->found, s->hashes);
    g->left = 0;
}

void blm_staged_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    const blm_flat *s = (const blm_flat *)f;
    const unsigned all = s->hashes, first = all < BLM_STAGED_FIRST ? all : BLM_STAGED_FIRST;
    blm_staged room[3], *before = &room[0], *now = &room[1], *then = &room[2];
    bool members = false;
    (void)a;
    before->left = now->left = now->found = 0;
    for (size_t at = 0; at < n; at += BLM_STAGED_KEYS) {
        const size_t here = n - at < BLM_STAGED_KEYS ? n - at : BLM_STAGED_KEYS,
                     behind = n - at - here + more;
        now->h = h + at, now->yes = yes + at, then->h = h + at + here;
        const size_t through =
            staged_some(s, now, here, then, behind < BLM_STAGED_KEYS ? behind : BLM_STAGED_KEYS,
                        members ? all : first);
        staged_rest(s, before);
        members = through > here / 2;
        blm_staged *last = before;
        before = now, now = then, then = last;
    }
    staged_rest(s, before);
}

/* An add reads and writes all its bits: all are found and fetched a group ahead. */
static inline unsigned staged_set(uint8_t *cells, const blm_staged *g, size_t i, unsigned k)
{
    unsigned set = 0;
    for (unsigned j = 0; j < k; j++) set += blm_bit_set(cells, g->at[j][i]);
    return set;
}

blm_err blm_staged_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *fresh, size_t *done)
{
    blm_flat *s = (blm_flat *)f;
    const unsigned k = s->hashes;
    blm_staged room[2], *now = &room[0], *then = &room[1];
    uint64_t ones = 0;
    (void)a, (void)more;
    now->h = h;
    for (size_t i = 0; i < n && i < BLM_STAGED_KEYS; i++) staged_find(s, now, i, 0, k);
    for (size_t at = 0; at < n; at += BLM_STAGED_KEYS) {
        const size_t here = n - at < BLM_STAGED_KEYS ? n - at : BLM_STAGED_KEYS,
                     behind = n - at - here;
        then->h = h + at + here;
        for (size_t i = 0; i < here; i++) {
            if (i < behind) staged_find(s, then, i, 0, k);
            const unsigned set = staged_set(f->cells, now, i, k);
            ones += set;
            if (fresh) fresh[at + i] = set > 0;
        }
        blm_staged *last = now;
        now = then, then = last;
    }
    s->ones += ones;
    *done = n;
    return BLM_OK;
}

/* classed_each.h - batches over one array of bits in which each key has its own k: the loops that weighted and popularity
 * stamp with their question for k.
 *
 * Group by group, so that no read waits: of 32 keys place 0 is read, which was fetched 64 keys ago, then place 1 of those that came
 * through; all other places of those that are left are worked out and fetched, and read one group later. Keys that came
 * through are counted up without gaps, and no branch depends on a cell.
 */
#ifndef BLM_CLASSED_EACH_H
#define BLM_CLASSED_EACH_H
#include "parts/classes.h"

#define BLM_CLASSED_EACH inline __attribute__((always_inline))

enum { BLM_CLASSED_KEYS = 32 };

/* What a kind gives: k of a key, at least 1; and what is fetched of it first. */
typedef struct blm_classed_form {
    unsigned (*k)(const blm_filter *f, blm_hash h, uint64_t arg);
    void (*prefetch)(const blm_filter *f, blm_hash h);
} blm_classed_form;

typedef struct blm_classed_group {
    size_t begins, left; /* the first key; those with places to read or to set */
    uint8_t key[BLM_CLASSED_KEYS], k[BLM_CLASSED_KEYS];
    uint64_t at[BLM_CLASSED_KEYS][BLM_CLASS_HASHES];
} blm_classed_group;

/* All that a batch has in common. */
typedef struct blm_classed_work {
    const blm_filter *f;
    const blm_hash *h;
    const uint64_t *args;
    size_t n, more;
    uint64_t m;
} blm_classed_work;

static BLM_CLASSED_EACH uint64_t blm_classed_arg(blm_classed_work w, size_t i)
{
    return w.args ? w.args[i] : BLM_NO_ARG;
}

static BLM_CLASSED_EACH void blm_classed_ahead(const blm_classed_form *form, blm_classed_work w,
                                               size_t at, size_t here)
{
    for (size_t i = at + BLM_AHEAD; i < at + here + BLM_AHEAD && i < w.n + w.more; i++)
        form->prefetch(w.f, w.h[i]);
}

/* Places `from` and on of the key with number s of the group. */
static BLM_CLASSED_EACH void blm_classed_find(blm_classed_work w, blm_classed_group *g, size_t s,
                                              unsigned from)
{
    for (unsigned j = from; j < g->k[s]; j++) {
        g->at[s][j] = blm_place(w.h[g->begins + g->key[s]], j, w.m);
        blm_fetch(w.f->cells + g->at[s][j] / 8);
    }
}

static BLM_CLASSED_EACH void blm_classed_first(const blm_classed_form *form, blm_classed_work w,
                                               blm_classed_group *g, size_t here, uint8_t *yes)
{
    size_t through = 0, left = 0;
    for (size_t i = 0; i < here; i++) {
        const bool may = blm_bit_get(w.f->cells, blm_place(w.h[g->begins + i], 0, w.m));
        yes[g->begins + i] = may;
        g->key[through] = (uint8_t)i;
        through += may;
    }
    for (size_t s = 0; s < through; s++) {
        const uint8_t key = g->key[s];
        const size_t i = g->begins + key;
        const unsigned k = form->k(w.f, w.h[i], blm_classed_arg(w, i));
        yes[i] = blm_bit_get(w.f->cells, blm_place(w.h[i], 1, w.m)) | (k < 2);
        g->key[left] = key;
        g->k[left] = (uint8_t)k;
        left += yes[i] & (k > 2);
    }
    for (size_t s = 0; s < left; s++) blm_classed_find(w, g, s, 2);
    g->left = left;
}

static BLM_CLASSED_EACH void blm_classed_rest(blm_classed_work w, const blm_classed_group *g,
                                              uint8_t *yes)
{
    for (size_t s = 0; s < g->left; s++) {
        unsigned all = 1;
        for (unsigned j = 2; j < g->k[s]; j++) all &= blm_bit_get(w.f->cells, g->at[s][j]);
        yes[g->begins + g->key[s]] = (uint8_t)all;
    }
}

/* As kind->has_many. */
static BLM_CLASSED_EACH void blm_classed_has_many(const blm_classed_form *form, blm_classed_work w,
                                                  uint8_t *yes)
{
    blm_classed_group room[2], *before = &room[0], *now = &room[1];
    before->left = 0;
    for (size_t at = 0; at < w.n; at += BLM_CLASSED_KEYS) {
        const size_t here = w.n - at < BLM_CLASSED_KEYS ? w.n - at : BLM_CLASSED_KEYS;
        blm_classed_ahead(form, w, at, here);
        now->begins = at;
        blm_classed_first(form, w, now, here, yes);
        blm_classed_rest(w, before, yes);
        blm_classed_group *last = before;
        before = now, now = last;
    }
    blm_classed_rest(w, before, yes);
}

/* As kind->add_many, which never fails; returns how many bits were zero. */
static BLM_CLASSED_EACH uint64_t blm_classed_add_many(const blm_classed_form *form,
                                                      blm_classed_work w, uint8_t *cells,
                                                      uint8_t *fresh)
{
    blm_classed_group room[2], *before = &room[0], *now = &room[1];
    uint64_t ones = 0;
    before->left = 0;
    for (size_t at = 0; at < w.n + BLM_CLASSED_KEYS; at += BLM_CLASSED_KEYS) {
        now->begins = at;
        now->left = at < w.n ? w.n - at < BLM_CLASSED_KEYS ? w.n - at : BLM_CLASSED_KEYS : 0;
        blm_classed_ahead(form, w, at, now->left);
        for (size_t s = 0; s < now->left; s++) {
            now->key[s] = (uint8_t)s;
            now->k[s] = (uint8_t)form->k(w.f, w.h[at + s], blm_classed_arg(w, at + s));
            blm_classed_find(w, now, s, 0);
        }
        for (size_t s = 0; s < before->left; s++) {
            unsigned set = 0;
            for (unsigned j = 0; j < before->k[s]; j++) set += blm_bit_set(cells, before->at[s][j]);
            if (fresh) fresh[before->begins + s] = set > 0;
            ones += set;
        }
        blm_classed_group *last = before;
        before = now, now = last;
    }
    return ones;
}

/* BLM_CLASSED_CALLS(weighted) stamps weighted_has_each and weighted_add_each out of weighted_k_of and weighted_prefetch, for a
 * kind whose struct begins with blm_flat. */
#define BLM_CLASSED_CALLS(K)                                                                       \
    static const blm_classed_form K##_form = {K##_k_of, K##_prefetch};                             \
    static void K##_has_each(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,  \
                             size_t more, uint8_t *yes)                                            \
    {                                                                                              \
        const blm_classed_work w = {f, h, a, n, more, ((const blm_flat *)f)->cells};               \
        blm_classed_has_many(&K##_form, w, yes);                                                   \
    }                                                                                              \
    static blm_err K##_add_each(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,     \
                                size_t more, uint8_t *fresh, size_t *done)                         \
    {                                                                                              \
        blm_flat *s = (blm_flat *)f;                                                               \
        s->ones += blm_classed_add_many(&K##_form, (blm_classed_work){f, h, a, n, more, s->cells}, \
                                        f->cells, fresh);                                          \
        *done = n;                                                                                 \
        return BLM_OK;                                                                             \
    }
#endif

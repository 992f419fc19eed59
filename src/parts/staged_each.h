/* staged_each.h - batches over one array, group by group: the loops that staged.c has for single bits, and columns.c for
 * cells of many.
 *
 * The places of the next group are found, kept and fetched while those of this one are read. How many of each key: the
 * first ones, which reject most non-members; the keys that pass have the rest fetched, and are read to the end one group
 * later. Or all, when most keys of the group before passed: they are members. No branch depends on a cell.
 *
 * What a place is, and what is read there, are constants to whoever calls these functions, and all of it becomes one loop.
 */
#ifndef BLM_STAGED_EACH_H
#define BLM_STAGED_EACH_H
#include "core/bytes.h"
#include "core/kind.h"
#include "parts/bits.h"

#define BLM_STAGED_EACH inline __attribute__((always_inline))

enum { BLM_STAGED_KEYS = 32, BLM_STAGED_HASHES = 64 };

/* A place is the number of a bit. */
typedef struct blm_staged_form {
    uint64_t (*base)(const void *self, blm_hash h); /* what all places of the key have in common */
    uint64_t (*find)(const void *self, blm_hash h, unsigned j, uint64_t base);
    uint64_t (*read)(const void *self,
                     uint64_t at); /* what a key's reads have in common is its answer */
} blm_staged_form;

typedef struct blm_staged_group {
    uint64_t at[BLM_STAGED_HASHES][BLM_STAGED_KEYS]; /* the places of its keys */
    uint64_t answer[BLM_STAGED_KEYS];                /* so far, of those that came through */
    unsigned found;                                  /* how many of each key   */
    const blm_hash *h;
    size_t begins; /* the first key's number */
    size_t left;   /* keys that came through, and have more places to read */
    uint8_t key[BLM_STAGED_KEYS];
} blm_staged_group;

/* All that a batch has in common; by value, so that no write to an answer could be one to it. Answers go into one of yes (is there any?) and answers; the other one is NULL. */
typedef struct blm_staged_work {
    const void *self;
    const uint8_t *cells;
    const blm_hash *h;
    size_t n, more;
    unsigned hashes, first;
    uint64_t asked; /* the bits of an answer that count */
    uint8_t *yes;
    uint64_t *answers;
} blm_staged_work;

static BLM_STAGED_EACH void blm_staged_find(const blm_staged_form *form, blm_staged_work w,
                                            blm_staged_group *g, size_t i, unsigned from,
                                            unsigned to)
{
    const blm_hash h = g->h[i];
    const uint64_t base = form->base(w.self, h);
    for (unsigned j = from; j < to; j++) {
        g->at[j][i] = form->find(w.self, h, j, base);
        blm_fetch(w.cells + g->at[j][i] / 8);
    }
}

static BLM_STAGED_EACH uint64_t blm_staged_read(const blm_staged_form *form, blm_staged_work w,
                                                const blm_staged_group *g, size_t i, unsigned from,
                                                unsigned to, uint64_t all)
{
    for (unsigned j = from; j < to; j++) all &= form->read(w.self, g->at[j][i]);
    return all;
}

static BLM_STAGED_EACH void blm_staged_tell(blm_staged_work w, size_t i, uint64_t answer)
{
    if (w.answers)
        w.answers[i] = answer;
    else
        w.yes[i] = answer != 0;
}

static BLM_STAGED_EACH void blm_staged_open(blm_staged_work w, blm_staged_group *g, size_t begins)
{
    g->begins = begins;
    g->h = w.h + begins;
}

/* Reads `some` places of each of n keys, finds as many of the next group's; returns how many came through. */
static BLM_STAGED_EACH size_t blm_staged_some(const blm_staged_form *form, blm_staged_work w,
                                              blm_staged_group *g, size_t n, blm_staged_group *then,
                                              size_t next, unsigned some)
{
    size_t through = 0;
    for (size_t i = 0; g->found < some && i < n; i++)
        blm_staged_find(form, w, g, i, g->found, some);
    for (size_t i = 0; i < n; i++) {
        if (i < next) blm_staged_find(form, w, then, i, 0, some);
        const uint64_t all = blm_staged_read(form, w, g, i, 0, some, w.asked);
        blm_staged_tell(w, g->begins + i, all);
        g->key[through] = (uint8_t)i;
        g->answer[through] = all;
        through += all != 0;
    }
    for (size_t i = n; i < next; i++) blm_staged_find(form, w, then, i, 0, some);
    for (size_t i = 0; some < w.hashes && i < through; i++)
        blm_staged_find(form, w, g, g->key[i], some, w.hashes);
    g->left = some < w.hashes ? through : 0;
    g->found = then->found = some;
    return through;
}

static BLM_STAGED_EACH void blm_staged_rest(const blm_staged_form *form, blm_staged_work w,
                                            blm_staged_group *g)
{
    for (size_t i = 0; i < g->left; i++)
        blm_staged_tell(w, g->begins + g->key[i],
                        blm_staged_read(form, w, g, g->key[i], g->found, w.hashes, g->answer[i]));
    g->left = 0;
}

static BLM_STAGED_EACH void blm_staged_ask(const blm_staged_form *form, blm_staged_work w)
{
    blm_staged_group room[3], *before = &room[0], *now = &room[1], *then = &room[2];
    bool members = false;
    before->left = now->left = now->found = 0;
    for (size_t at = 0; at < w.n; at += BLM_STAGED_KEYS) {
        const size_t here = w.n - at < BLM_STAGED_KEYS ? w.n - at : BLM_STAGED_KEYS,
                     behind = w.n - at - here + w.more;
        blm_staged_open(w, now, at);
        blm_staged_open(w, then, at + here);
        const size_t through = blm_staged_some(form, w, now, here, then,
                                               behind < BLM_STAGED_KEYS ? behind : BLM_STAGED_KEYS,
                                               members ? w.hashes : w.first);
        blm_staged_rest(form, w, before);
        members = through > here / 2;
        blm_staged_group *last = before;
        before = now, now = then, then = last;
    }
    blm_staged_rest(form, w, before);
}

/* An add reads and writes all its cells: all places are found and fetched a group ahead. put() gets those of key i of a
 * group; it tells whether the key was new. */
static BLM_STAGED_EACH void
blm_staged_add(const blm_staged_form *form, blm_staged_work w,
               bool (*put)(void *into, const blm_staged_group *g, size_t i), void *into)
{
    const unsigned k = w.hashes;
    blm_staged_group room[2], *now = &room[0], *then = &room[1];
    blm_staged_open(w, now, 0);
    for (size_t i = 0; i < w.n && i < BLM_STAGED_KEYS; i++) blm_staged_find(form, w, now, i, 0, k);
    for (size_t at = 0; at < w.n; at += BLM_STAGED_KEYS) {
        const size_t here = w.n - at < BLM_STAGED_KEYS ? w.n - at : BLM_STAGED_KEYS,
                     behind = w.n - at - here;
        blm_staged_open(w, then, at + here);
        for (size_t i = 0; i < here; i++) {
            if (i < behind) blm_staged_find(form, w, then, i, 0, k);
            const bool was_new = put(into, now, i);
            if (w.yes) w.yes[at + i] = was_new;
        }
        blm_staged_group *last = now;
        now = then, then = last;
    }
}

/* A put() that sets the bits at all places. */
typedef struct blm_staged_sum {
    uint8_t *cells;
    uint64_t ones;
    unsigned hashes;
} blm_staged_sum;

static inline bool blm_staged_put(void *into, const blm_staged_group *g, size_t i)
{
    blm_staged_sum *s = into;
    unsigned set = 0;
    for (unsigned j = 0; j < s->hashes; j++) set += blm_bit_set(s->cells, g->at[j][i]);
    s->ones += set;
    return set > 0;
}
#endif

/* staged_each.h - batches over one array, group by group: the loops of staged.c for single bits, and of columns.c for cells
 * of many.
 *
 * The places of the next group are found together, kept, and fetched one by one while the keys of this one are read. How many
 * of each key: the first ones, which reject most non-members. The keys that pass are counted up without gaps, so that their
 * other places are found together, too; these are fetched, and read one group later. Or all places at once, when most keys
 * of the group before passed: they are members. No branch depends on a cell.
 *
 * What a place is, and what is read there, are constants to whoever calls these functions, and all of it becomes one loop.
 */
#ifndef BLM_STAGED_EACH_H
#define BLM_STAGED_EACH_H
#include "core/bytes.h"
#include "core/kind.h"
#include "parts/bits.h"
#include "parts/keys.h"

#define BLM_STAGED_EACH inline __attribute__((always_inline))

enum { BLM_STAGED_KEYS = BLM_LANES_KEYS, BLM_STAGED_HASHES = 64, BLM_STAGED_TWO = 2 };

typedef struct blm_staged_form {
    /* Place j, from `from` to below `to`, of key i of n is at[j][i]; column at[hashes] is the form's own. */
    void (*find)(const void *self, const blm_hash *h, size_t n, unsigned from, unsigned to,
                 blm_lanes_column *at);
    /* The number of the bit where it begins. */
    uint64_t (*bit)(const void *self, const blm_lanes_column *at, size_t i, unsigned j);
    /* What a key's reads at these bits have in common is its answer. */
    uint64_t (*read)(const void *self, uint64_t bit);
} blm_staged_form;

typedef struct blm_staged_group {
    /* The places of its keys; from `found` on, those of keys that came through. */
    blm_lanes_column at[BLM_STAGED_HASHES + 1];
    /* So far, of those that came through. Where a 1 is asked it is that, and not kept. */
    uint64_t answer[BLM_STAGED_KEYS];
    unsigned found; /* how many of each key */
    const blm_hash *h;
    size_t begins; /* the first key's number */
    size_t left;   /* keys that came through, and have more places to read */
    uint8_t key[BLM_STAGED_KEYS];
    blm_hash room[BLM_STAGED_KEYS]; /* for hashes that are made here */
} blm_staged_group;

/* All that a batch has in common; by value, so that no write to an answer could be one to it. Answers go into one of yes
 * (is there any?) and answers; the other one is NULL. */
typedef struct blm_staged_work {
    const void *self;
    const uint8_t *cells;
    blm_keys keys;
    size_t n, more;
    unsigned hashes, first;
    uint64_t asked; /* the bits of an answer that count */
    uint8_t *yes;
    uint64_t *answers;
} blm_staged_work;

/* Fetches that come one by one with the reads of other keys wait less than many at once. */
static BLM_STAGED_EACH void blm_staged_fetch(const blm_staged_form *form, blm_staged_work w,
                                             const blm_staged_group *g, size_t i, unsigned from,
                                             unsigned to)
{
    for (unsigned j = from; j < to; j++) blm_fetch(w.cells + form->bit(w.self, g->at, i, j) / 8);
}

static BLM_STAGED_EACH uint64_t blm_staged_read(const blm_staged_form *form, blm_staged_work w,
                                                const blm_staged_group *g, size_t i, unsigned from,
                                                unsigned to, uint64_t all)
{
    for (unsigned j = from; j < to; j++) all &= form->read(w.self, form->bit(w.self, g->at, i, j));
    return all;
}

static BLM_STAGED_EACH void blm_staged_tell(blm_staged_work w, size_t i, uint64_t answer)
{
    if (w.answers)
        w.answers[i] = answer;
    else
        w.yes[i] = answer != 0;
}

static BLM_STAGED_EACH size_t blm_staged_keys(size_t left)
{
    return left < BLM_STAGED_KEYS ? left : BLM_STAGED_KEYS;
}

static BLM_STAGED_EACH void blm_staged_open(blm_staged_work w, blm_staged_group *g, size_t begins,
                                            size_t n)
{
    g->begins = begins;
    g->h = blm_keys_take(&w.keys, begins, n, w.n + w.more, g->room);
}

/* Reads `some` places of each of n keys, finds as many of the next group's; returns how many came through. */
static BLM_STAGED_EACH size_t blm_staged_some(const blm_staged_form *form, blm_staged_work w,
                                              blm_staged_group *g, size_t n, blm_staged_group *then,
                                              size_t next, unsigned some)
{
    const blm_hash *h = g->h;
    const size_t begins = g->begins;
    blm_hash hash[BLM_STAGED_KEYS];
    size_t through = 0;
    if (g->found < some) {
        form->find(w.self, h, n, g->found, some, g->at);
        for (size_t i = 0; i < n; i++) blm_staged_fetch(form, w, g, i, g->found, some);
    }
    form->find(w.self, then->h, next, 0, some, then->at);
    for (size_t i = 0; i < n; i++) {
        if (i < next) blm_staged_fetch(form, w, then, i, 0, some);
        const uint64_t all = blm_staged_read(form, w, g, i, 0, some, w.asked);
        blm_staged_tell(w, begins + i, all);
        g->key[through] = (uint8_t)i;
        if (w.asked != 1) g->answer[through] = all;
        hash[through].lo = h[i].lo;
        through += all != 0;
    }
    for (size_t i = n; i < next; i++) blm_staged_fetch(form, w, then, i, 0, some);
    g->left = some < w.hashes ? through : 0;
    if (g->left) form->find(w.self, hash, through, some, w.hashes, g->at);
    for (size_t i = 0; i < g->left; i++) blm_staged_fetch(form, w, g, i, some, w.hashes);
    g->found = then->found = some;
    return through;
}

static BLM_STAGED_EACH void blm_staged_rest(const blm_staged_form *form, blm_staged_work w,
                                            blm_staged_group *g)
{
    for (size_t i = 0; i < g->left; i++) {
        const uint64_t all = w.asked == 1 ? 1 : g->answer[i];
        blm_staged_tell(w, g->begins + g->key[i],
                        blm_staged_read(form, w, g, i, g->found, w.hashes, all));
    }
    g->left = 0;
}

/* Where two places come first, as for single bits, loops over them are unrolled. */
static BLM_STAGED_EACH void blm_staged_ask(const blm_staged_form *form, blm_staged_work w)
{
    blm_staged_group room[3], *before = &room[0], *now = &room[1], *then = &room[2];
    bool members = false;
    before->left = now->left = now->found = 0;
    blm_staged_open(w, now, 0, blm_staged_keys(w.n + w.more));
    for (size_t at = 0; at < w.n; at += BLM_STAGED_KEYS) {
        const size_t here = blm_staged_keys(w.n - at),
                     next = blm_staged_keys(w.n - at - here + w.more);
        blm_staged_open(w, then, at + here, next);
        const size_t through =
            !members && w.first == BLM_STAGED_TWO
                ? blm_staged_some(form, w, now, here, then, next, BLM_STAGED_TWO)
                : blm_staged_some(form, w, now, here, then, next, members ? w.hashes : w.first);
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
    const size_t begin = blm_staged_keys(w.n);
    blm_staged_group room[2], *now = &room[0], *then = &room[1];
    blm_staged_open(w, now, 0, begin);
    form->find(w.self, now->h, begin, 0, k, now->at);
    for (size_t i = 0; i < begin; i++) blm_staged_fetch(form, w, now, i, 0, k);
    for (size_t at = 0; at < w.n; at += BLM_STAGED_KEYS) {
        const size_t here = blm_staged_keys(w.n - at), next = blm_staged_keys(w.n - at - here);
        blm_staged_open(w, then, at + here, next);
        form->find(w.self, then->h, next, 0, k, then->at);
        for (size_t i = 0; i < here; i++) {
            if (i < next) blm_staged_fetch(form, w, then, i, 0, k);
            const bool was_new = put(into, now, i);
            if (w.yes) w.yes[at + i] = was_new;
        }
        blm_staged_group *last = now;
        now = then, then = last;
    }
}

/* What a put() needs that sets the bits of key i. */
typedef struct blm_staged_sum {
    const void *self;
    uint8_t *cells;
    uint64_t ones;
    unsigned hashes;
} blm_staged_sum;

static BLM_STAGED_EACH bool blm_staged_set(const blm_staged_form *form, blm_staged_sum *s,
                                           const blm_staged_group *g, size_t i)
{
    unsigned set = 0;
    for (unsigned j = 0; j < s->hashes; j++)
        set += blm_bit_set(s->cells, form->bit(s->self, g->at, i, j));
    s->ones += set;
    return set > 0;
}
#endif

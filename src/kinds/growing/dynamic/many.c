/* many.c - many keys: a layer is asked for all of them, before the next one is. */
#include <string.h>

#include "dynamic.h"

enum { PIECE = 256 };

/* Layer i for n keys, the first of which are fetched here. */
static void ask(const blm_filter *f, uint32_t i, const blm_hash *h, size_t n, uint8_t *yes)
{
    blm_child_prefetch_many(f, i, h, n < BLM_AHEAD ? n : BLM_AHEAD);
    blm_child_has_many(f, i, h, NULL, n, 0, yes);
}

/* ---- add ------------------------------------------------------------------------------------------- */

/* fresh[i] is 0 where a layer other than `own` says maybe. */
static void not_elsewhere(const blm_filter *f, uint32_t own, const blm_hash *h, size_t n,
                          uint8_t *fresh)
{
    uint8_t yes[PIECE];
    for (uint32_t i = f->nchild; i-- > 0;) {
        if (i == own) continue;
        ask(f, i, h, n, yes);
        for (size_t j = 0; j < n; j++) fresh[j] &= !yes[j];
    }
}

/* What fits into the layer, at once. */
blm_err blm_dynamic_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *fresh, size_t *done)
{
    blm_err err = BLM_OK;
    size_t at = 0, went = 0;
    (void)a;
    (void)more;
    for (; at < n && !err; at += went) {
        uint32_t i;
        went = 0;
        if ((err = blm_dynamic_room(f, &i))) break;
        blm_filter *c = f->child[i];
        const uint64_t room = f->capacity - c->adds, max = fresh ? PIECE : n;
        size_t run = n - at < max ? n - at : (size_t)max;
        if (run > room) run = (size_t)room;
        blm_child_prefetch_many(f, i, h + at, run);
        err = c->kind->add_many(c, h + at, NULL, run, 0, fresh ? fresh + at : NULL, &went);
        blm_count_adds(c, went);
        if (fresh) not_elsewhere(f, i, h + at, went, fresh + at);
    }
    *done = at;
    return err;
}

/* ---- delete ------------------------------------------------------------------------------------------ */

typedef struct
    verdicts { /* of a piece of keys: the first two layers that say maybe, the newest first */
    uint16_t layer[2][PIECE];
    uint8_t said[PIECE]; /* 0, 1, 2: two or more */
} verdicts;

static void ask_all(const blm_filter *f, const blm_hash *h, size_t n, verdicts *v)
{
    uint8_t yes[PIECE];
    memset(v->said, 0, n);
    for (uint32_t i = f->nchild; i-- > 0;) {
        ask(f, i, h, n, yes);
        for (size_t j = 0; j < n; j++) {
            if (!yes[j] || v->said[j] == 2) continue;
            v->layer[v->said[j]++][j] = (uint16_t)i;
        }
    }
}

/* Deletes that came after the question lower counters, so a layer that said no says no still, and one that said maybe is
 * asked again. */
static blm_err del_one(blm_filter *f, blm_hash h, const verdicts *v, size_t j)
{
    const blm_item it = {h, NULL, 8, BLM_NO_ARG};
    if (!v->said[j]) return BLM_E_ABSENT;
    const uint32_t first = v->layer[0][j];
    if (v->said[j] == 1) return blm_dynamic_del_from(f, first, h, &it);
    const bool both = blm_child_has(f, first, h, &it) && blm_child_has(f, v->layer[1][j], h, &it);
    if (both) return BLM_E_UNSURE;
    return blm_dynamic_del(f, h, &it);
}

/* Up to the key after which layers have moved: the others are asked anew. */
blm_err blm_dynamic_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *absent, size_t *done)
{
    verdicts v = {.said = {0}};
    blm_err err = BLM_OK;
    size_t at = 0;
    (void)a;
    (void)more;
    while (at < n && !err) {
        const size_t piece = n - at < PIECE ? n - at : PIECE;
        const uint32_t layers = f->nchild;
        ask_all(f, h + at, piece, &v);
        for (size_t j = 0; j < piece && !err && f->nchild == layers; j++, at += !err) {
            const uint8_t flag = blm_del_flag(&err, del_one(f, h[at], &v, j));
            if (absent && !err) absent[at] = flag;
        }
    }
    *done = at;
    return err;
}

/* ---- count ------------------------------------------------------------------------------------------- */

static void sum_up(blm_estimate *sum, const blm_estimate *part)
{
    sum->value += part->value;
    sum->low += part->low;
    sum->high += part->high;
    sum->bound = sum->bound || part->bound;
}

blm_err blm_dynamic_count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                               blm_estimate *times)
{
    blm_estimate part[PIECE];
    blm_err err = BLM_OK;
    (void)more;
    for (size_t at = 0; at < n && !err; at += PIECE) {
        const size_t piece = n - at < PIECE ? n - at : PIECE;
        for (size_t j = 0; j < piece; j++) times[at + j] = (blm_estimate){0, 0, 0, false};
        for (uint32_t i = f->nchild; i-- > 0 && !err;) {
            const blm_filter *c = f->child[i];
            if (!c->kind->count_many || c->salt) return BLM_E_IMAGE; /* nobody has looked at it */
            blm_child_prefetch_many(f, i, h + at, piece);
            err = c->kind->count_many(c, h + at, piece, 0, part);
            for (size_t j = 0; j < piece && !err; j++) sum_up(&times[at + j], &part[j]);
        }
    }
    return err;
}

/* many.c - adds in batches, with the cells that one add after the other would leave.
 *
 * A piece is asked in all layers at once. What none of them takes goes into the active layer in runs that cannot fill it more
 * than full; whether a key of the run was fresh by then, its add tells. When the layer is full the rest of the piece asks it
 * once more, because it has got keys since, and goes on with the next one.
 */
#include <string.h>

#include "parts/layers.h"
#include "scalable.h"

enum { MANY_PIECE = 256 };

typedef struct pending {
    blm_hash h[MANY_PIECE];
    uint8_t place[MANY_PIECE];
    size_t n;
} pending;
_Static_assert(MANY_PIECE == UINT8_MAX + 1, "a place in a piece is a byte");

/* Those of n, from `first` of them on, that are not taken. */
static void keep(pending *p, const blm_hash *h, const uint8_t *place, const uint8_t *taken,
                 size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        p->h[kept] = h[i];
        p->place[kept] = place ? place[i] : (uint8_t)i;
        kept += !taken[i];
    }
    p->n = kept;
}

/* The first n of them, all into one layer. */
static blm_err put_run(blm_filter *layer, const pending *p, size_t n, uint8_t *fresh)
{
    blm_hash own[MANY_PIECE];
    uint8_t news[MANY_PIECE];
    size_t done = 0, counted = 0;
    for (size_t i = 0; i < n; i++) own[i] = blm_child_hash(layer, p->h[i]);
    layer->kind->prefetch_many(layer, own, n < BLM_AHEAD ? n : BLM_AHEAD);
    const blm_err err = layer->kind->add_many(layer, own, NULL, n, 0, news, &done);
    for (size_t i = 0; i < done; i++) {
        counted += news[i];
        if (fresh) fresh[p->place[i]] = news[i];
    }
    blm_count_adds(layer, counted);
    return err;
}

static blm_err put_piece(blm_filter *f, pending *p, uint8_t *fresh)
{
    blm_err err = BLM_OK;
    while (p->n && !err) {
        uint8_t taken[MANY_PIECE];
        blm_filter *layer = blm_scalable_active(f);
        const uint64_t room = layer->adds < layer->capacity ? layer->capacity - layer->adds : p->n;
        const size_t run = room < p->n ? (size_t)room : p->n, rest = p->n - run;
        err = put_run(layer, p, run, fresh);
        if (err || !rest) break;
        memset(taken, 0, rest);
        if (layer->adds >= layer->capacity) {
            uint32_t i = 0;
            while (f->child[i] != layer) i++;
            blm_child_prefetch_many(f, i, p->h + run, rest);
            blm_child_has_many(f, i, p->h + run, NULL, rest, 0, taken);
        }
        keep(p, p->h + run, p->place + run, taken, rest);
    }
    return err;
}

blm_err blm_scalable_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *fresh, size_t *done)
{
    blm_err err = BLM_OK;
    size_t at = 0;
    (void)a;
    for (size_t now = 0; at < n && !err; at += err ? 0 : now) {
        uint8_t yes[MANY_PIECE];
        pending p;
        now = n - at < MANY_PIECE ? n - at : MANY_PIECE;
        blm_layers_has_many(f, h + at, NULL, now, n - at - now + more, yes);
        if (fresh) memset(fresh + at, 0, now);
        keep(&p, h + at, NULL, yes, now);
        err = put_piece(f, &p, fresh ? fresh + at : NULL);
    }
    *done = at;
    return err;
}

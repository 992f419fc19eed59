/* cells.c - one counter up, one down: a bit of a layer, and room for it in the layer below. */
#include "cells.h"

/* A walk from layer to layer. Bits are places in layer 0 where the layer is 0, else in the page. */
typedef struct walk {
    const uint8_t *bits;
    blm_page page;
    unsigned group, layer; /* of the page; where the walk is */
    uint64_t from, len;    /* this layer of the group */
    uint64_t rank;         /* the counter's place in it */
    uint64_t above;        /* the bit one layer up, which is 1 */
} walk;

static walk walk_from(const blm_multilayer *c, uint64_t at)
{
    const uint64_t group = at / MULTILAYER_GROUP, from = group * MULTILAYER_GROUP,
                   left = c->flat.cells - from, page = blm_multilayer_page_of(c, at);
    return (walk){.bits = c->flat.base.cells,
                  .page = blm_multilayer_page(c, page),
                  .group = (unsigned)(group - page * c->pages.a_page),
                  .from = from,
                  .len = left < MULTILAYER_GROUP ? left : MULTILAYER_GROUP,
                  .rank = at - from};
}

static bool walk_bit(const walk *w)
{
    return w->rank < w->len && blm_bit_get(w->bits, w->from + w->rank);
}

/* One layer down. What forged lengths say ends with the page. */
static void walk_down(walk *w)
{
    const blm_pool_ones n = blm_pool_count(w->bits, w->from, w->rank, w->len);
    const uint64_t room = blm_page_room(&w->page),
                   from = w->layer ? w->from + w->len : blm_page_start(&w->page, w->group);
    w->above = w->from + w->rank;
    w->bits = w->page.bits;
    w->from = from < room ? from : room;
    w->len = n.all < room - w->from ? n.all : room - w->from;
    w->rank = n.before;
    w->layer++;
}

/* To the layer that has the counter's zero; false: it has none. */
static bool walk_to_zero(walk *w)
{
    while (walk_bit(w)) {
        if (w->layer == MULTILAYER_LAYERS - 1) return false;
        walk_down(w);
    }
    return true;
}

unsigned blm_multilayer_value(const blm_multilayer *c, uint64_t at)
{
    if (!blm_bit_get(c->flat.base.cells, at)) return 0;
    walk w = walk_from(c, at);
    return walk_to_zero(&w) ? w.layer : MULTILAYER_TOP;
}

static uint8_t *layer_bits(const blm_multilayer *c, const walk *w, unsigned layer)
{
    return layer ? w->page.bits : c->flat.base.cells;
}

/* The zero becomes a one, and the next layer gets a zero: the shift right of the paper. */
void blm_multilayer_raise(blm_multilayer *c, uint64_t at)
{
    walk w = walk_from(c, at);
    if (!walk_to_zero(&w) || w.rank >= w.len) return;
    if (w.layer < MULTILAYER_LAYERS - 1) {
        walk next = w;
        walk_down(&next);
        blm_page_open(&w.page, w.group, next.from + next.rank, 1);
    }
    blm_bit_set(layer_bits(c, &w, w.layer), w.from + w.rank); /* it lies before the gap */
    c->flat.ones += w.layer == 0;
    c->stuck += w.layer == MULTILAYER_LAYERS - 1;
    c->sum++;
}

void blm_multilayer_lower(blm_multilayer *c, uint64_t at)
{
    walk w = walk_from(c, at);
    if (!walk_to_zero(&w) || w.rank >= w.len || !w.layer) return;
    blm_page_close(&w.page, w.group, w.from + w.rank, 1);
    blm_bit_clear(layer_bits(c, &w, w.layer - 1), w.above);
    c->flat.ones -= w.layer == 1;
    c->sum--;
}

/* Each counter wants a bit of its page, unless it is, or becomes, stuck. Values are looked up only where all bits would
 * not fit. */
static bool room_with(const blm_multilayer *c, const blm_multilayer_key *key, bool exact)
{
    uint64_t own[64];
    for (unsigned i = 0; i < key->n; i++) {
        own[i] = blm_multilayer_page_of(c, key->at[i]);
        const blm_page page = blm_multilayer_page(c, own[i]);
        uint64_t bits = blm_page_used(&page);
        for (unsigned j = 0; j <= i; j++)
            if (own[j] == own[i])
                bits += !exact || blm_multilayer_value(c, key->at[j]) < MULTILAYER_LAYERS - 1;
        if (bits > blm_page_room(&page)) return false;
    }
    return true;
}

bool blm_multilayer_room(const blm_multilayer *c, const blm_multilayer_key *key)
{
    return room_with(c, key, false) || room_with(c, key, true);
}

blm_err blm_multilayer_grow(blm_multilayer *c)
{
    uint64_t bytes;
    if (c->pool >= BLM_POOL_STEPS) return BLM_E_FULL;
    const blm_pool to = blm_multilayer_pages(c->flat.cells, c->spare, c->pool + 1u, &bytes);
    const blm_err err = blm_pool_grow(&c->flat.base, &c->pages, &to, bytes);
    if (err) return err;
    c->pages = to;
    c->pool++;
    c->flat.base.lost |= BLM_DEL_EXACT;
    return BLM_OK;
}

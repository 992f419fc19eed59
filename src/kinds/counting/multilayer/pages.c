/* pages.c - whole pages: read into counters, written from them, looked at. */
#include "cells.h"

enum { MULTILAYER_PAGE = BLM_POOL_GROUPS * MULTILAYER_GROUP };

/* The counters of a group that have reached a layer, in their order. */
typedef struct column {
    uint16_t of[MULTILAYER_GROUP];
    unsigned n;
} column;

static unsigned group_size(const blm_multilayer *c, uint64_t group)
{
    const uint64_t left = c->flat.cells - group * MULTILAYER_GROUP;
    return left < MULTILAYER_GROUP ? (unsigned)left : MULTILAYER_GROUP;
}

/* Groups of a page: as many in each, but in the last one. */
static unsigned groups_in(const blm_multilayer *c, uint64_t page)
{
    const uint64_t left = blm_pool_groups(c->flat.cells) - page * (uint64_t)c->pages.a_page;
    return left < c->pages.a_page ? (unsigned)left : c->pages.a_page;
}

/* v[i] of a group: its ones in all layers. */
static void read_group(const blm_multilayer *c, const blm_page *p, uint64_t group, unsigned own,
                       uint8_t *v)
{
    const uint64_t room = blm_page_room(p);
    uint64_t from = blm_page_start(p, own);
    column now = {.n = 0};
    for (unsigned i = 0; i < group_size(c, group); i++)
        if (blm_bit_get(c->flat.base.cells, group * MULTILAYER_GROUP + i))
            v[i] = 1, now.of[now.n++] = (uint16_t)i;
    for (unsigned layer = 1; now.n && layer < MULTILAYER_LAYERS; layer++) {
        const unsigned here = now.n;
        now.n = 0;
        for (unsigned i = 0; i < here && from < room; i++, from++)
            if (blm_bit_get(p->bits, from)) v[now.of[i]]++, now.of[now.n++] = now.of[i];
    }
}

/* What is past the last group is zero. */
static void read_page(const blm_multilayer *c, uint64_t page, uint8_t v[MULTILAYER_PAGE])
{
    const blm_page p = blm_pool_page(&c->pages, c->flat.base.cells, page);
    memset(v, 0, MULTILAYER_PAGE);
    for (unsigned g = 0; g < groups_in(c, page); g++)
        read_group(c, &p, page * c->pages.a_page + g, g, v + (size_t)g * MULTILAYER_GROUP);
}

/* Into zeros, from bit `at` on; returns where it ends. */
static uint64_t write_group(const blm_page *p, uint8_t *bits, uint64_t first, uint64_t at,
                            const uint8_t *v)
{
    column now = {.n = 0};
    for (unsigned i = 0; i < MULTILAYER_GROUP; i++)
        if (v[i]) blm_bit_set(bits, first + i), now.of[now.n++] = (uint16_t)i;
    for (unsigned layer = 1; now.n && layer < MULTILAYER_LAYERS; layer++) {
        const unsigned here = now.n;
        now.n = 0;
        for (unsigned i = 0; i < here; i++, at++)
            if (v[now.of[i]] > layer) blm_bit_set(p->bits, at), now.of[now.n++] = now.of[i];
    }
    return at;
}

static void write_page(const blm_multilayer *c, const blm_pool *to, uint8_t *cells, uint64_t page,
                       const uint8_t v[MULTILAYER_PAGE])
{
    const blm_page p = blm_pool_page(to, cells, page);
    uint64_t at = 0;
    for (unsigned g = 0; g < groups_in(c, page); g++) {
        const uint64_t first = (page * to->a_page + g) * MULTILAYER_GROUP,
                       end = write_group(&p, cells, first, at, v + (size_t)g * MULTILAYER_GROUP);
        blm_put16(p.head + (size_t)2 * g, (uint16_t)(end - at));
        at = end;
    }
}

/* ---- merge ------------------------------------------------------------------------------- */

typedef struct census {
    uint64_t ones, sum, stuck, bits; /* bits: of its strings */
} census;

/* v = the counters of both, up to 64. */
static census add_page(const blm_multilayer *c, const blm_multilayer *other, uint64_t page,
                       uint8_t v[MULTILAYER_PAGE])
{
    census n = {0, 0, 0, 0};
    uint8_t more[MULTILAYER_PAGE];
    read_page(c, page, v);
    read_page(other, page, more);
    for (unsigned i = 0; i < groups_in(c, page) * MULTILAYER_GROUP; i++) {
        const unsigned both = v[i] + more[i];
        v[i] = (uint8_t)(both < MULTILAYER_TOP ? both : MULTILAYER_TOP);
        n.ones += v[i] > 0;
        n.sum += v[i];
        n.stuck += v[i] == MULTILAYER_TOP;
        n.bits += v[i] - (unsigned)(v[i] == MULTILAYER_TOP);
    }
    return n;
}

/* Sums, in the smallest pages that hold them: as if all had been added to one filter. */
blm_err blm_multilayer_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_multilayer *c = (blm_multilayer *)f;
    const blm_multilayer *other = (const blm_multilayer *)g;
    census all = {0, 0, 0, 0};
    blm_region fresh;
    uint8_t v[MULTILAYER_PAGE], steps = 0;
    uint64_t bytes;
    for (uint64_t i = 0; i < c->pages.pages; i++) {
        const census n = add_page(c, other, i, v);
        all = (census){all.ones + n.ones, all.sum + n.sum, all.stuck + n.stuck,
                       n.bits > all.bits ? n.bits : all.bits};
    }
    blm_pool to = blm_multilayer_pages(c->flat.cells, c->spare, steps, &bytes);
    while (to.words * UINT64_C(64) < all.bits)
        to = blm_multilayer_pages(c->flat.cells, c->spare, ++steps, &bytes);
    const blm_err err = blm_recell(f, &fresh, bytes);
    if (err) return blm_fail(why, err, "no memory for %g bytes of cells", (double)bytes);
    for (uint64_t i = 0; i < c->pages.pages; i++) {
        add_page(c, other, i, v);
        write_page(c, &to, fresh.cells, i, v);
    }
    blm_commit(f, &fresh);
    c->pages = to;
    c->pool = steps;
    c->flat.ones = all.ones;
    c->sum = all.sum;
    c->stuck = all.stuck;
    if (c->stuck || c->pool) f->lost |= BLM_DEL_EXACT;
    return BLM_OK;
}

/* ---- check ------------------------------------------------------------------------------- */

/* Each layer is as long as the one above has ones, and all of them together as long as is said. */
static bool group_is_sound(const blm_multilayer *c, const blm_page *p, uint64_t group, unsigned own,
                           census *n)
{
    const uint64_t start = blm_page_start(p, own), end = start + blm_page_length(p, own);
    uint64_t from = start, ones = blm_bits_count_in(c->flat.base.cells, group * MULTILAYER_GROUP,
                                                    group_size(c, group));
    if (end > blm_page_room(p)) return false;
    n->ones += ones;
    n->sum += ones;
    for (unsigned layer = 1; ones && layer < MULTILAYER_LAYERS; layer++) {
        const uint64_t len = ones;
        if (len > end - from) return false;
        ones = blm_bits_count_in(p->bits, from, len);
        n->sum += ones;
        from += len;
    }
    n->stuck += ones;
    return from == end;
}

blm_err blm_multilayer_check(const blm_filter *f, blm_report *why)
{
    const blm_multilayer *c = (const blm_multilayer *)f;
    census n = {0, 0, 0, 0};
    bool sound = blm_bits_tail_zero(f->cells, c->pages.at, c->flat.cells);
    for (uint64_t i = 0; i < c->pages.pages && sound; i++) {
        blm_page p = blm_pool_page(&c->pages, f->cells, i);
        p.groups = groups_in(c, i);
        for (unsigned g = 0; g < p.groups && sound; g++)
            sound = group_is_sound(c, &p, i * c->pages.a_page + g, g, &n);
        for (unsigned g = p.groups; g < c->pages.a_page; g++)
            sound = sound && !blm_page_length(&p, g);
        p.groups = c->pages.a_page;
        sound = sound && blm_page_tidy(&p);
    }
    if (!sound)
        return blm_fail(why, BLM_E_IMAGE,
                        "damaged: a layer is not as long as the one above has ones, or a bit past "
                        "the last one is set");
    return n.ones == c->flat.ones && n.sum == c->sum && n.stuck == c->stuck
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE,
                          "damaged: the sum of the counters, or the number of used or stuck ones, "
                          "differs from its field");
}

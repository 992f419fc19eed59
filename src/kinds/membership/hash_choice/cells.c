/* cells.c - which k of L functions a group of keys takes. */
#include <bloomery/theory.h>

#include "cells.h"
#include "parts/probe.h"

typedef struct blm_choosing { /* keys of one group */
    const blm_hash *h;
    size_t n;
    uint8_t *uses;
    uint64_t cells;
} blm_choosing;

static inline uint8_t *place_of(const blm_choosing *c, size_t key, unsigned function)
{
    return c->uses + blm_place(c->h[key], function, c->cells);
}

/* Uses the bits of a function; returns how many nobody used. */
static uint64_t use(const blm_choosing *c, unsigned function)
{
    uint64_t fresh = 0;
    for (size_t i = 0; i < c->n; i++) {
        uint8_t *at = place_of(c, i, function);
        fresh += *at == 0;
        *at = (uint8_t)(*at + (*at < UINT8_MAX));
    }
    return fresh;
}

static void leave(const blm_choosing *c, unsigned function)
{
    for (size_t i = 0; i < c->n; i++) {
        uint8_t *at = place_of(c, i, function);
        *at = (uint8_t)(*at - (*at < UINT8_MAX));
    }
}

static uint64_t take(const blm_choosing *c, unsigned library, unsigned k)
{
    uint64_t taken = 0;
    for (unsigned i = 0; i < k; i++) {
        unsigned best = 0;
        uint64_t least = UINT64_MAX;
        for (unsigned j = 0; j < library; j++) {
            if (taken >> j & 1) continue;
            const uint64_t fresh = use(c, j);
            leave(c, j);
            if (fresh < least) least = fresh, best = j;
        }
        use(c, best);
        taken |= UINT64_C(1) << best;
    }
    return taken;
}

/* The number of the functions whose bits are set. */
static uint64_t rank_of(uint64_t functions)
{
    uint64_t rank = 0;
    for (unsigned i = 1; functions; i++, functions &= functions - 1)
        rank += blm_picks((unsigned)__builtin_ctzll(functions), i);
    return rank;
}

/* Where the keys of a group end that start at `from`. All that take() will read of them is on its way then: without
 * that, three quarters of a build of 10^7 keys were waiting. */
static size_t end_of(const blm_picks_of *t, const blm_rows *rows, const blm_choosing *c,
                     uint64_t group, size_t from)
{
    size_t to = from;
    for (; to < rows->n && blm_reduce(rows->h[to].lo, t->groups) == group; to++)
        for (unsigned j = 0; j < t->library; j++)
            blm_fetch(c->uses + blm_place(rows->h[to], j, c->cells));
    return to;
}

static void one_pass_over(const blm_picks_of *t, const blm_rows *rows, blm_choosing *c, bool again)
{
    size_t from = 0, to = end_of(t, rows, c, 0, 0);
    for (uint64_t group = 0; group < t->groups; group++) {
        const size_t next = group + 1 < t->groups ? end_of(t, rows, c, group + 1, to) : to;
        c->h = rows->h + from, c->n = to - from;
        from = to, to = next;
        for (blm_pick old = blm_pick_at(t, group); again && old.left;)
            leave(c, blm_pick_next(&old));
        const uint64_t taken = take(c, t->library, t->k);
        if (t->width) blm_packed_set(t->table, t->bytes, t->width, group, rank_of(taken));
    }
}

void blm_picks_make(const blm_picks_of *t, const blm_rows *rows, uint8_t *uses, uint64_t m,
                    unsigned passes)
{
    blm_choosing c = {NULL, 0, uses, m};
    for (unsigned pass = 0; pass < passes; pass++) one_pass_over(t, rows, &c, pass > 0);
}

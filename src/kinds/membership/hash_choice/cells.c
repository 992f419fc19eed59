/* cells.c - which k of L functions a group of keys takes. */
#include <bloomery/theory/choices.h>

#include "cells.h"
#include "parts/probe.h"

enum { PLACES_KEPT = 2048 };

typedef struct blm_choosing { /* keys of one group */
    const blm_rows *rows;     /* of all groups */
    size_t from, n;
    uint8_t *uses;
    uint64_t cells;
    unsigned library;
    uint64_t at
        [PLACES_KEPT]; /* where function j of key i counts: at[i * library + j], as far as there is room */
} blm_choosing;

static inline uint8_t *place_of(const blm_choosing *c, size_t key, unsigned function)
{
    const size_t i = key * c->library + function;
    return c->uses + (i < PLACES_KEPT
                          ? c->at[i]
                          : blm_place(blm_row_hash(c->rows, c->from + key), function, c->cells));
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
        uint64_t min = UINT64_MAX;
        for (unsigned j = 0; j < library; j++) {
            if (taken >> j & 1) continue;
            const uint64_t fresh = use(c, j);
            leave(c, j);
            if (fresh < min) min = fresh, best = j;
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

/* The keys of a group, which start at `from`. All that take() will read of them is on its way then: without that,
 * three quarters of a build of 10^7 keys were waiting. */
static void gather(const blm_picks_of *t, const blm_rows *rows, uint64_t group, size_t from,
                   blm_choosing *c)
{
    size_t to = from, kept = 0;
    for (; to < rows->n && blm_reduce(rows->lo[to], t->groups) == group; to++)
        for (unsigned j = 0; j < t->library; j++, kept++) {
            const uint64_t at = blm_place(blm_row_hash(rows, to), j, c->cells);
            if (kept < PLACES_KEPT) c->at[kept] = at;
            blm_fetch(c->uses + at);
        }
    c->rows = rows, c->from = from, c->n = to - from;
}

/* c: this group and the next one, in turn. */
static void one_pass_over(const blm_picks_of *t, const blm_rows *rows, blm_choosing c[2],
                          bool again)
{
    size_t to = 0;
    gather(t, rows, 0, 0, &c[0]);
    for (uint64_t group = 0; group < t->groups; group++) {
        const blm_choosing *now = &c[group % 2];
        to += now->n;
        if (group + 1 < t->groups) gather(t, rows, group + 1, to, &c[(group + 1) % 2]);
        for (blm_pick old = blm_pick_at(t, group); again && old.left;)
            leave(now, blm_pick_next(&old));
        const uint64_t taken = take(now, t->library, t->k);
        if (t->width) blm_packed_set(t->table, t->bytes, t->width, group, rank_of(taken));
    }
}

void blm_picks_make(const blm_picks_of *t, const blm_rows *rows, uint8_t *uses, uint64_t m,
                    unsigned passes)
{
    blm_choosing c[2];
    for (unsigned i = 0; i < 2; i++) {
        c[i].uses = uses;
        c[i].cells = m;
        c[i].library = t->library;
    }
    for (unsigned pass = 0; pass < passes; pass++) one_pass_over(t, rows, c, pass > 0);
}

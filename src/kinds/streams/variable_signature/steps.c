/* steps.c - each step clears one stripe, in turn; and a merge brings two filters to one time.
 *
 *     stripe s is bits floor(s m / S) to floor((s + 1) m / S) - 1, and step e clears stripe e modulo S
 */
#include "cells.h"

typedef struct stripe {
    uint64_t from, end;
} stripe;

/* S is at most m, and m at most 2^60: the product needs 128 bits, or the rest apart. */
static uint64_t edge(const blm_signatures *s, uint64_t i)
{
    const uint64_t m = s->flat.cells, n = s->stripes;
    return m / n * i + m % n * i / n;
}

static stripe stripe_of(const blm_signatures *s, uint64_t i)
{
    return (stripe){edge(s, i), edge(s, i + 1)};
}

/* The bits of the word at `at` that belong to the stripe, and where its next word begins. */
static uint64_t mask_of(stripe r, uint64_t at, uint64_t *next)
{
    uint64_t mask = UINT64_MAX << at % 64;
    *next = (at / 64 + 1) * 64;
    if (*next > r.end) mask &= (UINT64_C(1) << r.end % 64) - 1;
    return mask;
}

static void clear_stripe(blm_signatures *s, stripe r)
{
    uint8_t *cells = s->flat.base.cells;
    uint64_t gone = 0;
    for (uint64_t at = r.from, next; at < r.end; at = next) {
        const uint64_t mask = mask_of(r, at, &next), old = blm_le64(cells + at / 64 * 8);
        gone += blm_ones_of(old & mask);
        blm_put64(cells + at / 64 * 8, old & ~mask);
    }
    s->flat.ones -= gone < s->flat.ones ? gone : s->flat.ones;
}

/* After S steps all stripes have been cleared, however many steps there were. */
blm_err blm_signatures_tick(blm_filter *f, uint64_t now)
{
    blm_signatures *s = (blm_signatures *)f;
    const uint64_t steps = now - f->now;
    if (!steps) return BLM_OK;
    if (steps >= s->stripes) {
        memset(f->cells, 0, (size_t)f->bytes);
        s->flat.ones = s->reset = 0;
        return BLM_OK;
    }
    for (uint64_t i = 1; i <= steps; i++) clear_stripe(s, stripe_of(s, (f->now + i) % s->stripes));
    return BLM_OK;
}

/* The filter whose time is earlier is brought to that of the other one: f by a tick, g by leaving its stripes out that
 * the steps until then would have cleared. */
blm_err blm_signatures_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_signatures *s = (blm_signatures *)f;
    const blm_signatures *t = (const blm_signatures *)g;
    const uint64_t behind = f->now > g->now ? f->now - g->now : 0, stripes = s->stripes;
    (void)why;
    if (g->now > f->now) blm_signatures_tick(f, g->now);
    for (uint64_t i = 0; i < stripes; i++) {
        const stripe r = stripe_of(s, i);
        const uint64_t first = (i + stripes - (g->now % stripes + 1) % stripes) % stripes;
        if (first < behind) continue;
        for (uint64_t at = r.from, next; at < r.end; at = next) {
            const uint64_t mask = mask_of(r, at, &next);
            uint8_t *into = f->cells + at / 64 * 8;
            blm_put64(into, blm_le64(into) | (blm_le64(g->cells + at / 64 * 8) & mask));
        }
    }
    s->flat.ones = blm_bits_count(f->cells, f->bytes);
    s->reset = blm_sum_below(s->reset, t->reset, BLM_ADDS_MAX);
    return BLM_OK;
}

/* epochs.c - flows that nobody touches leave: all cells are swept when an epoch ends, some of them at a time.
 *
 *     lanes    [ rest | state | 1 | counter ][ rest | state | 0 | counter ][ ... ]
 *     kept     [        all ones            ][         all zero           ]           touched, over the whole lane
 *     after    [ rest | state | 0 | counter ][             0              ]
 */
#include "cells.h"

/* In use, and at their ceiling. */
static blm_census lanes_census(const blm_prints *p, uint64_t lanes)
{
    const uint64_t full = lanes & lanes >> 1 & p->ones; /* both bits of a counter */
    return (blm_census){(uint64_t)__builtin_popcountll(blm_prints_some(p, lanes & p->tail_bits)),
                        (uint64_t)__builtin_popcountll(full)};
}

/* `n` cells from `at` on, which are one load at most; returns the census of those that stay. */
static blm_census sweep_lanes(const blm_prints *p, blm_filter *f, uint64_t at, unsigned n)
{
    const blm_packed_at s = blm_packed_find(f->bytes, p->bits, at);
    const uint64_t whole = blm_packed_top(n * p->bits), touched = p->ones << FLOW_COUNTER;
    const uint64_t word = blm_le64(f->cells + s.byte), lanes = word >> s.shift & whole;
    const uint64_t kept = ((lanes & touched) >> FLOW_COUNTER) * blm_packed_top(p->bits),
                   after = lanes & kept & ~touched;
    blm_put64(f->cells + s.byte, (word & ~(whole << s.shift)) | after << s.shift);
    return lanes_census(p, after);
}

static void sweep(blm_state_machine *s)
{
    const blm_prints *p = &s->now;
    const uint64_t cells = blm_prints_cells(p);
    blm_census stay = {0, 0};
    for (uint64_t at = 0; at < cells; at += p->run) {
        const unsigned n = cells - at < p->run ? (unsigned)(cells - at) : p->run;
        stay = blm_census_plus(stay, sweep_lanes(p, &s->base, at, n));
    }
    s->used = stay.used;
    s->stuck = stay.stuck;
}

/* Time is the number of the epoch. After two epochs nothing has been touched since the last but one. */
blm_err blm_state_machine_tick(blm_filter *f, uint64_t now)
{
    blm_state_machine *s = (blm_state_machine *)f;
    if (now - f->now > 1) {
        memset(f->cells, 0, (size_t)f->bytes);
        s->used = s->stuck = 0;
    } else if (now != f->now) {
        sweep(s);
    }
    return BLM_OK;
}

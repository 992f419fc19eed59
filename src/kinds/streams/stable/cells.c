/* cells.c - cells that fall: one step, and many. */
#include <string.h>

#include "cells.h"

/* Cells that nobody has checked may be fewer or more than the field says. */
static void gone(blm_stable *s, uint64_t n) { s->used -= n < s->used ? n : s->used; }

static void lower_each(blm_stable *s, uint64_t random)
{
    const blm_counters all = blm_stable_all(s);
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < s->picks; i++) {
        const uint64_t at = blm_reduce(blm_stream(random, (unsigned)i), s->cells);
        const uint64_t v = blm_counters_get(&all, at);
        if (v) blm_packed_set(all.cells, all.bytes, all.width, at, v - 1);
        zeros += v == 1;
    }
    gone(s, zeros);
}

static void lower_run(blm_stable *s, uint64_t random)
{
    uint8_t *const cells = s->base.cells;
    const uint64_t first = blm_reduce(random, s->cells), to_end = s->cells - first;
    const uint64_t n = s->picks < to_end ? s->picks : to_end;
    gone(s, blm_lowering_run(&s->lowering, cells, s->base.bytes, first, n) +
                blm_lowering_run(&s->lowering, cells, s->base.bytes, 0, s->picks - n));
}

void blm_stable_lower(blm_stable *s)
{
    const uint64_t random = blm_stable_random(s, ++s->steps);
    if (s->each)
        lower_each(s, random);
    else
        lower_run(s, random);
}

/* Idle steps only lower. When nothing is left, or the limit is reached, they are counted
 * and no more; where they stand in the stream of random numbers is the same either way. */
blm_err blm_stable_tick(blm_filter *f, uint64_t now)
{
    blm_stable *s = (blm_stable *)f;
    uint64_t n = now - f->now;
    s->idle = blm_sum_below(s->idle, n, s->limit);
    if (s->idle == s->limit && s->used) {
        memset(f->cells, 0, (size_t)f->bytes);
        s->used = 0;
    }
    for (; n && s->used && s->picks; n--) blm_stable_lower(s);
    s->steps += n;
    return BLM_OK;
}

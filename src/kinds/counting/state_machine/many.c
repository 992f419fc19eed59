/* many.c - batches: the searches are those of parts/prints.h; states go with them as payloads. */
#include "cells.h"

enum { FLOW_PIECE = 256 };

void blm_state_machine_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                size_t more, uint8_t *yes)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    (void)a;
    s->now.many->has(&s->now, f, &(blm_prints_batch){h, n, more, s->range}, yes);
}

blm_err blm_state_machine_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                   size_t more, uint8_t *fresh, size_t *done)
{
    blm_state_machine *s = (blm_state_machine *)f;
    blm_err err = BLM_OK;
    *done = 0;
    while (*done < n && !err) {
        uint64_t payload[FLOW_PIECE];
        const size_t at = *done, left = n - at, run = left < FLOW_PIECE ? left : FLOW_PIECE;
        const blm_prints_batch b = {h + at, run, left - run + more, s->range};
        blm_census sum = {0, 0};
        size_t went = 0;
        for (size_t i = 0; i < run; i++) payload[i] = blm_flow_payload(a[at + i]);
        err = s->now.many->add(&s->now, f, &b, &(blm_prints_own){payload, blm_flow_add},
                               fresh ? fresh + at : NULL, &went, &sum);
        s->used += sum.used;
        s->stuck += sum.stuck;
        *done += went;
    }
    return err;
}

blm_err blm_state_machine_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                   size_t more, uint8_t *absent, size_t *done)
{
    blm_state_machine *s = (blm_state_machine *)f;
    (void)a;
    s->used -= s->now.many->del(&s->now, f, &(blm_prints_batch){h, n, more, s->range}, absent);
    *done = n;
    return BLM_OK;
}

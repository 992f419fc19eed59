/* many.c - batches: a fingerprint is a hash brought into the range, the rest is parts/prints.h. */
#include "cells.h"

static blm_prints_batch dleft_batch(const blm_filter *f, const blm_hash *h, size_t n, size_t more)
{
    return (blm_prints_batch){h, n, more, ((const blm_dleft *)f)->range};
}

void blm_dleft_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                        size_t more, uint8_t *yes)
{
    const blm_prints_batch b = dleft_batch(f, h, n, more);
    (void)a;
    const blm_prints *p = &((const blm_dleft *)f)->now;
    p->many->has(p, f, &b, yes);
}

blm_err blm_dleft_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *fresh, size_t *done)
{
    blm_dleft *s = (blm_dleft *)f;
    const blm_prints_batch b = dleft_batch(f, h, n, more);
    blm_census sum = {0, 0};
    (void)a;
    const blm_err err = s->now.many->add(&s->now, f, &b, NULL, fresh, done, &sum);
    blm_dleft_changed(s, sum);
    return err;
}

blm_err blm_dleft_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *absent, size_t *done)
{
    blm_dleft *s = (blm_dleft *)f;
    const blm_prints_batch b = dleft_batch(f, h, n, more);
    (void)a;
    s->used -= s->now.many->del(&s->now, f, &b, absent);
    *done = n;
    return BLM_OK;
}

blm_err blm_dleft_count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                             blm_estimate *times)
{
    const blm_prints_batch b = dleft_batch(f, h, n, more);
    const blm_prints *p = &((const blm_dleft *)f)->now;
    p->many->count(p, f, &b, times);
    return BLM_OK;
}

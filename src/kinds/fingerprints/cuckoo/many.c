/* many.c - batches: the buckets of a key are found once, when they are fetched.
 *
 *     ring   | key i + 64 | key i + 1 | key i + 2 | ... | key i + 63 |     where their buckets are
 *                 ^ was key i: searched, then found and fetched anew
 *
 * No branch depends on a bucket. How buckets are read is a constant of each loop.
 */
#include "cells.h"

#define CUCKOO_EACH inline __attribute__((always_inline))

/* A bucket is one load; some loads; sorted. */
typedef enum cuckoo_form { CUCKOO_AS_ONE, CUCKOO_AS_SOME, CUCKOO_AS_SORTED } cuckoo_form;

static cuckoo_form form_of(const blm_cuckoo *s)
{
    return s->form ? CUCKOO_AS_SORTED : s->now.run == s->now.slots ? CUCKOO_AS_ONE : CUCKOO_AS_SOME;
}

static CUCKOO_EACH void cuckoo_next(const blm_cuckoo *s, blm_cuckoo_place *x, blm_hash h,
                                    bool fetch)
{
    *x = blm_cuckoo_find(s, blm_cuckoo_print(s, h));
    for (unsigned i = 0; fetch && i < 2; i++) blm_cuckoo_fetch(s, x->at[i]);
}

static CUCKOO_EACH blm_cuckoo_seen cuckoo_see_as(const blm_cuckoo *s, uint64_t bucket,
                                                 uint64_t rest, cuckoo_form form)
{
    if (form == CUCKOO_AS_SORTED) return blm_cuckoo_seen_sorted(s, bucket, rest);
    if (form == CUCKOO_AS_SOME) return blm_cuckoo_seen_plain(s, bucket, rest);
    return blm_cuckoo_seen_one(&s->now, blm_cuckoo_bits(s, bucket * s->wide), rest);
}

static CUCKOO_EACH bool cuckoo_among(const blm_cuckoo *s, const blm_cuckoo_place *x,
                                     cuckoo_form form)
{
    const blm_prints *p = &s->now;
    if (form != CUCKOO_AS_ONE)
        return cuckoo_see_as(s, x->at[0], x->rest, form).same +
                   cuckoo_see_as(s, x->at[1], x->rest, form).same >
               0;
    const uint64_t want = x->rest * p->ones, a = blm_cuckoo_bits(s, x->at[0] * s->wide) ^ want,
                   b = blm_cuckoo_bits(s, x->at[1] * s->wide) ^ want;
    return (blm_prints_some(p, a) & blm_prints_some(p, b)) != p->top;
}

static CUCKOO_EACH void cuckoo_has_as(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                                      uint8_t *yes, cuckoo_form form)
{
    const blm_cuckoo s = *(const blm_cuckoo *)f; /* no answer that is written can change it */
    blm_cuckoo_place ring[BLM_AHEAD];
    for (size_t i = 0; i < BLM_AHEAD && i < n; i++) cuckoo_next(&s, &ring[i], h[i], false);
    for (size_t i = 0; i < n; i++) {
        blm_cuckoo_place *x = &ring[i % BLM_AHEAD];
        yes[i] = cuckoo_among(&s, x, form);
        if (i + BLM_AHEAD < n + more) cuckoo_next(&s, x, h[i + BLM_AHEAD], true);
    }
}

void blm_cuckoo_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    const cuckoo_form form = form_of((const blm_cuckoo *)f);
    (void)a;
    if (form == CUCKOO_AS_ONE)
        cuckoo_has_as(f, h, n, more, yes, CUCKOO_AS_ONE);
    else if (form == CUCKOO_AS_SOME)
        cuckoo_has_as(f, h, n, more, yes, CUCKOO_AS_SOME);
    else
        cuckoo_has_as(f, h, n, more, yes, CUCKOO_AS_SORTED);
}

static CUCKOO_EACH blm_err cuckoo_add_as(blm_filter *f, const blm_hash *h, size_t n, size_t more,
                                         uint8_t *fresh, size_t *done, cuckoo_form form)
{
    blm_cuckoo *s = (blm_cuckoo *)f;
    blm_cuckoo_place ring[BLM_AHEAD];
    blm_err err = BLM_OK;
    size_t i = 0;
    for (; i < BLM_AHEAD && i < n; i++) cuckoo_next(s, &ring[i], h[i], false);
    for (i = 0; i < n; i++) {
        blm_cuckoo_place *x = &ring[i % BLM_AHEAD];
        bool is_new;
        err = blm_cuckoo_put(s, x, cuckoo_see_as(s, x->at[0], x->rest, form),
                             cuckoo_see_as(s, x->at[1], x->rest, form), &is_new);
        if (err) break;
        if (fresh) fresh[i] = is_new;
        if (i + BLM_AHEAD < n + more) cuckoo_next(s, x, h[i + BLM_AHEAD], true);
    }
    *done = i;
    return err;
}

blm_err blm_cuckoo_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *fresh, size_t *done)
{
    const cuckoo_form form = form_of((const blm_cuckoo *)f);
    (void)a;
    return form == CUCKOO_AS_ONE    ? cuckoo_add_as(f, h, n, more, fresh, done, CUCKOO_AS_ONE)
           : form == CUCKOO_AS_SOME ? cuckoo_add_as(f, h, n, more, fresh, done, CUCKOO_AS_SOME)
                                    : cuckoo_add_as(f, h, n, more, fresh, done, CUCKOO_AS_SORTED);
}

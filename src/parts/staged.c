/* staged.c - standard's batches. */
#include "parts/staged.h"
#include "parts/staged_each.h"

static inline void staged_find(const void *self, const blm_hash *h, size_t n, unsigned from,
                               unsigned to, blm_lanes_column *at)
{
    blm_lanes_best()->places(h, n, ((const blm_flat *)self)->cells, from, to, at);
}

static inline uint64_t staged_bit(const void *self, const blm_lanes_column *at, size_t i,
                                  unsigned j)
{
    (void)self;
    return at[j][i];
}

static inline uint64_t staged_read(const void *self, uint64_t bit)
{
    const uint8_t *cells = ((const blm_flat *)self)->base.cells;
    return blm_le64(cells + bit / 64 * 8) >> bit % 64 & 1;
}

static const blm_staged_form staged_form = {staged_find, staged_bit, staged_read};

static inline bool staged_set(void *into, const blm_staged_group *g, size_t i)
{
    return blm_staged_set(&staged_form, into, g, i);
}

static inline blm_staged_work staged_work(const blm_filter *f, blm_keys keys, size_t n, size_t more,
                                          uint8_t *yes)
{
    const unsigned k = ((const blm_flat *)f)->hashes;
    return (blm_staged_work){.self = f,
                             .cells = f->cells,
                             .keys = keys,
                             .n = n,
                             .more = more,
                             .hashes = k,
                             .first = k < BLM_STAGED_TWO ? k : BLM_STAGED_TWO,
                             .asked = 1,
                             .yes = yes};
}

static inline void staged_ask(const blm_filter *f, blm_keys keys, size_t n, size_t more,
                              uint8_t *yes)
{
    const blm_flat copy = *(const blm_flat *)f; /* no write to an answer could be one to it */
    blm_staged_ask(&staged_form, staged_work(&copy.base, keys, n, more, yes));
}

static inline void staged_put(blm_filter *f, blm_keys keys, size_t n, uint8_t *fresh)
{
    blm_flat *s = (blm_flat *)f;
    blm_staged_sum sum = {f, f->cells, 0, s->hashes};
    blm_staged_add(&staged_form, staged_work(f, keys, n, 0, fresh), staged_set, &sum);
    s->ones += sum.ones;
}

void blm_staged_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes)
{
    (void)a;
    staged_ask(f, (blm_keys){h, NULL, 0}, n, more, yes);
}

void blm_staged_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes)
{
    staged_ask(f, (blm_keys){NULL, key, f->seed}, n, 0, yes);
}

blm_err blm_staged_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *fresh, size_t *done)
{
    (void)a, (void)more;
    staged_put(f, (blm_keys){h, NULL, 0}, n, fresh);
    *done = n;
    return BLM_OK;
}

void blm_staged_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh)
{
    staged_put(f, (blm_keys){NULL, key, f->seed}, n, fresh);
}

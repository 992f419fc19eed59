/* staged_flat.h - the batches of a kind whose bits lie in one array (flat.h), by the loops of staged_each.h. */
#ifndef BLM_STAGED_FLAT_H
#define BLM_STAGED_FLAT_H
#include "parts/flat.h"
#include "parts/staged_each.h"

static BLM_STAGED_EACH blm_staged_work blm_staged_flat(const void *self, blm_keys keys, size_t n,
                                                       size_t more, uint8_t *yes)
{
    const blm_flat *s = self;
    return (blm_staged_work){.self = self,
                             .cells = s->base.cells,
                             .keys = keys,
                             .n = n,
                             .more = more,
                             .hashes = s->hashes,
                             .first = s->hashes < BLM_STAGED_TWO ? s->hashes : BLM_STAGED_TWO,
                             .asked = 1,
                             .yes = yes};
}

/* The bit of a place, for a form that reads single bits. */
static inline uint64_t blm_staged_one(const void *self, uint64_t bit)
{
    return blm_le64(((const blm_flat *)self)->base.cells + bit / 64 * 8) >> bit % 64 & 1;
}

/* BLM_STAGED_CALLS(static, K, TYPE) stamps K_has_many, K_has_u64, K_add_many and K_add_u64 out of K_form_of. TYPE is the
 * struct of the kind, which begins with blm_flat. A question works on a copy of it: no write to an answer could be one to
 * the copy. */
#define BLM_STAGED_CALLS(SCOPE, K, TYPE)                                                           \
    static inline bool K##_set_of(void *into, const blm_staged_group *g, size_t i)                 \
    {                                                                                              \
        return blm_staged_set(&K##_form_of, into, g, i);                                           \
    }                                                                                              \
    static inline void K##_ask_of(const blm_filter *f, blm_keys keys, size_t n, size_t more,       \
                                  uint8_t *yes)                                                    \
    {                                                                                              \
        const TYPE copy = *(const TYPE *)(const void *)f;                                          \
        blm_staged_ask(&K##_form_of, blm_staged_flat(&copy, keys, n, more, yes));                  \
    }                                                                                              \
    static inline void K##_put_of(blm_filter *f, blm_keys keys, size_t n, uint8_t *fresh)          \
    {                                                                                              \
        blm_flat *s = (blm_flat *)f;                                                               \
        blm_staged_sum sum = {f, f->cells, 0, s->hashes};                                          \
        blm_staged_add(&K##_form_of, blm_staged_flat(f, keys, n, 0, fresh), K##_set_of, &sum);     \
        s->ones += sum.ones;                                                                       \
    }                                                                                              \
    SCOPE void K##_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,   \
                            size_t more, uint8_t *yes)                                             \
    {                                                                                              \
        (void)a;                                                                                   \
        K##_ask_of(f, (blm_keys){h, NULL, 0}, n, more, yes);                                       \
    }                                                                                              \
    SCOPE void K##_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes)       \
    {                                                                                              \
        K##_ask_of(f, (blm_keys){NULL, key, f->seed}, n, 0, yes);                                  \
    }                                                                                              \
    SCOPE blm_err K##_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,      \
                               size_t more, uint8_t *fresh, size_t *done)                          \
    {                                                                                              \
        (void)a, (void)more;                                                                       \
        K##_put_of(f, (blm_keys){h, NULL, 0}, n, fresh);                                           \
        *done = n;                                                                                 \
        return BLM_OK;                                                                             \
    }                                                                                              \
    SCOPE void K##_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh)           \
    {                                                                                              \
        K##_put_of(f, (blm_keys){NULL, key, f->seed}, n, fresh);                                   \
    }
#endif

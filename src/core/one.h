/* one.h - stamps the rows of one key (blm_one) out of a kind's question and add.
 *
 * A call of blm_has_u64 is then: two loads, a jump, the hash, the cells. Neighbouring calls overlap in the processor,
 * because nothing that is read decides a branch before the answer.
 */
#ifndef BLM_ONE_H
#define BLM_ONE_H
#include "core/kind.h"
#include "core/xxh3.h"

/* Keys of other lengths, and no key, are a function of their own: a call in the row of a key would make it save
 * registers for every key. */
#if defined(__GNUC__)
#define BLM_ONE_RARE __attribute__((noinline))
#else
#define BLM_ONE_RARE
#endif

/* BLM_ONE(target, name, has, add): static const blm_one `name`, compiled for `target` (an attribute, or nothing). has(f, hash)
 * and add(f, hash) are inline and take the 64 bits of XXH3; such an add never fails. */
#define BLM_ONE(target, name, has, add)                                                            \
    target BLM_ONE_RARE static bool name##_has_any(const blm_filter *f, const void *key,           \
                                                   size_t len)                                     \
    {                                                                                              \
        if (!key && len) return false;                                                             \
        return has(f, blm_xxh3_any(key, len, f->seed));                                            \
    }                                                                                              \
    target static bool name##_has(const blm_filter *f, const void *key, size_t len)                \
    {                                                                                              \
        if (!key || !blm_xxh3_is_inlined(len)) return name##_has_any(f, key, len);                 \
        return has(f, blm_xxh3_17_to_64(key, len, f->seed));                                       \
    }                                                                                              \
    target static bool name##_has_u64(const blm_filter *f, uint64_t key)                           \
    {                                                                                              \
        return has(f, blm_xxh3_u64(blm_xxh3_flip(f->seed), key));                                  \
    }                                                                                              \
    target BLM_ONE_RARE static blm_err name##_add_any(blm_filter *f, const void *key, size_t len)  \
    {                                                                                              \
        if (f->adds >= f->look || (!key && len)) return blm_any_add(f, key, len);                  \
        add(f, blm_xxh3_any(key, len, f->seed));                                                   \
        blm_count_adds(f, 1);                                                                      \
        return BLM_OK;                                                                             \
    }                                                                                              \
    target static blm_err name##_add(blm_filter *f, const void *key, size_t len)                   \
    {                                                                                              \
        if (f->adds >= f->look || !key || !blm_xxh3_is_inlined(len))                               \
            return name##_add_any(f, key, len);                                                    \
        add(f, blm_xxh3_17_to_64(key, len, f->seed));                                              \
        blm_count_adds(f, 1);                                                                      \
        return BLM_OK;                                                                             \
    }                                                                                              \
    target static blm_err name##_add_u64(blm_filter *f, uint64_t key)                              \
    {                                                                                              \
        if (f->adds >= f->look) return blm_any_add_u64(f, key);                                    \
        add(f, blm_xxh3_u64(blm_xxh3_flip(f->seed), key));                                         \
        blm_count_adds(f, 1);                                                                      \
        return BLM_OK;                                                                             \
    }                                                                                              \
    static const blm_one name = {name##_has, name##_has_u64, name##_add, name##_add_u64}

/* BLM_ONE_OF(standard) stamps standard_one(), the kind's `one`, out of its static inline standard_has and standard_add,
 * which look at h alone and whose add never fails. */
#define BLM_ONE_OF(K)                                                                              \
    static inline bool K##_one_has_hash(const blm_filter *f, uint64_t hash)                        \
    {                                                                                              \
        return K##_has(f, (blm_hash){hash, blm_mix(hash)}, NULL);                                  \
    }                                                                                              \
    static inline void K##_one_add_hash(blm_filter *f, uint64_t hash)                              \
    {                                                                                              \
        bool fresh;                                                                                \
        K##_add(f, (blm_hash){hash, blm_mix(hash)}, NULL, &fresh);                                 \
    }                                                                                              \
    BLM_ONE(, K##_one_rows, K##_one_has_hash, K##_one_add_hash);                                   \
    static const blm_one *K##_one(const blm_filter *f)                                             \
    {                                                                                              \
        (void)f;                                                                                   \
        return &K##_one_rows;                                                                      \
    }
#endif

/* shared.h - what kinds need to add from many threads at once: single bits set by atomic operations, and a lock
 * per key for callers that ask "was it new?".
 *
 * Setting bits needs no lock: or-ing loses none, in any order. But when two threads add the same key at the same
 * moment, each may see itself set one of its bits, and both would report "new" (0.27 % of the keys, measured). So
 * a test-and-add holds a lock that the key's hash chooses: at most one reports "new". None does when other keys
 * had set all the bits: a false positive.
 */
#ifndef BLM_CORE_SHARED_H
#define BLM_CORE_SHARED_H
#include "core/kind.h"
#include "core/bytes.h"

/* Sets the bits of a little-endian word, which is aligned; returns how many were zero. A look comes first: a
 * word that has them already stays shared between the caches. */
static inline unsigned blm_set_shared(uint8_t *word, uint64_t bits)
{
    uint64_t *at = (uint64_t *)(void *)word;
    const uint64_t mask = BLM_SWAP ? __builtin_bswap64(bits) : bits;
    if ((__atomic_load_n(at, __ATOMIC_RELAXED) & mask) == mask) return 0;
    const uint64_t old = __atomic_fetch_or(at, mask, __ATOMIC_RELAXED);
    return blm_ones_of(mask & ~old);
}

static inline unsigned blm_bit_set_shared(uint8_t *cells, uint64_t i)
{
    return blm_set_shared(cells + i / 64 * 8, UINT64_C(1) << (i % 64));
}

void blm_key_lock(uint64_t hash);
void blm_key_unlock(uint64_t hash);

/* BLM_BATCH_SHARED(blocked, blm_blocked) stamps blocked_add_shared out of blocked_prefetch and blocked_put_shared,
 * which sets the bits of a key and returns how many were zero; they are summed in the field `ones`. */
#define BLM_BATCH_SHARED(K, type)                                                                  \
    static void K##_add_shared(blm_filter *f, const blm_hash *h, size_t n, uint8_t *fresh)         \
    {                                                                                              \
        uint64_t ones = 0;                                                                         \
        for (size_t i = 0; i < n && i < BLM_AHEAD; i++) K##_prefetch(f, h[i]);                     \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (i + BLM_AHEAD < n) K##_prefetch(f, h[i + BLM_AHEAD]);                              \
            if (fresh) blm_key_lock(h[i].lo);                                                      \
            const unsigned set = K##_put_shared(f, h[i]);                                          \
            if (fresh) blm_key_unlock(h[i].lo), fresh[i] = set > 0;                                \
            ones += set;                                                                           \
        }                                                                                          \
        __atomic_fetch_add(&((type *)f)->ones, ones, __ATOMIC_RELAXED);                            \
    }
#endif

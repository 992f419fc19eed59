/* lanes.c - which row this machine gets. */
#include "simd/lanes.h"
#include "core/bytes.h"
#include "core/core_internal.h"

static const blm_lanes *const rows[] = {
    &blm_lanes_scalar,
#if defined(__x86_64__)
    &blm_lanes_avx2,
    &blm_lanes_avx512,
#elif defined(__aarch64__) && !BLM_SWAP
    &blm_lanes_neon,
#endif
};

const blm_lanes *blm_lanes_at(size_t i) { return i < sizeof rows / sizeof *rows ? rows[i] : NULL; }

/* Two threads may pick at once: they pick the same. */
const blm_lanes *blm_lanes_best(void)
{
    static const blm_lanes *best;
    const blm_lanes *b = __atomic_load_n(&best, __ATOMIC_RELAXED);
    if (b) return b;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i]->here()) b = rows[i];
    __atomic_store_n(&best, b, __ATOMIC_RELAXED);
    return b;
}

bool blm_lanes_first(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_is("amd");
#else
    return false;
#endif
}

void blm_hash_u64_lanes(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    blm_lanes_best()->hash_u64(seed, key, n, h);
}

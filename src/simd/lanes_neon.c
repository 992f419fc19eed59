/* lanes_neon.c - NEON, which every 64-bit ARM has: 16 bytes a register.
 *
 * A cache line is one table of 64 bytes: a look-up by the upper 6 bits of seven places gives seven bytes, the
 * lower 3 bits of each place its bit. A split block is two registers of four lanes.
 */
#include "core/bytes.h"
#if defined(__aarch64__) && !BLM_SWAP
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <arm_neon.h>

#include "simd/block.h"
#include "simd/lanes.h"

static bool neon_here(void) { return true; }

static inline uint64_t neon_hash_one(uint64_t seed, uint64_t key)
{
    return XXH3_64bits_withSeed(&key, sizeof key, seed);
}

/* No 64-bit product of vectors here: the plain multiplier is faster. */
static void neon_hash_u64(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    for (size_t i = 0; i < n; i++) h[i].lo = neon_hash_one(seed, key[i]);
}

/* ---- a block's test --------------------------------------------------------------------------- */

typedef struct lanes_last {
    unsigned words;
    uint8x8_t keep; /* 1 for the places that the last word has */
} lanes_last;

static lanes_last neon_last_of(unsigned hashes)
{
    lanes_last l = {(hashes + BLM_LINE_PLACES - 1) / BLM_LINE_PLACES, vdup_n_u8(0)};
    uint8_t keep[8] = {0};
    for (unsigned i = 0; i < hashes - (l.words - 1) * BLM_LINE_PLACES; i++) keep[i] = 1;
    l.keep = vld1_u8(keep);
    return l;
}

static inline uint8x8_t neon_missing_of_word(uint8x16x4_t line, uint64_t word, uint8x8_t keep)
{
    static const uint8_t from[16] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 255, 255};
    static const int16_t shift[8] = {0, -1, -2, -3, -4, -5, -6, 0};
    const uint8x16_t words = vreinterpretq_u8_u64(vdupq_n_u64(word));
    const uint16x8_t wide =
        vshlq_u16(vreinterpretq_u16_u8(vqtbl1q_u8(words, vld1q_u8(from))), vld1q_s16(shift));
    const uint16x8_t place = vandq_u16(wide, vdupq_n_u16(BLM_LINE_BITS - 1));
    const uint8x8_t byte = vqtbl4_u8(line, vshrn_n_u16(place, 3));
    const uint8x8_t turn = vand_u8(vmovn_u16(place), vdup_n_u8(7));
    return vbic_u8(vshl_u8(keep, vreinterpret_s8_u8(turn)), byte);
}

static inline bool neon_line_test(const uint8_t *block, uint64_t hash, const lanes_last *l)
{
    const uint8x16x4_t line = vld1q_u8_x4(block);
    const uint8x8_t seven = vcreate_u8(UINT64_C(0x0001010101010101));
    uint8x8_t missing = vdup_n_u8(0);
    for (unsigned i = 0; i < l->words; i++)
        missing = vorr_u8(missing, neon_missing_of_word(line, blm_stream(hash, i),
                                                        i + 1 == l->words ? l->keep : seven));
    return vmaxv_u8(missing) == 0;
}

static inline uint32x4_t neon_split_mask(uint64_t hash, unsigned half)
{
    const uint32x4_t factor = vld1q_u32(blm_split_factor + (size_t)4 * half);
    const uint32x4_t turn = vshrq_n_u32(vmulq_n_u32(factor, (uint32_t)hash), 27);
    return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(turn));
}

static inline uint32x4_t neon_split_half(const uint8_t *block, unsigned half)
{
    return vreinterpretq_u32_u8(vld1q_u8(block + (size_t)16 * half));
}

static inline bool neon_split_test(const uint8_t *block, uint64_t hash, const lanes_last *l)
{
    (void)l;
    const uint32x4_t a = vbicq_u32(neon_split_mask(hash, 0), neon_split_half(block, 0)),
                     b = vbicq_u32(neon_split_mask(hash, 1), neon_split_half(block, 1));
    return vmaxvq_u32(vorrq_u32(a, b)) == 0;
}

/* ---- loops ------------------------------------------------------------------------------------- */

/* Stamps the two loops of a block from its start() and test(). */
#define LOOPS(name, start, test)                                                                   \
    static void name##_has(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,          \
                           uint8_t *yes)                                                           \
    {                                                                                              \
        const lanes_last l = neon_last_of(b->hashes);                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            if (i + BLM_AHEAD < n + more)                                                          \
                blm_fetch(b->cells + start(h[i + BLM_AHEAD].lo, b->count));                        \
            yes[i] = test(b->cells + start(h[i].lo, b->count), h[i].lo, &l);                       \
        }                                                                                          \
    }                                                                                              \
    static void name##_has_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key, size_t n,  \
                               uint8_t *yes)                                                       \
    {                                                                                              \
        const lanes_last l = neon_last_of(b->hashes);                                              \
        uint64_t ring[BLM_AHEAD] = {0};                                                            \
        for (size_t i = 0; i < n + BLM_AHEAD; i++) {                                               \
            const uint64_t old = ring[i % BLM_AHEAD];                                              \
            if (i < n) {                                                                           \
                ring[i % BLM_AHEAD] = neon_hash_one(seed, key[i]);                                 \
                blm_fetch(b->cells + start(ring[i % BLM_AHEAD], b->count));                        \
            }                                                                                      \
            if (i >= BLM_AHEAD)                                                                    \
                yes[i - BLM_AHEAD] = test(b->cells + start(old, b->count), old, &l);               \
        }                                                                                          \
    }

LOOPS(neon_line, blm_line_start, neon_line_test)
LOOPS(neon_split, blm_split_start, neon_split_test)

/* A lane has one bit of the key: each lane that lacks it counts one. */
static inline unsigned neon_split_set(uint8_t *block, uint64_t hash, unsigned hashes)
{
    (void)hashes;
    unsigned fresh = 0;
    for (unsigned half = 0; half < 2; half++) {
        const uint32x4_t old = neon_split_half(block, half), mask = neon_split_mask(hash, half);
        const uint32x4_t lacks = vceqq_u32(vandq_u32(old, mask), vdupq_n_u32(0));
        vst1q_u8(block + (size_t)16 * half, vreinterpretq_u8_u32(vorrq_u32(old, mask)));
        fresh += vaddvq_u32(vshrq_n_u32(lacks, 31));
    }
    return fresh;
}

BLM_LANES_ADD(, neon_line_add, blm_line_start, blm_line_add)
BLM_LANES_ADD(, neon_split_add, blm_split_start, neon_split_set)

const blm_lanes blm_lanes_neon = {
    "neon",
    neon_here,
    neon_hash_u64,
    neon_line_has,
    neon_split_has,
    neon_line_has_u64,
    neon_split_has_u64,
    neon_line_add,
    neon_split_add,
    NULL,
    NULL,
};
#else
typedef int blm_no_neon; /* a file of C is never empty */
#endif

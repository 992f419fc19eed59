/* lanes_neon.c - NEON, which every 64-bit ARM has: 16 bytes a register.
 *
 * A cache line is one table of 64 bytes: a look-up by the upper 6 bits of seven places gives seven bytes, the
 * lower 3 bits of each place its bit. A split block is two registers of four lanes.
 */
#include "core/bytes.h"
#if defined(__aarch64__) && !BLM_SWAP
#include <arm_neon.h>

#include "simd/block.h"
#include "simd/lanes.h"
#include "simd/loops.h"

static bool neon_here(void) { return true; }

/* No 64-bit product of vectors here: the plain multiplier is faster. */
static inline void neon_hash_some(uint64_t flip, const uint64_t *key, uint64_t hash[1])
{
    hash[0] = blm_xxh3_u64(flip, key[0]);
}

static void neon_hash_u64(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    const uint64_t flip = blm_xxh3_flip(seed);
    for (size_t i = 0; i < n; i++) neon_hash_some(flip, key + i, &h[i].lo);
}

static uint64_t neon_ones(const uint8_t *cells, uint64_t bytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < bytes; i += 8) n += vaddv_u8(vcnt_u8(vld1_u8(cells + i)));
    return n;
}

BLM_LINE_ONES(, neon_line_ones, neon_ones)

/* ---- a block's test --------------------------------------------------------------------------- */

/* 1 for each place that the last word has. */
static inline uint8x8_t neon_last_of(unsigned hashes, unsigned words)
{
    const unsigned left = hashes - (words - 1) * BLM_LINE_PLACES; /* 1 to 7 */
    return vcreate_u8(UINT64_C(0x0001010101010101) >> 8 * (BLM_LINE_PLACES - left));
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

static inline bool neon_line_test(const uint8_t *block, uint64_t hash, unsigned words,
                                  uint8x8_t last)
{
    const uint8x16x4_t line = vld1q_u8_x4(block);
    const uint8x8_t seven = vcreate_u8(UINT64_C(0x0001010101010101));
    uint8x8_t missing = vdup_n_u8(0);
    for (unsigned i = 0; i < words; i++)
        missing = vorr_u8(missing, neon_missing_of_word(line, blm_stream(hash, i),
                                                        i + 1 == words ? last : seven));
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

static inline bool neon_split_test(const uint8_t *block, uint64_t hash, unsigned words,
                                   uint8x8_t last)
{
    (void)words, (void)last;
    const uint32x4_t a = vbicq_u32(neon_split_mask(hash, 0), neon_split_half(block, 0)),
                     b = vbicq_u32(neon_split_mask(hash, 1), neon_split_half(block, 1));
    return vmaxvq_u32(vorrq_u32(a, b)) == 0;
}

/* ---- a block's add ---------------------------------------------------------------------------- */

/* The bits of a key, all words together: the plain row's, which needs no table. */
static inline bool neon_line_set(uint8_t *block, uint64_t hash, unsigned words, uint8x8_t last,
                                 uint64_t *sum)
{
    const unsigned k = (words - 1) * BLM_LINE_PLACES + vaddv_u8(last);
    const unsigned set = blm_line_add(block, hash, k);
    *sum += set;
    return set > 0;
}

/* A lane has one bit of the key: each lane that lacks it counts one. */
static inline bool neon_split_set(uint8_t *block, uint64_t hash, unsigned words, uint8x8_t last,
                                  uint64_t *sum)
{
    unsigned fresh = 0;
    (void)words, (void)last;
    for (unsigned half = 0; half < 2; half++) {
        const uint32x4_t old = neon_split_half(block, half), mask = neon_split_mask(hash, half);
        const uint32x4_t lacks = vceqq_u32(vandq_u32(old, mask), vdupq_n_u32(0));
        vst1q_u8(block + (size_t)16 * half, vreinterpretq_u8_u32(vorrq_u32(old, mask)));
        fresh += vaddvq_u32(vshrq_n_u32(lacks, 31));
    }
    *sum += fresh;
    return fresh > 0;
}

static inline uint64_t neon_total(uint64_t sum) { return sum; }

/* ---- loops ------------------------------------------------------------------------------------- */

static inline uint8x8_t neon_no_last(unsigned hashes, unsigned words)
{
    (void)hashes, (void)words;
    return vdup_n_u8(0);
}

#define BY_WORDS(call) BLM_BY_WORDS(uint8x8_t, neon_last_of, call)
#define BY_LANES(call)                                                                             \
    do {                                                                                           \
        const unsigned words = 1;                                                                  \
        const uint8x8_t last = vdup_n_u8(0);                                                       \
        call;                                                                                      \
    } while (0)

#define OVER_LINES(EACH, work)  BLM_OVER_KEYS(1, neon_hash_some, blm_line_start, EACH, work)
#define OVER_SPLITS(EACH, work) BLM_OVER_KEYS(1, neon_hash_some, blm_split_start, EACH, work)

BLM_LOOPS_HASHES(static inline, neon_line, blm_line_start, neon_line_test, neon_line_set, uint8x8_t,
                 uint64_t, neon_total)
BLM_LOOPS_KEYS(static inline, neon_line, OVER_LINES, neon_line_test, neon_line_set, uint8x8_t,
               uint64_t, neon_total)
BLM_LOOPS_HASHES(static inline, neon_split, blm_split_start, neon_split_test, neon_split_set,
                 uint8x8_t, uint64_t, neon_total)
BLM_LOOPS_KEYS(static inline, neon_split, OVER_SPLITS, neon_split_test, neon_split_set, uint8x8_t,
               uint64_t, neon_total)
BLM_LOOPS_CALLS(, neon_line, BY_WORDS)
BLM_LOOPS_CALLS(, neon_split, BY_LANES)
BLM_LOOPS_ONE_LINE(, static inline, neon_line, neon_line_test, neon_line_set, neon_last_of,
                   uint64_t, neon_total)
BLM_LOOPS_ONE(, static inline, neon_split_one_any, 1, blm_split_start, neon_split_test,
              neon_split_set, neon_no_last, uint64_t, neon_total);

static const blm_one *neon_split_one(unsigned hashes)
{
    (void)hashes;
    return &neon_split_one_any;
}

const blm_lanes blm_lanes_neon = {
    "neon",
    neon_here,
    false,
    neon_hash_u64,
    neon_ones,
    neon_line_ones,
    {neon_line_has, neon_line_has_u64, neon_line_add, neon_line_add_u64, neon_line_one, NULL},
    {neon_split_has, neon_split_has_u64, neon_split_add, neon_split_add_u64, neon_split_one, NULL},
    blm_scalar_places,
    blm_scalar_words,
};
#else
typedef int blm_no_neon; /* a file of C is never empty */
#endif

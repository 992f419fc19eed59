/* lanes_avx2.c - AVX2: 8 lanes of 32 bits.
 *
 * A cache line: seven 9-bit places lie in one word, place i at bit 9i. A byte shuffle brings the bytes
 * where a place begins into a lane of its own, a shift by lane its first bit to the bottom. The upper 4 of its
 * bits choose one of 16 words of 32 bits (two permutes and a blend), the lower 5 the bit in it. About 20
 * instructions for up to seven bits, and no branch.
 *
 * Hashes: XXH3 of 8 bytes is two multiplications by one constant; a 64-bit product is three of 32 bits,
 * four keys at once. 0.9 ns a key against 1.7 one by one.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "simd/block.h"
#include "simd/lanes.h"

#define AVX2        __attribute__((target("avx2,bmi2,popcnt")))
#define AVX2_INLINE __attribute__((target("avx2,bmi2,popcnt"), always_inline)) static inline

static bool avx2_here(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

/* ---- XXH3-64 of 8 bytes ------------------------------------------------------------------------ */

/* Bytes 8 to 15 of XXH3's secret, xor bytes 16 to 23; and the multiplier of its 4 to 8 byte form. */
#define SECRET UINT64_C(0xc73ab174c5ecd5a2)
#define FACTOR UINT64_C(0x9fb21c651e98df25)

AVX2_INLINE uint64_t avx2_flip_of(uint64_t seed)
{
    return SECRET - (seed ^ (uint64_t)__builtin_bswap32((uint32_t)seed) << 32);
}

AVX2_INLINE uint64_t avx2_hash_one(uint64_t flip, uint64_t key)
{
    uint64_t h = (key << 32 | key >> 32) ^ flip;
    h ^= (h << 49 | h >> 15) ^ (h << 24 | h >> 40);
    h *= FACTOR;
    h ^= (h >> 35) + 8;
    h *= FACTOR;
    return h ^ h >> 28;
}

AVX2_INLINE __m256i avx2_times_factor(__m256i a)
{
    const __m256i low = _mm256_set1_epi64x((long long)(uint32_t)FACTOR),
                  high = _mm256_set1_epi64x((long long)(FACTOR >> 32));
    const __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(a, high),
                                            _mm256_mul_epu32(_mm256_srli_epi64(a, 32), low));
    return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(middle, 32));
}

AVX2_INLINE __m256i avx2_turned(__m256i h, int left)
{
    return _mm256_or_si256(_mm256_slli_epi64(h, left), _mm256_srli_epi64(h, 64 - left));
}

AVX2_INLINE __m256i avx2_hash_four(__m256i flip, const uint64_t *key)
{
    const __m256i k = _mm256_loadu_si256((const __m256i *)(const void *)key);
    __m256i h = _mm256_xor_si256(_mm256_shuffle_epi32(k, 0xb1), flip);
    h = _mm256_xor_si256(h, _mm256_xor_si256(avx2_turned(h, 49), avx2_turned(h, 24)));
    h = avx2_times_factor(h);
    h = _mm256_xor_si256(h, _mm256_add_epi64(_mm256_srli_epi64(h, 35), _mm256_set1_epi64x(8)));
    h = avx2_times_factor(h);
    return _mm256_xor_si256(h, _mm256_srli_epi64(h, 28));
}

AVX2 static void avx2_hash_u64(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    const uint64_t flip = avx2_flip_of(seed);
    const __m256i flips = _mm256_set1_epi64x((long long)flip);
    size_t i = 0;
    for (; n - i >= 4; i += 4) {
        uint64_t four[4];
        _mm256_storeu_si256((__m256i *)(void *)four, avx2_hash_four(flips, key + i));
        for (size_t j = 0; j < 4; j++) h[i + j].lo = four[j];
    }
    for (; i < n; i++) h[i].lo = avx2_hash_one(flip, key[i]);
}

/* ---- a block's test --------------------------------------------------------------------------- */

/* Seven places, a lane each, with what follows them above their 9 bits; lane 7 is zero. */
AVX2_INLINE __m256i avx2_places(uint64_t word)
{
    const __m256i from = _mm256_setr_epi8(0, 1, -1, -1, 1, 2, -1, -1, 2, 3, -1, -1, 3, 4, -1, -1, 4,
                                          5, -1, -1, 5, 6, -1, -1, 6, 7, -1, -1, -1, -1, -1, -1);
    const __m256i shift = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 0);
    const __m256i words = _mm256_set1_epi64x((long long)word);
    return _mm256_srlv_epi32(_mm256_shuffle_epi8(words, from), shift);
}

/* keep: 1 in the lanes of the places that count. */
AVX2_INLINE __m256i avx2_missing_of_word(const uint8_t *line, uint64_t word, __m256i keep)
{
    const __m256i place = avx2_places(word);
    const __m256i bit = _mm256_sllv_epi32(keep, _mm256_and_si256(place, _mm256_set1_epi32(31)));
    const __m256i which = _mm256_srli_epi32(place, 5);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)line),
                  high = _mm256_loadu_si256((const __m256i *)(const void *)(line + 32));
    const __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, which)),
                 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, which)),
                 upper = _mm256_castsi256_ps(_mm256_slli_epi32(place, 23)); /* bit 8 to the sign */
    return _mm256_andnot_si256(_mm256_castps_si256(_mm256_blendv_ps(a, b, upper)), bit);
}

/* words is a constant where it is inlined: 1 up to 7 bits a key, 2 up to 14. */
AVX2_INLINE bool avx2_line_test(const uint8_t *line, uint64_t hash, unsigned words, __m256i last)
{
    const __m256i seven = _mm256_setr_epi32(1, 1, 1, 1, 1, 1, 1, 0);
    __m256i missing = _mm256_setzero_si256();
    for (unsigned i = 0; i < words; i++)
        missing = _mm256_or_si256(missing, avx2_missing_of_word(line, blm_stream(hash, i),
                                                                i + 1 == words ? last : seven));
    return _mm256_testz_si256(missing, missing);
}

AVX2_INLINE __m256i avx2_split_mask(uint64_t hash)
{
    const __m256i factor = _mm256_loadu_si256((const __m256i *)(const void *)blm_split_factor);
    const __m256i turn =
        _mm256_srli_epi32(_mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), factor), 27);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), turn);
}

AVX2_INLINE bool avx2_split_test(const uint8_t *block, uint64_t hash, unsigned words, __m256i last)
{
    (void)words, (void)last;
    return _mm256_testc_si256(_mm256_loadu_si256((const __m256i *)(const void *)block),
                              avx2_split_mask(hash));
}

/* ---- loops ------------------------------------------------------------------------------------- */

/* Stamps the two loops of a block from its start() and test(): hashes given, or made four at a time. */
#define LOOPS(name, start, test)                                                                   \
    AVX2_INLINE void name##_hashes(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,  \
                                   uint8_t *yes, unsigned words, __m256i last)                     \
    {                                                                                              \
        const uint8_t *cells = b->cells;                                                           \
        const uint64_t count = b->count;                                                           \
        const size_t near = n + more < BLM_AHEAD ? 0 : n + more - BLM_AHEAD;                       \
        const size_t both = near < n ? near : n;                                                   \
        size_t i = 0;                                                                              \
        for (; i < both; i++) {                                                                    \
            const uint64_t next = h[i + BLM_AHEAD].lo, hash = h[i].lo;                             \
            blm_fetch(cells + start(next, count));                                                 \
            yes[i] = test(cells + start(hash, count), hash, words, last);                          \
        }                                                                                          \
        for (; i < n; i++) yes[i] = test(cells + start(h[i].lo, count), h[i].lo, words, last);     \
    }                                                                                              \
    AVX2_INLINE void name##_keys(const blm_blocks *b, uint64_t seed, const uint64_t *key,          \
                                 size_t n, uint8_t *yes, unsigned words, __m256i last)             \
    {                                                                                              \
        uint64_t ring[BLM_AHEAD];                                                                  \
        const uint8_t *cells = b->cells;                                                           \
        const uint64_t count = b->count, flip = avx2_flip_of(seed);                                \
        const __m256i flips = _mm256_set1_epi64x((long long)flip);                                 \
        size_t i = 0, made = 0;                                                                    \
        for (; made < n && made < BLM_AHEAD; made++) {                                             \
            ring[made] = avx2_hash_one(flip, key[made]);                                           \
            blm_fetch(cells + start(ring[made], count));                                           \
        }                                                                                          \
        for (; n - made >= 4; made += 4, i += 4) {                                                 \
            uint64_t *four = ring + i % BLM_AHEAD, old[4];                                         \
            for (size_t j = 0; j < 4; j++) old[j] = four[j];                                       \
            _mm256_storeu_si256((__m256i *)(void *)four, avx2_hash_four(flips, key + made));       \
            for (size_t j = 0; j < 4; j++) blm_fetch(cells + start(four[j], count));               \
            for (size_t j = 0; j < 4; j++)                                                         \
                yes[i + j] = test(cells + start(old[j], count), old[j], words, last);              \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            const uint64_t hash = i < made ? ring[i % BLM_AHEAD] : avx2_hash_one(flip, key[i]);    \
            yes[i] = test(cells + start(hash, count), hash, words, last);                          \
        }                                                                                          \
    }

LOOPS(avx2_line, blm_line_start, avx2_line_test)
LOOPS(avx2_split, blm_split_start, avx2_split_test)

/* One in each lane whose place the last word of a key has. */
AVX2_INLINE __m256i avx2_last_lanes(unsigned hashes, unsigned words)
{
    const int left = (int)(hashes - (words - 1) * BLM_LINE_PLACES);
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_srli_epi32(_mm256_cmpgt_epi32(_mm256_set1_epi32(left), lane), 31);
}

#define BY_WORDS(call)                                                                             \
    do {                                                                                           \
        const unsigned many = (b->hashes + BLM_LINE_PLACES - 1) / BLM_LINE_PLACES;                 \
        const __m256i last = avx2_last_lanes(b->hashes, many);                                     \
        if (many == 1) {                                                                           \
            const unsigned words = 1;                                                              \
            call;                                                                                  \
        } else if (many == 2) {                                                                    \
            const unsigned words = 2;                                                              \
            call;                                                                                  \
        } else {                                                                                   \
            const unsigned words = many;                                                           \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

AVX2 static void avx2_line_has(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                               uint8_t *yes)
{
    BY_WORDS(avx2_line_hashes(b, h, n, more, yes, words, last));
}

AVX2 static void avx2_line_has_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key,
                                   size_t n, uint8_t *yes)
{
    BY_WORDS(avx2_line_keys(b, seed, key, n, yes, words, last));
}

AVX2 static void avx2_split_has(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                                uint8_t *yes)
{
    avx2_split_hashes(b, h, n, more, yes, 1, _mm256_setzero_si256());
}

AVX2 static void avx2_split_has_u64(const blm_blocks *b, uint64_t seed, const uint64_t *key,
                                    size_t n, uint8_t *yes)
{
    avx2_split_keys(b, seed, key, n, yes, 1, _mm256_setzero_si256());
}

AVX2 static bool avx2_line_lens(const blm_lens *lens, uint64_t hash)
{
    const blm_blocks line = {.hashes = lens->hashes}, *b = &line;
    const uint8_t *at = lens->cells + blm_line_start(hash, lens->count);
    BY_WORDS(return avx2_line_test(at, hash, words, last));
}

AVX2 static bool avx2_split_lens(const blm_lens *lens, uint64_t hash)
{
    return avx2_split_test(lens->cells + blm_split_start(hash, lens->count), hash, 1,
                           _mm256_setzero_si256());
}

/* Bits that are one, in four sums. */
AVX2_INLINE __m256i avx2_ones(__m256i x)
{
    const __m256i sums = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                          2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4),
                  four = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(sums, _mm256_and_si256(x, four)),
                  high = _mm256_shuffle_epi8(sums, _mm256_and_si256(_mm256_srli_epi16(x, 4), four));
    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

/* The 512-bit mask of up to seven places: each is a one, shifted by its distance to each of the 8 words of 64
 * bits; a distance below 0 or above 63 gives zero. Places that do not count are moved out of the line. */
AVX2_INLINE void avx2_line_mask(uint64_t word, __m256i keep, __m256i *low, __m256i *high)
{
    const __m256i one = _mm256_set1_epi64x(1), first = _mm256_setr_epi64x(0, 64, 128, 192),
                  second = _mm256_setr_epi64x(256, 320, 384, 448);
    const __m256i in_line = _mm256_set1_epi32(BLM_LINE_BITS - 1),
                  seven = _mm256_setr_epi32(1, 1, 1, 1, 1, 1, 1, 0);
    const __m256i out = _mm256_slli_epi32(_mm256_xor_si256(seven, keep), 9);
    const __m256i place = _mm256_or_si256(_mm256_and_si256(avx2_places(word), in_line), out);
    for (int i = 0; i < BLM_LINE_PLACES; i++) { /* lane 7 is zero: the upper half of each */
        const __m256i at =
            _mm256_permutevar8x32_epi32(place, _mm256_setr_epi32(i, 7, i, 7, i, 7, i, 7));
        *low = _mm256_or_si256(*low, _mm256_sllv_epi64(one, _mm256_sub_epi64(at, first)));
        *high = _mm256_or_si256(*high, _mm256_sllv_epi64(one, _mm256_sub_epi64(at, second)));
    }
}

/* Sets a key's bits; returns those that were zero, in four sums. */
AVX2_INLINE __m256i avx2_line_set(uint8_t *line, uint64_t hash, unsigned words, __m256i last)
{
    const __m256i seven = _mm256_setr_epi32(1, 1, 1, 1, 1, 1, 1, 0);
    __m256i *at = (__m256i *)(void *)line;
    __m256i low = _mm256_setzero_si256(), high = low;
    for (unsigned i = 0; i < words; i++)
        avx2_line_mask(blm_stream(hash, i), i + 1 == words ? last : seven, &low, &high);
    const __m256i old_low = _mm256_loadu_si256(at), old_high = _mm256_loadu_si256(at + 1);
    _mm256_storeu_si256(at, _mm256_or_si256(old_low, low));
    _mm256_storeu_si256(at + 1, _mm256_or_si256(old_high, high));
    return _mm256_add_epi64(avx2_ones(_mm256_andnot_si256(old_low, low)),
                            avx2_ones(_mm256_andnot_si256(old_high, high)));
}

AVX2_INLINE uint64_t avx2_line_adds(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                                    uint8_t *fresh, unsigned words, __m256i last)
{
    uint8_t *cells = b->cells;
    const uint64_t count = b->count;
    __m256i sums = _mm256_setzero_si256();
    uint64_t four[4];
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) blm_fetch(cells + blm_line_start(h[i + BLM_AHEAD].lo, count));
        const __m256i set =
            avx2_line_set(cells + blm_line_start(h[i].lo, count), h[i].lo, words, last);
        sums = _mm256_add_epi64(sums, set);
        if (fresh) fresh[i] = !_mm256_testz_si256(set, set);
    }
    _mm256_storeu_si256((__m256i *)(void *)four, sums);
    return four[0] + four[1] + four[2] + four[3];
}

AVX2 static uint64_t avx2_line_add(const blm_blocks *b, const blm_hash *h, size_t n, size_t more,
                                   uint8_t *fresh)
{
    uint64_t ones;
    BY_WORDS(ones = avx2_line_adds(b, h, n, more, fresh, words, last));
    return ones;
}

/* A lane has one bit of the key: the lanes that lack theirs are the bits that become one. */
AVX2_INLINE unsigned avx2_split_set(uint8_t *block, uint64_t hash, unsigned hashes)
{
    (void)hashes;
    __m256i *at = (__m256i *)(void *)block;
    const __m256i old = _mm256_loadu_si256(at), mask = avx2_split_mask(hash);
    const __m256i had = _mm256_cmpeq_epi32(_mm256_and_si256(old, mask), mask);
    _mm256_storeu_si256(at, _mm256_or_si256(old, mask));
    const unsigned lanes = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(had));
    return BLM_SPLIT_LANES - (unsigned)__builtin_popcount(lanes);
}

BLM_LANES_ADD(AVX2, avx2_split_add, blm_split_start, avx2_split_set)

const blm_lanes blm_lanes_avx2 = {
    "avx2",         avx2_here,         avx2_hash_u64,      avx2_line_has,
    avx2_split_has, avx2_line_has_u64, avx2_split_has_u64, avx2_line_add,
    avx2_split_add, avx2_line_lens,    avx2_split_lens,
};
#else
typedef int blm_no_avx2; /* a file of C is never empty */
#endif

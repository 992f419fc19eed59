/* lanes_avx2.c - AVX2: 8 lanes of 32 bits.
 *
 * A cache line: seven 9-bit places lie in one word, place i at bit 9i. A byte shuffle brings the bytes
 * where a place begins into a lane of its own, a shift by lane its first bit to the bottom. The upper 4 of its
 * bits choose one of 16 words of 32 bits (two permutes and a blend), the lower 5 the bit in it. About 20
 * instructions for up to seven bits, and no branch.
 *
 * Hashes: XXH3 of 8 bytes is two multiplications by one constant; a 64-bit product is three of 32 bits,
 * four keys at once. 0.9 ns per key against 1.7 one by one.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "simd/block.h"
#include "simd/lanes.h"
#include "simd/loops.h"

#define AVX2        __attribute__((target("avx2,bmi2,popcnt")))
#define AVX2_INLINE __attribute__((target("avx2,bmi2,popcnt"), always_inline)) static inline

static bool avx2_here(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

/* ---- XXH3-64 of 8 bytes ------------------------------------------------------------------------ */

enum { AVX2_KEYS = 4 }; /* hashed at once */

AVX2_INLINE __m256i avx2_times_factor(__m256i a)
{
    const __m256i low = _mm256_set1_epi64x((long long)(uint32_t)BLM_XXH3_FACTOR),
                  high = _mm256_set1_epi64x((long long)(BLM_XXH3_FACTOR >> 32));
    const __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(a, high),
                                            _mm256_mul_epu32(_mm256_srli_epi64(a, 32), low));
    return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(middle, 32));
}

AVX2_INLINE __m256i avx2_turned(__m256i h, int left)
{
    return _mm256_or_si256(_mm256_slli_epi64(h, left), _mm256_srli_epi64(h, 64 - left));
}

AVX2_INLINE __m256i avx2_hash_four(uint64_t flip, const uint64_t *key)
{
    const __m256i k = _mm256_loadu_si256((const __m256i *)(const void *)key);
    __m256i h =
        _mm256_xor_si256(_mm256_shuffle_epi32(k, 0xb1), _mm256_set1_epi64x((long long)flip));
    h = _mm256_xor_si256(h, _mm256_xor_si256(avx2_turned(h, 49), avx2_turned(h, 24)));
    h = avx2_times_factor(h);
    h = _mm256_xor_si256(h, _mm256_add_epi64(_mm256_srli_epi64(h, 35), _mm256_set1_epi64x(8)));
    h = avx2_times_factor(h);
    return _mm256_xor_si256(h, _mm256_srli_epi64(h, 28));
}

AVX2_INLINE void avx2_hash_some(uint64_t flip, const uint64_t *key, uint64_t hash[AVX2_KEYS])
{
    _mm256_storeu_si256((__m256i *)(void *)hash, avx2_hash_four(flip, key));
}

AVX2 static void avx2_hash_u64(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    const uint64_t flip = blm_xxh3_flip(seed);
    size_t i = 0;
    for (; n - i >= AVX2_KEYS; i += AVX2_KEYS) {
        uint64_t hash[AVX2_KEYS];
        avx2_hash_some(flip, key + i, hash);
        for (size_t j = 0; j < AVX2_KEYS; j++) h[i + j].lo = hash[j];
    }
    for (; i < n; i++) h[i].lo = blm_xxh3_u64(flip, key[i]);
}

AVX2 static uint64_t avx2_count_ones(const uint8_t *cells, uint64_t bytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < bytes; i += 8)
        n += (uint64_t)__builtin_popcountll(blm_le64(cells + i));
    return n;
}

BLM_LINE_ONES(AVX2, avx2_line_ones, avx2_count_ones)

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

/* words is a constant where it is inlined: 1 up to 7 bits per key, 2 up to 14. */
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

/* ---- a block's add ---------------------------------------------------------------------------- */

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

AVX2_INLINE bool avx2_line_set(uint8_t *line, uint64_t hash, unsigned words, __m256i last,
                               __m256i *sum)
{
    const __m256i seven = _mm256_setr_epi32(1, 1, 1, 1, 1, 1, 1, 0);
    __m256i *at = (__m256i *)(void *)line;
    __m256i low = _mm256_setzero_si256(), high = low;
    for (unsigned i = 0; i < words; i++)
        avx2_line_mask(blm_stream(hash, i), i + 1 == words ? last : seven, &low, &high);
    const __m256i old_low = _mm256_loadu_si256(at), old_high = _mm256_loadu_si256(at + 1);
    const __m256i fresh_low = _mm256_andnot_si256(old_low, low),
                  fresh_high = _mm256_andnot_si256(old_high, high),
                  fresh = _mm256_or_si256(fresh_low, fresh_high);
    _mm256_storeu_si256(at, _mm256_or_si256(old_low, low));
    _mm256_storeu_si256(at + 1, _mm256_or_si256(old_high, high));
    *sum = _mm256_add_epi64(*sum, _mm256_add_epi64(avx2_ones(fresh_low), avx2_ones(fresh_high)));
    return !_mm256_testz_si256(fresh, fresh);
}

AVX2_INLINE uint64_t avx2_total(__m256i sum)
{
    uint64_t four[4];
    _mm256_storeu_si256((__m256i *)(void *)four, sum);
    return four[0] + four[1] + four[2] + four[3];
}

/* A lane has one bit of the key: the lanes that lack theirs are the bits that become one. */
AVX2_INLINE bool avx2_split_set(uint8_t *block, uint64_t hash, unsigned words, __m256i last,
                                uint64_t *sum)
{
    __m256i *at = (__m256i *)(void *)block;
    const __m256i old = _mm256_loadu_si256(at), mask = avx2_split_mask(hash);
    const __m256i had = _mm256_cmpeq_epi32(_mm256_and_si256(old, mask), mask);
    (void)words, (void)last;
    _mm256_storeu_si256(at, _mm256_or_si256(old, mask));
    const unsigned lanes = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(had));
    *sum += BLM_SPLIT_LANES - (unsigned)__builtin_popcount(lanes);
    return lanes != 0xff;
}

AVX2_INLINE uint64_t avx2_split_total(uint64_t sum) { return sum; }

/* ---- loops ------------------------------------------------------------------------------------- */

/* One in each lane whose place the last word of a key has. */
AVX2_INLINE __m256i avx2_last_of(unsigned hashes, unsigned words)
{
    const int left = (int)(hashes - (words - 1) * BLM_LINE_PLACES);
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_srli_epi32(_mm256_cmpgt_epi32(_mm256_set1_epi32(left), lane), 31);
}

AVX2_INLINE __m256i avx2_no_last(unsigned hashes, unsigned words)
{
    (void)hashes, (void)words;
    return _mm256_setzero_si256();
}

#define BY_WORDS(call) BLM_BY_WORDS(__m256i, avx2_last_of, call)
#define BY_LANES(call)                                                                             \
    do {                                                                                           \
        const unsigned words = 1;                                                                  \
        const __m256i last = _mm256_setzero_si256();                                               \
        call;                                                                                      \
    } while (0)

#define OVER_LINES(EACH, work) BLM_OVER_KEYS(AVX2_KEYS, avx2_hash_some, blm_line_start, EACH, work)
#define OVER_SPLITS(EACH, work)                                                                    \
    BLM_OVER_KEYS(AVX2_KEYS, avx2_hash_some, blm_split_start, EACH, work)

BLM_LOOPS_HASHES(AVX2_INLINE, avx2_line, blm_line_start, avx2_line_test, avx2_line_set, __m256i,
                 __m256i, avx2_total)
BLM_LOOPS_KEYS(AVX2_INLINE, avx2_line, OVER_LINES, avx2_line_test, avx2_line_set, __m256i, __m256i,
               avx2_total)
BLM_LOOPS_HASHES(AVX2_INLINE, avx2_split, blm_split_start, avx2_split_test, avx2_split_set, __m256i,
                 uint64_t, avx2_split_total)
BLM_LOOPS_KEYS(AVX2_INLINE, avx2_split, OVER_SPLITS, avx2_split_test, avx2_split_set, __m256i,
               uint64_t, avx2_split_total)
BLM_LOOPS_CALLS(AVX2, avx2_line, BY_WORDS)
BLM_LOOPS_CALLS(AVX2, avx2_split, BY_LANES)
BLM_LOOPS_ONE_LINE(AVX2, AVX2_INLINE, avx2_line, avx2_line_test, avx2_line_set, avx2_last_of,
                   __m256i, avx2_total)
BLM_LOOPS_ONE(AVX2, AVX2_INLINE, avx2_split_one_any, 1, blm_split_start, avx2_split_test,
              avx2_split_set, avx2_no_last, uint64_t, avx2_split_total);

BLM_LOOPS_LENS_LINE(AVX2, avx2_line, avx2_line_test, avx2_last_of)
BLM_LOOPS_LENS(AVX2, avx2_split_lens_any, 1, blm_split_start, avx2_split_test, avx2_no_last)

static const blm_one *avx2_split_one(unsigned hashes)
{
    (void)hashes;
    return &avx2_split_one_any;
}

static blm_lanes_lens *avx2_split_lens(unsigned hashes)
{
    (void)hashes;
    return avx2_split_lens_any;
}

const blm_lanes blm_lanes_avx2 = {
    "avx2",
    avx2_here,
    false,
    avx2_hash_u64,
    avx2_count_ones,
    avx2_line_ones,
    {avx2_line_has, avx2_line_has_u64, avx2_line_add, avx2_line_add_u64, avx2_line_one,
     avx2_line_lens},
    {avx2_split_has, avx2_split_has_u64, avx2_split_add, avx2_split_add_u64, avx2_split_one,
     avx2_split_lens},
    blm_scalar_places,
    blm_scalar_words,
};
#else
typedef int blm_no_avx2; /* a file of C is never empty */
#endif

/* tally_avx2.h - tally.h for 4-bit counters and at most 8 of them a key, on x86 with AVX2.
 *
 * The same answers and the same bytes as blm_tally_has and blm_tally_add, which are the specification;
 * 3 against 9 ns per question and 8 against 20 ns per add in a filter of 5 MB. A CPU changes the speed only.
 */
#ifndef BLM_TALLY_AVX2_H
#define BLM_TALLY_AVX2_H
#include "tally.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define BLM_TALLY_QUICK __attribute__((target("avx2")))

static inline bool blm_tally_quick(unsigned width, unsigned k)
{
    return width == 4 && k <= 8 && __builtin_cpu_supports("avx2");
}

/* Lane i gets place i: the 28 bits of places 0 to 3 and those of 4 to 7, each shifted by 0, 7, 14, 21.
 * A place is 4 bits of dword and 3 bits of counter; bits above them are other places, and stay. */
BLM_TALLY_QUICK static inline bool blm_tally_has_quick(const uint8_t *line, blm_hash h, unsigned k)
{
    const uint64_t word = blm_word(h, 0);
    const __m256i steps = _mm256_setr_epi32(0, 7, 14, 21, 0, 7, 14, 21);
    const __m256i both = _mm256_set_m128i(_mm_set1_epi32((int)(uint32_t)(word >> 28)),
                                          _mm_set1_epi32((int)(uint32_t)word));
    const __m256i place = _mm256_srlv_epi32(both, steps), dword = _mm256_srli_epi32(place, 3);
    /* The dword out of each half, by its low 3 bits; bit 6 of the place, on top, chooses the half. */
    const __m256 low = _mm256_castsi256_ps(
        _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)line), dword));
    const __m256 high = _mm256_castsi256_ps(
        _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)(line + 32)), dword));
    const __m256 half = _mm256_castsi256_ps(_mm256_slli_epi32(place, 25));
    const __m256i cells = _mm256_castps_si256(_mm256_blendv_ps(low, high, half));
    const __m256i shift = _mm256_slli_epi32(_mm256_and_si256(place, _mm256_set1_epi32(7)), 2);
    const __m256i counter =
        _mm256_and_si256(_mm256_srlv_epi32(cells, shift), _mm256_set1_epi32(15));
    const __m256i zero = _mm256_cmpeq_epi32(counter, _mm256_setzero_si256());
    return !((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(zero)) & ((1u << k) - 1));
}

/* How many counters of both halves are one, where all are 0 or 1. */
BLM_TALLY_QUICK static inline unsigned blm_tally_sum_quick(__m256i a, __m256i b)
{
    const __m256i pairs = _mm256_add_epi8(a, b), four = _mm256_set1_epi8(15);
    const __m256i bytes = _mm256_add_epi8(_mm256_and_si256(pairs, four),
                                          _mm256_and_si256(_mm256_srli_epi16(pairs, 4), four));
    const __m256i words = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
    const __m128i sum =
        _mm_add_epi64(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    return (unsigned)(_mm_cvtsi128_si64(sum) + _mm_extract_epi64(sum, 1));
}

/* The ones at counters that are zero: the bits of each counter are gathered in its lowest one. */
BLM_TALLY_QUICK static inline __m256i blm_tally_fresh_quick(__m256i cells, __m256i ones)
{
    const __m256i pairs = _mm256_or_si256(cells, _mm256_srli_epi16(cells, 2));
    return _mm256_andnot_si256(_mm256_or_si256(pairs, _mm256_srli_epi16(pairs, 1)), ones);
}

/* A one in each of the k counters. Every word shifts its one by the distance from its own first bit to
 * the counter, and a distance that is negative or past its end leaves nothing. */
BLM_TALLY_QUICK static inline void blm_tally_ones_quick(blm_hash h, unsigned k, __m256i *a,
                                                        __m256i *b)
{
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i first_a = _mm256_setr_epi64x(0, 64, 128, 192);
    const __m256i first_b = _mm256_setr_epi64x(256, 320, 384, 448);
    *a = *b = _mm256_setzero_si256();
    for (uint64_t word = blm_word(h, 0); k; k--, word >>= 7) {
        const __m256i bit = _mm256_set1_epi64x((long long)(word & 127) * 4);
        *a = _mm256_or_si256(*a, _mm256_sllv_epi64(one, _mm256_sub_epi64(bit, first_a)));
        *b = _mm256_or_si256(*b, _mm256_sllv_epi64(one, _mm256_sub_epi64(bit, first_b)));
    }
}

/* A line with a counter of 8 or more goes the long way: below that, none can reach its ceiling or
 * carry into its neighbour. Of a set at 1 %, that is one line in 59,000. */
BLM_TALLY_QUICK static inline blm_census blm_tally_add_quick(uint8_t *line, blm_hash h, unsigned k)
{
    const __m256i a = _mm256_loadu_si256((const __m256i *)line);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(line + 32));
    __m256i to_a, to_b;
    if (!_mm256_testz_si256(_mm256_or_si256(a, b), _mm256_set1_epi8((char)0x88)))
        return blm_tally_add(line, h, k, 4);
    blm_tally_ones_quick(h, k, &to_a, &to_b);
    _mm256_storeu_si256((__m256i *)line, _mm256_add_epi8(a, to_a));
    _mm256_storeu_si256((__m256i *)(line + 32), _mm256_add_epi8(b, to_b));
    return (blm_census){
        blm_tally_sum_quick(blm_tally_fresh_quick(a, to_a), blm_tally_fresh_quick(b, to_b)), 0};
}

#else
#define BLM_TALLY_QUICK

static inline bool blm_tally_quick(unsigned width, unsigned k)
{
    (void)width, (void)k;
    return false;
}

static inline bool blm_tally_has_quick(const uint8_t *line, blm_hash h, unsigned k)
{
    return blm_tally_has(line, h, k, 4);
}

static inline blm_census blm_tally_add_quick(uint8_t *line, blm_hash h, unsigned k)
{
    return blm_tally_add(line, h, k, 4);
}
#endif
#endif

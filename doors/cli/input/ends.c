/* ends.c - where lines end: 64 bytes at a time, a bit each. A search line by line costs 6 ns per line, this
 * one 1.5 for lines of 25 bytes.
 *
 * ends_scalar defines which bits are set; the versions for processors find the same in fewer steps. Both
 * have only what every processor of their kind has, so that nothing is chosen at run time.
 */
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "input/organs.h"

#define GROUP 64

uint64_t ends_scalar(const char *p, char end)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < GROUP; i++) bits |= (uint64_t)(p[i] == end) << i;
    return bits;
}

#if defined(__SSE2__)
uint64_t ends_best(const char *p, char end)
{
    const __m128i want = _mm_set1_epi8(end);
    uint64_t bits = 0;
    for (unsigned i = 0; i < GROUP; i += 16) {
        const __m128i bytes = _mm_loadu_si128((const void *)(p + i));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, want)) << i;
    }
    return bits;
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
/* Each byte keeps one bit, by its place in eight; pairs are then added up until eight are a byte. */
uint64_t ends_best(const char *p, char end)
{
    static const uint8_t place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t want = vdupq_n_u8((uint8_t)end), one = vld1q_u8(place);
    uint8x16_t part[4];
    for (unsigned i = 0; i < 4; i++)
        part[i] = vandq_u8(vceqq_u8(vld1q_u8((const uint8_t *)p + 16 * i), want), one);
    const uint8x16_t sum = vpaddq_u8(vpaddq_u8(part[0], part[1]), vpaddq_u8(part[2], part[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}
#else
uint64_t ends_best(const char *p, char end) { return ends_scalar(p, end); }
#endif

size_t line_ends(const char *p, size_t n, char end, uint32_t at[ENDS_MAX], size_t *seen)
{
    size_t from = 0, count = 0;
    if (!(n < UINT32_MAX)) n = UINT32_MAX; /* `at` has 32 bits */
    for (; n - from >= GROUP && count <= ENDS_MAX - GROUP; from += GROUP)
        for (uint64_t bits = ends_best(p + from, end); bits; bits &= bits - 1)
            at[count++] = (uint32_t)(from + (unsigned)__builtin_ctzll(bits));
    for (; n - from < GROUP && from < n && count < ENDS_MAX; from++)
        if (p[from] == end) at[count++] = (uint32_t)from;
    *seen = from;
    return count;
}

/* lanes_avx512.c - AVX-512: a cache line is one register.
 *
 * A cache line: seven 9-bit places lie in one word, place i at bit 9i. A byte shuffle and a shift bring each place into a
 * lane of its own. The upper 4 of its bits choose one of the 16 words of 32 bits by one permutation of the whole line;
 * a rotated one is tested against the lower 5. Up to 14 bits of a key are one test, and no branch.
 *
 * A cache line's add: each bit of a key is a word of 64 bits, broadcast and masked by the row of `only` that keeps
 * the word it belongs to.
 *
 * Hashes, blocks, and places that are mixed one by one (standard, word): eight keys at once. The bits there are read and
 * written one by one: a gather of eight takes as long as eight loads.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "core/one.h"
#include "simd/block.h"
#include "simd/lanes.h"
#include "simd/loops.h"
#include "simd/words.h"

#define UNITS         "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi,bmi2,popcnt"
#define AVX512        __attribute__((target(UNITS)))
#define AVX512_INLINE __attribute__((target(UNITS), always_inline)) static inline

static bool avx512_here(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

/* ---- XXH3-64 of 8 bytes ------------------------------------------------------------------------ */

enum { AVX512_KEYS = 8 }; /* hashed at once */

AVX512_INLINE __m512i avx512_hash_eight(uint64_t flip, const uint64_t *key)
{
    const __m512i factor = _mm512_set1_epi64((long long)BLM_XXH3_FACTOR);
    __m512i h = _mm512_xor_si512(_mm512_rol_epi64(_mm512_loadu_si512(key), 32),
                                 _mm512_set1_epi64((long long)flip));
    h = _mm512_ternarylogic_epi64(h, _mm512_rol_epi64(h, 49), _mm512_rol_epi64(h, 24),
                                  0x96); /* xor */
    h = _mm512_mullo_epi64(h, factor);
    h = _mm512_xor_si512(h, _mm512_add_epi64(_mm512_srli_epi64(h, 35), _mm512_set1_epi64(8)));
    h = _mm512_mullo_epi64(h, factor);
    return _mm512_xor_si512(h, _mm512_srli_epi64(h, 28));
}

AVX512 static void avx512_hash_u64(uint64_t seed, const uint64_t *key, size_t n, blm_hash *h)
{
    const uint64_t flip = blm_xxh3_flip(seed);
    size_t i = 0;
    for (; n - i >= AVX512_KEYS; i += AVX512_KEYS) { /* h.hi becomes zero */
        const __m512i hash = avx512_hash_eight(flip, key + i),
                      first = _mm512_setr_epi64(0, 0, 1, 0, 2, 0, 3, 0),
                      second = _mm512_setr_epi64(4, 0, 5, 0, 6, 0, 7, 0);
        _mm512_storeu_si512(h + i, _mm512_maskz_permutexvar_epi64(0x55, first, hash));
        _mm512_storeu_si512(h + i + 4, _mm512_maskz_permutexvar_epi64(0x55, second, hash));
    }
    for (; i < n; i++) h[i].lo = blm_xxh3_u64(flip, key[i]);
}

AVX512_INLINE uint64_t avx512_total(__m512i sum) { return (uint64_t)_mm512_reduce_add_epi64(sum); }

AVX512 static uint64_t avx512_count_ones(const uint8_t *cells, uint64_t bytes)
{
    __m512i sum = _mm512_setzero_si512();
    uint64_t i = 0, rest = 0;
    for (; bytes - i >= 64; i += 64)
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_loadu_si512(cells + i)));
    for (; i < bytes; i += 8) rest += (uint64_t)__builtin_popcountll(blm_le64(cells + i));
    return avx512_total(sum) + rest;
}

BLM_LINE_ONES(AVX512, avx512_line_ones, avx512_count_ones)

/* ---- products of 64 bits ------------------------------------------------------------------------ */

AVX512_INLINE __m512i avx512_all(uint64_t x) { return _mm512_set1_epi64((long long)x); }
AVX512_INLINE __m512i avx512_upper(__m512i x) { return _mm512_srli_epi64(x, 32); }

typedef struct avx512_wide {
    __m512i lo, hi;
} avx512_wide;

/* blm_mul of eight pairs, out of four products of 32 bits; no sum of two of its parts passes 64 bits. */
AVX512_INLINE avx512_wide avx512_mul(__m512i a, __m512i b)
{
    const __m512i a_up = avx512_upper(a), b_up = avx512_upper(b);
    const __m512i low = _mm512_mul_epu32(a, b), high = _mm512_mul_epu32(a_up, b_up);
    const __m512i one = _mm512_add_epi64(_mm512_mul_epu32(a, b_up), avx512_upper(low));
    const __m512i two =
        _mm512_add_epi64(_mm512_mul_epu32(a_up, b), _mm512_and_si512(one, avx512_all(UINT32_MAX)));
    return (avx512_wide){
        _mm512_mask_shuffle_epi32(low, 0xaaaa, two, 0xa0), /* two:low, by halves */
        _mm512_add_epi64(_mm512_add_epi64(high, avx512_upper(one)), avx512_upper(two))};
}

/* blm_stream and blm_reduce of eight. */
AVX512_INLINE __m512i avx512_stream(__m512i hash, unsigned i)
{
    const __m512i s = _mm512_add_epi64(hash, avx512_all((uint64_t)(i + 1) * BLM_STREAM_STEP));
    const avx512_wide p = avx512_mul(s, _mm512_xor_si512(s, avx512_all(BLM_STREAM_XOR)));
    return _mm512_xor_si512(p.lo, p.hi);
}

/* Below 2^32 the product has two parts. */
AVX512_INLINE __m512i avx512_reduce(__m512i x, uint64_t cells)
{
    const __m512i count = avx512_all(cells);
    if (cells >> 32) return avx512_mul(x, count).hi;
    return avx512_upper(_mm512_add_epi64(_mm512_mul_epu32(avx512_upper(x), count),
                                         avx512_upper(_mm512_mul_epu32(x, count))));
}

/* ---- bits of many keys --------------------------------------------------------------------------- */

/* The hashes of up to eight keys; zeros for those past the n. */
AVX512_INLINE __m512i avx512_hashes(const blm_hash *h, size_t n)
{
    const __m512i lo = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const unsigned have = n < AVX512_KEYS ? (1u << 2 * n) - 1 : 0xffff;
    const __m512i first = _mm512_maskz_loadu_epi64((__mmask8)have, h),
                  second = _mm512_maskz_loadu_epi64((__mmask8)(have >> 8), h + 4);
    return _mm512_permutex2var_epi64(first, lo, second);
}

AVX512 static void avx512_places_of(const blm_hash *h, size_t n, uint64_t cells, unsigned from,
                                    unsigned to, blm_lanes_column *at)
{
    for (size_t i = 0; i < n; i += AVX512_KEYS) {
        const __m512i hash = avx512_hashes(h + i, n - i);
        for (unsigned j = from; j < to; j++)
            _mm512_storeu_si512(at[j] + i, avx512_reduce(avx512_stream(hash, j), cells));
    }
}

/* What blm_words_draw is to one key. */
typedef struct avx512_draw {
    __m512i word;
    unsigned next, left;
} avx512_draw;

AVX512_INLINE __m512i avx512_word_mask(const blm_block_bits *b, __m512i hash, unsigned read,
                                       avx512_draw *d)
{
    const unsigned bits = blm_words_place_bits(b);
    const __m512i last = avx512_all(b->width - 1u), one = avx512_all(1);
    __m512i mask = _mm512_setzero_si512();
    for (unsigned left = blm_words_share(b, read); left; left--, d->left--) {
        if (!d->left) {
            d->word = avx512_stream(hash, b->reads - 1u + d->next++);
            d->left = 64 / bits;
        }
        mask = _mm512_or_si512(mask, _mm512_sllv_epi64(one, _mm512_and_si512(d->word, last)));
        d->word = _mm512_srli_epi64(d->word, bits);
    }
    return mask;
}

AVX512_INLINE void avx512_words_by(const blm_block_bits *b, const blm_hash *h, size_t n,
                                   blm_lanes_column *at, blm_lanes_column *mask, unsigned reads)
{
    const bool half = b->width == 32;
    for (size_t i = 0; i < n; i += AVX512_KEYS) {
        const __m512i hash = avx512_hashes(h + i, n - i);
        avx512_draw d = {hash, 0, 0};
        for (unsigned j = 0; j < reads; j++) {
            const __m512i word = avx512_reduce(j ? avx512_stream(hash, j - 1) : hash, b->blocks);
            const __m512i whole = half ? _mm512_srli_epi64(word, 1) : word;
            _mm512_storeu_si512(at[j] + i, _mm512_slli_epi64(whole, 3));
            if (!mask) continue;
            const __m512i up = _mm512_slli_epi64(_mm512_and_si512(word, avx512_all(half)), 5);
            _mm512_storeu_si512(mask[j] + i,
                                _mm512_sllv_epi64(avx512_word_mask(b, hash, j, &d), up));
        }
    }
}

AVX512 static void avx512_words(const blm_block_bits *b, const blm_hash *h, size_t n,
                                blm_lanes_column *at, blm_lanes_column *mask)
{
    if (b->reads == 1)
        avx512_words_by(b, h, n, at, mask, 1);
    else
        avx512_words_by(b, h, n, at, mask, b->reads);
}

/* ---- a cache line ------------------------------------------------------------------------------- */

/* blm_line_start of eight hashes. */
AVX512_INLINE __m512i avx512_line_starts(__m512i hash, uint64_t blocks)
{
    return _mm512_slli_epi64(avx512_reduce(hash, blocks), 6);
}

/* Seven places, a lane each, with what follows them above their 9 bits; lane 7 is zero. */
AVX512_INLINE __m256i avx512_places(uint64_t word)
{
    const __m256i from = _mm256_setr_epi8(0, 1, -1, -1, 1, 2, -1, -1, 2, 3, -1, -1, 3, 4, -1, -1, 4,
                                          5, -1, -1, 5, 6, -1, -1, 6, 7, -1, -1, -1, -1, -1, -1);
    const __m256i shift = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 0);
    const __m256i words = _mm256_set1_epi64x((long long)word);
    return _mm256_srlv_epi32(_mm256_shuffle_epi8(words, from), shift);
}

/* The same of two words, in 16 lanes. */
AVX512_INLINE __m512i avx512_more_places(uint64_t first, uint64_t second)
{
    const __m512i low = _mm512_castsi256_si512(avx512_places(first));
    return _mm512_inserti64x4(low, avx512_places(second), 1);
}

/* last: the lanes of the last word. */
AVX512_INLINE bool avx512_line_test(const uint8_t *block, uint64_t hash, unsigned words,
                                    unsigned last)
{
    if (words == 1) {
        const __m256i *line = (const __m256i *)(const void *)block;
        const __m256i low = _mm256_loadu_si256(line), high = _mm256_loadu_si256(line + 1);
        const __m256i place = avx512_places(blm_stream(hash, 0));
        const __m256i cells = _mm256_permutex2var_epi32(low, _mm256_srli_epi32(place, 5), high);
        const __m256i bit = _mm256_rolv_epi32(_mm256_set1_epi32(1), place);
        return !_mm256_mask_testn_epi32_mask((__mmask8)last, cells, bit);
    }
    const __m512i line = _mm512_loadu_si512(block);
    unsigned missing = 0;
    for (unsigned i = 0; i < words; i += 2) {
        const __m512i place = avx512_more_places(blm_stream(hash, i), blm_stream(hash, i + 1));
        const __m512i cells = _mm512_permutexvar_epi32(_mm512_srli_epi32(place, 5), line);
        const __m512i bit = _mm512_rolv_epi32(_mm512_set1_epi32(1), place);
        const unsigned lanes = i + 2 < words    ? 0x7f7fu
                               : i + 2 == words ? 0x7fu | last << 8
                                                : last; /* an odd number of words */
        missing |= _mm512_mask_testn_epi32_mask((__mmask16)lanes, cells, bit);
    }
    return !missing;
}

static const uint64_t only[8][8] __attribute__((aligned(64))) = {{UINT64_MAX},
                                                                 {0, UINT64_MAX},
                                                                 {0, 0, UINT64_MAX},
                                                                 {0, 0, 0, UINT64_MAX},
                                                                 {0, 0, 0, 0, UINT64_MAX},
                                                                 {0, 0, 0, 0, 0, UINT64_MAX},
                                                                 {0, 0, 0, 0, 0, 0, UINT64_MAX},
                                                                 {0, 0, 0, 0, 0, 0, 0, UINT64_MAX}};

AVX512_INLINE __m512i avx512_with_place(__m512i mask, uint64_t place)
{
    const __m512i row = _mm512_load_si512((const uint8_t *)only + (place & (BLM_LINE_BITS - 64)));
    const __m512i bit = _mm512_set1_epi64((long long)(UINT64_C(1) << (place & 63)));
    return _mm512_ternarylogic_epi64(mask, row, bit, 0xf8); /* mask | row & bit */
}

/* The mask of a key: one bit for each place, broadcast and kept in its own word by `only`. It jumps into the list of
 * places instead of looping over them: k is the same for all keys, so the processor knows where it goes. */
AVX512_INLINE __m512i avx512_line_mask(uint64_t hash, unsigned words, unsigned last)
{
    __m512i mask = _mm512_setzero_si512();
    for (unsigned i = 0; i < words; i++) {
        const uint64_t word = blm_stream(hash, i);
#define PLACE(j) mask = avx512_with_place(mask, word >> BLM_LINE_PLACE_BITS * (j))
        switch (i + 1 < words ? 0x7fu : last) {
        case 0x7f:
            PLACE(6);
            __attribute__((fallthrough));
        case 0x3f:
            PLACE(5);
            __attribute__((fallthrough));
        case 0x1f:
            PLACE(4);
            __attribute__((fallthrough));
        case 0x0f:
            PLACE(3);
            __attribute__((fallthrough));
        case 0x07:
            PLACE(2);
            __attribute__((fallthrough));
        case 0x03:
            PLACE(1);
            __attribute__((fallthrough));
        default:
            PLACE(0);
        }
#undef PLACE
    }
    return mask;
}

AVX512_INLINE bool avx512_line_set(uint8_t *block, uint64_t hash, unsigned words, unsigned last,
                                   __m512i *sum)
{
    const __m512i mask = avx512_line_mask(hash, words, last), old = _mm512_loadu_si512(block);
    const __m512i fresh = _mm512_andnot_si512(old, mask);
    _mm512_storeu_si512(block, _mm512_or_si512(old, mask));
    *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(fresh));
    return _mm512_test_epi64_mask(fresh, fresh) != 0;
}

static inline unsigned avx512_last_of(unsigned hashes, unsigned words)
{
    return (1u << (hashes - (words - 1) * BLM_LINE_PLACES)) - 1;
}

/* ---- a split block -------------------------------------------------------------------------------- */

AVX512_INLINE __m512i avx512_split_starts(__m512i hash, uint64_t blocks)
{
    const __m512i count = _mm512_set1_epi64((long long)blocks);
    const __m512i at = _mm512_mul_epu32(_mm512_srli_epi64(hash, 32), count);
    return _mm512_slli_epi64(_mm512_srli_epi64(at, 32), 5);
}

AVX512_INLINE __m256i avx512_split_mask(uint64_t hash)
{
    const __m256i factor = _mm256_loadu_si256((const __m256i *)(const void *)blm_split_factor);
    const __m256i turn =
        _mm256_srli_epi32(_mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), factor), 27);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), turn);
}

AVX512_INLINE bool avx512_split_test(const uint8_t *block, uint64_t hash, unsigned words,
                                     unsigned last)
{
    (void)words, (void)last;
    return _mm256_testc_si256(_mm256_loadu_si256((const __m256i *)(const void *)block),
                              avx512_split_mask(hash));
}

/* A lane has one bit of the key: the lanes that lack theirs are the bits that become one. */
AVX512_INLINE bool avx512_split_set(uint8_t *block, uint64_t hash, unsigned words, unsigned last,
                                    uint64_t *sum)
{
    __m256i *at = (__m256i *)(void *)block;
    const __m256i old = _mm256_loadu_si256(at), mask = avx512_split_mask(hash);
    const unsigned lacks = _mm256_testn_epi32_mask(old, mask);
    (void)words, (void)last;
    _mm256_storeu_si256(at, _mm256_or_si256(old, mask));
    *sum += (unsigned)__builtin_popcount(lacks);
    return lacks != 0;
}

AVX512_INLINE uint64_t avx512_split_total(uint64_t sum) { return sum; }

static inline unsigned avx512_no_last(unsigned hashes, unsigned words)
{
    (void)hashes, (void)words;
    return 0;
}

/* ---- loops ------------------------------------------------------------------------------------- */

/* Keys of 8 bytes, hashed on the way. Hashes and blocks of eight keys are computed together, kept in a ring, and worked on
 * BLM_AHEAD keys later. The barrier keeps gcc from taking lanes apart where it can load. */
#define OVER_KEYS(starts, start, EACH, work)                                                       \
    do {                                                                                           \
        const uint64_t flip = blm_xxh3_flip(seed), count = b->count;                               \
        const bool first = b->first;                                                               \
        uint64_t ring[BLM_AHEAD], at[BLM_AHEAD];                                                   \
        size_t i = 0, made = 0;                                                                    \
        for (; made < n && made < BLM_AHEAD; made++) {                                             \
            ring[made] = blm_xxh3_u64(flip, key[made]);                                            \
            at[made] = start(ring[made], count);                                                   \
            blm_fetch_into(cells + at[made], first);                                               \
        }                                                                                          \
        for (; n - made >= AVX512_KEYS; made += AVX512_KEYS, i += AVX512_KEYS) {                   \
            const size_t here = i % BLM_AHEAD;                                                     \
            for (size_t j = 0; j < AVX512_KEYS; j++)                                               \
                EACH(work, i + j, cells + at[here + j], ring[here + j]);                           \
            const __m512i eight = avx512_hash_eight(flip, key + made);                             \
            _mm512_storeu_si512(ring + here, eight);                                               \
            _mm512_storeu_si512(at + here, starts(eight, count));                                  \
            __asm__ volatile("" : : "r"(ring), "r"(at) : "memory");                                \
            for (size_t j = 0; j < AVX512_KEYS; j++) blm_fetch_into(cells + at[here + j], first);  \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            const uint64_t hash = i < made ? ring[i % BLM_AHEAD] : blm_xxh3_u64(flip, key[i]);     \
            EACH(work, i, cells + start(hash, count), hash);                                       \
        }                                                                                          \
    } while (0)

#define OVER_LINES(EACH, work)  OVER_KEYS(avx512_line_starts, blm_line_start, EACH, work)
#define OVER_SPLITS(EACH, work) OVER_KEYS(avx512_split_starts, blm_split_start, EACH, work)

BLM_LOOPS_HASHES(AVX512_INLINE, avx512_line, blm_line_start, avx512_line_test, avx512_line_set,
                 unsigned, __m512i, avx512_total)
BLM_LOOPS_KEYS(AVX512_INLINE, avx512_line, OVER_LINES, avx512_line_test, avx512_line_set, unsigned,
               __m512i, avx512_total)
BLM_LOOPS_HASHES(AVX512_INLINE, avx512_split, blm_split_start, avx512_split_test, avx512_split_set,
                 unsigned, uint64_t, avx512_split_total)
BLM_LOOPS_KEYS(AVX512_INLINE, avx512_split, OVER_SPLITS, avx512_split_test, avx512_split_set,
               unsigned, uint64_t, avx512_split_total)

#define BY_WORDS(call) BLM_BY_WORDS(unsigned, avx512_last_of, call)
#define BY_LANES(call)                                                                             \
    do {                                                                                           \
        const unsigned words = 1, last = 0;                                                        \
        call;                                                                                      \
    } while (0)
BLM_LOOPS_CALLS(AVX512, avx512_line, BY_WORDS)
BLM_LOOPS_CALLS(AVX512, avx512_split, BY_LANES)
BLM_LOOPS_ONE_LINE(AVX512, AVX512_INLINE, avx512_line, avx512_line_test, avx512_line_set,
                   avx512_last_of, __m512i, avx512_total)
BLM_LOOPS_ONE(AVX512, AVX512_INLINE, avx512_split_one_any, 1, blm_split_start, avx512_split_test,
              avx512_split_set, avx512_no_last, uint64_t, avx512_split_total);

BLM_LOOPS_LENS_LINE(AVX512, avx512_line, avx512_line_test, avx512_last_of)
BLM_LOOPS_LENS(AVX512, avx512_split_lens_any, 1, blm_split_start, avx512_split_test, avx512_no_last)

static const blm_one *avx512_split_one(unsigned hashes)
{
    (void)hashes;
    return &avx512_split_one_any;
}

static blm_lanes_lens *avx512_split_lens(unsigned hashes)
{
    (void)hashes;
    return avx512_split_lens_any;
}

const blm_lanes blm_lanes_avx512 = {
    "avx512",
    avx512_here,
    true,
    avx512_hash_u64,
    avx512_count_ones,
    avx512_line_ones,
    {avx512_line_has, avx512_line_has_u64, avx512_line_add, avx512_line_add_u64, avx512_line_one,
     avx512_line_lens},
    {avx512_split_has, avx512_split_has_u64, avx512_split_add, avx512_split_add_u64,
     avx512_split_one, avx512_split_lens},
    avx512_places_of,
    avx512_words,
};
#else
typedef int blm_no_avx512; /* a file of C is never empty */
#endif

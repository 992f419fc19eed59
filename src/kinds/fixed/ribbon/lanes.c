/* lanes.c - batches of questions on x86 with AVX-512: the rows of eight keys are found together; then a key's columns, eight
 * per register, are added up by one instruction that counts the ones of each. */
#include <string.h>

#include "lanes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define RIBBON_AVX512 __attribute__((target("avx512f,avx512dq,avx512vpopcntdq")))
#define RIBBON_EACH   RIBBON_AVX512 static inline __attribute__((always_inline))

enum { RIBBON_LANES = 8 };

/* The rows of keys between their fetch and their answer, by key % BLM_AHEAD: where their blocks are, and the coefficients
 * as they lie in these. */
typedef struct ribbon_eight {
    uint64_t block[3][BLM_AHEAD], under[3][BLM_AHEAD], right[BLM_AHEAD], columns[BLM_AHEAD];
} ribbon_eight;

RIBBON_EACH __m512i ribbon_all(uint64_t v) { return _mm512_set1_epi64((long long)v); }

/* blm_reduce(x, n), n below 2^32. */
RIBBON_EACH __m512i ribbon_reduced(__m512i x, __m512i n)
{
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(x, n), 32),
                  high = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), n);
    return _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
}

RIBBON_EACH __m512i ribbon_mixed(__m512i x)
{
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
    x = _mm512_mullo_epi64(x, ribbon_all(UINT64_C(0xbf58476d1ce4e5b9)));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
    x = _mm512_mullo_epi64(x, ribbon_all(UINT64_C(0x94d049bb133111eb)));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

RIBBON_EACH __m512i ribbon_lanes_drawn(__m512i x, uint64_t factor)
{
    x = _mm512_mullo_epi64(x, ribbon_all(factor));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

/* Words of the cells, at these bytes. */
RIBBON_EACH __m512i ribbon_words_at(const blm_ribbon *r, __m512i byte)
{
    return _mm512_i64gather_epi64(byte, (const void *)r->base.cells, 1);
}

/* Which of eight keys are bumped: blm_ribbon_bumped. */
RIBBON_EACH __mmask8 ribbon_bumped(const blm_ribbon *r, __m512i head, __m512i start)
{
    const unsigned log2 = blm_ribbon_bucket_log2(r->width);
    const __m512i bucket = _mm512_srli_epi64(start, log2),
                  offset = _mm512_and_si512(start, ribbon_all((UINT64_C(1) << log2) - 1)),
                  byte = _mm512_slli_epi64(_mm512_srli_epi64(bucket, 5), 3),
                  word = ribbon_words_at(
                      r, _mm512_add_epi64(_mm512_add_epi64(head, byte), ribbon_all(RIBBON_HEAD))),
                  shift = _mm512_slli_epi64(_mm512_and_si512(bucket, ribbon_all(31)), 1),
                  code = _mm512_and_si512(_mm512_srlv_epi64(word, shift), ribbon_all(3));
    const __m512i limits =
        _mm512_set_epi64(0, 0, 0, 0, (long long)blm_ribbon_threshold(r->width, 3),
                         (long long)blm_ribbon_threshold(r->width, 2),
                         (long long)blm_ribbon_threshold(r->width, 1), 0);
    return _mm512_cmplt_epu64_mask(offset, _mm512_permutexvar_epi64(code, limits));
}

/* Block b of a layer of eight keys: 8 (b columns + max(b - narrow, 0)). */
RIBBON_EACH __m512i ribbon_block_byte(const blm_ribbon *r, __m512i b, __m512i narrow)
{
    const __m512i more = _mm512_maskz_sub_epi64(_mm512_cmpgt_epu64_mask(b, narrow), b, narrow),
                  words = _mm512_mul_epu32(b, ribbon_all(r->columns));
    return _mm512_slli_epi64(_mm512_add_epi64(words, more), 3);
}

RIBBON_EACH __m512i ribbon_columns_of(const blm_ribbon *r, __m512i b, __m512i narrow)
{
    const __m512i least = ribbon_all(r->columns);
    return _mm512_mask_add_epi64(least, _mm512_cmpge_epu64_mask(b, narrow), least, ribbon_all(1));
}

/* The rows of eight hashes, into places `at` and on. */
RIBBON_EACH void ribbon_find_eight(const blm_ribbon *r, const blm_hash *h, ribbon_eight *out,
                                   size_t at)
{
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i lo =
        _mm512_permutex2var_epi64(_mm512_loadu_si512(h), even, _mm512_loadu_si512(h + 4));
    const __m512i shard = ribbon_reduced(lo, ribbon_all(r->shards)),
                  head = _mm512_mullo_epi64(shard, ribbon_all(r->head));
    const __m512i salted = _mm512_add_epi64(lo, ribbon_all(r->base.salt * BLM_SALT_STEP));
    __m512i x = ribbon_mixed(_mm512_add_epi64(salted, ribbon_words_at(r, head)));
    __m512i start = ribbon_reduced(x, ribbon_all(blm_band_starts(&r->layer[0]))),
            narrow = ribbon_all(r->layer[0].narrow),
            cells = _mm512_add_epi64(_mm512_mullo_epi64(shard, ribbon_all(r->section)),
                                     ribbon_all(r->first));
    const __mmask8 second = r->spill ? ribbon_bumped(r, head, start) : 0;
    if (second) {
        x = _mm512_mask_mov_epi64(x, second,
                                  ribbon_mixed(_mm512_add_epi64(x, ribbon_all(BLM_SALT_STEP))));
        start = _mm512_mask_mov_epi64(start, second,
                                      ribbon_reduced(x, ribbon_all(blm_band_starts(&r->layer[1]))));
        narrow = _mm512_mask_mov_epi64(narrow, second, ribbon_all(r->layer[1].narrow));
        cells = _mm512_mask_add_epi64(cells, second, cells,
                                      ribbon_all(blm_band_words(&r->layer[0], r->blocks) * 8));
    }
    const __m512i b = _mm512_srli_epi64(start, 6), from = _mm512_and_si512(start, ribbon_all(63)),
                  back = _mm512_sub_epi64(ribbon_all(63), from),
                  n = ribbon_columns_of(r, b, narrow);
    const __mmask8 inside =
        _mm512_test_epi64_mask(from, from); /* not at the first slot of the block */
    const __m512i here = _mm512_add_epi64(cells, ribbon_block_byte(r, b, narrow)),
                  wide = _mm512_slli_epi64(n, 3);
    const __m512i low = _mm512_or_si512(ribbon_lanes_drawn(x, RIBBON_LOW), ribbon_all(1));
    __m512i one = _mm512_srlv_epi64(_mm512_srli_epi64(low, 1), back),
            next = _mm512_add_epi64(here, wide);
    if (r->width == 64)
        next = _mm512_mask_mov_epi64(here, inside, next);
    else {
        const __m512i high = ribbon_lanes_drawn(x, RIBBON_HIGH),
                      after = _mm512_slli_epi64(
                          ribbon_columns_of(r, _mm512_add_epi64(b, ribbon_all(1)), narrow), 3);
        one = _mm512_or_si512(one, _mm512_sllv_epi64(high, from));
        _mm512_storeu_si512(out->under[2] + at,
                            _mm512_srlv_epi64(_mm512_srli_epi64(high, 1), back));
        _mm512_storeu_si512(out->block[2] + at, _mm512_mask_add_epi64(here, inside, next, after));
    }
    const __m512i right = _mm512_srli_epi64(_mm512_mullo_epi64(x, ribbon_all(RIBBON_NUMBER)), 32);
    _mm512_storeu_si512(out->block[0] + at, here);
    _mm512_storeu_si512(out->block[1] + at, next);
    _mm512_storeu_si512(out->under[0] + at, _mm512_sllv_epi64(low, from));
    _mm512_storeu_si512(out->under[1] + at, one);
    _mm512_storeu_si512(out->right + at, r->form == RIBBON_HOMOGENEOUS ? ribbon_all(0) : right);
    _mm512_storeu_si512(out->columns + at, n);
}

/* Does the band add up to its number, in all columns? Columns that are not there are not read. */
RIBBON_EACH bool ribbon_says(const blm_ribbon *r, const ribbon_eight *w, size_t at)
{
    const uint8_t *cells = r->base.cells;
    const __m512i c0 = ribbon_all(w->under[0][at]), c1 = ribbon_all(w->under[1][at]);
    const uint32_t right = (uint32_t)w->right[at];
    const size_t n = (size_t)w->columns[at];
    for (size_t i = 0; i < n; i += RIBBON_LANES) {
        const __mmask8 these = (__mmask8)(n - i < RIBBON_LANES ? (1u << (n - i)) - 1 : 255);
        const __m512i a = _mm512_maskz_loadu_epi64(these, cells + w->block[0][at] + i * 8),
                      b = _mm512_maskz_loadu_epi64(these, cells + w->block[1][at] + i * 8);
        __m512i sum = _mm512_xor_si512(_mm512_and_si512(a, c0), _mm512_and_si512(b, c1));
        if (r->width == 128) {
            const __m512i c = _mm512_maskz_loadu_epi64(these, cells + w->block[2][at] + i * 8);
            sum = _mm512_xor_si512(sum, _mm512_and_si512(c, ribbon_all(w->under[2][at])));
        }
        const __mmask8 odd = _mm512_test_epi64_mask(_mm512_popcnt_epi64(sum), ribbon_all(1));
        if (odd != ((right >> i) & these)) return false;
    }
    return true;
}

RIBBON_EACH void ribbon_lanes_fetch(const blm_ribbon *r, const ribbon_eight *w, size_t at)
{
    const uint8_t *from = r->base.cells + w->block[0][at];
    const uint64_t bytes = w->columns[at] * (r->width / 64u + 1) * 8;
    for (uint64_t i = 0; i < bytes; i += 64) blm_fetch(from + i);
    blm_fetch(from + bytes - 1);
}

RIBBON_AVX512 void blm_ribbon_ask_avx512(const blm_ribbon *r, const blm_hash *h, size_t n,
                                         size_t more, uint8_t *yes)
{
    ribbon_eight w;
    const size_t known = n + more;
    blm_hash last[RIBBON_LANES] = {{0, 0}};
    for (size_t i = 0; i < known && i < n + BLM_AHEAD; i += RIBBON_LANES) {
        const size_t here = known - i < RIBBON_LANES ? known - i : RIBBON_LANES, at = i % BLM_AHEAD;
        for (size_t j = i; j < i + RIBBON_LANES && j >= BLM_AHEAD && j - BLM_AHEAD < n; j++)
            yes[j - BLM_AHEAD] = ribbon_says(r, &w, j % BLM_AHEAD);
        if (here < RIBBON_LANES) memcpy(last, h + i, here * sizeof *h);
        ribbon_find_eight(r, here < RIBBON_LANES ? last : h + i, &w, at);
        for (size_t j = at; j < at + here && i >= BLM_AHEAD; j++) ribbon_lanes_fetch(r, &w, j);
    }
    /* The rest: their rows are the last ones that were found. */
    const size_t found = (known < n + BLM_AHEAD ? known : n + BLM_AHEAD) + RIBBON_LANES - 1;
    const size_t answered = found / RIBBON_LANES * RIBBON_LANES;
    for (size_t i = answered > BLM_AHEAD ? answered - BLM_AHEAD : 0; i < n; i++)
        yes[i] = ribbon_says(r, &w, i % BLM_AHEAD);
}

bool blm_ribbon_avx512_fits(const blm_ribbon *r)
{
    return r->blocks < UINT64_C(1) << 26 && r->spill < UINT64_C(1) << 26 &&
           __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vpopcntdq");
}
#else
bool blm_ribbon_avx512_fits(const blm_ribbon *r) { return (void)r, false; }

void blm_ribbon_ask_avx512(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more,
                           uint8_t *yes)
{
    (void)r, (void)h, (void)n, (void)more, (void)yes;
}
#endif

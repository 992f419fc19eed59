/* lanes.c - where the cells of keys are, on x86 with AVX-512: eight keys per register, 64 bits each.
 *
 * Cells are not read here: three gathers for eight keys take longer than 24 loads.
 */
#include "lanes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define FUSE_AVX512 __attribute__((target("avx512f,avx512dq")))
#define FUSE_EACH   FUSE_AVX512 static inline __attribute__((always_inline))

enum { FUSE_LANES = 8 };

FUSE_EACH __m512i fuse_lanes(uint64_t v) { return _mm512_set1_epi64((long long)v); }

/* blm_reduce(x, n), n below 2^32. */
FUSE_EACH __m512i fuse_reduced(__m512i x, __m512i n)
{
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(x, n), 32),
                  high = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), n);
    return _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
}

FUSE_EACH __m512i fuse_folded(__m512i x) { return _mm512_xor_si512(x, _mm512_srli_epi64(x, 33)); }

FUSE_EACH __m512i fuse_mixed(__m512i x)
{
    x = _mm512_mullo_epi64(fuse_folded(x), fuse_lanes(UINT64_C(0xff51afd7ed558ccd)));
    return fuse_folded(
        _mm512_mullo_epi64(fuse_folded(x), fuse_lanes(UINT64_C(0xc4ceb9fe1a85ec53))));
}

FUSE_EACH __m512i fuse_print(__m512i x, unsigned width)
{
    if (width > 16)
        return _mm512_srl_epi64(_mm512_mullo_epi64(x, fuse_lanes(BLM_XORED_PRODUCT)),
                                _mm_cvtsi32_si128((int)(64 - width)));
    return _mm512_and_si512(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)),
                            fuse_lanes(blm_packed_top(width)));
}

/* lo of eight hashes. */
FUSE_EACH __m512i fuse_eight(const blm_hash *h)
{
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_epi64(_mm512_loadu_si512(h), even, _mm512_loadu_si512(h + 4));
}

/* Writes where the words of cells `at` of shards that begin at `byte` are. */
FUSE_EACH void fuse_put(const blm_xored *s, __m512i byte, __m512i at, uint64_t *words,
                        uint64_t *shifts)
{
    const unsigned w = s->width;
    if (w == 8 || w == 16) {
        at = w == 16 ? _mm512_slli_epi64(at, 1) : at;
        _mm512_storeu_si512(words, _mm512_add_epi64(byte, at));
        return;
    }
    const __m512i bit = _mm512_mul_epu32(at, fuse_lanes(w)),
                  word = _mm512_min_epu64(_mm512_srli_epi64(bit, 3), fuse_lanes(s->bytes - 8));
    _mm512_storeu_si512(words, _mm512_add_epi64(byte, word));
    _mm512_storeu_si512(shifts, _mm512_sub_epi64(bit, _mm512_slli_epi64(word, 3)));
}

/* Eight keys, from key i of the stage on. */
FUSE_EACH void fuse_find_eight(const blm_xored *s, const blm_hash *h, size_t i,
                               blm_xored_stage *out)
{
    const uint64_t l = UINT64_C(1) << s->segment;
    const __m512i lo = fuse_eight(h), mask = fuse_lanes(l - 1);
    __m512i byte = fuse_lanes(s->start), seed = fuse_lanes(blm_le64(s->base.cells));
    if (s->shards > 1) {
        const __m512i shard = fuse_reduced(lo, fuse_lanes(s->shards));
        byte = _mm512_add_epi64(byte, _mm512_mullo_epi64(shard, fuse_lanes(s->bytes)));
        seed = _mm512_i64gather_epi64(shard, s->base.cells, 8);
    }
    seed = _mm512_add_epi64(seed, fuse_lanes(s->base.salt * BLM_SALT_STEP));
    const __m512i x = fuse_mixed(_mm512_add_epi64(lo, seed));
    __m512i at = fuse_reduced(x, fuse_lanes(s->first));
    _mm512_storeu_si512(out->print + i, fuse_print(x, s->width));
    fuse_put(s, byte, at, out->at[0] + i, out->shift[0] + i);
    for (unsigned j = 1; j < s->arity; j++) {
        const unsigned by = s->arity == 3 ? 36 - 18 * j : (j - 1) * s->segment;
        const __m512i bits = _mm512_srl_epi64(x, _mm_cvtsi32_si128((int)by));
        at = _mm512_add_epi64(at, fuse_lanes(l));
        fuse_put(s, byte, _mm512_xor_si512(at, _mm512_and_si512(bits, mask)), out->at[j] + i,
                 out->shift[j] + i);
    }
}

FUSE_AVX512 void blm_fuse_find_avx512(const blm_xored *s, const blm_hash *h, size_t n,
                                      blm_xored_stage *out)
{
    size_t i = 0;
    for (; i + FUSE_LANES <= n; i += FUSE_LANES) fuse_find_eight(s, h + i, i, out);
    if (i == n) return;
    blm_hash rest[FUSE_LANES] = {{0, 0}};
    memcpy(rest, h + i, (n - i) * sizeof *h);
    fuse_find_eight(s, rest, i, out);
}

bool blm_fuse_avx512_fits(const blm_xored *s)
{
    return s->shards <= UINT32_MAX && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq");
}

#else
bool blm_fuse_avx512_fits(const blm_xored *s) { return (void)s, false; }

void blm_fuse_find_avx512(const blm_xored *s, const blm_hash *h, size_t n, blm_xored_stage *out)
{
    (void)s, (void)h, (void)n, (void)out;
}
#endif

/* lanes.c - where the cells of keys are, on x86 with AVX-512: eight keys per register, 64 bits each.
 *
 * Cells are not read here: three gathers for eight keys take longer than 24 loads.
 */
#include "lanes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define AVX512 __attribute__((target("avx512f,avx512dq")))
#define EACH   AVX512 static inline __attribute__((always_inline))

enum { LANES = 8 };

EACH __m512i lanes_of(uint64_t v) { return _mm512_set1_epi64((long long)v); }

/* blm_reduce(x, n), n below 2^32. */
EACH __m512i reduced(__m512i x, __m512i n)
{
    const __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(x, n), 32),
                  high = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), n);
    return _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
}

EACH __m512i folded(__m512i x) { return _mm512_xor_si512(x, _mm512_srli_epi64(x, 33)); }

EACH __m512i mixed(__m512i x)
{
    x = _mm512_mullo_epi64(folded(x), lanes_of(UINT64_C(0xff51afd7ed558ccd)));
    return folded(_mm512_mullo_epi64(folded(x), lanes_of(UINT64_C(0xc4ceb9fe1a85ec53))));
}

EACH __m512i print_of(__m512i x, unsigned width)
{
    if (width > 16)
        return _mm512_srl_epi64(_mm512_mullo_epi64(x, lanes_of(BLM_XORED_PRODUCT)),
                                _mm_cvtsi32_si128((int)(64 - width)));
    return _mm512_and_si512(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)),
                            lanes_of(blm_packed_top(width)));
}

/* lo of eight hashes. */
EACH __m512i eight(const blm_hash *h)
{
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_epi64(_mm512_loadu_si512(h), even, _mm512_loadu_si512(h + 4));
}

/* Writes where the words of cells `at` of shards that begin at `byte` are. */
EACH void put(const blm_xored *s, __m512i byte, __m512i at, uint64_t *words, uint64_t *shifts)
{
    const unsigned w = s->width;
    if (w == 8 || w == 16) {
        at = w == 16 ? _mm512_slli_epi64(at, 1) : at;
        _mm512_storeu_si512(words, _mm512_add_epi64(byte, at));
        return;
    }
    const __m512i bit = _mm512_mul_epu32(at, lanes_of(w)),
                  word = _mm512_min_epu64(_mm512_srli_epi64(bit, 3), lanes_of(s->bytes - 8));
    _mm512_storeu_si512(words, _mm512_add_epi64(byte, word));
    _mm512_storeu_si512(shifts, _mm512_sub_epi64(bit, _mm512_slli_epi64(word, 3)));
}

/* Eight keys, from key i of the stage on. */
EACH void find_eight(const blm_xored *s, const blm_hash *h, size_t i, blm_xored_stage *out)
{
    const uint64_t l = UINT64_C(1) << s->segment;
    const __m512i lo = eight(h), mask = lanes_of(l - 1);
    __m512i byte = lanes_of(s->start), seed = lanes_of(blm_le64(s->base.cells));
    if (s->shards > 1) {
        const __m512i shard = reduced(lo, lanes_of(s->shards));
        byte = _mm512_add_epi64(byte, _mm512_mullo_epi64(shard, lanes_of(s->bytes)));
        seed = _mm512_i64gather_epi64(shard, s->base.cells, 8);
    }
    seed = _mm512_add_epi64(seed, lanes_of(s->base.salt * BLM_SALT_STEP));
    const __m512i x = mixed(_mm512_add_epi64(lo, seed));
    __m512i at = reduced(x, lanes_of(s->first));
    _mm512_storeu_si512(out->print + i, print_of(x, s->width));
    put(s, byte, at, out->at[0] + i, out->shift[0] + i);
    for (unsigned j = 1; j < s->arity; j++) {
        const unsigned by = s->arity == 3 ? 36 - 18 * j : (j - 1) * s->segment;
        const __m512i bits = _mm512_srl_epi64(x, _mm_cvtsi32_si128((int)by));
        at = _mm512_add_epi64(at, lanes_of(l));
        put(s, byte, _mm512_xor_si512(at, _mm512_and_si512(bits, mask)), out->at[j] + i,
            out->shift[j] + i);
    }
}

AVX512 void blm_fuse_find_avx512(const blm_xored *s, const blm_hash *h, size_t n,
                                 blm_xored_stage *out)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) find_eight(s, h + i, i, out);
    if (i == n) return;
    blm_hash rest[LANES] = {{0, 0}};
    memcpy(rest, h + i, (n - i) * sizeof *h);
    find_eight(s, rest, i, out);
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

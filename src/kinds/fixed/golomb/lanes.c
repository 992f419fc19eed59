/* lanes.c - buckets of eight keys decoded side by side, on x86 with AVX-512.
 *
 *      lane      0        1        2        3     ...      one bucket each; one load has several codes of each
 *      code 0    3        17       0        5              lengths differ from lane to lane, and so do the places
 *      code 1    41       2        7        9              of the next loads
 *
 * Gaps are taken off what is asked until nothing is left. A lane whose answer is known takes the next key.
 */
#include <string.h>

#include "lanes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define GOLOMB_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512cd")))
#define GOLOMB_EACH   GOLOMB_AVX512 static inline __attribute__((always_inline))

enum {
    GOLOMB_LANES = 8,
    GOLOMB_KEYS_MAX = BLM_AHEAD,
    GOLOMB_QUEUE = GOLOMB_KEYS_MAX + 2 * GOLOMB_LANES
};

/* One per lane. left: one more than the value, less the gaps and values that have been read. */
typedef struct golomb_eight {
    __m512i codes, at, end, left, key;
} golomb_eight;

typedef struct golomb_queue {
    uint64_t codes[GOLOMB_QUEUE], at[GOLOMB_QUEUE], end[GOLOMB_QUEUE], left[GOLOMB_QUEUE],
        key[GOLOMB_QUEUE];
} golomb_queue;

GOLOMB_EACH __m512i golomb_all(uint64_t v) { return _mm512_set1_epi64((long long)v); }

/* 64 bits from bit `at` of the codes on, turned over: the first one is the highest, and the upper 57 are right. */
GOLOMB_EACH __m512i golomb_load(const golomb_eight *e)
{
    const __m512i turn =
        _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    const __m512i byte = _mm512_add_epi64(e->codes, _mm512_srli_epi64(e->at, 3));
    const __m512i w = _mm512_i64gather_epi64(byte, NULL, 1);
    const __m512i over = _mm512_xor_si512(_mm512_shuffle_epi8(w, turn), golomb_all(UINT64_MAX));
    return _mm512_sllv_epi64(over, _mm512_and_si512(e->at, golomb_all(7)));
}

/* The lanes in `free` take the next keys; after the last one the queue has places without codes, of no key. */
GOLOMB_EACH void golomb_fill(golomb_eight *e, const golomb_queue *q, size_t *next, __mmask8 free)
{
    e->codes = _mm512_mask_expandloadu_epi64(e->codes, free, q->codes + *next);
    e->at = _mm512_mask_expandloadu_epi64(e->at, free, q->at + *next);
    e->end = _mm512_mask_expandloadu_epi64(e->end, free, q->end + *next);
    e->left = _mm512_mask_expandloadu_epi64(e->left, free, q->left + *next);
    e->key = _mm512_mask_expandloadu_epi64(e->key, free, q->key + *next);
    *next += (size_t)__builtin_popcount(free);
}

/* A code that is longer than a load: its lane ends by the plain way. */
GOLOMB_EACH void golomb_long_codes(const blm_golomb_set *s, const golomb_eight *e, __mmask8 stuck,
                                   __mmask8 *found)
{
    uint64_t codes[GOLOMB_LANES], at[GOLOMB_LANES], end[GOLOMB_LANES], left[GOLOMB_LANES];
    _mm512_storeu_si512(codes, e->codes);
    _mm512_storeu_si512(at, e->at);
    _mm512_storeu_si512(end, e->end);
    _mm512_storeu_si512(left, e->left);
    for (unsigned l = 0; l < GOLOMB_LANES; l++) {
        if (!(stuck >> l & 1)) continue;
        const golomb_place p = {(const uint8_t *)(uintptr_t)codes[l], at[l], end[l], left[l] - 1};
        if (golomb_in(s, p)) *found = (__mmask8)(*found | 1u << l);
    }
}

/* The codes of one load per lane; returns which lanes have their answer, *found: a yes. Bits are turned over, so that the ones
 * of a quotient are zeros: y, what is after them, is 2^(low + 1) - 1 - x. A gap and the value after it are then
 * q m + m - y for a long remainder, q m + 2^low - y / 2 for a short one. Nothing that
 * the next load waits for goes through a mask: a comparison takes five times as long as a sum. */
GOLOMB_EACH __mmask8 golomb_step(const blm_golomb_set *s, golomb_eight *e, unsigned codes,
                                 __mmask8 *found)
{
    const blm_code code = s->code;
    const uint64_t half = UINT64_C(1) << code.low;
    const __m128i keep = _mm_cvtsi32_si128((int)(63 - code.low));
    const __m512i none = golomb_all(0), one = golomb_all(1), m = golomb_all(code.m),
                  long_below = golomb_all(2 * (half - code.cut)), short_one = golomb_all(half),
                  low = golomb_all(code.low);
    const __m512i room =
        _mm512_min_epu64(_mm512_sub_epi64(e->end, e->at), golomb_all(BLM_CODE_WINDOW));
    __m512i w = golomb_load(e), length = none, used = none, left = e->left;
    __mmask8 yes = 0, past = 0;
    for (unsigned i = 0; i < codes; i++) {
        const __m512i q = _mm512_lzcnt_epi64(w), q1 = _mm512_add_epi64(q, one);
        w = _mm512_sllv_epi64(w, q1);
        const __m512i y = _mm512_srl_epi64(w, keep);
        const __m512i more = _mm512_srli_epi64(_mm512_sub_epi64(y, long_below), 63);
        const __m512i tail = _mm512_add_epi64(low, more);
        w = _mm512_sllv_epi64(w, tail);
        length = _mm512_add_epi64(length, _mm512_add_epi64(q1, tail));
        const __mmask8 is_long = _mm512_cmplt_epu64_mask(y, long_below),
                       whole = _mm512_cmple_epu64_mask(length, room);
        const __m512i rest = _mm512_mask_sub_epi64(
            _mm512_sub_epi64(short_one, _mm512_srli_epi64(y, 1)), is_long, m, y);
        left = _mm512_sub_epi64(left, _mm512_add_epi64(rest, _mm512_mul_epu32(q, m)));
        yes = _kor_mask8(yes, _mm512_mask_cmpeq_epi64_mask(whole, left, none));
        past = _kor_mask8(past, _mm512_mask_cmple_epi64_mask(whole, left, none));
        used = _mm512_mask_mov_epi64(used, whole, length);
        e->left = _mm512_mask_mov_epi64(e->left, whole, left);
    }
    e->at = _mm512_add_epi64(e->at, used);
    *found = yes;
    const __mmask8 ended = (__mmask8)(past | _mm512_cmpge_epu64_mask(e->at, e->end)),
                   stuck = (__mmask8)(~ended & _mm512_cmpeq_epi64_mask(used, none));
    if (__builtin_expect(stuck, 0)) golomb_long_codes(s, e, stuck, found);
    return (__mmask8)(ended | stuck);
}

/* Answers of all lanes, without a branch: those that are not known yet are written again later. */
GOLOMB_EACH void golomb_tell(const golomb_eight *e, __mmask8 found, uint8_t *answers)
{
    uint64_t key[GOLOMB_LANES];
    _mm512_storeu_si512(key, e->key);
    for (unsigned l = 0; l < GOLOMB_LANES; l++) answers[key[l]] = found >> l & 1;
}

/* Two registers in turn: while one waits for its load, the other computes. */
GOLOMB_AVX512 void blm_golomb_ask_avx512(const blm_golomb_set *s, const golomb_place *p, size_t n,
                                         uint8_t *yes)
{
    golomb_queue q;
    golomb_eight e[2];
    uint8_t answers[GOLOMB_KEYS_MAX + 1];
    const unsigned codes = BLM_CODE_WINDOW / (s->code.low + 3);
    for (size_t i = 0; i < GOLOMB_QUEUE; i++) {
        const bool there = i < n;
        q.codes[i] = (uint64_t)(uintptr_t)p[there ? i : 0].codes;
        q.at[i] = there ? p[i].at : 0;
        q.end[i] = there ? p[i].end : 0;
        q.left[i] = there ? p[i].value + 1 : 0;
        q.key[i] = there ? i : GOLOMB_KEYS_MAX;
    }
    size_t next = 0, unanswered = n;
    for (unsigned i = 0; i < 2; i++) {
        e[i].codes = e[i].at = e[i].end = e[i].left = e[i].key = golomb_all(0);
        golomb_fill(&e[i], &q, &next, 0xff);
    }
    while (unanswered)
        for (unsigned i = 0; i < 2; i++) {
            __mmask8 found;
            const __mmask8 done = golomb_step(s, &e[i], codes, &found),
                           real = _mm512_cmplt_epu64_mask(e[i].key, golomb_all(GOLOMB_KEYS_MAX));
            golomb_tell(&e[i], found, answers);
            unanswered -= (size_t)__builtin_popcount(done & real);
            next = next < n ? next : n;
            golomb_fill(&e[i], &q, &next, done);
        }
    memcpy(yes, answers, n);
}

bool blm_golomb_avx512_fits(const blm_golomb_set *s)
{
    return s->code.low < 31 && s->width < UINT64_C(1) << 62 && sizeof(void *) == 8 &&
           __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
}

#else
bool blm_golomb_avx512_fits(const blm_golomb_set *s) { return (void)s, false; }

void blm_golomb_ask_avx512(const blm_golomb_set *s, const golomb_place *p, size_t n, uint8_t *yes)
{
    (void)s, (void)p, (void)n, (void)yes;
}
#endif

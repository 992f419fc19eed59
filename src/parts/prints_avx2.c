/* prints_avx2.c - many fingerprints of four tables on x86 with AVX2.
 *
 *     element          0          1          2          3
 *     two loads    | 0 first  | 0 second | 1 first  | 1 second |      a load of 16 bytes has a whole bucket
 *     a bucket     | 2 first  | 2 second | 3 first  | 3 second |
 *
 *     more         | 0 first  | 1 first  | 2 first  | 3 first  |
 *                  | 0 second | 1 second | 2 second | 3 second |      and so on
 *
 * The same answers and bytes as prints_many.c.
 */
#include "parts/prints_each.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define AVX2      __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define AVX2_EACH AVX2 BLM_EACH

static AVX2_EACH __m256i broadcast(uint64_t v) { return _mm256_set1_epi64x((long long)v); }

static AVX2_EACH __m256i four_lanes(const blm_prints_work *w, const blm_prints_place *x,
                                    unsigned load)
{
    const uint8_t *from = w->cells + w->p.whole.at[load].byte;
    const __m256i words = _mm256_set_epi64x(
        (long long)blm_le64(from + x->at[3]), (long long)blm_le64(from + x->at[2]),
        (long long)blm_le64(from + x->at[1]), (long long)blm_le64(from + x->at[0]));
    return _mm256_srl_epi64(words, _mm_cvtsi32_si128((int)w->p.whole.at[load].shift));
}

/* blm_prints_in_use() and blm_prints_matches() of four words. */
static AVX2_EACH __m256i four_in_use(const blm_prints_work *w, __m256i lanes)
{
    return _mm256_add_epi64(_mm256_and_si256(lanes, broadcast(w->p.whole.counters)),
                            broadcast(w->p.whole.below));
}

static AVX2_EACH __m256i four_matches(const blm_prints_work *w, __m256i lanes, uint64_t want)
{
    const __m256i below = broadcast(w->p.whole.below),
                  above = broadcast(w->p.whole.below - w->p.whole.counters);
    const __m256i differ = _mm256_xor_si256(lanes, broadcast(want)),
                  low = _mm256_and_si256(differ, below);
    const __m256i unlike = _mm256_or_si256(_mm256_add_epi64(low, above), differ);
    return _mm256_andnot_si256(unlike, _mm256_add_epi64(low, below));
}

/* Bit i: element i has a bit of `top`. */
static AVX2_EACH unsigned elements_with(const blm_prints_work *w, __m256i v)
{
    const __m256i tops = _mm256_and_si256(v, broadcast(w->p.whole.top));
    const __m256i none = _mm256_cmpeq_epi64(tops, _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(none)) ^ 15;
}

static AVX2_EACH bool any_with(const blm_prints_work *w, __m256i v)
{
    return !_mm256_testz_si256(v, broadcast(w->p.whole.top));
}

/* The emptiest of four buckets, the leftmost of equals: element of[t] of `used` has a bit per cell in use of bucket t. */
static AVX2_EACH blm_err put_emptiest(const blm_prints_work *w, const blm_prints_place *x,
                                      uint64_t tail, __m256i used, const uint8_t of[4],
                                      unsigned loads)
{
    uint64_t bits[4];
    unsigned best = UINT32_MAX;
    _mm256_storeu_si256((__m256i *)bits, used);
    for (unsigned t = 0; t < 4; t++) {
        const unsigned with = (unsigned)__builtin_popcountll(bits[of[t]]) << 3 | t;
        best = with < best ? with : best;
    }
    if (best >> 3 >= w->p.slots) return BLM_E_FULL;
    blm_prints_put_first(w, x, tail, x->at[best & 7], loads);
    return BLM_OK;
}

/* ---- buckets of two loads: at most 16 bytes --------------------------------------------------- */

/* The last buckets of the last table end less than 16 bytes before the region does. */
static AVX2_EACH __m128i bucket_of(const blm_prints_work *w, uint64_t at, bool last)
{
    uint8_t room[16] = {0};
    if (!last || at <= w->bytes - 16) return _mm_loadu_si128((const __m128i *)(w->cells + at));
    memcpy(room, w->cells + at, w->p.whole.bytes);
    return _mm_loadu_si128((const __m128i *)room);
}

static AVX2_EACH __m256i two_buckets(const blm_prints_work *w, const blm_prints_place *x,
                                     unsigned table)
{
    const blm_prints_loads *l = &w->p.whole;
    const long long first = (long long)l->at[0].shift, second = (long long)l->at[1].shift;
    const __m256i both = _mm256_set_m128i(bucket_of(w, x->at[table + 1], table == 2),
                                          bucket_of(w, x->at[table], false));
    const __m256i order = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)l->order));
    return _mm256_srlv_epi64(_mm256_shuffle_epi8(both, order),
                             _mm256_setr_epi64x(first, second, first, second));
}

static AVX2_EACH bool pairs_have(const blm_prints_work *w, const blm_prints_place *x)
{
    const uint64_t want = blm_prints_want(w, x);
    return any_with(w, _mm256_or_si256(four_matches(w, two_buckets(w, x, 0), want),
                                       four_matches(w, two_buckets(w, x, 2), want)));
}

/* The order of elements is that of tables and their loads. */
static AVX2_EACH bool pairs_seek(const blm_prints_work *w, const blm_prints_place *x,
                                 unsigned *table, unsigned *load)
{
    const uint64_t want = blm_prints_want(w, x);
    const unsigned with = elements_with(w, four_matches(w, two_buckets(w, x, 0), want)) |
                          elements_with(w, four_matches(w, two_buckets(w, x, 2), want)) << 4;
    const unsigned first = (unsigned)__builtin_ctz(with | 256);
    *table = first / 2;
    *load = first % 2;
    return with;
}

static AVX2_EACH blm_err pairs_enter(const blm_prints_work *w, const blm_prints_place *x,
                                     uint64_t tail)
{
    static const uint8_t of[4] = {0, 2, 1, 3}; /* by unpacklo and unpackhi */
    const uint64_t want = blm_prints_want(w, x);
    const blm_prints_loads *l = &w->p.whole;
    const long long first = (long long)l->at[0].own, second = (long long)l->at[1].own;
    const __m256i own = _mm256_setr_epi64x(first, second, first, second);
    const __m256i a = two_buckets(w, x, 0), b = two_buckets(w, x, 2);
    if (any_with(w, _mm256_or_si256(four_matches(w, a, want), four_matches(w, b, want))))
        return BLM_E_ABSENT;
    const __m256i in_a = _mm256_and_si256(four_in_use(w, a), own),
                  in_b = _mm256_and_si256(four_in_use(w, b), own);
    const __m256i used = _mm256_or_si256(_mm256_unpacklo_epi64(in_a, in_b),
                                         _mm256_srli_epi64(_mm256_unpackhi_epi64(in_a, in_b), 1));
    return put_emptiest(w, x, tail, used, of, 2);
}

/* ---- the searches -------------------------------------------------------------------------- */

static AVX2_EACH bool avx2_have(const blm_prints_work *w, const blm_prints_place *x,
                                unsigned tables, unsigned loads)
{
    const uint64_t want = blm_prints_want(w, x);
    __m256i found = _mm256_setzero_si256();
    (void)tables;
    if (loads == 2) return pairs_have(w, x);
    for (unsigned j = 0; j < loads; j++)
        found = _mm256_or_si256(found, four_matches(w, four_lanes(w, x, j), want));
    return any_with(w, found);
}

static AVX2_EACH bool avx2_seek(const blm_prints_work *w, const blm_prints_place *x,
                                unsigned tables, unsigned loads, blm_packed_at *s)
{
    const uint64_t want = blm_prints_want(w, x);
    unsigned with[BLM_PRINTS_LOADS], any = 0, table = 0, load = 0;
    (void)tables;
    for (unsigned j = 0; loads != 2 && j < loads; j++) {
        with[j] = elements_with(w, four_matches(w, four_lanes(w, x, j), want));
        any |= with[j];
    }
    if (loads == 2 ? !pairs_seek(w, x, &table, &load) : !any) return false;
    if (loads != 2) {
        table = (unsigned)__builtin_ctz(any);
        for (unsigned j = loads; j-- > 0;) load = with[j] >> table & 1 ? j : load;
    }
    const uint64_t lanes = blm_prints_load(w, x->at[table], load);
    *s = blm_prints_spot(w, x->at[table], load,
                         blm_prints_matches(&w->p.whole, lanes, want) & w->p.whole.top);
    return true;
}

/* The highest bits of lanes in use, those of load j moved down by j, so that none meets another: a lane has 8 bits. */
static AVX2_EACH blm_err avx2_enter(const blm_prints_work *w, const blm_prints_place *x,
                                    uint64_t tail, unsigned tables, unsigned loads)
{
    static const uint8_t of[4] = {0, 1, 2, 3};
    const uint64_t want = blm_prints_want(w, x);
    __m256i match = _mm256_setzero_si256(), used = match;
    (void)tables;
    if (loads == 2) return pairs_enter(w, x, tail);
    for (unsigned j = 0; j < loads; j++) {
        const __m256i lanes = four_lanes(w, x, j);
        const __m256i own =
            _mm256_and_si256(four_in_use(w, lanes), broadcast(w->p.whole.at[j].own));
        match = _mm256_or_si256(match, four_matches(w, lanes, want));
        used = _mm256_or_si256(used, _mm256_srli_epi64(own, (int)j));
    }
    return any_with(w, match) ? BLM_E_ABSENT : put_emptiest(w, x, tail, used, of, loads);
}

static const blm_prints_search avx2 = {avx2_have, avx2_seek, avx2_enter};

/* Buckets of two loads (up to 16 bits per cell: 0.2 %) and of three (20 bits: 0.01 %) as constants. */
#define BY_LOADS(CALL, ...)                                                                        \
    (p->whole.n == 2   ? CALL(p, f, b, __VA_ARGS__, &avx2, 4, 2)                                   \
     : p->whole.n == 3 ? CALL(p, f, b, __VA_ARGS__, &avx2, 4, 3)                                   \
                       : CALL(p, f, b, __VA_ARGS__, &avx2, 4, p->whole.n))

static AVX2 void avx2_has(const blm_prints *p, const blm_filter *f, const blm_prints_batch *b,
                          uint8_t *yes)
{
    BY_LOADS(blm_prints_has_all, yes);
}

static AVX2 blm_err avx2_add(const blm_prints *p, blm_filter *f, const blm_prints_batch *b,
                             const blm_prints_own *own, uint8_t *fresh, size_t *done,
                             blm_census *sum)
{
    return BY_LOADS(blm_prints_add_all, own, fresh, done, sum);
}

static AVX2 uint64_t avx2_del(const blm_prints *p, blm_filter *f, const blm_prints_batch *b,
                              uint8_t *absent)
{
    return BY_LOADS(blm_prints_del_all, absent);
}

static AVX2 void avx2_count(const blm_prints *p, const blm_filter *f, const blm_prints_batch *b,
                            blm_estimate *times)
{
    BY_LOADS(blm_prints_count_all, times);
}

const blm_prints_row blm_prints_avx2 = {avx2_has, avx2_add, avx2_del, avx2_count};

bool blm_prints_avx2_fits(const blm_prints *p)
{
    return p->tables == 4 && p->whole.n && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

#else
const blm_prints_row blm_prints_avx2 = {0};

bool blm_prints_avx2_fits(const blm_prints *p) { return (void)p, false; }
#endif

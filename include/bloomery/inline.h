/* bloomery/inline.h - queries for one key at a time, compiled into the caller's loop.
 *
 *     blm_lens lens;
 *     if (!blm_lens_of(f, &lens)) return ask_with_blm_has(f);
 *     for (size_t i = 0; i < n; i++)
 *         if (blm_lens_has_u64(&lens, id[i])) keep(id[i]);
 *
 * A lens is a small copy of what a query needs: where the cells are, how many, the seed. It saves
 * the calls, the table of kinds and the checks that blm_has makes for each key. Use it where keys
 * come one by one. Where many keys are at hand, blm_has_many_u64 is faster still, and in filters
 * larger than the caches it is several times as fast, because it fetches cells ahead.
 *
 * Answers are those of blm_has and blm_has_u64, bit for bit, on every machine. Kinds blocked,
 * split-block, word and standard have a lens, in memory and mapped.
 *
 * A lens stays valid while its filter keeps its cells. These calls on the filter end it, and asking
 * it afterwards is undefined: blm_free, blm_clear, blm_grow, blm_adopt. Freeing the buffer of a
 * blm_view ends it, too. Adding keys does not: blm_add and all its forms, blm_merge and
 * blm_intersect change the bits in place, and the lens sees them. Saving, copying and folding
 * leave the filter as it is. A lens owns nothing and need not be freed; a copy of it is as good.
 *
 * Threads: a query only reads. As with blm_has, no other thread may change the filter meanwhile.
 *
 * bloomery.h does not include this header. Compile with the headers of the library that the
 * program runs with: the members of a lens may change in any release. With -mavx2 (or -march=)
 * the tests for blocked and split-block are compiled in place. Without it they call the vector
 * routine of the library if the machine has AVX2 (5 to 15 % longer in cache). On a machine with
 * AVX-512, blocked calls the library unless it is compiled for that. On 64-bit ARM the tests are
 * always compiled in place, by NEON. Elsewhere they are plain C.
 */
#ifndef BLOOMERY_INLINE_H
#define BLOOMERY_INLINE_H
#include <bloomery/core.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define BLM_LENS_AVX512
#endif
#elif defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define BLM_LENS_NEON
#endif

/* BLM_INLINE marks public calls whose body is in this header. They are inlined even where the
 * compiler would count their instructions and call them instead. BLM_APART is for longer loops,
 * which would cost the short ones their registers: 6 % measured. */
#if defined(__GNUC__)
#define BLM_INLINE static inline __attribute__((always_inline))
#define BLM_APART  static __attribute__((noinline, unused))
#else
#define BLM_INLINE static inline
#define BLM_APART  static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Where the bits of a key are. */
typedef enum blm_lens_form {
    BLM_LENS_LINE = 1,  /* blocked: in one block of 512 bits                       */
    BLM_LENS_SPLIT = 2, /* split-block: one in each of 8 lanes of a block          */
    BLM_LENS_WORDS = 3, /* word: in one to four words of 32 or 64 bits             */
    BLM_LENS_BITS = 4   /* standard: anywhere                                      */
} blm_lens_form;

/* What a query needs to know of a filter. Set it with blm_lens_of; its members are for the calls
 * below. */
typedef struct blm_lens {
    const uint8_t *cells; /* they belong to the filter                                        */
    uint64_t count;       /* of blocks, words or bits                                         */
    uint64_t seed;        /* of the hash                                                      */
    uint64_t flip;        /* the seed as the hash of 8 bytes uses it                          */
    /* The vector routine of the library for this form; NULL: the machine has none. */
    bool (*test)(const struct blm_lens *lens, uint64_t hash);
    bool wide;    /* it uses AVX-512                                                             */
    uint8_t form; /* a blm_lens_form                                                        */
    uint8_t hashes; /* bits per key                                                           */
    uint8_t reads;  /* of WORDS: words per key                                                */
    uint8_t width;  /* of WORDS: bits per word, 32 or 64                                      */
} blm_lens;

/* Sets *lens for queries to f. Returns false, and leaves *lens alone, if f has none: it is of
 * another kind, it hashes with a secret, or it was opened with BLM_CHECK_TOUCHED, where each query
 * compares checksums. Use blm_has then. Cost: a few instructions, and no memory. */
BLM_API bool blm_lens_of(const blm_filter *f, blm_lens *lens);

/* Returns the hash of a key, which is blm_hash_of(f, key, len).lo. Lenses with the same seed agree
 * on it, so that one hash serves a query to many of them. */
BLM_API uint64_t blm_lens_hash(const blm_lens *lens, const void *key, size_t len);

/* Like blm_lens_hash, for an integer: its 8 bytes, little-endian on every machine. */
BLM_INLINE uint64_t blm_lens_hash_u64(const blm_lens *lens, uint64_t key);

/* Returns whether the key with this hash may be in the set, as blm_has_hash does. */
BLM_INLINE bool blm_lens_has_hash(const blm_lens *lens, uint64_t hash);

/* Returns whether an integer may be in the set, as blm_has_u64 does. Cost: the hash is two
 * products; blocked and split-block then read one cache line and have no branch per bit. */
BLM_INLINE bool blm_lens_has_u64(const blm_lens *lens, uint64_t key);

/* Returns whether a key may be in the set, as blm_has does. Cost: one call for the hash, unless the
 * key has 8 bytes; then as blm_lens_has_u64. */
BLM_INLINE bool blm_lens_has(const blm_lens *lens, const void *key, size_t len);

/* ---- how it works ---------------------------------------------------------------------------- */

/* All that follows is for the calls above, not for callers. It is here a second time, because
 * callers have no other header to inline it from. The specification is in the sources:
 * src/simd/block.h (LINE, SPLIT), src/parts/words.h (WORDS), src/parts/probe.h (BITS) and xxhash.h
 * (the hash). The law `lens` of the tests compares every form with the library. */

/* Multiplies a by b: returns the lower half of the product, and sets *high to the upper one. */
static inline uint64_t blm_lens_mul(uint64_t a, uint64_t b, uint64_t *high)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 blm_lens_u128;
    const blm_lens_u128 p = (blm_lens_u128)a * b;
    *high = (uint64_t)(p >> 64);
    return (uint64_t)p;
#else
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t ll = al * bl, lh = al * bh, hl = ah * bl;
    const uint64_t mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    *high = ah * bh + (lh >> 32) + (hl >> 32) + (mid >> 32);
    return mid << 32 | (uint32_t)ll;
#endif
}

/* Returns x, uniform over 64 bits, brought into 0 .. n - 1. */
static inline uint64_t blm_lens_reduce(uint64_t x, uint64_t n)
{
    uint64_t high;
    blm_lens_mul(x, n, &high);
    return high;
}

/* Returns word i, from 0, of the random stream that starts at this hash (wyrand). */
static inline uint64_t blm_lens_word(uint64_t hash, unsigned i)
{
    const uint64_t s = hash + (uint64_t)(i + 1) * UINT64_C(0xa0761d6478bd642f);
    uint64_t high;
    const uint64_t low = blm_lens_mul(s, s ^ UINT64_C(0xe7037ed1a0b428db), &high);
    return low ^ high;
}

/* Returns the little-endian word of 64 bits at p, which may have any alignment. */
static inline uint64_t blm_lens_load(const uint8_t *p)
{
    uint64_t v = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&v, p, sizeof v);
#else
    for (unsigned i = 8; i-- > 0;) v = v << 8 | p[i];
#endif
    return v;
}

/* Returns XXH3-64, with the seed of the lens, of the 8 bytes of a number. */
static inline uint64_t blm_lens_hash_u64(const blm_lens *lens, uint64_t key)
{
    const uint64_t factor = UINT64_C(0x9fb21c651e98df25);
    uint64_t h = (key << 32 | key >> 32) ^ lens->flip;
    h ^= (h << 49 | h >> 15) ^ (h << 24 | h >> 40);
    h *= factor;
    h ^= (h >> 35) + 8; /* the length of the key */
    h *= factor;
    return h ^ h >> 28;
}

#ifdef __AVX2__
#ifdef BLM_LENS_AVX512
/* LINE: returns which of up to seven bits, those of `lanes`, are missing. Seven places of 9 bits
 * lie in one word. A shuffle and a shift bring each into a lane of its own; the upper 4 of its
 * bits choose one of 16 words of 32 bits, the lower 5 the bit in it. */
static inline unsigned blm_lens_line_missing(const uint8_t *line, uint64_t word, unsigned lanes)
{
    const __m256i from = _mm256_setr_epi8(0, 1, -1, -1, 1, 2, -1, -1, 2, 3, -1, -1, 3, 4, -1, -1, 4,
                                          5, -1, -1, 5, 6, -1, -1, 6, 7, -1, -1, -1, -1, -1, -1);
    const __m256i shift = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 0);
    const __m256i all = _mm256_shuffle_epi8(_mm256_set1_epi64x((long long)word), from);
    const __m256i place = _mm256_srlv_epi32(all, shift), which = _mm256_srli_epi32(place, 5);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)line);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(line + 32));
    const __m256i bit = _mm256_rolv_epi32(_mm256_set1_epi32(1), place);
    return _mm256_mask_testn_epi32_mask((__mmask8)lanes,
                                        _mm256_permutex2var_epi32(low, which, high), bit);
}

/* Returns the lanes of a word that has this many places or more. */
static inline unsigned blm_lens_lanes(unsigned places)
{
    return places < 7 ? (1u << places) - 1 : 0x7f;
}

/* LINE: returns whether a key has all its bits in its block: seven per word of the stream. */
static inline bool blm_lens_line(const blm_lens *lens, uint64_t hash)
{
    const uint8_t *line = lens->cells + blm_lens_reduce(hash, lens->count) * 64;
    const unsigned all = lens->hashes;
    unsigned missing = blm_lens_line_missing(line, blm_lens_word(hash, 0), blm_lens_lanes(all));
    for (unsigned i = 1; 7 * i < all; i++)
        missing |= blm_lens_line_missing(line, blm_lens_word(hash, i), blm_lens_lanes(all - 7 * i));
    return !missing;
}
#else
/* LINE: returns which of up to seven bits, those in lanes where keep is 1, are missing. Seven
 * places of 9 bits lie in one word. A shuffle and a shift bring each into a lane of its own; the
 * upper 4 of its bits choose one of 16 words of 32 bits, the lower 5 the bit in it. */
static inline __m256i blm_lens_line_missing(const uint8_t *line, uint64_t word, __m256i keep)
{
    const __m256i from = _mm256_setr_epi8(0, 1, -1, -1, 1, 2, -1, -1, 2, 3, -1, -1, 3, 4, -1, -1, 4,
                                          5, -1, -1, 5, 6, -1, -1, 6, 7, -1, -1, -1, -1, -1, -1);
    const __m256i shift = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 0);
    const __m256i all = _mm256_shuffle_epi8(_mm256_set1_epi64x((long long)word), from);
    const __m256i place = _mm256_srlv_epi32(all, shift), which = _mm256_srli_epi32(place, 5);
    const __m256i bit = _mm256_sllv_epi32(keep, _mm256_and_si256(place, _mm256_set1_epi32(31)));
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)line);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(line + 32));
    const __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, which));
    const __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, which));
    const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(place, 23)); /* bit 8 to the sign */
    return _mm256_andnot_si256(_mm256_castps_si256(_mm256_blendv_ps(a, b, upper)), bit);
}

/* LINE: returns whether a key has all its bits in its block. */
static inline bool blm_lens_line(const blm_lens *lens, uint64_t hash)
{
    const uint8_t *line = lens->cells + blm_lens_reduce(hash, lens->count) * 64;
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 64);
    const __m256i seven = _mm256_setr_epi32(1, 1, 1, 1, 1, 1, 1, 0);
    __m256i missing = _mm256_setzero_si256();
    int left = lens->hashes;
    unsigned i = 0;
    for (; left > 7; left -= 7) /* seven places per word of the stream */
        missing =
            _mm256_or_si256(missing, blm_lens_line_missing(line, blm_lens_word(hash, i++), seven));
    const __m256i last = _mm256_srli_epi32(_mm256_cmpgt_epi32(_mm256_set1_epi32(left), lane), 31);
    missing = _mm256_or_si256(missing, blm_lens_line_missing(line, blm_lens_word(hash, i), last));
    return _mm256_testz_si256(missing, missing);
}
#endif

/* SPLIT: returns whether a key has all its bits, one per lane of 32: the upper 5 bits of a product
 * with a factor of the lane's own. */
static inline bool blm_lens_split(const blm_lens *lens, uint64_t hash)
{
    const uint8_t *block = lens->cells + ((hash >> 32) * lens->count >> 32) * 32;
    const __m256i factor =
        _mm256_setr_epi32(0x47b6137b, 0x44974d91, (int)0x8824ad5b, (int)0xa2b7289d, 0x705495c7,
                          0x2df1424b, (int)0x9efc4947, 0x5c6bfb31);
    const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), factor);
    const __m256i bit = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
    return _mm256_testc_si256(_mm256_loadu_si256((const __m256i *)(const void *)block), bit);
}
#elif defined(BLM_LENS_NEON)
/* LINE: returns which of up to seven bits, those in lanes where keep is 1, are missing. Seven
 * places of 9 bits lie in one word. The upper 6 bits of each choose one of 64 bytes, the lower 3
 * the bit in it. */
static inline uint8x8_t blm_lens_line_missing(uint8x16x4_t line, uint64_t word, uint8x8_t keep)
{
    const uint8x16_t from = vcombine_u8(vcreate_u8(UINT64_C(0x0403030202010100)),
                                        vcreate_u8(UINT64_C(0xffff070606050504)));
    const int16x8_t shift = vcombine_s16(vcreate_s16(UINT64_C(0xfffdfffeffff0000)),
                                         vcreate_s16(UINT64_C(0x0000fffafffbfffc)));
    const uint8x16_t all = vqtbl1q_u8(vreinterpretq_u8_u64(vdupq_n_u64(word)), from);
    const uint16x8_t place =
        vandq_u16(vshlq_u16(vreinterpretq_u16_u8(all), shift), vdupq_n_u16(511));
    const uint8x8_t turn = vand_u8(vmovn_u16(place), vdup_n_u8(7));
    const uint8x8_t byte = vqtbl4_u8(line, vshrn_n_u16(place, 3));
    return vbic_u8(vshl_u8(keep, vreinterpret_s8_u8(turn)), byte);
}

/* LINE: returns whether a key has all its bits in its block. */
static inline bool blm_lens_line(const blm_lens *lens, uint64_t hash)
{
    const uint8_t *at = lens->cells + blm_lens_reduce(hash, lens->count) * 64;
    const uint64_t seven = UINT64_C(0x0001010101010101);
    uint8x16x4_t line;
    line.val[0] = vld1q_u8(at), line.val[1] = vld1q_u8(at + 16);
    line.val[2] = vld1q_u8(at + 32), line.val[3] = vld1q_u8(at + 48);
    uint8x8_t missing = vdup_n_u8(0);
    unsigned left = lens->hashes, i = 0;
    for (; left > 7; left -= 7) /* seven places per word of the stream */
        missing = vorr_u8(missing,
                          blm_lens_line_missing(line, blm_lens_word(hash, i++), vcreate_u8(seven)));
    missing = vorr_u8(missing, blm_lens_line_missing(line, blm_lens_word(hash, i),
                                                     vcreate_u8(seven >> 8 * (7 - left))));
    return vget_lane_u64(vreinterpret_u64_u8(missing), 0) == 0;
}

/* SPLIT: returns whether a key has all its bits, one per lane of 32: the upper 5 bits of a product
 * with a factor of the lane's own. */
static inline bool blm_lens_split(const blm_lens *lens, uint64_t hash)
{
    static const uint32_t factor[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                       0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    const uint8_t *block = lens->cells + ((hash >> 32) * lens->count >> 32) * 32;
    uint32x4_t missing = vdupq_n_u32(0);
    for (unsigned i = 0; i < 2; i++) {
        const uint32x4_t cells = vreinterpretq_u32_u8(vld1q_u8(block + (size_t)16 * i));
        const uint32x4_t product = vmulq_n_u32(vld1q_u32(factor + (size_t)4 * i), (uint32_t)hash);
        const int32x4_t turn = vreinterpretq_s32_u32(vshrq_n_u32(product, 27));
        missing = vorrq_u32(missing, vbicq_u32(vshlq_u32(vdupq_n_u32(1), turn), cells));
    }
    return vmaxvq_u32(missing) == 0;
}
#else
/* LINE: returns whether a key has all its bits in its block. Each word of the stream has seven
 * places. */
static inline bool blm_lens_line(const blm_lens *lens, uint64_t hash)
{
    const uint8_t *line = lens->cells + blm_lens_reduce(hash, lens->count) * 64;
    unsigned all = 1, left = lens->hashes;
    for (unsigned i = 0; left; i++) {
        uint64_t word = blm_lens_word(hash, i);
        unsigned here = left < 7 ? left : 7;
        left -= here;
        for (; here; here--, word >>= 9) all &= (unsigned)line[word >> 3 & 63] >> (word & 7);
    }
    return all;
}

/* SPLIT: returns whether a key has all its bits, one per lane of 32: the upper 5 bits of a product
 * with a factor of the lane's own. */
static inline bool blm_lens_split(const blm_lens *lens, uint64_t hash)
{
    const uint32_t factor[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    const uint8_t *block = lens->cells + ((hash >> 32) * lens->count >> 32) * 32;
    uint64_t all = 1;
    for (unsigned i = 0; i < 8; i += 2) { /* two lanes per load */
        const uint64_t lanes = blm_lens_load(block + (size_t)4 * i);
        all &= lanes >> ((uint32_t)hash * factor[i] >> 27);
        all &= lanes >> 32 >> ((uint32_t)hash * factor[i + 1] >> 27);
    }
    return all;
}
#endif

/* WORDS: returns whether a key has all its bits, spread evenly over `reads` words. Places are drawn
 * out of the words of the stream after those of the reads: 10 of 6 bits per word, or 12 of 5. */
BLM_APART bool blm_lens_words(const blm_lens *lens, uint64_t hash)
{
    const unsigned reads = lens->reads, bits = lens->width == 64 ? 6 : 5;
    const unsigned share = lens->hashes / reads, longer = lens->hashes % reads;
    unsigned next = reads - 1, left = 0;
    uint64_t word = 0;
    for (unsigned i = 0; i < reads; i++) {
        const uint64_t from = i ? blm_lens_word(hash, i - 1) : hash;
        const uint64_t at = blm_lens_reduce(from, lens->count) * lens->width;
        uint64_t mask = 0;
        for (unsigned n = share + (i < longer); n; n--, left--, word >>= bits) {
            if (!left) word = blm_lens_word(hash, next++), left = 64 / bits;
            mask |= UINT64_C(1) << (word & (lens->width - 1u));
        }
        if (mask << at % 64 & ~blm_lens_load(lens->cells + at / 64 * 8)) return false;
    }
    return true;
}

/* BITS: returns bit i of a key, 0 or 1. */
static inline unsigned blm_lens_bit(const blm_lens *lens, uint64_t hash, unsigned i)
{
    const uint64_t at = blm_lens_reduce(blm_lens_word(hash, i), lens->count);
    return (unsigned)lens->cells[at >> 3] >> (at & 7) & 1;
}

/* BITS: returns whether a key has all its bits, each in a cache line of its own. The first four are
 * read together: where each of them ends the question is a coin, and a wrong guess of the processor
 * costs more than the reads. */
BLM_APART bool blm_lens_bits(const blm_lens *lens, uint64_t hash)
{
    unsigned i = 0;
    if (lens->hashes >= 4) {
        i = 4;
        if (!(blm_lens_bit(lens, hash, 0) & blm_lens_bit(lens, hash, 1) &
              blm_lens_bit(lens, hash, 2) & blm_lens_bit(lens, hash, 3)))
            return false;
    }
    for (; i < lens->hashes; i++)
        if (!blm_lens_bit(lens, hash, i)) return false;
    return true;
}

/* The library's routine, or the one of the form; of a form that this header does not know: yes. */
static inline bool blm_lens_has_hash(const blm_lens *lens, uint64_t hash)
{
#ifndef __AVX2__
    if (lens->test) return lens->test(lens, hash);
#elif !defined(BLM_LENS_AVX512)
    if (lens->wide && lens->test) return lens->test(lens, hash);
#endif
    if (lens->form == BLM_LENS_LINE) return blm_lens_line(lens, hash);
    if (lens->form == BLM_LENS_SPLIT) return blm_lens_split(lens, hash);
    if (lens->form == BLM_LENS_WORDS) return blm_lens_words(lens, hash);
    return lens->form != BLM_LENS_BITS || blm_lens_bits(lens, hash);
}

/* The hash, then the test. */
static inline bool blm_lens_has_u64(const blm_lens *lens, uint64_t key)
{
    return blm_lens_has_hash(lens, blm_lens_hash_u64(lens, key));
}

/* The same; 8 bytes are a number. */
static inline bool blm_lens_has(const blm_lens *lens, const void *key, size_t len)
{
    if (!key && len) return false;
    return len == 8 ? blm_lens_has_u64(lens, blm_lens_load((const uint8_t *)key))
                    : blm_lens_has_hash(lens, blm_lens_hash(lens, key, len));
}

#ifdef __cplusplus
}
#endif
#endif

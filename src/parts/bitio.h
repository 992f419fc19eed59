/* bitio.h - numbers of any width as a row of bits, and the code of Golomb.
 *
 * Bit 0 of byte 0 comes first. Writer and reader hold up to 63 bits and move whole bytes, eight at a time
 * where there is room, so that a number costs a shift and an OR. Neither leaves its buffer: what did not fit, or was not
 * there, sets `over`.
 *
 * Golomb's code of v with parameter m: v / m zeros and a one, then v % m in ceil(log2 m) bits, or one bit less where
 * that is enough (truncated binary). For gaps between ones of density p the best m is near ln 2 / p:
 *
 *     m = 5, v = 12:   0 0 1 | 0 1 1     two times m; remainder 2 is below 2^3 - 5 = 3, so two bits: 2, low bit first
 *     m = 5, v = 14:   0 0 1 | 1 1 1     remainder 4 is not: (4 + 3) / 2 in two bits, and the last bit
 *
 * Papers and BIP 158 write the same lengths in another order (blm_code_put, blm_code_get): the highest bit of byte 0 comes
 * first, v / m is that many ones and a zero, and the remainder begins with its highest bit. There any bit of a row can be read
 * first, by one load, so that a code in the middle needs nothing before it:
 *
 *     m = 10, v = 42:  1 1 1 1 0 | 0 1 0      m = 10, v = 9:  0 | 1 1 1 1
 */
#ifndef BLM_PARTS_BITIO_H
#define BLM_PARTS_BITIO_H
#include <stdbool.h>
#include <stddef.h>
#include "core/bytes.h"

/* ---- writing --------------------------------------------------------------------------------------- */

typedef struct blm_bit_writer {
    uint8_t *p;
    size_t room, at; /* bytes */
    uint64_t held;   /* bits that are no whole byte yet: 0 to 7 of them between calls */
    unsigned bits;
    bool over; /* something did not fit */
} blm_bit_writer;

static inline void blm_bits_flush(blm_bit_writer *w)
{
    if (w->room - w->at >= 8) {
        blm_put64(w->p + w->at, w->held);
        w->at += w->bits >> 3;
        w->held >>= w->bits & ~7u;
        w->bits &= 7;
        return;
    }
    for (; w->bits >= 8; w->bits -= 8, w->held >>= 8) {
        if (w->at < w->room)
            w->p[w->at++] = (uint8_t)w->held;
        else
            w->over = true;
    }
}

/* The low n bits of v, n at most 56; v has no other bits. */
static inline void blm_bits_put(blm_bit_writer *w, uint64_t v, unsigned n)
{
    w->held |= v << w->bits;
    w->bits += n;
    blm_bits_flush(w);
}

static inline void blm_bits_put_zeros(blm_bit_writer *w, uint64_t n)
{
    for (; n > 48 && !w->over; n -= 48) blm_bits_put(w, 0, 48);
    blm_bits_put(w, 0, n > 48 ? 0 : (unsigned)n);
}

/* Fills the last byte with zeros. Returns the bytes in all. */
static inline size_t blm_bits_end(blm_bit_writer *w)
{
    if (w->bits) blm_bits_put(w, 0, 8 - w->bits);
    return w->at;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

typedef struct blm_bit_reader {
    const uint8_t *p;
    size_t n, at;  /* bytes */
    uint64_t held; /* the next bits; above them there may be copies of later ones */
    unsigned bits; /* how many: 56 to 63 after a fill, unless the end is near */
    bool over;     /* more was read than there is */
} blm_bit_reader;

static inline void blm_bits_fill(blm_bit_reader *r)
{
    if (r->n - r->at >= 8) {
        r->held |= blm_le64(r->p + r->at) << r->bits;
        r->at += (63 - r->bits) >> 3;
        r->bits |= 56;
        return;
    }
    for (; r->bits < 56 && r->at < r->n; r->bits += 8)
        r->held |= (uint64_t)r->p[r->at++] << r->bits;
}

static inline void blm_bits_drop(blm_bit_reader *r, unsigned n)
{
    r->held >>= n;
    r->bits -= n;
}

/* n bits, n at most 56; 0 when they are not there. */
static inline uint64_t blm_bits_get(blm_bit_reader *r, unsigned n)
{
    if (r->bits < n) blm_bits_fill(r);
    if (r->bits < n) {
        r->over = true;
        return 0;
    }
    const uint64_t v = r->held & ((UINT64_C(1) << n) - 1);
    blm_bits_drop(r, n);
    return v;
}

/* Zeros up to the next one, which is read as well. */
static inline uint64_t blm_bits_get_zeros(blm_bit_reader *r)
{
    uint64_t zeros = 0;
    for (;;) {
        if (r->bits < 56) blm_bits_fill(r);
        if (r->held && (unsigned)__builtin_ctzll(r->held) < r->bits) {
            const unsigned n = (unsigned)__builtin_ctzll(r->held);
            blm_bits_drop(r, n + 1);
            return zeros + n;
        }
        if (!r->bits) {
            r->over = true;
            return 0;
        }
        zeros += r->bits;
        r->held = r->bits < 64 ? r->held >> r->bits : 0;
        r->bits = 0;
    }
}

/* Nothing was missing, and nothing is left but the zeros that fill the last byte. */
static inline bool blm_bits_ended(const blm_bit_reader *r)
{
    const uint64_t mask = (UINT64_C(1) << r->bits) - 1;
    return !r->over && r->at == r->n && r->bits < 8 && !(r->held & mask);
}

/* ---- Golomb's code --------------------------------------------------------------------------------------- */

#define BLM_GOLOMB_MAX (UINT64_C(1) << 48)

typedef struct blm_golomb {
    uint64_t m, cut; /* remainders below `cut` have one bit less */
    unsigned low;    /* ceil(log2 m)                             */
} blm_golomb;

/* m from 1 to BLM_GOLOMB_MAX. */
static inline blm_golomb blm_golomb_of(uint64_t m)
{
    const unsigned low = m > 1 ? 64u - (unsigned)__builtin_clzll(m - 1) : 0;
    return (blm_golomb){m, (UINT64_C(1) << low) - m, low};
}

/* The m that codes gaps between `ones` ones among `cells` bits in the fewest bits: the smallest one with
 * (1-p)^m + (1-p)^(m+1) <= 1 (Gallager and van Voorhis 1975), which ceil(ln 2 / p - 0.85) is for all p below 0.4. */
static inline uint64_t blm_golomb_best(uint64_t ones, uint64_t cells)
{
    for (; cells >> 44; cells >>= 1, ones >>= 1) continue;
    if (!ones) return BLM_GOLOMB_MAX;
    /* In 2^-16ths: ln 2 is 45426, 0.85 is 55706. */
    const uint64_t m = (cells * 45426 / ones + 65535 - 55706) >> 16;
    return m < 1 ? 1 : m < BLM_GOLOMB_MAX ? m : BLM_GOLOMB_MAX;
}

static inline uint64_t blm_golomb_whole(const blm_golomb *g, uint64_t v)
{
    if (v < g->m) return 0;
    return v >> 32 ? v / g->m : (uint32_t)v / (uint32_t)g->m; /* the narrow one is faster */
}

/* The length of v's code in bits. */
static inline uint64_t blm_golomb_bits(const blm_golomb *g, uint64_t v)
{
    const uint64_t q = blm_golomb_whole(g, v);
    return q + 1 + g->low - (v - q * g->m < g->cut);
}

static inline void blm_golomb_put(blm_bit_writer *w, const blm_golomb *g, uint64_t v)
{
    const uint64_t q = blm_golomb_whole(g, v), r = v - q * g->m;
    const uint64_t shifted = r + g->cut; /* of the longer codes: the last bit goes to their end */
    uint64_t code = r;
    unsigned bits = g->low;
    if (g->low && r < g->cut)
        bits--;
    else if (g->low)
        code = shifted >> 1 | (shifted & 1) << (g->low - 1);
    if (q + 1 + bits <= 56) {
        blm_bits_put(w, (UINT64_C(1) | code << 1) << q, (unsigned)q + 1 + bits);
        return;
    }
    blm_bits_put_zeros(w, q);
    blm_bits_put(w, 1 | code << 1, bits + 1);
}

/* The next number, if it is at most `max`; else, or when it is not there, sets r->over. */
static inline uint64_t blm_golomb_get(blm_bit_reader *r, const blm_golomb *g, uint64_t max)
{
    const uint64_t q = blm_bits_get_zeros(r);
    uint64_t v = 0;
    if (q > max / g->m) r->over = true;
    if (r->over) return 0;
    if (g->low) {
        v = blm_bits_get(r, g->low - 1);
        if (v >= g->cut) v = 2 * v + blm_bits_get(r, 1) - g->cut;
    }
    v += q * g->m;
    if (v > max) r->over = true;
    return r->over ? 0 : v;
}

/* ---- Golomb's code as papers write it ---------------------------------------------------------------------- */

#define BLM_CODE_SLACK 8 /* bytes after the last bit that loads may touch */

typedef struct blm_code {
    uint64_t m, cut; /* remainders below `cut` have `low` bits, the others one more */
    unsigned low;    /* floor(log2 m)                                               */
} blm_code;

/* m from 1 to BLM_GOLOMB_MAX. */
static inline blm_code blm_code_of(uint64_t m)
{
    const unsigned low = 63u - (unsigned)__builtin_clzll(m);
    return (blm_code){m, (UINT64_C(2) << low) - m, low};
}

static inline uint64_t blm_be64(const uint8_t *p) { return __builtin_bswap64(blm_le64(p)); }

typedef struct blm_code_writer {
    uint8_t *p;         /* whole words of 8 bytes */
    uint64_t words, at; /* how many, and how many of them are written */
    uint64_t held;      /* the next ones, from the highest bit on */
    unsigned bits;      /* 0 to 63 */
    bool over;          /* something did not fit */
} blm_code_writer;

static inline uint64_t blm_code_place(const blm_code_writer *w) { return w->at * 64 + w->bits; }

static inline void blm_code_word(blm_code_writer *w)
{
    if (w->at < w->words)
        blm_put64(w->p + w->at++ * 8, __builtin_bswap64(w->held));
    else
        w->over = true;
}

/* The low n bits of v, n from 1 to 63; v has no other bits. */
static inline void blm_code_bits(blm_code_writer *w, uint64_t v, unsigned n)
{
    const unsigned room = 64 - w->bits;
    if (n < room) {
        w->held |= v << (room - n);
        w->bits += n;
        return;
    }
    w->held |= v >> (n - room);
    blm_code_word(w);
    w->bits = n - room;
    w->held = w->bits ? v << (64 - w->bits) : 0;
}

static inline void blm_code_put(blm_code_writer *w, const blm_code *c, uint64_t v)
{
    uint64_t q = v < c->m ? 0 : v / c->m;
    const uint64_t r = v - q * c->m;
    const unsigned more = r >= c->cut;
    for (; q >= 62 && !w->over; q -= 62) blm_code_bits(w, (UINT64_C(1) << 62) - 1, 62);
    if (w->over) return;
    blm_code_bits(w, (UINT64_C(2) << q) - 2, (unsigned)q + 1);
    if (c->low + more) blm_code_bits(w, r + (more ? c->cut : 0), c->low + more);
}

/* Writes the last bits, filled up with zeros. */
static inline void blm_code_end(blm_code_writer *w)
{
    if (w->bits) blm_code_word(w);
    w->held = w->bits = 0;
}

/* The code at bit *at, which moves to its end; as many bits as there may be, and BLM_CODE_SLACK bytes more, can be read. A code
 * that goes past `end`, or whose quotient is above `most`, is UINT64_MAX. most * m is below 2^63. */
static inline uint64_t blm_code_get_long(const uint8_t *p, uint64_t *at, uint64_t end,
                                         const blm_code *c, uint64_t most)
{
    uint64_t q = 0, bit = *at, r = 0;
    for (; bit < end && q <= most && p[bit / 8] >> (7 - bit % 8) & 1; bit++) q++;
    if (q > most || bit >= end || end - bit - 1 < c->low) return UINT64_MAX;
    bit++;
    for (unsigned i = 0; i < c->low; i++, bit++) r = r << 1 | (p[bit / 8] >> (7 - bit % 8) & 1);
    if (r >= c->cut) {
        if (bit >= end) return UINT64_MAX;
        r = (r << 1 | (p[bit / 8] >> (7 - bit % 8) & 1)) - c->cut;
        bit++;
    }
    *at = bit;
    return q * c->m + r;
}

enum { BLM_CODE_WINDOW = 57 }; /* bits that one load has, wherever it begins */

/* Likewise by one load, where the code is short enough for that, without a look at the end: else UINT64_MAX. */
static inline uint64_t blm_code_get(const uint8_t *p, uint64_t *at, const blm_code *c)
{
    const uint64_t w = blm_be64(p + (*at >> 3)) << (*at & 7);
    const unsigned q = (unsigned)__builtin_clzll(~w | 1);
    if (q + 2 + c->low > BLM_CODE_WINDOW) return UINT64_MAX;
    const uint64_t longer = w << (q + 1) >> (63 - c->low); /* with the bit after it */
    const bool more = longer >= 2 * c->cut;
    *at += q + 1 + c->low + more;
    return q * c->m + (more ? longer - c->cut : longer >> 1);
}
#endif

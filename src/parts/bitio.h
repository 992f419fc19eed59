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
#endif

/* coder.c - gaps between ones, and varints. */
#include "parts/coder.h"

/* ---- varints --------------------------------------------------------------------------------------- */

size_t blm_varint_put(uint8_t *p, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) p[n++] = (uint8_t)(v | 0x80);
    p[n++] = (uint8_t)v;
    return n;
}

size_t blm_varint_get(const uint8_t *p, size_t n, uint64_t *v)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n && i < BLM_VARINT_MAX; i++) {
        const uint64_t part = p[i] & 0x7f;
        if (i == BLM_VARINT_MAX - 1 && part > 1) return 0;
        sum |= part << (7 * i);
        if (p[i] & 0x80) continue;
        if (i && !part) return 0;
        *v = sum;
        return i + 1;
    }
    return 0;
}

/* ---- gaps -------------------------------------------------------------------------------------------- */

/* The word that begins at this byte; zeros after the last byte. */
static uint64_t word_at(const uint8_t *cells, size_t bytes, size_t at)
{
    uint64_t w = 0;
    if (bytes - at >= 8) return blm_le64(cells + at);
    for (size_t i = bytes; i-- > at;) w = w << 8 | cells[i];
    return w;
}

uint64_t blm_ones_in(const uint8_t *cells, size_t bytes)
{
    uint64_t ones = 0;
    size_t at = 0;
    for (; bytes - at >= 8; at += 8) ones += blm_ones_of(blm_le64(cells + at));
    return ones + (at < bytes ? blm_ones_of(word_at(cells, bytes, at)) : 0);
}

size_t blm_gaps_encode(const uint8_t *cells, size_t bytes, uint64_t ones, uint8_t *out, size_t room)
{
    uint8_t head[2 * BLM_VARINT_MAX];
    const blm_golomb g = blm_golomb_of(blm_golomb_best(ones, (uint64_t)bytes * 8));
    size_t n = blm_varint_put(head, g.m);
    n += blm_varint_put(head + n, ones);
    if (n > room) return 0;
    memcpy(out, head, n);
    blm_bit_writer w = {.p = out, .room = room, .at = n};
    uint64_t next = 0; /* the first place where the next one can be */
    for (size_t at = 0; at < bytes && !w.over; at += 8)
        for (uint64_t x = word_at(cells, bytes, at); x; x &= x - 1) {
            const uint64_t place = (uint64_t)at * 8 + (unsigned)__builtin_ctzll(x);
            blm_golomb_put(&w, &g, place - next);
            next = place + 1;
        }
    n = blm_bits_end(&w);
    return w.over ? 0 : n;
}

bool blm_gaps_decode(const uint8_t *in, size_t n, uint8_t *cells, size_t bytes)
{
    uint64_t m, ones;
    const uint64_t end = (uint64_t)bytes * 8;
    const size_t first = blm_varint_get(in, n, &m);
    const size_t second = first ? blm_varint_get(in + first, n - first, &ones) : 0;
    if (!second || m < 1 || m > BLM_GOLOMB_MAX || ones > end) return false;
    const blm_golomb g = blm_golomb_of(m);
    blm_bit_reader r = {.p = in + first + second, .n = n - first - second};
    uint64_t next = 0;
    for (; ones && !r.over && next < end; ones--) {
        const uint64_t place = next + blm_golomb_get(&r, &g, end - 1 - next);
        if (r.over) return false;
        cells[place / 8] |= (uint8_t)(1u << place % 8);
        next = place + 1;
    }
    if (!ones) blm_bits_fill(&r); /* what is left must be less than a byte */
    return !ones && blm_bits_ended(&r);
}

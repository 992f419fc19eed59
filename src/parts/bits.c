/* bits.c - whole arrays of bits, 64 at a time. */
#include "parts/bits.h"
#include "simd/lanes.h"

uint64_t blm_bits_count(const uint8_t *cells, uint64_t bytes)
{
    return blm_lanes_best()->ones(cells, bytes);
}

uint64_t blm_bits_count_in(const uint8_t *cells, uint64_t from, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t at = from, left = n; left;) { /* up to the end of each word */
        const uint64_t here = 64 - at % 64, take = left < here ? left : here;
        const uint64_t mask = take < 64 ? (UINT64_C(1) << take) - 1 : UINT64_MAX;
        sum += blm_ones_of(blm_le64(cells + at / 64 * 8) >> at % 64 & mask);
        at += take;
        left -= take;
    }
    return sum;
}

uint64_t blm_bits_or(uint8_t *into, const uint8_t *from, uint64_t bytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < bytes; i += 8) {
        const uint64_t w = blm_le64(into + i) | blm_le64(from + i);
        blm_put64(into + i, w);
        n += blm_ones_of(w);
    }
    return n;
}

uint64_t blm_bits_and(uint8_t *into, const uint8_t *from, uint64_t bytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < bytes; i += 8) {
        const uint64_t w = blm_le64(into + i) & blm_le64(from + i);
        blm_put64(into + i, w);
        n += blm_ones_of(w);
    }
    return n;
}

/* The even bits of w | w >> 1, gathered into the low 32: each step halves the gaps. */
static uint64_t squeeze(uint64_t w)
{
    w = (w | w >> 1) & UINT64_C(0x5555555555555555);
    w = (w | w >> 1) & UINT64_C(0x3333333333333333);
    w = (w | w >> 2) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    w = (w | w >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    w = (w | w >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (w | w >> 16) & UINT64_C(0x00000000ffffffff);
}

uint64_t blm_bits_fold(uint8_t *half, uint64_t half_bytes, const uint8_t *from, uint64_t bytes)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < half_bytes; i += 8) {
        const uint64_t low = squeeze(blm_le64(from + 2 * i));
        const uint64_t high = 2 * i + 8 < bytes ? squeeze(blm_le64(from + 2 * i + 8)) : 0;
        blm_put64(half + i, low | high << 32);
        n += blm_ones_of(low | high << 32);
    }
    return n;
}

bool blm_bits_tail_zero(const uint8_t *cells, uint64_t bytes, uint64_t bits)
{
    if (bits / 8 >= bytes) return true;
    if (cells[bits / 8] >> (bits & 7)) return false;
    for (uint64_t i = bits / 8 + 1; i < bytes; i++)
        if (cells[i]) return false;
    return true;
}

blm_err blm_bits_check(const blm_filter *f, uint64_t bits, uint64_t ones, blm_report *why)
{
    if (!blm_bits_tail_zero(f->cells, f->bytes, bits))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last one is set");
    return blm_bits_count(f->cells, f->bytes) == ones
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: the number of ones differs from its field");
}

blm_err blm_bits_adopt(blm_filter *f, const uint8_t *cells, uint64_t bits, uint64_t *ones,
                       blm_report *why)
{
    if (!blm_bits_tail_zero(cells, f->bytes, bits))
        return blm_fail(why, BLM_E_ARG, "a bit past the last one is set");
    memcpy(f->cells, cells, (size_t)f->bytes);
    *ones = blm_bits_count(f->cells, f->bytes);
    return BLM_OK;
}

blm_bits_pair blm_bits_compare(const uint8_t *a, const uint8_t *b, uint64_t bytes)
{
    blm_bits_pair p = {0, 0, true, true};
    for (uint64_t i = 0; i < bytes; i += 8) {
        const uint64_t x = blm_le64(a + i), y = blm_le64(b + i);
        p.both += blm_ones_of(x & y);
        p.either += blm_ones_of(x | y);
        p.a_in_b = p.a_in_b && !(x & ~y);
        p.b_in_a = p.b_in_a && !(y & ~x);
    }
    return p;
}

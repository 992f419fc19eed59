/* bytes.h - little-endian words at any address, the same on every machine.
 *
 * gcc and clang turn each into one load (and one byte swap on a big-endian machine).
 */
#ifndef BLM_CORE_BYTES_H
#define BLM_CORE_BYTES_H
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BLM_SWAP 1
#else
#define BLM_SWAP 0
#endif

static inline uint16_t blm_le16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return BLM_SWAP ? __builtin_bswap16(v) : v;
}

static inline uint32_t blm_le32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return BLM_SWAP ? __builtin_bswap32(v) : v;
}

static inline uint64_t blm_le64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return BLM_SWAP ? __builtin_bswap64(v) : v;
}

static inline void blm_put16(void *p, uint16_t v)
{
    v = BLM_SWAP ? __builtin_bswap16(v) : v;
    memcpy(p, &v, sizeof v);
}

static inline void blm_put32(void *p, uint32_t v)
{
    v = BLM_SWAP ? __builtin_bswap32(v) : v;
    memcpy(p, &v, sizeof v);
}

static inline void blm_put64(void *p, uint64_t v)
{
    v = BLM_SWAP ? __builtin_bswap64(v) : v;
    memcpy(p, &v, sizeof v);
}

/* Bits that are one. Without an option for the machine __builtin_popcountll calls a function that looks up bytes; this is
 * 12 operations, which loops over arrays do several words at a time. simd/lanes.h counts whole arrays faster. */
static inline unsigned blm_ones_of(uint64_t w)
{
    w -= w >> 1 & UINT64_C(0x5555555555555555);
    w = (w & UINT64_C(0x3333333333333333)) + (w >> 2 & UINT64_C(0x3333333333333333));
    return (unsigned)(((w + (w >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
                          UINT64_C(0x0101010101010101) >>
                      56);
}

/* An unsigned number of 1, 2, 4 or 8 bytes: the widths of a field table. */
static inline uint64_t blm_le_n(const uint8_t *p, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = width; i-- > 0;) v = v << 8 | p[i];
    return v;
}

static inline void blm_put_n(uint8_t *p, unsigned width, uint64_t v)
{
    for (unsigned i = 0; i < width; i++, v >>= 8) p[i] = (uint8_t)v;
}
#endif

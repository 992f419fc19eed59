/* packed.h - an array of cells of 1 to 57 bits, or of 64, cell 0 in the low bits of byte 0.
 *
 * A cell may cross a byte border. One 64-bit load at the cell's first byte has it whole: at most
 * 7 bits before it and 57 of it; cells of 64 bits begin with a byte. Near the end of the region the
 * load slides back instead of running past it, so no slack bytes are needed:
 *
 *     bytes   ... | b-8 | b-7 |  ...  | b-2 | b-1 |     region of b bytes, b >= 8
 *     cell                              [======]        wants a load at b-2: takes b-8, shift +48
 */
#ifndef BLM_PACKED_H
#define BLM_PACKED_H
#include <stdbool.h>
#include "core/bytes.h"

/* Bytes of a region that can be read so: whole 8-byte words. 0 when it overflows. */
static inline uint64_t blm_packed_bytes(uint64_t cells, unsigned width)
{
    if (cells > (UINT64_MAX - 63) / width) return 0;
    return (cells * width + 63) / 64 * 8;
}

static inline uint64_t blm_packed_top(unsigned width) { return UINT64_MAX >> (64 - width); }

typedef struct blm_packed_at {
    uint64_t byte;
    unsigned shift;
} blm_packed_at;

static inline blm_packed_at blm_packed_find(uint64_t bytes, unsigned width, uint64_t cell)
{
    const uint64_t bit = cell * width, byte = bit / 8 < bytes - 8 ? bit / 8 : bytes - 8;
    return (blm_packed_at){byte, (unsigned)(bit - byte * 8)};
}

static inline uint64_t blm_packed_get(const uint8_t *cells, uint64_t bytes, unsigned width,
                                      uint64_t cell)
{
    const blm_packed_at at = blm_packed_find(bytes, width, cell);
    return blm_le64(cells + at.byte) >> at.shift & blm_packed_top(width);
}

static inline void blm_packed_set(uint8_t *cells, uint64_t bytes, unsigned width, uint64_t cell,
                                  uint64_t v)
{
    const blm_packed_at at = blm_packed_find(bytes, width, cell);
    const uint64_t old = blm_le64(cells + at.byte), mask = blm_packed_top(width) << at.shift;
    blm_put64(cells + at.byte, (old & ~mask) | v << at.shift);
}

/* Are all bits after the last cell zero? There are at most 63 of them, in the last word. */
static inline bool blm_packed_tail_zero(const uint8_t *cells, uint64_t bytes, unsigned width,
                                        uint64_t count)
{
    const uint64_t used =
        count * width - (bytes - 8) * 8; /* bits of the last word in use: 1 to 64 */
    return used >= 64 || blm_le64(cells + bytes - 8) >> used == 0;
}
#endif

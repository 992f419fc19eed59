/* peel.h - gives each row of a fixed set a cell of its own, so that the xor of a row's cells is what the caller wants.
 *
 * A row x has 2 to 4 places among the cells. A cell with a single row is that row's own: the row is taken away, which may
 * leave other cells with a single row. When all rows are gone, cells are written in reverse: the last row's first. Each
 * write makes one equation true, and no cell of it is written again.
 *
 *     rows     a: 0 3    b: 0 4    c: 1 3 ...
 *     cell 4 has b alone: take b. Now 0 has a alone: take a. Now 3 has c alone: take c.     order  b a c
 *     written  c, a, b:   cell 3, then 0 (which knows 3), then 4 (which knows 0)
 *
 * Per cell it keeps the xor of its rows, and their number, so that a single row can be read off: 13 bytes per cell and 9 per
 * row. Rows are first put into the order of their first place, roughly, so that neighbours in time are neighbours in
 * memory: 47 ns per row for 2^21 rows whose places are near each other, and 54 without that, with all of it in a third
 * cache of 32 MiB; 68 and 81 where the second and third place are anywhere.
 *
 * The places and the values come from the caller, as static inline functions that are compiled into the loops.
 */
#ifndef BLM_PEEL_H
#define BLM_PEEL_H
#include "core/kind.h"
#include "core/mul128.h"
#include "parts/packed.h"

enum { BLM_PEEL_ARITY = 4, BLM_PEEL_ONE = 4 /* a row in `count`, above the bits of which place */ };
#define BLM_PEEL_CELLS UINT32_MAX /* at most: cells are numbered in 32 bits */

#if defined(__GNUC__)
#define BLM_PEEL_INLINE static inline __attribute__((always_inline))
#else
#define BLM_PEEL_INLINE static inline
#endif

/* The `arity` places of row x, all different. */
typedef void (*blm_peel_places)(const void *of, uint64_t x, uint64_t at[BLM_PEEL_ARITY]);
/* What the cells of row x, the number-th of the list, are to give. */
typedef uint64_t (*blm_peel_value)(const void *of, uint64_t x, uint32_t number);

typedef struct blm_peel {
    uint64_t *x;     /* the rows, by their first place; then those that were taken, in order     */
    uint64_t *sum;   /* per cell: xor of its rows                                                 */
    uint32_t *alone; /* cells with a single row that are not looked at yet                        */
    uint32_t
        *number;     /* with x: which row of the list it is; NULL: nobody asks                    */
    uint32_t *tally; /* per cell: xor of these numbers                                            */
    uint8_t *which;  /* of a row that was taken: which of its places is its own                   */
    uint8_t *count;  /* per cell: rows * BLM_PEEL_ONE + xor of which of their places it is        */
    uint64_t rows, cells, bytes;
} blm_peel;

/* Room for rows and cells, both below 2^32. numbered: `value` looks at the number. NOMEM: p has nothing to free. */
blm_err blm_peel_new(blm_peel *p, const blm_alloc *a, uint64_t rows, uint64_t cells, bool numbered);
void blm_peel_free(blm_peel *p, const blm_alloc *a);

/* The finisher of MurmurHash3: one to one. */
static inline uint64_t blm_peel_mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}
/* Fills x with blm_peel_mix(lo + seed), in the order of their bits from `turn` on (0: the highest come first). */
void blm_peel_rows(blm_peel *p, const uint64_t *lo, uint64_t seed, unsigned turn);
/* Makes all cells empty. */
void blm_peel_clear(blm_peel *p);

/* Counts the rows of each cell. False: a cell has 64 or more, and its count is gone. */
BLM_PEEL_INLINE bool blm_peel_count(blm_peel *p, unsigned arity, blm_peel_places places,
                                    const void *of)
{
    uint64_t at[BLM_PEEL_ARITY];
    uint8_t lost = 0;
    for (uint64_t i = 0; i < p->rows; i++) {
        const uint64_t x = p->x[i];
        places(of, x, at);
        for (unsigned j = 0; j < arity; j++) {
            const uint8_t c = (uint8_t)((p->count[at[j]] + BLM_PEEL_ONE) ^ j);
            p->count[at[j]] = c;
            p->sum[at[j]] ^= x;
            if (p->number) p->tally[at[j]] ^= p->number[i];
            lost |= c < BLM_PEEL_ONE;
        }
    }
    return !lost;
}

/* Takes the row of this cell, which is its only one, away from its other cells; returns how many have one row left. */
BLM_PEEL_INLINE size_t blm_peel_take(blm_peel *p, uint64_t row, uint64_t cell, uint32_t *left,
                                     unsigned arity, blm_peel_places places, const void *of)
{
    uint64_t at[BLM_PEEL_ARITY];
    const uint64_t x = p->sum[cell];
    const uint32_t number = p->number ? p->tally[cell] : 0;
    const unsigned own = p->count[cell] % BLM_PEEL_ONE;
    size_t singles = 0;
    p->x[row] = x;
    p->which[row] = (uint8_t)own;
    if (p->number) p->number[row] = number;
    places(of, x, at);
    for (unsigned j = 0; j < arity; j++) {
        const uint8_t c = (uint8_t)((p->count[at[j]] - BLM_PEEL_ONE) ^ j);
        p->count[at[j]] = c;
        p->sum[at[j]] ^= x;
        if (p->number) p->tally[at[j]] ^= number;
        left[singles] = (uint32_t)at[j];
        singles += c / BLM_PEEL_ONE == 1; /* the own cell has none now */
    }
    return singles;
}

/* All rows, one after the other: true, and x, which, number are those that were taken, in order. False: some rows hold
 * each other fast. */
BLM_PEEL_INLINE bool blm_peel_order(blm_peel *p, unsigned arity, blm_peel_places places,
                                    const void *of)
{
    uint64_t taken = 0;
    if (!blm_peel_count(p, arity, places, of)) return false;
    for (uint64_t c = 0; c < p->cells; c++) {
        size_t n = 0;
        if (p->count[c] / BLM_PEEL_ONE == 1) p->alone[n++] = (uint32_t)c;
        while (n) {
            const uint64_t cell = p->alone[--n];
            if (p->count[cell] / BLM_PEEL_ONE != 1) continue; /* its row went by another cell */
            n += blm_peel_take(p, taken++, cell, p->alone + n, arity, places, of);
        }
    }
    return taken == p->rows;
}

/* Cells of 1 to 57 bits; a constant width of 8 or 16 becomes plain loads and stores. */
BLM_PEEL_INLINE uint64_t blm_peel_get(const uint8_t *cells, uint64_t bytes, unsigned width,
                                      uint64_t cell)
{
    if (width == 8) return cells[cell];
    if (width == 16) return blm_le16(cells + 2 * cell);
    return blm_packed_get(cells, bytes, width, cell);
}
BLM_PEEL_INLINE void blm_peel_set(uint8_t *cells, uint64_t bytes, unsigned width, uint64_t cell,
                                  uint64_t v)
{
    if (width == 8)
        cells[cell] = (uint8_t)v;
    else if (width == 16)
        blm_put16(cells + 2 * cell, (uint16_t)v);
    else
        blm_packed_set(cells, bytes, width, cell, v);
}

/* Xor of the cells of a row. */
BLM_PEEL_INLINE uint64_t blm_peel_ask(const uint8_t *cells, uint64_t bytes, unsigned width,
                                      unsigned arity, const uint64_t at[BLM_PEEL_ARITY])
{
    uint64_t v = 0;
    for (unsigned j = 0; j < arity; j++) v ^= blm_peel_get(cells, bytes, width, at[j]);
    return v;
}

/* After blm_peel_order: writes cells, all zero before, so that each row gives its value. */
BLM_PEEL_INLINE void blm_peel_write(const blm_peel *p, uint8_t *cells, uint64_t bytes,
                                    unsigned width, unsigned arity, blm_peel_places places,
                                    blm_peel_value value, const void *of)
{
    uint64_t at[BLM_PEEL_ARITY];
    for (uint64_t i = p->rows; i-- > 0;) {
        const uint64_t v = value(of, p->x[i], p->number ? p->number[i] : 0);
        places(of, p->x[i], at);
        blm_peel_set(cells, bytes, width, at[p->which[i]],
                     v ^ blm_peel_ask(cells, bytes, width, arity, at));
    }
}
#endif

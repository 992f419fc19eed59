/* runs.h - a sorted table of numbers: quotients say where, remainders are kept.
 *
 * The numbers of one quotient, its home, are a run: cells one after the other, at the home or, where that is taken, as soon after it
 * as there is room. Runs stand in the order of their homes. A block has 64 slots:
 *
 *     byte 0        offset: how many of the first slots belong to runs whose home lies before the block; 255: or more
 *     bytes 1-8     homes:  bit i is set if there is a run whose home is slot i
 *     bytes 9-16    ends:   bit i is set if the last cell of a run is in slot i
 *     bytes 17-     cells of `bits` bits, cell i at bit i * bits
 *
 * So the number of homes up to a slot, counted from the block's first one, says which end is that of its run. An offset of 255
 * says nothing: then the count begins at an earlier block. The slots after the last home are there so that no run
 * wraps around.
 *
 * A cell is [ remainder | counter ], and stands for counter + 1 copies of its number. Cells of a run rise by remainder. Of the cells
 * of one number all but the last are full, so that one multiset is one sequence of bytes. An empty slot is zero.
 *
 * Any bytes may lie in a table. Places come out of loops that end with the table, and cells are only read and written below
 * its number of slots.
 */
#ifndef BLM_QUOTIENT_RUNS_H
#define BLM_QUOTIENT_RUNS_H
#include <stdbool.h>
#include "core/fetch.h"
#include "parts/packed.h"
#include "parts/rank.h"

enum { BLM_RUNS_CELL = 57, BLM_RUNS_HEAD = 17, BLM_RUNS_FAR = 255, BLM_RUNS_STEPS = 8 };

typedef struct blm_runs {
    uint64_t homes, blocks, slots;
    uint64_t bytes;            /* of the cells of a block                */
    unsigned low, width, bits; /* of a remainder, of a counter, of both */
    unsigned block;            /* bytes                                 */
    uint64_t room;             /* cells that may be in use              */
} blm_runs;

/* Slots of a table with that many homes: 10 * sqrt(homes) more than these, but no more than twice as many, in whole blocks. */
uint64_t blm_runs_slots(uint64_t homes);
blm_runs blm_runs_of(uint64_t homes, unsigned low, unsigned width);
/* Of all blocks, in whole words. */
uint64_t blm_runs_bytes(const blm_runs *r);

/* ---- blocks ------------------------------------------------------------------------------ */

static inline uint64_t blm_runs_homes(const blm_runs *r, const uint8_t *cells, uint64_t block)
{
    return blm_le64(cells + block * r->block + 1);
}

static inline uint64_t blm_runs_ends(const blm_runs *r, const uint8_t *cells, uint64_t block)
{
    return blm_le64(cells + block * r->block + 9);
}

/* Requires a slot that there is. */
static inline uint64_t blm_runs_cell(const blm_runs *r, const uint8_t *cells, uint64_t slot)
{
    return blm_packed_get(cells + slot / 64 * r->block + BLM_RUNS_HEAD, r->bytes, r->bits,
                          slot % 64);
}

static inline void blm_runs_set(const blm_runs *r, uint8_t *cells, uint64_t slot, uint64_t cell)
{
    blm_packed_set(cells + slot / 64 * r->block + BLM_RUNS_HEAD, r->bytes, r->bits, slot % 64,
                   cell);
}

/* The slot's bit among those of homes, or of ends. */
static inline void blm_runs_mark(uint8_t *bits, uint64_t slot, bool is)
{
    const unsigned bit = 1u << slot % 8;
    bits[slot / 8] = (uint8_t)(is ? bits[slot / 8] | bit : bits[slot / 8] & ~bit);
}

static inline void blm_runs_set_home(const blm_runs *r, uint8_t *cells, uint64_t home, bool is)
{
    blm_runs_mark(cells + home / 64 * r->block + 1, home % 64, is);
}

static inline void blm_runs_set_end(const blm_runs *r, uint8_t *cells, uint64_t slot, bool is)
{
    blm_runs_mark(cells + slot / 64 * r->block + 9, slot % 64, is);
}

/* The block's head, and where the cell is if it is near its home. */
static inline void blm_runs_fetch(const blm_runs *r, const uint8_t *cells, uint64_t home)
{
    const uint8_t *block = cells + home / 64 * r->block;
    blm_fetch(block);
    blm_fetch(block + BLM_RUNS_HEAD + home % 64 * r->bits / 8);
}

/* Two blocks, further than which few adds go, but at most 6 lines: 18 % less time at 90 % load than without. */
static inline void blm_runs_fetch_all(const blm_runs *r, const uint8_t *cells, uint64_t home)
{
    const uint8_t *block = cells + home / 64 * r->block;
    const unsigned bytes = r->block < 192 ? 2 * r->block : 384;
    for (unsigned at = 0; at < bytes; at += 64) blm_fetch(block + at);
}

/* ---- where ------------------------------------------------------------------------------ */

static inline bool blm_runs_is_home(const blm_runs *r, const uint8_t *cells, uint64_t home)
{
    return blm_runs_homes(r, cells, home / 64) >> home % 64 & 1;
}

/* The slot of end number `n`, from 1, at `from` or after it; r->slots: there are fewer. */
static inline uint64_t blm_runs_end_from(const blm_runs *r, const uint8_t *cells, uint64_t from,
                                         uint64_t n)
{
    uint64_t block = from / 64;
    if (from >= r->slots) return r->slots;
    for (uint64_t w = blm_runs_ends(r, cells, block) >> from % 64 << from % 64;;
         w = blm_runs_ends(r, cells, block)) {
        const unsigned at = n <= 64 ? blm_select(w, (unsigned)n - 1) : 64;
        if (at < 64) return block * 64 + at;
        n -= blm_ones_of(w);
        if (++block == r->blocks) return r->slots;
    }
}

/* The last block up to this one whose offset is a number: the first one always is. */
static inline uint64_t blm_runs_known(const blm_runs *r, const uint8_t *cells, uint64_t block)
{
    while (block && cells[block * r->block] == BLM_RUNS_FAR) block--;
    return block;
}

/* The first slot that runs whose homes lie before the block leave free. */
static inline uint64_t blm_runs_begin(const blm_runs *r, const uint8_t *cells, uint64_t block)
{
    const uint64_t slot = block * 64 + (block ? cells[block * r->block] : 0);
    return slot < r->slots ? slot : r->slots;
}

/* The slot after all runs whose homes are up to this one: at most `home` if that slot is free. */
static inline uint64_t blm_runs_after(const blm_runs *r, const uint8_t *cells, uint64_t home)
{
    const uint64_t last = home / 64, first = blm_runs_known(r, cells, last);
    const uint64_t begin = blm_runs_begin(r, cells, first);
    uint64_t n = blm_rank(blm_runs_homes(r, cells, last), (unsigned)(home % 64) + 1);
    for (uint64_t b = first; b < last; b++) n += blm_ones_of(blm_runs_homes(r, cells, b));
    if (!n) return begin;
    const uint64_t end = blm_runs_end_from(r, cells, begin, n);
    return end < r->slots ? end + 1 : end;
}

/* The first slot of the run that has this home and ends before `after`. Requires home < after. */
static inline uint64_t blm_runs_first(const blm_runs *r, const uint8_t *cells, uint64_t home,
                                      uint64_t after)
{
    const uint64_t last = after - 1;
    uint64_t block = last / 64;
    uint64_t w = blm_runs_ends(r, cells, block) & ((UINT64_C(1) << last % 64) - 1);
    for (;; w = blm_runs_ends(r, cells, --block)) {
        if (block == home / 64) w = w >> home % 64 << home % 64;
        if (w) return block * 64 + 64 - (unsigned)__builtin_clzll(w);
        if (block == home / 64) return home;
    }
}

/* The first of the slots from..after-1 whose remainder is `rest` or more; `after`: none. Most runs have one or two cells, but a
 * key that came a million times has a million. */
static inline uint64_t blm_runs_search(const blm_runs *r, const uint8_t *cells, uint64_t from,
                                       uint64_t after, uint64_t rest)
{
    while (after - from > BLM_RUNS_STEPS) {
        const uint64_t middle = from + (after - from) / 2;
        if (blm_runs_cell(r, cells, middle) >> r->width < rest)
            from = middle + 1;
        else
            after = middle;
    }
    while (after > from && blm_runs_cell(r, cells, after - 1) >> r->width >= rest) after--;
    return after;
}

/* ---- one number: home << low | remainder ------------------------------------------------- */

typedef struct blm_runs_spot { /* where a number is, or would be */
    uint64_t home, rest;
    uint64_t after;    /* the slot after its run and those before it */
    uint64_t from, to; /* its cells                                  */
    bool run;          /* there is a run of its home                 */
} blm_runs_spot;

static inline bool blm_runs_has(const blm_runs *r, const uint8_t *cells, uint64_t number)
{
    const uint64_t home = number >> r->low, rest = number & blm_packed_top(r->low);
    if (!blm_runs_is_home(r, cells, home)) return false;
    const uint64_t after = blm_runs_after(r, cells, home);
    if (after <= home) return false; /* bytes that no table has */
    const uint64_t from = blm_runs_first(r, cells, home, after);
    const uint64_t at = blm_runs_search(r, cells, from, after, rest);
    return at < after && blm_runs_cell(r, cells, at) >> r->width == rest;
}

static inline blm_runs_spot blm_runs_find(const blm_runs *r, const uint8_t *cells, uint64_t number)
{
    blm_runs_spot s = {.home = number >> r->low, .rest = number & blm_packed_top(r->low)};
    s.after = blm_runs_after(r, cells, s.home);
    s.run = blm_runs_is_home(r, cells, s.home) && s.after > s.home;
    s.from = s.to = s.after > s.home ? s.after : s.home;
    if (!s.run) return s;
    const uint64_t first = blm_runs_first(r, cells, s.home, s.after);
    s.from = s.to = blm_runs_search(r, cells, first, s.after, s.rest);
    if (s.from < s.after && blm_runs_cell(r, cells, s.from) >> r->width == s.rest)
        s.to = blm_runs_search(r, cells, s.from + 1, s.after, s.rest + 1);
    return s;
}

/* How often a number is there. */
static inline uint64_t blm_runs_times(const blm_runs *r, const uint8_t *cells,
                                      const blm_runs_spot *s)
{
    if (s->from == s->to) return 0;
    const uint64_t last = blm_runs_cell(r, cells, s->to - 1);
    return ((s->to - s->from - 1) << r->width) + (last & ((UINT64_C(1) << r->width) - 1)) + 1;
}

/* ---- runs.c, and from the reader on runs_order.c ------------------------------------------------------------------------------ */

/* One more of a number that was found there. *used: 1 if it took a slot. False: there is none, and nothing has changed. */
bool blm_runs_add(const blm_runs *r, uint8_t *cells, const blm_runs_spot *s, uint64_t used,
                  uint64_t *took);
/* One less; returns 1 if a slot is free after it. Requires that the number is there. */
uint64_t blm_runs_del(const blm_runs *r, uint8_t *cells, const blm_runs_spot *s);

/* The numbers of a table as they rise, each once. */
typedef struct blm_runs_reader {
    const blm_runs *r;
    const uint8_t *cells;
    uint64_t block, homes; /* homes of the block that are still to come */
    uint64_t home, at, after;
} blm_runs_reader;
blm_runs_reader blm_runs_read(const blm_runs *r, const uint8_t *cells);
bool blm_runs_next(blm_runs_reader *x, uint64_t *number, uint64_t *times);

/* A table made of numbers that rise. */
typedef struct blm_runs_writer {
    const blm_runs *r;
    uint8_t *cells;
    uint64_t home, block,
        at; /* the run that is written; offsets are set up to this block; the next slot */
    uint64_t used, numbers; /* cells, different numbers */
} blm_runs_writer;
blm_runs_writer blm_runs_write(const blm_runs *r, uint8_t *zeroed);
bool blm_runs_put(blm_runs_writer *w, uint64_t number, uint64_t times); /* false: no room */
void blm_runs_done(blm_runs_writer *w);

/* Why these bytes are no table; NULL: they are the one that such numbers have. */
const char *blm_runs_fault(const blm_runs *r, const uint8_t *cells, uint64_t *used,
                           uint64_t *numbers);
#endif

/* prints.h - a table of fingerprints: one cell each, in one of a few buckets.
 *
 * A fingerprint is one of N = across * 2^low numbers, b * 2^low + rest. In table i its bucket is
 * (b + turn) mod across, where turn is a number below `across` that i and `rest` choose; the cell keeps `rest`
 * and a counter. For each table that is one to one: two fingerprints never have the same rest in the
 * same bucket, and the fingerprint can be read back from the cell. A kind may keep some bits of its own, a payload,
 * next to the counter: no search looks at them, and a cell that moves takes them along.
 *
 *     cell    [ rest, low bits | payload | counter ]   the counter in the low `width` bits; empty: all zero
 *                              [------ tail ------]    not zero in a cell in use
 *     bucket  | cell | cell | cell | ...     `slots` cells, not padded; table after table
 *
 * A bucket is searched some cells at a time: one 64-bit load has `run` of them as lanes. A lane is zero when
 * neither its highest bit is set nor adding 2^(bits - 1) - 1 to the others sets it; no carry leaves a lane.
 *
 * Without a counter (width 0) a cell is its rest, empty when that is zero, and a fingerprint may have several cells. A
 * rest of 0 is written as 1, so that 2^low + 2 of 2^(2 low) pairs of rests are taken for one. It stays so when `across`
 * doubles and `low` loses its highest bit to the bucket: what was 0 or 1 is 1 again, and a rest of which only that bit was
 * set is 0, so 1, for cells and for keys. The first table is not turned. Searches and writes here, and batches, are for
 * cells with a counter.
 *
 * Where buckets are whole bytes, and 8 of them or more, batches (prints_many.c) read a bucket by the same few loads
 * wherever it lies; the calls of one key here are their specification.
 */
#ifndef BLM_PRINTS_H
#define BLM_PRINTS_H
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/packed.h"

enum {
    BLM_PRINTS_TABLES = 8,
    BLM_PRINTS_CELL = 57,   /* most bits of a cell                 */
    BLM_PRINTS_RANGE = 63,  /* of a fingerprint                    */
    BLM_PRINTS_ACROSS = 50, /* of a bucket's number inside a table */
    BLM_PRINTS_LOADS = 8    /* of a bucket that batches read so */
};
#define BLM_PRINTS_NONE UINT64_MAX /* no such cell */

/* How to read a bucket that is whole bytes: no load leaves it, so that none leaves the region.
 *
 *     8 cells of 14 bits   | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |     14 bytes
 *     2 loads of 4 cells   [------ 8 bytes -----]                byte 0, shift 0
 *                                    [------ 8 bytes -----]      byte 6, shift 8
 */
typedef struct blm_prints_loads {
    unsigned n, bytes;                   /* loads; 0: not so. Of a bucket                   */
    unsigned cells;                      /* of a load                                       */
    uint64_t ones, top, below, counters; /* of a lane: lowest bit, highest, all below that, tail */
    struct {
        uint64_t own; /* the highest bits of the lanes that no load before has */
        unsigned byte, shift;
    } at[BLM_PRINTS_LOADS];
    uint8_t order[16]; /* of two loads: which bytes of the bucket they have */
} blm_prints_loads;

typedef struct blm_prints_row blm_prints_row;

typedef struct blm_prints {
    uint64_t across;            /* buckets a table                               */
    unsigned tables;            /* at most BLM_PRINTS_TABLES                     */
    unsigned slots;             /* cells a bucket                                */
    unsigned low, width;        /* bits: of a rest, of a counter, or 0           */
    unsigned tail;              /* of payload and counter together               */
    unsigned bits, run;         /* of a cell; cells of one load                  */
    uint64_t ones, top;         /* the lowest bit, the highest bit of each lane  */
    uint64_t tail_bits;         /* of all lanes                                  */
    blm_prints_loads whole;     /* buckets of whole bytes                       */
    const blm_prints_row *many; /* batches, by the best that this machine has; width 0: none */
} blm_prints;

blm_prints blm_prints_of(unsigned tables, uint64_t across, unsigned slots, unsigned low,
                         unsigned width);
/* With a payload of that many bits; 0: none. */
blm_prints blm_prints_with(unsigned tables, uint64_t across, unsigned slots, unsigned low,
                           unsigned payload, unsigned width);

static inline uint64_t blm_prints_cells(const blm_prints *p)
{
    return p->across * p->tables * p->slots;
}

/* ---- where ------------------------------------------------------------------------------ */

static inline uint64_t blm_prints_rest(const blm_prints *p, uint64_t print)
{
    const uint64_t rest = print & blm_packed_top(p->low);
    return rest | (!p->width & !rest);
}

static inline uint64_t blm_prints_turn(const blm_prints *p, unsigned table, uint64_t rest)
{
    return table || p->width ? blm_reduce(blm_stream(rest, table), p->across) : 0;
}

/* The first cells of the fingerprint's buckets, table by table. */
static inline void blm_prints_find(const blm_prints *p, uint64_t print,
                                   uint64_t at[BLM_PRINTS_TABLES])
{
    const uint64_t rest = blm_prints_rest(p, print);
    for (unsigned i = 0; i < p->tables; i++) {
        const uint64_t turned = (print >> p->low) + blm_prints_turn(p, i, rest);
        const uint64_t inside = turned < p->across ? turned : turned - p->across;
        at[i] = (p->across * i + inside) * p->slots;
    }
}

static inline void blm_prints_fetch(const blm_prints *p, const blm_filter *f, uint64_t print)
{
    uint64_t at[BLM_PRINTS_TABLES];
    blm_prints_find(p, print, at);
    for (unsigned i = 0; i < p->tables; i++)
        blm_fetch(f->cells + blm_packed_find(f->bytes, p->bits, at[i]).byte);
}

/* ---- cells ------------------------------------------------------------------------------ */

static inline uint64_t blm_prints_cell(const blm_prints *p, const blm_filter *f, uint64_t cell)
{
    return blm_packed_get(f->cells, f->bytes, p->bits, cell);
}

/* The ceiling of a counter; 0: there is none. */
static inline uint64_t blm_prints_top(const blm_prints *p) { return ~(UINT64_MAX << p->width); }

static inline uint64_t blm_prints_counter(const blm_prints *p, const blm_filter *f, uint64_t cell)
{
    return blm_prints_cell(p, f, cell) & blm_prints_top(p);
}

static inline uint64_t blm_prints_tail(const blm_prints *p, const blm_filter *f, uint64_t cell)
{
    return blm_prints_cell(p, f, cell) & blm_packed_top(p->tail);
}

/* The highest bit of each lane that is not zero. */
static inline uint64_t blm_prints_some(const blm_prints *p, uint64_t lanes)
{
    const uint64_t below = p->top - p->ones;
    return (((lanes & below) + below) | lanes) & p->top;
}

/* Cell `at` and those after it, as lanes; above them lies anything. */
static inline uint64_t blm_prints_lanes(const blm_prints *p, const blm_filter *f, uint64_t at)
{
    const blm_packed_at from = blm_packed_find(f->bytes, p->bits, at);
    return blm_le64(f->cells + from.byte) >> from.shift;
}

/* The cell in use that has this rest, in one of the buckets; BLM_PRINTS_NONE: there is none. The last load of
 * a bucket ends with it, and may have cells again that the one before had. */
static inline uint64_t blm_prints_among(const blm_prints *p, const blm_filter *f,
                                        const uint64_t at[BLM_PRINTS_TABLES], uint64_t rest)
{
    const uint64_t want = (rest << p->tail) * p->ones, below = p->top - p->ones;
    const uint64_t others = below & ~p->tail_bits;
    const unsigned tables = p->tables, last = p->slots - p->run;
    for (unsigned i = 0; i < tables; i++)
        for (unsigned slot = 0;; slot = slot + p->run < last ? slot + p->run : last) {
            const uint64_t lanes = blm_prints_lanes(p, f, at[i] + slot), differ = lanes ^ want;
            uint64_t found = ~(((differ & others) + below) | differ) & p->top;
            if (found) found &= blm_prints_some(p, lanes & p->tail_bits);
            if (found) return at[i] + slot + (unsigned)__builtin_ctzll(found) / p->bits;
            if (slot == last) break;
        }
    return BLM_PRINTS_NONE;
}

/* The cell of a fingerprint, or BLM_PRINTS_NONE. */
static inline uint64_t blm_prints_seek(const blm_prints *p, const blm_filter *f, uint64_t print)
{
    uint64_t at[BLM_PRINTS_TABLES];
    blm_prints_find(p, print, at);
    return blm_prints_among(p, f, at, blm_prints_rest(p, print));
}

/* The first empty cell of the emptiest bucket, the leftmost of equals; BLM_PRINTS_NONE: all are full. */
uint64_t blm_prints_vacant(const blm_prints *p, const blm_filter *f,
                           const uint64_t at[BLM_PRINTS_TABLES]);

/* Raises the counter of a fingerprint by `times`, not past its ceiling. All its buckets are searched before it
 * is given a cell. *change: cells that came into use, counters that came to their ceiling. FULL: nothing changed. A new
 * cell gets this payload, one that is there keeps its own; *cell is the one. */
static inline blm_err blm_prints_enter(const blm_prints *p, blm_filter *f, uint64_t print,
                                       uint64_t times, uint64_t payload, blm_census *change,
                                       uint64_t *cell)
{
    const uint64_t top = blm_prints_top(p), rest = blm_prints_rest(p, print);
    uint64_t at[BLM_PRINTS_TABLES];
    blm_prints_find(p, print, at);
    const uint64_t found = blm_prints_among(p, f, at, rest);
    const bool fresh = found == BLM_PRINTS_NONE;
    const uint64_t own = fresh ? blm_prints_vacant(p, f, at) : found;
    if (own == BLM_PRINTS_NONE) return BLM_E_FULL;
    const uint64_t v = fresh ? rest << p->tail | payload << p->width : blm_prints_cell(p, f, own);
    const uint64_t old = v & top, now = times < top - old ? old + times : top;
    blm_packed_set(f->cells, f->bytes, p->bits, own, v - old + now);
    *change = (blm_census){fresh, now == top && old < top};
    *cell = own;
    return BLM_OK;
}

static inline blm_err blm_prints_raise(const blm_prints *p, blm_filter *f, uint64_t print,
                                       uint64_t times, blm_census *change)
{
    uint64_t cell;
    return blm_prints_enter(p, f, print, times, 0, change, &cell);
}

/* Takes one from a counter that is not at its ceiling; the last one empties the cell. Returns 1 then. */
static inline uint64_t blm_prints_lower(const blm_prints *p, blm_filter *f, uint64_t cell)
{
    const uint64_t v = blm_prints_cell(p, f, cell), n = v & blm_prints_top(p);
    if (n == blm_prints_top(p)) return 0;
    blm_packed_set(f->cells, f->bytes, p->bits, cell, n > 1 ? v - 1 : 0);
    return n == 1;
}

/* ---- many keys ------------------------------------------------------------------------------ */

/* As a kind's calls has_many, add_many, del_many and count_many, for the fingerprints blm_reduce(h.lo, range): the same
 * answers and bytes as those of one key. The places of a key are found once, when its buckets are fetched. */
typedef struct blm_prints_batch {
    const blm_hash *h;
    size_t n, more;
    uint64_t range;
} blm_prints_batch;

/* Adds of a kind with payloads: of key i payload[i], below 2^(tail - width), is for a new cell; `again` adds a
 * fingerprint that has a cell, or any where buckets are not whole bytes. */
typedef struct blm_prints_own {
    const uint64_t *payload;
    blm_err (*again)(blm_filter *f, uint64_t print, uint64_t payload, blm_census *change);
} blm_prints_own;

struct blm_prints_row {
    void (*has)(const blm_prints *p, const blm_filter *f, const blm_prints_batch *b, uint8_t *yes);
    /* *sum: all changes. own NULL: there are no payloads. */
    blm_err (*add)(const blm_prints *p, blm_filter *f, const blm_prints_batch *b,
                   const blm_prints_own *own, uint8_t *fresh, size_t *done, blm_census *sum);
    /* Returns how many cells are out of use after it. */
    uint64_t (*del)(const blm_prints *p, blm_filter *f, const blm_prints_batch *b, uint8_t *absent);
    void (*count)(const blm_prints *p, const blm_filter *f, const blm_prints_batch *b,
                  blm_estimate *times);
};
extern const blm_prints_row blm_prints_plain; /* prints_many.c                              */
extern const blm_prints_row blm_prints_avx2;  /* prints_avx2.c: where tables and CPU fit it */
bool blm_prints_avx2_fits(const blm_prints *p);
const blm_prints_row *blm_prints_best(const blm_prints *p);

/* ---- what kinds say of their tables --------------------------------------------------------- */

/* Of `range` fingerprints as many have a cell as the case has keys; or `used`, where there is no case. */
blm_rate blm_prints_rate(uint64_t range, uint64_t used, const blm_case *c);
/* From the cells in use; where every fingerprint has one, only a lower bound is known. */
blm_estimate blm_prints_keys(uint64_t range, uint64_t used);
/* Cache lines of all buckets of a key, which begin anywhere in a line. */
double blm_prints_lines(const blm_prints *p);
/* As a kind's call `touch`: the cells of a fingerprint's buckets. */
size_t blm_prints_touch(const blm_prints *p, const blm_filter *f, uint64_t print, blm_touch *out,
                        size_t cap);

/* ---- whole tables ------------------------------------------------------------------------- */

/* The fingerprint that has this rest in this bucket, counted through all tables; and that of a cell. */
static inline uint64_t blm_prints_of_rest(const blm_prints *p, uint64_t bucket, uint64_t rest)
{
    const uint64_t inside = bucket % p->across,
                   turn = blm_prints_turn(p, (unsigned)(bucket / p->across), rest);
    return (inside >= turn ? inside - turn : inside + p->across - turn) << p->low | rest;
}
uint64_t blm_prints_back(const blm_prints *p, const blm_filter *f, uint64_t cell);
/* Empty cells are zero, no fingerprint has two cells, and the census is this one. */
blm_err blm_prints_check(const blm_prints *p, const blm_filter *f, blm_census said,
                         blm_report *why);
/* All fingerprints of f, which lie as `from` says, and those of g (NULL: none), which lie as q says, with their
 * counters in a new region of f, as `to` says. *sum: its census. An error: nothing changed, and why. */
blm_err blm_prints_move(blm_filter *f, const blm_prints *from, const blm_prints *to,
                        const blm_filter *g, const blm_prints *q, blm_census *sum, blm_report *why);
#endif

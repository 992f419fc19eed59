/* cells.h - slices of time side by side (parts/columns.h), each with the keys that expire in it.
 *
 *     region  [ cells of slices + 1 bits, packed into words | ones of column 0 | ones of column 1 | ... ]
 *
 * Slice number e is the time from e * slice to (e + 1) * slice - 1. A key that came at time t with a life of L is in the column of
 *
 *     e = floor((t + L) / slice) + 1        in column e modulo (slices + 1), which is emptied when slice e begins
 *
 * so it is found until t + L at least, and until t + L + slice at most. In slice s there are keys of the expiries s + 1 to
 * s + slices + 1: as many as there are columns.
 */
#ifndef BLM_WINDOW_CELLS_H
#define BLM_WINDOW_CELLS_H
#include "core/kind.h"
#include "core/bytes.h"
#include "parts/columns.h"

enum { SLICES_MAX = BLM_COLUMNS - 1 };
enum { WINDOW_AS_KEYS, WINDOW_ARRIVALS, WINDOW_MS }; /* the unit of the clock */
enum { BURST_ONE = 256 };                            /* bursts are kept in 256ths */
#define WINDOW_MAX (UINT64_C(1) << 53)

typedef struct blm_sliding {
    blm_filter base;
    uint64_t cells; /* m, of each slice's filter           */
    uint64_t span;  /* W, in units of the clock            */
    uint16_t room;  /* 256ths of the even share of a slice; 0: 2, or all that arrive */
    uint8_t hashes, slices, unit;
    uint8_t width;  /* by shape: bits per cell              */
    uint64_t slice; /* by shape: units per slice            */
} blm_sliding;

static inline unsigned blm_sliding_sets(const blm_sliding *s) { return s->slices + 1u; }

/* Bits of a cell: up to a power of two where that is at most a 16th, since such cells lie in one word each, and a batch takes
 * two thirds of the time. 15, 30, 31 and 60 to 63 columns are widened. */
static inline unsigned blm_sliding_width(const blm_sliding *s)
{
    const unsigned sets = blm_sliding_sets(s);
    unsigned power = 2;
    while (power < sets) power *= 2;
    return power - sets <= power / 16 ? power : blm_columns_width(sets);
}

static inline blm_columns blm_sliding_columns(const blm_sliding *s)
{
    const unsigned sets = blm_sliding_sets(s), width = s->width;
    return (blm_columns){
        s->base.cells, blm_packed_bytes(s->cells, width), s->cells, s->hashes, sets, width};
}

/* ---- the number of ones of each column, after the cells ------------------------------------------ */

static inline uint8_t *blm_sliding_counter(const blm_columns *c, unsigned column)
{
    return c->cells + c->bytes + UINT64_C(8) * column;
}

/* At most all cells, whatever bytes lie there. */
static inline uint64_t blm_sliding_ones(const blm_columns *c, unsigned column)
{
    const uint64_t ones = blm_le64(blm_sliding_counter(c, column));
    return ones < c->count ? ones : c->count;
}

static inline void blm_sliding_count(const blm_columns *c, unsigned column, uint64_t came)
{
    uint8_t *at = blm_sliding_counter(c, column);
    blm_put64(at, blm_le64(at) + came);
}

/* ---- time ------------------------------------------------------------------------------------------ */

/* A life that is too long, such as the default one, is the window. */
static inline uint64_t blm_sliding_life(const blm_sliding *s, uint64_t arg)
{
    return arg < s->span ? arg : s->span;
}

/* How many slices after the one of `now` a key of this life expires: 1 to slices + 1. phase: units since that slice began. */
static inline unsigned blm_sliding_after(const blm_sliding *s, uint64_t phase, uint64_t life)
{
    return (unsigned)((phase + life) / s->slice) + 1;
}

/* ---- slices.c ---------------------------------------------------------------------------------------- */

/* Empties the columns that expire until `now`; f->now stays. */
void blm_sliding_pass(blm_filter *f, uint64_t now);

/* As the kind's calls of these names. */
blm_err blm_sliding_tick(blm_filter *f, uint64_t now);
blm_err blm_sliding_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh);
blm_err blm_sliding_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *fresh, size_t *done);
blm_err blm_sliding_merge(blm_filter *f, const blm_filter *g, blm_report *why);

/* ---- rates.c ----------------------------------------------------------------------------------------- */

/* Keys that one slice has room for, of a filter that is planned for that many per window. */
uint64_t blm_sliding_share(const blm_sliding *s, uint64_t keys);
/* The rate of one column that makes this rate where all columns have it, and the other way round. */
double blm_sliding_each(const blm_sliding *s, double rate);
/* The most keys per column with which that rate is kept; at least 1. */
uint64_t blm_sliding_column_keys(const blm_sliding *s, double rate);

/* As the kind's calls of these names. */
blm_rate blm_sliding_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_sliding_fnr(const blm_filter *f, const blm_case *c);
double blm_sliding_lines(const blm_filter *f, const blm_case *c);
double blm_sliding_fill(const blm_filter *f);
blm_err blm_sliding_keys(const blm_filter *f, blm_estimate *n);
#endif

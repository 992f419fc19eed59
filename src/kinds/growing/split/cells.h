/* cells.h - rows of bits, one filter each; bit i of all rows is one cell (parts/columns.h). */
#ifndef BLM_SPLIT_CELLS_H
#define BLM_SPLIT_CELLS_H
#include "core/kind.h"
#include "parts/columns.h"

enum { SPLIT_ORDER, SPLIT_HASH };

typedef struct blm_split {
    blm_filter base;
    uint64_t cells;       /* m, bits of a row */
    uint64_t per_row;     /* c, keys of a row; 0 where the hash chooses */
    uint64_t ones, taken; /* keys that were new; 0 where the hash chooses */
    uint8_t hashes, parts, rows, width;
} blm_split;

static inline blm_columns blm_split_columns(const blm_split *s)
{
    return (blm_columns){s->base.cells, s->base.bytes, s->cells, s->hashes, s->parts, s->width};
}

/* The row of a key when that many have been taken: each row has c, and when all are full they take turns. */
static inline unsigned blm_split_row(const blm_split *s, uint64_t taken)
{
    const uint64_t row = taken / s->per_row;
    return (unsigned)(row < s->parts ? row : taken % s->parts);
}

/* ---- hashed.c: one row, and rows that the hash chooses ------------------------------------ */

double blm_split_row_rate(const blm_split *s, double keys); /* exact at whole numbers of keys   */
double blm_split_row_near(const blm_split *s, double keys); /* by the textbook formula          */
double blm_split_hashed_rate(const blm_split *s, uint64_t n);
double blm_split_hashed_spread(const blm_split *s, uint64_t n);
blm_estimate blm_split_hashed_keys(const blm_split *s);
/* Sets m and k for a wish of keys and rate. False: beyond 2^60 bits or 64 hashes. */
bool blm_split_size(blm_split *s, const blm_config *wish);
/* The k with the lowest rate for that many keys in the cells that there are. It changes s->hashes. */
unsigned blm_split_best_hashes(blm_split *s, uint64_t keys);
/* The most keys a row, at least one, with which all rows together keep this rate. */
uint64_t blm_split_row_keys(const blm_split *s, double rate);

/* ---- rates.c: as the kind's calls of these names ------------------------------------------ */

blm_rate blm_split_fpr(const blm_filter *f, const blm_case *c);
double blm_split_lines(const blm_filter *f, const blm_case *c);
blm_err blm_split_keys(const blm_filter *f, blm_estimate *n);
#endif

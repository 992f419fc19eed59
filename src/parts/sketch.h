/* sketch.h - rows of columns of counters, one of a key in each row: how many, and what their fill tells. */
#ifndef BLM_SKETCH_H
#define BLM_SKETCH_H
#include "core/kind.h"
#include "parts/counters.h"

typedef struct blm_sketch { /* numbers as knobs have them; 0: not given */
    double width;           /* of a counter                                          */
    bool bounded;           /* eps and delta are given                               */
    double eps, delta;      /* an error of this part of all weight, but for a chance */
    double threshold;       /* weight of a heavy flow                                */
    double flows;           /* of them have a place in a table: 1000 if not given    */
    double total;           /* expected weight of all                                */
    uint64_t columns, rows; /* found                                                 */
} blm_sketch;

/* In this order: eps and delta; bits; threshold and total; keys and fpr. */
blm_err blm_sketch_plan(blm_sketch *s, const blm_config *wish, blm_report *why);

/* Row by row: counter i of a key, all of them, and whether none is zero. At most 64 rows. */
static inline uint64_t blm_sketch_place(blm_hash h, unsigned row, uint64_t columns)
{
    return row * columns + blm_place(h, row, columns);
}

static inline unsigned blm_sketch_places(blm_hash h, unsigned rows, uint64_t columns, uint64_t *at)
{
    for (unsigned i = 0; i < rows; i++) at[i] = blm_sketch_place(h, i, columns);
    return rows;
}

static inline bool blm_sketch_has(const blm_counters *c, blm_hash h, unsigned rows,
                                  uint64_t columns)
{
    for (unsigned i = 0; i < rows; i++)
        if (!blm_counters_get(c, blm_sketch_place(h, i, columns))) return false;
    return true;
}

/* The chance that a non-member has none of its counters at zero: the product of the rows' fills. */
double blm_sketch_rate(const blm_counters *c, uint64_t columns);
/* Keys, from the counters in use. */
blm_estimate blm_sketch_keys(uint64_t used, uint64_t columns, unsigned rows);
#endif

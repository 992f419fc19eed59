/* cells.h - rows of counters, and after them the table of heavy flows. */
#ifndef BLM_COUNT_MIN_CELLS_H
#define BLM_COUNT_MIN_CELLS_H
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/flows.h"

typedef struct blm_count_min {
    blm_filter base;
    uint64_t columns, threshold, flows; /* w; weight of a heavy flow; places in the table   */
    uint64_t weight;                    /* of all adds                                      */
    uint64_t used, stuck;               /* counters above zero, at their ceiling            */
    uint64_t held, dropped;             /* flows in the table; adds that found it full      */
    uint64_t rows, table;               /* by shape: bytes of counters, offset of the table */
    uint8_t hashes, width, update;      /* d; bits per counter; a COUNT_MIN_... word        */
} blm_count_min;

static inline blm_counters blm_count_min_all(const blm_count_min *c)
{
    return (blm_counters){c->base.cells, c->rows, c->columns * c->hashes, c->width};
}

static inline blm_flows blm_count_min_table(const blm_count_min *c)
{
    return (blm_flows){c->base.cells + c->table, c->flows, c->threshold, c->held, c->dropped};
}

enum { BLM_COUNT_MIN_PLAIN, BLM_COUNT_MIN_CONSERVATIVE }; /* update */

/* ---- rates.c: as the kind's calls of these names ---------------------------------------- */

blm_rate blm_count_min_fpr(const blm_filter *f, const blm_case *c);
double blm_count_min_fill(const blm_filter *f);
double blm_count_min_lines(const blm_filter *f, const blm_case *c);
blm_err blm_count_min_keys(const blm_filter *f, blm_estimate *n);

/* ---- join.c: likewise ------------------------------------------------------------------- */

blm_err blm_count_min_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out);
#endif

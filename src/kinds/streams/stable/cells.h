/* cells.h - the cells of a stable filter, how they fall, and what is known of them. */
#ifndef BLM_STABLE_CELLS_H
#define BLM_STABLE_CELLS_H
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/lowering.h"

enum { STABLE_WIDTH = 8, STABLE_TOP = (1 << STABLE_WIDTH) - 1, STABLE_SCAN = 10 };
/* The fewest cells that are planned, and the fewest runs of them: a key with two cells in the reach of one run is missed less
 * often than the theory says: by 13 % at 9 runs. */
#define STABLE_CELLS UINT64_C(2048)
#define STABLE_RUNS  UINT64_C(32)
#define STABLE_PICKS UINT32_MAX

typedef struct blm_stable {
    blm_filter base;
    uint64_t cells; /* m */
    uint64_t picks; /* P, cells lowered per arrival */
    uint64_t used;  /* cells above zero */
    uint64_t steps; /* arrivals and idle steps: which random number is next */
    uint64_t idle;  /* steps since the last arrival, up to `limit` */
    uint8_t hashes; /* K */
    uint8_t width;  /* d */
    uint8_t each;   /* 1: P picks on their own; 0: a run of P cells */
    uint64_t limit; /* by shape: idle steps that leave nothing */
    blm_lowering lowering;
} blm_stable;

static inline unsigned blm_stable_top(const blm_stable *s) { return (1u << s->width) - 1; }

static inline blm_counters blm_stable_all(const blm_stable *s)
{
    return (blm_counters){s->base.cells, s->base.bytes, s->cells, s->width};
}

/* Where the run of that step begins; or the number from which its picks are drawn. */
static inline uint64_t blm_stable_random(const blm_stable *s, uint64_t step)
{
    return blm_mix(s->base.seed + step * BLM_SALT_STEP);
}

/* ---- cells.c: one step, and the kind's call of this name --------------------------------------- */

void blm_stable_lower(blm_stable *s);
blm_err blm_stable_tick(blm_filter *f, uint64_t now);

/* ---- theory.c: from numbers alone ---------------------------------------------------------------- */

/* Seed equations, for K cells that differ. P, real: the cells to lower so that the rate is f; z: the share of zeros that they
 * leave in the long run. 71.69 and 0.6848 (of 72) for 16384 cells, K = 4, Max = 7, f = 1 %. */
double blm_stable_picks(double m, unsigned k, unsigned top, double f);
double blm_stable_zeros(double m, unsigned k, unsigned top, double picks);

/* One cell: each arrival lowers it, and then sets it to Max with chance s = 1 - (1 - 1/m)^K. */
typedef struct blm_stable_cell {
    double m, picks, log_miss; /* log_miss = log(1 - s) */
    unsigned k, top;
    bool each;
    double sums[STABLE_TOP + 1]; /* of the series 1 / (1 - A), see theory.c */
} blm_stable_cell;

/* Cost: Max steps for runs, Max^2 / 2 for single picks. */
void blm_stable_cell_of(blm_stable_cell *c, uint64_t m, unsigned k, unsigned top, uint64_t picks,
                        bool each);
/* The chance that the cell is above zero after that many arrivals from Max, or from zero; or in the long run. Max steps. */
double blm_stable_alive(const blm_stable_cell *c, double arrivals, bool from_top);
double blm_stable_alive_ever(const blm_stable_cell *c);
/* Variance of the share of cells above zero, whose mean is x. */
double blm_stable_variance(const blm_stable_cell *c, double x);
/* An upper bound of the rate in the long run, and so at all times. */
double blm_stable_rate_ever(const blm_stable_cell *c);
/* The share of misses of a key with as many arrivals after it; and the mean over gaps 0 to keys - 1. */
double blm_stable_miss(const blm_stable_cell *c, double gap);
double blm_stable_misses(const blm_stable_cell *c, double keys);

/* ---- rates.c: the plan, and the kind's calls of these names -------------------------------------- */

blm_err blm_stable_size(blm_stable *s, const blm_config *wish, uint64_t picks, blm_report *why);
blm_rate blm_stable_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_stable_fnr(const blm_filter *f, const blm_case *c);
double blm_stable_ceiling(const blm_filter *f);
double blm_stable_lines(const blm_filter *f, const blm_case *c);
double blm_stable_fill(const blm_filter *f);
uint64_t blm_stable_window(const blm_filter *f);
#endif

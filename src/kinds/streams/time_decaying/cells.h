/* cells.h - counters that fade: fixed-point numbers, halved at every multiple of the half-life.
 *
 * Time t lies in epoch t / half, at a phase in [0, 1). Within an epoch cells stay as they are, and what is added later
 * counts for more (forward decay), so that an add touches the cells of its key alone:
 *
 *     add of weight w        cell += ceil(w * 2^phase * 2^fraction)
 *     weight of a cell       cell / 2^phase / 2^fraction
 *     a new epoch            cell -> half of it, rounded down
 *
 * So a weight is never too low by a unit of the last place, 2^-fraction, and does not rise without adds. It is too high by
 * that part of each add at most.
 */
#ifndef BLM_TIME_DECAYING_CELLS_H
#define BLM_TIME_DECAYING_CELLS_H
#include "core/kind.h"
#include "core/mul128.h"
#include "parts/counters.h"

#define DECAY_HALF_MAX (UINT64_C(1) << 48)
enum { DECAY_REST = 128 }; /* epochs after which a stuck cell that no key met is empty */

typedef struct blm_time_decaying {
    blm_filter base;
    uint64_t columns, half, window;
    uint64_t used, stuck; /* cells of `level` or more; at their ceiling        */
    uint64_t met;         /* epoch in which a key last had a stuck cell        */
    uint8_t hashes, width, update, timed;
    uint64_t reciprocal;  /* by shape: of half                                  */
    uint64_t lives, back; /* by shape: the window is in whole half-lives, and its rest */
    uint64_t level;       /* by shape: the threshold when an epoch begins       */
    uint64_t rows;        /* by shape: bytes of all counters                    */
} blm_time_decaying;

enum { DECAY_PLAIN, DECAY_CONSERVATIVE }; /* update */

static inline blm_counters blm_decay_all(const blm_time_decaying *t)
{
    return (blm_counters){t->base.cells, t->rows, t->columns * t->hashes, t->width};
}

/* Half of the bits of a cell come after the point. */
static inline unsigned blm_decay_fraction(unsigned width) { return width / 2; }
/* A weight of so much, 2^(bits before the point - 1), is the ceiling at every phase. */
static inline uint64_t blm_decay_ceiling(unsigned width)
{
    return UINT64_C(1) << (width - blm_decay_fraction(width) - 1);
}

/* ---- power.c ----------------------------------------------------------------------------------- */

uint64_t blm_decay_power(uint64_t x); /* 2^63 * 2^(x / 2^64) */
uint64_t blm_decay_reciprocal(uint64_t half);

/* 2^63 * 2^(rest / half), rest < half. */
static inline uint64_t blm_decay_power_at(const blm_time_decaying *t, uint64_t rest)
{
    const unsigned unused = (unsigned)__builtin_clzll(t->half);
    return blm_decay_power(blm_mul(rest << unused, t->reciprocal).hi << 2);
}

/* What an add of that weight brings, rounded up. */
static inline uint64_t blm_decay_cells(unsigned width, uint64_t weight, uint64_t power)
{
    const blm_wide p = blm_mul(power, weight << blm_decay_fraction(width));
    return (p.hi << 1 | p.lo >> 63) + (p.lo << 1 != 0);
}

/* A cell that is not stuck, after that many epochs. */
static inline uint64_t blm_decay_halved(uint64_t cell, uint64_t epochs)
{
    return epochs < 64 ? cell >> epochs : 0;
}

/* How long ago the epoch began. */
static inline uint64_t blm_decay_rest(const blm_time_decaying *t) { return t->base.now % t->half; }

/* What a key of weight 1 that came `window` ago, alone, has in its cells that long after an epoch began: has() asks for as
 * much. */
static inline uint64_t blm_decay_threshold(const blm_time_decaying *t, uint64_t rest)
{
    const bool before = rest < t->back; /* it came in an epoch more ago */
    const uint64_t then = rest - t->back + (before ? t->half : 0);
    return blm_decay_halved(blm_decay_cells(t->width, 1, blm_decay_power_at(t, then)),
                            t->lives + before);
}

/* ---- sweep.c ----------------------------------------------------------------------------------- */

/* Time goes on to `now`: halves what is to be halved. It does not set f->now. */
void blm_decay_pass(blm_time_decaying *t, uint64_t now);
/* Cells at or above `least`, of those from `from` on, and those at their ceiling. */
blm_census blm_decay_census(const blm_time_decaying *t, uint64_t from, uint64_t n, uint64_t least);
blm_err blm_decay_tick(blm_filter *f, uint64_t now);
blm_err blm_decay_merge(blm_filter *f, const blm_filter *g, blm_report *why);

/* v + more, or the ceiling, from which nothing comes back. `ceiling`: by the phase. */
static inline uint64_t blm_decay_sum(unsigned width, uint64_t v, uint64_t more, uint64_t ceiling)
{
    const uint64_t top = blm_packed_top(width);
    return v == top || v + more >= ceiling || v + more >= top ? top : v + more;
}

/* ---- plan.c: the kind's call of this name ------------------------------------------------------- */

enum blm_decay_knob { DECAY_UPDATE, DECAY_HALF, DECAY_ABOVE, DECAY_WIDTH };
blm_err blm_decay_plan(blm_filter *f, const blm_config *wish, const blm_knobs *k, blm_report *why);

/* ---- rates.c: chances, and the kind's calls of these names -------------------------------------- */

/* How long a window is: ln(1 / above). */
double blm_decay_nats(const blm_time_decaying *t);
/* The chance that a cell holds `above` e^-less or more, of c keys per cell and window. */
double blm_decay_reach(double c, double nats, double less);
double blm_decay_rate(const blm_time_decaying *t, double columns, double rows, double keys);
blm_rate blm_decay_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_decay_fnr(const blm_filter *f, const blm_case *c);
double blm_decay_fill(const blm_filter *f);
double blm_decay_lines(const blm_filter *f, const blm_case *c);
blm_err blm_decay_keys(const blm_filter *f, blm_estimate *n);
#endif

/* cells.h - a filter as planned, and its table as it has grown. What a table is, is runs.h. */
#ifndef BLM_QUOTIENT_CELLS_H
#define BLM_QUOTIENT_CELLS_H
#include "core/kind.h"
#include "core/mul128.h"
#include "runs.h"

enum { BLM_QUOTIENT_ACROSS = 50, BLM_QUOTIENT_RANGE = 63 }; /* bits: quotients, fingerprints */

typedef struct blm_quotient {
    blm_filter base;
    uint64_t quotients;       /* as planned                                        */
    uint64_t used, prints;    /* slots; different fingerprints                     */
    uint8_t remainder, width; /* bits: r as planned, counter                       */
    uint8_t doublings;        /* grown so often: 2^doublings as many, r less by it */
    uint64_t range;           /* by shape: quotients * 2^r fingerprints            */
    blm_runs now;             /* by shape: as it has grown                         */
} blm_quotient;

/* ---- rates.c: the kind's calls of these names --------------------------------------------- */

blm_err blm_quotient_size(blm_quotient *s, const blm_config *wish, blm_report *why);
blm_rate blm_quotient_fpr(const blm_filter *f, const blm_case *c);
double blm_quotient_fill(const blm_filter *f);
double blm_quotient_lines(const blm_filter *f, const blm_case *c);
blm_err blm_quotient_keys(const blm_filter *f, blm_estimate *n);

/* ---- tables.c ------------------------------------------------------------------------------ */

/* All fingerprints of s, and those of a second filter (NULL: none), in a new table as `to` says. An error: nothing has changed. */
blm_err blm_quotient_move(blm_quotient *s, const blm_runs *to, const blm_quotient *other,
                          blm_report *why);
blm_err blm_quotient_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why);
size_t blm_quotient_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                          size_t cap);
#endif

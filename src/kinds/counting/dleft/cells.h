/* cells.h - the tables of a filter, as planned and as they have grown. What a cell is, is parts/prints.h. */
#ifndef BLM_DLEFT_CELLS_H
#define BLM_DLEFT_CELLS_H
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/prints.h"

typedef struct blm_dleft {
    blm_filter base;
    uint64_t buckets;                         /* B of one table, as planned                    */
    uint64_t used, stuck;                     /* cells                                         */
    uint8_t tables, bucket, remainder, width; /* d, cells a bucket, bits: r as planned, counter */
    uint8_t doublings;                        /* grown so often: 2^doublings B, r - doublings  */
    uint64_t range;                           /* by shape: N                                   */
    blm_prints now;                           /* by shape: as it has grown                     */
} blm_dleft;

/* ---- rates.c: B and r for a wish, and the kind's calls of these names -------------------- */

blm_err blm_dleft_size(blm_dleft *s, const blm_config *wish, unsigned *r, blm_report *why);
blm_rate blm_dleft_fpr(const blm_filter *f, const blm_case *c);
double blm_dleft_fill(const blm_filter *f);
double blm_dleft_lines(const blm_filter *f, const blm_case *c);
blm_err blm_dleft_keys(const blm_filter *f, blm_estimate *n);
#endif

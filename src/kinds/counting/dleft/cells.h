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

static inline void blm_dleft_changed(blm_dleft *s, blm_census change)
{
    s->used += change.used;
    s->stuck += change.stuck;
    if (change.stuck) s->base.lost |= BLM_DEL_EXACT; /* a counter has lost count */
}

/* ---- many.c: the kind's calls of these names ------------------------------------------------ */

void blm_dleft_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                        size_t more, uint8_t *yes);
blm_err blm_dleft_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *fresh, size_t *done);
blm_err blm_dleft_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *absent, size_t *done);
blm_err blm_dleft_count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                             blm_estimate *times);

/* ---- rates.c: B and r for a wish, and the kind's calls of these names -------------------- */

blm_err blm_dleft_size(blm_dleft *s, const blm_config *wish, unsigned *r, blm_report *why);
blm_rate blm_dleft_fpr(const blm_filter *f, const blm_case *c);
double blm_dleft_fill(const blm_filter *f);
double blm_dleft_lines(const blm_filter *f, const blm_case *c);
blm_err blm_dleft_keys(const blm_filter *f, blm_estimate *n);
#endif

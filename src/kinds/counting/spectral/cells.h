/* cells.h - one array of counters; with method=recurring a second one, and marks that tell who has moved there.
 *
 *     | primary: m counters | secondary: m / share | marks: m bits |
 */
#ifndef BLM_SPECTRAL_CELLS_H
#define BLM_SPECTRAL_CELLS_H
#include "parts/counters.h"
#include "parts/flat.h"

enum { SPECTRAL_SELECTION, SPECTRAL_INCREASE, SPECTRAL_RECURRING };

typedef struct blm_spectral {
    blm_flat flat;                        /* m, k; its ones are the counters above zero */
    uint64_t stuck;                       /* counters at their ceiling */
    uint64_t moved, moved_stuck;          /* secondary counters above zero, at their ceiling */
    uint64_t marks;                       /* marks that are set */
    uint8_t share;                        /* counters of the primary for one of the secondary */
    uint8_t width, method;                /* bits per counter; a SPECTRAL_... word */
    uint64_t second, at_second, at_marks; /* by shape: counters of the secondary; offsets */
} blm_spectral;

static inline blm_counters blm_spectral_primary(const blm_spectral *c)
{
    return (blm_counters){c->flat.base.cells, blm_packed_bytes(c->flat.cells, c->width),
                          c->flat.cells, c->width};
}

/* Empty ones, unless method=recurring. Each has a salt of its own. */
typedef struct blm_spectral_second {
    blm_counters array, marks;
} blm_spectral_second;
enum { SPECTRAL_ARRAY_SALT = 1, SPECTRAL_MARKS_SALT };

static inline blm_spectral_second blm_spectral_secondary(const blm_spectral *c)
{
    uint8_t *at = c->flat.base.cells + c->at_second, *marks = c->flat.base.cells + c->at_marks;
    return (blm_spectral_second){{at, c->at_marks - c->at_second, c->second, c->width},
                                 {marks, c->flat.base.bytes - c->at_marks, c->flat.cells, 1}};
}

/* Counters of the secondary; bytes of all. */
uint64_t blm_spectral_second_cells(const blm_spectral *c);
uint64_t blm_spectral_bytes(const blm_spectral *c);
/* The key's counters of the secondary; none when it is not marked, and must not be looked for there. */
blm_counters_key blm_spectral_moved(const blm_spectral *c, blm_hash h);
/* What an add of `by` to the primary, at the counters of `key`, changes in the secondary. */
void blm_spectral_follow(blm_spectral *c, blm_hash h, const blm_counters_key *key, uint64_t by);
#endif

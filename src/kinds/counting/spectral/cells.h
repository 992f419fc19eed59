/* cells.h - layout=wide: one array of counters; with method=recurring a second one, and marks that tell who has moved there.
 *
 *     | primary: m counters | secondary: m / share | marks: m bits |
 */
#ifndef BLM_SPECTRAL_CELLS_H
#define BLM_SPECTRAL_CELLS_H
#include "parts/counters.h"
#include "parts/flat.h"
#include "parts/pool.h"

enum { SPECTRAL_WIDE, SPECTRAL_COMPACT };
enum { SPECTRAL_SELECTION, SPECTRAL_INCREASE, SPECTRAL_RECURRING };

typedef struct blm_spectral {
    blm_flat flat;                          /* m, k; its ones are the counters above zero */
    uint64_t stuck;                         /* counters at their ceiling */
    uint64_t moved, moved_stuck;            /* secondary counters above zero, at their ceiling */
    uint64_t marks;                         /* marks that are set */
    uint8_t share;                          /* counters of the primary for one of the secondary */
    uint8_t width, method;                  /* bits per counter; a SPECTRAL_... word */
    uint8_t layout;                         /* a word: wide or compact */
    uint8_t pool;                           /* of layout=compact: how often the pages have grown */
    uint32_t spare;                         /* and their words as planned */
    uint64_t second, at_second, at_marks;   /* by shape: counters of the secondary; offsets */
    blm_pool pages;                         /* by shape */
    const struct blm_spectral_calls *calls; /* by shape: of the layout */
} blm_spectral;

/* As the kind's calls of these names. */
typedef struct blm_spectral_calls {
    bool (*has)(const blm_filter *f, blm_hash h, const blm_item *it);
    blm_err (*add)(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh);
    blm_err (*del)(blm_filter *f, blm_hash h, const blm_item *it);
    blm_err (*count)(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n);
    void (*prefetch_many)(const blm_filter *f, const blm_hash *h, size_t n);
    void (*has_many)(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                     size_t more, uint8_t *yes);
    blm_err (*add_many)(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *fresh, size_t *done);
    blm_err (*del_many)(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *absent, size_t *done);
    blm_err (*count_many)(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                          blm_estimate *times);
    size_t (*touch)(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                    size_t cap);
    blm_err (*merge)(blm_filter *f, const blm_filter *g, blm_report *why);
    blm_err (*check)(const blm_filter *f, blm_report *why);
} blm_spectral_calls;
extern const blm_spectral_calls blm_spectral_wide,
    blm_spectral_compact; /* wide.c, compact_calls.c */

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

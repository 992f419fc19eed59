/* cells.h - k of L functions as one number: 0 is the first k, the last k are C(L, k) - 1.
 *
 * The functions c1 < c2 < ... < ck have the number C(c1, 1) + C(c2, 2) + ... + C(ck, k). Read from the top: is
 * function L-1 in it? Then C(L-1, k) is taken off, and k-1 of L-1 are left; else k of L-1. The next C follows from the
 * last by one product and one division, and a reader may stop at any function: no table, no search.
 */
#ifndef BLM_PICKS_H
#define BLM_PICKS_H
#include "core/kind.h"
#include "parts/packed.h"

typedef struct blm_pick {
    uint64_t rank, ways; /* C(next, left) */
    unsigned next, left; /* the function to decide on; how many are still to come */
} blm_pick;

/* ways: C(library - 1, k). A number that is too large gives some k functions as well. */
static inline blm_pick blm_pick_of(uint64_t rank, uint64_t ways, unsigned library, unsigned k)
{
    return (blm_pick){rank, ways, library - 1, k};
}

/* The next function, falling; only while some are left. */
static inline unsigned blm_pick_next(blm_pick *c)
{
    while (c->ways > c->rank) {
        c->ways = c->ways * (c->next - c->left) / c->next;
        c->next--;
    }
    const unsigned found = c->next;
    c->rank -= c->ways;
    if (--c->left) c->ways = c->ways * (c->left + 1) / c->next--;
    return found;
}

/* ---- a table of choices --------------------------------------------------------------------- */

/* One number of `width` bits a group; the group of a key follows from its hash, and rises with it. All k of k
 * functions: width 0, no table. */
typedef struct blm_picks_of {
    uint8_t *table;
    uint64_t bytes, groups, ways; /* ways: C(library - 1, k) */
    unsigned width, library, k;
} blm_picks_of;

static inline blm_pick blm_pick_at(const blm_picks_of *t, uint64_t group)
{
    const uint64_t rank = t->width ? blm_packed_get(t->table, t->bytes, t->width, group) : 0;
    return blm_pick_of(rank, t->ways, t->library, t->k);
}

/* Fills the table for keys that are sorted by hash, in that many passes over the groups. Each group takes k functions,
 * one after the other: the one that needs the fewest bits that nobody uses, the first of equals; from the second pass
 * on it gives up its old functions first. uses[i]: how often bit i of m is used, zeros at first; 255 stays. */
void blm_picks_make(const blm_picks_of *t, const blm_rows *rows, uint8_t *uses, uint64_t m,
                    unsigned passes);

/* ---- the filter ------------------------------------------------------------------------------ */

typedef struct blm_hash_choice {
    blm_filter base;
    uint64_t cells; /* m */
    uint64_t groups;
    uint64_t ones;
    uint64_t built, before;          /* keys of the build, and ones after it                 */
    uint8_t hashes, library, passes; /* k, L, P                                              */
    blm_picks_of choices;            /* set by shape; its table is the first section */
} blm_hash_choice;

/* rates.c: as the kind's calls of these names. */
blm_rate blm_hash_choice_fpr(const blm_filter *f, const blm_case *c);
double blm_hash_choice_fill(const blm_filter *f);
double blm_hash_choice_lines(const blm_filter *f, const blm_case *c);
blm_err blm_hash_choice_keys(const blm_filter *f, blm_estimate *n);
#endif

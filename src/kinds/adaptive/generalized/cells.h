/* cells.h - one array of bits of which a key resets some and sets others: where they are, and how it starts.
 *
 * A key's k positions come out of the stream of its hash, the k0 that it resets first; they may repeat, or differ
 * (distinct.h). It sets, then resets, so that a bit which is both is zero.
 */
#ifndef BLM_RESETS_H
#define BLM_RESETS_H
#include "distinct.h"
#include "parts/flat.h"

enum { BLM_RESETS_MAX = 512 /* positions of a key */, BLM_RESETS_SCALE = 65536 };

typedef struct blm_resets {
    blm_flat flat;           /* cells and ones; k is here  */
    uint16_t hashes, resets; /* k0 + k1; k0                */
    uint32_t p0;             /* first zeros, in 65536ths   */
    uint8_t distinct, adopted;
} blm_resets;

static inline unsigned blm_resets_sets(const blm_resets *s)
{
    return (unsigned)s->hashes - s->resets;
}
static inline double blm_resets_p0(const blm_resets *s) { return s->p0 / (double)BLM_RESETS_SCALE; }
/* Later keys overwrite earlier ones; else all is as in standard. */
static inline bool blm_resets_forget(const blm_resets *s)
{
    return s->resets && s->resets < s->hashes;
}

/* The next position, of n that are there. */
static inline uint64_t blm_resets_place(const blm_resets *s, blm_hash h, blm_draw *d,
                                        const uint64_t *at, unsigned n)
{
    return s->distinct ? blm_place_distinct(h, d, s->flat.cells, at, n)
                       : blm_place(h, d->word++, s->flat.cells);
}

static inline void blm_resets_places(const blm_resets *s, blm_hash h, uint64_t *at)
{
    blm_draw d;
    blm_draw_begin(&d, s->hashes);
    for (unsigned i = 0; i < s->hashes; i++) at[i] = blm_resets_place(s, h, &d, at, i);
}

/* Is position i as the key leaves it? At least the first k0 of `at` are there. */
static inline bool blm_resets_right(const blm_resets *s, const uint64_t *at, unsigned i)
{
    const bool one = blm_bit_get(s->flat.base.cells, at[i]);
    if (i < s->resets) return !one;
    return one || (!s->distinct && blm_among(at, s->resets, at[i]));
}

/* As the kind's calls of these names. Adopted bits past the last cell are cleared, whatever they were. */
size_t blm_resets_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                        size_t cap);
blm_err blm_resets_start(blm_filter *f, blm_report *why);
blm_err blm_resets_adopt(blm_filter *f, const uint8_t *cells, blm_report *why);
/* Is every position of the key right, but for those that one of n later keys has touched? */
bool blm_resets_wild(const blm_resets *s, blm_hash h, const blm_item *later, size_t n);

/* ---- rates.c: as the kind's calls of these names --------------------------------------------- */
double blm_resets_ceiling(const blm_filter *f);
blm_rate blm_resets_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_resets_fnr(const blm_filter *f, const blm_case *c);
double blm_resets_lines(const blm_filter *f, const blm_case *c);
blm_err blm_resets_keys(const blm_filter *f, blm_estimate *n);
#endif

/* classes.h - keys of several classes in one array of bits, where the class decides how many bits a key has.
 *
 *      k = 3   |..1.......1....1.....|     its places 0, 1, 2: always the first k of the same stream of places, so
 *      k = 5   |..1..1....1....1.1...|     that a key with 5 is found with 3, too
 *
 * Which k a class gets is worked out in integers, because it becomes part of an image. Shares are in any unit: `asked` of the
 * queries for non-members, `held` of the members.
 */
#ifndef BLM_CLASSES_H
#define BLM_CLASSES_H
#include "core/kind.h"
#include "parts/bits.h"
#include "parts/probe.h"

enum { BLM_CLASS_HASHES = 64 };

typedef struct blm_class {
    uint64_t asked, held; /* shares                                                */
    uint64_t of;          /* the caller's own                                      */
    uint64_t share, load; /* of the solver: asked in 2^-62, fill by one hash more  */
    int64_t importance;   /* log2 of asked / held, in 2^-32                        */
    unsigned k;
} blm_class;

/* ---- which k each class gets (classes.c) ---------------------------------------------------------------------- */

typedef struct blm_classes_room {
    uint64_t per_key; /* cells for each member, in 2^-32: blm_classes_per_key */
    unsigned mean;    /* hashes of a mean member; 0: the best                 */
    unsigned even;    /* k of all classes where they are alike                */
} blm_classes_room;

/* cells / keys as the solver takes it; keys > 0. */
uint64_t blm_classes_per_key(uint64_t cells, uint64_t keys);
/* Whether all classes that are asked or held have the same asked / held: then classes gain nothing. */
bool blm_classes_alike(blm_class *c, size_t n);
/* Sets k of each class, 1 to 64: the real solution (bloomery/theory/classes.h) within these limits, each k rounded, half
 * up; then, unless the mean is given, single steps and pairs of steps (one class up, another one down) for as long
 * as one of them lowers the rate. Up to 32 classes begin from 17 shifts of the real solution, and the best end counts;
 * of more classes only the outermost of each k take steps. Of 398 small problems 395 had the k of brute force, and
 * the worst a rate 0.15 % above it; this is no guarantee. Sums of shares are below 2^62. 16 classes take 9 ms. */
void blm_classes_solve(blm_class *c, size_t n, blm_classes_room room);

/* log2 of x > 0, in 2^-32. */
int64_t blm_log2_fixed(uint64_t x);
/* a * b / c, where a * b / 2^64 is below c. */
uint64_t blm_muldiv(uint64_t a, uint64_t b, uint64_t c);
/* a * b / 2^shift, shift from 1 to 63, where that fits. */
static inline uint64_t blm_mulshift(uint64_t a, uint64_t b, unsigned shift)
{
    const blm_wide p = blm_mul(a, b);
    return p.hi << (64 - shift) | p.lo >> shift;
}

/* ---- rates, over all queries ---------------------------------------------------------------------------------- */

double blm_classes_mean(const blm_class *c, size_t n); /* hashes of a member */
/* As kind->fpr: with that many keys, of all classes as planned; and by the ones. */
blm_rate blm_classes_fpr(const blm_class *c, size_t n, uint64_t cells, uint64_t keys, double mean);
double blm_classes_fpr_now(const blm_class *c, size_t n, double fill);
double blm_classes_lines(const blm_class *c, size_t n, double fill);
/* Keys by the ones: as planned in between, and at the ends if all were of the class with the most bits, or the fewest. */
blm_estimate blm_classes_keys(const blm_class *c, size_t n, uint64_t cells, uint64_t ones,
                              double mean);

/* ---- one key --------------------------------------------------------------------------------------------------- */

/* A non-member is rejected after two places on average, whatever its k. */
static inline void blm_classed_prefetch(const uint8_t *cells, uint64_t m, blm_hash h)
{
    blm_fetch(cells + blm_place(h, 0, m) / 8);
    blm_fetch(cells + blm_place(h, 1, m) / 8);
}

static inline bool blm_classed_has(const uint8_t *cells, uint64_t m, blm_hash h, unsigned k)
{
    for (unsigned i = 0; i < k; i++)
        if (!blm_bit_get(cells, blm_place(h, i, m))) return false;
    return true;
}

/* Returns how many bits were zero. */
static inline unsigned blm_classed_put(uint8_t *cells, uint64_t m, blm_hash h, unsigned k)
{
    unsigned set = 0;
    for (unsigned i = 0; i < k; i++) set += blm_bit_set(cells, blm_place(h, i, m));
    return set;
}
#endif

/* bloomery/theory/choices.h - keys, or groups of keys, that choose among several sets of positions.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     uint64_t m;
 *     unsigned k;
 *     if (blm_size_choice(1000000, 0.01, 2, 0, &m, &k)) ...     9638534 bits, 8 hashes
 *     blm_rate_choice(m, k, 2, 1000000)                         at most 0.01
 *
 * m bits, k hashes per key, n distinct keys, p the rate that is wanted: as in bloomery/theory.h,
 * and so is what illegal input returns.
 *
 * Two forms. "Choice" (kind two-choice): a key has 1 to BLM_THEORY_CHOICES sets of k positions and
 * takes the one that sets the fewest new bits; choices * k is at most BLM_THEORY_CHOSEN, and 1
 * choice is a standard filter. These rates follow the exact chain of ones for kn <= 512, and above
 * it the limit of large filters with its first correction, whose error is 0.5 % of (k/n)^2: 0.3 %
 * at 20 hashes, 26 keys.
 *
 * "Pick" (kind hash-choice): the keys lie in `groups` groups, and each group picks k functions of a
 * library of at most 64, in `passes` passes over all groups, so that few bits are set; a table
 * keeps the picks. Theory knows a high end and a low end of these fills and rates; with fewer than
 * 8 groups the high end is that of a standard filter. blm_size_pick changes its plan only when it
 * returns true.
 */
#ifndef BLOOMERY_THEORY_CHOICES_H
#define BLOOMERY_THEORY_CHOICES_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

#define BLM_THEORY_CHOICES 8                   /* max sets of positions per key              */
#define BLM_THEORY_CHOSEN  128                 /* max positions in all sets of a key         */
#define BLM_THEORY_PICKS   (UINT64_C(1) << 57) /* max number of ways to pick the functions   */

/* ---- choice ---------------------------------------------------------------------------------- */

/* What n keys make of a filter: the result of blm_choice_after. */
typedef struct blm_choice {
    double fill;    /* expected share of ones                                 */
    double fill_sd; /* its standard deviation between seeds                   */
    double rate;    /* expected rate                                          */
    double rate_sd; /* its relative standard deviation between seeds          */
} blm_choice;

/* Fill and rate after n keys. For 10000 bits, 7 hashes, 2 choices, 1000 keys: fill 0.4597 with a
 * standard deviation of 0.0024, rate 0.008658 with one of 3.6 %. All NaN for illegal input.
 * Cost: 20 us to 1 ms. */
BLM_API blm_choice blm_choice_after(uint64_t m, unsigned k, unsigned choices, uint64_t n);

/* The expected rate alone: 0.008658 for 10000 bits, 7 hashes, 2 choices, 1000 keys. Cost: 20 us to
 * 1 ms. */
BLM_API double blm_rate_choice(uint64_t m, unsigned k, unsigned choices, uint64_t n);

/* The rate of an array with this fill, 1 - (1 - fill^k)^choices: 0.01556 at half full, 7 hashes, 2
 * choices. NaN: fill outside 0 to 1. */
BLM_API double blm_rate_choice_from_fill(double fill, unsigned k, unsigned choices);

/* The fill of large filters at load = n / m: 0.5187 at 1/16, 13 hashes, 2 choices. NaN: load
 * negative. Cost: 30 us. */
BLM_API double blm_fill_choice_limit(double load, unsigned k, unsigned choices);

/* The k with the lowest blm_rate_choice, the smaller one of equals: 8 for 10000 bits, 2 choices,
 * 1000 keys. 0 when m, n or choices is 0, or choices is above 8. Cost: a few rates, 0.1 ms here. */
BLM_API unsigned blm_best_hashes_choice(uint64_t m, unsigned choices, uint64_t n);

/* Smallest m whose blm_rate_choice is at most p. hashes 0: with the k that needs the fewest bits.
 * 9638534 bits and 8 hashes for 10^6 keys at 1 % with 2 choices. False, and nothing written: n = 0,
 * p not in (0, 1), choices or hashes above their limits, more than 2^60 bits. Cost: 0.4 to
 * 10 ms. */
BLM_API bool blm_size_choice(uint64_t n, double p, unsigned choices, unsigned hashes, uint64_t *m,
                             unsigned *k);

/* The number of keys that `ones` ones speak for, by the limit of large filters: 968.7 for 4500 ones
 * of 10000 bits, 7 hashes, 2 choices. INFINITY when ones = m, NaN when ones > m. Cost: 20 us. */
BLM_API double blm_keys_from_fill_choice(uint64_t ones, uint64_t m, unsigned k, unsigned choices);

/* Standard deviation of blm_keys_from_fill_choice when there are n keys: 7.84 keys for 10000 bits,
 * 7 hashes, 2 choices, 1000 keys. INFINITY when all bits are ones. Cost: 20 us to 1 ms. */
BLM_API double blm_keys_sd_choice(uint64_t m, unsigned k, unsigned choices, uint64_t n);

/* ---- pick ------------------------------------------------------------------------------------ */

/* The shape of a filter whose groups pick: groups and passes are given to blm_size_pick, which
 * finds the rest. */
typedef struct blm_pick_plan {
    uint64_t m;       /* bits of the array, without the table of picks      */
    uint64_t groups;  /* groups of keys, each with one pick                 */
    unsigned k;       /* functions that a group picks                       */
    unsigned library; /* functions to pick from                             */
    unsigned passes;  /* how often every group picks                        */
} blm_pick_plan;

/* The high or low end of the expected fill: 0.4397 and 0.4302 for 10000 bits, 7 of 14 functions,
 * 100 groups, 2 passes, 1000 keys, where a standard filter has 0.5034. NaN: library outside k to
 * 64, groups or passes 0. Cost: 0.7 ms here, 0.1 ms for groups of 64. */
BLM_API double blm_fill_pick(uint64_t m, unsigned k, unsigned library, uint64_t groups,
                             unsigned passes, uint64_t n, bool high);

/* The high or low end of the expected rate: 0.00318 and 0.00273 for 10000 bits, 7 of 14 functions,
 * 100 groups, 2 passes, 1000 keys, where a standard filter has 0.00820. NaN and cost: as
 * blm_fill_pick. */
BLM_API double blm_rate_pick(uint64_t m, unsigned k, unsigned library, uint64_t groups,
                             unsigned passes, uint64_t n, bool high);

/* Finds m, k and library in *plan for its groups and passes. bits 0: the fewest bits, table
 * included, that keep rate p; otherwise the lowest rate in these bits, where n may be 0 if hashes
 * is given. hashes 0: the best k. library 0: 2 k, or what fits. For 1000 keys at 1 % in 100 groups
 * with 2 passes: 7676 bits and a table of 1200, k = 7 of 14. False, and nothing written: groups or
 * passes 0, hashes or library above 64, nothing that fits. Cost: 20 to 50 ms. */
BLM_API bool blm_size_pick(uint64_t n, double p, uint64_t bits, unsigned hashes, unsigned library,
                           blm_pick_plan *plan);

/* The number of ways to pick k of n functions, n over k: 3432 for 7 of 14. 0: k > n, n > 64, or
 * more than 2^57 ways. */
BLM_API uint64_t blm_picks(unsigned n, unsigned k);

/* The number of bits that hold the number of a pick, log2(blm_picks) rounded up: 12 for 7 of 14. 0
 * where there is one way or blm_picks is 0. */
BLM_API unsigned blm_pick_width(unsigned n, unsigned k);

#ifdef __cplusplus
}
#endif
#endif

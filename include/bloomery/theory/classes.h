/* bloomery/theory/classes.h - a filter whose keys have different numbers of hashes.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     double asked[] = {99, 1}, held[] = {10, 990}, k[2];
 *     blm_classes_real(asked, held, 2, 8000, k)          0.000237; k is 18.67 and 5.41
 *
 * Keys are divided into classes. asked[c] is the share of the queries for non-members that belong
 * to class c, in any unit. held[c] is the expected number of its members, and n, the sum of these,
 * that of all members. A key of class c sets k[c] of m bits. One class is a standard filter. A
 * function returns NaN, and writes nothing, for m = 0, no class, a number that is negative or not
 * finite, or where all of asked or all of held are 0.
 */
#ifndef BLOOMERY_THEORY_CLASSES_H
#define BLOOMERY_THEORY_CLASSES_H
#include <bloomery/theory.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The expected rate of a query of k positions after `throws` throws of single bits, exact, whatever
 * keys the throws belong to: blm_rate_throws(m, k, k * n) is blm_rate_exact(m, k, n). NaN: k > 64.
 * Cost: as blm_rate_exact. */
BLM_API double blm_rate_throws(uint64_t m, unsigned k, uint64_t throws);

/* The rate over all queries, sum of asked[c] (1 - e^(-K/m))^k[c] over the sum of asked[c], where K
 * is the sum of held[c] k[c]. k need not be whole numbers. */
BLM_API double blm_classes_rate(const double *asked, const double *held, size_t n, double m,
                                const double *k);

/* Writes the best k of each class as real numbers, which may be negative, and returns their rate:
 * k[c] = (m/n) ln 2 + log2 r[c] - (1/n) sum of held[i] log2 r[i], with r[c] = asked[c] / held[c] as
 * shares of their sums. A class that is asked twice as often has one hash more, and one with twice
 * the members one less. All of asked and of held must be above 0. */
BLM_API double blm_classes_real(const double *asked, const double *held, size_t n, double m,
                                double *k);

#ifdef __cplusplus
}
#endif
#endif

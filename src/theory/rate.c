/* rate.c - the false-positive rate of a filter of m bits, and what a rejection costs. */
#include <bloomery/theory/classes.h>
#include "theory_internal.h"

/* Past this many throws an integer is no longer exact in a double; approx is then within 1e-15. */
#define THROWS_MAX ((uint64_t)1 << 53)

enum { TRIANGLE = (BLM_THEORY_HASHES + 1) * (BLM_THEORY_HASHES + 2) / 2 };

double blm_rate_approx(uint64_t m, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(m, k)) return NAN;
    return pow(-expm1(-(double)k * (double)n / (double)m), k);
}

double blm_rate_classic(uint64_t m, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(m, k)) return NAN;
    if (n == 0) return 0;
    return pow(-expm1((double)k * (double)n * log1p(-1 / (double)m)), k);
}

double blm_rate_bound(uint64_t m, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(m, k)) return NAN;
    if (n == 0) return 0;
    if (m == 1) return 1;
    return pow(-expm1(-(double)k * ((double)n + 0.5) / ((double)m - 1)), k);
}

double blm_rate_from_fill(uint64_t ones, uint64_t m, unsigned k)
{
    if (!blm_theory_shape(m, k) || ones > m) return NAN;
    return pow((double)ones / (double)m, k);
}

void blm_theory_distinct(uint64_t m, unsigned k, unsigned cells, double *chance)
{
    for (unsigned j = 0; j <= cells; j++) chance[j] = j == 0;
    for (unsigned t = 0; t < k; t++) {
        for (unsigned j = cells; j > 0; j--)
            chance[j] = chance[j] * ((double)j / (double)m) +
                        chance[j - 1] * ((double)(m - j + 1) / (double)m);
        chance[0] = 0;
    }
}

/* ---- the exact rate ---------------------------------------------------------------------------
 * A query reads j distinct cells. Watch r, how many of them are still zero: one throw of an insert
 * turns r into r - 1 with chance r/m. That is a triangular matrix T; the chance that all j are set
 * after e throws is entry (j, 0) of T^e. Squaring adds and multiplies positive numbers only, so
 * nothing cancels; the diagonal, whose error would double with each squaring, is known in closed
 * form, (1 - r/m)^e, and is put back each time. The alternating sum for the same entry loses 3^j:
 * 2 % are wrong at k = 30. Row r starts at r(r+1)/2. */

/* All below the diagonal. A row needs itself and those above it: in place from the last one up. */
static void square(double *matrix, unsigned cells)
{
    double row[BLM_THEORY_HASHES + 1], diagonal[BLM_THEORY_HASHES + 1];
    for (unsigned i = 0; i <= cells; i++) diagonal[i] = matrix[i * (i + 1) / 2 + i];
    for (unsigned i = cells; i > 0; i--) {
        double *mine = matrix + i * (i + 1) / 2;
        for (unsigned j = 0; j < i; j++) row[j] = mine[j] * (diagonal[i] + diagonal[j]);
        for (unsigned l = 1; l < i; l++) {
            const double *other = matrix + l * (l + 1) / 2;
            for (unsigned j = 0; j < l; j++) row[j] += mine[l] * other[j];
        }
        for (unsigned j = 0; j < i; j++) mine[j] = row[j];
    }
}

static void apply(const double *matrix, unsigned cells, double *column)
{
    for (unsigned j = cells + 1; j-- > 0;) {
        const double *row = matrix + j * (j + 1) / 2;
        double sum = 0;
        for (unsigned r = 0; r <= j; r++) sum += row[r] * column[r];
        column[j] = sum;
    }
}

/* hit[j]: the chance that j given cells are all set after that many throws (at least one). */
static void hit_chances(uint64_t m, unsigned cells, uint64_t throws, double *hit)
{
    double matrix[TRIANGLE], stay[BLM_THEORY_HASHES + 1];
    for (unsigned r = 0; r <= cells; r++) {
        double *row = matrix + r * (r + 1) / 2;
        for (unsigned j = 0; j <= r; j++) row[j] = 0;
        if (r > 0) row[r - 1] = (double)r / (double)m;
        stay[r] = log1p(-(double)r / (double)m); /* r = m: -inf, whose exp is the 0 we want */
        row[r] = exp(stay[r]);
        hit[r] = r == 0;
    }
    for (uint64_t power = 1;; power *= 2) {
        if (throws & power) apply(matrix, cells, hit);
        throws &= ~power;
        if (!throws) return;
        square(matrix, cells);
        for (unsigned r = 1; r <= cells; r++)
            matrix[r * (r + 1) / 2 + r] = exp(2 * (double)power * stay[r]);
    }
}

double blm_rate_throws(uint64_t m, unsigned k, uint64_t throws)
{
    if (!blm_theory_shape(m, k) || k > BLM_THEORY_HASHES) return NAN;
    if (throws == 0) return 0;
    if (throws > THROWS_MAX) return pow(-expm1(-(double)throws / (double)m), k);
    unsigned cells = k < m ? k : (unsigned)m;
    double hit[BLM_THEORY_HASHES + 1], chance[BLM_THEORY_HASHES + 1], rate = 0;
    hit_chances(m, cells, throws, hit);
    blm_theory_distinct(m, k, cells, chance);
    for (unsigned j = 1; j <= cells; j++) rate += chance[j] * hit[j];
    return fmin(rate, 1); /* sums of rounded chances may pass 1 by an ulp */
}

double blm_rate_exact(uint64_t m, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(m, k) || k > BLM_THEORY_HASHES) return NAN;
    return n > THROWS_MAX / k ? blm_rate_approx(m, k, n) : blm_rate_throws(m, k, k * n);
}

double blm_rate_sd(uint64_t m, unsigned k, uint64_t n)
{
    if (!blm_theory_shape(m, k)) return NAN;
    return n == 0 ? 0 : k * blm_fill_sd(m, k, n) / blm_fill_mean(m, k, n);
}

/* ---- probes ---------------------------------------------------------------------------------- */

static bool fill_ok(double fill, unsigned k) { return fill >= 0 && fill <= 1 && k > 0; }

/* 1 + fill + ... + fill^(k-1): the i-th probe happens when the ones before it all hit. */
double blm_probes_to_reject(double fill, unsigned k)
{
    if (!fill_ok(fill, k)) return NAN;
    double sum = 0;
    for (unsigned i = 0; i < k; i++) sum = sum * fill + 1;
    return sum;
}

/* sum of i fill^(i-1) over sum of fill^(i-1), i = 1..k: the closed form is 0/0 at fill 1. */
double blm_probes_given_rejected(double fill, unsigned k)
{
    if (!fill_ok(fill, k)) return NAN;
    double weighted = 0, sum = 0;
    for (unsigned i = k; i > 0; i--) {
        weighted = weighted * fill + i;
        sum = sum * fill + 1;
    }
    return weighted / sum;
}

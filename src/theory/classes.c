/* classes.c - keys of several classes in one array of bits: the rate, and the best hashes as real numbers. */
#include <bloomery/theory/classes.h>
#include "theory_internal.h"

/* The sum of n numbers of at least `min`; NaN if one is none. */
static double sum_of(const double *x, size_t n, double min)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] >= min && x[i] < INFINITY ? x[i] : NAN;
    return sum > 0 ? sum : NAN;
}

double blm_classes_rate(const double *asked, const double *held, size_t n, double m,
                        const double *k)
{
    double queries = sum_of(asked, n, 0), rate = 0, load = 0;
    if (!(m > 0) || isnan(queries) || isnan(sum_of(held, n, 0))) return NAN;
    for (size_t i = 0; i < n; i++) load += held[i] * k[i] / m;
    for (size_t i = 0; i < n; i++) rate += asked[i] / queries * pow(-expm1(-load), k[i]);
    return rate;
}

double blm_classes_real(const double *asked, const double *held, size_t n, double m, double *k)
{
    const double queries = sum_of(asked, n, 0x1p-1022), members = sum_of(held, n, 0x1p-1022);
    double mean = 0;
    if (!(m > 0) || isnan(queries) || isnan(members)) return NAN;
    for (size_t i = 0; i < n; i++) {
        k[i] = log2(asked[i] / queries) - log2(held[i] / members);
        mean += held[i] / members * k[i];
    }
    for (size_t i = 0; i < n; i++) k[i] += m / members * BLM_THEORY_LN2 - mean;
    return blm_classes_rate(asked, held, n, m, k);
}

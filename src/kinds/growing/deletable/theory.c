/* theory.c - which members can be deleted.
 *
 * A probe of another key leaves a bit alone with the chance q = 1 - 1/m; there are N = kn of them, as good as
 * independent. The region of a member's bit has no collision if none of N - 1 hits that bit, and none of the s - 1
 * other bits is hit twice. The powers are taken by logarithms: q^N at m = 10^9 is 1 - 10^-9 to the 10^9.
 */
#include <bloomery/theory/deletable.h>
#include "theory/theory_internal.h"

double blm_deletable_share(uint64_t m, unsigned k, uint64_t n, uint64_t regions)
{
    if (!m || !k || !n || !regions || regions > m) return NAN;
    const uint64_t bits = m / regions + (m % regions != 0);
    const double size = (double)bits, probes = (double)k * (double)n;
    if (m == 1) return probes > 1 ? 0 : 1;
    const double log_q = log1p(-1 / (double)m);
    const double once = exp(probes * log_q) + probes / (double)m * exp((probes - 1) * log_q);
    const double clean = exp((probes - 1) * log_q) * pow(fmin(once, 1), size - 1);
    return -expm1(k * log1p(-fmin(clean, 1)));
}

/* streams.c - the lower bound of Geraud-Stewart, Lombard-Platet and Naccache (2020) for filters over streams.
 *
 * The share of the alphabet that m arrivals touch is 1 - (1 - 1/L)^m. For 2^32 keys and 2^20 arrivals that is 2.4e-4, and
 * the difference of two numbers near 1: so it goes by log1p and expm1.
 */
#include <bloomery/theory/streams.h>
#include <math.h>

double blm_sliding_bound(double alphabet, double bits, double window)
{
    if (!(alphabet >= 2) || !(bits >= 1) || !(window >= 1)) return NAN;
    if (window <= bits) return 0;
    const double fewer = log1p(-1 / alphabet); /* 0 from 2^1074 on */
    if (fewer == 0) return 1 - bits / window;
    return 1 - expm1(bits * fewer) / expm1(window * fewer);
}

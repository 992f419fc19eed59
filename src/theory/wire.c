/* wire.c - the density of a delta, and what it costs. */
#include <bloomery/theory/wire.h>
#include <math.h>

double blm_wire_entropy(double p)
{
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0 || p == 1) return 0;
    return -(p * log(p) + (1 - p) * log1p(-p)) / log(2.0);
}

/* A bit differs if it is one of the new keys' (1 - e^(-ktn/m)) and of none of the keys that were there (e^(-kn/m)), or the
 * other way round. */
double blm_delta_density(double m, unsigned k, double n, double t)
{
    if (!(m > 0) || !k || !(n >= 0) || !(t >= 0 && t <= 1)) return NAN;
    return 2 * exp(-(double)k * n / m) * -expm1(-(double)k * t * n / m);
}

double blm_delta_bits(double m, unsigned k, double n, double t)
{
    return m * blm_wire_entropy(blm_delta_density(m, k, n, t));
}

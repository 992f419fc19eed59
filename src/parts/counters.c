/* counters.c - whole arrays of counters. */
#include "parts/counters.h"

#include <math.h>

blm_census blm_counters_census(const blm_counters *c)
{
    const uint64_t top = blm_packed_top(c->width);
    blm_census sum = {0, 0};
    for (uint64_t i = 0; i < c->count; i++) {
        const uint64_t v = blm_counters_get(c, i);
        sum.used += v > 0;
        sum.stuck += v == top;
    }
    return sum;
}

blm_census blm_counters_merge(const blm_counters *into, const blm_counters *from)
{
    for (uint64_t i = 0; i < into->count; i++)
        blm_counters_raise(into, i, blm_counters_get(from, i));
    return blm_counters_census(into);
}

blm_estimate blm_counters_estimate(const blm_counters *c, uint64_t value)
{
    const bool stuck = value == blm_packed_top(c->width);
    return (blm_estimate){(double)value, 0, stuck ? (double)INFINITY : (double)value, stuck};
}

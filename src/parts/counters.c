/* counters.c - whole arrays of counters. */
#include "parts/counters.h"

#include <inttypes.h>
#include <math.h>

uint64_t blm_counters_lower_all(const blm_counters *c, const blm_counters_key *key, uint64_t by)
{
    uint64_t gone = 0;
    for (unsigned i = 0; i < key->n; i++) {
        const uint64_t v = blm_counters_get(c, key->at[i]);
        gone += blm_counters_lower(c, key->at[i], v < by ? v : by);
    }
    return gone;
}

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

blm_census blm_counters_raise_all(const blm_counters *c, const uint64_t *at, unsigned n,
                                  uint64_t by)
{
    blm_census sum = {0, 0};
    for (unsigned i = 0; i < n; i++) sum = blm_census_plus(sum, blm_counters_raise(c, at[i], by));
    return sum;
}

blm_census blm_counters_lift_all(const blm_counters *c, const uint64_t *at, unsigned n, uint64_t to)
{
    const uint64_t top = blm_packed_top(c->width), value = to < top ? to : top;
    blm_census sum = {0, 0};
    for (unsigned i = 0; i < n; i++) sum = blm_census_plus(sum, blm_counters_lift(c, at[i], value));
    return sum;
}

blm_err blm_counters_shape(uint64_t count, unsigned width, uint64_t *bytes, blm_report *why)
{
    *bytes = 0;
    if (width < 1 || width > 64 || (width > 57 && width < 64))
        return blm_fail(why, BLM_E_ARG, "width=%u: must be 1 to 57 or 64 bits per counter", width);
    *bytes = blm_packed_bytes(count, width);
    return *bytes ? BLM_OK
                  : blm_fail(why, BLM_E_ARG, "%" PRIu64 " counters of %u bits exceed 2^64 bits",
                             count, width);
}

blm_err blm_counters_check(const blm_counters *c, blm_census want, blm_report *why)
{
    if (!blm_counters_tail_zero(c))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last counter is set");
    const blm_census now = blm_counters_census(c);
    return now.used == want.used && now.stuck == want.stuck
               ? BLM_OK
               : blm_fail(
                     why, BLM_E_IMAGE,
                     "damaged: the numbers of used and stuck counters differ from their fields");
}

size_t blm_counters_touch(const blm_counters *c, const uint64_t *at, unsigned n, blm_touch *out,
                          size_t cap)
{
    for (unsigned i = 0; i < n && i < cap; i++)
        out[i] = (blm_touch){at[i], at[i] * c->width / 8, blm_counters_get(c, at[i])};
    return n;
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

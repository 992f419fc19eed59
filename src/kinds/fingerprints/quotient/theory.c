/* theory.c - the smallest table for keys and a rate, and the lowest rate of a table's bits. */
#include <bloomery/theory/dleft.h>
#include <bloomery/theory/quotient.h>
#include "theory/theory_internal.h"
#include "cells.h"

uint64_t blm_quotient_homes(uint64_t n)
{
    return n && n <= UINT64_C(1) << (BLM_QUOTIENT_ACROSS - 1) ? n + (n + 18) / 19 : 0;
}

uint64_t blm_quotient_bits(uint64_t quotients, unsigned remainder, unsigned width)
{
    if (quotients < 2 || quotients > UINT64_C(1) << BLM_QUOTIENT_ACROSS || !remainder ||
        remainder > BLM_RUNS_CELL || remainder + width > BLM_RUNS_CELL ||
        quotients > (UINT64_C(1) << BLM_QUOTIENT_RANGE) >> remainder)
        return 0;
    const blm_runs r = blm_runs_of(quotients, remainder, width);
    return blm_runs_bytes(&r) * 8;
}

/* The fewest quotients, `homes` or more, whose fingerprints keep p with remainders of r bits; above 2^50: there are none. */
static uint64_t wanted(uint64_t n, double p, uint64_t homes, unsigned r)
{
    const double range = -1 / expm1(log1p(-p) / (double)n); /* of fingerprints */
    double q = fmax((double)homes, ceil(ldexp(range, -(int)r) * (1 - 1e-12)));
    while (q <= 0x1p50 && ldexp(q, (int)r) <= 0x1p63 && blm_rate_prints((uint64_t)q << r, n) > p)
        q += 1 + floor(q * 0x1p-40);
    return q <= 0x1p50 ? (uint64_t)q : UINT64_MAX;
}

bool blm_size_quotient(uint64_t n, double p, unsigned width, uint64_t *quotients,
                       unsigned *remainder)
{
    const uint64_t homes = blm_quotient_homes(n);
    unsigned r = 1;
    if (!homes || !(p > 0 && p < 1)) return false;
    while (r < BLM_RUNS_CELL && wanted(n, p, homes, r) > homes) r++;
    /* With a bit less in each slot more slots may take less than these. */
    const uint64_t more = r > 1 ? wanted(n, p, homes, r - 1) : UINT64_MAX;
    const uint64_t bits = blm_quotient_bits(wanted(n, p, homes, r), r, width),
                   other = blm_quotient_bits(more, r - 1, width);
    if (!bits && !other) return false;
    const bool fewer = other && (!bits || other < bits);
    *remainder = r - fewer;
    *quotients = fewer ? more : wanted(n, p, homes, r);
    return true;
}

bool blm_fit_quotient(uint64_t bits, uint64_t n, unsigned width, uint64_t *quotients,
                      unsigned *remainder)
{
    uint64_t low = blm_quotient_homes(n), high = (UINT64_C(1) << BLM_QUOTIENT_ACROSS) + 1;
    unsigned r = BLM_RUNS_CELL;
    for (; r; r--) {
        const uint64_t taken = blm_quotient_bits(low, r, width);
        if (taken && taken <= bits) break;
    }
    if (!r) return false;
    while (high - low > 1) { /* low fits, high does not */
        const uint64_t q = low + (high - low) / 2, taken = blm_quotient_bits(q, r, width);
        *(taken && taken <= bits ? &low : &high) = q;
    }
    *quotients = low;
    *remainder = r;
    return true;
}

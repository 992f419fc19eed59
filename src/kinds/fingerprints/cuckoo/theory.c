/* theory.c - two tables of fingerprints that can be read back: how many buckets, how many bits, what rate. */
#include <bloomery/theory/cuckoo.h>
#include "theory/theory_internal.h"

enum { CUCKOO_PRINTS_LEAST = 5, CUCKOO_PRINTS_MOST = 56, CUCKOO_PRINTS_SORTED = 4 };
static const double cuckoo_across_max = 0x1p47, cuckoo_range_max = 0x1p62,
                    cuckoo_crowds_max = 1e-6; /* per filter */

static bool cuckoo_slots(unsigned slots)
{
    return slots == 1 || slots == 2 || slots == 4 || slots == 8;
}

double blm_cuckoo_crowds(uint64_t n, double range, unsigned slots)
{
    double crowds = (double)n;
    for (unsigned i = 1; i <= 2 * slots; i++)
        crowds *= n > i ? (double)(n - i) / ((i + 1) * range) : 0;
    return crowds;
}

/* Do all keys find a place, as far as their buckets are concerned? A crowd of keys has the same two buckets. With one slot
 * a component of k keys has k buckets at least, and larger ones with a key too many are as many as crowds / (1 - n/across)^3
 * (Kutzelnigg: Bipartite random graphs and cuckoo hashing, 2006). */
static bool cuckoo_have_room(uint64_t n, unsigned slots, double across)
{
    const double keys = (double)n;
    if (n <= UINT64_C(2) * slots) return true;
    if (keys > blm_theory_cuckoo_holds(slots, 2 * across)) return false;
    const double crowds = blm_cuckoo_crowds(n, across * across, slots);
    return slots > 1 ? crowds <= 2e-7 : crowds <= 1e-7 * pow(1 - keys / across, 3);
}

uint64_t blm_cuckoo_across(uint64_t n, unsigned slots)
{
    if (!n || !cuckoo_slots(slots) || (double)n > 0.9 * cuckoo_across_max) return 0;
    if (cuckoo_have_room(n, slots, 1)) return 1;
    uint64_t low = 1, high = 2; /* low is too small, high is not */
    while (!cuckoo_have_room(n, slots, (double)high)) low = high, high *= 2;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(cuckoo_have_room(n, slots, (double)middle) ? &high : &low) = middle;
    }
    return high;
}

/* ---- rates --------------------------------------------------------------------------------------- */

/* Of 2^width rests, 0 and 1 are one fingerprint: 2 of 2^width non-members have it. */
double blm_rate_cuckoo_prints(uint64_t across, unsigned width, uint64_t n)
{
    if (!across || width < CUCKOO_PRINTS_LEAST || width > CUCKOO_PRINTS_MOST) return (double)NAN;
    const double range = ldexp((double)across, (int)width), keys = (double)n,
                 twice = ldexp(2, -(int)width);
    return -(1 - twice) * expm1(keys * log1p(-1 / range)) - twice * expm1(keys * log1p(-2 / range));
}

/* Keys that have a fingerprint in common; and how many of n keys have one that stands for two numbers. */
double blm_rate_cuckoo_prints_sd(uint64_t across, unsigned width, uint64_t n)
{
    const double rate = blm_rate_cuckoo_prints(across, width, n);
    if (!(rate > 0)) return rate * 0;
    const uint64_t range = across << width;
    const double twice = ldexp(2, -(int)width), shared = blm_fill_sd(range, 1, n) / (double)range;
    return hypot(shared / rate, sqrt(twice * (1 - twice) / (double)n) / (1 + twice));
}

/* ---- sizes ----------------------------------------------------------------------------------------- */

static double cuckoo_bucket_bits(unsigned width, unsigned slots, bool sorted)
{
    return (double)width * slots - (sorted ? CUCKOO_PRINTS_SORTED : 0);
}

static bool cuckoo_sane(uint64_t n, unsigned slots, bool sorted)
{
    return blm_cuckoo_across(n, slots) && (!sorted || slots == CUCKOO_PRINTS_SORTED);
}

/* Do these fingerprints suffice, so that no crowd of keys has one of them? */
static bool cuckoo_apart(uint64_t n, unsigned slots, double across, unsigned width)
{
    const double range = ldexp(across, (int)width);
    return range < cuckoo_range_max && across < cuckoo_across_max &&
           blm_cuckoo_crowds(n, range, slots) <= cuckoo_crowds_max;
}

bool blm_size_cuckoo_prints(uint64_t n, double p, unsigned slots, bool sorted, uint64_t *across,
                            unsigned *width)
{
    double min = (double)INFINITY;
    if (!cuckoo_sane(n, slots, sorted) || !(p > 0 && p < 1)) return false;
    const double least = (double)blm_cuckoo_across(n, slots),
                 range = fmax(
                     -1 / expm1(log1p(-p) / (double)n), /* for the rate, and for crowds */
                     pow(blm_cuckoo_crowds(n, 1, slots) / cuckoo_crowds_max, 1 / (2.0 * slots)) *
                         (1 + 1e-9));
    for (unsigned w = CUCKOO_PRINTS_LEAST; w <= CUCKOO_PRINTS_MOST; w++) {
        double b = fmax(least, ceil(ldexp(range, -(int)w) * (1 - 1e-12)));
        while (b < cuckoo_across_max && ldexp(b, (int)w) < cuckoo_range_max &&
               blm_rate_cuckoo_prints((uint64_t)b, w, n) > p)
            b += 1 + floor(b * 0x1p-12);
        const double bits = b * cuckoo_bucket_bits(w, slots, sorted);
        if (!cuckoo_apart(n, slots, b, w) || bits >= min) continue;
        min = bits;
        *across = (uint64_t)b;
        *width = w;
    }
    return isfinite(min) &&
           blm_fit_cuckoo_prints((uint64_t)(2 * min), n, slots, sorted, across, width);
}

bool blm_fit_cuckoo_prints(uint64_t bits, uint64_t n, unsigned slots, bool sorted, uint64_t *across,
                           unsigned *width)
{
    if (!cuckoo_sane(n, slots, sorted)) return false;
    const uint64_t least = blm_cuckoo_across(n, slots), words = bits / 64 + (bits % 64 > 0);
    for (unsigned w = CUCKOO_PRINTS_MOST; w >= CUCKOO_PRINTS_LEAST; w--) {
        const double b = floor((double)words * 32 / cuckoo_bucket_bits(w, slots, sorted));
        if (b < (double)least || !cuckoo_apart(n, slots, b, w)) continue;
        *across = (uint64_t)b;
        *width = w;
        return true;
    }
    return false;
}

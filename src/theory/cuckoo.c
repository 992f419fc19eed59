/* cuckoo.c - two buckets per key: how many are needed, and the rate of fingerprints in buckets of four slots. */
#include <bloomery/theory/cuckoo.h>
#include "theory/theory_internal.h"

enum { CUCKOO_SLOTS = 4, CUCKOO_WIDTH = 56, CUCKOO_DIGEST = 128 };
static const double cuckoo_max = 0x1p48;

/* All keys find a place up to a share of the slots, and few buckets need more room, by their own chance: simulated for 5
 * to 1000 buckets, one filter in 10^7 rejects a key. For large tables the limit is below that share, because a search
 * ends after 2048 buckets. Where each key has one slot in a bucket, the chance of a crowd alone decides. */
double blm_theory_cuckoo_holds(unsigned slots, double buckets)
{
    const double all = slots * buckets;
    if (slots == 1) return 0.47 * all;
    if (slots == 2) return fmin(0.86 * all, 0.897 * all - 3.4 * sqrt(buckets));
    if (slots == 4) return fmin(0.95 * all, 0.98 * all - 6.7 * pow(buckets, 0.36));
    return fmin(0.98 * all, 0.998 * all - 6.7 * pow(buckets, 0.36));
}

uint64_t blm_cuckoo_buckets(uint64_t n)
{
    if (!n || (double)n > blm_theory_cuckoo_holds(CUCKOO_SLOTS, cuckoo_max)) return 0;
    if (n <= UINT64_C(2) * CUCKOO_SLOTS)
        return (n + CUCKOO_SLOTS - 1) / CUCKOO_SLOTS; /* in the only two all have room */
    uint64_t low = 2, high = n;                       /* low is too small, high is not */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(blm_theory_cuckoo_holds(CUCKOO_SLOTS, (double)middle) < (double)n ? &low : &high) =
            middle;
    }
    return high;
}

/* The chance that the fingerprint of a non-member is that of a slot in use. */
static double cuckoo_match(unsigned width) { return 1 / (ldexp(1, (int)width) - 1); }

/* Over all pairs of different buckets: u + v - uv, where u is the chance of a yes by the one, v by the other. */
double blm_rate_cuckoo_from_fill(const uint64_t with[CUCKOO_SLOTS + 1], unsigned width)
{
    double buckets = 0, sum = 0, squares = 0;
    if (!width || width > CUCKOO_WIDTH) return NAN;
    for (unsigned used = 0; used <= CUCKOO_SLOTS; used++) {
        const double yes = used ? -expm1(used * log1p(-cuckoo_match(width))) : 0;
        buckets += (double)with[used];
        sum += yes * (double)with[used];
        squares += yes * yes * (double)with[used];
    }
    if (buckets <= 1) return sum;
    return 2 * sum / buckets - (sum * sum - squares) / (buckets * (buckets - 1));
}

double blm_rate_cuckoo(uint64_t buckets, unsigned width, uint64_t n, bool high)
{
    if (!buckets || width < 2 || width > CUCKOO_WIDTH) return NAN;
    const double places = buckets > 1 ? 2 * CUCKOO_SLOTS : CUCKOO_SLOTS;
    const double load = fmin((double)n / (CUCKOO_SLOTS * (double)buckets), 1);
    const double all = -expm1(places * log1p(-cuckoo_match(width)));
    return high ? -expm1(places * load * log1p(-cuckoo_match(width))) : load * all;
}

bool blm_size_cuckoo(uint64_t n, double p, uint64_t *buckets, unsigned *width)
{
    const uint64_t b = blm_cuckoo_buckets(n);
    unsigned w = 2;
    if (!b || !(p > 0 && p < 1)) return false;
    while (w <= CUCKOO_WIDTH && blm_rate_cuckoo(b, w, n, true) > p) w++;
    if (w > CUCKOO_WIDTH) return false;
    *buckets = b;
    *width = w;
    return true;
}

static uint64_t cuckoo_words(uint64_t buckets, uint64_t width)
{
    return (buckets * CUCKOO_SLOTS * width + 63) / 64 +
           buckets * (CUCKOO_SLOTS * CUCKOO_DIGEST / 64);
}

/* The longest fingerprints, since a bit more halves the rate; then as many buckets as there is room for. */
bool blm_fit_cuckoo(uint64_t bits, uint64_t n, uint64_t *buckets, unsigned *width)
{
    const uint64_t min = blm_cuckoo_buckets(n), words = bits / 64 + (bits % 64 > 0);
    uint64_t w = CUCKOO_WIDTH;
    if (!min) return false;
    while (w >= 2 && cuckoo_words(min, w) > words) w--;
    if (w < 2) return false;
    uint64_t low = min,
             high = words / (CUCKOO_SLOTS * CUCKOO_DIGEST / 64) + 1; /* low fits, high does not */
    if ((double)high > cuckoo_max) high = (uint64_t)cuckoo_max + 1;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(cuckoo_words(middle, w) <= words ? &low : &high) = middle;
    }
    *buckets = low;
    *width = (unsigned)w;
    return true;
}

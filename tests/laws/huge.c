/* huge.c - theory at 10^8 keys, and a filter of more than 2^32 bits. Two kinds at a time need at most
 * about 3 GiB.
 */
#include <inttypes.h>
#include <math.h>

#include "core/kind.h"
#include "laws/laws.h"
#include "parts/bits.h"

enum { KEYS = 20000000, ASKED = 1000000 };

/* Positions of 32 bits would leave the upper part empty; then its loss would cost no key. */
static int upper_part(const char *kind)
{
    const double m = 6e9, border = 0x1p32, share = 1 - border / m;
    blm_filter *f = law_make(kind, "bits=6e9 hashes=4 keys=2e7");
    law_key room;
    DEMAND(law_add(f, 0, KEYS) == BLM_OK, "add within capacity");
    const uint64_t low_bytes = UINT64_C(1) << 29; /* 2^32 bits */
    const double low = (double)blm_bits_count(f->cells, low_bytes);
    const double high = (double)blm_bits_count(f->cells + low_bytes, f->bytes - low_bytes);
    const double sigma = sqrt((low + high) * share * (1 - share));
    DEMAND(fabs(high - (low + high) * share) <= 4 * sigma,
           "%g of %g ones lie past 2^32 bits, expected %g, sigma %g", high, low + high,
           (low + high) * share, sigma);
    memset(f->cells + low_bytes, 0, (size_t)(f->bytes - low_bytes));
    uint64_t lost = 0;
    for (uint64_t i = 0; i < ASKED; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        lost += !blm_has_item(f, &it);
    }
    const double gone = 1 - pow(1 - share, 4); /* a key with none of its 4 bits there is kept */
    DEMAND(fabs((double)lost - ASKED * gone) <= 4 * sqrt(ASKED * gone * (1 - gone)),
           "the upper part zeroed: %" PRIu64 " of %d keys are lost, expected %g", lost, ASKED,
           ASKED * gone);
    blm_free(f);
    printf("%s: past 2^32 bits as below\n", kind);
    return 0;
}

static int at_rates(const char *kind)
{
    static const double rates[] = {0.01, 1e-6};
    for (int i = 0; i < 2; i++) {
        const law_trial t = {.kind = kind,
                             .keys = 100000000,
                             .fpr = rates[i],
                             .seeds = 1,
                             .hits = 200,
                             .probes_max = 100000000};
        if (law_rates_hold(&t)) return 1;
        printf("%s: theory at 10^8 keys, fpr %g, holds\n", kind, rates[i]);
        fflush(stdout);
    }
    return 0;
}

int law_theory_huge(const char *kind)
{
    if (sizeof(size_t) < 8) {
        printf("%s: skipped: no room for 10^8 keys in a 32-bit process\n", kind);
        return 0;
    }
    if (strcmp(kind, "standard") == 0 && upper_part(kind)) return 1;
    return at_rates(kind);
}

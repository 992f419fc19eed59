/* bits.c - bits per key, and the rate that was measured with them. */
#include <bloomery/bloomery.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { STRANGERS_ASKED = 20000000 };

typedef struct reading {
    double bits, rate, low, high; /* low and high: 99 % of filters and non-members */
} reading;

static reading read_rate(const char *kind, uint64_t keys, double fpr, const uint64_t *stranger)
{
    blm_info info;
    uint64_t hits = 0;
    blm_filter *f = filter_of("%s keys=%" PRIu64 " fpr=%g", kind, keys, fpr);
    fill_filter(f, keys);
    probe p = {f, stranger, NULL, STRANGERS_ASKED, 1, NULL, false};
    const versus_side right = strangers_side(ask_keys, &p, keys);
    ask_keys(&p, &hits);
    if (hits < right.low || hits > right.high)
        versus_stop(1,
                    "%s at %g: %" PRIu64 " of %d non-members got a maybe, %" PRIu64 " to %" PRIu64
                    " are right",
                    kind, fpr, hits, STRANGERS_ASKED, right.low, right.high);
    blm_info_of(f, &info);
    const blm_case full = {.keys = keys, .arg = BLM_NO_ARG};
    const double spread = 2.58 * blm_fpr(f, &full).spread;
    blm_free(f);
    return (reading){.bits = (double)info.bits / (double)keys,
                     .rate = (double)hits / STRANGERS_ASKED,
                     .low = blm_binomial_low(hits, STRANGERS_ASKED, 0.99) * (1 - spread),
                     .high = blm_binomial_high(hits, STRANGERS_ASKED, 0.99) * (1 + spread)};
}

/* "Not above" is judged by the interval: a filter that is exactly at its rate reads above it half of the time. */
static void bits_row(const char *kind, uint64_t keys, double fpr, double wanted, const reading *r)
{
    char what[80], ours[24], theirs[24], limit[24];
    const double min = -log2(fpr);
    snprintf(what, sizeof what, "%s bits per key, %" PRIu64 "M keys, measured %.4f %%", kind,
             keys / 1000000, 100 * r->rate);
    snprintf(ours, sizeof ours, "%.3f", r->bits);
    snprintf(theirs, sizeof theirs, "%.3f", min);
    snprintf(limit, sizeof limit, "<= %g", wanted);
    versus_show(&(versus_figures){.what = what,
                                  .ours = ours,
                                  .theirs = theirs,
                                  .wanted = limit,
                                  .ratio = r->bits / min,
                                  .pass = r->bits <= wanted && r->low <= fpr});
}

/* A rate must not depend on the number of keys. */
static void same_rate_row(const char *kind, double fpr, const reading *few, const reading *many)
{
    char what[80], ours[24], theirs[24];
    snprintf(what, sizeof what, "%s rate at %g %%, 10M keys against 1M", kind, 100 * fpr);
    snprintf(ours, sizeof ours, "%.4f %%", 100 * many->rate);
    snprintf(theirs, sizeof theirs, "%.4f %%", 100 * few->rate);
    versus_show(&(versus_figures){.what = what,
                                  .ours = ours,
                                  .theirs = theirs,
                                  .wanted = "equal",
                                  .ratio = many->rate / few->rate,
                                  .pass = many->low <= few->high && few->low <= many->high});
}

void rows_bits(void)
{
    static const struct {
        const char *kind;
        double fpr, wanted;
    } promises[] = {{"blocked", 0.01, 9.95},
                    {"blocked", 0.001, 15.6},
                    {"split-block", 0.01, 10.6},
                    {"split-block", 0.001, 17}};
    const uint64_t few = 1000000, many = 10000000;
    uint64_t *stranger = draw_numbers(STRANGERS, STRANGERS_ASKED);
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        if (!kind_there(promises[i].kind, NULL)) continue;
        const reading at_few = read_rate(promises[i].kind, few, promises[i].fpr, stranger);
        const reading at_many = read_rate(promises[i].kind, many, promises[i].fpr, stranger);
        bits_row(promises[i].kind, few, promises[i].fpr, promises[i].wanted, &at_few);
        bits_row(promises[i].kind, many, promises[i].fpr, promises[i].wanted, &at_many);
        same_rate_row(promises[i].kind, promises[i].fpr, &at_few, &at_many);
    }
    free(stranger);
}

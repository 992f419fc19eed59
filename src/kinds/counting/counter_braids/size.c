/* size.c - how many counters in which layer, from a wish or from the fields. */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

#define COLUMNS_MAX 0x1p52
/* Columns more than the rate asks for: with few columns two keys share all their counters too often. 10 keys in rows of 5:
 * 30 in 100 such filters; in rows of 21: one in 200. */
enum { SPARE = 16, DEEP_SPARE = 8 };
#define DEEP_PER_OVERFLOW 1.3 /* counters of layer 2 for each counter of layer 1 that overflows */

/* Bytes of both layers. */
static uint64_t lay(blm_counter_braids *b)
{
    uint64_t end = 0;
    blm_section(&end, (b->columns * b->hashes * (b->width + UINT64_C(1)) + 63) / 64, 64, 8);
    b->first = end;
    b->second =
        blm_section(&end, (b->deep_columns * BRAIDS_ROWS * (uint64_t)b->deep + 63) / 64, 64, 8);
    return end;
}

static void deepen(blm_counter_braids *b, double overflow)
{
    const double cells = DEEP_PER_OVERFLOW * overflow * (double)b->columns * (double)b->hashes;
    b->deep_columns = (uint64_t)ceil(cells / BRAIDS_ROWS) + DEEP_SPARE;
}

/* The most columns with which both layers fit; 0: not even one. */
static void fit(blm_counter_braids *b, uint64_t bits, double overflow)
{
    const uint64_t bytes = (bits + 63) / 64 * 8;
    uint64_t low = 0, high = bits / (b->hashes * (b->width + UINT64_C(1))) + 2;
    while (high - low > 1) {
        b->columns = low + (high - low) / 2;
        deepen(b, overflow);
        *(lay(b) <= bytes ? &low : &high) = b->columns;
    }
    b->columns = low;
    deepen(b, overflow);
}

static blm_err by_bits(blm_counter_braids *b, const blm_config *wish, double overflow,
                       blm_report *why)
{
    b->hashes = wish->hashes ? (uint8_t)wish->hashes : BRAIDS_HASHES;
    fit(b, wish->bits, overflow);
    if (b->columns && !wish->hashes) { /* about as many counters with any number of rows */
        const unsigned k = blm_best_hashes_partitioned(b->columns * b->hashes, wish->keys);
        b->hashes = (uint8_t)(k > BRAIDS_HASHES ? k : BRAIDS_HASHES);
        fit(b, wish->bits, overflow);
    }
    if (b->columns) return BLM_OK;
    b->columns = 1;
    return blm_fail(why, BLM_E_ARG,
                    "bits %" PRIu64 ": too few; %u rows of one counter and layer 2 need %" PRIu64,
                    wish->bits, (unsigned)b->hashes, lay(b) * 8);
}

/* A higher rate than BRAIDS_RATE is no wish for fewer counters: most counts would stay open. */
static blm_err by_rate(blm_counter_braids *b, const blm_config *wish, blm_report *why)
{
    const double rate = fmin(wish->fpr, BRAIDS_RATE);
    unsigned k = wish->hashes;
    bool found = blm_size_partitioned(wish->keys, rate, k, &b->columns, &k);
    if (found && k < BRAIDS_HASHES)
        found = blm_size_partitioned(wish->keys, rate, BRAIDS_HASHES, &b->columns, &k);
    if (!found || (double)b->columns > COLUMNS_MAX - SPARE)
        return blm_wish_beyond(wish, "64 rows of 2^52 counters", why);
    b->columns += SPARE;
    b->hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err by_beta(blm_counter_braids *b, const blm_config *wish, double beta, blm_report *why)
{
    b->hashes = wish->hashes ? (uint8_t)wish->hashes : BRAIDS_HASHES;
    if (wish->bits)
        return blm_fail(why, BLM_E_ARG,
                        "beta=%g: with the number of keys it determines the size; omit bits", beta);
    const double columns = ceil(beta * (double)wish->keys / b->hashes);
    if (!(columns <= COLUMNS_MAX))
        return blm_fail(why, BLM_E_ARG, "beta=%g: more than 2^52 counters in each row", beta);
    b->columns = (uint64_t)columns;
    return BLM_OK;
}

blm_err blm_braids_plan(blm_filter *f, const blm_config *wish, const blm_knobs *k, blm_report *why)
{
    blm_counter_braids *b = (blm_counter_braids *)f;
    static const struct {
        int knob;
        const char *name;
    } whole[] = {{BRAIDS_WIDTH, "width"}, {BRAIDS_DEEP, "deep"}, {BRAIDS_LEAST, "least"}};
    for (size_t i = 0; i < BLM_LEN(whole); i++)
        if (k->num[whole[i].knob] != floor(k->num[whole[i].knob]))
            return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number", whole[i].name,
                            k->num[whole[i].knob]);
    if (wish->hashes && wish->hashes < BRAIDS_HASHES)
        return blm_fail(why, BLM_E_ARG, "hashes %u: must be from 3 to 64, or counts stay open",
                        wish->hashes);
    b->width = (uint8_t)k->num[BRAIDS_WIDTH];
    b->deep = (uint8_t)k->num[BRAIDS_DEEP];
    b->least = (uint64_t)k->num[BRAIDS_LEAST];
    const double overflow = k->num[BRAIDS_OVERFLOW];
    const blm_err err = k->text[BRAIDS_BETA] ? by_beta(b, wish, k->num[BRAIDS_BETA], why)
                        : wish->bits         ? by_bits(b, wish, overflow, why)
                                             : by_rate(b, wish, why);
    if (err) return err;
    deepen(b, overflow);
    return BLM_OK;
}

blm_err blm_braids_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_counter_braids *b = (blm_counter_braids *)f;
    *bytes = lay(b);
    if (b->used > b->columns * b->hashes)
        return blm_fail(why, BLM_E_ARG, "more counters are in use than the filter has");
    return BLM_OK;
}

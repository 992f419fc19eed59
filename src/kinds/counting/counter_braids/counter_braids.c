/* counter_braids.c - the exact count of every key, in about 15 bits per key.
 *
 * QUESTION  How often was each key of this list added, exactly? The whole list is asked at once, after the adds.
 *
 * PICTURE   A key has one counter of layer 1 in each of k rows; add raises them. A counter of layer 1 has `width` bits and
 *           a status bit. When it overflows it starts again at 0, its status bit is set, and its own three counters of
 *           layer 2 are raised.
 *
 *              plum     layer 1   |  12  |* 41  |   0  |   7  |      * status bit: it has overflowed
 *                layer 1, row 2   |   3  |  12  |   0  |  46  |
 *                layer 1, row 3   |   0  |  58  |   3  |   0  |
 *                                     \ each overflow of counter 41
 *                       layer 2   |   0  |   1  |   0  |            counters of `deep` bits, in three rows
 *
 *           To count, all keys must be known. Each counter is then a sum of unknown counts. Counters and keys tell each
 *           other upper and lower bounds, in turns, until they meet: first how often each counter has overflowed, then
 *           how often each key came. Bounds that have met are the count; others hold it.
 *
 * COST      1.3 counters per key, 14.4 bits: (8 + 1) * 1.3 for layer 1, and 2.7 for layer 2, where 5 in 100
 *           counters may overflow (overflow=). With 1.25 counters per key all of 10^5 counts are found; with 1.20 half of
 *           them stay intervals: the limit is 1.2218. least=1 promises that each listed key came; then the limit falls
 *           with the share of keys that came more often: 1.0915 for 80 %, 0.8543 for 50 %, 0.5155 for 20 %, 0.3447 for
 *           10 %. add touches k counters, and three more for each that overflows. Counting takes about 170
 *           bytes of memory per key and 1 microsecond.
 *
 * CHOOSE    counter-braids when exact counts of all keys are wanted, and the keys are known by then: flows with their
 *           list, words with their dictionary. It does not count single keys (count-min and spectral do, 307 bits per
 *           key), and does not delete: a status bit cannot be taken back, because layer 2 has only sums of overflows. has
 *           is right for members, and wrong for 73 % of all others unless a rate is asked for. A listed key that was never
 *           added counts 0, but it is one unknown more. If the list lacks a key that was added, the sums do not fit, and
 *           there is no answer. Only where bounds stay open can a missing key go unnoticed.
 *
 * PAPER     Lu, Montanari, Prabhakar, Dharmapurikar, Kabbani: Counter Braids: A Novel Counter Architecture for Per-Flow
 *           Measurement, SIGMETRICS 2008. Here the counters of a key lie in rows, so that they are distinct; a sum of
 *           hashes, 8 bytes, checks the counts in the end.
 */
#include <bloomery/theory.h>

#include "cells.h"

static const blm_field counter_braids_fields[] = {
    BLM_FIELD(blm_counter_braids, columns, BLM_F_SHAPE, 1, UINT64_C(1) << 52,
              "counters per row of layer 1"),
    BLM_FIELD(blm_counter_braids, hashes, BLM_F_SHAPE, BRAIDS_HASHES, 64, "k, rows of layer 1"),
    BLM_FIELD(blm_counter_braids, width, BLM_F_SHAPE, 1, 32,
              "bits per counter of layer 1, without its status bit"),
    BLM_FIELD(blm_counter_braids, deep_columns, BLM_F_SHAPE, 1, UINT64_C(1) << 52,
              "counters per row of layer 2, which has 3 rows"),
    BLM_FIELD(blm_counter_braids, deep, BLM_F_SHAPE, 4, 56, "bits per counter of layer 2"),
    BLM_FIELD(blm_counter_braids, least, BLM_F_SHAPE, 0, UINT32_MAX,
              "each key of a list came at least this often"),
    BLM_FIELD(blm_counter_braids, used, BLM_F_STATE, 0, UINT64_C(1) << 58,
              "counters of layer 1 that are not zero"),
    BLM_FIELD(blm_counter_braids, digest, BLM_F_STATE, 0, UINT64_MAX,
              "sum of the hashes of all adds, modulo 2^64"),
};

static const blm_knobdef counter_braids_knobs[] = {
    [BRAIDS_BETA] = {"beta", "counters of layer 1 per key (default: 1.3, more for a lower rate)",
                     BLM_K_NUMBER, .def = 0, .min = 0.01, .max = 1000},
    [BRAIDS_WIDTH] = {"width", "bits per counter of layer 1", BLM_K_NUMBER, .def = 8, .min = 1,
                      .max = 32},
    [BRAIDS_DEEP] = {"deep", "bits per counter of layer 2", BLM_K_NUMBER, .def = 32, .min = 4,
                     .max = 56},
    [BRAIDS_OVERFLOW] = {"overflow", "share of the counters of layer 1 that may overflow",
                         BLM_K_NUMBER, .def = 0.05, .min = 0, .max = 1},
    [BRAIDS_LEAST] = {"least", "promise: each listed key was added at least this often",
                      BLM_K_NUMBER, .def = 0, .min = 0, .max = 1e9},
};

/* ---- theory: rows of counters, as those of count-min ----------------------------------------- */

static blm_rate counter_braids_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    const blm_counters upper = blm_braids_upper(b);
    const double p = c ? blm_rate_partitioned(b->columns, b->hashes, c->keys)
                       : blm_sketch_rate(&upper, b->columns);
    return (blm_rate){p, p, c ? blm_rate_partitioned_sd(b->columns, b->hashes, c->keys) : 0};
}

static double counter_braids_fill(const blm_filter *f)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    return (double)b->used / ((double)b->columns * b->hashes);
}

static double counter_braids_lines(const blm_filter *f, const blm_case *c)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    const double fill = c ? blm_rate_partitioned(b->columns, 1, c->keys) : counter_braids_fill(f);
    return blm_probes_to_reject(fill, b->hashes);
}

static blm_err counter_braids_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    *n = blm_sketch_keys(b->used, b->columns, b->hashes);
    return BLM_OK;
}

static blm_err counter_braids_check(const blm_filter *f, blm_report *why)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    const blm_counters upper = blm_braids_upper(b), lower = blm_braids_lower(b);
    if (!blm_counters_tail_zero(&upper) || !blm_counters_tail_zero(&lower))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last counter of a layer is set");
    return blm_counters_census(&upper).used == b->used
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: the number of used counters differs");
}

/* ---- operations ------------------------------------------------------------------------------ */

static inline void counter_braids_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    const blm_counters upper = blm_braids_upper(b);
    for (unsigned i = 0; i < b->hashes && i < 16; i++)
        blm_counters_fetch(&upper, blm_sketch_place(h, i, b->columns));
}

static inline bool counter_braids_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    const blm_counters upper = blm_braids_upper(b);
    (void)it;
    return blm_sketch_has(&upper, h, b->hashes, b->columns);
}

/* Counter `at` of layer 1 has overflowed once more. A counter of layer 2 stops at its ceiling, and then tells nothing. */
static inline void carry(const blm_counter_braids *b, uint64_t at)
{
    const blm_counters lower = blm_braids_lower(b);
    for (unsigned i = 0; i < BRAIDS_ROWS; i++)
        blm_counters_raise(&lower, blm_sketch_place(blm_braids_hash(at), i, b->deep_columns), 1);
}

/* Sets counter `at` to its status, or `also`, with this value; a value past its bits is an overflow. */
static inline void write_counter(const blm_counter_braids *b, uint64_t at, uint64_t value,
                                 uint64_t also)
{
    const blm_counters upper = blm_braids_upper(b);
    const uint64_t status = blm_braids_status(b);
    if (value >= status) {
        value -= status;
        also = status;
        carry(b, at);
    }
    blm_packed_set(upper.cells, upper.bytes, upper.width, at, value | also);
}

static inline blm_err counter_braids_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_counter_braids *b = (blm_counter_braids *)f;
    const blm_counters upper = blm_braids_upper(b);
    const uint64_t status = blm_braids_status(b);
    uint64_t more = 0;
    (void)it;
    for (unsigned i = 0; i < b->hashes; i++) {
        const uint64_t at = blm_sketch_place(h, i, b->columns), v = blm_counters_get(&upper, at);
        write_counter(b, at, (v & (status - 1)) + 1, v & status);
        more += v == 0;
    }
    b->used = blm_sum_below(b->used, more, upper.count);
    b->digest += h.lo;
    *fresh = more > 0;
    return BLM_OK;
}

BLM_BATCH(counter_braids)
BLM_BATCH_ADD(counter_braids, counter_braids_prefetch)

static size_t counter_braids_touch(const blm_filter *f, blm_hash h, const blm_item *it,
                                   blm_touch *out, size_t cap)
{
    const blm_counter_braids *b = (const blm_counter_braids *)f;
    const blm_counters upper = blm_braids_upper(b);
    uint64_t at[64];
    (void)it;
    return blm_counters_touch(&upper, at, blm_sketch_places(h, b->hashes, b->columns, at), out,
                              cap);
}

/* The counters of both: where the values of layer 1 overflow together, that is one more for layer 2. */
static blm_err counter_braids_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_counter_braids *b = (blm_counter_braids *)f;
    const blm_counter_braids *other = (const blm_counter_braids *)g;
    const blm_counters upper = blm_braids_upper(b), more = blm_braids_upper(other);
    const blm_counters lower = blm_braids_lower(b), deeper = blm_braids_lower(other);
    const uint64_t status = blm_braids_status(b);
    (void)why;
    blm_counters_merge(&lower, &deeper);
    b->used = 0;
    for (uint64_t i = 0; i < upper.count; i++) {
        const uint64_t v = blm_counters_get(&upper, i), w = blm_counters_get(&more, i);
        write_counter(b, i, (v & (status - 1)) + (w & (status - 1)), (v | w) & status);
        b->used += (v | w) != 0;
    }
    b->digest += other->digest;
    return BLM_OK;
}

const blm_kind blm_kind_counter_braids = {
    .name = "counter-braids",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_counter_braids),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT,
    .rate = BRAIDS_RATE,
    .fields = counter_braids_fields,
    .nfields = BLM_LEN(counter_braids_fields),
    .knobs = counter_braids_knobs,
    .nknobs = BLM_LEN(counter_braids_knobs),
    .plan = blm_braids_plan,
    .shape = blm_braids_shape,
    .check = counter_braids_check,
    .fpr = counter_braids_fpr,
    .lines = counter_braids_lines,
    .fill = counter_braids_fill,
    .touch = counter_braids_touch,
    .has = counter_braids_has,
    .add = counter_braids_add,
    .prefetch_many = counter_braids_prefetch_many,
    .has_many = counter_braids_has_many,
    .add_many = counter_braids_add_many,
    .count_all = blm_braids_count_all,
    .merge = counter_braids_merge,
    .keys = counter_braids_keys,
};

/* count_min.c - how much was added of each key, and which keys are heavy, in fixed memory.
 *
 * QUESTION  How often was the key added, or how many bytes of it? Which keys have more than T?
 *
 * PICTURE   A key has one counter in each of d rows; add raises them by the weight, the smallest is the answer.
 *
 *              row 0   |   7 |   0 |  12 |   3 |   0 |      w columns of `width` bits
 *              row 1   |   0 |   9 |   0 |   8 |   5 |
 *              row 2   |  15 |   0 |   0 |   2 |   5 |      a key at 12, 8, 5 was added at most 5 times
 *
 *           update=conservative raises only the counters below the smallest + the weight: the answer is as
 *           certain, and closer. With threshold=T a key that reaches T is entered into a table of `flows`
 *           slots and counted there on its own; from then on its weight does not burden the rows (shielding).
 *
 *              table   | digest | since it was entered | at most before |      36 bytes per flow
 *
 * COST      d rows of w counters. Planned by keys and fpr, like every kind: 307 bits per key at 1 %, 460 at
 *           0.1 % with 32-bit counters; a count is then exact except at that rate. Planned by eps and
 *           delta: w = e/eps, d = ln(1/delta), for any number of keys: 43520 bits for 0.01 and 0.01. A
 *           count is never below the truth, and exceeds it by more than eps times the weight of all adds
 *           (field `weight`) with probability at most delta. Planned by threshold and total: 4 rows of
 *           10 total/threshold columns. add and count touch d counters; an entered key, one slot.
 *
 * CHOOSE    count-min for weights, and for streams whose few heavy keys matter; add overfill=yes when the number of
 *           keys is unknown. For a set with deletes choose counting, an eighth of the space; for multisets with deletes
 *           choose spectral. count-min has no delete, because a delete could make counts too low. Choose update=plain
 *           without a threshold when the bytes must not depend on the order of keys or on merging; otherwise merging is
 *           safe, but counts are higher than necessary. To end an interval of time, call blm_list, then blm_clear.
 *           Choose it, too, for blm_overlap_of, which tells the size of a join (the sum over all keys of count in A
 *           times count in B): never below the truth, and above it by more than eps times the product of both
 *           weights with probability at most delta. With conservative counters it is an estimate between wider
 *           limits; with a threshold there is none.
 *
 * PAPER     Cormode, Muthukrishnan: An improved data stream summary: the count-min sketch, J. Algorithms 55,
 *           2005; without its turnstile updates (no weight is below 0). Threshold, shielding and conservative
 *           update: Estan, Varghese: New directions in traffic measurement, ACM TOCS 21(3), 2003; entries
 *           are not kept from one interval to the next. Iceberg queries: Fang et al., VLDB 1998. Two
 *           keys with the same 64-bit hash are one flow; we do not store the identifiers of flows.
 */
#include <bloomery/theory.h>

#include "cells.h"
#include "parts/sketch.h"

#define COUNT_MIN_MAX (UINT64_C(1) << 58) /* counters */

static const blm_field count_min_fields[] = {
    BLM_FIELD(blm_count_min, columns, BLM_F_SHAPE, 1, COUNT_MIN_MAX / 64, "w, counters per row"),
    BLM_FIELD(blm_count_min, hashes, BLM_F_SHAPE, 1, 64, "d, rows"),
    BLM_FIELD(blm_count_min, width, BLM_F_SHAPE, 1, 64, "bits per counter; not 58 to 63"),
    BLM_FIELD(blm_count_min, update, BLM_F_SHAPE, 0, 1, "0: plain, 1: conservative"),
    BLM_FIELD(blm_count_min, threshold, BLM_F_SHAPE, 0, COUNT_MIN_MAX / 32,
              "weight from which a flow is heavy, or 0"),
    BLM_FIELD(blm_count_min, flows, BLM_F_SHAPE, 0, UINT32_MAX, "heavy flows the table can hold"),
    BLM_FIELD(blm_count_min, weight, BLM_F_STATE, 0, UINT64_MAX, "total weight of all adds"),
    BLM_FIELD(blm_count_min, used, BLM_F_STATE, 0, COUNT_MIN_MAX, "counters above zero"),
    BLM_FIELD(blm_count_min, stuck, BLM_F_STATE, 0, COUNT_MIN_MAX, "counters at their ceiling"),
    BLM_FIELD(blm_count_min, held, BLM_F_STATE, 0, UINT32_MAX, "heavy flows in the table"),
    BLM_FIELD(blm_count_min, dropped, BLM_F_STATE, 0, UINT64_MAX, "adds that found the table full"),
};

enum { CM_UPDATE, CM_WIDTH, CM_EPS, CM_DELTA, CM_THRESHOLD, CM_FLOWS, CM_TOTAL };
static const blm_knobdef count_min_knobs[] = {
    {"update", "raise all counters of a key, or only the smallest", BLM_K_WORD,
     BLM_COUNT_MIN_CONSERVATIVE, .words = "plain|conservative"},
    {"width", "bits per counter, 1 to 57 or 64", BLM_K_NUMBER, 32, 1, 64, NULL},
    {"eps", "max error of a count, as a fraction of the total weight", BLM_K_NUMBER, .max = 1},
    {"delta", "probability of a larger error (with eps)", BLM_K_NUMBER, .max = 1},
    {"threshold", "list keys of at least this weight", BLM_K_NUMBER, 0, 1, 0x1p53, NULL},
    {"flows", "max number of listed keys (default 1000)", BLM_K_NUMBER, 0, 1, UINT32_MAX, NULL},
    {"total", "expected total weight (with threshold)", BLM_K_NUMBER, 0, 1, 0x1p53, NULL},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err count_min_plan(blm_filter *f, const blm_config *wish, const blm_knobs *k,
                              blm_report *why)
{
    blm_count_min *c = (blm_count_min *)f;
    blm_sketch s = {.width = k->num[CM_WIDTH],
                    .bounded = k->text[CM_EPS] || k->text[CM_DELTA],
                    .eps = k->num[CM_EPS],
                    .delta = k->num[CM_DELTA],
                    .threshold = k->num[CM_THRESHOLD],
                    .flows = k->num[CM_FLOWS],
                    .total = k->num[CM_TOTAL]};
    const blm_err err = blm_sketch_plan(&s, wish, why);
    c->columns = s.columns, c->hashes = (uint8_t)s.rows;
    c->width = (uint8_t)s.width, c->update = (uint8_t)k->num[CM_UPDATE];
    c->threshold = (uint64_t)s.threshold, c->flows = (uint64_t)s.flows;
    return err;
}

static blm_err count_min_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_count_min *c = (blm_count_min *)f;
    const uint64_t cells = c->columns * c->hashes;
    if (c->used > cells || c->stuck > c->used || !c->threshold != !c->flows || c->held > c->flows)
        return blm_fail(why, BLM_E_ARG, "more counters or flows are in use than the filter has");
    if (c->threshold > blm_packed_top(c->width))
        return blm_fail(why, BLM_E_ARG, "threshold=%llu: counters of width=%u only count to %llu",
                        (unsigned long long)c->threshold, c->width,
                        (unsigned long long)blm_packed_top(c->width));
    /* With a threshold the rows lack what heavy flows brought after they were entered. */
    f->can &= ~(uint32_t)(c->threshold ? BLM_MERGE | BLM_OVERLAP : BLM_LIST);
    if (c->threshold || c->update == BLM_COUNT_MIN_CONSERVATIVE)
        f->lost |= BLM_ANY_ORDER | BLM_MERGE_EXACT; /* who comes first is raised less */
    const blm_err err = blm_counters_shape(cells, c->width, &c->rows, why);
    *bytes = c->rows;
    c->table = blm_section(bytes, blm_flows_slots(c->flows), BLM_FLOW_BYTES * 8, 8);
    return err;
}

static blm_err count_min_check(const blm_filter *f, blm_report *why)
{
    const blm_count_min *c = (const blm_count_min *)f;
    const blm_counters all = blm_count_min_all(c);
    const blm_flows table = blm_count_min_table(c);
    const blm_err err = blm_flows_check(&table, why);
    return err ? err : blm_counters_check(&all, (blm_census){c->used, c->stuck}, why);
}

static uint64_t count_min_max(const blm_filter *f)
{
    return blm_packed_top(((const blm_count_min *)f)->width) - 1;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void count_min_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_count_min *c = (const blm_count_min *)f;
    const blm_counters all = blm_count_min_all(c);
    for (unsigned i = 0; i < 2 && i < c->hashes; i++)
        blm_counters_fetch(&all, blm_sketch_place(h, i, c->columns));
}

/* An add reads every row; more than 16 would leave the cache before their turn. */
static inline void count_min_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_count_min *c = (const blm_count_min *)f;
    const blm_counters all = blm_count_min_all(c);
    for (unsigned i = 0; i < c->hashes && i < 16; i++)
        blm_counters_fetch(&all, blm_sketch_place(h, i, c->columns));
}

/* Whoever is in the table is in the rows too: has() need not look there. */
static inline bool count_min_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_count_min *c = (const blm_count_min *)f;
    const blm_counters all = blm_count_min_all(c);
    (void)it;
    return blm_sketch_has(&all, h, c->hashes, c->columns);
}

/* A counter at its ceiling may be below the truth from then on. */
static void count_min_changed(blm_count_min *c, blm_census more)
{
    c->used += more.used;
    c->stuck += more.stuck;
    if (c->stuck) c->base.lost |= BLM_NEVER_LOW;
}

static inline blm_err count_min_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_count_min *c = (blm_count_min *)f;
    const blm_counters all = blm_count_min_all(c);
    blm_flows table = blm_count_min_table(c);
    uint64_t at[64];
    c->weight = blm_flow_sum(c->weight, it->arg);
    *fresh = false;
    if (c->threshold && blm_flows_shield(&table, h.lo, it->arg)) return BLM_OK;
    const unsigned rows = blm_sketch_places(h, c->hashes, c->columns, at);
    const uint64_t min = blm_counters_min(&all, at, rows);
    count_min_changed(c, c->update == BLM_COUNT_MIN_PLAIN
                             ? blm_counters_raise_all(&all, at, rows, it->arg)
                             : blm_counters_lift_all(&all, at, rows, blm_flow_sum(min, it->arg)));
    blm_flows_enter(&table, h.lo, it->arg, min);
    c->held = table.held, c->dropped = table.dropped;
    *fresh = min == 0;
    return BLM_OK;
}

BLM_BATCH(count_min)
BLM_BATCH_ADD(count_min, count_min_prefetch_all)

/* Never below the truth unless a counter is stuck. In the table it is known from both sides. */
static inline blm_err count_min_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                      blm_estimate *n)
{
    const blm_count_min *c = (const blm_count_min *)f;
    const blm_counters all = blm_count_min_all(c);
    const blm_flows table = blm_count_min_table(c);
    uint64_t at[64];
    (void)it;
    const unsigned rows = blm_sketch_places(h, c->hashes, c->columns, at);
    if (!blm_flows_count(&table, h.lo, blm_packed_top(c->width), n))
        *n = blm_counters_estimate(&all, blm_counters_min(&all, at, rows));
    return BLM_OK;
}

BLM_BATCH_COUNT(count_min, count_min_prefetch_all)

static size_t count_min_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                              size_t cap)
{
    const blm_count_min *c = (const blm_count_min *)f;
    const blm_counters all = blm_count_min_all(c);
    uint64_t at[64];
    (void)it;
    return blm_counters_touch(&all, at, blm_sketch_places(h, c->hashes, c->columns, at), out, cap);
}

static blm_err count_min_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why)
{
    const blm_count_min *c = (const blm_count_min *)f;
    const blm_flows table = blm_count_min_table(c);
    return blm_flows_list(&table, out, n, why);
}

/* Row by row the sum of both streams; conservative counters are then higher than those of one stream. */
static blm_err count_min_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_count_min *c = (blm_count_min *)f;
    const blm_count_min *other = (const blm_count_min *)g;
    const blm_counters all = blm_count_min_all(c), more = blm_count_min_all(other);
    (void)why;
    const blm_census now = blm_counters_merge(&all, &more);
    c->weight = blm_flow_sum(c->weight, other->weight);
    count_min_changed(c, (blm_census){now.used - c->used, now.stuck - c->stuck});
    return BLM_OK;
}

const blm_kind blm_kind_count_min = {
    .name = "count-min",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_count_min),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT,
    .fields = count_min_fields,
    .nfields = BLM_LEN(count_min_fields),
    .knobs = count_min_knobs,
    .nknobs = BLM_LEN(count_min_knobs),
    .arg = {"weight", "how much of the key came", 1, 0, UINT64_C(1) << 48, BLM_AGAIN_SUM},
    .plan = count_min_plan,
    .shape = count_min_shape,
    .check = count_min_check,
    .fpr = blm_count_min_fpr,
    .lines = blm_count_min_lines,
    .fill = blm_count_min_fill,
    .max_count = count_min_max,
    .counts_by = {"width", 4},
    .touch = count_min_touch,
    .has = count_min_has,
    .add = count_min_add,
    .prefetch_many = count_min_prefetch_many,
    .has_many = count_min_has_many,
    .add_many = count_min_add_many,
    .count_many = count_min_count_many,
    .count = count_min_count,
    .no_merge_reason =
        "with a threshold, who is below it in both may be above it in all, and could not be named; "
        "merge sketches without one",
    .merge = count_min_merge,
    .list = count_min_list,
    .keys = blm_count_min_keys,
    .overlap = blm_count_min_overlap,
};

/* aging.c - two buffers that both answer: the last n to 2 n new keys of a stream.
 *
 * QUESTION  Was the key among the last n keys that came, when the stream never ends and memory is fixed?
 *
 * PICTURE   Two Bloom filters of m bits. New keys go into the current one. When it has n, the previous one is emptied, and
 *           they change roles: so the oldest keys leave, n at a time.
 *
 *                        cell 0  cell 1  cell 2  ...  cell m-1
 *                        +-------+-------+-------+---+-------+
 *              current   |   1   |   .   |   .   |   |   1   |     up to n keys, those that came last
 *              previous  |   1   |   1   |   .   |   |   1   |     the n keys before them
 *                        +-------+-------+-------+---+-------+
 *                            ^               ^             ^
 *                            h0              h1            h2      a key is there when one row has ones in all its cells
 *
 *           A key that the current row seems to have is not added again. One that only the previous row has is added, so
 *           that it lives on. always=yes counts the former as well: it sets no bit, as all its bits are ones, but the
 *           rows swap after n arrivals, not after n new keys, and repeats make all keys older.
 *
 * COST      The keys that you plan for are n: a key is never missed before n more keys have come, and in a stream of new
 *           keys it is gone after 2 n. Repeats age no key, except with always=yes. It takes 22.1 bits for each of the n
 *           keys at 1 %, and 31.6 at 0.1 %; standard takes 9.6 and 14.4, and forgets nothing. The rate rises from half the
 *           promise to the promise until the rows swap, and falls again. A query for a non-member reads 2 to 2.7 cells.
 *           A swap clears one row by a pass over all 2 m bits within one add, about 0.2 ms per MiB. Clearing it in
 *           advance would take a third row.
 *
 * CHOOSE    aging for the most recent keys of a stream when none of the last n may be missed. Choose window when keys are
 *           to expire by time, or in smaller steps than n, and stable when some misses may be. It cannot be merged, and
 *           it cannot delete. double-buffer remembers as long, in 1.7 times the memory.
 *
 * PAPER     Yoon: Aging Bloom Filter with Two Active Buffers for Dynamic Sets, IEEE TKDE 22(1), 2010. There k is
 *           log2(1 / f) for the rate f of one row, rounded, and n is m/k ln 2. Where k is rounded down, the rate passes the
 *           promise before a swap: it is 6.3 % where 5 % was planned. Here m and k are the fewest bits that keep the promise
 *           until the swap, by the exact rate. With always=yes a key is not remembered any longer, as one could think.
 */
#include <math.h>

#include "parts/buffers.h"

enum { AGING_NEW, AGING_ALWAYS };

static const blm_field aging_fields[] = {
    BLM_FIELD(blm_buffers, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, bits per row"),
    BLM_FIELD(blm_buffers, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_buffers, keep, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "n, keys per row"),
    BLM_FIELD(blm_buffers, rule, BLM_F_SHAPE, AGING_NEW, AGING_ALWAYS,
              "0: a row counts keys that are new to it, 1: all keys"),
    BLM_FIELD(blm_buffers, active, BLM_F_STATE, 0, 1, "the current row"),
    BLM_FIELD(blm_buffers, active_keys, BLM_F_STATE, 0, UINT64_C(1) << 56,
              "keys that the current row has counted"),
    BLM_FIELD(blm_buffers, active_ones, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "bits of the current row that are one"),
    BLM_FIELD(blm_buffers, other_keys, BLM_F_STATE, 0, UINT64_C(1) << 56,
              "keys that the previous row has counted: 0 or n"),
    BLM_FIELD(blm_buffers, other_ones, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "bits of the previous row that are one"),
};

static const blm_knobdef aging_knobs[] = {
    {"always", "do keys that came lately count as well, so that repeats age all keys?", BLM_K_WORD,
     .def = AGING_NEW, .words = "no|yes"},
};

/* ---- rates: 1 - (1 - f)^2 with rows of rate f -------------------------------------------------- */

/* Arrivals from one swap to the next, of keys that are all new. */
static double period_of(const blm_buffers *s)
{
    return s->rule == AGING_ALWAYS ? (double)s->keep : blm_buffers_seen(s, (double)s->keep);
}

static double rate_of_two(double a, double b) { return a + b - a * b; }

static double aging_worst(const blm_filter *f)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const double full = blm_buffers_rate(s, period_of(s)).high;
    return rate_of_two(full, full);
}

/* The current row has seen `now` keys, the previous one a period. */
static blm_rate rate_at(const blm_buffers *s, double now, double period)
{
    const blm_rate a = blm_buffers_rate(s, now), b = blm_buffers_rate(s, period);
    const double p = rate_of_two(a.high, b.high);
    const double sd = hypot(a.high * a.spread * (1 - b.high), b.high * b.spread * (1 - a.high));
    return (blm_rate){p, p, p > 0 ? sd / p : 0};
}

static blm_rate aging_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_buffers *s = (const blm_buffers *)f;
    if (!c) {
        const double p = rate_of_two(blm_buffers_rate_now(s, s->active_ones),
                                     blm_buffers_rate_now(s, s->other_ones));
        return (blm_rate){p, p, 0};
    }
    const blm_buffers_place at = blm_buffers_at(s, period_of(s), c->keys);
    if (!at.swapped) return blm_buffers_rate(s, at.low);
    const blm_rate least = rate_at(s, fmax(0, at.low - at.period), at.period);
    if (at.low < at.high)
        return (blm_rate){least.low, rate_at(s, at.high - at.period, at.period).high, least.spread};
    /* By a standard deviation of the last swap's time. */
    const double later = rate_at(s, at.low - at.period + at.sd, at.period).high - least.high;
    const double moves = at.sd >= 1 && least.high > 0 ? later / least.high : 0;
    return (blm_rate){least.low, least.high, hypot(least.spread, moves)};
}

static blm_rate aging_fnr(const blm_filter *f, const blm_case *c)
{
    return blm_buffers_fnr(f, c, period_of((const blm_buffers *)f), aging_worst(f));
}

/* A question reads on while a row that it asks has had ones only. */
static double aging_lines(const blm_filter *f, const blm_case *c)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const double m = (double)s->cells, throws = s->hashes / m;
    double a = fmin(1, (double)s->active_ones / m), b = fmin(1, (double)s->other_ones / m);
    double lines = 0;
    if (c) {
        const blm_buffers_place at = blm_buffers_at(s, period_of(s), c->keys);
        a = -expm1(-throws * (at.swapped ? at.high - at.period : at.high));
        b = at.swapped ? -expm1(-throws * at.period) : 0;
    }
    for (unsigned j = 0; j < s->hashes; j++) lines += rate_of_two(pow(a, j), pow(b, j));
    return lines;
}

/* ---- shape ------------------------------------------------------------------------------- */

static blm_err aging_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                          blm_report *why)
{
    blm_buffers *s = (blm_buffers *)f;
    s->rule = (uint8_t)knobs->num[0];
    s->keep = wish->keys;
    return blm_buffers_size(s, wish, s->keep, -expm1(log1p(-wish->fpr) / 2), period_of, why);
}

static blm_err aging_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_buffers *s = (const blm_buffers *)f;
    if (s->active_keys >= s->keep || (s->other_keys && s->other_keys != s->keep))
        return blm_fail(why, BLM_E_ARG,
                        "%llu and %llu keys in the rows: must be below %llu, and 0 or %llu",
                        (unsigned long long)s->active_keys, (unsigned long long)s->other_keys,
                        (unsigned long long)s->keep, (unsigned long long)s->keep);
    return blm_buffers_shape(f, s->rule == AGING_NEW, bytes, why);
}

/* ---- operations ------------------------------------------------------------------------- */

static inline uint64_t aging_asked(const blm_buffers *s) { return (void)s, BLM_BUFFERS_BOTH; }

static inline uint64_t aging_takes(blm_buffers *s, uint64_t found)
{
    const uint64_t current = blm_buffers_active(s), into = current & ~found;
    s->active_keys += into || s->rule == AGING_ALWAYS;
    return into;
}

static inline void aging_turn(blm_buffers *s)
{
    if (s->active_keys >= s->keep) blm_buffers_swap(s, true);
}

static const blm_buffers_rule aging_rule = {aging_asked, aging_takes, aging_turn};

static bool aging_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_columns c = blm_buffers_columns((const blm_buffers *)f);
    return (void)it, blm_columns_mask(&c, h, BLM_BUFFERS_BOTH) != 0;
}

static blm_err aging_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    return (void)it, blm_buffers_add(&aging_rule, f, h, fresh);
}

static void aging_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *yes)
{
    const blm_columns c = blm_buffers_columns((const blm_buffers *)f);
    (void)a;
    blm_columns_has_many(&c, BLM_BUFFERS_BOTH, h, n, more, yes);
}

static inline bool aging_put(void *into, const blm_staged_group *g, size_t i)
{
    return blm_buffers_put(&aging_rule, into, g, i);
}

static blm_err aging_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *fresh, size_t *done)
{
    (void)a, (void)more;
    return blm_buffers_add_many(f, h, n, aging_put, fresh, done);
}

static size_t aging_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                          size_t cap)
{
    return (void)it, blm_buffers_touch(f, BLM_BUFFERS_BOTH, h, out, cap);
}

const blm_kind blm_kind_aging = {
    .name = "aging",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_buffers),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .clock = BLM_CLOCK_ARRIVALS,
    .fields = aging_fields,
    .nfields = BLM_LEN(aging_fields),
    .knobs = aging_knobs,
    .nknobs = BLM_LEN(aging_knobs),
    .plan = aging_plan,
    .shape = aging_shape,
    .check = blm_buffers_check,
    .fpr = aging_fpr,
    .fnr = aging_fnr,
    .fpr_worst = aging_worst,
    .lines = aging_lines,
    .fill = blm_buffers_fill,
    .window = blm_buffers_window,
    .touch = aging_touch,
    .has = aging_has,
    .add = aging_add,
    .prefetch_many = blm_buffers_prefetch_many,
    .has_many = aging_has_many,
    .add_many = aging_add_many,
    .no_merge_reason = "which keys of two streams came later is not known",
};

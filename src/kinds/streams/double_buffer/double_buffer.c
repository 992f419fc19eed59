/* double_buffer.c - two buffers, one of which answers while the other one warms up: the last n to 2 n new keys of a stream.
 *
 * QUESTION  Was the key among the last n keys that came, when the stream never ends, memory is fixed, and one filter is to
 *           be asked?
 *
 * PICTURE   Two Bloom filters of m bits, each with room for C = 2 n keys. The active one answers. Past C/2 keys, all keys that
 *           come go into the warm one as well, also those that the active one has. When the warm one has C/2, it becomes
 *           the active one, and the old one is emptied.
 *
 *              keys      0 ........ C/2 ........ C
 *              active    ============|===========X swap      answers
 *              warm                  ============> active    is fed, and begins its turn with C/2 keys
 *
 *           switch=half swaps when the warm one has C/2 keys. switch=full waits until the active one has C keys as well.
 *           As long as all keys are new, both are the same moment. Keys that come again fill the warm one sooner.
 *
 * COST      The keys that you plan for are n = C/2: a key is never missed before n more keys have come, and in a stream
 *           of new keys it is gone after 2 n. So between C/2 and C keys are remembered, 3/4 C on average. It takes 38.4 bits
 *           for each of the n keys at 1 %, and 57.5 at 0.1 %; aging takes 22.1 and 31.6. The rate is the promise right
 *           before a swap, and far below it after one: 0.03 % where 1 % is promised. switch=full takes 1.5 times the
 *           memory, because its active buffer may get 1.5 C keys where old ones keep coming. A query for a non-member reads
 *           2 cells, as in standard. A swap clears one buffer by a pass over all 2 m bits within one add, about 0.2 ms per
 *           MiB. Clearing it in advance would take a third buffer.
 *
 * CHOOSE    aging instead, which asks both buffers, and so remembers as long for less. double-buffer is here for completeness,
 *           and to compare papers. Choose window when keys are to expire by time. It cannot be merged, and it cannot
 *           delete.
 *
 * PAPER     Chang, Feng, Li: Approximate caches for packet classification, INFOCOM 2004, where a full buffer swaps; the
 *           survey of Tarkoma et al., section III-L, swaps when the other one is half full. Both readings are here, counted
 *           in keys, not in bits. A buffer that swaps as soon as it is full can lose a key that came a moment ago: after
 *           many repeats the other one begins its turn with C keys, all of them old, and is full at the next one,
 *           before the new warm one has been fed. So switch=full waits for C/2 keys in the warm one, and switch=half,
 *           which swaps at that moment, is the default: it never has more than C keys in a buffer.
 */
#include <math.h>

#include <bloomery/theory.h>
#include "parts/buffers.h"

enum { SWITCH_HALF, SWITCH_FULL };

static const blm_field double_buffer_fields[] = {
    BLM_FIELD(blm_buffers, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, bits per buffer"),
    BLM_FIELD(blm_buffers, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_buffers, keep, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "C/2, half of a buffer's keys"),
    BLM_FIELD(blm_buffers, rule, BLM_F_SHAPE, SWITCH_HALF, SWITCH_FULL,
              "0: swap when the warm buffer has C/2 keys, 1: and the active one C"),
    BLM_FIELD(blm_buffers, active, BLM_F_STATE, 0, 1, "the active buffer"),
    BLM_FIELD(blm_buffers, active_keys, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "keys that the active buffer has counted"),
    BLM_FIELD(blm_buffers, active_ones, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "bits of the active buffer that are one"),
    BLM_FIELD(blm_buffers, other_keys, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "keys that the warm buffer has counted"),
    BLM_FIELD(blm_buffers, other_ones, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "bits of the warm buffer that are one"),
};

static const blm_knobdef double_buffer_knobs[] = {
    {"switch", "swap when the warm buffer is half full, or also not before the active one is full",
     BLM_K_WORD, .def = SWITCH_HALF, .words = "half|full"},
};

/* ---- rates: of the active buffer --------------------------------------------------------- */

/* Arrivals from one swap to the next, of keys that are all new: those of a warm buffer. */
static double period_of(const blm_buffers *s) { return blm_buffers_seen(s, (double)s->keep); }

/* What an active buffer has seen at most: two periods; or its share of C/2 keys and C more. */
static double most_seen(const blm_buffers *s)
{
    return s->rule == SWITCH_HALF ? 2 * period_of(s) : blm_buffers_seen(s, 3 * (double)s->keep);
}

static double double_buffer_worst(const blm_filter *f)
{
    const blm_buffers *s = (const blm_buffers *)f;
    return blm_buffers_rate(s, most_seen(s)).high;
}

/* switch=full: when swaps come depends on keys that pass for members in both buffers; known are limits. */
static blm_buffers_place place_of(const blm_buffers *s, uint64_t keys)
{
    if (s->rule == SWITCH_HALF) return blm_buffers_at(s, period_of(s), keys);
    const double n = (double)keys, keep = (double)s->keep;
    if (n < 2 * keep) return (blm_buffers_place){n, n, 0, keep, false};
    return (blm_buffers_place){keep, fmin(n, most_seen(s)), 0, keep, true};
}

static blm_rate double_buffer_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_buffers *s = (const blm_buffers *)f;
    if (!c) {
        const double p = blm_buffers_rate_now(s, s->active_ones);
        return (blm_rate){p, p, 0};
    }
    const blm_buffers_place at = place_of(s, c->keys);
    const blm_rate least = blm_buffers_rate(s, at.low);
    if (at.low < at.high)
        return (blm_rate){least.low, blm_buffers_rate(s, at.high).high, least.spread};
    /* By a standard deviation of the last swap's time. */
    const double later = at.sd >= 1 ? blm_buffers_rate(s, at.low + at.sd).high - least.high : 0;
    const double moves = least.high > 0 ? later / least.high : 0;
    return (blm_rate){least.low, least.high, hypot(least.spread, moves)};
}

static blm_rate double_buffer_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const double worst = double_buffer_worst(f);
    /* Of the arrivals of a period, those are not counted that pass for members in either buffer. */
    const double period =
        s->rule == SWITCH_HALF ? period_of(s) : (double)s->keep / (1 - fmin(worst, 0.99));
    return blm_buffers_fnr(f, c, period, worst);
}

static double double_buffer_lines(const blm_filter *f, const blm_case *c)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const double m = (double)s->cells;
    const double fill =
        c ? -expm1(-s->hashes * place_of(s, c->keys).high / m) : (double)s->active_ones / m;
    return blm_probes_to_reject(fmin(1, fill), s->hashes);
}

/* ---- shape ------------------------------------------------------------------------------- */

static blm_err double_buffer_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                  blm_report *why)
{
    blm_buffers *s = (blm_buffers *)f;
    s->rule = (uint8_t)knobs->num[0];
    s->keep = wish->keys;
    const uint64_t full = s->keep * (s->rule == SWITCH_HALF ? 2 : 3);
    return blm_buffers_size(s, wish, full, wish->fpr, most_seen, why);
}

static blm_err double_buffer_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const bool fed = s->active_keys > s->keep;
    if (s->other_keys && (!fed || (s->other_keys >= s->keep && s->rule == SWITCH_HALF)))
        return blm_fail(
            why, BLM_E_ARG,
            "%llu keys in the warm buffer, %llu in the active one: half of the keys are %llu",
            (unsigned long long)s->other_keys, (unsigned long long)s->active_keys,
            (unsigned long long)s->keep);
    return blm_buffers_shape(f, true, bytes, why);
}

/* ---- operations ------------------------------------------------------------------------- */

static inline uint64_t double_buffer_takes(blm_buffers *s, uint64_t found)
{
    const uint64_t active = blm_buffers_active(s), lacks = BLM_BUFFERS_BOTH & ~found;
    s->active_keys += (lacks & active) != 0;
    if (s->active_keys <= s->keep) return lacks & active;
    s->other_keys += (lacks & ~active) != 0;
    return lacks;
}

static inline void double_buffer_turn(blm_buffers *s)
{
    if (s->other_keys >= s->keep && (s->rule == SWITCH_HALF || s->active_keys >= 2 * s->keep))
        blm_buffers_swap(s, false);
}

static const blm_buffers_rule double_buffer_rule = {blm_buffers_active, double_buffer_takes,
                                                    double_buffer_turn};

static bool double_buffer_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const blm_columns c = blm_buffers_columns(s);
    return (void)it, blm_columns_mask(&c, h, blm_buffers_active(s)) != 0;
}

static blm_err double_buffer_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    return (void)it, blm_buffers_add(&double_buffer_rule, f, h, fresh);
}

static void double_buffer_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a,
                                   size_t n, size_t more, uint8_t *yes)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const blm_columns c = blm_buffers_columns(s);
    (void)a;
    blm_columns_has_many(&c, blm_buffers_active(s), h, n, more, yes);
}

static inline bool double_buffer_put(void *into, const blm_staged_group *g, size_t i)
{
    return blm_buffers_put(&double_buffer_rule, into, g, i);
}

static blm_err double_buffer_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                      size_t more, uint8_t *fresh, size_t *done)
{
    (void)a, (void)more;
    return blm_buffers_add_many(f, h, n, double_buffer_put, fresh, done);
}

static size_t double_buffer_touch(const blm_filter *f, blm_hash h, const blm_item *it,
                                  blm_touch *out, size_t cap)
{
    return (void)it, blm_buffers_touch(f, blm_buffers_active((const blm_buffers *)f), h, out, cap);
}

const blm_kind blm_kind_double_buffer = {
    .name = "double-buffer",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_buffers),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .superseded = true,
    .clock = BLM_CLOCK_ARRIVALS,
    .fields = double_buffer_fields,
    .nfields = BLM_LEN(double_buffer_fields),
    .knobs = double_buffer_knobs,
    .nknobs = BLM_LEN(double_buffer_knobs),
    .plan = double_buffer_plan,
    .shape = double_buffer_shape,
    .check = blm_buffers_check,
    .fpr = double_buffer_fpr,
    .fnr = double_buffer_fnr,
    .fpr_worst = double_buffer_worst,
    .lines = double_buffer_lines,
    .fill = blm_buffers_fill,
    .window = blm_buffers_window,
    .touch = double_buffer_touch,
    .has = double_buffer_has,
    .add = double_buffer_add,
    .prefetch_many = blm_buffers_prefetch_many,
    .has_many = double_buffer_has_many,
    .add_many = double_buffer_add_many,
    .no_merge_reason = "which keys of two streams came later is not known",
};

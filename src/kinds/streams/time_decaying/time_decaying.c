/* time_decaying.c - how often a key came lately: counts that fade by half in every half-life.
 *
 * QUESTION  How often did this key come, lately? Is it popular now?
 *
 * PICTURE   A key has one cell in each of k rows. add raises them by the weight, time lets all of them fade, and the
 *           smallest is the answer. With half=10:
 *
 *              time 0, add     |  0  | 1.0 |  0  | 1.0 |
 *              time 10         |  0  | 0.5 |  0  | 0.5 |
 *              add again       |  0  | 1.5 |  0  | 1.5 |     came 1.5 times: once now, once a half-life ago
 *
 *           Cells are fixed-point numbers. They are halved at multiples of the half-life only; within one, an add at
 *           phase x brings weight * 2^x, and a query divides by it (forward decay). So an add costs k cells, and a tick
 *           costs nothing until it passes such a multiple. update=conservative raises only the cells below the
 *           smallest + the weight: the answer is as certain, and closer. has asks for a count of `above`, so that a key
 *           that came once is in the set for `half` * log2(1 / above), the window: with above=0.5 for one half-life.
 *           half=10m is time, half=1e6 is arrivals (each add is one); the default is a window of as many arrivals
 *           as keys.
 *
 * COST      Planned for `keys` new keys per window for ever, what older ones left included: 14.6 cells per key at 1 %, 21.8
 *           at 0.1 % with above=0.5, 16 bits each: 233 and 349 bits. With above=0.1 a window is 3.3 half-lives, less is
 *           left of older keys, and 10.4 cells do. add and count touch k cells; when a half-life ends, one pass over
 *           all cells takes about 10 ns per key.
 *           A count is below the decayed truth by less than 2^-8, and without collisions above it by at most 2^-8 of it
 *           (width=32: 2^-16). width=16 counts to 127, width=8 to 7, width=32 to 32767. A cell that gets past that stays
 *           at its ceiling: its count is a bound, "or more", until 128 half-lives have passed in which no key came
 *           to such a cell.
 *
 * CHOOSE    time-decaying for popularity, admission and rates, where "how often" must forget: a key that comes r times per
 *           half-life has a count of about 1.44 r. Give a max_count well above that of the most popular key. Choose
 *           count-min when nothing is to be forgotten, and a kind that keeps no counts when only "seen lately?" is asked:
 *           its cells have one bit. Conservative updates have a lower rate than is planned (0.27 % at 1 % and above=0.5,
 *           0.71 % at above=0.1); choose update=plain where the planned rate itself is wanted, or a sum that does not
 *           depend on the order of keys.
 *
 * PAPER     Cheng, Xiang, Iwaihara, Xu, Mohania: Time-decaying Bloom filters for data streams with skewed
 *           distributions, RIDE-SDMA 2005. Its second form, with cells of several sizes, is left out. Conservative update: Estan,
 *           Varghese, ACM TOCS 21(3), 2003. The sum of what all keys of a cell left has the distribution of Dickman,
 *           P(sum < s) = s^q e^(-0.577 q) / Gamma(1 + q) for s <= 1 and q = 1.44 keys per cell and half-life.
 */
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/sketch.h"

#define DECAY_COLUMNS_MAX (UINT64_C(1) << 52)

static const blm_field time_decaying_fields[] = {
    BLM_FIELD(blm_time_decaying, columns, BLM_F_SHAPE, 1, DECAY_COLUMNS_MAX, "cells per row"),
    BLM_FIELD(blm_time_decaying, half, BLM_F_SHAPE, 1, DECAY_HALF_MAX, "half-life"),
    BLM_FIELD(blm_time_decaying, window, BLM_F_SHAPE, 1, DECAY_HALF_MAX * 16,
              "how long a key of weight 1 is in the set"),
    BLM_FIELD(blm_time_decaying, hashes, BLM_F_SHAPE, 1, 64, "k, rows"),
    BLM_FIELD(blm_time_decaying, width, BLM_F_SHAPE, 8, 32, "bits per cell: 8, 16 or 32"),
    BLM_FIELD(blm_time_decaying, update, BLM_F_SHAPE, 0, 1, "0: plain, 1: conservative"),
    BLM_FIELD(blm_time_decaying, timed, BLM_F_SHAPE, 0, 1, "0: by arrivals, 1: by milliseconds"),
    BLM_FIELD(blm_time_decaying, used, BLM_F_STATE, 0, UINT64_C(1) << 58,
              "cells above the threshold, as of the last halving"),
    BLM_FIELD(blm_time_decaying, stuck, BLM_F_STATE, 0, UINT64_C(1) << 58, "cells at the ceiling"),
    BLM_FIELD(blm_time_decaying, met, BLM_F_STATE, 0, UINT64_MAX,
              "the half-life in which a key last had a cell at its ceiling"),
};

static const blm_knobdef time_decaying_knobs[] = {
    /* in the order of blm_decay_knob */
    {"update", "raise all cells of a key, or only the smallest", BLM_K_WORD, DECAY_CONSERVATIVE,
     .words = "plain|conservative"},
    {"half", "half-life, in arrivals, or with a unit in time (default: window = keys arrivals)",
     BLM_K_TIME, 0, 1, (double)DECAY_HALF_MAX, NULL},
    {"above", "the count from which a key is in the set", BLM_K_NUMBER, 0.5, 0x1p-14, 0.999, NULL},
    {"width", "bits per cell: 8, 16 or 32; half of them after the point", BLM_K_NUMBER, 16, 8, 32,
     NULL},
};

/* ---- shape ------------------------------------------------------------------------------------ */

static blm_err time_decaying_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_time_decaying *t = (blm_time_decaying *)f;
    const uint64_t cells = t->columns * t->hashes;
    if (t->width != 8 && t->width != 16 && t->width != 32)
        return blm_fail(why, BLM_E_ARG, "width=%u: must be 8, 16 or 32 bits per cell", t->width);
    if (t->window > t->half * (blm_decay_fraction(t->width) - 2))
        return blm_fail(why, BLM_E_ARG,
                        "a window of %" PRIu64 " is more than %u half-lives of %" PRIu64, t->window,
                        blm_decay_fraction(t->width) - 2, t->half);
    if (t->used > cells || t->stuck > t->used)
        return blm_fail(why, BLM_E_ARG, "more cells are in use than the filter has");
    f->clock = t->timed ? BLM_CLOCK_MS : BLM_CLOCK_ARRIVALS;
    t->reciprocal = blm_decay_reciprocal(t->half);
    t->lives = t->window / t->half, t->back = t->window % t->half;
    t->level = blm_decay_threshold(t, 0);
    const blm_err err = blm_counters_shape(cells, t->width, &t->rows, why);
    *bytes = t->rows;
    return err;
}

static blm_err time_decaying_check(const blm_filter *f, blm_report *why)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    const blm_counters all = blm_decay_all(t);
    if (!blm_counters_tail_zero(&all))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last cell is set");
    const blm_census now = blm_decay_census(t, 0, all.count, t->level);
    return now.used == t->used && now.stuck == t->stuck
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE,
                          "damaged: the numbers of cells in use differ from their fields");
}

static uint64_t time_decaying_max(const blm_filter *f)
{
    const unsigned width = ((const blm_time_decaying *)f)->width;
    return width ? blm_decay_ceiling(width) - 1 : 0; /* none where settings make no filter */
}

static void time_decaying_args(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    *min = 1;
    *max = time_decaying_max(f);
}

static uint64_t time_decaying_window(const blm_filter *f)
{
    return ((const blm_time_decaying *)f)->window;
}

/* ---- operations -------------------------------------------------------------------------------- */

static inline void time_decaying_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    const blm_counters all = blm_decay_all(t);
    for (unsigned i = 0; i < 2 && i < t->hashes; i++)
        blm_counters_fetch(&all, blm_sketch_place(h, i, t->columns));
}

static inline void time_decaying_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    const blm_counters all = blm_decay_all(t);
    for (unsigned i = 0; i < t->hashes && i < 16; i++)
        blm_counters_fetch(&all, blm_sketch_place(h, i, t->columns));
}

static inline bool time_decaying_above(const blm_time_decaying *t, blm_hash h, uint64_t threshold)
{
    const blm_counters all = blm_decay_all(t);
    for (unsigned i = 0; i < t->hashes; i++)
        if (blm_counters_get(&all, blm_sketch_place(h, i, t->columns)) < threshold) return false;
    return true;
}

static bool time_decaying_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    return (void)it, time_decaying_above(t, h, blm_decay_threshold(t, blm_decay_rest(t)));
}

BLM_PREFETCH(time_decaying)

/* The threshold of this moment, once for all of them. */
static void time_decaying_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a,
                                   size_t n, size_t more, uint8_t *yes)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    const uint64_t threshold = blm_decay_threshold(t, blm_decay_rest(t));
    (void)a;
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) time_decaying_prefetch(f, h[i + BLM_AHEAD]);
        yes[i] = time_decaying_above(t, h[i], threshold);
    }
}

/* Cell by cell; of what an add brings, a plain one takes all, a conservative one what min + weight leaves. */
static void time_decaying_raise(blm_time_decaying *t, const uint64_t *at, uint64_t min,
                                uint64_t more, uint64_t ceiling)
{
    const blm_counters all = blm_decay_all(t);
    const uint64_t top = blm_packed_top(t->width);
    const uint64_t to = blm_decay_sum(t->width, min, more, ceiling);
    for (unsigned i = 0; i < t->hashes; i++) {
        const uint64_t old = blm_counters_get(&all, at[i]);
        const uint64_t v = t->update == DECAY_PLAIN ? blm_decay_sum(t->width, old, more, ceiling)
                                                    : (old < to ? to : old);
        if (v == top) t->met = t->base.now / t->half;
        if (v == old) continue;
        blm_packed_set(all.cells, all.bytes, t->width, at[i], v);
        t->used += old < t->level && v >= t->level;
        t->stuck += v == top;
    }
}

/* By a clock of arrivals the key comes after the step. */
static inline blm_err time_decaying_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_time_decaying *t = (blm_time_decaying *)f;
    const blm_counters all = blm_decay_all(t);
    uint64_t at[64];
    const uint64_t now = blm_sum_below(f->now, t->timed ? 0 : 1, UINT64_MAX), rest = now % t->half;
    if (!rest) blm_decay_pass(t, now);
    blm_step(f, now - f->now);
    const uint64_t power = blm_decay_power_at(t, rest);
    const uint64_t min =
        blm_counters_min(&all, at, blm_sketch_places(h, t->hashes, t->columns, at));
    *fresh = min < blm_decay_threshold(t, rest);
    time_decaying_raise(t, at, min, blm_decay_cells(t->width, it->arg, power),
                        blm_decay_cells(t->width, blm_decay_ceiling(t->width), power));
    return BLM_OK;
}

BLM_BATCH_ADD(time_decaying, time_decaying_prefetch_all)

/* In epoch 0 nothing has been halved; after that a unit of the last place may be lost. */
static blm_estimate time_decaying_tell(const blm_time_decaying *t, blm_hash h, double power)
{
    const blm_counters all = blm_decay_all(t);
    const int fraction = (int)blm_decay_fraction(t->width);
    uint64_t at[64];
    const uint64_t min =
        blm_counters_min(&all, at, blm_sketch_places(h, t->hashes, t->columns, at));
    const double ceiling = (double)blm_decay_ceiling(t->width);
    if (min == blm_packed_top(t->width)) return (blm_estimate){ceiling, 0, (double)INFINITY, true};
    const double v = ldexp((double)min, 63 - fraction) / power;
    return (blm_estimate){v, 0, t->base.now < t->half ? v : v + ldexp(1, -fraction), false};
}

/* Rounded down to the digits of a double, so that the division makes no count too low. */
static double time_decaying_power(const blm_time_decaying *t)
{
    return (double)(blm_decay_power_at(t, blm_decay_rest(t)) >> 11 << 11);
}

static blm_err time_decaying_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                   blm_estimate *n)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    (void)it;
    *n = time_decaying_tell(t, h, time_decaying_power(t));
    return BLM_OK;
}

static blm_err time_decaying_count_many(const blm_filter *f, const blm_hash *h, size_t n,
                                        size_t more, blm_estimate *times)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    const double power = time_decaying_power(t);
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) time_decaying_prefetch_all(f, h[i + BLM_AHEAD]);
        times[i] = time_decaying_tell(t, h[i], power);
    }
    return BLM_OK;
}

static size_t time_decaying_touch(const blm_filter *f, blm_hash h, const blm_item *it,
                                  blm_touch *out, size_t cap)
{
    const blm_time_decaying *t = (const blm_time_decaying *)f;
    const blm_counters all = blm_decay_all(t);
    uint64_t at[64];
    (void)it;
    return blm_counters_touch(&all, at, blm_sketch_places(h, t->hashes, t->columns, at), out, cap);
}

const blm_kind blm_kind_time_decaying = {
    .name = "time-decaying",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_time_decaying),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .clock = BLM_CLOCK_ARRIVALS | BLM_CLOCK_MS,
    .fields = time_decaying_fields,
    .nfields = BLM_LEN(time_decaying_fields),
    .knobs = time_decaying_knobs,
    .nknobs = BLM_LEN(time_decaying_knobs),
    .arg = {"weight", "how much of the key came", 1, 1, UINT64_C(1) << 15, BLM_AGAIN_SUM},
    .plan = blm_decay_plan,
    .shape = time_decaying_shape,
    .check = time_decaying_check,
    .fpr = blm_decay_fpr,
    .fnr = blm_decay_fnr,
    .lines = blm_decay_lines,
    .fill = blm_decay_fill,
    .max_count = time_decaying_max,
    .counts_by = {"width", 8},
    .args = time_decaying_args,
    .window = time_decaying_window,
    .touch = time_decaying_touch,
    .has = time_decaying_has,
    .add = time_decaying_add,
    .prefetch_many = time_decaying_prefetch_many,
    .has_many = time_decaying_has_many,
    .add_many = time_decaying_add_many,
    .count_many = time_decaying_count_many,
    .count = time_decaying_count,
    .tick = blm_decay_tick,
    .merge = blm_decay_merge,
    .keys = blm_decay_keys,
};

/* window.c - the keys of the last days, hours or arrivals.
 *
 * QUESTION  Was this key seen in the last 7 days, or among the last million arrivals?
 *
 * PICTURE   Time is cut into slices. Each has a Bloom filter of m bits for the keys that expire in it. Bit i of all of them is
 *           one cell, so that k reads ask every slice, however many there are. Here with 4 slices, s is now:
 *
 *              a key of time t            +-------+-------+-------+-------+-------+
 *              and life L goes      s+1   |   1   |   .   |   1   |   .   |   1   |   emptied when slice s+1 begins, and
 *              into the first       s+2   |   .   |   1   |   1   |   .   |   .   |   from then on that of slice s+6
 *              slice that           s+3   |   .   |   .   |   1   |   1   |   .   |
 *              begins after   -->   s+4   |   1   |   .   |   .   |   .   |   .   |
 *              t + L                s+5   |   .   |   .   |   .   |   .   |   1   |
 *                                         +-------+-------+-------+-------+-------+
 *                                           cell 0  cell 1  cell 2   ...   cell m-1
 *
 *           A key of age L or less is never missed. At age L + slice it is gone, and answers yes at the rate of any non-member;
 *           in between it depends on where t lies in its slice. Without a life of its own, a key has the whole window. A key that
 *           comes again goes into a later slice as well, and so it lives on. Slices are equal and end at multiples of their
 *           length since time 0: window / slices, rounded up to whole units. Where that does not divide the window, fewer slices
 *           may do, and keys stay as long as they should. `window=7d` counts ms, and time passes by tick() alone;
 *           `window=1e6` counts arrivals, one per add. Without it a window is as many arrivals as keys.
 *           Time that jumps past the window empties everything at once. A mapped filter answers as of its last tick.
 *
 * COST      With 7 slices 16.1 bits per key at 1 %, 21.9 at 0.1 % and 39.0 at 10^-6; standard takes 9.6, 14.4 and 28.8. That is
 *           8 columns, each for a 7th of the keys. By ms twice as much, 32.1, 43.7 and 77.9, because each slice has room for
 *           burst = 2 even shares; burst=1 halves it. By arrivals a slice has no more keys than arrivals, so that there is no
 *           need for it, unless many lives end together: then set it as well.
 *           The rate is kept at every moment, as long as no slice has more than burst * keys / slices distinct keys. A key
 *           counts in each slice in which it comes: where the same keys come every day, choose burst = slices, 112 bits per key
 *           at 1 %, or fewer slices. Where keys come evenly the rate is lower, by ms and right after an edge 0.01 % where 1 %
 *           was asked for. With more keys than that, or lives that end together, add fails with BLM_E_FULL as soon as the rate
 *           by the fill is twice the promise; when some have expired there is room again. The number of keys that info shows
 *           counts a key in each of its slices, and its rate is an upper bound where keys come again.
 *           A miss reads 3.6 cells, as against 2 of standard, and in batches takes 1.5 times as long. At each edge one pass over
 *           all memory empties one column, about as fast as memset.
 *
 * CHOOSE    window when "within the last 7 days" must be true: no key is missed within its time, and all are gone a slice later.
 *           Each key may bring its own life, as tokens and nonces do, and two windows merge. More slices forget more sharply for
 *           little more memory: 14 take 17.8 bits per key, and 63 take 18.9. slices=1 is the purge of two filters, which keeps
 *           keys for one window to two.
 *           Choose decaying when keys must leave at their age to the unit, and a counter per cell may be paid for it. Choose
 *           aging or double-buffer when memory is fixed, keys are forgotten when it is used up, and it does not matter at which
 *           age. Choose stable when a stream never ends, nothing may ever be swept, and some misses do no harm. Set a secret key
 *           where clients choose the keys, such as nonces: else they can make those of others look used.
 *
 * PAPER     With slices=1: Shieh, Myers, Sirer: Trickles: A Stateless Network Stack, NSDI 2005, which purges two filters in
 *           turn. Slices side by side, lives and `burst` are ours.
 */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

static const blm_field window_fields[] = {
    BLM_FIELD(blm_sliding, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, bits per slice"),
    BLM_FIELD(blm_sliding, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_sliding, slices, BLM_F_SHAPE, 1, SLICES_MAX, "slices of a window"),
    BLM_FIELD(blm_sliding, unit, BLM_F_SHAPE, WINDOW_AS_KEYS, WINDOW_MS,
              "0: arrivals, as many as keys, 1: arrivals, 2: ms"),
    BLM_FIELD(blm_sliding, span, BLM_F_SHAPE, 1, WINDOW_MAX, "W, arrivals or ms"),
    BLM_FIELD(blm_sliding, room, BLM_F_SHAPE, 0, (uint64_t)SLICES_MAX *BURST_ONE,
              "room of a slice, in 256ths of its even share of the keys; 0: 2, or all that arrive"),
};

enum { KNOB_WINDOW, KNOB_SLICES, KNOB_BURST };
static const blm_knobdef window_knobs[] = {
    [KNOB_WINDOW] = {"window", "how long keys stay, such as 7d, or 1e6 arrivals; default: keys",
                     BLM_K_TIME, .def = 0, .min = 1, .max = 0x1p53},
    [KNOB_SLICES] = {"slices", "slices that a window is cut into", BLM_K_NUMBER, .def = 7, .min = 1,
                     .max = SLICES_MAX},
    [KNOB_BURST] =
        {"burst",
         "keys that a slice has room for, in even shares; by arrivals, unless it is set, no more "
         "than arrive",
         BLM_K_NUMBER, .def = 2, .min = 1, .max = SLICES_MAX},
};

/* ---- shape ------------------------------------------------------------------------------- */

/* Slices of equal whole units, as many as needed; the last one of a window may end after it. */
static void window_cut(blm_sliding *s, uint64_t window, uint64_t slices)
{
    s->span = window;
    s->slice = (window - 1) / slices + 1;
    s->slices = (uint8_t)((window - 1) / s->slice + 1);
}

static blm_err window_knobs_of(blm_sliding *s, const blm_config *wish, const blm_knobs *knobs,
                               blm_report *why)
{
    const double window = knobs->num[KNOB_WINDOW], slices = knobs->num[KNOB_SLICES];
    const bool given = knobs->text[KNOB_WINDOW] != NULL;
    if (window != floor(window))
        return blm_fail(why, BLM_E_ARG, "window=%s: must be a whole number of ms or arrivals",
                        knobs->text[KNOB_WINDOW]);
    if (slices != floor(slices))
        return blm_fail(why, BLM_E_ARG, "slices=%g: must be a whole number from 1 to %d", slices,
                        SLICES_MAX);
    s->unit = !given ? WINDOW_AS_KEYS : knobs->timed[KNOB_WINDOW] ? WINDOW_MS : WINDOW_ARRIVALS;
    const bool free = s->unit != WINDOW_MS && !knobs->text[KNOB_BURST];
    s->room = free ? 0 : (uint16_t)ceil(knobs->num[KNOB_BURST] * BURST_ONE);
    const uint64_t as_keys = wish->keys < WINDOW_MAX ? wish->keys : WINDOW_MAX;
    window_cut(s, given ? (uint64_t)window : as_keys ? as_keys : 1, (uint64_t)slices);
    if (s->unit != WINDOW_MS && wish->keys > s->span)
        return blm_fail(why, BLM_E_ARG,
                        "keys %" PRIu64 ": a window of %" PRIu64
                        " arrivals has at most as many keys",
                        wish->keys, s->span);
    return BLM_OK;
}

/* Bits are given. Without a number of keys, and of arrivals, the window is as many as keep the rate. */
static blm_err window_bits(blm_sliding *s, const blm_config *wish, uint64_t slices, blm_report *why)
{
    const bool unknown = !wish->keys && s->unit == WINDOW_AS_KEYS;
    if (unknown) window_cut(s, slices, slices);
    const unsigned sets = blm_sliding_sets(s), width = blm_sliding_width(s);
    const uint64_t counters = UINT64_C(64) * sets;
    if (wish->bits < counters + width)
        return blm_fail(why, BLM_E_ARG,
                        "bits %" PRIu64 ": too few; one cell of %u slices takes %" PRIu64 " bits",
                        wish->bits, s->slices, counters + width);
    s->cells = (wish->bits - counters) / width;
    s->hashes =
        (uint8_t)(wish->hashes ? wish->hashes
                               : blm_best_hashes(s->cells, blm_sliding_share(s, wish->keys)));
    if (!unknown) return BLM_OK;
    const double burst = s->room ? fmin((double)s->room / BURST_ONE, (double)slices) : 1;
    const double most = (double)blm_sliding_column_keys(s, wish->fpr) * (double)slices / burst;
    window_cut(s, most < 0x1p53 ? (uint64_t)most : WINDOW_MAX, slices);
    return BLM_OK;
}

/* A question reads on while any slice is left, so fewer ones save more reads than elsewhere: the fewest hashes that take at most
 * a 32nd more bits than the best ones. With 7 slices at 1 %, 8 hashes read 3.6 cells of a non-member, 10 read 4.2. */
static bool window_size(blm_sliding *s, const blm_config *wish, unsigned *k)
{
    const uint64_t keys = blm_sliding_share(s, wish->keys);
    const double each = blm_sliding_each(s, wish->fpr);
    uint64_t more = 0;
    if (!blm_size_for(keys, each, *k, true, &s->cells, k)) return false;
    const uint64_t most = s->cells + s->cells / 32;
    for (unsigned fewer = *k; !wish->hashes && --fewer;) {
        if (!blm_size_for(keys, each, fewer, true, &more, &fewer) || more > most) break;
        s->cells = more;
        *k = fewer;
    }
    return true;
}

static blm_err window_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                           blm_report *why)
{
    blm_sliding *s = (blm_sliding *)f;
    const uint64_t slices = (uint64_t)knobs->num[KNOB_SLICES];
    unsigned k = wish->hashes;
    const blm_err err = window_knobs_of(s, wish, knobs, why);
    if (err) return err;
    if (wish->bits) return window_bits(s, wish, slices, why);
    if (!window_size(s, wish, &k)) return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
    s->hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err window_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_sliding *s = (blm_sliding *)f;
    const unsigned slices = s->slices, sets = slices + 1, width = blm_sliding_width(s);
    s->width = (uint8_t)width;
    window_cut(s, s->span, slices);
    if (s->slices != slices)
        return blm_fail(why, BLM_E_ARG, "a window of %" PRIu64 " has %u slices at most, not %u",
                        s->span, s->slices, slices);
    if (s->cells > (UINT64_C(1) << 60) / width)
        return blm_fail(why, BLM_E_ARG, "%u slices of %" PRIu64 " bits exceed 2^60 bits in total",
                        slices + 1, s->cells);
    *bytes = blm_packed_bytes(s->cells, width) + UINT64_C(8) * sets;
    f->clock = s->unit == WINDOW_MS ? BLM_CLOCK_MS : BLM_CLOCK_ARRIVALS;
    if (s->unit == WINDOW_MS ? s->room < BURST_ONE : s->room && s->room < BURST_ONE)
        return blm_fail(why, BLM_E_ARG, "room for %u 256ths of an even share: at least %d", s->room,
                        BURST_ONE);
    /* Each arrival is a step of time: who comes first is in another slice. */
    if (s->unit != WINDOW_MS) f->lost |= BLM_ANY_ORDER | BLM_MERGE_EXACT;
    return BLM_OK;
}

static blm_err window_check(const blm_filter *f, blm_report *why)
{
    const blm_columns c = blm_sliding_columns((const blm_sliding *)f);
    uint64_t ones[BLM_COLUMNS];
    if (!blm_bits_tail_zero(f->cells, c.bytes, c.count * c.width))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last one is set");
    blm_columns_ones(&c, ones);
    for (unsigned i = 0; i < c.width; i++) {
        const uint64_t counted = i < c.sets ? blm_le64(blm_sliding_counter(&c, i)) : 0;
        if (ones[i] != counted)
            return blm_fail(why, BLM_E_IMAGE,
                            "damaged: slice %u has %" PRIu64 " ones, and counts %" PRIu64, i,
                            ones[i], counted);
    }
    return BLM_OK;
}

/* Without a window of its own, a filter takes any life: one that is too long is the window. */
static void window_args(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    const blm_sliding *s = (const blm_sliding *)f;
    *min = 1;
    *max = s->unit == WINDOW_AS_KEYS ? WINDOW_MAX : s->span;
}

static uint64_t window_window(const blm_filter *f) { return ((const blm_sliding *)f)->span; }

/* ---- questions --------------------------------------------------------------------------- */

static bool window_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_columns c = blm_sliding_columns((const blm_sliding *)f);
    (void)it;
    return blm_columns_mask(&c, h, blm_columns_all(c.sets)) != 0;
}

static void window_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    const blm_columns c = blm_sliding_columns((const blm_sliding *)f);
    blm_columns_prefetch_many(&c, h, n);
}

static void window_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *yes)
{
    const blm_columns c = blm_sliding_columns((const blm_sliding *)f);
    (void)a;
    blm_columns_has_many(&c, blm_columns_all(c.sets), h, n, more, yes);
}

static size_t window_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                           size_t cap)
{
    const blm_columns c = blm_sliding_columns((const blm_sliding *)f);
    const uint64_t all = blm_columns_all(c.sets);
    (void)it;
    for (unsigned j = 0; j < c.hashes && j < cap; j++) {
        const uint64_t at = blm_columns_find(&c, h, j);
        out[j] =
            (blm_touch){at / c.width, blm_columns_byte(&c, at), blm_columns_load(&c, at) & all};
    }
    return c.hashes;
}

const blm_kind blm_kind_window = {
    .name = "window",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_sliding),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_ANY_ORDER | BLM_MERGE_EXACT,
    .clock = BLM_CLOCK_ARRIVALS | BLM_CLOCK_MS,
    .fields = window_fields,
    .nfields = BLM_LEN(window_fields),
    .knobs = window_knobs,
    .nknobs = BLM_LEN(window_knobs),
    .arg = {"life", "how long the key stays, in ms or arrivals", WINDOW_MAX, 1, WINDOW_MAX,
            BLM_AGAIN_LONGEST},
    .args = window_args,
    .plan = window_plan,
    .shape = window_shape,
    .check = window_check,
    .fpr = blm_sliding_fpr,
    .fnr = blm_sliding_fnr,
    .lines = blm_sliding_lines,
    .fill = blm_sliding_fill,
    .touch = window_touch,
    .window = window_window,
    .has = window_has,
    .add = blm_sliding_add,
    .prefetch_many = window_prefetch_many,
    .has_many = window_has_many,
    .add_many = blm_sliding_add_many,
    .tick = blm_sliding_tick,
    .merge = blm_sliding_merge,
    .keys = blm_sliding_keys,
};

/* stable.c - recent keys of an endless stream, in cells that fall by chance.
 *
 * QUESTION  Has this key come lately, on a stream that never ends, in memory that never grows?
 *
 * PICTURE   m cells of d bits, K of them per key, anywhere. A key is there while all of its cells are above zero.
 *
 *              cells  0 3 0 0 2 1 0 3 0 0 3 0
 *                         |-------|    ^           an add asks, then lowers P cells by 1, then sets its own K to Max = 2^d - 1
 *                     pick=run: P in a row
 *
 *           Zeros come as fast as they go, so the rate rises to a limit and stays below it for ever: add never fails.
 *           What a key loses is its cells, by chance: the older it is, the more likely it is missed. A key that comes again is
 *           set to Max again. tick(now) adds idle steps, which only lower. The random numbers follow from the seed and
 *           the number of the step, so the same stream gives the same bytes. After (2 Max + 32) m / P idle steps all cells
 *           are zero by definition; chance alone would leave less than one in 10^12.
 *
 * COST      Memory is fixed, and planned for a key that came `keys` arrivals ago: it is missed at most at fnr (5 % by
 *           default). That takes 83 bits per key at 1 % and 135 at 0.1 %; 75 and 117 with width=4; 45 at 1 % with fnr=50 %.
 *           Keys half as old are missed at 0.1 %, twice as old at 59 %, three times at 92 %. An add at 1 % lowers 65
 *           cells: 4 words in a row with pick=run, 65 cells anywhere with pick=each, the paper's way, which costs 5 to 10 times
 *           as much. In the long run a query for a non-member reads 1.9 cache lines. A tick of idle steps costs as many adds.
 *
 * CHOOSE    stable when keys should fade rather than leave at an edge, and some misses do no harm. Choose decaying when
 *           none of the last W keys may be missed: with form=blocks it takes 24 bits per key at 1 %, less than a third.
 *           Choose window when time counts rather than arrivals. width=4 or 5 make the end of a key's life sharper; 1 and 2 let it fade
 *           longer, for more bits.
 *
 * PAPER     Deng, Rafiei: Approximately detecting duplicates for streaming data using stable Bloom filters, SIGMOD 2006.
 *           K is scanned from 1 to 10: the one that misses fewest of the keys `keys` arrivals old, with the fewest P that
 *           keep the rate. pick=run differs from pick=each by less than the noise in zeros, rate and misses. We plan 2048
 *           cells or more, and 32 runs or more: with fewer, the neighbours in a run show in the misses.
 */
#include <math.h>

#include "cells.h"

static const blm_field stable_fields[] = {
    BLM_FIELD(blm_stable, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 58, "m, the number of cells"),
    BLM_FIELD(blm_stable, hashes, BLM_F_SHAPE, 1, 64, "K, cells per key"),
    BLM_FIELD(blm_stable, width, BLM_F_SHAPE, 1, STABLE_WIDTH, "d, bits per cell"),
    BLM_FIELD(blm_stable, picks, BLM_F_SHAPE, 0, STABLE_PICKS, "P, cells lowered per arrival"),
    BLM_FIELD(blm_stable, each, BLM_F_SHAPE, 0, 1, "1: each pick on its own, 0: a run of P cells"),
    BLM_FIELD(blm_stable, used, BLM_F_STATE, 0, UINT64_C(1) << 58, "cells above zero"),
    BLM_FIELD(blm_stable, steps, BLM_F_STATE, 0, UINT64_MAX, "random numbers that were used"),
    BLM_FIELD(blm_stable, idle, BLM_F_STATE, 0, UINT64_MAX, "steps since the last arrival"),
};

enum { KNOB_PICK, KNOB_BITS, KNOB_PICKS };
enum { PICK_RUN, PICK_EACH };
static const blm_knobdef stable_knobs[] = {
    [KNOB_PICK] = {"pick", "cells that an arrival lowers: a run of them, or each by chance",
                   BLM_K_WORD, .def = PICK_RUN, .words = "run|each"},
    [KNOB_BITS] = {"width", "bits per cell", BLM_K_NUMBER, .def = 3, .min = 1, .max = STABLE_WIDTH},
    [KNOB_PICKS] = {"picks", "P, cells lowered per arrival; default: from fpr", BLM_K_NUMBER,
                    .def = 0, .min = 1, .max = STABLE_PICKS},
};

static blm_err stable_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                           blm_report *why)
{
    blm_stable *s = (blm_stable *)f;
    const double width = knobs->num[KNOB_BITS], picks = knobs->num[KNOB_PICKS];
    if (width != floor(width))
        return blm_fail(why, BLM_E_ARG, "width=%g: must be a whole number of bits from 1 to %d",
                        width, STABLE_WIDTH);
    if (picks != floor(picks))
        return blm_fail(why, BLM_E_ARG, "picks=%g: must be a whole number of cells", picks);
    s->width = (uint8_t)width;
    s->each = knobs->num[KNOB_PICK] == PICK_EACH;
    return blm_stable_size(s, wish, (uint64_t)picks, why);
}

/* In (2 Max + 32) rounds of m / P steps a cell is lowered as often in the mean; Max times would do. */
static uint64_t stable_limit(const blm_stable *s)
{
    const uint64_t rounds = 2 * blm_stable_top(s) + 32;
    if (!s->picks) return UINT64_MAX;
    const uint64_t a_round = s->cells / s->picks + 1;
    return a_round < UINT64_MAX / rounds ? a_round * rounds : UINT64_MAX;
}

static blm_err stable_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_stable *s = (blm_stable *)f;
    s->limit = stable_limit(s);
    s->lowering = blm_lowering_of(s->width);
    if (s->picks > s->cells || s->used > s->cells || s->idle > s->limit)
        return blm_fail(why, BLM_E_ARG,
                        "%llu picks, %llu cells in use, %llu idle steps: %llu cells have no more "
                        "than %llu, %llu and %llu",
                        (unsigned long long)s->picks, (unsigned long long)s->used,
                        (unsigned long long)s->idle, (unsigned long long)s->cells,
                        (unsigned long long)s->cells, (unsigned long long)s->cells,
                        (unsigned long long)s->limit);
    return blm_counters_shape(s->cells, s->width, bytes, why);
}

static blm_err stable_check(const blm_filter *f, blm_report *why)
{
    const blm_stable *s = (const blm_stable *)f;
    const blm_counters all = blm_stable_all(s);
    if (!blm_counters_tail_zero(&all))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last cell is set");
    return blm_counters_census(&all).used == s->used
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: other cells are in use than its field says");
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void stable_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_counters all = blm_stable_all((const blm_stable *)f);
    blm_counters_fetch_first(&all, h, 2);
}

/* For an add that comes BLM_AHEAD steps later: the start of its run is known. */
static inline void stable_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_stable *s = (const blm_stable *)f;
    const blm_counters all = blm_stable_all(s);
    const uint64_t random = blm_stable_random(s, s->steps + 1 + BLM_AHEAD);
    blm_counters_fetch_first(&all, h, s->hashes);
    if (!s->each) blm_counters_fetch(&all, blm_reduce(random, s->cells));
}

static inline bool stable_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_stable *s = (const blm_stable *)f;
    const blm_counters all = blm_stable_all(s);
    (void)it;
    for (unsigned i = 0; i < s->hashes; i++)
        if (!blm_counters_get(&all, blm_place(h, i, s->cells))) return false;
    return true;
}

/* Lowered before it is set: a key is there right after its add. */
static inline blm_err stable_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_stable *s = (blm_stable *)f;
    const blm_counters all = blm_stable_all(s);
    *fresh = !stable_has(f, h, it);
    blm_stable_lower(s);
    for (unsigned i = 0; i < s->hashes; i++)
        s->used +=
            blm_counters_lift(&all, blm_place(h, i, s->cells), blm_packed_top(s->width)).used;
    s->idle = 0;
    blm_step(f, 1);
    return BLM_OK;
}

BLM_BATCH(stable)
BLM_BATCH_ADD(stable, stable_prefetch_all)

static size_t stable_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                           size_t cap)
{
    const blm_stable *s = (const blm_stable *)f;
    const blm_counters all = blm_stable_all(s);
    uint64_t at[64];
    (void)it;
    for (unsigned i = 0; i < s->hashes; i++) at[i] = blm_place(h, i, s->cells);
    return blm_counters_touch(&all, at, s->hashes, out, cap);
}

const blm_kind blm_kind_stable = {
    .name = "stable",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_stable),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .clock = BLM_CLOCK_ARRIVALS,
    .fields = stable_fields,
    .nfields = BLM_LEN(stable_fields),
    .knobs = stable_knobs,
    .nknobs = BLM_LEN(stable_knobs),
    .plan = stable_plan,
    .shape = stable_shape,
    .check = stable_check,
    .fpr = blm_stable_fpr,
    .fnr = blm_stable_fnr,
    .fpr_ceiling = blm_stable_ceiling,
    .lines = blm_stable_lines,
    .fill = blm_stable_fill,
    .window = blm_stable_window,
    .touch = stable_touch,
    .has = stable_has,
    .add = stable_add,
    .prefetch_many = stable_prefetch_many,
    .has_many = stable_has_many,
    .add_many = stable_add_many,
    .tick = blm_stable_tick,
    .no_merge_reason =
        "the arrivals of two streams have no common order; add the keys of one again",
};

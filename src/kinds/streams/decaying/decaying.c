/* decaying.c - the last W keys that came, and not one of them is missed.
 *
 * QUESTION  Was this key among the last W that came?
 *
 * PICTURE   Cells that know how long they live; k of them per key, anywhere. A key is there while all of its cells are alive.
 *
 *              form=timing: the stamp of the arrival that set the cell last    now = 1007, W = 1000
 *              +-----+-----+-----+-----+-----+-----+-----+
 *              |     | 999 |     |1006 |   7 |     | 342 |     7 is as old as W: dead
 *              +-----+-----+-----+-----+-----+-----+-----+
 *                            ^^^^^^^^^^^ swept by this arrival, the next cells by the next one
 *
 *              form=blocks: how many turns the cell has left
 *              +-----+-----+-----+-----+-----+-----+-----+
 *              |  .  |  2  |  1  |  .  |  3  |  1  |  .  |
 *              +-----+-----+-----+-----+-----+-----+-----+
 *               block 0     block 1     block 2 ...            an arrival takes 1 from the cells of one block, in turn
 *
 *           Each add is an arrival: it ages the cells first, asks then, and sets last. So a key that came W arrivals
 *           ago is new again, and one that came W - 1 ago is not. tick(now) adds idle arrivals. A key that comes
 *           again lives on from there. Stamps are numbers modulo R = W + X, so each arrival sweeps m / X cells of those
 *           that are dead: before they could come round again.
 *
 * COST      form=timing forgets after exactly W arrivals, and answers as the filter of the paper does. Cells have
 *           log2(1.5 W) bits, rounded up: 21 for a window of 10^6, which is 201 bits per key at 1 % and 302 at 0.1 %.
 *           form=blocks forgets within one turn of all blocks, by default W / 2 arrivals: cells of 2 bits, 24 bits per
 *           key at 1 % and 36 at 0.1 %.
 *           An add costs the k cells of its key, and the slice of that arrival: 9 to 20 cells with form=timing, 24 or one word
 *           with form=blocks, however many there are in all. A query for a non-member reads 2 cache lines. A tick looks
 *           at each cell twice at most, and one past the window empties them at once.
 *
 * CHOOSE    decaying when none of the last W keys may be missed, and the window counts arrivals: duplicates in a stream of
 *           events. form=blocks is the one to begin with; form=timing has a sharp edge for 8 times the memory. Fewer blocks
 *           make the edge sharper (blocks=W/5: cells of 3 bits, gone within W / 5), and cost cells / blocks per add; blocks=1 is
 *           the filter of the paper, for a few thousand cells. window counts time as well as arrivals; stable lets keys
 *           fade instead.
 *           When keys repeat, set window=W and, as keys, how many different ones a window has: fewer cells; with more
 *           of them the filter is full (BLM_E_FULL).
 *
 * PAPER     Shen, Zhang: Improved approximate detection of duplicates for data streams over sliding windows, JCST 23(6),
 *           2008: the filter, and its blocks. Zhang, Guan: Detecting click fraud in pay-per-click streams of online
 *           advertising networks, ICDCS 2008: stamps. The block form sets ceil(W / T) + 1; ceil((W - 1) / T) + 1 is
 *           enough, and with T = 1 it is the W of the plain filter. The flag form of Wang and Shen is retracted, and not here.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "cells.h"

static const blm_field decaying_fields[] = {
    BLM_FIELD(blm_decaying, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 58, "m, the number of cells"),
    BLM_FIELD(blm_decaying, hashes, BLM_F_SHAPE, 1, 64, "k, cells per key"),
    BLM_FIELD(blm_decaying, window, BLM_F_SHAPE, 1, DECAYING_WINDOW, "W, in arrivals"),
    BLM_FIELD(blm_decaying, distinct, BLM_F_SHAPE, 1, DECAYING_WINDOW,
              "keys of a window that it is planned for"),
    BLM_FIELD(blm_decaying, blocks, BLM_F_SHAPE, 0, DECAYING_WINDOW, "T, or 0: cells are stamps"),
    BLM_FIELD(blm_decaying, stamp, BLM_F_STATE, 0, UINT64_C(1) << 57, "of the last arrival"),
    BLM_FIELD(blm_decaying, turn, BLM_F_STATE, 0, UINT64_C(1) << 58,
              "the slice that the last arrival touched"),
};

enum { DECAYING_BY_FORM, DECAYING_BY_WINDOW, DECAYING_BY_BLOCKS };
enum { FORM_TIMING, FORM_BLOCKS };
static const blm_knobdef decaying_knobs[] = {
    [DECAYING_BY_FORM] = {"form",
                          "cells: stamps that end after exactly W arrivals, or turns of blocks",
                          BLM_K_WORD, .def = FORM_TIMING, .words = "timing|blocks"},
    [DECAYING_BY_WINDOW] = {"window", "arrivals that a key stays; default: as many as keys",
                            BLM_K_NUMBER, .def = 0, .min = 1, .max = 0x1p48},
    [DECAYING_BY_BLOCKS] = {"blocks", "T, blocks for form=blocks; 1: the paper's; default: W / 2",
                            BLM_K_NUMBER, .def = 0, .min = 1, .max = 0x1p48},
};

/* ---- the plan ---------------------------------------------------------------------------- */

static blm_err decaying_plan_window(blm_decaying *d, const blm_config *wish, const blm_knobs *knobs,
                                    blm_report *why)
{
    const double window = knobs->num[DECAYING_BY_WINDOW];
    d->window = window > 0 ? (uint64_t)window : wish->keys;
    if (window != floor(window) || d->window > DECAYING_WINDOW)
        return blm_fail(why, BLM_E_ARG,
                        "window=%.17g: must be a whole number of arrivals from 1 to 2^48",
                        window > 0 ? window : (double)wish->keys);
    if (wish->keys > d->window)
        return blm_fail(why, BLM_E_ARG,
                        "keys %llu: a window of %llu arrivals has no more keys than that",
                        (unsigned long long)wish->keys, (unsigned long long)d->window);
    d->distinct = wish->keys ? wish->keys : d->window;
    return BLM_OK;
}

static blm_err decaying_plan_blocks(blm_decaying *d, const blm_knobs *knobs, blm_report *why)
{
    const double blocks = knobs->num[DECAYING_BY_BLOCKS];
    const bool given = knobs->text[DECAYING_BY_BLOCKS] != NULL;
    d->blocks = 0;
    if (given && blocks != floor(blocks))
        return blm_fail(why, BLM_E_ARG, "blocks=%g: must be a whole number", blocks);
    if (knobs->num[DECAYING_BY_FORM] == FORM_BLOCKS)
        d->blocks = given ? (uint64_t)blocks : d->window / 2 + (d->window == 1);
    else if (given)
        return blm_fail(why, BLM_E_ARG,
                        "blocks=%g: only form=blocks uses it; set form=blocks or omit blocks",
                        blocks);
    return BLM_OK;
}

static void decaying_cells(blm_decaying *d)
{
    d->width = blm_decaying_stamp_bits(d->window);
    d->top = (UINT64_C(1) << d->width) - 1; /* at most 57 bits */
    if (!d->blocks) return;
    d->top = blm_decaying_turns(d->window, d->blocks);
    for (d->width = 1; d->top > blm_packed_top(d->width);) d->width++;
}

static blm_err decaying_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_decaying *d = (blm_decaying *)f;
    blm_err err = decaying_plan_window(d, wish, knobs, why);
    if (!err) err = decaying_plan_blocks(d, knobs, why);
    if (err) return err;
    for (;;) {
        decaying_cells(d);
        err = blm_decaying_size(d, wish, why);
        if (err || d->blocks <= d->cells) return err;
        if (knobs->text[DECAYING_BY_BLOCKS])
            return blm_fail(why, BLM_E_ARG, "blocks=%g: there are only %llu cells",
                            knobs->num[DECAYING_BY_BLOCKS], (unsigned long long)d->cells);
        d->blocks =
            d->cells - d->cells / 8; /* far fewer keys than arrivals: they need fewer cells then */
    }
}

static blm_err decaying_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_decaying *d = (blm_decaying *)f;
    if (d->blocks > d->cells || d->distinct > d->window)
        return blm_fail(why, BLM_E_ARG,
                        "%llu blocks of %llu cells, %llu keys in a window of %llu: no such filter "
                        "is possible",
                        (unsigned long long)d->blocks, (unsigned long long)d->cells,
                        (unsigned long long)d->distinct, (unsigned long long)d->window);
    decaying_cells(d);
    const uint64_t most = d->blocks ? d->blocks : d->top - d->window;
    d->slices = most < d->cells ? most : d->cells;
    d->slice = d->cells / d->slices;
    d->longer = d->cells % d->slices;
    d->lowering = blm_lowering_of(d->width);
    if (d->turn >= d->slices || d->stamp > (d->blocks ? 0 : d->top))
        return blm_fail(why, BLM_E_ARG, "stamp %llu and turn %llu: past the last ones",
                        (unsigned long long)d->stamp, (unsigned long long)d->turn);
    return blm_counters_shape(d->cells, d->width, bytes, why);
}

static blm_err decaying_start(blm_filter *f, blm_report *why)
{
    blm_decaying *d = (blm_decaying *)f;
    return (void)why, d->stamp = !d->blocks, BLM_OK;
}

static blm_err decaying_check(const blm_filter *f, blm_report *why)
{
    const blm_decaying *d = (const blm_decaying *)f;
    const blm_counters all = blm_decaying_all(d);
    if (!blm_counters_tail_zero(&all))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last cell is set");
    if (!d->blocks && !d->stamp) return blm_fail(why, BLM_E_IMAGE, "damaged: stamp 0");
    for (uint64_t i = 0; i < d->cells; i++)
        if (blm_counters_get(&all, i) > d->top)
            return blm_fail(why, BLM_E_IMAGE, "damaged: a cell has more than %llu turns left",
                            (unsigned long long)d->top);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void decaying_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_counters all = blm_decaying_all((const blm_decaying *)f);
    blm_counters_fetch_first(&all, h, 2);
}

static inline void decaying_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_decaying *d = (const blm_decaying *)f;
    const blm_counters all = blm_decaying_all(d);
    blm_counters_fetch_first(&all, h, d->hashes);
}

static inline bool decaying_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_decaying *d = (const blm_decaying *)f;
    const blm_counters all = blm_decaying_all(d);
    (void)it;
    for (unsigned i = 0; i < d->hashes; i++)
        if (!blm_decaying_live(d, blm_counters_get(&all, blm_place(h, i, d->cells)))) return false;
    return true;
}

static inline blm_err decaying_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_decaying *d = (blm_decaying *)f;
    const blm_counters all = blm_decaying_all(d);
    const uint64_t value = d->blocks ? d->top : 0;
    bool alive = true;
    (void)it;
    blm_decaying_step(d);
    blm_step(f, 1);
    for (unsigned i = 0; i < d->hashes; i++) {
        const uint64_t at = blm_place(h, i, d->cells);
        alive = alive && blm_decaying_live(d, blm_counters_get(&all, at));
    }
    for (unsigned i = 0; i < d->hashes; i++)
        blm_packed_set(all.cells, all.bytes, all.width, blm_place(h, i, d->cells),
                       value ? value : d->stamp);
    *fresh = !alive;
    return BLM_OK;
}

BLM_BATCH(decaying)
BLM_BATCH_ADD(decaying, decaying_prefetch_all)

static size_t decaying_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    const blm_decaying *d = (const blm_decaying *)f;
    const blm_counters all = blm_decaying_all(d);
    uint64_t at[64];
    (void)it;
    for (unsigned i = 0; i < d->hashes; i++) at[i] = blm_place(h, i, d->cells);
    return blm_counters_touch(&all, at, d->hashes, out, cap);
}

const blm_kind blm_kind_decaying = {
    .name = "decaying",
    .group = "streams",
    .version = 1,
    .size = sizeof(blm_decaying),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .clock = BLM_CLOCK_ARRIVALS,
    .fields = decaying_fields,
    .nfields = BLM_LEN(decaying_fields),
    .knobs = decaying_knobs,
    .nknobs = BLM_LEN(decaying_knobs),
    .plan = decaying_plan,
    .shape = decaying_shape,
    .start = decaying_start,
    .check = decaying_check,
    .fpr = blm_decaying_fpr,
    .fnr = blm_decaying_fnr,
    .fpr_ceiling = blm_decaying_ceiling,
    .lines = blm_decaying_lines,
    .window = blm_decaying_window,
    .touch = decaying_touch,
    .has = decaying_has,
    .add = decaying_add,
    .prefetch_many = decaying_prefetch_many,
    .has_many = decaying_has_many,
    .add_many = decaying_add_many,
    .tick = blm_decaying_tick,
    .no_merge_reason =
        "the arrivals of two streams have no common order; add the keys of one again",
};

/* counting.c - the Bloom filter that can delete.
 *
 * QUESTION  Is the key in a set that also shrinks? And how often was it added?
 *
 * PICTURE   k probes choose k of m counters; add raises them, delete lowers them.
 *
 *                  h0             h1                  h2
 *                   v              v                   v
 *              +----+----+----+----+----+----+----+----+
 *              |  1 |  0 |  2 |  0 |  1 | 15 |  0 |  3 |     m counters of `width` bits
 *              +----+----+----+----+----+----+----+----+
 *                                          ^ at its ceiling: stuck for ever, it has lost count
 *
 *           If two probes of one key meet in one counter, it counts once. With layout=line the hash first
 *           chooses one line of 64 bytes, 512 / `width` counters, and all k lie in it, as in blocked.
 *
 * COST      `width` times the space of standard (38 bits per key at 1 % with 4-bit counters), at the same
 *           rate. add, has, del and count touch k counters. Four bits are enough for a set:
 *           P(a counter reaches 16) = 7.1e-17 at the best k. A multiset needs a width that holds its
 *           largest multiplicity, because 16 adds of one key stick at 15: max-count=N chooses the width.
 *           layout=line: one cache line per key instead of k, batches at the speed of blocked. Some lines
 *           get more keys than others, and wider counters leave fewer per line. Bits per key at 1 % / 0.1 %:
 *           43 / 76 against 38 / 58 with 4 bits, 97 / 192 against 77 / 115 with 8. It allows widths of 2, 4,
 *           8 and 16. P(a counter reaches 16) = 2.2e-18 at 1 %.
 *
 * CHOOSE    counting when keys are deleted, or to count roughly. If keys are only added, choose blocked (a quarter
 *           of the space). Choose layout=line when time matters more than an eighth of the space, at 1 % or more.
 *           Delete only keys that were added: deleting a non-member that is a false positive cannot be
 *           detected, and may make other keys disappear.
 *
 * PAPER     Fan, Cao, Almeida, Broder: Summary Cache, IEEE/ACM ToN 8(3), 2000; its 1.37e-15 per counter is a
 *           union bound. Counting up to a threshold: Kim et al., Electronics 8(7), 2019. layout=line:
 *           the blocks of Putze, Sanders, Singler (blocked), made of counters.
 */
#include <bloomery/theory.h>
#include <math.h>
#include <string.h>

#include "core/kind.h"
#include "cells.h"
#include "parts/packed.h"
#include "parts/probe.h"

static const blm_field counting_fields[] = {
    BLM_FIELD(blm_counting, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 58, "m, the number of counters"),
    BLM_FIELD(blm_counting, hashes, BLM_F_SHAPE, 1, 64, "k, counters per key"),
    BLM_FIELD(blm_counting, width, BLM_F_SHAPE, 2, 16, "bits per counter"),
    BLM_FIELD(blm_counting, used, BLM_F_STATE, 0, UINT64_C(1) << 58, "counters above zero"),
    BLM_FIELD(blm_counting, stuck, BLM_F_STATE, 0, UINT64_C(1) << 58, "counters at their ceiling"),
    BLM_FIELD_SINCE(2, blm_counting, layout, BLM_F_SHAPE, COUNTING_SPREAD, COUNTING_LINE,
                    "0: spread over all counters, 1: in one line"),
};

enum { COUNTING_WIDTH, COUNTING_LAYOUT };
static const blm_knobdef counting_knobs[] = {
    [COUNTING_WIDTH] = {"width", "bits per counter", BLM_K_NUMBER, .def = 4, .min = 2, .max = 16},
    [COUNTING_LAYOUT] = {"layout",
                         "a key's counters: anywhere, or in one cache line (width 2, 4, 8, 16)",
                         BLM_K_WORD, .def = COUNTING_SPREAD, .words = "spread|line"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err counting_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_counting *c = (blm_counting *)f;
    const double width = knobs->num[COUNTING_WIDTH];
    uint64_t lines = 0;
    unsigned k = 0;
    if (width != floor(width))
        return blm_fail(why, BLM_E_ARG, "width=%g: must be a whole number of bits from 2 to 16",
                        width);
    c->width = (uint8_t)width;
    c->layout = (uint8_t)knobs->num[COUNTING_LAYOUT];
    const blm_err err = c->layout == COUNTING_LINE ? blm_tally_plan(wish, c->width, &lines, &k, why)
                                                   : blm_counting_size(c, wish, &k, why);
    if (lines) c->cells = lines * blm_counting_a_line(c);
    c->hashes = (uint8_t)k;
    return err;
}

static blm_err counting_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_counting *c = (blm_counting *)f;
    blm_err err = BLM_OK;
    if (c->used > c->cells || c->stuck > c->used)
        return blm_fail(why, BLM_E_ARG, "more counters are in use or stuck than the filter has");
    c->lines = 0;
    if (c->layout == COUNTING_LINE) err = blm_tally_shape(c->cells, c->width, &c->lines, why);
    c->many = c->lines ? blm_counting_lines_many(c) : blm_counting_spread_many(c);
    *bytes = blm_packed_bytes(c->cells, c->width);
    return err;
}

static uint64_t counting_max(const blm_filter *f)
{
    return blm_packed_top(((const blm_counting *)f)->width) - 1;
}

static blm_err counting_check(const blm_filter *f, blm_report *why)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = blm_counting_all(c);
    return blm_counters_check(&all, (blm_census){c->used, c->stuck}, why);
}

/* ---- operations ------------------------------------------------------------------------- */

static bool counting_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return ((const blm_counting *)f)->lines ? blm_counting_line_has(f, h, it)
                                            : blm_counting_spread_has(f, h, it);
}

static blm_err counting_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    return ((const blm_counting *)f)->lines ? blm_counting_line_add(f, h, it, fresh)
                                            : blm_counting_spread_add(f, h, it, fresh);
}

static const blm_one *counting_one(const blm_filter *f)
{
    return ((const blm_counting *)f)->lines ? blm_counting_lines_one(f) : NULL;
}

static void counting_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    ((const blm_counting *)f)->many->prefetch(f, h, n);
}

static void counting_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *yes)
{
    ((const blm_counting *)f)->many->has(f, h, a, n, more, yes);
}

static blm_err counting_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                 size_t more, uint8_t *fresh, size_t *done)
{
    return ((const blm_counting *)f)->many->add(f, h, a, n, more, fresh, done);
}

static blm_err counting_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                 size_t more, uint8_t *absent, size_t *done)
{
    return ((const blm_counting *)f)->many->del(f, h, a, n, more, absent, done);
}

static blm_err counting_count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                                   blm_estimate *times)
{
    return ((const blm_counting *)f)->many->count(f, h, n, more, times);
}

static uint64_t counting_block(const blm_filter *f, uint64_t lo)
{
    const blm_counting *c = (const blm_counting *)f;
    return c->lines ? blm_reduce(lo, c->lines) : 0;
}

static blm_err counting_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    return ((const blm_counting *)f)->lines ? blm_counting_line_del(f, h, it)
                                            : blm_counting_spread_del(f, h, it);
}

static size_t counting_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = blm_counting_all(c);
    uint64_t at[64];
    (void)it;
    for (unsigned i = 0; i < c->hashes; i++) at[i] = blm_counting_place(c, h, i);
    return blm_counters_touch(&all, at, c->hashes, out, cap);
}

static void counting_known(blm_counting *c, blm_census now)
{
    c->used = now.used;
    c->stuck = now.stuck;
    blm_counting_notice(c);
}

static blm_err counting_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    const blm_counters all = blm_counting_all((blm_counting *)f);
    const blm_counters other = blm_counting_all((const blm_counting *)g);
    (void)why;
    counting_known((blm_counting *)f, blm_counters_merge(&all, &other));
    return BLM_OK;
}

static blm_err counting_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    const blm_counters all = blm_counting_all((blm_counting *)f);
    if (!blm_packed_tail_zero(cells, f->bytes, all.width, all.count))
        return blm_fail(why, BLM_E_ARG, "a bit past the last counter is set");
    memcpy(f->cells, cells, (size_t)f->bytes);
    counting_known((blm_counting *)f, blm_counters_census(&all));
    return BLM_OK;
}

const blm_kind blm_kind_counting = {
    .name = "counting",
    .group = "counting",
    .version = 2,
    .size = sizeof(blm_counting),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT,
    .fields = counting_fields,
    .nfields = BLM_LEN(counting_fields),
    .knobs = counting_knobs,
    .nknobs = BLM_LEN(counting_knobs),
    .plan = counting_plan,
    .shape = counting_shape,
    .check = counting_check,
    .fpr = blm_counting_fpr,
    .lines = blm_counting_lines,
    .fill = blm_counting_fill,
    .max_count = counting_max,
    .counts_by = {"width", 4},
    .touch = counting_touch,
    .has = counting_has,
    .add = counting_add,
    .one = counting_one,
    .prefetch_many = counting_prefetch_many,
    .has_many = counting_has_many,
    .add_many = counting_add_many,
    .block = counting_block,
    .del_many = counting_del_many,
    .count_many = counting_count_many,
    .del = counting_del,
    .count = blm_counting_count,
    .merge = counting_merge,
    .keys = blm_counting_keys,
    .adopt = counting_adopt,
};

/* split.c - a fixed number of filters, side by side.
 *
 * QUESTION  Is the key in the set, when memory for the largest set is set aside at once, as a fixed number of equal rows?
 *
 * PICTURE   s rows of m bits, each a Bloom filter for c keys. Bit i of all rows is one cell, so k reads ask every row.
 *
 *                        cell 0  cell 1  cell 2  ...  cell m-1
 *                        +-------+-------+-------+---+-------+
 *              row 0     |   1   |   .   |   1   |   |   1   |     full: c keys
 *              row 1     |   .   |   1   |   1   |   |   .   |     being filled
 *              row 2     |   .   |   .   |   .   |   |   .   |     empty
 *                        +-------+-------+-------+---+-------+
 *                            ^               ^             ^
 *                            h0              h1            h2      the AND of the k cells: rows with the key
 *
 *           rows=order fills one row after the other, and any row may answer yes. rows=hash lets the hash choose the
 *           row of a key, and a query asks that row alone. When every row is full the filter is over capacity: to hold
 *           more keys, build a larger one from the keys.
 *
 * COST      rows=order: the rate is 1 - (1 - f)^s with rows of rate f, so with the default 8 rows 13.9 bits per key at
 *           1 %, 18.7 at 0.1 %, 33.1 at 10^-6; standard takes 9.6, 14.4, 28.8. When all rows are full, a query for a
 *           non-member reads 4.5 cells, not 2; in batches it takes at most twice the time of standard in as much
 *           memory. rows=hash: 9.6 bits per key and 2 cells, like standard, and 1 % more for 1000 keys at 1 %, because
 *           rows get uneven numbers of keys.
 *
 * CHOOSE    split to compare papers, or to keep equal rows that can be looked at one by one. It is the simple predecessor
 *           of filters that grow, and is here for completeness: since all its memory is taken at the start, standard
 *           does the same with fewer bits, fewer reads, and merges. Choose standard or blocked when you know how many
 *           keys will come at most. With rows=order the filter cannot be merged; with rows=hash it can.
 *
 * PAPER     Xiao, Dai, Li: Split Bloom filter, Acta Electronica Sinica 32(2), 2004, as described by the survey of Tarkoma
 *           et al., section III-P, which does not say how a row is chosen: both readings are here. A key that some
 *           row seems to have is not added again, so repeated keys take no room. The cells side by side are ours.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "cells.h"
#include "parts/wish.h"

static const blm_field split_fields[] = {
    BLM_FIELD(blm_split, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, bits per row"),
    BLM_FIELD(blm_split, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_split, parts, BLM_F_SHAPE, 1, BLM_COLUMNS, "s, rows"),
    BLM_FIELD(blm_split, rows, BLM_F_SHAPE, SPLIT_ORDER, SPLIT_HASH,
              "0: rows are filled in order, 1: the hash chooses the row"),
    BLM_FIELD(blm_split, per_row, BLM_F_SHAPE, 0, UINT64_C(1) << 56,
              "c, keys per row; 0 where the hash chooses"),
    BLM_FIELD(blm_split, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
    BLM_FIELD(blm_split, taken, BLM_F_STATE, 0, UINT64_C(1) << 60,
              "keys that were new; 0 where the hash chooses"),
};

enum { KNOB_ROWS, KNOB_PARTS };
static const blm_knobdef split_knobs[] = {
    [KNOB_ROWS] = {"rows", "how rows get their keys: one after the other, or by the hash",
                   BLM_K_WORD, .def = SPLIT_ORDER, .words = "order|hash"},
    [KNOB_PARTS] = {"parts", "rows that the filter is split into", BLM_K_NUMBER, .def = 8, .min = 1,
                    .max = BLM_COLUMNS},
};

/* ---- shape ------------------------------------------------------------------------------- */

/* Bits are given. */
static blm_err split_cells(blm_split *s, const blm_config *wish, blm_report *why)
{
    const unsigned width = blm_columns_width(s->parts);
    s->cells = wish->bits / width;
    if (!s->cells)
        return blm_fail(why, BLM_E_ARG, "bits %llu: too few; one cell of %u rows has %u bits",
                        (unsigned long long)wish->bits, s->parts, width);
    s->hashes = (uint8_t)(wish->hashes ? wish->hashes : blm_split_best_hashes(s, wish->keys));
    return BLM_OK;
}

static blm_err split_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                          blm_report *why)
{
    blm_split *s = (blm_split *)f;
    s->rows = (uint8_t)knobs->num[KNOB_ROWS];
    s->parts = (uint8_t)knobs->num[KNOB_PARTS];
    if (wish->bits) {
        const blm_err err = split_cells(s, wish, why);
        if (err) return err;
    } else if (!blm_split_size(s, wish)) {
        return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
    }
    s->per_row = s->rows == SPLIT_HASH ? 0
                 : wish->keys          ? (wish->keys - 1) / s->parts + 1
                                       : blm_split_row_keys(s, wish->fpr);
    return BLM_OK;
}

static blm_err split_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_split *s = (blm_split *)f;
    const bool hash = s->rows == SPLIT_HASH;
    s->width = (uint8_t)blm_columns_width(s->parts);
    if (s->cells > (UINT64_C(1) << 60) / s->width)
        return blm_fail(why, BLM_E_ARG, "%u rows of %llu bits exceed 2^60 bits in total", s->parts,
                        (unsigned long long)s->cells);
    if (hash != !s->per_row)
        return blm_fail(why, BLM_E_ARG, "keys per row %llu: rows have a number only in order",
                        (unsigned long long)s->per_row);
    const bool possible = hash ? !s->taken : s->taken <= s->ones && s->ones <= s->taken * s->hashes;
    if (s->ones > s->cells * s->parts || !possible)
        return blm_fail(why, BLM_E_ARG, "%llu bits are one: not what %llu keys set",
                        (unsigned long long)s->ones, (unsigned long long)s->taken);
    *bytes = blm_packed_bytes(s->cells, s->width);
    if (hash) return BLM_OK;
    f->can &= ~(uint32_t)BLM_MERGE;
    f->lost |= BLM_ANY_ORDER | BLM_MERGE_EXACT; /* who comes first is in the first row */
    return BLM_OK;
}

/* Keys of a row when that many were taken. */
static uint64_t split_load(const blm_split *s, unsigned row)
{
    const uint64_t c = s->per_row, s_of = s->parts, first = c * row;
    if (s->taken > c * s_of) return c + (s->taken - c * s_of) / s_of + 1; /* at most */
    return s->taken <= first ? 0 : s->taken - first < c ? s->taken - first : c;
}

static blm_err split_check(const blm_filter *f, blm_report *why)
{
    const blm_split *s = (const blm_split *)f;
    const blm_columns c = blm_split_columns(s);
    uint64_t ones[BLM_COLUMNS];
    const blm_err err = blm_bits_check(f, s->cells * s->width, s->ones, why);
    if (err) return err;
    blm_columns_ones(&c, ones);
    for (unsigned i = 0; i < s->width; i++) {
        if (i < s->parts && s->rows == SPLIT_HASH) continue;
        const uint64_t load = i < s->parts ? split_load(s, i) : 0;
        if (ones[i] > load * s->hashes || (load && !ones[i]))
            return blm_fail(why, BLM_E_IMAGE, "damaged: row %u has %llu bits, and %llu keys", i,
                            (unsigned long long)ones[i], (unsigned long long)load);
    }
    return BLM_OK;
}

static double split_fill(const blm_filter *f)
{
    const blm_split *s = (const blm_split *)f;
    return (double)s->ones / ((double)s->cells * s->parts);
}

/* ---- operations ------------------------------------------------------------------------- */

/* The rows that a key asks. */
static inline uint64_t split_asked(const blm_split *s, const blm_columns *c, blm_hash h)
{
    return s->rows == SPLIT_HASH ? UINT64_C(1) << blm_columns_own(c, h) : blm_columns_all(s->parts);
}

static bool split_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_split *s = (const blm_split *)f;
    const blm_columns c = blm_split_columns(s);
    (void)it;
    return blm_columns_mask(&c, h, split_asked(s, &c, h)) != 0;
}

static blm_err split_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_split *s = (blm_split *)f;
    const blm_columns c = blm_split_columns(s);
    const bool hash = s->rows == SPLIT_HASH;
    (void)it;
    *fresh = !blm_columns_mask(&c, h, split_asked(s, &c, h));
    if (!*fresh) return BLM_OK;
    s->ones += blm_columns_set(&c, h, hash ? blm_columns_own(&c, h) : blm_split_row(s, s->taken));
    s->taken += !hash;
    return BLM_OK;
}

static void split_fetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    const blm_columns c = blm_split_columns((const blm_split *)f);
    blm_columns_prefetch_many(&c, h, n);
}

static void split_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *yes)
{
    const blm_split *s = (const blm_split *)f;
    const blm_columns c = blm_split_columns(s);
    (void)a;
    if (s->rows == SPLIT_HASH)
        blm_columns_own_has_many(&c, h, n, more, yes);
    else
        blm_columns_has_many(&c, blm_columns_all(s->parts), h, n, more, yes);
}

typedef struct split_filling {
    blm_split *s;
    blm_columns c;
    uint64_t ones, taken;
} split_filling;

static inline bool split_put(void *into, const blm_staged_group *g, size_t i)
{
    split_filling *w = into;
    if (blm_columns_mask_at(&w->c, g, i, blm_columns_all(w->c.sets))) return false;
    w->ones += blm_columns_set_at(&w->c, g, i, blm_split_row(w->s, w->taken));
    w->taken++;
    return true;
}

static blm_err split_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *fresh, size_t *done)
{
    blm_split *s = (blm_split *)f;
    split_filling w = {s, blm_split_columns(s), 0, s->taken};
    (void)a;
    if (s->rows == SPLIT_HASH)
        w.ones = blm_columns_own_add_many(&w.c, h, n, more, fresh);
    else
        blm_columns_add_each(&w.c, h, n, split_put, &w, fresh);
    s->ones += w.ones;
    s->taken = w.taken;
    *done = n;
    return BLM_OK;
}

static size_t split_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                          size_t cap)
{
    const blm_split *s = (const blm_split *)f;
    const blm_columns c = blm_split_columns(s);
    const uint64_t asked = split_asked(s, &c, h);
    (void)it;
    for (unsigned j = 0; j < s->hashes && j < cap; j++) {
        const uint64_t at = blm_columns_find(&c, h, j);
        out[j] =
            (blm_touch){at / s->width, blm_columns_byte(&c, at), blm_columns_load(&c, at) & asked};
    }
    return s->hashes;
}

static blm_err split_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    (void)why;
    ((blm_split *)f)->ones = blm_bits_or(f->cells, g->cells, f->bytes);
    return BLM_OK;
}

const blm_kind blm_kind_split = {
    .name = "split",
    .group = "growing",
    .version = 1,
    .size = sizeof(blm_split),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT,
    .superseded = true,
    .fields = split_fields,
    .nfields = BLM_LEN(split_fields),
    .knobs = split_knobs,
    .nknobs = BLM_LEN(split_knobs),
    .plan = split_plan,
    .shape = split_shape,
    .check = split_check,
    .fpr = blm_split_fpr,
    .lines = blm_split_lines,
    .fill = split_fill,
    .touch = split_touch,
    .has = split_has,
    .add = split_add,
    .prefetch_many = split_fetch_many,
    .has_many = split_has_many,
    .add_many = split_add_many,
    .no_merge_reason = "rows in order have a fixed number of keys; use rows=hash",
    .merge = split_merge,
    .keys = blm_split_keys,
};

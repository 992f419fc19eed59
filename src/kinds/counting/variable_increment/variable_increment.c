/* variable_increment.c - counters that know a little about the keys that raised them.
 *
 * QUESTION  Is the key in a set that also shrinks, in two thirds of the bits of counting?
 *
 * PICTURE   k probes choose k of m counters, and each probe adds its own increment, from L to 2L - 1. If a sum cannot
 *           contain a key's increment, the key is a non-member. L = 4:
 *
 *              x adds 5 ->|  5 |     a non-member with 6: the sum is 5, no
 *              y adds 7 ->| 12 |     a non-member with 6: 12 - 6 is 4 or more, others may have added it: maybe
 *
 *           form=bh stores the number of keys in a cell next to the sum of their `values`, which are chosen so
 *           that no two sums of `h` of them are equal (a B_h sequence). Up to h keys can then be decoded:
 *
 *              values 1, 4, 6:  | 2 keys, sum 7 |   1 + 6: a key with 4 is not in the set
 *
 * COST      24.7 bits per key at 1 %, 37.0 at 0.1 %, 74 at 10^-6 (L = 4, 6-bit counters) against 38.3, 57.5, 115
 *           for counting; 4.1 counters per key instead of 9.6. With L = 8 and 7 bits: 25.3, 37.9, 76. form=bh with
 *           the values 1, 4, 6: 37.5, 56.3. The best load is 1.1 increments per counter (bh: 1.36), not ln 2. add,
 *           has, del and count touch k cells. width=0 takes the fewest bits for which a counter sticks with
 *           probability below 10^-6 at that load: 5, 6, 7, 8 for L = 2, 4, 8, 16.
 *
 * CHOOSE    variable-increment instead of counting for a set with deletes whose merges must be exact: sums add up. For
 *           a multiset choose counting or spectral: here a key added twice costs as much as two keys, and a counter
 *           sticks after 63 / 7 = 9 adds. dleft needs 17 bits at 1 %, but can be full. Delete only keys that were added.
 *
 * PAPER     Rottenstreich, Kanizo, Keslassy: The Variable-Increment Counting Bloom Filter, IEEE/ACM ToN 22(4),
 *           2014. Their rate is that of the mean cell, to the k-th power; ours is the mean over filters, which for one
 *           key at 10^-6 is three times as much. When two probes of a key meet in a cell, delete also checks that the
 *           cell can contain both. The count is our addition: the most that the sums allow.
 */
#include <bloomery/theory.h>
#include <math.h>
#include <string.h>

#include "cells.h"

static const blm_field increment_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 54, "m, the number of cells"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, cells per key"),
    BLM_FIELD(blm_variable_increment, form, BLM_F_SHAPE, 0, 1,
              "0: increments L to 2L - 1, 1: a B_h sequence"),
    BLM_FIELD(blm_variable_increment, increment, BLM_F_SHAPE, 0, 16,
              "L, a power of two; form 1: 0"),
    BLM_FIELD(blm_variable_increment, width, BLM_F_SHAPE, 2, 32, "bits of a sum"),
    BLM_FIELD(blm_variable_increment, elements, BLM_F_SHAPE, 0, 8,
              "form 1: bits of the number of keys in a cell"),
    BLM_FIELD(blm_variable_increment, h, BLM_F_SHAPE, 0, 4,
              "form 1: max keys of a cell that are decoded"),
    BLM_FIELD(blm_variable_increment, values, BLM_F_SHAPE, 0, UINT64_MAX,
              "form 1: increments 1 to 4, 16 bits each"),
    BLM_FIELD(blm_variable_increment, values_5, BLM_F_SHAPE, 0, UINT64_MAX,
              "form 1: increments 5 to 8"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 54, "cells above zero"),
    BLM_FIELD(blm_variable_increment, stuck, BLM_F_STATE, 0, UINT64_C(1) << 54,
              "cells at a ceiling"),
};

enum { INCREMENT_FORM, INCREMENT_L, INCREMENT_VALUES, INCREMENT_H, INCREMENT_WIDTH };
static const blm_knobdef increment_knobs[] = {
    [INCREMENT_FORM] = {"form", "increments L to 2L - 1, or values from which h keys are decoded",
                        BLM_K_WORD, .def = INCREMENT_VI, .words = "vi|bh"},
    [INCREMENT_L] = {"increment", "L of form=vi, a power of two", BLM_K_NUMBER, 4, 1, 16, NULL},
    [INCREMENT_VALUES] = {"values", "2 to 8 increments of form=bh; default 1:4:6", BLM_K_NUMBERS, 0,
                          0, 0, NULL},
    [INCREMENT_H] = {"h", "max keys of a cell that form=bh decodes", BLM_K_NUMBER, 2, 1, 4, NULL},
    [INCREMENT_WIDTH] = {"width", "bits of a sum; 0: as many as needed", BLM_K_NUMBER, 0, 0, 32,
                         NULL},
};

/* ---- theory ---------------------------------------------------------------------------- */

/* The rule of the fields. */
static blm_sums increment_rule(const blm_variable_increment *c)
{
    blm_sums s = {.width = c->width, .elements = c->elements, .low = c->increment, .h = c->h};
    for (; s.values < c->increment; s.values++)
        s.add[s.values] = (uint16_t)(c->increment + s.values);
    for (unsigned i = 0; c->form == INCREMENT_BH && i < 8; i++) {
        s.add[i] = (uint16_t)((i < 4 ? c->values : c->values_5) >> i % 4 * 16);
        if (s.add[i]) s.values = i + 1;
    }
    return s;
}

static blm_err increment_settings(blm_variable_increment *c, const blm_knobs *knobs,
                                  blm_report *why)
{
    const bool bh = knobs->num[INCREMENT_FORM] > INCREMENT_VI;
    const char *text = knobs->text[INCREMENT_VALUES];
    uint16_t value[8] = {0};
    for (unsigned i = INCREMENT_L; i <= INCREMENT_WIDTH; i++) {
        const bool foreign = bh ? i == INCREMENT_L : i == INCREMENT_VALUES || i == INCREMENT_H;
        if (knobs->text[i] && foreign)
            return blm_fail(why, BLM_E_ARG, "%s=%.40s: only form=%s has this knob",
                            increment_knobs[i].name, knobs->text[i], bh ? "vi" : "bh");
        if (knobs->num[i] != floor(knobs->num[i]))
            return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number from %g to %g",
                            increment_knobs[i].name, knobs->num[i], increment_knobs[i].min,
                            increment_knobs[i].max);
    }
    const blm_err err = blm_sums_parse(text ? text : "1:4:6", value, 8, why);
    c->form = bh;
    c->increment = bh ? 0 : (uint8_t)knobs->num[INCREMENT_L];
    c->h = bh ? (uint8_t)knobs->num[INCREMENT_H] : 0;
    c->values = c->values_5 = 0;
    for (unsigned i = 0; bh && i < 8; i++)
        *(i < 4 ? &c->values : &c->values_5) |= (uint64_t)value[i] << i % 4 * 16;
    return err;
}

static blm_err increment_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                              blm_report *why)
{
    blm_variable_increment *c = (blm_variable_increment *)f;
    const blm_err err = increment_settings(c, knobs, why);
    if (err) return err;
    blm_sums s = increment_rule(c);
    blm_sums_widen(&s, (unsigned)knobs->num[INCREMENT_WIDTH]);
    c->width = (uint8_t)s.width;
    c->elements = (uint8_t)s.elements;
    return blm_variable_increment_size(c, wish, &s, why);
}

static blm_err increment_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_variable_increment *c = (blm_variable_increment *)f;
    const blm_sums s = c->rule = increment_rule(c);
    const bool bh = c->form == INCREMENT_BH, any = c->values || c->values_5;
    if (bh ? c->increment || !c->h || s.values < 2 : c->h || c->elements || any)
        return blm_fail(why, BLM_E_ARG,
                        "form=bh needs 2 to 8 values and decodes 1 to 4 keys; form=vi has neither");
    if (c->flat.ones > c->flat.cells || c->stuck > c->flat.ones)
        return blm_fail(why, BLM_E_ARG, "more cells are in use or stuck than the filter has");
    *bytes = blm_packed_bytes(c->flat.cells, s.width + s.elements);
    return blm_sums_sound(&s, why);
}

static blm_err increment_check(const blm_filter *f, blm_report *why)
{
    const blm_variable_increment *c = (const blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    if (!blm_packed_tail_zero(f->cells, f->bytes, c->rule.width + c->rule.elements, c->flat.cells))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last cell is set");
    if (!blm_sums_all_sound(&c->rule, f->cells, f->bytes, c->flat.cells))
        return blm_fail(why, BLM_E_IMAGE,
                        "damaged: a cell holds a sum that no set of keys produces");
    const blm_census now = blm_sums_census(&all);
    if (now.used == c->flat.ones && now.stuck == c->stuck) return BLM_OK;
    return blm_fail(why, BLM_E_IMAGE,
                    "damaged: the numbers of used and stuck cells differ from their fields");
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void increment_fetch(const blm_filter *f, blm_hash h, unsigned n)
{
    const blm_variable_increment *c = (const blm_variable_increment *)f;
    const unsigned bits = c->rule.width + c->rule.elements;
    for (unsigned i = 0; i < n; i++)
        blm_fetch(f->cells + blm_packed_find(f->bytes, bits, blm_place(h, i, c->flat.cells)).byte);
}

static inline void increment_prefetch(const blm_filter *f, blm_hash h) { increment_fetch(f, h, 2); }

/* An add writes them all; more than 16 would leave the cache before their turn. */
static inline void increment_prefetch_all(const blm_filter *f, blm_hash h)
{
    const unsigned k = ((const blm_variable_increment *)f)->flat.hashes;
    increment_fetch(f, h, k < 16 ? k : 16);
}

static inline bool increment_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_variable_increment *c = (const blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    (void)it;
    return blm_sums_has(&all, h, c->flat.hashes);
}

static inline void increment_changed(blm_variable_increment *c, blm_census change)
{
    c->flat.ones += change.used;
    c->stuck += change.stuck;
    if (c->stuck) c->flat.base.lost |= BLM_DEL_EXACT; /* a counter has lost count */
}

static inline blm_err increment_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_variable_increment *c = (blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    *fresh = !increment_has(f, h, it);
    increment_changed(c, blm_sums_change(&all, h, c->flat.hashes, blm_sums_raise));
    return BLM_OK;
}

BLM_BATCH(increment)
BLM_BATCH_ADD(increment, increment_prefetch_all)

/* All are read before one is written: a refused delete leaves no trace. */
static inline blm_err increment_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_variable_increment *c = (blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    if (!increment_has(f, h, it) || !blm_sums_all_held(&all, h, c->flat.hashes))
        return BLM_E_ABSENT;
    increment_changed(c, blm_sums_change(&all, h, c->flat.hashes, blm_sums_lower));
    return BLM_OK;
}

static inline blm_err increment_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                      blm_estimate *n)
{
    const blm_variable_increment *c = (const blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    (void)it;
    *n = blm_sums_count(&all, h, c->flat.hashes);
    return BLM_OK;
}

BLM_BATCH_DEL(increment, increment_prefetch_all)
BLM_BATCH_COUNT(increment, increment_prefetch_all)

static size_t increment_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                              size_t cap)
{
    const blm_variable_increment *c = (const blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    (void)it;
    for (unsigned i = 0; i < c->flat.hashes && i < cap; i++) {
        const uint64_t at = blm_place(h, i, c->flat.cells);
        const uint64_t bit = at * (c->rule.width + c->rule.elements);
        out[i] = (blm_touch){at, bit / 8, blm_sums_get(&all, at)};
    }
    return c->flat.hashes;
}

static blm_err increment_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_variable_increment *c = (blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c),
                         other = blm_variable_increment_all((const blm_variable_increment *)g);
    (void)why;
    c->flat.ones = c->stuck = 0;
    increment_changed(c, blm_sums_merge(&all, &other));
    return BLM_OK;
}

static blm_err increment_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    blm_variable_increment *c = (blm_variable_increment *)f;
    const blm_sums_array all = blm_variable_increment_all(c);
    if (!blm_packed_tail_zero(cells, f->bytes, c->rule.width + c->rule.elements, c->flat.cells))
        return blm_fail(why, BLM_E_ARG, "a bit past the last cell is set");
    if (!blm_sums_all_sound(&c->rule, cells, f->bytes, c->flat.cells))
        return blm_fail(why, BLM_E_ARG, "a cell holds a sum that no set of keys produces");
    memcpy(f->cells, cells, (size_t)f->bytes);
    c->flat.ones = c->stuck = 0;
    increment_changed(c, blm_sums_census(&all));
    return BLM_OK;
}

const blm_kind blm_kind_variable_increment = {
    .name = "variable-increment",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_variable_increment),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT,
    .copies = true, /* two increments of one key tell no more than those of two keys */
    .fields = increment_fields,
    .nfields = BLM_LEN(increment_fields),
    .knobs = increment_knobs,
    .nknobs = BLM_LEN(increment_knobs),
    .plan = increment_plan,
    .shape = increment_shape,
    .check = increment_check,
    .fpr = blm_variable_increment_fpr,
    .lines = blm_variable_increment_lines,
    .fill = blm_flat_fill,
    .max_count = blm_variable_increment_max,
    .touch = increment_touch,
    .has = increment_has,
    .add = increment_add,
    .prefetch_many = increment_prefetch_many,
    .has_many = increment_has_many,
    .add_many = increment_add_many,
    .del_many = increment_del_many,
    .del = increment_del,
    .count_many = increment_count_many,
    .count = increment_count,
    .merge = increment_merge,
    .keys = blm_flat_size,
    .adopt = increment_adopt,
};

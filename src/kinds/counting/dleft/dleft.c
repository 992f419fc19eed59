/* dleft.c - fingerprints in balanced buckets: does what counting does in half the space.
 *
 * QUESTION  Is the key in a set that also shrinks? And how often was it added?
 *
 * PICTURE   A fingerprint F chooses one bucket in each of d tables, and is stored in the emptiest of them;
 *           if several are equally empty, in the leftmost.
 *
 *              F ---+-------------+-------------+-------------+       d = 4 tables of B buckets
 *                   v             v             v             v
 *              | 6 of 8 |    | 7 of 8 |    | 5 of 8 |    | 6 of 8 |    8 cells per bucket
 *                                              |
 *                              cell: [ remainder, r bits | counter ]   another add of F: counter + 1
 *
 *           F is one of N = B * 2^r numbers: F = b * 2^r + remainder. In table i its bucket is
 *           (b + g_i(remainder)) mod B, its remainder the same. This mapping is one to one, so two keys share
 *           a cell only when they have the same F, and F can be read back from any cell.
 *
 * COST      6 of 8 cells are in use at capacity: 4/3 (r + 2) bits per key, r = log2(24 / rate) rounded up: 18.7 at
 *           1 % and 22.7 at 0.1 %, against 38 and 58 for counting. The rate is the fraction of fingerprints in
 *           use. A query reads d buckets of 14 to 20 bytes, all fetched at once.
 *           The table can be full: adding a key whose d buckets are all full fails with BLM_E_FULL. That begins at 7.3
 *           cells per bucket, 1.2 times the planned keys. grow doubles the buckets and takes one bit of each remainder:
 *           room for twice the keys, at twice the rate, which is the new promise; up to a rate of 50 %.
 *           A counter of 2 bits sticks at 3: enough for a set, where it means that 3 keys have the same F. A multiset
 *           needs a larger `width`, which max-count=N chooses: 28 bits per key at 1 % for counts up to 255.
 *
 * CHOOSE    dleft when keys are deleted and come again any number of times, and memory matters. Choose quotient, in half the space,
 *           when each copy of a key may take room. Choose counting when you merge many filters (a dleft merge
 *           inserts the fingerprints again and may fail), when there may be many more keys than planned, or when
 *           equal sets must be equal bytes. Delete only keys that were added.
 *
 * PAPER     Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese: An improved construction for counting Bloom
 *           filters, ESA 2006. Theirs is F -> a_i F mod 2^q, a_i odd, for B a power of two: up to twice the
 *           space. Ours (a Feistel round over B and 2^r, as in backyard hashing) allows any B; loads are the same.
 */
#include <bloomery/theory/dleft.h>
#include <math.h>

#include "cells.h"

static const blm_field dleft_fields[] = {
    BLM_FIELD(blm_dleft, buckets, BLM_F_SHAPE, 1, UINT64_C(1) << BLM_PRINTS_ACROSS,
              "B, buckets per table"),
    BLM_FIELD(blm_dleft, tables, BLM_F_SHAPE, 3, BLM_PRINTS_TABLES, "d, tables"),
    BLM_FIELD(blm_dleft, bucket, BLM_F_SHAPE, 4, 32, "cells per bucket"),
    BLM_FIELD(blm_dleft, remainder, BLM_F_SHAPE, 1, 55, "r, bits per remainder"),
    BLM_FIELD(blm_dleft, width, BLM_F_SHAPE, 2, 16, "bits per counter"),
    BLM_FIELD(blm_dleft, doublings, BLM_F_STATE, 0, 54, "how often it has grown"),
    BLM_FIELD(blm_dleft, used, BLM_F_STATE, 0, UINT64_C(1) << 58, "cells in use"),
    BLM_FIELD(blm_dleft, stuck, BLM_F_STATE, 0, UINT64_C(1) << 58,
              "cells whose counter is at its ceiling"),
};

enum { DLEFT_WIDTH, DLEFT_TABLES, DLEFT_BUCKET };
static const blm_knobdef dleft_knobs[] = {
    [DLEFT_WIDTH] = {"width", "bits per counter", BLM_K_NUMBER, .def = 2, .min = 2, .max = 16},
    [DLEFT_TABLES] = {"tables", "tables: buckets that a key may lie in", BLM_K_NUMBER, .def = 4,
                      .min = 3, .max = BLM_PRINTS_TABLES},
    [DLEFT_BUCKET] = {"bucket", "cells per bucket; two stay empty on average", BLM_K_NUMBER,
                      .def = 8, .min = 4, .max = 32},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err dleft_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                          blm_report *why)
{
    blm_dleft *s = (blm_dleft *)f;
    unsigned r = 0;
    for (size_t i = 0; i < BLM_LEN(dleft_knobs); i++)
        if (knobs->num[i] != floor(knobs->num[i]))
            return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number from %g to %g",
                            dleft_knobs[i].name, knobs->num[i], dleft_knobs[i].min,
                            dleft_knobs[i].max);
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: dleft stores one fingerprint per key; set tables=%g instead",
                        wish->hashes, knobs->num[DLEFT_TABLES]);
    s->width = (uint8_t)knobs->num[DLEFT_WIDTH];
    s->tables = (uint8_t)knobs->num[DLEFT_TABLES];
    s->bucket = (uint8_t)knobs->num[DLEFT_BUCKET];
    const blm_err err = blm_dleft_size(s, wish, &r, why);
    s->remainder = (uint8_t)r;
    return err;
}

static blm_err dleft_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_dleft *s = (blm_dleft *)f;
    const unsigned r = s->remainder, grown = s->doublings;
    if (grown >= r || r + s->width > BLM_PRINTS_CELL ||
        s->buckets > (UINT64_C(1) << BLM_PRINTS_RANGE) >> r ||
        s->buckets > (UINT64_C(1) << BLM_PRINTS_ACROSS) >> grown)
        return blm_fail(
            why, BLM_E_ARG,
            "%llu buckets, remainders of %u bits, grown %u times: no such table is possible",
            (unsigned long long)s->buckets, r, grown);
    s->range = s->buckets << r;
    s->now = blm_prints_of(s->tables, s->buckets << grown, s->bucket, r - grown, s->width);
    if (s->used > blm_prints_cells(&s->now) || s->used > s->range || s->stuck > s->used)
        return blm_fail(why, BLM_E_ARG, "more cells are in use or stuck than the filter has");
    *bytes = blm_packed_bytes(blm_prints_cells(&s->now), s->now.bits);
    return BLM_OK;
}

static blm_err dleft_check(const blm_filter *f, blm_report *why)
{
    const blm_dleft *s = (const blm_dleft *)f;
    return blm_prints_check(&s->now, f, (blm_census){s->used, s->stuck}, why);
}

static uint64_t dleft_max(const blm_filter *f)
{
    return blm_packed_top(((const blm_dleft *)f)->width) - 1;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline uint64_t dleft_print(const blm_dleft *s, blm_hash h)
{
    return blm_reduce(h.lo, s->range);
}

static inline void dleft_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_dleft *s = (const blm_dleft *)f;
    blm_prints_fetch(&s->now, f, dleft_print(s, h));
}

static bool dleft_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_dleft *s = (const blm_dleft *)f;
    (void)it;
    return blm_prints_seek(&s->now, f, dleft_print(s, h)) != BLM_PRINTS_NONE;
}

static blm_err dleft_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_dleft *s = (blm_dleft *)f;
    blm_census change = {0, 0};
    const blm_err err = blm_prints_raise(&s->now, f, dleft_print(s, h), 1, &change);
    (void)it;
    blm_dleft_changed(s, change);
    *fresh = change.used > 0;
    return err;
}

BLM_PREFETCH(dleft)

static blm_err dleft_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_dleft *s = (blm_dleft *)f;
    const uint64_t cell = blm_prints_seek(&s->now, f, dleft_print(s, h));
    (void)it;
    if (cell == BLM_PRINTS_NONE) return BLM_E_ABSENT;
    s->used -= blm_prints_lower(&s->now, f, cell);
    return BLM_OK;
}

/* Never below the truth, unless the counter is stuck; above it by the keys of the same fingerprint. */
static blm_err dleft_count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    const blm_dleft *s = (const blm_dleft *)f;
    const uint64_t cell = blm_prints_seek(&s->now, f, dleft_print(s, h));
    (void)it;
    *n = blm_counters_estimate(&(blm_counters){.width = s->width},
                               cell == BLM_PRINTS_NONE ? 0 : blm_prints_counter(&s->now, f, cell));
    return BLM_OK;
}

static size_t dleft_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                          size_t cap)
{
    const blm_dleft *s = (const blm_dleft *)f;
    (void)it;
    return blm_prints_touch(&s->now, f, dleft_print(s, h), out, cap);
}

/* All its fingerprints, and those of a second filter, in a table that has grown so often. */
static blm_err dleft_rebuild(blm_dleft *s, const blm_dleft *other, unsigned doublings,
                             blm_report *why)
{
    blm_dleft to = *s;
    uint64_t bytes = 0;
    to.doublings = (uint8_t)doublings;
    to.used = to.stuck = 0;
    blm_err err = dleft_shape(&to.base, &bytes, why);
    if (err) return err;
    blm_census sum = {0, 0};
    err = blm_prints_move(&s->base, &s->now, &to.now, other ? &other->base : NULL,
                          other ? &other->now : NULL, &sum, why);
    if (err) return err;
    s->doublings = to.doublings;
    s->now = to.now;
    s->used = sum.used;
    s->stuck = sum.stuck;
    if (sum.stuck) s->base.lost |= BLM_DEL_EXACT;
    return BLM_OK;
}

static blm_err dleft_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_dleft *s = (blm_dleft *)f;
    const blm_dleft *other = (const blm_dleft *)g;
    const unsigned mine = s->doublings, theirs = other->doublings;
    return dleft_rebuild(s, other, mine > theirs ? mine : theirs, why);
}

static uint64_t dleft_room(const blm_filter *f)
{
    return blm_doubled(f->capacity, ((const blm_dleft *)f)->doublings);
}

/* The fingerprints stay as many. Where more than half of them would be in use, new cells would be room for no key: most
 * non-members, and most new keys, would be taken for those that are there. */
static blm_err dleft_grow(blm_filter *f, blm_report *why)
{
    blm_dleft *s = (blm_dleft *)f;
    const uint64_t twice = 2 * blm_capacity_now(f);
    const double rate = blm_rate_prints(s->range, twice);
    if (s->now.low == 1 || rate > 0.5)
        return blm_fail(why, BLM_E_FULL,
                        "grown %u times: %llu keys would share %llu fingerprints, whose number is "
                        "fixed, at a rate of %.2g; build a filter for more keys",
                        s->doublings, (unsigned long long)twice, (unsigned long long)s->range,
                        rate);
    return dleft_rebuild(s, NULL, s->doublings + 1u, why);
}

const blm_kind blm_kind_dleft = {
    .name = "dleft",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_dleft),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_DEL_EXACT,
    .fields = dleft_fields,
    .nfields = BLM_LEN(dleft_fields),
    .knobs = dleft_knobs,
    .nknobs = BLM_LEN(dleft_knobs),
    .plan = dleft_plan,
    .shape = dleft_shape,
    .check = dleft_check,
    .fpr = blm_dleft_fpr,
    .lines = blm_dleft_lines,
    .fill = blm_dleft_fill,
    .max_count = dleft_max,
    .counts_by = {"width", 2},
    .touch = dleft_touch,
    .has = dleft_has,
    .add = dleft_add,
    .prefetch_many = dleft_prefetch_many,
    .has_many = blm_dleft_has_many,
    .add_many = blm_dleft_add_many,
    .del_many = blm_dleft_del_many,
    .del = dleft_del,
    .count_many = blm_dleft_count_many,
    .count = dleft_count,
    .merge = dleft_merge,
    .grow = dleft_grow,
    .room = dleft_room,
    .keys = blm_dleft_keys,
};

/* quotient.c - fingerprints in one sorted table: deletes, counts, merges and grows, at 95 % of its slots.
 *
 * QUESTION  Is the key in a multiset that shrinks, grows and is merged? And how often was it added?
 *
 * PICTURE   A fingerprint F is a quotient, the slot where it would like to be, and a remainder of r bits, which is all that a
 *           slot keeps. Those of one quotient, its run, stand one after the other, sorted; runs stand in the order of their
 *           quotients, and what is taken pushes others to the right.
 *
 *              home bits    0  1  1  0  1  0  0  1      a run of this quotient exists
 *              slots        .  7  9  2  5  8  .  4      runs 7 9, 2, 5 8 and 4 of the quotients 1, 2, 4 and 7
 *              end bits     0  0  1  1  0  1  0  1      a run ends here
 *
 *           The n-th home bit belongs to the n-th end bit. Every 64 slots have a byte more, which says how many of them
 *           earlier runs take, so that nobody counts from the beginning. F = quotient * 2^r + remainder can
 *           be read back: blm_list tells each F once, in order, by a hash that has it.
 *
 * COST      (r + 2.125) / 0.95 bits per key, r = log2(0.95 / rate) rounded up: 9.6 at 1 %, 12.8 at 0.1 %. The table has 10 sqrt(n)
 *           more slots at its end, so that no run wraps around: 1 % of one for 10^6 keys, as many again for 100 keys. A query
 *           reads one or two lines, next to each other. An add moves what lies between its place and the next free slot,
 *           64 slots in r + 1 steps: 2 slots at half load, 50 at 90 %, 200 at 95 %. Above 95 % it fails with BLM_E_FULL; planned
 *           keys always fit. grow doubles the quotients and takes one bit of each remainder: room for twice the keys, at twice
 *           the rate, which is the new promise.
 *           Each copy of a key takes a slot. With `width` bits of counter in each slot, which max-count=N chooses, 2^width
 *           copies do: 18 bits per key at 1 % for counts up to 256. The next copy opens another slot, so that counts have no end.
 *
 * CHOOSE    quotient when keys are deleted, counted, merged or come in larger numbers than planned, and memory matters. Equal
 *           multisets are equal bytes, whatever the order of adds, deletes and merges. Choose dleft when it is not known how often
 *           keys come again, because that takes no room there, or when adds must be as fast in a full table as in an
 *           empty one; ribbon or fuse for sets that never change. Delete only keys that were added.
 *
 * PAPER     Bender, Farach-Colton, Johnson, Kraner, Kuszmaul, Medjedovic, Montes, Shetty, Spillane, Zadok: Don't thrash: how to
 *           cache your hash on flash, VLDB 2012. The bits and offsets are those of Pandey, Bender, Johnson, Patro: A general-purpose
 *           counting filter, SIGMOD 2017. Theirs keeps a count in slots of the run, by an escape code; ours is a copy per slot or a
 *           counter in each. Theirs has 2^q quotients, ours any number.
 */
#include <math.h>

#include "cells.h"

static const blm_field quotient_fields[] = {
    BLM_FIELD(blm_quotient, quotients, BLM_F_SHAPE, 2, UINT64_C(1) << BLM_QUOTIENT_ACROSS,
              "quotients, as planned"),
    BLM_FIELD(blm_quotient, remainder, BLM_F_SHAPE, 1, BLM_RUNS_CELL, "r, bits per remainder"),
    BLM_FIELD(blm_quotient, width, BLM_F_SHAPE, 0, 16, "bits per counter"),
    BLM_FIELD(blm_quotient, doublings, BLM_F_STATE, 0, BLM_RUNS_CELL - 1, "how often it has grown"),
    BLM_FIELD(blm_quotient, used, BLM_F_STATE, 0, UINT64_C(1) << BLM_QUOTIENT_ACROSS,
              "slots in use"),
    BLM_FIELD(blm_quotient, prints, BLM_F_STATE, 0, UINT64_C(1) << BLM_QUOTIENT_ACROSS,
              "different fingerprints"),
};

static const blm_knobdef quotient_knobs[] = {
    {"width", "bits per counter; 0: each copy of a key takes a slot", BLM_K_NUMBER, .def = 0,
     .min = 0, .max = 16},
};

static blm_err quotient_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_quotient *s = (blm_quotient *)f;
    const double width = knobs->num[0];
    if (width != floor(width))
        return blm_fail(why, BLM_E_ARG, "width=%g: must be a whole number from 0 to 16", width);
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: quotient stores one fingerprint per key; set fpr or bits "
                        "instead",
                        wish->hashes);
    s->width = (uint8_t)width;
    return blm_quotient_size(s, wish, why);
}

static blm_err quotient_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_quotient *s = (blm_quotient *)f;
    const unsigned r = s->remainder, grown = s->doublings;
    if (grown >= r || r + s->width > BLM_RUNS_CELL ||
        s->quotients > (UINT64_C(1) << BLM_QUOTIENT_RANGE) >> r ||
        s->quotients > (UINT64_C(1) << BLM_QUOTIENT_ACROSS) >> grown)
        return blm_fail(
            why, BLM_E_ARG,
            "%llu quotients, remainders of %u bits, grown %u times: no such table is possible",
            (unsigned long long)s->quotients, r, grown);
    s->range = s->quotients << r;
    s->now = blm_runs_of(s->quotients << grown, r - grown, s->width);
    if (s->used > s->now.room || s->prints > s->used || s->prints > s->range)
        return blm_fail(why, BLM_E_ARG, "more slots or fingerprints than the filter has room for");
    *bytes = blm_runs_bytes(&s->now);
    return BLM_OK;
}

static blm_err quotient_check(const blm_filter *f, blm_report *why)
{
    const blm_quotient *s = (const blm_quotient *)f;
    uint64_t used, prints;
    const char *fault = blm_runs_fault(&s->now, f->cells, &used, &prints);
    if (!fault && (used != s->used || prints != s->prints))
        fault = "the numbers of slots and fingerprints differ from their fields";
    return fault ? blm_fail(why, BLM_E_IMAGE, "damaged: %s", fault) : BLM_OK;
}

/* How often a key comes before it takes another slot. */
static uint64_t quotient_max(const blm_filter *f)
{
    return UINT64_C(1) << ((const blm_quotient *)f)->width;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline uint64_t quotient_print(const blm_quotient *s, blm_hash h)
{
    return blm_reduce(h.lo, s->range);
}

static inline void quotient_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_quotient *s = (const blm_quotient *)f;
    blm_runs_fetch(&s->now, f->cells, quotient_print(s, h) >> s->now.low);
}

/* An add goes on to the next free slot, a delete to the end of what stands together. */
static inline void quotient_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_quotient *s = (const blm_quotient *)f;
    blm_runs_fetch_all(&s->now, f->cells, quotient_print(s, h) >> s->now.low);
}

static inline bool quotient_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_quotient *s = (const blm_quotient *)f;
    (void)it;
    return blm_runs_has(&s->now, f->cells, quotient_print(s, h));
}

static inline blm_err quotient_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_quotient *s = (blm_quotient *)f;
    const blm_runs_spot spot = blm_runs_find(&s->now, f->cells, quotient_print(s, h));
    const bool is_new = spot.from == spot.to;
    uint64_t took;
    (void)it;
    if (!blm_runs_add(&s->now, f->cells, &spot, s->used, &took)) return BLM_E_FULL;
    s->used += took;
    s->prints += is_new;
    *fresh = is_new;
    return BLM_OK;
}

static inline blm_err quotient_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_quotient *s = (blm_quotient *)f;
    const blm_runs_spot spot = blm_runs_find(&s->now, f->cells, quotient_print(s, h));
    (void)it;
    if (spot.from == spot.to) return BLM_E_ABSENT;
    const uint64_t freed = blm_runs_del(&s->now, f->cells, &spot);
    const bool last = freed && spot.to - spot.from == 1;
    s->used -= s->used ? freed : 0; /* the fields of a forger may be lower */
    s->prints -= last && s->prints;
    return BLM_OK;
}

/* Never below the truth; above it by the keys of the same fingerprint. */
static inline blm_err quotient_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                     blm_estimate *n)
{
    const blm_quotient *s = (const blm_quotient *)f;
    const blm_runs_spot spot = blm_runs_find(&s->now, f->cells, quotient_print(s, h));
    const double times = (double)blm_runs_times(&s->now, f->cells, &spot);
    (void)it;
    *n = (blm_estimate){times, times > 0 ? 0 : times, times, false};
    return BLM_OK;
}

BLM_BATCH(quotient)
BLM_BATCH_ADD(quotient, quotient_prefetch_all)
BLM_BATCH_DEL(quotient, quotient_prefetch_all)
BLM_BATCH_COUNT(quotient, quotient_prefetch)

static blm_err quotient_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_quotient *s = (blm_quotient *)f;
    const blm_quotient *other = (const blm_quotient *)g;
    const uint8_t most = s->doublings > other->doublings ? s->doublings : other->doublings;
    const blm_runs to = most == s->doublings ? s->now : other->now;
    const blm_err err = blm_quotient_move(s, &to, other, why);
    if (err) return err;
    s->doublings = most;
    s->now = to;
    return BLM_OK;
}

static uint64_t quotient_room(const blm_filter *f)
{
    return blm_doubled(f->capacity, ((const blm_quotient *)f)->doublings);
}

static blm_err quotient_grow(blm_filter *f, blm_report *why)
{
    blm_quotient *s = (blm_quotient *)f;
    blm_quotient next = *s;
    uint64_t bytes;
    next.doublings++;
    if (s->now.low == 1 || quotient_shape(&next.base, &bytes, NULL))
        return blm_fail(why, BLM_E_FULL,
                        "grown %u times: remainders of %u bits and %llu quotients cannot be "
                        "doubled; build a filter for more keys",
                        s->doublings, s->now.low, (unsigned long long)s->now.homes);
    const blm_err err = blm_quotient_move(s, &next.now, NULL, why);
    if (err) return err;
    s->doublings = next.doublings;
    s->now = next.now;
    return BLM_OK;
}

const blm_kind blm_kind_quotient = {
    .name = "quotient",
    .group = "fingerprints",
    .version = 1,
    .size = sizeof(blm_quotient),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT,
    .copies = true,
    .fields = quotient_fields,
    .nfields = BLM_LEN(quotient_fields),
    .knobs = quotient_knobs,
    .nknobs = BLM_LEN(quotient_knobs),
    .plan = quotient_plan,
    .shape = quotient_shape,
    .check = quotient_check,
    .fpr = blm_quotient_fpr,
    .lines = blm_quotient_lines,
    .fill = blm_quotient_fill,
    .max_count = quotient_max,
    .counts_by = {"width", 0},
    .touch = blm_quotient_touch,
    .has = quotient_has,
    .add = quotient_add,
    .prefetch_many = quotient_prefetch_many,
    .has_many = quotient_has_many,
    .add_many = quotient_add_many,
    .del_many = quotient_del_many,
    .del = quotient_del,
    .count_many = quotient_count_many,
    .count = quotient_count,
    .merge = quotient_merge,
    .grow = quotient_grow,
    .room = quotient_room,
    .list = blm_quotient_list,
    .keys = blm_quotient_keys,
};

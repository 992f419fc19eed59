/* cuckoo.c - fingerprints in one of two buckets: a multiset in a few more bits per key than a set needs.
 *
 * QUESTION  Is the key in a set that also shrinks? And how often was it added, up to 8 times?
 *
 * PICTURE   A fingerprint F lies in one of two buckets of 4 slots. If both are full, others move to their other bucket.
 *
 *              F = b * 2^f + rest
 *                  |            |
 *                  v            v
 *              first table:   bucket b                         | rest |  r  |  r  |  0  |     a slot has f bits,
 *              second table:  bucket b + turn(rest) mod B      |  r   |  r  |  r  |  r  |     0 is empty
 *
 *           Each table has B buckets, any number. F is one of N = B * 2^f numbers, and follows from any slot: that is how
 *           fingerprints move, grow, merge and are listed. A rest of 0 is kept as 1.
 *
 *           form=sorted: the four rests of a bucket lie in order, and the highest 4 bits of all of them are one code of 12
 *           bits instead of 16, because only 3876 rising quadruples exist.
 *
 * COST      f / 0.95 bits per key, f = log2(7.6 / rate) rounded up: 10.5 at 1 % (the rate is then 0.74 %), 12.6 at 0.19 %;
 *           form=sorted takes 1.05 bits less and twice the time. 100 keys use 78 % of the slots, 10^4 keys 95 %. The
 *           rate is the share of the N numbers in use: 8 * load / 2^f. A query reads two buckets of 5 to 8 bytes.
 *           The table can be full: adding a key for which no way to a free slot exists fails with BLM_E_FULL, and changes
 *           nothing. That begins at 97 % of the slots; one filter in 10^7 rejects a planned key. grow doubles the
 *           buckets and takes one bit of each rest: room for twice the keys, at twice the rate, which is the new promise;
 *           down to 5 bits.
 *           A key that is added again takes another slot, up to 8 times. Copies crowd: if each key comes twice, the table
 *           is full at 88 % of the slots, and where many come five times, it may be at 20 %. twins=once adds a key only if
 *           it is not there, and then neither deletes nor counts: of two keys with one fingerprint a delete would take both.
 *           slots: buckets of 8 fill to 98 % and take a bit more per slot, 11.2 bits per key at 1 %; those of 2 fill to 86 %
 *           and take longer rests for more keys, 12.8 bits for 10^6, because five keys of one fingerprint find no room;
 *           those of 1 are for comparison, 70 bits for 10^6 keys.
 *
 * CHOOSE    cuckoo when keys are deleted and memory matters, at rates below 3 %. Choose dleft when keys come many times
 *           (its counters have no such limit) or when adding must take a fixed time; adaptive-cuckoo when false positives
 *           are reported; blocked when nothing is deleted and speed matters; fuse or ribbon for a fixed set. Delete only
 *           keys that were added.
 *
 * PAPER     Fan, Andersen, Kaminsky, Mitzenmacher: Cuckoo Filter: Practically Better Than Bloom, CoNEXT 2014. Theirs has
 *           one table of 2^k buckets, b xor hash(fingerprint), up to twice the space; ours two of any size, so that
 *           fingerprints can be read back. Theirs moves 500 random victims, and the last one stays outside the table; ours
 *           finds the shortest way first, and has no such key.
 */
#include <bloomery/theory/cuckoo.h>
#include <math.h>

#include "cells.h"

static const blm_field cuckoo_fields[] = {
    BLM_FIELD(blm_cuckoo, buckets, BLM_F_SHAPE, 1, UINT64_C(1) << BLM_CUCKOO_ACROSS,
              "B, buckets per table"),
    BLM_FIELD(blm_cuckoo, slots, BLM_F_SHAPE, 1, BLM_CUCKOO_SLOTS, "slots per bucket"),
    BLM_FIELD(blm_cuckoo, width, BLM_F_SHAPE, BLM_CUCKOO_LEAST, BLM_CUCKOO_WIDTH,
              "f, bits per rest, as planned"),
    BLM_FIELD(blm_cuckoo, form, BLM_F_SHAPE, 0, 1, "how buckets keep rests: plain, sorted"),
    BLM_FIELD(blm_cuckoo, twins, BLM_F_SHAPE, 0, 1, "a key that is added again: keep, once"),
    BLM_FIELD(blm_cuckoo, doublings, BLM_F_STATE, 0, BLM_CUCKOO_ACROSS, "how often it has grown"),
    BLM_FIELD(blm_cuckoo, used, BLM_F_STATE, 0, UINT64_C(1) << 52, "slots in use"),
    BLM_FIELD(blm_cuckoo, different, BLM_F_STATE, 0, UINT64_C(1) << 52, "fingerprints in use"),
    BLM_FIELD(blm_cuckoo, pairs, BLM_F_STATE, 0, UINT64_C(1) << 52,
              "fingerprints in use whose rest is 1, which stands for 0 as well"),
};

enum { CUCKOO_BY_FORM, CUCKOO_BY_TWINS, CUCKOO_BY_SLOTS };
static const blm_knobdef cuckoo_knobs[] = {
    [CUCKOO_BY_FORM] = {"form", "how a bucket keeps its rests: sorted takes one bit per key less",
                        BLM_K_WORD, .words = "plain|sorted"},
    [CUCKOO_BY_TWINS] = {"twins", "a key that is added again: keep a copy, or add it only once",
                         BLM_K_WORD, .words = "keep|once"},
    [CUCKOO_BY_SLOTS] = {"slots", "slots per bucket: 1, 2, 4 or 8", BLM_K_NUMBER, .def = 4,
                         .min = 1, .max = BLM_CUCKOO_SLOTS},
};

/* ---- shape --------------------------------------------------------------------------------------- */

static bool cuckoo_slots_fit(unsigned slots, bool sorted)
{
    return sorted ? slots == 4 : slots == 1 || slots == 2 || slots == 4 || slots == 8;
}

static blm_err cuckoo_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                           blm_report *why)
{
    blm_cuckoo *s = (blm_cuckoo *)f;
    const double slots = knobs->num[CUCKOO_BY_SLOTS];
    s->form = knobs->num[CUCKOO_BY_FORM] > 0;
    s->twins = knobs->num[CUCKOO_BY_TWINS] > 0;
    s->slots = (uint8_t)slots;
    if (slots != floor(slots) || !cuckoo_slots_fit(s->slots, s->form))
        return blm_fail(why, BLM_E_ARG, "slots=%g: must be %s", slots,
                        s->form ? "4 with form=sorted" : "1, 2, 4 or 8");
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: cuckoo stores one fingerprint per key; omit hashes",
                        wish->hashes);
    return blm_cuckoo_size(s, wish, why);
}

blm_err blm_cuckoo_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_cuckoo *s = (blm_cuckoo *)f;
    const unsigned grown = s->doublings, width = s->width;
    if (!cuckoo_slots_fit(s->slots, s->form) || width < BLM_CUCKOO_LEAST + grown ||
        s->buckets > (UINT64_C(1) << 62) >> width ||
        s->buckets > (UINT64_C(1) << BLM_CUCKOO_ACROSS) >> grown)
        return blm_fail(
            why, BLM_E_ARG,
            "%llu buckets of %u slots of %u bits, grown %u times: no such table is possible",
            (unsigned long long)s->buckets, s->slots, width, grown);
    s->range = s->buckets << width;
    s->now = blm_prints_of(2, s->buckets << grown, s->slots, width - grown, 0);
    s->wide = s->form ? 4 * s->now.low - 4 : s->slots * s->now.low;
    if (s->used > blm_prints_cells(&s->now) || s->different > s->used || s->pairs > s->different)
        return blm_fail(why, BLM_E_ARG, "more slots or fingerprints are in use than there are");
    if (s->twins) f->can &= ~((uint32_t)BLM_DEL | (uint32_t)BLM_COUNT);
    *bytes = blm_packed_bytes(2 * s->now.across, s->wide);
    return BLM_OK;
}

static uint64_t cuckoo_most(const blm_filter *f)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    return s->twins ? 1 : 2 * (uint64_t)s->slots;
}

/* ---- operations ------------------------------------------------------------------------------------ */

static inline void cuckoo_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const blm_cuckoo_place x = blm_cuckoo_find(s, blm_cuckoo_print(s, h));
    blm_cuckoo_fetch(s, x.at[0]);
    blm_cuckoo_fetch(s, x.at[1]);
}

BLM_PREFETCH(cuckoo)

static inline unsigned cuckoo_times(const blm_filter *f, blm_hash h)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const blm_cuckoo_place x = blm_cuckoo_find(s, blm_cuckoo_print(s, h));
    return blm_cuckoo_times(s, &x);
}

static bool cuckoo_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)it;
    return cuckoo_times(f, h) > 0;
}

static blm_err cuckoo_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_cuckoo *s = (blm_cuckoo *)f;
    const blm_cuckoo_place x = blm_cuckoo_find(s, blm_cuckoo_print(s, h));
    (void)it;
    return blm_cuckoo_put(s, &x, blm_cuckoo_see(s, x.at[0], x.rest),
                          blm_cuckoo_see(s, x.at[1], x.rest), fresh);
}

static blm_err cuckoo_full(const blm_filter *f, blm_hash h, const blm_item *it, blm_report *why)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const unsigned times = cuckoo_times(f, h);
    (void)it;
    if (times == 2u * s->slots)
        return blm_fail(why, BLM_E_FULL,
                        "no room: the key is in the set %u times, in all %u slots of its two "
                        "buckets; use twins=once where copies do not count",
                        times, times);
    return blm_fail(why, BLM_E_FULL,
                    "no room: %llu of %llu slots are in use, and no fingerprint can make room for "
                    "the key; grow the filter, or build it for more keys",
                    (unsigned long long)s->used, (unsigned long long)blm_prints_cells(&s->now));
}

static inline blm_err cuckoo_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_cuckoo *s = (blm_cuckoo *)f;
    const blm_cuckoo_place x = blm_cuckoo_find(s, blm_cuckoo_print(s, h));
    (void)it;
    return blm_cuckoo_take(s, &x);
}

BLM_BATCH_DEL(cuckoo, cuckoo_prefetch)

/* Never below the truth; above it by the keys of the same fingerprint. */
static inline blm_err cuckoo_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                   blm_estimate *n)
{
    const double times = cuckoo_times(f, h);
    (void)it;
    *n = (blm_estimate){times, 0, times, false};
    return BLM_OK;
}

BLM_BATCH_COUNT(cuckoo, cuckoo_prefetch)

static size_t cuckoo_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                           size_t cap)
{
    const blm_cuckoo *s = (const blm_cuckoo *)f;
    const blm_cuckoo_place x = blm_cuckoo_find(s, blm_cuckoo_print(s, h));
    const unsigned slots = s->slots, places = 2 * slots;
    (void)it;
    for (unsigned i = 0; i < places && i < cap; i++) {
        const uint64_t bucket = x.at[i / slots];
        const uint64_t from = s->form ? blm_cuckoo_sorted_bit(s, bucket, i % slots)
                                      : blm_cuckoo_bit(s, bucket, i % slots);
        out[i] =
            (blm_touch){bucket * slots + i % slots, from / 8, blm_cuckoo_get(s, bucket, i % slots)};
    }
    return places;
}

static blm_err cuckoo_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_cuckoo *s = (blm_cuckoo *)f;
    const blm_cuckoo *other = (const blm_cuckoo *)g;
    const unsigned mine = s->doublings, theirs = other->doublings;
    return blm_cuckoo_rebuild(s, other, mine > theirs ? mine : theirs, why);
}

static uint64_t cuckoo_room(const blm_filter *f)
{
    return blm_doubled(f->capacity, ((const blm_cuckoo *)f)->doublings);
}

/* The numbers stay as many. Where rests have no bit to lose, or crowds of keys would have one fingerprint, new slots would
 * be room for no key. */
static blm_err cuckoo_grow(blm_filter *f, blm_report *why)
{
    blm_cuckoo *s = (blm_cuckoo *)f;
    const uint64_t twice = 2 * blm_capacity_now(f);
    if (s->now.low == BLM_CUCKOO_LEAST ||
        blm_cuckoo_crowds(twice, (double)s->range, s->slots) > 1e-3)
        return blm_fail(why, BLM_E_FULL,
                        "grown %u times: %llu keys would share %llu fingerprints, whose number is "
                        "fixed; build a filter for more keys",
                        s->doublings, (unsigned long long)twice, (unsigned long long)s->range);
    return blm_cuckoo_rebuild(s, NULL, s->doublings + 1u, why);
}

const blm_kind blm_kind_cuckoo = {
    .name = "cuckoo",
    .group = "fingerprints",
    .version = 1,
    .size = sizeof(blm_cuckoo),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW,
    .copies = true,
    .fields = cuckoo_fields,
    .nfields = BLM_LEN(cuckoo_fields),
    .knobs = cuckoo_knobs,
    .nknobs = BLM_LEN(cuckoo_knobs),
    .plan = cuckoo_plan,
    .shape = blm_cuckoo_shape,
    .check = blm_cuckoo_check,
    .fpr = blm_cuckoo_fpr,
    .lines = blm_cuckoo_lines,
    .fill = blm_cuckoo_fill,
    .max_count = cuckoo_most,
    .touch = cuckoo_touch,
    .has = cuckoo_has,
    .add = cuckoo_add,
    .full = cuckoo_full,
    .prefetch_many = cuckoo_prefetch_many,
    .has_many = blm_cuckoo_has_many,
    .add_many = blm_cuckoo_add_many,
    .del_many = cuckoo_del_many,
    .del = cuckoo_del,
    .count_many = cuckoo_count_many,
    .count = cuckoo_count,
    .merge = cuckoo_merge,
    .grow = cuckoo_grow,
    .room = cuckoo_room,
    .list = blm_cuckoo_list,
    .keys = blm_cuckoo_keys,
};

/* multilayer.c - counters that take one bit for each time they count.
 *
 * QUESTION  Is the key in a set that also shrinks? And how often was it added?
 *
 * PICTURE   A counter of v is v ones and a zero. Bit t of all counters is layer t; layer 0 is a standard filter.
 *
 *              counters     0 1 0 2 1 0 2
 *              layer 0      0 1 0 1 1 0 1         7 bits: has() looks here, and nowhere else
 *              layer 1        0   1 0   1         one bit for each 1 above
 *              layer 2            0     0         13 bits in all: 7 counters + their sum, 6
 *
 *           add goes down to the counter's zero, makes it a one, and puts a zero into the next layer; delete does the
 *           opposite. Which bit of the next layer is a counter's own is how many ones lie before it. Ones are
 *           counted, and bits are moved, within groups of 256 counters: the lower layers of up to 16 groups lie in a page of
 *           some hundred bytes.
 *
 * COST      m counters that sum up to s are m + s bits; lengths and free room in the pages add a tenth. 15.9 bits per key
 *           at 1 %, 23.9 at 0.1 %, 47.9 at 10^-6, where counting takes 38, 58 and 115. has is as fast as that of standard. add and
 *           del also count ones and move the rest of a page: 0.35 us, 4 times as long as for counting one by one, and 13 times
 *           as long in batches.
 *           The plan has room for each of its keys once. Each further copy of a key takes k bits, which come from the free room
 *           of its pages. When a page is full, all pages grow by an eighth: the filter is copied, for a moment there are
 *           both, and after that it takes more memory than was planned. If there is no memory, the add fails with
 *           BLM_E_NOMEM. A filter that has grown has lost the promise del_exact: deletes restore the counters, but the pages stay
 *           large. Merging an empty filter makes them as small as they can be. A counter that reaches 64 is stuck there for ever, and
 *           has lost count.
 *
 * CHOOSE    multilayer when keys are deleted, memory matters, and has is called far more often than add. Choose dleft (18.7 bits
 *           at 1 %) or counting when adds must be fast; counting or spectral when most keys come several times, because their memory
 *           does not grow; spectral when keys come more than 63 times. Delete only keys that were added: deleting a
 *           non-member that is a false positive cannot be detected, and may make other keys disappear.
 *
 * PAPER     Ficara, Giordano, Procissi, Vitucci: MultiLayer Compressed Counting Bloom Filters, INFOCOM 2008. At k = m/n ln 2
 *           this is Huffman's code of the counters: 1.693 bits each, and their entropy is 1.586. Their layers are one array each,
 *           so that an add moves a whole layer; ours moves a page. Their layers that are found by a hash instead of a rank
 *           are left out. Zeros take one bit here, so fewer hashes cost less: 4 for 1 %, where standard has 7.
 */
#include <inttypes.h>
#include <math.h>

#include "cells.h"
#include "core/one.h"
#include "parts/anywhere.h"
#include "parts/counters.h"
#include "parts/staged.h"

static const blm_field multilayer_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, MULTILAYER_MAX, "m, the number of counters"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, counters per key"),
    BLM_FIELD(blm_multilayer, spare, BLM_F_SHAPE, 1, MULTILAYER_SPARE, "words of a page at first"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, MULTILAYER_MAX, "counters above zero"),
    BLM_FIELD(blm_multilayer, sum, BLM_F_STATE, 0, MULTILAYER_SUM,
              "sum of all counters: cells + sum - stuck bits are in use"),
    BLM_FIELD(blm_multilayer, stuck, BLM_F_STATE, 0, MULTILAYER_MAX, "counters that are stuck"),
    BLM_FIELD(blm_multilayer, pool, BLM_F_STATE, 0, BLM_POOL_STEPS,
              "how often the pages have grown"),
};

static blm_err multilayer_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_multilayer *c = (blm_multilayer *)f;
    const uint64_t m = c->flat.cells;
    *bytes = 0;
    if (c->flat.ones > m || c->stuck > c->flat.ones || c->sum < c->flat.ones ||
        c->sum > c->flat.ones * MULTILAYER_TOP)
        return blm_fail(why, BLM_E_ARG,
                        "%" PRIu64 " counters are in use, %" PRIu64
                        " are stuck, and their sum is %" PRIu64 ": not possible",
                        c->flat.ones, c->stuck, c->sum);
    c->pages = blm_multilayer_pages(m, c->spare, c->pool, bytes);
    return BLM_OK;
}

static uint64_t multilayer_max(const blm_filter *f)
{
    (void)f;
    return MULTILAYER_TOP - 1;
}

/* Copies take memory, not room. */
static uint64_t multilayer_room(const blm_filter *f) { return f->capacity; }

/* ---- operations -------------------------------------------------------------------------- */

BLM_PREFETCH(blm_anywhere)

static inline void multilayer_prefetch_all(const blm_filter *f, blm_hash h) /* for an add */
{
    const blm_multilayer *c = (const blm_multilayer *)f;
    for (unsigned i = 0; i < c->flat.hashes && i < 16; i++)
        blm_multilayer_fetch(c, blm_place(h, i, c->flat.cells));
}

/* The counters of a key, no two of them the same. */
static inline blm_multilayer_key multilayer_find(const blm_multilayer *c, blm_hash h)
{
    blm_multilayer_key key;
    for (unsigned i = 0; i < c->flat.hashes; i++) key.at[i] = blm_place(h, i, c->flat.cells);
    key.n = blm_counters_distinct(key.at, c->flat.hashes);
    return key;
}

/* One growth is enough for all counters of a key. */
static inline blm_err multilayer_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_multilayer *c = (blm_multilayer *)f;
    const uint64_t ones = c->flat.ones;
    const blm_multilayer_key key = multilayer_find(c, h);
    (void)it;
    if (!blm_multilayer_room(c, &key)) {
        const blm_err err = blm_multilayer_grow(c);
        if (err) return err;
    }
    for (unsigned i = 0; i < key.n; i++) blm_multilayer_raise(c, key.at[i]);
    if (c->stuck) f->lost |= BLM_DEL_EXACT;
    *fresh = c->flat.ones > ones;
    return BLM_OK;
}

static inline blm_err multilayer_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_multilayer *c = (blm_multilayer *)f;
    if (!blm_anywhere_has(f, h, it)) return BLM_E_ABSENT;
    const blm_multilayer_key key = multilayer_find(c, h);
    for (unsigned i = 0; i < key.n; i++) blm_multilayer_lower(c, key.at[i]);
    return BLM_OK;
}

/* The smallest is never below the truth, unless it is stuck. */
static inline blm_err multilayer_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                       blm_estimate *n)
{
    const blm_multilayer *c = (const blm_multilayer *)f;
    unsigned min = MULTILAYER_TOP;
    (void)it;
    for (unsigned i = 0; i < c->flat.hashes && min; i++) {
        const unsigned v = blm_multilayer_value(c, blm_place(h, i, c->flat.cells));
        min = v < min ? v : min;
    }
    const bool stuck = min == MULTILAYER_TOP;
    *n = (blm_estimate){min, 0, stuck ? (double)INFINITY : min, stuck};
    return BLM_OK;
}

BLM_BATCH_ADD(multilayer, multilayer_prefetch_all)
BLM_BATCH_DEL(multilayer, multilayer_prefetch_all)
BLM_BATCH_COUNT(multilayer, multilayer_prefetch_all)

/* A question looks at layer 0 alone; an add may need memory, and takes the long way. */
static bool multilayer_one_has(const blm_filter *f, const void *key, size_t len)
{
    const blm_hash h = {key || !len ? blm_xxh3_any(key, len, f->seed) : 0, 0};
    return (key || !len) && blm_anywhere_has(f, h, NULL);
}

static bool multilayer_one_has_u64(const blm_filter *f, uint64_t key)
{
    const blm_hash h = {blm_xxh3_u64(blm_xxh3_flip(f->seed), key), 0};
    return blm_anywhere_has(f, h, NULL);
}

static const blm_one *multilayer_one(const blm_filter *f)
{
    static const blm_one rows = {multilayer_one_has, multilayer_one_has_u64, blm_any_add,
                                 blm_any_add_u64};
    (void)f;
    return &rows;
}

const blm_kind blm_kind_multilayer = {
    .name = "multilayer",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_multilayer),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT,
    .superseded = true,
    .fields = multilayer_fields,
    .nfields = BLM_LEN(multilayer_fields),
    .plan = blm_multilayer_plan,
    .shape = multilayer_shape,
    .check = blm_multilayer_check,
    .fpr = blm_flat_fpr,
    .lines = blm_flat_lines,
    .fill = blm_flat_fill,
    .max_count = multilayer_max,
    .touch = blm_flat_touch,
    .has = blm_anywhere_has,
    .add = multilayer_add,
    .one = multilayer_one,
    .prefetch_many = blm_anywhere_prefetch_many,
    .has_many = blm_staged_has_many,
    .has_u64 = blm_staged_has_u64,
    .add_many = multilayer_add_many,
    .del_many = multilayer_del_many,
    .count_many = multilayer_count_many,
    .del = multilayer_del,
    .count = multilayer_count,
    .merge = blm_multilayer_merge,
    .room = multilayer_room,
    .keys = blm_flat_size,
};

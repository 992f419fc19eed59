/* deletable.c - a Bloom filter from which many keys can be deleted again.
 *
 * QUESTION  Is the key in the set, if some members leave again, and there is no memory for counters?
 *
 * PICTURE   The bits are cut into regions, and each region has one bit that says: here two keys have met.
 *
 *             regions      | .1..1. | 1..... | .11.1. | ...1.. |      data, m - r bits
 *             collisions   |   0    |   1    |   0    |   0    |      r bits, one a region
 *
 *           add sets k bits; where one was set already, its region becomes a collision region, for ever. del clears
 *           the bits of the key in the other regions: they are its own. If it has none there, the answer is
 *           BLM_E_UNSURE, nothing changes, and the key stays. After BLM_OK has() says no.
 *
 * COST      A twentieth more bits than standard (10.1 per key at 1 %), at the same rate; has does not read the
 *           collisions. More regions let more of the members leave; the last columns are the shares that can be deleted
 *           from a filter that is full, or half full:
 *
 *             regions               bits per key at 1 %   full   half     at 0.1 %   full   half
 *             m / 20 (the default)        10.1            12 %   88 %       15.1     22 %   97 %
 *             m / 10                      10.7            57 %   98.5 %     16.0     75 %   99.8 %
 *             m / 5                       12.0            90 %   99.8 %     18.0     97 %   100 %
 *             m / 2                       19.2            99 %   100 %      28.8     99.9 % 100 %
 *
 *           regions=R is a number: 2.5 for each key make m / 5 at 1 %. A region has (m - R) / R bits, rounded up.
 *           Bits that a delete leaves in collision regions stay set, and collisions are never forgotten: with many
 *           changes, less and less can be deleted, until the filter is cleared or built anew.
 *
 * CHOOSE    deletable if few keys leave, or the filter is rarely full, and it may keep those that it cannot delete. If
 *           every member must be deletable, choose dleft (17 bits per key at 1 %) or counting; if none leaves, standard or
 *           blocked. A key that is added again can no longer be deleted: its own bits are set. Adding such a key
 *           "because it is there already" must not be left out: it may be there by chance, and then vanish with the
 *           keys that it shares its bits with. Delete only keys that were added.
 *
 * PAPER     Rothenberg, Macapuna, Verdi, Magalhaes: The deletable Bloom filter, IEEE Communications Letters 14(6), 2010.
 *           Its share of deletable members overestimates (43 % where 28 % is measured): it forgets that in the
 *           member's own region one hit is enough. Merges are our addition: where both filters have a bit, two keys
 *           have met.
 */
#include <bloomery/theory/deletable.h>
#include <math.h>

#include "core/kind.h"
#include "core/one.h"
#include "parts/anywhere.h"
#include "parts/staged.h"

typedef struct blm_deletable {
    blm_flat flat;              /* its cells are the data                                  */
    uint64_t regions, collided; /* r; how many of them are collision regions               */
    uint64_t size, inverse;     /* bits of a region, and 2^64 over that, by shape          */
} blm_deletable;

static const blm_field deletable_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "bits of data, m - r"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_deletable, regions, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "r, collision bits"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits of data that are one"),
    BLM_FIELD(blm_deletable, collided, BLM_F_STATE, 0, UINT64_C(1) << 60, "collision regions"),
};

static const blm_knobdef deletable_knobs[] = {
    {"regions", "collision bits, at most half of all bits; without it a 20th of them", BLM_K_NUMBER,
     .def = 0, .min = 1, .max = 0x1p53},
};

/* ---- shape ----------------------------------------------------------------------------- */

static blm_err deletable_regions(blm_deletable *d, const blm_knobs *knobs, uint64_t twentieth,
                                 uint64_t max, blm_report *why)
{
    const double given = knobs->num[0];
    if (knobs->text[0] && given != floor(given))
        return blm_fail(why, BLM_E_ARG, "regions=%g: must be a whole number", given);
    d->regions = knobs->text[0] ? (uint64_t)given : twentieth;
    if (d->regions > max)
        return blm_fail(why, BLM_E_ARG,
                        "regions=%llu: must be from 1 to %llu, as a region has at least one bit",
                        (unsigned long long)d->regions, (unsigned long long)max);
    return BLM_OK;
}

static blm_err deletable_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                              blm_report *why)
{
    blm_deletable *d = (blm_deletable *)f;
    blm_config data = *wish;
    blm_err err = BLM_OK;
    if (wish->bits == 1)
        return blm_fail(why, BLM_E_ARG, "bits 1: deletable has at least 2, one for collisions");
    if (wish->bits) err = deletable_regions(d, knobs, (wish->bits + 19) / 20, wish->bits / 2, why);
    if (wish->bits && !err) data.bits -= d->regions;
    if (!err) err = blm_flat_plan(f, &data, knobs, why);
    if (!err && !wish->bits)
        err = deletable_regions(d, knobs, (d->flat.cells + 18) / 19, d->flat.cells, why);
    return err;
}

static blm_err deletable_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_deletable *d = (blm_deletable *)f;
    const uint64_t m = d->flat.cells;
    if (d->regions > m || d->collided > d->regions)
        return blm_fail(why, BLM_E_ARG, "more regions than bits, or more collisions than regions");
    d->size = m / d->regions + (m % d->regions != 0);
    d->inverse = UINT64_MAX / d->size;
    const blm_err err = blm_flat_shape(f, bytes, why);
    *bytes = blm_bits_bytes(m + d->regions);
    return err;
}

static blm_err deletable_check(const blm_filter *f, blm_report *why)
{
    const blm_deletable *d = (const blm_deletable *)f;
    const uint64_t m = d->flat.cells;
    if (blm_bits_count_in(f->cells, m, d->regions) != d->collided)
        return blm_fail(why, BLM_E_IMAGE,
                        "damaged: the number of collisions differs from its field");
    return blm_bits_check(f, m + d->regions, d->flat.ones + d->collided, why);
}

/* Of filters from which nothing has left; what leaves takes no collision with it. */
static double deletable_deletes(const blm_filter *f, const blm_case *c)
{
    const blm_deletable *d = (const blm_deletable *)f;
    blm_estimate now = {0, 0, 0, false};
    if (!c) blm_flat_size(f, &now);
    const uint64_t keys = c ? c->keys : (uint64_t)fmin(now.value, 0x1p56);
    return keys ? blm_deletable_share(d->flat.cells, d->flat.hashes, keys, d->regions) : 1;
}

/* ---- operations ------------------------------------------------------------------------- */

/* The collision bit of the region that has bit `at`. The high word is at / size or one less: both are below 2^60. */
static inline uint64_t deletable_mark(const blm_deletable *d, uint64_t at)
{
    const uint64_t region = blm_reduce(at, d->inverse);
    return d->flat.cells + region + (at - region * d->size >= d->size);
}

/* What an add or a delete reads and writes; more than 16 would leave the cache before their turn. */
static inline void deletable_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_deletable *d = (const blm_deletable *)f;
    for (unsigned i = 0; i < d->flat.hashes && i < 16; i++) {
        const uint64_t at = blm_place(h, i, d->flat.cells);
        blm_fetch(f->cells + at / 8);
        blm_fetch(f->cells + deletable_mark(d, at) / 8);
    }
}

/* Where the key's bits are; returns which of them are one, all read before one is written: a key that meets itself is no
 * collision. */
static inline uint64_t deletable_find(const blm_filter *f, blm_hash h, uint64_t at[64])
{
    const blm_flat *s = (const blm_flat *)f;
    uint64_t ones = 0;
    for (unsigned i = 0; i < s->hashes; i++) {
        at[i] = blm_place(h, i, s->cells);
        ones |= (uint64_t)blm_bit_get(f->cells, at[i]) << i;
    }
    return ones;
}

/* Also of a key that has() takes for a member: it may be none, and must not go when others go. */
static inline blm_err deletable_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_deletable *d = (blm_deletable *)f;
    uint64_t at[64], ones = 0;
    const uint64_t met = deletable_find(f, h, at);
    (void)it;
    for (unsigned i = 0; i < d->flat.hashes; i++)
        if (met >> i & 1)
            d->collided += blm_bit_set(f->cells, deletable_mark(d, at[i]));
        else
            ones += blm_bit_set(f->cells, at[i]);
    d->flat.ones += ones;
    *fresh = ones > 0;
    return BLM_OK;
}

static inline blm_err deletable_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_deletable *d = (blm_deletable *)f;
    const unsigned k = d->flat.hashes;
    uint64_t at[64], gone = 0;
    (void)it;
    if (blm_ones_of(deletable_find(f, h, at)) != k) return BLM_E_ABSENT;
    for (unsigned i = 0; i < k; i++)
        if (!blm_bit_get(f->cells, deletable_mark(d, at[i])))
            gone += blm_bit_clear(f->cells, at[i]);
    d->flat.ones -= gone;
    return gone ? BLM_OK : BLM_E_UNSURE;
}

#define deletable_prefetch blm_anywhere_prefetch
#define deletable_has      blm_anywhere_has
BLM_PREFETCH(deletable)
BLM_BATCH_ADD(deletable, deletable_prefetch_all)
BLM_BATCH_DEL(deletable, deletable_prefetch_all)
BLM_ONE_OF(deletable)

/* Is a bit from `from` to `end` - 1 set in both? */
static bool deletable_meet(const uint8_t *a, const uint8_t *b, uint64_t from, uint64_t end)
{
    uint64_t both = 0;
    for (uint64_t next; from < end && !both; from = next) { /* up to the end of each word */
        const uint64_t word = from / 64 * 8;
        next = (from / 64 + 1) * 64;
        both = (blm_le64(a + word) & blm_le64(b + word)) >> from % 64 << from % 64;
        if (next > end) both &= (UINT64_C(1) << end % 64) - 1;
    }
    return both != 0;
}

/* As if all keys of both had been added to one: a bit of both has been hit twice. */
static blm_err deletable_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_deletable *d = (blm_deletable *)f;
    const uint64_t m = d->flat.cells;
    (void)why;
    for (uint64_t i = 0, from = 0; from < m; i++, from += d->size) {
        const uint64_t end = m - from > d->size ? from + d->size : m;
        if (deletable_meet(f->cells, g->cells, from, end)) blm_bit_set(f->cells, m + i);
    }
    const uint64_t ones = blm_bits_or(f->cells, g->cells, f->bytes);
    d->collided = blm_bits_count_in(f->cells, m, d->regions);
    d->flat.ones = ones - d->collided;
    return BLM_OK;
}

static blm_err deletable_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    blm_deletable *d = (blm_deletable *)f;
    uint64_t ones = 0;
    const blm_err err = blm_bits_adopt(f, cells, d->flat.cells + d->regions, &ones, why);
    if (err) return err;
    d->collided = blm_bits_count_in(f->cells, d->flat.cells, d->regions);
    d->flat.ones = ones - d->collided;
    return BLM_OK;
}

const blm_kind blm_kind_deletable = {
    .name = "deletable",
    .group = "growing",
    .version = 1,
    .size = sizeof(blm_deletable),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_MERGE_EXACT,
    .fields = deletable_fields,
    .nfields = BLM_LEN(deletable_fields),
    .knobs = deletable_knobs,
    .nknobs = BLM_LEN(deletable_knobs),
    .plan = deletable_plan,
    .shape = deletable_shape,
    .check = deletable_check,
    .fpr = blm_flat_fpr,
    .lines = blm_flat_lines,
    .deletes = deletable_deletes,
    .fill = blm_flat_fill,
    .touch = blm_flat_touch,
    .has = blm_anywhere_has,
    .add = deletable_add,
    .one = deletable_one,
    .prefetch_many = deletable_prefetch_many,
    .has_many = blm_staged_has_many,
    .has_u64 = blm_staged_has_u64,
    .add_many = deletable_add_many,
    .del_many = deletable_del_many,
    .del = deletable_del,
    .merge = deletable_merge,
    .keys = blm_flat_size,
    .adopt = deletable_adopt,
};

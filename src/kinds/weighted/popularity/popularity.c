/* popularity.c - a standard filter in which keys that are asked for often have more hashes, each key by itself.
 *
 * QUESTION  Is the key in the set, if it is known how often single keys are asked for, and how often they are members?
 *
 * PICTURE   The bits of standard, and a table of the keys that matter most, from two lists that come with the members:
 *
 *                 asked, held     table (of hashes, not of keys)             bits
 *                 plum 900  2     0x1c39f02: k = 14      plum  14 places   |.1..1.1....11.|
 *                 fig    3 40     0x05be117: k = 4       fig    4 places   |..1..1...1....|
 *                                 all others: k = 7      kiwi   7 places
 *
 *           A key that shares the 26 bits of an entry has its k in add and in has alike: no member is missed.
 *
 * COST      The bits of standard, and on top of them, also where the bits are given, 8 bytes per entry and 0.5 KiB.
 *           Example: 8 bits per key for 100,000 keys (100 KB), queries by Zipf's law over ten times as many keys.
 *           Standard has 2.16 %; here it is 1.04 % with 1024 entries (8 KiB), 0.85 % with 4096, 0.67 % with 16384. A query
 *           reads one more cache line, that of its entry: misses take 55 ns in batches where standard takes 30.
 *           The k of all entries take 0.1 s or less to find.
 *
 * CHOOSE    popularity when a log says which keys are asked for without being there: caches that share their
 *           indexes, search by keywords. The builder makes the table (lists `asked` and `held`, key and count), and it stays:
 *           keys may come later, and have the k of their hash. The reported rate is that of the listed queries: with a log
 *           of 200,000 of them over 10,000 keys it was 4 % too high. Omit `held` if it comes from few sets: counts of 30 sets
 *           with a tenth of the keys each are mostly chance, and made the rate 19 % worse. For up to 16 classes that can be seen in
 *           the key choose weighted, which needs no table. Without lists it is standard.
 *
 * PAPER     Zhong, Lu, Shen, Seiferas: Optimizing data popularity conscious Bloom filters, PODC 2008. Its two approximations
 *           come with guarantees that we have not checked, and are not here. Ours is the real solution (as in weighted),
 *           rounded, and then single steps and pairs of steps for as long as one lowers the rate: of 398 problems
 *           of 3 to 5 keys 395 ended at the best k, by brute force, and the worst 0.15 % above; there is no guarantee.
 */
#include <bloomery/theory.h>
#include <math.h>
#include <string.h>

#include "core/kind.h"
#include "core/one.h"
#include "head.h"
#include "parts/classed_each.h"
#include "parts/staged.h"

static const blm_field popularity_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key, without lists"),
    BLM_FIELD(blm_popularity, head, BLM_F_SHAPE, 0, HEAD_MAX, "keys of the table at most"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
    BLM_FIELD(blm_popularity, tail, BLM_F_STATE, 0, 64,
              "k of keys that are not in the table; 0: there is no table"),
    BLM_FIELD(blm_popularity, named, BLM_F_STATE, 0, HEAD_MAX, "keys for which the table has room"),
    BLM_FIELD(blm_popularity, mean, BLM_F_STATE, 0, 64 << 16, "k of a mean member, in 2^-16"),
};

static const blm_knobdef popularity_knobs[] = {
    {"head", "keys at most that have a k of their own", BLM_K_NUMBER, .def = 1024, .min = 0,
     .max = HEAD_MAX},
};

static const blm_listdef popularity_lists[] = {
    {"asked", "keys, and how often each was asked for without being a member", true, BLM_AGAIN_SUM},
    {"held", "keys, and how often each was a member; empty: all alike", true, BLM_AGAIN_SUM},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err popularity_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                               blm_report *why)
{
    blm_popularity *p = (blm_popularity *)f;
    if (knobs->num[0] != floor(knobs->num[0]))
        return blm_fail(why, BLM_E_ARG, "head=%g: must be a whole number from 0 to %d",
                        knobs->num[0], HEAD_MAX);
    p->head = (uint32_t)knobs->num[0];
    return blm_flat_plan(f, wish, knobs, why);
}

static blm_err popularity_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_popularity *p = (const blm_popularity *)f;
    if (p->named > p->head || (p->tail ? p->mean < 1 << 16 : p->named || p->mean))
        return blm_fail(why, BLM_E_ARG, "the fields of the table contradict each other");
    const blm_err err = blm_flat_shape(f, bytes, why);
    if (p->tail) *bytes = blm_head_bytes(p);
    if (p->tail) f->can &= ~(uint32_t)BLM_OVERLAP; /* which keys are in common? */
    return err;
}

/* Without cells of its own: blm_clear() then takes a filter as planned, without a table. */
static blm_err popularity_start(blm_filter *f, blm_report *why)
{
    (void)f, (void)why;
    return BLM_OK;
}

static blm_err popularity_check(const blm_filter *f, blm_report *why)
{
    const blm_popularity *p = (const blm_popularity *)f;
    const uint64_t bits = blm_bits_bytes(p->flat.cells);
    if (!blm_bits_tail_zero(f->cells, bits, p->flat.cells))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last one is set");
    if (blm_bits_count(f->cells, bits) != p->flat.ones)
        return blm_fail(why, BLM_E_IMAGE, "damaged: the number of ones differs from its field");
    if (!blm_head_fits(p))
        return blm_fail(why, BLM_E_IMAGE, "damaged: tail=%u is not the k that the table leaves out",
                        p->tail);
    return BLM_OK;
}

static double popularity_mean(const blm_popularity *p)
{
    return p->tail ? (double)p->mean / 65536 : p->flat.hashes;
}

static blm_rate popularity_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_popularity *p = (const blm_popularity *)f;
    blm_class level[HEAD_LEVELS];
    const size_t n = blm_head_table(p, level);
    if (c) return blm_classes_fpr(level, n, p->flat.cells, c->keys, popularity_mean(p));
    const double now = blm_classes_fpr_now(level, n, blm_flat_fill(f));
    return (blm_rate){now, now, 0};
}

/* And that of the entry. */
static double popularity_lines(const blm_filter *f, const blm_case *c)
{
    const blm_popularity *p = (const blm_popularity *)f;
    blm_class level[HEAD_LEVELS];
    const size_t n = blm_head_table(p, level);
    const uint64_t throws = c ? (uint64_t)(popularity_mean(p) * (double)c->keys) : 0;
    const double fill =
        c ? blm_fill_mean(p->flat.cells, 1, throws) / (double)p->flat.cells : blm_flat_fill(f);
    return (p->named > 0) + blm_classes_lines(level, n, fill);
}

static blm_err popularity_keys(const blm_filter *f, blm_estimate *keys)
{
    const blm_popularity *p = (const blm_popularity *)f;
    blm_class level[HEAD_LEVELS];
    if (!p->tail) return blm_flat_size(f, keys);
    *keys = blm_classes_keys(level, blm_head_table(p, level), p->flat.cells, p->flat.ones,
                             popularity_mean(p));
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static inline void popularity_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_popularity *p = (const blm_popularity *)f;
    if (p->named) blm_fetch(f->cells + blm_head_bucket(p, blm_head_word(h)));
    blm_classed_prefetch(f->cells, p->flat.cells, h);
}

static inline bool popularity_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_popularity *p = (const blm_popularity *)f;
    (void)it;
    return blm_classed_has(f->cells, p->flat.cells, h, blm_head_k(p, h));
}

static inline blm_err popularity_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_popularity *p = (blm_popularity *)f;
    (void)it;
    const unsigned set = blm_classed_put(f->cells, p->flat.cells, h, blm_head_k(p, h));
    p->flat.ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

static inline unsigned popularity_k_of(const blm_filter *f, blm_hash h, uint64_t arg)
{
    (void)arg;
    return blm_head_k((const blm_popularity *)f, h);
}

BLM_PREFETCH(popularity)
BLM_CLASSED_CALLS(popularity)
BLM_ONE_OF(popularity)

/* Without a table: as standard's. */
static void popularity_has_all(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                               size_t more, uint8_t *yes)
{
    const bool table = ((const blm_popularity *)f)->tail;
    (table ? popularity_has_each : blm_staged_has_many)(f, h, a, n, more, yes);
}

static blm_err popularity_add_all(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                  size_t more, uint8_t *fresh, size_t *done)
{
    const bool table = ((const blm_popularity *)f)->tail;
    return (table ? popularity_add_each : blm_staged_add_many)(f, h, a, n, more, fresh, done);
}

static size_t popularity_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                               size_t cap)
{
    const blm_popularity *p = (const blm_popularity *)f;
    const unsigned k = blm_head_k(p, h);
    (void)it;
    for (unsigned i = 0; i < k && i < cap; i++)
        out[i] = blm_flat_look(f, blm_place(h, i, p->flat.cells));
    return k;
}

/* ---- whole filters ------------------------------------------------------------------------ */

static blm_err popularity_build(blm_filter *f, const blm_rows *lists, blm_report *why)
{
    blm_hash h[256];
    size_t now, done;
    const blm_err err = blm_head_build(f, &lists[1], &lists[2], why);
    if (err) return err;
    for (size_t at = 0; at < lists[0].n; at += now) {
        now = lists[0].n - at < BLM_LEN(h) ? lists[0].n - at : BLM_LEN(h);
        for (size_t i = 0; i < now; i++) h[i] = blm_row_hash(&lists[0], at + i);
        popularity_add_all(f, h, NULL, now, 0, NULL, &done);
    }
    return BLM_OK;
}

static blm_err popularity_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_popularity *p = (blm_popularity *)f;
    if (!blm_head_same(f, g))
        return blm_fail(why, BLM_E_MISMATCH,
                        "the tables of hashes per key differ: build both with the same lists, "
                        "keys and bits");
    p->flat.ones = blm_bits_or(f->cells, g->cells, blm_bits_bytes(p->flat.cells));
    return BLM_OK;
}

static blm_err popularity_intersect(blm_filter *f, const blm_filter *g)
{
    blm_popularity *p = (blm_popularity *)f;
    if (!blm_head_same(f, g)) return BLM_E_MISMATCH;
    p->flat.ones = blm_bits_and(f->cells, g->cells, blm_bits_bytes(p->flat.cells));
    return BLM_OK;
}

static void popularity_fold(blm_filter *half, const blm_filter *f)
{
    blm_popularity *p = (blm_popularity *)half;
    const blm_popularity *q = (const blm_popularity *)f;
    p->flat.ones = blm_bits_fold(half->cells, blm_bits_bytes(p->flat.cells), f->cells,
                                 blm_bits_bytes(q->flat.cells));
    if (p->tail)
        memcpy(half->cells + blm_head_levels_at(p), f->cells + blm_head_levels_at(q),
               (size_t)(half->bytes - blm_head_levels_at(p)));
}

const blm_kind blm_kind_popularity = {
    .name = "popularity",
    .group = "weighted",
    .version = 1,
    .size = sizeof(blm_popularity),
    .superseded = true, /* standard does as much where nobody says what is asked for */
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = popularity_fields,
    .nfields = BLM_LEN(popularity_fields),
    .knobs = popularity_knobs,
    .nknobs = BLM_LEN(popularity_knobs),
    .lists = popularity_lists,
    .nlists = BLM_LEN(popularity_lists),
    .plan = popularity_plan,
    .shape = popularity_shape,
    .start = popularity_start,
    .check = popularity_check,
    .fpr = popularity_fpr,
    .lines = popularity_lines,
    .fill = blm_flat_fill,
    .touch = popularity_touch,
    .has = popularity_has,
    .add = popularity_add,
    .one = popularity_one,
    .prefetch_many = popularity_prefetch_many,
    .has_many = popularity_has_all,
    .add_many = popularity_add_all,
    .build = popularity_build,
    .merge = popularity_merge,
    .intersect = popularity_intersect,
    .half = blm_flat_half,
    .fold = popularity_fold,
    .keys = popularity_keys,
    .overlap = blm_flat_overlap_one,
};

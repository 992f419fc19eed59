/* weighted.c - a standard filter whose keys have as many hashes as their class deserves.
 *
 * QUESTION  Is the key in the set, if some classes of keys are asked for more often than others?
 *
 * PICTURE   The bits of standard. The class that comes with a key says how many of its places count, always the first ones:
 *
 *                asked 99 %, 1 % of the keys:  k = 17  |..1..1....1....1.1...11..1.|
 *                asked  1 %, 99 % of the keys: k = 5   |..1.......1....1...........|
 *
 *           Twice the queries buy a class one more hash, twice the members one less. The table is made with the filter
 *           (knobs asked, size, held), is part of its shape, and holds for add and has alike.
 *
 * COST      At most the bits of standard. If 1 % of the keys get 99 % of the queries, 8 bits per key have 0.024 % instead of
 *           2.16 %, 90 times less; with queries by Zipf's law over ten times as many keys as members, in 14
 *           classes, 0.60 %, 3.6 times less. Or fewer bits: 0.1 % takes 5.0 bits per key for "asked=99:1 size=1:99" instead of
 *           14.4. A non-member costs 2 cache lines, a member as many as its class has hashes, up to 64.
 *
 * CHOOSE    weighted when a key's class can be seen in the key (its type, its site, a prefix), and the shares of the
 *           classes in the queries are known and differ from their shares in the keys by 2 or more. The promised rate is the
 *           mean over the queries: a class that is rarely asked for may have a far worse one, and blm_fpr() reports each.
 *           Ask for a key with the class that it was added with: asked with a class of more hashes, a member may
 *           be missed. If queries shift, the mean can become worse than standard's. If the counts of single keys are
 *           known, choose popularity. With one class, or equal ones, it is standard.
 *
 * PAPER     Bruck, Gao, Jiang: Weighted Bloom filter, ISIT 2006. k = (m/n) ln 2 + log2 r - mean of log2 r, with r the share of the
 *           queries for non-members by the share of the members. That is a real number: we keep it from 1 to 64, round it,
 *           and then take single steps and pairs of steps (one class up, one down) until none lowers the rate.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "core/kind.h"
#include "parts/classed_each.h"
#include "parts/staged.h"
#include "parts/wish.h"
#include "table.h"

#define WEIGHTED_FIELD(member, i, hi, text)                                                        \
    {                                                                                              \
        .name = #member #i, .doc = text, .at = offsetof(blm_weighted, member[i]),                  \
        .width = sizeof(((blm_weighted *)0)->member[i]), .flags = BLM_F_SHAPE, .since = 1,         \
        .min = 0, .max = hi                                                                        \
    }
#define WEIGHTED_CLASS(i)                                                                          \
    WEIGHTED_FIELD(k, i, 64, "bits per key of this class; 0: no such class"),                      \
        WEIGHTED_FIELD(asked, i, UINT32_MAX, "its share of the queries, in 2^-32"),                \
        WEIGHTED_FIELD(held, i, UINT32_MAX, "its share of the members, in 2^-32")

static const blm_field weighted_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k of a mean member, rounded"),
    BLM_FIELD(blm_weighted, classes, BLM_F_SHAPE, 1, WEIGHTED_CLASSES, "how many classes"),
    WEIGHTED_CLASS(0),
    WEIGHTED_CLASS(1),
    WEIGHTED_CLASS(2),
    WEIGHTED_CLASS(3),
    WEIGHTED_CLASS(4),
    WEIGHTED_CLASS(5),
    WEIGHTED_CLASS(6),
    WEIGHTED_CLASS(7),
    WEIGHTED_CLASS(8),
    WEIGHTED_CLASS(9),
    WEIGHTED_CLASS(10),
    WEIGHTED_CLASS(11),
    WEIGHTED_CLASS(12),
    WEIGHTED_CLASS(13),
    WEIGHTED_CLASS(14),
    WEIGHTED_CLASS(15),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

static const blm_knobdef weighted_knobs[] = {
    [WEIGHTED_ASKED] = {"asked",
                        "share of the queries for each class, such as 99:1; default: as size",
                        BLM_K_NUMBERS, .def = 0},
    [WEIGHTED_SIZE] = {"size", "keys of each class, members or not, in any unit; default: equal",
                       BLM_K_NUMBERS, .def = 0},
    [WEIGHTED_HELD] = {"held", "chance that a key of each class is a member; default: equal",
                       BLM_K_NUMBERS, .def = 0},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_rate weighted_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_weighted *w = (const blm_weighted *)f;
    blm_class all[WEIGHTED_CLASSES];
    const size_t n = blm_weighted_table(w, all);
    const double mean = blm_classes_mean(all, n);
    if (c && c->arg < n) return blm_classes_fpr(&all[c->arg], 1, w->flat.cells, c->keys, mean);
    if (c) return blm_classes_fpr(all, n, w->flat.cells, c->keys, mean);
    const double now = blm_classes_fpr_now(all, n, blm_flat_fill(f));
    return (blm_rate){now, now, 0};
}

static double weighted_rate_at(blm_weighted *w, uint64_t cells, const blm_config *wish)
{
    const blm_case full = {.keys = wish->keys, .arg = BLM_NO_ARG};
    blm_weighted_choose(w, cells, wish->keys, wish->hashes);
    return weighted_fpr(&w->flat.base, &full).high;
}

/* The fewest bits that keep the rate: fewer than standard's, but for what rounding takes. */
static blm_err weighted_shrink(blm_weighted *w, const blm_config *wish, blm_report *why)
{
    const uint64_t max = UINT64_C(1) << 60;
    uint64_t low = 0, high = w->flat.cells;
    while (weighted_rate_at(w, high, wish) > wish->fpr) {
        if (high >= max) return blm_wish_beyond(wish, "2^60 bits or 64 hashes", why);
        low = high;
        high += high / 8 + 1;
    }
    while (high - low > 1 && high - low > high / 8192) {
        const uint64_t middle = low + (high - low) / 2;
        *(weighted_rate_at(w, middle, wish) > wish->fpr ? &low : &high) = middle;
    }
    const uint64_t cells = blm_foldable(high, UINT64_C(1) << 20);
    if (weighted_rate_at(w, cells, wish) > wish->fpr) weighted_rate_at(w, high, wish);
    return BLM_OK;
}

static blm_err weighted_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_weighted *w = (blm_weighted *)f;
    blm_class c[WEIGHTED_CLASSES];
    blm_err err = blm_weighted_read(w, knobs->text, why);
    if (err) return err;
    blm_weighted_flatten(w, 1);
    const bool alike = blm_classes_alike(c, blm_weighted_table(w, c));
    err = blm_flat_plan(f, wish, knobs, why);
    if (err) return err;
    if (!alike && !wish->bits) return weighted_shrink(w, wish, why);
    if (alike)
        blm_weighted_flatten(w, w->flat.hashes);
    else
        blm_weighted_choose(w, w->flat.cells, wish->keys ? wish->keys : 1, wish->hashes);
    return BLM_OK;
}

static blm_err weighted_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_weighted *w = (const blm_weighted *)f;
    if (!blm_weighted_sound(w))
        return blm_fail(why, BLM_E_ARG, "the table of classes contradicts itself");
    if (!blm_weighted_even(w)) f->can &= ~(uint32_t)BLM_OVERLAP; /* which keys are in common? */
    return blm_flat_shape(f, bytes, why);
}

static void weighted_args(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    *min = 0;
    *max = ((const blm_weighted *)f)->classes - 1u;
}

static double weighted_lines(const blm_filter *f, const blm_case *c)
{
    const blm_weighted *w = (const blm_weighted *)f;
    blm_class all[WEIGHTED_CLASSES];
    const size_t n = blm_weighted_table(w, all);
    const uint64_t throws = c ? (uint64_t)(blm_classes_mean(all, n) * (double)c->keys) : 0;
    const double fill =
        c ? blm_fill_mean(w->flat.cells, 1, throws) / (double)w->flat.cells : blm_flat_fill(f);
    if (c && c->arg < n) return blm_classes_lines(&all[c->arg], 1, fill);
    return blm_classes_lines(all, n, fill);
}

static blm_err weighted_keys(const blm_filter *f, blm_estimate *keys)
{
    const blm_weighted *w = (const blm_weighted *)f;
    blm_class all[WEIGHTED_CLASSES];
    const size_t n = blm_weighted_table(w, all);
    if (blm_weighted_even(w)) return blm_flat_size(f, keys);
    *keys = blm_classes_keys(all, n, w->flat.cells, w->flat.ones, blm_classes_mean(all, n));
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

/* Core has refused classes that there are not; a key without one is of class 0. */
static inline unsigned weighted_k_of(const blm_filter *f, blm_hash h, uint64_t class)
{
    (void)h;
    return ((const blm_weighted *)f)->k[class != BLM_NO_ARG ? class % WEIGHTED_CLASSES : 0];
}
static inline unsigned weighted_k(const blm_filter *f, const blm_item *it)
{
    return weighted_k_of(f, it->h, it->arg);
}

static inline void weighted_prefetch(const blm_filter *f, blm_hash h)
{
    blm_classed_prefetch(f->cells, ((const blm_flat *)f)->cells, h);
}

static inline bool weighted_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return blm_classed_has(f->cells, ((const blm_flat *)f)->cells, h, weighted_k(f, it));
}

static inline blm_err weighted_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_flat *s = (blm_flat *)f;
    const unsigned set = blm_classed_put(f->cells, s->cells, h, weighted_k(f, it));
    s->ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

BLM_PREFETCH(weighted)
BLM_CLASSED_CALLS(weighted)

/* Of one k: as standard's. */
static void weighted_has_all(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *yes)
{
    const bool even = blm_weighted_even((const blm_weighted *)f);
    (even ? blm_staged_has_many : weighted_has_each)(f, h, a, n, more, yes);
}

static blm_err weighted_add_all(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                size_t more, uint8_t *fresh, size_t *done)
{
    const bool even = blm_weighted_even((const blm_weighted *)f);
    return (even ? blm_staged_add_many : weighted_add_each)(f, h, a, n, more, fresh, done);
}

static size_t weighted_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    const unsigned k = weighted_k(f, it);
    for (unsigned i = 0; i < k && i < cap; i++)
        out[i] = blm_flat_look(f, blm_place(h, i, ((const blm_flat *)f)->cells));
    return k;
}

const blm_kind blm_kind_weighted = {
    .name = "weighted",
    .group = "weighted",
    .version = 1,
    .size = sizeof(blm_weighted),
    .superseded = true, /* standard does as much where nobody says what is asked for */
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = weighted_fields,
    .nfields = BLM_LEN(weighted_fields),
    .knobs = weighted_knobs,
    .nknobs = BLM_LEN(weighted_knobs),
    .arg = {"class", "the class of the key, which decides its hashes; the same in add and has", 0,
            0, WEIGHTED_CLASSES - 1, BLM_AGAIN_EACH},
    .args = weighted_args,
    .plan = weighted_plan,
    .shape = weighted_shape,
    .check = blm_flat_check,
    .fpr = weighted_fpr,
    .lines = weighted_lines,
    .fill = blm_flat_fill,
    .touch = weighted_touch,
    .has = weighted_has,
    .add = weighted_add,
    .prefetch_many = weighted_prefetch_many,
    .has_many = weighted_has_all,
    .add_many = weighted_add_all,
    .merge = blm_flat_merge,
    .intersect = blm_flat_intersect,
    .half = blm_flat_half,
    .fold = blm_flat_fold,
    .keys = weighted_keys,
    .overlap = blm_flat_overlap_one,
    .adopt = blm_flat_adopt,
};

/* standard.c - the Bloom filter of 1970.
 *
 * QUESTION  Is the key in the set? "No" is certain, "maybe" is wrong at a rate that you choose.
 *
 * PICTURE   k probes choose k of m bits; add sets them, has asks whether all are set.
 *
 *                 h0          h1                 h2
 *                  v           v                  v
 *              +---+---+---+---+---+---+---+---+---+
 *              | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 0 | 1 |      m bits, about half of them ones
 *              +---+---+---+---+---+---+---+---+---+      when n = capacity
 *
 *           Each probe has a mixed word of its own; bits past m are zero.
 *
 * COST      1.44 log2(1/p) bits a key: 9.6 at 1 %, 14.4 at 0.1 %, 28.8 at 10^-6, and k = log2(1/p)
 *           probes. has stops at the first zero: 2 cache lines for a stranger, k for a member.
 *
 * CHOOSE    it when filters are joined, cut, folded or compared (union, intersection, fold, overlap
 *           and size estimates are exact or sharp here), or below 10^-4, where blocked costs a
 *           third more. Not when speed counts (blocked: one cache line), nor when keys leave
 *           (counting).
 *
 * PAPER     Bloom: Space/time trade-offs in hash coding with allowable errors, CACM 13(7), 1970. Rates are
 *           the exact ones (Bose et al. 2008; Christensen et al. 2010), not (1 - e^(-kn/m))^k, which is
 *           too low: by 2 % at m = 256. Sizes from fill: Papapetrou et al., DPD 28, 2010.
 */
#include <bloomery/theory.h>

#include "core/kind.h"
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/flat.h"
#include "parts/probe.h"

static const blm_field standard_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits a key"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err standard_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_flat *s = (blm_flat *)f;
    unsigned k = wish->hashes;
    (void)knobs;
    if (wish->bits) {
        s->cells = wish->bits;
        if (!k) k = blm_best_hashes(s->cells, wish->keys);
    } else {
        if (!blm_size_for(wish->keys, wish->fpr, k, true, &s->cells, &k))
            return blm_fail(why, BLM_E_ARG,
                            "%.4g keys at fpr %.3g want more than 2^60 bits or 64 hashes",
                            (double)wish->keys, wish->fpr);
        s->cells = blm_foldable(s->cells, UINT64_C(1) << 20);
    }
    s->hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_rate standard_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_flat *s = (const blm_flat *)f;
    const double p = c ? blm_rate_exact(s->cells, s->hashes, c->keys)
                       : blm_rate_from_fill(s->ones, s->cells, s->hashes);
    return (blm_rate){p, p, c ? blm_rate_sd(s->cells, s->hashes, c->keys) : 0};
}

static double standard_lines(const blm_filter *f, const blm_case *c)
{
    const blm_flat *s = (const blm_flat *)f;
    const double ones = c ? blm_fill_mean(s->cells, s->hashes, c->keys) : (double)s->ones;
    return blm_probes_to_reject(ones / (double)s->cells, s->hashes);
}

static blm_flat_throws standard_throws(const blm_filter *f)
{
    const blm_flat *s = (const blm_flat *)f;
    return (blm_flat_throws){s->cells, s->hashes, 1};
}

static blm_err standard_keys(const blm_filter *f, blm_estimate *n)
{
    *n = blm_flat_keys(standard_throws(f), ((const blm_flat *)f)->ones);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

/* The first two probes: a stranger is rejected after 2 on average. */
static inline void standard_near(const blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    blm_fetch(f->cells + blm_place(h, 0, s->cells) / 8);
    blm_fetch(f->cells + blm_place(h, 1, s->cells) / 8);
}

static inline bool standard_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_flat *s = (const blm_flat *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes; i++)
        if (!blm_bit_get(f->cells, blm_place(h, i, s->cells))) return false;
    return true;
}

static inline blm_err standard_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_flat *s = (blm_flat *)f;
    uint8_t *cells = f->cells; /* in registers: a byte that is written could be any of the fields */
    const uint64_t m = s->cells;
    const unsigned k = s->hashes;
    uint64_t set = 0;
    (void)it;
    for (unsigned i = 0; i < k; i++) set += blm_bit_set(cells, blm_place(h, i, m));
    s->ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

BLM_NEAR(standard)

/* A batch goes group by group; the probes of the next group are found, kept and fetched while those of this one
 * are read. How many: two, of which 3 of 4 strangers do not see the end; the keys that come through have the rest
 * fetched, and are read to the end one group later. Or all, when most keys of the group before came through: they are
 * members. No branch depends on a bit. */
enum { FIRST = 2, GROUP = BLM_AHEAD, HASHES_MOST = 64 };

typedef struct group {
    uint64_t at[HASHES_MOST][GROUP]; /* the probes of its keys */
    unsigned found;                  /* so many of each key    */
    const blm_hash *h;
    uint8_t *yes;
    size_t left; /* keys that came through, and have more probes to read */
    uint8_t key[GROUP];
} group;

static inline void standard_find(const blm_flat *s, group *g, size_t i, unsigned from, unsigned to)
{
    const blm_hash h = g->h[i];
    for (unsigned j = from; j < to; j++) {
        g->at[j][i] = blm_place(h, j, s->cells);
        blm_fetch(s->base.cells + g->at[j][i] / 8);
    }
}

static inline unsigned standard_read(const blm_flat *s, const group *g, size_t i, unsigned from,
                                     unsigned to)
{
    const uint8_t *cells = s->base.cells;
    unsigned all = 1;
    for (unsigned j = from; j < to; j++) {
        const uint64_t at = g->at[j][i];
        all &= (unsigned)(blm_le64(cells + at / 64 * 8) >> at % 64) & 1;
    }
    return all;
}

/* Reads `some` probes of each of n keys, finds as many of the next group's; returns how many came through. */
static size_t standard_some(const blm_flat *s, group *g, size_t n, group *then, size_t next,
                            unsigned some)
{
    size_t through = 0;
    for (size_t i = 0; g->found < some && i < n; i++) standard_find(s, g, i, g->found, some);
    for (size_t i = 0; i < n; i++) {
        if (i < next) standard_find(s, then, i, 0, some);
        const unsigned all = standard_read(s, g, i, 0, some);
        g->yes[i] = (uint8_t)all;
        g->key[through] = (uint8_t)i;
        through += all;
    }
    for (size_t i = n; i < next; i++) standard_find(s, then, i, 0, some);
    for (size_t i = 0; some < s->hashes && i < through; i++)
        standard_find(s, g, g->key[i], some, s->hashes);
    g->left = some < s->hashes ? through : 0;
    g->found = then->found = some;
    return through;
}

static void standard_rest(const blm_flat *s, group *g)
{
    for (size_t i = 0; i < g->left; i++)
        g->yes[g->key[i]] = (uint8_t)standard_read(s, g, g->key[i], g->found, s->hashes);
    g->left = 0;
}

static void standard_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *yes)
{
    const blm_flat *s = (const blm_flat *)f;
    const unsigned all = s->hashes, first = all < FIRST ? all : FIRST;
    group room[3], *before = &room[0], *now = &room[1], *then = &room[2];
    bool members = false;
    (void)a;
    before->left = now->left = now->found = 0;
    for (size_t at = 0; at < n; at += GROUP) {
        const size_t here = n - at < GROUP ? n - at : GROUP, behind = n - at - here + more;
        now->h = h + at, now->yes = yes + at, then->h = h + at + here;
        const size_t through = standard_some(s, now, here, then, behind < GROUP ? behind : GROUP,
                                             members ? all : first);
        standard_rest(s, before);
        members = through > here / 2;
        group *last = before;
        before = now, now = then, then = last;
    }
    standard_rest(s, before);
}

/* An add reads and writes all its bits: all are found and fetched a group ahead. */
static inline unsigned standard_set(uint8_t *cells, const group *g, size_t i, unsigned k)
{
    unsigned set = 0;
    for (unsigned j = 0; j < k; j++) set += blm_bit_set(cells, g->at[j][i]);
    return set;
}

static blm_err standard_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                 size_t more, uint8_t *fresh, size_t *done)
{
    blm_flat *s = (blm_flat *)f;
    const unsigned k = s->hashes;
    group room[2], *now = &room[0], *then = &room[1];
    uint64_t ones = 0;
    (void)a, (void)more;
    now->h = h;
    for (size_t i = 0; i < n && i < GROUP; i++) standard_find(s, now, i, 0, k);
    for (size_t at = 0; at < n; at += GROUP) {
        const size_t here = n - at < GROUP ? n - at : GROUP, behind = n - at - here;
        then->h = h + at + here;
        for (size_t i = 0; i < here; i++) {
            if (i < behind) standard_find(s, then, i, 0, k);
            const unsigned set = standard_set(f->cells, now, i, k);
            ones += set;
            if (fresh) fresh[at + i] = set > 0;
        }
        group *last = now;
        now = then, then = last;
    }
    s->ones += ones;
    *done = n;
    return BLM_OK;
}

static inline unsigned standard_put_shared(blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    unsigned set = 0;
    for (unsigned i = 0; i < s->hashes; i++)
        set += blm_bit_set_shared(f->cells, blm_place(h, i, s->cells));
    return set;
}

BLM_BATCH_SHARED(standard, blm_flat)

static size_t standard_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    const blm_flat *s = (const blm_flat *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes && i < cap; i++)
        out[i] = blm_flat_look(f, blm_place(h, i, s->cells));
    return s->hashes;
}

static blm_err standard_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    *out = blm_flat_overlap(standard_throws(f), f, g);
    return BLM_OK;
}

const blm_kind blm_kind_standard = {
    .name = "standard",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_flat),
    .needs = BLM_N_HASH64 | BLM_N_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = standard_fields,
    .nfields = BLM_LEN(standard_fields),
    .plan = standard_plan,
    .shape = blm_flat_shape,
    .check = blm_flat_check,
    .fpr = standard_fpr,
    .lines = standard_lines,
    .fill = blm_flat_fill,
    .touch = standard_touch,
    .has = standard_has,
    .add = standard_add,
    .near_many = standard_near_many,
    .has_many = standard_has_many,
    .add_many = standard_add_many,
    .add_shared = standard_add_shared,
    .merge = blm_flat_merge,
    .intersect = blm_flat_intersect,
    .half = blm_flat_half,
    .fold = blm_flat_fold,
    .keys = standard_keys,
    .overlap = standard_overlap,
    .adopt = blm_flat_adopt,
};

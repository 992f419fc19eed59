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
#include <math.h>
#include <string.h>

#include "core/kind.h"
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/overlap.h"
#include "parts/probe.h"

typedef struct blm_standard {
    blm_filter base;
    uint64_t cells; /* m */
    uint64_t ones;
    uint8_t hashes; /* k */
} blm_standard;

static const blm_field standard_fields[] = {
    BLM_FIELD(blm_standard, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_standard, hashes, BLM_F_SHAPE, 1, 64, "k, bits a key"),
    BLM_FIELD(blm_standard, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err standard_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_standard *s = (blm_standard *)f;
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

static blm_err standard_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_standard *s = (const blm_standard *)f;
    if (s->ones > s->cells) return blm_fail(why, BLM_E_ARG, "more bits are one than there are");
    *bytes = blm_bits_bytes(s->cells);
    return BLM_OK;
}

static blm_err standard_check(const blm_filter *f, blm_report *why)
{
    const blm_standard *s = (const blm_standard *)f;
    if (!blm_bits_tail_zero(f->cells, f->bytes, s->cells))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last one is set");
    return blm_bits_count(f->cells, f->bytes) == s->ones
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: the number of ones differs from its field");
}

static blm_rate standard_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_standard *s = (const blm_standard *)f;
    const double p = c ? blm_rate_exact(s->cells, s->hashes, c->keys)
                       : blm_rate_from_fill(s->ones, s->cells, s->hashes);
    return (blm_rate){p, p, c ? blm_rate_sd(s->cells, s->hashes, c->keys) : 0};
}

static double standard_lines(const blm_filter *f, const blm_case *c)
{
    const blm_standard *s = (const blm_standard *)f;
    const double ones = c ? blm_fill_mean(s->cells, s->hashes, c->keys) : (double)s->ones;
    return blm_probes_to_reject(ones / (double)s->cells, s->hashes);
}

static double standard_fill(const blm_filter *f)
{
    const blm_standard *s = (const blm_standard *)f;
    return (double)s->ones / (double)s->cells;
}

static blm_estimate standard_size_of(const blm_standard *s, uint64_t ones)
{
    if (ones > s->cells) ones = s->cells; /* unchecked bytes may have bits past the last one */
    const bool full = ones == s->cells;   /* then only a lower bound is known: one bit fewer */
    const double n = blm_keys_from_fill(ones - full, s->cells, s->hashes);
    const double sd = blm_keys_sd(s->cells, s->hashes, (uint64_t)n);
    return (blm_estimate){n, fmax(0, n - sd), n + sd, full};
}

static blm_err standard_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_standard *s = (const blm_standard *)f;
    *n = standard_size_of(s, s->ones);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

/* The first two probes: a stranger is rejected after 2 on average. */
static inline void standard_near(const blm_filter *f, blm_hash h)
{
    const blm_standard *s = (const blm_standard *)f;
    __builtin_prefetch(f->cells + blm_place(h, 0, s->cells) / 8);
    __builtin_prefetch(f->cells + blm_place(h, 1, s->cells) / 8);
}

static inline bool standard_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_standard *s = (const blm_standard *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes; i++)
        if (!blm_bit_get(f->cells, blm_place(h, i, s->cells))) return false;
    return true;
}

static inline blm_err standard_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_standard *s = (blm_standard *)f;
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

/* A batch, group by group, in one of two forms, since neither is best for both members and strangers.
 *
 *   strangers   the first two probes of a group are read: 3 of 4 keys go no further. The others have all their
 *               probes fetched, and are read to the end one group later
 *   members     all probes of the next group are found, kept and fetched while this group's are read
 *
 * No branch depends on a bit; the form depends on how many of the group before came through. */
enum { FIRST = 2, GROUP = BLM_AHEAD, KEPT = 16 };

typedef struct survivors {
    size_t n;
    uint8_t key[GROUP]; /* its place in the group */
} survivors;

typedef struct probes {
    uint64_t at[GROUP][KEPT];
} probes;

static inline unsigned standard_bit(const blm_standard *s, uint64_t at)
{
    return (unsigned)(blm_le64(s->base.cells + at / 64 * 8) >> at % 64) & 1;
}

static inline unsigned standard_all(const blm_standard *s, blm_hash h, unsigned from, unsigned to)
{
    unsigned all = 1;
    for (unsigned i = from; i < to; i++) all &= standard_bit(s, blm_place(h, i, s->cells));
    return all;
}

static inline void standard_find(const blm_standard *s, blm_hash h, uint64_t at[KEPT])
{
    for (unsigned i = 0; i < s->hashes; i++) {
        at[i] = blm_place(h, i, s->cells);
        __builtin_prefetch(s->base.cells + at[i] / 8);
    }
}

static inline unsigned standard_read(const blm_standard *s, const uint64_t at[KEPT])
{
    unsigned all = 1;
    for (unsigned i = 0; i < s->hashes; i++) all &= standard_bit(s, at[i]);
    return all;
}

static size_t standard_members(const blm_standard *s, const blm_hash *h, size_t n, size_t next,
                               const probes *now, probes *then, uint8_t *yes)
{
    size_t sum = 0;
    for (size_t i = 0; i < n || i < next; i++) {
        if (i < next) standard_find(s, h[n + i], then->at[i]);
        if (i < n) sum += yes[i] = (uint8_t)standard_read(s, now->at[i]);
    }
    return sum;
}

static size_t standard_first(const blm_standard *s, const blm_hash *h, size_t n, size_t next,
                             survivors *left, uint8_t *yes)
{
    const unsigned first = s->hashes < FIRST ? s->hashes : FIRST;
    left->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (i < next) standard_near(&s->base, h[n + i]);
        yes[i] = 0;
        left->key[left->n] = (uint8_t)i;
        left->n += standard_all(s, h[i], 0, first);
    }
    for (size_t i = 0; i < left->n; i++)
        for (unsigned j = first; j < s->hashes; j++)
            __builtin_prefetch(s->base.cells + blm_place(h[left->key[i]], j, s->cells) / 8);
    return left->n;
}

static void standard_rest(const blm_standard *s, const blm_hash *h, survivors *left, uint8_t *yes)
{
    for (size_t i = 0; i < left->n; i++)
        yes[left->key[i]] = (uint8_t)standard_all(s, h[left->key[i]], FIRST, s->hashes);
    left->n = 0;
}

static void standard_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *yes)
{
    const blm_standard *s = (const blm_standard *)f;
    survivors left[2] = {{.n = 0}, {.n = 0}};
    probes found[2];
    size_t last = 0;
    unsigned now = 0;
    bool members = false, ready = false; /* ready: this group's probes are in found[now] */
    (void)a;
    for (size_t at = 0; at < n; at += GROUP, now ^= 1) {
        const size_t group = n - at < GROUP ? n - at : GROUP, behind = n - at - group + more,
                     next = behind < GROUP ? behind : GROUP;
        size_t through;
        for (size_t i = 0; members && !ready && i < group; i++)
            standard_find(s, h[at + i], found[now].at[i]);
        if (members)
            through =
                standard_members(s, h + at, group, next, &found[now], &found[now ^ 1], yes + at);
        else
            through = standard_first(s, h + at, group, next, &left[now], yes + at);
        standard_rest(s, h + last, &left[now ^ 1], yes + last);
        ready = members;
        members = through > group / 2 && s->hashes <= KEPT;
        last = at;
    }
    standard_rest(s, h + last, &left[now ^ 1], yes + last);
}

/* An add reads and writes all its bits: all are fetched. */
static inline void standard_fetch(const blm_standard *s, blm_hash h)
{
    for (unsigned i = 0; i < s->hashes; i++)
        __builtin_prefetch(s->base.cells + blm_place(h, i, s->cells) / 8, 1);
}

static blm_err standard_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                 size_t more, uint8_t *fresh, size_t *done)
{
    enum { AHEAD = BLM_AHEAD / 2 };
    const blm_standard *s = (const blm_standard *)f;
    (void)a;
    for (size_t i = 0; i < n + more && i < AHEAD; i++) standard_fetch(s, h[i]);
    for (size_t i = 0; i < n; i++) {
        bool was_new = false;
        if (i + AHEAD < n + more) standard_fetch(s, h[i + AHEAD]);
        standard_add(f, h[i], NULL, &was_new);
        if (fresh) fresh[i] = was_new;
    }
    *done = n;
    return BLM_OK;
}

static inline unsigned standard_put_shared(blm_filter *f, blm_hash h)
{
    const blm_standard *s = (const blm_standard *)f;
    unsigned set = 0;
    for (unsigned i = 0; i < s->hashes; i++)
        set += blm_bit_set_shared(f->cells, blm_place(h, i, s->cells));
    return set;
}

BLM_BATCH_SHARED(standard, blm_standard)

static size_t standard_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    const blm_standard *s = (const blm_standard *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes && i < cap; i++) {
        const uint64_t at = blm_place(h, i, s->cells);
        out[i] = (blm_touch){at, at / 8, blm_bit_get(f->cells, at)};
    }
    return s->hashes;
}

static blm_err standard_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    (void)why;
    ((blm_standard *)f)->ones = blm_bits_or(f->cells, g->cells, f->bytes);
    return BLM_OK;
}

static blm_err standard_intersect(blm_filter *f, const blm_filter *g)
{
    ((blm_standard *)f)->ones = blm_bits_and(f->cells, g->cells, f->bytes);
    return BLM_OK;
}

static blm_err standard_half(blm_filter *half, blm_report *why)
{
    blm_standard *s = (blm_standard *)half;
    if (s->cells % 2)
        return blm_fail(why, BLM_E_ARG, "%llu bits cannot be folded: the number is odd",
                        (unsigned long long)s->cells);
    s->cells /= 2;
    s->ones = 0;
    return BLM_OK;
}

static void standard_fold(blm_filter *half, const blm_filter *f)
{
    ((blm_standard *)half)->ones = blm_bits_fold(half->cells, half->bytes, f->cells, f->bytes);
}

static blm_err standard_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    blm_standard *s = (blm_standard *)f;
    if (!blm_bits_tail_zero(cells, f->bytes, s->cells))
        return blm_fail(why, BLM_E_ARG, "a bit past the last one is set");
    memcpy(f->cells, cells, (size_t)f->bytes);
    s->ones = blm_bits_count(f->cells, f->bytes);
    return BLM_OK;
}

static blm_err standard_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    const blm_standard *a = (const blm_standard *)f, *b = (const blm_standard *)g;
    const blm_bits_pair p = blm_bits_compare(f->cells, g->cells, f->bytes);
    *out = blm_overlap_sizes(standard_size_of(a, a->ones), standard_size_of(b, b->ones),
                             standard_size_of(a, p.either), &p);
    const uint64_t x = (uint64_t)out->a.value, y = (uint64_t)out->b.value,
                   z = (uint64_t)out->common.value;
    blm_overlap_spread(out, blm_keys_common_sd(a->cells, a->hashes, x, y, z),
                       blm_jaccard_sd(a->cells, a->hashes, x, y, z));
    return BLM_OK;
}

const blm_kind blm_kind_standard = {
    .name = "standard",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_standard),
    .needs = BLM_N_HASH64 | BLM_N_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = standard_fields,
    .nfields = BLM_LEN(standard_fields),
    .plan = standard_plan,
    .shape = standard_shape,
    .check = standard_check,
    .fpr = standard_fpr,
    .lines = standard_lines,
    .fill = standard_fill,
    .touch = standard_touch,
    .has = standard_has,
    .add = standard_add,
    .near_many = standard_near_many,
    .has_many = standard_has_many,
    .add_many = standard_add_many,
    .add_shared = standard_add_shared,
    .merge = standard_merge,
    .intersect = standard_intersect,
    .half = standard_half,
    .fold = standard_fold,
    .keys = standard_keys,
    .overlap = standard_overlap,
    .adopt = standard_adopt,
};

/* retouched.c - a standard filter from which known false positives are removed.
 *
 * QUESTION  Is the key in the set, and not one of these keys that must not pass? "No" is then no longer certain.
 *
 * PICTURE   The bits of standard. For each unwanted key that passes, the builder clears one of its bits:
 *
 *                  unwanted key:   v           v                   v
 *                                +---+---+---+---+---+---+---+---+---+
 *                                | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 0 | 1 |
 *                                +---+---+---+---+---+---+---+---+---+
 *              members of the bit  3           1                   2
 *              unwanted that need  2           4                   1      ratio clears the middle one: 1 / 4
 *
 *           All unwanted keys of that bit are now rejected, and all its members are missed from then on.
 *
 * COST      The bits and probes of standard: 9.6 bits per key at 1 %, 14.4 at 0.1 %. While building, the counts take
 *           another 8 bytes per bit (4 for fewest-misses and most-false, none for random). The price is missed members:
 *           with 10 bits per key, 5 hashes and a tenth of the false positives listed, ratio misses 0.7 members for each
 *           of them, 14 % in all, and removes 25 % of all false positives; random misses 20 %. With all of them listed,
 *           56 % are missed. Clearing `clear` ones at random costs as large a fraction of the members as of the false
 *           positives.
 *
 * CHOOSE    retouched when a few non-members are known beforehand, each of them hurts, and a missed member does not. If
 *           a "no" must be certain: adaptive and adaptive-cuckoo learn from denials without a miss, and standard
 *           with more bits has fewer false positives of all sorts. A denial clears a random one of the key's bits,
 *           because the filter no longer knows which keys use them: it is better to list the key in the next build.
 *
 * PAPER     Donnet, Baynat, Friedman: Retouched Bloom filters: allowing networked applications to trade off selected
 *           false positives against false negatives, CoNEXT 2006. Its RANDOM, MIN FN (fewest-misses), MAX FP (most-false)
 *           and RATIO. It leaves the order of the list open; ours is that of the hashes, so that the same keys give
 *           the same bytes. Ties go to the first probe. Unwanted keys of a bit are counted once, before any clearing.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "core/kind.h"
#include "retouch.h"
#include "parts/anywhere.h"
#include "parts/staged.h"

typedef struct blm_retouched {
    blm_flat flat;
    uint64_t clear;           /* ones that the build clears by chance                 */
    uint64_t built, missed;   /* members of the build, and how many of them it missed */
    uint64_t cleared, struck; /* bits that the build cleared, that denials cleared    */
    uint8_t method, dirty;    /* dirty: keys have come since a bit was cleared        */
} blm_retouched;

#define RETOUCH_MAX (UINT64_C(1) << 60)

static const blm_field retouched_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, RETOUCH_MAX, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_retouched, method, BLM_F_SHAPE, BLM_RETOUCH_RATIO, BLM_RETOUCH_MAX,
              "0 ratio, 1 random, 2 fewest-misses, 3 most-false"),
    BLM_FIELD(blm_retouched, clear, BLM_F_SHAPE, 0, RETOUCH_MAX,
              "ones that the build clears at random"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, RETOUCH_MAX, "bits that are one"),
    BLM_FIELD(blm_retouched, built, BLM_F_STATE, 0, RETOUCH_MAX, "members when it was built"),
    BLM_FIELD(blm_retouched, missed, BLM_F_STATE, 0, RETOUCH_MAX,
              "how many of these the filter misses"),
    BLM_FIELD(blm_retouched, cleared, BLM_F_STATE, 0, RETOUCH_MAX, "bits that the build cleared"),
    BLM_FIELD(blm_retouched, struck, BLM_F_STATE, 0, RETOUCH_MAX, "bits that denials cleared"),
    BLM_FIELD(blm_retouched, dirty, BLM_F_STATE, 0, 1,
              "1: keys were added after a bit was cleared, and may have set it again"),
};

enum { KNOB_METHOD, KNOB_CLEAR };
static const blm_knobdef retouched_knobs[] = {
    [KNOB_METHOD] = {"method", "which bit of an unwanted key the builder clears", BLM_K_WORD,
                     .def = BLM_RETOUCH_RATIO, .words = "ratio|random|fewest-misses|most-false"},
    [KNOB_CLEAR] = {"clear", "ones that the builder clears at random, before the unwanted keys",
                    BLM_K_NUMBER, .def = 0, .min = 0, .max = 0x1p53},
};

static const blm_listdef retouched_lists[] = {
    {"unwanted", "keys that must not pass; none may be a member", false, BLM_AGAIN_CONFLICT}};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err retouched_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                              blm_report *why)
{
    blm_retouched *s = (blm_retouched *)f;
    const double clear = knobs->num[KNOB_CLEAR];
    if (wish->fnr > 0)
        return blm_fail(
            why, BLM_E_ARG,
            "fnr %.3g: cannot be planned, because the misses depend on the unwanted keys; "
            "build the filter and read its fnr",
            wish->fnr);
    if (clear != floor(clear))
        return blm_fail(why, BLM_E_ARG, "clear=%g: must be a whole number of bits", clear);
    s->clear = (uint64_t)clear;
    s->method = (uint8_t)knobs->num[KNOB_METHOD];
    return blm_flat_plan(f, wish, knobs, why);
}

static blm_err retouched_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_retouched *s = (const blm_retouched *)f;
    if (s->missed > s->built)
        return blm_fail(why, BLM_E_ARG, "more members are missed than the filter was built with");
    if (s->clear && !s->built) f->can &= ~(uint32_t)BLM_ADD; /* the clearing is the builder's */
    return blm_flat_shape(f, bytes, why);
}

/* The chance that at least one of a key's k probes is among `some` of `all` ones. */
static double retouched_hit(const blm_retouched *s, double some, double all)
{
    return some < all ? -expm1(s->flat.hashes * log1p(-some / all)) : some > 0;
}

/* By the fields: as planned, and less by what `clear` takes. */
static blm_rate retouched_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_retouched *s = (const blm_retouched *)f;
    blm_rate r = blm_flat_fpr(f, c);
    if (c && s->clear)
        r.low *= 1 - retouched_hit(s, (double)s->clear,
                                   blm_fill_mean(s->flat.cells, s->flat.hashes, c->keys));
    return r;
}

/* Exact after a build. A key that comes later is not missed; a denial clears one of the bits at random, by the hash of
 * a non-member: then this is an upper bound of what to expect. */
static blm_rate retouched_fnr(const blm_filter *f, const blm_case *c)
{
    const blm_retouched *s = (const blm_retouched *)f;
    if (c && !s->built && !s->struck) { /* what the builder will do */
        const double ones = blm_fill_mean(s->flat.cells, s->flat.hashes, c->keys),
                     planned = c->keys ? retouched_hit(s, (double)s->clear, ones) : 0;
        return (blm_rate){planned, planned, 0};
    }
    const double share = s->built ? (double)s->missed / (double)s->built : 0;
    const double hit = retouched_hit(s, (double)s->struck, (double)(s->flat.ones + s->struck));
    return (blm_rate){s->dirty || s->struck ? 0 : share, fmin(1, share + hit), 0};
}

/* As if the cleared bits were still one, which they are not twice: keys that came later may have set them. */
static blm_err retouched_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_retouched *s = (const blm_retouched *)f;
    const blm_flat_throws all = {s->flat.cells, s->flat.hashes, 1};
    *n = blm_flat_keys(all, s->flat.ones + s->cleared + s->struck);
    if (s->dirty) n->low = fmin(n->low, blm_flat_keys(all, s->flat.ones).low);
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

#define retouched_prefetch blm_anywhere_prefetch
BLM_PREFETCH(retouched)

static blm_err retouched_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_retouched *s = (blm_retouched *)f;
    const uint64_t before = s->flat.ones;
    (void)it;
    for (unsigned i = 0; i < s->flat.hashes; i++)
        s->flat.ones += blm_bit_set(f->cells, blm_place(h, i, s->flat.cells));
    if (s->cleared || s->struck) s->dirty = 1;
    *fresh = s->flat.ones > before;
    return BLM_OK;
}

static blm_err retouched_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                  size_t more, uint8_t *fresh, size_t *done)
{
    blm_retouched *s = (blm_retouched *)f;
    if (n && (s->cleared || s->struck)) s->dirty = 1;
    return blm_staged_add_many(f, h, a, n, more, fresh, done);
}

static blm_err retouched_deny(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_retouched *s = (blm_retouched *)f;
    (void)it;
    blm_retouch_bit(f, blm_retouch_some(&s->flat, h));
    s->struck += s->struck < RETOUCH_MAX;
    f->lost |= BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT;
    return BLM_OK;
}

/* ---- whole filters ------------------------------------------------------------------------ */

/* In pieces: a batch takes hashes, and rows are columns. */
static void add_members(blm_filter *f, const blm_rows *r)
{
    blm_hash h[256];
    size_t now, done;
    for (size_t at = 0; at < r->n; at += now) {
        now = r->n - at < BLM_LEN(h) ? r->n - at : BLM_LEN(h);
        for (size_t i = 0; i < now; i++) h[i] = blm_row_hash(r, at + i);
        blm_staged_add_many(f, h, NULL, now, 0, NULL, &done);
    }
}

static blm_err retouched_build(blm_filter *f, const blm_rows *lists, blm_report *why)
{
    blm_retouched *s = (blm_retouched *)f;
    blm_err err = blm_retouch_apart(&lists[0], &lists[1], why);
    if (err) return err;
    add_members(f, &lists[0]);
    const uint64_t ones = s->flat.ones;
    if (s->clear > ones)
        return blm_fail(why, BLM_E_ARG, "clear=%llu: too many; only %llu bits are one",
                        (unsigned long long)s->clear, (unsigned long long)ones);
    blm_retouch_random(f, s->clear);
    err = blm_retouch_list(f, (blm_retouch_by)s->method, &lists[0], &lists[1], why);
    if (err) return err;
    s->cleared = ones - s->flat.ones;
    s->built = lists[0].n;
    for (size_t i = 0; i < lists[0].n; i++)
        s->missed += !blm_retouch_has(f, blm_row_hash(&lists[0], i), NULL);
    if (s->missed) f->lost |= BLM_NO_MISS | BLM_IDEMPOTENT;
    f->can |= BLM_ADD;
    return BLM_OK;
}

static uint64_t retouched_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Bits of the one come back by the other. Members of both are counted once: the share of missed ones is a bound. */
static blm_err retouched_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    blm_retouched *s = (blm_retouched *)f;
    const blm_retouched *t = (const blm_retouched *)g;
    if (t->built > s->built) s->built = t->built;
    s->missed = retouched_min(s->missed + t->missed, s->built);
    s->cleared = retouched_min(s->cleared + t->cleared, RETOUCH_MAX);
    s->struck = retouched_min(s->struck + t->struck, RETOUCH_MAX);
    s->dirty = s->dirty || t->dirty || s->cleared || s->struck;
    return blm_flat_merge(f, g, why);
}

const blm_kind blm_kind_retouched = {
    .name = "retouched",
    .group = "adaptive",
    .version = 1,
    .size = sizeof(blm_retouched),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = retouched_fields,
    .nfields = BLM_LEN(retouched_fields),
    .knobs = retouched_knobs,
    .nknobs = BLM_LEN(retouched_knobs),
    .lists = retouched_lists,
    .nlists = BLM_LEN(retouched_lists),
    .plan = retouched_plan,
    .shape = retouched_shape,
    .check = blm_flat_check,
    .fpr = retouched_fpr,
    .fnr = retouched_fnr,
    .lines = blm_flat_lines,
    .fill = blm_flat_fill,
    .touch = blm_flat_touch,
    .has = blm_retouch_has,
    .add = retouched_add,
    .prefetch_many = retouched_prefetch_many,
    .has_many = blm_staged_has_many,
    .has_u64 = blm_staged_has_u64,
    .add_many = retouched_add_many,
    .build = retouched_build,
    .deny = retouched_deny,
    .merge = retouched_merge,
    .keys = retouched_keys,
};

/* spectral.c - how often each key was added, for multisets.
 *
 * QUESTION  How often was the key added, or with how much weight, and was it added at all?
 *
 * PICTURE   Each key has k of m wide counters; the smallest of them is the answer.
 *
 *              | . | 7 | . | 3 | . | . | 3 | . | 9 |     x at 7, 3, 3: the minimum recurs; two counters rarely
 *                                                        have the same error, so 3 is right
 *                                                        y at 7, 3, 9: a single minimum is doubtful
 *
 *           method=selection   add raises all k, delete lowers them.
 *           method=increase    add raises only those below the minimum + weight: no delete.
 *           method=recurring   as selection; a key with a single minimum also moves to a second array of m / `share`
 *                              counters, which are raised by that minimum, and m bits mark the keys that have moved:
 *
 *              | primary: m counters | secondary: m / share | marks: m bits |
 *
 *           layout=wide        all counters have `width` bits.
 *           layout=compact     a counter has as many bits as its count needs: 1 for 0, 2 for 1, 5 for 2 to 5, 3 more for each four
 *                              times as high a count, up to `width` bits; selection and increase only.
 *
 * COST      One counter for each bit of standard: 307 bits per key at 1 %, 460 at 0.1 % with 32-bit counters; recurring
 *           takes 1.09 times that. max-count=255 chooses counters of 9 bits: 86 bits per key at 1 %.
 *           layout=compact: 21.4 bits per key at 1 %, 31.5 at 0.1 %, when each key comes once; then no more memory is taken than
 *           was planned. Keys that come c times take at most log2(c) + 3 bits per counter, 9.6 counters per key at 1 %. Counters
 *           lie in pages of up to 4096; when one is full, all grow by an eighth: the filter is copied, and an add that
 *           gets no memory fails with BLM_E_NOMEM. Deletes leave the pages large (no promise del_exact); merging an empty
 *           filter makes them small. An add takes 1 us, 4 times as long, a count 0.6 us, 2.5 times as long; has is that of standard,
 *           a fifth of the time.
 *           Selection gets a key's count wrong as often as a non-member passes: for 0.9 % of the keys at m = 10 n, k = 5,
 *           with 10^6 Zipf-distributed adds of 10^4 keys; there increase errs on 0.41 % and recurring with share=2 on
 *           0.41 %. At equal bits, planned for 1 %: recurring 0.45 %, selection 0.66 %, increase 0.22 %.
 *           Selection and increase never count too low. Recurring does, for keys that the marks mistake for moved
 *           ones: for none of 10^5 keys planned for 3 % or less, for 0.01 % at 5 %, for 0.1 % at 10 %. After half of the
 *           keys are deleted, of the 50,000 that stay: none planned for 1 %, 0.004 % at 3 %, 0.08 % at 5 %, 0.8 % at
 *           10 %. add, count and del touch k cells, recurring up to 3k.
 *
 * CHOOSE    increase when keys are only added; selection when keys are deleted or filters are merged, because its sums
 *           are exact; recurring when keys are deleted and counts must be close. layout=compact when memory matters more
 *           than the time of adds, or when it is not known how high counts go: its answers are those of wide. For sets choose
 *           multilayer or counting; for only the heavy keys of a stream choose count-min, whose size does not depend on the
 *           number of keys. Delete only what was added: deleting more than the minimum fails with BLM_E_ABSENT.
 *
 * PAPER     Cohen, Matias: Spectral Bloom Filters, SIGMOD 2003. Their second array has half the counters (share=2);
 *           those bits are better spent on selection, 0.09 % against 0.42 %: 8 % of the keys move, a 16th
 *           is enough for them at 1 %, an 8th at 3 %. We always read the marks first: without them, a moved key
 *           whose minimum recurs later is not looked up in the second array, and is counted too low. A key that moves
 *           adds its minimum to its counters there; raising them to it, as the paper does, loses counts when keys that
 *           share a counter are deleted (5.6 % of the keys that stay, after half are deleted). We omit the trapping
 *           refinement (it can count too low). Their string-array index finds counters of variable length by offsets in several
 *           levels; layout=compact counts ones in groups of 256 instead, with codes of its own. If probes of a
 *           key meet, they count once. Merging recurring filters clears the marks: otherwise the part of a moved key's
 *           count that came from the other filter would be missing. Keys move again as they are added.
 */
#include <bloomery/theory.h>
#include <math.h>
#include <string.h>

#include "compact.h"
#include "parts/wish.h"

#define SPECTRAL_MAX (UINT64_C(1) << 52)
static const blm_field spectral_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, SPECTRAL_MAX, "m, the number of counters"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, counters per key"),
    BLM_FIELD(blm_spectral, width, BLM_F_SHAPE, 2, 64, "bits per counter"),
    BLM_FIELD(blm_spectral, method, BLM_F_SHAPE, SPECTRAL_SELECTION, SPECTRAL_RECURRING,
              "0: minimum selection, 1: minimum increase, 2: recurring minimum"),
    BLM_FIELD(blm_spectral, share, BLM_F_SHAPE, 0, 64,
              "method 2: primary counters per secondary counter"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, SPECTRAL_MAX, "counters above zero"),
    BLM_FIELD(blm_spectral, stuck, BLM_F_STATE, 0, SPECTRAL_MAX, "counters at their ceiling"),
    BLM_FIELD(blm_spectral, moved, BLM_F_STATE, 0, SPECTRAL_MAX, "secondary counters above zero"),
    BLM_FIELD(blm_spectral, moved_stuck, BLM_F_STATE, 0, SPECTRAL_MAX,
              "secondary counters at their ceiling"),
    BLM_FIELD(blm_spectral, marks, BLM_F_STATE, 0, SPECTRAL_MAX, "marks that are set"),
    BLM_FIELD_SINCE(2, blm_spectral, layout, BLM_F_SHAPE, SPECTRAL_WIDE, SPECTRAL_COMPACT,
                    "0: counters of one width, 1: as long as they must be"),
    BLM_FIELD_SINCE(2, blm_spectral, spare, BLM_F_SHAPE, 0, COMPACT_SPARE,
                    "layout 1: words of a page at first"),
    BLM_FIELD_SINCE(2, blm_spectral, pool, BLM_F_STATE, 0, BLM_POOL_STEPS,
                    "layout 1: how often the pages have grown"),
};

enum { SPECTRAL_METHOD, SPECTRAL_WIDTH, SPECTRAL_SHARE, SPECTRAL_LAYOUT };
static const blm_knobdef spectral_knobs[] = {
    [SPECTRAL_METHOD] = {"method", "which counters an add raises, and which a count reads",
                         BLM_K_WORD, .def = SPECTRAL_SELECTION,
                         .words = "selection|increase|recurring"},
    [SPECTRAL_WIDTH] = {"width", "bits per counter, 2 to 57 or 64", BLM_K_NUMBER, 32, 2, 64, NULL},
    [SPECTRAL_SHARE] = {"share", "primary counters per secondary counter", BLM_K_NUMBER, 16, 2, 64,
                        NULL},
    [SPECTRAL_LAYOUT] = {"layout",
                         "counters of `width` bits, or as long as they must be, up to `width` bits",
                         BLM_K_WORD, .def = SPECTRAL_WIDE, .words = "wide|compact"},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err spectral_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_spectral *c = (blm_spectral *)f;
    const double width = knobs->num[SPECTRAL_WIDTH], share = knobs->num[SPECTRAL_SHARE];
    unsigned k = wish->hashes;
    if (width != floor(width) || (width > 57 && width < 64))
        return blm_fail(why, BLM_E_ARG,
                        "width=%g: must be a whole number of bits from 2 to 57, or 64", width);
    c->width = (uint8_t)width;
    c->method = (uint8_t)knobs->num[SPECTRAL_METHOD];
    if (share != floor(share) || (knobs->text[SPECTRAL_SHARE] && c->method != SPECTRAL_RECURRING))
        return blm_fail(why, BLM_E_ARG,
                        "share=%g: must be a whole number from 2 to 64, with method=recurring",
                        share);
    c->share = c->method == SPECTRAL_RECURRING ? (uint8_t)share : 0;
    c->layout = (uint8_t)knobs->num[SPECTRAL_LAYOUT];
    if (c->layout && c->share)
        return blm_fail(
            why, BLM_E_ARG,
            "layout=compact: must be with method=selection or increase; the second array "
            "of method=recurring is wide");
    if (c->layout) {
        const blm_err err = blm_compact_plan(c, wish, &k, why);
        if (err) return err;
    } else if (wish->bits) {
        c->flat.cells = wish->bits / c->width;
        if (c->share)
            c->flat.cells = (uint64_t)((double)wish->bits / (width * (1 + 1 / share) + 1)) + 2;
        while (c->flat.cells && blm_spectral_bytes(c) * 8 > (wish->bits + 63) / 64 * 64)
            c->flat.cells--;
        if (!c->flat.cells)
            return blm_fail(why, BLM_E_ARG, "bits %llu: too few for one counter",
                            (unsigned long long)wish->bits);
        if (!k) k = blm_best_hashes(c->flat.cells, wish->keys);
    } else if (!blm_size_for(wish->keys, wish->fpr, k, true, &c->flat.cells, &k)) {
        return blm_wish_beyond(wish, "2^52 counters or 64 hashes", why);
    }
    c->flat.hashes = (uint8_t)k;
    return BLM_OK;
}

static blm_err spectral_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_spectral *c = (blm_spectral *)f;
    const bool recurring = c->method == SPECTRAL_RECURRING;
    c->second = blm_spectral_second_cells(c);
    if ((c->width > 57 && c->width < 64) || recurring != (c->share > 1))
        return blm_fail(
            why, BLM_E_ARG,
            "width=%u, share=%u: width must be 2 to 57 or 64; only method=recurring has a share",
            c->width, c->share);
    if (c->flat.ones > c->flat.cells || c->stuck > c->flat.ones || c->moved > c->second ||
        c->moved_stuck > c->moved || c->marks > (recurring ? c->flat.cells : 0))
        return blm_fail(why, BLM_E_ARG, "more counters are in use or stuck than the filter has");
    if (c->layout ? !c->spare || recurring : c->spare || c->pool)
        return blm_fail(
            why, BLM_E_ARG,
            "layout=%u, spare=%u, pool=%u, method=%u: only layout=compact has pages, and "
            "method=recurring has none",
            c->layout, c->spare, c->pool, c->method);
    c->calls = c->layout ? &blm_spectral_compact : &blm_spectral_wide;
    c->at_second = blm_packed_bytes(c->flat.cells, c->width);
    c->at_marks = c->at_second + blm_packed_bytes(c->second, c->width);
    *bytes = blm_spectral_bytes(c);
    if (c->layout)
        c->pages = blm_pool_after(c->flat.cells, COMPACT_WORDS, c->spare, c->pool, bytes);
    if (c->method == SPECTRAL_INCREASE) f->can &= ~(uint32_t)BLM_DEL;
    if (c->method != SPECTRAL_SELECTION) f->lost |= BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT;
    if (recurring) f->lost |= BLM_NEVER_LOW;
    if (c->layout) f->lost |= BLM_DEL_EXACT; /* pages stay as large as they were */
    return BLM_OK;
}

static uint64_t spectral_max(const blm_filter *f)
{
    return blm_packed_top(((const blm_spectral *)f)->width) - 1;
}

/* ---- operations: those of the layout ---------------------------------------------------- */

#define CALLS(f) (((const blm_spectral *)(f))->calls)

static blm_err spectral_check(const blm_filter *f, blm_report *why)
{
    return CALLS(f)->check(f, why);
}

static bool spectral_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return CALLS(f)->has(f, h, it);
}

static blm_err spectral_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    return CALLS(f)->add(f, h, it, fresh);
}

static blm_err spectral_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    return CALLS(f)->del(f, h, it);
}

static blm_err spectral_count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    return CALLS(f)->count(f, h, it, n);
}

static void spectral_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    CALLS(f)->prefetch_many(f, h, n);
}

static void spectral_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *yes)
{
    CALLS(f)->has_many(f, h, a, n, more, yes);
}

static blm_err spectral_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                 size_t more, uint8_t *fresh, size_t *done)
{
    return CALLS(f)->add_many(f, h, a, n, more, fresh, done);
}

static blm_err spectral_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                 size_t more, uint8_t *absent, size_t *done)
{
    return CALLS(f)->del_many(f, h, a, n, more, absent, done);
}

static blm_err spectral_count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                                   blm_estimate *times)
{
    return CALLS(f)->count_many(f, h, n, more, times);
}

static size_t spectral_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    return CALLS(f)->touch(f, h, it, out, cap);
}

static blm_err spectral_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    return CALLS(f)->merge(f, g, why);
}

/* Counts of layout=compact take memory, not room. */
static uint64_t spectral_room(const blm_filter *f) { return f->capacity; }

const blm_kind blm_kind_spectral = {
    .name = "spectral",
    .group = "counting",
    .version = 2,
    .size = sizeof(blm_spectral),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT,
    .fields = spectral_fields,
    .nfields = BLM_LEN(spectral_fields),
    .knobs = spectral_knobs,
    .nknobs = BLM_LEN(spectral_knobs),
    .arg = {"weight", "how often the key comes at once", 1, 1, UINT32_MAX, BLM_AGAIN_SUM},
    .plan = spectral_plan,
    .shape = spectral_shape,
    .check = spectral_check,
    .fpr = blm_flat_fpr,
    .lines = blm_flat_lines,
    .fill = blm_flat_fill,
    .max_count = spectral_max,
    .counts_by = {"width", 4},
    .offers_too = "layout",
    .touch = spectral_touch,
    .has = spectral_has,
    .add = spectral_add,
    .prefetch_many = spectral_prefetch_many,
    .has_many = spectral_has_many,
    .add_many = spectral_add_many,
    .del_many = spectral_del_many,
    .del = spectral_del,
    .count_many = spectral_count_many,
    .count = spectral_count,
    .merge = spectral_merge,
    .room = spectral_room,
    .keys = blm_flat_size,
};

/* sound.h - a small sound kind, and one wrong place per law.
 *
 * A file of this folder names itself and one wrong place, and includes this page: it is then a kind
 * that keeps every law but one. Without a wrong place it keeps them all.
 *
 *   SOUND_NAME, SOUND_TEXT   broken_no_miss, "broken-no-miss"
 *   SOUND_FLAVOUR            SOUND_BITS: set, merge, fold, batches. SOUND_COUNTS: delete and count.
 *                            SOUND_MAP: a value per key, a list, growth
 *   SOUND_WRONG              WRONG_NONE, or the law that is to be broken
 *   SOUND_UNSURE             1: SOUND_COUNTS that deletes no key whose cells all count two or more
 *   SOUND_COPIES             1: SOUND_COUNTS that holds a key 50 times, and does not count
 *   SOUND_LISTS              1: SOUND_COUNTS that count the keys of a list together
 *   SOUND_INSIDE             1: SOUND_MAP whose add stores the value, and whose put changes only what is in the set
 *   SOUND_ESTIMATES          1: SOUND_COUNTS that tells counts with an error
 *
 * One byte per cell, k cells per key, turned by `turn` cells:
 *
 *     | cells, 0 or 1 (counts: up to 255) | slots of hash 16, value + 1 (map) | sum of hashes (counts) |
 */
#include <math.h>
#include <sched.h>
#include <bloomery/theory.h>
#include "core/kind.h"
#include "core/bytes.h"
#include "core/shared.h"
#include "parts/probe.h"

#define SOUND_BITS   0
#define SOUND_COUNTS 1
#define SOUND_MAP    2

#define WRONG_NONE           0
#define WRONG_NO_MISS        1
#define WRONG_ANY_ORDER      2
#define WRONG_IDEMPOTENT     3
#define WRONG_CLEAR          4
#define WRONG_BATCH          5
#define WRONG_DEL_EXACT      6
#define WRONG_COUNT          7
#define WRONG_GET_PUT        8
#define WRONG_TICKS          9
#define WRONG_ROUND_TRIP     10
#define WRONG_GOLDENS        11
#define WRONG_FORGED         12
#define WRONG_RANDOM_CELLS   13
#define WRONG_ALLOC_FAILS    14
#define WRONG_LOAD_MEMORY    15
#define WRONG_INFO_BYTES     16
#define WRONG_MERGE_EXACT    17
#define WRONG_MERGE_MISMATCH 18
#define WRONG_FOLD_EXACT     19
#define WRONG_CONST_READONLY 20
#define WRONG_THREADS        21
#define WRONG_MAPPED         22
#define WRONG_CANNOT         23
#define WRONG_BAD_WISHES     24
#define WRONG_CAPACITY       25
#define WRONG_THEORY         26
#define WRONG_BATCH_KEYS     27
#define WRONG_BULK           28
#define WRONG_SHARED         29
#define WRONG_MODEL          30
#define WRONG_DENIED         31
#define WRONG_THEORY_FIELDS  32
#define WRONG_TOUCHED        33
#define WRONG_COMES_BACK     34
#define WRONG_COUNTERS_END   35
#define WRONG_COSTS          36
#define WRONG_BUILT_AS_ADDED 37
#define WRONG_PLANS_AGREE    38
#define WRONG_GROW           39
#define WRONG_ORDERED_RATES  40
#define WRONG_INTERVALS      41
#define WRONG_SHARES         42
#define WRONG_MAX_COUNT      43
#define WRONG_LENS           44
#define WRONG_BATCH_DEL      45
#define WRONG_BATCH_COUNTS   46
#define WRONG_ARGS           47
#define WRONG_UNSURE         48
#define WRONG_BATCH_UNSURE   49
#define WRONG_COPIES         50
#define WRONG_REPEATS        51
#define WRONG_DELETES        52
#define WRONG_PUT_UNSURE     53
#define WRONG_PUT_ABSENT     54
#define WRONG_COUNT_ALL      55
#define WRONG_GROWN_COUNTS   56
#define WRONG_LIST           57
#define WRONG_ESTIMATES      60
#ifndef SOUND_UNSURE
#define SOUND_UNSURE 0
#endif
#ifndef SOUND_COPIES
#define SOUND_COPIES 0
#endif
#ifndef SOUND_LISTS
#define SOUND_LISTS 0
#endif
#ifndef SOUND_INSIDE
#define SOUND_INSIDE 0
#endif
#define SOUND_GROWS (SOUND_FLAVOUR == SOUND_MAP || SOUND_WRONG == WRONG_GROWN_COUNTS)
#ifndef SOUND_ESTIMATES
#define SOUND_ESTIMATES 0
#endif
#define WRONG(law)        (SOUND_WRONG == WRONG_##law)
#define SOUND_IS(flavour) (SOUND_FLAVOUR == SOUND_##flavour)
#define SOUND_GLUE(a, b)  a##b
#define SOUND_KIND(name)  SOUND_GLUE(blm_kind_, name)

typedef struct sound {
    blm_filter base;
    uint64_t cells, ones, turn, room, used;
    uint8_t hashes, growths;
    uint64_t at_slots, slots, at_sum;   /* by shape */
    uint64_t last, started, ever_added; /* not in the image: sound kinds do not look at them */
} sound;

static const blm_field fields[] = {
#if SOUND_WRONG == WRONG_GOLDENS /* the order of fields has changed, the version has not */
    BLM_FIELD(sound, room, BLM_F_SHAPE, 0, UINT64_C(1) << 48, "slots at first"),
    BLM_FIELD(sound, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 57, "m"),
#else
    BLM_FIELD(sound, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 57, "m"),
    BLM_FIELD(sound, room, BLM_F_SHAPE, 0, UINT64_C(1) << 48, "slots at first"),
#endif
    BLM_FIELD(sound, turn, BLM_F_SHAPE, 0, UINT64_C(1) << 57, "cells that probes are turned by"),
    BLM_FIELD(sound, hashes, BLM_F_SHAPE, 1, 64, "k"),
    BLM_FIELD(sound, growths, BLM_F_STATE, 0, 8, "doublings of the slots"),
    BLM_FIELD(sound, ones, BLM_F_STATE, 0, UINT64_C(1) << 57, "cells that are not 0"),
    BLM_FIELD(sound, used, BLM_F_STATE, 0, UINT64_C(1) << 60, "slots that are not empty"),
};

/* ---- theory -------------------------------------------------------------------------------- */

static blm_err plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs, blm_report *why)
{
    sound *s = (sound *)f;
    unsigned k = wish->hashes;
    (void)knobs;
    s->room = SOUND_IS(MAP) ? (wish->keys ? 2 * wish->keys : wish->bits / 512) : 0;
    if (SOUND_INSIDE) s->room = s->room * 7 / 10 + 2; /* an eighth more than the planned keys */
    if (wish->bits) {                                 /* what the slots or the sum leave */
        const uint64_t all = wish->bits / 8, rest = s->room * 24 + 8 * SOUND_IS(COUNTS);
        if (all < rest + 8) return blm_fail(why, BLM_E_ARG, "bits %g: too few", 8.0 * (double)all);
        s->cells = (all - rest) / 8 * 8;
    }
    if (wish->bits && !k) k = WRONG(PLANS_AGREE) ? 1 : blm_best_hashes(s->cells, wish->keys);
    if (!wish->bits && (!blm_size_for(wish->keys, wish->fpr, k, true, &s->cells, &k) ||
                        s->cells > fields[0].max)) {
        if (!WRONG(BAD_WISHES))
            return blm_fail(why, BLM_E_ARG, "%g keys at fpr %g: too many", (double)wish->keys,
                            wish->fpr);
        s->cells = 65536, k = 8;
    }
    if (!wish->bits) s->cells = (s->cells + 7) / 8 * 8;
    s->hashes = (uint8_t)k;
    s->turn = s->cells / 4;
    return BLM_OK;
}

static blm_err shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    sound *s = (sound *)f;
    if (s->turn >= s->cells && !WRONG(FORGED)) return blm_fail(why, BLM_E_ARG, "turned too far");
    if (s->ones > s->cells) return blm_fail(why, BLM_E_ARG, "more ones than cells");
    *bytes = s->cells;
    s->slots = SOUND_IS(MAP) ? s->room << s->growths : 0;
    s->at_slots = SOUND_IS(MAP) ? blm_section(bytes, s->slots, 192, 8) : 0;
    s->at_sum = SOUND_IS(COUNTS) ? blm_section(bytes, 1, 64, 8) : 0;
    if (WRONG(CANNOT)) f->can |= BLM_SUBTRACT;
    return BLM_OK;
}

static blm_err start(blm_filter *f, blm_report *why)
{
    sound *s = (sound *)f;
    if (WRONG(INFO_BYTES)) { /* room to think, given back at once */
        void *scratch = f->alloc.get(f->alloc.ctx, 1000);
        if (!scratch) return blm_fail(why, BLM_E_NOMEM, "no memory");
        f->alloc.put(f->alloc.ctx, scratch, 1000);
    }
    if (WRONG(CLEAR) && s->ever_added) f->adds = 1;
    s->last = s->ever_added = 0;
    s->started = 1; /* what shape() should have done: load does not start a filter */
    return BLM_OK;
}

static uint64_t count_ones(const sound *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->cells; i++) n += s->base.cells[i] != 0;
    return n;
}

static blm_err check(const blm_filter *f, blm_report *why)
{
    const sound *s = (const sound *)f;
    uint64_t used = 0;
    if (WRONG(LOAD_MEMORY) && f->bytes > 81920) { /* room for a second opinion */
        void *scratch = f->alloc.get(f->alloc.ctx, (size_t)f->bytes);
        if (!scratch) return blm_fail(why, BLM_E_NOMEM, "no memory");
        f->alloc.put(f->alloc.ctx, scratch, (size_t)f->bytes);
    }
    for (volatile uint64_t i = 0; WRONG(COSTS) && i < s->room && i < 300000000; i++) continue;
    for (uint64_t i = 0; i < s->slots; i++)
        used += blm_le64(f->cells + s->at_slots + 24 * i + 16) != 0;
    return (used == s->used || WRONG(COUNTERS_END)) && count_ones(s) == s->ones
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "cells and their numbers differ");
}

static blm_rate fpr(const blm_filter *f, const blm_case *c)
{
    const sound *s = (const sound *)f;
    /* Too low: a rate that is too high would also break plans_agree. */
    const double off_now = WRONG(THEORY) ? 0.97 : 1,
                 off = WRONG(THEORY) || WRONG(THEORY_FIELDS) ? 0.97 : 1;
    const double now = blm_rate_from_fill(s->ones, s->cells, s->hashes) * off_now;
    if (!c) return (blm_rate){now, now, 0};
    const double p = blm_rate_exact(s->cells, s->hashes, c->keys) * off;
    const double low = WRONG(ORDERED_RATES) ? p * (1 + 1e-12) : p;
    return (blm_rate){low, p, blm_rate_sd(s->cells, s->hashes, c->keys)};
}

static blm_err keys(const blm_filter *f, blm_estimate *n)
{
    const sound *s = (const sound *)f;
    double v = blm_keys_from_fill(s->ones - (s->ones == s->cells), s->cells, s->hashes);
    if (WRONG(CAPACITY) || (WRONG(MAPPED) && f->flags & BLM_MAPPED)) v = 0;
    const double sd = blm_keys_sd(s->cells, s->hashes, (uint64_t)v) * (WRONG(INTERVALS) ? 1.5 : 1);
    *n = (blm_estimate){v, fmax(0, v - sd), v + sd, s->ones == s->cells || WRONG(CAPACITY)};
    return BLM_OK;
}

/* ---- members -------------------------------------------------------------------------------- */

static uint64_t place(const sound *s, blm_hash h, unsigned i)
{
    const uint64_t at = blm_place(h, i, s->cells) + s->turn;
    return at < s->cells ? at : at - s->cells;
}

static unsigned lowest(const sound *s, blm_hash h)
{
    unsigned low = 255;
    for (unsigned i = 0; i < s->hashes && low; i++) {
        const unsigned v = s->base.cells[place(s, h, i)];
        low = v < low ? v : low;
    }
    return low;
}

static bool has(const blm_filter *f, blm_hash h, const blm_item *it)
{
#if SOUND_WRONG == WRONG_THREADS /* one place for all threads to think in */
    static volatile uint64_t thought;
    thought = h.lo;
    if (h.lo % 8 == 0) sched_yield();
    h.lo = thought;
#endif
    (void)it;
    return lowest((const sound *)f, h) > 0;
}

static size_t touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out, size_t cap)
{
    const sound *s = (const sound *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes && i < cap; i++) {
        const uint64_t at = place(s, h, WRONG(TOUCHED) ? 0 : i); /* wrong: the first place again */
        out[i] = (blm_touch){at, at, f->cells[at]};
    }
    return s->hashes;
}

#if SOUND_WRONG == WRONG_LENS
static bool lens(const blm_filter *f, blm_lens *out)
{
    out->form = BLM_LENS_BITS;
    out->count = ((const sound *)f)->cells;
    out->hashes = ((const sound *)f)->hashes;
    return true;
}
#endif

static void prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    (void)f, (void)h, (void)n;
}

static void has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                     size_t more, uint8_t *yes)
{
    for (size_t i = 0; i < n; i++) yes[i] = lowest((const sound *)f, h[i]) > 0;
    if (WRONG(BATCH) && a && n > 32 && n % 32 == 1) yes[n - 1] = yes[1];
    if (WRONG(BATCH_KEYS) && more) yes[n - 1] = yes[0];
}

/* Tells on itself in a cell that is set already: answers stay, bytes do not. */
static void mark(sound *s, blm_hash h)
{
    if (s->base.cells[place(s, h, 0)]) s->base.cells[place(s, h, 0)] |= 2;
}

static blm_err add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    sound *s = (sound *)f;
    const unsigned k = s->hashes - (unsigned)(WRONG(NO_MISS) && s->hashes > 1 && h.lo % 256 == 0);
    (void)it;
    if (SOUND_COPIES && lowest(s, h) >= (WRONG(COPIES) ? 40 : 50)) return BLM_E_FULL;
    *fresh = false;
    for (unsigned i = 0; i < k; i++) {
        uint8_t *cell = f->cells + place(s, h, i);
        if (!*cell) *fresh = true, s->ones++;
        if (SOUND_IS(COUNTS) ? *cell < (WRONG(MODEL) ? 9 : 255) : !*cell) ++*cell;
    }
    if (SOUND_IS(COUNTS)) blm_put64(f->cells + s->at_sum, blm_le64(f->cells + s->at_sum) + h.lo);
    if (WRONG(ANY_ORDER) && (s->last ^ h.lo) % 512 == 2) mark(s, h);
    if (WRONG(IDEMPOTENT) && s->last == h.lo) mark(s, h);
    if (WRONG(ROUND_TRIP) && !s->started) mark(s, h);
    if (WRONG(BULK) && s->ones > 30000) s->growths = 1;
    if (WRONG(COUNTERS_END) && s->used == UINT64_C(1) << 60) s->used++;
    if (WRONG(REPEATS) && !*fresh && h.lo % 8 == 0) { /* one more cell, each time it comes */
        uint8_t *cell = f->cells + blm_place(blm_resalt(h, s->ones), 0, s->cells);
        s->ones += !*cell;
        *cell = 1;
    }
    s->last = h.lo;
    s->ever_added = 1;
    return BLM_OK;
}

#if SOUND_INSIDE
static blm_err store(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh);
#define ADD_ONE store
#else
#define ADD_ONE add
#endif

static blm_err add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *fresh, size_t *done)
{
    blm_err err = BLM_OK;
    (void)more;
    for (*done = 0; *done < n && !err; *done += !err) {
        const size_t i = *done;
        const blm_item it = {h[i], NULL, 0, a ? a[i] : BLM_NO_ARG};
        bool is_new = false;
        const bool twin = i && h[i].lo == h[i - 1].lo;
        if (!WRONG(BUILT_AS_ADDED) || !twin) err = ADD_ONE(f, h[i], &it, &is_new);
        if (fresh) fresh[i] = is_new;
    }
    return err;
}

/* Cells lie anywhere. */
static uint64_t block(const blm_filter *f, uint64_t lo)
{
    (void)f;
    return WRONG(BULK) ? lo >> 63 : 0;
}

static blm_err tick(blm_filter *f, uint64_t now)
{
    if (WRONG(TICKS) && now - f->now > 1000000) {
        memset(f->cells, 0, (size_t)((sound *)f)->cells);
        ((sound *)f)->ones = 0;
    }
    return BLM_OK;
}

/* ---- SOUND_BITS -------------------------------------------------------------------------------- */
#if SOUND_FLAVOUR == SOUND_BITS

/* Others that are wrong in add() would differ from themselves here. */
#define SOUND_SHARES (WRONG(NONE) || WRONG(SHARED))
#if SOUND_SHARES
static void sound_prefetch(const blm_filter *f, blm_hash h) { (void)f, (void)h; }

static unsigned sound_put_shared(blm_filter *f, blm_hash h)
{
    const sound *s = (const sound *)f;
    unsigned set = 0;
    for (unsigned i = 0; i < s->hashes; i++)
        set += !__atomic_exchange_n(f->cells + place(s, h, i), 1, __ATOMIC_RELAXED);
    return set;
}

BLM_BATCH_SHARED(sound, sound)

static void add_shared(blm_filter *f, const blm_hash *h, size_t n, uint8_t *fresh)
{
    sound_add_shared(f, h, n, fresh);
    if (WRONG(SHARED) && fresh) memset(fresh, 1, n);
}
#endif

#if SOUND_WRONG == WRONG_DENIED
static blm_err deny(blm_filter *f, blm_hash h, const blm_item *it)
{
    sound *s = (sound *)f;
    (void)it;
    f->cells[place(s, h, 0)] = 0;
    s->ones--;
    return BLM_OK;
}
#endif

#if SOUND_WRONG == WRONG_COMES_BACK
static blm_err intersect(blm_filter *f, const blm_filter *g)
{
    sound *s = (sound *)f;
    for (uint64_t i = 0; i < s->cells; i++) f->cells[i] &= g->cells[i];
    s->ones = count_ones(s);
    if (!s->growths && f->adds < 1000)
        f->lost |= BLM_DEL_EXACT; /* not where counters stand at their ends */
    return BLM_OK;
}
#endif

static blm_err half(blm_filter *f, blm_report *why)
{
    sound *s = (sound *)f;
    if (s->cells % 8)
        return blm_fail(why, BLM_E_ARG, "%g cells: not a multiple of 8", (double)s->cells);
    s->cells /= 2;
    s->turn /= 2;
    s->ones = 0;
    return BLM_OK;
}

static void fold(blm_filter *f, const blm_filter *large)
{
    sound *s = (sound *)f;
    for (uint64_t i = 0; i < s->cells; i++)
        f->cells[i] = large->cells[2 * i] | large->cells[2 * i + 1];
    s->ones = count_ones(s);
    if (WRONG(FOLD_EXACT))
        f->cells[0] ^= 2 * (f->cells[0] != 0), f->cells[1] ^= 2 * (f->cells[1] != 0);
}
#endif

/* ---- SOUND_COUNTS ------------------------------------------------------------------------------ */
#if SOUND_FLAVOUR == SOUND_COUNTS
#include "laws/broken/counts.h"
#endif

/* ---- SOUND_MAP ---------------------------------------------------------------------------------- */
#if SOUND_FLAVOUR == SOUND_MAP

/* The slot of the key or the first free one among `slots`; NULL when there is neither. */
static uint8_t *slot_in(uint8_t *all, uint64_t slots, blm_hash h)
{
    if (!slots) return NULL;
    const uint64_t first = blm_place(h, 64, slots);
    for (uint64_t i = 0; i < slots || WRONG(RANDOM_CELLS); i++) {
        uint8_t *at = all + (first + i) % slots * 24;
        if (!blm_le64(at + 16) || (blm_le64(at) == h.lo && blm_le64(at + 8) == h.hi)) return at;
    }
    return NULL;
}

static uint8_t *slot_of(const blm_filter *f, blm_hash h)
{
    const sound *s = (const sound *)f;
    return slot_in(f->cells + s->at_slots, s->slots, h);
}

static void fill_slot(uint8_t *at, blm_hash h, uint64_t value)
{
    blm_put64(at, h.lo);
    blm_put64(at + 8, h.hi);
    blm_put64(at + 16, value + 1);
}

static blm_err get(const blm_filter *f, blm_hash h, const blm_item *it, uint64_t *value)
{
    const uint8_t *at = slot_of(f, h);
    (void)it;
    if (!at || !blm_le64(at + 16)) return BLM_E_ABSENT;
    *value = blm_le64(at + 16) - 1;
    if (WRONG(GET_PUT) && *value % 16 == 7) ++*value;
    return WRONG(PUT_UNSURE) && h.lo % 8 == 0 ? BLM_E_UNSURE : BLM_OK;
}

/* A fifth of the slots stays empty, so that a search ends soon. */
static blm_err store(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    sound *s = (sound *)f;
    uint8_t *at = slot_of(f, h);
    const bool is_new = at && !blm_le64(at + 16);
    if (!at || (is_new && s->used >= s->slots - s->slots / 5)) return BLM_E_FULL;
    fill_slot(at, h, it->arg);
    s->used += is_new;
    return add(f, h, it, fresh);
}

static blm_err put(blm_filter *f, blm_hash h, const blm_item *it)
{
    const uint8_t *at = slot_of(f, h);
    bool fresh;
    if (!SOUND_INSIDE || (at && blm_le64(at + 16))) return store(f, h, it, &fresh);
    if (WRONG(PUT_ABSENT)) mark((sound *)f, h);
    return BLM_E_ABSENT;
}

static blm_item item_at(const uint8_t *at)
{
    return (blm_item){{blm_le64(at), blm_le64(at + 8)}, NULL, 0, blm_le64(at + 16) - 1};
}

static blm_err list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why)
{
    const sound *s = (const sound *)f;
    const size_t max = out ? *n : 0;
    (void)why;
    *n = 0;
    if (WRONG(CONST_READONLY)) ((volatile uint8_t *)f->cells)[0] = f->cells[0];
    for (const uint8_t *at = f->cells + s->at_slots; at < f->cells + f->bytes; at += 24)
        if (blm_le64(at + 16) && (*n)++ < max) out[*n - 1] = item_at(at);
    if (WRONG(LIST) && *n && (*n)++ < max) out[*n - 1] = out[0];
    return BLM_OK;
}

static blm_err grow(blm_filter *f, blm_report *why)
{
    sound *s = (sound *)f;
    blm_region more;
    const uint64_t old = s->slots;
    if (s->growths == 8) return blm_fail(why, BLM_E_FULL, "grown 8 times");
    if (WRONG(ALLOC_FAILS)) s->growths++;
    if (blm_recell(f, &more, f->bytes + old * 24)) return blm_fail(why, BLM_E_NOMEM, "no memory");
    memcpy(more.cells, f->cells, (size_t)s->cells);
    for (uint64_t i = 0; i < old; i++) {
        const uint8_t *at = f->cells + s->at_slots + 24 * i;
        const blm_item it = item_at(at);
        if (blm_le64(at + 16))
            fill_slot(slot_in(more.cells + s->at_slots, 2 * old, it.h), it.h, it.arg);
    }
    if (!WRONG(ALLOC_FAILS)) s->growths++;
    s->slots = 2 * old;
    blm_commit(f, &more);
    return BLM_OK;
}

/* Reads everything first: one key with two values, or no room, and nothing is written. */
static blm_err merge_slots(sound *s, const blm_filter *g, bool writing, blm_report *why)
{
    const sound *o = (const sound *)g;
    uint64_t used = s->used;
    for (uint64_t i = 0; i < o->slots; i++) {
        const uint8_t *from = g->cells + o->at_slots + 24 * i;
        const blm_item it = item_at(from);
        if (!blm_le64(from + 16)) continue;
        uint8_t *at = slot_of(&s->base, it.h);
        if (at && blm_le64(at + 16) && item_at(at).arg != it.arg)
            return blm_fail(why, BLM_E_CONFLICT, "one key, two values");
        used += at && !blm_le64(at + 16);
        if (!at || used > s->slots - s->slots / 5) return blm_fail(why, BLM_E_FULL, "no room");
        if (writing) fill_slot(at, it.h, it.arg);
    }
    if (writing) s->used = used;
    return BLM_OK;
}
#endif

#if SOUND_GROWS
/* Wrong: it has grown and does not say so. */
static uint64_t has_room(const blm_filter *f)
{
    return blm_doubled(f->capacity, WRONG(GROW) ? 0 : ((const sound *)f)->growths);
}
#endif

static blm_err merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    sound *s = (sound *)f;
    (void)why;
#if SOUND_FLAVOUR == SOUND_MAP
    const blm_err err = WRONG(MERGE_MISMATCH) ? BLM_OK : merge_slots(s, g, false, why);
    if (err) return err;
#endif
    for (uint64_t i = 0; i < s->cells; i++) {
        const unsigned sum = (unsigned)f->cells[i] + g->cells[i],
                       either = f->cells[i] | g->cells[i];
        f->cells[i] = (uint8_t)(SOUND_IS(COUNTS) ? (sum < 255 ? sum : 255) : either);
    }
    s->ones = count_ones(s);
    if (SOUND_IS(COUNTS))
        blm_put64(f->cells + s->at_sum,
                  blm_le64(f->cells + s->at_sum) + blm_le64(g->cells + s->at_sum));
    for (uint64_t i = 0; WRONG(MERGE_EXACT) && i < s->cells; i++)
        if (f->cells[i]) f->cells[i] |= 4;
#if SOUND_FLAVOUR == SOUND_MAP
    return merge_slots(s, g, true, why);
#else
    return BLM_OK;
#endif
}

#if SOUND_WRONG == WRONG_ARGS
/* Wrong: a key without a number gets 0, which is none of them. */
static void args(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    (void)f;
    *min = 1;
    *max = UINT32_MAX;
}
#endif

extern const blm_kind SOUND_KIND(SOUND_NAME);
const blm_kind SOUND_KIND(SOUND_NAME) = {
    .name = SOUND_TEXT,
    .group = "broken",
    .version = 1,
    .size = sizeof(sound),
    .fields = fields,
    .nfields = BLM_LEN(fields),
    .plan = plan,
    .shape = shape,
    .start = start,
    .check = check,
    .fpr = fpr,
    .touch = touch,
#if SOUND_WRONG == WRONG_LENS
    .lens = lens,
#endif
    .has = has,
    .prefetch_many = prefetch_many,
    .has_many = has_many,
    .add = ADD_ONE,
    .add_many = add_many,
    .block = block,
    .tick = tick,
    .merge = merge,
    .keys = keys,
#if SOUND_FLAVOUR == SOUND_BITS
#if SOUND_WRONG == WRONG_REPEATS
    .promises = BLM_NO_MISS,
#else
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
#endif
    .half = half,
    .fold = fold,
#if SOUND_SHARES
    .add_shared = add_shared,
#endif
#if SOUND_WRONG == WRONG_DENIED
    .deny = deny,
#elif SOUND_WRONG == WRONG_COMES_BACK
    .intersect = intersect,
#elif SOUND_WRONG == WRONG_SHARES
    .overlap = overlap,
#endif
#elif SOUND_FLAVOUR == SOUND_COUNTS
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_MERGE_EXACT |
                (SOUND_COPIES || SOUND_ESTIMATES ? 0 : BLM_NEVER_LOW) |
                (SOUND_UNSURE ? 0 : BLM_DEL_EXACT),
    .del_many = del_many,
    .del = del,
#if SOUND_LISTS
    .count_all = count_all,
#endif
#if SOUND_UNSURE
    .deletes = deletes,
#endif
#if SOUND_COPIES
    .copies = true,
#else
    .count_many = count_many,
    .count = count,
#endif
    .max_count = max,
#if SOUND_GROWS
    .grow = grow,
    .room = has_room,
#endif
#else
    .promises = BLM_NO_MISS | BLM_IDEMPOTENT | (SOUND_INSIDE ? 0 : BLM_ANY_ORDER | BLM_MERGE_EXACT),
    .arg = {"value", "what to keep", 0, 0, UINT32_MAX, BLM_AGAIN_CONFLICT},
#if SOUND_WRONG == WRONG_ARGS
    .args = args,
#endif
    .get = get,
    .put = put,
    .list = list,
    .grow = grow,
    .room = has_room,
#endif
};

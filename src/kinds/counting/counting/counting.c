/* counting.c - the Bloom filter that can forget.
 *
 * QUESTION  Is the key in a set that also shrinks? And how often did it come?
 *
 * PICTURE   k probes choose k of m counters; add raises them, delete lowers them.
 *
 *                  h0             h1                  h2
 *                   v              v                   v
 *              +----+----+----+----+----+----+----+----+
 *              |  1 |  0 |  2 |  0 |  1 | 15 |  0 |  3 |     m counters of `width` bits
 *              +----+----+----+----+----+----+----+----+
 *                                          ^ at its ceiling: stuck for ever, it has lost count
 *
 *           Two probes of one key that meet in one counter count once. With layout=line the hash first
 *           chooses one line of 64 bytes, 512 / `width` counters, and all k lie in it, as in blocked.
 *
 * COST      The counters of standard's bits: `width` times its space (38 bits a key at 1 % with 4), the
 *           same rate. add, has, del and count touch k counters. Four bits are enough for a set:
 *           P(a counter reaches 16) = 7.1e-17 at the best k. A multiset needs a width that holds its
 *           largest multiplicity, for 16 adds of one key stick at 15: max-count=N chooses it.
 *           layout=line: one cache line a key instead of k, batches at the speed of blocked; some lines
 *           get more keys than others, and a line has fewer counters the wider they are. Bits a key at
 *           1 % / 0.1 %: 43 / 76 against 38 / 58 with 4 bits, 97 / 192 against 77 / 115 with 8. It
 *           takes widths of 2, 4, 8 and 16. P(a counter reaches 16) = 2.2e-18 at 1 %.
 *
 * CHOOSE    it when keys leave, or to count roughly. Not when they only arrive (blocked: a quarter of the
 *           space). layout=line when time matters more than an eighth of the space, at 1 % or more.
 *           Delete only what was added: deleting a stranger that is itself a false positive cannot be
 *           noticed and may lose other keys.
 *
 * PAPER     Fan, Cao, Almeida, Broder: Summary Cache, IEEE/ACM ToN 8(3), 2000; its 1.37e-15 a counter is a
 *           union bound. Counting up to a threshold: Kim et al., Electronics 8(7), 2019. In one line:
 *           the blocks of Putze, Sanders, Singler (blocked) made of counters.
 */
#include <bloomery/theory.h>
#include <math.h>
#include <string.h>

#include "core/kind.h"
#include "parts/tally_avx2.h"
#include "parts/packed.h"
#include "parts/probe.h"

typedef struct blm_counting {
    blm_filter base;
    uint64_t cells; /* m */
    uint64_t used;  /* counters above zero */
    uint64_t stuck; /* counters at their ceiling */
    uint8_t hashes; /* k */
    uint8_t width;
    uint8_t layout; /* a COUNTING_... word */
    bool quick;     /* by shape: what the vector code can do     */
    uint64_t lines; /* by shape: those of layout=line; 0: spread */
} blm_counting;

enum { COUNTING_SPREAD, COUNTING_LINE };

static const blm_field counting_fields[] = {
    BLM_FIELD(blm_counting, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 58, "m, the number of counters"),
    BLM_FIELD(blm_counting, hashes, BLM_F_SHAPE, 1, 64, "k, counters a key"),
    BLM_FIELD(blm_counting, width, BLM_F_SHAPE, 2, 16, "bits a counter"),
    BLM_FIELD(blm_counting, used, BLM_F_STATE, 0, UINT64_C(1) << 58, "counters above zero"),
    BLM_FIELD(blm_counting, stuck, BLM_F_STATE, 0, UINT64_C(1) << 58, "counters at their ceiling"),
    BLM_FIELD_SINCE(2, blm_counting, layout, BLM_F_SHAPE, COUNTING_SPREAD, COUNTING_LINE,
                    "0: spread over all counters, 1: inside one line"),
};

enum { COUNTING_WIDTH, COUNTING_LAYOUT };
static const blm_knobdef counting_knobs[] = {
    [COUNTING_WIDTH] = {"width", "bits a counter", BLM_K_NUMBER, .usual = 4, .min = 2, .max = 16},
    [COUNTING_LAYOUT] = {"layout",
                         "a key's counters: anywhere, or in one cache line (width 2, 4, 8, 16)",
                         BLM_K_WORD, .usual = COUNTING_SPREAD, .words = "spread|line"},
};

static unsigned counting_a_line(const blm_counting *c) { return BLM_TALLY_BITS / c->width; }

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err counting_plan_spread(blm_counting *c, const blm_config *wish, unsigned *k,
                                    blm_report *why)
{
    *k = wish->hashes;
    if (!wish->bits) {
        if (blm_size_for(wish->keys, wish->fpr, *k, true, &c->cells, k)) return BLM_OK;
        return blm_fail(why, BLM_E_ARG,
                        "%.4g keys at fpr %.3g want more than 2^58 counters or 64 hashes",
                        (double)wish->keys, wish->fpr);
    }
    c->cells = wish->bits / c->width;
    if (!c->cells)
        return blm_fail(why, BLM_E_ARG, "bits %llu: less than one counter",
                        (unsigned long long)wish->bits);
    if (!*k) *k = blm_best_hashes(c->cells, wish->keys);
    return BLM_OK;
}

static blm_err counting_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                             blm_report *why)
{
    blm_counting *c = (blm_counting *)f;
    const double width = knobs->num[COUNTING_WIDTH];
    uint64_t lines = 0;
    unsigned k = 0;
    if (width != floor(width))
        return blm_fail(why, BLM_E_ARG, "width=%g: a whole number of bits, 2 to 16", width);
    c->width = (uint8_t)width;
    c->layout = (uint8_t)knobs->num[COUNTING_LAYOUT];
    const blm_err err = c->layout == COUNTING_LINE ? blm_tally_plan(wish, c->width, &lines, &k, why)
                                                   : counting_plan_spread(c, wish, &k, why);
    if (lines) c->cells = lines * counting_a_line(c);
    c->hashes = (uint8_t)k;
    return err;
}

static blm_err counting_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_counting *c = (blm_counting *)f;
    blm_err err = BLM_OK;
    if (c->used > c->cells || c->stuck > c->used)
        return blm_fail(why, BLM_E_ARG, "more counters are in use or stuck than there are");
    c->lines = 0;
    if (c->layout == COUNTING_LINE) err = blm_tally_shape(c->cells, c->width, &c->lines, why);
    c->quick = c->lines && blm_tally_quick(c->width, c->hashes);
    *bytes = blm_packed_bytes(c->cells, c->width);
    return err;
}

static inline blm_counters counting_all(const blm_counting *c)
{
    return (blm_counters){c->base.cells, c->base.bytes, c->cells, c->width};
}

static uint64_t counting_most(const blm_filter *f)
{
    return blm_packed_top(((const blm_counting *)f)->width) - 1;
}

static blm_err counting_check(const blm_filter *f, blm_report *why)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = counting_all(c);
    if (!blm_counters_tail_zero(&all))
        return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last counter is set");
    const blm_census now = blm_counters_census(&all);
    return now.used == c->used && now.stuck == c->stuck
               ? BLM_OK
               : blm_fail(
                     why, BLM_E_IMAGE,
                     "damaged: the numbers of used and stuck counters differ from their fields");
}

static blm_rate counting_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_counting *s = (const blm_counting *)f;
    const unsigned a_line = counting_a_line(s), k = s->hashes;
    if (!c) {
        const double p = s->lines ? blm_tally_rate(f->cells, s->lines, s->width, k)
                                  : blm_rate_from_fill(s->used, s->cells, k);
        return (blm_rate){p, p, 0};
    }
    const double p = s->lines ? blm_rate_blocked(a_line, s->lines, k, c->keys)
                              : blm_rate_exact(s->cells, k, c->keys);
    const double sd = s->lines ? blm_rate_blocked_sd(a_line, s->lines, k, c->keys)
                               : blm_rate_sd(s->cells, k, c->keys);
    return (blm_rate){p, p, sd};
}

static double counting_fill(const blm_filter *f)
{
    const blm_counting *c = (const blm_counting *)f;
    return (double)c->used / (double)c->cells;
}

static double counting_lines(const blm_filter *f, const blm_case *c)
{
    const blm_counting *s = (const blm_counting *)f;
    if (s->lines) return 1;
    const double used = c ? blm_fill_mean(s->cells, s->hashes, c->keys) : (double)s->used;
    return blm_probes_to_reject(used / (double)s->cells, s->hashes);
}

static blm_err counting_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_counting *c = (const blm_counting *)f;
    const bool full = c->used == c->cells; /* then only a lower bound is known */
    const unsigned a_line = counting_a_line(c), k = c->hashes;
    const double v = c->lines ? blm_keys_from_fill_blocked(c->used - full, a_line, c->lines, k)
                              : blm_keys_from_fill(c->used - full, c->cells, k);
    const double sd = c->lines ? blm_keys_sd_blocked(a_line, c->lines, k, (uint64_t)v)
                               : blm_keys_sd(c->cells, k, (uint64_t)v);
    *n = (blm_estimate){v, fmax(0, v - sd), v + sd, full};
    return BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

/* Counter i of a key. */
static uint64_t counting_place(const blm_counting *c, blm_hash h, unsigned i)
{
    if (!c->lines) return blm_place(h, i, c->cells);
    return blm_reduce(h.lo, c->lines) * counting_a_line(c) + blm_tally_place(h, i, c->width);
}

/* The distinct counters of a key, in the order of its probes. k is at most 64. */
static unsigned counting_places(const blm_counting *c, blm_hash h, uint64_t at[64])
{
    for (unsigned i = 0; i < c->hashes; i++) at[i] = counting_place(c, h, i);
    return blm_counters_distinct(at, c->hashes);
}

/* A counter that reaches its ceiling has lost count: from then on deletes are not exact. */
static inline void counting_notice(blm_counting *c)
{
    if (c->stuck) c->base.lost |= BLM_DEL_EXACT;
}

static inline blm_err counting_raised(blm_counting *c, blm_census change, bool *fresh)
{
    c->used += change.used;
    c->stuck += change.stuck;
    counting_notice(c);
    *fresh = change.used > 0;
    return BLM_OK;
}

/* spread */

static inline void counting_spread_near(const blm_filter *f, blm_hash h)
{
    const blm_counters all = counting_all((const blm_counting *)f);
    for (unsigned i = 0; i < 2; i++) blm_counters_fetch(&all, blm_place(h, i, all.count));
}

static inline bool counting_spread_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = counting_all(c);
    (void)it;
    for (unsigned i = 0; i < c->hashes; i++)
        if (!blm_counters_get(&all, blm_place(h, i, c->cells))) return false;
    return true;
}

static inline blm_err counting_spread_add(blm_filter *f, blm_hash h, const blm_item *it,
                                          bool *fresh)
{
    blm_counting *c = (blm_counting *)f;
    const blm_counters all = counting_all(c);
    blm_census change = {0, 0};
    uint64_t at[64];
    const unsigned n = counting_places(c, h, at);
    (void)it;
    for (unsigned i = 0; i < n; i++) {
        const blm_census one = blm_counters_raise(&all, at[i], 1);
        change.used += one.used;
        change.stuck += one.stuck;
    }
    return counting_raised(c, change, fresh);
}

BLM_BATCH(counting_spread)
BLM_BATCH_ADD(counting_spread)

/* one line */

static inline void counting_line_near(const blm_filter *f, blm_hash h)
{
    blm_fetch(f->cells + blm_tally_start(h, ((const blm_counting *)f)->lines));
}

static inline bool counting_line_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_counting *c = (const blm_counting *)f;
    (void)it;
    return blm_tally_has(f->cells + blm_tally_start(h, c->lines), h, c->hashes, c->width);
}

static inline blm_err counting_line_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_counting *c = (blm_counting *)f;
    (void)it;
    return counting_raised(
        c, blm_tally_add(f->cells + blm_tally_start(h, c->lines), h, c->hashes, c->width), fresh);
}

BLM_BATCH(counting_line)
BLM_BATCH_ADD(counting_line)

/* one line, by vectors: batches only */

BLM_TALLY_QUICK static void counting_quick_has_many(const blm_filter *f, const blm_hash *h,
                                                    const uint64_t *a, size_t n, size_t more,
                                                    uint8_t *yes)
{
    const blm_counting *c = (const blm_counting *)f;
    (void)a;
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) counting_line_near(f, h[i + BLM_AHEAD]);
        yes[i] = blm_tally_has_quick(f->cells + blm_tally_start(h[i], c->lines), h[i], c->hashes);
    }
}

BLM_TALLY_QUICK static blm_err counting_quick_add_many(blm_filter *f, const blm_hash *h,
                                                       const uint64_t *a, size_t n, size_t more,
                                                       uint8_t *fresh, size_t *done)
{
    blm_counting *c = (blm_counting *)f;
    blm_census sum = {0, 0};
    bool any;
    (void)a;
    for (size_t i = 0; i < n; i++) {
        if (i + BLM_AHEAD < n + more) counting_line_near(f, h[i + BLM_AHEAD]);
        const blm_census change =
            blm_tally_add_quick(f->cells + blm_tally_start(h[i], c->lines), h[i], c->hashes);
        sum.used += change.used;
        sum.stuck += change.stuck;
        if (fresh) fresh[i] = change.used > 0;
    }
    *done = n;
    return counting_raised(c, sum, &any);
}

/* both */

static bool counting_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return ((const blm_counting *)f)->lines ? counting_line_has(f, h, it)
                                            : counting_spread_has(f, h, it);
}

static blm_err counting_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    return ((const blm_counting *)f)->lines ? counting_line_add(f, h, it, fresh)
                                            : counting_spread_add(f, h, it, fresh);
}

static void counting_near_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    (((const blm_counting *)f)->lines ? counting_line_near_many : counting_spread_near_many)(f, h,
                                                                                             n);
}

static void counting_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *yes)
{
    const blm_counting *c = (const blm_counting *)f;
    (c->quick   ? counting_quick_has_many
     : c->lines ? counting_line_has_many
                : counting_spread_has_many)(f, h, a, n, more, yes);
}

static blm_err counting_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                 size_t more, uint8_t *fresh, size_t *done)
{
    const blm_counting *c = (const blm_counting *)f;
    return (c->quick   ? counting_quick_add_many
            : c->lines ? counting_line_add_many
                       : counting_spread_add_many)(f, h, a, n, more, fresh, done);
}

static uint64_t counting_block(const blm_filter *f, uint64_t lo)
{
    const blm_counting *c = (const blm_counting *)f;
    return c->lines ? blm_reduce(lo, c->lines) : 0;
}

/* All are read before one is written: a refused delete leaves no trace. */
static blm_err counting_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_counting *c = (blm_counting *)f;
    const blm_counters all = counting_all(c);
    uint64_t at[64];
    if (!counting_has(f, h, it)) return BLM_E_ABSENT;
    const unsigned n = counting_places(c, h, at);
    for (unsigned i = 0; i < n; i++) c->used -= blm_counters_lower(&all, at[i], 1);
    return BLM_OK;
}

/* Never below the truth, unless a counter is stuck; how far above it, nobody knows. */
static blm_err counting_count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = counting_all(c);
    uint64_t at[64];
    (void)it;
    *n = blm_counters_estimate(&all, blm_counters_least(&all, at, counting_places(c, h, at)));
    return BLM_OK;
}

static size_t counting_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                             size_t cap)
{
    const blm_counting *c = (const blm_counting *)f;
    const blm_counters all = counting_all(c);
    (void)it;
    for (unsigned i = 0; i < c->hashes && i < cap; i++) {
        const uint64_t at = counting_place(c, h, i);
        out[i] = (blm_touch){at, at * c->width / 8, blm_counters_get(&all, at)};
    }
    return c->hashes;
}

static void counting_known(blm_counting *c, blm_census now)
{
    c->used = now.used;
    c->stuck = now.stuck;
    counting_notice(c);
}

static blm_err counting_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    const blm_counters all = counting_all((blm_counting *)f);
    const blm_counters other = counting_all((const blm_counting *)g);
    (void)why;
    counting_known((blm_counting *)f, blm_counters_merge(&all, &other));
    return BLM_OK;
}

static blm_err counting_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    const blm_counters all = counting_all((blm_counting *)f);
    if (!blm_packed_tail_zero(cells, f->bytes, all.width, all.count))
        return blm_fail(why, BLM_E_ARG, "a bit past the last counter is set");
    memcpy(f->cells, cells, (size_t)f->bytes);
    counting_known((blm_counting *)f, blm_counters_census(&all));
    return BLM_OK;
}

const blm_kind blm_kind_counting = {
    .name = "counting",
    .group = "counting",
    .version = 2,
    .size = sizeof(blm_counting),
    .needs = BLM_N_HASH64 | BLM_N_LO,
    .promises = BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT,
    .fields = counting_fields,
    .nfields = BLM_LEN(counting_fields),
    .knobs = counting_knobs,
    .nknobs = BLM_LEN(counting_knobs),
    .plan = counting_plan,
    .shape = counting_shape,
    .check = counting_check,
    .fpr = counting_fpr,
    .lines = counting_lines,
    .fill = counting_fill,
    .most = counting_most,
    .counts_by = {"width", 4},
    .touch = counting_touch,
    .has = counting_has,
    .add = counting_add,
    .near_many = counting_near_many,
    .has_many = counting_has_many,
    .add_many = counting_add_many,
    .block = counting_block,
    .del = counting_del,
    .count = counting_count,
    .merge = counting_merge,
    .keys = counting_keys,
    .adopt = counting_adopt,
};

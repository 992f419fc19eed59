/* adaptive_count.c - a plain array of bits in which the length of a run is the count.
 *
 * QUESTION  About how often was the key added, if counts are skewed and nobody knows how high they go?
 *
 * PICTURE   The first k hashes of a key are those of a Bloom filter. An endless sequence of further ones follows: each add
 *           walks along it over bits that are one, and sets the first zero. The length of that run is the count.
 *
 *              base bits      1 1 1 1        has: are they all set?
 *              further bits   1 1 1 0 ...    count: three ones, then a zero. The next add sets that zero.
 *
 *           Bits of other keys lengthen the run, never shorten it: it is at least the count. What they are
 *           expected to add is taken off again.
 *
 * COST      k + 1 bits for a new key, one for each time that it comes again: 16.7 bits per key at 1 % (k = 4), 21.3 at
 *           0.1 % (k = 5), if each key comes once. keys=N plans for N adds; repeat=R for N keys that come R times each, on
 *           average: 30.0 bits per key at 1 % with R = 5. At most 0.3 bits are set per bit, then 26 % are ones. has reads
 *           as standard does; add and count of a key that came t times read about k + 1.2 t bits.
 *           The count is an estimate: off by about sqrt(0.15 t) at that fill, and by 9 % of t if the adds of the key came all
 *           at one time. Runs end at `limit` bits: then the count is a lower bound.
 *
 * CHOOSE    adaptive-count when most keys come once, few very often, and a rough count is enough. Choose counting when
 *           keys are deleted, spectral for exact counts, space-code when adds must not read, count-min when only heavy keys
 *           matter. Plan for all adds: past half ones, what add and count read doubles again and again.
 *
 * PAPER     Matsumoto, Hazeyama, Kadobayashi: Adaptive Bloom Filter: A Space-Efficient Counting Algorithm for
 *           Unpredictable Network Traffic, IEICE Transactions, 2008. Theirs reports the run itself.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "parts/anywhere.h"
#include "parts/staged.h"
#include "parts/wish.h"
#include "runs.h"

static const blm_field adaptive_count_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, BLM_ADAPTIVE_COUNT_CELLS, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, base bits per key"),
    BLM_FIELD(blm_adaptive_count, limit, BLM_F_SHAPE, 2, 65535, "longest run of further bits"),
    BLM_FIELD(blm_adaptive_count, repeat, BLM_F_SHAPE, 1, 65535,
              "times that a key comes, as planned"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, BLM_ADAPTIVE_COUNT_CELLS, "bits that are one"),
};

enum { ADAPTIVE_LIMIT, ADAPTIVE_REPEAT };
static const blm_knobdef adaptive_count_knobs[] = {
    [ADAPTIVE_LIMIT] = {"limit", "longest run of bits, at which counts end", BLM_K_NUMBER,
                        .def = 4096, .min = 2, .max = 65535},
    [ADAPTIVE_REPEAT] = {"repeat", "times that a key comes, on average", BLM_K_NUMBER, .def = 1,
                         .min = 1, .max = 65535},
};

/* ---- theory ---------------------------------------------------------------------------- */

static blm_err adaptive_count_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                   blm_report *why)
{
    blm_adaptive_count *s = (blm_adaptive_count *)f;
    for (size_t i = 0; i < BLM_LEN(adaptive_count_knobs); i++)
        if (knobs->num[i] != floor(knobs->num[i]))
            return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number from %g to %g",
                            adaptive_count_knobs[i].name, knobs->num[i],
                            adaptive_count_knobs[i].min, adaptive_count_knobs[i].max);
    s->limit = (uint32_t)knobs->num[ADAPTIVE_LIMIT];
    s->repeat = (uint32_t)knobs->num[ADAPTIVE_REPEAT];
    s->flat.hashes = (uint8_t)wish->hashes;
    s->flat.cells = wish->bits;
    if (wish->bits) {
        if (!s->flat.hashes) s->flat.hashes = (uint8_t)blm_adaptive_count_hashes(s, wish->keys);
        return BLM_OK;
    }
    return blm_adaptive_count_size(s, wish->keys, wish->fpr)
               ? BLM_OK
               : blm_wish_beyond(wish, "2^58 bits", why);
}

static blm_rate adaptive_count_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_adaptive_count *s = (const blm_adaptive_count *)f;
    if (c) return blm_adaptive_count_rate(s, c->keys);
    const double p = blm_rate_from_fill(s->flat.ones, s->flat.cells, s->flat.hashes);
    return (blm_rate){p, p, 0};
}

static double adaptive_count_lines(const blm_filter *f, const blm_case *c)
{
    const blm_adaptive_count *s = (const blm_adaptive_count *)f;
    return blm_probes_to_reject(c ? blm_adaptive_count_fill(s, c->keys) : blm_flat_fill(f),
                                s->flat.hashes);
}

static uint64_t adaptive_count_max(const blm_filter *f)
{
    return ((const blm_adaptive_count *)f)->limit - UINT64_C(1);
}

/* ---- operations ------------------------------------------------------------------------- */

#define adaptive_count_prefetch blm_anywhere_prefetch
BLM_PREFETCH(adaptive_count)

/* What an add writes, and a count of a member reads first; more than 16 would leave the cache before their turn. */
static inline void adaptive_count_prefetch_all(const blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    for (unsigned i = 0; i <= s->hashes && i < 16; i++)
        blm_fetch(f->cells + blm_place(h, i, s->cells) / 8);
}

/* Ones along the places after those of the base; a place of the key's own that comes again is passed as well. */
static inline uint32_t adaptive_count_run(const blm_adaptive_count *s, blm_hash h)
{
    uint32_t run = 0;
    while (run < s->limit &&
           blm_bit_get(s->flat.base.cells, blm_place(h, s->flat.hashes + run, s->flat.cells)))
        run++;
    return run;
}

/* At the limit nothing is set any more: count tells. */
static inline blm_err adaptive_count_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_adaptive_count *s = (blm_adaptive_count *)f;
    blm_anywhere_add(f, h, it, fresh);
    const uint32_t run = adaptive_count_run(s, h);
    if (run < s->limit)
        s->flat.ones += blm_bit_set(f->cells, blm_place(h, s->flat.hashes + run, s->flat.cells));
    return BLM_OK;
}

BLM_BATCH_ADD(adaptive_count, adaptive_count_prefetch_all)

/* All base bits, and no further one: no add leaves a key so, and the count is 0 for certain. */
static inline blm_err adaptive_count_count(const blm_filter *f, blm_hash h, const blm_item *it,
                                           blm_estimate *n)
{
    const blm_adaptive_count *s = (const blm_adaptive_count *)f;
    const uint32_t run = blm_anywhere_has(f, h, it) ? adaptive_count_run(s, h) : 0;
    *n = blm_adaptive_count_of(run, s->limit, blm_flat_fill(f));
    return BLM_OK;
}

BLM_BATCH_COUNT(adaptive_count, adaptive_count_prefetch_all)

static bool adaptive_count_lens(const blm_filter *f, blm_lens *out)
{
    const blm_flat *s = (const blm_flat *)f;
    out->form = BLM_LENS_BITS;
    out->count = s->cells;
    out->hashes = s->hashes;
    return true;
}

const blm_kind blm_kind_adaptive_count = {
    .name = "adaptive-count",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_adaptive_count),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS,
    .copies = true, /* each add takes a bit more */
    .fields = adaptive_count_fields,
    .nfields = BLM_LEN(adaptive_count_fields),
    .knobs = adaptive_count_knobs,
    .nknobs = BLM_LEN(adaptive_count_knobs),
    .plan = adaptive_count_plan,
    .shape = blm_flat_shape,
    .check = blm_flat_check,
    .fpr = adaptive_count_fpr,
    .lines = adaptive_count_lines,
    .fill = blm_flat_fill,
    .max_count = adaptive_count_max,
    .touch = blm_flat_touch,
    .has = blm_anywhere_has,
    .add = adaptive_count_add,
    .prefetch_many = adaptive_count_prefetch_many,
    .has_many = blm_staged_has_many,
    .add_many = adaptive_count_add_many,
    .count_many = adaptive_count_count_many,
    .count = adaptive_count_count,
    .has_u64 = blm_staged_has_u64,
    .lens = adaptive_count_lens,
    .no_merge_reason =
        "a run of both is as long as the longer one, not as both together; count in one filter",
    .adopt = blm_flat_adopt,
};

/* build.c - one shard: its keys in the order of their starts, eliminated, and solved. */
#include <string.h>

#include "ribbon.h"
#include "core/core_internal.h"

typedef struct ribbon_shard {
    const blm_ribbon *r;
    blm_band band;
    uint64_t *x; /* hashes, sorted; those that are bumped move to the front */
    uint64_t n, bumped, noise;
    uint32_t mask; /* of the columns that are used */
    bool strict;   /* no row may be redundant      */
    uint8_t *head, *cells;
} ribbon_shard;

static blm_band_row ribbon_row_of(const ribbon_shard *s, unsigned layer, uint64_t x)
{
    blm_band_row row = blm_ribbon_row(s->r, layer, x);
    row.right &= s->mask;
    return row;
}

/* Where a key comes in the order: buckets rise, starts within a bucket fall. */
static uint64_t ribbon_place_of(const ribbon_shard *s, uint64_t x)
{
    const uint64_t last = (UINT64_C(1) << blm_ribbon_bucket_log2(s->r->width)) - 1;
    return blm_reduce(x, blm_band_starts(&s->r->layer[0])) ^ last;
}

/* Counting sort; the counters lie where the rows' numbers will be. */
static void ribbon_sort(ribbon_shard *s, const uint64_t *lo, uint64_t seed)
{
    uint32_t *count = s->band.right, at = 0;
    const uint64_t places = s->band.slots + RIBBON_REACH;
    memset(count, 0, places * sizeof *count);
    for (uint64_t i = 0; i < s->n; i++)
        count[ribbon_place_of(s, blm_ribbon_mix(s->r, lo[i], seed))]++;
    for (uint64_t i = 0; i < places; i++) {
        const uint32_t here = count[i];
        count[i] = at;
        at += here;
    }
    for (uint64_t i = 0; i < s->n; i++) {
        const uint64_t x = blm_ribbon_mix(s->r, lo[i], seed);
        s->x[count[ribbon_place_of(s, x)]++] = x;
    }
}

static void ribbon_empty(const ribbon_shard *s, uint64_t slots)
{
    memset(s->band.low, 0, slots * 8);
    if (s->band.high) memset(s->band.high, 0, slots * 8);
    memset(s->band.right, 0, slots * 4);
}

/* Keys into a layer, in order; false: one contradicts the others. */
static bool ribbon_put_all(const ribbon_shard *s, unsigned layer, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = layer ? blm_ribbon_bump(s->x[i]) : s->x[i];
        const uint64_t slot = blm_band_put(&s->band, ribbon_row_of(s, layer, x));
        if (slot == BLM_BAND_FAILED || (slot == BLM_BAND_REDUNDANT && s->strict)) return false;
    }
    return true;
}

/* The keys from .. to-1 of one bucket, by falling starts. Returns which of them are bumped, by its code: those with the smallest
 * starts, where rows of the bucket before stand already. */
static unsigned ribbon_put_bucket(const ribbon_shard *s, uint64_t from, uint64_t to)
{
    const unsigned width = s->r->width, log2 = blm_ribbon_bucket_log2(width);
    struct {
        uint64_t slot, offset;
    } stays[RIBBON_REACH]; /* at most one row per slot that the bucket reaches */
    size_t n = 0;
    for (uint64_t i = from; i < to; i++) {
        const blm_band_row row = ribbon_row_of(s, 0, s->x[i]);
        const uint64_t offset = row.start & ((UINT64_C(1) << log2) - 1),
                       slot = blm_band_put(&s->band, row);
        if (slot == BLM_BAND_FAILED) {
            unsigned code = 1;
            while (blm_ribbon_threshold(width, code) <= offset) code++;
            while (n && stays[n - 1].offset < blm_ribbon_threshold(width, code))
                blm_band_take_back(&s->band, stays[--n].slot);
            return code;
        }
        if (slot == BLM_BAND_REDUNDANT) continue;
        stays[n].slot = slot;
        stays[n++].offset = offset;
    }
    return 0;
}

/* All buckets; the hashes of keys that are bumped move to the front. */
static void ribbon_put_buckets(ribbon_shard *s)
{
    const unsigned log2 = blm_ribbon_bucket_log2(s->r->width);
    const uint64_t starts = blm_band_starts(&s->r->layer[0]), buckets = blm_ribbon_buckets(s->r);
    uint64_t i = 0, end;
    s->bumped = 0;
    for (uint64_t bucket = 0; bucket < buckets; bucket++, i = end) {
        end = i;
        while (end < s->n && blm_reduce(s->x[end], starts) >> log2 == bucket) end++;
        const unsigned code = ribbon_put_bucket(s, i, end);
        if (!code) continue;
        s->head[RIBBON_HEAD + bucket / 4] |= (uint8_t)(code << bucket % 4 * 2);
        uint64_t first = end;
        while (first > i && blm_ribbon_bumped(s->r, s->head, blm_reduce(s->x[first - 1], starts)))
            first--;
        while (first < end) s->x[s->bumped++] = s->x[first++];
    }
}

static bool ribbon_try(ribbon_shard *s, const blm_rows *rows, uint64_t seed)
{
    const blm_ribbon *r = s->r;
    memset(s->head, 0, r->head);
    blm_put64(s->head, seed);
    ribbon_sort(s, rows->lo, seed);
    ribbon_empty(s, r->blocks * BLM_BAND_BLOCK);
    if (r->form == RIBBON_BUMPED)
        ribbon_put_buckets(s);
    else if (!ribbon_put_all(s, 0, s->n))
        return false;
    blm_band_solve(&s->band, &r->layer[0], s->noise, s->cells);
    if (!r->spill) return true;
    ribbon_empty(s, r->spill * BLM_BAND_BLOCK);
    if (!ribbon_put_all(s, 1, s->bumped)) return false;
    blm_band_solve(&s->band, &r->layer[1], s->noise,
                   s->cells + blm_band_words(&r->layer[0], r->blocks) * 8);
    return true;
}

blm_err blm_ribbon_build_part(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *why)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    const uint64_t most = r->blocks > r->spill ? r->blocks : r->spill,
                   slots = most * BLM_BAND_BLOCK,
                   bytes = rows->n * 8 + slots * (r->width / 8 + 4) + (uint64_t)RIBBON_REACH * 4;
    if (rows->n >= UINT32_MAX)
        return blm_fail(why, BLM_E_ARG, "a shard has %zu keys; at most 2^32 - 2", rows->n);
    uint8_t *room = blm_take(&f->alloc, bytes);
    if (!room) return blm_fail(why, BLM_E_NOMEM, "no memory for the equations of a shard");
    ribbon_shard s = {.r = r, .x = (uint64_t *)room, .n = rows->n};
    s.band.low = s.x + s.n;
    s.band.high = r->width == 128 ? s.band.low + slots : NULL;
    s.band.right = (uint32_t *)(s.band.low + slots * (r->width / 64));
    s.band.slots = slots;
    s.mask = (uint32_t)((UINT64_C(1) << (r->columns + (r->narrow < r->blocks))) - 1);
    s.head = blm_ribbon_head(r, i);
    s.cells = blm_ribbon_section(r, i);
    bool done = false;
    for (unsigned t = 0; t < RIBBON_TRIES && !done; t++) {
        const uint64_t seed = blm_mix(t * BLM_SALT_STEP);
        /* Around a homogeneous row that is redundant some 160 slots are 0, and say yes to all: 1.7 times the rate, in a set of
         * 10,000 keys that has three. The last seed must do. */
        s.noise = r->form == RIBBON_HOMOGENEOUS ? blm_mix(seed + i + 1) | 1 : 0;
        s.strict = s.noise && t < RIBBON_TRIES - 1;
        done = ribbon_try(&s, rows, seed);
    }
    blm_put_back(&f->alloc, room, bytes);
    return done ? BLM_OK
                : blm_fail(why, BLM_E_BUILD, "shard %llu: no seed of %d worked for %zu keys",
                           (unsigned long long)i, RIBBON_TRIES, rows->n);
}

/* Rarely needed: where many shards are larger than planned, or rows contradict each other with 8 seeds. */
blm_err blm_ribbon_widen(blm_filter *f, blm_report *why)
{
    blm_ribbon *r = (blm_ribbon *)f;
    if (r->wider == RIBBON_WIDER)
        return blm_fail(why, BLM_E_BUILD, "no seed worked, nor did %d times more room",
                        RIBBON_WIDER);
    const bool all = r->narrow >= r->blocks;
    const uint64_t more = r->form == RIBBON_BUMPED ? 0 : r->blocks / 64 + 1;
    r->narrow += all ? more : r->narrow / 64;
    r->blocks += more;
    if (r->form == RIBBON_BUMPED) r->spill += r->blocks / 256 + r->spill / 16 + 1;
    r->wider++;
    return BLM_OK;
}

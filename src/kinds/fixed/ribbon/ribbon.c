/* ribbon.c - a fixed set in little more space than the least that any filter needs.
 *
 * QUESTION  Is the key in a fixed set, in the fewest bits per key?
 *
 * PICTURE   A key chooses a start and 64 coefficients. Its equation: the exclusive or of the slots under its ones is its
 *           fingerprint. All equations are solved together; the filter is the solution, and has no keys.
 *
 *             slot         0 1 2 3 4 5 6 7 8 9 ...        r bits each
 *             key          . . 1 0 1 1 0 1 . .            slot 2 ^ slot 4 ^ slot 5 ^ slot 7 = fingerprint?
 *             non-member   . . . . 1 1 0 1 0 .            equal by chance once in 2^r
 *
 *           Every 100,000 keys are a shard with a seed of its own. form=bumped: slots are fewer than keys, and where
 *           equations contradict each other, those with the smallest starts of the bucket of 128 slots go to a second
 *           layer; 2 bits per bucket tell which ones. form=standard: more slots than keys, and another seed when
 *           equations contradict each other. form=homogeneous: all fingerprints are 0, so that equations never
 *           contradict each other; slots that remain free get random bits.
 *           The first blocks have a bit per slot less than the others, so that 1 % is 1 % and not 1/128.
 *
 * COST      Bits per key in shards of 100,000, for the rate p:
 *
 *             form           width 64              width 128
 *             bumped         1.017 log2(1/p)       1.012 log2(1/p)       0.5 % more than the least in one shard
 *             standard       1.097 log2(1/p)       1.043 log2(1/p)
 *             homogeneous    1.104 log2(1/p)       1.057 log2(1/p)       at 2^-8
 *
 *           A fraction between two powers of two costs up to 0.086 bits more: 6.8 bits per key at 1 %.
 *           A query reads two neighbouring blocks: 2 to 3 cache lines at 1/256, and width 128 a third block.
 *
 * CHOOSE    ribbon if the set is fixed and memory matters most. Choose fuse where it may take 10 % more and answer in
 *           half the time or less. Choose blocked or standard if keys come one by one.
 *
 * PAPER     Dillinger, Walzer: Ribbon filter: practically smaller than Bloom and Xor, arXiv 2103.02515, 2021.
 *           Dillinger, Huebschle-Schneider, Sanders, Walzer: Fast succinct retrieval and approximate membership using
 *           ribbon, SEA 2022. Slots lie in blocks of 64 for width 128 too, so that its queries read 3 words per bit and not 4.
 */
#include "ribbon.h"
#include "lanes.h"

#include <string.h>

static const blm_field ribbon_fields[] = {
    BLM_FIELD(blm_ribbon, form, BLM_F_SHAPE, 0, 2, "0 bumped, 1 standard, 2 homogeneous"),
    BLM_FIELD(blm_ribbon, width, BLM_F_SHAPE, 64, 128, "coefficients per key: 64 or 128"),
    BLM_FIELD(blm_ribbon, columns, BLM_F_SHAPE, 1, 32, "bits per slot in the first blocks"),
    BLM_FIELD(blm_ribbon, wider, BLM_F_SHAPE, 0, RIBBON_WIDER, "how often it was given more room"),
    BLM_FIELD(blm_ribbon, shards, BLM_F_SHAPE, 1, RIBBON_SHARDS_MAX, "the number of shards"),
    BLM_FIELD(blm_ribbon, blocks, BLM_F_SHAPE, 1, RIBBON_BLOCKS_MAX,
              "blocks of 64 slots per shard"),
    BLM_FIELD(blm_ribbon, narrow, BLM_F_SHAPE, 0, RIBBON_BLOCKS_MAX,
              "blocks with that many bits per slot; the others have one more"),
    BLM_FIELD(blm_ribbon, spill, BLM_F_SHAPE, 0, RIBBON_BLOCKS_MAX,
              "blocks per shard for keys that are bumped"),
    BLM_FIELD(blm_ribbon, members, BLM_F_STATE, 0, UINT64_C(1) << 56, "the number of keys"),
};

static const blm_knobdef ribbon_knobs[] = {
    [RIBBON_FORM] = {"form",
                     "how contradictions are met; without it, the smaller of bumped and standard",
                     BLM_K_WORD, .def = RIBBON_BUMPED, .words = "bumped|standard|homogeneous"},
    [RIBBON_WIDTH] = {"width", "coefficients per key; 128 is smaller, and slower to build",
                      BLM_K_WORD, .def = 0, .words = "64|128"},
    [RIBBON_SHARDS] = {"shards", "parts that are built apart; 0: one per 100,000 keys",
                       BLM_K_NUMBER, .def = 0, .min = 0, .max = RIBBON_SHARDS_MAX},
};

/* ---- shape ------------------------------------------------------------------------------ */

/* The second layer has fewer columns at no larger a share of its starts than the first: its rate is not higher. */
void blm_ribbon_layers(blm_ribbon *r)
{
    const blm_band_shape first = {r->blocks, r->narrow, r->columns, r->width};
    r->layer[0] = r->layer[1] = first;
    r->layer[1].blocks = r->layer[1].narrow = r->spill;
    if (!r->spill || r->narrow >= r->blocks) return;
    const uint64_t narrow =
        r->narrow * blm_band_starts(&r->layer[1]) / blm_band_starts(&r->layer[0]);
    if (narrow < r->spill) r->layer[1].narrow = narrow; /* below 2^28 * 2^34 */
}

static blm_err ribbon_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_ribbon *r = (blm_ribbon *)f;
    const unsigned least = r->width / 64u, columns = r->columns + (unsigned)(r->narrow < r->blocks);
    if ((r->width != 64 && r->width != 128) || r->blocks < least || r->narrow > r->blocks ||
        columns > BLM_BAND_COLUMNS_MAX ||
        (r->form == RIBBON_BUMPED ? r->spill < least : r->spill > 0))
        return blm_fail(why, BLM_E_IMAGE, "damaged: no ribbon has such blocks");
    blm_ribbon_layers(r);
    uint64_t end = 0;
    const uint64_t words = blm_band_words(&r->layer[0], r->blocks) +
                           blm_band_words(&r->layer[1], r->spill); /* below 2^34 */
    r->head = blm_ribbon_head_bytes(r);
    r->section = words * 8;
    blm_section(&end, r->shards * (r->head / 8), 64, 8);
    r->first = blm_section(&end, r->shards * words, 64, 8); /* 2^24 shards: below 2^58 */
    *bytes = end;
    return BLM_OK;
}

/* The codes after the last bucket are zero. */
static blm_err ribbon_check(const blm_filter *f, blm_report *why)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    if (r->form != RIBBON_BUMPED) return BLM_OK;
    const uint64_t buckets = blm_ribbon_buckets(r), word = buckets / 32;
    for (uint64_t i = 0; buckets % 32 && i < r->shards; i++)
        if (blm_le64(blm_ribbon_head(r, i) + RIBBON_HEAD + word * 8) >> buckets % 32 * 2)
            return blm_fail(why, BLM_E_IMAGE, "damaged: a code after the last bucket is not zero");
    return BLM_OK;
}

/* The blocks of a band lie side by side. */
static double ribbon_lines(const blm_filter *f, const blm_case *c)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    const double columns = r->columns + 1 - (double)r->narrow / (double)r->blocks;
    const unsigned blocks = r->width / 64u + 1;
    return (void)c, 2 + (8 * columns * blocks - 8) / 64;
}

static blm_err ribbon_keys(const blm_filter *f, blm_estimate *n)
{
    const double keys = (double)((const blm_ribbon *)f)->members;
    *n = (blm_estimate){keys, keys, keys, false};
    return BLM_OK;
}

static uint64_t ribbon_parts(const blm_filter *f) { return ((const blm_ribbon *)f)->shards; }

static blm_err ribbon_built(blm_filter *f, uint64_t n, blm_report *why)
{
    ((blm_ribbon *)f)->members = n;
    return (void)why, BLM_OK;
}

/* ---- operations ------------------------------------------------------------------------- */

static bool ribbon_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    (void)it;
    if (!r->members) return false;
    const blm_ribbon_at at = blm_ribbon_find(r, h.lo);
    return blm_band_says(at.cells, &r->layer[at.layer], &at.row, false);
}

static inline void ribbon_fetch(const blm_ribbon *r, const blm_ribbon_at *at)
{
    const blm_band_shape *s = &r->layer[at->layer];
    const uint64_t block = at->row.start / BLM_BAND_BLOCK;
    const uint8_t *from = at->cells + blm_band_words(s, block) * 8;
    const unsigned bytes = blm_band_columns(s, block) * (r->width / 64 + 1) * 8u;
    for (unsigned i = 0; i < bytes; i += 64) blm_fetch(from + i);
    blm_fetch(from + bytes - 1);
}

static void ribbon_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    for (size_t i = 0; i < n && r->members; i++) {
        const blm_ribbon_at at = blm_ribbon_find(r, h[i].lo);
        ribbon_fetch(r, &at);
    }
}

/* Rows are computed once, when their blocks are fetched, and kept until they are asked. */
__attribute__((always_inline)) static inline void
ribbon_ask(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more, uint8_t *yes, bool counts)
{
    blm_ribbon_at row[BLM_AHEAD];
    for (size_t i = 0; i < n && i < BLM_AHEAD; i++) row[i] = blm_ribbon_find(r, h[i].lo);
    for (size_t i = 0; i < n; i++) {
        blm_ribbon_at *at = &row[i % BLM_AHEAD];
        yes[i] = blm_band_says(at->cells, &r->layer[at->layer], &at->row, counts);
        if (i + BLM_AHEAD >= n + more) continue;
        *at = blm_ribbon_find(r, h[i + BLM_AHEAD].lo);
        ribbon_fetch(r, at);
    }
}

void blm_ribbon_ask_plain(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more,
                          uint8_t *yes)
{
    ribbon_ask(r, h, n, more, yes, false);
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static void
ribbon_ask_counting(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more, uint8_t *yes)
{
    ribbon_ask(r, h, n, more, yes, true);
}
#endif

void blm_ribbon_ask_counting(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more,
                             uint8_t *yes)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt")) {
        ribbon_ask_counting(r, h, n, more, yes);
        return;
    }
#endif
    blm_ribbon_ask_plain(r, h, n, more, yes);
}

static void ribbon_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *yes)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    (void)a;
    if (!r->members) {
        memset(yes, 0, n);
        return;
    }
    if (blm_ribbon_avx512_fits(r)) {
        blm_ribbon_ask_avx512(r, h, n, more, yes);
        return;
    }
    blm_ribbon_ask_counting(r, h, n, more, yes);
}

static void ribbon_tell(const blm_ribbon *r, const uint8_t *p, blm_touch *out, size_t cap,
                        size_t *n)
{
    const uint64_t byte = (uint64_t)(p - r->base.cells);
    if (*n < cap) out[*n] = (blm_touch){byte / 8, byte, blm_le64(p)};
    ++*n;
}

/* Words: the seed, the codes of 32 buckets, and the columns of two or three blocks. */
static size_t ribbon_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                           size_t cap)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    const uint8_t *head = blm_ribbon_head(r, blm_reduce(h.lo, r->shards));
    const blm_ribbon_at at = blm_ribbon_find(r, h.lo);
    const blm_band_shape *s = &r->layer[at.layer];
    const uint64_t block = at.row.start / BLM_BAND_BLOCK;
    const uint64_t x = blm_ribbon_mix(r, h.lo, blm_le64(head)),
                   bucket = blm_reduce(x, blm_band_starts(&r->layer[0])) >>
                            blm_ribbon_bucket_log2(r->width);
    const unsigned blocks = r->width / 64u + (at.row.start % BLM_BAND_BLOCK > 0);
    size_t n = 0;
    (void)it;
    ribbon_tell(r, head, out, cap, &n);
    if (r->spill) ribbon_tell(r, head + RIBBON_HEAD + bucket / 32 * 8, out, cap, &n);
    for (unsigned i = 0; i < blocks; i++)
        for (unsigned j = 0; j < blm_band_columns(s, block); j++)
            ribbon_tell(r, at.cells + (blm_band_words(s, block + i) + j) * 8, out, cap, &n);
    return n;
}

const blm_kind blm_kind_ribbon = {
    .name = "ribbon",
    .group = "fixed",
    .version = 1,
    .size = sizeof(blm_ribbon),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO | BLM_NEEDS_SALTS,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT,
    .fields = ribbon_fields,
    .nfields = BLM_LEN(ribbon_fields),
    .knobs = ribbon_knobs,
    .nknobs = BLM_LEN(ribbon_knobs),
    .plan = blm_ribbon_plan,
    .shape = ribbon_shape,
    .check = ribbon_check,
    .fpr = blm_ribbon_fpr,
    .lines = ribbon_lines,
    .touch = ribbon_touch,
    .has = ribbon_has,
    .prefetch_many = ribbon_prefetch_many,
    .has_many = ribbon_has_many,
    .parts = ribbon_parts,
    .build_part = blm_ribbon_build_part,
    .widen = blm_ribbon_widen,
    .built = ribbon_built,
    .no_merge_reason = "its cells are the solution of equations of all its keys",
    .keys = ribbon_keys,
};

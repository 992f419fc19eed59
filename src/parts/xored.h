/* xored.h - what kinds share that keep a fixed set as cells, a few of which give a key's fingerprint when they are xored.
 *
 *     seeds   8 bytes per shard
 *     shard 0 `cells` cells of `width` bits, filled up with zero bits to whole words of 8 bytes
 *     shard 1 ...
 *
 * blm_reduce(h.lo, shards) is the shard of a key; x = blm_peel_mix(h.lo + the shard's seed) decides all else. All shards have
 * the same size. Each takes the first seed of a list with which its rows can be peeled (parts/peel.h).
 *
 * The kind gives the places of x as a static inline function, and stamps its questions and its build out of those below.
 */
#ifndef BLM_XORED_H
#define BLM_XORED_H
#include "core/xxh3.h"
#include "parts/peel.h"

enum {
    BLM_XORED_WIDTH = 32,
    BLM_XORED_TRIES = 8,    /* seeds per shard before all shards get more cells */
    BLM_XORED_WIDENED = 16, /* how often they do                                */
};

typedef struct blm_xored {
    blm_filter base;
    uint8_t width, arity, segment, widened; /* in the image: what the kind lists of these */
    uint64_t shards, segments, block, members;
    uint64_t cells, bytes, start; /* by shape: of a shard; its bytes; where shard 0 begins */
    uint64_t first;               /* by shape: how many cells may be the first of a key    */
} blm_xored;

#define BLM_XORED_KNOBS                                                                            \
    {"width",      "bits per fingerprint; 0: as many as the rate or the memory says",              \
     BLM_K_NUMBER, .def = 0,                                                                       \
     .min = 0,     .max = BLM_XORED_WIDTH},                                                        \
    {                                                                                              \
        "shards", "parts built on their own, at most one per key; 0: one per 2097152 keys",        \
            BLM_K_NUMBER, .def = 0, .min = 0, .max = 0x1p32                                        \
    }
enum { BLM_XORED_KNOB_WIDTH, BLM_XORED_KNOB_SHARDS, BLM_XORED_KNOB_OWN };

/* ---- plan and shape (xored.c) ------------------------------------------------------------- */

/* The geometry of a shard with that many keys: sets the fields of the kind, and returns the cells. */
typedef uint64_t (*blm_xored_fit)(blm_xored *s, double keys);

/* Sets width and shards, and by `fit` the geometry. */
blm_err blm_xored_plan(blm_xored *s, const blm_config *wish, const blm_knobs *knobs,
                       blm_xored_fit fit, blm_report *why);
/* After the kind has set `cells`. */
blm_err blm_xored_shape(blm_filter *f, uint64_t *bytes, blm_report *why);
blm_err blm_xored_check(const blm_filter *f, blm_report *why);
blm_rate blm_xored_fpr(const blm_filter *f, const blm_case *c);
double blm_xored_lines(const blm_filter *f, const blm_case *c);
double blm_xored_fill(const blm_filter *f);
blm_err blm_xored_keys(const blm_filter *f, blm_estimate *n);
uint64_t blm_xored_parts(const blm_filter *f);
blm_err blm_xored_built(blm_filter *f, uint64_t n, blm_report *why);
blm_err blm_xored_widen(blm_xored *s, blm_report *why);
/* The seed of try t, the same for all shards. */
static inline uint64_t blm_xored_seed(unsigned t) { return blm_mix((t + 1) * BLM_SALT_STEP); }

/* ---- one key ------------------------------------------------------------------------------- */

#define BLM_XORED_PRODUCT UINT64_C(0xd6e8feb86659fd93)
/* Up to 16 bits as the public libraries have them; places use the same bits of x, so longer ones are a product. */
static inline uint64_t blm_xored_print(uint64_t x, unsigned width)
{
    return width > 16 ? (x * BLM_XORED_PRODUCT) >> (64 - width)
                      : (x ^ x >> 32) & blm_packed_top(width);
}
static inline uint64_t blm_xored_print_of(const void *of, uint64_t x, uint32_t number)
{
    (void)number;
    return blm_xored_print(x, ((const blm_xored *)of)->width);
}

typedef struct blm_xored_at { /* a key, and the shard that it belongs to */
    uint64_t x, shard, byte;
} blm_xored_at;
static inline blm_xored_at blm_xored_find(const blm_xored *s, uint64_t lo)
{
    const uint64_t shard = s->shards == 1 ? 0 : blm_reduce(lo, s->shards);
    const uint64_t seed = blm_le64(s->base.cells + 8 * shard) + s->base.salt * BLM_SALT_STEP;
    return (blm_xored_at){blm_peel_mix(lo + seed), shard, s->start + shard * s->bytes};
}

BLM_PEEL_INLINE bool blm_xored_has(const blm_xored *s, uint64_t lo, unsigned arity,
                                   blm_peel_places places)
{
    uint64_t at[BLM_PEEL_ARITY];
    if (!s->members) return false;
    const blm_xored_at k = blm_xored_find(s, lo);
    const uint8_t *cells = s->base.cells + k.byte;
    const unsigned w = s->width;
    places(s, k.x, at);
    const uint64_t v = w == 8    ? blm_peel_ask(cells, s->bytes, 8, arity, at)
                       : w == 16 ? blm_peel_ask(cells, s->bytes, 16, arity, at)
                                 : blm_peel_ask(cells, s->bytes, w, arity, at);
    return v == blm_xored_print(k.x, w);
}

/* BLM_XORED_ONE(fuse) stamps fuse_one(), the kind's `one`, out of its fuse_has. There is nothing to add: core says so. */
#define BLM_XORED_ONE(K)                                                                           \
    static bool K##_one_has(const blm_filter *f, const void *key, size_t len)                      \
    {                                                                                              \
        if (!key && len) return false;                                                             \
        return K##_has(f, (blm_hash){blm_xxh3_any(key, len, f->seed), 0}, NULL);                   \
    }                                                                                              \
    static bool K##_one_has_u64(const blm_filter *f, uint64_t key)                                 \
    {                                                                                              \
        return K##_has(f, (blm_hash){blm_xxh3_u64(blm_xxh3_flip(f->seed), key), 0}, NULL);         \
    }                                                                                              \
    static const blm_one *K##_one(const blm_filter *f)                                             \
    {                                                                                              \
        static const blm_one row = {K##_one_has, K##_one_has_u64, blm_any_add, blm_any_add_u64};   \
        (void)f;                                                                                   \
        return &row;                                                                               \
    }

/* The seed of the shard, then the cells of the key. */
BLM_PEEL_INLINE size_t blm_xored_touch(const blm_xored *s, uint64_t lo, unsigned arity,
                                       blm_peel_places places, blm_touch *out, size_t cap)
{
    uint64_t at[BLM_PEEL_ARITY];
    if (!s->members) return 0;
    const blm_xored_at k = blm_xored_find(s, lo);
    places(s, k.x, at);
    if (cap) out[0] = (blm_touch){k.shard, 8 * k.shard, blm_le64(s->base.cells + 8 * k.shard)};
    for (unsigned j = 0; j < arity && j + 1 < cap; j++)
        out[j + 1] = (blm_touch){k.shard * s->cells + at[j], k.byte + at[j] * s->width / 8,
                                 blm_packed_get(s->base.cells + k.byte, s->bytes, s->width, at[j])};
    return arity + 1;
}

/* ---- many keys ----------------------------------------------------------------------------- */

enum { BLM_XORED_STAGE = 32 };
/* Where the cells of some keys are. Cell j of key i is in the low `width` bits of the word at byte at[j][i], moved down
 * by shift[j][i]; no word ends past the last cell. With width 8 and 16 there is no shift: at[j][i] is the cell itself. */
typedef struct blm_xored_stage {
    uint64_t at[BLM_PEEL_ARITY][BLM_XORED_STAGE], shift[BLM_PEEL_ARITY][BLM_XORED_STAGE];
    uint64_t print[BLM_XORED_STAGE];
} blm_xored_stage;
/* Finds the cells of n keys, at most BLM_XORED_STAGE; what stands in the columns after them is anything. */
typedef void blm_xored_finder(const blm_xored *s, const blm_hash *h, size_t n,
                              blm_xored_stage *out);

static inline bool blm_xored_is_even(unsigned width) { return width == 8 || width == 16; }

BLM_PEEL_INLINE void blm_xored_stage_each(const blm_xored *f, const blm_hash *h, size_t n,
                                          blm_xored_stage *out, unsigned width, unsigned arity,
                                          blm_peel_places places)
{
    const blm_xored own = *f, *s = &own; /* a copy: nothing that is written can change it */
    uint64_t at[BLM_PEEL_ARITY];
    for (size_t i = 0; i < n; i++) {
        const blm_xored_at k = blm_xored_find(s, h[i].lo);
        places(s, k.x, at);
        out->print[i] = blm_xored_print(k.x, width);
        for (unsigned j = 0; j < arity; j++) {
            if (blm_xored_is_even(width)) {
                out->at[j][i] = k.byte + at[j] * (width / 8);
                continue;
            }
            const blm_packed_at cell = blm_packed_find(s->bytes, width, at[j]);
            out->at[j][i] = k.byte + cell.byte;
            out->shift[j][i] = cell.shift;
        }
    }
}

/* A finder's loop, for this filter's width. */
BLM_PEEL_INLINE void blm_xored_stage_of(const blm_xored *s, const blm_hash *h, size_t n,
                                        blm_xored_stage *out, unsigned arity,
                                        blm_peel_places places)
{
    if (s->width == 8)
        blm_xored_stage_each(s, h, n, out, 8, arity, places);
    else if (s->width == 16)
        blm_xored_stage_each(s, h, n, out, 16, arity, places);
    else
        blm_xored_stage_each(s, h, n, out, s->width, arity, places);
}

/* A kind's has_many and prefetch_many, out of its finder. */
void blm_xored_has_many(const blm_xored *s, const blm_hash *h, size_t n, size_t more, uint8_t *yes,
                        blm_xored_finder *find);
void blm_xored_fetch_many(const blm_xored *s, const blm_hash *h, size_t n, blm_xored_finder *find);

/* ---- build --------------------------------------------------------------------------------- */

/* One seed after the other, until the rows can be peeled. */
BLM_PEEL_INLINE blm_err blm_xored_try(const blm_xored *s, blm_peel *p, const blm_rows *rows,
                                      uint64_t shard, unsigned turn, unsigned arity,
                                      blm_peel_places places)
{
    uint8_t *cells = s->base.cells + s->start + shard * s->bytes;
    for (unsigned t = 0; t < BLM_XORED_TRIES; t++) {
        const uint64_t seed = blm_xored_seed(t);
        if (t) blm_peel_clear(p);
        blm_peel_rows(p, rows->lo, seed + s->base.salt * BLM_SALT_STEP, turn);
        if (!blm_peel_order(p, arity, places, s)) continue;
        if (s->width == 8)
            blm_peel_write(p, cells, s->bytes, 8, arity, places, blm_xored_print_of, s);
        else
            blm_peel_write(p, cells, s->bytes, s->width, arity, places, blm_xored_print_of, s);
        blm_put64(s->base.cells + 8 * shard, seed);
        return BLM_OK;
    }
    return BLM_E_BUILD;
}
/* `turn`: by which bits of x the first place rises (blm_peel_rows). */
BLM_PEEL_INLINE blm_err blm_xored_build(blm_filter *f, uint64_t shard, const blm_rows *rows,
                                        unsigned turn, unsigned arity, blm_peel_places places,
                                        blm_report *why)
{
    const blm_xored *s = (const blm_xored *)f;
    blm_peel p;
    if (rows->n > BLM_PEEL_CELLS || blm_peel_new(&p, &f->alloc, rows->n, s->cells, false))
        return blm_fail(why, BLM_E_NOMEM, "no memory to build a shard of %zu keys", rows->n);
    const blm_err err = blm_xored_try(s, &p, rows, shard, turn, arity, places);
    blm_peel_free(&p, &f->alloc);
    return err ? blm_fail(why, err, "shard %llu: no seed out of %d separates its %zu keys",
                          (unsigned long long)shard, BLM_XORED_TRIES, rows->n)
               : BLM_OK;
}
#endif

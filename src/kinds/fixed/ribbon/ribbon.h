/* ribbon.h - what the files of this room share: the fields, where cells lie, and the row of a key. */
#ifndef BLM_KIND_RIBBON_H
#define BLM_KIND_RIBBON_H
#include "core/kind.h"
#include "parts/band.h"

typedef enum blm_ribbon_form { RIBBON_BUMPED, RIBBON_STANDARD, RIBBON_HOMOGENEOUS } blm_ribbon_form;

enum {
    RIBBON_TRIES = 8,   /* seeds per shard               */
    RIBBON_WIDER = 8,   /* how often a filter is widened */
    RIBBON_HEAD = 8,    /* bytes of a seed               */
    RIBBON_REACH = 640, /* slots of the largest bucket, and of a band after it */
};
enum { RIBBON_FORM, RIBBON_WIDTH, RIBBON_SHARDS }; /* knobs */
#define RIBBON_BLOCKS_MAX (UINT64_C(1) << 28)
#define RIBBON_SHARDS_MAX (UINT64_C(1) << 24)

typedef struct blm_ribbon {
    blm_filter base;
    uint64_t shards, blocks, narrow, spill, members;
    uint8_t form, width, columns, wider;
    /* Not in the image: */
    uint64_t head;           /* bytes of a seed and its thresholds, per shard */
    uint64_t first, section; /* where the blocks of shard 0 begin; bytes per shard */
    blm_band_shape layer[2];
} blm_ribbon;

/* Slots per bucket: about w^2 / (4 log2 w), as a power of two. */
static inline unsigned blm_ribbon_bucket_log2(unsigned width) { return width == 64 ? 7 : 9; }

/* Offsets below this one are bumped. Code 0: none; 3: all. */
static inline uint64_t blm_ribbon_threshold(unsigned width, unsigned code)
{
    static const uint16_t of[2][4] = {{0, 14, 40, 128}, {0, 40, 100, 512}};
    return of[width != 64][code & 3];
}

static inline uint64_t blm_ribbon_buckets(const blm_ribbon *r)
{
    const unsigned log2 = blm_ribbon_bucket_log2(r->width);
    return (blm_band_starts(&r->layer[0]) + (UINT64_C(1) << log2) - 1) >> log2;
}

/* Seed and codes of a shard: 2 bits per bucket, in words. */
static inline uint64_t blm_ribbon_head_bytes(const blm_ribbon *r)
{
    return RIBBON_HEAD + (r->spill ? (blm_ribbon_buckets(r) + 31) / 32 * 8 : 0);
}

static inline uint8_t *blm_ribbon_head(const blm_ribbon *r, uint64_t shard)
{
    return r->base.cells + shard * r->head;
}

static inline uint8_t *blm_ribbon_section(const blm_ribbon *r, uint64_t shard)
{
    return r->base.cells + r->first + shard * r->section;
}

/* The hash of a key within its shard. */
static inline uint64_t blm_ribbon_mix(const blm_ribbon *r, uint64_t lo, uint64_t seed)
{
    return blm_mix(lo + seed + r->base.salt * BLM_SALT_STEP);
}

/* The hash of a key that is bumped. */
static inline uint64_t blm_ribbon_bump(uint64_t x) { return blm_mix(x + BLM_SALT_STEP); }

/* One odd factor for each thing that is drawn from the hash of a key, besides its start: the hash is mixed already and needs no more than a
 * product, whose upper half is folded onto the lower, and lanes.c has eight of them at a time. */
#define RIBBON_LOW    UINT64_C(0xd1342543de82ef95)
#define RIBBON_HIGH   UINT64_C(0xaf251af3b0f025b5)
#define RIBBON_NUMBER UINT64_C(0xb564ef22ec7aece5)

static inline uint64_t blm_ribbon_drawn(uint64_t x, uint64_t factor)
{
    x *= factor;
    return x ^ x >> 32;
}

/* The row of a key in a layer. Its start rises with x. */
static inline blm_band_row blm_ribbon_row(const blm_ribbon *r, unsigned layer, uint64_t x)
{
    blm_band_row row = {blm_ribbon_drawn(x, RIBBON_LOW) | 1, 0,
                        blm_reduce(x, blm_band_starts(&r->layer[layer])), 0};
    if (r->width == 128) row.high = blm_ribbon_drawn(x, RIBBON_HIGH);
    if (r->form != RIBBON_HOMOGENEOUS) row.right = (uint32_t)(x * RIBBON_NUMBER >> 32);
    return row;
}

/* Is a key that starts there bumped? */
static inline bool blm_ribbon_bumped(const blm_ribbon *r, const uint8_t *head, uint64_t start)
{
    const unsigned log2 = blm_ribbon_bucket_log2(r->width);
    const uint64_t bucket = start >> log2, offset = start & ((UINT64_C(1) << log2) - 1);
    const unsigned code = head[RIBBON_HEAD + bucket / 4] >> bucket % 4 * 2 & 3;
    return offset < blm_ribbon_threshold(r->width, code);
}

/* Where a key lies: its row, in a layer of a shard. */
typedef struct blm_ribbon_at {
    const uint8_t *cells; /* of the layer */
    blm_band_row row;
    unsigned layer;
} blm_ribbon_at;

static inline blm_ribbon_at blm_ribbon_find(const blm_ribbon *r, uint64_t lo)
{
    const uint64_t shard = blm_reduce(lo, r->shards);
    const uint8_t *head = blm_ribbon_head(r, shard);
    const uint64_t x = blm_ribbon_mix(r, lo, blm_le64(head));
    blm_ribbon_at at = {blm_ribbon_section(r, shard), blm_ribbon_row(r, 0, x), 0};
    if (r->spill && blm_ribbon_bumped(r, head, at.row.start)) {
        at.layer = 1;
        at.cells += blm_band_words(&r->layer[0], r->blocks) * 8;
        at.row = blm_ribbon_row(r, 1, blm_ribbon_bump(x));
    }
    return at;
}

blm_err blm_ribbon_plan(blm_filter *f, const blm_config *wish, const blm_knobs *k, blm_report *why);
/* Where slots lie, by the fields. */
void blm_ribbon_layers(blm_ribbon *r);
blm_rate blm_ribbon_fpr(const blm_filter *f, const blm_case *c);
blm_err blm_ribbon_build_part(blm_filter *f, uint64_t i, const blm_rows *rows, blm_report *why);
blm_err blm_ribbon_widen(blm_filter *f, blm_report *why);
#endif

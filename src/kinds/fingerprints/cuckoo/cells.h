/* cells.h - two tables of buckets of rests, plain or sorted: where a fingerprint may lie, and what its buckets hold.
 *
 *     plain    | rest | rest | rest | rest |                 `slots` rests of `low` bits; 0: empty
 *     sorted   | code, 12 bits | low | low | low | low |     4 rests, the smallest first: the code has the highest 4 bits
 *                                                            of each, `low` - 4 bits of each follow
 *
 * Buckets are counted through both tables: from 0 in the first, from `across` in the second. Nothing that a bucket's
 * bytes say leads outside: a code that is none is read as the first one.
 */
#ifndef BLM_CUCKOO_CELLS_H
#define BLM_CUCKOO_CELLS_H
#include "codes.h"
#include "core/kind.h"
#include "parts/prints.h"

enum {
    BLM_CUCKOO_SLOTS = 8,  /* most slots of a bucket                                   */
    BLM_CUCKOO_LEAST = 5,  /* fewest bits of a rest: with 3, tables fill to 62 % only */
    BLM_CUCKOO_WIDTH = 56, /* most of them                                             */
    BLM_CUCKOO_ACROSS = 48
};

typedef struct blm_cuckoo {
    blm_filter base;
    uint64_t buckets; /* of one table, as planned                                           */
    uint64_t used,
        different;        /* slots; fingerprints                                                */
    uint64_t pairs;       /* of these fingerprints, those that stand for two numbers: rest 1    */
    uint8_t slots, width; /* of a bucket; bits of a rest, as planned                            */
    uint8_t form, twins;  /* 1: sorted; 1: once                                                 */
    uint8_t doublings;    /* grown so often: 2^doublings buckets, width - doublings             */
    uint64_t range;       /* by shape: N                                                        */
    unsigned wide;        /* by shape: bits of a bucket                                         */
    blm_prints now;       /* by shape: as it has grown                                          */
} blm_cuckoo;

typedef struct blm_cuckoo_place { /* of a fingerprint: its buckets, and what lies there */
    uint64_t at[2], rest;
} blm_cuckoo_place;

/* What a bucket holds: slots with one given rest, and empty ones. */
typedef struct blm_cuckoo_seen {
    unsigned same, empty;
} blm_cuckoo_seen;

/* ---- where ------------------------------------------------------------------------------------ */

static inline uint64_t blm_cuckoo_print(const blm_cuckoo *s, blm_hash h)
{
    return blm_reduce(h.lo, s->range);
}

static inline blm_cuckoo_place blm_cuckoo_find(const blm_cuckoo *s, uint64_t print)
{
    const blm_prints *p = &s->now;
    const uint64_t rest = blm_prints_rest(p, print), first = print >> p->low,
                   turned = first + blm_prints_turn(p, 1, rest);
    return (blm_cuckoo_place){{first, turned < p->across ? turned + p->across : turned}, rest};
}

/* The bucket in the other table of a rest that lies in this one. */
static inline uint64_t blm_cuckoo_other(const blm_cuckoo *s, uint64_t bucket, uint64_t rest)
{
    const uint64_t across = s->now.across, turn = blm_prints_turn(&s->now, 1, rest);
    if (bucket < across) return bucket + turn + (bucket + turn < across ? across : 0);
    return bucket - across >= turn ? bucket - across - turn : bucket - turn;
}

/* At least 57 bits from this one on, or all up to the end of the region. */
static inline uint64_t blm_cuckoo_bits(const blm_cuckoo *s, uint64_t bit)
{
    const blm_packed_at at = blm_packed_find(s->base.bytes, 1, bit);
    return blm_le64(s->base.cells + at.byte) >> at.shift;
}

/* The first bit of a slot of a plain bucket. */
static inline uint64_t blm_cuckoo_bit(const blm_cuckoo *s, uint64_t bucket, uint64_t slot)
{
    return bucket * s->wide + slot * s->now.bits;
}

/* The first bit of a slot of a sorted bucket: slot 0 begins with the code. */
static inline uint64_t blm_cuckoo_sorted_bit(const blm_cuckoo *s, uint64_t bucket, uint64_t slot)
{
    return bucket * s->wide + (slot ? BLM_CUCKOO_CODE + slot * (s->now.low - 4) : 0);
}

static inline void blm_cuckoo_fetch(const blm_cuckoo *s, uint64_t bucket)
{
    blm_fetch(s->base.cells + bucket * s->wide / 8);
}

/* ---- plain buckets ------------------------------------------------------------------------------- */

/* The highest bit of each lane that is zero. */
static inline uint64_t blm_cuckoo_zeros(const blm_prints *p, uint64_t lanes)
{
    return blm_prints_some(p, lanes) ^ p->top;
}

/* How many lanes have their highest bit: at most 8, and a lane has 5 bits. */
static inline unsigned blm_cuckoo_ones(const blm_prints *p, uint64_t tops)
{
    return (unsigned)((tops >> (p->bits - 1)) * p->ones >> (p->run - 1) * p->bits) & 15;
}

/* Of a bucket that one load has. */
static inline blm_cuckoo_seen blm_cuckoo_seen_one(const blm_prints *p, uint64_t lanes,
                                                  uint64_t rest)
{
    return (blm_cuckoo_seen){
        blm_cuckoo_ones(p, blm_cuckoo_zeros(p, lanes ^ rest * p->ones)),
        blm_cuckoo_ones(p, blm_cuckoo_zeros(p, lanes)),
    };
}

/* The lanes of a load that has `left` slots or more of the bucket. */
static inline uint64_t blm_cuckoo_inside(const blm_prints *p, unsigned left)
{
    return left < p->run ? p->top & blm_packed_top(left * p->bits) : p->top;
}

static inline blm_cuckoo_seen blm_cuckoo_seen_plain(const blm_cuckoo *s, uint64_t bucket,
                                                    uint64_t rest)
{
    const blm_prints *p = &s->now;
    blm_cuckoo_seen seen = {0, 0};
    for (unsigned slot = 0; slot < p->slots; slot += p->run) {
        const uint64_t lanes = blm_cuckoo_bits(s, blm_cuckoo_bit(s, bucket, slot));
        const uint64_t inside = blm_cuckoo_inside(p, p->slots - slot);
        const uint64_t same = blm_cuckoo_zeros(p, lanes ^ rest * p->ones) & inside;
        seen.same += blm_cuckoo_ones(p, same);
        seen.empty += blm_cuckoo_ones(p, blm_cuckoo_zeros(p, lanes) & inside);
    }
    return seen;
}

/* ---- sorted buckets ------------------------------------------------------------------------------- */

/* The four rests, the smallest first. */
static inline void blm_cuckoo_sorted_read(const blm_cuckoo *s, uint64_t bucket, uint64_t rest[4])
{
    const unsigned low = s->now.low - 4;
    const uint64_t bit = bucket * s->wide, word = blm_cuckoo_bits(s, bit),
                   code = word & ((UINT64_C(1) << BLM_CUCKOO_CODE) - 1);
    const uint64_t numbers = blm_cuckoo_numbers[code < BLM_CUCKOO_CODES ? code : 0];
    const bool one = s->wide <= 57;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = BLM_CUCKOO_CODE + i * low;
        const uint64_t lows = one ? word >> at : blm_cuckoo_bits(s, bit + at);
        rest[i] = (lows & blm_packed_top(low)) | (numbers >> 4 * i & 15) << low;
    }
}

static inline blm_cuckoo_seen blm_cuckoo_seen_sorted(const blm_cuckoo *s, uint64_t bucket,
                                                     uint64_t rest)
{
    uint64_t all[4];
    blm_cuckoo_seen seen = {0, 0};
    blm_cuckoo_sorted_read(s, bucket, all);
    for (unsigned i = 0; i < 4; i++) seen.same += all[i] == rest, seen.empty += all[i] == 0;
    return seen;
}

/* ---- buckets ---------------------------------------------------------------------------------------- */

static inline blm_cuckoo_seen blm_cuckoo_see(const blm_cuckoo *s, uint64_t bucket, uint64_t rest)
{
    return s->form ? blm_cuckoo_seen_sorted(s, bucket, rest)
                   : blm_cuckoo_seen_plain(s, bucket, rest);
}

/* How often a fingerprint is there. */
static inline unsigned blm_cuckoo_times(const blm_cuckoo *s, const blm_cuckoo_place *x)
{
    return blm_cuckoo_see(s, x->at[0], x->rest).same + blm_cuckoo_see(s, x->at[1], x->rest).same;
}

/* ---- table.c -------------------------------------------------------------------------------------------- */

uint64_t blm_cuckoo_get(const blm_cuckoo *s, uint64_t bucket, unsigned slot);
/* A sorted bucket is put into order. */
void blm_cuckoo_set(blm_cuckoo *s, uint64_t bucket, unsigned slot, uint64_t rest);
/* Once more: a and b are what its two buckets hold. FULL: nothing has changed. */
blm_err blm_cuckoo_put(blm_cuckoo *s, const blm_cuckoo_place *x, blm_cuckoo_seen a,
                       blm_cuckoo_seen b, bool *fresh);
/* Once less. ABSENT: it is not there. */
blm_err blm_cuckoo_take(blm_cuckoo *s, const blm_cuckoo_place *x);
/* As kind->check. */
blm_err blm_cuckoo_check(const blm_filter *f, blm_report *why);
/* All fingerprints of s, and those of g if there is one, in tables that have grown so often. An error: nothing
 * changed. */
blm_err blm_cuckoo_rebuild(blm_cuckoo *s, const blm_cuckoo *g, unsigned doublings, blm_report *why);
blm_err blm_cuckoo_shape(blm_filter *f, uint64_t *bytes, blm_report *why);
blm_err blm_cuckoo_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why);

/* ---- many.c: the kind's calls of these names ----------------------------------------------------- */

void blm_cuckoo_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes);
blm_err blm_cuckoo_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *fresh, size_t *done);

/* ---- rates.c: buckets and bits for a wish, and the kind's calls of these names ------------------------ */

blm_err blm_cuckoo_size(blm_cuckoo *s, const blm_config *wish, blm_report *why);
blm_rate blm_cuckoo_fpr(const blm_filter *f, const blm_case *c);
double blm_cuckoo_fill(const blm_filter *f);
double blm_cuckoo_lines(const blm_filter *f, const blm_case *c);
blm_err blm_cuckoo_keys(const blm_filter *f, blm_estimate *n);
#endif

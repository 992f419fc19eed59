/* groups.h - what the files of space-code share: its struct, its sizes, and what groups that are seen tell. */
#ifndef BLM_SPACE_CODE_GROUPS_H
#define BLM_SPACE_CODE_GROUPS_H
#include "parts/flat.h"
#include "parts/probe.h"

enum { SPACE_CODE_FILTERS = 8, SPACE_CODE_GROUPS = 64, SPACE_CODE_READS = BLM_TOUCH_MAX };
enum { SPACE_CODE_MLE, SPACE_CODE_MVE };
#define SPACE_CODE_CELLS (UINT64_C(1) << 58)

typedef struct blm_space_code {
    blm_flat first;  /* filter 1, and the k of all                       */
    uint64_t random; /* adds so far: each draws its groups by it         */
    union {
        struct {
            uint64_t ones_2, ones_3, ones_4, ones_5, ones_6, ones_7, ones_8;
        };
        uint64_t more[SPACE_CODE_FILTERS - 1];
    };
    uint32_t share; /* q, of 2^32                                       */
    uint8_t groups, resolutions, decode;
    /* By shape: bits, first byte, and 2^64 times the chance of an add, by filter. That of the first is 1. */
    uint64_t bits[SPACE_CODE_FILTERS], start[SPACE_CODE_FILTERS], chance[SPACE_CODE_FILTERS];
} blm_space_code;

static inline double blm_space_code_chance(const blm_space_code *s, unsigned filter)
{
    return filter ? (double)s->chance[filter] * 0x1p-64 : 1;
}

/* With that many adds. */
blm_rate blm_space_code_rate(const blm_space_code *s, uint64_t adds);
/* By the ones of filter 1. */
double blm_space_code_rate_now(const blm_space_code *s);
/* Sets the cells of filter 1, and hashes where they are 0: the fewest bits that keep the rate. False: too many. */
bool blm_space_code_size(blm_space_code *s, uint64_t adds, double rate);
unsigned blm_space_code_best(const blm_space_code *s, uint64_t adds); /* hashes for its cells */

/* How many groups of a key each filter has, and the chance that it has one by bits of others. */
typedef struct blm_space_code_seen {
    unsigned groups[SPACE_CODE_FILTERS];
    double by_others[SPACE_CODE_FILTERS];
} blm_space_code_seen;
blm_estimate blm_space_code_decode(const blm_space_code *s, const blm_space_code_seen *seen);
/* The count at which all groups of the last filter have come, on average. */
double blm_space_code_most(const blm_space_code *s);

/* ---- cells (cells.c) ------------------------------------------------------------------------- */

static inline uint64_t *blm_space_code_ones(blm_space_code *s, unsigned filter)
{
    return filter ? &s->more[filter - 1] : &s->first.ones;
}

/* As the kind's calls of these names. */
blm_err blm_space_code_shape(blm_filter *f, uint64_t *bytes, blm_report *why);
blm_err blm_space_code_check(const blm_filter *f, blm_report *why);
blm_err blm_space_code_merge(blm_filter *f, const blm_filter *g, blm_report *why);
/* The largest filter 1 with which all fit. */
blm_err blm_space_code_fit(blm_space_code *s, uint64_t bits, blm_report *why);
/* A query reads at most BLM_TOUCH_MAX bits. */
blm_err blm_space_code_reads(const blm_space_code *s, blm_report *why);

/* ---- places ---------------------------------------------------------------------------------- */

static inline blm_hash space_code_salted(blm_hash h, unsigned filter)
{
    return filter ? blm_resalt(h, filter) : h;
}

/* Bit i of a group; `own` is the key's hash in this filter. */
static inline uint64_t space_code_place(const blm_space_code *s, blm_hash own, unsigned filter,
                                        unsigned group, unsigned i)
{
    return blm_place(own, group * s->first.hashes + i, s->bits[filter]);
}

/* The groups whose first two bits are set, as bits of a word. No branch depends on a cell: half of the groups end at each
 * bit, which a processor cannot guess. */
static inline uint64_t space_code_begun(const blm_space_code *s, blm_hash own, unsigned filter)
{
    const uint8_t *cells = s->first.base.cells + s->start[filter];
    const unsigned second = s->first.hashes > 1;
    uint64_t begun = 0;
    for (unsigned g = 0; g < s->groups; g++) {
        const unsigned one = blm_bit_get(cells, space_code_place(s, own, filter, g, 0)),
                       two = blm_bit_get(cells, space_code_place(s, own, filter, g, second));
        begun |= (uint64_t)(one & two) << g;
    }
    return begun;
}

/* Of a group whose first two bits are set: all of them? */
static inline bool space_code_whole(const blm_space_code *s, blm_hash own, unsigned filter,
                                    unsigned group)
{
    const uint8_t *cells = s->first.base.cells + s->start[filter];
    for (unsigned i = 2; i < s->first.hashes; i++)
        if (!blm_bit_get(cells, space_code_place(s, own, filter, group, i))) return false;
    return true;
}

/* What add number `turn` draws: the word of each filter says whether it sees the add, a second one which group. */
typedef struct space_code_draw {
    uint64_t words;
} space_code_draw;

static inline space_code_draw space_code_drawn(uint64_t turn, blm_hash h)
{
    return (space_code_draw){blm_mix(turn * BLM_SALT_STEP + h.lo)};
}

static inline bool space_code_sees(const blm_space_code *s, space_code_draw d, unsigned filter)
{
    return !filter || blm_stream(d.words, filter) < s->chance[filter];
}

static inline unsigned space_code_pick(const blm_space_code *s, space_code_draw d, unsigned filter)
{
    return (unsigned)blm_reduce(blm_stream(d.words, SPACE_CODE_FILTERS + filter), s->groups);
}
#endif

/* pool.h - strings of bits, one for each group of cells, which become longer and shorter bit by bit.
 *
 * The strings of up to 16 groups lie in one page, one after the other in the order of their groups, without gaps:
 *
 *     | length 0 | length 1 | ... |  string 0  | string 1 |  string 2  | ... | free: zeros |
 *       16 bits each, whole words    <--------------- `words` words of 64 bits --------------->
 *
 * An insert moves what follows in its page, at most a few hundred bytes, and nothing in any other page. Where strings lie
 * follows from their lengths alone, so equal strings are equal bytes, whatever came and went before. All pages have the
 * same size. When one of them is full, all get more room: w words become w + w/8 + 1. Lengths may be forged: whatever
 * they say, no bit outside of the page is read or written.
 */
#ifndef BLM_POOL_H
#define BLM_POOL_H
#include "core/kind.h"
#include "core/mul128.h"
#include "parts/bits.h"

enum { BLM_POOL_GROUPS = 16, BLM_POOL_STEPS = 80 };

/* Numbers alone: the cells of a filter move when it grows. */
typedef struct blm_pool {
    uint64_t at, pages, stride; /* offset of page 0; bytes per page */
    uint64_t inverse;       /* of a_page, in 2^64ths, rounded up: a product instead of a division */
    uint32_t a_page, words; /* groups per page; words for their strings */
} blm_pool;

typedef struct blm_page {
    uint8_t *head, *bits;
    uint32_t groups, words;
} blm_page;

/* The fewest pages of at most 16 groups, all with equally many, but the last. */
static inline blm_pool blm_pool_of(uint64_t groups)
{
    blm_pool p = {.pages = (groups + BLM_POOL_GROUPS - 1) / BLM_POOL_GROUPS};
    p.a_page = (uint32_t)((groups + p.pages - 1) / p.pages);
    p.inverse = UINT64_MAX / p.a_page + 1;
    return p;
}

/* The page of a group below 2^60. One group alone has a page alone, and there 2^64 becomes 0: it is page 0. */
static inline uint64_t blm_pool_page_of(const blm_pool *p, uint64_t group)
{
    return blm_reduce(group, p->inverse);
}

/* Words of a page that began with `spare` and has grown `steps` times; at most `max`. */
static inline uint32_t blm_pool_words(uint32_t spare, unsigned steps, uint32_t max)
{
    while (steps-- > 0 && spare < max) spare += spare / 8 + 1;
    return spare < max ? spare : max;
}

/* Pages begin at offset `at`, which is a multiple of 8, and have that many words. Returns the end of the last one. */
static inline uint64_t blm_pool_place(blm_pool *p, uint64_t at, uint32_t words)
{
    p->at = at;
    p->words = words;
    p->stride = (p->a_page + UINT64_C(3)) / 4 * 8 + words * UINT64_C(8);
    return at + p->pages * p->stride;
}

static inline blm_page blm_pool_page(const blm_pool *p, uint8_t *cells, uint64_t i)
{
    uint8_t *head = cells + p->at + i * p->stride;
    return (blm_page){head, head + p->stride - p->words * UINT64_C(8), p->a_page, p->words};
}

static inline uint64_t blm_page_room(const blm_page *p) { return p->words * UINT64_C(64); }

static inline unsigned blm_page_length(const blm_page *p, unsigned group)
{
    return blm_le16(p->head + (size_t)2 * group);
}

/* Where the string of a group begins: the sum of all lengths before it, four at a time. */
static inline uint64_t blm_page_start(const blm_page *p, unsigned group)
{
    const uint64_t even = UINT64_C(0x0000ffff0000ffff), room = blm_page_room(p);
    uint64_t sum = 0;
    for (unsigned i = 0; i < group; i += 4) {
        uint64_t w = blm_le64(p->head + (size_t)2 * i);
        if (group - i < 4) w &= (UINT64_C(1) << 16 * (group - i)) - 1;
        sum += (w & even) + (w >> 16 & even);
    }
    sum = (sum & UINT32_MAX) + (sum >> 32);
    return sum < room ? sum : room;
}

/* Bits of all strings; the others are zero. */
static inline uint64_t blm_page_used(const blm_page *p) { return blm_page_start(p, p->groups); }

/* Opens a gap of n zeros at bit `at` of the page, in the string of that group; closes one. n is 1 to 63, `at` is in the string
 * or at its end. There must be room; where forged lengths leave none, nothing happens. */
void blm_page_open(const blm_page *p, unsigned group, uint64_t at, unsigned n);
void blm_page_close(const blm_page *p, unsigned group, uint64_t at, unsigned n);
/* The cells of f, which begin with the bits before its pages, with pages `to` and that many bytes in all. NOMEM: nothing has
 * changed. f's own numbers are for the caller. */
blm_err blm_pool_grow(blm_filter *f, const blm_pool *p, const blm_pool *to, uint64_t bytes);
/* Are the lengths past the last group of the page zero, and all bits past its last string? */
bool blm_page_tidy(const blm_page *p);
/* Ones before bit `rank` of n bits from `from` on, and in all of them; n is at most 256, and all lie in whole words. */
typedef struct blm_pool_ones {
    uint64_t before, all;
} blm_pool_ones;
blm_pool_ones blm_pool_count(const uint8_t *bits, uint64_t from, uint64_t rank, uint64_t n);

/* ---- plans ------------------------------------------------------------------------------- */

/* What all strings take: a sum of many independent terms, none above `step`. */
typedef struct blm_pool_load {
    double mean, variance, step;
    double most; /* for certain */
} blm_pool_load;

/* How a kind lies in bytes: `cells` cells in groups of 256, a bit for each outside of the pool, and strings of up to
 * `group_words` words. load(): of that many cells. */
typedef struct blm_pool_wish {
    uint32_t group_words;
    blm_pool_load (*load)(const void *ctx, uint64_t cells);
    const void *ctx;
} blm_pool_wish;

enum { BLM_POOL_GROUP = 256 };

static inline uint64_t blm_pool_groups(uint64_t cells)
{
    return (cells + BLM_POOL_GROUP - 1) / BLM_POOL_GROUP;
}

/* The pages after the bits of that many cells, begun with `spare` words and grown that often; *bytes of all. */
static inline blm_pool blm_pool_after(uint64_t cells, uint32_t group_words, uint32_t spare,
                                      unsigned steps, uint64_t *bytes)
{
    blm_pool p = blm_pool_of(blm_pool_groups(cells));
    const uint32_t words = blm_pool_words(spare, steps, p.a_page * group_words);
    *bytes = blm_pool_place(&p, blm_bits_bytes(cells), words);
    return p;
}

/* For plan(): words per page with which no page is full, with a chance of 1 - 10^-6. */
uint32_t blm_pool_spare(const blm_pool_wish *w, uint64_t cells);
/* The most cells that fit into `bytes` with such pages; at most `max`; 0: none do. */
uint64_t blm_pool_fit(const blm_pool_wish *w, uint64_t bytes, uint64_t max);
#endif

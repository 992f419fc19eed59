/* columns.c - whole columns by words of 64 bits, and batches. */
#include "parts/columns.h"

/* ---- whole columns ------------------------------------------------------------------------------ */

/* The bits of columns repeat after some words: one for widths that divide 64, as many as the width is if it is odd.
 * Returns how many, and their masks. */
static unsigned columns_stripes(unsigned width, uint64_t sets, uint64_t mask[BLM_COLUMNS])
{
    unsigned words = width;
    while (words % 2 == 0) words /= 2;
    for (unsigned i = 0; i < words; i++) mask[i] = 0;
    for (unsigned bit = 0; bit < 64 * words; bit++)
        mask[bit / 64] |= (sets >> bit % width & 1) << bit % 64;
    return words;
}

uint64_t blm_columns_clear(const blm_columns *c, unsigned column)
{
    uint64_t mask[BLM_COLUMNS], gone = 0;
    const uint64_t words = c->bytes / 8;
    const uint64_t period = columns_stripes(c->width, UINT64_C(1) << column, mask);
    for (uint64_t from = 0; from < words; from += period) {
        const uint64_t here = words - from < period ? words - from : period;
        uint8_t *at = c->cells + 8 * from;
        for (uint64_t i = 0; i < here; i++) {
            const uint64_t w = blm_le64(at + 8 * i);
            gone += blm_ones_of(w & mask[i]);
            blm_put64(at + 8 * i, w & ~mask[i]);
        }
    }
    return gone;
}

/* Words whose masks repeat after a few are the same as words whose masks repeat after 64 / few times as many: long runs, which
 * the compiler turns into vectors. */
void blm_columns_wipe(const blm_columns *c, uint64_t sets)
{
    uint64_t keep[BLM_COLUMNS];
    const uint64_t words = c->bytes / 8;
    const unsigned period = columns_stripes(c->width, sets, keep);
    const unsigned run = BLM_COLUMNS / period * period;
    for (unsigned i = 0; i < period; i++) keep[i] = ~keep[i];
    for (unsigned i = period; i < run; i++) keep[i] = keep[i - period];
    for (uint64_t from = 0; from < words; from += run) {
        uint8_t *restrict at = c->cells + 8 * from;
        const unsigned here = words - from < run ? (unsigned)(words - from) : run;
        for (unsigned i = 0; i < here; i++)
            blm_put64(at + (size_t)8 * i, blm_le64(at + (size_t)8 * i) & keep[i]);
    }
}

uint64_t blm_columns_or(const blm_columns *c, unsigned column, const blm_columns *d, unsigned from)
{
    uint64_t mask[BLM_COLUMNS], came = 0, before = 0; /* the word before, of the column */
    const unsigned period = columns_stripes(c->width, UINT64_C(1) << from, mask);
    const bool up = column >= from;
    const unsigned by = up ? column - from : from - column;
    const uint64_t words = c->bytes / 8;
    unsigned phase = 0;
    for (uint64_t i = 0; i < words + !up;
         i++) { /* downward the bits of word i go to word i - 1, too */
        const uint64_t now = i < words ? blm_le64(d->cells + 8 * i) & mask[phase] : 0;
        const uint64_t moved =
            up ? now << by | (by ? before >> (64 - by) : 0) : before >> by | now << (64 - by);
        if (up || i) {
            uint8_t *at = c->cells + 8 * (i - !up);
            const uint64_t old = blm_le64(at);
            came += blm_ones_of(moved & ~old);
            blm_put64(at, old | moved);
        }
        before = now;
        phase = phase + 1 < period ? phase + 1 : 0;
    }
    return came;
}

/* Counters of a byte, 8 to a word: lanes[b][i] has those of bits b, b + 8, ... of words i, i + run, ... */
enum { COLUMNS_RUN = 64, COLUMNS_ROUNDS = 255 };
typedef uint64_t columns_lanes[8][COLUMNS_RUN];

static void columns_gather(columns_lanes lanes, unsigned run, unsigned width,
                           uint64_t ones[BLM_COLUMNS])
{
    for (unsigned i = 0; i < run; i++)
        for (unsigned bit = 0; bit < 64; bit++)
            ones[(64 * i + bit) % width] += lanes[bit % 8][i] >> bit / 8 * 8 & 0xff;
    memset(lanes, 0, sizeof(columns_lanes));
}

static void columns_sum(columns_lanes lanes, const uint8_t *at, unsigned words)
{
    for (unsigned b = 0; b < 8; b++)
        for (unsigned i = 0; i < words; i++)
            lanes[b][i] += blm_le64(at + (size_t)8 * i) >> b & UINT64_C(0x0101010101010101);
}

void blm_columns_ones(const blm_columns *c, uint64_t ones[BLM_COLUMNS])
{
    uint64_t mask[BLM_COLUMNS];
    columns_lanes lanes;
    const unsigned period = columns_stripes(c->width, 1, mask), run = COLUMNS_RUN / period * period;
    const uint64_t words = c->bytes / 8;
    unsigned rounds = 0;
    memset(lanes, 0, sizeof lanes);
    memset(ones, 0, BLM_COLUMNS * sizeof *ones);
    for (uint64_t from = 0; from < words; from += run) {
        columns_sum(lanes, c->cells + 8 * from,
                    words - from < run ? (unsigned)(words - from) : run);
        if (++rounds % COLUMNS_ROUNDS == 0) columns_gather(lanes, run, c->width, ones);
    }
    columns_gather(lanes, run, c->width, ones);
}

/* ---- many keys: by a copy of the columns, as a batch's numbers are (staged_each.h) ---------------- */

/* Each read halves the sets that are left, where all are half full: two more than it takes to have one left reject three of
 * four non-members, as in standard. */
static unsigned columns_first(const blm_columns *c, uint64_t asked)
{
    unsigned first = 2;
    for (unsigned left = blm_ones_of(asked); left > 1; left -= left / 2) first++;
    return first < c->hashes ? first : c->hashes;
}

/* The bit of each key's own set; which one that is, is found where the places of one more hash would be. */
static inline void columns_own_find(const void *self, const blm_hash *h, size_t n, unsigned from,
                                    unsigned to, blm_lanes_column *at)
{
    const blm_columns *c = self;
    blm_columns_places(c, h, n, from, to, at);
    blm_lanes_best()->places(h, n, c->sets, c->hashes, c->hashes + 1, at);
}

/* What lies inside of one word: single bits, and cells of widths that divide 64. */
static inline uint64_t columns_word(const void *self, uint64_t bit)
{
    return blm_le64(((const blm_columns *)self)->cells + bit / 64 * 8) >> bit % 64;
}

static inline uint64_t columns_own_bit(const void *self, const blm_lanes_column *at, size_t i,
                                       unsigned j)
{
    const blm_columns *c = self;
    return blm_columns_bit(c, at, i, j) + at[c->hashes][i];
}

static const blm_staged_form columns_own_form = {columns_own_find, columns_own_bit, columns_word};
static const blm_staged_form columns_word_form = {blm_columns_places, blm_columns_bit,
                                                  columns_word};

static inline bool columns_own_set(void *into, const blm_staged_group *g, size_t i)
{
    return blm_staged_set(&columns_own_form, into, g, i);
}

static void columns_ask(const blm_columns *c, blm_staged_work w)
{
    if (64 % c->width)
        blm_staged_ask(&blm_columns_form, w);
    else
        blm_staged_ask(&columns_word_form, w);
}

static inline blm_staged_work columns_work(const blm_columns *c, uint64_t asked, const blm_hash *h,
                                           size_t n, size_t more)
{
    return (blm_staged_work){.self = c,
                             .cells = c->cells,
                             .keys = {h, NULL, 0},
                             .n = n,
                             .more = more,
                             .hashes = c->hashes,
                             .first = columns_first(c, asked),
                             .asked = asked};
}

void blm_columns_prefetch_many(const blm_columns *c, const blm_hash *h, size_t n)
{
    const unsigned first = c->hashes < 2 ? c->hashes : 2;
    for (size_t i = 0; i < n; i++)
        for (unsigned j = 0; j < first; j++) blm_fetch(c->cells + blm_columns_find(c, h[i], j) / 8);
}

void blm_columns_mask_many(const blm_columns *c, uint64_t asked, const blm_hash *h, size_t n,
                           size_t more, uint64_t *mask)
{
    const blm_columns copy = *c;
    blm_staged_work w = columns_work(&copy, asked, h, n, more);
    w.answers = mask;
    columns_ask(&copy, w);
}

void blm_columns_has_many(const blm_columns *c, uint64_t asked, const blm_hash *h, size_t n,
                          size_t more, uint8_t *yes)
{
    const blm_columns copy = *c;
    blm_staged_work w = columns_work(&copy, asked, h, n, more);
    w.yes = yes;
    columns_ask(&copy, w);
}

void blm_columns_own_has_many(const blm_columns *c, const blm_hash *h, size_t n, size_t more,
                              uint8_t *yes)
{
    const blm_columns copy = *c;
    blm_staged_work w = columns_work(&copy, 1, h, n, more);
    w.yes = yes;
    blm_staged_ask(&columns_own_form, w);
}

uint64_t blm_columns_own_add_many(const blm_columns *c, const blm_hash *h, size_t n, size_t more,
                                  uint8_t *fresh)
{
    const blm_columns copy = *c;
    blm_staged_work w = columns_work(&copy, 1, h, n, more);
    blm_staged_sum sum = {&copy, copy.cells, 0, copy.hashes};
    w.yes = fresh;
    blm_staged_add(&columns_own_form, w, columns_own_set, &sum);
    return sum.ones;
}

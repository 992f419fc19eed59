/* columns.h - many sets of keys in one array: a bit per set, side by side in a cell, so that k reads answer all of them.
 *
 *     cell   |   0   |   1   |   2   |   3   | ...       5 sets: cells of 5 bits, one after the other
 *     set     0 1 2 3 4 0 1 2 3 4 0 1 2 3 4 0 1 2 3 4
 *             . 1 . . . 1 1 . . 1 . . . . . . 1 . . .     column 1: ones of the second set's own Bloom filter
 *
 * A key's cells are at the same places for all sets. The AND of its k cells has a one for each set that may have the key.
 *
 * Cells are as wide as there are sets: 1 to 57 bits, and 64 for 58 to 64 sets. The next power of two would cost up to twice
 * the memory. What the others cost: (width - 1) of 512 cells lie in two cache lines, and a batch takes 24 ns per key with 15
 * sets where it takes 14 with 16. Cells of 1, 2, 4, 8, 16, 32 and 64 bits lie in one word each. A kind that is free to choose
 * its number of sets chooses one of these. A cell of up to 57 bits is read at once, wherever it begins. More than 64
 * sets are several arrays: a key then reads k words of each, as it would in cells of several words.
 */
#ifndef BLM_COLUMNS_H
#define BLM_COLUMNS_H
#include "core/kind.h"
#include "parts/bits.h"
#include "parts/packed.h"
#include "parts/probe.h"
#include "parts/staged_each.h"

enum { BLM_COLUMNS = 64 }; /* most sets */

typedef struct blm_columns {
    uint8_t *cells;
    uint64_t bytes; /* of the region: blm_packed_bytes(count, width) */
    uint64_t count; /* cells */
    unsigned hashes, sets, width;
} blm_columns;

static inline unsigned blm_columns_width(unsigned sets) { return sets <= 57 ? sets : 64; }

/* A mask with a one for each set. */
static inline uint64_t blm_columns_all(unsigned sets) { return UINT64_MAX >> (64 - sets); }

static inline blm_columns blm_columns_of(uint8_t *cells, uint64_t count, unsigned hashes,
                                         unsigned sets)
{
    const unsigned width = blm_columns_width(sets);
    return (blm_columns){cells, blm_packed_bytes(count, width), count, hashes, sets, width};
}

/* ---- one key ------------------------------------------------------------------------------------ */

/* The first bit of the key's j-th cell. */
static inline uint64_t blm_columns_find(const blm_columns *c, blm_hash h, unsigned j)
{
    return blm_place(h, j, c->count) * c->width;
}

/* Where the load of a cell begins, which has it whole. Inside of one word it is that word: an unaligned load would touch
 * another cache line now and then. Else it begins with the cell's first byte, that many bits after the word, and ends
 * in the next word. Without a branch, which would be wrong for one in five cells of 15 bits. */
static inline uint64_t blm_columns_later(const blm_columns *c, uint64_t bit)
{
    const uint64_t outside = bit % 64 + c->width > 64;
    return bit & 56 & (0 - outside);
}

static inline uint64_t blm_columns_byte(const blm_columns *c, uint64_t bit)
{
    return (bit / 64 * 64 + blm_columns_later(c, bit)) / 8;
}

/* The cell that begins at this bit, and above it what follows. */
static inline uint64_t blm_columns_load(const blm_columns *c, uint64_t bit)
{
    return blm_le64(c->cells + blm_columns_byte(c, bit)) >> (bit % 64 - blm_columns_later(c, bit));
}

/* Of the sets of `asked`, those that have the key. Stops where none is left. */
static inline uint64_t blm_columns_mask(const blm_columns *c, blm_hash h, uint64_t asked)
{
    for (unsigned j = 0; j < c->hashes && asked; j++)
        asked &= blm_columns_load(c, blm_columns_find(c, h, j));
    return asked;
}

/* Puts the key into one set; returns how many of its bits were zero. */
static inline unsigned blm_columns_set(const blm_columns *c, blm_hash h, unsigned column)
{
    unsigned set = 0;
    for (unsigned j = 0; j < c->hashes; j++)
        set += blm_bit_set(c->cells, blm_columns_find(c, h, j) + column);
    return set;
}

/* Where each key belongs to one set, by its hash: which one. The word behind those of the places, so that no bit
 * of the hash is spent twice. */
static inline unsigned blm_columns_own(const blm_columns *c, blm_hash h)
{
    return (unsigned)blm_reduce(blm_word(h, c->hashes), c->sets);
}

/* ---- whole columns ------------------------------------------------------------------------------ */

void blm_columns_ones(const blm_columns *c, uint64_t ones[BLM_COLUMNS]); /* of each set */
/* Empties one set: all words of the region, 64 bits at a time. Returns how many ones it had. */
uint64_t blm_columns_clear(const blm_columns *c, unsigned column);
/* Empties all sets of a mask in one pass, which counts nothing and takes a third of the time. */
void blm_columns_wipe(const blm_columns *c, uint64_t sets);
/* The set `from` of d is added to the set `column` of c, which has the same cells, hashes and sets, and may be d. Returns how
 * many ones came. */
uint64_t blm_columns_or(const blm_columns *c, unsigned column, const blm_columns *d, unsigned from);

/* ---- many keys: the first BLM_AHEAD are fetched, as for has_many of a kind ----------------------- */

void blm_columns_prefetch_many(const blm_columns *c, const blm_hash *h, size_t n);
/* mask[i]: of the sets of `asked`, those that have key i; yes[i]: whether there is one. */
void blm_columns_mask_many(const blm_columns *c, uint64_t asked, const blm_hash *h, size_t n,
                           size_t more, uint64_t *mask);
void blm_columns_has_many(const blm_columns *c, uint64_t asked, const blm_hash *h, size_t n,
                          size_t more, uint8_t *yes);
/* yes[i]: whether the own set of key i has it. */
void blm_columns_own_has_many(const blm_columns *c, const blm_hash *h, size_t n, size_t more,
                              uint8_t *yes);
/* Each key into its own set; returns how many ones came. fresh may be NULL. */
uint64_t blm_columns_own_add_many(const blm_columns *c, const blm_hash *h, size_t n, size_t more,
                                  uint8_t *fresh);

/* As blm_columns_find, of n keys: the numbers of their cells, and the first bit of one. */
static inline void blm_columns_places(const void *self, const blm_hash *h, size_t n, unsigned from,
                                      unsigned to, blm_lanes_column *at)
{
    blm_lanes_best()->places(h, n, ((const blm_columns *)self)->count, from, to, at);
}

static inline uint64_t blm_columns_bit(const void *self, const blm_lanes_column *at, size_t i,
                                       unsigned j)
{
    return at[j][i] * ((const blm_columns *)self)->width;
}

static inline uint64_t blm_columns_read(const void *self, uint64_t bit)
{
    return blm_columns_load(self, bit);
}

static const blm_staged_form blm_columns_form = {blm_columns_places, blm_columns_bit,
                                                 blm_columns_read};

/* Many keys, each into a set that put() chooses: it gets the key's places, which are found and fetched ahead, and tells
 * whether the key was new. */
static BLM_STAGED_EACH void blm_columns_add_each(const blm_columns *c, const blm_hash *h, size_t n,
                                                 bool (*put)(void *into, const blm_staged_group *g,
                                                             size_t i),
                                                 void *into, uint8_t *fresh)
{
    const blm_columns copy = *c; /* no write to an answer could be one to it */
    const blm_staged_work w = {.self = &copy,
                               .cells = c->cells,
                               .keys = {h, NULL, 0},
                               .n = n,
                               .hashes = c->hashes,
                               .yes = fresh};
    blm_staged_add(&blm_columns_form, w, put, into);
}

/* As blm_columns_mask and blm_columns_set, for key i of a group. */
static inline uint64_t blm_columns_mask_at(const blm_columns *c, const blm_staged_group *g,
                                           size_t i, uint64_t asked)
{
    for (unsigned j = 0; j < c->hashes && asked; j++)
        asked &= blm_columns_load(c, blm_columns_bit(c, g->at, i, j));
    return asked;
}

static inline unsigned blm_columns_set_at(const blm_columns *c, const blm_staged_group *g, size_t i,
                                          unsigned column)
{
    unsigned set = 0;
    for (unsigned j = 0; j < c->hashes; j++)
        set += blm_bit_set(c->cells, blm_columns_bit(c, g->at, i, j) + column);
    return set;
}
#endif

/* compact.h - counters as long as they must be: layout=compact.
 *
 * A counter has a class: 0 for 0, 1 for 1, and class j from 2 on has 4^(j - 1) values, which take 2 (j - 1) bits.
 *
 *     class       0    1    2       3        4         5          6
 *     values      0    1    2..5    6..21    22..85    86..341    342..1365
 *     bits        1    2    5       8        11        14         17             with those of the class
 *
 * Classes are in unary over layers: bit t is 1 when the class is above t. Layer 0 is one array, that of standard. In the pool
 * (parts/pool.h), the string of a group of 256 counters is the layers 1, 2, ..., each with a bit for every counter whose bit in
 * the layer above is 1, and then the values of classes 2 and up, in the order of the counters, less the first value of the class:
 *
 *     counters    0 1 0 7 1 0 2
 *     layer 0     0 1 0 1 1 0 1
 *     layer 1       0   1 0   1
 *     layer 2           1     0      7 is the second value of class 3, 2 the first one of class 2:
 *     layer 3           0            0001 00
 *
 * How many bits of values come before a counter's own is twice the sum, over the layers from 1 on, of the ones before its place:
 * no value is read for it.
 */
#ifndef BLM_SPECTRAL_COMPACT_H
#define BLM_SPECTRAL_COMPACT_H
#include "cells.h"

/* The counters of a key, no two of them the same; what they are, and what they are to be. */
typedef struct blm_compact_key {
    uint64_t at[64], is[64], to[64], min;
    unsigned n;
} blm_compact_key;

blm_compact_key blm_compact_find(const blm_spectral *c, blm_hash h);
uint64_t blm_compact_get(const blm_spectral *c, uint64_t at);
/* All to what they are to be, with larger pages if it takes them; the fields follow. NOMEM: nothing has changed. */
blm_err blm_compact_put(blm_spectral *c, const blm_compact_key *key);
void blm_compact_fetch(const blm_spectral *c, blm_hash h, unsigned n);

/* m and k of a wish, and the pages. */
blm_err blm_compact_plan(blm_spectral *c, const blm_config *wish, unsigned *k, blm_report *why);
blm_err blm_compact_merge(blm_filter *f, const blm_filter *g, blm_report *why);
blm_err blm_compact_check(const blm_filter *f, blm_report *why);

/* ---- for compact.c and compact_pages.c ----------------------------------------------------------- */

enum {
    COMPACT_CLASSES = 34, /* class 33 has values of 64 bits */
    /* Words of a group of the longest counters: 33 layers and 64 bits each. */
    COMPACT_WORDS = (COMPACT_CLASSES - 1 + 64) * BLM_POOL_GROUP / 64,
    COMPACT_SPARE = COMPACT_WORDS * BLM_POOL_GROUPS /* of a page */
};

static inline unsigned blm_compact_bits(unsigned class) { return class < 2 ? 0 : 2 * class - 2; }

/* The first value of a class. */
static inline uint64_t blm_compact_first(unsigned class)
{
    return class < 2 ? class : 2 + ((UINT64_C(1) << (2 * class - 4)) - 1) / 3 * 4;
}

unsigned blm_compact_class(uint64_t value);
/* Bits of a counter in the pool. */
static inline unsigned blm_compact_size(unsigned class) { return class + blm_compact_bits(class); }

/* n bits from bit `at` on, n <= 64; those past the page are zero. */
uint64_t blm_compact_read(const blm_page *p, uint64_t at, unsigned n);
void blm_compact_write(const blm_page *p, uint64_t at, unsigned n, uint64_t value);
#endif

/* cells.h - counters in unary: bit t of each lies in layer t.
 *
 *     counters     0 1 0 2 1 0 2          v is written as v ones and then a zero
 *     layer 0      0 1 0 1 1 0 1          the bits of standard
 *     layer 1        0   1 0   1          one bit for each 1 above, in their order
 *     layer 2            0     0
 *
 *     | layer 0: m bits, whole words | page 0 | page 1 | ... |       pages: pool.h
 *
 * Layer 0 is one array. The other layers of a group of 256 counters are its string in the pool, layer 1 first; how long
 * each is, is how many ones the one above has. A counter of 64 has no zero: it would lie in a 65th layer. It is stuck.
 */
#ifndef BLM_MULTILAYER_CELLS_H
#define BLM_MULTILAYER_CELLS_H
#include "parts/flat.h"
#include "parts/pool.h"

#define MULTILAYER_MAX (UINT64_C(1) << 56)   /* counters */
#define MULTILAYER_SUM (MULTILAYER_MAX * 64) /* of all of them */
enum {
    MULTILAYER_GROUP = BLM_POOL_GROUP, /* counters; ranks never leave it */
    MULTILAYER_LAYERS = 64,
    MULTILAYER_TOP = MULTILAYER_LAYERS, /* a counter that is stuck */
    /* Words of a group in which all counters are stuck: 63 layers of 256 bits. */
    MULTILAYER_WORDS = (MULTILAYER_LAYERS - 1) * MULTILAYER_GROUP / 64,
    MULTILAYER_SPARE = MULTILAYER_WORDS * BLM_POOL_GROUPS /* of a page */
};

typedef struct blm_multilayer {
    blm_flat flat;  /* m, k; the ones of layer 0 */
    uint64_t sum;   /* of all counters */
    uint64_t stuck; /* counters that are stuck */
    uint32_t spare; /* words of a page, as planned */
    uint8_t pool;   /* how often the pages have grown */
    blm_pool pages; /* by shape */
} blm_multilayer;

/* Pages for m counters, with these numbers; *bytes of all cells. */
static inline blm_pool blm_multilayer_pages(uint64_t m, uint32_t spare, unsigned pool,
                                            uint64_t *bytes)
{
    return blm_pool_after(m, MULTILAYER_WORDS, spare, pool, bytes);
}

static inline uint64_t blm_multilayer_page_of(const blm_multilayer *c, uint64_t at)
{
    return blm_pool_page_of(&c->pages, at / MULTILAYER_GROUP);
}

static inline blm_page blm_multilayer_page(const blm_multilayer *c, uint64_t page)
{
    return blm_pool_page(&c->pages, c->flat.base.cells, page);
}

/* Layer 0 and the lengths: what an add reads first. */
static inline void blm_multilayer_fetch(const blm_multilayer *c, uint64_t at)
{
    blm_fetch(c->flat.base.cells + at / 8);
    blm_fetch(blm_multilayer_page(c, blm_multilayer_page_of(c, at)).head);
}

/* The counter; up to 64. */
unsigned blm_multilayer_value(const blm_multilayer *c, uint64_t at);
/* One more, one less; the fields follow. A counter that is stuck stays, and so does 0. blm_multilayer_room() has said
 * that there is room. */
void blm_multilayer_raise(blm_multilayer *c, uint64_t at);
void blm_multilayer_lower(blm_multilayer *c, uint64_t at);
/* The counters of a key, no two of them the same. Is there room to raise them? */
typedef struct blm_multilayer_key {
    uint64_t at[64];
    unsigned n;
} blm_multilayer_key;
bool blm_multilayer_room(const blm_multilayer *c, const blm_multilayer_key *key);
/* The next size of the pages, all counters as they were; NOMEM: nothing has changed. All pages then have room for 64 bits
 * more, which is a key. */
blm_err blm_multilayer_grow(blm_multilayer *c);

/* pages.c, as the kind's calls of these names. */
blm_err blm_multilayer_check(const blm_filter *f, blm_report *why);
blm_err blm_multilayer_merge(blm_filter *f, const blm_filter *g, blm_report *why);
/* plan.c */
blm_err blm_multilayer_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why);
#endif

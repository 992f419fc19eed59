/* words.c - machine words: their rate as they stand, and batches. */
#include <bloomery/theory.h>
#include <bloomery/theory/words.h>

#include "core/bytes.h"
#include "parts/keys.h"
#include "parts/words.h"

/* A read is as likely to meet each word: the mean over words of (ones / width)^share. Reads are drawn one
 * by one, also when they meet in one word: the product is exact. */
double blm_words_rate_of(const blm_block_bits *b, const uint64_t with[BLM_WORDS_WIDTH + 1])
{
    double rate = 1;
    for (unsigned r = 0; r < b->reads; r++) {
        double sum = 0;
        for (unsigned ones = 1; ones <= b->width; ones++)
            if (with[ones])
                sum +=
                    (double)with[ones] * blm_rate_from_fill(ones, b->width, blm_words_share(b, r));
        rate *= sum / (double)b->blocks;
    }
    return rate;
}

double blm_words_rate(const blm_block_bits *b)
{
    uint64_t with[BLM_WORDS_WIDTH + 1] = {0};
    const uint64_t half = UINT32_MAX;
    for (uint64_t i = 0; i < b->blocks; i++) {
        const uint64_t at = i * b->width, word = blm_le64(b->base.cells + at / 64 * 8);
        with[blm_ones_of(b->width == 64 ? word : word >> at % 64 & half)]++;
    }
    return blm_words_rate_of(b, with);
}

/* ---- batches ------------------------------------------------------------------------------------ */

enum { WORDS_GROUPS = BLM_AHEAD / BLM_LANES_KEYS + 1 };

typedef struct words_group {
    blm_lanes_column at[BLM_THEORY_READS], mask[BLM_THEORY_READS];
} words_group;

/* Keys go in groups; the words of a group are found and fetched when the one BLM_AHEAD keys before it is worked on. */
typedef struct words_batch {
    const blm_block_bits *b;
    blm_keys keys;
    size_t n, all,
        found;  /* keys, those with the ones that are fetched only, and those that are found */
    bool first; /* words are fetched into the first cache */
    words_group group[WORDS_GROUPS];
} words_batch;

static inline size_t words_some(size_t left)
{
    return left < BLM_LANES_KEYS ? left : BLM_LANES_KEYS;
}

static inline words_group *words_group_of(words_batch *w, size_t at)
{
    return &w->group[at / BLM_LANES_KEYS % WORDS_GROUPS];
}

/* The group that begins with key `at`, after those that are due are found. */
static inline const words_group *words_find(words_batch *w, size_t at)
{
    const blm_block_bits *b = w->b;
    for (; w->found < w->all && w->found <= at + BLM_AHEAD; w->found += BLM_LANES_KEYS) {
        const size_t here = words_some(w->all - w->found);
        words_group *g = words_group_of(w, w->found);
        blm_hash room[BLM_LANES_KEYS];
        const blm_hash *h = blm_keys_take(&w->keys, w->found, here, w->all, room);
        blm_lanes_best()->words(b, h, here, g->at, w->found < w->n ? g->mask : NULL);
        for (unsigned r = 0; r < b->reads; r++)
            for (size_t i = 0; i < here; i++) blm_fetch_into(b->base.cells + g->at[r][i], w->first);
    }
    return words_group_of(w, at);
}

static inline void words_begin(words_batch *w, const blm_filter *f, blm_keys keys, size_t n,
                               size_t more)
{
    w->b = (const blm_block_bits *)f;
    w->keys = keys;
    w->first = blm_lanes_first();
    w->n = n, w->all = n + more, w->found = 0;
}

static inline void words_ask(const blm_filter *f, blm_keys keys, size_t n, size_t more,
                             uint8_t *yes)
{
    const uint8_t *cells = f->cells;
    words_batch w;
    words_begin(&w, f, keys, n, more);
    for (size_t at = 0; at < n; at += BLM_LANES_KEYS) {
        const words_group *g = words_find(&w, at);
        for (size_t i = 0; i < words_some(n - at); i++) {
            uint64_t missing = g->mask[0][i] & ~blm_le64(cells + g->at[0][i]);
            for (unsigned r = 1; r < w.b->reads; r++)
                missing |= g->mask[r][i] & ~blm_le64(cells + g->at[r][i]);
            yes[at + i] = !missing;
        }
    }
}

static inline unsigned words_set(uint8_t *cells, const words_group *g, size_t i, unsigned reads)
{
    unsigned set = 0;
    for (unsigned r = 0; r < reads; r++) {
        uint8_t *word = cells + g->at[r][i];
        const uint64_t old = blm_le64(word), mask = g->mask[r][i];
        blm_put64(word, old | mask);
        set += blm_ones_of(mask & ~old);
    }
    return set;
}

static inline void words_put(blm_filter *f, blm_keys keys, size_t n, size_t more, uint8_t *fresh)
{
    blm_block_bits *b = (blm_block_bits *)f;
    uint8_t *cells = f->cells;
    const unsigned reads = b->reads;
    words_batch w;
    uint64_t ones = 0;
    words_begin(&w, f, keys, n, more);
    for (size_t at = 0; at < n; at += BLM_LANES_KEYS) {
        const words_group *g = words_find(&w, at);
        for (size_t i = 0; i < words_some(n - at); i++) {
            const unsigned set = words_set(cells, g, i, reads);
            ones += set;
            if (fresh) fresh[at + i] = set > 0;
        }
    }
    b->ones += ones;
}

void blm_words_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                        size_t more, uint8_t *yes)
{
    (void)a;
    words_ask(f, (blm_keys){h, NULL, 0}, n, more, yes);
}

void blm_words_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes)
{
    words_ask(f, (blm_keys){NULL, key, f->seed}, n, 0, yes);
}

blm_err blm_words_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *fresh, size_t *done)
{
    (void)a;
    words_put(f, (blm_keys){h, NULL, 0}, n, more, fresh);
    *done = n;
    return BLM_OK;
}

void blm_words_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh)
{
    words_put(f, (blm_keys){NULL, key, f->seed}, n, 0, fresh);
}

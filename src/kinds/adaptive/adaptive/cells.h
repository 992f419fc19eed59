/* cells.h - machine words that are kept in several versions, one in use: what adaptive does to its cells.
 *
 * A key has bits of its own in each of S = 2^selector groups, all in the same words. The fast word i is
 * the word of one group, with the group's number (the selector) in its top bits; the slow memory has the others.
 *
 *     fast    | c | bits of group c |                     word i, 8 bytes
 *     slow    | group 0 | group 1 | ... | group S-1 |     word i, copies: all S, 8 bytes each
 *     slow    | group c+1 | c+2 | ... | group c-1 |       word i, shared: S - 1, counted from the one in use
 */
#ifndef BLM_GROUPS_H
#define BLM_GROUPS_H
#include "core/shared.h"
#include "parts/words.h"

enum { BLM_GROUPS_MAX = 8, BLM_GROUPS_READS = 64 };
enum { BLM_GROUPS_COPIES, BLM_GROUPS_SHARED }; /* memory */
enum { BLM_GROUPS_CHECK, BLM_GROUPS_BLIND };   /* check  */
enum { BLM_GROUPS_WHOLE, BLM_GROUPS_WORD };    /* policy */

typedef struct blm_groups {
    blm_block_bits b;    /* width: bits of a word that are a filter; ones: of all groups */
    uint64_t fast, slow; /* bytes                                                         */
    uint64_t adapted, stuck;
    uint8_t words, selector, memory, check, policy, every, waiting;
    uint64_t slow_at, count_at; /* by shape: where they start */
} blm_groups;

/* ---- one word ------------------------------------------------------------------------------- */

static inline unsigned blm_groups_count(const blm_groups *a) { return 1u << a->selector; }

/* The group in use. */
static inline unsigned blm_groups_chosen(const blm_groups *a, uint64_t fast)
{
    return a->selector ? (unsigned)(fast >> a->b.width) : 0;
}

static inline uint64_t blm_groups_bits(const blm_groups *a, uint64_t word)
{
    return word & UINT64_MAX >> a->selector;
}

/* The byte where group r of word i is kept while group c is in use. */
static inline uint64_t blm_groups_at(const blm_groups *a, uint64_t i, unsigned r, unsigned c)
{
    const unsigned all = blm_groups_count(a), turn = (r - c) & (all - 1);
    if (a->memory == BLM_GROUPS_COPIES) return a->slow_at + (i * all + r) * 8;
    return turn ? a->slow_at + (i * (all - 1) + turn - 1) * 8 : i * 8;
}

/* ---- the bits of a key ------------------------------------------------------------------------ */

/* Each read of each group has words of the stream for itself, behind those that choose the reads. */
static inline blm_words_draw blm_groups_draw(const blm_groups *a, unsigned r, unsigned read)
{
    enum { WORDS_A_READ = 4 }; /* half a word of bits at most, 8 or 10 out of each */
    return (blm_words_draw){0, (r * a->b.reads + read) * WORDS_A_READ, 0};
}

/* By the high word of a product, whose low word goes on as the rest of the randomness: 8 places take 48 of 64 bits,
 * and the last is even to 2^-16. With one group alone (64 bits) as in word. */
static inline unsigned blm_groups_place(const blm_groups *a, blm_hash h, blm_words_draw *d)
{
    if (a->b.width == BLM_WORDS_WIDTH) return blm_words_place(&a->b, h, d);
    if (!d->left) {
        d->word = blm_word(h, a->b.reads - 1u + d->next++);
        d->left = 8;
    }
    const blm_wide p = blm_mul(d->word, a->b.width);
    d->word = p.lo;
    d->left--;
    return (unsigned)p.hi;
}

static inline uint64_t blm_groups_mask(const blm_groups *a, blm_hash h, unsigned r, unsigned read)
{
    blm_words_draw d = blm_groups_draw(a, r, read);
    uint64_t mask = 0;
    for (unsigned left = blm_words_share(&a->b, read); left; left--)
        mask |= UINT64_C(1) << blm_groups_place(a, h, &d);
    return mask;
}

static inline bool blm_groups_has(const blm_groups *a, blm_hash h)
{
    for (unsigned i = 0; i < a->b.reads; i++) {
        const uint64_t fast = blm_le64(a->b.base.cells + blm_words_index(&a->b, h, i) * 8);
        if (blm_groups_mask(a, h, blm_groups_chosen(a, fast), i) & ~fast) return false;
    }
    return true;
}

/* Sets bits of a word; returns how many were zero. */
static inline unsigned blm_groups_set(uint8_t *word, uint64_t mask, bool threads)
{
    if (threads) return blm_set_shared(word, mask);
    const uint64_t old = blm_le64(word);
    blm_put64(word, old | mask);
    return blm_ones_of(mask & ~old);
}

static inline uint64_t blm_groups_read(const uint8_t *word, bool threads)
{
    if (!threads) return blm_le64(word);
    const uint64_t v = __atomic_load_n((const uint64_t *)(const void *)word, __ATOMIC_RELAXED);
    return BLM_SWAP ? __builtin_bswap64(v) : v;
}

/* Into all groups, and then into the fast words; returns how many bits of the groups were zero. threads: others add at
 * this moment; who adapts is alone, so selectors stay. */
static inline unsigned blm_groups_put(blm_groups *a, blm_hash h, bool threads)
{
    uint8_t *cells = a->b.base.cells;
    unsigned set = 0;
    for (unsigned i = 0; i < a->b.reads; i++) {
        const uint64_t at = blm_words_index(&a->b, h, i);
        const unsigned chosen = blm_groups_chosen(a, blm_groups_read(cells + at * 8, threads));
        uint64_t mine = 0;
        for (unsigned r = 0; r < blm_groups_count(a); r++) {
            const uint64_t mask = blm_groups_mask(a, h, r, i);
            set += blm_groups_set(cells + blm_groups_at(a, at, r, chosen), mask, threads);
            if (r == chosen) mine = mask;
        }
        if (a->memory == BLM_GROUPS_COPIES) blm_groups_set(cells + at * 8, mine, threads);
    }
    return set;
}

/* ---- whole arrays ---------------------------------------------------------------------------- */

/* Bytes of all cells for that many words; UINT64_MAX: too many. */
uint64_t blm_groups_bytes(const blm_groups *a, uint64_t words);
/* The fields with words, selector and k set: sections and width. */
blm_err blm_groups_shape(blm_filter *f, uint64_t *bytes, blm_report *why);
blm_err blm_groups_check(const blm_filter *f, blm_report *why);
blm_err blm_groups_merge(blm_filter *f, const blm_filter *g, blm_report *why);
blm_err blm_groups_intersect(blm_filter *f, const blm_filter *g);
blm_err blm_groups_half(blm_filter *half, blm_report *why);
void blm_groups_fold(blm_filter *half, const blm_filter *f);
double blm_groups_rate(const blm_groups *a); /* of the fast words as they are */
/* A non-member is taken for a member: changes the groups of its words until it no longer is. false: it passes in all
 * groups, and nothing has changed. */
bool blm_groups_adapt(blm_groups *a, blm_hash h);
/* Counts one that was denied: is it the turn of this one? */
bool blm_groups_turn(blm_groups *a, blm_hash h);

/* ---- theory (groups_theory.c) ------------------------------------------------------------------ */

/* A wish -> blocks and, where *k is 0, the best k; width, reads and what the sections depend on are set. all: a word a
 * bit. */
blm_err blm_groups_words(blm_groups *a, const blm_config *wish, bool all, unsigned *k,
                         blm_report *why);
blm_rate blm_groups_fpr(const blm_filter *f, const blm_case *c);
blm_err blm_groups_keys(const blm_filter *f, blm_estimate *n);
double blm_groups_fill(const blm_filter *f);
#endif

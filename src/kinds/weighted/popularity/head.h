/* head.h - the keys that have a k of their own, and where their table lies.
 *
 *     |  m bits, as in standard  |  64 pairs of shares: asked, held  |  buckets of 16 entries  |
 *
 * An entry has 32 bits: 26 of the key's hash, and k - 1. An empty one is 0, and those after it are empty, too. Whoever has
 * the same bits has the same k: add and has agree, so no member is missed. Of keys that the lists do not name, one in 8 million
 * has the entry of another key.
 */
#ifndef BLM_POPULARITY_HEAD_H
#define BLM_POPULARITY_HEAD_H
#include "parts/classes.h"
#include "parts/flat.h"

enum { HEAD_LEVELS = 64, HEAD_BUCKET = 16, HEAD_FILLED = 8 /* on average */ };
enum { HEAD_MAX = 65536, HEAD_PASSES = 16 };

typedef struct blm_popularity {
    blm_flat flat;  /* hashes: before the lists are known */
    uint32_t head;  /* entries at most                    */
    uint32_t named; /* entries                            */
    uint8_t tail;   /* k of all other keys; 0: there is no table, hashes is k of all */
    uint32_t mean;  /* hashes of a mean member, in 2^-16  */
} blm_popularity;

static inline uint64_t blm_head_buckets(const blm_popularity *p)
{
    return ((uint64_t)p->named + HEAD_FILLED - 1) / HEAD_FILLED;
}
static inline uint64_t blm_head_levels_at(const blm_popularity *p)
{
    return (blm_bits_bytes(p->flat.cells) + 63) / 64 * 64;
}
static inline uint64_t blm_head_at(const blm_popularity *p)
{
    return blm_head_levels_at(p) + UINT64_C(2) * HEAD_LEVELS * sizeof(uint32_t);
}
static inline uint64_t blm_head_bytes(const blm_popularity *p)
{
    return blm_head_at(p) + blm_head_buckets(p) * HEAD_BUCKET * sizeof(uint32_t);
}

/* A word of the stream that no place has: its upper bits choose the bucket, 26 lower ones are in the entry. */
static inline uint64_t blm_head_word(blm_hash h) { return blm_word(h, BLM_CLASS_HASHES); }

static inline uint32_t blm_head_print(uint64_t word)
{
    const uint32_t print = (uint32_t)word & ((UINT32_C(1) << 26) - 1);
    return print ? print : 1;
}

static inline uint64_t blm_head_bucket(const blm_popularity *p, uint64_t word)
{
    return blm_head_at(p) + blm_reduce(word, blm_head_buckets(p)) * HEAD_BUCKET * sizeof(uint32_t);
}

static inline unsigned blm_head_k(const blm_popularity *p, blm_hash h)
{
    if (!p->tail) return p->flat.hashes;
    if (!p->named) return p->tail;
    const uint64_t word = blm_head_word(h);
    const uint8_t *at = p->flat.base.cells + blm_head_bucket(p, word);
    const uint32_t print = blm_head_print(word);
    for (unsigned i = 0; i < HEAD_BUCKET; i++, at += sizeof(uint32_t)) {
        const uint32_t entry = blm_le32(at);
        if (!entry) break;
        if (entry >> 6 == print) return (entry & 63) + 1;
    }
    return p->tail;
}

/* Chooses at most p->head keys of the lists (asked, held), works out k for p->flat.cells bits and f->capacity members, and
 * gives f cells with the table, all bits 0. Nothing happens when both lists are empty. */
blm_err blm_head_build(blm_filter *f, const blm_rows *asked, const blm_rows *held, blm_report *why);
/* What the lists said of each k, as classes; at least one. */
size_t blm_head_table(const blm_popularity *p, blm_class out[HEAD_LEVELS]);
/* Is the k of all other keys one that some have, and that no entry has? Then it is that of the table. */
bool blm_head_fits(const blm_popularity *p);
/* Have both the same table, so that any key has the same k? */
bool blm_head_same(const blm_filter *f, const blm_filter *g);
#endif

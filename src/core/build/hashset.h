/* hashset.h - the distinct 64-bit hashes of a stream, in 11 bytes each (16 with how often each came),
 * growth included. */
#ifndef BLM_HASHSET_H
#define BLM_HASHSET_H
#include "core/core_internal.h"

#define BLM_HASHSET_TABLES 256u /* one per top byte */

typedef struct blm_hashset blm_hashset;
blm_hashset *blm_hashset_new(const blm_alloc *a, bool counted); /* counted: how often each came */
void blm_hashset_free(blm_hashset *s);
void blm_hashset_empty(blm_hashset *s); /* and gives its tables back     */
/* 0: none. What is held twice while a block grows counts: at no moment is it passed. */
void blm_hashset_limit(blm_hashset *s, uint64_t bytes);
/* fresh[i] (may be NULL): not seen before. At most BLM_HASHSET_BATCH at a time. NOMEM; FULL: it would
 * pass the limit; nothing was added. */
#define BLM_HASHSET_BATCH 512u
blm_err blm_hashset_add_many(blm_hashset *s, const blm_hash *h, size_t n, uint8_t *fresh);
/* As add_many, for hashes of one share: with 4 shares the upper two bits say which. Shares have no memory in
 * common, so that a thread each may work on them; the limit is the caller's: see at_most. shares: a power of
 * two, at most BLM_HASHSET_SHARES. ARG: one is of another share; nothing was added. */
#define BLM_HASHSET_SHARES 16u
blm_err blm_hashset_add_share(blm_hashset *s, const blm_hash *h, size_t n, uint8_t *fresh,
                              unsigned share, unsigned shares);
/* The most bytes that the set can hold while that many more hashes are added, in any order. */
uint64_t blm_hashset_at_most(const blm_hashset *s, uint64_t more);
blm_err blm_hashset_add(blm_hashset *s, uint64_t hash);
uint64_t blm_hashset_size(const blm_hashset *s);  /* distinct */
uint64_t blm_hashset_bytes(const blm_hashset *s); /* memory held */
/* Every hash once, those with the same top byte together, in ascending order of it. */
typedef blm_err (*blm_hashset_visit)(void *ctx, uint64_t hash, uint32_t times);
blm_err blm_hashset_each(const blm_hashset *s, blm_hashset_visit visit, void *ctx);
#endif

/* hashset.h - the distinct hashes of a stream, in at most 16 bytes each, counts and growth included. */
#ifndef BLM_HASHSET_H
#define BLM_HASHSET_H
#include "core/core_internal.h"

typedef struct blm_hashset blm_hashset;
blm_hashset *blm_hashset_new(const blm_alloc *a, bool counted); /* counted: how often each came */
void blm_hashset_free(blm_hashset *s);
blm_err blm_hashset_add(blm_hashset *s, uint64_t hash); /* NOMEM: nothing changed */
uint64_t blm_hashset_size(const blm_hashset *s);        /* distinct */
uint64_t blm_hashset_bytes(const blm_hashset *s);       /* memory held */
/* Every hash once, those with the same top byte together, in ascending order of it. */
typedef blm_err (*blm_hashset_visit)(void *ctx, uint64_t hash, uint32_t times);
blm_err blm_hashset_each(const blm_hashset *s, blm_hashset_visit visit, void *ctx);
#endif

/* spool.h - hash sets that were too large for the memory, in a file without a name. */
#ifndef BLM_SPOOL_H
#define BLM_SPOOL_H
#include "core/hashset.h"

typedef struct blm_spool blm_spool;
/* The file is made in this folder, now, whose name must live on. IO and the sentence when it cannot be. */
blm_err blm_spool_new(blm_spool **out, const blm_alloc *a, const char *folder, bool counted,
                      blm_report *why);
void blm_spool_free(blm_spool *p);
/* Appends the whole set; a failure leaves the spool as it was. */
blm_err blm_spool_put(blm_spool *p, const blm_hashset *s, blm_report *why);
/* How many distinct hashes all sets have together, in at most `ram` bytes of memory. */
blm_err blm_spool_count(blm_spool *p, uint64_t ram, uint64_t *distinct, blm_report *why);
/* Every hash of every set: one that is in two sets comes twice, with the counts of each. An error of
 * the visitor is passed on without a sentence. */
blm_err blm_spool_each(blm_spool *p, blm_hashset_visit visit, void *ctx, blm_report *why);
uint64_t blm_spool_bytes(const blm_spool *p); /* memory held */
#endif

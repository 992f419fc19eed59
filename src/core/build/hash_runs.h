/* hash_runs.h - hash sets that were too large for the memory, in a file without a name. */
#ifndef BLM_HASH_RUNS_H
#define BLM_HASH_RUNS_H
#include "core/build/hashset.h"

typedef struct blm_hash_runs blm_hash_runs;
/* The file is made in this folder, now, whose name must live on. IO and the sentence when it cannot be. */
blm_err blm_hash_runs_new(blm_hash_runs **out, const blm_alloc *a, const char *folder, bool counted,
                          blm_report *why);
void blm_hash_runs_free(blm_hash_runs *p);
/* Appends the whole set; a failure leaves the spool as it was. */
blm_err blm_hash_runs_put(blm_hash_runs *p, const blm_hashset *s, blm_report *why);
/* How many distinct hashes all sets have together, in at most `ram` bytes of memory. */
blm_err blm_hash_runs_count(blm_hash_runs *p, uint64_t ram, uint64_t *distinct, blm_report *why);
/* Every hash of every set: one that is in two sets comes twice, with the counts of each. An error of
 * the visitor is passed on without a sentence. */
blm_err blm_hash_runs_each(blm_hash_runs *p, blm_hashset_visit visit, void *ctx, blm_report *why);
uint64_t blm_hash_runs_bytes(const blm_hash_runs *p); /* memory held */
#endif

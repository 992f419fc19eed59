/* row_runs.h - members in the order of their hashes that did not fit into memory: runs in a file without a name.
 *
 *      file   |run 0, in order|run 1, in order| ...      8 bytes per hash, no hash twice in a run
 *               v               v
 *             |buffer|        |buffer|   -->   the smallest head of all, again and again: all hashes in order
 *
 * 10^8 hashes in 256 MiB: 6 runs, 800 MB of file, read once to count them and once for each build.
 */
#ifndef BLM_ROW_RUNS_H
#define BLM_ROW_RUNS_H
#include "core/build/rows.h"

/* The folder's name must live on; ram: bytes for the buffers of reading. IO and the sentence. */
blm_err blm_row_runs_new(blm_row_runs **out, const blm_alloc *a, const char *folder, uint64_t ram,
                         blm_report *why);
void blm_row_runs_free(blm_row_runs *p);
/* Appends rows that are in order, each hash once; a failure leaves the runs as they were. */
blm_err blm_row_runs_put(blm_row_runs *p, const blm_rows *rows, blm_report *why);
uint64_t blm_row_runs_bytes(const blm_row_runs *p); /* memory held */
/* How many distinct hashes all runs have together. */
blm_err blm_row_runs_count(blm_row_runs *p, uint64_t *distinct, blm_report *why);

/* All distinct hashes in order, from the start; one reader at a time. */
blm_err blm_row_runs_begin(blm_row_runs *p, blm_report *why);
void blm_row_runs_end(blm_row_runs *p);
/* Those with blm_reduce(lo, parts) == part, after which comes the next part: *lo is one block of *room hashes, which
 * the caller gives back, *n of them are used. It begins with room for `likely`. */
blm_err blm_row_runs_part(blm_row_runs *p, uint64_t part, uint64_t parts, uint64_t likely,
                          uint64_t **lo, uint64_t *n, uint64_t *room, blm_report *why);
#endif

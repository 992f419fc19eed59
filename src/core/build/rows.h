/* rows.h - lists of rows (hash, number) that a builder collects for one kind: columns that are sorted in place.
 *
 *      chunk 0   |lo ...|hi ...|arg ...|     64 rows, the next ones twice as many, up to 2^18; where 64 bits are enough
 *      chunk 1   |lo ......|hi ......|...    and no number comes with a member, there is the first column alone
 *        v
 *      sorted    |lo ...............|hi ..|arg ..|     one block; further rows go into chunks again
 *
 * A row of one column takes 8 bytes, and 16 while it moves from its chunk into the block.
 */
#ifndef BLM_ROWS_H
#define BLM_ROWS_H
#include "core/core_internal.h"

enum { BLM_ROW_LO, BLM_ROW_HI, BLM_ROW_ARG, BLM_ROW_COLUMNS };
typedef struct blm_chunk blm_chunk;
typedef struct blm_rowlist {
    bool hi, arg; /* which columns it has; set before the first row */
    uint64_t n;   /* rows, in chunks and sorted ones                */
    blm_chunk *first, *last;
    uint64_t *sorted[BLM_ROW_COLUMNS];
    uint64_t in_order, room; /* sorted rows, and how many their block holds */
} blm_rowlist;

#define BLM_LISTS_MAX 8u /* the members, and what comes with them */

blm_err blm_rows_add(blm_rowlist *l, const blm_alloc *a, blm_hash h, uint64_t arg);
/* Rows without numbers. NOMEM: the first ones are in. */
blm_err blm_rows_add_many(blm_rowlist *l, const blm_alloc *a, const blm_hash *h, size_t n);
void blm_rows_drop(blm_rowlist *l, const blm_alloc *a);
uint64_t blm_rows_bytes(const blm_rowlist *l); /* memory held */
/* Each row as it came; only before the list is sorted. */
typedef blm_err (*blm_rows_visit)(void *ctx, blm_hash h, uint64_t arg);
blm_err blm_rows_each(const blm_rowlist *l, blm_rows_visit visit, void *ctx);

/* Sorts by lo, hi, arg, by several threads. NOMEM: the list is as it was. */
blm_err blm_rows_sort(blm_rowlist *l, const blm_alloc *a, unsigned threads);
/* How many rows of a sorted list differ in their hash, or with EACH in their number. */
uint64_t blm_rows_distinct(const blm_rowlist *l, blm_again again);
/* Sorts, and makes one row of those with the same hash: args that differ are a CONFLICT (nothing is joined), or add up
 * to at most `max`, or each keeps a row of its own. */
blm_err blm_rows_settle(blm_rowlist *l, const blm_alloc *a, blm_again again, uint64_t max,
                        unsigned threads);
blm_rows blm_rows_view(const blm_rowlist *l); /* of a sorted list */
/* The same rows with another salt, sorted; hi: with that column. */
blm_err blm_rows_resalted(blm_rowlist *out, const blm_rows *rows, uint64_t salt, bool hi,
                          const blm_alloc *a);
/* Sorts n rows of columns; hi and arg may be NULL. */
void blm_sort_rows(uint64_t *const column[BLM_ROW_COLUMNS], size_t n);

/* Rows of members in the order of their hashes that do not fit into memory: see row_runs.h. */
typedef struct blm_row_runs blm_row_runs;

/* What a kind that is built whole is built of: lists that are settled, or runs (of one list), and how. */
typedef struct blm_whole {
    blm_rows list[BLM_LISTS_MAX];
    size_t nlists;
    blm_row_runs *runs;       /* NULL: list[0] has the members               */
    uint64_t n;               /* members                                     */
    uint64_t first;           /* the first salt                              */
    const blm_filter *parent; /* it is to be a child of; NULL: of nobody     */
    unsigned threads;
} blm_whole;
/* A filter of a kind that is built whole: with the first salt, and with the next one after BLM_E_BUILD, or in parts. */
blm_err blm_build_whole(blm_filter **out, const blm_config *c, const blm_whole *w, blm_report *why);
#endif

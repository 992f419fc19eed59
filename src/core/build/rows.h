/* rows.h - lists of (hash, arg) that a builder collects for one kind. */
#ifndef BLM_ROWS_H
#define BLM_ROWS_H
#include "core/core_internal.h"

typedef struct blm_row {
    blm_hash h;
    uint64_t arg;
} blm_row;
typedef struct blm_rowlist {
    blm_row *row;
    uint64_t n, room;
} blm_rowlist;

#define BLM_LISTS_MAX 8u /* the members, and what comes with them */

blm_err blm_rows_add(blm_rowlist *l, const blm_alloc *a, blm_hash h, uint64_t arg);
void blm_rows_drop(blm_rowlist *l, const blm_alloc *a);
/* Resalts (0: not), sorts by hash and makes one row of those with the same hash: args that differ are a CONFLICT, or
 * add up to at most `max`, or each keeps a row of its own. */
blm_err blm_rows_settle(blm_rowlist *l, uint64_t salt, blm_again again, uint64_t max);
/* How many rows settling would leave; the list stays as it is. NOMEM: sorting a copy needs 24 bytes per row. */
blm_err blm_rows_distinct(const blm_rowlist *l, const blm_alloc *a, blm_again again,
                          uint64_t *distinct);
/* The same rows again, to be settled anew and dropped. */
blm_err blm_rows_of(blm_rowlist *out, const blm_rows *l, const blm_alloc *a);
/* A filter of a kind that is built whole, out of settled rows: with salt `first`, and with the next one after
 * BLM_E_BUILD. It is to be a child of `parent`; NULL: of nobody. */
blm_err blm_build_whole(blm_filter **out, const blm_config *c, const blm_rowlist *lists,
                        size_t nlists, uint64_t first, const blm_filter *parent, blm_report *why);
#endif

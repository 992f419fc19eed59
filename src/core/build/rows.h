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

blm_err blm_rows_add(blm_rowlist *l, const blm_alloc *a, blm_hash h, uint64_t arg);
void blm_rows_drop(blm_rowlist *l, const blm_alloc *a);
/* Resalts (0: not), sorts by hash and drops twins. CONFLICT: one hash with two args. */
blm_err blm_rows_settle(blm_rowlist *l, uint64_t salt);
/* How many hashes differ; the list stays as it is. NOMEM: sorting a copy of them needs 16 bytes per row. */
blm_err blm_rows_distinct(const blm_rowlist *l, const blm_alloc *a, uint64_t *distinct);
#endif

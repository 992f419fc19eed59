/* staged.h - batches over one array of bits, with the k probes of a key anywhere in it.
 *
 * The loops are those of staged_each.h. Two probes come first: they reject 3 of 4 non-members.
 */
#ifndef BLM_STAGED_H
#define BLM_STAGED_H
#include "parts/flat.h"

/* As a kind's calls of these names. */
void blm_staged_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes);
blm_err blm_staged_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *fresh, size_t *done);
void blm_staged_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes);
void blm_staged_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh);
#endif

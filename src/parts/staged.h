/* staged.h - batches over one array of bits, with the k probes of a key anywhere in it.
 *
 * A batch goes group by group; the probes of the next group are found, kept and fetched while those of this one are
 * read. How many: two, which reject 3 of 4 non-members; the keys that pass have the rest fetched, and are read to the
 * end one group later. Or all, when most keys of the group before passed: they are members. No branch depends on a
 * bit.
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

/* anywhere.h - one key whose bits are `hashes` places anywhere in one array: standard, and kinds that differ from it in
 * their plan, or in what else they keep. Batches are in staged.h.
 */
#ifndef BLM_ANYWHERE_H
#define BLM_ANYWHERE_H
#include "core/shared.h"
#include "parts/bits.h"
#include "parts/flat.h"
#include "parts/probe.h"

/* The first two probes: a non-member is rejected after 2 on average. */
static inline void blm_anywhere_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    blm_fetch(f->cells + blm_place(h, 0, s->cells) / 8);
    blm_fetch(f->cells + blm_place(h, 1, s->cells) / 8);
}

static inline bool blm_anywhere_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_flat *s = (const blm_flat *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes; i++)
        if (!blm_bit_get(f->cells, blm_place(h, i, s->cells))) return false;
    return true;
}

static inline blm_err blm_anywhere_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_flat *s = (blm_flat *)f;
    uint8_t *cells = f->cells; /* in registers: a byte that is written could be any of the fields */
    const uint64_t m = s->cells;
    const unsigned k = s->hashes;
    uint64_t set = 0;
    (void)it;
    for (unsigned i = 0; i < k; i++) set += blm_bit_set(cells, blm_place(h, i, m));
    s->ones += set;
    *fresh = set > 0;
    return BLM_OK;
}

static inline unsigned blm_anywhere_put_shared(blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    unsigned set = 0;
    for (unsigned i = 0; i < s->hashes; i++)
        set += blm_bit_set_shared(f->cells, blm_place(h, i, s->cells));
    return set;
}
#endif

/* staged.c - standard's batches. */
#include "parts/staged.h"
#include "parts/staged_flat.h"

static inline void staged_find(const void *self, const blm_hash *h, size_t n, unsigned from,
                               unsigned to, blm_lanes_column *at)
{
    blm_lanes_best()->places(h, n, ((const blm_flat *)self)->cells, from, to, at);
}

static inline uint64_t staged_bit(const void *self, const blm_lanes_column *at, size_t i,
                                  unsigned j)
{
    (void)self;
    return at[j][i];
}

static const blm_staged_form blm_staged_form_of = {staged_find, staged_bit, blm_staged_one};
BLM_STAGED_CALLS(, blm_staged, blm_flat)

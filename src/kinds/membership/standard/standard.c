/* standard.c - the Bloom filter of 1970.
 *
 * QUESTION  Is the key in the set? "No" is certain, "maybe" is wrong at a rate that you choose.
 *
 * PICTURE   k probes choose k of m bits; add sets them, has asks whether all are set.
 *
 *                 h0          h1                 h2
 *                  v           v                  v
 *              +---+---+---+---+---+---+---+---+---+
 *              | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 0 | 1 |      m bits, about half of them ones
 *              +---+---+---+---+---+---+---+---+---+      when n = capacity
 *
 *           Each probe uses its own mixed word; bits past m are zero.
 *
 * COST      1.44 log2(1/p) bits per key: 9.6 at 1 %, 14.4 at 0.1 %, 28.8 at 10^-6, and k = log2(1/p)
 *           probes. has stops at the first zero bit: 2 cache lines for a non-member, k for a member.
 *
 * CHOOSE    standard when you merge, intersect, fold or compare filters (these operations and the size
 *           estimates are exact or sharp here), or when you need a rate below 10^-4, where blocked takes
 *           a third more bits. If speed matters, choose blocked (one cache line); if keys are deleted,
 *           choose counting.
 *
 * PAPER     Bloom: Space/time trade-offs in hash coding with allowable errors, CACM 13(7), 1970. Our rates are
 *           the exact ones (Bose et al. 2008; Christensen et al. 2010), not (1 - e^(-kn/m))^k, which is
 *           too low: by 2 % at m = 256. Sizes from fill: Papapetrou et al., DPD 28, 2010.
 */
#include "core/kind.h"
#include "core/one.h"
#include "parts/anywhere.h"
#include "parts/staged.h"

static const blm_field standard_fields[] = {
    BLM_FIELD(blm_flat, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "m, the number of bits"),
    BLM_FIELD(blm_flat, hashes, BLM_F_SHAPE, 1, 64, "k, bits per key"),
    BLM_FIELD(blm_flat, ones, BLM_F_STATE, 0, UINT64_C(1) << 60, "bits that are one"),
};

/* ---- operations ------------------------------------------------------------------------- */

#define standard_prefetch   blm_anywhere_prefetch
#define standard_put_shared blm_anywhere_put_shared
BLM_PREFETCH(standard)

/* One key: the first four probes are read together. Where each of them ends the question is a coin, and a wrong guess
 * of the processor costs more than the probes; 15 of 16 non-members end here. */
static inline bool standard_asked(const blm_filter *f, uint64_t hash)
{
    const blm_flat *s = (const blm_flat *)f;
    const uint8_t *cells = f->cells;
    const blm_hash h = {hash, 0};
    const uint64_t m = s->cells;
    const unsigned k = s->hashes;
    if (k < 4) return blm_anywhere_has(f, h, NULL);
    unsigned first = 1;
    for (unsigned i = 0; i < 4; i++) first &= blm_bit_get(cells, blm_place(h, i, m));
    if (!first) return false;
    for (unsigned i = 4; i < k; i++)
        if (!blm_bit_get(cells, blm_place(h, i, m))) return false;
    return true;
}

static inline void standard_added(blm_filter *f, uint64_t hash)
{
    bool fresh;
    blm_anywhere_add(f, (blm_hash){hash, 0}, NULL, &fresh);
}

BLM_ONE(, standard_one_rows, standard_asked, standard_added);

static const blm_one *standard_one(const blm_filter *f)
{
    (void)f;
    return &standard_one_rows;
}

BLM_BATCH_SHARED(standard, blm_flat)

static bool standard_lens(const blm_filter *f, blm_lens *out)
{
    const blm_flat *s = (const blm_flat *)f;
    out->form = BLM_LENS_BITS;
    out->count = s->cells;
    out->hashes = s->hashes;
    return true;
}

const blm_kind blm_kind_standard = {
    .name = "standard",
    .group = "membership",
    .version = 1,
    .size = sizeof(blm_flat),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT | BLM_FOLD_EXACT,
    .fields = standard_fields,
    .nfields = BLM_LEN(standard_fields),
    .plan = blm_flat_plan,
    .shape = blm_flat_shape,
    .check = blm_flat_check,
    .fpr = blm_flat_fpr,
    .lines = blm_flat_lines,
    .fill = blm_flat_fill,
    .touch = blm_flat_touch,
    .has = blm_anywhere_has,
    .add = blm_anywhere_add,
    .one = standard_one,
    .prefetch_many = standard_prefetch_many,
    .has_many = blm_staged_has_many,
    .add_many = blm_staged_add_many,
    .has_u64 = blm_staged_has_u64,
    .add_u64 = blm_staged_add_u64,
    .add_shared = standard_add_shared,
    .lens = standard_lens,
    .merge = blm_flat_merge,
    .intersect = blm_flat_intersect,
    .half = blm_flat_half,
    .fold = blm_flat_fold,
    .keys = blm_flat_size,
    .overlap = blm_flat_overlap_one,
    .adopt = blm_flat_adopt,
};

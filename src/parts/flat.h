/* flat.h - one array of bits, all of one piece: what standard, partitioned, two-choice and memory-optimized have
 * in common, which is all but the question where a key's bits are, and what rate that gives. */
#ifndef BLM_FLAT_H
#define BLM_FLAT_H
#include "core/kind.h"
#include "parts/bits.h"

typedef struct blm_flat {
    blm_filter base;
    uint64_t cells; /* m: a field, or set by shape */
    uint64_t ones;
    uint8_t hashes; /* k */
} blm_flat;

/* As the kind's calls of these names. */
blm_err blm_flat_shape(blm_filter *f, uint64_t *bytes, blm_report *why);
blm_err blm_flat_check(const blm_filter *f, blm_report *why);
blm_err blm_flat_merge(blm_filter *f, const blm_filter *g, blm_report *why);
blm_err blm_flat_intersect(blm_filter *f, const blm_filter *g);
blm_err blm_flat_half(blm_filter *half, blm_report *why);
void blm_flat_fold(blm_filter *half, const blm_filter *f);
blm_err blm_flat_adopt(blm_filter *f, const uint8_t *cells, blm_report *why);
double blm_flat_fill(const blm_filter *f);
/* And where a key's bits are `hashes` places anywhere among its cells, as in standard. */
blm_err blm_flat_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                      blm_report *why);
blm_rate blm_flat_fpr(const blm_filter *f, const blm_case *c);
double blm_flat_lines(const blm_filter *f, const blm_case *c);
size_t blm_flat_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                      size_t cap);
blm_err blm_flat_size(const blm_filter *f, blm_estimate *n);
blm_err blm_flat_overlap_one(const blm_filter *f, const blm_filter *g, blm_overlap *out);

static inline blm_touch blm_flat_look(const blm_filter *f, uint64_t at)
{
    return (blm_touch){at, at / 8, blm_bit_get(f->cells, at)};
}

/* How keys fill it: `arrays` arrays of one size, and a key throws `hashes` times into each. */
typedef struct blm_flat_throws {
    uint64_t cells; /* of one array */
    unsigned hashes, arrays;
} blm_flat_throws;
/* How many keys set this many bits of all arrays. Past the last one: unchecked bytes may have bits there. */
blm_estimate blm_flat_keys(blm_flat_throws t, uint64_t ones);
blm_overlap blm_flat_overlap(blm_flat_throws t, const blm_filter *f, const blm_filter *g);
/* The same of cells that are no bits: both sizes and that of the union are known, and p is their comparison. */
blm_overlap blm_flat_overlap_sizes(blm_flat_throws t, blm_estimate of_f, blm_estimate of_g,
                                   blm_estimate both, const blm_bits_pair *p);
#endif

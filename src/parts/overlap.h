/* overlap.h - three size estimates become an answer about two sets. */
#ifndef BLM_OVERLAP_H
#define BLM_OVERLAP_H
#include <bloomery/core.h>
#include "parts/bits.h"

/* a, b, both: sizes of A, B and A u B, as the kind reads them off p. The intersection has no spread
 * yet: its value is needed to compute it; and there is no join. */
blm_overlap blm_overlap_sizes(blm_estimate a, blm_estimate b, blm_estimate both,
                              const blm_bits_pair *p);
/* Standard errors of the figures that follow from the sizes. */
typedef struct blm_overlap_sd {
    double common, jaccard, a_in_b, b_in_a;
} blm_overlap_sd;
void blm_overlap_spread(blm_overlap *o, blm_overlap_sd sd);
#endif

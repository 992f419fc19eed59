/* overlap.h - three size estimates become an answer about two sets. */
#ifndef BLM_OVERLAP_H
#define BLM_OVERLAP_H
#include <bloomery/core.h>

/* a, b, both: sizes of A, B and A u B; sds of the intersection and of Jaccard. Fills all but dot and
 * the subset hints. */
blm_overlap blm_overlap_from(blm_estimate a, blm_estimate b, blm_estimate both, double common_sd,
                             double jaccard_sd);
#endif

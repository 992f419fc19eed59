/* lanes.h - where the cells of keys are, for eight keys at a time. */
#ifndef BLM_FUSE_LANES_H
#define BLM_FUSE_LANES_H
#include "parts/xored.h"

blm_xored_finder blm_fuse_find; /* in fuse.c */
/* Whether this machine can, and the filter is not beyond 32 bits of shards. */
bool blm_fuse_avx512_fits(const blm_xored *s);
blm_xored_finder blm_fuse_find_avx512; /* the same, to the bit */
#endif

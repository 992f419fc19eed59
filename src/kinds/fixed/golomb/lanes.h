/* lanes.h - buckets that are decoded eight at a time. */
#ifndef BLM_GOLOMB_LANES_H
#define BLM_GOLOMB_LANES_H
#include "cells.h"

/* Whether this machine can, and a load of this filter's codes has one whole code at least. */
bool blm_golomb_avx512_fits(const blm_golomb_set *s);
/* yes[i]: golomb_in of place i, of at most BLM_AHEAD. Both give the same. */
void blm_golomb_ask(const blm_golomb_set *s, const golomb_place *p, size_t n, uint8_t *yes);
void blm_golomb_ask_avx512(const blm_golomb_set *s, const golomb_place *p, size_t n, uint8_t *yes);
#endif

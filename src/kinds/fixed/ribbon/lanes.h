/* lanes.h - batches of questions where eight keys, or eight columns, fit into a register. */
#ifndef BLM_RIBBON_LANES_H
#define BLM_RIBBON_LANES_H
#include "ribbon.h"

/* Whether this machine can, and no layer is beyond 32 bits of starts. */
bool blm_ribbon_avx512_fits(const blm_ribbon *r);
/* As has_many of core/kind.h, of a filter that has members; answers as the plain loop. */
void blm_ribbon_ask_avx512(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more,
                           uint8_t *yes);
/* Likewise, with an instruction that counts ones where there is one, and without. */
void blm_ribbon_ask_counting(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more,
                             uint8_t *yes);
void blm_ribbon_ask_plain(const blm_ribbon *r, const blm_hash *h, size_t n, size_t more,
                          uint8_t *yes);
#endif

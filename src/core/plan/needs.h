/* needs.h - what a user must be able to do, against what a kind can do. */
#ifndef BLM_NEEDS_H
#define BLM_NEEDS_H
#include <bloomery/plan.h>

#include "core/core_internal.h"

/* Those of the needs that a filter of this kind with these abilities has not got. */
uint32_t blm_needs_lacking(const blm_kind *k, uint32_t can, uint32_t needs);
unsigned blm_needs_count(uint32_t needs);
/* The sentence when nothing meets them: contradiction, a need that no kind has, or the nearest ones.
 * only: the kind that was asked for, or NULL. Never BLM_OK. */
blm_err blm_needs_unmet(const blm_kind *only, uint32_t needs, blm_report *why);
#endif

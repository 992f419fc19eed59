/* rate.h - the rate of split blocks as they stand, by all their cells and the keys inside (for twins). */
#ifndef BLM_LANE_RATE_H
#define BLM_LANE_RATE_H
#include "core/kind.h"

double blm_lanes_rate(const blm_filter *f, double keys);
#endif

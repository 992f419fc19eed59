/* overlap.c - |A n B| = |A| + |B| - |A u B|, kept inside what is possible. */
#include "parts/overlap.h"
#include <math.h>

static double clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

static blm_estimate around(double v, double sd, double high)
{
    return (blm_estimate){v, clamp(v - sd, 0, high), clamp(v + sd, 0, high), false};
}

blm_overlap blm_overlap_from(blm_estimate a, blm_estimate b, blm_estimate both, double common_sd,
                             double jaccard_sd)
{
    blm_overlap o = {.a = a, .b = b, .both_sets = both};
    const double most = fmin(a.value, b.value);
    o.common_raw = a.value + b.value - both.value;
    const double common = clamp(o.common_raw, 0, most);
    o.common = around(common, common_sd, most);
    o.common.bound = both.bound;
    o.jaccard = around(both.value > 0 ? clamp(common / both.value, 0, 1) : 0, jaccard_sd, 1);
    o.a_in_b = around(a.value > 0 ? common / a.value : 0, a.value > 0 ? common_sd / a.value : 0, 1);
    o.b_in_a = around(b.value > 0 ? common / b.value : 0, b.value > 0 ? common_sd / b.value : 0, 1);
    return o;
}

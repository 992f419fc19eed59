/* overlap.c - |A n B| = |A| + |B| - |A u B|, kept inside what is possible. */
#include "parts/overlap.h"
#include <math.h>

static double clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}
static double share(double part, double whole) { return whole > 0 ? clamp(part / whole, 0, 1) : 0; }

blm_overlap blm_overlap_sizes(blm_estimate a, blm_estimate b, blm_estimate both,
                              const blm_bits_pair *p)
{
    blm_overlap o = {.a = a, .b = b, .both_sets = both, .join = {-1, -1, -1, false}};
    /* The larger one first: if it has every bit of the other, it is the union, and nothing is rounded. */
    o.common_raw = fmax(a.value, b.value) - both.value + fmin(a.value, b.value);
    o.common.value = clamp(o.common_raw, 0, fmin(a.value, b.value));
    o.common.bound = both.bound;
    o.jaccard.value = share(o.common.value, both.value);
    o.a_in_b.value = share(o.common.value, a.value);
    o.b_in_a.value = share(o.common.value, b.value);
    o.dot = p->both;
    o.a_may_be_subset = p->a_in_b;
    o.b_may_be_subset = p->b_in_a;
    return o;
}

static void spread(blm_estimate *e, double sd, double high)
{
    e->low = clamp(e->value - sd, 0, high);
    e->high = clamp(e->value + sd, 0, high);
}

/* The intersection is at most as large as each set, which may be one standard error larger. */
void blm_overlap_spread(blm_overlap *o, blm_overlap_sd sd)
{
    spread(&o->common, sd.common, fmin(o->a.high, o->b.high));
    spread(&o->jaccard, sd.jaccard, 1);
    spread(&o->a_in_b, sd.a_in_b, 1);
    spread(&o->b_in_a, sd.b_in_a, 1);
}

/* theory.c - rows of counters: how far counts exceed, how many light flows pass for heavy ones. */
#include <bloomery/theory/sketch.h>
#include "theory/theory_internal.h"

static const double columns_max = 0x1p52;

bool blm_sketch_size(double eps, double delta, uint64_t *columns, unsigned *rows)
{
    if (!(eps > 0 && eps < 1) || !(delta > 0 && delta < 1)) return false;
    const double w = ceil(exp(1) / eps), d = ceil(-log(delta));
    if (!(w <= columns_max) || d > BLM_THEORY_HASHES) return false;
    *columns = (uint64_t)w;
    *rows = (unsigned)d;
    return true;
}

double blm_sketch_excess(uint64_t columns, double weight)
{
    return columns && weight >= 0 ? exp(1) * weight / (double)columns : NAN;
}

double blm_sketch_doubt(unsigned rows) { return rows ? exp(-(double)rows) : NAN; }

/* ---- heavy flows ----------------------------------------------------------------------------- */

/* Each such column has at least threshold - size of what the others bring, which is total - size. */
double blm_flow_columns(double size, double threshold, double total)
{
    if (!(size >= 0 && threshold > 0 && total >= size)) return NAN;
    return size < threshold ? floor((total - size) / (threshold - size)) : INFINITY;
}

static bool strong(uint64_t columns, unsigned rows, double threshold, double total)
{
    return blm_theory_shape(columns, rows) && total > 0 && threshold * (double)columns > total;
}

double blm_flow_pass(uint64_t columns, unsigned rows, double size, double threshold, double total)
{
    if (!strong(columns, rows, threshold, total)) return NAN;
    const double share = blm_flow_columns(size, threshold, total) / (double)columns;
    return isnan(share) ? share : pow(fmin(1, share), rows);
}

double blm_flow_pass_bound(uint64_t columns, unsigned rows, double size, double threshold,
                           double total)
{
    if (!strong(columns, rows, threshold, total) || !(size >= 0)) return NAN;
    if (size >= threshold) return 1;
    return pow(fmin(1, total / ((double)columns * (threshold - size))), rows);
}

double blm_flows_passing(uint64_t columns, unsigned rows, uint64_t n, double threshold,
                         double total)
{
    if (!strong(columns, rows, threshold, total) || n == 0) return NAN;
    const double b = (double)columns, flows = (double)n, strength = threshold * b / total;
    if (strength * flows <= b) return flows; /* the bound says nothing */
    const double light = flows * pow(flows / (strength * flows - b), rows);
    return fmin(flows, fmax(b / (strength - 1), light) + light);
}

double blm_blue_mistaken(uint64_t bins, unsigned levels, uint64_t flows)
{
    return blm_rate_partitioned(bins, levels, flows);
}

/* ---- iceberg --------------------------------------------------------------------------------- */

double blm_iceberg_candidates(uint64_t columns, unsigned rows, uint64_t insertions, uint64_t heavy,
                              uint64_t light, unsigned count, unsigned theta)
{
    if (!blm_theory_shape(columns, rows) || theta == 0 || count >= theta || count > insertions)
        return NAN;
    const double row = blm_threshold_rate(columns, 1, insertions - count, theta - count);
    return (double)heavy + (double)light * pow(row, rows);
}

/* sketch.c - how many rows and columns, and how full they are. */
#include "parts/sketch.h"

#include <bloomery/theory.h>
#include <bloomery/theory/sketch.h>
#include <inttypes.h>
#include <math.h>

#include "parts/flows.h"
#include "parts/wish.h"

enum { STRENGTH = 10, STAGES = 4 }; /* of Estan and Varghese: columns = 10 total / threshold */
enum { FLOWS_DEFAULT = 1000 };

static blm_err settle_knobs(blm_sketch *s, blm_report *why)
{
    const struct {
        const char *name;
        double value;
        bool flow; /* needs a threshold */
    } row[] = {{"width", s->width, false},
               {"threshold", s->threshold, false},
               {"flows", s->flows, true},
               {"total", s->total, true}};
    for (size_t i = 0; i < BLM_LEN(row); i++) {
        if (row[i].value != floor(row[i].value))
            return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number", row[i].name,
                            row[i].value);
        if (row[i].flow && row[i].value > 0 && !(s->threshold > 0))
            return blm_fail(why, BLM_E_ARG,
                            "%s=%g: only valid with a threshold, such as threshold=1e6",
                            row[i].name, row[i].value);
    }
    if (s->threshold > 0 && !(s->flows > 0)) s->flows = FLOWS_DEFAULT;
    return BLM_OK;
}

static bool open_unit(double v) { return v > 0 && v < 1; }

static blm_err by_error(blm_sketch *s, const blm_config *wish, blm_report *why)
{
    if (!open_unit(s->eps) || !open_unit(s->delta))
        return blm_fail(why, BLM_E_ARG,
                        "eps=%g delta=%g: set both, between 0 and 1, such as 0.001 and 0.01",
                        s->eps, s->delta);
    if (wish->bits || wish->hashes)
        return blm_fail(why, BLM_E_ARG, "eps and delta determine rows and columns; omit %s",
                        wish->bits ? "bits" : "hashes");
    unsigned rows = 0;
    if (!blm_sketch_size(s->eps, s->delta, &s->columns, &rows))
        return blm_fail(why, BLM_E_ARG, "eps=%g delta=%g: more than 2^52 columns or 64 rows",
                        s->eps, s->delta);
    s->rows = rows;
    return BLM_OK;
}

static blm_err by_bits(blm_sketch *s, const blm_config *wish, blm_report *why)
{
    const uint64_t table = blm_flows_slots((uint64_t)s->flows) * BLM_FLOW_BYTES * 8;
    const unsigned width = (unsigned)s->width;
    const uint64_t cells = wish->bits > table ? (wish->bits - table) / width : 0;
    s->rows = wish->hashes ? wish->hashes : blm_best_hashes_partitioned(cells, wish->keys);
    if (!s->rows || cells < s->rows)
        return blm_fail(
            why, BLM_E_ARG,
            "bits %" PRIu64 ": %s%" PRIu64 " counters of %u bits, fewer than one per row",
            wish->bits, table ? "after the table of flows there is room for " : "", cells, width);
    s->columns = cells / s->rows;
    return BLM_OK;
}

static blm_err by_total(blm_sketch *s, const blm_config *wish, blm_report *why)
{
    const double columns = ceil(STRENGTH * s->total / s->threshold);
    if (!(columns <= 0x1p52))
        return blm_fail(why, BLM_E_ARG, "threshold=%g of total=%g: more than 2^52 columns",
                        s->threshold, s->total);
    s->columns = (uint64_t)columns;
    s->rows = wish->hashes ? wish->hashes : STAGES;
    return BLM_OK;
}

static blm_err by_keys(blm_sketch *s, const blm_config *wish, blm_report *why)
{
    unsigned rows = 0;
    if (!blm_size_partitioned(wish->keys, wish->fpr, wish->hashes, &s->columns, &rows))
        return blm_wish_beyond(wish, "2^58 counters or 64 rows", why);
    s->rows = rows;
    return BLM_OK;
}

/* The average column has total / columns: with that at the threshold all may pass it. */
static blm_err strong_enough(const blm_sketch *s, blm_report *why)
{
    if (!(s->total > 0) || s->threshold * (double)s->columns > s->total) return BLM_OK;
    return blm_fail(why, BLM_E_ARG,
                    "threshold=%g of total=%g in %" PRIu64
                    " columns: the average column reaches the threshold; use at least %.0f columns",
                    s->threshold, s->total, s->columns, floor(s->total / s->threshold) + 1);
}

blm_err blm_sketch_plan(blm_sketch *s, const blm_config *wish, blm_report *why)
{
    blm_err err = settle_knobs(s, why);
    if (!err)
        err = s->bounded     ? by_error(s, wish, why)
              : wish->bits   ? by_bits(s, wish, why)
              : s->total > 0 ? by_total(s, wish, why)
                             : by_keys(s, wish, why);
    return err ? err : strong_enough(s, why);
}

double blm_sketch_rate(const blm_counters *c, uint64_t columns)
{
    double p = 1;
    for (uint64_t row = 0; row < c->count; row += columns) {
        uint64_t used = 0;
        for (uint64_t i = 0; i < columns; i++) used += blm_counters_get(c, row + i) > 0;
        p *= (double)used / (double)columns;
    }
    return p;
}

/* Each row is an estimate of its own; they are averaged. One column tells only that there was a key. */
blm_estimate blm_sketch_keys(uint64_t used, uint64_t columns, unsigned rows)
{
    const double cells = (double)columns * rows, w = (double)columns;
    const bool full = used > 0 && (double)used >= cells;  /* then only a lower bound is known */
    const double taken = full ? cells - 1 : (double)used; /* unchecked fields say more */
    const double v = columns > 1 ? log1p(-taken / cells) / log1p(-1 / w) : full;
    const double sd = blm_keys_sd(columns, 1, (uint64_t)v) / sqrt(rows);
    return (blm_estimate){v, fmax(0, v - sd), v + sd, full};
}

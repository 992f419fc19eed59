/* flows.c - where a flow is, and whether all are where they belong. */
#include "parts/flows.h"

#include <inttypes.h>
#include <math.h>

#include "parts/packed.h"

uint8_t *blm_flows_find(const blm_flows *t, uint64_t digest, blm_flow *v)
{
    const uint64_t home = blm_reduce(blm_stream(digest, BLM_FLOW_WORD), t->slots);
    for (uint64_t i = 0, at = home; i < t->slots; i++, at = at + 1 < t->slots ? at + 1 : 0) {
        uint8_t *slot = t->cells + at * BLM_FLOW_BYTES;
        *v = blm_flow_get(slot);
        if (blm_flow_free(*v) || v->digest == digest) return slot;
    }
    *v = (blm_flow){0, 0, 0};
    return NULL;
}

uint64_t blm_flows_census(const blm_flows *t, bool *sound)
{
    uint64_t taken = 0;
    *sound = true;
    for (uint64_t at = 0; at < t->slots; at++) {
        const uint8_t *slot = t->cells + at * BLM_FLOW_BYTES;
        blm_flow found;
        const blm_flow v = blm_flow_get(slot);
        const bool is_free = blm_flow_free(v);
        if (is_free ? v.digest != 0 : blm_flows_find(t, v.digest, &found) != slot) *sound = false;
        taken += !is_free;
    }
    return taken;
}

blm_estimate blm_flow_estimate(blm_flow v, unsigned width)
{
    const double high = (double)v.since + (double)v.before;
    const bool lost = v.before >= blm_packed_top(width) || v.since == UINT64_MAX;
    return (blm_estimate){high, (double)v.since, lost ? (double)INFINITY : high, lost};
}

blm_err blm_flows_list(const blm_flows *t, uint64_t dropped, blm_item *out, size_t *n,
                       blm_report *why)
{
    const size_t room = out ? *n : 0;
    size_t found = 0;
    for (uint64_t at = 0; at < t->slots; at++) {
        const blm_flow v = blm_flow_get(t->cells + at * BLM_FLOW_BYTES);
        const uint64_t most = blm_flow_sum(v.since, v.before);
        if (blm_flow_free(v)) continue;
        if (found < room)
            out[found] = (blm_item){
                {v.digest, blm_mix(v.digest)}, NULL, 0, most < BLM_NO_ARG ? most : BLM_NO_ARG - 1};
        found++;
    }
    *n = found;
    if (!dropped) return BLM_OK;
    return blm_fail(why, BLM_E_UNSURE,
                    "%" PRIu64 " adds found the table of flows full (flows=%zu): some are missing",
                    dropped, found);
}

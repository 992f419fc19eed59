/* flows.c - where a flow is, and how it is counted there. */
#include "parts/flows.h"

#include <inttypes.h>
#include <math.h>

uint8_t *blm_flows_find(const blm_flows *t, uint64_t digest, blm_flow *v)
{
    const uint64_t slots = blm_flows_slots(t->limit);
    const uint64_t home = blm_reduce(blm_stream(digest, BLM_FLOW_WORD), slots);
    for (uint64_t i = 0, at = home; i < slots; i++, at = at + 1 < slots ? at + 1 : 0) {
        uint8_t *slot = t->cells + at * BLM_FLOW_BYTES;
        *v = blm_flow_get(slot);
        if (blm_flow_free(*v) || v->digest == digest) return slot;
    }
    *v = (blm_flow){0, 0, 0};
    return NULL;
}

bool blm_flows_shield(const blm_flows *t, uint64_t digest, uint64_t by)
{
    blm_flow v;
    uint8_t *slot = blm_flows_find(t, digest, &v);
    if (blm_flow_free(v)) return false;
    blm_flow_put(slot, (blm_flow){digest, blm_flow_sum(v.since, by), v.before});
    return true;
}

void blm_flows_enter(blm_flows *t, uint64_t digest, uint64_t by, uint64_t before)
{
    blm_flow v;
    if (!t->limit || blm_flow_sum(by, before) < t->threshold) return;
    uint8_t *slot = blm_flows_find(t, digest, &v);
    if (slot && t->held < t->limit) {
        blm_flow_put(slot, (blm_flow){digest, by, before});
        t->held++;
    } else
        t->dropped = blm_flow_sum(t->dropped, 1);
}

bool blm_flows_count(const blm_flows *t, uint64_t digest, uint64_t top, blm_estimate *n)
{
    blm_flow v;
    blm_flows_find(t, digest, &v);
    if (blm_flow_free(v)) return false;
    const double high = (double)v.since + (double)v.before;
    const bool lost = v.before >= top || v.since == UINT64_MAX;
    *n = (blm_estimate){high, (double)v.since, lost ? (double)INFINITY : high, lost};
    return true;
}

blm_err blm_flows_list(const blm_flows *t, blm_item *out, size_t *n, blm_report *why)
{
    const size_t room = out ? *n : 0;
    size_t found = 0;
    for (uint64_t at = 0; at < blm_flows_slots(t->limit); at++) {
        const blm_flow v = blm_flow_get(t->cells + at * BLM_FLOW_BYTES);
        const uint64_t max = blm_flow_sum(v.since, v.before);
        if (blm_flow_free(v)) continue;
        if (found < room)
            out[found] = (blm_item){
                {v.digest, blm_mix(v.digest)}, NULL, 0, max < BLM_NO_ARG ? max : BLM_NO_ARG - 1};
        found++;
    }
    *n = found;
    if (!t->dropped) return BLM_OK;
    return blm_fail(why, BLM_E_UNSURE,
                    "%" PRIu64 " adds found the table of flows full (flows=%" PRIu64
                    "): the list is incomplete; use more flows",
                    t->dropped, t->limit);
}

/* The number of the first free slot, or of all slots. */
static uint64_t first_free(const blm_flows *t, uint64_t slots)
{
    uint64_t at = 0;
    while (at < slots && !blm_flow_free(blm_flow_get(t->cells + at * BLM_FLOW_BYTES))) at++;
    return at;
}

/* A flow is found if no slot between its home and itself is free, and none of them has its digest: so whoever walks
 * along the slots knows by where the last free one was. Twins are looked for nearby only (a sound table hardly ever
 * has flows so far from home): the second of two would never be found and harm nobody, and comparing all with all took
 * 10 s for 3.6 MB. */
enum { TWINS_WITHIN = 64 };

static bool in_place(const blm_flows *t, uint64_t slots, uint64_t at, uint64_t digest, uint64_t run)
{
    const uint64_t home = blm_reduce(blm_stream(digest, BLM_FLOW_WORD), slots);
    const uint64_t away = at >= home ? at - home : at + slots - home;
    if (away > run) return false;
    for (uint64_t i = 1; i <= away && i <= TWINS_WITHIN; i++) {
        const uint64_t before = at >= i ? at - i : at + slots - i;
        if (blm_flow_get(t->cells + before * BLM_FLOW_BYTES).digest == digest) return false;
    }
    return true;
}

blm_err blm_flows_check(const blm_flows *t, blm_report *why)
{
    const uint64_t slots = blm_flows_slots(t->limit), gap = first_free(t, slots);
    uint64_t taken = 0, run = 0; /* slots in use right before this one */
    if (slots && gap == slots)
        return blm_fail(why, BLM_E_IMAGE, "damaged: the table of flows has no free slot");
    for (uint64_t i = 0; i < slots; i++) {
        const uint64_t at = gap + i < slots ? gap + i : gap + i - slots;
        const blm_flow v = blm_flow_get(t->cells + at * BLM_FLOW_BYTES);
        const bool is_free = blm_flow_free(v);
        if (is_free ? v.digest != 0 : !in_place(t, slots, at, v.digest, run))
            return blm_fail(why, BLM_E_IMAGE, "damaged: a flow is in the wrong slot");
        run = is_free ? 0 : run + 1;
        taken += !is_free;
    }
    return taken == t->held
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "damaged: the number of flows differs from its field");
}

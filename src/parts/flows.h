/* flows.h - a small table of keys that are counted on their own, by digests of 64 bits.
 *
 *      slot   | digest | since | before |     24 bytes; since = before = 0: free
 *
 * since: the weight that came after the key was entered; before: at most how much had come until then. So the
 * truth lies from `since` to `since` + `before`. A key lies in the first free slot from its home on (Knuth 3,
 * 6.4, algorithm L); a third of the slots stays free, so that a key which is not there is known after 5 slots
 * on average. None is ever taken out.
 *
 * The digest is the hash itself. Two keys with one hash have all their counters in common anyway: they are
 * counted as one, which is never too low.
 */
#ifndef BLM_FLOWS_H
#define BLM_FLOWS_H
#include "core/bytes.h"
#include "core/kind.h"
#include "parts/probe.h"

enum { BLM_FLOW_BYTES = 24, BLM_FLOW_WORD = 64 /* of the key's stream: behind all rows */ };

typedef struct blm_flows {
    uint8_t *cells;
    uint64_t slots; /* 0: there is no table */
} blm_flows;

typedef struct blm_flow {
    uint64_t digest, since, before;
} blm_flow;

static inline uint64_t blm_flows_slots(uint64_t flows) { return flows ? flows + flows / 2 + 1 : 0; }

static inline blm_flow blm_flow_get(const uint8_t *slot)
{
    return (blm_flow){blm_le64(slot), blm_le64(slot + 8), blm_le64(slot + 16)};
}

static inline void blm_flow_put(uint8_t *slot, blm_flow v)
{
    blm_put64(slot, v.digest);
    blm_put64(slot + 8, v.since);
    blm_put64(slot + 16, v.before);
}

static inline bool blm_flow_free(blm_flow v) { return !(v.since | v.before); }

static inline uint64_t blm_flow_sum(uint64_t a, uint64_t b) /* up to the largest number */
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* The slot of the key, else the free one where it belongs, and what stands there; NULL, and a free one: neither,
 * as there is no table or it has foreign bytes. */
uint8_t *blm_flows_find(const blm_flows *t, uint64_t digest, blm_flow *v);
/* From `since` up to all; at the top of counters of that width nobody knows. */
blm_estimate blm_flow_estimate(blm_flow v, unsigned width);
/* As blm_list: the most that it may be stands beside each. UNSURE, and those that are there, when some adds found
 * the table full. */
blm_err blm_flows_list(const blm_flows *t, uint64_t dropped, blm_item *out, size_t *n,
                       blm_report *why);
/* How many there are; *sound: each is where it is looked for. */
uint64_t blm_flows_census(const blm_flows *t, bool *sound);
#endif

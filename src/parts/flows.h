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

enum { BLM_FLOW_BYTES = 24, BLM_FLOW_WORD = 64 /* of the key's stream: after all rows */ };

typedef struct blm_flows {
    uint8_t *cells;
    uint64_t limit;         /* places for flows; 0: there is no table  */
    uint64_t threshold;     /* weight from which on a key is entered   */
    uint64_t held, dropped; /* flows held; adds that found it full     */
} blm_flows;

typedef struct blm_flow {
    uint64_t digest, since, before;
} blm_flow;

static inline uint64_t blm_flows_slots(uint64_t limit) { return limit ? limit + limit / 2 + 1 : 0; }

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
/* Shielding: true when the key is in the table, and has grown there. */
bool blm_flows_shield(const blm_flows *t, uint64_t digest, uint64_t by);
/* Who has come to the threshold, with `by` now and at most `before` until now, is counted here from now on. */
void blm_flows_enter(blm_flows *t, uint64_t digest, uint64_t by, uint64_t before);
/* False when the key is not in the table. From `since` up to all; if `before` was at the ceiling `top` of a counter,
 * nobody knows. */
bool blm_flows_count(const blm_flows *t, uint64_t digest, uint64_t top, blm_estimate *n);
/* As blm_list, each flow with an upper bound of its weight. UNSURE when some adds found the table full: the list has
 * those that are there. */
blm_err blm_flows_list(const blm_flows *t, blm_item *out, size_t *n, blm_report *why);
/* Each is where it is looked for, and there are as many as the field says. */
blm_err blm_flows_check(const blm_flows *t, blm_report *why);
#endif

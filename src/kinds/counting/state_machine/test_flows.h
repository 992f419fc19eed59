/* test_flows.h - flows by number, and which of them have the same fingerprint, as docs/format.md has it. */
#ifndef BLM_TESTS_FLOWS_H
#define BLM_TESTS_FLOWS_H
#include "kinds/counters.h"
#include "kinds/places.h"

static inline blm_err add_flow(blm_filter *f, uint64_t key, uint64_t state)
{
    const blm_item it = blm_item_u64(f, key, state);
    return blm_add_item(f, &it, NULL);
}

static inline blm_err put_flow(blm_filter *f, uint64_t key, uint64_t state)
{
    const blm_item it = blm_item_u64(f, key, state);
    return blm_put_item(f, &it);
}

enum { UNSURE = -1, ABSENT = 0 };

/* Its state, UNSURE or ABSENT. */
static inline int state_of(const blm_filter *f, uint64_t key)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    uint64_t state = 777777;
    const blm_err err = blm_get_item(f, &it, &state);
    assert_true(!err || state == 777777);
    assert_true(!err || err == BLM_E_UNSURE || err == BLM_E_ABSENT);
    return err == BLM_E_UNSURE ? UNSURE : err ? ABSENT : (int)state;
}

static inline uint64_t flow_of(const blm_filter *f, uint64_t key)
{
    return high(blm_item_u64(f, key, BLM_NO_ARG).h.lo, field(f, "buckets")
                                                           << field(f, "remainder"));
}

/* The next flow after `key` that has its fingerprint. */
static inline uint64_t twin_of(const blm_filter *f, uint64_t key)
{
    uint64_t other = key + 1;
    while (flow_of(f, other) != flow_of(f, key)) other++;
    return other;
}

/* B buckets a table, remainders of r bits, 15 states. */
static inline blm_filter *flows(uint64_t buckets, unsigned r, uint64_t seed)
{
    blm_filter *f = made_new(BLM_CONFIG(.kind = "state-machine", .bits = buckets * 32 * (r + 7),
                                        .keys = buckets * 24, .seed = seed, .overfill = true));
    assert_true(field(f, "buckets") == buckets && field(f, "remainder") == r);
    return f;
}
#endif

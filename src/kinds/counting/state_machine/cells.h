/* cells.h - the cells of flows: fingerprints (parts/prints.h) that have a state, and a bit that says "touched".
 *
 *     cell    [ remainder | state | touched, 1 bit | counter, 2 bits ]
 *
 * A state is 1 .. states, or 0: more than one flow has this fingerprint, and their states differ.
 */
#ifndef BLM_STATE_MACHINE_CELLS_H
#define BLM_STATE_MACHINE_CELLS_H
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/prints.h"

enum {
    FLOW_TABLES = 4,
    FLOW_SLOTS = 8, /* cells per bucket; two stay empty on average */
    FLOW_COUNTER = 2,
    FLOW_TAIL = 3, /* counter and touched */
    FLOW_STATES = 65535
};
#define FLOW_TOUCHED (UINT64_C(1) << FLOW_COUNTER)
#define FLOW_UNKNOWN UINT64_C(0) /* the state that several flows do not agree on */

typedef struct blm_state_machine {
    blm_filter base;
    uint64_t buckets;     /* B of one table, as planned                    */
    uint64_t used, stuck; /* cells                                         */
    uint16_t states;      /* the highest                                   */
    uint8_t remainder;    /* r as planned, in bits                         */
    uint8_t doublings;    /* grown so often: 2^doublings B, r - doublings  */
    unsigned bits;        /* by shape: of a state                          */
    uint64_t range;       /* by shape: N                                   */
    blm_prints now;       /* by shape: as it has grown                     */
} blm_state_machine;

static inline unsigned blm_state_bits(uint64_t states)
{
    return 64 - (unsigned)__builtin_clzll(states | 1);
}

static inline uint64_t blm_flow_state(const blm_state_machine *s, uint64_t cell)
{
    return cell >> FLOW_TAIL & blm_packed_top(s->bits);
}

/* Of a new cell: the state, and touched. */
static inline uint64_t blm_flow_payload(uint64_t state) { return state << 1 | 1; }
/* A flow of this fingerprint comes: it gets a cell, or the cell of others. */
blm_err blm_flow_add(blm_filter *f, uint64_t print, uint64_t payload, blm_census *change);

/* ---- many.c: the kind's calls of these names ----------------------------------------------- */

void blm_state_machine_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                size_t more, uint8_t *yes);
blm_err blm_state_machine_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                   size_t more, uint8_t *fresh, size_t *done);
blm_err blm_state_machine_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                                   size_t more, uint8_t *absent, size_t *done);

/* ---- epochs.c: the kind's call of this name ------------------------------------------------ */

blm_err blm_state_machine_tick(blm_filter *f, uint64_t now);

/* ---- rates.c: B and r for a wish, and the kind's calls of these names ---------------------- */

blm_err blm_state_machine_size(blm_state_machine *s, const blm_config *wish, blm_report *why);
blm_rate blm_state_machine_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_state_machine_fnr(const blm_filter *f, const blm_case *c);
uint64_t blm_state_machine_window(const blm_filter *f);
double blm_state_machine_fill(const blm_filter *f);
double blm_state_machine_lines(const blm_filter *f, const blm_case *c);
blm_err blm_state_machine_keys(const blm_filter *f, blm_estimate *n);
#endif

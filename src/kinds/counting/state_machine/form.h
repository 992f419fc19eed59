/* form.h - state-machine: fingerprints, 1 - (1 - 1/N)^n, in the fewest bits, next to 7 bits of state, epoch and counter. */
#ifndef BLM_FORM_STATE_MACHINE_H
#define BLM_FORM_STATE_MACHINE_H
#include "theory/forms/forms.h"

enum {
    FLOW_TAIL_BITS = 4 + 1 + 2,
    FLOW_LONGEST = 57 - FLOW_TAIL_BITS
}; /* 15 states, of a cell of 57 bits */

/* Buckets of four tables, 8 cells each, 6 of them in use. */
static inline double flow_buckets(double bits, int r)
{
    return floor(bits / (4 * 8 * (r + FLOW_TAIL_BITS)));
}

/* The longest remainders with which this many bits have room for n flows; more than 1 when there are none. */
static inline double flow_rate(double bits, double n)
{
    int r = FLOW_LONGEST;
    while (r && (4 * 6 * flow_buckets(bits, r) < n || ldexp(flow_buckets(bits, r), r) > 0x1p63))
        r--;
    return r ? -expm1(n * log1p(-1 / ldexp(flow_buckets(bits, r), r))) : 2;
}

static inline void check_state_machine(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, bits = (double)o->bytes * 8;
    double min = (double)INFINITY;
    assert_true(o->hashes == 0 && o->lines > 4 && o->lines < 8 && o->misses);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (c->bits) NEAR(o->rate, flow_rate((double)c->bits, n), 1e-9);
    if (c->bits && !c->keys) assert_true(flow_rate((double)c->bits, floor(n * 1.001) + 1) > c->fpr);
    if (c->bits) return;
    /* n flows at p want 1 / (1 - (1 - p)^(1/n)) fingerprints, and n / 24 buckets a table. */
    const double range = -1 / expm1(log1p(-c->fpr) / n);
    for (int r = 1; r <= FLOW_LONGEST; r++) {
        const double b = fmax(ceil(n / 24), ceil(ldexp(range, -r) * (1 - 1e-12)));
        if (ldexp(b, r) <= 0x1p63) min = fmin(min, 32 * b * (r + FLOW_TAIL_BITS));
    }
    assert_true(bits >= min && bits < min * (1 + 1e-9) + WORD);
}

/* At least this many offers for 200 wishes: it has no hashes to wish for. */
#define FORM_STATE_MACHINE "state-machine", check_state_machine, 60
#endif

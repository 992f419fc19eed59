/* state_machine.c - the state of each flow, with "do not know" instead of a wrong one.
 *
 * QUESTION  In which state is this flow, such as a connection, a download, a session?
 *
 * PICTURE   dleft with a state in each cell. A fingerprint F chooses one bucket in each of 4 tables of B buckets, and is
 *           stored in the emptiest of them.
 *
 *              F ---+-------------+-------------+-------------+
 *                   v             v             v             v
 *              | 6 of 8 |    | 7 of 8 |    | 5 of 8 |    | 6 of 8 |
 *                                              |
 *                              cell: [ remainder, r bits | state | touched | counter, 2 bits ]
 *
 *           add brings a flow with its state (the argument of the key, 1 without one); put gives it another state, and
 *           fails with BLM_E_ABSENT where the flow is not in the set. Two flows that have the same F share a cell, whose
 *           counter is then 2: as soon as their states differ nobody can tell whose is whose, and get fails with
 *           BLM_E_UNSURE for both. A flow that is added again while it is there counts as a second one: use put.
 *           tick(now) ends epochs; `now` is the number of the epoch. add and put touch a cell. A cell that was not touched
 *           for one whole epoch is emptied by the tick that ends it, so flows that end without a word leave by
 *           themselves: at the second tick, never before one whole epoch. get only looks: put the state again, even
 *           the same one, to keep a flow. Tick once before the first add; two epochs at once empty the filter.
 *
 * COST      6 of 8 cells are in use at capacity: 4/3 (r + s + 3) bits per flow, s bits for the states (4 for up to 15),
 *           r = log2(24 / rate) rounded up: 25.3 bits at 1 % and 29.3 at 0.1 % with 15 states. The rate is that at which an
 *           unknown flow gets the state of another, and also that at which a flow shares its cell, and may be UNSURE.
 *           A query reads 4 buckets, all fetched at once. A tick reads and writes every cell, 3 ns per flow.
 *           The table can be full: adding a flow whose 4 buckets are all full fails with BLM_E_FULL. grow doubles the
 *           buckets and takes one bit of each remainder: room for twice the flows, at twice the rate, which is the new
 *           promise; up to a rate of 50 %. A counter sticks at 3; only a tick empties such a cell.
 *
 * CHOOSE    state-machine when each of millions of flows has one of a few states, and "do not know" is an answer that
 *           you can act on. Choose dleft when keys have no state. Put and delete only flows that were added: another
 *           flow with the same F changes with them, and only then can a state be wrong. has looks at fingerprints,
 *           not at states.
 *
 * PAPER     Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese: Beyond Bloom Filters: From Approximate Membership Checks
 *           to Approximate State Machines, SIGCOMM 2006: the form with fingerprints. The two others are left out, because
 *           the paper finds that they take more memory for the same errors: a counting filter of keys joined with their
 *           states (direct), which is asked once per state, and one with a state in each cell (stateful). There a lookup
 *           touches the cell as well; here queries never write. A put of the state that a shared cell has already leaves it
 *           known.
 */
#include <math.h>

#include "cells.h"

static const blm_field state_machine_fields[] = {
    BLM_FIELD(blm_state_machine, buckets, BLM_F_SHAPE, 1, UINT64_C(1) << BLM_PRINTS_ACROSS,
              "B, buckets per table"),
    BLM_FIELD(blm_state_machine, remainder, BLM_F_SHAPE, 1, 53, "r, bits per remainder"),
    BLM_FIELD(blm_state_machine, states, BLM_F_SHAPE, 1, FLOW_STATES, "the highest state"),
    BLM_FIELD(blm_state_machine, doublings, BLM_F_STATE, 0, 52, "how often it has grown"),
    BLM_FIELD(blm_state_machine, used, BLM_F_STATE, 0, UINT64_C(1) << 58, "cells in use"),
    BLM_FIELD(blm_state_machine, stuck, BLM_F_STATE, 0, UINT64_C(1) << 58,
              "cells whose counter is at its ceiling"),
};

static const blm_knobdef state_machine_knobs[] = {
    {"states", "states that a flow may have: 1 to this number", BLM_K_NUMBER, .def = 15, .min = 1,
     .max = FLOW_STATES},
};

static blm_err state_machine_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                                  blm_report *why)
{
    const double states = knobs->num[0];
    if (states != floor(states))
        return blm_fail(why, BLM_E_ARG, "states=%g: must be a whole number from 1 to %u", states,
                        FLOW_STATES);
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: state-machine stores one fingerprint per flow in one of %u "
                        "buckets; set fpr instead",
                        wish->hashes, FLOW_TABLES);
    ((blm_state_machine *)f)->states = (uint16_t)states;
    return blm_state_machine_size((blm_state_machine *)f, wish, why);
}

static blm_err state_machine_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_state_machine *s = (blm_state_machine *)f;
    const unsigned r = s->remainder, grown = s->doublings;
    s->bits = blm_state_bits(s->states);
    const bool long_cells = r + s->bits + FLOW_TAIL > BLM_PRINTS_CELL;
    if (grown >= r || long_cells || s->buckets > (UINT64_C(1) << BLM_PRINTS_RANGE) >> r ||
        s->buckets > (UINT64_C(1) << BLM_PRINTS_ACROSS) >> grown)
        return blm_fail(why, BLM_E_ARG,
                        "%llu buckets, remainders of %u bits for %u states, grown %u times: no "
                        "such table is possible",
                        (unsigned long long)s->buckets, r, s->states, grown);
    s->range = s->buckets << r;
    s->now = blm_prints_with(FLOW_TABLES, s->buckets << grown, FLOW_SLOTS, r - grown, s->bits + 1,
                             FLOW_COUNTER);
    const uint64_t cells = blm_prints_cells(&s->now);
    if (s->stuck > s->used || s->used > cells || s->used > s->range)
        return blm_fail(why, BLM_E_ARG, "%llu cells are in use, %llu stuck: not of %llu cells",
                        (unsigned long long)s->used, (unsigned long long)s->stuck,
                        (unsigned long long)cells);
    *bytes = blm_packed_bytes(cells, s->now.bits);
    return BLM_OK;
}

static blm_err state_machine_check(const blm_filter *f, blm_report *why)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    const uint64_t cells = blm_prints_cells(&s->now);
    for (uint64_t i = 0; i < cells; i++)
        if (blm_flow_state(s, blm_prints_cell(&s->now, f, i)) > s->states)
            return blm_fail(why, BLM_E_IMAGE, "damaged: a state above %u", s->states);
    return blm_prints_check(&s->now, f, (blm_census){s->used, s->stuck}, why);
}

static void state_machine_args(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    *min = 1;
    *max = ((const blm_state_machine *)f)->states;
}

/* ---- one flow --------------------------------------------------------------------------------- */

static inline uint64_t flow_print(const blm_state_machine *s, blm_hash h)
{
    return blm_reduce(h.lo, s->range);
}

static inline uint64_t flow_cell(const blm_filter *f, blm_hash h)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    return blm_prints_seek(&s->now, f, flow_print(s, h));
}

static inline void state_machine_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    blm_prints_fetch(&s->now, f, flow_print(s, h));
}

BLM_PREFETCH(state_machine)

static bool state_machine_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)it, flow_cell(f, h) != BLM_PRINTS_NONE;
}

/* One flow of a cell has this state from now on. It is the state of all of them where the cell has no other flow, or
 * where it is the state already. */
static void flow_enters(blm_filter *f, uint64_t cell, uint64_t state, bool alone)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    const uint64_t v = blm_prints_cell(&s->now, f, cell), old = blm_flow_state(s, v);
    const uint64_t now = alone || old == state ? state : FLOW_UNKNOWN;
    blm_packed_set(f->cells, f->bytes, s->now.bits, cell,
                   (v ^ (old ^ now) << FLOW_TAIL) | FLOW_TOUCHED);
}

blm_err blm_flow_add(blm_filter *f, uint64_t print, uint64_t payload, blm_census *change)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    uint64_t cell;
    const blm_err err = blm_prints_enter(&s->now, f, print, 1, payload, change, &cell);
    if (!err && !change->used) flow_enters(f, cell, payload >> 1, false);
    return err;
}

static blm_err state_machine_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_state_machine *s = (blm_state_machine *)f;
    blm_census change = {0, 0};
    const blm_err err = blm_flow_add(f, flow_print(s, h), blm_flow_payload(it->arg), &change);
    s->used += change.used;
    s->stuck += change.stuck;
    *fresh = change.used > 0;
    return err;
}

static blm_err state_machine_put(blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    const uint64_t cell = flow_cell(f, h);
    if (cell == BLM_PRINTS_NONE) return BLM_E_ABSENT;
    flow_enters(f, cell, it->arg, blm_prints_counter(&s->now, f, cell) == 1);
    return BLM_OK;
}

static blm_err state_machine_get(const blm_filter *f, blm_hash h, const blm_item *it,
                                 uint64_t *value)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    const uint64_t cell = flow_cell(f, h);
    (void)it;
    if (cell == BLM_PRINTS_NONE) return BLM_E_ABSENT;
    const uint64_t state = blm_flow_state(s, blm_prints_cell(&s->now, f, cell));
    if (state == FLOW_UNKNOWN || state > s->states) return BLM_E_UNSURE;
    *value = state;
    return BLM_OK;
}

/* The state stays: where flows did not agree, nobody knows which of them is left. */
static blm_err state_machine_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    blm_state_machine *s = (blm_state_machine *)f;
    const uint64_t cell = flow_cell(f, h);
    (void)it;
    if (cell == BLM_PRINTS_NONE) return BLM_E_ABSENT;
    s->used -= blm_prints_lower(&s->now, f, cell);
    return BLM_OK;
}

static size_t state_machine_touch(const blm_filter *f, blm_hash h, const blm_item *it,
                                  blm_touch *out, size_t cap)
{
    const blm_state_machine *s = (const blm_state_machine *)f;
    return (void)it, blm_prints_touch(&s->now, f, flow_print(s, h), out, cap);
}

/* ---- more room -------------------------------------------------------------------------------- */

static uint64_t state_machine_room(const blm_filter *f)
{
    return blm_doubled(f->capacity, ((const blm_state_machine *)f)->doublings);
}

/* The fingerprints stay as many: past a rate of 50 %, most new flows would share the cell of another. */
static blm_err state_machine_grow(blm_filter *f, blm_report *why)
{
    blm_state_machine *s = (blm_state_machine *)f, to = *s;
    const blm_case more = {.keys = 2 * blm_capacity_now(f)};
    const double rate = blm_state_machine_fpr(f, &more).high;
    uint64_t bytes = 0;
    blm_census sum = {0, 0};
    if (s->now.low == 1 || rate > 0.5)
        return blm_fail(why, BLM_E_FULL,
                        "grown %u times: %llu flows would have a rate of %.2g, as the fingerprints "
                        "stay %llu; build a filter for more flows",
                        s->doublings, (unsigned long long)more.keys, rate,
                        (unsigned long long)s->range);
    to.doublings++;
    blm_err err = state_machine_shape(&to.base, &bytes, why);
    if (!err) err = blm_prints_move(f, &s->now, &to.now, NULL, NULL, &sum, why);
    if (err) return err;
    s->doublings = to.doublings;
    s->now = to.now;
    return BLM_OK;
}

const blm_kind blm_kind_state_machine = {
    .name = "state-machine",
    .group = "counting",
    .version = 1,
    .size = sizeof(blm_state_machine),
    .needs = BLM_NEEDS_HASH64 | BLM_NEEDS_LO,
    .fields = state_machine_fields,
    .nfields = BLM_LEN(state_machine_fields),
    .knobs = state_machine_knobs,
    .nknobs = BLM_LEN(state_machine_knobs),
    .arg = {"state", "the state of the flow", 1, 1, FLOW_STATES, BLM_AGAIN_STATE},
    .args = state_machine_args,
    .plan = state_machine_plan,
    .shape = state_machine_shape,
    .check = state_machine_check,
    .fpr = blm_state_machine_fpr,
    .fnr = blm_state_machine_fnr,
    .lines = blm_state_machine_lines,
    .fill = blm_state_machine_fill,
    .touch = state_machine_touch,
    .has = state_machine_has,
    .add = state_machine_add,
    .prefetch_many = state_machine_prefetch_many,
    .has_many = blm_state_machine_has_many,
    .add_many = blm_state_machine_add_many,
    .del_many = blm_state_machine_del_many,
    .del = state_machine_del,
    .get = state_machine_get,
    .put = state_machine_put,
    .tick = blm_state_machine_tick,
    .clock = BLM_CLOCK_STEPS,
    .window = blm_state_machine_window,
    .no_merge_reason = "of a flow that both have, nobody knows which state is the newer one",
    .grow = state_machine_grow,
    .room = state_machine_room,
    .keys = blm_state_machine_keys,
};

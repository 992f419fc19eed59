/* test_model.c - 800,000 operations next to an exact map of flows, in tables where few and where many share a cell.
 *
 * The model has two halves. The map knows the state of every flow, and the epoch in which it was touched: a filter may not
 * say another state of a flow that is there, nor that it is absent. The groups are what the page of the kind says about
 * flows of one fingerprint, in plain numbers without tables and cells: the filter must say exactly what they say.
 */
#include "test_flows.h"

enum { FLOWS = 3000, STATES = 5, TURNS = TEST_SLOW ? 200000 : 400000 };

typedef struct flow {
    bool inside;
    uint64_t state, touched; /* the epoch */
} flow;

typedef struct group { /* all flows of one fingerprint */
    unsigned flows;    /* 0 to 3; 3: or more */
    uint64_t state;    /* 0: they do not agree */
    bool touched;      /* in this epoch */
} group;

typedef struct model {
    blm_filter *f;
    flow flow[FLOWS];
    uint64_t place[FLOWS]; /* of its group */
    group *group;
    uint64_t groups, now, random, unsure, shared;
} model;

static group *group_of(model *m, uint64_t i) { return &m->group[m->place[i]]; }

/* Its flows leave when it has not been touched for a whole epoch, and know it: the program that uses the filter counts
 * epochs as well. */
static bool is_live(const model *m, uint64_t i)
{
    return m->flow[i].inside && m->now - m->flow[i].touched < 2;
}

static void flow_is(model *m, uint64_t i, uint64_t state)
{
    m->flow[i] = (flow){true, state, m->now};
}

static void add(model *m, uint64_t i, uint64_t state)
{
    group *g = group_of(m, i);
    const blm_item it = blm_item_u64(m->f, i, state);
    bool fresh = false;
    assert_int_equal(blm_add_item(m->f, &it, &fresh), BLM_OK);
    assert_int_equal(fresh, g->flows == 0);
    g->state = !g->flows || g->state == state ? state : 0;
    g->flows += g->flows < 3;
    g->touched = true;
    flow_is(m, i, state);
}

static void put(model *m, uint64_t i, uint64_t state)
{
    group *g = group_of(m, i);
    assert_int_equal(put_flow(m->f, i, state), BLM_OK);
    g->state = g->flows == 1 || g->state == state ? state : 0;
    g->touched = true;
    flow_is(m, i, state);
}

static void leave(model *m, uint64_t i)
{
    group *g = group_of(m, i);
    assert_int_equal(del_u64(m->f, i), BLM_OK);
    g->flows -= g->flows < 3;
    m->flow[i].inside = false;
}

static void tick(model *m, uint64_t epochs)
{
    m->now += epochs;
    assert_int_equal(blm_tick(m->f, m->now), BLM_OK);
    for (uint64_t i = 0; i < m->groups; i++) {
        group *g = &m->group[i];
        if (epochs > 1 || !g->touched) g->flows = 0;
        g->touched = false;
    }
}

static void ask(model *m, uint64_t i)
{
    const group *g = group_of(m, i);
    const int is = state_of(m->f, i);
    assert_int_equal(is, !g->flows ? ABSENT : g->state ? (int)g->state : UNSURE);
    if (!is_live(m, i)) return;
    assert_int_not_equal(is, ABSENT);
    if (is != UNSURE) assert_int_equal(is, m->flow[i].state);
    m->unsure += is == UNSURE;
    m->shared += g->flows > 1;
}

static void turn(model *m)
{
    const uint64_t i = draw(&m->random) % FLOWS, state = 1 + draw(&m->random) % STATES,
                   what = draw(&m->random) % 100;
    const bool live = is_live(m, i);
    if (!live && what < 30) add(m, i, state);
    if (live && what < 20) put(m, i, state);
    if (live && what >= 80) leave(m, i);
    ask(m, i);
    if (draw(&m->random) % 4000 == 0) tick(m, 1);
    if (draw(&m->random) % 40000 == 0) tick(m, 2 + draw(&m->random) % 3);
}

static void all_agree(model *m)
{
    uint64_t used = 0, stuck = 0;
    for (uint64_t i = 0; i < FLOWS; i++) ask(m, i);
    for (uint64_t i = 0; i < m->groups; i++) {
        used += m->group[i].flows > 0;
        stuck += m->group[i].flows == 3;
    }
    assert_true(field(m->f, "used") == used && field(m->f, "stuck") == stuck);
    OK(m->f->kind->check(m->f, &why));
}

/* Returns the share of the questions about live flows that the filter was unsure of. */
static double used_for_long(const char *rate, double *shared)
{
    char spec[80];
    static model m;
    m = (model){.random = 1};
    snprintf(spec, sizeof spec, "state-machine keys=%d fpr=%s states=%d overfill=yes", FLOWS, rate,
             STATES);
    m.f = made(spec);
    m.groups = field(m.f, "buckets") << field(m.f, "remainder");
    m.group = calloc((size_t)m.groups, sizeof *m.group);
    assert_non_null(m.group);
    for (uint64_t i = 0; i < FLOWS; i++) m.place[i] = flow_of(m.f, i);
    for (unsigned t = 0; t < TURNS; t++) {
        turn(&m);
        if (t % (TURNS / 8) == 0) all_agree(&m);
    }
    all_agree(&m);
    *shared = (double)m.shared / TURNS;
    const double unsure = (double)m.unsure / TURNS;
    blm_free(m.f);
    free(m.group);
    return unsure;
}

static void what_it_says_is_true(void **state)
{
    double few, many;
    (void)state;
    const double unsure = used_for_long("0.5%", &few);
    assert_true(unsure > 0 && unsure <= few && few < 0.005);
    assert_true(used_for_long("40%", &many) > 10 * unsure && many > 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_it_says_is_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test.c - states of flows: the figures of the paper, who shares a cell, what epochs do, the end of room. */
#include "test_flows.h"
#include "oracles.h"

/* ---- the figures of the paper ------------------------------------------------------------------- */

static void rates_of_14_bits(void **state)
{
    const uint64_t n = 24 * 4096;
    (void)state;
    blm_filter *f = flows(4096, 14, 1);
    for (uint64_t i = 0; i < n; i++) assert_int_equal(add_flow(f, i, 1 + i % 15), BLM_OK);
    ORACLE_NEAR("1.B12", "r=14, load 6: the rate, to first order", 1.465e-3, 1e-3,
                blm_fpr(f, &(blm_case){.keys = n}).high);
    ORACLE_NEAR("1.B12", "r=14, load 6: the rate by the formula of 1.B3", 1.46377e-3, 1e-5,
                blm_fpr(f, &(blm_case){.keys = n}).high);
    ORACLE_HITS("1.B12", "r=14, load 6: unknown flows that have a state", 1.465e-3,
                false_yes(f, 1000000), 1000000);
    ORACLE_NEAR("1.B12", "r=14: bits per flow with 15 states, 4/3 (r + 4 + 3)", 28, 1e-6,
                (double)info_of(f).bits / (double)n);
    blm_free(f);
}

/* Of 98304 flows 143.8 share their fingerprint, nearly all in pairs: the sd of their number is sqrt(2 * 143.8). Of two
 * states out of 15, one in 15 is the same. */
static void flows_that_are_not_known(void **state)
{
    enum { SEEDS = 5 };
    const uint64_t n = 24 * 4096;
    uint64_t unsure = 0, wrong = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        blm_filter *f = flows(4096, 14, seed);
        for (uint64_t i = 0; i < n; i++) assert_int_equal(add_flow(f, i, 1 + i % 15), BLM_OK);
        for (uint64_t i = 0; i < n; i++) {
            const int is = state_of(f, i);
            unsure += is == UNSURE;
            wrong += is != UNSURE && is != (int)(1 + i % 15);
        }
        blm_free(f);
    }
    const double all = (double)n * SEEDS, some = 1.465e-3 * 14 / 15, sd = sqrt(2 * some / all);
    ORACLE_BETWEEN("1.B12", "r=14, load 6: share of the flows that are not known", some,
                   some - 4 * sd, some + 4 * sd, (double)unsure / all);
    ORACLE_HOLDS("1.B12", "no flow has a wrong state", wrong == 0);
}

static void the_script(void **state)
{
    blm_filter *f = flows(1, 5, 1);
    const uint64_t x = 100, y = twin_of(f, x);
    (void)state;
    assert_int_equal(blm_tick(f, 10), BLM_OK);
    assert_int_equal(add_flow(f, x, 1), BLM_OK);
    assert_int_equal(state_of(f, x), 1);
    assert_int_equal(add_flow(f, y, 2), BLM_OK);
    ORACLE_HOLDS("1.B12", "insert(x,1), insert(y,2), one fingerprint: lookup says DK",
                 state_of(f, x) == UNSURE && state_of(f, y) == UNSURE);
    assert_int_equal(del_u64(f, y), BLM_OK);
    ORACLE_HOLDS("1.B12", "delete(y): still DK", state_of(f, x) == UNSURE);
    assert_int_equal(blm_tick(f, 11), BLM_OK);
    assert_int_equal(state_of(f, x), UNSURE);
    assert_int_equal(blm_tick(f, 12), BLM_OK);
    ORACLE_HOLDS("1.B12", "two ticks without a touch: none", state_of(f, x) == ABSENT);
    assert_int_equal(field(f, "used"), 0);
    blm_free(f);
}

/* ---- who shares a cell -------------------------------------------------------------------------- */

static void one_flow_changes_its_state(void **state)
{
    blm_filter *f = made("state-machine keys=100"), *old = NULL;
    bool fresh = false;
    (void)state;
    const blm_item it = blm_item_u64(f, 5, 15);
    assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
    assert_true(fresh && state_of(f, 5) == 15);
    for (uint64_t s = 1; s <= 15; s++) {
        assert_int_equal(put_flow(f, 5, s), BLM_OK);
        assert_int_equal(state_of(f, 5), (int)s);
    }
    OK(blm_copy(&old, f, &why));
    assert_int_equal(put_flow(f, 6, 3), BLM_E_ABSENT);
    assert_int_equal(del_u64(f, 6), BLM_E_ABSENT);
    assert_int_equal(state_of(f, 6), ABSENT);
    assert_true(blm_equal(f, old));
    assert_int_equal(blm_add_u64(f, 7), BLM_OK); /* without a number */
    assert_int_equal(state_of(f, 7), 1);
    assert_int_equal(blm_add_item(f, &it, &fresh),
                     BLM_OK); /* as a second flow, in the same state */
    assert_true(!fresh && state_of(f, 5) == 15);
    assert_int_equal(add_flow(f, 5, 14), BLM_OK);
    assert_int_equal(state_of(f, 5), UNSURE);
    blm_free(old);
    blm_free(f);
}

static void two_flows_of_one_cell(void **state)
{
    blm_filter *f = flows(1, 5, 1);
    const uint64_t x = 1, y = twin_of(f, x);
    (void)state;
    assert_int_equal(add_flow(f, x, 4), BLM_OK);
    assert_int_equal(add_flow(f, y, 4), BLM_OK);
    assert_true(state_of(f, x) == 4 && state_of(f, y) == 4); /* they agree */
    assert_int_equal(put_flow(f, x, 4), BLM_OK);
    assert_true(state_of(f, x) == 4 && state_of(f, y) == 4); /* and still do */
    assert_int_equal(put_flow(f, x, 5), BLM_OK);
    assert_true(state_of(f, x) == UNSURE && state_of(f, y) == UNSURE);
    assert_int_equal(put_flow(f, y, 5), BLM_OK); /* nobody knows that they agree again */
    assert_int_equal(state_of(f, x), UNSURE);
    assert_int_equal(del_u64(f, y), BLM_OK);
    assert_int_equal(state_of(f, x), UNSURE);
    assert_int_equal(put_flow(f, x, 6), BLM_OK); /* alone, and says so itself */
    assert_int_equal(state_of(f, x), 6);
    assert_int_equal(del_u64(f, x), BLM_OK);
    assert_true(state_of(f, x) == ABSENT && field(f, "used") == 0);
    blm_free(f);
}

/* Three and more: the counter has lost count, and only epochs empty the cell. */
static void counters_stick_at_three(void **state)
{
    blm_filter *f = flows(1, 5, 1);
    uint64_t key[5] = {9};
    (void)state;
    for (unsigned i = 1; i < 5; i++) key[i] = twin_of(f, key[i - 1]);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(field(f, "stuck"), i > 2);
        assert_int_equal(add_flow(f, key[i], 3), BLM_OK);
    }
    for (unsigned i = 0; i < 5; i++) assert_int_equal(del_u64(f, key[i]), BLM_OK);
    assert_true(field(f, "used") == 1 && field(f, "stuck") == 1 && state_of(f, key[0]) == 3);
    assert_int_equal(put_flow(f, key[0], 2), BLM_OK);
    assert_int_equal(state_of(f, key[0]), UNSURE);
    assert_int_equal(blm_tick(f, 1), BLM_OK);
    assert_true(field(f, "used") == 1 && field(f, "stuck") == 1);
    assert_int_equal(blm_tick(f, 2), BLM_OK);
    assert_true(field(f, "used") == 0 && field(f, "stuck") == 0);
    blm_free(f);
}

/* ---- epochs ------------------------------------------------------------------------------------- */

/* Flows are added or put once in an epoch of their own; they are there for all of the next one, and in none after. */
static void who_is_idle_leaves(void **state)
{
    static const uint64_t bits[] = {1, 3, 6, 11, 18, 33, 50}; /* cells of 8 to 57 bits */
    (void)state;
    for (size_t b = 0; b < COUNT(bits); b++) {
        blm_filter *f = flows(7, (unsigned)bits[b], b);
        for (uint64_t epoch = 1; epoch < 12; epoch++) {
            assert_int_equal(blm_tick(f, epoch), BLM_OK);
            if (epoch > 1) assert_int_equal(put_flow(f, 1000, 1 + epoch), BLM_OK);
            for (uint64_t i = 0; i < 20; i++)
                assert_int_equal(add_flow(f, epoch * 20 + i, 1), BLM_OK);
            if (epoch == 1) assert_int_equal(add_flow(f, 1000, 1), BLM_OK);
            for (uint64_t i = 20; i < epoch * 20 + 20; i++) {
                const bool young = i / 20 + 1 >= epoch;
                if (young) assert_true(blm_has_u64(f, i));
                if (bits[b] > 18 && !young) assert_int_equal(state_of(f, i), ABSENT);
            }
            assert_true(blm_has_u64(f, 1000));
            if (bits[b] > 18) assert_int_equal(field(f, "used"), 1 + (epoch == 1 ? 20 : 40));
        }
        OK(f->kind->check(f, &why));
        blm_free(f);
    }
}

/* One more epoch: touched or gone, cell by cell. Seven buckets are 224 cells, no multiple of 5 or 6 of one load. */
static void tick_of_every_cell(unsigned states, unsigned r)
{
    const unsigned width = r + (states == 1 ? 4 : 7), last = 7 * 32 - 1;
    uint64_t used = 0, stuck = 0;
    char with[20];
    snprintf(with, sizeof with, "states=%u", states);
    blm_filter *f = made_new(BLM_CONFIG(.kind = "state-machine", .bits = (last + 1) * width,
                                        .keys = 7 * 24, .with = with, .overfill = true)),
               *before = NULL;
    assert_true(field(f, "remainder") == r);
    for (uint64_t i = 0; i < 1500; i++) {
        const blm_err err = add_flow(f, i, 1 + i % states);
        assert_true(err == BLM_OK || err == BLM_E_FULL);
    }
    assert_true(r < 7 || cell_of(f, width, last)); /* it is full */
    assert_int_equal(blm_tick(f, 1), BLM_OK);
    for (uint64_t i = 0; i < 1500; i += 3)
        assert_true(put_flow(f, i, 1) == (blm_has_u64(f, i) ? BLM_OK : BLM_E_ABSENT));
    OK(blm_copy(&before, f, &why));
    assert_int_equal(blm_tick(f, 2), BLM_OK);
    for (uint64_t c = 0; c <= last; c++) {
        const uint64_t old = cell_of(before, width, c), new = cell_of(f, width, c);
        assert_int_equal(new, old & 4 ? old - 4 : 0);
        used += new != 0;
        stuck += (new & 3) == 3;
    }
    assert_true(used > 0 && field(f, "used") == used && field(f, "stuck") == stuck);
    OK(f->kind->check(f, &why));
    blm_free(before);
    blm_free(f);
}

static void a_tick_of_every_cell(void **state)
{
    (void)state;
    for (unsigned r = 1; r <= 50; r++) {
        tick_of_every_cell(1, r);
        tick_of_every_cell(15, r);
    }
}

static void time_goes_forward(void **state)
{
    blm_filter *f = made("state-machine keys=1000"), *old = NULL;
    (void)state;
    assert_int_equal(blm_tick(f, 1000000), BLM_OK);
    add_run(f, 0, 1000);
    OK(blm_copy(&old, f, &why));
    assert_int_equal(blm_tick(f, 999999), BLM_E_CLOCK);
    assert_int_equal(blm_tick(f, 1000000), BLM_OK);
    assert_true(blm_equal(f, old));
    assert_int_equal(blm_tick(f, 1000001), BLM_OK);
    assert_true(has_run(f, 0, 1000));
    assert_int_equal(blm_tick(old, UINT64_MAX), BLM_OK); /* at once, not epoch by epoch */
    assert_true(field(old, "used") == 0 && false_yes(old, 1000) == 0);
    assert_int_equal(info_of(old).now, UINT64_MAX);
    assert_true(blm_fnr(f, &(blm_case){.keys = 1000, .gap = 1}).high <= 0);
    assert_true(blm_fnr(f, &(blm_case){.keys = 1000, .gap = 2}).high >= 1);
    blm_free(old);
    blm_free(f);
}

/* ---- the end of room ------------------------------------------------------------------------------ */

/* Flows that never end: an error, no silent loss. Epochs make room again. */
static void without_ticks_it_is_full(void **state)
{
    blm_filter *f = flows(512, 16, 1), *old = NULL;
    uint64_t n = 0;
    (void)state;
    while (!add_flow(f, n, 1 + n % 15)) n++;
    assert_true(n > 512 * 4 * 7 && n < 512 * 4 * 8); /* 1.B3: not below 7.0 cells of a bucket */
    OK(blm_copy(&old, f, &why));
    assert_int_equal(add_flow(f, n, 1), BLM_E_FULL);
    assert_true(blm_equal(f, old));
    for (uint64_t i = 0; i < n; i++) {
        const int is = state_of(f, i);
        assert_true(is == UNSURE || is == (int)(1 + i % 15));
    }
    assert_int_equal(blm_tick(f, 1), BLM_OK);
    assert_int_equal(add_flow(f, n, 1), BLM_E_FULL);
    assert_int_equal(blm_tick(f, 2), BLM_OK);
    for (uint64_t i = 0; i < 512 * 24; i++) assert_int_equal(add_flow(f, n + i, 2), BLM_OK);
    blm_free(old);
    blm_free(f);
}

/* States and touches go along; half the flows are idle. */
static void what_grows_knows_its_flows(void **state)
{
    enum { N = 24 * 64 };
    blm_filter *f = flows(64, 12, 1), *old = NULL;
    int before[N];
    (void)state;
    for (uint64_t i = 0; i < N; i++) assert_int_equal(add_flow(f, i, 1 + i % 15), BLM_OK);
    assert_int_equal(blm_tick(f, 1), BLM_OK);
    for (uint64_t i = 0; i < N; i += 2) assert_int_equal(put_flow(f, i, 1 + i % 15), BLM_OK);
    for (unsigned times = 1; times <= 6; times++) {
        const uint64_t used = field(f, "used"), stuck = field(f, "stuck");
        for (uint64_t i = 0; i < N; i++) before[i] = state_of(f, i);
        OK(blm_grow(f, &why));
        for (uint64_t i = 0; i < N; i++) assert_int_equal(state_of(f, i), before[i]);
        assert_true(field(f, "used") == used && field(f, "stuck") == stuck);
        assert_true(field(f, "doublings") == times && info_of(f).capacity == (uint64_t)N << times);
        assert_int_equal(info_of(f).bits, 64 * 32 * (19 - times) << times);
        NEAR(info_of(f).fpr_target, 1 - exp(-(double)((uint64_t)N << times) / 262144), 1e-3);
    }
    OK(blm_copy(&old, f, &why));
    REFUSED(blm_grow(f, &why), BLM_E_FULL, "grown 6 times"); /* 196608 flows: a rate of 0.53 */
    assert_true(blm_equal(f, old));
    OK(f->kind->check(f, &why));
    assert_int_equal(blm_tick(f, 2), BLM_OK);
    uint64_t gone = 0;
    for (uint64_t i = 0; i < N; i++) {
        if (i % 2 == 0) assert_int_equal(state_of(f, i), before[i]);
        if (i % 2) gone += state_of(f, i) == ABSENT;
    }
    assert_true(gone > N / 2 - 30); /* of 768, 4.5 share a cell with one that stays: sd 2.1 */
    assert_int_equal(blm_clear(f), BLM_OK);
    assert_true(field(f, "doublings") == 0 && info_of(f).capacity == N && info_of(f).now == 0);
    blm_free(old);
    blm_free(f);
}

static void growing_without_memory_changes_nothing(void **state)
{
    purse c = {0, 0, 0, 0};
    const blm_alloc a = {purse_get, purse_put, &c};
    blm_filter *f = made_new(BLM_CONFIG(.kind = "state-machine", .keys = 100, .alloc = &a)),
               *old = NULL;
    (void)state;
    add_run(f, 0, 100);
    OK(blm_copy(&old, f, &why));
    c.refuse_at = c.calls + 1;
    REFUSED(blm_grow(f, &why), BLM_E_NOMEM, "bytes of cells");
    assert_true(blm_equal(f, old));
    blm_free(old);
    blm_free(f);
    assert_int_equal(c.held, 0);
}

/* ---- wishes and images ------------------------------------------------------------------------------ */

static void states_that_there_are(void **state)
{
    static const uint64_t highest[] = {1, 2, 3, 4, 7, 8, 300, 65535};
    (void)state;
    for (size_t i = 0; i < COUNT(highest); i++) {
        char spec[60];
        uint64_t min = 0, max = 0, width = 0;
        snprintf(spec, sizeof spec, "state-machine keys=10 states=%u", (unsigned)highest[i]);
        blm_filter *f = made(spec);
        assert_true(blm_arg_range(f, &min, &max) && min == 1 && max == highest[i]);
        while (highest[i] >> width) width++;
        assert_int_equal(info_of(f).bits, /* one bucket per table */
                         (32 * (field(f, "remainder") + width + 3) + 63) / 64 * 64);
        assert_int_equal(add_flow(f, 1, 0), BLM_E_ARG);
        assert_int_equal(add_flow(f, 1, highest[i] + 1), BLM_E_ARG);
        assert_int_equal(state_of(f, 1), ABSENT);
        assert_int_equal(add_flow(f, 1, highest[i]), BLM_OK);
        assert_int_equal(put_flow(f, 1, 0), BLM_E_ARG);
        assert_int_equal(put_flow(f, 1, highest[i] + 1), BLM_E_ARG);
        assert_int_equal(state_of(f, 1), (int)highest[i]);
        blm_free(f);
    }
}

static void wishes_that_make_no_sense(void **state)
{
    blm_filter *f = NULL, *g = NULL;
    (void)state;
    REFUSED(blm_make(&f, "state-machine keys=10 states=0", &why), BLM_E_ARG, "states=0");
    REFUSED(blm_make(&f, "state-machine keys=10 states=65536", &why), BLM_E_ARG, "states=65536");
    REFUSED(blm_make(&f, "state-machine keys=10 states=2.5", &why), BLM_E_ARG, "whole number");
    REFUSED(blm_make(&f, "state-machine keys=10 hashes=4", &why), BLM_E_ARG, "hashes 4");
    SAYS("set fpr");
    REFUSED(blm_make(&f, "state-machine bits=255b keys=1", &why), BLM_E_ARG, "bits 255");
    SAYS("at least 8 bits in each of 32 cells");
    REFUSED(blm_make(&f, "state-machine bits=1000b keys=600", &why), BLM_E_ARG, "600 flows");
    SAYS("800 cells");
    REFUSED(blm_make(&f, "state-machine keys=1e9 fpr=1e-11", &why), BLM_E_ARG, "1e+09 flows");
    REFUSED(blm_make(&f, "state-machine keys=1e6 fpr=1e-13 states=65535", &why), BLM_E_ARG,
            "with 65535 states");
    assert_null(f);
    f = made("state-machine bits=256b keys=1");
    g = made("state-machine bits=256b keys=1");
    assert_true(field(f, "buckets") == 1 && field(f, "remainder") == 1 && info_of(f).bits == 256);
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "nobody knows which state is the newer one");
    blm_free(f);
    blm_free(g);
}

static blm_err reload(const blm_filter *f)
{
    blob b = image_of(f);
    blm_filter *g = NULL;
    const blm_err err = blm_load(&g, b.p, b.n, NULL, &why);
    blm_free(g);
    free(b.p);
    return err;
}

/* Cells of 16 bits, 9 of them a remainder: what a forger writes with right sums. */
static void impossible_cells_are_refused(void **state)
{
    blm_filter *f = made("state-machine keys=30 states=12 bits=1024b"), *old = NULL;
    uint64_t empty = 0, used = 0;
    (void)state;
    assert_true(field(f, "remainder") == 9 && f->bytes == 128);
    for (uint64_t i = 0; i < 30; i++) assert_int_equal(add_flow(f, i, 1 + i % 12), BLM_OK);
    OK(blm_copy(&old, f, &why));
    OK(reload(f));
    while (f->cells[2 * empty] & 3) empty++;
    while (!(f->cells[2 * used] & 3)) used++;
    f->cells[2 * used] = (uint8_t)((f->cells[2 * used] & 7) | 13 << 3);
    REFUSED(reload(f), BLM_E_IMAGE, "a state above 12");
    assert_int_equal(state_of(f, 77), ABSENT);
    memcpy(f->cells, old->cells, 128);
    f->cells[2 * empty] = 5 << 3 | 4;
    REFUSED(reload(f), BLM_E_IMAGE, "an empty cell is not zero");
    memcpy(f->cells, old->cells, 128);
    memset(f->cells + 2 * used, 0, 2);
    REFUSED(reload(f), BLM_E_IMAGE, "used and stuck");
    memcpy(f->cells, old->cells, 128);
    OK(reload(f));
    forge_field(f, "stuck", field(f, "used") + 1);
    REFUSED(reload(f), BLM_E_IMAGE, "are in use");
    blm_free(old);
    blm_free(f);
}

static void touched_are_its_buckets(void **state)
{
    blm_filter *f = flows(5, 9, 1);
    (void)state;
    for (uint64_t i = 0; i < 60; i++) assert_int_equal(add_flow(f, i, 1 + i % 15), BLM_OK);
    for (uint64_t key = 0; key < 60; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        blm_touch all[32];
        unsigned found = 0;
        check_touched(f, &it, all, 32, 32);
        for (unsigned i = 0; i < 32; i++) {
            assert_true(all[i].cell / 40 == i / 8 && all[i].cell % 8 == i % 8);
            assert_true(all[i].byte == all[i].cell * 2);
            assert_int_equal(all[i].value, cell_of(f, 16, all[i].cell));
            found += all[i].value && all[i].value >> 7 == (flow_of(f, key) & 511);
        }
        assert_true(found);
    }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_14_bits),
        cmocka_unit_test(flows_that_are_not_known),
        cmocka_unit_test(the_script),
        cmocka_unit_test(one_flow_changes_its_state),
        cmocka_unit_test(two_flows_of_one_cell),
        cmocka_unit_test(counters_stick_at_three),
        cmocka_unit_test(who_is_idle_leaves),
        cmocka_unit_test(a_tick_of_every_cell),
        cmocka_unit_test(time_goes_forward),
        cmocka_unit_test(without_ticks_it_is_full),
        cmocka_unit_test(what_grows_knows_its_flows),
        cmocka_unit_test(growing_without_memory_changes_nothing),
        cmocka_unit_test(states_that_there_are),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(impossible_cells_are_refused),
        cmocka_unit_test(touched_are_its_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

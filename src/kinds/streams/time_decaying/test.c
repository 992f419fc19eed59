/* test.c - counts that fade by half in every half-life, never too low, and what the clock does to them. */
#include <inttypes.h>
#include "core/core_internal.h"
#include "core/unit.h"
#include "oracles.h"

static blm_err add_weight(blm_filter *f, uint64_t key, uint64_t weight)
{
    const blm_item it = blm_item_u64(f, key, weight);
    return blm_add_item(f, &it, NULL);
}

static blm_estimate told(const blm_filter *f, uint64_t key)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    blm_estimate n;
    assert_int_equal(blm_count_item(f, &it, &n), BLM_OK);
    assert_true(n.low == 0 && n.high >= n.value && n.bound == isinf(n.high));
    return n;
}

static double count(const blm_filter *f, uint64_t key) { return told(f, key).value; }

static void tick(blm_filter *f, uint64_t now) { assert_int_equal(blm_tick(f, now), BLM_OK); }

static double resolution(const blm_filter *f)
{
    return exp2(-(double)field(f, "width") / 2); /* half of the bits come after the point */
}

/* ---- the examples of the paper ------------------------------------------------------------------ */

static void halves_in_every_half_life(void **state)
{
    (void)state;
    for (unsigned width = 8; width <= 32; width *= 2) {
        char spec[100];
        snprintf(spec, sizeof spec, "time-decaying keys=100 fpr=0.1%% half=10ms width=%u", width);
        blm_filter *f = made(spec);
        assert_int_equal(info_of(f).clock, BLM_CLOCK_MS);
        assert_int_equal(add_weight(f, 1, BLM_NO_ARG), BLM_OK);
        assert_true(count(f, 1) == 1);
        tick(f, 10);
        const double once = count(f, 1);
        assert_int_equal(add_weight(f, 2, 1), BLM_OK);
        tick(f, 20);
        const double twice = count(f, 1);
        blm_free(f);
        f = made(spec);
        assert_int_equal(add_weight(f, 1, 1), BLM_OK);
        tick(f, 10);
        assert_int_equal(add_weight(f, 1, 1), BLM_OK);
        const double again = count(f, 1);
        assert_true(once == 0.5 && twice == 0.25 && again == 1.5);
        assert_int_equal(field(f, "used"), field(f, "hashes")); /* they were in use at 10, too */
        blm_free(f);
        if (width < 32) continue;
        ORACLE_NEAR("2.C3", "wt=1 at 0, half-life 10: est(10)", 0.5, 1e-12, once);
        ORACLE_NEAR("2.C3", "wt=1 at 0, half-life 10: est(20)", 0.25, 1e-12, twice);
        ORACLE_NEAR("2.C3", "adds at 0 and 10: est(10)", 1.5, 1e-12, again);
    }
}

/* By a clock of arrivals each add is a step: the key is 9 arrivals old after 9 others, 10 after a tick of one more. */
static void an_arrival_is_a_step(void **state)
{
    blm_filter *f = made("time-decaying keys=1000 fpr=0.01% half=10 width=32");
    (void)state;
    assert_true(info_of(f).clock == BLM_CLOCK_ARRIVALS && info_of(f).window == 10);
    assert_int_equal(add_weight(f, 99, 8), BLM_OK);
    for (uint64_t i = 0; i < 9; i++) assert_int_equal(add_weight(f, i, 1), BLM_OK);
    assert_int_equal(info_of(f).now, 10);
    WITHIN(count(f, 99), 8 * exp2(-0.9), 3 * resolution(f));
    tick(f, 11);
    WITHIN(count(f, 99), 4, 3 * resolution(f));
    blm_free(f);
    f = made("time-decaying keys=1000 fpr=1%");
    assert_true(info_of(f).window == 1000 && field(f, "half") == 1000);
    blm_free(f);
    f = made("time-decaying keys=1000 fpr=1% above=0.1"); /* 301 ln(10) / ln(2) = 999.9 */
    assert_true(info_of(f).window == 1000 && field(f, "half") == 301);
    blm_free(f);
}

/* A key every 2 ms, asked in the middle between two: 1 / (2 sinh(lambda / 2)) of them, by the sum of the series. */
static void a_steady_rate(void **state)
{
    const double lambda = log(2) / 10; /* per add */
    blm_filter *f = made("time-decaying keys=10 fpr=1% half=20ms width=32");
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        tick(f, 2 * i);
        assert_int_equal(add_weight(f, 5, 1), BLM_OK);
    }
    tick(f, 1999);
    ORACLE_BETWEEN("2.C3", "steady rate r: r / lambda, within lambda / 2", 1 / lambda,
                   1 / lambda - lambda / 2, 1 / lambda + lambda / 2, count(f, 5));
    NEAR(count(f, 5), 1 / (2 * sinh(lambda / 2)), 1e-4);
    blm_free(f);
}

/* ---- an eager reference: each key on its own, in floating point ---------------------------------------- */

enum { EAGER_KEYS = 50 };
typedef struct eager {
    double weight[EAGER_KEYS], half;
    uint64_t now;
} eager;

static void eager_tick(eager *e, uint64_t now)
{
    for (size_t i = 0; i < EAGER_KEYS; i++) e->weight[i] *= exp2(-(double)(now - e->now) / e->half);
    e->now = now;
}

/* Of 50 keys none meets another in all rows. The count is below the truth by less than one unit of the last place, of which
 * each halving loses half; and above it by a unit per weight of 1, which is how adds are rounded. */
static void lazy_is_as_eager(void **state)
{
    static const char *const specs[] = {"half=997ms width=32", "half=64ms width=16",
                                        "half=3ms width=32 update=plain", "half=1ms width=16",
                                        "half=1000000ms width=32"};
    bool never_low = true, close = true;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t s = 0; s < COUNT(specs); s++) {
            char spec[120];
            snprintf(spec, sizeof spec, "time-decaying keys=2000 fpr=0.01%% %s", specs[s]);
            blm_filter *f = made(spec);
            eager e = {.half = (double)field(f, "half")};
            uint64_t random = seed;
            const double unit = resolution(f);
            for (unsigned turn = 0; turn < 3000; turn++) {
                const uint64_t key = draw(&random) % EAGER_KEYS, weight = 1 + draw(&random) % 3;
                const uint64_t now = e.now + draw(&random) % (field(f, "half") / 8 + 2);
                eager_tick(&e, now);
                tick(f, now);
                if (draw(&random) % 2) {
                    assert_int_equal(add_weight(f, key, weight), BLM_OK);
                    e.weight[key] += (double)weight;
                }
                const double n = count(f, key), truth = e.weight[key];
                never_low = never_low && n > truth * (1 - 1e-12) - unit &&
                            told(f, key).high >= truth * (1 - 1e-12);
                close = close && n <= truth * (1 + unit) * (1 + 1e-12);
            }
            blm_free(f);
        }
    ORACLE_HOLDS("2.C3", "lazy is as eager, below it by less than 2^-fraction", never_low);
    ORACLE_HOLDS("2.C3", "lazy is as eager, above it by 2^-fraction of it at most", close);
}

static void nothing_rises_without_adds(void **state)
{
    blm_filter *f = made("time-decaying keys=100 fpr=1% half=37ms");
    bool falls = true;
    (void)state;
    assert_int_equal(add_weight(f, 1, 100), BLM_OK);
    double last = count(f, 1);
    for (uint64_t now = 1; now < 600; now++) {
        tick(f, now);
        const double n = count(f, 1);
        falls = falls && n <= last;
        last = n;
    }
    ORACLE_HOLDS("2.C3", "est does not rise without adds", falls);
    assert_true(last == 0);
    blm_free(f);
}

/* ---- time ------------------------------------------------------------------------------------------------ */

/* Two short ticks are one long one, wherever they end; time does not go back. */
static void ticks_add_up(void **state)
{
    blm_filter *f = made("time-decaying keys=200 fpr=1% half=13ms width=16"), *g = NULL, *h = NULL;
    (void)state;
    for (uint64_t i = 0; i < 200; i++) {
        tick(f, 1000 + i);
        assert_int_equal(add_weight(f, i, 1 + i % 90), BLM_OK);
    }
    for (uint64_t end = 1199; end < 1500; end++) {
        OK(blm_copy(&g, f, &why));
        OK(blm_copy(&h, f, &why));
        tick(g, end);
        for (uint64_t now = 1199; now <= end; now += 1 + now % 5) tick(h, now);
        tick(h, end);
        assert_true(blm_equal(g, h));
        assert_int_equal(blm_tick(g, end - 1), BLM_E_CLOCK);
        assert_true(blm_equal(g, h));
        blm_free(g);
        blm_free(h);
    }
    blm_free(f);
}

/* A jump past the width of the cells: all of them are empty, and as after 20 half-lives one by one. */
static void a_jump_empties_all(void **state)
{
    static const uint64_t jumps[] = {10 * 20, 1000000, UINT64_MAX};
    (void)state;
    for (size_t i = 0; i < COUNT(jumps); i++) {
        blm_filter *f = made("time-decaying keys=100 fpr=1% half=10ms");
        add_run(f, 0, 100);
        assert_true(blm_has_u64(f, 7) && field(f, "used") > 0);
        tick(f, jumps[i]);
        for (uint64_t key = 0; key < 100; key++)
            assert_true(!blm_has_u64(f, key) && count(f, key) == 0);
        assert_int_equal(field(f, "used"), 0);
        size_t n = 0;
        const uint8_t *cells = blm_cells(f, &n);
        for (size_t at = 0; at < n; at++) assert_int_equal(cells[at], 0);
        blm_free(f);
    }
}

/* At the end of time arrivals stand still, and are still counted. */
static void the_end_of_time(void **state)
{
    blm_filter *f = made("time-decaying keys=100 fpr=1% half=1000");
    (void)state;
    tick(f, UINT64_MAX - 1);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(add_weight(f, 1, 1), BLM_OK);
    assert_true(info_of(f).now == UINT64_MAX);
    WITHIN(count(f, 1), 4, 0.05); /* the first one is a thousandth of a half-life older */
    blm_free(f);
}

/* A key of weight 1 stays for the window, to the last unit of time, at every phase; one of weight w for half log2(w) more, but
 * for two units of the last place. Without others it is gone by two such units below the threshold. */
static void the_edge_of_the_window(void **state)
{
    static const char *const specs[] = {"half=100ms", "half=97ms above=0.2", "half=5ms above=0.05",
                                        "half=1000ms above=0.9 width=32", "half=12345ms width=32"};
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        char spec[120];
        snprintf(spec, sizeof spec, "time-decaying keys=500 fpr=0.1%% %s", specs[s]);
        for (uint64_t i = 0; i < 300; i++) {
            blm_filter *f = made(spec);
            const uint64_t weight = 1 + i % 3 * (i % 5), w = info_of(f).window;
            const double half = (double)field(f, "half"),
                         above = exp2(-(double)w / half); /* as a whole window has it */
            const uint64_t start = 1000 + i * 7,
                           most = (uint64_t)(half * log2((double)weight /
                                                         (above + 2.001 * resolution(f)))),
                           last = weight > 1 ? most : w;
            tick(f, start);
            assert_int_equal(add_weight(f, 1, weight), BLM_OK);
            blm_case c = {.keys = 500, .gap = last, .arg = weight};
            assert_true(blm_fnr(f, &c).high == 0);
            tick(f, start + last);
            assert_true(blm_has_u64(f, 1));
            /* Two units of the last place below the threshold. */
            const double lives = log2((double)weight / (above - 2 * resolution(f)));
            c.gap = (uint64_t)ceil(half * lives) + 1;
            assert_true(blm_fnr(f, &c).high == 1);
            tick(f, start + c.gap);
            assert_false(blm_has_u64(f, 1));
            assert_true(blm_fnr(f, &c).low < 1); /* others could help */
            c.gap = 40 * field(f, "half");
            assert_true(blm_fnr(f, &c).low == 1);
            blm_free(f);
        }
    }
}

/* ---- the ceiling ------------------------------------------------------------------------------------------ */

/* Counts end at a quarter of what the bits before the point could hold twice; then they are bounds, and stay. */
static void ceilings_are_told(void **state)
{
    static const struct {
        unsigned width;
        uint64_t ceiling;
    } table[] = {{8, 8}, {16, 128}, {32, 32768}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++)
        for (uint64_t phase = 0; phase < 10; phase++) {
            char spec[100];
            snprintf(spec, sizeof spec, "time-decaying keys=100 fpr=1%% half=10ms width=%u",
                     table[i].width);
            blm_filter *f = made(spec);
            const uint64_t c = table[i].ceiling;
            tick(f, 500 + phase);
            assert_int_equal(add_weight(f, 1, c), BLM_E_ARG);
            assert_int_equal(add_weight(f, 1, 0), BLM_E_ARG);
            assert_int_equal(add_weight(f, 1, c - 1), BLM_OK);
            WITHIN(count(f, 1), (double)(c - 1), resolution(f) * 1.001);
            assert_true(!told(f, 1).bound && field(f, "stuck") == 0);
            assert_int_equal(add_weight(f, 1, 1), BLM_OK);
            assert_true(told(f, 1).bound && count(f, 1) == (double)c);
            assert_int_equal(field(f, "stuck"), field(f, "hashes"));
            tick(f, 1770 + phase); /* half-life 177: 127 later */
            assert_true(told(f, 1).bound && blm_has_u64(f, 1));
            tick(f, 1780);
            assert_true(!told(f, 1).bound && count(f, 1) == 0 && !blm_has_u64(f, 1));
            assert_int_equal(field(f, "stuck"), 0);
            blm_free(f);
        }
}

/* Each key that meets a stuck cell prolongs it: nobody knows how much it had. One tick or many, it leaves at once. */
static void stuck_cells_leave(void **state)
{
    for (unsigned many = 0; many < 2; many++) {
        blm_filter *f = made("time-decaying keys=100 fpr=1% half=10ms width=8 update=plain");
        (void)state;
        for (unsigned i = 0; i < 2; i++) assert_int_equal(add_weight(f, 1, 7), BLM_OK);
        tick(f, 1000);
        assert_int_equal(add_weight(f, 1, 1), BLM_OK);
        for (uint64_t now = 1000; many && now < 2280; now += 7) tick(f, now);
        tick(f, 2279);
        assert_true(told(f, 1).bound);
        tick(f, many ? 2280 : 123456);
        assert_true(!told(f, 1).bound && count(f, 1) == 0);
        blm_free(f);
    }
}

/* ---- pairs, images ------------------------------------------------------------------------------------------ */

/* A is later or B is: what both have is as of the later time, added. */
static void merges_at_the_later_time(void **state)
{
    bool adds_up = true;
    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        const char *spec = "time-decaying keys=100 fpr=0.01% half=10ms width=32";
        blm_filter *f = made(spec), *g = made(spec);
        tick(f, turn ? 25 : 40);
        tick(g, turn ? 40 : 25);
        assert_int_equal(add_weight(f, 1, 4), BLM_OK);
        assert_int_equal(add_weight(g, 1, 4), BLM_OK);
        assert_int_equal(add_weight(g, 2, 8), BLM_OK);
        OK(blm_merge(f, g, &why));
        const double old = exp2(-1.5); /* of 15 ms */
        adds_up = adds_up && info_of(f).now == 40 &&
                  fabs(count(f, 1) - 4 - 4 * old) < 2 * resolution(f) &&
                  fabs(count(f, 2) - (turn ? 8 : 8 * old)) < 2 * resolution(f);
        blm_free(f);
        blm_free(g);
    }
    ORACLE_HOLDS("2.C3", "merge is the sum at the later time", adds_up);
    blm_filter *f = made("time-decaying keys=100 fpr=1% half=10ms"),
               *g = made("time-decaying keys=100 fpr=1% half=10ms");
    assert_int_equal(add_weight(f, 1, 100), BLM_OK);
    tick(g, 3000);
    assert_int_equal(add_weight(g, 2, 100), BLM_OK);
    assert_int_equal(add_weight(g, 2, 100), BLM_OK);
    OK(blm_merge(g, f, &why));
    assert_true(told(g, 2).bound && count(g, 1) == 0);
    OK(blm_clear(f));
    tick(f, 3000);
    assert_int_equal(add_weight(f, 3, 100), BLM_OK);
    OK(blm_clear(g));
    tick(g, 3005);
    assert_int_equal(add_weight(g, 3, 90), BLM_OK);
    OK(blm_merge(f, g, &why)); /* 100 / sqrt(2) + 90 = 160.7 is above 127 */
    assert_true(told(f, 3).bound);
    tick(f, 3000 + 1279);
    assert_true(told(f, 3).bound);
    tick(f, 3000 + 1280);
    assert_false(told(f, 3).bound);
    OK(blm_clear(f));
    OK(blm_clear(g));
    for (unsigned i = 0; i < 2; i++) assert_int_equal(add_weight(f, 3, 100), BLM_OK);
    tick(g, 500);
    for (unsigned i = 0; i < 2; i++) assert_int_equal(add_weight(g, 3, 100), BLM_OK);
    OK(blm_merge(f, g, &why)); /* stuck in both: since the later one */
    tick(f, 500 + 1279);
    assert_true(told(f, 3).bound);
    tick(f, 500 + 1280);
    assert_false(told(f, 3).bound);
    blm_free(f);
    blm_free(g);
}

/* Saved in the middle and loaded again, a filter goes on with the same bytes. */
static void goes_on_from_an_image(void **state)
{
    blm_filter *f = made("time-decaying keys=200 fpr=1% half=50 above=0.3"), *g = NULL;
    (void)state;
    for (uint64_t i = 0; i < 333; i++) assert_int_equal(add_weight(f, i % 77, 1 + i % 5), BLM_OK);
    blob image = image_of(f);
    OK(blm_load(&g, image.p, image.n, NULL, &why));
    for (uint64_t i = 0; i < 333; i++) {
        assert_int_equal(add_weight(f, i % 99, 1), BLM_OK);
        assert_int_equal(add_weight(g, i % 99, 1), BLM_OK);
    }
    assert_true(blm_equal(f, g) && info_of(g).now == 666);
    free(image.p);
    blm_free(f);
    blm_free(g);
}

static void bad_wishes(void **state)
{
    static const struct {
        const char *knobs, *word;
    } table[] = {
        {"half=0", "half=0"},
        {"half=1.5", "whole number"},
        {"half=-5", "half=-5"},
        {"half=3e14", "half=3e14"},
        {"half=10x", "half=10x"},
        {"above=0", "above=0"},
        {"above=1", "above=1"},
        {"above=0.01 width=16", "0.015625 on"},
        {"above=0.2 width=8", "0.25 on"},
        {"half=10 above=0.95", "0.933033"},
        {"width=12", "8, 16 or 32"},
        {"width=64", "width=64"},
        {"update=lazy", "plain|conservative"},
        {"weight=3", "weight"},
    };
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[120];
        snprintf(spec, sizeof spec, "time-decaying keys=100 fpr=1%% %s", table[i].knobs);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, table[i].word);
    }
    REFUSED(blm_make(&f, "time-decaying bits=64b hashes=9", &why), BLM_E_ARG, "one per row");
    f = made("time-decaying bits=160000b hashes=5 fpr=1%"); /* 685 keys, and as long a window */
    assert_true(info_of(f).capacity > 680 && info_of(f).capacity < 690);
    WITHIN((double)info_of(f).window, (double)info_of(f).capacity, 1);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_in_every_half_life),
        cmocka_unit_test(an_arrival_is_a_step),
        cmocka_unit_test(a_steady_rate),
        cmocka_unit_test(lazy_is_as_eager),
        cmocka_unit_test(nothing_rises_without_adds),
        cmocka_unit_test(ticks_add_up),
        cmocka_unit_test(a_jump_empties_all),
        cmocka_unit_test(the_end_of_time),
        cmocka_unit_test(the_edge_of_the_window),
        cmocka_unit_test(ceilings_are_told),
        cmocka_unit_test(stuck_cells_leave),
        cmocka_unit_test(merges_at_the_later_time),
        cmocka_unit_test(goes_on_from_an_image),
        cmocka_unit_test(bad_wishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

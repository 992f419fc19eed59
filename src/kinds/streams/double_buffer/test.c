/* test.c - what double-buffer is by its definition: one filter that answers, and one that is fed. `--deep`: 10^7 arrivals. */
#include "kinds/two_rows.h"
#include "oracles.h"
#include "parts/buffers.h"

/* ---- the rule ------------------------------------------------------------------------------------- */

static bool active_has(const apart *a, uint64_t key) { return apart_in(a, a->active, key); }

static void add_to(apart *a, uint64_t key, bool full)
{
    const unsigned active = a->active, warm = !active;
    if (!apart_in(a, active, key)) apart_put(a, active, key);
    if (a->keys[active] > a->keep && !apart_in(a, warm, key)) apart_put(a, warm, key);
    if (a->keys[warm] < a->keep || (full && a->keys[active] < 2 * a->keep)) return;
    apart_empty(a, active);
    a->active = warm;
}

static void add_half(apart *a, uint64_t key) { add_to(a, key, false); }
static void add_full(apart *a, uint64_t key) { add_to(a, key, true); }

static void one_answers_and_one_warms_up(void **state)
{
    (void)state;
    for (stream how = ALL_NEW; how < STREAMS; how++) {
        like_apart("double-buffer keys=50 fpr=1%", how, 1000, 1, active_has, add_half);
        like_apart("double-buffer keys=50 fpr=1%", how, 900, 300, active_has, add_half);
        like_apart("double-buffer keys=40 fpr=30%", how, 1000, 10, active_has, add_half);
        like_apart("double-buffer keys=7 bits=65b hashes=2 overfill=yes", how, 300, 10, active_has,
                   add_half);
        like_apart("double-buffer keys=1 fpr=10%", how, 30, 3, active_has, add_half);
        like_apart("double-buffer keys=50 fpr=1% switch=full", how, 1000, 1, active_has, add_full);
        like_apart("double-buffer keys=50 fpr=20% switch=full", how, 900, 300, active_has,
                   add_full);
        like_apart("double-buffer keys=1 fpr=10% switch=full", how, 30, 3, active_has, add_full);
    }
}

/* Before half of its keys: row 0 is a standard filter, the other one is empty; rates and answers are its, too. */
static void one_buffer_is_standard(void **state)
{
    static const char *const at[] = {"half", "full"};
    bool same = true;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        char spec[100];
        snprintf(spec, sizeof spec,
                 "double-buffer bits=20002b hashes=%u keys=500 switch=%s seed=%u", i / 2 ? 7 : 3,
                 at[i % 2], i);
        blm_filter *f = made(spec);
        snprintf(spec, sizeof spec, "standard bits=10001b hashes=%u keys=1000 seed=%u",
                 i / 2 ? 7 : 3, i);
        blm_filter *g = made(spec);
        add_run(f, 0, 500), add_run(g, 0, 500);
        for (uint64_t b = 0; b < 10001; b++)
            same = same && bit_of(f, 2 * b) == bit_of(g, b) && !bit_of(f, 2 * b + 1);
        add_run(f, 500, 400), add_run(g, 500, 400); /* fed to the other one as well */
        for (uint64_t key = 0; key < 5000; key++)
            same = same && blm_has_u64(f, key) == blm_has_u64(g, key);
        assert_true(same && blm_fpr(f, NULL).high == blm_fpr(g, NULL).high);
        for (uint64_t keys = 0; keys < 1000; keys += 77) {
            const blm_case c = {.keys = keys, .arg = BLM_NO_ARG};
            assert_true(blm_fpr(f, &c).high == blm_fpr(g, &c).high);
        }
        blm_free(f), blm_free(g);
    }
    ORACLE_HOLDS("2.C4", "before half of its keys: the bits of standard", same);
}

/* The other buffer is all ones: an answer that looks at it says yes. */
static void the_warm_one_is_not_asked(void **state)
{
    (void)state;
    for (unsigned turn = 0; turn < 2; turn++) {
        blm_filter *f = made("double-buffer keys=100 fpr=0.0001%");
        blm_touch at[64];
        blm_hash h[200];
        uint8_t yes[200];
        add_run(f, 0, turn ? 250 : 50);
        assert_int_equal(field(f, "active"), turn);
        for (uint64_t i = 0; i < f->bytes; i++) f->cells[i] |= turn ? 0x55 : 0xaa;
        assert_false(blm_has_u64(f, 1000) || blm_has_u64(f, 1001));
        for (uint64_t i = 0; i < 200; i++) h[i] = blm_item_u64(f, 1000 + i, BLM_NO_ARG).h;
        blm_has_many(f, h, NULL, 200, yes);
        for (unsigned i = 0; i < 200; i++) assert_false(yes[i]);
        const blm_item it = blm_item_u64(f, 40 + 200 * turn, BLM_NO_ARG);
        const unsigned k = (unsigned)field(f, "hashes");
        check_touched(f, &it, at, COUNT(at), k);
        for (unsigned j = 0; j < k; j++) assert_int_equal(at[j].value, 1u << turn);
        blm_free(f);
    }
}

/* C = 4. Old keys fill the warm buffer, and then it is full when its turn begins. If the next new key made it swap at
 * once, `late`, one arrival old, would be lost: nothing but that key had been fed. */
static void full_waits_for_the_warm_one(void **state)
{
    enum { A = 1, B, C, LATE, NEXT };
    blm_filter *f = made("double-buffer keys=2 fpr=0.0000001% switch=full");
    (void)state;
    add_run(f, A, 3); /* past half: C is fed */
    add_run(f, A, 2); /* A and B, too */
    add_run(f, LATE, 1);
    assert_true(field(f, "active_keys") == 4 && field(f, "other_keys") == 0);
    add_run(f, NEXT, 1);
    assert_true(blm_has_u64(f, LATE) && blm_has_u64(f, NEXT) && field(f, "active_keys") == 5);
    add_run(f, NEXT + 1, 1); /* with 6 keys, half as many again as C */
    assert_true(field(f, "active_keys") == 2 && blm_has_u64(f, NEXT) && !blm_has_u64(f, LATE));
    blm_free(f);
}

/* Whatever comes: buffers have the keys that their size was planned for, where none passes for a member. */
static void buffers_stay_within_their_room(void **state)
{
    (void)state;
    for (unsigned full = 0; full < 2; full++)
        for (stream how = ALL_NEW; how < STREAMS; how++) {
            char spec[80];
            snprintf(spec, sizeof spec, "double-buffer keys=50 fpr=1e-9 switch=%s",
                     full ? "full" : "half");
            blm_filter *f = made(spec);
            uint64_t random = 1, most = 0;
            for (uint64_t i = 0; i < 20000; i++) {
                assert_int_equal(blm_add_u64(f, key_at(how, i, 50, &random)), BLM_OK);
                if (field(f, "active_keys") > most) most = field(f, "active_keys");
            }
            assert_true(most <= (full ? 150 : 100));
            blm_free(f);
        }
}

/* ---- ages ----------------------------------------------------------------------------------------- */

enum { ARRIVALS = TEST_SLOW ? 20000 : 1000000 };

static void none_younger_than_half_is_missed(void **state)
{
    (void)state;
    none_is_missed("double-buffer keys=1000 fpr=1%", ALL_NEW, ARRIVALS);
    for (stream how = ALL_NEW; how < STREAMS; how++) {
        none_is_missed("double-buffer keys=50 fpr=30%", how, ARRIVALS / 10);
        none_is_missed("double-buffer keys=50 fpr=1% switch=full", how, ARRIVALS / 10);
        none_is_missed("double-buffer keys=300 fpr=20% switch=full", how, ARRIVALS / 10);
        none_is_missed("double-buffer keys=1 fpr=10%", how, ARRIVALS / 100);
    }
}

static void deep(void **state)
{
    (void)state;
    for (stream how = ALL_NEW; how < STREAMS; how++) {
        none_is_missed("double-buffer keys=10000 fpr=1%", how, 10000000);
        none_is_missed("double-buffer keys=10000 fpr=1% switch=full", how, 10000000);
    }
}

/* In a stream of new keys, after the first swaps: from C/2 to C - 1 keys, each number as often; the mean is C/2 less half a
 * key above 3/4 C. */
static void live_keys_of_the_paper(void **state)
{
    static const char *const at[] = {"half", "full"};
    enum { C = 200 };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char spec[80], what[60];
        snprintf(spec, sizeof spec, "double-buffer keys=%d fpr=1e-9 switch=%s", C / 2, at[i]);
        const live_keys n = count_live(spec, 3);
        snprintf(what, sizeof what, "switch=%s: fewest live keys, of C", at[i]);
        ORACLE_NEAR("2.C4", what, 0.5, 0, (double)n.min / C);
        snprintf(what, sizeof what, "switch=%s: most live keys, less than C by", at[i]);
        ORACLE_NEAR("2.C4", what, 1, 0, C - (double)n.max);
        snprintf(what, sizeof what, "switch=%s: mean of live keys, of C", at[i]);
        ORACLE_BETWEEN("2.C4", what, 0.75, 0.75 - 0.5 / C - 1e-9, 0.75, n.mean / C);
    }
}

static void keys_are_missed_by_their_age(void **state)
{
    (void)state;
    check_ages("double-buffer keys=60 fpr=0.0000001%", 4, 1, 2e-3, 1e-6);
    check_ages("double-buffer keys=60 fpr=0.0000001% switch=full", 4, 1, 2e-3, 1e-6);
    check_ages("double-buffer keys=1 fpr=0.0000001%", 4, 1, 2e-3, 1e-6);
    check_ages("double-buffer keys=300 fpr=20%", 20, 7, 0.5, 0.02);
    check_ages("double-buffer keys=300 fpr=20% switch=full", 20, 7, 1, 0.02);
}

/* ---- rates ---------------------------------------------------------------------------------------- */

static void rate_rises_and_falls(void **state)
{
    static const uint64_t at[] = {100, 500, 999, 1100, 1450, 1700, 2300, 20260};
    (void)state;
    for (size_t i = 0; i < COUNT(at); i++) {
        check_rate_at("double-buffer keys=500 fpr=5%", at[i], 20);
        check_rate_at("double-buffer keys=500 fpr=1% switch=full", at[i], 20);
    }
    blm_filter *f = made("double-buffer keys=500 fpr=1%");
    const uint64_t m = field(f, "cells");
    const unsigned k = (unsigned)field(f, "hashes");
    const blm_case last = {.keys = 2490}, swapped = {.keys = 2520}; /* five laps, of 500.04 each */
    NEAR(blm_fpr(f, &last).high, blm_rate_exact(m, k, 990), 1e-9);
    NEAR(blm_fpr(f, &swapped).high, blm_rate_exact(m, k, 520), 1e-9);
    NEAR(blm_rate_exact(m, k, 1000), 0.01, 0.01);
    blm_free(f);
    f = made("double-buffer keys=500 fpr=1% switch=full");
    NEAR(blm_rate_exact(field(f, "cells"), (unsigned)field(f, "hashes"), 1500), 0.01, 0.02);
    NEAR(f->kind->fpr_worst(f), 0.01, 0.02);
    const blm_rate p = blm_fpr(f, &(blm_case){.keys = 3000});
    assert_true(p.low < p.high && p.high <= 0.01);
    blm_free(f);
}

/* ---- limits --------------------------------------------------------------------------------------- */

static void wishes_and_images(void **state)
{
    blm_filter *f = NULL;
    uint64_t bytes = 0;
    (void)state;
    REFUSED(blm_make(&f, "double-buffer keys=100 switch=never", &why), BLM_E_ARG, "half|full");
    REFUSED(blm_make(&f, "double-buffer bits=1b keys=100", &why), BLM_E_ARG, "two buffers");
    f = made("double-buffer keys=100 fpr=1%");
    blm_filter *g = made("double-buffer keys=100 fpr=1%");
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "came later");
    assert_true(info_of(f).window == 100 && info_of(f).clock == BLM_CLOCK_ARRIVALS);
    blm_buffers *s = (blm_buffers *)f;
    add_run(f, 0, 150);
    OK(f->kind->shape(f, &bytes, &why));
    const blm_buffers sound = *s;
    s->active_keys = 100;
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "half of the keys are 100");
    *s = sound, s->other_keys = 100, s->other_ones += 60;
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "half of the keys are 100");
    *s = sound, s->other_keys = 0;
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "not what two buffers");
    *s = sound;
    OK(f->kind->check(f, &why));
    blm_free(f), blm_free(g);
}

static void cache_lines_of_a_miss(void **state)
{
    blm_filter *f = made("double-buffer bits=8192b hashes=7 keys=200");
    (void)state;
    add_run(f, 0, 399);
    NEAR(f->kind->lines(f, NULL), f->kind->lines(f, &(blm_case){.keys = 399}), 0.05);
    NEAR(f->kind->lines(f, NULL), blm_probes_to_reject(0.49, 7), 0.05);
    blm_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_answers_and_one_warms_up),
        cmocka_unit_test(one_buffer_is_standard),
        cmocka_unit_test(the_warm_one_is_not_asked),
        cmocka_unit_test(full_waits_for_the_warm_one),
        cmocka_unit_test(buffers_stay_within_their_room),
        cmocka_unit_test(none_younger_than_half_is_missed),
        cmocka_unit_test(live_keys_of_the_paper),
        cmocka_unit_test(keys_are_missed_by_their_age),
        cmocka_unit_test(rate_rises_and_falls),
        cmocka_unit_test(wishes_and_images),
        cmocka_unit_test(cache_lines_of_a_miss),
    };
    const struct CMUnitTest more[] = {cmocka_unit_test(deep)};
    if (argc > 1 && strcmp(argv[1], "--deep") == 0) return cmocka_run_group_tests(more, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

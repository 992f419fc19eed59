/* test.c - equal layers: rates, deletes that are unsure, layers that become one. */
#include "test_layers.h"
#include "oracles.h"

/* Keys first .. first + n - 1, in batches. */
static void add_many(blm_filter *f, uint64_t first, uint64_t n)
{
    enum { RUN = 1024 };
    uint64_t keys[RUN];
    for (uint64_t at = 0; at < n; at += RUN) {
        const size_t run = n - at < RUN ? (size_t)(n - at) : RUN;
        for (size_t i = 0; i < run; i++) keys[i] = first + at + i;
        assert_int_equal(blm_add_many_u64(f, keys, run, NULL, NULL), BLM_OK);
    }
}

/* ---- the figures of the paper ------------------------------------------------------------------------ */

static const struct {
    unsigned layers;
    double rate;
} paper[] = {{1, 0.0100}, {2, 0.0199}, {5, 0.04901}, {10, 0.09562}, {20, 0.18209}, {50, 0.39499}};

/* Tries to delete members of full layers; what was deleted comes back, into the layer that it left. */
static uint64_t unsure_of(blm_filter *f, uint64_t keys, uint64_t trials)
{
    uint64_t unsure = 0;
    for (uint64_t i = 0; i < trials; i++) {
        const uint64_t key = i * (keys / trials);
        const blm_err err = del_u64(f, key);
        assert_true(err == BLM_OK || err == BLM_E_UNSURE);
        if (err)
            unsure++;
        else
            assert_int_equal(blm_add_u64(f, key), BLM_OK);
        assert_true(blm_has_u64(f, key));
    }
    return unsure;
}

static void rates_and_unsure_deletes(void **state)
{
    enum { KEYS = 20000, ASKED = 100000 }; /* oracles.tsv has what they measure */
    blm_filter *f = made_new(BLM_CONFIG(.kind = "dynamic", .keys = KEYS, .fpr = 0.01, .seed = 1));
    (void)state;
    for (size_t i = 0, full = 0; i < COUNT(paper); full = paper[i++].layers) {
        const unsigned s = paper[i].layers;
        char rate[40], hits[40], share[60];
        snprintf(rate, sizeof rate, "%u full layers: the rate by theory", s);
        snprintf(hits, sizeof hits, "%u full layers: the rate", s);
        snprintf(share, sizeof share, "%u full layers: deletes of members that are unsure", s);
        add_many(f, full * KEYS, (s - full) * KEYS);
        assert_int_equal(f->nchild, s);
        ORACLE_NEAR("1.C2", rate, paper[i].rate, 5e-4,
                    blm_fpr(f, &(blm_case){.keys = (uint64_t)s * KEYS}).high);
        ORACLE_HITS("1.C2", hits, paper[i].rate, false_yes(f, ASKED), ASKED);
        const double others = 1 - pow(1 - 0.01, s - 1.0);
        if (s == 1)
            assert_int_equal(unsure_of(f, KEYS, KEYS / 4), 0);
        else
            ORACLE_HITS("1.C2", share, others, unsure_of(f, (uint64_t)s * KEYS, KEYS / 2),
                        KEYS / 2);
        NEAR(info_of(f).deletes, 1 - others, 5e-3);
        NEAR(f->kind->deletes(f, &(blm_case){.keys = (uint64_t)s * KEYS}), 1 - others, 1e-3);
        assert_int_equal(f->nchild, s);
        assert_true(info_of(f).capacity == (uint64_t)s * KEYS && info_of(f).children == s);
        NEAR(info_of(f).fpr_target, paper[i].rate, 5e-4);
    }
    blm_free(f);
}

/* 1 - (1 - f_c)^floor(n/c) (1 - f_(n mod c)): the parts by themselves, from a filter of one layer. */
static void rates_of_a_last_layer(void **state)
{
    blm_filter *f = made("dynamic keys=1000 fpr=1%"), *one = made("counting keys=1000 fpr=1%");
    const double c = blm_fpr(one, &(blm_case){.keys = 1000}).high,
                 half = blm_fpr(one, &(blm_case){.keys = 500}).high;
    (void)state;
    NEAR(blm_fpr(f, &(blm_case){.keys = 500}).high, half, 1e-12);
    NEAR(blm_fpr(f, &(blm_case){.keys = 3500}).high, 1 - pow(1 - c, 3) * (1 - half), 1e-12);
    NEAR(blm_fpr(f, &(blm_case){.keys = 3000}).high, 1 - pow(1 - c, 3), 1e-12);
    assert_true(blm_fpr(f, &(blm_case){.keys = 0}).high == 0);
    add_run(f, 0, 3500);
    double no = 1;
    for (uint32_t i = 0; i < 4; i++) no *= 1 - blm_fpr(f->child[i], NULL).high;
    assert_int_equal(f->nchild, 4);
    NEAR(blm_fpr(f, NULL).high, 1 - no, 1e-12);
    /* fill 0.01^(1/7) = 0.518, 0.306 of the last one: 1 + fill + ... of 7 probes */
    NEAR(f->kind->lines(f, NULL), 3 * 2.0537 + 1.43998, 0.02);
    NEAR(f->kind->lines(f, &(blm_case){.keys = 3500}), f->kind->lines(f, NULL), 0.01);
    blm_free(f);
    blm_free(one);
}

/* 1 - (1 - a)^2 (1 - b), with small steps in place of derivatives. */
static void spread_of_layers(void **state)
{
    blm_filter *f = made("dynamic keys=50 fpr=40%"), *one = made("counting keys=50 fpr=40%");
    const blm_rate a = blm_fpr(one, &(blm_case){.keys = 50}),
                   b = blm_fpr(one, &(blm_case){.keys = 40}),
                   all = blm_fpr(f, &(blm_case){.keys = 140});
    const double no = pow(1 - a.high, 2) * (1 - b.high), step = 1e-6;
    const double by_a = (no - (1 - a.high) * (1 - a.high - step) * (1 - b.high)) / step,
                 by_b = (no - pow(1 - a.high, 2) * (1 - b.high - step)) / step;
    const double sd_a = by_a * a.high * a.spread, sd_b = by_b * b.high * b.spread;
    (void)state;
    NEAR(all.high, 1 - no, 1e-12);
    NEAR(all.spread, sqrt(2 * sd_a * sd_a + sd_b * sd_b) / all.high, 1e-5);
    blm_free(f);
    blm_free(one);
}

/* Cell for cell the filter that a layer is, as long as it is the only one. */
static void one_layer_is_its_kind(void **state)
{
    static const char *const specs[][2] = {
        {"dynamic keys=1000 fpr=1% seed=5", "counting keys=1000 fpr=1% seed=5"},
        {"dynamic keys=1000 fpr=1% seed=5 inner=standard", "standard keys=1000 fpr=1% seed=5"},
        {"dynamic keys=1000 bits=33000b hashes=5", "counting keys=1000 bits=33000b hashes=5"},
        {"dynamic bits=9001b fpr=1% inner=standard", "standard bits=9001b fpr=1%"},
    };
    bool same = true;
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i][0]), *one = made(specs[i][1]);
        const uint64_t n = one->capacity;
        assert_int_equal(f->capacity, n);
        add_run(f, 0, n);
        add_run(one, 0, n);
        for (uint64_t key = 0; blm_can(one, BLM_DEL) && key < 100; key++)
            assert_int_equal(del_u64(f, key), del_u64(one, key));
        same = same && f->nchild == 1 && same_cells(f->child[0], one) && !f->bytes;
        assert_int_equal(info_of(f).bytes, info_of(one).bytes);
        NEAR(info_of(f).fill, info_of(one).fill, 1e-12);
        assert_true(info_of(f).keys.value == info_of(one).keys.value);
        NEAR(info_of(f).fpr_now.high, info_of(one).fpr_now.high, 1e-12);
        add_run(f, 0, 200);
        assert_int_equal(f->nchild, 2);
        blm_free(f);
        blm_free(one);
    }
    ORACLE_HOLDS("1.C2", "up to c keys: cell for cell counting, or standard", same);
}

/* ---- deletes ------------------------------------------------------------------------------------------ */

/* Keys come and leave at random, one in fifty up to three times, next to the truth: a delete from the first layer that says maybe takes
 * bits of other keys, and they are missed. Up to 15 layers come and go. */
static void members_are_never_missed(void **state)
{
    enum { KEYS = 2000, TURNS = TEST_SLOW ? 100000 : 200000 };
    uint8_t times[KEYS] = {0};
    uint64_t random = 1, missed = 0, low = 0, unsure = 0, deleted = 0;
    uint32_t most = 0, least = UINT32_MAX;
    blm_filter *f = made("dynamic keys=100 fpr=5% seed=3");
    (void)state;
    for (unsigned t = 0; t < TURNS; t++) {
        const uint64_t key = draw(&random) % KEYS;
        const bool ebb = t / (TURNS / 8) % 2; /* more leave than come */
        const unsigned max = key % 50 ? 1 : 3;
        if (draw(&random) % 10 < (ebb ? 2 : 7) && times[key] < max) {
            assert_int_equal(blm_add_u64(f, key), BLM_OK);
            times[key]++;
        } else if (times[key]) {
            const blm_err err = del_u64(f, key);
            assert_true(err == BLM_OK || err == BLM_E_UNSURE);
            times[key] = (uint8_t)(times[key] - !err);
            deleted += !err, unsure += err == BLM_E_UNSURE;
        }
        missed += times[key] && !blm_has_u64(f, key);
        low += times_u64(f, key).value < times[key];
        most = f->nchild > most ? f->nchild : most;
        least = t > TURNS / 8 && f->nchild < least ? f->nchild : least;
    }
    uint64_t inside = 0, held = 0;
    for (uint64_t key = 0; key < KEYS; key++) {
        missed += times[key] && !blm_has_u64(f, key);
        inside += times[key];
    }
    for (uint32_t i = 0; i < f->nchild; i++) held += keys_in(f, i);
    ORACLE_HOLDS("1.C2", "deletes of members only: none is missed, and no count is low",
                 !missed && !low);
    assert_int_equal(inside, held);
    assert_true(unsure > deleted / 4 && deleted > TURNS / 10 && most > 12 && least < most * 2 / 3);
    blm_free(f);
}

/* When all that can leave has left, layers become one, and then the rest can. */
static void what_was_unsure_leaves_later(void **state)
{
    blm_filter *f = made("dynamic keys=500 fpr=1% seed=1"),
               *empty = made("dynamic keys=500 fpr=1% seed=1");
    uint64_t unsure = 0;
    (void)state;
    add_run(f, 0, 5000);
    for (uint64_t key = 0; key < 5000; key++) unsure += del_u64(f, key) == BLM_E_UNSURE;
    assert_true(unsure > 50 && unsure < 400);
    assert_int_equal(f->nchild, 1);
    for (uint64_t key = 0; key < 5000; key++) {
        const blm_err err = del_u64(f, key);
        assert_true(err == BLM_OK || err == BLM_E_ABSENT);
    }
    assert_int_equal(keys_in(f, 0), 0);
    assert_true(same_cells(f->child[0], empty->child[0]));
    blm_free(f);
    blm_free(empty);
}

static void an_unsure_delete_changes_nothing(void **state)
{
    blm_filter *f = made("dynamic keys=100 fpr=10% seed=2"), *old = NULL;
    unsigned unsure = 0, absent = 0;
    (void)state;
    add_run(f, 0, 1000);
    OK(blm_copy(&old, f, &why));
    for (uint64_t key = 0; key < 1000; key++) {
        const blm_err err = del_u64(f, key);
        if (err == BLM_E_UNSURE) {
            assert_true(blm_equal(f, old));
            unsure++;
            continue;
        }
        assert_int_equal(err, BLM_OK);
        assert_false(blm_equal(f, old));
        blm_free(f);
        OK(blm_copy(&f, old, &why));
    }
    for (uint64_t key = 2000; key < 2100; key++) {
        if (blm_has_u64(f, key)) continue;
        assert_int_equal(del_u64(f, key), BLM_E_ABSENT);
        absent++;
    }
    assert_true(unsure > 400 && unsure < 800 && absent > 20 && blm_equal(f, old));
    blm_free(f);
    blm_free(old);
}

/* The same bytes and flags one by one and in batches, while layers become one on the way. */
static void batches_across_layers(void **state)
{
    enum { KEYS = 4000 };
    static uint64_t key[KEYS];
    static uint8_t one[KEYS], many[KEYS];
    size_t done = 0;
    uint64_t random = 7;
    blm_filter *a = made("dynamic keys=300 fpr=2%"), *b = made("dynamic keys=300 fpr=2%");
    (void)state;
    for (size_t i = 0; i < KEYS; i++) /* each tenth comes again */
        key[i] = i % 10 == 9 ? key[draw(&random) % i] : draw(&random);
    for (size_t i = 0; i < KEYS; i++) {
        const blm_item it = blm_item_u64(a, key[i], BLM_NO_ARG);
        bool fresh = false;
        const bool before = blm_has_item(a, &it);
        assert_int_equal(blm_add_item(a, &it, &fresh), BLM_OK);
        assert_int_equal(fresh, !before);
        one[i] = fresh;
    }
    assert_int_equal(blm_add_many_u64(b, key, KEYS, many, &done), BLM_OK);
    assert_true(done == KEYS && blm_equal(a, b) && a->nchild == 14);
    assert_memory_equal(one, many, KEYS);
    unsigned said[3] = {0};
    for (size_t i = 0; i < KEYS; i++) {
        const blm_err err = del_u64(a, key[KEYS - 1 - i]);
        said[one[i] = err == BLM_E_ABSENT ? 1 : err == BLM_E_UNSURE ? 2 : 0]++;
    }
    for (size_t i = 0; i < KEYS / 2; i++) {
        const uint64_t was = key[i];
        key[i] = key[KEYS - 1 - i];
        key[KEYS - 1 - i] = was;
    }
    assert_int_equal(blm_del_many_u64(b, key, KEYS, many, &done), BLM_OK);
    assert_true(done == KEYS && blm_equal(a, b) && a->nchild < 10);
    assert_memory_equal(one, many, KEYS);
    assert_true(said[0] > 1000 && said[2] > 300);
    blm_free(a);
    blm_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_unsure_deletes),
        cmocka_unit_test(rates_of_a_last_layer),
        cmocka_unit_test(spread_of_layers),
        cmocka_unit_test(one_layer_is_its_kind),
        cmocka_unit_test(members_are_never_missed),
        cmocka_unit_test(what_was_unsure_leaves_later),
        cmocka_unit_test(an_unsure_delete_changes_nothing),
        cmocka_unit_test(batches_across_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

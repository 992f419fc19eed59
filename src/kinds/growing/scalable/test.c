/* test.c - layers of the sizes in the paper, a rate that holds at every size, growth that fails. */
#include "core/core_internal.h"
#include "core/unit.h"
#include <bloomery/theory.h>
#include "scalable.h"
#include "oracles.h"

static blm_filter *begun(const char *more)
{
    char spec[200];
    snprintf(spec, sizeof spec, "scalable keys=1000 fpr=1%% %s", more);
    return made(spec);
}

static uint64_t fresh_of(const blm_filter *f)
{
    uint64_t sum = 0;
    for (size_t i = 0; blm_inner(f, i); i++) sum += info_of(blm_inner(f, i)).adds;
    return sum;
}

static double bits_of(const blm_filter *f)
{
    double bits = 0;
    for (size_t i = 0; blm_inner(f, i); i++)
        bits += (double)(field(blm_inner(f, i), "slice") * field(blm_inner(f, i), "hashes"));
    return bits;
}

/* ---- sizes ---------------------------------------------------------------------------------------------- */

static void layers_of_the_table(void **state)
{
    static const double slices[] = {1443, 2886, 5771, 11542, 23084};
    static const double hashes[] = {10, 10, 10, 11, 11},
                        bits[] = {14430, 28860, 57710, 126962, 253924};
    blm_filter *f = begun("");
    char what[60];
    (void)state;
    add_run(f, 0, 15000);
    ORACLE_NEAR("1.C3", "layers after 15000 keys", 4, 1e-15, info_of(f).children);
    ORACLE_NEAR("1.C3", "bits after 15000 keys", 227962, 1e-15, bits_of(f));
    ORACLE_BETWEEN("1.C3", "compounded rate after 15000 keys", 3.41e-3, 3.3e-3, 3.42e-3,
                   blm_fpr(f, &(blm_case){.keys = 15000}).high);
    assert_true(fresh_of(f) < 15000 && fresh_of(f) > 14900);
    assert_true(has_run(f, 0, 15000));
    add_run(f, 15000, 1000);
    for (uint32_t i = 0; i < 5; i++) {
        const blm_filter *layer = blm_inner(f, i);
        snprintf(what, sizeof what, "slice of layer %u", i);
        ORACLE_NEAR("1.C3", what, slices[i], 1e-15, (double)field(layer, "slice"));
        snprintf(what, sizeof what, "hashes of layer %u", i);
        ORACLE_NEAR("1.C3", what, hashes[i], 1e-15, (double)field(layer, "hashes"));
        snprintf(what, sizeof what, "bits of layer %u", i);
        ORACLE_NEAR("1.C3", what, bits[i], 1e-15,
                    (double)(field(layer, "slice") * field(layer, "hashes")));
    }
    blm_free(f);
}

static void first_rates_of_the_table(void **state)
{
    static const struct {
        const char *with;
        double r, first, all;
        unsigned k[8], known;
    } table[] = {{"tightening=0.5", 0.5, 0.005, 0.009967, {8, 9, 10}, 3},
                 {"tightening=0.8", 0.8, 0.002, 0.009956, {9, 10, 10, 10, 11, 11, 11, 12}, 8},
                 {"tightening=0.85", 0.85, 0.0015, 0.009954, {10, 10, 10, 11, 11, 11, 11, 12}, 8},
                 {"tightening=0.9", 0.9, 0.001, 0.009953, {10, 11, 11, 11, 11, 11, 11, 12}, 8}};
    char what[60];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = begun(table[i].with);
        const double first = exp2(-ldexp((double)field(f, "halvings"), -32));
        const double r = exp2(-ldexp((double)field(f, "step"), -32));
        double no = 1;
        bool as_listed = true;
        snprintf(what, sizeof what, "P0 at r=%g", table[i].r);
        ORACLE_NEAR("1.C3", what, table[i].first, 2e-3, first); /* of 64 layers, not of all */
        for (unsigned j = 0; j < 64; j++) no *= 1 - first * pow(r, j);
        snprintf(what, sizeof what, "compounded rate at r=%g", table[i].r);
        ORACLE_NEAR("1.C3", what, table[i].all, 6e-5, 1 - no);
        for (unsigned j = 0; j < table[i].known; j++) {
            blm_layer l;
            as_listed = as_listed && blm_layer_at((const blm_scalable *)f, j, &l) &&
                        l.hashes == table[i].k[j];
        }
        snprintf(what, sizeof what, "hashes by layer at r=%g", table[i].r);
        ORACLE_HOLDS("1.C3", what, as_listed);
        blm_free(f);
    }
}

/* Capacities grow by factors that are no whole numbers, up to the largest filter and no further. */
static void sizes_are_integers(void **state)
{
    blm_filter *f = made("scalable keys=1 fpr=1% growth=1.5 layers=1024");
    const blm_scalable *s = (const blm_scalable *)f;
    blm_layer l;
    unsigned i = 0;
    (void)state;
    for (double x = 1; blm_layer_at(s, i, &l); i++, x *= 1.5) {
        const double error = 1e-2 * x + 1; /* rounded down at 2^-8 each time */
        WITHIN((double)l.keys, x, error);
        WITHIN((double)l.cells, x / log(2), error / log(2) + 1);
        assert_int_equal(l.bits, l.cells * l.hashes);
    }
    assert_true(i > 80 && i < 97); /* 1.5^96 = 2^56.2 */
    blm_free(f);
    f = made("scalable keys=3 fpr=1% growth=1 layers=1024");
    for (i = 0; blm_layer_at((const blm_scalable *)f, i, &l); i++)
        assert_true(l.keys == 3 && l.cells == 5);
    assert_true(i > 200 && i < 260); /* layer 231 would want 65 hashes */
    blm_free(f);
    f = made("scalable keys=10 fpr=1% layers=1");
    assert_false(blm_can(f, BLM_GROW));
    WITHIN(exp2(-ldexp((double)field(f, "halvings"), -32)), 0.01, 1e-9); /* all of it */
    blm_free(f);
}

/* As many layers as the keys that went in ask for: one more only when the next key comes. */
static void layers_by_fresh_keys(void **state)
{
    bool as_many = true;
    (void)state;
    for (unsigned g = 1; g <= 4; g++) {
        char with[40];
        snprintf(with, sizeof with, "growth=%u", g);
        blm_filter *f = begun(with);
        for (uint64_t at = 0; at < 20000; at += 777) {
            add_run(f, at, 777);
            uint64_t room = 1000, layers = 1, keys = 1000;
            while (room < fresh_of(f)) room += keys *= g, layers++;
            as_many = as_many && info_of(f).children == layers && info_of(f).capacity == room;
        }
        blm_free(f);
    }
    ORACLE_HOLDS("1.C3", "the fewest layers whose capacities reach the fresh keys", as_many);
}

/* ---- rates ---------------------------------------------------------------------------------------------- */

/* One-sided, 99 %: the rate of all layers, at each power of ten; and it is what the fills tell. */
static void the_rate_holds_at_every_size(void **state)
{
    enum { PROBES = 100000 };
    static const char *const inner[] = {"inner=partitioned", "inner=blocked"};
    (void)state;
    for (size_t w = 0; w < 2; w++) {
        blm_filter *f = begun(inner[w]);
        bool kept = true;
        for (uint64_t n = 1000, at = 0; n <= 100000; at = n, n *= 10) {
            add_run(f, at, n - at);
            const double p = blm_fpr(f, NULL).high;
            const blm_rate by_fields = blm_fpr(f, &(blm_case){.keys = n});
            const uint64_t hits = false_yes(f, PROBES);
            kept = kept && (double)hits <= PROBES * 0.01 + 2.326 * sqrt(PROBES * 0.01 * 0.99);
            WITHIN((double)hits, PROBES * p, 4 * sqrt(PROBES * p));
            WITHIN(by_fields.high, p, 4 * p * by_fields.spread + 1e-4 * p);
            assert_true(info_of(f).fpr_target == 0.01);
            if (n > 1000) /* more than its last layer errs */
                assert_true(p > 1.3 * blm_fpr(blm_inner(f, info_of(f).children - 1), NULL).high);
        }
        ORACLE_HOLDS("1.C3",
                     w ? "the rate holds at 10^3, 10^4, 10^5 keys, in blocks"
                       : "the rate holds at 10^3, 10^4, 10^5 keys",
                     kept);
        ORACLE_HOLDS("1.C3", w ? "no miss, in blocks" : "no miss", has_run(f, 0, 100000));
        blm_free(f);
    }
}

/* Far past its capacity too, where only what the last layer does not take for members goes into it. */
static void the_rate_never_falls(void **state)
{
    static const char *const with[] = {"layers=1",       "layers=3",        "layers=64",
                                       "max_bytes=3000", "max_bytes=20000", "layers=3 growth=1"};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(with); i++) {
        char more[80];
        snprintf(more, sizeof more, "%s %s", with[i / 2], i % 2 ? "inner=blocked" : "");
        blm_filter *f = begun(more);
        double before = 0;
        for (double n = 1000; n <= 1e7; n = floor(n * 1.03)) {
            const double p = blm_fpr(f, &(blm_case){.keys = (uint64_t)n}).high;
            if (!(p >= before * (1 - 1e-9) && p <= 1))
                fail_msg("%s: %g keys have a rate of %.9g, fewer have %.9g", more, n, p, before);
            before = p;
        }
        assert_true(i / 2 == 2 ? before < 0.01 : before > 0.9);
        blm_free(f);
    }
}

/* Ten filters at 2, 2, 4 and 14 times what they have room for: their mean rate within 4 sd, and each of them within 5. Near 1, where
 * rates are not normal, within 1e-4. */
static void the_rate_past_the_last_layer(void **state)
{
    enum { FILTERS = 10 };
    static const char *const inner[] = {"inner=partitioned", "inner=blocked"};
    static const uint64_t keys[] = {2000, 14000, 30000, 100000};
    (void)state;
    for (size_t w = 0; w < 2 * COUNT(keys); w++) {
        const uint64_t n = keys[w / 2];
        double sum = 0;
        blm_rate told = {0};
        for (unsigned seed = 0; seed < FILTERS; seed++) {
            char spec[120];
            snprintf(spec, sizeof spec,
                     "scalable keys=1000 fpr=0.001 layers=%d seed=%u overfill=yes %s",
                     n == 2000 ? 1 : 3, seed + 1, inner[w % 2]);
            blm_filter *f = made(spec);
            add_run(f, 0, n);
            told = blm_fpr(f, &(blm_case){.keys = n});
            const double p = blm_fpr(f, NULL).high;
            WITHIN(p, told.high, 5 * told.high * told.spread + 1e-4 * (told.high > 0.9));
            sum += p;
            blm_free(f);
        }
        WITHIN(sum / FILTERS, told.high,
               4 * told.high * told.spread / sqrt(FILTERS) + 1e-4 * (told.high > 0.9));
        assert_true(told.high > (n == 100000 ? 0.999 : 1e-3));
    }
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

static blm_layer blocks_for(uint64_t keys, uint64_t halvings)
{
    const blm_scalable s = {.first = keys,
                            .halvings = halvings,
                            .factor = 1 << 16,
                            .layers = 1,
                            .inner = BLM_SCALABLE_BLOCKED};
    blm_layer l = {0};
    assert_true(blm_layer_at(&s, 0, &l));
    return l;
}

/* Each row keeps its rate for any number of keys, and so do the lines between the rows; and none has much more than the
 * fewest blocks that keep it. */
static void blocks_keep_their_rate(void **state)
{
    (void)state;
    for (uint64_t eighths = 0; eighths <= 8 * 64; eighths++) {
        const double rate = exp2(-(double)(eighths < 8 ? 8 : eighths) / 8);
        for (uint64_t n = 1; n <= 10000000; n *= 10) {
            const blm_layer l = blocks_for(n, eighths << 29);
            const double p = blm_rate_blocked(512, l.cells, l.hashes, n);
            if (!(p <= rate))
                fail_msg("2^-%g for %g keys: %.9g", (double)eighths / 8, (double)n, p / rate);
        }
        uint64_t least;
        unsigned k;
        if (eighths % 8 || !eighths) continue;
        assert_true(blm_size_blocked(1000000, rate, 512, 0, &least, &k));
        const double most = (double)blocks_for(1000000, eighths << 29).cells;
        assert_true(most >= (double)least && most <= 1.005 * (double)least);
    }
}

/* By hand: 10^6 keys at 2^-8 are 10^6 * 796250 / 2^25 blocks, at 2^-7.5 half way to those of 2^-7. */
static void blocks_are_integers(void **state)
{
    blm_layer l = blocks_for(1000000, UINT64_C(8) << 32);
    (void)state;
    assert_true(l.cells == 23731 && l.hashes == 7);
    l = blocks_for(1000000, UINT64_C(15) << 31);
    assert_true(l.cells == 22142 && l.hashes == 7);
    const blm_scalable none = {.first = 1,
                               .halvings = (UINT64_C(64) << 32) + 1,
                               .factor = 1 << 16,
                               .layers = 1,
                               .inner = BLM_SCALABLE_BLOCKED};
    assert_false(blm_layer_at(&none, 0, &l));
    l = blocks_for(UINT64_C(1) << 50, UINT64_C(64) << 32); /* the largest filter has 2^60 bits */
    assert_true(l.bits <= UINT64_C(1) << 60);
}

/* ---- batches -------------------------------------------------------------------------------------------- */

/* Keys that come twice, in one piece and later, across many growths: cells and answers of one add after the other. */
static void batches_grow_alike(void **state)
{
    enum { N = 6000 };
    static blm_hash h[N];
    static uint8_t fresh[N], yes[N];
    blm_filter *one = made("scalable keys=20 fpr=5%"), *many = made("scalable keys=20 fpr=5%");
    uint64_t random = 1;
    size_t done = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) h[i] = blm_hash_u64(one, draw(&random) % (i + 1));
    for (size_t at = 0, n = 1; at < N; at += n, n = at % 700 + 1) {
        if (n > N - at) n = N - at;
        assert_int_equal(blm_add_many(many, h + at, NULL, n, fresh + at, &done), BLM_OK);
        assert_int_equal(done, n);
    }
    for (size_t i = 0; i < N; i++) {
        bool is_new = false;
        const blm_item it = {h[i], NULL, 8, BLM_NO_ARG};
        assert_int_equal(blm_add_item(one, &it, &is_new), BLM_OK);
        assert_int_equal(is_new, fresh[i]);
    }
    assert_true(info_of(one).children > 7 && blm_equal(one, many));
    blm_has_many(many, h, NULL, N, yes);
    for (size_t i = 0; i < N; i++) assert_int_equal(yes[i], 1);
    blm_free(one);
    blm_free(many);
}

/* ---- growth that fails ------------------------------------------------------------------------------------ */

static void no_memory_loses_no_key(void **state)
{
    purse p = {0};
    const blm_alloc a = {purse_get, purse_put, &p};
    blm_filter *f =
        made_new(BLM_CONFIG(.kind = "scalable", .keys = 1000, .fpr = 0.01, .alloc = &a));
    (void)state;
    add_run(f, 0, 900);
    p.refuse_at = p.calls + 1; /* and nothing after it, see below */
    for (uint64_t i = 900; i < 1100; i++) {
        p.refuse_at = p.calls + 1;
        assert_int_equal(blm_add_u64(f, i), BLM_OK);
    }
    assert_int_equal(info_of(f).children, 1);
    assert_true(has_run(f, 0, 1100) && fresh_of(f) > 1090);
    p.refuse_at = 0; /* there is memory again */
    add_run(f, 1100, 900);
    assert_true(has_run(f, 0, 2000) && info_of(f).children == 2);
    blm_free(f);
    assert_int_equal(p.held, 0);
}

/* Past the last layer: twice the promise, then FULL, and nothing changes. */
static void limits_end_in_full(void **state)
{
    static const char *const with[] = {"layers=2", "max_bytes=6000", "layers=1 inner=blocked",
                                       "max_bytes=9000 inner=blocked"};
    (void)state;
    for (size_t i = 0; i < COUNT(with); i++) {
        blm_filter *f = begun(with[i]), *before = NULL;
        const uint32_t layers = i == 2 ? 1 : 2;
        uint64_t n = 0;
        while (blm_add_u64(f, n) == BLM_OK) n++;
        assert_int_equal(info_of(f).children, layers);
        assert_true(info_of(f).bytes <= 9000 && n > (layers == 1 ? 1000 : 3000));
        assert_true(blm_fpr(f, NULL).high > 0.02 && blm_fpr(f, NULL).high < 0.03);
        assert_true(has_run(f, 0, n));
        OK(blm_copy(&before, f, &why));
        assert_int_equal(blm_add_u64(f, n), BLM_E_FULL);
        assert_true(blm_equal(f, before));
        REFUSED(blm_grow(f, &why), i == 2 ? BLM_E_CANNOT : BLM_E_FULL, i == 2 ? "grow" : "layers");
        assert_true(blm_equal(f, before));
        blm_free(f);
        blm_free(before);
    }
}

/* ---- merging ---------------------------------------------------------------------------------------------- */

static void layers_are_merged(void **state)
{
    enum { PROBES = 100000 };
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        blm_filter *f = begun(""), *g = begun("");
        add_run(f, 0, way ? 2500 : 12000);
        add_run(g, 20000, way ? 12000 : 2500);
        OK(blm_merge(f, g, &why));
        assert_int_equal(info_of(f).children, 4);
        assert_true(has_run(f, 0, way ? 2500 : 12000) && has_run(f, 20000, way ? 12000 : 2500));
        const double p = blm_fpr(f, NULL).high; /* layer 0 is fuller than half: told as it is */
        assert_true(info_of(blm_inner(f, 0)).fill > 0.7 && p > 0.02);
        WITHIN((double)false_yes(f, PROBES), PROBES * p, 4 * sqrt(PROBES * p));
        WITHIN(info_of(f).keys.value, 14500, 150);
        blm_free(g);
        g = begun("tightening=0.5");
        REFUSED(blm_merge(f, g, &why), BLM_E_MISMATCH, "halvings differs");
        blm_free(f);
        blm_free(g);
    }
}

/* ---- wishes ------------------------------------------------------------------------------------------------ */

static void wishes_that_make_no_sense(void **state)
{
    static const struct {
        const char *spec, *word;
    } table[] = {{"scalable keys=10 growth=0.5", "growth=0.5"},
                 {"scalable keys=10 growth=0.5", "from 1 to 1000"},
                 {"scalable keys=10 tightening=0", "above 0 and below 1"},
                 {"scalable keys=10 tightening=1", "above 0 and below 1"},
                 {"scalable keys=10 tightening=1.5", "tightening=1.5"},
                 {"scalable keys=10 layers=0", "layers=0"},
                 {"scalable keys=10 layers=2.5", "whole number"},
                 {"scalable keys=1000 fpr=1% max_bytes=1000", "first layer alone has 1808 bytes"},
                 {"scalable bits=1000b", "takes memory as its keys come"},
                 {"scalable keys=10 hashes=4", "each layer"},
                 {"scalable keys=10 fpr=1e-19", "64 hashes"},
                 {"scalable keys=10 inner=standard", "partitioned"}};
    blm_filter *f = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++)
        REFUSED(blm_make(&f, table[i].spec, &why), BLM_E_ARG, table[i].word);
    const blm_config most = {.size = sizeof most, .kind = "scalable", .keys = UINT64_C(1) << 56};
    REFUSED(blm_new(&f, &most, &why), BLM_E_ARG, "2^60 bits");
    f = made("scalable keys=1000 fpr=1% max_bytes=1808"); /* just enough */
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    blm_free(f);
}

/* Layers of another size, salt or capacity than the fields ask for, or none of them. */
static void refuses_other_layers(const char *inner, const char *other)
{
    blm_filter *f = begun(inner), *g = begun(other);
    add_run(f, 0, 4000);
    add_run(g, 0, 4000);
    OK(f->kind->check(f, &why));
    blm_filter *own = f->child[1];
    f->child[1] = g->child[1];
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "layer 1");
    f->child[1] = own;
    own->salt = 7;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "layer 1");
    own->salt = 2;
    own->capacity++;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "layer 1");
    own->capacity--;
    f->nchild = 0;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "0 layers");
    assert_false(blm_has_u64(f, 1));
    f->nchild = 3;
    OK(f->kind->check(f, &why));
    blm_scalable *s = (blm_scalable *)f;
    s->halvings += UINT64_C(1) << 30; /* layer 0 has as many hashes: its blocks alone differ */
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE,
            s->inner == BLM_SCALABLE_BLOCKED ? "layer 0" : "layer 2");
    blm_free(f);
    blm_free(g);
}

static void other_layers_are_refused(void **state)
{
    (void)state;
    refuses_other_layers("", "growth=3");
    refuses_other_layers("inner=blocked", "inner=blocked growth=3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_of_the_table),
        cmocka_unit_test(first_rates_of_the_table),
        cmocka_unit_test(sizes_are_integers),
        cmocka_unit_test(layers_by_fresh_keys),
        cmocka_unit_test(the_rate_holds_at_every_size),
        cmocka_unit_test(the_rate_never_falls),
        cmocka_unit_test(the_rate_past_the_last_layer),
        cmocka_unit_test(blocks_keep_their_rate),
        cmocka_unit_test(blocks_are_integers),
        cmocka_unit_test(batches_grow_alike),
        cmocka_unit_test(no_memory_loses_no_key),
        cmocka_unit_test(limits_end_in_full),
        cmocka_unit_test(layers_are_merged),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(other_layers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_layers.c - layers that become one, their number, and those of images that nobody wrote. */
#include "test_layers.h"
#include "oracles.h"

static void refused_as_forged(const blm_filter *f)
{
    blm_filter *back = NULL;
    const blob image = image_of(f);
    REFUSED(blm_load(&back, image.p, image.n, NULL, &why), BLM_E_IMAGE, "forged");
    free(image.p);
}

/* ---- compact --------------------------------------------------------------------------------------------- */

/* Merging an empty filter compacts, and does nothing else. */
static void compact_keeps_every_maybe(void **state)
{
    static bool maybe[20000];
    bool kept = true, tight = true;
    uint64_t before = 0, after = 0, refused = 0;
    blm_filter *f = made("dynamic keys=500 fpr=1% seed=4"),
               *empty = made("dynamic keys=500 fpr=1% seed=4");
    (void)state;
    add_run(f, 0, 5000);
    for (uint64_t key = 0; key < 5000; key++)
        if (key % 5 < 3) refused += del_u64(f, key) != BLM_OK;
    assert_true(f->nchild == 10 && refused < 400); /* none of them is half empty */
    for (uint64_t key = 0; key < COUNT(maybe); key++) maybe[key] = blm_has_u64(f, key);
    for (uint32_t i = 0; i < f->nchild; i++) before += keys_in(f, i);
    OK(blm_merge(f, empty, &why));
    for (uint64_t key = 0; key < COUNT(maybe); key++)
        kept = kept && (!maybe[key] || blm_has_u64(f, key));
    for (uint32_t i = 0; i < f->nchild; i++) {
        after += keys_in(f, i);
        for (uint32_t j = 0; j < i; j++) tight = tight && keys_in(f, i) + keys_in(f, j) > 500;
    }
    ORACLE_HOLDS("1.C2", "compact changes no maybe into no", kept);
    assert_true(before == after && tight && f->nchild < 10);
    blm_free(f);
    blm_free(empty);
}

/* Counters are added up, and bits joined: the cells of a filter that got both. */
static void layers_add_up(void **state)
{
    static const char *const inner[] = {"counting", "standard"};
    (void)state;
    for (size_t i = 0; i < COUNT(inner); i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "dynamic keys=1000 fpr=1%% inner=%s", inner[i]);
        blm_filter *a = made(spec), *b = made(spec), *both = made(spec);
        add_run(a, 0, 600);
        add_run(b, 500, 400);
        add_run(both, 0, 600);
        add_run(both, 500, 400);
        OK(blm_merge(a, b, &why));
        assert_true(blm_equal(a, both) && a->nchild == 1 && keys_in(a, 0) == 1000);
        OK(blm_merge(a, b, &why)); /* no room in the first */
        assert_true(a->nchild == 2 && keys_in(a, 0) == 1000 && keys_in(a, 1) == 400);
        assert_true(same_cells(a->child[1], b->child[0]) && info_of(a).adds == 1400);
        assert_true(info_of(a).capacity == 2000 && has_run(a, 0, 900));
        blm_free(a);
        blm_free(b);
        blm_free(both);
    }
}

/* 4, 3, 2, 1 tenths of a layer and the same again: the first pair that fits, and so on. */
static void the_earliest_pair_goes_first(void **state)
{
    static const uint64_t want[] = {100, 80, 70};
    blm_filter *f = made("dynamic keys=100 fpr=1%"), *part[4];
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        part[i] = made("dynamic keys=100 fpr=1%");
        add_run(part[i], 1000 * i, 40 + 10 * i);
    }
    add_run(f, 0, 60);
    for (unsigned i = 3; i > 0; i--)
        OK(blm_merge(f, part[i], &why)); /* 60; 60, 70; 60, 70, 60 ... */
    assert_int_equal(f->nchild, 4);
    OK(blm_merge(f, part[0], &why)); /* 60 + 40 */
    assert_int_equal(f->nchild, 4);
    assert_true(keys_in(f, 0) == want[0] && keys_in(f, 1) == want[2]);
    for (unsigned i = 0; i < 4; i++) blm_free(part[i]);
    blm_free(f);
}

/* After a delete layers become one as soon as they have half of a layer together: 30 and 20 of 100. */
static void half_a_layer_is_left_free(void **state)
{
    blm_filter *f = made("dynamic keys=100 fpr=0.01% seed=1");
    (void)state;
    add_run(f, 0, 130);
    for (uint64_t key = 0; key < 79; key++) assert_int_equal(del_u64(f, key), BLM_OK);
    assert_true(f->nchild == 2 && keys_in(f, 0) == 21 && keys_in(f, 1) == 30);
    assert_int_equal(del_u64(f, 79), BLM_OK);
    assert_true(f->nchild == 1 && keys_in(f, 0) == 50 && has_run(f, 80, 50));
    add_run(f, 200, 50);
    assert_int_equal(f->nchild, 1);
    assert_int_equal(blm_add_u64(f, 300), BLM_OK);
    assert_int_equal(f->nchild, 2);
    assert_int_equal(del_u64(f, 300), BLM_OK); /* and so it does not come and go */
    assert_int_equal(f->nchild, 2);
    assert_int_equal(del_u64(f, 80), BLM_OK);
    assert_int_equal(blm_add_u64(f, 301), BLM_OK); /* into the first layer with room */
    assert_true(keys_in(f, 0) == 100 && keys_in(f, 1) == 0);
    blm_free(f);
}

/* The later one goes into the earlier one, and those between and after it keep their order. */
static void layers_keep_their_order(void **state)
{
    blm_filter *f = made("dynamic keys=100 fpr=0.001% seed=1");
    (void)state;
    add_run(f, 0, 400);
    for (uint64_t key = 130; key < 200; key++) assert_int_equal(del_u64(f, key), BLM_OK);
    for (uint64_t key = 320; key < 400; key++) assert_int_equal(del_u64(f, key), BLM_OK);
    assert_true(f->nchild == 3 && keys_in(f, 1) == 50);
    assert_true(has_run(f->child[1], 100, 30) && has_run(f->child[1], 300, 20));
    assert_true(has_run(f->child[0], 0, 100) && has_run(f->child[2], 200, 100));
    blm_free(f);
}

/* What counts is how many layers are left: 400 full ones, and 300 of one key each, which make 150. */
static void merges_up_to_512_layers(void **state)
{
    blm_filter *f = made("dynamic keys=2 fpr=0.0001%"), *g = made("dynamic keys=2 fpr=0.0001%"),
               *old = NULL;
    (void)state;
    add_run(f, 0, 600);
    add_run(g, 10000, 600);
    for (uint64_t key = 10000; key < 10600; key += 2) assert_int_equal(del_u64(g, key), BLM_OK);
    assert_int_equal(g->nchild, 300);
    OK(blm_merge(f, g, &why));
    assert_int_equal(f->nchild, 450);
    blm_free(f);
    f = made("dynamic keys=2 fpr=0.0001%");
    add_run(f, 0, 800);
    OK(blm_copy(&old, f, &why));
    REFUSED(blm_merge(f, g, &why), BLM_E_FULL, "550 layers: at most 512");
    assert_true(blm_equal(f, old));
    blm_free(f);
    blm_free(g);
    blm_free(old);
}

/* ---- ends ------------------------------------------------------------------------------------------------- */

static void there_are_512_layers(void **state)
{
    blm_filter *f = made("dynamic keys=1 fpr=0.001%"), *g = made("dynamic keys=1 fpr=0.001%"),
               *old = NULL;
    (void)state;
    add_run(g, 5000, 200);
    add_run(f, 0, 400);
    OK(blm_copy(&old, f, &why));
    REFUSED(blm_merge(f, g, &why), BLM_E_FULL, "600 layers");
    SAYS("512");
    REFUSED(blm_grow(f, &why), BLM_E_FULL, "400 layers, and 400 more: at most 512");
    assert_true(blm_equal(f, old));
    add_run(f, 400, 112);
    blm_free(old);
    OK(blm_copy(&old, f, &why));
    assert_int_equal(blm_add_u64(f, 9999), BLM_E_FULL);
    assert_true(f->nchild == 512 && blm_equal(f, old));
    const blob image = image_of(f);
    blm_filter *back = NULL;
    OK(blm_load(&back, image.p, image.n, NULL, &why));
    assert_true(blm_equal(f, back) && has_run(back, 0, 512));
    assert_int_equal(del_u64(f, 77), BLM_OK);
    assert_int_equal(blm_add_u64(f, 9999), BLM_OK);
    assert_int_equal(keys_in(f, 77), 1);
    OK(blm_child_copies(f, g, g->nchild - 1u, &why));
    refused_as_forged(f);
    blm_free(f);
    blm_free(g);
    blm_free(old);
    blm_free(back);
    free(image.p);
}

static void room_is_grown(void **state)
{
    blm_filter *f = made("dynamic keys=100 fpr=1%");
    (void)state;
    OK(blm_grow(f, &why));
    OK(blm_grow(f, &why));
    assert_true(f->nchild == 4 && info_of(f).capacity == 400);
    NEAR(info_of(f).fpr_target, 1 - pow(1 - blm_fpr(f, &(blm_case){.keys = 100}).high, 4), 1e-6);
    add_run(f, 0, 400);
    assert_int_equal(f->nchild, 4);
    assert_int_equal(blm_clear(f), BLM_OK);
    assert_true(f->nchild == 1 && info_of(f).capacity == 100);
    blm_free(f);
}

static void counts_add_up(void **state)
{
    blm_filter *f = made("dynamic keys=100 fpr=0.1% seed=1");
    (void)state;
    for (unsigned i = 0; i < 5; i++) assert_int_equal(blm_add_u64(f, 7), BLM_OK);
    add_run(f, 1000, 95);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(blm_add_u64(f, 7), BLM_OK);
    assert_int_equal(f->nchild, 2);
    blm_estimate n = times_u64(f, 7);
    assert_true(n.value == 8 && n.high == 8 && !n.bound);
    assert_int_equal(del_u64(f, 7), BLM_E_UNSURE); /* both layers have it */
    for (unsigned i = 0; i < 12; i++) assert_int_equal(blm_add_u64(f, 7), BLM_OK);
    n = times_u64(f, 7);
    assert_true(n.value == 20 && n.bound && isinf(n.high));
    blm_free(f);
}

static void bits_do_not_delete(void **state)
{
    blm_filter *f = made("dynamic keys=100 fpr=1% inner=standard");
    blm_estimate n;
    (void)state;
    add_run(f, 0, 250);
    assert_true(f->nchild == 3 && has_run(f, 0, 250));
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    assert_int_equal(blm_count(f, "x", 1, &n), BLM_E_CANNOT);
    assert_true(!blm_can(f, BLM_DEL) && !blm_can(f, BLM_COUNT) && blm_can(f, BLM_MERGE));
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    WITHIN(n.value, 250, 4 * (n.high - n.value));
    blm_free(f);
}

static void layers_of_one_shape_merge(void **state)
{
    blm_filter *f = made("dynamic keys=1000 bits=38400b hashes=7"),
               *g = made("dynamic keys=900 bits=38400b hashes=7"),
               *h = made("dynamic keys=1000 bits=9600b hashes=7 inner=standard");
    (void)state;
    REFUSED(blm_merge(f, g, &why), BLM_E_MISMATCH, "capacity differs: layers of 1000 and 900");
    REFUSED(blm_merge(f, h, &why), BLM_E_MISMATCH, "inner differs: 0 and 1");
    blm_free(f);
    blm_free(g);
    blm_free(h);
}

/* A layer is freed although there is no memory for a shorter list of them. */
static void a_layer_leaves_without_memory(void **state)
{
    purse p = {0};
    const blm_alloc a = {purse_get, purse_put, &p};
    blm_filter *f = NULL;
    (void)state;
    OK(blm_new(&f, BLM_CONFIG(.kind = "dynamic", .keys = 100, .fpr = 0.0001, .alloc = &a), &why));
    const uint64_t one = p.held;
    add_run(f, 0, 200);
    for (uint64_t key = 0; key < 149; key++) assert_int_equal(del_u64(f, key), BLM_OK);
    p.refuse_at = p.calls + 1;
    assert_int_equal(del_u64(f, 149), BLM_OK);
    assert_true(f->nchild == 1 && p.calls == p.refuse_at && p.held == one + sizeof(blm_filter *));
    p.refuse_at = p.calls + 1;
    add_run(f, 300, 50);
    assert_int_equal(blm_add_u64(f, 400), BLM_E_NOMEM);
    assert_true(f->nchild == 1 && has_run(f, 150, 50) && !blm_has_u64(f, 400));
    assert_int_equal(blm_add_u64(f, 400), BLM_OK);
    assert_int_equal(f->nchild, 2);
    blm_free(f);
    assert_int_equal(p.held, 0);
}

/* ---- images that nobody wrote ------------------------------------------------------------------------------ */

static void layers_must_be_alike(void **state)
{
    static const char *const others[] = {"counting keys=100 fpr=2%",
                                         "counting keys=100 fpr=1% width=5",
                                         "counting keys=100 fpr=1% layout=line",
                                         "standard keys=100 fpr=1%", "dleft keys=100 fpr=1%"};
    blm_filter *f = made("dynamic keys=100 fpr=1%");
    (void)state;
    add_run(f, 0, 250);
    blm_filter *own = f->child[1];
    for (size_t i = 0; i < COUNT(others); i++) {
        f->child[1] = made(others[i]);
        refused_as_forged(f);
        blm_free(f->child[1]);
    }
    f->child[1] = own;
    own->adds = 101;
    refused_as_forged(f);
    own->adds = 100, own->capacity = 101;
    refused_as_forged(f);
    own->capacity = 100, own->salt = 2;
    refused_as_forged(f);
    own->salt = 0;
    while (f->nchild) blm_child_drop(f, 0);
    refused_as_forged(f);
    blm_free(f);
}

/* A view whose layers nobody has looked at: every question ends. */
static void a_view_of_foreign_layers(void **state)
{
    blm_filter *f = made("dynamic keys=100 fpr=1%"), *v = NULL,
               *g = made("dynamic keys=100 fpr=1%");
    blm_estimate n;
    (void)state;
    add_run(f, 0, 100);
    blm_free(f->child[0]);
    f->child[0] = made("standard keys=100 fpr=1%");
    const blob image = image_of(f);
    OK(blm_view(&v, image.p, image.n, BLM_OPEN(.check = BLM_CHECK_NONE), &why));
    assert_false(blm_has_u64(v, 1));
    assert_int_equal(blm_count(v, "x", 1, &n), BLM_E_IMAGE);
    assert_true(info_of(v).fpr_now.high == 0 && info_of(v).keys.value == 0);
    REFUSED(blm_merge(g, v, &why), BLM_E_IMAGE, "not like the others");
    blm_free(v);
    blm_free(f);
    blm_free(g);
    free(image.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_keeps_every_maybe),
        cmocka_unit_test(layers_add_up),
        cmocka_unit_test(the_earliest_pair_goes_first),
        cmocka_unit_test(half_a_layer_is_left_free),
        cmocka_unit_test(layers_keep_their_order),
        cmocka_unit_test(merges_up_to_512_layers),
        cmocka_unit_test(there_are_512_layers),
        cmocka_unit_test(room_is_grown),
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(bits_do_not_delete),
        cmocka_unit_test(layers_of_one_shape_merge),
        cmocka_unit_test(a_layer_leaves_without_memory),
        cmocka_unit_test(layers_must_be_alike),
        cmocka_unit_test(a_view_of_foreign_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

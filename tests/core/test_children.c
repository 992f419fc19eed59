/* test_children.c - children whose salt the kind picks: asked in batches, copied, dropped, seen from outside. */
#include "core/image/image.h"
#include "core/own_kinds.h"
#include "core/forge.h"

static blm_filter *tree_of(const char *spec, uint64_t n)
{
    blm_filter *f = made(spec);
    add_run(f, 0, n);
    return f;
}

/* ---- salts, batches, copies ------------------------------------------------------------------------- */

/* Salt 0: a key's bits lie in the child where they would lie in a filter of its own. */
static void a_child_with_the_parents_hash(void **state)
{
    blm_filter *f = made("tree keys=1000 seed=9"), *alone = made("standard keys=1000 seed=9");
    blm_filter *v = NULL;
    (void)state;
    OK(blm_child(f, BLM_CONFIG(.kind = "standard", .keys = 1000), 0, &why));
    assert_true(f->nchild == 3 && f->child[2]->salt == 0);
    add_run(f, 0, 500);
    add_run(alone, 0, 500);
    assert_true(same_cells(f->child[2], alone));
    assert_true(has_run(f, 0, 500));
    blm_item it = blm_item_u64(f, 3, BLM_NO_ARG), own = blm_inner_item(f, 2, &it);
    assert_true(own.h.lo == it.h.lo && own.h.hi == it.h.hi && own.key == it.key);
    own = blm_inner_item(f, 1, &it);
    const blm_hash salted = blm_resalt(it.h, 2);
    assert_true(own.h.lo == salted.lo && own.h.hi == salted.hi && own.arg == it.arg);
    const blob image = image_of(f); /* damage is found where the key is: in the last child */
    image.p[image.n - 20] ^= 1;
    OK(blm_view(&v, image.p, image.n, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
    REFUSED(blm_check_item(v, &it, &why), BLM_E_IMAGE, "damaged");
    blm_free(v);
    image.p[image.n - 20] ^= 1;
    OK(blm_load(&v, image.p, image.n, NULL, &why));
    assert_true(v->child[2]->salt == 0 && has_run(v, 0, 500) && blm_equal(f, v));
    blm_free(v);
    blm_free(f);
    blm_free(alone);
    free(image.p);
}

/* Every number of keys and of those behind them, with a salt and without one: what has() says, and no byte more. */
static void many_questions_to_a_child(void **state)
{
    enum { N = 700 };
    static blm_hash h[N];
    static uint8_t yes[N + 1];
    blm_filter *f = made("tree keys=400");
    (void)state;
    OK(blm_child(f, BLM_CONFIG(.kind = "standard", .keys = 400), 0, &why));
    OK(blm_child(f, BLM_CONFIG(.kind = "sheet", .keys = 400), 7, &why)); /* it has no batches */
    for (size_t i = 0; i < N; i++) h[i] = blm_hash_u64(f, i);
    for (uint32_t c = 1; c < 4; c++)
        for (size_t i = 0; i < N; i += 2) {
            const blm_item it = {blm_child_hash(f->child[c], h[i]), NULL, 8, BLM_NO_ARG};
            assert_int_equal(blm_add_item(f->child[c], &it, NULL), BLM_OK);
        }
    for (uint32_t c = 0; c < 4; c++)
        for (size_t n = 0; n <= N; n += n < 5 ? 1 : n % 7 + 29)
            for (size_t more = 0; n + more <= N && more <= 64; more += 32) {
                memset(yes, 7, sizeof yes);
                blm_child_prefetch_many(f, c, h, n);
                blm_child_has_many(f, c, h, NULL, n, more, yes);
                for (size_t i = 0; i < n; i++)
                    assert_int_equal(yes[i], blm_child_has(f, c, h[i], NULL));
                assert_int_equal(yes[n], 7);
            }
    blm_free(f);
}

/* Children leave, in any place, and the list of them becomes shorter; where there is no memory for that, it stays as long. */
static void children_leave(void **state)
{
    (void)state;
    for (uint64_t refuse = 0; refuse < 2; refuse++)
        for (uint32_t i = 0; i < 3; i++) {
            purse p = {0};
            const blm_alloc a = {purse_get, purse_put, &p};
            blm_filter *f = NULL, *g = NULL;
            OK(blm_new(&f, BLM_CONFIG(.kind = "tree", .keys = 30, .alloc = &a), &why));
            OK(blm_grow(f, &why));
            const blm_filter *stay[2] = {f->child[i == 0], f->child[i == 2 ? 1 : 2]};
            p.refuse_at = refuse ? p.calls + 1 : 0;
            blm_child_drop(f, i);
            assert_true(f->nchild == 2 && f->child[0] == stay[0] && f->child[1] == stay[1]);
            assert_int_equal(f->places, 2 + refuse);
            OK(blm_copy(&g, f, &why));
            assert_true(blm_equal(f, g));
            OK(blm_grow(f, &why));
            assert_true(f->nchild == 3 && f->places == 3);
            while (f->nchild) blm_child_drop(f, 0);
            assert_true(!f->child && !f->places);
            blm_free(f);
            blm_free(g);
            assert_int_equal(p.held, 0);
        }
}

/* All of them or none, from the allocator of the filter that gets them. */
static void copies_of_children(void **state)
{
    bool whole = false;
    (void)state;
    blm_filter *g = tree_of("tree keys=30 depth=2", 10);
    OK(blm_grow(g, &why));
    for (uint64_t refuse = 1; !whole; refuse++) {
        purse p = {0};
        const blm_alloc a = {purse_get, purse_put, &p};
        blm_filter *f = NULL;
        OK(blm_new(&f, BLM_CONFIG(.kind = "tree", .keys = 30, .with = "depth=2", .alloc = &a),
                   &why));
        const uint64_t held = p.held;
        p.refuse_at = p.calls + refuse;
        const blm_err err = blm_child_copies(f, g, 1, &why);
        whole = !err;
        assert_true(!err || (err == BLM_E_NOMEM && why.code == BLM_E_NOMEM));
        assert_int_equal(f->nchild, err ? 2 : 4);
        assert_true(!err || p.held == held);
        for (uint32_t i = 2; i < f->nchild; i++)
            assert_true(blm_equal(f->child[i], g->child[i - 1]));
        blm_free(f);
        assert_int_equal(p.held, 0);
    }
    OK(blm_child_copies(g, g, 9, &why)); /* there are none */
    assert_int_equal(g->nchild, 3);
    blm_free(g);
}

static void seen_from_outside(void **state)
{
    blm_filter *f = made("tree keys=30 depth=2 seed=4"), *none = made("standard keys=5");
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_ptr_equal(blm_inner(f, i), f->child[i]);
        assert_int_equal(info_of(blm_inner(blm_inner(f, i), 1)).seed, 4); /* two levels down */
    }
    assert_null(blm_inner(f, 2));
    assert_null(blm_inner(none, 0));
    assert_null(blm_inner(f, SIZE_MAX));
    blm_free(f);
    blm_free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_with_the_parents_hash),
        cmocka_unit_test(many_questions_to_a_child),
        cmocka_unit_test(children_leave),
        cmocka_unit_test(copies_of_children),
        cmocka_unit_test(seen_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

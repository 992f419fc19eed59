/* test_rows.c - rows of hash and value: sorted, settled, built with the next salt, refused in conflict. */
#include "core/own_kinds.h"
#include "core/build/rows.h"

/* ---- rows alone ----------------------------------------------------------------------------------------- */

typedef struct given {
    blm_hash h;
    uint64_t arg;
} given;

static blm_rowlist list_of(const given *rows, size_t n)
{
    blm_rowlist l = {.hi = true, .arg = true};
    for (size_t i = 0; i < n; i++)
        assert_int_equal(blm_rows_add(&l, &blm_alloc_default, rows[i].h, rows[i].arg), BLM_OK);
    return l;
}

static void check_rows(const blm_rowlist *l, const given *want, size_t n)
{
    const blm_rows r = blm_rows_view(l);
    assert_int_equal(r.n, n);
    for (size_t i = 0; i < n; i++)
        assert_true(r.lo[i] == want[i].h.lo && r.hi[i] == want[i].h.hi && r.arg[i] == want[i].arg);
}

static void settled_rows_are_sorted_and_single(void **state)
{
    static const given rows[] = {{{9, 1}, 5}, {{3, 2}, 6}, {{9, 0}, 7}, {{3, 2}, 6},
                                 {{9, 1}, 5}, {{3, 1}, 8}, {{3, 2}, 6}, {{UINT64_MAX, 0}, 9}};
    static const given want[] = {
        {{3, 1}, 8}, {{3, 2}, 6}, {{9, 0}, 7}, {{9, 1}, 5}, {{UINT64_MAX, 0}, 9}};
    const blm_alloc *a = &blm_alloc_default;
    blm_rowlist none = {0}, l = list_of(rows, COUNT(rows));
    (void)state;
    assert_int_equal(blm_rows_settle(&none, a, BLM_AGAIN_CONFLICT, 0, 1), BLM_OK);
    assert_int_equal(none.n, 0);
    assert_int_equal(l.n, COUNT(rows));
    assert_int_equal(blm_rows_settle(&l, a, BLM_AGAIN_CONFLICT, 0, 1), BLM_OK);
    check_rows(&l, want, COUNT(want));
    /* More rows, some of them there already: sorted into the others. */
    assert_int_equal(blm_rows_add(&l, a, (blm_hash){4, 4}, 4), BLM_OK);
    assert_int_equal(blm_rows_add(&l, a, (blm_hash){9, 0}, 7), BLM_OK);
    assert_int_equal(blm_rows_settle(&l, a, BLM_AGAIN_CONFLICT, 0, 2), BLM_OK);
    assert_int_equal(l.n, COUNT(want) + 1);
    assert_int_equal(blm_rows_view(&l).lo[2], 4);
    blm_rows_drop(&l, a);
    assert_true(l.n == 0 && !l.first && blm_rows_bytes(&l) == 0);
    blm_rows_drop(&l, a);
}

static void one_hash_with_two_values_is_a_conflict(void **state)
{
    static const given rows[] = {{{1, 1}, 5}, {{2, 1}, 5}, {{1, 1}, 6}};
    blm_rowlist l = list_of(rows, COUNT(rows));
    (void)state;
    assert_int_equal(blm_rows_settle(&l, &blm_alloc_default, BLM_AGAIN_CONFLICT, 0, 1),
                     BLM_E_CONFLICT);
    blm_rows_drop(&l, &blm_alloc_default);
}

/* Sums stop at the largest legal number; a key with two sets has two rows, each once. */
static void args_that_come_again_add_up_or_stay(void **state)
{
    static const given rows[] = {{{1, 1}, 5}, {{2, 1}, 9}, {{1, 1}, 6},
                                 {{2, 1}, 9}, {{1, 1}, 5}, {{3, 0}, 1}};
    static const given sums[] = {{{1, 1}, 16}, {{2, 1}, 17}, {{3, 0}, 1}};
    static const given each[] = {{{1, 1}, 5}, {{1, 1}, 6}, {{2, 1}, 9}, {{3, 0}, 1}};
    const struct {
        blm_again again;
        const given *want;
        size_t n;
    } cases[] = {{BLM_AGAIN_SUM, sums, COUNT(sums)}, {BLM_AGAIN_EACH, each, COUNT(each)}};
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        blm_rowlist l = list_of(rows, COUNT(rows));
        assert_int_equal(blm_rows_sort(&l, &blm_alloc_default, 1), BLM_OK);
        assert_int_equal(blm_rows_distinct(&l, cases[c].again), cases[c].n);
        assert_int_equal(blm_rows_settle(&l, &blm_alloc_default, cases[c].again, 17, 1), BLM_OK);
        check_rows(&l, cases[c].want, cases[c].n);
        blm_rows_drop(&l, &blm_alloc_default);
    }
}

static void salted_rows_are_resalted(void **state)
{
    blm_rowlist l = {.hi = true, .arg = true}, salted = {0};
    (void)state;
    for (uint64_t i = 0; i < 500; i++)
        assert_int_equal(blm_rows_add(&l, &blm_alloc_default, (blm_hash){i, i * 3}, i), BLM_OK);
    assert_int_equal(blm_rows_sort(&l, &blm_alloc_default, 1), BLM_OK);
    const blm_rows plain = blm_rows_view(&l);
    assert_int_equal(blm_rows_resalted(&salted, &plain, 77, true, &blm_alloc_default), BLM_OK);
    const blm_rows r = blm_rows_view(&salted);
    assert_int_equal(r.n, 500);
    for (size_t i = 0; i < 500; i++) {
        const blm_hash h = blm_resalt((blm_hash){r.arg[i], r.arg[i] * 3}, 77);
        assert_true(h.lo == r.lo[i] && h.hi == r.hi[i]);
        assert_true(i == 0 || r.lo[i - 1] < h.lo);
    }
    blm_rows_drop(&l, &blm_alloc_default);
    blm_rows_drop(&salted, &blm_alloc_default);
}

/* What a sort sees: spread, in order, reversed, one value, few values, all in one top byte, only hi or arg differ. */
static given awkward(unsigned way, uint64_t i, uint64_t n)
{
    const uint64_t mixed = blm_mix(i + 1);
    const given cases[] = {
        {{mixed, mixed >> 7}, i},       {{i, i}, i},          {{n - i, i}, i}, {{7, 7}, 7},
        {{mixed % 3, mixed >> 60}, i},  {{mixed >> 9, 1}, 0}, {{5, mixed}, 0}, {{5, 5}, mixed},
        {{mixed << 40, mixed << 50}, 1}};
    return cases[way % COUNT(cases)];
}

static bool comes_after(const blm_rows *r, size_t i)
{
    const uint64_t a[] = {r->lo[i - 1], r->hi ? r->hi[i - 1] : 0, r->arg ? r->arg[i - 1] : 0},
                   b[] = {r->lo[i], r->hi ? r->hi[i] : 0, r->arg ? r->arg[i] : 0};
    for (size_t c = 0; c < COUNT(a); c++)
        if (a[c] != b[c]) return a[c] < b[c];
    return true;
}

/* Whole rows stay together: a sum over a mix of all their columns is that of the rows as they came. */
static void all_orders_are_sorted(void **state)
{
    static const uint64_t sizes[] = {1, 2, 24, 25, 64, 257, 3000, 70000};
    (void)state;
    for (unsigned way = 0; way < 9; way++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            for (unsigned columns = 0; columns < 4; columns++) {
                blm_rowlist l = {.hi = columns & 1, .arg = columns & 2};
                uint64_t before = 0, after = 0;
                for (uint64_t i = 0; i < sizes[s]; i++) {
                    const given g = awkward(way, i, sizes[s]);
                    assert_int_equal(blm_rows_add(&l, &blm_alloc_default, g.h, g.arg), BLM_OK);
                    before +=
                        blm_mix(g.h.lo ^ blm_mix((l.hi ? g.h.hi : 0) ^ blm_mix(l.arg ? g.arg : 0)));
                }
                assert_int_equal(blm_rows_sort(&l, &blm_alloc_default, 1 + columns), BLM_OK);
                const blm_rows r = blm_rows_view(&l);
                for (size_t i = 0; i < r.n; i++) {
                    after += blm_mix(r.lo[i] ^
                                     blm_mix((r.hi ? r.hi[i] : 0) ^ blm_mix(r.arg ? r.arg[i] : 0)));
                    assert_true(!i || comes_after(&r, i));
                }
                assert_true(r.n == sizes[s] && before == after);
                blm_rows_drop(&l, &blm_alloc_default);
            }
}

static blm_err in_turn(void *ctx, blm_hash h, uint64_t arg)
{
    uint64_t *next = ctx;
    assert_true(h.lo == *next && h.hi == *next + 1 && arg == *next + 2);
    ++*next;
    return BLM_OK;
}

static void rows_without_memory(void **state)
{
    purse p = {.refuse_at = 2};
    const blm_alloc a = {purse_get, purse_put, &p};
    blm_rowlist l = {.hi = true, .arg = true};
    uint64_t n = 0, seen = 0;
    (void)state;
    while (blm_rows_add(&l, &a, (blm_hash){n, n + 1}, n + 2) == BLM_OK) n++;
    assert_true(l.n == n && n == 64);
    assert_int_equal(blm_rows_each(&l, in_turn, &seen), BLM_OK);
    assert_int_equal(seen, n);
    for (; n < 1000; n++)
        assert_int_equal(blm_rows_add(&l, &a, (blm_hash){n, n + 1}, n + 2), BLM_OK);
    seen = 0;
    assert_int_equal(blm_rows_each(&l, in_turn, &seen), BLM_OK);
    assert_int_equal(seen, n);
    assert_int_equal(blm_rows_bytes(&l), p.held);
    p.refuse_at = p.calls + 1; /* the block that they would be sorted in */
    assert_int_equal(blm_rows_sort(&l, &a, 1), BLM_E_NOMEM);
    seen = 0;
    assert_int_equal(blm_rows_each(&l, in_turn, &seen), BLM_OK);
    assert_int_equal(seen, n);
    assert_int_equal(blm_rows_sort(&l, &a, 1), BLM_OK);
    assert_int_equal(blm_rows_bytes(&l), p.held);
    assert_int_equal(p.held, n * 24);
    blm_rows_drop(&l, &a);
    assert_int_equal(p.held, 0);
}

/* ---- built with salts ------------------------------------------------------------------------------------- */

static blm_builder *shelf_builder(const blm_alloc *a)
{
    blm_builder *b = NULL;
    shelf_builds = 0, shelf_out = 0, shelf_error = BLM_OK;
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "shelf", .seed = 5, .alloc = a), &why));
    return b;
}

static blm_err add_number(blm_builder *b, unsigned list, uint64_t key, uint64_t arg)
{
    uint8_t text[8];
    blm_put64(text, key);
    return blm_builder_add(b, list, text, 8, arg);
}

static void check_shelf(const blm_filter *f, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint8_t text[8];
        uint64_t value = 0;
        blm_put64(text, i);
        assert_int_equal(blm_get(f, text, 8, &value), BLM_OK);
        assert_int_equal(value, i + 1);
    }
    assert_false(blm_has(f, "stranger", 8));
    assert_int_equal(info_of(f).adds, n);
    assert_int_equal(info_of(f).seed, 5); /* the user's seed stays as given */
}

static void built_with_the_first_salt_that_works(void **state)
{
    static const unsigned fails[] = {0, 1, 7, 99};
    (void)state;
    for (size_t i = 0; i < COUNT(fails); i++) {
        blm_builder *b = shelf_builder(NULL);
        blm_filter *f = NULL, *g = NULL;
        shelf_fails = fails[i];
        for (uint64_t key = 100; key-- > 0;)
            assert_int_equal(add_number(b, 0, key, key + 1), BLM_OK);
        OK(blm_build(&f, b, &why));
        assert_int_equal(shelf_builds, fails[i] + 1);
        assert_int_equal(f->salt, fails[i]);
        check_shelf(f, 100);
        assert_int_equal(info_of(f).capacity, 100);
        const blob image = image_of(f); /* the salt lives in the image */
        OK(blm_load(&g, image.p, image.n, NULL, &why));
        assert_int_equal(g->salt, fails[i]);
        assert_true(blm_equal(f, g));
        check_shelf(g, 100);
        free(image.p);
        blm_free(f);
        blm_free(g);
    }
    shelf_fails = 0;
}

static void no_salt_works(void **state)
{
    blm_builder *b = shelf_builder(NULL);
    blm_filter *f = NULL;
    (void)state;
    shelf_fails = 1000;
    assert_int_equal(add_number(b, 0, 1, 2), BLM_OK);
    REFUSED(blm_build(&f, b, &why), BLM_E_BUILD, "no salt of 100 worked");
    assert_int_equal(shelf_builds, 100);
    b = shelf_builder(NULL);
    shelf_fails = 0;
    shelf_error = BLM_E_ARG; /* what is no matter of luck is not tried again */
    REFUSED(blm_build(&f, b, &why), BLM_E_ARG, "told to fail");
    assert_int_equal(shelf_builds, 1);
    assert_null(f);
}

static void rows_of_two_lists(void **state)
{
    blm_builder *b = shelf_builder(NULL);
    blm_filter *f = NULL;
    blm_list_info list;
    (void)state;
    assert_true(blm_list_at("shelf", 1, &list));
    assert_string_equal(list.name, "out");
    assert_false(list.keyed);
    assert_false(blm_list_at("shelf", 0, &list) || blm_list_at("shelf", 2, &list));
    assert_int_equal(add_number(b, 0, 1, BLM_NO_ARG), BLM_OK); /* the default value: 7 */
    for (unsigned t = 0; t < 3; t++) /* twins, whatever number comes with them */
        for (uint64_t i = 50; i < 60; i++) assert_int_equal(add_number(b, 1, i, t), BLM_OK);
    assert_int_equal(add_number(b, 2, 1, 1), BLM_E_ARG);
    assert_int_equal(add_number(b, 0, 2, 0), BLM_E_ARG);
    assert_int_equal(add_number(b, 0, 2, 1001), BLM_E_ARG);
    assert_int_equal(add_number(b, 0, 2, 1000), BLM_OK);
    assert_int_equal(blm_builder_keys(b), 2); /* adds of members: the other list does not count */
    assert_true(blm_builder_memory(b) >= 64 * 24 + 64 * 16);
    assert_null(blm_builder_peek(b));
    OK(blm_build(&f, b, &why));
    assert_int_equal(shelf_out, 10);
    assert_int_equal(field(f, "rows"), 2);
    const blm_item it = blm_item_u64(f, 1, BLM_NO_ARG);
    uint64_t value = 0;
    assert_int_equal(blm_get_item(f, &it, &value), BLM_OK);
    assert_int_equal(value, 7);
    blm_free(f);
}

static void one_key_with_two_values(void **state)
{
    static const char *const either[] = {"shelf", "plate"};
    (void)state;
    for (size_t i = 0; i < COUNT(either); i++) {
        blm_builder *b = NULL;
        blm_filter *f = NULL;
        OK(blm_builder_new(&b, BLM_CONFIG(.kind = either[i]), &why));
        for (uint64_t key = 0; key < 50; key++) assert_int_equal(add_number(b, 0, key, 3), BLM_OK);
        assert_int_equal(add_number(b, 0, 25, 3), BLM_OK); /* again: no conflict */
        assert_int_equal(add_number(b, 0, 25, 4), BLM_OK);
        REFUSED(blm_build(&f, b, &why), BLM_E_CONFLICT, "two different values");
        assert_null(f);
    }
}

/* A kind that adds, with more than one hash and a value: rows first, then each of them in. */
static void rows_for_a_kind_that_adds(void **state)
{
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    (void)state;
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "plate", .seed = 5), &why));
    assert_null(blm_builder_peek(b));
    for (uint64_t key = 0; key < 80; key++)
        assert_int_equal(add_number(b, 0, key, key + 1), BLM_OK);
    OK(blm_build(&f, b, &why));
    check_shelf(f, 80);
    assert_int_equal(f->salt, 0);
    blm_free(f);
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "plate", .keys = 3),
                       &why)); /* straight in, until it is full */
    assert_non_null(blm_builder_peek(b));
    for (uint64_t key = 0; key < 3; key++) assert_int_equal(add_number(b, 0, key, 1), BLM_OK);
    assert_int_equal(add_number(b, 0, 3, 1), BLM_E_FULL);
    assert_int_equal(add_number(b, 0, 2, 1001), BLM_E_ARG);
    blm_builder_free(b);
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "shelf", .bits = 3 * 8 * ROW),
                       &why)); /* no add: rows */
    for (uint64_t key = 0; key < 3; key++) assert_int_equal(add_number(b, 0, key, 1), BLM_OK);
    OK(blm_build(&f, b, &why));
    assert_int_equal(field(f, "rows"), 3);
    blm_free(f);
}

static void building_without_memory(void **state)
{
    bool whole = false;
    (void)state;
    for (uint64_t refuse = 1; !whole; refuse++) {
        purse p = {.refuse_at = refuse};
        const blm_alloc a = {purse_get, purse_put, &p};
        blm_builder *b = NULL;
        blm_filter *f = NULL;
        shelf_fails = 2, shelf_error = BLM_OK;
        blm_err err =
            blm_builder_new(&b, BLM_CONFIG(.kind = "shelf", .seed = 5, .alloc = &a), &why);
        for (uint64_t i = 0; b && i < 200; i++)
            if (add_number(b, 0, i, i + 1)) assert_int_equal(add_number(b, 0, i, i + 1), BLM_OK);
        if (b) err = blm_build(&f, b, &why);
        assert_true(err == BLM_OK || err == BLM_E_NOMEM);
        if (err) assert_true(why.code == BLM_E_NOMEM && strstr(why.text, "no memory"));
        if (f) check_shelf(f, 200);
        assert_int_equal(f != NULL, err == BLM_OK);
        blm_free(f);
        assert_int_equal(p.held, 0);
        whole = p.calls < refuse;
    }
    shelf_fails = 0;
}

/* A kind that is built whole has no add, and says so. */
static void built_kinds_do_not_add(void **state)
{
    blm_filter *f = made("shelf keys=4");
    blm_kind_info k = {0};
    (void)state;
    assert_int_equal(blm_add(f, "x", 1), BLM_E_CANNOT);
    assert_false(blm_can(f, BLM_ADD));
    assert_true(blm_can(f, BLM_BUILD) && blm_can(f, BLM_GET));
    blm_free(f);
    assert_true(blm_kind_named("shelf", &k));
    assert_true(k.is_static && k.nlists == 1 && !k.misses && !k.integers);
    assert_string_equal(k.arg, "value");
}

/* Bytes are not kept: a kind that needs them must know its size before the first one comes. */
static void kinds_that_look_inside(void **state)
{
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_builder_new(&b, BLM_CONFIG(.kind = "book"), &why), BLM_E_ARG,
            "book reads the bytes of its keys");
    assert_null(b);
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "book", .keys = 10), &why));
    assert_int_equal(blm_builder_add(b, 0, "text", 4, BLM_NO_ARG), BLM_OK);
    OK(blm_build(&f, b, &why));
    assert_int_equal(field(f, "held"), 1);
    blm_free(f);
}

static void sizes_that_no_kind_has(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_make(&f, "plate bits=64b hashes=1", &why), BLM_E_ARG,
            "bits 64: the smallest plate with these settings has 192 bits");
    REFUSED(blm_new(&f, BLM_CONFIG(.kind = "plate", .keys = UINT64_C(1) << 55), &why), BLM_E_ARG,
            "864691128455135232 bytes: at most 2^57");
    assert_null(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_rows_are_sorted_and_single),
        cmocka_unit_test(one_hash_with_two_values_is_a_conflict),
        cmocka_unit_test(args_that_come_again_add_up_or_stay),
        cmocka_unit_test(salted_rows_are_resalted),
        cmocka_unit_test(all_orders_are_sorted),
        cmocka_unit_test(rows_without_memory),
        cmocka_unit_test(built_with_the_first_salt_that_works),
        cmocka_unit_test(no_salt_works),
        cmocka_unit_test(rows_of_two_lists),
        cmocka_unit_test(one_key_with_two_values),
        cmocka_unit_test(rows_for_a_kind_that_adds),
        cmocka_unit_test(building_without_memory),
        cmocka_unit_test(built_kinds_do_not_add),
        cmocka_unit_test(kinds_that_look_inside),
        cmocka_unit_test(sizes_that_no_kind_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

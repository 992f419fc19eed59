/* test_growing.c - kinds of many layers (parts/layers.h): layers that do not tell, layers of a forged image, limits. */
#include <bloomery/image.h>
#include "core/core_internal.h"
#include "core/unit.h"
#include "parts/layers.h"

enum { KEYS = 700 };

static blm_filter *grown(const char *spec)
{
    blm_filter *f = made(spec);
    for (uint64_t key = 0; key < KEYS; key++) OK(blm_add_u64(f, key));
    assert_true(f->nchild > 2);
    return f;
}

/* Whoever maps an image unchecked may meet layers of any kind. */
static void layers_that_do_not_tell(void **state)
{
    blm_filter *f = grown("scalable keys=100 fpr=1%");
    const blm_kind *own = f->child[0]->kind;
    blm_kind bare = *own;
    const blm_item it = blm_item_u64(f, 5, BLM_NO_ARG), other = blm_item_u64(f, KEYS + 5, 0);
    const uint64_t args[2] = {BLM_NO_ARG, BLM_NO_ARG};
    const blm_hash h[2] = {it.h, other.h};
    blm_touch at[64];
    uint8_t yes[2];
    (void)state;
    bare.touch = NULL, bare.fill = NULL, bare.lines = NULL, bare.keys = NULL;
    bare.has_many = NULL, bare.prefetch_many = NULL;
    const double told = blm_layers_fill(f), lines = blm_layers_lines(f);
    const size_t touched = blm_layers_touch(f, it.h, &it, at, 1);
    assert_true(touched > 1 && touched == blm_layers_touch(f, it.h, &it, at, COUNT(at)));
    for (uint32_t i = 0; i < f->nchild; i++) f->child[i]->kind = &bare;
    assert_int_equal(blm_layers_touch(f, it.h, &it, at, COUNT(at)), 0);
    assert_true(told > 0.2 && !(blm_layers_fill(f) > 0));
    assert_true(lines > f->nchild);
    NEAR(blm_layers_lines(f), (double)f->nchild, 1e-12);
    NEAR(blm_layers_keys_of(f, 0).value, (double)f->child[0]->adds, 1e-12);
    assert_true(blm_layers_has(f, it.h, &it) && !blm_layers_has(f, other.h, &other));
    blm_layers_prefetch_many(f, h, 2);
    blm_layers_has_many(f, h, NULL, 2, 0, yes);
    assert_true(yes[0] == 1 && yes[1] == 0);
    blm_child_has_many(f, 0, h, args, 2, 0, yes);
    assert_true(yes[0] == 1 && yes[1] == 0);
    for (uint32_t i = 0; i < f->nchild; i++) f->child[i]->kind = own;
    blm_free(f);
}

static void no_layers(void **state)
{
    blm_filter *f = grown("scalable keys=100 fpr=1%");
    const blm_item it = blm_item_u64(f, 5, BLM_NO_ARG);
    const uint16_t n = f->nchild;
    uint8_t yes = 7;
    (void)state;
    assert_true(blm_inner(f, n - 1u) && !blm_inner(f, n));
    assert_int_equal(blm_inner_item(f, n, &it).h.lo, it.h.lo);
    assert_int_not_equal(blm_inner_item(f, 0, &it).h.lo, it.h.lo);
    f->nchild = 0;
    blm_layers_prefetch_many(f, &it.h, 1);
    blm_layers_has_many(f, &it.h, NULL, 1, 0, &yes);
    assert_true(!blm_layers_has(f, it.h, &it) && yes == 0);
    assert_int_equal(blm_layers_room(f), f->capacity);
    assert_true(!(blm_layers_fill(f) > 0) && !(blm_layers_lines(f) > 0));
    assert_int_equal(f->kind->check(f, &why), BLM_E_IMAGE);
    f->nchild = n;
    OK(f->kind->check(f, &why));
    blm_free(f);
}

/* A filter lists at most 65535: no list is made longer. */
static void too_many_children(void **state)
{
    blm_filter *f = grown("dynamic keys=100 fpr=1%"), *g = grown("dynamic keys=100 fpr=1%");
    const uint16_t n = f->nchild;
    (void)state;
    f->nchild = UINT16_MAX;
    REFUSED(blm_child(f, BLM_CONFIG(.kind = "standard", .keys = 10), 0, &why), BLM_E_FULL,
            "65535 children");
    REFUSED(blm_children(f, 1, NULL, &why), BLM_E_FULL, "65535 children");
    REFUSED(blm_child_copies(f, g, 0, &why), BLM_E_FULL, "65535 children");
    f->nchild = n;
    OK(blm_child_copies(f, g, g->nchild, &why));
    assert_int_equal(f->nchild, n);
    blm_free(f), blm_free(g);
}

/* One number of a layer, or of the filter, is not what the kind would have made. */
static void forged(blm_filter *f, uint64_t *number)
{
    const uint64_t was = *number;
    *number = was + 1;
    assert_int_equal(f->kind->check(f, &why), BLM_E_IMAGE);
    *number = was;
    OK(f->kind->check(f, &why));
}

static void forged_layers_are_refused(void **state)
{
    static const char *const specs[] = {
        "scalable keys=100 fpr=1%", "scalable keys=100 fpr=1% inner=blocked",
        "dynamic keys=100 fpr=1%", "dynamic keys=100 fpr=1% inner=standard"};
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        blm_filter *f = grown(specs[s]), *layer = f->child[1], *other = made("two-choice keys=9");
        forged(f, &layer->salt);
        forged(f, &layer->capacity);
        for (size_t d = 0; d < 2; d++) { /* cells, hashes */
            const blm_field *field = &layer->kind->fields[d];
            const uint64_t was = blm_field_get(layer, field);
            blm_field_set(layer, field, was + 1);
            assert_int_equal(f->kind->check(f, &why), BLM_E_IMAGE);
            blm_field_set(layer, field, was);
        }
        f->child[1] = other;
        assert_int_equal(f->kind->check(f, &why), BLM_E_IMAGE);
        f->child[1] = layer;
        OK(f->kind->check(f, &why));
        blm_free(f), blm_free(other);
    }
}

/* Rates, lines and shares are functions of the number of keys alone, up to the largest number. */
static void any_number_of_keys(void **state)
{
    static const char *const specs[] = {"dynamic keys=100 fpr=1%",
                                        "dynamic keys=100 fpr=1% inner=standard",
                                        "scalable keys=100 fpr=1%"};
    static const uint64_t keys[] = {0, 1, 99, 100, 101, 199, 200, 250, 1000000, UINT64_C(1) << 40};
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        blm_filter *f = made(specs[s]);
        double rate = 0, lines = 0, share = 1;
        uint64_t bytes = 0;
        for (size_t i = 0; i < COUNT(keys); i++) {
            const blm_case c = {.keys = keys[i], .arg = BLM_NO_ARG};
            const double p = f->kind->fpr(f, &c).high, l = f->kind->lines(f, &c);
            const double d = f->kind->deletes ? f->kind->deletes(f, &c) : 1;
            const uint64_t b = f->kind->bytes_at(f, keys[i]);
            assert_true(p >= rate && p <= 1 && l >= lines && d <= share && d >= 0 && b >= bytes);
            rate = p, lines = l, share = d, bytes = b;
        }
        assert_true(rate > 0 && lines > 1 && bytes > 0);
        blm_free(f);
    }
    blm_filter *one = made("dynamic keys=1 fpr=1%");
    assert_int_equal(one->kind->bytes_at(one, UINT64_C(1) << 56), UINT64_C(1) << 57);
    blm_field_set(one, &one->kind->fields[0], UINT64_C(1) << 59); /* cells of counters */
    uint64_t bytes;
    REFUSED(one->kind->shape(one, &bytes, &why), BLM_E_ARG, "2^58");
    blm_free(one);
}

/* A layer of ones says maybe to everything: nobody knows how many keys it has, and no delete is sure. */
static void a_layer_of_ones(void **state)
{
    static const char *const specs[] = {"scalable keys=100 fpr=1%",
                                        "dynamic keys=100 fpr=1% inner=standard"};
    (void)state;
    for (size_t s = 0; s < COUNT(specs); s++) {
        blm_filter *f = grown(specs[s]), *layer = f->child[1];
        const blm_item it = blm_item_u64(f, 12345678, BLM_NO_ARG);
        blm_estimate n;
        OK(f->kind->keys(f, &n));
        assert_true(!n.bound && !blm_has_item(f, &it));
        memset(layer->cells, 255, (size_t)layer->bytes);
        for (size_t d = 0; d < layer->kind->nfields; d++)
            if (strcmp(layer->kind->fields[d].name, "ones") == 0)
                blm_field_set(layer, &layer->kind->fields[d],
                              blm_field_get(layer, &layer->kind->fields[0]) *
                                  (s ? 1 : blm_field_get(layer, &layer->kind->fields[1])));
        OK(f->kind->keys(f, &n));
        assert_true(n.bound && blm_has_item(f, &it));
        NEAR(f->kind->fpr(f, NULL).high, 1.0, 1e-12);
        assert_true(!f->kind->deletes || f->kind->deletes(f, NULL) < 0.5);
        blm_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_that_do_not_tell),   cmocka_unit_test(no_layers),
        cmocka_unit_test(a_layer_of_ones),           cmocka_unit_test(too_many_children),
        cmocka_unit_test(forged_layers_are_refused), cmocka_unit_test(any_number_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_info.c - what filters and kinds say of themselves; names of codes, abilities and promises. */
#include "core/unit.h"
#include "core/core_internal.h"

/* ---- one filter ---------------------------------------------------------------------------------------- */

static void info_of_a_filter(void **state)
{
    blm_filter *f = made("counting keys=1000 fpr=1% width=8 seed=77");
    (void)state;
    add_run(f, 0, 500);
    const blm_info i = info_of(f);
    assert_string_equal(i.kind, "counting");
    assert_string_equal(i.group, "counting");
    assert_string_equal(i.hash, "xxh3-64");
    assert_string_equal(i.note, "");
    assert_true(i.version == 1 && i.format == 1 && i.seed == 77 && i.capacity == 1000);
    assert_true(i.adds == 500 && i.bytes == 9600 && i.bits == 76800 && i.hashes == 7 && i.now == 0);
    assert_int_equal(i.can, BLM_ADD | BLM_DEL | BLM_COUNT | BLM_MERGE | BLM_CARDINALITY);
    assert_int_equal(i.promises,
                     BLM_NO_MISS | BLM_NEVER_LOW | BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT);
    assert_true(i.lost == 0 && i.children == 0 && i.fpr_target == 0.01);
    assert_true(i.fill == (double)field(f, "used") / 9595);
    NEAR(i.fpr_now.high, pow(i.fill, 7), 1e-12);
    WITHIN(i.keys.value, 500, 4 * blm_keys_sd(9595, 7, 500));
    assert_false(i.keyed || i.mapped || i.overfill);
    blm_free(f);
}

static void fields_of_a_filter(void **state)
{
    blm_filter *f = made("standard bits=4096b hashes=5 keys=10");
    blm_field_info d;
    (void)state;
    add_run(f, 0, 10);
    assert_true(blm_field_at(f, 0, &d));
    assert_string_equal(d.name, "cells");
    assert_true(d.value == 4096 && d.width == 8 && !d.state && d.min == 1 &&
                d.max == UINT64_C(1) << 60);
    assert_true(blm_field_at(f, 1, &d));
    assert_string_equal(d.name, "hashes");
    assert_true(d.value == 5 && d.width == 1 && d.max == 64 && strlen(d.doc) > 0);
    assert_true(blm_field_at(f, 2, &d));
    assert_string_equal(d.name, "ones");
    assert_true(d.state && d.value > 40 && d.value <= 50);
    assert_false(blm_field_at(f, 3, &d));
    assert_true(blm_kind_field_at("standard", 2, &d));
    assert_true(d.state && d.value == 0);
    assert_false(blm_kind_field_at("standard", 3, &d));
    assert_false(blm_kind_field_at("no such kind", 0, &d));
    uint64_t v = 7;
    assert_true(blm_field_named(f, "hashes", &v));
    assert_int_equal(v, 5);
    assert_false(blm_field_named(f, "hash", &v));
    assert_int_equal(v, 5);
    blm_free(f);
}

/* Every width of a field, through the table. */
typedef struct widths {
    blm_filter base;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
} widths;
static const blm_field width_fields[] = {
    BLM_FIELD(widths, one, BLM_F_SHAPE, 1, 200, ""),
    BLM_FIELD(widths, two, BLM_F_SHAPE, 1, 60000, ""),
    BLM_FIELD(widths, four, BLM_F_SHAPE, 1, 4000000000u, ""),
    BLM_FIELD(widths, eight, BLM_F_STATE, 1, UINT64_MAX - 1, ""),
};
static const blm_kind width_kind = {.name = "widths",
                                    .size = sizeof(widths),
                                    .fields = width_fields,
                                    .nfields = COUNT(width_fields)};

static void fields_of_every_width(void **state)
{
    static const uint64_t high[] = {200, 60000, 4000000000u, UINT64_MAX - 1};
    widths w = {.base = {.kind = &width_kind}};
    (void)state;
    for (size_t i = 0; i < COUNT(high); i++) blm_field_set(&w.base, &width_fields[i], high[i]);
    assert_true(w.one == 200 && w.two == 60000 && w.four == 4000000000u &&
                w.eight == UINT64_MAX - 1);
    for (size_t i = 0; i < COUNT(high); i++)
        assert_true(blm_field_get(&w.base, &width_fields[i]) == high[i]);
    OK(blm_fields_check(&w.base, &why));
    for (size_t i = 0; i < COUNT(high); i++) {
        blm_field_set(&w.base, &width_fields[i], high[i] + 1);
        REFUSED(blm_fields_check(&w.base, &why), BLM_E_ARG, width_fields[i].name);
        SAYS("must be between 1 and");
        blm_field_set(&w.base, &width_fields[i], 0);
        REFUSED(blm_fields_check(&w.base, &why), BLM_E_ARG, width_fields[i].name);
        blm_field_set(&w.base, &width_fields[i], 1);
        OK(blm_fields_check(&w.base, &why));
    }
}

/* A kind without numbers of its own: what core knows is said, and no more. */
static blm_rate no_rate(const blm_filter *f, const blm_case *c)
{
    (void)f, (void)c;
    return (blm_rate){0.25, 0.25, 0};
}
static const blm_kind bare_kind = {
    .name = "bare", .group = "own", .version = 1, .size = sizeof(blm_filter), .fpr = no_rate};

static void info_of_a_bare_kind(void **state)
{
    blm_filter f = {.kind = &bare_kind, .adds = 9, .capacity = 10, .target = 0.1};
    (void)state;
    const blm_info i = info_of(&f);
    assert_true(i.fill == -1 && i.hashes == 0 && i.version == 1);
    assert_true(i.keys.value == 9 && i.keys.low == 0 && i.keys.high == 9 && !i.keys.bound);
    assert_true(i.fpr_now.high == 0.25);
    assert_string_equal(i.hash, "sip24-128"); /* no hasher: opened without its secret */
    blm_estimate n;
    assert_int_equal(blm_cardinality(&f, &n), BLM_E_CANNOT);
    const blm_item it = {{1, 2}, NULL, 8, BLM_NO_ARG};
    assert_int_equal(blm_touched(&f, &it, NULL, 0), 0);
}

/* ---- kinds ---------------------------------------------------------------------------------------------- */

static void kinds_are_listed(void **state)
{
    static const char *const names[] = {
#define BLM_KIND(name) #name,
#include "kinds/kinds.def"
#undef BLM_KIND
    };
    blm_kind_info k = {0}, again = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char name[40];
        snprintf(name, sizeof name, "%s", names[i]);
        for (char *c = name; *c; c++) *c = *c == '_' ? '-' : *c;
        assert_true(blm_kind_at(i, &k));
        assert_string_equal(k.name, name);
        assert_true(blm_kind_named(name, &again));
        assert_true(k.can == again.can && k.promises == again.promises);
        const bool newer = strcmp(k.name, "counting") == 0 || strcmp(k.name, "spectral") == 0;
        assert_int_equal(k.version, newer ? 2 : 1);
        const bool retouched = strcmp(k.name, "retouched") == 0;
        const bool fixed = strcmp(k.group, "fixed") == 0;
        assert_true(k.is_static == (fixed || strcmp(k.name, "hash-choice") == 0) && !k.integers);
        const bool forgets = k.clock != 0; /* keys leave by themselves */
        assert_true(k.misses == (forgets || retouched || strcmp(k.name, "generalized") == 0));
        assert_int_equal(k.nlists, strcmp(k.name, "popularity") == 0 ? 2 : retouched);
        assert_int_equal(forgets,
                         strcmp(k.group, "streams") == 0 || strcmp(k.name, "state-machine") == 0);
        assert_true(fixed == !(k.can & BLM_ADD) && forgets == !(k.promises & BLM_NO_MISS));
    }
    assert_false(blm_kind_at(COUNT(names), &k));
    assert_false(blm_kind_named("standar", &k));
    assert_false(blm_kind_named("standards", &k));
    assert_false(blm_kind_named("", &k));
    assert_true(blm_kind_named("standard", &k));
    assert_int_equal(k.can, BLM_ADD | BLM_MERGE | BLM_INTERSECT | BLM_FOLD | BLM_CARDINALITY |
                                BLM_OVERLAP | BLM_SHARED);
    assert_int_equal(k.promises, BLM_NO_MISS | BLM_ANY_ORDER | BLM_IDEMPOTENT | BLM_MERGE_EXACT |
                                     BLM_FOLD_EXACT);
}

static void knobs_are_listed(void **state)
{
    blm_knobdef d = {0};
    (void)state;
    assert_true(blm_knob_at("counting", 0, &d));
    assert_string_equal(d.name, "width");
    assert_true(d.type == BLM_K_NUMBER && d.def == 4 && d.min == 2 && d.max == 16);
    assert_true(blm_knob_at("counting", 1, &d));
    assert_string_equal(d.name, "layout");
    assert_string_equal(d.words, "spread|line");
    assert_true(d.type == BLM_K_WORD && d.def == 0);
    assert_false(blm_knob_at("counting", 2, &d));
    assert_false(blm_knob_at("standard", 0, &d));
    assert_false(blm_knob_at("no such kind", 0, &d));
}

/* Each pointer of the table is one ability, and no other. */
static void abilities_are_pointers(void **state)
{
    const blm_kind none = {.name = "none"};
    (void)state;
    assert_int_equal(blm_kind_can(&none), 0);
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof(blm_kind) / sizeof(void (*)(void)); i++) {
        blm_kind k;
        const uintptr_t some = 1;
        memset(&k, 0, sizeof k);
        memcpy((char *)&k + i * sizeof some, &some, sizeof some);
        const uint32_t can = blm_kind_can(&k);
        assert_int_equal(can & (can - 1), 0);
        assert_int_equal(seen & can & ~(unsigned)BLM_BUILD, 0); /* build, or parts */
        seen |= can;
    }
    assert_int_equal(seen, (1 << 22) - 1);
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static void codes_have_words(void **state)
{
    static const struct {
        int code;
        const char *word;
    } table[] = {{0, "success"},    {1, "range"}, {2, "memory"},   {3, "capacity"}, {4, "cannot"},
                 {5, "not in the"}, {6, "image"}, {7, "newer"},    {8, "combined"}, {9, "tell"},
                 {10, "two"},       {11, "seed"}, {12, "time"},    {13, "secret"},  {14, "input"},
                 {15, "read-only"}, {16, "full"}, {17, "unknown"}, {-1, "unknown"}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++)
        assert_non_null(strstr(blm_strerror((blm_err)table[i].code), table[i].word));
    assert_true(BLM_E_ARG == 1 && BLM_E_POLLUTED == 16); /* they cross wires */
}

static void abilities_and_promises_have_names(void **state)
{
    (void)state;
    assert_string_equal(blm_ability_name(BLM_ADD), "add");
    assert_string_equal(blm_ability_name(BLM_COUNT_ALL), "count_all");
    assert_string_equal(blm_ability_name(BLM_DENY), "deny");
    assert_string_equal(blm_ability_name(BLM_INTERSECT), "intersect");
    assert_string_equal(blm_ability_name(BLM_OVERLAP), "overlap");
    assert_null(blm_ability_name((blm_ability)(1 << 22)));
    assert_null(blm_ability_name((blm_ability)0));
    assert_null(blm_ability_name((blm_ability)3));
    assert_string_equal(blm_clock_name(BLM_CLOCK_ARRIVALS), "arrivals");
    assert_string_equal(blm_clock_name(BLM_CLOCK_MS), "ms");
    assert_string_equal(blm_clock_name(BLM_CLOCK_STEPS), "steps");
    assert_null(blm_clock_name((blm_clock)(1 << 3)));
    assert_null(blm_clock_name((blm_clock)3));
    assert_string_equal(blm_promise_name(BLM_NO_MISS), "no_miss");
    assert_string_equal(blm_promise_name(BLM_DEL_EXACT), "del_exact");
    assert_null(blm_promise_name((blm_promise)(1 << 8)));
    assert_null(blm_promise_name((blm_promise)0));
    assert_null(blm_promise_name((blm_promise)5));
    for (unsigned i = 0; i < 22; i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(blm_ability_name((blm_ability)(1 << i)),
                                    blm_ability_name((blm_ability)(1 << j)));
}

static void version_is_the_headers(void **state)
{
    char text[32];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", BLM_VERSION_MAJOR, BLM_VERSION_MINOR,
             BLM_VERSION_PATCH);
    assert_string_equal(blm_version(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_of_a_filter),
        cmocka_unit_test(fields_of_a_filter),
        cmocka_unit_test(fields_of_every_width),
        cmocka_unit_test(info_of_a_bare_kind),
        cmocka_unit_test(kinds_are_listed),
        cmocka_unit_test(knobs_are_listed),
        cmocka_unit_test(abilities_are_pointers),
        cmocka_unit_test(codes_have_words),
        cmocka_unit_test(abilities_and_promises_have_names),
        cmocka_unit_test(version_is_the_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

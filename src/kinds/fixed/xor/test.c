/* test.c - xor: the sizes and the luck of the paper, all widths, shards, and the places of the public library. */
#include "kinds/fixed.h"
#include "oracles.h"

/* ---- figures of the paper ------------------------------------------------------------------------- */

static void cells_of_one_shard(void **state)
{
    static const struct {
        double keys, cells;
    } table[] = {{1, 33}, {10, 42}, {100, 153}, {1e3, 1260}, {1e4, 12330}, {1e6, 1230030}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[100], what[80];
        snprintf(spec, sizeof spec, "xor keys=%.0f width=1 shards=1", table[i].keys);
        blm_filter *f = made(spec);
        snprintf(what, sizeof what, "n=%g: cells", table[i].keys);
        ORACLE_NEAR("3.B1", what, table[i].cells, 0, 3 * (double)field(f, "block"));
        blm_free(f);
    }
}

static void luck_of_the_first_seed(void **state)
{
    static const struct {
        unsigned keys, trials;
        double paper;
    } table[] = {
        {10, 1000, 0.98}, {100, 1000, 0.95}, {1000, 500, 0.90}, {10000, 100, 0.90}, {100000, 8, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char what[80];
        const double p = table[i].paper, sd = sqrt(p * (1 - p) / table[i].trials);
        const luck l = luck_of("xor", "", table[i].keys, table[i].trials);
        snprintf(what, sizeof what, "n=%u: built with the first seed", table[i].keys);
        ORACLE_BETWEEN("3.B1", what, p, p - 3 * sd, p + 5 * sd, l.first);
    }
}

static void rates(void **state)
{
    static const char *const settings[] = {"width=8 shards=3", "width=3", "width=11 shards=40",
                                           "width=17", "width=16 shards=2"};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        blm_filter *f = built_new("xor", settings[i], 100000, i + 1);
        check_rate(f, 1000000, i);
        blm_free(f);
    }
    blm_filter *f = built_new("xor", "width=8", 100000, 9);
    const uint64_t hits = found_of(f, 1000000, 9);
    ORACLE_BETWEEN("3.B1", "width 8: positives of 10^6", 3906, 3594, 4218, (double)hits);
    blm_free(f);
}

/* ---- every set can be built ------------------------------------------------------------------------ */

static void small_sets(void **state)
{
    (void)state;
    for (uint64_t n = 0; n <= 1000; n += n < 100 ? 1 : 9)
        for (uint64_t seed = 1; seed <= 5; seed++) blm_free(built_new("xor", "width=8", n, seed));
}

static void no_seed_will_do(void **state)
{
    purse p = {0, 0, 0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &p};
    blm_filter *f = made_new(BLM_CONFIG(.kind = "xor", .keys = 100, .alloc = &alloc));
    const uint64_t block = field(f, "block");
    (void)state;
    check_no_seed(f, &p);
    assert_true(field(f, "block") >= block + 16 * (block / 32 + 1));
    blm_free(f);
    assert_int_equal(p.held, 0);
}

/* A set that fits with longer blocks only is built, and the fields say so. */
static void blocks_get_longer(void **state)
{
    uint64_t *lo = drawn(1000, 1);
    (void)state;
    blm_filter *f = made("xor keys=1000 width=8");
    set_field(f, "block", 390); /* 1.17 cells per key: too few */
    blm_put_back(&f->alloc, f->cells, f->bytes);
    f->cells = NULL;
    f->bytes = 0;
    OK(blm_furnish(f, &why));
    build_until(f, lo, 1000);
    assert_true(field(f, "widened") >= 1 && field(f, "block") >= 390 + 13);
    check_rate(f, 100000, 1);
    blm_free(f);
    free(lo);
}

static void widths(void **state)
{
    (void)state;
    check_widths("xor", "");
    check_widths("xor", "shards=5");
}

/* ---- where cells are ------------------------------------------------------------------------------------ */

/* The rule of the public library, written apart: 8 bits, one shard. */
static bool asks(const blm_filter *f, uint64_t lo)
{
    const uint64_t block = field(f, "block");
    uint64_t h = lo + blm_le64(f->cells), v = 0;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    h ^= h >> 33;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t turned = i ? h << 21 * i | h >> (64 - 21 * i) : h;
        v ^= f->cells[8 + i * block + ((turned & UINT32_MAX) * block >> 32)];
    }
    return v == ((h ^ h >> 32) & 255);
}

static void places_are_those_of_the_library(void **nothing)
{
    blm_filter *f = built_new("xor", "width=8", 3000, 4);
    uint64_t state = 8, yes = 0;
    (void)nothing;
    for (unsigned q = 0; q < 20000; q++) {
        const uint64_t lo = draw(&state);
        const bool has = f->kind->has(f, (blm_hash){lo, 0}, NULL);
        assert_int_equal(has, asks(f, lo));
        yes += has;
    }
    assert_true(yes > 0);
    blm_free(f);
}

/* ---- odd fields ------------------------------------------------------------------------------------------- */

static void none(void **state)
{
    (void)state;
    check_none("xor");
}

static void fewer_than_planned(void **state)
{
    (void)state;
    check_fewer("xor");
}

static void tails(void **state)
{
    (void)state;
    check_tail("xor", "width=3 shards=2");
}

static void refusals(void **state)
{
    uint64_t bytes;
    (void)state;
    check_refusals("xor");
    blm_filter *f = made("xor keys=100");
    const uint64_t block = field(f, "block");
    set_field(f, "members", 3 * block + 1);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "more than there are cells");
    set_field(f, "members", 0);
    set_field(f, "block", UINT64_C(1) << 31);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "at most 2^32");
    set_field(f, "block", block);
    OK(f->kind->shape(f, &bytes, &why));
    blm_free(f);
}

static void memory(void **state)
{
    (void)state;
    check_memory("xor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_one_shard),
        cmocka_unit_test(luck_of_the_first_seed),
        cmocka_unit_test(rates),
        cmocka_unit_test(small_sets),
        cmocka_unit_test(no_seed_will_do),
        cmocka_unit_test(blocks_get_longer),
        cmocka_unit_test(widths),
        cmocka_unit_test(places_are_those_of_the_library),
        cmocka_unit_test(none),
        cmocka_unit_test(fewer_than_planned),
        cmocka_unit_test(tails),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test.c - fuse: the sizes and the luck of the paper, every number of keys, all widths, shards, batches. */
#include "lanes.h"

#include "kinds/fixed.h"
#include "oracles.h"

static uint64_t cells_of(const blm_filter *f)
{
    return (field(f, "segments") + field(f, "arity") - 1) << field(f, "segment");
}

/* ---- figures of the paper ------------------------------------------------------------------------- */

static void cells_of_one_shard(void **state)
{
    static const struct {
        unsigned arity, length, cells;
        double keys;
    } table[] = {{3, 4, 12, 1},
                 {3, 16, 48, 10},
                 {3, 64, 192, 100},
                 {3, 128, 1408, 1e3},
                 {3, 512, 12800, 1e4},
                 {3, 2048, 118784, 1e5},
                 {3, 8192, 1130496, 1e6},
                 {3, 32768, 11272192, 1e7},
                 {3, 131072, 112590848, 1e8},
                 {4, 8, 168, 100},
                 {4, 32, 1376, 1e3},
                 {4, 256, 12288, 1e4},
                 {4, 1024, 112640, 1e5},
                 {4, 4096, 1077248, 1e6},
                 {4, 16384, 10764288, 1e7},
                 {4, 65536, 107544576, 1e8}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[100], what[80];
        snprintf(spec, sizeof spec, "fuse keys=%.0f width=1 shards=1 arity=%u", table[i].keys,
                 table[i].arity);
        blm_filter *f = made(spec);
        assert_int_equal(UINT64_C(1) << field(f, "segment"), table[i].length);
        snprintf(what, sizeof what, "%u cells per key, n=%g: cells", table[i].arity, table[i].keys);
        ORACLE_NEAR("3.B2", what, table[i].cells, 0, (double)cells_of(f));
        blm_free(f);
    }
}

static void bits_per_key(void **state)
{
    static const struct {
        const char *spec, *what;
        double keys, bits;
    } table[] = {
        {"fuse keys=1e6 fpr=0.390625%", "3 cells, 2^-8, n=1e6: bits per key", 1e6, 9.07},
        {"fuse keys=1e7 fpr=0.390625%", "3 cells, 2^-8, n=1e7: bits per key", 1e7, 9.07},
        {"fuse keys=1e6 fpr=0.390625% arity=4", "4 cells, 2^-8, n=1e6: bits per key", 1e6, 8.68},
        {"fuse keys=1e7 fpr=0.390625% arity=4", "4 cells, 2^-8, n=1e7: bits per key", 1e7, 8.68}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = made(table[i].spec);
        assert_int_equal(field(f, "width"), 8);
        ORACLE_AT_MOST("3.B2", table[i].what, table[i].bits,
                       (double)info_of(f).bytes * 8 / table[i].keys);
        blm_free(f);
    }
}

/* The share of sets that are built with the first seed: the paper's less 3 sigma. */
static void luck_of_the_first_seed(void **state)
{
    static const struct {
        const char *settings;
        unsigned keys, trials;
        double paper;
    } table[] = {{"arity=3", 10, 1000, 0.94},   {"arity=3", 100, 1000, 0.94},
                 {"arity=3", 500, 500, 0.94},   {"arity=3", 1000, 500, 0.975},
                 {"arity=3", 10000, 100, 0.99}, {"arity=4", 100, 1000, 0.84},
                 {"arity=4", 1000, 500, 0.92},  {"arity=4", 10000, 50, 0.99}};
    double seeds = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char what[80];
        const double p = table[i].paper, sd = sqrt(p * (1 - p) / table[i].trials);
        const luck l = luck_of("fuse", table[i].settings, table[i].keys, table[i].trials);
        snprintf(what, sizeof what, "%s n=%u: built with the first seed", table[i].settings,
                 table[i].keys);
        ORACLE_BETWEEN("3.B2", what, p, p - 3 * sd, 1, l.first);
        seeds += l.mean / COUNT(table);
    }
    ORACLE_AT_MOST("3.B2", "seeds per set, on average over these sizes", 1.3, seeds);
}

/* ---- every set can be built ------------------------------------------------------------------------ */

/* --deep: tools/deep's range, and another 200 seeds where the segments become longer. */
static bool deep;

/* Sets of first to last keys with so many seeds; returns how many had to be widened. */
static unsigned build_all(uint64_t first, uint64_t last, uint64_t seeds)
{
    unsigned widened = 0;
    for (uint64_t n = first; n <= last; n++)
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            if (TEST_SLOW && (n + seed) % 40) continue;
            blm_filter *f = built_new("fuse", "width=8", n, seed);
            widened += field(f, "widened") > 0;
            assert_true(field(f, "widened") <= 2);
            blm_free(f);
        }
    return widened;
}

/* At 11,500 keys segments become longer: few of them are left, and of 100 sets 20 to 40 fail without another one. */
static void every_number_of_keys(void **state)
{
    (void)state;
    build_all(0, deep ? 20000 : 2000, 5);
    assert_true(build_all(11400, 11600, deep ? 200 : 5) > (TEST_SLOW ? 1 : 100));
}

static void no_seed_will_do(void **state)
{
    purse p = {0, 0, 0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &p};
    (void)state;
    for (unsigned arity = 3; arity <= 4; arity++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "fuse", .keys = 100, .alloc = &alloc,
                                            .with = arity == 3 ? "arity=3" : "arity=4"));
        check_no_seed(f, &p);
        assert_true(field(f, "segments") > 16);
        blm_free(f);
        assert_int_equal(p.held, 0);
    }
}

/* More keys in one cell than its count holds: no seed, and no wrong answer. */
static void cells_overflow(void **state)
{
    uint64_t *lo = drawn(5000, 1);
    blm_filter *f = made("fuse keys=10 width=8");
    const blm_rows rows = {lo, NULL, NULL, 5000};
    (void)state;
    REFUSED(f->kind->build_part(f, 0, &rows, &why), BLM_E_BUILD, "5000 keys");
    blm_free(f);
    free(lo);
}

/* The whole build, hashes included, with one thread: 20 bytes per key at most where there are some shards. */
static void memory_of_a_build(void **state)
{
    enum { KEYS = TEST_SLOW ? 50000 : 500000 };
    purse p = {0, 0, 0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &p};
    blm_filter *f = made_new(
        BLM_CONFIG(.kind = "fuse", .keys = KEYS, .with = "width=8,shards=5", .alloc = &alloc));
    uint64_t *lo = drawn(KEYS, 1);
    (void)state;
    p.max = p.held;
    OK(build_all_parts(f, lo, KEYS));
    assert_true((double)p.max + 8.0 * KEYS <= 20.0 * KEYS);
    blm_free(f);
    free(lo);
    assert_int_equal(p.held, 0);
}

/* ---- rates ---------------------------------------------------------------------------------------------- */

static void rates(void **state)
{
    static const char *const settings[] = {
        "width=8", "width=8 shards=3",   "width=8 arity=4", "width=8 shards=7 arity=4",
        "width=3", "width=11 shards=40", "width=17",        "width=16 shards=2"};
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        blm_filter *f = built_new("fuse", settings[i], TEST_SLOW ? 5000 : 100000, i + 1);
        check_rate(f, TEST_SLOW ? 100000 : 2000000, i);
        blm_free(f);
    }
    blm_filter *f = built_new("fuse", "width=8", 100000, 9);
    const uint64_t asked = 1000000, hits = found_of(f, asked, 9);
    ORACLE_BETWEEN("3.B2", "width 8: positives of 10^6", 3906, 3906 - 312, 3906 + 312,
                   (double)hits);
    blm_free(f);
}

static void widths(void **state)
{
    (void)state;
    check_widths("fuse", "");
    check_widths("fuse", "arity=4 shards=5");
}

/* fpr chooses the smallest width that keeps it. */
static void widths_by_rate(void **state)
{
    static const struct {
        const char *fpr;
        unsigned width;
    } table[] = {{"60%", 1},       {"50%", 1},     {"49.9%", 2}, {"1%", 7},
                 {"0.390625%", 8}, {"0.39%", 9},   {"0.1%", 10}, {"1.52587890625e-5", 16},
                 {"1e-6", 20},     {"2.4e-10", 32}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[60];
        snprintf(spec, sizeof spec, "fuse keys=1000 fpr=%s", table[i].fpr);
        blm_filter *f = made(spec);
        assert_int_equal(field(f, "width"), table[i].width);
        blm_free(f);
    }
}

/* ---- where cells are ------------------------------------------------------------------------------------ */

static uint64_t bits_at(const blm_filter *f, uint64_t from, uint64_t n)
{
    uint64_t v = 0;
    for (uint64_t i = 0; i < n; i++)
        v |= (uint64_t)(f->cells[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return v;
}

/* The rule of the public library, written apart, in any shard. */
static bool asks(const blm_filter *f, uint64_t lo)
{
    const uint64_t w = field(f, "width"), l = UINT64_C(1) << field(f, "segment"),
                   shards = field(f, "shards"), shard = blm_mul(lo, shards).hi,
                   begin = 64 * shards + shard * ((cells_of(f) * w + 63) / 64 * 64);
    uint64_t h = lo + bits_at(f, 64 * shard, 64), v = 0;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    h ^= h >> 33;
    const uint64_t first = blm_mul(h, field(f, "segments") * l).hi;
    const uint64_t at[3] = {first, (first + l) ^ (h >> 18 & (l - 1)),
                            (first + 2 * l) ^ (h & (l - 1))};
    for (size_t i = 0; i < 3; i++) v ^= bits_at(f, begin + at[i] * w, w);
    return v == ((h ^ h >> 32) & ((UINT64_C(1) << w) - 1));
}

static void places_are_those_of_the_library(void **nothing)
{
    static const char *const settings[] = {"width=8", "width=16", "width=5 shards=3"};
    (void)nothing;
    for (size_t i = 0; i < COUNT(settings); i++) {
        blm_filter *f = built_new("fuse", settings[i], 3000, 4);
        uint64_t state = 8, yes = 0;
        for (unsigned q = 0; q < 20000; q++) {
            const uint64_t lo = draw(&state);
            const bool has = f->kind->has(f, (blm_hash){lo, 0}, NULL);
            assert_int_equal(has, asks(f, lo));
            yes += has;
        }
        assert_true(yes > 0 || i == 1);
        blm_free(f);
    }
}

/* The vector row finds what the plain one does, for any number of keys. */
static void lanes_find_the_same(void **nothing)
{
    uint64_t state = 5;
    (void)nothing;
    for (unsigned round = 0; round < 400; round++) {
        char spec[100];
        blm_hash h[BLM_XORED_STAGE];
        blm_xored_stage a, b;
        const uint64_t r = draw(&state);
        snprintf(spec, sizeof spec, "fuse keys=%u width=%u shards=%u arity=%u",
                 (unsigned)(1 + (r >> 8) % (1u << (r % 20))), (unsigned)(1 + (r >> 32) % 32),
                 (unsigned)(1 + (r >> 40) % 4), (unsigned)(3 + (r >> 50) % 2));
        blm_filter *f = made(spec);
        const blm_xored *s = (const blm_xored *)f;
        f->salt = r >> 60;
        for (uint64_t i = 0; i < 8 * s->shards; i++) f->cells[i] = (uint8_t)draw(&state);
        const size_t n = 1 + r % BLM_XORED_STAGE;
        for (size_t i = 0; i < n; i++) h[i] = (blm_hash){draw(&state), 1};
        blm_fuse_find(s, h, n, &a);
        if (blm_fuse_avx512_fits(s))
            blm_fuse_find_avx512(s, h, n, &b);
        else
            b = a;
        assert_memory_equal(a.print, b.print, n * sizeof *a.print);
        for (unsigned j = 0; j < s->arity; j++) {
            assert_memory_equal(a.at[j], b.at[j], n * sizeof *a.print);
            if (!blm_xored_is_even(s->width))
                assert_memory_equal(a.shift[j], b.shift[j], n * sizeof *a.print);
        }
        blm_free(f);
    }
}

/* Large enough to be fetched ahead, with huge bytes beyond the second cache: the same answers. */
static void batches_of_large_filters(void **state)
{
    blm_filter *f = made("fuse keys=5e6 width=32");
    uint64_t seed = 3;
    (void)state;
    for (uint64_t i = 0; i < f->bytes; i += 1 + draw(&seed) % 64)
        f->cells[i] = (uint8_t)draw(&seed);
    ((blm_xored *)f)->members = 1;
    ((blm_xored *)f)->width = 1; /* half of the answers are yes */
    found_of(f, 20000, 4);
    blm_free(f);
}

/* ---- odd fields ------------------------------------------------------------------------------------------- */

static void none(void **state)
{
    (void)state;
    check_none("fuse");
}

static void fewer_than_planned(void **state)
{
    (void)state;
    check_fewer("fuse");
}

static void tails(void **state)
{
    (void)state;
    check_tail("fuse", "width=3 shards=20");
}

static void refusals(void **state)
{
    blm_filter *f = NULL;
    uint64_t bytes;
    (void)state;
    check_refusals("fuse");
    REFUSED(blm_make(&f, "fuse keys=100 arity=5", &why), BLM_E_ARG, "arity=5");
    REFUSED(blm_make(&f, "fuse keys=100 arity=3.5", &why), BLM_E_ARG, "arity=3.5");
    f = made("fuse keys=100");
    const uint64_t segments = field(f, "segments");
    set_field(f, "widened", segments);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "were added");
    set_field(f, "widened", segments - 1);
    OK(f->kind->shape(f, &bytes, &why));
    set_field(f, "members", cells_of(f) + 1);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "more than there are cells");
    set_field(f, "members", cells_of(f));
    OK(f->kind->shape(f, &bytes, &why));
    set_field(f, "segments", UINT64_C(1) << 30);
    REFUSED(f->kind->shape(f, &bytes, &why), BLM_E_ARG, "at most 2^32");
    set_field(f, "segments", 1 << 20);
    set_field(f, "shards", UINT64_C(1) << 56);
    OK(f->kind->shape(f, &bytes, &why));
    assert_true(bytes == UINT64_MAX);
    set_field(f, "segments", segments);
    set_field(f, "shards", 1);
    set_field(f, "members", 0);
    set_field(f, "widened", 0);
    OK(f->kind->shape(f, &bytes, &why));
    blm_free(f);
}

static void memory(void **state)
{
    (void)state;
    check_memory("fuse");
}

int main(int argc, char **argv)
{
    deep = argc > 1 && strcmp(argv[1], "--deep") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_one_shard),
        cmocka_unit_test(bits_per_key),
        cmocka_unit_test(luck_of_the_first_seed),
        cmocka_unit_test(every_number_of_keys),
        cmocka_unit_test(no_seed_will_do),
        cmocka_unit_test(cells_overflow),
        cmocka_unit_test(memory_of_a_build),
        cmocka_unit_test(rates),
        cmocka_unit_test(widths),
        cmocka_unit_test(widths_by_rate),
        cmocka_unit_test(places_are_those_of_the_library),
        cmocka_unit_test(lanes_find_the_same),
        cmocka_unit_test(batches_of_large_filters),
        cmocka_unit_test(none),
        cmocka_unit_test(fewer_than_planned),
        cmocka_unit_test(tails),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

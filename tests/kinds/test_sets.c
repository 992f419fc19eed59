/* test_sets.c - union, intersection, fold, overlap and size, of the kinds that are plain bits. */
#include <bloomery/theory/fill.h>
#include <bloomery/theory/overlap.h>
#include "core/unit.h"
#include "oracles.h"

/* Shapes that fold some times: 2^14 bits; 5 hashes, where the kind does not have 8. */
static const char *const kinds[] = {"standard", "blocked", "split-block"};

static bool is_split(const char *kind) { return strcmp(kind, "split-block") == 0; }

static blm_filter *of_kind(const char *kind, uint64_t bits, uint64_t seed)
{
    return made_new(BLM_CONFIG(.kind = kind, .bits = bits, .hashes = is_split(kind) ? 0 : 5,
                               .keys = 1000, .seed = seed, .overfill = true));
}

static blm_filter *filled(const char *kind, uint64_t bits, uint64_t first, uint64_t n)
{
    blm_filter *f = of_kind(kind, bits, 1);
    add_run(f, first, n);
    return f;
}

/* a |= b, both spent but a */
static blm_filter *joined(blm_filter *a, blm_filter *b)
{
    OK(blm_merge(a, b, &why));
    blm_free(b);
    return a;
}

static void check_same(blm_filter *a, blm_filter *b)
{
    assert_true(same_cells(a, b));
    assert_int_equal(field(a, "ones"), field(b, "ones"));
    blm_free(a);
    blm_free(b);
}

/* ---- union ------------------------------------------------------------------------------------- */

static void union_is_the_filter_of_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const char *k = kinds[i];
        const uint64_t m = 16384;
        check_same(joined(filled(k, m, 0, 600), filled(k, m, 400, 600)), filled(k, m, 0, 1000));
        check_same(joined(filled(k, m, 0, 600), filled(k, m, 400, 600)),
                   joined(filled(k, m, 400, 600), filled(k, m, 0, 600)));
        check_same(
            joined(joined(filled(k, m, 0, 300), filled(k, m, 200, 300)), filled(k, m, 900, 9)),
            joined(filled(k, m, 0, 300), joined(filled(k, m, 200, 300), filled(k, m, 900, 9))));
        check_same(joined(filled(k, m, 0, 600), filled(k, m, 0, 600)), filled(k, m, 0, 600));
    }
}

static void union_adds_up_what_is_said(void **state)
{
    (void)state;
    blm_filter *a = made("standard bits=4096b hashes=4 keys=100"),
               *b = made("standard bits=4096b hashes=4 keys=300");
    add_run(a, 0, 50);
    add_run(b, 0, 70);
    const double low = info_of(a).fpr_target, high = info_of(b).fpr_target;
    assert_true(low < high);
    OK(blm_merge(a, b, &why));
    assert_int_equal(info_of(a).adds, 120);
    assert_int_equal(info_of(a).capacity, 300);
    assert_true(info_of(a).fpr_target == high);
    OK(blm_merge(b, a, &why));
    assert_int_equal(info_of(b).adds, 190);
    assert_int_equal(info_of(b).capacity, 300);
    assert_int_equal(info_of(b).lost, 0);
    blm_free(a);
    blm_free(b);
}

/* Each pair differs in one thing, which the sentence names, with both values. */
static void different_filters_are_not_joined(void **state)
{
    static const struct {
        const char *a, *b, *word, *advice;
    } pairs[] = {
        {"standard bits=4096b hashes=4", "standard bits=4096b hashes=5", "hashes differs: 4 and 5",
         "same keys"},
        {"standard bits=4096b hashes=4", "standard bits=1024b hashes=4",
         "cells differs: 4096 and 1024", "fold the larger"},
        {"standard bits=1024b hashes=4", "standard bits=4096b hashes=4",
         "cells differs: 1024 and 4096", "fold the larger"},
        {"standard bits=4096b hashes=4", "standard bits=3072b hashes=4",
         "cells differs: 4096 and 3072", "same keys, fpr and knobs"},
        {"standard bits=3000b hashes=4", "standard bits=1000b hashes=4",
         "cells differs: 3000 and 1000", "same keys, fpr and knobs"},
        {"standard bits=4096b hashes=4 seed=1", "standard bits=4096b hashes=4 seed=2",
         "seed differs: 1 and 2", "the same seed"},
        {"standard bits=4096b hashes=4", "blocked bits=4096b hashes=4", "standard and blocked",
         "kind"},
        {"blocked bits=4096b hashes=4", "blocked bits=2048b hashes=4", "blocks differs: 8 and 4",
         "fold the larger"},
        {"counting bits=4096b hashes=4", "counting bits=2048b hashes=4",
         "cells differs: 1024 and 512", "same keys, fpr and knobs"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        blm_filter *a = made(pairs[i].a), *b = made(pairs[i].b), *old = NULL;
        blm_overlap o;
        assert_int_equal(blm_add(a, "plum", 4), BLM_OK);
        OK(blm_copy(&old, a, &why));
        REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, pairs[i].word);
        SAYS(pairs[i].advice);
        if (blm_can(a, BLM_INTERSECT))
            REFUSED(blm_intersect(a, b, &why), BLM_E_MISMATCH, pairs[i].word);
        if (blm_can(a, BLM_OVERLAP))
            REFUSED(blm_overlap_of(a, b, &o, &why), BLM_E_MISMATCH, pairs[i].word);
        assert_true(blm_equal(a, old));
        blm_free(a);
        blm_free(b);
        blm_free(old);
    }
}

static void a_filter_is_not_its_own_partner(void **state)
{
    blm_filter *f = made("standard keys=10");
    blm_overlap o;
    (void)state;
    REFUSED(blm_merge(f, f, &why), BLM_E_ARG, "the same filter");
    REFUSED(blm_intersect(f, f, &why), BLM_E_ARG, "the same filter");
    REFUSED(blm_overlap_of(f, f, &o, &why), BLM_E_ARG, "the same filter");
    REFUSED(blm_subtract(f, f, &why), BLM_E_CANNOT, "subtract");
    REFUSED(blm_grow(f, &why), BLM_E_CANNOT, "grow");
    blm_free(f);
}

/* ---- intersection -------------------------------------------------------------------------------- */

static void intersection_keeps_every_common_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        blm_filter *a = filled(kinds[i], 16384, 0, 700), *b = filled(kinds[i], 16384, 400, 650);
        blm_filter *both = filled(kinds[i], 16384, 400, 300);
        const uint64_t less =
            field(a, "ones") < field(b, "ones") ? field(a, "ones") : field(b, "ones");
        OK(blm_intersect(a, b, &why));
        assert_true(has_run(a, 400, 300));
        assert_in_range(field(a, "ones"), field(both, "ones"), less);
        assert_int_equal(info_of(a).adds, 650);
        assert_int_equal(info_of(a).lost, BLM_MERGE_EXACT | BLM_FOLD_EXACT);
        assert_int_equal(info_of(a).promises & BLM_MERGE_EXACT, 0);
        OK(blm_merge(both, a, &why)); /* what it lost is lost in what it joins */
        assert_int_equal(info_of(both).lost, BLM_MERGE_EXACT | BLM_FOLD_EXACT);
        OK(blm_intersect(b, a, &why));
        assert_true(same_cells(a, b)); /* (A & B) & B */
        blm_free(a);
        blm_free(b);
        blm_free(both);
    }
}

/* m = 10^6, k = 5, 50 keys on each side alone, 10 in both: the AND is exactly the filter of the common
 * keys with a chance of 0.93941. 300 pairs: sd 4.13. */
static void intersection_is_mostly_exact(void **state)
{
    unsigned exact = 0;
    (void)state;
    for (uint64_t pair = 0; pair < 300; pair++) {
        blm_filter *f[3];
        for (unsigned i = 0; i < 3; i++) {
            f[i] = made_new(BLM_CONFIG(.kind = "standard", .bits = 1000000, .hashes = 5, .keys = 60,
                                       .seed = pair));
            add_run(f[i], 0, 10);
        }
        add_run(f[0], 1000, 50);
        add_run(f[1], 2000, 50);
        OK(blm_intersect(f[0], f[1], &why));
        exact += same_cells(f[0], f[2]);
        for (unsigned i = 0; i < 3; i++) blm_free(f[i]);
    }
    WITHIN(exact, 300 * 0.93941, 4 * 4.13);
}

/* ---- fold ---------------------------------------------------------------------------------------- */

static void fold_is_the_filter_built_small(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (unsigned times = 0; times <= 5; times++) {
            blm_filter *f = filled(kinds[i], 16384, 0, 500), *half = NULL;
            OK(blm_fold(&half, f, times, &why));
            assert_true(has_run(half, 0, 500));
            assert_int_equal(info_of(half).bits, 16384 >> times);
            assert_int_equal(info_of(half).adds, 500);
            assert_int_equal(info_of(half).capacity, 1000);
            const double promise = blm_fpr(half, &(blm_case){.keys = 1000}).high;
            NEAR(info_of(half).fpr_target, promise, 1e-7); /* rounded to 24 bits */
            check_same(half, filled(kinds[i], 16384 >> times, 0, 500));
            blm_free(f);
        }
    ORACLE_HOLDS("1.A10", "folded = built small, byte for byte", true);
}

static void fold_of_fold_is_fold_twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        blm_filter *f = filled(kinds[i], 16384, 0, 500), *one = NULL, *two = NULL, *both = NULL;
        OK(blm_set_note(f, "kept", &why));
        OK(blm_fold(&one, f, 1, &why));
        OK(blm_fold(&two, one, 1, &why));
        OK(blm_fold(&both, f, 2, &why));
        assert_true(blm_equal(two, both));
        assert_string_equal(info_of(both).note, "kept");
        blm_free(f);
        blm_free(one);
        blm_free(two);
        blm_free(both);
    }
}

/* m not a multiple of 64: the halves of a word, of a byte and of two bits. */
static void fold_of_odd_places(void **state)
{
    (void)state;
    for (uint64_t m = 2; m <= 400; m += 2) {
        blm_filter *f = filled("standard", m, 0, m / 8 + 1), *half = NULL;
        OK(blm_fold(&half, f, 1, &why));
        check_same(half, filled("standard", m / 2, 0, m / 8 + 1));
        blm_free(f);
    }
}

static void odd_sizes_do_not_fold(void **state)
{
    blm_filter *f = made("standard bits=1030b hashes=3"), *g = made("blocked bits=1536b hashes=3"),
               *h = made("split-block bits=1280b"), *out = NULL;
    (void)state;
    REFUSED(blm_fold(&out, f, 2, &why), BLM_E_ARG, "515 bits");
    SAYS("odd");
    REFUSED(blm_fold(&out, g, 1, &why), BLM_E_ARG, "3 blocks");
    SAYS("odd");
    REFUSED(blm_fold(&out, h, 1, &why), BLM_E_ARG, "5 blocks");
    SAYS("odd");
    REFUSED(blm_fold(&out, f, 61, &why), BLM_E_ARG, "61");
    SAYS("60");
    REFUSED(blm_fold(&out, f, 60, &why), BLM_E_ARG, "515 bits");
    assert_null(out);
    blm_free(f);
    blm_free(g);
    blm_free(h);
    f = made("counting keys=10");
    REFUSED(blm_fold(&out, f, 1, &why), BLM_E_CANNOT, "counting");
    blm_free(f);
}

/* ---- size ------------------------------------------------------------------------------------------ */

typedef struct setting {
    uint64_t m;
    unsigned k;
    uint64_t n;
    double sd; /* of the estimate */
} setting;

static double estimate_of(const setting *s, const char *kind, uint64_t seed)
{
    blm_filter *f = made_new(
        BLM_CONFIG(.kind = kind, .bits = s->m, .hashes = s->k, .keys = s->n, .seed = seed));
    blm_estimate n;
    add_run(f, 0, s->n);
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_false(n.bound);
    NEAR(n.high - n.value, s->sd, 0.06); /* one standard error, itself from the estimate */
    NEAR(n.value - n.low, s->sd, 0.06);
    assert_true(info_of(f).keys.value == n.value && info_of(f).keys.high == n.high);
    blm_free(f);
    return n.value;
}

/* Each of 20 seeds within 4 sd, their mean within 4 sd / sqrt(20), and 3 at most beyond 2.576 sd: 0.2 are
 * expected, 4 or more come with a chance of 1e-4. */
static void check_estimates(const setting *s, const char *kind)
{
    double sum = 0;
    unsigned out = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const double off = estimate_of(s, kind, seed) - (double)s->n;
        WITHIN(off, 0, 4 * s->sd);
        out += fabs(off) > 2.576 * s->sd;
        sum += off;
    }
    WITHIN(sum / 20, 0, 4 * s->sd / sqrt(20));
    assert_true(out <= 3);
}

static void sizes_of_standard(void **state)
{
    static const setting table[] = {{10000, 7, 1000, 8.00},
                                    {8000, 6, 1000, 9.03},
                                    {100000, 7, 10000, 25.3},
                                    {1 << 20, 10, 72682, 56.7}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) check_estimates(&table[i], "standard");
}

/* The formula of one large filter would be too low here: 512 bits per block, loads of their own. */
static void sizes_of_blocked(void **state)
{
    static const struct {
        uint64_t blocks;
        unsigned k;
        uint64_t n;
    } table[] = {{20, 7, 1000}, {200, 7, 10000}, {2048, 10, 72682}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const setting s = {table[i].blocks * 512, table[i].k, table[i].n,
                           blm_keys_sd_blocked(512, table[i].blocks, table[i].k, table[i].n)};
        check_estimates(&s, "blocked");
    }
}

static blm_filter *with_ones(const char *spec, uint64_t ones)
{
    blm_filter *f = made(spec);
    size_t n;
    blm_cells(f, &n);
    uint8_t *cells = calloc(1, n);
    assert_non_null(cells);
    for (uint64_t i = 0; i < ones; i++) cells[i / 8] |= (uint8_t)(1u << i % 8);
    OK(blm_adopt(f, cells, n, &why));
    assert_int_equal(field(f, "ones"), ones);
    free(cells);
    return f;
}

/* Papapetrou: ln(1 - X/m) / (k ln(1 - 1/m)) = 999.907724 at X = 5034, m = 10000, k = 7. */
static void size_is_the_formula(void **state)
{
    blm_filter *f = with_ones("standard bits=10000b hashes=7", 5034);
    blm_estimate n;
    double last = -1;
    (void)state;
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    WITHIN(n.value, 999.907724, 1e-6);
    blm_free(f);
    for (uint64_t x = 0; x <= 256; x++) {
        f = with_ones("standard bits=256b hashes=3", x);
        assert_int_equal(blm_cardinality(f, &n), BLM_OK);
        const uint64_t seen = x < 256 ? x : 255; /* all ones: a lower bound, of one bit fewer */
        NEAR(n.value, log1p(-(double)seen / 256) / (3 * log1p(-1.0 / 256)), 1e-12);
        assert_true(x == 256 ? n.value == last : n.value > last);
        assert_int_equal(n.bound, x == 256);
        assert_true(n.low >= 0 && n.low <= n.value && n.value <= n.high);
        last = n.value;
        blm_free(f);
    }
}

static void size_of_blocked_at_its_ends(void **state)
{
    blm_estimate n, full;
    double last = -1;
    (void)state;
    for (uint64_t x = 0; x <= 1024; x += 32) {
        blm_filter *f = with_ones("blocked bits=1024b hashes=3", x);
        assert_int_equal(blm_cardinality(f, &n), BLM_OK);
        assert_true(n.value > last && n.bound == (x == 1024) &&
                    info_of(f).fill == (double)x / 1024);
        assert_true(n.low >= 0 && n.low <= n.value && n.value <= n.high);
        assert_true(x > 0 || (n.value == 0 && n.high == 0));
        last = n.value;
        blm_free(f);
    }
    blm_filter *f = with_ones("blocked bits=1024b hashes=3", 1023);
    assert_int_equal(blm_cardinality(f, &full), BLM_OK);
    assert_true(full.value == n.value && !full.bound);
    blm_free(f);
}

/* All bits one, or all counters at their ceiling: full, and still a sound image. */
static void full_filters_are_sound(void **state)
{
    static const char *const specs[] = {
        "standard bits=512b hashes=3 keys=9", "blocked bits=512b hashes=3 keys=9",
        "split-block bits=512b keys=9", "counting bits=512b hashes=3 keys=9"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]), *g = NULL;
        uint8_t cells[64];
        memset(cells, 0xff, sizeof cells);
        OK(blm_adopt(f, cells, sizeof cells, &why));
        const blob image = image_of(f);
        OK(blm_load(&g, image.p, image.n, NULL, &why));
        assert_true(blm_equal(f, g) && info_of(g).fill == 1 && blm_has(g, "stranger", 8));
        assert_true(blm_fpr(g, NULL).high == 1 && blm_fpr(g, NULL).low == 1);
        blm_free(f);
        blm_free(g);
        free(image.p);
    }
}

static void repeated_keys_do_not_count(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        blm_filter *f = filled(kinds[i], 16384, 0, 700);
        const double once = info_of(f).keys.value;
        add_run(f, 0, 700);
        assert_true(info_of(f).keys.value == once);
        assert_int_equal(info_of(f).adds, 1400);
        blm_free(f);
    }
}

/* ---- overlap ---------------------------------------------------------------------------------------- */

static double common_sd(const char *kind, uint64_t a, uint64_t b, uint64_t common)
{
    return is_split(kind)   ? blm_keys_common_sd_split(64, a, b, common)
           : kind[0] == 's' ? blm_keys_common_sd(16384, 5, a, b, common)
                            : blm_keys_common_sd_blocked(512, 32, 5, a, b, common);
}

static double keys_sd(const char *kind, uint64_t n)
{
    return is_split(kind)   ? blm_keys_sd_split(64, n)
           : kind[0] == 's' ? blm_keys_sd(16384, 5, n)
                            : blm_keys_sd_blocked(512, 32, 5, n);
}

static blm_overlap overlap_of(const char *kind, uint64_t seed, uint64_t a, uint64_t b,
                              uint64_t common)
{
    blm_filter *f = of_kind(kind, 16384, seed), *g = of_kind(kind, 16384, seed);
    blm_overlap o;
    add_run(f, 0, a);
    add_run(g, a - common, b);
    OK(blm_overlap_of(f, g, &o, &why));
    blm_free(f);
    blm_free(g);
    return o;
}

/* 1000 and 800 keys, 400 of them in both: every number within 4 sd of its truth, at each of 20 seeds. */
static void overlap_of_known_sets(void **state)
{
    const uint64_t a = 1000, b = 800, c = 400, all = 1400;
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            const char *k = kinds[i];
            const double sd = common_sd(k, a, b, c);
            const blm_overlap o = overlap_of(k, seed, a, b, c);
            WITHIN(o.a.value, a, 4 * keys_sd(k, a));
            WITHIN(o.b.value, b, 4 * keys_sd(k, b));
            WITHIN(o.both_sets.value, all, 4 * keys_sd(k, all));
            WITHIN(o.common.value, c, 4 * sd);
            NEAR(o.common.high - o.common.value, sd, 0.1);
            NEAR(o.common.value - o.common.low, sd, 0.1);
            NEAR(o.common_raw, o.a.value + o.b.value - o.both_sets.value, 1e-9);
            NEAR(o.jaccard.value, o.common.value / o.both_sets.value, 1e-9);
            NEAR(o.a_in_b.value, o.common.value / o.a.value, 1e-9);
            NEAR(o.b_in_a.value, o.common.value / o.b.value, 1e-9);
            WITHIN(o.jaccard.value, 400.0 / 1400, 4 * (o.jaccard.high - o.jaccard.value));
            assert_false(o.a_may_be_subset || o.b_may_be_subset || o.common.bound);
        }
}

static void overlap_of_strangers_and_of_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        unsigned below = 0;
        for (uint64_t seed = 1; seed <= 20; seed++) {
            const blm_overlap none = overlap_of(kinds[i], seed, 900, 800, 0);
            WITHIN(none.common_raw, 0, 4 * common_sd(kinds[i], 900, 800, 0));
            assert_true(none.common.value == fmax(0, none.common_raw) && none.common.low >= 0);
            assert_true(none.common_raw > 0 || none.common.low == 0);
            below += none.common_raw < 0;
            assert_false(none.a_may_be_subset || none.b_may_be_subset);

            const blm_overlap part = overlap_of(kinds[i], seed, 900, 300, 300);
            assert_true(part.b_may_be_subset && !part.a_may_be_subset);
            NEAR(part.common.value, part.b.value, 1e-9); /* the OR is A, bit for bit */
            NEAR(part.b_in_a.value, 1, 1e-9);
            const double b = i == 2   ? blm_keys_from_fill_split(part.dot, 64)
                             : i == 1 ? blm_keys_from_fill_blocked(part.dot, 512, 32, 5)
                                      : blm_keys_from_fill(part.dot, 16384, 5);
            NEAR(part.b.value, b, 1e-9); /* all ones of B are ones of A */
        }
        assert_in_range(below, 2, 18); /* a fair coin: outside by chance 4e-5 */
    }
    const blm_overlap turned = overlap_of("standard", 1, 300, 900, 300);
    assert_true(turned.a_may_be_subset && !turned.b_may_be_subset);
    const blm_overlap empty = overlap_of("standard", 1, 0, 0, 0);
    assert_true(empty.a_may_be_subset && empty.b_may_be_subset && empty.dot == 0);
    assert_true(empty.jaccard.value == 0 && empty.a_in_b.value == 0 && empty.b_in_a.high == 0);
}

/* P(the cells of S_A are zero in A and those of S_B in B), |S_A| = x, |S_B| = y, |S_A u S_B| = z, when a
 * keys are in A alone, b in B alone and c in both. */
static double zero_chance(double m, double k, double a, double b, double c, int x, int y, int z)
{
    return exp(k * (a * log1p(-x / m) + b * log1p(-y / m) + c * log1p(-z / m)));
}

/* The inner product: its mean m (1 - q^ka - q^kb + q^k(a+b-c)), and its exact variance by inclusion and
 * exclusion over two cells. The mean of 20 within 4 sd / sqrt(20). */
static void dot_has_its_mean(void **state)
{
    const double m = 16384, k = 5, a = 600, b = 400, c = 400;
    double mean = 0, pair = 0, sum = 0;
    (void)state;
    for (int s = 0; s < 4; s++) /* bit 0: zero in A, bit 1: zero in B */
        mean += (s == 1 || s == 2 ? -m : m) * zero_chance(m, k, a, b, c, s & 1, s >> 1, s > 0);
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < 4; t++) {
            const int in_a = (s & 1) + (t & 1), in_b = (s >> 1) + (t >> 1);
            const double sign = (in_a + in_b) % 2 ? -1 : 1;
            pair += sign * zero_chance(m, k, a, b, c, in_a, in_b, (s > 0) + (t > 0));
        }
    NEAR(blm_dot_mean(16384, 5, 1000, 800, 400), mean, 1e-9);
    const double sd = sqrt(mean + m * (m - 1) * pair - mean * mean);
    for (uint64_t seed = 1; seed <= 20; seed++)
        sum += (double)overlap_of("standard", seed, 1000, 800, 400).dot;
    WITHIN(sum / 20, mean, 4 * sd / sqrt(20));
}

static void overlap_of_full_filters_is_a_bound(void **state)
{
    blm_filter *f = with_ones("standard bits=256b hashes=3", 256),
               *g = with_ones("standard bits=256b hashes=3", 100);
    blm_overlap o;
    (void)state;
    OK(blm_overlap_of(f, g, &o, &why));
    assert_true(o.a.bound && o.both_sets.bound && o.common.bound && !o.b.bound);
    assert_true(o.dot == 100 && o.b_may_be_subset && !o.a_may_be_subset);
    blm_free(f);
    blm_free(g);
    f = made("counting keys=10");
    g = made("counting keys=10");
    REFUSED(blm_overlap_of(f, g, &o, &why), BLM_E_CANNOT, "counting");
    REFUSED(blm_intersect(f, g, &why), BLM_E_CANNOT, "intersect");
    blm_free(f);
    blm_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(union_is_the_filter_of_both),
        cmocka_unit_test(union_adds_up_what_is_said),
        cmocka_unit_test(different_filters_are_not_joined),
        cmocka_unit_test(a_filter_is_not_its_own_partner),
        cmocka_unit_test(intersection_keeps_every_common_key),
        cmocka_unit_test(intersection_is_mostly_exact),
        cmocka_unit_test(fold_is_the_filter_built_small),
        cmocka_unit_test(fold_of_fold_is_fold_twice),
        cmocka_unit_test(fold_of_odd_places),
        cmocka_unit_test(odd_sizes_do_not_fold),
        cmocka_unit_test(sizes_of_standard),
        cmocka_unit_test(sizes_of_blocked),
        cmocka_unit_test(size_is_the_formula),
        cmocka_unit_test(size_of_blocked_at_its_ends),
        cmocka_unit_test(full_filters_are_sound),
        cmocka_unit_test(repeated_keys_do_not_count),
        cmocka_unit_test(overlap_of_known_sets),
        cmocka_unit_test(overlap_of_strangers_and_of_parts),
        cmocka_unit_test(dot_has_its_mean),
        cmocka_unit_test(overlap_of_full_filters_is_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test.c - variable-signature: the figures of its paper, signatures that grow and shrink, stripes and their misses. */
#include <bloomery/theory/signatures.h>
#include "core/kind.h"
#include "core/unit.h"
#include "kinds/fields.h"
#include "oracles.h"
#include "parts/bits.h"
#include "parts/probe.h"

enum { ABSENT = -1 };

static blm_err add_long(blm_filter *f, uint64_t key, uint64_t length)
{
    const blm_item it = blm_item_u64(f, key, length);
    return blm_add_item(f, &it, NULL);
}

static blm_err put_long(blm_filter *f, uint64_t key, uint64_t length)
{
    const blm_item it = blm_item_u64(f, key, length);
    return blm_put_item(f, &it);
}

static int length_of(const blm_filter *f, uint64_t key)
{
    uint64_t value = 0;
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    return blm_get_item(f, &it, &value) ? ABSENT : (int)value;
}

/* Which of the key's bits are one, the first in bit 0. */
static uint64_t ones_of(const blm_filter *f, uint64_t key)
{
    blm_touch at[64];
    uint64_t ones = 0;
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    const size_t n = blm_touched(f, &it, at, 64);
    for (size_t i = 0; i < n; i++) ones |= at[i].value << i;
    return ones;
}

static blm_err del_u64(blm_filter *f, uint64_t key)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    return blm_del_item(f, &it);
}

/* By its definition: sum over i from low to high of C(n, i) p^i (1 - p)^(n - i). */
static double binomial(unsigned n, double p, unsigned low, unsigned high)
{
    double sum = 0;
    for (unsigned i = low; i <= high && i <= n; i++)
        sum +=
            exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1)) * pow(p, i) * pow(1 - p, n - i);
    return sum;
}

/* Keys of all bits, until that many bits are one. */
static uint64_t fill_to(blm_filter *f, uint64_t ones)
{
    uint64_t n = 0;
    while (field(f, "ones") < ones) assert_int_equal(blm_add_u64(f, n++), BLM_OK);
    return n;
}

/* ---- the figures of the paper ----------------------------------------------------------------------- */

static void rates_by_the_formula(void **state)
{
    static const struct {
        unsigned k, t, q;
        double fill, fp, fn;
    } rows[] = {{8, 8, 8, .25, 1.5258789e-05, 0},      {8, 8, 8, .5, 0.00390625, 0},
                {8, 8, 6, .25, 0.0042266846, 0},       {8, 8, 6, .5, 0.14453125, 0},
                {8, 6, 6, .25, 0.0042266846, 0},       {8, 6, 6, .5, 0.14453125, 0},
                {8, 5, 6, .25, 0.0042266846, .421875}, {8, 5, 6, .5, 0.14453125, .125},
                {6, 4, 4, .25, 0.037597656, 0},        {6, 4, 4, .5, 0.34375, 0},
                {10, 8, 6, .25, 0.019727707, 0},       {10, 8, 6, .5, 0.37695312, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char what[100];
        const unsigned k = rows[i].k, t = rows[i].t, q = rows[i].q;
        snprintf(what, sizeof what, "k=%u, t=%u, q=%u, fill %g: false positives", k, t, q,
                 rows[i].fill);
        ORACLE_NEAR("2.C6", what, rows[i].fp, 1e-7, blm_ones_tail(k, q, rows[i].fill));
        snprintf(what, sizeof what, "k=%u, t=%u, q=%u, fill %g: misses", k, t, q, rows[i].fill);
        ORACLE_NEAR("2.C6", what, rows[i].fn, 1e-12, blm_ones_miss(t, 1, k, q, rows[i].fill));
        NEAR(blm_ones_fill(k, q, rows[i].fp), rows[i].fill, 1e-6);
    }
}

static void tails_by_their_definition(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 64; k += 3)
        for (unsigned q = 1; q <= k; q += 1 + k / 9)
            for (double fill = 0.01; fill < 1; fill += 0.14) {
                NEAR(blm_ones_tail(k, q, fill), binomial(k, fill, q, k), 1e-9);
                double miss = 0; /* own bits i of t, the others from the rest */
                const unsigned t = k / 2;
                for (unsigned i = 0; i <= t && i < q; i++)
                    miss += binomial(t, 0.8, i, i) * binomial(k - t, fill, 0, q - i - 1);
                WITHIN(blm_ones_miss(t, 0.8, k, q, fill), miss, 1e-9);
            }
    assert_true(isnan(blm_ones_tail(65, 1, .5)) && isnan(blm_ones_tail(8, 0, .5)));
    assert_true(isnan(blm_ones_fill(8, 9, .5)) && isnan(blm_ones_miss(9, 1, 8, 4, .5)));
    assert_true(blm_ones_tail(8, 9, .5) == 0 && blm_ones_tail(8, 3, 1) == 1);
    NEAR(blm_ones_tail_mean(1, 1, 1000, 300, 50), 0.3, 1e-12); /* of a line the mean */
    NEAR(blm_ones_tail_mean(2, 2, 1000, 300, 50), 0.09 + 0.0025, 1e-12);
}

/* 200,000 non-members against the binomial sum at the fill of that moment: 99 %. */
static void rates_at_the_measured_fill(void **state)
{
    static const char *const specs[] = {
        "variable-signature bits=1048576b hashes=8 ask=8 keys=9000000",
        "variable-signature bits=1048576b hashes=8 ask=6 keys=9000000"};
    static const char *const what[] = {"k=8, q=8: measured at a fill of 1/2",
                                       "k=8, q=6: measured at a fill of 1/2"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]);
        fill_to(f, 524288);
        const unsigned q = (unsigned)field(f, "ask");
        const double fill = (double)field(f, "ones") / 1048576, p = binomial(8, fill, q, 8);
        ORACLE_HITS("2.C6", what[i], p, false_yes(f, 200000), 200000);
        NEAR(blm_fpr(f, NULL).high, p, 1e-9);
        blm_free(f);
    }
}

/* Each is asked as soon as it is there. The fill moves from 0.5 by 1 %: 3 sigma of 40,000 keys are 4 %. */
static void misses_of_short_signatures(void **state)
{
    enum { ASKED = 40000 };
    blm_filter *f = made("variable-signature bits=16777216b hashes=8 ask=6 least=5 keys=9000000");
    const uint64_t first = fill_to(f, 8338608);
    double expected = 0;
    uint64_t missed = 0;
    (void)state;
    for (uint64_t i = 0; i < ASKED; i++) {
        assert_int_equal(add_long(f, first + i, 5), BLM_OK);
        missed += !blm_has_u64(f, first + i);
        expected += pow(1 - info_of(f).fill, 3);
    }
    const double p = expected / ASKED, sd = sqrt(p * (1 - p) / ASKED);
    ORACLE_BETWEEN("2.C6", "k=8, t=5, q=6: missed at a fill of 1/2", 0.125, p - 4 * sd, p + 4 * sd,
                   (double)missed / ASKED);
    NEAR(p, 0.125, 0.01);
    const blm_rate now = blm_fnr(f, &(blm_case){.keys = first + ASKED * 5 / 16, .arg = 5});
    NEAR(now.high, 0.125, 0.01);
    assert_true(now.low == now.high);
    blm_free(f);
}

static void all_bits_of_all_is_standard(void **state)
{
    blm_filter *f = made("variable-signature bits=100003b hashes=7 ask=7 keys=9000 seed=2"),
               *g = made("standard bits=100003b hashes=7 keys=9000 seed=2");
    size_t bytes, other;
    bool same = true;
    (void)state;
    add_run(f, 0, 9000);
    add_run(g, 0, 9000);
    const uint8_t *cells = blm_cells(f, &bytes), *of = blm_cells(g, &other);
    same = bytes == other && memcmp(cells, of, bytes) == 0;
    for (uint64_t i = 0; i < 100000; i++) same = same && blm_has_u64(f, i) == blm_has_u64(g, i);
    ORACLE_HOLDS("2.C6", "t = q = k: the cells and answers of standard", same);
    blm_free(f);
    blm_free(g);
}

/* ---- one signature ------------------------------------------------------------------------------------ */

/* The picture of the paper: 6 bits, 4 needed; the fifth is slack for one lost bit. */
static void a_signature_grows(void **state)
{
    blm_filter *f = made("variable-signature bits=1000000b hashes=6 ask=4 least=1 keys=100");
    (void)state;
    assert_int_equal(length_of(f, 7), ABSENT);
    for (unsigned t = 1; t <= 6; t++) {
        assert_int_equal(put_long(f, 7, t), BLM_OK);
        assert_int_equal(length_of(f, 7), t);
        assert_int_equal(ones_of(f, 7), (1u << t) - 1);
        assert_true(blm_has_u64(f, 7) == (t >= 4));
    }
    assert_int_equal(put_long(f, 7, 2), BLM_OK); /* nothing is taken away */
    assert_int_equal(length_of(f, 7), 6);
    assert_int_equal(add_long(f, 8, 5), BLM_OK);
    assert_int_equal(ones_of(f, 8), 31);
    blm_bit_clear(f->cells, blm_place(blm_item_u64(f, 8, 0).h, 1, 1000000));
    assert_true(blm_has_u64(f, 8));
    assert_int_equal(put_long(f, 8, 5), BLM_OK); /* the first that is zero is the second */
    assert_int_equal(ones_of(f, 8), 31);
    blm_bit_clear(f->cells, blm_place(blm_item_u64(f, 8, 0).h, 0, 1000000));
    blm_bit_clear(f->cells, blm_place(blm_item_u64(f, 8, 0).h, 2, 1000000));
    ORACLE_HOLDS("2.C6", "t=5, q=4: one lost bit is slack, two are a miss", !blm_has_u64(f, 8));
    assert_int_equal(blm_add_u64(f, 9), BLM_OK); /* without a number */
    assert_int_equal(length_of(f, 9), 6);
    assert_int_equal(add_long(f, 10, 7), BLM_E_ARG);
    assert_int_equal(add_long(f, 10, 0), BLM_E_ARG);
    blm_free(f);
}

static void a_delete_takes_the_last_bits(void **state)
{
    blm_filter *f = made("variable-signature bits=1000000b hashes=8 ask=5 keys=100");
    (void)state;
    assert_int_equal(del_u64(f, 1), BLM_E_ABSENT);
    add_run(f, 1, 2);
    assert_true(blm_fnr(f, NULL).high == 0);
    assert_int_equal(del_u64(f, 3), BLM_E_ABSENT);
    assert_int_equal(del_u64(f, 1), BLM_OK);
    ORACLE_HOLDS("2.C6", "delete: the highest bits first, until fewer than q are one",
                 ones_of(f, 1) == 15 && !blm_has_u64(f, 1));
    assert_int_equal(field(f, "ones"), 12);
    assert_int_equal(field(f, "reset"), 4);
    assert_true(blm_has_u64(f, 2));
    assert_int_equal(del_u64(f, 3), BLM_OK); /* it may have been there */
    assert_int_equal(field(f, "ones"), 12);
    const blm_rate now = blm_fnr(f, NULL);
    assert_true(now.low == 0 && now.high > 0.05 && now.high < 1);
    assert_int_equal(blm_clear(f), BLM_OK);
    assert_true(field(f, "reset") == 0 && del_u64(f, 3) == BLM_E_ABSENT);
    blm_free(f);
}

/* Another key loses a bit where the two meet: at a fill of 1/4 each of the 4 bits that go is shared with a chance. */
static void a_delete_can_take_others_along(void **state)
{
    blm_filter *f = made("variable-signature bits=100000b hashes=8 ask=8 keys=100000");
    uint64_t missed = 0;
    (void)state;
    const uint64_t n = fill_to(f, 25000);
    for (uint64_t i = 0; i < n; i += 2) del_u64(f, i);
    for (uint64_t i = 0; i < n; i += 2) assert_false(blm_has_u64(f, i));
    for (uint64_t i = 1; i < n; i += 2) missed += !blm_has_u64(f, i);
    assert_true(missed > 0);
    /* Each delete resets one bit; a key loses one of its 8 with the chance 1 - (1 - reset / ones)^8 at most. */
    const double gone = (double)field(f, "reset"), all = gone + (double)field(f, "ones"),
                 half = (double)(n / 2), p = 1 - pow(1 - gone / all, 8);
    assert_true((double)missed < half * p + 4 * sqrt(half * p * (1 - p)));
    assert_true(blm_fnr(f, NULL).high >= (double)missed / half);
    blm_free(f);
}

/* ---- steps ------------------------------------------------------------------------------------------------ */

static void each_step_clears_a_stripe(void **state)
{
    static const uint64_t sizes[] = {7, 64, 100, 1003, 65536};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const uint64_t m = sizes[i];
        blm_filter *f = made_new(BLM_CONFIG(.kind = "variable-signature", .bits = m, .hashes = 1,
                                            .keys = 1, .with = "stripes=7", .overfill = true));
        for (uint64_t b = 0; b < m; b++) blm_bit_set(f->cells, b);
        set_field(f, "ones", m);
        for (uint64_t step = 1; step <= 7; step++) {
            const uint64_t before = field(f, "ones"), s = step % 7;
            assert_int_equal(blm_tick(f, step), BLM_OK);
            for (uint64_t b = s * m / 7; b < (s + 1) * m / 7; b++)
                assert_false(blm_bit_get(f->cells, b));
            assert_int_equal(before - field(f, "ones"), (s + 1) * m / 7 - s * m / 7);
            assert_int_equal(blm_bits_count(f->cells, f->bytes), field(f, "ones"));
        }
        assert_int_equal(field(f, "ones"), 0);
        blm_free(f);
    }
}

static void a_jump_clears_all_at_once(void **state)
{
    blm_filter *f = made("variable-signature keys=100000"), *g = NULL;
    (void)state;
    OK(blm_tick(f, 5));
    add_run(f, 0, 1000);
    OK(blm_copy(&g, f, &why));
    assert_int_equal(blm_tick(f, 5 + 63), BLM_OK);
    assert_true(field(f, "ones") > 0);
    for (uint64_t now = 6; now <= 5 + 63; now++) assert_int_equal(blm_tick(g, now), BLM_OK);
    assert_true(blm_equal(f, g));
    assert_int_equal(blm_tick(f, 5 + 64), BLM_OK);
    assert_int_equal(field(f, "ones"), 0);
    assert_int_equal(blm_tick(g, UINT64_MAX), BLM_OK);
    assert_int_equal(field(g, "ones"), 0);
    assert_int_equal(blm_tick(g, 7), BLM_E_CLOCK);
    blm_free(f);
    blm_free(g);
}

/* Without other keys the misses of a key of t bits are binomial, exactly: fewer than q of them lie outside of what was
 * cleared. 4 sigma; `high` says the same, and `low` allows for the keys of a stream. */
static void misses_by_age(void **state)
{
    enum { KEYS = 20000 };
    static const unsigned gaps[] = {4, 12, 16, 24, 40}, lengths[] = {10, 12, 15};
    (void)state;
    for (size_t i = 0; i < COUNT(gaps) * COUNT(lengths); i++) {
        const unsigned g = gaps[i % COUNT(gaps)], t = lengths[i / COUNT(gaps)];
        blm_filter *f = made("variable-signature bits=268435456b hashes=15 keys=20000");
        uint64_t missed = 0;
        OK(blm_tick(f, 1000 + i));
        for (uint64_t key = 0; key < KEYS; key++) assert_int_equal(add_long(f, key, t), BLM_OK);
        OK(blm_tick(f, 1000 + i + g));
        for (uint64_t key = 0; key < KEYS; key++) missed += !blm_has_u64(f, key);
        const double p = binomial(t, 1 - g / 64.0, 0, 9);
        const blm_rate miss = blm_fnr(f, &(blm_case){.keys = 1, .gap = g, .arg = t});
        NEAR(miss.high, p, 1e-9);
        WITHIN((double)missed, p * KEYS, 4 * sqrt(p * (1 - p) * KEYS) + 2);
        const blm_rate full = blm_fnr(f, &(blm_case){.keys = 20000000, .gap = g, .arg = t});
        assert_true(full.low < miss.low || p < 1e-12);
        assert_true(full.high == miss.high);
        blm_free(f);
    }
}

/* A window is the longest age at which at most 5 %, or as many as were wished, of full signatures are missed. */
static void the_window_is_what_is_wished(void **state)
{
    static const double misses[] = {0, 0.01, 0.2};
    (void)state;
    for (size_t i = 0; i < COUNT(misses); i++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "variable-signature", .keys = 1000, .fpr = 0.01,
                                            .fnr = misses[i], .with = "stripes=1024"));
        const unsigned k = (unsigned)field(f, "hashes"), q = (unsigned)field(f, "ask");
        const double w = (double)info_of(f).window, most = i ? misses[i] : 0.05;
        assert_true(binomial(k, 1 - w / 1024, 0, q - 1) <= most);
        assert_true(binomial(k, 1 - (w + 1) / 1024, 0, q - 1) > most);
        blm_free(f);
    }
}

/* A stream with the planned keys, for ten rounds: the fill is 1 - (1 - e^-z) / z on average, and the rate is kept. */
static void a_stream_keeps_its_rate(void **state)
{
    enum { KEYS = 20000, ROUNDS = 10 };
    blm_filter *f = made("variable-signature keys=20000 fpr=1% seed=3");
    const uint64_t steps = info_of(f).window + 1, per_step = KEYS / steps;
    const double m = (double)field(f, "cells"), k = (double)field(f, "hashes"),
                 z = k * (double)per_step * 64 / m;
    double fills = 0, worst = 0;
    uint64_t key = 0;
    (void)state;
    for (uint64_t step = 1; step <= 64 * ROUNDS; step++) {
        assert_int_equal(blm_tick(f, step), BLM_OK);
        add_run(f, key, per_step);
        key += per_step;
        if (step <= 64) continue;
        fills += info_of(f).fill / (64 * (ROUNDS - 1));
        worst = fmax(worst, blm_fpr(f, NULL).high);
    }
    /* In a step the stripe that was cleared last has the keys of one step already: z + z/64 at most. */
    assert_true(fills > (1 - (1 - exp(-z)) / z) * 0.99 && fills < (1 - (1 - exp(-z)) / z) * 1.03);
    assert_true(worst < 0.01 * 1.25 && worst > 0.005);
    blm_free(f);
}

/* ---- two filters, bad input -------------------------------------------------------------------------------- */

static void merged_at_one_time(void **state)
{
    for (unsigned later = 0; later < 3; later++) {
        blm_filter *f = made("variable-signature keys=2000 seed=3"),
                   *g = made("variable-signature keys=2000 seed=3"),
                   *both = made("variable-signature keys=2000 seed=3");
        const uint64_t at_f = later == 1 ? 90 : 50, at_g = later == 2 ? 200 : 50;
        (void)state;
        OK(blm_tick(f, at_f));
        OK(blm_tick(g, at_g));
        add_run(f, 0, 500);
        add_run(g, 500, 500);
        for (unsigned i = 0; i < 2; i++) { /* the earlier ones first */
            const bool first = (at_f <= at_g) == !i;
            OK(blm_tick(both, first ? at_f : at_g));
            add_run(both, first ? 0 : 500, 500);
        }
        OK(blm_merge(f, g, &why));
        assert_int_equal(info_of(f).now, at_f > at_g ? at_f : at_g);
        assert_int_equal(field(f, "ones"), blm_bits_count(f->cells, f->bytes));
        assert_true(f->bytes == both->bytes && memcmp(f->cells, both->cells, f->bytes) == 0);
        blm_free(f);
        blm_free(g);
        blm_free(both);
    }
}

static void a_builder_keeps_the_longest(void **state)
{
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    (void)state;
    OK(blm_builder_new(&b, BLM_CONFIG(.kind = "variable-signature", .fpr = 0.01), &why));
    for (uint64_t i = 0; i < 300; i++)
        assert_int_equal(
            blm_builder_add(b, 0, &(uint64_t){i % 100}, 8, 10 + i % 100 / 50 + i / 100), BLM_OK);
    OK(blm_build(&f, b, &why));
    assert_int_equal(info_of(f).capacity, 100);
    assert_true(length_of(f, 7) >= 12 && length_of(f, 77) >= 13);
    blm_free(f);
}

static void bad_input(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_make(&f, "variable-signature keys=9 ask=0", &why), BLM_E_ARG, "from 1 to 64");
    REFUSED(blm_make(&f, "variable-signature keys=9 ask=2.5", &why), BLM_E_ARG, "whole number");
    REFUSED(blm_make(&f, "variable-signature keys=9 hashes=8 ask=9", &why), BLM_E_ARG,
            "from 1 to 8");
    REFUSED(blm_make(&f, "variable-signature keys=9 fpr=1% least=16", &why), BLM_E_ARG, "15 bits");
    REFUSED(blm_make(&f, "variable-signature keys=9 stripes=0", &why), BLM_E_ARG, "stripes");
    REFUSED(blm_make(&f, "variable-signature keys=9 bits=63b", &why), BLM_E_ARG, "one per stripe");
    f = made("variable-signature keys=9 hashes=8 ask=6");
    const struct {
        const char *name;
        uint64_t value;
    } wrong[] = {{"ask", 9}, {"least", 9}, {"stripes", 65536}, {"window", 64}, {"ones", 1 << 20}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const uint64_t was = field(f, wrong[i].name);
        uint64_t bytes;
        set_field(f, wrong[i].name, wrong[i].value);
        assert_int_equal(f->kind->shape(f, &bytes, &why), BLM_E_ARG);
        set_field(f, wrong[i].name, was);
        assert_int_equal(f->kind->shape(f, &bytes, &why), BLM_OK);
    }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_by_the_formula),
        cmocka_unit_test(tails_by_their_definition),
        cmocka_unit_test(rates_at_the_measured_fill),
        cmocka_unit_test(misses_of_short_signatures),
        cmocka_unit_test(all_bits_of_all_is_standard),
        cmocka_unit_test(a_signature_grows),
        cmocka_unit_test(a_delete_takes_the_last_bits),
        cmocka_unit_test(a_delete_can_take_others_along),
        cmocka_unit_test(each_step_clears_a_stripe),
        cmocka_unit_test(a_jump_clears_all_at_once),
        cmocka_unit_test(misses_by_age),
        cmocka_unit_test(the_window_is_what_is_wished),
        cmocka_unit_test(a_stream_keeps_its_rate),
        cmocka_unit_test(merged_at_one_time),
        cmocka_unit_test(a_builder_keeps_the_longest),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

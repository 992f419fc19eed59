/* test.c - exp-decaying: how many ones are left after each hop, which, and that questions find their way uphill. */
#include "core/kind.h"
#include "core/unit.h"
#include "kinds/fields.h"
#include "oracles.h"
#include "parts/bits.h"

/* How many of the key's bits are one, whatever theta is. */
static unsigned theta_of(const blm_filter *f, uint64_t key)
{
    blm_touch at[64];
    unsigned ones = 0;
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    const size_t n = blm_touched(f, &it, at, 64);
    for (size_t i = 0; i < n; i++) ones += at[i].value != 0;
    return ones;
}

static double binomial_below(unsigned n, double p, unsigned q)
{
    double sum = 0;
    for (unsigned i = 0; i < q; i++)
        sum +=
            exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1)) * pow(p, i) * pow(1 - p, n - i);
    return sum;
}

/* All m bits are one. */
static blm_filter *all_ones(const char *spec)
{
    blm_filter *f = made(spec);
    const uint64_t m = field(f, "cells");
    for (uint64_t i = 0; i < m; i++) blm_bit_set(f->cells, i);
    set_field(f, "ones", m);
    return f;
}

/* ---- the figures of the paper ------------------------------------------------------------------------ */

enum { KEYS = 500, HOPS = 4 };

/* Mean theta of KEYS keys after 0 to 3 hops, ored with noise of a fill of its own. */
static void means(double fill, double mean[HOPS])
{
    blm_filter *f = made("exp-decaying bits=67108864b hashes=32 fade=4 theta=1 keys=2000 seed=1"),
               *noise =
                   made("exp-decaying bits=67108864b hashes=32 fade=4 theta=1 keys=900000 seed=1");
    add_run(f, 0, KEYS);
    for (uint64_t r = 0; r < HOPS; r++) {
        blm_filter *seen = NULL;
        OK(blm_tick(f, r));
        OK(blm_clear(noise));
        OK(blm_tick(noise, r));
        for (uint64_t i = 1000000; info_of(noise).fill < fill; i++)
            assert_int_equal(blm_add_u64(noise, i), BLM_OK);
        OK(blm_copy(&seen, f, &why));
        OK(blm_merge(seen, noise, &why));
        mean[r] = 0;
        for (uint64_t i = 0; i < KEYS; i++) {
            uint64_t value = 0;
            if (blm_get(seen, &(uint64_t){i}, 8, &value)) assert_int_equal(theta_of(seen, i), 0);
            mean[r] += (double)value / KEYS;
        }
        blm_free(seen);
    }
    blm_free(f);
    blm_free(noise);
}

/* The keys themselves are 0.02 % of the bits: they add 0.01 to the means at most. */
static void means_after_hops(void **state)
{
    static const double expected[2][HOPS] = {{32, 8, 2, .5}, {32, 10.4, 5, 3.65}};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        double mean[HOPS];
        means(i ? 0.1 : 0, mean);
        for (unsigned r = 0; r < HOPS; r++) {
            char what[80];
            const double p = expected[i][r] / 32, sd = sqrt(32 * p * (1 - p) / KEYS);
            snprintf(what, sizeof what, "k=32, d=4, a=%g: mean theta after %u hops", i ? 0.1 : 0,
                     r);
            ORACLE_BETWEEN("2.C7", what, expected[i][r], expected[i][r] - 4 * sd,
                           expected[i][r] + 4 * sd + 0.01, mean[r]);
        }
    }
}

/* With d = 1 nothing fades, and with theta = k it is standard. */
static void without_fading_it_is_standard(void **state)
{
    blm_filter *f = made("exp-decaying bits=100003b hashes=7 fade=1 keys=9000 seed=2"),
               *more = made("exp-decaying bits=100003b hashes=7 fade=1 keys=9000 seed=2"),
               *g = made("standard bits=100003b hashes=7 keys=9000 seed=2");
    (void)state;
    assert_int_equal(field(f, "theta"), 7);
    add_run(f, 0, 4000);
    add_run(more, 4000, 5000);
    add_run(g, 0, 9000);
    OK(blm_tick(more, UINT64_C(1000000000000)));
    OK(blm_merge(f, more, &why));
    bool same = f->bytes == g->bytes && memcmp(f->cells, g->cells, f->bytes) == 0;
    for (uint64_t i = 0; i < 100000; i++) same = same && blm_has_u64(f, i) == blm_has_u64(g, i);
    ORACLE_HOLDS("2.C7", "d = 1, theta = k: the cells and answers of standard, merges are ORs",
                 same);
    blm_free(f);
    blm_free(more);
    blm_free(g);
}

/* ---- fading -------------------------------------------------------------------------------------------- */

/* Of 2^20 ones 1/d stay, within 4 sigma; the next hop is as if the first had not been; another seed leaves others. */
static void one_in_d_stays(void **state)
{
    static const unsigned fades[] = {2, 3, 4, 5, 7, 10, 64, 1000, 65536};
    const double m = 1048576;
    (void)state;
    for (size_t i = 0; i < COUNT(fades); i++) {
        char spec[100];
        const double d = fades[i], sd = sqrt(m / d * (1 - 1 / d)), twice = m / d / d;
        snprintf(spec, sizeof spec, "exp-decaying bits=1048576b fade=%u theta=1 keys=9 seed=1",
                 fades[i]);
        blm_filter *f = all_ones(spec), *g = all_ones(spec), *other = NULL;
        OK(blm_tick(f, 1));
        WITHIN((double)field(f, "ones"), m / d, 4 * sd);
        assert_int_equal(field(f, "ones"), blm_bits_count(f->cells, f->bytes));
        OK(blm_copy(&other, f, &why));
        OK(blm_tick(f, 2));
        WITHIN((double)field(f, "ones"), twice, 4 * sqrt(twice) + 1);
        g->now = 1; /* all ones, and only the second hop */
        OK(blm_tick(g, 2));
        const blm_bits_pair p = blm_bits_compare(g->cells, other->cells, g->bytes);
        WITHIN((double)p.both, twice, 4 * sqrt(twice) + 1);
        assert_int_equal(p.both, field(f, "ones"));
        snprintf(strstr(spec, "seed"), 10, "seed=2");
        blm_filter *h = all_ones(spec);
        OK(blm_tick(h, 1));
        WITHIN((double)blm_bits_compare(h->cells, other->cells, h->bytes).both, twice,
               4 * sqrt(twice) + 1);
        blm_free(f);
        blm_free(g);
        blm_free(h);
        blm_free(other);
    }
}

/* Neighbours are no more alike than others: of 2^20 pairs at each distance both stay with 1/d^2. */
static void bits_fade_on_their_own(void **state)
{
    enum { M = 1 << 20 };
    static const unsigned far[] = {1, 2, 63, 64, 128, 4096};
    (void)state;
    for (unsigned d = 2; d <= 3; d++) {
        blm_filter *f = all_ones(d == 2 ? "exp-decaying bits=1048576b fade=2 keys=9"
                                        : "exp-decaying bits=1048576b fade=3 theta=1 keys=9");
        OK(blm_tick(f, 77));
        OK(blm_clear(f));
        for (uint64_t i = 0; i < M; i++) blm_bit_set(f->cells, i);
        f->now = 76;
        OK(blm_tick(f, 77));
        for (size_t i = 0; i < COUNT(far); i++) {
            const double p = 1.0 / d / d;
            uint64_t both = 0;
            for (uint64_t b = 0; b < M; b++)
                both += blm_bit_get(f->cells, b) && blm_bit_get(f->cells, (b + far[i]) % M);
            WITHIN((double)both, p * M,
                   4 * sqrt(2 * p * M)); /* pairs overlap: below twice the variance */
        }
        blm_free(f);
    }
}

/* The comparison digit by digit, on its own: a bit stays when its number, of 64 random digits, is below floor(2^64 / d). */
static bool stays(uint64_t bit, uint64_t hop, uint64_t seed, uint64_t d)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t stream = blm_mix(blm_mix(seed + step) ^ blm_mix(hop));
    uint64_t number = 0;
    for (uint64_t digit = 0; digit < 64; digit++)
        number = number << 1 | (blm_mix(stream + (bit / 64 * 64 + digit) * step) >> bit % 64 & 1);
    return number < (uint64_t)(((__uint128_t)1 << 64) / d);
}

static void which_bits_stay(void **state)
{
    static const unsigned fades[] = {2, 3, 4, 6, 1000, 65535, 65536};
    (void)state;
    for (size_t i = 0; i < COUNT(fades); i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "exp-decaying bits=5000b fade=%u theta=1 keys=9 seed=5",
                 fades[i]);
        blm_filter *f = all_ones(spec);
        f->now = 41;
        OK(blm_tick(f, 42));
        for (uint64_t b = 0; b < 5000; b++)
            assert_int_equal(blm_bit_get(f->cells, b), stays(b, 42, 5, fades[i]));
        blm_free(f);
    }
}

static void a_jump_ends_at_once(void **state)
{
    static const char *const specs[] = {"exp-decaying bits=16777216b fade=2 keys=9",
                                        "exp-decaying bits=16777216b fade=3 theta=1 keys=9",
                                        "exp-decaying bits=16777216b fade=65536 theta=1 keys=9"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = all_ones(specs[i]), *g = NULL;
        OK(blm_tick(f, 9));
        OK(blm_copy(&g, f, &why));
        OK(blm_tick(f, 14));
        for (uint64_t now = 10; now <= 14; now++) OK(blm_tick(g, now));
        assert_true(blm_equal(f, g));
        OK(blm_tick(f, UINT64_C(1000000000000)));
        assert_int_equal(field(f, "ones"), 0);
        OK(blm_tick(g, 300)); /* hop by hop */
        OK(blm_tick(g, UINT64_C(1000000000000)));
        assert_true(blm_equal(f, g));
        OK(blm_tick(f, UINT64_MAX));
        assert_int_equal(blm_tick(f, 7), BLM_E_CLOCK);
        blm_free(f);
        blm_free(g);
    }
}

/* ---- rates ----------------------------------------------------------------------------------------------- */

/* Alone, a key is missed after r hops with the chance of fewer than theta of k bits at d^-r each: 4 sigma. */
static void misses_after_hops(void **state)
{
    enum { ASKED = 20000 };
    static const char *const specs[] = {"exp-decaying bits=268435456b keys=20000",
                                        "exp-decaying bits=268435456b keys=20000 hops=2",
                                        "exp-decaying bits=268435456b keys=20000 fade=3",
                                        "exp-decaying bits=268435456b keys=20000 hashes=64 hops=3"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = made(specs[i]);
        const unsigned k = (unsigned)field(f, "hashes"), theta = (unsigned)field(f, "theta");
        const double d = (double)field(f, "fade");
        add_run(f, 0, ASKED);
        for (uint64_t r = 1; r <= info_of(f).window + 1; r++) {
            uint64_t missed = 0;
            OK(blm_tick(f, r));
            for (uint64_t key = 0; key < ASKED; key++) missed += !blm_has_u64(f, key);
            const double p = binomial_below(k, pow(d, -(double)r), theta);
            const blm_rate miss = blm_fnr(f, &(blm_case){.keys = 1, .gap = r});
            NEAR(miss.high, p, 1e-9);
            /* Bits of the other keys help: 1 % of the array at most. */
            const blm_rate low = blm_fnr(f, &(blm_case){.keys = 2 * ASKED, .gap = r});
            const double sd = sqrt(p * (1 - p) * ASKED);
            assert_true((double)missed <= p * ASKED + 4 * sd);
            assert_true((double)missed >= low.low * ASKED - 4 * sd);
            if (r == info_of(f).window) assert_true(p <= 0.05);
            if (r == info_of(f).window)
                assert_true(binomial_below(k, pow(d, -(double)r), theta + 1) > 0.05);
        }
        blm_free(f);
    }
}

/* keys / (hops + 1) new keys per hop, for 40 hops: a fill of 2 g / (1 + g), where all at once have 2 g - g^2. */
static void a_stream_keeps_its_rate(void **state)
{
    blm_filter *f = made("exp-decaying keys=4000 fpr=1% seed=3");
    double worst = 0;
    (void)state;
    for (uint64_t hop = 1; hop <= 40; hop++) {
        OK(blm_tick(f, hop));
        add_run(f, hop * 2000, 2000);
        worst = fmax(worst, blm_fpr(f, NULL).high);
    }
    const double seen = (double)false_yes(f, 200000) / 200000, p = blm_fpr(f, NULL).high;
    WITHIN(seen, p, 4 * sqrt(p * (1 - p) / 200000));
    assert_true(worst < 0.0105 && worst > 0.006);
    blm_free(f);
}

/* ---- filters on their way ---------------------------------------------------------------------------------- */

/* Eight nodes in a line. In its round each node adds its own keys and merges what its right neighbour sent in the round
 * before, which is one hop older and fades on the way. A question that follows the highest theta arrives. */
static void a_question_goes_uphill(void **state)
{
    enum { NODES = 8, PER_NODE = 200 };
    blm_filter *sent[NODES];
    unsigned before = 0;
    (void)state;
    for (unsigned i = NODES; i-- > 0;) {
        sent[i] = made("exp-decaying keys=400 hashes=64 fade=2 hops=3 seed=9");
        OK(blm_tick(sent[i], NODES - i));
        add_run(sent[i], i * 1000, PER_NODE);
        if (i + 1 < NODES) OK(blm_merge(sent[i], sent[i + 1], &why));
        for (uint64_t key = 0; key < PER_NODE; key++)
            assert_int_equal(theta_of(sent[i], i * 1000 + key), 64);
    }
    const uint64_t far = (NODES - 1) * 1000 + 5;
    for (unsigned i = NODES - 4; i < NODES; i++) { /* from three hops on */
        const unsigned theta = theta_of(sent[i], far);
        assert_true(theta > before);
        before = theta;
    }
    for (unsigned i = 0; i < NODES; i++) blm_free(sent[i]);
}

/* The earlier one fades on its way, and is itself not changed. */
static void merged_at_one_time(void **state)
{
    for (unsigned later = 0; later < 2; later++) {
        blm_filter *f = made("exp-decaying keys=400 seed=4"),
                   *g = made("exp-decaying keys=400 seed=4"), *copy = NULL, *same = NULL;
        (void)state;
        OK(blm_tick(f, later ? 8 : 5));
        OK(blm_tick(g, later ? 5 : 8));
        add_run(f, 0, 100);
        add_run(g, 100, 100);
        OK(blm_copy(&copy, later ? g : f, &why));
        OK(blm_copy(&same, later ? f : g, &why));
        OK(blm_tick(copy, 8));
        OK(blm_merge(copy, same, &why)); /* at one time it is an OR */
        const uint64_t ones = field(g, "ones");
        OK(blm_merge(f, g, &why));
        assert_int_equal(field(g, "ones"), ones);
        assert_int_equal(info_of(f).now, 8);
        assert_true(memcmp(f->cells, copy->cells, f->bytes) == 0);
        assert_int_equal(field(f, "ones"), blm_bits_count(f->cells, f->bytes));
        blm_free(f);
        blm_free(g);
        blm_free(copy);
        blm_free(same);
    }
}

static void bad_input(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_make(&f, "exp-decaying keys=9 fade=0.5", &why), BLM_E_ARG, "from 1 to 65536");
    REFUSED(blm_make(&f, "exp-decaying keys=9 fade=2.5", &why), BLM_E_ARG, "whole number");
    REFUSED(blm_make(&f, "exp-decaying keys=9 theta=33", &why), BLM_E_ARG, "from 1 to 32");
    REFUSED(blm_make(&f, "exp-decaying keys=9 theta=0", &why), BLM_E_ARG, "theta");
    REFUSED(blm_make(&f, "exp-decaying keys=9 hops=9", &why), BLM_E_ARG, "fewer hops");
    REFUSED(blm_make(&f, "exp-decaying keys=9 theta=20 fnr=1%", &why), BLM_E_ARG, "at most 9");
    f = made("exp-decaying keys=9");
    uint64_t bytes;
    set_field(f, "theta", 33);
    assert_int_equal(f->kind->shape(f, &bytes, &why), BLM_E_ARG);
    set_field(f, "theta", 11);
    assert_int_equal(f->kind->shape(f, &bytes, &why), BLM_OK);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_after_hops),
        cmocka_unit_test(without_fading_it_is_standard),
        cmocka_unit_test(one_in_d_stays),
        cmocka_unit_test(bits_fade_on_their_own),
        cmocka_unit_test(which_bits_stay),
        cmocka_unit_test(a_jump_ends_at_once),
        cmocka_unit_test(misses_after_hops),
        cmocka_unit_test(a_stream_keeps_its_rate),
        cmocka_unit_test(a_question_goes_uphill),
        cmocka_unit_test(merged_at_one_time),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

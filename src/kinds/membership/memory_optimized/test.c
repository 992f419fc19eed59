/* test.c - one bit per key: a filter with one hash under another name, and its price. */
#include <bloomery/theory/any.h>
#include "kinds/rates.h"
#include "oracles.h"
#include "parts/probe.h"

static blm_filter *placed(uint64_t bits, unsigned hashes, const char *query, uint64_t keys,
                          uint64_t seed)
{
    char with[24];
    snprintf(with, sizeof with, "query=%s", query);
    return made_new(BLM_CONFIG(.kind = "memory-optimized", .bits = bits, .hashes = hashes,
                               .keys = keys, .seed = seed, .with = with, .overfill = true));
}

static double rate_at(const blm_filter *f, uint64_t keys)
{
    return blm_fpr(f, &(blm_case){.keys = keys}).high;
}

/* ---- what it costs --------------------------------------------------------------------------------------- */

static void rates_beside_standard(void **state)
{
    static const struct {
        unsigned bits;
        double chosen, standard;
    } table[] = {{8, 0.11750, 0.02158}, {16, 0.06059, 4.587e-4}};
    enum { N = 100000, PROBES = 1000000 };
    char what[60];
    bool all = true, few = true;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t m = (uint64_t)table[i].bits * N;
        blm_filter *f = placed(m, 5, "chosen", N, 1);
        snprintf(what, sizeof what, "rate at %u bits a key", table[i].bits);
        /* half a unit of the last digit, and 1/n: the figures are those of large filters */
        ORACLE_NEAR("1.C7", what, table[i].chosen, 1e-4, rate_at(f, N));
        snprintf(what, sizeof what, "standard's rate at %u bits a key", table[i].bits);
        ORACLE_NEAR("1.C7", what, table[i].standard, 4e-4,
                    blm_rate_exact(m, blm_best_hashes(m, N), N));
        add_run(f, 0, N);
        snprintf(what, sizeof what, "strangers given the fill, %u bits a key", table[i].bits);
        ORACLE_HITS("1.C7", what, info_of(f).fill, false_yes(f, PROBES), PROBES);
        all = all && has_run(f, 0, N);
        few = few && field(f, "ones") <= N;
        blm_free(f);
    }
    ORACLE_HOLDS("1.C7", "no false negative, chosen", all);
    ORACLE_HOLDS("1.C7", "ones <= n", few);
}

/* One hash is best below 2.08 bits per key, where two overtake it. */
static void worse_from_2_08_bits_a_key_on(void **state)
{
    const uint64_t n = 10000000;
    uint64_t low = n, high = 4 * n;
    (void)state;
    while (high - low > 1) {
        const uint64_t m = low + (high - low) / 2;
        *(blm_rate_exact(m, 2, n) < blm_rate_any(m, 1, n) ? &high : &low) = m;
    }
    ORACLE_NEAR("1.C7", "bits a key from which standard is better", 2.08, 2.5e-3,
                (double)high / (double)n);
}

/* At whatever rate, the planner has standard before it. */
static void never_ranked_above_standard(void **state)
{
    (void)state;
    for (double p = 0.9; p > 1e-7; p *= p > 0.1 ? 0.86 : 0.2)
        for (uint64_t keys = 10; keys < 1000000; keys *= TEST_SLOW ? 1000 : 27) {
            static blm_offer offer[400];
            size_t n = COUNT(offer), standard = n, worst = 0;
            OK(blm_plan(BLM_CONFIG(.keys = keys, .fpr = p), 0, offer, &n, &why));
            for (size_t i = n; i-- > 0;) {
                if (strcmp(offer[i].kind, "standard") == 0) standard = i;
                if (strcmp(offer[i].kind, "memory-optimized") == 0) worst = i;
            }
            assert_true(standard < worst);
        }
}

/* ---- the chosen place -------------------------------------------------------------------------------------- */

/* Word t of the stream of a hash is word 0 of the hash that lies t steps ahead (probe.h): so the standard filter with one
 * hash, asked with that hash, is the same filter. */
static void chosen_is_one_hash(void **state)
{
    const uint64_t step = UINT64_C(0xa0761d6478bd642f);
    bool same = true;
    (void)state;
    for (unsigned k = 1; k <= 64; k += 7) {
        blm_filter *f = placed(3001, k, "chosen", 500, 2);
        blm_filter *g = made("standard bits=3001b hashes=1 keys=500 seed=2 overfill=yes");
        bool used[64] = {false};
        for (uint64_t i = 0; i < 1000; i++) {
            const blm_hash h = blm_hash_of(f, &i, sizeof i);
            const uint64_t t = blm_place(h, k, k); /* the selector: word k */
            const blm_hash ahead = {h.lo + t * step, 0};
            used[t] = true;
            assert_int_equal(blm_has_hash(f, h), blm_has_hash(g, ahead));
            if (i % 2) continue;
            assert_int_equal(blm_add_many(f, &h, NULL, 1, NULL, NULL), BLM_OK);
            assert_int_equal(blm_add_many(g, &ahead, NULL, 1, NULL, NULL), BLM_OK);
        }
        same = same && same_cells(f, g);
        for (unsigned t = 0; t < k; t++) assert_true(used[t]);
        assert_true(rate_at(f, 500) == blm_rate_any(3001, 1, 500));
        NEAR(rate_at(f, 500), rate_at(g, 500), 1e-13);
        blm_estimate a, b;
        assert_true(!blm_cardinality(f, &a) && !blm_cardinality(g, &b) && a.value == b.value);
        blm_free(f);
        blm_free(g);
    }
    ORACLE_HOLDS("1.C7", "chosen = one hash h_t, byte for byte", same);
}

static void one_place_of_one_is_standard(void **state)
{
    static const char *const words[] = {"chosen", "any"};
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        blm_filter *f = placed(777, 1, words[i], 100, 3);
        blm_filter *g = made("standard bits=777b hashes=1 keys=100 seed=3 overfill=yes");
        add_run(f, 0, 100);
        add_run(g, 0, 100);
        assert_true(same_cells(f, g) && blm_fpr(f, NULL).high == blm_fpr(g, NULL).high);
        NEAR(rate_at(f, 100), rate_at(g, 100), 1e-13);
        NEAR(blm_fpr(f, &(blm_case){.keys = 100}).spread,
             blm_fpr(g, &(blm_case){.keys = 100}).spread, 1e-9);
        blm_free(f);
        blm_free(g);
    }
}

/* ---- any place ---------------------------------------------------------------------------------------------- */

static void any_place_is_worse_still(void **state)
{
    enum { N = 1000, PROBES = 1000000 };
    bool all = true;
    (void)state;
    for (unsigned k = 2; k <= 8; k += 3) {
        blm_filter *f = placed(16000, k, "any", N, k);
        add_run(f, 0, N);
        const double fill = info_of(f).fill, rate = 1 - pow(1 - fill, k);
        char what[60];
        snprintf(what, sizeof what, "any of k=%u: strangers at 1 - (1 - fill)^k", k);
        NEAR(blm_fpr(f, NULL).high, rate, 1e-13);
        ORACLE_HITS("1.C7", what, rate, false_yes(f, PROBES), PROBES);
        all = all && has_run(f, 0, N);
        NEAR(rate_at(f, N), 1 - exp(-(double)k / 16), 2e-3); /* large filters: fill 1 - e^(-1/16) */
        assert_true(field(f, "ones") <= N && rate_at(f, N) > 1.8 * blm_rate_any(16000, 1, N));
        blm_free(f);
    }
    ORACLE_HOLDS("1.C7", "no false negative, any", all);
}

/* 2 cells, 2 places, 1 key: the key is in one cell, a non-member misses it twice with a chance of 1/4; and 2 keys lie
 * in one cell half of the time: 1/2 * 3/4 + 1/2. By hand. */
static void any_of_few(void **state)
{
    (void)state;
    NEAR(blm_rate_any(2, 2, 1), 0.75, 1e-15);
    NEAR(blm_rate_any(2, 2, 2), 0.875, 1e-15);
    NEAR(blm_rate_any(10, 1, 2), 0.19, 1e-14);
    assert_true(blm_rate_any(1, 5, 1) == 1 && blm_rate_any(7, 5, 0) == 0);
    assert_true(blm_rate_any_sd(10, 3, 0) == 0 && blm_rate_any_sd(10, 3, 1) < 1e-7);
    assert_true(isnan(blm_rate_any(0, 1, 1)) && isnan(blm_rate_any(1, 0, 1)));
    assert_true(isnan(blm_rate_any(9, 65, 1)) && isnan(blm_rate_any_sd(9, 65, 1)));
    uint64_t m = 5;
    assert_false(blm_size_any(0, 0.1, 1, &m) || blm_size_any(1, 0, 1, &m));
    assert_false(blm_size_any(1, 1, 1, &m) || blm_size_any(1, 0.1, 0, &m));
    assert_false(blm_size_any(1, 0.1, 65, &m) || blm_size_any(1, NAN, 1, &m));
    assert_false(blm_size_any(UINT64_C(1) << 56, 1e-3, 4, &m));
    assert_int_equal(m, 5);
}

static void spread_between_filters(void **state)
{
    rates_seen seen = {.filters = 0};
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        blm_filter *f = placed(60, 3, "any", 30, seed);
        see_rate(&seen, f, 30);
        blm_free(f);
    }
    check_spread(&seen);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------ */

static void planned(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 100000; n = 7 * n + 3)
        for (double p = 0.5; p > 1e-3; p /= 7) {
            uint64_t m = 0;
            assert_true(blm_size_any(n, p, 1, &m));
            /* 1 - (1 - 1/m)^n = p */
            const double want = -1 / expm1(log1p(-p) / (double)n);
            WITHIN((double)m, ceil(want - 1e-6 * want), 1e-6 * want);
            blm_filter *f = made_new(BLM_CONFIG(.kind = "memory-optimized", .keys = n, .fpr = p));
            blm_filter *g =
                made_new(BLM_CONFIG(.kind = "memory-optimized", .keys = n, .fpr = p, .hashes = 64));
            assert_true(field(f, "cells") >= m && (double)field(f, "cells") <= 1.004 * (double)m);
            assert_true(field(f, "cells") == field(g, "cells")); /* k of chosen is free */
            assert_true(rate_at(f, n) <= p && field(g, "hashes") == 64);
            blm_free(f);
            blm_free(g);
        }
    blm_filter *f = made("memory-optimized keys=1000 fpr=1%");
    assert_int_equal(field(f, "hashes"), 7); /* as many as standard has */
    blm_free(f);
    f = made("memory-optimized keys=1000 fpr=1% query=any");
    assert_int_equal(field(f, "hashes"), 1); /* fewest bits */
    blm_free(f);
    f = made("memory-optimized keys=1000 fpr=1% query=any hashes=4");
    assert_true(rate_at(f, 1000) <= 0.01 && rate_at(f, 1005) > 0.01);
    blm_free(f);
}

/* ---- what it will not do ------------------------------------------------------------------------------------------ */

static void refusals(void **state)
{
    blm_filter *f = placed(999, 5, "chosen", 50, 1), *old = NULL, *out = NULL;
    blm_filter *other = placed(999, 5, "any", 50, 1);
    (void)state;
    add_run(f, 0, 50);
    OK(blm_copy(&old, f, &why));
    REFUSED(blm_merge(f, other, &why), BLM_E_MISMATCH, "query");
    ORACLE_HOLDS("1.C7", "delete is refused", blm_del(f, "x", 1) == BLM_E_CANNOT);
    REFUSED(blm_fold(&out, f, 1, &why), BLM_E_ARG, "odd");
    REFUSED(blm_make(&out, "memory-optimized keys=5 query=all", &why), BLM_E_ARG, "query");
    SAYS("any");
    REFUSED(blm_make(&out, "memory-optimized keys=9e15 fpr=1e-9", &why), BLM_E_ARG, "2^60");
    assert_true(blm_equal(f, old) && !out);
    blm_free(f);
    blm_free(old);
    blm_free(other);
}

/* Nothing is written where there is no room. */
static void touched_without_room(void **state)
{
    blm_filter *f = made("memory-optimized keys=100 fpr=1%");
    const blm_item it = blm_item_of(f, "plum", 4, BLM_NO_ARG);
    blm_touch one = {7, 7, 7};
    (void)state;
    assert_int_equal(blm_touched(f, &it, &one, 0), 1);
    assert_true(one.cell == 7 && one.byte == 7 && one.value == 7);
    assert_int_equal(blm_touched(f, &it, &one, 1), 1);
    assert_true(one.byte == one.cell / 8 && one.value == 0);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touched_without_room),
        cmocka_unit_test(rates_beside_standard),
        cmocka_unit_test(worse_from_2_08_bits_a_key_on),
        cmocka_unit_test(never_ranked_above_standard),
        cmocka_unit_test(chosen_is_one_hash),
        cmocka_unit_test(one_place_of_one_is_standard),
        cmocka_unit_test(any_place_is_worse_still),
        cmocka_unit_test(any_of_few),
        cmocka_unit_test(spread_between_filters),
        cmocka_unit_test(planned),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

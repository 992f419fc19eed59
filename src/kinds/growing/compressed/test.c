/* test.c - compressed: what is planned for the wire, by the tables of the paper; in memory it is standard. */
#include <bloomery/theory/compressed.h>

#include "kinds/rates.h"
#include "oracles.h"

#define MILLION 1000000

/* ---- the tables ------------------------------------------------------------------------------------ */

static void tables_of_the_paper(void **state)
{
    static const struct {
        double c, coded, rate;
        unsigned k;
    } table[] = {{8, 7.982, 0.0216, 6},    {14, 7.923, 0.0177, 2},   {92, 7.923, 0.0108, 1},
                 {12.6, 7.582, 0.0215, 2}, {46, 6.891, 0.0215, 1},   {16, 16.000, 4.59e-4, 11},
                 {28, 15.846, 3.14e-4, 4}, {48, 15.829, 2.22e-4, 3}, {37.5, 14.666, 4.54e-4, 3},
                 {93, 13.815, 4.53e-4, 2}};
    char what[80];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const uint64_t m = (uint64_t)(table[i].c * MILLION);
        snprintf(what, sizeof what, "m/n=%g k=%u: coded bits per key", table[i].c, table[i].k);
        ORACLE_BETWEEN("1.C5", what, table[i].coded, table[i].coded - 0.0006,
                       table[i].coded + 0.0006, blm_coded_bits(m, table[i].k, MILLION) / MILLION);
        snprintf(what, sizeof what, "m/n=%g k=%u: the rate", table[i].c, table[i].k);
        ORACLE_NEAR("1.C5", what, table[i].rate, 0.003, blm_rate_approx(m, table[i].k, MILLION));
    }
}

static void plans_for_the_wire(void **state)
{
    static const struct {
        const char *spec;
        double coded, load, rate;
        unsigned k;
    } table[] = {
        {"compressed keys=1e6 overfill=yes send=8000000b memory=100", 8, 96.915, 1.0265e-2, 1},
        {"compressed keys=1e6 overfill=yes send=8000000b", 8, 14.337, 1.6955e-2, 2},
        {"compressed keys=1e6 hashes=3 overfill=yes send=8000000b", 8, 9.491, 1.9904e-2, 3},
        {"compressed keys=1e6 overfill=yes send=16000000b memory=194", 16, 193.83, 1.0538e-4, 2},
        {"compressed keys=1e6 overfill=yes send=16000000b", 16, 49.786, 1.9997e-4, 3},
        {"compressed keys=1e6 overfill=yes send=16000000b memory=40", 16, 28.673, 2.8746e-4, 4}};
    char what[80];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = made(table[i].spec);
        assert_int_equal(info_of(f).hashes, table[i].k);
        snprintf(what, sizeof what, "z/n=%g k=%u: m/n", table[i].coded, table[i].k);
        ORACLE_NEAR("1.C5", what, table[i].load, 6e-5, blm_coded_load(table[i].coded, table[i].k));
        snprintf(what, sizeof what, "z/n=%g k=%u: the rate of the plan", table[i].coded,
                 table[i].k);
        ORACLE_NEAR("1.C5", what, table[i].rate, 6e-5,
                    blm_fpr(f, &(blm_case){.keys = MILLION}).high);
        NEAR((double)field(f, "cells") / MILLION, table[i].load, 6e-5);
        assert_true(blm_coded_bits(field(f, "cells"), table[i].k, MILLION) <=
                    table[i].coded * MILLION);
        blm_free(f);
    }
}

/* The more memory, the nearer to one half for each bit that is sent; k = (m/n) ln 2 is the worst. */
static void limits(void **state)
{
    uint64_t m;
    unsigned k, fewer = 64;
    double last = 1;
    (void)state;
    for (double most = 8e6; most < 1e14; most *= 8) {
        assert_true(blm_fit_coded(MILLION, 8e6, most, 0, &m, &k));
        const double rate = blm_rate_approx(m, k, MILLION);
        assert_true(rate <= last && k <= fewer && rate > 1 / 256.0);
        last = rate;
        fewer = k;
    }
    ORACLE_BETWEEN("1.C5", "z/n=8: the limit of the rate, 0.5^8 = 3.90625e-3, is not passed",
                   3.90625e-3, 3.90625e-3, 1.03e-2, last);
    assert_true(blm_fit_coded(MILLION, 16e6, 16e6, 0, &m, &k));
    NEAR(blm_rate_approx(m, k, MILLION), 4.59e-4, 0.003); /* no more memory than that: standard */
}

static void theory_of_odd_numbers(void **state)
{
    uint64_t m = 7;
    unsigned k = 7;
    (void)state;
    assert_true(isnan(blm_coded_bits(0, 1, 1)) && isnan(blm_coded_bits(1, 0, 1)));
    assert_true(blm_coded_bits(100, 3, 0) == 0);
    assert_true(isnan(blm_coded_load(8, 0)) && isnan(blm_coded_load(0.99, 1)));
    assert_true(isnan(blm_coded_load(NAN, 1)) && isnan(blm_coded_load(8, 6)));
    for (double z = 1; z < 20; z *= 1.3) { /* the root is one */
        const double c = blm_coded_load(z, 1);
        NEAR(blm_coded_bits((uint64_t)(c * 1e9), 1, 1000000000), z * 1e9, 1e-6);
    }
    assert_false(blm_size_coded(0, 0.1, 1e9, 0, &m, &k));
    assert_false(blm_size_coded(10, 1, 1e9, 0, &m, &k));
    assert_false(blm_size_coded(10, 0.1, 1e9, 65, &m, &k));
    assert_false(blm_size_coded(1000, 0.01, 9500, 0, &m, &k)); /* it needs 9593 */
    assert_false(blm_fit_coded(0, 100, 1e9, 0, &m, &k));
    assert_false(blm_fit_coded(100, 99, 1e9, 0, &m, &k));
    assert_false(blm_fit_coded(100, 800, 0.5, 0, &m, &k));
    assert_false(blm_fit_coded(100, 800, 1e9, 6, &m, &k));
    assert_true(m == 7 && k == 7);
    assert_true(blm_fit_coded(100, 100, 1e9, 0, &m, &k) && k == 1);
    assert_true(blm_coded_bits(m, k, 100) <= 100);
}

/* ---- plans ------------------------------------------------------------------------------------------- */

static double coded(const blm_filter *f)
{
    return blm_coded_bits(field(f, "cells"), info_of(f).hashes, info_of(f).capacity);
}

/* No number of hashes that the memory allows is sent in fewer bits. */
static void fewest_bits_for_a_rate(void **state)
{
    static const double rates[] = {0.4, 0.1, 0.01, 1e-3, 1e-5, 1e-9};
    static const double memories[] = {0, 40, 100, 400};
    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++)
        for (size_t j = 0; j < COUNT(memories); j++) {
            char spec[100], own[40] = "";
            blm_filter *f = NULL, *g = NULL;
            uint64_t plain = 0;
            unsigned k = 0;
            if (memories[j] > 0) snprintf(own, sizeof own, " memory=%g", memories[j]);
            snprintf(spec, sizeof spec, "compressed keys=100000 fpr=%g%s", rates[i], own);
            assert_true(blm_size_for(100000, rates[i], 0, true, &plain, &k));
            const double most = memories[j] > 0 ? memories[j] * 1e5 : 4 * (double)plain;
            if (most < (double)plain) {
                REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, "bits per key");
                continue;
            }
            OK(blm_make(&f, spec, &why));
            const double sent = coded(f);
            assert_true((double)field(f, "cells") <= most && sent <= (double)plain * 1.004);
            for (unsigned h = 1; h <= -log2(rates[i]); h++) {
                snprintf(spec, sizeof spec, "compressed keys=100000 fpr=%g hashes=%u memory=1e6",
                         rates[i], h);
                if (blm_make(&g, spec, NULL)) continue;
                if ((double)field(g, "cells") <= most) assert_true(sent <= coded(g) * 1.004);
                blm_free(g);
            }
            blm_free(f);
        }
}

static void figures_of_the_page(void **state)
{
    static const struct {
        const char *with;
        double memory, sent;
        unsigned k;
    } table[] = {{"fpr=1%", 19.0, 8.9, 2},       {"fpr=1% memory=100", 99.5, 8.0, 1},
                 {"fpr=0.1%", 28.5, 13.4, 3},    {"fpr=0.1% memory=63", 62.2, 12.6, 2},
                 {"fpr=0.0001%", 76.8, 26.1, 5}, {"fpr=0.0001% memory=125", 124.5, 25.2, 4}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "compressed keys=1e6 %s", table[i].with);
        blm_filter *f = made(spec);
        WITHIN((double)field(f, "cells") / MILLION, table[i].memory, 0.15);
        WITHIN(coded(f) / MILLION, table[i].sent, 0.06);
        assert_int_equal(info_of(f).hashes, table[i].k);
        blm_free(f);
    }
}

/* Bits are memory, whatever else is said. */
static void bits_are_memory(void **state)
{
    blm_filter *f = made("compressed bits=1MiB keys=500000"),
               *g = made("standard bits=1MiB keys=500000");
    (void)state;
    assert_true(field(f, "cells") == field(g, "cells") && info_of(f).hashes == info_of(g).hashes);
    blm_free(f);
    f = made("compressed bits=1MiB keys=500000 send=512KiB"); /* 16.8 bits of memory, 8.4 sent */
    assert_true(field(f, "cells") <= UINT64_C(1) << 23 && coded(f) <= (double)(UINT64_C(1) << 22));
    assert_true(info_of(f).hashes == 2 && info_of(f).fpr_target < 0.016);
    blm_free(f);
    f = made("compressed bits=1MiB keys=10000 memory=50");
    assert_int_equal(field(f, "cells"), 500000);
    blm_free(f);
    f = made("compressed bits=1MiB fpr=1% send=512KiB"); /* how many keys? */
    const uint64_t keys = info_of(f).capacity;
    assert_true(coded(f) <= (double)(UINT64_C(1) << 22) && blm_fpr(f, NULL).high <= 0.01);
    WITHIN((double)keys, 450000, 30000);
    blm_free(f);
    blm_free(g);
}

static void refusals(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_make(&f, "compressed keys=1000 send=999b", &why), BLM_E_ARG,
            "at least 1 bit per key");
    SAYS("send=999b");
    REFUSED(blm_make(&f, "compressed keys=1000 hashes=9 send=1000B", &why), BLM_E_ARG, "at most 5");
    REFUSED(blm_make(&f, "compressed keys=1000 fpr=1% memory=9", &why), BLM_E_ARG, "at least 9.59");
    REFUSED(blm_make(&f, "compressed keys=1000 fpr=1% memory=0", &why), BLM_E_ARG, "memory=0");
    REFUSED(blm_make(&f, "compressed keys=1e6 fpr=0.1% send=1MB", &why), BLM_E_ARG, "omit fpr");
    REFUSED(blm_make(&f, "compressed keys=9e15 fpr=1e-40", &why), BLM_E_ARG, "2^60 bits");
    assert_null(f);
    f = made("compressed keys=1000 send=1000b");
    assert_true(coded(f) <= 1000 && info_of(f).hashes == 1);
    blm_free(f);
}

/* ---- the filter --------------------------------------------------------------------------------------- */

/* By the same numbers it is standard, bit for bit. */
static void in_memory_it_is_standard(void **state)
{
    blm_filter *f = made("compressed keys=3000 fpr=0.1% seed=4");
    char spec[100];
    (void)state;
    snprintf(spec, sizeof spec, "standard bits=%db hashes=%u keys=3000 seed=4",
             (int)field(f, "cells"), info_of(f).hashes);
    blm_filter *g = made(spec);
    assert_true(fill_alike(f, g, 0));
    blm_estimate a, b;
    assert_true(!blm_cardinality(f, &a) && !blm_cardinality(g, &b) && a.value == b.value);
    blm_free(f);
    blm_free(g);
}

static void rates(void **state)
{
    blm_filter *f = made("compressed keys=20000 fpr=1% seed=1");
    (void)state;
    fill_to_rate(f, 20000, blm_fpr(f, &(blm_case){.keys = 20000}).high);
    blm_free(f);
    f = made("compressed keys=20000 fpr=0.2% seed=2 overfill=yes"); /* 1.5 times as many */
    fill_to_rate(f, 30000, blm_fpr(f, &(blm_case){.keys = 30000}).high);
    blm_free(f);
    f = made("compressed keys=20000 seed=3 overfill=yes send=160000b memory=100");
    fill_to_rate(f, 20000, 1.0265e-2);
    blm_free(f);
}

/* The entropy of the bits as they are is what was planned, to 4 sigma of the number of ones. */
static void coded_as_planned(void **state)
{
    blm_filter *f = made("compressed keys=100000 fpr=0.1%");
    (void)state;
    add_run(f, 0, 100000);
    const double m = (double)field(f, "cells"), one = (double)field(f, "ones") / m;
    const double entropy = -m * (one * log2(one) + (1 - one) * log2(1 - one));
    const double sd = blm_fill_sd((uint64_t)m, info_of(f).hashes, 100000);
    WITHIN(entropy, coded(f), 4 * sd * log2((1 - one) / one));
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_the_paper),
        cmocka_unit_test(plans_for_the_wire),
        cmocka_unit_test(limits),
        cmocka_unit_test(theory_of_odd_numbers),
        cmocka_unit_test(fewest_bits_for_a_rate),
        cmocka_unit_test(figures_of_the_page),
        cmocka_unit_test(bits_are_memory),
        cmocka_unit_test(refusals),
        cmocka_unit_test(in_memory_it_is_standard),
        cmocka_unit_test(rates),
        cmocka_unit_test(coded_as_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_theory_tables.c - filters that reset bits as well: tables 1 to 8 of Laufer, Velloso and Duarte (2011), cell by
 * cell, and the figures of their text. */
#include <bloomery/theory/generalized.h>
#include <stdio.h>
#include "theory/near.h"
#include "oracles.h"

#define KEYS 256 /* of all tables */

/* ---- tables 1 to 8 ------------------------------------------------------------------------------ */

enum { BF, FP, FN, FP_BOUND, FN_BOUND, COLUMNS };
typedef struct line {
    unsigned table;
    double p0;
    unsigned k0, k1;
    uint64_t m;
    double printed[COLUMNS]; /* tables 1 to 6: percent                                        */
    double exact[6];         /* standard filter, (8), (16), (12), (19), (24) in full precision */
} line;

/* clang-format off */
static const line lines[] = {
    {1, 0, 2, 2, 65536, {100.0, 0.0, 1.5, 6.3, 3.1}, {1, 5.91692191e-05, 5.916479646e-05, 0.0153636597, 0.0625, 0.0306484449}},
    {1, 0.25, 2, 2, 65536, {56.5, 3.6, 1.5, 6.3, 3.1}, {0.5654220804, 0.03588262354, 0.03588107123, 0.0153636597, 0.0625, 0.0306484449}},
    {1, 0.5, 2, 2, 65536, {25.4, 6.3, 1.5, 6.3, 3.1}, {0.2539062008, 0.06250396631, 0.0625, 0.0153636597, 0.0625, 0.0306484449}},
    {1, 0.75, 2, 2, 65536, {6.6, 3.6, 1.5, 6.3, 3.1}, {0.06545236112, 0.0358849405, 0.03588102711, 0.0153636597, 0.0625, 0.0306484449}},
    {1, 1, 2, 2, 65536, {0.0, 0.0, 1.5, 6.3, 3.1}, {6.056140541e-05, 5.918316002e-05, 5.916121362e-05, 0.0153636597, 0.0625, 0.0306484449}},
    {2, 0, 2, 3, 65536, {100.0, 0.0, 2.3, 3.5, 4.6}, {1, 5.84858967e-05, 5.848149574e-05, 0.02291252755, 0.03456, 0.0455749684}},
    {2, 0.25, 2, 3, 65536, {42.7, 2.7, 2.3, 3.5, 4.6}, {0.426809142, 0.02667244558, 0.02667081819, 0.02291252755, 0.03456, 0.0455749684}},
    {2, 0.5, 2, 3, 65536, {12.9, 3.1, 2.3, 3.5, 4.6}, {0.1294200129, 0.03137324029, 0.03136993708, 0.02291252755, 0.03456, 0.0455749684}},
    {2, 0.75, 2, 3, 65536, {1.7, 0.9, 2.3, 3.5, 4.6}, {0.0173212727, 0.009353202864, 0.009351414382, 0.02291252755, 0.03456, 0.0455749684}},
    {2, 1, 2, 3, 65536, {0.0, 0.0, 2.3, 3.5, 4.6}, {1.581346795e-06, 1.527770204e-06, 1.526835265e-06, 0.02291252755, 0.03456, 0.0455749684}},
    {3, 0.5, 2, 1, 65536, {50.2, 12.6, 0.8, 14.8, 1.6}, {0.5019493301, 0.1254875463, 0.1254835573, 0.007726581753, 0.1481481481, 0.01545851503}},
    {3, 0.5, 2, 2, 65536, {25.4, 6.3, 1.5, 6.3, 3.1}, {0.2539062008, 0.06250396631, 0.0625, 0.0153636597, 0.0625, 0.0306484449}},
    {3, 0.5, 2, 3, 65536, {12.9, 3.1, 2.3, 3.5, 4.6}, {0.1294200129, 0.03137324029, 0.03136993708, 0.02291252755, 0.03456, 0.0455749684}},
    {3, 0.5, 2, 4, 65536, {6.7, 1.6, 3.0, 2.2, 6.0}, {0.06646699187, 0.01586782153, 0.01586532856, 0.03037445713, 0.0219478738, 0.06024315483}},
    {3, 0.5, 2, 5, 65536, {3.4, 0.8, 3.8, 1.5, 7.5}, {0.03439136366, 0.008086177091, 0.008084408249, 0.03775069885, 0.01517832099, 0.0746579665}},
    {4, 0.5, 2, 1, 131072, {50.1, 12.6, 0.4, 14.8, 0.8}, {0.5009756132, 0.1252449453, 0.1252429564, 0.003877098712, 0.1481481481, 0.007770709117}},
    {4, 0.5, 2, 2, 131072, {25.2, 6.3, 0.8, 6.3, 1.6}, {0.2519531225, 0.06250198313, 0.0625, 0.007731633391, 0.0625, 0.01547351817}},
    {4, 0.5, 2, 3, 131072, {12.7, 3.1, 1.2, 3.5, 2.3}, {0.1272036737, 0.03131215112, 0.03131049901, 0.01156376804, 0.03456, 0.02310908598}},
    {4, 0.5, 2, 4, 131072, {6.5, 1.6, 1.5, 2.2, 3.0}, {0.06446835123, 0.01574735834, 0.0157461153, 0.01537366526, 0.0219478738, 0.03067806436}},
    {4, 0.5, 2, 5, 131072, {3.3, 0.8, 1.9, 1.5, 3.8}, {0.03279825965, 0.007950024608, 0.007949148469, 0.01916148629, 0.01517832099, 0.03818109821}},
    {5, 0.25, 2, 2, 8192, {58.5, 4.1, 11.3, 6.3, 21.5}, {0.5854508961, 0.04054772644, 0.04053330934, 0.1126044967, 0.0625, 0.2150949948}},
    {5, 0.25, 2, 2, 16384, {57.4, 3.8, 5.9, 6.3, 11.6}, {0.5740970494, 0.03797122863, 0.0379645828, 0.05915234369, 0.0625, 0.1157780673}},
    {5, 0.25, 2, 2, 32768, {56.8, 3.7, 3.0, 6.3, 6.0}, {0.5683289471, 0.03659388183, 0.03659070378, 0.0303353147, 0.0625, 0.06012814607}},
    {5, 0.25, 2, 2, 65536, {56.5, 3.6, 1.5, 6.3, 3.1}, {0.5654220804, 0.03588262354, 0.03588107123, 0.0153636597, 0.0625, 0.0306484449}},
    {5, 0.25, 2, 2, 131072, {56.4, 3.6, 0.8, 6.3, 1.6}, {0.563962942, 0.03552132752, 0.0355205606, 0.007731633391, 0.0625, 0.01547351817}},
    {6, 1, 2, 2, 8192, {0.4, 0.3, 11.3, 6.3, 21.5}, {0.003671211241, 0.003063013529, 0.003057696883, 0.1126044967, 0.0625, 0.2150949948}},
    {6, 1, 2, 2, 16384, {0.1, 0.1, 5.9, 6.3, 11.6}, {0.0009466507414, 0.0008638064126, 0.0008628835135, 0.05915234369, 0.0625, 0.1157780673}},
    {6, 1, 2, 2, 32768, {0.0, 0.0, 3.0, 6.3, 6.0}, {0.0002403677438, 0.0002295628448, 0.0002294165604, 0.0303353147, 0.0625, 0.06012814607}},
    {6, 1, 2, 2, 65536, {0.0, 0.0, 1.5, 6.3, 3.1}, {6.056140541e-05, 5.918316002e-05, 5.916121362e-05, 0.0153636597, 0.0625, 0.0306484449}},
    {6, 1, 2, 2, 131072, {0.0, 0.0, 0.8, 6.3, 1.6}, {1.519943574e-05, 1.50255952e-05, 1.502241448e-05, 0.007731633391, 0.0625, 0.01547351817}},
    {7, 1, 1, 22, 8192, {2.1e-07, 7.9e-08, 4.3e-1, 1.6e-2, 6.9e-1}, {2.106120932e-07, 8.086985161e-08, 7.911087991e-08, 0.4269522234, 0.01635154334, 0.6896110468}},
    {7, 1, 1, 44, 16384, {4.4e-14, 1.7e-14, 4.3e-1, 8.3e-3, 6.9e-1}, {4.431605536e-14, 1.724755439e-14, 1.652811416e-14, 0.4278862012, 0.008267127689, 0.6918732409}},
    {7, 1, 1, 89, 32768, {2.0e-27, 7.2e-28, 4.3e-1, 4.1e-3, 7.0e-1}, {1.959982758e-27, 7.843155601e-28, 7.205466553e-28, 0.4313319807, 0.004110406199, 0.6965730273}},
    {7, 1, 1, 177, 65536, {3.8e-54, 1.4e-54, 4.3e-1, 2.1e-3, 7.0e-1}, {3.83741476e-54, 1.673622699e-54, 1.41579607e-54, 0.4300825075, 0.002072562973, 0.6953693117}},
    {7, 1, 1, 355, 131072, {1.5e-107, 5.4e-108, 4.3e-1, 1.0e-3, 7.0e-1}, {1.470507325e-107, 7.550729999e-108, 5.40574822e-108, 0.4309441792, 0.001034822961, 0.6965447863}},
    {8, 0.01, 1, 22, 8192, {9.0e-1, 1.5e-2, 4.3e-1, 1.6e-2, 6.9e-1}, {0.8950306272, 0.01483929293, 0.01482667417, 0.4269522234, 0.01635154334, 0.6896110468}},
    {8, 0.01, 1, 44, 16384, {8.0e-1, 7.9e-3, 4.3e-1, 8.3e-3, 6.9e-1}, {0.801076086, 0.007902175514, 0.007894393839, 0.4278862012, 0.008267127689, 0.6918732409}},
    {8, 0.01, 1, 89, 32768, {6.4e-1, 4.1e-3, 4.3e-1, 4.1e-3, 7.0e-1}, {0.6407319199, 0.004110621022, 0.004105291155, 0.4313319807, 0.004110406199, 0.6965730273}},
    {8, 0.01, 1, 177, 65536, {4.1e-1, 2.0e-3, 4.3e-1, 2.1e-3, 7.0e-1}, {0.411163216, 0.001953435551, 0.001949761644, 0.4300825075, 0.002072562973, 0.6953693117}},
    {8, 0.01, 1, 355, 131072, {1.7e-1, 6.6e-4, 4.3e-1, 1.0e-3, 7.0e-1}, {0.1687952001, 0.0006572878504, 0.0006552587149, 0.4309441792, 0.001034822961, 0.6965447863}},
};
/* clang-format on */

/* (8) is the rate, (16) what the table may have been made with. */
static void computed(const line *l, double out[6])
{
    out[0] = blm_generalized_rate(l->m, 0, l->k1, KEYS, l->p0, false);
    out[1] = blm_generalized_rate(l->m, l->k0, l->k1, KEYS, l->p0, true);
    out[2] = blm_generalized_rate(l->m, l->k0, l->k1, KEYS, l->p0, false);
    out[3] = blm_generalized_misses(l->m, l->k0, l->k1, KEYS);
    out[4] = blm_generalized_bound(l->k0, l->k1);
    out[5] = blm_generalized_miss_bound(l->m, l->k0, l->k1, KEYS);
}

/* The largest relative difference from the full precision in each column, table by table. */
static void tables_in_full_precision(void **state)
{
    static const char *const columns[] = {"standard", "(8)", "(16)", "(12)", "(19)", "(24)"};
    (void)state;
    for (unsigned table = 1; table <= 8; table++)
        for (size_t c = 0; c < COUNT(columns); c++) {
            double worst = 0, got[6];
            char what[60];
            unsigned seen = 0;
            for (size_t i = 0; i < COUNT(lines); i++) {
                if (lines[i].table != table) continue;
                computed(&lines[i], got);
                NEAR(got[c], lines[i].exact[c], 1e-9);
                worst = fmax(worst, fabs(got[c] / lines[i].exact[c] - 1));
                seen++;
            }
            assert_int_equal(seen, 5);
            snprintf(what, sizeof what, "table %u, column by %s: largest relative error", table,
                     columns[c]);
            ORACLE_AT_MOST("2.A", what, 1e-9, worst);
        }
    assert_int_equal(COUNT(lines), 40);
}

/* A standard filter has no misses, and no bound below 1. */
static void standard_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_true(blm_generalized_bound(0, lines[i].k1) == 1);
        assert_true(blm_generalized_misses(lines[i].m, 0, lines[i].k1, KEYS) == 0);
        assert_true(blm_generalized_miss_bound(lines[i].m, 0, lines[i].k1, KEYS) == 0);
    }
    ORACLE_HOLDS("2.A", "tables 1 to 8, standard filter: fn = Fn = 0, Fp = 100 %", true);
}

/* ---- as printed ----------------------------------------------------------------------------------- */

/* v in units of the last digit that is printed; half up. */
static double rounded(double v) { return floor(v + 0.5); }

static double last_digit(const line *l, double printed)
{
    return l->table < 7 ? 1e-3 : pow(10, floor(log10(printed) + 1e-9) - 1);
}

static bool prints(const line *l, double printed, double v)
{
    const double unit = last_digit(l, printed);
    return fabs(rounded(v / unit * (1 + 1e-12)) - rounded(printed / unit)) < 0.5;
}

static bool prints_twice(const line *l, double printed,
                         double v) /* rounded to a digit more before */
{
    const double unit = last_digit(l, printed) / 10;
    return prints(l, printed, rounded(v / unit) * unit);
}

typedef struct classes {
    unsigned plain, twice, by_16, none;
} classes;

static void classify(const line *l, classes *c)
{
    static const int of[COLUMNS] = {0, 1, 3, 4, 5};
    double v[6];
    computed(l, v);
    for (int i = 0; i < COLUMNS; i++) {
        const double printed = l->table < 7 ? l->printed[i] / 100 : l->printed[i];
        if (l->table < 7) WITHIN(v[of[i]], printed, 0.001); /* 0.1 percentage point */
        if (prints(l, printed, v[of[i]]))
            c->plain++;
        else if (i == FP && prints(l, printed, v[2]))
            c->by_16++;
        else if (prints_twice(l, printed, v[of[i]]))
            c->twice++;
        else
            c->none++;
    }
}

static void tables_as_printed(void **state)
{
    classes all = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        classes c = {0};
        classify(&lines[i], &c);
        all = (classes){all.plain + c.plain, all.twice + c.twice, all.by_16 + c.by_16,
                        all.none + c.none};
        /* 12.6 % for 12.52 and 3.0 % for 3.07, both of table 4 */
        const bool off = lines[i].table == 4 && (lines[i].k1 == 1 || lines[i].k1 == 4);
        assert_int_equal(c.none, off);
        assert_true(c.by_16 == 0 || lines[i].table == 7);
    }
    ORACLE_NEAR("2.A", "cells of tables 1 to 8 that round to what is printed", 186, 0, all.plain);
    ORACLE_NEAR("2.A", "cells that were rounded twice", 8, 0, all.twice);
    ORACLE_NEAR("2.A", "cells of table 7 made with (16), not (8)", 4, 0, all.by_16);
    ORACLE_NEAR("2.A", "cells that disagree with the equations", 2, 0, all.none);
}

static void figures_of_the_text(void **state)
{
    (void)state;
    ORACLE_NEAR("2.A", "Fp of 2, 2", 0.0625, 1e-14, blm_generalized_bound(2, 2));
    ORACLE_NEAR("2.A", "Fp of 3, 3", 0.015625, 1e-14, blm_generalized_bound(3, 3));
    ORACLE_NEAR("2.A", "Fp of 4, 4", 0.00390625, 1e-14, blm_generalized_bound(4, 4));
    const uint64_t n = KEYS;
    ORACLE_NEAR("2.A", "2, 2, 128 bits a key, all ones", 0.000229, 2e-3,
                blm_generalized_rate(128 * n, 2, 2, n, 0, false));
    ORACLE_NEAR("2.A", "2, 2, 128 bits a key, a quarter zeros", 0.0366, 1e-3,
                blm_generalized_rate(128 * n, 2, 2, n, 0.25, false));
    ORACLE_NEAR("2.A", "2, 2, 128 bits a key, Fn", 0.060, 3e-3,
                blm_generalized_miss_bound(128 * n, 2, 2, n));
    ORACLE_NEAR("2.A", "2, 2, 128 bits a key, fn", 0.030, 0.012,
                blm_generalized_misses(128 * n, 2, 2, n));
    ORACLE_NEAR("2.A", "2, 3, 256 bits a key, all ones", 0.000058, 9e-3,
                blm_generalized_rate(256 * n, 2, 3, n, 0, false));
    ORACLE_NEAR("2.A", "2, 3, 256 bits a key, a quarter zeros", 0.0267, 2e-3,
                blm_generalized_rate(256 * n, 2, 3, n, 0.25, false));
    ORACLE_NEAR("2.A", "all-one attack, 65536 bits, 256 keys", 5.9e-5, 5e-3,
                blm_generalized_rate(65536, 2, 2, n, 0, false));
    ORACLE_NEAR("2.A", "the attacker's best start, 65536 bits, 256 keys", 0.0625, 1e-9,
                blm_generalized_rate(65536, 2, 2, n, blm_generalized_worst(2, 2), false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_in_full_precision),
        cmocka_unit_test(standard_columns),
        cmocka_unit_test(tables_as_printed),
        cmocka_unit_test(figures_of_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

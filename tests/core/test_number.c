/* test_number.c - numbers as people write them, whatever the locale. */
#include "core/comma.h"
#include "core/core_internal.h"

static void counts(void **state)
{
    static const struct {
        const char *text;
        uint64_t n;
    } good[] = {
        {"0", 0},
        {"7", 7},
        {"007", 7},
        {"1000000", 1000000},
        {"1e9", 1000000000},
        {"1E9", 1000000000},
        {"1e+9", 1000000000},
        {"2.5e3", 2500},
        {"10M", 10000000},
        {"10k", 10000},
        {"10K", 10000},
        {"2G", UINT64_C(2000000000)},
        {"3T", UINT64_C(3000000000000)},
        {"1.5M", 1500000},
        {".5k", 500},
        {"5.", 5},
        {"1.005k", 1005},
        {"0.000123M", 123},
        {"1.001k", 1001},
        {"30000e-3", 30},
        {"1e15", UINT64_C(1000000000000000)},
        {"9007199254740991", UINT64_C(9007199254740991)},
        {"00000000000000000000000000012", 12},
        {"1.00000000000000000000000000", 1},
        {"100000000000000000000000e-20", 1000},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        uint64_t n = 77;
        OK(blm_parse_count(good[i].text, &n, &why));
        assert_int_equal(n, good[i].n);
    }
}

/* Every count of up to four digits after the point is what it says. */
static void counts_with_a_point(void **state)
{
    (void)state;
    for (unsigned v = 0; v < 100000; v++) {
        char text[24];
        uint64_t n = 0;
        snprintf(text, sizeof text, "%u.%04uM", v / 10000, v % 10000);
        OK(blm_parse_count(text, &n, &why));
        assert_int_equal(n, (uint64_t)v * 100);
        snprintf(text, sizeof text, "%u.%03uk", v / 1000, v % 1000);
        OK(blm_parse_count(text, &n, &why));
        assert_int_equal(n, v);
    }
}

static void not_counts(void **state)
{
    static const char *const bad[] = {"",     "x",    "-1",   "+1",    " 1",  "1 ", "1,5",  "1.2.3",
                                      "0x10", "nan",  "inf",  "1e",    "1e+", "e5", ".",    "M",
                                      "10m",  "10MB", "10kk", "1_000", "1/2", "1%", "1e5e", "one"};
    uint64_t n = 77;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        REFUSED(blm_parse_count(bad[i], &n, &why), BLM_E_ARG, bad[i]);
        SAYS("not a count");
        SAYS("10M");
    }
    REFUSED(blm_parse_count("1.5", &n, &why), BLM_E_ARG, "1.5: a count is a whole number");
    REFUSED(blm_parse_count("25e-1", &n, &why), BLM_E_ARG, "25e-1: a count is a whole number");
    REFUSED(blm_parse_count("1e-30", &n, &why), BLM_E_ARG, "1e-30: a count is a whole number");
    assert_int_equal(n, 77);
}

static void counts_too_large(void **state)
{
    static const char *const bad[] = {"9007199254740992",
                                      "9007199254740993",
                                      "18446744073709551616",
                                      "99999999999999999999999999",
                                      "1e16",
                                      "1e99999999999",
                                      "10000T"};
    uint64_t n = 77;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        REFUSED(blm_parse_count(bad[i], &n, &why), BLM_E_ARG, bad[i]);
        SAYS("2^53");
    }
    assert_int_equal(n, 77);
}

static void rates(void **state)
{
    static const struct {
        const char *text;
        double p;
    } good[] = {
        {"0.001", 0.001},
        {"1e-3", 0.001},
        {"0.1%", 0.001},
        {"1/1000", 0.001},
        {".5", 0.5},
        {"50%", 0.5},
        {"1/3", 1.0 / 3},
        {"2.5e-1/2", 0.125},
        {"1/1e6", 1e-6},
        {"1e-300", 1e-300},
        {"99.9%", 0.999},
        {"1e-6", 1e-6},
        {"0.000001", 1e-6},
        {"1e-320", 1e-320},
        {"12e-22", 12e-22},
        {"0.00000000000000000000000000123", 1.23e-27},
        {"0.12345678901234567890123", 0.12345678901234567890123},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        double p = 0;
        OK(blm_parse_rate(good[i].text, &p, &why));
        NEAR(p, good[i].p, i == 13 ? 1e-3 : 4e-16); /* 1e-320 has eleven bits */
    }
}

static void not_rates(void **state)
{
    static const char *const bad[] = {"",      "x",      "0",    "-1",  "nan",   "inf",   "0%",
                                      "100%",  "1e-400", "1/0",  "0/0", "0/5",   "1/x",   "1/",
                                      "1/2/3", "1%%",    "%",    "0,1", "0.1 %", "0.1%x", "1/1000%",
                                      "200",   "1e400",  "-0.1", "5%5", "0.0",   "1000/1"};
    double p = 77;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char shown[40];
        snprintf(shown, sizeof shown, "fpr %s:", bad[i]);
        REFUSED(blm_parse_rate(bad[i], &p, &why), BLM_E_ARG, shown);
        SAYS("between 0 and 1, such as 0.001, 0.1% or 1/1000");
    }
    REFUSED(blm_parse_rate("5", &p, &why), BLM_E_ARG,
            "fpr 5: a rate lies between 0 and 1; did you mean 5% = 0.05?");
    REFUSED(blm_parse_rate("1", &p, &why), BLM_E_ARG, "did you mean 1% = 0.01?");
    REFUSED(blm_parse_rate("99.5", &p, &why), BLM_E_ARG, "did you mean 99.5% = 0.995?");
    REFUSED(blm_parse_rate("3/2", &p, &why), BLM_E_ARG, "did you mean 1.5% = 0.015?");
    REFUSED(blm_parse_rate("100", &p, &why), BLM_E_ARG, "such as 0.001");
    assert_true(p == 77);
}

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bits;
    } good[] = {
        {"1b", 1},
        {"1024b", 1024},
        {"128B", 1024},
        {"64KiB", 524288},
        {"2GiB", UINT64_C(1) << 34},
        {"1MiB", 8388608},
        {"1TiB", UINT64_C(1) << 43},
        {"10kB", 80000},
        {"10KB", 80000},
        {"10MB", 80000000},
        {"1GB", UINT64_C(8000000000)},
        {"1TB", UINT64_C(8000000000000)},
        {"4K", 32768},
        {"4M", 33554432},
        {"1G", UINT64_C(1) << 33},
        {"0.5KiB", 4096},
        {"1e3b", 1000},
        {"1152921504606846976b", UINT64_C(1) << 60},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        uint64_t bits = 0;
        OK(blm_parse_bits(good[i].text, &bits, &why));
        assert_int_equal(bits, good[i].bits);
    }
}

static void not_sizes(void **state)
{
    static const char *const bad[] = {"",     "x",    "-1B",    "1kiB", "1 KiB",
                                      "1Kib", "nanB", "1.2.3B", "B",    "1PiBx"};
    uint64_t bits = 77;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        REFUSED(blm_parse_bits(bad[i], &bits, &why), BLM_E_ARG, bad[i]);
        SAYS("not a size");
        SAYS("64KiB");
    }
    REFUSED(blm_parse_bits("1024", &bits, &why), BLM_E_ARG,
            "1024: bits or bytes? write 1024b for bits, 1024B");
    REFUSED(blm_parse_bits("0b", &bits, &why), BLM_E_ARG, "0b: a size lies between 1b and 2^60");
    REFUSED(blm_parse_bits("0.5b", &bits, &why), BLM_E_ARG,
            "0.5b: a size lies between 1b and 2^60");
    REFUSED(blm_parse_bits("1152921504606847232b", &bits, &why), BLM_E_ARG, "2^60");
    REFUSED(blm_parse_bits("1e30TiB", &bits, &why), BLM_E_ARG, "2^60");
    assert_int_equal(bits, 77);
}

/* A million shown as a whole word of garbage is cut, and the sentence still ends. */
static void long_texts_are_cut(void **state)
{
    char text[4000];
    uint64_t n = 77;
    double p = 77;
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    REFUSED(blm_parse_count(text, &n, &why), BLM_E_ARG, "xxx: not a count");
    REFUSED(blm_parse_rate(text, &p, &why), BLM_E_ARG, "xxx: a rate lies");
    REFUSED(blm_parse_bits(text, &n, &why), BLM_E_ARG, "xxx: not a size");
    memset(text, '9', sizeof text - 1);
    REFUSED(blm_parse_bits(text, &n, &why), BLM_E_ARG, "bits or bytes?");
    REFUSED(blm_parse_count(text, &n, &why), BLM_E_ARG, "2^53");
    assert_int_equal(blm_parse_count("x", &n, NULL), BLM_E_ARG); /* code only */
    assert_true(n == 77 && p == 77);
}

/* Within one rounding of the C library's own reading, in the C locale. */
static void numbers_are_near_strtod(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        char text[64];
        const uint64_t digits = draw(&random) >> draw(&random) % 64;
        const int scale = (int)(draw(&random) % 44) - 22;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, scale);
        const char *p = text;
        double v = -1;
        assert_true(blm_number(&p, text + strlen(text), &v));
        assert_int_equal(*p, 0);
        NEAR(v, strtod(text, NULL), digits < UINT64_C(1) << 53 ? 0 : 3e-16);
    }
}

/* The end is where the caller says, not where the text ends. */
static void numbers_stop_where_they_are_told(void **state)
{
    const char *text = "123.5e2xyz";
    static const double want[] = {0, 1, 12, 123, 123, 123.5, 123.5, 12350, 12350};
    static const size_t left[] = {0, 1, 2, 3, 4, 5, 5, 7, 7};
    (void)state;
    for (size_t n = 0; n < COUNT(want); n++) {
        const char *p = text;
        double v = 0;
        assert_int_equal(blm_number(&p, text + n, &v), n > 0);
        assert_true(v == want[n]);
        assert_int_equal(p - text, left[n]);
    }
}

/* strtod would read "0,1" here and stop at the dot. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    set_comma_locale();
    double p = 0;
    uint64_t n = 0;
    OK(blm_parse_rate("0.25", &p, &why));
    OK(blm_parse_count("1.5M", &n, &why));
    const blm_err comma = blm_parse_rate("0,25", &p, NULL);
    setlocale(LC_ALL, "C");
    assert_true(p == 0.25 && n == 1500000 && comma == BLM_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(counts_with_a_point),
        cmocka_unit_test(not_counts),
        cmocka_unit_test(counts_too_large),
        cmocka_unit_test(rates),
        cmocka_unit_test(not_rates),
        cmocka_unit_test(sizes),
        cmocka_unit_test(not_sizes),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(numbers_are_near_strtod),
        cmocka_unit_test(numbers_stop_where_they_are_told),
        cmocka_unit_test(the_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_cuckoo.c - two buckets of four slots: sizes and rates. */
#include <bloomery/theory/cuckoo.h>
#include "core/unit.h"

/* Slots are 95 % full from 2,280 keys on. Up to 8 keys have room in any two buckets. */
static void buckets_for_keys(void **state)
{
    (void)state;
    assert_int_equal(blm_cuckoo_buckets(0), 0);
    assert_int_equal(blm_cuckoo_buckets(UINT64_C(1) << 56), 0);
    for (uint64_t n = 1; n <= 8; n++) assert_int_equal(blm_cuckoo_buckets(n), n <= 4 ? 1 : 2);
    assert_int_equal(blm_cuckoo_buckets(8192), 2156); /* 8624 slots */
    assert_int_equal(blm_cuckoo_buckets(1000000), 263158);
    assert_true(blm_cuckoo_buckets(UINT64_C(1000000000000)) == UINT64_C(263157894737));
    uint64_t last = 2;
    for (uint64_t n = 9; n < 20000; n++) {
        const uint64_t b = blm_cuckoo_buckets(n);
        assert_true(b >= last && 3.8 * (double)b >= (double)n);
        if (n > 2280) assert_int_equal(b, (uint64_t)ceil((double)n / 3.8));
        last = b;
    }
}

/* By hand: one bucket with two keys, fingerprints of 2 bits: 1 - (2/3)^2. Two buckets with one and three keys: any
 * non-member meets four. Three buckets with 0, 0 and 4: one of three pairs has none. */
static void rates_of_small_tables(void **state)
{
    (void)state;
    NEAR(blm_rate_cuckoo_from_fill((uint64_t[]){0, 0, 1, 0, 0}, 2), 5.0 / 9, 1e-15);
    NEAR(blm_rate_cuckoo_from_fill((uint64_t[]){0, 1, 0, 1, 0}, 3), 1 - pow(6.0 / 7, 4), 1e-14);
    NEAR(blm_rate_cuckoo_from_fill((uint64_t[]){2, 0, 0, 0, 1}, 4),
         2.0 / 3 * (1 - pow(14.0 / 15, 4)), 1e-14);
    assert_true(blm_rate_cuckoo_from_fill((uint64_t[]){5, 0, 0, 0, 0}, 8) == 0);
    NEAR(blm_rate_cuckoo_from_fill((uint64_t[]){0, 0, 0, 0, 1000}, 40), 8 / (ldexp(1, 40) - 1),
         1e-9);
    assert_true(isnan(blm_rate_cuckoo_from_fill((uint64_t[]){0, 0, 0, 0, 1}, 57)));
}

/* However the keys lie, the rate is between the two; all alike is the high end, all or nothing the low one. */
static void bounds_hold(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t with[5] = {0}, buckets = 1 + draw(&random) % 50, n = 0;
        const unsigned width = 2 + (unsigned)(draw(&random) % 12);
        for (uint64_t b = 0; b < buckets; b++) {
            const uint64_t used = draw(&random) % 5;
            with[used]++;
            n += used;
        }
        const double p = blm_rate_cuckoo_from_fill(with, width);
        assert_true(p >= blm_rate_cuckoo(buckets, width, n, false) * (1 - 1e-12));
        assert_true(p <= blm_rate_cuckoo(buckets, width, n, true) * (1 + 1e-12));
    }
    NEAR(blm_rate_cuckoo(100, 8, 300, true),
         blm_rate_cuckoo_from_fill((uint64_t[]){0, 0, 0, 100, 0}, 8), 1e-12);
    NEAR(blm_rate_cuckoo(100, 8, 400, false), blm_rate_cuckoo(100, 8, 400, true), 1e-12);
    assert_true(blm_rate_cuckoo(100, 8, 500, true) == blm_rate_cuckoo(100, 8, 400, true));
    NEAR(blm_rate_cuckoo(2156, 7, 8192, true), 1 - pow(126.0 / 127, 8 * 0.94991), 1e-5);
    assert_true(isnan(blm_rate_cuckoo(0, 8, 1, true)) && isnan(blm_rate_cuckoo(1, 1, 1, true)));
}

static void sizes(void **state)
{
    uint64_t b = 77;
    unsigned w = 77;
    (void)state;
    assert_true(blm_size_cuckoo(1000000, 0.01, &b, &w));
    assert_true(b == 263158 && w == 10); /* 7.6 / 1023 = 0.74 %, 7.6 / 511 = 1.5 % */
    assert_true(blm_size_cuckoo(1000000, 0.001, &b, &w) && w == 13);
    assert_true(blm_size_cuckoo(1, 0.5, &b, &w) && b == 1 && w == 2);
    b = w = 77;
    assert_false(blm_size_cuckoo(1000, 1e-17, &b, &w) || blm_size_cuckoo(0, 0.01, &b, &w) ||
                 blm_size_cuckoo(10, 0, &b, &w) || blm_size_cuckoo(10, 1, &b, &w));
    assert_true(b == 77 && w == 77);
    assert_true(blm_fit_cuckoo(UINT64_C(8624) * 136, 8192, &b, &w) && b == 2156 && w == 8);
    assert_true(blm_fit_cuckoo(UINT64_C(8624) * 136 - 64, 8192, &b, &w) && b == 2171 &&
                w == 7); /* 540 bits each */
    assert_true(blm_fit_cuckoo(UINT64_C(8624) * 1000, 8192, &b, &w) && b == 8624000 / 736 &&
                w == 56);
    b = 77;
    assert_false(blm_fit_cuckoo(UINT64_C(8624) * 129, 8192, &b, &w) ||
                 blm_fit_cuckoo(64, 8192, &b, &w));
    assert_int_equal(b, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_for_keys),
        cmocka_unit_test(rates_of_small_tables),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

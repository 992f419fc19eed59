/* test_theory.c - of C groups of k positions, the one that sets the fewest new bits. */
#include <bloomery/theory/choices.h>
#include "theory/near.h"
#include "oracles.h"

/* ---- the limit of large filters, as the literature's table has it --------------------------------- */

static double limit(double bits_a_key, unsigned k, unsigned choices)
{
    return blm_rate_choice_from_fill(blm_fill_choice_limit(1 / bits_a_key, k, choices), k, choices);
}

static void table_of_bits_a_key(void **state)
{
    static const struct {
        double bits;
        unsigned choices, k;
        double rate;
    } table[] = {{8, 1, 6, 2.158e-2},   {8, 2, 7, 2.323e-2},   {8, 3, 7, 2.389e-2},
                 {10, 1, 7, 8.194e-3},  {10, 2, 8, 8.319e-3},  {10, 3, 9, 8.273e-3},
                 {12, 1, 8, 3.142e-3},  {12, 2, 10, 2.997e-3}, {12, 3, 10, 2.901e-3},
                 {16, 1, 11, 4.587e-4}, {16, 2, 13, 3.933e-4}, {16, 3, 13, 3.609e-4},
                 {24, 1, 17, 9.839e-6}, {24, 2, 19, 7.017e-6}, {24, 3, 19, 5.874e-6},
                 {32, 1, 22, 2.104e-7}, {32, 2, 24, 1.285e-7}, {32, 3, 25, 9.98e-8}};
    char what[60];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const unsigned c = table[i].choices;
        unsigned best = 1;
        for (unsigned k = 2; k <= 128 / c && k <= 64; k++)
            if (limit(table[i].bits, k, c) < limit(table[i].bits, best, c)) best = k;
        snprintf(what, sizeof what, "best k at %g bits a key, C=%u", table[i].bits, c);
        ORACLE_NEAR("1.A5", what, table[i].k, 0, best);
        snprintf(what, sizeof what, "rate at %g bits a key, C=%u", table[i].bits, c);
        /* half a unit of the last of its digits */
        ORACLE_NEAR("1.A5", what, table[i].rate, 5.1e-4, limit(table[i].bits, best, c));
    }
}

static double best_limit(double bits_a_key, unsigned choices)
{
    double best = 1;
    for (unsigned k = 1; k <= 32; k++) best = fmin(best, limit(bits_a_key, k, choices));
    return best;
}

static void break_even_near_eleven_bits(void **state)
{
    double low = 8, high = 16;
    (void)state;
    while (high - low > 1e-6) {
        const double middle = (low + high) / 2;
        *(best_limit(middle, 2) > best_limit(middle, 1) ? &low : &high) = middle;
    }
    ORACLE_BETWEEN("1.A5", "bits a key from which two choices win", 11, 10.4, 11.4, low);
}

/* ---- one choice is a standard filter ---------------------------------------------------------------- */

static void one_choice_is_standard(void **state)
{
    static const unsigned ks[] = {1, 2, 3, 7, 13, 20, 64};
    (void)state;
    for (size_t i = 0; i < COUNT(ks); i++)
        for (uint64_t n = 1; n < 3000000; n = n * 3 + 1) {
            const unsigned k = ks[i];
            const uint64_t m = 10 + n * k * 10 / 7;
            const blm_choice c = blm_choice_after(m, k, 1, n);
            const bool chain = n * k <= 512;
            const double x = fmin((double)n, 5000); /* then 1e-8 */
            NEAR(c.fill, blm_fill_mean(m, k, n) / (double)m, chain ? 1e-12 : 1e-5);
            NEAR(c.rate, blm_rate_exact(m, k, n), chain ? 1e-11 : (0.006 * k * k + 0.1) / x / x);
            if (n > 1) NEAR(c.fill_sd, blm_fill_sd(m, k, n) / (double)m, chain ? 1e-6 : 1e-3);
            NEAR(blm_keys_from_fill_choice(m / 3, m, k, 1), blm_keys_from_fill(m / 3, m, k),
                 1.0 / (double)m);
        }
    NEAR(blm_rate_choice(9585059, 7, 1, 1000000), 0.0100392236134569, 1e-8);
}

/* ---- few keys: all positions of all keys, one by one -------------------------------------------------- */

enum { CELLS = 3, PLACES = 4, WAYS = 81 }; /* two groups of two */

static unsigned after_key(unsigned ones, unsigned way)
{
    unsigned group[2] = {0, 0}, min = CELLS + 1, next = ones;
    for (unsigned i = 0; i < PLACES; i++, way /= CELLS) group[i / 2] |= 1u << way % CELLS;
    for (unsigned g = 0; g < 2; g++) {
        const unsigned fresh = (unsigned)__builtin_popcount(group[g] & ~ones);
        if (fresh < min) min = fresh, next = ones | group[g];
    }
    return next;
}

static void every_way_of_two_keys(void **state)
{
    double rate[3] = {0}, square[3] = {0}, fill[3] = {0};
    (void)state;
    for (unsigned a = 0; a < WAYS; a++)
        for (unsigned b = 0; b < WAYS; b++) {
            const unsigned one = after_key(0, a), two = after_key(one, b);
            const unsigned ones[3] = {0, one, two};
            for (unsigned n = 1; n <= 2; n++) {
                const double r = __builtin_popcount(ones[n]) / (double)CELLS;
                const double p = 1 - (1 - r * r) * (1 - r * r), all = WAYS * WAYS;
                fill[n] += r / all, rate[n] += p / all, square[n] += p * p / all;
            }
        }
    for (unsigned n = 1; n <= 2; n++) {
        const blm_choice c = blm_choice_after(CELLS, 2, 2, n);
        NEAR(c.fill, fill[n], 1e-12);
        NEAR(c.rate, rate[n], 1e-12);
        NEAR(c.rate_sd, sqrt(square[n] - rate[n] * rate[n]) / rate[n], 1e-9);
    }
}

/* ---- simulated filters ------------------------------------------------------------------------------- */

static unsigned simulate(uint64_t *state, unsigned m, unsigned k, unsigned choices, unsigned n)
{
    uint8_t bit[4096] = {0};
    unsigned ones = 0;
    while (n--) {
        unsigned at[128], best = 0, fewest = k + 1;
        for (unsigned i = 0; i < choices * k; i++) at[i] = draw_below(state, m);
        for (unsigned g = 0; g < choices; g++) {
            unsigned zeros = 0;
            for (unsigned i = g * k; i < g * k + k; i++) {
                unsigned j = g * k;
                while (at[j] != at[i]) j++;
                zeros += j == i && !bit[at[i]];
            }
            if (zeros < fewest) fewest = zeros, best = g;
        }
        for (unsigned i = best * k; i < best * k + k; i++) bit[at[i]] = 1;
        ones += fewest;
    }
    return ones;
}

/* Above and below 512 throws, fill to 3/4: means within 4 sigma, spreads within 20 % (800 filters: sd 2.5 %). */
static void as_simulated(void **state)
{
    static const unsigned table[][4] = {{300, 10, 2, 20}, {600, 10, 2, 52},  {600, 10, 2, 90},
                                        {600, 7, 3, 80},  {1600, 20, 2, 60}, {900, 16, 8, 40}};
    enum { FILTERS = 800 };
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const unsigned m = table[i][0], k = table[i][1], c = table[i][2], n = table[i][3];
        const blm_choice want = blm_choice_after(m, k, c, n);
        double fill = 0, square = 0, rate = 0;
        for (unsigned f = 0; f < FILTERS; f++) {
            const double r = simulate(&seed, m, k, c, n) / (double)m;
            fill += r / FILTERS, square += r * r / FILTERS;
            rate += (1 - pow(1 - pow(r, k), c)) / FILTERS;
        }
        WITHIN(fill, want.fill, 4 * want.fill_sd / sqrt(FILTERS));
        NEAR(sqrt(square - fill * fill), want.fill_sd, 0.2);
        NEAR(rate, want.rate, 4 * want.rate_sd / sqrt(FILTERS));
    }
}

/* The chain ends at 512 throws; one key more is what the last four say, by a cubic. */
static void no_seam_behind_the_chain(void **state)
{
    static const unsigned table[][3] = {{600, 10, 2}, {600, 10, 3}, {250, 4, 2}, {250, 4, 8}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        const unsigned m = table[i][0], k = table[i][1], c = table[i][2], n = 512 / k;
        const blm_choice past = blm_choice_after(m, k, c, n + 1);
        blm_choice last[4];
        for (unsigned j = 0; j < 4; j++) last[j] = blm_choice_after(m, k, c, n - j);
        NEAR(past.fill, 4 * last[0].fill - 6 * last[1].fill + 4 * last[2].fill - last[3].fill,
             3e-5);
        NEAR(past.rate, 4 * last[0].rate - 6 * last[1].rate + 4 * last[2].rate - last[3].rate,
             2e-4);
        NEAR(past.fill_sd, last[0].fill_sd, 0.02);
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

static void smallest_size(void **state)
{
    static const double rates[] = {0.3, 0.01, 1e-4};
    (void)state;
    for (unsigned choices = 1; choices <= 3; choices++)
        for (size_t i = 0; i < COUNT(rates); i++)
            for (uint64_t n = 1; n < 200000; n = 7 * n + 2) {
                const double p = rates[i];
                uint64_t m = 0, other = 0;
                unsigned k = 0, same = 0;
                assert_true(blm_size_choice(n, p, choices, 0, &m, &k));
                assert_true(blm_rate_choice(m, k, choices, n) <= p);
                assert_true(m == 1 || blm_rate_choice(m - 1, k, choices, n) > p);
                for (unsigned h = k > 3 ? k - 3 : 1; h < k + 4; h++) {
                    assert_true(blm_size_choice(n, p, choices, h, &other, &same));
                    assert_true(same == h && other >= m);
                }
            }
}

static void best_hashes(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 100000; n = 9 * n + 1)
        for (unsigned bits = 2; bits < 40; bits += 5) {
            const uint64_t m = n * bits;
            const unsigned k = blm_best_hashes_choice(m, 2, n);
            assert_true(k >= 1 && k <= 64);
            for (unsigned h = k > 3 ? k - 3 : 1; h < k + 3; h++)
                assert_true(blm_rate_choice(m, h, 2, n) >= blm_rate_choice(m, k, 2, n));
        }
    assert_int_equal(blm_best_hashes_choice(1000000, 2, 1), 64);
    assert_int_equal(blm_best_hashes_choice(1000000, 8, 1), 16);
}

static void keys_from_fill(void **state)
{
    (void)state;
    for (unsigned choices = 1; choices <= 8; choices++)
        for (uint64_t n = 100000; n < 3000000; n *= 2) {
            const uint64_t m = 16000000;
            const double fill = blm_choice_after(m, 11, choices, n).fill;
            const double keys =
                blm_keys_from_fill_choice((uint64_t)(fill * (double)m), m, 11, choices);
            NEAR(keys, (double)n, 2e-5);
        }
    /* 13 bits per key at first, whatever the choice is: 26000 ones of 10^9 */
    NEAR(blm_keys_from_fill_choice(26000, 1000000000, 13, 2), 2000, 1e-3);
    NEAR(blm_keys_sd_choice(100000, 7, 1, 10000), blm_keys_sd(100000, 7, 10000), 1e-3);
}

static void full_and_empty(void **state)
{
    const blm_choice none = blm_choice_after(1000, 7, 2, 0);
    const blm_choice full = blm_choice_after(10, 7, 2, UINT64_C(1) << 56);
    (void)state;
    assert_true(none.fill == 0 && none.rate == 0 && none.rate_sd == 0);
    assert_true(full.fill > 0.999999 && full.fill <= 1 && full.rate > 0.99999 && full.rate <= 1);
    assert_true(blm_choice_after(1, 1, 1, 1).rate == 1);
    assert_true(blm_keys_from_fill_choice(0, 10, 3, 2) == 0);
    assert_true(isinf(blm_keys_from_fill_choice(10, 10, 3, 2)));
    assert_true(blm_rate_choice_from_fill(1, 5, 3) == 1 && blm_rate_choice_from_fill(0, 5, 3) == 0);
    for (double load = 0; load < 1e9; load = load * 10 + 0.01)
        assert_true(blm_fill_choice_limit(load, 5, 2) < blm_fill_choice_limit(load + 1e-3, 5, 2) ||
                    load > 100);
}

static void what_has_no_answer(void **state)
{
    uint64_t m = 5;
    unsigned k = 5;
    (void)state;
    assert_true(isnan(blm_rate_choice(0, 7, 2, 10)) && isnan(blm_rate_choice(10, 0, 2, 10)));
    assert_true(isnan(blm_rate_choice(10, 7, 0, 10)) && isnan(blm_rate_choice(10, 7, 9, 10)));
    assert_true(isnan(blm_rate_choice(10, 17, 8, 10)) && isnan(blm_rate_choice(10, 65, 1, 10)));
    assert_false(isnan(blm_rate_choice(10, 16, 8, 10)) || isnan(blm_rate_choice(10, 64, 2, 10)));
    assert_true(isnan(blm_fill_choice_limit(-1, 5, 2)) && isnan(blm_fill_choice_limit(NAN, 5, 2)));
    assert_true(isnan(blm_rate_choice_from_fill(1.1, 5, 2)));
    assert_true(isnan(blm_keys_from_fill_choice(11, 10, 5, 2)));
    assert_int_equal(blm_best_hashes_choice(0, 2, 5), 0);
    assert_int_equal(blm_best_hashes_choice(5, 2, 0), 0);
    assert_int_equal(blm_best_hashes_choice(5, 9, 5), 0);
    assert_false(blm_size_choice(0, 0.1, 2, 0, &m, &k) || blm_size_choice(9, 0, 2, 0, &m, &k));
    assert_false(blm_size_choice(9, 1, 2, 0, &m, &k) || blm_size_choice(9, NAN, 2, 0, &m, &k));
    assert_false(blm_size_choice(9, 0.1, 0, 0, &m, &k) || blm_size_choice(9, 0.1, 3, 43, &m, &k));
    assert_false(blm_size_choice(UINT64_C(1) << 56, 1e-9, 2, 0, &m, &k));
    assert_true(m == 5 && k == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_bits_a_key),    cmocka_unit_test(break_even_near_eleven_bits),
        cmocka_unit_test(one_choice_is_standard), cmocka_unit_test(every_way_of_two_keys),
        cmocka_unit_test(as_simulated),           cmocka_unit_test(no_seam_behind_the_chain),
        cmocka_unit_test(smallest_size),          cmocka_unit_test(best_hashes),
        cmocka_unit_test(keys_from_fill),         cmocka_unit_test(full_and_empty),
        cmocka_unit_test(what_has_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_wire.c - the density and the cost of a delta: the figures of the literature, and filters that were measured. */
#include "core/unit.h"
#include "core/bytes.h"
#include "oracles.h"
#include <bloomery/theory/wire.h>

/* Bits per key: bits per key of the filter, hashes, and 1, 5, 10 % of the keys replaced. */
static const struct {
    unsigned width, hashes;
    double bits[3];
} rows[] = {{8, 5, {0.462, 1.671, 2.772}},
            {8, 6, {0.485, 1.742, 2.875}},
            {14, 2, {0.350, 1.343, 2.331}},
            {32, 1, {0.235, 0.950, 1.705}}};
static const double shares[3] = {0.01, 0.05, 0.1};

static void bits_of_the_table(void **state)
{
    char what[80];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t j = 0; j < 3; j++) {
            snprintf(what, sizeof what, "bits per key: m/n=%u k=%u t=%g %%", rows[i].width,
                     rows[i].hashes, 100 * shares[j]);
            ORACLE_BETWEEN(
                "1.C6", what, rows[i].bits[j], rows[i].bits[j] - 0.0005, rows[i].bits[j] + 0.0005,
                blm_delta_bits(rows[i].width * 1e6, rows[i].hashes, 1e6, shares[j]) / 1e6);
        }
}

static void entropy_of_a_bit(void **state)
{
    (void)state;
    NEAR(blm_wire_entropy(0.5), 1, 1e-15);
    NEAR(blm_wire_entropy(0.25), 2 - 0.75 * log2(3), 1e-14);
    NEAR(blm_wire_entropy(0.05), 0.28639695711595625, 1e-13);
    NEAR(blm_wire_entropy(1e-12), 41.30583217953732e-12, 1e-11); /* log2 e + 12 log2 10 */
    assert_true(blm_wire_entropy(0) == 0 && blm_wire_entropy(1) == 0);
    assert_true(isnan(blm_wire_entropy(-0.1)) && isnan(blm_wire_entropy(1.1)));
    assert_true(isnan(blm_wire_entropy(NAN)));
}

static void densities_at_the_ends(void **state)
{
    (void)state;
    assert_true(blm_delta_density(1000, 3, 100, 0) == 0 && blm_delta_bits(1000, 3, 100, 0) == 0);
    NEAR(blm_delta_density(1000, 1, 1e-6, 1), 2e-9, 1e-6); /* one bit of each of two keys */
    assert_true(isnan(blm_delta_density(0, 3, 100, 0.1)));
    assert_true(isnan(blm_delta_density(1000, 0, 100, 0.1)));
    assert_true(isnan(blm_delta_density(1000, 3, -1, 0.1)));
    assert_true(isnan(blm_delta_density(1000, 3, 100, 1.5)) && isnan(blm_delta_bits(9, 3, 9, -1)));
}

/* ---- filters -------------------------------------------------------------------------------------------- */

static blm_filter *with_keys(size_t row, uint64_t first, uint64_t n)
{
    blm_filter *f = made_new(BLM_CONFIG(.kind = "standard", .bits = rows[row].width * n,
                                        .hashes = rows[row].hashes, .keys = n));
    for (uint64_t i = first; i < first + n; i++) OK(blm_add_u64(f, i));
    return f;
}

static blm_err count_bytes(void *ctx, const void *p, size_t n)
{
    (void)p;
    *(size_t *)ctx += n;
    return BLM_OK;
}

/* The keys of a window that moves on by a share of itself. */
static void measured(size_t row, size_t share, uint64_t n)
{
    char what[80];
    size_t bytes = 0, sent = 0, header = 0;
    const double m = (double)rows[row].width * (double)n;
    blm_filter *old = with_keys(row, 0, n),
               *now = with_keys(row, (uint64_t)(shares[share] * (double)n), n);
    const uint8_t *a = blm_cells(old, &bytes), *b = blm_cells(now, &bytes);
    uint64_t ones = 0;
    for (size_t i = 0; i < bytes; i++) ones += blm_ones_of((uint64_t)(a[i] ^ b[i]));
    snprintf(what, sizeof what, "density measured: m/n=%u k=%u t=%g %%", rows[row].width,
             rows[row].hashes, 100 * shares[share]);
    ORACLE_HITS("1.C6", what, blm_delta_density(m, rows[row].hashes, (double)n, shares[share]),
                ones, (uint64_t)m);
    OK(blm_delta(old, now, count_bytes, &sent, &why));
    OK(blm_delta(now, now, count_bytes, &header, &why));
    snprintf(what, sizeof what, "coded, of m H(q): m/n=%u k=%u t=%g %%", rows[row].width,
             rows[row].hashes, 100 * shares[share]);
    ORACLE_BETWEEN("1.C6", what, 1, 0.999, 1.008,
                   (double)(sent - header) * 8 / (m * blm_wire_entropy((double)ones / m)));
    blm_free(old);
    blm_free(now);
}

static void filters_that_changed(void **state)
{
    const uint64_t n = 500000;
    (void)state;
    for (size_t row = 0; row < COUNT(rows); row++) measured(row, row % 3, n);
}

/* No key is in both: the difference is denser than the filter, which is sent whole. */
static void too_different(void **state)
{
    (void)state;
    size_t sent = 0, whole = 0;
    blm_filter *old = with_keys(0, 0, 10000), *now = with_keys(0, 10000, 10000);
    OK(blm_delta(old, now, count_bytes, &sent, &why));
    OK(blm_pack(now, count_bytes, &whole, &why));
    assert_true(blm_delta_bits(80000, 5, 10000, 1) > 80000 * blm_wire_entropy(exp(-5. / 8)));
    assert_int_equal(sent, whole);
    blm_free(old);
    blm_free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_the_table),     cmocka_unit_test(entropy_of_a_bit),
        cmocka_unit_test(densities_at_the_ends), cmocka_unit_test(filters_that_changed),
        cmocka_unit_test(too_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_rates.c - powers of two by integers, counts of a Zipf stream, and rates of streams that go on for ever. */
#include <float.h>
#include "cells.h"
#include "core/unit.h"
#include "oracles.h"

/* ---- powers ---------------------------------------------------------------------------------------- */

/* The table, made again in long double; where that has 64 digits or more, to 2 units of 2^-63. */
static void powers_of_two(void **state)
{
    const long double slack = fmaxl(2, 4 * LDBL_EPSILON * 0x1p63L);
    uint64_t random = 1, last = 0;
    (void)state;
    for (uint64_t j = 0; j < 64; j++) {
        const long double want = 0x1p63L * exp2l((long double)j / 64);
        assert_true(fabsl((long double)blm_decay_power(j << 58) - want) <= slack);
    }
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t x = draw(&random);
        const long double want = 0x1p63L * exp2l((long double)x * 0x1p-64L);
        const long double got = (long double)blm_decay_power(x);
        assert_true(got <= want + slack && got >= want * (1 - 0x1p-55L) - slack);
    }
    for (unsigned i = 0; i < 4096; i++) { /* it never falls, also from step to step */
        const uint64_t at = (uint64_t)i << 52, now = blm_decay_power(at);
        assert_true(now > last && (!i || blm_decay_power(at - 1) <= now));
        last = now;
    }
    assert_true(blm_decay_power(0) == UINT64_C(1) << 63);
}

/* x = rest / half to 2^-61, for half-lives of all sizes. */
static void phases(void **state)
{
    uint64_t random = 2;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t half = 1 + (draw(&random) >> (16 + draw(&random) % 48));
        blm_time_decaying t = {.half = half < DECAY_HALF_MAX ? half : DECAY_HALF_MAX};
        t.reciprocal = blm_decay_reciprocal(t.half);
        const uint64_t rest = draw(&random) % t.half;
        const long double want = 0x1p63L * exp2l((long double)rest / (long double)t.half);
        const long double got = (long double)blm_decay_power_at(&t, rest);
        assert_true(fabsl(got / want - 1) <= fmaxl(0x1p-54L, 4 * LDBL_EPSILON));
    }
}

/* ---- streams ---------------------------------------------------------------------------------------- */

enum { ZIPF_KEYS = 5000, ZIPF_DRAWS = TEST_SLOW ? 20000 : 100000 };

typedef struct zipf {
    double sum[ZIPF_KEYS], truth[ZIPF_KEYS];
    uint64_t last[ZIPF_KEYS];
} zipf;

static uint64_t zipf_key(const zipf *z, uint64_t *random)
{
    const double u = (double)(draw(random) >> 11) * 0x1p-53;
    uint64_t low = 0, high = ZIPF_KEYS - 1;
    while (low < high) {
        const uint64_t mid = (low + high) / 2;
        *(z->sum[mid] > u ? &high : &low) = z->sum[mid] > u ? mid : mid + 1;
    }
    return low;
}

static zipf *zipf_new(void)
{
    zipf *z = calloc(1, sizeof *z);
    double all = 0;
    assert_non_null(z);
    for (uint64_t i = 0; i < ZIPF_KEYS; i++) z->sum[i] = all += 1 / (double)(i + 1);
    for (uint64_t i = 0; i < ZIPF_KEYS; i++) z->sum[i] /= all;
    return z;
}

static blm_filter *seeded(const char *spec, uint64_t seed)
{
    char text[200];
    snprintf(text, sizeof text, "time-decaying %s seed=%u overfill=yes", spec, (unsigned)seed);
    return made(text);
}

static double count(const blm_filter *f, uint64_t key)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    blm_estimate n;
    assert_int_equal(blm_count_item(f, &it, &n), BLM_OK);
    assert_false(n.bound);
    return n.value;
}

/* Exponent 1, a half-life of 2000 arrivals, and cells for 500 keys: they collide everywhere. Each count against the truth,
 * which fades in floating point, and less than a unit of the last place. */
static void never_below_the_truth(void **state)
{
    const double half = 2000, unit = 0x1p-16;
    bool never_low = true, closer = true;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        zipf *z = zipf_new();
        uint64_t random = seed, above = 0;
        blm_filter *f = seeded("keys=500 fpr=5% width=32 half=2000", seed),
                   *plain = seeded("keys=500 fpr=5% width=32 half=2000 update=plain", seed);
        for (uint64_t now = 1; now <= ZIPF_DRAWS; now++) {
            const uint64_t key = zipf_key(z, &random);
            add_run(f, key, 1);
            add_run(plain, key, 1);
            z->truth[key] = 1 + z->truth[key] * exp2(-(double)(now - z->last[key]) / half);
            z->last[key] = now;
        }
        for (uint64_t key = 0; key < ZIPF_KEYS; key++) {
            const double n = count(f, key), most = count(plain, key),
                         truth = z->truth[key] * exp2(-(double)(ZIPF_DRAWS - z->last[key]) / half);
            never_low = never_low && n > truth * (1 - 1e-9) - unit;
            closer = closer && n <= most * (1 + unit) + 2 * unit;
            above += n > truth + 1;
        }
        assert_true(above > 10); /* or nothing was hard */
        free(z);
        blm_free(f);
        blm_free(plain);
    }
    ORACLE_HOLDS("2.C3", "est is never below the true decayed count - 2^-16, Zipf", never_low);
    ORACLE_HOLDS("2.C3", "conservative counts are at most the plain ones", closer);
}

/* n keys, once each: a count is above the truth only where another key has each of its cells. 4 sigma. */
static void counts_above_the_truth(void **state)
{
    enum { KEYS = 2000, SEEDS = 3 };
    uint64_t above = 0;
    double limit = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        blm_filter *f =
            seeded("keys=2000 bits=160000b hashes=4 half=5000 width=16 update=plain", seed);
        const double columns = (double)field(f, "columns"), half = 5000, unit = 0x1p-8;
        assert_true(columns == 2500);
        add_run(f, 0, KEYS);
        for (uint64_t key = 0; key < KEYS; key++) {
            const double truth = exp2(-(double)(KEYS - 1 - key) / half);
            above += count(f, key) > truth * (1 + unit) + unit;
        }
        limit = pow(1 - exp(-KEYS / columns), 4);
        blm_free(f);
    }
    const double trials = SEEDS * KEYS;
    ORACLE_AT_MOST("2.C3", "P[est > true], (1 - e^(-kn/m))^k and 4 sigma",
                   limit + 4 * sqrt(limit * (1 - limit) / trials), (double)above / trials);
    assert_true((double)above / trials > limit / 2);
}

/* ---- for ever ---------------------------------------------------------------------------------------- */

typedef struct forever {
    double fill, sd, missed; /* cells above the threshold; of keys that are 1.25 windows old */
} forever;

/* New keys, `keys` per window, for 12 windows; then, each quarter of a window, the cells above the threshold: by `rate`. */
static forever stream(const char *spec, uint64_t keys)
{
    enum { SAMPLES = 40, SEEDS = 3 };
    forever all = {0, 0, 0};
    double square = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        blm_filter *f = seeded(spec, seed);
        uint64_t at = 12 * keys, missed = 0, asked = 0;
        add_run(f, 0, at);
        for (unsigned i = 0; i < SAMPLES; i++) {
            add_run(f, at, keys / 4);
            at += keys / 4;
            const double p = pow(blm_fpr(f, NULL).high, 1 / (double)field(f, "hashes"));
            all.fill += p / SAMPLES / SEEDS;
            square += p * p / SAMPLES / SEEDS;
            for (uint64_t k = 0; k < 100; k++, asked++)
                missed += !blm_has_u64(f, at - 1 - keys * 5 / 4 - k);
        }
        all.missed += (double)missed / (double)asked / SEEDS;
        blm_free(f);
    }
    all.sd = sqrt(fmax(0, square - all.fill * all.fill));
    return all;
}

/* The sum of what old keys left, by Dickman's distribution: at 40 x 3 moments, of which those of one seed are 10 windows
 * apart from first to last, so that at least 15 are independent. Conservative ones lie between no old keys and plain ones. */
static void old_keys_add_up(void **state)
{
    static const struct {
        const char *knobs;
        double nats; /* of a window */
    } table[] = {{"above=0.5", 0.6931471805599453}, {"above=0.1", 2.302585092994046}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[120];
        snprintf(spec, sizeof spec, "keys=2000 fpr=1%% width=32 update=plain %s", table[i].knobs);
        blm_filter *f = seeded(spec, 1);
        const double c = 2000 / (double)field(f, "columns"), q = c / table[i].nats;
        const double no = exp(-c - 0.5772156649015329 * q - lgamma(1 + q));
        const blm_rate planned = blm_fpr(f, &(blm_case){.keys = 2000});
        const double k = (double)field(f, "hashes");
        NEAR(planned.high, pow(1 - no, k), 1e-3);
        NEAR(planned.low, pow(1 - exp(-c), k), 1e-2);
        const blm_case aged = {.keys = 2000, .gap = 2550, .arg = BLM_NO_ARG};
        const double least = blm_fnr(f, &aged).low;
        blm_free(f);
        const forever plain = stream(spec, 2000);
        ORACLE_BETWEEN(
            "2.C3", i ? "cells above 0.1, for ever, plain" : "cells above 0.5, for ever, plain",
            1 - no, 1 - no - 4 * plain.sd / sqrt(15), 1 - no + 4 * plain.sd / sqrt(15), plain.fill);
        /* The limit is that of their mean age; 4 sigma of 12000 questions, of which 3000 are independent. */
        WITHIN(plain.missed, least, 4 * sqrt(least * (1 - least) / 3000));
        snprintf(spec, sizeof spec, "keys=2000 fpr=1%% width=32 %s", table[i].knobs);
        const forever conservative = stream(spec, 2000);
        assert_true(conservative.fill > 1 - exp(-c) - 4 * conservative.sd / sqrt(15));
        assert_true(conservative.fill < plain.fill && conservative.missed > plain.missed);
        /* The rates that the page of the kind names. */
        NEAR(pow(conservative.fill, k), i ? 0.0071 : 0.0027, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_two),         cmocka_unit_test(phases),
        cmocka_unit_test(never_below_the_truth), cmocka_unit_test(counts_above_the_truth),
        cmocka_unit_test(old_keys_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

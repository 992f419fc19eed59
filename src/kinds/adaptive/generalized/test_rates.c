/* test_rates.c - both errors and their bounds, from whatever start; what is planned for them. */
#include <bloomery/theory/generalized.h>
#include "test_resets.h"
#include "oracles.h"

/* ---- the bound ------------------------------------------------------------------------------------------- */

/* Counts the non-members that pass, against the rate by the ones, and against Fp (1 + part): one array can have up to
 * a part of k / 2m more. */
static double passed(const blm_filter *f, uint64_t probes)
{
    const double now = blm_fpr(f, NULL).high, got = (double)false_yes(f, probes) / (double)probes;
    WITHIN(got, now, 4 * sqrt(now * (1 - now) / (double)probes));
    return got;
}

/* Zeros, ones, alternating, by chance and the worst of all: no content passes. */
static void contents(uint64_t m, pair k, uint64_t probes)
{
    const double all = k.k0 + k.k1, bound = blm_generalized_bound(k.k0, k.k1);
    const double noise = 4 * sqrt(bound * (1 - bound) / (double)probes);
    const double max = bound + noise;
    double mean = 0, highest = 0;
    uint64_t random = 1;
    char what[80];
    for (int byte = 0; byte < 4; byte++) {
        static const int bytes[] = {0x00, 0xff, 0x55, 0xcc};
        blm_filter *f = resetter(m, k, "", 10, (uint64_t)byte);
        adopt_byte(f, bytes[byte]);
        highest = fmax(highest, passed(f, probes));
        blm_free(f);
    }
    for (unsigned tenth = 1; tenth <= 9; tenth++) {
        blm_filter *f = resetter(m, k, "", 10, tenth);
        adopt_random(f, tenth / 10.0, &random);
        highest = fmax(highest, passed(f, probes));
        blm_free(f);
    }
    for (uint64_t seed = 1; seed <= 20; seed++) { /* the adversary, who knows k0 and k1 */
        blm_filter *f = resetter(m, k, "", 10, seed);
        adopt_random(f, k.k0 / all, &random);
        const double one = passed(f, probes);
        mean += one / 20;
        highest = fmax(highest, one);
        blm_free(f);
    }
    snprintf(what, sizeof what, "I4: no bits give more than Fp, %u, %u of %u", k.k0, k.k1,
             (unsigned)m);
    ORACLE_AT_MOST("2.A", what, max * (1 + all / (2 * (double)m)), highest);
    snprintf(what, sizeof what, "worst bits, mean of 20, %u, %u of %u", k.k0, k.k1, (unsigned)m);
    ORACLE_BETWEEN("2.A", what, bound, bound * (1 - all / (double)m) - noise / sqrt(20),
                   bound + noise / sqrt(20), mean);
}

static void no_bits_pass_the_bound(void **state)
{
    (void)state;
    contents(64, (pair){3, 3, true}, 20000);
    contents(256, (pair){2, 2, true}, 20000);
    contents(1024, (pair){4, 4, true}, 40000);
    contents(65536, (pair){2, 3, false}, 20000);
}

/* Positions that repeat pass it: 0.0199 of 64 bits, Fp 0.0156. */
static void repeated_places_do_pass_it(void **state)
{
    enum { FILTERS = 100, PROBES = 5000 };
    uint64_t hits = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= FILTERS; seed++) {
        blm_filter *f = resetter(64, (pair){3, 3, false}, "start=random", 30, seed);
        add_run(f, 0, 100);
        hits += false_yes(f, PROBES);
        blm_free(f);
    }
    const double rate = (double)hits / (FILTERS * PROBES);
    /* 500,000 probes: 4 sigma are 0.0008, the filters' spread 0.0002 */
    ORACLE_BETWEEN("2.A", "3, 3 that repeat in 64 bits", 0.0199, 0.0190, 0.0208, rate);
    assert_true(rate > blm_generalized_bound(3, 3) * 1.2);
}

/* All ones: what a standard filter says to that, what this one says, and after 256 honest keys. */
static void all_ones_are_no_attack(void **state)
{
    blm_filter *f = resetter(65536, (pair){2, 2, false}, "", 256, 1);
    blm_filter *s = made("standard bits=65536 keys=256 hashes=4 overfill=yes");
    uint64_t random = 1;
    (void)state;
    adopt_byte(f, 0xff);
    adopt_byte(s, 0xff);
    ORACLE_NEAR("2.A", "all-one attack, standard", 1, 0, (double)false_yes(s, 10000) / 10000);
    ORACLE_NEAR("2.A", "all-one attack, no key yet", 0, 0, (double)false_yes(f, 1000000));
    add_run(f, 0, 256);
    ORACLE_BETWEEN("2.A", "all-one attack, 256 keys later", 5.9e-5, 5.9e-5 * 0.97, 5.9e-5 * 1.03,
                   blm_fpr(f, NULL).high);
    ORACLE_HITS("2.A", "strangers after it", blm_fpr(f, NULL).high, false_yes(f, 2000000), 2000000);
    blm_free(f);
    f = resetter(65536, (pair){2, 2, false}, "", 256, 1);
    adopt_random(f, 0.5, &random);
    add_run(f, 0, 256);
    ORACLE_BETWEEN("2.A", "smart attacker: half zeros", 0.0625, 0.0622, 0.0627,
                   blm_fpr(f, NULL).high);
    blm_free(f);
    blm_free(s);
}

/* From everywhere to q0 / (q0 + q1) zeros, and there Fp. */
static void every_start_ends_alike(void **state)
{
    static const char *const starts[] = {"", "start=ones", "start=random p0=0.9"};
    const unsigned m = 4096;
    (void)state;
    for (size_t i = 0; i < COUNT(starts); i++)
        for (int distinct = 0; distinct < 2; distinct++) {
            blm_filter *f = resetter(m, (pair){2, 3, distinct}, starts[i], 10, 1);
            char what[80];
            add_run(f, 0, 8 * m / 5);
            const double zeros = 1 - info_of(f).fill;
            const double q0 = 1 - pow(1 - 1.0 / m, 2), touched = 1 - pow(1 - 1.0 / m, 5);
            const double end = distinct ? 0.4 : q0 / touched;
            snprintf(what, sizeof what, "I5: share of zeros in the end, %s%s",
                     starts[i][0] ? starts[i] : "start=zeros", distinct ? ", distinct" : "");
            ORACLE_BETWEEN("2.A", what, end, end - 4 * sqrt(end * (1 - end) / m),
                           end + 4 * sqrt(end * (1 - end) / m), zeros);
            NEAR(blm_fpr(f, NULL).high, 0.03456, 0.02);
            blm_free(f);
        }
}

/* ---- misses --------------------------------------------------------------------------------------------------- */

/* By the literature's own query, every set place is asked for: a key of which one is reset too is missed at once. */
static void asked_by_the_letter_keys_are_missed(void **state)
{
    enum { M = 256, N = 16, FILTERS = 2000 };
    const pair k = {2, 2, false};
    uint64_t last = 0, masked = 0, strict = 0, last_strict = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= FILTERS; seed++) {
        blm_filter *f = resetter(M, k, "start=ones", N, seed);
        uint8_t bit[M];
        uint64_t at[4];
        add_run(f, 0, N);
        unpack(f, bit, M);
        for (uint64_t i = 0; i < N; i++) {
            places_of(blm_hash_u64(f, i).lo, M, k, at);
            const bool no = !blm_has_u64(f, i), strictly_no = !ask_plainly(bit, at, k, true);
            masked += no;
            strict += strictly_no;
            if (i == N - 1) last += no, last_strict += strictly_no;
        }
        blm_free(f);
    }
    ORACLE_NEAR("2.A", "m=256 k=2,2 n=16: misses of the last key", 0, 0, (double)last);
    ORACLE_HITS("2.A", "m=256 k=2,2 n=16: by the letter", 0.0156, last_strict, FILTERS);
    /* theirs: 1000 rounds, 0.0058 and 0.0060 at 95 % */
    ORACLE_BETWEEN("2.A", "m=256 k=2,2 n=16: misses", 0.1931, 0.183, 0.203,
                   (double)masked / (N * FILTERS));
    ORACLE_BETWEEN("2.A", "m=256 k=2,2 n=16: misses by the letter", 0.206, 0.196, 0.216,
                   (double)strict / (N * FILTERS));
}

/* One reset of 131072 bits is among 355 sets: 0.27 % of keys. */
static void many_sets_meet_a_reset(void **state)
{
    enum { M = 131072, KEYS = 20000 };
    const pair k = {1, 355, false};
    blm_filter *f = resetter(M, k, "", 256, 1);
    uint64_t strict = 0, missed = 0;
    (void)state;
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t at[356];
        const blm_item it = blm_item_u64(f, i, BLM_NO_ARG);
        if (i < 300) assert_int_equal(blm_add_item(f, &it, NULL), BLM_OK);
        if (i < 300) missed += !blm_has_item(f, &it);
        for (unsigned n = 0; n < 356; n++) at[n] = high(word_of(it.h.lo, n), M);
        bool met = false;
        for (unsigned n = 1; n < 356; n++) met = met || at[n] == at[0];
        strict += met;
    }
    ORACLE_NEAR("2.A", "m=131072 k=1,355: misses of the last key", 0, 0, (double)missed);
    ORACLE_HITS("2.A", "m=131072 k=1,355: by the letter", 0.0027, strict, KEYS);
    blm_free(f);
}

/* Keys by their age: the older the worse, as (11) says. */
static void older_keys_are_missed_more(void **state)
{
    enum { M = 512, N = 16, FILTERS = 4000 };
    double miss[N] = {0};
    bool falling = true;
    (void)state;
    for (uint64_t seed = 1; seed <= FILTERS; seed++) {
        blm_filter *f = resetter(M, (pair){2, 2, true}, "", N, seed);
        add_run(f, 0, N);
        for (uint64_t i = 0; i < N; i++) miss[i] += !blm_has_u64(f, i) / (double)FILTERS;
        if (seed == FILTERS)
            for (uint64_t i = 0; i < N; i++) {
                const blm_case c = {.keys = N, .gap = N - 1 - i, .arg = BLM_NO_ARG};
                const double p = i == N - 1 ? 0 : blm_fnr(f, &c).high;
                WITHIN(miss[i], p, 4 * sqrt(p * (1 - p) / FILTERS));
                if (i)
                    falling = falling && miss[i] <= miss[i - 1] + 4 * sqrt(2 * p / FILTERS) + 1e-9;
            }
        blm_free(f);
    }
    assert_true(miss[0] > 0.1 && miss[N - 1] <= 0);
    ORACLE_HOLDS("2.A", "I6: misses do not grow with the place of a key", falling);
}

/* The paper's method at one setting: 4.05 % and 11.30 % there, 1000 rounds. */
static void simulated_in_the_literature(void **state)
{
    enum { N = 256, FILTERS = 100, PROBES = 5000 };
    uint64_t hits = 0, missed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= FILTERS; seed++) {
        blm_filter *f = resetter(8192, (pair){2, 2, false}, "start=random p0=0.25", N, seed);
        add_run(f, 0, N);
        hits += false_yes(f, PROBES);
        for (uint64_t i = 0; i < N; i++) missed += !blm_has_u64(f, i);
        blm_free(f);
    }
    /* 500,000 probes and 25,600 keys: 4 sigma are 0.12 % and 0.8 % */
    ORACLE_BETWEEN("2.A", "m=8192 k=2,2 n=256 p0=.25: rate", 0.0405, 0.0393, 0.0417,
                   (double)hits / (FILTERS * PROBES));
    ORACLE_BETWEEN("2.A", "m=8192 k=2,2 n=256 p0=.25: misses", 0.1130, 0.105, 0.121,
                   (double)missed / (FILTERS * N));
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static void both_errors_give_a_size(void **state)
{
    static const struct {
        double fp, fn;
        unsigned k0, k1, bits;
    } table[] = {{0.1, 0.1, 1, 4, 75},      {0.0625, 0.05, 2, 2, 155}, {0.05, 0.01, 2, 3, 1193},
                 {0.01, 0.1, 3, 4, 227},    {0.01, 0.05, 3, 4, 467},   {0.001, 0.05, 5, 5, 973},
                 {0.0001, 0.05, 6, 8, 1869}};
    char what[60];
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "generalized", .keys = 1000, .fpr = table[i].fp,
                                            .fnr = table[i].fn));
        snprintf(what, sizeof what, "bits a key, rounded up, at Fp %g, Fn %g", table[i].fp,
                 table[i].fn);
        ORACLE_NEAR("2.A", what, table[i].bits, 0, ceil((double)field(f, "cells") / 1000));
        assert_true(field(f, "resets") == table[i].k0 && info_of(f).fpr_target == table[i].fp &&
                    field(f, "hashes") == table[i].k0 + table[i].k1);
        assert_true(blm_generalized_miss_bound(field(f, "cells"), table[i].k0, table[i].k1, 1000) <=
                    table[i].fn);
        blm_free(f);
    }
}

static void plan_of(const char *wish, unsigned k0, unsigned k1, uint64_t keys, double target)
{
    char spec[120];
    snprintf(spec, sizeof spec, "generalized %s", wish);
    blm_filter *f = made(spec);
    assert_int_equal(field(f, "resets"), k0);
    assert_int_equal(field(f, "hashes"), k0 + k1);
    assert_int_equal(info_of(f).capacity, keys);
    NEAR(info_of(f).fpr_target, target, 1e-6);
    blm_free(f);
}

/* What is not said follows: pairs from sums, keys from bits, the promise from pairs. */
static void other_wishes(void **state)
{
    (void)state;
    plan_of("keys=1000 fpr=1%", 3, 4, 1000, 0.01);
    plan_of("keys=1000", 5, 5, 1000, 0.001);
    plan_of("keys=1000 zeros=2 ones=2", 2, 2, 1000, 0.0625);
    plan_of("keys=1000 zeros=2 fpr=6.25%", 2, 2, 1000, 0.0625);
    plan_of("keys=1000 ones=2 fpr=5%", 3, 2, 1000, 0.05);
    plan_of("keys=1000 hashes=8 fpr=1%", 3, 5, 1000, 0.01);
    plan_of("keys=1000 zeros=5 hashes=8 fpr=1%", 5, 3, 1000, 0.01);
    plan_of("bits=65536 keys=256 zeros=2 ones=2", 2, 2, 256, 0.0625);
    plan_of("bits=65536 keys=256 hashes=4", 2, 2, 256, 0.0625);
    plan_of("bits=65536 keys=256 fpr=1% fnr=10%", 3, 4, 256, 0.01);
    plan_of("bits=1000 keys=256 zeros=3 ones=4", 3, 4, 256,
            0.00842249); /* misses follow; of 572 ones */
    plan_of("bits=466142 zeros=3 ones=4", 3, 4, 1000, 0.008393004);
    plan_of("bits=1000 keys=256 zeros=3 hashes=7", 3, 4, 256, 0.00842249);
    plan_of("bits=466142 fpr=1%", 3, 4, 1000, 0.01); /* as many as are missed at 5 % */
    plan_of("bits=466140 fpr=1%", 3, 4, 999, 0.01);
    plan_of("bits=226027 fpr=1% fnr=10%", 3, 4, 1000, 0.01);
    plan_of("bits=154960 hashes=4", 2, 2, 1000, 0.0625); /* the rate was not asked for */
    plan_of("bits=154960 hashes=4 fnr=5%", 2, 2, 1000, 0.0625);
    plan_of("bits=467 fpr=1%", 3, 4, 1, 0.01);
    /* Keys and bits: the pair of the lowest bound that fits, (k0/k)^k0 (k1/k)^k1, as the sizes of the table above. */
    plan_of("bits=155000 keys=1000", 2, 2, 1000, 0.0625);
    plan_of("bits=467000 keys=1000", 3, 4, 1000, pow(3 / 7.0, 3) * pow(4 / 7.0, 4));
    plan_of("bits=973000 keys=1000", 5, 5, 1000, 0x1p-10);
    plan_of("bits=1869000 keys=1000", 6, 8, 1000, pow(3 / 7.0, 6) * pow(4 / 7.0, 8));
    plan_of("bits=155000 keys=1000 zeros=2", 2, 2, 1000, 0.0625);
    plan_of("bits=155000 keys=1000 hashes=4", 2, 2, 1000, 0.0625);
    plan_of("bits=120000 keys=1000 hashes=4", 1, 3, 1000, 27 / 256.0); /* 2 and 2 do not fit */
    /* 2 and 2 have the bound 6.25 %, but the worst array of 156 bits has 6.33: the next pair keeps it. */
    plan_of("keys=1 fpr=6.25%", 1, 6, 1, 0.0625);
    plan_of("keys=1 fpr=6.34%", 2, 2, 1, 0.0634);
}

/* It forgets, it does not fill: ten times the keys, and bits of the worst kind, are taken. */
static void it_is_never_full(void **state)
{
    static const char *const wishes[] = {"keys=100 fpr=1%", "bits=4096 keys=100 zeros=2 ones=2",
                                         "bits=30 keys=2 zeros=4 ones=20 distinct=on"};
    uint64_t random = 1;
    (void)state;
    for (size_t i = 0; i < COUNT(wishes); i++) {
        char spec[120];
        snprintf(spec, sizeof spec, "generalized %s", wishes[i]);
        blm_filter *f = made(spec);
        add_run(f, 0, 1000);
        adopt_random(f, (double)field(f, "resets") / (double)field(f, "hashes"), &random);
        add_run(f, 0, 1000);
        OK(blm_room(f, &why));
        blm_free(f);
    }
}

/* Keys from ones: the truth within 4 sigma, from zeros and from ones; and once all has settled, a lower bound. */
static void sizes_by_the_ones(void **state)
{
    static const char *const starts[] = {"", "start=ones"};
    (void)state;
    for (size_t i = 0; i < COUNT(starts); i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            blm_filter *f = resetter(100000, (pair){3, 4, seed % 2}, starts[i], 1000, seed);
            blm_estimate n;
            add_run(f, 0, 2000);
            assert_int_equal(blm_cardinality(f, &n), BLM_OK);
            WITHIN(n.value, 2000, 4 * (n.high - n.value));
            assert_true(!n.bound && n.high - n.low < 40 && n.high - n.low > 4);
            if (seed == 1) add_run(f, 0, 100000);
            assert_true(blm_cardinality(f, &n) == BLM_OK && n.bound == (seed == 1));
            if (seed == 1) assert_true(n.value > 40000 && n.value < 102000);
            blm_free(f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bits_pass_the_bound),
        cmocka_unit_test(repeated_places_do_pass_it),
        cmocka_unit_test(all_ones_are_no_attack),
        cmocka_unit_test(every_start_ends_alike),
        cmocka_unit_test(asked_by_the_letter_keys_are_missed),
        cmocka_unit_test(many_sets_meet_a_reset),
        cmocka_unit_test(older_keys_are_missed_more),
        cmocka_unit_test(simulated_in_the_literature),
        cmocka_unit_test(both_errors_give_a_size),
        cmocka_unit_test(other_wishes),
        cmocka_unit_test(it_is_never_full),
        cmocka_unit_test(sizes_by_the_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

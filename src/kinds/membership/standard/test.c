/* test.c - what the papers say of the Bloom filter of 1970. */
#include "core/unit.h"
#include "oracles.h"
#include "core/kind.h"
#include "test_digests.h"
#include "parts/probe.h"

/* ---- the worked example of Tarkoma, Rothenberg, Lagerspetz (2012), Fig. 2 ------------------------ */

static void text_of(const uint8_t *p, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++) snprintf(out + 2 * i, 3, "%02x", p[i]);
}

static void digests_are_the_known_ones(void **state)
{
    static const struct {
        const char *text, *md5, *sha1;
        uint32_t crc;
    } known[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e", "da39a3ee5e6b4b0d3255bfef95601890afd80709", 0},
        {"a", "0cc175b9c0f1b6a831c399e269772661", "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
         0xe8b7be43},
        {"abc", "900150983cd24fb0d6963f7d28e17f72", "a9993e364706816aba3e25717850c26c9cd0d89d",
         0x352441c2},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "8215ef0796a20bcaaae116d3876c664a", "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
         0x171a3f5f},
    };
    char text[41];
    uint8_t out[20];
    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        md5(known[i].text, strlen(known[i].text), out);
        text_of(out, 16, text);
        assert_string_equal(text, known[i].md5);
        sha1(known[i].text, strlen(known[i].text), out);
        text_of(out, 20, text);
        assert_string_equal(text, known[i].sha1);
        assert_int_equal(crc32(known[i].text, strlen(known[i].text)), known[i].crc);
    }
}

/* A digest as one big-endian number, modulo 16: the low half of its last byte. */
static void figure_positions(const char *key, unsigned at[3])
{
    uint8_t m[16], s[20];
    md5(key, strlen(key), m);
    sha1(key, strlen(key), s);
    at[0] = m[15] & 15;
    at[1] = s[19] & 15;
    at[2] = crc32(key, strlen(key)) & 15;
}

static const struct {
    const char *key;
    unsigned at[3];
} figure[] = {{"a", {1, 8, 3}},  {"b", {15, 8, 9}}, {"y", {13, 10, 5}},
              {"l", {3, 7, 14}}, {"q", {13, 0, 7}}, {"z", {7, 10, 15}}};

/* The smallest hash whose three probes in 16 bits are these: one in 4096 is. */
static blm_hash hash_with(const unsigned at[3])
{
    for (uint64_t lo = 0;; lo++) {
        const blm_hash h = {lo, 0};
        if (blm_place(h, 0, 16) == at[0] && blm_place(h, 1, 16) == at[1] &&
            blm_place(h, 2, 16) == at[2])
            return h;
    }
}

static unsigned word_of(const blm_filter *f)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    assert_int_equal(n, 8);
    for (size_t i = 2; i < n; i++) assert_int_equal(cells[i], 0);
    return cells[0] | (unsigned)cells[1] << 8;
}

static void figure_2_bit_by_bit(void **state)
{
    static const unsigned words[] = {0x010a, 0x830a, 0xa72a, 0xe7aa}; /* after a, b, y, l */
    blm_filter *f = made("standard bits=16b hashes=3 overfill=yes");
    (void)state;
    for (size_t i = 0; i < COUNT(figure); i++) {
        unsigned at[3];
        figure_positions(figure[i].key, at);
        assert_memory_equal(at, figure[i].at, sizeof at);
        const blm_item it = {hash_with(at), NULL, 0, BLM_NO_ARG};
        blm_touch touched[3];
        assert_int_equal(blm_touched(f, &it, touched, 3), 3);
        for (unsigned j = 0; j < 3; j++) assert_int_equal(touched[j].cell, at[j]);
        if (i >= COUNT(words)) continue;
        bool fresh = false;
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_true(fresh);
        assert_int_equal(word_of(f), words[i]);
    }
    const blm_info now = info_of(f);
    assert_true(now.fill == 10.0 / 16 && now.fpr_now.low == 0.244140625);
    assert_true(now.fpr_now.high == 0.244140625 && now.fpr_now.spread == 0);
    ORACLE_NEAR("1.A1", "figure 2: the word of a, b, y, l", 0xe7aa, 0, word_of(f));
    ORACLE_HOLDS("1.A1", "figure 2: q is absent", !blm_has_hash(f, hash_with(figure[4].at)));
    ORACLE_HOLDS("1.A1", "figure 2: z is a false positive",
                 blm_has_hash(f, hash_with(figure[5].at)));
    blm_free(f);
}

static void figure_2_adopted(void **state)
{
    uint8_t cells[8] = {0xaa, 0xe7};
    blm_filter *f = made("standard bits=16b hashes=3");
    (void)state;
    OK(blm_adopt(f, cells, sizeof cells, &why));
    assert_int_equal(field(f, "ones"), 10);
    assert_true(blm_fpr(f, NULL).high == 0.244140625 && info_of(f).fill == 0.625);
    for (size_t i = 0; i < COUNT(figure); i++)
        assert_int_equal(blm_has_hash(f, hash_with(figure[i].at)), i != 4);
    REFUSED(blm_adopt(f, cells, 7, &why), BLM_E_ARG, "7 bytes");
    SAYS("8");
    cells[2] = 1; /* bit 16 of 16 */
    REFUSED(blm_adopt(f, cells, sizeof cells, &why), BLM_E_ARG, "past the last");
    assert_int_equal(word_of(f), 0xe7aa);
    blm_free(f);
}

/* ---- fill and rate ------------------------------------------------------------------------------- */

/* E[X] = 5034.32, sd 27.82 at (10000, 7, 1000). The mean of 20 within 4 sd/sqrt(20); the sum of the
 * squared deviations is chi-square with 20 degrees: below 4 or above 46 by chance 5e-5 and 8e-4. */
static void fill_has_its_mean_and_spread(void **state)
{
    double sum = 0, squares = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        blm_filter *f = made_new(
            BLM_CONFIG(.kind = "standard", .bits = 10000, .hashes = 7, .keys = 1000, .seed = seed));
        add_run(f, 0, 1000);
        const double x = (double)field(f, "ones");
        sum += x;
        squares += (x - 5034.32) * (x - 5034.32) / (27.82 * 27.82);
        assert_true(info_of(f).fill == x / 10000);
        blm_free(f);
    }
    WITHIN(sum / 20, 5034.32, 4 * 27.82 / sqrt(20));
    assert_true(squares > 4 && squares < 46);
}

/* The exact rate of (1024, 8, 20) by its definition: the chances of X ones after 160 throws, one throw
 * after the other, and (X / 1024)^8 of each. */
static double small_rate(void)
{
    double ones[1025] = {1}, rate = 0;
    for (unsigned t = 0; t < 160; t++)
        for (unsigned x = 1024; x-- > 0;) {
            ones[x + 1] += ones[x] * (1024 - x) / 1024;
            ones[x] *= x / 1024.0;
        }
    for (unsigned x = 0; x <= 1024; x++) rate += ones[x] * pow(x / 1024.0, 8);
    return rate;
}

static blm_filter *small_filter(uint64_t seed)
{
    blm_filter *f = made_new(
        BLM_CONFIG(.kind = "standard", .bits = 1024, .hashes = 8, .keys = 20, .seed = seed));
    add_run(f, 0, 20);
    return f;
}

/* 20 seeds of 2.6e7 strangers: 101 false yes expected. Given the fills they are Poisson; the fill
 * itself moves the rate of one filter by a fifth, so that the sum has both shares. */
static void small_filters_keep_the_exact_rate(void **state)
{
    enum { PROBES = TEST_SLOW ? 2600000 : 26000000, GROUP = 4096 };
    static blm_hash h[GROUP];
    static uint8_t yes[GROUP];
    const double rate = small_rate();
    double given_fill = 0;
    uint64_t hits = 0, random = 1;
    (void)state;
    NEAR(blm_rate_exact(1024, 8, 20), rate, 1e-12);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        blm_filter *f = small_filter(seed);
        given_fill += pow((double)field(f, "ones") / 1024, 8) * PROBES;
        for (unsigned at = 0; at < PROBES; at += GROUP) {
            const size_t n = PROBES - at < GROUP ? PROBES - at : GROUP;
            for (size_t i = 0; i < n; i++) h[i] = (blm_hash){draw(&random), 0};
            blm_has_many(f, h, NULL, n, yes);
            for (size_t i = 0; i < n; i++) hits += yes[i];
        }
        blm_free(f);
    }
    const double want = 20.0 * PROBES * rate, spread = blm_rate_sd(1024, 8, 20) / sqrt(20);
    assert_true(want >= (TEST_SLOW ? 10 : 100));
    WITHIN((double)hits, given_fill, 4 * sqrt(given_fill));
    WITHIN((double)hits, want, 4 * sqrt(want + want * spread * (want * spread)));
}

/* No probe is needed to know a filter's rate, so that 2000 filters show the expectation to 1/100. */
static void small_filters_average_to_the_exact_rate(void **state)
{
    double sum = 0, squares = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        blm_filter *f = small_filter(seed);
        const double p = blm_fpr(f, NULL).high;
        sum += p;
        squares += p * p;
        blm_free(f);
    }
    const double rate = small_rate(), sd = sqrt(squares / 2000 - rate * rate);
    NEAR(blm_rate_sd(1024, 8, 20), sd / rate, 0.25); /* fourth moments are heavy: no tight limit */
    WITHIN(sum / 2000, rate, 4 * sd / sqrt(2000));
}

/* The trap: positions h1 + i h2 mod 1024 from the halves of one hash. Whole progressions repeat, and
 * the rate is some 200 times the promise. */
static void plain_double_hashing_would_lie(void **state)
{
    enum { PROBES = 1000000 };
    uint64_t hits = 0, random = 1;
    (void)state;
    for (unsigned run = 0; run < 20; run++) {
        bool bit[1024] = {false};
        for (unsigned i = 0; i < 20; i++) {
            const uint64_t h = draw(&random);
            for (uint64_t j = 0; j < 8; j++) bit[((h >> 32) + j * (h & 0xffffffff)) % 1024] = true;
        }
        for (unsigned i = 0; i < PROBES; i++) {
            const uint64_t h = draw(&random);
            bool all = true;
            for (uint64_t j = 0; j < 8 && all; j++)
                all = bit[((h >> 32) + j * (h & 0xffffffff)) % 1024];
            hits += all;
        }
    }
    assert_true((double)hits >= 50 * 20.0 * PROBES * small_rate());
}

/* The classic numbers: 9595 bits and 7 hashes for 1000 keys at 1 %, here rounded up by less than 0.4 %
 * to a multiple of 32; 9592957 bits for a million, to a multiple of 32768. */
static void planned_by_keys_and_rate(void **state)
{
    blm_filter *f = made("standard keys=1000 fpr=1%"), *g = made("standard keys=1e6 fpr=1%");
    (void)state;
    assert_int_equal(field(f, "cells"), 9600);
    assert_int_equal(field(f, "hashes"), 7);
    assert_int_equal(field(g, "cells"), 293 * 32768);
    assert_int_equal(field(g, "hashes"), 7);
    const blm_rate full = blm_fpr(f, &(blm_case){.keys = 1000});
    assert_true(full.high <= 0.01 && full.high > 0.0098 && full.low == full.high);
    NEAR(full.spread, blm_rate_sd(9600, 7, 1000), 1e-12);
    blm_free(f);
    blm_free(g);
    REFUSED(blm_make(&f, "standard keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "64 hashes");
    SAYS("7e+15 keys");
    SAYS("1e-60");
}

/* A stranger is rejected by the first zero: at half of the bits, after 2 - 2^-6 = 1.984375 of 7 probes. */
static void cache_lines_of_a_miss(void **state)
{
    static const char *const specs[] = {"standard bits=1024b hashes=7",
                                        "counting bits=4096b hashes=7"};
    uint8_t cells[512];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        blm_filter *f = made(specs[i]);
        assert_true(f->kind->lines(f, NULL) == 1); /* empty: the first one */
        memset(cells, i ? 0x01 : 0x55, sizeof cells);
        OK(blm_adopt(f, cells, i ? 512 : 128, &why));
        NEAR(f->kind->lines(f, NULL), 1.984375, 1e-12);
        blm_free(f);
    }
}

static void fresh_is_proof_of_absence(void **state)
{
    blm_filter *f = made("standard keys=100 fpr=1%");
    uint64_t ones = 0;
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        const blm_item it = blm_item_u64(f, i, BLM_NO_ARG);
        const bool before = blm_has_item(f, &it);
        bool fresh = false;
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_int_equal(fresh, !before);
        assert_true(field(f, "ones") >= ones);
        ones = field(f, "ones");
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_false(fresh);
        assert_int_equal(field(f, "ones"), ones);
    }
    assert_false(blm_can(f, BLM_DEL));
    assert_int_equal(blm_del(f, "x", 1), BLM_E_CANNOT);
    blm_free(f);
}

static void all_ones_say_yes_to_all(void **state)
{
    uint8_t cells[16];
    blm_filter *f = made("standard bits=100b hashes=5");
    (void)state;
    assert_int_equal(false_yes(f, 1000), 0);
    memset(cells, 0xff, sizeof cells);
    REFUSED(blm_adopt(f, cells, sizeof cells, &why), BLM_E_ARG, "past the last");
    cells[12] = 0x0f, cells[13] = cells[14] = cells[15] = 0;
    OK(blm_adopt(f, cells, sizeof cells, &why));
    assert_int_equal(false_yes(f, 1000), 1000);
    assert_true(info_of(f).fill == 1 && blm_fpr(f, NULL).high == 1);
    blm_free(f);
}

/* 10^6 keys at 10^-6 want 28755279 bits (computed apart); the array is then rounded up to a
 * multiple of 2^16, the largest power of two that is at most a 256th of it. */
static void sizes_can_be_halved(void **state)
{
    blm_filter *f = NULL;
    blm_field_info m;
    (void)state;
    assert_int_equal(blm_make(&f, "standard keys=1e6 fpr=1e-6", NULL), BLM_OK);
    assert_true(blm_field_at(f, 0, &m));
    assert_int_equal(m.value % 65536, 0);
    assert_true(m.value >= 28755279 && m.value < 28755279 + 2 * 65536);
    blm_free(f);
    /* 10^8 keys at 1 %: 7e8 / -ln(1 - 0.01^(1/7)) = 959295472 bits; a step is at most 2^20. */
    assert_int_equal(blm_make(&f, "standard keys=1e8 fpr=1%", NULL), BLM_OK);
    assert_true(blm_field_at(f, 0, &m));
    assert_true(m.value == 915 * (UINT64_C(1) << 20));
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_can_be_halved),
        cmocka_unit_test(digests_are_the_known_ones),
        cmocka_unit_test(figure_2_bit_by_bit),
        cmocka_unit_test(figure_2_adopted),
        cmocka_unit_test(fill_has_its_mean_and_spread),
        cmocka_unit_test(small_filters_keep_the_exact_rate),
        cmocka_unit_test(small_filters_average_to_the_exact_rate),
        cmocka_unit_test(plain_double_hashing_would_lie),
        cmocka_unit_test(planned_by_keys_and_rate),
        cmocka_unit_test(cache_lines_of_a_miss),
        cmocka_unit_test(fresh_is_proof_of_absence),
        cmocka_unit_test(all_ones_say_yes_to_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
